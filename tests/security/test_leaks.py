"""The leak matrix: every verb at every door for every audience, over a vault that hides something in each kind of place.

What a caller may not see is a word of its own that occurs nowhere else, so one look at an answer tells whether it leaked.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from conftest import Claw, put, put_own
from daemons import Daemon, serving
from forked import GRAFT
from gitvault import git, vault_of
from httpx2 import AsyncClient
from mcp import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcpclients import Asker, connected

from memoryclaw.app import open_vault
from memoryclaw.interfaces.cli.verbs import VERBS
from memoryclaw.interfaces.http.routes import ROWS
from memoryclaw.vault.export_gate import visible_bytes

pytestmark = pytest.mark.security

AUDIENCES = ("agent", "family", "public", "stranger")
FAMILYS = "the-token-of-the-family-0123456789-0123456789-0123456789"
# What is hidden: a word no other place holds → who may see it besides the owner.
LABELS = {"owner": (), "family": ("family",), "agent": ("agent",)}
PLACES = (
    "title", "tag", "alias", "person", "header", "body", "heading", "item", "row", "fact", "entity", "field", "statement", "history", "whole",
    "spelled", "spanned", "unclosed", "property", "inline", "todo", "jsonlog", "mdlog", "speaker", "skillname", "skilldesc", "jsonskill", "episode", "link", "pending", "archived", "folder", "journal",
)  # fmt: skip


def word(label: str, place: str) -> str:
    """A made-up word: letters of the digest of its place, so that no two are near to each other."""
    digest = hashlib.sha256(f"{label} {place}".encode()).digest()
    return "q" + "".join("bcdfghjklmnprstvwxz"[byte % 19] + "aeiou"[byte // 19 % 5] for byte in digest[:5])


def spelled(label: str) -> str:
    """A mark as nobody is told to write it."""
    return {
        "owner": "［ private: ］",
        "family": "[AUDI\u200bENCE :: Ｆamily]",
        "agent": "[private](notes/x.md)",
    }[label]


def hidden_files(label: str) -> dict[str, str]:
    """Files that hide one word in each kind of place from everybody whom this label does not let in."""
    w = {place: word(label, place) for place in PLACES}
    mark = f"[audience:: {label}]" if label != "agent" else ""
    head = f"audience: {label}\n" if label != "agent" else ""
    turn = {"audience": label} if label != "agent" else {}
    said = [
        {"ts": "2026-02-01T09:00:00Z", "session": f"s-{label}", "turn": 1, "role": "user", "name": "Nora", "content": "the harbour is open"},
        {"ts": "2026-02-01T09:01:00Z", "session": f"s-{label}", "turn": 2, "role": "user", "name": w["speaker"].title(), "content": f"harbour {w['jsonlog']}", **turn},
        {"ts": "2026-02-01T09:02:00Z", "session": f"s-{label}", "turn": 3, "role": "assistant", "content": f"noted: harbour {w['jsonlog']}"},
    ]  # fmt: skip
    return {
        f"notes/{label}-note.md": (
            f"---\n{head}title: Harbour {w['title']}\ntags: [{w['tag']}]\naliases: [{w['alias']}]\npeople: [{w['person'].title()}]\n"
            f"colour: {w['header']}\n---\n\nharbour {w['body']} [[{w['link']}]]\n"
        ),
        f"notes/{label}-parts.md": (
            f"# Parts of {label}\n\n## Harbour {w['heading']} {mark}\n\nharbour {w['body']}\n\n## Open\n\n- harbour {w['item']} {mark}\n\n"
            f"| a | b |\n|---|---|\n| harbour | {w['row']} {mark} |\n"
        ),
        f"notes/{label}-spelled.md": (
            f"# Spelled for {label}\n\nharbour open\n\nharbour {w['spelled']} {spelled(label)}\n\n{'<private' if label == 'owner' else '<p'} class='x'>\n"
            f"harbour {w['spanned'] if label != 'family' else ''}\n"
        ),
        f"notes/{label}-unclosed.md": (
            f"---\ntitle: Quay\nharbour {w['unclosed']}\n" if label == "owner" else f"harbour {w['unclosed']} {mark}\n"
        ),
        f"people/Keeper {label}.md": f"---\n{head}lantern: harbour {w['property']}\n---\n\n# Keeper {label}\n\nharbour\n",
        f"people/Warden {label}.md": (
            f"---\nlantern: harbour\n---\n\nwick:: harbour {w['inline']} {mark}\n\n- [ ] harbour {w['todo']} 📅 2026-04-21 {mark}\n- [ ] open\n"
        ),
        f"semantic/{label}.md": (
            f"# Pier of {label}\n- keeper: {w['fact']} {mark}\n- {w['field']}: harbour {mark}\n- \"harbour {w['statement']}\" [said:: 2026-01-02] {mark}\n\n"
            f"## History\n- keeper: {w['history']} [until:: 2026-01-01] {mark}\n\n# {w['entity'].title()} {mark}\n- berth: harbour\n"
        ),
        f"semantic/{label}-whole.md": f"---\n{head}---\n\n# Quay of {label}\n- depth: harbour {w['whole']}\n",
        f"logs/2026-02-01/s-{label}.jsonl": "".join(json.dumps(turn) + "\n" for turn in said),
        f"logs/2026-02-01/m-{label}.md": f"### user\nthe harbour is open\n\n### user\nharbour {w['mdlog']} {mark}\n",
        f"skills/{label}-work/SKILL.md": (
            f"---\nname: {w['skillname']}\ndescription: Works in the harbour {w['skilldesc']}\n{head}---\n\n1. harbour {w['body']}\n"
        ),
        f"skills/{label}.json": json.dumps({"name": f"{label}-json", "description": f"harbour {w['jsonskill']}", **turn}),
        f"episodes/2026-02-02_10-00-00_{label}.md": (
            f"---\nid: ep-{label}\ntimestamp: 2026-02-02T10:00:00Z\nsummary: harbour {w['episode']}\n{head}---\n\nharbour {w['episode']}\n"
        ),
        f"archive/notes/{label}.md": f"---\n{head}---\n\nharbour {w['archived']}\n",
    }  # fmt: skip


PENDING = "# Waiting\n\n" + "".join(
    f"- [ ] Pier of {label}.gate: {word(label, 'pending')} [confidence:: low] [since:: 2026-02-01]"
    f'{f" [audience:: {label}]" if label != "agent" else ""}\n  - why: Nora said: "harbour {word(label, "pending")}"\n'
    for label in LABELS
)
FILES: dict[str, str] = {
    **{path: text for label in LABELS for path, text in hidden_files(label).items()},
    "semantic/_pending.md": PENDING,
    "journal/today.md": f"harbour {word('owner', 'journal')}\n",
    "kin/plans.md": f"harbour {word('family', 'folder')}\n",
    "open/page.md": "# Page\n\nThe harbour is open to the public.\n",
    "memoryclaw.yaml": "audience:\n  folders: {journal: owner, kin: family, open: public}\n",
}
HIDDEN = {
    word(label, place): {"owner", *lets_in}
    for label, lets_in in LABELS.items()
    for place in PLACES
    if word(label, place) in "".join(FILES.values()).lower()
}


@pytest.fixture(scope="module", autouse=True)
def own_labels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whom folders are opened to, the owner says; the vault says so, too."""
    with pytest.MonkeyPatch.context() as patch:
        put_own(tmp_path_factory.mktemp("own"), FILES["memoryclaw.yaml"], patch)
        yield


