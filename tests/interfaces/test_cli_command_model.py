"""`llm.chain: [command]` from end to end: agreed to once, judged like any model, and gone when the run is."""

from __future__ import annotations

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import COMMAND, Claw, put
from gitvault import vault_of
from indexed import until
from killing import lives
from nights import LATER, NIGHT, said

from memoryclaw.writing.command_consent import NAME, digest_of

TALK = said("evening", [("user Nora", "The boathouse needs 40 larch boards by Friday.")])
# Answers as a good model would, keeps what it was given, and leaves a mark that it was there.
PROGRAM = """
import json, os, pathlib, sys
sys.path.insert(0, {tests!r})
from servers.scripted import honest, log_in
given = sys.stdin.read()
with open({seen!r}, "a") as seen:
    seen.write(given)
print("Here you are:", json.dumps(honest(log_in(given))))
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose settings name a command."""
    seen, tests = os.fspath(tmp_path / "seen"), os.fspath(Path(__file__).parents[1])
    put(tmp_path, {"program.py": PROGRAM.format(tests=tests, seen=seen), "home/.keep": ""})
    name_command(tmp_path, [sys.executable, os.fspath(tmp_path / "program.py")])
    return tmp_path / "home"


def name_command(folder: Path, words: list[str]) -> None:
    """Writes the user's own settings; JSON is YAML."""
    settings = {"llm": {"chain": ["command"], "command": words, "retries": 0}}
    put(folder, {"home/.config/memoryclaw/config.yaml": json.dumps(settings)})


@pytest.fixture
def night(home: Path, tmp_path: Path) -> Claw:
    """A vault with a log that nobody has read yet."""
    root = put(vault_of(tmp_path / "vault", {"Home.md": "# Home\n"}), {"logs/2026-04-19/evening.jsonl": TALK})
    return Claw(root, HOME=os.fspath(home), MEMORYCLAW_NOW=NIGHT.isoformat())


def minds(claw: Claw) -> list[list[str]]:
    """Who read in each run."""
    return [json.loads(path.read_text())["minds"] for path in sorted(claw.vault.glob("runs/*.json"))]


def test_before_anybody_agreed_nothing_is_sent_and_the_run_says_how(night: Claw, tmp_path: Path) -> None:
    ran = night("consolidate")
    assert ran.code == 0
    assert "reads conversations only after you agree: `memoryclaw consolidate --agree`" in ran.err
    assert not (tmp_path / "seen").exists()
    assert minds(night) == [["rules"]]


def test_once_agreed_it_reads_in_every_vault_and_never_before_another_word_is_agreed_to(
    night: Claw, home: Path, tmp_path: Path
) -> None:
    ran = night("consolidate", "--agree")
    assert (ran.code, ran.err) == (0, "")
    assert minds(night) == [[f"command/{Path(sys.executable).name}"]]
    assert "40 larch boards" in (tmp_path / "seen").read_text()
    other = Claw(put(vault_of(tmp_path / "other", {}), {"logs/2026-04-19/evening.jsonl": TALK}), **night.env)
    assert other("consolidate", "--due").code == 0
    assert minds(other) == minds(night)
    name_command(tmp_path, [sys.executable, "-B", os.fspath(tmp_path / "program.py")])
    put(other.vault, {"logs/2026-04-20/late.jsonl": TALK.replace("2026-04-19", "2026-04-20")})
    other.env["MEMORYCLAW_NOW"] = LATER.isoformat()
    assert "only after you agree" in other("consolidate").err
    assert minds(other)[1] == ["rules"]
    agreed = digest_of([sys.executable, os.fspath(tmp_path / "program.py")]).encode()
    inside = [path for path in (*night.vault.rglob("*"), *other.vault.rglob("*")) if path.is_file()]
    assert not [path for path in inside if agreed in path.read_bytes() or path.name == NAME]


