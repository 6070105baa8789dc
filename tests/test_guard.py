"""The guard around the machine, itself guarded."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from memoryclaw.config import SETTINGS


def test_home_is_a_temporary_folder(guarded_machine: Path) -> None:
    assert Path.home() == guarded_machine
    assert not list(guarded_machine.glob(".memoryclaw"))


def test_connections_beyond_this_machine_are_refused() -> None:
    with socket.socket() as far, pytest.raises(PermissionError, match="only this machine"):
        far.connect(("192.0.2.1", 80))


def test_connections_within_this_machine_are_allowed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass


@pytest.mark.parametrize("setting", ["llm.url", "llm.openaiUrl"])
def test_a_model_that_listens_where_no_settings_name_one_is_not_asked(setting: str) -> None:
    address = urlsplit(next(constant.default for constant in SETTINGS if constant.key == setting))
    with socket.socket() as near, pytest.raises(ConnectionRefusedError, match="models of the person"):
        near.connect((address.hostname, address.port))


def test_processes_that_tests_start_are_guarded_too() -> None:
    code = "import socket; socket.socket().connect(('192.0.2.1', 80))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert "only this machine" in done.stderr


def test_no_git_setting_of_the_person_is_in_force() -> None:
    assert not [name for name in os.environ if name.startswith("GIT_")]
