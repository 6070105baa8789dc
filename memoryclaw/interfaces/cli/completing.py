"""Completion: what a shell offers for ids, entities and tags, from the vault that the command would use."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from click.shell_completion import BashComplete, CompletionItem, add_completion_class

from memoryclaw.config import MOST_LISTED
from memoryclaw.text.prompts import one_line

if TYPE_CHECKING:
    from memoryclaw.app import App


def _ids(app: App) -> list[str]:
    return [*(note.id for note in app.browse(limit=MOST_LISTED)), *(fact.id for _, fact in app.facts())]


def _entities(app: App) -> list[str]:
    return [entity.name for entity in app.entities()]


_OFFERED: dict[str, Callable[[App], Iterable[str]]] = {
    "id": _ids,
    "entity": _entities,
    "id or entity": lambda app: _ids(app) + _entities(app),
    "tag": lambda app: (tag for note in app.browse(limit=MOST_LISTED) for tag in note.tags),
    "waiting": lambda app: (item.id for item in app.review.list()),
    "skill": lambda app: (skill.name for skill in app.skills.list()),
}  # fmt: skip


def offered(what: str, begun: str, vault: str | None, audience: str) -> list[CompletionItem]:
    """The names of a kind that begin so; nothing where the vault cannot be read, as nobody could be told why."""
    from memoryclaw.app import open_vault  # a shell that completes an option needs no vault

    names: list[str] = []
    with suppress(Exception), open_vault(vault, audience=audience) as app:
        names = sorted({name for name in _OFFERED[what](app) if name.casefold().startswith(begun.casefold())})
    return [CompletionItem(name) for name in names if name == one_line(name)]  # what no terminal would obey


@add_completion_class
class QuotedBashComplete(BashComplete):
    """As Click completes in bash, but a name of several words comes as one."""

    def format_completion(self, item: CompletionItem) -> str:
        """The completion as the script reads it, which takes one level of quotes away."""
        typed = os.environ["COMP_WORDS"].split("\n")[-1]
        if item.type != "plain" or typed.startswith(("'", '"')) or shlex.quote(item.value) == item.value:
            return super().format_completion(item)
        quoted = "".join(c if c.isalnum() or c in "/.,_-#@%+=:" else f"\\{c}" for c in item.value)
        return f"{item.type},{quoted.replace(chr(92), chr(92) * 2)}"
