"""What other programs hold comes in: once, dated, redacted, with the originals untouched; and a person decides on memories."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Claw, git, put
from exports import (
    BASIC,
    BOAT,
    INSTRUCTIONS,
    KEY,
    MEM0,
    PLAIN,
    START,
    boat_chat,
    chatgpt_zip,
    claude_files,
    message,
    tree,
    zipped,
)
from indexed import until

SESSION = f"chatgpt-{BOAT}"


@pytest.fixture
def claw(tmp_path: Path) -> Claw:
    claw = Claw(tmp_path / "v", XDG_CONFIG_HOME=str(tmp_path / "config"))
    assert claw("init").code == 0
    return claw


def turns(claw: Claw) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted(claw.vault.glob("logs/*/*.jsonl"))
        for line in path.read_text().splitlines()
        if line.strip()
    ]


def tree_of(folder: Path) -> dict[str, bytes]:
    """Every file of a vault but those of git and the index."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {".git", ".memoryclaw"} & set(path.relative_to(folder).parts)
    }


def test_from_a_zip_to_an_answered_question(claw: Claw, tmp_path: Path) -> None:
    path = chatgpt_zip(tmp_path / "export.zip")
    original = path.read_bytes()
    assert claw("import", "chatgpt", path, "--yes").code == 0
    assert claw("consolidate", "--llm", "none").code == 0
    assert "Lund" in claw("recall", "Where does Greta live?").out
    facts = {(row["entity"], row["field"]): row for row in claw("facts", "--json").json["facts"]}
    assert facts["boathouse", "deadline"]["value"] == "2026-12-11"
    assert facts["boathouse", "deadline"]["since"] == "2025-04-08"
    assert path.read_bytes() == original


def test_a_dry_run_tells_everything_and_writes_nothing(claw: Claw, tmp_path: Path) -> None:
    path, before = chatgpt_zip(tmp_path / "export.zip"), tree_of(claw.vault or Path())
    for words in (["--dry-run"], [], ["--json"], ["--dry-run", "--yes"]):
        done = claw("import", "chatgpt", path, *words)
        assert done.code == 0
        assert tree_of(claw.vault or Path()) == before
    report = claw("import", "chatgpt", path, "--json").json
    assert report["dry_run"] is True
    boat = next(
        conversation for conversation in report["conversations"] if conversation["session"] == SESSION
    )
    assert (boat["title"], boat["first"], boat["last"], boat["turns"], boat["new"]) == (
        "Boathouse deadline", "2025-04-08T14:00:00Z", "2025-04-09T14:00:00Z", 9, 9,
    )  # fmt: skip
    assert {proposal["kind"] for proposal in report["proposed"]} == {"fact", "note"}
    assert report["left_out"] == {
        "another branch: an answer or a question that was replaced": 1, "hidden by the host": 1,
        "files that hold neither conversations nor memories": 3,
    }  # fmt: skip
    did = claw("import", "chatgpt", path, "--yes", "--json").json
    assert (did["added"], did["redacted"], len(did["proposed"])) == (
        report["added"],
        report["redacted"],
        len(report["proposed"]),
    )


def test_turns_keep_their_times_roles_and_tools_and_lose_their_secrets(claw: Claw, tmp_path: Path) -> None:
    claw("import", "chatgpt", chatgpt_zip(tmp_path / "export.zip"), "--yes")
    kept = {turn["host_id"]: turn for turn in turns(claw) if turn["session"] == SESSION}
    assert list(kept) == ["m-1", "m-3", "m-4", "m-5", "m-6", "m-6:1", "m-7", "m-8", "m-9"]
    assert kept["m-1"]["ts"] == "2025-04-08T14:00:00Z"
    assert kept["m-6"]["ts"] == kept["m-5"]["ts"]  # it has none of its own
    assert kept["m-6"]["content"] == "What wood is this?"
    assert (kept["m-6:1"]["role"], kept["m-6:1"]["args"]) == ("tool", {"file": "plank.png"})
    assert (kept["m-8"]["role"], kept["m-8"]["tool"], kept["m-8"]["args"]) == ("tool", "web", {"q": "larch"})
    assert "\ue200" not in kept["m-5"]["content"]
    everything = "".join(data.decode(errors="replace") for data in tree_of(claw.vault or Path()).values())
    assert KEY not in everything
    assert "[REDACTED:openai-key:" in kept["m-9"]["content"]
    assert "SECRETTHOUGHT" not in everything
    assert "regenerated" not in everything
    # What a page said is no memory of anybody, and stays untrusted.
    claw("consolidate", "--llm", "none")
    assert "Evil" not in json.dumps(claw("facts", "--json").json)
    matches = claw("search", "kind:turn Evil", "--json").json["matches"]
    assert {match["trust"] for match in matches} <= {"untrusted"}


