"""The verbs around consolidation: plan and apply, review, undo, history, blame."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memoryclaw.app.wiring import Wiring

if TYPE_CHECKING:
    from memoryclaw.consolidation.consolidate import Consolidated, ConsolidationContext
    from memoryclaw.consolidation.planning import Enrich
    from memoryclaw.daemon.scheduling import Schedule


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
        from memoryclaw.consolidation.consolidate import consolidate, preview  # noqa: PLC0415

        self._fresh()
        context = self._consolidation_context(llm, mode)
        return preview(context) if dry_run else consolidate(context, only_if_due=due)

    def redo(self, since: str, *, llm: str = "auto") -> Consolidated:
        """Consolidates the logs of a day (ISO) and later once more, on a branch that waits for `review`."""
        from memoryclaw.consolidation.consolidate import redo  # noqa: PLC0415

        self._fresh()
        return redo(self._consolidation_context(llm, "branch"), since)

    def _consolidation_context(self, llm: str, mode: str) -> ConsolidationContext:
        from memoryclaw.consolidation.consolidate import ConsolidationContext, RunSettings  # noqa: PLC0415
        from memoryclaw.writing.secret_gate import secret_gate  # noqa: PLC0415

        config = self.config
        return ConsolidationContext(
            writing=self._write_context(secret_gate()),
            vault=self.vault,
            catalog=self.catalog,
            enrich=self._enrich(llm),
            rules=RunSettings(
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

    def _enrich(self, llm: str) -> Enrich | None:
        if llm == "none":
            return None
        from memoryclaw.consolidation.model_chain import model_chain  # noqa: PLC0415
        from memoryclaw.writing.context import Templates  # noqa: PLC0415

        return model_chain(self.config, Templates(), os.environ, llm=llm).read


# ── The timer of a vault: a scheduler of this machine calls `consolidate --due`.


class Scheduling(Consolidating):
    """Consolidation that nobody has to think of."""

    def schedule(self) -> Schedule:
        """The vault's timer: to be installed, removed, or told how it stands."""
        from memoryclaw.consolidation.consolidate import next_run  # noqa: PLC0415
        from memoryclaw.daemon.scheduling import Schedule  # noqa: PLC0415
        from memoryclaw.writing.context import Templates  # noqa: PLC0415

        return Schedule(
            os.fspath(self.root),
            Templates(),
            self.clock,
            lambda: next_run(self._consolidation_context("none", "")),
        )
