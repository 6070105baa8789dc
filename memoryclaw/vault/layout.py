"""The layout of a vault: which kind of note each path holds. It is defined here alone."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime

from memoryclaw import late
from memoryclaw.errors import ClockError, InputError, VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.text.language import SPELLED, fold

CONFIG_FILE = "memoryclaw.yaml"
STATE_DIR = ".memoryclaw"
ALIASES_FILE = "semantic/aliases.yaml"
SCHEMA_FILE = "semantic/_schema.yaml"
DECISIONS_FILE = (
    "review/decisions.jsonl"  # what people decided; the lines that it takes out of answers are none
)
SALIENCE_FILE = "salience.md"  # what matters to the user, and what to ignore; a note as well
QUESTIONS_FILE = "eval/questions.yaml"  # no note: only Markdown is one
LOGS = ("logs/", "archive/logs/")  # the folders of turns
NO_NOTES = ("ledger", "runs", "working")  # folders in which no file is a note
# What the name of a folder at the top means; all other folders hold plain notes.
MEANINGS = {
    "episodes": "its notes are episodes, each with a time",
    "semantic": "its lines are read as facts",
    "skills": "its SKILL.md files are skills, which need approval",
    "review": "its notes wait for your decision, and no answer quotes them",
    "archive": "its notes count as archived, and no answer quotes them",
    "logs": "its notes are read as conversations",
    "ledger": "it is not searched",
    "runs": "it is not searched",
    "working": "it is not searched",
}
MOVABLE = (*MEANINGS, "views", "eval")  # the settings may put these elsewhere
_TAKEN = frozenset({".git", ".obsidian", ".trash", ".memoryclaw"})
FOLDERS = ("episodes", "semantic", "skills", "skills/_drafts", "review", "archive", "logs")

# Where the folders are. All rooms call a file by its name, such as `archive/a.md`; where a vault's settings put a folder
# elsewhere (`paths:`), only what touches the disk or git asks for the place of the name. Names, and so ids, citations and the
# records of runs, stay the same when a folder moves. A folder of the user's under a name that was given away goes by `_/archive/`.

_OWN = "_"


class Places:
    """Where the folders of one vault are on the disk.

    Args:
        moved: the folders that are not where their names say, such as `{"archive": "memory-archive"}`.
    """

    def __init__(self, moved: Mapping[str, str]) -> None:
        self.moved = dict(moved)
        self._names = {place: name for name, place in moved.items()}

    def on_disk(self, name: str) -> str:
        """The path on the disk of what has a name."""
        folder, slash, tail = name.partition("/")
        if place := self.moved.get(folder):
            return f"{place}{slash}{tail}"
        if folder == _OWN and tail.partition("/")[0] in (*self.moved, _OWN):
            return tail
        return name

    def name_of(self, path: str) -> str:
        """The name of what is at a path on the disk."""
        for place, name in self._names.items():
            if path == place or path.startswith(f"{place}/"):
                return f"{name}{path[len(place) :]}"
        return f"{_OWN}/{path}" if path.partition("/")[0] in (*self.moved, _OWN) else path

    def holds(self, path: str) -> bool:
        """True for a path on the disk that is one of the places, or above one."""
        return any(f"{place}/".startswith(f"{path}/") for place in self._names)


class _Everywhere(Places):
    """A vault whose folders are where their names say."""

    def on_disk(self, name: str) -> str:
        return name

    def name_of(self, path: str) -> str:
        return path


_AS_NAMED = _Everywhere({})
_known: dict[str, Places] = {}  # by the root of a vault: told by whoever reads its settings


def valid_places(asked: Mapping[str, object]) -> dict[str, str]:
    """Where folders are to be, without those that stay where their names say."""
    if unknown := [name for name in asked if name not in MOVABLE]:
        raise InputError(f"{unknown[0]} is not a folder of MemoryClaw's; these are: {', '.join(MOVABLE)}")
    targets = {name: str(place).strip().strip("/") for name, place in asked.items()}
    targets = {name: place for name, place in targets.items() if place and place != name}
    for name, place in targets.items():
        first, *others = segments = place.split("/")
        if _CONTROL.search(place) or any(segment in {"", ".", ".."} for segment in segments):
            raise InputError(
                f"{name}: {place!r} is not a folder inside the vault; write it as `.memory/{name}`"
            )
        if first.lower() in _TAKEN or (first in MOVABLE and first not in targets):
            raise InputError(
                f"{name}: {place!r} is a folder of another kind; choose another, such as `.memory/{name}`"
            )
        if first == _OWN or (not others and first in MOVABLE):
            raise InputError(
                f"{name}: {place!r} is a name of MemoryClaw's own; choose another, such as `.memory/{name}`"
            )
        for neighbour, its in targets.items():
            if neighbour != name and f"{its.casefold()}/".startswith(f"{place.casefold()}/"):
                raise InputError(
                    f"{name}: {place!r} and {its!r} (for {neighbour}) lie in one another; give each a folder of its own"
                )
    return targets


def put_folders(root: str, moved: Mapping[str, str]) -> None:
    """Says where the folders of a vault are."""
    _known[root] = Places(moved) if moved else _AS_NAMED


def places(root: str) -> Places:
    """Where the folders of a vault are."""
    return _known.get(root, _AS_NAMED)


_only_read: dict[str, str] = {}  # by the root of a vault, as above


def put_only_read(root: str, why: str) -> None:
    """Says why nothing may be written in a vault; an empty text lets everything be written again."""
    if why:
        _only_read[root] = why
    else:
        _only_read.pop(root, None)


def must_take_writes(root: str, path: str = "") -> None:
    """Raises VaultError where nothing may be written in a vault; what is derived from its files always may be."""
    if root in _only_read and path.partition("/")[0] != STATE_DIR:
        raise VaultError(_only_read[root])


def on_disk(root: str, name: str) -> str:
    """The path of what has this name in a vault, as the system takes it."""
    return f"{root}/{places(root).on_disk(name)}"


# Sync services and editors leave these beside notes; indexed, they would answer twice or with half a note.
CONFLICT_COPY = late.pattern(
    r"\.sync-conflict-\d{8}-\d{6}|\(.*conflicted copy.*\)|\(conflict(?:ed)? .*\d{4}-\d\d-\d\d.*\)",
    re.IGNORECASE,
)


class Place(NamedTuple):
    """The kind of note at a vault path, and the state that its folder gives it."""

    kind: str  # episode | semantic | skill | note | log
    state: str = "current"  # current | archived | pending | draft


SEMANTIC, NOTE = Place("semantic"), Place("note")  # where facts that hold may stand


def place_of(path: str) -> Place | None:
    """The place of a vault path, or None where there can be no note."""
    folder, _, tail = path.partition("/")
    return (_FOLDER_RULES.get(folder, _NOTES) if tail else _NOTES)(tail, path.rpartition("/")[2])


BACKUPS = ("logseq/bak/", "logseq/version-files/")  # what Logseq keeps of earlier versions: never read


def page_name(stem: str) -> str:
    """The name of a page by that of its file: `Acme___Sales` and `Acme%2FSales` are `Acme/Sales` in Logseq."""
    return stem.replace("___", "/").replace("%2F", "/") if "___" in stem or "%2F" in stem else stem


def is_plain(path: str) -> bool:
    """True for a plain note: neither an episode nor facts, a skill or a log."""
    place = place_of(path)
    return place is not None and place.kind == "note"


def tells_how(path: str) -> bool:
    """True for files in `skills/`, archived ones too; skills need approval."""
    return path.removeprefix("archive/").startswith("skills/")


def _markdown(place: Place) -> Callable[[str, str], Place | None]:
    return lambda _rest, name: place if name.endswith(".md") else None


def _semantic(_rest: str, name: str) -> Place | None:
    if not name.endswith(".md"):
        return None
    return Place("note", "pending") if name.startswith("_") else Place("semantic")


def _skill(rest: str, name: str) -> Place | None:
    state = "draft" if rest.startswith("_drafts/") else "current"
    if name == "SKILL.md" or (name.endswith((".json", ".js", ".mjs")) and rest.count("/") <= 1):
        return Place("skill", state)
    return Place("note", state) if name.endswith(".md") else None


def _archive(rest: str, _name: str) -> Place | None:
    was = place_of(rest)
    return Place(was.kind if was.kind != "semantic" else "note", "archived") if was else None


def _log(_rest: str, name: str) -> Place | None:
    return Place("log") if name.endswith((".jsonl", ".md")) else None


_FOLDER_RULES: dict[str, Callable[[str, str], Place | None]] = {
    "episodes": _markdown(Place("episode")),
    "semantic": _semantic,
    "skills": _skill,
    "review": _markdown(Place("note", "pending")),
    "archive": _archive,
    "logs": _log,
    **dict.fromkeys(NO_NOTES, lambda _rest, _name: None),
}
_NOTES = _markdown(NOTE)


# Names that MemoryClaw creates: slugs, ids, episode files and runs. No text of a user or a log becomes a path
# unchecked.

_SLUG_LENGTH = 48
_NAME_BYTES = 255
_PATH_BYTES = 1024
_TOLD = 10
_DEVICE = late.pattern(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
_MARK = late.pattern(r'[<>:"|?*\\]')
_MINTED = late.pattern(r"[a-z0-9][a-z0-9_-]{0,95}")
_NOT_SLUG = late.pattern(r"[^a-z0-9]+")
_OWN_HIDDEN = frozenset({".gitignore", ".gitattributes"})
_CONTROL = late.pattern(r"[\x00-\x1f\x7f]")
_YEARS = range(1970, 2101)


def slug(text: str) -> str:
    """Joins the ASCII words of a text by `-`, cut at a word within 48 characters; `note` without any."""
    folded = fold(text).replace("'", "").replace("’", "").translate(SPELLED)
    words = _NOT_SLUG.sub("-", folded).strip("-")
    if len(words) > _SLUG_LENGTH:
        head, dash, _ = words[: _SLUG_LENGTH + 1].rpartition("-")
        words = head if dash else words[:_SLUG_LENGTH]
    return words or "note"


def utc(when: datetime) -> datetime:
    """Converts a moment to UTC, to the second; a moment without a zone is UTC."""
    moved = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    return moved.replace(microsecond=0)


def writable_moment(when: datetime) -> datetime:
    """The moment in UTC, for what is to be written; ClockError for a year that git, and whoever sorts by date, cannot have."""
    moment = utc(when)
    if moment.year not in _YEARS:
        raise ClockError(
            f"the clock says {moment:%Y-%m-%d}, so nothing is written: set the clock of this machine, or MEMORYCLAW_NOW, to a day from {_YEARS[0]} to {_YEARS[-1]}"
        )
    return moment


def timestamp(when: datetime) -> str:
    """`2025-04-08T14:32:10Z`."""
    return utc(when).replace(tzinfo=None).isoformat() + "Z"


def episode_name(when: datetime, text: str) -> str:
    """`YYYY-MM-DD_HH-MM-SS_slug.md`, in UTC."""
    moment = timestamp(when).rstrip("Z").replace("T", "_").replace(":", "-")
    return f"{moment}_{slug(text)}.md"


def run_id(verb: str, when: datetime, suffix: str) -> str:
    """`remember-20261121T101500-ab12cd`."""
    return f"{verb}-{writable_moment(when):%Y%m%dT%H%M%S}-{suffix}"


def free_name(path: str, is_taken: Callable[[str], bool]) -> str:
    """The first free name: the path itself, or with `-2`, `-3` … before its extension."""
    stem, dot, ext = path.rpartition(".")
    stem, ext = (stem, dot + ext) if dot else (path, "")
    number, name = 1, path
    while is_taken(name):
        number += 1
        name = f"{stem}-{number}{ext}"
    return name


def is_minted_id(text: str) -> bool:
    """True for ids in the form that MemoryClaw writes."""
    return _MINTED.fullmatch(text) is not None


def safe_path(path: str) -> str:
    """Returns the path if it stays in the vault and out of hidden folders; else InputError."""
    if path in _OWN_HIDDEN:
        return path
    names = path.split("/")
    if _CONTROL.search(path) or any(name in {"", ".", ".."} or name.startswith(".") for name in names):
        raise InputError(f"{path!r} is not a path inside the vault; use names like semantic/contacts.md")
    if too_long := length_trouble(path):
        raise InputError(f"{path[:60]!r}… {too_long}; shorten it")
    return path


def is_safe_path(path: str) -> bool:
    """True for a path that stays in the vault and out of hidden folders."""
    try:
        return bool(safe_path(path))
    except InputError:
        return False


def length_trouble(path: str) -> str:
    """Why a path is too long for a file; empty when it is not."""
    if any(len(os.fsencode(segment)) > _NAME_BYTES for segment in path.split("/")):
        return f"has a name longer than {_NAME_BYTES} bytes"
    if len(os.fsencode(path)) > _PATH_BYTES:
        return f"is longer than {_PATH_BYTES:,} bytes"
    return ""


def name_twins(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The paths that some system takes for one that comes before them: the first one, and the other."""
    firsts = dict[str, str]()
    for path in sorted(paths):
        first = firsts.setdefault(unicodedata.normalize("NFC", path).casefold(), path)
        if first != path:
            yield first, path


