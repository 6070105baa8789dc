"""Answers as plain JSON values, the same in every interface; docs/reference/json.md and docs/reference/review.md describe them. Text is not changed.

A value is told by its own fields (`plain`). What is told otherwise stands below: each shape names the type that it tells, its keys in
their order, and only what is worked out has a function. `interfaces/schemas.py` reads the same lines, so that OpenAPI says what is answered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, Generic, TypeVar

from memoryclaw import rooms
from memoryclaw.late import NamedTuple
from memoryclaw.model import Answer, Fact, Match, Problem, Relevance, Traced

T = TypeVar("T")
JsonObject = dict[str, Any]
_SCALARS = (str, int, float)
_attribute = cache(attrgetter)


def plain(value: Any) -> Any:
    """A value as JSON has it: one of a type with a shape as that tells it, others with all their fields; other sequences are lists."""
    if isinstance(value, _SCALARS):  # as most are
        return value
    if names := fields_of(value.__class__):
        shape = SHAPES.get(type(value).__name__)
        return shape(value) if shape else {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value


@cache
def fields_of(kind: type) -> Sequence[str]:
    """The names of the fields of a named tuple or a dataclass; none of any other type."""
    return [field.name for field in fields(kind)] if is_dataclass(kind) else getattr(kind, "_fields", ())


class Key(NamedTuple):
    """One key of a shape: where its value comes from, and how it is told."""

    name: str
    path: str  # of attributes
    how: Any = None  # a shape; a list of one; a type, in words where nothing may import it; None: that of the attribute
    work: Callable[[Any], Any] | None = None
    spread: bool = False  # its own keys stand in the place of it
    optional: bool = False  # left out where there is nothing, and where its own `work` gives None

    def of(self, value: Any) -> Any:
        """What it is, of a value."""
        raw = self.work(value) if self.work else _attribute(self.path)(value)
        if raw is not None and isinstance(self.how, Shape):
            return self.how(raw)
        return [self.how[0](inner) for inner in raw] if isinstance(self.how, list) else plain(raw)


class Shape(Generic[T]):
    """How the values of a type are told.

    Args:
        keys: in their order: `name`, `a.b` (called `b`), `name=a.b`, `*name` for all keys of what it holds, `name?` where it may be
            left out; none for every field of the type.
        many: the key below which many are told.
        parts: of keys, the shape that is not that of their type, or (how, work) where they are worked out.
    """

    def __init__(self, keys: str = "", *, fresh: bool = False, many: str = "", **parts: Any) -> None:
        self.text, self.fresh, self.many, self.parts = keys, fresh, many, parts
        self._keys: Sequence[Key] = ()  # most answers need few of all shapes

    def keys_of(self, kind: Any) -> Sequence[Key]:
        """Each key, as it is written down, else each field of the type."""
        self._keys = self._keys or [self._key(word) for word in self.text.split() or fields_of(kind)]
        return self._keys

    def _key(self, word: str) -> Key:
        name, _, path = word.strip("*?").partition("=")
        key = name.rpartition(".")[2]
        part = self.parts.get(key)
        how, work = part if isinstance(part, tuple) else (part, None)
        return Key(key, path or name, how, work, word.startswith("*"), word.endswith("?"))

    def __call__(self, value: T, fresh: rooms.sync.Freshness | None = None) -> JsonObject:
        """A value as JSON has it."""
        shape: JsonObject = {}
        if self.many:
            rows: Any = value
            shape = {self.many: [plain(row) for row in rows]}
        for key in () if self.many else self.keys_of(type(value)):
            inner = key.of(value)
            if key.spread:
                shape |= inner
            elif not key.optional or (inner is not None if key.work else inner):
                shape[key.name] = inner
        return {**shape, "degraded": fresh.degraded, "behind": fresh.behind} if fresh else shape


LAYERS = {"episode": "episodic", "todo": "todo", "fact": "semantic", "skill": "procedural", "turn": "log"}

problem: Shape[Problem] = Shape()

# Questions.

_STATE, _REMARKS = "degraded behind", "did_you_mean unknown notices"
_MATCH = (
    "unit.id note unit.kind path unit.line unit.end_line unit.title unit.when snippet highlights score why layer unit.trust"
    " unit.lifecycle.memory_type scope unit.lifecycle.expires overdue copies sections conflicts superseded"
)


_why: Shape[Match] = Shape("terms matched")
_MATCH_PARTS: dict[str, Any] = {
    "why": (_why, lambda match: match),
    "layer": (str, lambda match: LAYERS.get(match.unit.kind, "note")),
    "scope": (str, lambda match: match.unit.lifecycle.scope or "permanent"),
    "superseded": (list[str], lambda match: [*dict.fromkeys(mark.text for mark in match.superseded)]),
}
match: Shape[Match] = Shape(_MATCH, **_MATCH_PARTS)
_packed_match: Shape[Match] = Shape(f"{_MATCH} tokens", **_MATCH_PARTS)
search: Shape[Answer] = Shape(f"query confidence {_STATE} matches left_out {_REMARKS} timings_ms")
_DECISION: dict[str, Any] = {
    "decision": (str, lambda candidate: "in" if candidate.decision == "in" else "out"),
    "reason": (str, lambda candidate: "" if candidate.decision == "in" else candidate.decision),
}
traced: Shape[Traced] = Shape("id path score decision reason", **_DECISION)
candidate: Shape[rooms.recall.Decided] = Shape("id path line decision reason changed", **_DECISION)
relevance: Shape[Relevance] = Shape("value terms")
_RECALL = f"query context tokens aside budget confidence {_STATE} matches left_out {_REMARKS}"
_recall: Shape[rooms.recall.Recalled] = Shape(f"{_RECALL} receipt timings_ms", matches=[_packed_match])
_traced_recall: Shape[rooms.recall.Recalled] = Shape(
    f"{_RECALL} relevance trace receipt timings_ms", matches=[_packed_match]
)
asked: Shape[rooms.ask.AnsweredQuestion] = Shape(
    f"query answered lines confidence did_you_mean notices {_STATE}"
)
read_back: Shape[rooms.recall.ReadBack] = Shape(fresh=True)


def recall(answer: rooms.recall.Recalled, *, trace: bool = False) -> JsonObject:
    """A packed answer; `trace` adds every candidate with its one decision."""
    return (_traced_recall if trace else _recall)(answer)


# What is there.


class FactShown(NamedTuple):
    """A fact, the file it stands in, and the ids of those that contradict it."""

    path: str
    fact: Fact
    conflicts: tuple[str, ...] = ()


class FactsShown(NamedTuple):
    """Facts, and the commit whose files say so."""

    facts: tuple[FactShown, ...]
    believed_at: rooms.file_history.Logged | None = None


_FACT = "fact.id fact.type fact.entity fact.field fact.value fact.since fact.said fact.until fact.source fact.trust fact.audience"
_FACT_AT = f"{_FACT} fact.lifecycle.memory_type scope fact.lifecycle.expires fact.lifecycle.verify_by fact.lifecycle.verified current standing path fact.line"
_FACT_PARTS: dict[str, Any] = {
    "scope": (str, lambda shown: shown.fact.lifecycle.scope or "permanent"),
    "current": (bool, lambda shown: shown.fact.current and not shown.fact.is_statement),
    "standing": (bool, lambda shown: shown.fact.current and shown.fact.is_statement),
}
_fact: Shape[FactShown] = Shape(_FACT_AT, **_FACT_PARTS)
_disputed_fact: Shape[FactShown] = Shape(f"{_FACT_AT} conflicts", **_FACT_PARTS)
_moment: Shape[rooms.file_history.Logged] = Shape("commit when subject")
_facts: Shape[FactsShown] = Shape(
    "facts believed_at?", fresh=True, facts=[_disputed_fact], believed_at=_moment
)
links: Shape[rooms.browsing.Links] = Shape(fresh=True)


def _state_of(shown: rooms.browsing.ShownUnit) -> str:
    address = shown.address
    is_statement = address.kind == "fact" and not address.field
    return "standing" if is_statement and address.state == "current" else address.state


def _pairs(facts: Iterable[tuple[str, Fact]]) -> list[FactShown]:
    return [FactShown(path, fact) for path, fact in facts]


def facts(
    rows: Iterable[tuple[str, Fact]],
    fresh: rooms.sync.Freshness,
    apart: Mapping[str, Sequence[str]] | None = None,
    then: rooms.file_history.Logged | None = None,
) -> JsonObject:
    """A list of facts, each with the line it stands on and the ids of those that contradict it (`apart`); `then`: the commit that holds them."""
    rivals = apart or {}
    rows_shown = (FactShown(path, fact, tuple(rivals.get(fact.id, ()))) for path, fact in rows)
    return _facts(FactsShown(tuple(rows_shown), then), fresh)


show: Shape[rooms.browsing.ShownUnit] = Shape(
    "address.id address.note address.kind address.path address.line address.end_line state digest text superseded day day_from",
    fresh=True,
    state=(str, _state_of),
)
browse: Shape[Iterable[rooms.browsing.NoteEntry]] = Shape(many="notes", fresh=True)
timeline: Shape[rooms.browsing.Timeline] = Shape("timeline=events earlier", fresh=True)
todos: Shape[Iterable[rooms.browsing.TodoEntry]] = Shape(many="todos", fresh=True)
entities: Shape[Iterable[rooms.browsing.EntityEntry]] = Shape(many="entities", fresh=True)
_note: Shape[rooms.browsing.NoteEntry] = Shape("id kind path title at tags state")
entity: Shape[rooms.browsing.EntityShown] = Shape(
    "name kind also facts episodes neighbours",
    fresh=True,
    facts=([_fact], lambda entity: _pairs(entity.facts)),
    episodes=[_note],
)
use: Shape[rooms.strength.StrengthStep] = Shape(
    "use.ts use.receipt use.session use.cited use.rating credit before x",
    before=(float, lambda step: round(step.faded, 4)),
    x=(float, lambda step: round(step.x, 4)),
)
inspected: Shape[rooms.browsing.Inspected] = Shape(
    "address.id kind address.path address.line strength x hot=strength.is_hot strength.half_life strength.idle"
    " shown searched fetched cited rated worth uses=strength.steps",
    fresh=True,
    strength=(float, lambda memory: round(memory.strength.value, 4)),
    x=(float, lambda memory: round(memory.strength.x, 4)),
)
_drawn: Shape[rooms.graph.GraphShown] = Shape("nodes edges")
graph: Shape[rooms.graph.GraphShown] = Shape(
    "nodes edges=graph.edges total notice",
    fresh=True,
    nodes=("list[rooms.graph.GraphNode]", lambda shown: [*shown.graph.nodes.values()]),
    total=(_drawn, lambda shown: shown),
)
step: Shape[rooms.graph.PathStep] = Shape("source=source.id target=target.id edge")
path: Shape[rooms.graph.PathShown] = Shape(
    "start end found steps",
    fresh=True,
    found=(bool, lambda path: path.steps is not None),
    steps=("list[rooms.graph.PathStep]", lambda path: path.steps or ()),
)
beside: Shape[rooms.graph.NodeBeside] = Shape("*node weight edges")
neighbours: Shape[rooms.graph.NeighboursShown] = Shape("*node neighbours total", fresh=True)
orphans: Shape[Iterable[rooms.graph.GraphNode]] = Shape(many="orphans", fresh=True)
dangling: Shape[Iterable[rooms.browsing.LinkEnd]] = Shape(many="dangling", fresh=True)


view: Shape[rooms.views.View] = Shape("path kind title state sources")
_view_with_text: Shape[rooms.views.View] = Shape(
    f"{view.text} text", text=(str, lambda view: view.page.part if view.page else "")
)
_views: Shape[rooms.pages.Views] = Shape("views=listed written notices")
_views_with_text: Shape[rooms.pages.Views] = Shape("views=listed written notices", views=[_view_with_text])


def views(pages: rooms.pages.Views, name: str = "") -> JsonObject:
    """The generated pages, and how their files stand; those of a name with their text."""
    return (_views_with_text if name else _views)(pages)


survey: Shape[rooms.survey.Survey] = Shape(
    "place kinds tags links templates languages problems other obsidian named untracked ignored secret changed"
)

# What was done.

written: Shape[rooms.context.Written] = Shape()
exchanged: Shape[rooms.machines.Exchanged] = Shape()
migrated: Shape[rooms.migration.Migrated] = Shape()
cleared: Shape[rooms.memory.Cleared] = Shape()
feedback: Shape[rooms.feedback.Feedback] = Shape()


def _named_pairs(first: str, second: str, pairs: Iterable[tuple[Any, Any]]) -> list[JsonObject]:
    return [{first: left, second: right} for left, right in pairs]


restored: Shape[rooms.bundles.Restored] = Shape(
    left_out=("list[dict[str, str]]", lambda report: _named_pairs("path", "why", report.left_out))
)
scheduled: Shape[rooms.scheduling.Scheduled] = Shape(
    files=("list[dict[str, str]]", lambda report: _named_pairs("where", "text", report.files))
)


class SyncShown(NamedTuple):
    """What a sync did, what vectors it made, and what an exchange before it brought, where they were asked for."""

    synced: rooms.sync.Synced
    vectors: rooms.vectors.Filled | None = None
    git: rooms.machines.Exchanged | None = None


reindexed: Shape[rooms.sync.Synced] = Shape("added changed removed unread total")
synced: Shape[SyncShown] = Shape("*synced vectors? git?")
_last_change: Shape[rooms.file_history.Logged] = Shape("commit when subject run")
git: Shape[rooms.status.GitReport] = Shape("state sentence last", last=_last_change)
status: Shape[rooms.status.Status] = Shape()
stats: Shape[rooms.status.Stats] = Shape(
    shown=("list[dict[str, Any]]", lambda stats: _named_pairs("id", "times", stats.shown)),
    hottest=("list[dict[str, Any]]", lambda stats: _named_pairs("id", "strength", stats.hottest)),
)


doctor: Shape[Iterable[rooms.doctor.Check]] = Shape(
    "sound checks",
    sound=(bool, lambda checks: all(check.level != "problem" for check in checks)),
    checks=("list[rooms.doctor.Check]", lambda checks: checks),
)
linted_files: Shape[rooms.lint.Linted] = Shape(
    "sound files problems", sound=(bool, lambda lint: not lint.problems)
)
acknowledged: Shape[rooms.capture.CaptureResult] = Shape(
    "ok id? error? line? again? left_out? redacted?",
    id=(str, lambda turn: turn.id if turn.ok else None),
    line=(int, lambda turn: None if turn.ok else turn.line),
)


class CaptureShown(NamedTuple):
    """What became of each captured line, and what else there is to say."""

    acknowledged: tuple[rooms.capture.CaptureResult, ...]
    notice: str


captured: Shape[CaptureShown] = Shape()
openclaw_status: Shape[rooms.openclaw_status.OpenClawStatus] = Shape(
    "config vault installed ok checks", ok=(bool, lambda now: all(check.ok for check in now.checks))
)


working: Shape[rooms.memory.WorkingMemory] = Shape(
    "session updated task goal plan facts recent_observations=observations active_skill by_hand tokens problems",
    tokens=(int, lambda memory: rooms.memory.tokens(memory)),  # noqa: PLW0108 - a search must start fast
)

# Consolidation and evaluation.

claim: Shape[rooms.changes.ClaimDecision] = Shape(
    "claim.entity claim.field claim.value claim.quote claim.line claim.role claim.by action reason known"
)
change: Shape[rooms.changes.PlannedChange] = Shape(
    "kind id title actions evidence source confidence reason",
    actions=(
        "list[dict[str, Any]]",
        lambda planned: [{"action": type(action).__name__, **action.values()} for action in planned.actions],
    ),
)
consolidated: Shape[rooms.consolidate.Consolidated] = Shape(
    "changes.run mode waits changes.held changes.turns changes.ranges changes.changes changes.skipped changes.decided changes.dropped"
    " minds=changes.models changes.degraded notices applied upkeep"
)
segments: Shape[Sequence[rooms.host_answers.SegmentPrompt]] = Shape(many="segments")


def _by_number(values: Mapping[int, float]) -> dict[str, float]:
    return {str(number): round(value, 4) for number, value in values.items()}


_SHARES: dict[str, Any] = {
    "recall": ("dict[str, float]", lambda result: _by_number(result.recall)),
    "in_context": ("dict[str, float]", lambda result: _by_number(result.held)),
}
question: Shape[rooms.evaluation.QuestionResult] = Shape(
    "question line expected recall in_context confidence misses", **_SHARES
)
evaluated: Shape[rooms.evaluation.Evaluated] = Shape(
    "path recall mrr ndcg@10=ndcg in_context kept_out questions",
    fresh=True,
    **_SHARES,
    kept_out=("dict[str, int]", lambda results: {"ids": results.kept_out[1], "kept": results.kept_out[0]}),
)

# Review, history and blame.

_MOST_FILES = 20  # of a commit: the first of all may hold every note


class Side(NamedTuple):
    """One value of a conflict."""

    number: int
    facts: tuple[tuple[str, Fact], ...]


class ItemShown(NamedTuple):
    """What waits, and the files that it would change."""

    item: rooms.queue.ReviewItem
    files: Sequence[rooms.file_history.FileDiff] = ()


class DifferencesShown(NamedTuple):
    """What would change if something were approved; what it rests on is for the owner."""

    differences: tuple[ItemShown, ...]
    details: rooms.details.Details | None = None


side: Shape[Side] = Shape(
    "number value facts",
    value=(str, lambda side: side.facts[0][1].value),
    facts=([_fact], lambda side: _pairs(side.facts)),
)
waiting_item: Shape[rooms.queue.ReviewItem] = Shape(
    "id kind what why run path confidence source box entity field value since now digest evidence values",
    evidence=("list[str]", lambda item: item.change.evidence if item.change else []),
    values=(
        "list[Side]",
        lambda item: [Side(*side) for side in enumerate(item.conflict.sides if item.conflict else (), 1)],
    ),
)
waiting: Shape[Iterable[rooms.queue.ReviewItem]] = Shape(many="waiting")

line: Shape[rooms.word_diff.DiffLine] = Shape("line=number pieces")
file: Shape[rooms.file_history.FileDiff] = Shape(
    "path title hunks",
    hunks=("list[list[dict[str, Any]]]", lambda file: rooms.word_diff.word_diff(file.before, file.after)),
)
item_with_files: Shape[ItemShown] = Shape("*item files")
differences: Shape[Iterable[ItemShown]] = Shape(many="differences")
review_item: Shape[DifferencesShown] = Shape()
_held_fact: Shape[FactShown] = Shape("fact.value fact.since fact.until fact.source fact.id path fact.line")
_rival: Shape[rooms.queue.ReviewItem] = Shape("id value why")
details: Shape[rooms.details.Details] = Shape(
    "many holds before rivals said",
    holds=([_held_fact], lambda details: _pairs(details.holds)),
    before=([_held_fact], lambda details: _pairs(details.before)),
    rivals=[_rival],
)


rewrite: Shape[rooms.edit.NoteRewrite] = Shape(
    "id path digest files problems written notice",
    files=(
        "list[rooms.file_history.FileDiff]",
        lambda text: [rooms.file_history.FileDiff(text.path, text.before, text.after)],
    ),
)
decided: Shape[Iterable[rooms.decide.ReviewDecision]] = Shape(many="decided")
ticked: Shape[rooms.decide.TickedFacts] = Shape("approve=approved reject=rejected unclear")
commit: Shape[rooms.file_history.Logged] = Shape(
    "commit when author subject kind run source files more_files",
    source=(str, lambda commit: commit.trailers.get("Source", "")),
    files=("list[str]", lambda commit: commit.files[:_MOST_FILES]),
    more_files=(int, lambda commit: max(0, len(commit.files) - _MOST_FILES)),
)
history: Shape[rooms.file_history.CommitList] = Shape("commits next notice")
change_made: Shape[rooms.file_history.CommitShown] = Shape("commit commit.body files more notice")
approved: Shape[rooms.decisions.Decision] = Shape("by at")
blame: Shape[rooms.file_history.Blame] = Shape(
    "*fact commit approved sources notice", fact=(_fact, lambda blame: FactShown(blame.path, blame.fact))
)

# Skills.

skill_outcome: Shape[rooms.listing.RunOutcome] = Shape()
skill_outcomes: Shape[rooms.listing.Outcomes] = Shape(
    "runs succeeded rate degraded last_failure stopped", runs=(int, lambda outcomes: len(outcomes.telling))
)
skill: Shape[rooms.listing.ListedSkill] = Shape(
    "name state skill.skill.description skill.path skill.digest version outcomes"
)
skills: Shape[Iterable[rooms.listing.ListedSkill]] = Shape(many="skills")
shown: Shape[rooms.listing.LintedSkill] = Shape(
    "*listed listed.skill.skill.triggers parameters=listed.skill.asked listed.skill.tools files=listed.digests problems listed.skill.text"
)
skill_decided: Shape[rooms.approve.SkillDecision] = Shape()
host_skills: Shape[rooms.host_skills.HostSkills] = Shape()


class SkillMatches(NamedTuple):
    """The skills that fit a request, each with the words that made it."""

    request: str
    skills: Sequence[rooms.listing.SkillOffer]


linted: Shape[Iterable[Problem]] = Shape(
    "sound problems",
    sound=(bool, lambda problems: not problems),
    problems=("list[Problem]", lambda problems: problems),
)
skill_why: Shape[rooms.listing.SkillMatch] = Shape("terms matched")
offer: Shape[rooms.listing.SkillOffer] = Shape(
    "match.skill.name match.skill.path match.score state offered reason=why outcomes instead why=match"
)
matches: Shape[SkillMatches] = Shape()
value: Shape[rooms.run.ParameterValue] = Shape("name value source")
skill_run: Shape[rooms.run.SkillRun] = Shape()


# The shapes that a function of more than one value tells.
AnswerShape = Shape[Any] | Callable[..., JsonObject]
SHAPES_OF: Mapping[Callable[..., JsonObject], tuple[Shape[Any], ...]] = {
    recall: (_recall, _traced_recall),
    facts: (_facts,),
    views: (_views, _views_with_text),
}


# Which shape tells what a verb answers.


def shape_of(method: Callable[..., Any]) -> Shape[Any]:
    """The shape of the type that a method answers with."""
    return SHAPES[re.sub(r"^\w+(?=\[)", "Iterable", _bare(method.__annotations__["return"]))]


def _bare(annotation: str) -> str:
    """A type without the modules that its names are of."""
    return re.sub(r"\b\w+\.", "", annotation)


SHAPES: dict[str, Shape[Any]] = {
    _bare(text.removeprefix("Shape[").removesuffix("]")): globals()[name]
    for name, text in __annotations__.items()
    if text.startswith("Shape[") and not name.startswith("_")
}
