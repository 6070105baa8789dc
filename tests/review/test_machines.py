"""`sync --with-git`: two clones of one vault, one effect after the other, on disk, in git and in the answer."""

from __future__ import annotations

import json
import signal
import subprocess
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import Claw
from gitvault import ENV, copy_repositories, git
from hostilegit import script

from memoryclaw.app import App
from memoryclaw.errors import ConflictError, HistoryError, InputError
from memoryclaw.history.repository import History
from memoryclaw.writing.decisions import Decisions

NOW = datetime(2026, 11, 25, 10, tzinfo=UTC)
LATER = datetime(2026, 11, 27, 10, tzinfo=UTC)
FIRST = {
    ".gitignore": ".memoryclaw/\nworking/\nlogs/\nledger/\n",
    "memoryclaw.yaml": "# mine\n",
    "semantic/people.md": "# Anna\n- city: Bern\n",
    "notes/plan.md": "# Plan\n\nPaint the door.\nBuy nails.\nCall Bob.\n",
}


class Copy:
    """One clone."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def app(self, now: datetime = NOW) -> App:
        return App(self.root, clock=lambda: now)

    def write(self, path: str, text: str | bytes, *, commit: bool = True) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
        if commit:
            git(self.root, "add", "-f", "--", path)
            git(self.root, "commit", "-qm", f"by hand: {path}", "--", path)

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def exchange(self, now: datetime = NOW, **how: bool):
        with self.app(now) as app:
            return app.exchange(**how)

    def tree(self) -> str:
        return git(self.root, "rev-parse", "HEAD^{tree}").strip()

    def head(self) -> str:
        return git(self.root, "rev-parse", "HEAD").strip()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault on two machines."""
    folder = tmp_path_factory.mktemp("copies")
    hub = folder / "hub.git"
    hub.mkdir()
    git(hub, "init", "-q", "--bare", "-b", "main", "--template=")
    for name in ("a", "b"):
        git(folder, "clone", "-q", "--template=", str(hub), name)
    first, second = Copy(folder / "a"), Copy(folder / "b")
    git(first.root, "switch", "-qc", "main")
    for path, text in FIRST.items():
        first.write(path, text)
    git(first.root, "push", "-q", "origin", "main")
    git(second.root, "pull", "-q", "origin", "main")
    return folder


@pytest.fixture
def copies(made: Path, tmp_path: Path) -> tuple[Copy, Copy]:
    copy_repositories(made, tmp_path)
    return Copy(tmp_path / "a"), Copy(tmp_path / "b")


def settle(first: Copy, second: Copy, now: datetime = NOW):
    """Both exchange until they are alike; what the one that merged was told."""
    first.exchange(now)
    done = second.exchange(now)
    first.exchange(now)
    assert first.tree() == second.tree()
    assert git(first.root, "status", "--porcelain") == git(second.root, "status", "--porcelain") == ""
    return done


def test_what_each_did_is_on_both_and_the_merge_tells_of_it(copies: tuple[Copy, Copy]) -> None:
    first, second = copies
    with first.app() as app:
        app.remember("a@x.org", entity="Anna", field="email")
    with second.app() as app:
        app.remember("555", entity="Anna", field="phone")
    done = settle(first, second)
    text = first.read("semantic/people.md")
    assert text == second.read("semantic/people.md")
    assert text.count("# Anna") == 1
    assert "email: a@x.org" in text
    assert "phone: 555" in text
    assert (done.received, done.sent, done.remote) == (1, 2, "origin/main")
    assert len(git(second.root, "rev-list", "--parents", "-1", done.merge).split()) == 3
    message = git(second.root, "show", "-s", "--format=%B", done.merge)
    assert message.startswith("Merge origin/main into this vault\n")
    assert "- semantic/people.md\n" in message
    assert git(second.root, "rev-parse", "origin/main").strip() == second.head(), (
        "git itself knows where the other copy is"
    )
    assert second.exchange() == done._replace(received=0, sent=0, merge="", files=(), told=())


