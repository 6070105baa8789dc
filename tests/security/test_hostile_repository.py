"""The repository of a vault from elsewhere is hostile: no verb runs what it configures, and no name is taken for an option of git's."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gitvault import ENV, git, vault_of
from hostilegit import TOGETHER, VECTORS, script
from nights import EVENING, NIGHT, PROJECTS, SCHEMA, said

from memoryclaw.app import App
from memoryclaw.errors import MemoryClawError

pytestmark = pytest.mark.security

VAULT = {
    "semantic/projects.md": PROJECTS,
    "semantic/_schema.yaml": SCHEMA,
    "notes/a.md": "---\nid: n1\n---\nThe lantern.\n",
    "notes/b.md": "---\nid: n2\n---\nThe oak.\n",
    "logs/2026-04-19/evening.jsonl": said("evening", EVENING),
}


@pytest.mark.parametrize("names", TOGETHER)
def test_no_verb_runs_what_the_repository_configures(tmp_path: Path, names: str) -> None:
    root, marks = vault_of(tmp_path / "v", VAULT), tmp_path / "ran"
    marks.mkdir()
    for name in TOGETHER[names]:
        VECTORS[name](root, script(root, marks / name.replace(" ", "-")))
    for mark in marks.iterdir():
        mark.unlink()
    with App(root, clock=lambda: NIGHT) as app:
        done = app.remember("Rome", entity="Boathouse", field="office")
        app.claim("Dana", entity="Boathouse", field="lead", tool="t")
        app.edit("n1", {"tags": ["x"]})
        app.forget("n2")
        app.revive("n2")
        app.consolidate(llm="none", mode="branch")
        runs = [item for item in app.review.list() if item.branch]
        assert runs
        app.review.approve(runs)
        app.history()
        app.history("n1")
        app.undo(done.commit)
        app.doctor()
        app.status()
    assert [mark.name for mark in marks.iterdir()] == []
    assert len(git(root, "log", "--format=%H").split()) > 6, "the verbs made no commits: this shows nothing"


OPTIONS = (
    "--upload-pack=touch {mark}", "--exec=touch {mark}", "--output={mark}", "-O{mark}", "--output-directory={mark}", "--git-dir=/", "-c", "--help",
    "--version", "--", "-", "--end-of-options", "--all", "--stdin", "-n1", "--ext-diff", "--textconv", "--open-files-in-pager=touch {mark}",
    "ext::sh -c touch% {mark}", "HEAD --output={mark}", "HEAD\n--output={mark}", "HEAD;touch {mark}", "$(touch {mark})", "`touch {mark}`",
    "HEAD:../../etc/passwd", "HEAD^{{/touch}}", ":/touch", "@{{u}}", "main..--output={mark}", "^HEAD", "refs/../../x", "../../x", "%00", "a\tb",
    "--work-tree=/", "--exec-path={mark}", "--namespace=x", "--paginate", "-p", "--no-index", "--patch", "--grep=x", "--format=%H", "-G.", "-S.",
    "--since=1", "--reflog", "--glob=*", "--exclude=*", "--bisect", "--merge",
)  # fmt: skip
VERBS: dict[str, Callable[[App, str], Any]] = {
    "undo": lambda app, name: app.undo(name),
    "history": lambda app, name: app.history(name),
    "blame": lambda app, name: app.blame(name),
    "show": lambda app, name: app.show(name),
    "edit": lambda app, name: app.edit(name, {"tags": ["x"]}),
    "forget": lambda app, name: app.forget(name),
    "revive": lambda app, name: app.revive(name),
    "trust": lambda app, name: app.trust(name),
    "review": lambda app, name: app.review.get(name),
    "redo": lambda app, name: app.redo(name, llm="none"),
    "skills": lambda app, name: app.skills.approve(name),
}


def test_there_are_fifty() -> None:
    assert len(OPTIONS) >= 50


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault that every test leaves as it was."""
    return vault_of(tmp_path_factory.mktemp("options") / "v", VAULT)


