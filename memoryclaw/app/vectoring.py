"""The verbs around vectors, which exist only where the settings ask for them (`retrieval.fallback: vector`)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from memoryclaw.app.wiring import Wiring
from memoryclaw.core.errors import InputError, LockedError, VectorsError
from memoryclaw.core.ports import Progress
from memoryclaw.jobs import freshness

if TYPE_CHECKING:
    from memoryclaw.jobs.doctor import Check
    from memoryclaw.jobs.vectors import Filled, Standing


class Vectoring(Wiring):
    """Vectors for what words do not find."""

    def fill_vectors(
        self,
        *,
        progress: Progress | None = None,
        stopping: Callable[[], bool] = lambda: False,
        thorough: bool = True,
    ) -> Filled:
        """Makes the vectors that are missing, a batch at a time; what is made stays.

        Args:
            progress: told (done, total) after each batch.
            stopping: asked before each batch; True ends the work there.
            thorough: looks first whether what is there is whole; else only when damage was met.
        """
        if not self._has_vectors:
            raise InputError(
                "no vectors are wanted here; write `fallback: vector` below `retrieval:` in memoryclaw.yaml"
            )

        def work() -> Filled:
            # An index that is not what the files are would have vectors dropped that are still wanted.
            if behind := self._fresh().degraded:
                raise VectorsError(f"no vectors can be made now: {behind}")
            return self._vectors.fill(progress, stopping, thorough=thorough)

        return freshness.healed(self.index, work)

    def _vectors_follow(self) -> None:
        """Wipes out the vectors of what is gone; a fill that is under way does it itself."""
        if self._has_vectors:
            with suppress(LockedError, VectorsError):
                self._vectors.forget_gone()

    def _vectors_stand(self) -> tuple[Standing | None, str]:
        """How they stand, and what is wrong with them."""
        if not self._has_vectors:
            return None, ""
        try:
            return self._vectors.standing(), ""
        except VectorsError as error:
            from memoryclaw.jobs.vectors import Standing  # noqa: PLC0415

            units = self.index.size()[0]
            return Standing(self.config.vector_model, units, units), str(error)

    def _vectors_checked(self) -> list[Check]:
        if not self._has_vectors:
            return []
        from memoryclaw.jobs.vectorcheck import check  # noqa: PLC0415

        return [check(self._vectors)]
