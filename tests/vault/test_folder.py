"""The walk over a vault's folder: what it takes for a note, what it passes over, and what it never does."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
import unicodedata

import pytest
from conftest import put

from memoryclaw.errors import VaultError
from memoryclaw.vault.folder import Vault, pack_stamp

JUNK = (
    ".hidden.md", "~$letter.md", "#draft.md#", "#draft.md", "note.md~", ".note.md.swp", "note.md.tmp", "note.md.bak", "4913", ".#note.md",
    "notes.swp", "picture.png", "ledger/d/2026-01.md", "working/s.md", "runs/r.md", "semantic/notes.yaml", ".git/x.md", ".trash/x.md",
    ".obsidian/x.md", ".memoryclaw/x.md", "notes/.private/x.md",
)  # fmt: skip


@pytest.fixture
def root(tmp_path):
    return put(tmp_path / "vault", {"notes/a.md": "a\n"})


def odd(scan):
    return {problem.path: problem.message for problem in scan.problems}


def test_every_kind_of_note_is_seen(root):
    files = [
        "a.md", "episodes/a.md", "semantic/_pending.md", "semantic/aliases.yaml", "semantic/_schema.yaml", "skills/x/SKILL.md",
        "skills/x.json", "skills/x.js", "skills/x.mjs", "logs/2026-01-01/s.jsonl", "logs/d.md", "archive/logs/s.jsonl", "archive/skills/x.js",
        "deep/er/and/deeper/n.md", "dir.md/n.md",
    ]  # fmt: skip
    put(root, dict.fromkeys(files, "x"))
    assert set(Vault(root).scan().files) == {"notes/a.md", *files}


def test_what_is_no_note_is_passed_over(root):
    put(root, dict.fromkeys(JUNK, "x"))
    vault = Vault(root)
    scan = vault.scan()
    assert set(scan.files) == {"notes/a.md"}
    assert scan.problems == []
    assert sorted(scan.ignored) == [".obsidian/", ".trash/"]
    assert [name for name in JUNK if vault.stamp(name) is not None] == []


def test_one_file_is_looked_at_by_the_rule_of_the_walk(root):
    put(root, {"semantic/aliases.yaml": "", "skills/x/SKILL.md": "", "logs/s.jsonl": "", "é.md": ""})
    scan = Vault(root).scan()
    assert {path: Vault(root).stamp(path) for path in scan.files} == scan.files


def test_links_are_not_followed_and_told(root, tmp_path):
    put(tmp_path, {"outside/secret.md": "secret"})
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(root)
    (root / "single.md").symlink_to(tmp_path / "outside/secret.md")
    (root / "gone.md").symlink_to("nowhere")
    scan = Vault(root).scan()
    assert set(scan.files) == {"notes/a.md"}
    assert set(odd(scan)) == {"out", "loop", "single.md", "gone.md"}
    for path in ("out/secret.md", "loop/notes/a.md", "single.md"):
        assert Vault(root).read(path) is None
        assert Vault(root).stamp(path) is None
    assert Vault(root).scan("out").files == {}


def test_pipes_sockets_and_folders_named_like_notes_never_hang_a_walk(root):
    os.mkfifo(root / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fspath(root / "socket.md"))
        scan = Vault(root).scan()
        assert Vault(root).read("pipe.md") is None
        assert Vault(root).read("socket.md") is None
    assert set(odd(scan)) == {"pipe.md", "socket.md"}
    assert set(scan.files) == {"notes/a.md"}


def test_a_name_that_is_not_utf8_is_kept_told_and_readable(root):
    folder = os.fsencode(root)
    with open(folder + b"/caf\xe9.md", "wb") as file:
        file.write(b"latin")
    os.mkdir(folder + b"/f\xfcr")
    with open(folder + b"/f\xfcr/b.md", "wb") as file:
        file.write(b"below")
    scan = Vault(root).scan()
    assert set(scan.files) == {"notes/a.md", r"caf\xe9.md", r"f\xfcr/b.md"}
    assert set(odd(scan)) == {r"caf\xe9.md", r"f\xfcr/b.md"}
    assert Vault(root).read(r"caf\xe9.md", scan.raw[r"caf\xe9.md"])[0] == b"latin"
    assert Vault(root).read(r"f\xfcr/b.md", scan.raw[r"f\xfcr/b.md"])[0] == b"below"


def test_names_that_other_systems_take_for_one_are_two_files_here(root):
    composed = unicodedata.normalize("NFC", "é.md")
    names = [composed, unicodedata.normalize("NFD", composed), "Twin.md", "twin.md"]
    put(root, {name: str(number) for number, name in enumerate(names)})
    vault = Vault(root)
    assert set(names) < set(vault.scan().files)
    assert [vault.read(name)[0] for name in names] == [b"0", b"1", b"2", b"3"]


def test_control_characters_in_a_name_are_only_a_name(root):
    put(root, {"a\nb\x1b[31m.md": "x"})
    assert "a\nb\x1b[31m.md" in Vault(root).scan().files


@pytest.mark.parametrize(
    "name",
    [
        "a.sync-conflict-20250101-101010-ABCDEF.md",
        "a (Ana's conflicted copy 2025-01-01).md",
        "a (conflict 2025-01-01).md",
    ],
)
def test_copies_of_a_sync_conflict_are_told_and_not_searched(root, name):
    put(root, {name: "x", "conflict-of-interest.md": "a note about a conflict"})
    scan = Vault(root).scan()
    assert set(scan.files) == {"notes/a.md", "conflict-of-interest.md"}
    assert set(odd(scan)) == {name}
    assert scan.ignored == [name]
    assert Vault(root).is_odd(name)


def test_any_difference_is_a_difference_of_stamps(root):
    """Same size and the time put back: the change time tells."""
    vault, file = Vault(root), root / "notes/a.md"
    before, stat = vault.stamp("notes/a.md"), file.stat()
    file.write_text("b\n")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert vault.stamp("notes/a.md") != before
    data, stamp = vault.read("notes/a.md")
    assert (data, pack_stamp(stamp)) == (b"b\n", vault.stamp("notes/a.md"))


def test_a_file_that_reads_as_it_grows_is_read_whole(root):
    big = b"word " * 300_000
    put(root, {"big.md": big})
    assert Vault(root).read("big.md")[0] == big


def test_a_missing_vault_is_told_and_never_taken_for_an_empty_one(tmp_path):
    with pytest.raises(VaultError, match="there is no vault at"):
        Vault(tmp_path / "nowhere").scan()
    with pytest.raises(VaultError, match="there is no vault at"):
        Vault(tmp_path / "nowhere").must_exist()
    (tmp_path / "file").write_text("x")
    with pytest.raises(VaultError, match="there is no vault at"):
        Vault(tmp_path / "file").scan()


def test_an_empty_folder_is_taken_for_a_disk_that_is_not_mounted(tmp_path):
    (tmp_path / ".memoryclaw").mkdir()
    with pytest.raises(VaultError, match="is the disk mounted"):
        Vault(tmp_path).scan()


def test_a_vault_without_notes_is_fine(tmp_path):
    put(tmp_path, {"memoryclaw.yaml": ""})
    assert Vault(tmp_path).scan().files == {}


def test_a_link_to_the_vault_is_the_vault(root, tmp_path):
    (tmp_path / "link").symlink_to(root)
    assert set(Vault(tmp_path / "link").scan().files) == {"notes/a.md"}


LOOK = """
import os, sys
from pathlib import Path
from memoryclaw.vault.folder import Vault
from memoryclaw.errors import VaultError
vault = Vault(Path(sys.argv[1]))
if os.getuid() == 0:
    os.setuid(65534)
