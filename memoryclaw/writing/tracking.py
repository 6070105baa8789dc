"""`git.track_logs` and `git.track_ledger`: logs and ledger in git, committed in batches; turned off again, nothing is deleted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from memoryclaw.errors import NotFoundError
from memoryclaw.text.encoding import decode, lines_of
from memoryclaw.vault import files
from memoryclaw.vault.edits import line_end
from memoryclaw.vault.layout import STATE_DIR, on_disk, places, run_id
from memoryclaw.vault.state_folder import write_private
from memoryclaw.writing.context import Templates
from memoryclaw.writing.init import leave_out
from memoryclaw.writing.writer import Edit, Writer, text_change, writing

_IGNORE, _ATTRIBUTES = ".gitignore", ".gitattributes"
_AT_ONCE = 500  # files of one commit
_CACHE = "tracked.json"  # in the state folder: the stamps of what is committed, so that old logs are not read again


@dataclass(frozen=True, slots=True)
class Tracking:
    """What a vault's settings say of it: for `logs` and `ledger`, whether git tracks them; and what a commit is made with."""

    root: str
    wanted: Mapping[str, bool]
    templates: Templates
    now: datetime
    new_id: Callable[[], str]

    def run(self) -> tuple[str, ...]:
        """Commits what was appended since the last time; returns the commits, none where there was nothing.

        Raises:
            HistoryError: git is in no state to take a commit.
        """
        earlier = _remembered(self.root)
        ours = {path.partition("/")[0] for path in earlier}
        rules = decode(files.data_at(self.root, _IGNORE) or b"").text.splitlines()
        tracked = [folder for folder in self.wanted if _note(folder) in rules]  # by this machine or another
        foreign = [folder for folder in tracked if not (self.wanted[folder] or folder in ours)]
        leave_out(self.root, foreign)  # another machine tracks its own, and goes on
        if not any(self.wanted.values()) and not ours:
            return ()
        with writing(self.root) as writer:
            if writer.untracked:
                return ()
            commits = [self._rules(writer, {f: on for f, on in self.wanted.items() if f not in foreign})]
            folders = [folder for folder, on in self.wanted.items() if on]
            fresh = {path: stamp for folder in folders for path, stamp in _stamps(self.root, folder)}
            paths = sorted(path for path, stamp in fresh.items() if earlier.get(path) != stamp)
            batches = (paths[begin : begin + _AT_ONCE] for begin in range(0, len(paths), _AT_ONCE))
            commits += [self._batch(writer, batch) for batch in batches]
            if fresh != earlier:
                with suppress(OSError):  # what cannot be remembered is read again
                    data = json.dumps(fresh).encode("utf-8", "surrogateescape")
                    write_private(os.path.join(self.root, STATE_DIR), _CACHE, data)
        return tuple(filter(None, commits))

    def _batch(self, writer: Writer, paths: Sequence[str]) -> str:
        def message() -> str:
            return self.templates.commit_message(
                "track", run=self._run_id(), count=len(paths), first=paths[0], last=paths[-1]
            )

        return writer.record(paths, message, verb="track", now=self.now)

    def _rules(self, writer: Writer, wanted: Mapping[str, bool]) -> str:
        """Takes the folders out of what git ignores, or puts them back; how git itself merges them is said beside."""
        rules = ((_IGNORE, self._ignored), (_ATTRIBUTES, self._attributes))
        changed = []
        for path, change in rules:
            edit, data = Edit(path, text_change(partial(change, wanted))), files.data_at(self.root, path)
            changed += [edit] if edit.change(data) != (data or b"") else []
        if not changed:
            return ""
        on = [f"{folder}/" for folder, is_on in wanted.items() if is_on]
        return writer.write(
            changed,
            lambda: self.templates.commit_message("track-rules", run=self._run_id(), on=on),
            verb="track",
            now=self.now,
        ).commit

    def _ignored(self, wanted: Mapping[str, bool], text: str) -> str:
        lines = lines_of(text)
        for folder, on in wanted.items():
            ignored = f"{places(self.root).on_disk(folder)}/"
            old, new = (ignored, _note(folder)) if on else (_note(folder), ignored)
            lines = [
                new + line[len(line.rstrip("\r\n")) :] if line.strip() == old else line for line in lines
            ]
        return "".join(lines)

    def _attributes(self, wanted: Mapping[str, bool], text: str) -> str:
        for folder, on in wanted.items():
            rule = f"{places(self.root).on_disk(folder)}/** merge=union"
            if on and rule not in text.splitlines():
                end = line_end(text)
                text += ("" if not text or text.endswith(("\n", "\r")) else end) + rule + end
        return text

    def _run_id(self) -> str:
        return run_id("track", self.now, self.new_id())


def _note(folder: str) -> str:
    return f"# {folder}/ is tracked by git: git.track_{folder}"


def _stamps(root: str, folder: str) -> Iterator[tuple[str, list[int]]]:
    for path in files.list_files(root, folder):
        with suppress(OSError):  # it went meanwhile
            info = os.lstat(on_disk(root, path))
            yield path, [info.st_size, info.st_mtime_ns, info.st_ino]


def _remembered(root: str) -> dict[str, list[int]]:
    try:
        stamps = json.loads(files.read_file(root, f"{STATE_DIR}/{_CACHE}").data)
    except (NotFoundError, ValueError, OSError):
        return {}
    return stamps if isinstance(stamps, dict) else {}
