"""A segment → what patterns make of it: title, summary, tags, names, and the points worth keeping.

No word that was not said, but the dates that "yesterday" and the like stand for.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from heapq import heapify, heappop, heappush
from itertools import groupby, pairwise
from typing import NamedTuple

from memoryclaw.consolidation.changes import LEVELS, Claim, Extraction, Quote, Segment
from memoryclaw.consolidation.fact_values import resolved
from memoryclaw.consolidation.statements import (
    is_filler,
    is_heartbeat,
    is_kept,
    is_light,
    is_number,
    language_of,
    stem,
    stops,
    terms,
    words,
)
from memoryclaw.consolidation.tool_calls import ToolText, is_call_line, read_call
from memoryclaw.model import Turn
from memoryclaw.text import words as lists
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.language import WORD, candidates, key_of, keys_of, select
from memoryclaw.text.prompts import one_line
from memoryclaw.text.sentences import plain, sentences
from memoryclaw.vault.layout import episode_name, free_name, timestamp

SUMMARY = 120  # characters that a summary aims at
_SENTENCE = 120
_MARKS = tuple(".!?…。！？")
# A sentence that begins so speaks of what was said before it.
_POINTS_BACK = re.compile(
    r"\W*+(?:(?:and|but|und|aber|so|well|oh)[,\s]*+)?(?:he|she|it|its|they|them|their|her|his|him|this|that|these|those|er|sie|es|ihr|ihre[nmrs]?|sein|seine[nmrs]?|dies\w*|das|elle|ils?|elles)\b(?!-)",
    re.IGNORECASE,
)
_RESOLVED = re.compile(r" \(\d{4}(?:-\d\d){0,2}(?: to \d{4}-\d\d-\d\d)?\)")


def extract(segment: Segment, names: Mapping[str, str], language: str = "en") -> Extraction:
    """What a segment says, in its own words.

    Args:
        segment: the turns.
        names: the keys of names known in the vault, and the names.
        language: of the vault; the talk's own is found by its small words.
    """
    turns = segment.turns
    spoken = [turn for turn in turns if turn.role not in ("tool", "system")]
    language = language_of((word for turn in spoken for word in words(turn.text[:2000])), language)
    points, chosen = points_of(turns, language)
    speakers = {word for turn in turns for word in words(turn.name)}
    entities = entities_of(turns, names, language)
    phrases = phrases_of([shown(s.text) for s in chosen], language, speakers, entities)
    return Extraction(
        title=title_of(phrases, _telling(chosen) or _first_words(points, turns)),
        summary=_summary(turns, chosen, points, language),
        tags=tags_of(phrases, entities),
        participants=participants_of(turns),
        entities=entities,
        points=points,
    )


def with_quotes(points: Sequence[Quote], claims: Iterable[Claim], turns: Iterable[Turn]) -> tuple[Quote, ...]:
    """The points with the words of every claim among them: added to the point of its line, or as a point of their own."""
    speakers = {turn.line: who(turn) for turn in turns}
    kept = {point.line: point for point in points}
    for claim in claims:
        said, point = harmless(claim.quote), kept.get(claim.line)
        if point is None:
            kept[claim.line] = Quote(claim.line, speakers.get(claim.line, claim.role), said)
        elif not _holds(point.text, said):
            kept[claim.line] = point._replace(text=f"{point.text} … {said}")
    return tuple(kept[line] for line in sorted(kept))


def _holds(text: str, said: str) -> bool:
    """True when the words stand in the text, dates that were put behind some of them aside."""
    known, wanted = words(_RESOLVED.sub("", text)), words(said)
    spans = range(len(known) - len(wanted) + 1)
    return not wanted or any(known[at : at + len(wanted)] == wanted for at in spans)


def _first_words(points: Sequence[Quote], turns: Sequence[Turn]) -> str:
    texts = [point.text for point in points] or [harmless(prose(turn)) for turn in turns]
    return next(filter(None, texts), "")


def _telling(chosen: Iterable[Sentence]) -> str:
    """The first sentence of a person that tells something."""
    stated = [s for s in chosen if s.by_person and not s.text.endswith("?") and not is_reaction(s.text)]
    best = min(stated, key=lambda s: (s.turn, s.place), default=None)
    return harmless(best.text) if best else ""


def _summary(
    turns: Sequence[Turn], chosen: Sequence[Sentence], points: Sequence[Quote], language: str
) -> str:
    """The one to three weightiest sentences, in the order they were said, with their speakers."""
    parts, last = [], -1
    for sentence in sorted(_weightiest(turns, chosen), key=lambda s: (s.turn, s.place)):
        turn = turns[sentence.turn]
        text = resolved(_stopped(cut_short(harmless(sentence.text), _SENTENCE)), turn.ts, language)
        parts.append(text if sentence.turn == last else f"{speaker(who(turn))}: {text}")
        last = sentence.turn
    return " ".join(parts) or _stopped(cut_short(_first_words(points, turns), SUMMARY))


def _weightiest(turns: Sequence[Turn], chosen: Sequence[Sentence]) -> list[Sentence]:
    """Sentences that can be understood alone; where there are none, the weightiest with the one before it."""
    taken: list[Sentence] = []
    for sentence in [s for s in chosen[:12] if not _POINTS_BACK.match(s.text)][:6]:
        if not taken or (len(taken) < 3 and sum(len(s.text) for s in (*taken, sentence)) <= SUMMARY):
            taken.append(sentence)
    if taken or not chosen:
        return taken
    first = chosen[0]
    before = [text for text in sentences(prose(turns[first.turn])) if text != first.text]
    return ([first._replace(text=before[0], place=-1)] if first.place and before else []) + [first]


def _stopped(text: str) -> str:
    """The text with a mark at its end."""
    text = text.rstrip(" -–—;,:")
    return text if not text or text.rstrip("\"'”’»)*_`")[-1:] in _MARKS else f"{text}."


# A segment and what was made of it → the episode note: its id, its path, the values of its template.

FOLDER = "episodes"
_TITLE, _SUMMARY, _NAME = 80, 400, 60
_MOST = 12  # tags, names
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
        "timestamp": timestamp(times[0]),
        "start": timestamp(times[0]),
        "end": timestamp(times[-1]),
        "title": title,
        "tags": _tags(extraction.tags),
        "summary": cut_short(harmless(extraction.summary), _SUMMARY) or title,
        "participants": _names(extraction.participants),
        "entities": _names(extraction.entities),
        "project": _name(extraction.project),
        "confidence": extraction.confidence if extraction.confidence in LEVELS else "low",
        "source": str(segment.range),
        "trust": trust,
        "body": "\n".join(map(bullet, points)),
    }
    return EpisodeNote(id_, path, values, trust)


def _times(segment: Segment) -> list[datetime]:
    """The times of the turns in order; without any, the day of the log's folder, else 1970."""
    found = sorted({turn.ts for turn in segment.turns if turn.ts})
    texts = found or [parse_timestamp(segment.range.path.split("/")[1][:10]) or "1970-01-01"]
    moments = [datetime.fromisoformat(text) for text in texts]
    return [when if when.tzinfo else when.replace(tzinfo=UTC) for when in moments]


