"""The gate of secrets with this user's key, for whoever writes or answers. The rule: a key is made with the first secret, not before."""

from __future__ import annotations

import os
from typing import Any

from memoryclaw import config
from memoryclaw.core.fence import one_line
from memoryclaw.core.gate import Gate


def secret_gate(*, as_is: bool = False) -> Gate:
    """A gate for one verb."""
    return Gate(_key, as_is=as_is)


def harmless(sentence: str, *given: Any) -> str:
    """What a door says to whoever asked: one line, without a secret in it or the beginning of one that was given.

    Args:
        sentence: what is to be said.
        given: what came in with the request: texts, bytes of JSON, values.
    """
    return secret_gate().sentence(one_line(sentence), *given)


def _key() -> bytes:
    from memoryclaw.adapters.secretkey import secret_key  # noqa: PLC0415 - few texts hold a secret

    return secret_key(os.fspath(config.key_folder(os.environ))).key
