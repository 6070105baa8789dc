"""docs/reference/http.md says what is: the table of addresses, the statuses, and what the examples print.

`python -m tests.interfaces.test_http_docs` writes all three anew; read the difference before you keep it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memoryclaw.interfaces.http.routes import CODES, SUBJECTS, VerbRoute

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "http.md"
CONSOLE = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
URL = "http://127.0.0.1:7411"
ROWS = re.compile(r"(?<=^\| address \| keys \| answers as \|\n\|---\|---\|---\|\n)(?:\|.*\n)*", re.MULTILINE)
STATUSES = re.compile(r"(?<=^\| status \| what, and its codes \|\n\|---\|---\|\n)(?:\|.*\n)*", re.MULTILINE)


def rows() -> str:
    return "".join(_row(row) for rows in SUBJECTS.values() for row in rows)


def _row(row: VerbRoute) -> str:
    keys = ", ".join(f"`{name}`{'*' * field.is_required()}" for name, field in row.asks.model_fields.items())
    if row.asks.model_config["extra"] == "allow":
        keys = "as the verb says"
    return f"| `{row.method} {row.path}` | {keys} | `{row.like}` |\n"


def statuses() -> str:
    return "".join(f"| {status} | {about} |\n" for status, about in CODES.items())


@contextmanager
def answering(home: Path) -> Iterator[tuple[Path, str, dict[str, str]]]:
    """The sample vault with a daemon: its folder, its address, and the environment of a reader."""
    vault = home / "studio"
    shutil.copytree(ROOT / "vault", vault, ignore=shutil.ignore_patterns(".memoryclaw"))
    env = {**os.environ, "HOME": os.fspath(home), "MEMORYCLAW_NOW": "2026-04-20T08:00:00Z"}
    command = [
        Path(sys.executable).with_name("memoryclaw"),
        "--vault",
        vault,
        "serve",
        "--port",
        "0",
        "--json",
    ]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, encoding="utf-8") as process:
        address = re.search(r'"url": "([^"]+)"', process.stdout.readline())
        assert address
        try:
            yield vault, address[1], env
        finally:
            process.terminate()


def run_page(page: str, home: Path) -> str:
    """The page with what its examples print now."""
    with answering(home) as (vault, url, env):

        def run(block: re.Match[str]) -> str:
            out, before = [], ""
            for written in re.findall(r"^\$ (.*)$", block[1], re.MULTILINE):
                script = f"{before}\n{written}".replace(URL, url)
                done = subprocess.run(
                    ["bash", "-c", script], cwd=vault, env=env, stdout=subprocess.PIPE, encoding="utf-8", check=True
                )  # fmt: skip
                if "()" in written:
                    before = written
                printed = done.stdout.replace(url, URL)
                out.append(f"$ {written}\n{printed}" + "\n" * bool(printed and not printed.endswith("\n")))
            return "".join(out)

        subprocess.run(
            ["bash", "-c", f"until curl -sf {url}/readyz; do sleep 0.05; done"], stdout=subprocess.DEVNULL, check=True
        )  # fmt: skip
        return CONSOLE.sub(run, page)


def described(page: str) -> str:
    """The page with the tables of the code."""
    return STATUSES.sub(lambda _: statuses(), ROWS.sub(lambda _: rows(), page))


def test_the_tables_are_those_of_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert ROWS.search(page)
    assert described(page) == page


@pytest.mark.skipif(not shutil.which("curl"), reason="the examples are written for curl")
def test_the_examples_print_what_the_page_shows(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert run_page(page, tmp_path) == page


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(
            run_page(described(PAGE.read_text(encoding="utf-8")), Path(folder).resolve()), encoding="utf-8"
        )
