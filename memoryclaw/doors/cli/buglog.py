"""Where the details of a bug go: a private file under the vault's state folder, for the person to read and send."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
import traceback
from pathlib import Path

from memoryclaw import __version__, config
from memoryclaw.doors.cli.said import Said
from memoryclaw.jobs.gates import secret_gate


def write(error: Exception, said: Said) -> str:
    """Where the traceback is now: the path of a file, or, where none can be written, a sentence that says all that must be known; no secret in either."""
    text = "\n".join([
        f"memoryclaw {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"arguments: {sys.argv[1:]!r}",
        "".join(traceback.format_exception(error)),
    ])  # fmt: skip
    text = secret_gate().sentence(text, sys.argv)
    name = f"bug-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}.log"
    trouble = ""
    for folder in (_folder, _passing_folder):
        try:
            return _put(folder(said), name, text)
        except Exception as other:  # noqa: BLE001 - whatever is in the way here must not hide the bug itself
            trouble = getattr(other, "strerror", None) or str(other)
    return (
        f"what is said here, as no file can be written ({trouble}): memoryclaw {__version__}, {_place(error)}"
    )


def _place(error: Exception) -> str:
    """The line of ours in which it happened, and who called that."""
    frames = [
        f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)
    ]
    return " from ".join(reversed(frames[-4:])) or "nowhere"


def _folder(said: Said) -> Path:
    folder = config.state_folder(config.find_root(said.vault, dict(os.environ), config.here()))
    if not folder.is_dir():
        raise FileNotFoundError(folder)  # a bug must not make folders where no vault is
    return folder


def _passing_folder(_said: Said) -> Path:
    return Path(tempfile.mkdtemp(prefix="memoryclaw-"))


def _put(folder: Path, name: str, text: str) -> str:
    path = folder / name
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        os.unlink(path)  # a full disk leaves a stump
        raise
    return os.fspath(path)
