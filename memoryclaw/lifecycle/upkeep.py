"""Upkeep: the part of the nightly run that looks at what is there already. No model takes part, and nothing is deleted."""

from __future__ import annotations

import hashlib
import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import combinations
from typing import Any

from memoryclaw.config import Config
from memoryclaw.consolidation import actions
from memoryclaw.consolidation.actions import (
    Action,
    AddLines,
    AddSearchWords,
    EndFact,
    MoveFile,
    NoteBelow,
    SetFact,
    Stands,
)
from memoryclaw.consolidation.apply import apply
from memoryclaw.consolidation.changes import FOLDER, ChangeSet, PlannedChange, ToolSequence, fingerprint_of
from memoryclaw.consolidation.consolidate import Consolidated, Rehearse, hold_back, one_at_a_time
from memoryclaw.consolidation.exchanges import PROMPT, sessions
from memoryclaw.consolidation.mining import are_alike as same_calls
from memoryclaw.consolidation.mining import step_of, tightest
from memoryclaw.consolidation.planning import Shingles, shingles
from memoryclaw.errors import LockedError
from memoryclaw.index.catalog import Catalog
from memoryclaw.late import NamedTuple
from memoryclaw.lifecycle.conflict_decisions import KIND, side_in_words, standing_conflicts
from memoryclaw.lifecycle.keeping import UPKEEP, FactPlaces, Keeper, UpkeepContext, is_open, resting
from memoryclaw.lifecycle.pages import refresh
from memoryclaw.model import FROM_NOW_ON, SESSION, TRUSTS, Fact, Lifecycle, Problem, Turn, grouped
from memoryclaw.ports import Lookup
from memoryclaw.recall.browsing import links
from memoryclaw.recall.restated import stems
from memoryclaw.recall.strength import HALF_LIVES
from memoryclaw.skills.listing import DRAFT, EVENT, ListedSkill, RunOutcome, list_skills
from memoryclaw.skills.skill_file import read_recipe
from memoryclaw.talk.orders import are_alike, denies, stems_of
from memoryclaw.talk.statements import read
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.encoding import readable, texts_in
from memoryclaw.text.frontmatter import split
from memoryclaw.text.grammar import codes, grammar, is_filler, spoken_in, tokens_of
from memoryclaw.text.language import fold, key_of, keys_of, words_of
from memoryclaw.text.memory_lines import read_line, without_ids
from memoryclaw.text.prompts import one_line
from memoryclaw.text.redaction import MARK
from memoryclaw.text.words import words
from memoryclaw.vault import files
from memoryclaw.vault.audience import label_in, label_of_note, of_folders
from memoryclaw.vault.conflict_rules import Conflict, agree, key_of_fact
from memoryclaw.vault.edits import name_key
from memoryclaw.vault.export_gate import withheld_names
from memoryclaw.vault.forgotten import ForgottenLines
from memoryclaw.vault.layout import ALIASES_FILE, SEMANTIC, place_of, run_id
from memoryclaw.vault.logs import parse_ranges
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.properties import ends, is_preference, names_of, text_of
from memoryclaw.vault.state_folder import mark, read_mark
from memoryclaw.writing.context import fact_in_words

UPKEPT = "upkept"  # in the state folder: the day on which the nightly run last did its upkeep


# What no longer counts goes out of the way: an expired note to the archive, the line of an expired fact to its History.

_SESSIONS = (SESSION, f"{SESSION}:%")


def expiries(context: UpkeepContext) -> Iterator[PlannedChange]:
    """The notes and facts whose last day is over, or whose session has been idle for a day."""
    for (path, id_, title), _, why in _over(context, _NOTES):
        target = files.free_path(context.writing.root, f"archive/{path}")
        reason = f"{why}; `memoryclaw forget --undo {id_}` brings it back"
        if move := resting(context, MoveFile(path, target)):
            yield PlannedChange("archive", f"Expired: {title}", (move,), (reason,))
    for (path, entity, field, value), end, why in _over(context, _FACTS):
        if action := resting(context, EndFact(path, entity, field, value, end)):
            sentence = fact_in_words(entity, field, value)
            yield PlannedChange("expired", f"Expired: {sentence}", (action,), (why,))


# What is looked at, with its day and its lifecycle.
_NOTES = """select path, id, title, at, memory_type, scope, expires, verify_by, verified from files
    where (expires != '' or scope = ? or scope like ?) and state = 'current' and kind in ('episode', 'note', 'semantic') order by path"""
_FACTS = """select path, entity, field, value, max(since, said), memory_type, scope, expires, verify_by, verified
    from facts where (expires != '' or scope = ? or scope like ?) and current = 1 and state = 'current' and path glob 'semantic/*' order by path, seq"""


def _over(context: UpkeepContext, sql: str) -> Iterator[tuple[list[str], str, str]]:
    """What is over, as its row tells it, with the last day on which it counted, and why."""
    rows = [(row[:-6], str(row[-6]), Lifecycle(*row[-5:])) for row in context.catalog.rows(sql, _SESSIONS)]
    active = context.catalog.last_active(str(lifecycle.scope) for _, _, lifecycle in rows)
    for row, day, lifecycle in rows:
        end = ends(lifecycle, max(active.get(lifecycle.scope, ""), day[:10]))
        if end and end < context.writing.today:
            of_day = f"its last day was {end}" if lifecycle.expires == end else ""
            yield [*map(str, row)], end, of_day or "its session has been idle for a day"


# Episodes that nothing has used for long: proposed for the archive, all in one batch, each with why. `forget --undo` brings them back.

ARCHIVE = "archive"
OLD = 3 * HALF_LIVES["episode"]  # active days after which an episode that nothing has used is proposed
MOST_EXPIRED = 100  # in one batch, the oldest first
_MOVED = "- file: "  # as a proposal writes what it moves
_CANDIDATES = """select id, path, title, at from files where kind = 'episode' and state = 'current' and pinned = 0
    and at != '' and substr(at, 1, 10) < ? and coalesce(partial, 0) != 1 and fid in (select fid from cited)
    and fid not in (select fid from unit where (kind = 'todo' and field = 'open') or (days != '' and days >= ?))
    order by at, path"""


