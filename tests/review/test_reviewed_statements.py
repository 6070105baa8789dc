"""What was said waits, is approved, is blamed on its commit and its log, and is taken back: as facts are."""

from __future__ import annotations

import json

import pytest
from gitvault import NOW, git, pen_for, vault_of

from memoryclaw.consolidation.actions import AddPending, AddStatement
from memoryclaw.consolidation.apply import apply
from memoryclaw.consolidation.changes import ChangeSet, PlannedChange, proposal
from memoryclaw.review.decide import apply as apply_boxes
from memoryclaw.review.decide import approve, decide, ticked_facts
from memoryclaw.review.file_changes import take_back_facts
from memoryclaw.review.file_history import blame, history
from memoryclaw.review.queue import chosen, waiting_items
from memoryclaw.review.undo import undo
from memoryclaw.vault.edits import SemanticFile
from memoryclaw.vault.facts import statement_id
from memoryclaw.vault.layout import DECISIONS_FILE
from memoryclaw.vault.logs import range_of
from memoryclaw.writing.decisions import APPROVED, REJECTED, Decisions, fingerprint
from memoryclaw.writing.edit import edit, forget, revive
from memoryclaw.writing.pending import add_pending, read_pending, remove_pending
from memoryclaw.writing.remember import remember

PEOPLE = "semantic/people.md"
RUN = "consolidate-20261121T101500-abc123"
LATER = "consolidate-20261122T101500-abc124"
EPISODE = "2026-03-10_17-48-20_wedding"
LOG = "logs/2026-03-10/s1.jsonl"
LINES = [
    json.dumps({"ts": f"2026-03-10T17:48:2{n}Z", "session": "s1", "turn": n, "role": "user", "name": "Tam", "content": said})
    for n, said in enumerate(("hi", "so", "5 september, holroyd barn near otley"))
]  # fmt: skip
RANGE = str(range_of(LOG, [f"{line}\n".encode() for line in LINES], 1, 3))
NOTE = f"---\nid: {EPISODE}\nsource: {RANGE}\n---\n- Tam: 5 september, holroyd barn near otley ^l3\n"
BARN = "5 september, holroyd barn near otley"
TAM = "# Tam\n- email: tam@example.com\n"
SAID = AddStatement(PEOPLE, "Tam", BARN, "2026-03-10", f"{EPISODE}#^l3")
ID = statement_id("semantic/people", "Tam", BARN)
LINE = f'- "{BARN}" [said:: 2026-03-10] [source:: [[{EPISODE}#^l3]]]\n'


@pytest.fixture
def root(tmp_path):
    root = vault_of(tmp_path / "v", {PEOPLE: TAM, f"episodes/{EPISODE}.md": NOTE})
    (root / LOG).parent.mkdir(parents=True)
    (root / LOG).write_text("\n".join(LINES) + "\n")
    return root


def run(root, *actions, name=RUN, mode="direct"):
    """Makes a change set of statements, one commit each."""
    changes = tuple(PlannedChange("fact", action.subject, (action,), source=RANGE) for action in actions)
    return apply(pen_for(root), ChangeSet(name, ranges=(RANGE,), changes=changes), mode=mode, loss_budget=0.2)


def people(root):
    return (root / PEOPLE).read_text()


# apply, undo


def test_a_run_commits_a_statement_and_is_taken_back_whole(root):
    run(root, SAID)
    assert people(root) == TAM + LINE
    assert git(root, "log", "-2", "--format=%s").splitlines()[-1] == f'Tam said: "{BARN}"'
    assert "1 statement" in git(root, "log", "-1", "--format=%B")
    undo(pen_for(root), RUN)
    assert people(root) == TAM
    assert Decisions.read((root / DECISIONS_FILE).read_text()).is_undone(SAID.fingerprint)


def test_an_older_run_is_taken_back_from_below_what_was_said_since(root):
    run(root, SAID)
    run(root, AddStatement(PEOPLE, "Tam", "the 12th now", "2026-03-12"), name=LATER)
    undo(pen_for(root), RUN)
    assert people(root) == f'{TAM}- "the 12th now" [said:: 2026-03-12]\n'


