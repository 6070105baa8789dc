"""init: makes a folder a vault. It adds what is missing, commits only what it added, and touches no file that is there."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime

from memoryclaw.errors import HistoryError, MemoryClawError, VaultError
from memoryclaw.history.git import GitCommand, git_state
from memoryclaw.vault import files
from memoryclaw.vault.layout import CONFIG_FILE, FOLDERS, SCHEMA_FILE, STATE_DIR, run_id
from memoryclaw.vault.state_folder import made
from memoryclaw.writing.context import Templates, Written
from memoryclaw.writing.writer import Edit, write

_FILES = {
    CONFIG_FILE: "notes/memoryclaw.yaml.j2",
    SCHEMA_FILE: "notes/schema.yaml.j2",
    ".gitignore": "notes/gitignore.j2",
    ".gitattributes": "notes/gitattributes.j2",
}


def init(root: str, templates: Templates, now: datetime, new_id: Callable[[], str]) -> Written:
    """Creates the folders, settings and git repository of a vault, as far as they are not there, and commits them."""
    root = os.path.abspath(root)
    existed = os.path.exists(os.path.join(root, CONFIG_FILE))
    _make_folders(root)
    made, notice = _make_repository(root)
    missing = {
        path: templates.render(name).encode() for path, name in _FILES.items() if not files.exists(root, path)
    }
    run = run_id("init", now, new_id())
    edits = [Edit(path, _only_new(path, data)) for path, data in missing.items()]
    outcome = write(root, edits, lambda: templates.commit_message("init", run=run), verb="init", now=now)
    if made and existed:
        notice = (
            "a git repository was added; commit your notes to it, and every change from now on can be undone"
        )
    if not outcome.changed and not made:
        return Written("", root, "", "confirmed", notice or f"{root} is a vault already; nothing was changed")
    action = "completed" if existed else "created"
    return Written("", root, outcome.commit, action, "; ".join(filter(None, (notice, outcome.notice))))


def _make_folders(root: str) -> None:
    try:
        for folder in ("", *FOLDERS):
            # A link is left alone: it is reported where notes are read, and nothing is made in what it leads to.
            if not os.path.islink(os.path.join(root, folder.partition("/")[0])):
                os.makedirs(os.path.join(root, folder), 0o700, exist_ok=True)
        made(os.path.join(root, STATE_DIR))
    except OSError as error:
        raise VaultError(f"{root} cannot be made a vault: {error.strerror} ({error.filename})") from None


def _make_repository(root: str) -> tuple[bool, str]:
    """Whether a repository was made, and what is to be said of it."""
    if git_state(root).name != "none":
        return False, ""
    git_dir = os.path.join(root, ".git")
    if os.path.lexists(git_dir):
        return (
            False,
            f"{git_dir} is there but is no git repository, so changes cannot be undone; repair or remove it",
        )
    try:
        # An empty template: no sample hooks, and none that the user's own template would bring.
        GitCommand(root, git_dir).run("init", "-q", "--template=", "--initial-branch=main")
    except HistoryError as error:
        return False, f"no git repository could be made, so changes cannot be undone ({error})"
    return True, ""


def _only_new(path: str, data: bytes) -> Callable[[bytes | None], bytes]:
    def change(now: bytes | None) -> bytes:
        if now is not None:
            raise MemoryClawError(f"{path} was created meanwhile; run `memoryclaw init` again")
        return data

    return change
