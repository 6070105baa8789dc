"""The ASGI application of the page: who may come in, which page answers, and what every answer says to the browser."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from functools import cached_property
from typing import Any

import anyio
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from memoryclaw.daemon.daemon import Daemon
from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.interfaces.requests import Apps, MountedApp, Refusal, Report, bug, refusal_of
from memoryclaw.interfaces.ui.answers import Moved, Page, PageRequest, Reply, Shown, pairs
from memoryclaw.interfaces.ui.sessions import Pulse, Session, Sessions
from memoryclaw.model import OWNER
from memoryclaw.writing.secret_gate import without_secrets

_AT_WORK = 2  # pages that are made at a time
_YEAR = 365 * 24 * 3600
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types memoryclaw"
    ),
    "X-Content-Type-Options": "nosniff",
    # With `no-referrer` a browser sends `Origin: null` with our own forms, and we could not tell them from others.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
_HEAD = {
    400: "This cannot be used",
    403: "This is not allowed",
    404: "There is nothing here",
    409: "It changed while you were looking",
    423: "Somebody else is writing",
    500: "A bug stopped this",
    503: "The vault cannot be read now",
}


class Site(MountedApp):
    """The page of one daemon. It checks its visitors itself: a cookie instead of a token, forms instead of JSON."""

    def __init__(self, apps: Apps, report: Report, daemon: Daemon) -> None:
        self.sessions = Sessions()
        # Two vaults are two sites to a browser, and their cookies never meet.
        mark = hashlib.sha256(os.fsencode(os.path.realpath(daemon.root))).hexdigest()[:8]
        self.name, self._cookie = f"{mark}.localhost", f"mc-{mark}"
        self.own_names = (self.name,)
        self._apps, self._report, self._daemon = apps, report, daemon
        self._pulse = Pulse(daemon)
        self._lane: anyio.CapacityLimiter | None = None

    # The pages and what they are made with are imported when somebody comes: a daemon starts fast.

    @cached_property
    def routes(self) -> list[tuple[re.Pattern[str], Page]]:
        """Every page by its address."""
        from memoryclaw.interfaces.ui.pages import PAGES

        # What is named, as in `/review/{id}/approve`, may hold slashes.
        parts = [(map(re.escape, re.split(r"\{\w+\}", page.path)), page) for page in PAGES]
        return [(re.compile("(.+)".join(named), re.DOTALL), page) for named, page in parts]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request; whatever goes wrong is a page that says what to do."""
        request = Request(scope, receive)
        try:
            response = await self._answered(request)
        except Exception as error:  # noqa: BLE001 - the gate: what nobody foresaw is kept and told in one sentence
            response = self._failed(request, error, None)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", "no-store")
        await response(scope, receive, send)

    # ── Who comes in

    async def _answered(self, request: Request) -> Response:
        path, method = request.url.path.removeprefix("/ui") or "/", request.method
        if method not in ("GET", "HEAD", "POST"):
            return _plain(405, "this address accepts only GET and POST", {"Allow": "GET, HEAD, POST"})
        if method != "POST" and path.startswith("/static/"):
            from memoryclaw.interfaces.ui import rendering

            _, _, version, name = [*path.split("/", 3), "", "", ""][:4]
            file = rendering.static().get(name)
            if file is None or version != rendering.static_version():
                return _plain(404, "there is no such file")
            kind, data = file
            headers = {"Content-Type": kind, "Cache-Control": "public, max-age=31536000, immutable"}
            return Response(data, headers=headers)
        if method != "POST" and path == "/enter":
            # A ticket for a cookie. A 303 would not do: after it a browser that came from a file sends no strict cookie.
            entered = self.sessions.enter(request.query_params.get("t", ""), request.headers["host"])
            if not entered.secret:
                values = {"title": "This link no longer works", "twice": entered.twice}
                return self._page(Shown("closed.html", values, 403))
            response = self._page(Shown("enter.html", {"title": "Open the page"}))
            response.set_cookie(self._cookie, entered.secret, path="/ui", httponly=True, samesite="strict")
            return response
        if trouble := _foreign(request):
            return self._page(Shown("elsewhere.html", {"title": trouble, "post": method == "POST"}, 403))
        session = self.sessions.of(request.cookies.get(self._cookie, ""), request.headers["host"])
        if session is None:
            if path == "/changes":
                return _json({"over": True}, 401)
            return self._page(Shown("over.html", {"title": "Session ended"}, 401))
        return await self._carried_out(request, path, session)

    # ── What is answered

    async def _carried_out(self, request: Request, path: str, session: Session) -> Response:
        method = "POST" if request.method == "POST" else "GET"
        if path == "/":
            path = "/start"
        rows = ((pattern.fullmatch(path), page) for pattern, page in self.routes if page.method == method)
        hit, page = next((row for row in rows if row[0]), (None, None))
        if hit is None or page is None:
            unknown = NotFoundError("this page has no such address; the menu leads to all pages")
            return self._failed(request, unknown, session)
        name = "".join(hit.groups())
        body = (await request.body()).decode("utf-8", "replace") if method == "POST" else ""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if body and kind != "application/x-www-form-urlencoded":
            return _plain(415, "send a form")
        try:
            query, form, cookies = pairs(request.url.query), pairs(body), request.cookies
            about = session, self.sessions, self._daemon, self._pulse
            if self._lane is None:
                self._lane = anyio.CapacityLimiter(_AT_WORK)
            asked = PageRequest(name, query, form, cookies, *about)
            return await to_thread.run_sync(self._work, page, asked, limiter=self._lane)
        except Exception as error:  # noqa: BLE001 - as above
            return self._failed(request, error, session, body)

    def _work(self, page: Page, asked: PageRequest) -> Response:
        with self._apps(OWNER) as app, app.looking() if page.method == "GET" else nullcontext():
            try:
                answer = page.answer(app, asked)
            finally:
                if page.method == "POST":
                    self._pulse.forget()
            if isinstance(answer, Reply):
                return _json(answer.shape)
            if isinstance(answer, Moved):
                to = answer.to
                if answer.said:
                    path, hash_, fragment = to.partition("#")
                    key = asked.session.say(answer.said, undo=answer.undo, about=answer.about)
                    to = f"{path}{'&' if '?' in path else '?'}said={key}{hash_}{fragment}"
                return Response(status_code=303, headers={"Location": to})
            from memoryclaw.interfaces.ui.pages import RAIL

            fresh = app.freshness
            return self._page(
                answer,
                {
                    **_BARE,
                    "rail": RAIL,
                    "mark": page.mark,
                    "vault": self._daemon.root.name,
                    "said": asked.session.said.get(asked.query.get("said", "")),
                    "state": {"degraded": fresh.degraded, "behind": fresh.behind},
                    "pulse": self._pulse.now(app),
                    "plan": self._daemon.schedule.plan(),
                },
            )

    def _page(self, shown: Shown, frame: Mapping[str, Any] | None = None) -> Response:
        from memoryclaw.interfaces.ui.rendering import environment

        text = environment().get_template(shown.template).render({**(frame or _BARE), **shown.values})
        html = text.encode("utf-8", "replace")
        response = Response(html, shown.status, media_type="text/html; charset=utf-8")
        for name, value in shown.cookies.items():
            response.set_cookie(name, value, max_age=_YEAR, path="/ui", httponly=True, samesite="strict")
        return response

    def _failed(
        self, request: Request, error: Exception, session: Session | None, body: str = ""
    ) -> Response:
        """The sentence of a failure, with what was typed, and a way on."""
        if refusal := refusal_of(error):
            status, sentence = refusal.status, refusal.message
        else:
            status = 500
            sentence = f"A{bug(error, self._report(error), ' of this machine')[1:]}."
        if request.url.path == "/ui/changes":
            return _json({"error": without_secrets(sentence)}, status)
        from memoryclaw.interfaces.ui.pages import RAIL

        form: dict[str, str] = {}
        with suppress(InputError):
            form = pairs(body)
        texts = [text for text in form.values() if " " in text or "\n" in text]
        values = {
            "title": _HEAD.get(status, "This did not work"),
            "told": without_secrets(sentence),
            "again": request.url.path if form and status in (423, 503) else "",
            "form": form,
            "typed": max(texts, key=len, default=""),
        }
        frame = {**_BARE, "vault": self._daemon.root.name, "rail": () if session is None else RAIL}
        return self._page(Shown("failed.html", values, status), frame)


