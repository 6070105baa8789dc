"""A consolidation is taken back: all of it or one commit, without the later work of people, and it does not come back."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from gitvault import NOW, copy_repositories, git, pen_for, snapshot, vault_of

from memoryclaw.consolidation.actions import AddPending
from memoryclaw.errors import ConflictError, InputError
from memoryclaw.review.undo import undo
from memoryclaw.vault.edits import set_fact
from memoryclaw.vault.layout import DECISIONS_FILE
from memoryclaw.vault.logs import parse_ranges
from memoryclaw.writing.decisions import decisions_of, fingerprint
from memoryclaw.writing.pending import add_pending, read_pending
from memoryclaw.writing.remember import remember
from memoryclaw.writing.writer import Edit, text_change, write

RUN = "consolidate-20261121T101500-abc123"
FIRST = "logs/2026-03-10/s1.jsonl#1-6@0123456789abcdef"
SECOND = "logs/2026-03-10/s1.jsonl#7-9@fedcba9876543210"
PEOPLE = "semantic/people.md"


def made(context, subject, edits, source=""):
    """One commit as a consolidation makes it; returns its id."""
    trailers = f"Run: {RUN}\n" + (f"Source: {source}\n" if source else "")
    return write(
        context.root, edits, lambda: f'{subject}\n\nNora: "…"\n\n{trailers}', verb="consolidate", now=NOW
    ).commit


def fact(context, entity, field, value):
    file = context.semantic(PEOPLE)
    change = lambda text: set_fact(text, file, entity=entity, field=field, value=value).text  # noqa: E731
    return Edit(PEOPLE, text_change(change))


def note(path, text):
    return Edit(path, lambda _: text.encode())


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A vault in which one run wrote an episode with a fact, superseded a fact, and left its record."""
    root = vault_of(
        tmp_path_factory.mktemp("made") / "v", {PEOPLE: "# Anna\n- city: Berlin\n\n# Tom\n- city: Rome\n"}
    )
    context = pen_for(root)
    episode = note("episodes/2026-03-10_17-48-20_wall.md", "---\nid: wall\n---\n- Nora: matt. ^l3\n")
    made(context, "Episode: wall", [episode, fact(context, "Tom", "colour", "green")], FIRST)
    made(context, "Anna: city is Bern", [fact(context, "Anna", "city", "Bern")], SECOND)
    made(
        context,
        "Consolidated",
        [note(f"runs/{RUN}.json", json.dumps({"run": RUN, "ranges": [FIRST, SECOND]}))],
    )
    return root


@pytest.fixture
def root(template, tmp_path):
    copy_repositories(template.parent, tmp_path)
    return tmp_path / template.name


def people(root):
    return (root / PEOPLE).read_text()


def decisions(root):
    return decisions_of(str(root))


def test_a_run_is_taken_back_in_one_commit_and_its_record_stays(root):
    done = undo(pen_for(root), RUN)
    assert people(root) == "# Anna\n- city: Berlin\n\n# Tom\n- city: Rome\n"
    assert not list((root / "episodes").glob("*"))
    assert (root / f"runs/{RUN}.json").exists()
    assert git(root, "rev-list", "--count", "HEAD") == "5\n"
    message = git(root, "log", "-1", "--format=%B")
    assert message.startswith(f"Undo {RUN}\n")
    assert "- Anna: city is Bern\n- Episode: wall\n" in message
    assert git(root, "status", "--porcelain") == ""
    assert done.action == "undone"
    assert done.commit == git(root, "rev-parse", "HEAD").strip()


def test_what_was_taken_back_does_not_come_back(root):
    undo(pen_for(root), RUN)
    stored = decisions(root)
    assert stored.ranges() == [*parse_ranges(FIRST), *parse_ranges(SECOND)]
    assert stored.is_undone(fingerprint("fact", "Tom", "colour", "green"))
    assert stored.is_undone(fingerprint("fact", "Anna", "city", "Bern"))
    assert not stored.is_undone(fingerprint("fact", "Anna", "city", "Berlin"))
    assert "green" not in (root / DECISIONS_FILE).read_text()
    assert {d.by for d in stored.all} == {"MemoryClaw"}


def test_a_skill_draft_that_was_taken_back_is_remembered_by_its_tools(root):
    context = pen_for(root)
    draft = "---\nname: book\ndescription: Book a train\ntools: [find_trains, book]\n---\n"
    made(context, "Skill draft: book", [note("skills/_drafts/book/SKILL.md", draft)], FIRST)
    undo(pen_for(root), RUN)
    assert not (root / "skills/_drafts/book/SKILL.md").exists()
    assert decisions(root).is_undone(fingerprint("skill", "find_trains", "book"))


