"""Consolidation without a model: is the evidence of each question still found when only the produced episodes and facts are there?

Reads the files that locomo.py reads, and observations.jsonl: the facts that the data set's authors had a model write.
Each conversation is cut, extracted and written as episodes and facts into a vault without logs; every question is asked there
through the public API, and a hit counts for the turns that it cites (`^l7` behind a line, `[[…#^l7]]` behind a fact).

    python benchmarks/consolidation.py --data DIR [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from conversations import by_conversation

from memoryclaw.app import App, open_vault
from memoryclaw.consolidation.changes import Claim, Segment
from memoryclaw.consolidation.episodes import episode, extract, with_quotes
from memoryclaw.consolidation.exchanges import nothing_in
from memoryclaw.consolidation.planning import cut
from memoryclaw.consolidation.reconcile import claims_of
from memoryclaw.recall.evaluation import share
from memoryclaw.talk.statements import read as read_talk
from memoryclaw.vault.edits import quotable
from memoryclaw.vault.logs import read_jsonl
from memoryclaw.writing.context import Templates

DEPTH = 10
FIRST = 3  # of the turns that one hit cites
RAW = 200  # turns of the raw logs that are ranked
COLUMNS = ("ours", "episodes", "reference", "raw")
GOAL = 0.5  # tokens out / tokens in
Row = dict[str, Any]
_BLOCK = re.compile(r" \^l(\d+)(?:-\d+)?$")
_SOURCE = re.compile(r"\[\[([^\[\]#]+)#\^l(\d+)(?:-\d+)?\]\]")


_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\U0001f000-\U0003ffff]")


def length(text: str) -> int:
    """A text's length in tokens of four characters."""
    wide = len(_WIDE.findall(text))
    plain = sum(map(str.isascii, text))
    return math.ceil(plain / 4 + (len(text) - plain - wide) / 1.6 + wide)


class Hit(NamedTuple):
    """One result: the turns that it cites, in order, and what it costs to show whole."""

    turns: tuple[str, ...]
    tokens: int


def main() -> int:
    """Runs the benchmark and prints its table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = ("turns", "questions", "observations")
    options.add_argument(
        "--data", required=True, type=Path, help=f"folder with {', '.join(f'{n}.jsonl' for n in names)}"
    )
    options.add_argument("--json", action="store_true", help="print JSON")
    given = options.parse_args()
    missing = [name for name in names if not (given.data / f"{name}.jsonl").is_file()]
    if missing:
        print(f"{given.data} has no {', '.join(missing)}.jsonl", file=sys.stderr)
        return 1
    result = measure(given.data)
    print(json.dumps(result, indent=1) if given.json else table(result))
    return 0


def measure(data: Path) -> Row:
    """All figures over the conversations of a folder."""
    turns, questions = by_conversation(data / "turns.jsonl"), by_conversation(data / "questions.jsonl")
    observed = by_conversation(data / "observations.jsonl")
    tallies = {name: Tally() for name in COLUMNS}
    made = Made()
    with tempfile.TemporaryDirectory() as folder:
        for conversation, rows in turns.items():
            root = Path(folder) / conversation
            vaults = (
                consolidated(root / "ours", rows, made),
                consolidated(root / "episodes", rows, Made(), facts=False),
                observations(root / "reference", observed.get(conversation, [])),
                spoken(root / "raw", rows),
            )
            for question in questions[conversation]:
                if question["evidence"] and question["category"] != "adversarial":
                    asked(question, vaults, tallies.values())
            for vault in vaults:
                vault.app.close()
    figures = {name: tally.figures() for name, tally in tallies.items()}
    return {**made.figures(), "questions": tallies["ours"].questions, "found": figures}


def asked(question: Row, vaults: Iterable[Vault], tallies: Iterable[Tally]) -> None:
    """Asks one question of every vault; the raw turns also for as many turns, and tokens, as our hits hold."""
    evidence, size = question["evidence"], (0, 0)
    for vault, tally in zip(vaults, tallies, strict=True):
        hits = vault.hits(question["question"])
        tally.take(evidence, hits, size)
        if not size[1]:
            size = len(cited(hits[:DEPTH])), sum(hit.tokens for hit in hits[:DEPTH])


class Vault(NamedTuple):
    """An open vault, and how a hit's lines are read back to turns."""

    app: App
    cites: Callable[[str, int, int], tuple[str, ...]]  # path, first and last line → turn ids
    depth: int

    def hits(self, text: str) -> list[Hit]:
        """The results of a question, in rank order."""
        answer = self.app.search(text, limit=self.depth)
        return [
            Hit(self.cites(m.path, m.unit.line, m.unit.end_line), length(f"{m.unit.title} {m.unit.text}"))
            for m in answer.matches
        ]


