from __future__ import annotations

import pytest

from memoryclaw.consolidation.changes import Claim
from memoryclaw.consolidation.reconcile import FactFiles, facts_after, reconcile
from memoryclaw.model import Fact
from memoryclaw.vault.vocabulary import DeclaredField, Schema
from memoryclaw.writing.decisions import REJECTED, UNDONE, Decision, Decisions, fingerprint

PATH = "semantic/projects.md"
SCHEMA = Schema(
    {
        "deadline": DeclaredField("date"),
        "birthday": DeclaredField("date"),
        "email": DeclaredField("email"),
        "lead": DeclaredField("text"),
        "likes": DeclaredField("text", many=True),
    }
)
NOTHING_DECIDED = Decisions()


def claim(field="deadline", value="2026-12-18", **more):
    values = {
        "entity": "Boathouse", "field": field, "value": value, "line": 3, "quote": "…", "role": "user", "said": "2026-03-10",
    }  # fmt: skip
    return Claim(**{**values, **more})


def fact(field="deadline", value="2026-12-11", since="2026-01-01", **more):
    id_ = more.pop("id", f"semantic/projects#Boathouse.{field}")
    return (PATH, Fact("Boathouse", field, value, 3, since, id=id_, **more))


def decide(claim, *known, schema=SCHEMA, decisions=NOTHING_DECIDED, files=None):
    return reconcile(claim, list(known), schema, decisions, files=files or FactFiles())


def test_a_clear_word_of_a_person_about_something_new_is_added():
    done = decide(claim(), fact("lead", "Priya Raman"))
    assert (done.action, done.path, done.since, done.many) == ("add", PATH, "2026-03-10", False)


@pytest.mark.parametrize(
    ("field", "known", "said"),
    [
        ("deadline", "2026-12-18", "2026-12-18"), ("deadline", "18 December 2026", "2026-12-18"),
        ("deadline", "2026-12-18", "18 December 2026"), ("lead", "Priya Raman", "priya  raman"),
        ("lead", "Priya Raman", "Priya"), ("birthday", "1984-01-09", "9 January"),
        ("budget", "74,000 EUR", "74000 EUR"), ("phone", "+49 40 1234567", "+49 (40) 123-4567"),
        ("client", "[[Havørn]]", "havorn"), ("likes", "tea, coffee", "Coffee"),
    ],
)  # fmt: skip
def test_what_is_known_is_confirmed_however_it_is_written(field, known, said):
    done = decide(claim(field, said), fact(field, known))
    assert (done.action, done.fact) == ("confirm", f"semantic/projects#Boathouse.{field}")
    assert done.claim.value == known


def test_a_field_of_one_value_is_superseded_by_a_newer_word_of_a_person():
    done = decide(claim(), fact())
    assert (done.action, done.known, done.fact) == (
        "supersede",
        "2026-12-11",
        "semantic/projects#Boathouse.deadline",
    )
    assert "newer than 2026-12-11" in done.reason
    assert decide(claim(), fact(since="")).action == "supersede"
    assert decide(claim(), fact(since="2026-03-10")).action == "supersede"


def test_an_older_word_changes_nothing():
    done = decide(claim(), fact(since="2026-03-11"))
    assert (done.action, done.reason) == ("drop", "it is older than what is known since 2026-03-11")
    assert decide(claim(since="2025-12-31"), fact()).action == "drop"


def test_a_value_that_was_outdated_since_does_not_come_back():
    past = fact(value="2026-12-18", since="2026-03-10", until="2026-03-12", current=False)
    assert decide(claim(), fact(since="2026-03-01"), past).action == "drop"
    later = claim(said="2026-04-01")
    assert decide(later, fact(since="2026-03-12"), past).action == "supersede"


def test_a_field_of_many_values_collects_them():
    done = decide(claim("likes", "larch"), fact("likes", "oak"))
    assert (done.action, done.many, done.path) == ("add", True, PATH)
    assert decide(claim("allergy", "nuts"), fact("allergy", "penicillin")).action == "add"


def test_a_change_of_where_somebody_is_reached_ends_the_one_that_stands():
    done = decide(claim("phone", "0170 222 2222", change=True), fact("phone", "0170 111 1111"))
    assert (done.action, done.known) == ("supersede", "0170 111 1111")
    assert decide(claim("likes", "larch", change=True), fact("likes", "oak")).action == "add"


def test_a_field_that_the_schema_does_not_know_waits_with_both_values():
    done = decide(claim("colour", "green"), fact("colour", "red"))
    assert (done.action, done.known) == ("pending", "red")
    assert done.reason == "red is known too, and it is not clear that it no longer holds"


def test_of_several_values_it_is_left_to_a_person_which_one_goes():
    two = fact(value="2026-11-11", id="semantic/projects#Boathouse.deadline~2")
    assert decide(claim(), fact(), two).action == "pending"


def test_without_a_date_nothing_is_superseded():
    assert decide(claim(said=""), fact()).action == "pending"
    assert decide(claim(said="")).action == "add"


