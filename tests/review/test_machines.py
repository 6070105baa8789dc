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
    one, two = Copy(folder / "a"), Copy(folder / "b")
    git(one.root, "switch", "-qc", "main")
    for path, text in FIRST.items():
        one.write(path, text)
    git(one.root, "push", "-q", "origin", "main")
    git(two.root, "pull", "-q", "origin", "main")
    return folder


@pytest.fixture
def copies(made: Path, tmp_path: Path) -> tuple[Copy, Copy]:
    copy_repositories(made, tmp_path)
    return Copy(tmp_path / "a"), Copy(tmp_path / "b")


def settle(one: Copy, two: Copy, now: datetime = NOW):
    """Both exchange until they are alike; what the one that merged was told."""
    one.exchange(now)
    done = two.exchange(now)
    one.exchange(now)
    assert one.tree() == two.tree()
    assert git(one.root, "status", "--porcelain") == git(two.root, "status", "--porcelain") == ""
    return done


def test_what_each_did_is_on_both_and_the_merge_tells_of_it(copies: tuple[Copy, Copy]) -> None:
    one, two = copies
    with one.app() as app:
        app.remember("a@x.org", entity="Anna", field="email")
    with two.app() as app:
        app.remember("555", entity="Anna", field="phone")
    done = settle(one, two)
    text = one.read("semantic/people.md")
    assert text == two.read("semantic/people.md")
    assert text.count("# Anna") == 1
    assert "email: a@x.org" in text
    assert "phone: 555" in text
    assert (done.received, done.sent, done.remote) == (1, 2, "origin/main")
    assert len(git(two.root, "rev-list", "--parents", "-1", done.merge).split()) == 3
    message = git(two.root, "show", "-s", "--format=%B", done.merge)
    assert message.startswith("Merge origin/main into this vault\n")
    assert "- semantic/people.md\n" in message
    assert git(two.root, "rev-parse", "origin/main").strip() == two.head(), (
        "git itself knows where the other copy is"
    )
    assert two.exchange() == done._replace(received=0, sent=0, merge="", files=(), told=())


def test_one_field_set_on_both_days_apart_keeps_the_later_and_the_other_in_history(
    copies: tuple[Copy, Copy],
) -> None:
    one, two = copies
    with one.app(LATER) as app:
        app.remember("Rome", entity="Anna", field="city")
    with two.app(NOW) as app:
        app.remember("Oslo", entity="Anna", field="city")
    settle(one, two, LATER)
    assert one.read("semantic/people.md") == (
        "# Anna\n- city: Rome [since:: 2026-11-27]\n\n## History\n- city: Bern [until:: 2026-11-25]\n"
        "- city: Oslo [since:: 2026-11-25] [until:: 2026-11-27]\n"
    )


def test_one_field_set_on_both_on_one_day_is_asked_in_review_and_answered_on_either(
    copies: tuple[Copy, Copy],
) -> None:
    one, two = copies
    for copy, city in ((one, "Rome"), (two, "Oslo")):
        with copy.app() as app:
            app.remember(city, entity="Anna", field="city")
    done = settle(one, two)
    assert "waits in review" in done.told[0]
    with one.app() as app:
        (item,) = app.review.list()
        assert item.fact is not None
        assert {item.fact.value, item.fact.known} == {"Rome", "Oslo"}
        assert [fact.value for _, fact in app.facts("Anna")] == [item.fact.known]
        app.review.reject([item])
    settle(one, two)
    with two.app() as app:
        assert not app.review.list()
        assert [fact.value for _, fact in app.facts("Anna")] == [item.fact.known]


GERMAN = ("# Größe", "", "eins", "zwei", "drei")
CELLS = "# People\n\n| name | city | phone |\n|---|---|---|\n| Anna | {} | {} |\n"
DECISION = '{{"at": "2026-11-25T{}:00:00Z", "decision": "{}", "kind": "fact", "fingerprint": "f{}"}}\n'
FORGOTTEN = '{"at": "2026-11-25T13:00:00Z", "decision": "forgotten", "kind": "lines", "lines": ["logs/2026-11-24/s1.jsonl#1-1@0123456789abcdef"]}\n'


