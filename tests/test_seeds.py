"""seeds.md keeps its word: every command of its tables is run, in a copy of one prepared vault, and prints what its row says.

`python tests/test_seeds.py FOLDER` makes that vault, so that a person can type the commands too.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

sys.path.insert(0, os.fspath(Path(__file__).parent))  # for python tests/test_seeds.py
from forked import STEM
from test_docs import studio

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "tests" / "seeds.md"

# What the sample vault has no example of.
FILES = {
    "salience.md": "# What matters to me\n- the club\n\n# What to ignore\n- horoscopes\n",
    "notes/Tea Pavilion.md": "---\nweight: 655 kg\n---\nWeighed again on the quay.\n",
    "notes/ferry.md": "---\nexpires: 2026-03-01\n---\nThe winter ferry leaves at 06:40 from quay nine.\n",
    "notes/errand.md": "---\nscope: session\ndate: 2026-04-01\n---\nFetch the blue tarpaulin from the harbour office.\n",
    "notes/diary.md": "---\naudience: owner\n---\nThe salary of Priya is 4,100 EUR a month.\n",
    "notes/boat.md": "- [ ] order the cradle 📅 2026-04-24\n- [ ] tar the slipway 📅 2026-06-20\n",
    "semantic/rules.md": (
        "# Workshop\n"
        "- desk: room 4 [type:: decision] [scope:: project:halde] [since:: 2026-01-10]\n"
        "- oak supplier: Holz Petersen [since:: 2025-02-01] [verify_by:: 2026-04-01]\n"
        "- visitor badge: green [expires:: 2026-03-01]\n"
    ),
    "skills/pour-samples/SKILL.md": (
        "---\nname: pour-samples\ndescription: Pours three lime plaster samples for a wall.\ntriggers: [plaster samples]\n---\n# Pour\n\nPour three.\n"
    ),
    "skills/cast-samples/SKILL.md": (
        "---\nname: cast-samples\ndescription: Casts lime plaster samples in the mould.\ntriggers: [plaster samples]\n---\n# Cast\n\nCast three.\n"
    ),
}
REPLY = "Larch, because of the rain [episodes/2025-06-12_11-15-00_larch-or-oak], and pancakes with buckwheat [notes/moon-pancakes]."


def _turn(day: str, session: str, number: int, role: str, content: object = None, **more: object) -> str:
    """One line for `capture`; a person is Nora, the assistant Pip."""
    said = (
        {}
        if content is None
        else {"name": {"user": "Nora", "assistant": "Pip"}.get(role, role), "content": content}
    )
    return json.dumps(
        {"ts": f"{day}T09:{number:02}:00Z", "session": session, "turn": number, "role": role, **said, **more}
    )


def _talk() -> Iterator[str]:
    """Conversations of two weeks, as hosts hand them to `capture`."""
    yield _turn("2026-04-06", "heart", 1, "user", "HEARTBEAT")
    yield _turn("2026-04-06", "heart", 2, "assistant", "HEARTBEAT_OK")
    for day, wish in (("07", "no emojis please"), ("08", "please stop using emojis"), ("09", "no emojis")):
        yield _turn(f"2026-04-{day}", f"wish{day}", 1, "user", wish)
        yield _turn(f"2026-04-{day}", f"wish{day}", 2, "assistant", "Noted.")
    for number in range(7):
        session, who = f"wind{number}", f"crew{number}@halde.example.com"
        yield _turn("2026-04-10", session, 1, "user", "Please send the wind plan to the crew")
        yield _turn(
            "2026-04-10",
            session,
            2,
            "tool",
            tool="weather_forecast",
            args={"place": "Krähensand"},
            result="9 m/s",
            ok=True,
        )
        yield _turn(
            "2026-04-10",
            session,
            3,
            "tool",
            tool="send_email",
            args={"to": who, "subject": "Wind"},
            result="sent",
            ok=True,
        )
        yield _turn(
            "2026-04-10",
            session,
            4,
            "tool",
            tool="calendar_update",
            args={"title": "Wind plan", "attendee": who},
            result="ok",
            ok=True,
        )
    yield _turn(
        "2026-04-11",
        "gravel",
        1,
        "user",
        "The gravel for the yard is Basalt 8, the coarse one, two pallets from Petersen.",
    )
    yield _turn("2026-04-11", "gravel", 2, "assistant", "Shall I order both pallets?")
    yield _turn("2026-04-11", "gravel", 3, "user", "The gravel yard in Altona closes on Wednesday afternoon.")
    yield _turn(
        "2026-04-12",
        "again",
        1,
        "user",
        "The gravel for the yard is Basalt 8, the coarse one, two pallets from Petersen.",
    )
    yield _turn("2026-04-12", "again", 2, "assistant", "Noted.")
    yield _turn("2026-04-12", "again", 3, "user", "The gravel yard in Altona closes on Wednesday afternoon.")
    yield _turn("2026-04-13", "club", 1, "user", "The fee of Boathouse Aarhus is 76,000 EUR.")
    yield _turn("2026-04-13", "club", 2, "user", "My horoscopes app is called Starlight 3.")
    yield _turn(
        "2026-04-13",
        "club",
        3,
        "user",
        "The password is hunter2seven and <private>the safe is behind the map</private> fine.",
    )
    yield _turn("2026-04-13", "club", 4, "user", "[NOMEM] do not keep this sentence")
    yield _turn("2026-04-14", "later", 1, "user", "The fee of Boathouse Aarhus is now 78,000 EUR.")
    yield _turn("2026-04-15", "wrong", 1, "user", "My shoe size is 38.")
    yield _turn("2026-04-15", "wrong", 2, "assistant", "Noted: your shoe size is 38.")
    yield _turn("2026-04-15", "wrong", 3, "user", "That is wrong, I never said that.")
    yield _turn("2026-04-16", "fetch", 1, "user", "Read the tender page")
    yield _turn(
        "2026-04-16",
        "fetch",
        2,
        "tool",
        tool="fetch",
        args={"url": "https://tender.example.com"},
        result="tender line. " * 1500,
        ok=True,
    )


def prepared(home: Path, env: Mapping[str, str]) -> Path:
    """The vault in which the commands of the page are run: the sample vault, a few files and two weeks of talk, after one night."""
    vault = studio(home, env)
    for name, text in FILES.items():
        path = vault / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    when = {f"GIT_{role}_DATE": "2026-04-17T18:30:00Z" for role in ("AUTHOR", "COMMITTER")}
    for args in (("add", "--all"), ("commit", "-qm", "A few more notes")):
        subprocess.run(["git", *args], cwd=vault, env={**env, **when}, check=True)
    (home / "weeks.jsonl").write_text("".join(f"{line}\n" for line in _talk()), encoding="utf-8")
    for command in (
        "memoryclaw capture < ../talk.jsonl",
        "memoryclaw capture < ../weeks.jsonl",
        "memoryclaw skills approve pour-samples",
        "memoryclaw skills approve cast-samples",
        "memoryclaw skills outcome pour-samples failed --why 'the lime was stale'",
        "memoryclaw skills outcome pour-samples failed --why 'the lime was stale'",
        "memoryclaw skills outcome cast-samples ok",
        "memoryclaw recall 'Which antibiotics must she not take?' --session kyoto",
        "memoryclaw feedback ep-20250708-penicillin 5 --session kyoto",
        "memoryclaw recall 'larch or oak, and the moon pancakes' --session lisbon",
        f"memoryclaw capture --session lisbon <<< '{json.dumps({'role': 'assistant', 'content': REPLY})}'",
        "memoryclaw consolidate --llm none",
    ):
        code, printed = STEM.type(command, environ=env, cwd=vault)
        assert code == 0, f"$ {command}\n{printed}"
    return vault


def environment(home: Path) -> dict[str, str]:
    """A shell in which nothing but the page's own vault is found, on the day of the sample vault."""
    env = {
        key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "MEMORYCLAW_", "XDG_"))
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    return env | {
        "HOME": os.fspath(home),
        "MEMORYCLAW_NOW": "2026-04-20T08:00:00Z",
        "NO_COLOR": "1",
        "TZ": "UTC",
        "PATH": path,
    }


