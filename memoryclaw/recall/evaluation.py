"""How good a ranking is: recall, nDCG and reciprocal rank. Pure; the same numbers give the same figures everywhere.

`eval` and the programs under benchmarks/ count with these functions and no others.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from datetime import date
from html import unescape
from pathlib import Path
from typing import Any

from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.index import Index
from memoryclaw.index.indexer import Indexer
from memoryclaw.late import NamedTuple
from memoryclaw.model import Answer, Problem, Stamp
from memoryclaw.recall.browsing import address_of
from memoryclaw.recall.recall import Recalled, recall
from memoryclaw.recall.search import Searcher, search
from memoryclaw.text.encoding import decode, readable
from memoryclaw.text.language import Language, fold, words_of
from memoryclaw.text.yaml_text import MAX_BYTES, Yaml, load
from memoryclaw.vault.folder import Vault, is_wanted
from memoryclaw.vault.layout import QUESTIONS_FILE, on_disk


def share(ids: Iterable[Hashable], wanted: Iterable[Hashable]) -> float:
    """How much of what is wanted was found, from 0 to 1; all of it when nothing is wanted."""
    needed = set(wanted)
    return len(needed & set(ids)) / len(needed) if needed else 1.0


def recall_at(ranked: Sequence[Hashable], wanted: Iterable[Hashable], k: int) -> float:
    """The share of what is wanted among the first `k`."""
    return share(ranked[:k], wanted)


def ndcg(ranked: Sequence[Hashable], wanted: Iterable[Hashable], k: int = 10) -> float:
    """Normalised discounted cumulative gain of the first `k`: early hits count for more."""
    needed = set(wanted)
    if not needed:
        return 1.0
    gained = sum(1 / math.log2(place + 2) for place, id_ in enumerate(ranked[:k]) if id_ in needed)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(k, len(needed))))


def reciprocal_rank(ranked: Iterable[Hashable], wanted: Iterable[Hashable]) -> float:
    """One over the place of the first that is wanted; 0 when none is there."""
    needed = set(wanted)
    return next((1 / place for place, id_ in enumerate(ranked, 1) if id_ in needed), 0.0)


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


# Golden questions: a YAML text → what is asked, and what must be found. Pure; what is wrong becomes a Problem with its
# line.

_KEYS = ("expect", "answer", "not", "must_not", "as of")
_EXAMPLE = "write it as `When is the deadline?: semantic/projects#Boathouse.deadline`"


class GoldenQuestion(NamedTuple):
    """One question with what a good answer holds, as it was written."""

    question: str
    line: int
    expect: tuple[str, ...] = ()  # ids, or beginnings of ids
    answer: tuple[str, ...] = ()  # words that must stand in the context
    without: tuple[str, ...] = ()  # ids that must not be in it
    as_of: date | None = None  # the day on which it is asked
    must_not: tuple[str, ...] = ()  # ids or words, of which none may be in it


class GoldenQuestions(NamedTuple):
    """The questions of a file, or what is wrong with it."""

    questions: tuple[GoldenQuestion, ...]
    problems: tuple[Problem, ...] = ()


def read_goldens(text: str) -> GoldenQuestions:
    """The golden questions of a YAML text; one that cannot be used is a problem, and none is guessed at."""
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        hint = "split them into several files; `memoryclaw check eval FILE` asks one of them"
        return GoldenQuestions((), (Problem("", 1, "the questions take more than 64 KiB", hint),))
    document = load(text)
    if document.problems:
        return GoldenQuestions((), document.problems)
    if not isinstance(document.value, dict) or not document.value:
        return GoldenQuestions((), (Problem("", 1, "there are no questions in it", _EXAMPLE),))
    read = [_golden(question, fields, document) for question, fields in document.value.items()]
    return GoldenQuestions(
        tuple(golden for golden in read if isinstance(golden, GoldenQuestion)),
        tuple(golden for golden in read if isinstance(golden, Problem)),
    )


def _golden(question: str, wanted: Any, settings: Yaml) -> GoldenQuestion | Problem:
    line = settings.lines.get((question,), 1)
    expectation = wanted if isinstance(wanted, dict) else {"expect": wanted}
    for key, value in expectation.items():
        key_line = settings.lines.get((question, key), line)
        if key not in _KEYS:
            return Problem(
                "", key_line, f"{key!r} says nothing of a question", f"there are {', '.join(_KEYS)}"
            )
        if _texts(value) is None:
            return Problem("", key_line, f"{key!r} must be a text or a list of texts", _EXAMPLE)
    texts = {key: _texts(expectation.get(key, [])) or () for key in _KEYS}
    if not (texts["expect"] or texts["answer"] or texts["must_not"]):
        return Problem("", line, f"nothing is expected of {question!r}", _EXAMPLE)
    day = _day(texts["as of"])
    if texts["as of"] and day is None:
        key_line = settings.lines.get((question, "as of"), line)
        return Problem("", key_line, f"{texts['as of'][0]!r} is not a day", "write it as 2025-07-01")
    return GoldenQuestion(
        question, line, texts["expect"], texts["answer"], texts["not"], day, texts["must_not"]
    )


def _texts(value: Any) -> tuple[str, ...] | None:
    """A text or a list of texts as texts; None when it is anything else, or holds nothing."""
    listed = value if isinstance(value, list) else [value]
    return tuple(listed) if all(isinstance(text, str) and text.strip() for text in listed) else None


def _day(days: tuple[str, ...]) -> date | None:
    try:
        return date.fromisoformat(days[0]) if len(days) == 1 else None
    except ValueError:
        return None


# How well a vault answers its own golden questions: where the expected stands, whether it is in the context, and why it
# is not.

KS = (5, 10)
BUDGETS = (400, 600, 800)
DEEP = 20  # ranks that are explained whatever is asked for; deeper ones are known from the trace
_RANKED = ("in", "limit")


class Expected(NamedTuple):
    """One expected id: its rank, 0 when it has none, and why it was not found among the first."""

    id: str
    rank: int
    reason: str = ""


class QuestionResult(NamedTuple):
    """How one question went."""

    question: str
    line: int
    expected: tuple[Expected, ...]
    recall: dict[int, float]  # among the first k; empty when no id is expected
    held: dict[
        int, float
    ]  # the share of what is wanted that stands in a context of so many tokens; empty when nothing is
    confidence: float
    misses: tuple[str, ...]


class Evaluated(NamedTuple):
    """How all questions went."""

    path: str
    questions: tuple[QuestionResult, ...]
    recall: dict[int, float]  # empty when no question expects an id
    mrr: float
    ndcg: float
    held: dict[int, float]
    kept_out: tuple[int, int]  # of what must not be in the context: how much was not, of how much


class EvaluationSetup(NamedTuple):
    """What questions are judged with."""

    searcher: Callable[[date | None], Searcher]
    catalog: Catalog
    vault: Vault
    language: Language
    max_results: int
    ks: Sequence[int] = KS
    budgets: Sequence[int] = BUDGETS


def goldens_of(path: str, shown: str) -> tuple[GoldenQuestion, ...]:
    """The golden questions of a file.

    Raises:
        InputError: it cannot be read, or something in it cannot be used.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        hint = "docs/reference/evaluation.md shows how to write some"
        raise InputError(f"there are no golden questions in {shown} ({error.strerror}); {hint}") from None
    text = readable(decode(data).text)
    for problem in golden_problems(shown, text):
        raise InputError(f"{shown}:{problem.line}: {problem.message}; {problem.hint}")
    return read_goldens(text).questions


