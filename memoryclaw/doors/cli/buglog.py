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
    """The path of the file that now holds the traceback, without secrets."""
    text = "\n".join([
        f"memoryclaw {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"arguments: {sys.argv[1:]!r}",
        "".join(traceback.format_exception(error)),
    ])  # fmt: skip
    text = secret_gate().sentence(text, sys.argv)
    name = f"bug-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}.log"
    try:
        return _put(_folder(said), name, text)
    except OSError:
        return _put(Path(tempfile.mkdtemp(prefix="memoryclaw-")), name, text)


def _folder(said: Said) -> Path:
    folder = config.state_folder(config.find_root(said.vault, dict(os.environ), config.here()))
    if not folder.is_dir():
        raise FileNotFoundError(folder)  # a bug must not make folders where no vault is
    return folder


def _put(folder: Path, name: str, text: str) -> str:
    path = folder / name
    with open(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600),
        "w",
        encoding="utf-8",
        errors="backslashreplace",
    ) as file:
        file.write(text)
    return os.fspath(path)
