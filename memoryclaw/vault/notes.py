"""Reads a file of the vault into a Note. It never raises; errors become Problems of the note."""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from memoryclaw.late import NamedTuple
from memoryclaw.model import (
    NOTHING,
    PERMANENT,
    PROJECT,
    TRUSTS,
    Fact,
    Link,
    Note,
    Problem,
    Section,
    Turn,
    Unit,
    grouped,
    least_trusted,
)
from memoryclaw.text import words as lists
from memoryclaw.text.dates import days_of
from memoryclaw.text.encoding import decode, readable
from memoryclaw.text.frontmatter import Split, header_length, is_filled_in, split
from memoryclaw.text.grammar import codes, grammar, tokens_of
from memoryclaw.text.language import WORD, words_of
from memoryclaw.text.markdown import Body, links_in, read_body, sections_of
from memoryclaw.text.memory_lines import read_line
from memoryclaw.text.redaction import without_unkept
from memoryclaw.text.yaml_text import strings
from memoryclaw.vault import audience
from memoryclaw.vault.audience import NO_DOUBTS, UNSAID, FileDoubts
from memoryclaw.vault.facts import (
    NO_FIELDS,
    Facts,
    NoteFields,
    first_title,
    is_template,
    read_facts,
    read_fields,
    with_page_properties,
    without_facts,
)
from memoryclaw.vault.forgotten import (
    NOTHING_FORGOTTEN,
    ForgottenLines,
    omitted_lines,
    without_lines,
    without_words,
)
from memoryclaw.vault.layout import SALIENCE_FILE, Place, page_name, place_of
from memoryclaw.vault.logs import Log, read_jsonl, read_markdown_log, role_of
from memoryclaw.vault.properties import (
    JOURNALS,
    LOGSEQ,
    JournalNames,
    Properties,
    canonical_scope,
    day_in_folders,
    day_in_heading,
    day_in_name,
    names_of,
    read_properties,
    text_of,
    type_of,
)
from memoryclaw.vault.standings import standing_of_note, standing_of_turn, standings_of_lines
from memoryclaw.vault.todos import Todo, may_hold_todos, planned_below, read_todo, todo_id
from memoryclaw.vault.vocabulary import DEFAULT_COLLECTIONS, asked_for_contacts, found_by

# Units: the pieces of a note that are indexed, ranked and quoted. A unit's text begins on the unit's first line.

WHOLE_WORDS = 220  # a note up to this long is one unit
SECTION_WORDS = 600  # a longer section is cut into parts
SECTION_CHARS = 6000
CUT_CHARS = 4000  # where a text without paragraphs is cut
MAX_TEXT = 1024 * 1024  # beyond this, only the distinct words of a text are kept
_WORDS = re.compile(rf"\s*+(?:\S++\s++){{{SECTION_WORDS}}}")
_ROLE_TRUST = {
    "user": "trusted",
    "human": "trusted",
    **dict.fromkeys(("tool", "toolResult", ""), "untrusted"),
}


def _units_of(note: Note, reading: _Reading, rest: str) -> tuple[Unit, ...]:
    """The retrieval units of a note, in the order of the file; of `rest`, the text beyond `MAX_TEXT`, only the distinct words are kept."""
    if note.turns:
        return tuple(unit for turn in note.turns for unit in _turn_units(turn, note))
    fact_lines, properties, fields = reading.facts.lines, reading.searched, reading.fields
    far = [("~rest", 0, rest)] if rest else []
    named = fields.searched
    if len(properties) + len(named) > SECTION_CHARS:  # every unit holds them: what is large is held once
        far, properties, named = [("~header", 1, ", ".join(filter(None, (properties, named)))), *far], "", ""
    facts = [_fact_unit(fact, note) for fact in note.facts]
    cutter = _Cutter(note, properties)
    if note.kind != "episode":  # which tells them as part of what happened
        fact_lines |= {number for number, _, _ in reading.todos}
    prose = cutter.units(list(_without_facts(note.sections, fact_lines)) if fact_lines else note.sections)
    if not prose and (properties or named or note.aliases or not facts):
        prose = [cutter.unit("", 1, 1, "", ())]
    if prose and (named or fields.days):
        begin = cutter.with_properties(named) if named else prose[0].properties
        prose[0] = prose[0]._replace(properties=begin, days=fields.days)
    prose += [cutter.overflow(*arguments) for arguments in far]
    units = [*prose, *facts, *cutter.todos(reading.todos)]
    for number, unit in enumerate(units):  # what no word of it names, its words or its place tell
        is_typed = unit.lifecycle.memory_type and unit.kind != "todo"
        if not is_typed and (memory_type := type_of(unit)):
            units[number] = unit._replace(lifecycle=unit.lifecycle._replace(memory_type=memory_type))
    return tuple(units)


