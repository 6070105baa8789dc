"""What a session was about at its end, as one fenced block: its working memory, and the last things that were said.

The rule: it is recalled data like any other. It fits a budget, every item is escaped and names where it stands.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.core.fence import CLOSING, OPENING, item
from memoryclaw.core.model import Turn
from memoryclaw.core.tokens import estimate

_TRUST = {"user": "trusted"}  # what anybody else said may have come from anywhere
_SPOKEN = frozenset({"user", "assistant"})
_LONGEST = 600  # characters that are quoted of one turn
_CLOSE = "</memory>"


def block(turns: Sequence[Turn], working: Sequence[str], budget: int) -> str:
    """The block, the newest turns last; empty when there is nothing to say.

    Args:
        turns: of the session, the oldest first.
        working: the lines of its working memory, escaped already, or none.
        budget: tokens of the whole block; the oldest turns go first.
    """
    taken: list[Turn] = []
    said = [turn for turn in turns if turn.role in _SPOKEN and turn.text.strip()]
    for turn in reversed(said):
        if estimate(_fenced([turn, *taken], working)) > budget:
            break
        taken.insert(0, turn)
    return _fenced(taken, working) if taken or working else ""


def _fenced(turns: Sequence[Turn], working: Sequence[str]) -> str:
    lines, trust = [OPENING, *working], ""
    for turn in turns:
        now = _TRUST.get(turn.role, "unknown")
        if now != trust:
            lines += [_CLOSE] * bool(trust) + [f'<memory trust="{now}">']
        trust = now
        lines.append(item(turn.id, f"{turn.name or turn.role}: {_short(turn.text)}", turn.ts))
    return "\n".join([*lines, *([_CLOSE] * bool(trust)), CLOSING])


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(' ')[0] or text[:_LONGEST]} …"
