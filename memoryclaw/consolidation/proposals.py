"""`review/<kind>-<hex>.md`: a planned change as a note that a person reads, edits, ticks; and back to the same change.

Whatever a proposal says, only the actions that it spells out are read from it, and only on the paths that such
actions may touch; nothing in it can approve it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memoryclaw.consolidation.actions import ACTIONS, Action, Stands
from memoryclaw.consolidation.changes import LEVELS, PlannedChange
from memoryclaw.errors import InputError
from memoryclaw.model import Problem
from memoryclaw.text.encoding import json_value, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.prompts import one_line
from memoryclaw.text.yaml_text import scalar
from memoryclaw.vault.layout import safe_path, slug
from memoryclaw.vault.logs import parse_ranges
from memoryclaw.vault.properties import text_of
from memoryclaw.writing.decisions import fingerprint

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
            piece = piece._replace(text=_from_json(inside, first + row) if fence[2] == "json" else inside)
            row = end
        elif piece and (field := _FIELD.fullmatch(line.rstrip(" \t"))):
            piece.fields.setdefault(_MEANT.get(field[1], field[1]), _read_value(field[2] or ""))
        row += 1
    if piece:
        yield piece


def _closes(line: str, fence: str) -> bool:
    bare = line.rstrip(" \t")
    return bare.startswith(fence) and not bare.strip("~")


def _from_json(inside: str, line: int) -> str:
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
