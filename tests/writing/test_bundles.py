"""A bundle brings back what it took, byte for byte; it is looked through before anything is written, and overwrites nothing."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import Claw, git, put
from killing import killed_at

from memoryclaw.app import restore_vault
from memoryclaw.errors import InputError
from memoryclaw.writing import bundles

BIG = "a long answer " * 1000
TURN = {"ts": "2026-02-01T09:00:00Z", "session": "s1", "turn": 1, "role": "user", "content": "Tea, please"}
FILES: Mapping[str, str | bytes] = {
    "memoryclaw.yaml": "audience:\n  folders: {journal: owner}\n",
    "semantic/people.md": b"\xef\xbb\xbf# Anna\r\n- city: Bern [since:: 2026-01-02]\r\n- tea: green",
    "semantic/aliases.yaml": "anna: [annie]\n",
    "episodes/2026-02-02_10-00-00_tea.md": "---\nid: ep-tea\ntimestamp: 2026-02-02T10:00:00Z\ntags: [tea/green]\nsummary: tea\n---\n\ntea\n",
    "episodes/2026-03-02_10-00-00_boat.md": "---\nid: ep-boat\ntimestamp: 2026-03-02T10:00:00Z\ntags: [boat]\nsummary: boat\n---\n\nboat\n",
    "logs/2026-02-01/s1.jsonl": json.dumps(TURN) + "\n",
    "notes/Grüße & 茶.md": "# 茶\n",
    "notes/broken.md": "---\na: [1\n---\n",
    "attachments/pic.png": bytes(range(256)) * 50,
    "archive/notes/old.md": "old\n",
    "review/decisions.jsonl": '{"at": "2026-01-01T00:00:00Z", "decision": "rejected", "kind": "fact", "fingerprint": "0123456789abcdef"}\n',
    "ledger/vm/2026-02.jsonl": '{"ts": "2026-02-01T09:00:00Z", "kind": "shown", "ids": ["ep-tea"]}\n',
    "journal/today.md": "mine alone\n",
}


@pytest.fixture
def claw(tmp_path: Path) -> Claw:
    vault = put(tmp_path / "v", FILES)
    claw = Claw(vault, XDG_CONFIG_HOME=str(tmp_path / "config"))
    assert claw("init").code == 0
    return claw


def kept(folder: Path) -> dict[str, bytes]:
    """Every file of a vault that is no hidden one, but for what a session that goes on works with."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path.parent != folder / "working"
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }


def inside(path: Path) -> dict[str, bytes]:
    """The files in a bundle, but for its manifest."""
    with tarfile.open(path) as tar:
        return {
            member.name: tar.extractfile(member).read() for member in tar if member.name.startswith("vault/")
        }  # type: ignore[union-attr]


def rebuilt(path: Path, change: Callable[[dict[str, bytes], dict[str, Any]], None]) -> Path:
    """A bundle whose files and manifest somebody changed."""
    files = inside(path)
    with tarfile.open(path) as tar:
        manifest = json.loads(tar.extractfile("manifest.json").read())  # type: ignore[union-attr]
    change(files, manifest)
    target = path.with_name("changed.tar.gz")
    with tarfile.open(target, "w:gz") as tar:
        for name, data in [*files.items(), ("manifest.json", json.dumps(manifest).encode())]:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return target


def test_what_went_out_comes_back_byte_for_byte(claw: Claw, tmp_path: Path) -> None:
    bundle, new = tmp_path / "b.tar.gz", tmp_path / "new"
    turn = json.dumps({"session": "s2", "role": "user", "content": BIG})
    assert claw("capture", stdin=turn + "\n").code == 0
    before = kept(claw.vault or Path())
    done = claw("export", bundle, "--json").json
    assert (done["files"], done["withheld"]) == (len(before), 0)
    assert done["sha256"] == hashlib.sha256(bundle.read_bytes()).hexdigest()
    assert claw("import", "bundle", bundle, "--vault", new, "--yes").code == 0
    assert kept(new) == before
    assert git(new, "status", "--short") == ""
    assert kept(claw.vault or Path()) == before
    assert Claw(new)("recall", "Anna city").out == claw("recall", "Anna city").out


