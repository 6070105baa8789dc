"""How a match, its explanation and a trace look on a page. The rule: the printed terms add up to the printed score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from memoryclaw.core.model import Match, Matched, Term
from memoryclaw.core.snippets import snippet
from memoryclaw.doors.cli.printing import aligned, marked, say, styled, table

_INDENT = "   "
_WHOLE = 1000
_REASONS = {
    "in": "in the context",
    "already_visible": "the host still shows it",
    "archived": "archived",
    "budget": "no room left in the budget",
    "draft": "a draft",
    "duplicate": "says what another one says",
    "limit": "after the last one shown",
    "max_results": "enough whole notes are in already",
    "not_approved": "a skill that nobody approved as it is",
    "other_entity": "a fact of another entity",
    "other_time": "held at another time than the one asked about",
    "pending": "waits for a yes or a no",
    "quarantined": "quarantined",
    "superseded": "superseded by a newer value",
    "weak": "scores far below the best",
}


def show(place: int, match: Match, *, explain: bool) -> None:
    """Prints one match: title, date, id, where it stands, and the passage that answers."""
    unit = match.unit
    facts = [styled(unit.kind, fg="magenta")]
    if unit.when:
        facts.append(styled(unit.when[:10], fg="green"))
    if unit.trust != "trusted":
        facts.append(styled(unit.trust, fg="red"))
    title = snippet(unit.title or unit.id, match.surfaces, _WHOLE)
    say(f"{place:>2} {marked(title.text, title.highlights, bold=True)}  {', '.join(facts)}")
    where = styled(f"{match.path}:{unit.line}", fg="cyan")
    say(f"{_INDENT}{where if match.path.startswith(f'{unit.id}.') else f'{styled(unit.id)}  {where}'}")
    if match.snippet:
        say(f"{_INDENT}{marked(match.snippet, match.highlights)}")
    if explain:
        _explain(match)
    say()


def show_trace(trace: Sequence[Mapping[str, Any]]) -> None:
    """Prints every candidate with the one decision that was made of it."""
    decided = [(one, one["reason"] or one["decision"]) for one in trace]
    rows = [[f"{one['score']:.3f}", why, _REASONS.get(why, ""), one["id"]] for one, why in decided]
    table(["score", "decision", "because", "id"], rows)


def rounded(terms: Sequence[Term], score: float) -> list[tuple[str, int]]:
    """Each term in thousandths, so that they add up to the score in thousandths.

    What rounding leaves over goes, one thousandth each, to the terms that it changed most.
    """
    exact = [term.value * 1000 for term in terms]
    whole = [int(value // 1) for value in exact]
    order = sorted(range(len(terms)), key=lambda i: (whole[i] - exact[i], terms[i].name))
    for i in order[: round(score * 1000) - sum(whole)]:
        whole[i] += 1
    return [(term.name, value) for term, value in zip(terms, whole, strict=True)]


def _explain(match: Match) -> None:
    rows = [[styled(name), f"{value / 1000:.3f}"] for name, value in rounded(match.terms, match.score)]
    rows.append(["score", f"{round(match.score * 1000) / 1000:.3f}"])
    longest = max(len(row[1]) for row in rows)
    lines = aligned([[row[0], row[1].rjust(longest)] for row in rows])
    for line in lines[:-1]:
        say(f"{_INDENT}  {line}")
    say(f"{_INDENT}  {click.style(lines[-1], bold=True)}")
    for word, where in _by_word(match.matched).items():
        say(f"{_INDENT}  {styled(word, fg='yellow')}: {', '.join(where)}")


def _by_word(matched: Sequence[Matched]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in matched:
        found.setdefault(one.word, []).append(f"{styled(one.field)} ({one.via})")
    return found