def leaked(text: str, audience: str) -> set[str]:
    """What stands in an answer and is not for its caller."""
    said = set(re.findall(r"q[a-z]{10}", text.lower()))
    return {hidden for hidden in said & HIDDEN.keys() if audience not in HIDDEN[hidden]}


def slip(text: str) -> str:
    """The word with a slip of the pen, which "did you mean" would put right."""
    return text[:4] + ("b" if text[4] != "b" else "c") + text[5:]


SLIPS = [slip(hidden) for hidden in HIDDEN]
IDS = (
    [f"notes/{label}-note" for label in LABELS]
    + [f"notes/{label}-parts#Harbour" for label in LABELS]
    + [f"semantic/{label}#Pier of {label}.keeper" for label in LABELS]
    + [f"semantic/{label}#Pier of {label}" for label in LABELS]
    + [f"semantic/{label}-whole#Quay of {label}.depth" for label in LABELS]
    + [f"log:s-{label}/{turn}" for label in LABELS for turn in (2, 3)]
    + [f"log:m-{label}/2" for label in LABELS]
    + [f"skills/{label}-work/SKILL" for label in LABELS]
    + [f"ep-{label}" for label in LABELS]
    + [f"people/Keeper {label}#Keeper {label}.lantern" for label in LABELS]
    + [f"people/Warden {label}#Warden {label}.wick" for label in LABELS]
    + ["semantic/_pending", "journal/today", "kin/plans", "archive/notes/owner"]
)


