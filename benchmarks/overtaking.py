"""Learns when later words may have changed what stands, and says how well: logistic regression over the features of `consolidation/overtaking.py`.

python benchmarks/overtaking.py FOLDER [FOLDER ...] [--only-judges FOLDER/PERSON ...] [--judged FILE] [--misses] [--write]

A folder holds pairs (changes.jsonl, beside.jsonl: `older` and `newer` turns, the `old` value, and the `new` one where it changed) or people's
conversations, as `benchmarks/worth.py` takes them, whose gold says `by` what a value was superseded; each row of `--judged` is a change of
these that was judged by hand (`older`, `newer`: words of both). The pairs of `changes.jsonl` here are learned from as well. Each folder, and
each person, is judged by a sum that never saw it; those of `--only-judges`, as where a licence does not let anybody learn from them, teach
nothing. `--write` keeps what all teach in `memoryclaw/data/overtaking.toml`. Needs numpy.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from changes import CASES, night, standing
from worth import Candidate, Sum, left_out, rows

from memoryclaw.app import App
from memoryclaw.consolidation import overtaking
from memoryclaw.consolidation.overtaking import Pair, Telling, features_of, pairs_of
from memoryclaw.model import Turn
from memoryclaw.talk.learned import cut_of
from memoryclaw.talk.statements import read
from memoryclaw.text.grammar import grammar, tokens_of
from memoryclaw.text.host_marks import without_marks
from memoryclaw.text.language import key_of

_DATA = Path(overtaking.__file__).parents[1] / "data/overtaking.toml"
_PENALTY = 5.0
_WEIGHTS = {"change": 1.5, "beside": 3.0, "own": 0.4, "conversation": 3.0}
_CUTS = (0.25, 0.3, 0.35, 0.4, 0.5, 0.6)


class Compared(NamedTuple):
    """A pair as the night compared it, and whether it is a change."""

    candidate: Candidate
    case: str
    older: str
    newer: str


def compared(root: Path, turns: Sequence[Turn]) -> list[Pair]:
    """What stands in a vault beside what is said in each of some turns, before any of that is decided."""
    with App(root) as app:
        facts = [fact for _, fact in app.facts() if fact.current and fact.day < turns[0].ts[:10]]
    names = {key_of(fact.entity): fact.entity for fact in facts if fact.entity != "user"}
    pairs = []
    for _, of_turn in groupby(read(turns, names).statements, key=lambda statement: statement.line):
        telling = Telling([*of_turn])
        owners = {key_of(name) for name in telling.names()}
        of_named = (fact for fact in facts if key_of(fact.entity) in owners or fact.entity.islower())
        pairs += pairs_of(of_named, telling)
    return pairs


def turn_of(row: dict[str, Any], line: int) -> Turn:
    """A turn of a log."""
    return Turn(
        id="", session=row.get("session", ""), turn=str(row.get("turn", line)), ts=row["ts"], role=row["role"], name=row.get("name") or "",
        text=without_marks(row.get("content") or "").own or str(row.get("result") or ""), line=line, end_line=line,
    )  # fmt: skip


def of_cases(path: Path, source: str) -> Iterator[Compared]:
    """The pairs of a file of changes, or of lines beside which something else was said."""
    for number, case in enumerate(rows(path)):
        older = case.get("older") or case["before"]
        newer = case.get("newer") or [case["after"]]
        with tempfile.TemporaryDirectory(prefix="memoryclaw-overtaking-") as folder:
            night(Path(folder), "2026-10-02", [turn for turn in older if isinstance(turn, str)])
            stood = standing(Path(folder))
            later = [
                {"ts": "2026-11-02T10:00:00Z", "role": "user", "content": turn}
                for turn in newer
                if isinstance(turn, str)
            ]
            pairs = compared(Path(folder), [turn_of(row, line) for line, row in enumerate(later, 1)])
        wanted = [token for token in tokens_of(str(case["old"])) if token not in grammar("en").small]
        for pair in pairs:
            value = f"{pair.fact.field} {pair.fact.value}"
            is_old = 2 * len({*wanted} & {*tokens_of(value)}) >= len({*wanted})
            if case["new"] and not is_old and len(stood) == 1:
                continue  # it stands in other words
            kind = "beside" if not case["new"] else "own" if path == CASES else "change"
            yield _compared(pair, source, f"{path.name} {number}", bool(case["new"]) and is_old, kind)


def of_people(folder: Path, judged: Collection[tuple[str, str]]) -> Iterator[Compared]:
    """The pairs of people's conversations, each session consolidated on its evening."""
    for path in sorted(folder.glob("*.gold.jsonl")):
        person, gold = path.name.removesuffix(".gold.jsonl"), {row["id"]: row for row in rows(path)}
        with tempfile.TemporaryDirectory(prefix="memoryclaw-overtaking-") as place:
            turns = rows(folder / f"{person}.jsonl")
            for session, group in groupby(turns, key=lambda turn: turn["session"]):
                spoken = [*group]
                log = Path(place) / f"logs/{spoken[0]['ts'][:10]}/{session}.jsonl"
                log.parent.mkdir(parents=True, exist_ok=True)
                log.write_text("".join(json.dumps(turn) + "\n" for turn in spoken), encoding="utf-8")
                evening = datetime.fromisoformat(f"{spoken[-1]['ts'][:10]}T23:50:00").replace(tzinfo=UTC)
                pairs = compared(Path(place), [turn_of(turn, line) for line, turn in enumerate(spoken, 1)])
                with App(Path(place), clock=partial(_at, evening)) as app:
                    app.consolidate(llm="none")
                for pair in pairs:
                    turn = str(spoken[pair.telling.line - 1]["turn"])
                    value = f"{pair.fact.field} {pair.fact.value}"
                    ended = (
                        row["values"]
                        for row in gold.values()
                        if (later := gold.get(row.get("by", "")))
                        and (later["session"], str(later["turn"])) == (session, turn)
                    )
                    is_gold = any(str(word).lower() in value.lower() for values in ended for word in values)
                    is_judged = any(old in value and new in pair.telling.text for old, new in judged)
                    yield _compared(pair, f"{folder}/{person}", person, is_gold or is_judged, "conversation")


