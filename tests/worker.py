"""What a worker of a parallel run does with less ado: a table of cases is one test, and what passes is told in a word.

A case costs what it tries; setting it up, telling of it from process to process and tearing it down costs more for thousands of them.
Anywhere but in `make test` each case is a test of its own, with a name to choose it by.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from _pytest.runner import runtestprotocol

SHARED = {"session", "package", "module"}


def pytest_configure(config: pytest.Config) -> None:
    """Only a worker is told in a word what it needs to tell the others."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Reports())
        if "not laws" in config.option.markexpr:  # the campaigns share out their tables, whose rows are long
            config.pluginmanager.register(Tables())


class Tables:
    """Tables as one test each."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector: Any, name: str, obj: Any) -> list[pytest.Function] | None:
        """One test of all rows of a table, where no fixture is made anew for each."""
        if (
            not isinstance(collector, pytest.Module)
            or not name.startswith("test")
            or not inspect.isfunction(obj)
        ):
            return None
        marks = list(getattr(obj, "pytestmark", ()))
        tables = [mark for mark in reversed(marks) if mark.name == "parametrize"]
        simple = all(len(mark.args) == 2 and mark.kwargs.keys() <= {"ids"} for mark in tables)
        if (
            not tables
            or not simple
            or hasattr(obj, "hypothesis")
            or {m.name for m in marks} & {"usefixtures", "xfail"}
        ):
            return None
        columns = [_names(mark.args[0]) for mark in tables]
        rest = [name for name in inspect.signature(obj).parameters if name not in itertools.chain(*columns)]
        rows = [mark.args[1] for mark in tables]
        # A range are the parts of one long work, shared out among the workers.
        plain = all(
            isinstance(table, Collection) and not isinstance(table, range) for table in rows
        ) and not any(isinstance(row, ParameterSet) and row.marks for table in rows for row in table)
        if not plain or not all(_shared(collector, fixture) for fixture in rest):
            return None
        alone = [
            isinstance(mark.args[0], str) and len(names) == 1
            for mark, names in zip(tables, columns, strict=True)
        ]
        run = _run(
            obj,
            columns,
            [[_values(row, alone=only) for row in table] for table, only in zip(rows, alone, strict=True)],
        )
        run.__signature__ = inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in rest]
        )  # type: ignore[attr-defined]
        run.pytestmark = [mark for mark in marks if mark.name != "parametrize"]  # type: ignore[attr-defined]
        run.place_as = obj  # type: ignore[attr-defined]
        return [pytest.Function.from_parent(collector, name=name, callobj=run)]


class Reports:
    """What is told of a test."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Tells how a test ended, and of what came before and after it only what went wrong."""
        for report in runtestprotocol(item, nextitem=nextitem, log=False):
            if report.when == "call" or not report.passed:
                item.ihook.pytest_runtest_logreport(report=report)
        return True


def _names(names: str | Sequence[str]) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else [*names]


def _values(row: Any, *, alone: bool) -> Sequence[Any]:
    """A row of a table with a column, or of one with more."""
    if isinstance(row, ParameterSet):
        return row.values
    return (row,) if alone else row


def _shared(collector: Any, fixture: str) -> bool:
    """True when a fixture is one for all rows."""
    fixtures = collector.session._fixturemanager.getfixturedefs(fixture, collector)
    return bool(fixtures) and fixtures[-1].scope in SHARED and not fixtures[-1].params


def _run(obj: Callable[..., None], columns: list[list[str]], rows: list[list[Any]]) -> Callable[..., None]:
    """Tries every row; all that fail are told, each by what it is."""

    def run(**shared: Any) -> None:
        failures: list[Exception] = []
        skipped = 0
        for chosen in itertools.product(*rows):
            case = {
                name: value
                for names, values in zip(columns, chosen, strict=True)
                for name, value in zip(names, values, strict=True)
            }
            try:
                obj(**case, **shared)
            except pytest.skip.Exception:
                skipped += 1
            except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - the other rows want to be tried
                failure = error if isinstance(error, Exception) else AssertionError(str(error))
                failure.add_note("in " + ", ".join(f"{name}={value!r:.300}" for name, value in case.items()))
                failures.append(failure)
        if skipped == math.prod(map(len, rows)):
            pytest.skip("every row of the table")
        if failures:
            raise ExceptionGroup(f"{len(failures)} rows of the table", failures)

    return run
