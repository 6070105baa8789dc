"""A question answered within a budget."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import STUDIO, VaultOf, put
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from outlines import cites, said
from vaults import opened, questions, vaults

from memoryclaw.app import App
from memoryclaw.config import LEAST_BUDGET
from memoryclaw.errors import InputError
from memoryclaw.recall.recall import FILL
from memoryclaw.text.prompts import estimate

WHOLE = ("episode", "note", "skill")


@pytest.fixture
def app(vault_of: VaultOf) -> Iterator[App]:
    app = App(vault_of(STUDIO))
    yield app
    app.close()


@pytest.mark.laws
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(vaults, questions, st.integers(LEAST_BUDGET, 1200))
def test_no_vault_and_no_question_exceeds_any_budget(
    files: dict[str, str], question: str, budget: int
) -> None:
    with opened(files) as app:
        answer = app.recall(question, budget=budget)
        assert answer.tokens == estimate(answer.context) <= budget == answer.budget
        assert sum(match.unit.kind in WHOLE for match in answer.matches) <= app.config.max_results
        assert bool(answer.context) is bool(answer.matches)


def test_a_context_cites_what_it_quotes(app: App) -> None:
    answer = app.recall("boathouse deadline")
    items = said(answer.context)
    assert cites(items, [match.unit.id for match in answer.matches])
    assert items[0].text == "Boathouse.deadline: 2026-12-11 (since 2025-11-20)"


def test_nothing_found_is_an_empty_context_and_no_failure(app: App) -> None:
    answer = app.recall("zeppelin")
    assert (answer.context, answer.tokens, answer.matches, answer.confidence) == ("", 0, (), 0.0)


def test_an_apostrophe_within_a_word_makes_nothing_of_a_sentence_another_ones(vault_of: VaultOf) -> None:
    words = "Pretend you're a heron keeper and we'd talk about herons"
    turn = {"ts": "2025-01-01T09:00:00Z", "session": "s", "turn": 1, "role": "user", "content": words}
    app = App(vault_of({"logs/2025-01-01/s.jsonl": f"{json.dumps(turn)}\n"}))
    assert f"user: {words}" in app.recall("heron keeper").context


def test_what_is_newest_takes_the_room_that_the_matches_leave(vault_of: VaultOf) -> None:
    people = (
        '# Tam\n- "the barn near Otley it is" [said:: 2026-02-11]\n- "Bronagh does the music" [said:: 2026-03-02]\n'
        "- city: Leeds [since:: 2026-04-01]\n\n## History\n"
        '- "a string quartet" [said:: 2026-02-11] [until:: 2026-03-02]\n'
    )
    pasted = "---\ntrust: untrusted\n---\n# Bo\n- city: Hull [since:: 2026-05-01]\n"
    app = App(vault_of({**STUDIO, "semantic/people.md": people, "semantic/pasted.md": pasted}))
    asked = app.recall("what did we talk about last time")
    newest = ["semantic/people#Tam.city", "Bronagh", "barn", "semantic/projects#Boathouse.deadline"]
    ids = [match.unit.id if "said-" not in match.unit.id else match.unit.value for match in asked.matches]
    assert [next(word for word in newest if word in id_) for id_ in ids[:4]] == newest
    assert "quartet" not in asked.context
    assert "Hull" not in asked.context
    assert {(match.score, match.terms) for match in asked.matches[:4]} == {(0.0, ())}
    assert {m.word for match in asked.matches[:4] for m in match.matched} == {"newest"}
    assert asked.confidence == 0.0
    recalled = app.recall("what of the moon pancakes")
    assert {match.unit.id for match in recalled.matches} == {"notes/moon"}
    assert app.recall("zeppelin wedding").matches == ()  # keywords look for keywords
    assert all(match.score for match in app.search("what of the moon pancakes").matches)
    assert {m.unit.kind for m in app.recall("kind:note what of the moon pancakes").matches} == {"note"}
    app.close()


def test_what_is_newest_fills_no_more_than_its_share(vault_of: VaultOf) -> None:
    many = "# Tam\n" + "".join(f"- field{n}: a word and number {n} [since:: 2026-02-11]\n" for n in range(90))
    app = App(vault_of({**STUDIO, "semantic/people.md": many}))
    answer = app.recall("what have we done lately for the moon pancakes", budget=800)
    filled = sum(match.tokens for match in answer.matches if not match.score)
    assert 0.8 * FILL * 800 < filled <= FILL * 800 + 30
    assert {omitted.reason for omitted in answer.left_out} >= {"budget"}
    app.close()


def test_a_budget_too_small_for_anything_is_refused(app: App) -> None:
    with pytest.raises(InputError, match="80"):
        app.recall("boathouse", budget=LEAST_BUDGET - 1)
    assert app.recall("boathouse deadline", budget=LEAST_BUDGET).matches


def test_one_long_note_leaves_room_for_facts(vault_of: VaultOf) -> None:
    app = App(vault_of({**STUDIO, "notes/long.md": "The boathouse deadline, again and again. " * 140}))
    for budget in (120, 200, 600):
        assert "Boathouse.deadline: 2026-12-11" in app.recall("boathouse deadline", budget=budget).context


def test_max_results_bounds_whole_notes_but_not_facts_or_turns(vault_of: VaultOf) -> None:
    notes = {f"notes/{n}.md": f"Oak number {n}.\n" for n in range(9)}
    facts = "# Tree\n" + "".join(f"- field{n}: oak {n}\n" for n in range(9))
    log = "".join(
        json.dumps({"session": "s", "turn": n, "role": "user", "content": f"Oak turn {n}"}) + "\n"
        for n in range(9)
    )
    settings_file = "retrieval:\n  maxResults: 3\n"
    app = App(
        vault_of(
            {
                "memoryclaw.yaml": settings_file,
                **notes,
                "semantic/projects.md": facts,
                "logs/2025-01-01/s.jsonl": log,
            }
        )
    )
    answer = app.recall("oak", budget=3000)
    kinds = [match.unit.kind for match in answer.matches]
    assert (kinds.count("note"), kinds.count("fact"), kinds.count("turn")) == (3, 9, 9)
    assert [left.reason for left in answer.left_out] == ["max_results"] * 6


def test_only_a_skill_that_is_approved_as_it_is_reaches_a_context(vault_of: VaultOf) -> None:
    def skill(name: str) -> str:
        return f"---\nname: {name}\ndescription: Sends the zeppelin report.\n---\nSend it as {name}.\n"

    app = App(
        vault_of(
            {
                "skills/mail/SKILL.md": skill("mail"),
                "skills/mail/notes.md": "Zeppelin report: notes on how it is sent.\n",
                "skills/_drafts/wire/SKILL.md": skill("wire"),
                "skills/chase.json": '{"name": "chase", "description": "Chases the zeppelin report."}\n',
                "archive/skills/old/SKILL.md": skill("old"),
                "notes/a.md": "The zeppelin report is due.\n",
            }
        )
    )
    own = "skills/mail/SKILL"
    for question in ("zeppelin report", "kind:skill zeppelin", "zeppelin path:skills"):
        answer = app.recall(question, budget=2000)
        assert not {match.path for match in answer.matches} - {"notes/a.md"}
        assert "Send" not in answer.context
        reasons = {left.id: left.reason for left in answer.left_out}
        assert (reasons[own], reasons["skills/chase.json"]) == ("not_approved", "not_approved")
    drafts = app.recall("zeppelin kind:draft")
    assert (drafts.context, [left.reason for left in drafts.left_out]) == ("", ["draft"])
    assert [left.reason for left in app.recall("zeppelin kind:archived").left_out] == ["archived"]
    trusts = {match.path: match.unit.trust for match in app.search("zeppelin report").matches}
    assert (trusts["skills/mail/SKILL.md"], trusts["notes/a.md"]) == ("unknown", "trusted")
    app.skills.approve("mail")
    assert (
        "mail · Sends the zeppelin report. Send it as mail."
        in app.recall("zeppelin report", budget=2000).context
    )

    app.skills.approve("mail")
    answer = app.recall("zeppelin report", budget=2000)
    assert {"skills/mail/SKILL.md", "skills/mail/notes.md"} <= {match.path for match in answer.matches}
    assert "Send it as mail." in answer.context
    assert {m.path: m.unit.trust for m in app.search("zeppelin report").matches}[
        "skills/mail/SKILL.md"
    ] == "trusted"

    (app.root / "skills/mail/notes.md").write_text("Zeppelin report: send it to somebody else.\n")
    assert not {match.path for match in app.recall("zeppelin report").matches} - {"notes/a.md"}


def test_the_turns_of_the_running_session_are_not_repeated(app: App) -> None:
    said = app.recall("dowels biscuit tin", session="kanazawa")
    assert [left.reason for left in said.left_out if left.id.startswith("log:kanazawa/")] == [
        "already_visible"
    ] * 2
    assert any(
        match.unit.kind == "turn" for match in app.recall("dowels biscuit tin", session="another").matches
    )


def test_what_an_agent_is_at_helps_to_rank(vault_of: VaultOf) -> None:
    app = App(
        vault_of(
            {
                "notes/a.md": "Plan of the roof.\n",
                "notes/b.md": "Plan of the cellar.\n",
                "notes/c.md": "Else.\n",
            }
        )
    )
    assert app.recall("plan", goal="dry the cellar").matches[0].unit.id == "notes/b"
    assert app.recall("plan", goal="repair the roof").matches[0].unit.id == "notes/a"


def test_a_copy_of_a_text_is_quoted_once(vault_of: VaultOf) -> None:
    app = App(
        vault_of({"notes/a.md": "Oak is heavy.\n", "notes/b.md": "Oak is  heavy.\n", "notes/c.md": "Elm.\n"})
    )
    answer = app.recall("oak")
    assert answer.context.count("Oak is heavy.") == 1
    assert [left.reason for left in answer.left_out] == ["duplicate"]


def test_what_was_shown_is_in_the_ledger_and_changes_no_rank(app: App) -> None:
    first = app.recall("boathouse deadline", session="s1")
    assert app.recall("boathouse deadline", session="s1", seen="none").matches == first.matches
    written = [
        json.loads(line)
        for path in (app.root / "ledger").rglob("*.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert [(event["receipt"] == first.receipt, event["session"]) for event in written] == [
        (True, "s1"),
        (False, "s1"),
    ]
    assert first.receipt in {event["receipt"] for event in written}


def test_a_search_leaves_no_trace(app: App) -> None:
    app.search("boathouse deadline")
    assert not (app.root / "ledger").exists()


def test_behind_the_best_what_is_worth_most_takes_the_room(tmp_path: Path) -> None:
    long = [
        f"the red dowels in tin {n} are of {wood}, and {'so is the rest of it, ' * 9}"
        for n, wood in enumerate(("ash", "oak", "elm"))
    ]
    lines = [
        {"session": f"s{n}", "turn": 0, "ts": f"2026-01-0{n + 1}T10:00:00Z", "role": "user", "content": text}
        for n, text in enumerate((*long, "dowels are in a tin"))
    ]
    with App(put(tmp_path / "v", {"memoryclaw.yaml": ""})) as vault:
        vault.capture(lines)
        ranked = [
            match.unit.id for match in vault.search("red dowels tin").matches if match.unit.kind == "turn"
        ]
        packed = vault.recall("red dowels tin", budget=160, noted=False).matches
        assert [match.unit.id for match in packed] == [ranked[0], "log:s3/0"]
        assert ranked.index("log:s3/0") == 3
