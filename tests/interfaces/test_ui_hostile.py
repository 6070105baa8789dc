"""Every page of a vault whose notes, names, turns, commits and questions are written by an attacker: nothing of it becomes markup."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import pytest
from conftest import git, put
from daemons import Daemon, serving
from test_ui_site import Browser, come_in

from memoryclaw.interfaces.ui.pages import PAGES

HIDDEN = "\u202e\u200b\u2066\ufeff"
NASTY = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)><style>*{display:none}</style>",
    "\"><a href='javascript:alert(1)' style='position:fixed' id=main>x</a>",
    "</textarea></title></article></main></body><form action=//evil.example><input name=digest value=x><button>Approve</button></form>",
    "<iframe src=//evil.example></iframe><base href=//evil.example><meta http-equiv=refresh content='0;url=//evil.example'>",
    "[click](javascript:alert(1)) [data](data:text/html,<b>x</b>) ![pic](https://evil.example/p.png) <https://evil.example/a>",
    '[[x" onclick=alert(1)|<b>y</b>]] [a](/ui/undo) [b](//evil.example) [c](\\\\evil.example)',
    "{{ 7*7 }} {% for x in y %} ${7*7} &lt;b&gt; &#x3c;script&#x3e;",
    f"turned {HIDDEN} around",
)
ALL = "\n\n".join(NASTY)
LINE = " ".join(NASTY).replace("\n", " ")
NAME = "Ev<b onmouseover=alert(1)>il</b> Corp"

TAGS = {
    "html", "head", "meta", "title", "link", "script", "body", "a", "header", "p", "span", "nav", "ul", "li", "div", "main", "h1", "h2", "h3", "h4",
    "h5", "h6", "form", "input", "button", "kbd", "dialog", "dl", "dt", "dd", "svg", "path", "rect", "circle", "line", "text", "bdi", "section", "article",
    "table", "thead", "tbody", "tr", "td", "th", "caption", "details", "summary", "ol", "label", "textarea", "select", "option", "mark", "ins", "del", "q",
    "blockquote", "footer", "code", "pre", "em", "strong", "b", "i", "br", "hr", "s", "small", "time", "g", "polyline", "polygon", "figure", "figcaption",
}  # fmt: skip
IN_PROSE = {
    "a", "blockquote", "br", "code", "del", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "span", "strong", "table", "tbody",
    "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "name", "content", "rel", "href", "type", "src", "defer", "class", "id", "tabindex", "method", "action", "value", "hidden", "role",
    "alt", "title", "for", "rows", "maxlength", "min", "max", "step", "autocomplete", "autofocus", "spellcheck", "readonly", "checked", "selected", "open",
    "disabled", "required", "placeholder", "scope", "colspan", "start", "viewbox", "preserveaspectratio", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy",
    "r", "d", "width", "height", "points", "text-anchor", "datetime", "label", "multiple", "size", "cols",
}  # fmt: skip
VOID = {"meta", "link", "input", "br", "hr"}


class Looked(HTMLParser):
    """A page, with everything in it that is not on the list."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self._open: list[str] = []
        self._prose = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if len(given) < len(attrs):
            self.wrong.append(f"an attribute twice: {attrs}")
        if tag not in (IN_PROSE if self._prose else TAGS):
            self.wrong.append(f"<{tag}> {given}")
        for name, value in given.items():
            self._attribute(tag, name, value)
        if self._prose:
            self._inside(tag, given)
        if tag == "script" and not re.fullmatch(r"/ui/static/[0-9a-f]{8}/page\.js", given.get("src", "")):
            self.wrong.append(f"script: {given}")
        if tag not in VOID:
            self._open.append(tag)
            if {"prose", "note"}.intersection(given.get("class", "").split()):
                self._prose = len(self._open)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("path", "rect", "circle", "line") and (not self._open or self._open[-1] != tag):
            return
        if not self._open or self._open.pop() != tag:
            self.wrong.append(f"</{tag}> closes what it did not open")
        if len(self._open) < self._prose:
            self._prose = 0

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if any(mark in data for mark in HIDDEN) and (not self._open or self._open[-1] != "textarea"):
            self.wrong.append(f"a mark that nobody sees: {data!r}")
        if self._open and self._open[-1] == "script" and data.strip():
            self.wrong.append(f"a script of its own: {data!r}")

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name not in ATTRIBUTES and not name.startswith(("aria-", "data-")) and name != "http-equiv":
            self.wrong.append(f"{name}={value!r} of <{tag}>")
        if name == "id":
            self.ids.append(value)
        if name in ("action", "src") and not value.startswith("/ui/"):
            self.wrong.append(f"{name}={value!r} of <{tag}>")
        if name == "href":
            self.links.append(value)
            outside = urlsplit(value).scheme in ("http", "https", "mailto") and self._prose
            if value and not outside and not re.match(r"/ui/(?!/)|#", value):
                self.wrong.append(f"href={value!r}")
        if name in (
            "x",
            "y",
            "x1",
            "x2",
            "y1",
            "y2",
            "cx",
            "cy",
            "r",
            "width",
            "height",
        ) and not re.fullmatch(r"-?[\d.]+", value):
            self.wrong.append(f"{name}={value!r} of <{tag}>")

    def _inside(self, tag: str, given: dict[str, str]) -> None:
        """What a note may say of itself: where a link leads, and no more."""
        allowed = {"a": {"href", "title", "rel"}, "ol": {"start"}}.get(tag, set())
        if given.keys() - allowed:
            self.wrong.append(f"<{tag}> of a note: {given}")
        if tag == "a" and urlsplit(given.get("href", "")).scheme and "noopener" not in given.get("rel", ""):
            self.wrong.append(f"a link that tells somebody: {given}")
        if tag == "a" and re.match(r"/ui/(?!note/)", given.get("href", "")):
            self.wrong.append(f"a link of a note that does something: {given}")