def test_twice_is_nothing_new_and_a_longer_conversation_brings_its_new_turns(
    claw: Claw, tmp_path: Path
) -> None:
    claw("import", "chatgpt", chatgpt_zip(tmp_path / "one.zip"), "--yes")
    before, head = tree_of(claw.vault or Path()), git(claw.vault or Path(), "rev-parse", "HEAD")
    again = claw("import", "chatgpt", tmp_path / "one.zip", "--yes", "--json").json
    assert (again["added"], again["again"], again["proposed"]) == (0, 10, [])
    assert tree_of(claw.vault or Path()) == before
    assert git(claw.vault or Path(), "rev-parse", "HEAD") == head
    longer = boat_chat(message("m-10", "user", "It moved to 2027-01-05.", create_time=START + 90000))
    done = claw("import", "chatgpt", chatgpt_zip(tmp_path / "two.zip", longer, PLAIN), "--yes", "--json").json
    assert (done["added"], done["again"]) == (1, 10)
    assert [turn["host_id"] for turn in turns(claw)].count("m-1") == 1


@pytest.mark.laws
def test_one_that_was_interrupted_is_made_again(claw: Claw, tmp_path: Path) -> None:
    many = [
        tree(
            f"c-{n:04}",
            f"t{n}",
            [
                message(f"{n}-{k}", "user", f"word{n} said {k}", create_time=START + n * 9000 + k)
                for k in range(15)
            ],
        )
        for n in range(100)
    ]
    path = zipped(tmp_path / "big.zip", {"conversations.json": many})
    running = claw.start("import", "chatgpt", path, "--yes")
    until(
        lambda: sum(path.read_bytes().count(b"\n") for path in (claw.vault or Path()).glob("logs/*/*")) > 50
    )
    running.send_signal(signal.SIGINT)
    assert running.wait(60) in (0, 130)
    done = claw("import", "chatgpt", path, "--yes", "--json").json
    assert done["added"] + done["again"] == 1_500
    assert len({(turn["session"], turn["host_id"]) for turn in turns(claw)}) == len(turns(claw)) == 1_500


def test_what_was_erased_does_not_come_back(claw: Claw, tmp_path: Path) -> None:
    path = chatgpt_zip(tmp_path / "export.zip")
    claw("import", "chatgpt", path, "--yes")
    assert claw("forget", "--purge", "--yes", f"log:chatgpt-{PLAIN['id']}/1").code == 0
    done = claw("import", "chatgpt", path, "--yes", "--json").json
    assert done["left_out"]["forgotten"] == 1
    assert not any("green tea" in str(turn.get("content")) for turn in turns(claw))


def test_marks_keep_their_effect(claw: Claw, tmp_path: Path) -> None:
    said = [
        message("1", "user", "My salary is 90000. [PRIVATE]", create_time=START),
        message("2", "user", "[NOMEM] gone", create_time=START + 1),
        message("3", "user", "The code <private>is 77</private> here [NOEXPORT]", create_time=START + 2),
        message("4", "assistant", "User hates fish. [NOMEM]", recipient="bio", create_time=START + 3),
    ]
    claw("import", "chatgpt", chatgpt_zip(tmp_path / "x.zip", tree("c-1", "t", said)), "--yes")
    kept = {turn["host_id"]: turn for turn in turns(claw)}
    assert kept.keys() == {"1", "3"}
    assert kept["1"]["audience"] == "owner"
    assert (kept["3"]["content"], kept["3"]["export"]) == ("The code [private] here [NOEXPORT]", False)
    assert "fish" not in json.dumps(claw("review", "--json").json)


