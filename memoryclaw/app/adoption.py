"""What a vault asks for, and what counts only where this person allows it on this machine."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from memoryclaw import config as settings
from memoryclaw import rooms
from memoryclaw.app.context import VaultContext, machine_zone, zone_name
from memoryclaw.app.review import Review
from memoryclaw.errors import ConflictError, MemoryClawError, NotFoundError
from memoryclaw.late import NamedTuple
from memoryclaw.model import grouped
from memoryclaw.text.prompts import one_line
from memoryclaw.vault.layout import CONFIG_FILE, DECISIONS_FILE
from memoryclaw.vault.permissions import doubts
from memoryclaw.version import __version__

_ANNOUNCED = "announced"  # in the user's own folder: a file for each vault that was opened
_LISTED = 5  # things that one sentence names
_SHOWN = 120  # characters of each


class Adoptable(NamedTuple):
    """One thing that is not obeyed before this person adopts it."""

    kind: str  # setting | decision | label
    what: str
    value: Any
    origin: str  # the file that asks for it
    allows: str

    @property
    def line(self) -> str:
        """It in a few words."""
        text = ", ".join(map(str, self.value)) if isinstance(self.value, list) else str(self.value)
        return one_line(f"{self.what}: {text}" if text else self.what)


def adoptable(context: VaultContext) -> list[Adoptable]:
    """Everything that this person can adopt."""
    ignored = context.config.ignored
    by_key = settings.known([key for key, _, _ in ignored])
    wanted = [Adoptable("setting", key, value, origin, by_key[key].why) for key, value, origin in ignored]
    return [*wanted, *(item for item, _ in _of_others(context))]


def _of_others(context: VaultContext) -> Iterator[tuple[Adoptable, rooms.queue.ReviewItem]]:
    """What waits in review because others decided or labelled it."""
    root = os.fspath(context.root)
    if not (doubts(root) or rooms.decisions.decisions_of(root).proposals):
        return
    for waiting in rooms.queue.of_others(context.write_context()):
        kind, origin = ("label", "the labels of notes") if waiting.widened else ("decision", DECISIONS_FILE)
        lines = [label.line for label in waiting.widened] or rooms.elsewhere.each_in_words(waiting.foreign)
        yield Adoptable(kind, waiting.id, lines, origin, waiting.why), waiting


def adopt(context: VaultContext, items: Sequence[Adoptable]) -> None:
    """Has these count for this person and this vault, as they were listed."""
    if chosen := {item.what: item.value for item in items if item.kind == "setting"}:
        context.identify()  # the folder is named after the vault's id
        _tell_own_settings(settings.own_vault_folder(os.environ, context.config.vault_id), chosen)
    for item in items:
        if item.kind != "setting":
            waiting = [
                entry
                for now, entry in _of_others(context)
                if (now.what, now.value) == (item.what, item.value)
            ]
            if not waiting:
                raise ConflictError(f"{item.what} has changed since it was shown; look at it again")
            Review(context).approve(waiting)


# Settings.


def remember_vault(root: Path) -> None:
    """Has the user's own settings name a vault as the one that counts where none is named. Raises InputError: they cannot say it."""
    _tell_own_settings(settings.own_folder(os.environ), {"vault.default": os.fspath(root)})


def remember_vectors(context: VaultContext, model: str) -> None:
    """Has the user's own settings for one vault turn vectors of a model on; off without one. Raises InputError: they cannot say it."""
    context.identify()  # the folder is named after the vault's id
    folder = settings.own_vault_folder(os.environ, context.config.vault_id)
    named = {"retrieval.vectorModel": model, "retrieval.blendStrategy": "weighted"} if model else {}
    _tell_own_settings(folder, {"retrieval.fallback": "vector" if model else "none", **named})


def is_temporary(root: Path) -> bool:
    """True for a folder below one whose contents go by themselves, unless the person's home is there too."""
    from tempfile import gettempdir

    real, home = (Path(os.path.realpath(path)) for path in (root, os.path.expanduser("~")))
    places = {os.path.realpath(place) for place in (gettempdir(), *_TEMPORARY)}
    return any(real.is_relative_to(place) for place in places) and not real.is_relative_to(home)


_TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - nothing is made there


def _tell_own_settings(folder: Path, values: Mapping[str, Any]) -> None:
    folder.mkdir(0o700, parents=True, exist_ok=True)
    where = os.fspath(folder / settings.OWN_FILE)
    try:
        read = rooms.files.read_file(os.fspath(folder), settings.OWN_FILE)
        text, digest = read.data.decode("utf-8", "surrogateescape"), read.digest
    except NotFoundError:
        text, digest = "", None
    for key, value in values.items():
        text = rooms.edits.with_setting(text, key, value, where)
    settings_bytes = text.encode("utf-8", "surrogateescape")
    rooms.files.write_file(os.fspath(folder), settings.OWN_FILE, settings_bytes, digest)


# What is told of a vault: always by `status` and `doctor`, and once by the first command of this person.


def announcements(context: VaultContext) -> list[str]:
    """What there is to tell of the vault now."""
    sentences = _unadopted(context)
    with suppress(MemoryClawError):  # what is told beside this says what is wrong
        # Of the index as it is: who tells how the vault stands changes nothing.
        if question := rooms.setting_questions.of_ignored(context.write_context(), context.config):
            sentences.append(f"{question.what} {question.why} (`memoryclaw review` has its id)")
    return sentences


def _unadopted(context: VaultContext) -> list[str]:
    by_origin = grouped((item.origin, item.line[:_SHOWN]) for item in adoptable(context))
    if not by_origin:
        return []
    listed = " and ".join(
        f"{', '.join(lines[:_LISTED])}{f' and {len(lines) - _LISTED} more' * (len(lines) > _LISTED)} ({origin})"
        for origin, lines in by_origin.items()
    )
    adopt_it = "`memoryclaw adopt` lists what each would permit, and allows it"
    return [f"ignored, because only you can allow it: {listed}; {adopt_it}"]


def news(context: VaultContext) -> list[str]:
    """What this user was not told yet of the vault, which is remembered as told from now on."""
    config = context.config
    # The name of the machine's zone, for the zone itself is looked up for what is new alone.
    depends_on = config.ignored, config.timezone or zone_name()
    state = f"{__version__} {zlib.crc32(repr(depends_on).encode()):08x}"
    root = os.fspath(context.root)
    name = f"{re.sub('[^a-z0-9]+', '-', os.path.basename(root).lower())[:40]}-{zlib.crc32(os.fsencode(root)):08x}"
    place = settings.own_folder(os.environ) / _ANNOUNCED / name
    try:
        before = place.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        before = []
    if before[:1] == [state]:
        return []
    was_used, sentences = context.state.is_dir(), list[str]()
    try:
        if was_used or config.ignored:
            sentences = _unadopted(context)
        if was_used:
            # The vault may be older than `timezone:`.
            zone = "" if context.config.timezone else machine_zone()
            sentences += [
                f"the vault has no time zone, so days are counted in UTC unless a turn has its own; `timezone: {zone}` in {CONFIG_FILE} counts them as this machine does"
            ] * bool(zone)
    except (MemoryClawError, OSError):
        return []  # the verb itself says what is wrong
    marks = {f"{zlib.crc32(sentence.encode()):08x}": sentence for sentence in sentences}
    with suppress(OSError):
        place.parent.mkdir(0o700, parents=True, exist_ok=True)
        place.write_text("\n".join([state, *dict.fromkeys([*before[1:], *marks])]) + "\n", encoding="utf-8")
    return [sentence for mark, sentence in marks.items() if mark not in before]
