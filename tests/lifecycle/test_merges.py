from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from gitvault import git

from memoryclaw.app import init_vault, open_vault
from memoryclaw.consolidation.planning import shingles
from memoryclaw.errors import NotFoundError
from memoryclaw.lifecycle.upkeep import MOST_PAIRS, alike_pairs

NOW = datetime(2026, 5, 4, 3, 0, tzinfo=UTC)
PAINT = "- Nora: The paint for the kitchen wall is Dünensand 14, the matt one, two buckets. ^l3"
ORDER = "- Nora: Pip orders both buckets at the shop in Otley this week. ^l5"
ROLLER = "- Nora: The ceiling of the bathroom needs a roller with a long pole. ^l7"


def episode(day, id_, *lines, header="", log=None):
    source = f"logs/{day}/{log or id_}.jsonl#1-9@aaaaaaaaaaaaaaaa"
    return (
        f"---\nid: {id_}\ntimestamp: {day}T09:00:00Z\nsummary: About {id_}\n{header}source: {source}\n---\n# About {id_}\n\n"
        + "".join(f"{line}\n" for line in lines)
    )


@pytest.fixture
def vault(tmp_path):
    root = tmp_path / "v"
    init_vault(root)

    def of(**files):
        for name, text in files.items():
            path = root / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        git(root, "add", "-A")
        git(root, "commit", "-qm", "mine", "--allow-empty")
        return root

    return of


def put(root: Path, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    return root


def night(root, days=0):
    with open_vault(root, clock=lambda: NOW + timedelta(days=days)) as app:
        return app.consolidate(llm="none").upkeep


def waiting(root):
    with open_vault(root, clock=lambda: NOW) as app:
        return [item for item in app.review.list() if item.kind == "merge"]


def approve(root, *items):
    with open_vault(root, clock=lambda: NOW) as app:
        return app.review.approve(list(items) or [i for i in app.review.list() if i.kind == "merge"])


def show(root, id_):
    with open_vault(root, clock=lambda: NOW) as app:
        return app.show(id_)


TWO = {
    "episodes/2026-01-05_09-00-00_paint.md": episode("2026-01-05", "ep-paint", PAINT, ORDER, ROLLER),
    "episodes/2026-02-07_09-00-00_again.md": episode("2026-02-07", "ep-again", PAINT, ORDER),
    "semantic/projects.md": "# Kitchen\n- paint: Dünensand 14 [source:: [[ep-again#^l3]]]\n",
    "plan.md": "See [[ep-again]] and [[2026-02-07_09-00-00_again]].\n",
}


@pytest.fixture
def two(vault):
    return put(vault(), TWO)


def snapshot(root):
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
        and not {".git", ".memoryclaw", "ledger", "review", "runs"} & set(path.relative_to(root).parts)
    }


def test_an_episode_that_another_day_holds_is_proposed_and_nothing_is_merged_without_a_yes(two):
    before = snapshot(two)
    night(two)
    (item,) = waiting(two)
    assert item.what == "ep-again repeats ep-paint"
    assert item.why == "ep-paint holds all that ep-again says"
    assert snapshot(two) == before
    assert night(two, days=1) is None


def test_a_yes_archives_the_one_and_unites_their_sources(two):
    night(two)
    approve(two)
    kept = (two / "episodes/2026-01-05_09-00-00_paint.md").read_text()
    assert (
        "source: [logs/2026-01-05/ep-paint.jsonl#1-9@aaaaaaaaaaaaaaaa, logs/2026-02-07/ep-again.jsonl#1-9@aaaaaaaaaaaaaaaa]"
        in kept.replace('"', "")
    )
    assert "merged_from: [ep-again]\n" in kept
    assert kept.count(PAINT) == 1
    archived = two / "archive/episodes/2026-02-07_09-00-00_again.md"
    assert archived.read_text() == TWO["episodes/2026-02-07_09-00-00_again.md"]
    assert git(two, "status", "--short") == ""


