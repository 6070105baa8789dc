"""When recall has nothing to say: everyday prompts that get an empty context, and first requests of work that get what they want.

    python benchmarks/silence.py [--logs DIR...]        # the prompts in a vault of projects, and in a vault of each NAME.jsonl
    python benchmarks/silence.py --learn --data DIR... --logs DIR...   # the weights of the features, each set judged by those of the others

`--vectors MODEL` asks with vectors of that model, and learns what they add to the sums of words, which it prints as `words` (about 1).

`silenceset/` holds 200 everyday prompts, which want nothing, and fifty first requests of coding sessions with the memory that each wants.
DIR of --logs holds NAME.jsonl (a log) with NAME.questions.jsonl (`question`, `must`: words of the answer; none: there is no answer): each session
is consolidated on its evening, and the questions are asked with the logs and, as `NAME memories`, without them. DIR of --data is as benchmarks/recall.py takes it. `--learn` prints the lists `weights` and `confidence` of memoryclaw/data/relevance.toml.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import recall as sets
from conversations import NOW, as_lines

from memoryclaw.app import App, init_vault
from memoryclaw.recall.evaluation import mean
from memoryclaw.recall.recall import recall
from memoryclaw.recall.relevance import of_vectors, says_what, values_of, weights_of

HERE = Path(__file__).parent / "silenceset"
BUDGET, ASKED, EACH = (
    800,
    36,
    3,
)  # tokens; questions of a set; of so many everyday prompts one is asked in a set
EVENING, LATER = timedelta(hours=6), timedelta(days=30)  # after the last turn
WANTED = 5.0  # what a prompt weighs whose answer is there, against one that wants nothing
UNTOLD = (
    2.0  # the same of a question of oneself: a tenth of the prompts, and more of those that nothing answers
)
MEMORIES = " memories"
NOTHING = frozenset({"everyday", "untold", "none"})
_RIDGE, _STEPS, _BINS = 2.0, 30, 10

Row = dict[str, Any]


class Case(NamedTuple):
    """A turn, the features of what was found for it, and whether the context of `BUDGET` tokens holds what it wants."""

    group: str
    vault: str  # judged by the weights of the others
    kind: str  # everyday untold none asked adversarial
    text: str
    says_what: bool  # itself, so that no sum is asked
    features: dict[str, float]
    in_reach: float  # share of what is wanted that a context without a floor holds
    share: float
    tokens: int
    confidence: float


def lines(path: Path) -> list[Row]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def prompts() -> list[tuple[str, str]]:
    """What wants nothing: the everyday prompts, and questions of oneself that no vault answers."""
    return [
        (kind, text)
        for kind in ("everyday", "untold")
        for text in (HERE / f"{kind}.txt").read_text(encoding="utf-8").splitlines()
    ]


def put_projects(root: Path) -> None:
    """Writes the vault of the projects: notes, facts and logs."""
    (root / "notes").mkdir(parents=True)
    (root / "semantic").mkdir()
    facts: dict[str, list[str]] = {}
    logs: dict[str, list[Row]] = {}
    for row in lines(HERE / "projects.jsonl"):
        project, day, text = row["project"], row["date"], row["text"]
        if row["kind"] == "note":
            note = f"---\nproject: {project}\n---\n{text}\n"
            (root / "notes" / f"{row['id']}.md").write_text(note, encoding="utf-8")
        elif row["kind"] == "fact":
            facts.setdefault(project, []).append(f"- {row['field']}: {text} [since:: {day}]")
        else:
            session = f"{project}-{day}"
            log = logs.setdefault(f"{day}/{session}.jsonl", [])
            line = {"ts": f"{day}T10:00:{len(log):02}Z", "session": session, "turn": row["id"]}
            log.append({**line, "role": row["role"], "content": text})
    notes = "\n".join(f"# {project}\n" + "\n".join(known) + "\n" for project, known in facts.items())
    (root / "semantic/projects.md").write_text(notes, encoding="utf-8")
    (root / "memoryclaw.yaml").write_text("", encoding="utf-8")
    for name, log in logs.items():
        path = root / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_lines(log), encoding="utf-8")


def asked(app: App, day: Any, vault: tuple[str, str], kind: str, text: str, share: Any) -> Case:  # noqa: PLR0917
    """A turn put to a vault; `share` says of a context what share it holds of what is wanted."""
    searcher = app._searcher(day)  # noqa: SLF001 - recall itself leaves a receipt
    with searcher.reading():
        ranking = searcher.find(text)
        best = [ranked for ranked in ranking.open if ranked.score and ranked.unit.trust != "untrusted"]
        features = values_of(ranking, best)
    answer, anything = (
        recall(
            searcher,
            text,
            goal="",
            session="",
            budget=BUDGET,
            max_results=app.config.max_results,
            floor=floor,
        )
        for floor in (True, False)
    )
    if app.config.fallback == "vector":
        words = sum(term.value for term in answer.relevance.terms if term.name != "vector")
        odds = sum(weight * features[name] for name, weight in weights_of("confidence").items())
        near = of_vectors(ranking, best) or dict.fromkeys(weights_of("vectors"), 0.0)
        features = {"words": words, "odds": odds, **near}
    return Case(
        *vault, kind, text, says_what(ranking.question), features, share(anything), share(answer), answer.tokens - answer.aside, answer.confidence
    )  # fmt: skip


def opened(root: Path, now: datetime, model: str) -> App:
    """A vault with its index, and with its vectors if a model shall make them."""
    app = App(root, clock=lambda: now, overrides=sets.vector_settings(model))
    app.sync()
    if model:
        app.fill_vectors()
    return app


def of_projects(folder: Path, model: str) -> Iterator[Case]:
    """The first requests, and the everyday prompts in the same vault."""
    put_projects(folder / "projects")
    text_of = {row["id"]: row["text"].split("\n")[-1] for row in lines(HERE / "projects.jsonl")}
    day = datetime(2025, 11, 25, tzinfo=UTC)
    with closing(opened(folder / "projects", day, model)) as app:
        for row in lines(HERE / "requests.jsonl"):
            wanted = [text_of[id_][:30] for id_ in row["evidence"]]
            yield asked(
                app, day.date(), ("projects", "projects"), "asked", row["request"],
                lambda answer, wanted=wanted: float(any(text in answer.context for text in wanted)),
            )  # fmt: skip
        for kind, text in prompts():
            yield asked(app, day.date(), ("projects", "projects"), kind, text, lambda _: 0.0)


def of_logs(path: Path, folder: Path, model: str) -> Iterator[Case]:
    """The questions about one log, and the everyday prompts in its vault."""
    name, group, root = path.name.partition(".")[0], path.parent.parent.name, folder / path.name
    now = play(path, root)
    for suffix in ("", MEMORIES):
        if suffix:
            shutil.rmtree(root / "logs")
        with closing(opened(root, now + LATER, model)) as app:
            day, vault = (now + LATER).date(), (group + suffix, name)
            for row in lines(path):
                wanted = any_of_each(row["must"])
                kind = "asked" if row["must"] else "none"
                yield asked(
                    app, day, vault, kind, row["question"],
                    lambda answer, wanted=wanted: float(all(holds(answer.context, any_of) for any_of in wanted)),
                )  # fmt: skip
            for kind, text in prompts():
                yield asked(app, day, vault, kind, text, lambda _: 0.0)


def play(path: Path, root: Path) -> datetime:
    """Makes the vault of a log, each session consolidated on its evening: the last of them."""
    sessions: dict[str, list[Row]] = {}
    for turn in lines(path.with_name(f"{path.name.partition('.')[0]}.jsonl")):
        sessions.setdefault(turn["session"], []).append(turn)
    now = datetime.min.replace(tzinfo=UTC)
    for turns in sorted(sessions.values(), key=lambda turns: turns[0]["ts"]):
        now = datetime.fromisoformat(turns[-1]["ts"]) + EVENING
        with closing(init_or_open(root, now)) as app:
            app.capture(turns)
            app.consolidate(llm="none")
    return now


def any_of_each(must: Sequence[Any]) -> list[list[str]]:
    """The words of an answer: one of each list must stand in it."""
    return must if must and isinstance(must[0], list) else [must]


def init_or_open(root: Path, now: datetime) -> App:
    """The vault of a log, made where it is not there yet."""
    if not root.exists():
        init_vault(root, clock=lambda: now)
    return App(root, clock=lambda: now)


def holds(context: str, values: Sequence[str]) -> bool:
    """True where one of the values stands in a text."""
    return any(value.casefold() in context.casefold() for value in values)


def of_set(set_: sets.Set, cache: Path, model: str) -> Iterator[Case]:
    """Some questions of a set of conversations, and some of the everyday prompts in its first vault."""
    bench = sets.Bench(set_, sets.Options(cache=cache), lambda *_: None)
    chosen = sets.spread([q for of in bench.questions.values() for q in of if q["evidence"]], ASKED)
    wanted = set(map(id, chosen))
    for number, (conversation, app) in enumerate(bench.apps(model)):
        for row in bench.questions[conversation]:
            if id(row) in wanted:
                evidence = set(row["evidence"])
                kind = "adversarial" if row["category"] == "adversarial" else "asked"
                yield asked(
                    app, NOW.date(), (set_.name, set_.name), kind, row["question"],
                    lambda answer, evidence=evidence: len(evidence & {sets.turn_id(match.unit.id) for match in answer.matches}) / len(evidence),
                )  # fmt: skip
        for kind, text in () if number else prompts()[::EACH]:
            yield asked(app, NOW.date(), (set_.name, set_.name), kind, text, lambda _: 0.0)


# Learning: two logistic sums of the same features, every set with the same weight.


def logistic(
    rows: Sequence[Sequence[float]], labels: Sequence[float], weights: Sequence[float]
) -> list[float]:
    """The weights of a logistic sum, by Newton's method; large ones cost a little."""
    import numpy as np  # noqa: PLC0415 - of the extra `vectors`

    x, y, w = np.array(rows), np.array(labels), np.array(weights)
    coefficients = np.zeros(x.shape[1])
    ridge = _RIDGE * np.eye(x.shape[1])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ coefficients, -30, 30)))
        coefficients -= np.linalg.solve(
            (x * (w * p * (1 - p))[:, None]).T @ x + ridge, x.T @ (w * (p - y)) + ridge @ coefficients
        )
    return [float(value) for value in coefficients]


