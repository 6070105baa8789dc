"""The verb that asks a vault its own golden questions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoryclaw.app.wiring import Wiring
from memoryclaw.text.bounds import MOST_LISTED, within, within_budget
from memoryclaw.vault.layout import QUESTIONS_FILE

if TYPE_CHECKING:
    from memoryclaw.recall.evaluation import Evaluated


class Evaluating(Wiring):
    """How well recall does, measured on what one's own vault should answer."""

    def evaluate(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        ks: Sequence[int] = (),
        budgets: Sequence[int] = (),
    ) -> Evaluated:
        """Asks the golden questions of a file, the vault's `eval/questions.yaml` if none is given; writes nothing.

        Args:
            path: the file; relative to where the program runs.
            ks: how many of the first count as found; 5 and 10 when not given.
            budgets: sizes of contexts in tokens; 400, 600 and 800 when not given.

        Raises:
            InputError: the file cannot be read, or says something that cannot be used.
        """
        from memoryclaw.recall.evaluation import BUDGETS, KS, EvaluationSetup, evaluate, goldens_of  # noqa: PLC0415

        budgets, ks = tuple(budgets or BUDGETS), tuple(sorted(ks or KS))
        for tokens in budgets:
            within_budget(tokens)
        for k in ks:
            within(k, 1, MOST_LISTED, "how many of the first count as found")
        given = os.fspath(path) if path is not None else os.fspath(self.root / QUESTIONS_FILE)
        shown = given if path is not None else QUESTIONS_FILE
        goldens = goldens_of(given, shown)
        most = self.config.max_results
        return self._looked(
            lambda: evaluate(
                goldens,
                shown,
                EvaluationSetup(
                    self._searcher, self.catalog, self.vault, self.index.language, most, ks, budgets
                ),
            )
        )