def looked_at(text: str) -> Looked:
    page = Looked()
    page.feed(text)
    page.close()
    return page


def hostile(folder: Path) -> Path:
    quoted = json.dumps(LINE)
    value = re.sub(r"[\[\]\n]", "", LINE)[:400]
    turns = [
        {"ts": f"2026-04-19T09:0{n}:00Z", "session": "qu<b>ay", "turn": n, "role": role, "name": f"{NAME}{HIDDEN}", "content": said}
        for n, (role, said) in enumerate([("user", ALL), ("assistant", LINE), ("tool", ALL), ("user", "green")], 1)
    ]  # fmt: skip
    files: dict[str, str | bytes] = {
        "memoryclaw.yaml": "",
        "notes/all.md": f'---\ntitle: {quoted}\ntags: ["<b>tag</b>", ok]\naliases: [{quoted}]\n"<script>k</script>": {quoted}\n---\n# {LINE}\n\n{ALL}\n\n- [ ] {LINE}\n\n| {LINE} | b |\n|---|---|\n| <b>c</b> | d |\n',
        "notes/<img src=x onerror=alert(1)>.md": ALL,
        "notes/broken.md": f"---\ntags: [a\n---\n{ALL}",
        "semantic/projects.md": f'# {NAME}\n- <i>deadline</i>: {value} [since:: 2026-01-01] [source:: [[notes/all]]]\n- lead: [[Nora]]\n- "{value[:80]}" [said:: 2026-02-02]\n\n## History\n- <i>deadline</i>: <u>old</u> [since:: 2025-01-01] [until:: 2026-01-01]\n\n# Nora\n- boss: {NAME}\n',
        "semantic/aliases.yaml": f'{json.dumps(NAME)}: ["<b>alias</b>", evil]\n',
        "semantic/_pending.md": f"- [ ] {NAME}.<i>deadline</i>: <b>new</b> [confidence:: <b>low</b>] [source:: [[talk#^l4]]]\n  - why: {LINE}\n- [ ] Nora.door: {value} [source:: [[{value[:40]}]]]\n  - why: <script>w</script>\n",
        "episodes/2026-04-19_09-00-00_talk.md": f"---\nid: talk\ntimestamp: 2026-04-19T09:00:00Z\nsummary: {quoted}\nentities: [{json.dumps(NAME)}, Nora]\nsource: logs/2026-04-19/quay.jsonl#1-4@0123456789abcdef\n---\n{ALL}\n\n- Nora: <b>green</b> ^l4\n",
        "logs/2026-04-19/quay.jsonl": "".join(json.dumps(turn) + "\n" for turn in turns),
        "skills/_drafts/evil/SKILL.md": f"---\nname: evil\ndescription: {quoted}\ntriggers: [{quoted}]\n---\n{ALL}\n",
        "skills/good.json": json.dumps({"name": "good", "description": LINE, "parameters": [{"name": "a", "source": "user"}], "steps": [{"tool": "<b>t</b>", "args": {"x": ALL}}]}),
        "runs/consolidate-20260420T000000-aaaaaa.json": json.dumps({"run": "consolidate-20260420T000000-aaaaaa", "ranges": ["logs/2026-04-19/quay.jsonl#1-4@0123456789abcdef"], "episodes": {"talk": "logs/2026-04-19/quay.jsonl#1-4@0123456789abcdef"}}),
    }  # fmt: skip
    vault = put(folder, files)
    git(vault, "init", "-q", "-b", "main")
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", f"{LINE}\n\nRun: <b>run</b>\nSource: {LINE}\n")
    (vault / "notes/all.md").write_text(f"{files['notes/all.md']}\nmore {ALL}\n", encoding="utf-8")
    git(vault, "-c", f"user.name={NAME}", "commit", "-qam", f"<b>second</b> {LINE}")
    return vault


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with serving(hostile(tmp_path_factory.mktemp("hostile") / "va<b>ult")) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def browser(daemon: Daemon) -> Browser:
    return come_in(daemon)[0]


