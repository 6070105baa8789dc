"""HTTP on loopback: JSON in, JSON out, the same answers as the command line's `--json`; docs/reference/http.md describes it."""

from typing import TYPE_CHECKING

from memoryclaw import late

if TYPE_CHECKING:
    from memoryclaw.interfaces.http.server import listening, serve

__all__ = ["listening", "serve"]
__getattr__ = late.at_first_use(globals(), late.module_places(globals()))
