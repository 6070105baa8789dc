"""The actions of a change set: what each does to its file, how a proposal spells it, and what it is called in commits.

A new action is one more class here, named in `ACTIONS`. The class name is its kind in JSON and the order of its fields is how it is
written down. An action that was carried out already changes nothing.
"""

# ruff: noqa: ARG002 - one signature for all actions

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar

from memoryclaw.errors import InputError, OvertakenError
from memoryclaw.model import VALUE, Fact
from memoryclaw.text.encoding import lines_of, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.markdown import outline
from memoryclaw.text.memory_lines import read_line
from memoryclaw.vault.edits import (
    SemanticFile,
    Splice,
    add_source,
    add_sources,
    add_statement,
    add_statements,
    add_synonym,
    apply_splices,
    end_fact,
    line_end,
    quotable,
    rename_entity,
    same,
    set_fact,
    set_property,
    with_inline,
    without_doubt,
)
from memoryclaw.vault.fact_values import plain_key, plain_value
from memoryclaw.vault.facts import MOST_ALSO
from memoryclaw.vault.layout import ALIASES_FILE, place_of
from memoryclaw.vault.logs import parse_ranges
from memoryclaw.vault.properties import names_of
from memoryclaw.writing.context import fact_in_words, flatten
from memoryclaw.writing.decisions import fingerprint
from memoryclaw.writing.pending import PENDING_FILE, PendingFact, add_pending, waiting_id

_SURROGATE = re.compile("[\ud800-\udfff]")
IMPORTED = "notes/basic-memory/"  # where notes go that another program wrote and a person said yes to


def _is_semantic(path: str) -> bool:
    return place_of(path) == ("semantic", "current")


def _is_episode(path: str) -> bool:
    return path.startswith("episodes/") and path.endswith(".md")


@dataclass(frozen=True, slots=True)
class Action(ABC):
    """One edit of one file, as data."""

    heading: ClassVar[str]  # in a proposal
    counted_as: ClassVar[str] = ""  # in the message of a run's last commit
    known_by: ClassVar[tuple[str, ...]] = ("paths",)  # the fields that tell it from others of its kind
    allowed: ClassVar[Callable[[str], bool]]  # the files in which a proposal may ask for it
    # What its file said, when this was planned, of what this replaces or rests on; empty where that does not matter.
    basis: str = field(default="", kw_only=True)

    @property
    @abstractmethod
    def paths(self) -> tuple[str, ...]:
        """The files that it touches; `patched` is given the text of the first."""

    @abstractmethod
    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text of its file once it is done.

        Args:
            text: the text now; None where there is no such file.
            collections: the headings that are no entities (`collections:` of the schema).
        """

    def rests_on(self, text: str | None, collections: frozenset[str]) -> str:
        """What the text says of what this replaces or rests on, as `basis` has it."""
        return ""

    def refusal(self, text: str | None, after: str | None, collections: frozenset[str]) -> str:
        """Why a run must not do it by now, in a sentence: the file is not what it was when this was planned; else empty.

        Args:
            after: the text once it is done.
            collections: as for `patched`.
        """
        moved = bool(self.basis) and after != text and self.rests_on(text, collections) != self.basis
        return f"{self.changed} has changed since this was planned" if moved else ""

    @property
    def changed(self) -> str:
        """What it changes, in a sentence."""
        return self.paths[0]

    def may_be_proposed(self) -> bool:
        """True where a proposal may ask for it: anyone may have written the text of a proposal."""
        return type(self).allowed(self.paths[0])

    @property
    def identity(self) -> tuple[str, ...]:
        """What it is recognised by when another run proposes it again."""
        identity: list[str] = []
        for name in self.known_by:
            value = getattr(self, name)
            identity += [value] if isinstance(value, str) else value
        return tuple(identity)

    @property
    def subject(self) -> str:
        """The subject of its commit where it is made apart from the others of its change; empty where that one serves."""
        return ""

    @property
    def fingerprint(self) -> str:
        """What decisions know its fact or statement by; empty where it makes none."""
        return ""

    def values(self) -> dict[str, Any]:
        """Its fields by name, in order; what it was planned on is none of what it does."""
        return {name: getattr(self, name) for name in self.names()}

    @classmethod
    def optional(cls) -> set[str]:
        """The fields that have a default."""
        return {field.name for field in fields(cls) if field.default is not MISSING}

    @classmethod
    def names(cls) -> list[str]:
        """The fields, in order."""
        return [field.name for field in fields(cls) if field.name != "basis"]


@dataclass(frozen=True, slots=True)
class _FileAction(Action):
    """An action on the file at a path."""

    path: str

    @property
    def paths(self) -> tuple[str, ...]:
        """The file."""
        return (self.path,)


@dataclass(frozen=True, slots=True)
class _EpisodeAction(_FileAction):
    """An action on an episode."""

    allowed: ClassVar[Callable[[str], bool]] = _is_episode


@dataclass(frozen=True, slots=True)
class _SemanticAction(_FileAction):
    """An action on the facts and statements of a file."""

    allowed: ClassVar[Callable[[str], bool]] = _is_semantic

    def facts(self, text: str | None, collections: frozenset[str]) -> tuple[Fact, ...]:
        """What the file says."""
        return SemanticFile(self.path, collections).facts(text or "").facts


@dataclass(frozen=True, slots=True)
class _ValueAction(_SemanticAction):
    """An action on a value that stands, or on a statement."""

    entity: str
    field: str  # empty for a statement
    value: str
    known_by: ClassVar[tuple[str, ...]] = ("path", "entity", "field", "value")

    @property
    def changed(self) -> str:
        """The fact in words."""
        return fact_in_words(self.entity, self.field, self.value)

    def _stated(self, text: str | None, collections: frozenset[str]) -> list[Fact]:
        """The lines that say it."""
        facts = SemanticFile(self.path, collections).current(text or "", self.entity, self.field)
        return [fact for fact in facts if fact.value == self.value]


@dataclass(frozen=True, slots=True)
class NewFile(_FileAction):
    """Writes a file that is not there yet."""

    text: str
    heading: ClassVar[str] = "New file"
    # Episodes, semantic files, skill drafts, and the notes of another program in their own folder.
    allowed: ClassVar[Callable[[str], bool]] = lambda path: (
        _is_new(path) or (path.startswith(IMPORTED) and path.endswith(".md"))
    )

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The new text; what stands there already is of an earlier try, perhaps edited by a person since, and stays."""
        return _encodable(self.text) if text is None else text

    def refusal(self, text: str | None, after: str | None, collections: frozenset[str]) -> str:
        """Why not, where the file that stands there is not of an earlier try: that one cites the same lines."""
        ours = text is None or text == after == self.text or bool(_ranges_in(text) & _ranges_in(self.text))
        return "" if ours else f"{self.path} was created since this was planned"


