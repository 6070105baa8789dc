"""One table decides what becomes of a statement: each of its rows is reached by talk, and what it says is what stands in the vault."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import put
from nights import NIGHT, consolidated, said
from segments import talk_of

from memoryclaw.app import App
from memoryclaw.consolidation.reconcile import claims_of
from memoryclaw.talk.statements import Talk
from memoryclaw.talk.worth import TABLE, Rule, verdict
from memoryclaw.text.language import fold

Turn = tuple[str, str]


def user(text: str) -> Turn:
    return "user Nora", text


# By the reason of each row: what is said, and the words by which it is found.
SAID: dict[str, tuple[list[Turn], str]] = {
    "a question": ([user("does the lighthouse have stairs?")], "lighthouse"),
    "in a language that is not read; the score alone decides": ([("assistant Pip", "Hur bor du?"), user("jag bor med min dotter Sanna sedan maj 2026 på Vasagatan")], "Vasagatan"),
    "only supposed": ([user("if we had a lighthouse we could paint it")], "lighthouse"),
    "asked to be remembered, with a field": ([user("remember: my email is nora@example.org")], "nora@example.org"),
    "asked to be remembered": ([user("note to self: the shed key hangs behind the door")], "shed key"),
    "in jest": ([user("i live on the moon lol")], "moon"),
    "who somebody is, in passing": ([user("my sister Ulla sails")], "Ulla"),
    "somebody else's word, with a figure or about health": ([user("the plumber said the boiler costs 1400")], "boiler"),
    "somebody else's word": ([user("Tom said the harbour is lovely")], "harbour"),
    "an order how to answer": ([user("no bullets pls")], "no bullets"),
    "one piece of work": ([user("remind me to water the cactus")], "cactus"),
    "a to-do": ([user("need to ring the chimney sweep")], "chimney sweep"),
    "called off, unless it ends what stands": ([user("the regatta is off")], "regatta"),
    "a mood": ([user("im so tired")], "tired"),
    "about the one spoken to": ([user("you have a chess set")], "chess"),
    "said with some doubt, of a known field": ([user("my budget is 900 i think")], "900"),
    "said with some doubt, of a day": ([user("the fair might be on 22 may")], "fair"),
    "a value of a named field": ([user("i'm allergic to hazelnuts")], "hazelnuts"),
    "said among people, not to the assistant": (
        [user("Tom, we have the canoe on the roof"), ("user Tom", "the canoe is mine, Nora, its on my roof rack")],
        "canoe",
    ),
    "an answer, or one of several": ([("assistant Pip", "Which colour do you want?"), user("sage green 14")], "sage green"),
    "decided with some doubt, which the words keep": ([user("we probably booked the cabin for 480")], "cabin"),
    "said with some doubt": ([user("maybe the fox comes back")], "fox"),
    "true for the moment": ([user("the kiosk is closed today")], "kiosk"),
    "happened once, and ends what stands": ([user("the old heron died")], "heron"),
    "happened once": ([user("we went to the waterfall")], "waterfall"),
    "a wish or a plan": ([user("i'd love to see the glacier")], "glacier"),
    "the speaker's own word": ([user("we decided on the copper gutters")], "copper gutters"),
    "says little, unless it ends or says anew what stands": ([user("I don't need the wheelbarrow any more")], "wheelbarrow"),
    "says little": ([user("well the thing is what it is")], "thing"),
}  # fmt: skip
NOISE = user("The big ferry leaves from pier 4 at 9:30.")


def talk(why: str) -> Talk:
    return talk_of(*SAID[why][0])


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.why)
def test_each_row_of_the_table_is_reached_by_talk(row: Rule) -> None:
    assert row.why in {verdict(statement).why for statement in talk(row.why).statements}


def test_every_statement_fits_a_row_and_the_first_that_fits_decides() -> None:
    for why in SAID:
        for statement in talk(why).statements:
            assert verdict(statement) is next(row for row in TABLE if row.fits(statement))
    assert len({row.why for row in TABLE}) == len(TABLE)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.why)
def test_a_statement_claims_what_its_row_says(row: Rule) -> None:
    wanted = SAID[row.why][1]
    claims = [
        claim for claim in claims_of(talk(row.why)) if fold(wanted) in fold(f"{claim.value} {claim.words}")
    ]
    kinds = {"fact": False, "statement": True, "ask": row.why.endswith("of a day"), "renewal": True}
    assert bool(claims) == (row.verdict in kinds)
    if row.verdict in kinds:
        assert kinds[row.verdict] in {claim.is_statement for claim in claims}
        sure = "high" if row.verdict != "ask" else "low" if "doubt" in row.why else "medium"
        assert {claim.confidence for claim in claims} == {sure}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault after a night over one conversation for each row of the table."""
    root = put(tmp_path_factory.mktemp("table") / "vault", {"Home.md": "# Home\n"})
    for number, row in enumerate(TABLE):
        turns = [NOISE, *SAID[row.why][0]]
        put(root, {f"logs/2026-04-19/{number:02}.jsonl": said(f"s{number:02}", turns, hour=number % 24)})
    consolidated(root)
    return root


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.why)
def test_the_verdict_is_what_ends_in_the_vault(row: Rule, vault: Path) -> None:
    wanted = fold(SAID[row.why][1])
    app = App(vault, clock=lambda: NIGHT)
    facts = [fact for _, fact in app.facts() if wanted in fold(fact.value)]
    app.close()
    waiting = vault / "semantic/_pending.md"
    asked = waiting.exists() and wanted in fold(waiting.read_text())
    number = [row.why for row in TABLE].index(row.why)
    (episode,) = [path for path in vault.glob("episodes/*.md") if f"/{number:02}.jsonl#" in path.read_text()]
    if row.verdict == "fact":
        assert any(not fact.is_statement and fact.current for fact in facts)
    elif row.verdict == "statement":
        assert [fact.is_statement for fact in facts] == [True]
    else:
        assert facts == []
    assert asked == (row.verdict == "ask")
    if row.verdict in ("fact", "statement", "ask"):
        assert wanted in fold(episode.read_text())
    # What is held cites the line that says so, and the line is quoted there.
    for fact in facts:
        id_, _, block = fact.source.partition("#")
        assert id_ in episode.stem
        assert not block or wanted in fold(
            next(line for line in episode.read_text().splitlines() if line.endswith(f" {block}"))
        )


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("my dentist might be Kim", "dentist", "Kim"),
        ("my doctor is Dr Lind, i believe", "doctor", "Dr Lind"),
        ("our landlord is maybe Mr Okafor, not sure", "landlord", "Mr Okafor"),
        ("the deadline of Orion could be 3 May", "deadline", "3 May"),
        ("my sister's birthday is probably on 4 June", "birthday", "4 June"),
        ("i think my rent is 900", "rent", "900"),
        ("ich glaube, mein Zahnarzt heißt Kim", "dentist", "Kim"),
    ],
)
def test_what_is_told_with_a_doubt_waits(text: str, field: str, value: str) -> None:
    [said] = [said for said in talk_of(text).statements if said.assertions]
    assert verdict(said).verdict == "ask"
    assert [(fact.field, fact.value) for fact in said.assertions] == [(field, value)]


@pytest.mark.parametrize(
    "text",
    [
        "the budget of Orion is 900 because the sponsor might leave",
        "my boss Ben might leave in May",
        "das Budget von Orion ist 900, weil der Sponsor vielleicht geht",
    ],
)
def test_a_doubt_about_something_else_is_none_of_the_fact(text: str) -> None:
    assert [
        row.verdict for said in talk_of(text).statements if said.assertions for row in [verdict(said)]
    ] == ["fact"]


def test_what_people_tell_each_other_by_a_verb_alone_is_no_fact() -> None:
    said = talk_of(
        ("user Nora", "i love Lisbon"), ("user Tom", "i'm allergic to nuts"), ("user Nora", "my rent is 900")
    )
    assert [verdict(statement).verdict for statement in said.statements] == ["episode", "fact", "fact"]
    assert [
        verdict(statement).verdict for statement in talk_of(("user Nora", "i love Lisbon")).statements
    ] == ["fact"]


def test_what_stands_behind_an_or_is_doubted_with_what_stands_before_it() -> None:
    assert not claims_of(talk_of("I don't know if Ines left Shell or moved to Fugro"))
    (claim,) = claims_of(talk_of("not sure if i told you, my sister is called Wren"))
    assert claim.value == "Wren"
