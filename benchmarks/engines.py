"""Do two engines answer alike? Every question of the given sets is asked of the same vault under each of them.

Compared are what the text index finds for each clause, with scores to the last bit and in order; the ranking with each term of each
score; and the packed context with what was left out.

    python benchmarks/engines.py --data DIR... [--engines fts5,postgres] [--url URL] [--questions N]

A set is a folder as `recall.py` takes it, a folder of such folders, or one with NAME.jsonl (a log) and NAME.questions.jsonl.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conversations import DataError, lacking, opened, read, vault_of
from recall import milliseconds, spread

from memoryclaw.app import App
from memoryclaw.index.index import fingerprint

DEPTH = 50


class Asked:
    """A text index that remembers what it was asked and what it found."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.candidates: list[object] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def find(self, clause: Any, limit: int, within: Any = None) -> Any:
        """As the engine finds it."""
        hits = self._engine.find(clause, limit, within)
        some = None if within is None else sorted(within)
        self.candidates.append((clause, limit, some, [(hit.rowid, hit.score.hex()) for hit in hits]))
        return hits


def vaults(data: Path, place: Path, settings: str) -> Iterator[tuple[str, App, list[str]]]:
    """Each vault of a folder, made and synced, with its questions."""
    folders = (
        [data]
        if not lacking(data)
        else sorted(child for child in data.iterdir() if child.is_dir() and not lacking(child))
    )
    for folder in folders:
        turns, questions = read(folder)
        for number, (conversation, rows) in enumerate(turns.items()):
            if questions[conversation]:
                with vault_of(place / f"{folder.name}{number}", rows, settings) as app:
                    yield folder.name, app, [question["question"] for question in questions[conversation]]
    for path in sorted(data.glob("*.questions.jsonl")):
        name = path.name.split(".")[0]
        root = place / name
        root.joinpath("logs").mkdir(parents=True)
        root.joinpath("memoryclaw.yaml").write_text(settings, encoding="utf-8")
        root.joinpath(f"logs/{name}.jsonl").write_bytes(path.with_name(f"{name}.jsonl").read_bytes())
        with opened(root) as app:
            yield (
                data.name,
                app,
                [json.loads(line)["question"] for line in path.read_text(encoding="utf-8").splitlines()],
            )
    if not folders and not list(data.glob("*.questions.jsonl")):
        raise DataError(f"{data} holds no set of conversations")


def answers(app: App, text: str, ms: dict[str, list[float]]) -> dict[str, object]:
    """What one engine says to a question, in each of the ways in which two can differ."""
    engine = app.index.engine
    app.index.engine = asked = Asked(engine)
    try:
        answers: dict[str, object] = {}
        for verb, more in (("search", {"limit": DEPTH}), ("recall", {})):
            started = time.perf_counter()
            answers[verb] = getattr(app, verb)(text, **more)
            ms[verb].append((time.perf_counter() - started) * 1e3)
    finally:
        app.index.engine = engine
    recalled: Any = answers.pop("recall")
    searched: Any = answers.pop("search")
    return {
        "candidates": asked.candidates,
        "order": [match.unit.id for match in searched.matches],
        "scores": repr(searched.matches),
        "context": recalled.context,
        "left out": recalled.left_out,
        "recall": repr(replace(recalled, receipt="", timings_ms={})),
    }


def main() -> int:
    """Asks, and prints how many answers differed."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--data", required=True, nargs="+", action="extend", type=Path, metavar="DIR")
    options.add_argument(
        "--engines", default="fts5,postgres", help="two of fts5, whoosh, postgres", metavar="A,B"
    )
    options.add_argument("--url", default="", help="of a database for postgres; else $MEMORYCLAW_INDEX_URL")
    options.add_argument(
        "--questions", type=int, default=0, help="ask so many of each vault, evenly spread", metavar="N"
    )
    given = options.parse_args()
    if given.url:
        os.environ["MEMORYCLAW_INDEX_URL"] = given.url
    engines = given.engines.split(",")
    if len(engines) != 2:
        options.error("name two engines")
    total: dict[str, dict[str, int]] = {}
    ms: dict[str, dict[str, list[float]]] = {engine: {"search": [], "recall": []} for engine in engines}
    with tempfile.TemporaryDirectory(prefix="engines-") as folder:
        for data in given.data:
            pairs = [
                vaults(data, Path(folder) / uuid.uuid4().hex, f"index: {{engine: {engine}}}\n")
                for engine in engines
            ]
            for (name, first, questions), (_, other, _) in zip(*pairs, strict=True):
                row = total.setdefault(
                    f"{data.parent.name}/{data.name}/{name}", {"vaults": 0, "questions": 0, "clauses": 0}
                )
                row["vaults"] += 1
                row["fingerprint"] = row.get("fingerprint", 0) + (
                    fingerprint(first.index) != fingerprint(other.index)
                )
                for text in spread(questions, given.questions):  # type: ignore[arg-type, type-var]
                    pair = [
                        answers(app, str(text), ms[engine])
                        for app, engine in zip((first, other), engines, strict=True)
                    ]
                    row["questions"] += 1
                    row["clauses"] += len(pair[0]["candidates"])
                    for way in pair[0]:
                        row[way] = row.get(way, 0) + (pair[0][way] != pair[1][way])
                        if pair[0][way] != pair[1][way]:
                            print(f"{name}: {way} of {text!r} differs", file=sys.stderr)
    return _printed(total, ms)


def _printed(total: dict[str, dict[str, int]], ms: dict[str, dict[str, list[float]]]) -> int:
    differ = 0
    for name, row in total.items():
        ways = {way: count for way, count in row.items() if way not in ("vaults", "questions", "clauses")}
        differ += sum(ways.values())
        counts = ", ".join(f"{way} {count}" for way, count in ways.items())
        print(
            f"{name}: {row['vaults']} vaults, {row['questions']} questions, {row['clauses']} clauses; that differ: {counts}"
        )
    for verb in ("search", "recall"):
        told_ms: Sequence[str] = [f"{engine} {milliseconds(taken[verb])}" for engine, taken in ms.items()]
        print(f"{verb}, ms: {'; '.join(told_ms)}")
    print(f"{sum(row['questions'] for row in total.values())} questions, {differ} differences")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
