"""Skills: what the agent may do, approved by the digest of what was shown; run dry; how runs ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoryclaw.app import App
from memoryclaw.errors import ConflictError, MemoryClawError, NotFoundError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.ui.answers import Answer, Moved, PageRequest, Shown, address, page
from memoryclaw.model import NOTHING
from memoryclaw.text.frontmatter import split

_OUTCOMES = 20


@page("GET /skills", "skills")
@page("GET /skills/{name}", "skills")
def show(
    app: App,
    asked: PageRequest,
    *,
    trouble: str = "",
    status: int = 200,
    ran: Any = None,
    given: Mapping[str, str] = NOTHING,
) -> Answer:
    """The list, and the first skill or the one that is named."""
    listed = app.skills.list()
    chosen = asked.name or (listed[0].name if listed else "")
    skill = app.skills.show(chosen) if chosen else None
    values: dict[str, Any] = {
        "title": "Skills",
        "skills": listed,
        "named": bool(asked.name),
        "trouble": trouble,
        "ran": ran,
        "given": given,
        "found": None,
    }
    if skill is not None:
        values |= {
            "found": shapes.shown(skill),
            "body": split(skill.listed.skill.text).body,
            "outcomes": skill.listed.outcomes,
            "shown_outcomes": skill.listed.outcomes.runs[::-1][:_OUTCOMES],
        }
    return Shown("skills.html", values, status)


@page("POST /skills/{name}/approve", "skills", verb="approve")
@page("POST /skills/{name}/reject", "skills", verb="reject")
def decide(
    app: App, asked: PageRequest, digest: str, next_: str = "", _value: int = 0, *, verb: str
) -> Answer:
    """Yes to these bytes, or no, which withdraws an approval."""
    decide = app.skills.approve if verb == "approve" else app.skills.reject
    try:
        decision = decide(asked.name, version=digest)
    except ConflictError as error:
        trouble = f"It changed while you were looking, and nothing was decided: {error}."
        return show(app, asked, trouble=trouble, status=409)
    except NotFoundError:
        raise
    except MemoryClawError as error:
        return show(app, asked, trouble=f"Nothing was decided: {error}.", status=409)
    notice = f". {decision.notice}" if decision.notice else ""
    sentence = f"{decision.action.capitalize()}: {decision.name}{notice}"
    about = asked.name if next_ or "next" in asked.form else ""
    to = address("review", *filter(None, [next_])) if about else address("skills", decision.name)
    if decision.action == "rejected" and not about:
        to = address("skills")
    return Moved(to, said=sentence, undo=decision.commit, about=about)


@page("POST /skills/{name}/run", "skills")
def run(app: App, asked: PageRequest) -> Answer:
    """Shows each call that a run would make; calls nothing."""
    given = [(key, value) for key, value in asked.form.items() if key.startswith("param-") and value]
    params = {key.removeprefix("param-"): value for key, value in given}
    try:
        skill_run = app.skills.run(asked.name, params)
    except NotFoundError:
        raise
    except MemoryClawError as error:
        return show(app, asked, trouble=f"It cannot be run yet: {error}.", status=400, given=params)
    return show(app, asked, ran=shapes.skill_run(skill_run), given=params)
