"""The table of forms, checked row by row."""

from __future__ import annotations

import re

import pytest
import secretset

from memoryclaw.text.redaction import SHAPES, SHORTEST, TOKENS, Redactor


@pytest.mark.parametrize("rule", [*TOKENS, *SHAPES], ids=lambda rule: f"{rule.kind}-{rule.near[0]}")
def test_every_row_compiles_and_is_asked_for_in_lower_case(rule):
    re.compile(rule.pattern)
    assert rule.near
    assert all(near == near.lower() for near in rule.near)
    assert re.fullmatch(r"[a-z0-9-]{1,40}", rule.kind)


@pytest.mark.parametrize("kind", secretset.PREFIXED)
def test_a_key_of_a_known_form_needs_no_word_around_it(kind):
    maker = secretset.Maker(3)
    for _ in range(5):
        secret = secretset.PREFIXED[kind](maker)
        out = Redactor(b"k").text(f"see {secret} there").value
        assert "[REDACTED:" in out
        assert out.startswith("see ")
        assert out.endswith(" there")


@pytest.mark.parametrize("rule", TOKENS, ids=lambda rule: f"{rule.kind}-{rule.near[0]}")
def test_every_token_holds_a_word_so_long_that_it_is_looked_at(rule):
    """Lines without a word of `SHORTEST` characters are passed over, so no row may match less."""
    unspaced = re.split(r"\\s\+", rule.pattern)  # the one place where a row allows a space
    assert all(r"\s" not in part.replace(r"[^\s", "") for part in unspaced)
    assert not any(
        re.search(r"(?<!\\)\.(?!\w)|(?<!\\) ", re.sub(r"\[[^\]]*\]", "", part)) for part in unspaced
    )
    longest = max(re._parser.parse(part).getwidth()[0] for part in unspaced)
    assert longest >= SHORTEST
