"""How a run of a skill is told on the command line: each call with its arguments, and what became of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from memoryclaw.core.errors import InputError
from memoryclaw.core.fence import one_line
from memoryclaw.doors.cli.printing import plural, remark, say, styled

if TYPE_CHECKING:
    from memoryclaw.core.skillsteps import Need
    from memoryclaw.jobs.skillrun import Ran, SkillRun

_SHOWN = 300
_COLOURS = {"done": "green", "failed": "red", "planned": "cyan"}


def params_of(given: Iterable[str]) -> dict[str, str]:
    """`K=V` texts as a map.

    Raises:
        InputError: one has no `=`, or is given twice.
    """
    params: dict[str, str] = {}
    for text in given:
        name, mark, value = text.partition("=")
        if not mark or not name.strip():
            raise InputError(f"--param {text[:60]!r} says no value; write --param name=value")
        if name.strip() in params:
            raise InputError(f"--param {name.strip()[:60]} is given twice")
        params[name.strip()] = value
    return params


def asked(need: Need) -> str:
    """What a person on the terminal says."""
    about = f" ({one_line(need.asked.description)})" if need.asked.description else ""
    return str(
        click.prompt(f"{one_line(need.name)}{about}", hide_input=need.asked.type == "secret", err=True)
    )


@contextmanager
def told_when_ended(*, apply: bool) -> Iterator[None]:
    """Says where to look when somebody ends a run in the middle."""
    try:
        yield
    except KeyboardInterrupt:
        if apply:
            remark(
                "Ended in the middle; what had been done by then is in the log of the session, under logs/."
            )
        raise


def tell(done: SkillRun) -> None:
    """Prints the values, the calls, and how it ended."""
    for one in done.values:
        if one.value is not None:
            say(f"{styled(one.name)} = {styled(_short(one.value))}  {styled(f'({one.source})', dim=True)}")
    for step in done.steps:
        _tell_step(step)
    if not done.applied:
        ending = (
            "Nothing was called; --apply calls them."
            if done.ok
            else "Nothing was called, and this would not work."
        )
        say(ending)
    elif done.ok:
        say(f"{plural(len(done.steps), 'step')} done; kept in the log of session {styled(done.session)}.")
    else:
        say(f"Stopped at the first failure; kept in the log of session {styled(done.session)}.")
    if done.notice:
        remark(done.notice)


def _tell_step(step: Ran) -> None:
    where = f" ({styled(step.host)})" if step.host else ""
    state = styled(step.state, fg=_COLOURS.get(step.state))
    say(f"{step.step}. {styled(step.tool, bold=True)}{where}  {state}")
    for key, value in step.args.items():
        say(f"   {styled(key)}: {styled(_short(value))}")
    if step.result:
        say(f"   {styled('→', dim=True)} {styled(_short(step.result))}")
    if step.error:
        say(f"   {styled(_short(step.error), fg='red')}")


def _short(value: Any) -> str:
    text = one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
