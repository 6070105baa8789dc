"""`scripts/flaky.sh` names the tests that fail now and then, and leaves nothing running."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from indexed import LONG, until

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "scripts/flaky.sh"
# Fails each fourth time, which is when there is a load; with `hang`, it never ends.
TESTS = """
import os, pathlib, time
here = pathlib.Path(__file__).parent

def test_sound():
    while (here / "hang").exists():
        (here / "pid").write_text(str(os.getpid()))
        time.sleep(0.01)

def test_unsound():
    with (here / "runs").open("a") as book:
        book.write(".")
    assert len((here / "runs").read_text()) % 4
"""

pytestmark = pytest.mark.skipif(
    not (ROOT / ".venv/bin/pytest").exists(), reason="it runs what `make test` runs, which needs .venv"
)


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    (tmp_path / "test_now_and_then.py").write_text(TESTS)
    return tmp_path


def started(*args: str | Path) -> subprocess.Popen[str]:
    """The script, as the leader of a process group."""
    command = ["bash", SCRIPT, *args]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, encoding="utf-8", start_new_session=True)


def is_running(session: int) -> bool:
    """True while a process lives in a session: whatever the script started and did not end."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of = entry.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(of) == session and state != "Z":
            return True
    return False


@pytest.mark.laws
def test_a_test_that_fails_now_and_then_is_named_with_its_count_and_condition(
    tests: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", os.fspath(tests))
    process = started("4", tests, "-n", "0")
    out, err = process.communicate(timeout=LONG * 5)
    assert (process.returncode, err) == (1, "")
    assert [line.split()[4:6] for line in out.splitlines()[:4]] == [
        *[["quiet", "passed"]] * 3, ["loaded", "FAILED"],
    ]  # fmt: skip
    assert "1 of 4 runs failed:\n      1 loaded  " in out
    assert "test_now_and_then.py::test_unsound\n" in out
    [log] = tests.glob("flaky.*/*")
    assert out.endswith(f"is in {log.parent}\n")
    assert "1 failed, 1 passed" in log.read_text()
    assert not is_running(process.pid)


def test_one_that_is_ended_leaves_nothing_running(tests: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", os.fspath(tests))
    (tests / "hang").touch()
    process = started("4", tests, "-n", "0", "-k", "sound")
    until((tests / "pid").exists)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=LONG)
    assert process.returncode == 143
    until(lambda: not is_running(process.pid))


@pytest.mark.parametrize("args", [(), ("0",), ("many",), ("-n", "2")])
def test_without_a_number_it_says_how_it_is_used(args: tuple[str, ...]) -> None:
    process = started(*args)
    assert process.communicate(timeout=LONG)[1] == "usage: scripts/flaky.sh N [argument of pytest ...]\n"
    assert process.returncode == 2
