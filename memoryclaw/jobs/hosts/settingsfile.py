"""Our hooks in a host's settings file. The rule: read, shown, backed up, and only then replaced, whole or not at all."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from memoryclaw.adapters import files
from memoryclaw.core.errors import InputError
from memoryclaw.core.hosts.claudesettings import command_in, with_hooks, without_hooks

BACKUP = ".memoryclaw-backup"
_BOM = "\ufeff"


class Planned(NamedTuple):
    """What a settings file holds and what it will; None stands for no file."""

    path: str  # the file itself, where a link leads to it
    before: str | None
    after: str | None
    backup: str | None = None  # the text that is kept beside it

    @property
    def changes(self) -> bool:
        """True when there is something to write."""
        return self.before != self.after


def plan_install(path: str, command: str) -> Planned:
    """How the settings would look with our hooks.

    Args:
        path: the settings file.
        command: what the host should run, with `{}` in the place of `hook pre` or `hook post`.
    """
    real = _writable(path)
    before = _text(real)
    bare = _bare(real, before)
    after = _with(bare, command)
    return Planned(real, before, after, bare if after != before else None)


def plan_uninstall(path: str) -> Planned:
    """How the settings would look without our hooks: the very bytes of before where nothing else changed since."""
    real = _writable(path)
    before = _text(real)
    return Planned(real, before, _bare(real, before))


def carry_out(plan: Planned) -> None:
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
