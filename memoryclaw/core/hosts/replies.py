"""What a hook answers, in its host's own shape. The rule: an answer without a context is still a whole answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CLAUDE_CODE, PLAIN = "claude-code", "plain"
HOSTS = (CLAUDE_CODE, PLAIN)
WORDS, CHARACTERS = (
    16,
    600,
)  # of each end of a long prompt; a question counts with 32 words, and no daemon takes endless ones


def context_of(host: str, context: str) -> dict[str, Any]:
    """The answer of `hook pre`; Claude Code puts the context beside the prompt."""
    if host == PLAIN:
        return {"context": context}
    return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}


def kept_of(host: str, counts: Mapping[str, int]) -> dict[str, Any]:
    """The answer of `hook post`; Claude Code wants none, and reads unknown keys as a mistake."""
    return dict(counts) if host == PLAIN else {}


def question_of(prompt: str) -> str:
    """As much of a long prompt as is asked: its beginning and its end, where questions stand."""
    words = prompt.split()
    if len(words) <= 2 * WORDS and len(prompt) <= 2 * CHARACTERS:
        return prompt
    middle = min(WORDS, len(words) // 2)
    return f"{' '.join(words[:middle])[:CHARACTERS]} {' '.join(words[middle:][-WORDS:])[-CHARACTERS:]}"