def unused_episodes(context: UpkeepContext) -> Iterator[PlannedChange]:
    """Proposes for the archive the episodes of consolidation that are old and were never used, and that nothing else leads to.

    What a person has kept once, or brought back, is not asked about again, and nothing while an earlier batch waits.
    """
    days = context.ledger.record().days
    today = context.writing.now.astimezone(UTC).date().isoformat()
    before = days[: bisect_left(days, today)]
    if len(before) <= OLD or (proposed_before := _proposed_paths(context)) is None:
        return
    rated = context.ledger.record().uses
    liked = (id_ for id_, uses in rated.items() if any(use.cited or use.rating > 2 for use in uses))
    used = {id_.partition("#")[0] for id_ in (*liked, *context.ledger.fetched_ids())}
    chosen: list[tuple[str, str]] = []
    for id_, path, title, day in context.catalog.rows(_CANDIDATES, (before[-OLD], today)):
        if id_ in used or path in proposed_before or links(id_, context.catalog, context.vault).back:
            continue
        badly = ", and rated badly" if any(rated_id.partition("#")[0] == id_ for rated_id in rated) else ""
        age = len(before) - bisect_left(before, str(day)[:10])
        when = f"of {str(day)[:10]}, {age} active days ago"
        chosen.append((path, f"{one_line(title)}: {when}; never cited or opened{badly}"))
        if len(chosen) == MOST_EXPIRED:
            break
    if chosen:
        moves = tuple(MoveFile(path, f"archive/{path}") for path, _ in chosen)
        number = f"{len(chosen)} episodes" if len(chosen) > 1 else "an episode"
        yield PlannedChange(
            ARCHIVE,
            f"Archive {number} that nothing has used for long",
            tuple(move for move in moves if not files.exists(context.writing.root, move.to)),
            tuple(reason for _, reason in chosen),
            reason=f"older than {OLD} days on which the vault was used, and nothing leads to them; `memoryclaw forget --undo` brings any of them back",
        )


def _proposed_paths(context: UpkeepContext) -> set[str] | None:
    """The files that a person was asked about before; None while a batch waits."""
    root, paths = context.writing.root, set[str]()
    for folder in ("review", "archive/review"):
        for path in files.list_files(root, folder, ".md"):
            if path.rpartition("/")[2].startswith(f"{ARCHIVE}-"):
                if folder == "review":
                    return None
                lines = context.writing.text(path).splitlines()
                paths.update(line.removeprefix(_MOVED) for line in lines if line.startswith(_MOVED))
    return paths


# Conflicts that a rule decides, because the schema says so of their field: trust, then explicitness, then date. Any other waits for a person.

_TALK = frozenset({"episode", "turn", "log"})  # kinds of sources from which facts are inferred


class _Standing(NamedTuple):
    """How much one value has for it, the strongest of its lines."""

    trust: int
    explicit: bool
    since: str

    def beats(self, other: _Standing) -> str:
        """The rule by which it holds rather than another, as a sentence; empty where no rule says so."""
        if self.trust != other.trust:
            return "what is trusted more holds" if self.trust > other.trust else ""
        if self.explicit != other.explicit:
            return "what a person wrote holds rather than what was inferred from talk" * self.explicit
        dated = bool(self.since and other.since)
        return "the later one holds" if dated and self.since > other.since else ""


def superseding(context: UpkeepContext) -> Iterator[PlannedChange]:
    """The conflicts that are decided now. A property of a note is a person's line, and is never changed by a rule."""
    writing = context.writing
    for conflict in standing_conflicts(writing):
        if not conflict.supersede:
            continue
        strength = [max(_strength(writing.lookup, fact) for _, fact in side) for side in conflict.sides]
        for number, (side, own_strength) in enumerate(zip(conflict.sides, strength, strict=True)):
            rules = [own_strength.beats(rival) for n, rival in enumerate(strength) if n != number]
            value = side[0][1].value
            if all(rules) and all(place_of(path) == SEMANTIC for path, _ in conflict.against(value)):
                yield from _decision(context, conflict, value, list(dict.fromkeys(rules)))


def _strength(lookup: Lookup, fact: Fact) -> _Standing:
    source = lookup.resolve(fact.source) if fact.source else None
    inferred = source is not None and source.kind in _TALK
    return _Standing(-TRUSTS.index(fact.trust), not inferred, fact.since[:10])


def _decision(
    context: UpkeepContext, conflict: Conflict, value: str, rules: list[str]
) -> Iterator[PlannedChange]:
    ended = conflict.against(value)
    others = " or ".join(dict.fromkeys(fact.value for _, fact in ended))
    reason = f"{conflict.field} may be superseded by rule (semantic/_schema.yaml): {', and '.join(rules)}"
    path, holds = next(side[0] for side in conflict.sides if side[0][1].value == value)
    actions: list[Action] = [Stands(path, holds.entity, holds.field, value)]
    actions += [
        EndFact(path, fact.entity, fact.field, fact.value, context.writing.today) for path, fact in ended
    ]
    bound = [bound_by for action in actions if (bound_by := resting(context, action))]
    if len(bound) == len(actions):
        yield PlannedChange(
            KIND,
            f"{fact_in_words(conflict.entity, conflict.field, value)} (was {others})",
            tuple(bound),
            (reason, *(side_in_words(side, conflict.entity) for side in conflict.sides)),
        )


# Habits: the same preference or wish on three days is proposed once, with all its places, whatever words it had.

HABIT, FILE = "habit", "semantic/preferences.md"
DAYS = 3  # on which it was shown
_KINDS = frozenset({"prefer", "order", "wish"})  # of statements
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class _Shown(NamedTuple):
    """A preference as it was shown, with the days and places where it was."""

    entity: str
    said: str  # its words, with the verb that is its field
    places: tuple[tuple[str, str], ...]  # (day, id of the line), the earliest first
    stems: frozenset[str]
    denies: bool
    of_wish: bool  # its field says that it is a preference; of a statement its words have to


