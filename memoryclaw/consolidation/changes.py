"""The data of consolidation: what is read out of a log, what is decided of it, and the change set that results.

segment     consecutive turns of one log that belong together
claim       one fact that a log line states, with the words that state it
extraction  what rules or a model read in a segment
decision    what becomes of a claim, and why
change      the actions (see `actions`) that become one commit
change set  all that one run would do

A change set is written down twice: as the plan from which a killed run goes on, and as the record of the run, `runs/<run>.json`.
The record names no commits, so that a run that was killed and run again leaves the tree of an undisturbed run.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import groupby
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from memoryclaw.consolidation.actions import (
    ACTIONS,
    Action,
    AddStatement,
    MoveFile,
    NewFile,
    TickTodo,
    patch_together,
)
from memoryclaw.errors import InputError, NotFoundError, OvertakenError
from memoryclaw.model import Turn
from memoryclaw.talk.statements import Statement
from memoryclaw.talk.wishes import Wish
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.encoding import json_object, texts_in
from memoryclaw.vault.audience import Label
from memoryclaw.vault.logs import LogRange, parse_ranges

LEVELS = ("low", "medium", "high")  # of confidence
RUNS = "runs"
SPEAKERS = frozenset({"user", "assistant"})  # roles whose lines are read in full
_SURROGATE = re.compile("[\ud800-\udfff]")


Place = tuple[str, str, str, str]  # file, entity, field and value of what stands


class Segment(NamedTuple):
    """Consecutive turns of one log that belong together."""

    range: LogRange
    turns: tuple[Turn, ...]
    company: frozenset[str] = frozenset()  # who had spoken in its session, where no assistant had

    @property
    def label(self) -> Label:
        """That of its turns, which is the same for all."""
        return Label(self.turns[0].audience, self.turns[0].export)

    @property
    def audience(self) -> str:
        """Whom its turns are for; empty without a label."""
        return self.label.audience


class Quote(NamedTuple):
    """Words of one line of a log, as they stand there."""

    line: int
    who: str  # the speaker's name, else the role
    text: str
    box: str = ""  # of a to-do: open, done or off
    ticks: tuple[TickTodo, ...] = ()  # the earlier to-dos that it ends
    due: str = ""  # of a to-do: ISO date
    answer: int = 0  # the line of the assistant's words that are quoted in it


# How a fact is told that somebody says is wrong, or wants to be forgotten; how one waits that later words may have changed.
DENIED, UNWANTED, OVERTAKEN = "denied", "unwanted", "overtaken"
RENEWAL = "renewal"  # how words are told that are kept only where they say anew what stands


class Claim(NamedTuple):
    """One fact that a line of a log states, or a statement: then `field` is empty and `value` holds its words."""

    entity: str
    field: str
    value: str
    line: int  # of the log
    quote: str  # words of that line
    role: str  # who stated it: user | assistant | tool | …
    said: str  # ISO date of the statement, from the log's own clock; empty when the log has none
    since: str = ""  # ISO date from which it holds, where the words say so
    confidence: str = "high"  # one of LEVELS
    durable: bool = True  # False: true for the moment only
    by: str = "rules"  # rules, or the model that read it
    words: str = ""  # the speaker's own words, as a statement keeps them
    how: str = ""  # role | noun | verb | contact | prefers | said | renewal | end (it holds no longer): how it was told, where rules read it
    many: bool = False  # its field has several values side by side
    change: bool = False  # it was said with a sign that something known changed
    content: tuple[str, ...] = ()  # the words of the statement that carry its subject
    speaker: str = ""
    person: bool = False  # its entity speaks, or was introduced as somebody
    stressed: bool = False  # a person asked to remember it
    salient: int = 0  # of a topic that matters (1), or that is to be ignored (-1)
    worth: str = ""  # what makes it worth having: its largest features, where they were weighed
    cue: str = ""  # why it waits for a person: a later turn says that it is wrong
    scope: str = ""  # `project:<name>`: it holds where it was said
    day: str = ""  # ISO date that its words name, by a model
    replaces: str = ""  # the id or the value of what it takes the place of
    unnamed: bool = False  # its entity is named nowhere in the talk, and a model says that it is meant
    search_words: tuple[str, ...] = ()  # to find it by, which nobody said

    @property
    def is_statement(self) -> bool:
        """True for words that are kept as they were said, for entity or field cannot be told."""
        return not self.field


class Extraction(NamedTuple):
    """What rules or a model read in a segment."""

    title: str
    summary: str
    tags: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    points: tuple[Quote, ...] = ()  # the body: what was said that is worth keeping, in order
    claims: tuple[Claim, ...] = ()
    confidence: str = "medium"
    by: str = "rules"
    degraded: str = ""  # why a model that was asked did not answer
    dropped: tuple[str, ...] = ()  # what a model claimed and could not prove, one sentence each
    statements: tuple[Statement, ...] = ()  # all that people said, whatever becomes of it


class ClaimDecision(NamedTuple):
    """What becomes of a claim."""

    claim: Claim
    action: str  # add | state | confirm | supersede | end | doubt | pending | drop
    reason: str  # one sentence for people
    path: str = ""  # the semantic file
    fact: str = ""  # id of the known fact that is confirmed or superseded
    known: str = ""  # its value
    many: bool = False
    since: str = ""  # the date the fact gets
    replaces: tuple[str, ...] = ()  # ids of the statements that a new one is tied to
    outdated: tuple[Place, ...] = ()  # what stands beside and holds no longer
    doubted: tuple[Place, ...] = ()  # what may hold no longer
    was: str = ""  # the value before the known one, where the known one dates from what is read here
    audience: str = ""  # whom the known fact is for; empty without a label
    basis: str = ""  # what the file of the fact says, where that is replaced
    instead: str = ""  # the one of several values that it takes the place of


class PlannedChange(NamedTuple):
    """What becomes one commit."""

    kind: str  # episode | fact | pending | skill | merge
    title: str  # the subject of the commit, as a person would say it
    actions: tuple[Action, ...]
    evidence: tuple[str, ...] = ()  # lines for the body of the commit: `Nora: "…"`
    source: str = ""  # range or ranges, joined by a space
    confidence: str = ""
    reason: str = ""  # why it is proposed and not done; empty where it may be done
    id: str = ""  # of the episode, fact or skill that it makes
    audience: str = ""  # whom its words are for; empty without a label


class Skipped(NamedTuple):
    """Lines that yield nothing, and why."""

    range: str
    turns: int
    reason: str


class ToolSequence(NamedTuple):
    """What one stretch of a session did, in order: commands behind `$`, and names of other tools; mining counts these."""

    session: str
    range: str
    tools: tuple[str, ...]
    project: str = ""
    day: str = ""  # ISO


class ChangeSet(NamedTuple):
    """Everything that one consolidation would do. Nothing of it is written yet."""

    run: str
    ranges: tuple[str, ...] = ()  # every line that was read
    changes: tuple[PlannedChange, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    decided: tuple[ClaimDecision, ...] = ()
    acted: tuple[ToolSequence, ...] = ()
    wishes: tuple[Wish, ...] = ()  # given beside a piece of work
    models: tuple[str, ...] = ()  # what read the logs: rules, ollama/…
    degraded: str = ""
    dropped: tuple[str, ...] = ()
    turns: int = 0
    notices: tuple[str, ...] = ()
    held: str = ""  # why all of it waits for a person, though it could be done


# A planned change as patches of text, one a file

Patch = Callable[[str | None], str | None]  # of a file's text; None: there is no such file


def rewrites(
    change: PlannedChange, collections: frozenset[str], *, as_planned: bool = False
) -> dict[str, Patch]:
    """The patches of a change by their file, in the order of its actions; moves are left out.

    Args:
        change: what is to be done.
        collections: the headings that are no entities (`collections:` of the schema).
        as_planned: a patch raises OvertakenError where the file is no longer what it was when the change was planned.
    """
    by_path: dict[str, list[Action]] = {}
    for action in change.actions:
        if as_planned or not isinstance(action, MoveFile):
            by_path.setdefault(action.paths[0], []).append(action)
    return {
        path: partial(_patch, tuple(actions), collections, as_planned) for path, actions in by_path.items()
    }


def _patch(
    actions: tuple[Action, ...], collections: frozenset[str], as_planned: bool, text: str | None
) -> str | None:
    for _, group in groupby(actions, key=_together):
        difference = _patch_together(tuple(group), collections, text)
        if as_planned and difference.refusal:
            raise OvertakenError(difference.refusal)
        text = difference.after(text or "")
    return text


class _Difference(NamedTuple):
    """What a patch made of a text: how much it left at either end, and what stands between; None: there is no file."""

    head: int
    tail: int
    between: str | None
    refusal: str  # why it is not to be made, where the text is no longer what it was planned on

    @classmethod
    def of(cls, before: str, after: str | None, refusal: str) -> Self:
        """The difference of two texts."""
        if after is None:
            return cls(0, 0, None, refusal)
        head = _alike(before, after)
        tail = _alike(before[head:][::-1], after[head:][::-1])
        return cls(head, tail, after[head : len(after) - tail], refusal)

    def after(self, before: str) -> str | None:
        """What comes of a text."""
        if self.between is None:
            return None
        return before[: self.head] + self.between + before[len(before) - self.tail :]


def _alike(text: str, beside: str) -> int:
    """How many characters two texts begin with alike."""
    least, most = 0, min(len(text), len(beside))
    while least < most:
        middle = (least + most + 1) // 2
        if text[least:middle] == beside[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _patch_together(
    actions: tuple[Action, ...], collections: frozenset[str], text: str | None
) -> _Difference:
    digest = text if text is None else hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    worked_out = _worked_out(actions, collections, digest)
    if not worked_out:
        after = patch_together(actions, collections, text)
        refusals = (action.refusal(text, after, collections) for action in actions)
        worked_out.append(_Difference.of(text or "", after, next(filter(None, refusals), "")))
    return worked_out[0]


# A run works out its outcome before it writes, so every patch is asked for twice. As texts, those of a large file would fill the memory.
@lru_cache(maxsize=8192)
def _worked_out(
    _actions: tuple[Action, ...], _collections: frozenset[str], _digest: bytes | None
) -> list[_Difference]:
    return []


def _together(action: Action) -> object:
    """What actions have in common that may be done at one go: statements of one speaker and day."""
    if isinstance(action, AddStatement) and not action.replaces:
        return action.entity, action.said, action.audience
    return action


def moves(change: PlannedChange) -> list[MoveFile]:
    """The files that a change moves as they are."""
    return [action for action in change.actions if isinstance(action, MoveFile)]


def parts_of(change: PlannedChange) -> list[PlannedChange]:
    """An episode, then each of its facts alone, as they are made where they cannot be made together; nothing when there is nothing to take apart."""
    new = tuple(action for action in change.actions if isinstance(action, NewFile))
    changing = [action for action in change.actions if not isinstance(action, NewFile)]
    if change.kind != "episode" or not (new and changing):
        return []
    facts = [
        change._replace(kind="fact", title=action.subject or change.title, actions=(action,), id="")
        for action in changing
    ]
    return [change._replace(actions=new), *facts]


def outcome_of(
    changes: Iterable[PlannedChange],
    collections: frozenset[str],
    text_of: Callable[[str], str | None],
    *,
    as_planned: bool = False,
) -> dict[str, tuple[str, str]]:
    """The text before and after of every file that the changes touch; a change that cannot be made is left out.

    Args:
        collections: the headings that are no entities.
        text_of: path → the text that stands there now, None where there is no file.
        as_planned: what no longer fits its file is left out, too, as by a run.
    """
    before: dict[str, str | None] = {}
    after: dict[str, str | None] = {}

    def now(path: str) -> str | None:
        if path not in before:
            before[path] = after[path] = text_of(path)
        return after[path]

    def make(change: PlannedChange) -> bool:
        """Makes a change; False where it cannot be made."""
        try:
            patches = rewrites(change, collections, as_planned=as_planned)
            fresh = {path: patch(now(path)) for path, patch in patches.items()}
        except (InputError, NotFoundError, OvertakenError):
            return False
        for move in moves(change):
            if now(move.path) is not None and now(move.to) is None:
                fresh[move.to], fresh[move.path] = now(move.path), None
        after.update(fresh)
        return True

    for change in changes:
        if not make(change) and as_planned:
            for piece in parts_of(change):
                make(piece)
    return {path: (text or "", after[path] or "") for path, text in before.items()}


# The plan: a change set as JSON and back, so that a killed run is taken up where it stopped

_NOUNS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (ChangeSet, PlannedChange, Skipped, ClaimDecision, Claim, ToolSequence, Wish, *ACTIONS)
}
_KEYS = {"models": "minds"}  # field → its key in JSON, where they differ
_FIELDS = {key: field for field, key in _KEYS.items()}


def write_plan(changes: ChangeSet) -> str:
    """The change set as one line of JSON."""
    return json.dumps(_to_json(changes), ensure_ascii=True)


def read_plan(text: str) -> ChangeSet | None:
    """The change set that a text holds, or None where it holds no whole one."""
    try:
        value = _from_json(json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return value if isinstance(value, ChangeSet) else None


def _to_json(value: Any) -> Any:
    if isinstance(value, Action) or hasattr(value, "_asdict"):
        fields = {**value.values(), "basis": value.basis} if isinstance(value, Action) else value._asdict()
        named = {_KEYS.get(name, name): _to_json(inner) for name, inner in fields.items()}
        return {"": type(value).__name__, **named}
    return [_to_json(element) for element in value] if isinstance(value, tuple) else value


def _from_json(value: Any) -> Any:
    if isinstance(value, dict):
        kind = _NOUNS[value.pop("")]
        return kind(**{str(_FIELDS.get(key, key)): _from_json(inner) for key, inner in value.items()})
    return tuple(_from_json(element) for element in value) if isinstance(value, list) else value


# The run record: what one consolidation read, decided and why


class RunRecord(NamedTuple):
    """A run record, read back: the log ranges it makes done, what its sessions called, and where its episodes come from."""

    run: str
    at: str
    ranges: list[LogRange]
    acted: list[ToolSequence]
    episodes: dict[str, str]  # id → range
    held: str = ""  # why it waits, though it could have been done
    worth: Mapping[tuple[str, str, str], str] = MappingProxyType(
        {}
    )  # by entity, field and value: what spoke for keeping it
    wishes: tuple[Wish, ...] = ()


def record_path(run: str) -> str:
    """The vault path of a run's record."""
    return f"{RUNS}/{run}.json"


