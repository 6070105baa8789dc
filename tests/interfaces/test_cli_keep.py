"""`sync`, `reindex`, `status`, `doctor` and `watch` as commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from conftest import Claw, Own, VaultOf, git, put
from indexed import forget_stamps, kept, until

BAD = "---\ntags: [a\nsummary: x\n---\n\nzebra crossing\n"


def level_of(ran_json: dict, name: str) -> str:
    return next(check["level"] for check in ran_json["checks"] if check["name"] == name)


def test_sync_says_what_it_did(asked: Claw) -> None:
    assert asked("sync", "--json").json["added"] == 6
    (asked.vault / "notes/moon.md").write_text("# Moon\n\nmore salt\n")
    (asked.vault / "notes/new.md").write_text("# New\n")
    (asked.vault / "episodes/2025-09-04_15-40-00_wind-plan.md").unlink()
    done = asked("sync", "--json").json
    assert (done["added"], done["changed"], done["removed"]) == (1, 1, 1)
    assert "0 added, 0 changed, 0 removed" in asked("sync").out


def test_reindex_gives_the_same_answers(asked: Claw) -> None:
    before = asked("search", "boathouse", "--json").json["matches"]
    assert asked("reindex", "--json").json["added"] == 6
    assert asked("search", "boathouse", "--json").json["matches"] == before


def test_status_counts_what_is_behind_and_changes_nothing(asked: Claw) -> None:
    asked("sync")
    (asked.vault / "notes/new.md").write_text("# New\n")
    (asked.vault / "notes/bad.md").write_text(BAD)
    for _ in range(2):
        now = asked("status", "--json").json
        assert now["behind"] == 2
    assert now["notes"]["episode"] == 2
    assert now["daemon"] is None
    assert now["degraded"] == ""
    assert now["git"]["state"] == "none"
    assert now["index"]["engine"] == "fts5"
    asked("sync")
    now = asked("status", "--json").json
    assert now["behind"] == 0
    assert [problem["path"] for problem in now["problems"]] == ["notes/bad.md"]
    assert "notes/bad.md:" in asked("status").out


def test_after_a_sync_nothing_is_behind_however_soon_it_came(asked: Claw) -> None:
    """A file that is read in the tick of the clock in which it changed has a stamp that proves nothing."""
    asked("sync")
    own = kept(asked.vault)
    forget_stamps(own)
    before = own.index.stamps()
    assert set(before.values()) == {b""}
    assert asked("status", "--json").json["behind"] == 0
    assert "up to date" in asked("status").out
    (asked.vault / "notes/moon.md").write_text("# Moon\n\nmore salt\n")
    assert asked("status", "--json").json["behind"] == 1
    assert own.index.stamps() == before
    own.close()


def test_status_tells_the_last_machine_change(asked: Claw) -> None:
    git(asked.vault, "init", "-q", "-b", "main")
    git(asked.vault, "add", "-A")
    git(asked.vault, "commit", "-qm", "mine")
    assert asked("status", "--json").json["git"]["last"] is None
    done = asked("edit", "semantic/projects#Kiosk.deadline", "--set", "value=2026-03-01", "--json").json
    last = asked("status", "--json").json["git"]["last"]
    assert last["commit"] == done["commit"]
    assert last["run"].startswith("edit-")


def test_status_of_an_empty_root_is_degraded_not_empty(asked: Claw) -> None:
    asked("sync")
    for name in ("episodes", "logs", "memoryclaw.yaml", "notes", "semantic", "skills"):
        (asked.vault / name).rename(asked.vault.parent / name)
    now = asked("status", "--json").json
    assert "empty" in now["degraded"]
    ran = asked("search", "boathouse")
    assert "2026-12-11" in ran.out
    assert "empty" in ran.err


def test_what_is_ignored_is_reported(asked: Claw) -> None:
    (asked.vault / ".obsidian").mkdir()
    (asked.vault / "notes/moon.sync-conflict-20260101-101010-ABCDEFG.md").write_text("# Moon\n\nzebra\n")
    asked("sync")
    now = asked("status", "--json").json
    assert ".obsidian/" in now["ignored"]
    assert any("sync-conflict" in name for name in now["ignored"])
    assert asked("search", "zebra", "--json").json["matches"] == []


def test_a_sound_vault_passes_every_check(claw: Claw, tmp_path: Path) -> None:
    vault = tmp_path / "new"
    claw("init", vault)
    ran = claw("doctor", "--json", "--vault", vault)
    assert ran.code == 0
    assert ran.json["sound"]
    assert {check["level"] for check in ran.json["checks"]} == {"ok"}


def test_doctor_names_each_trouble_and_mends_only_what_is_its_own(asked: Claw) -> None:
    ours, theirs = asked.vault / "notes/.0123456789ab-1.tmp", asked.vault / "notes/.theirs.tmp"
    put(asked.vault, {
        "notes/bad.md": BAD, "notes/Moon.md": "# Another moon\n", "notes/caf\u00e9.md": "# one\n", "notes/cafe\u0301.md": "# two\n",
        "notes/.0123456789ab-1.tmp": "x", "notes/.theirs.tmp": "x",
    })  # fmt: skip
    before = {path: path.read_bytes() for path in asked.vault.rglob("*") if path.is_file() and path != ours}
    ran = asked("doctor", "--json")
    assert ran.code == 1
    checks = {check["name"]: check for check in ran.json["checks"]}
    levels = {name: checks[name]["level"] for name in ("notes", "links", "names", "leftovers")}
    assert levels == {"notes": "problem", "links": "advice", "names": "problem", "leftovers": "advice"}
    bad = checks["notes"]["details"][0]
    assert (bad["path"], bad["line"] > 1, bool(bad["hint"])) == ("notes/bad.md", True, True)
    assert any("Nowhere" in detail["message"] for detail in checks["links"]["details"])
    assert len(checks["names"]["details"]) == 2
    repaired = asked("doctor", "--fix")
    assert (repaired.code, "notes/bad.md:" in repaired.out, ours.exists(), theirs.exists()) == (
        1,
        True,
        False,
        True,
    )
    after = {
        path: path.read_bytes()
        for path in asked.vault.rglob("*")
        if path.is_file() and ".memoryclaw" not in path.parts
    }
    assert after == before


def test_an_index_that_lies_is_found_and_mended(asked: Claw) -> None:
    import sqlite3  # noqa: PLC0415

    asked("sync")
    with sqlite3.connect(asked.vault / ".memoryclaw/index.sqlite") as index:
        index.execute("update files set title = 'a lie' where id = 'ep-wind'")
    index.close()
    (asked.vault / ".memoryclaw/index.seal").unlink(missing_ok=True)
    report = asked("doctor", "--json")
    if (
        level_of(report.json, "index") == "problem"
    ):  # else it was thrown away and built again before doctor looked
        assert report.code == 1
        assert level_of(asked("doctor", "--fix", "--json").json, "index") == "mended"
    assert level_of(asked("doctor", "--json").json, "index") == "ok"
    assert "a lie" not in asked("browse").out


def test_doctor_warns_of_what_others_may_read(claw: Claw, tmp_path: Path) -> None:
    vault = tmp_path / "new"
    claw("init", vault)
    vault.chmod(0o755)
    ran = claw("doctor", "--json", "--vault", vault)
    assert ran.code == 0
    assert level_of(ran.json, "permissions") == "advice"


def test_doctor_names_settings_that_do_not_exist(asked: Claw) -> None:
    (asked.vault / "memoryclaw.yaml").write_text("retrieval:\n  budgte: 600\n")
    ran = asked("doctor", "--json")
    assert ran.code == 1
    assert level_of(ran.json, "settings") == "problem"


def test_init_and_check_say_that_ollama_is_there_until_a_model_is_named(tmp_path: Path, own: Own) -> None:
    program = put(tmp_path / "bin", {"ollama": "#!/bin/sh\ntouch ran\n"}) / "ollama"
    program.chmod(0o755)
    settings = own("")
    claw = Claw(PATH=f"{program.parent}:{os.environ['PATH']}", XDG_CONFIG_HOME=os.fspath(settings.parents[1]))
    hint = f"`llm.chain: [ollama]` in {settings} turns it on"
    assert hint in claw("init", tmp_path / "v", "--yes", cwd=tmp_path).err
    models = [
        each
        for each in claw("check", "--vault", tmp_path / "v", "--json").json["checks"]
        if each["name"] == "models"
    ]
    assert [(each["level"], hint in each["sentence"]) for each in models] == [("advice", True)]
    own("llm: {chain: [ollama]}\n")
    assert "Ollama" not in claw("check", "--vault", tmp_path / "v").out
    assert not (tmp_path / "ran").exists()


@pytest.fixture
def watched(asked: Claw) -> subprocess.Popen[bytes]:
    process = asked.start("watch", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while json.loads(process.stdout.readline())["kind"] != "started":
        pass
    yield process
    process.kill()
    process.wait()


def test_watch_keeps_the_index_and_status_names_it(asked: Claw, watched: subprocess.Popen[bytes]) -> None:
    assert asked("status", "--json").json["daemon"] == watched.pid
    (asked.vault / "notes/quince.md").write_text("# Quince\n")
    report = json.loads(watched.stdout.readline())
    assert (report["kind"], report["files"]) == ("synced", 1)
    assert asked("search", "quince", "--json").json["matches"]


def test_a_second_watch_refuses_politely(asked: Claw, watched: subprocess.Popen[bytes]) -> None:
    ran = asked("watch")
    assert ran.code == 1
    assert str(watched.pid) in ran.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_watch_ends_cleanly(watched: subprocess.Popen[bytes], number: signal.Signals, code: int) -> None:
    watched.send_signal(number)
    assert watched.wait(60) == code
    assert b"Traceback" not in watched.stderr.read()


def test_a_long_first_indexing_can_be_interrupted_and_continued(vault_of: VaultOf) -> None:
    vault = vault_of({f"notes/n{n}.md": f"# Note {n}\n\n" + f"word{n} filler " * 120 for n in range(1200)})
    asked = Claw(vault)
    process = asked.start("sync", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until((vault / ".memoryclaw/index.sqlite").exists)  # it has begun; on a quick machine it may even be done
    process.send_signal(signal.SIGINT)
    assert process.wait(60) in {0, 130}
    assert b"Traceback" not in process.stderr.read()
    assert asked("sync", "--json").json["total"] == 1200
    assert asked("search", "word1199", "--json").json["matches"]


def test_a_read_only_vault_can_still_be_asked(asked: Claw) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    asked.vault.chmod(0o500)
    try:
        assert asked("search", "boathouse").code == 0
        assert asked("remember", "x").code == 1
    finally:
        asked.vault.chmod(0o700)