def habits(context: UpkeepContext) -> Iterator[PlannedChange]:
    """A proposal for each preference that was shown on three days. What is for few people alone is left out."""
    by_entity: dict[str, list[_Shown]] = defaultdict(list)
    decided: dict[str, list[frozenset[str]]] = defaultdict(list)
    places = FactPlaces(context.writing)
    for path, fact in context.catalog.facts():
        if not path.startswith("semantic/"):
            continue
        if fact.field == HABIT:  # current or past: it was decided
            decided[name_key(fact.entity)].append(stems_of(fact.value))
        elif preference := _sample(context.catalog, fact, partial(places.of, path)):
            by_entity[name_key(fact.entity)].append(preference)
    for entity, preferences in sorted(by_entity.items()):
        for group in _groups(sorted(preferences, key=lambda wish: (wish.places[0], wish.said))):
            if not any(are_alike(group[0].stems, stems) for stems in decided[entity]):
                first = group[0]
                spots = sorted({(day, source, shown.said) for shown in group for day, source in shown.places})
                days = sorted(_days(group))
                source = ", ".join(dict.fromkeys(source for _, source, _ in spots))
                action = SetFact(FILE, first.entity, HABIT, first.said, days[0], source, many=True)
                yield PlannedChange(
                    kind=HABIT,
                    title=fact_in_words(first.entity, HABIT, first.said),
                    actions=(action,),
                    evidence=tuple(f'{day}: "{words}" ([[{source}]])' for day, source, words in spots),
                    confidence="medium",
                    reason=f"it was shown on {len(days)} days, from {days[0]} to {days[-1]}",
                )


def _sample(catalog: Catalog, fact: Fact, sources: Callable[[Fact], list[str]]) -> _Shown | None:
    """What a fact shows, if it may be a preference that a person told everybody."""
    holds = fact.current or (fact.is_statement and not fact.until)
    may_tell = fact.is_statement or is_preference(fact.field)
    if not (holds and may_tell) or fact.audience or fact.trust != "trusted":
        return None
    dated = set[tuple[str, str]]()
    for source in sources(fact):  # the day of an episode is in its name
        address = catalog.resolve(source.partition("#")[0])
        if address and address.path.removeprefix("archive/").startswith("episodes/"):
            hit = _DAY.match(address.path.rpartition("/")[2])
            dated |= {(hit[0], source)} if hit else set()
    places = tuple(sorted(dated))
    words = fact.value if fact.is_statement or fact.field == FROM_NOW_ON else f"{fact.field} {fact.value}"
    stems = stems_of(fact.value)
    if not (places and stems):
        return None
    is_denial = fact.field in ("dislikes", "never") or denies(words)
    return _Shown(fact.entity, words, places, stems, is_denial, not fact.is_statement)


def _groups(shown: Sequence[_Shown]) -> Iterator[list[_Shown]]:
    """Those that are alike and were shown on enough days, each named by its earliest; none is in two groups."""
    holding = grouped((stem, place) for place, sign in enumerate(shown) for stem in sign.stems)
    taken: set[int] = set()
    for place, sign in enumerate(shown):
        near = sorted({spot for stem in sign.stems for spot in holding[stem]} - taken)
        alike = [n for n in near if shown[n].denies == sign.denies and are_alike(sign.stems, shown[n].stems)]
        if place in taken or len(_days(shown[n] for n in alike)) < DAYS:
            continue
        # Statements are read only here: most of them are like no others.
        wishes = [n for n in alike if shown[n].of_wish or _is_wish(shown[n].said)]
        if place in wishes and len(_days(shown[n] for n in wishes)) >= DAYS:
            taken.update(wishes)
            yield [sign, *(shown[n] for n in wishes if n != place)]


def _days(shown_in: Iterable[_Shown]) -> set[str]:
    return {day for shown in shown_in for day, _ in shown.places}


def _is_wish(text: str) -> bool:
    """True for a statement in which somebody likes, orders or wishes something, or always does it."""
    turn = Turn(
        id="", session="", turn="", ts="", role="user", name="", text=text, line=1, end_line=1
    )  # fmt: skip
    words, tokens = grammar(_code(text)), tokens_of(text)
    if words.lasting.within(tokens) or words.habitual.within(tokens):
        return True
    return any(statement.kind in _KINDS for statement in read([turn], {}, _code(text)).statements)


def _code(text: str) -> str:
    code = spoken_in(text, "en")
    return code if code in codes() else "en"


# Misses: what was looked for in vain and then opened or cited in the same session. The words that lacked are proposed as its search
# words, a batch a week.

MISS = "search-words"
WITHIN = timedelta(minutes=15)  # of a question, in which what it looked for is opened
BESIDE = timedelta(minutes=2)  # in which the log has its turn, and what was asked is one question
MOST_LACKING = 4  # words of a question that lacked: a longer one was about something else


class _Miss(NamedTuple):
    """A question that did not bring up what was opened behind it."""

    day: str
    session: str
    ts: str
    opened: str  # the id


def missed_words(context: UpkeepContext) -> Iterator[PlannedChange]:
    """One proposal for each week that is over, with the words of questions and the lines that they did not find.

    Questions and lines that carry a label, or in which something is redacted, teach nothing.
    """
    this_week = _monday(context.writing.today)
    every = _misses((*context.ledger.events_of("shown"), *context.ledger.events_of("cited")))
    weeks = grouped((week, miss) for miss in every if (week := _monday(miss.day)) < this_week)
    known = {
        fact.id: (path, fact)
        for path, fact in (context.catalog.facts() if weeks else ())
        if place_of(path) == SEMANTIC and fact.current and fact.id and not fact.audience
        and fact.trust == "trusted" and not MARK.search(fact.value)
    }  # fmt: skip
    for week, misses in sorted(weeks.items()):
        actions: dict[str, AddSearchWords] = {}
        quotes: list[str] = []
        for miss in misses:
            path, fact = known.get(miss.opened, ("", None))
            question = _question(context, miss) if fact else ""
            lacking = _lacking(question, fact) if fact and question else []
            if not (fact and lacking):
                continue
            earlier = actions.get(fact.id)
            words = dict.fromkeys((*(earlier.words.split(", ") if earlier else ()), *lacking))
            actions[fact.id] = AddSearchWords(path, fact.id, fact.value, ", ".join(words))
            line = fact_in_words(fact.entity, fact.field, fact.value)
            quotes.append(f'{miss.day}: "{question}" did not find: {line}')
        if actions:
            yield PlannedChange(
                MISS,
                f"Search words for {len(actions)} memor{'y' if len(actions) == 1 else 'ies'}, from questions of the week of {week}",
                tuple(actions.values()),
                tuple(dict.fromkeys(quotes)),
                confidence="medium",
                reason="each was opened or cited just after a question that did not find it",
            )


def _monday(day: str) -> date:
    date_of_day = date.fromisoformat(day[:10])
    return date_of_day - timedelta(days=date_of_day.weekday())