def _decided(*decisions: tuple[str, str, str]) -> str:
    return "".join(DECISION.format(*one) for one in (("08", "approved", "1"), *decisions))


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
    one, two = copies
    files = MERGED | {"notes/b.bin": BINARY, "notes/x.json": BINARY}
    for path, (before, *_) in files.items():
        if before:
            one.write(path, before)
    settle(one, two)
    for path, (_, here, there, *_) in files.items():
        one.write(path, here)
        two.write(path, there)
    done = settle(one, two)
    work, *others = MERGED
    assert Counter(one.read(work).split("\n")) == Counter(MERGED[work][-1].split("\n"))
    assert {path: one.read(path) for path in others} == {path: MERGED[path][-1] for path in others}
    for name in ("b", "x"):
        kept = [path.read_bytes() for path in (one.root / "notes").glob(f"{name}.*")]
        assert sorted(kept) == [*BINARY[1:]]
    assert len(done.told) == 2
    decisions = Decisions.read(one.read("review/decisions.jsonl"))
    assert decisions.is_rejected("fx")
    assert decisions.forgotten
    with one.app() as app:
        assert {(f.entity, f.field) for _, f in app.facts() if f.entity in ("Boathouse", "Dock")} == {
            ("Boathouse", "deadline"), ("Boathouse", "lead"), ("Dock", "owner")
        }  # fmt: skip


def test_the_same_line_changed_on_both_leaves_the_other_version_beside(copies: tuple[Copy, Copy]) -> None:
    one, two = copies
    one.write("notes/plan.md", FIRST["notes/plan.md"].replace("the door", "the red door"))
    two.write("notes/plan.md", FIRST["notes/plan.md"].replace("the door", "the blue door"))
    done = settle(one, two)
    (copy,) = (path for path in done.files if "sync-conflict" in path)
    assert copy.startswith("notes/plan.sync-conflict-2")
    versions = {one.read("notes/plan.md"), one.read(copy)}
    assert len(versions) == 2
    assert not any("<<<<" in text for text in versions)
    assert {"red", "blue"} == {word for text in versions for word in ("red", "blue") if word in text}
    with one.app() as app:
        assert any(p.path == copy for p in app.status().problems), "a person is told of it"


def test_settings_that_both_added_stay_readable(copies: tuple[Copy, Copy]) -> None:
    one, two = copies
    one.write("memoryclaw.yaml", "# mine\nretrieval:\n  budget: 500\n")
    two.write("memoryclaw.yaml", "# mine\nretrieval:\n  budget: 700\n")
    done = settle(one, two)
    assert any("memoryclaw.sync-conflict" in path for path in done.files)
    with one.app() as app:
        assert app.config.budget in (500, 700)
        assert not app.config.notices


def test_a_change_outlives_a_deletion_and_is_said(copies: tuple[Copy, Copy]) -> None:
    one, two = copies
    git(one.root, "rm", "-q", "notes/plan.md")
    git(one.root, "commit", "-qm", "gone")
    two.write("notes/plan.md", FIRST["notes/plan.md"] + "Sand the floor.\n")
    done = settle(one, two)
    assert one.read("notes/plan.md").endswith("Sand the floor.\n")
    assert done.told == (
        "notes/plan.md was deleted on the other machine and changed on this machine; the change stands",
    )


