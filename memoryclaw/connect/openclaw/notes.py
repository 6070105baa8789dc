"""Proposes what OpenClaw's own notes hold. The files are only read, secrets stay there, and a person decides."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

from memoryclaw.connect.archives import Part, files_below
from memoryclaw.connect.importing import proposals_of, read_note
from memoryclaw.connect.openclaw.setup import read_config, state_of
from memoryclaw.connect.proposing import ImportCandidate, Proposed, offer
from memoryclaw.connect.sources import BytesRead, Memory, Source
from memoryclaw.errors import ConfigError, InputError, MemoryClawError
from memoryclaw.late import NamedTuple
from memoryclaw.text.encoding import text_in
from memoryclaw.vault import files
from memoryclaw.writing.context import WriteContext

_CURATED = ("MEMORY.md", "USER.md")
# Not the review file of the dreams, nor what dreaming leaves behind.
_NOTES = re.compile(r"\Amemory/(?!dreaming/).*\.md\Z", re.DOTALL)


def _read(part: Part, advance: BytesRead) -> Iterator[Memory]:
    yield from read_note("lines" if part.name in _CURATED else "dated", part, advance)


OPENCLAW = Source("openclaw", "OpenClaw", _NOTES, _read)


class ImportReport(NamedTuple):
    """What an import did."""

    workspace: str
    files: tuple[str, ...] = ()
    proposed: tuple[Proposed, ...] = ()
    known: int = 0
    commit: str = ""
    dry_run: bool = False
    notices: tuple[str, ...] = ()


def workspace_of(config: str, environ: Mapping[str, str]) -> str:
    """The folder that OpenClaw works in, as its configuration says, else where it keeps it."""
    try:
        value: Any = read_config(config) if os.path.isfile(config) else {}
    except ConfigError as error:
        raise ConfigError(f"{error}; name the workspace yourself") from None
    for key in ("agents", "defaults", "workspace"):
        value = value.get(key) if isinstance(value, dict) else None
    return os.path.expanduser(text_in(value)) or os.path.join(state_of(environ), "workspace")


def import_notes(context: WriteContext, workspace: str, *, dry_run: bool = False) -> ImportReport:
    """Proposes what the notes of a workspace hold and nobody has decided yet; one commit."""
    workspace = os.path.abspath(os.path.expanduser(workspace))
    if not os.path.isdir(workspace):
        raise InputError(f"there is no folder {workspace}; name OpenClaw's workspace")
    sections, notices, proposals = list(_parts(workspace)), list[str](), list[ImportCandidate]()
    for section in sections:
        left_out = Counter[str]()
        try:
            for memory in _read(section, lambda _: None):
                proposals += proposals_of(context, memory, OPENCLAW, left_out)
        except MemoryClawError as error:
            left_out[str(error)] += 1
        notices += [f"{section.name} was left out: {why}" for why in left_out]
    offered = offer(context, proposals, "OpenClaw's notes", dry_run=dry_run)._asdict()
    offered["notices"] = (*notices, *offered["notices"])
    return ImportReport(workspace, tuple(section.name for section in sections), dry_run=dry_run, **offered)


def _parts(workspace: str) -> Iterator[Part]:
    notes = (f"memory/{name}" for _, name in files_below(os.path.join(workspace, "memory")))
    curated = (name for name in _CURATED if os.path.isfile(os.path.join(workspace, name)))
    for name in (*curated, *filter(_NOTES.fullmatch, notes)):
        yield Part(name, lambda name=name: BytesIO(files.read_file(workspace, name).data))  # type: ignore[misc]