for look in (vault.scan, lambda: vault.stamp("shut/in.md"), lambda: vault.read("closed.md")):
    try:
        print(look())
    except VaultError as error:
        print("VaultError", error)
"""


def test_a_folder_that_cannot_be_read_is_no_deletion(root):
    """Root may read anything, so root looks as somebody else."""
    put(root, {"shut/in.md": "x", "closed.md": "y"})
    (root / "shut").chmod(0o000)
    (root / "closed.md").chmod(0o000)
    for folder in (root, *root.parents[:-2]):
        folder.chmod(0o755)
    done = subprocess.run([sys.executable, "-c", LOOK, root], capture_output=True, text=True, check=False)
    (root / "shut").chmod(0o755)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("VaultError the folder shut cannot be read"), done.stderr
    assert lines[1].startswith("VaultError shut/in.md cannot be looked at")
    assert lines[2].startswith("VaultError closed.md cannot be read")


def test_folders_that_move_under_the_walk_lose_no_file(root):
    """A folder goes back and forth while the vault is walked; the notes that stay are seen every time."""
    put(root, {f"stay/n{i}.md": "x" for i in range(30)} | {f"one/m{i}.md": "x" for i in range(30)})
    vault, done = Vault(root), threading.Event()

    def move():
        while not done.is_set():
            (root / "one").rename(root / "two")
            (root / "two").rename(root / "one")

    mover = threading.Thread(target=move)
    mover.start()
    try:
        seen = [{path for path in vault.scan().files if path.startswith("stay/")} for _ in range(100)]
    finally:
        done.set()
        mover.join()
    assert {len(paths) for paths in seen} == {30}


def test_a_folder_of_few_files_is_known_again_and_what_changes_in_it_is_seen(root, monkeypatch):
    monkeypatch.setattr(
        "memoryclaw.vault.folder._SETTLED", -(10**18)
    )  # else a folder that was just made is listed anew
    log = put(root, {"logs/2026-01-01/a.jsonl": "{}\n"}) / "logs/2026-01-01/a.jsonl"
    later = log.with_name("b.jsonl")
    vault, listed, scandir = Vault(root), list[object](), os.scandir
    monkeypatch.setattr(os, "scandir", lambda place: listed.append(place) or scandir(place))
    first, whole = vault.scan().files, len(listed)
    assert vault.scan().files == first
    assert len(listed) < 2 * whole
    log.write_text('{"a": 1}\n')
    changed = vault.scan().files
    assert changed.keys() == first.keys()
    assert changed["logs/2026-01-01/a.jsonl"] != first["logs/2026-01-01/a.jsonl"]
    time.sleep(0.05)  # the clock of a file system is coarse
    later.write_text("{}\n")
    assert vault.scan().files.keys() - first.keys() == {"logs/2026-01-01/b.jsonl"}
    time.sleep(0.05)
    log.unlink()
    log.symlink_to(later)
    assert first.keys() - vault.scan().files.keys() == {"logs/2026-01-01/a.jsonl"}