def render_record(changes: ChangeSet, proposed: Sequence[str], moment: str, mode: str) -> str:
    """The record of a run as JSON that a person can read.

    Args:
        proposed: the files under `review/` in which some of it waits.
        at: the moment of the run.
        mode: direct, branch or propose.
    """
    episodes = {change.id: change.source for change in changes.changes if change.kind == "episode"}
    record = {
        "run": changes.run,
        "at": moment,
        "mode": mode,
        "turns": changes.turns,
        "ranges": changes.ranges,
        "episodes": episodes,
        "changes": [_change_row(change) for change in changes.changes],
        "proposed": proposed,
        "skipped": [skipped._asdict() for skipped in changes.skipped],
        "decided": [_decision_row(decided) for decided in changes.decided],
        "acted": [{key: value for key, value in acted._asdict().items() if value} for acted in changes.acted],
        **({"wishes": [wish._asdict() for wish in changes.wishes]} if changes.wishes else {}),
        "minds": changes.models,
        "degraded": changes.degraded,
        "dropped": changes.dropped,
        "notices": changes.notices,
        **({"held": changes.held} if changes.held else {}),
    }
    text = json.dumps(record, ensure_ascii=False, indent=2)
    return _SURROGATE.sub(lambda hit: f"\\u{ord(hit[0]):04x}", text) + "\n"


