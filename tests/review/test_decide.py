"""What waits gets its yes or no: on disk, in git, and in what is remembered of it."""

from __future__ import annotations

import pytest
from gitvault import git, pen_for, snapshot, users_work, vault_of

from memoryclaw.consolidation.actions import AddSource, ConfirmFact, MoveFile, NewFile, SetFact
from memoryclaw.consolidation.changes import PlannedChange, fingerprint_of, proposal, read_proposal
from memoryclaw.errors import ConflictError, InputError
from memoryclaw.review.decide import apply, decide, editable, store, ticked_facts
from memoryclaw.review.details import differences
from memoryclaw.review.queue import chosen, find_item, waiting_items
from memoryclaw.review.undo import undo
from memoryclaw.vault.layout import DECISIONS_FILE
from memoryclaw.writing.decisions import APPROVED, REJECTED, Decisions, fingerprint

RUN = "consolidate-20261121T101500-abc123"
RANGE = "logs/2026-03-10/s1.jsonl#1-6@0123456789abcdef"
PEOPLE = "# Anna\n- city: Berlin [since:: 2025-01-01]\n\n# Tom\n- city: Rome\n"
PENDING = """# Waiting for a yes or a no

Words of a person.

- [ ] Anna.city: Bern [confidence:: low] [source:: [[2026-03-10_17-48-20_wall#^l3]], [[2026-03-11_08-00-00_tea#^l7]]]
  - known: Berlin
  - why: Tom said so
- [ ] Nora.birthday: 1987-03-02 [confidence:: low]
  - why: heard over music
"""
EPISODE = PlannedChange(
    kind="episode",
    title="Kitchen wall colour agreed",
    actions=(
        NewFile("episodes/2026-03-10_17-48-20_wall.md", "---\nid: wall\n---\n- Nora: matt. ^l3\n"),
        SetFact("semantic/people.md", "Tom", "colour", "green", "2026-03-10", "wall#^l3"),
    ),
    evidence=('Nora: "matt"',),
    source=RANGE,
    confidence="high",
    reason="everything is proposed first",
    id="wall",
)
FACT = PlannedChange(
    "fact", "Anna: phone is 123", (SetFact("semantic/people.md", "Anna", "phone", "123"),), source=RANGE
)
SCHEMA = "fields:\n  phone: [phone, many]\n"


@pytest.fixture
def root(tmp_path):
    """A vault in which two facts, two proposals and a draft wait."""
    files = {"semantic/people.md": PEOPLE, "semantic/_pending.md": PENDING, "semantic/_schema.yaml": SCHEMA}
    files |= dict(proposal(change, RUN) for change in (EPISODE, FACT))
    files["skills/_drafts/book-trains/SKILL.md"] = (
        "---\nname: book-trains\ndescription: Book a train\n---\nx\n"
    )
    files[f"runs/{RUN}.json"] = f'{{"run": "{RUN}", "episodes": {{"2026-03-10_17-48-20_wall": "{RANGE}"}}}}'
    return vault_of(tmp_path / "v", files)


def ids(root):
    return [item.id for item in waiting_items(pen_for(root))]


def path_of(change):
    return proposal(change, RUN)[0]


def id_of(change):
    return path_of(change).removeprefix("review/").removesuffix(".md")


def rule(root, name, decision=APPROVED):
    context = pen_for(root)
    return decide(context, chosen(context, [name]), decision)


def text(root, path="semantic/people.md"):
    return (root / path).read_text()


def decisions(root):
    return Decisions.read(text(root, DECISIONS_FILE))


def is_clean(root):
    return git(root, "status", "--porcelain") == "" and "dangling" not in git(root, "fsck")


def test_a_yes_that_would_overwrite_an_untracked_file_waits_on(root):
    git(root, "rm", "-q", "--cached", "semantic/people.md")
    git(root, "commit", "-qm", "mine alone")
    before = (snapshot(root), git(root, "rev-parse", "HEAD"))
    with pytest.raises(ConflictError, match=r"semantic/people\.md is not in git"):
        rule(root, ids(root)[0])
    assert (snapshot(root), git(root, "rev-parse", "HEAD")) == before


