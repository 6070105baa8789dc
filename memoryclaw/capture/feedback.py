"""Keeps in the ledger how useful a memory was, from 1 to 5. A rating that was not kept is never acknowledged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta

from memoryclaw.capture.capture import KeptTurn
from memoryclaw.capture.host_turns import NAME_LENGTH
from memoryclaw.capture.log_records import strip_marks
from memoryclaw.errors import InputError, MemoryClawError, VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.recall.citing import lately
from memoryclaw.text.prompts import one_line
from memoryclaw.vault.layout import timestamp
from memoryclaw.vault.ledger import Ledger
from memoryclaw.vault.ledger_usage import RECEIPT

LEAST, MOST = 1, 5
_NOTE = 500  # characters


class Feedback(NamedTuple):
    """A rating as it was kept."""

    id: str
    rating: int
    session: str
    note: str
    ts: str


def rating_of(rating: int) -> int:
    """The rating, if it is one."""
    if type(rating) is not int or not LEAST <= rating <= MOST:  # True is not a rating
        sentence = f"{rating!r} is not a rating"
        raise InputError(f"{sentence}; give a whole number from {LEAST} (useless) to {MOST} (just right)")
    return rating


def feedback(
    ledger: Ledger,
    id_: str,
    rating: int,
    *,
    session: str,
    note: str,
    receipt: str,
    redacted: Callable[[str], str],
    now: datetime,
) -> Feedback:
    """Keeps a rating of what has this id.

    Args:
        id_: of a note, section, fact or turn that exists.
        rating: from 1 to 5.
        note: why; without secrets and what is marked private.
        receipt: of the recall that showed it; the last one that did, in this session first, if none is named.
    """
    words = redacted(one_line(strip_marks(note).text))[:_NOTE]
    rating_kept = Feedback(id_, rating_of(rating), one_line(session)[:NAME_LENGTH], words, timestamp(now))
    recall = ledger.last_receipt(rating_kept.id, session=rating_kept.session, receipt=receipt)
    if receipt and not recall:
        sentence = f"no recall with the receipt {receipt!r} showed {id_}"
        raise InputError(f"{sentence}; leave it out to rate it all the same")
    rated = {"ids": [rating_kept.id], "rating": rating_kept.rating}
    values = {**rated, "receipt": recall, "session": rating_kept.session, "note": rating_kept.note}
    values = {key: value for key, value in values.items() if value}
    if trouble := ledger.append("rated", values, now, durable=True):
        raise VaultError(trouble.replace("use", "rating", 1))
    return rating_kept


# After a reply: what it used of what its session was shown goes to the ledger.

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
            events = ledger.events_shown_in(reply.session)
            if RECEIPT.fullmatch(reply.receipt) and all(e.get("receipt") != reply.receipt for e in events):
                receipt = ledger.receipt(reply.receipt)
                events = [*events, *([receipt] if receipt else [])]
            shown = lately(events, _until(str(reply.record.get("ts", ""))))
            if shown and (cited := cited_by(reply, shown)):
                # As short as it can be: the receipt of most of the ids, and of the others each its own.
                receipts = {id_: shown[id_] for id_ in cited}
                named = [name for name in receipts.values() if name]
                usual = max(sorted(set(named)), key=named.count, default="")
                others = {id_: name for id_, name in receipts.items() if name != usual}
                values = {
                    "session": reply.session,
                    "receipt": usual,
                    "ids": list(cited),
                    "words": [id_ for id_, by in cited.items() if by == "words"],
                    "receipts": others,
                }
                ledger.append("cited", {key: value for key, value in values.items() if value}, now)


def _until(ts: str) -> str:
    """The time until which a reply may have been shown something."""
    if len(ts) == len("2026-04-30"):
        return f"{ts}T23:59:59Z"
    try:
        return timestamp(datetime.fromisoformat(ts) + _SLACK)
    except ValueError:
        return ts
