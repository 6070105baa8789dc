"""The architecture, kept true: which package may import which, what may touch the world, and what only the app builds."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "memoryclaw"
MODULES = sorted(PACKAGE.rglob("*.py"))

# From the bottom up. A package imports from lower rows alone; two in one row do not know each other.
ORDER = (
    {"version", "errors", "late"},
    {"model", "ports"},
    {"extensions", "text", "models", "unix"},
    {"vault"},
    {"config"},
    {"history"},
    {"writing", "index"},
    {"recall", "daemon"},
    {"capture"},
    {"skills"},
    {"talk"},
    {"consolidation"},
    {"working", "lifecycle"},
    {"review", "erase"},
    {"connect", "health"},
    {"rooms"},
    {"app"},
    {"interfaces", "memory_tool"},
)
RANK = {package: rank for rank, row in enumerate(ORDER) for package in row}

# These may touch the disk, the clock, processes, the network or SQLite. Every other module is pure: it gets what it needs as
# values or callables. The packages at the edge of the program are free.
FREE = {"interfaces", "app", "daemon"}
EFFECTS = {
    "config", "text.words", "unix",
    "models.http_limits", "models.command", "models.llm", "models.ollama", "models.openai", "models.packaged",
    "vault.files", "vault.folder", "vault.ledger", "vault.listener", "vault.permissions", "vault.state_folder", "vault.watcher",
    "history.commit_hook", "history.git", "history.journal", "history.remote", "history.repository", "erase.rewriting", "erase.traces",
    "writing.command_consent", "writing.bundles", "writing.init", "writing.secret_gate", "writing.context", "writing.tracking", "writing.writer",
    "index.catalog", "index.database", "index.index", "index.sync",
    "index.vectors", "index.vector_store", "index.watching", "index.whoosh_engine",
    "capture.log_files",
    "skills.host_skills", "skills.mcp_tools", "skills.tool_hosts",
    "consolidation.consolidate", "consolidation.model_chain", "consolidation.selecting", "lifecycle.pages",
    "recall.evaluation", "review.setting_questions", "review.undo",
    "health.doctor", "health.lint", "health.survey",
    "connect.archives", "connect.connecting", "connect.settings_file", "connect.hooks", "connect.importing", "connect.latest", "connect.logs", "connect.transcripts",
    "connect.openclaw.notes", "connect.openclaw.setup", "connect.openclaw.status",
}  # fmt: skip
WORLD = {
    "asyncio", "fcntl", "git", "glob", "httpcore", "httpx", "mcp", "mmap", "multiprocessing", "ollama", "procrastinate", "psycopg", "psycopg_pool", "random", "secrets", "select",
    "shutil", "signal", "socket", "sqlite3", "starlette", "subprocess", "tempfile", "threading", "uuid", "uvicorn", "watchdog",
}  # fmt: skip
OF_NAMES = {
    "abspath", "basename", "commonpath", "dirname", "expanduser", "isabs", "join", "normpath", "relpath",
    "split", "splitext",
}  # fmt: skip
PURE_OS = {"PathLike", "fsdecode", "fsencode", "fspath", "path", "sep", "stat_result"}
CLOCKS = {"datetime.now", "datetime.utcnow", "date.today"}


@pytest.fixture(autouse=True, scope="module")
def trees_are_no_garbage() -> Iterator[None]:
    """To look through half a million nodes again and again costs three times what reading them does."""
    gc.disable()
    yield
    gc.enable()


def name_of(path: Path) -> str:
    """`recall.packing` for its file; a package's own name for its `__init__`."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path) for path in MODULES}


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """What is asked of a module here, parsed once for all tests."""
    return _asked(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def _asked(nodes: Iterable[ast.AST]) -> tuple[ast.AST, ...]:
    return tuple(node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom | ast.If | ast.Attribute | ast.Call))  # fmt: skip


def running(path: Path) -> Iterator[ast.AST]:
    """The nodes of a module but for those under `if TYPE_CHECKING:`, which never run."""
    guards = [n for n in nodes_of(path) if isinstance(n, ast.If) and dotted(n.test) == "TYPE_CHECKING"]
    typing = {inner for guard in guards for statement in guard.body for inner in _asked(ast.walk(statement))}
    return (node for node in nodes_of(path) if node not in typing)


