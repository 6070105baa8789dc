"""The notes that an agent keeps for itself: it reads, writes, renames and forgets them as files of one folder of the vault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import unquote

from memoryclaw.app.context import VaultContext
from memoryclaw.app.verbs import AGENTS, allowed
from memoryclaw.errors import ConflictError, InputError, NameTakenError, NotFoundError
from memoryclaw.late import NamedTuple
from memoryclaw.model import TRUSTS, FileChange
from memoryclaw.text.encoding import DecodedText, decode, readable
from memoryclaw.text.merging import merge
from memoryclaw.vault import files
from memoryclaw.vault.audience import GONE, of_folders
from memoryclaw.vault.folder import is_wanted
from memoryclaw.vault.layout import name_troubles, safe_path
from memoryclaw.vault.notes import trust_of_file
from memoryclaw.vault.standings import doubts_of, standing_of
from memoryclaw.writing.context import WriteContext, Written
from memoryclaw.writing.edit import LONGEST, with_line_ends, writable
from memoryclaw.writing.tombstones import SENTENCE, Tombstones
from memoryclaw.writing.writer import Change, Edit, Move, commit, new_file, text_change

FOLDER = "agent-memory"


class AgentNote(NamedTuple):
    """A note by its name in the agent's folder, and what the agent sees of it."""

    name: str
    text: str


