"""Secrets handed to a verb that writes: in no file, no index and no object or message of git, unless a person says --as-is."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import STUDIO, Claw, Files, git, put
from daemons import serving
from mcpclients import started
from secretset import Sample, samples, survives

from memoryclaw import open_vault

pytestmark = pytest.mark.security

# Four digits stand somewhere in every index; a PIN has a test of its own.
SAMPLES = [s for s in samples(20261121, ("{}", "I wrote it down: {}"), 1) if s.kind != "pin"]
Write = Callable[[Path, list[Sample]], None]
NOTE = "notes/moon"
PENDING = "# Waiting for a yes or a no\n\n- [ ] Boathouse.deadline: 2027-01-31 [confidence:: low] [source:: [[ep-wind]]]\n"


@pytest.fixture(autouse=True)
def own_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One key for every process of a test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", os.fspath(tmp_path / "config"))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault with one of everything, committed."""
    return committed(tmp_path, STUDIO)


def committed(folder: Path, files: Files) -> Path:
    root = put(folder / "vault", {".gitignore": ".memoryclaw/\n", **files})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


def everything(root: Path) -> str:
    """All that a vault is: names and bytes of its files, index and ledger included, every object of git, every message."""
    with open_vault(root) as app:
        app.sync()
    kept = [
        os.fsencode(path.relative_to(root)) + b"\n" + path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    ]
    texts = [objects_of(root), git(root, "log", "--all", "--format=%B")]
    return "\n".join([*texts, *(name.decode(errors="replace") for name in kept)])


def objects_of(root: Path) -> str:
    command = ["git", "cat-file", "--batch-all-objects", "--batch"]
    return subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.decode(errors="replace")


# --- each door and verb -------------------------------------------------------------------------------------------


def said_to_remember(root: Path, some: list[Sample]) -> None:
    with open_vault(root) as app:
        for sample in some:
            app.remember(sample.line)


def said_as_values_of_facts(root: Path, some: list[Sample]) -> None:
    with open_vault(root) as app:
        for number, sample in enumerate(some):
            app.remember(sample.line, entity="Nora", field=f"remark {number % 2}")


def said_as_tags_and_sources(root: Path, some: list[Sample]) -> None:
    with open_vault(root) as app:
        for sample in some:
            app.remember("The wind turns.", tags=["wind", sample.line], source=sample.line)


def said_as_properties(root: Path, some: list[Sample]) -> None:
    with open_vault(root) as app:
        for sample in some:
            line = " ".join(sample.line.split())
            app.edit(NOTE, {"summary": line, "tags": ["food", line]})


def said_as_the_value_of_a_fact(root: Path, some: list[Sample]) -> None:
    with open_vault(root) as app:
        for sample in some:
            app.edit("semantic/projects#Kiosk.deadline", {"value": sample.line})


def typed_to_remember(root: Path, some: list[Sample]) -> None:
    claw = Claw(root)
    for sample in some:
        ran = claw("remember", "--json", "--", sample.line)
        assert ran.code == 0, ran
        assert "--as-is" in ran.json["notice"]
        assert not survives(sample, ran.out + ran.err)
    ran = claw("remember", "-", "--tag", "typed", stdin=some[0].line)
    assert "--as-is" in ran.err


def typed_to_edit(root: Path, some: list[Sample]) -> None:
    claw = Claw(root)
    for sample in some:
        ran = claw("edit", NOTE, "--set", f"summary={' '.join(sample.line.split())}", "--json")
        assert ran.code == 0, ran
        assert "--as-is" in ran.json["notice"]
        assert not survives(sample, ran.out + ran.err)


def posted(root: Path, some: list[Sample]) -> None:
    with serving(root) as daemon:
        for number, sample in enumerate(some):
            done = daemon.post("/v1/remember", text=sample.line)
            assert "secret" in done["notice"]
            assert not survives(sample, json.dumps(done))
            daemon.post("/v1/remember", text=sample.line, entity="Nora", field=f"remark {number}")
            refused = daemon.ask("POST", "/v1/remember", {"text": sample.line, "as_is": True})
            assert (refused.status, refused.code) == (400, "input")


def patched(root: Path, some: list[Sample]) -> None:
    with serving(root) as daemon:
        for sample in some:
            done = daemon.ask(
                "PATCH", f"/v1/notes/{NOTE}", {"set": {"summary": " ".join(sample.line.split())}}
            )
            assert done.status == 200, done
            assert "secret" in done.json["notice"]


def stored(root: Path, some: list[Sample]) -> None:
    with started(root, root.parent / "mcp.log") as ask:
        for number, sample in enumerate(some):
            done = ask("memory_store", text=sample.line)
            assert not done.failed, done
            assert "secret" in done.text
            assert not survives(sample, done.text)
            assert not ask("memory_store", text=sample.line, entity="Nora", field=f"remark {number}").failed
            assert ask("memory_store", text=sample.line, as_is=True).failed
    assert not [s.kind for s in some if survives(s, (root.parent / "mcp.log").read_text())]


