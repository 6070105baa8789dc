"""A sum of named features may say no to what the table would keep: what it says, why, and what passes it by."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import put
from nights import NIGHT, said
from segments import segment_of, talk_of

from memoryclaw.app import App
from memoryclaw.talk.statements import Statement, Worth, read
from memoryclaw.talk.worth import FEATURES, SessionLook, exchanges, features_of, verdict, weigh

WORK = [
    ("user Nora", "Can you fix the parser? The output is empty then."),
    ("assistant Pip", "Sure, I will look at the parser."),
]
LIFE = [
    ("assistant Pip", "Where do you live now?"),
    ("user Nora", "My flat is in Leith."),
    ("assistant Pip", "Got it, Leith."),
]


def weighed(*turns: tuple[str, str] | str, project: str = "") -> list[Statement]:
    """What is read in a conversation and what it is worth; what has no `role name` is said by Nora."""
    segment = segment_of([turn if isinstance(turn, tuple) else ("user Nora", turn) for turn in turns])
    said = [turn._replace(project=project) for turn in segment.turns]
    return list(weigh(read(said, {}), said, SessionLook.of(said, "en")).statements)


def kept(*turns: tuple[str, str] | str) -> list[str]:
    return [
        candidate.words
        for candidate in weighed(*turns)
        if verdict(candidate).verdict in ("fact", "statement")
    ]


def run_record(root: Path) -> dict[str, object]:
    [path] = root.glob("runs/*.json")
    return json.loads(path.read_text())  # type: ignore[no-any-return]


def night(root: Path, *, hour: int = 0) -> None:
    with App(root, clock=lambda: NIGHT.replace(hour=NIGHT.hour + hour)) as app:
        app.consolidate(llm="none")


PLAYS = [
    "Pretend we're on a ship. I am a sailor and I live in Port Royal.",
    "Let's role-play, I live in a cave and my sister Ann is a dragon.",
]


@pytest.mark.parametrize("play", PLAYS)
def test_nothing_is_kept_of_a_part_that_somebody_plays_and_all_of_what_comes_later(play: str) -> None:
    later = ("user Nora", "My flat is in Leith and my sister Ann lives in Ayr.")
    assert kept(("user Nora", play), ("assistant Pip", "All right."), later) == kept(
        ("assistant Pip", "All right."), later
    )


def test_what_is_hardly_worth_having_stays_in_the_log_and_what_is_kept_says_why(tmp_path: Path) -> None:
    logs = {
        "logs/2026-04-19/work.jsonl": said("work", WORK),
        "logs/2026-04-19/life.jsonl": said("life", LIFE),
    }
    root = put(tmp_path / "vault", {"Home.md": "# Home\n", **logs})
    night(root)
    people = "".join(path.read_text() for path in root.glob("semantic/*.md"))
    assert "Leith" in people
    assert "output" not in people
    assert {path: (root / path).read_text() for path in logs} == logs
    [row] = run_record(root)["decided"]  # type: ignore[misc]
    assert "acknowledged +" in row["worth"]
    with App(root, clock=lambda: NIGHT) as app:
        [fact] = [fact for _, fact in app.facts() if fact.value == row["value"]]
        assert app.inspect(fact.id).worth == row["worth"]


def test_a_figure_that_somebody_puts_right_is_worth_having_whatever_the_sum_says() -> None:
    words = "pick up the paint, we need 40 rolls, no wait 60 of them"
    (said,) = [statement for statement in talk_of(words).statements if statement.instead]
    hardly = replace(said, worth=Worth(0.1, (), enough=False))
    assert verdict(hardly).verdict == "statement"
    assert verdict(replace(hardly, instead="")).verdict == "episode"


def test_the_sum_is_the_sum_of_its_parts_and_reads_no_feature_that_nobody_named() -> None:
    for candidate in weighed(*LIFE, *WORK):
        assert candidate.worth is not None
        assert {name for name, _ in candidate.worth.parts} <= set(FEATURES)
        sizes = [abs(part) for _, part in candidate.worth.parts]
        assert sizes == sorted(sizes, reverse=True)
        assert 0 <= candidate.worth.score <= 1


def test_the_same_lines_give_the_same_worth_whatever_comes_later() -> None:
    """Nothing behind the range that is read is looked at; nothing that the vault holds is."""
    segment = segment_of(LIFE)
    longer = segment_of([*LIFE, *WORK])
    talk = read(segment.turns, {})
    session = SessionLook.of(segment.turns, "en")
    assert [features_of(exchange) for exchange in exchanges(talk, segment.turns, session)] == [
        features_of(exchange) for exchange in exchanges(talk, longer.turns, session)
    ]


@pytest.mark.laws
def test_the_same_range_gives_the_same_lines_in_a_vault_that_knows_other_things(tmp_path: Path) -> None:
    logs = {"logs/2026-04-19/life.jsonl": said("life", [*LIFE, *WORK])}
    lines = []
    for name, more in (("empty", {}), ("full", {"semantic/work.md": "# Billing\n- port: 8080\n"})):
        root = put(tmp_path / name, {"Home.md": "# Home\n", **logs, **more})
        night(root)
        put(root, {"logs/2026-04-20/later.jsonl": said("later", WORK, day="2026-04-20")})
        lines.append(run_record(root)["decided"])
    assert lines[0] == lines[1]


@pytest.mark.parametrize(
    "turns",
    [
        ["no bullets pls"],
        ["metric units"],
        ["UK spelling"],
        ["kurze Antworten"],
        ["always be brief"],
        ["from now on be brief"],
        ["from now on no bullets. and write me a poem"],
        ["never use emoji again"],
        ["no emoji, i'm colour blind"],
        ["short answers please, i have adhd"],
        ["be brief whenever I'm in a hurry"],
        ["be brief, I'm on the bus every day"],
        ["Call me Bo, I'm in a meeting"],
    ],
)
def test_an_order_by_itself_or_with_a_sign_of_lasting_stands(turns: list[str]) -> None:
    assert any(
        candidate.kind == "order" and verdict(candidate).verdict == "fact" for candidate in weighed(*turns)
    )


@pytest.mark.parametrize(
    "turns",
    [
        ["Draft a letter to the club. no bullets pls"],
        ["Draft a letter to the club. short sentences"],
        ["Act as a gardener. Answer in short sentences."],
        ["Chat with me as if you were a gardener.", "don't say you are a gardener"],
        ["keep it short for this one"],
        ["reply in French: how big is Mars"],
        ["no bullet points: explain tides to me"],
        ["so I quit, never more"],
        ["be brief, im on a train"],
        ["antworte kurz, bin im meeting"],
        ["rispondi breve, ho fretta"],
        ["please explain"],
        ["do not touch the readme in this commit"],
        ["I want you to act as a gardener"],
        ["What does the linter say? no long answers pls"],
        ["for once use a table"],
        [f"{'The mast is made of oak and stands on the pier. ' * 15} no bullets pls"],
    ],
)
def test_an_order_in_company_is_of_the_moment(turns: list[str]) -> None:
    assert not any(
        candidate.kind == "order" and verdict(candidate).verdict == "fact" for candidate in weighed(*turns)
    )


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("my function returns None", False),
        ("meine Abfrage dauert 9 Sekunden", False),
        ("my test runner is vitest", True),
        ("my code reviewer is Tom", True),
    ],
)
def test_news_of_a_piece_of_code_is_of_the_moment(text: str, kept: bool) -> None:
    said = weighed(text, project="harrier")
    assert [verdict(candidate).verdict in ("fact", "statement") for candidate in said] == [kept]
    assert kept == any("moment" not in candidate.doubts for candidate in said)
    assert "moment" not in weighed("My test is on 14 November in Hull")[0].doubts  # no repository


def test_to_dos_orders_what_is_asked_to_be_remembered_and_changes_pass_the_sum_by() -> None:
    no = Worth(0.0, enough=False)
    for text, wanted in (
        ("remember: the valve turns left", "statement"),
        ("no bullets pls", "fact"),
        ("i live in Leeds now", "fact"),
    ):
        [candidate] = [replace(candidate, worth=no) for candidate in weighed(text)]
        assert verdict(candidate).verdict == wanted


def test_what_touches_in_a_turn_is_one_item_in_whole_sentences(tmp_path: Path) -> None:
    turns = [
        ("assistant Pip", "What did you decide about the wall?"),
        ("user Nora", "We decided on oak for the kitchen wall. We decided on brass for the handles."),
        ("assistant Pip", "Noted, oak and brass."),
    ]
    root = put(tmp_path / "vault", {"Home.md": "# Home\n", "logs/2026-04-19/wall.jsonl": said("wall", turns)})
    night(root)
    with App(root, clock=lambda: datetime(2026, 4, 21, tzinfo=UTC)) as app:
        statements = [fact.value for _, fact in app.facts() if fact.is_statement]
    assert statements == [turns[1][1].rstrip(".")]


def test_the_script_learns_from_a_folder_and_judges_people_it_never_saw(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    for person, place in (("ada", "Leith"), ("bob", "Gent")):
        turns, gold = [], []
        for number in range(12):
            talk = (LIFE if number % 2 else WORK) if number else LIFE
            for who, text in talk:
                role, _, name = who.partition(" ")
                turns.append(
                    {
                        "session": f"s{number}",
                        "turn": len(turns),
                        "role": role,
                        "name": name,
                        "content": text.replace("Leith", place),
                    }
                )
            if talk is LIFE:
                gold.append(
                    {"id": f"{person}{number}", "session": f"s{number}", "kind": "fact", "values": [place]}
                )
        lines = {f"{person}.jsonl": turns, f"{person}.gold.jsonl": gold}
        put(tmp_path, {name: "".join(json.dumps(row) + "\n" for row in rows) for name, rows in lines.items()})
    script = Path(__file__).parents[2] / "benchmarks/worth.py"
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "average precision 1.000" in done.stdout
    assert sum(name in done.stdout for name in FEATURES) >= 5


def test_where_the_assistant_answers_at_length_less_is_kept() -> None:
    """Whoever tells something is acknowledged; whoever asks for work gets a long answer."""
    words = "we decided on the copper gutters"
    advice = "Here is what I would pack for the crossing. "
    assert kept(words, ("assistant Pip", advice)) == [words]
    assert kept(words, ("assistant Pip", advice * 9)) == []


def test_what_the_assistant_shall_do_is_not_kept_whatever_it_names() -> None:
    assert kept("now i want you to paint the mast of the Heron in RAL 5008") == []
    assert kept("now i want the mast of the Heron in RAL 5008") != []