def test_the_same_files_give_the_same_bytes(claw: Claw, tmp_path: Path) -> None:
    claw("export", tmp_path / "a.tar.gz")
    for path in kept(claw.vault or Path()):
        os.utime(claw.vault / path, (1, 1))  # type: ignore[operator]
    claw("export", tmp_path / "b.tar.gz")
    claw("import", "bundle", tmp_path / "a.tar.gz", "--vault", tmp_path / "new", "--yes")
    Claw(tmp_path / "new")("export", tmp_path / "c.tar.gz")
    assert len({(tmp_path / f"{name}.tar.gz").read_bytes() for name in "abc"}) == 1


def test_the_manifest_tells_every_file_with_its_digest(claw: Claw, tmp_path: Path) -> None:
    claw("export", tmp_path / "b.tar.gz")
    with tarfile.open(tmp_path / "b.tar.gz") as tar:
        members = tar.getmembers()
        manifest = json.loads(tar.extractfile("manifest.json").read())  # type: ignore[union-attr]
    assert members[-1].name == "manifest.json"
    assert {(member.mtime, member.uid, member.gid, member.uname, member.mode) for member in members} == {
        (0, 0, 0, "", 0o600)
    }
    assert (manifest["format"], manifest["version"], manifest["audience"]) == (
        "memoryclaw-bundle",
        1,
        "owner",
    )
    assert {row["path"]: (row["size"], row["sha256"]) for row in manifest["files"]} == {
        path: (len(data), hashlib.sha256(data).hexdigest())
        for path, data in kept(claw.vault or Path()).items()
    }


def test_a_selection_holds_what_is_of_its_days_and_tags(claw: Claw, tmp_path: Path) -> None:
    for path in kept(claw.vault or Path()):
        os.utime(claw.vault / path, (1, 1))  # type: ignore[operator]

    def names(*words: str) -> set[str]:
        bundle = tmp_path / f"{len(list(tmp_path.iterdir()))}.tar.gz"
        assert claw("export", bundle, *words).code == 0
        return {name.removeprefix("vault/") for name in inside(bundle)}

    assert names("--since", "2026-02-02") == {
        "episodes/2026-02-02_10-00-00_tea.md",
        "episodes/2026-03-02_10-00-00_boat.md",
    }
    assert "logs/2026-02-01/s1.jsonl" in names("--since", "2026-02-01")
    assert names("--tag", "#Tea") == {"episodes/2026-02-02_10-00-00_tea.md"}
    assert names("--tag", "tea", "--tag", "boat", "--since", "2026-03-01") == {
        "episodes/2026-03-02_10-00-00_boat.md"
    }
    assert claw("export", tmp_path / "x.tar.gz", "--tag", "nosuch").code == 1
    assert not (tmp_path / "x.tar.gz").exists()
    assert not list(tmp_path.glob("*.part"))
    assert "is not a date" in claw("export", tmp_path / "x.tar.gz", "--since", "yesterdayish").err


def test_what_must_not_leave_does_not_and_the_payloads_of_its_lines_neither(
    claw: Claw, tmp_path: Path
) -> None:
    said = [
        {
            "session": "s9",
            "role": "user",
            "name": "Nora",
            "content": f"[NOEXPORT] my locker code is zanzibar\n{BIG}",
        },
        {"session": "s8", "role": "user", "name": "Nora", "content": "I prefer oolong. [NOEXPORT]"},
        {"session": "s7", "role": "user", "name": "Nora", "content": "My sister Greta lives in Lund."},
    ]
    assert claw("capture", stdin="".join(json.dumps(turn) + "\n" for turn in said)).code == 0
    assert claw("consolidate", "--llm", "none").code == 0
    vault = claw.vault or Path()
    assert b"oolong" in b"".join(path.read_bytes() for path in vault.glob("semantic/*.md"))
    done = claw("export", tmp_path / "b.tar.gz", "--json").json
    assert done["withheld"] > 0
    everything = gzip.decompress((tmp_path / "b.tar.gz").read_bytes())
    for word in (b"oolong", b"zanzibar", b"a long answer"):
        assert word not in everything
    assert b"Lund" in everything
    assert "oolong" not in claw("export", "memory-md", "--audience", "owner").out
    # What was read stays read: the restored vault reads none of it again.
    claw("import", "bundle", tmp_path / "b.tar.gz", "--vault", tmp_path / "new", "--yes")
    assert "Greta" not in Claw(tmp_path / "new")("consolidate", "--dry-run", "--llm", "none").out


