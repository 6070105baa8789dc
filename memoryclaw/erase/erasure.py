"""What a purge erases, as data, and what becomes of a file then, as it is or once was: a small function for each place of the vault."""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from memoryclaw.capture.log_records import file_stem
from memoryclaw.consolidation.changes import RUNS
from memoryclaw.errors import InputError
from memoryclaw.model import Fact, Turn
from memoryclaw.text.encoding import decode, encode, json_object, lines_of
from memoryclaw.text.memory_lines import line_fields, read_line, sources_of, without
from memoryclaw.text.needles import Needles, normal
from memoryclaw.vault import forgotten
from memoryclaw.vault.edits import SemanticFile, Sheet, Splice, apply_splices, remove_fact, same
from memoryclaw.vault.layout import DECISIONS_FILE
from memoryclaw.vault.logs import parse_ranges
from memoryclaw.writing import pending
from memoryclaw.writing.decisions import fingerprint
from memoryclaw.writing.edit import FactRemoval
from memoryclaw.writing.provenance import ADDED, QuotedLine, SourcedFact

_WAS = re.compile(r" \(was: ([^\n]{0,200}?)\)$")
_LEVEL = re.compile(r"#{1,6}")


@dataclass
class Erasure:
    """Everything that goes, as it was named or rests on that; then what follows from it."""

    collections: frozenset[str] = frozenset()  # of the vault's semantic files
    turns: dict[str, dict[int, Turn]] = field(default_factory=lambda: defaultdict(dict))  # log → line
    # log → line that stays; episode → line
    words: dict[str, dict[int, list[str]]] = field(default_factory=lambda: defaultdict(dict))
    quotes: dict[str, dict[int, QuotedLine]] = field(default_factory=lambda: defaultdict(dict))
    notes: dict[str, str] = field(default_factory=dict)  # path → id of a note that goes whole
    facts: dict[tuple[str, str], SourcedFact] = field(default_factory=dict)  # path and id → fact
    stripped: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))  # sources
    waiting: dict[str, pending.PendingFact] = field(default_factory=dict)
    sessions: set[str] = field(default_factory=set)

    logs: dict[str, dict[bytes, bytes]] = field(default_factory=dict)  # log → line → as long as before
    artifacts: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    titles: dict[str, tuple[str, str]] = field(default_factory=dict)  # id of an episode → old and new title
    renames: dict[str, str] = field(default_factory=dict)  # path → path; its name said what is erased
    replaced: dict[str, str] = field(default_factory=dict)  # ids, ranges and titles → what stands for them
    needles: Needles = field(default_factory=lambda: Needles(()))

    @cached_property
    def triples(self) -> set[tuple[str, str, str]]:
        """Entity, field and value of every fact that goes."""
        facts: list[SourcedFact | pending.PendingFact] = [*self.facts.values(), *self.waiting.values()]
        return {(fact.entity, fact.field, fact.value) for fact in facts}

    @cached_property
    def lines(self) -> dict[str, list[int]]:
        """Log → its lines of which something goes."""
        paths = {**self.turns, **self.words}
        return {path: sorted({*self.turns.get(path, ()), *self.words.get(path, ())}) for path in paths}

    def mapped(self, data: bytes) -> bytes:
        """Bytes in which ids and ranges are called as they are now."""
        for old, new in self.replaced.items():
            data = data.replace(os.fsencode(old), os.fsencode(new))
        return data


def scrub(path: str, data: bytes, erasure: Erasure) -> bytes | None:
    """A file, as it is or once was, without what is erased; None where all of it goes."""
    if path in erasure.notes or path in erasure.artifacts:
        return None
    change = next((change for places, change in _CHANGES if path.startswith(places)), None)
    after = change(path, data, erasure) if change else data
    return after if after is None or path.startswith("logs/") else erasure.mapped(after)


