"""MemoryClaw: your agent's memory as Markdown you can read, edit and undo.

    with open_vault("~/notes") as app: app.recall("When is the boathouse deadline?").context

The packages, each importing only from those below it (docs/internals/architecture.md has the map):

    interfaces  app  hosts  health  review  working  lifecycle  consolidation  skills  capture  recall  daemon  index  writing
    history  config  vault  text  models
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoryclaw.unix import must_be_unix
from memoryclaw.version import __version__

if TYPE_CHECKING:
    from memoryclaw.app import App, init_vault, open_vault, restore_vault

__all__ = ["App", "__version__", "init_vault", "open_vault", "restore_vault"]


def __getattr__(name: str) -> Any:
    # On first use: the command line imports this package too, and must start fast.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    must_be_unix()
    from memoryclaw import app  # noqa: PLC0415

    return getattr(app, name)
