"""Strings → YAML scalars and flow lists that read back as the same strings. Quotes only where YAML needs them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

_INDICATORS = "-?:,[]{}#&*!|>'\"%@`"
_NULLS = frozenset({"", "~", "null", "Null", "NULL", "---", "...", "<<"})
_RISKY = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]|:(?=\s|$)|\s#|^\s|\s$")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def scalar(value: str, style: str = "", *, flow: bool = False) -> str:
    """A string as a YAML scalar on one line.

    Args:
        value: the string.
        style: the quote that stood there before; kept.
        flow: True inside `[…]`, where more characters need quotes.
    """
    if style == "'" and not _CONTROL.search(value):
        return "'" + value.replace("'", "''") + "'"
    if style == '"' or _needs_quotes(value, flow=flow):
        return _UNPRINTABLE.sub(lambda hit: f"\\u{ord(hit[0]):04x}", json.dumps(value, ensure_ascii=False))
    return value


def flow_list(values: Sequence[str]) -> str:
    """Strings as a YAML list on one line."""
    return f"[{', '.join(scalar(value, flow=True) for value in values)}]"


def _needs_quotes(value: str, *, flow: bool) -> bool:
    if value in _NULLS or _RISKY.search(value):
        return True
    if value[0] in _INDICATORS and (flow or value[0] not in "-?:" or value[1:2] in {"", " ", "\t"}):
        return True
    return flow and any(c in ",[]{}" for c in value)
