"""JSON schemas of the answers, made from the shapes and from the types that they tell. Nothing that answers a request needs them."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from datetime import date
from functools import cache, reduce
from importlib import import_module
from types import NoneType, UnionType
from typing import Any, ForwardRef, Literal, Union, get_args, get_origin

from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.shapes import AnswerShape, Key, Shape

Schema = dict[str, Any]
REF = "#/components/schemas/"
_PLAIN: Mapping[Any, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    NoneType: {"type": "null"},
    date: {"type": "string", "format": "date"},
}
_FRESH: Schema = {"degraded": {"type": "string"}, "behind": {"type": "integer"}}


class Schemas:
    """Schemas that name one another; `components` holds all that were asked for."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}

    def any_of(self, answers: Iterable[AnswerShape]) -> Schema:
        """What one of these shapes tells, or of functions that tell of more than one value."""
        each = ((answer,) if isinstance(answer, Shape) else shapes.SHAPES_OF[answer] for answer in answers)
        schemas = [self.of(shape) for alike in each for shape in alike]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}

    def of(self, shape: Shape[Any]) -> Schema:
        """What a shape tells."""
        name = next(name for name, value in vars(shapes).items() if value is shape)
        title = "".join(word.capitalize() for word in name.split("_"))
        if title not in self.components:
            self.components[title] = {}  # a shape may hold itself
            (kind,) = get_args(_evaluated(shapes.__annotations__[name], shapes.__name__))
            rows = {"type": "array", "items": self._type(get_args(kind)[0])} if shape.many else {}
            schema = _object({shape.many: rows} if shape.many else {})
            for key in () if shape.many else shape.keys_of(kind):
                inner = self._key(key, kind)
                if not key.spread:
                    inner = _object({key.name: inner}, optional=key.optional)
                elif "$ref" in inner:
                    inner = self.components[inner["$ref"].removeprefix(REF)]
                schema = _joined(schema, inner)
            self.components[title] = _joined(schema, _object(_FRESH)) if shape.fresh else schema
        return {"$ref": f"{REF}{title}"}

    def _key(self, key: Key, kind: Any) -> Schema:
        if isinstance(key.how, list):
            return {"type": "array", "items": self.of(key.how[0])}
        if isinstance(key.how, str):
            return self._type(_evaluated(key.how, shapes.__name__))
        attribute = None if key.work else reduce(_attribute, key.path.split("."), kind)
        if isinstance(key.how, Shape):
            schema = self.of(key.how)
            return {"anyOf": [schema, _PLAIN[NoneType]]} if NoneType in get_args(attribute) else schema
        return self._type(attribute if key.how is None else key.how)

    def _type(self, kind: Any) -> Schema:
        """What `shapes.plain` makes of a type."""
        if kind in _PLAIN:
            return _PLAIN[kind]
        origin, inner = get_origin(kind), get_args(kind)
        if origin in (Union, UnionType):
            return {"anyOf": [self._type(part) for part in inner]}
        if origin is Literal:
            return {"enum": list(inner)}
        if inspect.isclass(kind) and (is_dataclass(kind) or hasattr(kind, "_fields")):
            name = kind.__name__
            if name in shapes.SHAPES:
                return self.of(shapes.SHAPES[name])
            if name not in self.components:
                self.components[name] = {}
                hints = {field: _attribute(kind, field) for field in shapes.fields_of(kind)}  # type: ignore[arg-type]
                self.components[name] = _object({field: self._type(hint) for field, hint in hints.items()})
            return {"$ref": f"{REF}{name}"}
        base = origin or kind
        if inspect.isclass(base) and issubclass(base, Mapping):
            return {"type": "object", **({"additionalProperties": self._type(inner[1])} if inner else {})}
        if inspect.isclass(base) and issubclass(base, Iterable):
            same = {repr(part): part for part in inner if part is not ...}
            return {"type": "array", "items": self._type(next(iter(same.values()))) if len(same) == 1 else {}}
        return {}


def _object(properties: Schema, *, optional: bool = False) -> Schema:
    return {"type": "object", "properties": properties, "required": [] if optional else [*properties]}


def _joined(first: Schema, second: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {**first["properties"], **second["properties"]},
        "required": [*first["required"], *second["required"]],
    }


def _attribute(kind: Any, name: str) -> Any:
    """The type of an attribute or a property of a type."""
    if NoneType in (parts := get_args(kind)):
        kind = next(part for part in parts if part is not NoneType)
    for base in kind.__mro__:
        if name in vars(base).get("__annotations__", {}):
            return _evaluated(vars(base)["__annotations__"][name], base.__module__)
    member = inspect.getattr_static(kind, name)
    getter = getattr(member, "fget", None) or member.func  # of a property, of a cached one
    return _evaluated(getter.__annotations__["return"], getter.__module__)


def _evaluated(hint: Any, module: str) -> Any:
    text = hint.__forward_arg__ if isinstance(hint, ForwardRef) else hint
    return eval(text, {}, _names(module)) if isinstance(text, str) else text  # noqa: S307 - our own words


class _Names(dict[str, Any]):
    """The names of a module, with those that it imports for its annotations alone; each of these is imported when it is asked for."""

    def __init__(self, module: str) -> None:
        super().__init__(vars(builtins) | vars(import_module(module)))
        self._modules: dict[str, tuple[str, str]] = {}
        for guard in ast.parse(inspect.getsource(sys.modules[module])).body:
            if isinstance(guard, ast.If) and ast.unparse(guard.test) == "TYPE_CHECKING":
                for line in guard.body:
                    if isinstance(line, ast.ImportFrom):
                        self._modules |= {
                            name.asname or name.name: (line.module or "", name.name) for name in line.names
                        }

    def __missing__(self, name: str) -> Any:
        module, inner = self._modules[name]
        self[name] = getattr(import_module(module), inner, None) or import_module(f"{module}.{inner}")
        return self[name]


_names = cache(_Names)
