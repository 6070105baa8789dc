"""Runs of every mode, as `apply` makes them, come before a person: on a branch, as proposals, or done and taken back."""

from __future__ import annotations

import pytest
from changesets import FILES, RUN, whole
from gitvault import git, pen_for, vault_of

from memoryclaw.consolidation.apply import apply
from memoryclaw.review.decide import decide
from memoryclaw.review.details import differences
from memoryclaw.review.file_history import blame
from memoryclaw.review.queue import chosen, waiting_items
from memoryclaw.review.undo import undo


@pytest.fixture
def root(tmp_path):
    return vault_of(tmp_path / "v", FILES)


def run(root, mode):
    return apply(pen_for(root), whole(), mode=mode, loss_budget=0.2)


def tree(root, *less):
    """Every tracked file but those, with its bytes."""
    names = git(root, "ls-files").split("\n")
    return {name: (root / name).read_bytes() for name in names if name and not name.startswith(less)}


def test_a_branch_waits_shows_its_commits_and_is_taken_over(root, tmp_path):
    straight = vault_of(tmp_path / "straight", FILES)
    run(straight, "direct")
    run(root, "branch")
    context = pen_for(root)
    [item] = [item for item in waiting_items(context) if item.kind == "run"]
    assert (item.id, item.run) == (RUN, RUN)
    changed = differences(context, item)
    assert any(
        difference.path == "semantic/projects.md" and "2026-12-18" in difference.after
        for difference in changed
    )
    assert all(difference.title for difference in changed)
    assert not any(difference.path.startswith("runs/") for difference in changed)
    assert item.what == f"2 episodes, 2 facts, 1 waiting fact, 1 skill draft on memoryclaw/{RUN}"
    [done] = decide(context, chosen(context, [RUN]), "approved")
    assert done.action == "approved"
    assert done.commit == git(root, "rev-parse", "HEAD").strip()
    assert tree(root, "runs/", "review/") == tree(straight, "runs/", "review/")
    assert not [item for item in waiting_items(context) if item.kind == "run"]


def test_what_was_proposed_and_approved_is_what_would_have_been_done(root, tmp_path):
    straight = vault_of(tmp_path / "straight", FILES)
    run(straight, "direct")
    proposed = run(root, "propose").proposed
    context = pen_for(root)
    items = [item for item in waiting_items(context) if item.about]
    assert {item.path for item in items} == set(proposed)
    assert {item.run for item in items} == {RUN}
    done = decide(context, items, "approved")
    assert {outcome.action for outcome in done} == {"approved"}, done
    facts = context.semantic("semantic/projects.md").facts
    mine, theirs = (facts((vault / "semantic/projects.md").read_text()).facts for vault in (root, straight))
    assert sorted(f._replace(line=0) for f in mine) == sorted(f._replace(line=0) for f in theirs)
    same = ("runs/", "review/", "semantic/")
    assert tree(root, *same) == tree(straight, *same)
    assert git(root, "status", "--porcelain") == ""


def test_a_direct_run_is_taken_back_whole_and_put_back_whole(root):
    before = tree(root)
    run(root, "direct")
    after = tree(root)
    done = undo(pen_for(root), RUN)
    assert tree(root, "runs/", "review/") == before
    assert "left as it is" not in done.notice
    undo(pen_for(root), done.commit)
    assert tree(root, "review/") == after


def test_each_fact_of_a_run_is_blamed_on_it(root):
    run(root, "direct")
    blamed = blame(pen_for(root), "Boathouse Aarhus.deadline")
    assert (blamed.commit.run, blamed.commit.subject[:16]) == (RUN, "Boathouse Aarhus")
    assert blamed.sources[0].quote.startswith("Nora: ")
