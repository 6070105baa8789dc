"""Answers as plain JSON values, the same in every interface; docs/json.md and docs/review.md describe them. Text is not changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from memoryclaw.model import Answer, Fact, Match, Problem, ReadBack, Recalled, Term, Traced

if TYPE_CHECKING:
    from memoryclaw.app.daemon import Happened
    from memoryclaw.app.doctor import Check
    from memoryclaw.app.graph import GraphShown, NeighboursShown, PathShown
    from memoryclaw.app.lint import Linted
    from memoryclaw.app.migration import Migrated
    from memoryclaw.app.purge import Purged
    from memoryclaw.app.stats import Stats
    from memoryclaw.app.status import Status
    from memoryclaw.app.survey import Survey
    from memoryclaw.app.transfer import Latest
    from memoryclaw.app.views import Views
    from memoryclaw.capture.capture import CaptureResult
    from memoryclaw.capture.feedback import Feedback
    from memoryclaw.capture.importers import Imported
    from memoryclaw.consolidation.actions import Action
    from memoryclaw.consolidation.changes import ClaimDecision, PlannedChange
    from memoryclaw.consolidation.consolidate import Consolidated
    from memoryclaw.consolidation.host_answers import SegmentPrompt
    from memoryclaw.daemon.scheduling import Scheduled, ScheduleStatus
    from memoryclaw.history.commit_hook import Hooked
    from memoryclaw.hosts.importing import ImportedExport
    from memoryclaw.hosts.openclaw.importing import ImportReport
    from memoryclaw.hosts.openclaw.setup import Changed
    from memoryclaw.hosts.openclaw.status import OpenClawStatus
    from memoryclaw.index.sync import Freshness, Synced
    from memoryclaw.index.vectors import Filled
    from memoryclaw.recall.ask import AnsweredQuestion
    from memoryclaw.recall.browsing import (
        EntityEntry,
        EntityShown,
        LinkEnd,
        Links,
        NoteEntry,
        ShownUnit,
        TodoEntry,
    )
    from memoryclaw.recall.evaluation import Evaluated, QuestionResult
    from memoryclaw.recall.graph import GraphNode
    from memoryclaw.recall.inspecting import Inspected
    from memoryclaw.recall.timeline import Timeline
    from memoryclaw.review.decide import ReviewDecision, TickedFacts
    from memoryclaw.review.details import Details
    from memoryclaw.review.file_history import Blame, CommitShown, Difference, Events, Logged
    from memoryclaw.review.machines import Exchanged
    from memoryclaw.review.queue import ReviewItem
    from memoryclaw.skills.approve import SkillDecision
    from memoryclaw.skills.host_skills import HostSkills
    from memoryclaw.skills.listing import LintedSkill, ListedSkill, SkillOffer
    from memoryclaw.skills.outcomes import Outcome, Outcomes
    from memoryclaw.skills.run import SkillRun
    from memoryclaw.working.memory import WorkingMemory
    from memoryclaw.working.store import Cleared
    from memoryclaw.writing.bundles import Packed, Restored
    from memoryclaw.writing.context import Written
    from memoryclaw.writing.edit import Rewrite


Shape = dict[str, Any]
LAYERS = {"episode": "episodic", "todo": "todo", "fact": "semantic", "skill": "procedural", "turn": "log"}

# Why something is or is not in an answer, as people say it.
REASONS = {
    "in": "in the context",
    "already_visible": "the host still shows it",
    "archived": "archived",
    "budget": "no room left in the budget",
    "draft": "a draft",
    "duplicate": "says what another one says",
    "empty": "a reply that says nothing",
    "expired": "its last day is over, or its session",
    "limit": "after the last one shown",
    "max_results": "enough whole notes are in already",
    "not_approved": "a skill that nobody approved as it is",
    "other_entity": "a fact of another entity",
    "other_time": "held at another time than the one asked about",
    "pending": "waits for a yes or a no",
    "quarantined": "quarantined",
    "same_note": "enough sections of its note are in already",
    "superseded": "superseded by a newer value",
    "upcoming": "due within a week, but there was no room left",
    "untrusted": "what a tool or a web page said; only a search shows it",
    "weak": "scores far below the best",
}


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
        "memory_type": unit.lifecycle.memory_type,
        "scope": unit.lifecycle.scope or "permanent",
        "expires": unit.lifecycle.expires,
        "overdue": found.overdue,
        "copies": found.copies,
        "sections": found.sections,
        "conflicts": list(found.conflicts),
        "superseded": list(found.superseded),
    }


def asked(found: AnsweredQuestion) -> Shape:
    """The lines that answer a question, or the nearest where it is not `answered`."""
    return {
        "query": found.query,
        "answered": found.answered,
        "lines": [line._asdict() for line in found.lines],
        "confidence": found.confidence,
        "did_you_mean": found.did_you_mean,
        "notices": list(found.notices),
        **_state(found),
    }


def traced(candidate: Traced) -> Shape:
    """One candidate of a trace: in, or out with the reason."""
    decided = (
        {"decision": "in", "reason": ""}
        if candidate.decision == "in"
        else {"decision": "out", "reason": candidate.decision}
    )
    return {"id": candidate.id, "path": candidate.path, "score": candidate.score, **decided}


def read_back(found: ReadBack, fresh: Freshness) -> Shape:
    """A recall, as its receipt tells of it."""
    return {
        "receipt": found.receipt,
        "ts": found.ts,
        "session": found.session,
        "tokens": found.tokens,
        "budget": found.budget,
        "decided": [
            {
                "id": one.id,
                "path": one.path,
                "line": one.line,
                "decision": "in" if one.decision == "in" else "out",
                "reason": "" if one.decision == "in" else one.decision,
                "changed": one.changed,
            }
            for one in found.decided
        ],
        "more": dict(found.more),
        "gone": found.gone,
        **_state(fresh),
    }


def show(shown: ShownUnit, fresh: Freshness) -> Shape:
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
    said = at.kind == "fact" and not at.field
    state = "standing" if said and at.state == "current" else at.state
    told = [one._asdict() for one in shown.superseded]
    return {
        **places,
        "state": state,
        "digest": shown.digest,
        "text": shown.text,
        "superseded": told,
        **_state(fresh),
    }


def browse(listed: Iterable[NoteEntry], fresh: Freshness) -> Shape:
    """A list of notes."""
    return {"notes": [{**_note(one), "hot": one.hot} for one in listed], **_state(fresh)}


def _note(one: NoteEntry) -> Shape:
    found = {**one._asdict(), "tags": list(one.tags)}
    del found["hot"]
    return found


def facts(
    found: Iterable[tuple[str, Fact]],
    fresh: Freshness,
    apart: Mapping[str, Sequence[str]] = MappingProxyType({}),
    then: Logged | None = None,
) -> Shape:
    """A list of facts, each with the line it stands on and the ids of those that contradict it (`apart`); `then`: the commit that holds them."""
    listed = [{**fact(path, one), "conflicts": list(apart.get(one.id, ()))} for path, one in found]
    held = (
        {"believed_at": {"commit": then.commit, "when": then.when, "subject": then.subject}} if then else {}
    )
    return {"facts": listed, **held, **_state(fresh)}


def timeline(found: Timeline, fresh: Freshness) -> Shape:
    """What changed in the world, the oldest first, and how many such changes there are before the first one listed."""
    return {"timeline": [one._asdict() for one in found.events], "earlier": found.earlier, **_state(fresh)}


def todos(found: Iterable[TodoEntry], fresh: Freshness) -> Shape:
    """A list of to-dos, each with its line."""
    return {"todos": [one._asdict() for one in found], **_state(fresh)}


def fact(path: str, one: Fact) -> Shape:
    """One fact or statement with the line it stands on; a statement may stand, and is never called current."""
    names = (
        "id",
        "type",
        "entity",
        "field",
        "value",
        "since",
        "said",
        "until",
        "source",
        "trust",
        "audience",
    )
    return {
        **{name: getattr(one, name) for name in names},
        **one.lifecycle._asdict(),
        "scope": one.lifecycle.scope or "permanent",
        "current": one.current and not one.is_statement,
        "standing": one.current and one.is_statement,
        "path": path,
        "line": one.line,
    }


def inspected(found: Inspected, fresh: Freshness) -> Shape:
    """How strongly one memory is remembered, and the sum of its uses."""
    strength = found.strength
    return {
        "id": found.address.id,
        "kind": found.kind,
        "path": found.address.path,
        "line": found.address.line,
        "strength": round(strength.value, 4),
        "x": round(strength.x, 4),
        "hot": strength.is_hot,
        "half_life": strength.half_life,
        "idle": strength.idle,
        "shown": found.shown,
        "searched": found.searched,
        "fetched": found.fetched,
        "cited": found.cited,
        "rated": found.rated,
        "uses": [
            {
                "ts": step.use.ts,
                "receipt": step.use.receipt,
                "session": step.use.session,
                "cited": step.use.cited,
                "rating": step.use.rating,
                "credit": step.credit,
                "before": round(step.faded, 4),
                "x": round(step.x, 4),
            }
            for step in strength.steps
        ],
        **_state(fresh),
    }


def links(id_: str, found: Links, fresh: Freshness) -> Shape:
    """The links out of a note and those that lead to it."""
    return {
        "id": id_,
        "out": [end._asdict() for end in found.out],
        "back": [end._asdict() for end in found.back],
        **_state(fresh),
    }


def graph(found: GraphShown, fresh: Freshness) -> Shape:
    """Notes and entities, and what ties them."""
    return {
        "nodes": [one._asdict() for one in found.graph.nodes.values()],
        "edges": [one._asdict() for one in found.graph.edges],
        "total": {"nodes": found.nodes, "edges": found.edges},
        "notice": found.notice,
        **_state(fresh),
    }


def path(found: PathShown, fresh: Freshness) -> Shape:
    """The way from one node to another."""
    return {
        "start": found.start._asdict(),
        "end": found.end._asdict(),
        "found": found.steps is not None,
        "steps": [
            {"source": one.source.id, "target": one.target.id, "edge": one.edge._asdict()}
            for one in found.steps or ()
        ],
        **_state(fresh),
    }


def neighbours(found: NeighboursShown, fresh: Freshness) -> Shape:
    """What a node is tied to."""
    return {
        **found.node._asdict(),
        "neighbours": [
            {**one.node._asdict(), "weight": one.weight, "edges": [edge._asdict() for edge in one.edges]}
            for one in found.neighbours
        ],
        "total": found.total,
        **_state(fresh),
    }


def orphans(found: Iterable[GraphNode], fresh: Freshness) -> Shape:
    """What nothing is tied to."""
    return {"orphans": [one._asdict() for one in found], **_state(fresh)}


def dangling(found: Iterable[LinkEnd], fresh: Freshness) -> Shape:
    """The links that lead nowhere."""
    return {"dangling": [one._asdict() for one in found], **_state(fresh)}


def written(done: Written) -> Shape:
    """What a writing verb did."""
    return done._asdict()


def rewrite(found: Rewrite) -> Shape:
    """A text for a note: what changes, what reading it finds wrong, and what was written, if it was."""
    from memoryclaw.review.file_history import Difference  # noqa: PLC0415 - a search needs none

    return {
        "id": found.id,
        "path": found.path,
        "digest": found.digest,
        "files": [_file(Difference(found.path, found.before, found.after))],
        "problems": [problem(one) for one in found.problems],
        "written": None if found.written is None else written(found.written),
        "notice": found.notice,
    }


def entities(found: Iterable[EntityEntry], fresh: Freshness) -> Shape:
    """A list of entities."""
    return {"entities": [one._asdict() for one in found], **_state(fresh)}


def entity(found: EntityShown, fresh: Freshness) -> Shape:
    """One entity: facts, episodes and neighbours."""
    return {
        "name": found.name,
        "kind": found.kind,
        "also": list(found.also),
        "facts": [fact(path, one) for path, one in found.facts],
        "episodes": [_note(one) for one in found.episodes],
        "neighbours": [one._asdict() for one in found.neighbours],
        **_state(fresh),
    }


def views(found: Views, name: str = "") -> Shape:
    """The generated pages, and how their files stand; those of a name with their text."""
    rows = [
        {
            "path": one.path,
            "kind": one.kind,
            "title": one.title,
            "state": one.state,
            "sources": one.sources,
            **({"text": one.page.part if one.page else ""} if name else {}),
        }
        for one in found.listed
    ]
    return {"views": rows, "written": list(found.written), "notices": list(found.notices)}


def survey(found: Survey) -> Shape:
    """What a folder held before it became a vault."""
    return {
        "place": found.place,
        "kinds": dict(found.kinds),
        "tags": found.tags,
        "links": found.links,
        "templates": found.templates,
        "languages": dict(found.languages),
        "problems": found.problems,
        "other": dict(found.other),
        "obsidian": found.obsidian,
        "named": [{"folder": one.folder, "files": one.files, "meaning": one.meaning} for one in found.named],
        "untracked": list(found.untracked),
        "ignored": found.ignored,
        "secret": list(found.secret),
        "changed": list(found.changed),
    }


def purged(done: Purged) -> Shape:
    """What a purge erased, or would erase, and what is still found."""
    return {
        **done._asdict(),
        "places": [place._asdict() for place in done.places],
        "emptied": [one._asdict() for one in done.emptied],
        "hits": [one._asdict() for one in done.hits],
    }


def synced(done: Synced, filled: Filled | None = None) -> Shape:
    """What a sync did, and what vectors it made where it was asked to."""
    shape = {name: getattr(done, name) for name in ("added", "changed", "removed", "unread", "total")}
    return {**shape, "vectors": filled._asdict()} if filled else shape


def exchanged(done: Exchanged) -> Shape:
    """What came from the vault's other copy, what went there, and what to know of the merge."""
    return {**done._asdict(), "files": list(done.files), "told": list(done.told)}


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
        "waiting": now.waiting._asdict(),
        "daemon": now.daemon,
        "index": now.index._asdict(),
        "vectors": now.vectors._asdict() if now.vectors else None,
        "notices": list(now.notices),
    }


