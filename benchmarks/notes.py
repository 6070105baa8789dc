"""How well notes as people write them are found, beside plain FTS5 over their sections: four small vaults in tests/vaults.

Each vault is one file of notes, each below a line `=== path`. `questions.txt` has a question a line, with the note that answers it and words that stand on the
line that does. A match counts where that line lies in it; of FTS5, where it lies in the section.

    python benchmarks/notes.py [--data tests/vaults] [--missed]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from plainfts import PlainTable

from memoryclaw.app import open_vault

DEPTHS = (5, 10)
DATA = Path(__file__).parent.parent / "tests" / "vaults"
FILES = {"help": "obsidian-help", "hugo": "hugo", "kepano": "kepano", "logseq": "logseq"}


class Asked(NamedTuple):
    """A question to one vault, and the line that answers it."""

    vault: str
    question: str
    path: str
    line: int  # from 1


class Place(NamedTuple):
    """Lines of a file, both ends included."""

    path: str
    first: int
    last: int

    def holds(self, asked: Asked) -> bool:
        """True where the line that answers is one of them."""
        return self.path == asked.path and self.first <= asked.line <= self.last


def notes_of(file: Path) -> dict[str, str]:
    """The files of a vault by their paths."""
    pieces = file.read_text(encoding="utf-8").split("=== ")[1:]
    return {path: text for path, _, text in (piece.partition("\n") for piece in pieces)}


def questions(folder: Path, vaults: dict[str, dict[str, str]]) -> Iterator[Asked]:
    """The questions with the places of their answers; each place is there."""
    for row in (folder / "questions.txt").read_text(encoding="utf-8").splitlines():
        vault, question, path, words = (part.strip() for part in row.split(" | "))
        lines = vaults[vault][path].split("\n")
        yield Asked(vault, question, path, 1 + next(n for n, line in enumerate(lines) if words in line))


def sections(path: str, text: str) -> Iterator[tuple[Place, str]]:
    """The text of a note from heading to heading, its head with the first."""
    lines = text.split("\n")
    starts = [0, *(n for n, line in enumerate(lines) if n and line.startswith("#"))]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield Place(path, start + 1, end), "\n".join((path, *lines[start:end]))


def found_plainly(vault: dict[str, str], asked: Sequence[Asked]) -> list[list[Place]]:
    """What FTS5 finds for each question."""
    rows = [row for path, text in vault.items() if path.endswith(".md") for row in sections(path, text)]
    table = PlainTable((str(n), text) for n, (_, text) in enumerate(rows))
    return [
        [rows[int(name)][0] for name in table.search(question.question, DEPTHS[-1])] for question in asked
    ]


def found_here(vault: dict[str, str], asked: Sequence[Asked]) -> list[list[Place]]:
    """What MemoryClaw finds for each question."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in vault.items():
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_text(text, encoding="utf-8")
        with open_vault(folder) as app:
            return [
                [
                    Place(hit.path, hit.unit.line, hit.unit.end_line)
                    for hit in app.search(question.question, limit=DEPTHS[-1]).matches
                ]
                for question in asked
            ]


def measure(folder: Path = DATA) -> Iterator[tuple[Asked, int, int]]:
    """Each question with the rank of what answers it, ours and that of FTS5; 0 where nothing does."""
    vaults = {name: notes_of(folder / f"{file}.txt") for name, file in FILES.items()}
    asked = list(questions(folder, vaults))
    whole = {
        path: text for vault in vaults.values() for path, text in vault.items()
    }  # in one vault: each has its likes beside it
    for question, *ranked in zip(asked, found_here(whole, asked), found_plainly(whole, asked), strict=True):
        ours, plain = (
            next((n for n, place in enumerate(places, 1) if place.holds(question)), 0) for places in ranked
        )
        yield question, ours, plain


def recall(ranks: Sequence[int], depth: int) -> float:
    """The share of the questions that are answered within so many places."""
    return sum(0 < rank <= depth for rank in ranks) / len(ranks)


def main() -> None:
    """Prints the figures of each vault and of all."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--data", type=Path, default=DATA)
    options.add_argument(
        "--missed", action="store_true", help="also the questions that are not answered first"
    )
    given = options.parse_args()
    rows = list(measure(given.data))
    print(
        "| vault | questions | R@1 | R@5 | R@10 | FTS5 R@1 | R@5 | R@10 |\n|---|---|---|---|---|---|---|---|"
    )
    for name in (*FILES, "all"):
        of = [row for row in rows if name in (row[0].vault, "all")]
        figures = [f"{recall([row[n] for row in of], depth):.3f}" for n in (1, 2) for depth in (1, *DEPTHS)]
        print(f"| {name} | {len(of)} | {' | '.join(figures)} |")
    for asked, ours, plain in rows if given.missed else ():
        if ours != 1:
            print(f"{ours:2} {plain:2} {asked.vault}: {asked.question}")


if __name__ == "__main__":
    main()
