"""What a change costs: this tree beside another commit, each measured in turn with the other and with a reference.

    python benchmarks/diff.py [--base HEAD~1] [--data DIR ...] [--rows start,index,questions,consolidation] [--runs 5] [--json]

Of both trees only the command line and the public App are used, so the base may be older than this program.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from io import BytesIO
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any, NamedTuple, Self
from zipfile import ZipFile

import conversations
import generate
from clock import WITH_BYTECODE, child, child_command, cpu_of, percentile
from conversations import DataError, as_lines, logs_of, pooled, write_logs
from plainfts import PlainTable, stop_words
from recall import spread
from rows import tell
from talk import Talk

ROOT = Path(__file__).resolve().parents[1]
NOW = "2027-01-01T03:00:00Z"
GROUPS = ("start", "index", "questions", "consolidation")
WORSE = 1.1
TURNS, NIGHT, QUESTIONS = 6000, 1500, 160  # of the data, at most
SECONDS = 70.0  # after which a measurement is not repeated: there are six of them, and ten minutes
_OURS = ("MEMORYCLAW_", "XDG_", "GIT_", "PYTHON")  # variables of the developer's own shell

Figures = Mapping[str, float]
Line = dict[str, Any]


class Row(NamedTuple):
    """One figure of both trees, as a multiple of its reference where it has one."""

    name: str
    base: float
    here: float
    of: str  # the reference, or the unit

    @property
    def change(self) -> float:
        """This tree's figure as a multiple of the base's."""
        return self.here / self.base if self.base else 1.0


class Tree:
    """One state of the project, run from its own folder by this Python.

    Args:
        root: the folder that holds the package.
        home: an empty home for what is run.
    """

    def __init__(self, root: Path, home: Path) -> None:
        own = {name: value for name, value in WITH_BYTECODE.items() if not name.startswith(_OURS)}
        self.env = {**own, "PYTHONPATH": os.fspath(root), "HOME": os.fspath(home), "MEMORYCLAW_NOW": NOW, "TZ": "UTC"}  # fmt: skip

    def command(self, *words: str | Path) -> list[str]:
        """How its command is run."""
        return [sys.executable, "-P", "-m", "memoryclaw", *map(os.fspath, words)]

    def run(self, *words: str | Path, stdin: bytes = b"") -> None:
        """Runs its command; a failure ends the benchmark."""
        ran = subprocess.run(
            self.command(*words), input=stdin, env=self.env, capture_output=True, check=False
        )
        if ran.returncode:
            raise SystemExit(f"memoryclaw {' '.join(map(str, words))} failed:\n{ran.stderr.decode()[-2000:]}")

    def start(self, *words: str | Path) -> Figures:
        """The CPU seconds of its command."""
        return {"cpu": cpu_of(self.command(*words), self.env)}


class Answers:
    """A process of a tree that answers questions about a vault."""

    def __init__(self, tree: Tree, vault: Path) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            child_command("ask", vault), env=tree.env, stdin=pipe, stdout=pipe, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def __call__(self, question: str) -> Figures:
        """The CPU seconds of each verb."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        took: Figures = json.loads(self._process.stdout.readline())
        return took


class Data(NamedTuple):
    """What is indexed, asked and consolidated: the lines of logs by their paths below `logs/`."""

    name: str
    logs: Mapping[str, Sequence[Line]]
    night: Sequence[Line]
    questions: Sequence[str]


