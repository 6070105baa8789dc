"""After a reply: what it used of what its session was shown goes to the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta

from memoryclaw.capture.capture import KeptTurn
from memoryclaw.errors import MemoryClawError
from memoryclaw.recall.citing import lately
from memoryclaw.vault.layout import timestamp
from memoryclaw.vault.ledger import Ledger
from memoryclaw.vault.ledger_usage import RECEIPT

_SLACK = timedelta(minutes=1)  # between a host's clock and ours


def cite(
    turns: Iterable[KeptTurn],
    ledger: Ledger,
    cited_by: Callable[[KeptTurn, Mapping[str, str]], dict[str, str]],
    now: datetime,
) -> None:
    """Keeps in the ledger what the replies of assistants used, one event for each that used anything. The turns are kept: nothing fails.

    `cited_by` tells what a reply used of what it was shown, and how that is known; it is asked only where something was shown.
    """
    with suppress(MemoryClawError, OSError):
        for reply in [turn for turn in turns if turn.record.get("role") == "assistant"]:
            events = ledger.shown_in(reply.session)
            if RECEIPT.fullmatch(reply.receipt) and all(e.get("receipt") != reply.receipt for e in events):
                receipt = ledger.receipt(reply.receipt)
                events = [*events, *([receipt] if receipt else [])]
            shown = lately(events, _until(str(reply.record.get("ts", ""))))
            if shown and (cited := cited_by(reply, shown)):
                ledger.append("cited", _event(reply, cited, shown), now)


def _event(reply: KeptTurn, cited: Mapping[str, str], shown: Mapping[str, str]) -> dict[str, object]:
    """The event as short as it can be: the receipt of most of the ids, and of the others each its own."""
    receipts = {id_: shown[id_] for id_ in cited}
    named = [one for one in receipts.values() if one]
    receipt = max(sorted(set(named)), key=named.count, default="")
    others = {id_: one for id_, one in receipts.items() if one != receipt}
    values = {
        "session": reply.session,
        "receipt": receipt,
        "ids": list(cited),
        "words": [id_ for id_, by in cited.items() if by == "words"],
        "receipts": others,
    }
    return {key: value for key, value in values.items() if value}


def _until(ts: str) -> str:
    """The time until which a reply may have been shown something."""
    try:
        return (
            f"{ts}T23:59:59Z"
            if len(ts) == len("2026-04-30")
            else timestamp(datetime.fromisoformat(ts) + _SLACK)
        )
    except ValueError:
        return ts