class Made:
    """What consolidating cost and gave."""

    def __init__(self) -> None:
        self.tokens_in = self.tokens_out = self.turns = self.episodes = self.facts = self.points = 0
        self.skipped: dict[str, int] = {}
        self.seconds = 0.0

    def figures(self) -> Row:
        """The counts, and how much shorter what was written is than what was said."""
        return {
            "compression": round(self.tokens_out / self.tokens_in, 4),
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "turns": self.turns,
            "episodes": self.episodes,
            "facts": self.facts,
            "turns_quoted": round(self.points / self.turns, 4),
            "skipped": self.skipped,
            "seconds_per_1000_turns": round(self.seconds * 1000 / self.turns, 3),
        }


def consolidated(root: Path, rows: list[Row], made: Made, *, facts: bool = True) -> Vault:
    """A vault of the episodes, and the facts, of one conversation; its logs are nowhere."""
    templates, ids, claims = Templates(), dict[tuple[str, int], str](), list[tuple[str, Claim]]()
    for path, turns in logs_of(rows):
        lines = [line_of(turn) for turn in turns]
        ids |= {(path, number): turn["id"] for number, turn in enumerate(turns, 1)}
        made.turns += len(turns)
        made.tokens_in += sum(length(f"{turn['speaker']}: {content(turn)}\n") for turn in turns)
        started = time.perf_counter()
        for segment in cut(path, lines, read_jsonl(Path(path).stem, b"".join(lines).decode()).turns):
            if reason := nothing_in(segment):
                made.skipped[reason] = made.skipped.get(reason, 0) + 1
                continue
            id_, text, claimed = write_episode(root, segment, templates, made)
            claims += [(id_, claim) for claim in claimed] if facts else []
            made.tokens_out += length(text)
        made.seconds += time.perf_counter() - started
    made.tokens_out += kept(root, claims, made)
    sources = {path.stem: path.read_text(encoding="utf-8") for path in (root / "episodes").glob("*.md")}
    return Vault(
        opened(root), lambda path, first, last: cited_by(root / path, (first, last), sources, ids), DEPTH
    )


def write_episode(
    root: Path, segment: Segment, templates: Templates, made: Made
) -> tuple[str, str, tuple[Claim, ...]]:
    """Writes the episode of a segment; its id, its text and the claims made in it."""
    talk = read_talk(segment.turns, {})
    claims = claims_of(talk)
    read = extract(segment, talk, {})
    read = read._replace(points=with_quotes(read.points, claims, segment.turns))
    note = episode(segment, read, lambda path: (root / path).exists())
    text = templates.render("notes/episode.md.j2", **note.values)
    (root / "episodes").mkdir(parents=True, exist_ok=True)
    (root / note.path).write_text(text, encoding="utf-8")
    made.episodes += 1
    made.points += len({point.line for point in read.points})
    return note.id, text, claims


def kept(root: Path, claims: list[tuple[str, Claim]], made: Made) -> int:
    """Writes the facts that a run would write by itself, each with its source; what they cost."""
    by_entity: dict[str, list[str]] = {}
    for id_, claim in claims:
        if claim.durable and claim.confidence == "high" and claim.role == "user":
            source = f"[source:: [[{id_}#^l{claim.line}]]]"
            line = f"- {claim.field}: {claim.value} [since:: {claim.said}] {source}"
            if claim.is_statement:
                line = f'- "{quotable(claim.value)}" [said:: {claim.said}] {source}'
            by_entity.setdefault(claim.entity, []).append(line)
            made.facts += 1
    text = "\n".join("\n".join((f"# {entity}", *lines, "")) for entity, lines in by_entity.items())
    if text:
        (root / "semantic").mkdir(parents=True, exist_ok=True)
        (root / "semantic" / "facts.md").write_text(text, encoding="utf-8")
    return length(text)


def observations(root: Path, rows: list[Row]) -> Vault:
    """A vault of the reference observations, a note each, that cite the turns they were made of."""
    cites = {}
    (root / "notes").mkdir(parents=True)
    for number, row in enumerate(rows):
        path = f"notes/{number:04}.md"
        (root / path).write_text(f"{row['text']}\n", encoding="utf-8")
        cites[path] = tuple(row["evidence"])
    return Vault(opened(root), lambda path, _first, _last: cites[path], DEPTH)


def spoken(root: Path, rows: list[Row]) -> Vault:
    """A vault whose logs are the turns."""
    ids: dict[tuple[str, int], str] = {}
    for path, turns in logs_of(rows):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(b"".join(map(line_of, turns)))
        ids |= {(path, number): turn["id"] for number, turn in enumerate(turns, 1)}
    return Vault(opened(root), lambda path, first, _last: (ids[path, first],), RAW)


