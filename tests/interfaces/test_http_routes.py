"""Every address answers what the command line prints with --json for the same verb."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema
import pytest
from conftest import STUDIO, Claw, git, put
from daemons import Daemon, serving

from memoryclaw.interfaces.cli.verbs import CliContext, cli
from memoryclaw.interfaces.http import server
from memoryclaw.interfaces.http.routes import ROWS

DEADLINE = "semantic/projects#Boathouse.deadline"
TALK = [
    {"session": "gate", "turn": 1, "ts": "2026-04-19T09:00:00Z", "role": "user", "content": "The gate code is lantern."},
    {"session": "gate", "turn": 2, "ts": "2026-04-19T09:01:00Z", "role": "assistant", "content": "Noted: lantern."},
]  # fmt: skip
CHANGING = re.compile(r"\b[0-9a-f]{40}\b|(?<=T080000-)[0-9a-f]{6}\b|(?<=t080000-)[0-9a-f]{6}\b")


WRITE_TO = {
    "name": "write-to",
    "description": "Write to a person",
    "parameters": [{"name": "name", "source": "user"}],
    "steps": [{"tool": "send", "args": {"to": "{{name}}"}}],
}


def studio(folder: Path) -> Path:
    vault = put(folder, {"memoryclaw.yaml": "", **STUDIO, "skills/write-to.json": json.dumps(WRITE_TO)})
    for args in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "My notes")):
        git(vault, *args)
    return vault


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with serving(studio(tmp_path_factory.mktemp("served") / "vault")) as running:
        yield running


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory, daemon: Daemon) -> Path:
    """The same vault without a daemon: what is done to the one is done to the other."""
    vault = tmp_path_factory.mktemp("twin") / "vault"
    shutil.copytree(daemon.vault, vault, ignore=shutil.ignore_patterns(".memoryclaw", "ledger"))
    return vault


def said(vault: Path, *args: str) -> Any:
    """What the command line prints, without a process of its own, to another user: what one permits counts in every copy of a vault."""
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(io.StringIO()):
        patch.setenv("XDG_CONFIG_HOME", str(vault.parent / "own"))
        cli.main([*args, "--json"], standalone_mode=False, obj=CliContext(vault=str(vault)))
    return json.loads(out.getvalue())


def steady(shape: Any, vault: Path) -> Any:
    """An answer without what differs from run to run and from vault to vault."""
    text = CHANGING.sub("…", json.dumps(shape).replace(str(vault), "/vault"))
    answer = json.loads(text)
    for key in ("timings_ms", "receipt", "daemon", "index"):
        answer.pop(key, None)
    return answer


def rows_of(path: str) -> set[str]:
    """The addresses of the table that a path may be one of."""
    path = path.partition("?")[0]
    exact = {row.path for row in ROWS if row.path == path}
    return exact or {row.path for row in ROWS if re.fullmatch(re.sub(r"\{\w+\}", ".+", row.path), path)}


def described(method: str, path: str, answer: Any) -> None:
    """An answer is what the served document says."""
    document = server.document()
    (operation,) = (
        document["paths"][row][method.lower()]
        for row in rows_of(path)
        if method.lower() in document["paths"][row]
    )
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    jsonschema.validate(answer, {**schema, "components": document["components"]})


def same(daemon: Daemon, twin: Path, method: str, path: str, body: Any, *args: str) -> Any:
    reply = daemon.ask(method, path, body)
    assert reply.status == 200, reply
    described(method, path, reply.json)
    assert steady(reply.json, daemon.vault) == steady(said(twin, *args), twin)
    return reply.json


LOOKS = (
    ("/v1/search?q=boathouse+deadline&limit=1", ("search", "boathouse deadline", "--limit", "1")),
    ("/v1/search?q=penicillin&kind=episode", ("search", "penicillin", "--kind", "episode")),
    ("/v1/notes?kind=episode&limit=1", ("browse", "--kind", "episode", "--limit", "1")),
    ("/v1/notes?type=to-do", ("browse", "--type", "to-do")),
    ("/v1/facts?type=event", ("facts", "--type", "event")),
    ("/v1/notes?state=archived", ("browse", "--state", "archived")),
    (f"/v1/notes/{quote(DEADLINE, safe='')}", ("show", DEADLINE)),
    ("/v1/notes/log:kanazawa/2", ("show", "log:kanazawa/2")),
    ("/v1/links/ep-penicillin", ("links", "ep-penicillin")),
    (f"/v1/inspect/{quote(DEADLINE, safe='')}", ("inspect", DEADLINE)),
    ("/v1/inspect/ep-penicillin", ("inspect", "ep-penicillin")),
    ("/v1/graph?limit=4", ("links", "--limit", "4")),
    ("/v1/graph/path?start=ep-penicillin&end=Boathouse", ("links", "path", "ep-penicillin", "Boathouse")),
    (
        "/v1/graph/neighbours?id=ep-penicillin&limit=1",
        ("links", "neighbours", "ep-penicillin", "--limit", "1"),
    ),
    ("/v1/graph/orphans", ("links", "orphans")),
    ("/v1/graph/dangling", ("links", "dangling")),
    ("/v1/facts?entity=rowing%20club&history=true", ("facts", "rowing club", "--history")),
    ("/v1/facts?as_of=2025-07-01", ("facts", "--as-of", "2025-07-01")),
    ("/v1/facts?entity=Boathouse&believed_at=HEAD", ("facts", "Boathouse", "--believed-at", "HEAD")),
    ("/v1/timeline?since=2025-06-01&limit=5", ("timeline", "--since", "2025-06-01", "--limit", "5")),
    ("/v1/entities?words=boat", ("entities", "boat")),
    ("/v1/entities/rowing%20club", ("entity", "rowing club")),
    ("/v1/views", ("views",)),
    ("/v1/views?name=rowing%20club", ("views", "rowing club")),
    ("/v1/history/HEAD", ("history", "--commit", "HEAD")),
    ("/v1/todos?state=all", ("todos", "--all")),
    ("/v1/review", ("review", "list")),
    ("/v1/history?limit=3", ("history", "--limit", "3")),
    (f"/v1/history?id={quote(DEADLINE)}", ("history", DEADLINE)),
    (f"/v1/blame/{quote(DEADLINE)}", ("blame", DEADLINE)),
    ("/v1/skills", ("skills", "list")),
    ("/v1/skills/send-update", ("skills", "show", "send-update")),
    ("/v1/skills/match?q=weekly+update", ("skills", "match", "weekly update")),
    ("/v1/status", ("status",)),
    ("/v1/lint", ("lint",)),
)
ELSEWHERE = {
    *((method, "/v1/host-skills") for method in ("GET", "POST")),
    *(
        ("GET", path)
        for path in ("/v1/receipts/{id}", "/v1/doctor", "/v1/review/{id}", "/v1/working/{session}")
    ),
    *(
        ("POST", f"/v1/{verb}")
        for verb in ("recall", "sync", "remember", "revive", "undo", "feedback", "migrate")
    ),
    *(("POST", f"/v1/{verb}") for verb in ("capture", "consolidate", "redo")),
    *(("POST", f"/v1/review/{{id}}/{verb}") for verb in ("approve", "reject")),
    *(("POST", f"/v1/skills/{{name}}/{verb}") for verb in ("approve", "reject", "run", "outcome")),
    *((method, "/v1/notes/{id}") for method in ("PATCH", "PUT", "DELETE")),
    ("PUT", "/v1/review/{id}"),
    *((method, "/v1/working/{session}") for method in ("PATCH", "DELETE")),
}


def test_a_look_answers_as_the_command_line(daemon: Daemon, twin: Path) -> None:
    for path, args in LOOKS:
        same(daemon, twin, "GET", path, None, *args)


def test_doctor_answers_as_the_command_line_and_is_no_failure(daemon: Daemon, twin: Path) -> None:
    there = daemon.get("/v1/doctor")
    assert [check["name"] for check in there["checks"]] == [
        check["name"] for check in said(twin, "doctor")["checks"]
    ]


def test_recall_answers_as_the_command_line_and_is_noted_in_the_ledger(daemon: Daemon, twin: Path) -> None:
    body = {"query": "boathouse deadline", "goal": "plan the year", "budget": 300, "trace": True}
    args = ("recall", "boathouse deadline", "--goal", "plan the year", "--budget", "300", "--trace")
    answer = same(daemon, twin, "POST", "/v1/recall", body, *args)
    assert "2026-12-11" in answer["context"]
    noted = "".join(path.read_text() for path in daemon.vault.glob("ledger/*/*.jsonl"))
    assert answer["receipt"] in noted
    there = daemon.get(f"/v1/receipts/{answer['receipt']}")
    assert there == said(daemon.vault, "why", answer["receipt"])
    assert [decision["id"] for decision in there["decided"] if decision["decision"] == "in"] == [
        match["id"] for match in answer["matches"]
    ]


def test_what_a_session_was_shown_over_http_is_not_sent_to_it_again(daemon: Daemon) -> None:
    asked = {"query": "boathouse deadline", "session": "seen-over-http", "seen": "tools", "budget": 300}
    assert "2026-12-11" in daemon.ask("POST", "/v1/recall", asked).json["context"]
    daemon.get(f"/v1/notes/{quote(DEADLINE, safe='')}?session=seen-over-http")
    left = daemon.ask("POST", "/v1/recall", asked).json["left_out"]
    assert {"id": DEADLINE, "reason": "already_visible"} in left
    assert daemon.ask("POST", "/v1/recall", {**asked, "seen": "half"}).status == 400


def test_sync_answers_as_the_command_line(daemon: Daemon, twin: Path) -> None:
    assert Claw(twin)("sync").code == 0  # the daemon has its index already
    same(daemon, twin, "POST", "/v1/sync", None, "sync")


def test_migrate_answers_as_the_command_line_and_the_daemon_goes_on(daemon: Daemon, twin: Path) -> None:
    agents = {"Authorization": f"Bearer {daemon.agents_token}"}
    assert daemon.ask("POST", "/v1/migrate", {}, headers=agents).status == 403
    same(daemon, twin, "POST", "/v1/migrate", {"dry_run": True}, "migrate", "--dry-run")
    done = same(daemon, twin, "POST", "/v1/migrate", {}, "migrate")
    assert done["commit"]
    assert "vault:\n  format: 2\n" in (daemon.vault / "memoryclaw.yaml").read_text()
    assert daemon.post("/v1/migrate")["before"] == 2
    daemon.post("/v1/undo", what=done["commit"])
    said(twin, "undo", "HEAD")


def test_changes_answer_as_the_command_line_and_each_is_a_commit(daemon: Daemon, twin: Path) -> None:
    before = int(git(daemon.vault, "rev-list", "--count", "HEAD"))
    fact = {"text": "2027-01-15", "entity": "Boathouse", "field": "deadline"}
    agents = {"Authorization": f"Bearer {daemon.agents_token}"}
    done = daemon.ask("POST", "/v1/remember", fact, headers=agents).json
    assert done["action"] == "waiting", "an agent says so, and another value stands"
    for method, path, body in (
        ("PATCH", "/v1/notes/ep-wind", {"set": {"pin": True}}),
        ("DELETE", "/v1/notes/ep-wind", None),
    ):
        refused = daemon.ask(method, path, body, headers=agents)
        assert (refused.status, refused.code) == (403, "forbidden")
    pending = (daemon.vault / "semantic/_pending.md").read_text()
    same(
        daemon, twin, "PATCH", "/v1/notes/ep-wind", {"set": {"pin": True, "tags": ["island", "wind"]}},
        "edit", "ep-wind", "--set", "pin=true", "--set", "tags=island,wind",
    )  # fmt: skip
    gone = same(daemon, twin, "DELETE", "/v1/notes/ep-penicillin", None, "forget", "ep-penicillin")
    same(daemon, twin, "POST", "/v1/revive", {"id": gone["id"]}, "revive", gone["id"])
    undone = daemon.post("/v1/undo", what=done["commit"], yes=False)
    assert undone["action"] == "undone"
    assert "2027-01-15" in pending
    assert not (daemon.vault / "semantic/_pending.md").exists()
    assert "- deadline: 2026-12-11" in (daemon.vault / "semantic/projects.md").read_text()
    assert "pin: true" in (daemon.vault / "episodes/2025-09-04_15-40-00_wind-plan.md").read_text()
    # The first permission, here perhaps that of the revival, gives the vault its id in a commit of its own.
    made = git(
        daemon.vault,
        "log",
        "--format=%s",
        f"-{int(git(daemon.vault, 'rev-list', '--count', 'HEAD')) - before}",
    )
    assert len([subject for subject in made.splitlines() if " id" not in subject]) == 5, made


def test_a_text_is_written_only_for_the_file_that_was_read(daemon: Daemon) -> None:
    shown = daemon.get("/v1/notes/ep-penicillin")
    asked = {"text": f"{shown['text']}More.\n", "digest": shown["digest"]}
    planned = daemon.ask("PUT", "/v1/notes/ep-penicillin", {**asked, "dry_run": True}).json
    assert (planned["written"], planned["files"][0]["hunks"][0][-1]["pieces"]) == (
        None, [{"kind": "come", "text": "More."}],
    )  # fmt: skip
    assert daemon.get("/v1/notes/ep-penicillin") == shown
    assert daemon.ask("PUT", "/v1/notes/ep-penicillin", asked).json["written"]["action"] == "edited"
    refused = daemon.ask("PUT", "/v1/notes/ep-penicillin", asked)
    assert (refused.status, refused.code) == (409, "conflict")
    assert daemon.get("/v1/notes/ep-penicillin")["text"] == asked["text"]


def test_what_waits_is_reworded_and_decided_only_as_it_was_shown(daemon: Daemon) -> None:
    pending = daemon.vault / "semantic/_pending.md"
    pending.write_text("- [ ] Kiosk.colour: red [confidence:: low]\n", encoding="utf-8")
    item = next(item for item in daemon.get("/v1/review")["waiting"] if item["entity"] == "Kiosk")
    details = daemon.get(f"/v1/review/{item['id']}")
    assert details["details"]["rivals"] == []
    text = "- [ ] Kiosk.colour: blue [confidence:: low]\n"
    for body in ({"text": text, "digest": "0" * 16}, {"digest": "0" * 16}):
        method, end = ("PUT", "") if "text" in body else ("POST", "/approve")
        assert daemon.ask(method, f"/v1/review/{item['id']}{end}", body).code == "conflict"
    again = daemon.ask("PUT", f"/v1/review/{item['id']}", {"text": text, "digest": item["digest"]}).json["id"]
    blue = next(item for item in daemon.get("/v1/review")["waiting"] if item["id"] == again)
    done = daemon.post(f"/v1/review/{again}/approve", digest=blue["digest"])["decided"][0]
    assert done["action"] == "approved"
    assert "- colour: blue" in (daemon.vault / "semantic/projects.md").read_text(encoding="utf-8")


def test_events_are_numbered_and_only_the_owner_hears_of_files(daemon: Daemon) -> None:
    last = daemon.get("/v1/events")["last"]
    (daemon.vault / "notes").mkdir(exist_ok=True)
    (daemon.vault / "notes/heard.md").write_text("Heard.\n", encoding="utf-8")
    daemon.get("/v1/notes/notes%2Fheard")
    news = daemon.get(f"/v1/events?after={last}")
    assert "notes/heard.md" in [path for event in news["events"] for path in event["paths"]]
    assert [event["number"] for event in news["events"]] == list(range(last + 1, news["last"] + 1))
    assert daemon.get(f"/v1/events?after={news['last'] + 5}")["missed"]
    agents = {"Authorization": f"Bearer {daemon.agents_token}"}
    assert daemon.ask("GET", "/v1/events", headers=agents).code == "forbidden"
    assert daemon.ask("GET", "/v1/events?after=x").code == "input"


def test_a_recall_of_the_owner_may_leave_no_trace(daemon: Daemon) -> None:
    assert daemon.post("/v1/recall", query="boathouse deadline", noted=False)["receipt"] == ""
    agents = {"Authorization": f"Bearer {daemon.agents_token}"}
    refused = daemon.ask("POST", "/v1/recall", {"query": "boathouse", "noted": False}, headers=agents)
    assert refused.code == "forbidden"


def test_a_skill_is_approved_and_rejected_as_by_the_command_line(daemon: Daemon, twin: Path) -> None:
    same(daemon, twin, "POST", "/v1/skills/send-update/approve", None, "skills", "approve", "send-update")
    same(daemon, twin, "POST", "/v1/skills/send-update/reject", None, "skills", "reject", "send-update")


def test_a_skill_runs_dry_and_hosts_are_given_approved_ones_alone(daemon: Daemon) -> None:
    refused = daemon.ask("POST", "/v1/skills/write-to/run", {"params": {"name": "Nora"}})
    assert (refused.status, refused.code) == (400, "input")
    assert daemon.get("/v1/host-skills")["skills"] == []
    daemon.post("/v1/skills/write-to/approve")
    daemon.post("/v1/skills/send-update/approve")
    assert [skill["name"] for skill in daemon.post("/v1/host-skills")["skills"]] == [
        "send-update",
        "write-to",
    ]
    assert [skill["name"] for skill in daemon.get("/v1/host-skills")["skills"]] == ["send-update", "write-to"]
    daemon.post("/v1/skills/send-update/reject")
    assert [skill["name"] for skill in daemon.get("/v1/host-skills")["skills"]] == ["write-to"]
    planned = daemon.post("/v1/skills/write-to/run", params={"name": "Nora"})
    assert [step["tool"] for step in planned["steps"]] == ["send"]
    unknown = daemon.ask("POST", "/v1/skills/write-to/run", {"shell": "ls"})
    assert "'shell'" in unknown.json["error"]["message"]


def test_how_a_skill_went_is_kept_and_told(daemon: Daemon) -> None:
    kept = daemon.post("/v1/skills/send-update/outcome", ok=False, why="it bounced")
    assert (kept["by"], kept["ok"], kept["why"]) == ("person", False, "it bounced")
    assert daemon.get("/v1/skills/send-update")["outcomes"]["last_failure"] == kept
    assert daemon.ask("POST", "/v1/skills/send-update/outcome", {"why": "?"}).status == 400


def test_feedback_is_kept_in_the_ledger(daemon: Daemon, twin: Path) -> None:
    body = {"id": "ep-wind", "rating": 4, "session": "s", "note": "just so"}
    reply = daemon.ask("POST", "/v1/feedback", body)
    assert reply.status == 200, reply
    noted = "".join(path.read_text() for path in daemon.vault.glob("ledger/*/*.jsonl"))
    assert '"event": "rated"' in noted


def test_a_session_has_a_working_memory_until_it_is_cleared(daemon: Daemon) -> None:
    assert daemon.ask("PATCH", "/v1/working/s", {"goal": "find the dowels"}).status == 200
    assert daemon.get("/v1/working/s")["goal"] == "find the dowels"
    refused = daemon.ask("PATCH", "/v1/working/s", {"gaol": "x"})
    assert refused.status == 400
    assert "gaol" in refused.json["error"]["message"]
    assert daemon.ask("DELETE", "/v1/working/s").status == 200
    assert daemon.get("/v1/working/s")["goal"] == ""


def test_a_night_captured_consolidated_reviewed_and_read_again(daemon: Daemon) -> None:
    kept = daemon.post("/v1/capture", turns=[*TALK, {"role": "user", "content": "x"}])
    assert [turn["ok"] for turn in kept["acknowledged"]] == [True, True, False]
    assert daemon.post("/v1/capture", turns=TALK)["acknowledged"][0]["again"] is True
    assert "lantern" in (daemon.vault / "logs/2026-04-19/gate.jsonl").read_text()
    planned = daemon.post("/v1/consolidate", dry_run=True, llm="none")
    assert planned["applied"] is None
    segments = daemon.post("/v1/consolidate", ask=True)["segments"]
    [segment] = [
        segment for segment in segments if segment["segment"].startswith("logs/2026-04-19/gate.jsonl#1-2@")
    ]
    assert "lantern" in segment["prompt"]
    report = {"title": "The gate", "summary": TALK[0]["content"]}
    answers = [{"segment": segment["segment"], "answer": report}, {"segment": 7}]
    read = daemon.post("/v1/consolidate", dry_run=True, answers=answers)
    assert "host" in read["minds"]
    assert read["notices"][0].startswith("answers:2: this is no answer to a segment; write ")
    assert daemon.ask("POST", "/v1/consolidate", {"ask": True, "answers": []}).status == 400
    assert daemon.post("/v1/consolidate", llm="none", mode="propose")["applied"]["proposed"]
    waiting = daemon.get("/v1/review")["waiting"]
    first = waiting[0]["id"]
    assert daemon.get(f"/v1/review/{first}")["differences"][0]["id"] == first
    assert daemon.post(f"/v1/review/{first}/approve")["decided"][0]["action"] == "approved"
    assert daemon.ask("POST", f"/v1/review/{first}/reject").status == 404
    again = daemon.post("/v1/redo", since="2026-04-19", llm="none")
    assert again["waits"] == "these logs give the same result today"


def test_every_address_is_asked_somewhere_here() -> None:
    looked = {path for asked, _ in LOOKS for path in rows_of(asked)}
    assert {(row.method, row.path) for row in ROWS} == {("GET", path) for path in looked} | ELSEWHERE
