from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import secretset
from recorded import recorder, turns

from memoryclaw.app import open_vault
from memoryclaw.capture.capture import SESSIONS, Recorder
from memoryclaw.errors import InputError
from memoryclaw.text.prompts import fence_block, item

ROOT = Path(__file__).resolve().parents[2]


def take(recording: Recorder, *messages: object, session: str = "s"):
    lines = [m if isinstance(m, str) else json.dumps(m) for m in messages]
    return recording.capture(lines, session=session)


def test_an_acknowledged_line_is_a_turn_that_the_vault_reads(tmp_path):
    done = take(
        recorder(tmp_path),
        {"role": "user", "name": "Nora", "content": "Thursday, after Henrik."},
        {"tool": "send", "args": {"to": "Henrik"}, "result": "sent", "ok": True},
    )
    assert [(a.ok, a.id) for a in done] == [(True, "log:s/1"), (True, "log:s/2")]
    first, second = turns(tmp_path)
    assert (first.id, first.role, first.name, first.text, first.ts) == ("log:s/1", "user", "Nora", "Thursday, after Henrik.", "2026-11-21T10:15:00Z")  # fmt: skip
    assert (second.id, second.role, second.text) == ("log:s/2", "tool", 'send {"to": "Henrik"} → sent')


def test_a_bad_line_is_told_with_its_number_and_stops_no_other(tmp_path):
    done = take(
        recorder(tmp_path),
        {"content": "one"},
        "{",
        "",
        {"content": "x", "ts": "soon"},
        "[" * 100_000,
        {"content": "two"},
    )
    assert [(a.line, a.ok) for a in done] == [(1, True), (2, False), (4, False), (5, False), (6, True)]
    assert all(a.error and "\n" not in a.error for a in done if not a.ok)
    assert [turn.text for turn in turns(tmp_path)] == ["one", "two"]


def test_a_line_without_a_session_is_refused(tmp_path):
    [done] = take(recorder(tmp_path), {"content": "x"}, session="")
    assert "--session" in done.error
    assert not list(tmp_path.glob("logs/*/*"))


@pytest.mark.parametrize(
    "line",
    [
        {"turn": 7, "content": "x"},
        {"turn": "t-7", "content": "x", "ts": "2026-01-01T00:00:00Z"},
        {"id": "host-1", "content": "x"},
        {"content": "x", "ts": 1712586730000},
        {"turn": 8, "content": "password: hunter2 " + "y" * 20_000},
    ],
)
def test_the_same_line_is_kept_once_by_this_recorder_and_by_the_next(tmp_path, line):
    recording = recorder(tmp_path)
    [first] = take(recording, line)
    again = [*take(recording, line), *take(recorder(tmp_path, b"a new key"), line, line)]
    assert [(a.ok, a.again, a.id) for a in again] == [(True, True, first.id)] * 3
    assert len(turns(tmp_path)) == 1


def test_lines_that_only_look_alike_are_all_kept(tmp_path):
    recording = recorder(tmp_path)
    take(
        recording,
        {"content": "yes"},
        {"content": "yes"},
        {"content": "yes", "id": "a"},
        {"content": "yes", "id": "b"},
    )
    take(
        recording,
        {"content": "yes", "ts": "2026-01-01T00:00:00Z"},
        {"content": "yes", "ts": "2026-01-01T00:00:01Z"},
    )
    assert sorted(turn.turn for turn in turns(tmp_path)) == ["1", "2", "3", "4", "5", "6"]


def test_a_turn_that_is_taken_is_not_taken_twice_and_nothing_is_lost_silently(tmp_path):
    recording = recorder(tmp_path)
    [first, second] = take(recording, {"turn": 1, "content": "one"}, {"turn": 1, "content": "another"})
    assert first.ok
    assert "says something else" in second.error


def test_turns_are_numbered_on_over_days_processes_and_lines_of_others(tmp_path):
    take(
        recorder(tmp_path),
        {"content": "a", "ts": "2026-01-01T00:00:00Z"},
        {"content": "b", "ts": "2026-01-02T23:59:59-05:00"},
    )
    with (tmp_path / "logs/2026-01-01/s.jsonl").open("a") as file:
        file.write('{"session": "s", "turn": 40, "role": "user", "content": "by another program"}\n')
    [done] = take(recorder(tmp_path), {"content": "c"})
    assert done.id == "log:s/41"
    assert sorted(path.parent.name for path in tmp_path.glob("logs/*/s.jsonl")) == [
        "2026-01-01",
        "2026-01-03",
        "2026-11-21",
    ]


def test_a_line_that_somebody_appends_by_hand_between_two_batches_is_known(tmp_path):
    recording = recorder(tmp_path)
    take(recording, {"content": "one"})
    with open(tmp_path / "logs/2026-11-21/s.jsonl", "a") as log:
        log.write(
            '{"ts": "2026-11-21T10:15:00Z", "session": "s", "turn": 2, "role": "user", "content": "by hand"}\n'
        )
    [again, new] = take(recording, {"turn": 2, "content": "by hand"}, {"content": "three"})
    assert (again.again, again.id, new.id) == (True, "log:s/2", "log:s/3")
    assert [turn.text for turn in turns(tmp_path)] == ["one", "by hand", "three"]


