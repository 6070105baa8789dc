"""What each step of recall is worth: the steps are switched on one after the other, and each is held against all before it.

A step is switched off here, by putting something in its place for as long as its vaults are asked; the program itself has no
such switches. A step that is added to recall is one more row in STEPS. Printed are Markdown rows: recall and nDCG of the
turns, of what the step gained its paired bootstrap interval (95 %), and
CPU milliseconds a question.

    python benchmarks/ablation.py --data DIR [--data DIR] [--pooled] [--traps dev,test] [--vectors] [--cache DIR]

With --pooled, the conversations of a folder are asked in one vault, too; with --vectors, those that ship are the last step.
With --cache the rankings of each step are kept there, for as long as neither the program nor the data changes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from conversations import Row, file_name, opened, pooled, read, scored, vault_of
from plainfts import DEPTH
from progress import Progress
from tally import milliseconds
from withvectors import MODEL, STRATEGY, filled, missing, settings

import memoryclaw
from memoryclaw.app import App
from memoryclaw.index.index import Writing
from memoryclaw.recall.evaluation import Interval, mean, ndcg, paired_bootstrap, recall_at
from memoryclaw.text.dates import TimeExpression, time_expression


class Step(NamedTuple):
    """A step of recall, and what stands in place of its parts (`module:name`) while it is off."""

    name: str
    off: Mapping[str, object]
    indexed: bool = False  # what the index holds depends on it
    settings: str = ""  # of the vaults, from this step on; they want vectors


def _nobody(*_args: object) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Knows no names."""
    return {}, {}, {}


def _none(*_args: object) -> list[object]:
    """Knows nothing."""
    return []


def _alone(writing: Writing, texts: Sequence[Any], *, neighbours: bool, sign: int) -> object:  # noqa: ARG001
    """The columns of turns as if none stood beside another."""
    return _analysed(writing, texts, neighbours=False, sign=sign)


def _undated(text: str, at: str = "") -> TimeExpression:  # noqa: ARG001
    """An expression of time that means no day."""
    return time_expression(text)


_analysed = Writing._analysed  # noqa: SLF001 (what is switched off is inside)
_RANK = "memoryclaw.recall.rank:"
STEPS = (
    Step("words as written, any of them", {}),
    Step(
        "stems, irregular forms",
        {
            "memoryclaw.index.stemming:has_stemmer": lambda _code: False,
            "memoryclaw.text.language:IRREGULAR": {},
        },
        indexed=True,
    ),
    Step("stop words", {"memoryclaw.text.language:Language.is_stop": lambda _self, _word: False}),
    Step("neighbours as columns", {"memoryclaw.index.index:Writing._analysed": _alone}, indexed=True),
    Step("names: `entity`, `field`, `other_entity`", {"memoryclaw.recall.question:_named": _nobody}),
    Step("synonyms: `alias`, other names", {"memoryclaw.index.catalog:Catalog.synonyms": _none}),
    Step("`speaker`", {_RANK + "SPEAKER": 0.0}),
    Step("`date`", {_RANK + "DATE": 0.0}),
    Step("`date` for what is said soon after", {_RANK + "TOLD_WITHIN": 0}),
    Step("`around`", {_RANK + name: 0.0 for name in ("BEFORE", "LONG_BEFORE", "AFTER")}),
    Step("`when`", {_RANK + "WHEN": 0.0}),
    Step("`asks`", {_RANK + "ASKS": 0.0}),
    Step("`recency`", {_RANK + "RECENCY": 0.0}),
    Step("`related`", {"memoryclaw.recall.question:_related": _none}),
    Step("`absent`", {_RANK + "ABSENT": 0.0}),
    Step("`CALLED`", {_RANK + "CALLED": 1.0}),
    Step("`names`", {_RANK + "NAMES": 0.0}),
    Step(
        "`date` for the days that words mean",
        {"memoryclaw.index.index:time_expression": _undated},
        indexed=True,
    ),
)
VECTORS = Step(f"vectors, {MODEL}, `{STRATEGY}`", {}, settings=settings(MODEL))


