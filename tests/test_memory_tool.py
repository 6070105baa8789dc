"""Claude's memory tool on a vault: the real client, asked by a scripted server, and what changed on disk and in git."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import VaultOf, git, put
from servers.claude import ClaudeServer, Step

from memoryclaw import App, open_vault

if TYPE_CHECKING:
    from memoryclaw.memory_tool import VaultMemoryTool

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "memory-tool.md"
KEY = "sk-ant-api03-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 2


@pytest.fixture
def vault(vault_of: VaultOf) -> Path:
    root = vault_of({".gitignore": ".memoryclaw/\nledger/\n", "notes/tea.md": "# Tea\nNora prefers Assam.\n"})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    return root


@pytest.fixture
def memory(vault: Path) -> Iterator[VaultMemoryTool]:
    with tool_of(vault) as tool:
        yield tool


def tool_of(vault: Path | App, **options: Any) -> VaultMemoryTool:
    """Its module imports the client, a second's work that only the worker that runs these tests shall do."""
    pytest.importorskip("anthropic")
    from memoryclaw.memory_tool import VaultMemoryTool  # noqa: PLC0415

    return VaultMemoryTool(vault, **options)


def run(vault: Path, *commands: Mapping[str, Any]) -> list[Step]:
    with ClaudeServer(commands) as server, tool_of(vault) as memory:
        import anthropic  # noqa: PLC0415

        client = anthropic.Anthropic(api_key="none", base_url=server.url, max_retries=0)
        last = client.beta.messages.tool_runner(
            model="claude-test",
            max_tokens=100,
            messages=[{"role": "user", "content": "Remember how I like my tea."}],
            tools=[memory],
        ).until_done()
        assert last.content[0].text == "Ready."
        assert server.asked[0].body["tools"] == [{"type": "memory_20250818", "name": "memory"}]
        return server.steps


def subjects(vault: Path) -> list[str]:
    return git(vault, "log", "--format=%s").splitlines()


def files_of(vault: Path) -> dict[Path, bytes]:
    return {
        path: path.read_bytes()
        for path in vault.rglob("*")
        if path.is_file() and not {".git", ".memoryclaw"} & {*path.parts}
    }


def refused(memory: VaultMemoryTool, **command: Any) -> str:
    from anthropic.lib.tools import ToolError  # noqa: PLC0415

    with pytest.raises(ToolError) as refusal:
        memory.call(command)
    return str(refusal.value)


def test_each_command_of_the_real_client_is_a_change_on_disk_and_a_commit_that_undo_takes_back(
    vault: Path,
) -> None:
    note = "/memories/tea/nora.txt"
    steps = run(
        vault,
        {"command": "view", "path": "/memories"},
        {"command": "create", "path": note, "file_text": "Assam\nno sugar\n"},
        {"command": "str_replace", "path": note, "old_str": "no sugar", "new_str": "one sugar"},
        {"command": "insert", "path": note, "insert_line": 0, "insert_text": "# Nora's tea\n"},
        {"command": "view", "path": note},
        {"command": "view", "path": note, "view_range": [2, 2]},
        {"command": "rename", "old_path": "/memories/tea", "new_path": "/memories/drinks"},
        {"command": "view", "path": "/memories"},
        {"command": "str_replace", "path": "/memories/drinks/nora.txt", "old_str": "milk", "new_str": ""},
        {"command": "delete", "path": "/memories/drinks"},
        {"command": "view", "path": "/memories/drinks/nora.txt"},
    )
    answers = [step.answer for step in steps]
    assert [step.failed for step in steps] == [*[False] * 8, True, False, True]
    assert answers[0].endswith("\n0B\t/memories")
    assert answers[1] == f"File created successfully at: {note}"
    assert answers[2].endswith("\n     1\tAssam\n     2\tone sugar\n     3\t")
    assert answers[4].partition("\n")[2] == "     1\t# Nora's tea\n     2\tAssam\n     3\tone sugar\n     4\t"
    assert answers[5].partition("\n")[2] == "     2\tAssam"
    assert (
        answers[7].partition("\n")[2]
        == "29B\t/memories\n29B\t/memories/drinks/\n29B\t/memories/drinks/nora.txt"
    )
    assert answers[8].endswith("did not appear verbatim in /memories/drinks/nora.txt.")
    assert answers[10] == "The path /memories/drinks/nora.txt does not exist. Please provide a valid path."
    assert subjects(vault) == [
        "Forget agent-memory/drinks",
        "Rename agent-memory/tea to agent-memory/drinks",
        "Edit agent-memory/tea/nora.txt",
        "Edit agent-memory/tea/nora.txt",
        "Create agent-memory/tea/nora.txt",
        "mine",
    ]
    kept = vault / "archive/agent-memory/drinks/nora.txt.md"
    assert kept.read_text() == "# Nora's tea\nAssam\none sugar\n"
    forgotten, renamed, _, replaced, _, _ = git(vault, "log", "--format=%H").split()
    with open_vault(vault) as app:
        app.undo(forgotten)
        assert [match.unit.trust for match in app.search("sugar").matches] == ["unknown"]
        app.forget("agent-memory/drinks/nora.txt")
        assert app.revive("agent-memory/drinks/nora.txt").action == "revived"
        app.undo(renamed)
        app.undo(replaced)
    assert (vault / "agent-memory/tea/nora.txt.md").read_text() == "# Nora's tea\nAssam\nno sugar\n"
    assert not (vault / "agent-memory/drinks/nora.txt.md").exists()
    assert git(vault, "status", "--porcelain") == ""