@dataclass(frozen=True, slots=True)
class Replace(_EpisodeAction):
    """Replaces a note that a run wrote by what is made of the same lines today."""

    text: str
    heading: ClassVar[str] = "New text of a file"

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The new text, where there still is a note."""
        return None if text is None else _encodable(self.text)

    def rests_on(self, text: str | None, collections: frozenset[str]) -> str:
        """The note as it is."""
        return imprint(text)


@dataclass(frozen=True, slots=True)
class SetFact(_SemanticAction):
    """Adds a fact, or sets its value and moves the old one to History."""

    entity: str
    field: str
    value: str
    since: str = ""
    source: str = ""  # id of the episode; several are joined by commas
    many: bool = False
    audience: str = ""  # whom it is for; empty without a label
    memory_type: str = ""  # where the words that told it say more than its field and its value do
    scope: str = ""  # what it holds for; empty: everything
    count: str = ""  # of the sessions in which it served
    last: str = ""  # ISO date of the last of them
    also: str = ""  # words to find it by that nobody said, joined by commas
    instead: str = ""  # the one of several values that it takes the place of
    heading: ClassVar[str] = "Fact"
    counted_as: ClassVar[str] = "fact"
    known_by: ClassVar[tuple[str, ...]] = ("entity", "field", "value")

    @property
    def name(self) -> str:
        """The field of the entity."""
        return f"{self.entity}.{self.field}"

    @property
    def fingerprint(self) -> str:
        """What decisions know the fact by."""
        return fingerprint("fact", self.entity, self.field, self.value)

    @property
    def subject(self) -> str:
        """The fact in words."""
        return fact_in_words(self.entity, self.field, self.value)

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the fact, unless History has this very value: then it was set once, and something newer came."""
        file, text = SemanticFile(self.path, collections), text or ""
        value = " ".join(self.value.split())
        if value in text and any(  # most values are new, and need no reading
            not fact.current and self.is_of(fact) and fact.value == value and fact.since >= self.since
            for fact in file.facts(text).facts
        ):
            return text
        return self.set_in(text, file)

    def rests_on(self, text: str | None, collections: frozenset[str]) -> str:
        """The value that the field has."""
        facts = [fact for fact in self.facts(text, collections) if fact.current and self.is_of(fact)]
        return standing(fact for fact in facts if self.instead in ("", fact.value) or len(facts) == 1)

    def is_of(self, fact: Fact) -> bool:
        """True for a value of its field."""
        return same(fact.entity, self.entity) and same(fact.field, self.field or VALUE)

    @property
    def changed(self) -> str:
        """The field of the entity."""
        return self.name

    def set_in(self, text: str, file: SemanticFile) -> str:
        """The text with the fact, whatever History has."""
        if self.count:
            return self._counted(text, file)
        return self._set_in(text, file)

    def _counted(self, text: str, file: SemanticFile) -> str:
        """The text with the fact and how often it served; what no person said has no trust of its own."""
        standing = self._standing(text, file)
        trust = {} if standing else {"trust": "unknown"}
        text = text if standing else self._set_in(text, file)
        counts = {"count": self.count, "last": self.last, **trust}
        return next((with_inline(text, file, fact.id, counts) for fact in self._standing(text, file)), text)

    def _standing(self, text: str, file: SemanticFile) -> list[Fact]:
        facts = file.current(text, self.entity, self.field or VALUE)
        return [fact for fact in facts if fact.value == self.value]

    def _set_in(self, text: str, file: SemanticFile) -> str:
        first, _, further = self.source.partition(",")
        new = set_fact(
            text, file, entity=self.entity, field=self.field, value=self.value,
            since=self.since, source=first, many=self.many, audience=self.audience, memory_type=self.memory_type,
            scope=self.scope, also=self.also, instead=self.instead,
        ).text  # fmt: skip
        return add_sources(new, file, (self.entity, self.field, self.value), self.source) if further else new


