"""The campaign of faults: what a trial is, how trials are counted over all processes, and the table at the end."""

from __future__ import annotations

import importlib
import os
import pkgutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import memoryclaw

if TYPE_CHECKING:
    from scenes import Vaults

# Their libraries are half of what a process would hold, and each fork copies the tables of its pages; a trial goes by none of them but MCP's tools.
DOORS = ("memoryclaw.interfaces.", "memoryclaw.memory_tool")
_began = time.monotonic()
_table: dict[str, list[int]] = {}
_skipped: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--trials 2000`: a campaign with fewer trials is no campaign, and fails."""
    parser.addoption(
        "--trials", type=int, default=0, help="the least number of trials of all faults together"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in `tests/faults/` belongs to the campaign."""
    for item in items:
        if item.path.parent.name == "faults":
            item.add_marker("faults")


@dataclass
class Trials:
    """The trials of one test. A trial is one injected fault and a full check; one that fails does not end the others."""

    row: str
    count: int = 0
    unfired: int = 0
    failures: list[str] = field(default_factory=list)

    @contextmanager
    def trial(self, what: str) -> Iterator[None]:
        """One trial; what it says is told at the end."""
        self.count += 1
        try:
            yield
        except Exception as error:  # noqa: BLE001 - the next trial wants to be made whatever went wrong here
            self.failures.append(f"{what}: {type(error).__name__}: {error}")

    def missed(self) -> None:
        """The fault did not come to pass: the trial is none."""
        self.count -= 1
        self.unfired += 1


@pytest.fixture
def campaign(
    record_property: Callable[[str, object], None],
) -> Callable[[str], AbstractContextManager[Trials]]:
    """`with campaign("row of the table") as trials`: counts trials, and fails at the end when one of them did."""

    @contextmanager
    def counted(row: str) -> Iterator[Trials]:
        trials = Trials(row)
        try:
            yield trials
        finally:
            record_property("trials", [row, trials.count, len(trials.failures), trials.unfired])
        assert not trials.failures, "\n\n".join(
            [f"{len(trials.failures)} of {trials.count} failed", *trials.failures[:8]]
        )
        assert trials.count, "no trial was made"
        # What a run does differs by a few calls from the one that was counted: a file that is read in the tick of its last change
        # is read once more.
        assert trials.unfired <= max(8, trials.count // 4), f"{trials.unfired} faults did not fire"

    return counted


@pytest.fixture
def row_skipped(record_property: Callable[[str, object], None]) -> Callable[[str, str], None]:
    """Leaves a row of the table out, loudly."""

    def skip(row: str, why: str) -> None:
        record_property("skipped", f"{row}: {why}")
        pytest.skip(why)

    return skip


@pytest.fixture(scope="session")
def vaults(tmp_path_factory: pytest.TempPathFactory, guarded_machine: Path) -> Vaults:
    """Prepared vaults, in a process that has imported everything, so that no forked one has to."""
    from scenes import Vaults  # noqa: PLC0415 - its folder is known once a test of it is

    for module in pkgutil.walk_packages(memoryclaw.__path__, "memoryclaw."):
        if not module.name.endswith("__main__") and not module.name.startswith(DOORS):
            importlib.import_module(module.name)
    return Vaults(tmp_path_factory.mktemp("vaults"))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Adds up the trials, wherever they were made."""
    if report.when != "call":
        return
    for name, value in report.user_properties:
        if name == "trials":
            row, *counts = value  # type: ignore[misc]
            _table[row] = [sum(pair) for pair in zip(_table.get(row, (0, 0, 0)), counts, strict=True)]
        elif name == "skipped":
            _skipped.append(str(value))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails a campaign that made too few trials, or in which too many faults did not come to pass."""
    least = session.config.getoption("trials", 0)
    if not hasattr(session.config, "workerinput") and _is_poor(least) and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Prints the table."""
    if not _table:
        return
    width = max(map(len, [*_table, "together"]))
    write = terminalreporter.write_line
    terminalreporter.section("trials of faults")
    write(f"{'fault':<{width}}  trials  failures  did not fire, not counted")
    for row, (count, failed, unfired) in [*sorted(_table.items()), ("together", _total())]:
        write(f"{row:<{width}}  {count:>6}  {failed:>8}  {unfired:>8}", red=bool(failed))
    write(f"{time.monotonic() - _began:.0f} seconds, {os.cpu_count()} processors")
    for why in sorted(set(_skipped)):
        write(f"LEFT OUT {why}", red=True)
    if (least := config.getoption("trials", 0)) and _is_poor(least):
        write(
            f"FAILED: fewer than {least} trials, or one fault in ten did not fire; is strace installed, and may it attach?",
            red=True,
        )


def _total() -> list[int]:
    return [sum(row[n] for row in _table.values()) for n in (0, 1, 2)]


def _is_poor(least: int) -> bool:
    count, _, unfired = _total()
    return bool(least) and (count < least or unfired > count // 10)
