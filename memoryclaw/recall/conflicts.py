"""The conflicts of a vault, from its index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from memoryclaw.index.catalog import Catalog
from memoryclaw.index.index import link_key
from memoryclaw.late import NamedTuple
from memoryclaw.model import TRUSTS, Fact
from memoryclaw.text.dates import plus_days
from memoryclaw.text.language import key_of
from memoryclaw.text.memory_lines import BLOCK_ID

if TYPE_CHECKING:  # how values are compared is known only where two differ
    from memoryclaw.vault.conflict_rules import Conflict, FactAt
    from memoryclaw.vault.vocabulary import Schema

Rules = Callable[
    [], "tuple[Schema, Callable[[Fact, Fact], bool]]"
]  # what is declared, and what may stand together


class Conflicts:
    """Finds the conflicts that one index knows of.

    Args:
        rules: reads the schema, and what people said may stand side by side; asked only where values differ.
    """

    def __init__(self, catalog: Catalog, today: str, rules: Rules) -> None:
        self._catalog = catalog
        self._today = today
        self._rules = rules

    def all(self) -> list[Conflict]:
        """Every conflict, by the keys of their entities."""
        return self.of(self._catalog.contested_keys())

    def of(self, keys: Iterable[str]) -> list[Conflict]:
        """The conflicts about these entities, named by key."""
        entity_keys = set(keys)
        linked = set(self._catalog.other_names(entity_keys)) if entity_keys else set[tuple[str, str]]()
        pairs = self._catalog.standing_facts(entity_keys | {key for _, key in linked}) if entity_keys else []
        if not _may_conflict(pairs, linked):
            return []
        from memoryclaw.vault.conflict_rules import conflicts  # noqa: PLC0415 - see above

        schema, allowed = self._rules()
        return conflicts(
            sorted(pairs, key=lambda pair: key_of(pair[1].entity)),
            schema,
            today=self._today,
            allowed=allowed,
            linked=linked,
            speakers=self._catalog.speakers,
            namesakes=self._catalog.namesakes,
        )


def _may_conflict(facts: Sequence[FactAt], linked: Iterable[tuple[str, str]]) -> bool:
    """False where each entity is told of in one place and under one name, and no field of it twice."""
    paths: dict[str, set[str]] = {}
    fields: Counter[tuple[str, str]] = Counter()
    for path, fact in facts:
        key = key_of(fact.entity)
        paths.setdefault(key, set()).add(path)
        fields[key, fact.field.casefold()] += 1
    several = any(len(places) > 1 for places in paths.values()) or any(n > 1 for n in fields.values())
    return several or any(first in paths and other in paths for first, other in linked)


# Lines of logs and episodes whose fact was superseded, and what holds now.

_LONGEST = 60  # characters of a value in a mark


class Superseded(NamedTuple):
    """A fact that rested on a line and no longer holds, and what holds of its field now."""

    line: int  # of the file that is shown
    fact: str  # its id
    entity: str
    field: str  # empty for a statement
    value: str  # that held then
    since: str  # the day from which it is otherwise; empty where nobody knows
    now: str  # the value that holds now; empty where none does, or several
    trust: str = "trusted"  # of that value
    waits: bool = False  # nobody has decided yet whether it has changed

    def mark(self, trust: str = "quarantined") -> str:
        """What is said of it in few words, where what is shown has this trust: no line vouches for a value that is trusted less."""
        if self.waits:
            return f'may have changed: "{self.now}", {self.since}'
        if not self.now or TRUSTS.index(self.trust) > TRUSTS.index(trust):
            return f"superseded since {self.since}" if self.since else "superseded"
        value = self.now if len(self.now) <= _LONGEST else f"{self.now[: _LONGEST - 1].rstrip()}…"
        sentence = value if self.field == "value" else f"{self.field} {value}"
        return f"since {self.since}: {sentence}" if self.since else f"now: {sentence}"


class ShownLines(NamedTuple):
    """Lines of one file that are shown: of a log, or of an episode with its text."""

    path: str
    first: int
    last: int
    episode: str = ""  # its text from the first line on; empty for a log


def successors(
    catalog: Catalog, shown: Sequence[ShownLines], today: str, *, waiting: bool = False
) -> dict[int, list[Superseded]]:
    """What no longer holds of what is shown, by the number of the place in `shown`; in the order of lines.

    Args:
        catalog: where facts, and what they rest on, are known from.
        today: ISO date: a value whose last day has not come still holds.
        waiting: also what may hold no longer, and waits for a person.
    """
    logs = [
        (lines_shown.path, line)
        for lines_shown in shown
        if not lines_shown.episode
        for line in range(lines_shown.first, lines_shown.last + 1)
    ]
    names = catalog.notes({lines_shown.path for lines_shown in shown if lines_shown.episode})
    keys = [(path, key) for path, (id_, _) in names.items() for key in {link_key(id_), link_key(path)}]
    if not logs and not keys:
        return {}
    rested: dict[tuple[str, str], list[tuple[str, Fact]]] = {}
    for path, block, of_fact, fact in catalog.superseded_in(logs, sorted(keys)):
        if (
            fact.current <= waiting
            and (fact.lifecycle.verify_by if fact.current else fact.until[:10]) <= today
        ):
            rested.setdefault((path, block), []).append((of_fact, fact))
    if not rested:
        return {}
    successors = _Successors(catalog, [fact for facts in rested.values() for _, fact in facts], today)
    outdated: dict[int, list[Superseded]] = {}
    for number, lines_shown in enumerate(shown):
        for block, line in _blocks(lines_shown):
            over = [successors.instead_of(*fact, line) for fact in rested.get((lines_shown.path, block), ())]
            if successions := list(dict.fromkeys(item for item in over if item is not None)):
                outdated.setdefault(number, []).extend(successions)
    return outdated


def _blocks(shown: ShownLines) -> list[tuple[str, int]]:
    """The blocks that are shown, each with the line of its file."""
    if not shown.episode:
        return [(f"^l{line}", line) for line in range(shown.first, shown.last + 1)]
    return [
        (f"^{hit[1]}", shown.first + shown.episode.count("\n", 0, hit.start(1)))
        for hit in BLOCK_ID.finditer(shown.episode)
    ]


class _Successors:
    """What holds now of the fields of some former facts."""

    def __init__(self, catalog: Catalog, past: Iterable[Fact], today: str) -> None:
        from memoryclaw.vault.conflict_rules import agree, key_of_fact, stands  # noqa: PLC0415 - only where something was superseded

        self._agree, self._field, self._catalog = agree, key_of_fact, catalog
        self._now: dict[tuple[str, str], list[Fact]] = {}
        for _, fact in catalog.standing_facts({key_of(fact.entity) for fact in past}):
            if stands(fact, today):
                self._now.setdefault((key_of(fact.entity), key_of_fact(fact)), []).append(fact)

    def instead_of(self, path: str, fact: Fact, line: int) -> Superseded | None:
        """What is to be said of the line that a former fact of a file rests on, or one that waits; None where its value holds again, or where no later words are known."""
        if fact.current:
            day = plus_days(date.fromisoformat(fact.lifecycle.verify_by), 1).isoformat()
            later = self._catalog.overtaking(path, fact.line, day)
            row = Superseded(line, fact.id, fact.entity, fact.field, fact.value, day, later, waits=True)
            return row if later else None
        current = [] if fact.is_statement else self._now.get((key_of(fact.entity), self._field(fact)), [])
        if any(self._agree(successor.value, fact.value) for successor in current):
            return None
        successor = current[0] if current and len({rival.value for rival in current}) == 1 else None
        since = (successor.since if successor else "") or fact.until
        return Superseded(
            line, fact.id, fact.entity, fact.field, fact.value, since[:10], successor.value if successor else "", successor.trust if successor else "trusted"
        )  # fmt: skip
