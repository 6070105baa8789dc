"""The vocabulary of a vault: synonyms (`semantic/aliases.yaml`) and fields (`semantic/_schema.yaml`); none from bad YAML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any, NamedTuple

from memoryclaw.model import NOTHING, Problem
from memoryclaw.text.yaml_text import Yaml, load, strings

DEFAULT_COLLECTIONS = frozenset({"contacts", "people", "projects", "preferences"})
TYPES = frozenset({"text", "date", "number", "email", "phone", "url", "link"})
_MANY = frozenset({"many", "true", "yes", "list", "multiple"})
_ONE = frozenset({"one", "false", "no", "single"})


class Field(NamedTuple):
    """The type of a field, and whether it holds many values."""

    type: str = "text"
    many: bool = False


class Schema(NamedTuple):
    """The declared fields of a vault, and the headings whose keys are entities, in lower case."""

    fields: Mapping[str, Field] = NOTHING
    collections: frozenset[str] = DEFAULT_COLLECTIONS
    problems: tuple[Problem, ...] = ()


def read_aliases(text: str) -> dict[str, tuple[str, ...]]:
    """Reads the synonyms of each word or phrase, in lower case.

    `a: [b, c]` links a with b and with c, in both directions; a list of lists links all words of each inner list.
    """
    found: dict[str, dict[str, None]] = {}
    for one, other in _pairs(load(text).value):
        if one != other:
            found.setdefault(one, {})[other] = None
    return {word: tuple(synonyms) for word, synonyms in found.items()}


def read_schema(text: str) -> Schema:
    """Reads the schema of a vault; what it does not declare has its default."""
    loaded = load(text)
    problems = list(loaded.problems)
    if loaded.value is None:
        return Schema(problems=tuple(problems))
    if not isinstance(loaded.value, dict):
        return Schema(
            problems=(
                *problems,
                Problem("", 1, "this schema is not a list of keys", "write `fields:` and below it fields"),
            )
        )
    low = {key.lower(): value for key, value in loaded.value.items()}
    fields = low.get("fields")
    named = {
        name.lower(): _field(name, said, loaded, problems)
        for name, said in (fields.items() if isinstance(fields, dict) else ())
    }
    collections = frozenset(_word(name) for name in _names(low.get("collections")))
    given = "collections" in low
    return Schema(named, collections if given else DEFAULT_COLLECTIONS, tuple(problems))


def vocabulary_problems(path: str, text: str) -> tuple[Problem, ...]:
    """The problems of one of the two files."""
    problems = read_schema(text).problems if path.endswith("_schema.yaml") else _alias_problems(load(text))
    return tuple(problem._replace(path=path) for problem in problems)


def _alias_problems(loaded: Yaml) -> tuple[Problem, ...]:
    if loaded.value is None or isinstance(loaded.value, dict | list):
        return loaded.problems
    return (
        *loaded.problems,
        Problem("", 1, "there are no synonyms here", "write lines like `budget: [finance, cost]`"),
    )


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
    parts = value.split(",") if isinstance(value, str) else strings(value)
    return [part for part in parts if part.strip()]


def _word(text: str) -> str:
    return " ".join(text.lower().split())


def _field(name: str, said: Any, loaded: Yaml, problems: list[Problem]) -> Field:
    """Reads the declaration of a field: `date`, `many`, `[email, many]` or `{type: email, values: many}`."""
    field = Field()
    for word in (part.lower() for text in strings(said) for part in text.replace(",", " ").split()):
        if word in TYPES:
            field = field._replace(type=word)
        elif word in _MANY or word in _ONE:
            field = field._replace(many=word in _MANY)
        else:
            line = loaded.lines.get(("fields", name), 1)
            hint = f"types are {', '.join(sorted(TYPES))}; a field has one value or many"
            problems.append(Problem("", line, f"{name}: {word!r} is not a type", hint))
    return field
