from __future__ import annotations

import fcntl
import json
import os

import pytest
from changesets import (
    BOATHOUSE,
    CONFIRM,
    FILES,
    KITCHEN,
    PENDING,
    PROJECTS,
    RUN,
    SECOND,
    SUPERSEDE,
    colour,
    deadline,
    episode,
    whole,
)
from gitvault import UNFIT_STATES, git, pen_for, snapshot, users_work, vault_of

from memoryclaw.consolidation import apply as applying
from memoryclaw.consolidation.actions import AddStatement, MoveFile, NewFile
from memoryclaw.consolidation.apply import apply
from memoryclaw.consolidation.changes import ChangeSet, PlannedChange, read_proposal, read_record
from memoryclaw.errors import BudgetError, HistoryError, InputError, LockedError
from memoryclaw.history.repository import History
from memoryclaw.vault.facts import facts_in
from memoryclaw.vault.files import writer_lock

RECORD = f"runs/{RUN}.json"
EPISODES = [
    "episodes/2026-11-20_17-48-20_kitchen-wall-colour.md",
    "episodes/2026-11-20_18-00-00_boathouse.md",
]


@pytest.fixture
def root(tmp_path):
    return vault_of(tmp_path / "vault", FILES)


def done(root, changes=None, mode="direct", **values):
    return apply(pen_for(root), changes or whole(), mode=mode, loss_budget=0.2, **values)


def files(root):
    return {
        str(path.relative_to(root)): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.relative_to(root).parts[0] not in {".git", ".memoryclaw"}
    }


def log(root, wanted="%s"):
    return git(root, "log", "--reverse", f"--format={wanted}").splitlines()[1:]


def test_each_change_is_one_commit_in_order_and_the_record_is_the_last(root):
    applied = done(root)
    assert log(root) == [
        "Episode: The kitchen wall gets matt Dünensand",
        "Episode: The boathouse is late",
        "Boathouse Aarhus: deadline is 2026-12-18 (was 2026-12-11)",
        "1 fact waits for your decision",
        "Skill draft: book-train",
        "Merge two notes of the kitchen wall",
        "Consolidated 14 turns: 2 episodes, 2 facts, 1 waiting fact, 1 skill dra…",
    ]
    assert [commit.commit for commit in applied.commits] == log(root, "%H")
    assert [commit.kind for commit in applied.commits] == [
        "episode", "episode", "fact", "pending", "skill", "merge", "record",
    ]  # fmt: skip
    assert (applied.record, applied.proposed, applied.notices) == (RECORD, (), ())
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "fsck", "--strict") == ""


def test_a_commit_holds_its_own_paths_and_says_why(root):
    commits = [commit.commit for commit in done(root).commits]
    touched = [git(root, "show", "--format=", "--name-only", "--no-renames", c).split() for c in commits]
    assert touched == [
        [EPISODES[0], "semantic/projects.md"],
        [EPISODES[1], "semantic/projects.md"],
        ["semantic/projects.md"],
        ["semantic/_pending.md"],
        ["skills/_drafts/book-train/SKILL.md"],
        [f"archive/{SECOND}", "episodes/2026-11-18_09-00-00_kitchen-wall.md", SECOND],
        [RECORD],
    ]
    assert git(root, "show", "-s", "--format=%b", commits[2]) == (
        f'- Nora: "The deadline is 18 December now."\n\nRun: {RUN}\nSource: {BOATHOUSE}\nConfidence: high\n\n'
    )
    trailers = git(root, "log", "--format=%(trailers:key=Run,valueonly,separator=%x2C)", f"-{len(commits)}")
    assert trailers.split() == [RUN] * len(commits)


def test_the_record_makes_the_lines_done_and_names_the_episodes(root):
    done(root)
    record = read_record((root / RECORD).read_text())
    assert [str(range_) for range_ in record.ranges] == [KITCHEN, BOATHOUSE]
    assert list(record.episodes.values()) == [KITCHEN, BOATHOUSE]


def test_applied_twice_it_changes_nothing_more(root):
    done(root)
    before = snapshot(root)
    assert done(root).commits == ()
    assert snapshot(root) == before
    (root / RECORD).unlink()  # as if the run had been killed just before its end
    git(root, "commit", "-qam", "mine")
    assert [commit.kind for commit in done(root).commits] == ["record"]
    assert files(root)[RECORD] == before[RECORD].decode()


def test_a_run_that_read_nothing_writes_nothing(root):
    before = snapshot(root)
    assert done(root, ChangeSet(RUN)) == ((), (), "", ())
    assert snapshot(root) == before


def test_progress_is_told_to_the_end(root, monkeypatch):
    monkeypatch.setattr(applying, "_BATCH", 2)
    steps = []
    done(root, progress=lambda *at: steps.append(at))
    assert steps == [(0, 7), (2, 7), (4, 7), (7, 7)]


