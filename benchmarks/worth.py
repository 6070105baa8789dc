"""Learns what makes a statement worth having in a month, and says how well: logistic regression over the features of `talk/worth.py`.

python benchmarks/worth.py FOLDER [FOLDER ...] [--judge FOLDER:NAME,NAME] [--weight FOLDER=0.25] [--features 25] [--write]

A folder holds, for each person, NAME.jsonl (turns as `memoryclaw capture` takes them) and NAME.gold.jsonl (what is worth having). Each
person is judged by a sum that never saw them; those named with `--judge` are never learned from. `--write` keeps what all others teach in
`memoryclaw/data/worth.toml`. Needs numpy (`pip install 'memoryclaw[vectors]'`).
"""

from __future__ import annotations

import argparse
import html
import json
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from memoryclaw.model import Turn
from memoryclaw.talk import worth
from memoryclaw.talk.acceptance import verdict
from memoryclaw.talk.statements import Statement, read

KEPT = ("fact", "preference", "decision", "environment", "lesson")  # kinds of gold worth having
CUTS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
_PENALTY, _FIRST_PENALTY = 60.0, 200.0
_DATA = Path(worth.__file__).parents[1] / "data/worth.toml"


class Candidate(NamedTuple):
    """A statement of a person, with its features and the gold that it holds."""

    person: str
    weight: float
    learned: bool  # may be learned from
    statement: Statement
    features: dict[str, float]
    gold: frozenset[str]  # ids of what is worth having that it holds
    other: bool  # holds gold of another kind: an event, a to-do
    trap: bool

    @property
    def kept(self) -> bool:
        """True where the table keeps it and the sum has a say."""
        return verdict(self.statement).verdict in ("fact", "statement") and weighs(self.statement)


def weighs(said: Statement) -> bool:
    """True for what does not pass the sum by."""
    return not (said.stressed or said.kind == "order")


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


def candidates(folder: Path, weight: float, judged: Collection[str]) -> Iterator[Candidate]:
    """The statements that the reader of talk makes of everybody in a folder."""
    for path in sorted(folder.glob("*.gold.jsonl")):
        person = path.name.removesuffix(".gold.jsonl")
        gold = [one for one in rows(path) if not one.get("from")]
        sessions: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for turn in rows(folder / f"{person}.jsonl"):
            sessions[turn["session"]].append(turn)
        for name, lines in sessions.items():
            turns = [
                Turn(
                    id="", session=name, turn=str(turn["turn"]), ts=turn.get("ts", ""), role=turn["role"], name=turn.get("name") or "",
                    text=turn.get("content") or str(turn.get("result") or ""), line=number, end_line=number,
                )
                for number, turn in enumerate(lines)
            ]  # fmt: skip
            mine = [one for one in gold if one["session"] == name]
            talk = read(turns, {})
            look = worth.SessionLook.of(turns, "en")
            for said, features in worth.features_of(talk, turns, look):
                text = " ".join((said.words, *(str(told) for told in said.assertions)))
                held = [one for one in mine if holds(text, one["values"])]
                ids = frozenset(one["id"] for one in held if one["kind"] in KEPT)
                yield Candidate(
                    f"{folder}/{person}", weight, person not in judged, said, features, ids,
                    not ids and any(one["kind"] != "trap" for one in held), any(one["kind"] == "trap" for one in held),
                )  # fmt: skip