def addresses(daemon: Daemon) -> list[str]:
    commit = git(daemon.vault, "rev-parse", "HEAD").strip()
    notes = [note["id"] for note in daemon.get("/v1/notes?limit=100")["notes"]]
    waits = [item["id"] for item in daemon.get("/v1/review")["waiting"]]
    facts = [fact["id"] for fact in daemon.get("/v1/facts?history=true")["facts"]]
    asked = urlencode({"q": ALL[:1500]})
    return [
        *(f"/ui{page.path}" for page in PAGES if page.method == "GET" and "{" not in page.path),
        *(f"/ui/note/{quote(note, safe='')}" for note in [*notes, "semantic/projects", "semantic/_pending", LINE[:600]]),
        *(f"/ui/note/{quote(note, safe='')}/edit" for note in ("notes/all", "talk", "semantic/projects")),
        *(f"/ui/review/{quote(item, safe='')}{end}" for item in [*waits, LINE[:300]] for end in ("", "/edit")),
        *(f"/ui/entity/{quote(name, safe='')}" for name in (NAME, "Nora", "evil", LINE[:300])),
        *(f"/ui/entity/{quote(NAME, safe='')}?{urlencode({'origin': fact})}" for fact in [*facts[:4], ALL[:400]]),
        f"/ui/recall?{asked}&budget=2000", f"/ui/recall?q=evil+corp+deadline&goal={quote(ALL[:500])}&session={quote('qu<b>ay')}",
        "/ui/recall?q=x&budget=%3Cscript%3E", f"/ui/notes?{asked}", "/ui/notes?q=script+alert", "/ui/notes?kind=%3Cb%3E", "/ui/notes?kind=log",
        "/ui/notes?state=pending", "/ui/notes?q=kind%3A%3Cb%3E", f"/ui/entities?{urlencode({'q': NAME})}", "/ui/entities?kind=%3Cb%3E",
        f"/ui/log/{quote('qu<b>ay', safe='')}", f"/ui/log/{quote(LINE[:300], safe='')}",
        f"/ui/change/{commit}", f"/ui/change/{quote(LINE[:300], safe='')}", "/ui/change/HEAD~1",
        "/ui/skills/evil", "/ui/skills/good", f"/ui/skills/{quote(LINE[:200], safe='')}", f"/ui/{quote(LINE[:300], safe='')}", "/ui/help?%3Cb%3E=1",
        f"/ui/timeline?{urlencode({'kind': NAME, 'before': LINE[:200]})}",
    ]  # fmt: skip


def test_nothing_of_a_hostile_vault_becomes_markup_on_any_page(daemon: Daemon, browser: Browser) -> None:
    wrong, seen = list[str](), 0
    for address in addresses(daemon):
        got = browser.get(address)
        if got.status == 303 or "text/html" not in got.header("content-type"):
            continue
        seen += got.status == 200
        page = looked_at(got.text)
        wrong += [f"{address}: {got.status}: {fault}" for fault in page.wrong]
        wrong += [f"{address}: the id {id_} twice" for id_ in {i for i in page.ids if page.ids.count(i) > 1}]
        assert got.status != 500, (address, got.text[-1500:])
    assert not wrong, "\n".join(wrong[:40])
    assert seen > 30


def test_pages_after_a_form_are_as_safe(daemon: Daemon, browser: Browser) -> None:
    digest = daemon.get("/v1/notes/notes%2Fall")["digest"]
    forms = (
        ("/ui/note/notes%2Fall/preview", {"text": f"---\ntags: [a\n---\n{ALL}", "digest": digest}, 200),
        ("/ui/note/notes%2Fall/preview", {"text": ALL, "digest": ALL}, 409),
        ("/ui/note/notes%2Fall/edit", {"text": ALL, "digest": digest}, 200),
        ("/ui/note/notes%2Fall/save", {"text": ALL, "digest": "0" * 64}, 409),
        (
            f"/ui/entity/{quote(NAME, safe='')}/correct",
            {"id": ALL[:200], "was": ALL[:200], "value": ALL[:300]},
            409,
        ),
        ("/ui/undo", {"what": ALL[:300], "about": NAME}, 409),
        ("/ui/note/notes%2Fall/pin", {"digest": ALL[:100], ALL[:50]: "x"}, 400),
    )
    for address, form, status in forms:
        got = browser.post(address, urlencode(form))
        page = looked_at(got.text)
        assert (got.status, page.wrong) == (status, []), address
        typed = form.get("text", form.get("value", ""))
        if typed and status == 409:
            assert "alert(1)" in got.text, "what was typed is kept"


def test_a_picture_is_shown_as_its_address_and_nothing_is_asked_for(browser: Browser) -> None:
    got = browser.get("/ui/note/notes%2Fall").text
    assert "picture: pic https://evil.example/p.png" in got
    assert not re.search(r"<(?:img|source|video|audio|embed|object|iframe)\b", got)


def test_no_template_trusts_a_value() -> None:
    folder = Path(__file__).parents[2] / "memoryclaw/interfaces/ui/templates"
    for template in folder.iterdir():
        text = template.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe\b|\bstyle\s*=|autoescape|\bon\w+\s*=\s*[\"']|<style", text), (
            template.name
        )
