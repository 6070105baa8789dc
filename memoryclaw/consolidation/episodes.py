"""A segment and what people said in it → the episode: title, summary, tags, names, and the points worth keeping, in the speakers' words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from heapq import heapify, heappop, heappush

from memoryclaw.consolidation.actions import TickTodo
from memoryclaw.consolidation.changes import LEVELS, Claim, ClaimDecision, Extraction, Quote, Segment
from memoryclaw.consolidation.exchanges import (
    TELLING,
    Exchange,
    Lesson,
    announces,
    as_words,
    causes,
    conclusions,
    deeds,
    error_in,
    exchanges,
    is_heartbeat,
    prose,
    telling,
    topics,
)
from memoryclaw.consolidation.reconcile import Salience, adjoined
from memoryclaw.consolidation.todos import TodoLine
from memoryclaw.index import stemming
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING, Turn
from memoryclaw.recall.question import says
from memoryclaw.talk.statements import Statement, Talk
from memoryclaw.talk.worth import says_something, verdict
from memoryclaw.text.dates import instant, parse_timestamp
from memoryclaw.text.grammar import codes, grammar, is_filler, spoken_in, tokens_of
from memoryclaw.text.language import WORD, fold, key_of, sentences
from memoryclaw.text.memory_lines import without_block_mark
from memoryclaw.text.prompts import cut_short, one_line
from memoryclaw.vault.fact_values import resolve_dates
from memoryclaw.vault.layout import episode_name, free_name, timestamp
from memoryclaw.vault.todos import with_due

# Points: what a segment's people said that is worth keeping. The order of their groups is that of the note.

DECIDED, EXCHANGE, TOLD, WISHED, DUE, OPEN, OTHER = range(7)
NO_TOPICS = Salience()
_LINES, _WORDS = 12, 250  # of the body of an ordinary session
_ORDINARY = 60  # turns; of a longer one more is told, by as many lines as it is longer
_MOST_LINES = 48
_LONGEST, _ANSWERED, _PASTED, _CALLS, _SCANNED = (
    320,
    240,
    80,
    6,
    12000,
)  # characters of a point, of what was answered, of a pasted line; tool calls; characters of a turn
_HARD = re.compile(r"\d|[$€£%]")
_CODE = re.compile(r"`[^`]*`")
_WORTH = {
    EXCHANGE: 1.0,
    DECIDED: 1.5,
    TOLD: 1.4,
    WISHED: 1.4,
    DUE: 1.4,
    OPEN: 0.7,
    OTHER: 1.0,
}  # of a point, by its group
_ANSWER = 0.8  # of what the assistant answered
_HANDED_ON = 24  # characters of a sentence that is taken for the assistant's, where it had said it before
_LESSONS = 3
_ASKED = 4  # points of a turn that is a request, at most
_SPOKE = 2  # words before what was answered
_START = 4  # words that keep the shortest from winning by being short


class Point(NamedTuple):
    """One thing that was said, and how much it is worth."""

    line: int
    who: str
    text: str
    group: int
    words: Mapping[str, float]  # the stems of what it tells, and what each weighs
    kept: bool  # whatever it weighs
    statement: Statement | None = None
    box: str = ""  # of a to-do
    ticks: tuple[TickTodo, ...] = ()  # the earlier to-dos that it ends
    due: str = ""  # ISO date
    salient: int = 0  # of a topic that matters (1), or that is to be ignored (-1)
    answers: int = 0  # the line of the person's turn that it answers
    answer: int = 0  # the line of the assistant's words that stand in it


def extract(
    segment: Segment,
    talk: Talk,
    names: Mapping[str, str],
    language: str = "en",
    todos: Sequence[TodoLine] = (),
    *,
    salience: Salience = NO_TOPICS,
) -> Extraction:
    """What a segment says, in its own words.

    Args:
        talk: the statements that people made in them.
        names: the keys of names known in the vault, and the names.
        language: of the vault; the talk's own is found by its small words.
        todos: the lines of the talk that have a box.
        salience: what matters and what to ignore; the statements of the talk know it already.
    """
    candidates = _every_point(segment.turns, talk, language, todos, salience)
    chosen = _requests(segment.turns, _points_of(segment.turns, candidates, language))
    lines, points = _joined(chosen), sorted(chosen, key=lambda point: point.group)
    entities = _entities(segment.turns, talk, names)
    subjects = _topics(points)
    first = _request(_requests(segment.turns, candidates))
    request = (
        _lead(_resolve_dates(segment.turns, first, language))
        if first
        else _reported(segment.turns, candidates)
    )
    # Up to four tags, in small letters joined by hyphens.
    tags = ("-".join(tokens_of(text.replace("'s", ""))) for text in (*subjects, *entities))
    return Extraction(
        title=_title(segment.turns, request, subjects, points),
        summary=_summary(
            request, candidates, points, several=len(participants_of(segment.turns, people=True)) > 1
        ),
        tags=tuple(dict.fromkeys(tag for tag in tags if tag and not tag.replace("-", "").isdigit()))[:_TAGS],
        participants=participants_of(segment.turns),
        entities=entities,
        points=tuple(
            Quote(point.line, point.who, point.text, point.box, point.ticks, point.due, point.answer)
            for point in _in_order(lines)
        ),
    )


def _every_point(
    turns: Sequence[Turn], talk: Talk, language: str, todos: Sequence[TodoLine], salience: Salience
) -> list[Point]:
    """All that an episode of these turns may tell."""
    lined = {todo.of for todo in todos}
    fresh = talk._replace(
        statements=tuple(adjoined([statement for statement in talk.statements if statement not in lined]))
    )
    points = [  # first, for the same words of a line are told once
        Point(todo.of.line, todo.of.who, todo.words, DUE, _weights(todo.words, todo.of.language), True, todo.of, todo.box, todo.ticks, todo.due, todo.of.salient) for todo in todos
    ]  # fmt: skip
    points += _in_own_words(turns, _spoken_points(turns, fresh, language, salience))
    points += _pasted(turns, talk, points)
    return [*points, *_answers(turns, points, language), *_deeds(turns)]


def _requests(turns: Sequence[Turn], points: Sequence[Point]) -> list[Point]:
    """The points, those that tools went to work on as what was asked, however it was put: `gzip for the static pages`."""
    acted = {exchange.asked.line for exchange in exchanges(turns) if exchange.asked and exchange.acted}
    claims = Counter(point.line for point in points if _is_kept(point))
    sayings = Counter(point.line for point in points)
    short = {line for line in acted if claims[line] < 2 and sayings[line] <= _ASKED}  # a long one is pasted
    return [
        point._replace(group=EXCHANGE)
        if point.group in (TOLD, OTHER) and point.statement and point.line in short
        else point
        for point in points
    ]


def _points_of(turns: Sequence[Turn], points: Sequence[Point], language: str) -> list[Point]:
    """The points that are told, in the order in which they were said."""
    chosen = _choose(points, len(turns))
    return [point._replace(text=_resolve_dates(turns, point, language)) for point in chosen] or _anything(
        turns
    )


def _resolve_dates(turns: Sequence[Turn], point: Point, language: str) -> str:
    ts = next((turn.ts for turn in turns if turn.line == point.line), "")
    return resolve_dates(harmless(point.text), ts, point.statement.language if point.statement else language)


def _spoken_points(turns: Sequence[Turn], talk: Talk, language: str, salience: Salience) -> Iterator[Point]:
    """What people said: as statements where their language is read, else as sentences."""
    lines = {statement.line for statement in talk.statements}
    for statement in talk.statements:
        group = _group(statement)
        if group is not None:
            is_must = (
                group in (WISHED, DUE)
                or statement.salient > 0
                or verdict(statement).verdict in ("fact", "statement", "ask")
            )
            words = cut_short(statement.quote, _LONGEST) if group == EXCHANGE else shown_words(statement)
            yield Point(
                statement.line, statement.who, words, group, _weights(statement.words, statement.language), is_must, statement,
                salient=statement.salient,
            )  # fmt: skip
    for turn in turns:
        if turn.role in ("user", "") and turn.line not in lines and not is_heartbeat(turn):
            code = spoken_in(turn.text, language)
            for text in sentences(prose(turn)) if code not in codes() else ():
                if not is_filler(text):
                    salient = salience.of(text).salient
                    yield Point(
                        turn.line,
                        who(turn),
                        cut_short(text, _LONGEST),
                        EXCHANGE if text.endswith(("?", "？")) else OTHER,
                        _weights(text, code),
                        salient > 0,
                        salient=salient,
                    )


def shown_words(statement: Statement) -> str:
    """A statement as a point: with what it answers, what it is about, and what was said first and put right."""
    text = f"{statement.topic}: {statement.words}" if statement.topic else statement.words
    if statement.asked:
        text = f"{cut_short(statement.asked, 110)} – {text}"
    first = statement.instead.partition(", first ")[2]
    return cut_short(f"{text} (first said {first})" if first else text, _LONGEST)


def _group(statement: Statement) -> int | None:
    """The group of a statement; None where no episode tells it."""
    lightly = not statement.stressed and not statement.firm
    if statement.doubts & {"mood", "joke"} and lightly:
        return None
    if "supposed" in statement.doubts:
        return EXCHANGE if len(statement.content) >= TELLING and not statement.among else None
    if "asked" in statement.doubts or statement.kind == "task":
        return EXCHANGE if statement.content or statement.hard else None
    if "addressed" in statement.doubts and lightly:
        return None
    if statement.kind in ("duty", "done", "off"):
        return DUE if statement.content or statement.hard else None
    if statement.kind == "order" and not statement.among:
        return WISHED
    if statement.doubts & {"hedged", "reported"}:
        return OPEN if statement.content else None
    counts = verdict(statement).verdict in ("fact", "statement", "ask") or (
        statement.among and says_something(statement)
    )
    if statement.kind in ("decide", "choice") or (statement.change and counts and statement.kind):
        return DECIDED
    return TOLD if counts else OTHER if statement.content else None


def _in_own_words(turns: Sequence[Turn], points: Iterable[Point]) -> Iterator[Point]:
    """The points of people, without sentences that they handed on from what the assistant had said."""
    heard: list[tuple[int, str]] = [(t.line, fold(t.text[:_SCANNED])) for t in turns if t.role == "assistant"]
    for point in points:
        words = fold(point.text)
        if len(words) < _HANDED_ON or not any(line < point.line and words in text for line, text in heard):
            yield point


def _pasted(turns: Sequence[Turn], talk: Talk, spoken: Sequence[Point]) -> Iterator[Point]:
    """What was pasted, by the error that it tells or its first words, where no question quotes them."""
    lines = {pasted.line for pasted in talk.pasted}
    errors = {turn.line: error_in(turn.text) for turn in turns if turn.line in lines}
    for pasted in talk.pasted:
        first = cut_short(harmless(errors.get(pasted.line) or pasted.first), _PASTED)
        if not any(point.line == pasted.line and first.rstrip(" …") in point.text for point in spoken):
            yield Point(pasted.line, pasted.who, f"pasted: “{first}”", OTHER, _weights(first, "en"), False)


def _answers(turns: Sequence[Turn], spoken: Sequence[Point], language: str) -> Iterator[Point]:
    """What each exchange came to: sentences of the assistant's last words in it, quoted, for each turn of a person that says something."""
    says = {point.line for point in spoken}
    reporting = {point.line for point in spoken if _reports(point)}
    spoken_exchanges = [exchange for exchange in exchanges(turns) if exchange.spoken]
    for place, exchange in enumerate(spoken_exchanges, 1):
        if exchange.asked is not None and exchange.asked.line not in says:
            continue
        question = exchange.asked.line if exchange.asked else 0
        concluding = ((turn, texts) for turn in reversed(exchange.spoken) if (texts := conclusions(turn)))
        answer, last = next(concluding, (exchange.spoken[-1], []))
        thick = [text for text in last if len(telling(text)) >= TELLING]
        main = next((text for text in thick if _is_end(text)), next(iter(thick or last), ""))
        is_work = question in reporting or _is_work(exchange)
        is_outcome = place == len(spoken_exchanges) or (is_work and _tells_more(main, exchange))
        is_trouble = exchange.asked is not None and error_in(exchange.asked.text) != ""
        reasons = [(turn, text) for turn in exchange.spoken if is_trouble for text in causes(turn)]
        for turn, text in dict.fromkeys((*reasons[:1], *((answer, text) for text in last))):
            is_must = (is_outcome and text == main) or (turn, text) in reasons[:1]
            yield Point(
                turn.line, who(turn), cut_short(text, _ANSWERED), EXCHANGE, _weights(text, spoken_in(text, language)), is_must,
                answers=question or turn.line,
            )  # fmt: skip


