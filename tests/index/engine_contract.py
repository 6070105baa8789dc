"""What a text index must do. Both engines subclass `EngineContract`; a test here speaks of neither."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryclaw.errors import InputError
from memoryclaw.index.database import Database
from memoryclaw.model import COLUMNS
from memoryclaw.ports import IndexClause, IndexRow, TextIndex

Opener = Callable[[Path], "OpenEngine"]


class OpenEngine:
    """An engine beside the catalogue whose transactions it follows."""

    def __init__(self, database: Database, engine: TextIndex) -> None:
        self.database = database
        self.engine = engine

    @contextlib.contextmanager
    def writing(self) -> Iterator[TextIndex]:
        with self.database.writing():
            try:
                yield self.engine
            except BaseException:
                self.engine.settle(keep=False)
                raise
            self.engine.settle(keep=True)

    def put(self, *rows: IndexRow) -> None:
        with self.writing() as engine:
            engine.add(rows)

    def take(self, *rows: IndexRow) -> None:
        with self.writing() as engine:
            engine.remove(rows)

    def rowids(self, clause: IndexClause, limit: int = 1000, within: list[int] | None = None) -> list[int]:
        return [hit.rowid for hit in self.engine.find(clause, limit, within)]


def row(rowid: int, body: str = "", **columns: str) -> IndexRow:
    return IndexRow(rowid, tuple({"body": body, **columns}.get(name, "") for name in COLUMNS))


def token(text: str, *columns: str) -> IndexClause:
    return IndexClause("token", text, columns)


def phrase(text: str, *columns: str) -> IndexClause:
    return IndexClause("phrase", text, columns)


def any_of(*parts: IndexClause) -> IndexClause:
    return IndexClause("any", parts=parts)


def all_of(*parts: IndexClause) -> IndexClause:
    return IndexClause("all", parts=parts)


def without(part: IndexClause) -> IndexClause:
    return IndexClause("not", parts=(part,))


class EngineContract:
    """The promises of ports.TextIndex."""

    @pytest.fixture
    def opener(self) -> Opener:
        raise NotImplementedError

    @pytest.fixture
    def opened(self, opener: Opener, tmp_path: Path) -> OpenEngine:
        return opener(tmp_path / "index")

    def test_an_empty_index_answers_everything_with_nothing(self, opened: OpenEngine) -> None:
        assert opened.engine.find(token("a"), 10) == []
        assert opened.engine.find(all_of(phrase("a b"), without(token("c"))), 10, [1, 2]) == []
        assert opened.engine.count(token("a")) == 0
        assert opened.engine.size() == (0, 0)

    def test_a_unit_is_found_by_each_of_its_tokens_and_by_no_other(self, opened: OpenEngine) -> None:
        opened.put(row(7, "a b", title="c"))
        assert [opened.rowids(token(t)) for t in "abcd"] == [[7], [7], [7], []]

    def test_size_counts_units_and_the_tokens_of_all_columns(self, opened: OpenEngine) -> None:
        opened.put(row(1, "a b", title="c", tags="d", properties="e f"), row(2, "a  a "), row(3))
        assert opened.engine.size() == (3, 8)
        opened.take(row(2, "a  a "))
        assert opened.engine.size() == (2, 6)

    def test_removed_units_are_gone_from_answers_counts_and_statistics(
        self, opened: OpenEngine, opener: Opener, tmp_path: Path
    ) -> None:
        opened.put(row(1, "a b"), row(2, "a"), row(3, "a c c"))
        opened.take(row(2, "a"), row(3, "a c c"))
        fresh = opener(tmp_path / "other")
        fresh.put(row(1, "a b"))
        assert opened.engine.find(token("a"), 10) == fresh.engine.find(token("a"), 10)
        assert opened.rowids(token("c")) == []
        assert opened.engine.count(token("a")) == 1

    def test_a_unit_may_come_back_under_a_new_rowid(self, opened: OpenEngine) -> None:
        opened.put(row(1, "a b"))
        for rowid in range(2, 12):
            with opened.writing() as engine:
                engine.remove([row(rowid - 1, "a b")])
                engine.add([row(rowid, "a b")])
        assert opened.rowids(token("a")) == [11]
        assert opened.engine.size() == (1, 2)

    def test_what_is_added_and_removed_in_one_transaction_leaves_nothing(self, opened: OpenEngine) -> None:
        with opened.writing() as engine:
            engine.add([row(1, "a"), row(2, "a")])
            engine.remove([row(1, "a")])
        assert opened.rowids(token("a")) == [2]
        assert opened.engine.size() == (1, 1)

    def test_removing_the_last_unit_leaves_a_usable_index(self, opened: OpenEngine) -> None:
        opened.put(row(1, "a"))
        opened.take(row(1, "a"))
        assert opened.rowids(token("a")) == []
        assert opened.engine.size() == (0, 0)
        opened.put(row(2, "a"))
        assert opened.rowids(token("a")) == [2]

    def test_a_transaction_that_fails_leaves_everything_as_it_was(self, opened: OpenEngine) -> None:
        opened.put(row(1, "a"))
        with contextlib.suppress(ZeroDivisionError), opened.writing() as engine:
            engine.add([row(2, "a")])
            engine.remove([row(1, "a")])
            raise ZeroDivisionError
        assert opened.rowids(token("a")) == [1]
        assert opened.engine.size() == (1, 1)
        opened.put(row(3, "a"))
        assert opened.rowids(token("a")) == [1, 3]

    def test_clear_forgets_everything_and_the_rowids_may_start_again(self, opened: OpenEngine) -> None:
        opened.put(row(1, "a"), row(2, "b"))
        with opened.writing() as engine:
            engine.clear()
        assert opened.engine.size() == (0, 0)
        assert opened.rowids(token("a")) == []
        opened.put(row(1, "b"))
        assert opened.rowids(token("b")) == [1]

    def test_clear_and_load_in_one_transaction(self, opened: OpenEngine) -> None:
        opened.put(row(1, "a"), row(2, "b"))
        with opened.writing() as engine:
            engine.add([row(3, "b")])
            engine.clear()
            engine.add([row(1, "b")])
        assert opened.rowids(any_of(token("a"), token("b"))) == [1]
        assert opened.engine.size() == (1, 1)

    def test_a_clear_that_fails_forgets_nothing(self, opened: OpenEngine) -> None:
        opened.put(row(1, "a"))
        with contextlib.suppress(ZeroDivisionError), opened.writing() as engine:
            engine.clear()
            raise ZeroDivisionError
        assert opened.rowids(token("a")) == [1]

    def test_another_process_sees_what_was_kept(
        self, opened: OpenEngine, opener: Opener, tmp_path: Path
    ) -> None:
        other = opener(tmp_path / "index")
        opened.put(row(1, "a"))
        assert other.rowids(token("a")) == [1]
        opened.put(row(2, "a"))
        assert other.rowids(token("a")) == [1, 2]
        other.take(row(1, "a"))
        assert opened.rowids(token("a")) == [2]
        assert opened.engine.size() == other.engine.size() == (1, 1)

    def test_nothing_is_seen_elsewhere_before_it_is_kept(
        self, opened: OpenEngine, opener: Opener, tmp_path: Path
    ) -> None:
        opened.put(row(1, "a"))
        other = opener(tmp_path / "index")
        with opened.writing() as engine:
            engine.add([row(2, "a")])
            assert other.rowids(token("a")) == [1]
        assert other.rowids(token("a")) == [1, 2]

    def test_columns_restrict_a_token_and_a_phrase(self, opened: OpenEngine) -> None:
        opened.put(row(1, "a b", title="c"), row(2, "c", title="a b"), row(3, "a", tags="b"))
        assert opened.rowids(token("a", "title")) == [2]
        assert opened.rowids(token("b", "tags", "title")) == [3, 2]
        assert opened.rowids(phrase("a b", "body")) == [1]
        assert opened.engine.count(token("a", "properties")) == 0

    def test_a_phrase_is_adjacent_in_order_and_within_one_column(self, opened: OpenEngine) -> None:
        opened.put(
            row(1, "x a b x"), row(2, "b a"), row(3, "a x b"), row(4, "b", title="a"), row(5, title="a b")
        )
        assert sorted(opened.rowids(phrase("a b"))) == [1, 5]
        assert opened.rowids(phrase("a b x")) == [1]
        assert opened.rowids(phrase("a y")) == []

    def test_a_phrase_may_repeat_and_overlap_itself(self, opened: OpenEngine) -> None:
        opened.put(row(1, "a a a"), row(2, "a a b"), row(3, "a b a"))
        assert opened.rowids(phrase("a a")) == [1, 2]
        assert opened.rowids(phrase("a a a")) == [1]

    def test_any_all_and_not(self, opened: OpenEngine) -> None:
        opened.put(row(1, "a b"), row(2, "a c"), row(3, "b c"), row(4, "a b c"))
        a, b, c = token("a"), token("b"), token("c")
        assert sorted(opened.rowids(any_of(a, b))) == [1, 2, 3, 4]
        assert sorted(opened.rowids(all_of(a, b))) == [1, 4]
        assert opened.rowids(all_of(a, b, without(c))) == [1]
        assert opened.rowids(all_of(a, without(b), without(c))) == []
        assert sorted(opened.rowids(all_of(c, any_of(a, b), without(all_of(a, b))))) == [2, 3]
        assert sorted(opened.rowids(any_of(all_of(a, without(b)), all_of(b, without(a))))) == [2, 3]

    @pytest.mark.parametrize(
        ("clause", "expected"),
        [
            (any_of(), []),
            (all_of(), []),
            (token(""), []),
            (phrase("  "), []),
            (without(token("a")), []),
            (all_of(without(token("a"))), []),
            (all_of(token("a"), token("")), []),
            (any_of(token("a"), token("")), [1, 2]),
            (any_of(token("b"), without(token("a"))), [1]),
            (all_of(token("a"), without(token(""))), [1, 2]),
            (all_of(token("a"), without(without(token("b")))), [1]),
            (without(without(token("b"))), [1]),
        ],
    )
    def test_what_is_empty_or_stands_alone_has_one_meaning(
        self, opened: OpenEngine, clause: IndexClause, expected: list[int]
    ) -> None:
        opened.put(row(1, "a b"), row(2, "a"))
        assert sorted(opened.rowids(clause)) == expected
        assert opened.engine.count(clause) == len(expected)

    def test_within_restricts_the_answer_but_not_the_scores(self, opened: OpenEngine) -> None:
        opened.put(*(row(n, "a " * n) for n in range(1, 9)), row(9, "b"), row(10, "b"))
        free = {hit.rowid: hit.score for hit in opened.engine.find(token("a"), 100)}
        hits = opened.engine.find(token("a"), 100, [2, 5, 9, 77])
        assert {hit.rowid for hit in hits} == {2, 5}
        assert {hit.rowid: hit.score for hit in hits} == {2: free[2], 5: free[5]}
        assert opened.rowids(token("a"), within=[]) == []

    def test_all_that_tie_at_the_cut_off_come_along_in_the_order_of_rowids(self, opened: OpenEngine) -> None:
        opened.put(*(row(n, "a") for n in range(50, 0, -1)), row(51, "a a"), row(52, "c c c c"))
        assert opened.rowids(token("a"), limit=1) == [51]
        assert opened.rowids(token("a"), limit=2) == [51, *range(1, 51)]
        assert opened.rowids(token("a"), limit=7, within=[9, 3, 5]) == [3, 5, 9]
        assert opened.rowids(token("a"), limit=0) == []

    def test_weights_of_columns_decide_between_equals(self, opened: OpenEngine) -> None:
        opened.put(
            row(1, "a"),
            row(2, title="a"),
            row(3, tags="a"),
            row(4, properties="a"),
            *(row(n, "b") for n in range(5, 20)),
        )
        assert opened.rowids(token("a")) == [3, 2, 4, 1]

    def test_what_is_left_out_takes_nothing_from_the_scores_of_the_others(self, opened: OpenEngine) -> None:
        opened.put(row(1, "c a"), row(2, "b a"), row(3, "d a"))
        parts = (any_of(token("c", "title"), phrase("a c"), token("b")), token("a"))
        scores = opened.engine.find(all_of(*parts), 10)
        assert [hit.rowid for hit in scores] == [2]
        assert opened.engine.find(all_of(*parts, without(token("z")), without(token("d"))), 10) == scores

    def test_a_part_counts_only_where_its_group_holds(self, opened: OpenEngine) -> None:
        """In (a AND b) OR c, a unit with a and c scores c alone."""
        opened.put(row(1, "a c"), row(2, "c x"), row(3, "a b"), *(row(n, "y z") for n in range(4, 20)))
        scores = {
            hit.rowid: hit.score
            for hit in opened.engine.find(any_of(all_of(token("a"), token("b")), token("c")), 10)
        }
        assert scores[1] == scores[2] < scores[3]

    @pytest.mark.parametrize(
        "text",
        [
            "会議", "議の", "2025", "007", "o'neil", 'say"hi', "a-b", "c++", "हिन्दी", "1⁄2", "émile", "и", "🙂",
            "%_*",
        ],
    )  # fmt: skip
    def test_a_token_is_one_token_whatever_its_characters(self, opened: OpenEngine, text: str) -> None:
        opened.put(row(1, f"x {text} y"), row(2, "x y"))
        assert opened.rowids(token(text)) == [1]
        assert opened.rowids(phrase(f"x {text} y")) == [1]
        assert opened.engine.size() == (2, 5)
        assert opened.rowids(all_of(token("x"), without(token(text)))) == [2]
        opened.take(row(1, f"x {text} y"))
        assert opened.rowids(token(text)) == []

    @pytest.mark.parametrize(
        "text", ["AND", "NOT", "NEAR", "(", '"', "title:a", "*", "^a", "a*", "{title}", "-"]
    )
    def test_no_token_is_syntax(self, opened: OpenEngine, text: str) -> None:
        opened.put(row(1, "a", title="b"))
        assert opened.rowids(token(text)) == []
        assert opened.rowids(any_of(token("a"), token(text))) == [1]

    def test_pairs_of_an_unspaced_script_are_found_as_a_phrase(self, opened: OpenEngine) -> None:
        opened.put(row(1, "東京 京都 都会"), row(2, "京都 東京"))
        assert opened.rowids(phrase("東京 京都")) == [1]

    def test_a_very_long_token_is_found(self, opened: OpenEngine) -> None:
        opened.put(row(1, "ab" * 40_000), row(2, "a"))
        assert opened.rowids(token("ab" * 40_000)) == [1]
        opened.take(row(1, "ab" * 40_000))
        assert opened.rowids(token("ab" * 40_000)) == []

    def test_ten_thousand_parts_are_answered(self, opened: OpenEngine) -> None:
        opened.put(*(row(n, f"w{n} a") for n in range(1, 40)))
        assert len(opened.rowids(any_of(*(token(f"w{n}") for n in range(10_000))))) == 39

    def test_nesting_works_as_deep_as_a_question_of_32_words_goes_and_is_refused_in_a_sentence_beyond(
        self, opened: OpenEngine
    ) -> None:
        opened.put(row(1, "a"))
        deep = token("a")
        for level in range(31):
            deep = all_of(token("a"), deep if level % 2 else without(deep))
        opened.engine.find(deep, 10)
        for _ in range(200):
            deep = all_of(token("a"), without(deep))
        with pytest.raises(InputError, match="nested"):
            opened.engine.find(deep, 10)

    def test_a_thousand_units_in_many_transactions(self, opened: OpenEngine) -> None:
        rows = [
            row(n, f"common w{n} {'even' if n % 2 == 0 else 'odd'}", title=f"t{n % 10}")
            for n in range(1, 1001)
        ]
        opened.put(*rows[:970])
        for new in rows[970:]:
            opened.put(new)
        assert opened.engine.size() == (1000, 4000)
        assert opened.engine.count(token("even")) == 500
        assert opened.rowids(token("w999")) == [999]
        opened.take(*rows[:700])
        assert opened.engine.size() == (300, 1200)
        assert opened.rowids(all_of(token("common"), token("t3"), token("odd"))) == list(range(703, 1001, 10))
