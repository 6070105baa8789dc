"""`serve --stop` ends the daemon of this vault and no other process, whatever the files say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from conftest import STUDIO, Claw, put
from daemons import serving


def test_the_daemon_of_this_vault_ends_and_the_next_stop_finds_none(tmp_path: Path) -> None:
    vault = put(tmp_path / "vault", STUDIO)
    with serving(vault) as daemon:
        done = Claw(vault)("serve", "--stop")
        assert (done.code, done.out) == (0, f"stopped process {daemon.process.pid}\n")
        assert daemon.process.wait(30) == 0
        assert not (daemon.state / "serve.json").exists()
    assert Claw(vault)("serve", "--stop").out == "no daemon serves this vault\n"
    assert Claw(vault)("serve", "--stop", "--json").json == {"stopped": None}


def test_a_process_that_only_a_file_names_is_left_alone(tmp_path: Path) -> None:
    vault = put(tmp_path / "vault", STUDIO)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        put(vault, {".memoryclaw/serve.json": json.dumps({"pid": other.pid})})
        put(vault, {".memoryclaw/watch.lock": f"{other.pid} live"})
        assert Claw(vault)("serve", "--stop").out == "no daemon serves this vault\n"
        assert other.poll() is None
        other.communicate(b"\n")


def test_a_watch_that_serves_nobody_is_left_alone(tmp_path: Path) -> None:
    vault = put(tmp_path / "vault", STUDIO)
    with Claw(vault).start("watch", stdout=subprocess.PIPE) as watching:
        assert watching.stdout.readline()
        assert Claw(vault)("serve", "--stop").out == "no daemon serves this vault\n"
        assert watching.poll() is None
        watching.terminate()
