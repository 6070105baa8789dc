"""Short conversations for tests of what reads them."""

from __future__ import annotations

from collections.abc import Iterable

from memoryclaw.consolidation.changes import Extraction, Segment
from memoryclaw.model import Turn
from memoryclaw.talk.statements import Statement, Talk, read
from memoryclaw.text.language import key_of
from memoryclaw.vault.logs import LogRange

LOG = "logs/2026-03-10/evening.jsonl"
KITCHEN = (
    ("user Nora", "Tomás and I finally agree on the kitchen wall."),
    ("assistant Pip", "Which paint is it?"),
    ("user Nora", "It is Dünensand 14, the matt one. My email is nora@example.org."),
    ("tool", 'calendar_create {"title": "Paint: Farben Kröger"} → {"ok": true, "room": "cellar"}'),
    ("user Tomás", "Anna's birthday is 12 May. Maybe the deadline of Boathouse moves?"),
    ("assistant Pip", "I put Farben Kröger in the calendar."),
)


def segment_of(said: Iterable[tuple[str, str]], first: int = 1) -> Segment:
    """A segment of (`role name`, text), one a line."""
    turns = []
    for line, (who, text) in enumerate(said, first):
        role, _, name = who.partition(" ")
        turns.append(
            Turn(
                id=f"log:evening/{line}",
                session="evening",
                turn=str(line),
                ts=f"2026-03-10T17:{line % 60:02d}:00Z",
                role=role,
                name=name,
                text=text,
                line=line,
                end_line=line,
            )
        )
    return Segment(LogRange(LOG, first, first + len(turns) - 1, "0" * 16), tuple(turns))


def basis_of(**values: object) -> Extraction:
    """What patterns might have made of the kitchen."""
    known = {
        "title": "Kitchen wall",
        "summary": "Nora and Tomás agree on the kitchen wall.",
        "tags": ("kitchen",),
    }
    return Extraction(**{**known, "participants": ("Nora", "Pip", "Tomás"), **values})


def talk_of(
    *said: str | tuple[str, str], names: Iterable[str] = (), language: str = "en", first: int = 1
) -> Talk:
    """What is read in a conversation; what has no `role name` before it is said by Nora, a user."""
    turns = segment_of(
        ((turn if isinstance(turn, tuple) else ("user Nora", turn)) for turn in said), first
    ).turns
    return read(turns, {key_of(name): name for name in names}, language)


def only(talk: Talk) -> Statement:
    """The only statement of a talk."""
    [statement] = talk.statements
    return statement
