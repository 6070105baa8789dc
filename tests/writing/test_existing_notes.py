"""A folder of notes that is there already: what `init` says of it, what it commits, and what it leaves alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import Claw, put
from gitvault import git
from obsidian import obsidian_vault

from memoryclaw.app import App, init_vault, survey_vault
from memoryclaw.errors import InputError

NOTE = {"Boat.md": "# Boat\n\nThe mooring costs 400 a year. #boat\n"}


def files_of(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*")}


def test_a_survey_counts_what_is_there_and_changes_nothing(tmp_path: Path) -> None:
    root = obsidian_vault(tmp_path / "notes")
    before = files_of(root)
    survey = survey_vault(root)
    assert (survey.place, survey.obsidian, survey.kinds) == ("notes", True, {"note": 65})
    assert survey.languages.keys() == {"en", "de", "fr", "zh"}
    assert (survey.templates, survey.problems, survey.other) == (2, 1, {".canvas": 1})
    assert survey.tags > 5
    assert survey.links > 20
    assert [(name.folder, name.files) for name in survey.named] == [("archive", 2)]
    assert files_of(root) == before


def test_notes_are_committed_as_they_are_and_what_git_ignores_is_not(tmp_path: Path) -> None:
    root = obsidian_vault(tmp_path / "notes")
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    done = init_vault(root, commit=survey_vault(root).untracked)
    committed = git(root, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")
    assert "private/Diary.md" not in committed
    assert {"Kitchen/龙井茶.md", "Daily/2026-03-01.md", "Reading/Broken header.md"} <= {*committed}
    assert not [
        path for path in committed if path.startswith((".obsidian", ".trash")) or path.endswith(".canvas")
    ]
    assert git(root, "log", "--format=%s").splitlines() == [
        "Keep 64 notes as they are",
        "Start a MemoryClaw vault",
    ]
    assert {path: path.read_bytes() for path in before} == before
    with App(root) as app, pytest.raises(InputError, match="there is nothing to take back"):
        app.undo(done.commit)
    # Rules of the user's say nothing of our folders, so the repository's own list does; their file stays as it was.
    hidden = [".memoryclaw/x", "logs/x", "ledger/x", "working/x"]
    assert git(root, "check-ignore", *hidden).split() == hidden
    assert init_vault(root, commit=survey_vault(root).untracked).action == "confirmed"


def test_what_the_user_staged_or_changed_is_left_and_said(tmp_path: Path) -> None:
    root = put(
        tmp_path / "notes",
        {**NOTE, "Staged.md": "one\n", "Changed.md": "one\n", "New.md": "one\n", ".env": "TOKEN=x\n"},
    )
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "Boat.md", "Changed.md")
    git(root, "commit", "-qm", "mine")
    git(root, "add", "Staged.md")
    (root / "Staged.md").write_text("one\ntwo\n")
    (root / "Changed.md").write_text("one\ntwo\n")
    survey = survey_vault(root)
    assert (survey.untracked, survey.changed) == (("New.md",), ("Changed.md", "Staged.md"))
    init_vault(root, commit=["New.md", "Staged.md", "Changed.md", ".env"[1:]])
    assert git(root, "show", "--format=", "--name-only", "HEAD").split() == ["New.md"]
    status = git(root, "status", "--porcelain").splitlines()
    assert {"AM Staged.md", " M Changed.md", "?? .env"} <= {*status}
    assert git(root, "show", ":Staged.md") == "one\n"


def test_a_note_with_a_secret_stays_out_of_git(tmp_path: Path) -> None:
    keys = "api key: sk-proj-Zk3u8Hq2Lw9Xv7Tn4Bc6Yd1Rf5\n"
    root = put(tmp_path / "notes", {**NOTE, "Keys.md": keys, "Wide.md": keys.encode("utf-16")})
    survey = survey_vault(root)
    assert (survey.untracked, survey.secret) == (("Boat.md",), ("Keys.md", "Wide.md"))


def test_notes_of_a_repository_further_down_are_not_taken(tmp_path: Path) -> None:
    root = put(tmp_path / "notes", {**NOTE, "other/Inner.md": "inner\n"})
    git(root / "other", "init", "-q")
    assert survey_vault(root).untracked == ("Boat.md",)


@pytest.mark.parametrize(
    ("make", "said", "code"),
    [
        ("empty", "created", 0),
        ("file", "is a file; a vault is a folder", 1),
        ("code", "holds source code", 1),
        ("home", "is your home folder", 1),
        ("vault", "is a vault already; nothing was changed", 0),
    ],
)
def test_each_kind_of_folder_gets_one_clear_sentence(tmp_path: Path, make: str, said: str, code: int) -> None:
    home = (
        put(tmp_path, {"code/a.py": "x = 1\n", "code/README.md": "# A\n", "a file": "", "home/x": ""})
        / "home"
    )
    (tmp_path / "empty").mkdir()
    init_vault(tmp_path / "vault")
    folder = {"file": tmp_path / "a file", "home": home}.get(make, tmp_path / make)
    before = files_of(tmp_path)
    ran = Claw(HOME=os.fspath(home))("init", folder)
    assert (ran.code, said in ran.out + ran.err) == (code, True)
    assert len((ran.err if code else ran.err or "x").splitlines()) == 1
    if code:
        assert files_of(tmp_path) == before


def test_init_without_anybody_to_ask_commits_nothing_and_says_how(tmp_path: Path) -> None:
    root = put(tmp_path / "notes", NOTE)
    ran = Claw()("init", ".", cwd=root)
    assert "1 note of yours is not in git" in ran.err
    assert "`memoryclaw init . --commit`" in ran.err
    edited = Claw()("edit", "Boat", "--set", "pin=true", cwd=root)
    assert (edited.code, "memoryclaw init --commit" in edited.err) == (1, True)
    assert (root / "Boat.md").read_text() == NOTE["Boat.md"]
    assert Claw()("init", ".", "--commit", cwd=root).code == 0
    edited = Claw()("edit", "Boat", "--set", "pin=true", "--json", cwd=root)
    assert edited.code == 0
    assert Claw()("undo", edited.json["commit"], cwd=root).code == 0
    assert (root / "Boat.md").read_text() == NOTE["Boat.md"]


@pytest.mark.parametrize("mark", [".obsidian", ".git"])
def test_a_question_in_a_folder_of_notes_suggests_init_there(tmp_path: Path, mark: str) -> None:
    root = put(tmp_path / "notes", {**NOTE, "deep/down/x.md": "x\n"})
    (root / mark).mkdir()
    home = tmp_path / "home"
    home.mkdir()
    for verb in ("search", "recall", "ask"):
        ran = Claw(HOME=os.fspath(home))(verb, "mooring", cwd=root)
        assert (ran.code, "run `memoryclaw init .` to make it one" in ran.err) == (1, True)
    ran = Claw(HOME=os.fspath(home))("search", "mooring", cwd=root / "deep/down")
    assert f"run `memoryclaw init {root}`" in ran.err
    assert files_of(root) == {"Boat.md", "deep", "deep/down", "deep/down/x.md", mark}
    assert files_of(home) == set()


def test_looking_at_a_folder_that_nobody_made_a_vault_leaves_no_trace_in_it(tmp_path: Path) -> None:
    root = put(tmp_path / "notes", NOTE)
    for verb in ("recall", "search", "ask", "browse", "status"):
        words = () if verb in ("browse", "status") else ("What does the mooring cost?",)
        assert Claw(root)(verb, *words).code == 0
    assert files_of(root) == {"Boat.md"}


def test_templates_are_no_problem_for_the_doctor(tmp_path: Path) -> None:
    root = put(
        tmp_path / "notes",
        {
            "T/Daily.md": "---\ndate: {{date}}\ntags: [<% tp.x() %>]\n---\n# {{title}}\n\n[[{{yesterday}}]]\n",
            "T/Person.md": "---\nborn: <% tp.date.now() %>\ntimestamp: <% x %>\n---\n",
        },
    )
    init_vault(root)
    with App(root) as app:
        levels = {check.name: check.level for check in app.doctor()}
        assert (levels["notes"], levels["links"]) == ("ok", "ok")
        (root / "T/Broken.md").write_text("---\ndate: [2026\n---\n")
        assert {check.name: check.level for check in app.doctor()}["notes"] == "problem"


@pytest.mark.parametrize(
    ("word", "verb"),
    [("add", "remember"), ("delete", "forget"), ("list", "browse"), ("log", "history"), ("find", "search")],
)
def test_a_word_that_a_person_tries_leads_to_the_verb_in_one_line(word: str, verb: str) -> None:
    ran = Claw()(word, "something")
    assert ran.code == 2
    assert f"{verb!r} does that: memoryclaw {verb}" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_help_is_a_verb_too_and_begins_with_examples() -> None:
    assert Claw()("help").out == Claw()("--help").out
    assert Claw()("help", "ask").out == Claw()("ask", "--help").out
    lines = Claw()("help").out.splitlines()
    assert lines[4] == "Examples:"
    assert [line.split()[1] for line in lines[5:8]] == ["init", "remember", "ask"]
    assert "does that: memoryclaw remember" in Claw()("help", "add").err


def test_a_status_warns_of_turns_that_wait_for_more_than_two_days(tmp_path: Path) -> None:
    init_vault(tmp_path / "v")
    claw = Claw(tmp_path / "v")
    turn = '{"session": "s", "role": "user", "content": "The mooring costs 400 a year.", "ts": "2026-04-18T09:00:00Z"}\n'
    assert claw("capture", stdin=turn).code == 0
    for now, hours, warned in (("2026-04-20T09:00:00Z", 48, False), ("2026-04-20T10:00:00Z", 49, True)):
        ran = Claw(tmp_path / "v", MEMORYCLAW_NOW=now)("status", "--json")
        assert ran.json["waiting"] == {"number": 1, "since": "2026-04-18T09:00:00Z", "hours": hours}
        assert (
            any("1 turns wait" in notice or "1 turn waits" in notice for notice in ran.json["notices"])
            == warned
        )
    stats = claw("stats", "--json").json
    assert (stats["waiting"]["number"], stats["turns"], stats["review"]["number"]) == (1, 1, 0)
    assert claw("consolidate", "--llm", "none").code == 0
    assert claw("status", "--json").json["waiting"]["number"] == 0
    months = {month["month"]: month for month in claw("stats", "--json").json["months"]}
    assert (months["2026-04"]["episodes"], months["2026-04"]["turns"]) == (1, 1)


def test_stats_count_what_was_asked_and_rated(tmp_path: Path) -> None:
    init_vault(tmp_path / "v")
    put(tmp_path / "v", NOTE)
    claw = Claw(tmp_path / "v")
    for _ in range(2):
        assert claw("recall", "mooring").code == 0
    assert claw("feedback", "Boat", "4").code == 0
    odd = (
        b'\xff{\n[]\n{"event": "shown", "ids": 5}\n{"event": "rated", "rating": "x", "ts": "soon"}\n'
        + b"[" * 100_000
    )
    (tmp_path / "v/ledger/broken.jsonl").write_bytes(odd)
    stats = claw("stats", "--json").json
    assert [month["month"] for month in stats["months"]] == ["2026-04"]
    assert (stats["recalls"], stats["ratings"], stats["rating"], stats["shown"]) == (
        3,
        1,
        4.0,
        [{"id": "Boat", "times": 2}],
    )


def test_ask_quotes_the_line_with_its_place_and_says_when_there_is_none(tmp_path: Path) -> None:
    init_vault(tmp_path / "v")
    put(tmp_path / "v", {
        **NOTE,
        "Long.md": "# Long\n\nThe pier was built in 1911 by two brothers,\nand the lamp on the pier is lit\nby hand. Nobody swims there.\n",
        "semantic/people.md": "# Nora\n- birthday: 1988-06-14\n- allergy: penicillin\n",
        "logs/2026-04-18/s.jsonl": '{"session": "s", "turn": 1, "role": "user", "content": "Where is the blue rope?"}\n{"session": "s", "turn": 2, "role": "user", "content": "The blue rope is under the bench."}\n{"session": "s", "turn": 3, "role": "tool", "content": "The blue rope is stolen."}\n',
    })  # fmt: skip
    with App(tmp_path / "v") as app:

        def lines(question: str) -> list[tuple[str, str, int]]:
            answer = app.ask(question)
            return [(line.text, line.path, line.line) for line in answer.lines] if answer.answered else []

        assert lines("When is Nora's birthday?") == [("Nora birthday: 1988-06-14", "semantic/people.md", 2)]
        assert lines("Which lamp on the pier is lit by hand?")[0] == (
            "The pier was built in 1911 by two brothers, and the lamp on the pier is lit by hand.", "Long.md", 3
        )  # fmt: skip
        assert lines("Where is the blue rope?") == [
            ("user: The blue rope is under the bench.", "logs/2026-04-18/s.jsonl", 2)
        ]
        assert lines("Does Nora play the trombone?") == []
        assert [
            line.text for line in app.ask("Does Nora play the trombone?").lines
        ]  # the nearest, said to be no more
        assert (app.ask("xylophone").answered, app.ask("xylophone").lines) == (False, ())
    ran = Claw(tmp_path / "v")("ask", "Does Nora play the trombone?")
    assert ran.out.splitlines()[0] == "No line is sure to answer that. The nearest:"


@pytest.mark.parametrize("folder", [".obsidian", "logseq"])
def test_in_the_vault_of_another_program_no_empty_folder_is_made(tmp_path: Path, folder: str) -> None:
    root = tmp_path / "notes"
    put(root, {f"{folder}/app.json": "{}", "a.md": "An oar.\n"})
    claw = Claw(root)
    assert claw("init", root, "--yes").code == 0
    made = {path.name for path in root.iterdir() if path.is_dir() and not path.name.startswith(".")}
    assert made - {folder} == {"semantic"}
    assert claw("remember", "Nora went sailing", "--note").code == 0
    assert list((root / "episodes").glob("*.md"))
    assert claw("check").code == 0


def test_a_repository_inside_a_larger_one_is_told(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    said = Claw()("init", tmp_path / "memory", "--yes").err
    assert f"inside that of {tmp_path}" in said


def test_what_git_ignores_is_told_with_what_can_be_done(tmp_path: Path) -> None:
    put(tmp_path / "v", {".gitignore": "private/\n", "private/a.md": "A secret oar.\n", "b.md": "B.\n"})
    git(tmp_path / "v", "init", "-q")
    assert "1 note by git's rules, and read here like any other" in " ".join(
        Claw()("init", tmp_path / "v", "--yes").out.split()
    )


def test_init_and_status_tell_the_same_problems(tmp_path: Path) -> None:
    put(tmp_path, {"a.md": "---\nx: [1\n---\nA.\n", "b.md": "---\ny: {2\n---\nB.\n", "c.md": "C.\n"})
    claw = Claw(tmp_path)
    assert "2 problems" in claw("init", tmp_path, "--yes").out
    assert len(claw("status", "--json").json["problems"]) == 2
