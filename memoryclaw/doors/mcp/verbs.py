"""What each tool does: one verb of the app, its answer as JSON for programs and as fenced text for models."""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple

from memoryclaw.app import App
from memoryclaw.core import textfile
from memoryclaw.core.errors import InputError
from memoryclaw.core.fence import one_line
from memoryclaw.doors import reviewshapes, shapes, workingshapes
from memoryclaw.doors.mcp import arguments, texts
from memoryclaw.doors.mcp.asked import question

_SOURCE = "mcp"  # an episode that is stored through this door says so; a fact names its sources as links
_MOST = 60_000  # characters of one thing
_SAID = frozenset({"task", "goal", "plan", "facts", "recent_observations", "active_skill"})


class Told(NamedTuple):
    """One answer."""

    shape: dict[str, Any]
    text: str


def search(app: App, asked: arguments.Search) -> Told:
    """Ranked matches; leaves no trace."""
    found = app.search(question(asked.query), kind=asked.kind, limit=asked.limit)
    remarks = [f"Did you mean {better} instead of {word}?" for word, better in found.did_you_mean.items()]
    remarks += [*found.notices, found.degraded]
    return Told(shapes.search(found), _with(texts.matches(found.matches) or "Nothing found.", *remarks))


def get(app: App, asked: arguments.Get) -> Told:
    """The lines of a note, section, fact or turn."""
    shown = app.show(asked.id)
    shape, trust = shapes.show(shown, app.freshness), app.trust_of([shown.address.path])
    lines = textfile.LINE.findall(shown.text)
    part = lines[asked.line - 1 : asked.line - 1 + asked.lines]
    if not part and asked.line > 1:
        raise InputError(f"{asked.id} has only {len(lines)} lines")
    text, last = "".join(part)[:_MOST], asked.line - 1 + len(part)
    remark = ""
    if len(text) < len(shown.text):
        first = shown.address.line
        shape |= {"text": text, "line": first + asked.line - 1, "end_line": first + last - 1}
        remark = f"Lines {asked.line} to {last} of {len(lines)}{', cut' if len(text) == _MOST else ''}."
    told = texts.lines(shown.address.id, text, trust.get(shown.address.path, "unknown"))
    return Told(shape, _with(told, remark, app.freshness.degraded))


def store(app: App, asked: arguments.Store) -> Told:
    """Keeps a fact or an episode; one commit."""
    source = "" if asked.entity else _SOURCE
    done = app.remember(asked.text, entity=asked.entity, field=asked.field, tags=asked.tags, source=source)
    return Told(shapes.written(done), _with(one_line(f"{done.action}: {done.id}"), done.notice))


def feedback(app: App, asked: arguments.Feedback) -> Told:
    """Keeps a rating in the ledger."""
    done = app.feedback(asked.id, asked.rating, session=asked.session, note=asked.note)
    return Told(workingshapes.feedback(done), one_line(f"rated {done.rating} of 5: {done.id}"))


def browse(app: App, asked: arguments.Browse) -> Told:
    """A list of notes."""
    found = app.browse(kind=asked.kind, state=asked.state, limit=asked.limit)
    shape, trusts = shapes.browse(found, app.freshness), app.trust_of(note.path for note in found)
    return Told(shape, _with(texts.listed(found, trusts) or "No such notes.", app.freshness.degraded))


def facts(app: App, asked: arguments.Facts) -> Told:
    """What is or was held true."""
    found = app.facts(asked.entity, as_of=_day(asked.as_of), history=asked.history)
    some = found[: asked.limit]
    shape, trusts = shapes.facts(some, app.freshness), app.trust_of(path for path, _ in some)
    more = f"{len(found) - len(some)} more; name an entity." if len(some) < len(found) else ""
    return Told(shape, _with(texts.facts(some, trusts) or "No such facts.", more, app.freshness.degraded))


def review(app: App, asked: arguments.Review) -> Told:
    """What waits for a person, or what one thing of it would change; decides nothing."""
    if not asked.id:
        items = app.review()
        return Told(reviewshapes.waiting(items), texts.waiting(items) or "Nothing waits.")
    item = app.review_one(asked.id)
    found = app.review_diff(item) if item.can_be_shown else []
    return Told(reviewshapes.differences([(item, found)]), texts.differences(item, found))


def working(app: App, asked: arguments.Working) -> Told:
    """Shows, changes or clears what a session is at."""
    changes = {name: getattr(asked, name) for name in asked.model_fields_set & _SAID}
    if asked.action == "clear":
        _only(changes, {"task"}, asked.action)
        done = app.clear_working(asked.session, task=asked.task)
        return Told(
            workingshapes.cleared(done),
            _with("cleared" if done.cleared else "Nothing was cleared.", done.notice),
        )
    if asked.action == "show":
        _only(changes, set(), asked.action)
    memory = app.set_working(asked.session, changes) if changes else app.working(asked.session)
    return Told(workingshapes.working(memory), texts.working(memory) or "This session has no working memory.")


def _only(changes: dict[str, Any], allowed: set[str], action: str) -> None:
    if too_many := sorted(changes.keys() - allowed):
        raise InputError(f"action {action!r} takes no {' and no '.join(too_many)}; `set` does")


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise InputError(f"{text!r} is not a date; write it as 2025-07-01") from None


def _with(text: str, *remarks: str) -> str:
    """A text with remarks below it, which may name things of the vault."""
    return "\n".join([text, *(one_line(remark) for remark in remarks if remark)])
