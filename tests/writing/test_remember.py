from __future__ import annotations

from datetime import timedelta

import pytest
from gitvault import NOW, git, pen_for, snapshot, vault_of

from memoryclaw.errors import ConflictError, InputError
from memoryclaw.history.repository import History
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.writing.remember import MemoryPart, remember, remember_parts

PROJECTS = "# projectX\n- deadline: 2025-04-10 [since:: 2025-03-01]\n- stakeholders: [[John]], [[Sarah]]\n"
SCHEMA = "fields:\n  stakeholders: many\n  deadline: date\n"


def vault(tmp_path):
    return vault_of(tmp_path / "v", {"semantic/projects.md": PROJECTS, "semantic/_schema.yaml": SCHEMA})


def test_a_text_becomes_an_episode_with_its_commit(tmp_path):
    root = vault(tmp_path)
    done = remember(
        pen_for(root), 'Met Zoë: she said "no".\n\nMore: text', tags=["#work", "big plan"], source="chat"
    )
    assert done.path == "episodes/2026-11-21_10-15-00_met-zoe-she-said-no.md"
    note = read_note(done.path, (root / done.path).read_bytes(), ReadingSettings())
    assert (note.id, note.tags, note.when) == (done.id, ("work", "big-plan"), "2026-11-21T10:15:00Z")
    assert note.meta["summary"] == 'Met Zoë: she said "no".'
    assert note.meta["source"] == "chat"
    assert note.problems == ()
    assert (root / done.path).read_text().endswith('---\nMet Zoë: she said "no".\n\nMore: text\n')
    assert git(root, "log", "-1", "--format=%B").splitlines() == [
        'Remember: Met Zoë: she said "no".', "", f"Adds the episode {done.path}.", "",
        "Run: remember-20261121T101500-000001", "Source: chat", "Confidence: high", "",
    ]  # fmt: skip
    assert git(root, "show", "--format=", "--name-only", done.commit) == f"{done.path}\n"
    assert git(root, "status", "--porcelain") == ""


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(("field", "value"), [("phone", "1"), ("city", "Bern"), ("", "Zoe sails.")])
def test_what_could_not_be_undone_is_refused_before_anything_is_written(tmp_path, field, value, staged):
    root = vault(tmp_path)
    (root / "semantic/mine.md").write_text("# Zoe\n- city: Rome\n")
    if staged:
        git(root, "add", "semantic/mine.md")
    before = (snapshot(root), git(root, "status", "--porcelain"), git(root, "rev-parse", "HEAD"))
    for words in (value, f"{value} and {value}"):
        with pytest.raises(ConflictError, match=r"semantic/mine\.md is not in git, .*commit the file first"):
            remember(pen_for(root), words, entity="Zoe", field=field)
        with pytest.raises(ConflictError, match=r"semantic/mine\.md is not in git"):
            remember_parts(pen_for(root), [MemoryPart("Zoe", field, words, "semantic/mine.md")])
    assert (snapshot(root), git(root, "status", "--porcelain"), git(root, "rev-parse", "HEAD")) == before
    git(root, "add", "semantic/mine.md")
    git(root, "commit", "-qm", "mine")
    assert remember(pen_for(root), value, entity="Zoe", field=field).commit


@pytest.mark.parametrize("has_git", [True, False])
def test_a_new_fact_goes_into_a_file_that_git_ignores_or_where_there_is_none(tmp_path, has_git):
    root = vault(tmp_path) if has_git else tmp_path
    (root / "semantic").mkdir(exist_ok=True)
    (root / "semantic/mine.md").write_text("# Zoe\n- city: Rome\n")
    (root / ".gitignore").write_text("mine.md\n")
    done = remember(pen_for(root), "1", entity="Zoe", field="phone")
    assert done.notice == (
        "changes to semantic/mine.md cannot be undone, because git does not track it"
        if has_git
        else History(root).state().sentence
    )
    assert (root / "semantic/mine.md").read_text().startswith("# Zoe\n- city: Rome\n- phone: 1")


@pytest.mark.parametrize("text", ["", " \n", "\0", "\0 \n\0"])
def test_a_text_that_says_nothing_is_refused(tmp_path, text):
    with pytest.raises(InputError, match="the text is empty"):
        remember(pen_for(vault(tmp_path)), text)


def test_a_second_episode_of_the_same_second_gets_a_name_of_its_own(tmp_path):
    root = vault(tmp_path)
    paths = [remember(pen_for(root), text).path for text in ("hello there", "hello there", "Hello, there!")]
    stem = "episodes/2026-11-21_10-15-00_hello-there"
    assert paths == [f"{stem}.md", f"{stem}-2.md", f"{stem}-3.md"]


@pytest.mark.parametrize(
    "text",
    [
        "---\nid: ../x\n---\n",
        "{{ 7*7 }} {% raw %}",
        "\x1b[31mred\x00",
        "a: b\n- c",
        "#",
        "日本語のメモ",
        "x" * 5000,
    ],
)
def test_no_text_breaks_the_note_or_the_commit(tmp_path, text):
    root = vault(tmp_path)
    done = remember(pen_for(root), text, tags=['a"b', "c: d", "]["])
    note = read_note(done.path, (root / done.path).read_bytes(), ReadingSettings())
    assert not [
        problem for problem in note.problems if "YAML" in problem.message or "header" in problem.message
    ]
    assert note.id == done.id
    subject = git(root, "log", "-1", "--format=%s").rstrip("\n")
    assert len(subject) <= 72
    assert subject.isprintable()
    assert git(root, "fsck", "--strict") == ""