def golden_problems(path: str, text: str) -> tuple[Problem, ...]:
    """What in a file of golden questions cannot be used."""
    return tuple(problem._replace(path=path) for problem in read_goldens(text).problems)


def evaluate(goldens: Iterable[GoldenQuestion], shown: str, bench: EvaluationSetup) -> Evaluated:
    """Asks every question and counts what was found."""
    judged = [_judge(golden, bench) for golden in goldens]
    ranked = [case for case in judged if case[0].expected]
    without = [counts for _, _, counts in judged]
    return Evaluated(
        path=shown,
        questions=tuple(case for case, _, _ in judged),
        recall={k: _mean(case.recall[k] for case, _, _ in ranked) for k in bench.ks if ranked},
        mrr=_mean(reciprocal_rank(order, _ids(case)) for case, order, _ in ranked),
        ndcg=_mean(ndcg(order, _ids(case)) for case, order, _ in ranked),
        held={
            budget: _mean(case.held[budget] for case, _, _ in judged if case.held) for budget in bench.budgets
        },
        kept_out=(sum(counts for counts, _ in without), sum(all_ for _, all_ in without)),
    )


def _judge(
    golden: GoldenQuestion, bench: EvaluationSetup
) -> tuple[QuestionResult, list[str], tuple[int, int]]:
    searcher = bench.searcher(golden.as_of)
    answer_in_full = search(searcher, golden.question, kind="", limit=max(*bench.ks, DEEP))
    contexts = {budget: _context(searcher, golden.question, budget, bench) for budget in bench.budgets}
    targets = [target_of(id_, bench.catalog, bench.vault) for id_ in golden.expect]
    # The ranking with each target where its first unit stands, under the target's name; other units
    # keep a nameless place.
    order: list[str] = []
    for line in answer_in_full.trace:
        if line.decision in _RANKED:
            fresh = [target.id for target in targets if line.id in target.units and target.id not in order]
            order += fresh or [""]
    widest = contexts[max(contexts)]
    expected = tuple(_expectation(target, order, answer_in_full, bench) for target in targets)
    unwanted = [target_of(id_, bench.catalog, bench.vault) for id_ in golden.without]
    unwanted += [unwanted_target(text, bench) for text in golden.must_not]
    shown_unwanted = [
        target for target in unwanted if any(_is_in(target, answer) for answer in contexts.values())
    ]
    judged = QuestionResult(
        question=golden.question,
        line=golden.line,
        expected=expected,
        recall={k: recall_at(order, golden.expect, k) for k in bench.ks} if targets else {},
        held={budget: _share_held(golden, targets, answer) for budget, answer in contexts.items()} if golden.expect or golden.answer else {},
        confidence=answer_in_full.confidence,
        misses=(
            *(f"{expectation.id}: {expectation.reason}" for expectation in expected if expectation.reason),
            *_packing_misses(expected, targets, widest),
            *(f"the context lacks {words!r}" for words in golden.answer if not _says(words, widest)),
            *(f"{target.id}: {target.trouble or 'is in the context'}" for target in unwanted if target.trouble or target in shown_unwanted),
        ),
    )  # fmt: skip
    return judged, order, (len(unwanted) - len(shown_unwanted), len(unwanted))


