"""A host and a vault, connected: which command the host is given, what of its settings changes, and whether it works."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from memoryclaw.connect import settings_file
from memoryclaw.connect.claude_code import HOOKS, SKILL, SKILL_NAME, skill_for
from memoryclaw.connect.mcp_entry import NAME, entry_of
from memoryclaw.connect.table import BY_NAME, HostFile, HostRow, Places, place
from memoryclaw.errors import ConfigError, InputError, MemoryClawError, NotFoundError, UnconnectedError
from memoryclaw.skills.mcp_tools import McpTools
from memoryclaw.skills.tools import ToolServer
from memoryclaw.writing.context import shipped

_SWEPT = {".cache", "Caches"}
_OF_UV = re.compile(r"(?:archive|builds|environments)-v\d+")
_READS = "memory_browse"
_PATIENCE = 60.0  # seconds for a server to start, and to answer


def host_named(name: str) -> HostRow:
    """The row of a host. Raises NotFoundError: there is none."""
    if name not in BY_NAME:
        way = "`memoryclaw connect --print` shows what to add to the settings of any other"
        raise NotFoundError(f"there is no host {name!r} among {', '.join(BY_NAME)}; {way}")
    return BY_NAME[name]


def path_of(places: Places) -> str:
    """Where a file or folder of a host is on this machine."""
    return place(places, os.environ, sys.platform)


def lasting_command() -> tuple[str, ...]:
    """What runs this MemoryClaw from anywhere, by its whole path: a host may know another PATH."""
    called = shutil.which(sys.argv[0]) or ""
    if os.path.basename(called) == NAME:
        words: tuple[str, ...] = (os.path.abspath(called),)
    else:  # -P: a folder called memoryclaw where the host happens to run must not be taken for the program
        words = (sys.executable, "-P", "-m", NAME)
    if cache := cache_of({words[0], os.path.realpath(words[0]), sys.prefix, __file__}, os.environ):
        sentence = f"this MemoryClaw runs from {cache}, a cache that is emptied now and then"
        way = "run `uv tool install 'memoryclaw[all]'` or `pipx install 'memoryclaw[all]'` first"
        raise ConfigError(
            f"{sentence}, so a host could not rely on it; {way}, then `memoryclaw connect` again"
        )
    return words


def cache_of(paths: set[str], environ: Mapping[str, str]) -> str:
    """The cache that one of these paths lies in; empty where none does."""
    named = {environ[name] for name in ("UV_CACHE_DIR", "XDG_CACHE_HOME") if environ.get(name)}
    roots = {os.path.realpath(each) for each in named}
    for path in sorted(paths):
        for folder in Path(path).parents:
            is_swept = (
                folder.name in _SWEPT
                or _OF_UV.fullmatch(folder.name)
                or os.path.realpath(folder) in roots
                # A virtual environment has such a mark of its own: nobody backs it up, and it stays.
                or ((folder / "CACHEDIR.TAG").exists() and not (folder / "pyvenv.cfg").exists())
            )
            if is_swept:
                return os.fspath(folder)
    return ""


def plan_connection(host: HostRow, vault: str) -> list[settings_file.SettingsChange]:
    """What connecting would write.

    Raises:
        InputError: one of the host's files cannot be changed.
        NotFoundError: the host is not on this machine.
        ConfigError: no command would last, or the MCP SDK is missing.
    """
    folder = path_of(host.folder)
    if not os.path.isdir(folder) and not any(os.path.lexists(path_of(each.places)) for each in host.files):
        sentence = f"{host.title} is not on this machine: there is no folder {folder}"
        raise NotFoundError(f"{sentence}; install it and start it once, then try again")
    words = lasting_command()
    if find_spec("mcp") is None:
        sentence = "hosts speak MCP with MemoryClaw, which needs the SDK"
        raise ConfigError(f"{sentence}: pip install 'memoryclaw[mcp]'")
    values = ((file, _value(file.editor, words, vault)) for file in host.files)
    return [settings_file.plan_install(_changed(file), file.editor, value) for file, value in values]


def plan_removal(host: HostRow) -> list[settings_file.SettingsChange]:
    """What removing would write."""
    return [settings_file.plan_uninstall(_changed(each), each.editor) for each in host.files]


def _changed(file: HostFile) -> str:
    path = path_of(file.places)
    settings_file.refuse_link(path)
    return path


def hook_command(words: Sequence[str], vault: str) -> str:
    """The line that runs a hook, with `{}` in place of `hook pre` or `hook post`."""
    return f"{shlex.join(words)} {{}} --vault {shlex.quote(vault)}"


def shown_for(host: HostRow | None, vault: str) -> list[tuple[str, str]]:
    """What to add by hand: the file, empty where it is the host's own affair, and the lines."""
    words = lasting_command()
    if host is None or not host.files:
        entry = {"mcpServers": {NAME: entry_of(words, vault)}}
        return [("", json.dumps(entry, indent=2, ensure_ascii=False) + "\n")]
    values = ((file, _value(file.editor, words, vault)) for file in host.files)
    return [(path_of(file.places), file.editor.with_value("", value)) for file, value in values]


