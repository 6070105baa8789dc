"""Installs our keys in OpenClaw's configuration and removes them. A change is shown before it is written, and a copy of the file is kept beside it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memoryclaw.connect.json5 import parse, plain
from memoryclaw.connect.openclaw import installing
from memoryclaw.connect.settings_file import difference
from memoryclaw.errors import ConfigError, MemoryClawError
from memoryclaw.late import NamedTuple
from memoryclaw.vault import files

RESTART = "a running gateway picks this up by itself, or after `openclaw gateway restart`"
_UNKNOWN = "nothing was written down of this install, so OpenClaw's own defaults return"
_LEFT = "where none runs, its scheduler keeps the nightly job: `openclaw cron list` shows memoryclaw:nightly"


class ConfigChange(NamedTuple):
    """A change of the configuration that nobody has made yet."""

    verb: str  # install | uninstall
    config: str
    before: str
    after: str
    steps: tuple[installing.InstallStep, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def diff(self) -> str:
        """The change for people."""
        return difference(self.before, self.after, self.config)


class Changed(NamedTuple):
    """What became of a change."""

    action: str  # installed | uninstalled | unchanged | not installed | would install | would uninstall
    config: str
    diff: str
    backup: str = ""
    notices: tuple[str, ...] = ()


class Setup(NamedTuple):
    """One OpenClaw and one vault."""

    host: HostConfig
    vault: str
    command: tuple[str, ...]
    plugin: Callable[[], str]
    clock: Callable[[], datetime]

    def plan_install(self) -> ConfigChange:
        """What installing would write. Raises ConfigError: there is no configuration, or it cannot be edited."""
        before, steps = self._now()
        try:
            after, steps = installing.install(before, self._wishes(), steps)
        except ConfigError as error:
            raise ConfigError(f"{self.host.path}: {error}; nothing was written") from None
        return ConfigChange("install", self.host.path, before, after, tuple(steps))

    def plan_uninstall(self) -> ConfigChange:
        """What uninstalling would write."""
        before, steps = self._now()
        unknown = self.host.record() is None and bool(steps)
        after = installing.uninstall(before, steps)
        notices = (_UNKNOWN,) if unknown else ()
        return ConfigChange("uninstall", self.host.path, before, after, tuple(steps), notices)

    def do(self, planned: ConfigChange) -> Changed:
        """Makes the change, if the file is still what was shown."""
        installs, changes = planned.verb == "install", planned.before != planned.after
        backup = (self.host.record() or InstallRecord()).backup
        first = backup
        if installs:
            backup = self.host.back_up(planned.before, self.clock()) if changes else backup
            # First: a change without a record could not be undone exactly.
            self.host.keep(self.vault, planned.steps, first or backup)
        if changes:
            self.host.write(planned.before, planned.after)
        if installs:
            action = "installed" if changes else "unchanged"
            return Changed(action, planned.config, planned.diff, backup, (RESTART,) * changes)
        self.host.drop_record()
        if not changes:
            return Changed("not installed", planned.config, "", "", planned.notices)
        gone = bool(backup) and self.host.discard_backup(backup, planned.after)
        notices = (*planned.notices, RESTART, _LEFT)
        return Changed("uninstalled", planned.config, planned.diff, "" if gone else backup, notices)

    def _wishes(self) -> list[installing.DesiredSetting]:
        return installing.wishes(plugin=self.plugin(), vault=self.vault, command=self.command)

    def _now(self) -> tuple[str, list[installing.InstallStep]]:
        """What the configuration says, and the steps that undo what is ours in it."""
        text = self.host.read()
        self.host.values(text)
        record = self.host.record()
        return text, list(record.steps) if record else installing.lost_steps(text, self._wishes())


# OpenClaw's configuration on disk, replaced whole or not at all, and our record of what was changed in it.

_FOLDER = "openclaw"


class InstallRecord(NamedTuple):
    """What an install left behind to be undone: for which vault, the steps, and the copy of the file as it was."""

    vault: str = ""
    steps: tuple[installing.InstallStep, ...] = ()
    backup: str = ""


def config_path(given: str, environ: Mapping[str, str]) -> str:
    """The file as given, as OpenClaw's own variables say, else where OpenClaw keeps it."""
    chosen = given or environ.get("OPENCLAW_CONFIG_PATH") or os.path.join(state_of(environ), "openclaw.json")
    return os.path.abspath(os.path.expanduser(chosen))