def test_one_field_set_on_both_days_apart_keeps_the_later_and_the_other_in_history(
    copies: tuple[Copy, Copy],
) -> None:
    first, second = copies
    with first.app(LATER) as app:
        app.remember("Rome", entity="Anna", field="city")
    with second.app(NOW) as app:
        app.remember("Oslo", entity="Anna", field="city")
    settle(first, second, LATER)
    assert first.read("semantic/people.md") == (
        "# Anna\n- city: Rome [since:: 2026-11-27]\n\n## History\n- city: Bern [until:: 2026-11-25]\n"
        "- city: Oslo [since:: 2026-11-25] [until:: 2026-11-27]\n"
    )


def test_one_field_set_on_both_on_one_day_is_asked_in_review_and_answered_on_either(
    copies: tuple[Copy, Copy],
) -> None:
    first, second = copies
    for copy, city in ((first, "Rome"), (second, "Oslo")):
        with copy.app() as app:
            app.remember(city, entity="Anna", field="city")
    done = settle(first, second)
    assert "waits in review" in done.told[0]
    with first.app() as app:
        (item,) = app.review.list()
        assert item.fact is not None
        assert {item.fact.value, item.fact.known} == {"Rome", "Oslo"}
        assert [fact.value for _, fact in app.facts("Anna")] == [item.fact.known]
        app.review.reject([item])
    settle(first, second)
    with second.app() as app:
        assert not app.review.list()
        assert [fact.value for _, fact in app.facts("Anna")] == [item.fact.known]


GERMAN = ("# Größe", "", "eins", "zwei", "drei")
CELLS = "# People\n\n| name | city | phone |\n|---|---|---|\n| Anna | {} | {} |\n"
DECISION = '{{"at": "2026-11-25T{}:00:00Z", "decision": "{}", "kind": "fact", "fingerprint": "f{}"}}\n'
FORGOTTEN = '{"at": "2026-11-25T13:00:00Z", "decision": "forgotten", "kind": "lines", "lines": ["logs/2026-11-24/s1.jsonl#1-1@0123456789abcdef"]}\n'


def _decided(*decisions: tuple[str, str, str]) -> str:
    return "".join(DECISION.format(*decision) for decision in (("08", "approved", "1"), *decisions))


# What a file was, what either made of it, and what it is on both.
MERGED = {
    "semantic/work.md": (
        "",
        "# Boathouse\n- deadline: May\n\n# Crane\n- owner: Bo\n",
        "# Boathouse\n- lead: Dana\n\n# Dock\n- owner: Cy\n",
        "# Boathouse\n- deadline: May\n- lead: Dana\n\n# Crane\n- owner: Bo\n\n# Dock\n- owner: Cy\n",
    ),
    "semantic/contacts.md": tuple(CELLS.format(*cells) for cells in (("Bern", "1"), ("Rome", "1"), ("Bern", "2"), ("Rome", "2"))),
    **{
        f"notes/de{len(mark)}{len(end)}.md": tuple(
            mark + end.join(text) for text in (GERMAN, (*GERMAN[:2], "1", *GERMAN[3:]), (*GERMAN[:4], "3", "中文"), (*GERMAN[:2], "1", "zwei", "3", "中文"))
        )
        for mark in ("", "\ufeff") for end in ("\n", "\r\n")
    },
    "review/decisions.jsonl": (
        _decided(),
        _decided(("09", "approved", "x"), ("12", "rejected", "x")) + FORGOTTEN,
        _decided(("10", "rejected", "x"), ("11", "approved", "x")),
        _decided(("09", "approved", "x"), ("10", "rejected", "x"), ("11", "approved", "x"), ("12", "rejected", "x")) + FORGOTTEN,
    ),
}  # fmt: skip
BINARY = b'{"a": 1}\0\n', b'{"a": 1,\n "b": 2}\0\n', b'{"a": 1,\n "c": 3}\0\n'


