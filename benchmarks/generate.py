"""A seeded synthetic vault: the same number and seed always give the same bytes, so that figures can be compared.

Notes of about 120 words from a Zipf vocabulary of 20,000 made-up words; people, projects, tags, dates, one wikilink and
one unique token a note. Also 200 questions over them, a few of which nothing answers.

    python benchmarks/generate.py 10000 DIR [--seed 7]
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

VOCABULARY, EXPONENT = 20_000, 1.05
FIRST_DAY, DAYS = date(2024, 1, 1), 700
KINDS = (("episodes", "episode", 0.6), ("facts", "fact", 0.3), ("skills", "skill", 0.1))
_ONSETS = (*"bcdfghjklmnprstvwz", "ch", "sh", "st", "tr", "pl", "br")
_VOWELS = (*"aeiou", "ai", "ou", "ea")
_CODAS = ("", *"nrst")
_COMMON = """the of to and in we a is for on it with that was as be by not are this from or at which one have an had they
you were her all she there would their will when who him been has more if no out do so can what up said about
meeting decided deadline release bug fix deploy server database index search customer budget review plan note"""


class Generated(NamedTuple):
    """One note: its vault path, its text, and the one token that no other note has."""

    path: str
    text: str
    token: str


class Synthetic:
    """The words, people, projects and tags of one synthetic vault.

    Args:
        seed: another seed is another vault.
    """

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self.words = self._vocabulary()
        self._weights = list(itertools.accumulate(1 / rank**EXPONENT for rank in range(1, VOCABULARY + 1)))
        self.people = [f"{self._made_up(2).title()} {self._made_up(3).title()}" for _ in range(400)]
        self.projects = [f"Project {self._made_up(2).title()}" for _ in range(120)]
        self.tags = [self._made_up(2) for _ in range(80)]
        self._titles: list[str] = []

    def notes(self, count: int) -> Iterator[Generated]:
        """The first `count` notes; ask once, the random numbers are used up."""
        for number in range(count):
            yield self._note(number)

    def questions(self, tokens: list[str]) -> list[str]:
        """200 questions in mixed order: unique tokens, one and two words, people, a project's word, and nothing at all."""
        pick = self._random.choice
        asked = tokens[:60]
        asked += [pick(self.words[300:5000]) for _ in range(40)]
        asked += [f"{pick(self.words[80:800])} {pick(self.words[300:4000])}" for _ in range(40)]
        asked += [pick(self.people) for _ in range(30)]
        asked += [
            f"{pick(self.projects)} {pick(['deadline', 'budget', 'release', 'review'])}" for _ in range(20)
        ]
        asked += [f"nohit{self._made_up(4)}" for _ in range(10)]
        self._random.shuffle(asked)
        return asked

    def _note(self, number: int) -> Generated:
        choice = self._random
        folder, kind = choice.choices([k[:2] for k in KINDS], [k[2] for k in KINDS])[0]
        day = FIRST_DAY + timedelta(days=choice.randrange(DAYS))
        project, people = (
            choice.choice(self.projects),
            choice.sample(self.people, choice.choice([1, 1, 2, 3])),
        )
        title = f"{' '.join(self.zipf(2)).capitalize()} {project.split()[1]} {number:05d}"
        self._titles.append(title)
        token = f"zq{number:06d}x"
        header = [
            f"title: {title}", f"type: {kind}", f"tags: [{', '.join(choice.sample(self.tags, choice.choice([1, 2, 3])))}]",
            f"date: {day}", f"project: {project}", "people:", *(f"  - {person}" for person in people),
        ]  # fmt: skip
        text = "\n".join(["---", *header, "---", "", *self._body(title, token, people[0], project), ""])
        return Generated(f"{folder}/{day:%Y-%m}/{kind}-{number:05d}.md", text, token)

    def _body(self, title: str, token: str, person: str, project: str) -> list[str]:
        said = self.sentences(max(60, int(self._random.gauss(120, 30))))
        said.insert(
            self._random.randrange(len(said) + 1), f"{person} talked about {project} and {self.zipf(1)[0]}."
        )
        half = len(said) // 2
        return [
            f"# {title}", "", " ".join(said[:half]), "", "## Details", "", f"- {said[half]}",
            f"- see [[{self._random.choice(self._titles)}]]", f"- ref {token}", "", " ".join(said[half + 1 :]),
        ]  # fmt: skip

    def sentences(self, count: int) -> list[str]:
        """Sentences of so many words in all."""
        words, sentences = self.zipf(count), []
        while words:
            length = self._random.randrange(6, 16)
            sentences.append(f"{' '.join(words[:length]).capitalize()}.")
            words = words[length:]
        return sentences

    def zipf(self, count: int) -> list[str]:
        """So many words, frequent ones oftener."""
        return self._random.choices(self.words, cum_weights=self._weights, k=count)

    def _vocabulary(self) -> list[str]:
        words = dict.fromkeys(_COMMON.split())
        while len(words) < VOCABULARY:
            words[self._made_up(self._random.choice([2, 2, 3, 3, 4]))] = None
        return list(words)

    def _made_up(self, syllables: int) -> str:
        pick = self._random.choice
        return "".join(pick(_ONSETS) + pick(_VOWELS) for _ in range(syllables)) + pick(_CODAS)


def write(folder: Path, count: int, seed: int = 7) -> list[str]:
    """Writes a vault of `count` notes and returns the questions to ask it."""
    synthetic = Synthetic(seed)
    tokens = []
    for note in synthetic.notes(count):
        path = folder / note.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note.text, encoding="utf-8")
        tokens.append(note.token)
    (folder / "memoryclaw.yaml").touch()
    return synthetic.questions(tokens)


def main() -> int:
    """Writes a vault, and its questions to standard output, one a line."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("notes", type=int)
    options.add_argument("folder", type=Path)
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    print("\n".join(write(given.folder, given.notes, given.seed)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
