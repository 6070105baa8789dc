"""File events as hints: everything that happens is hinted at, nothing else is, and what goes wrong is told."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest
from conftest import put
from indexed import until

from memoryclaw.vault.watcher import (
    COOKIE,
    IN_FOLDER,
    LOST,
    MOVED,
    SAVED,
    STATE,
    TOUCHED,
    Hint,
    Watcher,
    sends_no_events,
)

IN_MODIFY, IN_CREATE = 0x2, 0x100  # of inotify(7)


class Heard:
    """A started watcher and all that it hinted at."""

    def __init__(self, root, **kwargs):
        self.queue = SimpleQueue()
        self.hints = []
        self.watcher = Watcher(root, self.queue, **kwargs)
        self.watcher.start()

    def all(self):
        try:
            while True:
                self.hints.append(self.queue.get_nowait())
        except Empty:
            return self.hints

    def hears(self, kind, path):
        return until(lambda: Hint(kind, path) in self.all())


@pytest.fixture
def root(tmp_path):
    return put(
        tmp_path / "vault",
        {"notes/a.md": "a", ".memoryclaw/cookies/.keep": "", ".git/HEAD": "x", ".obsidian/x.json": ""},
    )


@pytest.fixture
def heard(root):
    heard = Heard(root)
    assert heard.watcher.polling == ""
    yield heard
    heard.watcher.stop()


def test_a_saved_file_is_whole_when_it_is_closed(heard, root):
    (root / "notes/a.md").write_text("b")
    heard.hears(SAVED, "notes/a.md")


def test_a_file_that_stays_open_is_hinted_at_as_it_grows(heard, root):
    with (root / "notes/a.md").open("a") as file:
        file.write("more")
        file.flush()
        heard.hears(TOUCHED, "notes/a.md")


def test_a_save_by_rename_names_the_note(heard, root):
    put(root, {"notes/.a.tmp": "new"})
    (root / "notes/.a.tmp").rename(root / "notes/a.md")
    heard.hears(SAVED, "notes/a.md")
    assert not any(hint.path.endswith(".tmp") for hint in heard.all())


def test_a_hard_link_a_deletion_and_new_rights_are_hinted_at(heard, root):
    os.link(root / "notes/a.md", root / "notes/b.md")
    heard.hears(TOUCHED, "notes/b.md")
    (root / "notes/b.md").unlink()
    heard.hears(SAVED, "notes/b.md")
    heard.hints.clear()
    (root / "notes/a.md").chmod(0o600)
    heard.hears(TOUCHED, "notes/a.md")


def test_folders_that_come_go_and_move_ask_for_all_below_them(heard, root, tmp_path):
    put(tmp_path, {"outside/deep/n.md": "n"})
    (tmp_path / "outside").rename(root / "in")
    heard.hears(IN_FOLDER, "in")
    (root / "in").rename(root / "moved")
    heard.hears(MOVED, "moved")
    heard.hints.clear()
    shutil.move(root / "moved", tmp_path / "outside")
    heard.hears(IN_FOLDER, "moved")


def test_a_file_in_a_folder_made_this_moment_is_hinted_at(heard, root):
    put(root, {f"new{i}/deeper/n.md": "n" for i in range(10)})
    for i in range(10):
        heard.hears(IN_FOLDER, f"new{i}")


def test_hidden_files_are_no_news(heard, root):
    put(
        root,
        {
            ".git/index": "x", ".obsidian/y.json": "", ".memoryclaw/other": "", "notes/.hidden/n.md": "",
            "notes/.swp": "",
        },
    )  # fmt: skip
    (root / "notes/a.md").write_text("end")
    heard.hears(SAVED, "notes/a.md")
    assert {hint.path for hint in heard.all()} == {"notes/a.md"}


def asked_of_the_kernel():
    """What each inotify watch of this process asks for, by the inode of its folder."""
    masks = {}
    for info in Path("/proc/self/fdinfo").iterdir():
        with contextlib.suppress(OSError):
            for line in info.read_text().splitlines():
                if line.startswith("inotify "):
                    flags = dict(part.split(":", 1) for part in line.split()[1:])
                    masks[int(flags["ino"], 16)] = int(flags["mask"], 16)
    return masks


@pytest.mark.skipif(not os.path.isdir("/proc/self/fdinfo"), reason="only Linux tells what is watched")
def test_the_kernel_is_not_asked_for_events_that_would_be_dropped(root):
    """A commit makes fifty events in `.git`, and every recall writes into `ledger/`."""
    put(root, {".git/objects/ab/cdef": "x", "ledger/here/2026-01.jsonl": "", "archive/ledger/n.md": "n"})
    heard = Heard(root)
    masks = asked_of_the_kernel()
    wanted = {}
    for path in (
        ".git",
        ".git/objects/ab",
        ".obsidian",
        "ledger/here",
        ".memoryclaw",
        "notes",
        "archive/ledger",
    ):
        mask = masks[(root / path).stat().st_ino]
        wanted[path] = bool(mask & IN_CREATE), bool(mask & IN_MODIFY)
    heard.watcher.stop()
    assert wanted == {
        ".git": (False, False),
        ".git/objects/ab": (False, False),
        ".obsidian": (False, False),
        "ledger/here": (True, False),
        ".memoryclaw": (True, False),
        "notes": (True, True),
        "archive/ledger": (True, True),
    }


def test_a_folder_that_was_hidden_or_held_no_note_is_heard_under_its_new_name(heard, root):
    put(root, {".drafts/deep/x.md": "x", "working/y.md": "y"})
    for old, new in ((".drafts", "notes/drafts"), ("working", "notes/work")):
        heard.watcher.stop()
        heard.watcher.start()
        (root / old).rename(root / new)
        heard.hears(MOVED, new)
    # A watch is started again when a folder has moved: then every file below it is heard of.
    heard.watcher.stop()
    heard.watcher.start()
    (root / "notes/drafts/deep/x.md").write_text("more")
    heard.hears(SAVED, "notes/drafts/deep/x.md")
    (root / "notes/work/y.md").write_text("more")
    heard.hears(SAVED, "notes/work/y.md")


def test_a_hidden_file_that_becomes_visible_is_news(heard, root):
    put(root, {".trash/x.md": "x"})
    (root / ".trash/x.md").rename(root / "notes/x.md")
    until(lambda: any(hint.path == "notes/x.md" for hint in heard.all()))


def test_reading_makes_no_hints(heard, root):
    for _ in range(5):
        (root / "notes/a.md").read_text()
        list((root / "notes").iterdir())
    (root / "notes/b.md").write_text("end")
    heard.hears(SAVED, "notes/b.md")
    assert {hint.path for hint in heard.all()} == {"notes/b.md"}


def test_a_cookie_comes_after_all_that_was_saved_before_it(heard, root):
    for i in range(50):
        put(root, {f"notes/n{i}.md": "x"})
        (root / f".memoryclaw/cookies/c{i}").touch()
    heard.hears(COOKIE, "c49")
    hints = heard.all()
    for i in range(50):
        assert hints.index(Hint(SAVED, f"notes/n{i}.md")) < hints.index(Hint(COOKIE, f"c{i}"))


def test_what_is_taken_from_the_state_folder_is_told(heard, root):
    put(root, {".memoryclaw/index.sqlite": "x"})
    (root / ".memoryclaw/index.sqlite").unlink()
    heard.hears(STATE, ".memoryclaw/index.sqlite")
    shutil.rmtree(root / ".memoryclaw")
    heard.hears(STATE, ".memoryclaw")


def test_a_link_to_the_vault_is_watched_too(root, tmp_path):
    (tmp_path / "link").symlink_to(root)
    heard = Heard(tmp_path / "link")
    (root / "notes/a.md").write_text("b")
    heard.hears(SAVED, "notes/a.md")
    heard.watcher.stop()


def test_what_watchdog_tells_its_log_asks_for_a_look_at_everything(heard):
    logging.getLogger("watchdog.observers.inotify_c").warning(
        "Inotify queue overflowed; filesystem events were lost"
    )
    assert until(lambda: next((hint for hint in heard.all() if hint.kind == LOST), None)).path.startswith(
        "Inotify queue overflowed"
    )


OVERFLOW = """
import os, signal, subprocess, sys
from pathlib import Path
from queue import SimpleQueue
from memoryclaw.vault.watcher import LOST, Watcher
root, hints = Path(sys.argv[1]), SimpleQueue()
watcher = Watcher(root, hints)
watcher.start()
pid = os.getpid()
most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
burst = (
    "import os, signal, sys\\n"
    f"for i in range({most + 2000}):\\n    os.chmod('{root}/notes/' + 'ab'[i % 2] + '.md', 0o600)\\n"
    f"os.kill({pid}, signal.SIGCONT)"
)
subprocess.Popen([sys.executable, "-c", burst])
os.kill(pid, signal.SIGSTOP)
while hints.get(timeout=60).kind != LOST:
    pass
