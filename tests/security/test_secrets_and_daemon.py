"""Secrets that are said to a daemon: in no file of the vault, in nothing that it prints, and in no report of a bug."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from conftest import Claw, put
from daemons import start

SECRETS = {
    "sk-proj-" + "Ab3" * 16: "my key is {}",
    "ghp_" + "a1B2" * 9: "export GITHUB_TOKEN={}",
    "AKIA" + "Q7Z2" * 4: "aws_access_key_id = {}",
    "hunter2-Zebra-Quilt": "password: {}",
    "xoxb-" + "123456789012-" + "a1b2c3d4" * 3: "slack says {}",
}


def test_no_secret_is_on_the_disk_or_in_what_a_daemon_says(tmp_path: Path) -> None:
    root = put(tmp_path / "vault", {"memoryclaw.yaml": "", "notes/a.md": "Oak.\n"})
    daemon = start(
        root, XDG_CONFIG_HOME=os.fspath(tmp_path / "config"), XDG_STATE_HOME=os.fspath(tmp_path / "state")
    )
    said = [form.format(secret) for secret, form in SECRETS.items()]
    try:
        turns = [{"role": "user", "content": text, "turn": n} for n, text in enumerate(said, 1)]
        done = daemon.post("/v1/capture", turns=turns, session="s")
        assert len(done["acknowledged"]) == len(said)
        for text in said:  # in a question that is refused, and in a body that is no JSON
            assert daemon.ask("POST", "/v1/recall", {"query": text, text: 1}).status == 400
            assert daemon.ask("POST", "/v1/capture", text.encode()).status == 400
    finally:
        daemon.end()
    assert daemon.process.stdout
    assert daemon.process.stderr
    printed = daemon.process.stdout.read() + daemon.process.stderr.read()
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    everything = b"\n".join([*kept, printed])
    assert b"REDACTED" in everything
    assert [secret for secret in SECRETS if secret.encode() in everything] == []


def test_nor_is_it_in_what_a_command_says_of_it(tmp_path: Path) -> None:
    claw = Claw(
        put(tmp_path / "vault", {"notes/a.md": "Oak.\n"}), XDG_CONFIG_HOME=os.fspath(tmp_path / "config")
    )
    for number, (secret, form) in enumerate(SECRETS.items()):
        ran = claw(
            "capture",
            "--session",
            f"s{number}",
            stdin=f'{{"role": "user", "content": "{form.format(secret)}"}}\n',
        )
        assert ran.code == 0, ran
        assert secret not in ran.out + ran.err
    assert (
        subprocess.run(["grep", "-rlF", *[f"-e{s}" for s in SECRETS], tmp_path], check=False).returncode == 1
    )
