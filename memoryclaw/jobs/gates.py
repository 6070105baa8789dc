"""The gate of secrets with this user's key, for whoever writes. The rule: a key is made with the first secret, not before."""

from __future__ import annotations

import os

from memoryclaw import config
from memoryclaw.core.gate import Gate


def secret_gate(*, as_is: bool = False) -> Gate:
    """A gate for one verb."""
    return Gate(_key, as_is=as_is)


def _key() -> bytes:
    from memoryclaw.adapters.secretkey import secret_key  # noqa: PLC0415 - few texts hold a secret

    return secret_key(os.fspath(config.key_folder(os.environ))).key
