"""`hook`: MemoryClaw in hosts that run a command at a prompt and after an answer."""

from __future__ import annotations

from memoryclaw.connect import CLAUDE_CODE, HOSTS
from memoryclaw.interfaces.cli.verbs import CliContext, group, option

_HOST_OPTION = option(
    "--host", "HOST", f"The form of the answer: {' or '.join(HOSTS)}.", default=CLAUDE_CODE, show_default=True
)


@group(
    'init\nhook pre --host plain <<< \'{"prompt": "When is the boathouse due?"}\'',
    "hook post < stop.json",
    default="pre",
)
def hook() -> None:
    """Give memory to hosts with shell hooks: a context before a prompt, turns kept afterwards.

    `pre`, the default, and `post` read JSON, answer JSON, and always exit with 0. `connect claude-code` installs both.
    """


@hook.verb('init\nhook pre --host plain <<< \'{"prompt": "tea"}\'', "hook pre < prompt.json")
@_HOST_OPTION
def pre(context: CliContext, host: str) -> None:
    """Answer a prompt on standard input with a context for it, in a second at most."""
    _hooked(context, "pre", host)


@hook.verb(
    'init\nhook post --host plain <<< \'{"session": "monday", "prompt": "Which tea?", "answer": "Oolong."}\'',
    "hook post < stop.json",
)
@_HOST_OPTION
def post(context: CliContext, host: str) -> None:
    """Keep the new part of the host's transcript, or the turns on standard input; write latest.md when a session ends."""
    _hooked(context, "post", host)


def _hooked(context: CliContext, verb: str, host: str) -> None:
    from memoryclaw.interfaces.cli.hook_fast_path import hook as run

    run([verb, "--host", host, *(["--vault", context.vault] if context.vault else [])])
