"""Vaults whose files git holds with other line ends, or in another encoding, than they have in the folder."""

from __future__ import annotations

import pytest
from gitvault import git, vault_of

from memoryclaw.app import App
from memoryclaw.errors import ConflictError

NOTE = "---\nid: n1\ntags: [a]\n---\nThe lantern stands in the oak.\nZoë été.\n"
PEOPLE = "# Anna\n- city: Berlin\n- phone: 1\n"
NOTES = {"notes/a.md": NOTE, "semantic/people.md": PEOPLE, "memoryclaw.yaml": "# mine\n"}

# How git is told to convert, and in what form the files then stand in the folder.
CONVERSIONS = {
    "autocrlf true": (("core.autocrlf", "true"), "", "\r\n", "utf-8"),
    "autocrlf input": (("core.autocrlf", "input"), "", "\r\n", "utf-8"),
    "text auto, eol crlf": (("core.eol", "crlf"), "* text=auto", "\r\n", "utf-8"),
    "eol crlf": (None, "*.md text eol=crlf", "\r\n", "utf-8"),
    "eol lf": (None, "*.md text eol=lf", "\n", "utf-8"),
    "utf-16": (None, "a.md text working-tree-encoding=UTF-16LE-BOM", "\n", "utf-16"),
    "utf-16, eol crlf": (None, "a.md text eol=crlf working-tree-encoding=UTF-16", "\r\n", "utf-16"),
}


# Each other form is one of these three in other words of git's.
CHIEF = ("autocrlf true", "eol lf", "utf-16, eol crlf")


@pytest.fixture(
    params=[form if form in CHIEF else pytest.param(form, marks=pytest.mark.laws) for form in CONVERSIONS]
)
def conversion(request):
    return request.param


@pytest.fixture
def vault(conversion, tmp_path):
    setting, attributes, end, encoding = CONVERSIONS[conversion]
    root = vault_of(
        tmp_path / "v", NOTES | ({".gitattributes": attributes + "\n"} if attributes else {}), commit=False
    )
    if setting:
        git(root, "config", *setting)
    if encoding == "utf-16":  # what the user writes, git stores as UTF-8
        (root / "notes/a.md").write_bytes(b"\xff\xfe" + NOTE.replace("\n", end).encode("utf-16-le"))
    elif end == "\r\n":
        for name in NOTES:
            (root / name).write_bytes((root / name).read_bytes().replace(b"\n", b"\r\n"))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    assert git(root, "cat-file", "blob", "HEAD:notes/a.md").encode() == NOTE.encode()
    assert git(root, "status", "--porcelain") == ""
    return root


def files_of(root):
    return {
        p.relative_to(root).as_posix(): p.read_bytes()
        for p in root.rglob("*.md")
        if ".memoryclaw" not in p.parts
    }


ACTS = {
    "edit": lambda app: app.edit("n1", {"tags": ["a", "b"]}),
    "edit a fact": lambda app: app.edit("semantic/people#Anna.phone", {"value": "2"}),
    "set a fact": lambda app: app.remember("Rome", entity="Anna", field="city"),
    "add a fact": lambda app: app.remember("Rye", entity="Bert", field="city"),
    "forget": lambda app: app.forget("n1"),
    "forget a fact": lambda app: app.forget("semantic/people#Anna.phone"),
    "trust": lambda app: app.trust("n1"),
}


# One in place, one that adds and one that moves in each form; all that there are in the two that differ most.
FEW = ("set a fact", "add a fact", "forget")
WHOLE = ("autocrlf true", "utf-16, eol crlf")


def test_undo_gives_every_byte_back(vault, conversion):
    before, first = files_of(vault), git(vault, "rev-parse", "HEAD^{tree}")
    with App(vault) as app:
        for act in ACTS if conversion in WHOLE else FEW:
            assert ACTS[act](app).commit
            assert git(vault, "status", "--porcelain") == ""
            assert files_of(vault) != before
            app.undo("HEAD")
            assert files_of(vault) == before
            assert git(vault, "rev-parse", "HEAD^{tree}") == first
        path = vault / app.remember("Met Nora at the slipway", tags=["nora"]).path
        path.unlink()
        git(vault, "checkout", "-q", "--", ".")  # git wrote it anew
        app.undo("HEAD")
    assert not path.exists()
    assert git(vault, "status", "--porcelain") == ""