def _at(moment: datetime) -> datetime:
    return moment


def _compared(pair: Pair, source: str, case: str, is_change: bool, kind: str) -> Compared:
    candidate = Candidate(source, _WEIGHTS[kind], True, features_of(pair), is_change, other=False)
    fact = pair.fact
    return Compared(candidate, case, f"{fact.entity} {fact.field}: {fact.value}", pair.sentence)


def main(args: Sequence[str]) -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--judged", type=Path, help="changes of conversations, judged by hand")
    parser.add_argument(
        "--only-judges", nargs="+", default=[], help="folders, and people of them, that are not learned from"
    )
    parser.add_argument("--misses", action="store_true", help="list what is wrong at the cut")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(args)
    judged = {(row["older"], row["newer"]) for row in rows(options.judged)} if options.judged else set()
    pool = [*of_cases(CASES, "own")]
    for folder in options.folders:
        pairs = [path for name in ("changes", "beside") if (path := folder / f"{name}.jsonl").exists()]
        for path in pairs:
            pool += of_cases(path, str(folder))
        pool += of_people(folder, judged) if not pairs else ()
    unknown = set(options.only_judges) - {pair.candidate.person for pair in pool}
    if unknown:
        parser.error(f"no source is called {', '.join(sorted(unknown))}")

    def fitted(candidates: Sequence[Candidate]) -> Sum:
        teachers = [candidate for candidate in candidates if candidate.person not in options.only_judges]
        return Sum(teachers, path=_DATA, penalty=_PENALTY)

    scores = left_out([pair.candidate for pair in pool], fitted)
    for source in dict.fromkeys(pair.candidate.person for pair in pool):
        mine = [
            (pair, score) for pair, score in zip(pool, scores, strict=True) if pair.candidate.person == source
        ]
        shown = []
        for cut in _CUTS:
            marked = [pair for pair, score in mine if score >= cut]
            right = sum(pair.candidate.gold for pair in marked)
            shown.append(f"{cut}: {right} right, {len(marked) - right} wrong")
        print(
            f"{source} ({len(mine)} pairs, {sum(pair.candidate.gold for pair, _ in mine)} changes)  ",
            "  ".join(shown),
        )
    for pair, score in zip(pool, scores, strict=True) if options.misses else ():
        if (score >= cut_of("overtaking")) != pair.candidate.gold:
            print(
                f"{score:.2f} {'wrong' if not pair.candidate.gold else 'missed'} {pair.candidate.person}: {pair.older} / {pair.newer}"
            )
    learned = fitted([pair.candidate for pair in pool])
    if options.write:
        _DATA.write_text(str(learned), encoding="utf-8")
    print(learned)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
