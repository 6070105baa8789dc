"""At run time nothing is fetched: no verb opens a connection, asks for an address or starts a program but git, unless its settings name one."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import STUDIO, put

ROOT = Path(__file__).resolve().parents[2]
WATCHED = """
import json, os, sys
seen = []
def ear(event, args):
    if event.startswith(("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.", "http.client", "ftplib", "smtplib")):
        seen.append([event, repr(args)[:200]])
    elif event in ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec"):
        words = [os.fsdecode(word) for word in (args[1] if event == "subprocess.Popen" else args[:1])]
        seen.append([event, " ".join(words)])
    elif event == "import" and args[0].split(".")[0] in ("pip", "ensurepip", "urllib3", "huggingface_hub", "requests"):
        seen.append([event, args[0]])
sys.addaudithook(ear)
from pathlib import Path
from memoryclaw.app import App, init_vault, survey_vault
root = Path(sys.argv[1])
init_vault(root, commit=survey_vault(root).untracked)
with App(root) as app:
    app.sync()
    app.search("boathouse deadline")
    app.recall("what does the rowing club want?")
    app.remember("red", entity="Boathouse", field="colour")
    done = app.remember("A note")
    app.claim("Dana", entity="Boathouse", field="lead", tool="t")
    app.capture([{"session": "s", "turn": 1, "role": "user", "content": "The deadline of Boathouse is now 2026-12-18."}])
    app.consolidate(llm="none")
    app.review.list(); app.history(); app.doctor(); app.status(); app.reindex(); app.skills.list()
    app.undo(done.commit)
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    root = put(tmp_path_factory.mktemp("offline") / "vault", STUDIO)
    done = subprocess.run([sys.executable, "-c", WATCHED, root], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_no_verb_opens_a_connection(seen: list[list[str]]) -> None:
    assert not [
        event for event in seen if event[0].startswith(("socket", "urllib", "http", "ftplib", "smtplib"))
    ]


def test_no_verb_starts_a_program_but_git_or_loads_what_fetches(seen: list[list[str]]) -> None:
    started = [event[1] for event in seen if event[0] != "import"]
    assert started, "not even git was started: this shows nothing"
    assert not [
        words for words in started if "git" not in words.split()[0:8:1][0] and " git " not in f" {words} "
    ], started
    assert not [
        words
        for words in started
        if {"clone", "fetch", "pull", "push", "submodule", "remote"} & set(words.split())
    ]
    assert not [event for event in seen if event[0] == "import"]


def test_every_dependency_comes_from_the_registry_by_name_and_none_by_address() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [
        *project["dependencies"],
        *(requirement for some in project["optional-dependencies"].values() for requirement in some),
    ]
    assert asked
    assert not [
        requirement
        for requirement in asked
        if "@" in requirement or "://" in requirement or "git+" in requirement
    ]