def test_a_file_that_both_changed_has_both_changes_and_its_form_or_is_kept_twice(
    copies: tuple[Copy, Copy],
) -> None:
    first, second = copies
    files = MERGED | {"notes/b.bin": BINARY, "notes/x.json": BINARY}
    for path, (before, *_) in files.items():
        if before:
            first.write(path, before)
    settle(first, second)
    for path, (_, here, there, *_) in files.items():
        first.write(path, here)
        second.write(path, there)
    done = settle(first, second)
    work, *others = MERGED
    assert Counter(first.read(work).split("\n")) == Counter(MERGED[work][-1].split("\n"))
    assert {path: first.read(path) for path in others} == {path: MERGED[path][-1] for path in others}
    for name in ("b", "x"):
        kept = [path.read_bytes() for path in (first.root / "notes").glob(f"{name}.*")]
        assert sorted(kept) == [*BINARY[1:]]
    assert len(done.told) == 2
    decisions = Decisions.read(first.read("review/decisions.jsonl"))
    assert decisions.is_rejected("fx")
    assert decisions.forgotten
    with first.app() as app:
        assert {(f.entity, f.field) for _, f in app.facts() if f.entity in ("Boathouse", "Dock")} == {
            ("Boathouse", "deadline"), ("Boathouse", "lead"), ("Dock", "owner")
        }  # fmt: skip


def test_the_same_line_changed_on_both_leaves_the_other_version_beside(copies: tuple[Copy, Copy]) -> None:
    first, second = copies
    first.write("notes/plan.md", FIRST["notes/plan.md"].replace("the door", "the red door"))
    second.write("notes/plan.md", FIRST["notes/plan.md"].replace("the door", "the blue door"))
    done = settle(first, second)
    (copy,) = (path for path in done.files if "sync-conflict" in path)
    assert copy.startswith("notes/plan.sync-conflict-2")
    versions = {first.read("notes/plan.md"), first.read(copy)}
    assert len(versions) == 2
    assert not any("<<<<" in text for text in versions)
    assert {"red", "blue"} == {word for text in versions for word in ("red", "blue") if word in text}
    with first.app() as app:
        assert any(p.path == copy for p in app.status().problems), "a person is told of it"


def test_settings_that_both_added_stay_readable(copies: tuple[Copy, Copy]) -> None:
    first, second = copies
    first.write("memoryclaw.yaml", "# mine\nretrieval:\n  budget: 500\n")
    second.write("memoryclaw.yaml", "# mine\nretrieval:\n  budget: 700\n")
    done = settle(first, second)
    assert any("memoryclaw.sync-conflict" in path for path in done.files)
    with first.app() as app:
        assert app.config.budget in (500, 700)
        assert not app.config.notices


def test_a_change_outlives_a_deletion_and_is_said(copies: tuple[Copy, Copy]) -> None:
    first, second = copies
    git(first.root, "rm", "-q", "notes/plan.md")
    git(first.root, "commit", "-qm", "gone")
    second.write("notes/plan.md", FIRST["notes/plan.md"] + "Sand the floor.\n")
    done = settle(first, second)
    assert first.read("notes/plan.md").endswith("Sand the floor.\n")
    assert done.told == (
        "notes/plan.md was deleted on the other machine and changed on this machine; the change stands",
    )


@pytest.mark.parametrize("title", ["", "# A plan of ours"])
def test_a_change_follows_a_note_that_was_forgotten_or_renamed(copies: tuple[Copy, Copy], title: str) -> None:
    first, second = copies
    if title:
        first.write("notes/plan.md", FIRST["notes/plan.md"].replace("# Plan", title))
    with first.app() as app:
        app.forget("notes/plan")
    second.write("notes/plan.md", FIRST["notes/plan.md"] + "Sand the floor.\n")
    done = settle(first, second)
    assert not (first.root / "notes/plan.md").exists()
    assert first.read("archive/notes/plan.md").endswith("Sand the floor.\n")
    assert first.read("archive/notes/plan.md").startswith(title)
    assert "moved to archive/notes/plan.md" in done.told[0]
    with second.app() as app:
        assert not app.search("floor").matches


