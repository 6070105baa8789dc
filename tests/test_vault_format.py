"""docs/reference/vault-format.md says what MemoryClaw does: its rules are numbered without a gap, and the examples of conformance.md are run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memoryclaw.consolidation.actions import AddPending
from memoryclaw.consolidation.changes import about, read_proposal, read_record
from memoryclaw.model import Note, Problem
from memoryclaw.text.language import words_of
from memoryclaw.vault.edits import (
    SemanticFile,
    add_source,
    add_statement,
    correct_fact,
    remove_fact,
    set_fact,
    set_property,
)
from memoryclaw.vault.layout import ALIASES_FILE, DECISIONS_FILE, SCHEMA_FILE
from memoryclaw.vault.logs import parse_ranges, range_of, whole_lines
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.vocabulary import DEFAULT_COLLECTIONS, read_aliases, read_schema
from memoryclaw.writing.decisions import Decisions, fingerprint
from memoryclaw.writing.pending import add_pending, read_pending
from memoryclaw.writing.writer import text_change

HERE = Path(__file__).parent
TEXT = (HERE.parent / "docs" / "reference" / "vault-format.md").read_text(encoding="utf-8")
CONFORMANCE = (HERE / "conformance.md").read_text(encoding="utf-8")
RULE = re.compile(r"\b([A-Z]\d+)\b")
PIECE = re.compile(
    r"^(?:`([\w./-]+)`|(Reads as|Becomes|Set|Correct|Remove|Property|Say|Source|Wait))\n\n```(\w+)\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
STEPS = ("Set", "Correct", "Remove", "Property", "Say", "Source", "Wait")


class Example(NamedTuple):
    """A file of an example, what is done to it, and what must come out."""

    title: str
    path: str
    data: bytes
    schema: str
    steps: list[tuple[str, dict[str, Any]]]
    outcome: str  # Reads as | Becomes
    expected: Any


def examples() -> Iterator[Example]:
    """Every example of the conformance section."""
    for section in re.split(r"^#### ", CONFORMANCE.partition("## Conformance")[2], flags=re.MULTILINE)[1:]:
        title = section.partition("\n")[0]
        path, data, schema = "", b"", ""
        steps: list[tuple[str, dict[str, Any]]] = []
        for name, word, language, content in PIECE.findall(section):
            if name == SCHEMA_FILE:
                schema = content
            elif name:
                path, data, steps = name, raw(language, content), []
            elif word in STEPS:
                steps.append((word, json.loads(content)))
            else:
                expected = json.loads(content) if word == "Reads as" else raw(language, content)
                yield Example(title, path, data, schema, steps, word, expected)


def raw(language: str, content: str) -> bytes:
    """The bytes that an example stands for."""
    if language != "bytes":
        return content.encode()
    return content.replace("\n", "").encode().decode("unicode_escape").encode("latin-1")


EXAMPLES = list(examples())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e.path} in {e.title.partition(' (')[0]}")
def test_an_example_of_the_specification_holds(example: Example) -> None:
    if example.outcome == "Becomes":
        assert changed(example) == example.expected
    elif record := next((read for path, read in RECORDS.items() if example.path.startswith(path)), None):
        assert record(example.data.decode(), example.expected) == example.expected
    else:
        note = read_note(example.path, example.data, ReadingSettings(collections=collections_of(example)))
        assert {
            key: SEEN[key](note, value) if key in SEEN
            else RAW[key](example, value) if key in RAW
            else plain(getattr(note, key))
            for key, value in example.expected.items()
        } == example.expected  # fmt: skip


def collections_of(example: Example) -> frozenset[str]:
    return read_schema(example.schema).collections if example.schema else DEFAULT_COLLECTIONS


def changed(example: Example) -> bytes:
    file = SemanticFile(example.path, collections_of(example))
    data = example.data
    for step, values in example.steps:
        after = text_change(lambda text, step=step, values=values: patched(text, file, step, values))(data)  # type: ignore[misc]
        assert after is not None
        data = after
    return data


def patched(text: str, file: SemanticFile, step: str, values: dict[str, Any]) -> str:
    if step == "Set":
        return set_fact(text, file, **values).text
    if step == "Say":
        return add_statement(text, file, **values).text
    if step == "Source":
        return add_source(text, file, values["id"], values["source"]).text
    if step == "Wait":
        return add_pending(text, AddPending(**values))
    if step == "Correct":
        return correct_fact(text, file, values["id"], values["value"]).text
    return remove_fact(text, file, values["id"]) if step == "Remove" else set_property(text, **values)


def plain(value: Any) -> Any:
    """Tuples as the lists of JSON."""
    return json.loads(json.dumps(value, default=dict))


def facts(note: Note, wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The facts with the keys that are asked for, and those that differ from their default."""
    asked = [set(fact) for fact in wanted] + [set()] * len(note.facts)
    usual = {"since": "", "until": "", "said": "", "source": "", "type": "fact", "current": True}
    units, kept = [], {unit.id: unit.lifecycle._asdict() for unit in note.units}
    for fact, keys in zip(note.facts, asked, strict=False):
        values = {name: getattr(fact, name) for name in ("id", "value", "line", *usual)} | kept.get(
            fact.id, {}
        )
        units.append(
            {k: v for k, v in values.items() if k in keys | {"id", "value"} or (k in usual and v != usual[k])}
        )
    return units