# Who writes a plain note, told by its path and its lines: `data/written_by.json` lists what hosts have agents and models write.


def trust_of_file(path: str) -> str:
    """How far a plain note is trusted by who writes the file of this path."""
    return least_trusted(TRUSTS[0], *(trust for row, trust in _rows("files", "path") if row.fullmatch(path)))


def trust_of_lines(text: str) -> str:
    """How far a text is trusted by who speaks in its lines."""
    return least_trusted(TRUSTS[0], *(trust for row, trust in _rows("lines", "begins") if row.search(text)))


@cache
def _rows(kind: str, pattern: str) -> list[tuple[re.Pattern[str], str]]:
    rows = lists.table("written_by")[kind]
    return [(re.compile(row[pattern], re.IGNORECASE | re.MULTILINE), row["trust"]) for row in rows]


class _Cutter:
    """Cuts the prose of one note into units that share its title, tags and properties."""

    def __init__(self, note: Note, properties: str) -> None:
        self._note = note
        summary = note.meta.get("description" if note.kind == "skill" else "summary")
        about = summary if isinstance(summary, str) and summary != note.title else ""
        self._title = " · ".join(filter(None, (note.title, *note.aliases, about.strip())))
        self._tags = " ".join(note.tags)
        self._properties = self.with_properties(properties)
        self._kind = note.kind if note.kind in ("episode", "skill") else "note"
        self._seen: dict[str, int] = {}

    def with_properties(self, properties: str) -> str:
        """The names of a note, and these values."""
        note = self._note
        return ", ".join(filter(None, (*note.people, *note.entities, note.project, properties)))

    def todos(self, todos: Iterable[tuple[int, str, Todo]]) -> Iterator[Unit]:
        """A unit for each to-do, found by its own words and by what it stands under; two of the same words are told apart by number.

        The summary of an episode tells of much besides: there, only the line itself finds it.
        """
        count: dict[str, int] = {}
        note, is_told = self._note, self._note.kind == "episode"
        for line, written, todo in todos:
            base = todo_id(note.id, todo)
            number = count[base] = count.get(base, 0) + 1
            trail = [heading for heading in _trail(line, note) if heading != note.title]
            unit = self.unit("", line, line, todo.text, tuple(trail))
            unit = unit._replace(properties=self.with_properties(""))
            unit = unit._replace(title="", tags="", properties="") if is_told else unit
            yield unit._replace(
                id=base if number == 1 else f"{base}~{number}",
                kind="todo",
                days=todo.days,
                field=todo.status,
                value=written,
            )

    def units(self, sections: tuple[Section, ...] | list[Section]) -> list[Unit]:
        """One unit for a short note or for one section, else one for each section, or part of a long section."""
        if not sections:
            return []
        if sum(len(section.text) for section in sections) <= SECTION_CHARS:
            text = _join(sections)
            if len(text.split()) <= (WHOLE_WORDS if len(sections) > 1 else SECTION_WORDS):
                return [self.unit("", sections[0].line, sections[-1].end_line, text, ())]
        following = (*sections[1:], None)
        return [
            unit
            for section, after in zip(sections, following, strict=True)
            if section.text.strip() or not _is_above(section, after)
            for unit in self._section(section)
        ]

    def _section(self, section: Section) -> Iterator[Unit]:
        line = section.line
        for piece in parts(_with_heading(section)):
            end = line + piece.count("\n")
            yield self.unit(
                section.heading, line, max(line, end - piece.endswith("\n")), piece, section.trail
            )
            line = end

    def unit(self, heading: str, line: int, end_line: int, text: str, trail: tuple[str, ...]) -> Unit:
        """A unit of the note; the second of one heading gets `~2`, the next `~3`."""
        note = self._note
        number = self._seen[heading] = self._seen.get(heading, 0) + 1
        below = heading if number == 1 else f"{heading}~{number}"
        if trail:
            trail = tuple([above for above in trail if above != note.title])
        trust = note.trust
        if note.kind == "note" and "ssistant" in text:
            trust = least_trusted(trust, trust_of_lines(text))
        forms = asked_for_contacts(text) if note.kind == "note" else ()
        return Unit(
            id=f"{note.id}#{below}" if below else note.id,
            kind=self._kind,
            line=line,
            end_line=end_line,
            title=" › ".join((self._title, *trail)) if trail else self._title,
            tags=self._tags,
            properties=", ".join(filter(None, (self._properties, *sorted(forms)))),
            text=text,
            when=note.when,
            until=note.until,
            trust=trust,
            pinned=note.pinned,
            state=note.state,
            lifecycle=note.lifecycle,
        )

    def overflow(self, heading: str, line: int, text: str) -> Unit:
        """The unit of the distinct words of a huge note's end or header, which keeps it findable by them."""
        line = line or max((section.end_line for section in self._note.sections), default=1)
        return self.unit(heading, line, line + text.count("\n"), " ".join(_distinct(text)), ())


