from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.errors import ConfigError, InputError
from memoryclaw.model import Fact
from memoryclaw.skills.run import bound, look_up_value, mask, parse_value, standing_for
from memoryclaw.skills.skill_file import Requirement, Step, read_recipe, read_skill
from memoryclaw.skills.tools import read_servers

PATH = "skills/it/SKILL.md"
SEED = {
    "name": "send_email",
    "preconditions": {"recipient": {"type": "email", "source": "semantic or user"}, "subject": {"type": "string", "optional": False}},
    "steps": [{"action": "call_tool", "tool": "email_api", "params": {"to": "$recipient", "n": 5, "deep": {"a": [True, None]}}}],
}  # fmt: skip
FACTS = (
    Fact("Nora", "email", "nora@example.org", 1, id="semantic/people#Nora.email"),
    Fact("Nora", "phone", "12", 2, id="semantic/people#Nora.phone"),
    Fact("Boathouse", "deadline", "2026-12-11", 3, id="semantic/projects#Boathouse.deadline"),
    Fact("John", "value", "john@example.com", 4, id="semantic/contacts#John"),
)


def header(text):
    return read_recipe(
        read_skill(PATH, f"---\nname: it\ndescription: Does the thing.\n{text}\n---\nIt.\n".encode())
    )


def facts(entity):
    return [fact for fact in FACTS if not entity or fact.entity.lower() == entity.lower()]


def need(text):
    return header(f"parameters:\n  {text}\nsteps:\n  - tool: t").needs[0]


def test_the_form_of_the_seed_is_read_with_its_types():
    recipe = read_recipe(read_skill("skills/send_email.json", json.dumps(SEED).encode()))
    assert recipe.problems == ()
    assert recipe.steps == (Step("email_api", {"to": "$recipient", "n": 5, "deep": {"a": [True, None]}}),)
    assert [(need.name, need.remembered, need.asked.optional) for need in recipe.needs] == [("recipient", True, False), ("subject", True, False)]  # fmt: skip


def test_the_same_in_a_header_keeps_types_and_lines():
    recipe = header("parameters:\n  to: {type: email}\nsteps:\n  - tool: a.b\n    as: first\n    args: {n: 5, s: '5', f: 1.5, t: true, z: null, d: 2026-01-01, to: $to}\n  - {tool: c, args: {x: $first}}")  # fmt: skip
    first, second = recipe.steps
    args = bound(first, {"to": "a@b.cd"})
    assert args == {"n": 5, "s": "5", "f": 1.5, "t": True, "z": None, "d": "2026-01-01", "to": "a@b.cd"}
    assert (first.id, first.line, second.line) == ("first", 7, 10)


@pytest.mark.parametrize("text", ["", "steps: do it", "steps: []", "steps: {tool: a}", "steps: [do it]", "steps: [{tool: [a]}]", "steps: [{tool: a, args: $x}]", "steps: [{tool: a, args: {x: $later}}, {tool: b, as: later}]", "steps: [{tool: a, as: x}, {tool: b, as: x}]"])  # fmt: skip
def test_what_is_no_list_of_calls_has_a_problem_and_no_steps(text):
    recipe = header(text)
    assert recipe.steps == ()
    assert recipe.problems
    assert all(problem.hint and problem.path == PATH for problem in recipe.problems)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["tool", "action", "args", "as", "x"]), inner), max_leaves=12))  # fmt: skip
def test_any_json_at_all_is_steps_or_problems(value):
    for whole in (value, {"name": "x", "steps": value}, {"name": "x", "steps": [value]}):
        recipe = read_recipe(read_skill("skills/x.json", json.dumps(whole).encode()))
        assert bool(recipe.steps) != bool(recipe.problems)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [("integer", "5", 5), ("number", "1,5", 1.5), ("boolean", "yes", True), ("list", "a, b", ["a", "b"]), ("list", "[1]", [1]), ("map", '{"a": 1}', {"a": 1}), ("date", "2026-01-31", "2026-01-31"), ("string", "5", "5"), ("", "[x]", "[x]")],
)  # fmt: skip
def test_a_value_has_the_type_of_its_parameter(kind, text, value):
    assert parse_value(need(f"x: {{type: '{kind}'}}"), text) == value