def _reports(point: Point) -> bool:
    """True for a fault or a task, of which something comes; not for what is settled by it, or only asked."""
    is_task = point.statement is not None and point.statement.kind == "task"
    return is_task or point.group in (TOLD, OPEN, OTHER)


def _is_work(exchange: Exchange) -> bool:
    """True for an exchange in which a tool ran, or a reason was asked for or given."""
    asks = exchange.asked is not None and says(exchange.asked.text, "why")
    return asks or bool(exchange.acted) or any(map(causes, exchange.spoken))


def _tells_more(text: str, exchange: Exchange) -> bool:
    """True for words that tell how an exchange ended, and more than was asked there."""
    asked = set(telling(exchange.asked.text)) if exchange.asked else set()
    return _is_end(text) and len(set(telling(text)) - asked) >= TELLING


def _is_end(text: str) -> bool:
    """True for words that tell how something ended: not what is only begun, and no line of code."""
    return not announces(text) and not _CODE.fullmatch(text)


def _deeds(turns: Sequence[Turn]) -> list[Point]:
    """What tools did: files and commands in one line, and other calls that did something, each once."""
    deed = deeds(turns)
    named = [(line, call) for line, call in deed.calls if call.about]
    calls = [Point(line, "tool", call.phrase, EXCHANGE, NOTHING, True) for line, call in named[:_CALLS]]
    text = as_words(deed)
    lessons = [_lesson(lesson) for lesson in deed.lessons[-_LESSONS:]]
    return [*calls, *lessons, *([Point(deed.line, "tool", text, EXCHANGE, NOTHING, True)] if text else [])]


