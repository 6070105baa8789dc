"""Which units of the index may be given to a model on another machine: those of what `exportable_bytes` lets leave of their file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection

from memoryclaw.index.catalog import Catalog
from memoryclaw.index.index import Index
from memoryclaw.index.indexer import settings_of
from memoryclaw.model import AGENT, Unit, grouped
from memoryclaw.text.encoding import decode, lines_of, readable
from memoryclaw.vault.export_gate import exportable_bytes, sources_in, withheld_names
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.generated import own_words
from memoryclaw.vault.notes import ReadingSettings, read_note


class Outgoing:
    """The gate for what the index holds.

    Args:
        audience: who reads it elsewhere; models of others read for the agent.
    """

    def __init__(
        self,
        vault: Vault,
        index: Index,
        *,
        audience: str = AGENT,
        text_of: Callable[[Unit], str] = lambda unit: unit.text,
    ) -> None:
        self._vault = vault
        self._index = index
        self._audience = audience
        self._text_of = text_of
        self._catalog = Catalog(index.database)

    def withheld(self, units: Collection[int]) -> set[int]:
        """Those of these units that must not leave this machine, or of which that cannot be told now."""
        sql = """select rowid, path, id from units where rowid in (select value from json_each(?)) order by path"""
        listed = self._catalog.rows(sql, (json.dumps(sorted(units)),))
        by_path = grouped((str(path), (int(rowid), str(id_))) for rowid, path, id_ in listed)
        return {rowid for path, rows in by_path.items() for rowid in self._of_file(path, rows)}

    def _of_file(self, path: str, rows: list[tuple[int, str]]) -> set[int]:
        everything = {rowid for rowid, _ in rows}
        file = self._vault.read(path)
        if file is None or self._index.digests([path]).get(path) != hashlib.sha256(file[0]).digest():
            return everything
        data = own_words(path, file[0])
        visible = None if data is None else self.exportable(path, data)
        if data is None or visible is None:
            return everything
        if visible == data:
            return set()
        settings = settings_of(self._index, ReadingSettings(doubts=self._vault.doubts(path)))
        texts, less = ({unit.id: self._text_of(unit) for unit in read_note(path, version, settings).units} for version in (data, visible))  # fmt: skip
        return {rowid for rowid, id_ in rows if id_ not in less or less[id_] != texts.get(id_)}

    def hidden_lines(self, path: str, data: bytes) -> frozenset[int] | None:
        """The lines of a file, counted from 1, that must not leave, or of which a part must not; None where none of it may."""
        visible = self.exportable(path, data)
        if visible is None:
            return None
        pairs = zip(lines_of(decode(data).text), lines_of(decode(visible).text), strict=True)
        return frozenset(number for number, (line, less) in enumerate(pairs, 1) if line != less)

    def exportable(self, path: str, data: bytes) -> bytes | None:
        """What of a file may leave this machine, as `exportable_bytes` tells, without what rests on what stays."""
        cited, doubts = set(), self._vault.doubts(path)
        for name in sources_in(readable(decode(data).text)):
            address = self._catalog.resolve(name)
            file = self._vault.read(address.path) if address is not None else None
            if address is not None and (file is None or withheld_names(address.path, file[0])):
                cited.add(name)  # a source that stays here
        return exportable_bytes(
            path, data, cited, audience=self._audience, folders=self._vault.labels, doubts=doubts
        )
