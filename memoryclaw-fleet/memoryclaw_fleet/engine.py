"""PostgreSQL as an engine of a vault's index: the entry point `postgres` of the group `memoryclaw.engines`."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from memoryclaw.errors import ConfigError
from memoryclaw.ports import IndexDatabase
from memoryclaw_fleet.postgres import server_of
from memoryclaw_fleet.postgres_index import PostgresDatabase, PostgresText, PostgresVectors
from memoryclaw_fleet.settings import FleetSettings
from memoryclaw_fleet.shared_vectors import SharedVectors


class PostgresEngine:
    """Keeps the indexes of vaults on the PostgreSQL server that the settings name."""

    def open(
        self,
        settings: Mapping[str, Any],
        root: str,
        audience: str,
        recipe: str,
        *,
        keeps: bool,
        may: Callable[[Any], None] | None,
    ) -> tuple[PostgresDatabase, PostgresText]:
        """The tables and the text engine of one vault, see `memoryclaw.ports.ServerEngine`.

        Raises:
            ConfigError: nobody says where the server is.
        """
        own = FleetSettings.of(settings)
        if not own.url:
            raise ConfigError(
                "index.engine is postgres, and nobody says where the server is; set index.url in your own settings or MEMORYCLAW_INDEX_URL"
            )
        server = server_of(own.url, prepared=own.prepared, most=own.connections)
        name = own.vault or f"{platform.node()}:{root}"
        database = PostgresDatabase(server, name, audience, recipe, keeps=keeps, may=may)
        return database, PostgresText(database)

    def vectors(self, database: IndexDatabase, *, follows: bool) -> Callable[..., SharedVectors]:
        """What makes the vectors beside such tables."""
        return partial(SharedVectors, PostgresVectors(cast("PostgresDatabase", database)), follows)


ENGINE = PostgresEngine()
