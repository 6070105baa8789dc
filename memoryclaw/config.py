"""Reads the settings of a vault and those of its user into a frozen Config. All defaults are in `data/settings.toml`; docs/reference/settings.md is generated from them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memoryclaw import late
from memoryclaw.errors import ConfigError, InputError
from memoryclaw.extensions import ENGINES, extra_settings
from memoryclaw.late import NamedTuple
from memoryclaw.model import AGENT, EVERYBODY, NOTHING
from memoryclaw.text import words as lists
from memoryclaw.text.dates import zone_of
from memoryclaw.vault.audience import common_audience, label_of, of_folders
from memoryclaw.vault.layout import (
    CONFIG_FILE,
    MOVABLE,
    STATE_DIR,
    places,
    put_folders,
    put_only_read,
    valid_places,
)

OWN_FILE = "config.yaml"  # of the user, for all vaults, or in the folder of one
VAULTS = "vaults"
MOST_LISTED = 100_000  # matches, notes, changes
DRAWN = 500  # nodes of the graph, unless more are asked for
BESIDE = 20  # neighbours of a node
LEAST_BUDGET, MOST_BUDGET = 80, 100_000  # tokens; below the least the framing leaves no room for a memory
# The newest format of a vault's files that is known; `writing.migration` tells what each one changed.
FORMAT = 2
HOST_SKILLS = "host-skills"  # in the state folder: copies of approved skills that hosts read
LATEST = "latest.json"  # in the state folder: a fresh context for hosts that read a file
_CACHE = "config.json"
_VAULT_ID = late.pattern(r"[0-9a-f]{32}")
LANGUAGES = ("ar", "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "none", "pt", "ro", "ru", "sv", "tr")  # fmt: skip


class Verdict(NamedTuple):
    """What a vault may do to a setting: `counts` tells the value in force from the user's own and the vault's."""

    name: str
    counts: Callable[[Any, Any], Any]


def _narrows(width: Callable[[Any], Any] = lambda value: value) -> Verdict:
    """A vault's value counts where it is no wider than the user's own."""
    return Verdict("only narrower", lambda own, vault: vault if width(vault) <= width(own) else own)


def _no_models(own: tuple[str, ...], vault: tuple[str, ...]) -> tuple[str, ...]:
    return own if {name.lower() for name in vault} - {"none"} else vault


def _fewer_see(own: Mapping[str, Any], vault: Mapping[str, Any]) -> Mapping[str, Any]:
    """The labels of both; a vault's takes from those who see a folder, and adds nobody."""
    labels = dict(own)
    for folder, value in vault.items():
        if (audience := label_of(value)) != EVERYBODY:
            label = common_audience(of_folders(folder, own) or AGENT, audience)
            labels[folder] = value if label == audience else label
    return labels


OBEYED = Verdict("yes", lambda _own, vault: vault)
OWN = Verdict("no", lambda own, _vault: own)
ONLY_THERE = Verdict("only there", lambda _own, vault: vault)


class Setting(NamedTuple):
    """One key of the settings: its default, what it may be, what it does, and whether a vault may set it."""

    key: str
    default: Any
    allowed: tuple[str, ...] | type
    about: str
    verdict: Verdict
    why: str
    least: float = 0
    most: float = 1_000_000


_VERDICTS = {
    "yes": OBEYED,
    "no": OWN,
    "only there": ONLY_THERE,
    "narrower": _narrows(),
    "no models": Verdict("only narrower", _no_models),
    "fewer see": Verdict("only narrower", _fewer_see),
    "no server": _narrows(lambda engine: engine in ENGINES),
    "no vectors": _narrows(lambda fallback: fallback != "none"),
    "more approvals": _narrows({"propose": 0, "branch": 1, "direct": 2}.__getitem__),
}
_KINDS = {"text": str, "yes or no": bool, "list": tuple, "map": dict, "whole": int, "number": float}
_CHOICES = {"{engines}": ("fts5", "whoosh", *ENGINES), "{languages}": LANGUAGES}
_SECTIONS = (
    "index", "retrieval", "llm", "consolidation", "serve", "mcp", "skills", "openclaw", "audience", "paths", "git", "vault",
)  # fmt: skip