def _context(searcher: Searcher, question: str, budget: int, bench: EvaluationSetup) -> Recalled:
    return recall(searcher, question, goal="", session="", budget=budget, max_results=bench.max_results)


def _expectation(target: Target, order: Sequence[str], answer: Answer, bench: EvaluationSetup) -> Expected:
    rank = order.index(target.id) + 1 if target.id in order else 0
    if target.trouble or rank > max(bench.ks):
        return Expected(target.id, rank, target.trouble or f"rank {rank}")
    if rank:
        return Expected(target.id, rank)
    out = [unit.decision for unit in answer.trace if unit.id in target.units]
    if out:
        return Expected(target.id, 0, f"left out: {out[0]}")
    return Expected(target.id, 0, f"not a candidate: {_common_words(answer.query, target, bench)}")


def _common_words(question: str, target: Target, bench: EvaluationSetup) -> str:
    """What the words of a question and of its evidence have in common, told for a person."""
    words = [word for word in words_of(question) if not bench.language.is_stop(word)]
    units = bench.catalog.units(target.rowids).values()
    tokens = {
        token for u in units for token in bench.language.tokens(f"{u.title} {u.tags} {u.properties} {u.text}")
    }
    shared = list(dict.fromkeys(word for word in words if tokens.intersection(bench.language.tokens(word))))
    return f"shares only {', '.join(shared)}" if shared else "shares no word with the question"


