"""The interface of language models. Only models on this machine are asked, unless the settings allow others."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

from memoryclaw.errors import MemoryClawError
from memoryclaw.late import NamedTuple

Schema = Mapping[str, Any]  # a JSON schema

MOST_TOKENS = 1200  # of an answer
MOST_BYTES = 1_000_000  # of an answer, headers included
_PATIENCE = 2.0  # seconds until somebody who listens must have taken the call
_PORTS = {"http": 80, "https": 443}


class Prompt(NamedTuple):
    """The system and the user message of a request."""

    system: str
    user: str


class ModelError(MemoryClawError):
    """A model gave no usable answer. `lasting`: asking again in this run is of no use."""

    def __init__(self, why: str, *, lasting: bool = False) -> None:
        super().__init__(why)
        self.lasting = lasting


class LanguageModel(Protocol):
    """A language model, behind an endpoint or a command."""

    @property
    def name(self) -> str:
        """`ollama/llama3.2`."""

    @property
    def is_local(self) -> bool:
        """True when nothing that it reads leaves this machine."""

    def reach(self) -> None:
        """Checks that it is there; ModelError if not, or if it must not be asked."""

    def ask(self, prompt: Prompt, schema: Schema) -> str:
        """The answer as text, which should be JSON of this schema; ModelError without one."""


class Endpoint(NamedTuple):
    """The address of a model, and how long one answer may take from the first byte to the last."""

    who: str  # as people call it
    setting: str  # the setting that names the address
    url: str
    timeout: float
    allow_remote: bool = False

    def reach(self) -> None:
        """Raises ModelError when the address is invalid, on another machine, or accepts no connection."""
        host, port = self._address()
        if not is_loopback(host) and not self.allow_remote:
            way = "set `llm.allowRemote: true` in your own settings to send conversations there"
            raise ModelError(f"{self.setting} is on another machine ({host}); {way}", lasting=True)
        try:
            socket.create_connection((host, port), min(_PATIENCE, self.timeout)).close()
        except ConnectionRefusedError:
            raise ModelError(f"{self.who} is not running at {host}:{port}", lasting=True) from None
        except (OSError, UnicodeError):
            raise ModelError(f"{self.who} cannot be reached at {host}:{port}", lasting=True) from None

    def is_local(self) -> bool:
        """True for an address on this machine."""
        try:
            return is_loopback(self._address()[0])
        except ModelError:
            return False

    def is_private(self) -> bool:
        """True if nobody on the way can read the traffic: on this machine, or over TLS."""
        return urlsplit(self.url).scheme == "https" or is_loopback(self._address()[0])

    def _address(self) -> tuple[str, int]:
        try:
            url = urlsplit(self.url)
            host, port = url.hostname, url.port or _PORTS[url.scheme]
        except (ValueError, KeyError):
            host, port = None, 0
        if not host:
            raise ModelError(f"{self.setting} is not an address like http://127.0.0.1:11434", lasting=True)
        return host, port


def is_loopback(host: str) -> bool:
    """True for this machine and no other."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


# A circuit breaker for one model in one run, so that a failing model costs the run little.

MOST = 2  # failures in a row
PAUSE = 30.0  # seconds


class Breaker:
    """Counts failures in a row: after two it opens for 30 seconds, then one try decides whether it opens again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures = 0
        self._until = 0.0
        self._why = ""

    def open_for(self) -> str:
        """Why the model must not be asked now; empty when it may be."""
        return self._why if self._failures >= MOST and self._clock() < self._until else ""

    def failed(self, why: str, *, lasting: bool = False) -> None:
        """Counts a failure; a lasting one opens the breaker permanently."""
        self._failures = MOST if lasting else self._failures + 1
        self._until = float("inf") if lasting else self._clock() + PAUSE
        self._why = why

    def worked(self) -> None:
        """Closes the breaker."""
        self._failures = 0
