"""The nouns of MemoryClaw, as frozen values; every interface uses the words defined here.

note     one file of the vault, parsed          unit     the piece of a note that is indexed and ranked
episode  a note of what happened                fact     one value that is held true of an entity
skill    a note of how to do something          turn     one line of a log
to-do    a line with a box, open or done         field    a property of a header, or `key:: value` in a text
statement  a fact without a field: what a person said, in their own words
digest   SHA-256 of a file's bytes              stamp    size, times and inode of a file
match    a unit that answers a question         problem  something wrong in a user's text, with its line
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeVar

from memoryclaw.late import NamedTuple

NOTHING: Mapping[str, Any] = MappingProxyType({})
K = TypeVar("K")
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """The values of pairs by their keys, in the order in which they come."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


# The text columns of a unit, in index order.
FROM_NOW_ON = "from now on"  # the field of what somebody asks of the assistant for good
VALUE = "value"  # the field of an entity that has one value and no field names
COLUMNS = ("title", "tags", "properties", "body")
ALSO = "also"  # the words that a line may be searched by besides its own
COUNTED = (*COLUMNS, ALSO, "characters")  # what is counted when a unit is ranked


class FileChange(NamedTuple):
    """One file before and after a commit, an exchange or an undo; None where it is not there."""

    path: str
    before: bytes | None
    after: bytes | None


class Problem(NamedTuple):
    """Something wrong in a file, with a hint for a person; the file stays searchable."""

    path: str
    line: int
    message: str
    hint: str = ""


