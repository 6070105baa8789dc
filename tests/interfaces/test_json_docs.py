"""docs/reference/json.md shows what the verbs really answer."""

from __future__ import annotations

import os
import runpy
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from conftest import Claw
from forked import STEM

from memoryclaw.interfaces.cli.verbs import VERBS, Group, cli

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs/reference/json.md"


@pytest.mark.docs
def test_the_page_is_what_the_verbs_answer_today() -> None:
    def run(words: list[str], stdin: str, env: dict[str, str]) -> tuple[int, str, str]:
        assert STEM.fits(env)
        return STEM.run(words, stdin=stdin, environ=env, cwd=None)

    page = runpy.run_path(os.fspath(ROOT / "scripts/json_docs.py"))["page"](run)
    assert page == PAGE.read_text(encoding="utf-8"), (
        "run: python scripts/json_docs.py > docs/reference/json.md"
    )


def test_every_verb_that_answers_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [verb for verb in answering() if f"## {verb}\n" not in page and f"`{verb}`" not in page] == [
        "completion"
    ]


def answering() -> Iterator[str]:
    """Every verb, those of groups with the words that they follow; the one that is meant without a word may need none."""

    def below(words: str, command: click.Command) -> Iterator[str]:
        if not isinstance(command, Group):
            yield words
            return
        page = PAGE.read_text(encoding="utf-8")
        for name, verb in command.commands.items():
            if name != command.default or f"## {words}\n" not in page:
                yield from below(f"{words} {name}", verb)

    for verb in VERBS:
        command = cli.get_command(click.Context(cli), verb)
        assert command
        yield from below(verb, command)


def test_every_answer_is_one_object(asked: Claw) -> None:
    for words in (["search", "x"], ["recall", "x"], ["show", "ep-wind"], ["browse"], ["facts"], ["links", "ep-wind"], ["sync"], ["reindex"], ["status"], ["doctor"], ["consolidate", "--dry-run"], ["review"], ["history"], ["schedule"], ["skills"]):  # fmt: skip
        assert isinstance(asked(*words, "--json").json, dict), words
