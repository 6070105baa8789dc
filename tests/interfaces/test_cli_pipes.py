"""Who stops reading cancels nothing: with standard output (or both streams) gone from the start, each verb does the same and ends the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import COMMAND, STUDIO, Claw, git, put
from daemons import is_gone
from forked import GRAFT, STEM
from test_cli_review import CHANGE, DEADLINE, PATH, PENDING, RUN

from memoryclaw.consolidation.changes import proposal

TURNS = "".join(
    json.dumps(
        {"session": "s", "turn": n, "role": "user", "content": f"The deadline of Kiosk is {2027 + n}-01-01."}
    )
    + "\n"
    for n in range(40)
)
VaultCopy = Callable[[Path], Path]
CAPTURE = ["capture", "--json"]
WRITING = [
    ["review", "reject", "--all", "--yes"],
    ["review", "approve", "--all", "--yes"],
    ["review", "approve", DEADLINE],
    ["review", "apply", "--yes"],
    ["remember", "Elm", "--entity", "Kiosk", "--field", "wood"],
    ["edit", "ep-wind", "--set", "pin=true"],
    ["forget", "ep-wind"],
    ["undo", "HEAD"],
    ["skills", "approve", "book-trains"],
    CAPTURE,
    ["consolidate", "--llm", "none"],
    ["consolidate", "--llm", "none", "--json"],
    ["sync"],
    ["init"],
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault where things wait and one of them is ticked; its last commit is ours."""
    root = tmp_path_factory.mktemp("pipes") / "vault"
    waits = {
        "semantic/_pending.md": PENDING.replace("- [ ] Kiosk", "- [x] Kiosk"),
        PATH: proposal(CHANGE, RUN)[1],
        "skills/_drafts/book-trains/SKILL.md": "---\nname: book-trains\ndescription: Book a train\n---\nx\n",
    }
    put(root, {**STUDIO, ".gitignore": ".memoryclaw/\nlogs/\nledger/\n", **waits})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    assert Claw(root)("remember", "Oak", "--entity", "Kiosk", "--field", "wood").code == 0
    return root


@pytest.fixture
def vault(made: Path) -> VaultCopy:
    """Copies it."""
    return lambda root: shutil.copytree(made, root)


def stands(root: Path) -> tuple[str, str, list[str]]:
    """How a vault stands, but for what is named by chance."""
    logs = [line for path in sorted(root.glob("logs/**/*.jsonl")) for line in path.read_text().splitlines()]
    return git(root, "log", "--format=%s"), git(root, "status", "--porcelain"), logs


def nobody() -> int:
    """The end of a pipe that nobody reads, from the first byte on."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def unheard(claw: Claw, words: list[str], folder: Path) -> tuple[int, str]:
    """How a command ends, and what it says of it, whose output nobody reads from the first byte on."""
    typed, out, err = (os.fspath(folder / name) for name in ("typed", "out", "err"))
    Path(typed).write_text(TURNS)
    os.mkfifo(out)
    os.mkfifo(err)

    def hang_up() -> str:
        os.close(
            os.open(out, os.O_RDONLY)
        )  # as soon as it has opened that, which is before it opens the next one
        return Path(err).read_text()

    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(hang_up)
        code = STEM.run_on(words, [typed, out, err], environ=claw.environment())
        return code, said.result()


@pytest.mark.parametrize(
    "words", [WRITING[0], *(pytest.param(words, marks=pytest.mark.laws) for words in WRITING[1:])]
)
def test_a_reader_that_went_away_cancels_nothing(vault: VaultCopy, tmp_path: Path, words: list[str]) -> None:
    heard, alone = vault(tmp_path / "heard"), vault(tmp_path / "alone")
    before, wanted = stands(alone), Claw(heard)(*words, stdin=TURNS)
    assert unheard(Claw(alone), words, tmp_path) == (wanted.code, wanted.err)
    assert wanted.code == 0
    after = stands(alone)
    assert after == stands(heard)
    assert (after == before) == (words == ["sync"])


@pytest.mark.parametrize("words", [WRITING[0], CAPTURE], ids=" ".join)
def test_neither_do_both_streams_that_nobody_reads(
    vault: VaultCopy, tmp_path: Path, words: list[str]
) -> None:
    heard, alone = vault(tmp_path / "heard"), vault(tmp_path / "alone")
    assert Claw(heard)(*words, stdin=TURNS).code == 0
    gone = nobody()
    try:
        done = subprocess.run(
            [GRAFT.command, *words],
            input=TURNS.encode(), stdout=gone, stderr=gone, env=Claw(alone).environment(), timeout=60, check=False,
        )  # fmt: skip
    finally:
        os.close(gone)
    assert done.returncode == 0
    assert stands(alone) == stands(heard)


@pytest.mark.parametrize("streams", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_were_closed_before_it_began_are_no_failure(
    vault: VaultCopy, tmp_path: Path, streams: str
) -> None:
    root = vault(tmp_path / "vault")
    line = f'"$0" review reject --all --yes {streams}'
    done = subprocess.run(
        ["sh", "-c", line, COMMAND],
        env=Claw(root).environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert [item["id"] for item in Claw(root)("review", "--json").json["waiting"]] == ["book-trains"]


def test_a_full_disk_behind_the_answer_cancels_nothing_and_is_told(vault: VaultCopy, tmp_path: Path) -> None:
    root = vault(tmp_path / "vault")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [GRAFT.command, "review", "reject", "--all", "--yes"],
            stdout=full, stderr=subprocess.PIPE, env=Claw(root).environment(), timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert b"could not be written (No space left on device), but the command was carried out" in done.stderr
    assert [item["id"] for item in Claw(root)("review", "--json").json["waiting"]] == ["book-trains"]


def test_a_watch_that_nobody_reads_ends(tmp_path: Path) -> None:
    root = put(tmp_path / "vault", STUDIO)
    process = Claw(root).start("watch", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline().startswith(b"synced")
    process.stdout.close()
    (root / "notes/new.md").write_text("# New\n")
    assert process.wait(60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()
    assert is_gone(process.pid)