class Stamp(NamedTuple):
    """Size, times and inode of a file, and what tells its doubts from others; any difference means that it must be read again."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    doubts: bytes = b""


class Link(NamedTuple):
    """A `[[wikilink]]`, embed or relative Markdown link of a note; `target` is as written, without `#…`."""

    target: str
    anchor: str
    label: str
    line: int
    embed: bool = False


OWNER, AGENT, EVERYBODY = "owner", "agent", "public"  # audiences; any other name is a group
TRUSTS = ("trusted", "unknown", "untrusted", "quarantined")


@lru_cache(maxsize=256)
def least_trusted(*trusts: str) -> str:
    """The lowest of these trusts; what is no trust counts as unknown."""
    return max((trust if trust in TRUSTS else "unknown" for trust in trusts), key=TRUSTS.index)


MATCH_KINDS = ("episode", "fact", "skill", "note", "todo", "turn")  # of units
NOTE_KINDS = ("episode", "semantic", "skill", "note", "log")
NOTE_STATES = ("current", "archived", "pending", "draft")
ENVIRONMENT = "environment"  # what a project runs in and with
# Free words are kept, too.
MEMORY_TYPES = ("decision", "preference", "lesson", "procedure", "event", "to-do", ENVIRONMENT)
SESSION, PROJECT = "session", "project:"  # scopes; an empty one is permanent


class Lifecycle(NamedTuple):
    """What sort of memory something is, for what it counts, and until when; days are ISO dates, empty where nothing is said."""

    memory_type: str = ""  # one of MEMORY_TYPES, or any other word
    scope: str = ""  # `project:<name>`, `session` or `session:<name>`; empty: permanent
    expires: str = ""  # the last day on which it counts
    verify_by: str = ""  # it asks to be checked again until then
    verified: str = ""  # the day on which somebody said that it still holds

    def within(self, around: Lifecycle) -> Lifecycle:
        """The same of what stands in a note: what it does not say itself the note says, and nothing outlasts its note."""
        return Lifecycle(
            self.memory_type or (around.memory_type if around.memory_type in MEMORY_TYPES else ""),
            self.scope or around.scope,
            min(filter(None, (self.expires, around.expires)), default=""),
            self.verify_by or around.verify_by,
            self.verified or around.verified,
        )


PERMANENT = Lifecycle()


class Fact(NamedTuple):
    """One value of one field of one entity, or one statement: a line (or table cell) under `semantic/`, or a field of the entity's note.

    The `field` of a statement is empty, and its `value` the words that were said, without their quotes. It is never known to be
    true now: it stands until a later statement is tied to it, and moves to History then.
    """

    entity: str
    field: str
    value: str
    line: int
    since: str = ""  # ISO date from which it holds
    until: str = ""  # ISO date at which it ceased to hold; only under History
    source: str = ""
    current: bool = True  # False under History
    id: str = ""  # `semantic/projects#projectX.deadline`
    type: str = "fact"  # fact | statement
    said: str = ""  # ISO date on which it was said
    trust: str = "trusted"  # what its line says of itself; its file may say less
    audience: str = ""  # whom the labels on its line let in; empty without one
    end_line: int = 0  # of a list in a header, its last line
    also: str = ""  # its search words, joined by commas; the index does not keep them of a fact
    lifecycle: Lifecycle = PERMANENT  # what its line says

    @property
    def is_statement(self) -> bool:
        """True for what a person said, which names no field."""
        return self.type == "statement"

    @property
    def day(self) -> str:
        """The ISO date from which a fact holds, or on which a statement was made."""
        return self.said if self.is_statement else self.since


class Section(NamedTuple):
    """The text under one heading, without the sections below it. `heading` is empty before the first."""

    heading: str
    trail: tuple[str, ...]  # the headings above it, outermost first, itself included
    line: int  # 1-based line of the heading (or of the first line)
    end_line: int
    text: str  # the lines below the heading, as in the file


class Turn(NamedTuple):
    """One line of a log: what somebody said, or a tool event."""

    id: str  # `log:<session>/<turn>`
    session: str
    turn: str
    ts: str
    role: str
    name: str  # who spoke, where the log says so
    text: str
    line: int
    end_line: int
    audience: str = ""  # whom its labels let in; empty without one
    export: bool = True  # False: it never leaves this machine
    by: str = ""  # the audience of who delivered it, where that may not speak for a person
    project: str = ""  # the repository that it was said in
    topic: str = ""  # what its host calls the talk
    takes_back: Turn | None = None  # an earlier turn that was read before, and that it asks to forget


class Unit(NamedTuple):
    """A piece of a note that is indexed, ranked and quoted on its own."""

    id: str
    kind: str  # episode | fact | skill | note | todo | turn
    line: int
    end_line: int
    title: str = ""  # shown in results and searched
    tags: str = ""
    properties: str = ""  # participants, entities, project and other frontmatter values
    text: str = ""  # searched as `body`, quoted as the snippet
    also: str = ""  # search words that nobody said; found by, never shown
    when: str = ""  # ISO date or date-time (UTC), "" when timeless
    until: str = ""  # end of the time it covers or holds
    # The days that its value is, as `dates.days_of` gives them: of a date, or of when a to-do is due.
    days: str = ""
    entity: str = ""  # facts: the entity; turns: who spoke
    role: str = ""  # turns only: user | assistant | tool
    field: str = ""  # of a fact, empty for a statement; of a to-do whether it is open, done or cancelled
    value: str = ""  # of a fact; of a to-do its line
    trust: str = "trusted"  # trusted | unknown | untrusted | quarantined
    pinned: bool = False
    state: str = "current"  # current | superseded | archived | pending | draft
    lifecycle: Lifecycle = PERMANENT

    @property
    def is_statement(self) -> bool:
        """True for the unit of a statement."""
        return self.kind == "fact" and not self.field


class Note(NamedTuple):
    """One parsed file of the vault; errors are in `problems`."""

    path: str
    id: str
    kind: str  # episode | semantic | skill | note | log
    title: str
    meta: Mapping[str, Any] = NOTHING
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    project: str = ""
    when: str = ""
    until: str = ""
    trust: str = "trusted"
    pinned: bool = False
    merged_from: tuple[str, ...] = ()  # the ids of notes that it took in, which lead to it
    state: str = "current"
    lifecycle: Lifecycle = PERMANENT  # what its header says
    sections: tuple[Section, ...] = ()
    entity: str = ""  # the one that the fields of a plain note tell of
    facts: tuple[Fact, ...] = ()
    turns: tuple[Turn, ...] = ()
    links: tuple[Link, ...] = ()
    blocks: tuple[tuple[str, int], ...] = ()  # Obsidian's block ids (`^id`) and the lines that carry them
    units: tuple[Unit, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def typed_facts(self) -> Iterator[Fact]:
        """Its facts, each with the memory type that is said, or can be told, of its unit."""
        types = {unit.id: unit.lifecycle.memory_type for unit in self.units if unit.kind == "fact"}
        return (
            fact._replace(lifecycle=fact.lifecycle._replace(memory_type=types.get(fact.id, "")))
            for fact in self.facts
        )


class Matched(NamedTuple):
    """One word of the question found in one field of a unit, and how it was found."""

    word: str
    field: str
    via: str  # literal stem phrase prefix bigram alias entity fuzzy date upcoming neighbour session feedback vector pinned, search word


class Term(NamedTuple):
    """One named part of a score; the score is exactly the sum of its terms."""

    name: str
    value: float


class LineMark(NamedTuple):
    """What is to be said of a line of a unit, or of all of it."""

    text: str
    line: str = ""  # its words; empty for the whole unit


class Match(NamedTuple):
    """A unit that answers a question, with all that is needed to show and explain it."""

    unit: Unit
    path: str
    note: str  # id of the note the unit belongs to
    score: float
    terms: tuple[Term, ...]
    matched: tuple[Matched, ...]
    snippet: str = ""
    highlights: tuple[tuple[int, int], ...] = ()  # (start, end) in the snippet
    surfaces: frozenset[str] = frozenset()  # the matched words as the text has them
    tokens: int = 0  # in the context, once packed
    copies: int = 0  # near copies that it stands for
    sections: int = 0  # further sections of its note, which are not shown
    overdue: str = ""  # the ISO day until which it was to be checked again, once that day is over
    conflicts: tuple[str, ...] = ()  # ids of facts that say otherwise, where only one value can hold
    superseded: tuple[
        LineMark, ...
    ] = ()  # of a turn or an episode: what holds instead of what its lines told


class LeftOut(NamedTuple):
    """A candidate that is not in the answer, and why."""

    id: str
    reason: str


# What search and recall answer, as values that every interface can print.


class Traced(NamedTuple):
    """One candidate of a trace: what it scored and the one decision that was made of it."""

    id: str
    path: str
    score: float
    decision: str  # `in`, or the reason why it was left out


class Relevance(NamedTuple):
    """Whether a vault says anything about a turn, as a sum of named terms; below 0 it does not."""

    terms: tuple[Term, ...] = ()
    # That the best holds the answer; None where the question itself says what is wanted.
    chance: float | None = None

    @property
    def value(self) -> float:
        """The sum of the terms."""
        return sum(term.value for term in self.terms)

    @property
    def passes(self) -> bool:
        """True where something is to be said."""
        return self.value >= 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A ranked, explained answer."""

    query: str
    matches: tuple[Match, ...]
    left_out: tuple[LeftOut, ...]
    trace: tuple[Traced, ...]
    confidence: float
    relevance: Relevance = field(default_factory=Relevance)  # whether the vault says anything about it
    did_you_mean: dict[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()  # names in the question that stand nowhere in the vault
    notices: tuple[str, ...] = ()
    degraded: str = ""  # why the answer may be behind the files; empty when it is not
    behind: int = 0
    timings_ms: dict[str, float] = field(default_factory=dict)
