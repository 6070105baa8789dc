"""`app.transfer`: what comes from other programs, and what leaves the vault."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from memoryclaw import config as settings
from memoryclaw import rooms
from memoryclaw.app.context import VaultContext, within_budget
from memoryclaw.app.verbs import AGENTS, allowed
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.model import AGENT, OWNER, least_trusted
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.vault.layout import places

BUDGET = 2000  # tokens of a MEMORY.md
LATEST_MD = "latest.md"


class Latest(NamedTuple):
    """The files that hold a fresh context."""

    markdown: str
    json: str
    audience: str
    tokens: int


class Transfer:
    """What comes into a vault and what leaves it.

    Args:
        seen_by: the same of the vault as another audience sees it.
    """

    def __init__(self, context: VaultContext, seen_by: Callable[[str], Transfer]) -> None:
        self._context = context
        self._seen_by = seen_by

    # ── In

    @allowed(OWNER)
    def import_from(
        self, kind: str, source: str | os.PathLike[str], *, dry_run: bool = False
    ) -> rooms.importing.ImportedExport:
        """Brings over what another program exported: conversations to the logs, memories to `review`, notes as copies.

        Args:
            kind: chatgpt, claude, aider, mem0, basic-memory, memory-md or markdown.

        Raises:
            InputError: there is no such source, or it is not what it is said to be.
        """
        context = self._context

        def work(writing: rooms.context.WriteContext) -> rooms.importing.ImportedExport:
            return rooms.importing.import_export(
                writing, context.recorder, kind, os.fspath(source), dry_run=dry_run, progress=context.progress
            )

        imported = context.write(work)
        notice = context.recorder.notice
        return imported._replace(notices=(*imported.notices, notice)) if notice else imported

    @allowed(OWNER)
    def import_bundle(
        self, source: str | os.PathLike[str], *, dry_run: bool = False
    ) -> rooms.bundles.Restored:
        """Restores the files of a bundle that are not there, byte for byte, once all of it was looked through.

        Raises:
            InputError: it is no bundle, or damaged; nothing was written.
        """
        context = self._context
        bundle = rooms.bundles.Bundle(os.fspath(source))

        def work(writing: rooms.context.WriteContext) -> rooms.bundles.Restored:
            folders, vault_id = places(writing.root), context.config.vault_id
            pristine = rooms.init.first_files(writing.templates, folders, vault_id, writing.zone)
            return rooms.bundles.restore(
                writing, bundle, dry_run=dry_run, pristine=pristine, progress=context.progress
            )

        return context.write(work)

    # ── Out

    def export_bundle(
        self, target: str | os.PathLike[str], *, since: str = "", tags: Sequence[str] = ()
    ) -> rooms.bundles.Packed:
        """Writes a bundle of what the caller sees, without what is marked [NOEXPORT].

        The owner's holds every file of the vault. With `since` or `tags`, and for others, it holds notes and logs, of what is neither
        archived nor waits for a yes or a no.

        Args:
            target: the file, outside of the vault, which must not be there.
            since: an ISO date; only items from this day onwards, by their own date, else by that of the file.
            tags: only notes with one of these tags, or one below it.

        Raises:
            InputError: the file is there, or nothing would be in it.
            IndexBehindError: the index cannot be brought in line now.
        """
        context = self._context
        path = os.path.abspath(os.path.expanduser(os.fspath(target)))
        root = os.path.realpath(context.root)
        if os.path.realpath(path).startswith(f"{root}{os.sep}"):
            raise InputError(
                f"{path} lies in the vault itself; write the bundle elsewhere, such as to ../{os.path.basename(path)}"
            )
        day = parse_timestamp(since)[:10] if since else ""
        if since and not day:
            raise InputError(f"{since[:40]!r} is not a date; give one such as 2026-03-01")
        context.must_refresh()  # what the index does not know yet would be missing, and what must stay, unknown
        sql = "select path, at, tags, state from files where kind != 'settings' order by path"
        rows = context.read(lambda: context.catalog.rows(sql))
        asked = [tag.lstrip("#").casefold() for tag in tags]

        def is_tagged(listed: str) -> bool:
            has = [tag.lstrip("#").casefold() for tag in json.loads(listed)]
            return not asked or any(
                tag == wanted or tag.startswith(f"{wanted}/") for wanted in asked for tag in has
            )

        if context.audience == OWNER and not day and not tags:
            paths: Iterable[str] = rooms.bundles.portable_files(root)
        else:
            standing = ((name, at) for name, at, own, state in rows if state == "current" and is_tagged(own))
            paths = [name for name, at in standing if _is_of(name, at, context.vault, day)]
        cited: set[str] = set()
        for name, *_ in rows:
            file = context.vault.read(name)
            cited |= rooms.export_gate.withheld_names(name, file[0]) if file else set()
        audience, folders = context.audience, context.config.folders

        def read(name: str) -> tuple[bytes | None, bool]:
            data = rooms.files.read_file(root, name).data
            if name.startswith(rooms.bundles.ARTIFACTS):  # it comes with a line that may leave
                return data, True
            doubts = context.vault.doubts(name)
            text = rooms.export_gate.exportable_bytes(
                name, data, cited, audience=audience, folders=folders, doubts=doubts
            )
            return text, text == rooms.export_gate.visible_bytes(name, data, audience, folders, doubts)

        about: dict[str, Any] = {"audience": context.audience}
        about |= ({"since": day} if day else {}) | ({"tags": [*tags]} if tags else {})
        return rooms.bundles.pack(path, paths, read, about, context.progress)

    def memory_file(self, *, budget: int = BUDGET) -> rooms.memory_file.MemoryFile:
        """What the caller may see, as one readable MEMORY.md: preferences, recent episodes and facts by entity."""
        within_budget(budget)
        context = self._context

        def work() -> rooms.memory_file.MemoryFile:
            catalog = context.catalog
            facts = rooms.browsing.facts(catalog)
            listed = rooms.browsing.browse(catalog, kind="episode", limit=settings.MOST_LISTED)
            episodes = sorted(listed, key=lambda summary: (summary.at, summary.id), reverse=True)[:_RECENT]
            cited_paths = [*(path for path, _ in facts), *(episode.path for episode in episodes)]
            trust = rooms.browsing.trust_of(catalog, cited_paths)
            leaves, paths = context.leaving(context.audience), {fact.id: path for path, fact in facts}
            file_facts = [
                rooms.memory_file.FileFact(fact, path, least_trusted(fact.trust, trust.get(path, "trusted")))
                for path, fact in facts
            ]
            file_episodes = [
                rooms.memory_file.FileEpisode(
                    episode.id, episode.title, episode.at, trust.get(episode.path, "trusted")
                )
                for episode in episodes
                if leaves(episode.path, 0)
            ]
            return rooms.memory_file.memory_file(
                file_facts, file_episodes, budget, lambda fact: leaves(paths[fact.id], fact.line)
            )

        return context.read(work)

    @allowed(*AGENTS)
    def write_latest(self, *, budget: int = BUDGET) -> Latest:
        """Writes `latest.md` and `latest.json` into the state folder: the memory file for hosts without a server.

        From then on `sync`, `watch` and `serve` keep both fresh.
        """
        file, state = self.memory_file(budget=budget), os.fspath(self._context.state)
        shape = rooms.memory_file.as_json(file, self._context.audience)
        as_text = json.dumps(shape, ensure_ascii=False, indent=1) + "\n"
        rooms.state_folder.make_private_folder(state)
        for name, text in ((LATEST_MD, file.text), (settings.LATEST, as_text)):
            data = text.encode("utf-8", "replace")
            if _bytes_of(os.path.join(state, name)) != data:
                rooms.state_folder.write_private(state, name, data)
        paths = os.path.join(state, LATEST_MD), os.path.join(state, settings.LATEST)
        return Latest(*paths, self._context.audience, file.tokens)

    def refresh_latest(self) -> None:
        """Writes both files anew where there are any, for the audience and in the size that they have."""
        try:
            was = json.loads(_bytes_of(os.path.join(self._context.state, settings.LATEST)) or b"")
            audience, budget = str(was["audience"]), int(was["budget"])
        except (ValueError, KeyError, TypeError, OverflowError):
            audience, budget = AGENT, BUDGET
        self._seen_by(audience).write_latest(budget=budget)


_RECENT = 10  # episodes of a memory file


def _is_of(path: str, at: str, vault: rooms.folder.Vault, day: str) -> bool:
    """True for what is of a day or later; what has no date is as old as its file."""
    if not day:
        return True
    folders = path.split("/")
    if not at and folders[0] == "logs" and len(folders) > 1:
        at = parse_timestamp(folders[1])
    if not at:
        file = vault.look(path)
        at = f"{datetime.fromtimestamp(file[1].mtime_ns / 1e9, UTC):%Y-%m-%d}" if file else ""
    return at[:10] >= day


def _bytes_of(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
