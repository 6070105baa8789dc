"""Claude's memory tool on a vault: its `/memories` are notes of the vault, and each change of them is a commit.

    with VaultMemoryTool("~/notes") as memory: client.beta.messages.run_tools(..., tools=[memory]).until_done()

It needs the package `anthropic` (`pip install 'memoryclaw[anthropic]'`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Self

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaFunctionToolResultType, ToolError
from anthropic.types import beta

from memoryclaw.app import App, open_vault
from memoryclaw.app.agent_notes import FOLDER, AgentNote
from memoryclaw.errors import InputError, MemoryClawError, NotFoundError
from memoryclaw.model import AGENT
from memoryclaw.writing.secret_gate import without_secrets

_ROOT = "/memories"
_DEPTH = 2  # levels of a folder that are listed
_AROUND = 2  # lines that are shown before and after an edit
_SIZES = ((1 << 20, "M"), (1 << 10, "K"), (1, "B"))


class VaultMemoryTool(BetaAbstractMemoryTool):
    """Claude's memory tool on a vault, as the agent sees it; it belongs to one thread.

    Args:
        vault: a path, or an open vault, which stays open; without one, the vault that the command line would choose.
        folder: where the notes are: `agent-memory`, or a folder below it.
    """

    def __init__(
        self,
        vault: str | os.PathLike[str] | App | None = None,
        *,
        folder: str = FOLDER,
        cache_control: beta.BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        app = vault.seen_by(AGENT) if isinstance(vault, App) else open_vault(vault, audience=AGENT)
        self._own = None if isinstance(vault, App) else app
        self._notes = app.agent_notes(folder)

    def close(self) -> None:
        """Closes the vault, if the tool has opened it."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def execute(self, command: beta.BetaMemoryTool20250818Command) -> BetaFunctionToolResultType:
        """Carries out one command; what cannot be done is a `ToolError` with one sentence."""
        try:
            return super().execute(command)
        except NotFoundError:
            path = getattr(command, "path", "") or getattr(command, "old_path", "")
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.") from None
        except MemoryClawError as error:
            raise ToolError(without_secrets(str(error))) from error

    def view(self, command: beta.BetaMemoryTool20250818ViewCommand) -> str:
        """The lines of a note, or what is in a folder, two levels deep."""
        path, name = command.path, _name(command.path)
        below = self._notes.list(name)
        if below or not name:
            top = path.rstrip("/")
            listed = "\n".join(f"{_size(size)}\t{top}{below}" for below, size in _levels(below, name))
            return f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:\n{listed}"
        lines = self._notes.read(name).split("\n")
        first, last = 1, len(lines)
        if command.view_range and len(command.view_range) == 2:
            first, end = max(1, command.view_range[0]), command.view_range[1]
            last = last if end == -1 else end
        return f"Here's the content of {path} with line numbers:\n{_numbered(lines, first, last)}"

    def create(self, command: beta.BetaMemoryTool20250818CreateCommand) -> str:
        """Keeps a new note."""
        written = self._notes.create(_name(command.path), command.file_text)
        return _with_notice(f"File created successfully at: {command.path}", written.notice)

    def str_replace(self, command: beta.BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replaces a text that stands once in a note."""
        old, line = command.old_str, 0

        def patch(text: str) -> str:
            nonlocal line
            hits = re.finditer(f"(?={re.escape(old)})", text) if old else ()  # those that overlap, too
            lines = [text.count("\n", 0, hit.start()) + 1 for hit in hits]
            if not lines:
                raise InputError(
                    f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}."
                )
            if len(lines) > 1:
                where = ", ".join(map(str, lines))
                raise InputError(
                    f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {where}. Please ensure it is unique"
                )
            line = lines[0]
            return text.replace(old, command.new_str or "")

        name = _name(command.path)
        written = self._notes.change(name, patch)
        now = _numbered(self._notes.read(name).split("\n"), max(1, line - _AROUND), line + _AROUND)
        changed = (
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        )
        return _with_notice(f"{changed}\n{now}", written.notice)

    def insert(self, command: beta.BetaMemoryTool20250818InsertCommand) -> str:
        """Puts lines below a line of a note; 0 is before the first."""

        def patch(text: str) -> str:
            lines = text.removesuffix("\n").split("\n") if text else []
            if not 0 <= command.insert_line <= len(lines):
                raise InputError(
                    f"Invalid `insert_line` parameter: {command.insert_line}. It should be within the range [0, {len(lines)}]."
                )
            lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
            return "\n".join(lines) + "\n"

        written = self._notes.change(_name(command.path), patch)
        return _with_notice(f"The file {command.path} has been edited.", written.notice)

    def delete(self, command: beta.BetaMemoryTool20250818DeleteCommand) -> str:
        """Moves a note, or those of a folder, to the archive."""
        written = self._notes.forget(_name(command.path))
        return _with_notice(f"Successfully deleted {command.path}", written.notice)

    def rename(self, command: beta.BetaMemoryTool20250818RenameCommand) -> str:
        """Gives a note, or a folder, another name."""
        written = self._notes.rename(_name(command.old_path), _name(command.new_path))
        return _with_notice(f"Successfully renamed {command.old_path} to {command.new_path}", written.notice)


def _name(path: str) -> str:
    """The name of what a path below `/memories` stands for; empty for `/memories` itself."""
    if path != _ROOT and not path.startswith(f"{_ROOT}/"):
        raise InputError(f"Path must start with {_ROOT}, got: {path}")
    return path[len(_ROOT) + 1 :].rstrip("/")


def _levels(notes: Sequence[AgentNote], folder: str) -> Iterator[tuple[str, int]]:
    """What is listed of the notes in a folder, with sizes: itself, then notes and folders in the order of their names."""
    sizes = {"": 0}
    for note in notes:
        parts = note.name[len(folder) :].strip("/").split("/")
        size = len(note.text.encode("utf-8", "replace"))
        for depth in range(min(len(parts), _DEPTH) + 1):
            below = "".join(f"/{part}" for part in parts[:depth])
            key = f"{below}/" if depth and depth < len(parts) else below
            sizes[key] = sizes.get(key, 0) + size
    yield from sorted(sizes.items())


def _size(size: int) -> str:
    unit, name = next((each for each in _SIZES if size >= each[0]), _SIZES[-1])
    return f"{size / unit:.1f}".removesuffix(".0") + name


def _numbered(lines: Sequence[str], first: int, last: int) -> str:
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines[first - 1 : last], first))


def _with_notice(answer: str, notice: str) -> str:
    return f"{answer}\n({notice})" if notice else answer