def state_of(environ: Mapping[str, str]) -> str:
    """The folder in which OpenClaw keeps what is its own."""
    home = environ.get("HOME") or os.path.expanduser("~")
    return environ.get("OPENCLAW_STATE_DIR") or os.path.join(home, ".openclaw")


class HostConfig:
    """One configuration file.

    Args:
        path: of the file; a link is followed, so that a folder of dotfiles keeps its links.
        records: the folder of our own records, which is the user's and no vault's.
    """

    def __init__(self, path: str, records: str) -> None:
        self.path = path
        self._folder, self._name = os.path.split(real := os.path.realpath(path))
        self._records = records
        self._record = f"{_FOLDER}/{hashlib.sha256(os.fsencode(real)).hexdigest()[:16]}.json"

    def read(self) -> str:
        """The text; bytes that are no UTF-8 survive being written again. Raises ConfigError: there is none."""
        if not os.path.lexists(os.path.join(self._folder, self._name)):
            raise ConfigError(
                f"there is no OpenClaw configuration at {self.path}; install OpenClaw and run `openclaw setup` first, "
                "or name the file with --config"
            )
        return files.read_file(self._folder, self._name).data.decode("utf-8", "surrogateescape")

    def values(self, text: str) -> dict[str, Any]:
        """What the text says. Raises ConfigError: it is no JSON5."""
        try:
            content = plain(parse(text))
        except ConfigError as error:
            raise ConfigError(f"{self.path}: {error}") from None
        return content if isinstance(content, dict) else {}

    def write(self, before: str, after: str) -> None:
        """Replaces one text by another, if it is still there."""
        files.write_file(self._folder, self._name, _bytes(after), files.digest_of(_bytes(before)))

    def back_up(self, text: str, now: datetime) -> str:
        """Keeps a copy beside the file, as private as the file; returns its path."""
        name = f"{self._name}.before-memoryclaw-{now:%Y%m%dT%H%M%SZ}"
        if not files.exists(self._folder, name):
            files.write_file(self._folder, name, _bytes(text), None)
        return os.path.join(self._folder, name)

    def discard_backup(self, path: str, text: str) -> bool:
        """Removes a copy that says what the file says again; whether it is gone."""
        folder, name = os.path.split(path)
        digest = files.digest_of(_bytes(text))
        if folder != self._folder or not name or files.digest_at(folder, name) != digest:
            return False
        files.remove_file(folder, name, digest)
        return True

    def record(self) -> InstallRecord | None:
        """What was written down of an install; None where nothing is, or nothing that can be read."""
        try:
            entry = json.loads(files.read_file(self._records, self._record).data)
            steps = tuple(map(installing.from_record, entry["steps"]))
            return InstallRecord(str(entry["vault"]), steps, str(entry["backup"]))
        except (MemoryClawError, OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, vault: str, steps: Sequence[installing.InstallStep], backup: str) -> None:
        """Writes down what an install did."""
        os.makedirs(self._records, 0o700, exist_ok=True)
        records = [step._asdict() for step in steps]
        entry = {"config": self.path, "vault": vault, "backup": backup, "steps": records}
        data = json.dumps(entry, indent=1).encode()
        files.write_file(self._records, self._record, data, files.digest_at(self._records, self._record))

    def drop_record(self) -> None:
        """Forgets an install that is undone."""
        if digest := files.digest_at(self._records, self._record):
            files.remove_file(self._records, self._record, digest)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
