"""Writes lines of JSON from a host to the logs. A line is acknowledged only when it is durable, and never kept twice."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from memoryclaw.capture.host_turns import PendingToolCalls, messages_in, read_turn, session_of, topic_in
from memoryclaw.capture.log_files import FOLDER, Logs
from memoryclaw.capture.log_records import file_stem, likeness, line_of, redact_turn
from memoryclaw.errors import InputError, VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.model import grouped
from memoryclaw.text.encoding import json_value, read_json
from memoryclaw.text.redaction import (
    Redactor,
    asked_secret,
    marked,
    puts_right,
    repeated_secrets,
    replied_secrets,
    told_secret,
)
from memoryclaw.vault.audience import UNLABELLED, Label, common_audience, join_labels
from memoryclaw.vault.layout import timestamp, writable_moment
from memoryclaw.vault.logs import label_of_turn, text_of_turn
from memoryclaw.writing.secret_gate import without_secrets
from memoryclaw.writing.tombstones import WHY, Tombstones, text_of_record

LONGEST = 32 * 1024 * 1024  # characters of one line
_NUMBER = 15  # digits of a turn that is counted on from; a longer one is a name
Turn = str | Mapping[str, Any]  # a line of JSON, or what it says
_SPEAKERS = ("user", "assistant")
_BEFORE = 6  # turns of people and assistants that a later one is compared with
_SPOKEN = 4000  # characters of each
SESSIONS = 64  # that are kept in mind between batches; what is known of others is read again


class CaptureResult(NamedTuple):
    """What became of one line: kept under an id, known already, left out on purpose, or refused."""

    line: int
    ok: bool
    id: str = ""
    error: str = ""
    again: bool = False
    left_out: str = ""  # why nothing was kept, where that is right
    redacted: int = 0  # secrets taken out


class KeptTurn(NamedTuple):
    """A turn as its line in the log has it, and its audience: an answer is for no more people than what it answers.

    Beside it stand what was said last before it in its session, and the receipt of the recall that it had before it, where its host
    names that.
    """

    session: str
    record: Mapping[str, Any]
    audience: str
    before: tuple[str, ...] = ()
    receipt: str = ""


class _LogLine(NamedTuple):
    """A line that will be kept."""

    path: str
    data: bytes
    artifacts: dict[str, bytes]
    done: CaptureResult
    turn: KeptTurn


class Recorder:
    """Captures into one vault; knows the sessions that it has seen, so that every batch costs only what is new.

    Args:
        logs: the vault's logs.
        redactor: takes the secrets out.
        clock: gives a line without a time its time.
        zone: the offset, at a moment, of where turns are said that name none.
        project: the repository that a folder is in, by name; empty where it is in none.
        notice: what else to say of this recorder, in one sentence.
    """

    def __init__(
        self,
        logs: Logs,
        redactor: Redactor,
        clock: Callable[[], datetime],
        *,
        zone: Callable[[str], str] = lambda _: "",
        project: Callable[[str], str] = lambda _: "",
        notice: str = "",
    ) -> None:
        self.notice = notice
        self._erased = Tombstones(frozenset(), redactor.digest)
        self._logs = logs
        self._redactor = redactor
        self._clock = clock
        self._zone = zone
        self._project = project
        self._by = ""  # of the present batch
        self._sessions: dict[str, _Session] = {}
        self._topics: dict[str, str] = {}  # what hosts have called sessions since their last turn
        self._calls: dict[str, PendingToolCalls] = defaultdict(PendingToolCalls)

    def capture(
        self,
        lines: Iterable[Turn],
        *,
        session: str = "",
        first: int = 1,
        by: str = "",
        keep: bool = True,
        tell: Callable[[list[KeptTurn]], None] = lambda _: None,
    ) -> list[CaptureResult]:
        """Keeps a batch of lines; one acknowledgement each, in order.

        Args:
            lines: objects, each a mapping or one line of JSON; blank lines are passed over.
            session: for lines that name none.
            first: the number of the first line.
            by: the audience of who delivers them, where that may not speak for a person.
            keep: False to only tell what would become of each; nothing is written.
            tell: told what is new in the logs, once it is durable.

        Raises:
            ClockError: nothing can be dated with the time of the clock.
            InputError: it is no batch, but one line.
        """
        if isinstance(lines, str | bytes | Mapping):
            raise InputError("several turns are kept at once; put this one into a list")
        if keep:
            writable_moment(self._clock())
        outcomes: list[list[CaptureResult | _LogLine]] = []
        with self._logs.locked():
            self._by = by
            self._erased = Tombstones.read(self._logs.decisions(), self._redactor.digest)
            for state in self._sessions.values():
                state.stale = True
            for number, line in enumerate(lines, first):
                if not isinstance(line, str) or (line and not line.isspace()):
                    outcomes.append(self._line(number, line, session))
            fresh = [outcome for line in outcomes for outcome in line if isinstance(outcome, _LogLine)]
            failed = self._write(fresh) if keep else {}
            if not keep:
                self._sessions.clear()  # what they hold was not written
            for expired in list(self._sessions)[:-SESSIONS]:
                del self._sessions[expired]
        if keep:
            tell([line.turn for line in fresh if line.path not in failed])
        return [_acknowledged([_outcome(turn, failed) for turn in line]) for line in outcomes]

    def _line(self, number: int, line: Turn, session: str) -> list[CaptureResult | _LogLine]:
        turns = list[CaptureResult | _LogLine]()
        try:
            if not isinstance(line, str):
                line = _written(line)
            if len(line) > LONGEST:
                raise InputError(
                    f"this line has {len(line):,} characters, more than the {LONGEST:,} that are read"
                )
            value = read_json(line, "this line is not JSON; give one object a line")
            messages = messages_in(value)
            if isinstance(messages, str):
                if topic := topic_in(value):
                    self._topics[session_of(value) or session] = topic
                return [CaptureResult(number, ok=True, left_out=messages)]
            for message in messages:
                turns.append(self._turn(number, message, session))
        except (InputError, VaultError) as error:
            excerpt = line[:LONGEST] if isinstance(line, str) else str(line)[:LONGEST]
            turns.append(CaptureResult(number, ok=False, error=without_secrets(str(error), excerpt)))
        return turns

    def _turn(self, number: int, value: Any, session: str) -> CaptureResult | _LogLine:
        name = session_of(value) or session
        message = read_turn(value, self._calls[name])
        project = self._project(message.cwd) if message.cwd else ""
        if message.branch and not project:  # of a folder that is not here
            project = message.cwd.replace("\\", "/").rstrip("/").rpartition("/")[2]
        called = self._topics.pop("", ""), self._topics.pop(name, "")
        topic = message.topic or called[1] or called[0]
        redacted = redact_turn(replace(message, session=name, project=project, topic=topic), self._redactor)
        if redacted.left_out:
            return CaptureResult(number, ok=True, left_out=redacted.left_out)
        record = redacted.record
        if not record.get("session"):
            raise InputError('this line names no session; give it "session", or use --session')
        names = (str(record.get("turn", "")), str(record.get("host_id", "")))
        if self._erased.turn(record["session"], names, text_of_record(record)):
            return CaptureResult(number, ok=True, left_out=WHY)
        session = record["session"]
        state = self._sessions.pop(session, None) or _Session(session)
        self._sessions[session] = state  # the last one used stands last
        if state.stale:
            state.refresh(self._logs)
        record, hidden = state.without_told_secrets(record, self._redactor.mark)
        said_so = likeness(record)
        known_id = state.known_id(record, said_so)
        if known_id:
            state.hear(record)
            state.must_hide(known_id, label_of_turn(record, text_of_turn(record)))
            return CaptureResult(number, ok=True, id=known_id, again=True)
        record = {"ts": timestamp(self._clock()), **record, "turn": record.get("turn") or state.last + 1}
        if zone := record.pop("tz", "") or self._zone(record["ts"]):
            record["tz"] = zone
        if self._by and record.get("role") == "user":
            record["by"] = self._by
        before = tuple(state.said)
        id_ = state.add(record, said_so)
        path = f"{FOLDER}/{record['ts'][:10]}/{state.stem}.jsonl"
        outcome = CaptureResult(number, ok=True, id=id_, redacted=len(redacted.kinds) + hidden)
        label = label_of_turn(record, text_of_turn(record)).audience
        turn = KeptTurn(state.session, record, common_audience(state.asked, label), before, message.receipt)
        return _LogLine(path, line_of(_order(record)), redacted.artifacts, outcome, turn)

    def _write(self, lines: list[_LogLine]) -> dict[str, str]:
        """Writes the lines, file by file; the paths that failed, each with one sentence."""
        failed = {}
        for path, group in grouped((line.path, line) for line in lines).items():
            try:
                for line in group:
                    for digest, data in line.artifacts.items():
                        self._logs.keep(digest, data)
                end = self._logs.append(path, [line.data for line in group])
                self._sessions[group[0].turn.session].wrote(path, [line.data for line in group], end)
            except OSError as error:
                failed[path] = f"{path} could not be written ({error.strerror}); send this line again"
            except VaultError as error:
                failed[path] = str(error)
        if failed:
            self._sessions.clear()  # what they hold was not written
        return failed


class _Session:
    """What the logs hold of one session."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.stem = file_stem(session)
        self.stale = True
        self._read: dict[str, tuple[int, int]] = {}  # path → bytes and lines read
        self._turns: dict[str, bytes] = {}  # turn → what it says
        self._hosts: dict[str, str] = {}  # the host's id → our turn
        self._moments: dict[tuple[str, bytes], str] = {}  # when it was said, and what → our turn
        self._labels: dict[str, Label] = {}  # our turn → its own label, where it has one
        self.last = 0  # the highest number of a turn
        self.said = deque[str](maxlen=_BEFORE)  # by people and assistants, the last of it
        self.asked = ""  # the audience of the last words of a person
        self._last: dict[str, str] = {}  # speaker → what they said last
        self._answer = ""  # of the assistant to the last person
        self._replied: set[str] = set()  # the kinds of secrets that replies told

    def refresh(self, logs: Logs) -> None:
        """Reads what was appended since the last look, by us or by anybody."""
        for path in logs.of_session(self.stem):
            offset, number = self._read.get(path, (0, 0))
            if logs.size(path) == offset:
                continue
            lines = logs.lines(path, offset)
            for index, line in enumerate(lines, number + 1):
                record = json_value(line)
                if isinstance(record, dict) and str(record.get("session", self.session)) == self.session:
                    self.add({**record, "turn": record.get("turn") or index}, likeness(record))
            complete = lines[:-1] if lines else []
            self._read[path] = offset + sum(len(line) + 1 for line in complete), number + len(complete)
        self.stale = False

    def wrote(self, path: str, lines: list[bytes], end: int) -> None:
        """Takes note of lines that were appended and are known, if nobody else wrote in between."""
        offset, number = self._read.get(path, (0, 0))
        if offset + sum(map(len, lines)) == end:
            self._read[path] = end, number + len(lines)

    def known_id(self, record: dict[str, Any], said: bytes) -> str:
        """The id under which this line is kept already, or nothing; InputError when its turn is taken by another."""
        host, turn = record.get("host_id"), record.get("turn")
        if host and host in self._hosts:
            return self._id(self._hosts[host])
        if turn:
            if turn in self._turns and self._turns[turn] != said:
                sentence = f"turn {turn} of session {self.session} is kept already and says something else"
                raise InputError(f"{sentence}; give this line another turn")
            return self._id(turn) if turn in self._turns else ""
        if not host and "ts" in record:
            return self._id(self._moments.get((record["ts"], said), ""))
        return ""

    def add(self, record: dict[str, Any], said: bytes) -> str:
        """Takes note of a line; returns its id."""
        turn = str(record["turn"])
        self._turns[turn] = said
        self._moments[str(record.get("ts")), said] = turn
        if host := record.get("host_id"):
            self._hosts[host] = turn
        if turn.isdecimal() and len(turn) <= _NUMBER:
            self.last = max(self.last, int(turn))
        text = self.hear(record)
        label = label_of_turn(record, text)
        if label != UNLABELLED:
            self._labels[turn] = label
        if record.get("role") in _SPEAKERS:
            self.said.append(text[:_SPOKEN])
            if record.get("role") == "user":
                self.asked = label.audience
        return self._id(turn)

    def hear(self, record: dict[str, Any]) -> str:
        """Takes note of who said what last, if it is said again; returns it."""
        text = text_of_turn(record)
        if record.get("role") == "assistant":
            self._answer = text[:_SPOKEN]
        elif record.get("role") == "user":
            self._last[str(record.get("name", ""))], self._answer = text[:_SPOKEN], ""
            if len(text) <= _SPOKEN and (kind := told_secret(text)):
                self._replied.add(kind)
        return text

    def without_told_secrets(
        self, record: dict[str, Any], mark: Callable[[str, str], str]
    ) -> tuple[dict[str, Any], int]:
        """A record without the secrets that only what was said before tells, `oops 5812`, `Got it, 5812.`; and how many there were."""
        text, role = record.get("content"), record.get("role")
        if role not in _SPEAKERS or not isinstance(text, str) or not text or len(text) > _SPOKEN:
            return record, 0
        # A person may say the same figure of something else: `I got married in 2019`.
        repeated = list(repeated_secrets(text, self.said, mark)) if role == "assistant" else []
        record = {**record, "content": (text := marked(text, repeated, mark))}
        before = told_secret(self._last.get(str(record.get("name", "")), ""))
        asked = asked_secret(self._answer)
        if role != "user" or not (before or asked or self._replied):
            return record, len(repeated)
        is_right = puts_right(text)
        kind = asked or (before if is_right or "?" not in self._answer else "")
        for each in [kind] if kind else self._replied:
            spans = list(replied_secrets(text, each))
            hidden = {**record, "content": marked(text, spans, mark)}
            # A turn that comes again, without those before it, is known by what was kept of it.
            if spans and (kind or likeness(hidden) in self._turns.values()):
                return hidden, len(repeated) + len(spans)
        return record, len(repeated)

    def must_hide(self, id_: str, label: Label) -> None:
        """Raises InputError when a line that is kept already is for more people, or may go further, than it is said to be now."""
        turn = id_.removeprefix(f"log:{self.session}/")
        was = self._labels.get(turn, UNLABELLED)
        if join_labels((was, label)) != was:
            sentence = f"turn {turn} of session {self.session} is kept already without this label"
            raise InputError(f"{sentence}; add `audience` or `export` to its line in the log")

    def _id(self, turn: str) -> str:
        return f"log:{self.session}/{turn}" if turn else ""


