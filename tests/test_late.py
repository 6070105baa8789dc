"""What is loaded at its first use: libraries, so that nothing else of the program may load them for a search, and patterns."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import pytest

from memoryclaw import init_vault, late, open_vault, rooms

_SEARCH = """
import sys
from memoryclaw import late, open_vault
with open_vault(sys.argv[1]) as app:
    app.search("boathouse")
print([place for place in late.PLACES.values() if place in sys.modules])
print([name for name in ("vault.edits", "writing.writer") if f"memoryclaw.{name}" in sys.modules])
"""


def test_a_search_of_what_is_indexed_loads_none_of_them_and_nothing_that_writes(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    init_vault(root)
    (root / "skills").mkdir(exist_ok=True)
    (root / "skills" / "paint.md").write_text("# Paint the boathouse\n")

    def loaded() -> list[str]:
        command = [sys.executable, "-c", _SEARCH, root]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")

    loaded()  # indexes
    assert loaded() == ["[]", "[]", ""]
    (root / "review").mkdir(exist_ok=True)
    decision = '{"at": "2026-01-02T10:00:00Z", "decision": "rejected", "kind": "fact", "fingerprint": "ab"}'
    (root / "review" / "decisions.jsonl").write_text(f"{decision}\n")
    assert loaded()[1] == "[]"


_RECALL = """
import sys
from memoryclaw import open_vault
with open_vault(sys.argv[1]) as app:
    assert app.recall("boathouse", session="s").context
print([name for name in sys.modules if name.startswith(("memoryclaw.consolidation.", "memoryclaw.talk.", "memoryclaw.history."))])
"""


def test_a_recall_for_a_session_at_work_loads_nothing_that_reads_talk(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    init_vault(root)
    (root / "skills").mkdir(exist_ok=True)
    (root / "skills" / "paint.md").write_text("# Paint the boathouse\n")
    with open_vault(root) as app:
        app.working.set("s", {"goal": "paint the boathouse"})
        app.recall("boathouse", session="t")  # what is looked at once
    command = [sys.executable, "-c", _RECALL, root]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_prompt_that_a_daemon_answers_loads_next_to_nothing() -> None:
    heavy = ("dataclasses", "hashlib", "pathlib", "memoryclaw.model", "memoryclaw.text.grammar")
    code = f"import sys, memoryclaw.interfaces.cli.hook_fast_path\nprint([name for name in {heavy} if name in sys.modules])"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("module", [late, rooms])
def test_a_name_is_the_module_that_its_type_says(module: Any) -> None:
    source = inspect.getsource(module)
    block = ast.parse(source[source.index("if TYPE_CHECKING:") :]).body[0]
    assert isinstance(block, ast.If)
    lines = [line for line in block.body if isinstance(line, ast.Import | ast.ImportFrom)]
    assert len(lines) == len(block.body)
    typed = {
        alias.asname or alias.name: ".".join(filter(None, (getattr(line, "module", ""), alias.name)))
        for line in lines
        for alias in line.names
    }
    assert typed == module.PLACES
    assert {name: getattr(module, name).__name__ for name in typed} == typed
    with pytest.raises(AttributeError, match="no attribute 'attic'"):
        module.attic  # noqa: B018


def test_a_pattern_is_compiled_when_it_is_first_run_and_stays_so() -> None:
    pattern = late.pattern("a(?P<rest>b+)", re.IGNORECASE)
    assert "compiled" not in vars(pattern)
    hit = pattern.search("xABBx")
    assert hit
    assert hit["rest"] == "BB"
    assert pattern.sub("-", "ab aB") == "- -"
    assert (pattern.pattern, pattern.flags & re.IGNORECASE) == (hit.re.pattern, re.IGNORECASE)
    assert vars(pattern)["compiled"] is hit.re
    with pytest.raises(re.error):
        late.pattern("(").search("a")


class _Late(late.NamedTuple):
    """A record."""

    name: str
    count: int | None = None
    names: tuple[str, ...] = ()

    @property
    def twice(self) -> str:
        """Its name, twice."""
        return self.name * 2


class _Early(typing.NamedTuple):
    """A record."""

    name: str
    count: int | None = None
    names: tuple[str, ...] = ()


def test_a_record_is_what_that_of_the_library_is_but_for_the_types_as_written() -> None:
    first, other = _Late("a", count=2), _Early("a", count=2)
    assert first == other
    assert (first.twice, first.count, first.names) == ("aa", 2, ())
    assert _Late._fields == _Early._fields
    assert _Late._field_defaults == _Early._field_defaults
    assert (_Late.__doc__, _Late.__module__, _Late.__qualname__) == (_Early.__doc__, __name__, "_Late")
    assert typing.get_type_hints(_Late) == typing.get_type_hints(_Early)
    assert pickle.loads(pickle.dumps(first)) == first
    assert first._replace(name="b").twice == "bb"
    with pytest.raises(TypeError):
        _Late()  # type: ignore[call-arg]
