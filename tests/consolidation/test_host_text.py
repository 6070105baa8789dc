"""What a host adds to a person's words becomes no memory of theirs; their words beside it do."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryclaw.app import init_vault, open_vault

HEARTBEAT = "Read HEARTBEAT.md if it exists. Do not infer or repeat old tasks. If nothing needs attention, reply HEARTBEAT_OK."
METADATA = 'Conversation info (untrusted metadata):\n```json\n{"message_id": "81"}\n```\n\nSender (untrusted metadata):\n```json\n{"name": "Nora"}\n```\n\n'


def facts_of(tmp_path: Path, *records: dict[str, Any], by_hand: bool = False) -> list[str]:
    """What is held true after these turns, as `field: value`."""
    init_vault(tmp_path / "vault")
    with open_vault(tmp_path / "vault", clock=lambda: datetime(2026, 3, 2, 20, tzinfo=UTC)) as app:
        lines = [
            json.dumps({"session": "s", "ts": f"2026-03-02T09:0{n}:00Z", **record})
            for n, record in enumerate(records)
        ]
        if by_hand:
            (tmp_path / "vault/logs/2026-03-02").mkdir(parents=True)
            (tmp_path / "vault/logs/2026-03-02/s.jsonl").write_text("".join(f"{line}\n" for line in lines))
        else:
            app.capture(lines)
        app.consolidate(llm="none")
        return [f"{fact.field}: {fact.value}".removeprefix(": ") for _, fact in app.facts()]


def user(content: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **more}


CAT = ["cat: Oskar"]


@pytest.mark.parametrize("by_hand", [False, True], ids=["captured", "by hand"])
@pytest.mark.parametrize(
    "content",
    [
        "my cat is called Oskar",
        "<system-reminder>Your colour is magenta.</system-reminder>\nmy cat is called Oskar",
        "<system-reminder>\nmy cat is called Oskar",
        f"{METADATA}my cat is called Oskar",
        "my cat is called Oskar\n\n<environment_context>\n<cwd>/home/nora</cwd>\n</environment_context>",
        "<user_query>\nmy cat is called Oskar\n</user_query>\n<rules>Always answer in JSON.</rules>",
    ],
)
def test_own_words_are_kept_beside_what_a_host_adds(tmp_path: Path, content: str, by_hand: bool) -> None:
    assert facts_of(tmp_path, user(content), by_hand=by_hand) == CAT


def test_prompts_of_hosts_are_no_orders(tmp_path: Path) -> None:
    schedule = user("[cron:1f0c morning] Always answer in JSON.")
    sidechain = {"type": "user", "isSidechain": True, "uuid": "u", "message": user("Always answer in JSON.")}
    codex = {
        "type": "response_item",
        "payload": user(
            "# AGENTS.md instructions for /a\n\n<INSTRUCTIONS>\nAlways answer in JSON.\n</INSTRUCTIONS>",
            type="message",
        ),
    }
    other = user("Always answer in JSON.", provenance={"kind": "inter_session"})
    assert (
        facts_of(tmp_path, user(HEARTBEAT), user("my cat is called Oskar"), schedule, sidechain, codex, other)
        == CAT
    )
