from __future__ import annotations

import pytest
from changesets import BOATHOUSE, FILES, KITCHEN, PROJECTS, RUN, SECOND, whole
from gitvault import git, pen_for, snapshot, users_work, vault_of

from memoryclaw.consolidation.apply import apply
from memoryclaw.consolidation.changes import read_proposal, read_record
from memoryclaw.consolidation.selecting import open_branches
from memoryclaw.errors import ConflictError, HistoryError, NotFoundError
from memoryclaw.history.repository import History
from memoryclaw.review.decide import approve, decide, reject
from memoryclaw.review.queue import chosen, waiting_items
from memoryclaw.vault.layout import DECISIONS_FILE
from memoryclaw.writing.decisions import REJECTED, Decisions
from memoryclaw.writing.pending import PENDING_FILE, PendingFact, add_pending, read_pending

BRANCH, RECORD = f"memoryclaw/{RUN}", f"runs/{RUN}.json"


@pytest.fixture
def root(tmp_path):
    return vault_of(tmp_path / "vault", FILES)


def branched(root, changes=None):
    return apply(pen_for(root), changes or whole(), mode="branch", loss_budget=0.2)


def tree(root, name="HEAD"):
    lines = git(root, "ls-tree", "-r", name).splitlines()
    return {line for line in lines if not line.endswith((RECORD, DECISIONS_FILE))}


def direct(tmp_path):
    """What the same run would have made of the same vault in direct mode."""
    root = vault_of(tmp_path / "direct", FILES)
    apply(pen_for(root), whole(), mode="direct", loss_budget=0.2)
    return root


def test_a_branch_holds_the_run_and_the_working_tree_knows_nothing_of_it(root, tmp_path):
    (root / "semantic/projects.md").write_text(PROJECTS + "- mine: 1\n")
    (root / "staged.md").write_text("staged\n")
    git(root, "add", "staged.md")
    before, head, index = snapshot(root), git(root, "rev-parse", "HEAD"), git(root, "ls-files", "--stage")
    applied = branched(root)
    git(root, "update-index", "-q", "--refresh", check=False)
    after = {path: data for path, data in snapshot(root).items() if BRANCH not in path}
    assert {path for path in before if before[path] != after[path]} <= {".git/index"}
    assert after.keys() == before.keys()
    assert git(root, "ls-files", "--stage") == index
    assert git(root, "rev-parse", "HEAD") == head
    commits = git(root, "rev-list", "--reverse", f"main..{BRANCH}").split()
    assert [commit.commit for commit in applied.commits] == commits
    assert [commit.kind for commit in applied.commits][-1] == "record"
    assert tree(root, BRANCH) == tree(direct(tmp_path))
    assert git(root, "fsck", "--strict", "--no-dangling") == ""


def test_an_open_branch_tells_its_commits_and_its_record(root):
    applied = branched(root)
    [waiting] = open_branches(History(str(root)))
    assert (waiting.run, waiting.ref) == (RUN, f"refs/heads/{BRANCH}")
    assert [commit.commit for commit in waiting.commits] == [commit.commit for commit in applied.commits]
    assert [str(range_) for range_ in read_record(waiting.record).ranges] == [KITCHEN, BOATHOUSE]


def test_a_branch_that_git_packed_away_is_open_still(root):
    branched(root)
    git(root, "pack-refs", "--all", "--prune")
    assert not (root / ".git/refs/heads/memoryclaw").exists()
    assert [waiting.run for waiting in open_branches(History(str(root)))] == [RUN]


def test_a_run_that_waits_already_is_not_made_again(root):
    branched(root)
    before = snapshot(root)
    assert branched(root).commits == ()
    assert snapshot(root) == before


def test_where_there_is_no_branch_or_no_repository_none_is_open(root, tmp_path):
    assert open_branches(History(str(root))) == []
    assert open_branches(History(str(tmp_path))) == []
    for verb in (approve, reject):
        with pytest.raises(NotFoundError, match="no run"):
            verb(pen_for(root), "nothing")
        with pytest.raises(HistoryError, match="no branch waits"):
            verb(pen_for(tmp_path), "nothing")


def test_approved_it_is_as_if_it_had_been_done_at_once(root, tmp_path):
    branched(root)
    done = approve(pen_for(root), RUN)
    assert tree(root) == tree(direct(tmp_path))
    assert len(done.commits) == 7
    assert (done.proposed, done.notices) == ((), ())
    assert git(root, "branch", "--list", "memoryclaw/*") == ""
    assert git(root, "status", "--porcelain") == ""
    assert not (root / SECOND).exists()
    subjects = git(root, "log", "--format=%s", "--reverse").splitlines()
    assert subjects[3] == "Boathouse Aarhus: deadline is 2026-12-18 (was 2026-12-11)"
    trailers = git(root, "show", "-s", "--format=%(trailers:only,unfold)", done.commits[2]).split("\n")
    assert [line.partition(":")[0] for line in trailers[:4]] == ["Run", "Source", "Confidence", "Approved"]
    [decision] = Decisions.read((root / DECISIONS_FILE).read_text()).all
    assert (decision.decision, decision.kind, decision.run) == ("approved", "run", RUN)
    assert decision.by == "MemoryClaw"