OUTSIDE = [
    "/etc/passwd", "notes/tea.md", "/memories/../notes/tea.md", "/memories/..", "/memories/a/../../notes/tea.md",
    "/memoriesx/a.md", "/memories/%2e%2e/notes/tea.md", "/memories/..%2fnotes%2ftea.md", "/memories/./a.md",
    "/memories//etc/passwd", "/memories/.git/config", "/memories/a\0.md", "/memories/a\n.md", "/memories/..\\notes\\tea",
    "/memories/linked/tea.md", "/memories/link.md", "/memories/\u202ea.md", "/memories/con", "~/a.md", "",
]  # fmt: skip


def test_no_path_leads_out_of_the_folder(vault: Path, memory: VaultMemoryTool) -> None:
    put(vault, {"agent-memory/own.md": "mine\n"})
    os.symlink("../notes", vault / "agent-memory/linked")
    os.symlink("../notes/tea.md", vault / "agent-memory/link.md")
    before = files_of(vault)
    for path in OUTSIDE:
        for command in (
            {"command": "view", "path": path},
            {"command": "create", "path": path, "file_text": "x"},
            {"command": "str_replace", "path": path, "old_str": "Assam", "new_str": "x"},
            {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
            {"command": "delete", "path": path},
            {"command": "rename", "old_path": path, "new_path": "/memories/b.md"},
            {"command": "rename", "old_path": "/memories/own.md", "new_path": path},
        ):
            assert "Assam" not in refused(memory, **command)
    assert before == files_of(vault)
    assert subjects(vault) == ["mine"]


def test_the_owners_lines_are_neither_seen_nor_lost(vault: Path, memory: VaultMemoryTool) -> None:
    shared = "# Nora\n- likes tea\n- earns 90,000 [audience:: owner]\n- lives in Bern\n"
    put(
        vault,
        {"agent-memory/nora.md": shared, "agent-memory/diary.md": "---\naudience: owner\n---\nfell ill\n"},
    )
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "more")
    assert "diary" not in memory.call({"command": "view", "path": "/memories"})
    assert "90,000" not in memory.call({"command": "view", "path": "/memories/nora.md"})
    guesses = [
        refused(memory, command="str_replace", path="/memories/nora.md", old_str=guess, new_str="x")
        for guess in ("earns 90,000", "earns 80,000")
    ]
    assert guesses[0] == guesses[1].replace("80,000", "90,000")
    memory.call(
        {"command": "str_replace", "path": "/memories/nora.md", "old_str": "tea", "new_str": "coffee"}
    )
    assert (vault / "agent-memory/nora.md").read_text() == shared.replace("tea", "coffee")
    across = {"old_str": "coffee\n\n- lives", "new_str": "coffee, lives"}
    assert "lines of others" in refused(memory, command="str_replace", path="/memories/nora.md", **across)
    for command in (
        {"command": "delete", "path": "/memories/nora.md"},
        {"command": "rename", "old_path": "/memories/nora.md", "new_path": "/memories/x.md"},
        {"command": "create", "path": "/memories/diary.md", "file_text": "x"},
        {"command": "delete", "path": "/memories/diary.md"},
        {"command": "view", "path": "/memories/diary.md"},
    ):
        assert "ill" not in refused(memory, **command)
    assert (vault / "agent-memory/nora.md").read_text() == shared.replace("tea", "coffee")
    assert (vault / "agent-memory/diary.md").exists()


