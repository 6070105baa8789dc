"""What tests build on: vaults made of a few files, the installed command, and a guard around the machine."""

from __future__ import annotations

import gc
import hashlib
import json
import os
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

# Compiled once for all workers, for the processes that tests start and for the next run, and never beside the sources: `make clean` removes it.
BYTECODE = Path(sys.prefix) / "bytecode"
sys.pycache_prefix, sys.dont_write_bytecode = os.fspath(BYTECODE), False

from forked import GRAFT, PATIENCE, STEM, Grown  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402 - pytest would rewrite all of it in every process

pytest_plugins = ["trials", "worker"]  # of the campaign of faults only its own tests ask for anything
GUARD = Path(__file__).parent / "guard"
# Processes that tests start import it by its name; this one may have imported another of that name, as Debian's Python has one.
runpy.run_path(os.fspath(GUARD / "sitecustomize.py"))

# Half of a test's time would be waiting for a disk to have what was just written; a kill of a process, which tests try, loses no more
# in memory. `TMPDIR=/var/tmp make test` tries a disk.
MEMORY, ROOM = Path("/dev/shm"), 4 << 30
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ["TMPDIR"], tempfile.tempdir = os.fspath(MEMORY), None

# How long it takes to think of an example says something of the machine, and nothing of the code.
PATIENT = {"max_examples": 50, "deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", **{**PATIENT, "max_examples": 20}, derandomize=True)
settings.register_profile("search", **PATIENT)

COMMAND = Path(sys.executable).with_name("memoryclaw")
NOW = "2026-04-20T08:00:00Z"
NO_MODELS = "llm:\n  chain: []\n"
PRIVATE = (
    "MEMORYCLAW_VAULT", "MEMORYCLAW_AUDIENCE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME",
    "NO_COLOR", "FORCE_COLOR",
)  # fmt: skip
Files = Mapping[str, str | bytes]
VaultOf = Callable[[Files], Path]


def pytest_configure(config: pytest.Config) -> None:
    """`make test` tries the same examples each time, so that a failure is of the change; `make test-laws` looks for new ones."""
    settings.load_profile("search" if config.option.markexpr == "laws" else "same")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The laws are in few files: a worker that imports them alone is small, and each of its thousands of forks costs half. So are the pages."""
    suite = config.option.markexpr
    if suite not in {"laws", "docs"} or not collection_path.name.startswith("test_"):
        return None
    return f"mark.{suite}" not in collection_path.read_text(encoding="utf-8") or None


def pytest_collection() -> None:
    """Nothing that is collected ever goes, so nothing is looked for among it."""
    gc.disable()


def pytest_collection_finish() -> None:
    """The same for the rest of the session."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def guarded_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Nothing a test does reaches the person's own vault, git settings or network."""
    home = tmp_path_factory.mktemp("home")
    put(home, {".config/memoryclaw/config.yaml": NO_MODELS})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", os.fspath(home))
        patch.setenv("PYTHONPATH", os.fspath(GUARD), prepend=os.pathsep)
        patch.setenv("PYTHONPYCACHEPREFIX", os.fspath(BYTECODE))
        patch.setenv("MEMORYCLAW_NOW", NOW)
        # Without the cache above every process of the suite would compile everything anew.
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        for name in (*PRIVATE, *(key for key in os.environ if key.startswith("GIT_"))):
            patch.delenv(name, raising=False)
        yield home
        STEM.close()
        GRAFT.close()


def put(root: Path, files: Files) -> Path:
    """Writes files below a folder and returns the folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


@pytest.fixture
def vault_of(tmp_path: Path) -> VaultOf:
    """Makes a vault of the given files: `vault_of({"semantic/projects.md": "..."})`; it has an id of its own."""
    vault_id = hashlib.md5(os.fsencode(tmp_path), usedforsecurity=False).hexdigest()
    return lambda files: put(tmp_path / "vault", {"memoryclaw.yaml": f"vault:\n  id: {vault_id}\n", **files})


def put_own(folder: Path, text: str, patch: pytest.MonkeyPatch) -> Path:
    """Writes the user's own settings below a folder, and has them count."""
    patch.setenv("XDG_CONFIG_HOME", os.fspath(folder))
    return put(folder, {"memoryclaw/config.yaml": text}) / "memoryclaw/config.yaml"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Writes the user's own settings, of a user who has nothing else; returns the file: `own("llm: {chain: [ollama]}")`."""

    return lambda text: put_own(tmp_path / "own-settings", text, monkeypatch)


Own = Callable[[str], Path]


