"""What is marked [NOEXPORT], and what was made of it, never leaves; every other byte does."""

from __future__ import annotations

import json

import pytest

from memoryclaw.vault.export_gate import exportable_bytes, withheld_names

SECRET = b"---\nid: ep-1\nexport: false\n---\n\n- Nora: the code is 77 ^l1\n"
LOG = "logs/2026-02-01/s1.jsonl"
TURNS = [
    {"session": "s1", "turn": 1, "role": "user", "content": "The code is 77", "export": False},
    {"session": "s1", "turn": 2, "role": "assistant", "content": "77, noted"},
    {"session": "s1", "turn": 3, "role": "user", "content": "Tea, please"},
]
DATA = "".join(json.dumps(turn) + "\n" for turn in TURNS).encode()
CITED = {"ep-1", LOG}


def test_a_note_and_a_turn_that_stay_are_named() -> None:
    assert withheld_names("episodes/a.md", SECRET) == {"ep-1"}
    assert withheld_names(LOG, DATA) == {LOG}
    assert withheld_names("archive/" + LOG, DATA) == {LOG}
    assert withheld_names("notes/a.md", b"export: false is what I wrote here") == set()
    assert (
        withheld_names("logs/2026-02-01/s2.jsonl", b'{"role": "user", "content": "we export boats"}\n')
        == set()
    )


def test_turns_and_their_answers_become_empty_lines_and_the_others_keep_their_bytes() -> None:
    left = exportable_bytes(LOG, DATA, CITED)
    assert left == b"\n\n" + DATA.split(b"\n")[2] + b"\n"
    markdown = b"### user\nhello\n\n### user\nthe code [NOEXPORT]\n\n### assistant\nok\n"
    kept = exportable_bytes("logs/2026-02-01/m.md", markdown, CITED)
    assert kept is not None
    assert kept.split() == [b"###", b"user", b"hello"]


@pytest.mark.parametrize(
    "data",
    [SECRET, SECRET.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + SECRET, SECRET.decode().encode("utf-16")],
)
def test_a_note_that_stays_does_so_in_every_encoding(data: bytes) -> None:
    assert exportable_bytes("episodes/a.md", data, set()) is None


def test_a_mark_in_a_note_covers_what_a_label_covers() -> None:
    data = b"# Harbour\n\n- open\n- code [NOEXPORT]\n  - 77\n- tea\n\n## Inner [NOEXPORT]\n\nhidden\n\n# Other\n\nseen\n"
    assert (
        exportable_bytes("notes/a.md", data, set())
        == b"# Harbour\n\n- open\n\n\n- tea\n\n\n\n\n\n# Other\n\nseen\n"
    )


def test_facts_that_rest_on_it_stay_and_mere_links_leave() -> None:
    data = (
        b'# Nora\n- code: 77 [source:: [[ep-1#^l1]]]\n- tea: green [source:: [[ep-10#^l1]]]\n- "77" [said:: 2026-02-01] [source:: [[ep-2]], [[ep-1#^l1]]]\n\n'
        b"## History\n- code: 76 [source:: [[ep-1|x]]]\n"
    )
    left = exportable_bytes("semantic/people.md", data, CITED)
    assert left is not None
    assert b"77" not in left
    assert b"76" not in left
    assert b"- tea: green [source:: [[ep-10#^l1]]]\n" in left
    assert left.count(b"\n") == data.count(b"\n")
    pending = b'# Waiting\n\n- [ ] Nora.code: 77 [confidence:: low] [source:: [[ep-1#^l1]]]\n  - why: Nora said: "77"\n- [ ] Nora.tea: green\n'
    left = exportable_bytes("semantic/_pending.md", pending, CITED)
    assert left is not None
    assert b"77" not in left
    assert b"tea" in left
    link = b"See [[ep-1]] of that day.\n"
    assert exportable_bytes("notes/a.md", link, CITED) == link


def test_a_proposal_stays_and_a_record_keeps_only_what_it_read_elsewhere() -> None:
    assert (
        exportable_bytes("review/fact-1.md", f"source: {LOG}#1-2@0123456789abcdef\ncode 77\n".encode(), CITED)
        is None
    )
    other = "logs/2026-02-01/s2.jsonl#1-1@0123456789abcdef"
    record = {
        "run": "r", "at": "t", "ranges": [f"{LOG}#1-3@0123456789abcdef", other], "episodes": {"ep-1": f"{LOG}#1-3@0123456789abcdef", "ep-2": other},
        "decided": [{"value": "77"}],
    }  # fmt: skip
    left = exportable_bytes("runs/r.json", json.dumps(record).encode(), CITED)
    assert json.loads(left or b"") == {"run": "r", "at": "t", "ranges": [other], "episodes": {"ep-2": other}}
    assert exportable_bytes("runs/r.json", b"{broken ep-1", CITED) is None
    assert (
        exportable_bytes("runs/r.json", json.dumps({"run": "other"}).encode(), CITED) == b'{"run": "other"}'
    )


def test_the_ledger_loses_the_lines_that_name_it() -> None:
    lines = b'{"kind": "shown", "ids": ["ep-1#x", "ep-2"]}\n{"kind": "shown", "ids": ["ep-10"]}\n'
    assert (
        exportable_bytes("ledger/vm/2026-02.jsonl", lines, CITED)
        == b'\n{"kind": "shown", "ids": ["ep-10"]}\n'
    )


def test_bytes_without_a_mark_leave_as_they_are() -> None:
    for data in (b"", b"\xff\xfe\x00broken", b"# A\r\nno end", bytes(range(256))):
        for path in (
            "notes/a.md",
            "attachments/a.png",
            "semantic/a.md",
            "logs/2026-02-01/x.jsonl",
            "memoryclaw.yaml",
        ):
            assert exportable_bytes(path, data, CITED) == data
