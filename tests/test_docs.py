"""What docs/ shows is what happens: commands are run on a copy of the sample vault, helps and constants are looked up.

`python -m tests.test_docs` writes outputs, helps and constants anew; read the difference before you keep it.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

import click
import pytest

sys.path.insert(0, os.fspath(Path(__file__).parent))  # for python -m tests.test_docs
from conftest import put
from forked import STEM
from obsidian import obsidian_vault
from test_architecture import ORDER

from memoryclaw.app import App
from memoryclaw.index.database import SCHEMA
from memoryclaw.interfaces.cli.verbs import VERBS, Group, cli
from memoryclaw.model import Turn
from memoryclaw.recall.reasons import REASONS
from memoryclaw.talk.statements import read
from memoryclaw.talk.worth import TABLE, verdict

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = (
    "index.md", "memory.md", "undo.md", "your-agent.md", "privacy.md", "reference/cli.md",
    "reference/evaluation.md", "reference/hooks.md", "reference/openclaw.md", "getting-started.md",
    "reference/consolidation.md", "your-notes.md", "reference/from-hugo.md", "reference/from-logseq.md",
    "reference/from-properties.md", "reference/import-export.md", "reference/recall.md",
    "reference/review.md", "reference/schedule.md", "reference/security.md", "skills.md", "sync.md",
    "forgetting.md", "reference/working.md",
)  # fmt: skip
HOME = "/home/nora"  # what the pages call the home folder
CONSOLE = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^### (\w+)\n\n.*?^```$", re.MULTILINE | re.DOTALL)
UNBROKEN: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
ALIKE = (  # helps of options that the page describes once, for every command
    "Do not ask.",
    "Only show what would change.",
    "Keep what looks like a secret as you typed it.",
    "The most to list.",
)
CONSTANT = re.compile(r"^\| `(\w+)\.(\w+)\.([A-Z0-9_]+)(?:\[(\w+)\])?` \| ([^|]+?) \|", re.MULTILINE)
RUN = re.compile(r"\b(consolidate|redo)-\d{8}T\d{6}-[0-9a-f]{6}\b")  # made of what was read: shown as it is
CHANGING = (
    (
        re.compile(r"(commit |last change  |\d\d:\d\d  |^)[0-9a-f]{7,10}\b(?=[) :]|$)", re.MULTILINE),
        lambda hit: f"{hit[1]}{'0123456789'[: len(hit[0]) - len(hit[1])]}",
    ),
    (
        re.compile(r"(?<!consolidate-\d{8}T080000-)(?<!redo-\d{8}T080000-)(?<=T080000-)[0-9a-f]{6}\b"),
        "ab12cd",
    ),
    (re.compile(r"(?<=memoryclaw-studio-)[0-9a-f]{6}\b"), "3f9a1c"),
    (re.compile(r'(?:/bin/sh -c ".*" \S+ )?[^\s=]*/python\S*(?= -P )'), "/usr/bin/python3"),
    (re.compile(r"\d+\.\d MB"), "0.4 MB"),
    (re.compile(r"[^\s\"']*/bin/memoryclaw\b"), f"{HOME}/.local/bin/memoryclaw"),
    (re.compile(r"(?<=\")[^\s\"]*/bin/python[\d.]*(?=\")"), "/usr/bin/python3"),
    (re.compile(r"[^\s\"']+(?=/plugins/openclaw\b)"), f"{HOME}/.local/share/memoryclaw"),
)


def shown(text: str, home: Path) -> str:
    """An output as a page shows it: without what differs from run to run and from machine to machine."""
    text = text.replace(os.fspath(home), HOME)
    for pattern, replacement in CHANGING:
        text = pattern.sub(replacement, text)
    lines = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
    return f"{lines}\n" if lines else ""


def studio(home: Path, env: Mapping[str, str]) -> Path:
    """A copy of the sample vault with a history of one commit, and a conversation beside it."""
    shutil.copy(ROOT / "scripts" / "talk.jsonl", home)
    key = home / ".config" / "memoryclaw" / "redaction.key"
    key.parent.mkdir(parents=True)
    key.write_bytes(b"docs" * 8)
    vault = home / "studio"
    shutil.copytree(ROOT / "vault", vault, ignore=shutil.ignore_patterns(".memoryclaw"))
    for folder, _, names in os.walk(vault):
        os.chmod(folder, 0o700)
        for name in names:
            os.chmod(os.path.join(folder, name), 0o600)
    when = {f"GIT_{role}_DATE": "2026-04-17T18:00:00Z" for role in ("AUTHOR", "COMMITTER")}
    for args in (
        ("init", "-q", "--initial-branch=main"),
        ("config", "user.name", "Nora"),
        ("config", "user.email", "nora@example.org"),
        ("add", "--all"),
        ("commit", "-qm", "My notes so far"),
    ):
        subprocess.run(["git", *args], cwd=vault, env={**env, **when}, check=True)
    return vault


def notes(home: Path, _env: Mapping[str, str]) -> Path:
    """An Obsidian vault in which MemoryClaw was never called, of somebody who asks no model."""
    return obsidian_vault(without_model(home) / "notes")


def without_model(home: Path) -> Path:
    put(home / ".config" / "memoryclaw", {"config.yaml": "llm:\n  chain: []\n"})
    return home


def newcomer(home: Path, _env: Mapping[str, str]) -> Path:
    """A home with the notes and the hosts of somebody who has just heard of MemoryClaw."""
    obsidian_vault(home / "Notes")
    (home / ".claude").mkdir()
    (home / ".openclaw").mkdir()
    (home / ".openclaw/openclaw.json").write_text("{\n  // mine\n  gateway: { port: 18789 },\n}\n")
    return home


def in_clean_homes(page: str, home: Path) -> str:
    """The same for a page whose sections each begin anew."""
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    homes = [home / str(number) / "nora" for number in range(len(parts))]
    for folder in homes:
        folder.mkdir(parents=True)
    return "".join(run_page(part, folder, newcomer) for part, folder in zip(parts, homes, strict=True))


def run_page(page: str, home: Path, begin: Callable[[Path, Mapping[str, str]], Path] = studio) -> str:
    """The page with what its commands print now, in the vault that it begins with."""
    env = {
        key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "MEMORYCLAW_", "XDG_"))
    }
    env |= {
        "HOME": os.fspath(home),
        "MEMORYCLAW_NOW": "2026-04-20T08:00:00Z",
        "GIT_PAGER": "cat",
        "NO_COLOR": "1",
        "TZ": "UTC",
    }
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    vault = begin(home, env)
    latest: dict[str, str] = {}  # the run that a command of the page means, by its verb

    def run(block: re.Match[str]) -> str:
        out = []
        for written in re.findall(r"^\$ (.*(?:\n> .*)*)$", block[1], re.MULTILINE):
            command = RUN.sub(lambda hit: latest.get(hit[1], hit[0]), written)
            script = command.replace("\n> ", "\n")
            printed = STEM.type(script, environ=env, cwd=vault)[1]
            assert "a bug in MemoryClaw" not in printed, printed
            latest.update({hit[1]: hit[0] for hit in RUN.finditer(printed)})
            out.append(f"$ {command}\n{shown(printed, home)}")
        return "".join(out)

    return CONSOLE.sub(run, page)


def described(page: str) -> str:
    """The page of commands with what the help of each says now."""
    return SECTION.sub(lambda hit: section(hit[1]) if hit[1] in VERBS else hit[0], page)


def section(verb: str) -> str:
    """The head of a command's section: what it does, then how it is written, with its own commands and options."""
    command = cli.get_command(click.Context(cli), verb)
    assert command is not None
    assert command.help
    about = "\n".join(textwrap.fill(part, 150, **UNBROKEN) + "\n" for part in _paragraphs(command.help))
    return f"### {verb}\n\n{about}\n```text\n{''.join(_lines(verb, command, set()))}```"


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.partition("\f")[0].strip().split("\n\n")]