def stats(found: Stats) -> Shape:
    """The figures of a vault."""
    return {
        **found._asdict(),
        "months": [month._asdict() for month in found.months],
        "shown": [{"id": id_, "times": times} for id_, times in found.shown],
        "hottest": [{"id": id_, "strength": strength} for id_, strength in found.hottest],
        "waiting": found.waiting._asdict(),
        "review": found.review._asdict(),
    }


def doctor(checks: Iterable[Check]) -> Shape:
    """Every check of a vault's health; not `sound` makes the verb exit with 1."""
    found = [{**check._asdict(), "details": [problem(one) for one in check.details]} for check in checks]
    return {"sound": all(check["level"] != "problem" for check in found), "checks": found}


def linted_files(found: Linted) -> Shape:
    """What is wrong in files that a person writes; not `sound` makes the verb exit with 1."""
    problems = [problem(one) for one in found.problems]
    return {"sound": not problems, "files": found.files, "problems": problems}


def migrated(done: Migrated) -> Shape:
    """What became of files of an older format; `commit` is empty where nothing was to be done, or only told."""
    return {
        "before": done.before,
        "after": done.after,
        "files": [one._asdict() for one in done.files],
        "left": [problem(one) for one in done.left],
        "commit": done.commit,
        "notice": done.notice,
    }