def _settings() -> Iterator[Setting]:
    """The settings, as `data/settings.toml` has them, and one for the place of each folder."""
    reasons = dict(line.split(": ", 1) for line in lists.lines("settings.why"))
    for section in _SECTIONS:
        lines = lists.lines(f"settings.{section}")
        for row, about in zip(lines[::2], lines[1::2], strict=True):
            name, kind, default, verdict, why = row.split(" | ")
            allowed, limits = _allowed(kind)
            value: Any = json.loads(default) if allowed in (bool, int, float) else default
            if allowed in (tuple, dict):
                value = allowed()
            setting = Setting(
                f"{section}.{name}", value, allowed, about.strip().replace("{format}", str(FORMAT)),
                _VERDICTS[verdict], reasons.get(why, why), *limits,
            )  # fmt: skip
            for folder in MOVABLE if section == "paths" else ():
                key, text = (text.replace("{folder}", folder) for text in (setting.key, setting.about))
                yield setting._replace(key=key, default=folder, about=text)
            if section != "paths":
                yield setting


def _allowed(kind: str) -> tuple[Any, tuple[float, ...]]:
    """What a value may be, and the least and the most of a number where they are other than usual."""
    name, _, limits = kind.replace("{budget}", f"{LEAST_BUDGET}..{MOST_BUDGET}").partition(" ")
    if name not in ("whole", "number"):
        return _KINDS.get(kind) or _CHOICES.get(kind) or tuple(kind.split(", ")), ()
    return _KINDS[name], tuple(float(limit) for limit in limits.split("..") if limit)


SETTINGS = tuple(_settings())