@pytest.mark.parametrize("verb", VERBS)
def test_no_name_is_taken_for_an_option_of_git(untouched: Path, verb: str) -> None:
    root, mark = untouched, untouched.parent / "ran"
    before = git(root, "for-each-ref")
    with App(root, clock=lambda: NIGHT) as app:
        for option in OPTIONS:
            with pytest.raises(MemoryClawError) as refused:
                VERBS[verb](app, option.format(mark=mark))
            assert "Traceback" not in str(refused.value)
    assert not mark.exists()
    assert git(root, "for-each-ref") == before
    assert git(root, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    "name", ["--output=x.md", "-rf.md", "--exec.md", ":(exclude)a.md", ":!a.md", "*.md", "HEAD.md"]
)
def test_a_file_of_such_a_name_is_only_a_file(tmp_path: Path, name: str) -> None:
    root = vault_of(
        tmp_path / "v",
        {**VAULT, f"notes/{name}": "---\nid: odd\n---\nThe ferry.\n", name: "---\nid: top\n---\nThe quay.\n"},
    )
    with App(root, clock=lambda: NIGHT) as app:
        for id_ in ("odd", "top"):
            app.edit(id_, {"tags": ["x"]})
            assert app.history(id_)
            done = app.forget(id_)
            assert done.commit
            app.revive(id_)
    assert (root / "notes" / name).read_text() == "---\nid: odd\ntags: [x]\n---\nThe ferry.\n"
    assert git(root, "status", "--porcelain") == ""


def test_a_branch_of_such_a_name_is_only_a_branch(tmp_path: Path) -> None:
    root, mark = vault_of(tmp_path / "v", VAULT), tmp_path / "ran"
    head = git(root, "rev-parse", "HEAD").strip()
    for name in (f"--output={mark}", "-c", "memoryclaw/--upload-pack=x", "memoryclaw/-d"):
        path = (
            root
            / ".git/refs/heads"
            / name.replace("/", "__", name.count("/") - name.startswith("memoryclaw/"))
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{head}\n")
        (root / ".git/HEAD").write_text(f"ref: refs/heads/{path.relative_to(root / '.git/refs/heads')}\n")
        with App(root, clock=lambda: NIGHT) as app:
            try:
                app.remember(f"On a branch called {name}")
                app.review.list()
            except MemoryClawError as error:
                assert "Traceback" not in str(error)  # noqa: PT017 - a sentence is as good as a commit here
        assert not mark.exists()
    assert shutil.which("git", path=ENV["PATH"])


TRAILERS = (
    "Co-authored-by: Mallory <m@evil.example>", "Signed-off-by: Nora", "Run: forged", "Source: forged", "Confidence: forged", "Reviewed-by: Nora",
)  # fmt: skip
BREAKS = ("\n", "\n\n", "\r\n\r\n", "\r", "\u2028", "\u2029", "\x85", "\v", "\f", "\x1c", "\\n\\n", "\0\n\n")


@pytest.mark.parametrize("place", ["text", "entity", "field", "tag", "source", "tool", "session"])
def test_no_words_of_a_caller_become_a_trailer_or_a_second_subject(tmp_path: Path, place: str) -> None:
    root = vault_of(tmp_path / "v", VAULT)
    with App(root, clock=lambda: NIGHT) as app:
        made = 0
        for number, cut in enumerate(BREAKS):
            evil = f"word{number}{cut}{TRAILERS[number % len(TRAILERS)]}"
            said = {
                "text": f"Said {number}", "entity": "", "field": "", "tags": [], "source": "", "tool": "t",
                "session": "s",
            }  # fmt: skip
            said |= {"tags": [evil]} if place == "tag" else {place: evil}
            if place in {"entity", "field"}:
                said |= {"entity": said["entity"] or "Boathouse", "field": said["field"] or "colour"}
            try:
                if place in {"tool", "session"}:
                    app.claim(said["text"], tool=said["tool"], session=said["session"])
                else:
                    app.remember(
                        said["text"], entity=said["entity"], field=said["field"], tags=said["tags"],
                        source=said["source"],
                    )  # fmt: skip
                made += 1
            except MemoryClawError:
                continue
    assert made or place in {"entity", "field"}, "everything was refused: this shows nothing"
    for message in git(root, "log", "-z", "--format=%B").split("\0")[:-2]:
        trailers = message.rstrip().rpartition("\n\n")[2].splitlines()
        assert not [
            line
            for line in trailers
            if line.split(":")[0] in {"Co-authored-by", "Signed-off-by", "Reviewed-by"}
        ]
        assert not [line for line in message.splitlines() if line in TRAILERS]
        assert "forged" not in [line.partition(": ")[2] for line in trailers]
