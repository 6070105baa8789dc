"""Proposes what OpenClaw's own notes hold. The files are only read, secrets stay there, and a person decides."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memoryclaw.connect.curated import CURATED, ImportCandidate, is_wanted, offered
from memoryclaw.connect.json5 import parse, plain
from memoryclaw.connect.proposing import Fresh, Proposed, proposal_json, propose
from memoryclaw.errors import ConfigError, InputError, MemoryClawError
from memoryclaw.text.encoding import decode
from memoryclaw.vault import files
from memoryclaw.writing.context import WriteContext


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
    home = environ.get("HOME") or os.path.expanduser("~")
    found: Any = None
    if os.path.isfile(config):
        try:
            text = decode(files.read_file(os.path.dirname(config), os.path.basename(config)).data).text
            found = plain(parse(text))
        except ConfigError as error:
            raise ConfigError(f"{config}: {error}; name the workspace yourself") from None
    for key in ("agents", "defaults", "workspace"):
        found = found.get(key) if isinstance(found, dict) else None
    state = environ.get("OPENCLAW_STATE_DIR") or os.path.join(home, ".openclaw")
    return os.path.expanduser(found) if isinstance(found, str) and found else os.path.join(state, "workspace")


def import_notes(context: WriteContext, workspace: str, *, dry_run: bool = False) -> ImportReport:
    """Proposes what the notes of a workspace hold and nobody has decided yet; one commit."""
    workspace = os.path.abspath(os.path.expanduser(workspace))
    if not os.path.isdir(workspace):
        raise InputError(f"there is no folder {workspace}; name OpenClaw's workspace")
    names, notices = list(_names(workspace)), list[str]()
    everything = list[ImportCandidate]()
    for name in names:
        try:
            text = decode(files.read_file(workspace, name).data).text
        except MemoryClawError as error:
            notices.append(f"{name} was left out: {error}")
            continue
        everything += offered(context.gate.text(name), context.gate.text(text), context.templates.render)
    fresh = Fresh(context)
    new = [one for one in everything if fresh.is_new(one)]
    notices += fresh.notices
    done = ImportReport(
        workspace,
        tuple(names),
        tuple(map(proposal_json, new)),
        len(everything) - len(new),
        "",
        dry_run,
        tuple(notices),
    )
    if dry_run or not new:
        return done
    outcome = propose(context, new, "import-openclaw")
    told = (*notices, outcome[1]) if outcome[1] else tuple(notices)
    return done._replace(commit=outcome[0], notices=told)


def _names(workspace: str) -> Iterator[str]:
    yield from (name for name in CURATED if os.path.isfile(os.path.join(workspace, name)))
    for folder, folders, names in os.walk(os.path.join(workspace, "memory")):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = os.path.relpath(folder, workspace).replace(os.sep, "/")
        yield from (
            path
            for name in sorted(names)
            if not name.startswith(".") and is_wanted(path := f"{inside}/{name}")
        )
