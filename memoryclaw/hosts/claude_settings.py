"""Our hooks in a host's settings file. The rule: read, shown, backed up, and only then replaced, whole or not at all."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memoryclaw.errors import InputError
from memoryclaw.vault import files

BACKUP = ".memoryclaw-backup"
_BOM = "\ufeff"


class SettingsChange(NamedTuple):
    """What a settings file holds and what it will; None stands for no file."""

    path: str  # the file itself, where a link leads to it
    before: str | None
    after: str | None
    backup: str | None = None  # the text that is kept beside it

    @property
    def changes(self) -> bool:
        """True when there is something to write."""
        return self.before != self.after


def plan_install(path: str, command: str) -> SettingsChange:
    """How the settings would look with our hooks.

    Args:
        path: the settings file.
        command: what the host should run, with `{}` in the place of `hook pre` or `hook post`.
    """
    real = _writable(path)
    before = _text(real)
    bare = _bare(real, before)
    after = _with(bare, command)
    return SettingsChange(real, before, after, bare if after != before else None)


def plan_uninstall(path: str) -> SettingsChange:
    """How the settings would look without our hooks: the very bytes of before where nothing else changed since."""
    real = _writable(path)
    before = _text(real)
    return SettingsChange(real, before, _bare(real, before))


def carry_out(plan: SettingsChange) -> None:
    """Writes what was planned, if the file is still what it was; a backup whose text is in force again goes."""
    folder, name = os.path.split(plan.path)
    kept = name + BACKUP
    if plan.backup is not None:
        files.write_file(folder, kept, plan.backup.encode(), files.digest_at(folder, kept))
    expected = files.digest_of(plan.before.encode()) if plan.before is not None else None
    if plan.after is None:
        files.remove_file(folder, name, expected or "")
        return
    os.makedirs(folder, 0o700, exist_ok=True)
    files.write_file(folder, name, plan.after.encode(), expected)
    if plan.backup is None and _text(plan.path + BACKUP) == plan.after:
        files.remove_file(folder, kept, files.digest_of(plan.after.encode()))


def _bare(real: str, text: str | None) -> str | None:
    """The settings without us: the backup, or no file at all, where putting our hooks in gives what is there now."""
    command = command_in(text.removeprefix(_BOM)) if text and text.removeprefix(_BOM).strip() else ""
    if text is None or not command:
        return text
    for was in (_text(real + BACKUP), None):
        if _gives(was, command, text):
            return was
    return _edited(text, without_hooks(text.removeprefix(_BOM)))


def _gives(was: str | None, command: str, text: str) -> bool:
    try:
        return _with(was, command) == text
    except InputError:
        return False


def _with(text: str | None, command: str) -> str:
    return _edited(text or "", with_hooks((text or "").removeprefix(_BOM), command))


def _edited(old: str, text: str) -> str:
    return _BOM + text if old.startswith(_BOM) else text


def _writable(path: str) -> str:
    """The file itself; InputError when it is one that may not be replaced."""
    real = os.path.realpath(path)
    try:
        info = os.stat(real)
    except FileNotFoundError:
        if os.path.islink(path):
            raise InputError(f"{path} is a link to {real}, which is not there; nothing was changed") from None
        return real
    except OSError as error:
        raise InputError(f"{path} cannot be used ({error.strerror}); nothing was changed") from None
    if not stat.S_ISREG(info.st_mode):
        raise InputError(f"{real} is not a regular file; nothing was changed")
    if not info.st_mode & stat.S_IWUSR or not os.access(real, os.W_OK):
        raise InputError(f"{real} is read-only; make it writable first, nothing was changed")
    return real


def _text(path: str) -> str | None:
    if not os.path.lexists(path):
        return None
    try:
        return files.read_file(*os.path.split(path)).data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; nothing was changed") from None


# ── Our entries in Claude Code's settings.json, put in and taken out. The rule: every byte that is not ours
# stays.

# When Claude Code calls us, with what, and after how many seconds it stops waiting.
EVENTS = (
    ("UserPromptSubmit", "pre", 5),
    ("Stop", "post", 30),
    ("PreCompact", "post", 30),
    ("SessionEnd", "post", 30),
)
_OURS = re.compile(r"(?:\A|[\s/\\'\"])memoryclaw(?:\.exe)?['\"]?\s+hook\s+(?:pre|post)\b")
_VERB = re.compile(r"(?<!\s)\s+hook\s+(?:pre|post)\b")
_EMPTY = "{}\n"


class _HookPlace(NamedTuple):
    """Where one of our commands stands: its event, its group, and its place in the group."""

    event: int
    group: int
    hook: int


def with_hooks(text: str, command: str) -> str:
    """The settings with our hooks, which run `command` with `hook pre` or `hook post` in the place of `{}`.

    Raises:
        InputError: the text cannot be understood, or holds something else where hooks belong.
    """
    text = text if text.strip() else _EMPTY
    _checked(text)
    for event, verb, seconds in EVENTS:
        hook = {"type": "command", "command": command.replace("{}", f"hook {verb}"), "timeout": seconds}
        text = _with_group(text, event, {"hooks": [hook]})
    return text


def without_hooks(text: str) -> str:
    """The settings without any command of ours, and without the groups and lists that held nothing else."""
    _checked(text)
    while found := next(_ours(text), None):
        text = _without(text, found[0])
    return text


def command_in(text: str) -> str:
    """What runs our hooks in these settings, with `{}` in the place of `hook pre` or `hook post`; empty where nothing does."""
    _checked(text)
    return next((_VERB.sub(" {}", command) for _, command in _ours(text)), "")


def _checked(text: str) -> None:
    try:
        value = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"the settings are not valid JSON ({error}); mend the file first, nothing was changed"
        ) from None
    hooks = value.get("hooks", {}) if isinstance(value, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(hooks.get(event[0], []), list) for event in EVENTS):
        raise InputError('the settings hold something else where "hooks" belong; nothing was changed')


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a file in which nothing is said twice: of two the host would follow one, and we might edit the other."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InputError(
            "the settings hold one key twice in the same place; mend the file first, nothing was changed"
        )
    return found


def _with_group(text: str, event: str, group: Mapping[str, Any]) -> str:
    root = text.index("{")
    hooks = member(text, root, "hooks")
    if hooks is None:
        return added(text, root, {event: [group]}, "hooks")
    groups = member(text, hooks.value, event)
    if groups is None:
        return added(text, hooks.value, [group], event)
    return added(text, groups.value, group)


def _ours(text: str) -> Iterator[tuple[_HookPlace, str]]:
    for number, groups in enumerate(json.loads(text).get("hooks", {}).values()):
        for place, group in enumerate(groups if isinstance(groups, list) else []):
            inner = group.get("hooks") if isinstance(group, dict) else None
            for at, hook in enumerate(inner if isinstance(inner, list) else []):
                command = str(hook.get("command")) if isinstance(hook, dict) else ""
                if _OURS.search(command):
                    yield _HookPlace(number, place, at), command


def _without(text: str, found: _HookPlace) -> str:
    """Takes out the largest part that holds nothing but our command."""
    root = text.index("{")
    place = max(n for n, part in enumerate(parts_of(text, root)) if part.key == "hooks")
    at, choices = root, [(root, place)]
    for step in (found.event, found.group):
        at = parts_of(text, at)[place].value
        place = step
        choices.append((at, place))
    group = parts_of(text, at)[place].value
    inner = member(text, group, "hooks")
    if inner is not None:
        choices.append((inner.value, found.hook))
    start, place = choices.pop()
    while choices and len(parts_of(text, start)) == 1:
        start, place = choices.pop()
    return removed(text, start, place)


# ── Edits in a text of JSON that keep every byte they need not change: a member or element put in at the
# end, or taken out.

_SPACE = re.compile(r"[ \t\r\n]*")
_LINE_INDENT = re.compile(r"[ \t]*")
_decode = json.JSONDecoder().raw_decode


class Part(NamedTuple):
    """One member of an object (with its key) or element of an array: where it begins, where its value does, and its end."""

    key: str
    start: int
    value: int
    end: int


def parts_of(text: str, start: int) -> list[Part]:
    """The parts of the object or array that begins at `start` in a valid text, in order."""
    named, found = text[start] == "{", []
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        begin, key = at, ""
        if named:
            key, at = _decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        value = at
        _, end = _decode(text, at)
        found.append(Part(key, begin, value, end))
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return found


def member(text: str, start: int, key: str) -> Part | None:
    """The member of the object at `start` with this key; the last one counts, as it does for who reads the file."""
    return next((part for part in reversed(parts_of(text, start)) if part.key == key), None)


def added(text: str, start: int, value: Any, key: str = "") -> str:
    """The text with one more part at the end of the object or array at `start`, indented as its neighbours are."""
    parts = parts_of(text, start)
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(text)
    label = f"{json.dumps(key)}: " if key else ""
    if parts:
        before = text[parts[-2].end + 1 if len(parts) > 1 else start + 1 : parts[-1].start]
        written = label + _written(
            value, before.rpartition("\n")[2] if "\n" in before else None, unit, newline
        )
        return f"{text[: parts[-1].end]},{before}{written}{text[parts[-1].end :]}"
    close = _skip(text, start + 1)
    if not unit:
        return f"{text[: start + 1]}{label}{_written(value, None, unit, newline)}{text[close:]}"
    outer = _indent_at(text, start)
    written = label + _written(value, outer + unit, unit, newline)
    return f"{text[: start + 1]}{newline}{outer}{unit}{written}{newline}{outer}{text[close:]}"


def removed(text: str, start: int, place: int) -> str:
    """The text without one part of the object or array at `start`; of an only part nothing stays, not even its lines."""
    parts = parts_of(text, start)
    part = parts[place]
    if len(parts) == 1:
        return text[: start + 1] + text[_skip(text, part.end) :]
    if place:
        return text[: parts[place - 1].end] + text[part.end :]
    return text[: part.start] + text[parts[1].start :]


def _written(value: Any, indent: str | None, unit: str, newline: str) -> str:
    if indent is None or not unit:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", newline + indent)


def _unit(text: str) -> str:
    """What one level is indented by: as the first part of the file is, two spaces in an empty file, nothing in a file of one line."""
    start = _skip(text, 0)
    parts = parts_of(text, start)
    if not parts:
        return "  "
    before = text[start + 1 : parts[0].start]
    return before.rpartition("\n")[2] if "\n" in before else ""


def _indent_at(text: str, at: int) -> str:
    found = _LINE_INDENT.match(text, text.rfind("\n", 0, at) + 1)
    return found[0] if found else ""


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
