"""Other memory tools on LoCoMo-shaped conversations, each in the way it searches without a model, beside ours in the same run.

Every tool gets the same text as files of Markdown and the same questions: a file a turn where turns are counted, a file a
session where sessions are. Ours gets the conversations as logs once, and ranks sessions by their best turn. A tool that is
not installed is left out with the line that installs it.

    python benchmarks/peers.py --data DIR [--installed DIR] [--node PROGRAM] [--pooled] [--units UNIT ...]
                                [--questions N] [--json]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from conversations import Row, Rows, file_name, pooled, read, said_in, sessions, vault_of
from peerset.ways import PEERS, Ask, Child, Document, Peer, tables, timed, turn_files
from progress import Progress
from recall import add, means, milliseconds, searched
from rows import tell

SEED = 5
UNITS = ("turn", "session")


class Bench:
    """One run over all tools.

    Args:
        root: a folder for files.
        given: the command line.
    """

    def __init__(self, root: Path, given: argparse.Namespace) -> None:
        self._root = root
        self._given = given
        self._units = given.units
        self.measured: dict[str, dict[str, Any]] = {}
        turns, questions = read(given.data)
        if given.pooled:
            rows, asked = pooled(turns, questions)
            turns, questions = {"all": rows}, {"all": asked}
        self._turns, self.questions = turns, chosen(questions, given.questions)
        self._peers = list(installed(given.installed))

    def run(self) -> dict[str, dict[str, Any]]:
        """The figures of each way to search."""
        for conversation, rows in self._turns.items():
            asked = self.questions[conversation]
            self._ours(conversation, rows, asked)
            for unit in self._units:
                documents = turn_files(rows) if unit == "turn" else session_files(rows)
                for name, ask in tables(documents).items():
                    self._take(name, unit, ask, asked)
                for peer, install in self._peers:
                    self._other(peer, install, documents, f"{file_name(conversation)}-{unit}", asked)
        return {name: figures(values) for name, values in self.measured.items()}

    def _ours(self, conversation: str, rows: Sequence[Row], asked: Sequence[Row]) -> None:
        app = vault_of(self._root / file_name(conversation), rows)
        session_of = sessions(rows)
        for question in asked:
            ranked, ms = timed(lambda text: searched(app, text))(question["question"])
            best = list(dict.fromkeys(str(session_of[turn]) for turn in ranked))
            for unit, places in (("turn", ranked), ("session", best)):
                if unit in self._units:
                    self._count("MemoryClaw", unit, question, places, ms)
        app.close()

    def _other(
        self, peer: Peer, install: Path, documents: Sequence[Document], stage: str, asked: Sequence[Row]
    ) -> None:
        tell(f"{peer.folder}, {stage}: indexing {len(documents)} files")
        unit = stage.rpartition("-")[2]
        child = Child(peer, install, documents, self._root / peer.folder / stage, self._given.node)
        for name, way in peer.ways.items():
            self._take(name.format(child.version), unit, child.asked(way), asked)
        child.close()

    def _take(self, name: str, unit: str, ask: Ask, asked: Sequence[Row]) -> None:
        progress = Progress()
        for number, question in enumerate(asked, 1):
            self._count(name, unit, question, *ask(question["question"]))
            progress.report(f"{name}, {unit}", number, len(asked))

    def _count(self, name: str, unit: str, question: Row, ranked: Sequence[object], ms: float) -> None:
        values = self.measured.setdefault(
            name, {"turn": {}, "session": {}, "ms": {"turn": [], "session": []}}
        )
        values["ms"][unit].append(ms)
        if unit == "session":
            add(values["session"], ranked, [str(session) for session in question["sessions"]], (5, 10))
        elif question["category"] != "adversarial":
            add(values["turn"], ranked, question["evidence"], (5, 10))


def main() -> int:
    """Runs every tool that is there and prints one table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--data", required=True, type=Path, help="as for recall.py")
    options.add_argument(
        "--installed", type=Path, default=Path("peers"), help="where the tools are, a folder each"
    )
    options.add_argument(
        "--node", default="node", help="the program that runs JavaScript, of version 22 or later"
    )
    options.add_argument(
        "--pooled", action="store_true", help="all conversations in one vault, or one folder"
    )
    options.add_argument("--questions", type=int, default=0, help="ask only so many, chosen by a fixed seed")
    options.add_argument("--units", nargs="+", choices=UNITS, default=UNITS, help="what is a file")
    options.add_argument("--json", action="store_true", help="print JSON")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="memoryclaw-peers-") as folder:
        bench = Bench(Path(folder), given)
        figures = bench.run()
    asked = sum(map(len, bench.questions.values()))
    print(
        json.dumps({"questions": asked, "found": figures}, indent=1) if given.json else table(figures, asked)
    )
    return 0


def installed(folder: Path) -> Iterator[tuple[Peer, Path]]:
    """The tools that are there; of the others, the line that installs them is told."""
    for peer in PEERS:
        place = (folder / peer.folder).absolute()
        if place.is_dir():
            yield peer, place
        else:
            print(f"{peer.folder} is left out; to have it: {peer.install.format(place)}", file=sys.stderr)


def chosen(questions: Rows, count: int) -> Rows:
    """The questions with evidence, or as many of them as are wanted."""
    known = [question for asked in questions.values() for question in asked if question["evidence"]]
    kept = known
    if 0 < count < len(known):
        kept = [known[place] for place in sorted(random.Random(SEED).sample(range(len(known)), count))]
    wanted = set(map(id, kept))
    return {
        name: [question for question in asked if id(question) in wanted] for name, asked in questions.items()
    }


def session_files(turns: Sequence[Row]) -> list[Document]:
    """A file for each session: who said what, line by line."""
    by_session = {key: list(rows) for key, rows in groupby(turns, key=lambda turn: str(turn["session"]))}
    return [
        Document(
            key,
            f"{' and '.join(dict.fromkeys(t['speaker'] for t in rows))}, {rows[0]['datetime'][:10]}",
            "\n".join(f"{t['speaker']}: {said_in(t)}" for t in rows),
        )
        for key, rows in by_session.items()
    ]


def figures(values: dict[str, Any]) -> dict[str, Any]:
    """Means, and milliseconds of either unit."""
    taken = {unit: milliseconds(times) if times else {} for unit, times in values["ms"].items()}
    return {**{unit: means(values[unit]) for unit in UNITS}, "ms": taken}


def table(figures: dict[str, dict[str, Any]], asked: int) -> str:
    """One line a tool, as Markdown."""
    names = [f"{unit} R@{k}" for unit in UNITS for k in (5, 10)]
    names += [f"{unit} ms {share}" for unit in UNITS for share in ("p50", "p95")]
    lines = [f"{asked} questions", "", f"| | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for name, row in figures.items():
        recalls = [row[unit].get(f"recall@{k}") for unit in UNITS for k in (5, 10)]
        taken = [row["ms"][unit].get(share) for unit in UNITS for share in ("p50", "p95")]
        cells = [*(_cell(value, 3) for value in recalls), *(_cell(ms, 1) for ms in taken)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


if __name__ == "__main__":
    sys.exit(main())
