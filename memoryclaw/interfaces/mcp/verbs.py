"""What each tool does: one verb of the app, its answer as JSON for programs and as fenced text for models."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from memoryclaw.app import App
from memoryclaw.errors import InputError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.mcp import arguments
from memoryclaw.interfaces.mcp.arguments import question
from memoryclaw.model import Fact, LeftOut, Match, least_trusted
from memoryclaw.recall.packing import TRUST_ORDER, text_of
from memoryclaw.recall.superseded import Superseded
from memoryclaw.review.word_diff import mark_up, word_diff
from memoryclaw.text import encoding, prompts
from memoryclaw.text.prompts import cost, mark_of, one_line
from memoryclaw.working.memory import render
from memoryclaw.writing.context import fact_in_words

if TYPE_CHECKING:
    from memoryclaw.recall.browsing import NoteEntry
    from memoryclaw.review.file_history import FileDiff
    from memoryclaw.review.queue import ReviewItem
    from memoryclaw.working.memory import WorkingMemory

T = TypeVar("T")
MOST = 24_000  # tokens of an answer, so that no host cuts it off: Claude Code does at 25,000
_MORE = "more do not fit into an answer; ask more narrowly."
_SAID = frozenset({"task", "goal", "plan", "facts", "recent_observations", "active_skill"})


class ToolAnswer(NamedTuple):
    """One answer; without a shape where the text says all of it."""

    shape: dict[str, Any] | None
    text: str

    @property
    def fits(self) -> bool:
        """Whether no host cuts it off."""
        said = f"{self.text}{json.dumps(self.shape, ensure_ascii=False) if self.shape else ''}"
        return (
            len(said) < MOST // 2 or cost.__wrapped__(said) <= MOST * 100
        )  # no cache keeps a text of this size


def _most(rows: Sequence[T], tell: Callable[[Sequence[T]], ToolAnswer]) -> int:
    """How many of the first rows fit into an answer."""
    if tell(rows).fits:
        return len(rows)
    return max(0, bisect_left(range(len(rows)), True, key=lambda count: not tell(rows[:count]).fits) - 1)


def _fitting(rows: Sequence[T], tell: Callable[[Sequence[T], str], ToolAnswer]) -> ToolAnswer:
    """An answer of all rows, or of as many of the first as fit, which then says how many more there are."""
    count = _most(rows, lambda some: tell(some, _MORE))
    left = len(rows) - count
    return tell(rows[:count], f"{left} {_MORE}" if left else "")


def search(app: App, asked: arguments.SearchArguments) -> ToolAnswer:
    """Ranked matches; leaves no trace."""
    found = app.search(question(asked.query), kind=asked.kind, limit=asked.limit)
    remarks = [f"Did you mean {better} instead of {word}?" for word, better in found.did_you_mean.items()]
    remarks += [*found.notices, found.degraded]

    def tell(some: Sequence[Match], more: str) -> ToolAnswer:
        beyond = tuple(LeftOut(match.unit.id, "limit") for match in found.matches[len(some) :])
        shown = replace(found, matches=tuple(some), left_out=beyond + found.left_out)
        return ToolAnswer(shapes.search(shown), _with(matches(some) or "Nothing found.", more, *remarks))

    return _fitting(found.matches, tell)


def get(app: App, asked: arguments.GetArguments) -> ToolAnswer:
    """The lines of a note, section, fact or turn, as text alone: hosts that are given JSON too show a model nothing else."""
    shown = app.show(asked.id)
    trust = app.trust_of([shown.address.path]).get(shown.address.path, "unknown")
    lines = encoding.LINE.findall(shown.text)
    part = lines[asked.line - 1 : asked.line - 1 + asked.lines]
    if not part and asked.line > 1:
        raise InputError(f"{asked.id} has only {len(lines)} lines")
    held = _superseded(shown.superseded) if shown.superseded else ""

    def tell(some: Sequence[str], cut: str = "") -> ToolAnswer:
        last = asked.line - 1 + len(some)
        remark = (
            f"Lines {asked.line} to {last} of {len(lines)}{cut}." if cut or len(some) < len(lines) else ""
        )
        text = lines_text(shown.address.id, "".join(some), trust)
        return ToolAnswer(None, _with("\n".join(filter(None, (text, held))), remark, app.freshness.degraded))

    count = _most(part, tell)
    if count or not part:
        return tell(part[:count])
    first = part[0][: _most(part[0], lambda text: tell(["".join(text)], ", cut"))]
    return tell([first], ", cut")


def store(app: App, asked: arguments.StoreArguments) -> ToolAnswer:
    """Keeps a fact, a statement or an episode as the agent's claim; at most one commit."""
    done = app.claim(
        asked.text,
        entity=asked.entity,
        field=asked.field,
        tags=asked.tags,
        tool="memory_store",
        session=asked.session,
    )
    return ToolAnswer(shapes.written(done), _with(one_line(f"{done.action}: {done.id}"), done.notice))


