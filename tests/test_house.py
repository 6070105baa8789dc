"""The map of the house, kept true: who may import whom, who may build what, and how large anything may be."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "memoryclaw"
MAY_IMPORT = {
    "core": {"core"},
    "config": {"core", "config"},
    "adapters": {"adapters", "config", "core"},
    "jobs": {"jobs", "adapters", "config", "core"},
    "app": {"app", "jobs", "adapters", "config", "core"},
    "doors": {"doors", "app", "jobs", "config", "core"},
}
FREE = {"__init__", "__main__"}
LONGEST_FILE, LONGEST_FUNCTION = 400, 50
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path) for path in MODULES}


def layer(module: str) -> str:
    """`memoryclaw.model` lives in `core`; the package itself in `` (its version and its map)."""
    return module.partition("memoryclaw.")[2].partition(".")[0]


@cache
def tree_of(path: Path) -> ast.Module:
    """A module, parsed once for all tests."""
    return ast.parse(path.read_text(encoding="utf-8"))


def typing_only(tree: ast.Module) -> set[ast.AST]:
    """Nodes under `if TYPE_CHECKING:`, which never run."""
    guards = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {inner for guard in guards for statement in guard.body for inner in ast.walk(statement)}


@cache
def imports(path: Path, *, running: bool) -> tuple[str, ...]:
    """The modules that a file imports; `running` leaves out those for types alone."""
    return tuple(imported(path, running=running))


def imported(path: Path, *, running: bool) -> Iterator[str]:
    """The modules of ours that a file imports, inside functions too; `running` leaves out those for types alone."""
    tree = tree_of(path)
    skipped = typing_only(tree) if running else set()
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("memoryclaw"))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            base = node.module or ""
            for alias in node.names:
                if base.startswith("memoryclaw"):
                    yield f"{base}.{alias.name}" if f"{base}.{alias.name}" in NAMES else base


def test_imports_point_from_the_doors_to_the_core() -> None:
    wrong = [
        f"{name_of(path)} imports {target}"
        for path in MODULES
        if layer(name_of(path)) not in {"", *FREE}
        for target in imports(path, running=False)
        if layer(target) and layer(target) not in MAY_IMPORT[layer(name_of(path))]
    ]
    assert not wrong


def test_every_module_lives_in_a_known_layer() -> None:
    assert {layer(name) for name in NAMES} <= {"", *FREE, *MAY_IMPORT}


def test_no_module_imports_itself_through_others() -> None:
    graph = {name_of(path): set(imports(path, running=True)) & NAMES for path in MODULES}
    waiting = dict(graph)
    while waiting:
        leaves = [name for name, targets in waiting.items() if not targets & waiting.keys() - {name}]
        assert leaves, f"these import each other in a circle: {sorted(waiting)}"
        for name in leaves:
            del waiting[name]


def test_doors_do_not_know_one_another() -> None:
    wrong = [
        f"{name_of(path)} imports {target}"
        for path in MODULES
        if layer(name_of(path)) == "doors" and name_of(path).count(".") > 2
        for target in imports(path, running=False)
        if target.count(".") > 2
        and layer(target) == "doors"
        and target.split(".")[2] != name_of(path).split(".")[2]
    ]
    assert not wrong


# What lives as long as the app. A job may open for itself what it also closes: History, Watcher, a lock.
BUILT_BY_THE_APP = {
    "Vault",
    "Catalog",
    "Ledger",
    "Database",
    "Fts5",
    "WhooshIndex",
    "open_index",
    "Templates",
}


def test_only_the_app_builds_adapters() -> None:
    """`Database` and the engines are put together by `open_index`, which only the app calls."""
    wrong = []
    for path in MODULES:
        if layer(name_of(path)) not in {"jobs", "doors", "core"}:
            continue
        calls = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)]
        names = {ast.unparse(call.func).rpartition(".")[2] for call in calls}
        wrong += [f"{name_of(path)} builds {name}" for name in sorted(names & BUILT_BY_THE_APP)]
    assert not wrong


IMPURE = {
    "os",
    "pathlib",
    "time",
    "random",
    "socket",
    "subprocess",
    "sqlite3",
    "shutil",
    "tempfile",
    "asyncio",
    "threading",
    "git",
}


def test_the_core_is_pure() -> None:
    wrong = []
    for path in (PACKAGE / "core").rglob("*.py"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Import):
                names = {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {(node.module or "").partition(".")[0]}
            else:
                continue
            wrong += [f"{path.name} imports {name}" for name in names & IMPURE]
    assert not wrong


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nothing_grows_too_long(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST_FILE
    functions = [
        node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert [f.name for f in functions if (f.end_lineno or 0) - f.lineno + 1 > LONGEST_FUNCTION] == []
