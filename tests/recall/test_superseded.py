from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from gitvault import git

from memoryclaw.app import App, init_vault, open_vault
from memoryclaw.interfaces import shapes
from memoryclaw.model import AGENT

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
LOG = "logs/2026-03-01/boats.jsonl"
EPISODE = "episodes/2026-03-01_09-00-00_boats.md"
SAID = ("The deadline of Atlas is 10 April.", "Its mast is spruce.", "The winch jams when it rains.")
FACTS = (
    "# Atlas\n- deadline: 2026-05-02 [since:: 2026-04-20]\n"
    "- mast: spruce [source:: [[2026-03-01_09-00-00_boats#^l2]]]\n\n"
    "## History\n- deadline: 2026-04-10 [since:: 2026-03-01] [source:: [[2026-03-01_09-00-00_boats#^l1]]] [until:: 2026-04-20]\n"
    '- "the winch jams" [said:: 2026-03-01] [source:: [[2026-03-01_09-00-00_boats#^l3]]] [until:: 2026-04-02]\n'
)


def put(root: Path, facts: str = FACTS, *, label: str = "") -> Path:
    init_vault(root, clock=lambda: NOW)
    turns = [
        {"ts": f"2026-03-01T09:00:0{n}Z", "session": "boats", "turn": n, "role": "user", "name": "Nora", "content": said}
        for n, said in enumerate(SAID, 1)
    ]  # fmt: skip
    points = "\n".join(f"- Nora: {said} ^l{n}" for n, said in enumerate(SAID, 1))
    files = {
        LOG: "".join(json.dumps(turn) + "\n" for turn in turns),
        EPISODE: f"---\nid: boats-talk\nsource: {LOG}#1-3@0123456789abcdef\nsummary: About the boat.\n---\n# The boat\n\n{points}\n",
        "semantic/projects.md": facts.replace("# Atlas", f"# Atlas {label}".rstrip()),
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    return root


def opened(root: Path, audience: str = "owner") -> App:
    return open_vault(root, clock=lambda: NOW, audience=audience)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return put(tmp_path / "v")


def marks(root: Path, question: str, audience: str = "owner") -> dict[str, list[str]]:
    with opened(root, audience) as app:
        matches = shapes.search(app.search(question))["matches"]
    return {match["id"]: match["superseded"] for match in matches if match["superseded"]}


def test_an_episode_says_what_holds_now(vault):
    with opened(vault) as app:
        recalled = app.recall("what did Nora say of the boat, its winch, mast and deadline", budget=2000)
    assert (
        "when it rains. (since 2026-04-20: deadline 2026-05-02; superseded since 2026-04-02)"
        in recalled.context
    )
    assert recalled.context.count("superseded since") == 1
    assert recalled.tokens <= recalled.budget


@pytest.mark.parametrize("budget", [110, 130, 160, 200, 300])
def test_a_passage_of_an_episode_bears_the_marks_of_the_lines_that_it_shows(vault, budget):
    text = (vault / EPISODE).read_text()
    planks = "".join(f"- Nora: Plank {n} of the hull took oil and two coats of paint.\n" for n in range(30))
    for opening in ("The deadline", "Its mast", "The winch"):
        text = text.replace(f"- Nora: {opening}", f"{planks}- Nora: {opening}")
    (vault / EPISODE).write_text(text)
    (vault / LOG).unlink()
    with opened(vault) as app:
        recalled = app.recall("spruce mast of the boat", budget=budget)
    lines = recalled.context.splitlines()
    passage = next(text for text in lines if "spruce" in text and "mast" in text)
    assert ("10 April" in passage) == ("deadline 2026-05-02" in passage)
    assert ("winch jams" in passage) == ("superseded since 2026-04-02" in passage)
    assert recalled.tokens <= budget


def test_a_turn_says_so_and_one_whose_fact_holds_says_nothing(vault):
    text = (vault / EPISODE).read_text()
    (vault / EPISODE).write_text(text[: text.index("- Nora")] + "A talk.\n")
    with opened(vault) as app:
        context = app.recall(
            "what did Nora say of the boat, its winch, mast and deadline", budget=2000
        ).context
    assert "10 April. (since 2026-04-20: deadline 2026-05-02)" in context
    assert "when it rains. (superseded since 2026-04-02)" in context
    assert "spruce. (" not in context


def test_a_search_marks_turns_and_episodes(vault):
    assert marks(vault, "deadline 10 April") == {
        "log:boats/1": ["since 2026-04-20: deadline 2026-05-02"],
        "log:boats/3": ["superseded since 2026-04-02"],
        "boats-talk": ["since 2026-04-20: deadline 2026-05-02", "superseded since 2026-04-02"],
    }


def test_show_names_the_lines_and_what_they_told(vault):
    with opened(vault) as app:
        episode = shapes.show(app.show("boats-talk"), app.freshness)["superseded"]
        turn = shapes.show(app.show("log:boats/1"), app.freshness)["superseded"]
        fine = shapes.show(app.show("log:boats/2"), app.freshness)["superseded"]
        log = app.show(LOG).superseded
        note = app.show("semantic/projects").superseded
    assert [(mark["line"], mark["field"], mark["value"], mark["now"]) for mark in episode] == [
        (8, "deadline", "2026-04-10", "2026-05-02"),
        (10, "", "the winch jams", ""),
    ]
    assert [mark["since"] for mark in turn] == ["2026-04-20"]
    assert (fine, note) == ([], ())
    assert [mark.line for mark in log] == [1, 3]


def test_of_several_lines_that_tell_of_one_turn_only_the_one_whose_fact_it_was_says_so(tmp_path):
    root = put(
        tmp_path / "v", FACTS.replace("boats#^l1]]", "boats#^l1-2]]").replace("boats#^l3]]", "boats#^l1]]")
    )
    episode = root / EPISODE
    episode.write_text(episode.read_text().replace("^l3", "^l1-3").replace("^l2", "^l1-2"))
    with opened(root) as app:
        marks = app.show("boats-talk").superseded
        turn = app.show("log:boats/1").superseded
    assert [(mark.line, mark.value) for mark in marks] == [(8, "the winch jams"), (9, "2026-04-10")]
    assert sorted(mark.value for mark in turn) == ["2026-04-10", "the winch jams"]


def test_the_page_of_a_conversation_says_so_beside_the_turn(vault):
    with opened(vault) as app:
        first, second, _ = app.conversation("boats").turns
    assert [made.what for made in first.made if made.kind == "superseded"] == [
        "Atlas: deadline is 2026-04-10 (since 2026-04-20: deadline 2026-05-02)"
    ]
    assert all(made.kind != "superseded" for made in second.made)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("deadline: 2026-05-02", "deadline: 10 April 2026"),  # it holds again
        ("[until:: 2026-04-20]", "[until:: 2026-06-01]"),  # it holds until then
        ("#^l1", "#^l9"),  # another line
        ("[[2026-03-01_09-00-00_boats#^l1]]", "[[boats]]"),  # nobody knows which
    ],
)
def test_a_line_whose_fact_holds_is_not_marked(tmp_path, old, new):
    root = put(tmp_path / "v", FACTS.replace(old, new))
    assert "log:boats/1" not in marks(root, "deadline 10 April")


