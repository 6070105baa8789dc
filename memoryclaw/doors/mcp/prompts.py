"""The one prompt: a question of the person, with what memory holds on it."""

from __future__ import annotations

from collections.abc import Mapping

from memoryclaw.app import App
from memoryclaw.core.errors import InputError, NotFoundError
from memoryclaw.doors.mcp.asked import question

NAME, TITLE = "recall", "Ask with memory"
ABOUT = "Your question, with what long-term memory holds on it."
ARGUMENT, ARGUMENT_ABOUT = "question", "What you want to know or do."


def recalled(app: App, name: str, given: Mapping[str, str]) -> str:
    """The fenced context and the question below it, as one message of the person.

    Raises:
        NotFoundError: there is no such prompt.
        InputError: the question is missing, or something else was given.
    """
    if name != NAME:
        raise NotFoundError(f"there is no prompt {name[:80]!r}; there is {NAME!r}")
    if given.keys() != {ARGUMENT} or not given[ARGUMENT].strip():
        raise InputError(f"the prompt {NAME!r} takes a {ARGUMENT}, and nothing else")
    asked = question(given[ARGUMENT])
    return "\n\n".join(filter(None, [app.recall(asked).context, asked]))
