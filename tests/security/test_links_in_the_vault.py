"""A vault that came from elsewhere holds links: nothing is written through any of them, and each verb says so in a sentence."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from conftest import STUDIO, Claw, git, put
from daemons import asked, serving

from memoryclaw.app import open_vault
from memoryclaw.errors import VaultError

pytestmark = pytest.mark.security

WRITING = [
    ["search", "boathouse"],
    ["recall", "boathouse"],
    ["remember", "Oak"],
    ["sync"],
    ["reindex"],
    ["watch"],
    ["serve", "--port", "0"],
    ["capture", "--session", "s"],
    ["consolidate", "--llm", "none"],
    ["skills", "host"],
    ["working", "set", "--session", "s", "--goal", "x"],
    ["feedback", "ep-wind", "5"],
    ["review"],
    ["init"],
    ["doctor", "--fix"],
]
TURN = json.dumps({"role": "user", "content": "x"})


def tree(folder: Path) -> dict[str, bytes | str]:
    """Everything in a folder."""
    return {
        os.fspath(path.relative_to(folder)): path.read_bytes() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """What is not ours, with names that we would use."""
    theirs = ("index.sqlite", "index.seal", "index.lock", "watch.lock", "token", "cookies/1-1", "vectors/x")
    return put(
        tmp_path / "outside", dict.fromkeys((*theirs, "serve.json", "pending.json", "plan.json"), "theirs\n")
    )


def test_a_state_folder_that_is_a_link_is_refused_and_nothing_is_written_through_it(
    tmp_path: Path, outside: Path
) -> None:
    root = put(tmp_path / "vault", {**STUDIO, "memoryclaw.yaml": "retrieval:\n  budget: 300\n"})
    git(root, "init", "-q")
    (root / ".memoryclaw").symlink_to(outside)
    before, claw = tree(outside), Claw(root)
    for words, ran in zip(WRITING, claw.each(WRITING, stdin=TURN), strict=True):
        assert (ran.code, ran.err.count("\n"), "symbolic link" in ran.err) == (1, 1, True), words
    ended = json.dumps({"session_id": "s", "transcript_path": os.fspath(root / "notes/moon.md")})
    ran = claw("hook", "post", stdin=ended)
    assert (ran.code, ran.err.count("\n"), "symbolic link" in ran.err) == (0, 1, True)
    assert tree(outside) == before
    assert (root / ".memoryclaw").is_symlink()


NAMES = ["index.sqlite", "index.lock", "index.seal", "watch.lock", "token", "serve.json", "pending.json", "plan.json",
         "cookies", "host-skills", "hooks", "vectors", "config.json", "consolidated.json", "whoosh"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_link_in_the_state_folder_is_refused_too(tmp_path: Path, outside: Path, name: str) -> None:
    root = put(tmp_path / "vault", STUDIO)
    (root / ".memoryclaw").mkdir(0o700)
    there = outside / name if (outside / name).exists() else outside
    (root / ".memoryclaw" / name).symlink_to(there)
    before = tree(outside)
    words = (["search", "boathouse"], ["remember", "Oak"], ["watch"], ["serve", "--port", "0"])
    for ran in Claw(root).each(words):
        assert ran.code == 1
        assert f".memoryclaw/{name} is a symbolic link" in ran.err
        assert ran.err.count("\n") == 1
    assert tree(outside) == before
    (root / ".memoryclaw" / name).unlink()
    assert Claw(root)("search", "boathouse").code == 0


def test_a_link_deeper_in_the_state_folder_is_refused_too(tmp_path: Path, outside: Path) -> None:
    root = put(tmp_path / "vault", STUDIO)
    (root / ".memoryclaw/vectors/wheel").mkdir(0o700, parents=True)
    (root / ".memoryclaw/vectors/wheel/rows.f32").symlink_to(outside / "token")
    with pytest.raises(VaultError, match=r"rows\.f32 is a symbolic link"):
        open_vault(root)


def test_a_state_folder_that_is_swapped_for_a_link_under_a_daemon_gets_nothing(
    tmp_path: Path, outside: Path
) -> None:
    with serving(put(tmp_path / "vault", STUDIO)) as daemon:
        while daemon.ask("GET", "/readyz").status != 200:
            pass  # it looks at the vault for the first time, and has the index open meanwhile
        head, token = {"Authorization": f"Bearer {daemon.token}"}, daemon.token
        os.rename(daemon.state, tmp_path / "aside")
        (daemon.vault / ".memoryclaw").symlink_to(outside)
        before = tree(outside)
        for _ in range(3):
            reply = asked(daemon.port, "GET", "/v1/search?q=boathouse", None, head)
            assert reply.status in (200, 503)
        body = json.dumps({"text": "Oak"}).encode()
        reply = asked(daemon.port, "POST", "/v1/remember", body, {**head, "Content-Type": "application/json"})
        assert reply.status == 503
        assert "symbolic link" in reply.json["error"]["message"]
        assert token not in "".join(map(str, tree(outside).values()))
        assert tree(outside) == before


@pytest.mark.parametrize(
    "folder", ["logs", "working", "ledger", "review", "runs", "episodes", "semantic", "skills"]
)
def test_a_folder_of_the_vault_that_is_a_link_is_not_written_through(
    tmp_path: Path, outside: Path, folder: str
) -> None:
    logs = {name: text for name, text in STUDIO.items() if not name.startswith(f"{folder}/")}
    root = put(tmp_path / "vault", logs)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    (root / folder).symlink_to(outside)
    before = tree(outside)
    lines = [words for words in WRITING if words[0] not in ("watch", "serve")]
    for ran in Claw(root).each(lines, stdin=TURN):
        assert ran.code in (0, 1)
        assert "Traceback" not in ran.err
    sentences = (
        Claw(root)("remember", "Elm", "--entity", "Kiosk", "--field", "wood").err
        if folder == "semantic"
        else "link"
    )
    assert "link" in sentences
    assert tree(outside) == before


def test_everything_in_the_state_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    root = put(tmp_path / "vault", {**STUDIO, "memoryclaw.yaml": "index:\n  engine: whoosh\n"})
    git(root, "init", "-q")
    before = os.umask(0)
    try:
        with open_vault(root) as app:
            app.capture([TURN], session="s")
            app.consolidate(llm="none")
            app.consolidate(llm="none")
            app.recall("boathouse")
            app.skills.hosted()
        with serving(root) as daemon:
            daemon.get("/v1/status")
            _only_its_owners(root / ".memoryclaw")
    finally:
        os.umask(before)
    _only_its_owners(root / ".memoryclaw")
    assert (root / ".memoryclaw/consolidated.json").exists()


def _only_its_owners(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        mode = path.lstat().st_mode
        assert stat.S_IMODE(mode) == (0o700 if stat.S_ISDIR(mode) else 0o600), path
