"""The loss budget: how much of what stood in a file would stand nowhere after a run. The rule: more than the budget refuses it.

A run that keeps the budget in every file that it touches keeps it in the vault as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from memoryclaw.core.errors import BudgetError


class Loss(NamedTuple):
    """How many lines of a file would be lost, and how many it has; blank lines do not count."""

    path: str
    lost: int
    lines: int


def lost(before: str, after: str, elsewhere: Iterable[str] = ()) -> int:
    """How many lines stand neither in the file as it will be nor elsewhere.

    A line whose words all stand in the lines that came is not lost: its value moved to History, or it got one more source.

    Args:
        before: the text now.
        after: the text as it will be.
        elsewhere: lines that other files get.
    """
    old, new = _lines(before), _lines(after)
    gone, come = old - new, new - old
    kept, words = {line.strip() for line in elsewhere}, {word for line in come for word in _words(line)}
    return sum(
        count for line, count in gone.items() if line not in kept and not words.issuperset(_words(line))
    )


def losses(files: Mapping[str, tuple[str, str]]) -> list[Loss]:
    """What each file (path → text before and after) would lose, the worst first; files that lose nothing are left out."""
    come = {line for before, after in files.values() for line in _lines(after) - _lines(before)}
    found = [
        Loss(path, gone, _lines(before).total())
        for path, (before, after) in files.items()
        if (gone := lost(before, after, come))
    ]
    return sorted(found, key=lambda loss: (-loss.lost / loss.lines, loss.path))


def must_keep(files: Mapping[str, tuple[str, str]], budget: float) -> None:
    """Raises BudgetError when a file would lose a larger share of its lines than the budget."""
    for loss in losses(files)[:1]:
        if loss.lost > budget * loss.lines:
            raise BudgetError(
                f"nothing was written: {loss.path} would lose {loss.lost} of its {loss.lines} lines "
                f"({loss.lost / loss.lines:.0%}), more than the {budget:.0%} that consolidation.lossBudget allows"
            )


def must_be_its_own(steps: Iterable[tuple[str, str, str]], changes: Iterable[tuple[str, str]]) -> None:
    """Raises BudgetError when taking changes back would lose more lines than the changes brought.

    Args:
        steps: what is about to be done, in order, as a path and the text after and before the step.
        changes: each change that is taken back, as the text before and after it.
    """
    files: dict[str, tuple[str, str]] = {}
    for path, after, before in steps:
        files[path] = (files.get(path, (before,))[0], after)
    gone = sum(loss.lost for loss in losses(files))
    came = sum((_lines(after) - _lines(before)).total() for before, after in changes)
    if gone > came:
        raise BudgetError(
            f"nothing was written: the undo would remove {gone} lines, more than the {came} that it takes back"
        )


def _lines(text: str) -> Counter[str]:
    return Counter(stripped for line in text.splitlines() if (stripped := line.strip()))


def _words(line: str) -> list[str]:
    """The words of a line; brackets, pipes and other marks around them do not count."""
    return [word for part in line.split() if (word := part.strip("|-*+[](),:"))]
