"""Facts are taken back by their lines: what came around them since does not matter, what was changed since stays."""

from __future__ import annotations

import pytest

from memoryclaw.review.file_changes import take_back_facts, take_back_questions
from memoryclaw.vault.edits import SemanticFile

FILE = SemanticFile("semantic/people.md", frozenset())
BERLIN = "# Anna\n- city: Berlin\n"
BERN = "# Anna\n- city: Bern [since:: 2026-03-10]\n\n## History\n- city: Berlin [until:: 2026-03-10]\n"


@pytest.mark.parametrize(
    ("before", "after", "now", "wanted", "left"),
    [
        # Lines that came beside it stay; the line goes.
        (BERLIN, BERLIN + "- a: 1\n", BERLIN + "- a: 1\n- b: 2\n", BERLIN + "- b: 2\n", ()),
        # The old value comes back from History, and the heading of an empty History goes.
        (BERLIN, BERN, BERN.replace("\n\n##", "\n- b: 2\n\n##"), BERLIN + "- b: 2\n", ()),
        # A newer value stands in its place: it stays, with its History.
        (BERLIN, BERN, BERN.replace("Bern", "Basel"), BERN.replace("Bern", "Basel"), ("Anna.city",)),
        # A file that the change made goes when nothing is left, and stays for what came since.
        (None, "# Anna\n- a: 1\n", "# Anna\n- b: 2\n- a: 1\n", "# Anna\n- b: 2\n", ()),
        (None, "# Anna\n- a: 1\n", "# Anna\n\n- a: 1\n", None, ()),
        # A new heading goes when nothing is left below it.
        (
            "x\n",
            "x\n\n# Anna\n- a: 1\n",
            "x\n\n# Anna\n- a: 1\n\n# Tom\n- b: 2\n",
            "x\n\n# Tom\n- b: 2\n",
            (),
        ),
        # What a person took away is no matter.
        ("x\n", "x\n\n# Anna\n- a: 1\n- b: 1\n", "x\n\n# Anna\n- a: 1\n", "x\n", ()),
        # One more source came: the line was changed.
        (None, "# A\n- a: 1\n", "# A\n- a: 1 [source:: [[x]]]\n", "# A\n- a: 1 [source:: [[x]]]\n", ("A.a",)),
    ],
)
def test_facts(before, after, now, wanted, left):
    outcome = take_back_facts(before, after, now, FILE)
    assert outcome == (wanted, left)


def test_prose_and_facts_that_went_are_not_told_by_lines():
    assert take_back_facts("x\n", "y\n", "y\nz\n", FILE) is None
    assert take_back_facts(BERLIN, "# Anna\n", "# Anna\n- b: 2\n", FILE) is None


def test_questions():
    first, second = "- [ ] Anna.city: Bern\n  - why: x\n", "- [ ] Tom.city: Rome\n"
    assert take_back_questions("", first, first + second) == (second, ())
    assert take_back_questions(None, "# W\n\n" + first, "# W\n\n" + first) == (None, ())
    ticked = first.replace("[ ]", "[x]") + second
    assert take_back_questions("", first, ticked) == (ticked, ("Anna.city",))
    assert take_back_questions(first, "", second) == (second + first, ())