def test_the_old_id_and_links_to_it_lead_to_the_merged_note(two):
    night(two)
    approve(two)
    assert show(two, "ep-again").address.path == "episodes/2026-01-05_09-00-00_paint.md"
    assert show(two, "archive/episodes/2026-02-07_09-00-00_again").address.path.startswith("archive/")
    with open_vault(two, clock=lambda: NOW) as app:
        assert {end.to for end in app.links("plan").out} == {"ep-paint"}
        assert {end.source for end in app.links("ep-paint").back} == {"plan.md", "semantic/projects.md"}
        assert app.catalog.merged_ids() == {"ep-again": "ep-paint"}
        (match,) = [m for m in app.search("long pole roller").matches if m.note == "ep-paint"]
        assert match
        app.reindex()
        assert app.show("ep-again").address.note == "ep-paint"


def test_undo_parts_them_again_byte_for_byte(two):
    night(two)
    before = snapshot(two)
    (done,) = approve(two)
    assert snapshot(two) != before
    with open_vault(two, clock=lambda: NOW) as app:
        app.undo(done.commit)
    assert snapshot(two) == before
    assert show(two, "ep-again").address.path == "episodes/2026-02-07_09-00-00_again.md"


def test_a_no_is_remembered(two):
    night(two)
    with open_vault(two, clock=lambda: NOW) as app:
        app.review.reject(app.review.list())
    assert night(two, days=1) is None


def test_what_only_the_other_has_goes_with_it(vault):
    lines = [
        f"- Nora: The plank number {n} of the boathouse floor is rotten and goes out on Monday. ^l{n}"
        for n in range(1, 12)
    ]
    root = put(
        vault(),
        {
            "episodes/2026-01-05_09-00-00_a.md": episode("2026-01-05", "ep-a", *lines),
            "episodes/2026-02-07_09-00-00_b.md": episode(
                "2026-02-07", "ep-b", *lines[:9], "- Nora: Lene pays for the screws. ^l3"
            ),
        },
    )
    night(root)
    (item,) = waiting(root)
    assert "alike; the lines that only ep-b has go with it" in item.why
    approve(root)
    kept = (root / "episodes/2026-01-05_09-00-00_a.md").read_text()
    assert kept.endswith("on Monday. ^l11\n- Nora: Lene pays for the screws.\n")  # its block id is taken
    assert show(root, "ep-b").address.note == "ep-a"


def test_lines_in_another_order_are_the_same():
    first, other = f"{PAINT}\n{ORDER}\n{ROLLER}", f"{ROLLER}\n{PAINT}\n{ORDER}"
    (pair,) = alike_pairs([("a", first), ("b", other)])
    assert (pair.takes, pair.taken, pair.outcome) == ("a", "b", "absorb")


def test_the_same_but_for_spelling_is_taken_in_by_the_older():
    (pair,) = alike_pairs([("b", PAINT), ("a", PAINT.upper().replace("^L3", "^l9").replace("Ü", "U"))])
    assert (pair.takes, pair.taken, pair.outcome) == ("b", "a", "reuse")


def test_what_shares_little_is_left_alone():
    assert (
        alike_pairs([("a", PAINT), ("b", ORDER), ("c", "- Nora: The paint for the kitchen is green.")]) == []
    )


def test_nobody_is_taken_in_twice_or_takes_in_and_is_taken():
    pairs = alike_pairs([("a", PAINT + ORDER + ROLLER), ("b", PAINT + ORDER), ("c", PAINT + "\n" + ORDER)])
    taken = [pair.taken for pair in pairs]
    assert len(taken) == len(set(taken))
    assert not {pair.takes for pair in pairs} & set(taken)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"header": "audience: owner\n"}, {"header": "audience: owner\n"}),
        ({}, {"header": "audience: family\n"}),
        ({"header": "trust: untrusted\n"}, {}),
        ({"header": "export: false\n"}, {"header": "export: false\n"}),
    ],
)
def test_what_is_for_some_only_or_less_trusted_is_not_merged(vault, first, second):
    root = put(
        vault(),
        {
            "episodes/2026-01-05_09-00-00_a.md": episode("2026-01-05", "ep-a", PAINT, ORDER, **first),
            "episodes/2026-02-07_09-00-00_b.md": episode("2026-02-07", "ep-b", PAINT, ORDER, **second),
        },
    )
    assert night(root) is None