def hooked(done: Hooked) -> Shape:
    """What was done about the pre-commit hook, and which checks it runs now."""
    return {"action": done.action, "path": done.path, "checks": dict(done.checks)}


def happened(found: Happened) -> Shape:
    """What a watch reported, each with its number."""
    events = [{**event._asdict(), "paths": list(event.paths)} for event in found.events]
    return {"last": found.last, "events": events, "missed": found.missed}


def acknowledged(done: CaptureResult) -> Shape:
    """What became of one captured line."""
    if not done.ok:
        return {"ok": False, "error": done.error, "line": done.line}
    told = {"again": done.again, "left_out": done.left_out, "redacted": done.redacted}
    return {"ok": True, "id": done.id, **{key: value for key, value in told.items() if value}}


def imported(done: Imported) -> Shape:
    """What an import brought in."""
    return {**done._asdict(), "problems": [problem(one) for one in done.problems]}


def imported_export(done: ImportedExport) -> Shape:
    """What an import from another program brought in, or would."""
    return {
        **done._asdict(),
        "conversations": [one._asdict() for one in done.conversations],
        "proposed": [one._asdict() for one in done.proposed],
        "notes": list(done.notes),
        "problems": [problem(one) for one in done.problems],
        "notices": list(done.notices),
    }


def packed(done: Packed) -> Shape:
    """A bundle that was written."""
    return {**done._asdict(), "notices": list(done.notices)}


