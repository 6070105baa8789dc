"""The way in: a ticket that is used once becomes a session. Both are kept in memory and end with the daemon."""

from __future__ import annotations

import hashlib
import secrets
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from memoryclaw.app import App
from memoryclaw.daemon.daemon import Daemon
from memoryclaw.late import NamedTuple
from memoryclaw.vault.layout import timestamp

TICKET = 60.0  # seconds that a ticket lasts
UNUSED = 12 * 3600.0  # seconds without a request after which a session ends
_BYTES = 32
_REMEMBERED = 256  # tickets and sentences that are kept
_SENTENCES = 20


class Said(NamedTuple):
    """One sentence about what was done, and the commit or run that takes it back."""

    text: str
    undo: str = ""
    about: str = ""  # the id of what was decided


@dataclass(slots=True)
class Session:
    """One browser that came in with a ticket."""

    host: str  # the name under which it came in
    used: float
    came: str  # ISO
    said: OrderedDict[str, Said] = field(default_factory=OrderedDict)

    def say(self, text: str, *, undo: str = "", about: str = "") -> str:
        """Keeps a sentence for the next page, and returns the key under which that page asks for it."""
        key = secrets.token_hex(4)
        self.said[key] = Said(text, undo, about)
        while len(self.said) > _SENTENCES:
            self.said.popitem(last=False)
        return key


class _Ticket(NamedTuple):
    host: str
    until: float
    opened: str  # the session that its first use began, by digest


class Entered(NamedTuple):
    """What happened to a ticket: the secret of a new session, or why there is none."""

    secret: str = ""
    twice: bool = False


class Sessions:
    """The tickets and sessions of one daemon. Only digests of them are kept."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._tickets: OrderedDict[str, _Ticket] = OrderedDict()
        self._sessions: dict[str, Session] = {}
        self._guard = threading.Lock()

    def ticket(self, host: str) -> str:
        """A new ticket, for a browser that comes to this host and port."""
        secret = secrets.token_urlsafe(_BYTES)
        with self._guard:
            self._tickets[_digest(secret)] = _Ticket(host, self._clock() + TICKET, "")
            while len(self._tickets) > _REMEMBERED:
                self._tickets.popitem(last=False)
        return secret

    def enter(self, ticket: str, host: str) -> Entered:
        """Begins a session for a ticket; a second use of one ends the session that the first began."""
        with self._guard:
            ticket_until = self._tickets.get(digest := _digest(ticket))
            if ticket_until is None or ticket_until.host != host:
                return Entered()
            if ticket_until.opened:
                self._sessions.pop(ticket_until.opened, None)
                return Entered(twice=True)
            if self._clock() > ticket_until.until:
                return Entered()
            secret = secrets.token_urlsafe(_BYTES)
            self._sessions[_digest(secret)] = Session(host, self._clock(), timestamp(datetime.now(UTC)))
            self._tickets[digest] = ticket_until._replace(opened=_digest(secret))
            return Entered(secret)

    def of(self, secret: str, host: str) -> Session | None:
        """The session with this secret, if it was begun under this host and is not over."""
        with self._guard:
            now = self._clock()
            for key in [key for key, session in self._sessions.items() if now - session.used > UNUSED]:
                del self._sessions[key]
            session = self._sessions.get(_digest(secret))
            if session is None or session.host != host:
                return None
            session.used = now
            return session

    def count(self) -> int:
        """How many browsers are signed in."""
        with self._guard:
            return len(self._sessions)

    def end_all(self) -> None:
        """Ends every session, and every ticket."""
        with self._guard:
            self._sessions.clear()
            self._tickets.clear()


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


# What changes by itself on every page.

_KNOWN = 60.0  # seconds that a count is believed


class Pulse:
    """What changes by itself on every page: the number of the last event, how much waits, how many notes there are."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._known: tuple[int, float, int, int] | None = None  # event, until, waiting, notes

    def now(self, app: App) -> dict[str, Any]:
        """How it stands; counted anew after each event, and after each thing that was done here."""
        event, last_known = self._daemon.events.after(sys.maxsize).last, self._known
        if last_known is None or last_known[0] != event or last_known[1] < monotonic():
            waiting, notes = len(app.review.list()), app.catalog.files()
            last_known = self._known = (event, monotonic() + _KNOWN, waiting, notes)
        return {
            "event": event,
            "waiting": last_known[2],
            "notes": last_known[3],
            "live": not self._daemon.reason,
        }

    def forget(self) -> None:
        """Something was done: the event of it comes a moment later."""
        self._known = None
