"""Recall on a synthetic set with the traps that recall falls into, beside plain FTS5 in the same run.

The set is generated from a seed into a temporary folder: conversations, and vaults of notes for what conversations lack. Its
sentences are our own, so it guards what works and is no set to tune on; the halves share no person, subject, word or form.

    python benchmarks/traps.py --half dev|test [--category NAME] [--json]
    python benchmarks/traps.py --half dev --write DIR      # only the files; benchmarks/recall.py --data DIR reads them
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from conversations import opened, vault_of
from plainfts import PlainFts5
from trapset.data import Half, half, write

from memoryclaw.app import App
from memoryclaw.recall.evaluation import mean, recall_at, reciprocal_rank, share

CATEGORIES = ("speaker", "next", "dates", "paraphrase", "twins", "facts", "tags", "language", "cjk")
DEPTH, BUDGET = 10, 400
RANKED = frozenset(
    {"in", "weak", "max_results", "duplicate", "budget"}
)  # the other decisions are a search's, too
Row = dict[str, Any]


class Asked(NamedTuple):
    """One question, the vault that answers it, and a plain index of the same."""

    question: Row
    app: App
    plain: PlainFts5


def main() -> int:
    """Runs the benchmark and prints its table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--half", required=True, choices=("dev", "test"))
    options.add_argument(
        "--category", action="append", choices=CATEGORIES, help="only this one; may be repeated"
    )
    options.add_argument(
        "--conversations", type=int, default=6, metavar="N", help="only the first N of six conversations"
    )
    options.add_argument(
        "--misses", action="store_true", help="list the questions whose evidence is not among the first ten"
    )
    options.add_argument("--write", type=Path, metavar="DIR", help="write the set there, and measure nothing")
    options.add_argument("--json", action="store_true", help="print JSON")
    given = options.parse_args()
    made = half(given.half, conversations=given.conversations)
    if given.write:
        write(made, given.write)
        return 0
    result = measure(made, tuple(given.category or CATEGORIES))
    print(
        json.dumps(result, indent=1, ensure_ascii=False) if given.json else table(result, misses=given.misses)
    )
    return 0


def measure(made: Half, categories: Sequence[str] = CATEGORIES) -> Row:
    """All figures of a half, by category and together; and the questions whose evidence is not among the first ten."""
    tallies: dict[str, tuple[list[Row], list[Row]]] = {name: ([], []) for name in (*categories, "all")}
    misses: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory(prefix="memoryclaw-traps-") as folder:
        for question, app, plain in asked(made, Path(folder), categories):
            text, category = question["question"], question["category"]
            ours = judged(question, *answered(app, text))
            theirs = judged(question, plain.search(text, DEPTH), plain.pack(text, BUDGET)[0])
            for name in (category, "all"):
                tallies[name][0].append(ours)
                tallies[name][1].append(theirs)
            if not ours["recall@10"]:
                misses.setdefault(category, []).append(question)
    return {
        name: {"questions": len(ours), "ours": figures(ours), "plain_fts5": figures(plain_)}
        for name, (ours, plain_) in tallies.items()
        if ours
    } | {"misses": misses}


def asked(made: Half, folder: Path, categories: Sequence[str]) -> Iterator[Asked]:
    """Every question of these categories, with what answers it; a vault is made when it is needed."""
    turns, questions = _grouped(made.turns), _grouped(made.questions)
    for id_, rows in turns.items():
        if wanted := [question for question in questions[id_] if question["category"] in categories]:
            with vault_of(folder / id_, rows) as app:
                plain = PlainFts5(rows)
                yield from (Asked(question, app, plain) for question in wanted)
    for vault in made.vaults:
        if wanted := [question for question in vault.questions if question["category"] in categories]:
            with _vault(folder / vault.id, vault.files) as app:
                plain = PlainFts5([{**piece, "datetime": "", "speaker": ""} for piece in vault.pieces])
                yield from (Asked(question, app, plain) for question in wanted)


def answered(app: App, text: str) -> tuple[list[str], list[str]]:
    """Ids in rank order, and those in a context; one recall tells both, for its trace is in the order of a search."""
    answer = app.recall(text, budget=BUDGET)
    ranked = [_plain_id(traced.id) for traced in answer.trace if traced.decision in RANKED]
    return ranked[:DEPTH], [_plain_id(match.unit.id) for match in answer.matches]


def judged(question: Row, ranked: list[str], packed: list[str]) -> Row:
    """How one question went."""
    wanted, without = question["evidence"], question.get("not", ())
    return {
        "recall@5": recall_at(ranked, wanted, 5),
        "recall@10": recall_at(ranked, wanted, 10),
        "mrr": reciprocal_rank(ranked, wanted),
        "in_400": share(packed, wanted),
        "clean": float(not set(without) & set(packed)) if without else None,
    }


def figures(rows: list[Row]) -> Row:
    """The means; `clean` is the share of contexts without what would mislead, where there is such a thing."""
    values = {name: [row[name] for row in rows if row[name] is not None] for name in rows[0]}
    return {name: round(mean(column), 4) if column else None for name, column in values.items()}


def table(result: Row, *, misses: bool = False) -> str:
    """The figures for people, ours beside plain FTS5."""
    names = ("recall@5", "recall@10", "mrr", "in_400", "clean")
    lines = [
        f"{'':12}{'':>5}{'ours':>9}{'':36}{'plain FTS5'}",
        f"{'':12}{'n':>5}" + 2 * "".join(f"{name:>10}" for name in names),
    ]
    for category in (*CATEGORIES, "all"):
        if category in result:
            row = result[category]
            cells = [row[who][name] for who in ("ours", "plain_fts5") for name in names]
            figures = "".join(f"{'-':>10}" if cell is None else f"{cell:>10.3f}" for cell in cells)
            lines.append(f"{category:12}{row['questions']:>5}{figures}")
    if misses:
        lines += [
            f"{category}: {q['question']}  {q['evidence']}"
            for category, qs in result["misses"].items()
            for q in qs
        ]
    return "\n".join(lines)


def _vault(root: Path, files: dict[str, str]) -> App:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return opened(root)


def _plain_id(id_: str) -> str:
    """LoCoMo's id of a turn; any other id as it is."""
    last = id_.rpartition("/")[2]
    return last if id_.startswith("log:s") and last.startswith("D") else id_


def _grouped(rows: list[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["conv"], []).append(row)
    return groups


if __name__ == "__main__":
    sys.exit(main())
