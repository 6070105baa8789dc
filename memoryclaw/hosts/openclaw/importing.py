"""Proposes what OpenClaw's own notes hold. The files are only read, secrets stay there, and a person decides."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from memoryclaw.consolidation.actions import AddPending, NewFile
from memoryclaw.consolidation.fact_values import plain_key, plain_value
from memoryclaw.consolidation.pending import PENDING_FILE, add_pending, read_pending
from memoryclaw.consolidation.proposals import fingerprint_of, proposal
from memoryclaw.errors import ConfigError, InputError, MemoryClawError
from memoryclaw.hosts.json5 import parse, plain
from memoryclaw.hosts.openclaw.curated import CURATED, ImportCandidate, is_wanted, offered
from memoryclaw.review.queue import CurrentFacts
from memoryclaw.text.encoding import decode
from memoryclaw.vault import files
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import DECISIONS_FILE, Decisions, fingerprint
from memoryclaw.writing.writer import Edit, text_change, write


class Proposed(NamedTuple):
    """One thing that waits, or would wait."""

    id: str
    kind: str  # fact | episode | note
    what: str
    source: str  # the file below the workspace


class ImportReport(NamedTuple):
    """What an import did."""

    workspace: str
    files: tuple[str, ...] = ()
    proposed: tuple[Proposed, ...] = ()
    known: int = 0
    commit: str = ""
    dry_run: bool = False
    notices: tuple[str, ...] = ()


def workspace_of(config: str, environ: Mapping[str, str]) -> str:
    """The folder that OpenClaw works in, as its configuration says, else where it keeps it."""
    home = environ.get("HOME") or os.path.expanduser("~")
    found: Any = None
    if os.path.isfile(config):
        try:
            text = decode(files.read_file(os.path.dirname(config), os.path.basename(config)).data).text
            found = plain(parse(text))
        except ConfigError as error:
            raise ConfigError(f"{config}: {error}; name the workspace yourself") from None
    for key in ("agents", "defaults", "workspace"):
        found = found.get(key) if isinstance(found, dict) else None
    state = environ.get("OPENCLAW_STATE_DIR") or os.path.join(home, ".openclaw")
    return os.path.expanduser(found) if isinstance(found, str) and found else os.path.join(state, "workspace")


def import_notes(context: WriteContext, workspace: str, *, dry_run: bool = False) -> ImportReport:
    """Proposes what the notes of a workspace hold and nobody has decided yet; one commit.

    Args:
        context: the vault and the moment.
        workspace: OpenClaw's folder.
        dry_run: write nothing.
    """
    workspace = os.path.abspath(os.path.expanduser(workspace))
    if not os.path.isdir(workspace):
        raise InputError(f"there is no folder {workspace}; name OpenClaw's workspace")
    names, notices = list(_names(workspace)), list[str]()
    everything = list[ImportCandidate]()
    for name in names:
        try:
            text = decode(files.read_file(workspace, name).data).text
        except MemoryClawError as error:
            notices.append(f"{name} was left out: {error}")
            continue
        everything += offered(name, context.gate.text(text), context.templates.render)
    fresh = _Fresh(context)
    new = [one for one in everything if fresh.is_new(one)]
    notices += fresh.notices
    done = ImportReport(
        workspace,
        tuple(names),
        tuple(map(_as_proposed, new)),
        len(everything) - len(new),
        "",
        dry_run,
        tuple(notices),
    )
    if dry_run or not new:
        return done
    outcome = _write(context, new)
    told = (*notices, outcome[1]) if outcome[1] else tuple(notices)
    return done._replace(commit=outcome[0], notices=told)


def _names(workspace: str) -> Iterator[str]:
    yield from (name for name in CURATED if os.path.isfile(os.path.join(workspace, name)))
    for folder, folders, names in os.walk(os.path.join(workspace, "memory")):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = os.path.relpath(folder, workspace).replace(os.sep, "/")
        yield from (
            path
            for name in sorted(names)
            if not name.startswith(".") and is_wanted(path := f"{inside}/{name}")
        )


class _Fresh:
    """Tells what nobody has been asked yet: no wait, no yes, no no, and not in the vault."""

    def __init__(self, context: WriteContext) -> None:
        self._write_context = context
        self._decisions = Decisions.read(context.text(DECISIONS_FILE))
        self._waiting = {waiting.id for waiting in read_pending(context.text(PENDING_FILE))}
        self._held = CurrentFacts(context)
        self._seen = set[str]()
        self.notices: list[str] = []

    def is_new(self, one: ImportCandidate) -> bool:
        """True for what may be proposed; what is offered twice only the first time."""
        (action,) = one.change.actions
        known_by = fingerprint_of(one.change)
        if isinstance(action, AddPending):
            entity, field, value = (
                plain_key(action.entity),
                plain_key(action.field),
                plain_value(action.value),
            )
            known_by = fingerprint("fact", entity, field, value)
            waits = action.fact.id in self._waiting
            held = any(fact.value == value for fact in self._held.facts(entity, field))
        else:
            waits = files.exists(self._write_context.root, proposal(one.change, "")[0])
            held = isinstance(action, NewFile) and self._is_there(action, one.source)
        if waits or held or known_by in self._seen or self._decisions.of(known_by) is not None:
            return False
        self._seen.add(known_by)
        return True

    def _is_there(self, note: NewFile, source: str) -> bool:
        if not files.exists(self._write_context.root, note.path):
            return False
        if self._write_context.text(note.path) != note.text:
            self.notices.append(
                f"{source} or {note.path} has changed since it was brought over; it was left as it is"
            )
        return True


def _as_proposed(one: ImportCandidate) -> Proposed:
    (action,) = one.change.actions
    if isinstance(action, AddPending):
        return Proposed(action.fact.id, "fact", one.change.title, one.source)
    name = proposal(one.change, "")[0].rpartition("/")[2]
    return Proposed(name.removesuffix(".md"), one.change.kind, one.change.title, one.source)


def _write(context: WriteContext, new: list[ImportCandidate]) -> tuple[str, str]:
    """The commit of the proposals, and what else there is to say."""
    run = context.run("import")
    facts = [action for one in new for action in one.change.actions if isinstance(action, AddPending)]
    notes = [proposal(one.change, run) for one in new if not isinstance(one.change.actions[0], AddPending)]

    def pending(text: str) -> str:
        for fact in facts:
            text = add_pending(text, fact.fact)
        return text

    edits = [Edit(path, _written(text)) for path, text in notes]
    edits += [Edit(PENDING_FILE, text_change(pending))] if facts else []

    def message() -> str:
        sources = list(dict.fromkeys(one.source for one in new))
        return context.templates.commit_message("import-openclaw", run=run, count=len(new), files=sources)

    outcome = write(context.root, edits, message, verb="import", now=context.now)
    return outcome.commit, outcome.notice


def _written(text: str) -> Callable[[bytes | None], bytes]:
    return lambda _: text.encode("utf-8", "replace")
