"""purge on vaults that the real verbs filled: a canary in every place, then nowhere; everything else as it was; and it does not come back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Claw
from gitvault import copy_repositories, git

from memoryclaw.app import init_vault, open_vault
from memoryclaw.app import purge as carried
from memoryclaw.erase.rewriting import Rewriting
from memoryclaw.errors import HistoryError, InputError, NotFoundError

CANARIES = ("zanthrax", "quellmore")
TURNS = [
    ("s1", 1, "2026-03-08T10:00:00Z", "user", "Hi, my name is Tom. My doctor is Zanthrax Quellmore in Bern and I live in Basel."),
    ("s1", 2, "2026-03-08T10:00:30Z", "assistant", "Noted: Zanthrax Quellmore is your doctor."),
    ("s1", 3, "2026-03-08T10:01:00Z", "user", "My sister Anna works at Siemens. Please remind me to call the bank on Friday."),
    ("s2", 1, "2026-03-09T10:01:00Z", "user", "My car is a Volvo. I prefer tea over coffee."),
    ("s2", 2, "2026-03-09T10:01:20Z", "assistant", "Good to know."),
]  # fmt: skip
DOCTOR = "semantic/people#user.doctor"


def turn(session, number, ts, role, content):
    return {"session": session, "turn": number, "ts": ts, "role": role, "content": content}


def filled(app, turns=TURNS):
    """A vault in which the canary is everywhere that a verb may have put it."""
    app.capture([turn(*line) for line in turns])
    app.consolidate(llm="none")
    app.recall("who is my doctor?", session="s1")
    app.feedback(DOCTOR, 4, note="yes, Zanthrax Quellmore it is")
    app.working.set("s9", {"goal": "call Zanthrax Quellmore", "plan": ["find the number"]})
    app.claim("Somebody Else", entity="user", field="doctor", tool="memory_store", session="s9")
    return app


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The vault that the tests copy."""
    folder = tmp_path_factory.mktemp("made")
    init_vault(folder / "v")
    with open_vault(folder / "v") as app:
        filled(app)
    return folder


@pytest.fixture
def app(made, tmp_path):
    copy_repositories(made, tmp_path)
    with open_vault(tmp_path / "v") as app:
        yield app


def holding(root, words=CANARIES, *, objects=False):
    """Every file below the folder, and with `objects` every object of git, that holds one of the words, in its bytes or its name."""
    places = []
    for path in sorted(Path(root).rglob("*")):
        name = str(path.relative_to(root))
        if path.is_file() and not name.startswith(".git/"):
            data = path.read_bytes().lower()
            places += [name] if any(w.encode() in data or w in name.lower() for w in words) else []
    if objects:
        listed = subprocess.run(["git", "-C", str(root), "cat-file", "--batch", "--batch-all-objects"], capture_output=True, check=True).stdout.lower()  # fmt: skip
        places += [f"git: {word}" for word in words if word.encode() in listed]
        places += [
            str(p)
            for p in (Path(root) / ".git").rglob("*")
            if p.is_file() and any(w.encode() in p.read_bytes().lower() for w in words)
        ]
    return places


