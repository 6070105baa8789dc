"""What is the user's own: settings that count for all vaults, and those that no vault may choose."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import Claw, put

from memoryclaw import config
from memoryclaw.errors import ConfigError
from memoryclaw.vault.audience import may_see, of_folders
from memoryclaw.writing.command_consent import NAME, agree, is_agreed

NOW = datetime(2026, 4, 20, 8, tzinfo=UTC)
WORDS = ("claude", "-p", "--allowedTools", "")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home without settings."""
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def loaded(home: Path, vault: Path) -> config.Config:
    return config.load(vault, {"HOME": os.fspath(home)})


def own(home: Path, text: str) -> None:
    put(home, {".config/memoryclaw/config.yaml": text})


def test_the_users_settings_count_where_the_vault_says_nothing(home: Path, tmp_path: Path) -> None:
    vault = put(tmp_path / "vault", {"memoryclaw.yaml": "retrieval:\n  budget: 400\n"})
    own(home, "retrieval:\n  budget: 500\n  maxResults: 7\n")
    settings = loaded(home, vault)
    assert (settings.budget, settings.max_results, settings.notices) == (400, 7, ())


def test_changes_of_both_count_at_once(home: Path, tmp_path: Path) -> None:
    vault = put(tmp_path / "vault", {"memoryclaw.yaml": "llm:\n  chain: [command]\n", ".memoryclaw/x": ""})
    for words in ("[claude, -p]", "[codex, exec]", "[claude, -p]"):
        own(home, f"llm:\n  command: {words}\n")
        assert list(loaded(home, vault).command) == words.strip("[]").split(", ")
        assert list(loaded(home, vault).command) == words.strip("[]").split(", ")  # remembered


@pytest.mark.parametrize("line", ["command: [rm, -rf, /]", "allowRemote: true"])
def test_what_could_do_harm_is_not_taken_from_a_vault(line: str, home: Path, tmp_path: Path) -> None:
    vault = put(tmp_path / "vault", {"memoryclaw.yaml": f"llm:\n  {line}\n"})
    settings = loaded(home, vault)
    key = f"llm.{line}" if "allow" in line else "llm.command"
    assert (settings.command, settings.allow_remote) == ((), False)
    assert settings.notices == (
        f"memoryclaw.yaml: {key} is read only from your own settings, {home}/.config/memoryclaw/config.yaml; it was ignored",
    )
    own(home, f"llm:\n  {line}\n")
    assert (loaded(home, vault).command or loaded(home, vault).allow_remote) != ()


def test_a_vault_names_no_tools_that_skills_may_call(home: Path, tmp_path: Path) -> None:
    text = "mcp:\n  servers: {x: {command: touch, args: [pwned]}}\nopenclaw:\n  gatewayUrl: https://evil.example\n  allowRemoteGateway: true\n"
    vault = put(tmp_path / "vault", {"memoryclaw.yaml": text})
    settings, without = loaded(home, vault), loaded(home, put(tmp_path / "plain", {"memoryclaw.yaml": ""}))
    assert (settings.servers, settings.gateway_url, settings.allow_remote_gateway) == (
        without.servers,
        without.gateway_url,
        without.allow_remote_gateway,
    )
    assert len(settings.notices) == 3
    own(home, text)
    assert (set(loaded(home, vault).servers), loaded(home, vault).allow_remote_gateway) == ({"x"}, True)


def test_a_cache_that_comes_with_a_vault_chooses_no_command(home: Path, tmp_path: Path) -> None:
    text = "retrieval:\n  budget: 500\n"
    own(home, text)
    forged = (
        '{"text": "retrieval:\\n  budget: 500\\n", "values": {"llm.command": ["rm"], "retrieval.budget": 90}}'
    )
    vault = put(tmp_path / "vault", {"memoryclaw.yaml": text, ".memoryclaw/config.json": forged})
    assert loaded(home, vault).command == ()


def test_a_mistake_names_the_users_file(home: Path, tmp_path: Path) -> None:
    vault = put(tmp_path / "vault", {"a.md": ""})
    own(home, "llm:\n  timeout: never\n")
    with pytest.raises(
        ConfigError, match=r"/\.config/memoryclaw/config\.yaml: llm\.timeout must be a number"
    ):
        loaded(home, vault)
    own(home, "llm:\n  colour: red\nshade: 1\n")
    ignored = [notice.partition("config.yaml: ")[2] for notice in loaded(home, vault).notices]
    assert sorted(ignored) == [
        f"there is no setting {key!r}; it was ignored" for key in ("llm.colour", "shade")
    ]


