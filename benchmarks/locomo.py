"""The figures of recall.py for one set, under the keys that earlier measurements have.

The rows: `conversations` (a vault each), `pooled` (all of them in one vault), and `vectors` (a vault each with the vector
fallback on, where it is installed).

    python benchmarks/locomo.py --data DIR [--rows conversations,pooled,vectors] [--model NAME] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from conversations import DataError, Row
from recall import OURS, PLAIN, STRATEGY, VECTORS, Options, compare, comparison, run, sets_of

from memoryclaw.models.packaged import MINILM

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
    rows: dict[str, Row] = {}
    try:
        first = sets_of([given.data])[:1]
        if "conversations" in wanted or "vectors" in wanted:
            asked = Options(budgets=BUDGETS, vectors=given.model if "vectors" in wanted else "")
            rows["each"] = run(compare, first, asked, jobs=1)
        if "pooled" in wanted:
            rows["pooled"] = run(compare, first, Options(pooled=True), jobs=1)
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    if given.json:
        print(json.dumps(in_old_keys(rows, wanted, given.model), indent=1))
    else:
        print("\n\n".join("\n".join((row, *comparison(result))) for row, result in rows.items()))
    return 0


def in_old_keys(rows: Row, wanted: Sequence[str], model: str) -> Row:
    """The rows' figures; those of `conversations` stand at the top."""
    result: Row = {}
    for row, measured in rows.items():
        [set_] = measured["sets"].values()
        shown = {name: figures(row) for name, row in set_["found"].items()}
        if row == "pooled":
            ranked = {
                of: {name: shown[of][name] for name in ("turn", "session", "ms")} for of in (OURS, PLAIN)
            }
            counted = {name: set_[name] for name in ("turns", "sessions")}
            result["pooled"] = {**ranked[OURS], **counted, "plain_fts5": ranked[PLAIN]}
            continue
        if "conversations" in wanted:
            asked = {"questions": set_["asked"]}
            result |= {**shown[OURS], **asked, "plain_fts5": {**shown[PLAIN], **asked}}
        if VECTORS in shown:
            kept = {name: shown[VECTORS][name] for name in ("turn", "session", "budget", "ms")}
            result["vectors"] = {"model": model, "strategy": STRATEGY, **kept}
        elif "vectors" in wanted:
            result["vectors"] = {"missing": set_["missing"][VECTORS]}
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
