from __future__ import annotations

from dataclasses import replace

import pytest
from changesets import (
    BOATHOUSE,
    CONFIRM,
    FILES,
    FIRST,
    FIRST_NOTE,
    PROJECTS,
    SECOND,
    TWIN,
    TWIN_NOTE,
    WAITING,
    colour,
    deadline,
    episode,
    note,
    whole,
)

from memoryclaw.consolidation.actions import (
    ACTIONS,
    AddSource,
    AddStatement,
    ConfirmFact,
    MoveFile,
    NewFile,
    Replace,
)
from memoryclaw.consolidation.apply import summary_of
from memoryclaw.consolidation.changes import (
    ChangeSet,
    PlannedChange,
    moves,
    outcome_of,
    read_plan,
    rewrites,
    write_plan,
)
from memoryclaw.errors import InputError
from memoryclaw.vault.edits import SemanticFile
from memoryclaw.writing.pending import read_pending

NONE = frozenset()
PATH = "semantic/projects.md"


def performed(text, *actions):
    """The text of the one file that these actions touch."""
    [patch] = rewrites(PlannedChange("fact", "t", actions), NONE).values()
    return patch(text)


def facts(text):
    facts = SemanticFile(PATH, NONE).facts(text).facts
    return {(fact.entity, fact.field, fact.value, fact.current) for fact in facts}


def test_several_actions_on_one_file_are_one_patch():
    patches = rewrites(episode("e", "Words", BOATHOUSE, colour(), deadline(), CONFIRM), NONE)
    assert [*patches] == ["episodes/e.md", PATH]
    text = patches[PATH](PROJECTS)
    assert facts(text) - facts(PROJECTS) == {
        ("Kitchen", "paint", "matt Dünensand", True),
        ("Boathouse Aarhus", "deadline", "2026-12-18", True),
        ("Boathouse Aarhus", "deadline", "2026-12-11", False),
    }
    assert "- lead: Søren [source:: [[2026-11-20_18-00-00_boathouse#^l3]]]" in text


def test_every_patch_made_twice_is_made_once():
    before = dict(FILES)
    once = {path: after for path, (_, after) in outcome_of(whole().changes, NONE, before.get).items()}
    again = {path: text or None for path, text in once.items()}
    for change in whole().changes:
        for path, patch in rewrites(change, NONE).items():
            now = again.get(path)
            assert patch(now) == now


def test_a_file_that_stands_there_is_left_as_a_person_made_it():
    new = NewFile("episodes/e.md", note("e", "Words", BOATHOUSE))
    assert performed(None, new) == new.text
    assert performed("mine\n", new) == "mine\n"
    assert performed("", new) == ""


def test_half_a_character_of_a_log_does_not_keep_a_note_from_being_written():
    assert performed(None, NewFile("episodes/e.md", "a \ud83d b\n")) == "a ? b\n"


def test_a_note_is_replaced_where_there_still_is_one():
    again = Replace("episodes/e.md", "today\n")
    assert performed("then\n", again) == "today\n"
    assert performed(None, again) is None


def test_a_value_that_was_superseded_since_does_not_come_back():
    later = performed(performed(PROJECTS, deadline()), deadline("2027-01-15", "2026-11-21"))
    assert performed(later, deadline()) == later


def test_a_value_that_holds_again_is_set_again():
    later = performed(PROJECTS, deadline())
    back = performed(later, deadline("2026-12-11", "2026-11-21"))
    assert ("Boathouse Aarhus", "deadline", "2026-12-11", True) in facts(back)


@pytest.mark.parametrize("value", ["Søren Kjeldsen", "Zoë"])
def test_a_fact_that_says_something_else_by_now_is_not_confirmed(value):
    text = PROJECTS.replace("- lead: Søren", f"- lead: {value}")
    assert performed(text, CONFIRM) == text


def test_a_fact_or_a_file_that_is_gone_is_not_confirmed():
    assert performed(None, CONFIRM) is None
    assert performed("# Other\n", CONFIRM) == "# Other\n"
    assert performed(PROJECTS, ConfirmFact(PATH, "semantic/projects#No.one", "x", "e")) == PROJECTS


SAID = AddStatement(
    PATH, "Kitchen", 'they call it "the barn"', "2026-11-20", "2026-11-20_17-48-20_kitchen-wall-colour#^l3"
)


