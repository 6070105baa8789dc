"""What the tests of many vaults share: a real PostgreSQL server."""

from __future__ import annotations

from pathlib import Path

import pytest
from postgres import database_url, postgres_server

__all__ = ["database_url", "postgres_server"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of this folder want the server, so `make test-fleet` runs them and `make test` does not."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.fleet)
