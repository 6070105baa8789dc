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

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from types import MappingProxyType
from typing import Any

from memoryclaw.consolidation.actions import (
    ACTIONS,
    Action,
    AddStatement,
    MoveFile,
    NewFile,
    Stands,
    TickTodo,
    patch_together,
)
from memoryclaw.errors import InputError, NotFoundError, OvertakenError
from memoryclaw.late import NamedTuple
from memoryclaw.model import Problem, Turn
from memoryclaw.talk.orders import Wish
from memoryclaw.talk.statements import Statement
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.encoding import json_object, json_value, readable, text_in, texts_in
from memoryclaw.text.frontmatter import split
from memoryclaw.text.prompts import one_line
from memoryclaw.text.yaml_text import scalar
from memoryclaw.vault.audience import Label
from memoryclaw.vault.layout import safe_path, slug
from memoryclaw.vault.logs import LogRange, parse_ranges
from memoryclaw.vault.properties import text_of
from memoryclaw.writing.decisions import fingerprint

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
        together = tuple(group)
        after = patch_together(together, collections, text)
        refusals = (action.refusal(text, after, collections) for action in together)
        if as_planned and (refusal := next(filter(None, refusals), "")):
            raise OvertakenError(refusal)
        text = after
    return text


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
            text_in(call.get("session")),
            text_in(call.get("range")),
            texts_in(call.get("tools")),
            text_in(call.get("project")),
            text_in(call.get("day")),
        )
        for call in _rows(value, "acted")
    ]
    episodes = value.get("episodes")
    noted: Mapping[Any, Any] = episodes if isinstance(episodes, dict) else {}
    sources = {id_: source for id_, source in noted.items() if isinstance(source, str)}
    worth = {
        (text_in(row.get("entity")), text_in(row.get("field")), text_in(row.get("value"))): text_in(
            row.get("worth")
        )
        for row in _rows(value, "decided")
        if row.get("worth")
    }
    run, moment, reason = (text_in(value.get(key)) for key in ("run", "at", "held"))
    wishes = tuple(
        Wish(*(text_in(row.get(key)) for key in Wish._fields))
        for row in _rows(value, "wishes")
        if parse_timestamp(text_in(row.get("at")))
    )
    return RunRecord(run, moment, ranges, sequences, sources, reason, worth, wishes)


