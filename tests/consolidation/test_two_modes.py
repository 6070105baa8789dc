"""Law 5 over a night: the same files and clock make the same vault, whoever's hashes are seeded how; a model that fails costs nothing."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from conftest import Claw, Own, put
from gitvault import git, vault_of
from nights import LOGS, NIGHT, VAULT, consolidated, memory, tree
from servers.scripted import Asked, ModelServer, honest, line_of

SAMPLE = Path(__file__).parents[2] / "vault"
CLOCK = NIGHT.isoformat()


@pytest.fixture
def evening(tmp_path: Path) -> Path:
    """The sample vault as if none of its logs had been read, with a few more."""
    root = shutil.copytree(
        SAMPLE, tmp_path / "evening", ignore=shutil.ignore_patterns(".memoryclaw", "runs", "eval")
    )
    texts = {path: text for path, text in VAULT.items() if "projects" not in path and "_schema" not in path}
    vault_of(root, texts)
    return put(root, LOGS)


def answer(asked: Asked) -> str:
    """An honest report, also where no user spoke."""
    spoken = [
        item for item in asked.log if line_of(item).role == "user" and len(line_of(item).text.split()) > 2
    ]
    return json.dumps(honest(spoken) if spoken else {"title": "Nothing", "summary": "Nothing.", "claims": []})


def copies(root: Path, *names: str) -> list[Path]:
    return [shutil.copytree(root, root.parent / name) for name in names]


def files_of(root: Path) -> dict[str, object]:
    """The record of the only run."""
    (path,) = (root / "runs").glob("*.json")
    return json.loads(path.read_text())


def test_the_same_logs_make_the_same_vault_under_any_hash_seed(evening: Path) -> None:
    first, other = copies(evening, "one", "other")
    for root, seed in ((first, "0"), (other, "1")):
        claw = Claw(root, PYTHONHASHSEED=seed, MEMORYCLAW_NOW=CLOCK)
        assert claw("consolidate", "--llm", "none").code == 0
    assert len(list(first.glob("episodes/*.md"))) > len(list(evening.glob("episodes/*.md"))) + 3
    assert tree(first) == tree(other)
    assert git(first, "rev-parse", "HEAD") == git(other, "rev-parse", "HEAD")


@pytest.mark.laws
def test_a_server_that_refuses_changes_nothing_but_what_the_record_says_of_it(
    evening: Path, own: Own
) -> None:
    without, refused = copies(evening, "without", "refused")
    with ModelServer() as server:
        url = server.url
    own(f"llm:\n  chain: [ollama]\n  url: {url}\n  retries: 0\nconsolidation:\n  skillThreshold: 2\n")
    for root, llm in ((without, "none"), (refused, "auto")):
        consolidated(root, llm=llm)
    assert memory(without) == memory(refused)
    apart = {key for key, value in files_of(without).items() if files_of(refused)[key] != value}
    assert apart == {"degraded"}
    assert "no model answered" in str(files_of(refused)["degraded"])


@pytest.mark.laws
def test_an_honest_model_only_adds(evening: Path, own: Own) -> None:
    """Ids, paths, points and the facts of the patterns stay; the words around them may be the model's."""
    without, read = copies(evening, "without", "read")
    with ModelServer(answer) as server:
        own(f"llm:\n  chain: [ollama]\n  url: {server.url}\nconsolidation:\n  skillThreshold: 2\n")
        consolidated(without)
        consolidated(read, llm="auto")
        assert server.asked
    assert [path.name for path in sorted(read.glob("episodes/*"))] == [
        path.name for path in sorted(without.glob("episodes/*"))
    ]
    for path, data in memory(without).items():
        if path.startswith("episodes/"):
            points = [
                line.rpartition(" ^l")[0] for line in data.decode().splitlines() if line.startswith("- ")
            ]
            lines = (read / path).read_text().splitlines()
            assert [point for point in points if not any(line.startswith(point) for line in lines)] == []
    now = values_of(read)
    gone = [line for line in values_of(without) if not any(other.startswith(known(line)) for other in now)]
    assert [line for line in gone if not line.startswith('- "')] == []
    assert len(now) > len(values_of(without)) - len(gone)
    # A statement gives way only to facts of its line, and its words still stand in the episode that it cites.
    for line in gone:
        words, episode, block = re.fullmatch(r'- "(.+?)" .*\[\[(\S+?)#\^(\w+).*', line).groups()
        assert any(f"{episode}#^{block}" in other for other in now)
        assert words in (read / f"episodes/{episode}.md").read_text()


def known(line: str) -> str:
    """A line without its sources, of which there may be more."""
    return line.partition(" [source::")[0]


def values_of(root: Path) -> list[str]:
    """The lines of facts that count."""
    texts = [path.read_text() for path in sorted(root.glob("semantic/[a-z]*.md"))]
    return [line for text in texts for line in text.splitlines() if line.startswith("- ")]


@pytest.mark.laws
def test_a_vault_without_its_index_is_read_the_same(evening: Path) -> None:
    with_index, without = copies(evening, "with", "without")
    claw = Claw(with_index, MEMORYCLAW_NOW=CLOCK)
    assert claw("sync").code == 0
    assert claw("recall", "boathouse").code == 0
    shutil.rmtree(with_index / "ledger")
    consolidated(with_index)
    consolidated(without)
    assert tree(with_index) == tree(without)
