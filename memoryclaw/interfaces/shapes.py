"""Answers as plain JSON values, the same in every interface; docs/json.md and docs/review.md describe them. Text is not changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memoryclaw.model import Answer, Fact, Match, Problem, Recalled, Traced

if TYPE_CHECKING:
    from memoryclaw.app.doctor import Check
    from memoryclaw.app.status import Status
    from memoryclaw.capture.capture import CaptureResult
    from memoryclaw.capture.feedback import Feedback
    from memoryclaw.capture.importers import Imported
    from memoryclaw.consolidation.actions import Action
    from memoryclaw.consolidation.changes import ClaimDecision, PlannedChange
    from memoryclaw.consolidation.consolidate import Consolidated
    from memoryclaw.consolidation.host_answers import SegmentPrompt
    from memoryclaw.daemon.scheduling import Scheduled, ScheduleStatus
    from memoryclaw.hosts.openclaw.importing import ImportReport
    from memoryclaw.hosts.openclaw.setup import Changed
    from memoryclaw.hosts.openclaw.status import OpenClawStatus
    from memoryclaw.index.sync import Freshness, Synced
    from memoryclaw.index.vectors import Filled
    from memoryclaw.recall.browsing import Links, NoteEntry, ShownUnit
    from memoryclaw.recall.evaluation import Evaluated, QuestionResult
    from memoryclaw.review.decide import ReviewDecision, TickedFacts
    from memoryclaw.review.diffs import Difference
    from memoryclaw.review.file_history import Blame, Events, Logged
    from memoryclaw.review.queue import ReviewItem
    from memoryclaw.skills.approve import SkillDecision
    from memoryclaw.skills.host_skills import HostSkills
    from memoryclaw.skills.listing import LintedSkill, ListedSkill, SkillOffer
    from memoryclaw.skills.run import SkillRun
    from memoryclaw.working.memory import WorkingMemory
    from memoryclaw.working.store import Cleared
    from memoryclaw.writing.context import Written


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
    return {**places, "state": state, "text": shown.text, **_state(fresh)}


def browse(listed: Iterable[NoteEntry], fresh: Freshness) -> Shape:
    """A list of notes."""
    return {"notes": [{**note._asdict(), "tags": list(note.tags)} for note in listed], **_state(fresh)}


def facts(found: Iterable[tuple[str, Fact]], fresh: Freshness) -> Shape:
    """A list of facts, each with the line it stands on."""
    return {"facts": [fact(path, one) for path, one in found], **_state(fresh)}


def fact(path: str, one: Fact) -> Shape:
    """One fact or statement with the line it stands on; a statement may stand, and is never called current."""
    names = ("id", "type", "entity", "field", "value", "since", "said", "until", "source", "trust")
    return {
        **{name: getattr(one, name) for name in names},
        "current": one.current and not one.is_statement,
        "standing": one.current and one.is_statement,
        "path": path,
        "line": one.line,
    }


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


def acknowledged(done: CaptureResult) -> Shape:
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


# Consolidation.


def consolidated(done: Consolidated) -> Shape:
    """What a run planned and did; `applied` is null when nothing was written."""
    changes, applied = done.changes, done.applied
    return {
        "run": changes.run,
        "mode": done.mode,
        "waits": done.waits,
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


def waiting(items: Iterable[ReviewItem]) -> Shape:
    """What waits for a person."""
    return {"waiting": [waits(item) for item in items]}


def waits(item: ReviewItem) -> Shape:
    """One thing that waits."""
    evidence = list(item.change.evidence) if item.change else []
    return {**{name: getattr(item, name) for name in _TOLD}, "evidence": evidence}


def differences(items: Iterable[tuple[ReviewItem, Sequence[Difference]]]) -> Shape:
    """What would change if these were approved, each line in pieces that are the same, gone or come."""
    return {"differences": [{**waits(item), "files": [_file(one) for one in found]} for item, found in items]}


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
    """Commits, newest first."""
    return {"commits": [commit(one) for one in events.commits], "notice": events.notice}


def commit(one: Logged) -> Shape:
    """One commit in people's words."""
    told = {name: getattr(one, name) for name in ("commit", "when", "author", "subject", "kind", "run")}
    return {**told, "source": one.trailers.get("Source", ""), "files": list(one.files)}


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
    }


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