def _trust(turns: Iterable[Turn], points: Iterable[Quote]) -> str:
    roles = {turn.line: turn.role for turn in turns}
    worth = {_TRUST.get(roles.get(point.line, ""), "untrusted") for point in points}
    return max(worth or {"untrusted"}, key=_ORDER.index)


def _tags(tags: Iterable[str]) -> list[str]:
    cleaned = ("-".join(harmless(tag).lstrip("#").split())[:_NAME] for tag in tags)
    return list(dict.fromkeys(filter(None, cleaned)))[:_MOST]


def _names(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(_name, names))))[:_MOST]


def _name(name: str) -> str:
    return speaker(name) if name.strip() else ""


# Who spoke in a segment, and of whom and what they spoke: names known in the vault, and new ones that come up more than
# once.

_MOST_NAMES = 8
_LONGEST = 4  # words of a new name
_CALENDAR = frozenset(lists.words("consolidation.calendar"))


def participants_of(turns: Iterable[Turn]) -> tuple[str, ...]:
    """The names of those who spoke, or their roles, each once, in order; tools do not speak."""
    spoke = (turn for turn in turns if turn.role not in ("tool", "system"))
    return tuple(dict.fromkeys(speaker(turn.name or turn.role) for turn in spoke if turn.name or turn.role))


def entities_of(turns: Sequence[Turn], names: Mapping[str, str], language: str = "") -> tuple[str, ...]:
    """What the turns name, besides who speaks: known entities first, as the vault writes them.

    Args:
        turns: of one segment.
        names: the keys of known names, and the names.
        language: of the talk; found out when not given.
    """
    texts = [shown(prose(turn)) for turn in turns if turn.role not in ("tool", "system")]
    said = [sentence for text in texts for sentence in sentences(text)]
    language = language or language_of(plain(word) for text in texts for word in WORD.findall(text))
    speaking = {key for turn in turns for key in _parts_of(turn.name)}
    fresh = () if language == "de" else _new(said, language)
    ordered = dict.fromkeys(name for name, _ in Counter(_known(said, names)).most_common())
    covered = {part for name in ordered for part in _parts_of(name)}
    ordered |= dict.fromkeys(name for name in fresh if not _parts_of(name) & covered)
    return tuple(name for name in ordered if not _is_any(name, speaking) and shown(name) == name)[
        :_MOST_NAMES
    ]


