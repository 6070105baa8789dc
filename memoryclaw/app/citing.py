"""After a reply: what it used of what its session was shown goes to the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memoryclaw.app.context import VaultContext
from memoryclaw.errors import MemoryClawError
from memoryclaw.recall.citing import citations, lately
from memoryclaw.vault.layout import timestamp
from memoryclaw.vault.ledger_usage import RECEIPT
from memoryclaw.vault.logs import text_of_turn

if TYPE_CHECKING:
    from memoryclaw.capture.capture import KeptTurn

_SLACK = timedelta(minutes=1)  # between a host's clock and ours


def cite(context: VaultContext, turns: Sequence[KeptTurn]) -> None:
    """Keeps in the ledger what the replies of assistants used, one event for each that used anything.

    Only what the caller sees can be cited. The index is looked at only where something was shown. The turns are kept, and nothing
    fails here.
    """
    with suppress(MemoryClawError, OSError):
        _cite(context, [turn for turn in turns if turn.record.get("role") == "assistant"])


def _cite(context: VaultContext, replies: Sequence[KeptTurn]) -> None:
    for reply in replies:
        events = context.ledger.shown_in(reply.session)
        if RECEIPT.fullmatch(reply.receipt) and all(one.get("receipt") != reply.receipt for one in events):
            named = context.ledger.receipt(reply.receipt)
            events = [*events, *([named] if named else [])]
        shown = lately(events, _until(str(reply.record.get("ts", ""))))
        if not shown:
            continue
        text = text_of_turn(reply.record)
        found = context.read(
            lambda text=text, reply=reply, shown=shown: citations(  # type: ignore[misc]
                text, reply.before, shown, context.catalog, context.index.size()[0]
            )
        )
        if found:
            context.ledger.append("cited", _event(reply, found, shown), context.clock())


def _event(reply: KeptTurn, found: dict[str, str], shown: dict[str, str]) -> dict[str, object]:
    """The event as short as it can be: the receipt of most of the ids, and of the others each its own."""
    receipts = {id_: shown[id_] for id_ in found}
    named = [one for one in receipts.values() if one]
    receipt = max(sorted(set(named)), key=named.count, default="")
    others = {id_: one for id_, one in receipts.items() if one != receipt}
    values = {
        "session": reply.session,
        "receipt": receipt,
        "ids": list(found),
        "words": [id_ for id_, by in found.items() if by == "words"],
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