def _log(path: str, data: bytes, erasure: Erasure) -> bytes:
    fresh = erasure.logs.get(path, {})
    return b"\n".join([fresh.get(line, line) for line in data.split(b"\n")]) if fresh else data


def _episode(path: str, data: bytes, erasure: Erasure) -> bytes:
    """Without the lines that quote what was said, and without the values that it names as known before."""
    text, values = decode(data), {normal(value) for _, _, value in erasure.triples}
    lines = [
        _WAS.sub(lambda hit: "" if normal(hit[1]) in values else hit[0], line.body) + line.tail
        for line in map(read_line, text.text.split("\n"))
    ]
    after = "\n".join(lines)
    quotes = [quote.said for quote in erasure.quotes.get(path, {}).values()]
    gone = {number for number, line in enumerate(lines_of(after), 1) if _quotes(line, quotes)}
    after = forgotten.without_lines(after, gone, blank=False).text if gone else after
    return data if after == text.text else encode(text._replace(text=after))


def _quotes(line: str, quotes: Sequence[str]) -> bool:
    """True for an item that ends with one of these quotes, whatever the days that it adds; one without words is met as it is written."""
    item = read_line(line)
    words = ADDED.sub("", item.words) if item.bullet else ""
    return bool(words) and any(
        normal(words).endswith(normal(quote)) if normal(quote) else words.endswith(quote) for quote in quotes
    )


def _semantic(path: str, data: bytes, erasure: Erasure) -> bytes | None:
    """Without the facts that go, and without sources that go of those that stay."""
    facts = [fact for fact in erasure.facts.values() if fact.path == path]
    keys = [key for key in erasure.stripped if key[0] == path and key not in erasure.facts]
    if not facts and not keys:
        return data
    file = SemanticFile(path, erasure.collections)
    sources = {source for key in keys for source in erasure.stripped[key]}
    return _patched(data, lambda text: _without_sources(_without_facts(text, file, facts), sources))


def _pending(_path: str, data: bytes, erasure: Erasure) -> bytes | None:
    def change(text: str) -> str:
        fingerprints = {pending.waiting_id(*triple) for triple in erasure.triples}
        for waiting in pending.read_pending(text):
            sentence = f"{waiting.entity} {waiting.field} {waiting.value} {waiting.known} {waiting.why}"
            ids = {waiting.id, pending.waiting_id(waiting.entity, waiting.field, waiting.known)}
            is_named = waiting.id in erasure.waiting or not fingerprints.isdisjoint(ids)
            if is_named or erasure.needles.matches(sentence):
                text = pending.remove_pending(text, waiting.id)
        return text

    return _patched(data, change)


def _working(path: str, data: bytes, erasure: Erasure) -> bytes | None:
    if path.rpartition("/")[2].partition(".")[0] in map(file_stem, erasure.sessions):
        return None
    text, needles = data.decode("utf-8", "replace"), erasure.needles
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return needles.without(text).encode() if needles.matches(text) else data
    fresh = needles.without_in(value)
    return data if fresh == value else (json.dumps(fresh, ensure_ascii=False, indent=2) + "\n").encode()


def _proposal(path: str, data: bytes, erasure: Erasure) -> bytes | None:
    """Nothing of a proposal, or of a fact that was forgotten, where it says what is erased."""
    text = data.decode("utf-8", "replace")
    if not path.endswith(".md"):
        return data
    removal = FactRemoval.read(text)
    if removal is None:
        return None if erasure.needles.matches(text) else data
    names = {(normal(entity), normal(name)) for entity, name, _ in erasure.triples}
    values = {normal(value) for _, _, value in erasure.triples}
    facts = SemanticFile(removal.origin, erasure.collections).facts(removal.above + removal.removed).facts
    tells = any((normal(f.entity), normal(f.field)) in names and normal(f.value) in values for f in facts)
    return None if tells else data


