"""Two hundred names that are paths, devices or nonsense, given wherever a verb takes an id: nothing outside the vault is read, made or changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gitvault import git, vault_of
from nights import NIGHT, tree

from memoryclaw.app import App
from memoryclaw.errors import InputError, MemoryClawError, NotFoundError

pytestmark = pytest.mark.security

SECRET = "the-secret-of-another"
STEPS = (
    "..", "../..", "../../..", "./..", "notes/../..", "semantic/../../", "%2e%2e", "..%2f..", "..\\..",
    "\u2024\u2024", "．．", "..;", "....//", "~", "$HOME",
)  # fmt: skip
ENDS = (
    "/outside.md", "/outside", "/.git/config", "/.git/hooks/post-commit", "/etc/passwd",
    "/.ssh/authorized_keys", "/.memoryclaw/token", "\0/outside.md", "//outside.md", "/outside.md#x",
    "/outside.md#a.b", "/%00",
)  # fmt: skip
WHOLE = (
    "/outside.md", "/etc/passwd", "//etc/passwd", "file:///etc/passwd", "CON", "NUL.md", "COM1", "aux", ".", "..", "", " ", "-", "#", "#x", "a#", "..#..",
    ".git", ".git/config", ".memoryclaw/token", ".memoryclaw/index.sqlite", "memoryclaw.yaml", "x" * 300, "é" * 200, "\0", "a\nb", "log:../../outside/1",
    "log:", "log:/1", "log:..", "semantic/..#x.y", "archive/../../outside", "con.md", "C:\\Windows", "\\\\server\\share", "a/../../outside.md",
)  # fmt: skip
NAMES = (*(f"{step}{end}" for step in STEPS for end in ENDS), *WHOLE)
VERBS: dict[str, Callable[[App, str], Any]] = {
    "show": lambda app, name: app.show(name),
    "links": lambda app, name: app.links(name),
    "neighbours": lambda app, name: app.graph.neighbours(name),
    "edit": lambda app, name: app.edit(name, {"tags": ["x"]}),
    "forget": lambda app, name: app.forget(name),
    "revive": lambda app, name: app.revive(name),
    "trust": lambda app, name: app.trust(name),
    "quarantine": lambda app, name: app.quarantine(name),
    "feedback": lambda app, name: app.feedback(name, 5),
    "blame": lambda app, name: app.blame(name),
    "history": lambda app, name: app.history(name),
    "review": lambda app, name: app.review.get(name),
    "skills show": lambda app, name: app.skills.show(name),
    "skills approve": lambda app, name: app.skills.approve(name),
    "skills reject": lambda app, name: app.skills.reject(name),
    "skills new": lambda app, name: app.skills.new(name, "does something"),
    "working set": lambda app, name: app.working.set(name, {"goal": "mine"}),
    "working clear": lambda app, name: app.working.clear(name),
    "capture": lambda app, name: app.capture(
        [{"session": name, "turn": 1, "role": "user", "content": "hello"}]
    ),
    "recall": lambda app, name: app.recall("lantern", session=name),
    "remember": lambda app, name: app.remember("x", entity=name or "x", field="colour", source=name),
    "claim": lambda app, name: app.claim("said by an agent", tool=name, session=name),
}
DEAR = {"remember", "claim", "skills new", "review", "history", "recall", "skills show"}
TOP = {
    "notes", "semantic", "episodes", "logs", "ledger", "working", "archive", "skills", "review", "runs",
    ".gitignore",
}  # fmt: skip


def test_there_are_two_hundred() -> None:
    assert len(set(NAMES)) >= 200


@pytest.mark.parametrize("verb", VERBS)
def test_no_name_leads_out_of_the_vault(tmp_path: Path, verb: str) -> None:
    around = tmp_path / "a/b/c"
    root = vault_of(
        around / "v",
        {
            "notes/a.md": "---\nid: n1\n---\nThe lantern.\n",
            "skills/wax/SKILL.md": "---\nname: wax\ndescription: Wax the boat\n---\n\n1. Wax.\n",
        },
    )
    outside = {}
    for folder in (around, around.parent, tmp_path):
        for name in ("outside.md", "outside"):
            outside[folder / name] = f"---\nid: outside\n---\n{SECRET}\n"
            (folder / name).write_text(outside[folder / name])
    places = {path for path in tmp_path.rglob("*") if root not in (path, *path.parents)}
    config = (root / ".git/config").read_bytes()
    remarks = []
    with App(root, clock=lambda: NIGHT) as app:
        # What writes, or asks git for each, takes every fourth.
        for name in NAMES[::4] if verb in DEAR else NAMES:
            try:
                remarks.append(repr(VERBS[verb](app, name)))
            except MemoryClawError as error:
                remarks.append(str(error))
    assert not [text for text in remarks if SECRET in text], "something outside was read"
    assert {path: path.read_text() for path in outside} == outside
    assert {path for path in tmp_path.rglob("*") if root not in (path, *path.parents)} == places, (
        "something was made outside"
    )
    assert (root / ".git/config").read_bytes() == config
    assert not list((root / ".git").glob("hooks/*"))
    assert {path.split("/")[0] for path in tree(root)} <= TOP
    assert git(root, "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize("name", ["../../etc/passwd", "..", "/etc/passwd", ".git/config", "a\nb"])
def test_history_has_no_word_of_gits_for_a_name_outside(tmp_path: Path, name: str) -> None:
    root = vault_of(tmp_path / "v", {"notes/a.md": "The lantern.\n"})
    with App(root) as app, pytest.raises((InputError, NotFoundError)):
        app.history(name)