def test_one_commit_of_a_run_is_taken_back_and_remembered(root):
    undo(pen_for(root), git(root, "rev-parse", "HEAD~1").strip())
    assert people(root) == "# Anna\n- city: Berlin\n\n# Tom\n- city: Rome\n- colour: green\n"
    stored = decisions(root)
    assert stored.ranges() == parse_ranges(SECOND)
    assert stored.is_undone(fingerprint("fact", "Anna", "city", "Bern"))
    assert not stored.is_undone(fingerprint("fact", "Tom", "colour", "green"))
    assert [d.kind for d in stored.all] == ["commit", "fact"]


def test_later_work_of_people_stays_and_a_file_they_edited_on_the_same_lines_is_left_and_named(root):
    episode = root / "episodes/2026-03-10_17-48-20_wall.md"
    episode.write_text(episode.read_text() + "my own words\n")
    path = root / PEOPLE
    path.write_text("my preface\n\n" + people(root))
    git(root, "commit", "-qam", "mine")
    path.write_text(people(root) + "- age: 40\n")
    done = undo(pen_for(root), RUN)
    assert people(root) == "my preface\n\n# Anna\n- city: Berlin\n\n# Tom\n- city: Rome\n- age: 40\n"
    assert (
        git(root, "show", f"HEAD:{PEOPLE}") == "my preface\n\n# Anna\n- city: Berlin\n\n# Tom\n- city: Rome\n"
    )
    assert "my own words" in episode.read_text()
    assert "left unchanged, because later edits touch the same lines: episodes/2026" in done.notice
    assert decisions(root).is_undone(fingerprint("fact", "Anna", "city", "Bern"))


@pytest.mark.parametrize("committed", [True, False])
def test_a_fact_that_a_person_corrected_is_not_taken_back(root, committed):
    (root / PEOPLE).write_text(people(root).replace("- city: Bern", "- city: Basel"))
    if committed:
        git(root, "commit", "-qam", "mine")
    done = undo(pen_for(root), RUN)
    assert "- city: Basel" in people(root)
    assert "colour" not in people(root)
    assert PEOPLE in done.notice
    stored = decisions(root)
    assert not stored.is_undone(fingerprint("fact", "Anna", "city", "Bern"))
    assert stored.is_undone(fingerprint("fact", "Tom", "colour", "green"))


def test_the_undo_of_a_run_can_be_undone_and_then_it_is_no_longer_held_back(root):
    before = snapshot(root)
    done = undo(pen_for(root), RUN)
    undo(pen_for(root, NOW + timedelta(minutes=1)), done.id)
    after = snapshot(root)
    assert {name: after[name] for name in before if not name.startswith(".git/")} == {
        name: data for name, data in before.items() if not name.startswith(".git/")
    }
    stored = decisions(root)
    assert not stored.is_undone(fingerprint("fact", "Anna", "city", "Bern"))
    assert stored.ranges()[:2] == [*parse_ranges(FIRST), *parse_ranges(SECOND)]


def test_and_that_can_be_undone_once_more(root):
    first = undo(pen_for(root), RUN)
    second = undo(pen_for(root, NOW + timedelta(minutes=1)), first.commit)
    undo(pen_for(root, NOW + timedelta(minutes=2)), second.commit)
    assert people(root) == "# Anna\n- city: Berlin\n\n# Tom\n- city: Rome\n"
    assert decisions(root).is_undone(fingerprint("fact", "Anna", "city", "Bern"))


def test_what_is_undone_already_and_what_would_take_nothing_back_is_refused(root):
    undo(pen_for(root), RUN)
    before = (git(root, "rev-parse", "HEAD"), snapshot(root))
    with pytest.raises(InputError, match="undone already"):
        undo(pen_for(root), RUN)
    assert (git(root, "rev-parse", "HEAD"), snapshot(root)) == before


def test_where_everything_was_edited_since_nothing_is_written(root):
    (root / PEOPLE).write_text("# Anna\n- city: Basel\n- colour: red\n")
    (root / "episodes/2026-03-10_17-48-20_wall.md").write_text("all mine\n")
    git(root, "commit", "-qam", "mine")
    before = git(root, "rev-parse", "HEAD")
    with pytest.raises(ConflictError, match="nothing was written"):
        undo(pen_for(root), RUN)
    assert git(root, "rev-parse", "HEAD") == before
    assert not (root / DECISIONS_FILE).exists()


