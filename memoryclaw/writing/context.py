"""What every writing verb works with, and what it answers. The clock and the ids come from outside."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from memoryclaw import late
from memoryclaw.errors import InputError, MemoryClawError, NotFoundError
from memoryclaw.late import NamedTuple
from memoryclaw.ports import Address, Lookup
from memoryclaw.text.dates import local
from memoryclaw.text.encoding import decode
from memoryclaw.text.redaction import RedactionGate
from memoryclaw.text.yaml_text import flow_list, scalar
from memoryclaw.vault import files
from memoryclaw.vault.edits import SemanticFile, quotable
from memoryclaw.vault.layout import NOTE, SCHEMA_FILE, SEMANTIC, place_of, places, run_id, timestamp
from memoryclaw.vault.vocabulary import Schema, misfits, read_schema

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

# The shipped Jinja2 templates: notes and commit messages. Only our own files are templates, never a user's text.

_SUBJECT_LENGTH = 72
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
_PACKAGE = Path(__file__).resolve().parent.parent


class Templates:
    """Renders the templates that ship with MemoryClaw.

    Args:
        gate: takes the secrets out of a commit message, whatever its values came from.
    """

    def __init__(self, gate: Callable[[str], str] = str) -> None:
        self._gate = gate

    def render(self, name: str, /, **values: object) -> str:
        """The text of one template; every value it names must be given."""
        try:
            return _environment().get_template(name).render(values)
        except late.jinja2.TemplateError as error:
            raise MemoryClawError(f"the template {name} cannot be rendered: {error}") from error

    def commit_message(self, verb: str, /, **values: object) -> str:
        """The message of a commit: a subject on one line of at most 72 characters, a body, trailers."""
        subject, _, body = self._gate(self.render(f"commits/{verb}.j2", **values)).partition("\n")
        subject = flatten(subject)
        if len(subject) > _SUBJECT_LENGTH:
            subject = subject[: _SUBJECT_LENGTH - 1].rstrip() + "…"
        return f"{subject}\n{body}"


def shipped(name: str) -> Path:
    """A folder that MemoryClaw ships: in the installed package, else in the checkout."""
    installed = _PACKAGE / "_shipped" / name
    folder = installed if installed.is_dir() else _PACKAGE.parent / name
    if not folder.is_dir():
        raise MemoryClawError(
            f"the {name} of MemoryClaw are missing from {os.fspath(folder)}; install it again"
        )
    return folder


def flatten(text: str) -> str:
    """A text on one line, without control characters."""
    return " ".join(_CONTROL.sub(" ", str(text)).split())


_VERBS = frozenset({"lives in", "works at", "works as", "likes", "dislikes", "prefers"})


def fact_in_words(entity: str, field: str, value: str) -> str:
    """A fact as a person would say it: `Anna: city is Bern`, but `Anna: lives in Bern`; without a field `Anna said: "…"`."""
    if not field:
        quoted = f'"{quotable(value)}"'
        return f"{entity} said: {quoted}" if entity else quoted
    verb = " ".join(field.lower().replace("_", " ").split()) in _VERBS
    return f"{entity}: {field} {value}" if verb else f"{entity}: {field} is {value}"


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    """Compiles each template once in a process: a night asks for the same few again and again."""
    environment = late.jinja2_sandbox.ImmutableSandboxedEnvironment(
        loader=late.jinja2.FileSystemLoader(shipped("templates")),
        undefined=late.jinja2.StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["yaml"] = lambda value: scalar(value) if isinstance(value, str) else flow_list(value)
    environment.filters["line"] = flatten
    return environment


class Written(NamedTuple):
    """What a writing verb did: the id and path it concerns, the commit (empty: none), the action, and what else to know."""

    id: str
    path: str
    commit: str
    action: str  # added | confirmed | existing | waiting | rejected | superseded | corrected | edited | forgotten | revived | undone | created
    notice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteContext:
    """The vault to write in, how its ids are found, the templates, the moment, where fresh ids come from, and what takes secrets out."""

    root: str
    lookup: Lookup
    templates: Templates
    now: datetime
    new_id: Callable[[], str]
    gate: RedactionGate = field(default_factory=lambda: RedactionGate(lambda: os.urandom(32)))
    as_seen: Callable[[str, str], str] = lambda _, text: text  # a file's path and text → what the caller sees
    zone: str = ""  # of the days that are told
    owner: str = ""  # the name of who says `I`
    only_seen: bool = False  # `text` gives no more than that

    @property
    def today(self) -> str:
        """The ISO date of now, in the zone of the vault."""
        return local(timestamp(self.now), self.zone)[:10]

    def message(self, verb: str, /, **values: object) -> Callable[[], str]:
        """Renders the message of a commit once it is asked for."""
        return partial(self.templates.commit_message, verb, **values)

    def run(self, verb: str) -> str:
        """A fresh id for one run of a verb."""
        return run_id(verb, self.now, self.new_id())

    def find(self, id_: str) -> Address:
        """Where the thing with this id is; NotFoundError when there is none."""
        address = self.lookup.resolve(id_) or self.lookup.resolve(places(self.root).name_of(id_))
        if address is None:
            raise NotFoundError(
                f"nothing in the vault has the id {id_}; `memoryclaw search` finds things by their words"
            )
        return address

    def text(self, path: str) -> str:
        """The text of a file of the vault; empty for a file that is not there."""
        text = decode(files.data_at(self.root, path) or b"").text
        return self.as_seen(path, text) if text and self.only_seen else text

    def schema(self) -> Schema:
        """What the vault says of its fields and collections."""
        return read_schema(self.text(SCHEMA_FILE))

    def semantic(self, path: str) -> SemanticFile:
        """How the facts of a file are read."""
        return SemanticFile(path, self.schema().collections)

    def facts_file(self, path: str) -> SemanticFile | None:
        """The same for a file of facts that are held true; None for any other."""
        return self.semantic(path) if place_of(path) == SEMANTIC else None

    def check_patch(self, path: str, change: Callable[[str], str]) -> Callable[[str], str]:
        """The same patch of a file with facts, refused with an InputError where it gives a field a value that is not of its type."""
        schema = self.schema()

        def patch(text: str) -> str:
            patched = change(text)
            file = SemanticFile(path, schema.collections)
            stood = {(fact.field, fact.value) for fact in file.facts(text).facts}
            new = [fact for fact in file.facts(patched).facts if (fact.field, fact.value) not in stood]
            if wrong := misfits(path, new, schema):
                raise InputError(f"{wrong[0].message}; nothing was written")
            return patched

        return patch if schema.fields and place_of(path) in (SEMANTIC, NOTE) else change


def must_be_a_note(address: Address, verb: str) -> None:
    """Raises InputError for what is no note of its own: turns and logs, which are a record, and sections."""
    if address.kind in {"turn", "log"}:
        raise InputError(
            f"{address.id} is part of a log, which is a record and is not {verb}; remove its file by hand"
        )
    if address.kind == "todo":
        raise InputError(
            f"{address.id} is a to-do, a line of {address.path}; tick it with `memoryclaw edit {address.id!r} --set done=true`"
        )
    if address.kind == "section":
        raise InputError(
            f"{address.id} is a section; open {address.path} at line {address.line} and change it there"
        )