def _is_any(name: str, speaking: set[str]) -> bool:
    """True for the name of one who speaks, or its beginning: nobody is an entity beside themselves."""
    keys = keys_of(name)
    short = len(keys) == 1 and len(keys[0]) > 2 and any(key.startswith(keys[0]) for key in speaking)
    return short or not speaking.isdisjoint(keys)


def _parts_of(name: str) -> set[str]:
    key = key_of(name)
    return {key, *key.split()} - {""}


def _known(said: Iterable[str], names: Mapping[str, str]) -> Iterator[str]:
    """Yields the known names of some sentences; only runs of words that some name holds are looked at closely."""
    keys = {key for name in names.values() for key in keys_of(name)} | set(names)
    parts = {part for key in keys for part in (key.replace(" ", ""), *key.split())}
    if not parts:
        return
    for sentence in said:
        for near, run in groupby(
            WORD.findall(sentence), lambda word: not word.isascii() or plain(word) in parts
        ):
            if near:
                for candidate in select(candidates(list(run)), names):
                    yield names[candidate.key]


def _new(said: Iterable[str], language: str) -> tuple[str, ...]:
    """Capitalised words inside sentences that come up at least twice, with the capitalised words beside them."""
    stop = stops(language)
    count: Counter[str] = Counter()
    first: dict[str, str] = {}
    for sentence in said:
        for name in _capitalised(sentence, stop):
            key = key_of(name)
            first.setdefault(key, name)
            count[key] += 1
    often = [first[key] for key, n in count.most_common() if n > 1]
    return tuple(
        name for name in often if not any(name != other and name in other.split() for other in often)
    )


def _capitalised(sentence: str, stop: frozenset[str]) -> Iterator[str]:
    if sentence.isupper():
        return
    hits = list(WORD.finditer(sentence))
    run: list[str] = []
    end = -1
    for at, hit in enumerate([*hits, None]):
        word = hit[0] if hit else ""
        low = plain(word)
        named = (
            at > 0
            and word[:1].isupper()
            and low not in stop
            and low not in _CALENDAR
            and not is_light(low)
            and _is_wordy(word)
        )
        if run and not (named and hit and hit.start() == end + 1 and len(run) < _LONGEST):
            yield " ".join(run)
            run = []
        if named and hit:
            run.append(word.removesuffix("'s").removesuffix("’s"))
            end = hit.end()


def _is_wordy(word: str) -> bool:
    """False for codes and units: `D04`, `EUR`."""
    return sum(map(str.isalpha, word)) > 2 and not (word.isupper() and len(word) < 4)


# What a talk is about, in a few phrases of its own: its title and its tags. Words stand as they were said.

_TITLE_WORDS = 60
_TAGS = 4
_LONGEST_PHRASE = 3  # words of a phrase
_LONGEST_NAME = 4  # words of one with a name in it
_SENTENCE_WORDS = 8  # words of a sentence that stands for a title
_BEFORE = frozenset(plain(word) for word in lists.words("consolidation.before_nouns"))
_NO_NOUN = re.compile(r".*(?:ly|ing|ed|n't)$")
_NOT_IN_TITLE = _CALENDAR | frozenset(lists.words("consolidation.times_of_day"))
# Words that end a noun phrase though they carry a subject: prepositions, and verbs that are seldom nouns.
_BREAKS = frozenset(lists.words("consolidation.phrase_ends"))
# Words that are about nothing: currencies, units, abbreviations, adverbs, and nouns that only say that there is something.
_EMPTY = frozenset(plain(word) for word in lists.words("consolidation.empty"))
_HONORIFIC = frozenset(lists.words("consolidation.honorifics"))
_PRONOUNS = frozenset(lists.words("consolidation.pronouns"))
_ADJECTIVE = re.compile(r".{3,}(?:e|e[nmrs])$")  # German, between an article and its noun
_TOKEN = re.compile(
    rf"(?:{'|'.join(_HONORIFIC)})\.(?=\s?[^\W\d_])|{WORD.pattern}(?:[-/&]{WORD.pattern})*|[^\w\s]|\n",
    re.IGNORECASE,
)


class Phrase(NamedTuple):
    """Neighbouring words, as first said, and how much the talk is about them."""

    text: str
    stems: tuple[str, ...]
    weight: float
    at: int  # where it stands first among all phrases
    named: bool = False  # holds a name
    times: int = 1


class _WordKnowledge(NamedTuple):
    """What is known of the words of a talk before its phrases are read."""

    language: str
    stop: frozenset[str]
    speakers: frozenset[str]
    names: frozenset[str]  # written with a capital inside a sentence, or of a known entity
    known: frozenset[str]  # of a known entity
    small: frozenset[str]  # written with a small letter somewhere


