"""Questions with days over notes: whether what a note tells of a day is found, recalled and answered, however the note and the question write it.

    python benchmarks/days.py [--questions N] [--json]

Each note tells of ten days, half of them as a heading and half within a sentence, in seven forms (2021-12-31, 31 December 2021, 31.12.2021 …).
A question writes its day in another of them. Half of the questions share a word with the notes ("what happened on …?"), half none ("any plans for …?"). Seeded: two runs print the same.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from memoryclaw.app import App, init_vault

_ENGLISH = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_GERMAN = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
]
FORMS: tuple[Callable[[date], str], ...] = (
    date.isoformat,
    lambda day: f"{day.day} {_ENGLISH[day.month - 1]} {day.year}",
    lambda day: f"{_ENGLISH[day.month - 1]} {day.day}, {day.year}",
    lambda day: f"{day:%Y.%m.%d}",
    lambda day: f"{day.day}. {_GERMAN[day.month - 1]} {day.year}",
    lambda day: f"{day:%Y%m%d}",
    lambda day: f"{day:%d.%m.%Y}",
)
WHO = [
    "Ingvar",
    "Odile",
    "Tomasz",
    "Wren",
    "Yusuf",
    "Petra",
    "Hana",
    "Lorcan",
    "Mireille",
    "Bashir",
    "Edda",
    "Caspian",
]
DID = (
    "repainted the shed", "fixed the pump", "lost the ferry tickets", "planted garlic", "sold the loom", "baked rye bread", "tuned the piano",
    "repaired the sluice", "met the auditors", "signed the lease", "cleaned the gutters", "opened the archive", "moved the beehives",
)  # fmt: skip
ASKED = {
    "happened": ("What happened on {day}?", "What did {who} do on {day}?"),
    "no word": ("any plans for {day}?", "Did anything important occur on {day}?", "Was passierte am {day}?"),
}
A_NOTE, FIRST, DAYS = 10, date(2020, 1, 1), 2200
OUTCOMES = ("found first", "among five", "recalled", "answered", "unsure", "wrong", "denied")


class Told(NamedTuple):
    """What a note tells of a day, and the question for it."""

    kind: str
    question: str
    heading: str
    line: str
    deed: str


def told_days(questions: int) -> Iterator[Told]:
    """So many days, each told and asked for in two forms."""
    draw = random.Random(7)
    for number, offset in enumerate(draw.sample(range(DAYS), questions)):
        day, who, did = FIRST + timedelta(offset), draw.choice(WHO), draw.choice(DID)
        written, asked = draw.sample(FORMS, 2)
        kind = list(ASKED)[number % 2]
        deed = f"{who} {did}"
        line = f"On {written(day)} {deed}" if number % 4 < 2 else deed
        heading = f"Entry {number}" if number % 4 < 2 else written(day)
        question = draw.choice(ASKED[kind]).format(day=asked(day), who=who)
        yield Told(kind, question, heading, f"{line}, and it took most of the afternoon (m{number}x).", deed)


def outcomes_of(app: App, telling: Told) -> Iterator[str]:
    """What became of one question."""
    hits = [telling.line in match.unit.text for match in app.search(telling.question, limit=5).matches]
    answer = app.ask(telling.question)
    is_right = any(telling.deed in line.text for line in answer.lines)
    yield from ["found first"] * (hits[:1] == [True])
    yield from ["among five"] * any(hits)
    yield from ["recalled"] * (telling.deed in app.recall(telling.question).context)
    if not answer.lines:
        yield "denied"
    elif answer.answered:
        yield "answered" if is_right else "wrong"
    elif is_right:
        yield "unsure"


def main() -> int:
    """Asks, and prints what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    rows = list(told_days(options.questions))
    moment = datetime(2026, 6, 1, 12, tzinfo=UTC)
    counts = {kind: Counter[str]() for kind in ASKED}
    with tempfile.TemporaryDirectory(prefix="memoryclaw-days-") as folder:
        root = Path(folder) / "vault"
        init_vault(root, clock=lambda: moment)
        for first in range(0, len(rows), A_NOTE):
            parts = (f"## {row.heading}\n\n{row.line}\n" for row in rows[first : first + A_NOTE])
            note = root / f"log{first // A_NOTE}.md"
            note.write_text("\n".join((f"# Log {first // A_NOTE}\n", *parts)), encoding="utf-8")
        with closing(App(root, clock=lambda: moment)) as app:
            for row in rows:
                counts[row.kind].update(("asked", *outcomes_of(app, row)))
    shares = {
        kind: {name: round(count[name] / max(count["asked"], 1), 3) for name in OUTCOMES}
        for kind, count in counts.items()
    }
    if options.json:
        print(json.dumps(shares, indent=1))
        return 0
    print(f"{'':9}", *(f"{name:>11}" for name in OUTCOMES))
    for kind, share in shares.items():
        print(f"{kind:9}", *(f"{share[name]:11.3f}" for name in OUTCOMES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
