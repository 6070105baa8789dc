"""Keeps a vector for every passage of a vault: which are missing, and the work to fill them in, a batch at a time.

A batch that is done stays done, so filling may be interrupted at any moment and goes on where it was.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from memoryclaw.config import Config
from memoryclaw.errors import LockedError, MemoryClawError, VectorsError
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.outgoing import Outgoing
from memoryclaw.index.vector_store import IndexMark, VectorStore
from memoryclaw.index.watching import WatchReport
from memoryclaw.late import NamedTuple
from memoryclaw.models.embedders import EXTRA, Embedder, Floats, Guarded, numpy
from memoryclaw.models.llm import Breaker, Endpoint, ModelError
from memoryclaw.models.ollama import WHO, OllamaEmbedder
from memoryclaw.models.packaged import IN_WHEELS, MINILM, USE, WEIGHTS
from memoryclaw.ports import Progress
from memoryclaw.vault.audience import label_in
from memoryclaw.vault.export_gate import may_leave

_READ = 500  # units in one look at the index
_PIECES = "select rowid, kind, text from unit where rowid between ? and ? order by rowid limit ?"
_LAST = (1 << 63) - 1


class VectorStatus(NamedTuple):
    """How many units there are, and how many of them have no vector of this model yet."""

    model: str
    units: int
    missing: int


class Filled(NamedTuple):
    """What a fill did."""

    model: str
    units: int
    filled: int  # passages that got a vector
    missing: int  # units still without one: the fill was stopped
    notice: str = ""


class Vectors:
    """The vectors of one vault.

    Args:
        outgoing: tells which units must not be given to an embedder on another machine.
    """

    def __init__(
        self,
        store: VectorStore,
        embedder: Embedder,
        catalog: Catalog,
        *,
        outgoing: Outgoing,
    ) -> None:
        self._outgoing = outgoing
        self.store = store
        self.embedder = embedder
        self._catalog = catalog

    @property
    def recipe(self) -> str:
        """Who makes vectors now, and of what texts; ModelError when nobody can be asked."""
        return f"{self.embedder.recipe()}, texts {VERSION}"

    def ready(self) -> int:
        """Makes the store ready to be asked, if there is one; returns how many units there are. Makes no vector."""
        return self.settle() if self.store.exists() else 0

    def settle(self) -> int:
        """Makes the store know the units of the index as it is now; returns how many there are. Asks no model."""
        mark, gone, new = self._settlement()
        if mark != self.store.mark():
            self.store.settle(mark, gone, new)
        return mark.units

    def standing(self) -> VectorStatus:
        """How things stand; changes nothing."""
        mark, gone, new = self._settlement()
        passages = {} if self.store.mark().born != mark.born else self.store.units()
        for rowid in gone:
            passages.pop(rowid, None)
        return VectorStatus(self.embedder.name, mark.units, self._lacking({**passages, **new}))

    def _lacking(self, passages: Mapping[int, bytes]) -> int:
        """How many of these units have no vector and may have one."""
        stored = self.store.embedded()
        lacking = [rowid for rowid, digest in passages.items() if digest not in stored]
        return len(lacking) - len(self._staying(lacking))

    def _staying(self, units: Sequence[int]) -> set[int]:
        """The units whose text is not given to the embedder."""
        return set() if self.embedder.is_local else self._outgoing.withheld(units)

    def forget_gone(self) -> None:
        """Wipes out at once the vectors of what is no longer in the vault."""
        if self.store.exists():
            with self.store.filling():
                self.settle()
                self.store.drop()

    def fill(
        self,
        progress: Progress | None = None,
        stopping: Callable[[], bool] = lambda: False,
        *,
        thorough: bool = True,
    ) -> Filled:
        """Makes the vectors that are missing.

        Args:
            thorough: looks at every vector first; else only when damage was met.

        Raises:
            LockedError: another process is at it.
            ModelError: the model gave no vectors; those made before stay.
        """
        numpy()
        recipe = self.recipe
        with self.store.filling():
            is_doubtful = self.store.exists() and (thorough or self.store.doubtful())
            if is_damaged := is_doubtful and not self.store.sound():
                self.store.discard()
            self.store.begin(recipe)
            units = self.settle()
            self.store.drop()
            filled = self.work(recipe, progress, stopping)
            self.store.average()
            missing = self.store.lacking() and self._lacking(self.store.units())
            if not missing:
                self.store.discard_others()
        notice = "the vectors were damaged and are being made again" if is_damaged else ""
        return Filled(self.embedder.name, units, filled, missing, notice)

    def work(self, recipe: str, progress: Progress | None, stopping: Callable[[], bool]) -> int:
        """Makes the vectors that are missing, a batch at a time; returns of how many passages. Call it within `filling`."""
        missing, filled = self.store.missing(), 0
        staying = self._staying(missing)
        missing = [rowid for rowid in missing if rowid not in staying]
        for batch in self._batches(missing):
            if stopping():
                break
            rows = self.embedder.passages(list(batch.values()))
            if not (filled or self.store.fits(rows)):
                # The same name, another length: what is there, or elsewhere, is of another model.
                self.store.discard()
                self.store.begin(recipe)
                self.settle()
                return Vectors.work(self, recipe, progress, stopping)
            self.store.add(list(batch), rows)
            filled += len(batch)
            if progress:
                progress(filled, len(missing))
        return filled

    def _batches(self, missing: list[int]) -> Iterator[dict[bytes, str]]:
        rowids, batch = set(missing), {}
        for rowid, text in self._passages(min(missing, default=_LAST), max(missing, default=0)):
            if rowid in rowids:
                batch[digest(text)] = text
            if len(batch) == self.embedder.batch:
                yield batch
                batch = {}
        if batch:
            yield batch

    def _settlement(self) -> tuple[IndexMark, list[int], dict[int, bytes]]:
        """The state of the index, and the units that are gone and new since the store last heard of them."""
        sql = "select (select value from meta where key = 'born'), (select value from meta where key = 'next'), count(*) from unit"
        (born, next_, units), *_ = self._catalog.rows(sql)
        mark, earlier = IndexMark(born or "", int(next_ or 0), units), self.store.mark()
        if mark == earlier:
            return mark, [], {}
        first = earlier.next if earlier.born == mark.born else 0
        new = {rowid: digest(text) for rowid, text in self._passages(first, _LAST)}
        gone: list[int] = []
        if first and earlier.units + len(new) != units:
            rowids = {rowid for (rowid,) in self._catalog.rows("select rowid from unit")}
            gone = [rowid for rowid in self.store.units() if rowid not in rowids]
        return mark, gone, new

    def _passages(self, first: int, last: int) -> Iterator[tuple[int, str]]:
        """Every unit between two row numbers with its text."""
        while rows := self._catalog.rows(_PIECES, (first, last, _READ)):
            for rowid, kind, packed in rows:
                title, *_, text = self._catalog.texts_in(packed)
                yield rowid, vector_text(kind, title, text)
            first = rows[-1][0] + 1


def asking(vectors: Vectors) -> Callable[[str], Floats]:
    """Makes the vectors of questions, if those of the store are of the same model; who calls it gets ModelError when none came."""
    recipe = vectors.store.recipe()
    if not recipe:
        raise VectorsError("there are no vectors yet; `memoryclaw sync --vectors` makes them")
    numpy()
    if recipe != vectors.recipe:
        raise VectorsError("the vectors are of another model; `memoryclaw sync --vectors` makes new ones")

    def query(text: str) -> Floats:
        if not (vectors.embedder.is_local or may_leave(label_in(text))):
            raise ModelError("the question is marked not to leave this machine")
        return vectors.embedder.query(text)

    return query


# The text that is embedded for a unit, and the digest that tells one from another. Another text has another digest.

VERSION = 2  # of the texts made here: vectors of another version are never asked
MOST = 2000  # characters: models cut what is longer, and at their own places


def vector_text(kind: str, title: str, text: str) -> str:
    """The text that stands for a unit."""
    if kind == "fact":
        text = f"{title}: {text}"
    elif kind != "turn" and not text.lstrip().startswith(title):  # a heading is part of the text below it
        text = f"{title}\n{text}"
    # Models written in C end a text at NUL, and no model knows half a character.
    clean = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return clean.strip()[:MOST].strip() or "-"


def digest(text: str) -> bytes:
    """The name of a text: 16 bytes of BLAKE2."""
    return hashlib.blake2b(f"{VERSION}\n{text}".encode(), digest_size=16).digest()


# Which embedder the settings name, made once for all open vaults of a process: a model is large, and a failure is known
# to all.

HURRY = 5.0  # seconds that a question waits for its vector


def embedder_of(config: Config) -> Embedder:
    """The embedder for a vault's vectors."""
    where = Endpoint(WHO, "llm.url", config.url, config.timeout, config.allow_remote)
    return _embedder(config.vector_model, where)


