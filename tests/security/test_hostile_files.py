"""A vault holds pipes, devices, sockets, links, huge files and bombs of YAML: every verb answers, and nothing is followed, filled or hung."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import STUDIO, Claw, put

pytestmark = pytest.mark.security

VERBS = (
    "sync", "search boathouse", "recall boathouse", "status", "doctor", "browse", "facts", "links notes/moon", "links", "links dangling", "skills", "skills lint", "review",
    "history", "show notes/moon", "reindex", "eval", "consolidate --dry-run --llm none", "consolidate --llm none", "working show --session s",
    "remember hello", "edit notes/moon --set tags=x", "capture",
)  # fmt: skip
ALIASED = "\n".join(
    [
        "a: &a [x, x, x, x, x, x, x, x, x]",
        *(f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]" for n in range(9)),
    ]
)
MERGED = "\n".join(
    ["a0: &a0 {k: v}", *(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: v}}" for n in range(1, 40))]
)
BOMBS = {
    "aliases": ALIASED,
    "merge keys": MERGED,
    "depth": "a: " + "[" * 60_000,
    "maps": "? " * 30_000,
    "a tag": "a: !!python/object/apply:os.system ['touch OWNED']",
    "another tag": "!!python/object/new:type {args: [x, !!python/tuple [], {}]}",
    "five megabytes": "a: [" + "x, " * 1_700_000 + "]",
    "duplicate keys": "id: one\n" * 20_000,
    "other types": "id: 007\ntags: {a: 1}\nsummary: [1, 2]\ntimestamp: yes\ntrust: {}\npin: 1e309\naudience: .nan",
    "no end": "a: 'b",
    "control characters": "a: \x00\x01\x02",
}
# The settings are read before anything else, and would hide how the others are read.
YAML_FILES = (("memoryclaw.yaml",), ("semantic/_schema.yaml", "semantic/aliases.yaml", "eval/questions.yaml"))


@contextlib.contextmanager
def bounded(gigabytes: float) -> Iterator[None]:
    """No process that is started in here may have more memory than this."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Claw]:
    """A vault with what is no note under the names of notes, in every folder that a verb reads."""
    root = put(tmp_path_factory.mktemp("odd") / "vault", STUDIO)
    lines = []
    for folder in (
        "notes",
        "semantic",
        "episodes",
        "skills/odd",
        "review",
        "runs",
        "logs/2026-04-19",
        "working",
        "archive",
    ):
        place = root / folder
        place.mkdir(parents=True, exist_ok=True)
        end = {"runs": "json", "working": "json", "logs/2026-04-19": "jsonl"}.get(folder, "md")
        os.mkfifo(place / f"pipe.{end}")
        (place / f"loop.{end}").symlink_to(f"loop.{end}")
        (place / f"endless.{end}").symlink_to("/dev/zero")
        (place / f"folder.{end}").mkdir()
        with contextlib.suppress(PermissionError):
            os.mknod(place / f"device.{end}", 0o600 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero
        line = socket.socket(socket.AF_UNIX)
        os.chdir(place)
        line.bind(f"socket.{end}")
        lines.append(line)
    (root / "notes/huge.md").write_text("word " * 4_000_000)
    (root / "round").symlink_to(root)
    os.chdir(root.parent)
    yield Claw(root, MEMORYCLAW_NOW="2026-04-20T03:00:00Z")
    for line in lines:
        line.close()


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_hangs_fills_the_memory_or_follows(odd: Claw, verb: str) -> None:
    with bounded(2.0):
        ran = odd(*verb.split(), stdin='{"session":"s","turn":1,"role":"user","content":"x"}\n')
    assert ran.code in (0, 1), ran
    assert "bug" not in ran.err, ran.err
    assert "Traceback" not in ran.err
    if verb == "doctor":
        assert "pipe" in ran.out or "huge" in ran.out, ran


def test_what_is_a_note_is_found_among_them(odd: Claw) -> None:
    assert "notes/moon" in odd("search", "buckwheat").out


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_in_a_header_costs_its_own_note_alone(tmp_path: Path, bomb: str) -> None:
    note = f"---\n{BOMBS[bomb]}\n---\n\nThe marzipan is in the tin.\n"
    claw = Claw(put(tmp_path / "vault", {**STUDIO, "notes/bomb.md": note, "skills/bomb/SKILL.md": note}))
    with bounded(2.0):
        verbs = ("search marzipan --json", "doctor", "skills lint", "show notes/bomb", "browse")
        for verb, ran in zip(verbs, claw.each([verb.split() for verb in verbs]), strict=True):
            assert ran.code in (0, 1), (verb, ran)
            assert "bug" not in ran.err, ran.err
    assert "notes/bomb" in claw("search", "marzipan", "--json").out, "its words cannot be found"
    assert not list(tmp_path.rglob("OWNED"))
    assert (tmp_path / "vault/notes/bomb.md").read_bytes() == note.encode()


@pytest.mark.parametrize("files", YAML_FILES, ids=["settings", "others"])
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_in_a_file_of_settings_is_told_in_a_sentence(
    tmp_path: Path, bomb: str, files: tuple[str, ...]
) -> None:
    claw = Claw(put(tmp_path / "vault", {**STUDIO, **dict.fromkeys(files, BOMBS[bomb])}))
    with bounded(2.0):
        verbs = ("search boathouse", "doctor", "eval")
        for verb, ran in zip(verbs, claw.each([verb.split() for verb in verbs]), strict=True):
            assert ran.code in (0, 1), (verb, ran)
            assert "bug" not in ran.err, ran.err
            assert "Traceback" not in ran.err
    assert not list(tmp_path.rglob("OWNED"))


@pytest.mark.parametrize("files", [YAML_FILES[0], (*YAML_FILES[1], "review/decisions.jsonl", "semantic/_pending.md")], ids=["settings", "others"])  # fmt: skip
@pytest.mark.parametrize(
    "line", ["木栓: [boathouse, M\udcbcller]", "木栓 running M\udcbcller", '{"木栓": "M\udcbcller"}']
)
def test_a_damaged_file_of_settings_costs_no_answer(
    tmp_path: Path, line: str, files: tuple[str, ...]
) -> None:
    damaged = f"{line}\n".encode("utf-8", "surrogateescape")
    claw = Claw(put(tmp_path / "vault", {**STUDIO, **dict.fromkeys(files, damaged)}))
    verbs = ("search boathouse", "recall boathouse", "review list", "eval", "doctor")
    for verb, ran in zip(verbs, claw.each([verb.split() for verb in verbs]), strict=True):
        assert ran.code in (0, 1), (verb, ran)
        assert "bug" not in ran.err, ran.err
        assert "Traceback" not in ran.err
    if "memoryclaw.yaml" not in files:
        assert "boathouse" in claw("search", "boathouse").out.casefold()
