"""How many tokens a text costs in a prompt, estimated without a tokenizer: never far below what real ones count."""

from __future__ import annotations

import math
import re

_ASCII_PER_TOKEN = 4.0
_OTHER_PER_TOKEN = 1.6  # accented Latin, Cyrillic, Greek …
_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\U0001f000-\U0003ffff]"
)  # a token each


def estimate(text: str) -> int:
    """ASCII characters / 4 + other letters / 1.6 + one for each CJK character or emoji, rounded up."""
    if text.isascii():
        return math.ceil(len(text) / _ASCII_PER_TOKEN)
    wide = len(_WIDE.findall(text))
    plain = sum(map(str.isascii, text))
    return math.ceil(plain / _ASCII_PER_TOKEN + (len(text) - plain - wide) / _OTHER_PER_TOKEN + wide)