def test_trees_that_are_odd_are_read_as_far_as_they_go(claw: Claw, tmp_path: Path) -> None:
    plain = tree("c-1", "t", [message("1", "user", "one"), message("2", "assistant", "two")])
    circle = tree("c-2", "t", [message("1", "user", "in a circle"), message("2", "user", "and round")])
    circle["mapping"]["1"]["parent"] = "2"
    lost = {
        **tree("c-3", "t", [message("1", "user", "no end is named", create_time=START)]),
        "current_node": None,
        "create_time": None,
    }
    odd = {
        "mapping": {"a": None, "b": {"message": {"content": {"parts": [None, 3]}}}},
        "title": 5,
        "id": "c-4",
    }
    path = zipped(tmp_path / "x.zip", {"conversations.json": [plain, circle, lost, odd, {}, "text"]})
    done = claw("import", "chatgpt", path, "--yes", "--json")
    assert done.code == 0
    assert sorted(turn["content"] for turn in turns(claw)) == [
        "and round", "in a circle", "no end is named", "one", "two",
    ]  # fmt: skip
    assert done.json["left_out"]["of another form than this program writes"] == 2


def test_claude_brings_conversations_documents_memories_and_projects(claw: Claw, tmp_path: Path) -> None:
    path = zipped(tmp_path / "claude.zip", claude_files())
    done = claw("import", "claude", path, "--yes", "--json").json
    kept = turns(claw)
    assert [(turn["role"], turn.get("tool", "")) for turn in kept] == [
        ("user", ""), ("tool", "attachment"), ("tool", "attachment"), ("assistant", ""), ("tool", "web_search"), ("assistant", ""),
    ]  # fmt: skip
    assert kept[1]["result"] == "The harbour closes at nine."
    assert kept[4]["args"] == {"query": "harbour"}
    assert {turn["ts"] for turn in kept} == {"2025-05-02T09:00:00Z"}
    assert "SECRETTHOUGHT" not in json.dumps(kept)
    assert {proposal["what"] for proposal in done["proposed"]} == {
        "user: Tea is green", "Nora builds boats.", "The kiosk is in Nantes.", "A kiosk by the sea", "The rent is 400.",
    }  # fmt: skip
    assert claw("review", "approve", "--all", "--yes").code == 0
    assert claw("facts", "user", "--json").json["facts"][0]["value"] == "green"
    assert "rent is 400" in claw("search", "rent", "--json").json["matches"][0]["snippet"]
    unpacked = put(tmp_path / "unpacked", {name: json.dumps(value) for name, value in claude_files().items()})
    again = claw("import", "claude", unpacked, "--yes", "--json").json
    assert (again["added"], again["proposed"]) == (0, [])


def test_mem0_memories_wait_and_one_yes_makes_them_memory(claw: Claw, tmp_path: Path) -> None:
    for value in (MEM0, MEM0["results"], {"memories": MEM0["results"]}):
        path = put(tmp_path, {"mem0.json": json.dumps(value)}) / "mem0.json"
        done = claw("import", "mem0", path, "--yes", "--json").json
    waiting = claw("review", "--json").json["waiting"]
    assert done["known"] == 2
    assert done["left_out"] == {"marked [NOMEM]": 1}
    assert [item["what"] for item in waiting] == [
        'nora said: "Nora is allergic to penicillin"',
        'user said: "Prefers morning meetings [PRIVATE]"',
    ]
    assert (
        waiting[0]["why"] == "it stood in mem0's mem0.json, as 892db2ae-06d9-49e5-8b3e-585ef9b85b8e (health)"
    )
    assert claw("review", "approve", waiting[0]["id"]).code == 0
    assert claw("review", "reject", waiting[1]["id"]).code == 0
    assert claw("facts", "nora", "--json").json["facts"][0]["said"] == "2025-06-01"
    assert claw("import", "mem0", tmp_path / "mem0.json", "--yes", "--json").json["proposed"] == []
    private = claw(
        "import",
        "mem0",
        put(tmp_path, {"p.json": json.dumps([{"memory": "Owes Kim 5 [PRIVATE]"}])}) / "p.json",
        "--yes",
    )
    assert private.code == 0
    assert "[audience:: owner]" in (claw.vault / "semantic/_pending.md").read_text()  # type: ignore[operator]


