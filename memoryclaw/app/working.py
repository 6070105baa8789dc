"""`app.working`: the working memory of a session."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memoryclaw.app.context import VaultContext
from memoryclaw.app.verbs import LOG, Session, Text, verb
from memoryclaw.errors import MemoryClawError
from memoryclaw.model import AGENT
from memoryclaw.text.prompts import one_line
from memoryclaw.vault.audience import may_see, of_folders
from memoryclaw.vault.layout import timestamp

if TYPE_CHECKING:
    from memoryclaw.capture.capture import KeptTurn
    from memoryclaw.working.memory import WorkingMemory
    from memoryclaw.working.store import Cleared, WorkingStore


class Working:
    """What sessions are working on."""

    def __init__(self, context: VaultContext) -> None:
        self._context = context

    @verb("GET /v1/working/{session}", "Session", "working show")
    def show(self, session: Session) -> WorkingMemory:
        """The working memory of a session, empty when it has none; changes nothing."""
        return self._store.show(self._context.session_name(session))

    def current(self, session: str) -> WorkingMemory | None:
        """The working memory of a session that has one, or a file that cannot be read as one."""
        if not one_line(session):
            return None
        memory = self.show(session)
        return None if memory.empty and not memory.problems else memory

    @verb("PATCH /v1/working/{session}", "Session", "working set", pool=LOG)
    def set(self, session: Session, changes: Mapping[str, object]) -> WorkingMemory:
        """Changes a session's working memory and returns it.

        Args:
            session: whose.
            changes: `task`, `goal` and `active_skill` are set, `plan` is replaced, `facts` are added or replaced (None
                removes one), `recent_observations` are appended. Another task begins a new working memory.
        """
        return self._store.change(self._context.session_name(session), changes)

    @verb("DELETE /v1/working/{session}", "Session", "working clear", pool=LOG)
    def clear(self, session: Session, *, task: Text = "") -> Cleared:
        """Moves a session's working memory to its log. `task`: only if it is of this one."""
        return self._store.clear(self._context.session_name(session), task)

    def write_latest(self, session: str) -> str:
        """Writes `working/latest.md`: what the session was working on, and its last turns.

        Returns the file's path, or nothing when the session said nothing.
        """
        from memoryclaw.capture.log_files import Logs
        from memoryclaw.hosts.hooks import write_latest
        from memoryclaw.working.memory import within

        root, budget = os.fspath(self._context.root), self._context.config.budget
        memory = self.current(session)
        return write_latest(
            root,
            Logs(root),
            session,
            working=within(memory, budget // 2) if memory else (),
            budget=budget,
            now=self._context.clock(),
        )

    @cached_property
    def _store(self) -> WorkingStore:
        return _store_of(self._context)


def follow(context: VaultContext, turns: Sequence[KeptTurn]) -> None:
    """Fills in what new turns of running sessions say of them. What an agent may not see is passed over, and nothing fails."""
    from memoryclaw.working.store import RUNNING

    now, folders = context.clock(), context.config.folders
    since, until = timestamp(now - RUNNING), timestamp(now + RUNNING)
    by_session: dict[str, list[Mapping[str, Any]]] = {}
    for turn in turns:
        ts = turn.record["ts"]
        seen = may_see(AGENT, of_folders(f"logs/{ts[:10]}/{turn.session}", folders), turn.audience)
        if seen and since <= ts <= until and turn.record.get("role") in ("user", "tool"):
            by_session.setdefault(turn.session, []).append(turn.record)
    for session, records in by_session.items():
        with suppress(MemoryClawError, OSError):  # the turns are kept; working memory only follows them
            _store_of(context).follow(session, records)


def _store_of(context: VaultContext) -> WorkingStore:
    from memoryclaw.working.store import WorkingStore
    from memoryclaw.writing.secret_gate import secret_gate

    return WorkingStore(
        os.fspath(context.root),
        # A gate remembers what it took: each change has its own.
        lambda value: secret_gate().value(value),
        lambda lines: context.recorder.capture(lines),  # noqa: PLW0108 - looking at a working memory makes no key
        context.clock,
    )