class OfferedVectors(NamedTuple):
    """A model that may make a vault's vectors."""

    model: str
    what: str  # it is, and where it comes from
    missing: str  # why it cannot be asked; empty where it can


def offered_vectors(model: str, config: Config) -> OfferedVectors:
    """What a model is, where its weights come from, and whether they are there; without a name, the one for the vault's language."""
    model = model or (MINILM if config.language == "en" else USE)
    config = config._replace(vector_model=model)
    what = (
        f"{WEIGHTS[model]}, on this processor and without a network; it comes with {EXTRA}"
        if model in IN_WHEELS
        else f"a model of Ollama at {config.url}; `ollama pull {model}` fetches it"
    )
    try:
        embedder_of(config).recipe()
    except (ModelError, VectorsError) as error:
        return OfferedVectors(model, what, str(error))
    return OfferedVectors(model, what, "")


@cache
def _embedder(model: str, where: Endpoint) -> Embedder:
    inner = IN_WHEELS[model]() if model in IN_WHEELS else OllamaEmbedder(where, model, HURRY)
    return Guarded(inner, Breaker(time.monotonic))


# Fills in vectors beside a watch, in a thread of its own. Whatever goes wrong is said once and tried again, and no
# question waits.

AGAIN = 30.0  # seconds until the next try after a failure
_PATIENCE = 6.0  # seconds that the batch at hand is given to end