def _lines(words: str, command: click.Command, listed: set[tuple[str | None, str | None]]) -> Iterator[str]:
    """One command, or each below it, the one that is meant without a word in brackets; an option is described once."""
    if isinstance(command, Group):
        for name, below in command.commands.items():
            yield from _lines(f"{words} {f'[{name}]' if name == command.default else name}", below, listed)
        return
    arguments = [
        param.make_metavar(click.Context(cli)).strip()
        for param in command.params
        if isinstance(param, click.Argument)
    ]
    options = [
        param
        for param in command.params
        if isinstance(param, click.Option) and param.name not in ("vault", "audience", "json")
    ]
    new = [
        option
        for option in options
        if not option.required and option.help not in ALIKE and (option.name, option.help) not in listed
    ]
    listed |= {(option.name, option.help) for option in new}
    brief = [
        _written(option) if option.required else f"[{_written(option)}]"
        for option in options
        if option not in new
    ]
    yield " ".join(["memoryclaw", words, *arguments, *brief]) + "\n"
    if " " in words:
        assert command.help
        yield _flowing("    ", " ".join(_paragraphs(command.help)))
    width = max((len(_written(option)) for option in new), default=0)
    for option in new:
        yield _flowing(f"    {_written(option):<{width}}  ", option.help or "")