def test_what_a_person_wrote_is_never_merged(vault):
    text = f"---\nid: mine\ntimestamp: 2026-02-07T09:00:00Z\n---\n{PAINT}\n{ORDER}\n"
    root = put(
        vault(),
        {
            "episodes/2026-01-05_09-00-00_a.md": episode("2026-01-05", "ep-a", PAINT, ORDER),
            "episodes/2026-02-07_09-00-00_b.md": text,
            "notes/paint.md": f"{PAINT}\n{ORDER}\n",
        },
    )
    assert night(root) is None


def test_a_run_proposes_so_many_and_says_how_many_it_leaves(vault):
    files = {}
    for n in range(MOST_PAIRS + 2):
        words = f"- Nora: The boat number {n} is called Swallow{n} and lies at pier{n} beside the old crane{n}. ^l1"
        files[f"episodes/2026-01-05_09-00-{n:02}_a{n}.md"] = episode("2026-01-05", f"ep-a{n}", words)
        files[f"episodes/2026-02-07_09-00-{n:02}_b{n}.md"] = episode("2026-02-07", f"ep-b{n}", words)
    root = put(vault(), files)
    night(root)
    assert len(waiting(root)) == MOST_PAIRS
    assert [item.why for item in waiting(root) if "left" in item.why] == [
        "the two say the same but for spelling; 2 more pairs are left for the next run"
    ]
    night(root, days=1)
    assert len(waiting(root)) == MOST_PAIRS + 2


ATLAS = {
    "semantic/projects.md": (
        "# Project Atlas\n- deadline: 2026-06-01 [since:: 2026-01-02] [source:: [[ep-one#^l3]]]\n\n"
        "# Other\n- colour: blue\n\n"
        "# Atlas\n- lead: Nora Lindqvist [source:: [[ep-two#^l4]]]\n"
        "- deadline: 2026-06-01 [since:: 2026-01-02] [source:: [[ep-two#^l5]]]\n"
        '- "it must be light" [said:: 2026-02-01] [source:: [[ep-two#^l9]]]\n\n'
        "## History\n- lead: Pip [until:: 2026-02-01]\n"
    ),
    "plan.md": "The plan of Atlas.\n",
}


def test_two_names_of_one_entity_are_proposed_and_become_one(vault):
    root = put(vault(), ATLAS)
    night(root)
    before = snapshot(root)
    (item,) = waiting(root)
    assert item.what == "Atlas and Project Atlas are one"
    (done,) = approve(root)
    assert done.action == "approved"
    text = (root / "semantic/projects.md").read_text()
    assert text == (
        "# Project Atlas\n- deadline: 2026-06-01 [since:: 2026-01-02] [source:: [[ep-one#^l3]], [[ep-two#^l5]]]\n\n"
        "# Other\n- colour: blue\n\n"
        "# Project Atlas\n- lead: Nora Lindqvist [source:: [[ep-two#^l4]]]\n"
        '- "it must be light" [said:: 2026-02-01] [source:: [[ep-two#^l9]]]\n\n'
        "## History\n- lead: Pip [until:: 2026-02-01]\n"
    )
    with open_vault(root, clock=lambda: NOW) as app:
        for name in ("Atlas", "atlas", "Project Atlas"):
            entity = app.entity(name)
            assert entity.name == "Project Atlas"
            assert {f.value for _, f in entity.facts} == {
                "2026-06-01", "Nora Lindqvist", "it must be light", "Pip",
            }  # fmt: skip
        assert [entity.name for entity in app.entities()] == ["Other", "Project Atlas"]
        old = app.show("semantic/projects#Atlas.lead")
        assert old.address.id == "semantic/projects#Project Atlas.lead"
        assert "Nora Lindqvist" in app.recall("who is the lead of Atlas?", noted=False).context
        app.undo(done.commit)
    assert snapshot(root) == before
    assert night(root, days=1) is None


