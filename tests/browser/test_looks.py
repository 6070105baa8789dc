"""Every page for everybody: WCAG 2.2 AA by axe in light, in dark and at 390 px, nothing wider than the window, print, no script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rig
from daemons import Daemon, serving

pytest_plugins = ["windows"]
pytestmark = pytest.mark.browser
MODES = {"light": (1320, "light"), "dark": (1320, "dark"), "phone": (390, "light")}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def shown(sample: Path) -> Iterator[Daemon]:
    """One daemon for all looks; nothing is changed in them."""
    with serving(sample) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe, as its package carries it."""
    package = pytest.importorskip("axe_playwright_python", reason="pip install 'memoryclaw[ui-test]'")
    return next(Path(package.__file__).parent.rglob("axe.min.js")).read_text(encoding="utf-8")


@pytest.mark.parametrize("mode", MODES)
def test_axe_finds_nothing_and_nothing_is_too_wide(chromium: Any, shown: Daemon, axe: str, mode: str) -> None:
    width, scheme = MODES[mode]
    context = chromium.new_context(
        viewport={"width": width, "height": 860}, color_scheme=scheme, reduced_motion="reduce"
    )
    page, wrong = context.new_page(), list[str]()
    url = rig.way_in(shown)
    page.goto(url)
    page.wait_for_url(lambda at: "/enter" not in at)
    base = url.partition("/ui/")[0]
    for name in rig.pages():
        page.goto(f"{base}/ui/{name}")
        page.evaluate(axe)
        report = page.evaluate("rules => axe.run({runOnly: rules, resultTypes: ['violations']})", RULES)
        wrong += [
            f"{name}: {violation['id']}: {violation['nodes'][0]['html'][:160]}"
            for violation in report["violations"]
        ]
        if (over := page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0:
            wrong.append(f"{name}: {over} px too wide")
    context.close()
    assert wrong == []


def test_without_javascript_a_decision_is_made(chromium: Any, daemon: Daemon) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(rig.way_in(daemon))
    page.wait_for_url("**/ui/review*")
    page.locator(".acts button.main").click()
    page.wait_for_selector(".toast")
    assert "2026-06-30" in (daemon.vault / "semantic/projects.md").read_text()
    page.locator(".toast button").click()
    page.wait_for_selector("text=Took back")
    context.close()


def test_a_first_visit_is_small(chromium: Any, shown: Daemon) -> None:
    context, sizes = chromium.new_context(), list[int]()
    page = context.new_page()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.loadingFinished", lambda done: sizes.append(int(done["encodedDataLength"])))
    page.goto(rig.way_in(shown))
    page.wait_for_url("**/ui/review*")
    page.wait_for_load_state("networkidle")
    context.close()
    assert 10_000 < sum(sizes) <= 80_000, sizes