print("lost", flush=True)
os._exit(0)
"""


def test_an_overflow_of_the_kernels_queue_is_noticed(root):
    """The watching process is stopped while more happens than the kernel keeps."""
    put(root, {"notes/b.md": "b"})
    done = subprocess.run(
        [sys.executable, "-c", OVERFLOW, root], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.strip() == "lost", done.stderr


def test_it_can_be_started_again_and_forgets_its_threads(heard, root):
    assert heard.watcher.is_alive()
    heard.watcher.stop()
    assert not heard.watcher.is_alive()
    heard.watcher.start()
    (root / "notes/a.md").write_text("again")
    heard.hears(SAVED, "notes/a.md")


def test_a_vault_that_is_not_there_cannot_be_watched(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        Heard(tmp_path / "nowhere")


def test_polling_sees_what_happens_too_but_nothing_hidden(root):
    heard = Heard(root, poll=0.05)
    heard.watcher.poll_because("a test wants it so")
    assert heard.watcher.polling == "a test wants it so"
    put(root, {"notes/new.md": "x", ".git/index": "x", "notes/.hidden": "x"})
    until(lambda: any(hint.path == "notes/new.md" for hint in heard.all()))
    assert not any("." in hint.path.replace(".md", "") for hint in heard.all())
    assert heard.watcher.is_alive()
    heard.watcher.stop()


LIMITED = """
import sys, time
from pathlib import Path
from queue import SimpleQueue
Path("/proc/sys/user/" + sys.argv[2]).write_text(sys.argv[3])
from memoryclaw.vault.watcher import Watcher
hints = SimpleQueue()
watcher = Watcher(Path(sys.argv[1]), hints, poll=0.05)
watcher.start()
print(watcher.polling)
(Path(sys.argv[1]) / "notes/new.md").write_text("x")
print(hints.get(timeout=60).path)
watcher.stop()
"""


@pytest.mark.parametrize(
    ("limit", "count"), [("max_inotify_watches", 3), ("max_inotify_watches", 0), ("max_inotify_instances", 0)]
)
def test_where_the_system_has_no_more_events_to_give_it_polls_and_says_so(root, limit, count):
    """In a user namespace of its own, so that nobody else on the machine is touched."""
    put(root, {f"d{i}/n.md": "x" for i in range(6)})
    command = ["unshare", "--user", "--map-root-user", sys.executable, "-c", LIMITED, root, limit, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if "unshare" in done.stderr or f"/proc/sys/user/{limit}" in done.stderr:
        pytest.skip("no right to a user namespace")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("the system gives no more file events"), done.stderr
    assert "new.md" in lines[1]


TABLE = r"""22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /home/ana/notes\040shared rw - nfs4 server:/notes rw
31 22 0:41 / /mnt rw - fuse.sshfs ana@host: rw
32 22 0:42 / /data rw - cifs //server/data rw
33 32 254:1 / /data/local rw - xfs /dev/vdb rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/ana/notes shared/vault", "nfs4"), ("/mnt/v", "fuse.sshfs"), ("/data/v", "cifs"), ("/data/local/v", ""), ("/", ""),
        ("/home/ana", ""), ("/mntx", ""),
    ],
)  # fmt: skip
def test_file_systems_that_other_machines_write_to_are_known(tmp_path, path, kind):
    (tmp_path / "table").write_text(TABLE)
    reason = sends_no_events(path, os.fspath(tmp_path / "table"))
    assert reason == (f"a {kind} file system sends no events of what other machines write" if kind else "")


def test_a_system_without_a_mount_table_is_trusted(tmp_path):
    assert sends_no_events("/", os.fspath(tmp_path / "nothing")) == ""


def test_a_burst_loses_nothing(heard, root):
    for i in range(2000):
        (root / f"notes/n{i}.md").touch()
    expected = {f"notes/n{i}.md" for i in range(2000)}
    until(lambda: expected <= {hint.path for hint in heard.all()})
