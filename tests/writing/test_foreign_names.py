"""Names that come from elsewhere and that some system cannot hold; and two files whose names differ in nothing but their encoding."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import unicodedata

import pytest
from gitvault import git, vault_of

from memoryclaw.app import App, init_vault, open_vault, restore_vault
from memoryclaw.errors import ConflictError, InputError

ODD = (
    "notes/CON.md", "notes/aux", "notes/lpt1.tar.md", "notes/a .md ", "notes/dotted./x.md", "notes/what?.md",
    "notes/Plan.md", "notes/plan.md",
)  # fmt: skip
EVEN = ("notes/console.md", "notes/a.b.md", "notes/über uns.md", "notes/com10.md")
LONG = "/".join(["a"] * 600) + "/x.md"


def bundle_of(path, names):
    rows = []
    with gzip.open(path, "wb") as raw, tarfile.open(fileobj=raw, mode="w") as tar:

        def put(name, data):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))

        for name in names:
            data = f"The text of {len(name)}.\n".encode()
            rows.append({"path": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()})
            put(f"vault/{name}", data)
        put(
            "manifest.json", json.dumps({"format": "memoryclaw-bundle", "version": 1, "files": rows}).encode()
        )
    return path


def named_in(notices, names):
    return {name for name in names if any(notice.startswith(f"{name} ") for notice in notices)}


def test_a_bundle_tells_which_names_other_systems_cannot_hold_and_brings_them(tmp_path):
    done = restore_vault(tmp_path / "v", bundle_of(tmp_path / "b.tar.gz", [*ODD, *EVEN]))
    assert set(done.written) == {*ODD, *EVEN}
    assert named_in(done.notices, [*ODD, *EVEN]) == {*ODD} - {"notes/Plan.md"}
    with open_vault(tmp_path / "v") as app:
        [check] = [check for check in app.doctor() if check.name == "names"]
        assert check.level == "problem"
        assert len(check.details) == len(ODD) - 1


def test_a_name_that_is_here_already_in_another_case_is_told(tmp_path):
    root = tmp_path / "v"
    init_vault(root)
    (root / "notes").mkdir()
    (root / "notes/plan.md").write_text("mine\n")
    done = restore_vault(root, bundle_of(tmp_path / "b.tar.gz", ["notes/PLAN.md", "notes/Zoë.md"]))
    assert named_in(done.notices, ["notes/plan.md", "notes/Zoë.md"]) == {"notes/plan.md"}
    assert (root / "notes/plan.md").read_text() == "mine\n"


def test_of_many_odd_names_a_few_stand_for_all(tmp_path):
    done = restore_vault(
        tmp_path / "v", bundle_of(tmp_path / "b.tar.gz", [f"notes/{n}/con.md" for n in range(300)])
    )
    assert len(done.written) == 300
    assert len(done.notices) < 20
    assert any("290 more" in notice for notice in done.notices)


@pytest.mark.parametrize("name", [LONG, "notes/" + "é" * 200 + ".md", "n" * 300 + "/x.md"])
def test_a_bundle_with_a_path_that_is_too_long_is_refused(tmp_path, name):
    root = tmp_path / "v"
    init_vault(root)
    before = git(root, "rev-parse", "HEAD")
    with pytest.raises(InputError, match="nothing was written"):
        restore_vault(root, bundle_of(tmp_path / "b.tar.gz", ["notes/fine.md", name]))
    assert not (root / "notes/fine.md").exists()
    assert git(root, "rev-parse", "HEAD") == before


@pytest.fixture
def clones(tmp_path):
    hub, first, second = (tmp_path / name for name in ("hub.git", "one", "two"))
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "--template=", str(hub))
    vault_of(first, {"memoryclaw.yaml": "# mine\n", "notes/plan.md": "# Plan\n"})
    git(first, "remote", "add", "origin", str(hub))
    git(first, "push", "-q", "-u", "origin", "main")
    git(tmp_path, "clone", "-q", "--template=", str(hub), str(second))
    return first, second


def test_what_comes_from_another_machine_is_told_as_well(clones):
    first, second = clones
    for name in ("notes/nul.md", "notes/Plan.md", "notes/fine.md"):
        (first / name).write_text("hello\n")
    git(first, "add", "-A")
    git(first, "commit", "-qm", "more")
    git(first, "push", "-q")
    with App(second) as app:
        done = app.exchange()
    assert (second / "notes/nul.md").exists()
    assert named_in(done.told, ["notes/nul.md", "notes/plan.md", "notes/fine.md"]) == {
        "notes/nul.md",
        "notes/plan.md",
    }


def test_a_path_from_another_machine_that_is_too_long_is_refused(clones):
    first, second = clones
    blob = git(first, "rev-parse", "HEAD:notes/plan.md").strip()
    git(first, "update-index", "--add", "--cacheinfo", f"100644,{blob},{LONG}")
    git(first, "commit", "-qm", "deep")
    git(first, "push", "-q")
    head = git(second, "rev-parse", "HEAD")
    with App(second) as app, pytest.raises(ConflictError, match="longer than 1,024 bytes"):
        app.exchange()
    assert git(second, "rev-parse", "HEAD") == head
    assert not (second / "a").exists()


def test_twins_in_nfc_and_nfd_are_both_found(tmp_path):
    root = tmp_path / "v"
    init_vault(root)
    (root / "notes").mkdir()
    for form, animal in (("NFC", "walrus"), ("NFD", "zebra")):
        (root / f"notes/{unicodedata.normalize(form, 'café')}.md").write_text(
            f"The {animal} sings in the choir.\n"
        )
    with open_vault(root) as app:
        for animal in ("walrus", "zebra"):
            [match] = app.search(animal).matches
            assert animal in (root / match.path).read_text()
            assert animal in app.recall(f"tell me about the {animal}").context
        assert len({match.path for match in app.search("choir").matches}) == 2
        context = app.recall("who sings in the choir?").context
    assert "walrus" in context
    assert "zebra" in context
