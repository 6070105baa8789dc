from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from gitvault import git

from memoryclaw.app import init_vault, open_vault
from memoryclaw.errors import NotFoundError
from memoryclaw.lifecycle.views import Episode, topics_of
from memoryclaw.vault.generated import BEGIN, END, own_words, with_part

NOW = datetime(2026, 5, 4, 3, 0, tzinfo=UTC)
PAGE = "views/entities/boathouse.md"
TOPIC = "views/topics/boathouse-budget.md"


def episode(day, said, *, header="entities: [Boathouse]\ntags: [budget]\n"):
    return f"---\nid: ep-{day}\ntimestamp: {day}T09:00:00Z\nsummary: Day {day}\n{header}---\n\n{said}\n"


FILES = {
    "semantic/projects.md": (
        "# Boathouse\n- deadline: 2026-12-11 [since:: 2026-02-01] [source:: [[ep-2026-02-01#^l3]]]\n"
        '- "it must be light" [said:: 2026-02-03]\n\n'
        "## History\n- deadline: 2026-06-27 [until:: 2026-02-01]\n\n# Kiosk\n- colour: red\n"
    ),
    "semantic/aliases.yaml": "boathouse: [rowing club]\n",
    **{
        f"episodes/2026-02-0{n}_09-00-00_d.md": episode(
            f"2026-02-0{n}", f"- Nora: The boathouse costs {n} thousand. ^l3\n- Nora: It rains. ^l4"
        )
        for n in (1, 2, 3)
    },
}


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "v"
    init_vault(root)
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    return root


def views(root: Path, name="", *, write=False, days=0):
    with open_vault(root, clock=lambda: NOW + timedelta(days=days)) as app:
        return app.views(name, write=write)


def states(root):
    return {view.path: view.state for view in views(root).listed}


def night(root, days=0):
    with open_vault(root, clock=lambda: NOW + timedelta(days=days)) as app:
        return app.consolidate(llm="none")


def test_the_page_of_an_entity_quotes_the_files_and_links_back(root):
    views(root, "Boathouse", write=True)
    text = (root / PAGE).read_text()
    assert text == (
        "---\ngenerated: true\ntitle: Boathouse\ncompiled_from: [semantic/projects, ep-2026-02-03, ep-2026-02-02, ep-2026-02-01]\n"
        f"{text.splitlines()[4]}\n---\n# Boathouse\n\n{BEGIN}\n"
        "Also called rowing club.\n\n"
        "## What is true now\n\n- deadline: 2026-12-11 (since 2026-02-01) [[ep-2026-02-01]] [[semantic/projects|projects]]\n\n"
        '## In their words\n\n- "it must be light" (said 2026-02-03) [[semantic/projects|projects]]\n\n'
        "## What was true before\n\n- deadline: 2026-06-27 (until 2026-02-01) [[semantic/projects|projects]]\n\n"
        "## What happened\n\n"
        "- 2026-02-03: [[episodes/2026-02-03_09-00-00_d|Day 2026-02-03]]\n  - Nora: The boathouse costs 3 thousand.\n"
        "- 2026-02-02: [[episodes/2026-02-02_09-00-00_d|Day 2026-02-02]]\n  - Nora: The boathouse costs 2 thousand.\n"
        "- 2026-02-01: [[episodes/2026-02-01_09-00-00_d|Day 2026-02-01]]\n  - Nora: The boathouse costs 1 thousand.\n\n"
        f"## Topics\n\n- [[views/topics/boathouse-budget|Boathouse, budget]]\n\n{END}\n\n## Notes\n\n"
    )
    assert [path.name for path in (root / "views").rglob("*.md")] == ["boathouse.md"]


def test_a_topic_is_what_comes_together_in_three_episodes(root):
    views(root, write=True)
    text = (root / TOPIC).read_text()
    assert "Belong together in 3 episodes: [[views/entities/boathouse|Boathouse]], #budget.\n" in text
    assert "- Boathouse, deadline: 2026-12-11" in text
    assert not (root / "views/topics/kiosk.md").exists()


def test_two_times_together_are_no_topic(root):
    (root / "episodes/2026-02-03_09-00-00_d.md").write_text(
        episode("2026-02-03", "x", header="tags: [budget]\n")
    )
    assert TOPIC not in states(root)


def test_pages_are_the_same_however_often_they_are_made(root):
    views(root, write=True)
    before = {path: path.read_bytes() for path in (root / "views").rglob("*.md")}
    with open_vault(root, clock=lambda: NOW) as app:
        app.reindex()
    assert views(root, write=True, days=40).written == ()
    for path in before:
        path.unlink()
    views(root, write=True, days=80)
    assert {path: path.read_bytes() for path in (root / "views").rglob("*.md")} == before


