"""Answers of review, history and blame as plain JSON values, the same at every door; docs/review.md describes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.shapes import problem
from memoryclaw.model import Problem
from memoryclaw.review.word_diff import word_diff

if TYPE_CHECKING:
    from memoryclaw.review.decide import ReviewDecision, TickedFacts
    from memoryclaw.review.diffs import Difference
    from memoryclaw.review.file_history import Blame, Events, Logged
    from memoryclaw.review.queue import ReviewItem
    from memoryclaw.skills.approve import SkillDecision
    from memoryclaw.skills.host_skills import HostSkills
    from memoryclaw.skills.listing import LintedSkill, ListedSkill, SkillOffer
    from memoryclaw.skills.run import SkillRun

Shape = dict[str, Any]
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
    hunks = [
        [{"line": line.number, "pieces": [piece._asdict() for piece in line.pieces]} for line in hunk]
        for hunk in word_diff(found.before, found.after)
    ]
    return {"path": found.path, "title": found.title, "hunks": hunks}


def ruled(done: Iterable[ReviewDecision]) -> Shape:
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
        **shapes.fact(found.path, found.fact),
        "commit": commit(found.commit) if found.commit else None,
        "approved": {"by": approved.by, "at": approved.at} if approved else None,
        "sources": [cited._asdict() for cited in found.sources],
        "notice": found.notice,
    }


# ── What the verbs of skills answer, as plain JSON values; docs/json.md describes them.


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


def skill_ruled(done: SkillDecision) -> Shape:
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
