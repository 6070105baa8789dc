"""Libraries that are imported at their first use: nothing else of the program may load them for a search."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memoryclaw import init_vault, late

_SEARCH = """
import sys
from memoryclaw import late, open_vault
with open_vault(sys.argv[1]) as app:
    app.search("boathouse")
print([name for name in late.__all__ if late._INSIDE.get(name, name) in sys.modules])
"""


def test_a_search_of_what_is_indexed_loads_none_of_them(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    init_vault(root)
    (root / "notes.md").write_text("# Boathouse\n")
    for _ in range(2):  # the first indexes
        found = subprocess.run(
            [sys.executable, "-c", _SEARCH, root], capture_output=True, text=True, check=True
        ).stdout
    assert found == "[]\n"


@pytest.mark.parametrize("name", late.__all__)
def test_each_is_there_when_it_is_asked_for(name: str) -> None:
    assert getattr(late, name).__name__ == late._INSIDE.get(name, name)


def test_there_is_no_other() -> None:
    with pytest.raises(AttributeError, match="no attribute 'os'"):
        late.os  # noqa: B018
