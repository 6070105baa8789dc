"""Names inside the arguments of a step: `$name`, `${name}`, `{{name}}`, `{name}`. The rule: one pass; what a value says is never looked at again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from memoryclaw.errors import InputError

DEEPEST = 50  # far deeper than any call, far from the interpreter's limit
REFERENCE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*"
# `{name}` alone is also how JSON and templates of others look, so it counts only where the name is known.
_REFERENCE = re.compile(rf"(\$\$)|\{{\{{\s*({_NAME})\s*\}}\}}|\$\{{({_NAME})\}}|\$({_NAME})|\{{({_NAME})\}}")

Known = Mapping[str, Any]


class _Missing:
    """Stands for what a name does not lead to."""


MISSING = _Missing()


def references_in(value: Any, known: Collection[str] = ()) -> list[str]:
    """The names that the texts of a value use; `{name}` may be anything, and counts where the name is known."""
    return list(dict.fromkeys(_references(value, known)))


def filled(value: Any, known: Known) -> Any:
    """The value with every known name in its texts replaced; a text that is one name alone becomes that value itself.

    Raises:
        InputError: a name leads into a value that does not have this part.
    """
    if isinstance(value, str):
        return _text(value, known)
    if isinstance(value, dict):
        return {key: filled(inner, known) for key, inner in value.items()}
    return [filled(inner, known) for inner in value] if isinstance(value, list) else value


def as_text(value: Any) -> str:
    """A value as it stands inside a text; what was left out leaves nothing."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def too_deep(value: Any) -> bool:
    """True when lists and maps stand in one another more than DEEPEST times."""
    level = [value]
    for _ in range(DEEPEST + 1):
        holders = (
            one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)
        )
        level = [inner for holder in holders for inner in holder]
    return bool(level)


def _references(value: Any, known: Collection[str]) -> Iterator[str]:
    if isinstance(value, str):
        for hit in _REFERENCE.finditer(value):
            name = (hit[2] or hit[3] or hit[4] or hit[5] or "").partition(".")[0]
            if name and (not hit[5] or name in known):
                yield name
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _references(inner, known)


def _text(text: str, known: Known) -> Any:
    whole = _REFERENCE.fullmatch(text)
    if whole and not whole[1]:
        value, rest = _value(whole, known)
        if not rest and value is not MISSING:
            return value
    return _REFERENCE.sub(_replacer(known), text)


def _replacer(known: Known) -> Callable[[re.Match[str]], str]:
    def replaced(hit: re.Match[str]) -> str:
        if hit[1]:
            return "$"
        value, rest = _value(hit, known)
        return hit[0] if value is MISSING else as_text(value) + rest

    return replaced


def _value(hit: re.Match[str], known: Known) -> tuple[Any, str]:
    """What a name leads to, and what of a bare `$name.and.more` is text that follows it."""
    name, *parts = (hit[2] or hit[3] or hit[4] or hit[5]).split(".")
    if name not in known:
        return MISSING, ""
    value = known[name]
    for at, part in enumerate(parts):
        inner = _inner(value, part)
        if inner is MISSING:
            if isinstance(value, dict | list) or not hit[4]:
                raise InputError(f"{hit[0]} leads to nothing: there is no {part!r}")
            return value, "." + ".".join(parts[at:])
        value = inner
    return value, ""


def _inner(value: Any, part: str) -> Any:
    if isinstance(value, dict):
        return value.get(part, MISSING)
    if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
        return value[int(part)]
    return MISSING
