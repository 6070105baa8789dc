"""The simulated year: what is told in it is known, two runs print the same bytes, and a part that is switched off changes answers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, os.fspath(ROOT / "benchmarks"))
import year as benchmark  # noqa: E402 - the folder above is what makes it found
from yearset.plan import Asked, Edit, Said, Told, Value, Year, turns_of  # noqa: E402
from yearset.words import SPEAKERS  # noqa: E402

from memoryclaw.app import open_vault  # noqa: E402

TURNS, MONTHS = 120, 2


def told_in(year: Year) -> list[Told]:
    """Everything that is told, in order."""
    return [
        telling
        for day in year.days
        for telling in (
            *(
                telling
                for _, said in day.sessions
                for ex in said
                if isinstance(ex, Said)
                for telling in ex.facts
            ),
            *day.remembered,
            *(edit.telling for edit in day.edits if edit.telling is not None),
        )
    ]


def test_a_year_has_as_many_turns_as_are_wanted_and_a_seed_of_its_own() -> None:
    years = [Year(seed, 1500, 5) for seed in (1, 1, 2)]
    said = [repr(year.days) for year in years]
    assert said[0] == said[1] != said[2]
    for year in years:
        assert sum(turns_of(piece) for day in year.days for _, part in day.sessions for piece in part) == 1500
    hows = Counter(telling.how for telling in told_in(years[0]))
    assert hows["told"] > hows["changed"] > hows["rival"] >= hows["settled"] > 0
    edits = Counter(edit.how for day in years[0].days for edit in day.edits)
    assert {"note", "told", "changed", "rival", "renamed", "forgotten"} <= edits.keys()


def test_what_is_told_holds_its_value_and_no_two_facts_share_one() -> None:
    year = Year(3, 5000, 12)
    owners: dict[str, int] = {}
    for telling in told_in(year):
        for form in (
            telling.value.forms if telling.fact not in {backup.number for backup in year.backups} else ()
        ):
            assert owners.setdefault(form, telling.fact) == telling.fact
    for day in year.days:
        for _, exchanges in day.sessions:
            for exchange in exchanges:
                if isinstance(exchange, Said):
                    for telling in exchange.facts:
                        assert benchmark.holds(exchange.text, telling.value), (exchange.text, telling.value)
                        fact = year.facts[telling.fact]
                        first_person = exchange.speaker == fact.entity
                        assert first_person or benchmark.fits(fact.entity, exchange.text), (
                            exchange.text,
                            fact.entity,
                        )


def test_no_value_is_a_day_on_which_anything_is_said() -> None:
    year = Year(1, 5000, 12)
    spoken = {f"{day.date}" for day in year.days}
    assert not spoken & {form for telling in told_in(year) for form in telling.value.forms}


def test_a_value_is_found_as_people_write_it() -> None:
    value = Value(("15,320 euros",))
    assert benchmark.holds("they gave us 15320 Euros!", value)
    assert not benchmark.holds("115,320 euros", value)
    assert benchmark.holds("in the bishops barn", Value(("the bishop's barn", "bishop's barn")))
    assert benchmark.MARKS.search("semantic/x# A.phone: 1 (superseded since 2025-02-01)")
    assert not benchmark.MARKS.search("until noon nobody came (2025-02-01)")


def two_runs(folder: Path) -> list[bytes]:
    """What two runs at once print, in processes whose hashes differ; the second one keeps its vault."""
    command = [sys.executable, os.fspath(ROOT / "benchmarks" / "year.py"), "--turns", str(TURNS), "--months", str(MONTHS)]  # fmt: skip
    started = [
        subprocess.Popen(
            [*command, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        for seed, more in (("1", ()), ("2", ("--keep", os.fspath(folder / "vault"))))
    ]  # fmt: skip
    printed = []
    for process in started:
        out, error = process.communicate(timeout=300)
        assert process.returncode == 0, error.decode()
        printed.append(out)
    return printed


@pytest.mark.laws
def test_two_runs_print_the_same_bytes_and_the_vault_answers_what_was_told(tmp_path: Path) -> None:
    first, second = two_runs(tmp_path)
    assert first == second
    table = first.decode()
    assert [row.split(" | ")[0] for row in table.splitlines()[2:5]] == ["| 2025-01", "| 2025-02", "| all"]
    assert "ms" not in table.partition("switched off")[0]  # times are only told on demand
    year, vault = Year(1, TURNS, MONTHS), tmp_path / "vault"
    logs = sorted((vault / "logs").glob("*/*.jsonl"))
    lines = [line for log in logs for line in log.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == TURNS
    everything = told_in(year)
    once = [
        telling for telling in everything if [telling.fact for telling in everything].count(telling.fact) == 1
    ]
    said = [
        telling for telling in once if telling.speaker in SPEAKERS and telling.slip is None and year.facts[telling.fact].weight
    ]  # fmt: skip
    with open_vault(vault, clock=lambda: datetime(2025, 3, 1, 5, tzinfo=UTC)) as app:
        corrected = []
        for telling in said:
            question = benchmark.unheard(year.facts[telling.fact], 0)
            corrected.append(benchmark.holds(app.recall(question, noted=False).context, telling.value))
    assert len(corrected) >= 3
    assert sum(corrected) >= len(corrected) - 1
    for edit in (edit for day in year.days for edit in day.edits):
        assert_edited(vault, edit)


def assert_edited(vault: Path, edit: Edit) -> None:
    """A page that was renamed for the last time stands under its new name; a forgotten note is in the archive."""
    if edit.how == "renamed":
        assert not (vault / edit.path).exists()
    if edit.how == "forgotten":
        assert edit.telling is not None
        assert any(
            benchmark.holds(path.read_text(encoding="utf-8"), edit.telling.value)
            for path in (vault / "archive").rglob("*.md")
        )


@pytest.mark.laws
def test_a_part_that_is_switched_off_is_paired_with_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    parts = benchmark.there(
        {
            "session": {"memoryclaw.recall.rank:SESSION": 0.0},
            "other": {"memoryclaw.recall.rank:NOT_THERE": 0.0},
        }
    )
    assert [*parts] == ["session"]
    with benchmark.counted_ids():
        life = benchmark.Life(tmp_path / "vault", Year(2, 120, 1), parts)
        [month] = life.live()
    assert month.turns == 120
    assert month.askings
    assert all(asking.without.keys() == {"session"} for asking in month.askings)
    printed = benchmark.report(life, parts=parts, lacking=["other"], times=True)
    assert re.search(r"^\| session \| all \| \d+ \| ", printed, re.MULTILINE)
    assert "other: this version does not have it." in printed
    asked = sum(
        isinstance(piece, Asked) for day in Year(2, 120, 1).days for _, part in day.sessions for piece in part
    )
    assert asked == len(month.tokens) > 0