def feedback(app: App, asked: arguments.FeedbackArguments) -> ToolAnswer:
    """Keeps a rating in the ledger."""
    done = app.feedback(asked.id, asked.rating, session=asked.session, note=asked.note)
    return ToolAnswer(shapes.feedback(done), one_line(f"rated {done.rating} of 5: {done.id}"))


def browse(app: App, asked: arguments.BrowseArguments) -> ToolAnswer:
    """A list of notes."""
    notes = app.browse(kind=asked.kind, state=asked.state, memory_type=asked.type, limit=asked.limit)
    trusts, fresh = app.trust_of(note.path for note in notes), app.freshness

    def tell(some: Sequence[NoteEntry], more: str) -> ToolAnswer:
        text = listed(some, trusts) or "No such notes."
        return ToolAnswer(shapes.browse(some, fresh), _with(text, more, fresh.degraded))

    return _fitting(notes, tell)


def facts(app: App, asked: arguments.FactsArguments) -> ToolAnswer:
    """What is or was held true."""
    rows = app.facts(asked.entity, as_of=_day(asked.as_of), history=asked.history, memory_type=asked.type)
    shown, fresh = rows[: asked.limit], app.freshness
    apart, trusts = app.conflicting(shown), app.trust_of(path for path, _ in shown)
    beyond = f"{len(rows) - len(shown)} more; name an entity." if len(shown) < len(rows) else ""

    def tell(some: Sequence[tuple[str, Fact]], more: str) -> ToolAnswer:
        text = facts_text(some, trusts) or "No such facts."
        return ToolAnswer(shapes.facts(some, fresh, apart), _with(text, more, beyond, fresh.degraded))

    return _fitting(shown, tell)


def review(app: App, asked: arguments.ReviewArguments) -> ToolAnswer:
    """What waits for a person, or what one thing of it would change; decides nothing."""
    if not asked.id:
        return _fitting(
            app.review.list(),
            lambda some, more: ToolAnswer(
                shapes.waiting(some), _with(waiting(some) or "Nothing waits.", more)
            ),
        )
    item = app.review.get(asked.id)
    return _fitting(
        app.review.diff(item) if item.can_be_shown else [],
        lambda some, more: ToolAnswer(
            shapes.differences([(item, some)]), _with(differences(item, some), more)
        ),
    )


def working(app: App, asked: arguments.WorkingArguments) -> ToolAnswer:
    """Shows, changes or clears what a session is at."""
    changes = {name: getattr(asked, name) for name in asked.model_fields_set & _SAID}
    if asked.action == "clear":
        _only(changes, {"task"}, asked.action)
        done = app.working.clear(asked.session, task=asked.task)
        return ToolAnswer(
            shapes.cleared(done),
            _with("cleared" if done.cleared else "Nothing was cleared.", done.notice),
        )
    if asked.action == "show":
        _only(changes, set(), asked.action)
    memory = app.working.set(asked.session, changes) if changes else app.working.show(asked.session)
    return ToolAnswer(shapes.working(memory), working_text(memory) or "This session has no working memory.")


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