def parts(text: str) -> Iterator[str]:
    """Cuts a text into parts of at most `SECTION_WORDS` words, at paragraphs, else at lines, else at spaces."""
    start = 0
    while True:
        words = _WORDS.match(text, start, start + SECTION_CHARS)
        limit = min(words.end() if words else len(text), start + SECTION_CHARS)
        if limit >= len(text):
            yield text[start:]
            return
        end = _border(text, start, limit)
        yield text[start:end]
        start = end


def _border(text: str, start: int, limit: int) -> int:
    for mark in ("\n\n", "\n"):
        cut = text.rfind(mark, start + 1, limit)
        if cut > start:
            return cut + len(mark)
    limit = min(limit, start + CUT_CHARS)
    cut = text.rfind(" ", start + 1, limit)
    return cut + 1 if cut > start else limit


def _join(sections: Iterable[Section]) -> str:
    """Joins consecutive sections; lines left out between them become blank."""
    parts_: list[str] = []
    line = 0
    for section in sections:
        text = _with_heading(section)
        if parts_ and section.line > line:
            parts_.append("\n" * (section.line - line))
        parts_.append(text)
        line = section.line + text.count("\n")
    return "".join(parts_)


def _with_heading(section: Section) -> str:
    return f"{section.heading}\n{section.text}" if section.heading else section.text


def _is_above(section: Section, after: Section | None) -> bool:
    depth = len(section.trail)
    return after is not None and len(after.trail) > depth and after.trail[:depth] == section.trail


def _without_facts(sections: Iterable[Section], fact_lines: frozenset[int]) -> Iterator[Section]:
    """Removes the lines of facts from sections, and sections that this leaves empty."""
    for section in sections:
        first = section.line + bool(section.heading)
        lines = section.text.split("\n")
        remaining = ["" if first + i in fact_lines else line for i, line in enumerate(lines)]
        if remaining == lines:
            yield section
        elif any(line.strip() for line in remaining):
            yield section._replace(text="\n".join(remaining))


def _trail(line: int, note: Note) -> tuple[str, ...]:
    """The headings above a line."""
    index = bisect_right(note.sections, line, key=lambda section: section.line) - 1
    return note.sections[index].trail if index >= 0 else ()


def _fact_unit(fact: Fact, note: Note) -> Unit:
    forms = found_by(fact.field, fact.value) if fact.field else asked_for_contacts(fact.value)
    # The file's title and the headings above it, which no prose unit repeats.
    names = (note.title, *(note.aliases if note.entity else ()))
    trail = (title for title in _trail(fact.line, note) if title != fact.entity)
    above = ", ".join(dict.fromkeys((*names, *trail)))
    return Unit(
        id=fact.id,
        kind="fact",
        line=fact.line,
        end_line=max(fact.line, fact.end_line),
        title=fact.entity if fact.field in ("", "value") else f"{fact.entity} {fact.field}",
        tags=" ".join(note.tags),
        properties=", ".join(filter(None, (above, " ".join(sorted(forms))))),
        text=fact.value,
        also=fact.also if fact.current and least_trusted(note.trust, fact.trust) == "trusted" else "",
        when=fact.day,
        until=fact.until,
        days=days_of(fact.value) if fact.field else "",
        entity=fact.entity,
        field=fact.field,
        value=fact.value,
        trust=least_trusted(note.trust, fact.trust),
        pinned=note.pinned,
        state=note.state if fact.current else "superseded",
        lifecycle=fact.lifecycle.within(note.lifecycle),
    )


