"""What every writing verb works with, and what it answers. The clock and the ids come from outside."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from memoryclaw.adapters import files
from memoryclaw.adapters.templates import Templates
from memoryclaw.core.errors import InputError, NotFoundError
from memoryclaw.core.factedits import SemanticFile
from memoryclaw.core.gate import Gate
from memoryclaw.core.naming import run_id, utc
from memoryclaw.core.places import SCHEMA_FILE
from memoryclaw.core.ports import Address, Lookup
from memoryclaw.core.textfile import decode
from memoryclaw.core.vocabulary import Schema, read_schema


class Written(NamedTuple):
    """What a writing verb did: the id and path it concerns, the commit (empty: none), the action, and what else to know."""

    id: str
    path: str
    commit: str
    action: (
        str  # added | confirmed | superseded | corrected | edited | forgotten | revived | undone | created
    )
    notice: str = ""


def _own_gate() -> Gate:
    """A gate whose marks match no others."""
    return Gate(lambda: os.urandom(32))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pen:
    """The vault to write in, how its ids are found, the templates, the moment, where fresh ids come from, and what takes secrets out."""

    root: str
    lookup: Lookup
    templates: Templates
    now: datetime
    new_id: Callable[[], str]
    gate: Gate = field(default_factory=_own_gate)

    @property
    def today(self) -> str:
        """The ISO date of now, in UTC."""
        return f"{utc(self.now):%Y-%m-%d}"

    def run(self, verb: str) -> str:
        """A fresh id for one run of a verb."""
        return run_id(verb, self.now, self.new_id())

    def find(self, id_: str) -> Address:
        """Where the thing with this id is; NotFoundError when there is none."""
        found = self.lookup.resolve(id_)
        if found is None:
            raise NotFoundError(
                f"nothing in the vault has the id {id_}; `memoryclaw search` finds things by their words"
            )
        return found

    def text(self, path: str) -> str:
        """The text of a file of the vault; empty for a file that is not there."""
        try:
            return decode(files.read_file(self.root, path).data).text
        except NotFoundError:
            return ""

    def schema(self) -> Schema:
        """What the vault says of its fields and collections."""
        return read_schema(self.text(SCHEMA_FILE))

    def semantic(self, path: str) -> SemanticFile:
        """How the facts of a file are read."""
        return SemanticFile(path, self.schema().collections)


def must_be_a_note(address: Address, verb: str) -> None:
    """Raises InputError for what is no note of its own: turns and logs, which are a record, and sections."""
    if address.kind in {"turn", "log"}:
        raise InputError(
            f"{address.id} is part of a log, which is a record and is not {verb}; remove its file by hand"
        )
    if address.kind == "section":
        raise InputError(
            f"{address.id} is a section; open {address.path} at line {address.line} and change it there"
        )
