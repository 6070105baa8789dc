"""The verbs of skills: listed, shown, linted and matched from the files; written, approved and rejected by commits."""

from __future__ import annotations

import os
from datetime import UTC
from typing import TYPE_CHECKING

from memoryclaw.adapters.stemming import language
from memoryclaw.app.wiring import Wiring
from memoryclaw.core.model import Problem

if TYPE_CHECKING:
    from memoryclaw.jobs.pen import Written
    from memoryclaw.jobs.skills import Listed, Offer, Shown
    from memoryclaw.jobs.skillwriting import Ruled


class Skilling(Wiring):
    """How to do things, written down."""

    def skills(self) -> list[Listed]:
        """Every skill and draft, and how each stands."""
        from memoryclaw.jobs.skills import list_skills  # noqa: PLC0415

        return list_skills(os.fspath(self.root))

    def skill(self, name: str) -> Shown:
        """One skill as it stands in its file, with what is wrong with it."""
        from memoryclaw.jobs.skills import show_skill  # noqa: PLC0415

        return show_skill(os.fspath(self.root), name)

    def lint_skills(self, name: str = "") -> list[Problem]:
        """Every problem of one skill, or of all."""
        from memoryclaw.jobs.skills import lint_skills  # noqa: PLC0415

        return lint_skills(os.fspath(self.root), name)

    def match_skills(self, request: str) -> list[Offer]:
        """The skills that fit a request, the best first, and whether a host would be offered them."""
        from memoryclaw.jobs.skills import match_skills  # noqa: PLC0415

        today = self.clock().astimezone(UTC).date()
        return match_skills(os.fspath(self.root), request, language(self.config.language), today)

    def new_skill(self, name: str, description: str = "") -> Written:
        """Begins a skill: a valid SKILL.md to be filled in; one commit."""
        from memoryclaw.jobs.skillwriting import new_skill  # noqa: PLC0415

        return self._written(lambda pen: new_skill(pen, name, description))

    def approve_skill(self, name: str) -> Ruled:
        """Says yes to a skill as its files are now; a draft moves to its place; one commit."""
        from memoryclaw.jobs.skillwriting import approve_skill  # noqa: PLC0415

        return self._written(lambda pen: approve_skill(pen, name))

    def reject_skill(self, name: str) -> Ruled:
        """Says no: a draft goes to the archive, an approval is withdrawn; one commit."""
        from memoryclaw.jobs.skillwriting import reject_skill  # noqa: PLC0415

        return self._written(lambda pen: reject_skill(pen, name))