def test_doctor_shows_what_a_vault_may_not_say(studio: Path, home: Path) -> None:
    put(studio, {"memoryclaw.yaml": "llm:\n  command: [rm]\n"})
    ran = Claw(studio, HOME=os.fspath(home))("doctor", "--json")
    assert ran.code == 1
    [check] = [check for check in ran.json["checks"] if check["name"] == "settings"]
    assert check["details"][0]["path"] == "memoryclaw.yaml"
    assert check["details"][0]["message"].startswith("llm.command is read only from your own settings")


# Agreements.


def test_an_agreement_is_to_exactly_these_words(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "memoryclaw"
    assert not is_agreed(folder, WORDS)
    agree(folder, WORDS, NOW)
    assert is_agreed(folder, WORDS)
    for other in (
        WORDS[:-1],
        (*WORDS, "x"),
        ("claude", "-p --allowedTools", ""),
        ("/tmp/claude", *WORDS[1:]),
        (),
    ):
        assert not is_agreed(folder, other)
    assert (folder / NAME).stat().st_mode & 0o777 == 0o600


def test_one_agreement_does_not_end_another(tmp_path: Path) -> None:
    for words in (WORDS, ("codex", "exec")):
        agree(tmp_path, words, NOW)
    assert is_agreed(tmp_path, WORDS)
    assert is_agreed(tmp_path, ("codex", "exec"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "[]",
        "{",
        '{"digest": 7}',
        '{"command": ["claude", "-p", "--allowedTools", ""]}',
        "[" * 100_000,
    ],
)
def test_what_cannot_be_read_agrees_to_nothing(text: str, tmp_path: Path) -> None:
    put(tmp_path, {NAME: text})
    assert not is_agreed(tmp_path, WORDS)


def test_a_link_agrees_to_nothing(tmp_path: Path) -> None:
    agree(tmp_path / "elsewhere", WORDS, NOW)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / NAME).symlink_to(tmp_path / "elsewhere" / NAME)
    assert not is_agreed(tmp_path / "own", WORDS)


# Every setting: what a vault asks for beyond what its user allows does not count, and what it asks for within that does.

WIDER = {  # what a vault says, where its user says nothing
    "index.engine": "postgres", "index.url": "postgresql://thief@evil/x", "index.vault": "somebody", "index.connections": "9",
    "index.prepared": "false", "retrieval.fallback": "vector", "retrieval.vectorModel": "other", "llm.chain": "[openai]",
    "llm.model": "other:cloud", "llm.url": "http://evil.example", "llm.openaiModel": "other", "llm.openaiUrl": "https://evil.example/v1",
    "llm.timeout": "3600", "llm.retries": "9", "llm.command": "[touch, x]", "llm.allowRemote": "true",
    "consolidation.lossBudget": "1", "serve.host": "0.0.0.0", "fleet.night": "00:00-23:59",
    "fleet.llmCalls": "99", "fleet.jobsUrl": "postgresql://thief@evil/x", "mcp.servers": "{x: {command: touch}}", "mcp.toolTimeout": "3600",
    "skills.toolHost": "openclaw", "openclaw.gatewayUrl": "https://evil.example", "openclaw.allowRemoteGateway": "true",
    "audience.folders": "{journal: public}", "audience.tokens": "{abc: owner}", "audience.relays": "[agent]", "git.track_logs": "true", "git.track_ledger": "true",
    "vault.default": "/home/thief/notes",
}  # fmt: skip
NARROWER = {  # what a vault says, and what its user says
    "index.engine": ("fts5", "postgres"), "retrieval.fallback": ("none", "vector"), "llm.chain": ("none", "[openai, ollama]"),
    "llm.timeout": ("5", "50"), "llm.retries": ("0", "3"), "llm.allowRemote": ("false", "true"), "consolidation.mode": ("propose", "branch"),
    "consolidation.lossBudget": ("0.1", "0.5"), "mcp.toolTimeout": ("5", "50"),
    "openclaw.allowRemoteGateway": ("false", "true"), "audience.folders": ("{journal: owner}", "{journal: family}"),
    "git.track_logs": ("false", "true"), "git.track_ledger": ("false", "true"),
}  # fmt: skip


