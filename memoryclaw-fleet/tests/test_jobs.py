"""Nightly work: each vault once a night, however workers and nodes end."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from conftest import COMMAND, Claw
from towns import Town, town

from memoryclaw.errors import ConfigError, NotFoundError
from memoryclaw_fleet.jobs import MOST_TRIES, SILENT, TICK, Jobs, Worker, night
from memoryclaw_fleet.postgres import Postgres
from memoryclaw_fleet.store import Fleet

__all__ = ["town"]
NIGHT = datetime(2026, 11, 24, 1, tzinfo=UTC)


@pytest.fixture
def jobs(migrated_url: str) -> Iterator[Jobs]:
    server = Postgres(migrated_url)
    made = Jobs(server)
    made.migrate()
    yield made
    server.close()


def test_a_night_gives_each_vault_a_time_of_its_own_the_same_each_day() -> None:
    asked = night("22:30-02:00")
    for n in range(200):
        at = asked.after(f"v{n}", NIGHT)
        assert NIGHT < at <= NIGHT + timedelta(days=1)
        assert at.hour in (22, 23, 0, 1)
        assert asked.after(f"v{n}", at) == at + timedelta(days=1)
    assert len({asked.after(f"v{n}", NIGHT) for n in range(200)}) > 150
    for wrong in ("", "1-2", "03:00-03:00", "25:00-01:00", "01:00-24:30"):
        with pytest.raises(ConfigError, match="write it like"):
            night(wrong)


def test_a_vault_waits_once_and_missed_nights_are_one(jobs: Jobs) -> None:
    fleet = Fleet(jobs.server)
    fleet.add("ann", node="one")
    assert jobs.tick(NIGHT) == 0  # its first time is set
    assert jobs.tick(NIGHT + timedelta(days=1)) == 1
    assert jobs.tick(NIGHT + timedelta(days=9)) == 0  # it waits already
    assert jobs.ask(["ann", "ann"]) == []
    assert [(job.vault, job.state) for job in jobs.queued()] == [("ann", "waiting")]
    with jobs._transaction() as connection:
        connection.execute("delete from procrastinate_jobs")
    assert jobs.tick(NIGHT + timedelta(days=20)) == 1
    assert jobs.tick(NIGHT + timedelta(days=20, minutes=1)) == 0


def test_who_waited_longest_is_first_however_often_another_asks(jobs: Jobs) -> None:
    fleet = Fleet(jobs.server)
    for name in ("often", "rarely", "never"):
        fleet.add(name, node="one")
    jobs.began("rarely")
    time.sleep(1.1)
    jobs.began("often")
    jobs.ask(["often"])
    jobs.ask(["rarely"])
    jobs.ask(["never"])
    assert [job.vault for job in jobs.queued()] == ["never", "rarely", "often"]


def test_a_vault_that_is_tried_again_does_not_come_before_those_that_waited_longer(jobs: Jobs) -> None:
    fleet = Fleet(jobs.server)
    for name in ("failing", "waiting"):
        fleet.add(name, node="one")
    jobs.began("waiting")
    time.sleep(1.1)
    jobs.began("failing")
    jobs.ended("failing", "no home")
    jobs.ask(["failing", "waiting"])
    assert [job.vault for job in jobs.queued()] == ["waiting", "failing"]


def test_a_try_that_could_not_be_noted_is_one_that_failed(jobs: Jobs) -> None:
    fleet = Fleet(jobs.server)
    fleet.add("ann", node="one")
    jobs.began("ann")
    worker = Worker(jobs, fleet)
    with psycopg.connect(jobs.server.url) as other, ThreadPoolExecutor(1) as thread:
        other.execute("select from memoryclaw.night where vault = 'ann' for update")
        trying = thread.submit(worker.consolidate, "ann")
        time.sleep(7)
        other.rollback()
        trying.result()
    (job,) = jobs.queued()
    assert (job.state, job.tries) == ("waiting", 1)
    assert "try again" in job.error


def test_what_fails_is_tried_later_each_time_and_then_dead_and_a_request_comes_before_it(jobs: Jobs) -> None:
    Fleet(jobs.server).add("ann", node="one")
    waits = []
    for tries in range(MOST_TRIES - 1):
        jobs.began("ann")
        jobs.ended("ann", "no home", tries=tries)
        (job,) = jobs.queued()
        assert (job.state, job.tries, job.error) == ("waiting", tries + 1, "no home")
        assert job.next is not None
        waits.append(job.next - datetime.now(UTC))
        assert jobs.ask(["ann"]) == ["ann"]  # as soon as it is its turn
        jobs.began("ann")
        jobs.ended("ann", "no home", tries=tries)  # while that one waits, it is not asked for twice
        assert [job.next for job in jobs.queued()] == [None]
        with jobs._transaction() as connection:
            connection.execute("delete from procrastinate_jobs")
    assert all(later > earlier * 1.5 for earlier, later in itertools.pairwise(waits))
    jobs.ended("ann", "no home", tries=MOST_TRIES - 1)
    assert [job.state for job in jobs.queued()] == ["dead"]
    assert jobs.ask(["ann"]) == ["ann"]
    jobs.began("ann")
    assert [job.state for job in jobs.queued()] == ["waiting"]


def test_a_strangers_schema_is_left_alone(migrated_url: str) -> None:
    with psycopg.connect(migrated_url, autocommit=True) as stranger:
        stranger.execute("create schema memoryclaw_jobs")
        stranger.execute("create table memoryclaw_jobs.precious as select 42 as answer")
        with pytest.raises(ConfigError, match="left alone"):
            Jobs(Postgres(migrated_url)).migrate()
        assert stranger.execute("select answer from memoryclaw_jobs.precious").fetchone() == (42,)


def test_a_slot_is_freed_when_its_holder_is_gone(jobs: Jobs) -> None:
    with jobs.slot(1):
        started = time.monotonic()
        with jobs.server.session("memoryclaw_jobs") as other:
            assert other.execute("select pg_try_advisory_lock(%s, 0)", (0x4D434C53,)).fetchone() == (False,)
    with jobs.slot(1):
        assert time.monotonic() - started < 30


TALK = [
    {"role": "user", "content": "Ana moved to Lisbon on Monday."},
    {"role": "assistant", "content": "Noted."},
    {"role": "user", "content": "The deadline of Bluebarn is 2027-03-01."},
]


def captured(town: Town, node: object, token: str, session: str) -> None:
    for n, turn in enumerate(TALK, 1):
        said = node.ask(
            "POST",
            "/v1/capture",
            token,
            json={"turns": [{"session": session, "turn": n, "ts": f"2026-04-18T10:0{n}:00Z", **turn}]},
        )  # type: ignore[attr-defined]
        assert said.status_code == 200, said.text


def work(town: Town, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [COMMAND, "work", "--index", town.url, *more],
        stdout=subprocess.DEVNULL,
        stderr=(town.folder / "work.log").open("a"),
    )


def test_jobs_consolidate_their_vaults_and_end(town: Town) -> None:
    node = town.node("one")
    token = town.vault("ann")
    captured(town, node, token, "s1")
    town.run("jobs", "ask", "ann")
    assert town.run("work", "--once").code == 0
    assert "Bluebarn" in node.ask("GET", "/v1/facts", token).text
    assert town.run("jobs", "list", "--json").json == {"jobs": []}
    runs = len(list((town.folder / "one/ann/runs").glob("*.json")))
    town.run("jobs", "ask", "ann")
    town.run("work", "--once")
    assert len(list((town.folder / "one/ann/runs").glob("*.json"))) == runs
    assert town.run("tokens", "list", "ann", "--json").json["tokens"][0]["note"] == ""


def test_many_jobs_with_a_worker_killed_are_all_done_and_none_twice(town: Town) -> None:
    node = town.node("one")
    names = [f"v{n}" for n in range(8)]
    tokens = {name: town.vault(name) for name in names}
    for token in tokens.values():
        captured(town, node, token, "s1")
    town.run("jobs", "ask", *names)
    first, second = work(town, "--concurrency", "2"), work(town, "--concurrency", "2")
    try:
        until = time.monotonic() + 60
        while not any(job["state"] == "running" for job in town.run("jobs", "list", "--json").json["jobs"]):
            assert time.monotonic() < until
        first.kill()
        until = time.monotonic() + 150
        while left := town.run("jobs", "list", "--json").json["jobs"]:
            assert time.monotonic() < until, left
            time.sleep(0.5)
    finally:
        first.kill()
        second.send_signal(signal.SIGTERM)
        assert second.wait(60) == 0
    for name, token in tokens.items():
        facts = node.ask("GET", "/v1/facts", token).json()["facts"]
        assert sum(fact["entity"] == "Bluebarn" and fact["field"] == "deadline" for fact in facts) == 1, name
        commits = subprocess.run(
            ["git", "log", "--format=%s"],
            cwd=town.folder / f"{name}.git",
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert len([line for line in commits.splitlines() if "Bluebarn" in line]) == 1, commits


def test_a_job_whose_home_is_gone_waits_and_says_why(town: Town) -> None:
    node = town.node("one")
    town.vault("ann")
    node.end()
    time.sleep(4)
    town.run("jobs", "ask", "ann")
    assert town.claw("work", "--once").code == 1
    (job,) = town.run("jobs", "list", "--json").json["jobs"]
    assert job["state"] == "waiting"
    assert job["next"]
    assert "cannot be reached" in job["error"]
    jobs = Jobs(Postgres(town.url))
    with jobs._transaction() as connection:
        connection.execute("update procrastinate_jobs set status = 'failed'")
    assert town.run("jobs", "list", "--json").json["jobs"][0]["state"] == "dead"
    with pytest.raises(NotFoundError, match="no dead job 999"):
        jobs.retry(999)
    town.run("jobs", "retry", str(job["id"]))
    assert [job.state for job in jobs.queued()] == ["waiting"]
    town.node("two")
    until = time.monotonic() + 60
    while town.run("fleet", "list", "--json").json["vaults"][0]["node"] != "two":
        assert time.monotonic() < until
        time.sleep(0.3)
    while jobs.queued():
        assert time.monotonic() < until
        town.claw("work", "--once")
        time.sleep(0.5)


def test_without_a_server_a_worker_says_so_in_a_sentence(tmp_path: Path) -> None:
    ran = Claw()("work", "--index", "postgresql://claw:hunter2@127.0.0.1:1/x")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "hunter2" not in ran.err
    assert json.dumps(str(tmp_path))


def test_a_worker_that_ends_keeps_the_job_it_has_begun_until_that_is_done(town: Town) -> None:
    node = town.node("one", "--lease", "300")
    token = town.vault("ann")
    captured(town, node, token, "s1")
    jobs = Jobs(Postgres(town.url))
    jobs.migrate()
    node.process.send_signal(signal.SIGSTOP)
    town.run("jobs", "ask", "ann")
    ending = work(town)
    try:
        until = time.monotonic() + 60
        while [job.state for job in jobs.queued()] != ["running"]:
            assert time.monotonic() < until
            time.sleep(0.2)
        ending.send_signal(signal.SIGTERM)
        time.sleep(SILENT + 2 * TICK)
        jobs.tick()
        assert [(job.state, job.tries) for job in jobs.queued()] == [("running", 0)]
        assert ending.poll() is None
        node.process.send_signal(signal.SIGCONT)
        assert ending.wait(60) == 0
        assert jobs.queued() == []
        assert "Bluebarn" in node.ask("GET", "/v1/facts", token).text
    finally:
        ending.kill()
        node.process.send_signal(signal.SIGCONT)