_BARE: dict[str, Any] = {
    "rail": (),
    "mark": "",
    "vault": "",
    "said": None,
    "state": {"degraded": "", "behind": 0},
    "pulse": None,
    "plan": None,
}


def _foreign(request: Request) -> str:
    """Why a request may not come from a page of ours; empty when it does, or from nowhere."""
    site = request.headers.getlist("sec-fetch-site")
    if request.method == "POST":
        origins = request.headers.getlist("origin")
        if site not in ([], ["same-origin"]) or origins != [f"http://{request.headers['host']}"]:
            return "Another page sent this"
        return ""
    return "" if site in ([], ["same-origin"], ["none"]) else "Another page led here"


def _plain(status: int, sentence: str, headers: Mapping[str, str] = {}) -> Response:
    return Response(f"{sentence}\n", status, dict(headers), "text/plain; charset=utf-8")


def _json(shape: Mapping[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(shape).encode(), status, media_type="application/json")


class TicketOffice(MountedApp):
    """Gives a ticket to whoever holds the owner's token; it stands behind the guard of `/v1`."""

    def __init__(self, site: Site, apps: Apps, plan: Callable[[], Mapping[str, Any]]) -> None:
        self._site, self._apps, self._plan = site, apps, plan

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers `POST {}` or `{"plain_host": true}` with the address to open."""
        await (await self._answered(Request(scope, receive)))(scope, receive, send)

    async def _answered(self, request: Request) -> Response:
        if request.method != "POST":
            return _json(Refusal(405, "method_not_allowed", "this address accepts only POST").shape, 405)
        if await to_thread.run_sync(self._audience) != OWNER:
            return _json(Refusal(403, "forbidden", "only the owner may open the page").shape, 403)
        options = json.loads(await request.body() or b"{}")
        plain = isinstance(options, dict) and options.get("plain_host") is True
        port = request.headers["host"].rpartition(":")[2]
        host = f"{'127.0.0.1' if plain else self._site.name}:{port}"
        url = f"http://{host}/ui/enter?t={self._site.sessions.ticket(host)}"
        return _json({"url": url, "consolidation": self._plan()})

    def _audience(self) -> str:
        """Who asks; and what the browser that comes next will want is loaded here, where nobody waits for it."""
        _ = self._site.routes
        with self._apps() as app:
            return app.audience
