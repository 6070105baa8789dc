"""Brings over what another program holds: conversations become logs, memories wait for a person, notes are copied.

The source is only read. What is in the vault already, was decided or was erased does not come again, so an import that was
interrupted is simply made again, and one of a newer export brings only what is new in it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from memoryclaw.capture.capture import CaptureResult, Recorder
from memoryclaw.capture.log_records import strip_marks
from memoryclaw.connect.archives import Part, items, parts_of, whole
from memoryclaw.connect.curated import Host, ImportCandidate, curated, passage
from memoryclaw.connect.exports import (
    CHATGPT,
    CLAUDE,
    MEM0,
    OWNER_OF,
    ExportedConversation,
    Memory,
    read_value,
)
from memoryclaw.connect.memory_file import is_ours
from memoryclaw.connect.proposing import Fresh, Proposed, proposal_json, propose
from memoryclaw.consolidation.actions import IMPORTED, AddPending, NewFile
from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.errors import InputError
from memoryclaw.model import OWNER, Problem
from memoryclaw.ports import Progress
from memoryclaw.text.encoding import decode, encode, readable
from memoryclaw.text.prompts import one_line
from memoryclaw.vault import files
from memoryclaw.vault.layout import safe_path, slug
from memoryclaw.writing.context import WriteContext, fact_in_words
from memoryclaw.writing.tombstones import SENTENCE, Tombstones
from memoryclaw.writing.writer import Edit, write

BASIC_MEMORY, MEMORY_MD, MARKDOWN = "basic-memory", "memory-md", "markdown"
KINDS = (CHATGPT, CLAUDE, MEM0, BASIC_MEMORY, MEMORY_MD, MARKDOWN)
_TURNS = 2000  # that are captured at once
_FILES = 200  # that are copied in one commit
_SENTENCE = 400  # characters of a memory that is kept as a statement; a longer one is a note
_WANTED = {
    CHATGPT: re.compile(r"(?:^|/)conversations(?:[-_]\d+)?\.json$", re.IGNORECASE),
    CLAUDE: re.compile(
        r"(?:^|/)(?:(?:conversations|memories|projects)(?:[-_]\d+)?|(?:conversations|memories|projects)/[^/]+)\.json$",
        re.IGNORECASE,
    ),
    MEM0: re.compile(r"\.json$", re.IGNORECASE),
}


class ImportedConversation(NamedTuple):
    """What becomes of one conversation."""

    session: str
    title: str
    first: str = ""  # the time of its first turn, and of its last
    last: str = ""
    turns: int = 0
    new: int = 0


class ImportedExport(NamedTuple):
    """What an import did, or would do."""

    kind: str
    source: str
    dry_run: bool
    conversations: tuple[ImportedConversation, ...] = ()
    turns: int = 0
    added: int = 0
    again: int = 0  # turns that were here already
    redacted: int = 0
    proposed: tuple[Proposed, ...] = ()
    notes: tuple[str, ...] = ()  # the paths of copied notes
    known: int = 0  # memories and notes that were here, or decided on, already
    left_out: dict[str, int] = {}  # noqa: RUF012 - why → how much of it
    commit: str = ""  # the last one
    problems: tuple[Problem, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def is_new(self) -> bool:
        """True when there is anything to bring over."""
        return bool(self.added or self.proposed or self.notes)


def import_export(
    context: WriteContext,
    recorder: Recorder,
    kind: str,
    source: str,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ImportedExport:
    """Brings over what another program exported.

    Args:
        dry_run: only tell what would come.
        progress: told (done, total) in bytes of the files that are read.

    Raises:
        InputError: there is no such source, or it is not what it is said to be.
    """
    if kind not in KINDS:
        raise InputError(f"{kind!r} cannot be imported; it is one of {', '.join(KINDS)}")
    source = os.path.abspath(os.path.expanduser(source))
    root = os.path.realpath(context.root)
    if os.path.realpath(source) == root or os.path.realpath(source).startswith(f"{root}{os.sep}"):
        raise InputError(f"{source} lies in the vault, where everything is searched already")
    if os.path.isdir(source) and root.startswith(f"{os.path.realpath(source).rstrip(os.sep)}{os.sep}"):
        raise InputError(f"the vault itself lies in {source}; name the folder that is to be brought over")
    work = _Import(context, recorder, kind, source, dry_run=dry_run, progress=progress)
    return work.notes() if kind == MARKDOWN else work.export()


class _Import:
    """One import under way."""

    def __init__(
        self,
        context: WriteContext,
        recorder: Recorder,
        kind: str,
        source: str,
        *,
        dry_run: bool,
        progress: Progress | None,
    ) -> None:
        self._context, self._recorder = context, recorder
        self._kind, self._source, self._dry_run = kind, source, dry_run
        self._progress = progress or (lambda _done, _total: None)
        self._done_with = self._total = 0  # bytes
        self._left_out: Counter[str] = Counter()
        self._problems: list[Problem] = []
        self._notices: list[str] = []
        self._conversations: list[ImportedConversation] = []
        self._totals: Counter[str] = Counter()

    # ── Conversations and memories

    def export(self) -> ImportedExport:
        """Captures the conversations, and proposes the memories."""
        candidates: list[ImportCandidate] = []
        parts = self._wanted(parts_of(self._source))
        waiting: list[ExportedConversation] = []
        read, known = 0, False
        self._total = sum(part.size for part in parts)
        for part in parts:
            for found in self._read(part):
                if isinstance(found, Problem):
                    self._problems.append(found)
                    continue
                read += 1
                if isinstance(found, ExportedConversation):
                    known = True
                    waiting.append(found)
                    if sum(len(one.turns) for one in waiting) >= _TURNS:
                        self._capture(waiting)
                        waiting = []
                elif found or self._kind not in _WANTED:
                    known = True
                    candidates += found
        self._capture(waiting)
        if not known and not self._problems and read:
            self._refuse()
        return self._proposed(candidates)

    def _refuse(self) -> None:
        owner = OWNER_OF.get(self._kind, self._kind)
        raise InputError(
            f"nothing in {self._source} is written as {owner} exports it; nothing was imported. Is it of another program?"
        )

    def _wanted(self, parts: Sequence[Part]) -> list[Part]:
        """The parts that hold memories; a file that was named by itself does, whatever it is called."""
        if self._kind in _WANTED:
            pattern = _WANTED[self._kind]
            found = [part for part in parts if pattern.search(part.name)]
            if len(parts) == 1 and os.path.isfile(self._source) and not self._source.lower().endswith(".zip"):
                found = list(parts)
        else:
            found = [part for part in parts if part.name.lower().endswith((".md", ".markdown"))]
        if not found:
            what = "Markdown files" if self._kind not in _WANTED else f"{OWNER_OF[self._kind]} export"
            raise InputError(f"there is no {what} in {self._source}; nothing was imported")
        others = len(parts) - len(found)
        if others:
            self._left_out["files that hold neither conversations nor memories"] += others
        return found

    def _read(self, part: Part) -> Iterator[ExportedConversation | list[ImportCandidate] | Problem]:
        """What a part holds: conversations as they come, and its memories as candidates; an empty list for what is neither."""
        if self._kind in (BASIC_MEMORY, MEMORY_MD):
            yield self._markdown(part)
            self._told(part.size)
            return
        for value in items(part, self._told):
            if isinstance(value, Problem):
                yield value
                continue
            # mem0 writes its list of memories in an object, or bare.
            found = read_value(self._kind, value, part.name)
            if not found.known:
                self._left_out["of another form than this program writes"] += 1
                yield []
            yield from found.conversations
            if found.memories:
                yield [each for one in found.memories for each in self._candidates(one)]

    def _told(self, count: int) -> None:
        self._done_with += count
        self._progress(self._done_with, self._total)

    def _markdown(self, part: Part) -> list[ImportCandidate]:
        text = readable(decode(whole(part)).text)
        if is_ours(text):
            self._left_out["written by MemoryClaw itself"] += 1
            return []
        said = self._kept(text)
        if not said.strip():
            return []
        name = self._name(part.name)
        render = self._context.templates.render
        if self._kind == MEMORY_MD:
            source = self._name(_folder(self._source))
            return curated(name, said, render, Host("memory-md", f"{source}'s"))
        path = f"{IMPORTED}{self._path(part.name)}"
        title = one_line(name.rpartition("/")[2].rpartition(".")[0])
        change = PlannedChange(
            "note", title, (NewFile(path, said),), reason=f"it stood in Basic Memory's {name}"
        )
        return [ImportCandidate(change, name)]

    def _candidates(self, memory: Memory) -> list[ImportCandidate]:
        """A memory as what a person may say yes to."""
        text = self._kept(memory.text)
        if not text.strip():
            return []
        clean = self._context.gate.text
        memory = memory._replace(
            title=clean(memory.title),
            entity=clean(memory.entity),
            source=clean(memory.source),
            tags=tuple(map(clean, memory.tags)),
        )
        host = Host(self._kind, f"{OWNER_OF[self._kind]}'s")
        render = self._context.templates.render
        flat = " ".join(text.split())
        if memory.curated:
            headed = text if text.lstrip().startswith("#") else f"# {memory.title}\n\n{text}"
            found = curated(memory.source, headed, render, host, numbered=False)
            return [ImportCandidate(_dated(one.change, memory), memory.source) for one in found]
        if memory.title or "\n" in text.strip() or len(flat) > _SENTENCE:
            return [passage(memory.source, memory.title, text, render, host)]
        tags = f" ({', '.join(map(one_line, memory.tags))})" if memory.tags else ""
        label = OWNER if strip_marks(text).private else ""
        action = AddPending(
            memory.entity,
            "",
            flat,
            "medium",
            "",
            f"it stood in {host.called} {memory.source}{tags}",
            since=memory.day,
            audience=label,
        )
        title = fact_in_words(memory.entity, "", flat)
        return [ImportCandidate(PlannedChange("pending", title, (action,)), memory.source)]

    def _name(self, name: str) -> str:
        """The name of a file of the source without its secrets: each of its parts is a text of its own."""
        clean = self._context.gate.text
        return "/".join(
            clean(stem := part.removesuffix(".md")) + part[len(stem) :] for part in name.split("/")
        )

    def _path(self, name: str) -> str:
        """A path below a folder of the vault; a part that holds a secret is written in plain letters without it."""
        parts = zip(name.split("/"), self._name(name).split("/"), strict=True)
        return "/".join(_safe_part(part) if clean == part else _plain_part(clean) for part, clean in parts)

    def _kept(self, text: str) -> str:
        """A text without what must not reach the disk: marked parts, and secrets."""
        found = strip_marks(text)
        if found.unlogged:
            self._left_out["marked [NOMEM]"] += 1
            return ""
        return self._context.gate.text(found.text)

    def _capture(self, conversations: Sequence[ExportedConversation]) -> None:
        """Keeps some conversations; each turn is durable before the next batch is read."""
        turns = [turn for one in conversations for turn in _with_topic(one)]
        acks: list[CaptureResult] = []
        for start in range(0, len(turns), _TURNS):
            acks += self._recorder.capture(turns[start : start + _TURNS], keep=not self._dry_run)
        at = 0
        for one in conversations:
            mine = acks[at : at + len(one.turns)]
            at += len(one.turns)
            self._left_out.update(one.left_out)
            self._left_out.update(ack.left_out for ack in mine if ack.left_out)
            if not mine:
                self._left_out["conversations without a word"] += 1
                continue
            where = f"{one.session}, message"
            self._problems += [
                Problem(f"{where} {n}", 1, ack.error, "the other turns were imported")
                for n, ack in enumerate(mine, 1)
                if not ack.ok
            ]
            new = sum(ack.ok and not ack.again and not ack.left_out for ack in mine)
            times = [str(turn["ts"]) for turn in one.turns if turn.get("ts")]
            told = ImportedConversation(
                one.session, one.title, min(times, default=""), max(times, default=""), len(mine), new
            )
            self._conversations.append(told)
            self._totals.update(
                turns=len(mine),
                added=new,
                again=sum(ack.again for ack in mine),
                redacted=sum(ack.redacted for ack in mine),
            )

    def _proposed(self, candidates: Iterable[ImportCandidate]) -> ImportedExport:
        fresh = Fresh(self._context)
        every = list(candidates)
        new = [one for one in every if fresh.is_new(one)]
        commit = ""
        if new and not self._dry_run:
            commit, notice = propose(
                self._context, new, "import-memories", title=self._name(_folder(self._source))
            )
            self._notices += [notice] if notice else []
        self._notices += dict.fromkeys(fresh.notices)
        return self._done()._replace(
            proposed=tuple(map(proposal_json, new)), known=len(every) - len(new), commit=commit
        )

    def _done(self) -> ImportedExport:
        gate = self._context.gate.notice
        return ImportedExport(
            self._kind,
            self._source,
            self._dry_run,
            tuple(self._conversations),
            left_out=dict(sorted(self._left_out.items())),
            problems=tuple(self._problems),
            notices=(*self._notices, *([gate] if gate else [])),
            **dict(self._totals),  # type: ignore[arg-type]
        )

    # ── Notes

    def notes(self) -> ImportedExport:
        """Copies notes as they are, below `notes/`: they are the person's own, and one undo takes all of them back."""
        parts = parts_of(self._source)
        wanted = [part for part in parts if part.name.lower().endswith(".md")]
        if not wanted:
            raise InputError(f"there are no Markdown files in {self._source}; nothing was imported")
        if len(parts) > len(wanted):
            self._left_out["files that are not Markdown"] += len(parts) - len(wanted)
        folder = "notes" if os.path.isfile(self._source) else f"notes/{self._path(_folder(self._source))}"
        run, erased, known = self._context.run("import"), Tombstones.of(self._context), 0
        copied: dict[str, None] = {}
        waiting: list[tuple[str, bytes]] = []
        commit = ""
        for number, part in enumerate(wanted, 1):
            path = f"{folder}/{self._path(part.name)}"
            data = self._note(part, path, erased)
            if data is not None and path in copied:
                self._notices.append(
                    f"{part.name} has the name of another note once it is spelt for a vault; it was left out"
                )
            elif data is None:
                known += int(files.exists(self._context.root, path))
            else:
                waiting.append((path, data))
                copied[path] = None
            if not self._dry_run and waiting and (len(waiting) == _FILES or number == len(wanted)):
                commit = self._copy(waiting, run) or commit
                waiting = []
            self._progress(number, len(wanted))
        if waiting and not self._dry_run:
            commit = self._copy(waiting, run) or commit
        return self._done()._replace(notes=tuple(copied), known=known, commit=commit)

    def _note(self, part: Part, path: str, erased: Tombstones) -> bytes | None:
        """The bytes of a note that may come, without its secrets; else None, and why is told."""
        data = whole(part)
        file = decode(data)
        if is_ours(file.text):
            self._left_out["written by MemoryClaw itself"] += 1
            return None
        clean = self._context.gate.text(file.text)
        if clean != file.text:
            data = encode(file._replace(text=clean))
        if erased.text(readable(clean)):
            self._notices.append(f"{part.name} was left out: {SENTENCE}")
            return None
        safe_path(path)
        if not files.exists(self._context.root, path):
            return data
        if files.read_file(self._context.root, path).data != data:
            self._notices.append(f"{path} is there already and says something else; it was left as it is")
        return None

    def _copy(self, waiting: Sequence[tuple[str, bytes]], run: str) -> str:
        edits = [Edit(path, _only_new(data)) for path, data in waiting]

        def message() -> str:
            return self._context.templates.commit_message(
                "import-notes",
                run=run,
                count=len(waiting),
                title=self._name(_folder(self._source)),
                files=[path for path, _ in waiting],
            )

        outcome = write(self._context.root, edits, message, verb="import", now=self._context.now)
        if outcome.notice and outcome.notice not in self._notices:
            self._notices.append(outcome.notice)
        return outcome.commit


def _dated(change: PlannedChange, memory: Memory) -> PlannedChange:
    """A change whose facts are as old as the memory."""
    actions = (
        replace(one, since=memory.day) if isinstance(one, AddPending) else one for one in change.actions
    )
    return change._replace(actions=tuple(actions))


def _only_new(data: bytes) -> Callable[[bytes | None], bytes]:
    return lambda now: data if now is None else now


def _folder(source: str) -> str:
    return os.path.basename(source.rstrip(os.sep)) or "import"


def _safe_part(part: str) -> str:
    if part.isprintable():
        with suppress(InputError, UnicodeEncodeError):
            part.encode()
            return safe_path(part)
    return _plain_part(part)


def _plain_part(part: str) -> str:
    stem, dot, suffix = part.rpartition(".")
    return f"{slug(stem)}.{suffix}" if dot and suffix.isalnum() else slug(part)


def _with_topic(talk: ExportedConversation) -> list[dict[str, Any]]:
    """The turns of a conversation, the first with what it was called."""
    return [
        turn | ({"topic": talk.title} if talk.title and not at else {}) for at, turn in enumerate(talk.turns)
    ]
