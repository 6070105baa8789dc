from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.review.word_diff import COME, GONE, SAME, DiffLine, DiffPart, mark_up, word_diff
from memoryclaw.text.encoding import lines_of, readable

texts = st.lists(
    st.sampled_from(["a b c", "a x c", "", "one two three", "one 2 three", "ü [-x-]", "  - k: v"])
).map("\n".join)


def lines(text):
    return [line.rstrip("\n") for line in lines_of(readable(text))]


@given(texts, texts)
def test_the_pieces_put_together_are_the_two_texts(before, after):
    diff = [line for hunk in word_diff(before, after, around=100) for line in hunk]
    if lines(before) == lines(after):
        assert diff == []
        return
    for kind, text in ((COME, before), (GONE, after)):
        kept = [[piece for piece in line.pieces if piece.kind != kind] for line in diff]
        assert ["".join(piece.text for piece in line) for line in kept if line] == lines(text)


def test_words_that_changed_are_told_within_their_line():
    [[line]] = word_diff("- deadline: 2026-12-11 [x]\n", "- deadline: 2026-12-18 [x]\n")
    assert mark_up(line.pieces) == "- deadline: [-2026-12-11-]{+2026-12-18+} [x]"
    assert line.number == 1


def test_lines_with_nothing_in_common_are_told_one_below_the_other():
    [hunk] = word_diff("kept\ncompletely other words\n", "kept\nsomething else here now, really\n")
    assert [line.pieces[0].kind for line in hunk] == [SAME, GONE, COME]
    assert [line.number for line in hunk] == [1, 0, 2]


def test_far_changes_are_hunks_of_their_own_and_a_new_file_is_all_new():
    before = "\n".join(map(str, range(50)))
    assert len(word_diff(before, before.replace("3\n", "x\n", 1).replace("49", "y"))) > 1
    assert word_diff("", "a\nb\n") == [
        (DiffLine(1, (DiffPart(COME, "a"),)), DiffLine(2, (DiffPart(COME, "b"),)))
    ]


def test_line_ends_alone_are_no_difference():
    assert word_diff("a\nb\n", "a\r\nb") == []


def test_a_line_of_a_hundred_thousand_words_is_told_whole():
    first, other = ("w " * 100_000 + end for end in ("x", "y"))
    [hunk] = word_diff(first, other)
    assert [piece.kind for line in hunk for piece in line.pieces] == [GONE, COME]


def test_a_change_of_a_large_file_is_its_lines_and_those_beside_them() -> None:
    lines = [f"- field{number}: {number % 7}\n" for number in range(3000)]
    patched = [*lines[:1500], "- new: 1\n", *lines[1500:2990], "- field2990: changed\n", *lines[2991:]]
    hunks = word_diff("".join(lines), "".join(patched))
    assert [[(line.number, mark_up(line.pieces)) for line in hunk] for hunk in hunks] == [
        [(1500, "- field1499: 1"), (1501, "{+- new: 1+}"), (1502, "- field1500: 2")],
        [(2991, "- field2989: 0"), (2992, "- field2990: [-1-]{+changed+}"), (2993, "- field2991: 2")],
    ]
    assert word_diff("".join(lines), "".join(lines)) == []
