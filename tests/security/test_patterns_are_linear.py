"""No text makes a pattern, or a function that reads what comes from outside, work longer than in proportion to its length.

The patterns are collected from the package and the texts are derived from the patterns (tests/adversaries.py): a new
pattern is covered without anybody naming it. `make test` tries some texts of each, `make test-laws` all, and the worst of them up to 1 MB
(of a whole reader, a quarter of that).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from math import inf
from typing import Any, NamedTuple

import patterns
import pytest
from adversaries import Pump, pumps, spaced, superlinear
from patterns import Found
from segments import segment_of

from memoryclaw.capture.host_turns import PendingToolCalls, read_turn
from memoryclaw.capture.log_records import redact_turn
from memoryclaw.connect import proposing
from memoryclaw.consolidation import changes, episodes
from memoryclaw.consolidation.changes import Segment
from memoryclaw.recall import query
from memoryclaw.talk import statements as talk
from memoryclaw.talk.corrections import corrected
from memoryclaw.talk.own_words import own_words
from memoryclaw.text import dates, host_marks, prompts
from memoryclaw.text.grammar import grammar
from memoryclaw.text.redaction import Redactor
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.writing import pending

pytestmark = pytest.mark.security

LARGEST = 1 << 20
SOME, SOME_LARGEST = 4, 1 << 16  # texts a pattern, and their size, in `make test`
ALL_LARGEST = 1 << 13  # size of all texts of a pattern, in `make test-laws`
WORST = 1  # text of each pattern that is tried up to the largest size

# Run at one place of a text and not at every place, though the sources alone do not tell.
ONCE = {
    "writing.pending._ADDRESS": "once a line, behind its bullet",
    "writing.pending._NAME": "once a line, behind its bullet",
    "consolidation.episodes._LEADING": "the next look begins where a match ended, and the first failure ends the looking",
    "vault.vocabulary._AMOUNT": "a value is an amount as a whole or not at all",
    "vault.vocabulary.SHAPES": "a value is one of a kind as a whole or not at all",
    "talk.layout.FORMS": "once a line, where it begins",
    "talk.own_words._MORE": "once a colon: the next one stands behind what it reads, or among its three words",
    "talk.own_words._NOTHING": "once a colon: the next one stands behind what it reads",
    "connect.archives._TOKEN": "the first string that does not end ends the looking",
    "connect.json5.COMMENT": "the reader goes on where a match ended, and the first failure ends the reading",
    "connect.json5._STRING": "the reader goes on where a match ended, and the first failure ends the reading",
    "connect.json5._SAME_LINE": "once an edit, behind the comma",
    "vault.notes._WORDS": "each part begins where the last one ended, and the first failure ends the cutting",
}
# Read pieces that cannot be long: what their growth is beyond does not matter.
SHORT = {
    "talk.assertions.": "a clause of a sentence of at most 400 characters (talk.LONGEST)",
    "talk.corrections._VALUE": "the few characters before a sign of correction",
    "vault.layout.CONFLICT_COPY": "the name of a file, which the file system keeps below 256 bytes",
}
PARTS = 24  # of the laws, one test each; which patterns there are is asked when a test runs, as every worker collects all tests


def patterns_of(part: int, parts: int) -> list[Found]:
    """Those of one part."""
    return [pattern for pattern in patterns.patterns() if not pattern.name.startswith(tuple(SHORT))][
        part::parts
    ]


def runs(pattern: Found) -> list[Callable[[str], object]]:
    """The ways in which the program runs a pattern; to try every start is the hardest of them."""
    ways = {"match"} if pattern.name in ONCE else pattern.ways or {"finditer"}
    return [pattern.run(way) for way in (ways if ways <= patterns.ONCE else {"finditer"})]


def growing(
    run: Callable[[Any], object],
    pump: Pump,
    most: int,
    first: Callable[[str], object] = str,
    **how: Any,
) -> object:
    def work(size: int) -> Callable[[], object]:
        text = first(pump.text(size))
        return lambda: run(text)

    return superlinear(work, most, **how)


def worst(costs: Mapping[Pump, Mapping[int, float]], size: int) -> list[Pump]:
    """Those that cost most at a size at which all were measured."""
    return sorted(costs, key=lambda pump: -costs[pump].get(size, inf))[:WORST]


def test_no_pattern_takes_longer_than_in_proportion_to_its_text():
    # One test: a worker that looks for the patterns is busy with that for longer than with trying them.
    for pattern in patterns_of(0, 1):
        for pump in spaced(pumps(pattern.pattern.pattern, pattern.pattern.flags), SOME):
            for run in runs(pattern):
                growth = growing(run, pump, SOME_LARGEST, least=4096)
                assert growth is None, f"{pattern.name} on {pump}: {growth}"


@pytest.mark.laws
@pytest.mark.parametrize("part", range(PARTS))
def test_no_pattern_takes_longer_than_in_proportion_to_any_text_up_to_a_megabyte(part):
    for pattern in patterns_of(part, PARTS):
        texts = pumps(pattern.pattern.pattern, pattern.pattern.flags)
        for run in runs(pattern):
            costs: dict[Pump, dict[int, float]] = {pump: {} for pump in texts}
            for pump in texts:
                growth = growing(run, pump, ALL_LARGEST, costs=costs[pump])
                assert growth is None, f"{pattern.name} on {pump}: {growth}"
            for pump in worst(costs, 4096):
                growth = growing(run, pump, LARGEST, least=16 * 1024, enough=LARGEST)
                assert growth is None, f"{pattern.name} on {pump}: {growth}"


@pytest.mark.laws
def test_a_pattern_that_is_slow_would_be_seen():
    for slow in (r"[ \t]+$", r"pass:(?=[^\s]*\d)", r"<a>.*?</a>", r"(\w+)@(\w+)\.de", r"a*b?a*c"):
        pattern = patterns.Found("slow", patterns.re.compile(slow), frozenset({"search"}))
        assert any(growing(pattern.run("search"), pump, 1 << 13, least=512) for pump in pumps(slow)), slow


def test_every_exception_is_still_a_pattern():
    names = [pattern.name for pattern in patterns.patterns()]
    assert [name for name in ONCE if name not in names] == []
    assert [name for name in SHORT if not any(entry.startswith(name) for entry in names)] == []


def test_a_sentence_that_is_longer_is_not_read_at_all():
    said = "my rent is 500 euros and "
    assert talk.read(segment_of([("user", said)]).turns, {}).statements
    long = said * (talk.LONGEST // len(said) + 1)
    assert not talk.read(segment_of([("user", long)]).turns, {}).statements


REDACTOR = Redactor(b"a key")
TODAY = date(2026, 3, 1)


def note(path: str) -> Callable[[str], object]:
    """Reads a file of a vault, as the index does."""
    return lambda text: read_note(path, text.encode("utf-8", "surrogatepass"), ReadingSettings())


READ: dict[str, tuple[Segment, talk.Talk]] = {}  # of the text that is tried: what reads on begins with it


def talked(text: str) -> tuple[Segment, talk.Talk]:
    """One turn and its statements, as consolidation reads them."""
    segment = segment_of([("user", text)])
    READ[text] = segment, talk.read(segment.turns, {})
    return READ[text]


def gist(read: tuple[Segment, talk.Talk]) -> object:
    """What an episode says of a turn that is read."""
    return episodes.extract(*read, {})


# What reads from outside as a whole, and the modules whose patterns tell what is hard for it.
READERS: dict[str, tuple[Callable[[Any], object], tuple[str, ...]]] = {
    "redaction of a text": (REDACTOR.text, ("text.redaction",)),
    "a captured turn": (
        lambda text: redact_turn(read_turn({"role": "user", "content": text}, PendingToolCalls()), REDACTOR),
        ("capture.", "text.prompts", "text.redaction"),
    ),
    "a captured tool result": (
        lambda text: redact_turn(
            read_turn({"tool": "t", "args": {"token": text}, "result": text}, PendingToolCalls()), REDACTOR
        ),
        ("capture.", "text.redaction"),
    ),
    "a host's message": (host_marks.without_marks, ("text.host_marks", "talk.own_words")),
    "own words": (lambda text: own_words(text, grammar("en")), ("talk.own_words",)),
    "corrections": (lambda text: corrected(text, grammar("en")), ("talk.corrections",)),
    "statements of a turn": (
        talked,
        ("talk.statements", "talk.assertions", "talk.people", "text.grammar"),
    ),
    "what a turn answers": (
        lambda text: talk.read(segment_of([("assistant", text), ("user", "the first")]).turns, {}),
        ("talk.statements",),
    ),
    "a question": (lambda text: query.parse(text, today=TODAY), ("recall.query", "text.date")),
    "dates": (lambda text: dates.find_ranges(text, TODAY), ("text.date",)),
    "facts": (note("semantic/projects.md"), ("vault.fact", "vault.propert", "text.yaml", "text.markdown")),
    "a note": (note("notes/a.md"), ("text.markdown", "vault.notes", "text.frontmatter")),
    "an episode": (note("episodes/2025-04-08_14-32-10_x.md"), ("text.markdown", "text.yaml", "index.index")),
    "a skill": (note("skills/a/SKILL.md"), ("skills.", "vault.notes", "text.yaml")),
    "a skill in JavaScript": (note("skills/a.js"), ("skills.", "vault.notes")),
    "a log": (note("logs/2026-01-01/s.jsonl"), ("vault.logs",)),
    "a log in Markdown": (note("logs/2026-01-01/s.md"), ("vault.logs",)),
    "facts that wait": (pending.read_pending, ("writing.pending",)),
    "a proposal": (changes.read_proposal, ("consolidation.changes", "text.yaml")),
    "OpenClaw's memory": (proposing.read_curated, ("connect.proposing",)),
    "a recalled text": (prompts.escape_line, ("text.prompts",)),
    "a quotation": (episodes.harmless, ("consolidation.episodes",)),
}
# What goes on with what another one read: measured in turn with it, since that costs more and would hide their own growth.
NEXT: dict[str, tuple[str, Callable[[Any], object], tuple[str, ...]]] = {
    "statements of a turn": ("the gist of a turn", gist, ("consolidation.episodes", "consolidation.p")),
}
# Seconds a character that are quick for a reader: grammar costs more than a pattern, and each of many Chinese digits may begin a date. `make test-laws` takes none for quick.
QUICK = {"statements of a turn": 8e-5, "dates": 6e-5, "the gist of a turn": 2e-5, "own words": 1.2e-5}
# What a Python loop may go through once more for each line, link, sentence or name.
UNITS = [
    Pump(head, unit, tail)
    for head, tail, units in (
        ("", "", ("a", " ", "\n", "- ", "- a: b\n", "- a\n  ", "# h\n", "a\n==\n", "[[a]] ", "| a | b |\n", "> a\n", "```\n", "x ^a\n", "#a ", "a b c. ",
                  "tomorrow ", "2026-03-01 ", "My rent is 5. ", "I like Oak. Actually, no.\n", "- [ ] a.b: c\n", "[since:: a] ", '{"role": "user"}\n',
                  "## User\nhi\n", "=pass:", "password is ", "\udfff", "é", "<private>", "(", '"', "OR ")),
        ("---\n", "\n---\nx", ("a: b\n", "- a\n", "a", "'", "[", "{", "&a ", "k: [", "# ")),
    )
    for unit in units
]  # fmt: skip
NAMES = "".join(
    f" I live in {chr(65 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}o. Actually, no."
    for n in range(5000)
)


def hard_for(modules: tuple[str, ...], most: int) -> list[Pump]:
    hardest: dict[Pump, None] = {}
    for pattern in spaced(
        [pattern for pattern in patterns.patterns() if pattern.name.startswith(modules)], most
    ):
        hardest.update(dict.fromkeys(spaced(pumps(pattern.pattern.pattern, pattern.pattern.flags), 200)))
    return [*spaced(UNITS, 2 * most), *spaced(list(hardest), most)]


class Step(NamedTuple):
    """A reader, the texts that are tried, and what each of them cost at which size."""

    name: str
    read: Callable[[Any], object]
    first: Callable[[str], object]
    costs: dict[Pump, dict[int, float]]


def steps(reader: str, most: int) -> list[Step]:
    """A reader and what goes on with what it read."""
    read, modules = READERS[reader]
    first = Step(reader, read, str, {pump: {} for pump in hard_for(modules, most)})
    if reader not in NEXT:
        return [first]
    name, read, modules = NEXT[reader]
    tried = {pump: {} for pump in hard_for(modules, most)}
    return [first, Step(name, read, lambda text: READ.get(text) or talked(text), tried)]


def assert_linear(reading: Sequence[Step], least: int, enough: int, quick: float | None = None) -> None:
    for pump in {pump: None for step in reading for pump in step.costs}:
        for step in reading:
            if pump in step.costs:
                growth = growing(
                    step.read, pump, SOME_LARGEST, step.first,
                    least=least, enough=enough, quick=quick or QUICK.get(step.name, 6e-6), costs=step.costs[pump],
                )  # fmt: skip
                assert growth is None, f"{step.name} of {pump}: {growth}"
        READ.clear()


@pytest.mark.parametrize("reader", READERS)
def test_no_reader_takes_longer_than_in_proportion_to_its_text(reader):
    assert_linear(steps(reader, 2), 2048, 8192)


@pytest.mark.laws
@pytest.mark.parametrize("reader", READERS)
def test_no_reader_takes_longer_than_in_proportion_to_any_text_up_to_a_quarter_of_a_megabyte(reader):
    reading = steps(reader, 6)
    assert_linear(reading, 4096, SOME_LARGEST, quick=1e-6)
    for step in reading:
        for pump in worst(step.costs, 16 * 1024):
            growth = growing(step.read, pump, LARGEST // 4, step.first, least=16384, quick=0)
            assert growth is None, f"{step.name} of {pump}: {growth}"


@pytest.mark.parametrize("most", [1 << 13, pytest.param(1 << 15, marks=pytest.mark.laws)])
def test_many_statements_of_one_turn_are_read_in_proportion_to_their_number(most):
    def work(size: int) -> Callable[[], object]:
        return lambda: gist(talked(NAMES[:size]))

    assert superlinear(work, most, least=most // 16, quick=0) is None