def shared(cases: Sequence[Case], labels: Sequence[float]) -> list[float]:
    """The weight of each case: sets count alike, and in each what is wanted `WANTED` times as much as what is not."""
    sides = [
        (case.group.removesuffix(MEMORIES), label > 0) for case, label in zip(cases, labels, strict=True)
    ]
    sizes = Counter(sides)
    weights = [
        (WANTED if side[1] else UNTOLD if case.kind == "untold" else 1) / sizes[side]
        for case, side in zip(cases, sides, strict=True)
    ]
    return [weight * len(cases) / sum(weights) for weight in weights]


def learned(cases: Sequence[Case]) -> Iterator[str]:
    """What each vault is like when it is judged by weights of the others, and the weights of all."""
    names = [name for name in cases[0].features if name != "odds"]

    def relevant(some: Sequence[Case]) -> list[float]:
        labels = [float(case.kind == "asked") for case in some]
        rows = [[case.features[name] for name in names] for case in some]
        return logistic(rows, labels, shared(some, labels))

    def value(case: Case, weights: Sequence[float]) -> float:
        return math.fsum(weight * case.features[name] for name, weight in zip(names, weights, strict=True))

    judged = [case for case in cases if not case.says_what]
    telling = [case for case in judged if case.kind in NOTHING or (case.kind == "asked" and case.in_reach)]
    answering = [case for case in judged if case.kind not in ("everyday", "untold")]
    for vault in sorted({case.vault for case in cases}):
        weights = relevant([case for case in telling if case.vault != vault])
        own = [case for case in telling if case.vault == vault]
        lost = [value(case, weights) < 0 for case in own if case.kind == "asked"]
        silent = [value(case, weights) < 0 for case in own if case.kind != "asked"]
        yield f"{vault}: of {len(lost)} that were found {mean(lost):.3f} lost, of {len(silent)} prompts {mean(silent):.3f} silent"
    relevance = relevant(telling)
    labels = [case.in_reach * (case.kind == "asked") for case in answering]
    confident = (
        ["odds", *weights_of("vectors")] if "odds" in cases[0].features else list(weights_of("confidence"))
    )
    rows = [[case.features[name] for name in confident] for case in answering]
    confidence = logistic(rows, labels, [1.0] * len(answering))
    for title, features, weights in (("weights", names, relevance), ("confidence", confident, confidence)):
        yield title
        yield from (f"{name} {weight:.3f}" for name, weight in zip(features, weights, strict=True))