@pytest.mark.parametrize(
    "files",
    [
        # they disagree
        {
            "semantic/projects.md": "# Project Atlas\n- deadline: 2026-06-01\n\n# Atlas\n- deadline: 2026-07-01\n"
        },
        # somebody tells of both
        {
            "semantic/projects.md": "# Project Atlas\n- deadline: 2026-06-01\n\n# Atlas\n- lead: Nora\n",
            "plan.md": "Buy an atlas for Project Atlas.\n",
        },
        # a fact of the one names the other
        {"semantic/projects.md": "# Project Atlas\n- part of: Atlas\n\n# Atlas\n- lead: Nora\n"},
        # who knows which
        {
            "semantic/projects.md": "# Project Atlas\n- deadline: 2026-06-01\n\n# Atlas\n- lead: Nora\n\n# Atlas Team\n- size: 4\n"
        },
        {
            "semantic/people.md": "# Anna\n- tea: green\n\n# Anna Berg\n- city: Bern\n\n# Anna Holm\n- city: Oslo\n"
        },
        # what is hers is not she
        {"semantic/people.md": "# Lena\n- tea: green\n\n# Lena's book club\n- day: Friday\n"},
        # a person of that name whom no fact is known of
        {
            "semantic/people.md": "# Anna\n- tea: green\n\n# Anna Berg\n- city: Bern\n",
            "episodes/2026-01-05_09-00-00_a.md": "---\nid: a\nparticipants: [Anna Holm]\n---\nWe met.\n",
        },
        # other words make another thing
        {"semantic/projects.md": "# Atlas Budget\n- deadline: 2026-06-01\n\n# Atlas\n- lead: Nora\n"},
        # of two kinds
        {
            "semantic/projects.md": "# Project Atlas\n- deadline: 2026-06-01\n",
            "semantic/people.md": "# Atlas\n- dog: yes\n",
        },
        # for some only
        {
            "semantic/projects.md": "# Project Atlas\n- deadline: 2026-06-01 [audience:: family]\n\n# Atlas\n- lead: Nora\n"
        },
        # known to be one
        {
            "semantic/projects.md": "# Project Atlas\n- deadline: 2026-06-01\n\n# Atlas\n- lead: Nora\n",
            "semantic/aliases.yaml": "atlas: [project atlas]\n",
        },
    ],
)
def test_entities_that_may_be_two_are_never_merged(vault, files):
    assert night(put(vault(), files)) is None


@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        ("people", "# Anna\n- tea: green\n\n# Anna Berg\n- city: Bern\n", "Anna Berg"),
        ("people", "# People\n- Anna: anna@example.org\n- Anna Berg:\n  - city: Bern\n", "Anna Berg"),
        ("projects", "# projectX\n- lead: Nora\n\n# Project X\n- deadline: 2026-06-01\n", "Project X"),
        ("companies", "# Nordmole\n- city: Bergen\n\n# Nordmole AS\n- phone: 12345678\n", "Nordmole AS"),
        (
            "projects",
            "# Projects\n\n| project | lead |\n|---|---|\n| Atlas | Nora |\n| Project Atlas |  |\n\n# Project Atlas\n- deadline: 2026-06-01\n",
            "Project Atlas",
        ),
    ],
)
def test_short_names_become_the_full_one_in_any_style(vault, file, text, name):
    root = put(vault(), {f"semantic/{file}.md": text})
    night(root)
    assert len(waiting(root)) == 1
    before = snapshot(root)
    (done,) = approve(root)
    assert done.action == "approved", done.notice
    with open_vault(root, clock=lambda: NOW) as app:
        assert [entity.name for entity in app.entities()] == [name]
        app.undo(done.commit)
    assert snapshot(root) == before


