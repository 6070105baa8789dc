"""Every command that README.md shows is run, in order, and its output compared with what README.md shows.

In a block of ```console, a line `$ command` is run and the lines below it are what it prints; a line `...` stands for any
lines. Commit and run ids are compared as if they were all the same.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import NOW

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# One hash in a hundred is all digits: those are told by where they stand.
COMMIT = re.compile(
    r"(?:(?<=commit )|^)[0-9a-f]{7,40}\b|\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b", re.MULTILINE
)
RUN = re.compile(r"\b((?:init|remember|edit|forget|revive|undo|consolidate)-\d{8}T\d{6})-[0-9a-f]{6}\b")
TIMES = re.compile(r"\d+(?:\.\d+)? ms\b")


class Step(NamedTuple):
    """One command and what it should print."""

    command: str
    output: str


def steps(text: str) -> list[Step]:
    """The commands of all console blocks, in order; a command ends where its line does not end with a backslash."""
    commands: list[Step] = []
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = re.sub(r"\s*\\\n\s*", " ", part).partition("\n")
            commands.append(Step(command, output))
    return commands


def normal(text: str) -> str:
    """The text without what differs from run to run."""
    text = TIMES.sub("0 ms", COMMIT.sub("0000000", RUN.sub(r"\1-000000", text)))
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def matches(shown: str, printed: str) -> bool:
    """True when the output is what was shown, `...` lines standing for any lines."""
    pattern = "\n".join(
        r"(?:.*\n)*?.*" if line.strip() == "..." else re.escape(line) for line in normal(shown).splitlines()
    )
    return re.fullmatch(pattern, normal(printed)) is not None


def test_the_readme_tells_the_truth(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "vault", tmp_path / "vault", ignore=shutil.ignore_patterns(".memoryclaw"))
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    env = {
        **os.environ, "HOME": os.fspath(tmp_path), "MEMORYCLAW_NOW": NOW, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_NAME": "Nora", "GIT_AUTHOR_EMAIL": "nora@example.org",
        "GIT_COMMITTER_NAME": "Nora", "GIT_COMMITTER_EMAIL": "nora@example.org",
    }  # fmt: skip
    folder = os.fspath(tmp_path)
    wrong = []
    commands = steps((ROOT / "README.md").read_text(encoding="utf-8"))
    for step in commands:
        script = f'{step.command}\ncode=$?; pwd > "{tmp_path}/.folder"; exit $code'
        done = subprocess.run(["bash", "-c", script], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False)  # fmt: skip
        folder = (tmp_path / ".folder").read_text().strip()
        if not matches(step.output, done.stdout):
            wrong.append(f"$ {step.command}\n{done.stdout}")
    assert commands, "README.md shows no command"
    assert not wrong, "README.md shows something else than:\n" + "\n".join(wrong)


def test_blocks_are_read_as_people_read_them() -> None:
    text = "```console\n$ one \\\n    two\nout\n$ three\n```\n\n```sh\nnot this\n```\n"
    assert steps(text) == [Step("one two", "out\n"), Step("three", "")]


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [("a\n", "a\n", True), ("a\n", "b\n", False), ("a\n...\nd\n", "a\nb\nc\nd\n", True), ("a\n...\n", "b\n", False),
     ("commit 1a2b3c4", "commit 9f8e7d6", True), ("in 12 ms", "in 3.5 ms", True), ("deadbeef cafe", "deadbeef cafe", True)],
)  # fmt: skip
def test_output_is_compared_without_what_differs_each_time(shown: str, printed: str, same: bool) -> None:
    assert matches(shown, printed) is same
