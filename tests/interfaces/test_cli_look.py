"""`show`, `browse`, `facts` and `links` as commands."""

from __future__ import annotations

import shutil

import pytest
from conftest import Claw, VaultOf, git

from memoryclaw.index.database import alone

DEADLINE = "semantic/projects#Boathouse.deadline"


@pytest.mark.parametrize(
    ("id_", "text", "line"),
    [
        (DEADLINE, "- deadline: 2026-12-11 [since:: 2025-11-20]\n", 2),
        ("ep-wind#After", "# After\n\nA perfect Saturday.\n", 12),
        ("log:kanazawa/2", '{"ts":"2025-10-21T09:01:00Z","session":"kanazawa","turn":2,"role":"assistant","content":"In the biscuit tin."}\n', 2),
    ],
    ids=["fact", "section", "turn"],
)  # fmt: skip
def test_show_prints_just_the_lines_of_a_thing(asked: Claw, id_: str, text: str, line: int) -> None:
    assert asked("show", id_) == (0, text, "")
    shown = asked("show", id_, "--json").json
    assert (shown["text"], shown["line"]) == (text, line)


@pytest.mark.parametrize(
    "id_", ["ep-wind", "episodes/2025-09-04_15-40-00_wind-plan", "episodes/2025-09-04_15-40-00_wind-plan.md"]
)
def test_a_note_is_shown_whole_by_id_and_by_path(asked: Claw, id_: str) -> None:
    assert asked("show", id_).out == (asked.vault / "episodes/2025-09-04_15-40-00_wind-plan.md").read_text()


TYPED = {
    "notes/chosen.md": "---\ntype: Decisions\n---\nThe roof is slate.\n",
    "notes/list.md": "- [ ] order the slate\n",
    "semantic/preferences.md": "# Nora\n- tea: green [since:: 2026-01-01]\n\n## History\n- tea: black [until:: 2026-01-01]\n",
    "semantic/house.md": "# Roof\n- cover: slate [type:: decision]\n- opening: 2026-05-01\n- colour: grey\n",
}


def test_types_narrow_what_is_listed(vault_of: VaultOf) -> None:
    root = vault_of(TYPED)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    claw = Claw(root)

    def listed(*words: str) -> set[str]:
        answer = claw(*words, "--json").json
        return {row["id"] for row in answer.get("notes", answer.get("facts"))}

    assert listed("browse", "--type", "decision") == {"notes/chosen", "semantic/house"}
    assert listed("browse", "--type", "decision", "--kind", "note") == {"notes/chosen"}
    assert listed("browse", "--type", "todos") == {"notes/list"}
    assert listed("browse", "--type", "preference") == {"semantic/preferences"}
    assert listed("facts", "--type", "preference") == {"semantic/preferences#Nora.tea"}
    assert len(claw("facts", "--type", "preference", "--history", "--json").json["facts"]) == 2
    assert listed("facts", "Roof", "--type", "decision") == {"semantic/house#Roof.cover"}
    assert listed("facts", "--type", "event") == {"semantic/house#Roof.opening"}
    for type_ in ("preference", "decision", "event"):
        then = claw("facts", "--type", type_, "--believed-at", "HEAD", "--json").json["facts"]
        assert then == [
            {**fact, "conflicts": []} for fact in claw("facts", "--type", type_, "--json").json["facts"]
        ]
    assert claw("facts", "Nora", "--type", "lesson").out == "No such facts.\n"