def phrases_of(
    texts: Iterable[str], language: str, left_out: Iterable[str] = (), entities: Iterable[str] = ()
) -> list[Phrase]:
    """The phrases of some texts, the weightiest first.

    Args:
        texts: what was said, the weightiest first.
        language: of the texts.
        left_out: folded words of which alone no phrase is made, such as the speakers' names.
        entities: names that come up.
    """
    texts = list(texts)
    known = frozenset(plain(word) for name in entities for word in WORD.findall(name))
    of_talk = _WordKnowledge(
        language, stops(language), frozenset(left_out), _phrase_names(texts) | known, known, _small(texts)
    )
    found: dict[tuple[str, ...], Phrase] = {}
    single: dict[str, float] = {}
    for number, text in enumerate(texts):
        for phrase in _runs(text, of_talk):
            old = found.get(phrase.stems)
            weight = phrase.weight / (1 + number / 12) + (old.weight if old else 0)
            found[phrase.stems] = (old or phrase)._replace(
                weight=weight, at=old.at if old else len(found), times=old.times + 1 if old else 1
            )
            for word in phrase.stems:
                single[word] = single.get(word, 0) + 0.3
    scored = [
        p._replace(weight=p.weight + sum(single[s] for s in p.stems) / len(p.stems)) for p in found.values()
    ]
    return sorted(filter(_tells, scored), key=lambda phrase: (-phrase.weight, phrase.at))


def _tells(phrase: Phrase) -> bool:
    """False for a lone noun that came up once: it is in the talk, but the talk is not about it."""
    return phrase.named or len(phrase.stems) > 1 or phrase.times > 1


def title_of(phrases: Sequence[Phrase], fallback: str) -> str:
    """Up to three phrases that share no word, in the order they came up; a sentence cut short where there are none."""
    chosen: list[Phrase] = []
    for phrase in phrases:
        if (
            not _overlaps(phrase, chosen)
            and len(", ".join(p.text for p in (*chosen, phrase))) <= _TITLE_WORDS
        ):
            chosen.append(phrase)
        if len(chosen) == 3:
            break
    title = ", ".join(phrase.text for phrase in sorted(chosen, key=lambda phrase: phrase.at))
    title = title or _sentence_title(fallback)
    return title[:1].upper() + title[1:]


def _sentence_title(sentence: str) -> str:
    """The beginning of a sentence."""
    said = sentence.split()
    if len(said) > _SENTENCE_WORDS:
        sentence = " ".join(said[:_SENTENCE_WORDS]).rstrip(" ,;:-–.") + " …"
    return cut_short(sentence.rstrip(" .,;:"), _TITLE_WORDS)


def tags_of(phrases: Sequence[Phrase], entities: Iterable[str]) -> tuple[str, ...]:
    """Up to four tags: phrases in small letters joined by hyphens, each word in one of them only."""
    tags: list[str] = []
    stems: set[str] = set()
    for text in (*(phrase.text for phrase in phrases), *entities):
        low = [word.replace("'", "").replace("’", "") for word in WORD.findall(text.lower())]
        found = [word for word in low if word == "st" or plain(word) not in _HONORIFIC] or low
        own = {stem(plain(word)) for word in found}
        if found and not own & stems and not all(map(str.isdigit, "".join(found))):
            tags.append("-".join(found))
            stems |= own
        if len(tags) == _TAGS:
            break
    return tuple(tags)


def cut_short(text: str, length: int) -> str:
    """A text of at most so many characters, cut at a word."""
    if len(text) <= length:
        return text
    return (text[: length - 2].rpartition(" ")[0] or text[: length - 2]).rstrip(" ,;:-–") + " …"


def _overlaps(phrase: Phrase, chosen: Sequence[Phrase]) -> bool:
    return any(set(phrase.stems) & set(other.stems) for other in chosen)


def _phrase_names(texts: Iterable[str]) -> frozenset[str]:
    """Words that are written with a capital inside a sentence, folded."""
    found = (
        WORD.findall(sentence)[1:] for text in texts for sentence in sentences(text) if not sentence.isupper()
    )
    return frozenset(plain(word) for run in found for word in run if word[0].isupper())