class Doors(NamedTuple):
    """The vault with a daemon on it, and a client of each kind for each audience."""

    vault: Path
    daemon: Daemon
    tokens: Mapping[str, str]
    askers: Mapping[tuple[str, str], Asker]


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    folder = tmp_path_factory.mktemp("leaks")
    vault = vault_of(folder / "vault", FILES)
    shown = {
        "ts": "2026-01-01T00:00:00Z", "event": "shown", "receipt": RECEIPT, "session": "s-owner",
        "ids": list(IDS),
    }  # fmt: skip
    cited = {"ts": "2026-01-01T00:01:00Z", "event": "cited", "session": "s-owner", "ids": list(IDS)}
    events = ({**shown, "left_out": {"weak": list(IDS)}}, cited)
    put(vault, {"ledger/desk/2026-01.jsonl": "".join(json.dumps(event) + "\n" for event in events)})
    digest = hashlib.sha256(FAMILYS.encode()).hexdigest()
    # A quick machine asks more than a hundred times a second.
    own = f"{FILES['memoryclaw.yaml']}  tokens: {{{digest}: family}}\nserve: {{rate: 10000}}\n"
    put(folder / "own", {"memoryclaw/config.yaml": own})
    with ExitStack() as stack:
        daemon = stack.enter_context(serving(vault, XDG_CONFIG_HOME=str(folder / "own")))
        tokens = {"owner": daemon.token, "agent": daemon.agents_token, "family": FAMILYS}
        askers = {}
        for audience in ("agent", "family"):
            http = AsyncClient(headers={"Authorization": f"Bearer {tokens[audience]}"}, timeout=60)
            transport = streamable_http_client(f"{daemon.address['url']}/mcp", http_client=http)
            askers[audience, "http"] = stack.enter_context(connected(transport))
        for audience in AUDIENCES:
            said = [] if audience == "agent" else ["--audience", audience]
            command = StdioServerParameters(
                command=GRAFT.command, args=["mcp", *said], env=Claw(vault).environment()
            )  # fmt: skip
            errors = stack.enter_context((folder / f"{audience}.log").open("w"))
            askers[audience, "stdio"] = stack.enter_context(connected(stdio_client(command, errlog=errors)))
        yield Doors(vault, daemon, tokens, askers)


def test_every_place_really_hides_its_word(doors: Doors) -> None:
    assert len(HIDDEN) > 60
    with open_vault(doors.vault) as app:
        app.sync()  # an answer beside a daemon that has just begun may be one of an index that is behind
        unfound = [hidden for hidden in HIDDEN if not app.search(hidden, limit=50).matches]
        unfound = [hidden for hidden in unfound if not app.search(hidden, limit=50).matches]
    pointless = {
        word(label, place)
        for label in LABELS
        for place in ("archived", "pending", "link", "history", "speaker")
    }
    assert set(unfound) <= pointless
    for audience in AUDIENCES:
        assert {hidden for hidden, lets_in in HIDDEN.items() if audience not in lets_in}