def _misses(events: Iterable[Mapping[str, Any]]) -> Iterator[_Miss]:
    """What was opened or cited soon after the last recall or search of its session, where none just before it showed that."""
    asked: dict[str, tuple[datetime, str, frozenset[str]]] = {}
    for event in sorted(events, key=lambda logged: str(logged.get("ts", ""))):
        session, ts = event.get("session"), str(event.get("ts", ""))
        at, ids = _moment(ts), texts_in(event.get("ids"))
        if not (at and isinstance(session, str) and session):
            continue
        if event.get("mode") in ("recall", "search"):
            before, _, shown = asked.get(session, (at, "", frozenset()))
            asked[session] = at, ts, frozenset(ids) | (shown if at - before <= BESIDE else frozenset())
        elif session in asked and (event.get("event") == "cited" or event.get("mode") == "get"):
            then, asked_at, shown = asked[session]
            if at - then <= WITHIN:
                yield from (_Miss(ts[:10], session, asked_at, id_) for id_ in ids if id_ not in shown)


def _moment(text: str) -> datetime | None:
    """A time, in UTC; None where the text is none."""
    exact = parse_timestamp(text)
    return datetime.fromisoformat(exact).replace(tzinfo=UTC) if exact else None


def _question(context: UpkeepContext, miss: _Miss) -> str:
    """What a person said in a session just when it was asked; empty where the log has no such turn, or it has a label or something redacted."""
    at = _moment(miss.ts)
    near = [
        (abs(said - at), turn)
        for turn in _turns(context, miss.session)
        if turn.role == "user" and at and (said := _moment(turn.ts)) and abs(said - at) <= BESIDE
    ]
    _, turn = min(near, key=lambda pair: pair[0], default=(None, None))
    is_open = turn and not turn.audience and turn.export and not turn.by and not MARK.search(turn.text)
    return turn.text if turn and is_open else ""


def _turns(context: UpkeepContext, session: str) -> Iterator[Turn]:
    """The turns of a session, as its logs say them."""
    begin = f"log:{session}/"
    sql = "select distinct path from units where kind = 'turn' and id >= ? and id < ? order by path"
    vault = context.vault
    for (path,) in context.catalog.rows(sql, (begin, f"log:{session}0")):
        if seen := vault.read(path):
            settings = ReadingSettings(labels=vault.labels, doubts=vault.doubts(path), zone=vault.zone)
            turns = read_note(path, seen[0], settings).turns
            yield from (turn for turn in turns if turn.session == session)


def _lacking(question: str, fact: Fact) -> list[str]:
    """The words of a question with a subject that its memory has in no form; none where there are too many to be its name."""
    known = stems(f"{fact.entity} {fact.field} {fact.value} {fact.also}", question)
    words = dict.fromkeys(
        word for word in words_of(question) if stems(word, question) - known and not is_filler(word)
    )
    return list(words) if len(words) <= MOST_LACKING else []


# What practice says of skills: how they fail again and again, which tools were gone, and what is done differently by now.

SECTION = "Gotchas"
AGAIN = 2  # times that a skill fails in one way before it is worth a line
_OTHERWISE = 3  # sessions in a row that did it in another way


def gotchas(context: UpkeepContext) -> Iterator[PlannedChange]:
    """Proposes a line in a skill for each way in which it failed again: as the ledger tells it, quoted and never obeyed."""
    ran = context.ledger.events_of(EVENT)
    for listed in list_skills(context.writing.root, ran=ran) if ran else ():
        path = listed.skill.path
        if listed.state == DRAFT or not path.endswith("/SKILL.md"):
            continue
        # Those of one step in the same words together; figures in them may differ.
        by_cause: dict[tuple[str, tuple[str, ...]], list[RunOutcome]] = {}
        for outcome in listed.outcomes.telling:
            if not outcome.ok and outcome.why:
                words = tuple(word for word in words_of(outcome.why) if not any(map(str.isdigit, word)))
                by_cause.setdefault((outcome.where, words), []).append(outcome)
        for failures in by_cause.values():
            first, last = failures[0], failures[-1]
            line = f"- {first.where or 'It'} can fail: `{first.why.replace('`', chr(39))}`"
            if len(failures) < AGAIN or line in listed.skill.text:
                continue
            yield PlannedChange(
                "skill",
                f"A gotcha of the skill {listed.name}: {first.where or 'it'} can fail",
                (AddLines(path, SECTION, line + "\n"),),
                tuple(f"{failure.ts[:10]}: {failure.why}" for failure in failures),
                reason=f"it failed in this way {len(failures)} times, last on {last.ts[:10]}; say there what to do about it",
            )


def failings(skill: ListedSkill, acted: Iterable[ToolSequence]) -> list[Problem]:
    """What speaks against a skill as it is written: a tool that its last run did not find, steps that sessions no longer take."""
    problems = []
    path, stopped = skill.skill.path, skill.outcomes.stopped
    if stopped is not None and stopped.digest == skill.skill.digest:
        reason = f"its last run, on {stopped.ts[:10]}, could not begin: {stopped.where}: {stopped.why}"
        problems.append(Problem(path, 1, reason, "change the step, or give back the tool"))
    named = skill.skill.tools
    runs = any(tool.startswith(PROMPT) for tool in named)  # of commands the steps name the shell alone
    called = () if runs else tuple(step.tool for step in read_recipe(skill.skill).steps)
    tools = tuple(map(_plain, called or named))
    tools_called = _other_calls(tools, acted) if len(set(tools)) > 1 else ()
    if tools_called:
        reason = f"the last {_OTHERWISE} sessions that did this called {', '.join(tools_called)}"
        hint = f"the skill says {', '.join(tools)}; change its steps if they should be others"
        problems.append(Problem(path, 1, reason, hint))
    return problems


def _other_calls(tools: tuple[str, ...], acted: Iterable[ToolSequence]) -> tuple[str, ...]:
    """What the last sessions called that did nearly what the tools say, if none of them called just these; else nothing."""
    in_order = sorted(acted, key=lambda sequence: sequence.range)
    sequences = [tuple(map(_plain, called)) for called in sessions(in_order).values()]
    near = [called for called in sequences if same_calls(tools, called)][-_OTHERWISE:]
    if len(near) < _OTHERWISE or any(tightest(called, tools) for called in near):
        return ()
    return near[-1]