@pytest.mark.parametrize("title", ["", "# A plan of ours"])
def test_a_change_follows_a_note_that_was_forgotten_or_renamed(copies: tuple[Copy, Copy], title: str) -> None:
    one, two = copies
    if title:
        one.write("notes/plan.md", FIRST["notes/plan.md"].replace("# Plan", title))
    with one.app() as app:
        app.forget("notes/plan")
    two.write("notes/plan.md", FIRST["notes/plan.md"] + "Sand the floor.\n")
    done = settle(one, two)
    assert not (one.root / "notes/plan.md").exists()
    assert one.read("archive/notes/plan.md").endswith("Sand the floor.\n")
    assert one.read("archive/notes/plan.md").startswith(title)
    assert "moved to archive/notes/plan.md" in done.told[0]
    with two.app() as app:
        assert not app.search("floor").matches


def test_files_of_the_same_words_that_both_moved_are_told_apart(copies: tuple[Copy, Copy]) -> None:
    one, two = copies
    for name in ("a", "b"):
        one.write(f"notes/{name}.md", "the same words\n")
    settle(one, two)
    for copy, folder in ((one, "here"), (two, "archive")):
        (copy.root / folder).mkdir()
        git(copy.root, "mv", "notes/a.md", "notes/b.md", f"{folder}/")
        git(copy.root, "commit", "-qm", "moved")
    done = settle(one, two)
    assert done.told == tuple(
        f"notes/{name}.md was moved to here/{name}.md and to archive/{name}.md; it is in archive/{name}.md"
        for name in ("a", "b")
    )
    assert not list((one.root / "here").iterdir())
    assert {one.read(f"archive/{name}.md") for name in ("a", "b")} == {"the same words\n"}


def test_a_file_on_one_machine_and_a_folder_on_the_other_is_one_sentence(copies: tuple[Copy, Copy]) -> None:
    one, two = copies
    one.write("notes/boat", "a file\n")
    two.write("notes/boat/sails.md", "below a folder\n")
    one.exchange()
    before = two.tree()
    with pytest.raises(
        ConflictError, match=r"^notes/boat is a file on one machine and a folder on the other"
    ):
        two.exchange()
    assert two.tree() == before
    assert git(two.root, "status", "--porcelain") == ""
    git(two.root, "mv", "notes/boat", "notes/boats")
    git(two.root, "commit", "-qm", "another name")
    settle(one, two)
    assert (two.read("notes/boat"), one.read("notes/boats/sails.md")) == ("a file\n", "below a folder\n")


@pytest.mark.laws
def test_both_merge_at_once_and_come_to_the_same_tree(copies: tuple[Copy, Copy], tmp_path: Path) -> None:
    one, two = copies
    for copy, word in ((one, "red"), (two, "blue")):
        with copy.app() as app:
            app.remember(word, entity="Anna", field="city")
        copy.write("notes/plan.md", FIRST["notes/plan.md"].replace("the door", f"the {word} door"))
        copy.write("notes/new.md", f"only {word}\n")
    # Each has the other for its hub, as it was before either merged.
    for copy, other in ((one, two), (two, one)):
        hub = tmp_path / f"hub-of-{copy.root.name}"
        git(tmp_path, "clone", "-q", "--bare", str(other.root), str(hub))
        git(copy.root, "remote", "set-url", "origin", str(hub))
    one.exchange()
    two.exchange()
    assert one.tree() == two.tree()
    assert one.head() != two.head()
    # The two merges have two bases; what changes on top of them is merged all the same.
    one.write("notes/c.md", "c\n")
    two.write("notes/d.md", "d\n")
    hub = tmp_path / "hub-of-a"
    git(one.root, "push", "-q", "--force", str(hub), "HEAD:main")
    git(one.root, "remote", "set-url", "origin", str(hub))
    git(two.root, "remote", "set-url", "origin", str(hub))
    done = two.exchange()
    one.exchange()
    assert one.tree() == two.tree()
    assert not done.told
    assert two.read("notes/c.md") == "c\n"
    assert two.read("notes/d.md") == "d\n"


