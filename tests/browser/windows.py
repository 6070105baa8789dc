"""One browser and one daemon for a module; each story a vault as it was, and a page that keeps what it asked for and said."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rig
from daemons import Daemon, serving


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser of all stories."""
    pytest.importorskip("playwright", reason="pip install 'memoryclaw[ui-test]'")
    if not rig.chromium():
        pytest.fail("there is no Chromium here; on Debian: apt-get install chromium fonts-noto-core")
    with rig.browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The vault that each story gets a copy of."""
    return rig.copied(tmp_path_factory.mktemp("sample") / "studio")


@pytest.fixture
def vault(sample: Path, tmp_path: Path) -> Path:
    """A copy for one story."""
    return Path(shutil.copytree(sample, tmp_path / "studio", symlinks=True))


@pytest.fixture
def daemon(vault: Path) -> Iterator[Daemon]:
    """The daemon of that vault."""
    with serving(vault) as daemon:
        yield daemon


class Visit:
    """One browser window that came in, and what it asked for and complained of."""

    def __init__(self, context: Any, url: str) -> None:
        self.context, self.base = context, url.partition("/ui/")[0]
        self.asked: list[str] = []
        self.complaints: list[str] = []
        context.on("request", lambda request: self.asked.append(request.url))
        self.page = self.opened()
        self.page.goto(url)
        self.page.wait_for_url(lambda at: "/enter" not in at)

    def opened(self) -> Any:
        """One more tab."""
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._heard)
        page.on(
            "dialog", lambda dialog: (self.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss())
        )
        return page

    def _heard(self, line: Any) -> None:
        # A page that says no, or a daemon that was ended, is what some stories are about.
        if line.type == "error" and "status of 4" not in line.text and "REFUSED" not in line.text:
            self.complaints.append(line.text)

    def go(self, path: str) -> Any:
        """Opens an address below `/ui/`."""
        self.page.goto(f"{self.base}/ui/{path}")
        return self.page


@pytest.fixture
def visit(chromium: Any, daemon: Daemon) -> Iterator[Visit]:
    """A window that is signed in; at the end it complained of nothing, and asked nobody else."""
    context = chromium.new_context(viewport={"width": 1320, "height": 860}, reduced_motion="reduce")
    visit = Visit(context, rig.way_in(daemon))
    yield visit
    context.close()
    assert visit.complaints == []
    assert {url for url in visit.asked if not url.startswith(visit.base)} == set()
