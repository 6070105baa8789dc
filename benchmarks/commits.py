"""What a commit of ours costs beside a bare `git commit --only` of the same file, in small vaults and large ones.

    python benchmarks/commits.py [--files 100,10000] [--runs 25] [--json]

Every round edits one file and commits it: ours, then git's, each in a vault of its own with the same files. A run of
consolidation lands its changes together; `in a run` is what one of its commits takes, an episode and a fact in each.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from clock import in_turn, wall

from memoryclaw.consolidation.actions import NewFile, SetFact
from memoryclaw.consolidation.apply import apply
from memoryclaw.consolidation.changes import ChangeSet, PlannedChange
from memoryclaw.ports import Address
from memoryclaw.writing.context import Templates, WriteContext
from memoryclaw.writing.writer import Edit, text_change, write

NOW = datetime(2026, 4, 20, 8, tzinfo=UTC)
RANGE = "logs/2026-04-19/s.jsonl#1-{}@0123456789abcdef"
TOGETHER = 64
# What a shell sets for its user's git, like certificates, would cost ours a process more each time.
for name in [name for name in os.environ if name.startswith("GIT_")]:
    del os.environ[name]


class Nothing:
    """A lookup in a vault that nothing is looked up in."""

    def resolve(self, _id: str) -> Address | None:
        """Nothing."""
        return None

    def entity_name(self, entity: str) -> str:
        """The name as it is."""
        return entity

    def entity_files(self, _entity: str) -> list[str]:
        """None."""
        return []


def git(root: Path, *args: str) -> None:
    """A git command of the user's."""
    who = ["-c", "user.name=U", "-c", "user.email=u@example.com"]
    subprocess.run(["git", "-C", os.fspath(root), *who, *args], check=True, capture_output=True)


def vault(root: Path, files: int) -> Path:
    """A vault of so many committed notes, a hundred in each folder, and one file of facts."""
    for number in range(files):
        path = root / f"notes/{number // 100}/{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {number}\n\n{'Words of a note. ' * 20}\n", encoding="utf-8")
    (root / "semantic").mkdir(parents=True)
    (root / "semantic/people.md").write_text("# Anna\n- city: Bern\n", encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


def single(ours: Path, theirs: Path, runs: int) -> list[float]:
    """Seconds of one commit of one edited file: ours, git's."""
    said = iter(range(10_000))

    def edit() -> float:
        more = text_change(lambda text: f"{text}- number {next(said)}\n")
        return wall(lambda: write(os.fspath(ours), [Edit("notes/0/0.md", more)], lambda: "Edit\n\nRun: r\n", verb="edit", now=NOW))  # fmt: skip

    def bare() -> float:
        path = theirs / "notes/0/0.md"
        path.write_text(f"{path.read_text(encoding='utf-8')}- number {next(said)}\n", encoding="utf-8")
        return wall(lambda: git(theirs, "commit", "-q", "--only", "notes/0/0.md", "-m", "Edit"))

    edit()
    bare()
    return in_turn(runs, edit, bare)


def run(number: int, count: int) -> ChangeSet:
    """A change set of so many episodes, each with a fact."""
    source = RANGE.format(number + 1)
    changes = tuple(
        PlannedChange(
            "episode",
            f"Episode: number {n}",
            (
                NewFile(f"episodes/2026-04-{1 + number % 28:02}_08-{n // 60 % 60:02}-{n % 60:02}_n{number}-{n}.md", f"---\nid: n{number}-{n}\nsource: {source}\n---\n{'- Nora: words. ^l1' * 40}\n"),
                SetFact("semantic/people.md", f"Person {n % 20}", "city", f"Town {number}-{n}", "2026-04-19"),
            ),
            ('Nora: "words"',),
            source,
            "high",
        )
        for n in range(count)
    )  # fmt: skip
    return ChangeSet(f"consolidate-20260420T080000-{number:06x}", (source,), changes, turns=count)


def together(root: Path, runs: int) -> float:
    """Seconds of one commit of a run."""
    context = WriteContext(
        root=os.fspath(root), lookup=Nothing(), templates=Templates(), now=NOW, new_id=lambda: "0"
    )
    apply(context, run(0, 2), mode="direct", loss_budget=0.2)
    taken = [
        wall(lambda n=n: apply(context, run(n, TOGETHER), mode="direct", loss_budget=0.2)) / (TOGETHER + 1)
        for n in range(1, runs + 1)
    ]
    return statistics.median(taken)


def measure(files: int, runs: int) -> dict[str, float]:
    """All figures of one size of vault, in milliseconds."""
    with tempfile.TemporaryDirectory(prefix="memoryclaw-commits-") as folder:
        ours, theirs = (vault(Path(folder) / name, files) for name in ("ours", "theirs"))
        edit, bare = single(ours, theirs, runs)
        batch = together(ours, max(3, runs // 8))
        again = single(ours, theirs, runs)[1]  # git's own, in the same minute as the runs
    return {
        "files": files,
        "one commit": edit * 1e3,
        "git commit --only": bare * 1e3,
        "times git": edit / bare,
        "in a run": batch * 1e3,
        "git in that minute": again * 1e3,
        "in a run, times git": batch / again,
        "commits a second": 1 / batch,
    }


def main() -> int:
    """Prints one line for each size of vault."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", default="100,10000", help="sizes of vaults, with commas")
    parser.add_argument("--runs", type=int, default=25, help="rounds of each measurement")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows = [measure(int(files), asked.runs) for files in asked.files.split(",")]
    if asked.json:
        print(json.dumps(rows))
        return 0
    for row in rows:
        met = "met" if row["times git"] <= 2 else "missed"
        print(f"{row['files']:>6,} files: one commit {row['one commit']:.1f} ms, git commit --only {row['git commit --only']:.1f} ms, {row['times git']:.2f} x (goal <= 2: {met})")  # fmt: skip
        print(f"{'':>13} in a run {row['in a run']:.1f} ms, {row['in a run, times git']:.2f} x, {row['commits a second']:.0f} commits/s")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
