"""The pre-commit hook of a vault's own repository: checks that a person's `git commit` runs first. It warns, or blocks where asked to.

Commits of ours run no hook. A check that cannot run blocks nothing: only the exit code FOUND does.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping
from contextlib import suppress

from memoryclaw.errors import HistoryError, InputError
from memoryclaw.history.git import common_dir, drop
from memoryclaw.history.repository import History
from memoryclaw.late import NamedTuple

CHECKS = ("lint", "eval")
FOUND = 10  # the exit code of a check that found something and is to block the commit
_NAME = "pre-commit"
_RUN = re.compile(r"^check (?P<check>[a-z]+) --hook (?P<mode>warn|strict)$", re.MULTILINE)
_PYTHON = re.compile(r"^python=(?P<quoted>.+)$", re.MULTILINE)
_SCRIPT = """\
#!/bin/sh
# MemoryClaw's own: `memoryclaw lint --uninstall-hook` and `memoryclaw eval --uninstall-hook` take it away.
# A check that cannot run blocks no commit; `warn` never does, `strict` does when something was found.
python={python}
check() {{
    [ -x "$python" ] || return 0
    "$python" -P -m memoryclaw --vault . "$@" || [ $? -ne {found} ] || exit 1
}}
{lines}
exit 0
"""


class Hooked(NamedTuple):
    """What was done about the hook, where it is, and what it runs now: `warn` or `strict` by check."""

    action: str  # installed | unchanged | removed | not installed
    path: str
    checks: Mapping[str, str]


class CommitHook:
    """The hook of one vault."""

    def __init__(self, root: str) -> None:
        self._root = root

    def install(self, check: str, *, strict: bool = False) -> Hooked:
        """Lets the hook run a check; what it runs already, it goes on to run.

        Raises:
            HistoryError: the vault has no git repository of its own.
            InputError: there is a hook that is not ours, or git looks for hooks in a folder that is not the vault's alone.
        """
        folder = self._folder(must_be_ours=True)
        path = os.path.join(folder, _NAME)
        text = _read(path)
        if text is not None and not _is_ours(text):
            raise InputError(
                f"{path} is not MemoryClaw's and was left as it is; {self._by_hand(check, strict=strict)}"
            )
        checks = {**_checks(text or ""), check: "strict" if strict else "warn"}
        script = _script(sys.executable, checks)
        if script != text or not os.access(path, os.X_OK):
            os.makedirs(folder, exist_ok=True)
            _write(path, script)
            return Hooked("installed", path, checks)
        return Hooked("unchanged", path, checks)

    def uninstall(self, check: str) -> Hooked:
        """Takes a check out of the hook, and the hook away with its last; what is not ours stays."""
        path = os.path.join(self._folder(must_be_ours=False), _NAME)
        text = _read(path)
        checks = _checks(text) if text is not None and _is_ours(text) else {}
        if text is None or check not in checks:
            return Hooked("not installed", path, checks)
        del checks[check]
        if checks:
            hit = _PYTHON.search(text)
            _write(path, _script((shlex.split(hit["quoted"])[0] if hit else sys.executable), checks))
        else:
            os.unlink(path)
        return Hooked("removed", path, checks)

    def _folder(self, *, must_be_ours: bool) -> str:
        """Where git looks for the hooks of this repository."""
        history = History(self._root)
        if not history.git_dir:
            raise HistoryError(f"there is nothing to hook into: {history.state().sentence}")
        if must_be_ours and (top := history.state().top):
            raise InputError(f"the repository of {top} holds more than this vault; {self._by_hand('lint')}")
        common = common_dir(history.git_dir)
        configured = _hooks_path(history)
        if not configured:
            return os.path.join(common, "hooks")
        folder = os.path.normpath(os.path.join(self._root, os.path.expanduser(configured)))
        bases = tuple(f"{os.path.realpath(base)}{os.sep}" for base in (self._root, common))
        inside = os.path.realpath(folder).startswith(bases)
        if must_be_ours and not inside:
            raise InputError(
                f"git looks for hooks in {folder} (core.hooksPath), which other repositories may use, too; {self._by_hand('lint')}"
            )
        return folder

    def _by_hand(self, check: str, *, strict: bool = False) -> str:
        mode = "strict" if strict else "warn"
        line = f"{shlex.quote(sys.executable)} -P -m memoryclaw --vault {shlex.quote(self._root)} {check} --hook {mode}"
        return f"to have it run this check, add the line `{line} || [ $? -ne {FOUND} ] || exit 1` to the hook {_NAME} there"


def _hooks_path(history: History) -> str:
    """`core.hooksPath` as the user's own git reads it; empty where it is not set."""
    home = os.path.expanduser("~")
    shared = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    user_files = (os.path.join(home, ".gitconfig"), os.path.join(shared, "git", "config"), "/etc/gitconfig")
    for place in (("--local",), *(("--file", path) for path in user_files if os.path.isfile(path))):
        is_set, out = history.git.asks("config", *place, "--includes", "--get", "core.hooksPath")
        if is_set:
            return out.decode("utf-8", "surrogateescape").rstrip("\n")
    return ""


def _read(path: str) -> str | None:
    """The text of a hook, None where there is none; a link is one, wherever it leads."""
    if os.path.islink(path):
        return ""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _checks(text: str) -> dict[str, str]:
    return {hit["check"]: hit["mode"] for hit in _RUN.finditer(text) if hit["check"] in CHECKS}


def _is_ours(text: str) -> bool:
    """True for a hook that we wrote and nobody has changed since."""
    hit = _PYTHON.search(text)
    if not hit:
        return False
    with suppress(ValueError):  # half a quotation
        return text == _script(shlex.split(hit["quoted"])[0], _checks(text))
    return False


def _script(python: str, checks: Mapping[str, str]) -> str:
    lines = "\n".join(f"check {check} --hook {checks[check]}" for check in CHECKS if check in checks)
    return _SCRIPT.format(python=shlex.quote(python), found=FOUND, lines=lines)


def _write(path: str, text: str) -> None:
    temp = f"{path}.memoryclaw"
    drop(temp)
    handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755)
    with open(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.chmod(temp, 0o755)  # noqa: S103 - git runs a hook that may be executed; whoever shares the repository runs it, too
    os.rename(temp, path)
