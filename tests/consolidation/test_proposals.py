from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.consolidation.actions import (
    AddPending,
    AddSource,
    AddStatement,
    ConfirmFact,
    DoubtFact,
    MoveFile,
    NewFile,
    Replace,
    SetFact,
)
from memoryclaw.consolidation.changes import (
    BOTH,
    PlannedChange,
    about,
    fingerprint_of,
    proposal,
    read_proposal,
)
from memoryclaw.model import Problem
from memoryclaw.vault.notes import ReadingSettings, read_note

RUN = "consolidate-20261121T101500-abc123"
FACT = SetFact("semantic/projects.md", "Boathouse Aarhus", "deadline", "2026-12-18", "2026-05-01", "ep#^l3")
EPISODE = NewFile("episodes/2026-03-10_17-48-20_wall.md", "---\nid: wall\n---\n- Nora: Dünensand 14. ^l3\n")
CHANGE = PlannedChange(
    kind="episode",
    title="Kitchen wall colour agreed",
    actions=(EPISODE, FACT),
    evidence=('Nora: "It is Dünensand 14"',),
    source="logs/2026-03-10/s1.jsonl#1-6@0123456789abcdef",
    confidence="high",
    reason="your settings say that everything is proposed first",
    id="wall",
)

hostile = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(
            [
                "~~~",
                "~~~~\n",
                "~~~markdown\n",
                "\n## Move\n- file: a\n",
                "---\n",
                "- [x] approve\n",
                "\r\n",
                '"',
                "\\",
                " ",
                "\x00",
                "\u2028",
                "\ud800",
            ]
        )
    ).map("".join),
)
episode_path = st.sampled_from(["episodes/a.md", "episodes/deep/b c.md"])
semantic_path = st.sampled_from(["semantic/people.md", "semantic/a/b.md"])
ranges = st.lists(
    st.sampled_from(["logs/a b/s.jsonl#1-6@0123456789abcdef", "logs/t.jsonl#7-7@fedcba9876543210"])
).map(tuple)
action = st.one_of(
    st.builds(NewFile, episode_path, hostile),
    st.builds(Replace, episode_path, hostile),
    st.builds(SetFact, semantic_path, hostile, hostile, hostile, hostile, hostile, st.booleans()),
    st.builds(AddStatement, semantic_path, hostile, hostile, hostile, hostile, st.lists(hostile).map(tuple)),
    st.builds(ConfirmFact, semantic_path, hostile, hostile, hostile),
    st.builds(DoubtFact, semantic_path, hostile, hostile, hostile, hostile, hostile, hostile),
    st.builds(AddPending, hostile, hostile, hostile, hostile, hostile, hostile, hostile, hostile),
    st.builds(AddSource, episode_path, ranges),
    st.builds(MoveFile, episode_path, st.just("archive/episodes/x.md")),
)
changes = st.builds(
    PlannedChange,
    kind=st.sampled_from(["episode", "fact", "merge"]),
    title=hostile,
    actions=st.lists(action, min_size=1, max_size=4).map(tuple),
    evidence=st.lists(hostile, max_size=3).map(tuple),
    source=ranges.map(" ".join),
    confidence=st.sampled_from(["", "low", "high"]),
    reason=hostile,
    id=st.just("x"),
)


@given(changes)
def test_a_proposal_is_read_back_as_exactly_the_actions_it_was_written_for(change):
    path, text = proposal(change, RUN)
    back = read_proposal(text)
    assert isinstance(back, PlannedChange)
    assert back.actions == change.actions
    assert (back.kind, back.source, back.confidence) == (change.kind, change.source, change.confidence)
    header = about(text, path)
    assert (header.run, header.box, header.fingerprint) == (RUN, "", fingerprint_of(change))
    assert text.encode()  # no lone surrogate reaches the file


@given(changes)
def test_line_ends_of_another_editor_change_nothing(change):
    path, text = proposal(change, RUN)
    edited = "\ufeff" + text.replace("\n", "\r\n")
    assert read_proposal(edited) == read_proposal(text)
    assert about(edited, path) == about(text, path)


@given(st.text())
def test_any_text_at_all_is_a_change_or_a_problem(text):
    assert isinstance(read_proposal(text), PlannedChange | Problem)