RECEIPT = "r-20260101t000000-abcdef"  # of a recall in which everything was shown

# Every verb of the command line; a verb that is not named here fails the test below.
CLI: dict[str, list[list[str]]] = {
    "recall": [["harbour"], ["harbour", "--trace"], ["harbour", "--budget", "4000", "--json"], SLIPS[:30], SLIPS[30:60]],
    "ask": [["harbour"], ["harbour", "--json"], *([query] for query in SLIPS[::8]), *([f"pier keeper of {label}", "--json"] for label in LABELS)],
    "search": [["harbour", "--limit", "300", "--explain"], ["harbour", "--limit", "300", "--json"], *([query] for query in SLIPS[2::8]), ["tag:*"], ["kind:pending"], ["kind:archived harbour", "--json"], ["kind:turn harbour"]],
    "show": [*([id_] for id_ in IDS), *([name, *form, *json] for name, *form in (("Pier of owner",), (RECEIPT,), (RECEIPT, "--as", "recall"), ("Pier of owner", "--as", "entity"), (IDS[0], "--as", "uses")) for json in ([], ["--json"]))],
    "browse": [["entities"], ["entities", "--json"], ["entities", "Pier"], ["views"], ["views", "--json"], ["views", "Pier of owner"], ["views", "--write"], ["--json"], ["--state", "pending"], ["--state", "archived", "--json"], ["--state", "draft"]],
    "facts": [[], ["--history", "--json"], ["--believed-at", "HEAD", "--json"], ["--believed-at", "2026-04-20"], *([f"Pier of {label}", "--json"] for label in LABELS), *([slip(word(label, "entity"))] for label in LABELS)],
    "timeline": [[], ["--json"], ["--limit", "0"], *([f"Pier of {label}", "--json"] for label in LABELS), *([slip(word(label, "entity"))] for label in LABELS)],
    "todos": [[], ["--all", "--json"], ["harbour"], *([word(label, "todo")] for label in LABELS)],
    "links": [*([id_] for id_ in IDS[::3]), [], ["--json", "--limit", "1000"], ["--dot"], ["orphans", "--json"], ["dangling", "--json"], *(["neighbours", id_, "--json"] for id_ in IDS[::6]), *(["path", id_, "notes/owner-note"] for id_ in IDS[::9])],
    "skills": [["list", "--json"], ["match", "harbour", "--json"], ["lint"], *(["show", f"skills/{label}-work"] for label in LABELS), ["show", slip(word("owner", "skillname"))], ["host", "--json"], ["run", "owner-work"]],
    "review": [["list", "--json"], ["list"], ["diff"], ["show", "p-00000000"], ["approve", "--all", "--yes"]],
    "status": [["--json"], ["--usage"], ["--usage", "--json"]],
    "check": [[], ["--json"], ["lint"], ["lint", "--json"], ["lint", "--staged"], ["lint", "--uninstall-hook"], ["eval", "--json"], ["reindex", "--json"], ["migrate", "--dry-run"], ["migrate", "--json"]],
    "history": [["--json"], ["notes/owner-note"]], "blame": [["semantic/owner#Pier of owner.keeper"]],
    "consolidate": [["--dry-run", "--llm", "none"], ["--dry-run", "--llm", "none", "--json"], ["--ask", "--json"], ["--again", "--since", "2026-01-01"], ["schedule", "status"]],
    "feedback": [[id_, "3"] for id_ in IDS[::4]],
    "working": [["show", "--session", "s-owner"]],
    "edit": [["notes/owner-note", "--set", "pin=true"]], "forget": [["notes/owner-note"], ["notes/owner-note", "--purge", "--dry-run"], ["--source", "s-owner", "--purge", "--yes"], ["--undo", "archive/notes/owner"]],
    "trust": [["notes/owner-note", "--yes"], ["notes/owner-note", "--quarantine"]], "undo": [["HEAD"]],
    "remember": [["harbour", "--entity", "Pier of owner", "--field", "keeper"]], "capture": [[]],
    "import": [["/nowhere"], ["bundle", "/nowhere"], ["markdown", "/nowhere", "--yes"]], "export": [["memory-md", "--budget", "100000"], ["memory-md", "--json"], ["latest", "--json"], ["/nowhere/b.tar.gz"]], "init": [["--help"]],
    "hook": [["--help"]], "sync": [["--json"]], "vectors": [[], ["--json"], ["on", "minilm"]], "adopt": [["--json"], ["--dry-run"]], "openclaw": [["status"]], "connect": [["--print"], ["claude-code", "--dry-run"]],
    "serve": [["--help"]], "ui": [["--help"]], "mcp": [["--help"]], "completion": [["bash"]],
}  # fmt: skip


