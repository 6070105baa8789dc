"""The timer of a vault: a scheduler of this machine calls `consolidate --due`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memoryclaw.app.consolidating import Consolidating

if TYPE_CHECKING:
    from memoryclaw.jobs.scheduling import Schedule


class Scheduling(Consolidating):
    """Consolidation that nobody has to think of."""

    def schedule(self) -> Schedule:
        """The vault's timer: to be installed, removed, or told how it stands."""
        from memoryclaw.adapters.templates import Templates  # noqa: PLC0415
        from memoryclaw.jobs.consolidation.consolidate import standing  # noqa: PLC0415
        from memoryclaw.jobs.scheduling import Schedule  # noqa: PLC0415

        return Schedule(
            os.fspath(self.root), Templates(), self.clock, lambda: standing(self._desk("none", ""))
        )
