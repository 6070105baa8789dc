"""How strongly a memory is remembered: what was cited or rated well comes before what was not, and use fades. Pure.

`x` begins at 0 with a memory. A use moves it: by its credit `c` of what is left to 1, `x + c(1 - x)`, or, where it was rated badly
and `c` is less than 0, to -1, `x + c(1 + x)`. In between it halves with every half-life of its kind, counted in the days on which
the vault was used at all: in an idle vault nothing fades. The strength is `2 ** x`, so from 0.5 to 2, and 1 for what was never used.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property

from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING
from memoryclaw.vault.ledger_usage import LedgerUsage, Use

# How much a use of each sort is evidence that a memory helped. That it was shown, whoever asked for it, says nothing of that yet.
CITED = 0.6
RATED = {1: -0.5, 2: -0.5, 3: 0.4, 4: 0.95, 5: 0.95}
# Active days in which use loses half of what it moved: what was said in passing fades soon, what is known and done does not.
HALF_LIVES = {"turn": 30, "todo": 30, "episode": 60, "note": 120, "fact": 120, "skill": 240}
HOT = 2.0**0.75  # from this strength on: as after two citations in a row, or one rating of 4 or 5
_OF_THEIR_OWN = frozenset(
    {"fact", "turn", "todo"}
)  # these are rated and cited themselves, not with their note


class StrengthStep(NamedTuple):
    """One use of a memory in the sum of its strength: what it counted, and where that left `x`."""

    use: Use
    credit: float
    faded: float  # x before it, after the active days since the use before
    x: float


class Strength(NamedTuple):
    """How strongly a memory is remembered on a day, and how that came about."""

    x: float = 0.0
    steps: tuple[StrengthStep, ...] = ()
    half_life: int = 0
    idle: int = 0  # active days since its last use

    @property
    def value(self) -> float:
        """What the score of its words is multiplied by."""
        return float(2.0**self.x)

    @property
    def is_hot(self) -> bool:
        """True for what is used often."""
        return self.value >= HOT


def credit_of(use: Use) -> float:
    """What a use counts: its rating if there is one, whatever else was seen of it; the evidence never adds up."""
    return RATED[use.rating] if use.rating else CITED


def move(x: float, credit: float) -> float:
    """Where a use leaves `x`."""
    return x + credit * (1 - x) if credit > 0 else x + credit * (1 + x)


def strength_of(uses: Iterable[Use], days: Sequence[str], today: str, half_life: int) -> Strength:
    """How strongly what had these uses is remembered on a day.

    Args:
        uses: in the order of their time.
        days: those on which the vault was used (ISO), the oldest first; only those that are over make anything fade.
        today: ISO date; what was later does not count yet.
        half_life: in active days.
    """
    x, last, steps = 0.0, 0, list[StrengthStep]()
    for use in uses:
        if use.ts[:10] <= today:
            place = bisect_left(days, use.ts[:10])
            faded = x * 0.5 ** ((place - last) / half_life)
            x, last = move(faded, credit := credit_of(use)), place
            steps.append(StrengthStep(use, credit, faded, x))
    idle = bisect_left(days, today) - last if steps else 0
    return Strength(x * 0.5 ** (idle / half_life), tuple(steps), half_life, idle)


class Strengths:
    """How strongly all that a vault remembers is remembered on a day.

    Args:
        merged: for notes and facts that were absorbed by others, the id of what absorbed each.
    """

    def __init__(self, record: LedgerUsage, today: date, merged: Mapping[str, str] = NOTHING) -> None:
        self._days = record.days
        self._today = today.isoformat()
        self._record = record
        # For each memory, the ids whose uses are its own by now; empty where nothing was merged.
        self._absorbed: dict[str, list[str]] = {}
        for id_ in record.used_ids if merged else ():
            heir, visited = id_, {id_}
            while (above := merged.get(heir, "")) and above not in visited:
                visited.add(heir := above)
            self._absorbed.setdefault(heir, []).append(id_)

    @property
    def ids(self) -> Collection[str]:
        """Everything that was ever cited or rated."""
        return self._record.used_ids

    def _uses(self, id_: str) -> Collection[Use]:
        if not self._absorbed:
            return self._record.uses_of(id_)
        return _unite(
            use for absorbed_id in self._absorbed.get(id_, ()) for use in self._record.uses_of(absorbed_id)
        )

    def of(self, id_: str, kind: str) -> Strength:
        """How strongly what has this id is remembered; a section also by the uses of its whole note."""
        uses = self._uses(id_)
        note = id_ if kind in _OF_THEIR_OWN else id_.partition("#")[0]
        if note != id_:
            uses = _unite([*uses, *self._uses(note)])
        return self._strength(uses, kind)

    @cached_property
    def notes(self) -> Mapping[str, Collection[str]]:
        """The notes of which something was ever cited or rated, each with the ids of what was."""
        ids_by_note: dict[str, list[str]] = {}
        for id_ in self._absorbed or self.ids:
            ids_by_note.setdefault(id_.partition("#")[0], []).append(id_)
        return ids_by_note

    def of_note(self, id_: str, kind: str) -> Strength:
        """How strongly a whole note is remembered, by its own uses and those of all its parts."""
        units = self.notes.get(id_, ())
        return self._strength(_unite(use for unit in units for use in self._uses(unit)), kind)

    def _strength(self, uses: Collection[Use], kind: str) -> Strength:
        half_life = HALF_LIVES.get(kind, HALF_LIVES["note"])
        return strength_of(uses, self._days, self._today, half_life)


def _unite(uses: Iterable[Use]) -> list[Use]:
    """The uses of several that are one by now: what was shown together was used once."""
    uses_by_key: dict[tuple[str, ...], Use] = {}
    for number, use in enumerate(sorted(uses)):
        key = (use.receipt,) if use.receipt else ("", str(number))
        earlier = uses_by_key.get(key)
        if earlier is None or (use.rating, use.cited) > (earlier.rating, earlier.cited):
            uses_by_key[key] = use
    return sorted(uses_by_key.values())


def in_words(strength: Strength) -> str:
    """What a strength rests on, such as `cited 3 times, rated 5`."""
    cited = sum(not step.use.rating for step in strength.steps)
    ratings = [str(step.use.rating) for step in strength.steps if step.use.rating]
    often = {1: "once", 2: "twice"}.get(cited, f"{cited} times")
    phrases = [f"cited {often}"] if cited else []
    return ", ".join([*phrases, *([f"rated {' and '.join(ratings[-2:])}"] if ratings else [])])