def test_the_matrix_knows_every_verb() -> None:
    assert set(CLI) == set(VERBS)


# They come first: what others do takes words out of the vault.
LOOKS = {
    "ask", "blame", "facts", "history", "links", "recall", "search", "show", "status", "timeline", "todos",
}  # fmt: skip


@pytest.mark.parametrize(
    ("verbs", "audience"),
    [*((LOOKS, audience) for audience in AUDIENCES), *((CLI.keys() - LOOKS, audience) for audience in ("agent", "stranger"))],
)  # fmt: skip
def test_the_command_line_tells_nobody_what_is_for_others(
    doors: Doors, verbs: set[str], audience: str
) -> None:
    lines = [[verb, *words] for verb in sorted(verbs) for words in CLI[verb]]
    for line, ran in zip(lines, Claw(doors.vault, MEMORYCLAW_AUDIENCE=audience).each(lines), strict=True):
        assert ran.code in (0, 1, 2), (line, ran)
        assert not leaked(ran.out + ran.err, audience), (line, leaked(ran.out + ran.err, audience))


def test_what_consolidation_makes_of_hidden_turns_is_hidden_too(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "vault", FILES)
    assert Claw(vault)("consolidate", "--llm", "none").code == 0
    made = (vault / "semantic/people.md").read_text().lower()
    assert all(word(label, place) in made for label in LABELS for place in ("jsonlog", "speaker"))
    for audience in AUDIENCES:
        claw = Claw(vault, MEMORYCLAW_AUDIENCE=audience)
        slips = [[slip(word(label, "speaker"))] for label in LABELS]
        lines = [
            [verb, *words]
            for verb in ("recall", "search", "facts", "show")
            for words in [*CLI[verb][:6], *slips]
        ]
        for line, ran in zip([["browse"], *lines], claw.each([["browse"], *lines]), strict=True):
            assert not leaked(ran.out + ran.err, audience), line


@pytest.mark.parametrize("audience", AUDIENCES)
def test_a_bundle_holds_nothing_that_is_for_others(doors: Doors, audience: str, tmp_path: Path) -> None:
    claw = Claw(doors.vault, MEMORYCLAW_AUDIENCE=audience)
    for number, words in enumerate(([], ["--since", "2000-01-01"], ["--tag", word("owner", "tag")])):
        bundle = tmp_path / f"{number}.tar.gz"
        ran = claw("export", bundle, *words)
        assert ran.code in (0, 1), ran
        assert not leaked(ran.out + ran.err, audience)
        said = gzip.decompress(bundle.read_bytes()).decode(errors="replace") if bundle.exists() else ""
        assert not leaked(said, audience), (words, leaked(said, audience))
        assert ("open to the public" in said) == (not words or words[0] == "--since"), ran
        assert "memoryclaw.yaml" not in said


