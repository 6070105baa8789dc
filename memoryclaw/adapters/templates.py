"""The shipped Jinja2 templates: notes and commit messages. The rule: only our own files are templates, never a user's text."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from memoryclaw.core.errors import MemoryClawError
from memoryclaw.core.yamlwrite import flow_list, scalar

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

_SUBJECT_LENGTH = 72
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
_PACKAGE = Path(__file__).resolve().parent.parent


class Templates:
    """Renders the templates that ship with MemoryClaw.

    Args:
        gate: takes the secrets out of a commit message, whatever its values came from.
    """

    def __init__(self, gate: Callable[[str], str] = str) -> None:
        self._gate = gate

    def render(self, name: str, /, **values: object) -> str:
        """The text of one template; every value it names must be given."""
        from jinja2 import TemplateError  # noqa: PLC0415 - loaded with the environment

        try:
            return _environment().get_template(name).render(values)
        except TemplateError as error:
            raise MemoryClawError(f"the template {name} cannot be rendered: {error}") from error

    def commit_message(self, verb: str, /, **values: object) -> str:
        """The message of a commit: a subject on one line of at most 72 characters, a body, trailers."""
        subject, _, rest = self._gate(self.render(f"commits/{verb}.j2", **values)).partition("\n")
        return f"{_cut(one_line(subject))}\n{rest}"


def templates_folder() -> Path:
    """Where the templates are: in the installed package, else in the checkout."""
    shipped = _PACKAGE / "_shipped" / "templates"
    found = shipped if shipped.is_dir() else _PACKAGE.parent / "templates"
    if not found.is_dir():
        raise MemoryClawError(
            f"the templates of MemoryClaw are missing from {os.fspath(found)}; install it again"
        )
    return found


def one_line(text: str) -> str:
    """A text on one line, without control characters."""
    return " ".join(_CONTROL.sub(" ", str(text)).split())


def _cut(subject: str) -> str:
    if len(subject) <= _SUBJECT_LENGTH:
        return subject
    return subject[: _SUBJECT_LENGTH - 1].rstrip() + "…"


def _yaml(value: str | Sequence[str]) -> str:
    return scalar(value) if isinstance(value, str) else flow_list(value)


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    """Compiles each template once in a process: a night asks for the same few again and again."""
    from jinja2 import FileSystemLoader, StrictUndefined  # noqa: PLC0415 - 60 ms that only writers pay
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(templates_folder()),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["yaml"] = _yaml
    environment.filters["line"] = one_line
    return environment