def _record(_path: str, data: bytes, erasure: Erasure) -> bytes:
    """A run record without what it says of what is erased; what it read stays told."""
    record = json_object(data.decode("utf-8", "replace"))
    if not record:
        return data
    before = json.dumps(record)
    ranges = [range_ for text in record.get("ranges", ()) for range_ in parse_ranges(str(text))]
    lines = {n for r in ranges for n in erasure.lines.get(r.path, ()) if r.first <= n <= r.last}
    speech = " ".join(turn.text for turns in erasure.turns.values() for turn in turns.values())
    triples = {tuple(map(normal, triple)) for triple in erasure.triples}

    def stays(row: Any) -> bool:
        if not isinstance(row, dict):
            return True
        triple = tuple(normal(str(row.get(key, ""))) for key in ("entity", "field", "value"))
        rests = row.get("line") in lines and bool(forgotten.place_of_words(speech, str(row.get("value", ""))))
        return triple not in triples and not rests

    record["decided"] = [row for row in record.get("decided") or () if stays(row)]
    record["dropped"] = [row for row in record.get("dropped") or () if not erasure.needles.matches(str(row))]
    for row in record.get("changes") or ():
        if isinstance(row, dict) and row.get("id") in erasure.titles:
            old, new = erasure.titles[row["id"]]
            row["title"] = str(row.get("title", "")).replace(old, new) if old else row.get("title")
    record = erasure.needles.without_in(record)
    if json.dumps(record) == before:
        return data
    return (json.dumps(record, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "surrogatepass")


def _decisions(_path: str, data: bytes, erasure: Erasure) -> bytes:
    """The decisions without marks of lines that are gone, and without fingerprints that would tell what was erased."""
    fingerprints = {fingerprint("fact", *triple) for triple in erasure.triples}
    fingerprints |= {pending.waiting_id(*triple).removeprefix("p-") for triple in erasure.triples}
    lines = []
    for line in data.decode("utf-8", "surrogateescape").splitlines(keepends=True):
        value, stays = json_object(line), line
        is_mark = value.get("decision") in (forgotten.FORGOTTEN, forgotten.REVIVED)
        is_erased = value.get("path") in erasure.notes
        if value.get("fingerprint") in fingerprints or (is_erased and not is_mark):
            continue
        if is_mark and isinstance(value.get("lines"), list):
            marks = [
                str(mark)
                for old in forgotten.marks_in(map(str, value["lines"]))
                if (mark := _mark(old, erasure))
            ]
            if marks and marks != value["lines"]:
                value |= {"lines": marks, **({"path": ""} if is_erased else {})}
                stays = json.dumps(value, ensure_ascii=False) + line[len(line.rstrip("\r\n")) :]
            elif not marks:
                continue
        lines.append(stays)
    return "".join(lines).encode("utf-8", "surrogateescape")


def _mark(mark: forgotten.ForgottenMark, erasure: Erasure) -> forgotten.ForgottenMark | None:
    path, first = mark.place.path, mark.place.first
    gone = (*erasure.turns.get(path, ()), *erasure.quotes.get(path, ()))
    if path in erasure.notes or first in gone:
        return None
    # Of a line that loses words the characters stand elsewhere now, so all of it is left out.
    return mark._replace(start=0, end=0) if first in erasure.words.get(path, ()) else mark


def _ledger(_path: str, data: bytes, erasure: Erasure) -> bytes | None:
    """A ledger without the events of what is erased; of several ids only these go."""
    ids, lines = erasure.ids, list[str]()

    def is_gone(id_: object) -> bool:
        return isinstance(id_, str) and (id_ in ids or id_.partition("#")[0] in ids)

    def staying(value: Any) -> Any:
        if isinstance(value, dict):
            return {id_: about for id_, about in value.items() if not is_gone(id_)}
        return [id_ for id_ in value if not is_gone(id_)] if isinstance(value, list) else value

    for line in erasure.mapped(data).decode("utf-8", "surrogateescape").splitlines(keepends=True):
        event, stays = json_object(line), line
        fresh: dict[str, Any] = {key: staying(event[key]) for key in ("ids", "digests") if key in event}
        if isinstance(omitted := event.get("left_out"), dict):
            fresh["left_out"] = {why: staying(listed) for why, listed in omitted.items()}
        if any(fresh[key] != event[key] for key in fresh):
            fresh |= {key: staying(event[key]) for key in event if key in ("words", "receipts")}
            event |= {"ids": [], **fresh}
            stays = json.dumps(event, ensure_ascii=False) + "\n" if event["ids"] else ""
        is_erased = is_gone(event.get("id")) or event.get("session") in erasure.sessions
        if stays and not is_erased and not erasure.needles.matches(stays):
            lines.append(stays)
    return "".join(lines).encode("utf-8", "surrogateescape") or None


_CHANGES: tuple[tuple[tuple[str, ...], Callable[[str, bytes, Erasure], bytes | None]], ...] = (
    (("logs/", "archive/logs/"), _log),
    (("episodes/", "archive/episodes/"), _episode),
    ((pending.PENDING_FILE,), _pending),
    (("semantic/",), _semantic),
    ((DECISIONS_FILE,), _decisions),
    (("review/", "archive/review/", "archive/facts/"), _proposal),
    (("working/",), _working),
    (("ledger/",), _ledger),
    ((f"{RUNS}/",), _record),
    (("skills/_drafts/", "views/"), lambda _path, data, erasure: _patched(data, erasure.needles.without)),
)


def _patched(data: bytes, change: Callable[[str], str]) -> bytes | None:
    text = decode(data)
    after = change(text.text)
    if after == text.text:
        return data
    return encode(text._replace(text=after)) if after.strip() else None


def alike(fact: SourcedFact | Fact, twin: SourcedFact) -> bool:
    """True for two facts that say the same of the same."""
    are_of_one = same(fact.entity, twin.entity) and same(fact.field, twin.field)
    return are_of_one and normal(fact.value) == normal(twin.value)


def _without_facts(text: str, file: SemanticFile, facts: Sequence[SourcedFact]) -> str:
    """A file of facts, as it is or was, without these, and without headings that stand over nothing then."""
    names = {fact.entity for fact in facts}
    before = text
    for _ in range(len(lines_of(text)) + 1):
        fact = next((f for f in file.facts(text).facts if any(alike(f, erased) for erased in facts)), None)
        if fact is None:
            break
        try:
            text = remove_fact(text, file, fact.id)
        except InputError:
            sheet = Sheet.of(text, file)
            text = apply_splices(text, [Splice(*sheet.span(fact))])
    return _without_empty(text, names) if text != before else text


def _without_empty(text: str, names: set[str]) -> str:
    """The text without headings of these entities, and of their History, that stand over nothing."""
    wanted = {"history", *(normal(name) for name in names)}
    lines = lines_of(text)
    for at in range(len(lines) - 1, -1, -1):  # from the end: what is below a heading goes before it
        level = _heading(lines[at])
        if not level or normal(lines[at]) not in wanted:
            continue
        end = next((n for n in range(at + 1, len(lines)) if lines[n].strip()), len(lines))
        if end == len(lines) or 0 < _heading(lines[end]) <= level:
            del lines[at:end]
    return "".join(lines)


def _heading(line: str) -> int:
    """The level of a heading; 0 for any other line."""
    hit = _LEVEL.match(line)
    return len(hit[0]) if hit and line[len(hit[0]) : len(hit[0]) + 1] in (" ", "\t") else 0


def _without_sources(text: str, sources: set[str]) -> str:
    """The text whose facts do not name these sources."""
    for source in sources if any(source in text for source in sources) else ():
        link = rf"\[\[{re.escape(source)}(?:\|[^\]\n]*)?\]\]"
        text = re.sub(rf",[ \t]*{link}|{link}[ \t]*,[ \t]*", "", text)
        text = without(text, (f for f in line_fields(text, "source") if sources_of(f.value) == [source]))
    return text
