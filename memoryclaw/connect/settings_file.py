"""A host's settings file, which is changed only in what is ours: shown, backed up, and then replaced whole or not at all."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import unified_diff
from typing import Any

from memoryclaw.errors import ConfigError, InputError
from memoryclaw.late import NamedTuple
from memoryclaw.vault import files

BACKUP = ".memoryclaw-backup"
_BOM = "\ufeff"


class SettingsEditor(NamedTuple):
    """How what is ours stands in the text of a host's settings; each raises InputError for a text that it cannot read."""

    value_in: Callable[[str], Any]  # empty where nothing is ours
    with_value: Callable[[str, Any], str]  # the same text where it says so already
    without: Callable[[str, str], str]  # also told the text of before, empty where there was no file
    folders: int = 0  # of the file that are ours too, so that an empty one goes with it


class SettingsChange(NamedTuple):
    """What a settings file holds and what it will; None stands for no file."""

    path: str  # the file itself, where a link leads to it
    before: str | None
    after: str | None
    backup: str | None = None  # the text that is kept beside it
    folders: int = 0  # around it that go when it is gone and they are empty; where there are any, all of the file is ours

    @property
    def changes(self) -> bool:
        """True when there is something to write."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The change for people; of a file that is all ours, that it comes."""
        if self.folders and self.before is None and self.after:
            count = len(self.after.splitlines())
            return f"+++ {self.path}\nA new file of MemoryClaw's, with {count} lines.\n"
        return difference(self.before or "", self.after or "", self.path)


def plan_install(path: str, editor: SettingsEditor, value: Any) -> SettingsChange:
    """How the settings would look with our value."""
    real = _writable(path)
    before = _text(real)
    with _named(real):
        if before is not None and editor.with_value(_unmarked(before), value) == _unmarked(before):
            return SettingsChange(real, before, before, folders=editor.folders)
        bare, is_old = _bare(real, before, editor)
        after = _with(bare if is_old else before, editor, value)
    return SettingsChange(real, before, after, bare, editor.folders)


def plan_uninstall(path: str, editor: SettingsEditor) -> SettingsChange:
    """How the settings would look without our value: the very bytes of before where nothing else changed since."""
    real = _writable(path)
    before = _text(real)
    with _named(real):
        return SettingsChange(real, before, _bare(real, before, editor)[0], folders=editor.folders)


def carry_out(plan: SettingsChange) -> str:
    """Writes what was planned, if the file is still what it was; a backup whose text is in force again goes. The path of the backup that is there then."""
    folder, name = os.path.split(plan.path)
    backup_name = name + BACKUP
    if plan.backup is not None:
        files.write_file(folder, backup_name, plan.backup.encode(), files.digest_at(folder, backup_name))
    expected = files.digest_of(plan.before.encode()) if plan.before is not None else None
    if plan.after is None:
        files.remove_file(folder, name, expected or "")
        with suppress(OSError):  # a folder that holds something else stays
            for _ in range(plan.folders):
                os.rmdir(folder)
                folder = os.path.dirname(folder)
    else:
        os.makedirs(folder, 0o700, exist_ok=True)
        files.write_file(folder, name, plan.after.encode(), expected)
        backup = backup_of(plan.path)
        if plan.backup is None and backup and _text(backup) == plan.after:
            files.remove_file(*os.path.split(backup), files.digest_of(plan.after.encode()))
    return backup_of(plan.path)


def backup_of(path: str) -> str:
    """The backup of a file; empty where there is none. The first of those that 0.2.0 named by their time is of before an install."""
    older = glob.glob(f"{glob.escape(path)}.before-memoryclaw-*")
    return path + BACKUP if os.path.lexists(path + BACKUP) else min(older, default="")


def refuse_link(path: str) -> None:
    """Checks that settings are no link. Raises InputError: they are one, and what it leads to may be another tool's to write."""
    if os.path.islink(path):
        way = "nothing was changed, and `memoryclaw connect --print` shows what to add there"
        raise InputError(f"{path} is a link to {os.path.realpath(path)}; {way}")


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Puts the name of the file before the sentence that says what is wrong with it."""
    try:
        yield
    except (InputError, ConfigError) as error:
        raise InputError(f"{path}: {error}; nothing was changed") from None


def _bare(real: str, text: str | None, editor: SettingsEditor) -> tuple[str | None, bool]:
    """The settings without us, and whether they are the very bytes of before: putting our value in gives what is there now."""
    value = editor.value_in(_unmarked(text)) if text is not None else None
    if text is None or not value:
        return text, True
    backup = _text(backup_of(real))
    for was in (backup, None):
        with suppress(InputError, ConfigError):
            if _with(was, editor, value) == text:
                return was, True
    return _marked(text, editor.without(_unmarked(text), _unmarked(backup or ""))), False


def _with(text: str | None, editor: SettingsEditor, value: Any) -> str:
    return _marked(text or "", editor.with_value(_unmarked(text or ""), value))


def _unmarked(text: str) -> str:
    return text.removeprefix(_BOM)


def _marked(old: str, text: str) -> str:
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


# A change as a unified diff, without the passwords and tokens in the rest of the file.

_SECRET = re.compile(
    r"([\"']?(?<![\w.-])[\w.-]*(?:token|api_?key|password|passphrase|secret|credential)s?[\"']?\s*[:=]\s*)"
    r"(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')",
    re.IGNORECASE,
)


_HUNK = re.compile(r"@@ -(\d+)((?:,\d+)?) \+(\d+)")
_CONTEXT = 2  # lines that are the same, on each side


def difference(before: str, after: str, name: str) -> str:
    """What changes, as a unified diff; the values of secrets are not shown."""
    old, new = before.splitlines(), after.splitlines()
    # A host's file may have a hundred thousand lines, and only those near the change need comparing.
    head = max(_shared(old, new) - _CONTEXT, 0)
    tail = max(_shared(old[head:][::-1], new[head:][::-1]) - _CONTEXT, 0)
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]

    def moved(hunk: re.Match[str]) -> str:
        return f"@@ -{int(hunk[1]) + head}{hunk[2]} +{int(hunk[3]) + head}"

    lines = unified_diff(old, new, name, name, lineterm="", n=_CONTEXT)
    return "\n".join(_SECRET.sub(r'\1"…"', _HUNK.sub(moved, line)) for line in lines)


def _shared(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines are the same at the beginning."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((number for number, (before, after) in pairs if before != after), min(len(old), len(new)))
