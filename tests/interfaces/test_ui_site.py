"""The way into the page, who is refused, and what every answer says to a browser; by a real daemon, without a browser."""

from __future__ import annotations

import http.client
import re
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from conftest import COMMAND, STUDIO, Claw, put
from daemons import Daemon, serving

from memoryclaw.interfaces.ui.pages import PAGES
from memoryclaw.interfaces.ui.sessions import TICKET, UNUSED, Sessions


class Got(NamedTuple):
    """One answer of the page."""

    status: int
    headers: list[tuple[str, str]]
    text: str

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")


class Browser:
    """Sends exactly the headers that it is told to."""

    def __init__(self, daemon: Daemon, host: str = "", cookie: str = "") -> None:
        self.port, self.host, self.cookie = daemon.port, host, cookie

    def ask(self, method: str, path: str, body: str = "", **headers: str | list[str]) -> Got:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        said: dict[str, str | list[str]] = {"Host": self.host}
        if self.cookie:
            said["Cookie"] = self.cookie
        if body or method == "POST":
            said |= {"Content-Type": "application/x-www-form-urlencoded", "Content-Length": str(len(body))}
        said |= {key.replace("_", "-"): value for key, value in headers.items()}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for key, value in said.items():
            for part in [value] if isinstance(value, str) else value:
                connection.putheader(key, part)
        connection.endheaders(body.encode())
        response = connection.getresponse()
        try:
            return Got(response.status, response.getheaders(), response.read().decode())
        finally:
            connection.close()

    def get(self, path: str, **headers: str | list[str]) -> Got:
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: str = "", **headers: str | list[str]) -> Got:
        given: dict[str, str | list[str]] = {"Origin": f"http://{self.host}", "Sec_Fetch_Site": "same-origin"}
        return self.ask("POST", path, body, **{**given, **headers})


def come_in(daemon: Daemon, **asked: bool) -> tuple[Browser, str]:
    """A browser with a session, and the address that it came in by."""
    url = str(daemon.post("/v1/ui/ticket", **asked)["url"])
    parts = urlsplit(url)
    browser = Browser(daemon, parts.netloc)
    entered = browser.get(f"{parts.path}?{parts.query}")
    assert entered.status == 200
    browser.cookie = entered.header("set-cookie").partition(";")[0]
    return browser, url


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    vault = put(tmp_path_factory.mktemp("ui") / "vault", {"memoryclaw.yaml": "", **STUDIO})
    with serving(vault) as daemon:
        yield daemon


def test_a_ticket_becomes_a_cookie_for_the_page_alone(daemon: Daemon) -> None:
    url = str(daemon.post("/v1/ui/ticket")["url"])
    parts = urlsplit(url)
    assert re.fullmatch(rf"[0-9a-f]{{8}}\.localhost:{daemon.port}", parts.netloc)
    got = Browser(daemon, parts.netloc).get(f"{parts.path}?{parts.query}")
    kept = got.header("set-cookie")
    assert got.status == 200
    assert re.match(r"mc-[0-9a-f]{8}=[\w-]{43};", kept)
    assert {"HttpOnly", "Path=/ui", "SameSite=strict"} <= {part.strip() for part in kept.split(";")}
    assert '<meta http-equiv="refresh" content="0;url=/ui/">' in got.text
    assert daemon.token not in got.text + kept


def test_only_the_owner_gets_a_ticket(daemon: Daemon) -> None:
    assert (
        daemon.ask(
            "POST", "/v1/ui/ticket", {}, headers={"Authorization": f"Bearer {daemon.agents_token}"}
        ).status
        == 403
    )
    assert daemon.ask("POST", "/v1/ui/ticket", {}, headers={"Authorization": None}).status == 401
    assert daemon.ask("GET", "/v1/ui/ticket").status == 405


def test_a_ticket_that_is_used_twice_puts_both_out(daemon: Daemon) -> None:
    browser, url = come_in(daemon)
    assert browser.get("/ui/help").status == 200
    again = Browser(daemon, browser.host).get(url.partition(browser.host)[2])
    assert (again.status, again.header("set-cookie")) == (403, "")
    assert "used twice" in again.text
    assert browser.get("/ui/help").status == 401