def test_approved_over_later_work_both_are_kept(root):
    branched(root)
    later = PROJECTS.replace("- colour: white\n", "- colour: white\n- floor: oak\n").replace(
        "Nordmole", "Nordmole A/S"
    )
    (root / "semantic/projects.md").write_text(later)
    git(root, "commit", "-qam", "mine")
    (root / "semantic/projects.md").write_text(later + "- unsaved: yes\n")
    work = users_work(root)
    done = approve(pen_for(root), RUN)
    assert done.proposed == ()
    text = (root / "semantic/projects.md").read_text()
    for line in ("client: Nordmole A/S", "floor: oak", "deadline: 2026-12-18", "paint: matt", "unsaved: yes"):
        assert line in text
    assert [line for line in users_work(root)[0] if line[:2] in {"+-", "--"}] == [
        line for line in work[0] if line[:2] in {"+-", "--"}
    ]
    assert "unsaved" not in git(root, "show", "HEAD:semantic/projects.md")


def test_a_fact_on_lines_that_a_person_changed_becomes_a_proposal(root):
    branched(root)
    (root / "semantic/projects.md").write_text(
        PROJECTS.replace("deadline: 2026-12-11", "deadline: 2026-12-14")
    )
    done = approve(pen_for(root), RUN)
    [path] = done.proposed
    [action] = read_proposal((root / path).read_text()).actions
    assert (action.entity, action.field, action.value) == ("Boathouse Aarhus", "deadline", "2026-12-18")
    assert action.source == "2026-11-20_18-00-00_boathouse#^l3"
    assert "deadline: 2026-12-14" in (root / "semantic/projects.md").read_text()
    assert (root / RECORD).exists()
    assert git(root, "branch", "--list", "memoryclaw/*") == ""


def test_a_fact_that_a_person_committed_meanwhile_stands_and_the_other_value_waits(root):
    branched(root)
    (root / "semantic/projects.md").write_text(
        PROJECTS.replace("deadline: 2026-12-11", "deadline: 2026-12-14")
    )
    git(root, "commit", "-qam", "mine")
    done = approve(pen_for(root), RUN)
    [path] = done.proposed
    [action] = read_proposal((root / path).read_text()).actions
    assert (action.entity, action.field, action.value) == ("Boathouse Aarhus", "deadline", "2026-12-18")
    assert "- deadline: 2026-12-14 [since:: 2026-03-01]" in (root / "semantic/projects.md").read_text()
    assert "2026-12-18" not in (root / "semantic/projects.md").read_text()


def test_an_approval_that_was_cut_short_goes_on_where_it_stopped(root, tmp_path, monkeypatch):
    branched(root)
    real, count = History.move, iter(range(99))

    def dying(self, *args):
        if next(count) == 4:
            raise KeyboardInterrupt
        return real(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(History, "move", dying)
        with pytest.raises(KeyboardInterrupt):
            approve(pen_for(root), RUN)
    assert len(open_branches(History(str(root)))) == 1
    approve(pen_for(root), RUN)
    assert tree(root) == tree(direct(tmp_path))
    assert git(root, "rev-list", "--count", "HEAD") == "8\n"
    assert git(root, "status", "--porcelain") == ""


def test_what_a_person_refused_while_the_branch_waited_is_not_asked_again(root):
    branched(root)
    add = add_pending((root / PENDING_FILE).read_text(), PendingFact("", "Nora", "likes", "oak"))
    (root / PENDING_FILE).write_text(add)
    git(root, "commit", "-qam", "another run asks the same")
    [item] = [item for item in waiting_items(pen_for(root)) if item.entity == "Nora"]
    decide(pen_for(root), [item], REJECTED)
    approve(pen_for(root), RUN)
    assert [fact.entity for fact in read_pending((root / PENDING_FILE).read_text())] == ["Anna"]


def test_rejected_its_lines_stay_done_and_its_branch_is_gone(root):
    branched(root)
    context = pen_for(root)
    [done] = decide(context, chosen(context, [RUN]), "rejected")
    assert git(root, "show", "--format=%s", "--name-only", done.commit).split("\n\n") == [
        f"Reject the run {RUN}", f"{DECISIONS_FILE}\n",
    ]  # fmt: skip
    decisions = Decisions.read((root / DECISIONS_FILE).read_text())
    assert [str(range_) for range_ in decisions.ranges()] == [KITCHEN, BOATHOUSE]
    assert [d.decision for d in decisions.all] == ["rejected"]
    assert git(root, "branch", "--list", "memoryclaw/*") == ""
    assert (root / "semantic/projects.md").read_text() == PROJECTS


def test_a_branch_with_commits_of_the_users_is_left_to_them(root):
    branched(root)
    git(root, "checkout", "-q", BRANCH)
    for verb in (approve, reject):
        with pytest.raises(ConflictError, match="checked out"):
            verb(pen_for(root), RUN)
    (root / "mine.md").write_text("mine\n")
    git(root, "add", "mine.md")
    git(root, "commit", "-qm", "mine")
    git(root, "checkout", "-q", "main")
    with pytest.raises(ConflictError, match=f"git merge {BRANCH}"):
        approve(pen_for(root), RUN)
    assert len(open_branches(History(str(root)))) == 1


def test_a_branch_that_was_merged_by_hand_is_only_tidied_away(root):
    branched(root)
    git(root, "merge", "-q", BRANCH)
    head = git(root, "rev-parse", "HEAD")
    assert approve(pen_for(root), RUN).commits == ()
    assert git(root, "rev-parse", "HEAD") == head
    assert git(root, "branch", "--list", "memoryclaw/*") == ""


def test_on_an_unborn_branch_a_run_waits_too(tmp_path):
    root = vault_of(tmp_path / "v", {}, commit=False)
    branched(root, whole(changes=whole().changes[:1]))
    assert git(root, "rev-parse", "--verify", "-q", "HEAD", check=False) == ""
    approve(pen_for(root), RUN)
    assert (
        git(root, "log", "--format=%s", "--reverse").splitlines()[0].startswith("Episode: The kitchen wall")
    )
