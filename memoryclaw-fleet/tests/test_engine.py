"""The index on PostgreSQL: the contract of every text engine, and the same answers as SQLite gives, to the last bit."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from conftest import Claw, Own, put
from engine_contract import EngineContract, OpenEngine, Opener, all_of, any_of, phrase, row, token, without
from gitvault import vault_of as git_vault
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from postgres import Server
from psycopg.conninfo import conninfo_to_dict
from test_engines_agree import clauses, columns_of_units, is_miscounted
from test_fts5 import open_fts5

from memoryclaw.app import App, open_vault
from memoryclaw.errors import IndexBusyError
from memoryclaw.index.bm25 import sound
from memoryclaw.index.index import fingerprint
from memoryclaw.ports import IndexClause, IndexRow
from memoryclaw_fleet.postgres import Postgres
from memoryclaw_fleet.postgres_index import PostgresDatabase, PostgresText, drop, translate

sys.path.append(
    os.fspath(Path(__file__).resolve().parents[2] / "benchmarks")
)  # last: a name there is that of a folder of tests
from generate import write

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 4, 20, 8, tzinfo=UTC)
QUESTIONS = (
    "boathouse deadline", "what is coming up this week?", "who is Nora", "penicillin", "skyline OR harbour", "tag:health",
    '"no must" -client', "what did we do in July 2025?", "Søren", "deadline kiosk since:2025-01-01", "boathous", "entity:Nora",
    "due:thisweek", "kind:turn email", "path:projects", "茶室", "wohnungsübergabe", 'say? OR (("', "a", "",
)  # fmt: skip


def open_postgres(url: str, name: str) -> OpenEngine:
    database = PostgresDatabase(Postgres(url), name, "", "test")
    return OpenEngine(database, PostgresText(database))


class TestPostgres(EngineContract):
    @pytest.fixture
    def opener(self, migrated_url: str) -> Opener:
        return lambda path: open_postgres(migrated_url, os.fspath(path))

    @pytest.fixture
    def opened(self, opener: Opener, tmp_path: Path) -> OpenEngine:
        return opener(tmp_path / "index")


# The same as FTS5.


def agree(
    ours: OpenEngine, theirs: OpenEngine, clause: IndexClause, limit: int, within: list[int] | None = None
) -> None:
    hits, expected = (opened.engine.find(clause, limit, within) for opened in (ours, theirs))
    cleaned = sound(clause)
    if cleaned and is_miscounted(cleaned):
        hits, expected = (opened.engine.find(clause, 10_000, within) for opened in (ours, theirs))
        assert {hit.rowid for hit in hits} == {hit.rowid for hit in expected}
    else:
        assert hits == expected
    assert ours.engine.count(clause) == theirs.engine.count(clause)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_any_corpus_and_any_question(
    data: st.DataObject, migrated_url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("corpus")
    ours, theirs = open_postgres(migrated_url, place.name), open_fts5(place)
    rows: dict[int, IndexRow] = {}
    first = 1
    for _ in range(data.draw(st.integers(1, 3))):
        added = [IndexRow(first + n, columns) for n, columns in enumerate(data.draw(columns_of_units))]
        drawn = data.draw(st.lists(st.sampled_from(sorted(rows)), unique=True)) if rows else []
        gone = [rows.pop(n) for n in drawn]
        first += len(added)
        rows.update((row_.rowid, row_) for row_ in added)
        for engine in (ours, theirs):
            with engine.writing() as writing:
                writing.remove(gone)
                writing.add(added)
    assert ours.engine.size() == theirs.engine.size()
    for clause in data.draw(st.lists(clauses, min_size=1, max_size=8)):
        within = data.draw(st.none() | st.lists(st.integers(1, max(first, 2))))
        agree(ours, theirs, clause, data.draw(st.integers(1, 10)), within)


def test_a_larger_corpus_with_rare_and_common_words(migrated_url: str, tmp_path: Path) -> None:
    dice = random.Random(20261124)
    vocabulary = [f"w{int(dice.paretovariate(0.8)) % 3000}" for _ in range(20_000)]
    ours, theirs = open_postgres(migrated_url, "larger"), open_fts5(tmp_path)
    rows = [
        row(
            n,
            " ".join(dice.choices(vocabulary, k=dice.randint(0, 90))),
            title=" ".join(dice.choices(vocabulary, k=3)),
        )
        for n in range(1, 6001)  # units of two chunks
    ]
    for start, end in itertools.pairwise([0, 4000, 4090, 4100, 5990, 6000]):
        for engine in (ours, theirs):
            with engine.writing() as writing:
                writing.remove(rows[start - 40 : start - 20 : 2] if start == 4100 else [])
                writing.add(rows[start:end])
    for _ in range(60):
        asked = dice.choices(vocabulary, k=dice.randint(1, 8))
        agree(ours, theirs, any_of(*map(token, asked)), 50)
        agree(ours, theirs, all_of(token(asked[0]), any_of(*map(token, asked[1:])), without(token("w7"))), 5)
        agree(ours, theirs, any_of(all_of(*map(token, asked[:2])), phrase(" ".join(asked[:2]), "body")), 20)


@pytest.fixture
def on_server(migrated_url: str, monkeypatch: pytest.MonkeyPatch, own: Own) -> str:
    """The indexes of vaults whose settings do not say otherwise are kept on this server."""
    own("index: {engine: postgres}\n")
    monkeypatch.setenv("MEMORYCLAW_INDEX_URL", migrated_url)
    return migrated_url


def sample(folder: Path, *, engine: str) -> App:
    if not folder.exists():
        shutil.copytree(ROOT / "vault", folder, ignore=shutil.ignore_patterns(".memoryclaw"))
    settings = f"owner: Nora\nindex: {{engine: {engine}}}\n"
    (folder / "memoryclaw.yaml").write_text(settings, encoding="utf-8")
    return open_vault(folder, clock=lambda: NOW)


def answers_of(app: App, question: str) -> object:
    recalled = app.recall(question)
    searched = app.search(question, limit=30)
    return (
        recalled.context, recalled.tokens, recalled.confidence, recalled.matches, recalled.left_out, recalled.degraded, searched.matches,
    )  # fmt: skip


def test_the_sample_vault_answers_the_same_and_its_index_holds_the_same(
    on_server: str, tmp_path: Path
) -> None:
    assert on_server
    ours, theirs = sample(tmp_path / "a", engine="postgres"), sample(tmp_path / "b", engine="fts5")
    for question in QUESTIONS:
        assert answers_of(ours, question) == answers_of(theirs, question), question
    assert fingerprint(ours.index) == fingerprint(theirs.index)
    assert ours.facts("Nora") == theirs.facts("Nora")
    assert ours.browse() == theirs.browse()
    assert ours.entities() == theirs.entities()
    assert ours.timeline() == theirs.timeline()
    assert ours.todos() == theirs.todos()


def test_recorded_answers_are_those_of_any_engine(on_server: str, tmp_path: Path) -> None:
    assert on_server
    app = sample(tmp_path / "a", engine="postgres")
    recorded = json.loads((ROOT / "tests/recall/recorded_answers.json").read_text(encoding="utf-8"))
    for question, expected in recorded.items():
        hits = [[match.unit.id, match.score] for match in app.search(question, limit=10).matches[:5]]
        assert hits == expected, question


def test_a_vault_of_a_thousand_notes_answers_alike_byte_for_byte(on_server: str, tmp_path: Path) -> None:
    claws, questions = {}, []
    for engine in ("postgres", "fts5"):
        root = tmp_path / engine
        questions = write(root, 1000)[:12]
        (root / "memoryclaw.yaml").write_text(f"index: {{engine: {engine}}}\n", encoding="utf-8")
        claws[engine] = Claw(root, MEMORYCLAW_INDEX_URL=on_server)
    for question in questions:
        for verb in ("search", "recall"):
            ours, theirs = (claws[engine](verb, "--json", question).out for engine in ("postgres", "fts5"))
            assert json.loads(ours)["query"] == question
            assert _CHANGING.sub("", ours) == _CHANGING.sub("", theirs), (verb, question)
    with open_vault(tmp_path / "postgres") as ours_app, open_vault(tmp_path / "fts5") as theirs_app:
        assert fingerprint(ours_app.index) == fingerprint(theirs_app.index)


_CHANGING = re.compile(r'"receipt": "[^"]*"|"timings_ms": \{[^}]*\}')


def test_what_another_process_writes_is_seen_at_once(on_server: str, tmp_path: Path) -> None:
    assert on_server
    root = put(tmp_path / "a", {"memoryclaw.yaml": "index: {engine: postgres}\n", "x.md": "apples\n"})
    first, second = (open_vault(root, clock=lambda: NOW) for _ in range(2))
    for n in range(6):
        assert len(first.search("apples").matches) == len(second.search("apples").matches) == n + 1
        put(
            root,
            {
                f"notes/{n}.md": f"apples, basket {n} of `pears`\n",
                "semantic/aliases.yaml": f"apples: [fruit{n}]\n",
            },
        )
        assert len(second.search(f"fruit{n}").matches) == n + 2
    (root / "x.md").unlink()
    assert len(second.search("apples").matches) == len(first.search("apples").matches) == 6


def test_an_index_kept_over_edits_equals_one_that_is_built(on_server: str, tmp_path: Path) -> None:
    assert on_server
    app = sample(tmp_path / "a", engine="postgres")
    dice = random.Random(7)
    files = sorted(path for path in (tmp_path / "a").rglob("*.md") if ".git" not in path.parts)
    for step in range(25):
        path = dice.choice(files)
        match dice.randrange(4):
            case 0:
                path.write_text(
                    f"# Note {step}\n\nwords {dice.random()} [[Nora]] #tag{step}\n", encoding="utf-8"
                )
            case 1:
                path.unlink(missing_ok=True)
            case 2:
                path.parent.mkdir(exist_ok=True, parents=True)
                path.write_text(
                    f"# Boathouse\n- deadline: 2027-01-{step + 1:02}\n- {'k' * 3000}: {'v' * 9000}\n",
                    encoding="utf-8",
                )
            case 3:
                put(
                    tmp_path / "a",
                    {f"notes/{step}.md": f"a\0b \\u0000 \\\\u0000 {'long' * 2500} https://x/{'y' * 5000}\n"},
                )
        app.sync()
        if step % 8 == 0:
            assert fingerprint(app.index) == fingerprint(rebuilt(app, tmp_path / f"fresh{step}")), step
    assert fingerprint(app.index) == fingerprint(rebuilt(app, tmp_path / "fresh"))


def rebuilt(app: App, folder: Path) -> object:
    """An index of the same vault from nothing, on the same server."""
    other = shutil.copytree(app.root, folder, ignore=shutil.ignore_patterns(".memoryclaw"))
    with open_vault(other, clock=lambda: NOW) as fresh:
        fresh.sync()
        return fresh.index


def test_a_vault_changes_engines_back_and_forth(on_server: str, tmp_path: Path) -> None:
    assert on_server
    answers = []
    for engine in ("fts5", "postgres", "whoosh", "postgres", "fts5"):
        with sample(tmp_path / "a", engine=engine) as app:
            put(tmp_path / "a", {"notes/more.md": f"# More\n\npancakes {len(answers)}\n"})
            answers.append([match.unit.id for match in app.search("boathouse pancakes").matches])
    assert all(answer == answers[0] for answer in answers)


def test_the_doctor_finds_a_lost_row_and_mends_it(on_server: str, tmp_path: Path) -> None:
    with sample(tmp_path / "a", engine="postgres") as app:
        app.sync()
        assert next(check for check in app.doctor() if check.name == "index").level == "ok"
        with app.index.database.writing() as connection:
            connection.execute("delete from posting where token = ?", ("nora",))
        assert next(check for check in app.doctor() if check.name == "index").level == "problem"
        app.doctor(fix=True)
        assert next(check for check in app.doctor() if check.name == "index").level == "ok"
    assert on_server


# Many vaults in one database.


def test_two_vaults_never_see_each_other(on_server: str, tmp_path: Path) -> None:
    vaults = {}
    for name in ("ann", "bob"):
        put(
            tmp_path / name,
            {
                "memoryclaw.yaml": "index: {engine: postgres}\n",
                "notes/x.md": f"# {name}\n\nsecret of {name}, apples\n",
            },
        )
        vaults[name] = open_vault(tmp_path / name, clock=lambda: NOW)
    for name, app in vaults.items():
        other = {"ann": "bob", "bob": "ann"}[name]
        assert [match.unit.id for match in app.search("apples").matches] == ["notes/x"]
        assert app.search(other).matches == ()
        assert f"secret of {other}" not in repr(answers_of(app, "secret apples"))
    vaults["ann"].index.discard()
    assert len(vaults["bob"].search("apples").matches) == 1
    drop(Postgres(on_server), vaults["bob"].index.database.place.partition("vault ")[2])
    assert len(vaults["ann"].search("apples").matches) == 1
    assert len(vaults["bob"].search("apples").matches) == 1  # built again


def test_a_query_of_ours_without_the_filter_sees_nothing_of_others(on_server: str, tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        put(
            tmp_path / name,
            {"memoryclaw.yaml": "index: {engine: postgres}\n", "notes/x.md": f"secret of {name}\n"},
        )
        open_vault(tmp_path / name).sync()
    with psycopg.connect(on_server) as connection:
        tables = [
            name
            for (name,) in connection.execute(
                "select relname from pg_class c join pg_namespace n on n.oid = relnamespace where nspname = 'memoryclaw' and relkind = 'p'"
            )
        ]
        assert len(tables) > 10
        for table in tables:
            assert connection.execute(f"select count(*) from memoryclaw.{table}").fetchone() == (0,), table
        numbers = [
            number for (number,) in connection.execute("select number from memoryclaw.vault order by number")
        ]
        connection.execute("select set_config('memoryclaw.vault', %s, false)", (str(numbers[0]),))
        for table in tables:
            rows = connection.execute(f"select distinct vault from memoryclaw.{table}").fetchall()
            assert rows in ([], [(numbers[0],)]), table


def test_each_query_touches_one_partition(
    on_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert on_server
    app = sample(tmp_path / "a", engine="postgres")
    asked: dict[str, object] = {}
    monkeypatch.setattr(
        "memoryclaw_fleet.postgres_index.translate",
        lambda sql: asked.setdefault(sql, None) or translate(sql),
    )
    for question in QUESTIONS:
        answers_of(app, question)
    app.browse()
    app.entities()
    app.stats()
    monkeypatch.undo()
    selects = [sql for sql in asked if sql.lstrip().startswith(("select", "with"))]
    assert len(selects) > 25
    database = app.index.database
    assert isinstance(database, PostgresDatabase)
    with database.session() as raw:
        for sql in selects:
            translated = translate(sql)
            values = [database.number()] * translated.own + [None] * len(translated.picked)
            plan = "\n".join(
                line
                for (line,) in raw.execute(f"explain (costs off) {typed(translated.sql)}", values).fetchall()
            )
            touched = set(re.findall(r"\bon (\w+?)_(\d+)\b", plan))
            assert len({number for _, number in touched}) <= 1, plan


def typed(sql: str) -> str:
    """Without a value nobody can tell the type of a place; that of a list is told by what stands before it."""
    return sql.replace("limit %s", "limit %s::int").replace(" || %s", " || %s::text")


def test_who_writes_waits_a_moment_for_another_writer_and_is_then_told(migrated_url: str) -> None:
    first, second = open_postgres(migrated_url, "one"), open_postgres(migrated_url, "one")
    second.put(row(1, "a"))
    with first.writing(), pytest.raises(IndexBusyError, match="try again"):
        second.put(row(3, "c"))
    assert open_postgres(migrated_url, "one").rowids(token("a")) == [1]
    open_postgres(migrated_url, "two").put(row(1, "other"))
    assert second.rowids(token("other")) == []


def test_another_recipe_builds_the_rows_of_that_vault_anew_and_no_others(migrated_url: str) -> None:
    first, second = open_postgres(migrated_url, "one"), open_postgres(migrated_url, "two")
    first.put(row(1, "a"))
    second.put(row(1, "a"))
    database = PostgresDatabase(Postgres(migrated_url), "one", "", "a newer one")
    newer = OpenEngine(database, PostgresText(database))
    assert newer.rowids(token("a")) == []
    assert database.rebuilt
    assert second.rowids(token("a")) == [1]


# What goes wrong.


def test_without_a_server_a_question_fails_in_one_sentence_and_what_is_written_is_kept(
    tmp_path: Path, own: Own
) -> None:
    own("index: {engine: postgres}\n")
    root = put(tmp_path / "vault", {"memoryclaw.yaml": "index: {engine: postgres}\n"})
    claw = Claw(root, MEMORYCLAW_INDEX_URL="postgresql://claw:hunter2@127.0.0.1:1/x")
    asked = claw("search", "boathouse")
    assert asked.code == 1
    assert "cannot be reached" in asked.err
    assert "hunter2" not in asked.err
    assert asked.err.count("\n") == 1
    captured = claw("capture", stdin='{"session": "s", "turn": 1, "role": "user", "content": "hello"}\n')
    assert captured.code == 0, captured.err
    assert "hello" in "".join(path.read_text() for path in (root / "logs").rglob("*.jsonl"))


def test_what_is_written_needs_no_server(tmp_path: Path, own: Own) -> None:
    own("index: {engine: postgres}\n")
    root = git_vault(
        tmp_path / "vault",
        {
            "memoryclaw.yaml": "index: {engine: postgres}\n",
            "semantic/projects.md": "# Boathouse\n- deadline: 2027-02-01\n",
        },
    )
    claw = Claw(root, MEMORYCLAW_INDEX_URL="postgresql://claw:hunter2@127.0.0.1:1/x")
    for said in (
        ("remember", "--entity", "Boathouse", "--field", "deadline", "2027-03-01"),
        ("edit", "semantic/projects#Boathouse.deadline", "--set", "value=2027-04-02"),
    ):
        done = claw(*said)
        assert done.code == 0, done.err
        assert "the index follows when it is back" in done.err
        assert "hunter2" not in done.err
    assert "deadline: 2027-04-02" in (root / "semantic/projects.md").read_text()


def test_a_writer_that_is_killed_leaves_the_last_commit_and_keeps_nobody_out(
    on_server: str, tmp_path: Path
) -> None:
    assert on_server
    root = tmp_path / "a"
    app = sample(root, engine="postgres")
    app.sync()
    before = after = fingerprint(app.index)
    for at in itertools.count(4, 5):
        put(root, {f"notes/{n}.md": f"boathouse, number {n} at {at}\n" for n in range(30)})
        ended = subprocess.run([sys.executable, "-c", _KILLED, root, str(at)], check=False).returncode
        after = fingerprint(app.index)
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
        assert after == before, at
    assert at > 30
    assert after == fingerprint(rebuilt(app, tmp_path / "fresh"))
    assert after != before


# Syncs a vault, and is killed at some statement of it.
_KILLED = """
import itertools, os, signal, sys
import psycopg
from memoryclaw.app import open_vault

