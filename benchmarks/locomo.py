"""Recall on LoCoMo-shaped conversations: how much of each question's evidence is found, beside plain FTS5 in the same run.

Reads turns.jsonl, sessions.jsonl and questions.jsonl from --data, and asks every question through the public API. The data is
not part of this project. The rows: `conversations` (a vault each, its turns as logs), `pooled` (all of them in one vault), and
`vectors` (a vault each again, with the vector fallback on, where it is installed).

    python benchmarks/locomo.py --data DIR [--rows conversations,pooled,vectors] [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from conversations import Row, Rows, file_name, pooled, read, sessions, vault_of
from plainfts import DEPTH, PlainFts5
from progress import Progress
from tally import Tally
from withvectors import MODEL, STRATEGY, filled, missing, settings

from memoryclaw.app import App

ROWS = ("conversations", "pooled", "vectors")


def main() -> int:
    """Runs the benchmark and prints its table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--data", required=True, type=Path, help="folder with turns.jsonl, sessions.jsonl, questions.jsonl"
    )
    options.add_argument("--rows", default=",".join(ROWS), help=f"some of {', '.join(ROWS)}")
    options.add_argument("--model", default=MODEL, help="of the vectors")
    options.add_argument("--json", action="store_true", help="print JSON")
    given = options.parse_args()
    wanted = given.rows.split(",")
    if unknown := sorted(set(wanted) - set(ROWS)):
        options.error(f"there is no row {unknown[0]!r}; choose from {', '.join(ROWS)}")
    result = measure(given.data, wanted, given.model)
    print(json.dumps(result, indent=1) if given.json else table(result))
    return 0


def measure(data: Path, wanted: Sequence[str] = ROWS, model: str = MODEL) -> Row:
    """The figures of the rows that are wanted; those of `conversations` stand at the top."""
    turns, questions = read(data)
    result: Row = {}
    with tempfile.TemporaryDirectory(prefix="memoryclaw-locomo-") as folder:
        root = Path(folder)
        if "conversations" in wanted:
            result |= each(root / "each", turns, questions)
        if "pooled" in wanted:
            result["pooled"] = together(root / "pooled", turns, questions)
        if "vectors" in wanted:
            result["vectors"] = with_vectors(root / "vectors", turns, questions, model)
    return result


def each(root: Path, turns: Rows, questions: Rows) -> Row:
    """A vault for each conversation, ours beside plain FTS5."""
    ours, plain = Tally(), Tally()
    for conversation, rows in turns.items():
        app, fts = vault_of(root / file_name(conversation), rows), PlainFts5(rows)
        ask(ours, app, rows, questions[conversation], conversation)
        for question in questions[conversation]:
            plain.take(question, fts.search, sessions(rows))
            plain.pack(question, fts.pack)
        app.close()
    return {**ours.figures(), "plain_fts5": plain.figures()}


def together(root: Path, turns: Rows, questions: Rows) -> Row:
    """One vault for all conversations: what is found for whom in a year of logs."""
    rows, asked = pooled(turns, questions)
    ours, plain = Tally(), Tally()
    app, fts = vault_of(root, rows), PlainFts5(rows)
    ask(ours, app, rows, asked, "pooled", packing=False)
    for question in asked:
        plain.take(question, fts.search, sessions(rows))
    app.close()
    counted = {"turns": len(rows), "sessions": len(set(sessions(rows).values()))}
    return {**ranking(ours), **counted, "plain_fts5": ranking(plain)}


def with_vectors(root: Path, turns: Rows, questions: Rows, model: str) -> Row:
    """The vaults of `each` with the vector fallback on, or one sentence on what is not installed."""
    if sentence := missing(model):
        return {"missing": sentence}
    ours = Tally()
    for conversation, rows in turns.items():
        app = filled(vault_of(root / file_name(conversation), rows, settings(model)), conversation)
        ask(ours, app, rows, questions[conversation], f"{conversation}, vectors")
        app.close()
    found = ours.figures()
    kept = {name: found[name] for name in ("turn", "session", "budget", "ms")}
    return {"model": model, "strategy": STRATEGY, **kept}


def ask(
    tally: Tally, app: App, turns: Sequence[Row], asked: Sequence[Row], stage: str, *, packing: bool = True
) -> None:
    """Asks one vault all its questions."""
    session_of, progress = sessions(turns), Progress()
    for number, question in enumerate(asked, 1):
        tally.take(question, lambda text: searched(app, text), session_of)
        if packing:
            tally.pack(question, lambda text, budget: recalled(app, text, budget))
        progress.told(stage, number, len(asked))


def searched(app: App, text: str) -> list[str]:
    """Turn ids in rank order."""
    answer = app.search(text, kind="turn", limit=DEPTH)
    return [match.unit.id.rpartition("/")[2] for match in answer.matches]


def recalled(app: App, text: str, budget: int) -> list[str]:
    """Turn ids that are in a context of so many tokens."""
    return [match.unit.id.rpartition("/")[2] for match in app.recall(text, budget=budget).matches]


def ranking(tally: Tally) -> Row:
    """The figures of a tally that packed nothing."""
    found = tally.figures()
    return {name: found[name] for name in ("turn", "session", "ms")}


def table(result: Row) -> str:
    """The figures for people, ours beside plain FTS5."""
    lines = []
    if "questions" in result:
        lines = [f"{result['questions']} questions", *_beside(result, result["plain_fts5"])]
    if "pooled" in result:
        found = result["pooled"]
        lines += ["", f"one vault of {found['turns']} turns, {found['sessions']} sessions"]
        lines += _beside(found, found["plain_fts5"])
    if "missing" in result.get("vectors", {}):
        lines += ["", f"vectors: {result['vectors']['missing']}"]
    elif "vectors" in result:
        found = result["vectors"]
        lines += ["", f"with vectors, {found['model']}, {found['strategy']}"]
        lines += _beside(found, result if "questions" in result else {}, "keywords")
    return "\n".join(lines)


def _beside(found: Row, other: Row, name: str = "plain FTS5") -> list[str]:
    lines = [f"{'':24}{'ours':>10}" + (f"{name:>12}{'ratio':>8}" if other else "")]
    for group in ("turn", "session", "session_nonadversarial", "budget", "ms"):
        for figure, value in found.get(group, {}).items():
            reference = other.get(group, {}).get(figure, math.nan)
            ratio = value / reference if reference else math.nan
            beside = f"{reference:>12.3f}{ratio:>8.2f}" if other else ""
            lines.append(f"{group + ' ' + figure:24.24}{value:>10.3f}{beside}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
