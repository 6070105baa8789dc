"""`working` and `feedback`: the working memory of a session, and how useful a memory was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from memoryclaw import rooms
from memoryclaw.interfaces.cli.printing import remark, say, styled
from memoryclaw.interfaces.cli.verbs import TEXT, CliContext, group, option, pair, verb

_KYOTO = "init\nworking set --session kyoto --goal 'book the train' --plan 'ask for seats' --fact to=Kyoto\n"


@group(
    f"{_KYOTO}working --session kyoto",
    "working set --session kyoto --goal 'book the train' --fact to=Kyoto",
    "working clear --session kyoto",
    default="show",
)
@click.option("--session", metavar="S", default="", type=TEXT, hidden=True)
@click.pass_context
def working(ctx: click.Context, session: str) -> None:
    """Show or set the working memory of a session: goal, plan, facts, observations, active skill.

    `recall --session` includes it, and its goal helps to rank.
    """
    if session:  # said before the command, or without one
        ctx.default_map = {name: {"session": session} for name in ("show", "set", "clear")}


@working.verb(f"{_KYOTO}working show --session kyoto", of="working.show")
def show(memory: rooms.memory.WorkingMemory) -> None:
    """Print the working memory of a session."""
    _tell(memory)


@working.verb(
    "init\nworking set --session kyoto --goal 'book the train' --plan 'ask for seats' --fact to=Kyoto",
    "working set --session kyoto --fact to=Kyoto --fact seats= --observe 'window seats are sold out'",
    name="set",
    of="working.set",
)
@option("--goal", "TEXT", "The goal.", default=None)
@option("--plan", "TEXT", "A step of the plan; may be repeated.", multiple=True)
@option("--fact", "KEY=VALUE", "A fact to add or replace; without a value, to remove.", name="facts", multiple=True, callback=lambda *given: {key: value or None for key, value in (pair(text, "KEY=VALUE") for text in given[2])})  # fmt: skip
@option(
    "--observe", "TEXT", "An observation; the newest are kept.", name="recent_observations", multiple=True
)
@option("--skill", "NAME", "The skill in use.", name="active_skill", default=None)
@option("--task", "NAME", "The task; another task begins a new working memory.", default=None)
def set_(context: CliContext, *, session: str, **parts: Any) -> None:
    """Change the given parts and leave the rest."""
    given = {key: value for key, value in parts.items() if value not in (None, (), {})}
    changes = {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}
    if not changes:
        raise click.UsageError("Nothing to set; give at least one of --goal, --plan, --fact, --observe …")
    context.carry_out(_tell, "working.set", {"session": session, "changes": changes})


@working.verb(
    f"{_KYOTO}working clear --session kyoto", "working clear --session kyoto --task trip", of="working.clear"
)
def clear(cleared: rooms.memory.Cleared) -> None:
    """Write it to the log of the session, then remove it."""
    record = f"; what it held is kept as {styled(cleared.id)}" if cleared.id else ""
    say(f"cleared: session {styled(cleared.session)}{record}" if cleared.cleared else "Nothing was cleared.")
    remark(cleared.notice)


@verb(
    "init\nremember oolong --entity Nora --field tea\nfeedback semantic/facts#Nora.tea 5",
    "feedback 'semantic/people#Nora.allergy' 1 --note 'not what was asked'",
    of="feedback",
)
def feedback(rated: rooms.feedback.Feedback) -> None:
    """Say how useful a memory was, from 1 (useless) to 5 (just right)."""
    say(f"rated {rated.rating} of 5: {styled(rated.id)}")


def _tell(memory: rooms.memory.WorkingMemory) -> None:
    lines_by_label: Mapping[str, Sequence[str]] = {
        "task": [memory.task] if memory.task else [],
        "goal": [memory.goal] if memory.goal else [],
        "plan": memory.plan,
        "skill": [memory.active_skill] if memory.active_skill else [],
        "facts": [f"{key} = {value}" for key, value in memory.facts.items()],
        "seen": memory.observations,
    }
    for label, lines in lines_by_label.items():
        for number, line in enumerate(lines):
            say(f"{'' if number else label:<9}{styled(line)}")
    if memory.empty:
        say(f"Session {styled(memory.session)} has no working memory.")
    for problem in memory.problems:
        remark(f"{problem.path}: {problem.message}; {problem.hint}")
