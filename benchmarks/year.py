"""A simulated year: what recall finds, forgets to forget and gets wrong as months of talk, edits by hand and ratings go by.

    python benchmarks/year.py [--turns 5000] [--months 12] [--seed 1] [--times] [--out FILE] [--keep DIR]

Three people talk with an assistant; facts are told, changed, contradicted and asked for, notes are written, renamed and forgotten
by hand, and every night that has something to read is consolidated without a model. What is true on each day is known, and the
same at every run: two runs with one seed print the same bytes, except for what `--times` adds.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from bootstrap import paired_bootstrap
from clock import percentile
from conversations import DataError
from progress import Progress
from recall import Constants, shipped, switched
from rows import tell
from yearset.plan import FIRST_DAY, Asked, Chat, Day, Edit, Exchange, Fact, Said, Told, Value, Year, turns_of
from yearset.words import AGENT, OVER_BACKUP

import memoryclaw.app
import memoryclaw.app.context
from memoryclaw.app import init_vault, open_vault
from memoryclaw.errors import MemoryClawError
from memoryclaw.model import Fact as Stored
from memoryclaw.recall.evaluation import mean
from memoryclaw.recall.recall import Recalled

# What ranks by what happened to memories later, and the constants that switch it off; what this version does not have is passed over.
PARTS: Mapping[str, Constants] = {"strength": {"memoryclaw.recall.rank:STRENGTH": 0.0}}
OFTEN, RARELY = 5, 1  # times that something was asked for by then: at least, at most
DECIDED = 20  # things that wait for review and are looked at on a Sunday
# As recall and episodes mark what ended: `(superseded since …)`, `(since 2026-04-20: deadline …)`, `(was: …)`.
MARKS = re.compile(
    r"\((?:superseded|conflicts|conflicting|until)\b|\buntil \d{4}-\d\d-\d\d|\[superseded|\(was: |\(since \d{4}-\d\d-\d\d: "
)
DISPUTED = re.compile(r"\bconflict(?:s|ing)?\b")
FOUND = "month, true, found, MRR, asked often, rarely, two hops, kept, as field, answered, changed, old shown, alone, forgotten shown, conflicts, both stood, listed, marked, missed"
SIZE = "month, turns, notes, facts, units, waiting, recalls, tokens, files kB, logs kB, ledger kB, commits"
TIMES = "month, recall p50 ms, p95, night p50 s, p95, index kB, git kB"
PARTED = "switched off, facts asked for, questions, found, gain by it, MRR, gain by it"
WHO = ("-c", "user.name=Maren", "-c", "user.email=maren@example.org", "-c", "gc.auto=0")


class Clock:
    """The time in the vault; it moves when it is told to."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """The time now."""
        return self.now

    def on(self, seconds: int) -> str:
        """So many seconds later, as a log has it."""
        self.now += timedelta(seconds=seconds)
        return f"{self.now:%Y-%m-%dT%H:%M:%SZ}"

    def at(self, day: date, hour: int, minute: int = 0) -> None:
        """A time of a day, but never an earlier one."""
        self.now = max(self.now, datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC))


@dataclass(slots=True)
class Dispute:
    """A contradiction of the year, and whether the vault knew of it while it was open."""

    fact: Fact
    first: Value
    other: Value
    month: str
    by_hand: bool
    stood: bool = False  # both values as current values of fields, so that they could be compared
    listed: bool = False  # in review
    marked: bool = False  # in a recall


class Answered(NamedTuple):
    """What one question at the end of a month brought, with everything on, or with one part off."""

    holds: bool
    reciprocal: float  # of the place of the first unit that holds the value; 0 where none does


class Asking(NamedTuple):
    """One fact at the end of a month: asked for by a wording that the year does not use."""

    fact: int
    asked: int  # how often it was asked for until then
    kept: bool  # a current fact or a standing statement holds it
    as_field: bool  # it is the current value of a field of that entity
    answer: Answered
    without: Mapping[str, Answered]
    changed: bool
    shown: bool  # an old value stands in the context, and no mark or newer value on its line
    alone: bool  # and the true one does not stand there at all


@dataclass(slots=True)
class Month:
    """What happened in a month, and how the vault stood at its end."""

    name: str
    turns: int = 0
    live: list[bool] = field(default_factory=list)  # questions of the month: was the answer right?
    tokens: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # processor time of these recalls
    nights: list[float] = field(default_factory=list)  # wall time
    askings: list[Asking] = field(default_factory=list)
    hops: list[Asking] = field(default_factory=list)  # asked over the backup of a project
    forgotten: list[bool] = field(default_factory=list)  # was what was forgotten shown?
    disputes: list[Dispute] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)


class Life:
    """Lives a year in a vault.

    Args:
        root: a folder that is not there yet.
        year: what happens.
        parts: what is switched off in turn at the end of each month.
    """

    def __init__(self, root: Path, year: Year, parts: Mapping[str, Constants]) -> None:
        self.months: list[Month] = []
        self._year = year
        self._root = root
        self._parts = parts
        self._clock = Clock(datetime(FIRST_DAY.year, FIRST_DAY.month, FIRST_DAY.day, 6, tzinfo=UTC))
        self._random = random.Random(year.turns)  # how long people take to type
        self._disputes: list[Dispute] = []
        init_vault(root, clock=self._clock)
        # How well several threads pack depends on which is first.
        subprocess.run(["git", "config", "pack.threads", "1"], cwd=root, check=True)
        (root / ".memoryclaw").mkdir(exist_ok=True)
        (root / ".memoryclaw" / "device").write_text("bench\n", encoding="utf-8")
        self._app = open_vault(root, clock=self._clock)

    def live(self) -> Iterator[Month]:
        """The year, month by month; each is given when its end was looked at."""
        progress, days = Progress(), self._year.days
        for number, day in enumerate(days):
            name = f"{day.date:%Y-%m}"
            if not self.months or self.months[-1].name != name:
                self.months.append(Month(name))
            self._day(day, self.months[-1])
            progress.report("day", number + 1, len(days))
            if number + 1 == len(days) or f"{days[number + 1].date:%Y-%m}" != name:
                self._end_of(self.months[-1])
                yield self.months[-1]
        self._app.close()

    # ── A day and its night

    def _day(self, day: Day, month: Month) -> None:
        self._clock.at(day.date, 7, 30)
        for number, (_, exchanges) in enumerate(day.sessions, 1):
            session, turns = f"{day.date}-{number}", count(1)
            for exchange in exchanges:
                self._exchange(exchange, session, turns, month)
                month.turns += turns_of(exchange)
            self._clock.on(40 * 60)
        self._clock.at(day.date, 21)
        for telling in day.remembered:
            self._app.remember(telling.text)
            self._true(telling, month)
        for edit in day.edits:
            self._clock.on(300)
            self._by_hand(edit, month)
        self._clock.at(day.date + timedelta(days=1), 3)
        start = time.perf_counter()
        self._app.consolidate(llm="none")
        month.nights.append(time.perf_counter() - start)
        self._look_for_disputes()
        if day.date.weekday() in (5, 6):
            self._clock.at(day.date + timedelta(days=1), 6)
            self._review()

    def _exchange(self, exchange: Exchange, session: str, turns: Iterator[int], month: Month) -> None:
        def says(role: str, name: str, text: str, **tool: Any) -> None:
            turn = {
                "ts": self._clock.on(self._random.randrange(4, 60)),
                "session": session,
                "turn": next(turns),
                "role": role,
            }
            [kept] = self._app.capture([{**turn, **({"name": name, "content": text} if name else tool)}])
            if not kept.ok:
                raise SystemExit(f"{session}: a turn was not kept: {kept.error}")

        says("user", exchange.speaker, exchange.text)
        if isinstance(exchange, Said):
            says("assistant", AGENT, exchange.reply)
            for telling in exchange.facts:
                self._true(telling, month)
        elif isinstance(exchange, Chat):
            if exchange.tool is not None:
                name, arg, result = exchange.tool
                says("tool", "", "", tool=name, args={arg: exchange.text[:40]}, result=result, ok=True)
            if exchange.reply:
                says("assistant", AGENT, exchange.reply)
        else:
            self._question(exchange, session, says, month)

    def _question(self, asked: Asked, session: str, says: Any, month: Month) -> None:
        """Somebody asks; the assistant says what the context holds, and is told when it is wrong."""
        fact = self._year.facts[asked.fact]
        start = time.process_time()
        recalled = self._app.recall(asked.text, session=session)
        month.seconds.append(time.process_time() - start)
        month.tokens.append(recalled.tokens)
        fact.asked += 1
        current = fact.current
        if current is None:  # told later on this day
            says("assistant", AGENT, asked.unknown)
            if asked.follows:
                says("user", asked.speaker, asked.thanks)
            return
        answer = first_of(recalled.context, (current, *reversed(fact.past)))
        right = answer is current
        month.live.append(right)
        says("assistant", AGENT, asked.answer.format(v=answer.text) if answer else asked.unknown)
        unit = next(
            (match.unit.id for match in recalled.matches if answer and holds(words_of(match.unit), answer)),
            "",
        )
        if asked.rated and unit:
            self._app.feedback(unit, asked.rated if right else 6 - asked.rated, session=session)
        if asked.follows:
            again = asked.again.format(e=fact.entity, v=current.text)
            wrong = asked.wrong.format(v=current.text) if answer else again
            says("user", asked.speaker, asked.thanks if right else wrong)

    def _true(self, telling: Told, month: Month) -> None:
        """What was told is true from now on, or disputed."""
        fact = self._year.facts[telling.fact]
        if telling.slip is not None:
            fact.past.append(telling.slip)
        if telling.how == "rival":
            if fact.current is None:
                return
            fact.rival = telling.value
            dispute = Dispute(fact, fact.current, telling.value, month.name, telling.speaker == "hand")
            self._disputes.append(dispute)
            month.disputes.append(dispute)
            return
        if telling.how == "settled":
            if fact.rival is not None and fact.current is not None:
                fact.past.append(fact.current if telling.value == fact.rival else fact.rival)
            fact.rival = None
        elif fact.current is not None:
            fact.past.append(fact.current)
        fact.current, fact.teller = telling.value, telling.speaker

    # ── What people do in the files

    def _by_hand(self, edit: Edit, month: Month) -> None:
        path = self._root / edit.path
        if edit.how == "forgotten" and edit.telling is not None:
            fact = self._year.facts[edit.telling.fact]
            self._app.forget(fact.note.removesuffix(".md"))
            fact.gone = True
            return
        if edit.how == "renamed":
            to = self._root / edit.to
            to.parent.mkdir(parents=True, exist_ok=True)
            path.rename(to)
        elif not (edit.how == "changed" and edit.telling is not None and self._corrected(edit.telling)):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as note:
                note.write(edit.text)
        if edit.telling is not None:
            self._true(edit.telling, month)
        if edit.committed:
            self._commit(f"{edit.how} {(edit.to or edit.path).rpartition('/')[2]}")

    def _corrected(self, telling: Told) -> bool:
        """Somebody finds the old value in a file of facts and writes the new one over it; False where it stands in none."""
        old = self._year.facts[telling.fact].current
        for path in sorted((self._root / "semantic").glob("[!_]*.md")) if old else ():
            above, _, past = path.read_text(encoding="utf-8").partition("# History")
            for form in sorted(old.forms, key=len, reverse=True) if old else ():
                new, done = re.subn(rf"(?<!\w){re.escape(form)}(?!\w)", telling.value.text, above, count=1)
                if done:
                    path.write_text(new + ("# History" + past if past else ""), encoding="utf-8")
                    return True
        return False

    def _commit(self, message: str) -> None:
        at = f"{self._clock():%Y-%m-%dT%H:%M:%SZ}"
        env = {**os.environ, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        for words in (("add", "--all"), ("commit", "-q", "--allow-empty", "-m", message)):
            subprocess.run(["git", *WHO, *words], cwd=self._root, env=env, check=True, capture_output=True)

    def _review(self) -> None:
        """On Sundays somebody says yes to facts that hold, and no to those that do not."""
        for item in self._app.review.list()[:DECIDED]:
            if item.kind != "fact":
                continue
            said = f"{item.what} {item.value}"
            facts = [fact for fact in self._year.facts if fact.holds and fits(fact.entity, said)]
            decide = (
                self._app.review.approve
                if any(fact.current and holds(said, fact.current) for fact in facts)
                else self._app.review.reject
                if any(holds(said, old) for fact in facts for old in fact.past)
                else None
            )
            if decide is not None:
                try:
                    decide([item])
                except MemoryClawError as error:  # decided together with another that was the same
                    tell(f"review of {item.id}: {error}")

    def _look_for_disputes(self) -> None:
        self._disputes = open_ = [dispute for dispute in self._disputes if dispute.fact.rival is not None]
        if not open_:
            return
        waiting = [
            f"{item.what} {item.why} {item.value} {item.now} {item.text}" for item in self._app.review.list()
        ]
        values = [fact for _, fact in self._app.facts() if fact.current and fact.field]
        for dispute in open_:
            own = [fact.value for fact in values if fits(dispute.fact.entity, fact.entity)]
            dispute.stood |= all(
                any(holds(said, value) for said in own) for value in (dispute.first, dispute.other)
            )
            dispute.listed |= any(
                holds(said, dispute.other) and (holds(said, dispute.first) or fits(dispute.fact.entity, said))
                for said in waiting
            )
        for dispute in open_:
            if not dispute.marked:
                with self._app.looking():
                    context = self._app.recall(unheard(dispute.fact, 0), noted=False).context
                dispute.marked = any(
                    DISPUTED.search(line) and (holds(line, dispute.first) or holds(line, dispute.other))
                    for line in context.splitlines()
                )

    # ── The end of a month

    def _end_of(self, month: Month) -> None:
        first = datetime(int(month.name[:4]), int(month.name[5:]), 1, tzinfo=UTC)
        after = (first + timedelta(days=32)).replace(day=1)
        self._clock.at(after.date(), 5)
        known = [fact for fact in self._year.facts if fact.holds and fact.weight]
        with self._app.looking():
            kept = [fact for _, fact in self._app.facts() if fact.current]
            for fact in known:
                month.askings.append(self._asked(fact, kept, unheard(fact, len(self.months))))
            for project in self._year.backups:
                for fact in self._year.over(project) if project.holds else ():
                    if fact.holds:
                        question = OVER_BACKUP[fact.kind.field][1].format(e=project.entity)
                        month.hops.append(self._asked(fact, kept, question))
            for fact in self._year.facts:
                if fact.gone and fact.current is not None:
                    context = self._app.recall(unheard(fact, len(self.months)), noted=False).context
                    month.forgotten.append(holds(context, fact.current))
        month.sizes = self._sizes()

    def _asked(self, fact: Fact, kept: Sequence[Stored], question: str) -> Asking:
        current = fact.current
        assert current is not None
        recalled = self._recall(question)
        old = [value for value in fact.past if value.text != current.text]
        shown = [
            line
            for line in recalled.context.splitlines()
            if line.startswith(" ")  # others name their source
            and any(holds(line, value) for value in old)
            and not holds(line, current)
            and not MARKS.search(line)
        ]
        without = {}
        for name, constants in self._parts.items():
            with switched(constants):
                without[name] = answered(self._recall(question), current)
        answer = answered(recalled, current)
        holding = [row for row in kept if holds(row.value, current)]
        as_field = any(row.field and fits(fact.entity, row.entity) for row in holding)
        return Asking(
            fact.number, fact.asked, bool(holding),
            as_field, answer, without, bool(old), bool(shown), bool(shown) and not answer.holds
        )  # fmt: skip

    def _recall(self, question: str) -> Recalled:
        recalled = self._app.recall(question, noted=False)
        if recalled.degraded:
            raise SystemExit(f"a recall was degraded ({recalled.degraded}), so that its figures mean nothing")
        return recalled

    def _sizes(self) -> dict[str, int]:
        sizes = dict.fromkeys(("files", "logs", "ledger", ".git", ".memoryclaw"), 0)
        for path in self._root.rglob("*"):
            if path.is_file():
                top = path.relative_to(self._root).parts[0]
                sizes[top if top in sizes else "files"] += path.stat().st_size
        rows = self._app.catalog.rows("SELECT count(*) FROM unit WHERE state = 'current' AND kind != 'turn'")
        sizes["units"] = int(rows[0][0])
        sizes["notes"] = sum(1 for note in self._app.browse(limit=100_000) if note.kind != "log")
        sizes["facts"] = sum(1 for _, fact in self._app.facts() if fact.current)
        sizes["waiting"] = len(self._app.review.list())
        listed = subprocess.run(
            ["git", "rev-list", "--count", "HEAD"], cwd=self._root, capture_output=True, text=True, check=True
        )
        sizes["commits"] = int(listed.stdout)
        return sizes


# ── What holds a value


def plain(text: str) -> str:
    """A text as values are looked for in it: people drop capitals, commas and apostrophes."""
    return re.sub(r"\s+", " ", re.sub(r"[,'’]", "", text)).casefold()


def holds(text: str, value: Value) -> bool:
    """True where one of the forms of a value stands in a text."""
    said = plain(text)
    return any(re.search(rf"(?<!\w){re.escape(plain(form))}(?!\w)", said) for form in value.forms)


def fits(name: str, text: str) -> bool:
    """True where a text names somebody or something."""
    return plain(name).removeprefix("the ") in plain(text)


def first_of(context: str, values: Iterable[Value]) -> Value | None:
    """The first of these values that a context holds."""
    return next((value for value in values if holds(context, value)), None)


def words_of(unit: Any) -> str:
    """All words that a unit shows."""
    return f"{unit.title}\n{unit.value}\n{unit.text}"


def answered(recalled: Recalled, value: Value) -> Answered:
    """Whether a context holds a value, and the place of the first unit that does."""
    places = (
        number for number, match in enumerate(recalled.matches, 1) if holds(words_of(match.unit), value)
    )
    place = next(places, 0)
    return Answered(holds(recalled.context, value), 1 / place if place else 0.0)


def unheard(fact: Fact, number: int) -> str:
    """A question for a fact in words that nobody uses in the year."""
    wordings = fact.kind.unheard
    return wordings[(fact.number + number) % len(wordings)].format(e=fact.entity).replace("the the ", "the ")


# ── What is printed


def report(life: Life, *, parts: Mapping[str, Constants], lacking: Sequence[str], times: bool) -> str:
    """The tables of the months that are over, ready to paste."""
    months = [month for month in life.months if month.sizes]
    lines = [
        *_head(FOUND),
        *(_answers(month) for month in months),
        _answers(_together(months)),
        "",
        *_head(SIZE),
        *(_size(month) for month in months),
    ]
    if times:
        lines += [
            "",
            *_head(TIMES),
            *(_time(month) for month in months),
        ]
    lines += ["", *_head(PARTED)]
    lines += [line for part in parts for line in _ablation(part, months)]
    lines += [f"\n{part}: this version does not have it." for part in lacking]
    return "\n".join(lines) + "\n"


def _head(columns: str) -> tuple[str, str]:
    names = columns.split(", ")
    return _row(names), f"|{'---|' * len(names)}"


def _answers(month: Month) -> str:
    asked = month.askings
    often = [asking for asking in asked if asking.asked >= OFTEN]
    rarely = [asking for asking in asked if asking.asked <= RARELY]
    changed = [asking for asking in asked if asking.changed]
    disputes = month.disputes
    cells: list[object] = [
        month.name, len(asked), _share(asking.answer.holds for asking in asked), _mean(asking.answer.reciprocal for asking in asked),
        f"{_share(asking.answer.holds for asking in often)} of {len(often)}", f"{_share(asking.answer.holds for asking in rarely)} of {len(rarely)}",
        f"{_share(asking.answer.holds for asking in month.hops)} of {len(month.hops)}",
        _share(asking.kept for asking in asked),
        _share(asking.as_field for asking in asked), f"{_share(month.live)} of {len(month.live)}", len(changed),
        _share(asking.shown for asking in changed), _share(asking.alone for asking in changed), f"{sum(month.forgotten)} of {len(month.forgotten)}",
        len(disputes), sum(dispute.stood for dispute in disputes), sum(dispute.listed for dispute in disputes), sum(dispute.marked for dispute in disputes),
        sum(not (dispute.listed or dispute.marked) for dispute in disputes),
    ]  # fmt: skip
    return _row(cells)


def _together(months: Sequence[Month]) -> Month:
    all_ = Month("all")
    for month in months:
        all_.askings += month.askings
        all_.hops += month.hops
        all_.live += month.live
        all_.forgotten += month.forgotten
        all_.disputes += month.disputes
    return all_


def _size(month: Month) -> str:
    sizes = month.sizes
    counted = [sizes[name] for name in ("notes", "facts", "units", "waiting")]
    tokens = round(mean([*map(float, month.tokens)])) if month.tokens else 0
    return _row([
        month.name, month.turns, *counted, len(month.tokens), tokens,
        *(_kb(sizes[name]) for name in ("files", "logs", "ledger")), sizes["commits"],
    ])  # fmt: skip


def _time(month: Month) -> str:
    recalls = [
        f"{percentile(month.seconds, share) * 1e3:.1f}" if month.seconds else "" for share in (0.5, 0.95)
    ]
    nights = [f"{percentile(month.nights, share):.2f}" if month.nights else "" for share in (0.5, 0.95)]
    # What git packs changes with the second of each commit.
    return _row(
        [month.name, *recalls, *nights, *(_kb(month.sizes[name]) for name in (".memoryclaw", ".git"))]
    )


def _ablation(part: str, months: Sequence[Month]) -> Iterator[str]:
    """What a part gains: paired, each fact with one weight however many months it was asked in."""
    everything = [asking for month in months for asking in month.askings if part in asking.without]
    for name, among in (
        ("all", everything),
        (f"often ({OFTEN} times or more)", [asking for asking in everything if asking.asked >= OFTEN]),
        (f"rarely ({RARELY} or never)", [asking for asking in everything if asking.asked <= RARELY]),
        ("over two hops", [asking for month in months for asking in month.hops if part in asking.without]),
    ):
        if not among:
            continue
        cells: list[object] = [part, name, len(among)]
        for get in (_is_found, _reciprocal):
            of: dict[int, list[tuple[float, float]]] = {}
            for asking in among:
                of.setdefault(asking.fact, []).append((get(asking.without[part]), get(asking.answer)))
            off, on = ([mean([pair[side] for pair in pairs]) for pairs in of.values()] for side in (0, 1))
            gain = paired_bootstrap(off, on)
            cells += [f"{mean(on):.3f}", f"{gain.gain:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]"]
        yield _row(cells)


def _is_found(answer: Answered) -> float:
    return float(answer.holds)


def _reciprocal(answer: Answered) -> float:
    return answer.reciprocal


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _share(given: Iterable[bool]) -> str:
    return _mean(map(float, given))


def _mean(given: Iterable[float]) -> str:
    values = [*given]
    return f"{mean(values):.3f}".lstrip("0") if values else "–"


def _kb(size: int) -> str:
    return f"{size / 1000:,.0f}"


# ── The run


@contextmanager
def counted_ids() -> Iterator[None]:
    """In this block ids count up, so that two runs can be compared; outside they are random."""
    numbers, context = count(1), memoryclaw.app.context
    before = context.new_id
    context.new_id = memoryclaw.app.new_id = lambda: f"{next(numbers):06x}"
    try:
        yield
    finally:
        context.new_id = memoryclaw.app.new_id = before


def there(parts: Mapping[str, Constants]) -> dict[str, Constants]:
    """The parts that this version has."""
    known = {}
    for name, constants in parts.items():
        try:
            for place in constants:
                shipped(place)
        except DataError:
            continue
        known[name] = constants
    return known


def own_settings(folder: Path) -> None:
    """Nothing of the user who runs this takes part: no settings, no git identity, no time zone."""
    for name in [name for name in os.environ if name.startswith(("MEMORYCLAW_", "GIT_"))]:
        del os.environ[name]
    os.environ |= {
        "HOME": os.fspath(folder),
        "XDG_CONFIG_HOME": os.fspath(folder),
        "TZ": "UTC",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    time.tzset()


def main() -> int:
    """Lives the year, and prints its tables."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--turns", type=int, default=5000, help="of the whole year (default 5000)")
    options.add_argument("--months", type=int, default=12, help="default 12")
    options.add_argument("--seed", type=int, default=1, help="another seed is another year")
    options.add_argument("--times", action="store_true", help="also print what differs from run to run")
    options.add_argument("--out", type=Path, help="a file that the tables are written to as well")
    options.add_argument("--keep", type=Path, help="a folder, not there yet, in which the vault is left")
    given = options.parse_args()
    parts = there(PARTS)
    lacking = [name for name in PARTS if name not in parts]
    year, status = Year(given.seed, given.turns, given.months), 0
    with tempfile.TemporaryDirectory(prefix="memoryclaw-year-") as folder, counted_ids():
        own_settings(Path(folder))
        life = Life(given.keep or Path(folder) / "vault", year, parts)
        try:
            for month in life.live():
                tell(
                    f"{month.name}: {month.turns} turns, found {_share(asking.answer.holds for asking in month.askings)}"
                )
        except KeyboardInterrupt:
            tell("interrupted; the months that are over:")
            status = 130
        printed = report(life, parts=parts, lacking=lacking, times=given.times)
    print(printed, end="")
    if given.out:
        given.out.write_text(printed, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
