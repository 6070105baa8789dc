"""A session is not sent again what it has seen until that changes, and `why` reads a recall back without a word of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Claw, put

from memoryclaw.app import App, init_vault
from memoryclaw.errors import InputError, NotFoundError

FILES = {
    "memoryclaw.yaml": "",
    "semantic/garden.md": "# Pond\n- depth: 3 metres\n- fish: trout\n",
    "heron.md": "The heron comes to the pond at dawn, when the mist is still low.\n",
}
ASKED = "pond heron depth"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return put(tmp_path / "v", FILES)


def test_what_was_injected_is_not_sent_again_until_it_changes(root: Path) -> None:
    with App(root) as app:
        first = app.recall(ASKED, session="s")
        again = app.recall(ASKED, session="s")
        assert "3 metres" in first.context
        assert again.context == ""
        assert {omitted.reason for omitted in again.left_out} == {"already_visible"}
        assert app.recall(ASKED, session="other").context == first.context == app.recall(ASKED).context
        (root / "semantic" / "garden.md").write_text("# Pond\n- depth: 4 metres\n- fish: trout\n")
        changed = app.recall(ASKED, session="s").context
    assert "4 metres" in changed
    assert "trout" not in changed
    assert "heron" not in changed


@pytest.mark.parametrize("tool", ["get", "search"])
def test_what_a_tool_showed_is_not_sent_again(root: Path, tool: str) -> None:
    with App(root) as app:
        if tool == "get":
            app.show("heron", session="s")
        else:
            app.search("heron dawn mist", session="s")
        assert "heron" not in app.recall(ASKED, session="s", seen="tools").context
        assert "heron" in app.recall(ASKED, session="t").context


def test_a_host_that_keeps_no_injection_gets_it_again_and_one_that_cut_the_conversation_gets_all(
    root: Path,
) -> None:
    with App(root) as app:
        app.show("heron", session="s")
        first = app.recall(ASKED, session="s", seen="tools").context
        assert "3 metres" in first
        assert app.recall(ASKED, session="s", seen="tools").context == first
        assert "heron" in app.recall(ASKED, session="s", seen="none").context
        assert "heron" in app.recall(ASKED, session="s", seen="tools").context
        with pytest.raises(InputError):
            app.recall(ASKED, session="s", seen="half")


def test_a_recall_takes_a_tenth_of_the_room_that_the_host_has_left(root: Path) -> None:
    text = "".join(f"On day {n} the heron stood in the pond for {n} hours. " for n in range(40))
    (root / "long.md").write_text(text)
    with App(root) as app:
        assert app.recall(ASKED).tokens > 200
        small = app.recall(ASKED, room=1000)
    assert small.budget == 100
    assert small.tokens <= 100


def test_why_reads_a_recall_back_as_it_was(root: Path) -> None:
    claw = Claw(root)
    answer = json.loads(claw("recall", ASKED, "--budget", "80", "--json").out)
    with App(root) as app:
        then = {decision.id: decision.decision for decision in app.why(answer["receipt"]).decided}
    assert {id_ for id_, decision in then.items() if decision == "in"} == {
        match["id"] for match in answer["matches"]
    }
    assert {id_: reason for id_, reason in then.items() if reason != "in"} == {
        omitted["id"]: omitted["reason"] for omitted in answer["left_out"]
    }
    (root / "semantic" / "garden.md").write_text("# Pond\n- depth: 4 metres\n")
    with App(root) as app:
        now = app.why(answer["receipt"])
    assert [decision.id for decision in now.decided if decision.changed] == ["semantic/garden#Pond.depth"]
    assert now.gone == len(then) - len(now.decided) == 1
    with App(root) as app:
        app.search(ASKED, session="s")
    said = claw("why", answer["receipt"]).out
    assert said == claw("show", "last").out == claw("show", "--as", "recall", "last").out
    assert "it says something else now" in said
    assert "trout" not in said


def test_without_a_recall_the_last_is_no_memory(root: Path) -> None:
    shown = Claw(root)("show", "last")
    assert (shown.code, shown.out) == (1, "")
    assert "the id 'last'" in shown.err


def test_no_receipt_holds_a_word_of_what_was_recalled(root: Path) -> None:
    with App(root) as app:
        app.recall("pond trout", session="s")
        app.search("trout", session="s")
        app.show("heron", session="s")
    kept = "".join(path.read_text() for path in (root / "ledger").rglob("*.jsonl"))
    assert kept.count("\n") == 3
    assert not [word for word in ("metres", "trout", "dawn", "mist") if word in kept]


def test_who_may_not_see_something_does_not_read_it_back(root: Path) -> None:
    (root / "secret.md").write_text(
        "---\naudience: owner\n---\nThe heron's pond key hangs behind the shed.\n"
    )
    with App(root) as app:
        receipt = app.recall(ASKED).receipt
        assert "secret" in {decision.id for decision in app.why(receipt).decided}
    with App(root, audience="agent") as app:
        seen = app.why(receipt)
    assert "secret" not in {decision.id for decision in seen.decided}
    assert (seen.gone, seen.more) == (0, {})


def test_an_unknown_receipt_and_a_ledger_that_was_cut_off_are_no_crash(root: Path) -> None:
    with App(root) as app:
        receipt = app.recall(ASKED, session="s").receipt
        path = next((root / "ledger").rglob("*.jsonl"))
        path.write_bytes(path.read_bytes() + b'{"event": "shown", "session": "s", \xff\n[1]\n"s"\n')
        assert app.recall(ASKED, session="s").context == ""
        assert app.why(receipt).decided
        for name in ("", "r-", "r-20260101t000000-abcdef", "../../etc/passwd"):
            with pytest.raises(NotFoundError):
                app.why(name)


def test_a_purge_leaves_nothing_of_it_in_a_receipt(root: Path) -> None:
    init_vault(root)
    with App(root) as app:
        receipt = app.recall(ASKED, session="s").receipt
        app.recall(ASKED, session="s")
        assert "heron" in {decision.id for decision in app.why(receipt).decided}
        assert app.purge("heron").hits == ()
        assert "heron" not in "".join(path.read_text() for path in (root / "ledger").rglob("*.jsonl"))
        then = app.why(receipt)
    assert {decision.id for decision in then.decided} == {
        "semantic/garden#Pond.depth",
        "semantic/garden#Pond.fish",
    }
