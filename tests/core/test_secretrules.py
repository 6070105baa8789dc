"""The table of forms, checked row by row."""

from __future__ import annotations

import re

import pytest
import secretset

from memoryclaw.core.redaction import Redactor
from memoryclaw.core.secretrules import SHAPES, TOKENS


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