def _turn_units(turn: Turn, note: Note) -> Iterator[Unit]:
    texts = [(turn.id, turn.text[:MAX_TEXT])]
    if len(turn.text) > MAX_TEXT:
        texts.append((f"{turn.id}#~rest", " ".join(_distinct(turn.text[MAX_TEXT:]))))
    lifecycle = PERMANENT
    if turn.project and turn.role != "tool":
        from memoryclaw.text.memory_types import is_of_work  # noqa: PLC0415 - most turns name no project

        scope = canonical_scope(f"{PROJECT}{turn.project}") if is_of_work(turn.text[:MAX_TEXT]) else ""
        lifecycle = lifecycle._replace(scope=scope)
    for id_, text in texts:
        yield Unit(
            id=id_,
            kind="turn",
            line=turn.line,
            end_line=turn.end_line,
            text=text,
            when=turn.ts,
            entity=turn.name or turn.role,
            role=role_of(turn.name) or turn.role,
            trust=least_trusted(_ROLE_TRUST.get(turn.role, "unknown"), "unknown" if turn.by else "trusted"),
            state=note.state,
            lifecycle=lifecycle,
        )


def _distinct(text: str) -> list[str]:
    """The distinct words of a long text, in order of appearance."""
    distinct: dict[str, None] = {}
    start = 0
    while start < len(text):
        end = start + MAX_TEXT
        end = len(text) if end >= len(text) else (text.rfind(" ", start, end) + 1 or end)
        distinct.update(dict.fromkeys(words_of(text[start:end])))
        start = end
    return list(distinct)


# Notes: header, body, facts, skill or turns by kind of file.

MAX_PROBLEMS = 50  # reported for one file
_CONFLICT = re.compile(r"^<{7} .*$", re.MULTILINE)
_NOT_STORED = re.compile("[\0\ud800-\udfff]")
_NO_BODY = Body("", (), (), (), (), "")
_NO_HEADER = Split(NOTHING, "", "", 1)


class ReadingSettings(NamedTuple):
    """What a note depends on besides its file: the vault's collections, in lower case, the audiences of its folders, the lines that are left out, what of it is in doubt, the zone of turns that name none, and how journals are called."""

    collections: frozenset[str] = DEFAULT_COLLECTIONS
    labels: Mapping[str, Any] = NOTHING
    forgotten: ForgottenLines = NOTHING_FORGOTTEN
    doubts: FileDoubts = NO_DOUBTS
    zone: str = ""
    journals: JournalNames = LOGSEQ


NO_SETTINGS = ReadingSettings()


class _Source(NamedTuple):
    """The file of a note."""

    path: str
    place: Place
    stem: str
    problems: tuple[Problem, ...]
    rest: str  # text beyond what is read
    day: str  # that its name writes
    called: tuple[str, ...] = ()  # a journal: as links name its day


# Reads name, description and triggers of skill files. JSON is parsed; JavaScript is only scanned as text, never run.

# An unclosed string ends at the end of its line; that a string always matches keeps the scan linear.
_STRING = r"'(?:[^'\\\n]|\\.)*+'?|\"(?:[^\"\\\n]|\\.)*+\"?|`(?:[^`\\]|\\.)*+`?"
_JS_STRING = re.compile(_STRING)
_JS_VALUE = re.compile(rf"\b(name|description|triggers)['\"]?\s*[:=]\s*({_STRING}|\[[^\]]{{0,4000}}\])")
_JS_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*(?:.*?\*/|.*)", re.DOTALL)

_JS_SCANNED = 64 * 1024  # a skill says what it is at its beginning


class Skill(NamedTuple):
    """The self-description of a skill file."""

    name: str = ""
    description: str = ""
    triggers: tuple[str, ...] = ()
    parameters: str = ""
    steps: str = ""
    meta: Mapping[str, Any] = NOTHING
    problems: tuple[Problem, ...] = ()

    @property
    def searched(self) -> str:
        """The words that describe the skill, apart from its name and its text."""
        return ", ".join(filter(None, (self.description, *self.triggers, self.parameters)))


def read_markdown_skill(meta: Mapping[str, Any]) -> Skill:
    """Reads the header of a `SKILL.md`; the Agent Skills format requires name and description."""
    skill = _from(meta)
    missing = [key for key in ("name", "description") if not getattr(skill, key)]
    if not missing:
        return skill
    problem = Problem("", 1, f"this skill has no {' and no '.join(missing)}", "add it to the header")
    return skill._replace(problems=(problem,))


