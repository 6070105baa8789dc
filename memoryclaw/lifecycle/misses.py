"""Misses: what was looked for in vain and then opened or cited in the same session. The words that lacked are proposed as its search words, a batch a week."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from memoryclaw.consolidation.actions import AddSearchWords
from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.lifecycle.keeping import UpkeepContext
from memoryclaw.model import Fact, Turn
from memoryclaw.recall.renewing import stems
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.encoding import texts_in
from memoryclaw.text.fillers import is_filler
from memoryclaw.text.language import words_of
from memoryclaw.text.redaction import MARK
from memoryclaw.vault.layout import SEMANTIC, place_of
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.writing.context import fact_in_words

MISS = "search-words"
WITHIN = timedelta(minutes=15)  # of a question, in which what it looked for is opened
BESIDE = timedelta(minutes=2)  # in which the log has its turn, and what was asked is one question
MOST = 4  # words of a question that lacked: a longer one was about something else


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
    weeks: dict[date, list[_Miss]] = defaultdict(list)
    this_week = _monday(context.writing.today)
    for miss in _misses((*context.ledger.events_of("shown"), *context.ledger.events_of("cited"))):
        if (week := _monday(miss.day)) < this_week:
            weeks[week].append(miss)
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
    return list(words) if len(words) <= MOST else []
