"""A message without what its host put around it. The rule: only marks that no person types are taken for the host's."""

from __future__ import annotations

import re

# Told to the model, by the host and not by the person.
_TOLD = re.compile(
    r"<(system-reminder|local-command-std(?:out|err)|local-command-caveat|command-message|command-contents|bash-std(?:out|err)"
    r"|user-prompt-submit-hook|user-memory-input|ide_opened_file|ide_selection|ide_diagnostics)>"
)
_SPACE = re.compile(r"\s*")
# Typed by the person, and only wrapped.
_WRAPPED = re.compile(r"</?(?:command-name|command-args|bash-input)>")


def spoken(text: str) -> str:
    """What the person or the model said; a slash command stays as it was typed."""
    if "<" not in text:
        return text
    return _WRAPPED.sub("", _untold(text)).strip()


def _untold(text: str) -> str:
    """The text without what the host tells the model. An end that is missing once is missing for all that follows."""
    parts: list[str] = []
    unclosed: set[str] = set()
    at = 0
    for hit in _TOLD.finditer(text):
        if hit.start() < at or hit[1] in unclosed:
            continue
        close = f"</{hit[1]}>"
        end = text.find(close, hit.end())
        if end < 0:
            unclosed.add(hit[1])
            continue
        parts.append(text[at : hit.start()])
        behind = _SPACE.match(text, end + len(close))
        at = behind.end() if behind else end
    return "".join([*parts, text[at:]])
