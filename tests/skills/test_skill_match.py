from __future__ import annotations

import pytest

from memoryclaw.index.stemming import language
from memoryclaw.model import Matched
from memoryclaw.skills.listing import ENOUGH, match
from memoryclaw.skills.skill_file import read_skill


def skill(name, description, triggers=""):
    head = f"---\nname: {name}\ndescription: {description}\n{triggers}---\nx\n"
    return read_skill(f"skills/{name}/SKILL.md", head.encode())


MAIL = skill(
    "send-email",
    "Sends an email to one person.",
    "triggers: [send email, write to]\n",
)
UPDATE = skill("send-weekly-update", "Writes the studio's weekly update. Use on Monday morning.")
TRAIN = skill("book-train-travel", "Finds train journeys.", "triggers: [book a train]\n")


def matched(request, *skills):
    return match(request, skills or (UPDATE, TRAIN, MAIL), language("en"))


def test_the_skill_that_is_meant_comes_first_and_the_words_say_why():
    offers = matched("send an email to John")
    assert [offer.skill.name for offer in offers] == ["send-email", "send-weekly-update"]
    assert offers[0].score > 3 > ENOUGH > offers[1].score
    assert Matched("email", "trigger", "literal") in offers[0].matched


def test_the_terms_add_up_to_the_score():
    offers = matched("send the weekly email about the train on Monday")
    assert {offer.skill.name for offer in offers} == {"send-email", "send-weekly-update", "book-train-travel"}
    for offer in offers:
        assert offer.terms
        assert sum(term.value for term in offer.terms) == pytest.approx(offer.score, abs=1e-9)
        assert {m.field for m in offer.matched} == {term.name for term in offer.terms}


def test_other_forms_of_a_word_match():
    [offer, *_] = matched("I sent emails")
    assert offer.skill.name == "send-email"
    assert Matched("sent", "trigger", "stem") in offer.matched


def test_words_without_a_subject_match_nothing():
    assert matched("what will it be for them?") == []
    assert matched("") == []


def test_half_a_trigger_is_worth_less_than_half():
    [half] = matched("a train", TRAIN)
    [whole] = matched("book a train", TRAIN)
    assert half.terms[0].value < whole.terms[0].value / 2


def test_equal_scores_stand_in_order_of_their_names():
    twins = [skill(name, "Waters the plants.") for name in ("b-plants", "a-plants")]
    assert [match.skill.name for match in matched("water the plants", *twins)] == ["a-plants", "b-plants"]