class Bench:
    """Both trees in one folder.

    Args:
        folder: an empty folder to work in.
        trees: the base and this one.
        data: real conversations, or generated ones.
        runs: rounds of each measurement.
        notes: of the generated vault.
    """

    def __init__(self, folder: Path, trees: Sequence[Tree], data: Data, runs: int, notes: int) -> None:
        self._folder, self._trees, self._data = folder, trees, data
        self._runs, self._notes = runs, notes

    def start(self) -> Iterator[Row]:
        """The command as a process."""
        vaults = self._synced("small", lambda vault: generate.write(vault, 50))
        python = [sys.executable, "-c", "import sqlite3"]
        for name, words in (("--help", ["--help"]), ("search", ["search", "meeting budget"])):
            tell(f"memoryclaw {name}")
            works = [
                partial(tree.start, "--vault", vault, *words)
                for tree, vault in zip(self._trees, vaults, strict=True)
            ]
            taken = self._in_turn(4 * self._runs, *works, lambda: {"cpu": cpu_of(python)})
            yield _row(f"memoryclaw {name}, CPU", "cpu", taken, "import sqlite3")

    def index(self) -> Iterator[Row]:
        """A first sync, and what it leaves on the disk."""
        corpora: tuple[tuple[str, str, str, Callable[[Path], object]], ...] = (
            (f"{self._notes:,} notes", "fts5", ".md", lambda vault: generate.write(vault, self._notes)),
            (self._data.name, "turns", ".jsonl", self._write_logs),
        )
        for name, reference, suffix, made in corpora:
            tell(f"first index of {name}")
            vault = self._folder / reference
            made(vault)
            size = _bytes_under(vault, suffix)
            cold = [partial(self._cold, tree, vault) for tree in self._trees]
            taken = self._in_turn(self._runs, *cold, partial(self._raw, reference, vault))
            yield _row(f"first index of {name}, CPU", "cpu", taken, "raw FTS5")
            yield _row(f"first index of {name}, memory", "peak", taken, "raw FTS5")
            yield _row(
                f"index of {name}, on disk", "bytes", [*taken[:2], {"bytes": size}], "the files themselves"
            )

    def questions(self) -> Iterator[Row]:
        """Questions in process, beside plain FTS5."""
        questions = self._data.questions
        vaults = self._synced("asked", self._write_logs)
        lines = (line for log in self._data.logs.values() for line in log)
        texts = ((str(at), str(line.get("content", ""))) for at, line in enumerate(lines))
        plain = PlainTable(texts, stop=stop_words(questions))
        tell(f"{len(questions)} questions about {self._data.name}")

        def reference(question: str) -> Figures:
            start = time.process_time()
            plain.search(question, 10)
            took = time.process_time() - start
            return {"search": took, "recall": took}

        best: list[list[dict[str, float]]] = []
        until = time.monotonic() + SECONDS
        with ExitStack() as stack:
            ask = [
                stack.enter_context(Answers(tree, vault))
                for tree, vault in zip(self._trees, vaults, strict=True)
            ]
            for question in questions:
                if best and time.monotonic() > until:
                    break
                works = [partial(work, question) for work in (*ask, reference)]
                best.append(self._in_turn(2, *works, middle=min))
        for verb in ("search", "recall"):
            for share in (0.5, 0.95):
                base, here, beside = (
                    percentile([took[side][verb] for took in best], share) for side in range(3)
                )
                yield Row(
                    f"{verb}, CPU, p{share * 100:.0f}", base / beside, here / beside, "plain FTS5 by OR"
                )

    def consolidation(self) -> Iterator[Row]:
        """A first night over the turns, and over the first half of them, without a model."""
        turns = self._data.night
        tell(f"consolidating {len(turns):,} turns")
        works = [
            partial(self._night, tree, vault)
            for name, lines in (("night", turns), ("half", turns[: len(turns) // 2]))
            for tree, vault in zip(
                self._trees, self._synced(name, partial(self._captured, lines)), strict=True
            )
        ]
        taken = self._in_turn(self._runs, *works)
        each = [{"cpu": took["cpu"] * 1000 / len(turns), "peak": took["peak"] / 1e6} for took in taken[:2]]
        yield _row("consolidation of 1,000 turns, CPU", "cpu", each, "seconds")
        yield _row("consolidation, memory", "peak", each, "MB")
        base, here = (all_["cpu"] / half["cpu"] for all_, half in zip(taken[:2], taken[2:], strict=True))
        yield Row("consolidation of twice as much, CPU", base, here, "the first half of the turns")

    # What is measured.

    def _in_turn(
        self,
        runs: int,
        *works: Callable[[], Figures],
        middle: Callable[[Iterable[float]], float] = statistics.median,
    ) -> list[dict[str, float]]:
        """The middle of each figure of each work, taken A B C, then C B A; at least one round, and none once the time is up."""
        rounds: list[list[Figures]] = []
        until = time.monotonic() + SECONDS
        for number in range(runs):
            if rounds and time.monotonic() > until:
                break
            order = works if number % 2 == 0 else works[::-1]
            taken = [work() for work in order]
            rounds.append(taken if number % 2 == 0 else taken[::-1])
        return [
            {name: middle([figures[name] for figures in side]) for name in side[0]}
            for side in zip(*rounds, strict=True)
        ]

    def _cold(self, tree: Tree, vault: Path) -> Figures:
        rmtree(vault / ".memoryclaw", ignore_errors=True)
        took = child("ours", vault, env=tree.env)
        return {**took, "bytes": _bytes_under(vault / ".memoryclaw")}

    def _raw(self, what: str, vault: Path) -> Figures:
        with tempfile.TemporaryDirectory(dir=self._folder) as place:
            return child(what, vault, Path(place) / "raw.sqlite")

    def _night(self, tree: Tree, vault: Path) -> Figures:
        with tempfile.TemporaryDirectory(dir=self._folder) as place:
            return child("consolidate", copytree(vault, Path(place) / "vault", symlinks=True), env=tree.env)

    # What is measured on.

    def _synced(self, name: str, made: Callable[[Path], object]) -> list[Path]:
        """The same vault for each tree, each with that tree's own index."""
        vaults = [self._folder / f"{name}-{side}" for side in ("base", "here")]
        made(vaults[0])
        copytree(vaults[0], vaults[1], symlinks=True)
        for tree, vault in zip(self._trees, vaults, strict=True):
            tree.run("--vault", vault, "sync")
        return vaults

    def _write_logs(self, vault: Path) -> None:
        write_logs(vault, self._data.logs)

    def _captured(self, turns: Sequence[Line], vault: Path) -> None:
        base = self._trees[0]
        base.run("init", vault)
        base.run("--vault", vault, "capture", stdin=as_lines(turns).encode())


def _row(name: str, key: str, taken: Sequence[Figures], of: str) -> Row:
    base, here, *reference = (took[key] for took in taken)
    beside = reference[0] if reference else 1.0
    return Row(name, base / beside, here / beside, of)


def _bytes_under(folder: Path, suffix: str = "") -> int:
    return sum(path.stat().st_size for path in folder.rglob(f"*{suffix}") if path.is_file())


# Where the data and the base come from.


def read(folders: Sequence[Path]) -> Data:
    """Some of each set and log below these folders; generated ones where no folder is chosen.

    Raises:
        DataError: the folders hold neither.
    """
    if not folders:
        days = [Talk().day(number, 1000) for number in range(3)]
        logs = {f"{name}.jsonl": turns for day in days for name, turns in day.items()}
        return Data(
            "generated turns",
            logs,
            [line for log in days[0].values() for line in log],
            generate.Synthetic().questions([]),
        )
    sets = sorted({path.parent for folder in folders for path in folder.rglob("turns.jsonl")})
    real = sorted(path for folder in folders for path in folder.rglob("*.questions.jsonl"))
    if not sets and not real:
        raise DataError(
            f"{' and '.join(map(str, folders))}: no turns.jsonl and no NAME.questions.jsonl in there"
        )
    logs, night, questions = dict[str, Sequence[Line]](), list[Line](), list[str]()
    each = max(QUESTIONS // (len(sets) + len(real)), 1)
    for folder in sets:
        turns, rows = pooled(*conversations.read(folder))
        some = logs_of(turns[: TURNS // len(sets)])
        logs |= {f"{folder.name}/{name}": lines for name, lines in some.items()}
        questions += [row["question"] for row in spread(rows, each)]
    for path in real:
        name = path.name.partition(".")[0]
        logs[f"{name}.jsonl"] = lines = _rows(path.with_name(f"{name}.jsonl"))
        questions += [row["question"] for row in spread(_rows(path), each)]
        night += lines
    night = night or [line for log in logs.values() for line in log]
    return Data("real turns", logs, night[:NIGHT], questions)


def _rows(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def checked_out(commit: str, folder: Path) -> str:
    """Puts the files of a commit into a folder; its short name.

    Raises:
        SystemExit: git knows no such commit.
    """
    git = ["git", "-C", os.fspath(ROOT)]
    named = subprocess.run(
        [*git, "rev-parse", "--short", "--verify", f"{commit}^{{commit}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if named.returncode:
        raise SystemExit(f"git knows no commit {commit!r} here")
    archive = subprocess.run(
        [*git, "archive", "--format=zip", named.stdout.strip()], capture_output=True, check=True
    )
    ZipFile(BytesIO(archive.stdout)).extractall(folder)
    return named.stdout.strip()


# What is printed.


def table(rows: Sequence[Row], base: str) -> str:
    """The figures, and below them what is worse by a tenth."""
    lines = [f"{'':44}{base:>10}{'here':>10}{'change':>9}  beside"]
    lines += [
        f"{row.name:44}{row.base:10.2f}{row.here:10.2f}{row.change - 1:+9.0%}  {row.of}" for row in rows
    ]
    worse = [f"{row.name} ({row.change - 1:+.0%})" for row in rows if row.change >= WORSE]
    return "\n".join([*lines, "", f"Worse by a tenth: {'; '.join(worse) or 'nothing'}."])


def main() -> int:
    """Measures, and prints the table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--base", default="HEAD~1", metavar="COMMIT", help="what this tree is compared with (default HEAD~1)"
    )
    options.add_argument(
        "--data",
        nargs="+",
        action="extend",
        default=[],
        type=Path,
        metavar="DIR",
        help="sets and logs; generated ones if left out",
    )
    options.add_argument(
        "--runs", type=int, default=5, help="rounds of each measurement, if there is time (default 5)"
    )
    options.add_argument("--notes", type=int, default=2000, help="of the generated vault (default 2000)")
    options.add_argument("--rows", default=",".join(GROUPS), help=f"some of {', '.join(GROUPS)}")
    options.add_argument("--json", action="store_true", help="print JSON")
    chosen = options.parse_args()
    groups = chosen.rows.split(",")
    if unknown := sorted(set(groups) - set(GROUPS)):
        options.error(f"there is no row {unknown[0]!r}; choose from {', '.join(GROUPS)}")
    data, rows = read(chosen.data), list[Row]()
    with tempfile.TemporaryDirectory(prefix="memoryclaw-diff-") as place:
        folder = Path(place)
        base = checked_out(chosen.base, folder / "base")
        (folder / "home").mkdir()
        trees = (Tree(folder / "base", folder / "home"), Tree(ROOT, folder / "home"))
        bench = Bench(folder, trees, data, chosen.runs, chosen.notes)
        for group in groups:
            try:
                rows += getattr(bench, group)()
            except (
                SystemExit
            ) as error:  # an old base may lack a verb; the other rows are figures all the same
                print(f"no {group}: {error}", file=sys.stderr)
    print(
        json.dumps([{**row._asdict(), "change": row.change} for row in rows], indent=1)
        if chosen.json
        else table(rows, base)
    )
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
