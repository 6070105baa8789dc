"""Keeps copies of the approved skills for hosts: never a draft, never a changed file.

After an edit the version approved last stays until the new one is approved. Its bytes come from git.
"""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress

from memoryclaw.config import HOST_SKILLS
from memoryclaw.errors import HistoryError, NotFoundError, VaultError
from memoryclaw.history.repository import History, editions
from memoryclaw.late import NamedTuple
from memoryclaw.skills import listing
from memoryclaw.skills.lint import DESCRIPTION_LENGTH, is_name, proposed_description
from memoryclaw.skills.skill_file import ParameterSpec, SkillFile, read_recipe, read_skill
from memoryclaw.text.encoding import in_form_of
from memoryclaw.text.prompts import one_line
from memoryclaw.text.yaml_text import flow
from memoryclaw.vault import files
from memoryclaw.vault.files import writer_lock
from memoryclaw.vault.layout import slug
from memoryclaw.vault.state_folder import make_private_folder
from memoryclaw.writing.decisions import APPROVED, decisions_of

CURRENT, EARLIER = "current", "earlier"


# The folder of the copies: a skill is replaced whole, and no link is followed.


class HostFolder:
    """The copies for hosts, in one state folder."""

    def __init__(self, state: str) -> None:
        self._state = state
        self.path = os.path.join(state, HOST_SKILLS)

    def make(self) -> None:
        """Makes the folder, private to the user, replacing anything else of its name."""
        make_private_folder(self._state)
        if os.path.lexists(self.path) and not _is_folder(self.path):
            os.unlink(self.path)
        with suppress(FileExistsError):
            os.mkdir(self.path, 0o700)

    def names(self) -> list[str]:
        """The names of all entries, of any type."""
        return sorted(os.listdir(self.path)) if _is_folder(self.path) else []

    def digests(self, name: str) -> dict[str, str] | None:
        """The digest of each file of a copy, by its name inside it; None if it holds anything but regular files."""
        top = os.path.join(self.path, name)
        if not _is_folder(self.path) or not _is_folder(top):
            return None
        digests: dict[str, str] = {}
        for place, folders, names in os.walk(top):
            inside = os.path.relpath(place, top)
            if any(not _is_folder(os.path.join(place, folder)) for folder in folders):
                return None
            for file in names:
                inside_name = os.path.normpath(f"{inside}/{file}")
                data = self.read(name, inside_name)
                if data is None:
                    return None
                digests[inside_name] = files.digest_of(data)
        return digests

    def read(self, name: str, inside: str) -> bytes | None:
        """The bytes of one file of a copy; None unless it is a regular file."""
        try:
            return files.read_file(self._state, f"{HOST_SKILLS}/{name}/{inside}").data
        except (NotFoundError, VaultError):
            return None

    def put(self, name: str, content: Mapping[str, bytes]) -> None:
        """Replaces a copy atomically: a reader finds the old one or the new one."""
        with self._beside() as beside:
            for inside, data in content.items():
                path = os.path.join(beside, "new", inside)
                os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
                with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(data)
            with writer_lock(self.path):
                self._out(name, beside)
                os.rename(os.path.join(beside, "new"), os.path.join(self.path, name))

    def keep(self, names: Collection[str]) -> None:
        """Removes all other entries."""
        if gone := [name for name in self.names() if name not in names]:
            with self._beside() as beside, writer_lock(self.path):
                for name in gone:
                    self._out(name, beside)

    @contextmanager
    def _beside(self) -> Iterator[str]:
        """A temporary folder on the same disk, with room for what is removed."""
        beside = tempfile.mkdtemp(prefix=f"{HOST_SKILLS}-", dir=self._state)
        try:
            os.mkdir(os.path.join(beside, "old"))
            yield beside
        finally:
            shutil.rmtree(beside)

    def _out(self, name: str, beside: str) -> None:
        """Removes an entry of any type by a rename, without looking into it."""
        with suppress(FileNotFoundError):
            os.rename(os.path.join(self.path, name), os.path.join(beside, "old", name))


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


# Which version of each skill hosts get.


class HostedSkill(NamedTuple):
    """One skill that hosts see; `digest` is that of its file."""

    name: str
    path: str
    digest: str
    version: str  # current | earlier: the file was changed since it was approved


class WithheldSkill(NamedTuple):
    """An approved skill that hosts do not get, and why."""

    name: str
    path: str
    reason: str


class HostSkills(NamedTuple):
    """The folder that hosts read, and its skills."""

    folder: str
    skills: tuple[HostedSkill, ...] = ()
    left_out: tuple[WithheldSkill, ...] = ()


class _Wanted(NamedTuple):
    """A version for hosts."""

    listed: listing.ListedSkill
    version: Mapping[str, str]
    hosted: HostedSkill


def host_skills(root: str, folder: HostFolder, *, sees: listing.Sees, refresh: bool = True) -> HostSkills:
    """Brings the copies up to date, writing only what differs, and lists them. Raises VaultError: the folder cannot be written.

    Args:
        sees: whether hosts may see all of the file at a path.
        refresh: False to write nothing: copies that are missing or out of date are then withheld.
    """
    copies, left_out = _approved_copies(root, sees)
    try:
        if refresh:
            folder.make()
        hosted, failed = [], []
        for copy in copies:
            if trouble := _trouble(root, folder, copy, refresh=refresh):
                failed.append(WithheldSkill(copy.hosted.name, copy.hosted.path, trouble))
            else:
                hosted.append(copy.hosted)
        if refresh:
            folder.keep({copy.name for copy in hosted})
        brought = HostSkills(folder.path, tuple(hosted), tuple(failed))
    except OSError as error:
        sentence = f"{folder.path} cannot be brought up to date ({error.strerror})"
        raise VaultError(f"{sentence}; try again") from None
    return brought._replace(left_out=tuple(sorted((*brought.left_out, *left_out))))


