"""What memories rest on: the lines of episodes and logs that say the same, so that what is forgotten is not told again by these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.model import Turn, grouped
from memoryclaw.ports import Address
from memoryclaw.text.encoding import decode, lines_of, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.memory_lines import log_line, read_line, sources_in
from memoryclaw.text.needles import tells
from memoryclaw.vault import files
from memoryclaw.vault.edits import SemanticFile, Sheet
from memoryclaw.vault.forgotten import ForgottenMark, place_of_words
from memoryclaw.vault.layout import LOGS
from memoryclaw.vault.logs import LogRange, parse_ranges, range_of, whole_lines
from memoryclaw.vault.notes import read_note
from memoryclaw.vault.properties import text_of
from memoryclaw.writing.context import WriteContext

_SPEAKER = 60  # characters of the name of who spoke


# What an episode adds to the words of a line: what was known before, and the days that were meant.
ADDED = re.compile(r" \(was: [^\n]{0,200}\)$| \(\d{4}(?:-\d\d){0,2}(?: to \d{4}-\d\d-\d\d)?\)")


class QuotedLine(NamedTuple):
    """A line of an episode that quotes a line of a log."""

    number: int  # of the episode
    block: str
    line: int  # of the log
    said: str


class EpisodeFile(NamedTuple):
    """An episode, the log lines that it was made of, and those that it quotes."""

    id: str
    path: str
    data: bytes
    ranges: tuple[LogRange, ...]
    quotes: tuple[QuotedLine, ...]

    def mark(self, number: int) -> ForgottenMark:
        """The mark of one of its lines."""
        return ForgottenMark(range_of(self.path, whole_lines(self.data), number, number))


class SourcedFact(NamedTuple):
    """A fact or a statement, where it stands, and what it names as its sources."""

    path: str
    id: str
    entity: str
    field: str
    value: str
    day: str
    current: bool
    sources: tuple[str, ...]


class Provenance(NamedTuple):
    """The marks of lines, and the ids of what stays that says the same or rests on them."""

    marks: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()


class ProvenanceFinder:
    """Finds what memories of one vault rest on; reads the files as they are now."""

    def __init__(self, context: WriteContext) -> None:
        self._context = context
        self._turns: dict[str, tuple[list[bytes], tuple[Turn, ...]]] = {}

    @cached_property
    def facts(self) -> list[SourcedFact]:
        """Every fact and statement that holds now."""
        return [fact for fact in self.all_facts if fact.current]

    @cached_property
    def _resting_on(self) -> dict[str, list[SourcedFact]]:
        return grouped((source, fact) for fact in self.facts for source in dict.fromkeys(fact.sources))

    @cached_property
    def all_facts(self) -> list[SourcedFact]:
        """Those of History, too."""
        facts, collections = [], self._context.schema().collections
        for path in files.list_files(self._context.root, "semantic", ".md"):
            if path.rpartition("/")[2].startswith("_"):
                continue
            sheet = Sheet.of(self._context.text(path), SemanticFile(path, collections))
            facts += [
                SourcedFact(
                    path, f.id, f.entity, f.field, f.value, f.day, f.current, sources_in(sheet.fields(f))
                )
                for f in sheet.facts.facts
            ]
        return facts

    @cached_property
    def episodes(self) -> list[EpisodeFile]:
        """Every episode that cites lines of logs."""
        return [episode for episode in self.all_episodes if episode.path.startswith("episodes/")]

    @cached_property
    def all_episodes(self) -> list[EpisodeFile]:
        """Those of the archive, too."""
        root, folders = self._context.root, ("episodes", "archive/episodes")
        paths = (path for folder in folders for path in files.list_files(root, folder, ".md"))
        return [episode for episode in map(self.episode, paths) if episode.ranges]

    def episode(self, path: str) -> EpisodeFile:
        """An episode, read."""
        data = files.read_file(self._context.root, path).data
        text = decode(data).text
        meta = split(readable(text)).meta
        quotes = filter(None, (_quotation(number, line) for number, line in enumerate(lines_of(text), 1)))
        source, id_ = meta.get("source"), text_of(meta.get("id")) or path.removesuffix(".md")
        cited = " ".join(source) if isinstance(source, list) else text_of(source)
        return EpisodeFile(id_, path, data, tuple(parse_ranges(cited)), tuple(quotes))

    def turns(self, path: str) -> tuple[list[bytes], tuple[Turn, ...]]:
        """The lines of a log with their ends, and its turns; nothing of a log that is not there."""
        if path not in self._turns:
            data = files.data_at(self._context.root, path) or b""
            self._turns[path] = whole_lines(data), read_note(path, data).turns
        return self._turns[path]

    def of_turn(self, address: Address) -> Provenance:
        """The lines of a turn, or of a whole log, and those of episodes that quote them; named is which facts rest on them."""
        lines, turns = self.turns(address.path)
        if not address.path.startswith("logs/") or not lines:
            raise InputError(f"{address.id} is in the archive already; no answer holds it")
        turns_meant = [turn for turn in turns if address.kind == "log" or turn.id == address.id]
        marks = [_mark(address.path, lines, turn) for turn in turns_meant]
        stays: dict[str, None] = {}
        for episode in self.episodes:
            ranges = [r for r in episode.ranges if r.path == address.path]
            numbers = {t.line for t in turns_meant if any(r.first <= t.line <= r.last for r in ranges)}
            for quote in episode.quotes:
                if quote.line in numbers:
                    citing = self._citing(episode, {quote.block})
                    stays.update(dict.fromkeys(fact.id for fact in citing))
                    marks += [] if citing else [episode.mark(quote.number)]
        return Provenance(tuple(map(str, marks)), tuple(stays))

    def of_note(self, address: Address) -> Provenance:
        """The log lines that an episode was made of, but for those on which a fact rests that stays."""
        if address.kind != "episode":
            return Provenance()
        episode, marks, stays = self.episode(address.path), list[ForgottenMark](), dict[str, None]()
        for range_ in episode.ranges:
            lines, turns = self.turns(range_.path)
            for turn in turns:
                if range_.first <= turn.line <= range_.last:
                    blocks = {quote.block for quote in episode.quotes if quote.line == turn.line}
                    if self._citing(episode, blocks):
                        stays[turn.id] = None
                    else:
                        marks.append(_mark(range_.path, lines, turn))
        return Provenance(tuple(map(str, marks)), tuple(stays))

    def of_fact(self, address: Address) -> Provenance:
        """The lines that say a fact, in the episodes that it names as its source and in the logs of these.

        A line that says more than this stays, without the words that say this.
        """
        fact = next((f for f in self.facts if f.path == address.path and f.id == address.id), None)
        return Provenance(self.marks_behind(fact) if fact else ())

    def marks_behind(self, fact: SourcedFact) -> tuple[str, ...]:
        """The marks of the lines that say this fact."""
        marks = (mark for source in fact.sources for mark in self._of_source(fact, source))
        return tuple(dict.fromkeys(map(str, marks)))

    def _of_source(self, fact: SourcedFact, source: str) -> Iterator[ForgottenMark]:
        name, _, block = source.partition("#^")
        address = self._context.lookup.resolve(name)
        if address is None:
            return
        if address.kind == "turn":
            lines, turns = self.turns(address.path)
            for turn in (turn for turn in turns if turn.id == address.id and lines):
                yield _mark(address.path, lines, turn)
            return
        if address.kind != "episode" or not address.path.startswith("episodes/") or not block:
            return
        place = address.path.removesuffix(".md")
        if name not in (address.id, place, place.rpartition("/")[2]):
            block = ""  # of a note that this one took in: its words tell the line
        episode = self.episode(address.path)
        gone = [
            quote
            for quote in episode.quotes
            if (quote.block == block or (tells(fact.value) and place_of_words(quote.said, fact.value)))
            and not self._citing(episode, {quote.block}, but=fact)
        ]
        yield from (episode.mark(quote.number) for quote in gone)
        text_lines = lines_of(decode(episode.data).text) if tells(fact.value) else []
        for quote in episode.quotes if text_lines else ():
            if quote not in gone:  # a line that says more, as one with what was answered to it
                yield from (
                    episode.mark(quote.number)._replace(start=start, end=end)
                    for start, end in place_of_words(text_lines[quote.number - 1], fact.value)
                )
        for range_ in episode.ranges:
            yield from self._of_log(fact, episode, range_, gone)

    def _of_log(
        self, fact: SourcedFact, episode: EpisodeFile, range_: LogRange, gone: Sequence[QuotedLine]
    ) -> Iterator[ForgottenMark]:
        lines, turns = self.turns(range_.path)
        for turn in turns:
            if not range_.first <= turn.line <= range_.last:
                continue
            turn_mark = _mark(range_.path, lines, turn)
            quotes = [quote for quote in episode.quotes if quote.line == turn.line]
            if len(episode.ranges) > 1:  # a line of this number may be of another log
                quotes = [quote for quote in quotes if place_of_words(turn.text, quote.said)]
            if quotes and all(quote in gone for quote in quotes):
                yield turn_mark
                continue
            words_said = [quote.said for quote in quotes if quote in gone]
            if not all(place_of_words(turn.text, words) for words in words_said):
                yield turn_mark  # it stands there in other words
                continue
            words_said += [fact.value] * tells(fact.value)
            yield from (ForgottenMark(turn_mark.place, *span) for span in _merge(turn.text, words_said))

    def _citing(
        self, episode: EpisodeFile, blocks: set[str], but: SourcedFact | None = None
    ) -> list[SourcedFact]:
        """The facts that rest on one of these blocks of an episode."""
        cited = [
            f"{name}#^{block}"
            for name in dict.fromkeys((episode.id, episode.path.removesuffix(".md")))
            for block in sorted(blocks)
        ]
        citing = {fact.id: fact for source in cited for fact in self._resting_on.get(source, ())}
        return [fact for fact in citing.values() if fact is not but]


def _mark(path: str, lines: list[bytes], turn: Turn) -> ForgottenMark:
    """The mark of all lines of a turn."""
    return ForgottenMark(range_of(path, lines, turn.line, min(turn.end_line, len(lines))))


def _merge(text: str, said: Iterable[str]) -> list[tuple[int, int]]:
    """Where any of these words stand, each place once."""
    spans = sorted(span for words in said for span in place_of_words(text, words))
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _quotation(number: int, line: str) -> QuotedLine | None:
    """The line of an episode as a quotation; None for any other line."""
    item = read_line(line)
    if not (spoken := log_line(item.block)) or item.bullet[:1] not in {*"-*+"}:
        return None
    words = item.content
    who, colon, behind = words.partition(":")
    if colon and 0 < len(who) <= _SPEAKER and behind[:1] in (" ", "\t"):
        words = behind.strip()
    return QuotedLine(number, item.block, spoken, ADDED.sub("", words))


def is_log(address: Address) -> bool:
    """True for a turn and for a whole log."""
    return address.kind in {"turn", "log"} and address.path.startswith(LOGS)