@dataclass(frozen=True, slots=True)
class AddStatement(_SemanticAction):
    """Adds what a person said, in their own words, and moves what it is tied to, to History."""

    entity: str
    words: str
    said: str = ""  # ISO date
    source: str = ""  # id of the episode
    replaces: tuple[str, ...] = ()  # ids of standing statements of the same entity
    audience: str = ""  # whom it is for; empty without a label
    scope: str = ""  # what it holds for; empty: everything
    also: str = ""  # words to find it by that nobody said, joined by commas
    heading: ClassVar[str] = "Statement"
    counted_as: ClassVar[str] = "statement"
    known_by: ClassVar[tuple[str, ...]] = ("entity", "words")

    @property
    def name(self) -> str:
        """The statement in words."""
        return self.subject

    @property
    def fingerprint(self) -> str:
        """What decisions know the statement by."""
        return fingerprint("fact", self.entity, "", quotable(self.words))

    @property
    def subject(self) -> str:
        """The statement in words."""
        return fact_in_words(self.entity, "", self.words)

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the statement, unless History has it: then it was made once, and something newer came."""
        file, text = SemanticFile(self.path, collections), text or ""
        words = quotable(self.words)
        if words in text and any(
            fact.is_statement
            and not fact.current
            and same(fact.entity, self.entity)
            and fact.value == words
            and fact.said >= self.said
            for fact in file.facts(text).facts
        ):
            return text
        return self.set_in(text, file)

    def rests_on(self, text: str | None, collections: frozenset[str]) -> str:
        """The statements that it is tied to."""
        facts = self.facts(text, collections)
        return standing(
            fact for fact in facts if fact.current and fact.is_statement and fact.id in self.replaces
        )

    @property
    def changed(self) -> str:
        """Who said it, or of whom."""
        return f"what {self.entity} said earlier"

    def set_in(self, text: str, file: SemanticFile) -> str:
        """The text with the statement, whatever History has."""
        return add_statement(
            text, file, entity=self.entity, words=self.words, said=self.said,
            source=self.source, replaces=self.replaces, audience=self.audience, scope=self.scope, also=self.also,
        ).text  # fmt: skip


@dataclass(frozen=True, slots=True)
class ConfirmFact(_SemanticAction):
    """Gives a known fact one more source."""

    fact: str
    value: str
    source: str
    also: str = ""  # words to find it by that nobody said, where it has none yet
    heading: ClassVar[str] = "One more source of a fact"
    known_by: ClassVar[tuple[str, ...]] = ("fact", "value", "source")

    @property
    def subject(self) -> str:
        """Names the fact."""
        return f"One more source of {self.fact}"

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the source, if the fact still says so: a person or a newer statement may have changed it."""
        if text is None:
            return None
        file = SemanticFile(self.path, collections)
        fact = next((fact for fact in file.facts(text).facts if fact.id == self.fact), None)
        if fact is None or not fact.current or not same(fact.value, self.value):
            return text
        text = without_doubt(add_source(text, file, self.fact, self.source).text, file, self.fact)
        if self.also and not fact.also:
            with suppress(InputError):  # its line has no room for them
                text = with_inline(text, file, self.fact, {"also": self.also})
        return text

    def refusal(self, text: str | None, after: str | None, collections: frozenset[str]) -> str:
        """Why not, where the value neither holds nor went to History with this source."""
        facts = self.facts(text, collections)
        stands = any(
            same(fact.value, self.value) and (fact.current or self.source in fact.source) for fact in facts
        )
        return "" if stands else f"{self.fact} has changed since this was planned"


