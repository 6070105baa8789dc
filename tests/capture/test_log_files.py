from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from conftest import Claw

from memoryclaw.capture.log_files import Logs
from memoryclaw.errors import VaultError

PATH = "logs/2026-11-21/s.jsonl"
ROOT = Path(__file__).resolve().parents[2]


def test_lines_are_appended_to_files_that_only_their_owner_can_read(tmp_path):
    logs = Logs(str(tmp_path))
    logs.append(PATH, [b"1\n", b"2\n"])
    logs.append(PATH, [b"3\n"])
    assert (tmp_path / PATH).read_bytes() == b"1\n2\n3\n"
    assert stat.S_IMODE((tmp_path / PATH).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / PATH).parent.stat().st_mode) == 0o700


def test_a_torn_line_is_ended_and_spoils_no_other(tmp_path):
    logs = Logs(str(tmp_path))
    logs.append(PATH, [b'{"a": 1}\n'])
    with (tmp_path / PATH).open("ab") as file:
        file.write(b'{"b": ')
    logs.append(PATH, [b'{"c": 3}\n'])
    assert (tmp_path / PATH).read_bytes() == b'{"a": 1}\n{"b": \n{"c": 3}\n'


@pytest.mark.parametrize("kind", ["link", "folder link", "fifo", "folder"])
def test_only_a_real_file_in_a_real_folder_is_written(tmp_path, kind):
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    outside.mkdir()
    place = vault / PATH
    (place.parent.parent if kind == "folder link" else place.parent).mkdir(parents=True)
    if kind == "link":
        place.symlink_to(outside / "s.jsonl")
    elif kind == "folder link":
        place.parent.symlink_to(outside)
    elif kind == "fifo":
        os.mkfifo(place)
    else:
        place.mkdir()
    with pytest.raises(VaultError):
        Logs(str(vault)).append(PATH, [b"x\n"])
    assert list(outside.iterdir()) == []


def test_a_payload_is_kept_once_under_its_digest(tmp_path):
    logs = Logs(str(tmp_path))
    logs.keep("ab" * 32, b"whole")
    logs.keep("ab" * 32, b"whole")
    [path] = (tmp_path / "logs/artifacts").iterdir()
    assert (path.name, path.read_bytes()) == ("ab" * 32, b"whole")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_lines_of_two_processes_stay_whole(tmp_path):
    code = (
        "import sys; from memoryclaw.capture.log_files import Logs\n"
        "logs = Logs(sys.argv[1])\n"
        "for n in range(60):\n    logs.append('logs/2026-11-21/s.jsonl', [sys.argv[2].encode() * 20000 + b'\\n'] * 3)\n"
    )
    running = [Claw().start("-c", code, tmp_path, who) for who in "ab"]
    assert [process.wait() for process in running] == [0, 0]
    lines = [line for line in (tmp_path / PATH).read_bytes().split(b"\n") if line]
    assert (
        sorted((line[:1], len(line), len(set(line))) for line in lines)
        == [(b"a", 20000, 1)] * 180 + [(b"b", 20000, 1)] * 180
    )


def test_a_log_folder_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/logs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(VaultError, match="only a real folder"), Logs(str(tmp_path / "vault")).locked():
        pass