def _value(editor: settings_file.SettingsEditor, words: Sequence[str], vault: str) -> Any:
    try:
        vault.encode()
    except UnicodeEncodeError:
        sentence = f"{vault!r} has a name that is not UTF-8"
        raise InputError(f"{sentence}, which no host's settings can contain") from None
    if editor is SKILL:
        skill = shipped("plugins/openclaw/skills") / SKILL_NAME / "SKILL.md"
        return skill_for(skill.read_text(encoding="utf-8"), words, vault)
    return hook_command(words, vault) if editor is HOOKS else entry_of(words, vault)


def try_connection(host: HostRow, changes: Sequence[settings_file.SettingsChange]) -> list[str]:
    """Starts what the host's settings will say, as the host will, and reads once over MCP; returns the names of the tools."""
    planned = [(file.editor, change.after or "") for file, change in zip(host.files, changes, strict=True)]
    [entry] = [editor.value_in(text) for editor, text in planned if editor not in (HOOKS, SKILL)]
    home = os.path.expanduser("~")
    server = ToolServer(NAME, command=str(entry["command"]), args=tuple(map(str, entry["args"])))
    try:
        with McpTools([server], _PATIENCE, home) as tools:
            tool = tools.find(f"{NAME}.{_READS}")
            answer = tools.call(tool, {"limit": 1}) if tool else None
            names = tools.names(NAME)
    except MemoryClawError as error:
        _, words = _ran([server.command, *server.args], home)
        raise UnconnectedError(_untried(words or str(error))) from None
    if answer is None or not answer.ok:
        raise UnconnectedError(_untried(answer.text if answer else f"it has no tool {_READS}"))
    return names


def try_openclaw(command: Sequence[str], vault: str) -> list[str]:
    """Reads once with the command that OpenClaw's settings will say; no tool is named in them. Raises UnconnectedError: it does not work."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        sentence = "OpenClaw asks over HTTP, which needs pip install 'memoryclaw[serve]'"
        raise UnconnectedError(f"{sentence}; nothing was written")
    line = [*command, "browse", "--limit", "1", "--json", "--vault", vault]
    code, words = _ran(line, os.path.expanduser("~"))
    if code:
        raise UnconnectedError(_untried(words or f"{command[0]} ended with {code}"))
    return []


def _untried(why: str) -> str:
    return f"the connection does not work: {why}; nothing was written"


def _ran(line: Sequence[str], home: str) -> tuple[int, str]:
    """How a program ends, and what it says of that in the last line of its standard error."""
    try:
        process = subprocess.run(
            line, stdin=subprocess.DEVNULL, capture_output=True, cwd=home, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    lines = process.stderr.decode("utf-8", "replace").strip().splitlines()
    return process.returncode, lines[-1].removeprefix(f"{NAME}: ") if lines else ""
