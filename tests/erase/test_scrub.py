"""What a purge makes of a file is a function of its place, its bytes and the erasure, the same for all that the file once was."""

from __future__ import annotations

import json

import pytest

from memoryclaw.erase.erasure import Erasure, scrub
from memoryclaw.text.needles import Needles
from memoryclaw.writing.provenance import QuotedLine, SourcedFact

FACT = SourcedFact("semantic/people.md", "semantic/people#Liv.city", "Liv", "city", "Bergen", "", True, ())
EPISODE = "episodes/2026-04-19_16-02-00_liv-moves.md"
POINTS = "# Talk\n\n- Nora: Liv lives in Bergen ^l2\r\n- Nora: 👍 ^l3\n- Pip: noted (was: Bergen) ^l4\n- Pip: fine\n"


@pytest.fixture
def erasure() -> Erasure:
    erasure = Erasure(frozenset({"people"}), needles=Needles(["Liv lives in Bergen"]))
    erasure.facts[FACT.path, FACT.id] = FACT
    erasure.notes["notes/liv.md"] = "notes/liv"
    erasure.ids.add("notes/liv")
    erasure.replaced["notes/liv"] = "forgotten"
    erasure.logs["logs/d/s.jsonl"] = {b'{"content": "x"}': b" " * 16}
    return erasure


def test_each_place_has_its_own_change(erasure: Erasure) -> None:
    events = [{"event": "shown", "ids": ["notes/liv", "notes/tea"]}, {"event": "cited", "id": "notes/liv"}]
    erasure.replaced = {}
    ledger = "".join(json.dumps(event) + "\n" for event in events).encode()
    rows = [
        ("notes/liv.md", b"anything", None),
        ("logs/d/s.jsonl", b'{"content": "x"}\n{"content": "y"}\n', b" " * 16 + b'\n{"content": "y"}\n'),
        ("semantic/people.md", b"# people\n- Liv:\n  - city: Bergen\n  - team: red\n", b"# people\n- Liv:\n  - team: red\n"),
        ("working/s1.json", b'{"goal": "why Liv lives in Bergen"}', b'{\n  "goal": "why forgotten"\n}\n'),
        ("views/liv.md", b"Liv lives  in BERGEN, they say", b"forgotten, they say"),
        ("review/p.md", b"Liv lives in Bergen", None),
        ("ledger/d/2026-04.jsonl", ledger, b'{"event": "shown", "ids": ["notes/tea"]}\n'),
        ("notes/tea.md", b"Liv lives in Bergen", b"Liv lives in Bergen"),  # a person's own note stays
    ]  # fmt: skip
    assert [(path, scrub(path, data, erasure)) for path, data, _ in rows] == [
        (path, after) for path, _, after in rows
    ]


def test_what_is_called_otherwise_is_cited_so_everywhere_but_in_logs(erasure: Erasure) -> None:
    assert scrub("notes/tea.md", b"see [[notes/liv]]", erasure) == b"see [[forgotten]]"
    assert scrub("logs/d/t.jsonl", b"see notes/liv", erasure) == b"see notes/liv"


def test_a_quote_without_words_takes_no_other_line_along(erasure: Erasure) -> None:
    erasure.quotes[EPISODE][4] = QuotedLine(4, "l3", 3, "👍")
    after = (scrub(EPISODE, POINTS.encode(), erasure) or b"").decode()
    assert after == POINTS.replace("- Nora: 👍 ^l3\n", "").replace(" (was: Bergen)", "")


def test_a_former_version_loses_the_same_lines(erasure: Erasure) -> None:
    erasure.quotes[EPISODE][3] = QuotedLine(3, "l2", 2, "Liv lives in Bergen")
    former = POINTS.replace("^l2", "^l7").replace("# Talk\n", "# Talk\n\nlonger once\n")
    after = (scrub(EPISODE, former.encode(), erasure) or b"").decode()
    assert "lives" not in after
    assert "longer once" in after
    assert "👍" in after
