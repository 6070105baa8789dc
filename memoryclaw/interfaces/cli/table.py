"""Commands made from the verbs of the app: options from the signature, JSON from the shape of the answer, and a printer for people."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any, Literal, get_args, get_origin

import click

from memoryclaw.app import App
from memoryclaw.app.verbs import Parameter, parameters, question
from memoryclaw.errors import InputError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import print_freshness

TextOf = Callable[[str], click.ParamType[str]]


@cache
def method_of(verb: str) -> Callable[..., Any]:
    """The method of a verb such as `facts` or `graph.path`."""
    part, _, name = verb.rpartition(".")
    kind = App
    if part:
        name_of_kind = vars(App)[part].func.__annotations__["return"]
        kind = getattr(import_module(f"memoryclaw.app.{part}"), name_of_kind)
    method: Callable[..., Any] = vars(kind)[name]
    return method


def params_of(verb: str, without: Collection[str], text_of: TextOf) -> list[click.Parameter]:
    """The arguments and options of a verb, but for those that its command takes in another way.

    `text_of` reads a text that a shell completes with something of the vault, or with nothing.
    """
    return [_param(each, text_of) for each in parameters(method_of(verb)) if each.argument not in without]


def _param(parameter: Parameter, text_of: TextOf) -> click.Parameter:
    kind, default, param = parameter.type, parameter.default, parameter.param
    is_list = get_origin(kind) is Sequence
    metavar = param.metavar or ("N" if int in (kind, *get_args(kind)) else parameter.key.upper())
    about: dict[str, Any] = {
        "type": text_of(param.completes),
        "callback": _read(parameter),
        "required": default is ...,
    }
    if kind is bool:
        about |= {"type": bool, "is_flag": True}
    elif get_origin(kind) is Literal:
        about["type"] = click.Choice(get_args(kind))
    elif int in (kind, *get_args(kind)):
        about["type"] = click.IntRange(param.least, param.most)
    if default is not ... and not is_list:
        about["default"] = default
    if parameter.positional and not param.flag:
        about["metavar"] = metavar if default is ... else f"[{metavar}]"
        if param.words:
            about |= {"nargs": -1, "default": None, "metavar": f"{about['metavar']}..."}
        return click.Argument([parameter.argument], **about)
    flag = "--" + (param.flag or parameter.key).replace("_", "-")
    if kind is not bool:
        about |= {"show_default": default not in ("", None, ...), "multiple": is_list}
    if kind is not bool and get_origin(kind) is not Literal:
        about["metavar"] = metavar
    help_ = param.help
    if param.choices:
        *others, last = param.choices
        help_ = f"{help_.partition(';')[0].rstrip('.')}: {', '.join(others)} or {last}."
    return click.Option([flag, parameter.argument], help=help_, **about)


def _read(parameter: Parameter) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Makes an argument of what was typed. A person's own question may be as long as it likes."""
    parse = None if parameter.param.parse is question else parameter.param.parse

    def read(_ctx: click.Context, _param: click.Parameter, value: Any) -> Any:
        value = " ".join(value) if parameter.param.words else value
        try:
            return parse(value or "") if parse else value
        except InputError as error:
            raise click.BadParameter(str(error)) from None

    return read


def carry_out(
    context: Any,
    function: Callable[..., None],
    verb: str,
    values: Mapping[str, Any],
    *,
    fails: Callable[[Any], bool] = lambda _: False,
    quiet: bool = False,
) -> int:
    """Does what a command is for; returns its exit code.

    Args:
        function: prints the answer, and is given those values that it names; one whose first argument is the `context` does all itself.
        fails: tells of an answer whether the exit code is 1.
    """
    if next(iter(inspect.signature(function).parameters)) == "context":
        function(context, **values)
        return 0
    with context.app(quiet=quiet) as app:
        return int(fails(answer(context, app, function, verb, values)))


def answer(
    context: Any, app: App, function: Callable[..., None], verb: str, values: Mapping[str, Any]
) -> Any:
    """Prints and returns what a verb of an open vault answers, as `carry_out` does; values that it does not take are left out."""
    method = method_of(verb)
    keys = values.keys() & inspect.signature(method).parameters.keys()
    value = attrgetter(verb)(app)(**{name: values[name] for name in keys})
    fresh, shape = app.freshness, shapes.shape_of(method)
    if not context.printed(shape, value, fresh if shape.fresh else None):
        function(value, **{name: values[name] for name in list(inspect.signature(function).parameters)[1:]})
        if shape.fresh:
            print_freshness(fresh)
    return value
