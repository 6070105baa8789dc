"""Learns what makes a statement worth having in a month, and says how well: logistic regression over the features of `talk/worth.py`.

python benchmarks/worth.py FOLDER [FOLDER ...] [--judge FOLDER:NAME,NAME] [--weight FOLDER=0.5] [--kept] [--write]

A folder holds, for each person, NAME.jsonl (turns as `memoryclaw capture` takes them) and NAME.gold.jsonl (what is worth having). Each
person is judged by a sum that never saw them; those named with `--judge` are never learned from. `--write` keeps what all others teach in
`memoryclaw/data/worth.toml`, `--kept` prints what is kept at the cuts of that file. Needs numpy (`pip install 'memoryclaw[vectors]'`).
"""

from __future__ import annotations

import argparse
import html
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from memoryclaw.consolidation.reconcile import claims_of
from memoryclaw.model import FROM_NOW_ON, Turn
from memoryclaw.talk import worth
from memoryclaw.talk.learned import Worth, cut_of
from memoryclaw.talk.statements import Talk, read
from memoryclaw.text.host_marks import without_marks

KEPT = ("fact", "preference", "decision", "environment", "lesson")  # kinds of gold worth having
_STEPS = (-1.0, -0.04, -0.02, 0.0, 0.02, 0.04)  # by which each cut is shown higher or lower
_PENALTY = 200.0
_DATA = Path(worth.__file__).parents[1] / "data/worth.toml"


class Session(NamedTuple):
    """A session of a person, read, and what of it is worth having."""

    person: str
    name: str
    weight: float
    learned: bool  # may be learned from
    gold: list[dict[str, Any]]
    turns: list[Turn]
    talk: Talk
    look: worth.SessionLook


class Candidate(NamedTuple):
    """The features of a statement, and whether it holds gold."""

    person: str
    weight: float
    learned: bool
    features: dict[str, float]
    gold: bool  # holds what is worth having
    other: bool  # holds gold of another kind: an event, a to-do


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _flat(text: str) -> str:
    text = html.unescape(text).replace("’", "'").replace("“", '"').replace("”", '"')
    return re.sub(r"\s+", " ", re.sub(r"\[\[|\]\]|[*`]", "", text)).casefold()


def holds(text: str, values: Sequence[str]) -> bool:
    """True where one of the values stands in the text; short ones as whole words."""
    text = _flat(text)
    for value in map(_flat, map(str, values)):
        if value and (
            (len(value) > 4 and value in text) or re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text)
        ):
            return True
    return False


def sessions(folder: Path, weight: float = 1.0, judged: Collection[str] = ()) -> Iterator[Session]:
    """The sessions of everybody in a folder, as the reader of talk reads them."""
    for path in sorted(folder.glob("*.gold.jsonl")):
        person = path.name.removesuffix(".gold.jsonl")
        gold = [row for row in rows(path) if not row.get("from")]
        lines: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for turn in rows(folder / f"{person}.jsonl"):
            lines[turn["session"]].append(turn)
        for name, of_session in lines.items():
            turns = [
                Turn(
                    id="", session=name, turn=str(turn["turn"]), ts=turn.get("ts", ""), role=turn["role"], name=turn.get("name") or "",
                    text=without_marks(turn.get("content") or "").own or str(turn.get("result") or ""), line=number, end_line=number,
                )
                for number, turn in enumerate(of_session, 1)
            ]  # fmt: skip
            yield Session(
                f"{folder}/{person}", name, weight, person not in judged, [row for row in gold if row["session"] == name],
                turns, read(turns, {}), worth.SessionLook.of(turns, "en"),
            )  # fmt: skip


def candidates(every: Iterable[Session]) -> Iterator[Candidate]:
    """The statements of some sessions, in order."""
    for session in every:
        for exchange in worth.exchanges(session.talk, session.turns, session.look):
            said = exchange.said
            text = " ".join((said.words, *map(str, said.assertions)))
            kinds = {row["kind"] for row in session.gold if holds(text, row["values"])}
            gold = not kinds.isdisjoint(KEPT)
            yield Candidate(
                session.person, session.weight, session.learned, worth.features_of(exchange), gold,
                not gold and bool(kinds - {"trap"}),
            )  # fmt: skip


class Item(NamedTuple):
    """What is kept of a session, and the gold that it holds."""

    kind: str  # fact | statement | order
    text: str
    gold: frozenset[str]
    trap: bool
    worth: str


def worth_by(chances: Iterator[float], step: float = 0.0) -> Callable[[worth.Surroundings], Worth]:
    """Takes the worth of each statement from some chances; the cuts are higher by a step."""

    def worth_of(exchange: worth.Surroundings) -> Worth:
        chance = next(chances)
        return Worth(chance, (), chance >= cut_of("worth", worth.cut_name(exchange)) + step)

    return worth_of


def items(session: Session, worth_of: Callable[[worth.Surroundings], Worth] = worth.worth_of) -> list[Item]:
    """What is kept of a session."""
    talk = worth.weigh(session.talk, session.turns, session.look, worth_of)
    kept: dict[str, Item] = {}
    for claim in claims_of(talk):
        if claim.how == "end" or (claim.confidence == "low" and not claim.is_statement):
            continue  # it ends something, or waits
        text = f"{claim.entity} {claim.field}: {claim.value}"
        rows = [row for row in session.gold if holds(text, row["values"])]
        kind = "order" if claim.field == FROM_NOW_ON else "statement" if claim.is_statement else "fact"
        ids = frozenset(f"{session.person} {row['id']}" for row in rows if row["kind"] != "trap")
        kept[text] = Item(kind, text, ids, any(row["kind"] == "trap" for row in rows), claim.worth)
    return list(kept.values())


