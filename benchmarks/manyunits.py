"""A seeded synthetic vault of very many units: turns in logs, sections of notes and some facts; and questions over them.

Seven units of ten are turns, in logs of 100; the others are sections of notes of ten. Each has 35 to 85 words, drawn from 60,000
made-up ones as Zipf has it, so a few words stand in most units and most words in few. The same number gives the same bytes.

    python benchmarks/manyunits.py 100000 DIR > questions.txt
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import sys
from calendar import month_name
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

VOCABULARY, EXPONENT = 60_000, 1.05
FIRST, DAYS = datetime(2024, 1, 1, 8, tzinfo=UTC), 700
TURNS, SECTIONS, CYCLE = (
    100,
    10,
    1000,
)  # units of a log, of a note, and of a round of seven logs and thirty notes
QUESTIONS = 200
_TELLING = 40  # the words before this place are as good as stop words
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvz", "aeiou"
_MONTHS = month_name[1:]


class Said(NamedTuple):
    """One unit, as a question may remember it."""

    words: list[str]
    person: str
    at: datetime


class Many:
    """The words and people of one vault.

    Args:
        seed: another seed is another vault.
    """

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._words = [_made_up(number) for number in range(VOCABULARY)]
        self._weights = list(itertools.accumulate(1 / rank**EXPONENT for rank in range(1, VOCABULARY + 1)))
        self._people = [
            f"{_made_up(70_000 + 37 * n).title()} {_made_up(900_000 + 91 * n).title()}" for n in range(400)
        ]
        self._kept: list[Said] = []  # what questions remember
        self._seen = 0

    def write(self, folder: Path, units: int) -> None:
        """Writes a vault of about so many units."""
        (folder / "semantic").mkdir(parents=True)
        (folder / "memoryclaw.yaml").touch()
        (folder / "semantic" / "people.md").write_text(self._facts(), encoding="utf-8")
        for number in range(0, units, CYCLE):
            for place, size in ((number, 700), (number + 700, 300)):
                (self._log if size > SECTIONS * 30 else self._note_files)(
                    folder, place, min(size, units - place)
                )

    def questions(self) -> list[str]:
        """Questions of 3 to 8 telling words, half of them of one unit; some with the speaker's name, some with a month."""
        return [self._question() for _ in range(QUESTIONS)]

    def _log(self, folder: Path, first: int, size: int) -> None:
        for start in range(0, max(size, 0), TURNS):
            session, people = f"s{first + start:07d}", self._random.sample(self._people, 2)
            at = FIRST + timedelta(days=self._random.randrange(DAYS), seconds=self._random.randrange(36_000))
            lines = []
            for turn in range(min(TURNS, size - start)):
                at += timedelta(seconds=20)
                said = self._said(people[turn % 2], at)
                line = {
                    "ts": f"{at:%Y-%m-%dT%H:%M:%SZ}", "session": session, "turn": turn + 1, "role": "user",
                    "name": said.person, "content": _sentences(said.words),
                }  # fmt: skip
                lines.append(json.dumps(line) + "\n")
            path = folder / "logs" / f"{at:%Y-%m-%d}" / f"{session}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(lines), encoding="utf-8")

    def _note_files(self, folder: Path, first: int, size: int) -> None:
        for start in range(0, max(size, 0), SECTIONS):
            at = FIRST + timedelta(days=self._random.randrange(DAYS))
            person = self._random.choice(self._people)
            lines = ["---", f"date: {at:%Y-%m-%d}", "people:", f"  - {person}", "---", ""]
            for _ in range(min(SECTIONS, size - start)):
                said = self._said(person, at)
                lines += [f"## {' '.join(self._zipf(2)).capitalize()}", "", _sentences(said.words), ""]
            path = folder / "notes" / f"{at:%Y-%m}" / f"n{first + start:07d}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines), encoding="utf-8")

    def _said(self, person: str, at: datetime) -> Said:
        said = Said(self._zipf(self._random.randrange(35, 86)), person, at)
        # Every unit is as likely to be remembered as any other, however many there are.
        self._seen += 1
        place = len(self._kept) if len(self._kept) < QUESTIONS else self._random.randrange(self._seen)
        if place < QUESTIONS:
            self._kept[place : place + 1] = [said]
        return said

    def _question(self) -> str:
        pick, said = self._random, self._random.choice(self._kept)
        wanted = pick.randrange(3, 9)
        telling = [word for word in dict.fromkeys(said.words) if word not in self._words[:_TELLING]]
        words = pick.sample(telling, min(math.ceil(wanted / 2), len(telling)))
        while len(words) < wanted:
            words.append(self._words[int(math.exp(pick.uniform(math.log(_TELLING), math.log(30_000))))])
        text, dice = " ".join(words), pick.random()
        if dice < 0.3:
            return f"What did {said.person} say about {text}?"
        if dice < 0.5:
            return f"What was that about {text} in {_MONTHS[said.at.month - 1]} {said.at.year}?"
        return f"When did we speak of {text}?" if dice < 0.7 else f"{text.capitalize()}?"

    def _facts(self) -> str:
        lines = (f"- {person}: {_made_up(n + 5000)}@example.com\n" for n, person in enumerate(self._people))
        return f"# People\n{''.join(lines)}"

    def _zipf(self, count: int) -> list[str]:
        return self._random.choices(self._words, cum_weights=self._weights, k=count)


def _made_up(number: int) -> str:
    """A word of its own for each number."""
    number, word = number + 40, ""
    while number:
        word += _CONSONANTS[number % 17] + _VOWELS[(number // 17) % 5]
        number //= 85
    return word


def _sentences(words: Sequence[str]) -> str:
    return " ".join(_cut(words))


def _cut(words: Sequence[str]) -> Iterator[str]:
    for start in range(0, len(words), 12):
        yield f"{' '.join(words[start : start + 12]).capitalize()}."


def main() -> int:
    """Writes a vault, and its questions to standard output, one a line."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("units", type=int)
    options.add_argument("folder", type=Path)
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    many = Many(given.seed)
    many.write(given.folder, given.units)
    print("\n".join(many.questions()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
