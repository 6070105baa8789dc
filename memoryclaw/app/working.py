"""`app.working`: the working memory of a session."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property

from memoryclaw import rooms
from memoryclaw.app.context import AppPart, VaultContext
from memoryclaw.app.verbs import LOG, OfTask, WorkingSession, verb
from memoryclaw.text.prompts import one_line


class Working(AppPart):
    """What sessions are working on."""

    @verb("GET /v1/working/{session}", "Session", "working show")
    def show(self, session: WorkingSession) -> rooms.memory.WorkingMemory:
        """The working memory of a session, empty when it has none; changes nothing."""
        return self._store.show(self._context.session_name(session))

    def current(self, session: str) -> rooms.memory.WorkingMemory | None:
        """The working memory of a session that has one, or a file that cannot be read as one; `session`: as it may be written."""
        if not one_line(session):
            return None
        memory = self._store.show(session)
        return None if memory.empty and not memory.problems else memory

    @verb("PATCH /v1/working/{session}", "Session", "working set", pool=LOG)
    def set(self, session: WorkingSession, changes: Mapping[str, object]) -> rooms.memory.WorkingMemory:
        """Changes a session's working memory and returns it.

        Args:
            changes: `task`, `goal` and `active_skill` are set, `plan` is replaced, `facts` are added or replaced (None
                removes one), `recent_observations` are appended. Another task begins a new working memory.
        """
        return self._store.change(self._context.session_name(session), changes)

    @verb("DELETE /v1/working/{session}", "Session", "working clear", pool=LOG)
    def clear(self, session: WorkingSession, *, task: OfTask = "") -> rooms.memory.Cleared:
        """Moves a session's working memory to its log. `task`: only if it is of this one."""
        return self._store.clear(self._context.session_name(session), task)

    def write_latest(self, session: str) -> str:
        """Writes `working/latest.md`: what the session was working on, and its last turns.

        Returns the file's path, or nothing when the session said nothing.
        """
        root, budget = os.fspath(self._context.root), self._context.config.budget
        memory, logs = self.current(self._context.session_name(session)), rooms.log_files.Logs(root)
        lines, now = rooms.memory.within(memory, budget // 2) if memory else (), self._context.clock()
        return rooms.latest.write_latest(root, logs, session, working=lines, budget=budget, now=now)

    @cached_property
    def _store(self) -> rooms.memory.WorkingStore:
        return store_of(self._context)


def store_of(context: VaultContext) -> rooms.memory.WorkingStore:
    """The working memories of a vault on its disk."""
    return rooms.memory.WorkingStore(
        os.fspath(context.root),
        # A gate remembers what it took: each change has its own.
        lambda value: rooms.secret_gate.secret_gate().value(value),
        lambda lines: context.recorder.capture(lines),  # noqa: PLW0108 - looking at a working memory makes no key
        context.clock,
    )
