"""Whatever a vault's settings ask for, and by whatever way they come: its address is sent neither key nor text, and not even called."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Claw, Own, VaultOf, git
from daemons import serving
from mcpclients import started
from servers.embedder import EmbedServer
from servers.scripted import Asked, envelope, honest, response

from memoryclaw import config
from memoryclaw.app import open_vault

pytestmark = pytest.mark.security

ID = "0123456789abcdef0123456789abcdef"
KEY = "kestrel-key-of-the-user"
TALK = (
    '{"ts":"2026-04-19T09:00:00Z","session":"gate","turn":1,"role":"user","content":"Boathouse colour is red."}\n'
    '{"ts":"2026-04-19T09:01:00Z","session":"gate","turn":2,"role":"assistant","content":"Noted."}\n'
)
FILES = {"logs/2026-04-19/gate.jsonl": TALK, "notes/moon.md": "# Moon\n\nA lamp is on the pier.\n"}

MODEL = "hashed"
OLLAMA, OPENAI, EMBEDDER = "url: {url}", "openaiUrl: {url}/v1", f"vectorModel: {MODEL}"
ALL = (
    f"llm:\n  chain: [openai, ollama]\n  {OLLAMA}\n  {OPENAI}\n  allowRemote: true\n  retries: 3\n"
    f"retrieval:\n  fallback: vector\n  {EMBEDDER}\n  blendStrategy: weighted\n"
)
# What a vault says, and what its user had said before, with `mine` for an address of theirs.
CASES = {
    "a chain": (f"llm:\n  chain: [ollama]\n  {OLLAMA}\n", ""),
    "a chain with a key": (f"llm:\n  chain: [openai]\n  {OPENAI}\n", ""),
    "the same in capitals": (f"llm:\n  chain: OpenAI\n  {OPENAI}\n", ""),
    "an address": (f"llm:\n  {OLLAMA}\n", "llm:\n  chain: [ollama]\n  url: {mine}\n"),
    "an address for a key": (f"llm:\n  {OPENAI}\n", "llm:\n  chain: [openai]\n  openaiUrl: {mine}/v1\n"),
    "an address where remote ones are allowed": (
        f"llm:\n  {OPENAI}\n",
        "llm:\n  chain: [openai]\n  openaiUrl: {mine}/v1\n  allowRemote: true\n",
    ),
    "an embedder": (f"llm:\n  {OLLAMA}\nretrieval:\n  fallback: vector\n  {EMBEDDER}\n  blendStrategy: weighted\n", ""),
    "an address for an embedder": (
        f"llm:\n  {OLLAMA}\nretrieval:\n  blendStrategy: weighted\n",
        f"llm:\n  url: {{mine}}\nretrieval:\n  fallback: vector\n  {EMBEDDER}\n",
    ),
    "all of it": (ALL, ""),
}  # fmt: skip


class Recorder(EmbedServer):
    """Answers as a chat model and as an embedder."""

    def _answered(self, asked: Asked) -> bytes:
        if asked.path in ("/api/tags", "/api/embed"):
            return super()._answered(asked)
        return response(envelope(asked.path, json.dumps(honest(asked.log))))


@pytest.fixture
def theirs() -> Iterator[Recorder]:
    """What listens at the address that the vault names."""
    with Recorder() as server:
        yield server


@pytest.fixture
def mine() -> Iterator[Recorder]:
    """What listens at the address that the user names."""
    with Recorder() as server:
        yield server


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def settings_of(vault: str, url: str) -> str:
    return f"vault:\n  format: 2\n  id: {ID}\n" + vault.format(url=url)


# Everything at the command line that may ask a model or an embedder.
ASKING = (
    ["consolidate"],
    ["sync", "--vectors"],
    ["search", "where is the lantern"],
    ["recall", "where is the lantern"],
    ["ask", "where is the lantern"],
    ["doctor"],
    ["status"],
)


def use(vault: Path) -> None:
    claw = Claw(vault)
    for command in ASKING:
        assert claw(*command).code in (0, 1), command


# Each of the others is one of these in other words.
CHIEF = ("a chain", "an address for a key", "an address for an embedder", "all of it")


@pytest.mark.parametrize(
    "name", [name if name in CHIEF else pytest.param(name, marks=pytest.mark.laws) for name in CASES]
)
def test_the_address_of_a_vault_gets_nothing(
    name: str, vault_of: VaultOf, own: Own, theirs: Recorder, mine: Recorder
) -> None:
    asks, user = CASES[name]
    own(user.format(mine=mine.url))
    vault = vault_of({**FILES, "memoryclaw.yaml": settings_of(asks, theirs.url)})
    use(vault)
    assert (theirs.connections, theirs.asked) == (0, [])
    assert bool(mine.asked) is bool(user)
    # What the user adopts is obeyed: the vault would have sent something.
    assert Claw(vault)("adopt", "--yes").code == 0
    (vault / "logs/2026-04-19/gate.jsonl").write_text(TALK + TALK.replace("gate", "g2"))
    Claw(vault).each(ASKING)
    assert theirs.asked


# By whatever way the settings come.


def by_clone(root: Path, there: Path) -> None:
    git(there, "init", "-q")
    git(there, "add", "-f", ".")
    git(there, "commit", "-qm", "a vault")
    shutil.rmtree(root)
    git(there.parent, "clone", "-q", str(there), str(root))


def by_sync(root: Path, there: Path) -> None:
    claw = Claw(root)
    assert claw("init", root).code == 0
    git(root, "add", "-f", ".")
    git(root, "commit", "-qm", "mine")
    hub = there.parent / "hub.git"
    git(root, "clone", "-q", "--bare", str(root), str(hub))
    git(root, "remote", "add", "origin", str(hub))
    git(root, "fetch", "-q", "origin")
    branch = git(root, "branch", "--show-current").strip()
    git(root, "branch", "-q", f"--set-upstream-to=origin/{branch}")
    elsewhere = there.parent / "elsewhere"
    git(there.parent, "clone", "-q", str(hub), str(elsewhere))
    shutil.copy(there / "memoryclaw.yaml", elsewhere / "memoryclaw.yaml")
    git(elsewhere, "commit", "-qam", "settings")
    git(elsewhere, "push", "-q", "origin", f"HEAD:{branch}")
    ran = claw("sync", "--with-git")
    assert ran.code == 0, ran


def by_bundle(root: Path, there: Path) -> None:
    bundle = there.parent / "vault.tar.gz"
    assert Claw(there)("export", str(bundle)).code == 0
    shutil.rmtree(root)
    ran = Claw(root)("import", "bundle", str(bundle), "--yes")
    assert ran.code == 0, ran
    (root / "logs/2026-04-19").mkdir(parents=True, exist_ok=True)
    (root / "logs/2026-04-19/gate.jsonl").write_text(TALK)


def by_undo(root: Path, there: Path) -> None:
    shutil.copy(there / "memoryclaw.yaml", root / "memoryclaw.yaml")
    Claw(root)("init", root)


WAYS: dict[str, Callable[[Path, Path], None]] = {
    "clone": by_clone, "sync": by_sync, "bundle": by_bundle, "completed": by_undo,
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_no_way_into_the_vault_makes_its_settings_the_users(
    way: str, vault_of: VaultOf, own: Own, theirs: Recorder, tmp_path: Path
) -> None:
    own("")
    there = tmp_path / "there"
    for name, text in {**FILES, "memoryclaw.yaml": settings_of(ALL, theirs.url)}.items():
        (there / name).parent.mkdir(parents=True, exist_ok=True)
        (there / name).write_text(text)
    root = vault_of(dict(FILES))
    WAYS[way](root, there)
    assert theirs.url in (root / "memoryclaw.yaml").read_text()
    use(root)
    assert (theirs.connections, theirs.asked) == (0, [])


def by_daemon(root: Path) -> None:
    with serving(root) as daemon:
        daemon.ask("POST", "/v1/consolidate", {})
        daemon.ask("POST", "/v1/recall", {"query": "where is the lantern"})
        daemon.get("/v1/search?q=lantern")


def by_mcp(root: Path) -> None:
    with started(root, root.parent / "mcp.log") as asker:
        asker("memory_search", query="where is the lantern")


def by_python(root: Path) -> None:
    with open_vault(root) as app:
        app.consolidate()
        app.search("where is the lantern")
        app.recall("where is the lantern")
        app.sync()


@pytest.mark.parametrize("door", [by_daemon, by_mcp, by_python])
def test_no_door_obeys_them(
    door: Callable[[Path], None], vault_of: VaultOf, own: Own, theirs: Recorder
) -> None:
    own("")
    root = vault_of({**FILES, "memoryclaw.yaml": settings_of(ALL, theirs.url)})
    door(root)
    assert (theirs.connections, theirs.asked) == (0, [])


def test_a_vault_may_switch_models_and_embedders_off(vault_of: VaultOf, own: Own, mine: Recorder) -> None:
    own(f"llm:\n  chain: [ollama]\n  url: {mine.url}\nretrieval:\n  fallback: vector\n  {EMBEDDER}\n")
    off = "llm:\n  chain: none\nretrieval:\n  fallback: none\n"
    vault = vault_of({**FILES, "memoryclaw.yaml": settings_of(off, "")})
    use(vault)
    assert (mine.connections, config.load(vault).notices) == (0, ())


def test_with_a_vaults_address_a_user_who_allows_nothing_is_told(
    vault_of: VaultOf, own: Own, theirs: Recorder
) -> None:
    own("")
    vault = vault_of({**FILES, "memoryclaw.yaml": settings_of(CASES["a chain"][0], theirs.url)})
    notices = " ".join(Claw(vault)("status", "--json").json["notices"])
    assert f"llm.url: {theirs.url}" in notices
    assert "llm.chain: ollama" in notices
    assert "memoryclaw adopt" in notices
