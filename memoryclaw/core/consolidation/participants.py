"""Who spoke in a segment, and of whom and what they spoke: names known in the vault, and new ones that come up more than once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from memoryclaw.core.consolidation.points import prose
from memoryclaw.core.consolidation.quoting import shown, speaker
from memoryclaw.core.consolidation.wording import is_light, language_of, plain, sentences, stops
from memoryclaw.core.entities import candidates, key_of, keys_of, select
from memoryclaw.core.language import WORD
from memoryclaw.core.model import Turn

_MOST = 8
_LONGEST = 4  # words of a new name
_CALENDAR = frozenset(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"])  # fmt: skip


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
    return tuple(name for name in ordered if not _is_any(name, speaking) and shown(name) == name)[:_MOST]


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
