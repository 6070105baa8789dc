"""The figures of recall.py for one set, under the keys that earlier measurements have.

The rows: `conversations` (a vault each), `pooled` (all of them in one vault), and `vectors` (a vault each with the vector
fallback on, where it is installed).

    python benchmarks/locomo.py --data DIR [--rows conversations,pooled,vectors] [--model NAME] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from conversations import DataError, Row
from recall import OURS, PLAIN, STRATEGY, VECTORS, Options, compare, comparison, run, sets_of

from memoryclaw.models.wheel import MINILM

ROWS = ("conversations", "pooled", "vectors")
BUDGETS = (200, 400, 600, 800)


def main() -> int:
    """Runs the rows that are wanted and prints them."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--data", required=True, type=Path, help="as for recall.py, one set")
    options.add_argument("--rows", default=",".join(ROWS), help=f"some of {', '.join(ROWS)}")
    options.add_argument("--model", default=MINILM, help="of the vectors")
    options.add_argument("--json", action="store_true", help="print JSON")
    given = options.parse_args()
    wanted = given.rows.split(",")
    if unknown := sorted(set(wanted) - set(ROWS)):
        options.error(f"there is no row {unknown[0]!r}; choose from {', '.join(ROWS)}")
    try:
        one = sets_of([given.data])[:1]
        found = {
            row: run(
                compare,
                one,
                Options(
                    budgets=() if row == "pooled" else BUDGETS,
                    pooled=row == "pooled",
                    vectors=given.model if row == "vectors" else "",
                ),
                jobs=1,
            )
            for row in ROWS
            if row in wanted
        }
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    if given.json:
        print(json.dumps(in_old_keys(found, given.model), indent=1))
    else:
        print("\n\n".join("\n".join((row, *comparison(result))) for row, result in found.items()))
    return 0


def in_old_keys(found: Row, model: str) -> Row:
    """The rows' figures; those of `conversations` stand at the top."""
    result: Row = {}
    for row, measured in found.items():
        [one] = measured["sets"].values()
        ours, plain = (figures(one["found"][name]) for name in (OURS, PLAIN))
        ranked = ("turn", "session", "ms")
        if row == "conversations":
            asked = {"questions": one["asked"]}
            result |= {**ours, **asked, "plain_fts5": {**plain, **asked}}
        elif row == "pooled":
            counted = {name: one[name] for name in ("turns", "sessions")}
            shown = {name: ours[name] for name in ranked}
            result[row] = {**shown, **counted, "plain_fts5": {name: plain[name] for name in ranked}}
        elif VECTORS in one["missing"]:
            result[row] = {"missing": one["missing"][VECTORS]}
        else:
            shown = figures(one["found"][VECTORS])
            kept = {name: shown[name] for name in ("turn", "session", "budget", "ms")}
            result[row] = {"model": model, "strategy": STRATEGY, **kept}
    return result


def figures(row: Row) -> Row:
    """One searcher's figures; `session` counts questions with a false premise, too."""
    return {
        "turn": row["turn"],
        "session": row["session_all"],
        "session_nonadversarial": row["session"],
        "budget": {budget: packed["evidence"] for budget, packed in row["packed"].items()},
        "ms": row["cpu_ms"],
    }


if __name__ == "__main__":
    sys.exit(main())
