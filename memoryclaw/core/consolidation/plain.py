"""Values and names of facts, made plain. The rule: what is plain reads back from the line it is written on as exactly itself."""

from __future__ import annotations

import re

# What would be read as a link, an inline field, code or a comment where the value is written.
_MARKUP = re.compile(r"!?\[\[|\]\]|`+|%%|~~|(?<=:):+|[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_BLOCK_ID = re.compile(r"(?<!\S)\^(?=[A-Za-z0-9-]+$)")
_KEY_MARKUP = re.compile(r"!?\[\[|\]\]|[\[\]|`*\"<>]|%%|~~|::+|[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def plain_value(text: str) -> str:
    """The text as one line, without what Markdown or an inline field would take for its own."""
    return _BLOCK_ID.sub("", " ".join(_MARKUP.sub(" ", text).split()))


def plain_key(text: str) -> str:
    """The name of an entity or a field, as a heading or a key may hold it."""
    return " ".join(_KEY_MARKUP.sub(" ", text).split()).strip(" .:;,-#+")
