"""What says the same, or stands in the same long note, is shown once or thrice and counted; it costs nothing else its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Claw, put

from memoryclaw.app import App

REPORT = "The gauge at the weir showed {n} centimetres at noon and the gate stayed shut all day."


def matches_of(root: Path, question: str, **options: object) -> list[tuple[str, int, int]]:
    with App(root) as app:
        answer = app.search(question, **options)  # type: ignore[arg-type]
        return [(match.unit.id, match.copies, match.sections) for match in answer.matches]


def sections(count: int) -> str:
    return "".join(
        f"## Part {n}\n\nThe heron waits at the weir. {'Reeds and rain. ' * 90}\n\n" for n in range(count)
    )


def test_three_sections_of_a_long_note_stand_among_the_first_ten_and_the_rest_is_counted(
    tmp_path: Path,
) -> None:
    root = put(
        tmp_path / "v",
        {"long.md": sections(9), "b.md": "A heron flew over the meadow.\n", "c.md": "The weir is old.\n"},
    )
    shown = matches_of(root, "heron weir")
    assert sorted(id_.partition("#")[0] for id_, _, _ in shown) == ["b", "c", "long", "long", "long"]
    assert [count for id_, _, count in shown if id_.startswith("long")] == [6, 0, 0]
    with App(root) as app:
        left = [omitted.reason for omitted in app.search("heron weir").left_out]
    assert left == ["same_note"] * 6


def test_who_names_the_path_sees_all_sections(tmp_path: Path) -> None:
    root = put(tmp_path / "v", {"long.md": sections(9)})
    assert len(matches_of(root, "heron weir path:long")) == 9


def test_a_note_of_two_megabytes_costs_no_other_its_place_and_no_score_falls_to_nothing(
    tmp_path: Path,
) -> None:
    huge = "".join(f"## Day {n}\n\nHeron, weir, rain. {'Water went by. ' * 190}\n\n" for n in range(700))
    assert len(huge) > 2_000_000
    root = put(tmp_path / "v", {"huge.md": huge, "small.md": "A heron nests below the weir.\n"})
    with App(root) as app:
        matches = app.search("heron weir").matches
    assert {match.path for match in matches} == {"huge.md", "small.md"}
    assert sum(match.path == "huge.md" for match in matches) == 3
    assert all(match.score > 0.01 for match in matches)


@pytest.mark.parametrize("trust", ["untrusted", "unknown"])
def test_near_copies_of_what_nobody_vouches_for_stand_once_the_newest_first(
    tmp_path: Path, trust: str
) -> None:
    files = {
        f"episodes/2026-01-{n:02}_10-00-00_weir.md": f"---\nid: weir-{n}\ntrust: {trust}\n---\n{REPORT.format(n=n)}\n"
        for n in range(1, 21)
    }
    root = put(tmp_path / "v", files)
    assert matches_of(root, "gauge at the weir") == [("weir-20", 19, 0)]


def test_what_a_person_wrote_is_a_copy_only_where_it_says_the_very_same(tmp_path: Path) -> None:
    files = {f"day-{n}.md": REPORT.format(n=n) + "\n" for n in range(4)} | {
        "again.md": REPORT.format(n=1) + "\n"
    }
    shown = matches_of(put(tmp_path / "v", files), "gauge at the weir")
    assert sorted(copies for _, copies, _ in shown) == [0, 0, 0, 1]
    assert len(shown) == 4


def test_what_is_trusted_is_never_folded_into_what_is_trusted_less(tmp_path: Path) -> None:
    lie = "---\nid: a-lie\ntrust: untrusted\n---\n"
    root = put(tmp_path / "v", {"a.md": lie + REPORT.format(n=1) + "\n", "z.md": REPORT.format(n=1) + "\n"})
    assert {id_ for id_, _, _ in matches_of(root, "gauge at the weir")} >= {"z"}


def test_short_replies_and_facts_are_no_copies(tmp_path: Path) -> None:
    files = {"semantic/contacts.md": "- Tom: yes to tea\n- Ann: yes to tea\n"}
    assert len(matches_of(put(tmp_path / "v", files), "tea")) == 2


def test_the_command_line_and_json_count_what_is_folded(tmp_path: Path) -> None:
    claw = Claw(put(tmp_path / "v", {"long.md": sections(5)}))
    assert "2 more sections of this note" in claw("search", "heron weir").out
    shown = json.loads(claw("search", "heron weir", "--json").out)["matches"]
    assert [(match["copies"], match["sections"]) for match in shown] == [(0, 2), (0, 0), (0, 0)]


def turns(*said: tuple[str, str]) -> str:
    return "".join(
        json.dumps(
            {
                "ts": f"2026-03-01T10:{n:02}:00Z",
                "session": "s",
                "turn": n,
                "role": role,
                "name": "Ida" if role == "user" else "",
                "content": text,
            }
        )
        + "\n"
        for n, (role, text) in enumerate(said, 1)
    )


def test_turns_of_few_words_are_one_with_a_count_where_one_speaker_says_them_and_nobody_asked(
    tmp_path: Path,
) -> None:
    log = turns(
        *[("user", "buy milk")] * 5, ("assistant", "buy milk"), ("user", "buy oat milk"),
        ("assistant", "Milk or tea with lunch?"), ("user", "Milk, please."),
        ("assistant", "And with the porridge?"), ("user", "Milk, please."),
    )  # fmt: skip
    root = put(tmp_path / "v", {"logs/2026-03-01/s.jsonl": log})
    shown = {id_: copies for id_, copies, _ in matches_of(root, "milk")}
    asked = dict.fromkeys(("log:s/8", "log:s/9", "log:s/10", "log:s/11"), 0)
    assert shown == {"log:s/1": 4, "log:s/6": 0, "log:s/7": 0} | asked
    assert context(root, "buy milk").count(" buy milk") == 2


def context(root: Path, question: str, **options: object) -> str:
    with App(root) as app:
        return app.recall(question, **options).context  # type: ignore[arg-type]


def test_a_turn_and_the_episode_that_quotes_it_count_as_one(tmp_path: Path) -> None:
    said = "The heron took four trout from the lower pond this morning."
    episode = f"---\nid: ep\nsummary: At the pond.\ntrust: unknown\n---\n# The pond\n\n- Ida: {said} ^l1\n- Ida: We want a net over the whole pond before June. ^l3\n"
    root = put(
        tmp_path / "v",
        {
            "logs/2026-03-01/s.jsonl": turns(("user", said), ("assistant", "How bad.")),
            "episodes/2026-03-01_10-00-00_pond.md": episode,
        },
    )
    shown = context(root, "what did the heron take from the pond")
    assert shown.count("four trout") == 1
    assert "net over the whole pond" in shown


def test_a_reply_that_says_nothing_is_left_out_unless_it_answers(tmp_path: Path) -> None:
    log = turns(
        ("user", "The heron took four trout from the lower pond."), ("assistant", "Noted!"), ("user", "Lovely."),
        ("assistant", "Shall I order a net for the heron pond?"), ("user", "Yes, please."),
    )  # fmt: skip
    root = put(tmp_path / "v", {"logs/2026-03-01/s.jsonl": log})
    with App(root) as app:
        answer = app.recall("heron pond net")
    assert "Noted" not in answer.context
    assert "Lovely" not in answer.context
    assert "Yes, please." in answer.context
    assert {omitted.id for omitted in answer.left_out if omitted.reason == "empty"} == {"log:s/2", "log:s/3"}


def test_a_question_stands_beside_its_answer_with_its_own_label(tmp_path: Path) -> None:
    log = turns(
        ("assistant", "Which net do you want for the heron pond?"),
        ("user", "The green net for the pond, six metres."),
    )
    shown = context(put(tmp_path / "v", {"logs/2026-03-01/s.jsonl": log}), "green net heron pond")
    first = shown.index("1 [unknown] assistant: Which net")
    assert shown.index("2 Ida: The green net") > first
    assert shown.count("<memory ") == 1


def test_a_turn_whose_value_held_once_is_marked(tmp_path: Path) -> None:
    facts = "# Pond\n- depth: 3 metres [since:: 2026-04-01]\n\n## History\n- depth: 2 metres [since:: 2026-03-01] [until:: 2026-04-01]\n"
    log = turns(("user", "The depth of the pond is 2 metres at the dam."))
    root = put(tmp_path / "v", {"semantic/garden.md": facts, "logs/2026-03-01/s.jsonl": log})
    assert "at the dam. (superseded since 2026-04-01: 3 metres)" in context(
        root, "what did I say of the dam and the pond"
    )


def test_facts_of_two_files_that_disagree_are_marked(tmp_path: Path) -> None:
    files = {
        "semantic/a.md": "# Pond\n- depth: 3 metres\n",
        "semantic/b.md": "# Pond\n- depth: 5 metres\n- depth: 5 metres\n",
    }
    shown = context(put(tmp_path / "v", files), "how deep is the pond, its depth")
    assert "3 metres (conflicts with semantic/b#Pond.depth)" in shown
    assert "5 metres (conflicts with semantic/a#Pond.depth)" in shown


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("Zwetschge", "Kuchen mit Zwetschgen"),
        ("Dach", "Der Dachstuhl ist alt"),
        ("Zwetschgen", "Eine Zwetschge am Zaun"),
    ],
)
def test_a_rare_word_finds_what_begins_so(tmp_path: Path, asked: str, written: str) -> None:
    root = put(tmp_path / "v", {"a.md": f"{written}.\n", "b.md": "The house has a green door and a bell.\n"})
    assert [id_ for id_, _, _ in matches_of(root, asked)] == ["a"]
