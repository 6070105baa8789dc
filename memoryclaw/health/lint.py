"""What is wrong in files that a person writes, for `lint` and `doctor`: parsing, types, vocabulary, skills, golden questions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryclaw.errors import HistoryError, InputError
from memoryclaw.history.repository import History
from memoryclaw.index.catalog import Catalog
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING, Problem
from memoryclaw.recall.evaluation import golden_problems
from memoryclaw.skills.lint import lint as lint_skill
from memoryclaw.skills.listing import lint_skills
from memoryclaw.text.encoding import decode, readable
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.layout import ALIASES_FILE, QUESTIONS_FILE, SCHEMA_FILE, place_of, places
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.vocabulary import Schema, misfits, read_schema, vocabulary_problems

Read = Callable[[str], bytes | None]


class Linted(NamedTuple):
    """How many files were looked at, and what is wrong in them, by path and line."""

    files: int
    problems: tuple[Problem, ...]


# A whole vault, from its index.


def of_vault(vault: Vault, catalog: Catalog) -> Linted:
    """Everything that is wrong in a vault's files; ids that two notes share, and files that no walk takes, included."""
    scan, read = vault.scan(), _reader(vault)
    questions = read(QUESTIONS_FILE)
    problems = [
        *scan.problems,
        *catalog.problems(),
        *untyped(vault, catalog),
        *lint_skills(os.fspath(vault.root)),
        *(golden_problems(QUESTIONS_FILE, _text(questions)) if questions is not None else ()),
    ]
    return Linted(len(scan.files) + (questions is not None), _each_once(problems))


def untyped(vault: Vault, catalog: Catalog) -> list[Problem]:
    """The values that are not of the type that `_schema.yaml` declares their fields to have."""
    schema = schema_of(_reader(vault))
    return [problem for path, fact in catalog.facts() for problem in misfits(path, [fact], schema)]


# Single files, from their bytes alone.


def of_paths(vault: Vault, given: Sequence[str | os.PathLike[str]]) -> Linted:
    """What is wrong in these files, and in those below these folders; no index is asked."""
    paths = sorted({path for path_given in given for path in _below(vault, os.fspath(path_given))})
    return _of(paths, _reader(vault), vault.labels)


def of_staged(vault: Vault, index_file: str = "") -> Linted:
    """What is wrong in the files that a commit made now would change, as git has them staged.

    Args:
        index_file: the index of the commit that is being made, as git names it to hooks; one of another repository is passed over.
    """
    history = History(os.fspath(vault.root))
    if not history.git_dir:
        raise HistoryError(f"nothing can be staged: {history.state().sentence}")
    index_file = index_file and os.path.abspath(index_file)
    if os.path.realpath(os.path.dirname(index_file)) != os.path.realpath(history.git_dir):
        index_file = ""
    staged = history.staged_paths(index_file)
    contents = history.staged_data(list(filter(_is_linted, {*staged, SCHEMA_FILE})), index_file)
    return _of(staged, contents.get, vault.labels)


def _of(paths: Sequence[str], read: Read, labels: Mapping[str, Any] = NOTHING) -> Linted:
    schema = schema_of(read)
    settings = ReadingSettings(collections=schema.collections, labels=labels)
    data = {path: content for path in paths if _is_linted(path) and (content := read(path)) is not None}
    problems = (
        problem for path, content in data.items() for problem in of_file(path, content, settings, schema)
    )
    return Linted(len(data), _each_once(problems))


def of_file(path: str, data: bytes, settings: ReadingSettings, schema: Schema) -> Iterator[Problem]:
    """What is wrong in one file, whatever it is."""
    if path in (ALIASES_FILE, SCHEMA_FILE):
        yield from vocabulary_problems(path, _text(data))
        return
    if path == QUESTIONS_FILE:
        yield from golden_problems(path, _text(data))
        return
    note = read_note(path, data, settings)
    yield from (problem._replace(path=path) for problem in note.problems)
    yield from misfits(path, note.facts, schema)
    if place_of(path) in (("skill", "current"), ("skill", "draft")):
        yield from lint_skill(path, data)


def _each_once(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems in order; of one that two found, the later hint, which knows the kind of file."""
    return tuple(sorted({problem[:3]: problem for problem in problems}.values()))


def schema_of(read: Read) -> Schema:
    """The declared fields of a vault."""
    data = read(SCHEMA_FILE)
    return read_schema(_text(data) if data is not None else "")


def _is_linted(path: str) -> bool:
    return path in (ALIASES_FILE, SCHEMA_FILE, QUESTIONS_FILE) or place_of(path) is not None


def _reader(vault: Vault) -> Read:
    def read(path: str) -> bytes | None:
        file = vault.read(path)
        return file and file[0]

    return read


def _text(data: bytes) -> str:
    return readable(decode(data).text)


def _below(vault: Vault, given: str) -> Iterator[str]:
    """The names of a file, or of the files of a folder, by where it is on the disk."""
    place = os.path.abspath(os.path.expanduser(given))
    root = os.path.realpath(vault.root)
    folder, base = os.path.split(place)
    inside = os.path.relpath(os.path.join(os.path.realpath(folder), base), root)
    if inside == os.pardir or inside.startswith(f"{os.pardir}{os.sep}"):
        raise InputError(f"{given} is not in the vault {vault.root}")
    if not os.path.exists(place):
        raise InputError(f"there is no file or folder {given}")
    name = places(os.fspath(vault.root)).name_of(Path(inside).as_posix())
    if not os.path.isdir(place):
        yield name
        return
    everything = (*vault.scan().files, QUESTIONS_FILE)
    yield from (path for path in everything if name == "." or path.startswith(f"{name}/"))