def restored(done: Restored) -> Shape:
    """What a restore wrote, or would write."""
    return {
        **done._asdict(),
        "written": list(done.written),
        "differs": list(done.differs),
        "left_out": [{"path": path, "why": why} for path, why in done.left_out],
        "notices": list(done.notices),
    }


def latest(done: Latest) -> Shape:
    """Where a fresh context stands."""
    return done._asdict()


def _state(answer: Answer | Freshness) -> Mapping[str, Any]:
    return {"degraded": answer.degraded, "behind": answer.behind}


def _remarks(answer: Answer) -> Mapping[str, Any]:
    return {
        "did_you_mean": dict(answer.did_you_mean),
        "unknown": list(answer.unknown),
        "notices": list(answer.notices),
    }


# Consolidation.


def consolidated(done: Consolidated) -> Shape:
    """What a run planned and did; `applied` is null when nothing was written."""
    changes, applied = done.changes, done.applied
    return {
        "run": changes.run,
        "mode": done.mode,
        "waits": done.waits,
        "held": changes.held,
        "turns": changes.turns,
        "ranges": list(changes.ranges),
        "changes": [change(planned) for planned in changes.changes],
        "skipped": [skipped._asdict() for skipped in changes.skipped],
        "decided": [_decided(decided) for decided in changes.decided],
        "dropped": list(changes.dropped),
        "minds": list(changes.models),
        "degraded": changes.degraded,
        "notices": list(done.notices),
        "applied": None
        if applied is None
        else {
            "commits": [commit._asdict() for commit in applied.commits],
            "proposed": list(applied.proposed),
            "record": applied.record,
            "notices": list(applied.notices),
        },
        "upkeep": consolidated(done.upkeep) if done.upkeep else None,
    }


