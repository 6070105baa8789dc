"""Every way out of this machine, recorded: what is private, or marked to stay, takes none of them, in whatever spelling.

The servers listen on loopback under an address that the settings take for another machine.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Claw, Own, put
from gitvault import git, vault_of
from servers.chatmodel import ChatModel
from servers.embedder import EmbedServer

from memoryclaw.app import App, open_vault
from memoryclaw.errors import InputError

pytest.importorskip("numpy")

SAID = [
    {"ts": "2026-02-01T09:00:00Z", "turn": 1, "content": "My ferry ticket is qopena for Leith, please remember that."},
    {"ts": "2026-02-01T09:01:00Z", "turn": 2, "content": "[ PRIVATE ] My pin is qprivata, please remember that."},
    {"ts": "2026-02-01T09:02:00Z", "turn": 3, "content": "[NO\u200bEXPORT] My code is qstaya, please remember that."},
    {"ts": "2026-02-01T09:03:00Z", "turn": 4, "content": "My safe is qprivatb, please remember that.", "audience": "owner"},
    {"ts": "2026-02-01T09:04:00Z", "turn": 5, "content": "My gate is qstayb, please remember that.", "export": False},
    {"ts": "2026-02-01T09:05:00Z", "turn": 6, "role": "assistant", "content": "The gate is qstayc, then."},
    {"ts": "2026-02-01T09:06:00Z", "turn": 7, "content": "My barn is qprivatc, please remember that.", "audience": "family"},
    {"ts": "2026-02-01T09:07:00Z", "turn": 8, "content": "My boat is qopenb of oak, please remember that."},
]  # fmt: skip
FILES = {
    "notes/open.md": "# Open\n\nThe lighthouse is qopenc.\n\nhidden qprivatd ［PRIVATE］\n\nstays qstayd [ noexport ]\n",
    "notes/title.md": "# Qprivate [private]\n\nx\n\n# Second\n\nqopend\n",
    "notes/stays.md": "---\nexport: FALSE\n---\n\n# Stays\n\nqstaye\n",
    "notes/broken.md": "---\ntitle: [a\n---\n\nqprivatf\n",
    "notes/unclosed.md": "---\naudience: owner\n\nqprivatg\n",
    "notes/kin.md": "---\naudience: family\n---\n\nqprivath\n",
    "notes/span.md": 'qopene\n\n<private reason="hr">\nqprivati\n\nqprivatj\n',
    "journal/day.md": "qprivatk\n",
    "people/Ann.md": "---\nexport: no\n---\n\nlantern:: qstayf\n",
    "semantic/pier.md": "# Pier\n- keeper: qopenf\n- code: qstayg [NOEXPORT]\n- berth: qstayh [source:: [[ep-stays#^l1]]]\n- safe: qprivatl [PRIVATE:]\n",
    "episodes/2026-01-01_10-00-00_stays.md": "---\nid: ep-stays\ntimestamp: 2026-01-01T10:00:00Z\nexport: false\n---\n\n- Nora: qstayi ^l1\n",
    "skills/a.json": '{"name": "moor", "description": "Moors qprivatm", "\\u0061udience": "owner"}',
    "logs/2026-02-01/s.jsonl": "".join(json.dumps({"session": "s", "role": "user", "name": "Nora", **turn}) + "\n" for turn in SAID),
    "memoryclaw.yaml": "audience:\n  folders: {journal: owner}\n",
}  # fmt: skip
VECTORS = "retrieval:\n  fallback: vector\n  vectorModel: hashed\n"
HIDDEN = set(re.findall("qprivat.|qstay.", json.dumps(FILES).lower()))
OPEN = set(re.findall("qopen.", json.dumps(FILES)))


def hidden_in(text: str) -> set[str]:
    return {word for word in HIDDEN if word in text.lower()}


@pytest.fixture
def embedder(own: Own) -> Iterator[EmbedServer]:
    with EmbedServer() as server:
        far = server.url.replace("127.0.0.1", "127.1")
        own(f"llm:\n  url: {far}\n  allowRemote: true\n  timeout: 60\n{VECTORS}")
        yield server


def test_an_embedder_elsewhere_is_given_nothing_that_stays(tmp_path: Path, embedder: EmbedServer) -> None:
    with App(put(tmp_path / "vault", FILES)) as app:
        app.sync()
        done = app.fill_vectors()
        sent = "\n".join(embedder.texts).lower()
        assert hidden_in(sent) == set()
        assert {word for word in OPEN if word in sent} >= {"qopena", "qopenb", "qopenf"}
        assert done.missing == 0
        assert app.status().vectors.missing == 0
        embedder.texts.clear()
        assert app.fill_vectors().filled == 0
        assert embedder.texts == []


def test_an_embedder_on_this_machine_is_given_all(tmp_path: Path, own: Own) -> None:
    with EmbedServer() as server, App(put(tmp_path / "vault", FILES)) as _:
        own(f"llm:\n  url: {server.url}\n  timeout: 60\n{VECTORS}")
        with App(tmp_path / "vault") as app:
            app.sync()
            app.fill_vectors()
        assert len(hidden_in("\n".join(server.texts))) > len(HIDDEN) - 3


def test_what_gets_a_label_later_is_not_sent_again(tmp_path: Path, embedder: EmbedServer) -> None:
    vault = put(tmp_path / "vault", FILES)
    with App(vault) as app:
        app.sync()
        app.fill_vectors()
        embedder.texts.clear()
        put(vault, {"notes/open.md": "---\nprivate: true\n---\n\nThe lighthouse is qprivatd now.\n"})
        app.sync()
        app.fill_vectors()
    assert embedder.texts == []


@pytest.mark.parametrize(
    "mark", ["[ PRIVATE ]", "［NOEXPORT］", "[export: false]", "<private>my pin</private>"]
)
def test_a_question_that_is_marked_is_answered_by_words_alone(
    tmp_path: Path, embedder: EmbedServer, mark: str
) -> None:
    with App(put(tmp_path / "vault", FILES)) as app:
        app.sync()
        app.fill_vectors()
        embedder.texts.clear()
        answer = app.search(f"{mark} what shines over the physician")
        assert "marked not to leave this machine" in answer.degraded
        assert embedder.texts == []
        app.search("what shines over the physician")
        assert len(embedder.texts) > 0


def test_a_chat_model_elsewhere_reads_nothing_that_stays(tmp_path: Path, own: Own) -> None:
    vault = vault_of(tmp_path / "vault", FILES)
    with ChatModel() as model:
        far = model.url.replace("127.0.0.1", "127.1")
        own(
            f"llm:\n  chain: [openai]\n  openaiUrl: {far}\n  openaiModel: scripted\n  allowRemote: true\n  timeout: 60\n"
        )
        with open_vault(vault) as app:
            app.consolidate()
        read = json.dumps(model.asked)
    assert {"qopena", "qopenb"} <= {word for word in OPEN if word in read}
    assert hidden_in(read) == set()


def test_a_host_that_reads_for_us_is_given_nothing_that_stays(tmp_path: Path) -> None:
    ran = Claw(vault_of(tmp_path / "vault", FILES))("consolidate", "--ask", "--json")
    assert "qopena" in ran.out
    assert hidden_in(ran.out) == set()


@pytest.mark.parametrize("audience", ["owner", "agent", "family"])
def test_bundles_and_memory_files_hold_nothing_that_stays(tmp_path: Path, audience: str) -> None:
    vault = vault_of(tmp_path / "vault", FILES)
    with open_vault(vault) as app:
        app.consolidate(llm="none")
    claw = Claw(vault, MEMORYCLAW_AUDIENCE=audience)
    bundle = tmp_path / "b.tar.gz"
    claw("export", bundle)
    texts = {
        "bundle": gzip.decompress(bundle.read_bytes()).decode(errors="replace") if bundle.exists() else ""
    }
    texts["memory"] = claw("export", "memory-md", "--budget", "100000").out
    if audience != "family":
        assert "qopenf" in texts["bundle"]
        assert "qopenf" in texts["memory"]
        claw("export", "latest", "--budget", "100000")
        texts["latest"] = (vault / ".memoryclaw/latest.md").read_text() + (
            vault / ".memoryclaw/latest.json"
        ).read_text()
        assert "qopenf" in texts["latest"]
    for way, text in texts.items():
        stays = {word for word in hidden_in(text) if word.startswith("qstay")}
        assert stays == set(), way
        if audience == "agent":
            assert hidden_in(text) == set(), way


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("notes/a.md", "---\nexport: No\n---\n\nqstay\n"),
        ("notes/a.md", "---\nＥxport: false\n---\n\nqstay\n"),
        ("notes/a.md", "qstay [ NOEXPORT ]\n"),
        ("notes/a.md", "qstay ［ＮＯＥＸＰＯＲＴ］\n"),
        ("notes/a.md", "qstay [export:: false]\n"),
        ("notes/a.md", "---\nexport: false\nqstay\n"),
        ("skills/a.json", '{"name": "a", "export": false}'),
        ("logs/2026-01-01/s.jsonl", '{"role": "user", "content": "qstay", "export": "false"}\n'),
        ("logs/2026-01-01/s.jsonl", '{"role": "user", "content": "qstay \\uff3bNOEXPORT\\uff3d"}\n'),
    ],
)
def test_nothing_is_pushed_that_stays(tmp_path: Path, path: str, text: str) -> None:
    vault = vault_of(tmp_path / "vault", {"notes/open.md": "open\n"})
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", str(remote))
    git(vault, "remote", "add", "origin", str(remote))
    put(vault, {path: text})
    git(vault, "add", "-f", path)
    git(vault, "commit", "-qm", "mine")
    with open_vault(vault) as app:
        with pytest.raises(InputError, match="nothing was pushed"):
            app.exchange()
        assert git(remote, "rev-list", "--all", "--objects") == ""
        git(vault, "reset", "-q", "--hard", "HEAD~1")
        assert app.exchange().sent