def test_undo_keeps_what_was_written_around_the_change_since_and_not_on_its_line(vault):
    path = vault / "notes/a.md"
    encoding = "utf-16" if path.read_bytes()[:2] == b"\xff\xfe" else "utf-8"

    def write(text: str) -> None:
        path.write_bytes(text.encode(encoding))

    with App(vault) as app:
        done = app.edit("n1", {"tags": ["a", "b"]})
        text = path.read_bytes().decode(encoding)
        write(changed := text.replace("[a, b]", "[c]"))
        with pytest.raises(ConflictError):
            app.undo(done.commit)
        assert path.read_bytes() == changed.encode(encoding)
        write(text := text.replace("oak", "elm"))
        git(vault, "commit", "-qam", "mine")
        app.undo(done.commit)
    assert path.read_bytes() == text.replace("[a, b]", "[a]").encode(encoding)
    assert git(vault, "status", "--porcelain") == ""


@pytest.fixture
def clones(tmp_path):
    """A vault, and its clone on a system whose git writes CRLF."""
    hub, first, second = (tmp_path / name for name in ("hub.git", "one", "two"))
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "--template=", str(hub))
    vault_of(first, NOTES)
    git(first, "remote", "add", "origin", str(hub))
    git(first, "push", "-q", "-u", "origin", "main")
    git(tmp_path, "clone", "-q", "--template=", "-c", "core.autocrlf=true", str(hub), str(second))
    assert (second / "notes/a.md").read_bytes() == NOTE.replace("\n", "\r\n").encode()
    return first, second


def test_what_comes_from_another_machine_keeps_the_line_ends_of_this_one(clones):
    first, second = clones
    with App(first) as app:
        app.edit("n1", {"tags": ["a", "b"]})
        app.exchange()
    with App(second) as app:
        app.edit("semantic/people#Anna.phone", {"value": "2"})
        app.exchange()
    assert (second / "notes/a.md").read_bytes() == NOTE.replace("[a]", "[a, b]").replace(
        "\n", "\r\n"
    ).encode()
    assert git(second, "status", "--porcelain") == ""
    with App(first) as app:
        app.exchange()
    assert (first / "semantic/people.md").read_bytes() == PEOPLE.replace("1", "2").encode()
    assert git(first, "rev-parse", "HEAD^{tree}") == git(second, "rev-parse", "HEAD^{tree}")


def test_what_is_not_committed_here_is_not_overwritten_by_what_comes(clones):
    first, second = clones
    with App(first) as app:
        app.edit("n1", {"tags": ["a", "b"]})
        app.exchange()
    mine = (second / "notes/a.md").read_bytes().replace(b"oak", b"elm")
    (second / "notes/a.md").write_bytes(mine)
    with App(second) as app, pytest.raises(ConflictError, match="has uncommitted changes of yours"):
        app.exchange()
    assert (second / "notes/a.md").read_bytes() == mine


def test_a_run_on_a_branch_is_approved_into_files_with_other_line_ends(vault):
    with App(vault) as app:
        app.capture([{"session": "s", "role": "user", "content": "My sister Anna lives in Oslo. Her phone is 5551234."}])  # fmt: skip
        app.consolidate(llm="none", mode="branch")
        [item] = [waiting for waiting in app.review.list() if waiting.branch]
        app.review.approve([item])
        assert [fact for _, fact in app.facts() if "Oslo" in fact.value]
        assert not [waiting for waiting in app.review.list() if waiting.branch]
    people = (vault / "semantic/people.md").read_bytes()
    assert (b"\r\n" in people) == (people.count(b"\r\n") == people.count(b"\n") > 0)
    assert git(vault, "status", "--porcelain") == ""
