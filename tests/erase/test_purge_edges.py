"""purge where texts are spelt in odd ways, where logs and facts have other forms, and where it is killed at any write."""

from __future__ import annotations

import json
import os
import shutil
import unicodedata
from datetime import UTC, datetime

import pytest
from conftest import Claw
from gitvault import git, vault_of
from killing import killed_at
from test_purge import DOCTOR, TURNS, filled, holding, turn

from memoryclaw.app import init_vault, open_vault
from memoryclaw.errors import ForbiddenError
from memoryclaw.interfaces.http.routes import SUBJECTS
from memoryclaw.interfaces.mcp.tools import ROWS
from memoryclaw.text.needles import Needles

NOW = datetime(2026, 4, 20, tzinfo=UTC)


@pytest.fixture
def root(tmp_path):
    init_vault(tmp_path / "v")
    return tmp_path / "v"


@pytest.mark.parametrize(
    "text",
    [
        "the ÉCOLE  Zanthrax",
        unicodedata.normalize("NFD", "école zanthrax"),
        json.dumps({"a": "École\nZanthrax"}),
        json.dumps('École "Zanthrax"'),
        "2026-03-08_10-00-00_ecole-zanthrax.md",
        "**École**, *Zanthrax*!",
    ],
)  # fmt: skip
def test_a_text_is_found_however_it_is_spelt(text):
    needles = Needles(["École Zanthrax"])
    assert needles.matches(text) == ["École Zanthrax"]
    assert not needles.matches(needles.without(text))


def test_a_text_that_was_cut_is_found_by_its_beginning():
    needles = Needles(["Wobblemobil is what the neighbours call the purple thing in garage nine"])
    cut = "Remember: Wobblemobil is what the neighbours call the pur…\n\nand more …"
    assert needles.matches(cut)
    assert needles.without(cut) == "Remember: forgotten\n\nand more …"
    assert not needles.matches("so is what the neighbours call …")


def test_texts_that_stand_anywhere_are_not_looked_for():
    assert Needles(["ok", "yes!", "42"]).texts == ()
    assert not Needles(["tea over coffee"]).matches("coffee over tea, a tea over my coffee")


def test_scripts_without_spaces_are_found_inside_a_sentence():
    needles = Needles(["東京都港区六本木"])
    assert needles.matches("私は東京都港区六本木に住んでいます")
    assert not needles.matches(needles.without("私は東京都港区六本木に住んでいます"))


def test_a_markdown_log_and_a_note_of_the_users(root):
    (root / "logs/2026-03-08").mkdir(parents=True)
    log = root / "logs/2026-03-08/talk.md"
    log.write_text("### user\nThe Zanthrax Quellmore papers\nare in the safe.\n\n### assistant\nNoted.\n")
    (root / "diary.md").write_text("# Diary\n\nZanthrax Quellmore came by today, late.\n")
    git(root, "add", "diary.md")
    git(root, "commit", "-qm", "mine")
    with open_vault(root) as app:
        done = app.purge("log:talk/1", "diary")
        assert done.hits == ()
    assert holding(root) == []
    assert log.read_text().splitlines()[4:] == ["### assistant", "Noted."]
    assert not (root / "diary.md").exists()


def test_what_names_no_day_is_of_no_day_or_later(root):
    (root / "logs").mkdir(exist_ok=True)
    for name, text in {
        "logs/undated.md": "### user\nThe undated papers are in the safe.\n",
        "episodes/spring.md": "---\nid: ep-spring\ntimestamp: spring 2019\n---\nThe boat was painted.\n",
        "episodes/march.md": "---\nid: ep-march\ntimestamp: 2026-03-12\n---\nThe boat was sold to the museum.\n",
    }.items():
        (root / name).write_text(text)
    with open_vault(root) as app:
        done = app.purge(since="2026-03-08")
        assert [path.path for path in done.emptied] == ["episodes/march.md"]
    assert (root / "logs/undated.md").read_text().startswith("### user\nThe undated")
    assert (root / "episodes/spring.md").exists()


def test_logs_that_git_holds_are_in_the_commit_and_in_the_history(root):
    (root / ".gitignore").write_text(".memoryclaw/\nworking/\nledger/\n")
    with open_vault(root) as app:
        filled(app)
        git(root, "add", "-A")
        git(root, "commit", "-qm", "logs too")
        done = app.purge(DOCTOR, history=True)
        assert done.hits == ()
    assert holding(root, objects=True) == []
    assert git(root, "status", "--porcelain") == ""


def test_files_that_are_called_alike_without_their_names_stay_two_in_the_history(root):
    bodies = ["One is tall.\n", "Two is small.\n"]
    with open_vault(root) as app:
        filled(app)
        for name, body in zip(("Zanthrax Quellmore", "zanthrax-quellmore"), bodies, strict=True):
            (root / f"{name}.md").write_text(body)
        (root / "forgotten.md").write_text("Mine.\n")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "two files")
        git(root, "rm", "-q", "Zanthrax Quellmore.md", "zanthrax-quellmore.md")
        git(root, "commit", "-qm", "no files")
        (root / "a[b].md").write_text("staged\n")
        (root / "ab.md").write_text("staged too\n")
        git(root, "add", "a[b].md", "ab.md")
        app.purge(DOCTOR, history=True)
    [commit] = git(root, "log", "--format=%H", "--grep", "two files").split()
    assert [git(root, "show", f"{commit}:{name}") for name in ("forgotten-2.md", "forgotten-3.md")] == bodies
    assert git(root, "show", f"{commit}:forgotten.md") == "Mine.\n"
    assert holding(root, objects=True) == []
    assert git(root, "diff", "--cached", "--name-only").split() == ["a[b].md", "ab.md"]