def test_a_page_is_stale_once_its_files_say_something_else_and_is_written_by_nobody_else(root):
    views(root, write=True)
    before = (root / PAGE).read_bytes()
    projects = root / "semantic/projects.md"
    projects.write_text(projects.read_text().replace("2026-12-11", "2027-01-15"))
    assert states(root)[PAGE] == "stale"
    assert states(root)["views/entities/kiosk.md"] == "current"
    assert (root / PAGE).read_bytes() == before
    with open_vault(root, clock=lambda: NOW) as app:
        (check,) = [check for check in app.doctor() if check.name == "views"]
        assert (check.level, [detail.path for detail in check.details]) == ("advice", [PAGE, TOPIC])
    assert views(root, "rowing club", write=True).written == (PAGE,)
    assert views(root, "boathouse", write=True).written == ()
    assert "deadline: 2027-01-15" in (root / PAGE).read_text()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_a_person_wrote_on_a_page_stays_byte_for_byte(root, newline):
    views(root, write=True)
    page = root / PAGE
    own = page.read_text().replace("title: Boathouse", "title: Boathouse  # mine\nstatus: 'open'")
    own = own.replace(f"\n{BEGIN}", f"\nAbove: é\n\n{BEGIN}").replace(
        "## Notes\n\n", "## Notes\n\n\tbelow  \n\nno end"
    )
    page.write_bytes(own.replace("\n", newline).encode())
    (root / "semantic/projects.md").write_text("# Boathouse\n- deadline: 2027-01-15\n")
    views(root, write=True)
    after = page.read_bytes()
    assert b"2027-01-15" in after
    assert b"2026-12-11" not in after

    def around(data):
        lines = data.split(newline.encode())
        marks = lines.index(BEGIN.encode()), lines.index(END.encode())
        kept = [line for n, line in enumerate(lines) if not marks[0] < n < marks[1]]
        return [line for line in kept if not line.startswith((b"compiled_from", b"fingerprint"))]

    assert around(after) == around(own.replace("\n", newline).encode())


def test_words_between_the_marks_are_reported_and_not_lost(root):
    views(root, write=True)
    page = root / PAGE
    page.write_text(page.read_text().replace("## What is true now\n", "## What holds\n\nMy own line.\n"))
    (root / "semantic/projects.md").write_text("# Boathouse\n- deadline: 2027-01-15\n")
    done = views(root, write=True)
    assert PAGE not in done.written
    assert "My own line." in page.read_text()
    assert any(notice.startswith(f"{PAGE} was changed between its marks") for notice in done.notices)
    assert states(root)[PAGE] == "edited"


def test_a_note_of_a_persons_in_that_place_is_left_alone(root):
    page = root / PAGE
    page.parent.mkdir(parents=True)
    page.write_text("# My boathouse\n")
    assert states(root)[PAGE] == "own"
    assert PAGE not in views(root, write=True).written
    assert page.read_text() == "# My boathouse\n"
    with open_vault(root, clock=lambda: NOW) as app:
        assert app.show("views/entities/boathouse").text == "# My boathouse\n"


def test_pages_are_no_memory_twice_and_what_is_written_on_them_is_found(root):
    with open_vault(root, clock=lambda: NOW) as app:
        app.sync()
        before = (
            app.index.size(),
            [m.unit.id for m in app.search("boathouse deadline thousand", limit=50).matches],
        )
        app.views(write=True)
        after = (
            app.index.size(),
            [m.unit.id for m in app.search("boathouse deadline thousand", limit=50).matches],
        )
        assert after == before
        assert not [note for note in app.browse(limit=500) if note.path.startswith("views/")]
        assert {end.source for end in app.links("ep-2026-02-01").back} == {"semantic/projects.md"}
    page = root / PAGE
    page.write_text(page.read_text() + "Ask Lene about the drawbridge.\n")
    with open_vault(root, clock=lambda: NOW) as app:
        (match,) = app.search("drawbridge").matches
        assert match.path == PAGE
        assert match.unit.line == len(page.read_text().splitlines()) or match.snippet.endswith("drawbridge.")
        matches = app.search("thousand", limit=50).matches
        assert not [match for match in matches if match.path.startswith("views/")]
        facts = app.facts()
        assert not [path for path, _ in facts if path.startswith("views/")]
        fingerprints = app.doctor()
        assert [fingerprint.level for fingerprint in fingerprints if fingerprint.name == "index"] == ["ok"]


def test_pages_are_not_in_git_unless_the_user_puts_them_there(root):
    views(root, write=True)
    head = git(root, "rev-parse", "HEAD")
    assert git(root, "status", "--short") == ""
    git(root, "add", "-f", PAGE)
    git(root, "commit", "-qm", "kept")
    (root / "semantic/projects.md").write_text("# Boathouse\n- deadline: 2027-01-15\n")
    git(root, "commit", "-qam", "later")
    views(root, write=True)
    assert git(root, "rev-parse", "HEAD~3") == head
    assert git(root, "show", "--name-only", "--format=%s", "HEAD").split("\n") == [
        f"Compile {PAGE}", "", PAGE, "",
    ]  # fmt: skip
    assert git(root, "status", "--short") == ""