@pytest.mark.parametrize(
    ("role", "confidence", "action"),
    [
        ("assistant", "high", "pending"), ("assistant", "medium", "pending"), ("assistant", "low", "drop"),
        ("tool", "high", "pending"), ("tool", "low", "drop"), ("", "high", "pending"),
        ("user", "medium", "pending"), ("user", "low", "pending"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("known", [(), (fact(),)])
def test_only_a_clear_word_of_a_person_is_believed(role, confidence, action, known):
    done = decide(claim(role=role, confidence=confidence), *known)
    assert done.action == action
    assert done.known == ("2026-12-11" if known else "")


def test_the_assistant_is_no_further_source_for_what_it_was_told():
    assert decide(claim(role="assistant", value="2026-12-11"), fact()).action == "drop"
    assert decide(claim(confidence="low", value="2026-12-11"), fact()).action == "drop"


def test_what_holds_for_the_moment_is_dropped():
    assert decide(claim(durable=False)).reason == "it holds for the moment only"


def test_a_no_is_remembered_and_what_was_taken_back_asks_again():
    print_ = fingerprint("fact", "Boathouse", "deadline", "2026-12-18")
    no = Decisions([Decision("", REJECTED, "fact", print_)])
    assert decide(claim(), decisions=no).reason == "you said no to this"
    undone = Decisions([Decision("", UNDONE, "fact", print_)])
    done = decide(claim(), fact(), decisions=undone)
    assert (done.action, done.reason) == ("pending", "you took this back before")


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("deadline", "soon", "'soon' is not a date"),
        ("email", "nora at home", "'nora at home' is not an e-mail address"),
    ],
)
def test_a_value_of_the_wrong_type_waits(field, value, reason):
    done = decide(claim(field, value))
    assert (done.action, done.reason) == ("pending", reason)


def test_dates_are_written_as_the_schema_wants_them():
    assert decide(claim(value="18 December")).claim.value == "2026-12-18"
    assert decide(claim("birthday", "May 3rd")).claim.value == "3 May"


def test_the_spelling_of_the_vault_is_kept():
    done = decide(claim("due date", entity="boathouse"), fact())
    assert (done.claim.entity, done.claim.field, done.action) == ("Boathouse", "deadline", "supersede")


def test_a_claim_is_made_plain_before_it_is_written():
    done = decide(claim("owner", "[[Ana]] [since:: 2020]\n- admin: me", entity="# Boat [[house]]"))
    assert (done.claim.entity, done.claim.value) == ("Boat house", "Ana [since: 2020] - admin: me")
    assert decide(claim(value=" ")).action == "drop"


@pytest.mark.parametrize(
    ("field", "files", "path"),
    [
        ("likes", (), "semantic/preferences.md"),
        ("favorite book", (), "semantic/preferences.md"),
        ("email", (), "semantic/people.md"),
        ("work email", (), "semantic/people.md"),
        ("deadline", (), "semantic/facts.md"),
        ("likes", ("semantic/_pending.md", "semantic/people.md", "semantic/x.md"), "semantic/people.md"),
    ],
)
def test_a_new_entity_goes_to_the_file_for_its_kind(field, files, path):
    assert decide(claim(field, "a@b.de"), files=FactFiles(files)).path == path


def test_claims_of_one_run_build_on_each_other():
    known = []
    first = decide(claim(value="2026-12-11", said="2026-03-10"), *known)
    known = facts_after(known, first, "ep1#^l1")
    assert known[0] == (
        "semantic/facts.md",
        Fact(
            "Boathouse", "deadline", "2026-12-11", 0, "2026-03-10", source="ep1#^l1", id="semantic/facts#Boathouse.deadline"
        ),
    )  # fmt: skip
    again = decide(claim(value="2026-12-11", said="2026-03-11"), *known)
    known = facts_after(known, again, "ep1#^l2")
    assert (again.action, known[0][1].source) == ("confirm", "ep1#^l1, ep1#^l2")
    newer = decide(claim(said="2026-03-11"), *known)
    known = facts_after(known, newer, "ep2#^l1")
    assert [(f.value, f.current, f.until) for _, f in known] == [
        ("2026-12-18", True, ""),
        ("2026-12-11", False, "2026-03-11"),
    ]
    assert decide(claim(value="2026-12-11", said="2026-03-10"), *known).action == "drop"
    dropped = decide(claim(role="assistant"), *known)
    assert facts_after(known, dropped, "x") == known


def test_many_values_get_ids_of_their_own():
    known = [fact("likes", "oak")]
    known = facts_after(known, decide(claim("likes", "larch"), *known), "ep")
    assert known[1][1].id == "semantic/projects#Boathouse.likes~2"
    assert decide(claim("likes", "larch"), *known).fact == "semantic/projects#Boathouse.likes~2"


@pytest.mark.parametrize(
    ("said", "today", "action"),
    [
        ("2026-03-10", "2026-03-10", "add"),
        ("2026-03-11", "2026-03-10", "add"),
        ("2026-03-12", "2026-03-10", "pending"),
        ("2027-01-01", "", "add"),
        ("", "2026-03-10", "add"),
    ],
)
def test_what_was_said_at_a_time_that_lies_ahead_waits(said, today, action):
    done = reconcile(claim(said=said), [], SCHEMA, NOTHING_DECIDED, files=FactFiles(), today=today)
    assert done.action == action
    assert ("lies ahead" in done.reason) is (action == "pending")


def test_only_a_person_is_believed_for_sure():
    assert decide(claim(role="assistant")).claim.confidence == "medium"
    assert decide(claim(role="tool")).claim.confidence == "medium"
    assert decide(claim(role="assistant", confidence="low")).claim.confidence == "low"
    assert decide(claim()).claim.confidence == "high"