def test_nothing_that_is_there_is_overwritten(claw: Claw, tmp_path: Path) -> None:
    bundle = tmp_path / "b.tar.gz"
    claw("export", bundle)
    vault = claw.vault or Path()
    (vault / "semantic/people.md").write_text("# Anna\n- city: Basel\n")
    with (vault / "logs/2026-02-01/s1.jsonl").open("a") as log:
        log.write("{}\n")
    (vault / "notes/broken.md").unlink()
    now = kept(vault)
    shown = claw("import", "bundle", bundle, "--json")
    assert (shown.json["dry_run"], shown.json["written"], shown.json["differs"]) == (
        True,
        ["notes/broken.md"],
        ["semantic/people.md"],
    )
    assert kept(vault) == now
    done = claw("import", "bundle", bundle, "--yes")
    assert done.code == 1
    assert "semantic/people.md exists with other contents, and stays as it is" in done.err
    assert kept(vault) == {**now, "notes/broken.md": b"---\na: [1\n---\n"}


def test_settings_that_nobody_changed_give_way_and_those_that_somebody_did_stay(
    claw: Claw, tmp_path: Path
) -> None:
    bundle = tmp_path / "b.tar.gz"
    claw("export", bundle)
    fresh, own = Claw(tmp_path / "fresh"), Claw(tmp_path / "own")
    for copy in (fresh, own):
        assert copy("init").code == 0
    (tmp_path / "own/memoryclaw.yaml").write_text("index:\n  language: de\n")
    assert fresh("import", "bundle", bundle, "--yes").code == 0
    assert kept(tmp_path / "fresh") == kept(claw.vault or Path())
    assert git(tmp_path / "fresh", "status", "--short") == ""
    assert own("import", "bundle", bundle, "--yes").code == 1
    assert (tmp_path / "own/memoryclaw.yaml").read_text() == "index:\n  language: de\n"


def test_what_was_forgotten_or_erased_since_does_not_come_back(claw: Claw, tmp_path: Path) -> None:
    bundle = tmp_path / "b.tar.gz"
    claw("remember", "The locker at the harbour opens with the number nine nine nine", "--tag", "locker")
    claw(
        "capture", stdin=json.dumps({"session": "s5", "role": "user", "content": "Kim owes me money"}) + "\n"
    )
    claw("export", bundle)
    vault = claw.vault or Path()
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "mine")
    assert claw("forget", "ep-boat").code == 0
    locker = claw("search", "locker harbour", "--json").json["matches"][0]["note"]
    assert claw("forget", "--purge", "--yes", locker).code == 0
    assert claw("forget", "--purge", "--yes", "log:s5/1").code == 0
    for path in vault.glob("logs/*/s5.jsonl"):
        path.unlink()
    done = claw("import", "bundle", bundle, "--yes", "--json").json
    assert done["written"] == []
    assert {
        omitted["path"].rpartition("_")[2]: omitted["why"].partition(";")[0]
        for omitted in done["left_out"]
        if "s5" not in omitted["path"]
    } == {
        "boat.md": "was forgotten here",
        next(omitted["path"] for omitted in done["left_out"] if "locker" in omitted["path"]).rpartition("_")[
            2
        ]: "holds what a person had erased",
    }
    assert any("s5" in omitted["path"] for omitted in done["left_out"])
    everything = b"".join(kept(vault).values())
    assert b"nine nine nine" not in everything
    assert b"owes me" not in everything