def test_tickets_and_sessions_end_in_time() -> None:
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    early, late = sessions.ticket("h:1"), sessions.ticket("h:1")
    entered = sessions.enter(early, "h:1")
    assert entered.secret
    assert not sessions.enter(sessions.ticket("h:1"), "other:1").secret
    now[0] = TICKET + 1
    assert not sessions.enter(late, "h:1").secret
    assert sessions.of(entered.secret, "h:1") is not None
    assert sessions.of(entered.secret, "other:1") is None
    now[0] += UNUSED + 1
    assert sessions.of(entered.secret, "h:1") is None


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9"},
        {"Origin": "http://other.localhost:7411"},
        {"Origin": []},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "none"},
    ],
)
def test_a_form_of_another_page_is_refused(daemon: Daemon, headers: dict[str, str | list[str]]) -> None:
    browser, _ = come_in(daemon)
    got = browser.post("/ui/sign-out", **headers)
    assert got.status == 403
    assert browser.get("/ui/help").status == 200
    two = browser.post("/ui/sign-out", Origin=[f"http://{browser.host}", "http://evil.example"])
    assert two.status == 403


def test_a_browser_that_sends_no_fetch_metadata_is_let_in_by_its_origin(daemon: Daemon) -> None:
    browser, _ = come_in(daemon)
    assert browser.post("/ui/sign-out", Sec_Fetch_Site=[]).status == 303
    assert browser.get("/ui/help").status == 401


@pytest.mark.parametrize(
    "host",
    ["evil.example:{port}", "{name}", "{name}:1", "x{name}:{port}", "{upper}:{port}", "{name}.:{port}"],
)
def test_every_other_host_is_refused_before_anything_is_read(daemon: Daemon, host: str) -> None:
    browser, _ = come_in(daemon)
    name = browser.host.partition(":")[0]
    browser.host = host.format(
        name=name, upper=name.upper().replace("LOCALHOST", "LocalHost"), port=daemon.port
    )
    got = browser.get("/ui/help")
    assert (got.status, got.header("set-cookie")) == (403, "")


def test_the_page_and_the_verbs_do_not_meet(daemon: Daemon) -> None:
    browser, _ = come_in(daemon)
    assert browser.get("/v1/status").status == 403
    assert browser.get("/healthz").status == 403
    plain = Browser(daemon, f"127.0.0.1:{daemon.port}", browser.cookie)
    assert plain.get("/v1/status").status == 401
    assert plain.get("/ui/help").status == 401  # the session was begun under the page's own name
    bearer = browser.get("/ui/help", Cookie="x=y", Authorization=f"Bearer {daemon.token}")
    assert bearer.status == 401


def test_the_plain_host_works_where_it_is_asked_for(daemon: Daemon) -> None:
    browser, url = come_in(daemon, plain_host=True)
    assert url.startswith(f"http://127.0.0.1:{daemon.port}/ui/enter?t=")
    assert browser.get("/ui/help").status == 200


def test_another_page_that_leads_here_is_told_apart(daemon: Daemon) -> None:
    browser, _ = come_in(daemon)
    assert browser.get("/ui/help", Sec_Fetch_Site="none").status == 200
    got = browser.get("/ui/help", Sec_Fetch_Site="cross-site")
    assert got.status == 403
    assert "Another page led here" in got.text


def test_what_every_answer_says(daemon: Daemon) -> None:
    browser, _ = come_in(daemon)
    for path in ("/ui/help", "/ui/review", "/ui/nowhere", "/ui/changes", "/ui/enter?t=x", "/ui/static/x/y"):
        got = browser.get(path)
        policy = got.header("content-security-policy")
        assert policy.startswith("default-src 'none'; script-src 'self'"), path
        assert "require-trusted-types-for 'script'" in policy
        assert "unsafe" not in policy
        assert got.header("x-content-type-options") == "nosniff"
        assert got.header("cache-control") == "no-store"
        assert got.header("cross-origin-resource-policy") == "same-origin"
        assert got.header("referrer-policy") == "same-origin"
        assert not re.search(r"<(?:style|script(?! src=))| style=| on\w+=", got.text), path


