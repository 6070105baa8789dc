from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

from memoryclaw.writing.secret_gate import NAME, secret_key

ROOT = Path(__file__).resolve().parents[2]


def test_a_key_is_made_once_and_is_private(tmp_path):
    first, second = secret_key(str(tmp_path / "a/b")), secret_key(str(tmp_path / "a/b"))
    assert first == second
    assert (len(first.key), first.notice) == (32, "")
    assert stat.S_IMODE((tmp_path / "a/b" / NAME).stat().st_mode) == 0o600
    assert secret_key(str(tmp_path / "c")).key != first.key


def test_processes_that_start_together_agree_on_one_key(tmp_path):
    code = "import sys; from memoryclaw.writing.secret_gate import secret_key; print(secret_key(sys.argv[1]).key.hex())"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "k")],
            env={"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
        )
        for _ in range(6)
    ]
    assert len({process.communicate()[0] for process in running}) == 1


def test_where_no_key_can_be_kept_one_is_used_and_that_is_said(tmp_path):
    (tmp_path / "file").write_text("in the way")
    key = secret_key(str(tmp_path / "file/k"))
    assert len(key.key) == 32
    assert "match no others" in key.notice


def test_a_damaged_key_is_never_overwritten(tmp_path):
    (tmp_path / NAME).write_bytes(b"short")
    assert "remove it" in secret_key(str(tmp_path)).notice
    assert (tmp_path / NAME).read_bytes() == b"short"
