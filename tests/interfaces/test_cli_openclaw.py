"""`openclaw` as a command: shown before it is written, undone to the byte, and told how it stands."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from conftest import Claw, VaultOf, put

from memoryclaw.connect.json5 import parse, plain

ROOT = Path(__file__).parents[2]
CONFIG = "{\n  // Nora's own\n  gateway: { auth: { token: 'hunter2' } },\n  plugins: { slots: { memory: 'lancedb' } },\n}\n"


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """OpenClaw's configuration, private as its tokens ask for."""
    put(tmp_path, {"dotfiles/openclaw.json": CONFIG})
    (tmp_path / "dotfiles/openclaw.json").chmod(0o600)
    (tmp_path / "openclaw.json").symlink_to(tmp_path / "dotfiles/openclaw.json")
    return tmp_path / "openclaw.json"


@pytest.fixture
def mc(host: Path, tmp_path: Path) -> Claw:
    """The command, on a machine with that OpenClaw."""
    vault = put(tmp_path / "Nora's vault", {"memoryclaw.yaml": ""})
    return Claw(
        vault, HOME=str(tmp_path), OPENCLAW_CONFIG_PATH=str(host), XDG_CONFIG_HOME=str(tmp_path / "config")
    )


def test_the_change_is_shown_first_and_nobody_who_cannot_be_asked_is_overrun(mc: Claw, host: Path) -> None:
    ran = mc("openclaw", "install")
    assert '+  "skills": {\n' in ran.out
    assert "hunter2" not in ran.out
    assert ran.out.endswith(f"would install: {host}\n")
    assert host.read_text() == CONFIG
    assert mc("openclaw", "install", "--json").json["action"] == "would install"
    assert host.read_text() == CONFIG


@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_where_there_is_no_openclaw_the_sentence_says_so_and_what_to_do(tmp_path: Path, verb: str) -> None:
    machine = Claw(put(tmp_path / "vault", {"memoryclaw.yaml": ""}), HOME=str(tmp_path / "home"))
    ran = machine("openclaw", verb, "--yes")
    path = tmp_path / "home/.openclaw/openclaw.json"
    sentence = (
        f"there is no OpenClaw configuration at {path}; install OpenClaw and run `openclaw setup` first, "
        "or name the file with --config"
    )
    assert (ran.code, ran.err) == (1, f"memoryclaw: {sentence}\n")
    named = machine("openclaw", verb, "--yes", "--config", tmp_path / "nowhere/x.json").err
    assert f"there is no OpenClaw configuration at {tmp_path}/nowhere/x.json" in named
    assert not (tmp_path / "home/.openclaw").exists()
    (check,) = machine("openclaw", "status", "--json").json["checks"]
    assert (check["name"], check["ok"], check["detail"]) == ("config", False, sentence)


def test_install_and_uninstall_leave_no_trace(mc: Claw, host: Path) -> None:
    done = mc("openclaw", "install", "--yes", "--json").json
    backup = Path(done["backup"])
    assert (done["action"], backup.read_text(), backup.parent.name) == ("installed", CONFIG, "dotfiles")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    says = plain(parse(host.read_text()))
    entry = says["plugins"]["entries"]["memoryclaw"]
    assert entry["hooks"] == {"allowConversationAccess": True}
    assert entry["config"]["vault"] == str(mc.vault)
    assert os.access(entry["config"]["command"][0], os.X_OK)
    assert (Path(says["plugins"]["load"]["paths"][0]) / "openclaw.plugin.json").is_file()
    assert mc("openclaw", "install", "--yes", "--json").json["action"] == "unchanged"
    assert mc("openclaw", "uninstall", "--yes", "--json").json["action"] == "uninstalled"
    assert host.is_symlink()
    assert (host.read_text(), stat.S_IMODE(host.stat().st_mode)) == (CONFIG, 0o600)
    assert [path.name for path in backup.parent.iterdir()] == ["openclaw.json"]
    assert mc("openclaw", "uninstall", "--yes").out.startswith("not installed: ")


def test_a_second_install_keeps_the_way_back_to_the_first_text(mc: Claw, host: Path, tmp_path: Path) -> None:
    mc("openclaw", "install", "--yes")
    other = put(tmp_path / "other", {"memoryclaw.yaml": ""})
    assert mc("openclaw", "install", "--yes", "--vault", other, "--json").json["action"] == "installed"
    assert str(mc.vault) not in host.read_text()
    mc("openclaw", "uninstall", "--yes")
    assert host.read_text() == CONFIG


