"""Change sets made by hand, and the vault that they belong to: what a planner would hand to `apply`."""

from __future__ import annotations

from memoryclaw.consolidation.actions import AddPending, AddSource, ConfirmFact, MoveFile, NewFile, SetFact
from memoryclaw.consolidation.changes import (
    ChangeSet,
    Claim,
    ClaimDecision,
    PlannedChange,
    Skipped,
    ToolSequence,
)

RUN = "consolidate-20261121T101500-ab12cd"
DIGEST = "0123456789abcdef"
KITCHEN, BOATHOUSE = (f"logs/2026-11-20/{name}.jsonl#1-6@{DIGEST}" for name in ("kitchen", "boathouse"))
TWIN = f"logs/2026-11-19/kitchen.jsonl#1-4@{DIGEST}"

PROJECTS = """\
# Boathouse Aarhus
- deadline: 2026-12-11 [since:: 2026-03-01] [source:: [[2026-03-01_10-00-00_kick-off]]]
- lead: Søren
- client: Nordmole

## History
- deadline: 2026-11-30 [since:: 2026-01-01] [until:: 2026-03-01]

# Kitchen
- colour: white
"""
PENDING = "# Waiting for a yes or a no\n\n- [ ] Anna.birthday: 1987-03-02 [confidence:: low]\n"
TWIN_NOTE = "---\nid: 2026-11-19_09-00-00_kitchen-wall\nsource: " + TWIN + "\n---\nThe kitchen wall.\n"
FIRST_NOTE = TWIN_NOTE.replace("11-19_09-00", "11-18_09-00").replace("11-19/kitchen", "11-18/kitchen")
FIRST, SECOND = "episodes/2026-11-18_09-00-00_kitchen-wall.md", "episodes/2026-11-19_09-00-00_kitchen-wall.md"
FILES = {
    "semantic/projects.md": PROJECTS,
    "semantic/_pending.md": PENDING,
    "semantic/_schema.yaml": "fields:\n  deadline: {type: date, many: false}\ncollections: [projects]\n",
    FIRST: FIRST_NOTE,
    SECOND: TWIN_NOTE,
}


def note(id_, words, source):
    """The text of an episode."""
    return f"---\nid: {id_}\nsource: {source}\n---\n# {words}\n\n- Nora: {words}. ^l3\n"


def episode(id_, words, source, *facts, **values):
    """The change that writes an episode and the facts it added or confirmed."""
    new = NewFile(f"episodes/{id_}.md", note(id_, words, source))
    title = values.pop("title", f"Episode: {words}")
    evidence = values.pop("evidence", (f'Nora: "{words}."',))
    return PlannedChange("episode", title, (new, *facts), evidence, source, "high", id=id_, **values)


def colour(value="matt Dünensand", **values):
    return SetFact(**{"path": "semantic/projects.md", "entity": "Kitchen", "field": "paint", "value": value, "since": "2026-11-20", "source": "2026-11-20_17-48-20_kitchen-wall-colour#^l3", **values})  # fmt: skip


def deadline(value="2026-12-18", since="2026-11-20"):
    return SetFact("semantic/projects.md", "Boathouse Aarhus", "deadline", value, since, "2026-11-20_18-00-00_boathouse#^l3")  # fmt: skip


CONFIRM = ConfirmFact("semantic/projects.md", "semantic/projects#Boathouse Aarhus.lead", "Søren", "2026-11-20_18-00-00_boathouse#^l3")  # fmt: skip
WAITING = AddPending("Nora", "likes", "oak", "medium", "2026-11-20_17-48-20_kitchen-wall-colour#^l3", "the assistant said it")  # fmt: skip
DRAFT = "---\nname: book-train\ndescription: Book a train.\n---\n1. search\n2. book\n"

SUPERSEDE = PlannedChange(
    "fact",
    "Boathouse Aarhus: deadline is 2026-12-18 (was 2026-12-11)",
    (deadline(),),
    ('Nora: "The deadline is 18 December now."',),
    BOATHOUSE,
    "high",
    id="semantic/projects#Boathouse Aarhus.deadline",
)


def whole(run=RUN, **more):
    """Two episodes that add and confirm facts, one fact superseded, one that waits, a skill draft and a merge."""
    changes = (
        episode("2026-11-20_17-48-20_kitchen-wall-colour", "The kitchen wall gets matt Dünensand", KITCHEN, colour()),
        episode("2026-11-20_18-00-00_boathouse", "The boathouse is late", BOATHOUSE, CONFIRM),
        SUPERSEDE,
        PlannedChange("pending", "1 fact waits for your decision", (WAITING,), source=KITCHEN),
        PlannedChange("skill", "Skill draft: book-train", (NewFile("skills/_drafts/book-train/SKILL.md", DRAFT),), id="book-train"),
        PlannedChange(
            "merge",
            "Merge two notes of the kitchen wall",
            (AddSource(FIRST, (TWIN,)), MoveFile(SECOND, f"archive/{SECOND}")),
            source=TWIN,
        ),
    )  # fmt: skip
    claim = Claim("Boathouse Aarhus", "deadline", "2026-12-18", 3, "The deadline is 18 December now.", "user", "2026-11-20")  # fmt: skip
    values = {
        "run": run,
        "ranges": (KITCHEN, BOATHOUSE),
        "changes": changes,
        "skipped": (Skipped(f"logs/2026-11-20/hello.jsonl#1-2@{DIGEST}", 2, "only greetings"),),
        "decided": (ClaimDecision(claim, "supersede", "newer than what is known", known="2026-12-11"),),
        "acted": (ToolSequence("s1", KITCHEN, ("search", "book")),),
        "models": ("patterns",),
        "turns": 14,
    }
    return ChangeSet(**{**values, **more})
