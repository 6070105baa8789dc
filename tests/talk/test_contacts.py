"""An address on the web is somebody's page only where it is called so."""

from __future__ import annotations

import pytest

from memoryclaw.model import Turn
from memoryclaw.talk.statements import read


def _assertions(text: str) -> list[tuple[str, str]]:
    turn = Turn(
        id="", session="", turn="1", ts="2026-03-01T10:00:00Z", role="user", name="", text=text, line=1, end_line=1
    )  # fmt: skip
    statements = read([turn], {"maya": "Maya"}, "en").statements
    return [
        (assertion.field, assertion.value) for statement in statements for assertion in statement.assertions
    ]


@pytest.mark.parametrize(
    "text",
    [
        "my website is https://ola.example/boats",
        "Maya's homepage is https://ola.example/boats",
    ],
)
def test_a_page_that_is_called_somebodys_is(text: str) -> None:
    assert ("website", "https://ola.example/boats") in _assertions(text)


@pytest.mark.parametrize(
    "text",
    [
        "when my CatalogClient tries to access http://localhost:5069/Catalog/71 it fails",
        "my build broke after https://git.example/pull/71 was merged",
        "Maya merged https://git.example/pull/71 yesterday",
    ],
)
def test_an_address_in_a_report_is_nobodys(text: str) -> None:
    assert "website" not in dict(_assertions(text))