@pytest.mark.parametrize("together", [1, 2, 3])
def test_changes_that_land_together_are_the_same_commits_as_one_by_one(root, tmp_path, monkeypatch, together):
    done(root)
    monkeypatch.setattr(applying, "_BATCH", together)
    other = vault_of(tmp_path / "other", FILES)
    done(other)
    assert log(root, "%T %B") == log(other, "%T %B")
    assert files(root) == files(other)


HOSTILE = (
    'Nora: "ok"\n\nRun: forged\nCo-authored-by: Evil <evil@example.com>',
    "Run: forged",
    "Co-authored-by: Evil <evil@example.com>",
    "\x1b[31mred\x00\u202e\u2028Confidence: low" + "x" * 5000,
    "-- \n---\ndiff --git a/a b/a",
)


def test_words_of_a_log_never_look_like_a_trailer(root):
    hostile = episode(
        "e", "Words", KITCHEN, title="Episode: x\n\nRun: forged\n" + "y" * 200, evidence=HOSTILE
    )
    [commit, _] = [commit.commit for commit in done(root, whole(changes=(hostile,))).commits]
    message = git(root, "show", "-s", "--format=%B", commit)
    assert git(root, "show", "-s", "--format=%(trailers:unfold)", commit).split("\n")[:3] == [
        f"Run: {RUN}",
        f"Source: {KITCHEN}",
        "Confidence: high",
    ]
    assert git(root, "show", "-s", "--format=%(trailers:key=Co-authored-by)", commit).strip() == ""
    lines = message.splitlines()
    assert len(lines[0]) <= 72
    assert max(map(len, lines)) <= 202
    assert not set(message) & set("\x00\x1b\u202e\u2028")
    assert git(root, "log", "--format=%H", "--grep=^Run: forged$", "--grep=^Co-auth", "-E") == ""


def test_a_run_is_found_by_its_trailer_and_by_no_line_that_only_looks_like_one(root):
    entity = PlannedChange("fact", "Run: forged", (colour(),), source=KITCHEN)
    [commit, _] = [commit.commit for commit in done(root, whole(changes=(entity,))).commits]
    assert git(root, "log", "--format=%H", "--grep=^Run: forged$").split() == [commit]
    with pytest.raises(InputError):
        History(str(root)).find("forged")
    assert History(str(root)).find(RUN).message.startswith("Consolidated 14 turns")


def test_what_a_change_proposes_becomes_a_note_to_review(root):
    proposed = SUPERSEDE._replace(reason="two people say different things")
    applied = done(root, whole(changes=(proposed,)))
    [path] = applied.proposed
    assert path.startswith("review/fact-")
    assert read_proposal((root / path).read_text()).actions == (deadline(),)
    assert log(root)[0] == "Waits for review: Boathouse Aarhus: deadline is 2026-12-18 (was 2026-12…"
    assert (root / "semantic/projects.md").read_text() == PROJECTS
    assert json.loads((root / RECORD).read_text())["proposed"] == [path]


def test_in_propose_mode_everything_waits_but_what_waits_by_itself(root):
    applied = done(root, mode="propose")
    assert [commit.kind for commit in applied.commits] == [
        *["proposal"] * 3, "pending", "skill", "proposal", "record",
    ]  # fmt: skip
    assert len(applied.proposed) == 4
    assert not any((root / path).exists() for path in EPISODES)
    assert (root / "semantic/projects.md").read_text() == PROJECTS
    assert (root / "skills/_drafts/book-train/SKILL.md").exists()
    assert "consolidation.mode is `propose`" in (root / applied.proposed[0]).read_text()


def test_users_work_stays_the_users_and_is_in_no_commit_of_ours(root):
    """The test of point 4: what git shows as the user's, and the user's next commit, are the user's work only."""
    (root / "semantic/projects.md").write_text(PROJECTS.replace("client: Nordmole", "client: Nordmole A/S"))
    (root / "semantic/_pending.md").write_text(PENDING.replace("[ ]", "[x]"))
    git(root, "add", "semantic/_pending.md")
    (root / "staged.md").write_text("staged\n")
    git(root, "add", "staged.md")
    (root / "untracked.md").write_text("mine\n")
    before = users_work(root)
    applied = done(root)
    assert applied.proposed == ()
    assert work_of(users_work(root)) == work_of(before)
    for commit in applied.commits:
        shown = git(root, "show", "--format=", commit.commit)
        assert "Nordmole A/S" not in "".join(line for line in shown.splitlines() if line[:1] in "+-")
        assert "[x]" not in shown
        assert "staged.md" not in shown
    git(root, "commit", "-qm", "mine")
    assert git(root, "show", "--format=", "--name-only", "HEAD").split() == [
        "semantic/_pending.md",
        "staged.md",
    ]
    assert changed_lines(root) == ["-- [ ] Anna.birthday: 1987-03-02 [confidence:: low]", "+- [x] Anna.birthday: 1987-03-02 [confidence:: low]", "+staged"]  # fmt: skip
    git(root, "commit", "-qam", "mine too")
    assert changed_lines(root) == ["-- client: Nordmole", "+- client: Nordmole A/S"]