def test_no_vault_agrees_and_no_vault_names_the_command(night: Claw, tmp_path: Path) -> None:
    folder = Path(night.env["HOME"]) / ".config/memoryclaw"
    assert night("consolidate", "--dry-run", "--agree").code == 0
    agreed = (folder / "agreed.jsonl").rename(tmp_path / "agreed.jsonl")
    (tmp_path / "seen").unlink()
    line = shlex.join(["touch", os.fspath(tmp_path / "owned")])
    put(night.vault, {
        "memoryclaw.yaml": f"llm:\n  chain: [command]\n  command: [sh, -c, {json.dumps(line)}]\n",
        "agreed.jsonl": agreed.read_bytes(), ".memoryclaw/agreed.jsonl": agreed.read_bytes(),
        ".config/memoryclaw/agreed.jsonl": agreed.read_bytes(),
    })  # fmt: skip
    assert "only after you agree" in night("consolidate", "--dry-run").err
    (folder / "config.yaml").unlink()
    ran = night("consolidate", "--dry-run")
    assert "ignored, because only you" in ran.err  # and no model is asked at all
    assert night("consolidate", "--agree").code == 1
    assert not (tmp_path / "seen").exists()
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize(("typed", "agreed"), [("y\n", True), ("\n", False)])
def test_at_a_terminal_it_asks_and_no_is_the_default(
    typed: str, agreed: bool, night: Claw, tmp_path: Path
) -> None:
    leader, follower = pty.openpty()
    os.write(leader, typed.encode())
    done = subprocess.run(
        [COMMAND, "consolidate"], stdin=follower, stdout=subprocess.PIPE, stderr=follower, env=night.environment(), timeout=120, check=False
    )  # fmt: skip
    os.close(follower)
    shown = os.read(leader, 65536).decode().replace("\r\n", "\n")
    os.close(leader)
    assert done.returncode == 0
    assert "may send them to other machines. Agree? [y/N]" in shown
    assert ("only after you agree" in shown) is not agreed
    assert (tmp_path / "seen").exists() is agreed
    assert minds(night) == [[f"command/{Path(sys.executable).name}" if agreed else "rules"]]


@pytest.mark.parametrize(
    "words",
    [["consolidate", "--llm", "none"], ["consolidate", "--ask"], ["consolidate", "--answers", "-"]],
    ids=" ".join,
)
def test_where_no_command_is_asked_nobody_is_asked_to_agree(words: list[str], night: Claw) -> None:
    ran = night(*words)
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("echo 'Please log in.' >&2; exit 1", "`sh` ended with exit code 1: Please log in."),
        ("true", "`sh` printed nothing"),
        ("echo 'I cannot help with that.'", "command/sh: its answer was not JSON of the asked form"),
    ],
)
def test_a_command_that_fails_costs_nothing_but_its_words(
    line: str, why: str, night: Claw, tmp_path: Path
) -> None:
    name_command(tmp_path, ["sh", "-c", line])
    ran = night("consolidate", "--agree")
    assert ran.code == 0
    assert f"degraded: no model answered ({why}); facts and summaries are by rules" in ran.err
    [episode] = night.vault.glob("episodes/*.md")
    assert "40 larch boards" in episode.read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_run_that_is_ended_leaves_no_process_and_no_folder(
    number: signal.Signals, night: Claw, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    name_command(tmp_path, ["sh", "-c", f"sleep 600 & echo $! $$ > {pids}.new; mv {pids}.new {pids}; wait"])
    (tmp_path / "temporary").mkdir()
    night.env["TMPDIR"] = os.fspath(tmp_path / "temporary")
    run = night.start("consolidate", "--agree", stderr=subprocess.PIPE)
    until(pids.exists)
    run.send_signal(number)
    assert run.wait(60) == 130
    until(lambda: not any(map(lives, map(int, pids.read_text().split()))))
    assert list((tmp_path / "temporary").iterdir()) == []
    assert not list(night.vault.glob("runs/*.json"))
    assert b"Traceback" not in run.stderr.read()
    run.stderr.close()
