"""A skill in JSON or JavaScript → the folder that hosts read: the file as it was approved, and a SKILL.md that says how to run it. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from memoryclaw.skills.lint import DESCRIPTION_LENGTH, is_name, proposed_description
from memoryclaw.skills.skill_file import ParameterSpec, SkillFile, read_skill
from memoryclaw.skills.steps import read_recipe
from memoryclaw.text.prompts import one_line
from memoryclaw.text.yaml_text import flow
from memoryclaw.vault.layout import slug


def host_name(file: SkillFile) -> str:
    """The name of the folder that hosts get."""
    return file.stem if file.folder or is_name(file.stem) else slug(file.stem)


def as_folder(path: str, data: bytes) -> dict[str, bytes]:
    """The files of the folder that hands over a skill of one file, by their names in it."""
    file = read_skill(path, data)
    text = "\n".join((*_lines(file, path.rpartition("/")[2]), ""))
    return {"SKILL.md": text.encode("utf-8", "replace"), path.rpartition("/")[2]: data}


def _lines(file: SkillFile, name: str) -> Iterator[str]:
    description = one_line(file.skill.description or proposed_description(file))[:DESCRIPTION_LENGTH]
    yield from ("---", f"name: {host_name(file)}", f"description: {flow(description)}", "---")
    yield from (f"# {one_line(file.name)}", "", f"The skill is `{name}` in this folder. {_how(file, name)}")
    if file.asked:
        yield from ("", "It needs:", "", *map(_parameter, file.asked))


def _how(file: SkillFile, name: str) -> str:
    """How an agent runs it, in a sentence or two."""
    if not name.endswith(".json"):
        return (
            f"It is a program: read it, then run it with `node {shlex.quote(name)}`, if you may run programs."
        )
    if read_recipe(file).problems:
        return "Read it and take its steps one after another."
    params = "".join(
        f" --param {shlex.quote(one_line(parameter.name))}=…"
        for parameter in file.asked
        if not parameter.optional
    )
    command = f"memoryclaw skills run {shlex.quote(one_line(file.name))}{params}".replace("`", "'")
    return f"Run it with `{command}`, which shows the calls; with `--apply` it makes them."


def _parameter(parameter: ParameterSpec) -> str:
    about = ", ".join(filter(None, (parameter.type, "optional" if parameter.optional else "")))
    words = f": {one_line(parameter.description)}" if parameter.description else ""
    return f"- {one_line(parameter.name)}{f' ({about})' if about else ''}{words}"
