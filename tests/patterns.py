"""Every pattern of the package and how the program runs it, read from the modules themselves: a new one is covered without a list."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import memoryclaw
from memoryclaw.late import LatePattern
from memoryclaw.text.redaction import SecretRule, Sentence, code_sentence, lazy_pattern, password_sentence

_DEEPEST = 6
_RUNS = {"search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"}
ONCE = {"match", "fullmatch"}
_READ = (ast.Attribute, ast.Call, ast.ImportFrom, ast.Name)
# Rows that become a pattern when their first candidate comes.
_ROWS: dict[type, tuple[Callable[[Any], re.Pattern[str]], ...]] = {
    SecretRule: (lazy_pattern,),
    Sentence: (password_sentence, code_sentence),
}


class Found(NamedTuple):
    """One pattern."""

    name: str  # the module and the name in it
    pattern: re.Pattern[str]
    ways: frozenset[str]  # the methods it is run by; none where the sources do not tell

    def run(self, way: str) -> Callable[[str], object]:
        """What the program does with it and a text."""
        if way in ONCE:
            return getattr(self.pattern, way)
        return lambda text: self.pattern.sub(
            "", text
        )  # every other way tries every start, and makes an object of each match


@cache
def modules() -> tuple[ModuleType, ...]:
    """Every module of the package."""
    names = [module.name for module in pkgutil.walk_packages(memoryclaw.__path__, "memoryclaw.")]
    return tuple(importlib.import_module(name) for name in names if not name.endswith("__main__"))


@cache
def patterns() -> tuple[Found, ...]:
    """Every pattern, each once, under the name of the module that makes it."""
    names: dict[tuple[str, int], str] = {}
    ways: dict[tuple[str, int], set[str]] = {}
    for module in modules():
        short = module.__name__.removeprefix("memoryclaw.")
        compiled = {
            name: [*_patterns_in(value)] for name, value in vars(module).items() if not name.startswith("__")
        }
        if "re" not in compiled and not any(compiled.values()):
            continue
        nodes = [node for node in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(node, _READ)]
        taken = {
            alias.asname or alias.name
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for name in (name for name in compiled if name not in taken):
            for pattern in compiled[name]:
                if isinstance(pattern.pattern, str):
                    names.setdefault(_key(pattern), f"{short}.{name}")
        for name, pattern, way in _used(module, nodes):
            if name not in taken:
                names.setdefault(_key(pattern), f"{short}.{name}")
            ways.setdefault(_key(pattern), set()).add(way)
    return tuple(
        Found(name, re.compile(*key), frozenset(ways.get(key, ())))
        for key, name in sorted(names.items(), key=lambda entry: entry[1])
    )


def _compiled(value: Any) -> Any:
    return value.compiled if isinstance(value, LatePattern) else value


def _key(pattern: re.Pattern[str]) -> tuple[str, int]:
    return pattern.pattern, pattern.flags


def _patterns_in(value: Any, depth: int = 0) -> Iterator[re.Pattern[str]]:
    """The patterns in a value, however deep."""
    if isinstance(value, re.Pattern | LatePattern):
        yield _compiled(value)
    elif type(value) in _ROWS:
        yield from (make(value) for make in _ROWS[type(value)])
    elif depth > _DEEPEST or isinstance(value, type | ModuleType):
        return
    elif isinstance(value, dict):
        for inner in (*value, *value.values()):
            yield from _patterns_in(inner, depth + 1)
    elif isinstance(value, list | tuple | set | frozenset):
        for inner in value:
            yield from _patterns_in(inner, depth + 1)
    elif type(value).__module__.startswith("memoryclaw"):
        slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
        for inner in (
            (*vars(value).values(),)
            if hasattr(value, "__dict__")
            else (getattr(value, name, None) for name in slots)
        ):
            yield from _patterns_in(inner, depth + 1)


def _used(module: ModuleType, nodes: Sequence[ast.AST]) -> Iterator[tuple[str, re.Pattern[str], str]]:
    """Where a module runs a pattern by its name, or one that it spells out on the spot: the name, the pattern and the way."""
    called = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
    named: set[int] = set()
    for node in nodes:
        if (
            not isinstance(node, ast.Attribute)
            or not isinstance(node.value, ast.Name)
            or node.attr not in _RUNS
        ):
            continue
        call, compiled = called.get(id(node)), _compiled(vars(module).get(node.value.id))
        if isinstance(compiled, re.Pattern) and isinstance(compiled.pattern, str):
            named.add(id(node.value))
            # With a place to begin at, it is run from many places of one text.
            yield node.value.id, compiled, node.attr if call and len(call.args) == 1 else "finditer"
        elif (
            compiled is re
            and call
            and isinstance(call.args[0], ast.Constant)
            and isinstance(call.args[0].value, str)
        ):
            yield f"line {node.lineno}", re.compile(call.args[0].value), node.attr
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in named:
            compiled = _compiled(vars(module).get(node.id))
            if isinstance(compiled, re.Pattern) and isinstance(compiled.pattern, str):
                yield node.id, compiled, "finditer"  # handed on: anything may be done with it