def test_synonyms_are_added_beside_those_that_are_there(vault):
    aliases = "# mine\nboathouse: [rowing club]\n"
    root = put(vault(), {**ATLAS, "semantic/aliases.yaml": aliases})
    night(root)
    approve(root)
    assert (root / "semantic/aliases.yaml").read_text() == f"{aliases}project atlas: [atlas]\n"


def test_nothing_of_that_name_is_still_nothing(two):
    with pytest.raises(NotFoundError):
        show(two, "ep-nowhere")


SAID = "the spare key of the shed hangs behind the blue door"
FACTS = (
    "# Ana\n"
    "- lead: Priya [since:: 2026-02-01] [source:: [[ep-paint#^l3]]]\n"
    "- likes: tea, dark bread [since:: 2026-02-03]\n"
    "- likes: dark bread, tea [since:: 2026-03-03] [source:: [[ep-again#^l3]], [[ep-again#^l5]]]\n"
    "- likes: coffee [since:: 2026-03-03]\n"
    f'- "{SAID} next to the meter" [said:: 2026-02-01] [source:: [[ep-paint#^l5]]]\n'
    f'- "{SAID}" [said:: 2026-03-01] [source:: [[ep-again#^l7]]]\n'
    '- "the shed has 3 shelves of oak and one of pine" [said:: 2026-02-01]\n'
    '- "the shed has 4 shelves of oak and one of pine" [said:: 2026-02-02]\n'
    '- "the shed has shelves of oak and one of pine at the back" [said:: 2026-02-01]\n'
    '- "the shed never has shelves of oak and one of pine at the back" [said:: 2026-02-02]\n'
)


def test_facts_that_say_the_same_are_proposed_and_a_yes_unites_their_sources(vault):
    root = put(vault(), {"semantic/people.md": FACTS, "semantic/team.md": "# Ana\n- lead: Priya Raman\n"})
    night(root)
    before = snapshot(root)
    items = waiting(root)
    assert sorted(item.what for item in items) == [
        f'Ana said: "{SAID}" is told twice',
        "Ana: lead is Priya is told twice",
        "Ana: likes dark bread, tea is told twice",
    ]
    done = approve(root)
    people, past = (root / "semantic/people.md").read_text().split("## History")
    assert (
        "- likes: tea, dark bread [since:: 2026-02-03] [source:: [[ep-again#^l3]], [[ep-again#^l5]]]"
        in people
    )
    assert (
        f'- "{SAID} next to the meter" [said:: 2026-02-01] [source:: [[ep-paint#^l5]], [[ep-again#^l7]]]'
        in people
    )
    assert "[source:: [[ep-paint#^l3]]]" in (root / "semantic/team.md").read_text()
    assert "- lead: Priya [" in past
    assert people.count("the shed has") == 3
    assert night(root, days=1) is None
    with open_vault(root, clock=lambda: NOW) as app:
        for outcome in reversed(done):
            app.undo(outcome.commit)
    assert snapshot(root) == before


def test_two_short_episodes_of_one_pattern_are_two_and_long_ones_are_one():
    def trip(town, day, seat):
        return (
            f"- Mia: booked the train from Ulm to {town} on {day}, seat {seat} in coach 7, back on friday ^l1"
        )

    short = [("a", trip("Bonn", "4 March", 23)), ("b", trip("Bonn", "9 June", 23))]
    shares = len(shingles(short[0][1]) & shingles(short[1][1])) / len(
        shingles(short[0][1]) | shingles(short[1][1])
    )
    assert shares > 0.6
    assert alike_pairs(short) == []
    rest = " ".join(f"and then word{number} of the long story" for number in range(20))
    assert [
        (pair.takes, pair.taken) for pair in alike_pairs([(id_, f"{text} {rest}") for id_, text in short])
    ] == [("a", "b")]
