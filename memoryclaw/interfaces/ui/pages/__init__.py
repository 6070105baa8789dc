"""Every page, and the rail that leads to them."""

from __future__ import annotations

from importlib import import_module

from memoryclaw.interfaces.ui import answers
from memoryclaw.interfaces.ui.answers import Page

# Each entry of the rail: its mark and its name, its address below `/ui`, and the key after `g`.
_KEYS = {"review": "r", "recall": "q", "timeline": "t", "entities": "e", "notes": "n", "skills": "s", "health": "h"}  # fmt: skip
RAIL = tuple(
    {"mark": mark, "name": mark.capitalize(), "path": f"/{mark}", "key": key} for mark, key in _KEYS.items()
)
for _module in ("frame", *_KEYS):
    import_module(f"{__name__}.{_module}")
# The most particular address first: `/note/{id}/edit` before `/note/{id}`.
PAGES: tuple[Page, ...] = tuple(sorted(answers.PAGES, key=lambda page: -len(page.path.partition("}")[2])))
