"""A segment and what people said in it → the episode: title, summary, tags, names, and the points worth keeping, in the speakers' words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from memoryclaw.consolidation.actions import TickTodo
from memoryclaw.consolidation.changes import LEVELS, Claim, ClaimDecision, Extraction, Quote, Segment
from memoryclaw.consolidation.fillers import is_heartbeat
from memoryclaw.consolidation.salience import Salience
from memoryclaw.consolidation.todos import TodoLine
from memoryclaw.consolidation.tool_calls import ToolText, is_call_line, read_call
from memoryclaw.index import stemming
from memoryclaw.model import NOTHING, Turn
from memoryclaw.talk.acceptance import says_something, verdict
from memoryclaw.talk.statements import Statement, Talk
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.fillers import is_filler
from memoryclaw.text.grammar import codes, grammar, spoken_in, tokens_of
from memoryclaw.text.language import WORD, fold, key_of
from memoryclaw.text.prompts import one_line
from memoryclaw.text.sentences import sentences
from memoryclaw.text.zones import instant
from memoryclaw.vault.fact_values import resolve_dates
from memoryclaw.vault.layout import episode_name, free_name, timestamp

# Points: what a segment's people said that is worth keeping. The order of their groups is that of the note.

DECIDED, TOLD, WISHED, DUE, OPEN, OTHER = range(6)
NO_TOPICS = Salience()
_SHARE = 0.65  # of a segment's tokens that may be kept
_LEAST, _MOST = 480, 800  # tokens that may be kept of any segment, and of the longest
_MUSTS = 800  # tokens of points that are kept whatever they weigh
_EXTRA = 7  # tokens of a point besides its words: the bullet, the speaker, the block id
_LONGEST, _PASTED, _CALLS, _SCANNED = (
    320,
    80,
    6,
    12000,
)  # characters of a point, of a pasted line; tool calls; characters of a turn
_HARD = re.compile(r"\d|[$€£%]")
_WORTH = {DECIDED: 1.5, TOLD: 1.4, WISHED: 1.4, DUE: 1.4, OPEN: 0.7, OTHER: 1.0}  # of a point, by its group
_GAIN, _START = (
    0.142,
    4,
)  # what a point must add for each token it costs; tokens that keep the shortest from winning by being short
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)


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
    salient: int = 0  # of a topic that matters (1), or that is to be ignored (-1)


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
        segment: the turns.
        talk: the statements that people made in them.
        names: the keys of names known in the vault, and the names.
        language: of the vault; the talk's own is found by its small words.
        todos: the lines of the talk that have a box.
        salience: what matters and what to ignore; the statements of the talk know it already.
    """
    points = points_of(segment.turns, talk, language, todos, salience=salience)
    entities = _entities(segment.turns, talk, names)
    topics = _topics(points)
    first = next((point.text for point in points if point.group < OPEN), points[0].text if points else "")
    title = _title(topics) or cut_short(_sentence(first), _TITLE_WORDS).rstrip(".")
    return Extraction(
        title=title[:1].upper() + title[1:],
        summary=_summary(points, several=len(participants_of(segment.turns, people=True)) > 1),
        tags=_tags_of(topics, entities),
        participants=participants_of(segment.turns),
        entities=entities,
        points=tuple(Quote(point.line, point.who, point.text, point.box, point.ticks) for point in points),
    )


def points_of(
    turns: Sequence[Turn],
    talk: Talk,
    language: str = "en",
    todos: Sequence[TodoLine] = (),
    *,
    salience: Salience = NO_TOPICS,
) -> list[Point]:
    """The points of a segment: decided and changed, told, wishes to the assistant, dates and to-dos, open questions; else in order."""
    lined = {todo.of for todo in todos}
    fresh = talk._replace(statements=tuple(one for one in talk.statements if one not in lined))
    every = [  # first, for the same words of a line are told once
        Point(one.of.line, one.of.who, one.words, DUE, _weights(one.words, one.of.language), True, one.of, one.box, one.ticks, one.of.salient) for one in todos
    ]  # fmt: skip
    every += [*_spoken_points(turns, fresh, language, salience), *_points_of_others(turns), *_calls(turns)]
    every += [
        Point(one.line, one.who, f"pasted: “{_cut(harmless(one.first), _PASTED)}”", OTHER, NOTHING, True) for one in talk.pasted
    ]  # fmt: skip
    chosen = _choose(every)
    dated = [point._replace(text=_resolve_dates(turns, point, language)) for point in chosen]
    return sorted(dated, key=lambda point: point.group) or _anything(turns)


