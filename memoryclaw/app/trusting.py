"""The verb of doors that label what they hand on."""

from __future__ import annotations

from collections.abc import Iterable

from memoryclaw.app.wiring import Wiring


class Trusting(Wiring):
    """How far things of the vault are to be trusted."""

    def trust_of(self, paths: Iterable[str]) -> dict[str, str]:
        """The trust of each of these files that is known; asked after a verb that read them, so it looks at no disk."""
        from memoryclaw.jobs.trusting import trust_of  # noqa: PLC0415

        return trust_of(self.catalog, paths)
