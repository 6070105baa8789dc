"""The vocabulary of a vault: synonyms (`semantic/aliases.yaml`) and fields (`semantic/_schema.yaml`); none from bad YAML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import permutations
from typing import Any

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING, Fact, Problem
from memoryclaw.text.dates import days_of, leading_range
from memoryclaw.text.language import words_of
from memoryclaw.text.yaml_text import Yaml, load, strings
from memoryclaw.vault.layout import SCHEMA_FILE
from memoryclaw.vault.validity import span_of

DEFAULT_COLLECTIONS = frozenset({"contacts", "people", "projects", "preferences"})
TYPES = frozenset({"text", "date", "number", "email", "phone", "url", "link"})
_MANY = frozenset({"many", "true", "yes", "list", "multiple"})
_VERIFY = "verify"
_ONE = frozenset({"one", "false", "no", "single"})
_YES, _NO = frozenset({"true", "yes"}), frozenset({"false", "no"})


class DeclaredField(NamedTuple):
    """The type of a field, whether it holds many values, after how many days a value is to be verified (0: never), and whether a rule may settle a conflict."""

    type: str = "text"
    many: bool = False
    verify: int = 0
    supersede: bool = False


class Schema(NamedTuple):
    """The declared fields of a vault, and the headings whose keys are entities, in lower case."""

    fields: Mapping[str, DeclaredField] = NOTHING
    collections: frozenset[str] = DEFAULT_COLLECTIONS
    problems: tuple[Problem, ...] = ()

    def holds_many(self, field: str) -> bool:
        """True for a field that is declared to hold several values side by side."""
        return self.fields.get(_word(field), DeclaredField()).many

    def misfit(self, field: str, value: str) -> str:
        """Why a value is none of its field's type, in a sentence; empty where it is one, or the field has none."""
        declared = self.fields.get(_word(field), DeclaredField())
        values = value.split(",") if declared.many else [value]
        wrong = next(filter(None, (misfit(spelling.strip(), declared.type) for spelling in values)), "")
        return wrong and f"{wrong}, as `{_word(field)}: {declared.type}` in {SCHEMA_FILE} asks for"


# What the values of each type look like; a text may be anything, and so may the target of a link.

