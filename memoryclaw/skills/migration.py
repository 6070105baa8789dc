"""`migrate`: what changes in a vault's files from one format to the next, planned from the files and made in one commit.

A reader of any format reads the files of all older ones, so nothing has to be migrated to be found.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from memoryclaw.config import FORMAT, load
from memoryclaw.errors import ConflictError, InputError
from memoryclaw.history.repository import History
from memoryclaw.model import Problem
from memoryclaw.skills.lint import is_name, proposed_description
from memoryclaw.skills.listing import DRAFT, SKILLS, ListedSkill, list_skills
from memoryclaw.skills.skill_file import SkillFile, read_skill
from memoryclaw.skills.steps import too_deep
from memoryclaw.text.yaml_text import MAX_DEPTH, flow, flow_list, scalar
from memoryclaw.vault import files
from memoryclaw.vault.layout import CONFIG_FILE, must_take_writes, slug
from memoryclaw.vault.properties import names_of, text_of
from memoryclaw.vault.settings_text import with_setting
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import APPROVED
from memoryclaw.writing.writer import Edit, text_change, writing

_BY_HAND = "write it as skills/<name>/SKILL.md by hand"


class Rewritten(NamedTuple):
    """A file whose content has another form now."""

    path: str
    to: str
    kept: str  # where the old file is


class Migrated(NamedTuple):
    """What a migration changed, or would change, and what it left as it is."""

    before: int
    after: int
    files: tuple[Rewritten, ...] = ()
    left: tuple[Problem, ...] = ()
    commit: str = ""
    notice: str = ""


def migrate(context: WriteContext, *, dry_run: bool = False) -> Migrated:
    """Brings a vault to the newest format, in one commit that can be undone.

    Raises:
        InputError: it has no settings, or its settings cannot say a format.
        ConflictError: what would be rewritten holds work of the user that git does not.
        VaultError: its format is newer than the newest that is known.
    """
    if dry_run:
        return _plan(context)[0]
    with writing(context.root) as writer:  # what a killed migration began is ended first
        migrated, edits = _plan(context)
        if not edits:
            return migrated
        message = context.message("migrate", run=context.run("migrate"), **migrated._asdict())
        outcome = writer.write(edits, message, verb="migrate", now=context.now)
    notice = "; ".join(filter(None, (migrated.notice, outcome.notice)))
    return migrated._replace(commit=outcome.commit, notice=notice)


def _plan(context: WriteContext) -> tuple[Migrated, list[Edit]]:
    """What is to be done, and the edits that do it; none where the format is the newest."""
    config = load(Path(context.root))
    must_take_writes(context.root)
    if config.format == FORMAT:
        return Migrated(FORMAT, FORMAT), []
    if not files.exists(context.root, CONFIG_FILE):
        sentence = f"there is no {CONFIG_FILE} here"
        raise InputError(f"{sentence}; `memoryclaw init` makes a vault of the newest format")
    migrated, edits = _skills_as_markdown(context)
    change = text_change(lambda text: with_setting(text, "vault.format", str(FORMAT), CONFIG_FILE))
    says = Edit(CONFIG_FILE, change, undoable=True)
    says.change(files.read_file(context.root, CONFIG_FILE).data)  # raises where it cannot be said
    return migrated, [*edits, says]


# From format 1 to 2: a skill is a SKILL.md in a folder of its own. The old file goes to the archive.


def _skills_as_markdown(context: WriteContext) -> tuple[Migrated, list[Edit]]:
    edits, rewritten, problems, approved = list[Edit](), list[Rewritten](), list[Problem](), list[str]()
    skills = [listed for listed in list_skills(context.root) if not listed.skill.path.endswith(".md")]
    history, paths = History(context.root), [listed.skill.path for listed in skills]
    ignored = history.ask_ignored(paths)() if history.git_dir and paths else set()
    for listed in skills:
        file = listed.skill
        if file.path in ignored:
            no_git = "git leaves this skill out, so it could not be brought back"
            problems.append(Problem(file.path, 1, no_git, _BY_HAND))
            continue
        markdown = _markdown_of(context, listed, {rewrite.to for rewrite in rewritten})
        if isinstance(markdown, Problem):
            problems.append(markdown)
            continue
        to, text = markdown
        archived = files.free_path(context.root, f"archive/{file.path}")
        data = files.read_file(context.root, file.path).data
        rewritten.append(Rewritten(file.path, to, archived))
        edits += [
            Edit(file.path, _only(data, None), undoable=True),
            Edit(archived, _only(None, data)),
            Edit(to, _only(None, text)),
        ]
        approved += [file.name] if listed.state == APPROVED else []
    names = " and ".join(approved)
    notice = f"{names} must be approved again, as the text is another: see `memoryclaw skills show`"
    left = tuple(sorted(problems))
    return Migrated(1, 2, tuple(rewritten), left, notice=notice if approved else ""), edits


def _only(before: bytes | None, after: bytes | None) -> Callable[[bytes | None], bytes | None]:
    """A change of exactly these bytes."""

    def change(data: bytes | None) -> bytes | None:
        if data != before:
            sentence = "a skill was changed while it was being migrated"
            raise ConflictError(f"{sentence}; nothing was written. Try again")
        return after

    return change


def _markdown_of(context: WriteContext, one: ListedSkill, taken: set[str]) -> tuple[str, bytes] | Problem:
    """The path and the bytes of the SKILL.md that says what a skill file says, or why there is none."""
    file = one.skill
    if not file.path.endswith(".json"):
        return Problem(file.path, 1, "this skill is JavaScript, which stays as it is", "")
    if troubles := [*file.problems, *(file.skill.problems if not file.skill.meta else ())]:
        return troubles[0]._replace(path=file.path)
    name = file.name if is_name(file.name) else slug(file.name)
    folder = f"{SKILLS}/_drafts/{name}" if one.state == DRAFT else f"{SKILLS}/{name}"
    to = f"{folder}/SKILL.md"
    if to in taken or [path for path in files.list_files(context.root, folder) if path != file.path]:
        return Problem(file.path, 1, f"there is something in {folder}/ already", _BY_HAND)
    if text := _as_markdown(context, file, name, to):
        return to, text
    return Problem(file.path, 1, "the header of a SKILL.md cannot say what this skill says", _BY_HAND)


def _as_markdown(context: WriteContext, file: SkillFile, name: str, to: str) -> bytes:
    """The bytes of a SKILL.md that reads back as all that a JSON skill says; empty where there are none."""
    value = json.loads(file.text)
    if too_deep(value, MAX_DEPTH):
        return b""
    header = {"name": name, "description": file.skill.description or proposed_description(file)}
    others = {key: inner for key, inner in value.items() if key.lower() not in {*header, "merged_from"}}
    merged = {"merged_from": [*names_of(value, ("merged_from",)), file.path]}
    low = {key.lower(): inner for key, inner in value.items()}
    steps = low.get("steps")
    text = context.templates.render(
        "notes/migrated-skill.md.j2",
        header=_block({**header, **others, **merged}),
        title=file.name,
        steps=[_step(step) for step in (steps if isinstance(steps, list) else filter(None, [steps]))],
    )
    data = text.encode("utf-8", "replace")
    read = read_skill(to, data)
    known_keys = {key: inner for key, inner in file.skill.meta.items() if key in others}
    return data if not read.problems and read.parts.meta == {**header, **known_keys, **merged} else b""


def _step(step: Any) -> tuple[str, list[str]]:
    """A step in words, and the lines of what belongs to it."""
    if not isinstance(step, dict):
        return text_of(step) if isinstance(step, str) else flow(step), []
    head = next((key for key in ("tool", "action", "description", "name") if text_of(step.get(key))), "")
    others = {key: inner for key, inner in step.items() if key != head}
    return (text_of(step[head]) if head else "Do this"), [
        f"{key}: {_leaf(inner)}" for key, inner in others.items()
    ]


def _block(value: Mapping[str, Any] | list[Any]) -> list[str]:
    """A map or list of JSON as the lines of YAML."""
    lines: list[str] = []
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if inner and (isinstance(inner, dict) or (isinstance(inner, list) and not _is_plain(inner))):
                lines += [f"{scalar(key)}:", *(f"  {line}" for line in _block(inner))]
            else:
                lines.append(f"{scalar(key)}: {_leaf(inner)}")
        return lines
    for inner in value:
        first, *following = _block(inner) if isinstance(inner, dict | list) and inner else [_leaf(inner)]
        lines += [f"- {first}", *(f"  {line}" for line in following)]
    return lines


def _leaf(value: Any) -> str:
    if isinstance(value, str):
        return scalar(value)
    return flow_list(value) if isinstance(value, list) and _is_plain(value) else flow(value)


def _is_plain(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)