def _plain(tool: str) -> str:
    """A command without what only one session says, else the name of a tool without that of its host."""
    return step_of(tool) if tool.startswith(PROMPT) else tool.rpartition(":")[2]


# Revisions: an episode that later ones contradict is proposed to be refined. What was told stays; below it stands what took its
# place.

REVISION = "revision"
TWICE, SHARE = 2, 0.5  # of the facts of an episode that were superseded: so many, or this share
WAITING = 3  # revisions that wait at a time


class _Contradiction(NamedTuple):
    """A line of an episode, the fact that rested on it, and the one that took its place."""

    block: str
    was: Fact
    now: Fact
    source: str  # where the later one was said


def revisions(context: UpkeepContext) -> Iterator[PlannedChange]:
    """A proposal for each episode of which two facts, or half of all, were superseded by what later ones say; a few at a time."""
    waiting = files.list_files(context.writing.root, FOLDER.rstrip("/"))
    room = WAITING - sum(path.startswith(f"{FOLDER}{REVISION}-") for path in waiting)
    # What has a label names what few may see, and a line of an episode has none.
    places = FactPlaces(context.writing)
    facts = [
        fact._replace(source=", ".join(places.of(path, fact)))
        for path, fact in context.catalog.facts()
        if path.startswith("semantic/") and not (fact.is_statement or fact.audience)
    ]
    contradictions: dict[str, list[_Contradiction]] = defaultdict(list)
    by_field = grouped(((key_of(fact.entity), key_of(fact.field)), fact) for fact in facts)
    resting = Counter(note for fact in facts for note in {note for note, _ in _lines(fact)})
    for fact in facts:
        later = (
            told_fact
            for told_fact in by_field[key_of(fact.entity), key_of(fact.field)]
            if told_fact.id != fact.id and told_fact.since >= fact.until and told_fact.value != fact.value
        )
        is_past = bool(not fact.current and fact.until)
        successor = min(
            later, key=lambda told_fact: (told_fact.since, not told_fact.current, told_fact.id), default=None
        )
        lines = _lines(successor) if successor and is_past else []
        notes = {note for note, _ in lines}
        for note, block in _lines(fact):
            if successor and lines and note not in notes:
                contradictions[note].append(_Contradiction(block, fact, successor, "#^".join(lines[0])))
    contradictions = {
        note: sorted(each, key=lambda told_fact: (told_fact.block, told_fact.was.id))
        for note, each in contradictions.items()
        if len(each) >= TWICE or len(each) >= SHARE * resting[note]
    }
    days = {note: max(pair.now.since for pair in pairs) for note, pairs in contradictions.items()}
    for note in sorted(days, key=lambda note: (days[note], note), reverse=True):
        address = context.catalog.resolve(note) if room > 0 else None
        if address is None or not address.path.startswith("episodes/"):
            continue
        change = _proposal(address.path, note, contradictions[note])
        if is_open(context, change):
            room -= 1
            yield change


def _lines(fact: Fact) -> list[tuple[str, str]]:
    """The lines of episodes that a fact rests on, as (episode, block id)."""
    links = (source.strip().partition("#^") for source in fact.source.split(","))
    return [(note, block) for note, _, block in links if note and block]


def _proposal(path: str, note: str, contradictions: Sequence[_Contradiction]) -> PlannedChange:
    actions = tuple(
        NoteBelow(path, pair.block, f"superseded by [[{pair.source}]]: {_words(pair.now)} ({pair.now.since})")
        for pair in contradictions
    )
    evidence = (
        f"{_words(pair.was)} (until {pair.was.until}); [[{pair.source}]] says {pair.now.value}"
        for pair in contradictions
    )
    many = f"{len(contradictions)} facts" if len(contradictions) > 1 else "a fact"
    return PlannedChange(
        kind=REVISION,
        title=f"Revise {note}",
        actions=actions,
        evidence=tuple(evidence),
        reason=f"what it tells as {many} was superseded later",
        id=note,
    )


def _words(fact: Fact) -> str:
    return fact_in_words(fact.entity, fact.field, fact.value)


# What says the same under two names: episodes of several days, facts, entities. Each pair is proposed as a merge, none is made.
# Candidates are found by words alone: the word trigrams of two episodes (Jaccard), the words of two names. One of a pair takes in
# the other, in which case the old id or name goes on leading to it; where nothing says that the two are one, nothing is proposed.

MOST_PAIRS = 20  # pairs of one run; the others are left for the next
ALIKE = 0.6  # of the trigrams that two texts have together, as surely as their number allows
_SURE = 1.96  # standard errors: 95 in 100
_LEAST = 5  # trigrams; what is shorter is like too many others
_QUOTED = 3  # lines of an episode in its proposal


def merges(context: UpkeepContext) -> Iterator[PlannedChange]:
    """The merges to propose now, of entities first, then of facts, then of episodes, the most alike first."""
    # The entities of semantic files by the keys of their names; none of which a line is for some only, or in quarantine.
    named = (pair for pair in context.catalog.facts() if pair[1].entity)
    facts_by_key = grouped((key_of(fact.entity), (path, fact)) for path, fact in named)
    entities = {
        key: NamedEntity(entity_facts[0][1].entity, tuple(entity_facts))
        for key, entity_facts in facts_by_key.items()
        if key and not any(fact.audience or fact.trust == "quarantined" for _, fact in entity_facts)
        and all(place_of(path) == SEMANTIC for path, _ in entity_facts)
    }  # fmt: skip
    every = (*_of_entities(context, entities), *_of_facts(context, entities), *_of_episodes(context))
    open_changes = [change for change in every if is_open(context, change)]
    remaining = len(open_changes) - MOST_PAIRS
    for number, change in enumerate(open_changes[:MOST_PAIRS], 1):
        remark = f"; {remaining} more {'pairs are' if remaining > 1 else 'pair is'} left for the next run"
        yield (
            change._replace(reason=change.reason + remark)
            if number == MOST_PAIRS and remaining > 0
            else change
        )


# Episodes


class RunEpisode(NamedTuple):
    """An episode that a run wrote, as it is compared."""

    id: str
    path: str
    at: str
    trust: str
    lines: tuple[str, ...]  # of its body, without headings: a title is given, and not said
    ranges: tuple[str, ...]
    merged: tuple[str, ...] = ()  # what it took in before

    @property
    def text(self) -> str:
        """What was said."""
        return "\n".join(self.lines)


