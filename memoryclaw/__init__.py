"""MemoryClaw: your agent's memory as Markdown you can read, edit and undo.

    with open_vault("~/notes") as app: app.recall("When is the boathouse deadline?").context

The map of the house; imports point from the top of this list to the bottom, never back (tests/test_house.py):

    doors/     parse arguments, call app, print            cli http mcp
    app/       opens a vault, wires the parts, one method per verb
    jobs/      verbs that take time                        sync recall search remember edit forget undo ...
    adapters/  one module per outside thing                vault database catalog fts5 history watcher ...
    config.py  memoryclaw.yaml + environment → frozen Config
    core/      pure: no disk, no clock, no network         model notes facts query scoring packing ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoryclaw.version import __version__

if TYPE_CHECKING:
    from memoryclaw.app import App, init_vault, open_vault

__all__ = ["App", "__version__", "init_vault", "open_vault"]


def __getattr__(name: str) -> Any:
    # On first use: the command line imports this package too, and must start fast.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from memoryclaw import app  # noqa: PLC0415

    return getattr(app, name)
