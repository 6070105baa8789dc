"""FTS5 as a person would write it, without us: a row a document, stop words out, words joined by OR, BM25."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from memoryclaw.index.stemming import language

DEPTH = 50


class PlainTable:
    """Documents in one FTS5 table in memory.

    Args:
        documents: name and text of each.
        tokenize: FTS5's tokenizer, such as `porter`.
    """

    def __init__(self, documents: Iterable[tuple[str, str]], tokenize: str = "unicode61") -> None:
        self._stop = language("en").stop
        self._names, texts = zip(*documents, strict=True)
        self._db = sqlite3.connect(":memory:")
        self._db.execute(f"create virtual table f using fts5(text, tokenize='{tokenize}')")
        self._db.executemany("insert into f(rowid, text) values(?,?)", enumerate(texts))

    def search(self, text: str, limit: int = DEPTH) -> list[str]:
        """Names in rank order."""
        return [self._names[row] for row in self.rows(text, limit)]

    def rows(self, text: str, limit: int) -> list[int]:
        """Numbers of documents in rank order."""
        words = dict.fromkeys(w for w in re.findall(r"[^\W_]+", text.lower()) if w not in self._stop)
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        sql = "select rowid from f where f match ? order by bm25(f), rowid limit ?"
        return [row[0] for row in self._db.execute(sql, (match, limit))]


class PlainFts5(PlainTable):
    """The baseline of locomo.py: a row a turn, what was said alone."""

    def __init__(self, turns: Sequence[dict[str, Any]]) -> None:
        super().__init__((turn["id"], f"{turn['text']} {turn.get('caption') or ''}") for turn in turns)
        self._turns = turns

    def pack(self, text: str, budget: int) -> list[str]:
        """Turn ids whose `- date speaker: text` lines fit, at four characters a token."""
        spent, taken = 0.0, []
        for row in self.rows(text, 100):
            turn = self._turns[row]
            spent += len(f"- {turn['datetime'][:10]} {turn['speaker']}: {turn['text']}\n") / 4
            if spent > budget:
                break
            taken.append(turn["id"])
        return taken
