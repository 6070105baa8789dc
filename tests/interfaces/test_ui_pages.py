"""Every page of a vault that holds nothing yet, and of one that holds much: each row answers, wherever its links lead."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import pytest
from browser.rig import copied
from conftest import Claw, git, put
from daemons import Daemon, serving
from test_ui_site import Browser, come_in

from memoryclaw.interfaces.ui.answers import Page
from memoryclaw.interfaces.ui.pages import PAGES

_LINK = re.compile(r'href="(/ui/(?!static/)[^"#]*)')
_GET = [page for page in PAGES if page.method == "GET"]
_FEW = 4  # addresses of a row; the sample vault has hundreds


def folder(root: Path) -> Path:
    root.mkdir()
    (root / "memoryclaw.yaml").touch()
    return root


def initialised(root: Path) -> Path:
    assert Claw()("init", root).code == 0
    return root


@pytest.fixture(scope="module")
def daemon(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    vault: Callable[[Path], Path] = request.param
    with serving(vault(tmp_path_factory.mktemp("pages") / "vault")) as running:
        yield running


@pytest.fixture(scope="module")
def browser(daemon: Daemon) -> Browser:
    return come_in(daemon)[0]


empty = pytest.mark.parametrize("daemon", [folder, initialised], indirect=True, scope="module")
full = pytest.mark.parametrize("daemon", [copied], indirect=True, scope="module")


def named(page: Page) -> str:
    return f"/ui{page.path}".replace("{", "no-such-").replace("}", "")


@empty
@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.method} {page.path}")
def test_every_page_of_an_empty_vault_answers(browser: Browser, page: Page) -> None:
    if page.path == "/sign-out":
        pytest.skip("ends the session of the other rows")
    got = browser.ask("GET", named(page)) if page.method == "GET" else browser.post(named(page))
    expected = (400, 404, 409) if "{" in page.path else (200, 303, 400)
    assert got.status in expected, got.text


@empty
@pytest.mark.parametrize(
    "query", ["q=boathouse", "q=a+boathouse+by+the+lake&kind=fact", "kind=log", "state=pending", "limit=1"]
)
@pytest.mark.parametrize("path", ["notes", "entities", "recall", "timeline", "review", "skills"])
def test_a_list_of_an_empty_vault_answers_whatever_is_asked(browser: Browser, path: str, query: str) -> None:
    assert browser.get(f"/ui/{path}?{query}").status in (200, 400)


def row(address: str) -> str:
    """The path of the row that answers an address; empty where none does."""
    path = address.removeprefix("/ui").partition("?")[0]
    matching = (page for page in _GET if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", page.path), path))
    return next((page.path for page in matching), "")


@full
def test_every_page_of_a_full_vault_answers_wherever_its_links_lead(browser: Browser) -> None:
    statuses = dict[str, int]()
    waiting = [named(page) for page in _GET if "{" not in page.path]
    for address in waiting:
        if address in statuses or Counter(map(row, statuses))[row(address)] == _FEW:
            continue
        got = browser.get(address)
        statuses[address] = got.status
        waiting += [unescape(link) for link in _LINK.findall(got.text)]
    assert {address for address, status in statuses.items() if status not in (200, 303)} == set()
    assert {page.path for page in _GET} - set(map(row, statuses)) == set()


@empty
def test_an_empty_vault_says_what_to_do_first(browser: Browser) -> None:
    assert "memoryclaw connect claude-code" in browser.get("/ui/timeline").text


def many_notes(root: Path) -> Path:
    return put(root, {"memoryclaw.yaml": ""} | {f"notes/{n}.md": f"heron number {n}" for n in range(55)})


@pytest.mark.parametrize("daemon", [many_notes], indirect=True, scope="module")
def test_a_search_shows_twenty_at_first_and_a_list_fifty(browser: Browser) -> None:
    counts = {}
    for query in ("q=heron", "q=heron&limit=40", "", "limit=100"):
        text = browser.get(f"/ui/notes?{query}").text
        shown, more = re.search('data-count="([^"]*)', text), re.search(r"[?;&]limit=(\d+)", text)
        counts[query] = shown and shown[1], more and more[1]
    assert counts == {
        "q=heron": ("more than 20 found", "40"), "q=heron&limit=40": ("more than 40 found", "60"),
        "": ("more than 50 found", "100"), "limit=100": ("55 found", None),
    }  # fmt: skip


@full
def test_the_timeline_tells_the_world_and_with_a_kind_the_changes(browser: Browser) -> None:
    world, changes = (browser.get(f"/ui/timeline{query}").text for query in ("", "?kind=all"))
    assert "<del>2026-04-17</del> <bdi>2026-04-30</bdi>" in world
    assert "<b>10 March 2026</b>" in changes
    assert ("Undo all of it" in world, "Undo all of it" in changes) == (False, True)
    assert "limit=51" in browser.get("/ui/timeline?limit=1").text


@full
def test_an_entity_shows_what_was_said_by_month_and_episodes_by_their_titles(browser: Browser) -> None:
    page = unescape(browser.get("/ui/entity/Nora").text)
    facts, said, episodes = (
        page.index(f">{heading} ") for heading in ("Facts", "What was said about it", "Episodes and notes")
    )
    assert facts < said < episodes
    month = page[said:episodes]
    assert '<details class="fact" open><summary><span class="field">March 2026</span>' in month
    assert "<q><bdi>It is Dünensand 14" in month
    title = "Home things: Tomás and I finally agree on the kitchen wall (Dünensand, Henrik)"
    assert (f'">{title}</a>' in month, f'<span class="name">{title}</span>' in page[episodes:]) == (
        True,
        True,
    )


def test_a_question_about_the_settings_shows_each_answer(tmp_path: Path) -> None:
    put(tmp_path, {".gitignore": "drafts/\n", "drafts/a.md": "The plan is turnips.\n"})
    git(tmp_path, "init", "-q")
    claw = Claw(tmp_path)
    assert claw("init", tmp_path, "--yes").code == 0
    (item,) = claw("review", "--json").json["waiting"]
    with serving(tmp_path) as running:
        text = come_in(running)[0].get(f"/ui/review/{item['id']}").text
        approved = claw("review", "approve", item["id"])
    assert all(f"<bdi>{words}</bdi>" in text for words in ("Only me", "Do not read"))
    assert "Leave as is <kbd>" in text
    assert "once it is restarted" in approved.out + approved.err
