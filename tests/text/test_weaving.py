"""Two texts that came of one, woven: what either added stays, what either took away goes, and length makes no difference."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.merging import both, merge_outlines, weave

WORDS = st.lists(st.sampled_from([f"w{n}" for n in range(30)]), unique=True, max_size=12)


def woven(base: list[str], ours: list[str], theirs: list[str]) -> list[str]:
    texts = ["".join(f"{line}\n" for line in lines) for lines in (base, ours, theirs)]
    return weave(*texts, both, lambda _, mine, other: both(mine, other)).text.splitlines()


@given(
    base=WORDS,
    gone=st.sets(st.integers(0, 11)),
    also=st.sets(st.integers(0, 11)),
    at=st.integers(0, 12),
    to=st.integers(0, 12),
)
def test_what_was_added_stays_and_what_was_taken_away_goes(
    base: list[str], gone: set[int], also: set[int], at: int, to: int
) -> None:
    ours = [line for n, line in enumerate(base) if n not in gone]
    theirs = [line for n, line in enumerate(base) if n not in also]
    ours.insert(at, "mine")
    theirs.insert(to, "theirs")
    kept = {line for n, line in enumerate(base) if n not in gone | also}
    merged = woven(base, ours, theirs)
    assert set(merged) == kept | {"mine", "theirs"}
    assert len(merged) == len(set(merged))
    assert woven(base, theirs, theirs) == theirs
    assert woven(base, base, theirs) == theirs == woven(base, theirs, base)


def test_a_long_text_is_merged_line_by_line_too() -> None:
    base = [f"- line {n}" for n in range(20_000)]
    ours, theirs = [*base], [*base]
    ours[4], ours[15_000] = "a", "A"
    theirs[100], theirs[19_998] = "b", "B"
    merged = [*ours]
    merged[100], merged[19_998] = "b", "B"
    assert woven(base, ours, theirs) == merged


def test_line_ends_that_one_side_changed_are_no_conflict() -> None:
    done = weave("a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nB\nc\n", both, lambda _, mine, other: [*mine, *other])
    assert done == ("a\r\nB\nc\r\n", 0)


def test_what_both_began_anew_is_one_outline() -> None:
    ours = ["# Anna\n", "- city: Bern\n", "\n", "## History\n", "- city: Rome\n"]
    theirs = [
        "# Anna\n",
        "- phone: 1\n",
        "\n",
        "## History\n",
        "- phone: 2\n",
        "\n",
        "# Bo\n",
        "- city: Oslo\n",
    ]
    assert "".join(merge_outlines(ours, theirs)) == (
        "# Anna\n- city: Bern\n- phone: 1\n\n## History\n- city: Rome\n- phone: 2\n\n# Bo\n- city: Oslo\n"
    )


def test_a_line_that_one_side_added_twice_stands_twice() -> None:
    assert merge_outlines(["# A\n", "- x\n"], ["# A\n", "- x\n", "- x\n"]) == ["# A\n", "- x\n", "- x\n"]
