"""A message without what its host put around it. The rule: only marks that no person types are taken for the host's."""

from __future__ import annotations

import re

# Told to the model, by the host and not by the person.
_TOLD = re.compile(
    r"<(system-reminder|local-command-std(?:out|err)|local-command-caveat|command-message|command-contents|bash-std(?:out|err)"
    r"|user-prompt-submit-hook|user-memory-input|ide_opened_file|ide_selection|ide_diagnostics)>.*?</\1>\s*",
    re.DOTALL,
)
# Typed by the person, and only wrapped.
_WRAPPED = re.compile(r"</?(?:command-name|command-args|bash-input)>")


def spoken(text: str) -> str:
    """What the person or the model said; a slash command stays as it was typed."""
    if "<" not in text:
        return text
    return _WRAPPED.sub("", _TOLD.sub("", text)).strip()
