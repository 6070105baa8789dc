"""The table of forms, checked row by row."""

from __future__ import annotations

import re

import secretset

from memoryclaw.text.redaction import LONG, SHAPES, SHORTEST, TOKENS, Redactor


def test_every_row_compiles_and_is_asked_for_in_lower_case():
    for rule in (*TOKENS, *SHAPES):
        re.compile(rule.pattern)
        assert rule.near, rule
        assert all(near == near.lower() for near in rule.near), rule
        assert re.fullmatch(r"[a-z0-9-]{1,40}", rule.kind), rule


def test_a_key_of_a_known_form_needs_no_word_around_it():
    for kind, make in secretset.PREFIXED.items():
        maker = secretset.Maker(3)
        for _ in range(5):
            out = Redactor(b"k").text(f"see {make(maker)} there").value
            assert re.fullmatch(r"see .*\[REDACTED:.* there", out), (kind, out)


def test_every_token_holds_a_word_so_long_that_it_is_looked_at():
    """Lines without a word of `SHORTEST` characters are passed over, so no row may match less; nor may a row that is asked for by a single sign match less than `LONG`."""
    for rule in TOKENS:
        unspaced = re.split(r"\\s\+", rule.pattern)  # the one place where a row allows a space
        assert all(r"\s" not in part.replace(r"[^\s", "") for part in unspaced), rule
        assert not any(
            re.search(r"(?<!\\)\.(?!\w)|(?<!\\) ", re.sub(r"\[[^\]]*\]", "", part)) for part in unspaced
        )
        longest = max(re._parser.parse(part).getwidth()[0] for part in unspaced)
        assert longest >= (LONG if any(len(near) == 1 for near in rule.near) else SHORTEST), rule
