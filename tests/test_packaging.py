"""Templates, skills and lists of words reach every kind of installation."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterable
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

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
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir",
        folder, ROOT,
    ]  # fmt: skip
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


def twice(contents: Iterable[bytes]) -> list[str]:
    counts = Counter(hashlib.sha256(data).hexdigest() for data in contents if len(data) > 200)
    return [digest for digest, number in counts.items() if number > 1]


def test_nothing_is_shipped_twice_and_no_tests(wheel: Path, tmp_path: Path) -> None:
    packed = zipfile.ZipFile(wheel)
    assert twice(packed.read(name) for name in packed.namelist()) == []
    build = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [source] = tmp_path.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        members = [member for member in archive.getmembers() if member.isfile()]
        assert not [member.name for member in members if "/test" in member.name]
        assert twice(archive.extractfile(member).read() for member in members) == []


def packages(requirement: str) -> set[str]:
    """The packages that an installation brings, by what the installed ones say that they need."""
    names, waiting = set(), [Requirement(requirement)]
    while waiting:
        wanted = waiting.pop()
        for extra in {"", *wanted.extras} - {extra for name, extra in names if name == wanted.name.lower()}:
            names.add((wanted.name.lower(), extra))
            needed = map(Requirement, requires(wanted.name) or ())
            waiting += [each for each in needed if not each.marker or each.marker.evaluate({"extra": extra})]
    return {name for name, _ in names}


def test_what_an_installation_brings_stays_small() -> None:
    assert len(packages("memoryclaw")) <= 30
    assert len(packages("memoryclaw[agent]")) < 50
    assert not {name for name in packages("memoryclaw[all]") if name.startswith("psycopg")}


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
