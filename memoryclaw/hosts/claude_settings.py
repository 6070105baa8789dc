"""Our hooks in Claude Code's settings file, which is shown, backed up, and then replaced whole or not at all."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from typing import Any, NamedTuple

from memoryclaw.errors import ConfigError, InputError
from memoryclaw.hosts.json5 import Added, JsonNode, Member, append, parse, removed
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
        command: what the host should run, with `{}` in place of `hook pre` or `hook post`.
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
    backup_name = name + BACKUP
    if plan.backup is not None:
        files.write_file(folder, backup_name, plan.backup.encode(), files.digest_at(folder, backup_name))
    expected = files.digest_of(plan.before.encode()) if plan.before is not None else None
    if plan.after is None:
        files.remove_file(folder, name, expected or "")
        return
    os.makedirs(folder, 0o700, exist_ok=True)
    files.write_file(folder, name, plan.after.encode(), expected)
    if plan.backup is None and _text(plan.path + BACKUP) == plan.after:
        files.remove_file(folder, backup_name, files.digest_of(plan.after.encode()))


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


# Our entries in the text of Claude Code's settings.json; every byte that is not ours stays.

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


def with_hooks(text: str, command: str) -> str:
    """The settings with our hooks, which run `command` with `hook pre` or `hook post` in place of `{}`.

    Raises:
        InputError: the text cannot be understood, or holds something else where hooks belong.
    """
    text = text if text.strip() else _EMPTY
    _checked(text)
    for event, verb, seconds in EVENTS:
        hook = {"type": "command", "command": command.replace("{}", f"hook {verb}"), "timeout": seconds}
        text, _ = append(text, ("hooks", event), {"hooks": [hook]})
    return text


def without_hooks(text: str) -> str:
    """The settings without any command of ours, and without the groups and lists that held nothing else."""
    while command := next(_ours(_checked(text)), None):
        *outer, (container, member) = command.chain
        while outer and len(container.members) == 1:
            container, member = outer.pop()
        text = removed(text, container, member, Added(0, ""))
    return text


def command_in(text: str) -> str:
    """What runs our hooks in these settings, with `{}` in place of `hook pre` or `hook post`; empty where nothing does."""
    return next((_VERB.sub(" {}", hook.command) for hook in _ours(_checked(text))), "")


def _checked(text: str) -> JsonNode:
    """The settings, read as JSON: the host knows no comments, and of a key that stands twice it follows one only."""
    try:
        value = json.loads(text, object_pairs_hook=_once)
        node = parse(text)
    except (ValueError, RecursionError, ConfigError) as error:
        raise InputError(
            f"the settings are not valid JSON ({error}); fix the file first, nothing was changed"
        ) from None
    hooks = value.get("hooks", {}) if isinstance(value, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(hooks.get(event[0], []), list) for event in EVENTS):
        raise InputError('the settings hold something else where "hooks" belong; nothing was changed')
    return node


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise InputError(
            "the settings hold one key twice in the same place; fix the file first, nothing was changed"
        )
    return mapping


class _OurHook(NamedTuple):
    """One command of ours, with the objects and lists around it from the outermost inwards."""

    command: str
    chain: tuple[tuple[JsonNode, Member], ...]


def _ours(root: JsonNode) -> Iterator[_OurHook]:
    hooks = root.member("hooks")
    for event in hooks.node.members if hooks else ():
        for group in event.node.members:
            inner = group.node.member("hooks")
            for hook in inner.node.members if inner else ():
                command = hook.node.member("command")
                if hooks and inner and command and _OURS.search(str(command.node.value)):
                    chain = ((root, hooks), (hooks.node, event), (event.node, group), (inner.node, hook))
                    yield _OurHook(str(command.node.value), chain)