@pytest.mark.parametrize(("kind", "text"), [("integer", "1.5"), ("integer", "true"), ("number", "NaN"), ("number", "1e999"), ("list", "[" * 90 + "]" * 90), ("boolean", "perhaps"), ("map", "[1]"), ("date", "soon"), ("date", "2026-02-31"), ("email", "a b@c"), ("url", "javascript:x"), ("string", "x" * 70_000)])  # fmt: skip
def test_a_value_that_is_none_of_its_type_is_refused(kind, text):
    with pytest.raises(InputError, match=r"^x (must be|has)"):
        parse_value(need(f"x: {{type: {kind}}}"), text)


@pytest.mark.parametrize(
    ("parameter", "entities", "value"),
    [
        ("x: {source: semantic/projects#Boathouse.deadline}", (), "2026-12-11"),
        ("x: {source: Boathouse.deadline}", (), "2026-12-11"),
        ("x: {source: semantic/people#Boathouse.deadline}", (), None),
        ("x: {type: email, source: semantic/contacts#John}", (), "john@example.com"),
        ("email: {type: email, source: semantic}", ("Nora",), "nora@example.org"),
        ("email: {type: email}", (), None),
        ("deadline: {type: date}", (), None),
        ("nora_email: {type: email}", (), "nora@example.org"),
        ("nora_email: {type: email, source: user}", (), None),
        ("nora_email: {type: secret}", (), None),
        ("nora_email: {type: secret, source: semantic/people#Nora.email}", (), None),
    ],
)
def test_a_missing_value_is_taken_from_facts_only_where_there_is_exactly_one(parameter, entities, value):
    fact = look_up_value(need(parameter), entities, facts)
    assert (fact.value if fact else None) == value


def test_a_name_stands_for_an_address_that_a_fact_gives():
    wanted = need("to: {type: email}")
    assert standing_for(wanted, "Nora", facts).id == "semantic/people#Nora.email"
    assert standing_for(wanted, "john", facts).value == "john@example.com"
    assert standing_for(wanted, "Boathouse", facts) is None
    assert standing_for(wanted, "a@b.cd", facts) is None


def test_secrets_are_hidden_wherever_they_stand():
    secrets = frozenset({"abc", "abcdef"})
    assert mask({"k": ["x abcdef", 5], "abc": "y"}, secrets) == {
        "k": ["x [secret]", 5],
        "[secret]": "y",
    }
    quoted = 'it\'s "ü"'
    for text in (quoted, repr(quoted), json.dumps(quoted), json.dumps(quoted, ensure_ascii=False)):
        assert mask(text, frozenset({quoted})).strip("'\"") == "[secret]"


def test_servers_take_what_is_secret_from_the_environment():
    value = {"mail": {"command": "serve", "args": "x", "env": {"KEY": "k-${TOKEN}"}}, "web": {"url": "https://x.example/mcp", "headers": {"A": "${TOKEN}"}}}  # fmt: skip
    mail, web = read_servers(value, {"TOKEN": "t"})
    assert (mail.env, mail.args, web.headers) == ({"KEY": "k-t"}, ("x",), {"A": "t"})
    with pytest.raises(ConfigError, match="TOKEN"):
        read_servers(value, {})


def test_values_are_exactly_those_that_the_file_holds():
    assert need("x: {type: map, default: {a: 1, b: {c: 2}}}").default == {"a": 1, "b": {"c": 2}}
    args = {"a": {"\0line": 1}, "\0line": 2}
    steps = {"name": "x", "steps": [{"tool": "t", "args": args}]}
    [step] = read_recipe(read_skill("skills/x.json", json.dumps(steps).encode())).steps
    assert bound(step, {}) == args


def test_a_problem_names_the_line_of_its_step():
    recipe = header("steps:\n  - {tool: a}\n  - then the rest\n  - tool: b\n    if: x")
    assert [problem.line for problem in recipe.problems] == [6, 7]


def test_what_is_nested_too_deeply_is_refused():
    steps = '{"name": "x", "steps": [{"tool": "t", "args": {"a": ' + "[" * 400 + "]" * 400 + "}}]}"
    [problem] = read_recipe(read_skill("skills/x.json", steps.encode())).problems
    assert "nested too deeply" in problem.message


def test_a_default_stands_in_and_an_optional_argument_is_left_out():
    assert isinstance(need("x: {default: 5}"), Requirement)
    assert need("x: {default: 5}").default == 5
    assert bound(Step("t", {"a": "$x", "b": "<$x>"}), {"x": None}) == {"b": "<>"}