def test_everything_that_waits_is_listed_with_a_reason_and_its_run(root):
    items = waiting_items(pen_for(root))
    assert [(item.kind, item.what, item.why, item.run) for item in items] == [
        ("fact", "Anna: city is Bern (now Berlin)", "Tom said so", RUN),
        ("fact", "Nora: birthday is 1987-03-02", "heard over music", ""),
        ("episode", "Kitchen wall colour agreed", "everything is proposed first", RUN),
        ("fact", "Anna: phone is 123", "", RUN),
        ("skill", "Book a train", items[4].why, ""),
    ]
    assert "memoryclaw skills approve book-trains" in items[4].why


def test_an_approved_fact_supersedes_goes_from_the_list_and_is_remembered_in_one_commit(root):
    [done] = rule(root, waiting_items(pen_for(root))[0].id)
    assert (done.action, done.commit) == ("approved", git(root, "rev-parse", "HEAD").strip())
    assert (
        "- city: Bern [since:: 2026-03-10] [source:: [[2026-03-10_17-48-20_wall#^l3]], [[2026-03-11_08"
        in text(root)
    )
    assert "## History\n- city: Berlin [since:: 2025-01-01] [until:: 2026-03-10]" in text(root)
    assert "Anna" not in text(root, "semantic/_pending.md")
    assert "Words of a person." in text(root, "semantic/_pending.md")
    decision = decisions(root).of(fingerprint("fact", "Anna", "city", "Bern"))
    assert (decision.decision, decision.kind, decision.by, decision.run) == (
        APPROVED,
        "fact",
        "MemoryClaw",
        RUN,
    )
    message = git(root, "log", "-1", "--format=%B")
    assert message.startswith("Approve: Anna: city is Bern (was Berlin)\n\nWaited as p-")
    assert "Run: approve-20261121T101500-000001\nSource: 2026-03-10_17-48-20_wall#^l3" in message
    assert git(root, "rev-list", "--count", "HEAD") == "2\n"
    assert is_clean(root)


def test_a_fact_without_a_source_holds_from_today_in_the_file_for_all_others(root):
    rule(root, waiting_items(pen_for(root))[1].id)
    assert text(root, "semantic/facts.md") == "# Nora\n- birthday: 1987-03-02 [since:: 2026-11-21]\n"


def test_a_rejected_fact_is_gone_and_never_asked_again(root):
    rule(root, waiting_items(pen_for(root))[0].id, REJECTED)
    assert text(root) == PEOPLE
    assert "Anna" not in text(root, "semantic/_pending.md")
    assert decisions(root).is_rejected(fingerprint("fact", "anna", "City", "bern"))
    assert "Bern" not in text(root, DECISIONS_FILE)
    assert is_clean(root)


def test_an_approved_proposal_does_what_it_says_and_its_file_goes(root):
    rule(root, id_of(EPISODE))
    assert text(root, "episodes/2026-03-10_17-48-20_wall.md") == EPISODE.actions[0].text
    assert "- colour: green [since:: 2026-03-10] [source:: [[wall#^l3]]]" in text(root)
    assert not (root / path_of(EPISODE)).exists()
    stored = decisions(root)
    assert stored.of(fingerprint_of(EPISODE)).ranges == (RANGE,)
    assert stored.of(fingerprint("fact", "Tom", "colour", "green")).decision == APPROVED
    message = git(root, "log", "-1", "--format=%B")
    assert '- Nora: "matt"' in message
    assert f"Proposed by {RUN}." in message
    assert message.rstrip().endswith(f"Source: {RANGE}\nConfidence: high")
    assert is_clean(root)


