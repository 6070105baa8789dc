"""How things are done: skills listed, matched, decided and run."""

from __future__ import annotations

from pydantic import Field

from memoryclaw.app import App
from memoryclaw.doors import skillshapes
from memoryclaw.doors.http.asked import Asked, question
from memoryclaw.doors.http.lanes import LONG, WRITE
from memoryclaw.doors.http.table import Row, Shape


class Match(Asked):
    """A request that a skill may fit."""

    q: str


class Run(Asked):
    """With what a skill runs; it only shows its calls unless it is told to `apply`."""

    params: dict[str, str] = Field(default_factory=dict)
    apply: bool = False
    session: str = ""


def skills(app: App, _name: str, _asked: Asked) -> Shape:
    """Every skill, and how it stands."""
    return skillshapes.skills(app.skills())


def match(app: App, _name: str, asked: Match) -> Shape:
    """The skills that fit a request."""
    return skillshapes.matches(asked.q, app.match_skills(question(asked.q)))


def skill(app: App, name: str, _asked: Asked) -> Shape:
    """One skill."""
    return skillshapes.shown(app.skill(name))


def approve(app: App, name: str, _asked: Asked) -> Shape:
    """Says yes to a skill as it is now."""
    return skillshapes.ruled(app.approve_skill(name))


def reject(app: App, name: str, _asked: Asked) -> Shape:
    """Says no to a skill."""
    return skillshapes.ruled(app.reject_skill(name))


def run(app: App, name: str, asked: Run) -> Shape:
    """Runs an approved skill, or shows what it would do."""
    done = app.run_skill(name, asked.params, apply=asked.apply, session=asked.session)
    return skillshapes.skill_run(done)


def hosted(app: App, _name: str, _asked: Asked) -> Shape:
    """The skills that hosts are given, as they are now."""
    return skillshapes.host_skills(app.host_skills(refresh=False))


def host(app: App, _name: str, _asked: Asked) -> Shape:
    """Brings them up to date."""
    return skillshapes.host_skills(app.host_skills())


ROWS = (
    Row("GET", "/v1/skills", skills, "Every skill, and how it stands.", like="skills list"),
    Row(
        "GET",
        "/v1/skills/match",
        match,
        "The skills that fit a request, best first.",
        Match,
        like="skills match Q",
    ),
    Row("GET", "/v1/skills/{name}", skill, "One skill as it stands.", like="skills show NAME"),
    Row(
        "POST",
        "/v1/skills/{name}/approve",
        approve,
        "Says yes to a skill as it is now.",
        lane=WRITE,
        like="skills approve NAME",
    ),
    Row(
        "POST",
        "/v1/skills/{name}/reject",
        reject,
        "Says no, or takes an approval back.",
        lane=WRITE,
        like="skills reject NAME",
    ),
    Row(
        "POST",
        "/v1/skills/{name}/run",
        run,
        "Runs an approved skill; without `apply` it only shows each call.",
        Run,
        LONG,
        like="skills run NAME",
    ),
    Row("GET", "/v1/host-skills", hosted, "The skills that hosts are given.", like="skills host"),
    Row(
        "POST",
        "/v1/host-skills",
        host,
        "Brings these up to date.",
        lane=WRITE,
        like="skills host",
    ),
)