def turns(note: Note, _wanted: object) -> list[dict[str, Any]]:
    """The turns, with the trust that their units carry."""
    trust = {unit.id: unit.trust for unit in note.units}
    names = ("id", "ts", "role", "name", "text")
    return [{**{name: getattr(turn, name) for name in names}, "trust": trust[turn.id]} for turn in note.turns]


def findable(note: Note, wanted: list[str]) -> list[str]:
    """Those of the words that a search would find."""
    texts = (text for unit in note.units for text in (unit.title, unit.tags, unit.properties, unit.text))
    known = {word for text in texts for word in words_of(text)}
    return [word for word in wanted if word in known]


SEEN: dict[str, Callable[[Note, Any], Any]] = {
    "facts": facts,
    "turns": turns,
    "findable": findable,
    "problems": lambda note, _: [problem.line for problem in note.problems],
    "links": lambda note, _: [[link.target, link.anchor, link.label] for link in note.links],
    "blocks": lambda note, _: dict(note.blocks),
}


def ranges(example: Example, wanted: list[str]) -> list[str]:
    """Those ranges that stand for lines of the example's log."""
    lines = whole_lines(example.data)
    cited = [range_ for text in wanted for range_ in parse_ranges(text)]
    return [str(c) for c in cited if range_of(example.path, lines, c.first, c.last) == c]


def waiting(example: Example, _wanted: object) -> list[dict[str, Any]]:
    """The facts that wait, without what is empty."""
    facts = [fact._asdict() for fact in read_pending(example.data.decode())]
    return [{key: value for key, value in fact.items() if value not in ("", " ")} for fact in facts]


def proposed(example: Example, _wanted: object) -> dict[str, Any]:
    """What a proposal says of itself, and the actions that an approval would do."""
    text = example.data.decode()
    change, said = read_proposal(text), about(text, example.path)
    if isinstance(change, Problem):
        return {"refused": change.line}
    actions = [
        {"action": type(action).__name__, **{key: value for key, value in action.values().items() if value}}
        for action in change.actions
    ]
    fields = {"box": said.box, "run": said.run, "reason": change.reason, "evidence": list(change.evidence)}
    return {**fields, "actions": actions}


RAW: dict[str, Callable[[Example, Any], Any]] = {"ranges": ranges, "waiting": waiting, "proposal": proposed}


def aliases(text: str, _wanted: object) -> dict[str, Any]:
    """The synonyms of a vault."""
    return {"aliases": {word: list(synonyms) for word, synonyms in read_aliases(text).items()}}


def decisions(text: str, wanted: dict[str, Any]) -> dict[str, Any]:
    """What people decided, and what that means for the proposals that are asked about."""
    decisions = Decisions.read(text)
    return {
        "decisions": [[decision.decision, decision.kind] for decision in decisions.all],
        "rejected": [
            [*words, decisions.is_rejected(fingerprint(*words))] for *words, _answer in wanted["rejected"]
        ],
        "done": [str(range_) for range_ in decisions.ranges()],
    }


def record(text: str, _wanted: object) -> dict[str, Any]:
    """What later runs take from a run record."""
    record = read_record(text)
    fields = {"run": record.run, "at": record.at, "episodes": record.episodes}
    return {
        **fields,
        "done": list(map(str, record.ranges)),
        "tools": [list(sequence.tools) for sequence in record.acted],
    }


RECORDS: dict[str, Callable[[str, Any], dict[str, Any]]] = {
    ALIASES_FILE: aliases,
    DECISIONS_FILE: decisions,
    "runs/": record,
}


def test_the_examples_were_found() -> None:
    sections = CONFORMANCE.partition("## Conformance")[2].count("\n#### ")
    assert len({example.title for example in EXAMPLES}) == sections
    assert CONFORMANCE.count("\nReads as\n") + CONFORMANCE.count("\nBecomes\n") == len(EXAMPLES)


def test_rules_are_numbered_without_a_gap() -> None:
    rules = re.findall(r"^- \*\*([A-Z])(\d+)\.\*\*", TEXT, re.MULTILINE)
    for letter, numbers in groupby(rules, key=lambda rule: rule[0]):
        assert [int(number) for _, number in numbers] == list(
            range(1, 1 + sum(rule[0] == letter for rule in rules))
        )


def test_every_rule_that_is_cited_exists() -> None:
    rules = {"".join(rule) for rule in re.findall(r"^- \*\*([A-Z])(\d+)\.\*\*", TEXT, re.MULTILINE)}
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", TEXT + CONFORMANCE, flags=re.DOTALL)
    assert set(RULE.findall(prose)) <= rules
