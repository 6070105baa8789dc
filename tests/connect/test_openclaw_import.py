"""What OpenClaw kept in its own notes comes over as proposals: once, without secrets, with the originals untouched."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Claw, git, put

from memoryclaw.connect.proposing import PassageComments, read_curated, without_remarks

WORKSPACE = {
    "MEMORY.md": "# MEMORY.md\n\n## Preferences\n- Tea: green, no sugar\n- Never books before nine <!-- trigger: flights, early morning --> <!-- importance: 8 -->\n\n"
    "## Boathouse Aarhus\n- **Deadline:** 2026-12-11\n- The larch came from Silkeborg.\n  It was paid in two parts.\n- Oak for the piles. <!-- project: github.com/nora/boathouse -->\n",
    "USER.md": "# USER.md\n\n- **Name:** Nora\n",
    "memory/2026-04-18-kiosk.md": "# 2026-04-18\n\nThe kiosk in Nantes. api_key = sk-proj-abcdEFGH1234567890abcdEFGH1234567890\n",
    "memory/towns/lund.md": "Lund is a town.\n",
    "memory/dreaming/light.md": "a dream",
    "DREAMS.md": "another dream",
}


@pytest.fixture
def home(tmp_path: Path) -> Claw:
    """A vault beside an OpenClaw whose configuration names its workspace."""
    put(tmp_path / "ws", WORKSPACE)
    put(
        tmp_path, {"oc/openclaw.json": f"{{agents: {{defaults: {{workspace: '{tmp_path}/ws'}}}}, // mine\n}}"}
    )
    claw = Claw(
        tmp_path / "v",
        HOME=str(tmp_path),
        OPENCLAW_STATE_DIR=str(tmp_path / "oc"),
        XDG_CONFIG_HOME=str(tmp_path / "config"),
    )
    assert claw("init").code == 0
    return claw


def test_everything_waits_and_one_yes_makes_it_memory(home: Claw, tmp_path: Path) -> None:
    done = home("openclaw", "import", "--json").json
    assert [item["kind"] for item in done["proposed"]] == [
        "fact", "fact", "note", "note", "note", "fact", "episode", "note",
    ]  # fmt: skip
    assert done["files"] == ["MEMORY.md", "USER.md", "memory/2026-04-18-kiosk.md", "memory/towns/lund.md"]
    assert git(home.vault, "log", "-1", "--format=%H %s").split(maxsplit=1) == [
        done["commit"],
        "Waits for review: 8 from OpenClaw's notes\n",
    ]
    assert home("facts", "Boathouse Aarhus").code == 1
    assert home("review", "approve", *[item["id"] for item in done["proposed"]]).code == 0
    assert home("facts", "Boathouse Aarhus", "--json").json["facts"][0]["value"] == "2026-12-11"
    session = home("show", "2026-04-18_00-00-00_kiosk").out
    assert "The kiosk in Nantes." in session
    assert "sk-proj" not in session
    assert "trust: unknown" in next(home.vault.glob("episodes/2026-04-18*.md")).read_text()
    note = next(home.vault.glob("semantic/openclaw/preferences-*.md")).read_text()
    assert "tags: [openclaw, flights, early-morning]" in note
    assert "importance: 8" in note
    oak = home("search", "oak piles", "--json").json["matches"][0]
    assert "tags: [openclaw, project/github-com/nora/boathouse]" in (home.vault / oak["path"]).read_text()
    assert {name: (tmp_path / "ws" / name).read_text() for name in WORKSPACE} == WORKSPACE


def test_marks_keep_their_effect_and_our_own_export_is_not_learnt_from(home: Claw, tmp_path: Path) -> None:
    home("remember", "Bern", "--entity", "Anna", "--field", "city")
    home("export", "memory-md", tmp_path / "ws/USER.md.new")
    (tmp_path / "ws/USER.md.new").replace(tmp_path / "ws/USER.md")
    put(
        tmp_path / "ws",
        {
            "MEMORY.md": "# M\n\n- Code: the gate is <private>4711</private>\n- Pin: 5522 [NOMEM]\n",
            "memory/2026-04-18-kiosk.md": "[NOMEM]\nThe kiosk.\n",
        },
    )
    done = home("openclaw", "import", "--json").json
    assert [item["what"] for item in done["proposed"]] == [
        "user: Code is the gate is [private]",
        "Lund is a town.",
    ]
    assert done["notices"] == [
        "USER.md was left out: written by MemoryClaw itself",
        "memory/2026-04-18-kiosk.md was left out: marked [NOMEM]",
    ]


def test_nothing_is_proposed_twice_whatever_was_decided(home: Claw) -> None:
    ids = [item["id"] for item in home("openclaw", "import", "--json").json["proposed"]]
    assert home("openclaw", "import", "--json").json["proposed"] == []
    home("review", "approve", *ids[::2])
    home("review", "reject", *ids[1::2])
    again = home("openclaw", "import", "--json").json
    assert (again["proposed"], again["known"], again["commit"], again["notices"]) == ([], 8, "", [])


def test_a_note_that_grew_since_is_told_and_left(home: Claw, tmp_path: Path) -> None:
    day = next(i for i in home("openclaw", "import", "--json").json["proposed"] if i["kind"] == "episode")
    home("review", "approve", day["id"])
    (tmp_path / "ws/memory/2026-04-18-kiosk.md").write_text("More of it.\n")
    done = home("openclaw", "import", "--json").json
    assert "memory/2026-04-18-kiosk.md" in done["notices"][0]
    assert done["proposed"] == []


def test_a_dry_run_writes_nothing_and_a_missing_folder_is_one_sentence(home: Claw, tmp_path: Path) -> None:
    assert home("openclaw", "import", "--dry-run").out.endswith("8 proposals would wait for your decision.\n")
    assert git(home.vault, "status", "--porcelain") == ""
    ran = home("openclaw", "import", tmp_path / "none")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "there is no folder" in ran.err


def test_remarks_are_understood_and_code_is_no_fact() -> None:
    bare, said = without_remarks(
        "- x <!-- TRIGGERS: a, b , --> <!-- importance: high --> <!-- project: h/o/r -->y<!-- note -->"
    )
    assert (bare, said) == ("- xy", PassageComments(("a", "b"), "", ("h/o/r",)))
    facts, passages = read_curated(
        "```\n- not: a fact\n\n# no heading\n```\n# Me\n- a: b\n- see http://x.org: there\n\ntext\n"
    )
    assert [(f.entity, f.field, f.value) for f in facts] == [("user", "a", "b")]
    assert [p.heading for p in passages] == ["", "Me"]