def _approved_copies(root: str, sees: listing.Sees) -> tuple[list[_Wanted], list[WithheldSkill]]:
    approved = listing.approvals(decisions_of(root))
    copies: dict[str, _Wanted] = {}
    left_out = []
    for listed in listing.list_skills(root):
        version, which = listing.version_of(listed.skill.path, listed.digests), CURRENT
        if listed.state != APPROVED:
            earlier = [approval.files for approval in approved if approval.path == listed.skill.path]
            if listed.state == listing.DRAFT or not earlier:
                continue
            version, which = dict(earlier[-1]), EARLIER
        name, path = host_name(listed.skill), listed.skill.path
        reason = "" if all(map(sees, listed.digests)) else "it is not for the agent"
        if not reason and not is_name(name):
            reason = "its folder has a name that hosts do not take"
        elif not reason and name in copies:
            reason = f"{copies[name].hosted.path} goes by the same name"
        if reason:
            left_out.append(WithheldSkill(name, path, reason))
        else:
            digest = version["SKILL.md" if listed.skill.folder else path.rpartition(".")[2]]
            copies[name] = _Wanted(listed, version, HostedSkill(name, path, digest, which))
    return list(copies.values()), left_out


def _trouble(root: str, folder: HostFolder, copy: _Wanted, *, refresh: bool) -> str:
    """Makes sure that the copy is right; returns why it is not."""
    name = copy.hosted.name
    digests = folder.digests(name)
    if copy.listed.skill.folder and digests == copy.version:
        return ""
    content = {inside: _bytes(root, folder, copy, inside) for inside in copy.version}
    readable = {inside: data for inside, data in content.items() if data is not None}
    if len(readable) == len(content) and not copy.listed.skill.folder:
        readable = as_folder(copy.hosted.path, *readable.values())
        if digests == {inside: files.digest_of(data) for inside, data in readable.items()}:
            return ""
    if not refresh:
        return "its copy is not up to date; `memoryclaw skills host` makes it"
    if len(readable) < len(content):
        return f"the version that was approved is gone from disk and git; `memoryclaw skills approve {name}` approves the file as it is"
    folder.put(name, readable)
    return ""


def _bytes(root: str, folder: HostFolder, skill: _Wanted, inside: str) -> bytes | None:
    """The approved bytes of one file, from the vault, the copy or git."""
    places, digest = _places(root, folder, skill, inside), skill.version[inside]
    return next((data for data in places if data is not None and files.digest_of(data) == digest), None)


def _places(root: str, folder: HostFolder, skill: _Wanted, inside: str) -> Iterator[bytes | None]:
    home, path = skill.listed.skill.folder, skill.listed.skill.path
    inside = inside if home else path.rpartition("/")[2]
    path = f"{home}/{inside}" if home else path
    with suppress(NotFoundError, VaultError):
        yield files.read_file(root, path).data
    yield folder.read(skill.hosted.name, inside)
    history = History(root)
    with suppress(HistoryError):  # a damaged history has no version to give
        for edition in editions(history, path) if history.git_dir and history.head() else ():
            for data in filter(None, (edition.after, edition.before)):
                yield data
                yield in_form_of(data, b"\r\n")  # git may have converted its line ends


# A skill in JSON or JavaScript → the folder that hosts read: the file as it was approved, and a SKILL.md that says how to run it. Pure.


def host_name(file: SkillFile) -> str:
    """The name of the folder that hosts get."""
    return file.stem if file.folder or is_name(file.stem) else slug(file.stem)


def as_folder(path: str, data: bytes) -> dict[str, bytes]:
    """The files of the folder that hands over a skill of one file, by their names in it."""
    file = read_skill(path, data)
    name = path.rpartition("/")[2]
    description = one_line(file.skill.description or proposed_description(file))[:DESCRIPTION_LENGTH]
    lines = ["---", f"name: {host_name(file)}", f"description: {flow(description)}", "---"]
    lines += [f"# {one_line(file.name)}", "", f"The skill is `{name}` in this folder. {_how(file, name)}"]
    if file.asked:
        lines += ["", "It needs:", "", *map(_parameter, file.asked)]
    return {"SKILL.md": "\n".join([*lines, ""]).encode("utf-8", "replace"), name: data}


def _how(file: SkillFile, name: str) -> str:
    """How an agent runs it, in a sentence or two."""
    if not name.endswith(".json"):
        return (
            f"It is a program: read it, then run it with `node {shlex.quote(name)}`, if you may run programs."
        )
    if read_recipe(file).problems:
        return "Read it and take its steps one after another."
    names = [shlex.quote(one_line(parameter.name)) for parameter in file.asked if not parameter.optional]
    params = "".join(f" --param {name}=…" for name in names)
    command = f"memoryclaw skills run {shlex.quote(one_line(file.name))}{params}".replace("`", "'")
    return f"Run it with `{command}`, which shows the calls; with `--apply` it makes them."


def _parameter(parameter: ParameterSpec) -> str:
    about = ", ".join(filter(None, (parameter.type, "optional" if parameter.optional else "")))
    words = f": {one_line(parameter.description)}" if parameter.description else ""
    return f"- {one_line(parameter.name)}{f' ({about})' if about else ''}{words}"
