from __future__ import annotations

import pytest

from memoryclaw.vault.vocabulary import (
    DEFAULT_COLLECTIONS,
    DeclaredField,
    read_aliases,
    read_schema,
    vocabulary_problems,
)


def test_the_seeds_aliases_work_in_both_directions():
    aliases = read_aliases("# comment\nbudget:\n  - finance\n  - Campaign Team\nmail: post\n")
    assert aliases == {
        "budget": ("finance", "campaign team"), "finance": ("budget",), "campaign team": ("budget",),
        "mail": ("post",), "post": ("mail",),
    }  # fmt: skip


def test_a_list_of_lists_links_all_of_its_words():
    assert read_aliases("- [a, b, c]\n") == {"a": ("b", "c"), "b": ("a", "c"), "c": ("a", "b")}


def test_aliases_may_go_round_in_circles():
    assert read_aliases("a: [b, a]\nb: [a]\n") == {"a": ("b",), "b": ("a",)}


def test_broken_aliases_are_none_and_reported():
    assert read_aliases("a: [b\n") == {}
    assert vocabulary_problems("semantic/aliases.yaml", "a: [b\n")[0].path == "semantic/aliases.yaml"
    assert "no synonyms" in vocabulary_problems("semantic/aliases.yaml", "words")[0].message
    assert vocabulary_problems("semantic/aliases.yaml", "a: b") == ()


def test_a_schema_names_collections_and_fields_in_any_spelling():
    schema = read_schema(
        "collections: [Contacts, My Things]\nfields:\n  Deadline: date\n  email: {type: email, values: many}\n"
        "  team: many\n  phone: [phone, many]\n"
    )
    assert schema.collections == {"contacts", "my things"}
    assert schema.fields == {
        "deadline": DeclaredField("date"), "email": DeclaredField("email", many=True), "team": DeclaredField("text", many=True),
        "phone": DeclaredField("phone", many=True),
    }  # fmt: skip
    assert schema.problems == ()


def test_an_empty_or_broken_schema_has_the_defaults():
    assert read_schema("").collections == DEFAULT_COLLECTIONS
    broken = read_schema("fields: [")
    assert broken.collections == DEFAULT_COLLECTIONS
    assert broken.problems


def test_an_unknown_type_is_reported_with_its_line():
    problem = vocabulary_problems("semantic/_schema.yaml", "fields:\n  a: date\n  b: dtae\n")[0]
    assert (problem.line, "'dtae' is not a type" in problem.message) == (3, True)


@pytest.mark.parametrize("fields", ["7", "[birthday]", "birthday"])
def test_fields_that_are_no_keys_declare_nothing_and_are_reported(fields):
    schema = read_schema(f"# mine\nfields: {fields}\n")
    assert schema.fields == {}
    assert [(problem.line, problem.message) for problem in schema.problems] == [
        (2, "`fields` is not a list of keys")
    ]


def test_a_supersede_that_is_neither_yes_nor_no_is_reported_and_decides_nothing():
    schema = read_schema(
        "fields:\n  rent: {supersede: maybe}\n  lead: {supersede: yes}\n  city: {supersede: false}\n"
    )
    (problem,) = schema.problems
    assert (problem.line, problem.message) == (2, "rent: supersede: 'maybe' is neither true nor false")
    assert [schema.fields[name].supersede for name in ("rent", "lead", "city")] == [False, True, False]
