"""`git.track_logs` and `git.track_ledger`: in batches, nothing of the user's, and nothing deleted when they are off again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import Own
from gitvault import git
from ledgers import NOW as LATER
from ledgers import figures, used_for_months
from nights import said

from memoryclaw.app import App, init_vault, track
from memoryclaw.errors import HistoryError
from memoryclaw.vault.ledger import Ledger

NOW = datetime(2026, 4, 20, 3, tzinfo=UTC)
ON = "git:\n  track_logs: true\n  track_ledger: true\n"
LOG = "logs/2026-04-19/s1.jsonl"


def vault(tmp_path: Path) -> Path:
    root = tmp_path / "v"
    init_vault(root, clock=lambda: NOW)
    return root


def talk(root: Path, *words: str) -> None:
    path = root / LOG
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(said("s1", [("user Nora", f"The lantern is {word}.") for word in words]))


def consolidated(root: Path) -> None:
    with App(root, clock=lambda: NOW) as app:
        app.recall("lantern")
        app.consolidate(llm="none")


def of_logs(root: Path) -> list[str]:
    return git(root, "log", "--format=%s", "--grep=^Run: track-").splitlines()


def tracked(root: Path) -> list[str]:
    return [name for name in git(root, "ls-files").splitlines() if name.startswith(("logs/", "ledger/"))]


def test_without_a_word_nothing_of_them_is_committed(tmp_path: Path) -> None:
    root = vault(tmp_path)
    talk(root, "red")
    consolidated(root)
    assert not tracked(root)
    assert {"logs/", "ledger/"} <= set((root / ".gitignore").read_text().splitlines())


def test_what_was_appended_is_one_commit_and_again_only_when_there_is_more(tmp_path: Path, own: Own) -> None:
    own(ON)
    root = vault(tmp_path)
    (root / "mine.md").write_text("untracked\n")
    (root / "staged.md").write_text("staged\n")
    git(root, "add", "staged.md")
    talk(root, "red")
    consolidated(root)
    assert LOG in tracked(root)
    assert git(root, "status", "--porcelain", "--", "logs", "ledger", ".gitignore", ".gitattributes") == ""
    assert of_logs(root) == ["Logs and ledger: 2 files", "Track logs/ and ledger/"]
    assert git(root, "status", "--porcelain") == "A  staged.md\n?? mine.md\n"
    assert (root / ".gitattributes").read_text() == "ledger/** merge=union\nlogs/** merge=union\n"
    before = of_logs(root)
    with App(root, clock=lambda: NOW) as app:
        app.consolidate(llm="none")
    assert of_logs(root) == before
    talk(root, "red", "green")
    consolidated(root)
    assert len(of_logs(root)) == len(before) + 1
    assert "green" in git(root, "show", f"HEAD:{LOG}")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_one_of_them_alone_and_no_other_byte_of_the_rules(tmp_path: Path, own: Own, end: str) -> None:
    own("git:\n  track_ledger: true\n")
    root = vault(tmp_path)
    rules = end.join(("# mine", "*.tmp", "logs/", " ledger/ ", "!keep.tmp"))
    (root / ".gitignore").write_bytes(rules.encode())
    git(root, "commit", "-qm", "rules", "--", ".gitignore")
    consolidated(root)
    (root / "ledger/x").mkdir(parents=True)
    (root / "ledger/x/2026-04.jsonl").write_text("{}\n")
    consolidated(root)
    assert tracked(root) == ["ledger/x/2026-04.jsonl"]
    now = rules.replace(" ledger/ ", "# ledger/ is tracked by git: git.track_ledger")
    assert (root / ".gitignore").read_bytes() == now.encode()


def test_turned_off_again_nothing_is_deleted_and_nothing_more_is_committed(tmp_path: Path, own: Own) -> None:
    own(ON)
    root = vault(tmp_path)
    talk(root, "red")
    consolidated(root)
    own("# off\n")
    talk(root, "red", "green")
    consolidated(root)
    assert (root / LOG).exists()
    assert "green" not in git(root, "show", f"HEAD:{LOG}")
    assert {"logs/", "ledger/"} <= set((root / ".gitignore").read_text().splitlines())
    assert of_logs(root)[0] == "Leave logs/ and ledger/ out again"


def test_a_vault_of_somebody_whose_settings_ask_for_it_is_made_so(tmp_path: Path, own: Own) -> None:
    own(ON)
    root = tmp_path / "v"
    talk(root, "red")
    init_vault(root, clock=lambda: NOW)
    assert tracked(root) == [LOG]


def test_a_vault_asks_for_nothing_of_it_and_may_switch_it_off(tmp_path: Path, own: Own) -> None:
    root = vault(tmp_path)
    (root / "memoryclaw.yaml").write_text(ON)
    talk(root, "red")
    consolidated(root)
    assert not tracked(root)
    own(ON)
    (root / "memoryclaw.yaml").write_text("git:\n  track_logs: false\n")
    consolidated(root)
    assert [name for name in tracked(root) if name.startswith("logs/")] == []


def test_while_git_is_merging_nothing_is_committed_and_it_says_so(tmp_path: Path, own: Own) -> None:
    own(ON)
    root = vault(tmp_path)
    talk(root, "red")
    (root / ".git/MERGE_HEAD").write_text(git(root, "rev-parse", "HEAD"))
    with pytest.raises(HistoryError, match="merge is under way"):
        consolidated(root)
    assert not tracked(root)


def test_months_that_were_rolled_up_are_committed_and_another_machine_merges_them(
    tmp_path: Path, own: Own
) -> None:
    own(ON)
    root = vault(tmp_path)
    used_for_months(root)
    (root / "a.md").write_text("What was used.\n")
    git(root, "add", "a.md")
    git(root, "commit", "-qm", "a")
    with App(root, clock=lambda: LATER) as app:
        app.sync()
        track(
            str(root), app.config, app.clock
        )  # as the last night had done it, before there was anything to roll up
        hot = app.inspect("a").strength
    before, sizes = figures(Ledger(str(root))), {path: (root / path).stat().st_size for path in tracked(root)}
    assert len(sizes) > 4
    other = tmp_path / "laptop"
    git(tmp_path, "clone", "-q", str(root), str(other))
    (other / ".memoryclaw").mkdir()
    (other / ".memoryclaw/device").write_text("laptop")
    laptop = Ledger(str(other))
    laptop.append("cited", {"receipt": "r-20261120t000000-abcdef", "ids": ["a#b"]}, LATER)
    git(other, "add", "-A")
    git(other, "commit", "-qm", "on the laptop")

    with App(root, clock=lambda: LATER) as app:
        app.consolidate(llm="none")
        assert app.inspect("a").strength == hot
    assert figures(Ledger(str(root))) == before
    assert git(root, "status", "--porcelain") == ""
    shorter = [path for path, size in sizes.items() if (root / path).stat().st_size < size]
    assert len(shorter) == 3
    assert git(root, "show", "--name-only", "--format=%s").split("\n\n") == [
        "Logs and ledger: 3 files",
        "\n".join(shorter) + "\n",
    ]
    assert all(git(root, "show", f"HEAD:{path}") == (root / path).read_text() for path in shorter)

    rolled = {path: (root / path).read_bytes() for path in sizes}
    git(root, "pull", "-q", "--no-rebase", "--no-edit", str(other), "main")
    assert {path: (root / path).read_bytes() for path in sizes} == rolled
    assert len(Ledger(str(root)).record().citations) == len(Ledger(str(other)).record().citations)
    assert git(root, "status", "--porcelain") == ""
    with App(root, clock=lambda: LATER) as app:
        app.consolidate(llm="none")
    assert git(root, "log", "-1", "--format=%P").count(" ") == 1, "there was nothing more to commit"
