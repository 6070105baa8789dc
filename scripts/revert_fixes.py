"""Takes the newest fixes back, one at a time, and names a test that fails without each.

    python scripts/revert_fixes.py [--fixes 30] [COMMIT ...]

A fix is a commit that changed the package and its tests. Its part of the package is taken back in a worktree of HEAD, and the files of tests that it
changed run until one fails. Where later commits changed the same lines a fix is passed over, and where no test fails the line says so: either the commit
changed no behaviour, or a test is missing.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = ("memoryclaw", "memoryclaw-fleet/memoryclaw_fleet")
FILTER = "not laws and not faults and not llm and not openclaw and not browser and not hosts"


def git(*arguments: str, tree: Path = ROOT, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """A git command in a worktree, with `text` on its standard input."""
    return subprocess.run(
        ["git", "-C", str(tree), *arguments], input=text, capture_output=True, text=True, check=False
    )


def fixes(commits: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Each fix, newest first: its commit, its subject and the files of tests that it changed and that still stand."""
    for line in git(
        "log", "--no-walk=unsorted" if commits else "--no-merges", "--format=%h %s", *commits
    ).stdout.splitlines():
        commit, _, subject = line.partition(" ")
        paths = git("diff", "--name-only", f"{commit}^", commit).stdout.splitlines()
        tests = [
            path
            for path in paths
            if re.fullmatch(r"tests/(?!browser/|faults/).*test_\w+\.py", path) and (ROOT / path).is_file()
        ]
        if tests and any(path.startswith(CODE) for path in paths):
            yield commit, subject, tests


def first_failure(tree: Path, tests: list[str]) -> str:
    """The test that fails first in a worktree, or a few words on why there is none."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-n",
        "2",
        "-p",
        "no:cacheprovider",
        "-m",
        FILTER,
        *tests,
    ]
    run = subprocess.run(
        command,
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    failure = re.search(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
    return (
        failure[1]
        if failure
        else ("no test fails" if run.returncode == 0 else f"pytest ended with {run.returncode}")
    )


def main() -> None:
    """Print each fix with the test that fails without it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fixes", type=int, default=30, help="how many to take back (30)")
    parser.add_argument("commits", nargs="*", metavar="COMMIT", help="these, in place of the newest")
    arguments = parser.parse_args()
    reverted = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git("worktree", "add", "--detach", str(tree), "HEAD")
        try:
            for commit, subject, tests in fixes(arguments.commits):
                patch = git("diff", "--binary", f"{commit}^", commit, "--", *CODE).stdout
                if git("apply", "--reverse", "--3way", "-", tree=tree, text=patch).returncode == 0:
                    reverted += 1
                    print(f"{commit} {subject}\n    {first_failure(tree, tests)}", flush=True)
                else:
                    print(f"{commit} {subject}\n    later commits stand on it", flush=True)
                git("reset", "--hard", "HEAD", tree=tree)
                if reverted == arguments.fixes:
                    break
        finally:
            git("worktree", "remove", "--force", str(tree))


if __name__ == "__main__":
    main()