@dataclass(frozen=True, slots=True)
class AddPending(Action):
    """Writes a line to `semantic/_pending.md` that waits for a yes or a no."""

    entity: str
    field: str
    value: str
    confidence: str
    source: str
    why: str
    since: str = ""
    known: str = ""  # the value that is held true now, where the two disagree
    audience: str = ""  # whom it is for; empty without a label
    scope: str = ""  # what it holds for; empty: everything
    heading: ClassVar[str] = "Fact that waits"
    allowed: ClassVar[Callable[[str], bool]] = lambda _: True  # it only asks
    counted_as: ClassVar[str] = "waiting"
    known_by: ClassVar[tuple[str, ...]] = ("entity", "field", "value")

    @property
    def paths(self) -> tuple[str, ...]:
        """The file of waiting facts."""
        return (PENDING_FILE,)

    @property
    def fact(self) -> PendingFact:
        """The fact as it waits."""
        value = plain_value(self.value) if self.field else quotable(self.value)
        id_ = waiting_id(plain_key(self.entity), plain_key(self.field), value)
        return PendingFact(id_, **self.values())

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the waiting fact."""
        return add_pending(text or "", self.fact)


@dataclass(frozen=True, slots=True)
class AddSource(_EpisodeAction):
    """Gives an episode the log ranges of another one that is merged into it."""

    ranges: tuple[str, ...]
    heading: ClassVar[str] = "One more source of an episode"
    known_by: ClassVar[tuple[str, ...]] = ("path", "ranges")

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the ranges in the `source` of its header."""
        if text is None:
            return None
        source = split(readable(text)).meta.get("source")
        if source and not isinstance(source, str | list):
            raise InputError(f"the source of {self.path} is neither text nor a list; change it by hand")
        sources = [source] if isinstance(source, str) else [str(cited) for cited in source or ()]
        new_ranges = [range_ for range_ in self.ranges if range_ not in sources]
        return set_property(text, "source", [*sources, *new_ranges]) if new_ranges else text

    def rests_on(self, text: str | None, collections: frozenset[str]) -> str:
        """What the episode tells."""
        return imprint(text and split(readable(text)).body)

    def refusal(self, text: str | None, after: str | None, collections: frozenset[str]) -> str:
        """Why not: the episode tells something else by now, or is gone."""
        if self.basis and text is None:
            return f"{self.path} has gone since this was planned"
        return _FileAction.refusal(self, text, after, collections)


