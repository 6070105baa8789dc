"""What is told of the work in a repository holds there, and not everywhere: its tools, code, commands and conventions. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from memoryclaw.consolidation.changes import Claim
from memoryclaw.model import FROM_NOW_ON, PROJECT, Turn
from memoryclaw.text import words as lists
from memoryclaw.text.clauses import clauses
from memoryclaw.text.grammar import grammar_of, tokens_of
from memoryclaw.text.repository_work import is_of_work, is_told_here, says_we
from memoryclaw.vault.validity import canonical_scope

_TOOL = 2  # words of its name
_TALK = frozenset(lists.words("consolidation.talking"))


def in_project(claim: Claim, project: str) -> Claim:
    """The claim, for this project alone where it is of its work; how the assistant is to talk or behave is for everywhere."""
    text = claim.words or f"{claim.field} {claim.value}"
    # A clause of a sentence that names it: `in this project we use pnpm, never npm`; not who somebody is.
    is_ours = (
        claim.field == "uses"
        and says_we(claim.quote)
        and (len(claim.value.split()) <= _TOOL or is_of_work(claim.quote))
    )
    is_here = is_ours or (claim.how != "role" and is_told_here(claim.quote))
    if (
        not (is_here or is_of_work(text))
        or (claim.field == FROM_NOW_ON and not _TALK.isdisjoint(tokens_of(text)))
        or _tells_what_one_is(claim.words)
    ):
        return claim
    scope = canonical_scope(f"{PROJECT}{project}")
    # What a person says of their work is told of the project: each has values of its own.
    return claim._replace(
        scope=scope, entity=project if scope and claim.entity in ("user", claim.speaker) else claim.entity
    )


def _tells_what_one_is(text: str) -> bool:
    """True for what somebody says they are for good, wherever it is said: `I'm colour blind (red/green), so pick other colours`."""
    words = grammar_of(text)
    return any(
        clause.kind == "be"
        and words.lasting_states.at(tokens_of(clause.rest))
        and (not clause.subject or words.first_person.has_any((*clause.subject[:1], *clause.verb[:1])))
        for clause in clauses(text, words)
    )


def scopes_of_work(turns: Iterable[Turn]) -> set[str]:
    """What turns hold for of which nothing is kept: their projects, where a person said anything that is of the work."""
    scopes, is_work = set(), False
    for turn in turns:
        scopes.add(canonical_scope(f"{PROJECT}{turn.project}") if turn.project else "")
        is_work = is_work or (turn.role == "user" and is_of_work(turn.text))
    return scopes if is_work else set()
