"""Every page, and the rail that leads to them."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from memoryclaw.interfaces.ui import answers
from memoryclaw.interfaces.ui.answers import Page


class Entry(NamedTuple):
    """One entry of the rail: its mark, its name, its address below `/ui`, and the key after `g`."""

    mark: str
    name: str
    path: str
    key: str


_KEYS = {"review": "r", "recall": "q", "timeline": "t", "entities": "e", "notes": "n", "skills": "s", "health": "h"}  # fmt: skip
RAIL = tuple(Entry(mark, mark.capitalize(), f"/{mark}", key) for mark, key in _KEYS.items())
for _module in ("frame", *_KEYS):
    import_module(f"{__name__}.{_module}")
# The most particular address first: `/note/{id}/edit` before `/note/{id}`.
PAGES: tuple[Page, ...] = tuple(sorted(answers.PAGES, key=lambda page: -len(page.path.partition("}")[2])))
