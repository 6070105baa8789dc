"""`vectors on` and `off`: for one vault, in the person's own settings, with what it gained."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Claw, Own, put
from servers.embedder import EmbedServer

pytest.importorskip("numpy")

NOTES = {
    "Hund.md": "The canine sleeps in the shed.\n",
    **{f"other/{n}.md": f"Number {n} stands in a long list.\n" for n in range(3)},
    "eval/questions.yaml": "where is our retriever at night: Hund\n",
}


def test_vectors_are_turned_on_for_one_vault_and_off_again(tmp_path: Path, own: Own) -> None:
    root = put(tmp_path / "v", NOTES)
    claw = Claw(root)
    claw("init", "--yes")
    with EmbedServer() as server:
        mine = own(f"llm:\n  url: {server.url}\n  timeout: 60\n")
        assert claw("vectors").out.startswith("Vectors are off")
        refused = claw("vectors", "on", "unpulled", "--yes")
        assert refused.code == 1
        assert claw("vectors", "on", "hashed").code == 2  # nobody there to ask
        assert claw("vectors").out.startswith("Vectors are off")
        done = claw("vectors", "on", "hashed", "--yes", "--json").json
        assert (done["model"], done["missing"]) == ("hashed", 0)
        assert done["made"] == done["units"] > 0
        assert done["gained"]["recall@5"] == [0.0, 1.0]
        assert "fallback: vector" not in mine.read_text(encoding="utf-8")  # of all vaults
        assert claw("vectors").out.startswith("hashed, none missing")
        assert "Hund" in claw("search", "where is our retriever at night").out
        claw("vectors", "off")
        assert claw("vectors").out.startswith("Vectors are off")
        assert "Hund" not in claw("search", "where is our retriever at night").out
