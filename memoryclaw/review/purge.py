"""purge: erases what a person names, and all that was made of it, in every file of the vault; plans it first. Nothing brings it back.

What was said goes downwards: with a turn go the lines of episodes that quote it and the facts that rest on nothing else. A fact takes
along the words that say it, in the lines that it came from, and nothing else of these lines.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import date
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from memoryclaw.capture.log_records import ARTIFACTS, file_stem
from memoryclaw.consolidation.changes import RUNS
from memoryclaw.consolidation.pending import (
    PENDING_FILE,
    PendingFact,
    read_pending,
    remove_pending,
    waiting_id,
)
from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.model import Fact, Turn
from memoryclaw.ports import Address
from memoryclaw.text.encoding import decode, encode, json_object, lines_of, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.memory_lines import BULLET, read_line
from memoryclaw.text.needles import GONE, Needles, normal, phrases, plain_words, tells
from memoryclaw.vault import files
from memoryclaw.vault.edits import SemanticFile, Sheet, Splice, apply_splices, line_end, remove_fact, same
from memoryclaw.vault.fields import facts_of_note
from memoryclaw.vault.files import folder_lock, writer_lock
from memoryclaw.vault.forgotten import (
    FORGOTTEN,
    REVIVED,
    ForgottenMark,
    marks_in,
    place_of_words,
    without_lines,
)
from memoryclaw.vault.layout import DECISIONS_FILE, slug, timestamp
from memoryclaw.vault.logs import LogRange, parse_ranges, range_of, whole_lines
from memoryclaw.vault.properties import text_of
from memoryclaw.writing.context import WriteContext, fact_in_words
from memoryclaw.writing.decisions import PURGED, Decision, fingerprint
from memoryclaw.writing.edit import FactRemoval
from memoryclaw.writing.provenance import ADDED, EpisodeFile, ProvenanceFinder, QuotedLine, SourcedFact
from memoryclaw.writing.tombstones import of_fact, of_text, of_turn, text_of_record
from memoryclaw.writing.writer import Edit, recover, write

Transform = Callable[[bytes], bytes | None]  # of a file's bytes, as they are or once were; None: no such file
_WAS = re.compile(r" \(was: ([^\n]{0,200}?)\)$")
_TEXTS = (".md", ".json", ".jsonl", ".yaml")
_DATED = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_")  # the beginning of a name that MemoryClaw gives
_SAID = 3  # words of a line or a value that is looked for elsewhere, where nobody named it
_ARTIFACT = re.compile(rf"{ARTIFACTS}/([0-9a-f]{{64}})")
_LEVEL = re.compile(r"#{1,6}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PLACES = (
    ("semantic/_pending.md", "review"), ("review/decisions.jsonl", "decisions"), ("review/", "review"), ("archive/review/", "review"),
    ("archive/", "archive"), ("logs/artifacts/", "artifacts"), ("logs/", "logs"), ("working/", "working memory"),
    ("ledger/", "ledger"), ("runs/", "run records"), ("skills/_drafts/", "drafts"), ("semantic/", "facts"), ("views/", "views"),
)  # fmt: skip
PLACES = ("notes", "facts", "logs", "artifacts", "archive", "working memory", "ledger", "run records", "review", "drafts", "views", "decisions")  # fmt: skip


class PurgeRequest(NamedTuple):
    """What a person wants gone: by ids, by where it comes from, or from a day on."""

    ids: tuple[str, ...] = ()
    source: str = ""
    since: str = ""


class Emptied(NamedTuple):
    """A file that is emptied: the place it belongs to, how many of its lines go, and whether all of it goes."""

    place: str
    path: str
    lines: int
    whole: bool = False


class PurgePlan(NamedTuple):
    """What would be erased, and what is to be looked for afterwards."""

    emptied: tuple[Emptied, ...]
    needles: tuple[str, ...]
    digests: tuple[str, ...]
    transforms: Mapping[str, Transform]
    renames: Mapping[str, str]  # path → path; its name said what is erased
    replaced: Mapping[str, str]  # ids, ranges and titles → what stands for them
    lines: Mapping[str, Sequence[int]] = MappingProxyType({})  # log → its lines of which something goes


def place_name(path: str) -> str:
    """The place that a file of the vault belongs to."""
    return next((name for start, name in _PLACES if path.startswith(start)), "notes")


def plan_purge(context: WriteContext, request: PurgeRequest, *, again: bool = False) -> PurgePlan:
    """What a purge would erase; nothing is written.

    Args:
        context: the vault and the moment.
        request: what is to go.
        again: the purge was begun before, so what is gone already is no mistake.

    Raises:
        NotFoundError: nothing in the vault has one of the ids, or comes from there.
        InputError: `since` is no day, or nothing at all is asked for.
    """
    if not (request.ids or request.source or request.since):
        raise InputError("say what to purge: an id, --source or --since")
    found = _Collected(context)
    for id_ in request.ids:
        found.named(id_, again=again)
    if request.source:
        found.from_source(request.source)
    if request.since:
        found.since(_day(request.since))
    plan = _Planned(context, found).plan()
    if not plan.emptied and not again:
        where = f"comes from {request.source!r}" if request.source else f"is of {request.since} or later"
        raise NotFoundError(f"nothing in the vault {where}")
    return plan


def purge(
    context: WriteContext,
    request: PurgeRequest,
    prepare: Callable[[PurgePlan], None],
    *,
    again: bool = False,
) -> tuple[PurgePlan, str]:
    """Erases it in all files of the vault, one commit of those that git holds; returns the plan and the commit.

    `prepare` is given the plan before the first file changes.
    """
    with ExitStack() as held:
        held.enter_context(writer_lock(context.root))
        held.enter_context(folder_lock(context.root, "working"))
        held.enter_context(folder_lock(context.root, "logs"))
        recover(context.root)  # what a killed purge began
        plan = plan_purge(context, request, again=again)
        run = context.run("purge")
        prepare(plan)
        edits = [
            Edit(path, _change(t, path, plan, context), consumes=True) for path, t in plan.transforms.items()
        ]
        edits += [
            Edit(new, _arriving(context, old, plan), consumes=True) for old, new in plan.renames.items()
        ]
        counts = {place: sum(one.place == place for one in plan.emptied) for place in PLACES}

        def message() -> str:
            emptied = [f"{place}: {n} {'files' if n > 1 else 'file'}" for place, n in counts.items() if n]
            return context.templates.commit_message("purge", run=run, emptied=emptied)

        outcome = write(context.root, edits, message, verb="purge", now=context.now)
        return plan, outcome.commit


def _change(
    transform: Transform, path: str, plan: PurgePlan, context: WriteContext
) -> Callable[[bytes | None], bytes | None]:
    def of_bytes(data: bytes | None) -> bytes | None:
        if path in plan.renames:
            return None
        after = None if data is None else transform(data)
        if path == DECISIONS_FILE and plan.digests:
            text = (after or b"").decode("utf-8", "surrogateescape")
            decision = Decision(timestamp(context.now), PURGED, "text", digests=plan.digests)
            text += line_end(text) if text and not text.endswith("\n") else ""
            return (text + decision.line()).encode("utf-8", "surrogateescape")
        return after

    return of_bytes


def _arriving(context: WriteContext, old: str, plan: PurgePlan) -> Callable[[bytes | None], bytes | None]:
    data = files.read_file(context.root, old).data
    return lambda _: plan.transforms[old](data)


def _day(since: str) -> str:
    try:
        return date.fromisoformat(since).isoformat()
    except ValueError:
        raise InputError(f"{since!r} is not a day; write it like 2026-03-01") from None


# What goes: the things that were named, and what was made of them.


class _Collected:
    """Everything that is to go, found by following what rests on what."""

    def __init__(self, context: WriteContext) -> None:
        self.context = context
        self.finder = ProvenanceFinder(context)
        self.pending = read_pending(context.text(PENDING_FILE))
        self.turns: dict[str, dict[int, Turn]] = defaultdict(dict)  # log → line → a turn that goes whole
        self.words: dict[str, dict[int, list[str]]] = defaultdict(
            lambda: defaultdict(list)
        )  # log → line → words that go
        self.quotes: dict[str, dict[int, QuotedLine]] = defaultdict(dict)  # episode → line
        self.notes: dict[str, str] = {}  # path → id of a note that goes whole
        self.facts: dict[tuple[str, str], SourcedFact] = {}
        self.named_facts: dict[tuple[str, str], SourcedFact] = {}
        self.stripped: dict[tuple[str, str], set[str]] = defaultdict(set)  # facts that stay → sources that go
        self.waiting: dict[str, PendingFact] = {}
        self.sessions: dict[str, None] = {}

    def named(self, id_: str, *, again: bool) -> None:
        """One thing by its id, also one in the archive, or one that waits."""
        pending = {fact.id: fact for fact in self.pending}
        if id_ in pending:
            self._waits(pending[id_])
            return
        lookup = self.context.lookup
        found = lookup.resolve(id_) or lookup.resolve(f"archive/{id_}")
        if found is None and again:
            return
        self.address(found or self.context.find(id_))

    def address(self, address: Address) -> None:
        """One thing where it stands."""
        path = address.path
        if address.kind in {"turn", "log"}:
            _, turns = self.finder.turns(path)
            self.say(path, [t for t in turns if address.kind == "log" or t.id == address.id])
        elif address.kind == "todo" or (address.kind == "fact" and self.context.semantic(path).is_note):
            raise InputError(
                f"{address.id} is a line of {path}; take it out there, then purge what it was told in, or purge {address.note}"
            )
        elif address.kind == "fact":
            for fact in self.finder.all_facts:
                if fact.path == path and fact.id == address.id:
                    self.fact(fact)
        elif address.kind == "section":
            raise InputError(f"{address.id} is a section; purge its note, or open {path} and remove it there")
        elif removal := FactRemoval.read(self.context.text(path)):
            self._archived_fact(path, address.id, removal)
        else:
            self.note(path, address.id)

    def note(self, path: str, id_: str) -> None:
        """A whole note: an episode goes with the lines that it was made of, a file of facts with all of them."""
        self.notes[path] = id_
        if path.rpartition("/")[2] == "SKILL.md":
            inside = files.list_files(self.context.root, path.rpartition("/")[0])
            self.notes.update(dict.fromkeys(inside, id_))
        for fact in self.finder.all_facts:
            if fact.path == path:
                self.fact(fact)
        for episode in self.finder.all_episodes:
            if episode.path == path or episode.id == id_:
                for range_ in episode.ranges:
                    _, turns = self.finder.turns(range_.path)
                    self.say(range_.path, [t for t in turns if range_.first <= t.line <= range_.last])
        self._no_source({id_, path.removesuffix(".md")})

    def fact(self, fact: SourcedFact) -> None:
        """A fact with what says it: the lines of episodes that it cites, and its words in the log."""
        self.facts[fact.path, fact.id] = self.named_facts[fact.path, fact.id] = fact
        self._marks(marks_in(self.finder.marks_behind(fact)), [fact.value])
        for other in self.finder.all_facts:  # the same value in History
            if other.path == fact.path and _alike(other, fact):
                self.facts[other.path, other.id] = other

    def _archived_fact(self, path: str, id_: str, removal: FactRemoval) -> None:
        """A fact that was forgotten before: its line is kept in the archive, and a decision names what says it."""
        self.notes[path] = id_
        file = self.context.semantic(removal.origin)
        text = removal.above + removal.removed
        known = [f for f in file.facts(text).facts if f.id == removal.fact] or file.facts(
            removal.removed
        ).facts[-1:]
        values = [fact.value for fact in known]
        for fact in known:
            key = (removal.origin, f"{removal.fact}@{path}")
            self.facts[key] = self.named_facts[key] = SourcedFact(
                removal.origin, removal.fact, fact.entity, fact.field, fact.value, fact.day, False, ()
            )
        for line in self.context.text(DECISIONS_FILE).splitlines():
            decision = json_object(line)
            if decision.get("decision") == FORGOTTEN and decision.get("path") == path:
                self._marks(marks_in(str(mark) for mark in decision.get("lines", ())), values)

    def _marks(self, marks: Iterable[ForgottenMark], values: Sequence[str]) -> None:
        for mark in marks:
            path, first = mark.place.path, mark.place.first
            episode = next((one for one in self.finder.all_episodes if one.path == path), None)
            if episode is not None:
                self._quote(episode, [q for q in episode.quotes if q.number == first])
                continue
            _, turns = self.finder.turns(path)
            for turn in (turn for turn in turns if turn.line == first):
                if mark.end:
                    self.words[path][first].append(turn.text[mark.start : mark.end])
                    self.words[path][first] += [value for value in values if tells(value)]
                else:
                    self.turns[path][first] = turn

    def say(self, path: str, turns: Iterable[Turn]) -> None:
        """Turns of a log, with the lines of episodes that quote them and the facts that rest on nothing else."""
        fresh = [turn for turn in turns if turn.line not in self.turns[path]]
        self.turns[path].update((turn.line, turn) for turn in fresh)
        lines = {turn.line for turn in fresh}
        gone = {turn.id for turn in fresh}
        for episode in self.finder.all_episodes if fresh else ():
            ranges = [r for r in episode.ranges if r.path == path]
            own = {n for n in lines if any(r.first <= n <= r.last for r in ranges)}
            quotes = [quote for quote in episode.quotes if quote.line in own]
            self._quote(episode, quotes)
            gone |= {f"{name}#^{q.block}" for q in quotes for name in _names(episode)}
            if own and not episode.quotes and all(self._is_gone(r) for r in episode.ranges):
                self.notes[episode.path] = episode.id
        self._no_source(gone)

    def lines(self, path: str) -> set[int]:
        """The lines of a log of which something goes."""
        return {*self.turns.get(path, ()), *self.words.get(path, ())}

    def _is_gone(self, range_: LogRange) -> bool:
        _, turns = self.finder.turns(range_.path)
        return all(t.line in self.turns[range_.path] for t in turns if range_.first <= t.line <= range_.last)

    def _quote(self, episode: EpisodeFile, quotes: Iterable[QuotedLine]) -> None:
        """Lines of an episode; with the last of them the episode goes."""
        if found := {quote.number: quote for quote in quotes}:
            self.quotes[episode.path].update(found)
        if found and all(quote.number in self.quotes[episode.path] for quote in episode.quotes):
            self.notes[episode.path] = episode.id

    def _no_source(self, gone: set[str]) -> None:
        """Sources that are gone: a fact that names no other goes, others lose these."""
        if not gone:
            return
        for fact in self.finder.all_facts:
            key = fact.path, fact.id
            if hit := gone.intersection(fact.sources):
                self.stripped[key] |= hit
                if self.stripped[key].issuperset(fact.sources):
                    self.facts[key] = fact
        for waiting in self.pending:
            if gone.intersection(_sources(waiting)):
                self.waiting[waiting.id] = waiting

    def _waits(self, waiting: PendingFact) -> None:
        self.waiting[waiting.id] = waiting
        fact = SourcedFact(
            PENDING_FILE,
            waiting.id,
            waiting.entity,
            waiting.field,
            waiting.value,
            "",
            False,
            _sources(waiting),
        )
        self.facts[fact.path, fact.id] = self.named_facts[fact.path, fact.id] = fact
        self._marks(marks_in(self.finder.marks_behind(fact)), [fact.value])

    def from_source(self, source: str) -> None:
        """Everything of a session, a tool, a file that was imported, or another word that names where it comes from."""
        for path in self._logs():
            lines, turns = self.finder.turns(path)
            stem = path.rpartition("/")[2].rpartition(".")[0]
            whole = source in (path, stem, stem + ".jsonl", stem + ".md")
            own = [
                t
                for t in turns
                if whole or _is_from(source, t, lines[t.line - 1] if t.line <= len(lines) else b"")
            ]
            self.say(path, own)
            self.sessions.update(dict.fromkeys(turn.session for turn in own if turn.session == source))
        self.sessions[source] = None
        for fact in self.finder.all_facts:
            if any(_says(source, one) for one in fact.sources):
                self.stripped[fact.path, fact.id] |= {one for one in fact.sources if _says(source, one)}
                if self.stripped[fact.path, fact.id].issuperset(fact.sources):
                    self.fact(fact)
        for path, meta in self._headers():
            if _says(source, text_of(meta.get("source"))):
                self.note(path, text_of(meta.get("id")) or path.removesuffix(".md"))
        for waiting in self.pending:
            if _says(source, waiting.source) or _says(source, waiting.why):
                self._waits(waiting)

    def since(self, day: str) -> None:
        """Everything that was captured, or remembered, on a day and later."""
        for path in self._logs():
            _, turns = self.finder.turns(path)
            folder = path.split("/")[-2]
            self.say(path, [turn for turn in turns if _is_since(turn.ts or folder, day)])
        for fact in self.finder.all_facts:
            if _is_since(fact.day, day) and not any("#^" in one for one in fact.sources):
                self.fact(fact)
        for path, meta in self._headers():
            if _is_since(text_of(meta.get("timestamp")), day):
                self.note(path, text_of(meta.get("id")) or path.removesuffix(".md"))
        for waiting in self.pending:
            if _is_since(waiting.since, day):
                self._waits(waiting)

    def _logs(self) -> list[str]:
        root = self.context.root
        found = [path for folder in ("logs", "archive/logs") for path in files.list_files(root, folder)]
        return [path for path in found if path.endswith((".jsonl", ".md"))]

    def _headers(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The notes that a machine may have written, with their headers."""
        for folder in ("episodes", "semantic", "archive", "review"):
            for path in files.list_files(self.context.root, folder):
                if path.endswith(".md"):
                    yield path, split(readable(self.context.text(path))).meta