def test_what_was_tied_stands_again_once_the_later_statement_is_taken_back(root):
    run(root, SAID, AddStatement(PEOPLE, "Tam", "or in june", "2026-03-11"))
    ids = (ID, statement_id("semantic/people", "Tam", "or in june"))
    run(root, AddStatement(PEOPLE, "Tam", "the 12th now", "2026-03-12", replaces=ids), name=LATER)
    assert "[until:: 2026-03-12]" in people(root)
    (root / PEOPLE).write_text(people(root).replace("# Tam\n", "# Tam\n- phone: 12\n"))
    git(root, "commit", "-qam", "mine")
    undo(pen_for(root), LATER)
    assert (
        people(root)
        == f'# Tam\n- phone: 12\n- email: tam@example.com\n- "or in june" [said:: 2026-03-11]\n{LINE}'
    )


def test_taken_back_by_lines_several_that_were_tied_stand_again():
    file = SemanticFile(PEOPLE, frozenset())
    before = f'{TAM}- "b" [said:: 2026-01-02]\n- "a" [said:: 2026-01-01]\n'
    tied = before
    done = AddStatement(
        PEOPLE, "Tam", "c", "2026-01-03", "", tuple(statement_id("semantic/people", "Tam", w) for w in "ab")
    ).patch(tied, frozenset())
    now = done.replace('- "c"', '- "d" [said:: 2026-01-04]\n- "c"')
    outcome = take_back_facts(before, done, now, file)
    assert (outcome.text, outcome.left) == (before.replace('- "b"', '- "d" [said:: 2026-01-04]\n- "b"'), ())


def test_a_statement_that_a_person_changed_since_stays_and_is_named(root):
    run(root, SAID, AddStatement(PEOPLE, "Tam", "bring a coat", "2026-03-10"))
    (root / PEOPLE).write_text(people(root).replace("holroyd", "Holroyd's"))
    git(root, "commit", "-qam", "mine")
    done = undo(pen_for(root), RUN)
    assert people(root) == TAM + LINE.replace("holroyd", "Holroyd's")
    assert f'Tam said: "{BARN}"' in done.notice


def test_a_branch_of_statements_is_approved_over_later_work(root):
    run(root, SAID, mode="branch")
    (root / PEOPLE).write_text(TAM + '- "mine" [said:: 2026-01-01]\n')
    git(root, "commit", "-qam", "mine")
    assert approve(pen_for(root), RUN).proposed == ()
    assert people(root) == f'{TAM}{LINE}- "mine" [said:: 2026-01-01]\n'


def test_a_proposal_of_a_statement_is_approved_and_remembered(root):
    change = PlannedChange("fact", SAID.subject, (SAID,), source=RANGE, reason="everything is proposed first")
    path, text = proposal(change, RUN)
    (root / "review").mkdir()
    (root / path).write_text(text.replace("otley", "Otley"))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "proposed")
    context = pen_for(root)
    [item] = waiting_items(context)
    decide(context, [item], APPROVED)
    assert people(root) == TAM + LINE.replace("otley", "Otley")
    decisions = Decisions.read((root / DECISIONS_FILE).read_text())
    assert decisions.of(fingerprint("fact", "Tam", "", BARN)).decision == APPROVED


# blame, history, edit, forget


def test_a_statement_leads_to_its_commit_its_episode_and_the_line_of_the_log(root):
    run(root, SAID)
    blamed = blame(pen_for(root), ID)
    assert (blamed.fact.type, blamed.fact.value, blamed.fact.said) == ("statement", BARN, "2026-03-10")
    assert blamed.commit.run == RUN
    [source] = blamed.sources
    assert (source.quote, source.said, source.line) == (f"Tam: {BARN}", f"Tam: {BARN}", 3)


def test_the_history_of_a_statement_is_only_what_changed_it(root):
    run(root, SAID)
    run(root, AddStatement(PEOPLE, "Tam", "unrelated", "2026-03-11"), name=LATER)
    context = pen_for(root)
    assert [commit.run for commit in history(context, ID).commits] == [RUN]
    run(root, AddStatement(PEOPLE, "Tam", "no barn", "2026-03-12", replaces=(ID,)), name=f"{LATER}5")
    forget(pen_for(root), statement_id("semantic/people", "Tam", "unrelated"))
    assert [commit.run for commit in history(context, ID).commits] == [f"{LATER}5", RUN]
    gone = history(context, statement_id("semantic/people", "Tam", "unrelated")).commits
    assert [commit.subject.split(":")[0].split()[0] for commit in gone] == ["Forget", "Tam"]