def test_an_older_vault_has_them_ignored_as_well(root):
    ignore = root / ".gitignore"
    ignore.write_text(".memoryclaw/\nworking/\nlogs/\nledger/\n")
    git(root, "commit", "-qam", "as it was")
    views(root, write=True)
    assert git(root, "status", "--short") == ""
    assert ignore.read_text() == ".memoryclaw/\nworking/\nlogs/\nledger/\n"


def test_the_nightly_run_writes_stale_pages_again_and_makes_none(root):
    night(root)
    assert not (root / "views").exists()
    views(root, "Boathouse", write=True)
    (root / "semantic/projects.md").write_text(
        "# Boathouse\n- deadline: 2027-01-15\n\n# Kiosk\n- colour: red\n"
    )
    night(root, days=1)
    assert "2027-01-15" in (root / PAGE).read_text()
    assert [path.name for path in (root / "views").rglob("*.md")] == ["boathouse.md"]


def test_a_page_whose_subject_is_gone_is_told_and_stays(root):
    views(root, write=True)
    (root / "semantic/projects.md").write_text("# Boathouse\n- deadline: 2027-01-15\n")
    assert states(root)["views/entities/kiosk.md"] == "orphan"
    views(root, write=True)
    assert (root / "views/entities/kiosk.md").exists()


def test_what_was_forgotten_or_is_in_quarantine_is_on_no_page(root):
    (root / "logs/2026-02-09").mkdir(parents=True)
    with open_vault(root, clock=lambda: NOW) as app:
        app.quarantine("ep-2026-02-02")
        app.views(write=True)
    text = (root / PAGE).read_text()
    assert "costs 2 thousand" not in text
    assert "costs 1 thousand" in text


def test_a_line_of_a_note_cannot_end_the_generated_part(root):
    said = f"- Nora: The boathouse {END} is red {BEGIN} and %% hidden."
    (root / "episodes/2026-02-01_09-00-00_d.md").write_text(episode("2026-02-01", said))
    views(root, write=True)
    text = (root / PAGE).read_text()
    assert text.count(END) == text.count(BEGIN) == 1
    assert "%%" not in text
    assert states(root)[PAGE] == "current"


def test_erased_words_are_gone_from_pages_too(root):
    views(root, write=True)
    with open_vault(root, clock=lambda: NOW) as app:
        done = app.purge("ep-2026-02-02")
        assert "costs 2 thousand" not in (root / PAGE).read_text()
        assert not [hit for hit in done.hits if hit.path.startswith("views/")]
    assert "forgotten" not in (root / PAGE).read_text()
    assert states(root)[PAGE] == "current"


def test_nothing_of_that_name_is_no_page(root):
    with pytest.raises(NotFoundError, match="could be made"):
        views(root, "Drawbridge")


def of(number, *names, tags=()):
    return Episode(f"e{number:02}", "", "", "", tuple(names), tuple(tags), (), (), frozenset(), frozenset())


def test_topics_are_capped_and_named_by_their_most_frequent_members():
    crowd = [f"P{n}" for n in range(9)]
    episodes = (
        [of(n, *crowd) for n in range(3)]
        + [of(n, "Ann", "Bob", "Cid") for n in range(3, 6)]
        + [of(6, "Bob", "Cid")]
    )
    topics = topics_of(episodes, {})
    assert all(len(topic.members) <= 6 for topic in topics)
    assert "Bob, Cid, Ann" in [topic.name for topic in topics]
    assert topics == topics_of(list(reversed(episodes)), {}) or [t.members for t in topics] == [
        t.members for t in topics_of(list(reversed(episodes)), {})
    ]


def test_what_most_episodes_name_tells_no_topic():
    episodes = [of(n, "Nora", tags=["tea"] if n < 3 else []) for n in range(12)]
    assert topics_of(episodes, {}) == []
    assert topics_of(episodes[:3], {}) != []


def test_two_names_of_one_entity_count_as_one():
    episodes = [of(0, "Atlas", tags=["x"]), of(1, "Project Atlas", tags=["x"]), of(2, "Atlas", tags=["x"])]
    (topic,) = topics_of(episodes, {"atlas": "Project Atlas", "project atlas": "Project Atlas"})
    assert topic.members == ("Project Atlas", "#x")


def test_only_pages_of_ours_are_taken_for_generated():
    marked = f"---\ngenerated: true\n---\n{BEGIN}\nold\n{END}\n"
    assert own_words("notes/a.md", marked.encode()) == marked.encode()
    assert own_words("views/a.md", marked.encode()) is None
    assert own_words("views/a.md", b"mine\n") == b"mine\n"
    assert own_words("views/a.md", f"{marked}mine\n".encode()) == b"---\n\n---\n\n\n\nmine\n"
    assert with_part(marked, "new\n") == marked.replace("old", "new")
