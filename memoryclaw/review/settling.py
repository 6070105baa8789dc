"""What a person decides of a conflict, as edits; nothing is written here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.lifecycle.conflict_decisions import says
from memoryclaw.model import Fact
from memoryclaw.vault.conflict_rules import Conflict
from memoryclaw.vault.edits import SemanticFile, correct_fact, end_fact
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.writer import Edit, text_change


def settling(context: WriteContext, conflict: Conflict, value: str) -> list[Edit]:
    """The edits after which one value alone stands: others move to History, and a property of a note says what holds.

    Raises:
        InputError: a line cannot be changed without touching others; it says which.
    """
    lines: dict[str, list[Fact]] = {}
    for path, fact in conflict.against(value):
        lines.setdefault(path, []).append(fact)
    edits = []
    for path, facts in lines.items():
        change = _settle(context.semantic(path), facts, value, context.today)
        try:
            change(context.text(path))
        except (InputError, NotFoundError) as error:
            places = ", ".join(f"line {fact.line}" for fact in facts)
            raise InputError(
                f"{path} cannot be changed safely: {error}; write {value!r} there yourself ({places}), nothing was written"
            ) from None
        edits.append(Edit(path, text_change(change)))
    return edits


def _settle(file: SemanticFile, facts: Sequence[Fact], value: str, today: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        # From the last line to the first: an id counts those of the same field above it.
        for fact in sorted(facts, key=lambda one: one.line, reverse=True):
            standing = [f for f in file.facts(text).facts if f.current and says(f, fact)]
            if standing:
                id_ = standing[-1].id
                text = (
                    correct_fact(text, file, id_, value).text
                    if file.is_note
                    else end_fact(text, file, id_, today)
                )
        return text

    return change
