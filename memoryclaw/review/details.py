"""What waits, taken apart for a person: the value that holds now, those before it, rivals, and the turns around its words. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memoryclaw.consolidation.actions import AddPending, AddStatement, SetFact
from memoryclaw.consolidation.changes import RUNS, outcome_of, read_record
from memoryclaw.consolidation.selecting import OpenBranch
from memoryclaw.errors import InputError, MemoryClawError
from memoryclaw.history.repository import History
from memoryclaw.late import NamedTuple
from memoryclaw.lifecycle.keeping import FactPlaces
from memoryclaw.model import Fact, Turn
from memoryclaw.recall.conflicts import Superseded
from memoryclaw.review.decide import fact_target
from memoryclaw.review.file_changes import texts_of
from memoryclaw.review.file_history import FactSource, FileDiff, follow_source
from memoryclaw.review.queue import ReviewItem, confirm_text, waiting_items
from memoryclaw.review.setting_questions import with_answer
from memoryclaw.text.memory_lines import log_line
from memoryclaw.vault import files
from memoryclaw.vault.conflict_rules import FactAt
from memoryclaw.vault.edits import fact_sources, same
from memoryclaw.vault.layout import place_of
from memoryclaw.vault.logs import LogRange, parse_ranges
from memoryclaw.vault.notes import read_note
from memoryclaw.writing.context import WriteContext, fact_in_words

_AROUND = 2  # turns before and after the one that is quoted
_MOST = 12  # turns of a passage that quotes no line


class QuotedTurn(NamedTuple):
    """One turn of a conversation; `quoted` is True for a turn that the claim rests on."""

    id: str
    when: str
    role: str
    who: str
    text: str
    line: int
    quoted: bool


class SourcePassage(NamedTuple):
    """Where something was said: the episode that tells it with its quote, and the turns of the log around it."""

    source: str  # as it is named
    path: str  # of the episode; empty where there is none yet
    quote: str
    log: str  # the path of the log
    session: str
    turns: tuple[QuotedTurn, ...]
    notice: str  # what of this is missing, and why


class Details(NamedTuple):
    """What waits, taken apart. The values are newest first."""

    many: bool = False  # the field may hold several values side by side
    holds: tuple[FactAt, ...] = ()
    before: tuple[FactAt, ...] = ()
    rivals: tuple[ReviewItem, ...] = ()  # other answers for the same field, which wait as well
    said: tuple[SourcePassage, ...] = ()


def details(context: WriteContext, item: ReviewItem, among: Sequence[ReviewItem] | None = None) -> Details:
    """The details of one thing that waits `among` others; a skill or a run on a branch has none."""
    sources: Iterable[str] = ()
    if item.fact is not None:
        sources = filter(None, map(str.strip, item.fact.source.split(",")))
    elif item.check is not None:
        sources = filter(None, item.source.split(", "))
    elif item.conflict is not None:
        names = dict[str, None]()
        for path, fact in item.conflict.facts:
            file, text = context.semantic(path), context.text(path)
            # A property has no sources.
            if not file.is_note and any(listed.id == fact.id for listed in file.facts(text).facts):
                names |= dict.fromkeys(fact_sources(text, file, fact.id))
        sources = names
    elif item.change is None:
        return Details()
    passages = tuple(_passage(context, follow_source(context, source)) for source in sources)
    if item.change is not None:
        passages = tuple(_passages(context, item))
    if not item.entity:
        return Details(said=passages)
    many, (holds, before) = context.schema().holds_many(item.field), _values(context, item)
    rivals = _rivals(context, item, waiting_items(context) if among is None else among) if item.field else ()
    return Details(many, holds, before, tuple(rivals), passages)


def _values(context: WriteContext, item: ReviewItem) -> tuple[tuple[FactAt, ...], tuple[FactAt, ...]]:
    """What holds of the field now, and what held before."""
    entity, holds, before = context.lookup.entity_name(item.entity), list[FactAt](), list[FactAt]()
    for path in context.lookup.entity_files(entity) if item.field else ():
        if place_of(path) != ("semantic", "current"):
            continue
        for fact in context.semantic(path).facts(context.text(path)).facts:
            if same(fact.entity, entity) and same(fact.field, item.field) and not fact.is_statement:
                (holds if fact.current else before).append((path, fact))
    by_day = sorted(before, key=lambda pair: (pair[1].until, pair[1].since), reverse=True)
    return tuple(holds), tuple(by_day)


def _rivals(context: WriteContext, item: ReviewItem, among: Iterable[ReviewItem]) -> Iterator[ReviewItem]:
    """What else waits for the same field of the same entity."""
    name = context.lookup.entity_name
    own = name(item.entity)
    for rival in among:
        is_of_field = rival.id != item.id and rival.field and same(rival.field, item.field)
        if is_of_field and same(name(rival.entity), own):
            yield rival


def _passages(context: WriteContext, item: ReviewItem) -> Iterator[SourcePassage]:
    """Where a proposal was said: the lines that its facts name, in the ranges of the log that it was read from."""
    actions = item.change.actions if item.change else ()
    named = [action.source for action in actions if isinstance(action, (SetFact, AddStatement))]
    lines = {line for source in ",".join(named).split(",") if (line := _line_of(source))}
    for range_ in parse_ranges(item.source):
        lines_here = {line for line in lines if range_.first <= line <= range_.last}
        yield _of_range(context, FactSource(str(range_), log=str(range_)), range_, lines_here)


def _passage(context: WriteContext, source: FactSource) -> SourcePassage:
    whole = [LogRange(source.log, source.line, source.line, "")] if source.log else []
    for range_ in parse_ranges(source.log) or whole:
        if not source.line or range_.first <= source.line <= range_.last:
            return _of_range(context, source, range_, {source.line} if source.line else set())
    return SourcePassage(source.source, source.path, source.quote, "", "", (), source.notice)


def _of_range(context: WriteContext, source: FactSource, range_: LogRange, lines: set[int]) -> SourcePassage:
    turns = _turns(context, range_.path)
    if lines:
        places = [number for number, turn in enumerate(turns) if turn.line in lines]
        near = {place for number in places for place in range(number - _AROUND, number + _AROUND + 1)}
        chosen = [turn for number, turn in enumerate(turns) if number in near]
    else:
        chosen = [turn for turn in turns if range_.first <= turn.line <= range_.last]
    quoted = tuple(
        QuotedTurn(t.id, t.ts, t.role, t.name or t.role, t.text, t.line, t.line in lines)
        for t in chosen[:_MOST]
    )
    session = turns[0].session if turns else ""
    notice = source.notice or ("" if turns else f"{range_.path} is gone")
    return SourcePassage(source.source, source.path, source.quote, range_.path, session, quoted, notice)


def _turns(context: WriteContext, path: str) -> tuple[Turn, ...]:
    """The turns of a log; none of one that is gone."""
    try:
        return read_note(path, files.read_file(context.root, path).data).turns
    except MemoryClawError:
        return ()


# A conversation, with what became of each turn.


class Made(NamedTuple):
    """Something that was made of a turn."""

    kind: str  # episode | proposed (an episode that waits) | fact | superseded | waits
    id: str
    what: str


class TurnShown(NamedTuple):
    """One turn, the run that read it (empty: none has), and what it made of it."""

    turn: Turn
    path: str
    run: str
    made: tuple[Made, ...]


class Conversation(NamedTuple):
    """The turns of a session."""

    session: str
    paths: tuple[str, ...]
    turns: tuple[TurnShown, ...]


def conversation(
    context: WriteContext,
    session: str,
    paths: Sequence[str],
    facts_told: Iterable[tuple[str, Fact]],
    over: Mapping[str, Mapping[int, Sequence[Superseded]]],
) -> Conversation:
    """The turns of a session in these logs.

    Args:
        facts_told: the facts of the vault; those with a source among the episodes are named.
        over: what the lines of each log told and holds no longer.
    """
    read = []  # the runs that read these logs: their ranges, and those of each episode
    episodes: dict[str, list[LogRange]] = {}
    for name in files.list_files(context.root, RUNS):
        text = context.text(name)
        if any(path in text for path in paths):
            record = read_record(text)
            sources = {id_: parse_ranges(source) for id_, source in record.episodes.items()}
            read.append((record.run, record.ranges, sources))
            for id_, ranges in sources.items():
                episodes.setdefault(id_, []).extend(ranges)
    items = waiting_items(context)
    rests = _dependents(context, episodes, facts_told, items)
    # A run names the episodes that it proposed, too: they wait, or a person took them back.
    absent = {id_ for id_ in episodes if context.lookup.resolve(id_) is None}
    proposed = {
        item.change.id: Made("proposed", item.id, item.what)
        for item in items
        if item.change is not None and item.kind == "episode" and item.change.id in absent
    }
    gone, turns_shown = absent - proposed.keys(), []
    for path in paths:
        for turn in _turns(context, path):
            if turn.session == session:
                runs = [run for run, ranges, _ in read if _holds_line(ranges, path, turn.line)]
                ids = [id_ for id_, ranges in episodes.items() if _holds_line(ranges, path, turn.line)]
                links = [proposed.get(id_) or Made("episode", id_, id_) for id_ in ids if id_ not in gone]
                links += [resting for id_ in ids for resting in rests.get((id_, turn.line), ())]
                for line in over.get(path, {}).get(turn.line, ()):
                    words = fact_in_words(line.entity, line.field, line.value)
                    links.append(Made("superseded", line.fact, f"{words} ({line.mark()})"))
                run = runs[0] if runs else ""
                turns_shown.append(TurnShown(turn, path, run, tuple(dict.fromkeys(links))))
    return Conversation(session, tuple(paths), tuple(turns_shown))


def worth_of(context: WriteContext, fact: Fact) -> str:
    """What spoke for keeping a fact or statement, by the newest run that kept it: "answers a question +0.4"; empty where no run weighed it."""
    for name in sorted(files.list_files(context.root, RUNS), reverse=True):
        text = context.text(name)
        worth = read_record(text).worth if fact.value in text else {}
        if sentence := worth.get((fact.entity, fact.field, fact.value)):
            return sentence
    return ""


def _holds_line(ranges: Iterable[LogRange], path: str, line: int) -> bool:
    return any(range_.path == path and range_.first <= line <= range_.last for range_ in ranges)


def _dependents(
    context: WriteContext,
    episodes: Iterable[str],
    facts_told: Iterable[tuple[str, Fact]],
    items: Iterable[ReviewItem],
) -> dict[tuple[str, int], list[Made]]:
    """The facts, and the questions, that rest on a line of these episodes, by episode and line."""
    names = dict[str, str]()
    for id_ in episodes:
        address = context.lookup.resolve(id_)
        names |= {id_: id_} | ({address.path.rpartition("/")[2].removesuffix(".md"): id_} if address else {})
    rests = dict[tuple[str, int], list[Made]]()

    def rest(source: str, made: Made) -> None:
        for name_in_source in source.split(","):
            name, line = _name_of(name_in_source), _line_of(name_in_source)
            if name in names and line:
                rests.setdefault((names[name], line), []).append(made)

    places = FactPlaces(context)  # a fact names its first source, without the line
    for path, fact in facts_told:
        if fact.current and _name_of(fact.source) in names:
            made = Made("fact", fact.id, fact_in_words(fact.entity, fact.field, fact.value))
            rest(", ".join(places.of(path, fact)), made)
    for item in items:
        actions = item.change.actions if item.change is not None else ()
        claims = (action for action in actions if isinstance(action, (SetFact, AddStatement, AddPending)))
        for claim in [item.fact] if item.fact is not None else claims:
            rest(claim.source, Made("waits", item.id, item.what))
    return rests


def _line_of(source: str) -> int:
    """The line of a log that a source names; 0 where it names none."""
    return log_line(source.partition("#^")[2].partition("|")[0].strip(" ]"))


def _name_of(source: str) -> str:
    """The name of the episode that a source names."""
    return source.strip().strip("[]").rpartition("/")[2].partition("#")[0]


# What an approval would change, as texts before and after. Nothing is written, and the user's files are as they are now.


def differences(context: WriteContext, item: ReviewItem) -> list[FileDiff]:
    """The files that would change if this were approved now.

    Raises:
        InputError: it cannot be done as it stands.
    """
    return [difference for difference in _differences(context, item) if difference.before != difference.after]


def _differences(context: WriteContext, item: ReviewItem) -> Iterator[FileDiff]:
    """Of a conflict nothing: what would change depends on the value that is chosen."""
    if item.fact is not None:
        place = fact_target(context, item.fact)
        before = context.text(place.file.path)
        yield FileDiff(place.file.path, before, place.write(before).text)
    elif item.change is not None:
        outcomes = outcome_of(
            [item.change],
            context.schema().collections,
            lambda path: context.text(path) if files.exists(context.root, path) else None,
        )
        for path, (before, after) in outcomes.items():
            yield FileDiff(path, before, after)
    elif item.branch is not None:
        yield from _of_branch(History(context.root), item.branch)
    elif item.check is not None:
        text = context.text(item.path)
        yield FileDiff(item.path, text, confirm_text(context, item.check, text))
    elif item.question is not None:
        text = context.text(item.path)
        yield FileDiff(item.path, text, with_answer(item.question, 1)(text))
    elif item.foreign:
        text = context.text(item.path)
        yield FileDiff(item.path, text, text + item.text)
    elif item.widened or item.is_skill:
        yield FileDiff(item.path or item.id, "", item.text)
    elif item.conflict is None:
        raise InputError(f"{item.id} {item.why}")


def _of_branch(history: History, branch: OpenBranch) -> Iterator[FileDiff]:
    for recorded in branch.commits:
        for change in history.changes(recorded.commit):
            if not change.path.startswith(f"{RUNS}/"):  # the record of the run is for machines
                yield FileDiff(change.path, *texts_of(change), recorded.subject)