def test_pages_hold_nothing_that_is_for_some_only_and_are_shown_to_nobody_else(tmp_path: Path) -> None:
    named = {
        f"episodes/2026-02-0{n}_10-00-00_{label}.md": (
            f"---\nid: both-{label}-{n}\ntimestamp: 2026-02-0{n}T10:00:00Z\ntags: [quay-{label}]\nentities: [Jetty of {label}]\n---\n\n"
            f"- Nora: Jetty of {label} is open. ^l1\n- Nora: Jetty of {label}, harbour {word(label, 'item')} "
            f"{f'[audience:: {label}]' if label != 'agent' else ''} ^l2\n"
        )
        for n, label in ((n, label) for n in (3, 4, 5) for label in LABELS)
    }
    jetties = "".join(
        f"# Jetty of {label}\n- deck: oak\n- light: {word(label, 'fact')} {f'[audience:: {label}]' if label != 'agent' else ''}\n\n"
        for label in LABELS
    )
    vault = put(tmp_path / "vault", {**FILES, **named, "semantic/jetty.md": jetties})
    with open_vault(vault) as app:
        written = app.views(write=True).written
        pages = {path: (vault / path).read_bytes() for path in written}
        assert "views/entities/jetty-of-owner.md" in pages
        assert any(path.startswith("views/topics/") for path in pages)
        for path, data in pages.items():
            assert not leaked(data.decode(), "agent"), path
            for audience in AUDIENCES:
                assert visible_bytes(path, data, audience, {}) is None
        (vault / "views/entities/jetty-of-owner.md").write_bytes(
            pages["views/entities/jetty-of-owner.md"] + b"Somebody wrote of a drawbridge.\n"
        )
    for audience in ("agent", "family", "public"):
        claw = Claw(vault, MEMORYCLAW_AUDIENCE=audience)
        ran = claw("show", "views/entities/jetty-of-owner")
        assert "is open" not in ran.out
        assert ("drawbridge" in ran.out) == (audience == "agent")
    assert "is open" in Claw(vault)("show", "views/entities/jetty-of-owner").out


def test_a_look_still_shows_what_is_for_the_caller(doors: Doors) -> None:
    for audience in ("owner", "agent", "family"):
        ran = Claw(doors.vault)("search", "harbour", "--limit", "300", "--json", "--audience", audience)
        seen_words = {hidden for hidden in HIDDEN if hidden in ran.out.lower()}
        assert any("family" in HIDDEN[word] for word in seen_words) == (audience in ("owner", "family"))
        assert any("agent" in HIDDEN[word] for word in seen_words) == (audience in ("owner", "agent"))
    assert "open to the public" in Claw(doors.vault)("recall", "harbour", "--audience", "stranger").out


HTTP_BODIES: dict[tuple[str, str], list[Any]] = {
    ("POST", "/v1/recall"): [{"query": "harbour", "budget": 4000, "trace": True}, {"query": " ".join(SLIPS[:40])}],
    ("POST", "/v1/remember"): [{"text": "harbour", "entity": "Pier of owner", "field": "keeper"}],
    ("POST", "/v1/consolidate"): [{"dry_run": True, "llm": "none"}, {"ask": True}],
    ("POST", "/v1/feedback"): [{"id": id_, "rating": 3} for id_ in IDS[::5]],
    ("POST", "/v1/capture"): [{"turns": [], "session": "x"}],
    ("POST", "/v1/redo"): [{"since": "2026-01-01", "llm": "none"}],
    ("POST", "/v1/revive"): [{"id": "archive/notes/owner"}],
    ("POST", "/v1/undo"): [{"what": "HEAD"}],
}  # fmt: skip
QUERIES = {
    "/v1/search": ["?q=harbour&limit=300", *(f"?q={query}" for query in SLIPS[::6])],
    "/v1/entities": ["", "?words=Pier", "?kind=owner"],
    "/v1/graph": ["?limit=1000"],
    "/v1/graph/path": [
        "?start=notes/owner-note&end=Pier%20of%20owner",
        *(f"?start=Home&end={quote(id_, safe='')}" for id_ in IDS[::9]),
    ],
    "/v1/graph/neighbours": [f"?id={quote(id_, safe='')}" for id_ in IDS[::6]],
    "/v1/views": ["", "?name=Pier%20of%20owner"],
    "/v1/facts": ["?history=true", "?entity=Pier%20of%20owner", "?believed_at=HEAD"],
    "/v1/timeline": ["", "?entity=Pier%20of%20owner&limit=500"],
    "/v1/todos": ["?state=all", "?words=harbour", "?due=2026-04-21"],
    "/v1/notes": ["?limit=500", "?state=archived", "?state=pending"],
    "/v1/skills/match": ["?q=harbour"],
}


