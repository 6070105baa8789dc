"""Lists, shows, lints and matches the skills of a vault, straight from the files.

A skill is approved by the digests of all its files, by this person on this machine; nothing inside a file approves it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.model import Problem
from memoryclaw.skills.lint import lint
from memoryclaw.skills.match import ENOUGH, SkillMatch, match
from memoryclaw.skills.outcomes import NO_RUNS, Outcomes, better, outcomes_of
from memoryclaw.skills.skill_file import SkillFile, read_skill
from memoryclaw.text.language import Language
from memoryclaw.vault import files
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.layout import is_safe_path, place_of
from memoryclaw.writing.decisions import APPROVED, Decision, Decisions, decisions_of, fingerprint

SKILLS = "skills"
ODD = "no file"  # instead of a digest: a link or special file has no bytes that anybody could approve
DRAFT, NOT_APPROVED, CHANGED = "draft", "not approved", "changed since approval"


# Approvals: which versions of a skill, all files of one, the decisions approve.


class Approval(NamedTuple):
    """One approval of one skill: the path of its file, and the digest of each of its files by name inside the skill."""

    path: str
    files: Mapping[str, str]
    at: str


def approvals(decisions: Decisions) -> list[Approval]:
    """The versions that are approved and not rejected since, oldest first."""
    good = decisions.approved_digests()
    return [approval for approval in _groups(decisions.counting) if good.issuperset(approval.files.values())]


def version_of(path: str, digests: Mapping[str, str]) -> dict[str, str]:
    """The digests of a skill's files by name inside it; the file of a single-file skill has its extension as name."""
    home = _home(path)
    return {_inside(home, place): digest for place, digest in digests.items()}


def _groups(decisions: Iterable[Decision]) -> Iterator[Approval]:
    """Groups decisions into approvals: one line a file, the skill's own first, all with the same time."""
    open_: Approval | None = None
    for line in decisions:
        if (
            (line.kind, line.decision) != ("skill", APPROVED)
            or not line.digest
            or not is_safe_path(line.path)
        ):
            continue
        home = _home(open_.path) if open_ and line.at == open_.at else ""
        inside = _inside(home, line.path)
        if open_ and home and line.path.startswith(f"{home}/") and inside not in open_.files:
            open_ = open_._replace(files={**open_.files, inside: line.digest})
            continue
        if open_:
            yield open_
        open_ = Approval(line.path, version_of(line.path, {line.path: line.digest}), line.at)
    if open_:
        yield open_


def _home(path: str) -> str:
    """The folder of a skill; empty for a single-file skill."""
    folder, _, name = path.rpartition("/")
    return folder if name == "SKILL.md" else ""


def _inside(home: str, path: str) -> str:
    return path.removeprefix(f"{home}/") if home else path.rpartition(".")[2]


# Skills as they are in the vault.


Ran = Sequence[Mapping[str, Any]]  # what the ledger has of the runs of skills, the oldest first
Sees = Callable[[str], bool]  # whether a caller sees all of the file at a path


class ListedSkill(NamedTuple):
    """One skill and its state; `digests` are those of all its files, by path."""

    skill: SkillFile
    state: str  # approved | changed since approval | not approved | draft
    digests: dict[str, str]
    outcomes: Outcomes = NO_RUNS

    @property
    def name(self) -> str:
        """What the skill is called."""
        return self.skill.name

    @property
    def version(self) -> str:
        """The digest of all its files together: a decision may name it, and then is of exactly these bytes."""
        lines = "\0".join(f"{path}\0{digest}" for path, digest in sorted(self.digests.items()))
        return files.digest_of(lines.encode("utf-8", "surrogatepass"))[:16]


class LintedSkill(NamedTuple):
    """A skill and its problems."""

    listed: ListedSkill
    problems: tuple[Problem, ...]


class SkillOffer(NamedTuple):
    """A skill that shares words with a request: how well it matches, and whether hosts are offered it."""

    match: SkillMatch
    state: str
    offered: bool
    why: str
    outcomes: Outcomes = NO_RUNS
    instead: str = ""  # what did better, where it failed twice in a row


def everything(_path: str) -> bool:
    """What the owner of a vault sees of it."""
    return True


def list_skills(root: str, sees: Sees = everything, ran: Ran = ()) -> list[ListedSkill]:
    """Every skill of a vault, drafts last, by name; of those whose files all are seen."""
    decisions = decisions_of(root)
    paths = [path for path in files.list_files(root, SKILLS) if _is_skill(path)]
    homes = {path.rpartition("/")[0] for path in paths if path.endswith("/SKILL.md")}
    # What else lies in the folder of a skill belongs to it and is not a skill of its own.
    homed = (path for path in paths if path.endswith("/SKILL.md") or path.rpartition("/")[0] not in homes)
    skills = [_read_listed(root, path, decisions) for path in homed]
    if ran:
        skills = [s._replace(outcomes=outcomes_of(ran, s.skill.path, s.skill.digest)) for s in skills]
    visible = (skill for skill in skills if all(map(sees, skill.digests)))
    return sorted(visible, key=lambda listed: (listed.state == DRAFT, listed.name, listed.skill.path))


def show_skill(root: str, name: str, sees: Sees = everything, ran: Ran = ()) -> LintedSkill:
    """One skill, by its name, its folder or its path. Raises NotFoundError: there is none; InputError: several go by this name."""
    skill = find(list_skills(root, sees, ran), name)
    return LintedSkill(skill, tuple(_lint(root, skill)))