def _packing_misses(expected: Sequence[Expected], targets: Sequence[Target], answer: Recalled) -> list[str]:
    """Why what was found is not in the widest context."""
    reasons = {traced.id: traced.decision for traced in reversed(answer.trace)}
    return [
        f"{traced.id}: not in the context: {next((reasons[id_] for id_ in sorted(target.units) if id_ in reasons), 'no room')}"
        for traced, target in zip(expected, targets, strict=True)
        if not traced.reason and not _is_in(target, answer)
    ]


def _share_held(golden: GoldenQuestion, targets: Sequence[Target], answer: Recalled) -> float:
    hits = [_is_in(target, answer) for target in targets] + [_says(w, answer) for w in golden.answer]
    return mean([float(hit) for hit in hits])


def _is_in(target: Target, answer: Recalled) -> bool:
    is_shown = any(match.unit.id in target.units for match in answer.matches)
    return is_shown or bool(target.words and _says(target.words, answer))


def _says(words: str, answer: Recalled) -> bool:
    return fold(words) in fold(unescape(answer.context))


def _ids(judged: QuestionResult) -> list[str]:
    return [expected.id for expected in judged.expected]


def _mean(values: Iterable[float]) -> float:
    return round(mean(list(values)), 4)


# What a golden question expects: an id, or the beginning of one → the units that count for it.

_NOTHING = "nothing in this vault has this id"
_FIRST = 3  # ids named when a beginning fits several


class Target(NamedTuple):
    """An id as it was written, with its units; `trouble` says why it names none."""

    id: str
    units: frozenset[str] = frozenset()
    rowids: tuple[int, ...] = ()
    trouble: str = ""
    words: str = ""  # instead of an id: words of a context


def target_of(id_: str, catalog: Catalog, vault: Vault) -> Target:
    """The units of a note, section, fact or turn; those of all lines that an id covers, if it is no unit itself."""
    exact = catalog.rows("select rowid, id from units where id = ? order by path, seq limit 1", (id_,))
    note = catalog.rows("select path from files where id = ? or path in (?, ? || '.md')", (id_, id_, id_))
    if note:
        sql = "select rowid, id from units where path = ? order by seq"
        return _target(id_, catalog.rows(sql, (note[0][0],)))
    if exact:
        return _target(id_, exact)
    return _covered_units(id_, catalog, vault) or _begun(id_, catalog)


def unwanted_target(text: str, bench: EvaluationSetup) -> Target:
    """What must not be in a context: an id (or what looks like the beginning of one), else the words themselves."""
    rows = bench.catalog.rows(
        "select 1 from units where id = ?1 union select 1 from files where id = ?1", (text,)
    )
    target = target_of(text, bench.catalog, bench.vault) if rows or "/" in text or "#" in text else None
    return target if target and target.trouble != _NOTHING else Target(text, words=text)


def _begun(id_: str, catalog: Catalog) -> Target:
    """The one file or unit whose id begins so."""
    sql = """select distinct path, id from (select path, id from files where kind != 'settings' union all select path, id from units)
        where substr(id, 1, length(?)) = ? order by id"""
    rows = catalog.rows(sql, (id_, id_))
    if not rows:
        return Target(id_, trouble=_NOTHING)
    if len({path for path, _ in rows}) > 1 or ("#" in id_ and len(rows) > 1):
        named = ", ".join(str(row[1]) for row in rows[:_FIRST])
        return Target(id_, trouble=f"could be any of {len(rows)}: {named}{', …' * (len(rows) > _FIRST)}")
    if "#" in id_ or id_.startswith("log:"):
        return _target(id_, catalog.rows("select rowid, id from units where id = ?", (rows[0][1],)))
    return _target(id_, catalog.rows("select rowid, id from units where path = ?", (rows[0][0],)))


