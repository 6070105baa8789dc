"""What is told of the work in a repository holds there, and not everywhere: its tools, code, commands and conventions. Pure."""

from __future__ import annotations

import re

from memoryclaw.consolidation.changes import Claim
from memoryclaw.model import FROM_NOW_ON, PROJECT
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import tokens_of
from memoryclaw.vault.validity import canonical_scope

_WORK = frozenset(lists.words("consolidation.work"))
_TALK = frozenset(lists.words("consolidation.talking"))
# A flag, a path, the name of a file, of a function or of a variable.
_CODE = re.compile(
    r"`|(?<!\S)--?[a-z][\w-]+|[\w.-]/[\w.-]|\w\.(?:[a-z]{1,4}\d?)(?!\w)|\w_\w|[a-z][A-Z]\w|\w\(\)"
)


def in_project(claim: Claim, project: str) -> Claim:
    """The claim, for this project alone where it is of its work; how the assistant is to talk or behave is for everywhere."""
    text = claim.words or f"{claim.field} {claim.value}"
    tokens = set(tokens_of(text))
    if not (tokens & _WORK or _CODE.search(text)) or (claim.field == FROM_NOW_ON and tokens & _TALK):
        return claim
    scope = canonical_scope(f"{PROJECT}{project}")
    # What a person says of their work is told of the project: each has values of its own.
    return claim._replace(
        scope=scope, entity=project if scope and claim.entity in ("user", claim.speaker) else claim.entity
    )
