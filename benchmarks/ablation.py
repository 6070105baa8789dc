"""Switches off each list of words of a language, or each function of the reader, once, and says what is kept then: what changes nothing may go.

python benchmarks/ablation.py FOLDER [FOLDER ...] [--language en] [--functions]

The folders are those of `worth.py`; the sum is the one that ships. Each is tried in a process of its own, over the sessions that hold
a word of the list, or in which the function answers; after thirty changed items it is needed.
"""

from __future__ import annotations

import argparse
import os
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

from worth import Item, Session, figures, items, sessions

from memoryclaw.consolidation import reconcile
from memoryclaw.talk import assertions, corrections, orders, people, statements, worth
from memoryclaw.talk.worth import SessionLook
from memoryclaw.text import grammar as clauses
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import Grammar, WordList, grammar, tokens_of

MODULES = (reconcile, worth, assertions, corrections, orders, people, statements, clauses)
NEEDED = 30  # items that change
_EMPTY = {"bool": "False", "str": "''", "int": "0", "list": "[]", "tuple": "()", "Iterator": "()", "frozenset": "frozenset()"}  # fmt: skip


def again(session: Session) -> list[Item]:
    """What is kept of a session that is read anew."""
    talk, look = statements.read(session.turns, {}), SessionLook.of(session.turns, "en")
    return items(session._replace(talk=talk, look=look))


def without_list(name: str, code: str) -> None:
    """Empties a list, in this process."""
    grammar.cache_clear()
    setattr(grammar(code), name, WordList(()))


def first_words(code: str, name: str) -> set[str]:
    """The words with which the entries of a list begin."""
    return {entry.split()[0] for entry in getattr(grammar(code), name).entries()}


def functions() -> Iterator[tuple[FunctionType, str]]:
    """The functions of the reader that can answer nothing, and how each says so."""
    for module in MODULES:
        members = [*vars(module).values()]
        members += [
            method for holder in members if isinstance(holder, type) for method in vars(holder).values()
        ]
        for member in members:
            function = getattr(member, "__wrapped__", getattr(member, "fget", member))
            if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                returned = str(function.__annotations__.get("return", ""))
                empty = "None" if returned.endswith("| None") else _EMPTY.get(returned.partition("[")[0])
                if empty:
                    yield function, empty


def answering(every: Sequence[Session]) -> dict[CodeType, list[int]]:
    """The sessions in which each function answers something."""
    places: dict[CodeType, list[int]] = {function.__code__: [] for function, _ in functions()}
    answered: set[CodeType] = set()

    def note(frame: FrameType, event: str, answer: object) -> None:
        if event == "return" and frame.f_code in places and answer is not NotImplemented and answer:
            answered.add(frame.f_code)

    for at, session in enumerate(every):
        answered.clear()
        sys.setprofile(note)
        again(session)
        sys.setprofile(None)
        for code in answered:
            places[code].append(at)
    return places


def forked(work: Callable[[], Any]) -> Any:
    """The answer of some work that is done in a process of its own."""
    reader, writer = os.pipe()
    if not (child := os.fork()):
        with os.fdopen(writer, "wb") as out:
            try:
                answer = work()
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                answer = str(error)
            pickle.dump(answer, out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as done:
        answer = pickle.load(done)
    os.waitpid(child, 0)
    return answer


def tried(
    switch_off: Callable[[], None],
    places: Iterable[int],
    every: Sequence[Session],
    usual: Sequence[list[Item]],
) -> dict[int, list[Item]] | str:
    """What is kept of some sessions where something is switched off; in words where it is needed."""

    def read() -> dict[int, list[Item]] | str:
        switch_off()
        kept: dict[int, list[Item]] = {}
        changed = 0
        for at in sorted(places, key=lambda at: len(every[at].turns)):
            kept[at] = again(every[at])
            changed += len({item.text for item in kept[at]} ^ {item.text for item in usual[at]})
            if changed > NEEDED:
                return "needed"
        return kept

    return forked(read)  # type: ignore[no-any-return]


def main(args: Sequence[str]) -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--language", default="en")
    parser.add_argument("--functions", action="store_true")
    options = parser.parse_args(args)
    every = [session for folder in options.folders for session in sessions(folder)]
    usual = [items(session) for session in every]
    trials: list[tuple[str, Callable[[], None], list[int]]] = []
    if options.functions:
        seen = answering(every)
        for function, empty in functions():

            def stub(function: FunctionType = function, empty: str = empty) -> None:
                function.__code__ = eval(f"lambda *_, **__: {empty}").__code__

            label = f"{function.__module__}.{function.__qualname__}"
            trials.append((label, stub, seen[function.__code__]))
    else:
        code = options.language
        tokens = [set(tokens_of(" ".join(turn.text for turn in session.turns))) for session in every]
        for name in lists.names(f"talk_{code}"):
            if not hasattr(Grammar, name):
                places = [at for at, said in enumerate(tokens) if first_words(code, name) & said]
                trials.append((name, lambda name=name: without_list(name, code), places))  # type: ignore[misc]
    for label, switch_off, places in [
        ("", lambda: None, []),
        *sorted(trials, key=lambda trial: len(trial[2])),
    ]:
        changes = tried(switch_off, places, every, usual)
        if isinstance(changes, str):
            print(f"{label}: {changes}", flush=True)
            continue
        kept = [changes.get(at, mine) for at, mine in enumerate(usual)]
        changed = sum(
            len({i.text for i in now} ^ {i.text for i in mine}) for now, mine in zip(kept, usual, strict=True)
        )
        print(f"{label or 'as it is'}: {changed} items change", flush=True)
        for folder in options.folders:
            mine = [at for at, session in enumerate(every) if Path(session.person).parent == folder]
            shown = figures([item for at in mine for item in kept[at]], [every[at] for at in mine])
            if not label or changed:
                print(f"  {folder.parent.name}: {shown}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