def opened(root: Path) -> App:
    (root / "memoryclaw.yaml").write_text("", encoding="utf-8")
    app = open_vault(root, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    app.sync()
    return app


def logs_of(rows: list[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Yields the log of each session: its path, and its turns."""
    for session in dict.fromkeys(row["session"] for row in rows):
        turns = [row for row in rows if row["session"] == session]
        yield f"logs/{turns[0]['datetime'][:10]}/s{session}.jsonl", turns


def line_of(turn: Row) -> bytes:
    line = {
        "ts": turn["datetime"] + ":00Z", "session": f"s{turn['session']}", "turn": turn["id"],
        "role": "user", "name": turn["speaker"], "content": content(turn),
    }  # fmt: skip
    return (json.dumps(line, ensure_ascii=False) + "\n").encode()


def content(turn: Row) -> str:
    return str(turn["text"]) + (f" [image: {turn['caption']}]" if turn["caption"] else "")


def cited_by(
    path: Path, span: tuple[int, int], sources: dict[str, str], ids: dict[tuple[str, int], str]
) -> tuple[str, ...]:
    """The turns that some lines of a note cite: by their own block ids, or by those of the episode that a fact rests on."""
    cited: list[tuple[str, int]] = []
    for line in path.read_text(encoding="utf-8").splitlines()[span[0] - 1 : span[1]]:
        own = _BLOCK.search(line)
        cited += [(path.stem, int(own[1]))] if own else []
        cited += [(id_, int(number)) for id_, number in _SOURCE.findall(line)]
    logs = {id_: re.search(r"^source: (.+?)#", sources[id_], re.MULTILINE) for id_, _ in cited}
    return tuple(ids[log[1], number] for id_, number in cited if (log := logs[id_]))


def cited(hits: Iterable[Hit]) -> list[str]:
    """The turns that some hits cite, each once, in order."""
    return list(dict.fromkeys(turn for hit in hits for turn in hit.turns))


class Tally:
    """Figures of one kind of memory as they come in, one question at a time."""

    def __init__(self) -> None:
        self.questions = 0
        self._figures: dict[str, list[float]] = {}

    def take(self, evidence: list[str], hits: list[Hit], size: tuple[int, int]) -> None:
        """Counts one question's results; `size` are the turns and tokens that our own ten hits held."""
        self.questions += 1
        top = hits[:DEPTH]
        self._add("recall@10", share(cited(top), evidence))
        self._add(
            f"first_{FIRST}_of_each", share(cited(h._replace(turns=h.turns[:FIRST]) for h in top), evidence)
        )
        self._add("first_10_turns", share(cited(hits)[:DEPTH], evidence))
        self._add("turns_a_hit", statistics.fmean(len(hit.turns) for hit in top) if top else 0)
        self._add("turns_in_10", len(cited(top)))
        self._add("tokens_in_10", sum(hit.tokens for hit in top))
        if len(hits) > DEPTH or size[1]:
            self._add("as_many_turns", share(cited(hits)[: size[0]], evidence))
            self._add("as_many_tokens", share(cited(within(hits, size[1])), evidence))

    def _add(self, name: str, value: float) -> None:
        self._figures.setdefault(name, []).append(value)

    def figures(self) -> dict[str, float]:
        """The means."""
        return {name: round(statistics.fmean(values), 4) for name, values in self._figures.items()}


def within(hits: list[Hit], tokens: int) -> list[Hit]:
    """The first hits that fit into so many tokens."""
    taken = []
    for hit in hits:
        tokens -= hit.tokens
        if tokens < 0:
            break
        taken.append(hit)
    return taken


def table(result: Row) -> str:
    """The figures for people."""
    figures = result["found"]
    lines = [
        "{questions} questions; {turns} turns became {episodes} episodes and {facts} facts".format_map(
            result
        ),
        f"{result['seconds_per_1000_turns']:.2f} s a thousand turns; {result['turns_quoted']:.0%} of them are quoted",
        f"compression {result['compression']:.3f} (goal {GOAL}: {'met' if result['compression'] <= GOAL else 'missed'})",
        f"{'':20}" + "".join(f"{name:>12}" for name in COLUMNS),
    ]
    for name in dict.fromkeys(name for column in COLUMNS for name in figures[column]):
        values = (figures[column].get(name) for column in COLUMNS)
        lines.append(f"{name:20}" + "".join(f"{'' if v is None else f'{v:.3f}':>12}" for v in values))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