def segments(found: Sequence[SegmentPrompt]) -> Shape:
    """The segments that no run has read, each as a prompt; the answers name them."""
    return {"segments": [segment._asdict() for segment in found]}


def change(planned: PlannedChange) -> Shape:
    """One change of a change set; each becomes one commit."""
    return {
        "kind": planned.kind,
        "id": planned.id,
        "title": planned.title,
        "actions": [_action(action) for action in planned.actions],
        "evidence": list(planned.evidence),
        "source": planned.source,
        "confidence": planned.confidence,
        "reason": planned.reason,
    }


def _action(action: Action) -> Shape:
    values = {k: list(v) if isinstance(v, tuple) else v for k, v in action.values().items()}
    return {"action": type(action).__name__, **values}


def _decided(decided: ClaimDecision) -> Shape:
    claim = decided.claim
    return {
        "entity": claim.entity,
        "field": claim.field,
        "value": claim.value,
        "quote": claim.quote,
        "line": claim.line,
        "role": claim.role,
        "by": claim.by,
        "action": decided.action,
        "reason": decided.reason,
        "known": decided.known,
    }


# Evaluation.


def evaluated(done: Evaluated) -> Shape:
    """The figures over all questions, then each question."""
    return {
        "path": done.path,
        "recall": _by_number(done.recall),
        "mrr": done.mrr,
        "ndcg@10": done.ndcg,
        "in_context": _by_number(done.held),
        "kept_out": {"ids": done.kept_out[1], "kept": done.kept_out[0]},
        "questions": [_question(one) for one in done.questions],
    }


def _question(one: QuestionResult) -> Shape:
    return {
        "question": one.question,
        "line": one.line,
        "expected": [{"id": e.id, "rank": e.rank, "reason": e.reason} for e in one.expected],
        "recall": _by_number(one.recall),
        "in_context": _by_number(one.held),
        "confidence": one.confidence,
        "misses": list(one.misses),
    }


def _by_number(values: Mapping[int, float]) -> dict[str, float]:
    return {str(number): round(value, 4) for number, value in values.items()}


# OpenClaw.


def changed(done: Changed) -> dict[str, Any]:
    """What install or uninstall did, or would do."""
    return {**done._asdict(), "notices": list(done.notices)}


def openclaw_status(now: OpenClawStatus) -> dict[str, Any]:
    """How OpenClaw stands to a vault, check by check."""
    return {
        "config": now.config,
        "vault": now.vault,
        "installed": now.installed,
        "ok": all(check.ok for check in now.checks),
        "checks": [check._asdict() for check in now.checks],
    }