def _written(turn: Mapping[str, Any]) -> str:
    """A turn as a host would have written it: what JSON cannot say is in no log either."""
    if not isinstance(turn, Mapping):
        raise InputError(f"this is {type(turn).__name__}; give a mapping, or a line of JSON")
    try:
        return json.dumps(turn, default=_map)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"this turn cannot be written as JSON: {error}") from None


def _map(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def _order(record: dict[str, Any]) -> dict[str, Any]:
    """The fields in the order in which a person reads them; a turn that is a number is written as one."""
    turn = str(record["turn"])
    first = {
        "ts": record["ts"],
        **({"tz": record["tz"]} if "tz" in record else {}),
        "session": record["session"],
        "turn": int(turn) if turn.isdecimal() and turn == str(int(turn)) else turn,
    }
    return {**first, **{key: value for key, value in record.items() if key not in first}}


def _outcome(turn: CaptureResult | _LogLine, failed: dict[str, str]) -> CaptureResult:
    if isinstance(turn, CaptureResult):
        return turn
    error = failed.get(turn.path)
    return CaptureResult(turn.done.line, ok=False, error=error) if error else turn.done


def _acknowledged(turns: list[CaptureResult]) -> CaptureResult:
    """What became of a line, which may hold several turns: the first that is refused, or new, speaks for all."""
    speaker = min(turns, key=lambda turn: (turn.ok, bool(turn.left_out), turn.again))
    return speaker._replace(redacted=sum(turn.redacted for turn in turns))
