"""Generated pages under `views/`: the part between two marks is made from other files, all the rest is a person's. Pure.

The part between the marks repeats what stands elsewhere: it is no memory of its own, so the index never holds it, and nobody but
the owner is shown it, for whoever may not see a source could read it there.
"""

from __future__ import annotations

import re

from memoryclaw.text.encoding import decode, encode, lines_of, readable, without_numbers
from memoryclaw.text.frontmatter import split

FOLDER = "views/"
BEGIN, END = "<!-- memoryclaw:begin -->", "<!-- memoryclaw:end -->"
GENERATED, SOURCES, FINGERPRINT = "generated", "compiled_from", "fingerprint"  # our own keys in a header
_OURS = frozenset({GENERATED, SOURCES, FINGERPRINT, "title"})
_KEY = re.compile(r"([A-Za-z_][\w -]*+):")


def is_generated(path: str, text: str) -> bool:
    """True for a page that a generator made: it lies in `views/`, says so in its header, and has both marks."""
    if not path.startswith(FOLDER) or BEGIN not in text or END not in text:
        return False
    value = split(readable(text)).meta.get(GENERATED)
    return str(value).lower() == "true" and region_of(text) is not None


def region_of(text: str) -> slice[int, int, None] | None:
    """The lines of the generated part: those between the first mark of each kind; None where that cannot be told."""
    lines = [line.strip() for line in lines_of(readable(text))]
    if lines.count(BEGIN) != 1 or lines.count(END) != 1 or lines.index(BEGIN) > lines.index(END):
        return None
    return slice(lines.index(BEGIN) + 1, lines.index(END))


def generated_part(text: str) -> str:
    """What stands between the marks, with line feeds."""
    region = region_of(text)
    lines = lines_of(readable(text))
    return "".join(lines[region]) if region else ""


def with_part(text: str, part: str) -> str:
    """The text with another generated part; every byte around it stays."""
    region = region_of(text)
    if region is None:
        return text
    lines = lines_of(text)
    mark = lines[region.start - 1]
    newline = mark[len(mark.rstrip("\r\n")) :] or "\n"
    fresh = [line + newline for line in part.splitlines()]
    return "".join((*lines[: region.start], *fresh, *lines[region.stop :]))


def own_words(path: str, data: bytes) -> bytes | None:
    """What a person wrote on a page: all other lines are empty, so that each keeps its number; None where there is nothing.

    Any other file is given back as it is.
    """
    if not path.startswith(FOLDER):
        return data
    file = decode(data)
    if not is_generated(path, file.text):
        return data
    region = region_of(file.text)
    numbers, inside = set[int](), False
    lines = lines_of(readable(file.text))
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() in ("---", "..."):
            break
        key = _KEY.match(line)
        inside = (key[1].lower() in _OURS - {"title"}) if key else inside
        if inside:
            numbers.add(number)
    hidden = {*numbers, *(range(region.start - 1, region.stop + 1) if region else ())}
    text = without_numbers(file.text, hidden)
    body = split(readable(text))
    has_words = any(line.strip() and not line.lstrip().startswith("#") for line in body.body.split("\n"))
    if not has_words and not {key.lower() for key in body.meta} - _OURS:
        return None
    return encode(file._replace(text=text))
