"""A process that stays hears what changed instead of looking at all files: the index equals one built from nothing, whatever happens."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time

import pytest
from conftest import STUDIO, put
from indexed import kept, rebuilt

from memoryclaw.app import open_vault
from memoryclaw.index.sync import Freshness, fresh
from memoryclaw.vault import listener as listening
from memoryclaw.vault.listener import Listener, unheard

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux is what is heard")
FRESH = Freshness()


class Staying:
    """A process that stays, as far as its freshness goes; `walks` counts its looks at everything."""

    def __init__(self, root, settle=True):
        self.root, self.walks = root, 0
        self.own = kept(root)
        self.listener = Listener(root, self.own.state)
        self.own.vault.entered = self.listener.enter
        scan = self.own.vault.scan

        def counted(under=""):
            self.walks += 1
            return scan(under)

        self.own.vault.scan = counted
        if settle:
            self.settle()

    def settle(self):
        """What is read in the moment of its saving is read once more: waits until nothing is."""
        time.sleep(0.06)
        self.look()

    def look(self):
        able = None if self.listener.why else self.listener
        return fresh(self.own.sync, self.own.index, self.own.state, listener=able)

    def sees(self):
        """True when it is in line now, with a word for how often it walked for that."""
        before = self.walks
        assert self.look() == FRESH
        assert self.own.mark() == rebuilt(self.root)
        return self.walks - before


@pytest.fixture
def root(tmp_path):
    return put(tmp_path / "vault", {**STUDIO, "deep/er/inside.md": "an inner note"})


@pytest.fixture
def staying(root):
    staying = Staying(root)
    yield staying
    staying.listener.close()
    staying.own.close()


def test_edits_by_hand_renames_and_deletions_take_no_look_at_everything(staying, root):
    put(root, {"notes/now.md": "one zebra"})
    assert staying.sees() == 0
    put(root, {"notes/now.md": "two giraffes"})
    assert staying.sees() == 0
    os.rename(root / "notes/now.md", root / "deep/er/then.md")
    assert staying.sees() == 0
    assert staying.own.paths_with("giraffes") == ["deep/er/then.md"]
    (root / "deep/er/then.md").unlink()
    assert staying.sees() == 0
    assert staying.own.paths_with("giraffes") == []
    assert staying.sees() == 0


def test_to_hear_leaves_no_file_and_needs_none(staying, root):
    assert os.listdir(root / ".memoryclaw/cookies") == []
    shutil.rmtree(root / ".memoryclaw/cookies")
    put(root, {"notes/now.md": "one zebra"})
    assert staying.sees() == 0
    assert not (root / ".memoryclaw/cookies").exists()


def test_a_save_that_keeps_time_and_size_is_heard(staying, root):
    place = root / "notes/now.md"
    put(root, {"notes/now.md": "aaaa"})
    info = place.stat()
    assert staying.sees() == 0
    place.write_text("bbbb")
    os.utime(place, ns=(info.st_atime_ns, info.st_mtime_ns))
    assert staying.sees() == 0
    assert staying.own.paths_with("bbbb") == ["notes/now.md"]


def test_a_file_that_was_read_while_it_was_written_is_read_again(root):
    """Its stamp says nothing, so it is looked at once more though nothing more is heard of it."""
    staying = Staying(root, settle=False)
    staying.look()
    put(root, {"notes/now.md": "quick"})
    staying.look()
    assert "notes/now.md" in staying.listener.pending
    staying.listener.close()


@pytest.mark.parametrize(
    "change",
    [
        lambda root: put(root, {"new/folder/n.md": "born in a folder that is new"}),
        lambda root: os.rename(root / "deep", root / "shallow"),
        lambda root: shutil.rmtree(root / "deep"),
        lambda root: put(root, {".memoryclawignore": "notes/\n"}),
        lambda root: put(root, {".obsidian/app.json": '{"userIgnoreFilters": ["notes/"]}'}),
        lambda root: put(root, {"semantic/aliases.yaml": "zebra: [horse]\n"}),
        lambda root: os.symlink(root / "notes", root / "link.md"),
    ],
    ids=["folder", "moved", "removed", "ignored", "obsidian", "settings", "link"],
)
def test_what_concerns_more_than_a_file_is_looked_at_and_heard_again(staying, root, change):
    change(root)
    assert staying.sees() > 0
    staying.settle()
    for place in root.rglob("*.md"):
        if (
            place.parent.name != "notes" and place.is_file()
        ):  # what is left out is looked for whenever it changes
            place.write_text(place.read_text("utf-8") + "\nand more\n", "utf-8")
    assert staying.sees() == 0


def test_another_folder_in_the_place_of_the_vault_is_looked_at(staying, root):
    shutil.copytree(root, root.with_name("copy"), ignore=shutil.ignore_patterns("cookies"))
    os.rename(root, root.with_name("old"))
    os.rename(root.with_name("copy"), root)
    put(root, {"notes/now.md": "elsewhere"})
    staying.sees()
    assert staying.own.paths_with("elsewhere") == ["notes/now.md"]


def test_a_link_to_the_vault_that_leads_elsewhere_is_followed(tmp_path, root):
    other = shutil.copytree(root, tmp_path / "other")
    put(other, {"notes/now.md": "elsewhere"})
    link = tmp_path / "link"
    link.symlink_to(root)
    with open_vault(link, listening=True) as app:
        assert app.search("elsewhere").matches == ()
        put(root, {"notes/near.md": "nearby"})
        assert [match.path for match in app.search("nearby").matches] == ["notes/near.md"]
        link.unlink()
        link.symlink_to(other)
        assert [match.path for match in app.search("elsewhere").matches] == ["notes/now.md"]


def test_an_index_that_was_thrown_away_is_made_again(staying, root):
    shutil.rmtree(root / ".memoryclaw")
    put(root, {"notes/now.md": "anew"})
    assert staying.sees() > 0


def test_events_that_the_kernel_dropped_are_made_up_for(staying, root, monkeypatch):
    put(root, {"notes/now.md": "lost on the way"})
    lost = listening._EVENT.pack(-1, 0x4000, 0, 0)
    read = os.read
    heard = iter([lost])
    monkeypatch.setattr(listening.os, "read", lambda handle, size: next(heard, None) or read(handle, size))
    assert staying.sees() == 1


def test_where_no_event_comes_everything_is_looked_at_and_status_says_so(staying, root, monkeypatch):
    monkeypatch.setattr(listening, "_events", lambda _data: [])
    monkeypatch.setattr(listening, "WAIT", 0.0)
    for number in range(3):
        put(root, {"notes/now.md": f"number{number}"})
        assert staying.look() == FRESH
        assert staying.own.paths_with(f"number{number}") == ["notes/now.md"]
    assert "the file system sends none" in staying.listener.why
    assert unheard(staying.own.state)[0].startswith(f"process {os.getpid()} looks at all files")
    with open_vault(root) as app:
        assert any("the file system sends none" in notice for notice in app.status().notices)


def test_a_mount_of_another_machine_is_never_listened_to(root, monkeypatch):
    monkeypatch.setattr(listening, "sends_no_events", lambda _root: "an nfs file system sends no events")
    with open_vault(root, listening=True) as app:
        put(root, {"notes/now.md": "remote"})
        assert [match.path for match in app.search("remote").matches] == ["notes/now.md"]
        put(root, {"notes/now.md": "distant"})
        assert [match.path for match in app.search("distant").matches] == ["notes/now.md"]


@pytest.mark.parametrize("call", ["inotify_init1", "inotify_add_watch"])
def test_without_a_watch_left_it_looks_and_says_so_until_it_hears_again(root, monkeypatch, call):
    real = listening._called

    def used_up(name, *values):
        if name == call:
            raise OSError(28, "No space left on device")
        return real(name, *values)

    monkeypatch.setattr(listening, "_called", used_up)
    with open_vault(root, listening=True) as app:
        put(root, {"notes/now.md": "crowded"})
        assert [match.path for match in app.search("crowded").matches] == ["notes/now.md"]
        assert any("no more file events (No space left" in notice for notice in app.status().notices)
    monkeypatch.setattr(listening, "_called", real)
    with open_vault(root, listening=True) as app:
        app.search("crowded")
        assert unheard(root / ".memoryclaw") == []


def test_what_a_killed_process_could_not_hear_is_not_told_for_ever(root):
    (root / ".memoryclaw").mkdir(exist_ok=True)
    child = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    (root / ".memoryclaw/unheard").write_text(f"{child.stdout.strip()} the system gives no more\n")
    assert unheard(root / ".memoryclaw") == []


def test_it_hears_for_a_while_and_then_looks(staying, monkeypatch):
    assert staying.sees() == 0
    monkeypatch.setattr(staying.listener, "_end", 0.0)
    assert staying.sees() == 1


def test_closing_gives_the_watches_back(root):
    before = set(os.listdir("/proc/self/fd"))
    with open_vault(root, listening=True) as app:
        app.search("zebra")
        app.search("zebra")
    assert set(os.listdir("/proc/self/fd")) == before


def write(root, choice, step):
    folder = choice.choice([root, root / "notes", root / "semantic"])
    put(folder, {f"n{step}.md": f"words {step} zebra"})


def append(root, choice, step):
    with choice.choice(notes_of(root)).open("a", encoding="utf-8") as file:
        file.write(f"\nmore {step}")


def rename(root, choice, step):
    place = choice.choice(notes_of(root))
    os.rename(place, choice.choice(notes_of(root)).with_name(f"r{step}{place.name}"))


def remove(root, choice, step):
    choice.choice(notes_of(root)).unlink()


def replace(root, choice, step):
    put(root, {".other.tmp": f"replaced {step}"})
    os.replace(root / ".other.tmp", choice.choice(notes_of(root)))


def move_folder(root, choice, step):
    folder = choice.choice(notes_of(root)).parent
    if folder != root:
        os.rename(folder, root / f"moved{step}")


def make_folder(root, choice, step):
    put(root, {f"made{step}/deep/in.md": f"made {step}"})


def notes_of(root):
    return sorted(place for place in root.rglob("*.md") if ".memoryclaw" not in place.parts)


@pytest.mark.parametrize("seed", range(6))
def test_any_changes_in_any_order_leave_the_index_that_is_built_from_nothing(staying, root, seed):
    choice = random.Random(seed)
    acts = [write, write, append, append, rename, remove, replace, make_folder, move_folder]
    for step in range(10):
        for number in range(choice.randrange(1, 4)):
            choice.choice(acts)(root, choice, f"{step}{number}")
            if len(notes_of(root)) < 3:
                write(root, choice, f"{step}{number}again")
        staying.sees()
