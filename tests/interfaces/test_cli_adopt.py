"""`adopt`: what a vault asks for counts for one person and one vault, once that person has adopted it, and is told until then."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Claw, Own, VaultOf

from memoryclaw import config

ID = "0123456789abcdef0123456789abcdef"
ASKS = f"vault:\n  format: 2\n  id: {ID}\ngit:\n  track_logs: true\nllm:\n  command: [reader, fast]\n"


@pytest.fixture
def asking(vault_of: VaultOf, own: Own) -> Path:
    """A vault that asks for what only a person can allow."""
    own("")
    return vault_of({"memoryclaw.yaml": ASKS, "a.md": "# A lamp\n"})


def own_file(own: Own, vault_id: str = ID) -> Path:
    return own("").parent / "vaults" / vault_id / "config.yaml"


def test_what_a_vault_asks_for_is_listed_and_counts_once_adopted(asking: Path, own: Own) -> None:
    claw, settings = Claw(asking), (asking / "memoryclaw.yaml").read_bytes()
    listed = claw("adopt", "--dry-run", "--json").json
    assert [(item["what"], item["value"], item["origin"]) for item in listed["items"]] == [
        ("git.track_logs", "true", "memoryclaw.yaml"),
        ("llm.command", ["reader", "fast"], "memoryclaw.yaml"),
    ]
    assert all(item["allows"] for item in listed["items"])
    assert (listed["adopted"], own_file(own).exists()) == (False, False)
    assert not config.load(asking).track_logs
    assert claw("adopt", "--yes").out.endswith("Adopted, for you and on this machine.\n")
    now = config.load(asking)
    assert (now.track_logs, now.command, now.notices) == (True, ("reader", "fast"), ())
    assert own_file(own).stat().st_mode & 0o077 == 0
    assert (asking / "memoryclaw.yaml").read_bytes() == settings
    assert claw("adopt", "--yes").out == "There is nothing to adopt.\n"


def test_one_thing_alone_can_be_adopted(asking: Path) -> None:
    claw = Claw(asking)
    assert claw("adopt", "llm.command", "--yes").code == 0
    assert [item["what"] for item in claw("adopt", "--dry-run", "--json").json["items"]] == ["git.track_logs"]
    ran = claw("adopt", "llm.url", "--yes")
    assert (ran.code, "nothing called 'llm.url'" in ran.err) == (1, True)


def test_nothing_is_adopted_without_a_yes(asking: Path, own: Own) -> None:
    assert Claw(asking)("adopt").code == 2
    assert not own_file(own).exists()


def test_only_the_owner_adopts(asking: Path) -> None:
    ran = Claw(asking, MEMORYCLAW_AUDIENCE="agent")("adopt", "--yes")
    assert (ran.code, config.load(asking).track_logs) == (1, False)


def test_another_value_is_adopted_anew_and_the_rest_of_the_file_stays(asking: Path, own: Own) -> None:
    claw = Claw(asking)
    claw("adopt", "--yes")
    mine = own_file(own)
    mine.write_text("# mine\n" + mine.read_text().replace("[reader, fast]", "[reader, fast]  # why"))
    (asking / "memoryclaw.yaml").write_text(ASKS.replace("[reader, fast]", "[other]"))
    assert config.load(asking).command == ("reader", "fast")
    claw("adopt", "--yes")
    assert config.load(asking).command == ("other",)
    assert mine.read_text() == "# mine\ngit:\n  track_logs: true\nllm:\n  command: [other]  # why\n"


def test_what_one_vault_is_allowed_no_other_is(asking: Path, tmp_path: Path) -> None:
    Claw(asking)("adopt", "--yes")
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    (stranger / "memoryclaw.yaml").write_text(ASKS.replace(ID, ID[::-1]))
    assert not config.load(stranger).track_logs


@pytest.mark.parametrize("name", ["", "../../x", ID.upper(), ID[:-1], f"{ID}0", "é" * 32])
def test_what_is_no_id_names_no_folder(asking: Path, own: Own, name: str) -> None:
    (asking / "memoryclaw.yaml").write_text(ASKS.replace(ID, f'"{name}"'))
    loaded = config.load(asking)
    assert loaded.vault_id == ""
    assert any("vault.id" in notice for notice in loaded.notices) is bool(name)
    assert Claw(asking)("adopt", "--yes").code == 1
    assert not own_file(own).parent.parent.exists()


def test_the_users_settings_of_one_vault_outrank_both(asking: Path, own: Own) -> None:
    (asking / "memoryclaw.yaml").write_text(f"{ASKS}retrieval:\n  budget: 300\n  maxResults: 3\n")
    mine = own("retrieval:\n  budget: 400\n").parent / "vaults" / ID
    mine.mkdir(parents=True)
    (mine / "config.yaml").write_text("retrieval:\n  budget: 500\n")
    assert (config.load(asking).budget, config.load(asking).max_results) == (500, 3)


# What is told.


def test_it_is_told_once_by_any_command_and_always_by_status_and_doctor(asking: Path) -> None:
    claw = Claw(asking)
    before = {path for path in asking.rglob("*") if ".memoryclaw" not in path.parts}
    first, again = claw("search", "lamp"), claw("search", "lamp")
    assert "git.track_logs: true" in first.err
    assert "`memoryclaw adopt`" in first.err
    assert (again.err, again.out) == ("", first.out)
    for _ in range(2):
        assert "memoryclaw adopt" in " ".join(claw("status", "--json").json["notices"])
        checks = claw("doctor", "--json").json["checks"]
        assert any(check["name"] == "adoption" and check["level"] == "advice" for check in checks)
    assert {path for path in asking.rglob("*") if ".memoryclaw" not in path.parts} == before


def test_what_a_vault_asks_for_later_is_told_too(asking: Path) -> None:
    claw = Claw(asking)
    claw("search", "lamp")
    (asking / "memoryclaw.yaml").write_text(f"{ASKS}  allowRemote: true\n")
    assert "llm.allowRemote: true" in claw("search", "lamp").err
    assert claw("search", "lamp").err == ""


def test_another_user_is_told_as_well(asking: Path, tmp_path: Path) -> None:
    Claw(asking)("search", "lamp")
    assert "memoryclaw adopt" in Claw(asking, XDG_CONFIG_HOME=str(tmp_path / "other"))("search", "lamp").err


def test_once_adopted_nothing_is_told(asking: Path) -> None:
    claw = Claw(asking)
    claw("adopt", "--yes")
    assert claw("search", "lamp").err == ""
    assert not any("adopt" in notice for notice in claw("status", "--json").json["notices"])
