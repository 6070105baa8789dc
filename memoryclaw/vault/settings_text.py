"""The text of a file of settings with one more value in it; every other byte stays. Pure."""

from __future__ import annotations

from typing import Any

from memoryclaw.errors import InputError
from memoryclaw.text import yaml_text
from memoryclaw.text.encoding import lines_of, readable
from memoryclaw.text.yaml_text import flow, flow_list
from memoryclaw.vault.edits import line_end


def with_setting(text: str, key: str, value: Any, where: str) -> str:
    """The text of settings that give a key such as `vault.format` this value: a text, or a list or map of texts.

    Raises:
        InputError: they cannot be told so; the sentence names the file `where` they are.
    """
    section, name = key.split(".")
    read = yaml_text.load(readable(text))
    was = read.value if isinstance(read.value, dict) else {}
    line, end = f"{name}: {_spelling(value)}", line_end(text)
    if section in was:
        lines, old = lines_of(text), _map(read.value, section).get(name)
        if n := read.lines.get((section, name), 0):
            before, colon, tail = lines[n - 1].partition(name)
            spelled = (old,) if isinstance(old, str) else (flow(old), _spelling(old))
            spelling = next((form for form in spelled if form in tail), "")
            after = tail.replace(spelling, line.partition(": ")[2], 1) if spelling else tail
            lines[n - 1] = f"{before}{colon}{after}"
        elif head := read.lines.get((section,), 0):
            inside = (n for place, n in read.lines.items() if place[:1] == (section,) and place[1:])
            first = min(inside, default=0)
            if first == head or "{" in lines[head - 1]:
                lines[head - 1] = lines[head - 1].replace("{", f"{{{line}, ", 1)
            else:
                below = lines[first - 1] if first else "  "
                indent = below[: len(below) - len(below.lstrip(" "))]
                above = lines[head - 1]
                if above.endswith(("\n", "\r")):
                    lines.insert(head, f"{indent}{line}{line_end(text)}")
                else:  # the last line keeps its lack of an end
                    lines[head - 1] = f"{above}{line_end(text)}{indent}{line}"
        after = "".join(lines)
    elif not text or text.endswith(("\n", "\r")):
        after = f"{text}{section}:{end}  {line}{end}"
    else:
        after = f"{text}{end}{section}:{end}  {line}"
    reread = yaml_text.load(readable(after))
    wanted = {**was, section: {**_map(was, section), name: value}}
    if read.problems or reread.problems or reread.value != wanted:
        raise InputError(
            f"{where} cannot be told its {name}; write `{line}` below `{section}:` there, and try again"
        )
    return after


def _map(values: Any, section: str) -> dict[str, Any]:
    inner = values.get(section) if isinstance(values, dict) else None
    return inner if isinstance(inner, dict) else {}


def _spelling(value: Any) -> str:
    if isinstance(value, str):
        return yaml_text.scalar(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return flow_list(value)
    return flow(value)
