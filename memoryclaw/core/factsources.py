"""The sources behind a fact: several may stand on its line, and one more is added as a patch of that line alone.

The rule: after a patch the facts are read again, and unless they are the same facts in the same places, nothing is changed.
"""

from __future__ import annotations

import re

from memoryclaw.core.errors import NotFoundError
from memoryclaw.core.factedits import FactEdit
from memoryclaw.core.factsheet import SemanticFile, Sheet
from memoryclaw.core.model import Fact
from memoryclaw.core.splices import Splice, spliced

# A source as `[source:: [[a#^l3]], [[b]]]` or `(source:: …)`: where its text ends is where one more is put.
_FIELD = re.compile(r"\[source::[ \t]*+((?:\[\[[^\[\]\n]*\]\]|[^\[\]\n])*+)\]|\(source::[ \t]*+([^()\n]*)\)")
_SOURCE = re.compile(r"!?\[\[([^\[\]|\n]*)(?:\|[^\[\]\n]*)?\]\]|([^,\[\]]+)")
_BLOCK_ID = re.compile(r"(?<![ \t])[ \t]++(?:\^[A-Za-z0-9-]++[ \t]*+)?$")
_UNSAFE = re.compile(r"[\[\]|\x00-\x1f\x7f]")


def sources_in(text: str) -> tuple[str, ...]:
    """The sources that a line names, in order: targets of links with their blocks (`episode#^l3`), or plain words."""
    said = [hit[1] if hit[1] is not None else hit[2] for hit in _FIELD.finditer(text)]
    found = [(hit[1] or hit[2] or "").strip() for field in said for hit in _SOURCE.finditer(field)]
    return tuple(dict.fromkeys(filter(None, found)))


def source_field(*sources: str) -> str:
    """Sources as an inline field, ` [source:: [[a#^l3]], [[b]]]`; nothing for none."""
    links = [f"[[{clean}]]" for source in sources if (clean := _UNSAFE.sub("", source).strip())]
    return f" [source:: {', '.join(dict.fromkeys(links))}]" if links else ""


def fact_sources(text: str, file: SemanticFile, fact_id: str) -> tuple[str, ...]:
    """The sources of one fact of a semantic file, with the blocks they point to."""
    sheet = Sheet.of(text, file)
    first, last = sheet.span(_fact(sheet, fact_id))
    return sources_in("\n".join(sheet.lines[first:last]))


def add_source(text: str, file: SemanticFile, fact_id: str, source: str) -> FactEdit:
    """The text with one more source behind a fact; unchanged when it is there, and where the line has no room for one.

    Args:
        text: the text of the file.
        file: where it is, and the collections of the vault.
        fact_id: the id of the fact.
        source: the id of the episode that says it again, with the block of the line: `episode#^l3`.
    """
    sheet = Sheet.of(text, file)
    fact = _fact(sheet, fact_id)
    unchanged = FactEdit(text, "confirmed", fact.value)
    source = _UNSAFE.sub("", source).strip()
    if not source or sheet.in_table(fact) or sheet.spot(fact).style == "frontmatter":
        return unchanged
    first, last = sheet.span(fact)
    if source in sources_in("\n".join(sheet.lines[first:last])):
        return unchanged
    result = _sourced(sheet, first, last, source)
    return FactEdit(result, "confirmed", fact.value) if _says_the_same(sheet, result, fact) else unchanged


def _sourced(sheet: Sheet, first: int, last: int, source: str) -> str:
    """The text with the source behind those that stand there, else at the end of the fact's first line."""
    for number in range(first, last):
        line = sheet.lines[number]
        if hits := list(_FIELD.finditer(line)):
            return spliced(sheet.text, [Splice(number, number + 1, (_behind(line, hits[-1], source),))])
    line = sheet.lines[first]  # on a line below, `[source::` would begin a key
    mark = _BLOCK_ID.search(line)
    end = mark.start() if mark else len(line)
    fresh = line[:end] + source_field(source) + line[end:]
    return spliced(sheet.text, [Splice(first, first + 1, (fresh,))])


def _behind(line: str, field: re.Match[str], source: str) -> str:
    said = (field[1] if field[1] is not None else field[2]).rstrip()
    at = field.start(1 if field[1] is not None else 2) + len(said)
    return line[:at] + (", " if said else "") + f"[[{source}]]" + line[at:]


def _says_the_same(sheet: Sheet, text: str, fact: Fact) -> bool:
    """True when nothing but the source of this one fact reads differently."""
    old, new = sheet.found.facts, sheet.file.facts(text).facts
    return len(old) == len(new) and all(
        two == one or (one == fact and two._replace(source=one.source) == one)
        for one, two in zip(old, new, strict=True)
    )


def _fact(sheet: Sheet, fact_id: str) -> Fact:
    for fact in sheet.found.facts:
        if fact.id == fact_id:
            return fact
    raise NotFoundError(f"there is no fact {fact_id}")
