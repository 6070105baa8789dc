"""Answers as text for a model. The rule: memory is data; all of it stands fenced, escaped and labelled with its trust."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from memoryclaw.core import fence
from memoryclaw.core.consolidation.worddiff import marked, word_diff
from memoryclaw.core.model import Fact, Match
from memoryclaw.core.outline import TRUST_ORDER
from memoryclaw.core.packing import text_of
from memoryclaw.core.working import rendered

if TYPE_CHECKING:
    from memoryclaw.core.working import WorkingMemory
    from memoryclaw.jobs.browsing import Listed
    from memoryclaw.jobs.review.showing import Difference
    from memoryclaw.jobs.review.waiting import Waits

Trusts = Mapping[str, str]  # by path
_ORDER = (*TRUST_ORDER, "quarantined")
_SHOWN = 32_000  # characters of a difference


def matches(found: Iterable[Match]) -> str:
    """What a search found."""
    return _block((one.unit.trust, fence.item(one.unit.id, _quoted(one), one.unit.when)) for one in found)


def lines(id_: str, text: str, trust: str) -> str:
    """Lines of one thing, each escaped; they stay lines, and keep their indentation."""
    told = "\n".join(_line(line) for line in text.splitlines())
    return _block([(trust, f'<m id="{fence.escaped(id_)}">\n{told}\n</m>')])


def listed(notes: Iterable[Listed], trusts: Trusts) -> str:
    """A list of notes."""
    return _block(
        (trusts.get(note.path, "unknown"), fence.item(note.id, f"{note.kind}: {note.title}", note.at))
        for note in notes
    )


def facts(found: Iterable[tuple[str, Fact]], trusts: Trusts) -> str:
    """A list of facts."""
    return _block(
        (trusts.get(path, "unknown"), fence.item(fact.id, _fact(fact), fact.since)) for path, fact in found
    )


def waiting(items: Iterable[Waits]) -> str:
    """What waits for a person: proposals, which nobody has said yes to."""
    return _block(("unknown", fence.item(item.id, f"{item.kind}: {item.what}; {item.why}")) for item in items)


def differences(item: Waits, found: Iterable[Difference]) -> str:
    """What one thing that waits would make of each file."""
    told = ((one.path, _marked(one)) for one in found)
    return "\n".join([waiting([item]), *(lines(path, text[:_SHOWN], "unknown") for path, text in told)])


def working(memory: WorkingMemory) -> str:
    """What a session is at."""
    return fence.fenced([], rendered(memory))


def _block(items: Iterable[tuple[str, str]]) -> str:
    groups: dict[str, list[str]] = {trust: [] for trust in _ORDER}
    for trust, line in items:
        groups[trust if trust in groups else "unknown"].append(line)
    return fence.fenced(list(groups.items()))


def _quoted(match: Match) -> str:
    unit = match.unit
    if unit.kind == "fact":
        return text_of(unit)
    return f"{unit.title}: {match.snippet}" if unit.title and unit.kind != "turn" else match.snippet


def _fact(fact: Fact) -> str:
    name = fact.entity if fact.field == "value" else f"{fact.entity} {fact.field}"
    return f"{name}: {fact.value}{f' (until {fact.until})' if fact.until else ''}"


def _marked(one: Difference) -> str:
    changed = word_diff(one.before, one.after)
    return "\n".join(marked(line.pieces) for hunk in changed for line in hunk)


def _line(text: str) -> str:
    bare = text.lstrip(" \t")
    return text[: len(text) - len(bare)] + fence.escaped(fence.unlinked(fence.one_line(bare)))