class Pair(NamedTuple):
    """Two texts that are nearly one: `takes` takes in `taken`."""

    takes: str
    taken: str
    score: float
    outcome: str  # reuse: the same but for spelling | absorb: one holds the other | near


def alike_pairs(texts: Sequence[tuple[str, str]]) -> list[Pair]:
    """The pairs of texts (id, text) that say nearly the same, the most alike first; every text is taken in once at most.

    Args:
        texts: in the order in which they came to be; of two that say the same, the first takes in the second.
    """
    order = {id_: number for number, (id_, _) in enumerate(texts)}
    sets = {id_: trigrams for id_, text in texts if len(trigrams := shingles(text)) >= _LEAST}
    same: dict[Shingles, str] = {}
    pairs = []
    for id_, trigrams in sets.items():
        first = same.setdefault(trigrams, id_)
        if first != id_:
            pairs.append(Pair(first, id_, 1.0, "reuse"))
    words_by_id = {id_: frozenset(_words_of_lines(text)) for id_, text in texts if id_ in sets}
    for first_id, second_id in _candidates({id_: trigrams for trigrams, id_ in same.items()}, order):
        takes, absorbed = sorted((first_id, second_id), key=lambda id_: (-len(sets[id_]), order[id_]))
        shared = len(sets[takes] & sets[absorbed])
        union = len(sets[takes]) + len(sets[absorbed]) - shared
        score = shared / union
        if shared == len(sets[absorbed]) or words_by_id[absorbed] <= words_by_id[takes]:
            pairs.append(Pair(takes, absorbed, score, "absorb"))
        elif surely(score, union) >= ALIKE:
            pairs.append(Pair(takes, absorbed, score, "near"))
    return list(_once(sorted(pairs, key=lambda pair: (-pair.score, pair.takes, pair.taken))))


def surely(share: float, of: int) -> float:
    """The least that a share is with 95 % certainty (Wilson), for it was counted on so many.

    Two bookings in the same words share 6 of 10 of few trigrams, and are two; two long texts that do are nearly one.
    """
    error = _SURE**2 / of
    spread = _SURE * math.sqrt(share * (1 - share) / of + error / (4 * of))
    return (share + error / 2 - spread) / (1 + error)