def test_a_torn_line_is_not_counted_as_a_turn_that_is_known(tmp_path):
    recording = recorder(tmp_path)
    take(recording, {"content": "one"})
    with open(tmp_path / "logs/2026-11-21/s.jsonl", "a") as log:
        log.write('{"ts": "2026-11-21T10:15:00Z", "sess')
    assert [done.id for done in take(recording, {"content": "two"}, {"content": "three"})] == [
        "log:s/2",
        "log:s/3",
    ]
    assert [
        done.again for done in take(recording, {"turn": 2, "content": "two"}, {"turn": 3, "content": "three"})
    ] == [True] * 2


def test_more_sessions_than_are_kept_in_mind_lose_and_double_nothing(tmp_path):
    recording = recorder(tmp_path)
    said = [
        {"session": f"s{n % (3 * SESSIONS)}", "id": f"h{n}", "content": f"line {n}"}
        for n in range(8 * SESSIONS)
    ]
    for start in range(0, len(said), SESSIONS):
        assert all(done.ok and not done.again for done in take(recording, *said[start : start + SESSIONS]))
    assert all(done.again for done in take(recording, *said))
    assert sorted(turn.text for turn in turns(tmp_path)) == sorted(str(line["content"]) for line in said)


def test_sessions_with_unsafe_names_get_files_of_their_own(tmp_path):
    names = ["agent:main:u1", "agent/main/u1", "../../outside", "Ümlaut 栗", "s"]
    (tmp_path / "v").mkdir()
    for name in names:
        [done] = take(recorder(tmp_path / "v"), {"content": "x"}, session=name)
        assert done.id == f"log:{name}/1"
    assert len(list((tmp_path / "v/logs/2026-11-21").iterdir())) == len(names)
    assert [path.name for path in tmp_path.iterdir()] == ["v"]


def test_what_was_marked_private_never_reaches_the_disk(tmp_path):
    done = take(
        recorder(tmp_path),
        {"content": "[NOMEM] the surprise party"},
        {"content": "The code is <private>tulip seventeen</private>, thanks"},
        {"tool": "note", "args": {"text": "<private>tulip seventeen</private>"}, "result": "ok"},
    )
    assert (done[0].ok, done[0].id, done[0].left_out) == (True, "", "marked [NOMEM]")
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"surprise" not in kept
    assert b"tulip" not in kept
    assert b"[private]" in kept


def test_a_transcript_that_holds_our_own_recalled_block_brings_nothing_of_it_back(tmp_path):
    block = fence_block([("trusted", [item("semantic/a#b.c", "the boat is blue")])])
    done = take(
        recorder(tmp_path),
        {"role": "user", "content": f"{block}\n\nWhat colour is it?"},
        {"role": "user", "content": [{"type": "text", "text": block}]},
        {"role": "tool", "tool": "memory_search", "args": {"query": "boat"}, "result": "the boat is blue"},
    )
    assert [turn.text for turn in turns(tmp_path)] == [
        "What colour is it?",
        'memory_search {"query": "boat"} → [recalled memory]',
    ]
    assert done[1].left_out


def test_a_megabyte_of_result_makes_a_short_line_and_a_whole_artifact(tmp_path):
    text = "row of the table\n" * 65_000
    [done] = take(recorder(tmp_path), {"tool": "query", "result": text})
    assert done.ok
    [path] = (tmp_path / "logs/artifacts").iterdir()
    assert path.read_text() == text
    [log] = tmp_path.glob("logs/*/s.jsonl")
    assert log.stat().st_size < 10_000


def test_a_full_disk_is_told_and_the_line_can_be_sent_again(tmp_path):
    """A file size limit stands for the full disk."""
    code = (
        "import resource, signal, sys, json; from pathlib import Path; sys.path.insert(0, sys.argv[2]); import test_capture as t\n"
        "one = t.recorder(Path(sys.argv[1])); t.take(one, {'content': 'a', 'turn': 1})\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (150, resource.RLIM_INFINITY))\n"
        "[bad] = t.take(one, {'content': 'b' * 500, 'turn': 2}); resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)\n"
        "[good] = t.take(one, {'content': 'b' * 500, 'turn': 2}); print(json.dumps([bad.ok, bad.error, good.ok, good.again]))"
    )
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests")))
    ran = subprocess.run([sys.executable, "-c", code, tmp_path, Path(__file__).parent], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    bad, error, good, again = json.loads(ran.stdout)
    assert (bad, good, again) == (False, True, False)
    assert "could not be written" in error
    log = next(tmp_path.glob("logs/*/s.jsonl")).read_text()
    assert [json.loads(line)["turn"] for line in log.splitlines() if line.endswith("}")] == [1, 2]


@pytest.mark.laws
def test_two_processes_capture_one_session_without_loss_or_a_turn_given_twice(tmp_path):
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[3]); import test_capture as t\n"
        "one = t.recorder(Path(sys.argv[1]))\n"
        "for n in range(40):\n    [a] = t.take(one, {'content': f'{sys.argv[2]} {n}'}); print(a.id)"
    )
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests")))
    started = [
        subprocess.Popen([sys.executable, "-c", code, tmp_path, who, Path(__file__).parent], env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, text=True)
        for who in "ab"
    ]  # fmt: skip
    ids = [line for process in started for line in process.communicate()[0].split()]
    kept = turns(tmp_path)
    assert len(set(ids)) == 80
    assert sorted(turn.id for turn in kept) == sorted(ids)
    assert {turn.text for turn in kept} == {f"{who} {n}" for who in "ab" for n in range(40)}