class Ran(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, read as JSON."""
        assert self.out, self
        return json.loads(self.out)


def _anew(words: Sequence[str]) -> list[str]:
    return [sys.executable if words[:1] == ["-c"] else os.fspath(COMMAND), *words]


class Claw:
    """Runs the command, or `-c` and code, as a process of its own; `anew` is the installed one, imports and all."""

    def __init__(self, vault: Path | None = None, *, anew: bool = False, **env: str) -> None:
        self.vault = vault
        self.anew = anew
        self.env = env

    def __call__(self, *args: str | Path, stdin: str = "", cwd: Path | None = None) -> Ran:
        """Runs one command and waits for its end."""
        words, env = list(map(os.fspath, args)), self.environment()
        if not self.anew and STEM.fits(env):
            return Ran(*STEM.run(words, stdin=stdin, environ=env, cwd=cwd))
        done = subprocess.run(
            _anew(words),
            input=stdin, capture_output=True, encoding="utf-8", env=env, cwd=cwd, timeout=PATIENCE, check=False,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout, done.stderr)

    def each(self, lines: Sequence[Sequence[str | Path]], *, stdin: str = "") -> list[Ran]:
        """Runs commands one after the other in one process, at half the cost: for what a look prints, whatever came before it."""
        words, env = [[*map(os.fspath, line)] for line in lines], self.environment()
        if self.anew or not STEM.fits(env):
            return [self(*line, stdin=stdin) for line in words]
        return [Ran(*ended) for ended in STEM.run_each(words, stdin=stdin, environ=env)]

    def start(self, *args: str | Path, **kwargs: Any) -> subprocess.Popen[bytes]:
        """Starts one command and leaves it running."""
        env = self.environment()
        if sys.platform == "linux" and not self.anew and STEM.fits(env):
            return Grown(["memoryclaw", *map(os.fspath, args)], env=env, **kwargs)
        # A suite that runs in the background of a shell passes on that Ctrl-C is ignored; a person's terminal does not.
        heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        command = _anew([*map(os.fspath, args)])
        return subprocess.Popen(command, env=env, preexec_fn=heard, **kwargs)  # noqa: PLW1509 - no threads here

    def environment(self) -> dict[str, str]:
        """The process environment, with this vault in it."""
        chosen = {"MEMORYCLAW_VAULT": os.fspath(self.vault)} if self.vault else {}
        return {**os.environ, **chosen, **self.env}


@pytest.fixture
def claw() -> Claw:
    """The command without a vault of its own."""
    return Claw()


def git(root: Path, *args: str) -> str:
    """What git prints when run in a vault."""
    who = ("-c", "user.name=Nora", "-c", "user.email=nora@example.org")
    done = subprocess.run(["git", *who, *args], cwd=root, capture_output=True, encoding="utf-8", check=True)
    return done.stdout


STUDIO: Files = {
    "semantic/projects.md": (
        "# Boathouse\n- deadline: 2026-12-11 [since:: 2025-11-20]\n- client: [[Nordmole]]\n\n"
        "## History\n- deadline: 2025-06-27 [since:: 2025-05-20] [until:: 2025-11-20]\n\n"
        "# Kiosk\n- deadline: 2026-02-19\n"
    ),
    "semantic/aliases.yaml": "boathouse: [rowing club]\n",
    "episodes/2025-07-08_17-25-00_penicillin.md": (
        "---\nid: ep-penicillin\ntimestamp: 2025-07-08T17:25:00Z\ntags: [health, nora]\n"
        "summary: Nora reacted to penicillin\npin: true\n---\n\nShe must not take penicillin again. See [[projects]] and [[Nowhere]].\n"
    ),
    "episodes/2025-09-04_15-40-00_wind-plan.md": (
        "---\nid: ep-wind\ntimestamp: 2025-09-04T15:40:00Z\ntags: [island]\nsummary: Wind plan for the island\n---\n\n"
        "# Plan\n\nMasts down at 21:15.\n\n# After\n\nA perfect Saturday.\n"
    ),
    "notes/moon.md": "# Moon pancakes\n\nBuckwheat, oat milk, a pinch of salt.\n",
    "skills/send-update/SKILL.md": (
        "---\nname: send-update\ndescription: Send the weekly update to everyone\n---\n\n1. Write five lines.\n2. Send them.\n"
    ),
    "logs/2025-10-21/kanazawa.jsonl": (
        '{"ts":"2025-10-21T09:00:00Z","session":"kanazawa","turn":1,"role":"user","content":"Where are the dowels?"}\n'
        '{"ts":"2025-10-21T09:01:00Z","session":"kanazawa","turn":2,"role":"assistant","content":"In the biscuit tin."}\n'
    ),
}


@pytest.fixture
def studio(vault_of: VaultOf) -> Path:
    """A vault with one of everything."""
    return vault_of(STUDIO)


@pytest.fixture
def asked(studio: Path) -> Claw:
    """The command, pointed at the vault with one of everything."""
    return Claw(studio)
