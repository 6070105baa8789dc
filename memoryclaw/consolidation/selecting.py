"""Selects the log lines that no run record, decision or open branch cites yet. Done is what the files say is done.

What was found done is remembered beside the index, so that a year of old logs costs a look at each and no reading.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from memoryclaw.capture.log_records import file_stem
from memoryclaw.consolidation.actions import NewFile
from memoryclaw.consolidation.changes import (
    RUNS,
    PlannedChange,
    RunRecord,
    Segment,
    ToolSequence,
    read_record,
    record_path,
)
from memoryclaw.consolidation.exchanges import Call, calls_in, tool_sequences
from memoryclaw.consolidation.mining import SkillDraft, environment, plan_skills
from memoryclaw.history import repository
from memoryclaw.history.repository import Branch, History, Logged
from memoryclaw.late import NamedTuple
from memoryclaw.model import Turn, grouped
from memoryclaw.skills.listing import known_skills
from memoryclaw.text.encoding import decode, json_object
from memoryclaw.text.frontmatter import split
from memoryclaw.vault import files
from memoryclaw.vault.audience import Label, label_of_note
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.forgotten import ForgottenLines, omitted_lines
from memoryclaw.vault.layout import STATE_DIR, on_disk, safe_path
from memoryclaw.vault.logs import LogRange, parse_ranges, unread, whole_lines
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.state_folder import write_private
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import Decisions, decisions_of

BRANCHES = "refs/heads/memoryclaw/"  # where runs wait in `branch` mode
# What one machine wrote and could not send while another took the vault over.
UNSENT = f"{BRANCHES}unsent-"
_CACHE = f"{STATE_DIR}/consolidated.json"


class Unread(NamedTuple):
    """One log with turns that were not consolidated yet."""

    path: str
    lines: list[bytes]  # with their line ends
    turns: tuple[Turn, ...]  # those that were not read yet
    read: tuple[Turn, ...] = ()  # the others


class PastRuns(NamedTuple):
    """What earlier runs and people decided."""

    records: tuple[RunRecord, ...]
    decisions: Decisions

    def ranges(self) -> dict[str, list[LogRange]]:
        """Every range that is done, by its log."""
        done = (*self.decisions.ranges(), *(r for record in self.records for r in record.ranges))
        return grouped((range_.path, range_) for range_ in done)


class OpenBranch(NamedTuple):
    """A run that waits: its branch, its commits (oldest first) and its run record."""

    run: str
    ref: str
    tip: str
    commits: tuple[Logged, ...]
    record: str


def open_branches(history: History) -> list[OpenBranch]:
    """The runs that wait as branches, in order of their names."""
    if history.state().name == "none":
        return []
    branches = repository.branches(history, BRANCHES)
    return [read_branch(history, branch) for branch in branches if not branch.ref.startswith(UNSENT)]


def read_branch(history: History, branch: Branch) -> OpenBranch:
    """The run that a branch holds."""
    run = branch.ref.removeprefix(BRANCHES)
    record = repository.text_in(history, branch.tip, record_path(run))
    return OpenBranch(
        run, branch.ref, branch.tip, tuple(repository.unmerged_commits(history, branch.tip)), record
    )


def past(vault: Vault, branches: Iterable[str]) -> PastRuns:
    """What runs and decisions say, those on open branches included (as texts of run records)."""
    root = os.fspath(vault.root)
    texts = (decode(files.data_at(root, path) or b"").text for path in run_files(vault))
    records = [read_record(text) for text in (*texts, *branches)]
    return PastRuns(tuple(records), decisions_of(root))


def run_files(vault: Vault) -> list[str]:
    """The paths of all run records, oldest first."""
    try:
        names = os.listdir(on_disk(os.fspath(vault.root), RUNS))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [f"{RUNS}/{name}" for name in sorted(names) if name.endswith(".json") and not name.startswith(".")]


def select(vault: Vault, past_runs: PastRuns, *, since: str = "", remember: bool = False) -> list[Unread]:
    """The logs that hold turns not consolidated yet, in order of their paths.

    Args:
        since: an ISO date; then what is done does not count, and only logs of that day and later are read.
        remember: note what was found done, for the next look; only one process at a time may.
    """
    stamps = vault.scan("logs").files
    ranges = {} if since else past_runs.ranges()
    seen_marks = {} if since else _marks_on_disk(vault)
    forgotten = ForgottenLines.of(past_runs.decisions.forgotten)
    fresh: dict[str, list[str]] = {}
    unread_logs = []
    for path in sorted(stamps):
        if since and path.split("/")[1] < since:
            continue
        cited = {str(range_) for range_ in (*ranges.get(path, ()), *forgotten.marks_of(path))}
        mark = [stamps[path].hex(), *sorted(cited)]
        if seen_marks.get(path) == mark:
            fresh[path] = mark
            continue
        log = _read(
            vault,
            path,
            ranges.get(path, ()),
            ReadingSettings(
                labels=vault.labels, forgotten=forgotten, doubts=vault.doubts(path), zone=vault.zone
            ),
        )
        if log.turns:
            unread_logs.append(log)
        elif not since:
            fresh[path] = mark
    if remember:
        _remember(vault, seen_marks, fresh)
    return unread_logs


def _read(vault: Vault, path: str, ranges: Iterable[LogRange], settings: ReadingSettings) -> Unread:
    stored = vault.read(path)
    if stored is None:
        return Unread(path, [], ())
    content = stored[0]
    if path.endswith(".jsonl"):
        content = _drop_torn_line(content)
    lines = whole_lines(content)
    stretches = unread(path, lines, ranges)
    if not stretches:
        return Unread(path, lines, ())
    turns = read_note(path, content, settings).turns
    is_unread = [False] * (len(lines) + 2)
    for first, last in stretches:
        is_unread[first : last + 1] = [True] * (last - first + 1)
    gone = omitted_lines(settings.forgotten.within(path, content))
    for turn in turns:
        if taken := turn.takes_back:  # what was read before is to be forgotten, so that the request is read
            is_held = not is_unread[min(taken.line, len(lines) + 1)]
            gone.update(range(taken.line, turn.line + (not is_held)))
    left = [(is_unread[min(turn.line, len(lines) + 1)], turn) for turn in turns if turn.line not in gone]
    new, read = (tuple(turn for is_new, turn in left if is_new == wanted) for wanted in (True, False))
    return Unread(path, lines, new, read)


def _drop_torn_line(content: bytes) -> bytes:
    """A log without a last line that is still being written."""
    end = content.rfind(b"\n") + 1
    try:
        json.loads(content[end:])
    except ValueError:
        return content[:end]
    return content


def _marks_on_disk(vault: Vault) -> dict[str, list[str]]:
    try:
        return json_object(files.data_at(os.fspath(vault.root), _CACHE) or b"")
    except OSError:
        return {}


def _remember(vault: Vault, marks: Mapping[str, list[str]], fresh: dict[str, list[str]]) -> None:
    folder = vault.root / STATE_DIR
    if fresh == marks or not folder.is_dir():
        return
    with suppress(OSError):  # what cannot be remembered is read again
        write_private(folder, _CACHE.rpartition("/")[2], json.dumps(fresh).encode("utf-8", "surrogateescape"))


# What was practised often enough to be a skill, or to be known of a project: the actions of new logs beside those that earlier runs saw.

Practised = tuple[tuple[ToolSequence, ...], tuple[PlannedChange, ...]]


def practice(
    context: WriteContext,
    vault: Vault,
    logs: Sequence[Unread],
    ranges: Iterable[str],
    past_runs: PastRuns,
    *,
    threshold: int,
) -> Practised:
    """What the new stretches of the logs show to be done, and what comes of it: facts of projects and drafts of skills."""
    lines = {log.path: log.lines for log in logs}
    # A draft shows what was done to everybody who may see drafts.
    closed = {(log.path, turn.line) for log in logs for turn in log.turns if turn.audience or not turn.export}
    cited = [r for text in ranges for r in parse_ranges(text) if (r.path, r.first) not in closed]
    new = [
        sequence for range_ in cited for sequence in tool_sequences(_calls(context, lines, range_), range_)
    ]
    if not new:
        return (), ()
    # Two machines may have consolidated the same lines, each with a record of its own.
    earlier = [*dict.fromkeys(sequence for record in past_runs.records for sequence in record.acted)]
    served = environment(new, earlier, lambda fact: past_runs.decisions.of(fact.fingerprint) is not None)
    drafts = plan_skills(
        new,
        earlier,
        threshold,
        past_runs.decisions,
        existing=known_skills(vault),
        calls_of=lambda text: _calls_of(context, lines, text),
        render=context.templates.render,
    )
    return tuple(new), (*served, *map(_change, drafts))


def _calls(context: WriteContext, lines: Mapping[str, Sequence[bytes]], range_: LogRange) -> list[Call]:
    """The calls without secrets: not every log was captured."""
    calls = calls_in(lines[range_.path], range_.first, range_.last)
    said = {
        words: context.gate.text(words) for words in {call.said for call in calls}
    }  # before all calls of a turn
    return [call._replace(args=context.gate.value(dict(call.args)), said=said[call.said]) for call in calls]


def _calls_of(context: WriteContext, lines: dict[str, list[bytes]], text: str) -> list[Call]:
    calls = []
    for range_ in parse_ranges(text):
        if range_.path not in lines:
            lines[range_.path] = whole_lines(files.data_at(context.root, range_.path) or b"")
        calls += _calls(context, lines, range_)
    return calls


def _change(draft: SkillDraft) -> PlannedChange:
    return PlannedChange(
        kind="skill",
        title=f"Skill draft: {draft.title or draft.name}",
        actions=(NewFile(draft.path, draft.text),),
        evidence=draft.evidence,
        source=" ".join(draft.ranges[:3]),
        confidence="medium",
        id=draft.name,
    )


# A session that goes on after its episode was written gets another one, which links the one before it.


class ToldSessions:
    """The episodes of earlier runs, and of this one, by the session that they tell."""

    def __init__(self, context: WriteContext, records: Iterable[RunRecord]) -> None:
        self._context = context
        self._sources = [(id_, source) for record in records for id_, source in record.episodes.items()]
        self._planned: list[tuple[LogRange, str, Label]] = []

    def plan(self, segment: Segment, id_: str) -> None:
        """Takes note of an episode that will be written."""
        self._planned.append((segment.range, id_, segment.label))

    def before(self, segment: Segment) -> str:
        """The id of the last episode of the session before a segment, for the same audience; empty without one."""
        name = f"/{segment.range.path.rpartition('/')[2]}"
        if not segment.turns or name != f"/{file_stem(segment.turns[0].session)}.jsonl":
            return ""
        # Of two that end on one line, that of this run is the last.
        earlier = [(range_, 1, id_) for range_, id_, label in self._planned if label == segment.label]
        for id_, source in self._sources:
            if f"{name}#" in source and self._label(id_) == segment.label:
                earlier += [(range_, 0, id_) for range_ in parse_ranges(source)]
        start = segment.range.path, segment.range.first
        ends = ((range_.path, range_.last, planned, id_) for range_, planned, id_ in earlier)
        before = [end for end in ends if end[0].endswith(name) and end[:2] < start]
        return max(before)[-1] if before else ""

    def _label(self, id_: str) -> Label | None:
        path = f"episodes/{id_}.md"
        if path != safe_path(path) or not files.exists(self._context.root, path):
            return None
        return label_of_note(split(self._context.text(path)))