class Sum:
    """Logistic regression with a penalty on the square of its weights, by Newton's method, over the features that weigh most."""

    def __init__(self, pool: Sequence[Candidate], most: int) -> None:
        pool = [one for one in pool if one.learned and not one.other]
        self.names = list(worth.FEATURES)
        self._fit(pool, _FIRST_PENALTY)
        if most < len(self.names):
            order = sorted(zip(self.names, self.weights[1:], strict=True), key=lambda pair: -abs(pair[1]))
            self.names = [name for name, _ in order[:most]]
            self._fit(pool, _PENALTY)

    def _matrix(self, pool: Sequence[Candidate]) -> Any:
        return np.array([[one.features[name] for name in self.names] for one in pool], dtype=float)

    def _fit(self, pool: Sequence[Candidate], penalty: float) -> None:
        x = self._matrix(pool)
        y = np.array([bool(one.gold) for one in pool], dtype=float)
        weight = np.array([one.weight for one in pool])
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
        z = (self._matrix(pool) - self.mean) / self.deviation
        return 1 / (1 + np.exp(-np.clip(z @ self.weights[1:] + self.weights[0], -30, 30)))

    def __str__(self) -> str:
        terms = zip(self.names, self.mean, self.deviation, self.weights[1:], strict=True)
        shown = "\n".join(
            f"{name} {mean:.4f} {deviation:.4f} {weight:.4f}"
            for name, mean, deviation, weight in sorted(terms, key=lambda term: -abs(term[3]))
        )
        head = _DATA.read_text(encoding="utf-8").partition("bias = ")[0]
        return f"{head}bias = '''\n{self.weights[0]:.4f}\n'''\n\nfeatures = '''\n{shown}\n'''\n"


def left_out(every: Sequence[Candidate], most: int) -> Any:
    """The score of every statement by a sum that never saw its person."""
    scores = np.zeros(len(every))
    for person in dict.fromkeys(one.person for one in every):
        mine = [at for at, one in enumerate(every) if one.person == person]
        fitted = Sum([one for one in every if one.person != person], most)
        scores[mine] = fitted.scores([every[at] for at in mine])
    return scores


def report(title: str, every: Sequence[Candidate], scores: Any, gold: int) -> None:
    """Prints what is kept without the sum and at each cut."""
    y = np.array([bool(one.gold) for one in every])
    order = np.argsort(-scores, kind="stable")
    precision = np.cumsum(y[order]) / (1 + np.arange(len(y)))
    print(
        f"{title}: {len(every)} statements, {y.sum()} hold gold; average precision {precision[y[order]].mean():.3f}"
    )
    by_table = np.array([one.kept for one in every])
    passing = np.array(
        [
            verdict(one.statement).verdict in ("fact", "statement") and not weighs(one.statement)
            for one in every
        ]
    )
    for name, kept in (
        ("table", by_table | passing),
        *((f"table, sum >= {cut}", by_table & (scores >= cut) | passing) for cut in CUTS),
    ):
        items = [one for one, keep in zip(every, kept, strict=True) if keep]
        ids = {id_ for one in items for id_ in one.gold}
        count = max(1, len(items))
        print(
            f"  {name:<18} kept {len(items):>4}  holds gold {sum(bool(one.gold) for one in items) / count:.3f}"
            f"  any {sum(bool(one.gold) or one.other for one in items) / count:.3f}  gold kept {len(ids) / max(1, gold):.3f}"
            f"  traps {sum(one.trap for one in items)}"
        )


def main(args: Sequence[str]) -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--judge", action="append", default=[], metavar="FOLDER:NAME,NAME")
    parser.add_argument("--weight", action="append", default=[], metavar="FOLDER=NUMBER")
    parser.add_argument("--features", type=int, default=25)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(args)
    judged = {folder: names.split(",") for folder, _, names in (one.rpartition(":") for one in options.judge)}
    weights = {folder: float(number) for folder, _, number in (one.rpartition("=") for one in options.weight)}
    every: list[Candidate] = []
    for folder in options.folders:
        every += candidates(folder, weights.get(str(folder), 1.0), judged.get(str(folder), ()))
    scores = left_out(every, options.features)
    for folder in options.folders:
        at = [n for n, one in enumerate(every) if one.person.startswith(f"{folder}/")]
        gold = {
            one["id"]
            for path in folder.glob("*.gold.jsonl")
            for one in rows(path)
            if one["kind"] in KEPT and not one.get("from")
        }
        report(str(folder), [every[n] for n in at], scores[at], len(gold))
    fitted = Sum(every, options.features)
    if options.write:
        _DATA.write_text(str(fitted), encoding="utf-8")
    print(fitted)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