@dataclass(frozen=True, slots=True)
class EndFact(_ValueAction):
    """Moves a value that holds no longer, or a statement, to History."""

    until: str  # ISO date
    heading: ClassVar[str] = "End of a fact"
    counted_as: ClassVar[str] = "ended"

    @property
    def subject(self) -> str:
        """The fact in words."""
        return f"No longer: {fact_in_words(self.entity, self.field, self.value)}"

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the value in History, if it still stands."""
        last = self._last(text, collections)
        if text is None or last is None:
            return text
        return end_fact(text, SemanticFile(self.path, collections), last.id, self.until)

    def _last(self, text: str | None, collections: frozenset[str]) -> Fact | None:
        """The last line that still says it."""
        facts = self._stated(text, collections)
        return facts[-1] if facts else None

    def rests_on(self, text: str | None, collections: frozenset[str]) -> str:
        """The line with its days."""
        last = self._last(text, collections)
        return f"{standing([last])}, until {last.lifecycle.expires}" if last else standing([])


@dataclass(frozen=True, slots=True)
class DoubtFact(_ValueAction):
    """Has a value wait that a person said to be wrong, or wants to be forgotten: its line names the turn."""

    verify_by: str  # ISO date
    turn: str  # the episode and its line: `2026-11-02_10-00-00_ana#^l3`
    how: str = "denied"  # or unwanted
    heading: ClassVar[str] = "Fact to be verified"
    counted_as: ClassVar[str] = "doubted"

    @property
    def subject(self) -> str:
        """The fact in words."""
        return f"To be verified: {fact_in_words(self.entity, self.field, self.value)}"

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the day and the turn on the line, if it still stands and has room."""
        facts = self._stated(text, collections)
        if text is None or not facts:
            return text
        with suppress(InputError):  # it stands in a table, or a header
            marks = {"verify_by": self.verify_by, self.how: f"[[{self.turn}]]"}
            return with_inline(text, SemanticFile(self.path, collections), facts[0].id, marks)
        return text

    def rests_on(self, text: str | None, collections: frozenset[str]) -> str:
        """The line with its days."""
        return standing(self._stated(text, collections)[:1])


@dataclass(frozen=True, slots=True)
class MoveFile(_FileAction):
    """Moves a file as it is; a merge moves the near duplicate to the archive."""

    to: str
    heading: ClassVar[str] = "Move"

    @property
    def paths(self) -> tuple[str, ...]:
        """Where the file is and where it goes."""
        return self.path, self.to

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text as it is; the writer moves the file."""
        return text

    def rests_on(self, text: str | None, collections: frozenset[str]) -> str:
        """The file as it is."""
        return imprint(text)

    def refusal(self, text: str | None, after: str | None, collections: frozenset[str]) -> str:
        """Why not: the file has changed. One that is gone was moved by an earlier try, or a person took it away."""
        moved = bool(self.basis) and text is not None and self.rests_on(text, collections) != self.basis
        return f"{self.path} has changed since this was planned" if moved else ""

    def may_be_proposed(self) -> bool:
        """Allows what consolidation writes to go to the archive, and any note to its own place there."""
        if not (self.to.startswith("archive/") and self.to.endswith(".md")):
            return False
        place, name = f"archive/{self.path.removesuffix('.md')}", self.to.removesuffix(".md")
        is_note = place_of(self.path) == ("note", "current") and self.path.endswith(".md")
        return _is_new(self.path) or (is_note and name.startswith(place) and "/" not in name[len(place) :])


@dataclass(frozen=True, slots=True)
class TakeIn(_EpisodeAction):
    """Lets an episode answer to the ids of others that it takes in, with the lines that only those have."""

    merged: tuple[str, ...]
    lines: tuple[str, ...] = ()
    heading: ClassVar[str] = "Merged episodes"
    known_by: ClassVar[tuple[str, ...]] = ("path", "merged")

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the ids in `merged_from` of its header, and the lines at its end."""
        if text is None:
            return None
        present = names_of(split(readable(text)).meta, ("merged_from",))
        fresh = [id_ for id_ in self.merged if id_ not in present]
        if not fresh:
            return text
        lines = lines_of(text)
        while lines and not lines[-1].strip():
            lines.pop()
        missing = tuple(line for line in self.lines if line not in {stripped.strip() for stripped in lines})
        return set_property(
            apply_splices(text, [Splice(len(lines), len(lines), missing)]), "merged_from", [*present, *fresh]
        )


@dataclass(frozen=True, slots=True)
class RenameEntity(_SemanticAction):
    """Gives the facts of an entity, and their History, the name of another."""

    entity: str
    to: str
    heading: ClassVar[str] = "Name of an entity"
    known_by: ClassVar[tuple[str, ...]] = ("path", "entity", "to")

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the other name."""
        return (
            None
            if text is None
            else rename_entity(text, SemanticFile(self.path, collections), self.entity, self.to)
        )


@dataclass(frozen=True, slots=True)
class AddSynonym(_FileAction):
    """Says in `semantic/aliases.yaml` that two names mean the same."""

    name: str
    other: str
    heading: ClassVar[str] = "Synonym"
    allowed: ClassVar[Callable[[str], bool]] = lambda path: path == ALIASES_FILE
    known_by: ClassVar[tuple[str, ...]] = ("name", "other")

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the synonym."""
        return add_synonym(text or "", self.name, self.other)