_PHONE = r"\+?[\d\s()/.-]{5,24}(?:\s?(?:x|ext\.?)\s?\d{1,6})?"
PHONE_NUMBER = late.pattern(_PHONE)
SHAPES = {
    "email": (late.pattern(r"[^\s@<>()]+@[^\s@<>()]+\.[^\W\d_]{2,}"), "an e-mail address"),
    "phone": (late.pattern(rf"(?=(?:\D*\d){{5}}){_PHONE}"), "a phone number"),
    "url": (late.pattern(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+|(?:[\w-]+\.)+[^\W\d_]{2,}(?:/\S*)?", re.IGNORECASE), "a web address"),
    "number": (late.pattern(r"[-+]?\d[\d.,'’\u202f\u00a0 ]*(?:[^\W\d]\S*|[%€$£])?(?:\s\S+)?"), "a number"),
}  # fmt: skip
_YEARS = (date(2003, 1, 1), date(2010, 6, 15))  # two days that no date counts from alike


def misfit(value: str, type_: str) -> str:
    """Why a value cannot be of a type, or "" where it can: `'soon' is not a date`."""
    if type_ == "date":
        return "" if days_of(value) or _is_fixed(value) else f"{value[:60]!r} is not a date"
    shape, name = SHAPES.get(type_, (None, ""))
    return "" if shape is None or shape.fullmatch(value) else f"{value[:60]!r} is not {name}"


def _is_fixed(value: str) -> bool:
    """True for a time that is the same whenever it is read (`spring 2027`), or every year (`11 February`)."""
    ranges = [leading_range(value, today) for today in _YEARS]
    if not all(span and not words_of(value[span.span[1] :]) for span in ranges):
        return False
    first, second = ((span.start, span.end) for span in ranges if span)
    return first == second or tuple(day[5:] for day in first) == tuple(day[5:] for day in second)


def misfits(path: str, facts: Iterable[Fact], schema: Schema) -> list[Problem]:
    """The values of a file that hold and are not of their field's type."""
    hint = f"write it so, or declare another type in {SCHEMA_FILE}"
    return [
        Problem(path, fact.line, wrong, hint)
        for fact in facts
        if fact.current and not fact.is_statement and (wrong := schema.misfit(fact.field, fact.value))
    ]


def read_aliases(text: str) -> dict[str, tuple[str, ...]]:
    """Reads the synonyms of each word or phrase, in lower case.

    `a: [b, c]` links a with b and with c, in both directions; a list of lists links all words of each inner list.
    """
    synonyms_of: dict[str, dict[str, None]] = {}
    for term, synonym in _pairs(load(text).value):
        if term != synonym:
            synonyms_of.setdefault(term, {})[synonym] = None
    return {word: tuple(synonyms) for word, synonyms in synonyms_of.items()}


def read_schema(text: str) -> Schema:
    """Reads the schema of a vault; what it does not declare has its default."""
    loaded = load(text)
    problems = list(loaded.problems)
    if loaded.value is None:
        return Schema(problems=tuple(problems))
    if not isinstance(loaded.value, dict):
        problem = Problem("", 1, "this schema is not a list of keys", "write `fields:` and below it fields")
        return Schema(problems=(*problems, problem))
    low = {key.lower(): value for key, value in loaded.value.items()}
    fields = low.get("fields")
    if fields and not isinstance(fields, dict):
        line, hint = loaded.lines.get(("fields",), 1), "write lines like `deadline: date` below it"
        problems.append(Problem("", line, "`fields` is not a list of keys", hint))
    named = {
        name.lower(): _field(name, spec, loaded, problems)
        for name, spec in (fields.items() if isinstance(fields, dict) else ())
    }
    collections = frozenset(_word(name) for name in _names(low.get("collections")))
    has_collections = "collections" in low
    return Schema(named, collections if has_collections else DEFAULT_COLLECTIONS, tuple(problems))


def vocabulary_problems(path: str, text: str) -> tuple[Problem, ...]:
    """The problems of one of the two files."""
    if path.endswith("_schema.yaml"):
        problems = read_schema(text).problems
    else:
        loaded = load(text)
        problems = loaded.problems
        if loaded.value is not None and not isinstance(loaded.value, dict | list):
            hint = "write lines like `budget: [finance, cost]`"
            problems = (*problems, Problem("", 1, "there are no synonyms here", hint))
    return tuple(problem._replace(path=path) for problem in problems)


def _pairs(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, synonyms in value.items():
            for word in _names(synonyms):
                yield _word(key), _word(word)
                yield _word(word), _word(key)
    elif isinstance(value, list):
        for group in value:
            if isinstance(group, dict):
                yield from _pairs(group)
            else:
                yield from permutations(dict.fromkeys(_word(word) for word in _names(group)), 2)


def _names(value: Any) -> list[str]:
    names = value.split(",") if isinstance(value, str) else strings(value)
    return [name for name in names if name.strip()]


def _word(text: str) -> str:
    return " ".join(text.lower().split())


def _field(name: str, spec: Any, loaded: Yaml, problems: list[Problem]) -> DeclaredField:
    """Reads the declaration of a field: `date`, `many`, `[email, many]` or `{type: email, values: many, verify: 180 days, supersede: true}`."""
    field = DeclaredField()

    def complain(message: str, hint: str, *key: str) -> None:
        line = loaded.lines.get(("fields", name, *key), loaded.lines.get(("fields", name), 1))
        problems.append(Problem("", line, f"{name}: {message}", hint))

    if isinstance(spec, dict):
        spans = [text for key, value in spec.items() if key.lower() == _VERIFY for text in strings(value)]
        rules = {str(key).lower(): value for key, value in spec.items() if str(key).lower() != _VERIFY}
        decides = " ".join(strings(rules.pop("supersede", None))).lower()
        field = field._replace(supersede=decides in _YES)
        if decides and decides not in _YES | _NO:
            message = f"supersede: {decides!r} is neither true nor false"
            complain(message, "write `supersede: true`", "supersede")
        spec = rules
        field = field._replace(verify=next(filter(None, map(span_of, spans)), 0))
        if spans and not field.verify:
            hint = "write it as `180 days`, `6 months` or `1 year`"
            complain(f"{spans[0]!r} is not a time after which to verify", hint, _VERIFY)
    for word in (part.lower() for text in strings(spec) for part in text.replace(",", " ").split()):
        if word in TYPES:
            field = field._replace(type=word)
        elif word in _MANY or word in _ONE:
            field = field._replace(many=word in _MANY)
        else:
            hint = f"types are {', '.join(sorted(TYPES))}; a field has one value or many"
            complain(f"{word!r} is not a type", hint)
    return field
