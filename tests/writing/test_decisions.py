"""Decisions: the latest counts, junk is passed over, and no content is kept."""

from __future__ import annotations

from memoryclaw.writing.decisions import APPROVED, REJECTED, UNDONE, Decision, Decisions, fingerprint

FACT = fingerprint("fact", "Boathouse Aarhus", "deadline", "2026-12-18")
AT = "2026-04-20T08:00:00Z"


def test_a_line_is_read_back_as_it_was_written() -> None:
    decision = Decision(
        AT, REJECTED, "fact", FACT, ranges=("logs/a/b.jsonl#1-2@0123456789abcdef",), by="Nora"
    )
    assert Decisions.read(decision.line()).all == (decision,)
    assert [str(range_) for range_ in Decisions.read(decision.line()).ranges()] == list(decision.ranges)


def test_the_latest_decision_counts() -> None:
    no, yes = Decision(AT, REJECTED, "fact", FACT), Decision(AT, APPROVED, "fact", FACT)
    assert Decisions([no]).is_rejected(FACT)
    assert not Decisions([no, yes]).is_rejected(FACT)
    assert Decisions([yes, Decision(AT, UNDONE, "fact", FACT)]).is_undone(FACT)
    assert not Decisions([]).is_rejected(FACT)


def test_an_approval_belongs_to_a_digest_and_can_be_taken_back() -> None:
    yes = Decision(AT, APPROVED, "skill", digest="d1")
    assert Decisions([yes]).approved_digests() == {"d1"}
    assert Decisions([yes, Decision(AT, REJECTED, "skill", digest="d1")]).approved_digests() == frozenset()


def test_junk_between_the_lines_is_passed_over() -> None:
    good = Decision(AT, APPROVED, "fact", FACT)
    text = "not json\n[1]\n" + good.line() + '{"decision": 5}\n' + "[" * 100_000 + "\n"
    assert Decisions.read(text).all == (good,)


def test_a_fingerprint_knows_a_fact_again_in_any_case_and_spacing_and_says_nothing_of_it() -> None:
    assert fingerprint("fact", "boathouse  AARHUS", "Deadline", "2026-12-18") == FACT
    assert fingerprint("fact", "Boathouse Aarhus", "deadline", "2026-12-19") != FACT
    assert fingerprint("fact", "ab", "c") != fingerprint("fact", "a", "bc")
    assert len(FACT) == 16
    assert "deadline" not in Decision(AT, REJECTED, "fact", FACT).line()
