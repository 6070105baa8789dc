"""Vaults with logs that nobody has read yet, and the night that reads them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gitvault import files_below, git

from memoryclaw.app import App

if TYPE_CHECKING:
    from memoryclaw.consolidation.consolidate import Consolidated

NIGHT = datetime(2026, 4, 20, 3, tzinfo=UTC)
LATER = datetime(2026, 4, 21, 3, tzinfo=UTC)

SCHEMA = "fields:\n  deadline: date\n"
PROJECTS = "# Boathouse\n- deadline: 2026-12-11 [since:: 2026-03-24]\n- contractor: Nordmole\n\n# Mine\n- note: old\n"
VAULT = {
    "memoryclaw.yaml": "consolidation:\n  skillThreshold: 2\n",
    "semantic/projects.md": PROJECTS,
    "semantic/_schema.yaml": SCHEMA,
    "staged.md": "old\n",
}
EVENING = (
    (
        "user Nora",
        "Søren called. The deadline of Boathouse is now 2026-12-18, the crane comes a week late.",
    ),
    ("assistant Pip", "The contractor of Boathouse is now Sydbyg. I will move the handover dinner as well."),
    ("user Nora", "My email is nora@example.org, please put it into the contract."),
    ("user Nora", "I think the contractor of Boathouse might be Sydbyg, but nobody has decided."),
)


def said(session: str, turns: object, *, day: str = "2026-04-19", hour: int = 18) -> str:
    """A log of ("role name", text), or of ("tool name", arguments, result): a line each, a minute apart."""
    lines = []
    for number, (who, *what) in enumerate(turns, 1):  # type: ignore[call-overload]
        role, _, name = who.partition(" ")
        line = {
            "ts": f"{day}T{hour + number // 60:02}:{number % 60:02}:00Z",
            "session": session,
            "turn": number,
            "role": role,
        }
        if role == "tool":
            line |= {"tool": name, "args": what[0], "result": what[1], "ok": True}
        else:
            line |= {"name": name, "content": what[0]}
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    return "".join(lines)


def train(session: str, day: str, to: str) -> str:
    """A conversation in which a train is booked in two steps."""
    return said(
        session,
        (
            ("user Nora", f"Book the train to {to}, we present the drawings there in the morning."),
            ("tool train_search", {"to": to}, "ok"),
            ("tool train_book", {"to": to, "seat": "aisle"}, "ok"),
        ),
        day=day,
        hour=9,
    )


LOGS = {
    "logs/2026-04-18/aarhus.jsonl": train("aarhus", "2026-04-18", "Aarhus"),
    "logs/2026-04-18/kiel.jsonl": train("kiel", "2026-04-19", "Kiel"),
    "logs/2026-04-19/evening.jsonl": said("evening", EVENING),
    "logs/2026-04-19/hello.jsonl": said("hello", [("user Nora", "Good morning!")], hour=7),
    "logs/2026-04-19/twin.jsonl": said("twin", EVENING),
}


def consolidated(root: Path, now: datetime = NIGHT, **options: object) -> Consolidated:
    """What a night did, without a model unless one is asked for."""
    app = App(root, clock=lambda: now)
    try:
        return app.consolidate(**{"llm": "none", **options})  # type: ignore[arg-type]
    finally:
        app.close()


def tree(root: Path) -> dict[str, bytes]:
    """Every file of the vault but git's and those that can be built again."""
    return files_below(root)


def memory(root: Path) -> dict[str, bytes]:
    """What is remembered: everything but the logs and the records of the runs."""
    return {path: data for path, data in tree(root).items() if not path.startswith(("logs/", "runs/"))}


def subjects(root: Path) -> list[str]:
    """The subjects of all commits, oldest first."""
    return git(root, "log", "--reverse", "--format=%s").splitlines()
