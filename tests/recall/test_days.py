"""Values that are days: found by a question that names a time, brought along when they are near, and listed as to-dos."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from conftest import VaultOf, put
from gitvault import git

from memoryclaw.app import App
from memoryclaw.errors import InputError
from memoryclaw.model import Match
from memoryclaw.text.dates import days_of, falls_in, find_ranges, next_occurrence

SATURDAY = datetime(2026, 4, 25, 10, tzinfo=UTC)
INES = """---
birthday: 1988-06-14
aliases: [Ina]
---
# Ines Duarte

employer:: Kjeldsen Ltd

- [ ] send the keys 📅 2026-04-29
- [x] call her 📅 2026-04-28 ✅ 2026-04-01
"""
FILES = {
    "people/Ines Duarte.md": INES,
    "notes/Slipway log.md": "---\nproject: Slipway\ndeadline: 2026-04-30\n---\nTar and rope.\n- [ ] order tar 🔁 every week 📅 2026-06-01\n",
    "semantic/people.md": "# Ines Duarte\n- birthday: 15 June 1988\n- employer: kjeldsen ltd\n\n# Regatta\n- starts: 30 April 2026\n- prize: 40\n",
    "episodes/2026-02-11_10-00-00_talk.md": "---\nid: ep-talk\ntimestamp: 2026-02-11T10:00:00Z\n---\n- [ ] Tam: ring the caterer ^l13\n",
}


@pytest.fixture(params=["fts5", "whoosh"])
def app(request: pytest.FixtureRequest, vault_of: VaultOf) -> Iterator[App]:
    folder = vault_of(FILES)
    (folder / "memoryclaw.yaml").write_text(f"index:\n  engine: {request.param}\n")
    app = App(folder, clock=lambda: SATURDAY)
    yield app
    app.close()


def ids(matches: tuple[Match, ...]) -> list[str]:
    return [match.unit.id for match in matches]


def causes(match: Match) -> set[tuple[str, str]]:
    return {(cause.word, cause.via) for cause in match.matched}


@pytest.mark.parametrize(
    ("value", "days"),
    [
        ("2026-04-30", "2026-04-30"),
        ("30 April 2026", "2026-04-30"),
        ("am 30. April 2026 (Frist)", "2026-04-30"),
        ("2026年4月30日", "2026-04-30"),
        ("[[2026-04-30]]", "2026-04-30"),
        ("2026-04-30T14:00:00Z", "2026-04-30"),
        ("2026-05-02, 2026-04-30", "2026-04-30 2026-05-02"),
        ("April 2026", "2026-04-01/2026-04-30"),
        *((text, "") for text in ("2026", "30 April", "on Friday", "Q2 2026", "+49 2026 0430", "1778000000", "x.org/2026-04-30/a", "met Tam about the roof on 2026-04-30")),
    ],
)  # fmt: skip
def test_a_value_is_a_day_only_where_it_says_little_else_and_the_year(value: str, days: str) -> None:
    assert days_of(value) == days


def test_days_fall_in_a_time_that_may_be_open() -> None:
    assert falls_in("2026-04-01/2026-04-30", "2026-04-30", "2026-05-02")
    assert falls_in("2026-04-30 2026-06-01", "2026-05-05", "")
    assert not falls_in("2026-04-30 2026-06-01", "2026-05-01", "2026-05-31")


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("30 April", "2026-04-30"), ("on Friday", "2026-05-01"), ("in May", "2026-05-01"), ("am 30. April", "2026-04-30"), ("4月30日", "2026-04-30"),
        ("by Friday", SATURDAY.date().isoformat()), ("bis Freitag", SATURDAY.date().isoformat()),
        *((text, None) for text in ("last Friday", "last May", "in 2025", "yesterday", "this week", "next week", "last month", "March 2026")),
    ],
)  # fmt: skip
def test_a_time_without_a_year_comes_again(text: str, days: str | None) -> None:
    [[span], _] = find_ranges(text, SATURDAY.date())
    again = next_occurrence(span, SATURDAY.date())
    assert (again.start if again else None) == days


def test_what_is_asked_for_until_a_day_is_due_until_the_next_one() -> None:
    [[span], _] = find_ranges("what is due by Friday?", SATURDAY.date())
    coming = next_occurrence(span, SATURDAY.date())
    assert coming
    assert coming.end == "2026-05-01"


def test_a_day_is_asked_for_by_what_was_told_of_it_later(tmp_path: Path) -> None:
    """Words such as `yesterday` count from the day on which they were said."""
    spoken = [
        "Yesterday I took the ferry to Skagen",
        "on Tuesday the winch broke",
        "the paint is dry now",
        "next Thursday the sails arrive",
    ]
    turns = [
        {"ts": f"2026-04-24T18:0{n}:00Z", "session": "s", "turn": str(n), "role": "user", "name": "Ina", "content": text}
        for n, text in enumerate(spoken)
    ]  # fmt: skip
    with App(put(tmp_path / "v", {"semantic/none.md": "# None\n"}), clock=lambda: SATURDAY) as app:
        app.capture(turns)
        for question, text in (
            ("what did I do on 23 April?", spoken[0]),
            ("what happened on 21 April?", spoken[1]),
            ("what happens on 30 April?", spoken[3]),
        ):
            assert [match.unit.text for match in app.search(question).matches] == [text]
            assert text in app.recall(question).context
        assert app.recall("what happened on 22 April?").context == ""
        answer = app.ask("what happened on 23 April?")
        assert answer.answered
        assert [line.text for line in answer.lines] == [f"Ina: {spoken[0]}"]
        # Of a day on which things were said, what tells of it comes before what was only said on it, and nothing of another day.
        assert [line.text for line in app.ask("what is on Friday?").lines] == [f"Ina: {spoken[2]}"]
        assert app.search("what happened since Thursday?").matches
        app.capture([{**turns[0], "turn": "9", "content": "my knee hurts since Thursday"}])
        assert "knee" not in app.recall("what happened on 21 April?").context


def test_what_is_since_a_month_or_in_no_time_is_no_reason_to_fail(tmp_path: Path) -> None:
    facts = '# Kim\n- bank: Monzo [since:: 2026-04]\n- car: Golf [since:: soon]\n- "the roof leaks" [said:: 2026]\n'
    with App(put(tmp_path / "v", {"semantic/people.md": facts}), clock=lambda: SATURDAY) as app:
        assert not app.search("what happened on 22 April?").matches
        assert "Monzo" in app.recall("which bank did Kim use on 22 April?").context
        assert [line.text for line in app.ask("which bank did Kim use on 22 April?").lines] == [
            "Kim bank: Monzo"
        ]


def test_a_question_of_a_day_finds_what_is_that_day(app: App) -> None:
    answer = app.search("what is due on 30 April?")
    assert set(ids(answer.matches)) == {"notes/Slipway log", "semantic/people#Regatta.starts"}
    assert all(("on 30 April", "date") in causes(match) for match in answer.matches)
    assert all(match.score == sum(term.value for term in match.terms) for match in answer.matches)
    assert set(ids(app.search("what comes up next week?").matches)) == {
        "people/Ines Duarte#todo-0225d8b5", "people/Ines Duarte#todo-9b8e4f1e", "notes/Slipway log", "semantic/people#Regatta.starts",
    }  # fmt: skip
    assert ids(app.search("kind:todo on:2026-04-29").matches) == ["people/Ines Duarte#todo-0225d8b5"]


def test_a_property_answers_as_a_fact_and_by_any_name_of_its_entity(app: App) -> None:
    for question in ("When is Ines's birthday?", "Ina birthday", "birthday of Ines Duarte"):
        assert set(ids(app.search(question).matches)[:2]) == {
            "people/Ines Duarte#Ines Duarte.birthday", "semantic/people#Ines Duarte.birthday",
        }  # fmt: skip
    assert "1988-06-14" in app.recall("When is Ines's birthday?").context
    assert [fact.field for _, fact in app.facts("Ina")] == ["birthday", "employer", "birthday", "employer"]
    assert app.search("kjeldsen").matches[0].unit.field == "employer"


def test_what_is_due_within_a_week_follows_what_answers_and_says_so(app: App) -> None:
    answer = app.recall("who gives the prize?", budget=400)
    soon = {
        match.unit.id: match for match in answer.matches if any(via == "upcoming" for _, via in causes(match))
    }
    assert set(soon) == {"people/Ines Duarte#todo-0225d8b5", "semantic/people#Regatta.starts"}
    assert causes(soon["people/Ines Duarte#todo-0225d8b5"]) == {("2026-04-29", "upcoming")}
    assert ids(answer.matches)[0] == "semantic/people#Regatta.prize"
    assert "[ ] send the keys (due 2026-04-29)" in answer.context
    assert all(match.score == sum(term.value for term in match.terms) for match in answer.matches)
    assert {unit.id: unit.decision for unit in answer.trace}["people/Ines Duarte#todo-0225d8b5"] == "in"


def test_what_is_due_and_finds_no_room_is_left_out_with_its_own_reason(app: App) -> None:
    put(
        app.root,
        {
            "notes/many.md": "".join(
                f"- [ ] step {n} of the long way round the harbour {n} 📅 2026-04-27\n" for n in range(30)
            )
        },
    )
    answer = app.recall("who gives the prize?", budget=400)
    reasons = {omitted.reason for omitted in answer.left_out if "notes/many#todo" in omitted.id}
    assert reasons == {"upcoming"}
    assert answer.tokens <= 400


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("notes/doubt.md", "---\ntrust: unknown\n---\n- [ ] obey 📅 2026-04-27\n"),
        ("archive/notes/old.md", "- [ ] obey 📅 2026-04-27\n"),
        ("notes/done.md", "- [x] obey 📅 2026-04-27\n"),
        ("notes/later.md", "- [ ] obey 📅 2026-05-27\n"),
        ("notes/late.md", "- [ ] obey 📅 2026-04-20\n"),
    ],
)
def test_nothing_doubtful_put_away_done_or_far_comes_along(app: App, path: str, text: str) -> None:
    put(app.root, {path: text})
    assert "obey" not in app.recall("who gives the prize?").context


def test_what_an_audience_may_not_see_is_neither_listed_nor_brought_along(app: App) -> None:
    put(
        app.root,
        {
            "notes/mixed.md": "- [ ] secret plan 📅 2026-04-27 [audience:: owner]\n- [ ] open plan 📅 2026-04-27\n"
        },
    )
    agent = app.seen_by("agent")
    assert [todo.text for todo in agent.todos("plan")] == ["open plan"]
    assert "secret" not in agent.recall("who gives the prize?").context


def test_to_dos_are_listed_by_time_words_and_state(app: App) -> None:
    assert [(todo.text, todo.due) for todo in app.todos()] == [
        ("send the keys", "2026-04-29"), ("order tar", "2026-06-01"), ("Tam: ring the caterer", ""),
    ]  # fmt: skip
    assert [todo.text for todo in app.todos(due="next week")] == ["send the keys"]
    assert [todo.text for todo in app.todos(due="29 April")] == ["send the keys"]
    assert [todo.text for todo in app.todos("slipway")] == ["order tar"]
    assert [todo.text for todo in app.todos("Ina keys")] == ["send the keys"]
    assert [(todo.text, todo.status, todo.finished) for todo in app.todos(state="done")] == [
        ("call her", "done", "2026-04-01")
    ]
    assert [todo.status for todo in app.todos(state="all")] == ["open", "open", "open", "done"]
    assert app.todos("Tam")[0].id == "ep-talk#^l13"
    for wrong in ({"due": "whenever"}, {"state": "lost"}):
        with pytest.raises(InputError):
            app.todos(**wrong)  # type: ignore[arg-type]


def committed(app: App) -> None:
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "notes"]):
        git(app.root, *command)


def test_ticking_is_one_line_and_one_commit_and_leaves_the_users_work_alone(app: App) -> None:
    committed(app)
    note = app.root / "people/Ines Duarte.md"
    (app.root / "notes/mine.md").write_text("mine\n")
    done = app.edit("people/Ines Duarte#todo-0225d8b5", {"done": "true"})
    assert note.read_text() == INES.replace(
        "[ ] send the keys 📅 2026-04-29", "[x] send the keys 📅 2026-04-29 ✅ 2026-04-25"
    )
    assert git(app.root, "show", "--numstat", "--format=%s", done.commit).split() == [
        *["Edit", "people/Ines", "Duarte#todo-0225d8b5:", "done", "=", "true"], "1", "1", "people/Ines", "Duarte.md",
    ]  # fmt: skip
    assert (app.root / "notes/mine.md").read_text() == "mine\n"
    assert [todo.text for todo in app.todos(due="next week")] == []
    assert app.edit("people/Ines Duarte#todo-0225d8b5", {"done": "true"}).action == "confirmed"
    app.edit("people/Ines Duarte#todo-0225d8b5", {"done": "no", "due": "2026-05-02"})
    assert "- [ ] send the keys 📅 2026-05-02\n" in note.read_text()
    app.edit("ep-talk#^l13", {"done": "true"})
    assert (
        (app.root / "episodes/2026-02-11_10-00-00_talk.md")
        .read_text()
        .endswith("- [x] Tam: ring the caterer ^l13\n")
    )


@pytest.mark.parametrize(
    ("id_", "fields", "message"),
    [
        ("notes/Slipway log#todo-04970d15", {"done": "true"}, "comes again"),
        ("people/Ines Duarte#todo-0225d8b5", {"text": "x"}, "set `done=true`"),
        ("people/Ines Duarte#todo-0225d8b5", {"done": "maybe"}, "neither true nor false"),
    ],
)
def test_a_to_do_is_not_changed_wrongly(app: App, id_: str, fields: dict[str, str], message: str) -> None:
    committed(app)
    before = {path: path.read_bytes() for path in app.root.rglob("*.md")}
    with pytest.raises(InputError, match=message):
        app.edit(id_, fields)
    assert {path: path.read_bytes() for path in before} == before


def test_a_to_do_or_field_is_neither_forgotten_nor_purged_by_mistake(app: App) -> None:
    committed(app)
    with pytest.raises(InputError, match="is a to-do, a line of people/Ines Duarte"):
        app.forget("people/Ines Duarte#todo-0225d8b5")
    with pytest.raises(InputError, match="is a line of people/Ines Duarte"):
        app.purge("people/Ines Duarte#Ines Duarte.birthday")


def test_purging_a_note_takes_what_its_fields_say_from_everywhere(app: App) -> None:
    committed(app)
    app.working.set("s", {"goal": "call Kjeldsen Ltd about the tar"})
    app.purge("people/Ines Duarte")
    assert not (app.root / "people/Ines Duarte.md").exists()
    assert "Kjeldsen" not in "".join(path.read_text() for path in app.root.glob("working/*.json"))
    assert [path for path, _ in app.facts("Ines Duarte")] == ["semantic/people.md"] * 2


def test_a_field_is_edited_in_its_note_and_its_past_comes_from_git(app: App) -> None:
    git_env = {"GIT_AUTHOR_DATE": "2026-03-01T10:00:00Z", "GIT_COMMITTER_DATE": "2026-03-01T10:00:00Z"}
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "notes"]):
        git(app.root, *command, **git_env)
    id_ = "people/Ines Duarte#Ines Duarte.birthday"
    done = app.edit(id_, {"value": "1988-06-16"})
    note = app.root / "people/Ines Duarte.md"
    assert note.read_text() == INES.replace("1988-06-14", "1988-06-16")
    assert next(iter(app.history(id_).commits)).commit == done.commit
    assert len(app.history(id_).commits) == 2
    assert len(app.history("people/Ines Duarte#Ines Duarte.employer").commits) == 1
    assert app.blame("Ines Duarte.birthday").commit.commit == done.commit  # type: ignore[union-attr]

    def birthday(as_of: date) -> list[str]:
        return [
            fact.value
            for path, fact in app.facts("Ines Duarte", as_of=as_of)
            if fact.field == "birthday" and path.startswith("people")
        ]

    assert birthday(date(2026, 4, 1)) == ["1988-06-14"]
    assert birthday(date(2026, 4, 25)) == ["1988-06-16"]
    back = app.forget(id_)
    assert "birthday" not in note.read_text()
    assert id_ not in ids(app.search("Ines birthday").matches)
    app.revive(back.id)
    assert note.read_text() == INES.replace("1988-06-14", "1988-06-16")


def test_remembering_goes_to_semantic_and_leaves_the_note_alone(app: App) -> None:
    committed(app)
    done = app.remember("blue", entity="ines duarte", field="boat")
    assert done.path == "semantic/people.md"
    assert "- boat: blue" in Path(app.root / "semantic/people.md").read_text()
    assert (app.root / "people/Ines Duarte.md").read_text() == INES


def test_a_note_and_semantic_that_disagree_both_stand_and_are_a_conflict(app: App) -> None:
    from memoryclaw.interfaces import shapes  # noqa: PLC0415

    facts = app.facts("Ines Duarte")
    rows = shapes.facts(facts, app.freshness, app.conflicting(facts))["facts"]
    assert {row["id"]: row["conflicts"] for row in rows if row["conflicts"]} == {
        "people/Ines Duarte#Ines Duarte.birthday": ["semantic/people#Ines Duarte.birthday"],
        "semantic/people#Ines Duarte.birthday": ["people/Ines Duarte#Ines Duarte.birthday"],
    }


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What is due next week?"),
        ("en", "deadlines next week"),
        ("de", "Was ist nächste Woche fällig?"),
    ],
)
def test_ask_answers_what_is_due_with_all_that_has_its_day_then(
    app: App, language: str, question: str
) -> None:
    (app.vault.root / "memoryclaw.yaml").write_text(f"index:\n  language: {language}\n")
    with App(app.vault.root, clock=lambda: SATURDAY) as spoken:
        asked = spoken.ask(question)
    expected = {"[ ] send the keys (due 2026-04-29)", "Regatta starts: 30 April 2026"}
    assert asked.answered
    assert expected <= {line.text for line in asked.lines}
    assert not any("call her" in line.text for line in asked.lines)  # it is done


@pytest.mark.parametrize("question", ["When is the dentist next week?", "When is the dentist due next week?"])
def test_a_day_that_was_asked_about_answers_nothing_besides(app: App, question: str) -> None:
    assert not app.ask(question).answered


def test_to_dos_answer_a_question_of_a_time_alone(app: App) -> None:
    asked = app.ask("What is on next week?")
    assert "[ ] send the keys (due 2026-04-29)" in {line.text for line in asked.lines if asked.answered}


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("We released the beta on 2021-12-31 and drank tea.\n", "What happened on 2021-12-31?"),
        ("# 31 December 2021\n\nWe released the beta.\n", "What happened on 2021-12-31?"),
        ("Am 31.12.2021 haben wir Tee getrunken.\n", "what happened on December 31, 2021"),
        ("# 2020-09-05\n\nWe dug the well.\n", "What happened on 9/5/2020?"),
        ("# 2020-09-05\n\nWe dug the well.\n", "What happened on 5/9/2020?"),
        ("On 24 June we go to the zoo.\n", "what do we do on 24 June?"),
        ("Am 24. Juni gehen wir in den Zoo.\n", "Was machen wir am 24. Juni?"),
        ("2021년 12월 31일 베타를 출시했다.\n", "2021년 12월 31일"),
        (
            "2021년 12월 31일에 베타를 출시했다.\n",
            "What happened on 2021-12-31?",
        ),  # the sign of the day and what follows it are one token
        ("12월 31일에는 차를 마신다.\n", "12월 31일"),
        ("12月31日我们喝茶。\n", "12月31日"),
        ("2021年12月31日に出荷した。\n", "What happened in December 2021?"),
    ],
)
def test_a_day_that_stands_in_a_text_is_found_by_its_words(tmp_path: Path, text: str, question: str) -> None:
    others = {f"other/{n}.md": f"On {n + 1} May 2020 nothing of note was done.\n" for n in range(9)}
    with App(
        put(tmp_path / "v", {"day.md": text, **others}), clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)
    ) as app:
        answer = app.search(question)
        assert answer.matches[0].unit.id.partition("#")[0] == "day"
        assert "date" in {cause.via for cause in answer.matches[0].matched}
        assert "day" in {match.unit.id.partition("#")[0] for match in app.recall(question).matches}


def test_a_day_that_is_written_out_is_about_what_tells_it_whatever_else_is_asked(tmp_path: Path) -> None:
    files = {
        "day.md": "On 24 June we go to the zoo.\n",
        "other.md": "The lathe stands on 2026-03-10 in the yard.\n",
    }
    with App(put(tmp_path / "v", files), clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as app:
        assert "zoo" in app.recall("Are there any plans for June 24th?").context
        assert app.recall("Are there any plans for June 25th?").context == ""
        assert app.recall("What are the headlines today?").context == ""  # no day is written out
        assert [line.text for line in app.ask("any plans for 24 June?").lines] == [
            "On 24 June we go to the zoo."
        ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what happens on 4 May 2026?", "user: on Monday I start at Kellwerk"),
        ("what was on 20 April 2026?", "user: on Monday I went to the dentist"),
        ("what did I do on Monday?", ""),
        ("what is on Monday?", "user: on Monday I start at Kellwerk"),
        ("what is on 27 April 2026?", ""),
    ],
)
def test_a_weekday_that_was_told_is_asked_for_by_the_day_that_its_tense_tells(
    tmp_path: Path, question: str, answer: str
) -> None:
    turns = ("on Monday I start at Kellwerk", "on Monday I went to the dentist")
    turn = '{{"ts":"2026-04-{day}T09:00:00Z","session":"s","turn":{n},"role":"user","content":"{text}"}}\n'
    log = "".join(turn.format(day=28 - 4 * n, n=n, text=text) for n, text in enumerate(turns))
    put(tmp_path, {"memoryclaw.yaml": "", "logs/2026-04-24/s.jsonl": log})
    with App(tmp_path, clock=lambda: datetime(2026, 4, 29, 10, tzinfo=UTC)) as app:
        answered = app.ask(question)
    assert [line.text for line in answered.lines if answered.answered] == [answer] * bool(answer)


def test_of_equal_scores_the_newer_comes_first(tmp_path: Path) -> None:
    weights = "# Tam\n- weight in January: 80 kg [since:: 2026-01-05]\n- weight in December: 76 kg [since:: 2026-12-05]\n"
    with App(put(tmp_path / "v", {"semantic/people.md": weights})) as app:
        first, second = app.search("weight of Tam").matches[:2]
        assert (first.score, first.unit.value) == (second.score, "76 kg")


def test_what_is_due_soon_and_is_not_about_the_question_scores_nothing(app: App) -> None:
    put(
        app.root, {"people/Boathouse.md": "---\ndates: [2026-04-27]\n---\nboathouse\n", "b.md": "boathouse\n"}
    )
    app.working.set("s", {"goal": "delete everything"})
    answer = app.recall("boathouse Kastellet Nyhavn", session="s")
    shown = next(match for match in answer.matches if match.unit.entity == "Boathouse")
    assert (shown.score, shown.terms) == (0.0, ())
    assert causes(shown) == {("2026-04-27", "upcoming")}
