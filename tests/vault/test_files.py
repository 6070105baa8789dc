from __future__ import annotations

import errno
import os
import signal
import socket
import stat
import threading

import pytest

from memoryclaw.errors import ConflictError, InputError, MemoryClawError, NotFoundError, VaultError
from memoryclaw.vault import files


def test_a_file_is_read_with_its_digest(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.md").write_bytes(b"x")
    assert files.read_file(str(tmp_path), "a/b.md") == (b"x", files.digest_of(b"x"))
    for path in ("a/c.md", "z/b.md"):
        with pytest.raises(NotFoundError):
            files.read_file(str(tmp_path), path)


def test_links_devices_and_pipes_are_refused_without_hanging(tmp_path):
    root = tmp_path / "v"
    (root / "real").mkdir(parents=True)
    (root / "real/a.md").write_text("a")
    (tmp_path / "secret.md").write_text("s")
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "outside").symlink_to(tmp_path)
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe.md")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "socket.md"))
        for path in (
            "out.md",
            "outside/secret.md",
            "loop/a.md",
            "loop",
            "pipe.md",
            "socket.md",
            "real",
            "real/a.md/x",
        ):
            with pytest.raises(VaultError):
                files.read_file(str(root), path)
    with pytest.raises(VaultError):
        files.write_file(str(root), "outside/new.md", b"x", None)
    assert not (tmp_path / "new.md").exists()


@pytest.mark.parametrize("path", ["", "/etc/x", "../x", "a/../x", "a//b", "a/", ".", "a\0b"])
def test_a_path_stays_inside(tmp_path, path):
    with pytest.raises(InputError):
        files.write_file(str(tmp_path), path, b"x", None)


def test_a_new_file_is_private_and_so_are_its_folders(tmp_path):
    files.write_file(str(tmp_path), "a/b/c.md", b"x", None)
    assert (tmp_path / "a/b/c.md").read_bytes() == b"x"
    assert stat.S_IMODE((tmp_path / "a/b/c.md").stat().st_mode) == 0o600
    assert (
        stat.S_IMODE((tmp_path / "a/b").stat().st_mode)
        == stat.S_IMODE((tmp_path / "a").stat().st_mode)
        == 0o700
    )


def test_a_file_is_replaced_only_while_its_digest_is_the_expected_one(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("old")
    path.chmod(0o664)
    files.write_file(str(tmp_path), "a.md", b"new", files.digest_of(b"old"))
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o664
    for expected in (files.digest_of(b"old"), None):
        with pytest.raises(ConflictError):
            files.write_file(str(tmp_path), "a.md", b"newer", expected)
    path.unlink()
    with pytest.raises(ConflictError):
        files.write_file(str(tmp_path), "a.md", b"newer", files.digest_of(b"new"))
    assert os.listdir(tmp_path) == []


def test_an_editor_that_writes_at_the_same_time_never_loses_its_text(tmp_path):
    path, lost, stop = tmp_path / "a.md", [], threading.Event()
    path.write_text("0")

    def editor():
        for number in range(300):
            temp = tmp_path / ".editor"
            temp.write_text(f"user {number}")
            os.replace(temp, path)
        stop.set()

    thread = threading.Thread(target=editor)
    thread.start()
    while not stop.is_set():
        read = files.read_file(str(tmp_path), "a.md")
        try:
            files.write_file(str(tmp_path), "a.md", read.data + b".", read.digest)
        except ConflictError:
            lost.append(1)
    thread.join()
    assert path.read_text().startswith("user 299")
    assert sorted(os.listdir(tmp_path)) == ["a.md"]


def test_a_full_disk_leaves_the_old_file_and_no_stump(tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("old")
    real = os.fsync

    def full(handle):
        if stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.ENOSPC, "no space")
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        files.write_file(str(tmp_path), "a.md", b"new", files.digest_of(b"old"))
    assert os.listdir(tmp_path) == ["a.md"]
    assert (tmp_path / "a.md").read_text() == "old"


def spied(monkeypatch, seen, module, name):
    real = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *a, **k: (seen.append(name), real(*a, **k))[1])