def _lesson(lesson: Lesson) -> Point:
    """What a command that failed and later passed tells, with the cause in the words of the assistant."""
    point = Point(lesson.line, "tool", str(lesson), EXCHANGE, NOTHING, True)
    if lesson.by is None:
        return point
    cause = f"{point.text} – {speaker(who(lesson.by))}: “{cut_short(lesson.cause, _ANSWERED)}”"
    return point._replace(text=cause, answer=lesson.by.line)


def _weights(text: str, code: str) -> dict[str, float]:
    """What the words of a text tell, by their stems: numbers and names most, words that every talk is full of least."""
    light, language = grammar(code if code in codes() else "en").light, stemming.language(code)
    weights, has_figures = dict[str, float](), _HARD.search(text) is not None
    for place, hit in enumerate(WORD.finditer(text)):
        word = hit[0].lower()
        if stems := [*language.telling((word,))]:
            hard = (has_figures and bool(_HARD.search(word))) or (
                place > 0 and hit[0][0].isupper() and not text.isupper()
            )
            weight = 2.0 if hard else 0.3 if word in light else 1.0
            for stem in stems:
                weights[stem] = max(weight, weights.get(stem, 0.0))
    return weights


def _choose(points: Sequence[Point], turns: int) -> list[Point]:
    """The points that are told, those that must be first, then those that add most for what they cost.

    A word counts the less, the more often it stands in points that are taken. An answer is never taken without what it answers.
    """
    choice = _Choice(points, turns)
    first = next((n for n, point in enumerate(points) if point.group == EXCHANGE and not point.answers), None)
    musts = [n for n in range(len(points)) if points[n].kept or n == first]
    musts.sort(
        key=lambda place: (points[place].group != DUE, points[place].group != EXCHANGE, -points[place].line)
    )
    for place in musts:  # to-dos first, which stand nowhere else, then what came of an exchange
        choice.take(place)
    heap = [(-choice.gain(place), place) for place in range(len(points)) if place not in choice.taken]
    heapify(heap)
    while heap:
        value, place = heappop(heap)
        gain = 0.0 if place in choice.taken else choice.gain(place)
        # What is taken only lowers the others' gain, but for those that wait for the same question, so one that still holds at the top is the highest.
        if 0 < gain < -value - _CLOSE:
            heappush(heap, (-gain, place))
        elif gain > 0:
            choice.take(place)
    return [points[place] for place in sorted(choice.taken, key=lambda place: (points[place].line, place))]