def test_a_vault_without_git(tmp_path):
    root = tmp_path / "v"
    root.mkdir()
    with open_vault(root) as app:
        filled(app)
        done = app.purge(DOCTOR, history=True)
        assert (done.hits, done.history, done.commit, done.steps) == ((), "none", "", ())
    assert holding(root) == []


def test_a_fact_in_a_table_and_one_with_two_sources(root):
    vault_of(
        root,
        {
            "semantic/people.md": "# People\n| person | mail |\n|---|---|\n| Tom | zanthrax@quellmore.example |\n| Eva | e@x |\n"
        },
    )
    with open_vault(root) as app:
        app.purge("semantic/people#Tom.mail")
        assert holding(root) == []
        assert [f.value for _, f in app.facts("Eva")] == ["e@x"]


def test_a_fact_that_two_episodes_confirm_stays_when_one_goes(root):
    with open_vault(root) as app:
        app.capture([turn("a", 1, "2026-03-01T10:00:00Z", "user", "My dog is called Bello.")])
        app.consolidate(llm="none")
        app.capture([turn("b", 1, "2026-03-05T10:00:00Z", "user", "By the way, my dog is called Bello.")])
        app.consolidate(llm="none")
        before = (root / "semantic").glob("*.md")
        text = "".join(path.read_text() for path in before)
        app.purge("log:a/1")
        after = "".join(path.read_text() for path in (root / "semantic").glob("*.md"))
    assert "Bello" in text
    assert "Bello" in after or "#^l1]], [[" not in text


def test_what_was_superseded_goes_with_what_said_it(root):
    with open_vault(root) as app:
        app.capture([turn("a", 1, "2026-03-01T10:00:00Z", "user", "I live in Quellmore Zanthrax.")])
        app.consolidate(llm="none")
        app.capture([turn("b", 1, "2026-03-05T10:00:00Z", "user", "I moved, I live in Basel now.")])
        app.consolidate(llm="none")
        done = app.purge("log:a/1")
        assert (done.hits, holding(root)) == ((), [])
        assert "Basel" in app.recall("where do I live?").context


def test_a_run_that_waits_as_a_branch_is_named(root):
    with open_vault(root) as app:
        app.capture([turn(*line) for line in TURNS])
        app.consolidate(llm="none", mode="branch")
        done = app.purge("log:s1/1", "log:s1/2")
        [hit] = done.hits
        assert (hit.place, hit.path in done.notices[0]) == ("runs that wait", True)


def test_short_turns_are_blocked_as_what_they_were_and_not_everywhere(root):
    with open_vault(root) as app:
        app.capture(
            [
                turn("a", 1, "2026-03-01T10:00:00Z", "user", "Yes please."),
                turn("a", 2, "2026-03-01T10:01:00Z", "user", "No."),
            ]
        )
        app.purge("log:a/1")
        again = app.capture(
            [
                turn("a", 1, "2026-03-01T10:00:00Z", "user", "Yes please."),
                turn("b", 1, "2026-04-01T10:00:00Z", "user", "Yes please."),
            ]
        )
        assert [outcome.left_out for outcome in again] == ["forgotten", ""]


def test_what_openclaw_has_in_its_notes_is_not_proposed_again(root, tmp_path):
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "USER.md").write_text("# User\n- doctor: Zanthrax Quellmore\n- shoe size: 44\n")
    with open_vault(root) as app:
        app.remember("Zanthrax Quellmore", entity="user", field="doctor")
        app.purge("semantic/facts#user.doctor")
        done = app.openclaw.import_notes(str(workspace))
        assert [proposal.what for proposal in done.proposed] == ["user: shoe size is 44"]
    assert holding(root) == []


def test_over_http_and_mcp_nothing_purges():
    assert not [route for route in SUBJECTS["Write"] if "purge" in str(route)]
    assert not [tool for tool in ROWS if "purge" in str(tool) or "forget" in str(tool.name)]


@pytest.mark.parametrize("dry_run", [True, False])
def test_only_the_owner_purges(root, dry_run):
    with open_vault(root) as app:
        app.remember("The boathouse key hangs behind the Zanthrax clock.")
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    with open_vault(root, audience="agent") as agent, pytest.raises(ForbiddenError):
        agent.purge(since="2000-01-01", dry_run=dry_run)
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before


@pytest.mark.laws
def test_killed_at_any_write_a_second_run_ends_it(tmp_path):
    start = tmp_path / "start"
    init_vault(start)
    with open_vault(start) as app:
        filled(app)
    whole = shutil.copytree(start, tmp_path / "whole")
    with open_vault(whole) as app:
        app.purge(DOCTOR)
    at = 0
    while True:
        at += 9
        root = shutil.copytree(start, tmp_path / f"v{at}")

        def work(_, root=root):
            with open_vault(root) as app:
                app.purge(DOCTOR)

        code = killed_at(at, work).code
        again = Claw(root)("forget", "--purge", DOCTOR, "--yes")
        assert holding(root) == [], (at, again)
        assert git(root, "status", "--porcelain") == "", at
        people = (root / "semantic/people.md").read_text().split("tom-")[0]
        assert people == (whole / "semantic/people.md").read_text().split("tom-")[0]
        if code == 0:
            break
    assert at > 9
    assert os.listdir(root / "runs")