class Part(NamedTuple):
    """One vault: what is in it, who writes that into a folder, what is asked, and of which kind the answers are."""

    name: str
    content: Any
    build: Callable[[Path, Any], App]
    questions: Sequence[Row]
    kind: str = ""


class Ranked(NamedTuple):
    """What one state of recall found for each question, and the milliseconds it took."""

    ids: list[list[str]]
    ms: list[float]


def main() -> int:
    """Prints a table for each set."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--data", action="append", default=[], type=Path, help="as for locomo.py; may be repeated"
    )
    options.add_argument(
        "--pooled", action="store_true", help="ask each folder's conversations in one vault, too"
    )
    options.add_argument("--traps", default="", help="halves of the synthetic set: dev, test, or both")
    options.add_argument("--vectors", action="store_true", help="the vectors that ship as the last step")
    options.add_argument("--cache", type=Path, help="folder that keeps rankings")
    given = options.parse_args()
    if given.vectors and (sentence := missing(MODEL)):
        options.error(sentence)
    steps = (*STEPS, VECTORS) if given.vectors else STEPS
    sets = [(data.name, conversations(data)) for data in given.data]
    sets += [(f"{data.name}, one vault", together(data)) for data in given.data if given.pooled]
    sets += [(f"traps, {half}", traps(half)) for half in given.traps.split(",") if half]
    if not sets:
        options.error("give --data or --traps")
    for name, parts in sets:
        print(f"{name}: {sum(len(part.questions) for part in parts)} questions\n")
        print("\n".join(table(ladder(parts, steps, given.cache), parts, steps)) + "\n", flush=True)
    return 0


def conversations(data: Path) -> list[Part]:
    """A vault for each conversation, and the questions whose evidence are turns."""
    turns, questions = read(data)
    return [
        Part(file_name(name), rows, vault_of, scored(questions[name]), "turn") for name, rows in turns.items()
    ]


def together(data: Path) -> list[Part]:
    """All conversations in one vault."""
    rows, asked = pooled(*read(data))
    return [Part("pooled", rows, vault_of, scored(asked), "turn")]


def traps(name: str) -> list[Part]:
    """The synthetic set: its conversations, and its vaults of notes."""
    made = import_module("trapset.data").half(name)
    turns: dict[str, list[Row]] = {}
    for turn in made.turns:
        turns.setdefault(turn["conv"], []).append(turn)
    talks = [
        Part(conv, rows, vault_of, scored([one for one in made.questions if one["conv"] == conv]), "turn")
        for conv, rows in turns.items()
    ]
    return talks + [Part(vault.id, vault.files, _notes, scored(vault.questions)) for vault in made.vaults]


def _notes(root: Path, files: Mapping[str, str]) -> App:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return opened(root)


def ladder(parts: Sequence[Part], steps: Sequence[Step], cache: Path | None = None) -> list[Ranked]:
    """What recall finds with the first step, the first two, and so on."""
    known = _digest(parts) if cache else ""
    found = []
    with tempfile.TemporaryDirectory(prefix="memoryclaw-ablation-") as folder:
        for last, step in enumerate(steps):
            off = steps[last + 1 :]
            kept = cache / f"{hashlib.sha256(repr((known, [step.name for step in off])).encode()).hexdigest()}.json" if cache else None  # fmt: skip
            if kept and kept.is_file():
                found.append(Ranked(*json.loads(kept.read_text(encoding="utf-8"))))
                continue
            with switched(off):
                found.append(_ranked(Path(folder), parts, off, step))
            if kept:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_text(json.dumps(found[-1]), encoding="utf-8")
    return found


@contextmanager
def switched(off: Sequence[Step]) -> Iterator[None]:
    """These steps are off in the block."""
    with ExitStack() as back:
        for step in off:
            for place, other in step.off.items():
                holder, name = _found(step, place)
                back.callback(setattr, holder, name, getattr(holder, name))
                setattr(holder, name, other)
        yield


def _found(step: Step, place: str) -> tuple[object, str]:
    module, _, path = place.partition(":")
    holder: object = import_module(module)
    *outer, name = path.split(".")
    for one in outer:
        holder = getattr(holder, one)
    if not hasattr(holder, name):
        raise SystemExit(
            f"the step {step.name} has no {place} to switch off; its row in {Path(__file__).name} is old"
        )
    return holder, name


def _ranked(folder: Path, parts: Sequence[Part], off: Sequence[Step], step: Step) -> Ranked:
    """Asks every question; vaults are built once for all steps that leave the index as it is."""
    built = folder / str(sum(step.indexed for step in off))
    found, progress = Ranked([], []), Progress()
    for number, part in enumerate(parts, 1):
        root = built / part.name
        app = opened(root) if root.exists() else part.build(root, part.content)
        if step.settings:
            app.close()
            (root / "memoryclaw.yaml").write_text(step.settings, encoding="utf-8")
            app = filled(opened(root), part.name)
        for question in part.questions:
            started = time.process_time()
            found.ids.append(
                [
                    _short(m.unit.id, part.kind)
                    for m in app.search(question["question"], kind=part.kind, limit=DEPTH).matches
                ]
            )
            found.ms.append((time.process_time() - started) * 1e3)
        app.close()
        progress.told(step.name, number, len(parts))
    return found


def _short(unit: str, kind: str) -> str:
    """The data's id of a turn; any other id as it is."""
    last = unit.rpartition("/")[2]
    return last if kind == "turn" or (unit.startswith("log:s") and last.startswith("D")) else unit


