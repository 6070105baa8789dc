"""Switches off each list of words of a language once, and says what is kept then: what changes nothing may go.

python benchmarks/ablation.py FOLDER [FOLDER ...] [--language en]

The folders are those of `worth.py`; the sum is the one that ships. A session in which no word of a list stands is not read again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from worth import Item, Session, figures, items, sessions

from memoryclaw.talk.statements import read
from memoryclaw.talk.worth import SessionLook
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import Grammar, WordList, grammar, tokens_of


def without(name: str, code: str, session: Session) -> list[Item]:
    """What is kept of a session where a list is empty."""
    grammar.cache_clear()
    setattr(grammar(code), name, WordList(()))
    talk, look = read(session.turns, {}), SessionLook.of(session.turns, "en")
    return items(session._replace(talk=talk, look=look))


def first_words(code: str, name: str) -> set[str]:
    """The words with which the entries of a list begin."""
    return {entry.split()[0] for entry in getattr(grammar(code), name).entries()}


def main(args: Sequence[str]) -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--language", default="en")
    options = parser.parse_args(args)
    every = [session for folder in options.folders for session in sessions(folder)]
    tokens = [set(tokens_of(" ".join(turn.text for turn in session.turns))) for session in every]
    usual = [items(session) for session in every]
    places = {
        name: [at for at, said in enumerate(tokens) if first_words(options.language, name) & said]
        for name in lists.names(f"talk_{options.language}")
        if not hasattr(Grammar, name)
    }
    for name in ["", *sorted(places, key=lambda name: len(places[name]))]:
        kept = list(usual)
        for at in places.get(name, ()):
            kept[at] = without(name, options.language, every[at])
        changed = sum(
            len({item.text for item in kept[at]} ^ {item.text for item in usual[at]})
            for at in places.get(name, ())
        )
        print(f"{name or 'all lists'}: {changed} items change", flush=True)
        for folder in options.folders:
            mine = [at for at, one in enumerate(every) if Path(one.person).parent == folder]
            shown = figures([item for at in mine for item in kept[at]], [every[at] for at in mine])
            if not name or changed:
                print(f"  {folder.parent.name}: {shown}", flush=True)
    grammar.cache_clear()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
