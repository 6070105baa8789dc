"""Sets of conversations: their rows, and vaults whose logs are their turns. What is missing is told in one sentence.

A folder holds turns.jsonl, sessions.jsonl and questions.jsonl; each line names its conversation, of which there may be any number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from memoryclaw.app import App

Row = dict[str, Any]
Rows = dict[str, list[Row]]
FILES = ("turns", "sessions", "questions")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "turns": ("id", "session", "datetime", "speaker", "text"),
    "questions": ("question", "category", "evidence"),
}
_ROLES = frozenset({"user", "assistant", "tool"})
_MOMENT = "%Y-%m-%dT%H:%M:%SZ"


class DataError(SystemExit):
    """The data is not as the benchmark needs it: the program ends with one sentence."""


def lacking(data: Path, names: Iterable[str] = FILES) -> str:
    """One sentence on the files that a folder does not have, or nothing."""
    missing = [name for name in names if not (data / f"{name}.jsonl").is_file()]
    return f"{data} has no {', '.join(missing)}.jsonl" if missing else ""


def read(data: Path) -> tuple[Rows, Rows]:
    """The turns and the questions of each conversation.

    Raises:
        DataError: a file, a field or a conversation is missing.
    """
    if sentence := lacking(data):
        raise DataError(sentence)
    turns, questions = by_conversation(data / "turns.jsonl"), by_conversation(data / "questions.jsonl")
    for conversation, asked in questions.items():
        if conversation not in turns:
            raise DataError(f"questions.jsonl asks about {conversation!r}, of which turns.jsonl has no turn")
        session_of = sessions(turns[conversation])
        for question in asked:
            said_in = dict.fromkeys(session_of[turn] for turn in question["evidence"] if turn in session_of)
            question.setdefault("sessions", list(said_in))
    return turns, {conversation: questions.get(conversation, []) for conversation in turns}


def by_conversation(path: Path) -> Rows:
    """The rows of a JSONL file, by conversation, in order.

    Raises:
        DataError: a line is no JSON object, or lacks a field.
    """
    rows: Rows = {}
    # A text may hold U+2028 or U+0085, at which `splitlines` would cut the line.
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line.strip():
            row = _row(line, path, number)
            rows.setdefault(row["conv"], []).append(row)
    return rows


def sessions(turns: Iterable[Row]) -> Row:
    """The session of each turn, by its id."""
    return {turn["id"]: turn["session"] for turn in turns}


def pooled(turns: Rows, questions: Rows) -> tuple[list[Row], list[Row]]:
    """All conversations as one: ids, sessions and logs get the conversation's name in front, so that none meet."""
    return (
        [
            {**turn, "id": _within(conv, turn["id"]), "session": _within(conv, turn["session"]), "log": _within(conv, f"s{turn['session']}")}
            for conv, rows in turns.items()
            for turn in rows
        ],
        [
            {**question, **{name: [_within(conv, id_) for id_ in question[name]] for name in ("evidence", "sessions")}}
            for conv, rows in questions.items()
            for question in rows
        ],
    )  # fmt: skip


def vault_of(
    root: Path, turns: Iterable[Row], settings: str = "", own: Mapping[str, Any] = MappingProxyType({})
) -> App:
    """A vault whose logs are the turns of one conversation, a file a session; synced. `own` is as in `opened`."""
    write_logs(root, logs_of(turns), settings)
    return opened(root, own)


def logs_of(turns: Iterable[Row]) -> dict[str, list[Row]]:
    """The lines of a log a session, by its path below `logs/`."""
    logs: dict[str, list[Row]] = {}
    for turn in turns:
        said = datetime.fromisoformat(turn["datetime"])
        name = turn.get("log", f"s{turn['session']}")
        line = {
            "ts": said.strftime(_MOMENT), "session": name, "turn": turn["id"], **_who(turn["speaker"]), "content": said_in(turn),
        }  # fmt: skip
        logs.setdefault(f"{said:%Y-%m-%d}/{name}.jsonl", []).append(line)
    return logs


def write_logs(root: Path, logs: Mapping[str, Iterable[Row]], settings: str = "") -> None:
    """Writes a vault that is nothing but logs."""
    root.mkdir(parents=True)
    (root / "memoryclaw.yaml").write_text(settings, encoding="utf-8")
    for name, lines in logs.items():
        path = root / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_lines(lines), encoding="utf-8")


def as_lines(rows: Iterable[Row]) -> str:
    """Rows as the lines of a JSONL file."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def opened(root: Path, own: Mapping[str, Any] = MappingProxyType({})) -> App:
    """A vault as of the benchmark's day, its index in line with its files; `own` are settings that no vault may choose."""
    app = App(root, clock=lambda: NOW, overrides=own)
    app.sync()
    return app


def said_in(turn: Row) -> str:
    """What a turn says, the caption of its image included."""
    return str(turn["text"]) + (f" [image: {turn['caption']}]" if turn.get("caption") else "")


def file_name(conversation: str) -> str:
    """A conversation's name as the name of a folder or a file."""
    return re.sub(r"[^\w-]+", "-", conversation)


def scored(questions: Sequence[Row]) -> list[Row]:
    """The questions that count for turns: those with evidence that are no trap."""
    return [
        question for question in questions if question["evidence"] and question["category"] != "adversarial"
    ]


def _who(speaker: str) -> dict[str, str]:
    """A speaker as a log names it: by its role alone, or as a user with a name."""
    role = speaker.lower()
    return {"role": role} if role in _ROLES else {"role": "user", "name": speaker}


def _within(conversation: str, name: object) -> str:
    return f"{file_name(conversation)}.{name}"


def _row(line: str, path: Path, number: int) -> Row:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise DataError(f"{path.name}, line {number}: is not JSON") from error
    if not isinstance(row, dict):
        raise DataError(f"{path.name}, line {number}: is no JSON object")
    for field in ("conv", *_NEEDED.get(path.stem, ())):
        if field not in row:
            raise DataError(f"{path.name}, line {number}: has no {field!r}")
    return _checked(row, path, number)


def _checked(row: Row, path: Path, number: int) -> Row:
    row["conv"] = str(row["conv"])
    if "datetime" in row and path.stem == "turns":
        try:
            datetime.fromisoformat(row["datetime"])
        except (TypeError, ValueError) as error:
            raise DataError(
                f"{path.name}, line {number}: {row['datetime']!r} is no ISO date and time"
            ) from error
    return row
