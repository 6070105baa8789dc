from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from gitvault import git, users_work

from memoryclaw.app import init_vault, open_vault

NOW = datetime(2026, 5, 4, 3, 0, tzinfo=UTC)
SCHEMA = "fields:\n  deadline: {type: date, supersede: true}\n"
EPISODE = "---\nid: talk\ntimestamp: 2026-04-20T09:00:00Z\n---\n# Talk\n\n- Nora: the deadline is 2 May ^l1\n"
LATER = (
    "# Atlas\n- deadline: 2026-05-02 [since:: 2026-04-20]\n",
    "# Atlas\n- deadline: 2026-06-01 [since:: 2026-04-28]\n",
)


def vault_of(root: Path, *facts: str, schema: str = SCHEMA, **notes: str) -> Path:
    init_vault(root, clock=lambda: NOW)
    files = {"semantic/_schema.yaml": schema, "episodes/2026-04-20_09-00-00_talk.md": EPISODE}
    files |= {f"semantic/p{n}.md": text for n, text in enumerate(facts)} | {
        f"{n}.md": t for n, t in notes.items()
    }
    for path, text in files.items():
        (root / path).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    return root


def night(root: Path, days: int = 0, **how: object):
    with open_vault(root, clock=lambda: NOW + timedelta(days=days)) as app:
        return app.consolidate(llm="none", **how).upkeep


def values_of(root: Path) -> list[str]:
    with open_vault(root, clock=lambda: NOW) as app:
        return [fact.value for _, fact in app.facts("Atlas")]


def conflicts(root: Path) -> int:
    with open_vault(root, clock=lambda: NOW) as app:
        return sum(item.kind == "conflict" for item in app.review.list())


def test_the_later_value_holds_and_the_commit_says_by_which_rule(tmp_path):
    root = vault_of(tmp_path / "v", *LATER)
    before = users_work(root)
    done = night(root)
    assert [commit.kind for commit in done.applied.commits] == ["conflict"]
    assert values_of(root) == ["2026-06-01"]
    assert (root / "semantic/p0.md").read_text() == (
        "# Atlas\n\n## History\n- deadline: 2026-05-02 [since:: 2026-04-20] [until:: 2026-05-04]\n"
    )
    message = git(root, "log", "-1", "--format=%B")
    assert message.startswith("Atlas: deadline is 2026-06-01 (was 2026-05-02)\n")
    assert "may be superseded by rule (semantic/_schema.yaml): the later one holds" in message
    assert users_work(root) == before
    assert conflicts(root) == 0
    assert night(root, days=1) is None


@pytest.mark.parametrize(
    ("facts", "value", "rule"),
    [
        (  # trust goes before date
            (LATER[0], LATER[1].rstrip() + " [trust:: unknown]\n"),
            "2026-05-02",
            "what is trusted more holds",
        ),
        (  # and so does what a person wrote
            (LATER[0], LATER[1].rstrip() + " [source:: [[talk#^l1]]]\n"),
            "2026-05-02",
            "what a person wrote holds rather than what was inferred from talk",
        ),
    ],
)
def test_trust_then_explicitness_go_before_the_date(tmp_path, facts, value, rule):
    root = vault_of(tmp_path / "v", *facts)
    night(root)
    assert values_of(root) == [value]
    assert rule in git(root, "log", "-1", "--format=%B")


@pytest.mark.parametrize(
    ("facts", "schema"),
    [
        (LATER, "fields:\n  deadline: date\n"),  # nobody said that a rule may
        (("# Atlas\n- deadline: 2026-05-02\n", LATER[1]), SCHEMA),  # nobody knows which came later
        ((LATER[0], LATER[1].replace("04-28", "04-20")), SCHEMA),  # a tie
    ],
)
def test_what_no_rule_decides_waits_for_a_person(tmp_path, facts, schema):
    root = vault_of(tmp_path / "v", *facts, schema=schema)
    head = git(root, "rev-parse", "HEAD")
    assert night(root) is None
    assert git(root, "rev-parse", "HEAD") == head
    assert conflicts(root) == 1


def test_a_rule_never_changes_a_note_of_a_person(tmp_path):
    note = "---\ndeadline: 2026-06-01\n---\n# Atlas\n"
    root = vault_of(tmp_path / "v", LATER[0].replace("[since", "[trust:: trusted] [since"), Atlas=note)
    night(root)
    assert (root / "Atlas.md").read_text() == note
    assert conflicts(root) == 1


def test_what_a_rule_decided_can_be_taken_back_and_is_not_decided_again(tmp_path):
    root = vault_of(tmp_path / "v", *LATER)
    run = night(root).changes.run
    with open_vault(root, clock=lambda: NOW) as app:
        app.undo(run)
    assert (root / "semantic/p0.md").read_text() == LATER[0]
    assert night(root, days=1) is None
    assert conflicts(root) == 1


def test_where_everything_is_proposed_the_rule_waits_too(tmp_path):
    root = vault_of(tmp_path / "v", *LATER)
    night(root, mode="propose")
    assert sorted(values_of(root)) == ["2026-05-02", "2026-06-01"]
    with open_vault(root, clock=lambda: NOW) as app:
        [item] = [item for item in app.review.list() if item.change is not None]
        app.review.approve([item])
    assert values_of(root) == ["2026-06-01"]
