"""Decisions → the versions of skills that are approved, file by file. The rule: a version is all the files that one yes named, no more, no less."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from memoryclaw.errors import InputError
from memoryclaw.text.naming import safe_path
from memoryclaw.writing.decisions import APPROVED, Decision, Decisions

_MAIN = "SKILL.md"


class Approval(NamedTuple):
    """One yes to one skill: where its file stood, and the digest of each of its files by its name inside the skill."""

    path: str
    files: Mapping[str, str]
    at: str


def approvals(decisions: Decisions) -> list[Approval]:
    """The versions that are approved and not rejected since, oldest first."""
    good = decisions.approved_digests()
    return [found for found in _groups(decisions.all) if good.issuperset(found.files.values())]


def version_of(path: str, digests: Mapping[str, str]) -> dict[str, str]:
    """The files of a skill by their names inside it; a skill that is one file has one, whatever it is called."""
    home = _home(path)
    return {_inside(home, at): digest for at, digest in digests.items()}


def _groups(decisions: Iterable[Decision]) -> Iterator[Approval]:
    """A yes is written as one line a file, the skill's own first, all at one moment."""
    open_: Approval | None = None
    for one in decisions:
        if one.kind != "skill" or one.decision != APPROVED or not one.digest or not _is_safe(one.path):
            continue
        if open_ and one.at == open_.at and _belongs(open_, one.path):
            open_ = open_._replace(files={**open_.files, _inside(_home(open_.path), one.path): one.digest})
            continue
        if open_:
            yield open_
        open_ = Approval(one.path, version_of(one.path, {one.path: one.digest}), one.at)
    if open_:
        yield open_


def _belongs(approval: Approval, path: str) -> bool:
    home = _home(approval.path)
    return bool(home) and path.startswith(f"{home}/") and _inside(home, path) not in approval.files


def _home(path: str) -> str:
    """The folder that is a skill's own; empty for a skill that is one file."""
    folder, _, name = path.rpartition("/")
    return folder if name == _MAIN else ""


def _inside(home: str, path: str) -> str:
    return path.removeprefix(f"{home}/") if home else path.rpartition(".")[2]


def _is_safe(path: str) -> bool:
    try:
        return safe_path(path) == path
    except InputError:
        return False