def figures(cases: Sequence[Case]) -> Iterator[str]:
    """What the product does as it is."""
    for kind in ("everyday", "untold", "none", "adversarial"):
        tokens = [case.tokens for case in cases if case.kind == kind]
        if tokens:
            yield f"{kind}: {len(tokens)} asked, {mean([not spent for spent in tokens]):.3f} silent, {mean(tokens):.1f} tokens"
    for group in sorted({case.group for case in cases if case.kind == "asked"}):
        asked_of = [case for case in cases if case.group == group and case.kind == "asked"]
        reach, shown = ([getattr(case, name) for case in asked_of] for name in ("in_reach", "share"))
        lost = sum(bool(case.in_reach and not case.share) for case in asked_of)
        yield f"{group}: {len(asked_of)} asked, {lost} lost, evidence {mean(reach):.3f} without a floor, {mean(shown):.3f} with it"
    yield from calibration(cases)


def calibration(cases: Sequence[Case]) -> Iterator[str]:
    """How far the confidence is from what the contexts hold: of each group, and of all."""
    for group in sorted({case.group for case in cases}):
        yield f"{group}: expected calibration error {calibration_error([case for case in cases if case.group == group]):.3f}"
    yield f"expected calibration error of the confidence: {calibration_error(cases):.3f}"