def test_a_log_comes_back_without_the_turns_that_were_erased(claw: Claw, tmp_path: Path) -> None:
    bundle, vault = tmp_path / "b.tar.gz", claw.vault or Path()
    said = [
        {"session": "s5", "role": "user", "content": "Kim owes me"},
        {"session": "s5", "role": "user", "content": f"The code of the safe is zanzibar. {BIG}"},
        {"session": "s5", "role": "user", "content": f"The harbour master is Bo. {BIG}!"},
    ]
    assert claw("capture", stdin="".join(json.dumps(turn) + "\n" for turn in said)).code == 0
    (vault / "logs/2026-02-02").mkdir()
    (vault / "logs/2026-02-02/by-hand.jsonl").write_text(
        '{"role": "user", "content": "Owe Lee"}\r\n{"role": "user", "content": "Buy nails"}\r\n'
    )
    (vault / "logs/2026-02-02/page.md").write_text("### user\n\nOwe Pat\n\n### assistant\n\nNoted.\n")
    claw("export", bundle)
    assert len(inside(bundle).keys() & {f"vault/{path}" for path in kept(vault) if "artifacts" in path}) == 2
    for turn in ("log:s5/1", "log:s5/2", "log:by-hand/1", "log:page/1"):
        assert claw("forget", "--purge", "--yes", turn).code == 0
    after = kept(vault)
    logs = {path for path in after if path.startswith("logs/")}
    again = claw("import", "bundle", bundle, "--yes", "--json").json
    assert kept(vault) == after
    assert not set(again["differs"]) & logs
    for path in logs:
        (vault / path).unlink()
    done = claw("import", "bundle", bundle, "--yes", "--json").json
    assert set(done["written"]) == logs
    assert {path: data for path, data in kept(vault).items() if path in logs} == {
        path: after[path] for path in logs
    }
    (left_out,) = done["left_out"]
    assert (left_out["path"].startswith("logs/artifacts/"), "erased" in left_out["why"]) == (True, True)


def test_facts_that_were_erased_do_not_come_back_with_their_file(claw: Claw, tmp_path: Path) -> None:
    bundle, vault = tmp_path / "b.tar.gz", claw.vault or Path()
    (vault / "eval").mkdir()
    (vault / "eval/questions.yaml").write_text("- question: Where does the old blue heron nest?\n")
    claw("remember", "Where does the old blue heron nest", "--note")
    claw("export", bundle)
    (fact,) = [fact for fact in claw("facts", "Anna", "--json").json["facts"] if fact["field"] == "city"]
    heron = claw("search", "heron", "--json").json["matches"][0]["note"]
    assert claw("forget", "--purge", "--yes", fact["id"]).code == 0
    (vault / "eval/questions.yaml").unlink()
    assert claw("forget", "--purge", "--yes", heron).code == 0
    after = (vault / "semantic/people.md").read_bytes()
    (vault / "semantic/people.md").unlink()
    done = claw("import", "bundle", bundle, "--yes", "--json").json
    assert done["written"] == ["semantic/people.md"]
    assert (vault / "semantic/people.md").read_bytes() == after == b"\xef\xbb\xbf# Anna\r\n- tea: green"
    assert "semantic/people.md comes without what a person had erased" in done["notices"]
    assert "eval/questions.yaml" in {omitted["path"] for omitted in done["left_out"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda files, _: files.update({"vault/notes/broken.md": b"other"}), "'notes/broken.md' has changed"),
        (lambda files, _: files.pop("vault/notes/broken.md"), "'notes/broken.md' is missing"),
        (lambda files, _: files.update({"vault/notes/new.md": b"x"}), "'notes/new.md' is not listed"),
        (lambda files, _: files.update({"vault/../evil.md": b"x"}), "may not be written"),
        (lambda files, _: files.update({"vault//etc/evil.md": b"x"}), "may not be written"),
        (lambda files, _: files.update({"vault/.memoryclaw/token": b"x"}), "may not be written"),
        (lambda files, _: files.update({"vault/.git/hooks/post-commit": b"x"}), "may not be written"),
        (lambda files, _: files.update({"vault/working/s.json": b"x"}), "may not be written"),
        (lambda files, _: files.update({"elsewhere.md": b"x"}), "may not be written"),
        (lambda _, manifest: manifest.update(format="other"), "manifest cannot be read"),
        (lambda _, manifest: manifest.update(files=[{"path": 1}]), "manifest cannot be read"),
        (lambda _, manifest: manifest.update(version=2), "newer MemoryClaw"),
    ],
)
def test_a_bundle_that_was_tampered_with_is_refused_whole(
    claw: Claw, tmp_path: Path, change: Any, message: str
) -> None:
    claw("export", tmp_path / "b.tar.gz")
    path = rebuilt(tmp_path / "b.tar.gz", lambda files, manifest: change(files, manifest) and None)
    done = claw("import", "bundle", path, "--vault", tmp_path / "new", "--yes")
    assert done.code == 1
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_links_devices_damage_and_bombs_are_refused(
    claw: Claw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claw("export", tmp_path / "b.tar.gz")
    with tarfile.open(tmp_path / "link.tar.gz", "w:gz") as tar:
        info = tarfile.TarInfo("vault/notes/x.md")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(info)
    whole = (tmp_path / "b.tar.gz").read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "bit.tar.gz").write_bytes(whole[:200] + bytes([whole[200] ^ 1]) + whole[201:])
    (tmp_path / "tail.tar.gz").write_bytes(whole[:-8] + b"\0" * 8)
    (tmp_path / "none.tar.gz").write_bytes(b"hello")
    (tmp_path / "empty.tar.gz").write_bytes(b"")
    for name in ("link", "cut", "bit", "tail", "none", "empty"):
        done = claw("import", "bundle", tmp_path / f"{name}.tar.gz", "--vault", tmp_path / "new", "--yes")
        assert (done.code, done.err.count("\n")) == (1, 1), (name, done)
        assert "nothing was written" in done.err
    monkeypatch.setattr(bundles, "_HARMLESS", 1000)
    monkeypatch.setattr(bundles, "_RATIO", 2)
    with pytest.raises(InputError, match="would expand"):
        bundles.Bundle(str(tmp_path / "b.tar.gz"))
    assert not (tmp_path / "new").exists()


