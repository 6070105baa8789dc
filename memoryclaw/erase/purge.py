"""purge: erases what a person names, and all that was made of it, in every file of the vault; plans it first. Nothing brings it back.

What was said goes downwards: with a turn go the lines of episodes that quote it and the facts that rest on nothing else. A fact takes
along the words that say it, in the lines that it came from, and nothing else of these lines.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property, partial
from typing import Any

from memoryclaw.capture.log_records import ARTIFACTS
from memoryclaw.consolidation.changes import RUNS
from memoryclaw.erase.erasure import Erasure, alike, scrub
from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.late import NamedTuple
from memoryclaw.model import Turn
from memoryclaw.ports import Address
from memoryclaw.text.dates import given_day
from memoryclaw.text.encoding import decode, json_object, lines_of, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.needles import GONE, Needles, phrases, plain_words, tells
from memoryclaw.vault import files
from memoryclaw.vault.edits import line_end
from memoryclaw.vault.facts import facts_of_note
from memoryclaw.vault.files import folder_lock, writer_lock
from memoryclaw.vault.forgotten import FORGOTTEN, ForgottenMark, marks_in, without_lines
from memoryclaw.vault.layout import DECISIONS_FILE, free_name, slug, timestamp
from memoryclaw.vault.logs import LogRange, parse_ranges, range_of, whole_lines
from memoryclaw.vault.properties import text_of
from memoryclaw.writing.context import WriteContext, fact_in_words
from memoryclaw.writing.decisions import PURGED, Decision
from memoryclaw.writing.edit import FactRemoval
from memoryclaw.writing.pending import PENDING_FILE, PendingFact, read_pending
from memoryclaw.writing.provenance import EpisodeFile, ProvenanceFinder, QuotedLine, SourcedFact
from memoryclaw.writing.tombstones import of_fact, of_text, of_turn, text_of_record
from memoryclaw.writing.writer import Edit, commit, recover

_TEXTS = (".md", ".json", ".jsonl", ".yaml")
_DATED = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_")  # the beginning of a name that MemoryClaw gives
_SAID = 3  # words of a line or a value that is looked for elsewhere, where nobody named it
_ARTIFACT = re.compile(rf"{ARTIFACTS}/([0-9a-f]{{64}})")
_DERIVED = ("working", "ledger", RUNS, "review", "archive/review", "archive/facts", "skills/_drafts", "views")
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
    """What would be erased: the files that change, and the erasure that says how."""

    emptied: tuple[Emptied, ...]
    digests: tuple[str, ...]  # that tell that it was erased, if it comes again
    paths: tuple[str, ...]
    erasure: Erasure


def place_name(path: str) -> str:
    """The place that a file of the vault belongs to."""
    return next((name for start, name in _PLACES if path.startswith(start)), "notes")


# What a purge erases: the things that a person names, and what was made of them, found by following what rests on what.

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Collector:
    """Fills an erasure with everything that is to go."""

    def __init__(self, context: WriteContext) -> None:
        self.context = context
        self.finder = ProvenanceFinder(context)
        self.pending = read_pending(context.text(PENDING_FILE))
        self.erasure = Erasure(context.schema().collections)
        self.named_facts: dict[tuple[str, str], SourcedFact] = {}

    def named(self, id_: str, *, again: bool) -> None:
        """One thing by its id, also one in the archive, or one that waits."""
        pending = {fact.id: fact for fact in self.pending}
        if id_ in pending:
            self._waits(pending[id_])
            return
        lookup = self.context.lookup
        address = lookup.resolve(id_) or lookup.resolve(f"archive/{id_}")
        if address or not again:
            self.address(address or self.context.find(id_))

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
        self.erasure.notes[path] = id_
        if path.rpartition("/")[2] == "SKILL.md":
            inside = files.list_files(self.context.root, path.rpartition("/")[0])
            self.erasure.notes.update(dict.fromkeys(inside, id_))
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
        self.erasure.facts[fact.path, fact.id] = self.named_facts[fact.path, fact.id] = fact
        self._marks(marks_in(self.finder.marks_behind(fact)), [fact.value])
        twins = (twin for twin in self.finder.all_facts if twin.path == fact.path and alike(twin, fact))
        self.erasure.facts |= {(twin.path, twin.id): twin for twin in twins}  # the same value in History

    def _archived_fact(self, path: str, id_: str, removal: FactRemoval) -> None:
        """A fact that was forgotten before: its line is kept in the archive, and a decision names what says it."""
        self.erasure.notes[path] = id_
        file = self.context.semantic(removal.origin)
        text = removal.above + removal.removed
        named = [fact for fact in file.facts(text).facts if fact.id == removal.fact]
        facts = named or file.facts(removal.removed).facts[-1:]
        values = [fact.value for fact in facts]
        for fact in facts:
            key = (removal.origin, f"{removal.fact}@{path}")
            self.erasure.facts[key] = self.named_facts[key] = SourcedFact(
                removal.origin, removal.fact, fact.entity, fact.field, fact.value, fact.day, False, ()
            )
        for line in self.context.text(DECISIONS_FILE).splitlines():
            decision = json_object(line)
            if decision.get("decision") == FORGOTTEN and decision.get("path") == path:
                self._marks(marks_in(str(mark) for mark in decision.get("lines", ())), values)

    def _marks(self, marks: Iterable[ForgottenMark], values: Sequence[str]) -> None:
        for mark in marks:
            path, first = mark.place.path, mark.place.first
            episode = next((note for note in self.finder.all_episodes if note.path == path), None)
            if episode is not None:
                self._quote(episode, [q for q in episode.quotes if q.number == first])
                continue
            _, turns = self.finder.turns(path)
            for turn in (turn for turn in turns if turn.line == first):
                if mark.end:
                    words = [turn.text[mark.start : mark.end], *filter(tells, values)]
                    self.erasure.words[path].setdefault(first, []).extend(words)
                else:
                    self.erasure.turns[path][first] = turn

    def say(self, path: str, turns: Iterable[Turn]) -> None:
        """Turns of a log, with the lines of episodes that quote them and the facts that rest on nothing else."""
        fresh = [turn for turn in turns if turn.line not in self.erasure.turns[path]]
        self.erasure.turns[path].update((turn.line, turn) for turn in fresh)
        lines = {turn.line for turn in fresh}
        gone = {turn.id for turn in fresh}
        for episode in self.finder.all_episodes if fresh else ():
            ranges = [r for r in episode.ranges if r.path == path]
            own = {n for n in lines if any(r.first <= n <= r.last for r in ranges)}
            quotes = [quote for quote in episode.quotes if quote.line in own]
            self._quote(episode, quotes)
            names = (episode.id, episode.path.removesuffix(".md"))
            gone |= {f"{name}#^{quote.block}" for quote in quotes for name in names}
            if own and not episode.quotes and all(self._is_gone(r) for r in episode.ranges):
                self.erasure.notes[episode.path] = episode.id
        self._no_source(gone)

    def _is_gone(self, range_: LogRange) -> bool:
        _, turns = self.finder.turns(range_.path)
        return all(
            t.line in self.erasure.turns[range_.path] for t in turns if range_.first <= t.line <= range_.last
        )

    def _quote(self, episode: EpisodeFile, quotes: Iterable[QuotedLine]) -> None:
        """Lines of an episode; with the last of them the episode goes."""
        if numbered := {quote.number: quote for quote in quotes}:
            self.erasure.quotes[episode.path] |= numbered
            if self.erasure.quotes[episode.path].keys() >= {quote.number for quote in episode.quotes}:
                self.erasure.notes[episode.path] = episode.id

    def _no_source(self, gone: set[str]) -> None:
        """Sources that are gone: a fact that names no other goes, others lose these."""
        if not gone:
            return
        for fact in self.finder.all_facts:
            if (hit := gone.intersection(fact.sources)) and self._strip(fact, hit):
                self.erasure.facts[fact.path, fact.id] = fact
        for waiting in self.pending:
            if gone.intersection(_sources(waiting)):
                self.erasure.waiting[waiting.id] = waiting

    def _strip(self, fact: SourcedFact, gone: set[str]) -> bool:
        """Takes sources from a fact; true when it names no other."""
        stripped = self.erasure.stripped[fact.path, fact.id]
        stripped |= gone
        return stripped.issuperset(fact.sources)

    def _waits(self, waiting: PendingFact) -> None:
        self.erasure.waiting[waiting.id] = waiting
        self.fact(SourcedFact(PENDING_FILE, *waiting[:4], "", False, _sources(waiting)))

    def from_source(self, source: str) -> None:
        """Everything of a session, a tool, a file that was imported, or another word that names where it comes from."""
        for path, lines, turns in self._logs():
            stem = path.rpartition("/")[2].rpartition(".")[0]
            if source in (path, stem, stem + ".jsonl", stem + ".md"):
                self.say(path, turns)
            else:
                own = [t for t in turns if _is_from(source, t, b"".join(lines[t.line - 1 : t.line]))]
                self.say(path, own)
        self.erasure.sessions.add(source)
        for fact in self.finder.all_facts:
            sources = {named for named in fact.sources if _says(source, named)}
            if sources and self._strip(fact, sources):
                self.fact(fact)
        for path, id_, meta in self._headers():
            if _says(source, text_of(meta.get("source"))):
                self.note(path, id_)
        for waiting in self.pending:
            if _says(source, waiting.source) or _says(source, waiting.why):
                self._waits(waiting)

    def since(self, day: str) -> None:
        """Everything that was captured, or remembered, on a day and later."""
        for path, _, turns in self._logs():
            folder = path.split("/")[-2]
            self.say(path, [turn for turn in turns if _is_since(turn.ts or folder, day)])
        for fact in self.finder.all_facts:
            if _is_since(fact.day, day) and not any("#^" in source for source in fact.sources):
                self.fact(fact)
        for path, id_, meta in self._headers():
            if _is_since(text_of(meta.get("timestamp")), day):
                self.note(path, id_)
        for waiting in self.pending:
            if _is_since(waiting.since, day):
                self._waits(waiting)

    def _logs(self) -> Iterator[tuple[str, list[bytes], tuple[Turn, ...]]]:
        """The logs, with their lines and turns."""
        for folder in ("logs", "archive/logs"):
            for path in files.list_files(self.context.root, folder, (".jsonl", ".md")):
                yield path, *self.finder.turns(path)

    def _headers(self) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        """The notes that a machine may have written, with their ids and their headers."""
        for folder in ("episodes", "semantic", "archive", "review"):
            for path in files.list_files(self.context.root, folder, ".md"):
                meta = split(readable(self.context.text(path))).meta
                yield path, text_of(meta.get("id")) or path.removesuffix(".md"), meta


def _is_since(moment: str, day: str) -> bool:
    """True for a moment on this day or later; False for what names no day, such as `logs` or `spring 2019`."""
    return _DAY.match(moment) is not None and moment[:10] >= day


def _is_from(source: str, turn: Turn, line: bytes) -> bool:
    record = json_object(line.decode("utf-8", "replace"))
    host = str(record.get("host_id", ""))
    return source in (turn.session, record.get("tool"), host) or host.startswith(f"{source}:")


def _sources(waiting: PendingFact) -> tuple[str, ...]:
    return tuple(part.strip() for part in waiting.source.split(",") if part.strip())


def _says(source: str, text: str) -> bool:
    """True if a text that names a source names this one: it is all of it, or one of its words."""
    return bool(text) and (source == text or source in text.split() or text.partition(":")[2] == source)


def plan_purge(context: WriteContext, request: PurgeRequest, *, again: bool = False) -> PurgePlan:
    """What a purge would erase; nothing is written.

    Args:
        again: the purge was begun before, so what is gone already is no mistake.
    """
    if not (request.ids or request.source or request.since):
        raise InputError("say what to purge: an id, --source or --since")
    collector = Collector(context)
    for id_ in request.ids:
        collector.named(id_, again=again)
    if request.source:
        collector.from_source(request.source)
    if request.since:
        collector.since(given_day(request.since))
    plan = _Planning(context, collector).plan()
    if not plan.emptied and not again:
        where = f"comes from {request.source!r}" if request.source else f"is of {request.since} or later"
        raise NotFoundError(f"nothing in the vault {where}")
    return plan


def purge(
    context: WriteContext, request: PurgeRequest, prepare: Callable[[PurgePlan], None], *, again: bool = False
) -> tuple[PurgePlan, str]:
    """Erases it in all files of the vault, one commit of those that git holds; returns the plan and the commit.

    `prepare` is given the plan before the first file changes.
    """
    with ExitStack() as locks:
        locks.enter_context(writer_lock(context.root))
        locks.enter_context(folder_lock(context.root, "working"))
        locks.enter_context(folder_lock(context.root, "logs"))
        recover(context.root)  # what a killed purge began
        plan = plan_purge(context, request, again=again)
        prepare(plan)
        edits = [Edit(path, partial(_emptied, path, plan, context), consumes=True) for path in plan.paths]
        for old, new in plan.erasure.renames.items():
            scrubbed = scrub(old, files.read_file(context.root, old).data, plan.erasure)
            edits.append(Edit(new, lambda _, scrubbed=scrubbed: scrubbed, consumes=True))  # type: ignore[misc]
        counts = {place: sum(change.place == place for change in plan.emptied) for place in PLACES}
        emptied = [f"{place}: {n} {'files' if n > 1 else 'file'}" for place, n in counts.items() if n]
        return plan, commit(context, edits, "purge", verb="purge", emptied=emptied).commit


def _emptied(path: str, plan: PurgePlan, context: WriteContext, data: bytes | None) -> bytes | None:
    if path in plan.erasure.renames:
        return None
    after = None if data is None else scrub(path, data, plan.erasure)
    if path == DECISIONS_FILE and plan.digests:
        text = (after or b"").decode("utf-8", "surrogateescape")
        decision = Decision(timestamp(context.now), PURGED, "text", digests=plan.digests)
        text += line_end(text) if text and not text.endswith("\n") else ""
        return (text + decision.line()).encode("utf-8", "surrogateescape")
    return after


# Planning: what follows from what was named, and which files change.


class _Planning:
    """Completes an erasure, and works out which files it changes."""

    def __init__(self, context: WriteContext, collector: Collector) -> None:
        self._context = context
        self._collector = collector
        self._erasure = collector.erasure
        self._texts: list[str] = []

    def plan(self) -> PurgePlan:
        """The plan."""
        erasure = self._erasure
        self._logs()
        self._episodes()
        erasure.needles = Needles(self._needles())
        for path in erasure.notes:
            stem = path.rpartition("/")[2].removesuffix(".md")
            if _DATED.match(stem):  # its name says what it said
                erasure.replaced.setdefault(stem, f"{stem[:19]}_{GONE}")
        erasure.ids |= {*erasure.notes.values(), *(fact.id for fact in erasure.facts.values())}
        named = {*erasure.notes, *erasure.artifacts, *erasure.logs, *erasure.quotes}
        named |= {fact.path for fact in erasure.facts.values()} | {path for path, _ in erasure.stripped}
        paths, emptied = named - {PENDING_FILE}, list[Emptied]()
        # The files that may say something of it, or name what is called otherwise then.
        root = self._context.root
        texts = {path.removeprefix("./") for path in files.list_files(root, "", _TEXTS)}
        derived = {path for folder in _DERIVED for path in files.list_files(root, folder)}
        for path in sorted(paths | ({path for path in texts if not path.startswith("logs/")} | derived)):
            before = self._read(path)
            after = scrub(path, before, erasure) if before else before
            if after != before:
                paths.add(path)
                staying = set((after or b"").split(b"\n"))
                lost = sum(bool(line.strip()) and line not in staying for line in before.split(b"\n"))
                emptied.append(Emptied(place_name(path), path, lost, after is None))
        emptied = [change for change in emptied if change.path != DECISIONS_FILE]
        digests = self._digests() if emptied else ()
        paths |= {DECISIONS_FILE} if digests else set()
        return PurgePlan(tuple(emptied), digests, tuple(sorted(paths)), erasure)

    def _read(self, path: str) -> bytes:
        return files.data_at(self._context.root, path) or b""

    def _logs(self) -> None:
        erasure, root = self._erasure, self._context.root
        artifacts: dict[str, None] = {}
        for path in {**erasure.turns, **erasure.words}:
            data = self._read(path)
            if change := self._blanked(path, data, whole_lines(data)):
                erasure.logs[path] = change
                artifacts |= dict.fromkeys(_ARTIFACT.findall(b"\n".join(change).decode("utf-8", "replace")))
                self._ranges(path, data, scrub(path, data, erasure) or b"")
        if artifacts:
            logs = [log for log in files.list_files(root, "logs") if not log.startswith(f"{ARTIFACTS}/")]
            remaining = b"\n".join(scrub(log, self._read(log), erasure) or b"" for log in logs)
            cited = set(_ARTIFACT.findall(remaining.decode("utf-8", "replace")))
            for name in (f"{ARTIFACTS}/{digest}" for digest in artifacts if digest not in cited):
                if files.exists(root, name):
                    self._texts += phrases(self._read(name).decode("utf-8", "replace"))
                    erasure.artifacts.add(name)

    def _blanked(self, path: str, data: bytes, lines: list[bytes]) -> dict[bytes, bytes]:
        """What becomes of lines of a log, each as long as before, so that whoever appends finds the end where it was."""
        change: dict[bytes, bytes] = {}
        raw, turns = data.split(b"\n"), self._erasure.turns.get(path, {})
        for first, turn in turns.items():
            self._texts += [turn.text, *phrases(turn.text)]
            self._erasure.ids.add(turn.id)
            spoken = raw[first - 1 : min(turn.end_line, len(lines))]
            change |= {line: b" " * len(line) for line in spoken if line.strip()}
        for first, words in self._erasure.words.get(path, {}).items():
            if first not in turns:
                self._texts += words
                change[raw[first - 1]] = _without_words(raw[first - 1], words)
        return change

    def _ranges(self, path: str, before: bytes, after: bytes) -> None:
        """Everything that cites lines of a log which change cites them as they are then."""
        old, new = whole_lines(before), whole_lines(after)
        for cited in self._cited[path]:
            if cited.last <= len(old) and range_of(path, old, cited.first, cited.last) == cited:
                fresh = range_of(path, new, cited.first, cited.last)
                self._erasure.replaced |= {str(cited): str(fresh)} if fresh != cited else {}

    @cached_property
    def _cited(self) -> dict[str, set[LogRange]]:
        """The ranges that anything cites, by log."""
        ranges: dict[str, set[LogRange]] = defaultdict(set)
        for folder in ("episodes", "semantic", RUNS, "review", "archive", "skills"):
            for name in files.list_files(self._context.root, folder):
                for cited in parse_ranges(self._read(name).decode("utf-8", "replace")):
                    ranges[cited.path].add(cited)
        return ranges

    def _episodes(self) -> None:
        titles = self._erasure.titles
        for path, quotes in self._erasure.quotes.items():
            episode = next(note for note in self._collector.finder.all_episodes if note.path == path)
            text = decode(episode.data).text
            texts = [quote.said for quote in quotes.values()]
            if path in self._erasure.notes:
                title = next((line[2:].strip() for line in lines_of(text) if line.startswith("# ")), "")
                self._rename(episode, "", {*plain_words(title), *plain_words(slug(title))})
                titles[episode.id] = title, GONE
                meta = split(readable(text)).meta
                texts += [str(meta.get("summary") or ""), title, *map(str, meta.get("tags") or ())]
            else:
                result = without_lines(text, set(quotes), blank=False)
                texts += [old for old, _ in result.replaced]
                titles.update((episode.id, row) for row in result.replaced if f"# {row[0]}" in text)
                title = titles.get(episode.id, ("", ""))[1]
                self._rename(episode, title, {word for lost in result.lost for word in plain_words(lost)})
            self._texts += [text for text in texts if len(plain_words(text)) >= _SAID]

    def _rename(self, episode: EpisodeFile, title: str, lost: set[str]) -> None:
        """A new name for an episode whose old one says what is erased."""
        folder, _, name = episode.path.rpartition("/")
        stem, replaced = name.removesuffix(".md"), self._erasure.replaced
        exists = partial(files.exists, self._context.root)
        for old in dict.fromkeys((stem, episode.id)):
            moment, about = old[:19], old[19:]
            if not lost & set(plain_words(about.replace("-", " ").replace("_", " "))):
                continue
            fresh = f"{moment}_{slug(title) if title else GONE}" if _DATED.match(old) else GONE
            new = replaced[old] = free_name(
                fresh, lambda new: exists(f"{folder}/{new}.md") or new in replaced.values()
            )
            if old == stem and episode.path not in self._erasure.notes:
                self._erasure.renames[episode.path] = f"{folder}/{new}.md"

    def _needles(self) -> list[str]:
        erasure = self._erasure
        values = [fact.value for fact in self._collector.named_facts.values()]
        values += [fact_in_words(f.entity, f.field, f.value) for f in erasure.facts.values()]
        values += [f.value for f in erasure.facts.values() if len(plain_words(f.value)) > 1]
        for path in erasure.notes:
            text = self._read(path).decode("utf-8", "replace")
            if not path.startswith("archive/facts/") and path not in erasure.quotes:
                note = split(readable(text))
                self._texts += [*phrases(note.body), *phrases(str(note.meta.get("summary") or ""))]
                fields = [fact.value for fact in facts_of_note(path, text).facts if tells(fact.value)]
                values, self._texts = [*values, *fields], [*self._texts, *fields]
        sizes = ((text, len(plain_words(text))) for text in self._texts)
        values += [text for text, n in sizes if _SAID <= n <= 400 or (tells(text) and text in values)]
        named = [words for lines in erasure.words.values() for line in lines.values() for words in line]
        return list(dict.fromkeys([*values, *named]))

    def _digests(self) -> tuple[str, ...]:
        """What tells that it was erased, if it comes again."""
        digest, erasure = self._context.gate.digest, self._erasure
        made: list[str] = []
        for path, numbers in erasure.lines.items():  # a turn that loses words must not come again as it was
            lines, turns = self._collector.finder.turns(path)
            for turn in (turn for turn in turns if turn.line in numbers):
                record = json_object(b"".join(lines[turn.line - 1 : turn.line]).decode("utf-8", "replace"))
                names = (turn.turn, str(record.get("host_id", "")))
                made += of_turn(digest, turn.session, names, text_of_record(record) or turn.text)
        for triple in erasure.triples:
            made += of_fact(digest, *triple)
        for quotes in erasure.quotes.values():
            made += [text for quote in quotes.values() for text in of_text(digest, quote.said)]
        for path in erasure.notes:
            if path not in erasure.quotes:
                body = split(readable(self._read(path).decode("utf-8", "replace"))).body
                made += [text for part in (body, *phrases(body)) for text in of_text(digest, part)]
        return tuple(sorted(set(made)))


def _without_words(line: bytes, words: Sequence[str]) -> bytes:
    """A line of a log without some words, as long as before; blank where it cannot be told what else it says."""
    needles = Needles(words)
    blank = b" " * len(line)
    record = json_object(line.decode("utf-8", "replace"))
    if not record:
        return blank
    frame = {key: record[key] for key in ("ts", "session", "turn", "role", "name") if key in record}
    remaining = {key: value for key, value in record.items() if key not in (*frame, "host_id")}
    rest = {key: needles.without_in(value) for key, value in remaining.items()}
    fresh = json.dumps({**frame, **rest}, ensure_ascii=False, separators=(", ", ": "))
    text = fresh.encode("utf-8", "surrogatepass")
    if len(text) > len(line) or needles.matches(fresh):
        return blank
    return text + b" " * (len(line) - len(text))
