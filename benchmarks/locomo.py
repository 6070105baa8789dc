"""Recall on LoCoMo-shaped conversations: how much of each question's evidence is found, beside plain FTS5 in the same run.

Reads turns.jsonl, sessions.jsonl and questions.jsonl from --data, writes one vault a conversation (its turns as logs)
into a temporary folder, and asks every question through the public API. The data is not part of this project.

    python benchmarks/locomo.py --data DIR [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memoryclaw.adapters.stemming import language
from memoryclaw.app import App, open_vault

DEPTH = 20
BUDGETS = (200, 400, 600, 800)
Row = dict[str, Any]


def main() -> int:
    """Runs the benchmark and prints its table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--data", required=True, type=Path, help="folder with turns.jsonl, sessions.jsonl, questions.jsonl"
    )
    options.add_argument("--json", action="store_true", help="print JSON")
    given = options.parse_args()
    missing = [
        name for name in ("turns", "sessions", "questions") if not (given.data / f"{name}.jsonl").is_file()
    ]
    if missing:
        print(f"{given.data} has no {', '.join(missing)}.jsonl", file=sys.stderr)
        return 1
    result = measure(given.data)
    print(json.dumps(result, indent=1) if given.json else table(result))
    return 0


def measure(data: Path) -> Row:
    """All figures over the conversations of a folder."""
    turns, questions = by_conversation(data / "turns.jsonl"), by_conversation(data / "questions.jsonl")
    ours, plain = Tally(), Tally()
    with tempfile.TemporaryDirectory() as folder:
        for conversation, rows in turns.items():
            app = vault_of(Path(folder) / conversation, rows)
            fts = PlainFts5(rows)
            for number, question in enumerate(questions[conversation], 1):
                ours.take(question, lambda text, app=app: searched(app, text))
                ours.pack(question, lambda text, budget, app=app: recalled(app, text, budget))
                plain.take(question, fts.search)
                plain.pack(question, fts.pack)
                if sys.stderr.isatty():
                    print(
                        f"\r{conversation} {number}/{len(questions[conversation])} ", end="", file=sys.stderr
                    )
            app.close()
    return {**ours.figures(), "plain_fts5": plain.figures()}


