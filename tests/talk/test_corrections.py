"""What somebody puts right while typing takes the place of what stood there first."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from adversaries import superlinear
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.talk.corrections import corrected, put_right
from memoryclaw.text.grammar import codes, grammar


@pytest.mark.parametrize(
    ("code", "text", "right", "first"),
    [
        ("en", "dentist on 14 march 11am … wait no 13:00", "dentist on 14 march 13:00", "13:00, first 11am"),
        ("en", "on tuesdays at 4. sorry, i meant wednesdays at 4", "on wednesdays at 4", "wednesdays, first tuesdays"),
        ("en", "the bus goes at 10:30 i mean 10:45", "the bus goes at 10:45", "10:45, first 10:30"),
        ("en", "12 may, no wait 14 may", "14 may", "14 may, first 12 may"),
        ("en", "it is 40 euros, sorry 45", "it is 45 euros", "45, first 40"),
        ("en", "room 12. no, 14", "room 14", "14, first 12"),
        ("de", "um 11 uhr, nein 13 uhr", "um 13 uhr", "13 uhr, first 11 uhr"),
        ("de", "am 14. märz, quatsch 15. märz", "am 15. märz", "15. märz, first 14. märz"),
        ("en", "ring 0176 55 23 19 - scratch that, 0176 55 77 45", "ring 0176 55 77 45", "0176 55 77 45, first 0176 55 23 19"),
        ("en", "mail ana72@mail.example, sorry, i meant a.b@post.example", "mail a.b@post.example", "a.b@post.example, first ana72@mail.example"),
        ("en", "parcels go to Foundry Road 83 - scratch that, Amselgrund 39", "parcels go to Amselgrund 39", "Amselgrund 39, first Foundry Road 83"),
        ("en", "flight LH 400 is on Monday, no wait, LH 401", "flight LH 401 is on Monday", "LH 401, first LH 400"),
        ("en", "flight BA 204, no wait, LH 118", "flight LH 118", "LH 118, first BA 204"),
        ("en", "it costs 40 euros, no wait, 45 dollars", "it costs 45 dollars", "45 dollars, first 40 euros"),
        ("en", "we need 60 boxes, no, 80", "we need 80 boxes", "80, first 60"),
        ("de", "sie wohnt im Deichweg 15, nein warte, Amselgrund 12", "sie wohnt im Amselgrund 12", "Amselgrund 12, first Deichweg 15"),
        ("en", "six chairs, no wait seven", "seven chairs", "seven, first six"),
        ("en", "order three bags no make it five", "order five bags", "five, first three"),
        ("en", "at half past two, sorry, half three", "at half three", "half three, first half past two"),
        ("de", "wir sind zu acht, nee warte neun", "wir sind zu neun", "neun, first acht"),
        ("de", "um viertel nach neun. nee moment viertel vor zehn", "um viertel vor zehn", "viertel vor zehn, first viertel nach neun"),
        ("en", "we row on Sundays... no wait, they're closed sundays. saturdays.", "we row on saturdays.", "saturdays, first Sundays"),
        ("de", "das Treffen ist am Montag, nein warte, montags hat er zu. Dienstag", "das Treffen ist am Dienstag", "Dienstag, first Montag"),
        ("en", "I teach in Hull, no wait, Selby", "I teach in Selby", "Selby, first Hull"),
        ("en", "i teach in hull, no wait, in selby", "i teach in selby", "selby, first hull"),
        ("en", "the fair is on 3 may, i mean june", "the fair is on 3 june", "june, first may"),
        ("de", "ich wohne in Jena, nein, in Gera", "ich wohne in Gera", "Gera, first Jena"),
        ("de", "ich nehme den Bus, nein, die Bahn.", "ich nehme die Bahn.", "Bahn, first Bus"),
        ("fr", "je vis à Pau, euh non, à Dax", "je vis à Dax", "Dax, first Pau"),
        ("es", "vivo en Burgos, perdón, en Soria", "vivo en Soria", "Soria, first Burgos"),
        ("it", "abito a Pisa, anzi a Lucca", "abito a Lucca", "Lucca, first Pisa"),
        ("nl", "ik woon in Delft, nee wacht, Leiden", "ik woon in Leiden", "Leiden, first Delft"),
        ("pt", "moro em Braga, quer dizer, em Faro", "moro em Faro", "Faro, first Braga"),
    ],
)  # fmt: skip
def test_the_right_value_takes_the_place_of_the_last_one_of_its_kind(
    code: str, text: str, right: str, first: str
) -> None:
    assert corrected(text, grammar(code)) == (right, first)


@pytest.mark.parametrize(
    ("code", "text", "right"),
    [
        ("en", "no footnotes please, i mean i like endnotes", "no footnotes please, i mean i like endnotes"),
        ("en", "i live in Leeds, no wait, did i tell you about Bob", "i live in Leeds, no wait, did i tell you about Bob"),
        ("en", "we moved to Leeds, sorry Anna, i forgot", "we moved to Leeds, sorry Anna, i forgot"),
        ("en", "we moved to Leeds. sorry, Claude.", "we moved to Leeds. sorry, Claude."),
        ("en", "he is in Leeds, actually Selby is nearer", "he is in Leeds, actually Selby is nearer"),
        ("en", "I bowl on Mondays, no longer on Fridays", "I bowl on Mondays, no longer on Fridays"),
        ("en", "we buy corn flour, no more rice flour for us", "we buy corn flour, no more rice flour for us"),
        ("en", "we had soup, actually, boring", "we had soup, actually, boring"),
        ("de", "ich komme aus Jena, sorry, Anna kommt aus Gera", "ich komme aus Jena, sorry, Anna kommt aus Gera"),
    ],
)  # fmt: skip
def test_words_that_give_no_other_value_stay(code: str, text: str, right: str) -> None:
    assert corrected(text, grammar(code)).text == right


def test_what_goes_on_behind_a_correction_stays() -> None:
    correction = corrected("we meet at 11am, no wait 1pm. bring the rope", grammar("en"))
    assert correction.text == "we meet at 1pm. bring the rope"


@pytest.mark.parametrize(
    ("code", "text", "right"),
    [
        ("en", "we need 36 chairs not 48", "we need 36 chairs"),
        ("en", "6k rather than 5k please", "6k please"),
        ("en", "7:30 instead of 8:15", "7:30"),
        ("de", "36 stühle nicht 48", "36 stühle"),
        ("de", "36 statt 48", "36"),
        ("en", "on the 5th not on the 12th", "on the 5th"),
    ],
)
def test_what_a_value_is_not_is_left_out(code: str, text: str, right: str) -> None:
    assert corrected(text, grammar(code)).text == right


@pytest.mark.parametrize(
    "text",
    [
        "no 5 is my lucky number", "there are no 5 people here who sail", "we are not 48 people",
        "i have 3 cats. no idea why", "sorry i am late, 10 minutes", "it is 5, sorry about that",
        "it is 11am, no 11am is fine", "the rent is 900. wait for me at 8", "",
        "the fee is 700, actually we get 90 back", "i'm 41, sorry, feel 60 today", "we bowl on mondays, no excuses, fridays are for choir",
        "i have 2 hens, no geese, 5 ducks", "we saw 3 seals, actually 2 days in a row", "tea at night as the water is rubbish, so night tea",
        "berth 12 is on pier 2, sorry no crane, pier 5 has one", "the 3rd pier, actually love it, the 5th is loud", "lot 12 actually cost 90",
        "the hut has two rooms, actually decent rooms", "we row at night, no, so night rows it is",
    ],
)  # fmt: skip
def test_a_word_of_correction_alone_puts_nothing_right(text: str) -> None:
    assert corrected(text, grammar("en")) == (text, "")


PIECES = st.sampled_from(
    ["no ", "wait ", "no wait ", "sorry ", "i mean ", "actually ", "not ", "nein ", "quatsch ", "12", "13:00", " 3 may", "€5", ", ", ". ", "steps ", "and ", "\n", "at ", "1st", "x", "… "]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=120), st.sampled_from(codes()))
def test_any_text_can_be_put_right_and_gets_no_longer_by_more_than_marks(text: str, code: str) -> None:
    correction = corrected(text, grammar(code))
    assert correction == corrected(text, grammar(code))
    assert len(correction.text) <= len(text) + 2
    if not correction.instead:
        assert set(correction.text.split()) <= set(text.split()) | {""}


@pytest.mark.laws  # `make test` tries the texts that are hard for its patterns (tests/security/test_patterns_are_linear.py)
@pytest.mark.parametrize(
    "unit",
    ["1", "1,", "0x", "no wait 5 ", "at 5. no 6. ", "5 not 6 ", "no, ", "actually, ", "steps i mean ", " "],
)
def test_a_long_text_of_corrections_takes_time_in_proportion_to_its_length(unit: str) -> None:
    def work(size: int) -> Callable[[], object]:
        text = (unit * size)[:size]
        return lambda: corrected(text, grammar("en"))

    assert superlinear(work, 100_000, least=1500, quick=2e-6) is None


@pytest.mark.parametrize(
    ("code", "before", "turn", "right", "wrong"),
    [
        ("en", "my flight is on 2026-11-12", "sorry 2026-11-21, typo", "2026-11-21", "2026-11-12"),
        ("en", "my berth is 61", "16, not 61", "16", "61"),
        ("en", "my boss is Tom Hale", "no wait, Agnes", "Agnes", "Tom Hale"),
        ("en", "my dentist is Dr Vonn", "*Dr Vogn", "Vogn", "Vonn"),
        ("en", "my teacher is Frau Lorenz", "oops, Lorentz with tz", "Lorentz", "Lorenz"),
        ("en", "my mail is kim@harbour.example", "harbor without u: kim@harbor.example", "kim@harbor.example", "kim@harbour.example"),
        ("de", "mein termin ist am 12.11.", "sorry, am 13.11.", "13.11", "12.11"),
        ("fr", "mon code postal est 75011", "pardon, 75012", "75012", "75011"),
        ("es", "mi perro se llama Pipo", "perdón, Pepo", "Pepo", "Pipo"),
        ("nl", "mijn hond heet Bas", "sorry, Bos", "Bos", "Bas"),
        ("en", "my dog is called Rex", "i said Rex but his name is Tarquin", "Tarquin", "Rex"),
        ("en", "my aunt is called Mona", "wait i wrote Mona, its Moya", "Moya", "Mona"),
        ("de", "ich habe einen Kater namens Mohrle", "stimmt nicht, er heißt Möhrle", "Möhrle", "Mohrle"),
        ("fr", "ma fille s'appelle Lise", "j'ai écrit Lise mais c'est Élise", "Élise", "Lise"),
        ("es", "mi perro se llama Pipo", "dije Pipo pero es Pepo", "Pepo", "Pipo"),
        ("it", "mia figlia si chiama Sara", "ho scritto Sara ma è Zara", "Zara", "Sara"),
        ("nl", "mijn hond heet Bas", "ik schreef Bas, maar hij heet Bos", "Bos", "Bas"),
        ("pt", "o meu cão chama-se Bobi", "escrevi Bobi mas é Boby", "Boby", "Bobi"),
        ("en", "we have 3 hens", "scratch that, 4 with the new one", "4", "3"),
        ("en", "my bus is the 36", "nonsense, the 39", "39", "36"), ("fr", "mon bus est le 36", "mais non, le 39", "39", "36"),
        ("it", "il mio bus è il 36", "macché, il 39", "39", "36"), ("de", "ich bin im märz geboren", "nee stimmt nicht, im mai", "mai", "märz"),
        ("en", "I am 34", "sorry 35, my birthday is 3 May", "35", "34"),
        ("en", "the audit is on the 13th", "not the 13th! the 31st", "31st", "13th"),
        ("en", "the recital is on may 3", "wrong, may 30!", "30", "3"),
        ("es", "el ensayo es el 2 de junio", "no, el 22 de junio", "22", "2"),
        ("en", "the fee is 3200", "actually 3,450 since the spring", "3,450", "3200"), ("de", "die Gebühr ist 880", "nein, 1.080", "1.080", "880"),
        ("en", "the fee is 1,640", "£1,460, sorry", "£1,460", "1,640"), ("en", "my size is 42", "oops 42.5", "42.5", "42"),
        ("en", "we have 2 hens and the fee is 1,200", "sorry, 1250", "1250", "1,200"), ("en", "the fair is on the 20th", "21st. doh", "21st", "20th"),
        ("en", "the fair is on 14 may 2014", "oops 24 june. dont tell her", "24 june", "14 may"), ("en", "we row on 3 may", "oops 13 may. sigh", "13", "3"),
        ("en", "it lands at 14:20", "sorry, 16:20, i misread", "16:20", "14:20"), ("en", "Mona lives in Pau", "dax! not pau", "dax", "Pau"),
        ("es", "mi dentista es el doctor Ruiz", "perdón, el doctor Ruano. siempre me confundo", "Ruano", "Ruiz"),
    ],
)  # fmt: skip
def test_the_next_turn_puts_right_what_was_said(
    code: str, before: str, turn: str, right: str, wrong: str
) -> None:
    fix = put_right(turn, before, grammar(code))
    assert fix is not None
    assert (fix.right, fix.wrong, fix.is_sure) == (right, wrong, True)
    assert fix.text == before.replace(wrong, right)


@pytest.mark.parametrize(
    ("before", "turn"),
    [
        ("my berth is 61", "74"), ("my berth is 61", "thanks 12 times"), ("my berth is 61", "sorry, i'm late, 5 minutes"), ("my berth is 61", "sorry, at 14:50"),
        ("my dog is called Bosse", "sorry, what is a good name for a cat"), ("my dog is called Bosse", "Bosse is 4"), ("my boss is Tom", "sorry, Anna is calling"),
        ("my rent is 950", "no wait, i have 3 cats"), ("we are 4", "sorry, 2 secs"), ("my son is Leo", "my daughter is Lea"), ("I like Oslo", "no"), ("my berth is 61", "sorry, 74?"),
        ("my budget is 500", "sorry 420 is too much"), ("the meeting is on tuesday", "sorry, can't on wednesday"), ("i have 3 cats", "sorry, wrong chat"),
        ("my dog is called Rex", "i said goodbye to Rex"), ("my berth is 61", "i told you, my wife is called Jana"), ("we have 3 hens", "no, 2 of them are at the vet"),
        ("the room is called Tern", "wrong, Tern with a T"), ("my dog is called Rex", "she said Rox"),
        ("we came in 2019", "actually 3 of us came"), ("my berth is 61", "oops, 3,5 hours late. bye"), ("my boss is Anya", "wait, Rome! i forgot to book"),
        ("my dentist is Dr Holt", "oops, Dr Colt, he was the old one. ignore that"), ("my rent is 800", "2024"), ("my rent is 800", "10:30"),
        ("Nina works at Ikea", "Nora works at Ikea"), ("Rosa lives in Paris.", "Rosa lives in Rome."), ("Tom has two kids", "Tim has two kids as well"),
    ],
)  # fmt: skip
def test_another_thing_puts_nothing_right(before: str, turn: str) -> None:
    assert put_right(turn, before, grammar("en")) is None


def test_where_two_values_may_be_meant_it_is_not_sure() -> None:
    fix = put_right("sorry, 74", "my berth is 61 and my box is 75", grammar("en"))
    assert fix is not None
    assert not fix.is_sure


@pytest.mark.parametrize(
    "turn", ["it's 74", "74 actually", "61 was the old one, 74 now", "no, we swapped, it's 74 now"]
)
def test_what_the_assistant_answered_is_put_right_too(turn: str) -> None:
    fix = put_right(turn, "Your berth is 61.", grammar("en"), answers=True)
    assert fix is not None
    assert (fix.right, fix.wrong) == ("74", "61")


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from(codes()))
def test_a_value_comes_from_the_turn_and_takes_the_place_of_one_before_it(
    turn: str, before: str, code: str
) -> None:
    if fix := put_right(turn, before, grammar(code)):
        assert set(fix.right.split()) <= {word.strip(" ,.;:!?*()…\"'“”„") for word in turn.split()}
        assert fix.wrong in before
