"""The ledger: how memories were used, one JSON event a line. It is only appended to, and a failure never stops a command."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memoryclaw.errors import VaultError
from memoryclaw.vault import files
from memoryclaw.vault.layout import STATE_DIR, slug, timestamp, utc

FOLDER = "ledger"
_DEVICE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class Ledger:
    """Appends the events of one device to the ledger of one vault."""

    def __init__(self, root: str) -> None:
        self._root = root

    @property
    def device(self) -> str:
        """This device's name: from `.memoryclaw/device`, else the host name."""
        try:
            with open(os.path.join(self._root, STATE_DIR, "device"), encoding="utf-8") as file:
                name = file.readline().strip()
        except (OSError, UnicodeDecodeError):
            name = ""
        return name if _DEVICE.fullmatch(name) else slug(socket.gethostname())

    def append(self, event: str, values: Mapping[str, Any], now: datetime, *, durable: bool = False) -> str:
        """Appends one event; returns an empty string, or why it could not be written.

        Args:
            event: its type: shown, cited, rated, renamed …
            values: its fields.
            now: its time.
            durable: True to wait until it is on disk.
        """
        line = json.dumps({"ts": timestamp(now), "event": event, **values}, ensure_ascii=False) + "\n"
        path = f"{FOLDER}/{self.device}/{utc(now):%Y-%m}.jsonl"
        try:
            with files.appending(self._root, path) as handle:
                # One write: O_APPEND then keeps the lines of several processes whole.
                os.write(handle, line.encode("utf-8", "backslashreplace"))
                if durable:
                    os.fsync(handle)
        except (OSError, VaultError) as error:
            why = getattr(error, "strerror", None) or error
            return f"this use could not be written to the ledger ({why}); nothing else is affected"
        return ""
