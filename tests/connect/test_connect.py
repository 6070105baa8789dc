"""`connect`: a host is given a vault, tried over MCP before a byte is written, and every byte comes back."""

from __future__ import annotations

import json
import os
import pty
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import COMMAND, Claw, put
from forked import GRAFT
from hypothesis import given
from hypothesis import strategies as st
from indexed import until

from memoryclaw.connect.connecting import cache_of
from memoryclaw.connect.json5 import parse, plain
from memoryclaw.connect.mcp_entry import TOML, entry_of, json_editor
from memoryclaw.connect.settings_file import BACKUP, carry_out, plan_install, plan_uninstall
from memoryclaw.connect.table import TABLE, place
from memoryclaw.errors import InputError

ROOT = Path(__file__).parents[2]


class Settings(NamedTuple):
    """A host as somebody uses it: the file of its servers below the home, what is in it, and where servers stand."""

    path: str
    text: str
    section: str


HOSTS = {
    "claude-code": Settings(
        ".claude.json", '{\n  "numStartups": 7,\n  "mcpServers": {},\n  "oauthAccount": {"accessToken": "hush"}\n}', "mcpServers"
    ),
    "claude-desktop": Settings(
        ".config/Claude/claude_desktop_config.json",
        '{"mcpServers": {"files": {"command": "npx", "args": ["-y", "files"]}}, "theme" : "dark"}',
        "mcpServers",
    ),
    "codex": Settings(
        ".codex/config.toml",
        '# mine\nmodel = "gpt-5"   # the best\n\n[mcp_servers.files]\ncommand = "npx"\nargs = [\n  "-y", # yes\n]\n\n[tui]\ntheme = "x"',
        "mcp_servers",
    ),
    "cursor": Settings(
        ".cursor/mcp.json", '{\r\n\t// mine\r\n\t"mcpServers": {\r\n\t\t"files": {"command": "npx"}, // last\r\n\t}\r\n}\r\n', "mcpServers"
    ),
    "gemini": Settings(
        ".gemini/settings.json", '{\n    /* how it looks */ "ui": {"theme": "GitHub"},\n    "selectedAuthType": "oauth"\n}\n', "mcpServers"
    ),
    "vscode": Settings(
        ".config/Code/User/mcp.json",
        '{\n\t"servers": {\n\t\t"gh": { "type": "http", "url": "https://x" } // mine\n\t},\n\t"inputs": []\n}\n',
        "servers",
    ),
}  # fmt: skip


