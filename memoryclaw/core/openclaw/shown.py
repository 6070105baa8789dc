"""A change of a configuration as a person is shown it: a unified diff. The rule: no password or token of the rest is in it."""

from __future__ import annotations

import re
from difflib import unified_diff

_SECRET = re.compile(
    r"([\"']?(?<![\w.-])[\w.-]*(?:token|api_?key|password|passphrase|secret|credential)s?[\"']?\s*:\s*)"
    r"(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')",
    re.IGNORECASE,
)


def difference(before: str, after: str, name: str) -> str:
    """What changes, as a unified diff; the values of secrets are not shown."""
    lines = unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm="", n=2)
    return "\n".join(_SECRET.sub(r'\1"…"', line) for line in lines)