def _resolve_dates(turns: Sequence[Turn], point: Point, language: str) -> str:
    ts = next((turn.ts for turn in turns if turn.line == point.line), "")
    return resolve_dates(harmless(point.text), ts, point.statement.language if point.statement else language)


def _spoken_points(turns: Sequence[Turn], talk: Talk, language: str, salience: Salience) -> Iterator[Point]:
    """What people said: as statements where their language is read, else as sentences."""
    read = {statement.line for statement in talk.statements}
    for statement in talk.statements:
        group = _group(statement)
        if group is not None:
            is_must = (
                group in (WISHED, DUE)
                or statement.salient > 0
                or verdict(statement).verdict == "fact"
                or (group in (DECIDED, TOLD) and statement.firm)
            )
            yield Point(
                statement.line, statement.who, shown_words(statement), group, _weights(statement.words, statement.language), is_must, statement,
                salient=statement.salient,
            )  # fmt: skip
    for turn in turns:
        if turn.role in ("user", "") and turn.line not in read and not is_heartbeat(turn):
            code = spoken_in(turn.text, language)
            for text in sentences(prose(turn)) if code not in codes() else ():
                if not is_filler(text):
                    salient = salience.of(text).salient
                    yield Point(
                        turn.line,
                        who(turn),
                        _cut(text, _LONGEST),
                        OTHER,
                        _weights(text, code),
                        salient > 0 or bool(_HARD.search(text)),
                        salient=salient,
                    )


def shown_words(one: Statement) -> str:
    """A statement as a point: with what it answers, what it is about, and what was said first and put right."""
    text = f"{one.topic}: {one.words}" if one.topic else one.words
    if one.asked:
        text = f"{_cut(one.asked, 110)} – {text}"
    first = one.instead.partition(", first ")[2]
    return _cut(f"{text} (first said {first})" if first else text, _LONGEST)


def _group(statement: Statement) -> int | None:
    """The group of a statement; None where no episode tells it."""
    if statement.doubts & {"supposed"} or (
        statement.doubts & {"mood", "joke", "addressed"} and not statement.stressed and not statement.firm
    ):
        return None
    if "asked" in statement.doubts:
        return DUE if statement.kind == "task" and statement.content else None
    if statement.kind in ("task", "duty", "done", "off"):
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


def _points_of_others(turns: Sequence[Turn]) -> Iterator[Point]:
    """The assistant's lines that count: behind a tool that did something, what came of it; and a figure that the person agrees to."""
    for index, turn in enumerate(turns):
        if turn.role != "assistant":
            continue
        lines = [text for text in sentences(prose(turn)) if not text.endswith("?") and not is_filler(text)]
        figures = [text for text in lines if _HARD.search(text)]
        if (figures and _is_agreed(turns, index)) or (lines and _is_result(turns, index)):
            yield Point(
                turn.line, who(turn), _cut((figures or lines)[0], _LONGEST), DUE, NOTHING, bool(figures)
            )


def _is_result(turns: Sequence[Turn], at: int) -> bool:
    """True behind a call of a tool that did something."""
    call = read_call(turns[at - 1].text) if at and turns[at - 1].role == "tool" else None
    return call is not None and not call.looks_up


def _is_agreed(turns: Sequence[Turn], at: int) -> bool:
    """True before a turn of a person that begins with a yes."""
    answer = turns[at + 1] if at + 1 < len(turns) else None
    if answer is None or answer.role != "user":
        return False
    code = spoken_in(answer.text, "en")
    return code in codes() and grammar(code).yes_words.at(tokens_of(answer.text[:80])) > 0