def imported_notes(done: ImportReport) -> dict[str, Any]:
    """What an import proposes."""
    return {
        "workspace": done.workspace,
        "files": list(done.files),
        "proposed": [item._asdict() for item in done.proposed],
        "known": done.known,
        "commit": done.commit,
        "dry_run": done.dry_run,
        "notices": list(done.notices),
    }


# The schedule.


def scheduled(done: Scheduled) -> dict[str, Any]:
    """What was done about a timer."""
    files = [{"where": where, "text": text} for where, text in done.files]
    return {**done._asdict(), "files": files, "notices": list(done.notices)}


def schedule_status(now: ScheduleStatus) -> dict[str, Any]:
    """How a timer stands."""
    return {**now._asdict(), "notices": list(now.notices)}


# Working memory and feedback.


def working(memory: WorkingMemory) -> Shape:
    """What a session is at, and what that costs in a prompt."""
    from memoryclaw.working.memory import stored, tokens  # noqa: PLC0415 - a search must start fast

    return {
        **stored(memory),
        "tokens": tokens(memory),
        "problems": [problem(one) for one in memory.problems],
    }


def cleared(done: Cleared) -> Shape:
    """What became of a working memory that was to be cleared."""
    return done._asdict()


def feedback(done: Feedback) -> Shape:
    """A rating as it was kept."""
    return done._asdict()


# Review, history and blame.

_TOLD = ("id", "kind", "what", "why", "run", "path", "confidence", "source", "box")
_CLAIMED = ("entity", "field", "value", "since", "now", "digest")
_MOST_FILES = 20  # of a commit: the first of all may hold every note


def waiting(items: Iterable[ReviewItem]) -> Shape:
    """What waits for a person."""
    return {"waiting": [waits(item) for item in items]}


def waits(item: ReviewItem) -> Shape:
    """One thing that waits."""
    evidence = list(item.change.evidence) if item.change else []
    sides = item.conflict.sides if item.conflict else ()
    values = [
        {"number": number, "value": side[0][1].value, "facts": [fact(*told) for told in side]}
        for number, side in enumerate(sides, 1)
    ]
    return {
        **{name: getattr(item, name) for name in (*_TOLD, *_CLAIMED)},
        "evidence": evidence,
        "values": values,
    }


def differences(items: Iterable[tuple[ReviewItem, Sequence[Difference]]]) -> Shape:
    """What would change if these were approved, each line in pieces that are the same, gone or come."""
    return {"differences": [{**waits(item), "files": [_file(one) for one in found]} for item, found in items]}


def review_item(item: ReviewItem, found: Sequence[Difference], taken_apart: Details | None) -> Shape:
    """One thing that waits: what would change, and, for the owner, what it rests on and stands against."""
    shape = differences([(item, found)])
    return {**shape, "details": None if taken_apart is None else details(taken_apart)}


def details(found: Details) -> Shape:
    """What waits, taken apart."""
    said = [{**one._asdict(), "turns": [turn._asdict() for turn in one.turns]} for one in found.said]
    return {
        "many": found.many,
        "holds": [one._asdict() for one in found.holds],
        "before": [one._asdict() for one in found.before],
        "rivals": [one._asdict() for one in found.rivals],
        "said": said,
    }


def _file(found: Difference) -> Shape:
    from memoryclaw.review.word_diff import word_diff  # noqa: PLC0415 - a search needs none

    hunks = [
        [{"line": line.number, "pieces": [piece._asdict() for piece in line.pieces]} for line in hunk]
        for hunk in word_diff(found.before, found.after)
    ]
    return {"path": found.path, "title": found.title, "hunks": hunks}


def decided(done: Iterable[ReviewDecision]) -> Shape:
    """What became of what waited."""
    return {"decided": [one._asdict() for one in done]}


def ticked(boxes: TickedFacts) -> Shape:
    """What people ticked, nothing of it decided."""
    return {
        "approve": [waits(item) for item in boxes.approved],
        "reject": [waits(item) for item in boxes.rejected],
        "unclear": [one._asdict() for one in boxes.unclear],
    }


