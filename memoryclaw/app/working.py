"""The verbs of a running session: its working memory, and what it thinks of the memories that it was given."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from memoryclaw.app.wiring import Wiring
from memoryclaw.text.fence import one_line

if TYPE_CHECKING:
    from memoryclaw.capture.capture import CaptureResult
    from memoryclaw.capture.feedback import Feedback
    from memoryclaw.working.memory import WorkingMemory
    from memoryclaw.working.store import Cleared, WorkingStore


class Working(Wiring):
    """What a session is at, and how it was served."""

    def working(self, session: str) -> WorkingMemory:
        """The working memory of a session, empty when it has none; changes nothing."""
        return self._bench.show(self._named(session))

    def set_working(self, session: str, changes: Mapping[str, object]) -> WorkingMemory:
        """Changes a session's working memory and returns it.

        Args:
            session: whose.
            changes: `task`, `goal` and `active_skill` are set, `plan` is replaced, `facts` are added or replaced (None
                removes one), `recent_observations` are appended. Another task begins a new working memory.
        """
        return self._bench.change(self._named(session), changes)

    def clear_working(self, session: str, *, task: str = "") -> Cleared:
        """Ends a session's working memory: what it held goes to the log, then it is gone. `task`: only if it is of this one."""
        return self._bench.clear(self._named(session), task)

    def feedback(self, id_: str, rating: int, *, session: str = "", note: str = "") -> Feedback:
        """Keeps in the ledger how useful a note, section, fact or turn was, from 1 to 5."""
        from memoryclaw.capture.feedback import feedback, rating_of  # noqa: PLC0415
        from memoryclaw.recall.addresses import address_of  # noqa: PLC0415
        from memoryclaw.writing.secret_gate import secret_gate  # noqa: PLC0415

        rating_of(rating)
        known = self._looked(lambda: address_of(id_, self.catalog, self.vault)).id
        return feedback(
            self.ledger,
            known,
            rating,
            session=self._named(session),
            note=note,
            redacted=secret_gate().text,
            now=self.clock(),
        )

    def _at_work(self, session: str) -> WorkingMemory | None:
        """What a session is working on, if there is anything to say of it."""
        if not one_line(session):
            return None
        memory = self.working(session)
        return None if memory.empty and not memory.problems else memory

    def _lines_of(self, memory: WorkingMemory) -> Callable[[int], list[str]]:
        """Its lines for a prompt, within the budget that is asked for."""
        from memoryclaw.working.memory import within  # noqa: PLC0415

        return lambda budget: within(memory, budget)

    @cached_property
    def _bench(self) -> WorkingStore:
        from memoryclaw.working.store import WorkingStore  # noqa: PLC0415
        from memoryclaw.writing.secret_gate import secret_gate  # noqa: PLC0415

        # A gate remembers what it took, so each change has one of its own.
        return WorkingStore(
            os.fspath(self.root), lambda value: secret_gate().value(value), self._logged, self.clock
        )

    def _logged(self, lines: list[str]) -> list[CaptureResult]:
        return self._recorder.capture(
            lines
        )  # which is made only now: to look at a working memory makes no key


# ── What hosts with shell hooks need of a vault that no other verb gives: how the last session ended, as a
# file.


class Hosting(Working):
    """The vault as a host with nothing but hooks and files sees it."""

    def write_latest(self, session: str) -> str:
        """Writes `working/latest.md`, what a session was at and said last; returns its path, or nothing when it said nothing."""
        from memoryclaw.capture.log_files import Logs  # noqa: PLC0415
        from memoryclaw.hosts.hooks import write_latest  # noqa: PLC0415
        from memoryclaw.working.memory import within  # noqa: PLC0415

        budget = self.config.budget
        memory = self._at_work(session)
        return write_latest(
            os.fspath(self.root),
            Logs(os.fspath(self.root)),
            session,
            working=within(memory, budget // 2) if memory else (),
            budget=budget,
            now=self.clock(),
        )
