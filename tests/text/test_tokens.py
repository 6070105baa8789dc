"""The estimate of what a text costs in a prompt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryclaw.text.prompts import cost, estimate, one_line


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0), ("a", 1), ("Boathouse", 1), ("foundations", 2), ("it's", 2), ("Yes!", 2), ("2025-04-08", 6),
        ("on 2025", 4), ("NASA", 2), ("木栓", 2), ("Übergabe", 2), ("🎉", 2), ("привет", 2), ("{}", 1), ("a\n\nb", 3),
    ],
)  # fmt: skip
def test_what_texts_cost(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@settings(deadline=None)
@given(st.lists(st.text(max_size=80).map(one_line), max_size=6))
def test_a_text_costs_what_its_lines_cost(lines: list[str]) -> None:
    shown = [line for line in lines if line]
    assert cost("".join(f"{line}\n" for line in shown)) == sum(cost(f"{line}\n") for line in shown)


COUNTED = json.loads((Path(__file__).parents[2] / "benchmarks" / "tokens.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", COUNTED)
def test_the_estimate_is_near_what_a_real_tokenizer_counted(kind: str) -> None:
    counted = COUNTED[kind]
    ratio = estimate(counted["text"]) / counted["o200k_base"]
    assert ratio <= (1.10 if kind.startswith("English") else 1.3)
    assert ratio >= (0.90 if kind.startswith("Dutch") else 0.95)