def dotted(node: ast.AST) -> str:
    """A name and its attributes, as `os.path.join`; nothing for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    owner = dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return owner and f"{owner}.{node.attr}"  # type: ignore[attr-defined]


def imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The modules of ours that are imported, inside functions too."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (
                a.name.removeprefix("memoryclaw.") for a in node.names if a.name.startswith("memoryclaw.")
            )
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            base = node.module or ""
            if base == "memoryclaw" or base.startswith("memoryclaw."):
                inside = base.removeprefix("memoryclaw").removeprefix(".")
                for alias in node.names:
                    whole = f"{inside}.{alias.name}".removeprefix(".")
                    yield whole if whole in NAMES else inside


def test_a_package_imports_only_from_packages_below_it() -> None:
    wrong = [
        f"{name_of(path)} imports {target}"
        for path in MODULES
        if name_of(path) not in {"", "__main__"}
        for target in imported(nodes_of(path))
        if target
        and (here := name_of(path).partition(".")[0]) != (there := target.partition(".")[0])
        and RANK[there] >= RANK[here]
    ]
    assert not wrong


def test_every_module_belongs_to_a_package_of_the_order() -> None:
    assert {name.partition(".")[0] for name in NAMES} <= {"", "__main__", *RANK}


def test_no_module_imports_itself_through_others() -> None:
    # Those under `if TYPE_CHECKING:` count: they never run, and still nobody can read one of the two without the other.
    waiting = {name_of(path): set(imported(nodes_of(path))) & NAMES for path in MODULES}
    while waiting:
        leaves = [name for name, targets in waiting.items() if not targets & waiting.keys() - {name}]
        assert leaves, f"these import each other in a circle: {sorted(waiting)}"
        for name in leaves:
            del waiting[name]


def test_interfaces_do_not_know_one_another() -> None:
    wrong = [
        f"{name_of(path)} imports {target}"
        for path in (PACKAGE / "interfaces").rglob("*.py")
        if len(here := name_of(path).split(".")) > 2
        for target in imported(nodes_of(path))
        if len(there := target.split(".")) > 2 and there[0] == "interfaces" and there[1] != here[1]
    ]
    assert not wrong


def names_imported(path: Path) -> set[str]:
    """What `import` binds in a module."""
    return {alias.name for node in running(path) if isinstance(node, ast.Import) for alias in node.names}


def effects(path: Path) -> Iterator[str]:
    """What in a module touches the world outside of the process."""
    for node in running(path):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.partition(".")[0] in WORLD)
        elif isinstance(node, ast.ImportFrom):
            base, names = node.module or "", {alias.name for alias in node.names}
            if base.partition(".")[0] in WORLD or (
                base == "time" or (base == "pathlib" and names - {"PurePath", "PurePosixPath"})
            ):
                yield base
        elif isinstance(node, ast.Attribute):
            whole = dotted(node)
            owner, _, name = whole.rpartition(".")
            if (
                (owner == "os" and name not in PURE_OS)
                or (owner == "late" and name in WORLD)
                or (owner == "os.path" and name not in OF_NAMES)
                or (owner == "time" and "time" in names_imported(path))
                or whole in CLOCKS
            ):
                yield whole
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"open", "input"}
        ):
            yield node.func.id


def test_only_the_modules_of_the_list_touch_the_world() -> None:
    impure = {name_of(path): sorted(set(effects(path))) for path in MODULES}
    impure = {
        name: calls for name, calls in impure.items() if calls and name.partition(".")[0] not in {*FREE, ""}
    }
    assert {name: calls for name, calls in impure.items() if name not in EFFECTS} == {}
    assert EFFECTS - impure.keys() == set(), "these are pure by now: take them off the list"


# What lives as long as the app. A verb may open for itself what it also closes: History, Watcher, a lock.
BUILT_BY_THE_APP = {"Vault", "Catalog", "Ledger", "open_index", "Templates"}


def test_only_the_app_builds_what_lives_as_long_as_it() -> None:
    wrong = []
    for path in MODULES:
        if name_of(path).partition(".")[0] in {"app", "index"}:
            continue
        calls = [node.func for node in nodes_of(path) if isinstance(node, ast.Call)]
        names = {getattr(call, "attr", getattr(call, "id", "")) for call in calls}
        wrong += [f"{name_of(path)} builds {name}" for name in sorted(names & BUILT_BY_THE_APP)]
    assert not wrong


FETCHING = {"pip", "ensurepip", "urllib3", "requests", "huggingface_hub", "ftplib"}


def test_no_module_can_install_anything() -> None:
    """The source names no installer: what is missing is said, and a person installs it."""
    names = {
        (name_of(path), name.partition(".")[0])
        for path in MODULES
        for node in nodes_of(path)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
    }  # fmt: skip
    assert not [name for name in names if name[1] in FETCHING]


# A literal that is a pattern of a block id or of an inline field. Besides the grammar there are two: labels are read however they are
# misspelt, and by its words a line is known to what is on disk already.
GRAMMAR = re.compile(r"(?<!\\\[)(?<!#)\\\^[(\[l]|(?:\\\[|\[\\\[\(\]|\\\()[^\n]*(?<![?:\[])::(?![?+:])")
OWN_GRAMMAR = {"text.memory_lines", "vault.audience", "vault.standings"}


def test_one_module_knows_the_grammar_of_a_line() -> None:
    literals = {
        (name_of(path), node.value)
        for path in MODULES
        if re.search(r"::|\\\^", text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and GRAMMAR.search(node.value)
    }
    assert [literal for literal in sorted(literals) if literal[0] not in OWN_GRAMMAR] == []
    assert {name for name, _ in literals} == OWN_GRAMMAR


# A name says what a thing is; these say that it is there. A field that is printed, or stored, under one of them keeps it.
NO_NAMES = {"found", "told", "one", "held"}
PRINTED = {
    "memoryclaw/consolidation/changes.py": "held",
    "memoryclaw/recall/evaluation.py": "held",
    "memoryclaw/review/machines.py": "told",
}


def misnamed(text: str, printed: str = "") -> Iterator[tuple[int, str]]:
    """The line and the name of each binding that says nothing of what it binds, but for fields of that name."""
    fields = set()
    for node in ast.walk(ast.parse(text)):  # a class comes before its fields
        match node:
            case ast.ClassDef(name=name, body=body):
                fields.update(member.target for member in body if isinstance(member, ast.AnnAssign))
            case ast.Name(id=name, ctx=ast.Store()) if name == printed and node in fields:
                continue
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                pass
            case ast.arg(arg=name) | ast.alias(asname=name) | ast.ExceptHandler(name=name):
                pass
            case ast.MatchAs(name=name) | ast.MatchStar(name=name) | ast.MatchMapping(rest=name):
                pass
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                pass
            case _:
                continue
        if name and name.strip("_") in NO_NAMES:
            yield node.lineno, name


@pytest.mark.parametrize(
    "folder",
    ["memoryclaw", *(pytest.param(folder, marks=pytest.mark.laws) for folder in ("memoryclaw-fleet", "benchmarks", "scripts", "tests"))],
)  # fmt: skip
def test_what_is_bound_has_the_name_of_what_it_is(folder: str) -> None:
    root = PACKAGE.parent
    assert [
        f"{name}:{line} binds {word}"
        for path in sorted((root / folder).rglob("*.py"))
        for name in [path.relative_to(root).as_posix()]
        for line, word in misnamed(path.read_text(encoding="utf-8"), PRINTED.get(name, ""))
    ] == []


@pytest.mark.parametrize(
    "text",
    [
        "found = 1", "a._told = 1", "a, *told = b", "(one := 1)", "for held in a: b", "[one for one in a]", "def f(told): a", "lambda one: a",
        "def held(): a", "class found: a", "a.told = 1", "import a as found", "with a as one: b", "held += 1", "told: int",
        "try: a\nexcept b as one: c", "match a:\n case [b, *found]: c", "match a:\n case {**held}: c", "class A:\n one: int = 1",
    ],
)  # fmt: skip
def test_a_binding_that_names_nothing_is_seen(text: str) -> None:
    assert len(list(misnamed(text))) == 1


def test_what_is_read_or_printed_is_no_such_binding() -> None:
    assert not list(misnamed("class A:\n found: int\nprint(one, a.told, b(held=1))", "found"))