def _digest(parts: Sequence[Part]) -> str:
    """What rankings depend on: the program, this file's steps, and the questions with their vaults."""
    digest = hashlib.sha256()
    source = Path(memoryclaw.__file__).parent
    for path in sorted([*source.rglob("*.py"), *Path(__file__).parent.rglob("*.py")]):
        digest.update(path.read_bytes())
    for part in parts:
        digest.update(repr((part.name, part.content, part.questions)).encode())
    return digest.hexdigest()


def table(rankings: Sequence[Ranked], parts: Sequence[Part], steps: Sequence[Step]) -> Iterator[str]:
    """Markdown rows, a step each."""
    questions = [question for part in parts for question in part.questions]
    rows = [_values(ranking, questions) for ranking in rankings]
    yield "| step | R@5 | R@10 | nDCG@10 | gain in R@10 | in nDCG@10 | CPU ms p50 | p95 |"
    yield "|---|---|---|---|---|---|---|---|"
    gains = [("", ""), *(_gained(before, after) for before, after in pairwise(rows))]
    for step, values, gain, ranking in zip(steps, rows, gains, rankings, strict=True):
        figures = " | ".join(f"{mean(column):.3f}" for column in values)
        taken = milliseconds(ranking.ms)
        yield f"| {step.name} | {figures} | {' | '.join(gain)} | {taken['p50']:.1f} | {taken['p95']:.1f} |"
    if len(rows) > 1:
        yield f"| all of them | | | | {' | '.join(_gained(rows[0], rows[-1]))} | | |"


def _values(ranking: Ranked, questions: Sequence[Row]) -> list[list[float]]:
    """Recall@5, recall@10 and nDCG@10 of each question."""
    asked = [(ids, question["evidence"]) for ids, question in zip(ranking.ids, questions, strict=True)]
    at = [[recall_at(ids, wanted, k) for ids, wanted in asked] for k in (5, 10)]
    return [*at, [ndcg(ids, wanted) for ids, wanted in asked]]


def _gained(before: Sequence[Sequence[float]], after: Sequence[Sequence[float]]) -> tuple[str, ...]:
    return tuple(_shown(paired_bootstrap(before[place], after[place])) for place in (1, 2))


def _shown(gain: Interval) -> str:
    return f"{gain.gain:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]"


if __name__ == "__main__":
    sys.exit(main())
