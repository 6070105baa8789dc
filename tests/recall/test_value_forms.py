"""A value is asked for by what it looks like: an address by mail, a number by a call, whatever its line says of it."""

from __future__ import annotations

import pytest
from conftest import VaultOf

from memoryclaw.app import open_vault
from memoryclaw.vault.vocabulary import STREET, asked_as

CONTACTS = "# Contacts\n- John: john@acme.example\n- Mara: +49 170 1234567\n- Hut: https://hut.example/book\n- Bo: bo@acme.example\n"
EPISODE = """---
id: ep-mail
timestamp: 2026-03-01T10:00:00Z
summary: John email address
---
John said that his email address is john@old.example and to use it for mail.
"""


def test_the_bare_value_of_a_contact_answers_what_its_form_is_asked_for(vault_of: VaultOf) -> None:
    root = vault_of({"semantic/contacts.md": CONTACTS, "episodes/2026-03-01_10-00-00_mail.md": EPISODE})
    with open_vault(root) as app:
        for question, value in (
            ("What is John's email?", "john@acme.example"),
            ("What is John's email address?", "john@acme.example"),
            ("how do I reach John?", "john@acme.example"),
            ("Mara's phone", "+49 170 1234567"),
            ("how do I call Mara?", "+49 170 1234567"),
            ("what is the website of Hut", "https://hut.example/book"),
        ):
            answer = app.ask(question)
            assert answer.answered, question
            assert value in answer.lines[0].text, question
        assert not any("bo@" in match.unit.text for match in app.recall("What is John's email?").matches)
        app.remember("john@new.example", entity="John", field="email")
        answer = app.ask("What is John's email?")
        assert answer.answered
        assert answer.lines[0].text == "John: john@new.example"
        assert not app.ask("what is John's phone number?").answered


def test_a_contact_in_a_sentence_or_a_line_of_any_note_answers_what_its_form_is_asked_for(
    vault_of: VaultOf,
) -> None:
    friends = "# Friends\n\n- Marek: marek@kolo.example, +48 600 100 200\n- Yusuf – 0151 555 0133\n\n| name | mail |\n|---|---|\n| Ottilie | otti@post.example |\n"
    text = '# Kim\n- "our heating engineer is Aldo, 0664 555 0132" [said:: 2026-03-01]\n'
    filler = {
        f"other/{n}.md": f"Number {n} stands for something else in this long list of things.\n"
        for n in range(12)
    }
    with open_vault(vault_of({"Friends.md": friends, "semantic/people.md": text, **filler})) as app:
        for question, line in (
            ("what is Marek's email?", "Marek: marek@kolo.example, +48 600 100 200"),
            ("how do I reach Marek", "Marek: marek@kolo.example, +48 600 100 200"),
            ("Yusuf's phone number", "Yusuf – 0151 555 0133"),
            ("Ottilie's mail", "name: Ottilie; mail: otti@post.example"),
            ("what's Aldo's number?", 'Kim: "our heating engineer is Aldo, 0664 555 0132"'),
        ):
            assert line.split()[-1] in app.recall(question).context
            answer = app.ask(question)
            assert answer.answered, question
            assert answer.lines[0].text == line
        assert not app.ask("what is Yusuf's email?").answered


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("value", "12 Baker Street", "address"),
        ("value", "Hauptstr. 5, Bonn", "adresse"),
        ("value", "€ 40", "price"),
        ("value", "2026-05-01", "date"),
        ("work", "+49 170 123456", "phone"),
        ("home", "ana@acme.example", "mail"),
    ],
)
def test_a_form_has_words_that_ask_for_it(field: str, value: str, word: str) -> None:
    assert word in asked_as(field, value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("deadline", "2026-05-01"),
        ("value", "app.yaml"),
        ("value", "3 cats"),
        ("value", "soon"),
        ("version", "1.2.3"),
    ],
)
def test_what_has_no_form_is_asked_for_by_its_field_alone(field: str, value: str) -> None:
    assert not asked_as(field, value)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("they moved to 12 Mill Road", "12 Mill Road"),
        ("wir wohnen Am Ring 5", "Am Ring 5"),
        ("Bahnhofstraße 12", "Bahnhofstraße 12"),
        ("we have 80 guests", ""),
        ("it cost 400 euros", ""),
        ("spring 2026, during 3 days", ""),
    ],
)
def test_a_word_that_ends_as_a_street_does_leads_to_no_address(text: str, address: str) -> None:
    hit = STREET.search(text)
    assert (hit[0] if hit else "") == address
