"""What a text index must do. Both engines subclass `EngineContract`; a test here speaks of neither."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryclaw.errors import InputError
from memoryclaw.index.database import Database
from memoryclaw.model import COLUMNS
from memoryclaw.ports import Clause, IndexRow, TextIndex

Opener = Callable[[Path], "House"]


class House:
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

    def found(self, clause: Clause, limit: int = 1000, within: list[int] | None = None) -> list[int]:
        return [hit.rowid for hit in self.engine.find(clause, limit, within)]


def row(rowid: int, body: str = "", **columns: str) -> IndexRow:
    return IndexRow(rowid, tuple({"body": body, **columns}.get(name, "") for name in COLUMNS))


def token(text: str, *columns: str) -> Clause:
    return Clause("token", text, columns)


def phrase(text: str, *columns: str) -> Clause:
    return Clause("phrase", text, columns)


def any_of(*parts: Clause) -> Clause:
    return Clause("any", parts=parts)


def all_of(*parts: Clause) -> Clause:
    return Clause("all", parts=parts)


def without(part: Clause) -> Clause:
    return Clause("not", parts=(part,))


class EngineContract:
    """The promises of ports.TextIndex."""

    @pytest.fixture
    def opener(self) -> Opener:
        raise NotImplementedError

    @pytest.fixture
    def house(self, opener: Opener, tmp_path: Path) -> House:
        return opener(tmp_path / "index")

    def test_an_empty_index_answers_everything_with_nothing(self, house: House) -> None:
        assert house.engine.find(token("a"), 10) == []
        assert house.engine.find(all_of(phrase("a b"), without(token("c"))), 10, [1, 2]) == []
        assert house.engine.count(token("a")) == 0
        assert house.engine.size() == (0, 0)

    def test_a_unit_is_found_by_each_of_its_tokens_and_by_no_other(self, house: House) -> None:
        house.put(row(7, "a b", title="c"))
        assert [house.found(token(t)) for t in "abcd"] == [[7], [7], [7], []]

    def test_size_counts_units_and_the_tokens_of_all_columns(self, house: House) -> None:
        house.put(
            row(1, "a b", title="c", tags="d", properties="e", prev="f g", next="h"), row(2, "a  a "), row(3)
        )
        assert house.engine.size() == (3, 10)
        house.take(row(2, "a  a "))
        assert house.engine.size() == (2, 8)

    def test_removed_units_are_gone_from_answers_counts_and_statistics(
        self, house: House, opener: Opener, tmp_path: Path
    ) -> None:
        house.put(row(1, "a b"), row(2, "a"), row(3, "a c c"))
        house.take(row(2, "a"), row(3, "a c c"))
        fresh = opener(tmp_path / "other")
        fresh.put(row(1, "a b"))
        assert house.engine.find(token("a"), 10) == fresh.engine.find(token("a"), 10)
        assert house.found(token("c")) == []
        assert house.engine.count(token("a")) == 1

    def test_a_unit_may_come_back_under_a_new_rowid(self, house: House) -> None:
        house.put(row(1, "a b"))
        for rowid in range(2, 12):
            with house.writing() as engine:
                engine.remove([row(rowid - 1, "a b")])
                engine.add([row(rowid, "a b")])
        assert house.found(token("a")) == [11]
        assert house.engine.size() == (1, 2)

    def test_what_is_added_and_removed_in_one_transaction_leaves_nothing(self, house: House) -> None:
        with house.writing() as engine:
            engine.add([row(1, "a"), row(2, "a")])
            engine.remove([row(1, "a")])
        assert house.found(token("a")) == [2]
        assert house.engine.size() == (1, 1)

    def test_removing_the_last_unit_leaves_a_usable_index(self, house: House) -> None:
        house.put(row(1, "a"))
        house.take(row(1, "a"))
        assert house.found(token("a")) == []
        assert house.engine.size() == (0, 0)
        house.put(row(2, "a"))
        assert house.found(token("a")) == [2]

    def test_a_transaction_that_fails_leaves_everything_as_it_was(self, house: House) -> None:
        house.put(row(1, "a"))
        with contextlib.suppress(ZeroDivisionError), house.writing() as engine:
            engine.add([row(2, "a")])
            engine.remove([row(1, "a")])
            raise ZeroDivisionError
        assert house.found(token("a")) == [1]
        assert house.engine.size() == (1, 1)
        house.put(row(3, "a"))
        assert house.found(token("a")) == [1, 3]

    def test_clear_forgets_everything_and_the_rowids_may_start_again(self, house: House) -> None:
        house.put(row(1, "a"), row(2, "b"))
        with house.writing() as engine:
            engine.clear()
        assert house.engine.size() == (0, 0)
        assert house.found(token("a")) == []
        house.put(row(1, "b"))
        assert house.found(token("b")) == [1]

    def test_clear_and_load_in_one_transaction(self, house: House) -> None:
        house.put(row(1, "a"), row(2, "b"))
        with house.writing() as engine:
            engine.add([row(3, "b")])
            engine.clear()
            engine.add([row(1, "b")])
        assert house.found(any_of(token("a"), token("b"))) == [1]
        assert house.engine.size() == (1, 1)

    def test_a_clear_that_fails_forgets_nothing(self, house: House) -> None:
        house.put(row(1, "a"))
        with contextlib.suppress(ZeroDivisionError), house.writing() as engine:
            engine.clear()
            raise ZeroDivisionError
        assert house.found(token("a")) == [1]

    def test_another_process_sees_what_was_kept(self, house: House, opener: Opener, tmp_path: Path) -> None:
        other = opener(tmp_path / "index")
        house.put(row(1, "a"))
        assert other.found(token("a")) == [1]
        house.put(row(2, "a"))
        assert other.found(token("a")) == [1, 2]
        other.take(row(1, "a"))
        assert house.found(token("a")) == [2]
        assert house.engine.size() == other.engine.size() == (1, 1)

    def test_nothing_is_seen_elsewhere_before_it_is_kept(
        self, house: House, opener: Opener, tmp_path: Path
    ) -> None:
        house.put(row(1, "a"))
        other = opener(tmp_path / "index")
        with house.writing() as engine:
            engine.add([row(2, "a")])
            assert other.found(token("a")) == [1]
        assert other.found(token("a")) == [1, 2]

    def test_columns_restrict_a_token_and_a_phrase(self, house: House) -> None:
        house.put(row(1, "a b", title="c"), row(2, "c", title="a b"), row(3, "a", tags="b"))
        assert house.found(token("a", "title")) == [2]
        assert house.found(token("b", "tags", "title")) == [3, 2]
        assert house.found(phrase("a b", "body")) == [1]
        assert house.engine.count(token("a", "prev")) == 0

    def test_a_phrase_is_adjacent_in_order_and_within_one_column(self, house: House) -> None:
        house.put(
            row(1, "x a b x"), row(2, "b a"), row(3, "a x b"), row(4, "b", title="a"), row(5, title="a b")
        )
        assert sorted(house.found(phrase("a b"))) == [1, 5]
        assert house.found(phrase("a b x")) == [1]
        assert house.found(phrase("a y")) == []

    def test_a_phrase_may_repeat_and_overlap_itself(self, house: House) -> None:
        house.put(row(1, "a a a"), row(2, "a a b"), row(3, "a b a"))
        assert house.found(phrase("a a")) == [1, 2]
        assert house.found(phrase("a a a")) == [1]

    def test_any_all_and_not(self, house: House) -> None:
        house.put(row(1, "a b"), row(2, "a c"), row(3, "b c"), row(4, "a b c"))
        a, b, c = token("a"), token("b"), token("c")
        assert sorted(house.found(any_of(a, b))) == [1, 2, 3, 4]
        assert sorted(house.found(all_of(a, b))) == [1, 4]
        assert house.found(all_of(a, b, without(c))) == [1]
        assert house.found(all_of(a, without(b), without(c))) == []
        assert sorted(house.found(all_of(c, any_of(a, b), without(all_of(a, b))))) == [2, 3]
        assert sorted(house.found(any_of(all_of(a, without(b)), all_of(b, without(a))))) == [2, 3]

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
        self, house: House, clause: Clause, expected: list[int]
    ) -> None:
        house.put(row(1, "a b"), row(2, "a"))
        assert sorted(house.found(clause)) == expected
        assert house.engine.count(clause) == len(expected)

    def test_within_restricts_the_answer_but_not_the_scores(self, house: House) -> None:
        house.put(*(row(n, "a " * n) for n in range(1, 9)), row(9, "b"), row(10, "b"))
        free = {hit.rowid: hit.score for hit in house.engine.find(token("a"), 100)}
        held = house.engine.find(token("a"), 100, [2, 5, 9, 77])
        assert {hit.rowid for hit in held} == {2, 5}
        assert {hit.rowid: hit.score for hit in held} == {2: free[2], 5: free[5]}
        assert house.found(token("a"), within=[]) == []

    def test_all_that_tie_at_the_cut_off_come_along_in_the_order_of_rowids(self, house: House) -> None:
        house.put(*(row(n, "a") for n in range(50, 0, -1)), row(51, "a a"), row(52, "c c c c"))
        assert house.found(token("a"), limit=1) == [51]
        assert house.found(token("a"), limit=2) == [51, *range(1, 51)]
        assert house.found(token("a"), limit=7, within=[9, 3, 5]) == [3, 5, 9]
        assert house.found(token("a"), limit=0) == []

    def test_weights_of_columns_decide_between_equals(self, house: House) -> None:
        house.put(
            row(1, "a"),
            row(2, title="a"),
            row(3, tags="a"),
            row(4, prev="a"),
            row(5, next="a"),
            *(row(n, "b") for n in range(6, 20)),
        )
        assert house.found(token("a")) == [3, 2, 1, 4, 5]

    def test_a_part_counts_only_where_its_group_holds(self, house: House) -> None:
        """In (a AND b) OR c, a unit with a and c scores c alone."""
        house.put(row(1, "a c"), row(2, "c x"), row(3, "a b"), *(row(n, "y z") for n in range(4, 20)))
        scores = {
            hit.rowid: hit.score
            for hit in house.engine.find(any_of(all_of(token("a"), token("b")), token("c")), 10)
        }
        assert scores[1] == scores[2] < scores[3]

    @pytest.mark.parametrize(
        "text",
        [
            "会議",
            "議の",
            "2025",
            "007",
            "o'neil",
            'say"hi',
            "a-b",
            "c++",
            "हिन्दी",
            "1⁄2",
            "émile",
            "и",
            "🙂",
            "%_*",
        ],
    )
    def test_a_token_is_one_token_whatever_its_characters(self, house: House, text: str) -> None:
        house.put(row(1, f"x {text} y"), row(2, "x y"))
        assert house.found(token(text)) == [1]
        assert house.found(phrase(f"x {text} y")) == [1]
        assert house.engine.size() == (2, 5)
        assert house.found(all_of(token("x"), without(token(text)))) == [2]
        house.take(row(1, f"x {text} y"))
        assert house.found(token(text)) == []

    @pytest.mark.parametrize(
        "text", ["AND", "NOT", "NEAR", "(", '"', "title:a", "*", "^a", "a*", "{title}", "-"]
    )
    def test_no_token_is_syntax(self, house: House, text: str) -> None:
        house.put(row(1, "a", title="b"))
        assert house.found(token(text)) == []
        assert house.found(any_of(token("a"), token(text))) == [1]

    def test_pairs_of_an_unspaced_script_are_found_as_a_phrase(self, house: House) -> None:
        house.put(row(1, "東京 京都 都会"), row(2, "京都 東京"))
        assert house.found(phrase("東京 京都")) == [1]

    def test_a_very_long_token_is_found(self, house: House) -> None:
        house.put(row(1, "ab" * 40_000), row(2, "a"))
        assert house.found(token("ab" * 40_000)) == [1]
        house.take(row(1, "ab" * 40_000))
        assert house.found(token("ab" * 40_000)) == []

    def test_ten_thousand_parts_are_answered(self, house: House) -> None:
        house.put(*(row(n, f"w{n} a") for n in range(1, 40)))
        assert len(house.found(any_of(*(token(f"w{n}") for n in range(10_000))))) == 39

    def test_nesting_works_as_deep_as_a_question_of_32_words_goes_and_is_refused_in_a_sentence_beyond(
        self, house: House
    ) -> None:
        house.put(row(1, "a"))
        deep = token("a")
        for level in range(31):
            deep = all_of(token("a"), deep if level % 2 else without(deep))
        house.engine.find(deep, 10)
        for _ in range(200):
            deep = all_of(token("a"), without(deep))
        with pytest.raises(InputError, match="nested"):
            house.engine.find(deep, 10)

    def test_thousands_of_units_in_many_transactions(self, house: House) -> None:
        rows = [
            row(n, f"common w{n} {'even' if n % 2 == 0 else 'odd'}", title=f"t{n % 10}")
            for n in range(1, 3001)
        ]
        house.put(*rows[:2900])
        for one in rows[2900:]:
            house.put(one)
        assert house.engine.size() == (3000, 12_000)
        assert house.engine.count(token("even")) == 1500
        assert house.found(token("w2999")) == [2999]
        house.take(*rows[:2000])
        assert house.engine.size() == (1000, 4000)
        assert house.found(all_of(token("common"), token("t3"), token("odd"))) == list(range(2003, 3001, 10))
