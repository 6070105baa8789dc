from __future__ import annotations

import pytest
from changesets import FILES, whole

from memoryclaw.consolidation.actions import AddStatement, NewFile
from memoryclaw.consolidation.apply import Loss, losses, lost_lines, must_be_its_own, must_keep
from memoryclaw.consolidation.changes import PlannedChange, outcome_of
from memoryclaw.errors import BudgetError

TEN = "".join(f"line number {i} of ten\n" for i in range(10))


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        ("a\nb\n", "a\nb\nc\n", 0),
        ("a\nb\n", "b\n", 1),
        ("a\n\n\nb\n", "a\nb\n", 0),
        ("a\na\n", "a\n", 1),
        ("- deadline: old [since:: d]\n", "- deadline: new\n\n## History\n- deadline: old [since:: d] [until:: e]\n", 0),
        ("- a: b [source:: [[x]]]\n", "- a: b [source:: [[x]], [[y]]]\n", 0),
        ("| Anna | Berlin |\n", "| Anna | Bern |\n", 1),
        ("| Anna | Berlin |\n", "| Anna | Bern |\n\n# History\n- Anna.city: Berlin\n", 0),
        ("a b c\n", "", 1),
        ("", "a\n", 0),
        ("- a\r\n- b\r\n", "- b\n- a\n", 0),
    ],
)  # fmt: skip
def test_a_line_is_lost_when_it_stands_nowhere_and_its_words_did_not_move(before, after, count):
    assert lost_lines(before, after) == count


def test_a_line_that_another_file_gets_is_not_lost():
    assert losses({"a.md": ("one\ntwo\n", "one\n"), "b.md": ("", "two\n")}) == []
    assert losses({"a.md": ("one\ntwo\n", "one\n"), "b.md": ("two\n", "two\n")}) == [Loss("a.md", 1, 2)]


def test_more_than_the_budget_is_refused_with_file_and_share():
    kept = TEN.replace("line number 3 of ten\n", "").replace("line number 4 of ten\n", "")
    must_keep({"notes/a.md": (TEN, kept)}, 0.2)
    with pytest.raises(BudgetError, match=r"notes/a\.md would lose 2 of its 10 lines \(20%\)"):
        must_keep({"notes/a.md": (TEN, kept)}, 0.1)


def test_an_undo_removes_at_most_as_many_lines_as_its_changes_brought():
    steps = [("a.md", "1\n2\n", "1\n2\n3\n"), ("a.md", "1\n", "1\n2\n")]
    must_be_its_own(steps, [("1\n", "1\n2\n"), ("1\n2\n", "1\n2\n3\n")])
    with pytest.raises(BudgetError, match="remove 2 lines, more than the 1"):
        must_be_its_own(steps, [("1\n2\n", "1\n2\n3\n")])


def test_the_worst_file_is_the_one_named():
    with pytest.raises(BudgetError, match=r"b\.md"):
        must_keep({"a.md": (TEN, TEN[22:]), "b.md": ("x\ny\n", "x\n")}, 0.2)


def test_nothing_that_consolidation_does_loses_a_line():
    outcome = outcome_of(whole().changes, frozenset({"projects"}), FILES.get)
    assert losses(outcome) == []
    must_keep(outcome, 0)


def test_of_an_episode_whose_fact_no_longer_fits_its_file_the_rest_comes_out_as_planned():
    people = '# Nora\n- "I drive a Saab" [said:: 2026-11-01]\n'
    overtaken = AddStatement("semantic/people.md", "Nora", "I drive a Volvo now", "2026-11-20", basis="I drive an Opel (2026-10-01)")  # fmt: skip
    stated = AddStatement("semantic/people.md", "Nora", "the boat is called Alba", "2026-11-20")
    change = PlannedChange("episode", "A talk", (NewFile("episodes/talk.md", "# Talk\n"), overtaken, stated))
    texts = {"semantic/people.md": people}
    planned = outcome_of([change], frozenset(), texts.get, as_planned=True)
    assert planned["episodes/talk.md"] == ("", "# Talk\n")
    assert "called Alba" in planned["semantic/people.md"][1]
    assert "Volvo" not in planned["semantic/people.md"][1]
    assert "Volvo" in outcome_of([change], frozenset(), texts.get)["semantic/people.md"][1]
