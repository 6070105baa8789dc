"""One marked block in the user's crontab; every byte outside it stays as it is."""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.daemon.systemd import ask
from memoryclaw.errors import VaultError


def trouble() -> str:
    """Why no entry can be made here, or nothing."""
    try:
        _read()
    except VaultError as error:
        return str(error)
    return ""


def install(name: str, written: Sequence[tuple[str, str]]) -> bool:
    """Puts the block of this name into the crontab, replacing an older one; False when it is there already."""
    head, old, tail = _split(_read(), name)
    new = written[0][1].encode("utf-8", "surrogateescape")
    if old == new:
        return False
    if not old and head and not head.endswith(b"\n"):
        head += b"\n"
    _write(head + new + tail)
    return True


def remove(name: str) -> bool:
    """Takes the block of this name out of the crontab; False when there is none, or no crontab can be read."""
    if not entry(name):
        return False
    head, _, tail = _split(_read(), name)
    _write(head + tail)
    return True


def entry(name: str) -> str:
    """The block of this name; empty when there is none, or no crontab can be read."""
    try:
        return _split(_read(), name)[1].decode("utf-8", "surrogateescape")
    except VaultError:
        return ""


def _split(text: bytes, name: str) -> tuple[bytes, bytes, bytes]:
    """A crontab as what stands before the block, the block, and what stands after it."""
    lines = text.splitlines(keepends=True)
    begins = f"# >>> {name},".encode()
    ends = f"# <<< {name}".encode()
    first = next((n for n, line in enumerate(lines) if line.startswith(begins)), None)
    if first is None:
        return text, b"", b""
    last = next((n for n in range(first, len(lines)) if lines[n].rstrip(b"\r\n") == ends), None)
    if last is None:
        sentence = f"the crontab holds the beginning of the entry {name} but not its last line"
        raise VaultError(f"{sentence}; remove it with `crontab -e`")
    return b"".join(lines[:first]), b"".join(lines[first : last + 1]), b"".join(lines[last + 1 :])


def _read() -> bytes:
    answer = ask("crontab", "-l")
    if answer.code == 0:
        return answer.out
    # A user without a crontab is told so as a failure, and only that one may be taken for an empty one.
    if not answer.out and any(words in answer.words.lower() for words in ("no crontab", "no such file")):
        return b""
    raise VaultError(f"cron cannot be used here ({answer.words or f'crontab ended with {answer.code}'})")


def _write(text: bytes) -> None:
    answer = ask("crontab", "-", stdin=text) if text else ask("crontab", "-r")
    if answer.code:
        raise VaultError(f"the crontab could not be written ({answer.words}); it is as it was")
