"""What waits is told apart, and a decision is about exactly what was shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import VaultOf, git

from memoryclaw import open_vault
from memoryclaw.app import App
from memoryclaw.errors import ConflictError, InputError, NotFoundError
from memoryclaw.interfaces import shapes
from memoryclaw.review.word_diff import mark_up, word_diff

LOG = "\n".join(
    f'{{"ts": "2026-04-19T09:0{turn}:00Z", "session": "quay", "turn": {turn}, "role": "user", "name": "Nora", "content": "{said}"}}'
    for turn, said in enumerate(
        ["Hello.", "It is windy.", "The door is green.", "Or blue?", "Bye.", "Later."], 1
    )
)
EPISODE = "---\nid: quay-talk\ntimestamp: 2026-04-19T09:00:00Z\nsource: logs/2026-04-19/quay.jsonl#1-6@0123456789abcdef\n---\n- Nora: The door is green. ^l3\n"
PENDING = (
    "- [ ] Boathouse.door: green [confidence:: low] [since:: 2026-04-19] [source:: [[quay-talk#^l3]]]\n  - why: said with some doubt\n"
    "- [ ] boathouse.door: blue [confidence:: low] [source:: [[quay-talk#^l4]]]\n  - why: asked\n"
    '- [ ] Nora: "it is windy" [confidence:: low] [said:: 2026-04-19] [source:: [[quay-talk#^l2]]]\n'
)
PROJECTS = (
    "# Boathouse\n- door: grey [since:: 2026-01-01]\n\n## History\n"
    "- door: white [since:: 2025-01-01] [until:: 2026-01-01]\n- door: red [since:: 2024-01-01] [until:: 2025-01-01]\n"
)


@pytest.fixture
def root(vault_of: VaultOf) -> Path:
    vault = vault_of(
        {
            "semantic/projects.md": PROJECTS,
            "semantic/_pending.md": PENDING,
            "episodes/2026-04-19_09-00-00_quay.md": EPISODE,
            "logs/2026-04-19/quay.jsonl": LOG + "\n",
        }
    )
    for args in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "mine")):
        git(vault, *args)
    return vault


@pytest.fixture
def app(root: Path) -> App:
    return open_vault(root)


def test_a_waiting_fact_is_told_apart(app: App) -> None:
    green, blue, windy = app.review.list()
    assert (green.entity, green.field, green.value, green.since, green.now) == (
        "Boathouse", "door", "green", "2026-04-19", "grey",
    )  # fmt: skip
    assert (windy.entity, windy.field, windy.value, windy.now) == ("Nora", "", "it is windy", "")
    details = app.review.details(green)
    assert [(fact.value, fact.line) for _, fact in details.holds] == [("grey", 2)]
    assert [(fact.value, fact.until) for _, fact in details.before] == [
        ("white", "2026-01-01"),
        ("red", "2025-01-01"),
    ]
    assert [(rival.id, rival.value, rival.why) for rival in details.rivals] == [(blue.id, "blue", "asked")]
    assert app.review.details(windy).rivals == ()


def test_the_words_come_with_the_turns_around_them(app: App) -> None:
    said = app.review.details(app.review.list()[0]).said[0]
    assert (said.path, said.quote) == ("episodes/2026-04-19_09-00-00_quay.md", "Nora: The door is green.")
    assert (said.log, said.session) == ("logs/2026-04-19/quay.jsonl", "quay")
    assert [(turn.line, turn.who, turn.quoted) for turn in said.turns] == [
        (1, "Nora", False), (2, "Nora", False), (3, "Nora", True), (4, "Nora", False), (5, "Nora", False),
    ]  # fmt: skip


def test_a_log_that_is_gone_leaves_the_quote_and_says_so(app: App, root: Path) -> None:
    (root / "logs/2026-04-19/quay.jsonl").unlink()
    said = app.review.details(app.review.list()[0]).said[0]
    assert (said.turns, said.quote) == ((), "Nora: The door is green.")
    assert "is gone; the episode keeps the words" in said.notice


def test_a_source_that_is_no_log_is_never_opened(app: App, root: Path) -> None:
    pending = root / "semantic/_pending.md"
    pending.write_text(
        "- [ ] Boathouse.door: green [source:: [[../../etc/passwd#^l1]], [[nowhere]]]\n", encoding="utf-8"
    )
    said = app.review.details(app.review.list()[0]).said
    assert [(passage.turns, passage.path) for passage in said] == [((), ""), ((), "")]
    assert all("nothing in the vault is called" in passage.notice for passage in said)


def test_a_decision_by_digest_is_done_and_is_one_commit(app: App, root: Path) -> None:
    item = app.review.list()[0]
    before = git(root, "rev-list", "--count", "HEAD")
    assert app.review.approve([item], digest=item.digest)[0].action == "approved"
    assert "- door: green" in (root / "semantic/projects.md").read_text(encoding="utf-8")
    assert int(git(root, "rev-list", "--count", "HEAD")) == int(before) + 1


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("semantic/_pending.md", "door: green [confidence:: low]", "door: green [confidence:: high]"),
        ("semantic/_pending.md", "said with some doubt", "because I say so"),
        ("semantic/projects.md", "door: grey", "door: black"),
    ],
)
def test_what_has_changed_since_it_was_shown_is_refused(
    app: App, root: Path, path: str, old: str, new: str
) -> None:
    item = app.review.list()[0]
    file = root / path
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    tree, head = file.read_bytes(), git(root, "rev-parse", "HEAD")
    for decide in (app.review.approve, app.review.reject):
        with pytest.raises(ConflictError, match="has changed since it was shown"):
            decide([item], digest=item.digest)
    with pytest.raises(ConflictError):
        app.review.edit(item.id, lambda text: text.replace("green", "red"), digest=item.digest)
    assert (file.read_bytes(), git(root, "rev-parse", "HEAD")) == (tree, head)


def test_another_line_of_the_file_may_change(app: App, root: Path) -> None:
    green, blue, _ = app.review.list()
    app.review.reject([blue], digest=blue.digest)
    assert app.review.reject([green], digest=green.digest)[0].action == "rejected"


def test_a_digest_is_of_one_thing(app: App) -> None:
    items = app.review.list()
    with pytest.raises(InputError, match="belongs to one pending change"):
        app.review.approve(items, digest=items[0].digest)
    with pytest.raises(NotFoundError):
        app.review.as_shown("p-00000000", items[0].digest)


def test_the_list_and_the_item_tell_it_in_json(app: App) -> None:
    item = app.review.list()[0]
    listed = shapes.waiting([item])["waiting"][0]
    assert {key: listed[key] for key in ("entity", "field", "value", "since", "now", "digest")} == {
        "entity": "Boathouse", "field": "door", "value": "green", "since": "2026-04-19", "now": "grey", "digest": item.digest,
    }  # fmt: skip
    shape = shapes.review_item(
        shapes.DifferencesShown((shapes.ItemShown(item, app.review.diff(item)),), app.review.details(item))
    )
    assert shape["details"]["rivals"][0]["value"] == "blue"
    assert shape["details"]["said"][0]["turns"][2]["quoted"]
    assert shapes.review_item(shapes.DifferencesShown((shapes.ItemShown(item),)))["details"] is None


def test_what_became_of_each_turn(app: App, root: Path) -> None:
    (root / "runs").mkdir()
    (root / "runs/consolidate-20260420T000000-aaaaaa.json").write_text(
        '{"run": "consolidate-20260420T000000-aaaaaa", "ranges": ["logs/2026-04-19/quay.jsonl#1-5@0123456789abcdef"],'
        ' "episodes": {"quay-talk": "logs/2026-04-19/quay.jsonl#1-4@0123456789abcdef"}}'
    )
    item = app.review.list()[1]
    app.review.approve([item], digest=item.digest)
    conversation = app.conversation("quay")
    assert conversation.paths == ("logs/2026-04-19/quay.jsonl",)
    assert [bool(turn.run) for turn in conversation.turns] == [True] * 5 + [False]
    assert [[made.kind for made in turn.made] for turn in conversation.turns] == [
        ["episode"], ["episode", "waits"], ["episode", "waits"], ["episode", "fact"], [], [],
    ]  # fmt: skip
    with pytest.raises(NotFoundError, match="a session called 'elsewhere'"):
        app.conversation("elsewhere")


def test_a_date_and_a_link_are_one_word_of_a_difference() -> None:
    [[line]] = word_diff("- a: 2026-02-19 [[one two]]\n", "- a: 2026-06-30 [[one three]]\n")
    assert mark_up(line.pieces) == "- a: [-2026-02-19-]{+2026-06-30+} [-[[one two]]-]{+[[one three]]+}"
