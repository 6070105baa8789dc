"""What nothing has used for long is proposed for the archive; an idle vault stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from gitvault import git

from memoryclaw.app import App, init_vault
from memoryclaw.lifecycle.upkeep import OLD

FIRST = datetime(2026, 1, 1, 9, tzinfo=UTC)


class Clock:
    now = FIRST

    def __call__(self) -> datetime:
        return self.now


def episode(root: Path, name: str, text: str = "", header: str = "") -> None:
    source = "source: logs/2026-01-01/s.jsonl#1-2@0123456789abcdef\n"
    path = root / f"episodes/2026-01-01_09-00-00_{name}.md"
    path.write_text(
        f"---\nid: {name}\ntimestamp: 2026-01-01T09:00:00Z\nsummary: About {name}\n{source}{header}---\n\nIt was about {name}.\n{text}"
    )


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def root(tmp_path: Path, clock: Clock) -> Path:
    root = tmp_path / "v"
    init_vault(root, clock=clock)
    for name in ("rope", "anchor", "tar", "bell"):
        episode(root, name)
    episode(root, "pinned", header="pin: true\n")
    episode(root, "todo", "\n- [ ] buy a rope\n")
    episode(root, "by-hand")
    path = root / "episodes/2026-01-01_09-00-00_by-hand.md"
    path.write_text(path.read_text().replace("source: logs/", "mine: logs/"))
    episode(root, "linked")
    (root / "harbour.md").write_text("See [[2026-01-01_09-00-00_linked]].\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    return root


@pytest.fixture
def app(root: Path, clock: Clock) -> Iterator[App]:
    with App(root, clock=clock) as opened:
        yield opened


def pass_days(app: App, clock: Clock, number: int) -> None:
    for _ in range(number):
        app.ledger.append("shown", {"receipt": "", "mode": "recall", "ids": ["rope"]}, clock.now)
        clock.now += timedelta(days=1)


def night(app: App) -> list[str]:
    """What is asked of the person afterwards: the titles of what waits."""
    app.consolidate(llm="none")
    return [item.what for item in app.review.list()]


def test_old_episodes_that_nothing_used_are_proposed_once_in_one_batch(
    app: App, root: Path, clock: Clock
) -> None:
    app.ledger.append("cited", {"ids": ["anchor"]}, clock.now)
    app.show("bell", session="s")
    app.ledger.append("rated", {"ids": ["tar"], "rating": 2}, clock.now)
    pass_days(app, clock, OLD)
    assert night(app) == []
    pass_days(app, clock, 1)
    assert night(app) == ["Archive 2 episodes that nothing has used for long"]
    (item,) = app.review.list()
    text = (root / item.path).read_text()
    assert "About rope: of 2026-01-01" in text
    assert "About tar: of 2026-01-01" in text
    assert "rated badly" in text
    assert "forget --undo" in text
    assert night(app) == ["Archive 2 episodes that nothing has used for long"], (
        "one that waits is not asked again"
    )
    app.review.approve([item])
    assert sorted(path.name[20:] for path in (root / "archive/episodes").iterdir()) == ["rope.md", "tar.md"]
    assert not git(root, "status", "--porcelain")
    app.revive("rope")
    assert night(app) == [], "what a person brought back is kept"


def test_what_a_person_keeps_is_not_asked_about_again(app: App, root: Path, clock: Clock) -> None:
    pass_days(app, clock, OLD + 1)
    (title,) = night(app)
    assert title == "Archive 4 episodes that nothing has used for long"
    app.review.reject(app.review.list())
    episode(root, "sail")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "sail")
    assert night(app) == ["Archive an episode that nothing has used for long"]


@pytest.mark.laws
def test_an_idle_vault_ages_not_and_a_month_without_use_leaves_it_as_it_is(
    app: App, root: Path, clock: Clock
) -> None:
    pass_days(app, clock, 20)
    app.ledger.append("cited", {"ids": ["rope"]}, clock.now)
    clock.now += timedelta(days=1)

    def contents() -> dict[str, bytes]:
        skip = (".git/", ".memoryclaw/")
        paths = [path for path in root.rglob("*") if path.is_file()]
        return {
            name: path.read_bytes()
            for path in paths
            if not (name := str(path.relative_to(root))).startswith(skip)
        }

    before, strength, head = contents(), app.inspect("rope").strength, git(root, "rev-parse", "HEAD")
    for _ in range(30):
        clock.now += timedelta(days=1)
        app.consolidate(llm="none")
        app.status()
        app.search("rope")
    assert contents() == before
    assert git(root, "rev-parse", "HEAD") == head
    assert not git(root, "status", "--porcelain")
    assert app.inspect("rope").strength == strength
    clock.now += timedelta(days=4000)
    assert night(app) == []


def test_inspect_shows_the_sum_of_the_uses(app: App, clock: Clock) -> None:
    receipt = app.recall("rope", session="s").receipt
    app.capture([{"role": "assistant", "content": "Look at [rope]."}], session="s")
    pass_days(app, clock, 60)
    app.search("It was about rope", session="s")
    app.show("rope", session="s")
    app.feedback("rope", 2)
    inspected = app.inspect("rope")
    (cited, rated) = inspected.strength.steps
    assert (cited.use.receipt, cited.use.cited, cited.credit, cited.faded, cited.x) == (
        receipt, "id", 0.6, 0, 0.6,
    )  # fmt: skip
    assert (rated.use.rating, rated.credit, rated.faded) == (2, -0.5, pytest.approx(0.3))
    assert rated.x == inspected.strength.x == pytest.approx(0.3 - 0.5 * 1.3)
    assert inspected.kind == "episode"
    assert (inspected.shown, inspected.searched, inspected.fetched, inspected.cited, inspected.rated) == (
        61,
        1,
        1,
        1,
        1,
    )
    assert app.stats().cited == 1