def _weights(text: str, code: str) -> dict[str, float]:
    """What the words of a text tell, by their stems: numbers and names most, words that every talk is full of least."""
    language, light = stemming.language(code), grammar(code if code in codes() else "en").light
    weights: dict[str, float] = {}
    for place, hit in enumerate(WORD.finditer(text)):
        word = hit[0].lower()
        if not language.is_stop(word):
            hard = bool(_HARD.search(word)) or (place > 0 and hit[0][0].isupper() and not text.isupper())
            weight = 2.0 if hard else 0.3 if word in light else 1.0
            for stem in language.tokens(word):
                weights[stem] = max(weight, weights.get(stem, 0.0))
    return weights


def _choose(every: Sequence[Point]) -> list[Point]:
    """The points that are always kept, the latest first while there is room; then those that add most for what they cost.

    A word counts the less, the more often it stands in points that are taken.
    """
    cost = [length(point.text) + _EXTRA for point in every]
    budget = min(max(_LEAST, int(_SHARE * sum(cost))), _MOST)
    stems: Counter[str] = Counter()
    taken, texts, spent = set[int](), set[tuple[str, str]](), 0

    def gain(at: int) -> float:
        worth = sum(value / (1 + stems[stem]) for stem, value in every[at].words.items())
        return _WORTH[every[at].group] * worth / (cost[at] + _START)

    def take(at: int) -> int:
        same = (every[at].who, fold(every[at].text))
        if same in texts:
            return 0
        texts.add(same)
        taken.add(at)
        stems.update(every[at].words.keys())
        return cost[at]

    for at in sorted(range(len(every)), key=lambda at: (every[at].group == OTHER, -every[at].line)):
        if every[at].kept and spent + cost[at] <= _MUSTS:
            spent += take(at)
    heap = [(-gain(at), at) for at in range(len(every)) if at not in taken]
    heapify(heap)
    # What is taken only lowers the others' gain, so one that still holds at the top is the highest.
    while heap:
        value, at = heappop(heap)
        worth_now = gain(at)
        if worth_now < -value:
            heappush(heap, (-worth_now, at))
        elif worth_now > (_GAIN if spent >= _LEAST else 0) and spent + cost[at] <= budget:
            spent += take(at)
    return [every[at] for at in sorted(taken, key=lambda at: (every[at].line, at))]


def _calls(turns: Sequence[Turn]) -> list[Point]:
    """The tools that did something, each named once for calls that repeat or correct each other."""
    calls: dict[tuple[str, str], tuple[int, ToolText]] = {}
    for turn in turns:
        call = read_call(turn.text) if turn.role == "tool" else None
        if call and not call.looks_up:
            calls[call.tool, call.about] = (turn.line, call)
    return [
        Point(line, "tool", call.phrase, DUE, NOTHING, True) for line, call in list(calls.values())[:_CALLS]
    ]


def _anything(turns: Sequence[Turn]) -> list[Point]:
    """The beginning of what was said, where nothing of it is a statement: pasted code, or a bare "yes"."""
    spoken = (turn for turn in turns if turn.role not in ("tool", "system"))
    texts = ((turn, harmless(_cut(turn.text[:_SCANNED], _LONGEST))) for turn in spoken)
    return [Point(turn.line, who(turn), text, OTHER, NOTHING, True) for turn, text in texts if text][:1]


def with_quotes(points: Sequence[Quote], claims: Iterable[Claim], turns: Iterable[Turn]) -> tuple[Quote, ...]:
    """The points, and one more for each claim whose words stand in none of its line's."""
    speakers = {turn.line: who(turn) for turn in turns}
    quotes = list(points)
    for claim in claims:
        words = harmless(claim.quote)
        if not any(point.line == claim.line and _holds(point.text, claim.words or words) for point in quotes):
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
            index = next(
                (
                    n
                    for n, point in enumerate(changed)
                    if point.line == decision.claim.line and _holds(point.text, words)
                ),
                None,
            )
            if index is not None:
                changed[index] = changed[index]._replace(
                    text=f"{changed[index].text} (was: {cut_short(harmless(was), _WAS)})"
                )
    return tuple(changed)


def _holds(text: str, said: str) -> bool:
    """True where the words stand in the text, dates that were put behind some of them aside."""
    present, needed = tokens_of(_RESOLVED.sub("", text)), tokens_of(said)
    return not needed or set(needed) <= set(present)


