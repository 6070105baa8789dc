"""Help: every page begins with an example that works in an empty folder, and the options of all verbs are told once."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from conftest import Claw, Ran
from forked import AT_START, GRAFT, STEM, Grown

from memoryclaw.interfaces.cli import verbs as verbs_module
from memoryclaw.interfaces.cli.verbs import PROGRAMS, RENAMED, SECTIONS, VERBS, Group, cli

# What an empty folder cannot have: another program's settings, a server of PostgreSQL, or a skill with steps and its tools.
ELSEWHERE = ("fleet", "openclaw install", "openclaw uninstall", "skills run", "vectors on")
LASTING = ("serve", "sync --watch")  # until Ctrl-C
OPTIONS = re.compile(r"^  (--vault|--audience|--json|-h, --help)", re.MULTILINE)


def pages() -> Iterator[str]:
    """The words of every help page."""

    def below(words: str, command: click.Command) -> Iterator[str]:
        yield words
        if isinstance(command, Group):
            for name, verb in command.commands.items():
                yield from below(f"{words} {name}", verb)

    yield ""
    for name in VERBS:
        command = cli.get_command(click.Context(cli), name)
        assert command
        yield from below(name, command)


PAGES = list(pages())


def first_example(page: str) -> list[str]:
    """The commands of the first example of a page."""
    lines = re.split(r"Examples.*:\n", page, maxsplit=1)[-1].partition("\n\n")[0].splitlines()
    return (
        lines
        if page.startswith("Usage: memoryclaw [OPTIONS] COMMAND") or "memoryclaw init" in lines[0]
        else lines[:1]
    )


@pytest.fixture(scope="module")
def printed_pages() -> dict[str, Ran]:
    """Each page as it is printed."""
    return dict(zip(PAGES, Claw().each([[*words.split(), "--help"] for words in PAGES]), strict=True))


@pytest.mark.docs
@pytest.mark.parametrize("words", PAGES)
def test_a_page_begins_with_an_example_that_works_in_an_empty_folder(
    words: str, printed_pages: dict[str, Ran], tmp_path: Path
) -> None:
    shown = printed_pages[words]
    assert shown.code == 0
    assert sorted(OPTIONS.findall(shown.out)) == (
        [] if words else ["--audience", "--json", "--vault", "-h, --help"]
    )
    example = first_example(shown.out)
    assert example
    assert words in example[-1] or words.rpartition(" ")[0] in example[-1] or not words
    if words.startswith(ELSEWHERE):
        return
    (tmp_path / "home").mkdir()
    (tmp_path / "empty").mkdir()
    env = {
        "HOME": os.fspath(tmp_path / "home"),
        "PATH": f"{Path(GRAFT.command).parent}{os.pathsep}{os.environ['PATH']}",
        "EDITOR": "true",
        **{name: value for name, value in os.environ.items() if name.startswith(AT_START)},
    }
    for line in example:
        if line.strip().removeprefix("memoryclaw ").startswith(LASTING):
            assert_lasts(line.split()[1:], env, tmp_path / "empty")
            continue
        code, printed = STEM.type(line.strip(), environ=env, cwd=tmp_path / "empty")
        assert code == 0, (line, printed)
        assert not re.search(r"^(Nothing|No |There is no)", printed) or line.endswith(QUIET), (line, printed)
    if words == "ui":
        subprocess.run(
            [GRAFT.command, "serve", "--stop"], env=env, timeout=60, check=True, capture_output=True
        )


# There is nothing of the kind in a new vault, and saying so is all that an example can do.
QUIET = ("dangling", "--dry-run", "review apply", "lint")


def assert_lasts(words: list[str], env: dict[str, str], folder: Path) -> None:
    """Starts a command that goes on, and ends it once it has said that it is ready."""
    process = Grown(["memoryclaw", *words], cwd=folder, env=env, stdout=subprocess.PIPE, encoding="utf-8")
    line = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    process.stdout.close()
    assert line.startswith(("serving", "started"))


def test_alone_in_an_empty_home_it_says_what_comes_next_and_that_works(tmp_path: Path) -> None:
    home, notes = tmp_path / "home", tmp_path / "home/notes"
    (home / ".claude").mkdir(parents=True)
    claw = Claw(HOME=os.fspath(home), PATH=f"{Path(GRAFT.command).parent}{os.pathsep}{os.environ['PATH']}")
    first = claw(cwd=home)
    assert (first.code, first.err) == (0, "")
    assert len(first.out.splitlines()) <= 8
    for line in re.findall(r"^  (memoryclaw [^#\n]+)", first.out, re.MULTILINE):
        typed = line.replace("connect claude-code", "connect claude-code --dry-run")
        done = subprocess.run(
            ["bash", "-c", typed], cwd=home, env=claw.environment(), check=False, capture_output=True
        )
        assert done.returncode == 0, (typed, done)
    assert (notes / "memoryclaw.yaml").exists()
    later = claw(cwd=home)
    assert "Browse:" in later.out + later.err


def test_about_thirty_verbs_stand_on_the_first_page() -> None:
    assert sum(map(len, SECTIONS.values())) <= 30
    assert len(VERBS) + len(RENAMED) == 57  # none was lost; `fleet` is of another distribution


def test_the_first_page_names_every_verb_once_with_what_it_does(claw: Claw) -> None:
    page = claw("--help").out
    for names in SECTIONS.values():
        for name in names:
            assert len(re.findall(rf"^  {name} +[A-Z]", page, re.MULTILINE)) == 1
    assert all(re.search(rf"\b{name}\b", page.rpartition("Called by")[2]) for name in PROGRAMS)


def test_the_first_page_says_of_each_verb_what_its_own_page_says_first() -> None:
    context = click.Context(cli)
    for name in (verb for verbs in SECTIONS.values() for verb in verbs):
        command = cli.get_command(context, name)
        assert command
        assert verbs_module._short_help(name) == command.get_short_help_str(200) != ""
