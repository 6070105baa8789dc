"""Templates, skills and lists of words reach every kind of installation."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RENDER = """
import sys
from memoryclaw.writing import context as templates
assert templates.__file__.startswith(sys.argv[1]), templates.__file__
print(templates.Templates().render("notes/gitignore.j2", at=str))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        folder,
        ROOT,
    ]
    subprocess.run(command, check=True, capture_output=True)
    [built] = folder.glob("memoryclaw-*.whl")
    return built


def test_the_wheel_holds_every_template_and_the_plugin_without_its_tests(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    assert not [name for name in packed if "/test" in name]
    for folder in ("templates", "plugins/openclaw/skills"):
        ours = {
            f"memoryclaw/_shipped/{path.relative_to(ROOT)}"
            for path in (ROOT / folder).rglob("*")
            if path.is_file()
        }
        assert ours <= packed
    assert "memoryclaw/_shipped/templates/notes/episode.md.j2" in packed


def test_the_wheel_holds_every_list_of_words(wheel: Path) -> None:
    lists = {str(path.relative_to(ROOT)) for path in (ROOT / "memoryclaw" / "data").glob("*.toml")}
    assert lists
    assert lists <= set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_holds_nothing_that_is_not_ours(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top.partition("-")[0] for top in tops} == {"memoryclaw"}


def test_an_installed_wheel_finds_its_templates(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", RENDER, tmp_path], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, encoding="utf-8", check=True
    )  # fmt: skip
    assert ".memoryclaw/" in done.stdout


def test_an_editable_install_finds_the_templates_of_the_checkout() -> None:
    done = subprocess.run(
        [sys.executable, "-c", RENDER, ROOT], cwd="/", capture_output=True, encoding="utf-8", check=True
    )
    assert ".memoryclaw/" in done.stdout