def yaml(key: str, value: str) -> str:
    section, name = key.split(".")
    return f"{section}:\n  {name}: {value}\n"


def in_force(settings: config.Config, key: str) -> object:
    return getattr(settings, config._field(key))


@pytest.mark.parametrize("setting", config.SETTINGS, ids=lambda setting: setting.key)
def test_a_vault_goes_no_further_than_its_user(setting: config.Setting, home: Path, tmp_path: Path) -> None:
    key = setting.key
    if setting.verdict.name in ("yes", "only there"):
        assert key not in WIDER
        return
    if key not in WIDER:
        assert key == "consolidation.mode"  # `direct`, the widest, is the default
        own(home, yaml(key, "propose"))
        vault = put(tmp_path / "vault", {"memoryclaw.yaml": yaml(key, "branch")})
        assert (in_force(loaded(home, vault), key), len(loaded(home, vault).notices)) == ("propose", 1)
        return
    vault = put(tmp_path / "vault", {"memoryclaw.yaml": yaml(key, WIDER[key])})
    plain = loaded(home, put(tmp_path / "plain", {"memoryclaw.yaml": ""}))
    settings = loaded(home, vault)
    if key != "audience.folders":
        assert in_force(settings, key) == in_force(plain, key)
    assert [(each.key, each.origin) for each in settings.ignored if each.origin] == [(key, "memoryclaw.yaml")]
    assert len(settings.notices) == 1
    own(home, yaml(key, WIDER[key]))
    allowed = loaded(home, vault)
    assert in_force(allowed, key) != in_force(plain, key)
    assert not allowed.notices


@pytest.mark.parametrize("key", NARROWER)
def test_a_vault_may_ask_for_less_even_of_what_its_user_allows_it_alone(
    key: str, home: Path, tmp_path: Path
) -> None:
    says, allows = NARROWER[key]
    name = "0123456789abcdef" * 2
    less = loaded(home, put(tmp_path / "less", {"memoryclaw.yaml": yaml(key, says)}))
    vault = put(tmp_path / "vault", {"memoryclaw.yaml": f"vault:\n  id: {name}\n{yaml(key, says)}"})
    put(home, {f".config/memoryclaw/vaults/{name}/config.yaml": yaml(key, allows)})
    settings = loaded(home, vault)
    assert not settings.notices
    if key != "audience.folders":
        assert in_force(settings, key) == in_force(less, key)


FOLDERS = [  # what the user says, what the vault says, who sees a note without a label, and one for the family
    ("", "{a: owner}", {"owner"}, {"owner"}),
    ("", "{a: agent}", {"owner", "agent"}, {"owner"}),
    ("", "{a: public}", {"owner", "agent"}, {"owner", "family"}),
    ("", "{a: family}", {"owner"}, {"owner"}),
    ("", "{a: [agent, family]}", {"owner", "agent"}, {"owner"}),
    ("{a: family}", "{a: family}", {"owner", "family"}, {"owner", "family"}),
    ("{a: family}", "{a: [family, guests]}", {"owner", "family"}, {"owner", "family"}),
    ("{a: family}", "{A/: owner}", {"owner"}, {"owner"}),
    ("{a: family}", "{a: public}", {"owner", "family"}, {"owner", "family"}),
    ("{a: public}", "{a: family}", {"owner", "family"}, {"owner", "family"}),
    ("{a: owner}", "{a: public}", {"owner"}, {"owner"}),
]


@pytest.mark.parametrize(("mine", "theirs", "plain", "family"), FOLDERS)
def test_a_vaults_label_of_a_folder_adds_nobody(
    mine: str, theirs: str, plain: set[str], family: set[str], home: Path, tmp_path: Path
) -> None:
    if mine:
        own(home, yaml("audience.folders", mine))
    folders = loaded(
        home, put(tmp_path / "vault", {"memoryclaw.yaml": yaml("audience.folders", theirs)})
    ).folders
    everybody = ("owner", "agent", "family", "guests", "public")
    label = of_folders("a/x.md", folders)
    assert {who for who in everybody if may_see(who, label)} == plain
    assert {who for who in everybody if may_see(who, label, "family")} == family