def _small(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(plain(word) for text in texts for word in WORD.findall(text) if word[0].islower())


def _runs(text: str, talk: _WordKnowledge) -> Iterator[Phrase]:
    for sentence in sentences(text):
        run: list[str] = []
        before = ""
        tokens = [*_TOKEN.findall(sentence), "\n"]
        for at, token in enumerate(tokens):
            low = plain(token.rstrip("."))
            fits = token[0].isalnum() and _fits(token, low, talk) and not (at == 0 and _opens(tokens, talk))
            # In German only an article's adjective stands small among nouns.
            grows = not _NO_NOUN.match(low) and (talk.language != "de" or not token[0].islower())
            if fits and (not run or token[0].isupper() or grows):
                run.append(token)
                continue
            yield from _phrase(_trimmed(run, before, low, talk), before, talk)
            run, before = ([token], "") if fits else ([], low)


def _fits(token: str, low: str, talk: _WordKnowledge) -> bool:
    named = token[0].isupper() and low in talk.names
    if low in _HONORIFIC and token[0].isupper():
        return True
    if not low or low in talk.stop or low in _EMPTY or (is_light(low) and not named):
        return False
    return (named and low in talk.known) or (low not in _BREAKS and low.removesuffix("s") not in _BREAKS)


def _opens(tokens: Sequence[str], talk: _WordKnowledge) -> bool:
    """True for a word that has its capital from the sentence it begins, like the verb of an order; not for a first name."""
    token, after = tokens[0], tokens[1]
    low = plain(token.rstrip("."))
    if not token[0].isupper() or low in talk.names or low in _HONORIFIC:
        return False
    return not (after[0].isupper() and low not in talk.small and talk.language != "de")


def _is_participle(word: str) -> bool:
    """True for the first word of `called Pip`."""
    return word.islower() and _NO_NOUN.match(word) is not None


def _trimmed(run: list[str], before: str, after: str, talk: _WordKnowledge) -> list[str]:
    """The run without the verbs and numbers at its ends: `book Farben Kröger`, `Priyanka helps`, `the supplier delivers` it."""
    if before == "to" and run and run[0].islower():
        run = run[1:]
    german = talk.language == "de"
    while run and any(word[0].isupper() for word in run) and run[0][0].islower():
        if before in _BEFORE and (not german or _ADJECTIVE.match(run[0])) and not _is_participle(run[0]):
            break
        run = run[1:]
    while len(run) > 1 and run[0].isdigit():
        run = run[1:]
    while run and run[0][0].isupper() and run[-1][0].islower():
        verb = run[-1].endswith("s") and not run[-1].endswith("ss") and run[-2][-2:] not in ("'s", "’s")
        if not (german or verb):
            break
        run = run[:-1]
    if len(run) > 1 and run[-1][0].islower() and after in _PRONOUNS and run[-1].endswith("s"):
        run = run[:-1]
    while run and (
        plain(run[-1].rstrip(".")) in _HONORIFIC or (is_number(run[-1].lower()) and run[-1].isalpha())
    ):
        run = run[:-1]
    if run and run[-1][-2:] in ("'s", "’s"):
        run = [*run[:-1], run[-1][:-2]]
    return _without_speakers(run, talk.speakers)


def _without_speakers(run: list[str], speakers: frozenset[str]) -> list[str]:
    """The run without those who speak, unless they are part of a longer name or own what is named: `Ben Lund's birthday`."""
    if all(plain(word) in speakers for word in run):
        return []
    while run and plain(run[0]) in speakers and run[0][-2:] not in ("'s", "’s") and run[1][0].islower():
        run = run[1:]
    while run and plain(run[-1]) in speakers and run[-2][0].islower():
        run = run[:-1]
    return run


def _phrase(run: list[str], before: str, talk: _WordKnowledge) -> Iterator[Phrase]:
    german = talk.language == "de"
    longest = _LONGEST_NAME if any(word[0].isupper() for word in run) else _LONGEST_PHRASE
    run = run[-longest:] if before in _BEFORE and not german else run[:longest]
    lows = [plain(word.rstrip(".")) for word in run]
    if not run or all(low in _NOT_IN_TITLE or is_number(low) for low in lows) or len(lows[-1]) < 2:
        return
    if german and not run[-1][0].isupper() and not is_number(lows[-1]):
        return
    capital = [low for word, low in zip(run, lows, strict=True) if word[0].isupper()]
    name = any(low in talk.names or len(capital) > 1 for low in capital)
    known = not talk.known.isdisjoint(capital)
    if not (name or before in _BEFORE):
        return
    if len(run) == 1 and not name and _NO_NOUN.match(lows[0]):
        return
    proper = known or (name and not german)
    weight = 1.0 + 0.6 * (len(run) > 1) + 0.5 * proper + 0.5 * known
    yield Phrase(" ".join(run), tuple(map(stem, lows)), weight, 0, named=name)


# A segment's turns → the sentences worth keeping, as said. What somebody states goes before what anybody could say.

SHARE = 0.65  # of a segment's tokens that may be kept
LEAST = 160  # tokens: of a short segment so much is kept, whatever it weighs
MOST = 800  # tokens that are kept of any segment
GAIN = 0.142  # what a sentence must add for each token it costs
_QUESTION, _REACTION, _ASSISTANT, _OWN, _ANSWER, _DATED = (
    0.3,
    0.4,
    0.8,
    1.4,
    1.3,
    1.4,
)  # factors of a sentence
_LIGHT, _HARD, _PAIR = (
    0.3,
    2.0,
    0.4,
)  # weights of words: of small talk; of numbers and names; of two characters of one
_AGAIN = 0.4  # what one more sentence of the same turn is worth
_MUSTS = 1600  # tokens of sentences that are kept whatever they weigh
_LONGEST_MUST = 640  # characters of such a sentence
_START = 4  # tokens: keeps the shortest sentences from winning by being short
_EXTRA = 7  # tokens that a point costs besides its words: the bullet, the speaker, the block id
_LONGEST_SENTENCE = 320  # characters of one sentence
_ASKED = 110  # characters of a question that is kept for its answer
_CALLS = 6  # tool calls that are named
_SCANNED = 12000  # characters of one turn
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_REACTING = re.compile(
    r"""(?:(?:oh|ah|aw+|wow|yeah|yes|yep|yup|hey|hi|haha|well|so|and|ok(?:ay)?|cool|nice|great|awesome|thanks?|definitely|absolutely|totally|exactly|sure|agreed|true)\b[^,!.]{0,24}+[,!.]\s*+){0,3}
    (?:that(?:'|’)?s|that\s(?:is|was|sounds|looks|must)|those\s(?:are|look|sound)|(?:it\s)?sounds|(?:it\s)?looks|what\s(?:a|an)\b|how\s(?:nice|cool|lovely|great|sweet|exciting)|
    glad|congrat\w*|good\sluck|good\sfor|way\sto|keep\s(?:it|up|going|at|on|pushing)|thanks|thank|i(?:'|’)?m\s(?:so\s|really\s|very\s)?(?:glad|happy|proud|excited|sorry|thrilled)\s(?:for|to\shear|of|that|you)|
    proud\sof|can(?:'|’)?t\swait|i\s(?:totally\s|completely\s|really\s)?(?:agree|understand|know\swhat)|i(?:'|’)?m\srooting|i\sbet|i\shope\syou|hope\s|let\sme\sknow|no\s(?:worries|problem)|enjoy|have\s(?:fun|a\s)|
    wish\syou|you(?:'|’)?(?:re|ve|ll|d)?\b|your\b|best\sof|sorry\sto|appreciate|i\sappreciate|it\smeans|wishing|take\scare|love\s(?:that|the|your|how))""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKING = ("?", "？")
_DASH = re.compile(r"\s[-–—]{1,3}\s|;\s")
_PICTURE = re.compile(r"\[(?:image|photo|video|audio|file)\b[^\]]*\]\W*", re.IGNORECASE)
_TIME = re.compile(
    r"""\b(?:yesterday|tomorrow|tonight|today|ago|(?:last|next|this|past|every|since|until)\s(?:few\s)?(?:week|month|year|night|summer|winter|spring|fall|autumn|weekend|\w+day)s?|
    \w+days?|january|february|march|april|june|july|august|september|october|november|december|
    gestern|vorgestern|morgen|heute|übermorgen|(?:letzte|nächste)[nrs]?|hier|demain|dernière?|prochaine?|ayer|mañana|pasad[oa]|próxim[oa])\b""",
    re.IGNORECASE | re.VERBOSE,
)
_FIRST = frozenset(lists.words("consolidation.first_person"))


class Sentence(NamedTuple):
    """One sentence of a segment, and what it is made of."""

    turn: int  # its place in the segment
    place: int  # in its turn
    text: str
    weights: tuple[tuple[str, float], ...]  # of its words' stems
    factor: float
    cost: int  # tokens
    by_person: bool
    kept: bool = False  # whatever it weighs


def points_of(turns: Sequence[Turn], language: str) -> tuple[tuple[Quote, ...], tuple[Sentence, ...]]:
    """The points of a segment in the order of its lines, and their sentences, the heaviest first."""
    every = list(_sentences(turns, language))
    budget = min(max(LEAST, int(SHARE * sum(sentence.cost for sentence in every))), MOST)
    chosen = _chosen(every, budget)
    texts = {number: _joined(group) for number, group in _by_turn(chosen)}
    for number in sorted(texts):
        question = _question_before(turns, number, texts)
        if question:
            texts[number - 1] = question
    quotes = [
        Quote(turns[number].line, who(turns[number]), resolved(harmless(text), turns[number].ts, language))
        for number, text in texts.items()
    ]
    quotes = sorted([*quotes, *_calls(turns)], key=lambda quote: quote.line)
    return tuple(quotes or _anything(turns)), tuple(chosen)


def who(turn: Turn) -> str:
    """The speaker's name, else the role."""
    return turn.name or turn.role or "somebody"


def is_reaction(text: str) -> bool:
    """True for what only answers the other's words, such as `That's great`."""
    return _REACTING.match(text) is not None


def prose(turn: Turn) -> str:
    """What somebody said, without code blocks and calls of tools."""
    text = _FENCE.sub(" ", turn.text[:_SCANNED]) if "```" in turn.text or "~~~" in turn.text else turn.text
    if "{" in text:
        text = "\n".join(line for line in text.split("\n") if not is_call_line(line))
    return text[:_SCANNED]


def _sentences(turns: Sequence[Turn], language: str) -> Iterator[Sentence]:
    names = frozenset(word for turn in turns for word in words(turn.name))
    stop, asked, known, latest = stops(language) | names, False, set[str](), ""
    for number, turn in enumerate(turns):
        if turn.role in ("tool", "system") or is_heartbeat(turn):
            continue
        for place, text in enumerate(_pieces(prose(turn))):
            kept = is_kept(text) and text != latest
            if (kept or text not in known) and not is_filler(text, names):
                known.add(
                    text
                )  # what is said twice is kept once, unless something else was said of it in between
                latest = text if kept else latest
                short = _short(text, _LONGEST_MUST if kept else _LONGEST_SENTENCE)
                factor = _factor(turn, short, asked=asked)
                weights = tuple(_weights(short, stop).items())
                yield Sentence(number, place, short, weights, factor, length(short), _is_person(turn), kept)
        asked = turn.text.rstrip().endswith(_ASKING)


def _pieces(text: str) -> Iterator[str]:
    """Yields sentences, and what a dash or semicolon parts of long ones; the mark stays at the end of the first part."""
    for sentence in sentences(text):
        start = 0
        for hit in _DASH.finditer(sentence):
            if _is_long(sentence[start : hit.start()]) and _is_long(sentence[hit.end() :]):
                yield sentence[start : hit.end()].rstrip()
                start = hit.end()
        yield sentence[start:]


def _is_long(part: str) -> bool:
    return part.count(" ") >= 3


def _weights(text: str, stop: frozenset[str]) -> dict[str, float]:
    weights: dict[str, float] = {}
    shouted = text.isupper()
    for at, word in enumerate(WORD.findall(text)):
        low = plain(word)
        if low not in stop:
            hard = is_number(low) or (at > 0 and word[0].isupper() and not shouted)
            weight = _HARD if hard else _LIGHT if is_light(low) else 1.0
            parts = terms(low)
            for part in parts:
                weights[part] = max(weight if len(parts) == 1 else _PAIR, weights.get(part, 0))
    return weights


def _factor(turn: Turn, text: str, *, asked: bool) -> float:
    """What a sentence is worth by its kind: who speaks, and whether it asks, reacts, answers, tells of oneself or names a day."""
    factor = 1.0 if _is_person(turn) else _ASSISTANT
    if text.endswith(_ASKING):
        return factor * _QUESTION
    factor *= _ANSWER if asked else 1.0
    if _REACTING.match(text) or _PICTURE.fullmatch(text):
        return factor * _REACTION
    factor *= _DATED if _TIME.search(text) else 1.0
    return factor * (_OWN if _FIRST.intersection(words(text[:80])) else 1.0)


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


def _is_person(turn: Turn) -> bool:
    return turn.role in ("user", "human")


def _chosen(every: Sequence[Sentence], budget: int) -> list[Sentence]:
    """The sentences that add most for what they cost, until the budget is spent, and those always kept; the heaviest first."""
    choice, heap, musts = _Choice(), list[tuple[float, int]](), _musts(every)
    spent, budget = 0, budget - sum(every[at].cost for at in musts)
    siblings: dict[int, list[int]] = {}
    for at, sentence in enumerate(every):
        siblings.setdefault(sentence.turn, []).append(at)
        heap.append((-choice.gain(sentence), at))
    heapify(heap)
    # What is taken only lowers the others' gain, but for its own turn's; so a gain that still holds at the top is the highest.
    while heap:
        value, at = heappop(heap)
        gain = choice.gain(every[at])
        if gain < -value:
            heappush(heap, (-gain, at))
        elif not choice.has(every[at]) and (at in musts or gain > (GAIN if spent >= LEAST else 0)):
            cost = 0 if at in musts else choice.cost(every[at])
            if cost and choice.taken and spent + cost > budget:
                continue
            spent += cost
            choice.take(every[at])
            for other in siblings.pop(every[at].turn, ()):
                heappush(heap, (-choice.gain(every[other]), other))
    return choice.taken


def _musts(every: Sequence[Sentence]) -> frozenset[int]:
    """The places of the sentences that are kept whatever they weigh, the latest first while there is room."""
    found, left = set[int](), _MUSTS
    for at in reversed(range(len(every))):
        if every[at].kept and every[at].cost <= left:
            found.add(at)
            left -= every[at].cost
    return frozenset(found)


class _Choice:
    """The sentences that are taken, and what others would still add."""

    def __init__(self) -> None:
        self.taken: list[Sentence] = []
        self._seen: Counter[str] = Counter()
        self._of_turn: Counter[int] = Counter()
        self._places: set[tuple[int, int]] = set()

    def has(self, sentence: Sentence) -> bool:
        return (sentence.turn, sentence.place) in self._places

    def cost(self, sentence: Sentence) -> int:
        return sentence.cost + (0 if self._of_turn[sentence.turn] else _EXTRA)

    def gain(self, sentence: Sentence) -> float:
        """What it adds for each token it costs."""
        weight = sum(value / (1 + self._seen[word]) for word, value in sentence.weights)
        if already := self._of_turn[sentence.turn]:
            weight *= _AGAIN if sentence.by_person else _AGAIN / already
        return sentence.factor * weight / (self.cost(sentence) + _START)

    def take(self, sentence: Sentence) -> None:
        self.taken.append(sentence)
        self._seen.update(word for word, _ in sentence.weights)
        self._of_turn[sentence.turn] += 1
        self._places.add((sentence.turn, sentence.place))


def _by_turn(chosen: Sequence[Sentence]) -> Iterator[tuple[int, list[Sentence]]]:
    ordered = sorted(chosen, key=lambda s: (s.turn, s.place))
    for number, group in groupby(ordered, key=lambda s: s.turn):
        yield number, list(group)


def _joined(group: Sequence[Sentence]) -> str:
    """Sentences of one turn; an ellipsis stands where some between them were left out."""
    text = group[0].text
    for before, sentence in pairwise(group):
        near = sentence.place == before.place + 1
        text = f"{text} {sentence.text}" if near else f"{_ended(text)} … {sentence.text}"
    return _ended(text)


def _ended(text: str) -> str:
    return text.rstrip(" -–—;")


def _question_before(turns: Sequence[Turn], number: int, texts: dict[int, str]) -> str:
    """The question that a short answer answers, where it is not kept already."""
    if number < 1 or number - 1 in texts or len(texts[number].split()) > 7:
        return ""
    before = turns[number - 1]
    if before.role in ("tool", "system") or who(before) == who(turns[number]):
        return ""
    asked = [text for text in sentences(prose(before)) if text.endswith(_ASKING)]
    return _short(asked[-1], _ASKED) if asked else ""


def _anything(turns: Sequence[Turn]) -> list[Quote]:
    """The beginning of what was said, where nothing of it is a sentence: pasted code, or a bare "yes"."""
    said = (turn for turn in turns if turn.role not in ("tool", "system"))
    texts = ((turn, harmless(_short(turn.text[:_SCANNED], _LONGEST_SENTENCE))) for turn in said)
    return [Quote(turn.line, who(turn), text) for turn, text in texts if text][:1]


def _calls(turns: Sequence[Turn]) -> list[Quote]:
    """The tools that did something, each named once for calls that repeat or correct each other."""
    found: dict[tuple[str, str], tuple[int, ToolText]] = {}
    for turn in turns:
        call = read_call(turn.text) if turn.role == "tool" else None
        if call and not call.looks_up:
            found[call.tool, call.about] = (turn.line, call)
    return [Quote(line, "tool", harmless(call.phrase)) for line, call in list(found.values())[:_CALLS]]


def _short(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    return (text[:length].rpartition(" ")[0] or text[:length]) + " …"


# What was said as a line of a note: no word of it becomes a link, tag, comment, code fence or block id

_LINKS = re.compile(r"!?\[\[+|!\[|\]\]+")
_TAG = re.compile(r"(?<!\S)#+(?=[^\s\d#])")
_COMMENT = re.compile(r"%%+|<!--+|(?<!-)--+>")
_ENDING_ID = re.compile(r"(?:(?<=\s)|^)\^(?=[A-Za-z0-9-]+\s*$)")
_LEADING = re.compile(r"(?:[#>+*=~-]+|\d{1,9}[.)]|\[[ xX]?\])(?=\s|$)\s*")
LONGEST_NAME = 60
_NAME_MARKS = re.compile(r"[\[\]|^#`*<>:%\\]+")

_HIDDEN = re.compile(r"\[?\bREDACTED\b(?::[^\]\s]*)?\]?")


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


def shown(text: str) -> str:
    """The text with a full stop where something was taken out for being secret: no name, title or tag is made of that."""
    return _HIDDEN.sub(" . ", text) if "REDACTED" in text else text


def speaker(name: str) -> str:
    """A name as it stands before what its bearer said."""
    return " ".join(_NAME_MARKS.sub(" ", one_line(name)).split())[:LONGEST_NAME].strip() or "somebody"


def bullet(quote: Quote) -> str:
    """A quote as one point of an episode, with the block id that facts cite."""
    return f"- {speaker(quote.who)}: {harmless(quote.text)} ^l{quote.line}"
