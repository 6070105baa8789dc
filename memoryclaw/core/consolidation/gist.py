"""A segment → what the deterministic mind makes of it: title, summary, tags, names, and the points worth keeping.

The rule: no word that was not said, but the dates that "yesterday" and the like stand for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from memoryclaw.core.consolidation.changes import Claim, Extraction, Quote, Segment
from memoryclaw.core.consolidation.participants import entities_of, participants_of
from memoryclaw.core.consolidation.phrases import cut_short, phrases_of, tags_of, title_of
from memoryclaw.core.consolidation.points import Sentence, is_reaction, points_of, prose, who
from memoryclaw.core.consolidation.quoting import harmless, shown, speaker
from memoryclaw.core.consolidation.resolved import resolved
from memoryclaw.core.consolidation.wording import language_of, sentences, words
from memoryclaw.core.model import Turn

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
    told = [s for s in chosen if s.by_person and not s.text.endswith("?") and not is_reaction(s.text)]
    best = min(told, key=lambda s: (s.turn, s.place), default=None)
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
