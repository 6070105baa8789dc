from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path

from conftest import Claw
from ledgers import NOW, figures, used_for_months

from memoryclaw.vault.ledger import Ledger


def test_events_are_appended_one_a_line_in_the_month_of_utc(tmp_path):
    ledger = Ledger(str(tmp_path))
    assert ledger.append("shown", {"id": "a\nb", "query": "Zoë"}, NOW) == ""
    assert ledger.append("rated", {"id": "a", "stars": 5}, NOW, durable=True) == ""
    path = tmp_path / "ledger" / ledger.device / "2026-11.jsonl"
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"ts": "2026-11-30T22:30:00Z", "event": "shown", "id": "a\nb", "query": "Zoë"},
        {"ts": "2026-11-30T22:30:00Z", "event": "rated", "id": "a", "stars": 5},
    ]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_device_may_be_named_and_a_bad_name_is_not_used(tmp_path):
    (tmp_path / ".memoryclaw").mkdir()
    (tmp_path / ".memoryclaw/device").write_text("laptop-2\n")
    assert Ledger(str(tmp_path)).device == "laptop-2"
    (tmp_path / ".memoryclaw/device").write_text("../../etc\n")
    assert "/" not in Ledger(str(tmp_path)).device


def test_a_ledger_that_cannot_be_written_is_reported_and_nothing_fails(tmp_path):
    (tmp_path / "ledger").write_text("in the way")
    assert "could not be written to the ledger" in Ledger(str(tmp_path)).append("shown", {}, NOW)


def test_lines_of_several_processes_stay_whole(tmp_path):
    code = (
        "import sys; from datetime import datetime, UTC; from memoryclaw.vault.ledger import Ledger\n"
        "[Ledger(sys.argv[1]).append('shown', {'who': sys.argv[2], 'n': n, 'x': 'y' * 500}, datetime(2026, 1, 1, tzinfo=UTC)) for n in range(200)]"
    )
    started = [Claw().start("-c", code, tmp_path, str(n)) for n in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]
    lines = next(tmp_path.rglob("*.jsonl")).read_text().splitlines()
    assert len({(json.loads(line)["who"], json.loads(line)["n"]) for line in lines}) == 600


def test_what_a_session_was_shown_is_known_however_the_file_changes_between_two_looks(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))

    def say(number: int, session: str = "monday") -> None:
        ledger.append("shown", {"session": session, "n": number, "digests": {"a": f"{number}/0"}}, NOW)

    def shown(of: Ledger, session: str = "monday") -> list[int]:
        numbers = [event["n"] for event in of.events_shown_in(session)]
        digests = of.digests_shown_in(session, "all")
        assert digests == ({"a": {str(number) for number in numbers}} if numbers else None)
        return numbers

    for number in range(3):
        say(number)
        say(number, "tuesday")
        assert shown(ledger) == shown(Ledger(str(tmp_path))) == list(range(number + 1))
    path = next(tmp_path.rglob("*.jsonl"))
    whole = path.read_bytes()
    with path.open("ab") as file:  # a line on its way
        file.write(whole.splitlines()[0][:30])
    assert shown(ledger) == [0, 1, 2]
    with path.open("ab") as file:
        file.write(whole.splitlines()[0][30:] + b"\n")
    assert shown(ledger) == shown(Ledger(str(tmp_path))) == [0, 1, 2, 0]
    path.write_bytes(whole.splitlines(keepends=True)[0])  # shorter
    assert shown(ledger) == [0]
    assert shown(ledger, "tuesday") == []
    (tmp_path / "new").write_bytes(whole)  # another file of that name, longer
    (tmp_path / "new").replace(path)
    assert shown(ledger) == shown(ledger, "tuesday") == [0, 1, 2]
    path.unlink()
    assert shown(ledger) == []


def test_what_a_host_still_shows_is_what_came_after_it_cut_the_conversation(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    for mode, seen, expected in (
        ("recall", {}, ({"x": {"0"}}, {})),
        ("get", {}, ({"x": {"0", "1"}}, {"x": {"1"}})),
        ("recall", {"seen": "none"}, ({"x": {"2"}}, {})),
        ("search", {}, ({"x": {"2", "3"}}, {"x": {"3"}})),
    ):
        number = len(ledger.events_shown_in("s"))
        ledger.append("shown", {"session": "s", "mode": mode, **seen, "digests": {"x": str(number)}}, NOW)
        for of in (ledger, Ledger(str(tmp_path))):
            assert tuple(of.digests_shown_in("s", which) for which in ("all", "tools")) == expected
            assert of.digests_shown_in("s", "none") == {}


def test_months_that_are_over_are_rolled_up_and_no_figure_changes(tmp_path: Path) -> None:
    ledger = used_for_months(tmp_path)
    other = tmp_path / "ledger/laptop"
    shutil.copytree(tmp_path / "ledger/desk", other)
    before, sizes = figures(ledger), {path: path.stat().st_size for path in tmp_path.rglob("*.jsonl")}
    whole = {
        path: path.read_bytes()
        for path in [*sorted((tmp_path / "ledger/desk").iterdir())[-2:], *other.iterdir()]
    }
    done = ledger.roll_up(NOW)
    assert [path.rpartition("/")[2] for path in done] == ["2026-07.jsonl", "2026-08.jsonl", "2026-09.jsonl"]
    assert figures(ledger) == before == figures(Ledger(str(tmp_path)))
    assert {path: path.read_bytes() for path in whole} == whole, (
        "neither the last two months nor another device's files"
    )
    for path in done:
        assert (tmp_path / path).stat().st_size < sizes[tmp_path / path] / 2
        assert stat.S_IMODE((tmp_path / path).stat().st_mode) == 0o600
    assert ledger.roll_up(NOW) == []


def test_what_is_rolled_up_keeps_every_other_line_as_it_was(tmp_path: Path) -> None:
    ledger = used_for_months(tmp_path)
    path = min((tmp_path / "ledger/desk").iterdir())
    odd = b'{"event": "cited",  "ids": ["shown"], "digests": 1}\nnot "shown" json\r\n{"ts": "2026-07-01T00:00:00Z", "event": "shown", "ids"'
    path.write_bytes(path.read_bytes() + odd)
    before = path.read_bytes().splitlines(keepends=True)
    assert ledger.roll_up(NOW)
    after = path.read_bytes().splitlines(keepends=True)
    assert len(after) == len(before)
    assert [line for line in before if b'"event": "shown"' not in line] == [
        line for line in after if b'"event": "shown"' not in line
    ]
    assert after[-1] == before[-1]