def test_uninstall_keeps_what_was_written_since_and_works_without_vault_or_backup(
    mc: Claw, host: Path, tmp_path: Path
) -> None:
    mc("openclaw", "install", "--yes")
    host.write_text(
        json.dumps({**plain(parse(host.read_text())), "later": 1})
    )  # as OpenClaw itself writes it again
    done = mc("openclaw", "uninstall", "--yes", "--vault", tmp_path / "gone", "--json").json
    assert Path(done["backup"]).read_text() == CONFIG
    after = plain(parse(host.read_text()))
    assert after == {
        "gateway": {"auth": {"token": "hunter2"}},
        "plugins": {"slots": {"memory": "lancedb"}},
        "later": 1,
    }
    mc("openclaw", "install", "--yes")
    Path(done["backup"]).unlink()
    ran = mc("openclaw", "uninstall", "--yes")
    assert "defaults return" in ran.err
    assert "slots" not in plain(parse(host.read_text()))["plugins"]


def test_what_an_install_of_an_earlier_version_kept_is_found(mc: Claw, host: Path) -> None:
    backup = Path(mc("openclaw", "install", "--yes", "--json").json["backup"])
    backup.rename(backup.with_name("openclaw.json.before-memoryclaw-20260420T080000Z"))
    mc("openclaw", "uninstall", "--yes")
    assert host.read_text() == CONFIG
    assert [path.name for path in backup.parent.iterdir()] == ["openclaw.json"]


def test_status_names_what_mends_each_thing(mc: Claw, host: Path) -> None:
    before = mc("openclaw", "--json").json
    assert (before["installed"], before["ok"]) == (False, False)
    # Whether `memoryclaw` is on the PATH is the machine's own.
    assert {c["name"] for c in before["checks"] if not c["ok"]} - {"command"} == {
        "plugin", "loaded", "permission", "slot", "memory-core", "skills", "daemon",
    }  # fmt: skip
    assert all(c["advice"] for c in before["checks"] if not c["ok"])
    mc("openclaw", "install", "--yes")
    after = mc("openclaw", "status", "--json").json
    assert [c["name"] for c in after["checks"] if not c["ok"]] == ["daemon"]
    host.write_text(
        host.read_text().replace('"allowConversationAccess": true', '"allowConversationAccess": false')
    )
    assert "fix permission" in mc("openclaw").out


@pytest.mark.parametrize("shut", ["enabled: false", "deny: ['memoryclaw']"])
def test_status_sees_a_door_that_a_person_shut(mc: Claw, host: Path, shut: str) -> None:
    host.write_text(f"{{ plugins: {{ {shut} }} }}")
    mc("openclaw", "install", "--yes")
    checks = {check["name"]: check for check in mc("openclaw", "--json").json["checks"]}
    assert not checks["allowed"]["ok"]
    assert checks["allowed"]["advice"].startswith("openclaw config ")


@pytest.mark.parametrize("text", ["{a: }", "{plugins: {load: 1}}"])
def test_a_config_that_cannot_be_edited_is_left_alone(mc: Claw, host: Path, text: str) -> None:
    host.write_text(text)
    ran = mc("openclaw", "install", "--yes")
    assert (ran.code, ran.err.count("\n"), host.read_text()) == (1, 1, text)


def test_the_plugin_brings_the_same_skills_that_ship_with_the_project() -> None:
    shipped, brought = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (ROOT / "skills", ROOT / "plugins/openclaw/skills")
    )
    assert shipped == brought, "run: cp -r skills plugins/openclaw/"


def test_without_openclaw_the_sentence_says_what_to_do(mc: Claw, host: Path) -> None:
    host.unlink()
    ran = mc("openclaw", "install", "--yes")
    assert ran.code == 1
    assert "openclaw setup" in ran.err
    assert mc("openclaw", "--json").json["checks"][0]["advice"] == "openclaw setup"


def test_import_shows_with_dry_run_and_does_not_ask_with_yes(vault_of: VaultOf, tmp_path: Path) -> None:
    claw = Claw(vault_of({"memoryclaw.yaml": "owner: Nora\n"}))
    put(tmp_path / "work", {"USER.md": "# USER.md\n\n- **Timezone:** Europe/Oslo\n"})
    shown = claw("openclaw", "import", tmp_path / "work", "--dry-run")
    assert "user: Timezone is Europe/Oslo" in shown.out
    assert "1 proposal would wait" in shown.out
    assert not (claw.vault / "semantic/_pending.md").exists()
    assert "1 proposal waits" in claw("openclaw", "import", tmp_path / "work", "--yes").out
    assert "user.Timezone: Europe/Oslo" in (claw.vault / "semantic/_pending.md").read_text()