def _is_since(moment: str, day: str) -> bool:
    """True for a moment on this day or later; False for what names no day, such as `logs` or `spring 2019`."""
    return _DAY.match(moment) is not None and moment[:10] >= day


def _names(episode: EpisodeFile) -> tuple[str, str]:
    return episode.id, episode.path.removesuffix(".md")


def _sources(waiting: PendingFact) -> tuple[str, ...]:
    return tuple(part.strip() for part in waiting.source.split(",") if part.strip())


def _alike(one: SourcedFact | Fact, other: SourcedFact) -> bool:
    return (
        same(one.entity, other.entity)
        and same(one.field, other.field)
        and normal(one.value) == normal(other.value)
    )


def _says(source: str, text: str) -> bool:
    """True if a text that names a source names this one: it is all of it, or one of its words."""
    return bool(text) and (source == text or source in text.split() or text.partition(":")[2] == source)


def _is_from(source: str, turn: Turn, line: bytes) -> bool:
    record = json_object(line.decode("utf-8", "replace"))
    host = str(record.get("host_id", ""))
    return source in (turn.session, record.get("tool"), host) or host.startswith(f"{source}:")


# What becomes of each file, and of what it once was: the same change is made to every version of it.


class _Planned:
    """Works out what becomes of each file."""

    def __init__(self, context: WriteContext, found: _Collected) -> None:
        self.context = context
        self.found = found
        self.transforms: dict[str, Transform] = {}
        self.renames: dict[str, str] = {}
        self.replaced: dict[str, str] = {}
        self.titles: dict[str, tuple[str, str]] = {}  # id of an episode → its old and its new title
        self._texts: list[str] = []
        self._ids: set[str] = set()
        self._triples = {(f.entity, f.field, f.value) for f in found.facts.values()}
        self._triples |= {(f.entity, f.field, f.value) for f in found.waiting.values()}

    def plan(self) -> PurgePlan:
        """The plan."""
        self._logs()
        self._episodes()
        self._former()
        self._facts()
        needles = Needles(self._needles())
        for path in self.found.notes:
            self.transforms[path] = lambda _: None
            stem = path.rpartition("/")[2].removesuffix(".md")
            if _DATED.match(stem):  # its name says what it said
                self.replaced.setdefault(stem, f"{stem[:19]}_{GONE}")
        self._ids |= {*self.found.notes.values(), *(fact.id for fact in self.found.facts.values())}
        self._derived(needles)
        self._citing()
        emptied = tuple(self._emptied())
        digests = self._digests() if emptied else ()
        if digests:
            self.transforms.setdefault(DECISIONS_FILE, lambda data: data)
        return PurgePlan(
            emptied,
            needles.texts,
            digests,
            self.transforms,
            self.renames,
            self.replaced,
            {path: sorted(self.found.lines(path)) for path in {**self.found.turns, **self.found.words}},
        )

    def _read(self, path: str) -> bytes:
        try:
            return files.read_file(self.context.root, path).data
        except NotFoundError:
            return b""

    def _logs(self) -> None:
        found, root = self.found, self.context.root
        artifacts: dict[str, None] = {}
        for path in {**found.turns, **found.words}:
            data = self._read(path)
            change = self._blanked(path, data, whole_lines(data))
            if not change:
                continue
            after = _lines_changed(change, data)
            artifacts.update(dict.fromkeys(_ARTIFACT.findall(b"\n".join(change).decode("utf-8", "replace"))))
            self.transforms[path] = lambda data, change=change: _lines_changed(change, data)  # type: ignore[misc]
            self._ranges(path, data, after)
        if artifacts:
            kept = set()
            for log in files.list_files(root, "logs"):
                if not log.startswith(f"{ARTIFACTS}/"):
                    data = self._read(log)
                    after_ = self.transforms[log](data) if log in self.transforms else data
                    kept |= set(_ARTIFACT.findall((after_ or b"").decode("utf-8", "replace")))
            for digest in artifacts:
                name = f"{ARTIFACTS}/{digest}"
                if digest not in kept and files.exists(root, name):
                    self._texts += phrases(self._read(name).decode("utf-8", "replace"))
                    self.transforms[name] = lambda _: None

    def _blanked(self, path: str, data: bytes, lines: list[bytes]) -> dict[bytes, bytes]:
        """What becomes of lines of a log, each as long as before, so that whoever appends finds the end where it was."""
        change: dict[bytes, bytes] = {}
        raw = data.split(b"\n")
        for first, turn in self.found.turns.get(path, {}).items():
            self._texts += [turn.text, *phrases(turn.text)]
            self._ids.add(turn.id)
            change.update(
                (raw[n], b" " * len(raw[n]))
                for n in range(first - 1, min(turn.end_line, len(lines)))
                if raw[n].strip()
            )
        for first, words in self.found.words.get(path, {}).items():
            if first in self.found.turns.get(path, {}):
                continue
            self._texts += words
            change[raw[first - 1]] = _without_words(raw[first - 1], words)
        return change

    def _ranges(self, path: str, before: bytes, after: bytes) -> None:
        """Everything that cites lines of a log which change cites them as they are then."""
        old, new = whole_lines(before), whole_lines(after)
        for cited in self._cited[path]:
            if cited.last <= len(old) and range_of(path, old, cited.first, cited.last) == cited:
                fresh = range_of(path, new, cited.first, cited.last)
                if fresh != cited:
                    self.replaced[str(cited)] = str(fresh)

    @cached_property
    def _cited(self) -> dict[str, set[LogRange]]:
        """The ranges that anything cites, by log."""
        found: dict[str, set[LogRange]] = defaultdict(set)
        for folder in ("episodes", "semantic", RUNS, "review", "archive", "skills"):
            for name in files.list_files(self.context.root, folder):
                for one in parse_ranges(self._read(name).decode("utf-8", "replace")):
                    found[one.path].add(one)
        return found

    def _episodes(self) -> None:
        for path, quotes in self.found.quotes.items():
            self._texts += [quote.said for quote in quotes.values() if len(plain_words(quote.said)) >= _SAID]
            episode = next(one for one in self.found.finder.all_episodes if one.path == path)
            text = decode(episode.data).text
            meta = split(readable(text)).meta
            result = without_lines(text, set(quotes), blank=False)
            if path in self.found.notes:
                title = next((line[2:].strip() for line in lines_of(text) if line.startswith("# ")), "")
                self._rename(episode, "", {w for part in (title, slug(title)) for w in plain_words(part)})
                self.titles[episode.id] = title, GONE
                old = [str(meta.get("summary") or ""), title, *(str(tag) for tag in meta.get("tags") or ())]
                self._texts += [one for one in old if len(plain_words(one)) >= _SAID]
                continue
            said = {quote.said for quote in quotes.values()}
            self.transforms[path] = lambda data, said=said: self._quoted(data, said)  # type: ignore[misc]
            for old_, new in result.replaced:
                if len(plain_words(old_)) >= _SAID:
                    self._texts.append(old_)
                if old_ in text and f"# {old_}" in text:
                    self.titles[episode.id] = old_, new
            lost = {word for one in result.lost for word in plain_words(one)}
            title = self.titles.get(episode.id, ("", ""))[1]
            self._rename(episode, title, lost)

    def _former(self) -> None:
        """Episodes that name what is erased as what was known before."""
        for episode in self.found.finder.all_episodes:
            if episode.path not in self.transforms and b" (was: " in episode.data:
                self._put(episode.path, lambda data: self._quoted(data, set()))

    def _quoted(self, data: bytes, said: set[str]) -> bytes:
        text = decode(data)
        values = {normal(value) for _, _, value in self._triples}
        lines = map(read_line, text.text.split("\n"))
        kept = "\n".join(
            line._replace(
                body=_WAS.sub(lambda hit: "" if normal(hit[1]) in values else hit[0], line.body)
            ).text()
            for line in lines
        )
        return _without_quotes(data if kept == text.text else encode(text._replace(text=kept)), said)

    def _rename(self, episode: EpisodeFile, title: str, lost: set[str]) -> None:
        """A new name for an episode whose old one says what is erased."""
        folder, _, name = episode.path.rpartition("/")
        stem = name.removesuffix(".md")
        for old in dict.fromkeys((stem, episode.id)):
            moment, about = old[:19], old[19:]
            if not lost & set(plain_words(about.replace("-", " ").replace("_", " "))):
                continue
            fresh = f"{moment}_{slug(title) if title else GONE}" if _DATED.match(old) else GONE
            number, new = 1, fresh
            while files.exists(self.context.root, f"{folder}/{new}.md") or new in self.replaced.values():
                number += 1
                new = f"{fresh}-{number}"
            self.replaced[old] = new
            if old == stem and episode.path not in self.found.notes:
                self.renames[episode.path] = f"{folder}/{new}.md"

    def _facts(self) -> None:
        found = self.found
        gone: dict[str, list[SourcedFact]] = defaultdict(list)
        for fact in found.facts.values():
            gone[fact.path].append(fact)
        loose: dict[str, set[str]] = defaultdict(set)
        for key, sources in found.stripped.items():
            if key not in found.facts:
                loose[key[0]] |= sources
        for path in {**gone, **loose}:
            if path == PENDING_FILE:
                continue
            file, facts, sources = self.context.semantic(path), gone[path], loose[path]
            self.transforms[path] = _text_change(
                lambda text, file=file, facts=facts, sources=sources: _without_sources(  # type: ignore[misc]
                    _without_facts(text, file, facts), sources
                )
            )

    def _needles(self) -> list[str]:
        found = self.found
        values = [fact.value for fact in found.named_facts.values()]
        values += [fact_in_words(f.entity, f.field, f.value) for f in found.facts.values()]
        values += [f.value for f in found.facts.values() if len(plain_words(f.value)) > 1]
        for path in found.notes:
            text = self._read(path).decode("utf-8", "replace")
            if not path.startswith("archive/facts/") and path not in found.quotes:
                self._texts += phrases(split(readable(text)).body)
                summary = split(readable(text)).meta.get("summary")
                self._texts += phrases(str(summary or ""))
                told = [fact.value for fact in facts_of_note(path, text).facts if tells(fact.value)]
                values, self._texts = [*values, *told], [*self._texts, *told]
        whole = [
            text
            for text in self._texts
            if _SAID <= len(plain_words(text)) <= 400 or (tells(text) and text in values)
        ]
        named = [words for lines in found.words.values() for line in lines.values() for words in line]
        return list(dict.fromkeys([*values, *whole, *named]))

    def _derived(self, needles: Needles) -> None:
        """What was written about it: working memory, ledger, run records, what waits, drafts, copies in the archive."""
        root, found = self.context.root, self.found
        stems = {file_stem(session) for session in found.sessions}
        for path in files.list_files(root, "working"):
            name = path.rpartition("/")[2].partition(".")[0]
            self._put(path, lambda _: None) if name in stems else self._put(path, _of_json(needles, indent=2))
        for path in files.list_files(root, "ledger"):
            self._put(path, lambda data: _ledger(self.mapped(data), self._ids, needles, found.sessions))
        for path in files.list_files(root, RUNS):
            self._put(path, lambda data: self._record(data, needles))
        for folder in ("review", "archive/review", "archive/facts"):
            for path in files.list_files(root, folder):
                if path.endswith(".md") and path not in self.transforms:
                    self._put(path, lambda data: None if self._tells(data, needles) else data)
        for path in (*files.list_files(root, "skills/_drafts"), *files.list_files(root, "views")):
            if path not in self.transforms:
                self._put(path, _text_change(needles.without))
        self._put(PENDING_FILE, _text_change(lambda text: self._pending(text, needles)))
        self._put(DECISIONS_FILE, self._decisions)

    def _tells(self, data: bytes, needles: Needles) -> bool:
        text = data.decode("utf-8", "replace")
        removal = FactRemoval.read(text)
        if removal is not None:
            triples = {(normal(e), normal(f)) for e, f, _ in self._triples}
            own = self.context.semantic(removal.origin).facts(removal.above + removal.removed).facts
            told = {normal(v) for _, _, v in self._triples}
            return any(
                (normal(f.entity), normal(f.field)) in triples and normal(f.value) in told for f in own
            )
        return bool(needles.matches(text))

    def _put(self, path: str, transform: Transform) -> None:
        data = self._read(path)
        if data and transform(data) != data:
            self.transforms[path] = transform

    def _pending(self, text: str, needles: Needles) -> str:
        fingerprints = {waiting_id(*triple) for triple in self._triples}
        for waiting in read_pending(text):
            said = f"{waiting.entity} {waiting.field} {waiting.value} {waiting.known} {waiting.why}"
            known = waiting_id(waiting.entity, waiting.field, waiting.known)
            if (
                known in fingerprints
                or waiting.id in self.found.waiting
                or waiting.id in fingerprints
                or needles.matches(said)
            ):
                text = remove_pending(text, waiting.id)
        return text

    def _record(self, data: bytes, needles: Needles) -> bytes:
        """A run record without what it says of what is erased; what it read stays told."""
        record = json_object(data.decode("utf-8", "replace"))
        if not record:
            return data
        before = json.dumps(record)
        lines = {
            n for r in record.get("ranges", ()) for one in parse_ranges(str(r)) for n in self._erased_in(one)
        }
        said = " ".join(turn.text for turns in self.found.turns.values() for turn in turns.values())
        triples = {(normal(e), normal(f), normal(v)) for e, f, v in self._triples}

        def stays(row: Any) -> bool:
            if not isinstance(row, dict):
                return True
            triple = tuple(normal(str(row.get(key, ""))) for key in ("entity", "field", "value"))
            told = row.get("line") in lines and bool(place_of_words(said, str(row.get("value", ""))))
            return triple not in triples and not told

        record["decided"] = [row for row in record.get("decided") or () if stays(row)]
        record["dropped"] = [one for one in record.get("dropped") or () if not needles.matches(str(one))]
        for row in record.get("changes") or ():
            if isinstance(row, dict) and row.get("id") in self.titles:
                old, new = self.titles[row["id"]]
                row["title"] = str(row.get("title", "")).replace(old, new) if old else row.get("title")
        record = needles.without_in(record)
        if json.dumps(record) == before:
            return data
        return (json.dumps(record, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "surrogatepass")

    def _erased_in(self, range_: LogRange) -> set[int]:
        return {n for n in self.found.lines(range_.path) if range_.first <= n <= range_.last}

    def _decisions(self, data: bytes) -> bytes:
        """The decisions without marks of lines that are gone, and without fingerprints that would tell what was erased."""
        known = {fingerprint("fact", *triple) for triple in self._triples}
        known |= {waiting_id(*triple).removeprefix("p-") for triple in self._triples}
        kept = []
        for line in data.decode("utf-8", "surrogateescape").splitlines(keepends=True):
            value = json_object(line)
            erased = value.get("path") in self.found.notes and value.get("decision") not in (
                FORGOTTEN,
                REVIVED,
            )
            if value.get("fingerprint") in known or erased:
                continue
            if value.get("decision") in (FORGOTTEN, REVIVED) and isinstance(value.get("lines"), list):
                marks = [
                    str(fresh) for mark in marks_in(map(str, value["lines"])) if (fresh := self._mark(mark))
                ]
                if value.get("path") in self.found.notes:
                    value["path"] = ""
                if not marks:
                    continue
                if marks != value["lines"]:
                    end = line[len(line.rstrip("\r\n")) :]
                    kept.append(json.dumps({**value, "lines": marks}, ensure_ascii=False) + end)
                    continue
            kept.append(line)
        return "".join(kept).encode("utf-8", "surrogateescape")

    def _mark(self, mark: ForgottenMark) -> ForgottenMark | None:
        path, first = mark.place.path, mark.place.first
        if (
            first in self.found.turns.get(path, ())
            or first in self.found.quotes.get(path, ())
            or path in self.found.notes
        ):
            return None
        if first in self.found.words.get(
            path, ()
        ):  # its characters stand elsewhere now, so all of the line is left out
            return mark._replace(start=0, end=0)
        return mark

    def _citing(self) -> None:
        """Files that name ids or ranges which are called otherwise now."""
        if not self.replaced:
            return
        root = self.context.root
        paths = {path.removeprefix("./") for path in files.list_files(root, "") if path.endswith(_TEXTS)}
        for path in sorted(path for path in paths | {*self.transforms} if not path.startswith("logs/")):
            before = self.transforms.get(path)
            data = self._read(path)
            now = before(data) if before else data
            if now is not None and self.mapped(now) != now:
                self.transforms[path] = lambda data, before=before: self._both(before, data)  # type: ignore[misc]

    def _both(self, first: Transform | None, data: bytes) -> bytes | None:
        after = first(data) if first else data
        return None if after is None else self.mapped(after)

    def mapped(self, data: bytes) -> bytes:
        """Bytes in which ids and ranges are called as they are now."""
        for old, new in self.replaced.items():
            data = data.replace(os.fsencode(old), os.fsencode(new))
        return data

    def _emptied(self) -> Iterator[Emptied]:
        for path, transform in sorted(self.transforms.items()):
            before = self._read(path)
            after = transform(before)
            if before and after != before and path != DECISIONS_FILE:
                yield Emptied(place_name(path), path, _lost(before, after or b""), after is None)

    def _digests(self) -> tuple[str, ...]:
        """What tells that it was erased, if it comes again."""
        digest, found = self.context.gate.digest, self.found
        made: list[str] = []
        for path in {
            **found.turns,
            **found.words,
        }:  # of a turn that loses words, too: it must not come again as it was
            lines, turns = found.finder.turns(path)
            for turn in (turn for turn in turns if turn.line in found.lines(path)):
                record = json_object(b"".join(lines[turn.line - 1 : turn.line]).decode("utf-8", "replace"))
                names = (turn.turn, str(record.get("host_id", "")))
                made += of_turn(digest, turn.session, names, text_of_record(record) or turn.text)
        for entity, field, value in self._triples:
            made += of_fact(digest, entity, field, value)
        for quotes in found.quotes.values():
            made += [one for quote in quotes.values() for one in of_text(digest, quote.said)]
        for path in found.notes:
            if path not in found.quotes:
                body = split(readable(self._read(path).decode("utf-8", "replace"))).body
                made += [one for part in (body, *phrases(body)) for one in of_text(digest, part)]
        return tuple(sorted(set(made)))


def _lost(before: bytes, after: bytes) -> int:
    old, new = before.split(b"\n"), set(after.split(b"\n"))
    return sum(bool(line.strip()) and line not in new for line in old)


def _text_change(change: Callable[[str], str]) -> Transform:
    def of_bytes(data: bytes) -> bytes | None:
        text = decode(data)
        after = change(text.text)
        if after == text.text:
            return data
        return encode(text._replace(text=after)) if after.strip() else None

    return of_bytes


def _lines_changed(change: Mapping[bytes, bytes], data: bytes) -> bytes:
    return b"\n".join([change.get(line, line) for line in data.split(b"\n")])


def _without_words(line: bytes, words: Sequence[str]) -> bytes:
    """A line of a log without some words, as long as before; blank where it cannot be told what else it says."""
    needles = Needles(words)
    blank = b" " * len(line)
    record = json_object(line.decode("utf-8", "replace"))
    if not record:
        return blank
    kept = {key: record[key] for key in ("ts", "session", "turn", "role", "name") if key in record}
    rest = {
        key: needles.without_in(value)
        for key, value in record.items()
        if key not in kept and key != "host_id"
    }
    fresh = json.dumps({**kept, **rest}, ensure_ascii=False, separators=(", ", ": "))
    text = fresh.encode("utf-8", "surrogatepass")
    if len(text) > len(line) or needles.matches(fresh):
        return blank
    return text + b" " * (len(line) - len(text))


def _without_quotes(data: bytes, said: set[str]) -> bytes:
    """An episode, as it is or was, without the lines that quote these words."""
    text = decode(data)
    wanted = {normal(one) for one in said}
    gone = {
        number
        for number, line in enumerate(lines_of(text.text), 1)
        if BULLET.match(line)
        and any(normal(ADDED.sub("", read_line(line).words)).endswith(one) for one in wanted)
    }
    return encode(text._replace(text=without_lines(text.text, gone, blank=False).text)) if gone else data


def _without_facts(text: str, file: SemanticFile, facts: Sequence[SourcedFact]) -> str:
    """A file of facts, as it is or was, without these, and without headings that stand over nothing then."""
    names = {fact.entity for fact in facts}
    before = text
    for _ in range(len(lines_of(text)) + 1):
        found = next((f for f in file.facts(text).facts for one in facts if _alike(f, one)), None)
        if found is None:
            break
        try:
            text = remove_fact(text, file, found.id)
        except InputError:
            sheet = Sheet.of(text, file)
            text = apply_splices(
                text, [Splice(*sheet.span(next(f for f in sheet.found.facts if f.id == found.id)))]
            )
    return _without_empty(text, names) if text != before else text


def _without_empty(text: str, names: set[str]) -> str:
    """The text without headings of these entities, and of their History, that stand over nothing."""
    wanted = {"history", *(normal(name) for name in names)}
    lines = lines_of(text)
    for at in range(len(lines) - 1, -1, -1):  # from the end: what is below a heading goes before it
        level = _heading(lines[at])
        if not level or normal(lines[at]) not in wanted:
            continue
        end = next((n for n in range(at + 1, len(lines)) if lines[n].strip()), len(lines))
        if end == len(lines) or 0 < _heading(lines[end]) <= level:
            del lines[at:end]
    return "".join(lines)


def _heading(line: str) -> int:
    """The level of a heading; 0 for any other line."""
    hit = _LEVEL.match(line)
    return len(hit[0]) if hit and line[len(hit[0]) : len(hit[0]) + 1] in (" ", "\t") else 0


def _without_sources(text: str, sources: set[str]) -> str:
    """The text whose facts do not name these sources."""
    for source in sources if any(one in text for one in sources) else ():
        link = rf"\[\[{re.escape(source)}(?:\|[^\]\n]*)?\]\]"
        text = re.sub(rf",[ \t]*{link}|{link}[ \t]*,[ \t]*", "", text)
        text = re.sub(rf"[ \t]*[\[(]source::[ \t]*(?:{link}|{re.escape(source)})[ \t]*[\])]", "", text)
    return text


def _of_json(needles: Needles, indent: int | None) -> Transform:
    def change(data: bytes) -> bytes:
        text = data.decode("utf-8", "replace")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return needles.without(text).encode() if needles.matches(text) else data
        fresh = needles.without_in(value)
        return (
            data if fresh == value else (json.dumps(fresh, ensure_ascii=False, indent=indent) + "\n").encode()
        )

    return change


def _ledger(data: bytes, ids: set[str], needles: Needles, sessions: Iterable[str]) -> bytes | None:
    """A ledger without the events of what is erased; of several ids only these go."""
    kept, wanted = list[str](), set(sessions)

    def gone(id_: object) -> bool:
        return isinstance(id_, str) and (id_ in ids or id_.partition("#")[0] in ids)

    for line in data.decode("utf-8", "surrogateescape").splitlines(keepends=True):
        event, stays = json_object(line), line
        listed = event.get("ids")
        digests, left, words = event.get("digests"), event.get("left_out"), event.get("words")
        receipts = event.get("receipts")
        named = [
            *(listed if isinstance(listed, list) else ()),
            *(digests if isinstance(digests, dict) else ()),
        ]
        named += [id_ for ids in left.values() for id_ in ids] if isinstance(left, dict) else []
        if any(map(gone, named)):
            event["ids"] = [id_ for id_ in listed or () if not gone(id_)]
            if isinstance(digests, dict):
                event["digests"] = {id_: one for id_, one in digests.items() if not gone(id_)}
            if isinstance(words, list):
                event["words"] = [id_ for id_ in words if not gone(id_)]
            if isinstance(receipts, dict):
                event["receipts"] = {id_: one for id_, one in receipts.items() if not gone(id_)}
            if isinstance(left, dict):
                event["left_out"] = {why: [id_ for id_ in ids if not gone(id_)] for why, ids in left.items()}
            stays = json.dumps(event, ensure_ascii=False) + "\n" if event["ids"] else ""
        if stays and not (gone(event.get("id")) or event.get("session") in wanted or needles.matches(stays)):
            kept.append(stays)
    return "".join(kept).encode("utf-8", "surrogateescape") or None