def test_no_fake_secret_is_anywhere_in_the_vault_after_capture_and_sync(vault_of, monkeypatch, tmp_path):
    """Logs, artifacts, index and everything else below the folder, byte by byte."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = vault_of({"memoryclaw.yaml": ""})
    samples = list(secretset.samples(7, secretset.HELD_OUT, 3))
    lines = [json.dumps(_carried(n, sample)) for n, sample in enumerate(samples)]
    app = open_vault(root)
    assert all(done.ok for done in app.capture(lines, session="s"))
    app.sync()
    app.close()
    everything = b"\n".join(path.read_bytes() for path in root.rglob("*") if path.is_file()).decode(
        "utf-8", "replace"
    )
    survived = [s for s in samples if any(part in everything for part in _parts(s))]
    assert [s.kind for s in survived if s.prefixed] == []
    assert len(survived) <= len(samples) * 0.02


def _carried(number: int, sample: secretset.Sample):
    """A line as different hosts would bring it."""
    text = sample.line
    shapes = (
        {"role": "user", "content": text},
        {"role": "assistant", "content": [{"type": "text", "text": text}]},
        {"tool": "read", "args": {"path": "a"}, "result": text},
        {"tool": "exec", "args": {"command": text}, "result": "ok"},
        {"tool": "fetch", "result": f"{text}\n" + "filler " * 2000},
        {
            "role": "assistant",
            "content": [
                {"type": "toolCall", "id": str(number), "name": "write", "arguments": {"text": text}}
            ],
        },
    )
    return shapes[number % len(shapes)]


def _parts(sample: secretset.Sample):
    if "\n" in sample.secret:
        return [line for line in sample.secret.split("\n") if len(line) > 24 and not line.startswith("-----")]
    return [sample.secret] if len(sample.secret) > 7 and sample.secret not in secretset.WORDS else []


def test_a_line_with_a_key_twice_is_refused_and_the_others_are_kept(studio: Path) -> None:
    twice = '{"role": "user", "content": "one", "content": "two"}'
    with open_vault(studio) as app:
        refused, kept = app.capture([twice, '{"role": "user", "content": "three"}'], session="s")
    assert (refused.ok, kept.ok) == (False, True)
    assert "'content' is given twice" in refused.error


def test_a_turn_with_a_number_out_of_all_bounds_is_no_number_to_count_on_from(studio: Path) -> None:
    turns = [
        '{"turn": 99999999999999999999, "role": "user", "content": "a"}',
        '{"role": "user", "content": "b"}',
    ]
    with open_vault(studio) as app:
        assert [done.id for done in app.capture(turns, session="s")] == [
            "log:s/99999999999999999999",
            "log:s/1",
        ]


def test_a_turn_may_be_a_mapping_and_is_kept_as_its_line_would_be(studio: Path) -> None:
    turn = {"role": "user", "content": "Thursday, after Henrik.", "ts": "2026-04-19T09:00:00Z"}
    frozen = MappingProxyType(
        {**turn, "content": [MappingProxyType({"type": "text", "text": "And Friday."})]}
    )
    with open_vault(studio) as app:
        kept, known, other = app.capture([turn, json.dumps(turn), frozen], session="monday")
    assert (kept.id, known.id, known.again, other.id) == (
        "log:monday/1", "log:monday/1", True, "log:monday/2",
    )  # fmt: skip
    lines = (studio / "logs/2026-04-19/monday.jsonl").read_text().splitlines()
    assert [json.loads(line)["content"] for line in lines] == ["Thursday, after Henrik.", "And Friday."]


@pytest.mark.parametrize(
    "odd", [None, 7, b"{}", ["role"], {"content": object()}, {"content": {1, 2}}, {(1,): 2}]
)
def test_what_is_no_turn_is_refused_in_a_sentence_and_the_others_are_kept(studio: Path, odd: Any) -> None:
    with open_vault(studio) as app:
        refused, kept = app.capture([odd, {"role": "user", "content": "kept"}], session="s")
    assert (refused.ok, refused.line, kept.ok) == (False, 1, True)
    assert refused.error


def test_one_turn_that_is_in_no_list_is_told_to_go_into_one(studio: Path) -> None:
    with open_vault(studio) as app:
        for alone in ({"role": "user", "content": "x"}, '{"role": "user", "content": "x"}'):
            with pytest.raises(InputError, match="into a list"):
                app.capture(alone, session="s")
    assert not list(studio.glob("logs/*/s.jsonl"))
