"""What the server is given from outside: open vaults, and somewhere to report a bug."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from memoryclaw.app import App

Apps = Callable[
    [], AbstractContextManager[App]
]  # lends an open vault to one call, in the thread of that call
Report = Callable[[Exception], str]  # keeps the details of a bug, and says where