def others(root, *but):
    """The bytes of the files that a purge has no business with."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(Path(root).rglob("*"))
        if path.is_file() and not str(path.relative_to(root)).startswith((".git/", ".memoryclaw/", *but))
    }


def test_what_is_erased_stands_in_no_index_of_another_audience_either(app):
    (app.root / "notes").mkdir(exist_ok=True)
    (app.root / "notes/pin.md").write_text("---\naudience: owner\n---\n\nThe code of the gate.\n")
    assert app.seen_by("agent").search("zanthrax").matches
    assert [name for name in holding(app.root) if name.startswith(".memoryclaw/audience/agent/")]
    assert (app.purge(DOCTOR).hits, holding(app.root)) == ((), [])
    assert not app.seen_by("agent").search("zanthrax").matches
    assert app.seen_by("agent").search("volvo").matches
    assert holding(app.root) == []


def test_a_purged_fact_is_found_nowhere_and_the_rest_stays(app):
    places = {name.split("/")[0] for name in holding(app.root)}
    assert places >= {"episodes", "semantic", "logs", "runs", "ledger", "working", ".memoryclaw"}
    second = (app.root / "logs/2026-03-09/s2.jsonl").read_bytes()
    before = (app.root / "semantic/people.md").read_text().splitlines()
    planned = app.purge(DOCTOR, dry_run=True)
    assert {path.place for path in planned.emptied} >= {
        "notes", "facts", "logs", "ledger", "working memory", "run records", "review",
    }  # fmt: skip
    assert holding(app.root), "a dry run writes nothing"
    done = app.purge(DOCTOR)
    assert (done.hits, holding(app.root)) == ((), [])
    after = (app.root / "semantic/people.md").read_text().splitlines()
    assert [line for line in before if "doctor" not in line and "zanthrax" not in line] == [
        line for line in after if line in before
    ]
    assert [line.split(" [since")[0] for line in after if "lives" in line or "name" in line] == [
        "- name: Tom",
        "- lives in: Basel",
    ]
    assert (app.root / "logs/2026-03-09/s2.jsonl").read_bytes() == second
    assert "Basel" in app.recall("where do I live").context
    assert "Siemens" in app.recall("where does Anna work").context
    assert git(app.root, "status", "--porcelain") == ""


def test_lines_of_logs_keep_their_number_and_length_and_are_not_read_again(app):
    sizes = [len(line) for line in (app.root / "logs/2026-03-08/s1.jsonl").read_bytes().split(b"\n")]
    app.purge("log:s1/1")
    assert [len(line) for line in (app.root / "logs/2026-03-08/s1.jsonl").read_bytes().split(b"\n")] == sizes
    assert app.consolidate(llm="none").changes.ranges == ()
    app.capture([turn("s1", 4, "2026-03-08T10:05:00Z", "user", "My cat is called Minka.")])
    app.consolidate(llm="none")
    assert [f.value for _, f in app.facts() if f.field == "cat"]


def test_a_purged_turn_takes_along_what_rests_on_nothing_else(app):
    done = app.purge("log:s1/1", "log:s1/2")
    assert (done.hits, holding(app.root)) == ((), [])
    fields = {fact.field for _, fact in app.facts()}
    assert {"doctor", "lives in", "name"}.isdisjoint(fields)
    assert {"sister", "car"} <= fields


def test_a_purged_episode_goes_with_its_lines_and_facts(app):
    [episode] = [note.id for note in app.browse(kind="episode") if "zanthrax" in note.id]
    done = app.purge(episode)
    assert (done.hits, holding(app.root)) == ((), [])
    assert {fact.field for _, fact in app.facts()} == {"car", "prefers"}
    assert len(app.browse(kind="episode")) == 1


def test_by_source_and_by_day(app, tmp_path):
    done = app.purge(source="s1")
    assert (done.hits, holding(app.root)) == ((), [])
    assert {fact.field for _, fact in app.facts()} == {"car", "prefers"}
    done = app.purge(since="2026-03-09")
    assert not holding(app.root, ("volvo", "tea over coffee"))
    assert [fact.field for _, fact in app.facts()] == []
    with pytest.raises(NotFoundError, match="comes from"):
        app.purge(source="nobody")
    with pytest.raises(InputError, match="not a day"):
        app.purge(since="soon")


def test_what_an_agent_stored_goes_by_its_tool(app):
    app.claim("The Wobblemobil is in garage number nine", tool="memory_store", session="s9")
    app.claim("Wobblemobil purple", entity="Garage", field="content", tool="memory_store", session="s9")
    assert holding(app.root, ("wobblemobil",))
    done = app.purge(source="memory_store")
    assert (done.hits, holding(app.root, ("wobblemobil",))) == ((), [])
    assert holding(app.root), "the rest stays"


def test_artifacts_and_copies_in_the_archive_go(app):
    text = "Report of Zanthrax Quellmore. " + "All was well in the garden today. " * 400
    app.capture([{**turn("s5", 1, "2026-03-10T09:00:00Z", "tool", ""), "tool": "read", "result": text}])
    assert [name for name in holding(app.root) if name.startswith("logs/artifacts/")]
    app.forget(DOCTOR)
    assert [name for name in holding(app.root) if name.startswith("archive/")]
    [archived] = [path.stem for path in (app.root / "archive/facts").iterdir()]
    app.purge("log:s5/1", f"forgotten-{archived}")
    assert holding(app.root) == []


def test_a_purged_skill_leaves_the_copies_for_hosts(app):
    app.skills.new("call-zanthrax", description="Call Zanthrax Quellmore on the phone when asked to")
    [skill] = [listed.skill.name for listed in app.skills.list()]
    app.skills.approve(skill)
    app.skills.hosted()
    assert [name for name in holding(app.root) if name.startswith(".memoryclaw/host-skills/")]
    app.purge("skills/call-zanthrax/SKILL", DOCTOR)
    assert holding(app.root) == []


def test_it_does_not_come_back(app, tmp_path):
    app.purge("log:s1/1", "log:s1/2")
    again = app.capture([turn(*line) for line in TURNS])
    assert [outcome.left_out for outcome in again] == ["forgotten", "forgotten", "", "", ""]
    assert [outcome.again for outcome in again] == [False, False, True, True, True]
    other = app.capture([turn("s7", 1, "2026-04-01T10:00:00Z", "user", TURNS[0][4])])
    assert other[0].left_out == "forgotten", "the same words in another session"
    said = app.claim("Zanthrax Quellmore", entity="user", field="doctor", tool="memory_store")
    assert (said.action, said.commit) == ("rejected", "")
    assert said.notice.startswith("forgotten")
    assert app.claim("Remember: Zanthrax Quellmore is your doctor. And more.", tool="x").action == "rejected"
    file = tmp_path / "s1.jsonl"
    file.write_text("".join(json.dumps(turn(*line)) + "\n" for line in TURNS[:3]))
    assert app.import_logs(file).left_out == 2
    assert holding(app.root) == []


def test_what_others_put_into_the_log_is_not_consolidated(app):
    log = app.root / "logs/2026-03-08/s1.jsonl"
    before = log.read_bytes()
    app.purge("log:s1/1", "log:s1/2")
    log.write_bytes(before)  # a sync service brought the old file back
    done = app.consolidate(llm="none")
    assert any("forgotten" in skipped.reason for skipped in done.changes.skipped)
    app.capture(
        [turn("s8", 1, "2026-04-02T10:00:00Z", "user", "By the way, my doctor is Zanthrax Quellmore.")]
    )
    app.consolidate(llm="none")
    assert not [name for name in holding(app.root) if name.startswith(("episodes/", "semantic/", "runs/"))]


def test_tombstones_hold_no_content_and_no_guess_can_be_tested(app):
    app.purge(DOCTOR)
    text = (app.root / "review/decisions.jsonl").read_text()
    [tombstone] = [json.loads(line) for line in text.splitlines() if '"purged"' in line]
    assert set(tombstone) == {"at", "decision", "kind", "digests"}
    assert all(len(digest.rpartition(":")[2]) == 32 for digest in tombstone["digests"])


def test_law_1_the_tombstone_is_a_file_of_the_vault(app):
    app.purge("log:s1/1", "log:s1/2")
    app.close()
    shutil.rmtree(app.root / ".memoryclaw")
    with open_vault(app.root) as fresh:
        assert fresh.capture([turn(*TURNS[0])])[0].left_out == "forgotten"


def test_a_person_may_say_it_again(app):
    app.purge(DOCTOR)
    done = app.remember("Zanthrax Quellmore", entity="user", field="doctor")
    assert (done.action, "forgotten for good once" in done.notice) == ("added", True)
    assert app.claim("Zanthrax Quellmore", entity="user", field="doctor").action == "existing"


def test_what_says_it_elsewhere_is_named_and_left_alone(app):
    (app.root / "notes").mkdir()
    note = app.root / "notes/mine.md"
    note.write_text("I met Zanthrax Quellmore at the fair.\n")
    done = app.purge(DOCTOR)
    assert [hit.path for hit in done.hits] == ["notes/mine.md"]
    assert note.read_text() == "I met Zanthrax Quellmore at the fair.\n"
    assert [name for name in holding(app.root) if not name.startswith(".memoryclaw/index")] == [
        "notes/mine.md"
    ]


def test_the_users_own_work_is_not_swept_in(app):
    people = app.root / "semantic/people.md"
    people.write_text(people.read_text() + "- my own line: 1\n")
    (app.root / "mine.md").write_text("mine")
    done = app.purge(DOCTOR)
    assert "my own line" in people.read_text()
    assert "my own line" not in git(app.root, "show", done.commit)
    assert git(app.root, "status", "--porcelain").split() == ["M", "semantic/people.md", "??", "mine.md"]


def test_history_is_rewritten_and_every_object_searched(app):
    kept = git(app.root, "log", "--format=%s", "--", "memoryclaw.yaml")
    done = app.purge(DOCTOR, history=True)
    assert (done.hits, done.history) == ((), "rewritten")
    assert holding(app.root, objects=True) == []
    assert git(app.root, "fsck") == ""
    assert git(app.root, "status", "--porcelain") == ""
    assert git(app.root, "log", "--format=%s", "--", "memoryclaw.yaml") == kept
    assert os.path.dirname(done.bundle) == str(app.root.parent)
    assert os.stat(done.bundle).st_mode & 0o077 == 0
    subprocess.run(["git", "clone", "-qb", "main", done.bundle, "old"], check=True, cwd=app.root.parent)
    git(app.root.parent / "old", "checkout", "-q", "HEAD~1")
    assert holding(app.root.parent / "old"), "the backup holds all of it"
    record = next((app.root / "runs").iterdir()).stem
    assert app.undo(record).action == "undone"


def test_commits_that_files_cite_are_cited_as_they_are_called_now(app):
    app.undo(git(app.root, "log", "--format=%H", "--grep", "^Episode: .*Volvo").strip())
    assert '"commit"' in (app.root / "review/decisions.jsonl").read_text()
    app.purge(DOCTOR, history=True)
    cited = [
        json.loads(line).get("commit")
        for line in (app.root / "review/decisions.jsonl").read_text().splitlines()
    ]
    known = git(app.root, "rev-list", "--all").split()
    assert [commit for commit in cited if commit]
    assert all(commit in known for commit in cited if commit)
    assert git(app.root, "status", "--porcelain") == ""


def test_a_history_that_may_be_elsewhere_is_not_rewritten(app):
    git(app.root, "remote", "add", "origin", "https://example.org/x.git")
    with pytest.raises(HistoryError, match="remote"):
        app.purge(DOCTOR, history=True)
    assert holding(app.root), "nothing was erased"


def test_the_printed_steps_take_it_out_of_the_history(app):
    done = app.purge(DOCTOR)
    assert done.history == "kept"
    env = {**os.environ, "FILTER_BRANCH_SQUELCH_WARNING": "1", "GIT_CONFIG_NOSYSTEM": "1"}
    env |= {
        f"GIT_{role}_{key}": f"user@{key}" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")
    }
    before = others(app.root)
    for step in done.steps:
        subprocess.run(step, shell=True, check=True, env=env, capture_output=True)
    assert holding(app.root, objects=True) == []
    assert others(app.root) == before


class Killed(BaseException):
    pass


def die(*_, **__):
    raise Killed


@pytest.mark.parametrize("name", ["_derived", "_search", "purge"])
def test_killed_in_the_middle_it_goes_on(app, name, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(carried, name, die)
        with pytest.raises(Killed):
            app.purge(DOCTOR)
    app.close()
    done = app.purge(DOCTOR)
    assert (done.hits, holding(app.root)) == ((), [])
    assert done.searched > 1
    with pytest.raises(NotFoundError):
        app.purge(DOCTOR)


def test_another_purge_ends_one_that_was_killed(app, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(carried, "_derived", die)
        with pytest.raises(Killed):
            app.purge(DOCTOR)
    app.close()
    assert holding(app.root), "what was looked for, and the index"
    app.purge("log:s2/1")
    assert holding(app.root) == []


def test_what_waits_and_what_was_remembered_goes_also_from_the_history(app):
    [waiting] = [item.id for item in app.review.list() if "Somebody Else" in item.what]
    app.remember(
        "Wobblemobil is what the neighbours call the purple thing in garage number nine", tags=["cars"]
    )
    app.remember("Ulm", entity="Xanthippe", field="city")
    [episode] = [note.id for note in app.browse(kind="episode") if "wobblemobil" in note.id]
    app.forget("semantic/facts#Xanthippe.city")
    [archived] = [path.stem for path in (app.root / "archive/facts").iterdir()]
    done = app.purge(waiting, episode, f"forgotten-{archived}", history=True)
    assert done.hits == ()
    assert (
        holding(
            app.root, ("somebody else", "wobblemobil", "xanthippe: city is ulm", "city: ulm"), objects=True
        )
        == []
    )


def test_killed_while_the_history_is_rewritten_it_goes_on(app, monkeypatch):
    for name in ("_move", "_follow"):
        with monkeypatch.context() as patch:
            patch.setattr(Rewriting, name, die)
            with pytest.raises(Killed):
                app.purge(DOCTOR, history=True)
        app.close()
    done = app.purge(DOCTOR, history=True)
    assert (done.hits, holding(app.root, objects=True)) == ((), [])
    assert len(list(app.root.parent.glob("*.bundle"))) == 1
    assert git(app.root, "status", "--porcelain") == ""


def test_at_the_command_line_it_asks_and_tells(app):
    app.close()
    run = Claw(app.root)
    asked = run("forget", "--purge", DOCTOR)
    assert (asked.code, "--yes" in asked.err) == (2, True)
    assert "logs/2026-03-08/s1.jsonl" in asked.out
    assert holding(app.root)
    shown = run("forget", "--purge", DOCTOR, "--dry-run", "--json").json
    assert shown["dry_run"]
    done = run("forget", "--purge", DOCTOR, "--yes", "--json")
    assert done.code == 0
    assert {place["hits"] for place in done.json["places"]} == {0}
    assert holding(app.root) == []
    assert run("forget", "--since", "2026-01-01").code == 2
    assert run("forget").code == 2


def test_a_hit_that_is_left_ends_with_1(app):
    (app.root / "mine.md").write_text("Zanthrax Quellmore again\n")
    app.close()
    done = Claw(app.root)("forget", "--purge", DOCTOR, "--yes")
    assert done.code == 1
    assert "mine.md" in done.out
