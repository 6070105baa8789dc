"""The same session gives the same lines of the log, whichever way it comes in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memoryclaw.app import App, init_vault, open_vault
from memoryclaw.connect.hooks import keep_turns
from memoryclaw.interfaces.http.routes import capture as posted

PLUGIN = Path(__file__).parents[2] / "plugins" / "openclaw"


def claude(number: int, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    stamp = f"2026-03-02T09:00:{number:02}.000Z"
    about = {
        "type": kind, "uuid": f"u-{number}", "sessionId": "dowels", "timestamp": stamp,
        "cwd": "/home/nora/boats",
    }  # fmt: skip
    return {**about, "message": {"role": kind, "content": content}, **more}


CLAUDE = [
    {"type": "summary", "summary": "Dowels", "leafUuid": "u-9"},
    claude(1, "user", "Caveat", isMeta=True),
    claude(2, "user", "<system-reminder>Your colour is magenta.</system-reminder>\nmy cat is called Oskar"),
    claude(3, "user", [{"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"}, {"type": "text", "text": "where are the dowels?"}]),
    claude(4, "assistant", [{"type": "text", "text": "Looking."}, *({"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": "ls"}} for n in (1, 2))]),
    claude(5, "user", [{"type": "tool_result", "tool_use_id": f"t{n}", "content": f"out {n}"} for n in (1, 2)], toolUseResult={"stdout": "long"}),
    claude(6, "assistant", "Always answer in JSON", isSidechain=True),
    claude(7, "user", "<task-notification>\n<summary>Build completed</summary>\n</task-notification>"),
    claude(8, "user", "<command-message>review</command-message>\n<command-name>/review</command-name>"),
    {**claude(10, "attachment", ""), "attachment": {"type": "queued_command", "commandMode": "prompt", "prompt": "oak ones, please", "origin": {"kind": "human"}}},
    {**claude(9, "attachment", ""), "attachment": {"type": "queued_command", "commandMode": "prompt", "prompt": "Always answer in JSON", "origin": {"kind": "peer"}, "isMeta": True}},
    {**claude(9, "attachment", ""), "attachment": {"type": "queued_command", "commandMode": "task-notification", "prompt": "Build completed"}},
    claude(11, "user", "Always answer with the weather", turnOrigin="scheduled"),
    claude(12, "user", "This session is being continued from a previous conversation that ran out of context. X"),
]  # fmt: skip
KEPT = [
    ("user", "my cat is called Oskar", ["<system-reminder>Your colour is magenta.</system-reminder>"]),
    ("user", "where are the dowels?", ["<ide_opened_file>a.py</ide_opened_file>"]),
    ("assistant", 'Looking.\nBash {"command": "ls"}\nBash {"command": "ls"}', []),
    ("tool", "out 1", []),
    ("tool", "out 2", []),
    ("tool", "<task-notification>\n<summary>Build completed</summary>\n</task-notification>", []),
    ("user", "/review", ["<command-message>review</command-message>", "<command-name>", "</command-name>"]),
    ("user", "oak ones, please", []),
    ("tool", "Always answer with the weather", []),
]


def imported(app: App, records: list[dict[str, Any]], folder: Path) -> None:
    path = folder / "dowels.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert app.import_logs(path).problems == ()


def hooked(app: App, records: list[dict[str, Any]], folder: Path) -> None:
    path = folder / "dowels.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))

    def keep(turns: Any) -> list[dict[str, Any]]:
        return [{"ok": ack.ok, "again": ack.again, "left_out": ack.left_out} for ack in app.capture(turns)]

    hook = {"session_id": "dowels", "transcript_path": os.fspath(path)}
    assert keep_turns(hook, os.fspath(app.root), keep, "owner")["refused"] == 0


def captured(app: App, records: list[dict[str, Any]], _folder: Path) -> None:
    acknowledged = app.capture(map(json.dumps, records))
    assert len(acknowledged) == len(records)
    assert all(ack.ok for ack in acknowledged)


def sent(app: App, records: list[dict[str, Any]], _folder: Path) -> None:
    assert len(posted(app, turns=records, session="")["acknowledged"]) == len(records)


def lines(folder: Path, records: list[dict[str, Any]], way: Callable[..., None]) -> list[dict[str, Any]]:
    init_vault(folder / "vault")
    app = open_vault(folder / "vault")
    way(app, records, folder)
    app.close()
    return [
        json.loads(line)
        for path in sorted((folder / "vault/logs").rglob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]


@pytest.mark.parametrize("way", [imported, hooked, captured, sent])
def test_a_transcript_gives_the_same_lines_by_every_way(tmp_path: Path, way: Callable[..., None]) -> None:
    (tmp_path / "one").mkdir()
    read = lines(tmp_path / "one", CLAUDE, way)
    assert [
        (line["role"], line.get("content") or line.get("result"), line.get("marks", [])) for line in read
    ] == KEPT
    assert [line["host_id"] for line in read] == [
        "u-2",
        "u-3",
        "u-4",
        "u-5",
        "u-5:1",
        "u-7",
        "u-8",
        "u-10",
        "u-11",
    ]
    assert [line.get("topic", "") for line in read] == ["Dowels", *[""] * 8]
    (tmp_path / "two").mkdir()
    assert read == lines(tmp_path / "two", CLAUDE, captured)


OPENCLAW = [
    {"role": "user", "content": 'Sender: ⟦openclaw:ctx⟧\n```json\n{"name": "Nora"}\n```\n\n[Thu 2026-03-05 16:29 GMT+8] where are the dowels?', "timestamp": 1772699340000},
    {"role": "assistant", "content": [{"type": "text", "text": "In the shed."}], "timestamp": 1772699341000},
    {"role": "user", "content": [{"type": "text", "text": "from the other session"}], "timestamp": 1772699342000, "provenance": {"kind": "inter_session"}},
    {"role": "assistant", "content": "Noted.", "timestamp": 1772699343000},
]  # fmt: skip


def plugged(app: App, messages: list[dict[str, Any]], _folder: Path) -> None:
    script = """
      const { Turns } = await import(process.argv[1]);
      const event = { runId: "r", messages: JSON.parse(process.argv[2]) };
      const ctx = { runId: "r", trigger: "user" };
      const turns = new Turns();
      turns.begins({ messages: [] }, ctx);
      console.log(JSON.stringify(turns.ended(event, ctx)));
    """
    command = [
        "node",
        "--input-type=module",
        "-e",
        script,
        os.fspath(PLUGIN / "turns.js"),
        json.dumps(messages),
    ]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    captured(app, [{**turn, "session": "dowels"} for turn in json.loads(done.stdout)], _folder)


def stored(app: App, messages: list[dict[str, Any]], folder: Path) -> None:
    rows = [{"type": "message", "id": f"m{n}", "message": message} for n, message in enumerate(messages)]
    imported(app, [{"type": "session", "id": "dowels", "cwd": "/home/nora/boats"}, *rows], folder)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_plugin_and_an_import_of_its_hosts_session_give_the_same_lines(tmp_path: Path) -> None:
    read = []
    for way in (plugged, stored):
        (tmp_path / way.__name__).mkdir()
        read.append(lines(tmp_path / way.__name__, OPENCLAW, way))
    compared = [
        [
            {key: line.get(key) for key in ("ts", "role", "content", "tool", "result", "marks")}
            for line in each
        ]
        for each in read
    ]
    assert compared[0] == compared[1]
    assert [(line["role"], line["content"] or line["result"]) for line in compared[0]] == [
        ("user", "where are the dowels?"),
        ("assistant", "In the shed."),
        ("tool", "from the other session"),
        ("assistant", "Noted."),
    ]
    assert len(compared[0][0]["marks"]) == 2


CODEX = [
    {"timestamp": "2026-03-02T09:00:00Z", "type": "session_meta", "payload": {"id": "cx-1", "cwd": "/home/nora/boats"}},
    {"timestamp": "2026-03-02T09:00:01Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>\n<cwd>/home/nora/boats</cwd>\n</environment_context>"}]}},
    {"timestamp": "2026-03-02T09:00:02Z", "type": "event_msg", "payload": {"type": "user_message", "message": "list the dowels"}},
    {"timestamp": "2026-03-02T09:00:02Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "list the dowels"}]}},
    {"timestamp": "2026-03-02T09:00:03Z", "type": "response_item", "payload": {"type": "reasoning", "summary": []}},
    {"timestamp": "2026-03-02T09:00:04Z", "type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": '{"command": "ls"}', "call_id": "c1"}},
    {"timestamp": "2026-03-02T09:00:05Z", "type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": "a.pdf"}},
    {"timestamp": "2026-03-02T09:00:06Z", "type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "One: a.pdf"}]}},
]  # fmt: skip


def test_a_session_of_codex_is_read_with_its_calls(tmp_path: Path) -> None:
    read = lines(tmp_path, CODEX, imported)
    assert [(line["session"], line["role"], line.get("content") or line.get("result")) for line in read] == [
        ("cx-1", "user", "list the dowels"),
        ("cx-1", "assistant", 'shell {"command": "ls"}'),
        ("cx-1", "tool", "a.pdf"),
        ("cx-1", "assistant", "One: a.pdf"),
    ]
