"""The text that is embedded for a unit, and the digest that tells one from another. The rule: another text has another digest.

A turn stands for itself: who said it and what was said before are terms of their own, and in the text they measured worse. Pure.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

VERSION = 2  # of the texts made here: vectors of another version are never asked
MOST = 2000  # characters: models cut what is longer, and at their own places


class Piece(NamedTuple):
    """What a text is made of."""

    kind: str
    title: str
    text: str


def vector_text(piece: Piece) -> str:
    """The text that stands for a unit."""
    if piece.kind == "fact":
        text = f"{piece.title}: {piece.text}"
    elif piece.kind == "turn":
        text = piece.text
    else:
        begins = piece.text.lstrip().startswith(piece.title)  # a heading is part of the text below it
        text = piece.text if begins else f"{piece.title}\n{piece.text}"
    # Models written in C end a text at NUL, and no model knows half a character.
    clean = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return clean.strip()[:MOST].strip() or "-"


def digest(text: str) -> bytes:
    """The name of a text: 16 bytes of BLAKE2."""
    return hashlib.blake2b(f"{VERSION}\n{text}".encode(), digest_size=16).digest()