def test_static_files_are_kept_by_the_browser(daemon: Daemon) -> None:
    browser, _ = come_in(daemon)
    for address in set(re.findall(r'/ui/static/[^"]+', browser.get("/ui/help").text)):
        got = Browser(daemon, browser.host).get(address)
        assert got.status == 200
        assert "immutable" in got.header("cache-control")


def test_no_get_changes_anything(daemon: Daemon) -> None:
    browser, _ = come_in(daemon)
    before = {
        path: path.read_bytes()
        for path in daemon.vault.rglob("*")
        if path.is_file() and ".memoryclaw" not in path.parts and ".git" not in path.parts
    }
    for page in PAGES:
        if page.method == "POST":
            got = browser.get(f"/ui{page.path}".replace("{id}", "x").replace("{name}", "x"))
            assert got.status in (200, 303, 400, 404), page.path
    after = {
        path: path.read_bytes()
        for path in daemon.vault.rglob("*")
        if path.is_file() and ".memoryclaw" not in path.parts and ".git" not in path.parts
    }
    assert after == before
    assert browser.get("/ui/help").status == 200


def test_a_form_of_another_kind_or_with_a_field_twice_is_refused(daemon: Daemon) -> None:
    browser, _ = come_in(daemon)
    assert browser.post("/ui/undo", '{"what": "x"}', Content_Type="application/json").status == 415
    assert browser.post("/ui/undo", "what=a&what=b").status == 400
    assert browser.post("/ui/undo", "what=a&evil=b").status == 400
    assert browser.ask("DELETE", "/ui/help").status == 405


def test_the_templates_trust_no_value() -> None:
    folder = Path(__file__).parents[2] / "memoryclaw/interfaces/ui/templates"
    for path in folder.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe\b|autoescape|style=|<script>|<style|\son\w+=|https?://", text), (
            path.name
        )


def test_the_wheel_carries_the_page(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    subprocess.run(
        [COMMAND.with_name("python"), "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path],
        cwd=root,
        check=True,
        capture_output=True,
    )
    inside = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())
    here = root / "memoryclaw/interfaces/ui"
    wanted = {
        str(path.relative_to(root))
        for folder in ("templates", "static")
        for path in (here / folder).iterdir()
    }
    assert wanted <= inside
    assert len(wanted) > 10


@pytest.mark.parametrize("clock", ["", "2026-04-20T08:00:00Z"])
def test_the_command_starts_a_daemon_and_prints_the_way_in(tmp_path: Path, clock: str) -> None:
    vault = put(tmp_path / "vault", {"memoryclaw.yaml": "serve: {port: 0}\n", **STUDIO})
    claw = Claw(vault, MEMORYCLAW_NOW=clock)
    try:
        shown = claw("ui", "--no-open")
        url = shown.out.strip()
        assert re.match(r"New turns are consolidated from \d\d:\d\d on, every 60 minutes; ", shown.err)
        assert re.fullmatch(r"http://[0-9a-f]{8}\.localhost:\d+/ui/enter\?t=[\w-]{43}", url)
        address = claw("ui", "--no-open", "--json").json
        again, plan = address["url"], address["consolidation"]
        assert plan["interval"] == 60
        assert not clock or plan["next"] == "2026-04-20T09:00:00Z"
        assert again.partition("?")[0] == url.partition("?")[0]
        assert again != url
        assert (vault / ".memoryclaw/serve.log").stat().st_mode & 0o077 == 0
        refused = claw("ui", "--no-open", "--audience", "agent")
        assert (refused.code, refused.err.count("\n")) == (1, 1)
        claw.env["MEMORYCLAW_NOW"] = "2026-04-21T08:00:00Z"
        refused = claw("ui", "--no-open")
        assert (refused.code, refused.err.count("\n")) == (1, 1)
        assert "MEMORYCLAW_NOW" in refused.err
    finally:
        assert claw("serve", "--stop").code == 0