def test_work_that_is_not_committed_is_never_swept_in_nor_overwritten(copies: tuple[Copy, Copy]) -> None:
    one, two = copies
    one.write("notes/plan.md", FIRST["notes/plan.md"] + "Sand the floor.\n")
    one.exchange()
    two.write("semantic/people.md", "# Anna\n- city: Bern\n- mine: yes\n", commit=False)
    two.write("notes/fresh.md", "untracked\n", commit=False)
    two.write("notes/staged.md", "staged\n", commit=False)
    git(two.root, "add", "notes/staged.md")
    before = git(two.root, "status", "--porcelain")
    two.exchange()
    assert git(two.root, "status", "--porcelain") == before
    assert two.head() == one.head()
    # Where the merge would write, it stops before anything is changed.
    one.write("semantic/people.md", "# Anna\n- city: Rome\n")
    one.exchange()
    head = two.head()
    with pytest.raises(
        ConflictError,
        match=r"semantic/people\.md has uncommitted changes of yours.*nothing was changed",
    ):
        two.exchange()
    assert two.head() == head
    assert git(two.root, "status", "--porcelain") == before
    assert "mine: yes" in two.read("semantic/people.md")
    # An untracked file in the way, too.
    git(two.root, "commit", "-qm", "mine", "--", "semantic/people.md")
    one.write("notes/fresh.md", "another\n")
    one.exchange()
    with pytest.raises(ConflictError, match=r"notes/fresh\.md"):
        two.exchange()
    assert two.read("notes/fresh.md") == "untracked\n"


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

    one, two = copies
    one.write("notes/one.md", "1\n")
    two.write("notes/two.md", "2\n")
    fetch, raced = Remote.fetch, []

    def fetched(self: Remote) -> str:
        found = fetch(self)
        if not raced:
            raced.append(1)
            two.exchange()  # the other machine is faster
        return found

    monkeypatch.setattr(Remote, "fetch", fetched)
    done = one.exchange()
    assert (done.received, done.sent) == (1, 2)
    two.exchange()
    assert one.head() == two.head()


def test_no_remote_an_unknown_one_and_one_that_is_gone_are_one_sentence_each(
    copies: tuple[Copy, Copy], tmp_path: Path
) -> None:
    one, _ = copies
    git(one.root, "remote", "set-url", "origin", str(tmp_path / "gone.git"))
    with pytest.raises(HistoryError, match=r"git fetch of origin/main failed: .*gone\.git"):
        one.exchange()
    git(one.root, "remote", "add", "other", str(tmp_path / "x.git"))
    git(one.root, "remote", "rename", "origin", "mine")
    git(one.root, "config", "--unset", "branch.main.remote", check=False)
    with pytest.raises(HistoryError, match="none of the remotes mine, other is that of main"):
        one.exchange()
    for name in ("mine", "other"):
        git(one.root, "remote", "remove", name)
    with pytest.raises(HistoryError, match="this vault has no remote; run `git remote add origin ADDRESS`"):
        one.exchange()


def test_an_address_that_cannot_be_used_runs_nothing_and_never_asks(
    copies: tuple[Copy, Copy], tmp_path: Path
) -> None:
    one, _ = copies
    mark = tmp_path / "ran"
    for address in (
        f"ext::sh -c touch% {mark}",
        f"--upload-pack=touch {mark}",
        f"ssh://-oProxyCommand=touch%20{mark}/x",
        "http://127.0.0.1:9/x.git",
    ):
        git(one.root, "config", "remote.origin.url", address)
        with pytest.raises(HistoryError, match="git fetch of origin/main failed"):
            one.exchange()
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
    "a filter": lambda root, run: [git(root, "config", f"filter.x.{one}", str(run)) for one in ("clean", "smudge", "process")],
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
    one, two = copies
    mark = tmp_path / "ran"
    for name in names:
        HOSTILE[name](one.root, Path(script(one.root, mark)))
    mark.unlink(missing_ok=True)
    two.write("notes/plan.md", FIRST["notes/plan.md"] + "Sand.\n")
    two.exchange()
    one.write("notes/x.md", "x\n", commit=False)
    with one.app() as app:
        app.remember("555", entity="Anna", field="phone")
    one.exchange()
    assert not mark.exists()
    assert git(one.root, "rev-parse", "HEAD") == git(tmp_path / "hub.git", "rev-parse", "main")


