"""What an English half of the set is made of: people, topics and sentence forms. Each half has words of its own."""

from __future__ import annotations

from typing import NamedTuple


class Act(NamedTuple):
    """Something a person did: `repair the accordion`, `repaired the accordion`, `accordion`."""

    base: str
    past: str
    noun: str


class Speech(NamedTuple):
    """The words of one half. Forms hold slots such as {name}, {base}, {past}, {noun}, {detail}."""

    seed: int
    start: str  # the day of the first session
    pairs: tuple[tuple[str, str], ...]
    acts: tuple[Act, ...]
    details: dict[str, tuple[str, ...]]  # where, who, why, cost
    tellings: tuple[str, ...]  # an event with a detail, in the first person
    asked: dict[str, tuple[str, ...]]  # by the kind of detail
    praised: tuple[str, ...]  # the other tells of the one who did it
    wondered: tuple[str, ...]  # a question that names the subject
    pauses: tuple[str, ...]  # an aside before the answer, and what the other says to it
    urges: tuple[str, ...]
    replied: tuple[str, ...]  # its answer, which does not
    replies_asked: dict[str, tuple[str, ...]]
    dated: tuple[str, ...]  # an event with {ago}
    ago: tuple[tuple[str, int], ...]  # an expression of time and its days; weekdays are worked out
    when: tuple[str, ...]
    on_day: tuple[str, ...]
    paraphrases: tuple[tuple[str, str], ...]  # as it was said, as it is asked
    said_so: tuple[str, ...]
    asked_so: dict[str, tuple[str, ...]]
    echoes: tuple[str, ...]  # the other takes up the word of the question
    twice: tuple[str, ...]  # one of two events that are almost alike
    which: dict[str, tuple[str, ...]]  # asks for one of the two: by person, month or companion
    decoys: tuple[str, ...]  # names the subject and the person, and tells nothing
    chatter: tuple[str, ...]


def acts(table: str) -> tuple[Act, ...]:
    """Topics from lines of `base | past | noun`."""
    return tuple(Act(*(cell.strip() for cell in line.split("|"))) for line in lines(table))


def pairs(table: str) -> tuple[tuple[str, str], ...]:
    """Two columns."""
    cut = [line.partition("|") for line in lines(table)]
    return tuple((left.strip(), right.strip()) for left, _, right in cut)


def lines(table: str) -> tuple[str, ...]:
    """The lines of a text that say something."""
    return tuple(line.strip() for line in table.splitlines() if line.strip())
