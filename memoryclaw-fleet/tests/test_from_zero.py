"""memoryclaw-fleet/docs/fleet.md from zero: the very statements of the page, with an owner and a role of the nodes that owns nothing."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import click
import psycopg
import pytest
import yaml
from conftest import Claw
from postgres import Server, binaries
from towns import Town

from memoryclaw.index.database import unpack
from memoryclaw.interfaces.cli.verbs import cli

# Each table and each partition that holds what is a vault's, by its number.
HOLDING = """select relname from pg_class c join pg_namespace n on n.oid = relnamespace join pg_attribute a on attrelid = c.oid
    where nspname = 'memoryclaw' and relkind in ('r', 'p') and attname = 'vault' and atttypid = 'int'::regtype order by relname"""
ROOT = Path(__file__).resolve().parents[2]


def test_the_page_from_zero_and_the_role_of_the_nodes_sees_one_vault_at_a_time(
    postgres_server: Server, tmp_path: Path
) -> None:
    page = (ROOT / "memoryclaw-fleet/docs/fleet.md").read_text(encoding="utf-8")
    roles, grants = re.findall(r"^```sql\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    for kept, name in ((roles, "roles.sql"), (grants, "grants.sql")):
        text = (ROOT / "memoryclaw-fleet/deploy" / name).read_text(encoding="utf-8")
        assert "".join(line for line in text.splitlines(keepends=True) if not line.startswith("--")) == kept
    postgres_server.execute("postgres", *statements(roles))
    owner, app = (postgres_server.url("memoryclaw", f"memoryclaw_{who}") for who in ("owner", "app"))
    early = Claw()("fleet", "list", "--index", app)
    assert early.code == 1
    assert "fleet migrate" in early.err
    assert Claw()("fleet", "migrate", "--index", owner).code == 0
    with psycopg.connect(owner, autocommit=True) as connection:
        for statement in statements(grants):
            connection.execute(statement)
    assert Claw()("fleet", "migrate", "--index", owner).code == 0
    town = Town(tmp_path, app)
    try:
        node = town.node("one")
        tokens = {name: town.vault(name) for name in ("ann", "bob")}
        for name, token in tokens.items():
            assert (
                node.ask("POST", "/v1/remember", token, json={"text": f"secret of {name}"}).status_code == 200
            )
        town.run("jobs", "ask", "ann")
        assert town.run("work", "--once").code == 0
        assert "agree" in town.run("fleet", "check").out
        with psycopg.connect(app) as connection:
            numbers = dict(
                connection.execute("select name, number from memoryclaw.vault where audience = ''").fetchall()
            )
            # Without the vault in the query, whatever it names, a table or one of its partitions.
            tables = [row[0] for row in connection.execute(HOLDING).fetchall()]
            assert {"unit", "unit_0", "fact", "files", "published", "published_7"} <= set(tables)
            full: set[str] = set()
            for name, number in numbers.items():
                connection.execute("select set_config('memoryclaw.vault', %s, false)", (str(number),))
                for table in tables:
                    numbers_there = connection.execute(f"select vault from memoryclaw.{table}").fetchall()
                    assert {vault for (vault,) in numbers_there} <= {number}, table
                    full |= {table} if numbers_there else set()
                rows = connection.execute("select text from memoryclaw.unit").fetchall()
                assert f"secret of {name}" in " ".join(unpack(text, b"")[-1] for (text,) in rows)
                with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                    connection.execute(
                        "insert into memoryclaw.tag(tag, fid, vault) values('x', 1, %s)", (number + 1000,)
                    )
            assert {"unit", "files", "posting", "published"} <= full
            connection.execute("select set_config('memoryclaw.vault', '', false)")
            connection.execute("select set_config('memoryclaw.tenant', 'ann', false)")
            for table in tables:
                assert connection.execute(f"select 1 from memoryclaw.{table} limit 1").fetchone() is None, (
                    table
                )
            assert connection.execute("select distinct vault from memoryclaw.token").fetchall() == [("ann",)]
        dumped = tmp_path / "tokens.sql"
        assert (
            subprocess.run(
                [
                    binaries() / "pg_dump",
                    "--data-only",
                    "-t",
                    "memoryclaw.fleet_vault",
                    "-t",
                    "memoryclaw.token",
                    "--enable-row-security",
                    "-f",
                    dumped,
                    postgres_server.url("memoryclaw"),
                ],
                check=False,
            ).returncode
            == 0
        )
        assert "ann" in dumped.read_text()
    finally:
        for statement in town.nodes:
            statement.end()


def test_a_vault_is_restored_from_its_remote_alone(
    postgres_server: Server, migrated_url: str, tmp_path: Path
) -> None:
    town = Town(tmp_path, migrated_url)
    node = town.node("one")
    token = town.vault("ann")
    assert node.ask("POST", "/v1/remember", token, json={"text": "Bluebarn opens in May"}).status_code == 200
    node.end()
    other = Town(tmp_path / "other", postgres_server.url(postgres_server.database(), "claw"))
    other.folder.mkdir()
    other.run("fleet", "migrate")
    fresh = other.node("new")
    try:
        other.run("fleet", "add", "ann", "--remote", os.fspath(tmp_path / "ann.git"))
        said = fresh.ask("POST", "/v1/recall", other.token("ann"), json={"query": "when does bluebarn open?"})
        assert "Bluebarn opens in May" in said.json()["context"]
    finally:
        fresh.end()


def statements(text: str) -> list[str]:
    return [statement.strip() for statement in text.split(";") if statement.strip()]


def test_the_commands_of_the_units_and_of_the_compose_file_can_be_given() -> None:
    deploy = ROOT / "memoryclaw-fleet/deploy"
    services = yaml.safe_load((deploy / "compose.yaml").read_text(encoding="utf-8"))["services"]
    lines = [services[name]["command"] for name in ("migrate", "node-1", "node-2", "work")]
    lines += [
        line
        for unit in deploy.glob("*.service")
        for line in unit.read_text(encoding="utf-8").splitlines()
        if "ExecStart=" in line
    ]
    commands = [
        shlex.split(command)
        for line in lines
        for command in re.findall(r"\bmemoryclaw ((?:serve|work|fleet)\b[^&\"]*)", f"{line} ")
    ]
    assert len(commands) == 6
    for words in commands:
        command = cli.get_command(click.Context(cli), words[0])
        assert command is not None
        command.make_context(
            words[0], words[1:]
        )  # an unknown option, or a value that it does not take, raises