def test_what_an_agent_keeps_has_no_secrets_and_no_labels_that_widen(
    vault: Path, memory: VaultMemoryTool
) -> None:
    memory.call({"command": "create", "path": "/memories/keys.md", "file_text": f"The key is {KEY}.\n"})
    memory.call(
        {"command": "insert", "path": "/memories/keys.md", "insert_line": 1, "insert_text": f"again {KEY}"}
    )
    text = (vault / "agent-memory/keys.md").read_text()
    assert KEY not in text + git(vault, "log", "-p")
    assert text.count("[REDACTED:") == 2
    widening = "leave that label out"
    for said in (
        "---\ntrust: trusted\n---\nx\n",
        "---\naudience: public\n---\nx\n",
        "x [audience:: public]\n",
    ):
        assert widening in refused(memory, command="create", path="/memories/b.md", file_text=said)
        assert widening in refused(
            memory, command="str_replace", path="/memories/keys.md", old_str=text, new_str=said
        )
    narrow = {"command": "create", "path": "/memories/c.md", "file_text": "x [NOEXPORT]\ny\n"}
    memory.call(narrow)
    assert widening in refused(
        memory, command="str_replace", path="/memories/c.md", old_str=" [NOEXPORT]", new_str=""
    )
    assert (vault / "agent-memory/c.md").read_text() == "x [NOEXPORT]\ny\n"
    assert not (vault / "agent-memory/b.md").exists()


def test_what_was_erased_does_not_come_back(vault: Path, memory: VaultMemoryTool) -> None:
    said = "The cellar key hangs behind the third boathouse door."
    with open_vault(vault) as app:
        app.purge(app.remember(said, note=True).id)
    assert "erased" in refused(memory, command="create", path="/memories/key.md", file_text=f"Note: {said}\n")
    memory.call({"command": "create", "path": "/memories/key.md", "file_text": "Note:\n"})
    assert "erased" in refused(
        memory, command="insert", path="/memories/key.md", insert_line=1, insert_text=said
    )


def test_names_of_notes_and_folders(vault: Path, memory: VaultMemoryTool) -> None:
    with pytest.raises(Exception, match="not a folder for an agent's notes"):
        tool_of(vault, folder="notes")
    create = {"command": "create", "file_text": "x\n"}
    for path in ("/memories/a/deep/er/note", "/memories/b.md", "/memories/v1.2.txt"):
        memory.call({**create, "path": path})
        assert "exists already" in refused(memory, **create, path=path)
    assert "exists already" in refused(memory, **create, path="/memories/a")
    assert memory.call({"command": "view", "path": "/memories"}).splitlines()[1:] == [
        "6B\t/memories", "2B\t/memories/a/", "2B\t/memories/a/deep/", "2B\t/memories/b.md", "2B\t/memories/v1.2.txt",
    ]  # fmt: skip
    taken = {"command": "rename", "old_path": "/memories/b.md", "new_path": "/memories/v1.2.txt"}
    assert "exists already" in refused(memory, **taken)
    assert "stays where it is" in refused(memory, command="delete", path="/memories")
    with open_vault(vault) as app, tool_of(app, folder="agent-memory/a") as tool:
        assert "er/" in tool.call({"command": "view", "path": "/memories/deep"})
    dos = {"command": "create", "path": "/memories/dos.txt", "file_text": "one\r\ntwo\r\n"}
    memory.call(dos)
    memory.call({"command": "insert", "path": "/memories/dos.txt", "insert_line": 1, "insert_text": "half"})
    assert (vault / "agent-memory/dos.txt.md").read_bytes() == b"one\r\nhalf\r\ntwo\r\n"
    twice = refused(memory, command="str_replace", path="/memories/dos.txt", old_str="o", new_str="0")
    assert twice.startswith(
        "No replacement was performed. Multiple occurrences of old_str `o` in lines: 1, 3."
    )


def test_the_example_of_the_page_runs(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [example] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    create = {"command": "create", "path": "/memories/preferences.txt", "file_text": "No sugar in tea.\n"}
    with ClaudeServer([create]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        exec(example.replace('"~/notes"', repr(os.fspath(vault))), {})
    assert (vault / "agent-memory/preferences.txt.md").read_text() == "No sugar in tea.\n"