def _rows(value: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    rows = value.get(key)
    return (row for row in (rows if isinstance(rows, list) else ()) if isinstance(row, dict))


# `review/<kind>-<hex>.md`: a planned change as a note that a person reads, edits, ticks; and back to the same change.
# Whatever a proposal says, only the actions that it spells out are read from it, and only on the paths that such actions may touch;
# nothing in it can approve it.

FOLDER = "review/"
APPROVE, REJECT, BOTH = "approve", "reject", "both"

_BY_HEADING: Mapping[str, type[Action]] = {action.heading: action for action in ACTIONS}
_SPELT = {"path": "file", "many": "several values", "fact": "id"}
_FLAGS = frozenset({"many"})  # written as yes or no
_LISTS = frozenset({"replaces", "merged", "lines"})  # written as JSON: an id or a line may hold a space
_MEANT = {spelt: name for name, spelt in _SPELT.items()}
_HINT = "fix it, or remove the file: git keeps it"
_HOW = (
    "Tick one box and run `memoryclaw review apply`, or run `memoryclaw review approve {id}`.\n"
    "Approving does what is listed below; change it where it is wrong."
)
_BOX = re.compile(r"[ \t]*[-*+][ \t]+\[(.)\][ \t]+(approve|reject)\b", re.IGNORECASE)
_FIELD = re.compile(r"[ \t]*[-*+][ \t]+([a-z_ ]{1,40}):(?:[ \t]++(.*))?")
_FENCE = re.compile(r"(~{3,})(markdown|json)?[ \t]*")
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_WILD = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NOT_PLAIN_TEXT = re.compile("[\x00\r\ud800-\udfff]|(?<!\n)\\Z")


class About(NamedTuple):
    """What a proposal says of itself: its id, the run it came from, the box that a person ticked, what it is known by again."""

    id: str
    run: str
    box: str = ""  # "" | approve | reject | both
    fingerprint: str = ""


class _Part(NamedTuple):
    """One heading of a proposal with the fields below it, and the text of its fence."""

    heading: str
    line: int
    fields: dict[str, str]
    text: str | None = None


class _Broken(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.problem = Problem("", line, message, _HINT)


def proposal(change: PlannedChange, run: str) -> tuple[str, str]:
    """Path and text of the note that asks a person for this change; the same change has the same path in every run."""
    kind = slug(change.kind)
    known_by = fingerprint_of(change)
    id_ = f"{kind}-{known_by[:8]}"
    header = {
        "id": id_, "kind": kind, "title": change.title, "run": run, "source": change.source,
        "confidence": change.confidence, "makes": change.id, "fingerprint": known_by,
    }  # fmt: skip
    lines = [
        "---",
        *(f"{key}: {scalar(line)}" for key, value in header.items() if (line := one_line(value))),
        "---",
    ]
    lines += [f"# {one_line(change.title)}", ""]
    lines += [f"Waits: {one_line(change.reason)}", ""] if one_line(change.reason) else []
    quotes = [f"> {quote}" for line in change.evidence if (quote := one_line(line))]
    lines += [*quotes, ""] if quotes else []
    lines += ["- [ ] approve", "- [ ] reject", "", _HOW.format(id=id_)]
    for action in change.actions:
        if not isinstance(action, Stands):
            lines += ["", *_action_lines(action)]
    return f"{FOLDER}{id_}.md", "\n".join(lines) + "\n"


def fingerprint_of(change: PlannedChange) -> str:
    """What a proposal is known by again, from whichever run it comes."""
    if change.kind == "fact" and len(change.actions) == 1 and change.actions[0].fingerprint:
        return change.actions[0].fingerprint
    return fingerprint(change.kind, *(name for action in change.actions for name in action.identity))


def about(text: str, path: str) -> About:
    """What the proposal in this file says of itself; its id is the name of its file."""
    note = split(readable(text))
    ticked = {
        hit[2].lower()
        for line in _head(note.body.split("\n"))
        if (hit := _BOX.match(line)) and hit[1] in "xX"
    }
    box = BOTH if len(ticked) == 2 else next(iter(ticked), "")
    known_by = text_of(note.meta.get("fingerprint"))
    return About(
        id=path.rpartition("/")[2].removesuffix(".md"),
        run=text_of(note.meta.get("run")),
        box=box,
        fingerprint=known_by if _FINGERPRINT.fullmatch(known_by) else "",
    )


def read_proposal(text: str) -> PlannedChange | Problem:
    """The change that a proposal asks for, with what a person changed in it; a Problem when it cannot be done as it stands."""
    note = split(readable(text))
    meta, lines = note.meta, note.body.split("\n")
    try:
        actions = tuple(_action(section) for section in _parts(lines, note.body_line))
    except _Broken as broken:
        return broken.problem
    if not actions:
        return Problem("", 1, "this proposal does not say what is to be done", _HINT)
    head = list(_head(lines))
    return PlannedChange(
        kind=text_of(meta.get("kind")) or "note",
        title=text_of(meta.get("title")) or next((line[2:] for line in head if line.startswith("# ")), ""),
        actions=actions,
        evidence=tuple(line[2:] for line in head if line.startswith("> ")),
        source=" ".join(map(str, parse_ranges(text_of(meta.get("source"))))),
        confidence=level if (level := text_of(meta.get("confidence"))) in LEVELS else "",
        reason=next((line[7:] for line in head if line.startswith("Waits: ")), ""),
        id=text_of(meta.get("makes")),
    )


def _action_lines(action: Action) -> Iterator[str]:
    yield f"## {action.heading}"
    yield ""
    values = action.values()
    text = values.pop("text", None)
    for name, value in values.items():
        if value or name not in action.optional():
            written = _list(value) if name in _LISTS else _field(value)
            yield f"- {_SPELT.get(name, name)}: {written}".rstrip(" ")
    if text is not None:
        yield ""
        yield from _fence(text)


def _field(value: str | bool | tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(value)
    plain = value == value.strip() and not value.startswith('"') and not _WILD.search(value)
    return value if plain else json.dumps(value, ensure_ascii=bool(_WILD.search(value)))


def _fence(text: str) -> Iterator[str]:
    """A text as it is in a fence that it cannot close; one that a file of lines cannot hold exactly, as JSON."""
    if _NOT_PLAIN_TEXT.search(text):
        yield "~~~json"
        yield json.dumps(text)
        yield "~~~"
        return
    fence = "~" * max([3, *(len(run) + 1 for run in re.findall("~+", text))])
    yield f"{fence}markdown"
    yield text.removesuffix("\n")
    yield fence


def _head(lines: list[str]) -> Iterator[str]:
    """The lines above the first action: those for people, with the boxes."""
    for line in lines:
        if line.startswith("## "):
            return
        yield line


def _parts(lines: list[str], first: int) -> Iterator[_Part]:
    """The headings with what stands below them; a fence ends only at its own length."""
    piece: _Part | None = None
    row = 0
    while row < len(lines):
        line = lines[row]
        if line.startswith("## "):
            if piece:
                yield piece
            piece = _Part(line[3:].strip(), first + row, {})
        elif piece and (fence := _FENCE.fullmatch(line)):
            end = next((n for n in range(row + 1, len(lines)) if _closes(lines[n], fence[1])), 0)
            if not end:
                raise _Broken(first + row, "the fence that begins here is never closed")
            if piece.text is not None:
                raise _Broken(first + row, "there are two texts for one file")
            inside = "\n".join(lines[row + 1 : end]) + "\n"
            piece = piece._replace(
                text=_text_from_json(inside, first + row) if fence[2] == "json" else inside
            )
            row = end
        elif piece and (field := _FIELD.fullmatch(line.rstrip(" \t"))):
            piece.fields.setdefault(_MEANT.get(field[1], field[1]), _read_value(field[2] or ""))
        row += 1
    if piece:
        yield piece


def _closes(line: str, fence: str) -> bool:
    bare = line.rstrip(" \t")
    return bare.startswith(fence) and not bare.strip("~")


def _text_from_json(inside: str, line: int) -> str:
    value = json_value(inside)
    if not isinstance(value, str):
        raise _Broken(line, "this is not a text in JSON")
    return value


def _read_value(written: str) -> str:
    value = json_value(written) if written.startswith('"') else None
    return value if isinstance(value, str) else written


def _list(ids: tuple[str, ...]) -> str:
    return json.dumps(ids, ensure_ascii=any(map(_WILD.search, ids)))


def _action(section: _Part) -> Action:
    kind = _BY_HEADING.get(section.heading)
    if kind is None:
        raise _Broken(section.line, f"a proposal has no action {one_line(section.heading)!r}")
    names = kind.names()
    values: dict[str, Any] = {name: section.fields[name] for name in names if name in section.fields}
    if "text" in names and section.text is not None:
        values["text"] = section.text
    values |= {name: values[name] == "yes" for name in _FLAGS & values.keys()}
    if "ranges" in values:
        values["ranges"] = tuple(map(str, parse_ranges(str(values["ranges"]))))
    for name in _LISTS & values.keys():
        value = json_value(str(values[name]))
        if not isinstance(value, list) or not all(isinstance(id_, str) for id_ in value):
            raise _Broken(section.line, "this is not a list of ids in JSON")
        values[name] = tuple(value)
    missing = [name for name in names if name not in values and name not in kind.optional()]
    if missing:
        raise _Broken(section.line, f"this lacks its {_SPELT.get(missing[0], missing[0])}")
    action = kind(**values)
    try:
        for path in action.paths:
            safe_path(path)
    except InputError as error:
        raise _Broken(section.line, str(error)) from None
    if not action.may_be_proposed():
        raise _Broken(section.line, f"a proposal may not touch {' or '.join(action.paths)} like this")
    return action