def test_basic_memory_notes_wait_and_keep_their_links_and_bytes(claw: Claw, tmp_path: Path) -> None:
    folder = put(tmp_path / "basic", BASIC)
    assert claw("import", "basic-memory", folder, "--yes").code == 0
    assert not list((claw.vault or Path()).glob("notes/**/*.md"))
    assert claw("review", "approve", "--all", "--yes").code == 0
    for name in list(BASIC)[:2]:
        assert (claw.vault / "notes/basic-memory" / name).read_text() == BASIC[name]  # type: ignore[operator]
    links = claw("links", "notes/basic-memory/brewing/Coffee Brewing Methods", "--json").json
    assert links["out"][0]["to"] == "notes/basic-memory/brewing/Coffee Bean Origins"
    assert claw("import", "basic-memory", folder, "--yes", "--json").json["proposed"] == []


def test_a_memory_md_waits_line_by_line(claw: Claw, tmp_path: Path) -> None:
    text = "# MEMORY.md\n\n## Preferences\n- Tea: green\n\n## Boathouse\n- Deadline: 2026-12-11\n\nThe larch came from Silkeborg.\n"
    path = put(tmp_path, {"ws/MEMORY.md": text}) / "ws/MEMORY.md"
    done = claw("import", "memory-md", path, "--yes", "--json").json
    assert {proposal["what"] for proposal in done["proposed"]} == {
        "user: Tea is green",
        "Boathouse: Deadline is 2026-12-11",
        "The larch came from Silkeborg.",
    }
    assert claw("review", "--json").json["waiting"][0]["why"] == "it stood in MEMORY.md's MEMORY.md, line 4"


def test_a_persons_own_notes_are_copied_as_they_are_and_one_undo_takes_them_back(
    claw: Claw, tmp_path: Path
) -> None:
    notes = {
        "Zwetschgen.md": "\ufeff# Zwetschgen\r\n\r\nReif im September, kein Ende".encode(), "deep/茶.md": "# 茶\n", "broken.md": "---\na: [1\n---\n",
        "key.md": f"api_key = {KEY}\r\nmore\r\n", "empty.md": b"", "wide.md": "wide ü".encode("utf-16"), "pic.png": b"x", ".obsidian/a.md": "x",
    }  # fmt: skip
    folder = put(tmp_path / "My Notes", notes)
    vault = claw.vault or Path()
    before = tree_of(vault)
    done = claw("import", "markdown", folder, "--yes", "--json").json
    assert (len(done["notes"]), done["left_out"]) == (6, {"files that are not Markdown": 1})
    for name in ("Zwetschgen.md", "deep/茶.md", "broken.md", "empty.md", "wide.md"):
        data = notes[name]
        assert (vault / "notes/My Notes" / name).read_bytes() == (
            data if isinstance(data, bytes) else data.encode()
        )
    clean = (vault / "notes/My Notes/key.md").read_bytes()
    assert clean.startswith(b"api_key = [REDACTED:openai-key:")
    assert clean.endswith(b"]\r\nmore\r\n")
    assert git(vault, "status", "--short") == ""
    (vault / "notes/My Notes/empty.md").write_text("mine now\n")
    again = claw("import", "markdown", folder, "--yes", "--json").json
    assert (again["notes"], again["known"]) == ([], 6)
    assert any("empty.md is there already and says something else" in notice for notice in again["notices"])
    (vault / "notes/My Notes/empty.md").write_text("")
    assert claw("undo", done["commit"]).code == 0
    assert tree_of(vault) == before


AIDER = """
# aider chat started at 2026-05-01 10:00:00

> Aider v0.86.0

#### /add crane.py

#### /ask Which crane do we book?\x20\x20
#### The yard opens on 2026-05-09.\x20\x20

Book the small one:

```markdown
#### a heading of a file, and no word of anybody
> nor is this
```

> Tokens: 2.1k sent, 300 received.

#### Thanks.

# aider chat started at 2026-05-02 09:00:00

> Aider v0.86.0

"""


