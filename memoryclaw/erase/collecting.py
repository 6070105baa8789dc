"""What a purge erases: the things that a person names, and what was made of them, found by following what rests on what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memoryclaw.erase.erasure import Erasure, alike
from memoryclaw.errors import InputError
from memoryclaw.model import Turn
from memoryclaw.ports import Address
from memoryclaw.text.encoding import json_object, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.needles import tells
from memoryclaw.vault import files
from memoryclaw.vault.forgotten import FORGOTTEN, ForgottenMark, marks_in
from memoryclaw.vault.layout import DECISIONS_FILE
from memoryclaw.vault.logs import LogRange
from memoryclaw.vault.properties import text_of
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.edit import FactRemoval
from memoryclaw.writing.pending import PENDING_FILE, PendingFact, read_pending
from memoryclaw.writing.provenance import EpisodeFile, ProvenanceFinder, QuotedLine, SourcedFact

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