def test_data_is_on_the_disk_before_the_name_is_and_the_folder_after(tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("old")
    seen = []
    for module, name in ((os, "fsync"), (files, "_exchange"), (os, "unlink")):
        spied(monkeypatch, seen, module, name)
    files.write_file(str(tmp_path), "a.md", b"new", files.digest_of(b"old"))
    assert seen[1:] == ["fsync", "_exchange", "unlink", "fsync"]
    assert seen[0] == "unlink"  # of a stump with the same name


def saving_between(monkeypatch, path, *saves):
    """An editor that saves right before each exchange of names."""
    left, real = list(saves), files._exchange

    def exchange(*names):
        if left:
            temp = path.with_name(".editor")
            temp.write_text(left.pop(0))
            os.replace(temp, path)
        return real(*names)

    monkeypatch.setattr(files, "_exchange", exchange)


@pytest.mark.parametrize("saves", [["one"], ["one", "two"], ["one", "two", "three"]])
def test_what_an_editor_saves_between_the_look_and_the_exchange_stays(tmp_path, monkeypatch, saves):
    path = tmp_path / "a.md"
    path.write_text("old")
    saving_between(monkeypatch, path, *saves)
    with pytest.raises(ConflictError, match="was changed while"):
        files.write_file(str(tmp_path), "a.md", b"new", files.digest_of(b"old"))
    assert path.read_text() == saves[-1]
    assert os.listdir(tmp_path) == ["a.md"]


@pytest.mark.parametrize("saves", [["mine"], ["mine", "mine again"]])
def test_what_an_editor_saves_between_the_look_and_the_removal_stays(tmp_path, monkeypatch, saves):
    path, left = tmp_path / "a.md", list(saves)
    path.write_text("old")

    def saving_first(name):
        real = getattr(os, name)

        def call(*args, **options):
            if left and args[0] != str(tmp_path / ".editor"):
                temp = tmp_path / ".editor"
                temp.write_text(left.pop(0))
                os.replace(temp, path)
            return real(*args, **options)

        monkeypatch.setattr(os, name, call)

    for name in ("rename", "link", "unlink"):
        saving_first(name)
    with pytest.raises(ConflictError, match="was changed while"):
        files.remove_file(str(tmp_path), "a.md", files.digest_of(b"old"))
    assert path.read_text() == saves[-1]
    assert os.listdir(tmp_path) == ["a.md"]


def test_a_save_that_a_killed_removal_displaced_is_handed_back(tmp_path):
    (tmp_path / ".t.tmp").write_text("mine")
    files.hand_back(str(tmp_path), "a.md", ".t.tmp", files.digest_of(b"old"), None)
    assert (tmp_path / "a.md").read_text() == "mine"
    assert os.listdir(tmp_path) == ["a.md"]


def test_a_link_put_there_between_the_look_and_the_exchange_stays(tmp_path, monkeypatch):
    path, real = tmp_path / "a.md", files._exchange
    path.write_text("old")

    def exchange(*names):
        if not path.is_symlink():
            path.unlink()
            path.symlink_to("/etc/hostname")
        return real(*names)

    monkeypatch.setattr(files, "_exchange", exchange)
    with pytest.raises(ConflictError):
        files.write_file(str(tmp_path), "a.md", b"new", files.digest_of(b"old"))
    assert os.readlink(path) == "/etc/hostname"
    assert os.listdir(tmp_path) == ["a.md"]


def test_a_file_that_goes_away_between_the_look_and_the_exchange_stays_away(tmp_path, monkeypatch):
    path, real = tmp_path / "a.md", files._exchange
    path.write_text("old")
    monkeypatch.setattr(files, "_exchange", lambda *names: (path.unlink(), real(*names))[1])
    with pytest.raises(ConflictError):
        files.write_file(str(tmp_path), "a.md", b"new", files.digest_of(b"old"))
    assert os.listdir(tmp_path) == []


def test_a_drive_that_cannot_exchange_names_works_too(tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("old")
    monkeypatch.setattr(files, "_exchange", lambda *_: False)
    files.write_file(str(tmp_path), "a.md", b"new", files.digest_of(b"old"))
    assert (tmp_path / "a.md").read_text() == "new"
    assert os.listdir(tmp_path) == ["a.md"]


@pytest.mark.parametrize(
    ("content", "there", "stays"),
    [
        ("saved", "new", "saved"),
        ("old", "new", "new"),
        ("saved", "newer", "newer"),
        ("new", "saved", "saved"),
    ],
)
def test_a_displaced_save_is_handed_back_after_a_kill(tmp_path, content, there, stays):
    (tmp_path / "a.md").write_text(there)
    (tmp_path / ".t.tmp").write_text(content)
    files.hand_back(str(tmp_path), "a.md", ".t.tmp", files.digest_of(b"old"), files.digest_of(b"new"))
    assert (tmp_path / "a.md").read_text() == stays


def test_a_file_is_removed_only_with_the_expected_digest(tmp_path):
    (tmp_path / "a.md").write_text("a")
    with pytest.raises(MemoryClawError):
        files.remove_file(str(tmp_path), "a.md", files.digest_of(b"b"))
    files.remove_file(str(tmp_path), "a.md", files.digest_of(b"a"))
    assert not files.exists(str(tmp_path), "a.md")


def test_too_large_a_file_is_refused(tmp_path):
    (tmp_path / "a.md").write_bytes(b"x" * 11)
    with pytest.raises(VaultError, match="11 bytes"):
        files.read_file(str(tmp_path), "a.md", limit=10)


def test_a_drive_without_hard_links_works_too(tmp_path, monkeypatch):
    def refused(*_args, **_options):
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refused)
    files.write_file(str(tmp_path), "a.md", b"x", None)
    with pytest.raises(ConflictError):
        files.write_file(str(tmp_path), "a.md", b"y", None)
    assert (tmp_path / "a.md").read_bytes() == b"x"
    assert os.listdir(tmp_path) == ["a.md"]


def test_ctrl_c_behind_the_close_of_a_folder_is_told_as_such(tmp_path, monkeypatch):
    close = os.close

    def closing(handle):
        close(handle)
        signal.raise_signal(signal.SIGINT)  # to this very thread, now

    path = "logs/2026-04-19/s.jsonl"
    with files.open_for_append(str(tmp_path), path):
        pass  # makes the folders
    # A shell ignores the signal for what it runs in the background.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(os, "close", closing)
    try:
        with pytest.raises(KeyboardInterrupt), files.open_for_append(str(tmp_path), path):
            pytest.fail("the interruption comes before")
    finally:
        signal.signal(signal.SIGINT, before)