_RESOLVED = re.compile(r" \(\d{4}(?:-\d\d){0,2}(?: to \d{4}-\d\d-\d\d)?\)")


def block_of(points: Sequence[Quote], claim: Claim) -> str:
    """The block id of the point that a claim rests on: `l3`, or `l3-2` for the second of its line."""
    quotes = [point for point in points if point.line == claim.line]
    words = claim.words or claim.quote
    number = next((n for n, point in enumerate(quotes) if _holds(point.text, harmless(words))), 0)
    return f"l{claim.line}" + (f"-{number + 1}" if number else "")


# What a talk is about: its title and its tags, in the words of those who decided and told something.

_WAS = 80  # characters of what was known before
_TITLE_WORDS, _TOPICS, _TAGS = 60, 3, 4
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
        if (token in words.things or token in words.health_words) and token in statement.content
    ]
    if nouns:
        n = nouns[0]
        lead = tokens[n - 1] if n and tokens[n - 1] in statement.content and tokens[n - 1].isalpha() else ""
        return f"{lead} {tokens[n]}".strip()
    return ""


def _title(topics: Sequence[str]) -> str:
    chosen: list[str] = []
    for topic in topics:
        if len(", ".join((*chosen, topic))) <= _TITLE_WORDS and len(chosen) < _TOPICS:
            chosen.append(topic)
    return ", ".join(chosen)


def _tags_of(topics: Sequence[str], entities: Iterable[str]) -> tuple[str, ...]:
    """Up to four tags, in small letters joined by hyphens."""
    tags = ("-".join(tokens_of(text.replace("'s", ""))) for text in (*topics, *entities))
    return tuple(dict.fromkeys(tag for tag in tags if tag and not tag.replace("-", "").isdigit()))[:_TAGS]


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


def _summary(points: Sequence[Point], *, several: bool) -> str:
    """The first two things decided or changed, or else told, and one wish; what matters comes first, what is to be ignored last."""
    wish = [point for point in points if point.group == WISHED][:1]
    candidates = [point for point in points if point.group in (DECIDED, TOLD, DUE)]
    candidates += [point for point in points if point.group in (OPEN, OTHER) and point.salient > 0]
    chosen = [*sorted(candidates, key=lambda point: -point.salient)[:2], *wish] or list(points[:1])
    sentences: list[str] = []
    for point in sorted(chosen, key=lambda point: (-point.salient, point.group, point.line)):
        text = _sentence(point.text)
        text = f"{speaker(point.who)}: {text}" if several else text
        if not sentences or len(" ".join((*sentences, text))) <= SUMMARY:
            sentences.append(cut_short(text, SUMMARY))
    return " ".join(sentences)


def _sentence(text: str) -> str:
    """The text with a capital and a mark at its end."""
    text = text.strip(" -–—;,:")
    text = text[:1].upper() + text[1:]
    return text if not text or text.rstrip("\"'”’»)*_`")[-1:] in tuple(".!?…。！？") else f"{text}."


def cut_short(text: str, most: int) -> str:
    """A text of at most so many characters, cut at a word."""
    if len(text) <= most:
        return text
    return (text[: most - 2].rpartition(" ")[0] or text[: most - 2]).rstrip(" ,;:-–") + " …"


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return (text[:most].rpartition(" ")[0] or text[:most]) + " …"


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