def test_another_value_supersedes_the_old_one_and_keeps_it_in_history(tmp_path):
    root = vault(tmp_path)
    done = remember(
        pen_for(root), "2025-04-17", entity="projectx", field="deadline", source="2026-11-20_talk"
    )
    assert (done.action, done.id, done.path) == (
        "superseded",
        "semantic/projects#projectX.deadline",
        "semantic/projects.md",
    )
    assert (root / done.path).read_text() == (
        "# projectX\n- deadline: 2025-04-17 [since:: 2026-11-21] [source:: [[2026-11-20_talk]]]\n"
        "- stakeholders: [[John]], [[Sarah]]\n\n"
        "## History\n- deadline: 2025-04-10 [since:: 2025-03-01] [until:: 2026-11-21]\n"
    )
    assert git(root, "log", "-1", "--format=%s") == "projectX: deadline is 2025-04-17\n"
    assert "The old value, 2025-04-10, moved to History." in git(root, "log", "-1", "--format=%b")


def test_the_same_value_again_writes_nothing(tmp_path):
    root = vault(tmp_path)
    head = git(root, "rev-parse", "HEAD")
    done = remember(pen_for(root), "2025-04-10", entity="projectX", field="deadline")
    assert (done.action, done.commit) == ("confirmed", "")
    assert "already known" in done.notice
    assert (root / "semantic/projects.md").read_text() == PROJECTS
    assert git(root, "rev-parse", "HEAD") == head


def test_a_field_of_many_values_gets_one_more(tmp_path):
    root = vault(tmp_path)
    done = remember(pen_for(root), "[[Zoë]]", entity="projectX", field="stakeholders")
    assert done.action == "added"
    assert (root / done.path).read_text() == PROJECTS + "- stakeholders: [[Zoë]] [since:: 2026-11-21]\n"
    assert remember(pen_for(root), "[[Sarah]]", entity="projectX", field="stakeholders").action == "confirmed"


def test_an_unknown_entity_goes_to_the_facts_file(tmp_path):
    root = vault(tmp_path)
    first = remember(pen_for(root), "Berlin", entity="Anna", field="city")
    second = remember(pen_for(root), "12 May", entity="anna", field="birthday")
    assert first.path == second.path == "semantic/facts.md"
    assert (root / first.path).read_text() == (
        "# Anna\n- city: Berlin [since:: 2026-11-21]\n- birthday: 12 May [since:: 2026-11-21]\n"
    )
    assert second.id == "semantic/facts#Anna.birthday"
    assert git(root, "rev-list", "--count", "HEAD") == "3\n"


def test_a_users_unsaved_work_in_the_same_file_stays_the_users(tmp_path):
    root = vault(tmp_path)
    (root / "semantic/projects.md").write_text(PROJECTS + "\n# mine\n- note: unsaved\n")
    done = remember(pen_for(root), "2025-04-17", entity="projectX", field="deadline")
    assert "unsaved" not in git(root, "show", f"{done.commit}:semantic/projects.md")
    assert "2025-04-17" in git(root, "show", f"{done.commit}:semantic/projects.md")
    changed = [line for line in git(root, "diff", "-U0").splitlines()[4:] if line[:1] in "+-"]
    assert changed == ["+", "+# mine", "+- note: unsaved"]


@pytest.mark.parametrize(("text", "entity", "field"), [("", "", ""), (" \n", "", ""), ("x", "", "city")])
def test_what_makes_no_sense_is_refused_before_anything_is_written(tmp_path, text, entity, field):
    root = vault(tmp_path)
    with pytest.raises(InputError):
        remember(pen_for(root), text, entity=entity, field=field)
    assert git(root, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    "entity", ["../../etc/x", "CON", ".git/config", "a" * 300, "x\ny", "History", "# x", "[[Zoë]]", "a.b#c"]
)
def test_an_entity_of_any_name_never_becomes_a_path(tmp_path, entity):
    root = vault(tmp_path)
    try:
        done = remember(pen_for(root), "v", entity=entity, field="f")
    except InputError:
        assert git(root, "status", "--porcelain") == ""
    else:
        assert done.path == "semantic/facts.md"
        assert git(root, "show", "--format=", "--name-only", "HEAD") == "semantic/facts.md\n"


def test_later_values_are_dated_by_the_clock_that_is_given(tmp_path):
    root = vault(tmp_path)
    remember(pen_for(root), "a", entity="E", field="f")
    remember(pen_for(root, NOW + timedelta(days=2)), "b", entity="E", field="f")
    assert (root / "semantic/facts.md").read_text() == (
        "# E\n- f: b [since:: 2026-11-23]\n\n## History\n- f: a [since:: 2026-11-21] [until:: 2026-11-23]\n"
    )
