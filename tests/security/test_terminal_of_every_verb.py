"""A note, a log, a fact, a skill and a setting are full of what drives a terminal; no verb prints any of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Claw, put
from gitvault import git, vault_of

EVIL = "\x1b[31m\x1b]0;owned\x07\x9b2J\x08\r\u202e\u200b\x7f\x85\u2066"
DRIVES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]")
QUOTED = json.dumps(EVIL)[1:-1]
FILES = {
    "semantic/projects.md": f"# Boat{EVIL}house\n- dead{EVIL}line: 2026{EVIL}-12-11\n",
    "semantic/_pending.md": f"# Waiting\n\n- [ ] Nora{EVIL}, city: Bern{EVIL}\n",
    "semantic/aliases.yaml": f'boathouse: ["club {QUOTED}"]\n',
    "episodes/2025-07-08_17-25-00_x.md": f'---\nid: "ep{QUOTED}x"\nsummary: "s {QUOTED}"\ntags: ["t{QUOTED}"]\n---\nbeeswax {EVIL} [[a {EVIL}]]\n',
    "notes/evil.md": f"# Title {EVIL}\n\nbeeswax {EVIL} [[notes/b {EVIL}]]\n",
    f"notes/name{EVIL.replace(chr(13), '')}.md": "beeswax\n",
    "notes/bad.md": f"---\ntags: [a{EVIL}\n---\nbeeswax\n",
    "skills/wax/SKILL.md": f'---\nname: wax\ndescription: "Wax {QUOTED} the boat"\ntriggers: ["wax {QUOTED}"]\n---\n\n1. Wax {EVIL}.\n',
    "skills/_drafts/evil/SKILL.md": f'---\nname: "ev{QUOTED}il"\ndescription: "d {QUOTED}"\n---\nx {EVIL}\n',
    "eval/questions.yaml": f'"which wax {QUOTED}":\n  expect: "notes/evil {QUOTED}"\n  answer: "gone {QUOTED}"\n',
    "review/evil.md": f"---\nid: evil\n---\n# Evil {EVIL}\n",
    "working/s.json": json.dumps({"session": "s", "goal": f"wax {EVIL}"}),
    "logs/2026-04-18/evil.jsonl": "".join(
        json.dumps({"ts": "2026-04-18T09:00:00Z", "session": f"evil{EVIL}", "turn": n, "role": "user", "name": f"No{EVIL}ra",
                    "content": f"The deadline of Boathouse is now 2027-01-15 {EVIL}, the crane comes late."}) + "\n"
        for n in (1, 2)
    ),
}  # fmt: skip
VERBS = (
    "recall beeswax --trace", "search beeswax --explain", "search beeswax --json", "show notes/evil", "browse", "browse --kind fact",
    "facts", "facts --history", "links notes/evil", "links", "links --dot", "links --json", "links neighbours notes/evil", "links orphans", "links dangling", "status", "doctor", "migrate --dry-run", "sync", "reindex", "skills", "skills lint",
    "skills match wax", "skills show wax", "review", "review show evil", "review diff evil", "history", "blame notes/evil",
    "working show --session s", "consolidate --dry-run --llm none", "consolidate --llm none", "review list", "history --json",
    "edit notes/evil --set tags=x", "forget notes/evil", "revive notes/evil", "undo nothing", "browse --json", "show log:x/1", "eval", "eval --json",
)  # fmt: skip


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Claw:
    root = vault_of(tmp_path_factory.mktemp("evil") / "vault", FILES)
    git(root, "commit", "-q", "--allow-empty", "-m", f"subject {EVIL}")
    return Claw(put(root, {}), MEMORYCLAW_NOW="2026-04-20T03:00:00Z")


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_lets_it_through(evil: Claw, verb: str) -> None:
    ran = evil(*verb.split())
    assert ran.code in (0, 1), ran
    assert ran.out + ran.err
    assert not DRIVES.findall(ran.out), repr(ran.out)
    assert not DRIVES.findall(ran.err), repr(ran.err)


@pytest.mark.parametrize(
    "words", [["show", f"x{EVIL}"], ["forget", f"x{EVIL}"], ["undo", f"x{EVIL}"], [f"verb{EVIL}"], ["search", f"--x{EVIL}"], ["blame", f"x{EVIL}"]]
)  # fmt: skip
def test_nor_do_the_words_of_the_caller_come_back_alive(evil: Claw, words: list[str]) -> None:
    ran = evil(*words)
    assert ran.code in (1, 2)
    assert not DRIVES.findall(ran.out + ran.err), repr(ran.err)


def test_the_vault_really_holds_it(evil: Claw) -> None:
    assert evil.vault
    assert "\x1b]0;owned" in Path(evil.vault, "semantic/projects.md").read_text()
