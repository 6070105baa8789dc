"""OpenClaw's configuration as text: what is installed is taken out again, to the byte, whatever the text looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from memoryclaw.connect.json5 import parse, plain, put, value_at
from memoryclaw.connect.openclaw import installing
from memoryclaw.connect.openclaw.installing import install, uninstall, wishes
from memoryclaw.errors import ConfigError

WANTED = wishes(
    plugin="/opt/mc/plugins/openclaw",
    vault="/home/n/vault",
    command=["python", "-m", "memoryclaw"],
)
KEYS = (
    "plugins", "load", "paths", "slots", "memory", "entries", "memoryclaw", "memory-core", "enabled", "allow",
)  # fmt: skip
blank = st.sampled_from(
    ("", "", " ", "\n", "\n  ", "\t", "\r\n    ", " // tea\n", " /* a, b: {} */ ", "\n// x  \n  ")
)
key = st.sampled_from((*KEYS, "skills", "extraDirs", "hooks", "config", "a", "b"))
scalar = st.sampled_from(
    ("true", "false", "null", "1", "-.5", "0xFF", "'it\\'s'", '"memory-core"', '"ø // no"', "+Infinity")
)


def spelt(name: str, how: int) -> str:
    return name if how == 0 and name.isidentifier() else f"'{name}'" if how == 1 else json.dumps(name)


@st.composite
def texts(draw: st.DrawFn, shape: Any, depth: int = 0) -> str:
    """A JSON5 text of this shape, spelt as anybody might."""
    if isinstance(shape, dict | list):
        items = list(shape.items()) if isinstance(shape, dict) else [("", each) for each in shape]
        parts = []
        for n, (name, value) in enumerate(items):
            label = f"{spelt(name, draw(st.integers(0, 2)))}{draw(blank)}:" if isinstance(shape, dict) else ""
            comma = "," if n < len(items) - 1 or draw(st.booleans()) else ""
            parts.append(
                f"{draw(blank)}{label}{draw(blank)}{draw(texts(value, depth + 1))}{draw(blank)}{comma}"
            )
        inner = "".join(parts) + draw(blank)
        return f"{{{inner}}}" if isinstance(shape, dict) else f"[{inner}]"
    return shape


strings = st.lists(st.sampled_from(('"/x"', "'/y'", '"memoryclaw"')), max_size=2)
anything = st.recursive(
    scalar, lambda s: st.dictionaries(key, s, max_size=3) | st.lists(s, max_size=2), max_leaves=6
)
entry = st.fixed_dictionaries(
    {}, optional={"enabled": scalar, "config": st.dictionaries(key, scalar, max_size=2)}
)
plugins = st.fixed_dictionaries(
    {},
    optional={
        "load": st.fixed_dictionaries({}, optional={"paths": strings}),
        "allow": strings,
        "slots": st.fixed_dictionaries({}, optional={"memory": scalar, "a": scalar}),
        "entries": st.fixed_dictionaries(
            {}, optional={"memory-core": entry, "memoryclaw": entry, "b": entry}
        ),
    },
)
skills = st.fixed_dictionaries(
    {}, optional={"load": st.fixed_dictionaries({}, optional={"extraDirs": strings})}
)
shapes = st.fixed_dictionaries(
    {}, optional={"plugins": plugins, "skills": skills, "gateway": anything, "z": anything}
)
configs = st.tuples(blank, shapes.flatmap(texts), blank).map("".join)


@given(configs)
@settings(deadline=None, phases=(Phase.explicit, Phase.generate))
def test_uninstall_gives_back_every_byte_and_a_second_install_changes_none(text: str) -> None:
    once, _ = install(text, WANTED)
    says = plain(parse(once))
    assert says["plugins"]["slots"]["memory"] == "memoryclaw"
    assert says["plugins"]["entries"]["memoryclaw"]["hooks"]["allowConversationAccess"] is True
    assert says["plugins"]["entries"]["memory-core"]["enabled"] is False
    assert says["skills"]["load"]["extraDirs"][-1] == "/home/n/vault/.memoryclaw/host-skills"
    assert install(once, WANTED) == (once, [])
    assert uninstall(once, text) == text


@given(configs, st.sampled_from((("gateway", "fresh"), ("plugins", "entries", "other"), ("skills", "fresh"))))
@settings(max_examples=25, deadline=None, phases=(Phase.explicit, Phase.generate))
def test_what_a_person_adds_later_stays(text: str, path: tuple[str, ...]) -> None:
    try:
        alone, _ = put(text, path, {"n": 1})
    except ConfigError:
        return  # the text holds something else there
    later, _ = put(install(text, WANTED)[0], path, {"n": 1})
    assert plain(parse(uninstall(later, text))) == plain(parse(alone))


@given(configs)
@settings(max_examples=25, deadline=None, phases=(Phase.explicit, Phase.generate))
def test_another_vault_takes_the_place_of_the_first_and_goes_as_cleanly(text: str) -> None:
    other = wishes(plugin="/opt/new/plugins/openclaw", vault="/v2", command=["memoryclaw"])
    twice, _ = install(install(text, WANTED)[0], other)
    assert "/home/n/vault" not in twice
    assert plain(parse(uninstall(twice, text))) == plain(parse(text))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda s: st.lists(s, max_size=3) | st.dictionaries(st.text(max_size=4), s, max_size=3),
        max_leaves=8,
    ),
    st.sampled_from((None, 2)),
)
@settings(max_examples=25, deadline=None, phases=(Phase.explicit, Phase.generate))
def test_json_is_read_as_json(value: Any, indent: int | None) -> None:
    assert plain(parse(json.dumps(value, indent=indent))) == value


def test_a_config_in_the_style_of_a_person_keeps_its_style() -> None:
    text = "{\n  // my own\n  gateway: { port: 1 }, // here\n  plugins: {\n    slots: { memory: 'memory-core', },\n  },\n}\n"
    once, steps = install(text, WANTED)
    assert '    slots: { memory: "memoryclaw", },\n    "load": {\n      "paths": [\n' in once
    assert "gateway: { port: 1 }, // here\n" in once
    assert [step.did for step in steps] == ["item", "replaced", "added", "added", "item"]
    assert uninstall(once, text) == text


def test_values_that_a_person_changed_since_stay() -> None:
    before = "{plugins: {slots: {memory: 'lancedb'}}}"
    theirs = install(before, WANTED)[0].replace('memory: "memoryclaw"', 'memory: "honcho"')
    without = uninstall(theirs, before)
    assert plain(parse(without)) == {"plugins": {"slots": {"memory": "honcho"}}}
    assert uninstall(install(theirs, WANTED)[0], without) == '{plugins: {slots: {memory: "honcho"}}}'


def test_settings_of_the_plugin_survive_another_install_and_go_with_it() -> None:
    tuned = install("{}", WANTED)[0].replace('"config": {', '"config": {"budget": 900, ')
    again, _ = install(tuned, WANTED)
    assert value_at(again, (*installing.ENTRY, "config", "budget"))
    assert uninstall(again, "{}") == "{}"


@pytest.mark.parametrize("said", [True, False])
def test_whether_the_model_reads_is_what_a_person_said_last(said: bool) -> None:
    once, _ = install("{}", WANTED)
    assert plain(value_at(once, installing.READS)) is True
    theirs = once.replace('"readWithModel": true', f'"readWithModel": {json.dumps(said)}')
    again, _ = install(theirs, WANTED)
    assert plain(value_at(again, installing.READS)) is said
    assert uninstall(again, "{}") == "{}"


def test_an_install_from_before_the_model_read_gets_the_setting_and_gives_it_back() -> None:
    before = [wish for wish in WANTED if not wish.default]
    again, _ = install(install("{}", before)[0], WANTED)
    assert plain(value_at(again, installing.READS)) is True
    assert uninstall(again, "{}") == "{}"


@pytest.mark.parametrize("before", ["", "{spoilt", "[]"])
def test_without_a_text_of_before_the_defaults_of_openclaw_return(before: str) -> None:
    once, _ = install("{\n  plugins: {allow: ['x'], slots: {memory: 'lancedb'}},\n}\n", WANTED)
    assert plain(parse(uninstall(once, before))) == {"plugins": {"allow": ["x"]}}
    theirs = "{plugins: {entries: {'memory-core': {enabled: false}}}}"
    assert uninstall(theirs, before) == theirs


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{\n a: 1\n b: 2}", "line 3: a comma is missing here"),
        ("{a 1}", "line 1: a colon is missing after 'a'"),
        ("{a: }", "line 1: a value is missing here"),
        ("", "line 1: a value is missing here"),
        ("{} x", "line 1: there is more text after the end of the value"),
        ("{a: nope}", "line 1: 'nope' is not a value"),
        ("[" * 200, "line 1: this is nested too deeply"),
        ("{plugins: 1}", "plugins is not an object"),
        ("[]", "the whole text is not an object"),
        ("{plugins: {load: {paths: 'x'}}}", "plugins.load.paths is not a list"),
    ],
)
def test_what_cannot_be_edited_is_said_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        install(text, WANTED)


def test_duplicate_keys_and_escapes_are_read_as_openclaw_reads_them() -> None:
    assert plain(
        parse("{a: 1, \"\\u0061\": 2, b\\u0063: '\\x41\\\n\\v', n: [+1, .5, 5., 1e3, -0x1F, null,]}")
    ) == {"a": 2, "bc": "A\v", "n": [1, 0.5, 5.0, 1000.0, -31, None]}
