"""A clock that goes forwards and back, and times of files that lie: no file is missed, none is lost, and every id is new."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from gitvault import git
from scenes import NOW, VERBS, Vaults, files_of, is_sound, nothing_is_left, opened, settle

from memoryclaw.app import App

JUMPS = {
    "a second back": -timedelta(seconds=1),
    "an hour back, as in autumn": -timedelta(hours=1),
    "a day back": -timedelta(days=1),
    "to 1970": datetime(1970, 1, 1, tzinfo=UTC) - NOW,
    "not at all": timedelta(0),
    "a day on": timedelta(days=1),
    "ten years on": timedelta(days=3653),
    "to 2099": datetime(2099, 12, 31, 23, 59, 59, tzinfo=UTC) - NOW,
}
WRITES = ("remember an episode", "remember a fact", "edit a note", "forget a note", "claim that contradicts", "undo", "capture", "consolidate")  # fmt: skip


@pytest.mark.parametrize("name", WRITES)
def test_a_clock_that_jumps_loses_no_write(campaign, vaults: Vaults, name):
    scene = vaults.scene(name)
    with campaign("the clock jumps between two writes") as trials:
        for jump, by in JUMPS.items():
            with trials.trial(f"{name}, then {jump}"), vaults.fresh(scene) as root:
                with opened(root) as app:
                    scene.verb.act(app)
                before, kept = files_of(root), subjects(root)
                with opened(root, NOW + by) as app:
                    done = app.remember("After the jump the ferry waits", tags=["jump"])
                    assert (root / done.path).exists()
                    assert app.search("ferry").matches, "what was written after the jump is not found"
                    app.capture([{"session": "jump", "turn": 1, "role": "user", "content": "the ferry"}])
                after = files_of(root)
                assert {path: after.get(path) for path in before} == before, "a file changed with the clock"
                assert set(after) - set(before) == {done.path}
                assert subjects(root)[1:] == kept
                settle(root)
                is_sound(root)
                nothing_is_left(root, ".memoryclaw/.plan.tmp")


def subjects(root: Path) -> list[str]:
    return git(root, "log", "--topo-order", "--format=%H %s").splitlines()


@pytest.mark.parametrize("same_size", [True, False])
@pytest.mark.parametrize("verb", ["search", "show", "sync", "facts"])
def test_an_edit_is_seen_whatever_time_the_file_claims(campaign, vaults: Vaults, verb, same_size):
    times = {"as before": None, "in 1970": 0, "in 2099": 4_102_444_799, "before 1970": -86_400, "a day back": NOW.timestamp() - 86_400}  # fmt: skip
    with campaign("a file claims a wrong time") as trials:
        for name, when in times.items():
            with trials.trial(f"{verb}, {name}"), vaults.fresh(vaults.scene("edit a note")) as root:
                note = root / "notes/a.md"
                was = note.stat()
                text = note.read_text()
                note.write_text(text.replace("lantern", "compass" if same_size else "brass sextant"))
                mtime = was.st_mtime_ns if when is None else int(when * 1e9)
                os.utime(note, ns=(mtime, mtime))
                with opened(root) as app:
                    word = "compass" if same_size else "sextant"
                    asked(app, verb)
                    assert [m.path for m in app.search(word).matches] == ["notes/a.md"]
                    assert not [m for m in app.search("lantern").matches if m.path == "notes/a.md"]
                is_sound(root)


def asked(app: App, verb: str) -> object:
    return {
        "search": lambda: app.search("oak"),
        "show": lambda: app.show("n1"),
        "sync": app.sync,
        "facts": app.facts,
    }[verb]()


@pytest.mark.parametrize("hour", range(4))
def test_a_rename_or_a_swap_with_times_kept_is_seen(campaign, vaults: Vaults, hour):
    """What `mv`, `cp -p` and a restored backup do."""
    with campaign("a file claims a wrong time") as trials:
        for what in ("swap", "rename", "restore"):
            with trials.trial(f"{what} {hour}"), vaults.fresh(vaults.scene("edit a note")) as root:
                first, other = root / "notes/a.md", root / "notes/b.md"
                for path in (first, other):
                    os.utime(path, (hour * 3600,) * 2)
                with opened(root) as app:
                    app.sync()
                if what == "swap":
                    aside = root / "aside"
                    first.rename(aside)
                    other.rename(first)
                    aside.rename(other)
                elif what == "rename":
                    first.rename(root / "notes/z.md")
                else:
                    data = other.read_bytes()
                    other.unlink()
                    other.write_bytes(data)
                    os.utime(other, (hour * 3600,) * 2)
                is_sound(root)


def test_every_write_of_one_second_gets_an_id_of_its_own(campaign, vaults: Vaults):
    with campaign("the clock stands still") as trials:
        for jump, by in JUMPS.items():
            with trials.trial(jump), vaults.fresh(vaults.scene("remember an episode")) as root:
                with App(root, clock=lambda by=by: NOW + by) as app:
                    written = [app.remember("The same words in the same second", note=True) for _ in range(5)]
                    assert len({done.id for done in written}) == len({done.path for done in written}) == 5
                is_sound(root)
                assert set(VERBS)