def lint_skills(root: str, name: str = "") -> list[Problem]:
    """The problems of one skill, or of all; two skills of one name are one."""
    every = list_skills(root)
    chosen = [find(every, name)] if name else every
    first = {skill.name: skill.skill.path for skill in reversed(every)}
    twins = [
        Problem(
            skill.skill.path, 1, f"is called {skill.name}, as {first[skill.name]} is", "give one another name"
        )
        for skill in chosen
        if first[skill.name] != skill.skill.path
    ]
    return sorted([*twins, *(problem for skill in chosen for problem in _lint(root, skill))])


def match_skills(listed: Iterable[ListedSkill], request: str, language: Language) -> list[SkillOffer]:
    """Those of these skills that share a word with a request, best first."""
    if not request.strip():
        raise InputError("there is nothing to match: say what is to be done, such as 'send an email to John'")
    every = {skill.skill.path: skill for skill in listed}
    matches = match(request, [skill.skill for skill in every.values()], language)
    fitting = [every[skill.skill.path] for skill in matches if skill.score >= ENOUGH]
    return [_offer(skill, every[skill.skill.path], fitting) for skill in matches]


def approved_files(root: str, paths: Iterable[str]) -> set[str]:
    """Those of these files that belong to a skill that is approved as it is."""
    decisions = decisions_of(root)
    asked_paths = set(paths) if approvals(decisions) else set()
    skills = [_read_listed(root, skill, decisions) for skill in sorted({*_skills_with(root, asked_paths)})]
    return asked_paths.intersection(path for one in skills if one.state == APPROVED for path in one.digests)


def _skills_with(root: str, paths: Iterable[str]) -> Iterator[str]:
    """The paths of the skills that these files belong to, as `list_skills` has them."""
    for path in paths:
        if not path.startswith(f"{SKILLS}/"):
            continue
        homes = [f"{folder}/SKILL.md" for folder in PurePosixPath(path).parents][:-1]
        around = [home for home in homes if files.is_file(root, home)]
        yield from around
        if homes[:1] != around[:1] and _is_skill(path) and files.is_file(root, path):
            yield path


def known_skills(vault: Vault) -> frozenset[str]:
    """The names of all skills and drafts, and the fingerprints of their tools; these are not proposed again."""
    every = [listed.skill for listed in list_skills(os.fspath(vault.root))]
    return frozenset(word for skill in every for word in (skill.name, skill.stem, fingerprint_of(skill)))


def fingerprint_of(skill: SkillFile) -> str:
    """The fingerprint of a skill: of its tools in order, else of its name."""
    return fingerprint("skill", *(skill.tools or (skill.name,)))


def find(every: list[ListedSkill], name: str) -> ListedSkill:
    """The skill with this name, folder or path; a path is never ambiguous."""
    key = name.strip().removesuffix("/")
    for keys in (_paths, lambda listed: (listed.name, listed.skill.stem)):
        matching = [skill for skill in every if key in keys(skill)]
        if len(matching) > 1:
            paths = " and ".join(skill.skill.path for skill in matching)
            raise InputError(f"{len(matching)} skills are called {key}: {paths}; give the path")
        if matching:
            return matching[0]
    close = get_close_matches(key, [skill.name for skill in every], 1)
    hint = f"did you mean {close[0]}?" if close else "`memoryclaw skills list` shows them all"
    raise NotFoundError(f"there is no skill called {key!r}; {hint}")


def _read_listed(root: str, path: str, decisions: Decisions) -> ListedSkill:
    read = files.read_file(root, path)
    skill = read_skill(path, read.data)
    beside = files.list_files(root, skill.folder) if skill.folder else []
    others = {file: files.read_file(root, file).digest for file in beside if file != path}
    odd = dict.fromkeys(files.list_odd(root, skill.folder) if skill.folder else (), ODD)
    digests = {path: read.digest, **others, **odd}
    good, state = approvals(decisions), NOT_APPROVED
    if path.startswith(f"{SKILLS}/_drafts/"):
        state = DRAFT
    elif any(approval.files == version_of(path, digests) for approval in good):
        state = APPROVED
    elif any(approval.path == path for approval in good):
        state = CHANGED
    return ListedSkill(skill, state, digests)


def _is_skill(path: str) -> bool:
    place = place_of(path)
    return place is not None and place.kind == "skill"


def _lint(root: str, skill: ListedSkill) -> list[Problem]:
    return lint(skill.skill.path, files.read_file(root, skill.skill.path).data)


def _offer(match: SkillMatch, listed: ListedSkill, fitting: Sequence[ListedSkill]) -> SkillOffer:
    name, state, outcomes = match.skill.name, listed.state, listed.outcomes
    if match.score < ENOUGH:
        few = "too few of its words are in the request"
        return SkillOffer(match, state, offered=False, why=few, outcomes=outcomes)
    approved = ((one.name, one.outcomes) for one in fitting if one is not listed and one.state == APPROVED)
    instead = better(outcomes, approved) if outcomes.degraded else ""
    reasons = {
        APPROVED: "it is approved",
        CHANGED: f"it was changed since it was approved; `memoryclaw skills approve {name}`",
        NOT_APPROVED: f"nobody has approved it here; `memoryclaw skills approve {name}`",
        DRAFT: f"it is a draft; `memoryclaw skills approve {name}`",
    }
    return SkillOffer(match, state, state == APPROVED, reasons[state], outcomes, instead)


def _paths(skill: ListedSkill) -> tuple[str, ...]:
    """Its path with and without extension, its folder, and a draft's folder from `_drafts/` on."""
    path, folder = skill.skill.path, skill.skill.folder
    home = folder or path.rpartition(".")[0]
    draft = home.removeprefix(f"{SKILLS}/") if skill.state == DRAFT else path
    return tuple(filter(None, (path, path.rpartition(".")[0], folder, draft)))