def read_json_skill(text: str) -> Skill:
    """Reads a JSON skill; one that cannot be parsed is still found by its words."""
    line, trouble, hint = 1, "", "the skill is found by its words only"
    try:
        value = json.loads(text)
    except ValueError as error:
        line, trouble = getattr(error, "lineno", 1), f"this JSON is broken: {error}"
    except RecursionError:
        trouble = "this JSON is nested too deeply"
    else:
        if not isinstance(value, dict):
            trouble, hint = "this JSON is not a skill", "write an object with a name and steps"
    if trouble:
        return Skill(problems=(Problem("", line, trouble, hint),))
    return _from(_as_text(value), "this skill has no name", 'add "name"')


def read_javascript_skill(text: str) -> Skill:
    """Scans a JavaScript skill for the first name, description and triggers outside comments."""
    fields: dict[str, Any] = {}
    for hit in _JS_VALUE.finditer(_JS_COMMENT.sub(lambda comment: comment[1] or " ", text[:_JS_SCANNED])):
        values = [_unescape(string) for string in _JS_STRING.findall(hit[2])]
        fields.setdefault(hit[1], values if hit[2].startswith("[") else values[0])
    return _from(fields, "no name was found in this skill", "add name: '…'")


def _from(meta: Mapping[str, Any], trouble: str = "", hint: str = "") -> Skill:
    """The skill that a header or an object tells of; `trouble` is said of one without a name."""
    low = {key.lower(): value for key, value in meta.items()}
    parameters, name = low.get("parameters") or low.get("preconditions"), text_of(low.get("name"))
    return Skill(
        name=name,
        description=text_of(low.get("description")),
        triggers=names_of(low, ("triggers", "trigger")),
        parameters=_parameters(parameters),
        steps=text_of(low.get("steps")),
        meta=meta,
        problems=() if name or not trouble else (Problem("", 1, trouble, hint),),
    )