def episode(segment: Segment, extraction: Extraction, taken: Callable[[str], bool]) -> EpisodeNote:
    """The note of a segment.

    Args:
        segment: the turns.
        extraction: what was made of them.
        taken: whether the episode of another segment has this path.
    """
    times = _times(segment)
    title = cut_short(harmless(extraction.title), _TITLE) or "Note"
    path = free_name(f"{FOLDER}/{episode_name(times[0], title)}", taken)
    id_ = path.rpartition("/")[2].removesuffix(".md")
    points = [point for point in extraction.points if point.text.strip()]
    trust = _trust(segment.turns, points)
    values: dict[str, object] = {
        "id": id_,
        "timestamp": start_of(segment),
        "start": start_of(segment),
        "end": timestamp(times[-1]),
        "title": title,
        "tags": _tags(extraction.tags),
        "summary": cut_short(harmless(extraction.summary), _SUMMARY_MOST) or title,
        "participants": _names(extraction.participants),
        "entities": _names(extraction.entities),
        "project": _name(extraction.project),
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


def _trust(turns: Iterable[Turn], points: Iterable[Quote]) -> str:
    roles = {turn.line: "assistant" if turn.by else turn.role for turn in turns}
    worth = {_TRUST.get(roles.get(point.line, ""), "untrusted") for point in points}
    return max(worth or {"untrusted"}, key=_ORDER.index)


def _tags(tags: Iterable[str]) -> list[str]:
    cleaned = ("-".join(harmless(tag).lstrip("#").split())[:_NAME] for tag in tags)
    return list(dict.fromkeys(filter(None, cleaned)))[:_MOST_TAGS]


def _names(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(_name, names))))[:_MOST_TAGS]


def _name(name: str) -> str:
    return speaker(name) if name.strip() else ""


def participants_of(turns: Iterable[Turn], *, people: bool = False) -> tuple[str, ...]:
    """The names of those who spoke, or their roles, each once, in order; tools do not speak. `people`: users alone."""
    spoke = (
        turn for turn in turns if turn.role not in ("tool", "system") and (not people or turn.role == "user")
    )
    return tuple(dict.fromkeys(speaker(turn.name or turn.role) for turn in spoke if turn.name or turn.role))


def who(turn: Turn) -> str:
    """The speaker's name, else the role."""
    return turn.name or turn.role or "somebody"


def prose(turn: Turn) -> str:
    """What somebody said, without code blocks and calls of tools."""
    text = _FENCE.sub(" ", turn.text[:_SCANNED]) if "```" in turn.text or "~~~" in turn.text else turn.text
    if "{" in text:
        text = "\n".join(line for line in text.split("\n") if not is_call_line(line))
    return text[:_SCANNED]


_PER_TOKEN = 4.0
_OTHER_PER_TOKEN = 1.6
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\U0001f000-\U0003ffff]")


def length(text: str) -> int:
    """A text's length in tokens of four characters; the constants that weigh sentences are tuned to it."""
    if text.isascii():
        return math.ceil(len(text) / _PER_TOKEN)
    wide = len(_WIDE.findall(text))
    plain = sum(map(str.isascii, text))
    return math.ceil(plain / _PER_TOKEN + (len(text) - plain - wide) / _OTHER_PER_TOKEN + wide)


# What was said as a line of a note: no word of it becomes a link, tag, comment, code fence or block id

_LINKS = re.compile(r"!?\[\[+|!\[|\]\]+")
_TAG = re.compile(r"(?<!\S)#+(?=[^\s\d#])")
_COMMENT = re.compile(r"%%+|<!--+|(?<!-)--+>")
_ENDING_ID = re.compile(r"(?:(?<=\s)|^)\^(?=[A-Za-z0-9-]+\s*$)")
_LEADING = re.compile(r"(?:[#>+*=~-]+|\d{1,9}[.)]|\[[ xX]?\])(?=\s|$)\s*")
LONGEST_NAME = 60
_NAME_MARKS = re.compile(r"[\[\]|^#`*<>:%\\]+")


def harmless(text: str) -> str:
    """The text on one line, as part of a note's prose."""
    flat = one_line(text)
    start = 0
    while hit := _LEADING.match(flat, start):
        start = hit.end()
    flat = flat[start:]
    flat = _LINKS.sub(lambda hit: hit[0].lstrip("!")[:1], flat)
    flat = _COMMENT.sub(lambda hit: " " if hit[0][0] == "%" else hit[0].replace("--", "- "), flat)
    flat = _TAG.sub("", flat)
    if "``" in flat or "~~~" in flat or flat.count("`") % 2:
        flat = flat.replace("`", "'").replace("~~~", "~")
    return " ".join(_ENDING_ID.sub("", flat).split())


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
        lines.append(f"- {box}{speaker(point.who)}: {harmless(point.text)}{ended} ^l{point.line}{suffix}")
    return "\n".join(lines)
