"""What planned changes would do to a vault's golden questions, found out on a copy of its index; the vault itself is only read."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from memoryclaw.app.context import VaultContext
from memoryclaw.errors import InputError
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.database import Database
from memoryclaw.index.index import Index
from memoryclaw.index.indexer import Indexer
from memoryclaw.model import Stamp
from memoryclaw.recall.evaluation import (
    EvaluationSetup,
    GoldenQuestion,
    QuestionResult,
    evaluate,
    goldens_of,
)
from memoryclaw.recall.search import Searcher
from memoryclaw.vault.folder import Vault, is_wanted
from memoryclaw.vault.layout import QUESTIONS_FILE, on_disk

Approved = Callable[[Iterable[str]], set[str]]
_TOLD = 3  # questions that are named


class Rehearsed(NamedTuple):
    """Why a change should wait, in a sentence without its full stop; empty where no question that passes would break."""

    broken: str = ""
    notice: str = ""  # why the questions could not be asked


class _PlannedVault(Vault):
    """A vault in which some files are as they would be; None: there would be none."""

    def __init__(self, vault: Vault, planned: Mapping[str, bytes | None]) -> None:
        super().__init__(vault.root, vault.audience, vault.labels)
        self._planned = planned

    def _bytes(self, path: str, raw: bytes | None) -> tuple[bytes, Stamp] | None:
        if path not in self._planned:
            return super()._bytes(path, raw)
        data = self._planned[path]
        return None if data is None else (data, Stamp(len(data), 0, 0, 0))

    def stamp(self, path: str) -> bytes | None:
        """The packed stamp of a file, None where there is or would be none."""
        if path not in self._planned:
            return super().stamp(path)
        return None if self._planned[path] is None else b"planned"


def rehearsed(context: VaultContext, planned: Mapping[str, str], approved: Approved) -> Rehearsed:
    """Asks the golden questions of the files as they would be, and those that fail once more of the files as they are.

    It costs a copy of the index and the reading of the files that change, however large the vault is; without questions, nothing. Of an
    engine other than FTS5, whose files cannot be copied, the index is built anew.

    Args:
        context: the vault, with an index that was just brought up to date.
        planned: the text of every file that would change; empty for one that would go.
        approved: tells which of some files belong to approved skills.
    """
    path = on_disk(os.fspath(context.root), QUESTIONS_FILE)
    if not os.path.exists(path):
        return Rehearsed()
    try:
        goldens = goldens_of(path, QUESTIONS_FILE)
    except InputError as error:
        return Rehearsed(notice=f"the golden questions were not asked: {error}")
    files = {path: text.encode("utf-8", "surrogatepass") if text else None for path, text in planned.items()}
    with tempfile.TemporaryDirectory(prefix="memoryclaw-rehearsal-") as folder:
        vault, index = _PlannedVault(context.vault, files), _copied(context, Path(folder))
        try:
            paths = sorted(filter(is_wanted, files))
            gone = [path for path in paths if files[path] is None]
            Indexer(vault, index, {}).run([path for path in paths if files[path] is not None], gone, None)
            after = _asked(context, index, vault, goldens, approved)
        finally:
            index.database.close()
    failing = {golden: result for golden, result in zip(goldens, after, strict=True) if result.misses}
    before = _asked(context, context.index, context.vault, [*failing], approved)
    broken = [after for after, now in zip(failing.values(), before, strict=True) if not now.misses]
    return Rehearsed(_sentence(broken) if broken else "")


def _copied(context: VaultContext, folder: Path) -> Index:
    """A second index that knows what the vault's own knows."""
    database = context.index.database
    if context.config.engine != "fts5" or not isinstance(database, Database):
        return context.rebuilt(folder)  # the files of another engine are sealed where they are
    database.copy_to(folder)
    return context.index_in(folder)


def _asked(
    context: VaultContext, index: Index, vault: Vault, goldens: Sequence[GoldenQuestion], approved: Approved
) -> tuple[QuestionResult, ...]:
    catalog, config = Catalog(index.database), context.config
    bench = EvaluationSetup(
        lambda day: Searcher(index, catalog, day or context.today, None, approved),
        catalog,
        vault,
        index.language,
        config.max_results,
        budgets=(config.budget,),
    )
    return evaluate(goldens, QUESTIONS_FILE, bench).questions


def _sentence(broken: Sequence[QuestionResult]) -> str:
    named = "; ".join(
        f"{one.question!r} ({QUESTIONS_FILE}:{one.line}: {one.misses[0]})" for one in broken[:_TOLD]
    )
    more = f" and {len(broken) - _TOLD} more" if len(broken) > _TOLD else ""
    return f"a golden question would break: {named}{more}"
