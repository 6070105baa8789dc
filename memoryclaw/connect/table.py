"""The hosts that MemoryClaw can be connected to, a row each: where a host keeps its settings, in which form, and what to try. Pure."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from memoryclaw.connect.claude_code import HOOKS, SKILL, SKILL_FILE
from memoryclaw.connect.mcp_entry import TOML, json_editor
from memoryclaw.connect.settings_file import SettingsEditor
from memoryclaw.late import NamedTuple

OPENCLAW = "openclaw"

# The first whose variable is set counts; `{apps}` is where programs with windows keep their settings.
Places = Sequence[str]


class HostFile(NamedTuple):
    """A settings file of a host, and how what is ours stands in it."""

    places: Places
    editor: SettingsEditor


class HostRow(NamedTuple):
    """One host."""

    name: str
    title: str
    folder: Places  # is there once the host is installed
    files: tuple[HostFile, ...]
    restart: str


_STRICT, _COMMENTED = (json_editor("mcpServers", comments=reads, typed=True) for reads in (False, True))
_DESKTOP, _GEMINI = (json_editor("mcpServers", comments=reads, typed=False) for reads in (False, True))
_CODE = json_editor("servers", comments=True, typed=True)


def _host(name: str, title: str, folder: Places, files: dict[str, SettingsEditor], restart: str) -> HostRow:
    """A host whose files lie in its folder."""
    inside = (HostFile([f"{each}/{file}" for each in folder], editor) for file, editor in files.items())
    return HostRow(name, title, folder, tuple(inside), restart)


_CLAUDE, _IN_CLAUDE = ("$CLAUDE_CONFIG_DIR", "~/.claude"), {"settings.json": HOOKS, SKILL_FILE: SKILL}
_CLAUDE_CODE = _host("claude-code", "Claude Code", _CLAUDE, _IN_CLAUDE, "restart `claude`")
_SERVERS = HostFile(("$CLAUDE_CONFIG_DIR/.claude.json", "~/.claude.json"), _STRICT)
_GEMINIS = ("$GEMINI_CLI_HOME/.gemini", "~/.gemini")
_IN_DESKTOP, _QUIT = {"claude_desktop_config.json": _DESKTOP}, "quit Claude Desktop and start it again"

TABLE = (
    _CLAUDE_CODE._replace(files=(_SERVERS, *_CLAUDE_CODE.files)),
    _host("claude-desktop", "Claude Desktop", ("{apps}/Claude",), _IN_DESKTOP, _QUIT),
    _host("codex", "Codex", ("$CODEX_HOME", "~/.codex"), {"config.toml": TOML}, "restart `codex`"),
    _host("cursor", "Cursor", ("~/.cursor",), {"mcp.json": _COMMENTED}, "open Cursor's agent"),
    _host("gemini", "Gemini CLI", _GEMINIS, {"settings.json": _GEMINI}, "start `gemini` anew"),
    _host(
        "vscode", "VS Code", ("{apps}/Code/User",), {"mcp.json": _CODE}, "open VS Code's chat in agent mode"
    ),
    # Its plugin is more than an entry: connect.openclaw installs it.
    HostRow(OPENCLAW, "OpenClaw", ("$OPENCLAW_STATE_DIR", "~/.openclaw"), (), "restart the gateway"),
)
BY_NAME = {host.name: host for host in TABLE}


def place(places: Places, environ: Mapping[str, str], system: str) -> str:
    """Where that is on a machine. `system`: as `sys.platform` calls it."""
    home = environ.get("HOME") or os.path.expanduser("~")
    settings = environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    apps = f"{home}/Library/Application Support" if system == "darwin" else settings
    for each in places:
        head, slash, tail = each.partition("/")
        base = environ.get(head[1:], "") if head.startswith("$") else {"~": home, "{apps}": apps}[head]
        if base:
            return os.path.normpath(os.path.join(home, f"{base}{slash}{tail}"))
    raise AssertionError(f"every row ends in a place without a variable: {places}")
