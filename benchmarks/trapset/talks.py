"""Builds the English conversations of a half: beats of a few turns, laid into sessions, with the questions on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any, NamedTuple

from trapset.speech import Act, Speech

SESSIONS, TURNS, EACH = (
    14,
    36,
    12,
)  # a conversation: its sessions, their turns at least, questions of each trap
MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905 - reads better
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
Row = dict[str, Any]


class Said(NamedTuple):
    """One turn of a beat; `mark` ties a question to it."""

    speaker: str
    text: str
    mark: str = ""


class Conversation:
    """One conversation as it grows."""

    def __init__(self, speech: Speech, number: int) -> None:
        self.speech = speech
        self.rng = Random(f"{speech.seed}/{number}")
        self.id = f"talk-{number}"
        self.pair = speech.pairs[number]
        first = date.fromisoformat(speech.start) + timedelta(days=19 * number)
        self.days = [first + timedelta(days=13 * n + self.rng.randrange(4)) for n in range(SESSIONS)]
        self.beats: list[list[tuple[Said, ...]]] = [[] for _ in range(SESSIONS)]
        self.questions: list[Row] = []
        self._taken: set[tuple[str, date]] = set()

    def build(self) -> None:
        """Lays all traps into the sessions."""
        acts = list(self.speech.acts)
        self.rng.shuffle(acts)
        lays: tuple[Callable[[Act], None], ...] = (self.speaker, self.next, self.dates, self.twins)
        for place, lay in enumerate(lays):
            for act in acts[place * EACH : (place + 1) * EACH]:
                lay(act)
        for said, asked in self.rng.sample(self.speech.paraphrases, EACH):
            self.paraphrase(said, asked)

    def speaker(self, act: Act) -> None:
        """The one who is asked about says `I`; the turns with the name in them are the other's."""
        doer, other = self.two()
        kind, detail = self.detail(*self.speech.asked)
        if self.rng.random() < 0.3:
            mark = self.lay(other, self.form(self.speech.praised, act, doer, detail))
        else:
            mark = self.lay(doer, self.form(self.speech.tellings, act, doer, detail))
        self.ask("speaker", self.form(self.speech.asked[kind], act, doer), mark)
        self.decoys(act, doer, other, 6)

    def next(self, act: Act) -> None:
        """The subject stands in the question, the answer in the turn after it, or one or two turns later."""
        doer, other = self.two()
        kind, detail = self.detail(*self.speech.replies_asked)
        asked = [Said(other, self.form(self.speech.wondered, act, doer))]
        aside = self.rng.random()
        if aside < 0.5:
            asked.append(Said(doer, self.rng.choice(self.speech.pauses)))
        if aside < 0.25:
            asked.append(Said(other, self.rng.choice(self.speech.urges)))
        mark = self.lay(doer, self.form(self.speech.replied, act, doer, detail), before=asked)
        self.ask("next", self.form(self.speech.replies_asked[kind], act, doer), mark)
        self.decoys(act, doer, other, 4)

    def dates(self, act: Act) -> None:
        """It was said on a known day how long ago it was; asked is the day, or what was on it."""
        doer, other = self.two()
        session, ago, day = self.moment(doer)
        text = self.form(self.speech.dated, act, doer).replace("{ago}", ago).replace("{Ago}", _upper(ago))
        mark = self.lay(doer, text, session=session)
        spoken = f"{day.day} {MONTHS[day.month - 1]} {day.year}"
        if self.rng.random() < 0.3:
            question = self.rng.choice(self.speech.on_day).format(name=doer, day=spoken)
        else:
            question = self.form(self.speech.when, act, doer)
        self.ask("dates", question, mark, answer=spoken)
        self.decoys(act, doer, other, 2)

    def paraphrase(self, said: str, asked: str) -> None:
        """Question and answer share no word that says something."""
        doer, other = self.two()
        kind, detail = self.detail(*self.speech.asked_so)
        text = self.rng.choice(self.speech.said_so).format(said=said, detail=detail)
        echo = self.rng.choice(self.speech.echoes).format(base=asked)
        after = Said(other, echo) if self.rng.random() < 0.4 else None
        question = self.rng.choice(self.speech.asked_so[kind]).format(name=doer, base=asked)
        self.ask("paraphrase", question, self.lay(doer, text, after=after))

    def twins(self, act: Act) -> None:
        """Four events, almost alike, two of each person; one is asked for, by person and month or companion."""
        doer, other = self.two()
        how = self.rng.choice(tuple(self.speech.which))
        early, late = (
            self.rng.randrange(SESSIONS // 2 - 1),
            SESSIONS // 2 + 1 + self.rng.randrange(SESSIONS // 2 - 1),
        )
        places = self.rng.sample(self.speech.details["where"], 4)
        companions = self.rng.sample(self.speech.details["who"], 4) if how == "who" else [""] * 4
        marks = []
        for place, companion, who, session in zip(
            places, companions, (doer, doer, other, other), (early, late, early, late), strict=True
        ):
            form = self.rng.choice(self.speech.twice)
            text = form.format(past=act.past, detail=f"{place} {companion}".strip())
            marks.append(self.lay(who, text, session=session))
        form = self.rng.choice(self.speech.which[how])
        month = MONTHS[self.days[early].month - 1]
        question = form.format(name=doer, base=act.base, past=act.past, month=month, other=companions[0])
        evidence = marks[:2] if how == "person" else marks[:1]
        self.ask("twins", question, *evidence)

    def two(self) -> tuple[str, str]:
        """Who it is about, and the other."""
        first, other = self.pair
        return (first, other) if self.rng.random() < 0.5 else (other, first)

    def detail(self, *kinds: str) -> tuple[str, str]:
        """A kind of detail, and one of it."""
        kind = self.rng.choice(kinds)
        return kind, self.rng.choice(self.speech.details[kind])

    def moment(self, doer: str) -> tuple[int, str, date]:
        """A session, an expression of time, and the day it means; no two for one person."""
        while True:
            session = self.rng.randrange(SESSIONS)
            ago, back = self.rng.choice(self.speech.ago)
            day_of_session = self.days[session]
            weekday = ago.split()[-1].casefold()
            if weekday in WEEKDAYS:
                back = (day_of_session.weekday() - WEEKDAYS.index(weekday)) % 7 or 7
            day = day_of_session - timedelta(days=back)
            if (doer, day) not in self._taken:
                self._taken.add((doer, day))
                return session, ago, day

    def form(self, forms: tuple[str, ...], act: Act, name: str, detail: str = "") -> str:
        """A sentence form, filled."""
        text = self.rng.choice(forms)
        if text.startswith("{detail}"):
            detail = _upper(detail)
        kept = {"ago": "{ago}", "Ago": "{Ago}"}
        return text.format(name=name, base=act.base, past=act.past, noun=act.noun, detail=detail, **kept)

    def lay(
        self,
        speaker: str,
        text: str,
        *,
        session: int | None = None,
        before: Sequence[Said] = (),
        after: Said | None = None,
    ) -> str:
        """Puts a beat into a session, and returns the mark of its turn."""
        mark = f"m{sum(map(len, self.beats))}"
        at = self.rng.randrange(SESSIONS) if session is None else session
        self.beats[at].append((*before, Said(speaker, text, mark), *([after] if after else [])))
        return mark

    def decoys(self, act: Act, doer: str, other: str, count: int) -> None:
        """Turns that name the subject and the person, and tell nothing."""
        for form in self.rng.sample(self.speech.decoys, count):
            self.lay(other, form.format(name=doer, base=act.base, noun=act.noun))

    def ask(self, category: str, question: str, *marks: str, answer: str = "") -> None:
        """Keeps a question with the marks of its evidence."""
        self.questions.append({"category": category, "question": question, "marks": marks, "answer": answer})

    def rows(self) -> tuple[list[Row], list[Row], list[Row]]:
        """Turns, sessions and questions as LoCoMo's files have them."""
        turns: list[Row] = []
        sessions: list[Row] = []
        ids: dict[str, str] = {}
        for number, beats in enumerate(self.beats, 1):
            at = f"{self.days[number - 1].isoformat()}T{9 + number % 9:02}:30"
            said = self._session(beats)
            for n, turn in enumerate(said):
                ids[turn.mark] = f"D{number}:{n + 1}"
                turns.append({
                    "conv": self.id, "id": f"D{number}:{n + 1}", "session": number, "n": n, "speaker": turn.speaker,
                    "datetime": at, "text": turn.text, "caption": "",
                })  # fmt: skip
            sessions.append({
                "conv": self.id, "session": number, "datetime": at, "summary": "", "n_turns": len(said)
            })  # fmt: skip
        questions = []
        for number, asked in enumerate(self.questions):
            evidence = [ids[mark] for mark in asked["marks"]]
            questions.append({
                "conv": self.id, "qid": f"{self.id}/q{number}", "question": asked["question"], "answer": asked["answer"],
                "category": asked["category"], "evidence": evidence,
                "sessions": sorted({int(id_[1:].partition(":")[0]) for id_ in evidence}),
            })  # fmt: skip
        return turns, sessions, questions

    def _session(self, beats: list[tuple[Said, ...]]) -> list[Said]:
        beats = list(beats)
        self.rng.shuffle(beats)
        said: list[Said] = []
        spare = max(0, TURNS - sum(map(len, beats)))
        for left, beat in zip(range(len(beats), 0, -1), beats, strict=True):
            wanted = 1 + spare // left
            spare -= min(spare, wanted)
            said += self._small_talk(wanted, said)
            said += beat
        return said + self._small_talk(2, said)

    def _small_talk(self, count: int, said: list[Said]) -> list[Said]:
        talk: list[Said] = []
        for _ in range(count):
            last = (talk or said or [Said(self.pair[0], "")])[-1].speaker
            who, other = self.pair if last == self.pair[1] else self.pair[::-1]
            talk.append(Said(who, self.rng.choice(self.speech.chatter).format(name=other)))
        return talk


def conversation(speech: Speech, number: int) -> Conversation:
    """One whole conversation of a half."""
    built = Conversation(speech, number)
    built.build()
    return built


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
