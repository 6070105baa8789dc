"""What the verbs of skills answer, as plain JSON values; docs/json.md describes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memoryclaw.core.model import Problem
from memoryclaw.doors.shapes import problem

if TYPE_CHECKING:
    from memoryclaw.jobs.hostskills import HostSkills
    from memoryclaw.jobs.skillrun import SkillRun
    from memoryclaw.jobs.skills import Listed, Offer, Shown
    from memoryclaw.jobs.skillwriting import Ruled

Shape = dict[str, Any]


def skills(found: Iterable[Listed]) -> Shape:
    """A list of skills."""
    return {"skills": [skill(one) for one in found]}


def skill(one: Listed) -> Shape:
    """One skill and how it stands."""
    return {
        "name": one.name,
        "state": one.state,
        "description": one.skill.skill.description,
        "path": one.skill.path,
        "digest": one.skill.digest,
    }


def shown(found: Shown) -> Shape:
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


def matches(request: str, offers: Iterable[Offer]) -> Shape:
    """The skills that fit a request, each with the words that made it; the terms add up to the score."""
    return {"request": request, "skills": [offer(one) for one in offers]}


def offer(one: Offer) -> Shape:
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


def ruled(done: Ruled) -> Shape:
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