def said_in_the_description_of_a_skill(root: Path, some: list[Sample]) -> None:
    with open_vault(root) as app:
        for number, sample in enumerate(some):
            app.skills.new(f"step-{number}", f"Does a thing. {' '.join(sample.line.split())}")


def said_in_a_proposal_in_other_words(root: Path, some: list[Sample]) -> None:
    with open_vault(root) as app:
        for sample in some:
            (item,) = [waiting for waiting in app.review.list() if not waiting.is_skill]
            line = " ".join(sample.line.split())
            app.review.edit(item.id, lambda _, line=line: f"- [ ] Boathouse.remark: {line}\n")


def said_of_a_session(root: Path, some: list[Sample]) -> None:
    with open_vault(root) as app:
        for sample in some:
            app.working.set("monday", {"goal": sample.line, "facts": {"remark": sample.line}})
            app.feedback("ep-wind", 4, note=sample.line, session=sample.line)
            app.working.set(sample.line[:100], {"goal": "a desk"})
            app.recall("wind plan", session=sample.line[:100])
        app.working.clear("monday")


def claimed_by_a_tool(root: Path, some: list[Sample]) -> None:
    with open_vault(root) as app:
        for number, sample in enumerate(some):
            app.claim(f"The kiosk opens at {number + 1}.", tool=sample.line, session=sample.line)


def named_in_what_is_imported(root: Path, some: list[Sample]) -> None:
    for number, sample in enumerate(some):
        name = " ".join(sample.line.split()).replace("/", "%2F")[:200]
        memory = {
            "id": sample.line,
            "memory": f"Tea number {number}",
            "user_id": sample.line,
            "categories": [sample.line],
        }
        folder = put(
            root.parent / f"{number}",
            {
                f"notes/{name}/{name}.md": f"Of {number}\n", f"basic/{name}.md": f"---\ntype: note\n---\n\nBasic {number}\n",
                "mem0.json": json.dumps({"results": [memory]}), f"{name}.md": f"# Memory\n\n- Colour {number}: red\n",
            },
        )  # fmt: skip
        with open_vault(root) as app:
            app.transfer.import_from("markdown", folder / "notes")
            app.transfer.import_from("basic-memory", folder / "basic")
            app.transfer.import_from("mem0", folder / "mem0.json")
            app.transfer.import_from("memory-md", folder / f"{name}.md")


WRITERS: list[Write] = [
    said_to_remember, said_as_values_of_facts, said_as_tags_and_sources, said_as_properties,
    said_as_the_value_of_a_fact, typed_to_remember, typed_to_edit, posted, patched, stored,
    said_in_the_description_of_a_skill, said_in_a_proposal_in_other_words, said_of_a_session,
    claimed_by_a_tool, named_in_what_is_imported,
]  # fmt: skip


@pytest.mark.parametrize("every", [24, pytest.param(2, marks=pytest.mark.laws)])
@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_no_verb_at_any_door_writes_a_secret_anywhere(tmp_path: Path, write: Write, every: int) -> None:
    root = committed(tmp_path, {**STUDIO, "semantic/_pending.md": PENDING})
    some = SAMPLES[WRITERS.index(write) % every :: every]
    assert len(some) >= 92 // every
    write(root, some)
    kept = everything(root)
    assert [sample.kind for sample in some if survives(sample, kept)] == []
    assert kept.count("[REDACTED:") >= len(some)


def test_a_name_makes_a_value_a_secret(vault: Path) -> None:
    claw = Claw(vault)
    assert claw("remember", "walnut", "--entity", "Home", "--field", "password").code == 0
    assert claw("edit", NOTE, "--set", "password=lantern").code == 0
    assert claw("remember", "the", "wifi", "password", "is", "pebble77").code == 0
    assert claw("remember", "The PIN is 7391").code == 0
    kept = everything(vault)
    assert [
        word for word in ("walnut", "lantern", "pebble77", "PIN is 7391", "pin-is-7391") if word in kept
    ] == []
    assert '- password: "[REDACTED:password:' in (vault / "semantic/facts.md").read_text()
    assert 'password: "[REDACTED:password:' in (vault / f"{NOTE}.md").read_text()


def test_the_mark_is_that_of_capture_and_the_fact_is_read_back(vault: Path) -> None:
    claw, text = Claw(vault), "password: hunter2-Zebra-Quilt"
    turn = json.dumps({"role": "user", "content": text, "session": "s"})
    assert claw("capture", stdin=f"{turn}\n").code == 0
    (log,) = vault.glob("logs/2026-*/s.jsonl")
    mark = json.loads(log.read_text())["content"].removeprefix("password: ")
    claw("remember", text, "--entity", "Home", "--field", "wifi")
    (fact,) = claw("facts", "Home", "--json").json["facts"]
    assert (fact["field"], fact["value"]) == ("wifi", f"password: {mark}")


# --- a person means it --------------------------------------------------------------------------------------------


