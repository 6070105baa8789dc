"""The hosts that MemoryClaw can be connected to, a row each: where a host keeps its settings, in which form, and what to try. Pure."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memoryclaw.connect.claude_code import HOOKS, SKILL, SKILL_FILE
from memoryclaw.connect.mcp_entry import TOML, json_editor
from memoryclaw.connect.settings_file import SettingsEditor

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

TABLE = (
    HostRow(
        "claude-code",
        "Claude Code",
        ("$CLAUDE_CONFIG_DIR", "~/.claude"),
        (
            HostFile(("$CLAUDE_CONFIG_DIR/.claude.json", "~/.claude.json"), _STRICT),
            HostFile(("$CLAUDE_CONFIG_DIR/settings.json", "~/.claude/settings.json"), HOOKS),
            HostFile((f"$CLAUDE_CONFIG_DIR/{SKILL_FILE}", f"~/.claude/{SKILL_FILE}"), SKILL),
        ),
        "restart `claude`",
    ),
    HostRow(
        "claude-desktop",
        "Claude Desktop",
        ("{apps}/Claude",),
        (HostFile(("{apps}/Claude/claude_desktop_config.json",), _DESKTOP),),
        "quit Claude Desktop and start it again",
    ),
    HostRow(
        "codex",
        "Codex",
        ("$CODEX_HOME", "~/.codex"),
        (HostFile(("$CODEX_HOME/config.toml", "~/.codex/config.toml"), TOML),),
        "restart `codex`",
    ),
    HostRow(
        "cursor",
        "Cursor",
        ("~/.cursor",),
        (HostFile(("~/.cursor/mcp.json",), _COMMENTED),),
        "open Cursor's agent",
    ),
    HostRow(
        "gemini",
        "Gemini CLI",
        ("$GEMINI_CLI_HOME/.gemini", "~/.gemini"),
        (HostFile(("$GEMINI_CLI_HOME/.gemini/settings.json", "~/.gemini/settings.json"), _GEMINI),),
        "start `gemini` anew",
    ),
    HostRow(
        "vscode",
        "VS Code",
        ("{apps}/Code/User",),
        (HostFile(("{apps}/Code/User/mcp.json",), _CODE),),
        "open VS Code's chat in agent mode",
    ),
    # Its plugin is more than an entry: connect.openclaw installs it.
    HostRow(OPENCLAW, "OpenClaw", ("$OPENCLAW_STATE_DIR", "~/.openclaw"), (), "restart the gateway"),
)
BY_NAME = {host.name: host for host in TABLE}


def place(places: Places, environ: Mapping[str, str], system: str) -> str:
    """Where that is on a machine.

    Args:
        system: as `sys.platform` calls it.
    """
    home = environ.get("HOME") or os.path.expanduser("~")
    settings = environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    apps = f"{home}/Library/Application Support" if system == "darwin" else settings
    for each in places:
        head, slash, tail = each.partition("/")
        base = environ.get(head[1:], "") if head.startswith("$") else {"~": home, "{apps}": apps}[head]
        if base:
            return os.path.normpath(os.path.join(home, f"{base}{slash}{tail}"))
    raise AssertionError(f"every row ends in a place without a variable: {places}")
