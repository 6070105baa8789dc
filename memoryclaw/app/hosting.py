"""What hosts with shell hooks need of a vault that no other verb gives: how the last session ended, as a file."""

from __future__ import annotations

import os

from memoryclaw.app.working import Working


class Hosting(Working):
    """The vault as a host with nothing but hooks and files sees it."""

    def write_latest(self, session: str) -> str:
        """Writes `working/latest.md`, what a session was at and said last; returns its path, or nothing when it said nothing."""
        from memoryclaw.adapters.logs import Logs  # noqa: PLC0415
        from memoryclaw.core.working import within  # noqa: PLC0415
        from memoryclaw.jobs.hosts.latest import write_latest  # noqa: PLC0415

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
