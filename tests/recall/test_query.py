"""Questions, read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryclaw.recall.query import Expr, Limits, ParsedQuery, parse
from memoryclaw.text.language import words_of

TODAY = date(2025, 4, 9)
LEAF_MARKS = {"word": "{}", "phrase": '"{}"', "prefix": "{}*", "fuzzy": "{}~"}


def read(text: str) -> ParsedQuery:
    return parse(text, today=TODAY)


def shown(expr: Expr | None) -> str:
    if expr is None:
        return ""
    if expr.op in LEAF_MARKS:
        return (expr.column and expr.column + ":") + LEAF_MARKS[expr.op].format(expr.text)
    return f"{expr.op}({' '.join(map(shown, expr.parts))})"


def leaves(expr: Expr | None) -> Iterator[Expr]:
    if expr is not None and expr.op in LEAF_MARKS:
        yield expr
    for part in expr.parts if expr else ():
        yield from leaves(part)


def nodes(expr: Expr) -> Iterator[Expr]:
    yield expr
    for part in expr.parts:
        yield from nodes(part)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("project", "project"),
        ("Project update", "any(project update)"),
        ('"project update"', '"project update"'),
        ('"project update" john deadline', 'all("project update" any("project update" john deadline))'),
        ("“project update”", '"project update"'),
        ("«project update»", '"project update"'),
        ("+john deadline -draft", "all(john any(john deadline) not(draft))"),
        ("john -draft -old", "all(john not(draft) not(old))"),
        ("a AND b", "all(a b)"),
        ("a OR b", "any(a b)"),
        ("a and b or c not d", "any(a and b or c not d)"),
        ("budget AND john OR sarah", "any(all(budget john) sarah)"),
        ("sarah OR budget AND NOT john", "any(sarah all(budget not(john)))"),
        ("a AND (b OR c)", "all(a any(b c))"),
        ("a b AND c", "all(b c any(b a))"),
        ("(a OR b) c", "all(any(a b) any(a b c))"),
        ("NOT draft", "not(draft)"),
        ("-a -b", "not(any(a b))"),
        ("NOT NOT a", "a"),
        ("NOT (NOT a)", "a"),
        ("NOT (a b)", "not(any(a b))"),
        ("-(a b) c", "all(c not(any(a b)))"),
        ("+(a b) c", "all(any(a b) any(a b c))"),
        ('-"two words" x', 'all(x not("two words"))'),
        ("a OR NOT b", "all(a not(b))"),
        ('"a" b ("c" d)', 'all("a" "c" any("c" d) any("a" b))'),
        ("proj* jonh~", "any(proj* jonh~)"),
        ("proj*?", "proj*"),
        ("-proj* x", "all(x not(proj*))"),
        ("title:budget", "title:budget"),
        ("title:budget plan", "all(title:budget any(title:budget plan))"),
        ('title:"two words"', 'title:"two words"'),
        ("title:proj*", "title:proj*"),
        ("x -title:y", "all(x not(title:y))"),
        ("foo(bar)", "any(foo bar)"),
    ],
)
def test_the_grammar(text: str, tree: str) -> None:
    assert shown(read(text).root) == tree


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What did John say?", "what did john say"),
        ("c++ say? 100% o'neil", "c say 100 o'neil"),
        ("a.b@c.de", "a b c de"),
        ("http://x.y/z note:foo 12:30", "http x y z note foo 12 30"),
        ("pre-release --verbose", "pre release verbose"),
        ("fix #email and #12", "fix email and 12"),
        ("**bold** *em*", "bold em"),
        ("the dogs' owner 'quoted'", "the dogs owner quoted"),
        ("title: foo tag: bar", "title foo tag bar"),
        ("emoji 🎉 שלום", "emoji שלום"),
        ("東京の天気", "東京の天気"),
        ("a\x00b\x1bc", "a b c"),
        ("x \ud800 y", "x y"),
        ('5" pipe', "5 pipe"),
        ("(a (b", "a b"),
        ("a) b", "a b"),
        ("what is AND", "what is and"),
        ("OR b", "or b"),
        ("NOT", "not"),
        ("may I march in the sun", "may i march in the sun"),
        ("a - b", "a b"),
    ],
)
def test_plain_text_is_words_that_rank_and_nothing_else(text: str, words: str) -> None:
    query = read(text)
    assert query.words == tuple(words.split())
    assert {leaf.op for leaf in leaves(query.root)} == {"word"}
    assert (query.filters, query.ranges) == ((), ())


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("tag:email", [("tag", "email", False, "tag:email")]),
        ("x tag:#Work/Email?", [("tag", "work/email", False, "tag:#Work/Email?")]),
        ("x -tag:draft", [("tag", "draft", True, "tag:draft")]),
        ("x NOT tag:draft", [("tag", "draft", True, "tag:draft")]),
        ("NOT (tag:a x)", [("tag", "a", True, "tag:a")]),
        (
            "kind:Episodes trust:untrusted",
            [("kind", "episode", False, "kind:Episodes"), ("trust", "untrusted", False, "trust:untrusted")],
        ),
        (
            "kind:logs kind:archived",
            [("kind", "log", False, "kind:logs"), ("kind", "archived", False, "kind:archived")],
        ),
        ('entity:"John Smith"', [("entity", "John Smith", False, 'entity:"John Smith"')]),
        ("person:[[John]]", [("person", "John", False, "person:[[John]]")]),
        (
            "project:projectX path:semantic/",
            [
                ("project", "projectX", False, "project:projectX"),
                ("path", "semantic/", False, "path:semantic/"),
            ],
        ),
        ("since:2025-03", [("since", "2025-03-01", False, "since:2025-03")]),
        ("until:2025-03", [("until", "2025-03-31", False, "until:2025-03")]),
        ("on:2024", [("on", "2024-01-01/2024-12-31", False, "on:2024")]),
        ("since:last week mail", [("since", "2025-03-31", False, "since:last week")]),
        ("since:'last week' mail", [("since", "2025-03-31", False, "since:'last week'")]),
        ('on:"March 5" mail', [("on", "2025-03-05/2025-03-05", False, 'on:"March 5"')]),
        ("until:2025-03-08T10:00", [("until", "2025-03-08", False, "until:2025-03-08T10:00")]),
        ("(since:yesterday)", [("since", "2025-04-08", False, "since:yesterday")]),
        ("#email #Work/Mail", [("tag", "email", False, "#email"), ("tag", "work/mail", False, "#Work/Mail")]),
        ("-#email kind:note", [("tag", "email", True, "#email"), ("kind", "note", False, "kind:note")]),
    ],
)
def test_fields_narrow(text: str, filters: list[tuple[str, str, bool, str]]) -> None:
    query = read(text)
    assert [tuple(filter_) for filter_ in query.filters] == filters
    assert query.notices == ()
    assert set(query.words) <= {"x", "mail"}


@pytest.mark.parametrize(
    ("text", "notice"),
    [
        ("since:banana", "`since:banana` was read as plain words; no date"),
        ('on:"last banana"', "no date"),
        ("kind:foo", "kind is one of: episode"),
        ('say "hello', "quotation mark"),
        ("(a", "Parentheses"),
        ("a AND", "`AND` joins nothing"),
        ("*", "`*` means nothing"),
        ("~ x", "`~` means nothing"),
        ("x : y", "`:` means nothing"),
        ("tag:a OR tag:b", "OR does not reach fields"),
        ("a OR -b", "exclusion beside OR"),
        ("x" * 5000, "first 4096 bytes"),
        ("x " * 40, "first 32 words"),
        ("tag:a " * 40, "first 32 fields"),
    ],
)
def test_what_was_ignored_is_told_once(text: str, notice: str) -> None:
    assert len([sentence for sentence in read(text).notices if notice in sentence]) == 1


def test_dates_that_are_spoken_are_ranges_and_not_words() -> None:
    query = read("what did John say last week about March 2024?")
    assert [(span.start, span.end) for span in query.ranges] == [
        ("2025-03-31", "2025-04-06"),
        ("2024-03-01", "2024-03-31"),
    ]
    assert query.words == ("what", "did", "john", "say", "about")
    assert [query.text[slice(*span.span)] for span in query.ranges] == ["last week", "March 2024"]


@pytest.mark.parametrize(
    "text", ['"last week"', "-yesterday", "+yesterday", "title:yesterday", "entity:today x"]
)
def test_dates_in_phrases_fields_and_exclusions_are_not_spoken_dates(text: str) -> None:
    assert read(text).ranges == ()


def test_operators_beside_a_spoken_date_join_what_is_left() -> None:
    assert shown(read("budget AND last week").root) == "budget"
    assert shown(read("between March AND May budget").root) == "budget"
    assert shown(read("yesterday OR budget").root) == "budget"


def test_excluded_words_are_not_among_the_words() -> None:
    assert read('a -b NOT c NOT (d -e) "f g" h* i~').words == ("a", "e", "f", "g", "h", "i")


def test_limits_keep_filters_that_stand_after_the_last_word() -> None:
    query = parse("a b c d tag:x", today=TODAY, limits=Limits(words=2))
    assert query.words == ("a", "b")
    assert [filter_.field for filter_ in query.filters] == ["tag"]


def test_a_question_is_cut_between_characters() -> None:
    assert parse("aé", today=TODAY, limits=Limits(size=2)).text == "a"


SYNTAX = st.sampled_from(
    ['"', "(", ")", "-", "+", "*", "~", ":", " ", " AND ", " OR ", " NOT ", "tag:", "since:", "title:", "last week", "a", "b'c", "#t", "é", "字"]
)  # fmt: skip


def check(query: ParsedQuery, text: str) -> None:
    """What every reader of a query may rely on."""
    assert query == read(text)
    assert query.text.encode() == query.text.encode("utf-8", "strict")
    assert len(query.words) <= 32
    assert len(query.filters) <= 32
    if query.root is None:
        assert query.words == ()
        return
    excluded = [leaf for node in nodes(query.root) if node.op == "not" for leaf in leaves(node)]
    texts = {word for leaf in leaves(query.root) for word in leaf.text.split(" ")}
    assert set(query.words) <= texts
    assert texts - {word for leaf in excluded for word in leaf.text.split(" ")} <= set(query.words)
    for node in nodes(query.root):
        assert (node.op in LEAF_MARKS) == bool(node.text) != bool(node.parts)
        assert all(part.op != "not" for part in node.parts) or node.op == "all"
        if node.op in ("any", "all"):
            assert len(node.parts) > 1
            assert node.parts[0].op != "not"
    assert sum(1 for _ in nodes(query.root)) < 2000


@settings(max_examples=150, deadline=None)
@given(st.lists(SYNTAX, max_size=40).map("".join))
def test_any_heap_of_syntax_is_read_the_same_way_twice_and_keeps_the_shape(text: str) -> None:
    check(read(text), text)


@settings(deadline=None)
@given(st.text(st.characters(), max_size=200))
def test_any_text_at_all_is_safe(text: str) -> None:
    check(read(text), text)


@pytest.mark.parametrize(
    "text",
    ["(a " * 3000, "-" * 4000, '"' * 4001, "NOT " * 1000 + "a", "week before " * 300, "since:x " * 600, '(a "b" ' * 500, "early " * 700],
)  # fmt: skip
def test_hostile_repetition_is_read_too(text: str) -> None:
    check(read(text), text)


PLAIN = st.text("abcdefghijklmnopqrstuvwxyzäßñ字", min_size=1, max_size=8)


@given(st.lists(PLAIN, max_size=32))
def test_plain_words_are_exactly_those_words(words: list[str]) -> None:
    text = " ".join(words)
    query = read(text)
    if not query.ranges:
        assert list(query.words) == words_of(text)
        assert [leaf.text for leaf in leaves(query.root)] == list(dict.fromkeys(words_of(text)))
        assert query.notices == ()
