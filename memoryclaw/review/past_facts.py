"""What the vault held true at an earlier moment: the facts that stood in the files of the last commit there was then. Reads only."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time

from memoryclaw.errors import HistoryError, InputError
from memoryclaw.history import repository
from memoryclaw.history.repository import History, Logged
from memoryclaw.model import Fact
from memoryclaw.review.file_history import bytes_on
from memoryclaw.text.encoding import decode, readable
from memoryclaw.vault.fields import facts_of_note
from memoryclaw.vault.layout import NOTE, SCHEMA_FILE, SEMANTIC, place_of
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.vocabulary import read_schema

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].+)?", re.ASCII)


def commit_at(root: str, when: str) -> Logged:
    """The last commit that the vault had at a moment.

    Args:
        when: a day (ISO; its end, UTC), a day and time, a commit or a run.

    Raises:
        HistoryError: the vault has no git repository of its own.
        InputError: that is no moment and no commit, or there was no commit yet.
    """
    git = History(root)
    if not git.git_dir:
        raise HistoryError(f"what the vault said then cannot be shown: {git.state().sentence}")
    if not _DATE.fullmatch(when):
        return repository.log_row(git, git.find(when).commit)
    moment = _moment(when)
    # Along the first parents: what another machine did is known here since it was merged.
    args = ["rev-list", "--first-parent", "--max-count=1", f"--min-age={int(moment.timestamp())}", "HEAD"]
    commit = git.git.run(*args).decode().strip() if git.head() else ""
    if not commit:
        raise InputError(f"the vault had no commit yet on {when}; `memoryclaw history` lists what it has")
    return repository.log_row(git, commit)


def _moment(when: str) -> datetime:
    try:
        if len(when) == len("2025-07-01"):
            return datetime.combine(date.fromisoformat(when), time.max, UTC)
        moment = datetime.fromisoformat(when)
    except ValueError:
        raise InputError(f"{when!r} is not a date; write it as 2025-07-01") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def facts_in(root: str, commit: str) -> list[tuple[str, Fact]]:
    """Every fact and statement in the files of a commit, with the path of its file, in file order."""
    git = History(root)
    blobs = {path: oid for path, oid in git.listing(commit).items() if place_of(path) in (SEMANTIC, NOTE)}
    schema, *objects = git.objects([f"{commit}:{git.places.on_disk(SCHEMA_FILE)}", *blobs.values()])
    settings = ReadingSettings(
        collections=read_schema(readable(decode(schema[2]).text) if schema else "").collections
    )
    facts: list[tuple[str, Fact]] = []
    for path, blob in sorted(zip(blobs, objects, strict=True)):
        if blob is None:
            raise HistoryError(repository.missing_object(f"{path} of {commit[:12]}"))
        facts += ((path, fact) for fact in read_note(path, blob[2], settings).typed_facts)
    return facts


def facts_on(root: str, facts: list[tuple[str, Fact]], day: date) -> list[tuple[str, Fact]]:
    """Facts of a day, those of notes as git has them of it."""
    by_path: dict[str, list[tuple[str, Fact]]] = {}
    for path, fact in facts:
        by_path.setdefault(path, []).append((path, fact))
    for path in by_path:
        if place_of(path) == NOTE:
            data = bytes_on(root, path, day.isoformat())
            if data is not None:
                by_path[path] = [(path, fact) for fact in facts_of_note(path, decode(data).text).facts]
    return [pair for pairs in by_path.values() for pair in pairs]