@pytest.mark.parametrize("audience", ["agent", "family", ""])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.method} {row.path}")
def test_http_tells_nobody_what_is_for_others(doors: Doors, row: Any, audience: str) -> None:
    token = doors.tokens.get(audience, "no token at all, but as long as one, 0123456789")
    named = [RECEIPT] if "receipts" in row.path else IDS if "{" in row.path else [""]
    named = named if audience == "agent" else named[::3]  # each audience goes the same way
    for name in named if audience else named[:1]:  # who brings no token is turned away before a name is read
        path = re.sub(r"\{\w+\}", lambda _hit, name=name: quote(name, safe=""), row.path)  # type: ignore[misc]
        for query in QUERIES.get(row.path, [""]):
            for body in HTTP_BODIES.get(
                (row.method, row.path), [{} if row.method not in ("GET", "DELETE") else None]
            ):
                reply = doors.daemon.ask(
                    row.method, path + query, body, headers={"Authorization": f"Bearer {token}"}
                )
                said = leaked(reply.body.decode(), audience or "public")
                assert not said, (path, query, said)
                assert reply.status < 500, reply
                if not audience:
                    assert reply.status == 401


MCP: dict[str, list[dict[str, Any]]] = {
    "memory_search": [{"query": "harbour", "limit": 50}, *({"query": query} for query in SLIPS[::8])],
    "memory_get": [{"id": id_} for id_ in IDS],
    "memory_store": [{"text": "harbour again", "entity": "Pier of owner", "field": "keeper"}],
    "memory_feedback": [{"id": id_, "rating": 3} for id_ in IDS[::5]],
    "memory_browse": [{}, {"state": "pending"}, {"state": "archived"}],
    "memory_facts": [{}, {"history": True}, {"entity": "Pier of owner"}],
    "memory_review": [{}],
    "memory_working": [{"session": "s-owner"}],
}


@pytest.mark.parametrize(("audience", "door"), [("agent", "stdio"), ("agent", "http"), ("family", "http"), *((label, "stdio") for label in AUDIENCES[1:])])  # fmt: skip
def test_mcp_tells_nobody_what_is_for_others(doors: Doors, audience: str, door: str) -> None:
    ask = doors.askers[audience, door]
    assert {tool.name for tool in ask.do(ask.client.list_tools).tools} == set(MCP)
    for tool, calls in MCP.items():
        for arguments in calls:
            answer = ask(tool, **arguments)
            assert not leaked(answer.text, audience), (tool, arguments)
    listed = ask.do(ask.client.list_resources)
    assert not leaked(listed.model_dump_json(), audience)
    prompt = ask.do(lambda: ask.client.get_prompt("recall", {"question": "harbour"}))
    assert not leaked(prompt.model_dump_json(), audience)
    assert ("open to the public" in prompt.model_dump_json()) or audience in ("agent", "family")


