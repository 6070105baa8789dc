"""What `ask` answers of the questions about logs: right, shown as unsure, denied or wrong, without a model.

    python benchmarks/ask.py DIR... [--cache DIR] [--misses] [--json]

DIR holds NAME.jsonl (a log) with NAME.questions.jsonl (`question`, `must`: words of the answer; none: there is no answer): each session is
consolidated on its evening, and all is asked a month later. Right: the lines that are given as an answer hold it; wrong: they do not.
Shown as unsure: the nearest lines hold it, those that a terminal shows or others; denied: none does. Of what has no answer it counts how often one is given.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

from silence import LATER, Row, any_of_each, holds, lines, play

from memoryclaw.app import App
from memoryclaw.recall.ask import AnsweredQuestion

SHOWN = 3  # lines that a terminal shows where none is sure
OUTCOMES = (
    "right",
    "unsure, among three",
    "unsure, further down",
    "denied",
    "wrong",
    "answered, without an answer",
    "silent",
)


def outcome(answer: AnsweredQuestion, must: list[object]) -> str:
    """What became of one question."""
    text = "\n".join(line.text for line in answer.lines)
    if not must:
        return "answered, without an answer" if answer.answered else "silent"
    is_held = all(holds(text, values) for values in any_of_each(must))
    if answer.answered or not is_held:
        return ("right" if is_held else "wrong") if answer.answered else "denied"
    best = "\n".join(line.text for line in answer.lines[:SHOWN])
    return OUTCOMES[1] if all(holds(best, values) for values in any_of_each(must)) else OUTCOMES[2]


def asked(path: Path, root: Path) -> Iterator[tuple[str, Row, AnsweredQuestion]]:
    """The questions about one log, each with what became of it."""
    evening = root / "evening"
    if not evening.exists():
        root.mkdir(parents=True)
        evening.write_text(play(path, root / "vault").isoformat(), encoding="utf-8")
    now = datetime.fromisoformat(evening.read_text(encoding="utf-8")) + LATER
    with closing(App(root / "vault", clock=lambda: now)) as app:
        for row in lines(path):
            answer = app.ask(row["question"])
            yield outcome(answer, row["must"]), row, answer


def main() -> int:
    """Asks, and prints what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dir", nargs="+", type=Path)
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keep the vaults there")
    parser.add_argument("--misses", action="store_true", help="list what was denied or is wrong")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    misses = []
    with tempfile.TemporaryDirectory(prefix="memoryclaw-ask-") as folder:
        for data in options.dir:
            of_set = counts.setdefault(str(data), Counter())
            for path in sorted(data.glob("*.questions.jsonl")):
                root = (options.cache or Path(folder)) / f"{data.parent.name}-{data.name}" / path.name
                for result, row, answer in asked(path, root):
                    of_set[result] += 1
                    if result in ("denied", "wrong"):
                        misses.append(
                            f"{result}: {row['question']}"
                            + "".join(f"\n    {line.text}" for line in answer.lines)
                        )
    if options.json:
        print(json.dumps({"counts": counts, **({"misses": misses} if options.misses else {})}, indent=1))
        return 0
    for name, count in counts.items():
        print(f"{name}: " + ", ".join(f"{count[result]} {result}" for result in OUTCOMES))
    print("\n".join(misses if options.misses else ()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
