"""What the verbs of one open vault share: its files, settings, index, ledger and clock."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, TypeVar, cast

from memoryclaw import config as settings
from memoryclaw import errors, late, rooms
from memoryclaw.extensions import ENGINES, extension
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.database import Database
from memoryclaw.index.index import Index, open_index
from memoryclaw.index.stemming import language
from memoryclaw.index.sync import Following, Freshness, Sync, brought_up, fresh, healed
from memoryclaw.model import AGENT, NOTHING, OWNER, Answer
from memoryclaw.ports import IndexDatabase, Progress, ServerEngine, TextIndex
from memoryclaw.text.dates import offset_at, zone_of
from memoryclaw.vault import files
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.layout import writable_moment
from memoryclaw.vault.permissions import OwnStore, Store, moves_file, put_store, store_of
from memoryclaw.vault.state_folder import WAIT, is_initialised, must_hold_no_link, read_mark, state_folder

_INDEXES = ("_whole", "_view")
_PAUSE = 0.05
_LOOKS = 5  # at an index that another process replaces meanwhile
_REPLACED = "another process keeps the index of this vault with other settings; end it, or restart it with the current ones"
AUDIENCES = "audience"  # the folder of their indexes
Clock = Callable[[], datetime]
Opener = Callable[[str], tuple[IndexDatabase, TextIndex]]  # of a recipe
T = TypeVar("T")
A = TypeVar("A", bound=Answer)
R = TypeVar("R", bound="rooms.recall.Recalled")


def system_clock() -> datetime:
    """The time in UTC; `$MEMORYCLAW_NOW` sets it, so that answers can be repeated."""
    fixed = os.environ.get("MEMORYCLAW_NOW")
    if not fixed:
        return datetime.now(UTC)
    sentence = f"MEMORYCLAW_NOW is {fixed!r}"
    try:
        moment = datetime.fromisoformat(fixed)
    except ValueError:
        raise errors.InputError(f"{sentence}; give an ISO time such as 2026-03-01T12:00:00Z") from None
    try:
        writable_moment(moment)
    except OverflowError:  # in a zone that makes it another year
        raise errors.InputError(f"{sentence}, which is not a time in UTC") from None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def machine_offset(ts: str) -> str:
    """The offset of this machine's zone at a moment in UTC; empty where it keeps UTC, which says nothing of where somebody is."""
    try:
        offset = offset_at(ts, datetime.fromisoformat(ts).astimezone().tzinfo)
    except (OverflowError, OSError):  # in years that the machine's clock does not know
        return ""
    return offset or ("+00:00" if machine_zone() else "")


def repository_of(folder: str, vault: str = "") -> str:
    """The name of the repository that a folder is in; empty in none, in the home folder's and in the vault's own."""
    if not os.path.isabs(folder):
        return ""
    for place in (Path(folder), *Path(folder).parents):
        marker = place / ".git"
        with suppress(OSError):
            if os.path.lexists(marker):
                if place == Path.home() or os.path.realpath(place) == os.path.realpath(vault):
                    return ""
                # A file is that of another work tree.
                text = marker.read_text("utf-8", "replace")[:4096] if marker.is_file() else ""
                main = text.removeprefix("gitdir:").strip().partition("/.git/worktrees/")
                return os.path.basename(main[0]) if main[1] else place.name
    return ""


def zone_name() -> str:
    """What this machine calls its zone, whether there is one of that name or not."""
    return os.environ.get("TZ") or os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]


def machine_zone() -> str:
    """The IANA name of this machine's zone; empty where it has none, or keeps UTC."""
    name = zone_name()
    return name if zone_of(name) and name not in ("UTC", "Etc/UTC", "GMT") else ""


def new_id() -> str:
    """Six random hex digits."""
    return os.urandom(3).hex()


def new_vault_id() -> str:
    """A random id for a vault."""
    return os.urandom(16).hex()