def test_files_of_the_same_words_that_both_moved_are_told_apart(copies: tuple[Copy, Copy]) -> None:
    first, second = copies
    for name in ("a", "b"):
        first.write(f"notes/{name}.md", "the same words\n")
    settle(first, second)
    for copy, folder in ((first, "here"), (second, "archive")):
        (copy.root / folder).mkdir()
        git(copy.root, "mv", "notes/a.md", "notes/b.md", f"{folder}/")
        git(copy.root, "commit", "-qm", "moved")
    done = settle(first, second)
    assert done.told == tuple(
        f"notes/{name}.md was moved to here/{name}.md and to archive/{name}.md; it is in archive/{name}.md"
        for name in ("a", "b")
    )
    assert not list((first.root / "here").iterdir())
    assert {first.read(f"archive/{name}.md") for name in ("a", "b")} == {"the same words\n"}


def test_a_file_on_one_machine_and_a_folder_on_the_other_is_one_sentence(copies: tuple[Copy, Copy]) -> None:
    first, second = copies
    first.write("notes/boat", "a file\n")
    second.write("notes/boat/sails.md", "below a folder\n")
    first.exchange()
    before = second.tree()
    with pytest.raises(
        ConflictError, match=r"^notes/boat is a file on one machine and a folder on the other"
    ):
        second.exchange()
    assert second.tree() == before
    assert git(second.root, "status", "--porcelain") == ""
    git(second.root, "mv", "notes/boat", "notes/boats")
    git(second.root, "commit", "-qm", "another name")
    settle(first, second)
    assert (second.read("notes/boat"), first.read("notes/boats/sails.md")) == ("a file\n", "below a folder\n")


@pytest.mark.laws
def test_both_merge_at_once_and_come_to_the_same_tree(copies: tuple[Copy, Copy], tmp_path: Path) -> None:
    first, second = copies
    for copy, word in ((first, "red"), (second, "blue")):
        with copy.app() as app:
            app.remember(word, entity="Anna", field="city")
        copy.write("notes/plan.md", FIRST["notes/plan.md"].replace("the door", f"the {word} door"))
        copy.write("notes/new.md", f"only {word}\n")
    # Each has the other for its hub, as it was before either merged.
    for copy, other in ((first, second), (second, first)):
        hub = tmp_path / f"hub-of-{copy.root.name}"
        git(tmp_path, "clone", "-q", "--bare", str(other.root), str(hub))
        git(copy.root, "remote", "set-url", "origin", str(hub))
    first.exchange()
    second.exchange()
    assert first.tree() == second.tree()
    assert first.head() != second.head()
    # The two merges have two bases; what changes on top of them is merged all the same.
    first.write("notes/c.md", "c\n")
    second.write("notes/d.md", "d\n")
    hub = tmp_path / "hub-of-a"
    git(first.root, "push", "-q", "--force", str(hub), "HEAD:main")
    git(first.root, "remote", "set-url", "origin", str(hub))
    git(second.root, "remote", "set-url", "origin", str(hub))
    done = second.exchange()
    first.exchange()
    assert first.tree() == second.tree()
    assert not done.told
    assert second.read("notes/c.md") == "c\n"
    assert second.read("notes/d.md") == "d\n"


