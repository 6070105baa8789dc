"""The addresses that change a vault, each change a commit; with those of review and skills."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from memoryclaw.app import App
from memoryclaw.config import MOST_LISTED
from memoryclaw.errors import ForbiddenError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.http.messages import LONG, WRITE, RequestModel, Shape, VerbRoute, question
from memoryclaw.model import OWNER

if TYPE_CHECKING:
    from memoryclaw.review.queue import ReviewItem

Value = str | bool | int | float


class RememberRequest(RequestModel):
    """What is to be kept."""

    text: str
    entity: str = ""
    field: str = ""
    tags: list[str] = Field(default_factory=list)
    source: str = ""
    session: str = ""
    type: str = ""
    scope: str = ""
    expires: str = ""


class EditRequest(RequestModel):
    """Fields and their new values."""

    set: dict[str, Value | list[Value]] = Field(min_length=1)


class ReviveRequest(RequestModel):
    """What comes back."""

    id: str


class UndoRequest(RequestModel):
    """A commit or a run, and whether also what makes the folder a vault goes."""

    what: str
    yes: bool = False


class MigrateRequest(RequestModel):
    """Whether it is only told."""

    dry_run: bool = False


class FeedbackRequest(RequestModel):
    """What a memory was worth."""

    id: str
    rating: int = Field(ge=1, le=5)
    session: str = ""
    note: str = ""
    receipt: str = ""


def remember(app: App, _name: str, asked: RememberRequest) -> Shape:
    """Keeps a text as an episode, or as the value of a field; from the agent it is a claim."""
    if app.audience == OWNER:
        kept = app.remember(
            asked.text,
            entity=asked.entity,
            field=asked.field,
            tags=asked.tags,
            source=asked.source,
            memory_type=asked.type,
            scope=asked.scope,
            expires=asked.expires,
        )
        return shapes.written(kept)
    if asked.type or asked.scope or asked.expires:
        raise ForbiddenError("only the owner says what type a memory is, for what it counts and until when")
    done = app.claim(
        asked.text,
        entity=asked.entity,
        field=asked.field,
        tags=asked.tags,
        tool=asked.source,
        session=asked.session,
    )
    return shapes.written(done)


class RewriteRequest(RequestModel):
    """A text for a note, and the digest of the file that it was written for."""

    text: str
    digest: str
    dry_run: bool = False


def rewrite(app: App, name: str, asked: RewriteRequest) -> Shape:
    """Gives a note another text, or tells what that would change."""
    return shapes.rewrite(app.rewrite(name, asked.text, digest=asked.digest, dry_run=asked.dry_run))


def edit(app: App, name: str, asked: EditRequest) -> Shape:
    """Sets fields of a note, or the value of a fact."""
    fields = {
        field: [_text(one) for one in value] if isinstance(value, list) else _text(value)
        for field, value in asked.set.items()
    }
    return shapes.written(app.edit(name, fields))


def forget(app: App, name: str, _asked: RequestModel) -> Shape:
    """Takes a note, a fact or a turn out of every answer."""
    return shapes.written(app.forget(name))


def revive(app: App, _name: str, asked: ReviveRequest) -> Shape:
    """Brings back what was forgotten."""
    return shapes.written(app.revive(asked.id))


def undo(app: App, _name: str, asked: UndoRequest) -> Shape:
    """Takes back a commit or a run."""
    return shapes.written(app.undo(asked.what, yes=asked.yes))


def migrate(app: App, _name: str, asked: MigrateRequest) -> Shape:
    """Brings an older format to the newest."""
    return shapes.migrated(app.migrate(dry_run=asked.dry_run))


def feedback(app: App, _name: str, asked: FeedbackRequest) -> Shape:
    """Keeps a rating."""
    done = app.feedback(asked.id, asked.rating, session=asked.session, note=asked.note, receipt=asked.receipt)
    return shapes.feedback(done)


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


WRITING = (
    VerbRoute(
        "POST",
        "/v1/remember",
        remember,
        "Keeps a text as an episode, or as a fact. From the agent it is a claim: what contradicts a standing fact waits for a person.",
        RememberRequest,
        WRITE,
        like="remember TEXT",
    ),
    VerbRoute(
        "PATCH",
        "/v1/notes/{id}",
        edit,
        "Sets fields of a note, or the value of a fact.",
        EditRequest,
        WRITE,
        like="edit ID --set F=V",
    ),
    VerbRoute(
        "PUT",
        "/v1/notes/{id}",
        rewrite,
        "Gives a note another text, if its file still has the digest that `GET` told; `dry_run` only tells what would change.",
        RewriteRequest,
        WRITE,
        like="edit ID --text FILE",
    ),
    VerbRoute(
        "DELETE",
        "/v1/notes/{id}",
        forget,
        "Moves a note or a fact to the archive, or takes a turn out of every answer.",
        pool=WRITE,
        like="forget ID",
    ),
    VerbRoute(
        "POST",
        "/v1/revive",
        revive,
        "Brings back what was forgotten.",
        ReviveRequest,
        WRITE,
        like="revive ID",
    ),
    VerbRoute(
        "POST", "/v1/undo", undo, "Takes back one commit, or a run.", UndoRequest, WRITE, like="undo WHAT"
    ),
    VerbRoute(
        "POST",
        "/v1/migrate",
        migrate,
        "Brings the files of an older format to the newest, in one commit.",
        MigrateRequest,
        WRITE,
        like="migrate",
    ),
    VerbRoute(
        "POST",
        "/v1/feedback",
        feedback,
        "Rates a memory, 1 to 5.",
        FeedbackRequest,
        WRITE,
        like="feedback ID RATING",
    ),
)


# Review, history and blame.


class HistoryRequest(RequestModel):
    """Whose history, and how much of it."""

    id: str = ""
    limit: int = Field(default=20, ge=1, le=MOST_LISTED)
    before: str = ""


class DecisionRequest(RequestModel):
    """The digest of what was shown (what has changed since is refused), and a reason for the commit."""

    digest: str = ""
    reason: str = ""


class ApprovalRequest(DecisionRequest):
    """The same, and of a conflict the number of the value that holds."""

    value: int = Field(default=0, ge=0)


class RewordRequest(RequestModel):
    """What waits in other words, and the digest of what was shown."""

    text: str
    digest: str = ""


def review(app: App, _name: str, _asked: RequestModel) -> Shape:
    """What waits."""
    return shapes.waiting(app.review.list())


def review_one(app: App, name: str, _asked: RequestModel) -> Shape:
    """One thing that waits, and what it would change."""
    item = app.review.get(name)
    found = app.review.diff(item) if item.can_be_shown else []
    return shapes.review_item(item, found, app.review.details(item) if app.audience == OWNER else None)


def approve(app: App, name: str, asked: ApprovalRequest) -> Shape:
    """Says yes, or which value of a conflict holds."""
    done = app.review.approve(
        _waiting(app, name), digest=asked.digest, value=asked.value, reason=asked.reason
    )
    return shapes.decided(done)


def reject(app: App, name: str, asked: DecisionRequest) -> Shape:
    """Says no."""
    return shapes.decided(app.review.reject(_waiting(app, name), digest=asked.digest, reason=asked.reason))


def reword(app: App, name: str, asked: RewordRequest) -> Shape:
    """Puts what waits in other words."""
    return shapes.written(app.review.edit(name, lambda _: asked.text, digest=asked.digest))


def history(app: App, _name: str, asked: HistoryRequest) -> Shape:
    """What was done, newest first."""
    return shapes.history(app.history(asked.id, limit=asked.limit, before=asked.before))


def commit(app: App, name: str, _asked: RequestModel) -> Shape:
    """One commit, word by word."""
    return shapes.change_made(app.commit(name))


def blame(app: App, name: str, _asked: RequestModel) -> Shape:
    """Where a fact comes from."""
    return shapes.blame(app.blame(name))


def _waiting(app: App, name: str) -> list[ReviewItem]:
    return [item for item in app.review.list([name]) if not item.is_skill]


REVIEWING = (
    VerbRoute("GET", "/v1/review", review, "What waits for a yes or a no.", like="review list"),
    VerbRoute(
        "GET",
        "/v1/review/{id}",
        review_one,
        "What would change if this were approved.",
        like="review show ID",
    ),
    VerbRoute(
        "POST",
        "/v1/review/{id}/approve",
        approve,
        "Says yes to one thing, or to a run; with the `digest` of what was shown, only to that. Of a conflict, `value` says which holds.",
        ApprovalRequest,
        pool=WRITE,
        like="review approve ID",
    ),
    VerbRoute(
        "POST",
        "/v1/review/{id}/reject",
        reject,
        "Says no; it is not proposed again. All values of a conflict may stand then.",
        DecisionRequest,
        pool=WRITE,
        like="review reject ID",
    ),
    VerbRoute(
        "PUT",
        "/v1/review/{id}",
        reword,
        "Puts what waits in other words; it goes on waiting.",
        RewordRequest,
        WRITE,
        like="review edit ID",
    ),
    VerbRoute(
        "GET",
        "/v1/history",
        history,
        "What was done to the vault, a note or a fact.",
        HistoryRequest,
        like="history [ID]",
    ),
    VerbRoute(
        "GET", "/v1/history/{commit}", commit, "One commit, word by word.", like="history --commit COMMIT"
    ),
    VerbRoute("GET", "/v1/blame/{id}", blame, "Where a fact comes from.", like="blame FACT"),
)


# Skills.


class MatchRequest(RequestModel):
    """A request that a skill may fit."""

    q: str


class RunRequest(RequestModel):
    """With what a skill runs; it only shows its calls unless it is told to `apply`."""

    params: dict[str, str] = Field(default_factory=dict)
    apply: bool = False
    session: str = ""


def skills(app: App, _name: str, _asked: RequestModel) -> Shape:
    """Every skill, and how it stands."""
    return shapes.skills(app.skills.list())


def match(app: App, _name: str, asked: MatchRequest) -> Shape:
    """The skills that fit a request."""
    return shapes.matches(asked.q, app.skills.match(question(asked.q)))


def skill(app: App, name: str, _asked: RequestModel) -> Shape:
    """One skill."""
    return shapes.shown(app.skills.show(name))


class SkillVersionRequest(RequestModel):
    """The `version` that was shown; what has changed since is refused with 409."""

    version: str = ""


def approve_skill(app: App, name: str, asked: SkillVersionRequest) -> Shape:
    """Says yes to a skill as it is now."""
    return shapes.skill_decided(app.skills.approve(name, version=asked.version))


def reject_skill(app: App, name: str, asked: SkillVersionRequest) -> Shape:
    """Says no to a skill."""
    return shapes.skill_decided(app.skills.reject(name, version=asked.version))


def run(app: App, name: str, asked: RunRequest) -> Shape:
    """Runs an approved skill, or shows what it would do."""
    done = app.skills.run(name, asked.params, apply=asked.apply, session=asked.session)
    return shapes.skill_run(done)


class OutcomeRequest(RequestModel):
    """How it went when a skill was followed, and why it failed."""

    ok: bool
    why: str = ""
    session: str = ""


def outcome(app: App, name: str, asked: OutcomeRequest) -> Shape:
    """Keeps how it went."""
    return shapes.skill_outcome(app.skills.outcome(name, ok=asked.ok, why=asked.why, session=asked.session))


def hosted(app: App, _name: str, _asked: RequestModel) -> Shape:
    """The skills that hosts are given, as they are now."""
    return shapes.host_skills(app.skills.hosted(refresh=False))


def host(app: App, _name: str, _asked: RequestModel) -> Shape:
    """Brings them up to date."""
    return shapes.host_skills(app.skills.hosted())


SKILLS = (
    VerbRoute("GET", "/v1/skills", skills, "Every skill, and how it stands.", like="skills list"),
    VerbRoute(
        "GET",
        "/v1/skills/match",
        match,
        "The skills that fit a request, best first.",
        MatchRequest,
        like="skills match Q",
    ),
    VerbRoute("GET", "/v1/skills/{name}", skill, "One skill as it stands.", like="skills show NAME"),
    VerbRoute(
        "POST",
        "/v1/skills/{name}/approve",
        approve_skill,
        "Says yes to a skill as it is now, or as it was shown.",
        SkillVersionRequest,
        WRITE,
        like="skills approve NAME",
    ),
    VerbRoute(
        "POST",
        "/v1/skills/{name}/reject",
        reject_skill,
        "Says no, or takes an approval back.",
        SkillVersionRequest,
        WRITE,
        like="skills reject NAME",
    ),
    VerbRoute(
        "POST",
        "/v1/skills/{name}/run",
        run,
        "Runs an approved skill; without `apply` it only shows each call.",
        RunRequest,
        LONG,
        like="skills run NAME",
    ),
    VerbRoute(
        "POST",
        "/v1/skills/{name}/outcome",
        outcome,
        "Keeps how it went when a skill was followed.",
        OutcomeRequest,
        WRITE,
        like="skills outcome NAME",
    ),
    VerbRoute("GET", "/v1/host-skills", hosted, "The skills that hosts are given.", like="skills host"),
    VerbRoute(
        "POST",
        "/v1/host-skills",
        host,
        "Brings these up to date.",
        pool=WRITE,
        like="skills host",
    ),
)