def _change_row(change: PlannedChange) -> dict[str, object]:
    files = dict.fromkeys(path for action in change.actions for path in action.paths)
    row = {"kind": change.kind, "title": change.title, "id": change.id, "files": list(files)}
    optional = {"source": change.source, "confidence": change.confidence, "waits": change.reason}
    return {**row, **{key: value for key, value in optional.items() if value}}


def _decision_row(decided: ClaimDecision) -> dict[str, object]:
    claim = decided.claim
    optional = {
        "known": decided.known,
        "fact": decided.fact,
        "line": claim.line,
        "role": claim.role,
        "by": claim.by,
        "worth": claim.worth,
    }
    return {
        "entity": claim.entity,
        "field": claim.field,
        "value": claim.value,
        "action": decided.action,
        "reason": decided.reason,
        **{key: value for key, value in optional.items() if value},
    }


def read_record(text: str) -> RunRecord:
    """The record in a text; whatever is no record, or a part of one that is none, reads as empty."""
    value = json_object(text)
    ranges = [range_ for cited in texts_in(value.get("ranges")) for range_ in parse_ranges(cited)]
    sequences = [
        ToolSequence(
            _text(call.get("session")),
            _text(call.get("range")),
            texts_in(call.get("tools")),
            _text(call.get("project")),
            _text(call.get("day")),
        )
        for call in _rows(value, "acted")
    ]
    episodes = value.get("episodes")
    noted: Mapping[Any, Any] = episodes if isinstance(episodes, dict) else {}
    sources = {id_: source for id_, source in noted.items() if isinstance(source, str)}
    worth = {
        (_text(row.get("entity")), _text(row.get("field")), _text(row.get("value"))): _text(row.get("worth"))
        for row in _rows(value, "decided")
        if row.get("worth")
    }
    run, moment, reason = (_text(value.get(key)) for key in ("run", "at", "held"))
    wishes = tuple(
        Wish(*(_text(row.get(key)) for key in Wish._fields))
        for row in _rows(value, "wishes")
        if parse_timestamp(_text(row.get("at")))
    )
    return RunRecord(run, moment, ranges, sequences, sources, reason, worth, wishes)


def _rows(value: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    rows = value.get(key)
    return (row for row in (rows if isinstance(rows, list) else ()) if isinstance(row, dict))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
