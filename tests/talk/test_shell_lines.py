"""A command typed alone is no statement, by its form; a sentence that names an option is one."""

from __future__ import annotations

import pytest

from memoryclaw.talk.own_words import own_words
from memoryclaw.text.grammar import grammar


@pytest.mark.parametrize(
    "command",
    [
        "git rebase -i HEAD~3",
        "docker compose up -d --build",
        "npm run build -- --watch",
        "kubectl get pods -n prod",
        "make clean && make -j4",
        "cat a.txt | wc -l\n$ ls -la",
    ],
)
def test_a_command_alone_holds_no_own_words(command: str) -> None:
    own = own_words(command, grammar("en"))
    assert own.text == ""
    assert own.pasted == (command.partition("\n")[0],)


@pytest.mark.parametrize(
    "sentence",
    [
        "never push with --force",
        "we deploy with --prune",
        "my cat - black - is old",
        "dentist -- Dr Aalto",
        "milk | eggs",
        "pytest -x fails on main",
        "remember this command:\ngit rebase -i HEAD~3",
    ],
)
def test_a_sentence_that_names_an_option_is_typed(sentence: str) -> None:
    own = own_words(sentence, grammar("en"))
    assert own.seals.open(own.text) == sentence