def test_an_edit_replaces_the_words_and_tells_the_new_id(root):
    run(root, SAID)
    done = edit(pen_for(root), ID, {"value": 'the "old" barn'})
    assert people(root) == TAM + LINE.replace(BARN, "the 'old' barn")
    assert (done.id, done.action) == (statement_id("semantic/people", "Tam", "the 'old' barn"), "corrected")
    assert git(root, "show", "--format=", "--numstat", "HEAD").split() == ["1", "1", PEOPLE]


def test_what_was_said_is_forgotten_and_revived_byte_for_byte(root):
    run(root, SAID, AddStatement(PEOPLE, "Tam", "bring a coat", "2026-03-11"))
    before = people(root)
    done = forget(pen_for(root), ID)
    assert people(root) == before.replace(LINE, "")
    revive(pen_for(root), done.id)
    assert people(root) == before


# remember


def test_with_an_entity_alone_the_text_is_a_statement_of_today(root):
    done = remember(pen_for(root), 'wants it\n"loud"', entity="tam", source="chat")
    assert people(root) == f"{TAM}- \"wants it 'loud'\" [said:: {NOW:%Y-%m-%d}] [source:: [[chat]]]\n"
    assert (done.id, done.action) == (statement_id("semantic/people", "Tam", "wants it 'loud'"), "added")
    assert git(root, "log", "-1", "--format=%s") == "Tam said: \"wants it 'loud'\"\n"
    again = remember(pen_for(root), "WANTS IT 'loud'", entity="Tam")
    assert (again.id, again.action, again.commit) == (done.id, "confirmed", "")
    assert remember(pen_for(root), "late as ever", entity="Kim").path == "semantic/facts.md"


# What waits

PENDING = add_pending(
    "", AddPending("Tam", "", BARN, "low", f"{EPISODE}#^l3", "a friend said it", "2026-03-10")
)


def test_a_waiting_statement_is_one_line_in_its_own_words():
    [fact] = read_pending(PENDING)
    assert (
        f'\n- [ ] Tam: "{BARN}" [confidence:: low] [said:: 2026-03-10] [source:: [[{EPISODE}#^l3]]]\n'
        in PENDING
    )
    assert (fact.entity, fact.field, fact.value, fact.since) == ("Tam", "", BARN, "2026-03-10")
    assert remove_pending(PENDING, fact.id).rstrip() == PENDING[: PENDING.index("- [ ]")].rstrip()
    undated = add_pending(PENDING, AddPending("A. B", "", 'x: "y"', "low", "", ""))
    assert [(w.entity, w.field, w.value, w.since) for w in read_pending(undated)][1:] == [
        ("A. B", "", "x: 'y'", "")
    ]


@pytest.mark.parametrize("decision", [APPROVED, REJECTED])
def test_a_yes_adds_the_statement_and_a_no_does_not(root, decision):
    (root / "semantic/_pending.md").write_text(PENDING)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "waits")
    run(root, AddStatement(PEOPLE, "Tam", "bring a coat", "2026-01-01"))
    context = pen_for(root)
    [item] = waiting_items(context)
    assert (item.kind, item.what) == ("fact", f'Tam said: "{BARN}"')
    decide(context, chosen(context, [item.id]), decision)
    assert (LINE in people(root)) is (decision == APPROVED)
    assert not read_pending((root / "semantic/_pending.md").read_text())
    assert Decisions.read((root / DECISIONS_FILE).read_text()).of(SAID.fingerprint).decision == decision


def test_a_ticked_statement_is_added(root):
    (root / "semantic/_pending.md").write_text(PENDING.replace("[ ]", "[x]"))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "waits")
    context = pen_for(root)
    [done] = apply_boxes(context, ticked_facts(context))
    assert done.action == APPROVED
    assert people(root) == TAM + LINE
