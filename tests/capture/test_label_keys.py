"""Labels as keys of a message, at every door of capture: kept in its line of the log, and obeyed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Claw, put
from daemons import serving

from memoryclaw.app import open_vault

KEYS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"audience": "owner"}, {"audience": "owner"}),
    ({"audience": ["family", "Agent"]}, {"audience": "agent family"}),
    ({"Audience": "ＯＷＮＥＲ"}, {"audience": "owner"}),
    ({"audience": {"x": 1}}, {"audience": "owner"}),
    ({"private": True}, {"audience": "owner"}),
    ({"export": False}, {"export": False}),
    ({"export": "no", "audience": "owner"}, {"audience": "owner", "export": False}),
    ({"noexport": True}, {"export": False}),
    ({"export": True, "private": False}, {}),
    ({"audience": "agent", "content": "[ PRIVATE ] quibbet"}, {"audience": "owner"}),
    ({"content": "quibbet [private]"}, {"audience": "owner"}),
    ({"content": "quibbet ［NOEXPORT：］"}, {"export": False}),
    ({"content": "quibbet " + "x" * 20_000 + " [audience:: family] " + "x" * 2000}, {"audience": "family"}),
]


def lines(vault: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for path in vault.glob("logs/*/*.jsonl") for line in path.read_text().splitlines()
    ]


def labels(line: dict[str, Any]) -> dict[str, Any]:
    return {key: line[key] for key in ("audience", "export") if key in line}


@pytest.mark.parametrize(("keys", "kept"), KEYS)
def test_the_labels_of_a_message_are_kept_and_obeyed(
    tmp_path: Path, keys: dict[str, Any], kept: dict[str, Any]
) -> None:
    vault = put(tmp_path / "vault", {"memoryclaw.yaml": ""})
    with open_vault(vault) as app:
        [done] = app.capture([{"role": "user", "content": "quibbet", **keys}], session="s")
        assert done.ok
    assert [labels(line) for line in lines(vault)] == [kept]
    with open_vault(vault, audience="agent") as app:
        assert bool(app.search("quibbet").matches) == ("agent" in kept.get("audience", "agent"))


def test_a_label_of_the_message_within_counts_too(tmp_path: Path) -> None:
    with open_vault(put(tmp_path / "vault", {"memoryclaw.yaml": ""})) as app:
        app.capture(
            [
                {
                    "type": "message",
                    "message": {"role": "user", "content": "q", "audience": "owner"},
                    "audience": "agent",
                }
            ],
            session="s",
        )
    assert labels(lines(tmp_path / "vault")[0]) == {"audience": "owner"}


def test_the_command_line_and_the_daemon_keep_them(tmp_path: Path) -> None:
    vault = put(tmp_path / "vault", {"notes/a.md": "a\n"})
    said = {"role": "user", "content": "one", "audience": "owner", "export": False}
    assert Claw(vault)("capture", "--session", "s", stdin=json.dumps(said) + "\n").code == 0
    with serving(vault) as daemon:
        reply = daemon.ask("POST", "/v1/capture", {"turns": [{**said, "content": "two"}], "session": "s"})
        assert reply.status == 200
    assert [(line["content"], labels(line)) for line in lines(vault)] == [
        (content, {"audience": "owner", "export": False}) for content in ("one", "two")
    ]


@pytest.mark.parametrize("named", [{"turn": 1}, {"host_id": "h"}])
def test_a_line_that_is_kept_already_is_not_said_to_be_labelled_when_it_is_not(
    tmp_path: Path, named: dict[str, Any]
) -> None:
    said = {"role": "user", "content": "quibbet", **named}
    with open_vault(put(tmp_path / "vault", {"memoryclaw.yaml": ""})) as app:
        [first] = app.capture([said], session="s")
        [again] = app.capture([{**said, "audience": "owner"}], session="s")
        assert not again.ok
        assert "without this label" in again.error
        [same] = app.capture([said], session="s")
        assert (first.ok, same.ok, same.again) == (True, True, True)
    assert len(lines(tmp_path / "vault")) == 1


def test_what_capture_cut_out_hides_nothing_of_what_it_left(tmp_path: Path) -> None:
    vault = put(tmp_path / "vault", {"notes/a.md": "a\n"})
    said = 'My sister is Mia, please remember that. <private reason="x">My pin is qpin.</private>'
    with open_vault(vault) as app:
        app.capture([{"role": "user", "name": "Nora", "content": said}], session="s")
        app.consolidate(llm="none")
    assert "qpin" not in "".join(
        path.read_text()
        for path in vault.rglob("*")
        if path.is_file() and ".git" not in path.parts and path.suffix in (".md", ".jsonl", ".json")
    )
    with open_vault(vault, audience="agent") as app:
        assert {match.unit.kind for match in app.search("Mia").matches} >= {"turn"}
        assert not any(
            "[private]" in path.read_text()
            for folder in ("episodes", "semantic")
            for path in (vault / folder).glob("*.md")
        )