class Sum:
    """Logistic regression with a penalty on the square of its weights, by Newton's method."""

    def __init__(self, pool: Sequence[Candidate], path: Path = _DATA, penalty: float = _PENALTY) -> None:
        self.path, self.names = path, list(pool[0].features)
        pool = [candidate for candidate in pool if candidate.learned and not candidate.other]
        x = _matrix(pool)
        y = np.array([candidate.gold for candidate in pool], dtype=float)
        weight = np.array([candidate.weight for candidate in pool])
        self.mean, self.deviation = x.mean(0), x.std(0) + 1e-6
        z = np.hstack([np.ones((len(y), 1)), (x - self.mean) / self.deviation])
        penalties = np.array([1e-3] + [penalty] * len(self.names))
        self.weights = np.zeros(z.shape[1])
        for _ in range(20):
            p = 1 / (1 + np.exp(-np.clip(z @ self.weights, -30, 30)))
            hessian = (z * (weight * p * (1 - p))[:, None]).T @ z + np.diag(penalties)
            self.weights -= np.linalg.solve(hessian, z.T @ (weight * (p - y)) + penalties * self.weights)

    def scores(self, pool: Sequence[Candidate]) -> Any:
        """The scores of some statements."""
        z = (_matrix(pool) - self.mean) / self.deviation
        return 1 / (1 + np.exp(-np.clip(z @ self.weights[1:] + self.weights[0], -30, 30)))

    def __str__(self) -> str:
        terms = zip(self.names, self.mean, self.deviation, self.weights[1:], strict=True)
        shown = "\n".join(
            f"{name} {mean:.4f} {deviation:.4f} {weight:.4f}"
            for name, mean, deviation, weight in sorted(terms, key=lambda term: -abs(term[3]))
        )
        head = self.path.read_text(encoding="utf-8").partition("bias = ")[0]
        return f"{head}bias = '''\n{self.weights[0]:.4f}\n'''\n\nfeatures = '''\n{shown}\n'''\n"


def _matrix(pool: Sequence[Candidate]) -> Any:
    return np.array([list(candidate.features.values()) for candidate in pool], dtype=float)


def left_out(pool: Sequence[Candidate], sum_of: Callable[[Sequence[Candidate]], Sum] = Sum) -> list[float]:
    """The score of every statement by a sum that never saw its person."""
    scores = np.zeros(len(pool))
    for person in dict.fromkeys(candidate.person for candidate in pool):
        mine = [at for at, candidate in enumerate(pool) if candidate.person == person]
        fitted = sum_of([candidate for candidate in pool if candidate.person != person])
        scores[mine] = fitted.scores([pool[at] for at in mine])
    return [float(score) for score in scores]


def figures(kept: Sequence[Item], every: Iterable[Session]) -> str:
    """How many of the kept items hold gold, by kind, and how much of the gold is kept."""
    gold = {
        f"{session.person} {row['id']}": row["kind"]
        for session in every
        for row in session.gold
        if row["kind"] != "trap"
    }
    remembered = set[str]().union(*(item.gold for item in kept))
    shown = []
    for kind in ("statement", "fact", "order"):
        of_kind = [bool(item.gold) for item in kept if item.kind == kind]
        shown.append(f"{kind}s {sum(of_kind) / max(1, len(of_kind)):.3f} of {len(of_kind):<4}")
    lasting = [id_ for id_, kind in gold.items() if kind in KEPT]
    shown.append(f"gold kept {len(remembered & gold.keys()) / max(1, len(gold)):.3f}")
    shown.append(f"what lasts {len(remembered.intersection(lasting)) / max(1, len(lasting)):.3f}")
    return "  ".join((*shown, f"traps {sum(item.trap for item in kept)}"))


def main(args: Sequence[str]) -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--judge", action="append", default=[], metavar="FOLDER:NAME,NAME")
    parser.add_argument("--weight", action="append", default=[], metavar="FOLDER=NUMBER")
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(args)
    judged = {
        folder: names.split(",") for folder, _, names in (given.rpartition(":") for given in options.judge)
    }
    weights = {
        folder: float(number) for folder, _, number in (given.rpartition("=") for given in options.weight)
    }
    every = [
        session
        for folder in options.folders
        for session in sessions(folder, weights.get(str(folder), 1.0), judged.get(str(folder), ()))
    ]
    pool = list(candidates(every))
    scores = left_out(pool)
    for folder in options.folders:
        of_folder = [n for n, candidate in enumerate(pool) if Path(candidate.person).parent == folder]
        gold = np.array([pool[n].gold for n in sorted(of_folder, key=lambda n: -scores[n])])
        precision = (np.cumsum(gold) / (1 + np.arange(len(gold))))[gold]
        print(f"{folder}: {len(gold)} statements, average precision {precision.mean():.3f}")
        mine = [session for session in every if Path(session.person).parent == folder]
        for step in _STEPS:
            worth_of = worth_by(iter([scores[n] for n in of_folder]), step)
            kept = [item for session in mine for item in items(session, worth_of)]
            print(f"  cuts {step:+.2f}  {figures(kept, mine)}")
    if options.kept:
        worth_of = worth_by(iter(scores))
        for session in every:
            for item in items(session, worth_of):
                print(
                    "+" if item.gold else "-", Path(session.person).name, session.name, item.kind, item.text
                )
    fitted = Sum(pool)
    if options.write:
        _DATA.write_text(str(fitted), encoding="utf-8")
    print(fitted)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
