"""What becomes of two hundred changes of thirty-one kinds, and of thirty-four lines beside which something else was said: said in October, changed in November, each in a vault of its own, without a model.

    python benchmarks/changes.py [--kind NAME] [--misses] [--json]

A change is superseded where only the new value stands, in conflict where a question waits or the old value is marked, missed where it stands unmarked;
and wrong where something else that was said in October stands no longer. A line beside which something else was said is kept. The sentences are our own: they guard what works.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memoryclaw.app import App

CASES = Path(__file__).with_suffix(".jsonl")
OTHERS = ("my sister Ulla lives in Turku", "my blood type is A+", "my bike is a Brompton")
OUTCOMES = ("superseded", "in conflict", "missed", "kept", "wrong")


def main() -> int:
    """Runs the benchmark and prints its table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kind", action="append", help="only this one; may be repeated")
    parser.add_argument("--misses", action="store_true", help="list what was missed or is wrong")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    outcomes = [(case, outcome(case)) for case in cases if not options.kind or case["kind"] in options.kind]
    counts = {kind: Counter[str]() for kind in (*dict.fromkeys(case["kind"] for case, _ in outcomes), "all")}
    for case, result in outcomes:
        counts[case["kind"]][result] += 1
        counts["all"][result] += 1
    if options.json:
        print(json.dumps(counts, indent=1))
        return 0
    print(f"{'kind':10}", *(f"{name:>12}" for name in OUTCOMES))
    for kind, count in counts.items():
        print(f"{kind:10}", *(f"{count[name]:12}" for name in OUTCOMES))
    for case, result in outcomes if options.misses else ():
        if result in ("missed", "wrong"):
            print(f"{result}: {case['before'][-1]} / {case['after']}")
    return 0


def outcome(case: dict[str, Any]) -> str:
    """What became of one change."""
    with tempfile.TemporaryDirectory(prefix="memoryclaw-changes-") as folder:
        root = Path(folder)
        night(root, "2026-10-02", (*OTHERS, *case["before"]))
        before = standing(root)
        night(root, "2026-11-02", (case["after"],))
        after, waits = standing(root), (root / "semantic/_pending.md")
        if any(not any(said in line for line in after) for said in ("Turku", "A+", "Brompton")):
            return "wrong"
        if not case["new"]:  # nothing has changed
            stood = any(case["old"] in line for line in before)
            return "wrong" if stood and not any(case["old"] in line for line in after) else "kept"
        if waits.exists() and case["new"] in waits.read_text(encoding="utf-8"):
            return "in conflict"
        if any(
            "[overtaken:: " in line and case["old"] in line
            for path in (root / "semantic").glob("*.md")
            for line in path.read_text(encoding="utf-8").splitlines()
        ):
            return "in conflict"
        stale = [line for line in after if line in before and case["old"] in line and case["new"] not in line]
        return "missed" if stale or not any(case["new"] in line for line in after) else "superseded"


def night(root: Path, day: str, texts: Sequence[str]) -> None:
    """Puts a conversation into the logs and consolidates it in its evening."""
    turns = [
        {"session": day, "ts": f"{day}T10:{n:02}:{second}:00Z"[:19] + "Z", "turn": 2 * n + at, "role": role, "content": content}
        for n, text in enumerate(texts)
        for at, (role, second, content) in enumerate((("user", "00", text), ("assistant", "30", "Thanks, noted.")))
    ]  # fmt: skip
    log = root / f"logs/{day}/talk.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")
    with App(root, clock=lambda: datetime.fromisoformat(f"{day}T20:00:00").replace(tzinfo=UTC)) as app:
        app.consolidate(llm="none")


def standing(root: Path) -> list[str]:
    """The facts and statements that stand."""
    with App(root) as app:
        return [f"{fact.field}: {fact.value}" for _, fact in app.facts() if fact.current]


if __name__ == "__main__":
    sys.exit(main())
