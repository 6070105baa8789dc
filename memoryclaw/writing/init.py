"""init: makes a folder a vault. It adds what is missing, commits only what it added, and touches no file that is there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial

from memoryclaw.config import FORMAT
from memoryclaw.errors import GitKilledError, HistoryError, InputError, VaultError
from memoryclaw.history import git
from memoryclaw.history.repository import History
from memoryclaw.model import NOTHING
from memoryclaw.vault import files, layout
from memoryclaw.vault.files import writer_lock
from memoryclaw.vault.state_folder import make_private_folder
from memoryclaw.writing.context import Templates, Written
from memoryclaw.writing.writer import Adopt, new_file, write

_FILES = {
    layout.CONFIG_FILE: "notes/memoryclaw.yaml.j2",
    layout.SCHEMA_FILE: "notes/schema.yaml.j2",
    ".gitignore": "notes/gitignore.j2",
    ".gitattributes": "notes/gitattributes.j2",
}
ADOPTS = "adopt"  # the verb of runs that put notes of the user's into git
PRIVATE = (layout.STATE_DIR, "working", "logs", "ledger")  # folders that git ignores
_AT_ONCE = 2000  # notes of one commit: their names are arguments of a git command
_OTHER_PROGRAMS = (".obsidian", "logseq")  # the folders by which their vaults are known
_NEW_REPOSITORY = ".git.new"  # not in the state folder: git tries links out, and none may be there


def first_files(
    templates: Templates, known: layout.Places, vault_id: str, zone: str = "", owner: str = ""
) -> dict[str, bytes]:
    """The files that a new vault begins with; `known` says where its folders are, `zone` what its days are counted in, `owner` who says `I`."""
    return {
        path: templates.render(
            name, at=known.on_disk, paths=known.moved, format=FORMAT, id=vault_id, zone=zone, owner=owner
        ).encode()
        for path, name in _FILES.items()
    }


def init(
    root: str,
    templates: Templates,
    now: datetime,
    new_id: Callable[[], str],
    vault_id: str,
    *,
    paths: Mapping[str, str] = NOTHING,
    zone: str = "",
    owner: str = "",
    shared: bool = False,
) -> Written:
    """Creates the folders, settings and git repository of a vault, as far as they are not there, and commits them.

    `paths` says where new settings put folders of ours, such as `{"archive": "memory-archive"}`, and `zone` is the
    one that they say days are counted in; `owner` is who says `I` in them. `shared` has the larger repository that
    the folder lies in hold the vault, where there is one and the vault has none.
    """
    root, run = os.path.abspath(root), layout.run_id("init", now, new_id())
    layout.must_take_writes(root)
    existed = os.path.exists(os.path.join(root, layout.CONFIG_FILE))
    if not existed:
        layout.put_folders(root, layout.valid_places(paths))
    elif paths:
        raise InputError(
            f"{root} has settings already; write `paths:` into {layout.CONFIG_FILE}, and move the folders yourself"
        )
    locations = layout.places(root)
    make_folders(root)
    with writer_lock(root):
        is_new_repository, notice = make_repository(root, shared=shared)
    new = first_files(templates, locations, vault_id, zone, owner).items()
    missing = {path: data for path, data in new if not files.exists(root, path)}
    if (is_new_repository or not existed) and ".gitignore" not in missing:  # else ours says so
        leave_out(root, PRIVATE)
    edits = [new_file(path, data.decode()) for path, data in missing.items()]
    outcome = write(root, edits, lambda: templates.commit_message("init", run=run), verb="init", now=now)
    if is_new_repository and existed:
        added = (
            "a git repository was added; commit your notes to it, and every change from now on can be undone"
        )
        notice = "; ".join(filter(None, (added, notice)))
    if outcome.commit and git.wants_signatures(git.git_state(root).git_dir):
        notice = "; ".join(filter(None, (notice, git.UNSIGNED)))
    if not outcome.changed and not is_new_repository:
        return Written("", root, "", "confirmed", notice or f"{root} is a vault already; nothing was changed")
    action = "completed" if existed else "created"
    return Written("", root, outcome.commit, action, "; ".join(filter(None, (notice, outcome.notice))))


def adopt(
    root: str, paths: Sequence[str], templates: Templates, now: datetime, new_id: Callable[[], str]
) -> Written:
    """Commits notes of the user's as they are, so that what is done to them later can be undone.

    What git holds already, ignores or has staged is left as it is. No file changes.
    """
    run, commit, notice = layout.run_id(ADOPTS, now, new_id()), "", ""
    history = History(root)
    ignored = history.ask_ignored(paths)() if history.git_dir else set()
    paths = [path for path in paths if path not in ignored]
    for start in range(0, len(paths), _AT_ONCE):
        batch = paths[start : start + _AT_ONCE]
        message = partial(templates.commit_message, "adopt", run=run, count=len(batch))
        outcome = write(root, [Adopt(path) for path in batch], message, verb=ADOPTS, now=now)
        commit, notice = outcome.commit or commit, outcome.notice
    return Written("", root, commit, "added" if commit else "confirmed", notice)


def make_folders(root: str) -> None:
    """Makes the folders of a vault that are not there. Raises VaultError: one cannot be made."""
    try:
        # In the vault of another program nothing empty is made: a folder comes with the first file in it.
        is_of_others = any(os.path.isdir(os.path.join(root, name)) for name in _OTHER_PROGRAMS)
        for folder in ("",) if is_of_others else ("", *layout.FOLDERS):
            # A link is left alone: it is reported where notes are read, and nothing is made in what it leads to.
            if not folder:
                os.makedirs(root, 0o700, exist_ok=True)
            elif not os.path.islink(layout.on_disk(root, folder.partition("/")[0])):
                files.make_folder(root, folder)
        make_private_folder(os.path.join(root, layout.STATE_DIR))
    except OSError as error:
        raise VaultError(f"{root} cannot be made a vault: {error.strerror} ({error.filename})") from None


def make_repository(root: str, *, shared: bool = False) -> tuple[bool, str]:
    """Whether a repository was made, and what is to be said of it."""
    if shared:
        state, (top, git_dir) = git.git_state(root), git.larger_repository(root)
        if state.name != "none" and not state.top:
            raise InputError(f"{root} has a repository of its own, which holds its changes")
        if not git_dir:
            raise InputError(f"{root} lies in no git repository of yours; leave --use-repository out")
        if state.name == "none":
            git.GitCommand(top, git_dir).run(
                "config", "--local", "--add", git.SHARED, git.folder_in(top, root)
            )
        return False, (
            f"changes are committed in the repository of {top}, which knows the vault by its setting {git.SHARED}"
        )
    # Made beside its place and moved, so that one that was cut short is no repository that nobody can use.
    place = os.path.join(root, _NEW_REPOSITORY)
    shutil.rmtree(place, ignore_errors=True)
    if git.git_state(root).name != "none":
        return False, ""
    git_dir = os.path.join(root, ".git")
    if os.path.lexists(git_dir):
        trouble = (
            f"{git_dir} is there but is no git repository, so changes cannot be undone; repair or remove it"
        )
        return False, trouble
    try:
        os.makedirs(place, 0o700)
        # An empty template: no sample hooks, and none that the user's own template would bring.
        fresh = os.path.join(place, ".git")
        git.GitCommand(place, fresh).run("init", "-q", "--template=", "--initial-branch=main")
        os.rename(fresh, git_dir)
    except GitKilledError:
        raise  # it can be tried again
    except OSError as error:
        raise VaultError(f"{root} cannot be made a vault: {error.strerror} ({error.filename})") from None
    except HistoryError as error:
        return False, f"no git repository could be made, so changes cannot be undone ({error})"
    finally:
        shutil.rmtree(place, ignore_errors=True)
    larger, _ = git.larger_repository(root)
    is_inside = (
        f"the vault has a git repository of its own inside that of {larger}, which does not hold its changes; "
        f"to have them there, remove {git_dir} and run `memoryclaw init --use-repository`"
    )
    return True, is_inside if larger else ""


def leave_out(root: str, folders: Sequence[str]) -> None:
    """Has git ignore folders, where rules of the user's do not: in the repository's own list, not in their file."""
    history = History(root)
    if not history.git_dir or not folders:
        return
    ignored = history.ask_ignored([f"{folder}/x" for folder in folders])()
    lines = [f"/{history.places.on_disk(folder)}/\n" for folder in folders if f"{folder}/x" not in ignored]
    if lines:
        info = os.path.join(git.common_dir(history.git_dir), "info")
        os.makedirs(info, exist_ok=True)
        with open(os.path.join(info, "exclude"), "a", encoding="utf-8") as file:
            file.write("".join(("# MemoryClaw: derived, or private\n", *lines)))