def _covered_units(id_: str, catalog: Catalog, vault: Vault) -> Target | None:
    """The units on the lines that a section or an entity takes; the facts alone of an entity."""
    try:
        address = address_of(id_, catalog, vault)
    except NotFoundError:
        return None
    sql = "select rowid, id from units where path = ? and line <= ? and end_line >= ? and (? != 'entity' or kind = 'fact') order by seq"
    return _target(id_, catalog.rows(sql, (address.path, address.end_line, address.line, address.kind)))


def _target(id_: str, rows: list[tuple[object, ...]]) -> Target:
    return Target(id_, frozenset(str(row[1]) for row in rows), tuple(int(str(row[0])) for row in rows))


# What planned changes would do to a vault's golden questions, found out on a copy of its index; the vault itself is only read.

_TOLD = 3  # questions that are named


class Rehearsed(NamedTuple):
    """Why a change should wait, in a sentence without its full stop; empty where no question that passes would break."""

    broken: str = ""
    notice: str = ""  # why the questions could not be asked


class _PlannedVault(Vault):
    """A vault in which some files are as they would be; None: there would be none."""

    def __init__(self, vault: Vault, planned: Mapping[str, bytes | None]) -> None:
        super().__init__(vault.root, vault.audience, vault.labels)
        self._planned = planned

    def _bytes(self, path: str, raw: bytes | None) -> tuple[bytes, Stamp] | None:
        if path not in self._planned:
            return super()._bytes(path, raw)
        data = self._planned[path]
        return None if data is None else (data, Stamp(len(data), 0, 0, 0))

    def stamps(self, paths: Collection[str]) -> dict[str, bytes]:
        """The packed stamps of files, without those that are not or would not be there."""
        stamps = super().stamps([path for path in paths if path not in self._planned])
        return stamps | {path: b"planned" for path in paths if self._planned.get(path) is not None}


def rehearse(
    vault: Vault,
    index: Index,
    planned: Mapping[str, str],
    *,
    copied: Callable[[Path], Index],
    bench: Callable[[Index, Vault], EvaluationSetup],
) -> Rehearsed:
    """Asks the golden questions of the files as they would be, and those that fail once more of the files as they are.

    It costs a copy of the index and the reading of the files that change, however large the vault is.

    Args:
        index: that of the vault, just brought up to date.
        planned: the text of every file that would change; empty for one that would go.
        copied: makes, in a folder, a second index that knows what the vault's own knows.
        bench: asks an index, and the files that it knows.
    """
    try:
        goldens = goldens_of(on_disk(os.fspath(vault.root), QUESTIONS_FILE), QUESTIONS_FILE)
    except InputError as error:
        return Rehearsed(notice=f"the golden questions were not asked: {error}")
    files = {path: text.encode("utf-8", "surrogatepass") if text else None for path, text in planned.items()}
    with tempfile.TemporaryDirectory(prefix="memoryclaw-rehearsal-") as folder:
        would_be, copy = _PlannedVault(vault, files), copied(Path(folder))
        try:
            paths = sorted(filter(is_wanted, files))
            gone = [path for path in paths if files[path] is None]
            Indexer(would_be, copy, {}).run([path for path in paths if files[path] is not None], gone, None)
            after = evaluate(goldens, QUESTIONS_FILE, bench(copy, would_be)).questions
        finally:
            copy.database.close()
    failing = {golden: result for golden, result in zip(goldens, after, strict=True) if result.misses}
    before = evaluate(failing, QUESTIONS_FILE, bench(index, vault)).questions
    broken = [
        after for after, result_now in zip(failing.values(), before, strict=True) if not result_now.misses
    ]
    return Rehearsed(_sentence(broken) if broken else "")


def _sentence(broken: Sequence[QuestionResult]) -> str:
    named = "; ".join(
        f"{result.question!r} ({QUESTIONS_FILE}:{result.line}: {result.misses[0]})"
        for result in broken[:_TOLD]
    )
    others = f" and {len(broken) - _TOLD} more" if len(broken) > _TOLD else ""
    return f"a golden question would break: {named}{others}"