def _flowing(head: str, text: str) -> str:
    return (
        textwrap.fill(
            text.replace("`", ""), 120, initial_indent=head, subsequent_indent=" " * len(head), **UNBROKEN
        )
        + "\n"
    )


def _written(option: click.Option) -> str:
    return option.opts[0] if option.is_flag else f"{option.opts[0]} {option.make_metavar(click.Context(cli))}"


def valued(page: str) -> str:
    """The page with the values that the constants have now."""

    def value(hit: re.Match[str]) -> str:
        member = getattr(importlib.import_module(f"memoryclaw.{hit[1]}.{hit[2]}"), hit[3])
        text = str(member[hit[4]] if hit[4] else member)
        return hit[0].replace(f"| {hit[5]} |", f"| {text} |")

    return CONSTANT.sub(value, page)


def like(vault: str) -> Callable[[Path, Mapping[str, str]], Path]:
    """A vault as people of another program write it."""

    def begin(home: Path, _env: Mapping[str, str]) -> Path:
        root = without_model(home) / vault
        pieces = (ROOT / f"tests/vaults/{vault}.txt").read_text(encoding="utf-8").split("=== ")[1:]
        put(root, {path: text for path, _, text in (piece.partition("\n") for piece in pieces)})
        return root

    return begin


BEGINS = {
    "your-notes.md": notes,
    "reference/from-hugo.md": like("hugo"),
    "reference/from-logseq.md": like("logseq"),
    "reference/from-properties.md": like("kepano"),
}


def retold(name: str, page: str, home: Path) -> str:
    """A page with what its commands print now."""
    return (
        in_clean_homes(page, home)
        if name == "getting-started.md"
        else run_page(page, home, BEGINS.get(name, studio))
    )


@pytest.mark.docs
@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_a_page_print_what_it_shows(name: str, tmp_path: Path) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    assert CONSOLE.search(page)
    assert retold(name, page, tmp_path) == page


def test_every_command_has_its_section_with_its_help() -> None:
    page = (DOCS / "reference/cli.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^### (\w+)$", page, re.MULTILINE)) == sorted(VERBS)
    assert described(page) == page


def test_the_constants_of_scoring_are_those_of_the_code() -> None:
    page = (DOCS / "internals/source.md").read_text(encoding="utf-8")
    assert CONSTANT.search(page)
    assert valued(page) == page


def test_the_pages_on_recall_and_scoring_tell_every_decision_and_every_term() -> None:
    page = (DOCS / "reference/recall.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \| out", page, re.MULTILINE)) == set(REASONS) - {"in"}
    terms = (ROOT / "memoryclaw" / "recall" / "rank.py").read_text(encoding="utf-8")
    named = set(re.findall(r'\("(\w+)", (?:-?[A-Z]+|related|exact|vectors|lent|1\.0)\b', terms))
    assert {"related", "session", "entity", "date", "assistant"} <= named
    scoring = (DOCS / "internals/source.md").read_text(encoding="utf-8").partition("## Scoring")[2]
    assert named <= set(re.findall(r"^\| `(\w+)` \|", scoring, re.MULTILINE))


def rows_of_what_becomes_of_a_statement() -> list[tuple[str, str, str]]:
    """The verdict, the reason and the example of each row that the page shows."""
    page = (DOCS / "reference/consolidation.md").read_text(encoding="utf-8")
    rows = page.partition("| | what was said | example |\n|---|---|---|\n")[2].partition("\n\n")[0]
    return [tuple(re.split(r" *\| *", line.strip("| "), maxsplit=2)) for line in rows.splitlines()]  # type: ignore[misc]


