"""The gate of secrets: what somebody says is written without them, and no sentence says them again. Pure: the key comes from outside.

The rule: only what comes in passes here; what a file holds already keeps every byte.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from memoryclaw.text.redaction import Redactor

_LEAST = 8  # characters of the beginning of a secret that tell it
_BREAKS = re.compile(r"[\s\"'\\]+")


class Gate:
    """One gate for one verb, or for the sentences of one door; it knows what it took out.

    Args:
        key: gives the key of the fingerprints; asked for with the first secret, and never before.
        as_is: a person said at the command line that they mean what they typed.
    """

    def __init__(self, key: Callable[[], bytes], *, as_is: bool = False) -> None:
        self._key = key
        self._known: bytes | None = None
        self._as_is = as_is
        self._taken: dict[str, str] = {}  # secret → its kind

    def value(self, said: Any, *, standing: str = "") -> Any:
        """A JSON value without its secrets.

        Args:
            said: what came in.
            standing: text that is in the vault already; what stands there may stay.
        """
        if self._as_is:
            return said
        taking = _Redaction(self._kept, standing)
        found = taking.value(said).value
        self._taken |= taking.taken
        return found

    def text(self, said: str) -> str:
        """A text without its secrets."""
        return str(self.value(said))

    def message(self, text: str) -> str:
        """The message of a commit without secrets; as every text, but nothing of it is news to who wrote."""
        return text if self._as_is else str(_Redaction(self._kept).text(text).value)

    @property
    def notice(self) -> str:
        """What to say of the secrets that were taken out; empty when there was none."""
        if not self._taken:
            return ""
        kinds = Counter(self._taken.values())
        told = ", ".join(kind if n == 1 else f"{n} x {kind}" for kind, n in sorted(kinds.items()))
        what = "a secret was" if len(self._taken) == 1 else f"{len(self._taken)} secrets were"
        return f"{what} taken out before anything was written ({told}); --as-is on the command line keeps a text as typed"

    def sentence(self, told: str, *given: Any) -> str:
        """A sentence for whoever asked, without the secrets in it or in what they gave, not even the beginning of one.

        Args:
            told: the sentence.
            given: what came in: texts, bytes of JSON, values.
        """
        taking = _Redaction(self._kept)
        for one in given:
            taking.value(_read(one))
        said = list(taking.taken.items())
        marks = {part: taking.mark(kind, one) for one, kind in said for part in _parts(one, told)}
        if marks:
            longest = sorted(map(re.escape, marks), key=len, reverse=True)
            told = re.sub("|".join(longest), lambda hit: marks[hit[0].lower()], told, flags=re.IGNORECASE)
        return str(taking.text(told).value)

    def _kept(self) -> bytes:
        if self._known is None:
            self._known = self._key()
        return self._known


class _Redaction(Redactor):
    """Takes secrets out, leaves those that stand already, and remembers what it took."""

    def __init__(self, key: Callable[[], bytes], standing: str = "") -> None:
        super().__init__(b"")
        self._ask = key
        self._standing = standing
        self.taken: dict[str, str] = {}

    def mark(self, kind: str, secret: str) -> str:
        """What stands in place of a secret."""
        if secret in self._standing:
            return secret
        self._key = self._ask()
        self.taken[secret] = kind
        return super().mark(kind, secret)


def _read(given: Any) -> Any:
    """JSON as its value, where a name tells a secret; all else as text."""
    if isinstance(given, bytes):
        given = given.decode("utf-8", "replace")
    if isinstance(given, str) and given.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            return given
    return given


def _parts(secret: str, told: str) -> list[str]:
    """What of a secret a sentence says, in lower case: its words, or the beginnings of words that were cut."""
    secret, told = secret.lower(), told.lower()
    found = [secret] if secret in told else []
    for word in _BREAKS.split(secret):
        size = next((n for n in range(len(word), _LEAST - 1, -1) if word[:n] in told), 0)
        found += [word[:size]] if size else []
    return found
