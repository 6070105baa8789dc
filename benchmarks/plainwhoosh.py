"""Whoosh as a person would write it, without us: what our second engine is held against."""

from __future__ import annotations

import contextlib
from pathlib import Path

from references import walk
from whoosh.fields import ID, TEXT, Schema
from whoosh.index import FileIndex, create_in, open_dir
from whoosh.qparser import MultifieldParser


class PlainWhoosh:
    """A Whoosh index as its own introduction writes one."""

    def __init__(self, index: FileIndex) -> None:
        self._index = index
        self._parser = MultifieldParser(["header", "body"], index.schema)

    @classmethod
    def build(cls, folder: Path, root: Path) -> PlainWhoosh:
        """Indexes a vault from nothing, in one commit."""
        folder.mkdir()
        index = create_in(
            folder,
            Schema(path=ID(stored=True, unique=True), header=TEXT(stored=True), body=TEXT(stored=True)),
        )
        writer = index.writer(limitmb=64)
        for path, _ in walk(root):
            header, _, body = Path(path).read_text(encoding="utf-8")[4:].partition("\n---\n")
            writer.add_document(path=path, header=header, body=body)
        writer.commit()
        return cls(index)

    @classmethod
    def open(cls, folder: Path) -> PlainWhoosh:
        """Opens what `build` wrote."""
        return cls(open_dir(folder))

    def search(self, question: str) -> list[tuple[str, str]]:
        """The ten best with highlights."""
        with contextlib.closing(self._index.searcher()) as searcher:
            hits = searcher.search(self._parser.parse(question), limit=10)
            return [(hit["path"], hit.highlights("body")) for hit in hits]
