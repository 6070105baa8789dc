"""Brings over what another program holds: conversations become logs, memories wait for a person, notes are copied.

The source is only read. What is in the vault already, was decided or was erased does not come again, so an import that was
interrupted is simply made again, and one of a newer export brings only what is new in it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any

from memoryclaw.capture.capture import CaptureResult, Recorder
from memoryclaw.capture.log_records import strip_marks
from memoryclaw.connect.aider import AIDER
from memoryclaw.connect.archives import Part, parts_of, whole
from memoryclaw.connect.chatgpt import CHATGPT
from memoryclaw.connect.claude import CLAUDE
from memoryclaw.connect.mem0 import MEM0
from memoryclaw.connect.memory_file import is_ours
from memoryclaw.connect.proposing import ImportCandidate, Proposed, candidates, offer
from memoryclaw.connect.sources import OTHER_FORM, BytesRead, HostConversation, Memory, Source
from memoryclaw.consolidation.actions import IMPORTED, NewFile
from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.model import Problem
from memoryclaw.ports import Progress
from memoryclaw.text.encoding import decode, encode, readable
from memoryclaw.text.prompts import one_line
from memoryclaw.vault import files
from memoryclaw.vault.layout import safe_path, slug
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.tombstones import SENTENCE, Tombstones
from memoryclaw.writing.writer import Edit, write

OURS = "written by MemoryClaw itself"
TURNS = 2000  # that are captured at once
_FILES = 200  # that are copied in one commit


def read_note(form: str, part: Part, advance: BytesRead) -> Iterator[Memory]:
    """A file of Markdown as one memory."""
    yield Memory(readable(decode(whole(part)).text), part.name, form=form)
    advance(part.size)


_MARKDOWN = re.compile(r"\.(?:md|markdown)$", re.IGNORECASE)
BASIC_MEMORY = Source("basic-memory", "Basic Memory", _MARKDOWN, partial(read_note, "note"))
MEMORY_MD = Source("memory-md", "", _MARKDOWN, partial(read_note, "lines"))
SOURCES = {source.name: source for source in (CHATGPT, CLAUDE, AIDER, MEM0, BASIC_MEMORY, MEMORY_MD)}
MARKDOWN, _NOTES = "markdown", re.compile(r"\.md$", re.IGNORECASE)
_OTHERS = "files that hold neither conversations nor memories"
KINDS = (*SOURCES, MARKDOWN)


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


class SourceReading:
    """What a source holds, read once: its conversations go to the logs, some thousand turns at a time, and its memories come back."""

    def __init__(self, recorder: Recorder, *, keep: bool = True) -> None:
        self._recorder, self.keep = recorder, keep
        self._waiting: list[HostConversation] = []
        self.left_out: Counter[str] = Counter()
        self.problems: list[Problem] = []
        self.conversations: list[ImportedConversation] = []
        self.totals: Counter[str] = Counter()
        self.notices: dict[str, None] = {}  # in their order

    def parts(self, source: str, pattern: re.Pattern[str], none: str, others: str) -> list[Part]:
        """The files of a source that are read; the others are counted. Raises InputError: there are none."""
        parts = parts_of(source)
        wanted = [part for part in parts if pattern.search(part.name)]
        if not wanted:
            raise InputError(f"there {none} in {source}; nothing was imported")
        if len(parts) > len(wanted):
            self.left_out[others] += len(parts) - len(wanted)
        return wanted

    def run(self, source: Source, parts: Sequence[Part], progress: Progress | None) -> list[Memory]:
        """Reads all parts; returns their memories."""
        total, read = sum(conversation.size for conversation in parts), Counter[str]()
        memories: list[Memory] = []

        def advance(count: int) -> None:
            read["bytes"] += count
            if progress:
                progress(read["bytes"], total)

        for conversation in parts:
            for item in source.read(conversation, advance):
                if isinstance(item, str):
                    self.left_out[item] += 1
                elif isinstance(item, Problem):
                    self.problems.append(item)
                elif isinstance(item, Memory):
                    memories.append(item)
                else:
                    self._waiting.append(item)
                    if sum(len(talk.turns) for talk in self._waiting) >= TURNS:
                        self._capture()
        self._capture()
        return memories

    def _capture(self) -> None:
        """Keeps the conversations that wait; each turn is durable before more are read."""
        waiting, self._waiting = self._waiting, []
        turns = [turn for talk in waiting for turn in talk.turns]
        acks: list[CaptureResult] = []
        for start in range(0, len(turns), TURNS):
            acks += self._recorder.capture(turns[start : start + TURNS], keep=self.keep)
        end = 0
        for talk in waiting:
            start, end = end, end + len(talk.turns)
            self._count(talk, acks[start:end])

    def _count(self, talk: HostConversation, acks: Sequence[CaptureResult]) -> None:
        self.left_out.update(ack.left_out for ack in acks if ack.left_out)
        if not acks:
            self.left_out["conversations without a word"] += 1
            return
        what = "lines" if talk.places else "turns"
        for n, ack in enumerate(acks):
            if not ack.ok:
                place = talk.places[n] if talk.places else (f"{talk.session}, message {n + 1}", 1)
                self.problems.append(Problem(*place, ack.error, f"the other {what} were imported"))
        new = sum(ack.ok and not ack.again and not ack.left_out for ack in acks)
        times = [str(turn["ts"]) for turn in talk.turns if not isinstance(turn, str) and turn.get("ts")]
        first, last = min(times, default=""), max(times, default="")
        self.conversations.append(ImportedConversation(talk.session, talk.title, first, last, len(acks), new))
        again, redacted = sum(ack.again for ack in acks), sum(ack.redacted for ack in acks)
        self.totals.update(turns=len(acks), added=new, again=again, redacted=redacted)


def import_export(
    context: WriteContext,
    recorder: Recorder,
    kind: str,
    source: str,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ImportedExport:
    """Brings over what another program exported. Raises InputError: there is no such source, or it is not what it is said to be.

    Args:
        dry_run: only tell what would come.
        progress: told (done, total) in bytes of the files that are read.
    """
    if kind not in KINDS:
        raise InputError(f"{kind!r} cannot be imported; choose one of {', '.join(KINDS)}")
    source = os.path.abspath(os.path.expanduser(source))
    root = os.path.realpath(context.root)
    if os.path.realpath(source) == root or os.path.realpath(source).startswith(f"{root}{os.sep}"):
        raise InputError(f"{source} lies in the vault, where everything is searched already")
    if os.path.isdir(source) and root.startswith(f"{os.path.realpath(source).rstrip(os.sep)}{os.sep}"):
        raise InputError(f"the vault itself lies in {source}; name the folder to import")
    reading = SourceReading(recorder, keep=not dry_run)
    work = _copied if kind == MARKDOWN else partial(_exported, SOURCES[kind])
    outcome = work(context, reading, source, progress or (lambda _done, _total: None))
    gate = context.gate.notice
    return ImportedExport(
        kind,
        source,
        dry_run,
        tuple(reading.conversations),
        left_out=dict(sorted(reading.left_out.items())),
        problems=tuple(reading.problems),
        **{**reading.totals, **outcome, "notices": (*reading.notices, *([gate] if gate else []))},
    )


def _exported(
    program: Source, context: WriteContext, reading: SourceReading, source: str, progress: Progress
) -> dict[str, Any]:
    """Captures the conversations, and proposes the memories."""
    within = os.path.join(source, program.file)
    source = within if program.file and os.path.isfile(within) else source
    is_export = program.files is not _MARKDOWN
    none = f"is no {program.owner} export" if is_export else "are no Markdown files"
    # A file that was named by itself is one, whatever it is called.
    named = is_export and os.path.isfile(source) and not source.lower().endswith(".zip")
    parts = reading.parts(source, re.compile("") if named else program.files, none, _OTHERS)
    memories = reading.run(program, parts, progress)
    if reading.left_out[OTHER_FORM] and not (memories or reading.conversations or reading.problems):
        sentence = f"nothing in {source} is written as {program.owner} exports it"
        raise InputError(f"{sentence}; nothing was imported. Is it from another program?")
    title = clean_name(_folder(source), context.gate.text)
    program = program._replace(owner=program.owner or title)
    offers = [
        each for memory in memories for each in proposals_of(context, memory, program, reading.left_out)
    ]
    outcome = offer(context, offers, title, dry_run=not reading.keep)
    reading.notices |= dict.fromkeys(outcome.notices)
    return outcome._asdict()


def proposals_of(
    context: WriteContext, memory: Memory, program: Source, left_out: Counter[str]
) -> list[ImportCandidate]:
    """A memory, without what must not reach the disk, as what a person may say yes to."""
    if is_ours(memory.text):
        left_out[OURS] += 1
        return []
    marked, clean = strip_marks(memory.text), context.gate.text
    left_out.update(["marked [NOMEM]"] * marked.unlogged)
    text = clean(marked.text)
    if not text.strip():
        return []
    is_file = memory.form in ("lines", "dated", "note")
    name = clean_name(memory.source, clean) if is_file else clean(memory.source)
    if memory.form == "note":
        note = NewFile(f"{IMPORTED}{_clean_path(memory.source, clean)}", text)
        title = one_line(name.rpartition("/")[2].rpartition(".")[0])
        change = PlannedChange("note", title, (note,), reason=f"it stood in {program.owner}'s {name}")
        return [ImportCandidate(change, name)]
    title, entity, tags = clean(memory.title), clean(memory.entity), tuple(map(clean, memory.tags))
    memory = memory._replace(text=text, source=name, title=title, entity=entity, tags=tags)
    return candidates(memory, program, context.templates.render, private=strip_marks(text).private)


# Notes are copied as they are, below `notes/`: they are the person's own, and one undo takes all of them back.


def _copied(context: WriteContext, reading: SourceReading, source: str, progress: Progress) -> dict[str, Any]:
    parts = reading.parts(source, _NOTES, "are no Markdown files", "files that are not Markdown")
    title, clean = _folder(source), context.gate.text
    folder = "notes" if os.path.isfile(source) else f"notes/{_clean_path(title, clean)}"
    run, commit, paths = context.run("import"), "", list[str]()
    notes = _new_notes(context, reading, parts, folder, progress)
    while batch := list(islice(notes, _FILES)):
        new = [path for path, _ in batch]
        paths += new
        if reading.keep:
            about = {"count": len(new), "title": clean_name(title, clean), "files": new}
            message = context.message("import-notes", run=run, **about)
            edits = [
                Edit(path, partial(lambda data, now: data if now is None else now, data))
                for path, data in batch
            ]
            outcome = write(context.root, edits, message, verb="import", now=context.now)
            commit = outcome.commit or commit
            reading.notices |= {outcome.notice: None} if outcome.notice else {}
    return {"notes": tuple(paths), "commit": commit}


def _new_notes(
    context: WriteContext, reading: SourceReading, parts: Sequence[Part], folder: str, progress: Progress
) -> Iterator[tuple[str, bytes]]:
    """The notes that may come, without their secrets; of the others it is told why not."""
    erased, paths = Tombstones.of(context), set[str]()
    for number, part in enumerate(parts, 1):
        path = safe_path(f"{folder}/{_clean_path(part.name, context.gate.text)}")
        data = whole(part)
        file = decode(data)
        text = context.gate.text(file.text)
        data = data if text == file.text else encode(file._replace(text=text))
        if is_ours(file.text):
            reading.left_out[OURS] += 1
        elif erased.text(readable(text)):
            reading.notices[f"{part.name} was left out: {SENTENCE}"] = None
        elif path in paths:
            reason = "has the name of another note once it is spelt for a vault; it was left out"
            reading.notices[f"{part.name} {reason}"] = None
        elif files.exists(context.root, path):
            reading.totals["known"] += 1
            if files.read_file(context.root, path).data != data:
                reason = "is there already and says something else; it was left as it is"
                reading.notices[f"{path} {reason}"] = None
        else:
            paths.add(path)
            yield path, data
        progress(number, len(parts))


def _folder(source: str) -> str:
    return os.path.basename(source.rstrip(os.sep)) or "import"


def clean_name(name: str, clean: Callable[[str], str]) -> str:
    """The name of a file of the source without its secrets: each of its parts is a text of its own."""
    return "/".join(clean(stem := part.removesuffix(".md")) + part[len(stem) :] for part in name.split("/"))


def _clean_path(name: str, clean: Callable[[str], str]) -> str:
    """A path below a folder of the vault; a part that holds a secret is written in plain letters without it."""
    names = zip(name.split("/"), clean_name(name, clean).split("/"), strict=True)
    return "/".join(_safe_part(part) if plain == part else _plain_part(plain) for part, plain in names)


def _safe_part(part: str) -> str:
    if part.isprintable():
        with suppress(InputError, UnicodeEncodeError):
            part.encode()
            return safe_path(part)
    return _plain_part(part)


def _plain_part(part: str) -> str:
    stem, dot, suffix = part.rpartition(".")
    return f"{slug(stem)}.{suffix}" if dot and suffix.isalnum() else slug(part)
