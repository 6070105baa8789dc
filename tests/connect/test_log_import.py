from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from recorded import recorder, turns

from memoryclaw.connect.logs import import_logs
from memoryclaw.errors import InputError

MARKDOWN = """---
session: boats
timestamp: 2025-04-08T14:30:00Z
---
### user (2025-04-08T14:30:00Z)
Book the crane. password: hunter2

### assistant (2025-04-08T14:31:00Z)
Booked for Thursday.
"""
OPENCLAW = [
    {"type": "session", "version": 3, "id": "5f1c", "timestamp": "2025-05-01T09:00:00Z", "cwd": "/"},
    {"type": "model_change", "id": "m0", "timestamp": "2025-05-01T09:00:00Z", "provider": "p", "modelId": "m"},
    {"type": "message", "id": "m1", "parentId": None, "timestamp": "2025-05-01T09:00:01Z", "message": {"role": "user", "content": "[Thu 2025-05-01 09:00 UTC] list the plans", "timestamp": 1746090001000}},
    {"type": "message", "id": "m2", "parentId": "m1", "timestamp": "2025-05-01T09:00:02Z", "message": {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "toolCall", "id": "call_1", "name": "exec", "arguments": {"command": "ls"}}]}},
    {"type": "message", "id": "m3", "parentId": "m2", "timestamp": "2025-05-01T09:00:03Z", "message": {"role": "toolResult", "toolCallId": "call1", "toolName": "exec", "content": [{"type": "text", "text": "a.pdf"}], "isError": False}},
    {"type": "message", "id": "m4", "parentId": "m3", "timestamp": "2025-05-01T09:00:04Z", "message": {"role": "assistant", "content": [{"type": "text", "text": "One plan: a.pdf"}], "stopReason": "stop"}},
    {"type": "compaction", "id": "m5", "timestamp": "2025-05-01T10:00:00Z", "summary": "plans"},
]  # fmt: skip


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "deep").mkdir(parents=True)
    (folder / "2025-04-08.md").write_text(MARKDOWN)
    (folder / "deep/5f1c.jsonl").write_text("".join(json.dumps(record) + "\n" for record in OPENCLAW))
    (folder / "plain.jsonl").write_text('{"role": "user", "content": "no time"}\n\nnot json\n')
    (folder / ".hidden.md").write_text(MARKDOWN)
    (folder / "notes.txt").write_text("x")
    os.utime(folder / "plain.jsonl", (1735689600, 1735689600))
    return folder


def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    root.mkdir(exist_ok=True)
    return root


def bring(root: Path, source: Path, **options):
    return import_logs(recorder(root), str(root), str(source), **options)


def test_logs_of_every_format_become_turns_of_ours(tmp_path, source):
    root = vault(tmp_path)
    done = bring(root, source)
    assert (done.files, done.added, done.redacted) == (3, 7, 1)
    by_id = {turn.id: turn for turn in turns(root)}
    assert by_id["log:boats/2"].text == "Booked for Thursday."
    assert by_id["log:boats/2"].ts == "2025-04-08T14:31:00Z"
    assert by_id["log:5f1c/1"].text == "list the plans"
    assert by_id["log:5f1c/3"].text == 'exec {"command": "ls"} → a.pdf'
    assert by_id["log:5f1c/4"].role == "assistant"
    assert by_id["log:plain/1"].ts == "2025-01-01T00:00:00Z"
    assert [(Path(p.path).name, p.line) for p in done.problems] == [("plain.jsonl", 3)]


def test_a_second_import_adds_nothing_and_what_grew_adds_what_is_new(tmp_path, source):
    root = vault(tmp_path)
    bring(root, source)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    again = bring(root, source)
    assert (again.added, again.again) == (0, 7)
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
    with (source / "2025-04-08.md").open("a") as file:
        file.write("\n### user (2025-04-08T14:40:00Z)\nThanks.\n")
    assert bring(root, source / "2025-04-08.md").added == 1


def test_files_of_one_name_in_two_folders_are_both_imported(tmp_path):
    for day, text in (("2025-04-08", "one"), ("2025-04-09", "two")):
        folder = tmp_path / "source" / day
        folder.mkdir(parents=True)
        (folder / "s1.md").write_text(f"### user\n{text}\n")
        (folder / "s1.jsonl").write_text(json.dumps({"role": "user", "content": f"{text} more"}) + "\n")
    root = vault(tmp_path)
    assert bring(root, tmp_path / "source").added == 4
    assert {(turn.ts[:10], turn.text) for turn in turns(root)} == {
        ("2025-04-08", "one"), ("2025-04-09", "two"), ("2025-04-08", "one more"), ("2025-04-09", "two more"),
    }  # fmt: skip


def test_the_source_is_only_read_and_no_secret_comes_along(tmp_path, source):
    root = vault(tmp_path)
    before = {
        path: (path.read_bytes(), path.stat().st_mtime_ns) for path in source.rglob("*") if path.is_file()
    }
    for path in before:
        path.chmod(0o400)
    bring(root, source)
    assert {
        path: (path.read_bytes(), path.stat().st_mtime_ns) for path in source.rglob("*") if path.is_file()
    } == before
    assert all(b"hunter2" not in path.read_bytes() for path in root.rglob("*") if path.is_file())


def test_progress_is_told_file_by_file(tmp_path, source):
    steps: list[tuple[int, int]] = []
    bring(vault(tmp_path), source, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 3), (2, 3), (3, 3)]


def test_the_vaults_own_logs_and_missing_paths_are_refused(tmp_path):
    root = vault(tmp_path)
    (root / "logs").mkdir()
    with pytest.raises(InputError, match="own logs"):
        bring(root, root / "logs")
    with pytest.raises(InputError, match="no file or folder"):
        bring(root, tmp_path / "nowhere")


def test_a_first_line_of_an_odd_type_is_read_as_any_other(tmp_path):
    (tmp_path / "odd.jsonl").write_text('{"type": ["a"], "role": "user", "content": "Book the crane."}\n')
    assert bring(vault(tmp_path), tmp_path / "odd.jsonl").added == 1


def test_a_year_of_turns_comes_in(tmp_path):
    (tmp_path / "big.jsonl").write_text(
        "".join(
            json.dumps({"role": "user", "content": f"turn {n}", "ts": 1735689600 + n * 600}) + "\n"
            for n in range(800)
        )
    )
    assert bring(vault(tmp_path), tmp_path / "big.jsonl").added == 800
