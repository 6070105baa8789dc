"""Our entry among the MCP servers of a host, in JSON with or without comments and in TOML; every byte that is not ours stays. Pure."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from memoryclaw.connect import json5
from memoryclaw.connect.settings_file import SettingsEditor
from memoryclaw.errors import ConfigError, InputError

NAME = "memoryclaw"
_EMPTY = "{}\n"

Entry = Mapping[str, Any]


def entry_of(command: Sequence[str], vault: str) -> dict[str, Any]:
    """How a host starts our server."""
    return {"command": command[0], "args": [*command[1:], "mcp", "--vault", vault]}


def json_editor(section: str, *, comments: bool, typed: bool) -> SettingsEditor:
    """The editor of a host's servers in JSON.

    Args:
        comments: the host reads comments and trailing commas too.
        typed: an entry says that it is of the type `stdio`.
    """
    path = (section, NAME)

    def value_in(text: str) -> dict[str, Any]:
        text = text if text.strip() else _EMPTY
        (json5.parse_object if comments else json5.parse_strict)(text)
        node = json5.value_at(text, path)
        return _ours(json5.plain(node)) if node else {}

    def with_value(text: str, entry: Entry) -> str:
        text = text if text.strip() else _EMPTY
        entry = {"type": "stdio", **entry} if typed else dict(entry)
        if not value_in(text):
            return json5.put(text, path, entry)[0]
        for key, value in entry.items():
            member = json5.value_at(text, (*path, key))
            if member is None:
                text = json5.put(text, (*path, key), value)[0]
            elif json5.plain(member) != value:
                text = json5.replace_value(text, member, json5.inserted_value(text, member, value))
        return text

    def without(text: str, before: str) -> str:
        if not value_in(text):
            return text
        try:
            added = json5.put(before if before.strip() else _EMPTY, path, {})[1]
        except ConfigError:
            added = json5.Added(1)
        return json5.take(text, path, added)

    return SettingsEditor(value_in, with_value, without)


def _ours(entry: Any) -> dict[str, Any]:
    """What an entry under our name says of how to start us, whatever else it says. Raises InputError: it starts something else."""
    args = entry.get("args") if isinstance(entry, dict) else None
    words = [str(entry.get("command", "")), *map(str, args)] if isinstance(args, list) else []
    programs = {word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") for word in words}
    if NAME not in programs or "mcp" not in words:
        raise InputError(f'its server "{NAME}" is another program; rename or remove that entry first')
    return {"command": entry["command"], "args": args}


# In TOML an entry is a table of its own at the end of the file. What was written is read again, and must say what the file
# said before, and our entry: a text that this grammar does not see through is refused, and never guessed at.

_SECTION = "mcp_servers"
_HEADER = re.compile(
    rf"[ \t]*\[[ \t]*([\"']?){_SECTION}\1[ \t]*\.[ \t]*([\"']?){NAME}\2[ \t]*(?:\.[^\]\n]*)?\][ \t]*(?:#.*)?"
)
_TABLE = re.compile(r"[ \t]*\[")


def _in_toml(text: str) -> dict[str, Any]:
    entry = _toml(text).get(_SECTION, {}).get(NAME)
    return _ours(entry) if entry is not None else {}


def _with_toml(text: str, entry: Entry) -> str:
    values = _toml(text)
    current = _in_toml(text)
    if current == entry:
        return text
    lines = text.splitlines(keepends=True)
    end = "\r\n" if "\r\n" in text else "\n"
    block = [f"{key} = {json.dumps(value, ensure_ascii=False)}{end}" for key, value in entry.items()]
    if current:
        _, start, stop = _tables(lines)[0]
        after = "".join([*lines[:start], *_updated(lines[start:stop], entry, block), *lines[stop:]])
    else:
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += end
        after = "".join([*lines, *([end] if lines else []), f"[{_SECTION}.{NAME}]{end}", *block])
    servers = values.get(_SECTION, {})
    server = {**servers.get(NAME, {}), **entry}
    return _reread(after, {**values, _SECTION: {**servers, NAME: server}})


def _without_toml(text: str, _before: str) -> str:
    if not _in_toml(text):
        return text
    values = _toml(text)
    lines = text.splitlines(keepends=True)
    for first, _, stop in reversed(_tables(lines)):
        del lines[first:stop]
    servers = {name: server for name, server in values[_SECTION].items() if name != NAME}
    return _reread("".join(lines), {**values, _SECTION: servers})


def _tables(lines: Sequence[str]) -> list[tuple[int, int, int]]:
    """Of each table of ours the first line, with the blank one before it, the header, and the line after its last value."""
    tables = []
    for header, line in enumerate(lines):
        if _HEADER.fullmatch(line.rstrip("\r\n")):
            stop = next((n for n in range(header + 1, len(lines)) if _TABLE.match(lines[n])), len(lines))
            # An item of a list may begin like a table; then the rest is read again in vain, and refused.
            while stop > header + 1 and lines[stop - 1].lstrip()[:1] in ("", "#"):
                stop -= 1
            first = header - 1 if header and not lines[header - 1].strip() else header
            tables.append((first, header, stop))
    if not tables:
        raise InputError(f'its server "{NAME}" is written in a way that is not edited here; remove it first')
    return tables


def _updated(lines: Sequence[str], entry: Entry, block: Sequence[str]) -> list[str]:
    """The lines of our table with other values for our keys."""
    fresh = list(lines)
    for key, line in zip(entry, block, strict=True):
        start = next((n for n, old in enumerate(fresh) if re.match(rf"[ \t]*{key}[ \t]*=", old)), 0)
        stop = start
        while start and stop < len(fresh):
            stop += 1
            try:
                if key in tomllib.loads("".join(fresh[start:stop])):
                    break
            except tomllib.TOMLDecodeError:
                continue
        fresh[(start or 1) : (stop or 1)] = [line]
    return fresh


def _toml(text: str) -> dict[str, Any]:
    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"it is not valid TOML ({error}); fix the file first") from None
    if not isinstance(values.get(_SECTION, {}), dict):
        raise InputError(f"its {_SECTION} is not a table; fix the file first")
    return values


def _reread(text: str, expected: Mapping[str, Any]) -> str:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        values = {}
    if {_SECTION: {}, **values} != {_SECTION: {}, **expected}:
        raise InputError(f"{_SECTION} is written there in a way that is not edited here; edit it by hand")
    return text


TOML = SettingsEditor(_in_toml, _with_toml, _without_toml)