def test_a_rejected_proposal_is_in_the_archive_and_its_facts_are_not_asked_again(root):
    rule(root, id_of(EPISODE), REJECTED)
    assert text(root, f"archive/{path_of(EPISODE)}") == proposal(EPISODE, RUN)[1]
    assert text(root) == PEOPLE
    stored = decisions(root)
    assert stored.is_rejected(fingerprint_of(EPISODE))
    assert stored.is_rejected(fingerprint("fact", "Tom", "colour", "green"))
    assert [str(range_) for range_ in stored.ranges()] == [RANGE]
    assert is_clean(root)


def test_a_run_is_decided_as_a_whole(root):
    context = pen_for(root)
    done = decide(context, chosen(context, [RUN]), APPROVED)
    assert [outcome.action for outcome in done] == ["approved"] * 3
    assert [item.id for item in waiting_items(context)][1:] == ["book-trains"]
    assert git(root, "rev-list", "--count", "HEAD") == "4\n"
    assert is_clean(root)


def test_a_merge_moves_the_twin_and_keeps_its_source(root):
    (root / "episodes").mkdir()
    for name in ("a", "b"):
        (root / f"episodes/{name}.md").write_text(f"---\nid: {name}\nsource: old\n---\n{name}\n")
    change = PlannedChange(
        "merge", "b is a again",
        (AddSource("episodes/a.md", (RANGE,)), MoveFile("episodes/b.md", "archive/episodes/b.md"),
         ConfirmFact("semantic/people.md", "semantic/people#Tom.city", "Rome", "a#^l1")),
    )  # fmt: skip
    path, written = proposal(change, RUN)
    (root / path).write_text(written)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "more")
    rule(root, id_of(change))
    assert RANGE in text(root, "episodes/a.md")
    assert text(root, "archive/episodes/b.md").endswith("b\n")
    assert "- city: Rome [source:: [[a#^l1]]]" in text(root)
    assert is_clean(root)


def test_a_persons_edits_of_a_proposal_are_what_is_done_although_they_are_not_committed(root):
    path = root / path_of(EPISODE)
    path.write_text(
        path.read_text().replace("matt. ^l3", "glossy! ^l3").replace("value: green", "value: blue")
    )
    rule(root, id_of(EPISODE))
    assert "glossy!" in text(root, "episodes/2026-03-10_17-48-20_wall.md")
    assert "- colour: blue" in text(root)
    assert is_clean(root)


def test_a_broken_proposal_can_be_rejected_but_not_approved(root):
    path = root / path_of(EPISODE)
    path.write_text(path.read_text().replace("## Fact", "## Delete everything"))
    git(root, "commit", "-qam", "mine")
    [item] = [item for item in waiting_items(pen_for(root)) if item.id == id_of(EPISODE)]
    assert "a proposal has no action" in item.why
    with pytest.raises(InputError, match="cannot be approved as it stands"):
        rule(root, item.id)
    rule(root, item.id, REJECTED)
    assert decisions(root).is_rejected(fingerprint_of(EPISODE))
    assert is_clean(root)


def test_a_file_that_is_there_already_stays_and_is_named(root):
    (root / "episodes").mkdir()
    (root / "episodes/2026-03-10_17-48-20_wall.md").write_text("mine\n")
    [done] = rule(root, id_of(EPISODE))
    assert text(root, "episodes/2026-03-10_17-48-20_wall.md") == "mine\n"
    assert "was there already" in done.notice


def test_work_of_the_user_is_never_swept_in(root):
    (root / "notes").mkdir()
    (root / "notes/new.md").write_text("untracked\n")
    (root / "semantic/people.md").write_text(PEOPLE + "- age: 40\n")
    pending = root / "semantic/_pending.md"
    pending.write_text(pending.read_text().replace("Words of a person.", "Other words."))
    before = users_work(root)
    rule(root, waiting_items(pen_for(root))[0].id)
    rule(root, id_of(FACT), REJECTED)
    after = users_work(root)
    assert [line for line in after[0] if line[:1] in "+-" and line[:3] not in {"+++", "---"}] == [
        "-Words of a person.", "+Other words.", "+- age: 40",
    ]  # fmt: skip
    assert after[1:] == before[1:]


