"""What other pages of the same machine, and notes that mean harm, can do: nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import rig
from daemons import Daemon

pytest_plugins = ["windows"]
pytestmark = pytest.mark.browser

HOSTILE = """---
id: hostile
title: "<script>alert(1)</script>"
tags: ["<img src=x onerror=alert(2)>"]
---
# <svg onload=alert(3)>

<script>alert(4)</script> <img src="http://127.0.0.1:9/pixel"> ![p](http://127.0.0.1:9/p.png)
[a](javascript:alert(5)) [b](data:text/html,<script>alert(6)</script>) <a href="x" onclick="alert(7)">c</a>
<style>*{display:none}</style><form action="/ui/sign-out" method="post"><button id="main">d</button></form>
<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/"> <iframe src="/ui/health"></iframe> \u202egnp.exe
"""


@contextmanager
def served(html: str) -> Iterator[tuple[int, list[dict[str, str]]]]:
    """A page of somebody else on this machine; the requests that it got."""
    heard: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append({"path": self.path, **{key.lower(): value for key, value in self.headers.items()}})
            data = html.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1], heard
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def attack(target: str) -> str:
    """A page that tries everything that a page can try."""
    return f"""<!doctype html><title>x</title><iframe name="hole" src="{target}/ui/review"></iframe>
<form id="f" method="post" action="{target}/ui/review/p-34cc12c3/approve" target="hole"><input name="digest" value=""><input name="next" value=""></form>
<img src="{target}/ui/sign-out"><script>
window.done = (async () => {{
  const out = [];
  for (const [method, path] of [["POST", "/ui/review/p-34cc12c3/approve"], ["POST", "/ui/sign-out"], ["POST", "/ui/undo"]])
    try {{ await fetch("{target}" + path, {{method, mode: "no-cors", credentials: "include", headers: {{"Content-Type": "application/x-www-form-urlencoded"}}, body: "digest=&next="}}); }} catch (e) {{ out.push(String(e)); }}
  try {{ out.push(await (await fetch("{target}/ui/review", {{credentials: "include"}})).text()); }} catch (e) {{ out.push("blocked"); }}
  document.getElementById("f").submit();
  await new Promise(r => setTimeout(r, 400));
  return out;
}})();
</script>"""


@pytest.mark.parametrize("name", ["127.0.0.1", "other.localhost"])
def test_a_page_on_another_port_or_under_another_name_does_nothing(
    visit: Any, daemon: Daemon, name: str
) -> None:
    page, was = visit.go("review"), rig.head(daemon.vault)
    with served(attack(visit.base)) as (port, _):
        other = visit.context.new_page()
        other.goto(f"http://{name}:{port}/")
        out = other.evaluate("window.done")
        assert "blocked" in out
        assert not any("Review" in line for line in out)
        frame = other.frame("hole")
        assert frame is None or "What waits" not in frame.content()
        other.close()
    visit.asked[:] = [url for url in visit.asked if f":{port}/" not in url]
    assert rig.head(daemon.vault) == was
    page.reload()
    assert page.locator("h1").inner_text() == "Review"  # still signed in


def test_the_cookie_reaches_no_other_port_and_no_script(visit: Any) -> None:
    page = visit.go("review")
    assert page.evaluate("document.cookie") == ""
    with served("<title>x</title>") as (port, heard):
        other = visit.context.new_page()
        other.goto(f"http://127.0.0.1:{port}/ui/")
        assert not any("mc-" in headers.get("cookie", "") for headers in heard)
        other.close()
    visit.asked[:] = [url for url in visit.asked if f":{port}/" not in url]
    kept = {
        cookie["name"].partition("-")[0]: cookie for cookie in visit.context.cookies() if cookie["httpOnly"]
    }
    assert kept["mc"]["path"] == "/ui"
    assert kept["mc"]["sameSite"] == "Strict"


def test_under_the_name_of_the_page_nothing_but_the_page_answers(visit: Any) -> None:
    page = visit.go("review")
    status = page.evaluate("fetch('/v1/review').then(r => r.status)")
    assert status == 403


def test_a_ticket_used_twice_ends_the_session(chromium: Any, daemon: Daemon) -> None:
    url = rig.way_in(daemon)
    mine, theirs = chromium.new_context(), chromium.new_context()
    page, other = mine.new_page(), theirs.new_page()
    page.goto(url)
    page.wait_for_url(lambda at: "/enter" not in at)
    other.goto(url)
    assert "used twice" in other.locator("main").inner_text()
    page.goto(url.partition("/enter")[0] + "/review")
    assert "Session ended" in page.locator("main").inner_text()
    mine.close()
    theirs.close()


def test_a_hostile_note_is_text_on_every_page(chromium: Any, vault: Any) -> None:
    from conftest import Claw  # noqa: PLC0415
    from daemons import serving  # noqa: PLC0415

    (vault / "notes/hostile.md").write_text(HOSTILE)
    pending = vault / "semantic/_pending.md"
    pending.write_text(pending.read_text().replace("moss green", "<img src=x onerror=alert(8)>"))
    (vault / "skills/_drafts/evil").mkdir(parents=True)
    (vault / "skills/_drafts/evil/SKILL.md").write_text(
        "---\nname: evil\ndescription: <script>alert(9)</script>\n---\n<img src=x onerror=alert(10)>\n"
    )
    rig.git(
        vault, "-c", "user.name=<b>x</b>", "-c", "user.email=x@y", "commit", "-qam",
        "<script>alert(11)</script>",
    )  # fmt: skip
    assert Claw(vault)("remember", "Boathouse Aarhus", "--entity", "<u>x</u>", "--field", "y").code in (0, 1)
    with serving(vault) as daemon:
        context = chromium.new_context()
        page, said, asked = context.new_page(), list[str](), list[str]()
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("console", lambda line: said.append(line.text) if "Content Security" in line.text else None)
        page.on("request", lambda request: asked.append(request.url))
        url = rig.way_in(daemon)
        page.goto(url)
        page.wait_for_url(lambda at: "/enter" not in at)
        base = url.partition("/ui/")[0]
        for name in [
            *rig.pages(),
            "note/hostile",
            "note/hostile/edit",
            "review/evil",
            "skills/evil",
            "notes?q=alert",
            "recall?q=alert",
        ]:
            page.goto(f"{base}/ui/{name}")
            assert page.locator("h1").count() == 1, name
            assert (
                page.locator(
                    "main script, main style, main iframe, main img, main [onclick], main [onerror]"
                ).count()
                == 0
            ), name
        context.close()
        assert said == []
        assert {address for address in asked if not address.startswith(base)} == set()


def test_everything_works_with_the_network_off(chromium: Any, daemon: Daemon) -> None:
    """Whatever is not this very daemon is cut off."""
    context = chromium.new_context()
    url = rig.way_in(daemon)
    base, cut = url.partition("/ui/")[0], list[str]()
    context.route(
        lambda at: not at.startswith(base), lambda route: (cut.append(route.request.url), route.abort())
    )
    page = context.new_page()
    page.goto(url)
    page.wait_for_url(lambda at: "/enter" not in at)
    for name in rig.pages():
        page.goto(f"{base}/ui/{name}")
        assert page.locator("h1").count() == 1, name
    assert cut == []
    context.close()