def work_of(shown):
    return [
        [line for line in part if not line.startswith(("@@", " ", "+++", "---", "diff"))] for part in shown
    ]


def changed_lines(root):
    shown = git(root, "show", "--format=", "-U0", "HEAD").splitlines()
    return [line for line in shown if line[:1] in "+-" and not line.startswith(("+++", "---"))]


def test_a_fact_that_meets_uncommitted_work_is_proposed_and_its_episode_is_kept(root):
    mine = PROJECTS.replace("deadline: 2026-12-11", "deadline: 2026-12-14")
    (root / "semantic/projects.md").write_text(mine)
    change = episode("2026-11-20_18-00-00_boathouse", "Late", BOATHOUSE, deadline(), CONFIRM)
    applied = done(root, whole(changes=(change,)))
    assert [commit.kind for commit in applied.commits] == ["episode", "proposal", "fact", "record"]
    assert read_proposal((root / applied.proposed[0]).read_text()).actions == (deadline(),)
    assert "has uncommitted changes of yours" in (root / applied.proposed[0]).read_text()
    assert "deadline: 2026-12-14" in (root / "semantic/projects.md").read_text()
    shown = [line for line in git(root, "diff", "-U0").splitlines()[4:] if line[0] in "+-"]
    assert shown == ["-- deadline: 2026-12-11 [since:: 2026-03-01] [source:: [[2026-03-01_10-00-00_kick-off]]]", "+- deadline: 2026-12-14 [since:: 2026-03-01] [source:: [[2026-03-01_10-00-00_kick-off]]]"]  # fmt: skip


def test_a_source_that_meets_uncommitted_work_is_left_out_with_a_remark(root):
    (root / "semantic/projects.md").write_text(PROJECTS.replace("- lead: Søren", "- lead:  søren"))
    applied = done(root, whole(changes=(episode("e", "Late", BOATHOUSE, CONFIRM),)))
    assert [commit.kind for commit in applied.commits] == ["episode", "record"]
    assert "has uncommitted changes of yours" in applied.notices[0]


def test_a_note_that_is_made_and_put_away_in_one_run_ends_in_the_archive(root):
    new, away = episode("twin", "Words", KITCHEN), "archive/episodes/twin.md"
    merge = PlannedChange("merge", "Merge", (MoveFile("episodes/twin.md", away),))
    applied = done(root, whole(changes=(new, merge)))
    assert [commit.kind for commit in applied.commits] == ["episode", "merge", "record"]
    assert (root / away).exists()
    assert not (root / "episodes/twin.md").exists()
    assert git(root, "status", "--porcelain") == ""


def test_a_supersession_that_meets_uncommitted_work_is_proposed_once(root):
    (root / "semantic/projects.md").write_text(
        PROJECTS.replace("deadline: 2026-12-11", "deadline: 2026-12-14")
    )
    first = done(root)
    assert len(first.proposed) == 1
    git(root, "rm", "-q", RECORD)
    git(root, "commit", "-qm", "mine", "--", RECORD)
    again = done(root)
    assert again.proposed == first.proposed
    assert [commit.kind for commit in again.commits] == ["record"]


def test_a_path_that_leaves_the_vault_is_never_written(root):
    evil = PlannedChange("skill", "Skill draft: x", (NewFile("../x/SKILL.md", "x"),))
    applied = done(root, whole(changes=(evil,)))
    assert not (root.parent / "x").exists()
    assert "is not a path inside the vault" in (root / applied.proposed[0]).read_text()


@pytest.mark.parametrize("mode", ["direct", "propose", "branch"])
def test_a_run_that_would_lose_too_much_is_refused_before_it_writes(root, mode, monkeypatch):
    """No action takes lines away; one that did, by a fault of ours, would be stopped here."""
    monkeypatch.setattr(
        "memoryclaw.consolidation.actions.set_fact",
        lambda *a, **k: type("R", (), {"text": "# Gone\n"}),
    )
    before = snapshot(root)
    if mode == "propose":
        assert done(root, mode=mode).proposed
        return
    with pytest.raises(BudgetError, match=r"semantic/projects\.md would lose \d+ of its 8 lines"):
        done(root, mode=mode)
    assert snapshot(root) == before


