"""A ledger of five months, and every figure that is derived from one."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

from memoryclaw.vault.ledger import Ledger

NOW = datetime(2026, 12, 1, 0, 30, tzinfo=timezone(timedelta(hours=2)))


def used_for_months(root: Path, device: str = "desk") -> Ledger:
    (root / ".memoryclaw").mkdir(parents=True, exist_ok=True)
    (root / ".memoryclaw/device").write_text(device)
    ledger = Ledger(str(root))
    for day in range(0, 150, 3):
        now = NOW - timedelta(days=150 - day)
        receipt = f"r-{now:%Y%m%dt%H%M%S}-abc{day:03}"
        left = {"left_out": {"weak": [f"other/{n}" for n in range(40)]}, "tokens": 5, "budget": 600}
        values = {
            "receipt": receipt,
            "session": "s",
            "mode": ["recall", "get"][day % 2],
            "ids": ["a#b", "Zoë"],
        }
        ledger.append("shown", {**values, "digests": {"a#b": "12", "Zoë": "34"}, **left}, now)
        ledger.append("cited", {"receipt": receipt, "ids": ["a#b"]}, now)
        ledger.append("ran", {"skill": "x", "ok": True}, now)
    return ledger


def figures(ledger: Ledger) -> object:
    record = ledger.record()
    uses = [(use["ts"], use["session"], use["receipt"]) for use in ledger.uses("a")]
    usage = (
        record.days,
        record.citations,
        record.uses,
        uses,
        ledger.events_shown_in("s"),
        ledger.fetched_ids(),
    )
    return (
        *usage,
        ledger.counts_by_mode("a"),
        ledger.events_of("ran", "skill", "x"),
        ledger.last_receipt("a#b"),
    )