def test_a_value_that_nobody_vouches_for_is_not_told_beside_a_line(tmp_path):
    doubted = FACTS.replace("[since:: 2026-04-20]", "[since:: 2026-04-20] [trust:: untrusted]")
    assert marks(put(tmp_path / "v", doubted), "deadline 10 April")["log:boats/1"] == [
        "superseded since 2026-04-20"
    ]


def test_an_audience_hears_nothing_of_a_fact_that_it_may_not_see(tmp_path):
    root = put(tmp_path / "v", label="[audience:: owner]")
    assert "log:boats/1" in marks(root, "deadline 10 April")
    assert marks(root, "deadline 10 April", AGENT) == {}
    with opened(root, AGENT) as app:
        assert app.show("log:boats/1").superseded == ()
        assert "2026-05-02" not in app.recall("the boat deadline 10 April").context


def test_the_lines_of_two_logs_are_not_taken_for_one_another(tmp_path):
    root = put(tmp_path / "v")
    other = "logs/2026-03-02/other.jsonl"
    path = root / EPISODE
    path.write_text(
        path.read_text().replace("@0123456789abcdef", f"@0123456789abcdef {other}#1-2@0123456789abcdef")
    )
    assert "log:boats/1" not in marks(root, "deadline 10 April")


def test_the_index_that_grew_marks_as_one_built_anew(vault):
    asked = "deadline 10 April"
    text = (vault / EPISODE).read_text()
    (vault / EPISODE).write_text(text.replace("#1-3@", "#2-3@"))
    assert "log:boats/1" not in marks(vault, asked)
    (vault / EPISODE).write_text(text)
    grown = marks(vault, asked)
    with opened(vault) as app:
        app.reindex()
        assert app.doctor()[3].level == "ok"
    assert marks(vault, asked) == grown
    assert "log:boats/1" in grown


def test_of_an_episode_only_the_line_whose_fact_is_over_is_no_sure_answer(vault):
    (vault / LOG).unlink()
    with opened(vault) as app:
        mast, winch = app.ask("is the mast spruce?"), app.ask("when does the winch jam?")
    assert not any("superseded" in line.against for line in mast.lines if "mast" in line.text)
    assert any("superseded" in line.against for line in winch.lines if "winch jams" in line.text)