def _parameters(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(value)
    if isinstance(value, list):
        return ", ".join(text_of(each.get("name") if isinstance(each, dict) else each) for each in value)
    return text_of(value)


def _as_text(value: Any, depth: int = 0) -> Any:
    """Converts JSON values to those of our YAML: strings, lists and maps."""
    if depth > 50:  # far deeper than any skill, far from the interpreter's limit
        return ""
    if isinstance(value, dict):
        return {_scrubbed(key): _as_text(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_text(inner, depth + 1) for inner in value]
    if value is None or isinstance(value, str):
        return _scrubbed(value) if value else value
    return json.dumps(value)


def _scrubbed(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _unescape(string: str) -> str:
    inside = string[1:-1] if len(string) > 1 and string[-1] == string[0] else string[1:]
    return re.sub(r"\\(.)", r"\1", inside, flags=re.DOTALL)


class _Reading(NamedTuple):
    """The content of a file, by kind of note."""

    parts: Split = _NO_HEADER
    said: Properties = Properties()
    body: Body = _NO_BODY
    facts: Facts = Facts()
    skill: Skill = Skill()
    log: Log = Log()
    title: str = ""
    searched: str = ""
    fields: NoteFields = NO_FIELDS
    todos: tuple[tuple[int, str, Todo], ...] = ()


# `salience.md` in the root of a vault: what matters to its user and what to ignore. It is read as words, and tells nobody what to
# do.

MOST = 4000  # characters that are read
MATTERS, IGNORE = "matters", "ignore"
_LABEL_WORDS = 6  # of a line before its colon
_BOLD = re.compile(r"(\*\*|__)([^*_]+)\1")
_PARTS = re.compile(r"[,;，；、]")


class Topics(NamedTuple):
    """The topics of both parts, each in the words of the file, and what of the file is not read."""

    matters: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_topics(text: str) -> Topics:
    """The topics that a text names: to be ignored below a heading that says ignore or denies, of weight below any other.

    A line is a topic, or several with commas between them. A heading that says neither is of the part of the one above it, and so is one
    that says both. A line that is bold or ends in a colon is a heading; what stands behind the colon is of that part alone.
    """
    topics: dict[str, dict[str, None]] = {MATTERS: {}, IGNORE: {}}
    note = split(text[: _end(text)])
    body = read_body(note.body, note.body_line)
    for section in sections_of(body._replace(text=body.quiet), note.body_line):
        topic_kind = next(filter(None, map(_part, reversed(section.trail))), MATTERS)
        for line in section.text.splitlines():
            label, colon, topics_text = _label(read_line(line.lstrip(" \t>")).content)
            of = _part(label) if len(tokens_of(label)) <= _LABEL_WORDS else ""
            if of and not topics_text.strip():
                topic_kind = of
                continue
            for topic in _PARTS.split(topics_text if of else f"{label}{colon}{topics_text}"):
                if named := " ".join(hit[0] for hit in WORD.finditer(topic)):
                    topics[of or topic_kind][named] = None
    problems: tuple[Problem, ...] = ()
    if len(text) > MOST:
        first_unread = text.count("\n", 0, _end(text)) + 1
        message = f"only the first {MOST:,} characters are read as what matters and what to ignore"
        problems = (Problem("", first_unread, message, "shorten the file, or write what is below elsewhere"),)
    return Topics(tuple(topics[MATTERS]), tuple(topics[IGNORE]), problems)


def says_which(word: str) -> bool:
    """True for a word that says which part a line is of, and no topic: `important`, `ignore`, `not`."""
    word = word.lower()
    return word in _list("matters") or word in _list("ignores") or _denies(word)


def _label(line: str) -> tuple[str, str, str]:
    """What stands before a colon, the colon, and what stands behind it; a bold line has a colon at its end."""
    if bold := _BOLD.fullmatch(line.strip()):
        return bold[2].rstrip(" :"), ":", ""
    label, colon, text = line.partition(":")
    return (label, colon, text.lstrip("*_")) if colon else ("", "", line)


def _part(heading: str) -> str:
    """Which part a heading says that it begins; empty where it says none, or both."""
    words = [word.lower() for word in tokens_of(heading)]
    if any(map(_denies, words)):
        return IGNORE
    matters = any(word in _list("matters") for word in words)
    ignores = any(word in _list("ignores") for word in words)
    return "" if matters == ignores else MATTERS if matters else IGNORE


def _denies(word: str) -> bool:
    return word in _list("denies") or any(word in grammar(code).negations for code in codes())


@cache
def _list(name: str) -> frozenset[str]:
    return frozenset(lists.words(f"salience.{name}"))


def _end(text: str) -> int:
    """Where reading ends: at a line, within the characters that are read."""
    return len(text) if len(text) <= MOST else text.rfind("\n", 0, MOST) + 1 or MOST


def read_note(path: str, data: bytes, settings: ReadingSettings = NO_SETTINGS) -> Note:
    """Reads a file of the vault into a note with its units; any bytes at any path make one."""
    place = place_of(path) or Place("note")
    file = decode(data)
    marks = settings.forgotten.within(path, data) if place.kind in ("log", "episode") else {}
    text, overflow, problems = file.text, "", file.problems
    if marks and place.kind == "episode":
        text = without_lines(text, omitted_lines(marks), words=marks).text
    text = readable(text)
    if len(text) > MAX_TEXT and not path.endswith(".jsonl"):
        text, overflow = _cut(text, MAX_TEXT + header_length(text))
        if overflow:
            message = "this file is larger than 1 MiB; from this line on, only its words can be found"
            hint = "split it into several notes"
            problems += (Problem("", text.count("\n") + 1, message, hint),)
    if "<<<<<<< " in text:
        problems += _conflicts(text)
    if path == SALIENCE_FILE:
        problems += read_topics(text).problems
    name = path.rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    day, called = _journal(path, stem, settings.journals) if settings.journals != LOGSEQ else ("", ())
    source = _Source(path, place, stem, problems, overflow, day or day_in_name(stem), called)
    reading = _read(source, text, settings)
    if reading.log.turns:  # they stay, so that they can be named, and say nothing
        gone = omitted_lines(marks)
        turns = (
            t._replace(text="" if t.line in gone else without_words(t.text, marks.get(t.line, ())))
            if marks
            else t
            for t in without_unkept(reading.log.turns)
        )
        reading = reading._replace(log=Log(tuple(turns), reading.log.problems))
    note = _note(source, reading)
    label = audience.of_folders(path, settings.labels) if settings.labels else ""
    if not label:
        return note
    narrow = audience.common_audience
    return note._replace(
        facts=tuple(f._replace(audience=narrow(label, f.audience)) for f in note.facts),
        turns=tuple(t._replace(audience=narrow(label, t.audience)) for t in note.turns),
    )


def _journal(path: str, stem: str, names: JournalNames) -> tuple[str, tuple[str, ...]]:
    """The day of a journal, and what its graph calls it."""
    day = (names.day_of(stem) or day_in_name(stem)) if path.startswith(JOURNALS) else ""
    return day, tuple(filter(None, [names.title_of(day[:10])])) if day else ()


def _read(source: _Source, text: str, settings: ReadingSettings) -> _Reading:
    kind = source.place.kind
    if kind == "log" and source.path.endswith(".jsonl"):
        log = read_jsonl(source.stem, text, settings.zone)
        if settings.doubts.pieces:
            pairs = ((turn, standing_of_turn(turn, settings.doubts).label) for turn in log.turns)
            log = log._replace(turns=tuple(turn._replace(**label._asdict()) for turn, label in pairs))
        return _Reading(said=Properties(trust="unknown"), log=log)
    if kind == "skill" and not source.path.endswith(".md"):
        skill = read_json_skill(text) if source.path.endswith(".json") else read_javascript_skill(text)
        doc = Split(skill.meta, "", text, 1)
        return _Reading(
            doc, body=_NO_BODY._replace(text=text), skill=skill, title=skill.name, searched=skill.searched
        )
    return _markdown(source, text, settings)


def _markdown(source: _Source, text: str, settings: ReadingSettings) -> _Reading:
    kind, doc = source.place.kind, split(text)
    header = read_properties(without_facts(doc.meta) if kind == "semantic" else doc.meta, doc.lines)
    if settings.doubts.pieces and (least := standing_of_note(doc, settings.doubts).trust):
        header = header._replace(trust=least_trusted(header.trust, least))
    if kind == "note" and not any(str(key).lower() == "trust" for key in doc.meta):
        header = header._replace(trust=least_trusted(header.trust, trust_of_file(source.path)))
    if kind == "log":
        body, line = (text, 1) if doc.broken else (doc.body, doc.body_line)
        log = read_markdown_log(source.stem, doc.meta, body, line, settings.zone)
        label = standing_of_note(doc, settings.doubts).label
        if label != audience.UNLABELLED:
            pairs = (
                (turn, audience.join_labels((label, audience.Label(turn.audience, turn.export))))
                for turn in log.turns
            )
            log = log._replace(turns=tuple(turn._replace(**joined._asdict()) for turn, joined in pairs))
        return _Reading(doc, header._replace(trust="unknown"), log=log)
    read = read_body(doc.body, doc.body_line)
    if kind == "note" and not doc.raw:
        header = with_page_properties(header, read)
    reading = _Reading(doc, header, read, title=header.title, searched=_searchable(doc, header))
    is_open = kind != "skill" and source.place.state in ("current", "archived")
    if is_open and not is_template(source.path, doc.raw) and (todos := _todos(read, doc.body_line)):
        reading = reading._replace(todos=todos)
    if kind == "semantic":
        facts = read_facts(header.id or _path_id(source.path), source.stem, doc, read, settings.collections)
        facts = _with_labels(facts, doc, settings.doubts)
        return reading._replace(facts=facts, title=header.title or source.stem)
    if kind == "skill":
        skill = read_markdown_skill(doc.meta)
        # What it is for is part of its title, so that whoever recalls a step of it is told that first.
        others = {key: value for key, value in doc.meta.items() if key != "description"}
        searched = _searchable(doc, header._replace(other=read_properties(others, {}).other))
        return reading._replace(
            searched=searched, skill=skill, title=skill.name or header.title or source.path.split("/")[-2]
        )
    if kind == "episode":
        return reading._replace(title=header.title or header.summary)
    title = header.title or first_title(read) or page_name(_scrub(source.stem))
    fields = read_fields(
        source.path, doc, read, header, note_id=header.id or _path_id(source.path), title=title
    )
    facts = _with_labels(Facts(fields.facts), doc, settings.doubts)
    return reading._replace(facts=facts, fields=fields)


def _todos(body: Body, first_line: int) -> tuple[tuple[int, str, Todo], ...]:
    """The lines with boxes, or words for them, but for those in code; with the days that the lines just below say."""
    if not may_hold_todos(body.quiet):
        return ()
    quiet_lines, lines = body.quiet.split("\n"), body.text.split("\n")
    todos = []
    for number, (quiet, line) in enumerate(zip(quiet_lines, lines, strict=True)):
        if read_todo(quiet) is None:
            continue
        below = lines[number + 1 : number + 3]
        plans = planned_below(below) if "<" in "".join(below) else ""
        written = f"{line.strip()} {plans}" if plans else line.strip()
        if todo := read_todo(written):
            todos.append((first_line + number, written, todo))
    return tuple(todos)


def _with_labels(facts: Facts, parts: Split, doubts: FileDoubts) -> Facts:
    """The facts, each for those whom the labels of the note and of all that stands around its line let in."""
    note_label, marks = standing_of_note(parts, doubts).audience, audience.marks_in(parts.body)
    if not note_label and marks == audience.NO_MARKS and not doubts.pieces:
        return facts
    of_lines = standings_of_lines(parts.body.split("\n"), marks, doubts=doubts)

    def labelled(fact: Fact) -> Fact:
        index = fact.line - parts.body_line
        standing = of_lines[index] if index >= 0 else UNSAID
        return fact._replace(
            audience=audience.common_audience(note_label, fact.audience, standing.audience),
            trust=least_trusted(fact.trust, standing.trust or fact.trust) if doubts.pieces else fact.trust,
        )

    return facts._replace(facts=tuple(map(labelled, facts.facts)))


def _searchable(parts: Split, said: Properties) -> str:
    """The header's other values, the values of duplicate keys, and the raw text of a broken header."""
    if not parts.broken and not parts.shadowed:
        return said.other
    hidden = [text for _, value in parts.shadowed for text in strings(value)]
    return ", ".join(filter(None, (said.other, parts.raw if parts.broken else "", *hidden)))


def _note(source: _Source, reading: _Reading) -> Note:
    doc, header, body = reading.parts, reading.said, reading.body
    problems = source.problems
    if not is_filled_in(doc.raw):  # the header of a template becomes one when it is used
        problems += doc.problems + header.problems
    problems += reading.skill.problems + reading.log.problems + reading.facts.problems
    title, day = first_title(body) or page_name(_scrub(source.stem)), ""
    if source.place.kind == "note" and not is_template(source.path, ""):
        day = (day_in_heading(body.headings[0].text) if body.headings else "") or day_in_folders(source.path)
    note = Note(
        path=source.path,
        id=header.id or _path_id(source.path),
        kind=source.place.kind,
        title=reading.title or title,
        meta=doc.meta,
        tags=_tags(header.tags, body.tags) if body.tags else header.tags,
        aliases=(*header.aliases, *source.called),
        people=header.people,
        entities=header.entities,
        entity=reading.fields.entity,
        project=header.project,
        when=header.when or source.day or day,
        until=header.until,
        trust=header.trust,
        pinned=header.pinned,
        merged_from=header.merged_from if source.place.state == "current" else (),
        lifecycle=header.lifecycle,
        state=source.place.state,
        sections=sections_of(body, doc.body_line),
        facts=reading.facts.facts,
        turns=reading.log.turns,
        links=_links(doc, body),
        blocks=body.blocks,
        problems=_at(source.path, problems) if problems else (),
    )
    return note._replace(units=_units_of(note, reading, source.rest))


def _path_id(path: str) -> str:
    """The id of a note without one: its path, in NFC however the file system spells accents."""
    return unicodedata.normalize("NFC", _scrub(path.removesuffix(".md")))


def _scrub(name: str) -> str:
    """Replaces what no index can store: NUL, and bytes that are not UTF-8."""
    return _NOT_STORED.sub("\ufffd", name)


def _tags(said: tuple[str, ...], inline: tuple[str, ...]) -> tuple[str, ...]:
    """Joins tags without regard to case, as Obsidian does; the first spelling stays."""
    spellings = grouped((tag.lower(), tag) for tag in (*said, *inline))
    return tuple([first for first, *_ in spellings.values()])


def _links(parts: Split, body: Body) -> tuple[Link, ...]:
    if "[[" not in parts.raw:
        return body.links
    links = links_in(parts.raw)
    inside, line, before = [], 2, 0
    for start, link in links:
        line += parts.raw.count("\n", before, start)
        before = start
        if link.target:
            inside.append(link._replace(line=line))
    return (*inside, *body.links)


def _cut(text: str, most: int) -> tuple[str, str]:
    """Cuts a huge text in two at the last line or word within the limit."""
    if len(text) <= most:
        return text, ""
    least = most - MAX_TEXT // 2
    end = text.rfind("\n", least, most) + 1 or text.rfind(" ", least, most) + 1 or most
    return text[:end], text[end:]


def _conflicts(text: str) -> tuple[Problem, ...]:
    message, hint = "a merge conflict begins on this line", "keep one side and delete the markers"
    problems, line, start = [], 1, 0
    for hit in _CONFLICT.finditer(text):
        line += text.count("\n", start, hit.start())
        start = hit.start()
        problems.append(Problem("", line, message, hint))
    return tuple(problems)


def _at(path: str, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Adds the path to problems, and cuts a long list of them short."""
    omitted = len(problems) - MAX_PROBLEMS
    if omitted > 0:
        more = Problem("", problems[MAX_PROBLEMS].line, f"{omitted} more problems from here on")
        problems = (*problems[:MAX_PROBLEMS], more)
    return tuple([problem._replace(path=path) for problem in problems])