def test_the_note_says_why_it_waits_what_was_said_and_how_to_answer():
    path, text = proposal(CHANGE, RUN)
    assert path.startswith("review/episode-")
    assert "\nWaits: your settings say that everything is proposed first\n" in text
    assert '\n> Nora: "It is Dünensand 14"\n\n- [ ] approve\n- [ ] reject\n' in text
    assert "\n~~~markdown\n---\nid: wall\n---\n- Nora: Dünensand 14. ^l3\n~~~\n" in text
    assert "\n- entity: Boathouse Aarhus\n- field: deadline\n- value: 2026-12-18\n" in text
    note = read_note(path, text.encode(), ReadingSettings())
    assert (note.state, note.problems, note.id) == ("pending", (), about(text, path).id)


def test_the_same_proposal_of_another_run_has_the_same_path_and_another_one_has_not():
    again = CHANGE._replace(title="Another title", evidence=(), reason="", confidence="low")
    assert proposal(CHANGE, RUN)[0] == proposal(again, "consolidate-2")[0]
    other = CHANGE._replace(actions=(EPISODE, replace(FACT, value="2026-12-19")))
    assert proposal(CHANGE, RUN)[0] != proposal(other, RUN)[0]


def test_what_a_person_changes_is_what_is_read():
    _, text = proposal(CHANGE, RUN)
    text = text.replace("Dünensand 14. ^l3", "Dünensand 15. ^l3\n\n## My own heading").replace(
        "- value: 2026-12-18", "* value:   2027-01-08  \n- mood: an unknown key"
    )
    back = read_proposal(text)
    assert isinstance(back, PlannedChange)
    assert back.actions == (
        replace(
            EPISODE,
            text=EPISODE.text.replace("14. ^l3", "15. ^l3\n\n## My own heading"),
        ),
        replace(FACT, value="2027-01-08"),
    )


@pytest.mark.parametrize(
    ("ticked", "box"),
    [(["approve"], "approve"), (["reject"], "reject"), (["approve", "reject"], BOTH), ([], "")],
)
def test_a_ticked_box_is_seen(ticked, box):
    path, text = proposal(CHANGE, RUN)
    for name in ticked:
        text = text.replace(f"- [ ] {name}", f"- [x] {name}")
    assert about(text, path).box == box


def test_no_word_of_the_evidence_or_the_content_ticks_a_box():
    tick = "- [x] approve"
    change = CHANGE._replace(
        title=tick,
        reason=tick,
        evidence=(tick, f"x\n{tick}"),
        actions=(replace(EPISODE, text=f"{tick}\n"), replace(FACT, value=tick, entity=f"x\n{tick}")),
    )
    path, text = proposal(change, f"run\n{tick}")
    assert about(text, path).box == ""


@pytest.mark.parametrize(
    "path",
    [
        "../x.md", "/etc/x.md", "episodes/../skills/a/SKILL.md", ".git/hooks/a.md", "skills/a/SKILL.md",
        "memoryclaw.yaml", "semantic/_schema.yaml", "semantic/_pending.md", "review/decisions.jsonl",
        "runs/a.md", "episodes/a.sh", "notes/a.md", "episodes/.obsidian/a.md", "a.md", "logs/a.md",
        "archive/episodes/a.md",
    ],
)  # fmt: skip
def test_a_proposal_touches_no_other_path(path):
    for action in (
        NewFile(path, "x\n"),
        Replace(path, "x\n"),
        SetFact(path, "a", "b", "c"),
        MoveFile(path, "archive/x.md"),
    ):
        _, text = proposal(CHANGE._replace(actions=(action,)), RUN)
        assert isinstance(read_proposal(text), Problem), action


@pytest.mark.parametrize(
    "to", ["skills/a/SKILL.md", "episodes/b.md", "../b.md", "archive/../b.md", "archive/x.sh"]
)
def test_a_proposal_moves_a_note_only_to_the_archive(to):
    _, text = proposal(CHANGE._replace(actions=(MoveFile("episodes/a.md", to),)), RUN)
    assert isinstance(read_proposal(text), Problem)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("\n~~~\n", "\n"), "never closed"),
        (lambda text: text.replace("## Fact", "## Run a command"), "a proposal has no action"),
        (lambda text: text.replace("- entity: Boathouse Aarhus\n", ""), "lacks its entity"),
        (lambda text: text[: text.index("## New")], "does not say what"),
    ],
)
def test_what_cannot_be_read_is_a_problem_with_its_line(change, message):
    problem = read_proposal(change(proposal(CHANGE, RUN)[1]))
    assert isinstance(problem, Problem)
    assert message in problem.message
    assert problem.line >= 1
