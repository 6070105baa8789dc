"""Recall: a question as the agent would ask it, what it would be given, and why. Nothing is noted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memoryclaw.app import App
from memoryclaw.errors import InputError
from memoryclaw.interfaces.ui.answers import Answer, PageRequest, Shown, address, page
from memoryclaw.model import Match, grouped
from memoryclaw.recall.reasons import REASONS
from memoryclaw.recall.recall import Recalled
from memoryclaw.recall.search import rounded

LISTED = 6  # of what was left out for one reason, before the rest is folded
_MOST_LISTED = 60
_GAP = 2.5  # between the segments of a bar, of a thousand
_FAMILY = {
    "alias": "t-alias", "related": "t-alias", "entity": "t-name", "field": "t-name", "speaker": "t-name", "names": "t-name",
    "date": "t-time", "when": "t-time", "recency": "t-time", "around": "t-talk", "asks": "t-talk", "pinned": "t-pin", "vector": "t-mean",
}  # fmt: skip
_HOW = {
    "alias": "another name of it",
    "related": "a related word",
    "entity": "about the entity that was asked for",
    "field": "the field that was asked for",
    "recency": "how new it is",
    "when": "it belongs to the time asked for",
    "around": "the turns before and after match too",
    "asks": "the turn before asks this",
    "pinned": "it is pinned",
    "vector": "it is similar in meaning",
}
_KINDS = {
    "fact": ("t-name", "facts"),
    "turn": ("t-talk", "conversation"),
    "episode": ("t-word", "episodes"),
    "note": ("t-alias", "notes"),
    "skill": ("t-time", "skills"),
    "todo": ("t-mean", "to-dos"),
}


BarSegment = dict[str, float | str]  # x, width, look


@page("GET /recall", "recall")
def show(
    app: App, _asked: PageRequest, q: str = "", budget: str = "", goal: str = "", session: str = ""
) -> Answer:
    """The form, and the answer where something was asked; numbers come as they were typed."""
    trouble, status, answer = "", 200, None
    if q.strip():
        try:
            answer = app.recall(q, goal=goal, session=session, budget=_number(budget), noted=False)
        except InputError as error:
            trouble, status = str(error), 400
    values: dict[str, Any] = {
        "title": "Recall",
        "given": {"q": q, "goal": goal, "session": session},
        "budget": budget or app.config.budget,
        "trouble": trouble,
        "answer": answer,
        "LISTED": LISTED,
        "examples": [],
    }
    if answer is None:  # three questions that this vault may answer, from what facts are known of
        entities = sorted(app.entities(), key=lambda entry: (-entry.facts, entry.name))[:3]
        values["examples"] = [f"What do you know about {entry.name}?" for entry in entities]
    else:
        best = max((match.score for match in answer.matches), default=0) or 1
        scores = {candidate.id: candidate.score for candidate in answer.trace}
        names = app.titles([*scores, *(candidate.id for candidate in answer.left_out)])
        left_out = sorted(answer.left_out, key=lambda unit: -scores.get(unit.id, 0))
        out = grouped(
            (unit.reason, (names.get(unit.id) or unit.id, address("note", unit.id), scores.get(unit.id, 0)))
            for unit in left_out
        )
        spent, words = _spent(answer)
        time = answer.timings_ms
        values |= {
            "rows": [_row(match, best) for match in answer.matches],
            "next": out.get("budget", [])[:3],
            "out": [(REASONS.get(why, why), rows[:_MOST_LISTED], len(rows)) for why, rows in out.items()],
            "considered": max(len(answer.trace), len(answer.matches)),
            "spent": spent,
            "spent_words": words,
            "time": round(time.get("fresh", 0) + time.get("answer", 0)),
            "context": [(_part(line), line) for line in answer.context.split("\n")],
        }
        values["state"] = {"degraded": answer.degraded, "behind": answer.behind}
    return Shown("recall.html", values, status)


def _number(text: str) -> int | None:
    if not text.strip():
        return None
    if not text.strip().isdecimal() or len(text) > 9:
        raise InputError(f"{text[:20]!r} is not a number of tokens; write one such as 600")
    return int(text)


def _part(line: str) -> str:
    if line.lstrip().startswith("<"):
        return "fence"
    return "src" if line and not line.startswith(" ") else ""


def _row(match: Match, best: float) -> dict[str, Any]:
    """One match, ready to be shown."""
    scores = rounded(match.terms, match.score)
    fields_by_word = grouped((hit.word, f"{hit.field} ({hit.via})") for hit in match.matched)
    ways = {word: ", ".join(dict.fromkeys(places)) for word, places in fields_by_word.items()}
    at, bar = 0.0, list[BarSegment]()
    for term in match.terms:
        width, look = max(1000 * term.value / best, 0), _FAMILY.get(term.name, "t-word")
        bar.append({"x": round(at, 1), "width": round(max(width - _GAP, 1), 1), "look": look})
        at += width
    terms = ", ".join(f"{name} {value / 1000:.2f}" for name, value in scores)
    is_fact, (to, head) = match.unit.kind == "fact", place_of(match)
    return {
        "match": match,
        "to": to,
        "head": head,
        "value": match.snippet if is_fact else "",
        "pieces": () if is_fact else marks(match.snippet, match.highlights),
        "bar": bar,
        "terms": [(name, value, _HOW.get(name) or ways.get(name, "")) for name, value in scores],
        "said": f"score {match.score:.2f}: {terms}",
    }


def place_of(match: Match) -> tuple[str, str]:
    """The address of the page that a match stands on, and what it is called."""
    unit = match.unit
    if unit.kind == "turn":
        session = unit.id.removeprefix("log:").rpartition("/")[0]
        return f"{address('log', session)}#t{unit.line}", f"{unit.entity or unit.role} in “{session}”"
    is_of_entity = unit.kind == "fact" and unit.entity
    to = address("entity", unit.entity) if is_of_entity else address("note", match.note)
    return to, unit.title or match.note


def marks(text: str, places: Sequence[tuple[int, int]]) -> list[tuple[bool, str]]:
    """A snippet in pieces, marked or not."""
    pieces, at = list[tuple[bool, str]](), 0
    for start, end in places:
        pieces += [(False, text[at:start]), (True, text[start:end])]
        at = end
    return [piece for piece in (*pieces, (False, text[at:])) if piece[1]]


def _spent(answer: Recalled) -> tuple[list[BarSegment], str]:
    """Where the tokens went, by kind of memory."""
    sums: dict[str, int] = {}
    for match in answer.matches:
        sums[match.unit.kind] = sums.get(match.unit.kind, 0) + match.tokens
    remainder = answer.tokens - sum(sums.values())
    spent = ((kind, tokens) for kind, tokens in sorted(sums.items()) if tokens)
    pieces = [(*_KINDS.get(kind, ("t-pin", kind)), tokens) for kind, tokens in spent]
    if remainder > 0:
        pieces.append(("t-pin", "around them", remainder))
    bar, at = list[BarSegment](), 0
    for look, _, tokens in pieces:
        bar.append({"x": at, "width": max(tokens - 1, 1), "look": look})
        at += tokens
    return bar, ", ".join(f"{name} {tokens}" for _, name, tokens in pieces)