@dataclass(frozen=True, slots=True)
class AddSearchWords(_SemanticAction):
    """Gives a fact or statement words to find it by, beside those that it has."""

    fact: str
    value: str
    words: str  # joined by commas
    heading: ClassVar[str] = "Search words"
    known_by: ClassVar[tuple[str, ...]] = ("fact", "words")

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the words, if the fact still says so and its line has room for them."""
        facts = self.facts(text, collections)
        fact = next((fact for fact in facts if fact.id == self.fact and fact.current), None)
        if text is None or fact is None or not same(fact.value, self.value):
            return text
        words = dict.fromkeys((*filter(None, fact.also.split(", ")), *self.words.split(", ")))
        also = {"also": ", ".join(list(words)[:MOST_ALSO])}
        with suppress(InputError):
            text = with_inline(text, SemanticFile(self.path, collections), self.fact, also)
        return text


@dataclass(frozen=True, slots=True)
class AddLines(_FileAction):
    """Adds lines at the end of a section of a skill; without one, a section at the end of the file."""

    section: str
    text: str
    heading: ClassVar[str] = "Lines for a section"
    # Skills, whose approval ends with the change: hosts keep the version that a person approved.
    allowed: ClassVar[Callable[[str], bool]] = lambda path: (
        path.startswith("skills/") and path.endswith("/SKILL.md")
    )
    known_by: ClassVar[tuple[str, ...]] = ("path", "section", "text")

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the lines, unless the section has them."""
        if text is None:
            return None
        body = split(readable(text)).body
        begin = len(text) - len(body)
        headings = outline(body).headings
        matches = (n for n, title in enumerate(headings) if title.text.casefold() == self.section.casefold())
        index = next(matches, None)
        end = line_end(text)
        new = "".join(line + end for line in _encodable(self.text).splitlines())
        if index is None:
            gap = "" if text.endswith("\n") else end
            return f"{text}{gap}{end}## {self.section}{end}{end}{new}"
        heading = headings[index]
        after = next(
            (title.start for title in headings[index + 1 :] if title.level <= heading.level), len(body)
        )
        section = text[begin + heading.below : begin + after]
        if set(map(str.rstrip, new.splitlines())) <= set(map(str.rstrip, section.splitlines())):
            return text
        content = section.rstrip()
        head = text[: begin + heading.below + len(content)].rstrip("\r\n")
        return f"{head}{end}{'' if content else end}{new}{text[len(head) :].removeprefix(end)}"


@dataclass(frozen=True, slots=True)
class Stands(_ValueAction):
    """Changes nothing: the rest of its change is made only while the file says this."""

    heading: ClassVar[str] = "While this stands"
    allowed: ClassVar[Callable[[str], bool]] = lambda _: False  # a person's yes counts whatever stands
    known_by: ClassVar[tuple[str, ...]] = ()  # a change is known by what it does

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text as it is."""
        return text

    def rests_on(self, text: str | None, collections: frozenset[str]) -> str:
        """The lines that say so."""
        return standing(self._stated(text, collections))

    def refusal(self, text: str | None, after: str | None, collections: frozenset[str]) -> str:
        """Why not, where it no longer stands as it did."""
        stands = self.rests_on(text, collections) == self.basis
        return "" if stands else f"{self.changed} has changed since this was planned"


OPEN, DONE, OFF = " ", "x", "-"  # boxes of to-dos


@dataclass(frozen=True, slots=True)
class TickTodo(_FileAction):
    """Marks the line of an open to-do as done, or as cancelled."""

    block: str  # its block id
    box: str  # DONE | OFF
    words: str  # of the line, between the box and the block id
    heading: ClassVar[str] = "To-do"
    known_by: ClassVar[tuple[str, ...]] = ("path", "block", "box")

    @property
    def link(self) -> str:
        """A link to the line."""
        return f"[[{self.path.rpartition('/')[2].removesuffix('.md')}#^{self.block}]]"

    @property
    def subject(self) -> str:
        """Says what became of it."""
        return f"{'Done' if self.box == DONE else 'Cancelled'}: {self.words}"

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the box marked, if the line still stands there open as it was written."""
        lines = lines_of(text or "")
        for row, line in enumerate(lines):
            if self._box(line) == OPEN and read_line(line).content == self.words:
                return "".join((*lines[:row], f"- [{self.box}{line[4:]}", *lines[row + 1 :]))
        return text

    def _box(self, text: str) -> str:
        """The box of the line, whatever was written behind its words; empty for another line."""
        line = read_line(text)
        is_meant = line.block == self.block and line.content.startswith(self.words)
        return line.box[1:2] if is_meant and text.startswith("- ") else ""

    def refusal(self, text: str | None, after: str | None, collections: frozenset[str]) -> str:
        """Why not: the line is another one by now, and nobody has marked it."""
        settled = after != text or any(self._box(line) not in ("", OPEN) for line in lines_of(text or ""))
        return "" if settled else f"{self.words!r} in {self.path} has changed since this was planned"

    def may_be_proposed(self) -> bool:
        """Allows the boxes of episodes."""
        return _is_episode(self.path) and self.box in (DONE, OFF)