def test_the_page_on_consolidation_shows_the_table_of_the_code() -> None:
    shown = [(becomes, said) for becomes, said, _ in rows_of_what_becomes_of_a_statement()]
    assert shown == [(row.verdict, row.why) for row in TABLE]


@pytest.mark.parametrize(("becomes", "why", "example"), rows_of_what_becomes_of_a_statement())
def test_the_example_of_a_row_is_decided_by_that_row(becomes: str, why: str, example: str) -> None:
    turns = []
    for line, part in enumerate(example.split(" / "), 1):
        name, _, text = re.fullmatch(r"(?:(Ann|Bo|Pip)(: ))?(.*)", part).groups("Ann")  # type: ignore[union-attr]
        role = "assistant" if name == "Pip" else "user"
        turns.append(Turn("", "talk", str(line), "2026-04-19T16:00:00Z", role, name, text, line, line))
    decided = verdict(read(turns, {}).statements[0])
    assert (decided.verdict, decided.why) == (becomes, why)


@pytest.mark.parametrize("name", ["internals/architecture.md", "internals/source.md"])
def test_the_pages_on_the_source_name_what_is_there(name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    for module, inside in re.findall(r"`((?:[a-z_0-9]+/)+[a-z_0-9]+)\.(\w+(?:\.\w+)*)`", page):
        if inside not in {"py", "js", "md", "jsonl", "json", "toml", "yaml", "seal", "lock", "sqlite"}:
            attrgetter(inside)(importlib.import_module(f"memoryclaw.{module.replace('/', '.')}"))
    for inside in re.findall(r"`app\.((?:App\.)?\w+)", page):
        attrgetter(inside.removeprefix("App."))(App)
    for path in re.findall(r"`([a-z_]+/[\w/.]*(?:\.py|\.js|/))`", page):
        assert any(
            (base / path).exists()
            for base in (ROOT, ROOT / "memoryclaw", ROOT / "plugins/openclaw", ROOT / "vault")
        ), path


def test_the_page_on_the_index_names_every_table() -> None:
    page = (DOCS / "internals/source.md").read_text(encoding="utf-8")
    tables = re.search(r"^\| table \|.*?\n\n", page, re.MULTILINE | re.DOTALL)
    assert tables
    named = {
        name for row in tables[0].splitlines() for name in re.findall(r"`(\w+)`", row.partition(" | ")[0])
    }
    assert named == {"text", *re.findall(r"^create table (\w+)", SCHEMA, re.MULTILINE)}


def test_the_map_shows_every_package_in_the_order_of_its_imports() -> None:
    page = (DOCS / "internals/architecture.md").read_text(encoding="utf-8")
    drawn = [line for line in page.partition("```\n")[2].partition("```")[0].splitlines() if line]
    rows = {package: rank for rank, row in enumerate(ORDER) for package in row}
    places = {
        package: next((at for at, line in enumerate(drawn) if re.search(rf"(^|  ){package}\b", line)), None)
        for package in rows
    }
    assert None not in places.values(), places
    wrong = [(a, b) for a in rows for b in rows if rows[a] < rows[b] and places[a] < places[b]]  # type: ignore[operator]
    assert not wrong


def without_code(page: Path) -> str:
    return re.sub(r"```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.*)$", without_code(page), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("name", sorted(os.fspath(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")))
def test_every_link_between_pages_leads_somewhere(name: str) -> None:
    page = DOCS / name
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", without_code(page)):
        there = page.parent / target if target else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), f"{target}#{anchor}"


def test_the_site_lists_every_page() -> None:
    nav = re.findall(r"- ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(nav) == sorted(os.fspath(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))


def test_a_page_of_the_guide_begins_with_what_you_can_do_and_a_command_that_is_run() -> None:
    for page in DOCS.glob("*.md"):
        assert page.name in PAGES, page.name
        assert re.match(r"# .+\n\n[^#|`]", page.read_text(encoding="utf-8")), page.name


def write_anew() -> None:
    """Updates every page in place."""
    source = DOCS / "internals/source.md"
    source.write_text(valued(source.read_text(encoding="utf-8")), encoding="utf-8")
    for name in PAGES:
        page = (DOCS / name).read_text(encoding="utf-8")
        page = described(page) if name == "reference/cli.md" else page
        with tempfile.TemporaryDirectory() as home:
            page = retold(name, page, Path(home).resolve())
        (DOCS / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    write_anew()