def test_with_as_is_it_stands_as_it_was_typed(vault: Path) -> None:
    claw = Claw(vault)
    for number, sample in enumerate(s for s in SAMPLES[::8] if "\n" not in s.line):
        line = sample.line.strip()
        ran = claw("remember", "--note", "--as-is", "--json", "--", line)
        assert ran.code == 0, ran
        assert ran.json["notice"] == ""
        assert line in (vault / ran.json["path"]).read_text()
        assert sample.secret in git(vault, "show", ran.json["commit"])
        ran = claw("remember", line, "--entity", "Nora", "--field", f"remark {number}", "--as-is", "--json")
        assert line in (vault / ran.json["path"]).read_text()
    assert claw("edit", NOTE, "--set", "password=lantern", "--as-is").code == 0
    assert "password: lantern" in (vault / f"{NOTE}.md").read_text()
    assert "password = lantern" in git(vault, "log", "-1", "--format=%s")


def test_nothing_that_is_no_secret_is_touched_and_nothing_is_said(vault: Path) -> None:
    ran = Claw(vault)("remember", "The password reset link was sent to Nora.", "--note", "--json")
    assert ran.json["notice"] == ""
    assert "The password reset link was sent to Nora." in (vault / ran.json["path"]).read_text()
    assert not (Path(os.environ["XDG_CONFIG_HOME"]) / "memoryclaw/redaction.key").exists()


# --- what stands already stays ------------------------------------------------------------------------------------

MINE = (
    "---\nid: home\npassword: walnut77\n---\n\n# Cabin\n- password: walnut77\n- door: blue\n\n"
    "My key is AKIAQ7Z2Q7Z2Q7Z2Q7Z2.\n"
)


def test_a_persons_own_bytes_stay_when_something_else_in_the_file_changes(tmp_path: Path) -> None:
    root = committed(tmp_path, {"semantic/home.md": MINE})
    note = root / "semantic/home.md"
    with open_vault(root) as app:
        app.edit("home#Cabin.door", {"value": "green"})
        assert note.read_text() == MINE.replace("blue", "green")
        done = app.edit("home", {"pin": "true"})
        assert not done.notice
        assert note.read_text().replace("pin: true\n", "") == MINE.replace("blue", "green")


def test_what_is_forgotten_revived_superseded_or_undone_comes_back_byte_for_byte(tmp_path: Path) -> None:
    root = committed(
        tmp_path,
        {"semantic/home.md": MINE, "episodes/2025-01-01_08-00-00_keys.md": MINE.replace("home", "keys")},
    )
    note = root / "semantic/home.md"
    with open_vault(root) as app:
        app.forget("home#Cabin.password")
        app.undo("HEAD")
        assert note.read_text() == MINE
        gone = app.forget("keys")
        assert (root / gone.path).read_text() == MINE.replace("home", "keys")
        back = app.revive(gone.id)
        assert (root / back.path).read_text() == MINE.replace("home", "keys")
        app.remember("pebble88", entity="Cabin", field="password")
        assert "- password: walnut77" in note.read_text(), "the old value moved to History as it was"
        assert "pebble88" not in everything(root)
        app.undo("HEAD")
        assert note.read_text() == MINE


def test_a_proposal_keeps_what_stood_in_it_before_a_person_edits_it(tmp_path: Path) -> None:
    mine = "- [ ] Home.password: walnut77 [confidence:: low]\n"
    root = committed(tmp_path, {"semantic/_pending.md": f"# Waiting\n\n{mine}"})
    with open_vault(root) as app:
        (item,) = app.review.list()
        app.review.edit(item.id, lambda text: text.replace("low", "high"))
    assert mine.replace("low", "high") in (root / "semantic/_pending.md").read_text()


def test_a_log_that_nobody_captured_gives_no_secret_to_what_is_made_of_it(tmp_path: Path) -> None:
    said = [
        "The deadline of the kiosk is 2027-02-01, the wifi password is Walnut7734.",
        "My name is Nora and my key is ghp_" + "a1B2" * 9 + ".",
    ]
    calls = [
        {"tool": tool, "args": {"to": "priya", "token": "q7Rt2" * 6}, "ok": True} for tool in ("open", "send", "close")
    ]  # fmt: skip
    lines = [
        {"ts": f"2026-04-{day:02}T09:0{n}:00Z", "session": f"s{day}", "turn": n + 1, **turn}
        for day in range(1, 9)
        for n, turn in enumerate([*({"role": "user", "content": text} for text in said), *calls])
    ]
    log = "".join(f"{json.dumps(line)}\n" for line in lines)
    root = put(tmp_path / "vault", {"logs/2026-04-08/s.jsonl": log, ".gitignore": ".memoryclaw/\nlogs/\n"})
    git(root, "init", "-q")
    git(root, "add", ".gitignore")
    git(root, "commit", "-qm", "first")
    with open_vault(root) as app:
        assert app.consolidate(llm="none").applied
    made = [path.read_text() for path in root.rglob("*") if path.suffix in {".md", ".json"}]
    everywhere = "\n".join([*made, objects_of(root)])
    assert "kiosk" in everywhere
    assert [secret for secret in ("Walnut7734", "a1B2a1B2", "q7Rt2q7Rt2") if secret in everywhere] == []
