"""The gate of secrets: what somebody says is written without them. Pure: the key comes from outside.

The rule: only what comes in passes here; what a file holds already keeps every byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from memoryclaw.core.redaction import Redactor


class Gate:
    """One gate for one verb; it knows what it took out.

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
        taking = _Taking(self._kept, standing)
        found = taking.value(said).value
        self._taken |= taking.taken
        return found

    def text(self, said: str) -> str:
        """A text without its secrets."""
        return str(self.value(said))

    def message(self, text: str) -> str:
        """The message of a commit without secrets; as every text, but nothing of it is news to who wrote."""
        return text if self._as_is else str(_Taking(self._kept).text(text).value)

    @property
    def notice(self) -> str:
        """What to say of the secrets that were taken out; empty when there was none."""
        if not self._taken:
            return ""
        kinds = Counter(self._taken.values())
        told = ", ".join(kind if n == 1 else f"{n} x {kind}" for kind, n in sorted(kinds.items()))
        what = "a secret was" if len(self._taken) == 1 else f"{len(self._taken)} secrets were"
        return f"{what} taken out before anything was written ({told}); --as-is on the command line keeps a text as typed"

    def _kept(self) -> bytes:
        if self._known is None:
            self._known = self._key()
        return self._known


class _Taking(Redactor):
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