class AgentNotes:
    """The notes of one agent. A name without `.md` stands for the note `NAME.md`, and is that of a folder where there is one.

    Raises:
        InputError: what lies in this folder would be taken for what a person wrote.
    """

    def __init__(self, context: VaultContext, folder: str = FOLDER) -> None:
        self._context = context
        self.folder = safe_path(folder.strip("/"))
        if trust_of_file(f"{self.folder}/note.md") == TRUSTS[0]:
            sentence = f"{folder!r} is not a folder for an agent's notes"
            raise InputError(f"{sentence}; use {FOLDER}, or one below it")

    @allowed(*AGENTS)
    def list(self, under: str = "") -> list[AgentNote]:
        """The notes in the folder, or in one below it, in the order of their names."""
        top = self._at(under) if under else self.folder
        start = len(self.folder) + 1
        paths = (path for path in sorted(self._context.vault.scan(top).files) if path.startswith(f"{top}/"))
        files = ((path, self._look(path)) for path in paths)
        return [
            AgentNote(_shown(path[start:]), readable(file.text)) for path, file in files if file is not None
        ]

    @allowed(*AGENTS)
    def read(self, name: str) -> str:
        """The text of a note; NotFoundError when the agent sees none of that name."""
        return readable(self._seen(name).text)

    @allowed(*AGENTS)
    def create(self, name: str, text: str) -> Written:
        """Keeps a new note, without the secrets in it; one commit.

        Raises:
            InputError: the text would be for others than this agent, or trusted; or it was erased for good.
            NameTakenError: there is a file of that name.
        """
        path = self._new_path(name)

        def work(context: WriteContext, said: str) -> Written:
            note = writable(said)
            if self._is_folder(self._at(name)) or files.exists(context.root, path):
                raise NameTakenError(f"{name} exists already")
            self._check(context, path, None, note)
            return _write(context, path, "create", [new_file(path, note)], "created")

        return self._context.write(work, text)

    @allowed(*AGENTS)
    def change(self, name: str, patch: Callable[[str], str]) -> Written:
        """Changes what the agent sees of a note; its other lines stay. One commit.

        Raises:
            ConflictError: lines of others stand where this would write.
            InputError: as for `create`.
            NotFoundError: the agent sees no note of that name.
        """
        path, digest = self._path(name), self._seen(name)

        def work(context: WriteContext, said: str) -> Written:
            new_text = with_line_ends(digest.text, writable(said))

            def merged(text: str) -> str:
                after = merge(digest.text, text, new_text)
                if after is None:
                    sentence = f"{name} holds lines of others where this would write"
                    raise ConflictError(f"{sentence}; nothing was written")
                return after

            file_text = context.text(path)
            self._check(context, path, file_text, merged(file_text))
            edits = [Edit(path, text_change(merged), overwrites=True)]
            return _write(context, path, "edit", edits, "edited")

        return self._context.write(work, patch(readable(digest.text)), standing=digest.text)

    @allowed(*AGENTS)
    def forget(self, name: str) -> Written:
        """Moves a note, or those of a folder, to the archive, where `forget --undo` finds them; one commit.

        Raises:
            InputError: it holds lines of others.
            NotFoundError: the agent sees nothing of that name.
        """
        paths, stem = self._moving(name)

        def work(context: WriteContext) -> Written:
            targets = [files.free_path(context.root, f"archive/{path}") for path in paths]
            moves = list(map(Move, paths, targets))
            return _write(context, stem, "forget", moves, "forgotten", to=targets[0])

        return self._context.write(work)

    @allowed(*AGENTS)
    def rename(self, name: str, to: str) -> Written:
        """Gives a note, or a folder, another name; one commit.

        Raises:
            InputError: it holds lines of others, or would be for others there.
            NameTakenError: there is something of that name.
            NotFoundError: the agent sees nothing of the old name.
        """
        paths, stem = self._moving(name)
        goal = self._new_path(to)
        if paths != [stem]:
            goal = self._at(to)
        targets = [f"{goal}{path[len(stem) :]}" for path in paths]
        labels = self._context.config.folders
        if any(of_folders(a, labels) != of_folders(b, labels) for a, b in zip(paths, targets, strict=True)):
            raise InputError(f"{to} is for others than {name}; only a person moves it there")

        def work(context: WriteContext) -> Written:
            if self._is_folder(self._at(to)) or any(files.exists(context.root, target) for target in targets):
                raise NameTakenError(f"{to} exists already")
            return _write(context, stem, "rename", list(map(Move, paths, targets)), "renamed", to=goal)

        return self._context.write(work)

    def _at(self, name: str) -> str:
        if unquote(name) != name:
            raise InputError(f"{name!r} is encoded; write the name as it is")
        return safe_path(f"{self.folder}/{name}")

    def _path(self, name: str) -> str:
        path = self._at(name)
        return path if path.endswith(".md") else f"{path}.md"

    def _new_path(self, name: str) -> str:
        """The path of a note to be; InputError where some system, or this vault, would not take it for one."""
        path = self._path(name)
        trouble = next((why for _, why in name_troubles([path])), "")
        if trouble or not is_wanted(path) or not path.isprintable():
            raise InputError(f"{name!r} {trouble or 'is not a name for a note'}; use another name")
        return path

    def _look(self, path: str) -> DecodedText | None:
        """What is seen of a note that a walk finds."""
        file = self._context.vault.read(path) if self._context.vault.stamp(path) else None
        return file and decode(file[0])

    def _seen(self, name: str) -> DecodedText:
        file = self._look(self._path(name))
        if file is None:
            raise NotFoundError(f"there is no note {name}")
        return file

    def _is_folder(self, path: str) -> bool:
        return bool(files.list_files(str(self._context.root), path))

    def _moving(self, name: str) -> tuple[Sequence[str], str]:
        """The paths of a note, or of the notes in a folder, that are to be moved, and that of itself."""
        if not name:
            raise InputError("the folder itself stays where it is")
        paths = [self._path(note.name) for note in self.list(name)]
        stem = self._at(name) if paths else self._path(name)
        if not paths:
            self._seen(name)
            paths = [stem]
        for path in paths:
            if not self._context.sees(path) or self._context.vault.doubts(path).pieces:
                sentence = f"{_shown(path[len(self.folder) + 1 :])} holds lines of others"
                raise InputError(f"{sentence}; only a person moves it")
        return paths, stem

    def _check(self, context: WriteContext, path: str, before: str | None, after: str) -> None:
        """Refuses what an agent may not say: what was erased for good, and labels that widen."""
        new = after.encode("utf-8", "replace")
        if len(new) > LONGEST:
            raise InputError(f"this is longer than the {LONGEST:,} bytes of a note; keep it in several")
        erased = Tombstones.of(context)
        if erased.within(after, "tv") - erased.within(before or "", "tv"):
            raise InputError(SENTENCE)
        old = None if before is None else before.encode("utf-8", "replace")
        raised = doubts_of([FileChange(path, old, new)], {})
        trusts = [standing_of(path, data).note.trust for data in (old or b"", new)]
        if any(doubt.came != GONE for doubt in raised.values()) or (trusts[1] == TRUSTS[0] != trusts[0]):
            sentence = "only a person lets others see a note, lets it leave this machine or trusts it"
            raise InputError(f"{sentence}; leave that label out")


def _shown(name: str) -> str:
    """A note's name as it is listed: `preferences.txt` for `preferences.txt.md`."""
    stem = name.removesuffix(".md")
    return stem if "." in stem.rpartition("/")[2] and not stem.endswith(".md") else name


def _write(
    context: WriteContext, path: str, verb: str, changes: Sequence[Change], action: str, *, to: str = ""
) -> Written:
    name = path.removesuffix(".md")
    subject = f"{verb.capitalize()} {name}" + (f" to {to.removesuffix('.md')}" if verb == "rename" else "")
    outcome = commit(context, changes, "agent-note", verb=verb, subject=subject, source="agent memory")
    return Written(name, to or path, outcome.commit, action, outcome.notice)
