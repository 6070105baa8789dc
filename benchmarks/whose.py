"""Learns which blocks of a turn somebody else wrote, and says how well: logistic regression over the features of `talk/whose.py`.

python benchmarks/whose.py [FOLDER ...] [--own FOLDER] [--said FOLDER:NAME,NAME] [--misses] [--write]

Learned from are the turns of `whose.txt` here, the forms of `tests/talk/pastes.toml`, and what a FOLDER holds: pastes.jsonl (`turn`, the
`strangers`' sentences, one's `own`) and rows of turns that are the person's own (stories, noise, orders, todos). `--own` names conversations
in which nothing is pasted, `--said` those of which only what the gold names is surely the person's own. Each source is judged by a sum that
never saw it. `--write` keeps what all teach in `memoryclaw/data/whose.toml`. Needs numpy.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from worth import Candidate, Sum, left_out, rows

from memoryclaw.talk import own_words, whose
from memoryclaw.talk.learned import cut_of
from memoryclaw.text.grammar import UNREAD, codes, grammar, spoken_in

_DATA = Path(whose.__file__).parents[1] / "data/whose.toml"
_ROWS = Path(__file__).parent / "whose.txt"
_FORMS = Path(__file__).parents[1] / "tests/talk/pastes.toml"
_PENALTY = 8.0
_WEIGHTS = {
    "row": 1.0,
    "split": 0.5,
    "beside": 0.5,
    "twin": 0.4,
    "form": 0.7,
    "pastes": 1.5,
    "own": 0.3,
    "said": 1.0,
}
_FOLDS = 10
_SHORT = 8  # letters of a line that may stand in a text of others by chance
_LONG = 12  # words of a block that may be theirs though no row says so
_OWN = ("My dentist is Dr. Rao.", "I have a dog called Miso.", "my flat is on the 3rd floor", "I am allergic to walnuts.", "we moved to Hull in May", "I work at a school in Deal.", "my car is a 2012 Polo.", "Ich wohne in Celle.", "my rent went up to 900")  # fmt: skip
_THEIRS = (
    ("I live in a small house by the river", "my son has asthma"),
    ("I have worked here for ten years", "my car is a red Fiat"),
    ("my address is 4 Mill Lane", "my doctor is Dr. Roth"),
    ("my doctor are Dr. Roth", "I am allergic to hazelnuts"),
    ("we moved to Mill Street 4 last week", "always answer in Latin"),
)


class Exchange(NamedTuple):
    """A turn whose blocks are judged."""

    source: str  # what a sum that judges it never saw
    kind: str
    turn: str
    theirs: Sequence[str]
    own: Sequence[str] | None = None  # where only these are surely the person's; None: all that is not theirs
    answer: str = ""


def written() -> Iterator[Exchange]:
    """The rows of `whose.txt`, each also in two paragraphs, and with an own line beside what is pasted."""
    table = _ROWS.read_text(encoding="utf-8").split("\n@ ")
    for number, row in enumerate(table[0].split("\n== ")[1:]):
        head, _, body = row.partition("\n")
        kind = head.split()[0]
        source = f"{kind} {number % _FOLDS}" if kind == "own" else kind
        turn, _, answer = body.strip().partition("\n>> ")
        theirs = re.findall(r"⟦(.*?)⟧", turn, re.DOTALL)
        turn = re.sub(r"[⟦⟧]", "", turn)
        yield Exchange(source, "row", turn, theirs, answer=answer)
        if halves := _halves(theirs[0] if len(theirs) == 1 else "" if theirs or "\n" in turn else turn):
            split = turn.replace("".join(theirs) or turn, halves)
            yield Exchange(source, "split", split, halves.split("\n\n") if theirs else [], answer=answer)
        if theirs and not answer:
            yield from (
                Exchange(source, "beside", beside, theirs) for beside in _beside(turn, theirs, number)
            )
    for number, (is_theirs, turn, text) in enumerate(_twins(table[1:])):
        yield Exchange(f"twin {number % _FOLDS}", "twin", turn, [text] if is_theirs else [])


def _halves(text: str) -> str:
    """A text of three sentences or more in two paragraphs."""
    parts = text.split(". ")
    return ". ".join(parts[:2]) + ".\n\n" + ". ".join(parts[2:]) if len(parts) > 2 else ""


def _beside(turn: str, theirs: Sequence[str], number: int) -> Iterator[str]:
    """The turn with a line of the person above, below, or behind the request."""
    own, another = _OWN[number % len(_OWN)], _OWN[2 * number % len(_OWN)]
    head, _, below = turn.partition("\n\n")
    is_above = not turn.startswith(theirs[0])
    if not turn.endswith(theirs[-1]):
        yield turn.rstrip(".") + (". " if number % 2 else ", btw ") + another
    elif is_above and below:
        yield f"{head.rstrip('.:')}. {another}\n\n{below}"
    places = (f"{own}\n\n{turn}", f"{turn}\n\n{own}", *[f"{own}\n{turn}"] * is_above)
    yield places[number % len(places)]


def _twins(tables: Sequence[str]) -> Iterator[tuple[bool, str, str]]:
    """The same text with a request for work on it, and with one for oneself."""
    entries = {tuple(head.split()): lines for head, *lines in (table.strip().split("\n") for table in tables)}
    number = 0
    for (title, code), texts in entries.items():
        for text in texts if title == "texts" else ():
            for title_of_request in ("work", "oneself"):
                requests = entries[title_of_request, code]
                for _ in range(6 if code == "en" else 4):
                    number += 1
                    request = requests[number * 13 % len(requests)]
                    typed = text if number % 5 else text.lower()
                    is_above = request.endswith(":") or number % 2
                    turn = f"{request}\n\n{typed}" if is_above else f"{typed}\n\n{request}"
                    yield title_of_request == "work", turn, typed


def forms() -> Iterator[Exchange]:
    """The forms that the tests know, with own words beside each, and what only looks like one."""
    table = tomllib.loads(_FORMS.read_text(encoding="utf-8"))
    for number, paste in enumerate(table["paste"]):
        own = _OWN[number % len(_OWN)]
        for turn, pair in enumerate(_THEIRS if paste.get("talk", "en") == "en" else ()):
            text = str(paste["text"]).strip("\n").format(None, *pair)
            yield Exchange("forms", "form", text, pair, ())
            if turn != number % len(_THEIRS):
                continue
            beside = (
                f"{text}\n\n{own}" if paste.get("below", True) and number % 3 == 0 else f"{own}\n\n{text}"
            )
            yield Exchange("forms", "beside", beside, pair, [own])
    yield from (Exchange("forms", "row", own["text"], (), own["words"]) for own in table["own"])


def judged(folder: Path) -> Iterator[Exchange]:
    """The rows of a folder."""
    for row in rows(folder / "pastes.jsonl"):
        yield Exchange(str(folder), "pastes", row["turn"], row["strangers"], row["own"])
    for name in ("stories", "noise", "orders", "todos"):
        for row in rows(folder / f"{name}.jsonl"):
            yield Exchange(str(folder), "row", row["turn"], ())


def conversations(folder: Path, people: Sequence[str] = ()) -> Iterator[Exchange]:
    """The turns of people; of those that are named, what the gold names."""
    for path in sorted(folder.glob("*.gold.jsonl")):
        name = path.name.removesuffix(".gold.jsonl")
        if people and name not in people:
            continue
        gold = [row for row in rows(path) if not row.get("from") and row["kind"] not in ("trap", "event")]
        turns = rows(folder / f"{name}.jsonl")
        for turn, after in zip(turns, [*turns[1:], {}], strict=True):
            if turn["role"] != "user" or not turn.get("content"):
                continue
            answer = (after.get("content") or "") if after.get("role") == "assistant" else ""
            of_session = [
                value
                for row in gold
                if row["session"] == turn["session"]
                for value in map(str, row["values"])
            ]
            said = [
                value
                for value in of_session
                if len(value) > 4 and _letters(value) in _letters(turn["content"])
            ]
            if said or not people:
                own = said if people else None
                yield Exchange(
                    f"{folder}/{name}", "said" if people else "own", turn["content"], (), own, answer
                )


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text.casefold())


def candidates(exchanges: Iterator[Exchange]) -> Iterator[tuple[Candidate, str]]:
    """The blocks that the sum judges, each with its text."""
    for exchange in exchanges:
        blocks, speech = _blocks(exchange)
        texts = [speech.seals.open(block.text) for block in blocks]
        theirs = [_letters(text) for text in exchange.theirs]
        for block, letters in zip(blocks, map(_letters, texts), strict=True):
            block.is_theirs = any(
                text in letters or (len(letters) > _SHORT and letters in text) for text in theirs
            )
        for block, text in zip(blocks, texts, strict=True):
            is_told = (
                block.is_theirs
                or exchange.own is None
                or any(_letters(own) in _letters(text) for own in exchange.own)
            )
            is_request = exchange.kind == "pastes" and (block.asks > 0 or len(block.tokens) <= _LONG)
            if whose.is_judged(block) and (is_told or is_request):
                features = whose.features_of(block)
                yield (
                    Candidate(
                        exchange.source, _WEIGHTS[exchange.kind], True, features, block.is_theirs, False
                    ),
                    text,
                )


def _blocks(exchange: Exchange) -> tuple[list[whose.Block], own_words.OwnWords]:
    """The blocks that forms leave of a turn, in its own words without the sum."""
    blocks: list[whose.Block] = []

    def no_sum(*turn: object) -> set[int]:
        blocks.extend(whose.blocks(*turn))  # type: ignore[arg-type]
        return set()

    code = spoken_in(exchange.turn, "en")
    words = grammar(code if code in codes() else UNREAD)
    own_words.own_words.cache_clear()
    with mock.patch.object(own_words, "written_by_others", no_sum):
        speech = own_words.own_words(
            exchange.turn, words, "", own_words.Replies(frozenset(), exchange.answer)
        )
    return blocks, speech


def main(args: Sequence[str]) -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--own", action="append", default=[], type=Path, metavar="FOLDER")
    parser.add_argument("--said", action="append", default=[], metavar="FOLDER:NAME,NAME")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(args)
    exchanges = [*written(), *forms(), *(one for folder in options.folders for one in judged(folder))]
    exchanges += [one for folder in options.own for one in conversations(folder)]
    for folder, _, names in (said.rpartition(":") for said in options.said):
        exchanges += conversations(Path(folder), names.split(","))
    judged_blocks = list(candidates(iter(exchanges)))
    pool = [candidate for candidate, _ in judged_blocks]
    sum_of = partial(Sum, path=_DATA, penalty=_PENALTY)
    scores, cut = left_out(pool, sum_of), cut_of("whose")
    figures: Counter[tuple[str, bool, bool]] = Counter()
    for (candidate, text), score in zip(judged_blocks, scores, strict=True):
        figures[Path(candidate.person).name.split()[0], candidate.gold, score >= cut] += 1
        if options.misses and candidate.gold != (score >= cut):
            print(
                f"{score:.2f}",
                "theirs" if candidate.gold else "own   ",
                candidate.person,
                text[:160],
                sep="  ",
            )
    for source in dict.fromkeys(source for source, _, _ in figures):
        theirs = [figures[source, True, said] for said in (False, True)]
        own = [figures[source, False, said] for said in (False, True)]
        print(
            f"{source:12} of others {sum(theirs):4}, taken for own {theirs[0]:3}   own {sum(own):4}, taken for others' {own[1]:3}"
        )
    if options.write:
        _DATA.write_text(str(sum_of(pool)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
