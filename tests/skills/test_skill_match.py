from __future__ import annotations

from datetime import date

import pytest

from memoryclaw.index.stemming import language
from memoryclaw.model import Matched
from memoryclaw.skills.match import ENOUGH, match, values_in
from memoryclaw.skills.skill_file import ParameterSpec, read_skill

MONDAY = date(2026, 4, 20)


def skill(name, description, triggers="", parameters=""):
    head = f"---\nname: {name}\ndescription: {description}\n{triggers}{parameters}---\nx\n"
    return read_skill(f"skills/{name}/SKILL.md", head.encode())


MAIL = skill(
    "send-email",
    "Sends an email to one person.",
    "triggers: [send email, write to]\n",
    "parameters:\n  recipient: {type: email}\n  subject: {type: string}\n  on: {type: date, optional: true}\n",
)
UPDATE = skill("send-weekly-update", "Writes the studio's weekly update. Use on Monday morning.")
TRAIN = skill("book-train-travel", "Finds train journeys.", "triggers: [book a train]\n")


def matched(request, *skills):
    return match(request, skills or (UPDATE, TRAIN, MAIL), language("en"), MONDAY)


def test_the_skill_that_is_meant_comes_first_and_the_words_say_why():
    found = matched("send an email to John")
    assert [one.skill.name for one in found] == ["send-email", "send-weekly-update"]
    assert found[0].score > 3 > ENOUGH > found[1].score
    assert Matched("email", "trigger", "literal") in found[0].matched
    assert found[0].values == (("recipient", "John"),)
    assert found[0].missing == ("subject",)


def test_the_terms_add_up_to_the_score():
    found = matched("send the weekly email about the train on Monday")
    assert {one.skill.name for one in found} == {"send-email", "send-weekly-update", "book-train-travel"}
    for one in found:
        assert one.terms
        assert sum(term.value for term in one.terms) == pytest.approx(one.score, abs=1e-9)
        assert {m.field for m in one.matched} == {term.name for term in one.terms}


def test_other_forms_of_a_word_match():
    [one, *_] = matched("I sent emails")
    assert one.skill.name == "send-email"
    assert Matched("sent", "trigger", "stem") in one.matched


def test_words_without_a_subject_match_nothing():
    assert matched("what will it be for them?") == []
    assert matched("") == []


def test_half_a_trigger_is_worth_less_than_half():
    [half] = matched("a train", TRAIN)
    [whole] = matched("book a train", TRAIN)
    assert half.terms[0].value < whole.terms[0].value / 2


def test_equal_scores_stand_in_order_of_their_names():
    twins = [skill(name, "Waters the plants.") for name in ("b-plants", "a-plants")]
    assert [one.skill.name for one in matched("water the plants", *twins)] == ["a-plants", "b-plants"]


@pytest.mark.parametrize(
    ("request_", "name", "type_", "value"),
    [
        ("mail to john@example.com, please", "to", "email", "john@example.com"),
        ("send it to Anna Marie Weiß tomorrow", "recipient", "email", "Anna Marie Weiß"),
        ("send it to Anna's office", "recipient", "", "Anna"),
        ("schreib eine Mail an Jürgen", "to", "person", "Jürgen"),
        ("from Hamburg to Aarhus", "from", "string", "Hamburg"),
        ("from Hamburg to Aarhus", "to", "string", "Aarhus"),
        ("rain in Kanazawa", "place", "string", "Kanazawa"),
        ("call them tomorrow", "day", "date", "2026-04-21"),
        ("in June 2026", "month", "date", "2026-06-01/2026-06-30"),
        ("in April 2026", "month", "date", "2026-04-01/2026-04-30"),
        ("in March 2026", "month", "date", ""),
        ("as we did yesterday", "day", "date", ""),
        ("at 17:30 sharp", "at", "time", "17:30"),
        ("order 12 lamps", "count", "number", "12"),
        ("see https://example.com/a?b for it", "link", "url", "https://example.com/a?b"),
        ('with the subject "Wind plan" to all', "subject", "string", "Wind plan"),
        ("send an email to the crew", "recipient", "email", ""),
        ("send an email", "to", "email", ""),
        ("John is here", "recipient", "", ""),
    ],
)
def test_only_what_is_obvious_is_taken_from_a_request(request_, name, type_, value):
    assert values_in(request_, [ParameterSpec(name, type_)], MONDAY) == ({name: value} if value else {})


def test_no_word_is_taken_twice():
    asked = [ParameterSpec("to", "email"), ParameterSpec("cc", "email"), ParameterSpec("client", "entity")]
    assert values_in("write to Anna", asked, MONDAY) == {"to": "Anna"}
    assert values_in("write to a@x.org and b@x.org", asked, MONDAY) == {"to": "a@x.org", "cc": "b@x.org"}