def name_troubles(paths: Collection[str], others: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """The paths that some system cannot hold, each with the reason; `others` are there as well.

    Such a file is well where it is, but it gets lost, or takes the place of another, where the vault is copied to that system.
    """
    candidates = {*paths}
    for first, path in name_twins({*candidates, *others}):
        if candidates & {first, path}:
            yield path, f"differs from {first!r} only in case or in the way its letters are encoded"
    for path in sorted(candidates):
        refused = ((name, _refusal(name)) for name in path.split("/"))
        yield from ((path, f"has the name {name!r}, which {reason}") for name, reason in refused if reason)


def name_notices(paths: Collection[str], others: Iterable[str]) -> list[str]:
    """The same for paths that come from elsewhere, in sentences, of which the first few stand for all."""
    sentences = [f"{path} {reason}" for path, reason in name_troubles(paths, others)]
    if (omitted := len(sentences) - _TOLD) > 0:
        sentences[_TOLD:] = [f"{omitted} more names are like that; `memoryclaw check` lists them"]
    return sentences


def _refusal(part: str) -> str:
    if _DEVICE.fullmatch(part):
        return "Windows keeps for a device"
    if part.endswith((".", " ")):
        return "Windows holds without its last dot or space"
    mark = _MARK.search(part)
    return f"Windows does not allow because of {mark[0]!r}" if mark else ""
