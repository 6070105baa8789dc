"""Law 4: every answer explains itself, whatever the vault and whatever the question."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from vaults import opened, questions, vaults

from memoryclaw.app import App
from memoryclaw.model import COLUMNS, Answer, Match
from memoryclaw.text.encoding import lines_of
from memoryclaw.text.language import fold, words_of

VIAS = frozenset(
    [
        "literal", "stem", "phrase", "prefix", "bigram", "alias", "session", "entity", "fuzzy", "date",
        "upcoming", "neighbour", "feedback", "link", "vector", "pinned",
    ]
)  # fmt: skip
REASONS = frozenset(
    [
        "superseded", "property", "archived", "pending", "draft", "quarantined", "other_entity",
        "other_time", "other_project", "already_visible", "not_approved", "untrusted", "weak", "max_results",
        "duplicate", "same_note", "empty", "expired", "budget", "upcoming", "irrelevant",
    ]
)  # fmt: skip
some = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))


def explains_itself(match: Match, app: App) -> None:
    assert match.score == sum(term.value for term in match.terms)
    assert all(term.value for term in match.terms)
    assert match.matched
    assert {matched.via for matched in match.matched} <= VIAS
    for matched in match.matched:
        if matched.via in ("literal", "stem") and matched.field in COLUMNS:
            stands_there(matched.word, matched.field, matched.via, match, app)
    highlights_what_matched(match)
    shows_what_is_there(match, app)


def highlights_what_matched(match: Match) -> None:
    """Every highlight of the snippet is a word of the text that the explanation names."""
    text, last = match.snippet, 0
    surfaces = {plain(surface) for surface in match.surfaces}
    for start, end in match.highlights:
        assert last <= start < end <= len(text)
        assert plain(text[start:end]) in surfaces
        last = end


def shows_what_is_there(match: Match, app: App) -> None:
    """The lines that the explanation names hold the words of the snippet, and those that it found in the body."""
    unit, language = match.unit, app.index.language
    shown = app.show(unit.id)
    lines = lines_of((app.root / match.path).read_bytes().decode())
    text = unit.text if unit.kind == "turn" else "".join(lines[unit.line - 1 : unit.end_line])
    if unit.kind != "turn" and (shown.address.path, shown.address.line) == (match.path, unit.line):
        assert text in shown.text  # of two notes with one id, the first is shown
    inside = match.snippet.removeprefix("… ").removesuffix(" …")
    assert inside or not unit.text
    assert set(language.tokens(inside)) <= set(language.tokens(f"{text} {unit.title}"))
    for matched in match.matched:
        if matched.via in ("literal", "stem") and matched.field == "body":
            assert set(language.token(matched.word).split()) & set(language.tokens(text)), matched


def plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", fold(text)))


def stands_there(word: str, field: str, via: str, match: Match, app: App) -> None:
    unit, language = match.unit, app.index.language
    column = {"title": unit.title, "tags": unit.tags, "properties": unit.properties, "body": unit.text}[field]
    if via == "literal":
        assert fold(word) in {fold(other) for other in [*words_of(column), *column.split()]}
    else:
        assert set(language.token(word).split()) & set(language.tokens(column))


def decided_once(answer: Answer, *, limited: bool) -> None:
    ids = [match.unit.id for match in answer.matches]
    assert len(set(ids)) == len(ids)
    assert not {left.id for left in answer.left_out} & set(ids)
    assert {left.reason for left in answer.left_out} <= REASONS
    assert [traced.id for traced in answer.trace if traced.decision == "in"] == ids
    decisions = Counter(traced.decision for traced in answer.trace)
    assert decisions[""] == 0
    assert limited or not decisions["limit"]
    assert len(answer.trace) == len(ids) + len(answer.left_out) + decisions["limit"]
    scores = [traced.score for traced in answer.trace]
    assert scores == sorted(scores, reverse=True)
    assert 0 <= answer.confidence <= 1


@pytest.mark.laws
@some
@given(vaults, questions)
def test_every_result_of_a_search_explains_itself(files: dict[str, str], question: str) -> None:
    with opened(files) as app:
        answer = app.search(question, limit=8)
        decided_once(answer, limited=True)
        for match in answer.matches:
            explains_itself(match, app)


@pytest.mark.laws
@some
@given(vaults, questions)
def test_every_line_of_a_recall_explains_itself(files: dict[str, str], question: str) -> None:
    with opened(files) as app:
        answer = app.recall(question)
        decided_once(answer, limited=False)
        assert answer.tokens <= answer.budget
        for match in answer.matches:
            explains_itself(match, app)
            assert match.unit.trust != "untrusted"
            assert match.tokens > 0
        assert sum(match.tokens for match in answer.matches) == answer.tokens