class Row(NamedTuple):
    """A row of the page: its name, what shows it, and what that prints."""

    table: str
    name: str
    what: str
    shown: str
    prints: str

    @property
    def spans(self) -> list[tuple[str, int]]:
        """The commands and files of tests, each with the code that it exits with."""
        hits = (SPAN.fullmatch(part) for part in self.shown.split("<br>"))
        return [(_plain(hit[1]), int(hit[2] or 0)) for hit in hits if hit]

    @property
    def commands(self) -> list[tuple[str, int]]:
        """The commands alone."""
        return [(code, ends) for code, ends in self.spans if not code.startswith(TESTS)]

    @property
    def left_out(self) -> bool:
        """True when the row says why it was left out."""
        return self.shown.startswith("Left out")


SPAN = re.compile(r"`([^`]+)`(?: \(exits with (\d)\))?")
LISTED = re.compile(r"- ([A-Z]{2}\d+): (.+)")
TESTS = ("tests/", "plugins/")


def _plain(code: str) -> str:
    return code.replace(r"\|", "|")


def rows() -> list[Row]:
    """The rows of all tables of four columns, and those that are listed behind their capability."""
    seeds, table = [], ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            table = line.lstrip("# ")
        if listed := LISTED.fullmatch(line):
            seeds += [Row(table, name, listed[1], "", "") for name in listed[2].split("; ")]
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)][1:-1]
        if len(cells) == 4 and cells[0] not in ("", "row") and not cells[0].startswith("---"):
            seeds.append(Row(table, *cells))
    return seeds