def test_words_of_a_log_cannot_pass_for_the_trailer_of_a_run(root):
    context = pen_for(root)
    write(
        context.root,
        [note("notes/x.md", "x\n")],
        lambda: f"Note\n\nTom said\nRun: {RUN}\n\nRun: other-1\n",
        verb="t",
        now=NOW,
    )
    undo(pen_for(root), RUN)
    assert (root / "notes/x.md").exists()
    with pytest.raises(InputError, match="no commit and no run"):
        undo(pen_for(root), "Tom said")


def test_an_undo_of_a_persons_own_fact_holds_nothing_back(root):
    done = remember(pen_for(root), "Paris", entity="Tom", field="city")
    undo(pen_for(root), done.commit)
    assert not (root / DECISIONS_FILE).exists()


LATER = "consolidate-20261122T101500-abc124"
WALL = "episodes/2026-03-10_17-48-20_wall.md"
PENDING = "semantic/_pending.md"


def of_run(root, run, *edits):
    return write(root, edits, lambda: f"What was said\n\nRun: {run}\n", verb="t", now=NOW).commit


def sourced(context, entity, field, value, source):
    file = context.semantic(PEOPLE)
    set_ = lambda text: set_fact(text, file, entity=entity, field=field, value=value, source=source).text  # noqa: E731
    return Edit(PEOPLE, text_change(set_))


def asked(entity, value, source):
    fact = AddPending(entity, "pet", value, "low", source, "not sure")
    return Edit(PENDING, text_change(lambda text: add_pending(text, fact)))


@pytest.fixture(scope="module")
def template_of_two(tmp_path_factory):
    """A vault in which a run made the files of facts and questions, and a later one wrote on the lines beside."""
    root = vault_of(tmp_path_factory.mktemp("made") / "v", {"notes/x.md": "x\n"})
    context = pen_for(root)
    episode = note(WALL, "---\nid: wall\n---\n- Nora: matt. ^l3\n")
    of_run(
        root,
        RUN,
        episode,
        sourced(context, "Anna", "city", "Bern", "wall#^l3"),
        asked("Anna", "cat", "wall#^l3"),
    )
    of_run(root, RUN, note(f"runs/{RUN}.json", "{}"))
    of_run(root, LATER, sourced(context, "Anna", "age", "40", "tea#^l1"), asked("Anna", "dog", "tea#^l1"))
    return root


@pytest.fixture
def twice(template_of_two, tmp_path):
    copy_repositories(template_of_two.parent, tmp_path)
    return tmp_path / template_of_two.name


def test_what_a_later_run_wrote_beside_it_is_not_in_the_way(twice):
    done = undo(pen_for(twice), RUN)
    assert people(twice) == "# Anna\n- age: 40 [source:: [[tea#^l1]]]\n"
    assert [waiting.value for waiting in read_pending((twice / PENDING).read_text())] == ["dog"]
    assert not (twice / WALL).exists()
    assert "left as it is" not in done.notice
    assert git(twice, "status", "--porcelain") == ""
    with pytest.raises(InputError, match=f"run {RUN} is undone already"):
        undo(pen_for(twice), RUN)


def test_a_fact_that_was_changed_since_stays_is_named_and_keeps_its_episode(twice):
    of_run(twice, LATER, sourced(pen_for(twice), "Anna", "city", "Basel", "tea#^l2"))
    done = undo(pen_for(twice), RUN)
    assert "Basel" in people(twice)
    assert "Bern" in people(twice)  # in History
    assert (twice / WALL).exists()
    assert "Anna.city in semantic/people.md" in done.notice
    assert f"kept, because remaining facts cite it: {WALL}" in done.notice
    assert f"- {WALL}" in git(twice, "log", "-1", "--format=%B")
    assert not decisions(twice).is_undone(fingerprint("fact", "Anna", "city", "Bern"))
    undo(pen_for(twice), LATER)  # what was in the way goes, and the rest can be finished
    undo(pen_for(twice), RUN)
    assert not (twice / PEOPLE).exists()
    assert not (twice / WALL).exists()


def test_the_record_of_a_run_stands_for_its_run(root):
    done = undo(pen_for(root), "HEAD")
    assert people(root) == "# Anna\n- city: Berlin\n\n# Tom\n- city: Rome\n"
    assert (root / f"runs/{RUN}.json").exists()
    assert f"{RUN} (3 commits)" in done.notice
