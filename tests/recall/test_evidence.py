"""How often the words of a question stand in a unit, and what they add to its score."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import put

from memoryclaw.app import App
from memoryclaw.model import Match
from memoryclaw.recall.evidence import Counts, Evidence

FILLER = {f"filler/{n:02}.md": f"Entry {n} about lamps and shelves in room {n * 3}.\n" for n in range(20)}


def matches_of(root: Path, question: str, files: dict[str, str]) -> list[Match]:
    with App(put(root / "vault", {**FILLER, **files})) as app:
        return [
            match for match in app.search(question, limit=50).matches if not match.path.startswith("filler/")
        ]


def words(match: Match) -> set[str]:
    return {term.name for term in match.terms}


def test_titles_and_tags_count_more_than_the_body(tmp_path: Path) -> None:
    files = {
        "a.md": "---\ntitle: Oak\n---\nOf boards and pegs.\n",
        "b.md": "---\ntags: [oak]\n---\nOf boards and pegs.\n",
        "c.md": "Of oak and pegs.\n",
    }
    order = [match.note for match in matches_of(tmp_path, "oak", files)]
    assert order.index("c") == 2


def test_a_long_note_counts_less_than_a_short_one_of_its_kind(tmp_path: Path) -> None:
    files = {"long.md": "Oak. " + "Other words of all kinds. " * 20, "short.md": "Oak boards.\n"}
    assert [match.note for match in matches_of(tmp_path, "oak", files)] == ["short", "long"]


def test_every_time_a_word_stands_counts_also_side_by_side(tmp_path: Path) -> None:
    files = {
        "once.md": "oak elm ash yew\n",
        "thrice.md": "oak oak oak elm\n",
        "twice.md": "oak elm oak yew\n",
    }
    assert [match.note for match in matches_of(tmp_path, "oak", files)] == ["thrice", "twice", "once"]


@pytest.mark.parametrize("engine", ["fts5", "whoosh"])
def test_words_count_the_same_however_many_words_the_vault_has_and_units_hold_them(
    tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        **FILLER,
        "memoryclaw.yaml": f"index:\n  engine: {engine}\n",
        "a.md": '---\ntitle: Oak oak\ntags: [oak, elm]\n---\nOak oak oak and a cloak, "oat milk oat milk".\n',
        "b.md": "他喜欢喝茶，不喜欢咖啡。喝茶。\n",
        "c.md": "他在‘手冲咖啡馆’拍摄一杯茶, 茶 and oat milk\n",  # the apostrophe is no token
        "logs/2026-01-02/s.jsonl": "".join(
            f'{{"ts": "2026-01-02T10:0{n}:00Z", "session": "s", "turn": {n}, "role": "user", "content": "{text}"}}\n'
            for n, text in enumerate(("Elm elm.", "Lamps.", "Oak?", "Oat milk.", "Shelves."))
        ),
    }
    questions = (
        "oak elm lamps",
        '"oat milk"',
        "喝茶",
        "title:oak elm",
        "(oak elm) OR shelves",
    )
    with App(put(tmp_path / "vault", files)) as app:
        rare = [app.search(question).matches for question in questions]
        placed = app.search("他拍摄一杯茶").matches
    with App(tmp_path / "vault") as app:
        monkeypatch.setattr("memoryclaw.index.bm25._ROOM", 0x30)  # the codes of most words are longer then
        app.index.discard()
        assert [app.search(question).matches for question in questions] == rare
        assert app.search("他拍摄一杯茶").matches == placed
        monkeypatch.setattr("memoryclaw.recall.evidence.LOOKED_UP", 0)
        common = [app.search(question).matches for question in questions]
    for few, many in zip(
        rare, common, strict=True
    ):  # fewer words are looked up then, so fewer units may be found
        counted = {(m.unit.id, m.score, m.terms) for m in few}
        assert many
        assert counted.issuperset((m.unit.id, m.score, m.terms) for m in many)


def test_a_word_inside_another_is_not_that_word(tmp_path: Path) -> None:
    assert matches_of(tmp_path, "oak", {"a.md": "A cloak and an oakum rope.\n"}) == []


def test_a_phrase_and_a_title_count_where_they_stand(tmp_path: Path) -> None:
    files = {
        "a.md": "With oat milk.\n",
        "b.md": "Milk, then oat.\n",
        "c.md": "---\ntitle: Milk\n---\nWhite.\n",
    }
    assert [match.note for match in matches_of(tmp_path, '"oat milk"', files)] == ["a"]
    assert [match.note for match in matches_of(tmp_path, "title:milk", files)] == ["c"]


@pytest.mark.parametrize(
    ("text", "counted"), [("oak and elm", {"elm"}), ("oak larch elm", {"oak", "larch", "elm"})]
)
def test_a_part_of_an_alternative_that_does_not_hold_in_full_adds_nothing(
    tmp_path: Path, text: str, counted: set[str]
) -> None:
    match = matches_of(tmp_path, "(oak AND larch) OR elm", {"a.md": f"---\ntitle: x\n---\n{text}\n"})[0]
    assert words(match) == counted


@pytest.mark.parametrize(("text", "counted"), [("oak larch elm", {"elm"}), ("oak elm", {"oak", "elm"})])
def test_what_is_barred_keeps_its_part_from_adding_anything(
    tmp_path: Path, text: str, counted: set[str]
) -> None:
    match = matches_of(tmp_path, "(oak -larch) OR elm", {"a.md": f"---\ntitle: x\n---\n{text}\n"})[0]
    assert words(match) == counted


def test_of_several_words_that_may_stand_for_one_the_best_counts(tmp_path: Path) -> None:
    synonyms = {"semantic/aliases.yaml": "boat: [dinghy, skiff]\n"}
    match = matches_of(tmp_path / "1", "boat", {**synonyms, "a.md": "A dinghy, and yes.\n"})[0]
    two = matches_of(tmp_path / "2", "boat", {**synonyms, "a.md": "A dinghy, a skiff.\n"})[0]
    assert two.score == pytest.approx(match.score, abs=0.2)


def test_single_characters_of_chinese_count_beside_their_pairs(tmp_path: Path) -> None:
    files = {"a.md": "我家的猫很小。\n", "b.md": "小狗在睡觉。\n"}
    assert [match.note for match in matches_of(tmp_path / "1", "猫", files)] == ["a"]
    assert [match.note for match in matches_of(tmp_path / "2", "小猫", files)] == ["a", "b"]
    order = [match.note for match in matches_of(tmp_path / "3", "猫很大吗 小猫", files)]
    assert order[0] == "a"


def test_a_date_finds_what_was_said_that_day_beyond_the_best_words(tmp_path: Path) -> None:
    header = "---\ntimestamp: 2026-0{}T08:00:00Z\n---\n"
    many = {
        f"episodes/e{n:03}.md": header.format(f"1-{n % 20 + 1:02}") + f"harbour harbour {n}\n"
        for n in range(300)
    }
    day = {"episodes/day.md": header.format("2-20") + "A harbour by night\n"}
    by_date = matches_of(tmp_path / "1", "harbour on 20 February 2026", many | day)
    assert by_date[0].note == "episodes/day"
    assert "episodes/day" not in [match.note for match in matches_of(tmp_path / "2", "harbour", many | day)]


def test_what_words_add_is_summed_in_the_order_of_the_question() -> None:
    counts = {1: Counts({2: 0.1, 0: 0.7}, {5: 0.3, 1: 0.2})}
    assert list(Evidence(9, [], counts, [1.0] * 6).gains(1)) == [0, 1, 2, 5]
