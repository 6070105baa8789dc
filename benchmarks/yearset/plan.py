"""What happens in the simulated year, day by day, and what is true on each day. Pure: a seed gives always the same year.

Nothing here looks at the vault: what is told, changed, asked, edited by hand and forgotten is settled before the first day.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import NamedTuple

from yearset import words
from yearset.words import AGENT, BACKUP, KINDS, OVER_BACKUP, SPEAKERS, Kind

FIRST_DAY = date(2025, 1, 1)
QUIET = 0.3  # of the days nobody says anything, and only such days are values of facts: a date of a turn is never an answer
FACTS = 0.052  # of the turns
CHANGED, TWICE = 0.45, 0.3  # of the facts change, and of those change again
RIVALS = 0.006  # contradictions, of the turns
BY_HAND, REMEMBERED = 0.08, 0.05  # of the facts are written into a note, and said to `remember`
CHANGED_BY_HAND, RIVALS_BY_HAND = 0.15, 0.4
SLIPS = 0.06  # of what is told is said wrong first
ASKED = 0.4  # of what is left of a day after what is told
SHARES = (0.6, 0.22, 0.18)  # of the talk, by speaker
BACKUPS, OVER, LINKED = (
    0.003,
    0.12,
    0.4,
)  # of the turns; of the questions that may; of them a link in a note by hand
FORGOTTEN = 0.002  # notes that are forgotten, of the turns
JOURNALS, RENAMED, MOVED = 3, 2, 2  # a month
OWN = ("appointment", "taste", "thing")  # of the first speaker, who alone tells them
SESSION = 8  # exchanges, at most


class Value(NamedTuple):
    """A value as it may be said; each form counts as the value."""

    forms: tuple[str, ...]
    said: int = 1  # of the forms, how many people use

    @property
    def text(self) -> str:
        """The first form."""
        return self.forms[0]


@dataclass(slots=True)
class Fact:
    """One thing that is told in the year, and what is true of it now."""

    number: int
    kind: Kind
    entity: str
    weight: float  # how often it is asked for, beside others
    current: Value | None = None
    past: list[Value] = field(default_factory=list)  # was true, or was said by a slip
    rival: Value | None = None  # somebody else says so, and nobody has settled it
    gone: bool = False  # it was forgotten
    asked: int = 0
    teller: str = ""
    note: str = ""  # the note that told it
    expected: Value | None = None  # of what is told once and never changes: what that is

    @property
    def holds(self) -> bool:
        """True while it is known and undisputed."""
        return self.current is not None and self.rival is None and not self.gone


class Told(NamedTuple):
    """A fact is said: for the first time, changed, contradicted, or settled; `how` is that of the templates."""

    fact: int
    how: str  # told | changed | rival | settled
    value: Value
    speaker: str  # one of SPEAKERS, `hand` for a note, or `remember`
    text: str
    slip: Value | None = None


class Asked(NamedTuple):
    """A question for a fact, and how the talk goes on after the answer."""

    fact: int
    speaker: str
    text: str
    answer: str
    unknown: str
    thanks: str
    wrong: str
    again: str  # the fact once more, for when nothing was found
    follows: bool
    rated: int  # 0, or how useful the answer was if it was right


class Chat(NamedTuple):
    """Talk in which nothing is told."""

    speaker: str
    text: str
    reply: str
    tool: tuple[str, str, str] | None = None


class Said(NamedTuple):
    """One or two facts in one turn, and what the assistant says to it."""

    facts: tuple[Told, ...]
    speaker: str
    text: str
    reply: str


class Edit(NamedTuple):
    """What a person does in the files of the vault."""

    how: str  # note | told | changed | rival | renamed | forgotten
    committed: bool
    path: str = ""
    to: str = ""
    text: str = ""
    telling: Told | None = None


Exchange = Said | Asked | Chat


class Day(NamedTuple):
    """One day: sessions, each of one speaker, and then what is done by hand."""

    number: int
    date: date
    sessions: tuple[tuple[str, tuple[Exchange, ...]], ...]
    remembered: tuple[Told, ...]
    edits: tuple[Edit, ...]


class Values:
    """Makes values, each of them once."""

    def __init__(self, choice: random.Random, days: Sequence[date]) -> None:
        self._random = choice
        self._days = [*days]
        self._lists = {
            kind: choice.sample(given, len(given))
            for kind, given in (
                ("allergy", words.ALLERGIES), ("drink", words.DRINKS), ("company", words.COMPANIES), ("venue", words.VENUES),
                ("place", words.PLACES),
            )
        }  # fmt: skip
        self._times = [f"{hour}:{minute:02}" for hour in range(7, 20) for minute in range(5, 60, 5)]
        choice.shuffle(self._times)
        pairs = [(first, last) for first in words.FIRST_NAMES for last in words.LAST_NAMES]
        self._names = choice.sample(pairs, len(pairs))
        self._streets = [(street, number) for street in words.STREETS for number in range(3, 90, 4)]
        choice.shuffle(self._streets)
        self._numbers = choice.sample(range(1000, 10_000), 3000)
        self._prices: set[str] = set()

    def make(self, kind: str, entity: str, after: date, used: Sequence[Value]) -> Value | None:
        """A value that no other fact has; None where there is none left."""
        if kind == "taste":
            left = [taste for taste in words.TASTES[entity] if taste not in {value.text for value in used}]
            return Value((left[0],)) if left else None
        if kind in self._lists:
            return Value((self._lists[kind].pop(),)) if self._lists[kind] else None
        if kind == "email":
            return self._email(entity)
        return getattr(self, f"_{kind}")(after)  # type: ignore[no-any-return]

    def _phone(self, _: date) -> Value:
        number = f"{self._numbers.pop()}"
        return Value((f"0176 55 {number[:2]} {number[2:]}", f"017655{number}"), 2)

    def _email(self, entity: str) -> Value:
        last, ending = _ascii(self._names.pop()[1]), self._random.choice(words.MAILS)
        name = self._random.choice(
            (
                f"{entity.lower()}.{last}",
                f"{last}{self._numbers.pop() % 90 + 10}",
                f"{entity[0].lower()}{last}",
            )
        )
        return Value((f"{name}{self._numbers.pop() % 90 + 10}@{ending}",))

    def _address(self, _: date) -> Value:
        street, number = self._streets.pop()
        return Value((f"{street} {number}", f"{number} {street}"), 2)

    def _name(self, _: date) -> Value:
        return Value((" ".join(self._names.pop()),))

    def _euros(self, _: date) -> Value:
        return Value((f"{self._random.randrange(2, 99)},{self._numbers.pop() % 1000:03} euros",))

    def _price(self, _: date) -> Value:
        while (
            price := f"{self._random.randrange(30, 120)}.{self._random.randrange(10, 100)}"
        ) in self._prices:
            pass
        self._prices.add(price)
        return Value((f"{price} euros", price, price.replace(".", ",")), 2)

    def _number(self, _: date) -> Value:
        return Value((f"{self._numbers.pop()}-{self._numbers.pop() % 90 + 10}",))

    def _time(self, _: date) -> Value | None:
        return Value((self._times.pop(),)) if self._times else None

    def _opening(self, _: date) -> Value | None:
        early = next((time for time in self._times if int(time.partition(":")[0]) < 12), "")
        if early:
            self._times.remove(early)
        return Value((early,)) if early else None

    def _day(self, after: date) -> Value | None:
        later = [day for day in self._days if day > after + timedelta(days=6)]
        if not later:
            return None
        near = later[: max(len(later) // 2, 1)]
        day = self._random.choice(near)
        self._days.remove(day)
        month = words.MONTHS[day.month - 1]
        forms = (
            f"{day.day} {month}", f"{month} {day.day}", f"the {_ordinal(day.day)} of {month}", f"{_ordinal(day.day)} of {month}",
            f"{_ordinal(day.day)} {month}", f"{month} {_ordinal(day.day)}", f"{day.day} {month[:3]}", f"{month[:3]} {day.day}", f"{day}",
        )  # fmt: skip
        return Value(forms, 3)

    def _moment(self, after: date) -> Value | None:
        day, time = self._day(after), self._time(after)
        if day is None or time is None:
            return None
        return Value((*(f"{form} at {time.text}" for form in day.forms[:3]), *day.forms, *time.forms), 3)


class Year:
    """The plan of a year.

    Args:
        seed: another seed is another year.
        turns: of the logs, in all.
        months: that it lasts.
    """

    def __init__(self, seed: int = 1, turns: int = 5000, months: int = 12) -> None:
        self._random = random.Random(seed)
        self.turns = turns
        self.end = _month_after(FIRST_DAY, months)
        days = [FIRST_DAY + timedelta(days=number) for number in range((self.end - FIRST_DAY).days)]
        quiet = {day for day in days[1:] if self._random.random() < QUIET}
        self._active = [day for day in days if day not in quiet]
        later = [self.end + timedelta(days=number) for number in range(120)]
        self._values = Values(self._random, sorted(quiet) + later)
        self.facts: list[Fact] = []
        self._when: dict[date, list[Told]] = {}
        self._edits: dict[date, list[Edit]] = {}
        self._known: dict[int, date] = {}
        self._disputed: dict[int, tuple[date, date]] = {}
        self.backups: list[Fact] = []
        self._tell_everything()
        self._name_backups()
        self._notes_by_hand()
        self.days = [*self._day_by_day(days)]

    # ── What becomes true, and when

    def _tell_everything(self) -> None:
        chosen = self._chosen()
        ranks = self._random.sample(range(1, len(chosen) + 1), len(chosen))
        forgotten = max(int(self.turns * FORGOTTEN), 1)
        rivals = max(int(self.turns * RIVALS), 1)
        for (kind, entity), rank in zip(chosen, ranks, strict=True):
            day = self._active[int(len(self._active) * self._random.random() ** 1.3 * 0.97)]
            value = self._values.make(kind.values, entity, day, ())
            if value is None:
                continue
            fact = Fact(len(self.facts), kind, entity, 1 / rank)
            self.facts.append(fact)
            self._known[fact.number] = day
            if forgotten and kind.about not in ("taste", "thing"):
                forgotten -= 1
                fact.weight = 0.0  # nobody asks for it, so that no log holds what is forgotten
                self._in_a_note(fact, value, day)
                later = self._later(day, 20, 45)
                self._edit(
                    later, Edit("forgotten", True, telling=Told(fact.number, "told", value, "hand", ""))
                )
            elif self._told_and_changed(fact, value, day) and rivals:
                rivals -= self._contradict(fact, value, day)

    def _chosen(self) -> list[tuple[Kind, str]]:
        """What there is to tell: which fields of whom."""
        pool = [(kind, entity) for kind in KINDS for entity in _entities(kind)]
        weights = [kind.weight for kind, _ in pool]
        wanted = min(max(int(self.turns * FACTS), 8), len(pool))
        chosen: dict[tuple[str, str], tuple[Kind, str]] = {}
        while len(chosen) < wanted:
            kind, entity = self._random.choices(pool, weights)[0]
            chosen[kind.field, entity] = (kind, entity)
        return [*chosen.values()]

    def _told_and_changed(self, fact: Fact, value: Value, day: date) -> bool:
        """Says a fact, and what it is later; True for one that was said in the talk and never changed."""
        fact.teller = self._teller(fact.kind, fact.entity)
        dice = self._random.random()
        if dice < BY_HAND:
            self._in_a_note(fact, value, day)
        else:
            by = "remember" if dice < BY_HAND + REMEMBERED else fact.teller
            self._say(day, fact, value, how="told", speaker=by)
        used = [value]
        for share in (CHANGED, TWICE):
            later = self._later(day, 12, 90)
            if self._random.random() >= share or later >= self.end:
                break
            new = self._values.make(fact.kind.values, fact.entity, later, used)
            if new is None:
                break
            by = "hand" if self._random.random() < CHANGED_BY_HAND else fact.teller
            self._say(later, fact, new, how="changed", speaker=by, old=used[-1])
            used.append(new)
            day = later
        return len(used) == 1 and dice >= BY_HAND + REMEMBERED

    def _contradict(self, fact: Fact, value: Value, day: date) -> int:
        """Somebody else says otherwise, and mostly it is settled some days later; returns how often that happened."""
        later = self._later(day, 8, 60)
        while later.day > 24 and later < self.end:  # found, or missed, in the month in which it is said
            later = self._later(later, 1, 8)
        if later >= self.end or fact.kind.about in OWN:
            return 0
        rival = self._values.make(fact.kind.values, fact.entity, later, (value,))
        if rival is None:
            return 0
        if self._random.random() < RIVALS_BY_HAND:
            self._say(later, fact, rival, how="rival", speaker="hand")
        else:
            other = self._random.choice([speaker for speaker in SPEAKERS if speaker != fact.teller])
            self._say(later, fact, rival, how="rival", speaker=other)
        settled = self._later(later, 6, 20) if self._random.random() < 0.67 else self.end
        self._disputed[fact.number] = (later, settled)
        if settled < self.end:
            right = self._random.choice((value, rival))
            self._say(settled, fact, right, how="settled", speaker=SPEAKERS[0])
        return 1

    def _later(self, day: date, least: int, most: int) -> date:
        """An active day so many days later; the end of the year where there is none."""
        wanted = day + timedelta(days=self._random.randrange(least, most))
        return next((active for active in self._active[:-1] if active >= wanted), self.end)

    def _name_backups(self) -> None:
        """For some projects somebody of whom other things are known is the backup."""
        people = sorted(
            {fact.entity for fact in self.facts if fact.weight and fact.kind.field in OVER_BACKUP}
        )
        wanted = min(max(int(self.turns * BACKUPS), 1), len(words.PROJECTS))
        for project in self._random.sample(words.PROJECTS, wanted if people else 0):
            fact = Fact(len(self.facts), BACKUP, project, 0.0)
            day = self._active[int(len(self._active) * self._random.random() * 0.8)]
            value = Value((self._random.choice(people),))
            self._known[fact.number] = day
            self.facts.append(fact)
            self.backups.append(fact)
            if self._random.random() < LINKED:
                telling = Told(fact.number, "told", value, "hand", "")
                self._edit(
                    day,
                    Edit("told", True, _note_of(fact), text=f"Backup: [[{value.text}]]\n", telling=telling),
                )
            else:
                self._say(day, fact, value, how="told", speaker=self._teller(BACKUP, project))
            fact.expected = value

    def _over_a_backup(self, day: date) -> tuple[Fact, str] | None:
        """A question that leads over the backup of a project to what is known of that person."""
        ways = [
            (fact, project.entity)
            for project in self.backups
            if self._known[project.number] < day
            for fact in self.over(project)
            if self._known[fact.number] < day and not self._is_disputed(fact.number, day)
        ]
        if not ways or self._random.random() >= OVER:
            return None
        fact, project = self._random.choice(ways)
        return fact, OVER_BACKUP[fact.kind.field][0].format(e=project)

    def over(self, project: Fact) -> list[Fact]:
        """What is told in the year of the backup of a project."""
        person = project.expected.text if project.expected else ""
        return [
            fact
            for fact in self.facts
            if fact.weight and fact.entity == person and fact.kind.field in OVER_BACKUP
        ]

    def _teller(self, kind: Kind, entity: str) -> str:
        if entity in SPEAKERS:
            return entity
        if kind.about in OWN:
            return SPEAKERS[0]
        return self._random.choices(SPEAKERS, SHARES)[0]

    def _say(
        self, day: date, fact: Fact, value: Value, *, how: str, speaker: str, old: Value | None = None
    ) -> None:
        if day >= self.end:
            return
        slip = None
        able = how in ("told", "changed") and speaker in SPEAKERS and bool(fact.kind.values)
        if able and self._random.random() < SLIPS:
            slip = self._values.make(fact.kind.values, fact.entity, day, (value, *([old] if old else [])))
        telling = Told(
            fact.number,
            how,
            value,
            speaker,
            self._wording(fact, value, how=how, speaker=speaker, old=old, slip=slip),
            slip,
        )
        if speaker == "hand":
            path = _note_of(fact)
            text = (
                f"{fact.kind.field}:: {self._form(value)}\n"
                if how == "rival"
                else _sentence(telling.text) + "\n"
            )
            self._edit(
                day,
                Edit(how, self._random.random() < 0.5, path, text=text, telling=telling),
            )
        else:
            self._when.setdefault(day, []).append(telling)

    def _wording(
        self, fact: Fact, value: Value, *, how: str, speaker: str, old: Value | None, slip: Value | None
    ) -> str:
        pick, kind = self._random.choice, fact.kind
        own = kind.mine if speaker == fact.entity and kind.mine else kind.tellings

        def sentence(what: Value) -> str:
            return pick(own).format(e=fact.entity, v=self._form(what))

        if how == "changed" and old is not None:
            text = (
                pick(words.UPDATES) + sentence(value)
                if own is not kind.tellings
                else pick(kind.changed).format(e=fact.entity, v=self._form(value), old=self._form(old))
            )
        elif how == "rival":
            text = pick(words.CONTRADICTED).format(told=sentence(value))
        elif how == "settled":
            text = pick(words.SETTLED).format(
                told=pick(kind.tellings).format(e=fact.entity, v=self._form(value))
            )
        else:
            text = sentence(value)
        if slip is not None:
            text = pick(words.SELF_CORRECTED).format(wrong=sentence(slip), v=self._form(value))
        return text

    def _form(self, value: Value) -> str:
        return self._random.choice(value.forms[: value.said])

    # ── What is done by hand

    def _edit(self, day: date, edit: Edit) -> None:
        if day < self.end:
            self._edits.setdefault(day, []).append(edit)

    def _in_a_note(self, fact: Fact, value: Value, day: date) -> None:
        """Somebody writes the fact down: as a list, as a field, or in a sentence."""
        pick, form = self._random.choice, self._form(value)
        sentence = _sentence(pick(fact.kind.tellings).format(e=fact.entity, v=form))
        text = pick(
            (
                f"- {fact.kind.field}: {form}\n",
                f"{fact.kind.field}:: {form}\n",
                f"{sentence}\n",
                f"{sentence}\n",
            )
        )
        telling = Told(fact.number, "told", value, "hand", sentence)
        path = _note_of(fact) if fact.weight else f"notes/{_slug(fact.entity)}-{_slug(fact.kind.field)}.md"
        fact.note = path
        self._edit(day, Edit("told", pick((True, False)), path, text=text, telling=telling))

    def _notes_by_hand(self) -> None:
        """A journal, whose pages are renamed and moved later."""
        months = sorted({day.replace(day=1) for day in self._active})
        pages: list[str] = []
        scale = max(self.turns / 5000, 0.4)
        for month in months:
            days = [day for day in self._active if day.replace(day=1) == month]
            for day in sorted(self._random.choices(days, k=round(JOURNALS * scale) or 1)):
                lines = [
                    line.format(**self._slots()) for line in self._random.sample(words.JOURNAL, self._random.randrange(2, 5))
                ]  # fmt: skip
                path = f"journal/{day} {self._random.choice(words.OBJECTS)} {len(pages)}.md"
                link = f"\n\nSee [[{_stem(self._random.choice(pages))}]]." if pages else ""
                self._edit(
                    day,
                    Edit("note", self._random.random() < 0.5, path, text=" ".join(lines) + link + "\n"),
                )
                pages.append(path)
            last = days[-1]
            for number in range(min(round((RENAMED + MOVED) * scale) or 1, len(pages))):
                old = self._random.choice(pages)
                new = (
                    f"{old[:-3]} again.md" if number % 2 else f"old/{month:%Y}/{old.rpartition('/')[2]}"
                )  # fmt: skip
                if new not in pages:
                    pages[pages.index(old)] = new
                    self._edit(last, Edit("renamed", self._random.random() < 0.5, old, to=new))

    # ── The days

    def _day_by_day(self, days: Sequence[date]) -> Iterator[Day]:
        shares = [self._random.choice((0.5, 0.8, 1.0, 1.3, 1.8)) for _ in self._active]
        total, done, spent, due = sum(shares), 0.0, 0, dict(zip(self._active, shares, strict=True))
        for number, day in enumerate(days):
            if day not in due:
                continue
            done += due[day]
            quota = round(self.turns * done / total) - spent
            exchanges = [*self._exchanges(day, quota, last=day == self._active[-1])]
            spent += sum(map(turns_of, exchanges))
            remembered = tuple(
                telling for telling in self._when.get(day, []) if telling.speaker == "remember"
            )
            yield Day(number, day, self._sessions(exchanges), remembered, tuple(self._edits.get(day, ())))

    def _exchanges(self, day: date, quota: int, *, last: bool) -> Iterator[Exchange]:
        """What is said on a day: what must be told on it, and questions and chat around it."""
        left = quota
        tellings = [telling for telling in self._when.get(day, []) if telling.speaker != "remember"]
        exchanges: list[Exchange] = [*self._tellings(tellings)]
        left -= sum(map(turns_of, exchanges))
        while left > 1:
            exchange = self._asking(day) if self._random.random() < ASKED else self._chat()
            if turns_of(exchange) <= left:
                exchanges.append(exchange)
                left -= turns_of(exchange)
        if left == 1 and last:
            exchanges.append(Chat(SPEAKERS[0], "ok", ""))
        self._random.shuffle(exchanges)
        yield from exchanges

    def _tellings(self, tellings: Sequence[Told]) -> Iterator[Said]:
        waiting = [*tellings]
        while waiting:
            first = waiting.pop(0)
            facts = [first]
            same = [telling for telling in waiting if telling.speaker == first.speaker]
            if same and self._random.random() < 0.4:
                waiting.remove(same[0])
                facts.append(same[0])
            pick = self._random.choice
            text = pick(words.LEADS) + pick(words.JOINS).join(telling.text for telling in facts)
            text = text.replace("the the ", "the ")
            if self._random.random() < 0.2:
                text = f"{self._small_talk()}. {text}"
            kept = {
                part
                for telling in facts
                for part in self._protected(telling.fact, telling.value, telling.slip)
            }
            reply = pick(words.NOTED).format(v=first.value.text)
            yield Said(tuple(facts), first.speaker, self._styled(text, first.speaker, kept), reply)

    def _asking(self, day: date) -> Exchange:
        """A question for something that is known, the same things again and again."""
        open_ = [
            fact
            for fact in self.facts
            if fact.weight and self._known[fact.number] < day and not self._is_disputed(fact.number, day)
        ]
        if not open_:
            return self._chat()
        over = self._over_a_backup(day)
        fact = over[0] if over else self._random.choices(open_, [fact.weight for fact in open_])[0]
        own = fact.kind.about in OWN
        speaker = SPEAKERS[0] if own else self._random.choices(SPEAKERS, SHARES)[0]
        if speaker == fact.entity:
            speaker = SPEAKERS[0]
        pick, kept = self._random.choice, {*self._protected(fact.number)}
        asked = over[1] if over else pick(fact.kind.asked).format(e=fact.entity)
        text = self._styled(
            pick(words.ASKING) + asked.replace("the the ", "the "), speaker, kept, question=True
        )
        return Asked(
            fact.number, speaker, text, pick(words.ANSWERS), pick(words.UNKNOWN), pick(words.THANKS), pick(words.WRONG),
            pick(words.TELL_AGAIN).format(again=pick(fact.kind.tellings)), self._random.random() < 0.35,
            pick((4, 5)) if self._random.random() < 0.12 else 0,
        )  # fmt: skip

    def _is_disputed(self, number: int, day: date) -> bool:
        since, settled = self._disputed.get(number, (self.end, self.end))
        return since <= day <= settled

    def _chat(self) -> Chat:
        pick = self._random.choice
        speaker = self._random.choices(SPEAKERS, SHARES)[0]
        text = self._styled(self._small_talk(), speaker, set())
        reply = pick(words.DRAFTS if self._random.random() < 0.15 else words.REPLIES).format(**self._slots())
        tool = pick(words.TOOLS) if self._random.random() < 0.08 else None
        return Chat(speaker, text, reply, tool)

    def _small_talk(self) -> str:
        return self._random.choice(words.CHAT).format(**self._slots())

    def _slots(self) -> dict[str, str]:
        pick = self._random.choice
        return {
            "object": pick(words.OBJECTS),
            "topic": pick(words.TOPICS),
            "feeling": pick(words.FEELINGS),
        }

    def _protected(self, number: int, *values: Value | None) -> Iterator[str]:
        """The names and values of a fact, in which nobody mistypes."""
        yield from (part for part in self.facts[number].entity.lower().split() if len(part) > 2)
        for value in values:
            for form in value.forms if value else ():
                yield from (part for part in form.lower().replace(",", "").split() if len(part) > 2)

    def _styled(self, text: str, speaker: str, kept: set[str], *, question: bool = False) -> str:
        """A text as this speaker types it."""
        if speaker == SPEAKERS[0]:  # lower case, few points, slips of the finger
            text = text.lower().replace("'", "" if self._random.random() < 0.5 else "'")
            return self._mistyped(text, kept) if self._random.random() < 0.25 else text
        if speaker == SPEAKERS[1]:  # whole sentences
            text = text[0].upper() + text[1:]
            end = "?" if question else self._random.choice((".", ".", "!", " :)"))
            return text if text[-1] in ".?!" else text + end
        text = text.replace(",", "").replace(" - ", " ")  # dictated
        return self._random.choice(("", "", "um ", "so ", "okay so ", "right ")) + text

    def _mistyped(self, text: str, kept: set[str]) -> str:
        parts = text.split(" ")
        able = [
            n for n, part in enumerate(parts) if len(part) > 4 and part.isalpha() and part.isascii() and not part.startswith((*kept,))
        ]  # fmt: skip
        if not able:
            return text
        at = self._random.choice(able[:2])  # early in the sentence: values stand late
        word = parts[at]
        cut = self._random.randrange(1, len(word) - 2)
        parts[at] = (
            word[:cut] + word[cut + 1] + word[cut] + word[cut + 2 :]
            if self._random.random() < 0.6
            else word[:cut] + word[cut + 1 :]
        )
        return " ".join(parts)

    def _sessions(self, exchanges: Sequence[Exchange]) -> tuple[tuple[str, tuple[Exchange, ...]], ...]:
        sessions = []
        for speaker in SPEAKERS:
            own = [exchange for exchange in exchanges if exchange.speaker == speaker]
            sessions += [(speaker, tuple(own[at : at + SESSION])) for at in range(0, len(own), SESSION)]
        self._random.shuffle(sessions)
        return tuple(sessions)


def turns_of(exchange: Exchange) -> int:
    """How many turns it makes in the log."""
    if isinstance(exchange, Asked):
        return 2 + exchange.follows
    if isinstance(exchange, Chat):
        return 1 + bool(exchange.reply) + (exchange.tool is not None)
    return 2


def _entities(kind: Kind) -> Sequence[str]:
    by = {
        "person": words.PEOPLE, "project": words.PROJECTS, "supplier": words.SUPPLIERS, "appointment": words.APPOINTMENTS,
        "taste": tuple(words.TASTES), "thing": words.THINGS,
    }  # fmt: skip
    return by[kind.about]


def _note_of(fact: Fact) -> str:
    """The note that somebody keeps about an entity."""
    folder = "people" if fact.kind.about == "person" else f"{fact.kind.about}s"
    return f"{folder}/{fact.entity}.md"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def _stem(path: str) -> str:
    return path.rpartition("/")[2][:-3]


def _slug(text: str) -> str:
    return "-".join(_ascii(text).replace("'", "").split())


def _ascii(text: str) -> str:
    plain = text.lower()
    for letter, written in (("ä", "ae"), ("ö", "oe"), ("ü", "ue")):
        plain = plain.replace(letter, written)
    return plain


def _ordinal(number: int) -> str:
    ending = "th" if 10 < number < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _month_after(day: date, months: int) -> date:
    year, month = divmod(day.month - 1 + months, 12)
    return date(day.year + year, month + 1, 1)


__all__ = [
    "AGENT",
    "FIRST_DAY",
    "Asked",
    "Chat",
    "Day",
    "Edit",
    "Fact",
    "Said",
    "Told",
    "Value",
    "Year",
    "turns_of",
]