SEEDS = {"Formative Memory": 34, "OpenClaw Cortex": 33, "openclaw-mem": 36, "Memoria": 34, "MemoryClaw": 25}
GROUPS = {
    "ST": 8, "CA": 8, "CO": 11, "RE": 11, "IN": 7, "PR": 5, "TC": 4, "GR": 4, "SK": 4, "WM": 1, "IF": 6, "LC": 4, "SE": 4, "OP": 3,
}  # fmt: skip
STRETCH = {"RE9"}
CAPABILITIES = {
    f"{group}{number}" for group, size in GROUPS.items() for number in range(1, size + 1)
} - STRETCH


def test_every_capability_has_one_row() -> None:
    names = [row.name for row in rows() if row.table not in SEEDS]
    assert len(names) == len(set(names)) == 79
    assert set(names) == CAPABILITIES


def test_every_row_of_a_seed_stands_once_and_belongs_to_a_capability() -> None:
    seeds = [row for row in rows() if row.table in SEEDS]
    assert {seed: sum(row.table == seed for row in seeds) for seed in SEEDS} == SEEDS
    assert len({(row.table, row.name) for row in seeds}) == len(seeds)
    assert {row.what for row in seeds} <= CAPABILITIES


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.table}: {row.name}")
def test_a_row_is_shown_or_says_why_it_was_left_out(row: Row) -> None:
    if row.left_out:
        assert len(row.shown.split()) > 5
        assert not row.prints
        return
    assert row.table in SEEDS or row.shown
    assert bool(row.commands) == bool(row.prints)
    assert len(row.spans) == sum(part.startswith("`") for part in row.shown.split("<br>"))
    for name, _ in set(row.spans) - set(row.commands):
        tests = (ROOT / name).read_text(encoding="utf-8")
        assert re.search(r"^(?:def test_|(?:test|describe)\()", tests, re.MULTILINE), name


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home folder with the vault of the page."""
    home = tmp_path_factory.mktemp("seeds")
    prepared(home, environment(home))
    return home


@pytest.mark.laws
@pytest.mark.parametrize(
    "row", [row for row in rows() if row.commands], ids=lambda row: f"{row.table}: {row.name}"
)
def test_the_commands_of_a_row_print_what_it_says(row: Row, home: Path, tmp_path: Path) -> None:
    here = shutil.copytree(home, tmp_path / "home")
    shown = ""
    for command, code in row.commands:
        ended, printed = STEM.type(command, environ=environment(here), cwd=here / "studio")
        shown += f"$ {command}\n{printed}"
        assert ended == code, shown
    for text in row.prints.split("<br>"):
        assert _plain(text.strip("`")) in re.sub(r"^\$ .*$", "", shown, flags=re.MULTILINE), shown


if __name__ == "__main__":
    home = Path(sys.argv[1]).resolve()
    home.mkdir(parents=True)
    sys.stdout.write(f"{prepared(home, environment(home))}\n")