def test_a_claim_that_guesses_what_is_hidden_only_learns_that_it_waits(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "vault", FILES)
    with open_vault(vault, audience="agent") as app:
        right = app.claim(word("owner", "fact"), entity="Pier of owner", field="keeper")
        wrong = app.claim("Nobody", entity="Pier of owner", field="keeper")
        whole = app.claim(f"harbour {word('owner', 'whole')}", entity="Quay of owner", field="depth")
        claimed = app.claim(f"harbour {word('owner', 'episode')}")
    assert right.action == wrong.action == whole.action == "waiting"
    assert claimed.action == "added"
    assert right.notice == wrong.notice
    pending = (vault / "semantic/_pending.md").read_text()
    assert "known:" not in pending.partition("Nobody")[2], "the hidden value stands in no open line"


def test_an_answer_is_that_of_a_vault_which_holds_nothing_else(tmp_path: Path) -> None:
    """Scores, counts, order and suggestions: a caller cannot tell the vault from one without what is hidden."""
    folders = {"journal": "owner", "kin": "family", "open": "public"}
    vault = put(tmp_path / "vault", FILES)
    for audience in AUDIENCES:
        kept = {
            path: visible_bytes(path, text.encode(), audience, folders)
            for path, text in FILES.items()
            if path != "memoryclaw.yaml"
        }
        alone = put(tmp_path / audience, {path: data for path, data in kept.items() if data is not None})
        with open_vault(vault, audience=audience) as app, open_vault(alone) as other:
            for question in (
                "harbour",
                "open harbour",
                *SLIPS[::9],
                "pier keeper",
                "who keeps the pier of agent",
                "2026-02-01",
            ):
                here, there = app.search(question, limit=300), other.search(question, limit=300)
                assert _plain(here) == _plain(there), question
                here, there = app.recall(question), other.recall(question)
                assert _plain(here) == _plain(there), question
            assert app.browse(state="archived") == other.browse(state="archived")
            assert app.browse(limit=500) == other.browse(limit=500)
            assert [fact._replace(audience="") for _, fact in app.facts(history=True)] == [fact._replace(audience="") for _, fact in other.facts(history=True)]  # fmt: skip


def _plain(answer: Any) -> Any:
    return (answer.matches, answer.left_out, answer.trace, answer.confidence, answer.did_you_mean, answer.unknown, getattr(answer, "context", ""))  # fmt: skip


def test_a_label_that_comes_later_hides_at_once_and_one_that_goes_shows_again(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "vault", {"notes/a.md": "# A\n\nThe quibbet is blue.\n"})
    with open_vault(vault, audience="agent") as app:
        assert app.search("quibbet").matches
        assert not (vault / ".memoryclaw/audience").exists(), "nothing is hidden: one index serves both"
        (vault / "notes/a.md").write_text("---\naudience: owner\n---\n\nThe quibbet is blue.\n")
        assert not app.search("quibbet").matches
        assert not app.search("quibbit").did_you_mean
        with pytest.raises(Exception, match="nothing in this vault has the id"):
            app.show("notes/a")
        (vault / "notes/a.md").write_text("# A\n\nThe quibbet is blue.\n")
        assert app.search("quibbet").matches
    git(vault, "status")


@pytest.mark.parametrize("audience", [name for name in AUDIENCES if name != "owner"])
def test_a_label_is_seen_however_soon_it_comes_after_the_last_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, audience: str
) -> None:
    # As on a machine so quick that every file is looked at within the grain of the clock that stamps it.
    monkeypatch.setattr("memoryclaw.index.indexer.is_racy", lambda _: True)
    shown, hidden = (
        f"---\naudience: {audience}\n---\n\nThe quibbet is blue.\n",
        "---\naudience: owner\n---\n\nThe quibbet is blue.\n",
    )
    vault = put(tmp_path / "vault", {"notes/a.md": shown, "notes/b.md": hidden})
    with open_vault(vault, audience=audience) as app:
        for text in (shown, hidden, shown, hidden):
            (vault / "notes/a.md").write_text(text)
            assert [match.path for match in app.search("quibbet").matches] == ["notes/a.md"] * (text == shown)
