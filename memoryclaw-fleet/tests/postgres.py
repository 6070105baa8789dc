"""A real PostgreSQL server of Debian's package, on a unix socket below a temporary folder, with a fresh database for each test."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

FAST = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_connections=200",
    "shared_buffers=128MB",
)


def binaries() -> Path:
    """The folder of `initdb`, `pg_ctl` and the rest, of the newest version there is."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if not folders:
        pytest.fail("these tests need PostgreSQL: apt-get install postgresql pgbouncer")
    return folders[-1]


class Server:
    """One server; the databases in it are cheap.

    Args:
        folder: an empty folder to work in; its path must be short, as that of a socket.
        settings: more of `postgresql.conf`.
    """

    def __init__(self, folder: Path, settings: Sequence[str] = FAST) -> None:
        self.folder, self.data = folder, folder / "data"
        self._settings = settings
        self._numbers = itertools.count(1)
        folder.chmod(0o755)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")

    def run(self, program: str, *args: str | Path) -> None:
        """Runs one of PostgreSQL's own programs, which refuse to run as root."""
        command = [str(binaries() / program), *map(str, args)]
        user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=self.folder,
            check=False,
            user=user.pw_uid if user else None,
            group=user.pw_gid if user else None,
        )
        assert ran.returncode == 0, f"{program}: {ran.stdout}{ran.stderr}"

    def init(self) -> None:
        """Makes an empty cluster whose superuser is `postgres`."""
        self.run(
            "initdb",
            "-D",
            self.data,
            "-A",
            "trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--locale",
            "C.UTF-8",
            "-N",
        )

    def start(self) -> None:
        """Starts it and waits until it answers."""
        # What its processes share lies in its own folder, which goes with it, and not beside what others have in /dev/shm.
        settings = ("listen_addresses=''", "dynamic_shared_memory_type=mmap", *self._settings)
        options = f"-k {self.folder} " + " ".join(f"-c {setting}" for setting in settings)
        self.run("pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stops it; `immediate` is a crash."""
        self.run("pg_ctl", "-D", self.data, "-w", "-m", mode, "stop")

    @property
    def pid(self) -> int:
        """The process of the server."""
        return int((self.data / "postmaster.pid").read_text().splitlines()[0])

    def url(self, database: str, user: str = "postgres") -> str:
        """How to reach one of its databases."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def execute(self, database: str, *statements: str) -> None:
        """Runs statements as the superuser."""
        import psycopg  # noqa: PLC0415 - tests of one vault need none of this

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)  # type: ignore[call-overload]

    def database(self, template: str = "template1") -> str:
        """A new database that the role `claw` owns, which is no superuser: row-level security holds for it."""
        name = f"d{next(self._numbers)}"
        self.execute("postgres", f"create database {name} template {template} owner claw")
        return name


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A server for all tests of one worker."""
    with tempfile.TemporaryDirectory(
        prefix="pg-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    ) as folder:
        server = Server(Path(folder))
        server.init()
        server.start()
        server.execute("postgres", "create role claw login createdb")
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture
def database_url(postgres_server: Server) -> str:
    """The URL of an empty database, for a role that owns it and is no superuser."""
    return postgres_server.url(postgres_server.database(), "claw")


@pytest.fixture(scope="session")
def template(postgres_server: Server) -> str:
    """A database with all our tables, to copy: making them takes seconds."""
    from memoryclaw_fleet.postgres import Postgres  # noqa: PLC0415
    from memoryclaw_fleet.postgres_index import STEPS  # noqa: PLC0415
    from memoryclaw_fleet.store import Fleet  # noqa: PLC0415 - as above

    name = postgres_server.database()
    server = Postgres(postgres_server.url(name, "claw"))
    server.migrate("index", STEPS)
    Fleet(server).migrate()
    server.close()
    return name


@pytest.fixture
def migrated_url(postgres_server: Server, template: str) -> str:
    """The URL of a database with all our tables, which are empty."""
    return postgres_server.url(postgres_server.database(template), "claw")
