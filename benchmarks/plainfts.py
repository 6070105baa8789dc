"""FTS5 as a person would write it, without us: a row a document, stop words out, words joined by OR, BM25.

FTS5 takes a run of Chinese or Japanese for one word, so such runs are cut into overlapping pairs of characters.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from memoryclaw.index.stemming import language

DEPTH = 50
UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana and Han
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "da", "fi", "hu", "no", "ru", "sv", "tr")
_RUN = re.compile(f"[{UNSPACED}]+")
_WORD = re.compile(r"[^\W_]+")
ENGLISH = language("en").stop


def stop_words(texts: Iterable[str]) -> frozenset[str]:
    """The stop words of the language whose stop words these texts hold most of; English where none has more."""
    said = [word for text in texts for word in _WORD.findall(text.lower())]
    lists = [language(code).stop for code in LANGUAGES]
    return max(lists, key=lambda stop: sum(word in stop for word in said))


def paired(text: str) -> str:
    """The text with its runs of Chinese and Japanese as overlapping pairs, spaces between them."""
    return text if text.isascii() else _RUN.sub(lambda run: f" {_pairs(run.group())} ", text)


def _pairs(run: str) -> str:
    return " ".join(run[i : i + 2] for i in range(len(run) - 1)) or run


class PlainTable:
    """Documents in one FTS5 table in memory.

    Args:
        documents: name and text of each.
        tokenize: FTS5's tokenizer, such as `porter`.
        stop: the words that say nothing.
    """

    def __init__(
        self,
        documents: Iterable[tuple[str, str]],
        tokenize: str = "unicode61",
        stop: frozenset[str] = ENGLISH,
    ) -> None:
        self._stop = stop
        self._names, texts = zip(*documents, strict=True)
        self._db = sqlite3.connect(":memory:")
        self._db.execute(f"create virtual table f using fts5(text, tokenize='{tokenize}')")
        self._db.executemany("insert into f(rowid, text) values(?,?)", enumerate(map(paired, texts)))

    def search(self, text: str, limit: int = DEPTH) -> list[str]:
        """Names in rank order."""
        return [self._names[row] for row in self.rows(text, limit)]

    def rows(self, text: str, limit: int) -> list[int]:
        """Numbers of documents in rank order."""
        words = dict.fromkeys(w for w in _WORD.findall(paired(text.lower())) if w not in self._stop)
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        sql = "select rowid from f where f match ? order by bm25(f), rowid limit ?"
        return [row[0] for row in self._db.execute(sql, (match, limit))]


class PlainFts5(PlainTable):
    """The baseline of recall.py: a row a turn, what was said alone."""

    def __init__(
        self, turns: Sequence[dict[str, Any]], tokenize: str = "unicode61", stop: frozenset[str] = ENGLISH
    ) -> None:
        said = ((turn["id"], f"{turn['text']} {turn.get('caption') or ''}") for turn in turns)
        super().__init__(said, tokenize, stop)
        self._turns = turns

    def pack(self, text: str, budget: int) -> tuple[list[str], str]:
        """Turn ids whose `- date speaker: text` lines fit, the last one cut, at four characters a token; and these lines."""
        room, taken, lines = budget * 4, [], []
        for row in self.rows(text, 100):
            turn = self._turns[row]
            head = f"- {turn['datetime'][:10]} {turn['speaker']}: "
            if room <= len(head):
                break
            line = f"{head}{turn['text']}\n"[:room]
            room -= len(line)
            taken.append(turn["id"])
            lines.append(line)
        return taken, "".join(lines)