class Config(NamedTuple):
    """The settings in force for one vault."""

    root: Path
    engine: str
    language: str
    exclude: tuple[str, ...]
    max_results: int
    budget: int
    min_primary_results: int
    min_coverage: float
    fallback: str
    vector_model: str
    blend_strategy: str
    primary: str
    chain: tuple[str, ...]
    model: str
    url: str
    openai_model: str
    openai_url: str
    timeout: float
    retries: int
    command: tuple[str, ...]
    allow_remote: bool
    mode: str
    interval: int
    skill_threshold: int
    gap: int
    idle: int
    loss_budget: float
    host: str
    port: int
    rate: int
    servers: Mapping[str, Any]
    tool_timeout: float
    tool_host: str
    gateway_url: str
    allow_remote_gateway: bool
    folders: Mapping[str, Any]
    tokens: Mapping[str, Any]
    relays: tuple[str, ...]
    track_logs: bool
    track_ledger: bool
    format: int
    vault_id: str
    timezone: str
    owner: str
    own_vault: str
    notices: tuple[str, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    extra: Mapping[str, Any] = NOTHING  # by key: what extensions read, where a file sets any of it


def here() -> Path:
    """The working directory; the root of the file system if it no longer exists."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")


def find_root(given: str | None, environ: Mapping[str, str], cwd: Path) -> Path:
    """The vault's folder: as given, `$MEMORYCLAW_VAULT`, the nearest memoryclaw.yaml upwards, the user's own, else the default."""
    chosen = given or environ.get("MEMORYCLAW_VAULT")
    if chosen:
        return Path(os.path.abspath(os.path.expanduser(chosen)))
    for folder in (cwd, *cwd.parents):
        if (folder / CONFIG_FILE).is_file():
            return folder
    home = Path(environ.get("HOME") or os.path.expanduser("~"))
    return own_vault(environ) or home / ".memoryclaw" / "vault"


def own_vault(environ: Mapping[str, str]) -> Path | None:
    """The vault that the user's own settings name; None where they name none."""
    own, cache = own_folder(environ) / OWN_FILE, _home(environ, "XDG_CACHE_HOME", ".cache") / _CACHE
    chosen = _own(own, _read_file(own, cache), [], _BY_KEY).get("vault.default")
    home = environ.get("HOME") or os.path.expanduser("~")
    return Path(os.path.normpath(os.path.join(home, os.path.expanduser(chosen)))) if chosen else None


def notes_here(given: str | None, environ: Mapping[str, str], cwd: Path) -> Path | None:
    """The folder of notes that nobody made a vault yet, and that a person in `cwd` may mean; None where a vault was named.

    It is the nearest one upwards that Obsidian or git knows and that holds a note in it or right below.
    """
    if given or environ.get("MEMORYCLAW_VAULT"):
        return None
    home = Path(environ.get("HOME") or os.path.expanduser("~"))
    for folder in (cwd, *cwd.parents):
        if folder == home:
            break
        if (folder / ".obsidian").is_dir():
            return folder
        if (folder / ".git").exists():
            return folder if any(any(folder.glob(notes)) for notes in ("*.md", "[!.]*/*.md")) else None
    return None


def own_folder(environ: Mapping[str, str]) -> Path:
    """The folder of what is the user's own and no vault's: settings, agreements, the key of redaction fingerprints.

    In the state folder the key would be lost when that is deleted, and the same secret would get another fingerprint; beside
    the logs it would be copied with them, and anyone with a copy could test passwords against the fingerprints.
    """
    return _home(environ, "XDG_CONFIG_HOME", ".config")


def own_vault_folder(environ: Mapping[str, str], vault_id: str) -> Path:
    """The folder of what the user allows one vault; `vault_id` is the `Config.vault_id` of the vault, and not empty."""
    return own_folder(environ) / VAULTS / vault_id


def is_vault_id(text: str) -> bool:
    """True for what may name a vault, and so a folder."""
    return _VAULT_ID.fullmatch(text) is not None


def _home(environ: Mapping[str, str], name: str, default: str) -> Path:
    home = environ.get(name) or os.path.join(environ.get("HOME") or os.path.expanduser("~"), default)
    return Path(home) / "memoryclaw"


class Ignored(NamedTuple):
    """What a vault's settings ask for, and what counts only in the user's own settings."""

    key: str
    value: Any  # as it is written
    origin: str


def load(
    root: Path, environ: Mapping[str, str] = os.environ, overrides: Mapping[str, Any] = NOTHING
) -> Config:
    """Loads the Config of the vault at `root`; a missing file means defaults, an invalid value is a ConfigError.

    What a vault says counts as far as the verdict on each setting lets it; all else is the user's own: `config.yaml` in
    `own_folder`, and in `own_vault_folder` for this vault alone. `overrides` are fields that are other than the settings say.
    """
    own_file, vault = own_folder(environ) / OWN_FILE, root / CONFIG_FILE
    cache = _home(environ, "XDG_CACHE_HOME", ".cache")
    # A cache in a vault comes with the vault, so it never holds what is the user's own.
    written = _read_file(vault, root / STATE_DIR / _CACHE)
    vault_id = overrides.get("vault_id", str(written.get("vault.id", "")))
    notices: list[str] = []
    own_text, place, chosen_text = _read_file(own_file, cache / _CACHE), own_file, dict[str, Any]()
    if is_vault_id(vault_id):
        place = own_vault_folder(environ, vault_id) / OWN_FILE
        chosen_text = _read_file(place, cache / VAULTS / vault_id / _CACHE)
    settings = known({*written, *own_text, *chosen_text})
    mine = _own(own_file, own_text, notices, settings)
    chosen = _own(place, chosen_text, notices, settings)  # by the user, for this vault
    values = {s.key: s.default for s in settings.values()} | mine
    values |= {
        key: {**values[key], **value} if isinstance(value, dict) else value for key, value in chosen.items()
    }
    ignored = []
    for key, value in written.items():
        setting = settings.get(key)
        if setting is None:
            notices.append(f"{CONFIG_FILE}: there is no setting {key!r}; it was ignored")
        elif value is not None and not (setting.verdict is OBEYED and key in chosen):
            values[key], is_obeyed = _weigh(setting, values[key], value)
            if not is_obeyed:
                ignored.append(Ignored(key, value, CONFIG_FILE))
                text = ", ".join(map(str, value)) if isinstance(value, list) else value
                is_alone = setting.verdict is OWN or isinstance(value, dict)
                subject = key if is_alone else f"{key}: {text}"
                only = f"{subject} is read only from your own settings"
                notices.append(f"{CONFIG_FILE}: {only}, {own_file}; it was ignored")
    if values["vault.id"] and not is_vault_id(values["vault.id"]):
        notices.append(f"{CONFIG_FILE}: vault.id must have 32 hex digits; it was ignored")
        values["vault.id"] = ""
    number = values["vault.format"]
    limit = f"this MemoryClaw knows no format newer than {FORMAT}, so it only reads here; update MemoryClaw to write"
    newer = f"{CONFIG_FILE}: the vault has format {number}, and {limit}" * (number > FORMAT)
    notices += [newer] * bool(newer)
    put_only_read(os.fspath(root), newer)
    put_folders(os.fspath(root), _moves({name: values.pop(f"paths.{name}") for name in MOVABLE}))
    mapping = places(os.fspath(root))
    values["audience.folders"] = {
        mapping.name_of(str(folder).strip("/")): label for folder, label in values["audience.folders"].items()
    }
    fields = {_field(key): value for key, value in values.items() if key in _BY_KEY}
    extra = {key: value for key, value in values.items() if key in settings.keys() - _BY_KEY.keys()}
    config = Config(root=root, notices=tuple(notices), ignored=tuple(ignored), extra=extra, **fields)
    return config._replace(**overrides)


SettingsStamp = tuple[tuple[int, int, int], ...]  # inode, size and time of each file


def stamp(root: Path, vault_id: str = "", environ: Mapping[str, str] = os.environ) -> SettingsStamp:
    """Tells one state of the files that `load` reads from another."""
    mine = [own_vault_folder(environ, vault_id) / OWN_FILE] if vault_id else []
    stamps = []
    for path in (root / CONFIG_FILE, own_folder(environ) / OWN_FILE, *mine):
        try:
            info = os.stat(path)
            stamps.append((info.st_ino, info.st_size, info.st_mtime_ns))
        except OSError:
            stamps.append((0, 0, 0))
    return tuple(stamps)


def known(keys: Collection[str]) -> Mapping[str, Setting]:
    """All settings by key; those of extensions only where one of these keys is none of ours, as to look for them takes time."""
    if _BY_KEY.keys() >= set(keys):
        return _BY_KEY
    return _BY_KEY | {setting.key: setting for setting in extra_settings()}


def _own(
    path: Path, written: Mapping[str, Any], notices: list[str], settings: Mapping[str, Setting]
) -> dict[str, Any]:
    """The settings in a file of the user's own; `notices` is told what it cannot say."""
    values, where = {}, os.fspath(path)
    for key, value in written.items():
        setting = settings.get(key)
        if setting is None:
            notices.append(f"{where}: there is no setting {key!r}; it was ignored")
        elif setting.verdict is ONLY_THERE:
            notices.append(f"{where}: {key} is read only from the settings of a vault; it was ignored")
        elif value is not None:
            values[key] = _check(where, setting, value)
    return values


def _weigh(setting: Setting, own: Any, value: Any) -> tuple[Any, bool]:
    """The value in force, and whether it is what the vault asks for."""
    try:
        parsed = _check(CONFIG_FILE, setting, value)
    except ConfigError:
        if setting.verdict is OWN:
            return own, False
        raise
    counts = setting.verdict.counts(own, parsed)
    if isinstance(parsed, dict):
        return counts, all(counts.get(name) == inner for name, inner in parsed.items())
    return counts, counts == parsed


def paths_in(text: str) -> dict[str, str]:
    """Where settings with this text put folders, by their names. Raises ConfigError: they cannot be used."""
    settings = _parse(Path(CONFIG_FILE), text)
    targets = {name: settings.get(f"paths.{name}") for name in MOVABLE}
    return _moves({name: place for name, place in targets.items() if place is not None})


def _moves(asked: Mapping[str, Any]) -> dict[str, str]:
    try:
        return valid_places(asked)
    except InputError as error:
        raise ConfigError(f"{CONFIG_FILE}: paths.{error}") from None


_RENAMED = {"vault.id": "vaultId", "vault.default": "ownVault"}  # `llm.url` was there first


def _field(key: str) -> str:
    name = _RENAMED.get(key) or key.rpartition(".")[2]
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


def _read_file(path: Path, cache: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}); check its permissions") from error
    if all(not line or line.startswith(b"#") for line in data.split(b"\n")):
        return {}
    # Importing a YAML parser costs more than a search, so the parsed values are cached with their text.
    text = data.decode("utf-8", "replace")
    try:
        cached = json.loads(cache.read_bytes())
        if cached["text"] == text:
            return dict(cached["values"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    values = _parse(path, text)
    temporary, flags = cache.with_name(f"config.{os.getpid()}.tmp"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with suppress(OSError):  # a cache that cannot be written is only slower
        if cache.parent.name != STATE_DIR:  # a vault's is made by who writes there
            cache.parent.mkdir(0o700, parents=True, exist_ok=True)
        if not cache.parent.is_symlink():
            with open(os.open(temporary, flags | os.O_NOFOLLOW, 0o600), "w", encoding="utf-8") as file:
                json.dump({"text": text, "values": values}, file)
            temporary.replace(cache)
            from memoryclaw.vault.files import is_running  # noqa: PLC0415 - rare

            for remnant in cache.parent.glob("config.*.tmp"):  # by who was killed
                if (pid := remnant.name.split(".")[1]).isdecimal() and not is_running(int(pid)):
                    remnant.unlink()
    return values


_ALONE = {"timezone", "owner"}  # keys of `vault:` that may stand by themselves


def _parse(path: Path, text: str) -> dict[str, Any]:
    from memoryclaw.text import yaml_text  # noqa: PLC0415 - only where the file changed

    parsed = yaml_text.load(text, 1)
    if parsed.problems:
        problem = parsed.problems[0]
        raise ConfigError(f"{path}:{problem.line}: {problem.message}; {problem.hint}".rstrip("; "))
    if parsed.value is None:
        return {}
    if not isinstance(parsed.value, dict):
        raise ConfigError(f"{path}:1: settings must be `section:` with `key: value` lines below it")
    alone = {f"vault.{key}": parsed.value.pop(key) for key in _ALONE & parsed.value.keys()}
    sections = {section: keys for section, keys in parsed.value.items() if keys is not None}
    for section, keys in sections.items():
        if not isinstance(keys, dict) and section in _SECTIONS:
            raise ConfigError(f"{path}: {section!r} must hold `key: value` lines, not {keys!r}")
    # Keys that no section knows are reported, with lines below them or without.
    alone |= {str(section): keys for section, keys in sections.items() if not isinstance(keys, dict)}
    lines = ((section, keys) for section, keys in sections.items() if isinstance(keys, dict))
    return alone | {f"{section}.{key}": keys[key] for section, keys in lines for key in keys}


def _check(where: str, setting: Setting, value: Any) -> Any:
    allowed = setting.allowed
    if isinstance(allowed, tuple):
        return _one_of(where, setting, allowed, str(value).lower())
    if allowed is bool:
        return _one_of(where, setting, ("true", "false", "yes", "no"), str(value).lower()) in ("true", "yes")
    if allowed is tuple:
        return tuple(str(v) for v in value) if isinstance(value, list) else (str(value),)
    if allowed is dict:
        if not isinstance(value, dict):
            raise ConfigError(f"{where}: {setting.key} must hold names with `key: value` lines below each")
        return value
    if setting.key == "vault.timezone" and value and zone_of(str(value)) is None:
        sentence = f"{where}: {setting.key} cannot be {value!r}"
        raise ConfigError(f"{sentence}; give a name such as Europe/Berlin, or an offset such as -08:00")
    if allowed is str:
        return str(value)
    return _number(where, setting, str(value))


def _one_of(where: str, setting: Setting, allowed: tuple[str, ...], value: str) -> str:
    if value not in allowed:
        raise ConfigError(f"{where}: {setting.key} cannot be {value!r}; choose one of {', '.join(allowed)}")
    return value


def _number(where: str, setting: Setting, value: str) -> Any:
    try:
        number = int(value) if setting.allowed is int else float(value)
    except ValueError:
        raise ConfigError(f"{where}: {setting.key} must be a number, not {value!r}") from None
    if not setting.least <= number <= setting.most:
        raise ConfigError(
            f"{where}: {setting.key} must be between {setting.least:g} and {setting.most:g}, not {value}"
        )
    return number


_BY_KEY = {s.key: s for s in SETTINGS}