statements = itertools.count(1)
execute = psycopg.Cursor.execute

def counted(*asked, **more):
    if next(statements) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return execute(*asked, **more)

psycopg.Cursor.execute = counted
open_vault(sys.argv[1]).sync()
"""


# Behind a pooler that gives each transaction another connection.


@pytest.fixture
def pooled_url(postgres_server: Server, migrated_url: str, tmp_path: Path) -> Iterator[str]:
    """The same database behind PgBouncer with two connections in transaction mode."""
    folder = postgres_server.folder / "pooler"  # its path must be short
    folder.mkdir()
    folder.chmod(0o777)
    database = conninfo_to_dict(migrated_url)["dbname"]
    (folder / "pgbouncer.ini").write_text(
        f"""[databases]
{database} = host={postgres_server.folder} user=claw
[pgbouncer]
pool_mode = transaction
default_pool_size = 2
auth_type = any
listen_port = 6432
listen_addr =
unix_socket_dir = {folder}
logfile = {folder}/log
""",
        encoding="utf-8",
    )
    user = "postgres" if os.geteuid() == 0 else None
    command = [shutil.which("pgbouncer") or "/usr/sbin/pgbouncer", "-q", folder / "pgbouncer.ini"]
    with subprocess.Popen(command, user=user, stderr=subprocess.DEVNULL) as pooler:
        try:
            deadline = time.monotonic() + 10
            while not (folder / ".s.PGSQL.6432").exists():
                assert pooler.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < deadline
                time.sleep(0.02)
            yield f"postgresql://claw@/{database}?host={folder}&port=6432"
        finally:
            pooler.terminate()
    shutil.rmtree(folder)


def test_behind_a_pooler_vaults_are_written_and_asked_at_once(
    pooled_url: str, migrated_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYCLAW_INDEX_URL", pooled_url)
    monkeypatch.setenv("XDG_CONFIG_HOME", os.fspath(tmp_path / "own"))
    put(tmp_path / "own", {"memoryclaw/config.yaml": "index: {engine: postgres, prepared: false}\n"})
    settings = "index: {engine: postgres}\n"

    def kept(name: str) -> list[list[str]]:
        root = put(tmp_path / name, {"memoryclaw.yaml": settings, "notes/0.md": f"apples of {name}\n"})
        answers = []
        with open_vault(root, clock=lambda: NOW) as app:
            for n in range(1, 12):
                put(root, {f"notes/{n}.md": f"apples of {name}, basket {n}\n"})
                answers.append(sorted(match.snippet for match in app.search("apples", limit=30).matches))
                assert len(app.recall("apples").matches) > 0
            assert fingerprint(app.index) == fingerprint(rebuilt(app, tmp_path / f"fresh-{name}"))
        return answers

    names = [f"v{n}" for n in range(6)]
    with ThreadPoolExecutor(6) as threads:
        for name, answers in zip(names, threads.map(kept, names), strict=True):
            for n, snippets in enumerate(answers, 1):
                assert len(snippets) == n + 1
                assert all(f"apples of {name}" in snippet for snippet in snippets)
    with psycopg.connect(migrated_url) as connection:  # nothing stays set in a connection that others get
        count = connection.execute("select count(*) from memoryclaw.vault").fetchone()
    assert count == (12,)


def test_without_a_place_the_settings_say_what_is_missing(tmp_path: Path, own: Own) -> None:
    own("index: {engine: postgres}\n")
    root = put(
        tmp_path / "vault", {"memoryclaw.yaml": "index: {engine: postgres, url: postgresql://thief@evil/x}\n"}
    )
    asked = Claw(root)("search", "boathouse")
    assert asked.code == 1
    assert "MEMORYCLAW_INDEX_URL" in asked.err
    own("")
    (root / "memoryclaw.yaml").write_text("index: {url: postgresql://thief@evil/x}\n", encoding="utf-8")
    assert "index.url is read only from your own settings" in Claw(root)("doctor").out


def test_after_a_restart_of_the_server_answers_come_again(
    postgres_server: Server, on_server: str, tmp_path: Path
) -> None:
    assert on_server
    app = sample(tmp_path / "a", engine="postgres")
    before = answers_of(app, "boathouse deadline")
    postgres_server.stop("fast")
    postgres_server.start()
    assert answers_of(app, "boathouse deadline") == before


def test_what_two_people_say_differently_is_a_conflict_here_too(on_server: str, tmp_path: Path) -> None:
    assert on_server
    root = git_vault(tmp_path / "v", {"memoryclaw.yaml": "index: {engine: postgres}\n"})
    for day, who, rent in (("2026-04-01", "Rhea", 700), ("2026-04-02", "Bruno", 900)):
        turn = {"ts": f"{day}T09:00:00Z", "session": who, "turn": "1", "role": "user", "name": who}
        text = f"The rent of the boathouse is {rent} euros."
        put(root, {f"logs/{day}/{who}.jsonl": json.dumps({**turn, "content": text}) + "\n"})
        with open_vault(root, clock=lambda: NOW) as app:
            app.consolidate(llm="none")
    with open_vault(root, clock=lambda: NOW) as app:
        assert [item.kind for item in app.review.list()] == ["conflict"]
        assert app.recall("what is the rent of the boathouse?").context.count("(conflicts with") == 2