def test_what_changed_since_it_was_shown_is_not_decided(root):
    context = pen_for(root)
    [item] = chosen(context, [id_of(FACT)])
    (root / path_of(FACT)).write_text(item.text.replace("value: 123", "value: 666"))
    with pytest.raises(ConflictError, match="look at it again"):
        decide(context, [item], APPROVED)
    [fact] = chosen(context, [ids(root)[0]])
    rule(root, fact.id)
    with pytest.raises(ConflictError, match="look at it again"):
        decide(context, [fact], APPROVED)


def test_a_yes_can_be_taken_back_and_then_it_waits_again(root):
    before = text(root, "semantic/_pending.md")
    [done] = rule(root, ids(root)[0])
    undo(pen_for(root), done.commit)
    assert (text(root), text(root, "semantic/_pending.md")) == (PEOPLE, before)
    assert decisions(root).of(fingerprint("fact", "Anna", "city", "Bern")).decision == "undone"
    [done] = rule(root, id_of(EPISODE))
    undo(pen_for(root), done.commit)
    assert (root / path_of(EPISODE)).exists()


def test_a_no_can_be_taken_back(root):
    [done] = rule(root, ids(root)[0], REJECTED)
    undo(pen_for(root), done.commit)
    assert not decisions(root).is_rejected(fingerprint("fact", "Anna", "city", "Bern"))
    assert len(ids(root)) == 5


def test_without_a_repository_it_is_decided_all_the_same(root):
    import shutil  # noqa: PLC0415

    shutil.rmtree(root / ".git")
    [done] = rule(root, ids(root)[0])
    assert "- city: Bern" in text(root)
    assert done.commit == ""
    assert "no git repository" in done.notice
    assert decisions(root).all[0].by == ""


# what would change


def test_the_difference_of_a_fact_and_of_a_proposal_is_shown_and_nothing_is_written(root):
    before, context = snapshot(root), pen_for(root)
    [fact] = differences(context, find_item(context, ids(root)[0]))
    assert (fact.path, fact.before) == ("semantic/people.md", PEOPLE)
    assert "- city: Bern" in fact.after
    changed = differences(context, find_item(context, id_of(EPISODE)))
    assert [(difference.path, bool(difference.before)) for difference in changed] == [
        ("episodes/2026-03-10_17-48-20_wall.md", False),
        ("semantic/people.md", True),
    ]
    assert [difference.path for difference in differences(context, find_item(context, "book-trains"))] == [
        "skills/_drafts/book-trains/SKILL.md"
    ]
    assert snapshot(root) == before


# boxes ticked in Obsidian


def tick(root, path, old, new):
    target = root / path
    assert old in target.read_text()
    target.write_text(target.read_text().replace(old, new))


def test_ticked_boxes_are_read_and_done_although_they_are_not_committed(root):
    tick(root, "semantic/_pending.md", "- [ ] Anna.city: Bern", "- [x] Anna.city: Bonn")
    tick(root, "semantic/_pending.md", "- [ ] Nora", "- [-] Nora")
    tick(root, path_of(EPISODE), "- [ ] approve", "- [x] approve")
    tick(root, path_of(FACT), "- [ ] reject", "- [X] reject")
    context, before = pen_for(root), git(root, "rev-parse", "HEAD")
    boxes = ticked_facts(context)
    assert git(root, "rev-parse", "HEAD") == before
    assert [item.what for item in boxes.approved] == [
        "Anna: city is Bonn (now Berlin)",
        "Kitchen wall colour agreed",
    ]
    assert [item.what for item in boxes.rejected] == ["Nora: birthday is 1987-03-02", "Anna: phone is 123"]
    done = apply(context, boxes)
    assert [outcome.action for outcome in done] == ["approved", "approved", "rejected", "rejected"]
    assert "- city: Bonn" in text(root)
    assert (root / "episodes/2026-03-10_17-48-20_wall.md").exists()
    assert ids(root) == ["book-trains"]
    assert git(root, "show", "HEAD:semantic/_pending.md") == text(root, "semantic/_pending.md")
    assert git(root, "diff", "--stat", "--", "semantic", "review", "episodes") == ""


