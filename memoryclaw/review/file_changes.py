"""A change of one file, made again on a later version of it, or taken back from one. Pure: texts in, text out.

Neither is a guess: a merge of lines counts only where exactly the same facts change. Facts and waiting questions are otherwise taken
back line by line; a line that was changed since stays, and is named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from memoryclaw.consolidation.actions import (
    Action,
    AddPending,
    AddStatement,
    NewFile,
    SetFact,
    must_stand,
    standing,
)
from memoryclaw.errors import InputError, OvertakenError
from memoryclaw.late import NamedTuple
from memoryclaw.model import Fact, FileChange, grouped
from memoryclaw.text.encoding import decode, lines_of, readable
from memoryclaw.text.memory_lines import BULLET
from memoryclaw.text.merging import merge
from memoryclaw.vault.edits import (
    SemanticFile,
    Sheet,
    Splice,
    apply_splices,
    fact_key,
    fact_sources,
    indent,
    same,
)
from memoryclaw.writing.context import fact_in_words
from memoryclaw.writing.decisions import APPROVED, UNDONE, Decision, Decisions
from memoryclaw.writing.pending import PENDING_FILE, PendingFact, read_pending

_HEADING = re.compile(r"(#{1,6})[ \t]+\S")
_Key = tuple[str, str, str, bool]


def texts_of(change: FileChange) -> tuple[str, str]:
    """The texts before and after a change; empty for no file."""
    return decode(change.before or b"").text, decode(change.after or b"").text


# A change as actions, and made again


def added_facts(before: str, after: str, file: SemanticFile) -> list[SetFact | AddStatement]:
    """The facts and statements that a change of a semantic file added, as actions."""
    old = [fact for fact in file.facts(before).facts if fact.current]
    facts = file.facts(after).facts
    new = [fact for fact in facts if fact.current]
    triples = {(fact.entity, fact.field, fact.value) for fact in old}

    def action(fact: Fact) -> SetFact | AddStatement:
        source = next(iter(fact_sources(after, file, fact.id)), fact.source)
        if fact.is_statement:
            past = [f for f in facts if f.is_statement and not f.current and f.entity == fact.entity]
            ended = {f.value for f in past if f.until == fact.said}
            tied = [f for f in old if f.is_statement and f.entity == fact.entity and f.value in ended]
            return AddStatement(
                file.path, fact.entity, fact.value, fact.said, source, tuple(former.id for former in tied), fact.audience,
                fact.lifecycle.scope, basis=standing(tied) if tied else "",
            )  # fmt: skip
        many, lifecycle = len(file.current(after, fact.entity, fact.field)) > 1, fact.lifecycle
        basis = "" if many else standing(file.current(before, fact.entity, fact.field))
        value = (fact.entity, fact.field, fact.value, fact.since, source, many, fact.audience)
        return SetFact(file.path, *value, lifecycle.memory_type, lifecycle.scope, basis=basis)

    return [action(fact) for fact in new if (fact.entity, fact.field, fact.value) not in triples]


def actions_of(change: FileChange, file: SemanticFile | None) -> list[Action]:
    """What a change of one file can be proposed as; empty where it is nothing that a person could be asked."""
    if change.after is None:
        return []
    before, after = texts_of(change)
    if change.path == PENDING_FILE:
        earlier_ids = {waiting.id for waiting in read_pending(before)}
        names = set(AddPending.names())
        return [
            AddPending(**{name: value for name, value in waiting._asdict().items() if name in names})
            for waiting in read_pending(after)
            if waiting.id not in earlier_ids
        ]
    if file is not None:
        return [*added_facts(before, after, file)]
    return [NewFile(change.path, after)] if change.before is None else []


def replay(before: str, after: str, now: str, file: SemanticFile | None) -> str | None:
    """The text with the change from `before` to `after` in it, or None where that would be a guess."""
    merged = merge(before, now, after)
    if file is None:
        return merged
    changes = added_facts(before, after, file)
    text = now
    try:
        for fact in changes:
            text, was = fact.set_in(text, file), text
            must_stand([fact], file.collections, was, text)
    except (InputError, OvertakenError):
        return None
    if merged is not None and only_its_facts(file, (before, after), (now, merged)):
        return merged
    return text if changes else None


def only_its_facts(file: SemanticFile | None, asked: tuple[str, str], done: tuple[str, str]) -> bool:
    """True when no fact came to stand below another entity because a heading between them came or went.

    Args:
        done: the same of the version that it was merged into.
    """
    if file is None:
        return True
    before, after, now_facts, merged = (
        Counter(map(fact_key, file.facts(text).facts)) for text in (*asked, *done)
    )
    now_facts.subtract(before)
    now_facts.update(after)
    return +now_facts == merged


# A change of facts or questions, taken back line by line


class TakenBack(NamedTuple):
    """The text without the change (None: nothing is left of a file that the change made), and the facts that stay."""

    text: str | None
    left: tuple[str, ...] = ()


class _FactLine(NamedTuple):
    """The facts of one line with the lines that continue it, counted from 0, the last one not included."""

    start: int
    end: int
    facts: tuple[Fact, ...]
    lines: tuple[str, ...]

    @property
    def identity(self) -> tuple[tuple[_Key, ...], tuple[str, ...]]:
        """What makes it the same line in another version of the file."""
        return tuple(map(fact_key, self.facts)), self.lines

    @property
    def is_current(self) -> bool:
        return any(fact.current for fact in self.facts)


class _FactSheet(NamedTuple):
    """A text with its lines of facts, and its other lines that are not blank."""

    sheet: Sheet
    fact_lines: list[_FactLine]

    @classmethod
    def of(cls, text: str, file: SemanticFile) -> _FactSheet:
        sheet = Sheet.of(text, file)
        spans = grouped((sheet.span(fact), fact) for fact in sheet.facts.facts)
        fact_lines = [
            _FactLine(a, b, tuple(facts), tuple(line.rstrip() for line in sheet.lines[a:b]))
            for (a, b), facts in sorted(spans.items(), key=lambda item: item[0])
        ]
        return cls(sheet, fact_lines)

    @property
    def rest(self) -> Counter[str]:
        """The lines that are not blank and state no fact."""
        numbers = {number for line in self.fact_lines for number in range(line.start, line.end)}
        lines = enumerate(self.sheet.lines)
        return Counter(line.rstrip() for n, line in lines if n not in numbers and line.strip())


def take_back_facts(before: str | None, after: str, now: str, file: SemanticFile) -> TakenBack | None:
    """The text without what a change of a semantic file wrote, whatever came around it since.

    Args:
        before: the text that the change was made on; None where it made the file.

    Returns:
        The text, and the facts that stay since their lines were changed; None where this cannot be told line by line.
    """
    old, written, page = (_FactSheet.of(text, file) for text in (before or "", after, now))
    fresh = written.rest - old.rest
    if before is not None and not all(_HEADING.match(line) or BULLET.match(line) for line in fresh):
        return None
    added = _less(written.fact_lines, old.fact_lines)
    removed_lines = _less(old.fact_lines, written.fact_lines)
    free, splices, remaining, keys_expected = list(page.fact_lines), list[Splice](), list[str](), _keys(page)
    lines_staying = list[_FactLine]()
    # What holds goes before what was: an old value comes back only where the new one goes.
    for line in sorted(added, key=lambda line: not line.is_current):
        was = [block for block in removed_lines if line.is_current and _about(block, line)]
        was = was if line.facts[0].is_statement else was[:1]  # a statement may be tied to several
        removed_lines = [
            block for block in removed_lines if not any(block is block_before for block_before in was)
        ]
        standing = next((block for block in reversed(free) if block.identity == line.identity), None)
        if standing is None or (not line.is_current and any(_about(block, line) for block in lines_staying)):
            lines_staying.append(line)
            facts = [fact for f in page.fact_lines for fact in f.facts]
            remaining += [_name(g) for g in line.facts if g.current and any(_is_changed(g, f) for f in facts)]
            continue
        free.remove(standing)
        lines = tuple(line for block in was for line in block.lines)
        splices.append(Splice(standing.start, standing.end, lines))
        keys_expected.subtract(map(fact_key, standing.facts))
        keys_expected.update(fact_key(fact) for block in was for fact in block.facts)
    if removed_lines:
        return None
    bare = Counter(line.rstrip() for n, line in enumerate(page.sheet.lines) if _is_bare(page.sheet.lines, n))
    text = _without_headings(apply_splices(now, splices), file, fresh - bare)
    result = _FactSheet.of(text, file)
    if +keys_expected != _keys(result):
        return None
    is_empty = before is None and not result.fact_lines and not result.rest - written.rest
    return TakenBack(None if is_empty else text, tuple(dict.fromkeys(remaining)))


def take_back_questions(before: str | None, after: str, now: str) -> TakenBack:
    """The text of `semantic/_pending.md` without the questions that a change put there, and with those that it took."""
    old, written, standing = (_entries(text) for text in (before or "", after, now))
    splices, remaining = list[Splice](), list[str]()
    for id_ in written.keys() - old.keys() & standing.keys():
        fact, lines = standing[id_]
        if lines == written[id_][1]:
            splices.append(Splice(fact.line - 1, fact.end_line))
        else:
            remaining.append(_name(fact))
    gone = [id_ for id_ in old if id_ not in written and id_ not in standing]
    if back := [line for id_ in gone for line in old[id_][1]]:
        end = max((fact.end_line for fact, _ in standing.values()), default=len(lines_of(now)))
        splices.append(Splice(end, end, tuple(back)))
    text = apply_splices(now, splices)
    is_bare = before is None and not read_pending(text) and not _words(text) - _words(after)
    return TakenBack(None if is_bare else text, tuple(dict.fromkeys(sorted(remaining))))


def _entries(text: str) -> dict[str, tuple[PendingFact, tuple[str, ...]]]:
    lines = [line.rstrip() for line in readable(text).split("\n")]
    return {fact.id: (fact, tuple(lines[fact.line - 1 : fact.end_line])) for fact in read_pending(text)}


def _words(text: str) -> Counter[str]:
    return Counter(line.strip() for line in readable(text).split("\n") if line.strip())


def _name(fact: Fact | PendingFact) -> str:
    return f"{fact.entity}.{fact.field}" if fact.field else fact_in_words(fact.entity, "", fact.value)


def _is_changed(fact: Fact, other: Fact) -> bool:
    """True where both are of one field, or one statement in other words: it keeps its date and its source."""
    if not (same(other.entity, fact.entity) and same(other.field, fact.field)):
        return False
    same_source = bool(fact.source) and (fact.said, fact.source) == (other.said, other.source)
    return not fact.is_statement or fact.value == other.value or same_source


def _less(lines: Sequence[_FactLine], others: Sequence[_FactLine]) -> list[_FactLine]:
    counts, fewer = Counter(line.identity for line in others), list[_FactLine]()
    for line in lines:
        if counts[line.identity]:
            counts[line.identity] -= 1
        else:
            fewer.append(line)
    return fewer


def _about(first: _FactLine, other: _FactLine) -> bool:
    """True where both tell the same fields of the same entities."""
    return [(f.entity, f.field) for f in first.facts] == [(f.entity, f.field) for f in other.facts]


def _without_headings(text: str, file: SemanticFile, fresh: Counter[str]) -> str:
    """The text without those of the fresh headings (and bullets of entities) below which nothing is left."""
    while True:
        page = _FactSheet.of(text, file)
        fact_lines = {number for line in page.fact_lines for number in range(line.start, line.end)}
        lines = page.sheet.lines
        others = (n for n, line in enumerate(lines) if n not in fact_lines and fresh[line.rstrip()])
        heading = next((n for n in others if _is_bare(lines, n)), None)
        if heading is None:
            return text
        end = heading + 1
        while end < len(lines) and not lines[end].strip():
            end += 1
        start = heading
        while end == len(lines) and start and not lines[start - 1].strip():
            start -= 1
        fresh = fresh - Counter([lines[heading].rstrip()])
        text = apply_splices(text, [Splice(start, end)])


def _is_bare(lines: Sequence[str], at: int) -> bool:
    if not (_HEADING.match(lines[at]) or BULLET.match(lines[at])):
        return False
    below = next((line for line in lines[at + 1 :] if line.strip()), None)
    if below is None:
        return True
    heading, next_heading = _HEADING.match(lines[at]), _HEADING.match(below)
    if heading:
        return next_heading is not None and len(next_heading[1]) <= len(heading[1])
    return indent(below) <= indent(lines[at])


def _keys(page: _FactSheet) -> Counter[_Key]:
    return Counter(map(fact_key, page.sheet.facts.facts))


# Decisions that keep a change taken back


def restoring_decisions(before: str, after: str, now: str, *, at: str, by: str) -> Iterator[Decision]:
    """The decisions that put things back as they were decided before a change of the decisions file.

    A decision that a later one has outweighed since is left alone.

    Args:
        before: the decisions before the change that is taken back.
    """
    old, written, current = (Decisions.read(text).all for text in (before, after, now))

    def latest(decisions: tuple[Decision, ...]) -> Decision | None:
        return next((d for d in reversed(decisions) if (d.fingerprint, d.digest) == key), None)

    for decision in written[len(old) :]:
        key = decision.fingerprint, decision.digest
        other = decision._replace(decision=APPROVED if decision.decision == UNDONE else UNDONE)
        if not any(key):
            yield other._replace(at=at, by=by)
        elif latest(current) == decision:
            yield (latest(old) or other)._replace(at=at, by=by)
