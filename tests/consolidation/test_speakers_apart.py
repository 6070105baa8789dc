"""Two people of one vault: what each calls "our" is theirs, in sessions of their own and in one that they share."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from memoryclaw.app import init_vault, open_vault

TURNS = (
    ("s1", "Ann", "Our address is 4 Mill Lane, Leeds."),
    ("s2", "Ben", "Our address is 9 Quay Road, Bristol."),
    ("s2", "Ben", "We decided to go with the blue sofa for our lounge."),
    ("s3", "Ann", "Our landlord is Mrs Brook. Our daughter is Zoe."),
    ("s3", "Ben", "Our landlord is Mr Hale. Our daughter is Mia."),
    ("s3", "Ann", "Our rent is 900 pounds, all agreed."),
)


def test_what_one_calls_ours_never_replaces_what_the_other_does(tmp_path):
    init_vault(tmp_path / "v")
    for number, (session, who, text) in enumerate(TURNS):
        log = tmp_path / f"v/logs/2026-05-01/{session}.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a") as file:
            line = {
                "ts": f"2026-05-01T09:{number:02}:00Z",
                "session": session,
                "turn": str(number),
                "role": "user",
                "name": who,
                "content": text,
            }
            file.write(json.dumps(line) + "\n")
    with open_vault(tmp_path / "v", clock=lambda: datetime(2026, 5, 2, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        assert app.review.list() == []
        found = app.facts(history=True)
        told = {(fact.entity, fact.field): fact.value for _, fact in found if not fact.is_statement}
        assert not [fact for _, fact in found if not fact.current]
        assert {key: told[key] for key in told if key[1] in ("address", "landlord", "daughter")} == {
            ("Ann", "address"): "4 Mill Lane",
            ("Ben", "address"): "9 Quay Road",
            ("Ann", "landlord"): "Mrs Brook",
            ("Ben", "landlord"): "Mr Hale",
            ("Ann", "daughter"): "Zoe",
            ("Ben", "daughter"): "Mia",
        }
        assert {
            fact.value for _, fact in found if fact.is_statement and fact.lifecycle.memory_type == "decision"
        } == {"We decided to go with the blue sofa for our lounge"}
        rent = next(fact for _, fact in found if fact.field == "rent")
        assert rent.lifecycle.memory_type == "decision"
        assert "[type:: decision]" in (tmp_path / "v/semantic/people.md").read_text()
        (one, *_) = app.recall("What is Ben's address?").matches
        assert one.unit.id == "semantic/people#Ben.address"