_CLOSE = 1e-9


class _Choice:
    """The points that are taken so far, and what another one would add."""

    def __init__(self, points: Sequence[Point], turns: int) -> None:
        self.taken: dict[int, None] = {}
        self._every = points
        self._lines = min(max(_LINES, _LINES * turns // _ORDINARY), _MOST_LINES)
        self._words = self._lines * _WORDS // _LINES
        self._cost = [len(point.text.split()) + (_SPOKE if point.answers else 0) for point in points]
        self._asked = _asked(points)
        self._stems: Counter[str] = Counter()
        self._bullets: set[tuple[int, str]] = set()
        self._spent = 0

    def gain(self, place: int) -> float:
        """What a point, with the question that it answers, tells for each word that it costs."""
        group = self._with_question(place)
        worth = sum(self._worth(self._every[n]) for n in group)
        return worth / (sum(self._cost[n] for n in group) + _START)

    def take(self, place: int) -> None:
        """Takes a point, with the question that it answers, where there is room and its line does not say the same already."""
        group = self._with_question(place)
        bullets = {_bullet(self._every[n]) for n in group}
        cost = sum(self._cost[n] for n in group)
        if self._every[place].answers and self._every[place].kept:
            # Outcomes leave half of the room to all else.
            self._lines = min(max(self._lines, len(self._bullets | bullets) + _LINES // 2), _MOST_LINES)
            self._words = max(self._words, self._spent + cost + _WORDS // 2)
        if self._spent + cost > self._words or len(self._bullets | bullets) > self._lines:
            return
        for n in group:
            point = self._every[n]
            if any(
                point.line == self._every[m].line and _holds(self._every[m].text, point.text)
                for m in self.taken
            ):
                continue
            self.taken[n] = None
            self._bullets.add(_bullet(point))
            self._stems.update(point.words.keys())
            self._spent += self._cost[n]

    def _with_question(self, place: int) -> list[int]:
        question = self._asked.get(self._every[place].answers, place)
        return [n for n in dict.fromkeys((question, place)) if n not in self.taken]

    def _worth(self, point: Point) -> float:
        scale = _ANSWER if point.answers else _WORTH[point.group]
        return scale * sum(value / (1 + self._stems.get(stem, 0)) for stem, value in point.words.items())


def _bullet(point: Point) -> tuple[int, str]:
    """What the points have in common that stand in one line."""
    return point.answers or point.line, "" if point.group == EXCHANGE else point.text


def _asked(points: Sequence[Point]) -> dict[int, int]:
    """By the line of a person's turn, the place of the point that says what was asked there, else what was said first."""
    places: dict[int, int] = {}
    for place, point in enumerate(points):
        if not point.answers and not point.box:
            before = places.get(point.line)
            if before is None or (point.group == EXCHANGE != points[before].group):
                places[point.line] = place
    return places


def _joined(points: Sequence[Point]) -> list[Point]:
    """The points, what one turn says in an exchange as one, with what was answered behind it in quotation marks."""
    answered_lines = {point.answers for point in points if point.answers}
    asking = {point.line for point in points if point.group == EXCHANGE and not point.answers}
    claims = Counter(point.line for point in points if _is_kept(point))
    joined: list[Point] = []
    place: dict[int, int] = {}  # of a turn in an exchange

    def with_answer(point: Point) -> Point:
        # Of several that are kept each has a line of its own, that it can be forgotten without the others.
        is_apart = _is_kept(point) and (point.line in asking or claims[point.line] > 1)
        moves = (
            point.line in answered_lines and point.statement is not None and not point.box and not is_apart
        )
        return point._replace(group=EXCHANGE) if moves else point

    for point in map(with_answer, points):
        index = place.get(point.answers or point.line) if point.group == EXCHANGE else None
        if index is not None:
            joined[index] = _with(joined[index], point)
            continue
        if point.group == EXCHANGE:
            place[point.answers or point.line] = len(joined)
        joined.append(point._replace(text=f"“{point.text}”", answer=point.line) if point.answers else point)
    return joined


def _in_order(lines: Sequence[Point]) -> list[Point]:
    """The lines of a note: by their groups, but what is told with a request stands beside it."""
    asking = {line.line for line in lines if line.group == EXCHANGE}
    return sorted(
        lines,
        key=lambda line: EXCHANGE if line.group in (TOLD, OTHER) and line.line in asking else line.group,
    )


def _is_kept(point: Point) -> bool:
    """True for a statement that makes a claim."""
    return point.statement is not None and verdict(point.statement).verdict in ("fact", "statement", "ask")


def _with(point: Point, addition: Point) -> Point:
    """A point with what was said next, or what was answered."""
    if not addition.answers:
        return point._replace(text=f"{_sentence(point.text)} {addition.text}")
    if point.answer:
        return point._replace(text=f"{_sentence(point.text.removesuffix('”'))} {addition.text}”")
    return point._replace(
        text=f"{point.text} – {speaker(addition.who)}: “{addition.text}”", answer=addition.line
    )


def _anything(turns: Sequence[Turn]) -> list[Point]:
    """The beginning of what was said, where nothing of it is a statement: pasted code, or a bare "yes"."""
    spoken = (turn for turn in turns if turn.role not in ("tool", "system"))
    texts = ((turn, harmless(cut_short(turn.text[:_SCANNED], _LONGEST))) for turn in spoken)
    return [Point(turn.line, who(turn), text, OTHER, NOTHING, True) for turn, text in texts if text][:1]


def with_quotes(points: Sequence[Quote], claims: Iterable[Claim], turns: Iterable[Turn]) -> tuple[Quote, ...]:
    """The points, and one more for each claim whose words stand in none of its line's."""
    speakers = {turn.line: who(turn) for turn in turns}
    quotes = list(points)
    for claim in claims:
        words = harmless(claim.quote)
        statement = harmless(claim.words) or words
        if _place_of(quotes, claim.line, statement) is None:
            quotes.append(Quote(claim.line, speakers.get(claim.line, claim.role), words))
    return tuple(quotes)


def with_changes(
    points: Sequence[Quote], decided: Iterable[ClaimDecision], audience: str
) -> tuple[Quote, ...]:
    """The points, each that changes what was known with the value that it takes the place of.

    A value that is for fewer people than the points are is not told; `audience` is whom they are for.
    """
    changed = list(points)
    for decision in decided:
        was = decision.known if decision.action == "supersede" or decision.replaces else decision.was
        if was and decision.audience in ("", audience):
            words = harmless(decision.claim.words or decision.claim.quote)
            index = _place_of(changed, decision.claim.line, words)
            if index is not None:
                changed[index] = changed[index]._replace(
                    text=f"{changed[index].text} (was: {cut_short(harmless(was), _WAS)})"
                )
    return tuple(changed)


def _place_of(points: Sequence[Quote], line: int, words: str) -> int | None:
    """The place of the first point of a line that holds some words."""
    return next(
        (n for n, point in enumerate(points) if point.line == line and _holds(point.text, words)), None
    )


def _holds(text: str, words: str) -> bool:
    """True where the words stand in the text, dates that were put behind some of them aside."""
    tokens, needed = tokens_of(_RESOLVED.sub("", text)), tokens_of(words)
    return not needed or set(needed) <= set(tokens)


_RESOLVED = re.compile(r" \(\d{4}(?:-\d\d){0,2}(?: to \d{4}-\d\d-\d\d)?\)")


def block_of(points: Sequence[Quote], claim: Claim) -> str:
    """The block id of the point that a claim rests on: `l3`, or `l3-2` for the second of its line."""
    quotes = [point for point in points if point.line == claim.line]
    number = _place_of(quotes, claim.line, harmless(claim.words or claim.quote)) or 0
    return f"l{claim.line}" + (f"-{number + 1}" if number else "")


# What a talk is about: its title and its tags, in the words of those who decided and told something.

_WAS = 80  # characters of what was known before
_TITLE_WORDS, _TOPICS, _TAGS = 60, 3, 4
_MORE = 2  # words behind a request in a title
_PASTED_WORDS = re.compile(r"^pasted: “(.*)”$")
_COURTESY = re.compile(
    r"(?:/[a-z][\w-]*\s+)?(?:(?:hey|hi|hello|hallo|hola|ok(?:ay)?|so|well|now|also|please|pls|bitte|and)[,.! ]+)*(?:(?:can|could|would|will|kannst|kun) (?:you|u|du|je) (?:please |bitte )?(?:help me (?:to )?)?|(?:i'd like|i would like|i want|i need) (?:you )?to |help me (?:to )?|please |bitte )?",
    re.IGNORECASE,
)
_TOPIC_WORDS = 3
_DECISIONS = ("decide", "choice", "off")


def _topics(points: Sequence[Point]) -> list[str]:
    """What the weightiest statements are about, each once: those decided first, then those told, and in their order."""
    statements = (point.statement for point in points if point.statement and point.group <= DUE)
    topics: dict[str, str] = {}
    ranked = sorted(
        statements, key=lambda s: (-s.salient, s.kind not in _DECISIONS and not s.change, not s.hard)
    )
    for statement in ranked:
        topic = _topic(statement)
        key = " ".join(stemming.language(statement.language).tokens(topic))
        if topic and key and not any(set(key.split()) & set(earlier.split()) for earlier in topics):
            topics[key] = topic
    return list(topics.values())


def _topic(statement: Statement) -> str:
    """The thing that a statement is about, in at most three words: its topic, a name, or a noun that has a value."""
    words = grammar(statement.language)
    topic = tokens_of(statement.topic)
    if (
        topic
        and len(topic) <= _TOPIC_WORDS
        and not words.negations.within(topic)
        and not any(token in words.small or key_of(token) == key_of(statement.who) for token in topic[1:])
        and key_of(topic[0]) != key_of(statement.who)
        and topic[0] not in words.fillers
    ):
        return statement.topic.rstrip(".")
    if statement.names:
        return statement.names[0]
    tokens = tokens_of(statement.words)
    nouns = [
        n
        for n, token in enumerate(tokens)
        if (token in words.things or token in words.health_words)
        and token in statement.content
        and not (n and tokens[n - 1][0].isdigit())  # `3 hours`
    ]
    if nouns:
        n = nouns[0]
        lead = tokens[n - 1] if n and tokens[n - 1] in statement.content and tokens[n - 1].isalpha() else ""
        return f"{lead} {tokens[n]}".strip()
    return ""


def _title(turns: Sequence[Turn], request: str, subjects: Sequence[str], points: Sequence[Point]) -> str:
    """The host's own title, else the first request, else what was decided and told; with the words that the session comes back to."""
    if topic := next((turn.topic for turn in turns if telling(turn.topic)), ""):
        return cut_short(topic, _TITLE)
    people = [point for point in points if not point.answers and point.who != "tool"] or points
    of_people = sorted(people, key=lambda point: (bool(_PASTED_WORDS.match(point.text)), point.line))
    names = {name for point in points if point.statement for name in point.statement.names}
    # Names alone say too little.
    named = "" if request or names.issuperset(subjects) else _of_subjects(subjects)
    text = named if len(subjects) > 1 else ""
    if not text:
        text = (
            request
            or named
            or next((_sentence(_PASTED_WORDS.sub(r"\1", point.text)) for point in of_people), "")
        )
        text = _with_topics(text, topics(turns))
    return text[:1].upper() + text[1:]


def _with_topics(text: str, words: Sequence[str]) -> str:
    """A text as a title: with the first words of a ranking that it lacks, before all those that are cut off of it."""
    text = text.rstrip(".:;, ")
    text_words, folded = set(map(fold, WORD.findall(text))), {word: fold(word) for word in words}
    for room in range(_TITLE, _TITLE // 2, -1):
        title = cut_short(text, room)
        title_words = set(map(fold, WORD.findall(title)))
        lacking = [word for word, key in folded.items() if key not in title_words]
        cut_off = [word for word in lacking if folded[word] in text_words]
        named_topics = ", ".join(list(dict.fromkeys((*lacking[:1], *cut_off[:1], *lacking)))[:_MORE])
        if not named_topics or len(title) + len(named_topics) + 3 <= _TITLE:
            break
    return f"{title} ({named_topics})" if named_topics and title else title or named_topics


def _request(points: Sequence[Point]) -> Point | None:
    """The first sentence of a person that says what it is about; None where nobody asks anything, or something is told that nobody answers."""
    people = [point for point in points if not point.answers and point.who != "tool" and not point.box]
    spoken = [point for point in people if point.statement is not None] or people
    if spoken is not people and not any(point.group == EXCHANGE for point in people):
        return None
    thick = [
        point for point in spoken if len(telling(point.text)) >= TELLING and not point.text.endswith(":")
    ]
    first = min(thick, key=lambda point: point.line, default=None)
    is_answered = any(point.answers for point in points)
    return first if first and (is_answered or first.group == EXCHANGE or not first.kept) else None


def _reported(turns: Sequence[Turn], points: Sequence[Point]) -> str:
    """The error that a person begins with by pasting it, where somebody answers."""
    first = next((turn.text for turn in turns if turn.role in ("user", "") and turn.text.strip()), "")
    is_answered = "\n" in first.strip() and any(point.answers for point in points)
    return harmless(error_in(first)) if is_answered else ""


def _lead(text: str) -> str:
    """A sentence without the courtesies before it; of what was pasted its words."""
    text = _PASTED_WORDS.sub(r"\1", text)
    courtesy = _COURTESY.match(text)
    return text[courtesy.end() :] if courtesy else text


def _of_subjects(topics: Sequence[str]) -> str:
    chosen: list[str] = []
    for topic in topics:
        if len(", ".join((*chosen, topic))) <= _TITLE_WORDS and len(chosen) < _TOPICS:
            chosen.append(topic)
    return ", ".join(chosen)


def _entities(turns: Sequence[Turn], talk: Talk, names: Mapping[str, str]) -> tuple[str, ...]:
    """What the turns name besides who speaks: known in the vault, introduced as somebody, or named more than once."""
    count = Counter(talk.named)
    in_vault, speaking = set(names.values()), {key_of(turn.name) for turn in turns if turn.name}
    first = {key.split()[0] for key in speaking if key}
    ordered = sorted(count, key=lambda name: (name not in in_vault, -count[name]))
    return tuple(
        name for name in ordered
        if (name in in_vault or name in talk.people or count[name] > 1) and key_of(name) not in speaking | first
    )[:_MOST_NAMES]  # fmt: skip


# The summary: what was decided, and one wish, as sentences.

SUMMARY = 240  # characters


def _summary(request: str, choices: Sequence[Point], points: Sequence[Point], *, several: bool) -> str:
    """What was asked and where it ended; without a request the first two things decided or told, and one wish. What matters comes first."""
    ended = next((point for point in reversed(choices) if point.answers and point.kept), None)
    ended = ended if ended and _is_end(ended.text) else None
    wish = [point for point in points if point.group == WISHED][:1]
    candidates = [point for point in points if point.group in (DECIDED, TOLD, DUE)]
    candidates += [point for point in points if point.group in (OPEN, OTHER) and point.salient > 0]
    candidates = sorted(candidates, key=lambda point: -point.salient)
    if request and not several:
        matters = [point.text for point in candidates if point.salient > 0][:1]
        others = [point.text for point in candidates if fold(point.text) not in fold(request)]
        text = _sentences(
            [cut_short(request, SUMMARY * 2 // 3), *matters, *([] if ended else others[:1])], SUMMARY
        )
        room = SUMMARY - len(text) - len(f" – {speaker(ended.who)}: “”") if ended else 0
        return (
            f"{text} – {speaker(ended.who)}: “{cut_short(ended.text, room)}”"
            if ended and room >= _ROOM
            else text
        )
    chosen = [*candidates[:2], *wish] or list(points[:1])
    ordered = sorted(chosen, key=lambda point: (-point.salient, point.group, point.line))
    return _sentences([f"{speaker(point.who)}: {_sentence(point.text)}" if several else point.text for point in ordered], SUMMARY)  # fmt: skip


def _sentences(texts: Iterable[str], most: int) -> str:
    """The texts as sentences, as many as there is room for; the last is cut at a word."""
    text = ""
    for sentence in texts:
        room = most - len(text) - 1
        if room >= _ROOM or not text:
            text = f"{text} {cut_short(_sentence(sentence), room)}".strip()
    return text


_ROOM = 40


def _sentence(text: str) -> str:
    """The text with a capital and a mark at its end."""
    text = text.strip(" -–—;,:")
    text = text[:1].upper() + text[1:]
    return text if not text or text.rstrip("\"'”’»)*_`")[-1:] in tuple(".!?…。！？") else f"{text}."


# A segment and what was made of it → the episode note: its id, its path, the values of its template.

FOLDER = "episodes"
_TITLE, _SUMMARY_MOST, _NAME = 80, 400, 60
_MOST_NAMES = 8
_MOST_TAGS = 12
# What a quoted turn is worth. A tool's results are never quoted; which tool was called is the assistant's word.
_TRUST = {"user": "trusted", "human": "trusted", "assistant": "unknown", "tool": "unknown"}
_ORDER = ("trusted", "unknown", "untrusted")


class EpisodeNote(NamedTuple):
    """An episode as it will be written."""

    id: str
    path: str
    values: dict[str, object]  # of templates/notes/episode.md.j2
    trust: str


def episode(segment: Segment, extraction: Extraction, is_taken: Callable[[str], bool]) -> EpisodeNote:
    """The note of a segment.

    Args:
        taken: whether the episode of another segment has this path.
    """
    times = _times(segment)
    title = cut_short(harmless(extraction.title), _TITLE) or "Note"
    path = free_name(f"{FOLDER}/{episode_name(times[0], title)}", is_taken)
    id_ = path.rpartition("/")[2].removesuffix(".md")
    points = [point for point in extraction.points if point.text.strip()]
    roles = {turn.line: "assistant" if turn.by else turn.role for turn in segment.turns}
    lines = {line for point in points for line in (point.line, point.answer) if line}
    worth = {_TRUST.get(roles.get(line, ""), "untrusted") for line in lines}
    trust = max(worth or {"untrusted"}, key=_ORDER.index)
    cleaned = ("-".join(harmless(tag).lstrip("#").split())[:_NAME] for tag in extraction.tags)
    values: dict[str, object] = {
        "id": id_,
        "timestamp": start_of(segment),
        "start": start_of(segment),
        "end": timestamp(times[-1]),
        "title": title,
        "tags": list(dict.fromkeys(filter(None, cleaned)))[:_MOST_TAGS],
        "summary": cut_short(harmless(extraction.summary), _SUMMARY_MOST) or title,
        "participants": _names(extraction.participants),
        "entities": _names(extraction.entities),
        "confidence": extraction.confidence if extraction.confidence in LEVELS else "low",
        "source": str(segment.range),
        "trust": trust,
        "audience": segment.audience,
        "export": segment.turns[0].export,
        "body": body(points),
    }
    return EpisodeNote(id_, path, values, trust)


def start_of(segment: Segment) -> str:
    """The time of the first turn, as the note has it."""
    return timestamp(_times(segment)[0])


def _times(segment: Segment) -> list[datetime]:
    """The times of the turns in order; without any, the day of the log's folder, else 1970."""
    stamps = {turn.ts for turn in segment.turns if turn.ts}
    return sorted(
        map(instant, stamps or [parse_timestamp(segment.range.path.split("/")[1][:10]) or "1970-01-01"])
    )


def _names(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(speaker(name) for name in names if name.strip()))[:_MOST_TAGS]


def participants_of(turns: Iterable[Turn], *, people: bool = False) -> tuple[str, ...]:
    """The names of those who spoke, or their roles, each once, in order; tools do not speak. `people`: users alone."""
    spoke = (
        turn for turn in turns if turn.role not in ("tool", "system") and (not people or turn.role == "user")
    )
    return tuple(dict.fromkeys(speaker(turn.name or turn.role) for turn in spoke if turn.name or turn.role))


def who(turn: Turn) -> str:
    """The speaker's name, else the role."""
    return turn.name or turn.role or "somebody"


# What was said as a line of a note: no word of it becomes a link, tag, comment, code fence or block id

_LINKS = re.compile(r"!?\[\[+|!\[|\]\]+")
_TAG = re.compile(r"(?<!\S)#+(?=[^\s\d#])")
_COMMENT = re.compile(r"%%+|<!--+|(?<!-)--+>")
_LEADING = re.compile(r"(?:[#>+*=~-]+|\d{1,9}(?:\.\d{1,3}){0,3}[.)]|\[[ xX]?\])(?=\s|$)\s*")
LONGEST_NAME = 60
_NAME_MARKS = re.compile(r"[\[\]|^#`*<>:%\\]+")


def harmless(text: str) -> str:
    """The text on one line, as part of a note's prose."""
    flat = one_line(text)
    start = 0
    while hit := _LEADING.match(flat, start):
        start = hit.end()
    flat = flat[start:]
    if "[" in flat or "]" in flat:
        flat = _LINKS.sub(lambda hit: hit[0].lstrip("!")[:1], flat)
    if "%%" in flat or "--" in flat:
        flat = _COMMENT.sub(lambda hit: " " if hit[0][0] == "%" else hit[0].replace("--", "- "), flat)
    if "#" in flat:
        flat = _TAG.sub("", flat)
    if "``" in flat or "~~~" in flat or flat.count("`") % 2:
        flat = flat.replace("`", "'").replace("~~~", "~")
    return " ".join(without_block_mark(flat).split())


def speaker(name: str) -> str:
    """A name as it stands before what its bearer said."""
    return " ".join(_NAME_MARKS.sub(" ", one_line(name)).split())[:LONGEST_NAME].strip() or "somebody"


def body(points: Iterable[Quote]) -> str:
    """The points as a list, each with the block id that facts cite: `^l3`, and `^l3-2` for the second of its line."""
    lines: list[str] = []
    count: Counter[int] = Counter()
    for point in points:
        count[point.line] += 1
        suffix = f"-{count[point.line]}" if count[point.line] > 1 else ""
        box = f"[{point.box}] " if point.box else ""
        ended = f" ({', '.join(tick.link for tick in point.ticks)})" if point.ticks else ""
        line = f"- {box}{speaker(point.who)}: {harmless(point.text)}{ended} ^l{point.line}{suffix}"
        lines.append(with_due(line, point.due) if point.due else line)
    return "\n".join(lines)
