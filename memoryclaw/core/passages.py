"""The sentences of a text that answer, when there is no room for all of it: those with the words first. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator

from memoryclaw.core.snippets import SENTENCE_END, places, snippet

_SCANNED = 20_000  # characters: of a longer text the densest part is read
_GAP = " … "
_LEAST = 40  # characters
_ASKING = ("?", "？", "؟")
_CALL = 4  # words


def passage(text: str, surfaces: frozenset[str], fits: Callable[[str], bool]) -> str:
    """As many sentences as fit, in their order: the best one first, then others with new words, then what stands around it.

    Args:
        text: of any kind; its line breaks end sentences.
        surfaces: the words of the question as they stand in the text.
        fits: whether a passage may be so long. When no sentence fits, the densest part of the best one is taken.
    """
    if len(text) > _SCANNED:
        text = snippet(text, surfaces, _SCANNED).text
    sentences = [flat for part in SENTENCE_END.split(text) if (flat := " ".join(part.split()))]
    if not sentences:
        return ""
    chosen: set[int] = set()
    for number in _by_worth(sentences, surfaces):
        if fits(_joined(sentences, chosen | {number})):
            chosen.add(number)
        elif not chosen:
            return _part(sentences, number, surfaces, fits)
    return _joined(sentences, chosen)


def _by_worth(sentences: list[str], surfaces: frozenset[str]) -> Iterator[int]:
    held = _words_of(sentences, surfaces)
    idle = [_says_little(sentence) for sentence in sentences]
    best = max(range(len(sentences)), key=lambda number: (len(held[number]), not idle[number], -number))
    seen, taken = set(held[best]), [best]
    yield best
    while fresh := [n for n in range(len(sentences)) if n not in taken and held[n] - seen]:
        number = max(fresh, key=lambda n: (len(held[n] - seen), not idle[n], -abs(n - best)))
        seen |= held[number]
        taken.append(number)
        yield number
    # What follows answers more often than what went before.
    around = sorted(range(len(sentences)), key=lambda n: (idle[n], abs(n - best) - 0.5 * (n > best)))
    yield from (number for number in around if number not in taken)


def _says_little(sentence: str) -> bool:
    """A question, or a call such as `Wow, great!`."""
    return sentence.endswith(_ASKING) or (sentence.endswith("!") and sentence.count(" ") < _CALL)


def _words_of(sentences: list[str], surfaces: frozenset[str]) -> list[set[str]]:
    """The words of the question that each sentence holds."""
    whole = "\n".join(sentences)
    starts = [0]
    for sentence in sentences:
        starts.append(starts[-1] + len(sentence) + 1)
    held: list[set[str]] = [set() for _ in sentences]
    for start, end in places(whole, surfaces):
        held[bisect_right(starts, start) - 1].add(whole[start:end].lower())
    return held


def _joined(sentences: list[str], chosen: set[int]) -> str:
    """The chosen sentences, each gap between them marked."""
    said: list[str] = []
    last = -1
    for number in sorted(chosen):
        said += ["… " if last < 0 else _GAP] if number != last + 1 else [" "] if said else []
        said.append(sentences[number])
        last = number
    return "".join(said) + (" …" if last < len(sentences) - 1 else "")


def _part(sentences: list[str], number: int, surfaces: frozenset[str], fits: Callable[[str], bool]) -> str:
    width = len(sentences[number])
    while width >= _LEAST:
        part = snippet(sentences[number], surfaces, width).text
        part = part if not number or part.startswith("…") else f"… {part}"
        part = part if number == len(sentences) - 1 or part.endswith("…") else f"{part} …"
        if fits(part):
            return part
        width = width * 4 // 5
    return ""