def program(path: Path, text: str) -> Path:
    """An installed program."""
    put(path.parent, {path.name: text}).joinpath(path.name).chmod(0o755)
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A clean home with a vault in it, and nothing else."""
    GRAFT.program(tmp_path / "home/.local/bin/memoryclaw")
    return put(
        tmp_path / "home", {"notes/memoryclaw.yaml": "", "notes/Nora.md": "# Nora\n\nShe prefers tea.\n"}
    )


@pytest.fixture
def newcomer(home: Path) -> Claw:
    """The command, of somebody at home there."""
    path = f"{home}/.local/bin{os.pathsep}{os.environ['PATH']}"
    return Claw(home / "notes", HOME=os.fspath(home), PATH=path)


def settle(home: Path, host: str) -> Path:
    """Puts a host on the machine; returns the file of its servers."""
    (home / ".claude").mkdir()
    return put(home, {HOSTS[host].path: HOSTS[host].text}) / HOSTS[host].path


def said(path: Path) -> dict[str, Any]:
    """What a settings file says, as its host reads it."""
    text = path.read_bytes().decode()
    return tomllib.loads(text) if path.suffix == ".toml" else plain(parse(text))


def tree(home: Path) -> dict[str, bytes]:
    """Every file at home but for the vault and what is MemoryClaw's own."""
    return {
        os.fspath(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and path.relative_to(home).parts[0] not in {"notes", ".cache", ".local"}
        and "memoryclaw" not in path.relative_to(home).parts
    }  # fmt: skip


# Their settings are JSON, TOML and JSON with comments, as those of the others are.
CHIEF = ("claude-code", "codex", "cursor")


@pytest.mark.parametrize(
    "host", [host if host in CHIEF else pytest.param(host, marks=pytest.mark.laws) for host in HOSTS]
)
def test_a_host_is_connected_over_mcp_and_every_byte_comes_back(
    newcomer: Claw, home: Path, host: str
) -> None:
    path = settle(home, host)
    before = tree(home)
    done = newcomer("connect", host, "--yes", "--json").json
    assert (done["action"], done["vault"]) == ("connected", os.fspath(home / "notes"))
    assert {"memory_search", "memory_browse"} <= set(done["tools"])
    assert done["question"]
    was, now = plain_of(before[HOSTS[host].path].decode(), path), said(path)
    entry = now[HOSTS[host].section].pop("memoryclaw")
    assert {HOSTS[host].section: {}, **was} == now
    assert entry["args"][-3:] == ["mcp", "--vault", os.fspath(home / "notes")]
    assert os.path.isabs(entry["command"])
    assert os.access(entry["command"], os.X_OK)
    for comment in ("# mine", "# the best", "# yes", "// mine", "// last", "/* how it looks */"):
        assert (comment in HOSTS[host].text) == (comment in path.read_text())
    between = tree(home)
    again = newcomer("connect", host, "--yes", "--dry-run", "--json").json
    assert again["action"] == "unchanged"
    assert tree(home) == between
    assert newcomer("connect", "--remove", host, "--yes", "--json").json["action"] == "removed"
    assert tree(home) == before
    assert newcomer("connect", "--remove", host, "--yes", "--json").json["action"] == "not connected"
    assert tree(home) == before


def plain_of(text: str, path: Path) -> Any:
    return tomllib.loads(text) if path.suffix == ".toml" else plain(parse(text))


def test_claude_code_is_given_the_hooks_too_and_an_absent_file_is_made_and_goes(
    newcomer: Claw, home: Path
) -> None:
    (home / ".claude").mkdir()
    assert newcomer("connect", "claude-code", "--yes").code == 0
    hooks = said(home / ".claude/settings.json")["hooks"]
    assert set(hooks) == {"UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"}
    command = hooks["UserPromptSubmit"][0]["hooks"][0]["command"]
    prompt = json.dumps({"session_id": "s", "prompt": "What does Nora prefer, tea or coffee?"})
    env = {key: value for key, value in newcomer.environment().items() if key != "MEMORYCLAW_VAULT"}

    def context() -> str:  # a prompt never waits for longer than a second
        done = subprocess.run(["sh", "-c", command], input=prompt, env=env, cwd="/", capture_output=True, encoding="utf-8", check=True)  # fmt: skip
        return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"])

    assert "She prefers tea" in until(context)
    assert newcomer("connect", "--remove", "claude-code", "--yes").code == 0
    assert tree(home) == {}


def test_claude_code_is_given_the_skill_that_reads_the_logs_and_its_commands_run(
    newcomer: Claw, home: Path
) -> None:
    (home / ".claude").mkdir()
    assert newcomer("connect", "claude-code", "--yes").code == 0
    text = (home / ".claude/skills/memory-consolidate/SKILL.md").read_text()
    (ask,) = (line.strip() for line in text.splitlines() if "--ask" in line)
    env = {key: value for key, value in newcomer.environment().items() if key != "MEMORYCLAW_VAULT"}
    done = subprocess.run(["sh", "-c", ask.partition(" > ")[0]], env=env, cwd="/", capture_output=True, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"")
    assert newcomer("connect", "claude-code", "--yes", "--json").json["action"] == "unchanged"


def test_a_skill_of_the_same_name_that_is_another_stays(newcomer: Claw, home: Path) -> None:
    path = home / ".claude/skills/memory-consolidate/SKILL.md"
    put(home, {".claude/skills/memory-consolidate/SKILL.md": "---\nname: memory-consolidate\n---\nMine.\n"})
    ran = newcomer("connect", "claude-code", "--yes")
    assert (ran.code, "another skill is called memory-consolidate" in ran.err) == (1, True)
    assert path.read_text().endswith("Mine.\n")
    assert not (home / ".claude.json").exists()


def test_what_the_host_changed_since_stays_and_our_lines_alone_go(newcomer: Claw, home: Path) -> None:
    path = settle(home, "claude-code")
    newcomer("connect", "claude-code", "--yes")
    path.write_text(path.read_text().replace('"numStartups": 7', '"numStartups": 8'))
    newcomer("connect", "--remove", "claude-code", "--yes")
    assert path.read_text() == HOSTS["claude-code"].text.replace('"numStartups": 7', '"numStartups": 8')
    assert path.with_name(path.name + BACKUP).read_text() == HOSTS["claude-code"].text


def test_what_a_person_added_to_our_entry_stays_when_another_vault_takes_its_place(tmp_path: Path) -> None:
    for name, text in (
        ("x.json", '{\n  "mcpServers": {\n    "memoryclaw": {\n      "command": "/a/memoryclaw", "args": ["mcp", "--vault", "/v"],\n      "trust": true // mine\n    }\n  }\n}\n'),
        ("x.toml", '[mcp_servers.memoryclaw]\nstartup_timeout_sec = 30 # slow\ncommand = "/a/memoryclaw"\nargs = [\n  "mcp", "--vault",\n  "/v",\n]\n\n[mcp_servers.memoryclaw.tools.memory_store]\napproval_mode = "prompt"\n\n# the end\n'),
    ):  # fmt: skip
        path = tmp_path / name
        path.write_text(text)
        editor = TOML if path.suffix == ".toml" else json_editor("mcpServers", comments=True, typed=False)
        carry_out(plan_install(os.fspath(path), editor, entry_of(["/b/memoryclaw"], "/w")))
        [server] = [section["memoryclaw"] for section in said(path).values()]
        assert (server.pop("command"), server.pop("args")) == ("/b/memoryclaw", ["mcp", "--vault", "/w"])
        assert server in (
            {"trust": True},
            {"startup_timeout_sec": 30, "tools": {"memory_store": {"approval_mode": "prompt"}}},
        )
        carry_out(plan_uninstall(os.fspath(path), editor))
        assert "memoryclaw" not in path.read_text()
        assert ("# the end" in text) == ("# the end" in path.read_text())


@pytest.mark.parametrize(
    ("host", "text", "sentence"),
    [
        ("claude-code", '{"a": 1,}', "is not valid JSON"),
        ("claude-desktop", '{"a": 1} // mine', "is not valid JSON"),
        ("claude-desktop", '{"a": 1, "a": 2}', "one key twice"),
        ("cursor", '{"mcpServers": ', "is not valid JSON"),
        ("gemini", "[]", "something other than an object"),
        ("vscode", '{"servers": []}', "servers is not an object"),
        ("codex", "model = \n", "is not valid TOML"),
        ("codex", "mcp_servers = 3\n", "is not a table"),
        ("codex", 'mcp_servers = { files = { command = "x" } }\n', "written there in a way"),
        ("codex", '[mcp_servers]\nmemoryclaw = { command = "/a/memoryclaw", args = ["mcp"] }\n', "written in a way"),
        ("codex", '[mcp_servers.memoryclaw]\ncommand = "postgres"\n', "is another program"),
        ("cursor", '{"mcpServers": {"memoryclaw": {"url": "https://x"}}}', "is another program"),
        ("gemini", '{"a": "\udce9"}', "not UTF-8"),
        ("codex", "read-only", "is read-only"),
        ("cursor", "a link", "is a link to"),
        ("vscode", "a dangling link", "is a link to"),
        ("gemini", "a folder", "is not a regular file"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_changed_safely_gets_a_sentence_and_is_not_touched(
    newcomer: Claw, home: Path, host: str, text: str, sentence: str
) -> None:
    path = settle(home, host)
    if text in {"a link", "a dangling link", "a folder"}:
        path.unlink()
        put(home, {} if "dangling" in text else {"dotfiles/x": "{}"})
        path.mkdir() if text == "a folder" else path.symlink_to(home / "dotfiles/x")
    elif text == "read-only":
        path.chmod(stat.S_IRUSR)
    else:
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = tree(home)
    ran = newcomer("connect", host, "--yes")
    assert ran.code == 1
    assert sentence in ran.err
    assert "nothing was changed" in ran.err
    assert tree(home) == before
    assert path.is_symlink() == ("link" in text)


@pytest.mark.parametrize("host", [row.name for row in TABLE])
def test_a_host_that_is_not_there_gets_a_sentence_and_no_folder(
    newcomer: Claw, home: Path, host: str
) -> None:
    ran = newcomer("connect", host, "--yes")
    assert ran.code == 1
    assert "install" in ran.err
    assert tree(home) == {}
    assert not [path for path in home.iterdir() if path.name not in {"notes", ".cache", ".config", ".local"}]


def test_nobody_who_cannot_be_asked_is_overrun_and_no_secret_is_shown(newcomer: Claw, home: Path) -> None:
    settle(home, "claude-code")
    before = tree(home)
    for words, code in ((["--dry-run"], 0), ([], 2)):
        ran = newcomer("connect", "claude-code", *words)
        assert ran.code == code
        assert '+    "memoryclaw": {' in ran.out
        assert "hush" not in ran.out
        assert tree(home) == before


@pytest.mark.parametrize(("typed", "writes"), [("y\n", True), ("n\n", False)])
def test_on_a_terminal_it_asks(newcomer: Claw, home: Path, typed: str, writes: bool) -> None:
    path = settle(home, "codex")
    leader, follower = pty.openpty()
    os.write(leader, typed.encode())
    done = subprocess.run(
        ["memoryclaw", "connect", "codex"], stdin=follower, capture_output=True, env=newcomer.environment(), timeout=120, check=False
    )  # fmt: skip
    os.close(leader), os.close(follower)
    assert done.returncode == 0
    assert ("memoryclaw" in path.read_text()) == writes


PROGRAM = """#!{python}
import sys
if sys.argv[1:2] == ["mcp"]:
    sys.exit("memoryclaw: it broke on the way")
from memoryclaw.interfaces.cli import main
main()
"""


def test_a_connection_that_does_not_work_is_not_written(newcomer: Claw, home: Path) -> None:
    settle(home, "codex")
    before = tree(home)
    broken = program(home / "notes/.bin/memoryclaw", PROGRAM.format(python=sys.executable))
    done = subprocess.run(
        [broken, "connect", "codex", "--yes"], env=newcomer.environment(), capture_output=True, encoding="utf-8", check=False
    )  # fmt: skip
    assert done.returncode == 1
    assert "the connection does not work: it broke on the way; nothing was written" in done.stderr
    assert tree(home) == before


@pytest.mark.parametrize(
    "old",
    [["hook", "install", "claude-code"], ["openclaw", "install", "--yes"], ["connect", "codex", "--yes"]],
)
def test_a_program_in_a_cache_is_never_written(newcomer: Claw, home: Path, old: list[str]) -> None:
    settle(home, "codex")
    put(home, {".openclaw/openclaw.json": "{}"})
    before = tree(home)
    swept = home / ".cache/uv/archive-v0/xPo1/bin/memoryclaw"
    swept.parent.mkdir(parents=True)
    shutil.copy(COMMAND, swept)
    done = subprocess.run(
        [swept, *old], env=newcomer.environment(), capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 1
    assert "uv tool install" in done.stderr
    assert tree(home) == before


def test_a_program_that_lasts_is_named_as_it_is_called(newcomer: Claw, home: Path) -> None:
    path = settle(home, "codex")
    real = home / ".local/share/uv/tools/memoryclaw/bin/memoryclaw"
    real.parent.mkdir(parents=True)
    called = home / ".local/bin/memoryclaw"
    called.rename(real)
    called.symlink_to(real)
    subprocess.run(
        ["memoryclaw", "connect", "codex", "--yes"],
        env=newcomer.environment(),
        capture_output=True,
        check=True,
    )
    assert said(path)["mcp_servers"]["memoryclaw"]["command"] == os.fspath(called)


def test_caches_are_known_by_their_place_and_by_their_mark(tmp_path: Path) -> None:
    put(tmp_path, {"elsewhere/CACHEDIR.TAG": "", "venv/CACHEDIR.TAG": "", "venv/pyvenv.cfg": ""})
    for path in ("h/.cache/x/bin/m", "h/Library/Caches/uv/m", "tmp/a/archive-v0/b/bin/m", "h/.local/pipx/.cache/1/bin/m"):  # fmt: skip
        assert cache_of({os.fspath(tmp_path / path)}, {})
    assert cache_of({os.fspath(tmp_path / "elsewhere/a/bin/m")}, {})
    assert cache_of({os.fspath(tmp_path / "c/bin/m")}, {"UV_CACHE_DIR": os.fspath(tmp_path / "c")})
    for path in ("venv/bin/m", "h/.local/bin/m", "h/.local/share/pipx/venvs/memoryclaw/bin/m"):
        assert not cache_of({os.fspath(tmp_path / path)}, {})


def test_openclaw_is_connected_and_its_bytes_come_back(newcomer: Claw, home: Path) -> None:
    put(home, {".openclaw/openclaw.json": "{\n  // mine\n  gateway: { auth: { token: 'hush' } },\n}\n"})
    before = tree(home)
    ran = newcomer("connect", "openclaw", "--yes")
    assert ran.code == 0
    assert "hush" not in ran.out
    assert newcomer("openclaw", "status", "--json").json["installed"]
    assert newcomer("connect", "openclaw", "--yes", "--json").json["action"] == "unchanged"
    assert newcomer("connect", "--remove", "openclaw", "--yes").code == 0
    assert tree(home) == before
    put(home, {"dotfiles/o": "{}"})
    (home / ".openclaw/openclaw.json").unlink()
    (home / ".openclaw/openclaw.json").symlink_to(home / "dotfiles/o")
    assert "is a link to" in newcomer("connect", "openclaw", "--yes").err
    assert (home / "dotfiles/o").read_text() == "{}"


def test_any_other_host_is_shown_what_to_add(newcomer: Claw, home: Path) -> None:
    ran = newcomer("connect", "--print")
    assert json.loads(ran.out)["mcpServers"]["memoryclaw"]["args"][-1] == os.fspath(home / "notes")
    assert newcomer("connect", "windsurf", "--print").out == ran.out
    assert tomllib.loads(newcomer("connect", "codex", "--print").out)["mcp_servers"]["memoryclaw"]
    assert "--print" in newcomer("connect", "windsurf").err
    assert newcomer("connect").code == 2


def test_every_row_names_a_place_on_both_systems_and_follows_the_hosts_own_variables() -> None:
    for row in TABLE:
        for places in (row.folder, *(file.places for file in row.files)):
            for system in ("linux", "darwin"):
                assert place(places, {"HOME": "/h"}, system).startswith("/h/")
    desktop, codex = TABLE[1], TABLE[2]
    assert place(desktop.folder, {"HOME": "/h"}, "darwin") == "/h/Library/Application Support/Claude"
    assert place(desktop.folder, {"HOME": "/h", "XDG_CONFIG_HOME": "/c"}, "linux") == "/c/Claude"
    assert place(codex.files[0].places, {"HOME": "/h", "CODEX_HOME": "/x"}, "linux") == "/x/config.toml"


# Of any text that a host can read: our entry comes and goes, and leaves no trace.

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('aé"\\\n/#{}[],:', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('abé "', max_size=4), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
ENTRY = entry_of(["/usr/bin/python3", "-P", "-m", "memoryclaw"], '/home/nö"ra/my notes')


@given(
    st.dictionaries(st.text("abé", max_size=3), VALUES, max_size=3),
    st.none() | st.dictionaries(st.text("abé", max_size=3), VALUES, max_size=2),
    st.sampled_from([None, 2, 4, "\t"]),
    st.sampled_from(["", "\n", "\r\n"]),
)
def test_in_any_json_the_rest_keeps_its_bytes(values: Any, servers: Any, indent: Any, end: str) -> None:
    values = {**values, **({} if servers is None else {"mcpServers": servers}), "z": 1}
    text = json.dumps(values, indent=indent, ensure_ascii=False).replace("\n", end or "\n") + end
    for comments in (False, True):
        editor = json_editor("mcpServers", comments=comments, typed=False)
        after = editor.with_value(text, ENTRY)
        assert json.loads(after) == {**values, "mcpServers": {**(servers or {}), "memoryclaw": ENTRY}}
        assert editor.with_value(after, ENTRY) == after
        assert editor.value_in(after) == ENTRY
        assert editor.without(after, text) == text


def toml_text(values: dict[str, Any]) -> str:
    return "".join(
        f"{json.dumps(key, ensure_ascii=False)} = {json.dumps(value)} # é\n" for key, value in values.items()
    )


@given(
    st.dictionaries(st.text("abé", max_size=3), st.integers() | st.text('a"#[]\n', max_size=6), max_size=3),
    st.dictionaries(st.text("abé", max_size=3), st.integers() | st.lists(st.text('[a"#\n')), max_size=3),
    st.sampled_from(["", "\n", "# the end", "\n\n", "[mcp_servers]\n", "[[a]]\n"]),
    st.booleans(),
)
def test_in_any_toml_the_rest_keeps_its_bytes(top: Any, server: Any, tail: str, crlf: bool) -> None:
    text = f"{toml_text(top)}\n[mcp_servers.files] # x\n{toml_text(server)}{tail}"
    text = text.replace("\n", "\r\n") if crlf else text
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(InputError):
            TOML.with_value(text, ENTRY)
        return
    after = TOML.with_value(text, ENTRY)
    assert tomllib.loads(after) == {**values, "mcp_servers": {**values["mcp_servers"], "memoryclaw": ENTRY}}
    assert TOML.with_value(after, ENTRY) == after
    ended = text if text.endswith("\n") else text + ("\r\n" if crlf else "\n")
    assert TOML.without(after, text) == ended


def test_the_question_to_begin_with_is_one_that_finds_something(newcomer: Claw, home: Path) -> None:
    put(home, {"notes/Kitchen oven.md": "# Kitchen oven\n\nThe warranty ends on 4 May 2027.\n"})
    settle(home, "cursor")
    done = newcomer("connect", "cursor", "--yes", "--json").json
    assert "Kitchen oven.md" in newcomer("ask", done["question"]).out