def test_work_that_is_not_committed_is_never_swept_in_nor_overwritten(copies: tuple[Copy, Copy]) -> None:
    first, second = copies
    first.write("notes/plan.md", FIRST["notes/plan.md"] + "Sand the floor.\n")
    first.exchange()
    second.write("semantic/people.md", "# Anna\n- city: Bern\n- mine: yes\n", commit=False)
    second.write("notes/fresh.md", "untracked\n", commit=False)
    second.write("notes/staged.md", "staged\n", commit=False)
    git(second.root, "add", "notes/staged.md")
    before = git(second.root, "status", "--porcelain")
    second.exchange()
    assert git(second.root, "status", "--porcelain") == before
    assert second.head() == first.head()
    # Where the merge would write, it stops before anything is changed.
    first.write("semantic/people.md", "# Anna\n- city: Rome\n")
    first.exchange()
    head = second.head()
    with pytest.raises(
        ConflictError,
        match=r"semantic/people\.md has uncommitted changes of yours.*nothing was changed",
    ):
        second.exchange()
    assert second.head() == head
    assert git(second.root, "status", "--porcelain") == before
    assert "mine: yes" in second.read("semantic/people.md")
    # An untracked file in the way, too.
    git(second.root, "commit", "-qm", "mine", "--", "semantic/people.md")
    first.write("notes/fresh.md", "another\n")
    first.exchange()
    with pytest.raises(ConflictError, match=r"notes/fresh\.md"):
        second.exchange()
    assert second.read("notes/fresh.md") == "untracked\n"


@pytest.mark.parametrize("where", [0, 1])
def test_facts_with_the_marks_of_a_conflict_are_refused_with_file_and_line(
    copies: tuple[Copy, Copy], where: int
) -> None:
    copies[where].write(
        "semantic/people.md", "# Anna\n<<<<<<< HEAD\n- city: Rome\n=======\n- city: Oslo\n>>>>>>> other\n"
    )
    copies[1 - where].write("notes/x.md", "x\n")
    copies[0].exchange()
    head = copies[1].head()
    with pytest.raises(ConflictError, match=r"semantic/people\.md:2 holds the mark of a merge conflict"):
        copies[1].exchange()
    assert copies[1].head() == head


def test_a_push_that_comes_second_merges_again(
    copies: tuple[Copy, Copy], monkeypatch: pytest.MonkeyPatch
) -> None:
    from memoryclaw.history.remote import Remote  # noqa: PLC0415

    first, second = copies
    first.write("notes/one.md", "1\n")
    second.write("notes/two.md", "2\n")
    fetch, raced = Remote.fetch, []

    def fetched(self: Remote) -> str:
        fetched = fetch(self)
        if not raced:
            raced.append(1)
            second.exchange()  # the other machine is faster
        return fetched

    monkeypatch.setattr(Remote, "fetch", fetched)
    done = first.exchange()
    assert (done.received, done.sent) == (1, 2)
    second.exchange()
    assert first.head() == second.head()


def test_no_remote_an_unknown_one_and_one_that_is_gone_are_one_sentence_each(
    copies: tuple[Copy, Copy], tmp_path: Path
) -> None:
    first, _ = copies
    git(first.root, "remote", "set-url", "origin", str(tmp_path / "gone.git"))
    with pytest.raises(HistoryError, match=r"git fetch of origin/main failed: .*gone\.git"):
        first.exchange()
    git(first.root, "remote", "add", "other", str(tmp_path / "x.git"))
    git(first.root, "remote", "rename", "origin", "mine")
    git(first.root, "config", "--unset", "branch.main.remote", check=False)
    with pytest.raises(HistoryError, match="none of the remotes mine, other is that of main"):
        first.exchange()
    for name in ("mine", "other"):
        git(first.root, "remote", "remove", name)
    with pytest.raises(HistoryError, match="this vault has no remote; run `git remote add origin ADDRESS`"):
        first.exchange()


def test_an_address_that_cannot_be_used_runs_nothing_and_never_asks(
    copies: tuple[Copy, Copy], tmp_path: Path
) -> None:
    first, _ = copies
    mark = tmp_path / "ran"
    for address in (
        f"ext::sh -c touch% {mark}",
        f"--upload-pack=touch {mark}",
        f"ssh://-oProxyCommand=touch%20{mark}/x",
        "http://127.0.0.1:9/x.git",
    ):
        git(first.root, "config", "remote.origin.url", address)
        with pytest.raises(HistoryError, match="git fetch of origin/main failed"):
            first.exchange()
        assert not mark.exists(), address


