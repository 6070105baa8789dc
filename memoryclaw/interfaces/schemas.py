"""JSON schemas of the answers, made from the shapes and from the types that they tell. Nothing that answers a request needs them."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from functools import cache, reduce
from importlib import import_module
from types import NoneType, UnionType
from typing import Any, ForwardRef, Literal, Union, get_args, get_origin

from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.shapes import Key, Shape

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

    def any_of(self, told: Iterable[Shape[Any] | Callable[..., Any]]) -> Schema:
        """What one of these shapes tells, or of functions that tell of more than one value."""
        every = [shape for one in told for shape in ((one,) if isinstance(one, Shape) else shapes.TOLD[one])]
        schemas = [self.of(shape) for shape in every]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}

    def of(self, told: Shape[Any]) -> Schema:
        """What a shape tells."""
        name = next(name for name, value in vars(shapes).items() if value is told)
        title = "".join(word.capitalize() for word in name.split("_"))
        if title not in self.components:
            self.components[title] = {}  # a shape may hold itself
            self.components[title] = self._shape(told, _names(shapes.__name__)[name])
        return {"$ref": f"{REF}{title}"}

    def _shape(self, shape: Shape[Any], kind: Any) -> Schema:
        (told,) = get_args(kind)
        if shape.many:
            item = self.of(shape.each) if shape.each else self._type(get_args(told)[0])
            schema = _object({shape.many: {"type": "array", "items": item}})
        elif shape.text:
            schema = self._keys(shape, told)
        else:
            schema = dict(self._fields(told))
        if shape.fresh:
            schema = _joined(schema, _object(_FRESH))
        return schema

    def _keys(self, shape: Shape[Any], told: Any) -> Schema:
        schema = _object({})
        for key in shape.keys:
            inner = self._key(key, told)
            if key.spread:
                schema = _joined(schema, self._resolved(inner))
            else:
                schema = _joined(schema, _object({key.name: inner}, optional=key.optional))
        return schema

    def _key(self, key: Key, told: Any) -> Schema:
        attribute = None if key.work else reduce(_attribute, key.path.split("."), told)
        if isinstance(key.how, Shape):
            schema = self.of(key.how)
            return {"anyOf": [schema, _PLAIN[NoneType]]} if NoneType in get_args(attribute) else schema
        if isinstance(key.how, list):
            return {"type": "array", "items": self.of(key.how[0])}
        if isinstance(key.how, str):
            return self._type(_evaluated(key.how, shapes.__name__))
        return self._type(attribute if key.how is None else key.how)

    def _type(self, kind: Any) -> Schema:
        """What `shapes.plain` makes of a type."""
        if kind in _PLAIN:
            return _PLAIN[kind]
        origin, inner = get_origin(kind), get_args(kind)
        if origin in (Union, UnionType):
            return {"anyOf": [self._type(one) for one in inner]}
        if origin is Literal:
            return {"enum": list(inner)}
        if inspect.isclass(kind) and (is_dataclass(kind) or hasattr(kind, "_fields")):
            name = kind.__name__
            if name not in self.components:
                self.components[name] = {}
                self.components[name] = self._fields(kind)
            return {"$ref": f"{REF}{name}"}
        base = origin or kind
        if inspect.isclass(base) and issubclass(base, Mapping):
            return {"type": "object", **({"additionalProperties": self._type(inner[1])} if inner else {})}
        if inspect.isclass(base) and issubclass(base, Iterable):
            same = {repr(one): one for one in inner if one is not ...}
            return {"type": "array", "items": self._type(next(iter(same.values()))) if len(same) == 1 else {}}
        return {}

    def _fields(self, kind: Any) -> Schema:
        hints = _hints(kind)
        names = [field.name for field in fields(kind)] if is_dataclass(kind) else kind._fields
        return _object({name: self._type(hints[name]) for name in names})

    def _resolved(self, schema: Schema) -> Schema:
        return self.components[schema["$ref"].removeprefix(REF)] if "$ref" in schema else schema


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
    some = [one for one in get_args(kind) if one is not NoneType] if NoneType in get_args(kind) else [kind]
    hints = _hints(some[0])
    if name in hints:
        return hints[name]
    member = inspect.getattr_static(some[0], name)
    work = getattr(member, "fget", None) or member.func  # of a property, of a cached one
    return _evaluated(work.__annotations__["return"], work.__module__)


def _hints(kind: Any) -> dict[str, Any]:
    return {
        name: _evaluated(hint, base.__module__)
        for base in reversed(kind.__mro__)
        for name, hint in vars(base).get("__annotations__", {}).items()
    }


def _evaluated(hint: Any, module: str) -> Any:
    text = hint.__forward_arg__ if isinstance(hint, ForwardRef) else hint
    return eval(text, _names(module)) if isinstance(text, str) else text  # noqa: S307 - our own words


@cache
def _names(module: str) -> dict[str, Any]:
    """The names of a module, with those that it imports for its annotations alone."""
    names = {**vars(import_module(module))}
    for guard in ast.parse(inspect.getsource(sys.modules[module])).body:
        if isinstance(guard, ast.If) and ast.unparse(guard.test) == "TYPE_CHECKING":
            for line in guard.body:
                if isinstance(line, ast.ImportFrom):
                    for alias in line.names:
                        names[alias.asname or alias.name] = _imported(line.module or "", alias.name)
    annotations = names.get("__annotations__", {}) if module == shapes.__name__ else {}
    for name, text in annotations.items():
        if text.startswith("Shape["):
            names[name] = eval(text, names)  # noqa: S307 - as above
    return names


def _imported(module: str, name: str) -> Any:
    found = import_module(module)
    return getattr(found, name) if hasattr(found, name) else import_module(f"{module}.{name}")