@pytest.mark.laws
def test_a_restore_that_was_killed_is_made_again_and_nothing_is_lost(
    claw: Claw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundles, "_TOGETHER", 4)
    bundle = tmp_path / "b.tar.gz"
    claw("export", bundle)
    before, ended = kept(claw.vault or Path()), 0
    for at in range(1, 4000, 71):
        new = tmp_path / f"new{at}"
        killed = killed_at(at, lambda _, new=new: restore_vault(new, bundle))  # type: ignore[misc]
        for path, data in (kept(new) if new.exists() else {}).items():
            assert data == before.get(path, data) or path in ("memoryclaw.yaml", "semantic/_schema.yaml")
        if not (new / "memoryclaw.yaml").is_file() and new.exists() and any(new.iterdir()):
            assert (
                Claw(new)("init").code == 0
            )  # it was killed before it was a vault; the sentence says to do so
        assert restore_vault(new, bundle).differs == ()
        assert kept(new) == before
        assert git(new, "status", "--short") == ""
        if killed.code == 0:
            ended = at
            break
    assert ended > 71


def test_where_it_goes_is_checked_before_anything_is_read(claw: Claw, tmp_path: Path) -> None:
    vault = claw.vault or Path()
    put(tmp_path, {"there.tar.gz": "mine"})
    for target, reason in (
        (vault / "b.tar.gz", "lies in the vault itself"),
        (tmp_path / "there.tar.gz", "is there already"),
        (tmp_path / "no/b.tar.gz", "there is no folder"),
    ):
        done = claw("export", target)
        assert (done.code, reason in done.err) == (1, True), done
    assert (tmp_path / "there.tar.gz").read_text() == "mine"
    assert claw("export", "bundle").code == 2
    assert claw("export", tmp_path / "b.zip").code == 2
    assert claw("export", "memory-md", "--since", "2026-01-01").code == 2
    put(tmp_path / "full", {"x.txt": "mine"})
    claw("export", tmp_path / "b.tar.gz")
    done = claw("import", "bundle", tmp_path / "b.tar.gz", "--vault", tmp_path / "full", "--yes")
    assert (done.code, "is not a vault, and not empty" in done.err) == (1, True)


def test_only_the_owner_restores(claw: Claw, tmp_path: Path) -> None:
    claw("export", tmp_path / "b.tar.gz")
    done = claw(
        "import", "bundle", tmp_path / "b.tar.gz", "--vault", tmp_path / "new", "--yes", "--audience", "agent"
    )
    assert (done.code, "only the owner may do this" in done.err) == (1, True)
    assert not (tmp_path / "new").exists()
