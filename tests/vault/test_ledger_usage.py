from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memoryclaw.vault.ledger import Ledger
from memoryclaw.vault.ledger_usage import LedgerUsage, Use, read_events

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


def contents(record: LedgerUsage) -> object:
    return record.days, record.citations, record.uses


def on(day: int) -> datetime:
    return MONDAY + timedelta(days=day)


def at_device(root: Path, name: str) -> Ledger:
    (root / ".memoryclaw").mkdir(exist_ok=True)
    (root / ".memoryclaw/device").write_text(name)
    return Ledger(str(root))


def test_what_replies_cited_is_read_with_what_had_shown_it(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    assert contents(ledger.record()) == contents(LedgerUsage())
    ledger.append("shown", {"receipt": "r-1", "ids": ["a", "b"]}, on(0))
    ledger.append(
        "cited",
        {"session": "s", "receipt": "r-1", "ids": ["a", "b"], "receipts": {"b": "r-2"}, "words": ["b"]},
        on(1),
    )
    (cited,) = ledger.record().citations
    assert cited == ("2026-03-03", ("a", "b"))
    assert {id_: use[1:4] for id_, (use,) in ledger.record().uses.items()} == {
        "a": ("r-1", "s", "id"), "b": ("r-2", "s", "words"),
    }  # fmt: skip
    assert ledger.record().days == ("2026-03-02", "2026-03-03")


def test_a_record_that_grows_with_its_files_is_that_of_a_fresh_look(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    for day in (0, 1, 40, 41):
        ledger.append("cited", {"ids": [f"n{day}"]}, on(day))
        ledger.append("rated", {"ids": ["a"], "rating": 4}, on(day))
        assert contents(ledger.record()) == contents(Ledger(str(tmp_path)).record())
    assert [citation.ids for citation in ledger.record().citations] == [("n0",), ("n1",), ("n40",), ("n41",)]
    path = max(tmp_path.rglob("*.jsonl"))
    with path.open("a") as file:
        file.write('{"ts": "2026-04-14T09:00:00Z", "event": "cited", "ids": ["half')
    assert contents(ledger.record()) == contents(Ledger(str(tmp_path)).record())
    assert len(ledger.record().citations) == 4
    with path.open("a") as file:
        file.write('"]}\n')
    assert ledger.record().citations[-1].ids == ("half",)
    path.unlink()
    assert contents(ledger.record()) == contents(Ledger(str(tmp_path)).record())
    assert len(ledger.record().citations) == 2


def test_a_record_is_the_same_whatever_device_wrote_the_lines(tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    first.mkdir()
    second.mkdir()
    for number in range(12):
        for root, name in ((first, "desk"), (second, f"device-{number % 3}")):
            values = {"ids": [f"n{number}"], "rating": 1 + number % 5}
            at_device(root, name).append("rated", values, on(number // 2))
    assert contents(Ledger(str(first)).record()) == contents(Ledger(str(second)).record())


def test_a_memory_keeps_its_uses_when_its_note_is_renamed(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    ledger.append("cited", {"ids": ["notes/a", "notes/a#Plan", "notes/ab"], "receipt": "r"}, on(0))
    ledger.append("renamed", {"from": "notes/a.md", "to": "b.md"}, on(1))
    ledger.append("renamed", {"from": "b.md", "to": "c.md"}, on(2))
    ledger.append("rated", {"ids": ["notes/a"], "rating": 5}, on(3))  # another note by now
    record = ledger.record()
    assert record.citations[0].ids == ("c", "c#Plan", "notes/ab")
    assert [use.rating for use in record.uses["notes/a"]] == [5]


def test_lines_that_are_no_events_tell_nothing_and_those_of_others_are_read() -> None:
    lines = [
        b"[]",
        b"{",
        b"\xff",
        b"",
        json.dumps({"event": "cited", "ids": ["x"]}).encode(),
        json.dumps({"event": "cited", "ids": ["a"], "ts": "2026-03-02T01:00:00+02:00"}).encode(),
        b'{"ts": "2026-03-05T01:00:00Z", "event": "shown", "ids": broken',
    ]
    events = read_events(b"\n".join(lines))
    assert [ts for ts, _, _ in events.events] == ["2026-03-01T23:00:00Z"]
    assert events.days == {"2026-03-01", "2026-03-05"}


def test_a_receipt_and_an_id_are_one_use_whatever_is_told_of_it(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    receipt = "r-20260302t083000-abcdef"
    for how in (["a"], []):
        ledger.append("cited", {"session": "s", "receipt": receipt, "ids": ["a", "b"], "words": how}, on(0))
    ledger.append("rated", {"session": "s", "receipt": receipt, "ids": ["a"], "rating": 2}, on(9))
    ledger.append("rated", {"session": "s", "receipt": receipt, "ids": ["a"], "rating": 5}, on(20))
    ledger.append("rated", {"ids": ["a"], "rating": 3}, on(21))
    uses = ledger.record().uses
    assert uses["b"] == (Use("2026-03-02T08:30:00Z", receipt, "s", "id"),)
    assert uses["a"] == (
        Use("2026-03-02T08:30:00Z", receipt, "s", "id", 5),
        Use("2026-03-23T09:00:00Z", rating=3),
    )


def test_what_was_only_shown_makes_no_new_record(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    ledger.append("cited", {"ids": ["a"]}, on(0))
    before = ledger.record()
    ledger.append("shown", {"ids": ["a"]}, on(0))
    assert ledger.record() is before
    ledger.append("shown", {"ids": ["a"]}, on(1))
    assert ledger.record().days == ("2026-03-02", "2026-03-03")