def calibration_error(cases: Sequence[Case]) -> float:
    """How far the confidence is from the share of what is wanted that the contexts hold, over ten steps of it."""
    counted = [case for case in cases if case.kind not in ("everyday", "untold")]
    steps: dict[int, list[Case]] = {}
    for case in counted:
        steps.setdefault(min(int(case.confidence * _BINS), _BINS - 1), []).append(case)
    return sum(
        abs(sum(case.confidence - case.share * (case.kind == "asked") for case in some))
        for some in steps.values()
    ) / max(len(counted), 1)


def cases_of(data: Sequence[Path], logs: Sequence[Path], kept_in: Path | None, model: str) -> list[Case]:
    """The turns put to the vault of projects, to those of the logs and of the sets, with vectors of a model if it is named."""
    with tempfile.TemporaryDirectory(prefix="memoryclaw-silence-") as folder, sets.cache_at(kept_in) as cache:
        cases = [*of_projects(Path(folder), model)]
        paths = [path for log in logs for path in sorted(log.glob("*.questions.jsonl"))]
        for number, path in enumerate(paths):
            cases += of_logs(path, Path(folder) / str(number), model)
        for set_ in sets.sets_of(data) if data else ():
            cases += of_set(set_, cache, model)
            print(f"… {set_.name}", file=sys.stderr, flush=True)
    return cases


def main() -> int:
    """Asks, and prints what came of it."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--logs", nargs="*", action="extend", default=[], type=Path, metavar="DIR")
    options.add_argument("--data", nargs="*", action="extend", default=[], type=Path, metavar="DIR")
    options.add_argument("--cache", type=Path, metavar="DIR", help="keep vaults there")
    options.add_argument("--learn", action="store_true", help="print the weights of the features")
    options.add_argument(
        "--vectors", nargs="?", const=sets.MINILM, default="", metavar="MODEL", help="with vectors"
    )
    given = options.parse_args()
    cases = cases_of(given.data, given.logs, given.cache, given.vectors)
    print("\n".join(learned(cases) if given.learn else figures(cases)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
