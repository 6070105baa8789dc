"""To-dos: `- [ ]`, `- [x]` and `- TODO` lines of any note, with the dates and marks of Obsidian Tasks and Dataview; read and ticked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from datetime import date

from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.text.encoding import lines_of
from memoryclaw.text.language import fold
from memoryclaw.text.memory_lines import ITEM, LineField, line_fields, read_line, without

_BOXES = {"[ ]": "open", "[/]": "open", "[x]": "done", "[X]": "done", "[-]": "cancelled"}
# The words of Logseq and of Org, which stand where a box would.
_WORDS = {
    **dict.fromkeys(("TODO", "DOING", "NOW", "LATER", "WAITING", "WAIT", "IN-PROGRESS"), "open"),
    "DONE": "done", **dict.fromkeys(("CANCELED", "CANCELLED"), "cancelled"),
}  # fmt: skip
_MAY_BE = re.compile(rf"\] |{'|'.join(_WORDS)}")
_LINE = re.compile(rf"^([ \t>]*{ITEM}[ \t]*)(\[[ xX/-]\]|(?:{'|'.join(_WORDS)})(?=[ \t]))(?:[ \t]+(.*))?$")
_PRIORITY = re.compile(r"^\[#[ABC]\][ \t]*")
# `DEADLINE: <2026-12-01 Tue .+1w>`, on the line of its to-do or on one just below.
_PLANNED = re.compile(r"\b(DEADLINE|SCHEDULED):[ \t]*<(\d{4}-\d\d-\d\d)((?:[ \t][^<>\n]*)?)>")
_REPEATS = re.compile(r"[.+]?\+\d+[hdwmy]")
_PLANS = {"DEADLINE": "due", "SCHEDULED": "scheduled"}
_DAY = r"\d{4}-\d\d-\d\d"
# The marks of Obsidian Tasks; a mark that nothing fitting follows is text.
_MARKS = {
    "due": "📅📆🗓",
    "scheduled": "⏳⌛",
    "start": "🛫",
    "created": "➕",
    "finished": "✅",
    "cancelled": "❌",
}
_EMOJI = "|".join(rf"[{signs}]\ufe0f?[ ]*(?P<{name}>{_DAY})" for name, signs in _MARKS.items())
_OTHER = (
    r"🔁\ufe0f?[ ]*(?P<repeat>[a-zA-Z0-9, !]+)|[🔺⏫🔼🔽⏬]\ufe0f?"
    r"|🆔\ufe0f?[ ]*[\w-]+|⛔\ufe0f?[ ]*[\w-]+(?:[ ]*,[ ]*[\w-]+)*|🏁\ufe0f?[ ]*\w+"
)
_SIGNIFIER = re.compile(f"{_EMOJI}|{_OTHER}")
# The same as Dataview writes them.
_KEYS = {
    "due": "due", "scheduled": "scheduled", "start": "start", "created": "", "completion": "finished",
    "cancelled": "cancelled", "priority": "", "repeat": "repeat", "id": "", "dependson": "", "oncompletion": "",
}  # fmt: skip


class Todo(NamedTuple):
    """A to-do as its line says it; days are ISO dates, empty where it names none."""

    status: str  # open | done | cancelled
    text: str  # without dates, marks and block id
    due: str = ""
    scheduled: str = ""
    start: str = ""
    finished: str = ""
    repeat: str = ""  # the rule by which it comes again
    block: str = ""  # the block id of its line

    @property
    def days(self) -> str:
        """The days that it belongs to, in order: when it is due, and when it is to be worked on."""
        return " ".join(sorted({day for day in (self.due, self.scheduled) if day}))


def may_hold_todos(text: str) -> bool:
    """False for a text without a box and without a word for one."""
    return _MAY_BE.search(text) is not None


def read_todo(line: str) -> Todo | None:
    """Reads a line with a box or a word for one; None for any other, and where no text stands behind it."""
    hit = _LINE.match(line)
    if hit is None or not (hit[3] or "").strip():
        return None
    line_read, fields = read_line(hit[3]), dict[str, str]()
    remaining = line_read.body
    if "<" in remaining:
        remaining = _PLANNED.sub(lambda plan: _plan(plan, fields), remaining)
    remaining = _SIGNIFIER.sub(lambda mark: _taken(mark, fields), _PRIORITY.sub("", remaining))
    marks = _dataview(remaining)
    fields |= {_KEYS[mark.key.lower()]: mark.value.strip() for mark in marks}
    remaining = without(remaining, marks, " ")
    text = " ".join(remaining.split())
    if not text:
        return None
    days = {name: fields.get(name, "") for name in ("due", "scheduled", "start", "finished")}
    return Todo(
        (_BOXES | _WORDS)[hit[2]],
        text,
        **{name: day if _is_day(day) else "" for name, day in days.items()},
        repeat=fields.get("repeat", "").strip(),
        block=line_read.block,
    )


def planned_below(lines: Sequence[str]) -> str:
    """The deadline and the schedule that lines just below a to-do say, as they would stand on its own."""
    plans: list[str] = []
    for line in lines:
        hits = list(_PLANNED.finditer(line))
        if not hits or _PLANNED.sub("", line).strip():
            break
        plans += [hit[0] for hit in hits]
    return " ".join(plans)


def _plan(plan: re.Match[str], fields: dict[str, str]) -> str:
    fields[_PLANS[plan[1]]] = plan[2]
    if again := _REPEATS.search(plan[3]):
        fields["repeat"] = again[0]
    return " "


def _taken(mark: re.Match[str], fields: dict[str, str]) -> str:
    fields.update({name: value for name, value in mark.groupdict().items() if value})
    return " "


def _dataview(line: str) -> list[LineField]:
    """The marks of a to-do as Dataview writes them."""
    fields = line_fields(line, "[A-Za-z]+")
    return [field for field in fields if field.key.lower() in _KEYS and "[" not in field.value]


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def todo_id(note_id: str, todo: Todo) -> str:
    """`notes/boat#^l13` by the block id of its line, else `notes/boat#todo-1a2b3c4d` by its words: ticking it changes neither."""
    if todo.block:
        return f"{note_id}#^{todo.block}"
    words = " ".join(fold(todo.text).split())
    digest = hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{note_id}#todo-{digest}"


# Patches of one line.


def with_tick(line: str, *, done: bool, today: str) -> str:
    """The line with its box ticked or open again. The day stands on it only where it has other dates by emoji."""
    todo = read_todo(line)
    if todo is None:
        raise InputError("this line is no longer a to-do")
    if (todo.status == "done") if done else (todo.status == "open"):
        return line
    if done and todo.repeat:
        raise InputError(
            f"{todo.text[:60]!r} comes again ({todo.repeat}); tick it in Obsidian, which writes the next one"
        )
    box = _LINE.match(line)
    assert box is not None  # noqa: S101 - it was read as a to-do
    mark = ("[x]" if done else "[ ]") if box[2] in _BOXES else ("DONE" if done else "TODO")
    line = line[: box.end(1)] + mark + line[box.end(2) :]
    finished = next((hit for hit in _SIGNIFIER.finditer(line) if hit["finished"]), None)
    line = _replace(line, *finished.span(), "") if finished else line
    return _append(line, f"✅ {today}") if done and _by_emoji(line) else line


def with_due(line: str, day: str) -> str:
    """The line with another day on which it is due, in its own style; an empty day takes it away."""
    if day and not _is_day(day):
        raise InputError(f"due: {day[:40]!r} is not a day; write it as 2026-04-30")
    hits = [hit for hit in _SIGNIFIER.finditer(line) if hit["due"]]
    marks = _dataview(line)
    if hits:
        return _replace(line, *hits[-1].span(), hits[-1][0].replace(hits[-1]["due"], day) if day else "")
    if due := [mark for mark in marks if mark.key.lower() == "due"]:
        start, end, value_start = due[-1][2:]
        return _replace(line, start, end, day and f"{line[start:value_start]}{day}{line[end - 1]}")
    if not day:
        return line
    return _append(line, f"[due:: {day}]" if marks and not _by_emoji(line) else f"📅 {day}")


def _by_emoji(line: str) -> bool:
    return any(any(hit[name] for name in _MARKS) for hit in _SIGNIFIER.finditer(line))


def _replace(line: str, start: int, end: int, text: str) -> str:
    before, after = line[:start], line[end:]
    return f"{before}{text}{after}" if text else f"{before.rstrip(' ')}{after}"


def _append(line: str, text: str) -> str:
    return read_line(line).plus(f" {text}")


def patch_line(
    text: str, place: int, change: Callable[[str], str], is_same: Callable[[Todo], bool]
) -> Sequence[str]:
    """The lines of a text, as `lines_of` gives them, with the to-do on line `place` (from 1), or else the only other one that is the same, changed."""
    lines = list(lines_of(text))
    places = [n for n, line in enumerate(lines) if (todo := read_todo(line.rstrip("\r\n"))) and is_same(todo)]
    n = place - 1 if place - 1 in places else places[0] if len(places) == 1 else -1
    if n < 0:
        raise InputError("the line of this to-do is not there any more; look at it again")
    bare = lines[n].rstrip("\r\n")
    lines[n] = change(bare) + lines[n][len(bare) :]
    return lines
