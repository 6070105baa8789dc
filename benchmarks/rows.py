"""The rows that a benchmark prints: each figure beside its reference and its goal; and the options that choose some of them."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table; `most` is the goal as a number in the row's unit, `times` as a multiple of the reference."""

    name: str
    ours: float
    unit: tuple[str, float, int]
    reference: float | None = None
    of: str = ""  # what the reference is
    most: float | None = None
    times: float | None = None
    plus: float = 0.0  # added to `times` the reference

    @property
    def ratio(self) -> float | None:
        """Ours as a multiple of the reference."""
        return self.ours / self.reference if self.reference else None

    @property
    def goal(self) -> str:
        """The goal in words."""
        said = [f"<= {self.most:g} {self.unit[0]}"] if self.most is not None else []
        said += (
            [f"<= {self.times:g} x{' + 1.5 walks' if self.plus else ''}"] if self.times is not None else []
        )
        return ", ".join(said)

    @property
    def met(self) -> bool | None:
        """True when every goal is met, None when there is none."""
        if not self.goal:
            return None
        within = self.most is None or self.ours * self.unit[1] <= self.most
        if self.times is None or self.reference is None:
            return within
        return within and self.ours <= self.times * self.reference + self.plus


def tell(text: str) -> None:
    """Says on standard error what is being done."""
    print(f"… {text}", file=sys.stderr, flush=True)


def table(rows: Sequence[Row]) -> str:
    """The rows for people."""
    lines = [f"{'':42}{'ours':>12}{'reference':>12}  {'':18}{'ratio':>7}  goal"]
    for row in rows:
        reference = shown(row.reference, row.unit) if row.reference is not None else ""
        ratio = f"{row.ratio:.2f}" if row.ratio is not None else ""
        met = {None: "", True: ": met", False: ": MISSED"}[row.met]
        lines.append(
            f"{row.name:42}{shown(row.ours, row.unit):>12}{reference:>12}  {row.of:18}{ratio:>7}  {row.goal}{met}".rstrip()
        )
    return "\n".join(lines)


def shown(value: float, unit: tuple[str, float, int]) -> str:
    """A value in its unit."""
    name, factor, digits = unit
    return f"{value * factor:.{digits}f} {name}"


def as_json(rows: Sequence[Row]) -> str:
    """The rows for programs; seconds and bytes."""
    derived = [{"ratio": row.ratio, "goal": row.goal, "met": row.met} for row in rows]
    return json.dumps(
        [{**asdict(row), **more, "unit": row.unit[0]} for row, more in zip(rows, derived, strict=True)],
        indent=1,
    )


def measured(
    options: argparse.ArgumentParser,
    groups: Sequence[str],
    name: str,
    bench: Callable[[Path, argparse.Namespace], object],
) -> str:
    """What a benchmark prints: the rows of those of its groups, its methods by name, that the command line asks for."""
    options.add_argument("--rows", default=",".join(groups), help=f"some of {', '.join(groups)}")
    options.add_argument("--json", action="store_true", help="print JSON")
    given = options.parse_args()
    wanted = given.rows.split(",")
    if unknown := sorted(set(wanted) - set(groups)):
        options.error(f"there is no row {unknown[0]!r}; choose from {', '.join(groups)}")
    with tempfile.TemporaryDirectory(prefix=f"memoryclaw-{name}-") as folder:
        made = bench(Path(folder), given)
        asked: list[Callable[[], Iterator[Row]]] = [
            getattr(made, group) for group in groups if group in wanted
        ]
        rows = [row for group in asked for row in group()]
    return as_json(rows) if given.json else table(rows)