class VaultContext:
    """One vault's files, settings, index, ledger and clock, each opened on first use.

    An audience that does not see everything has an index of its own, of what it sees: so whatever a verb answers, counts or
    suggests comes from nothing else. The agent's is that of the owner while there is nothing that the agent may not see.

    Args:
        patience: seconds that a live watcher is given to say that the index is in line, before the files are looked at.
        overrides: fields of its `Config` that are other than its settings say.
        kept: says how fresh the index is, of one that another process keeps: no file is looked at, then.
        may: asked with the open transaction before an index on a server is written; may raise.
        permissions: where this person's permissions are kept; in their own folder, if nothing else is said.
        listening: it stays, and hears what changes in the vault where no watcher tells it.
    """

    def __init__(
        self,
        root: Path,
        *,
        clock: Clock = system_clock,
        progress: Progress | None = None,
        patience: float = WAIT,
        audience: str = OWNER,
        overrides: Mapping[str, Any] = NOTHING,
        kept: Callable[[], Freshness] | None = None,
        may: Callable[[Any], None] | None = None,
        permissions: Store | None = None,
        listening: bool = False,
    ) -> None:
        self.root = root
        self.clock = clock
        self.audience = audience
        Vault(root).must_exist()
        must_hold_no_link(state_folder(root))
        self.config = settings.load(root, os.environ, overrides)
        self._permissions = permissions
        self._put_store()
        self._kept = kept
        self._may = may
        self._listening = listening
        self.vault = Vault(root, audience, self.config.folders, self.config.timezone, self.config.exclude)
        self._sees_all = audience == OWNER
        self.progress = progress
        self.freshness = Freshness()  # of the last verb that read
        self.asked: float | None = None  # when the next verb was asked for, by the monotonic clock
        self.only_looks = False  # and so was every verb until further notice: none of them writes
        # What the first of those verbs came upon, which holds for all of them.
        self.looked: Freshness | None = None
        self.patience = patience
        self._seen_moves = 0, -1  # git's record of moves when it was looked through: which file, and how long

    def _put_store(self) -> None:
        name = self.config.vault_id
        folder = os.fspath(settings.own_vault_folder(os.environ, name)) if name else ""
        put_store(os.fspath(self.root), self._permissions or OwnStore(folder))

    def identify(self) -> None:
        """Gives a vault an id where it needs one and has none: a line of its settings, and a commit of its own.

        Raises:
            ConfigError: its settings say something else that is no id.
            InputError: its settings cannot be told an id.
        """
        if self._permissions is not None or self.config.vault_id:
            return
        rooms.identity.identify(self.write_context(), new_vault_id())
        self.reload()

    def reload(self) -> None:
        """Takes in the id that the vault has now."""
        self.config = self.config._replace(vault_id=settings.load(self.root).vault_id)
        self._put_store()

    def begin(self) -> None:
        """Has what a clone, or a pull by hand, brought wider than it held here be in doubt; what it last saw stands in the user's own folder."""
        if self._permissions is not None or self._kept is not None:
            return
        root = os.fspath(self.root)
        try:
            record = self._record_of_moves(f"{root}/.git")
        except OSError:
            return
        moves = record.st_ino, record.st_size
        if moves == self._seen_moves or not (place := moves_file(root)):
            return
        seen_file, seen_size = self._seen_moves
        if moves[0] == seen_file and moves[1] > seen_size and rooms.widened.is_own_work(root, seen_size):
            self._seen_moves = moves
            return
        known_size, _, last = read_mark(*os.path.split(place)).partition(" ")
        if known_size != str(record.st_size):
            try:
                last = rooms.widened.look_through(self.write_context(), last)
            except errors.InputError:  # the clock is wrong: a verb that writes says so
                return
            with suppress(OSError):
                os.makedirs(os.path.dirname(place), 0o700, exist_ok=True)
                Path(place).write_text(f"{record.st_size} {last}\n", encoding="ascii")
            self._put_store()
        self._seen_moves = moves

    def _record_of_moves(self, place: str) -> os.stat_result:
        """Git's record of the branch's moves, wherever the repository of the vault is kept."""
        try:
            return os.stat(f"{place}/logs/HEAD")
        except (FileNotFoundError, NotADirectoryError):
            # A worktree, or a larger repository; else there is none.
            if not any(os.path.lexists(f"{folder}/.git") for folder in (self.root, *self.root.parents)):
                raise
            return os.stat(f"{rooms.repository.History(os.fspath(self.root)).git_dir}/logs/HEAD")

    def renamed(self, name: str) -> None:
        """Keeps what was permitted in the vault for the id that it is about to have, too."""
        if self._permissions is None and self.config.vault_id:
            own = store_of(os.fspath(self.root))
            OwnStore(os.fspath(settings.own_vault_folder(os.environ, name))).append(own.read())

    def read_again(self) -> None:
        """Brings the index in line with the files as they are read from now on, beside a live watcher too."""
        healed(self._whole, self.sync.run)

    # ── The parts

    @cached_property
    def state(self) -> Path:
        """The folder of what is derived from the files."""
        return Path(state_folder(self.root))

    @property
    def index(self) -> Index:
        """The index of what the audience sees, opened or made on first use."""
        return self._whole if self._sees_all else self._view

    @property
    def catalog(self) -> Catalog:
        """The index's tables, for reading."""
        return Catalog(self.index.database, self.config.owner)

    @cached_property
    def _whole(self) -> Index:
        return self.index_in(self.state, elsewhere=self._elsewhere(""))

    @cached_property
    def _view(self) -> Index:
        return self.index_in(self.state / AUDIENCES / self.audience, elsewhere=self._elsewhere(self.audience))

    @cached_property
    def ledger(self) -> rooms.ledger.Ledger:
        """The usage record."""
        return rooms.ledger.Ledger(os.fspath(self.root))

    def strengths(self, today: date | None = None) -> rooms.strength.Strengths | None:
        """How strongly memories are remembered today, or on another day; None where nothing was ever cited or rated.

        For the owner, and the agent whose replies tell it: to others it would tell what those two talk of.
        """
        if self.audience not in (OWNER, AGENT):
            return None
        record = self.ledger.record()
        if not record.used_ids:
            return None
        return rooms.strength.Strengths(record, today or self.today, self.catalog.merged_ids())

    @cached_property
    def recorder(self) -> rooms.capture.Recorder:
        """Writes to the logs; the first use makes the user's key where there is none."""
        key = rooms.secret_gate.secret_key(os.fspath(settings.own_folder(os.environ)))
        return rooms.capture.Recorder(
            rooms.log_files.Logs(os.fspath(self.root)),
            rooms.redaction.Redactor(key.key),
            self.clock,
            zone=machine_offset,
            project=lambda folder: repository_of(folder, os.fspath(self.root)),
            notice=key.notice,
        )

    @property
    def wants_vectors(self) -> bool:
        """Whether the settings ask for vectors (`retrieval.fallback: vector`); they are kept of the whole vault alone."""
        return bool(self.config.fallback == "vector") and self._sees_all

    @cached_property
    def vectors(self) -> rooms.vectors.Vectors:
        """The vectors of what the index holds."""
        vectors, engine, follows = rooms.vectors, self._engine, self._kept is not None
        made = engine.vectors(self._whole.database, follows=follows) if engine else vectors.Vectors
        store = rooms.vector_store.VectorStore(self.state, self.config.vector_model)
        embedder = vectors.embedder_of(self.config)
        outgoing = self.outgoing(text_of=lambda unit: vectors.vector_text(unit.kind, unit.title, unit.text))
        return made(store, embedder, self.catalog, outgoing=outgoing)

    def outgoing(self, **how: Any) -> rooms.outgoing.Outgoing:
        """The gate through which what the index holds leaves this machine."""
        return rooms.outgoing.Outgoing(self._owners_vault, self._whole, **how)

    def leaving(self, audience: str = AGENT) -> Callable[[str, int], bool]:
        """Tells whether a line of a file, counted from 1, may leave; line 0 stands for all of it."""

        @cache
        def gate() -> rooms.outgoing.Outgoing:
            return self.outgoing(audience=audience)

        @cache
        def hidden(path: str) -> frozenset[int] | None:
            file = self.vault.read(path)
            return gate().hidden_lines(path, file[0]) if file else None

        def may_leave(path: str, line: int) -> bool:
            lines = hidden(path)
            return lines is not None and (line not in lines if line else not lines)

        return may_leave

    @property
    def _owners_vault(self) -> Vault:
        return Vault(self.root, OWNER, self.config.folders, self.config.timezone, self.config.exclude)

    @property
    def sync(self) -> Sync:
        """Brings the index of everything in line with the files."""
        vault = self._owners_vault
        vault.entered = self._listener.enter if self._listener else None
        return Sync(vault, self._whole, renamed=self._renamed, progress=self.progress)

    @cached_property
    def _listener(self) -> rooms.listener.Listener | None:
        return rooms.listener.Listener(self.root, self.state) if self._listening else None

    @property
    def today(self) -> date:
        """The day by the clock, in the zone of the vault."""
        return self.clock().astimezone(zone_of(self.config.timezone) or UTC).date()

    def build_in(self, folder: Path) -> Index:
        """A second index of the same vault, built in a folder."""
        index = self.index_in(folder)
        Sync(self.vault, index, progress=self.progress).run()
        return index

    def copy_in(self, folder: Path) -> Index:
        """A second index, in a folder, that knows what the index knows; built anew of an engine whose files are sealed where they are."""
        database = self.index.database
        if self.config.engine != "fts5" or not isinstance(database, Database):
            return self.build_in(folder)
        database.copy_to(folder)
        return self.index_in(folder)

    def close(self) -> None:
        """Closes the index; the next verb opens it again."""
        for index in _INDEXES:
            if index in self.__dict__:  # else nothing was opened
                self.__dict__[index].database.close()
        if "vectors" in self.__dict__:
            self.vectors.store.close()
        if listener := self.__dict__.pop("_listener", None):
            listener.close()

    # ── Carrying out a verb

    def allow(self, *audiences: str) -> None:
        """Raises ForbiddenError unless the caller is one of these audiences."""
        if self.audience not in audiences:
            raise errors.ForbiddenError(
                f"only the {' or the '.join(audiences)} may do this, and this caller's audience is {self.audience}"
            )

    def sees(self, path: str, *, audience: str = "") -> bool:
        """Whether an audience, the caller's when none is named, sees all of a file."""
        vault = self._owners_vault
        file = vault.read(path)
        return file is None or not vault.is_partial(path, file[0], audience or self.audience)

    def refresh(self) -> Freshness:
        """Brings the index in line with the files, or relies on a live watcher that has done so, or on who keeps it."""
        if self._kept is not None:
            # Looks at what is there and at no file.
            freshness = self._kept()
            self._sees_all = self.audience == OWNER or (
                self.audience == AGENT and not self._whole.is_partial()
            )
            if not (self._sees_all or self._view.followed_edition()):
                sentence = f"the home of this vault has not indexed it for the audience {self.audience} yet"
                raise errors.VaultError(f"{sentence}; ask there, or again later")
            return freshness
        self.begin()
        since = self.asked
        if not self.only_looks:
            self.asked = None  # what a verb has written itself, it sees when it looks again
        elif self.looked and not (self.looked.degraded or self._was_replaced()):
            return self.looked
        listener = self._listener if self._listener and not self._listener.why else None
        freshness = fresh(
            self.sync, self._whole, self.state, wait=self.patience, since=since, listener=listener
        )
        self.looked = freshness if self.only_looks and self.audience == OWNER else None
        if self.audience != OWNER:
            self._sees_all = self.audience == AGENT and not self._whole.is_partial()
            if not self._sees_all:
                following = Following(self.vault, self._view, self._whole, progress=self.progress)
                return freshness if freshness.degraded else brought_up(following, self._view)
        return freshness

    def must_refresh(self) -> None:
        """Brings the index in line with the files for what is planned by it; waits a while for who else writes it.

        Raises:
            IndexBehindError: it cannot be brought in line now.
        """
        end = time.monotonic() + files.WAIT
        while True:
            try:
                behind = self.refresh().degraded or _REPLACED * self._was_replaced()
            except errors.IndexBusyError as error:
                behind = str(error)
            if not behind:
                return
            if time.monotonic() >= end:
                raise errors.IndexBehindError(f"nothing was done: {behind}")
            time.sleep(_PAUSE)

    def _was_replaced(self) -> bool:
        """Whether an index is a new, empty one: a process with other settings put its own in place of what was brought in line."""
        opened = (self.__dict__[name] for name in _INDEXES if name in self.__dict__)
        return self._kept is None and any(index.database.rebuilt for index in opened)

    def answer(self, verb: Callable[[], A]) -> A:
        """Carries out a verb that answers a question, on a fresh index."""
        started = time.perf_counter()

        def in_one_state() -> A:
            with self.index.database.reading():
                return verb()

        freshness, synced, answer = self._on_fresh_index(in_one_state)
        seconds = {"fresh": synced - started, "answer": time.perf_counter() - synced}
        timings = {name: round(spent * 1e3, 2) for name, spent in seconds.items()}
        degraded = "; ".join(filter(None, (freshness.degraded, answer.degraded)))
        return replace(answer, degraded=degraded, behind=freshness.behind, timings_ms=timings)

    def read(self, verb: Callable[[], T]) -> T:
        """Carries out a verb that only reads, on a fresh index; `freshness` says how fresh."""
        self.freshness, _, answer = self._on_fresh_index(verb)
        return answer

    def _on_fresh_index(self, verb: Callable[[], T]) -> tuple[Freshness, float, T]:
        """How fresh the index is, when it was, and what the verb answers."""

        def look() -> tuple[Freshness, float, T]:
            freshness, synced = self.refresh(), time.perf_counter()
            if self.audience == OWNER or not self._sees_all:
                return freshness, synced, verb()
            # In one state of the index: a label may come while the verb looks.
            with self._whole.database.reading():
                answer, partial = verb(), self._whole.is_partial()
            return look() if partial else (freshness, synced, answer)

        def work() -> tuple[Freshness, float, T]:
            for _ in range(_LOOKS):
                looked = look()
                if looked[0].degraded or not self._was_replaced():
                    return looked
            raise errors.IndexBusyError(_REPLACED)

        if self.audience == OWNER:
            return healed(self._whole, work)
        return healed(self._whole, lambda: healed(self._view, work))

    def identified(self, work: Callable[[], T]) -> T:
        """Does work that may permit something; a vault without an id gets one only where it does."""
        try:
            return work()
        except errors.UnidentifiedError:  # before anything was written
            self.identify()
            return work()

    def permit(self, verb: Callable[..., T], *said: Any) -> T:
        """Carries out a verb that writes and may permit something."""
        return self.identified(lambda: self.write(verb, *said))

    def write(self, verb: Callable[..., T], *said: Any, as_is: bool = False, standing: str = "") -> T:
        """Carries out a verb with a context for writing.

        Args:
            verb: takes the context, then each of `said` without its secrets.
            said: everything that somebody said and that will be written; it has no other way to the verb.
            as_is: a person at the command line means what they typed.
            standing: text of the vault that was given out to be changed; what it holds may stay.
        """
        gate = rooms.secret_gate.secret_gate(as_is=as_is)
        clean = [gate.value(value, standing=standing) for value in said]
        try:
            self.refresh()
        except errors.IndexUnreachableError as error:
            if self._may is not None or self._kept is not None:
                raise  # a node that cannot ask whether it is the home must not write
            with self._on_index_aside():
                outcome = _with_notice(verb(self.write_context(gate), *clean), gate.notice)
                return _with_notice(outcome, f"{error}; the index follows when it is back")
        return _with_notice(verb(self.write_context(gate), *clean), gate.notice)

    @contextmanager
    def _on_index_aside(self) -> Iterator[None]:
        """An index made of the files for one verb, in place of one on a server that is away: what is written needs no server."""
        indexes = {name: self.__dict__.pop(name) for name in _INDEXES if name in self.__dict__}
        with late.tempfile.TemporaryDirectory(prefix="memoryclaw-") as folder:
            self.__dict__.update((name, self.index_in(Path(folder) / name)) for name in _INDEXES)
            try:
                self.refresh()
                yield
            finally:
                self.close()
                for name in _INDEXES:
                    self.__dict__.pop(name, None)
                self.__dict__.update(indexes)

    def look(self, verb: Callable[[rooms.context.WriteContext], T]) -> T:
        """Carries out a verb that only looks at what the files say, with no more of them than the caller sees."""
        self.refresh()
        with self.index.database.reading():
            return verb(replace(self.write_context(), only_seen=self.audience != OWNER))

    def looking(self, *, planning: bool = False) -> rooms.keeping.UpkeepContext:
        """What looks at the memories that are there works with; what plans by it needs an index that is in line."""
        (self.must_refresh if planning else self.refresh)()
        writing = self.write_context()
        return rooms.keeping.UpkeepContext(
            writing=writing,
            vault=self.vault,
            catalog=self.catalog,
            ledger=self.ledger,
            decisions=rooms.decisions.decisions_of(writing.root),
        )

    def write_context(self, gate: rooms.redaction.RedactionGate | None = None) -> rooms.context.WriteContext:
        """What a verb that writes works with."""
        gate = gate or rooms.secret_gate.secret_gate()
        return rooms.context.WriteContext(
            root=os.fspath(self.root),
            # What the caller does not see is still there.
            lookup=Catalog(self._whole.database, self.config.owner),
            templates=rooms.context.Templates(gate.message),
            now=self.clock(),
            new_id=new_id,
            gate=gate,
            as_seen=self._as_seen,
            zone=self.config.timezone,
            owner=self.config.owner,
        )

    def _as_seen(self, path: str, text: str) -> str:
        """The text of a file without what is for others."""
        data, doubts = text.encode("utf-8", "surrogatepass"), self.vault.doubts(path)
        visible = rooms.export_gate.visible_bytes(path, data, self.audience, self.config.folders, doubts)
        return (visible or b"").decode("utf-8", "surrogatepass")

    def note_shown(self, session: str, mode: str, ids: Sequence[str], digests: Mapping[str, str]) -> str:
        """Keeps in the ledger what a session was shown by a tool, and of what is whole the digests; returns why not, if it could not."""
        values = {"receipt": self._receipt(), "session": self.session_name(session), "mode": mode}
        event = {**values, "ids": [*ids], "digests": dict(digests)}
        return self.ledger.append("shown", event, self.clock()) if ids or mode == "search" else ""

    def with_receipt(self, answer: R, session: str, seen: str) -> R:
        """The answer with its receipt, which the ledger keeps."""
        receipt = self._receipt()
        values = {"receipt": receipt, "session": session, "mode": "recall"}
        values |= ({"seen": seen} if seen != "all" else {}) | rooms.recall.event_of(answer)
        # A folder that nobody made a vault is only looked at; what a session asked in vain teaches (`lifecycle/upkeep.py`).
        is_noted = (answer.trace or session) and is_initialised(self.root)
        trouble = self.ledger.append("shown", values, self.clock()) if is_noted else ""
        notices = (*answer.notices, trouble) if trouble else answer.notices
        return replace(answer, receipt=receipt, notices=notices)

    def _receipt(self) -> str:
        """A name for what is shown now."""
        return f"r-{self.clock():%Y%m%dt%H%M%S}-{new_id()}"

    def session_name(self, session: str) -> str:
        """A session as it may be written; hosts choose the name."""
        return rooms.secret_gate.secret_gate().text(session) if session else ""

    def _renamed(self, old: str, new: str) -> None:
        self.ledger.append("renamed", {"from": old, "to": new}, self.clock())

    def index_in(self, folder: Path, *, elsewhere: Opener | None = None) -> Index:
        """The index that a folder holds, or a server, made as the settings say; what is to be on none is made in the folder."""
        config = self.config
        return open_index(
            folder,
            engine="fts5" if self._engine and elsewhere is None else config.engine,
            language=language(config.language),
            labels=config.folders,
            zone=config.timezone,
            journals=" ".join(filter(None, self.vault.journals)),
            elsewhere=elsewhere,
        )

    @cached_property
    def _engine(self) -> ServerEngine | None:
        """What keeps the index on a server, if the settings name such an engine."""
        engine = self.config.engine
        return cast("ServerEngine", extension("engines", engine)) if engine in ENGINES else None

    @property
    def is_on_server(self) -> bool:
        """Whether the index and its vectors are on a server."""
        return self._engine is not None

    def _elsewhere(self, audience: str) -> Opener | None:
        """What opens the index on a server, if the settings put it on one."""
        if self._engine is None:
            return None
        keeps, may, root = self._kept is None, self._may, os.path.realpath(self.root)
        return partial(self._engine.open, self.config.extra, root, audience, keeps=keeps, may=may)


class AppPart:
    """A part of the app, on what all verbs of its vault share."""

    def __init__(self, context: VaultContext) -> None:
        self._context = context


def _with_notice(done: T, notice: str) -> T:
    """What a verb did, with the gate's notice; a verb whose answer has no place for one took nothing in."""
    if notice and isinstance(done, tuple) and hasattr(done, "notice"):
        notices = "; ".join(filter(None, (done.notice, notice)))
        return cast("T", done._replace(notice=notices))  # type: ignore[attr-defined]
    return done


def within(number: int, least: int, most: int, what: str) -> int:
    """The number. Raises InputError: it lies outside."""
    if not least <= number <= most:
        raise errors.InputError(f"{what} must be from {least:,} to {most:,}")
    return number


def within_budget(tokens: int) -> int:
    """The tokens of a context; InputError when there are too few or too many."""
    return within(tokens, settings.LEAST_BUDGET, settings.MOST_BUDGET, "the budget of a context, in tokens,")
