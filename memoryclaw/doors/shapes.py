"""Answers as plain JSON values, the same at every door; docs/json.md describes them. Text stays exactly as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from memoryclaw.core.model import Fact, Match, Problem
from memoryclaw.jobs.answers import Answer, Recalled, Traced

if TYPE_CHECKING:
    from memoryclaw.jobs.browsing import Links, Listed, Shown
    from memoryclaw.jobs.capture import Acknowledged
    from memoryclaw.jobs.doctor import Check
    from memoryclaw.jobs.freshness import Freshness
    from memoryclaw.jobs.importers import Imported
    from memoryclaw.jobs.pen import Written
    from memoryclaw.jobs.status import Status
    from memoryclaw.jobs.sync import Synced
    from memoryclaw.jobs.vectors import Filled

Shape = dict[str, Any]
LAYERS = {"episode": "episodic", "fact": "semantic", "skill": "procedural", "turn": "log"}


def search(answer: Answer) -> Shape:
    """A ranked, explained answer."""
    return {
        "query": answer.query,
        "confidence": answer.confidence,
        **_state(answer),
        "matches": [match(found) for found in answer.matches],
        "left_out": [left._asdict() for left in answer.left_out],
        **_remarks(answer),
        "timings_ms": dict(answer.timings_ms),
    }


def recall(answer: Recalled, *, trace: bool = False) -> Shape:
    """A packed answer; `trace` adds every candidate with its one decision."""
    shape = {
        "query": answer.query,
        "context": answer.context,
        "tokens": answer.tokens,
        "budget": answer.budget,
        "confidence": answer.confidence,
        **_state(answer),
        "matches": [{**match(found), "tokens": found.tokens} for found in answer.matches],
        "left_out": [left._asdict() for left in answer.left_out],
        **_remarks(answer),
    }
    if trace:
        shape["trace"] = [traced(candidate) for candidate in answer.trace]
    return {**shape, "receipt": answer.receipt, "timings_ms": dict(answer.timings_ms)}


def match(found: Match) -> Shape:
    """One match with its explanation; the terms add up to the score exactly."""
    unit = found.unit
    return {
        "id": unit.id,
        "note": found.note,
        "kind": unit.kind,
        "path": found.path,
        "line": unit.line,
        "end_line": unit.end_line,
        "title": unit.title,
        "when": unit.when,
        "snippet": found.snippet,
        "highlights": [list(place) for place in found.highlights],
        "score": found.score,
        "why": {
            "terms": [{"name": term.name, "value": term.value} for term in found.terms],
            "matched": [{"word": m.word, "field": m.field, "via": m.via} for m in found.matched],
        },
        "layer": LAYERS.get(unit.kind, "note"),
        "trust": unit.trust,
    }


def traced(candidate: Traced) -> Shape:
    """One candidate of a trace: in, or out with the reason."""
    decided = (
        {"decision": "in", "reason": ""}
        if candidate.decision == "in"
        else {"decision": "out", "reason": candidate.decision}
    )
    return {"id": candidate.id, "path": candidate.path, "score": candidate.score, **decided}


def show(shown: Shown, fresh: Freshness) -> Shape:
    """One thing as it stands in its file."""
    at = shown.address
    places = {
        "id": at.id,
        "note": at.note,
        "kind": at.kind,
        "path": at.path,
        "line": at.line,
        "end_line": at.end_line,
    }
    return {**places, "state": at.state, "text": shown.text, **_state(fresh)}


def browse(listed: Iterable[Listed], fresh: Freshness) -> Shape:
    """A list of notes."""
    return {"notes": [{**note._asdict(), "tags": list(note.tags)} for note in listed], **_state(fresh)}


def facts(found: Iterable[tuple[str, Fact]], fresh: Freshness) -> Shape:
    """A list of facts, each with the line it stands on."""
    return {"facts": [fact(path, one) for path, one in found], **_state(fresh)}


def fact(path: str, one: Fact) -> Shape:
    """One fact with the line it stands on."""
    names = ("id", "entity", "field", "value", "since", "until", "source", "current")
    return {**{name: getattr(one, name) for name in names}, "path": path, "line": one.line}


def links(id_: str, found: Links, fresh: Freshness) -> Shape:
    """The links out of a note and those that lead to it."""
    return {
        "id": id_,
        "out": [end._asdict() for end in found.out],
        "back": [end._asdict() for end in found.back],
        **_state(fresh),
    }


def written(done: Written) -> Shape:
    """What a writing verb did."""
    return done._asdict()


def synced(done: Synced, filled: Filled | None = None) -> Shape:
    """What a sync did, and what vectors it made where it was asked to."""
    shape = {name: getattr(done, name) for name in ("added", "changed", "removed", "unread", "total")}
    return {**shape, "vectors": filled._asdict()} if filled else shape


def problem(found: Problem) -> Shape:
    """Something wrong in a file, with its line and what to do."""
    return found._asdict()


def status(now: Status) -> Shape:
    """How a vault stands."""
    return {
        "vault": now.vault,
        "notes": now.notes,
        "behind": now.behind,
        "problems": [problem(one) for one in now.problems],
        "degraded": now.degraded,
        "ignored": list(now.ignored),
        "git": {
            "state": now.git.state,
            "sentence": now.git.sentence,
            "last": now.git.last._asdict() if now.git.last else None,
        },
        "daemon": now.daemon,
        "index": now.index._asdict(),
        "vectors": now.vectors._asdict() if now.vectors else None,
        "notices": list(now.notices),
    }


def doctor(checks: Iterable[Check]) -> Shape:
    """Every check of a vault's health; not `sound` makes the verb exit with 1."""
    found = [{**check._asdict(), "details": [problem(one) for one in check.details]} for check in checks]
    return {"sound": all(check["level"] != "problem" for check in found), "checks": found}


def acknowledged(done: Acknowledged) -> Shape:
    """What became of one captured line."""
    if not done.ok:
        return {"ok": False, "error": done.error, "line": done.line}
    told = {"again": done.again, "left_out": done.left_out, "redacted": done.redacted}
    return {"ok": True, "id": done.id, **{key: value for key, value in told.items() if value}}


def imported(done: Imported) -> Shape:
    """What an import brought in."""
    return {**done._asdict(), "problems": [problem(one) for one in done.problems]}


def _state(answer: Answer | Freshness) -> Mapping[str, Any]:
    return {"degraded": answer.degraded, "behind": answer.behind}


def _remarks(answer: Answer) -> Mapping[str, Any]:
    return {"did_you_mean": dict(answer.did_you_mean), "notices": list(answer.notices)}
