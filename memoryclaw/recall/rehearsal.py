"""What planned changes would do to a vault's golden questions, found out on a copy of its index; the vault itself is only read."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from memoryclaw.errors import InputError
from memoryclaw.index.index import Index
from memoryclaw.index.indexer import Indexer
from memoryclaw.model import Stamp
from memoryclaw.recall.evaluation import (
    EvaluationSetup,
    QuestionResult,
    evaluate,
    goldens_of,
)
from memoryclaw.vault.folder import Vault, is_wanted
from memoryclaw.vault.layout import QUESTIONS_FILE, on_disk

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


def rehearse(
    vault: Vault,
    index: Index,
    planned: Mapping[str, str],
    *,
    copied: Callable[[Path], Index],
    bench: Callable[[Index, Vault], EvaluationSetup],
) -> Rehearsed:
    """Asks the golden questions of the files as they would be, and those that fail once more of the files as they are.

    It costs a copy of the index and the reading of the files that change, however large the vault is.

    Args:
        index: that of the vault, just brought up to date.
        planned: the text of every file that would change; empty for one that would go.
        copied: makes, in a folder, a second index that knows what the vault's own knows.
        bench: asks an index, and the files that it knows.
    """
    try:
        goldens = goldens_of(on_disk(os.fspath(vault.root), QUESTIONS_FILE), QUESTIONS_FILE)
    except InputError as error:
        return Rehearsed(notice=f"the golden questions were not asked: {error}")
    files = {path: text.encode("utf-8", "surrogatepass") if text else None for path, text in planned.items()}
    with tempfile.TemporaryDirectory(prefix="memoryclaw-rehearsal-") as folder:
        would_be, copy = _PlannedVault(vault, files), copied(Path(folder))
        try:
            paths = sorted(filter(is_wanted, files))
            gone = [path for path in paths if files[path] is None]
            Indexer(would_be, copy, {}).run([path for path in paths if files[path] is not None], gone, None)
            after = evaluate(goldens, QUESTIONS_FILE, bench(copy, would_be)).questions
        finally:
            copy.database.close()
    failing = {golden: result for golden, result in zip(goldens, after, strict=True) if result.misses}
    before = evaluate(failing, QUESTIONS_FILE, bench(index, vault)).questions
    broken = [
        after for after, result_now in zip(failing.values(), before, strict=True) if not result_now.misses
    ]
    return Rehearsed(_sentence(broken) if broken else "")


def _sentence(broken: Sequence[QuestionResult]) -> str:
    named = "; ".join(
        f"{result.question!r} ({QUESTIONS_FILE}:{result.line}: {result.misses[0]})"
        for result in broken[:_TOLD]
    )
    others = f" and {len(broken) - _TOLD} more" if len(broken) > _TOLD else ""
    return f"a golden question would break: {named}{others}"