def test_what_was_said_is_written_once_below_the_facts():
    text = performed(PROJECTS, SAID)
    line = "- \"they call it 'the barn'\" [said:: 2026-11-20] [source:: [[2026-11-20_17-48-20_kitchen-wall-colour#^l3]]]\n"
    assert text == PROJECTS + line
    assert performed(text, SAID) == text
    assert (SAID.counted_as, SAID.subject) == ("statement", "Kitchen said: \"they call it 'the barn'\"")


def test_a_statement_that_a_later_one_was_tied_to_does_not_come_back():
    once = performed(PROJECTS, SAID)
    [id_] = [fact.id for fact in SemanticFile(PATH, NONE).facts(once).facts if fact.is_statement]
    later = AddStatement(PATH, "Kitchen", "the hall", "2026-12-01", "", (id_,))
    tied = performed(once, later)
    assert facts(tied) - facts(PROJECTS) == {
        ("Kitchen", "", "the hall", True),
        ("Kitchen", "", "they call it 'the barn'", False),
    }
    assert performed(tied, later) == tied
    assert performed(tied, SAID) == tied


def test_a_statement_goes_through_a_plan_and_counts_as_one():
    change = PlannedChange(
        "fact", SAID.subject, (replace(SAID, replaces=("semantic/projects#A b.said-0", "x")),)
    )
    changes = ChangeSet("run", changes=(change,))
    assert read_plan(write_plan(changes)) == changes
    assert summary_of(changes, "direct") == "1 statement"


def test_a_fact_that_waits_waits_once():
    text = performed(None, WAITING)
    assert performed(text, WAITING) == text
    assert [waiting.value for waiting in read_pending(text)] == ["oak"]


def test_sources_are_added_to_those_that_are_there():
    once = performed(FIRST_NOTE, AddSource(FIRST, (TWIN, BOATHOUSE)))
    first = TWIN.replace("11-19", "11-18")
    assert [part in once for part in (first, TWIN, BOATHOUSE)] == [True] * 3
    assert performed(once, AddSource(FIRST, (TWIN,))) == once
    assert once.endswith("---\nThe kitchen wall.\n")
    assert performed(None, AddSource(FIRST, (TWIN,))) is None


def test_a_source_that_is_no_list_is_not_written_over():
    with pytest.raises(InputError, match="neither text nor a list"):
        performed("---\nsource:\n  kind: web\n---\nx\n", AddSource(FIRST, (TWIN,)))


def test_a_twin_moves_as_it_is():
    [moved] = moves(whole().changes[5])
    outcome = outcome_of(whole().changes, NONE, FILES.get)
    assert (outcome[SECOND], outcome[moved.to]) == ((TWIN_NOTE, ""), ("", TWIN_NOTE))


def test_what_cannot_be_done_is_left_out_of_the_outcome():
    broken = PlannedChange("fact", "t", (colour(value=" "),))
    assert outcome_of([broken], NONE, FILES.get)[PATH] == (PROJECTS, PROJECTS)


def test_each_action_names_itself_its_files_and_where_it_may_be_proposed():
    new = NewFile("episodes/e.md", "x\n")
    assert len({action.heading for action in ACTIONS}) == len(ACTIONS)
    assert (new.paths, WAITING.paths) == (("episodes/e.md",), ("semantic/_pending.md",))
    assert MoveFile(FIRST, SECOND).paths == (FIRST, SECOND)
    assert [action.may_be_proposed() for action in (new, WAITING, CONFIRM, colour(path="notes/a.md"), MoveFile(FIRST, SECOND))] == [
        True, True, True, False, False,
    ]  # fmt: skip
    made = ("notes/basic-memory/a.md", "notes/basic-memory/deep/b.md", "semantic/c.md", "skills/_drafts/d/SKILL.md", "notes/a.md", "notes/basic-memory/a.sh", "skills/s/SKILL.md", "review/r.md", "logs/2026-01-01/l.md")  # fmt: skip
    assert [NewFile(path, "x").may_be_proposed() for path in made] == [True] * 4 + [False] * 5
    assert MoveFile("notes/a.md", "archive/notes/a.md").may_be_proposed()
    elsewhere = (
        "archive/notes/b.md",
        "archive/notes/a/b.md",
        "archive/notes/a.sh",
        "notes/a.md",
        "semantic/a.md",
    )
    assert not any(MoveFile("notes/a.md", to).may_be_proposed() for to in elsewhere)
    assert not MoveFile("skills/s/SKILL.md", "archive/skills/s/SKILL.md").may_be_proposed()
