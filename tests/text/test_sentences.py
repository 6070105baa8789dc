"""Where a sentence ends."""

from __future__ import annotations

import pytest

from memoryclaw.text.language import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. We left!", ["It rained.", "We left!"]),
        ("Dr. Rao came. Tel. 0561 is new.", ["Dr. Rao came.", "Tel. 0561 is new."]),
        ("Am 31. Juli ziehen wir um. Danach nicht.", ["Am 31. Juli ziehen wir um.", "Danach nicht."]),
        ("木钉是红色的。它们在盒子里！", ["木钉是红色的。", "它们在盒子里！"]),
        ("one line\nanother", ["one line", "another"]),
        ("(5. Then we went", ["(5.", "Then we went"]),
        ("am 15. und 16. im keller 47. wenn du kommst", ["am 15. und 16. im keller 47.", "wenn du kommst"]),
        ("It is Hauptstr. 5, 53111 Bonn. Ring twice.", ["It is Hauptstr. 5, 53111 Bonn.", "Ring twice."]),
        ("Ring 14, 3. OG, links. Ja", ["Ring 14, 3. OG, links.", "Ja"]),
        (
            "She is ill (since 6. May or so), so wait. Bye",
            ["She is ill (since 6. May or so), so wait.", "Bye"],
        ),
        ("am 27.11. Termin", ["am 27.11. Termin"]),
        ("am 3. ich komme", ["am 3.", "ich komme"]),
        ("", []),
    ],
)
def test_sentences_end_at_marks_and_lines_and_at_no_abbreviation(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected
