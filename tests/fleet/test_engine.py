"""The index on PostgreSQL: the contract of every text engine, and the same answers as SQLite gives."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from engine_contract import EngineContract, OpenEngine, Opener

from memoryclaw.index.postgres import Postgres
from memoryclaw.index.postgres_index import PostgresDatabase, PostgresText

pytestmark = pytest.mark.fleet


def open_postgres(url: str, name: str) -> OpenEngine:
    database = PostgresDatabase(Postgres(url), name, "", "test")
    return OpenEngine(database, PostgresText(database))


class TestPostgres(EngineContract):
    @pytest.fixture
    def opener(self, migrated_url: str) -> Opener:
        return lambda path: open_postgres(migrated_url, os.fspath(path))

    @pytest.fixture
    def opened(self, opener: Opener, tmp_path: Path) -> OpenEngine:
        return opener(tmp_path / "index")
