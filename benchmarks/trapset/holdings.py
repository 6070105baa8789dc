"""What the vaults of a half are made of: facts that change, notes with tags and names, and notes in other languages."""

from __future__ import annotations

from typing import NamedTuple


class Tongue(NamedTuple):
    """One language, or one script, of a half: rows of what was said, how it is asked, and its noun."""

    code: str  # index.language
    category: str  # language | cjk
    people: tuple[str, str]
    rows: tuple[tuple[str, str, str], ...]
    where: tuple[str, ...]
    tellings: tuple[str, ...]  # {said} {where}
    noted: tuple[str, ...]  # {name} {said} {where}: in a note
    asked: tuple[str, ...]  # {name} {asked}
    decoys: tuple[str, ...]  # {name} {noun}
    chatter: tuple[str, ...]
    titles: tuple[str, str]  # of the two notes


class Holdings(NamedTuple):
    """The words of one half's vaults."""

    seed: int
    year: int
    entities: tuple[str, ...]
    fields: dict[str, tuple[str, ...]]
    now: tuple[str, ...]  # {entity} {field}
    then: tuple[str, ...]  # {entity} {field} {month}
    rumours: tuple[str, ...]  # {entity} {field} {value}: an old value in a note
    tagged: tuple[tuple[str, str, str], ...]  # tag, text without its words, what is asked besides
    by_tag: tuple[str, ...]  # {tag} {about}
    tag_decoys: tuple[str, ...]  # {tag}
    nicknames: tuple[tuple[str, str], ...]  # an entity, and what it is called in a question
    by_nickname: tuple[str, ...]  # {nick} {field}
    people: tuple[str, ...]
    meetings: tuple[tuple[str, str], ...]  # a subject, and what was agreed
    agreed: tuple[str, ...]  # {subject} {agreed}
    by_person: tuple[str, ...]  # {name} {subject}
    linked: tuple[
        tuple[str, str, str], ...
    ]  # a note's name, a sentence about it that says it otherwise, what is asked
    by_link: tuple[str, ...]  # {target} {about}
    link_decoys: tuple[str, ...]  # {target}
    tongues: tuple[Tongue, ...]


def triples(table: str) -> tuple[tuple[str, str, str], ...]:
    """Three columns."""
    cut = [[cell.strip() for cell in line.split(" | ")] for line in table.splitlines() if line.strip()]
    return tuple((first, second, third) for first, second, third in cut)
