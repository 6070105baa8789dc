"""What can send bytes to another machine asks the gate, `vault.export_gate`, first; a new way out without it fails here."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from test_architecture import MODULES, imported, name_of, running

from memoryclaw import rooms

# What carries the words of a vault away: models, other copies, bundles, memory files. Whoever uses one of these asks the gate.
WAYS = {
    "models.command", "models.ollama", "models.openai", "history.remote", "writing.bundles", "connect.memory_file", "index.vectors",
}  # fmt: skip
GATE = {"vault.export_gate", "index.outgoing"}
# These use one of them and send nothing of a vault by it.
HARMLESS = {
    "app": "opens the rooms; `app.transfer` writes bundles",
    "health.doctor": "counts vectors and looks whether a model is there",
    "health.status": "the same",
    "connect.importing": "tells a memory file of ours, which it does not read",
    "interfaces.cli.maintaining": "prints what `app` made of vectors",
    "interfaces.shapes": "says how their results look as JSON",
    "interfaces.cli.transferring": "prints what `app.transfer` made",
    "recall.vector_lane": "asks through `index.vectors.asking`, which asks the gate",
}
# These open connections, and are no way out of a vault's words: why.
CONNECTED = {
    "models.http_limits": "carries what the models above send",
    "models.llm": "only looks whether somebody listens",
    "skills.mcp_tools": "what the steps of an approved skill name, run by a person",
    "skills.tool_hosts": "the same, through a gateway",
}
NETWORK = {"socket", "ssl", "http", "urllib", "httpcore", "httpx", "httpx2", "ollama", "openai", "requests", "mcp", "psycopg", "procrastinate", "smtplib", "ftplib", "aiohttp", "websockets"}  # fmt: skip
PURE = {"urllib.parse"}


def connecting(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    for node in nodes:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        whole = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        names += [whole.removeprefix("late.")] if whole.startswith("late.") else []
        yield from (name for name in names if name.partition(".")[0] in NETWORK and name not in PURE)


def rooms_of(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    """The modules that are imported at their first use: `rooms.memory_file`."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "rooms":
            yield rooms.PLACES[node.attr].removeprefix("memoryclaw.")


def test_whoever_uses_a_way_out_asks_the_gate() -> None:
    using = {name_of(path): {*imported(running(path)), *rooms_of(running(path))} for path in MODULES}
    using = {name: used & WAYS for name, used in using.items() if used & WAYS and not used & GATE}
    using = {name: used for name, used in using.items() if name not in WAYS and not name.startswith("models")}
    assert {name: used for name, used in using.items() if name not in HARMLESS} == {}
    assert set(HARMLESS) - set(using) == set(), "these use none any more: take them off the list"


def test_every_module_that_can_connect_is_a_way_out_or_known_to_be_none() -> None:
    ways = {name_of(path): sorted(set(connecting(running(path)))) for path in MODULES}
    ways = {name: modules for name, modules in ways.items() if modules and not name.startswith("interfaces")}
    assert {name: modules for name, modules in ways.items() if name not in WAYS | set(CONNECTED)} == {}
    assert set(CONNECTED) - set(ways) == set(), "these connect no more: take them off the list"
