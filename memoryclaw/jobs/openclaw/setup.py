"""install and uninstall: our keys into OpenClaw's configuration and out again. The rule: shown before it is written, kept as it was beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from memoryclaw.core.errors import ConfigError
from memoryclaw.core.openclaw.installing import Step, Wish, install, lost, uninstall, wishes
from memoryclaw.core.openclaw.shown import difference
from memoryclaw.jobs.openclaw.hostconfig import HostConfig

RESTART = "a gateway that runs takes this up by itself, or after `openclaw gateway restart`"
_LEFT = "where none runs, its scheduler keeps the nightly job: `openclaw cron list` shows memoryclaw:nightly"


class Planned(NamedTuple):
    """A change of the configuration that nobody has made yet."""

    verb: str  # install | uninstall
    config: str
    before: str
    after: str
    steps: tuple[Step, ...] = ()
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


class Setup:
    """One OpenClaw and one vault.

    Args:
        host: OpenClaw's configuration.
        vault: the vault's folder.
        command: how the plugin calls MemoryClaw.
        plugin: tells the folder of our plugin.
        clock: tells the time.
    """

    def __init__(
        self,
        host: HostConfig,
        vault: str,
        command: Sequence[str],
        *,
        plugin: Callable[[], str],
        clock: Callable[[], datetime],
    ) -> None:
        self.host = host
        self.vault = vault
        self.command = tuple(command)
        self.plugin = plugin
        self._clock = clock

    def plan_install(self) -> Planned:
        """What installing would write.

        Raises:
            ConfigError: there is no configuration, or it cannot be edited.
        """
        before = self.host.read()
        self.host.values(before)
        try:
            after, steps = install(before, self._wanted(), self._steps(before))
        except ConfigError as error:
            raise ConfigError(f"{self.host.path}: {error}; nothing was written") from None
        return Planned("install", self.host.path, before, after, tuple(steps))

    def plan_uninstall(self) -> Planned:
        """What uninstalling would write."""
        before = self.host.read()
        self.host.values(before)
        steps = self._steps(before)
        unknown = self.host.record() is None and bool(steps)
        told = (
            "nothing was written down of this install, so OpenClaw's own defaults return" if unknown else ""
        )
        after = uninstall(before, steps)
        return Planned("uninstall", self.host.path, before, after, tuple(steps), (told,) if told else ())

    def do(self, planned: Planned) -> Changed:
        """Makes the change, if the file is still what was shown."""
        return self._install(planned) if planned.verb == "install" else self._uninstall(planned)

    def _wanted(self) -> list[Wish]:
        return wishes(plugin=self.plugin(), vault=self.vault, command=self.command)

    def _steps(self, text: str) -> list[Step]:
        record = self.host.record()
        return list(record.steps) if record else lost(text, self._wanted())

    def _install(self, planned: Planned) -> Changed:
        record = self.host.record()
        kept = record.backup if record else ""
        if planned.before == planned.after:
            self.host.keep(self.vault, planned.steps, kept)
            return Changed("unchanged", planned.config, "", kept)
        backup = self.host.back_up(planned.before, self._clock())
        self.host.keep(
            self.vault, planned.steps, kept or backup
        )  # first: a change without a record could not be undone exactly
        self.host.write(planned.before, planned.after)
        return Changed("installed", planned.config, planned.diff, backup, (RESTART,))

    def _uninstall(self, planned: Planned) -> Changed:
        record = self.host.record()
        backup = record.backup if record else ""
        if planned.before == planned.after:
            self.host.drop_record()
            return Changed("not installed", planned.config, "", "", planned.notices)
        self.host.write(planned.before, planned.after)
        self.host.drop_record()
        gone = bool(backup) and self.host.discard_backup(backup, planned.after)
        return Changed(
            "uninstalled",
            planned.config,
            planned.diff,
            "" if gone else backup,
            (*planned.notices, RESTART, _LEFT),
        )
