"""The verbs around consolidation: plan and apply, review, undo, history, blame."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memoryclaw.app.wiring import Wiring

if TYPE_CHECKING:
    from memoryclaw.jobs.consolidation.consolidate import Consolidated, Desk
    from memoryclaw.jobs.consolidation.planning import Mind


class Consolidating(Wiring):
    """Raw logs to reviewed memory."""

    def consolidate(
        self, *, dry_run: bool = False, due: bool = False, llm: str = "auto", mode: str = ""
    ) -> Consolidated:
        """Turns what the logs hold and no run has read into episodes, facts and proposals; one commit a change.

        Args:
            dry_run: only plan; nothing is written.
            due: do nothing, and say why, while it is too early or another run is at work.
            llm: auto (the models of the settings), or none.
            mode: direct, branch or propose; empty: as the settings say.
        """
        from memoryclaw.jobs.consolidation.consolidate import consolidate, preview  # noqa: PLC0415

        self._fresh()
        desk = self._desk(llm, mode)
        return preview(desk) if dry_run else consolidate(desk, only_if_due=due)

    def redo(self, since: str, *, llm: str = "auto") -> Consolidated:
        """Consolidates the logs of a day (ISO) and later once more, on a branch that waits for `review`."""
        from memoryclaw.jobs.consolidation.redoing import redo  # noqa: PLC0415

        self._fresh()
        return redo(self._desk(llm, "branch"), since)

    def _desk(self, llm: str, mode: str) -> Desk:
        from memoryclaw.jobs.consolidation.consolidate import Desk, Rules  # noqa: PLC0415
        from memoryclaw.jobs.gates import secret_gate  # noqa: PLC0415

        config = self.config
        return Desk(
            pen=self._pen(secret_gate()),
            vault=self.vault,
            catalog=self.catalog,
            mind=self._mind(llm),
            rules=Rules(
                mode=mode or config.mode,
                threshold=config.skill_threshold,
                loss_budget=config.loss_budget,
                gap=config.gap,
                interval=config.interval,
                idle=config.idle,
                language=config.language,
            ),
            progress=self._progress,
        )

    def _mind(self, llm: str) -> Mind:
        from memoryclaw.adapters.templates import Templates  # noqa: PLC0415
        from memoryclaw.jobs.consolidation.minds import minds_of  # noqa: PLC0415

        return minds_of(self.config, Templates(), os.environ, llm=llm).read
