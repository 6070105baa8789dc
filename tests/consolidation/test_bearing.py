"""What later words do to what stands: they end it, they mark it until somebody decides, or they leave it."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from conftest import VaultOf
from nights import said

from memoryclaw.app import App
from memoryclaw.consolidation.bearing import CHANGED, TOUCHED, bearing
from memoryclaw.consolidation.changes import Claim
from memoryclaw.model import Fact
from memoryclaw.text.dates import moved_day


@pytest.mark.parametrize(
    ("entity", "field", "value", "later", "how"),
    [
        ("user", "bank", "Lloyds", "I'm with Starling now", CHANGED),
        ("user", "uses", "Slack", "moved everyone onto Teams", CHANGED),
        ("user", "uses", "Slack", "we're on Teams now for client calls", TOUCHED),
        ("user", "", "the api runs on Heroku", "we migrated the api to Fly last weekend", CHANGED),
        ("user", "", "the blog runs on Heroku", "we migrated the api to Fly last weekend", ""),
        ("user", "", "the stack is Go, NATS and ClickHouse", "we went with Postgres after all", ""),
        ("user", "bank", "Lloyds", "my brother is with Starling now", ""),
        ("user", "is", "vegetarian", "been eating fish again", CHANGED),
        ("user", "is", "Vegetarierin", "ich esse wieder Fleisch", CHANGED),
        ("user", "", "I don't drink alcohol", "I have a glass of wine on Fridays these days", CHANGED),
        ("user", "is", "vegetarian", "my sister eats fish again", ""),
        ("user", "", "I eat meat", "I eat fish again", ""),
        ("Owen", "lives in", "Cardiff", "Owen's back in Swansea", TOUCHED),
        ("Kim's brother", "works at", "Siemens", "my brother's at Bosch now", TOUCHED),
        ("Kim's brother", "works at", "Siemens", "my brother's car is at Bosch now", ""),
        ("Ana", "works at", "Fugro", "Ana's at the beach now", ""),
        ("Owen", "lives in", "Cardiff", "Owen's back in Cardiff", ""),
        ("user", "manager", "Duncan", "my new manager started: Shreya", TOUCHED),
        ("user", "", "I weigh 84 kg", "I'm down to 79 kg", TOUCHED),
        ("user", "", "I weigh 84 kg", "the parcel is down to 2 kg", ""),
        ("user", "", "I no longer eat meat", "I no longer eat cheese", ""),
        ("user", "", "we don't use Slack any more", "we don't use Jira any more", ""),
        ("user", "", "I take the bus, I don't drive any more", "I don't take the bus any more", TOUCHED),
        ("user", "works at", "HSBC", "I'm with Monzo now", ""),
        ("user", "likes", "opera", "moved everyone onto Firefox", ""),
        ("user", "", "my wife is vegan", "I'm eating cheese again", ""),
        ("user", "lives in", "Leeds", "I live with Crohn's now", ""),
        ("user", "", "I have two sons", "my neighbour has three sons now", ""),
        ("user", "", "my parents live in Truro", "the meeting with my parents moved to Thursday", ""),
    ],
)
def test_later_words_change_touch_or_leave(entity: str, field: str, value: str, later: str, how: str) -> None:
    known = Fact(entity, field, value, 1, said="2026-10-02", type="fact" if field else "statement")
    claim = Claim(entity, "", later, 1, later, "user", "2026-11-02", words=later, speaker="user", change=True)
    assert bearing(claim, known) == how


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("pushed back a week", date(2026, 12, 24)),
        ("brought forward by two days", date(2026, 12, 15)),
        ("können nur einen Tag früher", date(2026, 12, 16)),
        ("um eine Woche nach vorne verschoben", date(2026, 12, 10)),
        ("la visita è stata spostata al 17", date(2026, 12, 17)),
        ("they offered the 12th instead", date(2026, 12, 12)),
        ("dos semanas más tarde", date(2026, 12, 31)),
        ("it is on the 3rd floor", None),
        ("the 2 of us went back", None),
        ("two weeks of work", None),
    ],
)
def test_a_day_is_moved_by_an_amount_or_to_another_of_its_month(text: str, day: date | None) -> None:
    assert moved_day(text, date(2026, 12, 17)) == day


def test_what_is_only_touched_is_marked_with_the_later_words_and_waits(vault_of: VaultOf) -> None:
    nights = {
        "2026-10-02": ["Owen lives in Cardiff", "the boiler service is on 20 November", "my bank is Lloyds"],
        "2026-11-02": ["Owen's back in Swansea", "they've brought the boiler service forward by two days", "I'm with Starling now"],
    }  # fmt: skip
    root = vault_of({})
    for day, texts in nights.items():
        log = root / f"logs/{day}/a.jsonl"
        log.parent.mkdir(parents=True)
        log.write_text(said(day, [("user", text) for text in texts], day=day), encoding="utf-8")
        with App(root, clock=lambda day=day: datetime.fromisoformat(f"{day}T22:00:00+00:00")) as app:
            app.consolidate(llm="none")
    with App(root, clock=lambda: datetime(2026, 11, 3, 9, tzinfo=UTC)) as app:
        standing = [fact.value for _, fact in app.facts() if fact.current]
        past = {fact.value: fact for _, fact in app.facts(history=True) if not fact.current}
        assert "Cardiff" in standing
        assert "they've brought the boiler service forward by two days (2026-11-18)" in standing
        assert past["Lloyds"].until == past["the boiler service is on 20 November"].until == "2026-11-02"
        mark = '(may have changed: "Owen\'s back in Swansea", 2026-11-02)'
        assert mark in app.recall("where does Owen live?").context
        [waiting] = app.review.list()
        assert waiting.what == "Owen: lives in Cardiff"
        assert "it may have changed" in waiting.why
        app.review.approve([waiting])
        assert not app.review.list()
        assert "may have changed" not in app.recall("where does Owen live?").context
        assert "overtaken" not in (root / "semantic/people.md").read_text(encoding="utf-8")