def test_a_path_into_gits_own_folder_or_out_of_the_vault_is_refused(copies: tuple[Copy, Copy]) -> None:
    one, two = copies
    head = two.head()
    blob = git(one.root, "hash-object", "-w", "notes/plan.md").strip()
    for name in (".GIT", ".memoryclaw", "git~1", ".git\u200b"):
        inner = _tree(one.root, f"100644 blob {blob}\thooks\n")
        listed = git(one.root, "ls-tree", head)
        tree = _tree(one.root, f"{listed}040000 tree {inner}\t{name}\n")
        commit = git(one.root, "commit-tree", tree, "-p", head, "-m", "evil").strip()
        git(one.root, "push", "-qf", "origin", f"{commit}:refs/heads/main", check=False)
        if git(one.root, "ls-remote", "origin", "main").split()[0] != commit:
            continue
        with pytest.raises((ConflictError, HistoryError)):
            two.exchange()
        assert two.head() == head
        assert not (two.root / ".git/hooks/pre-push").exists()


def _tree(root: Path, text: str) -> str:
    done = subprocess.run(
        ["git", "-C", root, "mktree"], input=text, env=ENV, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_what_is_not_to_leave_is_not_pushed_without_a_word(copies: tuple[Copy, Copy], tmp_path: Path) -> None:
    one, two = copies
    hub = tmp_path / "hub.git"
    for number, (path, text) in enumerate((
        ("notes/secret.md", "---\nexport: false\n---\nThe safe is blue 0.\n"),
        ("notes/line.md", "The safe is blue 1. [NOEXPORT]\n"),
        ("notes/crlf.md", "\ufeff---\r\nExport: no\r\n---\r\nThe safe is blue 2.\r\n"),
        ("archive/logs/2026-01-01/s.jsonl", '{"content": "The safe is blue 3.", "export": false}\n'),
    )):  # fmt: skip
        two.write(f"notes/two{number}.md", "2\n")
        two.exchange()
        one.write(path, text)
        git(one.root, "rm", "-q", "--cached", path)  # an earlier commit holds it still
        git(one.root, "commit", "-qm", "no longer tracked")
        with pytest.raises(
            InputError,
            match=r"nothing was pushed: .* holds text marked not to leave this machine.*`git push` by hand",
        ):
            one.exchange()
        assert one.read(f"notes/two{number}.md") == "2\n", "what came is merged"
        assert f"blue {number}" not in git(hub, "log", "-p", "--all")
        git(one.root, "push", "-q", "origin", "HEAD:main")
        assert f"blue {number}" in git(hub, "log", "-p", "--all")
    one.write("notes/open.md", "open\n")
    one.exchange()


def test_two_that_consolidated_the_same_log_have_it_once(copies: tuple[Copy, Copy]) -> None:
    one, two = copies
    log = '{"ts": "2026-11-24T18:00:00Z", "session": "s1", "turn": 1, "role": "user", "name": "Nora", "content": "The deadline of Boathouse is now 2026-12-18."}\n'
    for copy, now in ((one, NOW), (two, LATER)):
        copy.write("memoryclaw.yaml", "git:\n  track_logs: true\n")
        copy.write("logs/2026-11-24/s1.jsonl", log, commit=False)
        with copy.app(now) as app:
            assert app.consolidate(llm="none").changes.ranges
    settle(one, two)
    assert len(list((one.root / "episodes").iterdir())) == 1
    with one.app() as app:
        assert [f.value for _, f in app.facts("Boathouse")] == ["2026-12-18"]
        assert not app.consolidate(llm="none").changes.ranges
    assert one.read("logs/2026-11-24/s1.jsonl") == log


def test_of_two_tellings_of_one_conversation_the_earlier_stands_and_the_other_is_in_the_archive(
    copies: tuple[Copy, Copy],
) -> None:
    one, two = copies
    range_ = "logs/2026-11-24/s1.jsonl#1-6@0123456789abcdef"
    for copy, name, at in ((one, "early", "2026-11-25T01:00:00Z"), (two, "late", "2026-11-25T02:00:00Z")):
        record = {"run": f"consolidate-{name}", "at": at, "ranges": [range_]}
        copy.write(f"runs/consolidate-{name}.json", json.dumps(record))
        copy.write(
            f"episodes/2026-11-24_18-00-00_{name}.md",
            f"---\nid: {name}\nsource: {range_}\n---\n# {name}\n\n- Nora: {name} words ^l1\n",
        )
    settle(one, two)
    assert [path.name for path in (one.root / "episodes").iterdir()] == ["2026-11-24_18-00-00_early.md"]
    assert (one.root / "archive/episodes/2026-11-24_18-00-00_late.md").is_file()
    with one.app() as app:
        assert [match.unit.id.partition("#")[0] for match in app.search("words").matches] == ["early"]


def test_an_undo_on_one_machine_holds_on_the_other_that_learned_the_same(copies: tuple[Copy, Copy]) -> None:
    one, two = copies
    log = '{"ts": "2026-11-24T18:00:00Z", "session": "s1", "turn": 1, "role": "user", "name": "Nora", "content": "The deadline of Boathouse is now 2026-12-18."}\n'
    for copy in (one, two):
        copy.write("logs/2026-11-24/s1.jsonl", log, commit=False)
    with two.app() as app:
        app.consolidate(llm="none")
    with one.app(LATER) as app:
        run = app.consolidate(llm="none").changes.run
        app.undo(run)
    settle(one, two, LATER)
    with two.app() as app:
        assert not [fact for _, fact in app.facts() if fact.entity == "Boathouse"]


def test_a_new_machine_that_cloned_nothing_yet_takes_all_there_is(
    copies: tuple[Copy, Copy], tmp_path: Path
) -> None:
    one, _ = copies
    fresh = Copy(tmp_path / "c")
    fresh.root.mkdir()
    git(fresh.root, "init", "-q", "-b", "main", "--template=")
    git(fresh.root, "remote", "add", "origin", str(tmp_path / "hub.git"))
    done = fresh.exchange()
    assert (done.received > 0, done.merge) == (True, "")
    assert fresh.head() == one.head()
    assert git(fresh.root, "status", "--porcelain") == ""


def test_a_repository_that_is_no_vault_is_not_merged_in(copies: tuple[Copy, Copy], tmp_path: Path) -> None:
    one, _ = copies
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    (other / "x.c").write_text("int x;\n")
    git(other, "add", "x.c")
    git(other, "commit", "-qm", "x")
    git(one.root, "remote", "set-url", "origin", str(other))
    with pytest.raises(ConflictError, match="no commit in common"):
        one.exchange()
    assert not (one.root / "x.c").exists()


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
    one, two = copies
    ended = False
    for at in range(1, 40):
        one.write(f"notes/one{at}.md", "1\n")
        one.write("notes/plan.md", one.read("notes/plan.md") + f"one {at}\n")
        two.write(f"notes/two{at}.md", "2\n")
        one.exchange()
        done = Claw(**ENV)("-c", KILL, two.root, str(at))
        assert done.code in (0, -signal.SIGKILL), done.err
        two.exchange()
        one.exchange()
        assert one.head() == two.head()
        assert git(two.root, "status", "--porcelain") == ""
        assert not History(str(two.root)).state().lock
        if done.code == 0:
            ended = True
            break
    assert ended, "the last kill came before the end"
    assert at > 8
    assert all((two.root / f"notes/{who}{n}.md").exists() for who in ("one", "two") for n in range(1, at + 1))
    assert git(two.root, "fsck", "--no-dangling", "--no-progress") == ""
