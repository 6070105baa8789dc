"""What only a person can say of a vault, and its settings do not yet: each question names the setting that an answer writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from memoryclaw.config import Config, load
from memoryclaw.errors import ConfigError, HistoryError, InputError
from memoryclaw.history.repository import History
from memoryclaw.late import NamedTuple
from memoryclaw.vault.audience import of_folders
from memoryclaw.vault.edits import with_setting
from memoryclaw.vault.layout import CONFIG_FILE, is_plain
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import decisions_of, fingerprint

KIND = "setting"
_NAMED = 3  # places that one sentence names
_SESSIONS = 3  # of a name, before it is asked about


class SettingChoice(NamedTuple):
    """One answer: what it means, and the setting that says so."""

    words: str
    key: str
    value: Any


class SettingQuestion(NamedTuple):
    """A question, what a yes may be, and what a no is remembered by."""

    subject: str
    what: str
    why: str
    answers: tuple[SettingChoice, ...]
    marks: tuple[str, ...]


def questions(context: WriteContext) -> Iterator[SettingQuestion]:
    """What is to be asked of the vault; nothing changes before it is answered."""
    try:
        config = load(Path(context.root))
    except ConfigError:  # every verb says what is wrong with the settings
        return
    yield from filter(None, (of_ignored(context, config), _of_owner(context, config)))


def of_ignored(context: WriteContext, config: Config) -> SettingQuestion | None:
    """What is to become of notes that git ignores, where nobody said so yet."""
    if not (ignored := _ignored(context, config)):
        return None
    decisions = decisions_of(context.root)
    places = [place for place in ignored if not decisions.is_rejected(_mark("ignored", place))]
    if not places:
        return None
    listed = ", ".join(places[:_NAMED]) + f" and {len(places) - _NAMED} more" * (len(places) > _NAMED)
    owned = {**config.folders, **{place.rstrip("/"): "owner" for place in places}}
    subject = f"What git ignores ({listed})"
    return SettingQuestion(
        subject,
        f"{subject}: should agents see these files?",
        "agents read them like any other note; approve keeps them for you alone, or with `--value 2` leaves them "
        "unread; reject leaves everything as it is",
        (
            SettingChoice("only me", "audience.folders", owned),
            SettingChoice(
                "do not read", "index.exclude", [*config.exclude, *(f"/{place}" for place in places)]
            ),
        ),
        tuple(_mark("ignored", place) for place in places),
    )


def _of_owner(context: WriteContext, config: Config) -> SettingQuestion | None:
    name, sessions = ("", 0) if config.owner else context.lookup.usual_speaker()
    if sessions < _SESSIONS or decisions_of(context.root).is_rejected(_mark("owner", name)):
        return None
    return SettingQuestion(
        "The owner of this vault",
        f"The owner of this vault: {name}?",
        f"{name} speaks in {sessions} sessions, and no `owner:` says whose memory this is; with a yes, `user`, `I` and {name} are one person",
        (SettingChoice(name, "vault.owner", name),),
        (_mark("owner", name),),
    )


def with_answer(question: SettingQuestion, number: int) -> Callable[[str], str]:
    """How the answer of this number, from 1, goes into the text of the settings."""
    if not 1 <= number <= len(question.answers):
        choices = "; ".join(f"{n}: {choice.words}" for n, choice in enumerate(question.answers, 1))
        raise InputError(f"say which answer holds, with --value: {choices}")
    choice = question.answers[number - 1]
    return lambda text: with_setting(text, choice.key, choice.value, CONFIG_FILE)


def _mark(kind: str, of: str) -> str:
    return fingerprint(KIND, kind, of)


def _ignored(context: WriteContext, config: Config) -> list[str]:
    """The folders of which git ignores every note, as high as they go, and the single notes that it ignores."""
    history = History(context.root)
    try:
        ignored = set(history.ignored_notes()) if history.git_dir else set()
    except HistoryError:
        return []
    notes = [path for path in context.lookup.paths() if is_plain(path)] if ignored else []
    ignored = {path for path in notes if path in ignored and of_folders(path, config.folders) != "owner"}
    if not ignored:
        return []
    committed = Counter(folder for path in notes if path not in ignored for folder in _folders(path))
    return sorted({next((f for f in _folders(path) if not committed[f]), path) for path in ignored})


def _folders(path: str) -> list[str]:
    """The folders that a path lies in, the highest first, each with its `/`."""
    folder_names = path.split("/")[:-1]
    return [f"{'/'.join(folder_names[:end])}/" for end in range(1, len(folder_names) + 1)]