@dataclass(frozen=True, slots=True)
class NoteBelow(_EpisodeAction):
    """Writes a line below a line of an episode, which stays as it was told."""

    block: str  # the block id of the line
    words: str
    heading: ClassVar[str] = "Line below a line"
    known_by: ClassVar[tuple[str, ...]] = ("path", "block", "words")

    def patch(self, text: str | None, collections: frozenset[str]) -> str | None:
        """The text with the line, behind those that stand below the same one; unchanged where it is there, or the line above is gone."""
        if text is None:
            return None
        lines = lines_of(text)
        blocks = (n for n, line in enumerate(lines) if self.block and read_line(line).block == self.block)
        row = next(blocks, None)
        if row is None:
            return text
        below = row + 1
        while below < len(lines) and lines[below].strip() and lines[below][0] in " \t":
            below += 1
        new = f"  - {flatten(self.words)}"
        if any(line.strip() == new.strip() for line in lines[row + 1 : below]):
            return text
        return apply_splices(text, [Splice(below, below, (new,))])


ACTIONS: tuple[type[Action], ...] = (
    NewFile, Replace, SetFact, AddStatement, ConfirmFact, AddPending, AddSource, AddLines, EndFact, DoubtFact, MoveFile, TickTodo, TakeIn,
    RenameEntity, AddSynonym, AddSearchWords, NoteBelow, Stands,
)  # fmt: skip


def must_stand(
    actions: Iterable[Action], collections: frozenset[str], text: str | None, after: str | None
) -> None:
    """Raises OvertakenError where a file is no longer what one of these actions rests on."""
    for action in actions:
        if refusal := action.refusal(text, after, collections):
            raise OvertakenError(refusal)


def patch_together(actions: Sequence[Action], collections: frozenset[str], text: str | None) -> str | None:
    """The text of a file once all of these are done; statements of one speaker and day are added at one go where they can be."""
    statements = [action for action in actions if isinstance(action, AddStatement)]
    if (
        text is not None
        and len(statements) == len(actions) > 1
        and not any(statement.scope or statement.also for statement in statements)
    ):
        file, first = SemanticFile(statements[0].path, collections), statements[0]
        quotes = [(action.words, action.source) for action in statements]
        together = add_statements(
            text, file, entity=first.entity, said=first.said, quotes=quotes, audience=first.audience
        )
        if together is not None:
            return together
    for action in actions:
        text = action.patch(text, collections)
    return text


def standing(facts: Iterable[Fact]) -> str:
    """What facts say, each with its day: how an action names the values that it rests on."""
    return "; ".join(f"{fact.value} ({fact.day})" for fact in facts) or "nothing"


_BOX = re.compile(r"^([ \t]*[-*+] )\[.\] ", re.MULTILINE)


def imprint(text: str | None) -> str:
    """A digest of a text but for its line ends and the boxes of its to-dos, which a run may tick: how an action names a file."""
    lines = "\n".join(_BOX.sub(r"\1", text or "").splitlines())
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _ranges_in(text: str) -> set[str]:
    return set(map(str, parse_ranges(text)))


def _encodable(text: str) -> str:
    """The text without halves of characters, which no file can hold; logs have them where a host cut a string."""
    return text.encode("utf-8", "replace").decode() if _SURROGATE.search(text) else text


def _is_new(path: str) -> bool:
    is_draft = path.startswith("skills/_drafts/") and path.endswith(".md")
    return _is_semantic(path) or _is_episode(path) or is_draft
