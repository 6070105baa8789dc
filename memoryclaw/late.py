"""What most searches never need: libraries, each imported at its first use (`late.yaml.parse(...)`), patterns, each compiled at its own, and the types of records."""

from __future__ import annotations

import importlib
import itertools
import re
from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from types import FunctionType
from typing import TYPE_CHECKING, Any, AnyStr, cast

if TYPE_CHECKING:
    import ctypes
    import hashlib
    import importlib.metadata as packages
    import secrets
    import tempfile
    import tomllib
    import zoneinfo

    import anyio
    import anyio.from_thread as anyio_thread
    import git.cmd as git_process
    import httpx
    import httpx2
    import jinja2
    import jinja2.sandbox as jinja2_sandbox
    import jsonschema.exceptions as schema_errors  # type: ignore[import-untyped]
    import mcp
    import ollama
    import referencing
    import referencing.exceptions as referencing_errors
    import watchdog.observers.inotify_c as inotify
    import yaml
    from jsonschema import validators
    from mcp.client import streamable_http
    from whoosh.support import levenshtein


def module_places(scope: Mapping[str, Any]) -> dict[str, str]:
    """What a module imports for its types alone: the name of each there, and where it is; `scope`: the names of the module."""
    block = scope["__loader__"].get_source(scope["__name__"]).partition("\nif TYPE_CHECKING:\n")[2]
    lines = re.finditer(r"^    (?:from (\S+) )?import ([^#\n]+)|^\S.*", block, re.MULTILINE)
    places = {}
    for line in itertools.takewhile(lambda line: line[2], lines):
        for name in line[2].split(","):
            module, _, alias = name.strip().partition(" as ")
            places[alias or module] = f"{line[1]}.{module}" if line[1] else module
    return places


def at_first_use(scope: dict[str, Any], places: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module that imports these, modules or what stands in them, when they are asked for."""

    def imported(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {scope['__name__']!r} has no attribute {name!r}")
        package, _, last = places[name].rpartition(".")
        known = getattr(importlib.import_module(package), last, None) if package else None
        scope[name] = known or importlib.import_module(places[name])
        return scope[name]

    return imported


PLACES = module_places(globals())
if not TYPE_CHECKING:
    __getattr__ = at_first_use(globals(), PLACES)


@cache
def _of_length(count: int) -> Any:
    """A named tuple whose code those with as many fields share: to compile it takes most of the time."""
    return namedtuple("_Length", [f"field{number}" for number in range(count)])  # noqa: PYI024 - a model


def _replaced(record: Any, /, **changed: Any) -> Any:
    values, fields = [*record], record._fields
    for name, value in changed.items():
        values[fields.index(name)] = value
    return tuple.__new__(type(record), values)


def _shown(record: Any) -> str:
    return f"{type(record).__name__}({', '.join(f'{name}={value!r}' for name, value in record._asdict().items())})"


class _RecordType(type):
    """Makes what `typing.NamedTuple` makes, but leaves the types of the fields as they are written: to compile each takes time, too."""

    def __new__(cls, name: str, _bases: tuple[type, ...], scope: dict[str, Any]) -> Any:
        fields = tuple(scope.get("__annotations__", ()))
        defaults = {field: scope.pop(field) for field in fields if field in scope}
        model = _of_length(len(fields))
        code = model.__new__.__code__.replace(co_varnames=("_cls", *fields))
        new = FunctionType(code, model.__new__.__globals__, "__new__", tuple(defaults.values()))
        new.__qualname__ = f"{name}.__new__"
        own = {"_fields": fields, "__match_args__": fields, "_field_defaults": defaults, "__slots__": ()}
        ways = {"__new__": new, "_replace": _replaced, "__repr__": _shown}
        getters = map(vars(model).__getitem__, model._fields)
        return type(name, (model,), own | ways | dict(zip(fields, getters, strict=True)) | scope)


if TYPE_CHECKING:
    from typing import NamedTuple
else:
    NamedTuple = type.__new__(_RecordType, "NamedTuple", (), {})


class LatePattern:
    """A regular expression that is compiled when it is first run."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._source = text, flags

    @cached_property
    def compiled(self) -> re.Pattern[Any]:
        """The pattern itself."""
        return re.compile(*self._source)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        way = getattr(self.compiled, name)
        setattr(self, name, way)  # from now on it is an attribute like any other
        return way


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern for the top of a module."""
    return cast("re.Pattern[AnyStr]", LatePattern(text, flags))