Stopping = Callable[[], bool]


class Filler:
    """Works when the index has changed, until the watch has ended.

    Args:
        fill: makes what is missing, with an open vault of its own; ends early when what it is given says so.
    """

    def __init__(self, fill: Callable[[Stopping], Filled], tell: Callable[[WatchReport], None]) -> None:
        self._fill = fill
        self._tell = tell
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="vectors", daemon=True)

    def hears(self, report: WatchReport) -> None:
        """Begins when the index is in line with the files, and ends with the watch."""
        if report.kind == "stopped":
            self._stopping.set()
            self._woken.set()
            if self._thread.ident is not None:
                self._thread.join(_PATIENCE)
        elif report.kind in ("started", "synced"):
            if self._thread.ident is None:
                self._thread.start()
            self._woken.set()

    def _run(self) -> None:
        wait: float | None = None
        reported = ""
        while self._woken.wait(wait) or not self._stopping.is_set():
            self._woken.clear()
            if self._stopping.is_set():
                return
            trouble, wait = self._filled()
            if trouble and trouble != reported:
                self._tell(WatchReport("problem", trouble))
            reported = trouble

    def _filled(self) -> tuple[str, float | None]:
        """What went wrong, and the seconds until the next try; none when all is done."""
        try:
            filled = self._fill(self._stopping.is_set)
        except LockedError:
            return "", AGAIN
        except MemoryClawError as error:
            return f"no vectors were made: {error}", AGAIN
        if filled.filled:
            self._tell(WatchReport("vectors", f"{filled.filled} made, {filled.missing} units are without"))
        return "", AGAIN if filled.missing else None