def history(events: Events) -> Shape:
    """Commits, newest first, and where the next page begins."""
    return {
        "commits": [commit(one) for one in events.commits],
        "next": events.next,
        "notice": events.notice,
    }


def change_made(found: CommitShown) -> Shape:
    """One commit, word by word."""
    return {
        "commit": commit(found.commit),
        "body": found.commit.body,
        "files": [_file(one) for one in found.files],
        "more": found.more,
        "notice": found.notice,
    }


def commit(one: Logged) -> Shape:
    """One commit in people's words."""
    told = {name: getattr(one, name) for name in ("commit", "when", "author", "subject", "kind", "run")}
    shown = list(one.files[:_MOST_FILES])
    return {
        **told,
        "source": one.trailers.get("Source", ""),
        "files": shown,
        "more_files": len(one.files) - len(shown),
    }


def blame(found: Blame) -> Shape:
    """Where a fact comes from."""
    approved = found.approved
    return {
        **fact(found.path, found.fact),
        "commit": commit(found.commit) if found.commit else None,
        "approved": {"by": approved.by, "at": approved.at} if approved else None,
        "sources": [cited._asdict() for cited in found.sources],
        "notice": found.notice,
    }


# Skills.


def skills(found: Iterable[ListedSkill]) -> Shape:
    """A list of skills."""
    return {"skills": [skill(one) for one in found]}


def skill(one: ListedSkill) -> Shape:
    """One skill and how it stands."""
    return {
        "name": one.name,
        "state": one.state,
        "description": one.skill.skill.description,
        "path": one.skill.path,
        "digest": one.skill.digest,
        "version": one.version,
        "outcomes": skill_outcomes(one.outcomes),
    }


def skill_outcomes(found: Outcomes) -> Shape:
    """How the runs of a skill ended; those that were broken off or could not begin are no runs of it."""
    failure = found.last_failure
    return {
        "runs": len(found.told),
        "succeeded": found.succeeded,
        "rate": found.rate,
        "degraded": found.degraded,
        "last_failure": failure and skill_outcome(failure),
        "stopped": found.stopped and skill_outcome(found.stopped),
    }


def skill_outcome(one: Outcome) -> Shape:
    """How one run ended."""
    return one._asdict()


def shown(found: LintedSkill) -> Shape:
    """One skill with its text and what is wrong with it."""
    file = found.listed.skill
    return {
        **skill(found.listed),
        "triggers": list(file.skill.triggers),
        "parameters": [asked._asdict() for asked in file.asked],
        "tools": list(file.tools),
        "files": dict(found.listed.digests),
        "problems": [problem(one) for one in found.problems],
        "text": file.text,
    }


def linted(problems: Iterable[Problem]) -> Shape:
    """What is wrong with skills; anything makes the verb exit with 1."""
    found = [problem(one) for one in problems]
    return {"sound": not found, "problems": found}


def matches(request: str, offers: Iterable[SkillOffer]) -> Shape:
    """The skills that fit a request, each with the words that made it; the terms add up to the score."""
    return {"request": request, "skills": [offer(one) for one in offers]}


def offer(one: SkillOffer) -> Shape:
    """How one skill fits, and whether a host would be offered it."""
    found = one.match
    return {
        "name": found.skill.name,
        "path": found.skill.path,
        "score": found.score,
        "state": one.state,
        "offered": one.offered,
        "reason": one.why,
        "outcomes": skill_outcomes(one.outcomes),
        "instead": one.instead,
        "why": {
            "terms": [term._asdict() for term in found.terms],
            "matched": [matched._asdict() for matched in found.matched],
        },
        "values": dict(found.values),
        "missing": list(found.missing),
    }


def skill_decided(done: SkillDecision) -> Shape:
    """What was decided of a skill."""
    return done._asdict()


def host_skills(found: HostSkills) -> Shape:
    """The folder that hosts read, and what is in it."""
    return {
        "folder": found.folder,
        "skills": [one._asdict() for one in found.skills],
        "left_out": [one._asdict() for one in found.left_out],
    }


def skill_run(done: SkillRun) -> Shape:
    """A run of a skill, or what one would do; values that are secret are not told."""
    return {
        **done._asdict(),
        "values": [{"name": one.name, "value": one.value, "source": one.source} for one in done.values],
        "steps": [one._asdict() for one in done.steps],
    }


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
