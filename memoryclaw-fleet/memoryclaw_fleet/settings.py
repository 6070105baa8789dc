"""What the user's own settings say of the server and of the fleet."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from memoryclaw import config
from memoryclaw.config import OWN, Setting

URL = "MEMORYCLAW_INDEX_URL"
SERVER = "index.server"  # what a node names: no setting, and before the environment
_SERVER = "It says which server is used, and how much of it."
_ALL = "It is of all vaults of a fleet."
SETTINGS = (
    Setting(
        "index.url",
        "",
        str,
        f"The PostgreSQL server, like `postgresql://user@host/database`; also read from `{URL}`. "
        "The password comes from `PGPASSWORD`, `~/.pgpass` or `passfile=`.",
        OWN,
        _SERVER,
    ),
    Setting(
        "index.vault",
        "",
        str,
        "The name of this vault on that server; empty: the name of this machine and the path of the vault.",
        OWN,
        "Under the name of another vault it would read and overwrite that one's index.",
    ),
    Setting(
        "index.connections",
        4,
        int,
        "Connections that one process opens to that server at most.",
        OWN,
        _SERVER,
        1,
        1000,
    ),
    Setting(
        "index.prepared",
        True,
        bool,
        "Prepare statements on that server; `false` behind PgBouncer in transaction mode.",
        OWN,
        _SERVER,
    ),
    Setting(
        "fleet.night",
        "01:00-05:00",
        str,
        "When `fleet work` consolidates each vault of a fleet, in UTC; each has its own minute of this time.",
        OWN,
        _ALL,
    ),
    Setting(
        "fleet.llmCalls",
        0,
        int,
        "Calls of language models at once, by all workers of the fleet together; 0: as many as jobs run.",
        OWN,
        _ALL,
    ),
    Setting(
        "fleet.jobsUrl",
        "",
        str,
        "The PostgreSQL server for `fleet work`, which needs a connection of its own; only where `index.url` is a pooler.",
        OWN,
        _SERVER,
    ),
)


class FleetSettings(NamedTuple):
    """The settings of the server and of the fleet."""

    url: str
    vault: str
    connections: int
    prepared: bool
    night: str
    llm_calls: int
    jobs_url: str

    @classmethod
    def of(cls, extra: Mapping[str, Any]) -> FleetSettings:
        """Those that a vault's settings hold (`Config.extra`)."""
        values = {setting.key: setting.default for setting in SETTINGS} | dict(extra)
        values["index.url"] = values.pop(SERVER, "") or os.environ.get(URL) or values["index.url"]
        return cls(*(values[setting.key] for setting in SETTINGS))

    @classmethod
    def own(cls) -> FleetSettings:
        """The user's own."""
        return cls.of(config.load(config.own_folder(os.environ)).extra)
