"""Keeps in the ledger how useful a memory was, from 1 to 5. A rating that was not kept is never acknowledged."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from memoryclaw.capture.host_turns import NAME_LENGTH
from memoryclaw.capture.log_records import strip_marks
from memoryclaw.errors import InputError, VaultError
from memoryclaw.text.prompts import one_line
from memoryclaw.vault.layout import timestamp
from memoryclaw.vault.ledger import Ledger

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
        raise InputError(
            f"{rating!r} is not a rating; give a whole number from {LEAST} (useless) to {MOST} (just right)"
        )
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
        now: when.

    Raises:
        InputError: it is no rating, or the receipt is of no recall that showed this.
        VaultError: it could not be kept.
    """
    words = redacted(one_line(strip_marks(note).text))[:_NOTE]
    rating_kept = Feedback(id_, rating_of(rating), one_line(session)[:NAME_LENGTH], words, timestamp(now))
    recall = ledger.last_receipt(rating_kept.id, session=rating_kept.session, receipt=receipt)
    if receipt and not recall:
        raise InputError(
            f"no recall with the receipt {receipt!r} showed {id_}; leave it out to rate it all the same"
        )
    rated = {"ids": [rating_kept.id], "rating": rating_kept.rating}
    values = {**rated, "receipt": recall, "session": rating_kept.session, "note": rating_kept.note}
    trouble = ledger.append(
        "rated", {key: value for key, value in values.items() if value}, now, durable=True
    )
    if trouble:
        raise VaultError(trouble.replace("use", "rating", 1))
    return rating_kept