def test_a_history_of_aider_is_a_session_a_start_and_grows(claw: Claw, tmp_path: Path) -> None:
    folder = put(tmp_path / "boat", {".aider.chat.history.md": AIDER.replace("Thanks.\n", "")})
    assert claw("import", "aider", folder, "--yes").code == 0
    put(folder, {".aider.chat.history.md": AIDER})
    done = claw("import", "aider", folder / ".aider.chat.history.md", "--yes", "--json").json
    assert (done["added"], done["again"], done["left_out"]) == (1, 5, {"conversations without a word": 1})
    kept = turns(claw)
    assert {(turn["session"], turn["ts"]) for turn in kept} == {
        ("aider-2026-05-01_10-00-00", "2026-05-01T10:00:00Z")
    }
    assert [(turn["role"], turn.get("content", "").partition("\n")[0]) for turn in kept] == [
        ("tool", ""), ("tool", ""), ("user", "Which crane do we book?"), ("assistant", "Book the small one:"), ("tool", ""), ("user", "Thanks."),
    ]  # fmt: skip
    assert "a heading of a file" in kept[3]["content"]
    path = put(tmp_path, {"other.md": "# Notes\n"}) / "other.md"
    assert "written as aider exports it" in claw("import", "aider", path, "--yes").err


@pytest.mark.parametrize(
    ("kind", "files", "message"),
    [
        ("claude", {"conversations.json": [boat_chat()]}, "nothing in .* is written as Claude exports it"),
        (
            "chatgpt",
            {"conversations.json": claude_files()["conversations.json"]},
            "nothing in .* is written as ChatGPT exports it",
        ),
        ("chatgpt", {"user.json": {}}, "there is no ChatGPT export in"),
        ("markdown", {"a.json": {}}, "there are no Markdown files in"),
        ("memory-md", {"a.json": {}}, "there are no Markdown files in"),
    ],
)
def test_what_is_of_another_program_is_refused_in_one_sentence(
    claw: Claw, tmp_path: Path, kind: str, files: dict[str, Any], message: str
) -> None:
    done = claw("import", kind, zipped(tmp_path / "x.zip", files), "--yes")
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert re.search(message, done.err)
    assert turns(claw) == []


def test_what_is_broken_is_told_and_the_rest_comes(claw: Claw, tmp_path: Path) -> None:
    path = (
        put(tmp_path, {"x.json": json.dumps([PLAIN])[:-1] + ",\n{nope},\n" + json.dumps(boat_chat()) + "]"})
        / "x.json"
    )
    done = claw("import", "chatgpt", path, "--yes", "--json")
    assert done.code == 1
    assert [(problem["path"], problem["line"]) for problem in done.json["problems"]] == [("x.json", 2)]
    assert len(turns(claw)) == 10


def test_the_vault_does_not_import_itself(claw: Claw, tmp_path: Path) -> None:
    assert "lies in the vault" in claw("import", "markdown", claw.vault or "", "--yes").err
    assert "the vault itself lies in" in claw("import", "markdown", tmp_path, "--yes").err
    claw("remember", "Bern", "--entity", "Anna", "--field", "city")
    claw("export", "memory-md", tmp_path / "MEMORY.md")
    done = claw("import", "memory-md", tmp_path / "MEMORY.md", "--yes", "--json").json
    assert (done["proposed"], done["left_out"]) == ([], {"written by MemoryClaw itself": 1})


def test_instructions_that_stand_in_every_conversation_wait_once(claw: Claw, tmp_path: Path) -> None:
    chats: Iterator[dict[str, Any]] = (
        tree(f"c-{n}", "t", [INSTRUCTIONS, message(f"{n}", "user", f"hello {n}", create_time=START)])
        for n in range(5)
    )
    done = claw("import", "chatgpt", chatgpt_zip(tmp_path / "x.zip", *chats), "--yes", "--json").json
    assert [proposal["what"] for proposal in done["proposed"]] == [
        "I build boats in Aarhus.",
        "Answer briefly.",
    ]
    assert git(claw.vault or Path(), "log", "-1", "--format=%s") == "Waits for review: 2 from x.zip\n"
