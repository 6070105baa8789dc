"""A purge with git's history that is killed at any call, its own or git's: the same purge once more leaves what an undisturbed one leaves."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from gitfaults import broken_git, needs_strace
from gitvault import git
from scenes import an_hour_passes, opened, snapshot
from tracing import OK, Fault, calls_of, every_other, faults, run

from memoryclaw.app import App, init_vault
from memoryclaw.errors import NotFoundError

# Names so short that they are not looked for on their own: only what becomes of each version takes them out of the history.
SECRETS = ("Fenwick", "Mozzy", "Ulmen", "Kaito")
TOLD = (
    ("z", "user", "My dentist is Aldric Fenwick. I like jazz. My cat is called Mozzy."),
    ("z", "assistant", "Noted."),
    ("z", "user", "I moved to Ulmen last week. My brother Kaito works at Bosch."),
    ("y", "user", "My car is a Volvo. I prefer tea over coffee."),
)
GIT = ("bundle", "update-ref", "reset", "reflog", "gc")


def _purge(app: App, *, history: bool = True) -> None:
    done = app.purge(source="z", history=history)
    assert (done.hits, done.history) == ((), "rewritten" if history else "kept")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("purge") / "base"
    init_vault(root)
    with opened(root) as app:
        for number, (session, role, words) in enumerate(TOLD, 1):
            app.capture([{"session": session, "turn": number, "role": role, "content": words, "ts": f"2026-03-10T10:0{number}:00Z"}])  # fmt: skip
        app.consolidate(llm="none")
        # A decision cites a commit, which is called otherwise when the history is rewritten.
        app.undo(git(root, "log", "--format=%H", "--grep", "^Episode: .*Volvo").strip())
    assert set(_secrets_in(root)) == set(SECRETS)
    return root


@pytest.fixture(scope="module")
def undisturbed(base: Path) -> Path:
    root = shutil.copytree(base, base.parent / "undisturbed", symlinks=True)
    with opened(root) as app:
        _purge(app)
    assert _secrets_in(root) == []
    return root


def _secrets_in(root: Path) -> list[str]:
    """The secrets that stand in a file or in any object of git, reachable or not."""
    listed = ["git", "-C", str(root), "cat-file", "--batch", "--batch-all-objects"]
    texts = [subprocess.run(listed, capture_output=True, check=True).stdout]
    texts += [path.read_bytes() for path in root.rglob("*") if path.is_file()]
    return [word for word in SECRETS if any(re.search(word.encode(), t, re.IGNORECASE) for t in texts)]


def _repeated(root: Path) -> None:
    """Purges once more, as a person does who saw the first one die; one that was through leaves nothing to do."""
    an_hour_passes(root)
    with opened(root) as app:
        try:
            _purge(app)
        except NotFoundError:
            assert not (root / ".memoryclaw/purge.json").exists()


def _must_be_as(root: Path, undisturbed: Path) -> None:
    assert _secrets_in(root) == [], "it says that it is clean"
    assert snapshot(root) == snapshot(undisturbed)
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "fsck", "--strict", "--no-dangling") == ""
    assert len(list(root.parent.glob("*.bundle"))) == 1


@pytest.fixture
def fresh(base: Path, tmp_path: Path):
    def copied() -> Path:
        shutil.rmtree(tmp_path / "trial", ignore_errors=True)
        root = tmp_path / "trial" / "v"
        return shutil.copytree(base, root, symlinks=True)

    return copied


def _killed(root: Path, fault: Fault | None = None, bin_: Path | None = None, *, history: bool = True):
    def work(acknowledge) -> None:
        with pytest.MonkeyPatch.context() as patch, opened(root) as app:
            if bin_:
                patch.setenv("PATH", str(bin_), prepend=":")
            _purge(app, history=history)
        acknowledge("done")

    return run(work, fault, watched=not bin_)


@pytest.mark.parametrize("part", range(4))
def test_a_purge_that_was_killed_is_ended_by_the_same_purge(campaign, undisturbed, fresh, part):
    whole = _killed(fresh())
    assert whole.code == OK, whole.output
    with campaign("a purge is killed at a system call") as trials:
        for fault in every_other(faults("KILL", whole.calls)[part::4]):
            root = fresh()
            with trials.trial(f"purge: {fault}"):
                if _killed(root, fault).code == OK:
                    trials.missed()
                _repeated(root)
                _must_be_as(root, undisturbed)


def test_one_that_began_without_the_history_takes_it_along_when_that_is_asked_for(campaign, base, fresh):
    whole = _killed(fresh(), history=False)
    assert whole.code == OK, whole.output
    with campaign("a purge is killed, and then the history is to go as well") as trials:
        for fault in faults("KILL", whole.calls)[::3]:
            root = fresh()
            with trials.trial(f"purge: {fault}"):
                if _killed(root, fault, history=False).code == OK:
                    trials.missed()
                    continue
                marked = (root / ".memoryclaw/purge.json").exists()
                _repeated(root)
                assert _secrets_in(root) == [] or not marked
                assert git(root, "status", "--porcelain") == ""


@needs_strace
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("command", GIT)
def test_a_purge_whose_git_was_killed_is_ended_by_the_same_purge(
    campaign, undisturbed, fresh, command, together
):
    root = fresh()
    with broken_git(root, command, None) as broken:
        assert _killed(root, bin_=broken.folder).code == OK
        calls = calls_of(str(broken.log))
    row = f"git is killed at a system call of a purge, {'with it' if together else 'alone'}"
    with campaign(row) as trials:
        for fault in faults("KILL", calls)[::2]:
            root = fresh()
            with (
                trials.trial(f"purge, git {command}: {fault}"),
                broken_git(root, command, fault, with_its_parent=together) as broken,
            ):
                ended = _killed(root, bin_=broken.folder)
                if not broken.has_fired():
                    trials.missed()
                elif together:
                    assert ended.code == -signal.SIGKILL, ended.output
                for lock in [*(root / ".git").rglob("*.lock"), *root.parent.glob("*.lock")]:
                    lock.unlink()  # as git's own sentence asks for
                _repeated(root)
                _must_be_as(root, undisturbed)
