"""The files of a daemon: private, whole, and written again when they are gone."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from memoryclaw.daemon.client import ADDRESS, TOKENS, DaemonFiles

TOKEN = TOKENS["agent"]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "vault" / ".memoryclaw"


@pytest.fixture
def files(state: Path) -> DaemonFiles:
    state.parent.mkdir()
    return DaemonFiles(state)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_token_is_kept_from_one_daemon_to_the_next(files: DaemonFiles, state: Path) -> None:
    assert DaemonFiles(state).tokens["agent"] == files.tokens["agent"]
    assert (state / TOKEN).read_text() == f"{files.tokens['agent']}\n"
    assert (mode(state), mode(state / TOKEN)) == (0o700, 0o600)


@pytest.mark.parametrize("spoiled", ["short\n", "", "with blanks " * 9, "x" * 300])
def test_a_token_that_is_none_is_replaced(files: DaemonFiles, state: Path, spoiled: str) -> None:
    (state / TOKEN).write_text(spoiled)
    token = DaemonFiles(state).tokens["agent"]
    assert len(token) >= 43
    assert token != files.tokens["agent"]
    assert (state / TOKEN).read_text() == f"{token}\n"


def test_a_token_that_others_could_read_is_replaced(files: DaemonFiles, state: Path) -> None:
    (state / TOKEN).chmod(0o640)
    assert DaemonFiles(state).tokens["agent"] != files.tokens["agent"]
    assert mode(state / TOKEN) == 0o600


def test_a_token_behind_a_link_is_not_followed(files: DaemonFiles, state: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text(f"{files.tokens['agent']}\n")
    outside.chmod(0o600)
    (state / TOKEN).unlink()
    (state / TOKEN).symlink_to(outside)
    token = DaemonFiles(state).tokens["agent"]
    assert token != files.tokens["agent"]
    assert not (state / TOKEN).is_symlink()
    assert outside.read_text() == f"{files.tokens['agent']}\n"


def test_a_pipe_in_place_of_a_token_stops_nobody(state: Path) -> None:
    state.mkdir(parents=True)
    os.mkfifo(state / TOKEN, 0o600)
    assert len(DaemonFiles(state).tokens["agent"]) >= 43


def test_a_state_folder_that_is_open_to_others_is_closed(state: Path) -> None:
    state.mkdir(parents=True)
    state.chmod(0o755)
    DaemonFiles(state)
    assert mode(state) == 0o700


def test_what_is_gone_is_written_again_with_the_same_token(files: DaemonFiles, state: Path) -> None:
    files.announce({"pid": 1, "url": "http://127.0.0.1:1"})
    address = (state / ADDRESS).read_text()
    shutil.rmtree(state)
    files.keep()
    assert (state / TOKEN).read_text() == f"{files.tokens['agent']}\n"
    assert ((state / ADDRESS).read_text(), mode(state / ADDRESS)) == (address, 0o600)


def test_a_vault_that_is_gone_does_not_come_into_being_again(files: DaemonFiles, state: Path) -> None:
    shutil.rmtree(state.parent)
    files.keep()
    assert not state.parent.exists()


def test_only_ones_own_address_is_withdrawn(files: DaemonFiles, state: Path) -> None:
    files.announce({"pid": 1})
    another = DaemonFiles(state)
    another.announce({"pid": 2})
    files.withdraw()
    assert (state / ADDRESS).read_text() == '{"pid": 2}\n'
    another.withdraw()
    assert not (state / ADDRESS).exists()
    assert (state / TOKEN).exists()