def test_two_ticked_boxes_are_told_and_nothing_is_done_with_them(root):
    tick(root, path_of(EPISODE), "- [ ] ", "- [x] ")
    context = pen_for(root)
    [done] = apply(context, ticked_facts(context))
    assert (done.id, done.action) == (id_of(EPISODE), "failed")
    assert "both boxes" in done.notice
    assert (root / path_of(EPISODE)).exists()


def test_a_tick_never_decides_a_skill(root):
    tick(root, "skills/_drafts/book-trains/SKILL.md", "x\n", "- [x] approve\n")
    assert ticked_facts(pen_for(root)).is_empty


def test_without_a_tick_nothing_is_done(root):
    before, context = snapshot(root), pen_for(root)
    assert apply(context, ticked_facts(context)) == []
    assert snapshot(root) == before


# edit


def test_a_waiting_fact_is_put_in_other_words_and_goes_on_waiting(root):
    context = pen_for(root)
    item = find_item(context, ids(root)[0])
    asked = editable(item)
    assert asked.startswith("- [ ] Anna.city: Bern")
    assert asked.count("\n") == 3
    done = store(context, item, asked.replace("Bern", "Bonn"))
    assert find_item(context, done.id).what == "Anna: city is Bonn (now Berlin)"
    assert text(root) == PEOPLE
    assert git(root, "log", "-1", "--format=%s").startswith("Edit p-")
    assert is_clean(root)


def test_a_proposal_is_edited_and_checked(root):
    context = pen_for(root)
    item = find_item(context, id_of(EPISODE))
    with pytest.raises(InputError, match="nothing was stored"):
        store(context, item, item.text.replace("- file: episodes/", "- file: ../"))
    store(context, item, item.text.replace("matt", "glossy"))
    assert "glossy" in read_proposal(text(root, item.path)).actions[0].text
    assert is_clean(root)


@pytest.mark.parametrize(
    "broken", ["", "no fact at all\n", "- [ ] A.b: c\n- [ ] D.e: f\n", "# H\n- [ ] A.b: c\n"]
)
def test_what_is_no_single_fact_is_not_stored(root, broken):
    before, context = snapshot(root), pen_for(root)
    with pytest.raises(InputError, match="not one waiting fact"):
        store(context, find_item(context, ids(root)[0]), broken)
    assert snapshot(root) == before


def test_an_edit_that_changes_nothing_makes_no_commit(root):
    before, context = snapshot(root), pen_for(root)
    item = find_item(context, ids(root)[0])
    assert store(context, item, editable(item)).action == "unchanged"
    assert snapshot(root) == before
    with pytest.raises(InputError, match="edit skills/_drafts"):
        editable(find_item(context, "book-trains"))


def test_a_yes_to_an_older_question_counts_from_today(root):
    (root / "semantic/people.md").write_text(PEOPLE.replace("2025-01-01", "2026-06-01"))
    git(root, "commit", "-qam", "newer")
    rule(root, waiting_items(pen_for(root))[0].id)
    assert "- city: Bern [since:: 2026-11-21]" in text(root)
    assert "- city: Berlin [since:: 2026-06-01] [until:: 2026-11-21]" in text(root)


def test_what_is_held_now_is_told_and_not_what_was_held_then(root):
    path, people = root / "semantic/_pending.md", root / "semantic/people.md"
    path.write_text(PENDING.replace("  - known: Berlin\n", ""))
    assert waiting_items(pen_for(root))[0].what == "Anna: city is Bern (now Berlin)"
    path.write_text(PENDING + "- [ ] Tom.lives in: Oslo\n")
    people.write_text("# Tom\n- city: Rome\n")
    assert waiting_items(pen_for(root))[0].what == "Anna: city is Bern"
    assert waiting_items(pen_for(root))[2].what == "Tom: lives in Oslo"
