"""Ways to search documents that are not ours: tables in this process, and other tools, each in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from conversations import said_in
from plainfts import DEPTH, PlainTable
from whoosh.analysis import StemmingAnalyzer
from whoosh.fields import ID, TEXT, Schema
from whoosh.filedb.filestore import RamStorage
from whoosh.qparser import MultifieldParser, OrGroup

from memoryclaw.index.stemming import language

Payload = str | list[str]
Ask = Callable[
    [str], tuple[list[str], float]
]  # a question → names of documents in rank order, and milliseconds


class Document(NamedTuple):
    """What every tool gets as one file."""

    key: str
    title: str
    text: str


def turn_files(turns: Sequence[Mapping[str, Any]]) -> list[Document]:
    """A document for each turn, called after who spoke and when."""
    return [Document(t["id"], f"{t['speaker']}, {t['datetime'][:10]}", said_in(t)) for t in turns]


def content_words(question: str) -> list[str]:
    """The words of a question without those that say nothing."""
    stop = language("en").stop
    return list(dict.fromkeys(w for w in re.findall(r"[^\W_]+", question.lower()) if w not in stop))


def timed(search: Callable[[str], list[str]]) -> Ask:
    """A search in this process, with its milliseconds."""

    def ask(question: str) -> tuple[list[str], float]:
        started = time.perf_counter()
        keys = search(question)
        return keys, (time.perf_counter() - started) * 1e3

    return ask


def tables(documents: Sequence[Document]) -> dict[str, Ask]:
    """FTS5 twice, and Whoosh, as a person would write them."""
    rows = [(document.key, f"{document.title}\n{document.text}") for document in documents]
    return {
        "plain FTS5, unicode61": timed(PlainTable(rows).search),
        "plain FTS5, porter": timed(PlainTable(rows, "porter").search),
        "Whoosh BM25F, stemmed": timed(Whoosh(documents).search),
    }


class Whoosh:
    """A Whoosh index in memory: any word counts, in two fields."""

    def __init__(self, documents: Sequence[Document]) -> None:
        analyzer = StemmingAnalyzer(stoplist=language("en").stop)
        schema = Schema(key=ID(stored=True), title=TEXT(analyzer), text=TEXT(analyzer))
        index = RamStorage().create_index(schema)
        writer = index.writer()
        for document in documents:
            writer.add_document(key=document.key, title=document.title, text=document.text)
        writer.commit()
        self._searcher = index.searcher()
        self._parser = MultifieldParser(["title", "text"], schema, group=OrGroup)

    def search(self, question: str) -> list[str]:
        """Names in rank order."""
        words = " ".join(content_words(question))
        return [hit["key"] for hit in self._searcher.search(self._parser.parse(words), limit=DEPTH)]


class Peer(NamedTuple):
    """Another tool: where it is looked for, how it is started, how it is installed, and the ways to ask it."""

    folder: str
    child: str
    install: str
    ways: Mapping[str, Callable[[str], Payload]]


PEERS = (
    Peer(
        "qmd",
        "qmd.mjs",
        "npm install --prefix {} @tobilu/qmd  (Node 22 or later)",
        {
            "QMD {} search, as asked": str,
            "QMD {} search, content words": lambda question: " ".join(content_words(question)),
            "QMD {} query, lex: each word": content_words,
        },
    ),
    Peer(
        "basic-memory",
        "basicmemory.py",
        "python3.12 -m venv {0} && {0}/bin/pip install basic-memory",
        {"basic-memory {} text": str},
    ),
    Peer(
        "mind-mem",
        "mindmem.py",
        "python3 -m venv {0} && {0}/bin/pip install mind-mem",
        {"mind-mem {} BM25F": str},
    ),
)


class Child:
    """A tool in a process of its own, its documents indexed.

    Args:
        peer: which.
        install: where it is installed.
        documents: what it searches.
        folder: for its files.
        node: the program that runs JavaScript.
    """

    def __init__(
        self, peer: Peer, install: Path, documents: Sequence[Document], folder: Path, node: str
    ) -> None:
        self._keys = {f"{number:06}.md": document.key for number, document in enumerate(documents)}
        files, state = folder / "documents", folder / "state"
        state.mkdir(parents=True)
        files.mkdir()
        for name, document in zip(self._keys, documents, strict=True):
            (files / name).write_text(f"# {document.title}\n\n{document.text}\n", encoding="utf-8")
        runner = node if peer.child.endswith(".mjs") else os.fspath(install / "bin" / "python")
        program = Path(__file__).with_name(peer.child)
        # What it logs is of interest only when it fails.
        self._log = (folder / "log").open("w+", encoding="utf-8")
        pipe = subprocess.PIPE
        command = [runner, program, *map(os.fspath, (install, files, state))]
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._log, text=True)
        self.version = str(self._heard()["version"])

    def asked(self, way: Callable[[str], Payload]) -> Ask:
        """One way to ask it."""
        return lambda question: self._ask(way(question))

    def close(self) -> None:
        """Ends it."""
        with self._process as process:
            if process.stdin:
                process.stdin.close()
        self._log.close()

    def _ask(self, question: Payload) -> tuple[list[str], float]:
        stdin = self._process.stdin
        if not question or stdin is None:
            return [], 0.0
        stdin.write(json.dumps({"question": question, "limit": DEPTH}) + "\n")
        stdin.flush()
        heard = self._heard()
        keys = dict.fromkeys(self._keys[name] for name in heard["files"] if name in self._keys)
        return list(keys), float(heard["ms"])

    def _heard(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            self._log.seek(0)
            print(self._log.read()[-2000:], file=sys.stderr)
            raise SystemExit(f"{' '.join(map(str, self._process.args))} ended without an answer")
        return dict(json.loads(line))