def _hook(folder: Path, run: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name in (
        "pre-push",
        "post-merge",
        "post-checkout",
        "reference-transaction",
        "pre-receive",
        "update",
        "post-receive",
        "post-update",
        "pre-merge-commit",
    ):
        (folder / name).write_bytes(run.read_bytes())
        (folder / name).chmod(0o755)
    return folder


def _planted(root: Path, run: Path) -> None:
    other = root.parent / "other"
    git(root.parent, "init", "-q", str(other))
    git(other, "config", "core.sshCommand", str(run))
    git(other, "config", "remote.origin.uploadpack", str(run))
    folder = root / ".memoryclaw" / "remote" / "git"
    folder.mkdir(parents=True)
    (folder / "commondir").write_text(f"{other / '.git'}\n")


HOSTILE = {
    "a hook": lambda root, run: _hook(root / ".git" / "hooks", run),
    "a hook of the other copy": lambda root, run: _hook(root.parent / "hub.git" / "hooks", run),
    "the hooks of the other copy": lambda root, run: git(root.parent / "hub.git", "config", "core.hooksPath", str(_hook(root.parent / "hooks", run))),
    "ssh": lambda root, run: git(root, "config", "core.sshCommand", str(run)),
    "credentials": lambda root, run: git(root, "config", "credential.helper", f"!{run}"),
    "upload-pack": lambda root, run: git(root, "config", "remote.origin.uploadpack", str(run)),
    "receive-pack": lambda root, run: git(root, "config", "remote.origin.receivepack", str(run)),
    "a remote helper": lambda root, run: git(root, "config", "remote.origin.vcs", "ext"),
    "another address": lambda root, run: git(root, "config", f"url.ext::{run} .insteadOf", str(root.parent)),
    "a merge driver": lambda root, run: (git(root, "config", "merge.x.driver", str(run)), (root / ".git/info").mkdir(exist_ok=True), (root / ".git/info/attributes").write_text("* merge=x filter=x diff=x\n")),
    "our own folder": _planted,
    "a filter": lambda root, run: [git(root, "config", f"filter.x.{step}", str(run)) for step in ("clean", "smudge", "process")],
}  # fmt: skip


# Those that do not stand in one another's way.
TOGETHER = (
    ("a hook", "a hook of the other copy", "ssh", "credentials", "upload-pack", "receive-pack", "a merge driver", "a filter"),
    ("the hooks of the other copy", "our own folder"),
    ("a remote helper",),
    ("another address",),
)  # fmt: skip


@pytest.mark.parametrize("names", TOGETHER, ids=lambda names: names[0])
def test_nothing_that_a_repository_configures_is_run(
    copies: tuple[Copy, Copy], tmp_path: Path, names: tuple[str, ...]
) -> None:
    first, second = copies
    mark = tmp_path / "ran"
    for name in names:
        HOSTILE[name](first.root, Path(script(first.root, mark)))
    mark.unlink(missing_ok=True)
    second.write("notes/plan.md", FIRST["notes/plan.md"] + "Sand.\n")
    second.exchange()
    first.write("notes/x.md", "x\n", commit=False)
    with first.app() as app:
        app.remember("555", entity="Anna", field="phone")
    first.exchange()
    assert not mark.exists()
    assert git(first.root, "rev-parse", "HEAD") == git(tmp_path / "hub.git", "rev-parse", "main")


def test_a_path_into_gits_own_folder_or_out_of_the_vault_is_refused(copies: tuple[Copy, Copy]) -> None:
    first, second = copies
    head = second.head()
    blob = git(first.root, "hash-object", "-w", "notes/plan.md").strip()
    for name in (".GIT", ".memoryclaw", "git~1", ".git\u200b"):
        inner = _tree(first.root, f"100644 blob {blob}\thooks\n")
        listed = git(first.root, "ls-tree", head)
        tree = _tree(first.root, f"{listed}040000 tree {inner}\t{name}\n")
        commit = git(first.root, "commit-tree", tree, "-p", head, "-m", "evil").strip()
        git(first.root, "push", "-qf", "origin", f"{commit}:refs/heads/main", check=False)
        if git(first.root, "ls-remote", "origin", "main").split()[0] != commit:
            continue
        with pytest.raises((ConflictError, HistoryError)):
            second.exchange()
        assert second.head() == head
        assert not (second.root / ".git/hooks/pre-push").exists()


def _tree(root: Path, text: str) -> str:
    done = subprocess.run(
        ["git", "-C", root, "mktree"], input=text, env=ENV, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_what_is_not_to_leave_is_not_pushed_without_a_word(copies: tuple[Copy, Copy], tmp_path: Path) -> None:
    first, second = copies
    hub = tmp_path / "hub.git"
    for number, (path, text) in enumerate((
        ("notes/secret.md", "---\nexport: false\n---\nThe safe is blue 0.\n"),
        ("notes/line.md", "The safe is blue 1. [NOEXPORT]\n"),
        ("notes/crlf.md", "\ufeff---\r\nExport: no\r\n---\r\nThe safe is blue 2.\r\n"),
        ("archive/logs/2026-01-01/s.jsonl", '{"content": "The safe is blue 3.", "export": false}\n'),
    )):  # fmt: skip
        second.write(f"notes/two{number}.md", "2\n")
        second.exchange()
        first.write(path, text)
        git(first.root, "rm", "-q", "--cached", path)  # an earlier commit holds it still
        git(first.root, "commit", "-qm", "no longer tracked")
        with pytest.raises(
            InputError,
            match=r"nothing was pushed: .* holds text marked not to leave this machine.*`git push` by hand",
        ):
            first.exchange()
        assert first.read(f"notes/two{number}.md") == "2\n", "what came is merged"
        assert f"blue {number}" not in git(hub, "log", "-p", "--all")
        git(first.root, "push", "-q", "origin", "HEAD:main")
        assert f"blue {number}" in git(hub, "log", "-p", "--all")
    first.write("notes/open.md", "open\n")
    first.exchange()


def test_two_that_consolidated_the_same_log_have_it_once(copies: tuple[Copy, Copy]) -> None:
    first, second = copies
    log = '{"ts": "2026-11-24T18:00:00Z", "session": "s1", "turn": 1, "role": "user", "name": "Nora", "content": "The deadline of Boathouse is now 2026-12-18."}\n'
    for copy, now in ((first, NOW), (second, LATER)):
        copy.write("memoryclaw.yaml", "git:\n  track_logs: true\n")
        copy.write("logs/2026-11-24/s1.jsonl", log, commit=False)
        with copy.app(now) as app:
            assert app.consolidate(llm="none").changes.ranges
    settle(first, second)
    assert len(list((first.root / "episodes").iterdir())) == 1
    with first.app() as app:
        assert [f.value for _, f in app.facts("Boathouse")] == ["2026-12-18"]
        assert not app.consolidate(llm="none").changes.ranges
    assert first.read("logs/2026-11-24/s1.jsonl") == log


def test_of_two_tellings_of_one_conversation_the_earlier_stands_and_the_other_is_in_the_archive(
    copies: tuple[Copy, Copy],
) -> None:
    first, second = copies
    range_ = "logs/2026-11-24/s1.jsonl#1-6@0123456789abcdef"
    for copy, name, at in (
        (first, "early", "2026-11-25T01:00:00Z"),
        (second, "late", "2026-11-25T02:00:00Z"),
    ):
        record = {"run": f"consolidate-{name}", "at": at, "ranges": [range_]}
        copy.write(f"runs/consolidate-{name}.json", json.dumps(record))
        copy.write(
            f"episodes/2026-11-24_18-00-00_{name}.md",
            f"---\nid: {name}\nsource: {range_}\n---\n# {name}\n\n- Nora: {name} words ^l1\n",
        )
    settle(first, second)
    assert [path.name for path in (first.root / "episodes").iterdir()] == ["2026-11-24_18-00-00_early.md"]
    assert (first.root / "archive/episodes/2026-11-24_18-00-00_late.md").is_file()
    with first.app() as app:
        assert [match.unit.id.partition("#")[0] for match in app.search("words").matches] == ["early"]


def test_an_undo_on_one_machine_holds_on_the_other_that_learned_the_same(copies: tuple[Copy, Copy]) -> None:
    first, second = copies
    log = '{"ts": "2026-11-24T18:00:00Z", "session": "s1", "turn": 1, "role": "user", "name": "Nora", "content": "The deadline of Boathouse is now 2026-12-18."}\n'
    for copy in (first, second):
        copy.write("logs/2026-11-24/s1.jsonl", log, commit=False)
    with second.app() as app:
        app.consolidate(llm="none")
    with first.app(LATER) as app:
        run = app.consolidate(llm="none").changes.run
        app.undo(run)
    settle(first, second, LATER)
    with second.app() as app:
        assert not [fact for _, fact in app.facts() if fact.entity == "Boathouse"]


def test_a_new_machine_that_cloned_nothing_yet_takes_all_there_is(
    copies: tuple[Copy, Copy], tmp_path: Path
) -> None:
    first, _ = copies
    fresh = Copy(tmp_path / "c")
    fresh.root.mkdir()
    git(fresh.root, "init", "-q", "-b", "main", "--template=")
    git(fresh.root, "remote", "add", "origin", str(tmp_path / "hub.git"))
    done = fresh.exchange()
    assert (done.received > 0, done.merge) == (True, "")
    assert fresh.head() == first.head()
    assert git(fresh.root, "status", "--porcelain") == ""


def test_a_repository_that_is_no_vault_is_not_merged_in(copies: tuple[Copy, Copy], tmp_path: Path) -> None:
    first, _ = copies
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    (other / "x.c").write_text("int x;\n")
    git(other, "add", "x.c")
    git(other, "commit", "-qm", "x")
    git(first.root, "remote", "set-url", "origin", str(other))
    with pytest.raises(ConflictError, match="no commit in common"):
        first.exchange()
    assert not (first.root / "x.c").exists()


KILL = """
import os, sys
from datetime import UTC, datetime
from memoryclaw.vault import files
from memoryclaw.history.repository import History
from memoryclaw.history.remote import Remote
from memoryclaw.app import App
at = int(sys.argv[2])
count = 0
def counted(call):
    def wrapped(*args, **kwargs):
        global count
        count += 1
        if count == at:
            os.kill(os.getpid(), 9)
        return call(*args, **kwargs)
    return wrapped
for holder, names in ((files, ("prepare", "place", "remove_file", "discard")), (History, ("store", "move")), (Remote, ("fetch", "push"))):
    for name in names:
        setattr(holder, name, counted(getattr(holder, name)))
with App(__import__("pathlib").Path(sys.argv[1]), clock=lambda: datetime(2026, 11, 25, 10, tzinfo=UTC)) as app:
    app.exchange()
"""


@pytest.mark.laws
def test_killed_anywhere_it_can_be_run_again_and_nothing_is_lost(
    copies: tuple[Copy, Copy], tmp_path: Path
) -> None:
    first, second = copies
    ended = False
    for at in range(1, 40):
        first.write(f"notes/one{at}.md", "1\n")
        first.write("notes/plan.md", first.read("notes/plan.md") + f"one {at}\n")
        second.write(f"notes/two{at}.md", "2\n")
        first.exchange()
        done = Claw(**ENV)("-c", KILL, second.root, str(at))
        assert done.code in (0, -signal.SIGKILL), done.err
        second.exchange()
        first.exchange()
        assert first.head() == second.head()
        assert git(second.root, "status", "--porcelain") == ""
        assert not History(str(second.root)).state().lock
        if done.code == 0:
            ended = True
            break
    assert ended, "the last kill came before the end"
    assert at > 8
    assert all(
        (second.root / f"notes/{who}{n}.md").exists() for who in ("one", "two") for n in range(1, at + 1)
    )
    assert git(second.root, "fsck", "--no-dangling", "--no-progress") == ""
