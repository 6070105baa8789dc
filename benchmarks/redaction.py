"""How well and how fast secrets are found: recall by kind, false alarms, microseconds a line, beside a loop over all rules.

The secrets are made by tests/secretset.py from the forms that issuers publish; the sentences around them are the held-out ones.

    python benchmarks/redaction.py [--each 20] [--clean 5000] [--seed 7] [--json]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests")]

import secretset  # noqa: E402 - the folder above is what makes it ours

from memoryclaw.text import redaction  # noqa: E402
from memoryclaw.text.redaction import (  # noqa: E402
    SHAPES,
    TOKENS,
    Redactor,
    named_secrets,
)

REPEATS = 3


def plain_loop(patterns: list[re.Pattern[str]], line: str) -> None:
    """Every rule on every line, as a list of rules is commonly used."""
    for pattern in patterns:
        for _ in pattern.finditer(line):
            pass
    for _ in named_secrets(line):
        pass


def best(lines: list[str], work: object) -> float:
    """Microseconds a line, the best of a few rounds."""
    rounds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        for line in lines:
            work(line)  # type: ignore[operator]
        rounds.append(time.perf_counter() - start)
    return min(rounds) / len(lines) * 1e6


def measure(each: int, clean: int, seed: int) -> dict[str, object]:
    redactor = Redactor(b"benchmark")
    samples = list(secretset.samples(seed, secretset.HELD_OUT, each))
    missed = Counter(s.kind for s in samples if secretset.survives(s, redactor.text(s.line).value))
    lines = list(secretset.clean(seed, clean))
    alarms = sum(redactor.text(line).value != line for line in lines)
    patterns = [redaction.lazy_pattern(rule) for rule in (*TOKENS, *SHAPES)]
    return {
        "secrets": len(samples),
        "kinds": len({s.kind for s in samples}),
        "recall": round(1 - missed.total() / len(samples), 4),
        "missed": dict(missed),
        "missed_with_prefix": sum(missed[k] for k in secretset.PREFIXED),
        "clean_lines": len(lines),
        "false_alarms": alarms,
        "us_per_clean_line": round(best(lines, redactor.text), 1),
        "us_per_secret_line": round(best([s.line for s in samples], redactor.text), 1),
        "us_per_clean_line_plain_loop": round(best(lines, lambda line: plain_loop(patterns, line)), 1),
        "rules": len(patterns),
    }


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--each", type=int, default=20, help="secrets of each kind")
    parser.add_argument("--clean", type=int, default=5000, help="lines without a secret")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    figures = measure(args.each, args.clean, args.seed)
    if args.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:<30}{value}")


if __name__ == "__main__":
    main()