def test_what_is_used_often_is_marked_and_comes_first_among_equals(vault_of: VaultOf) -> None:
    notes = {f"notes/{name}.md": f"---\ndate: 2026-03-01\n---\n{name}\n" for name in ("a", "b", "c")}
    pinned = {"notes/p.md": "---\npin: true\ndate: 2026-03-01\n---\np\n"}
    claw = Claw(vault_of({**notes, **pinned, "notes/new.md": "---\ndate: 2026-03-02\n---\nnew\n"}))

    def ids() -> list[tuple[str, bool]]:
        return [(note["id"], note["hot"]) for note in claw("browse", "--json").json["notes"]]

    cold = [("notes/p", False), ("notes/new", False), *((f"notes/{name}", False) for name in "abc")]
    assert ids() == cold
    assert claw("browse").out.split("\n")[0].split() == ["id", "kind", "date", "title", "tags"]
    assert claw("feedback", "notes/b", "3").code == 0
    assert ids() == cold, "one middling rating makes nothing hot"
    assert claw("feedback", "notes/c", "5").code == 0
    hot = [
        ("notes/p", False),
        ("notes/new", False),
        ("notes/c", True),
        ("notes/a", False),
        ("notes/b", False),
    ]
    assert ids() == hot
    assert claw("inspect", "notes/c", "--json").json["hot"]
    lines = claw("browse").out.splitlines()
    assert [line.split()[3] for line in (lines[0], lines[3])] == ["use", "hot"]
    assert claw("browse", "--limit", "3", "--json").json["notes"][-1]["id"] == "notes/c"
    shutil.rmtree(claw.vault / ".memoryclaw")  # type: ignore[operator]
    assert ids() == hot, "only files, ledger and clock tell it"
    later = Claw(claw.vault, MEMORYCLAW_NOW="2027-04-20T08:00:00Z")
    assert later("browse", "--json").json["notes"][2]["hot"], "in an idle vault nothing fades"
    assert not [
        note
        for note in Claw(claw.vault, MEMORYCLAW_AUDIENCE="public")("browse", "--json").json["notes"]
        if note["hot"]
    ]


def test_plain_tables_are_aligned_also_for_wide_letters(asked: Claw) -> None:
    (asked.vault / "semantic/people.md").write_text("# People\n- 中村健: Kanazawa\n- Zoë: Bremen\n")
    lines = asked("facts", "中村健").out.splitlines()
    assert (
        lines[0].index("value") == lines[1].index("Kanazawa") + 3
    )  # three letters that take two columns each


def test_facts_are_those_of_now_of_a_day_or_of_all_time(asked: Claw) -> None:
    facts = asked("facts", "rowing club", "--json").json["facts"]  # an alias
    assert [(fact["entity"], fact["field"], fact["value"], fact["line"]) for fact in facts] == [
        ("Boathouse", "deadline", "2026-12-11", 2),
        ("Boathouse", "client", "[[Nordmole]]", 3),
    ]
    facts = asked("facts", "Boathouse", "--as-of", "2025-07-01", "--json").json["facts"]
    assert [fact["value"] for fact in facts if fact["field"] == "deadline"] == ["2025-06-27"]
    facts = asked("facts", "Boathouse", "--history", "--json").json["facts"]
    assert {fact["value"]: fact["current"] for fact in facts if fact["field"] == "deadline"} == {
        "2026-12-11": True,
        "2025-06-27": False,
    }
    assert "until" in asked("facts", "--history").out.splitlines()[0]


def test_links_lead_out_and_back(asked: Claw) -> None:
    ends = asked("links", "ep-penicillin", "--json").json
    assert [(end["target"], end["to"]) for end in ends["out"]] == [
        ("projects", "semantic/projects"),
        ("Nowhere", ""),
    ]
    back = asked("links", "semantic/projects", "--json").json["back"]
    assert [end["source"] for end in back] == ["episodes/2025-07-08_17-25-00_penicillin.md"]
    assert "nothing yet" in asked("links", "ep-penicillin").out


@pytest.mark.parametrize(
    "words", [["show", "ep-wind"], ["browse"], ["facts"], ["links", "ep-wind"]], ids=" ".join
)
def test_what_may_be_behind_the_files_is_told_as_such(asked: Claw, words: list[str]) -> None:
    fresh = asked(*words, "--json").json
    assert (fresh["degraded"], fresh["behind"]) == ("", 0)
    assert asked(*words).err == ""
    (asked.vault / "notes/late.md").write_text("# Late\n")
    with alone(asked.vault / ".memoryclaw"):
        old = asked(*words, "--json").json
        assert "another process" in old["degraded"]
        assert old["behind"] == 1
        assert "Degraded: " in asked(*words).err


def test_each_kind_of_trouble_is_told_once_with_three_examples(vault_of: VaultOf) -> None:
    notes = {f"n/{n}.md": f"---\nentity: Boat\nberth: {n}\n---\n[[Nowhere {n}]]\n" for n in range(6)}
    claw = Claw(vault_of({"memoryclaw.yaml": "", **notes}))
    checked = claw("check").out
    assert "6 links to what is not there yet" in checked
    assert checked.count("which does not exist in the vault") == 3
    assert "… and 3 more of this kind" in checked
    assert claw("facts").err.count("\n") <= 4