# Answers as text for a model. Memory is data: all of it is fenced, escaped and labelled with its trust.

Trusts = Mapping[str, str]  # by path
_ORDER = (*TRUST_ORDER, "quarantined")
_SHOWN = 32_000  # characters of a difference


def matches(found: Iterable[Match]) -> str:
    """What a search found."""
    return _block((one.unit.trust, prompts.item(one.unit.id, _quoted(one), one.unit.when)) for one in found)


def lines_text(id_: str, text: str, trust: str) -> str:
    """Lines of one thing, each escaped; they stay lines, and keep their indentation."""
    told = "\n".join(_line(line) for line in text.splitlines())
    return _block([(trust, f'<m id="{prompts.escape_item(id_)}">\n{told}\n</m>')])


def _superseded(found: Iterable[Superseded]) -> str:
    """What lines told and holds no longer."""
    told = (
        (
            one.fact,
            f"line {one.line}, {fact_in_words(one.entity, one.field, one.value)}: {one.mark('unknown')}",
        )
        for one in found
    )
    return _block(("unknown", prompts.item(id_, text)) for id_, text in told)


def listed(notes: Iterable[NoteEntry], trusts: Trusts) -> str:
    """A list of notes."""
    return _block(
        (trusts.get(note.path, "unknown"), prompts.item(note.id, f"{note.kind}: {note.title}", note.at))
        for note in notes
    )


def facts_text(found: Iterable[tuple[str, Fact]], trusts: Trusts) -> str:
    """A list of facts."""
    return _block(
        (least_trusted(trusts.get(path, "unknown"), fact.trust), prompts.item(fact.id, _fact(fact), fact.day))
        for path, fact in found
    )


def waiting(items: Iterable[ReviewItem]) -> str:
    """What waits for a person: proposals, which nobody has said yes to."""
    return _block(
        ("unknown", prompts.item(item.id, f"{item.kind}: {item.what}; {item.why}")) for item in items
    )


def differences(item: ReviewItem, found: Iterable[FileDiff]) -> str:
    """What one thing that waits would make of each file."""
    told = ((one.path, _marked(one)) for one in found)
    return "\n".join([waiting([item]), *(lines_text(path, text[:_SHOWN], "unknown") for path, text in told)])


def working_text(memory: WorkingMemory) -> str:
    """What a session is at."""
    return prompts.fence_block([], render(memory))


def _block(items: Iterable[tuple[str, str]]) -> str:
    groups: dict[str, list[str]] = {trust: [] for trust in _ORDER}
    for trust, line in items:
        groups[trust if trust in groups else "unknown"].append(line)
    return prompts.fence_block(list(groups.items()))


def _quoted(match: Match) -> str:
    unit = match.unit
    if unit.kind == "fact":
        said = text_of(unit)
    else:
        said = f"{unit.title}: {match.snippet}" if unit.title and unit.kind != "turn" else match.snippet
    return " ".join(filter(None, (said, mark_of(match.conflicts, match.superseded))))


def _fact(fact: Fact) -> str:
    name = fact.entity if fact.field in ("", "value") else f"{fact.entity} {fact.field}"
    value = f'"{fact.value}"' if fact.is_statement else fact.value
    return f"{f'{name}: ' if name else ''}{value}{f' (until {fact.until})' if fact.until else ''}"


def _marked(one: FileDiff) -> str:
    changed = word_diff(one.before, one.after)
    return "\n".join(mark_up(line.pieces) for hunk in changed for line in hunk)


def _line(text: str) -> str:
    bare = text.lstrip(" \t")
    return text[: len(text) - len(bare)] + prompts.escape_item(prompts.defuse_links(prompts.one_line(bare)))
