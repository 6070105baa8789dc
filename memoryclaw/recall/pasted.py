"""What somebody pasted into a turn, as it is shown: in brackets that say so, for nothing in it is the speaker's own word."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from memoryclaw.model import Unit
from memoryclaw.text.sentences import sentences

OwnText = Callable[[str, str], str]  # the text of a turn, and who said it → what of it is that one's own
# A single sentence without these is nobody else's.
_MAY_PASTE = re.compile(r"[\n:`>\"“„«»']|[.!?…]\s|\s[-–—]\s")
PASTED = "[pasted: "
_BRACKETS = str.maketrans("[]", "()")  # a paste closes no bracket of ours


class Mixed(NamedTuple):
    """The own words of a turn that holds others' as well."""

    words: str
    lines: tuple[str, ...]

    def marked(self, text: str) -> str:
        """A part of the turn with what is pasted in brackets."""
        parts, pasted = list[str](), list[str]()
        for sentence in sentences(text):
            bare = sentence.strip("… ")
            if not bare:  # a gap
                (pasted or parts).append(sentence)
                continue
            if f" {bare} " in self.words:
                parts += [*_in_brackets(pasted), sentence]
                pasted = []
                continue
            lead = max((line for line in self.lines if bare.startswith(line)), key=len, default="")
            parts += [*_in_brackets(pasted), lead] if lead else []
            pasted = [*([] if lead else pasted), sentence.replace(lead, "", 1).strip()]
        return " ".join((*parts, *_in_brackets(pasted)))


def _in_brackets(pasted: list[str]) -> list[str]:
    return [f"{PASTED}{' '.join(pasted).translate(_BRACKETS)}]"] if pasted else []


def mixed(unit: Unit, own_text: OwnText) -> Mixed | None:
    """The own words of the person who spoke a turn; None where all its words are."""
    if unit.kind != "turn" or unit.role != "user" or not _MAY_PASTE.search(unit.text):
        return None
    own = own_text(unit.text, unit.entity)
    if own == unit.text:
        return None
    typed = (f"{unit.entity}: {own}" if unit.entity else own).split("\n")
    lines = tuple(" ".join(line.split()) for line in typed if line.strip())
    return Mixed(f" {' '.join(lines)} ", lines)