def by_conversation(path: Path) -> dict[str, list[Row]]:
    """The rows of a JSONL file, by conversation, in order."""
    found: dict[str, list[Row]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found.setdefault(row["conv"], []).append(row)
    return found


def vault_of(root: Path, turns: Iterable[Row]) -> App:
    """A vault whose logs are the turns of one conversation."""
    root.mkdir(parents=True)
    (root / "memoryclaw.yaml").write_text("", encoding="utf-8")
    for turn in turns:
        path = root / "logs" / turn["datetime"][:10] / f"s{turn['session']}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        content = turn["text"] + (f" [image: {turn['caption']}]" if turn["caption"] else "")
        line = {
            "ts": turn["datetime"] + ":00Z", "session": f"s{turn['session']}", "turn": turn["id"],
            "role": "user", "name": turn["speaker"], "content": content,
        }  # fmt: skip
        with path.open("a", encoding="utf-8") as log:
            log.write(json.dumps(line, ensure_ascii=False) + "\n")
    app = open_vault(root, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    app.sync()
    return app


def searched(app: App, text: str) -> list[str]:
    """Turn ids in rank order."""
    answer = app.search(text, kind="turn", limit=DEPTH)
    return [match.unit.id.rpartition("/")[2] for match in answer.matches]


def recalled(app: App, text: str, budget: int) -> list[str]:
    """Turn ids that are in a context of so many tokens."""
    return [match.unit.id.rpartition("/")[2] for match in app.recall(text, budget=budget).matches]


class PlainFts5:
    """The baseline: one FTS5 row a turn, stop words out, terms joined by OR, BM25."""

    def __init__(self, turns: list[Row]) -> None:
        self._turns = turns
        self._stop = language("en").stop
        self._db = sqlite3.connect(":memory:")
        self._db.execute("create virtual table f using fts5(text)")
        rows = [(i, f"{t['text']} {t['caption']}") for i, t in enumerate(turns)]
        self._db.executemany("insert into f(rowid, text) values(?,?)", rows)

    def search(self, text: str) -> list[str]:
        """Turn ids in rank order."""
        return [self._turns[row]["id"] for row in self._rows(text, DEPTH)]

    def pack(self, text: str, budget: int) -> list[str]:
        """Turn ids whose `- date speaker: text` lines fit, at four characters a token."""
        spent, taken = 0.0, []
        for row in self._rows(text, 100):
            turn = self._turns[row]
            spent += len(f"- {turn['datetime'][:10]} {turn['speaker']}: {turn['text']}\n") / 4
            if spent > budget:
                break
            taken.append(turn["id"])
        return taken

    def _rows(self, text: str, limit: int) -> list[int]:
        words = dict.fromkeys(w for w in re.findall(r"[^\W_]+", text.lower()) if w not in self._stop)
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        sql = "select rowid from f where f match ? order by bm25(f), rowid limit ?"
        return [row[0] for row in self._db.execute(sql, (match, limit))]


class Tally:
    """Figures as they come in, one question at a time."""

    def __init__(self) -> None:
        self.turn: dict[str, list[float]] = {}
        self.session: dict[str, list[float]] = {}
        self.calm: dict[str, list[float]] = {}
        self.budget: dict[str, list[float]] = {}
        self.ms: list[float] = []
        self.questions = 0

    def take(self, question: Row, search: Callable[[str], list[str]]) -> None:
        """Ranks turns for one question, and sessions by their best turn."""
        started = time.perf_counter()
        ranked = search(question["question"])
        self.ms.append((time.perf_counter() - started) * 1e3)
        self.questions += 1
        if not question["evidence"]:
            return
        sessions = list(dict.fromkeys(int(turn[1:].partition(":")[0]) for turn in ranked))
        calm = question["category"] != "adversarial"
        for k in (5, 10):
            value = share(sessions[:k], question["sessions"])
            self.session.setdefault(f"recall@{k}", []).append(value)
            if calm:
                self.calm.setdefault(f"recall@{k}", []).append(value)
        if calm:
            for k in (5, 10, 20):
                self.turn.setdefault(f"recall@{k}", []).append(share(ranked[:k], question["evidence"]))
            self.turn.setdefault("ndcg@10", []).append(ndcg(ranked[:10], question["evidence"]))

    def pack(self, question: Row, recall: Callable[[str, int], list[str]]) -> None:
        """How much of the evidence fits into each budget."""
        if question["evidence"] and question["category"] != "adversarial":
            for budget in BUDGETS:
                value = share(recall(question["question"], budget), question["evidence"])
                self.budget.setdefault(str(budget), []).append(value)

    def figures(self) -> Row:
        """Means over the questions that count for each figure."""
        ordered = sorted(self.ms)
        return {
            "turn": means(self.turn),
            "session": means(self.session),
            "session_nonadversarial": means(self.calm),
            "budget": means(self.budget),
            "ms": {
                "p50": round(statistics.median(ordered), 2),
                "p95": round(ordered[int(len(ordered) * 0.95)], 2),
            },
            "questions": self.questions,
        }


def share(found: Iterable[Any], wanted: Iterable[Any]) -> float:
    """How much of what is wanted was found."""
    needed = set(wanted)
    return len(needed & set(found)) / len(needed)


def ndcg(ranked: list[str], wanted: Iterable[str]) -> float:
    """Normalised discounted cumulative gain of the first ten."""
    needed = set(wanted)
    gained = sum(1 / math.log2(i + 2) for i, turn in enumerate(ranked) if turn in needed)
    return gained / sum(1 / math.log2(i + 2) for i in range(min(10, len(needed))))


def means(values: dict[str, list[float]]) -> dict[str, float]:
    """The mean of each list."""
    return {name: round(statistics.fmean(found), 4) for name, found in values.items()}


def table(result: Row) -> str:
    """The figures for people, ours beside plain FTS5."""
    plain = result["plain_fts5"]
    lines = [f"{result['questions']} questions", f"{'':24}{'ours':>10}{'plain FTS5':>12}{'ratio':>8}"]
    for group in ("turn", "session", "session_nonadversarial", "budget", "ms"):
        for name, value in result[group].items():
            other = plain[group][name]
            lines.append(
                f"{group + ' ' + name:24.24}{value:>10.3f}{other:>12.3f}{value / other if other else math.nan:>8.2f}"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