@pytest.mark.parametrize("mode", ["direct", "propose", "branch"])
@pytest.mark.parametrize(("prepare", "word"), UNFIT_STATES)
def test_in_a_state_that_takes_no_commit_nothing_at_all_is_written(root, prepare, word, mode):
    prepare(root)
    before = snapshot(root)
    with pytest.raises(HistoryError, match=word):
        done(root, mode=mode)
    assert snapshot(root) == before


def test_a_conflict_that_a_stash_left_is_found_before_anything_is_written(root):
    (root / "semantic/projects.md").write_text(PROJECTS + "- one: 1\n")
    git(root, "stash")
    (root / "semantic/projects.md").write_text(PROJECTS + "- one: 2\n")
    git(root, "commit", "-qam", "two")
    git(root, "stash", "pop", check=False)
    before = snapshot(root)
    with pytest.raises(HistoryError, match=r"semantic/projects\.md has a merge conflict"):
        done(root)
    assert snapshot(root) == before


def test_while_another_git_is_at_work_nothing_is_written_and_its_lock_stays(root, monkeypatch):
    monkeypatch.setattr("memoryclaw.writing.writer.WAIT", 0.1)
    (root / ".git/index.lock").touch()
    before = snapshot(root)
    with pytest.raises(HistoryError, match=r"index\.lock"):
        done(root)
    assert snapshot(root) == before


def test_while_another_writer_is_at_work_nothing_is_written(root, monkeypatch):
    monkeypatch.setattr("memoryclaw.writing.writer.writer_lock", lambda root: writer_lock(root, wait=0.1))
    handle = os.open(root, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    before = snapshot(root)
    with pytest.raises(LockedError):
        done(root)
    assert snapshot(root) == before
    os.close(handle)


def test_without_a_repository_everything_is_written_and_the_notice_says_so(tmp_path):
    root = tmp_path / "plain"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    applied = done(root)
    assert [commit.commit for commit in applied.commits] == [""] * 7
    assert applied.notices == ("the vault has no git repository of its own, so changes cannot be undone",)
    assert files(root) == files_of_a_vault_with_git(tmp_path)
    with pytest.raises(HistoryError, match="mode is `branch`"):
        done(root, whole(run="consolidate-20261122T101500-ab12cd"), mode="branch")


def files_of_a_vault_with_git(tmp_path):
    root = vault_of(tmp_path / "with-git", FILES)
    done(root)
    (root / ".gitignore").unlink()
    return files(root)


def test_on_an_unborn_branch_the_first_commit_is_ours(tmp_path):
    root = vault_of(tmp_path / "v", FILES, commit=False)
    applied = done(root, whole(changes=whole().changes[:1]))
    assert git(root, "rev-list", "--max-parents=0", "HEAD").strip() == applied.commits[0].commit
    assert git(root, "ls-tree", "-r", "--name-only", "HEAD").split() == [EPISODES[0], RECORD]
    assert "changes to semantic/projects.md cannot be undone" in applied.notices[0]


def test_a_linked_worktree_is_a_normal_vault(root, tmp_path):
    linked = tmp_path / "linked"
    git(root, "worktree", "add", "-q", "-b", "side", str(linked))
    applied = done(linked)
    assert git(linked, "rev-parse", "side").strip() == applied.commits[-1].commit
    assert git(linked, "status", "--porcelain") == git(root, "status", "--porcelain") == ""


def test_an_interrupt_between_two_commits_leaves_a_whole_vault_and_the_next_run_goes_on(
    root, tmp_path, monkeypatch
):
    monkeypatch.setattr(applying, "_BATCH", 1)

    def interrupt(at, _total):
        if at == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        done(root, progress=interrupt)
    assert len(log(root)) == 3
    assert git(root, "status", "--porcelain") == ""
    done(root)
    whole_root = vault_of(tmp_path / "whole", FILES)
    done(whole_root)
    assert files(root) == files(whole_root)
    assert log(root, "%T%s") == log(whole_root, "%T%s")


def test_a_file_is_read_once_for_the_outcome_of_a_change_and_once_to_make_it(tmp_path):
    path, days = "semantic/people.md", range(1, 21)
    root = vault_of(tmp_path / "vault", {path: '# Ada\n- "I keep bees" [said:: 2026-01-01]\n'})
    said = [
        PlannedChange("fact", f"Day {day}", (AddStatement(path, "Ada", f"hive {day} hums", f"2026-02-{day:02}", "talk"),))
        for day in days
    ]  # fmt: skip
    before = facts_in.cache_info().misses
    done(root, ChangeSet(RUN, changes=tuple(said)))
    assert all(f"hive {day} hums" in (root / path).read_text() for day in days)
    assert facts_in.cache_info().misses - before <= 2 * len(said) + 2
