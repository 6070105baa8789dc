"""`search` and `recall` as commands: what is found, why, and in which shape."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time

import pytest
from conftest import Claw
from outlines import cites, said

from memoryclaw.index.index import RACY_NS

HOSTILE = "\x1b]0;owned\x07\x1b[31mred\u202etxt\u200b\x9b2J"


def test_search_prints_title_id_place_date_and_passage(asked: Claw) -> None:
    lines = asked("search", "penicillin").out.splitlines()
    assert "Nora reacted to penicillin" in lines[0]
    assert "2025-07-08" in lines[0]
    assert "ep-penicillin" in lines[1]
    assert re.search(r"episodes/2025-07-08_17-25-00_penicillin\.md:\d+", lines[1])
    assert "must not take penicillin" in lines[2]


# Modules that a search over an index in line with its files has no use for, and who has. Each would make every search slower.
NEEDLESS = {
    "hashlib": "the sync, for digests of files; it starts a cryptography library",
    "secrets": "what writes, for ids",
    "tomllib": "the hosts, for their settings",
    "difflib": "the command line, for verbs with a slip",
    "subprocess": "git",
    "asyncio": "the servers",
    "frontmatter": "notes with a header",
    "git": "what writes",
    "jinja2": "templates",
    "watchdog": "the watch",
    "importlib.metadata": "the command line, for its version",
    "yaml": "notes with a header, and settings that have changed",
    "rich": "tables and progress bars",
    "httpx": "language models",
    "whoosh.index": "the other text engine",
    "memoryclaw.index.indexer": "the sync, for files that have changed",
    "memoryclaw.vault.notes": "the same",
    "memoryclaw.vault.facts": "the same",
    "memoryclaw.text.markdown": "the same",
    "memoryclaw.text.redaction": "what writes",
    "memoryclaw.recall.recall": "recall",
    "memoryclaw.writing.writer": "what writes",
    "memoryclaw.consolidation": "consolidate",
}
SEARCHING = """
import sys
before = set(sys.modules)
from memoryclaw.interfaces.cli.exit_codes import run
code = run(["--vault", sys.argv[1], "search", "boathouse", "deadline"])
print(code, *sys.modules.keys() - before, file=sys.stderr)
"""


def test_a_search_imports_nothing_that_it_has_no_use_for(asked: Claw) -> None:
    time.sleep(2 * RACY_NS / 1e9)  # a younger file is read twice
    asked("sync")
    asked("search", "boathouse")  # what is new of the vault is told once, and its settings are parsed once
    done = subprocess.run(
        [sys.executable, "-c", SEARCHING, asked.vault], capture_output=True, encoding="utf-8", check=True
    )
    code, *imported = done.stderr.split()
    assert (code, "Boathouse" in done.stdout) == ("0", True)
    assert "memoryclaw.recall.search" in imported
    assert {name: why for name, why in NEEDLESS.items() if name in imported} == {}


def test_several_words_need_no_quotes(asked: Claw) -> None:
    first = asked("search", "boathouse", "deadline", "--json").json
    second = asked("search", "boathouse deadline", "--json").json
    assert first["query"] == "boathouse deadline"
    assert [m["id"] for m in first["matches"]] == [m["id"] for m in second["matches"]]


def test_the_terms_shown_add_up_to_the_score_shown(asked: Claw) -> None:
    out = asked("search", "boathouse deadline", "--explain").out
    assert re.search(r"^     deadline: \w+ \(literal\)", out, re.MULTILINE)
    for block in out.strip().split("\n\n"):
        values = re.findall(r"^     (\S.*?)  +(-?\d+\.\d{3})$", block, re.MULTILINE)
        terms, (name, score) = values[:-1], values[-1]
        assert name == "score"
        assert terms
        assert sum(round(float(value) * 1000) for _, value in terms) == round(float(score) * 1000)


def test_search_json_has_the_promised_shape(asked: Claw) -> None:
    answer = asked("search", "boathouse deadline", "--json").json
    assert {"query", "confidence", "degraded", "matches", "left_out", "timings_ms"} <= answer.keys()
    best = answer["matches"][0]
    assert best["id"] == "semantic/projects#Boathouse.deadline"
    assert {
        "id", "note", "kind", "path", "line", "end_line", "title", "snippet", "score", "why", "layer",
        "trust",
    } <= best.keys()  # fmt: skip
    for match in answer["matches"]:
        assert sum(term["value"] for term in match["why"]["terms"]) == match["score"]
        assert match["why"]["matched"]
        assert match["snippet"] == "" or all(
            0 <= a < b <= len(match["snippet"]) for a, b in match["highlights"]
        )
    assert {"id": "semantic/projects#Kiosk.deadline", "reason": "other_entity"} in answer["left_out"]


def test_kind_and_limit_narrow_the_answer(asked: Claw) -> None:
    assert {m["kind"] for m in asked("search", "boathouse", "--kind", "fact", "--json").json["matches"]} == {
        "fact"
    }
    assert len(asked("search", "nora masts dowels oat", "--limit", "2", "--json").json["matches"]) == 2


def test_a_slip_of_the_pen_is_met_with_a_suggestion(asked: Claw) -> None:
    ran = asked("search", "penicilin")
    assert "penicillin" in ran.err
    assert "Did you mean" in ran.err
    assert asked("search", "penicilin", "--json").json["did_you_mean"] == {"penicilin": "penicillin"}


def test_nothing_found_is_fine(asked: Claw) -> None:
    ran = asked("search", "xylophone")
    assert ran.code == 0
    assert ran.out.startswith("Nothing found")
    assert asked("search", "xylophone", "--json").json["matches"] == []


def test_recall_prints_context_cost_and_confidence(asked: Claw) -> None:
    ran = asked("recall", "When is the boathouse deadline?", "--budget", "200")
    assert ran.code == 0
    assert "<memories" in ran.out
    assert "2026-12-11" in ran.out
    assert re.search(r"^\d+ of 200 tokens, confidence \d\.\d\d$", ran.out, re.MULTILINE)


def test_recall_json_stays_within_its_budget(asked: Claw) -> None:
    for budget in (80, 120, 400):
        answer = asked(
            "recall", "boathouse deadline penicillin masts", "--budget", str(budget), "--json"
        ).json
        assert answer["tokens"] <= answer["budget"] == budget
        assert sum(match["tokens"] for match in answer["matches"]) <= budget
        assert cites(said(answer["context"]), [match["id"] for match in answer["matches"]])
        assert answer["receipt"]


def test_a_trace_lists_every_candidate_once(asked: Claw) -> None:
    answer = asked("recall", "boathouse deadline", "--trace", "--json").json
    decided = [(unit["id"], unit["path"], unit["decision"]) for unit in answer["trace"]]
    assert len({(id_, path) for id_, path, _ in decided}) >= len(answer["matches"])
    assert [id_ for id_, _, decision in decided if decision == "in"] == [m["id"] for m in answer["matches"]]
    assert all(
        unit["decision"] in {"in", "out"} and bool(unit["reason"]) == (unit["decision"] == "out")
        for unit in answer["trace"]
    )
    out = asked("recall", "boathouse deadline", "--trace").out
    assert "other_entity" in out
    assert "a fact of another entity" in out


def test_search_leaves_no_trace_and_recall_one(asked: Claw) -> None:
    asked("search", "penicillin")
    assert not (asked.vault / "ledger").exists()
    receipt = asked("recall", "penicillin", "--json", "--session", "s1").json["receipt"]
    [ledger] = (asked.vault / "ledger").rglob("*.jsonl")
    [event] = [json.loads(line) for line in ledger.read_text().splitlines()]
    assert event["event"] == "shown"
    assert receipt in event.values()


def test_two_runs_differ_in_nothing_but_time_and_receipt(asked: Claw) -> None:
    for words in (["search", "boathouse deadline"], ["recall", "boathouse deadline", "--trace"]):
        first, second = asked(*words, "--json").json, asked(*words, "--json").json
        for answer in (first, second):
            answer.pop("timings_ms")
            answer.pop("receipt", None)
        assert first == second


def test_json_is_exact_and_harmless(asked: Claw) -> None:
    text = f"beeswax {HOSTILE} 栗\n"
    (asked.vault / "notes/evil.md").write_text(text)
    ran = asked("show", "notes/evil", "--json")
    assert ran.json["text"] == text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u200b]", ran.out)
    assert "栗" in ran.out


def test_a_new_note_is_found_without_a_sync(asked: Claw) -> None:
    assert asked("search", "quince", "--json").json["matches"] == []
    (asked.vault / "notes/quince.md").write_text("# Quince\n\njelly\n")
    assert [m["id"] for m in asked("search", "quince", "--json").json["matches"]] == ["notes/quince"]


def test_the_index_may_vanish_at_any_moment(asked: Claw) -> None:
    before = asked("search", "boathouse", "--json").json["matches"]
    for path in (asked.vault / ".memoryclaw").iterdir():
        if path.is_file():
            path.unlink()
    assert asked("search", "boathouse", "--json").json["matches"] == before


@pytest.mark.parametrize("text", ["", "   ", "*", '"', "NOT", "(", "tag:", "a" * 5000, "💥", "';--", "say?"])
def test_any_text_is_a_safe_question(asked: Claw, text: str) -> None:
    for verb in ("search", "recall"):
        assert asked(verb, "--json", "--", text).code == 0


@pytest.mark.parametrize("query", ["", "?!", " … "])
@pytest.mark.parametrize("verb", ["search", "recall"])
def test_a_question_without_words_gets_a_kind_sentence(asked: Claw, verb: str, query: str) -> None:
    ran = asked(verb, query)
    assert ran.code == 0
    assert ran.out.startswith("There is nothing to look for; give some words, as in: memoryclaw ")
    assert verb in ran.out
    assert asked(verb, query, "--json").json["query"] == query


def test_block_ids_are_not_shown_where_a_passage_is(asked: Claw) -> None:
    (asked.vault / "notes/paint.md").write_text("# Paint\n\nDünensand 14, matt. ^l3\n\nTwo coats. ^l4\n")
    [match] = asked("search", "dünensand", "--json").json["matches"]
    assert "^" not in match["snippet"]
    assert [match["snippet"][a:b] for a, b in match["highlights"]] == ["Dünensand"]
    assert "^" not in asked("recall", "coats", "--json").json["context"]
    assert "matt. ^l3" in asked("show", "notes/paint").out


@pytest.mark.parametrize("number", ["0", "-1", "5", "99999999999999999999"])
def test_no_number_beyond_its_bounds_is_taken(asked: Claw, number: str) -> None:
    assert asked("recall", "boathouse", "--budget", number).code == 1
    for verb in (["search", "boathouse"], ["browse"], ["history"]) if number != "5" else ():
        assert asked(*verb, "--limit", number).code == 2