def _candidates(sets: Mapping[str, Shingles], order: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """The pairs that share one of the rarest trigrams of either: two that are alike always do, and so do one and what it holds."""
    counts = Counter(shingle for trigrams in sets.values() for shingle in trigrams)
    ids = sorted(sets, key=order.__getitem__)
    with_one = grouped((shingle, id_) for id_ in ids for shingle in sets[id_] if counts[shingle] > 1)
    pairs_yielded = set()
    for id_, trigrams in sets.items():
        most = len(trigrams) - int(ALIKE * len(trigrams)) + 1
        for shingle in sorted(trigrams, key=lambda trigram: (counts[trigram], trigram))[:most]:
            for candidate in with_one.get(shingle, ()):
                pair = (id_, candidate) if order[id_] < order[candidate] else (candidate, id_)
                if id_ != candidate and pair not in pairs_yielded:
                    pairs_yielded.add(pair)
                    yield pair


def _words_of_lines(text: str) -> Iterator[str]:
    """The words of each line of a text, for two that say the same lines in another order."""
    for line in text.split("\n"):
        if key := key_of(without_ids(line)):
            yield key


def _once(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs in order, without those in which one is gone already or takes in another and is taken in itself."""
    absorbed, taking = set[str](), set[str]()
    for pair in pairs:
        if not {pair.takes, pair.taken} & absorbed and pair.taken not in taking:
            absorbed.add(pair.taken)
            taking.add(pair.takes)
            yield pair


def _of_episodes(context: UpkeepContext) -> Iterator[PlannedChange]:
    by_id = {episode.id: episode for episode in _run_episodes(context)}
    # What is trusted takes in nothing that is not.
    groups = grouped((episode.trust, episode) for episode in by_id.values())
    pairs = [
        pair
        for trust in sorted(groups)
        for pair in alike_pairs([(episode.id, episode.text) for episode in groups[trust]])
    ]
    for pair in sorted(pairs, key=lambda pair: (-pair.score, pair.takes, pair.taken)):
        takes, absorbed = by_id[pair.takes], by_id[pair.taken]
        if takes.at[:10] != absorbed.at[:10]:  # those of one day are merged as they are written
            only, said = tuple[str, ...](), set(_words_of_lines(takes.text))
            if pair.outcome == "near":  # with their block ids where these are free
                blocks = {read_line(line).block for line in takes.text.split("\n")}
                only = tuple(
                    without_ids(line) if read_line(line).block in blocks else line
                    for line in absorbed.lines
                    if not set(_words_of_lines(line)) <= said
                )
            name = absorbed.path.rpartition("/")[2]
            to = files.free_path(context.writing.root, f"archive/episodes/{name}")
            reasons = {
                "reuse": "the two say the same but for spelling",
                "absorb": f"{takes.id} holds all that {absorbed.id} says",
                "near": f"the two are {pair.score:.0%} alike; the lines that only {absorbed.id} has go with it",
            }[pair.outcome]
            yield PlannedChange(
                kind="merge",
                title=f"{absorbed.id} repeats {takes.id}",
                actions=(
                    actions.AddSource(takes.path, absorbed.ranges),
                    actions.TakeIn(takes.path, (absorbed.id, *absorbed.merged), only),
                    actions.MoveFile(absorbed.path, to),
                ),
                evidence=(only or absorbed.lines)[:_QUOTED],
                source=" ".join(absorbed.ranges),
                reason=reasons,
                id=takes.id,
            )


def _run_episodes(context: UpkeepContext) -> Iterator[RunEpisode]:
    """The episodes that a run wrote, oldest first; none that is for some only, stays here, or has lines that were forgotten."""
    forgotten = ForgottenLines.of(context.decisions.forgotten)
    for id_, path, stamp, trust in context.catalog.rows(
        """select id, path, at, trust from files where kind = 'episode' and state = 'current' and trust != 'quarantined'
            and fid in (select fid from cited) order by at, id"""
    ):
        text = readable(context.writing.text(str(path)))
        note = split(text)
        low = {key.lower(): value for key, value in note.meta.items()}
        ranges = parse_ranges(text_of(low.get("source")))
        labels = of_folders(path, context.vault.labels), label_of_note(note).audience, label_in(text).audience
        withheld = withheld_names(path, text.encode()) or context.vault.doubts(str(path)).pieces
        if not ranges or note.broken or any(labels) or withheld or forgotten.marks_of(path):
            continue
        lines = (line.strip() for line in note.body.split("\n"))
        body = tuple(line for line in lines if line and not line.startswith("#"))
        merged = names_of(low, ("merged_from",))
        yield RunEpisode(str(id_), str(path), str(stamp), str(trust), body, tuple(map(str, ranges)), merged)


# Entities


class NamedEntity(NamedTuple):
    """An entity as it is compared: its name, its facts that hold, and the files that they stand in."""

    name: str
    facts: tuple[tuple[str, Fact], ...]

    @property
    def words(self) -> frozenset[str]:
        """The words of its name."""
        return frozenset(key_of(self.name).split())

    @property
    def stems(self) -> set[str]:
        """The names of the files of its facts."""
        return {path.rpartition("/")[2].removesuffix(".md").lower() for path, _ in self.facts}


class Called(NamedTuple):
    """Two names of which the shorter seems to be short for the longer."""

    name: str
    other: str
    why: str


def _of_entities(context: UpkeepContext, known: Mapping[str, NamedEntity]) -> Iterator[PlannedChange]:
    catalog, schema = context.catalog, context.writing.schema()
    many = frozenset(field for field, declared in schema.fields.items() if declared.many)
    # Everything that has a name.
    sql = "select distinct name from name where kind in ('entity', 'person', 'project')"
    names = {str(name) for (name,) in catalog.rows(sql)}
    pairs = [
        pair
        for pair in names_alike(list(known.values()), names, schema.collections)
        if key_of(pair.other) not in {key_of(word) for _, word in catalog.synonyms([key_of(pair.name)])}
        and not disagree(known[key_of(pair.name)], known[key_of(pair.other)], many)
    ]
    apart = pairs_apart(pairs, catalog) if pairs else set()
    for pair in pairs:
        if pair not in apart:
            other = known[key_of(pair.other)]
            spellings = {(path, name_key(fact.entity)): fact.entity for path, fact in other.facts}
            renamed = [actions.RenameEntity(path, name, pair.name) for (path, _), name in spellings.items()]
            current = (fact for _, fact in other.facts if fact.current)
            evidence = [f"{fact.entity}, {fact.field or 'said'}: {fact.value}" for fact in current]
            yield PlannedChange(
                kind="merge",
                title=f"{pair.other} and {pair.name} are one",
                actions=(*renamed, actions.AddSynonym(ALIASES_FILE, pair.name, pair.other)),
                evidence=tuple(evidence[:_QUOTED]),
                reason=f"{pair.other} and {pair.name} {pair.why}",
                id=pair.name,
            )


def names_alike(
    known: Sequence[NamedEntity], names: Iterable[str], collections: Iterable[str]
) -> list[Called]:
    """The pairs of entities of which one name is short for the other, or the same but for spelling.

    A name is short for another that has the same words and one that tells its kind (`Atlas`, `Project Atlas`), or for that of a
    person whose first or last name it is; not when it could be short for a third.

    Args:
        names: everything else that has a name.
        collections: names of files that hold entities of one kind each.
    """
    everything = {key_of(short) for short in (*names, *(short.name for short in known))}
    by_word: dict[str, set[str]] = defaultdict(set)
    for key in everything:
        for word in key.split():
            by_word[word].add(key)
    entities, spelled = {key_of(short.name): short for short in known}, defaultdict[str, list[str]](list)
    for key, short in sorted(entities.items()):
        for spelling in {fold(pairs).replace(" ", "") for pairs in keys_of(short.name)}:
            spelled[spelling].append(key)
    pairs = [
        Called(entities[same[0]].name, entities[duplicate].name, "are the same but for spelling")
        for same in spelled.values()
        for duplicate in same[1:]
    ]
    for key, short in sorted(entities.items()):
        wider = set.intersection(*(by_word[word] for word in short.words)) - {key}
        wider = {longer for longer in wider if set(longer.split()) > short.words}
        if len(wider) != 1:
            continue  # nothing, or who knows which
        longer = entities.get(next(iter(wider)))
        if longer is None or not _short_for(short, longer):
            continue
        # Two that stand in collections of different kinds are two.
        if short.stems & longer.stems or not short.stems | longer.stems <= {*collections}:
            pairs.append(
                Called(longer.name, short.name, f"may be one: {short.name} is short for {longer.name}")
            )
    return list(
        {frozenset((key_of(pair.name), key_of(pair.other))): pair for pair in reversed(pairs)}.values()
    )[::-1]


_PEOPLE = frozenset({"people", "contacts"})
_OWNED = re.compile(r"\w['’]s ")


def _short_for(shorter: NamedEntity, longer: NamedEntity) -> bool:
    if longer.words - shorter.words <= {key_of(word) for word in words("names.beside")}:
        return True
    names = key_of(longer.name).split()
    if _OWNED.search(longer.name) and not _OWNED.search(shorter.name):
        return False  # `Lena`, `Lena's book club`
    is_person = longer.stems <= _PEOPLE
    return is_person and len(shorter.words) == 1 and key_of(shorter.name) in (names[0], names[-1])


def disagree(first: NamedEntity, other: NamedEntity, many: Iterable[str]) -> bool:
    """True where a field that has one value has different ones in the two."""
    several = {*many}

    def values_of(named: NamedEntity) -> dict[str, set[str]]:
        values: dict[str, set[str]] = defaultdict(set)
        for _, fact in named.facts:
            if fact.current and not fact.is_statement:
                values[fact.field.casefold()].add(key_of(fact.value))
        return values

    mine, theirs = values_of(first), values_of(other)
    return any(mine[field] != theirs[field] for field in mine.keys() & theirs.keys() - several)


_LINK = re.compile(r"\[\[[^\[\]|]*\|([^\[\]]*)\]\]")


def pairs_apart(pairs: Iterable[Called], catalog: Catalog) -> set[Called]:
    """The pairs that some line of the vault tells of side by side: whoever wrote it means two things."""
    open_ = {pair: (_space_out(pair.name), _space_out(pair.other)) for pair in pairs}
    apart = set[Called]()
    for text in catalog.texts():
        folded = fold(text)
        near = [
            pair
            for pair in open_
            if pair not in apart
            and all(word in folded for word in {*key_of(pair.name).split(), *key_of(pair.other).split()})
        ]
        for line in text.split("\n") if near else ():
            spaced = _space_out(_LINK.sub(r"\1", line))
            for pair in near:
                longer, shorter = open_[pair]
                if longer in spaced and shorter in spaced.replace(longer, "  /  "):
                    apart.add(pair)
    return apart


def _space_out(text: str) -> str:
    return f" {'  '.join(key_of(text).split())} "


# Facts


def _of_facts(context: UpkeepContext, known: Mapping[str, NamedEntity]) -> Iterator[PlannedChange]:
    """The facts and statements of one entity that say the same in nearly the same words."""
    places = FactPlaces(context.writing)
    for _, entity in sorted(known.items()):
        current = (pair for pair in entity.facts if pair[1].current)
        groups = grouped(
            ("" if fact.is_statement else key_of_fact(fact), (path, fact)) for path, fact in current
        )
        for field, values in groups.items():
            order = sorted(values, key=lambda value: (value[1].day, value[0], value[1].line))
            for pair in repeated_values([fact.value for _, fact in order], statements=not field):
                takes, absorbed = order[int(pair.takes)], order[int(pair.taken)]
                yield _fact_merge(takes, absorbed, places.of(*absorbed), context.writing.today)


def repeated_values(values: Sequence[str], *, statements: bool) -> list[Pair]:
    """The pairs of values that say the same, named by their places; of two the one that says more takes in the other.

    Values of a field do where both may be right, statements where they have nearly the same words, the same numbers, and neither
    or both deny.
    """
    places = {str(place): value for place, value in enumerate(values)}
    if not statements:
        words_ = {place: frozenset(key_of(value).split()) for place, value in places.items()}
        fuller = (
            sorted(pair, key=lambda place: -len(places[place].split()))
            for pair in combinations(places, 2)
            if words_[pair[0]] & words_[pair[1]] and agree(places[pair[0]], places[pair[1]])
        )
        return [*_once(Pair(takes, absorbed, 1.0, "absorb") for takes, absorbed in fuller)]
    weight = {place: _weight(value) for place, value in places.items()}
    return [pair for pair in alike_pairs([*places.items()]) if weight[pair.takes] == weight[pair.taken]]


def _weight(value: str) -> tuple[frozenset[str], bool]:
    """The numbers of a value, and whether it denies something."""
    tokens = tokens_of(value)
    numbers = frozenset(token for token in tokens if any(map(str.isdigit, token)))
    return numbers, any(grammar(code).negations.within(tokens) for code in codes())


def _fact_merge(
    takes: tuple[str, Fact], absorbed: tuple[str, Fact], sources: Iterable[str], today: str
) -> PlannedChange:
    (path, fact), (other_path, duplicate) = takes, absorbed
    return PlannedChange(
        kind="merge",
        title=f"{fact_in_words(duplicate.entity, duplicate.field, duplicate.value)} is told twice",
        actions=(
            *(actions.ConfirmFact(path, fact.id, fact.value, source) for source in sources),
            actions.EndFact(other_path, duplicate.entity, duplicate.field, duplicate.value, today),
        ),
        evidence=(
            fact_in_words(fact.entity, fact.field, fact.value),
            fact_in_words(duplicate.entity, duplicate.field, duplicate.value),
        ),
        reason=f"{path}:{fact.line} says so as well; its sources go there, and the line moves to History",
        id=fact.id,
    )


KEEPERS: tuple[Keeper, ...] = (
    expiries,
    superseding,
    gotchas,
    habits,
    missed_words,
    revisions,
    merges,
    unused_episodes,
)


def plan(context: UpkeepContext, keepers: Sequence[Keeper] | None = None) -> ChangeSet:
    """What upkeep would do and propose now: nothing that is done, that waits, or that a person has said no to or taken back."""
    changes: dict[str, PlannedChange] = {}
    for keeper in KEEPERS if keepers is None else keepers:
        for change in keeper(context):
            if is_open(context, change):
                changes.setdefault(fingerprint_of(change), change)
    digest = hashlib.sha256("\n".join(changes).encode()).hexdigest()
    run = run_id(UPKEEP, context.writing.now, digest[:6])
    return ChangeSet(run if changes else "", changes=tuple(changes.values()))


def upkeep(
    context: UpkeepContext,
    *,
    mode: str,
    loss_budget: float,
    keepers: Sequence[Keeper] | None = None,
    rehearse: Rehearse | None = None,
) -> Consolidated:
    """Makes the changes that time asks for, one commit each, and proposes what a person should decide.

    Args:
        mode: direct; in any other, all of it is proposed.
        keepers: who is asked; all of them if none are named.
        rehearse: says why files with some texts should wait; then all of it is proposed.

    Raises:
        BudgetError: a file would lose too much; nothing was written.
        HistoryError: git can take no commit now; nothing was written.
        LockedError: a consolidation is at work.
    """
    mode = "direct" if mode == "direct" else "propose"
    with one_at_a_time(context.writing.root):
        changes = hold_back(plan(context, keepers), mode, context.writing, rehearse)
        if not changes.changes:
            return Consolidated(changes, mode=mode)
        mode = "propose" if changes.held else mode
        applied = apply(context.writing, changes, mode=mode, loss_budget=loss_budget)
        return Consolidated(changes, applied, mode=mode)


def nightly(
    looking: Callable[..., UpkeepContext],
    state: str,
    config: Config,
    today: str,
    *,
    mode: str,
    due: bool,
    dry_run: bool,
    rehearse: Rehearse | None,
) -> Consolidated | None:
    """What upkeep did or proposed, or would do, and then stale pages; with `due` once a day, as a mark in the state folder tells.

    `looking` gives what keepers look at; with `planning`, of an index that is in line with the files.
    """
    if due and read_mark(state, UPKEPT) == today:
        return None
    context, mode = looking(planning=True), mode or config.mode
    if dry_run:
        changes = plan(context)
        return Consolidated(changes, mode=mode) if changes.changes else None
    try:
        run = upkeep(context, mode=mode, loss_budget=config.loss_budget, rehearse=rehearse)
    except LockedError:
        if not due:
            raise
        return None
    mark(state, UPKEPT, today)
    refresh(looking())
    return run if run.changes.changes else None
