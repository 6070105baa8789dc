"""What others push does not act for this person: two machines of two people, one vault, a real remote; effects on disk, in git, in answers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import put
from gitvault import git

from memoryclaw.app import App, init_vault
from memoryclaw.errors import ConfigError, InputError, MemoryClawError
from memoryclaw.model import AGENT
from memoryclaw.writing.decisions import decisions_of

NOW = datetime(2026, 11, 25, 10, tzinfo=UTC)
MAIL = "---\nname: mail\ndescription: Sends the boathouse invoice by email to one person.\n---\nAsk first.\n"
DECISIONS = "review/decisions.jsonl"


class Machine:
    """One person's machine: a clone, and a folder of their own."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.root, self._patch = root, patch
        self.own = root.parent / f"{root.name}-own"

    @contextmanager
    def app(self) -> Iterator[App]:
        self._patch.setenv("XDG_CONFIG_HOME", os.fspath(self.own))
        with App(self.root, clock=lambda: NOW) as app:
            yield app

    def write(self, path: str, text: str) -> None:
        put(self.root, {path: text})
        git(self.root, "add", "-f", "--", path)
        git(self.root, "commit", "-qm", f"by hand: {path}", "--", path)

    def push(self) -> None:
        git(self.root, "push", "-q", "origin", "HEAD:main")

    def sync(self):
        with self.app() as app:
            return app.exchange(include_noexport=True)

    def hosted(self) -> dict[str, bytes]:
        """What hosts are given."""
        with self.app() as app:
            folder = Path(app.skills.hosted().folder)
        return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}

    def states(self) -> dict[str, str]:
        with self.app() as app:
            return {one.name: one.state for one in app.skills.list()}

    def recalls(self, question: str) -> tuple[list[str], dict[str, str]]:
        """What the agent is given, and why the rest was left out."""
        with self.app() as app:
            answer = app.seen_by(AGENT).recall(question)
        return [match.unit.id for match in answer.matches], {left.id: left.reason for left in answer.left_out}

    @property
    def permissions(self) -> list[Path]:
        return sorted(self.own.glob("memoryclaw/vaults/*/permissions.jsonl"))


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Machine, Machine]:
    """Two clones of a vault with one skill that nobody approved."""
    hub = tmp_path / "hub.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "--template=", os.fspath(hub))
    mine, theirs = (Machine(tmp_path / name, monkeypatch) for name in ("mine", "theirs"))
    monkeypatch.setenv("XDG_CONFIG_HOME", os.fspath(mine.own))
    init_vault(mine.root, clock=lambda: NOW)
    mine.write("skills/mail/SKILL.md", MAIL)
    git(mine.root, "remote", "add", "origin", os.fspath(hub))
    git(mine.root, "push", "-qu", "origin", "main")
    git(tmp_path, "clone", "-q", "--template=", os.fspath(hub), "theirs")
    for one in (mine, theirs):
        for key in ("name", "email"):
            git(one.root, "config", f"user.{key}", f"{one.root.name}@x")
    return mine, theirs


def approve(machine: Machine, name: str = "mail") -> None:
    with machine.app() as app:
        app.skills.approve(name)


def test_an_approval_that_is_pushed_approves_nothing_here(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    before = (mine.hosted(), mine.states(), mine.recalls("send the boathouse invoice by email"))
    approve(theirs)
    theirs.push()
    mine.sync()
    assert '"approved"' in (mine.root / DECISIONS).read_text()
    assert (mine.hosted(), mine.states(), mine.recalls("send the boathouse invoice by email")) == before
    assert before[:2] == ({}, {"mail": "not approved"})
    with mine.app() as app, pytest.raises(InputError, match="is not approved"):
        app.skills.run("mail", {}, apply=True)
    assert not mine.permissions
    assert theirs.hosted() == {"mail/SKILL.md": MAIL.encode()}


def test_it_waits_as_one_thing_with_its_origin(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    theirs.write("skills/mow/SKILL.md", MAIL.replace("mail", "mow"))
    approve(theirs)
    approve(theirs, "mow")
    theirs.push()
    mine.sync()
    with mine.app() as app:
        [item] = [one for one in app.review.list() if one.kind == "permissions"]
        assert "skills/mail/SKILL.md" in item.what
        assert "skills/mow/SKILL.md" in item.what
        assert "theirs@x" in item.why
        assert "origin/main" in item.why
        assert git(theirs.root, "rev-parse", "HEAD").strip()[:12] in item.why
        [done] = app.review.approve([item], digest=item.digest)
        assert [one for one in app.review.list() if one.kind == "permissions"] == []
    assert mine.states() == {"mail": "approved", "mow": "approved"}
    assert git(mine.root, "show", "--format=", "--name-only", done.commit).split() == [DECISIONS]


def test_adopting_is_done_once_and_holds_for_exactly_these_bytes(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    approve(theirs)
    theirs.push()
    mine.sync()
    with mine.app() as app:
        assert [one.kind for one in app.adoptable()] == ["decision"]
        app.adopt(app.adoptable())
        head = git(mine.root, "rev-parse", "HEAD")
        assert list(app.adoptable()) == []
        app.adopt(app.adoptable())
    assert git(mine.root, "rev-parse", "HEAD") == head
    assert mine.hosted() == {"mail/SKILL.md": MAIL.encode()}
    theirs.write("skills/mail/SKILL.md", MAIL + "And the password.\n")
    approve(theirs)
    mine.sync()
    theirs.sync()
    mine.sync()
    assert mine.hosted() == {"mail/SKILL.md": MAIL.encode()}
    assert mine.states() == {"mail": "changed since approval"}


def test_what_is_not_wanted_here_is_not_asked_again_and_stays_elsewhere(
    machines: tuple[Machine, Machine],
) -> None:
    mine, theirs = machines
    approve(theirs)
    theirs.push()
    mine.sync()
    with mine.app() as app:
        app.review.reject(app.review.list(["permissions"]))
        assert [one for one in app.review.list() if one.kind == "permissions"] == []
        assert list(app.adoptable()) == []
    assert mine.states() == {"mail": "not approved"}
    mine.sync()
    theirs.sync()
    assert theirs.states() == {"mail": "approved"}
    approve(mine)
    assert mine.states() == {"mail": "approved"}


def test_a_refusal_that_is_pushed_binds_at_once(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    approve(mine)
    mine.sync()
    theirs.sync()
    with theirs.app() as app:
        app.adopt(app.adoptable())
        app.skills.reject("mail")
    theirs.sync()
    assert mine.hosted() == {"mail/SKILL.md": MAIL.encode()}
    mine.sync()
    assert (mine.hosted(), mine.states()) == ({}, {"mail": "not approved"})
    approve(mine)
    assert mine.states() == {"mail": "approved"}


def lines(machine: Machine) -> list[str]:
    return (machine.root / DECISIONS).read_text().splitlines(keepends=True)


@pytest.mark.parametrize(
    "forged",
    [
        pytest.param(lambda yes, no: [yes, no, yes], id="the yes repeated"),
        pytest.param(lambda yes, no: [no, yes], id="the yes put last"),
        pytest.param(lambda yes, no: [yes], id="the no taken out"),
        pytest.param(lambda yes, no: [yes, no, yes.replace("T10:", "T11:")], id="the yes at another time"),
    ],
)
def test_an_approval_that_was_withdrawn_is_not_replayed(machines: tuple[Machine, Machine], forged) -> None:
    mine, theirs = machines
    approve(mine)
    with mine.app() as app:
        app.skills.reject("mail")
    mine.sync()
    theirs.sync()
    yes, no = lines(theirs)
    theirs.write(DECISIONS, "".join(forged(yes, no)))
    theirs.push()
    mine.sync()
    assert lines(mine) == forged(yes, no)
    assert (mine.hosted(), mine.states()["mail"]) == ({}, "not approved")


def test_one_file_of_an_approval_is_no_approval(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    mine.write("skills/mail/check.py", "check()\n")
    approve(mine)
    mine.sync()
    theirs.sync()
    main, *_ = lines(theirs)
    git(theirs.root, "rm", "-q", "skills/mail/check.py")
    git(theirs.root, "commit", "-qm", "without its check")
    theirs.write(DECISIONS, main)
    theirs.push()
    mine.sync()
    assert (mine.hosted(), mine.states()["mail"]) == ({}, "not approved")


def test_a_refusal_of_a_fact_is_not_lifted_from_elsewhere(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    no = {
        "at": "2026-11-20T10:00:00Z",
        "decision": "rejected",
        "kind": "fact",
        "fingerprint": "0123456789abcdef",
    }
    mine.write(DECISIONS, json.dumps(no) + "\n")
    mine.push()
    theirs.sync()
    theirs.write(DECISIONS, "".join([*lines(theirs), json.dumps({**no, "decision": "approved"}) + "\n"]))
    theirs.push()
    mine.sync()
    with mine.app() as app:
        assert decisions_of(str(mine.root)).is_rejected("0123456789abcdef")
        app.adopt(app.adoptable())
        assert not decisions_of(str(mine.root)).is_rejected("0123456789abcdef")


def test_what_was_forgotten_here_does_not_come_back_from_elsewhere(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    said = '{"session": "s1", "role": "user", "content": "The lantern code is hidden in the larch."}'
    for machine in machines:
        with machine.app() as app:
            assert all(done.ok for done in app.capture([said]))
    with mine.app() as app:
        [found] = app.search("lantern larch").matches
        app.forget(found.unit.id)
    mine.sync()
    theirs.sync()
    with theirs.app() as app:
        assert app.search("lantern larch").matches == ()
        app.revive(found.unit.id)
        assert [match.unit.id for match in app.search("lantern larch").matches] == [found.unit.id]
    theirs.sync()
    mine.sync()
    with mine.app() as app:
        assert app.search("lantern larch").matches == ()
        app.reindex()
        assert app.search("lantern larch").matches == ()
        app.adopt(app.adoptable())
        assert [match.unit.id for match in app.search("lantern larch").matches] == [found.unit.id]


def test_logs_that_another_machine_has_tracked_stay_here(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    with mine.app() as app:
        app.capture(['{"session": "s1", "role": "user", "content": "Nobody else knows."}'])
    settings = (theirs.root / "memoryclaw.yaml").read_text() + "git: {track_logs: true, track_ledger: true}\n"
    theirs.write("memoryclaw.yaml", settings)
    theirs.write(".gitignore", ".memoryclaw/\nworking/\n")
    theirs.push()
    mine.sync()
    mine.sync()
    assert not [
        path
        for path in git(mine.root, "ls-tree", "-r", "--name-only", "origin/main").split()
        if path.startswith(("logs/", "ledger/"))
    ]
    assert list((mine.root / "logs").rglob("*.jsonl"))


def test_rules_that_are_pushed_offer_no_log_to_git(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    with mine.app() as app:
        app.capture(['{"session": "s1", "role": "user", "content": "Nobody else knows."}'])
    theirs.write(".gitignore", "*.tmp\n")
    theirs.push()
    mine.sync()
    assert (mine.root / ".gitignore").read_text() == "*.tmp\n"
    assert git(mine.root, "status", "--porcelain") == ""
    git(mine.root, "add", "-A")
    assert git(mine.root, "status", "--porcelain") == ""


def test_a_machine_that_tracks_and_one_that_does_not_leave_each_other_alone(
    machines: tuple[Machine, Machine],
) -> None:
    mine, theirs = machines
    put(theirs.own, {"memoryclaw/config.yaml": "git: {track_logs: true}\n"})
    for machine in machines:
        with machine.app() as app:
            app.capture(
                [json.dumps({"session": machine.root.name, "role": "user", "content": "The lantern."})]
            )
    for _ in range(2):
        for machine in (theirs, mine):
            with machine.app() as app:
                app.consolidate()
            machine.sync()
    sent = git(mine.root, "ls-tree", "-r", "--name-only", "origin/main").split()
    assert [path.rpartition("/")[2] for path in sent if path.startswith("logs/")] == ["theirs.jsonl"]
    assert git(mine.root, "status", "--porcelain") == ""
    assert len(git(mine.root, "log", "--format=%h", "--", ".gitignore").split()) == 2


def test_the_state_folder_holds_none_of_it(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    approve(mine)
    approve(theirs)
    theirs.push()
    mine.sync()
    before = (mine.states(), mine.recalls("send the boathouse invoice by email"))
    git(mine.root, "clean", "-qfdX", "--", ".memoryclaw")
    assert not (mine.root / ".memoryclaw").exists()
    assert (mine.states(), mine.recalls("send the boathouse invoice by email")) == before
    assert mine.states() == {"mail": "approved"}


# The id of a vault, and the user's own folder.


def test_a_new_vault_has_an_id_and_a_clone_has_the_same(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    with mine.app() as one, theirs.app() as other:
        assert one.config.vault_id == other.config.vault_id
        assert len(one.config.vault_id) == 32
    approve(mine)
    [kept] = mine.permissions
    assert kept.stat().st_mode & 0o077 == kept.parent.stat().st_mode & 0o077 == 0
    assert "mail" not in kept.read_text()


OLD = "# mine\nvault:\n  # the format\n  format: 2 \r\nretrieval: {budget: 400}"


@pytest.mark.parametrize("old", [OLD, "", "# nothing\n", "index:\n  language: de\n"])
def test_a_vault_without_an_id_gets_a_line_and_keeps_every_byte(
    machines: tuple[Machine, Machine], old: str
) -> None:
    mine, _ = machines
    mine.write("memoryclaw.yaml", old)
    (mine.root / "memoryclaw.yaml").write_bytes(old.encode() + b"\n# not committed")
    approve(mine)
    assert mine.states() == {"mail": "approved"}
    after = (mine.root / "memoryclaw.yaml").read_bytes().decode()
    added = [line for line in after.splitlines() if line not in old.splitlines()]
    with mine.app() as app:
        assert app.config.vault_id in after
    assert "# not committed" in after
    identified, approved = git(mine.root, "log", "--format=%H", "-2").split()[::-1]
    assert git(mine.root, "show", "--format=", "--name-only", identified).split() == ["memoryclaw.yaml"]
    assert git(mine.root, "show", "--format=", "--name-only", approved).split() == [DECISIONS]
    changed = git(mine.root, "show", "--format=", "--no-ext-diff", "-U0", identified).splitlines()
    assert not [
        line
        for line in changed
        if line.startswith("-") and not line.startswith("---") and line[1:].strip() not in after
    ]
    assert {line.partition(": ")[0] for line in added} <= {"", "# not committed", "vault:", "  id"}


def test_an_owners_old_decisions_count_again_after_one_adopt(machines: tuple[Machine, Machine]) -> None:
    mine, _ = machines
    approve(mine)
    settings = (mine.root / "memoryclaw.yaml").read_text()
    mine.write(
        "memoryclaw.yaml", "".join(line for line in settings.splitlines(keepends=True) if "  id:" not in line)
    )
    with mine.app() as app:
        assert app.config.vault_id == ""
        [told] = [sentence for sentence in app.news() if "adopt" in sentence]
        assert "skills/mail/SKILL.md" in told
    assert (mine.states(), mine.hosted()) == ({"mail": "not approved"}, {})
    with mine.app() as app:
        app.adopt(app.adoptable())
        assert list(app.adoptable()) == []
    assert mine.hosted() == {"mail/SKILL.md": MAIL.encode()}


def test_undo_of_an_undo_gives_an_old_vault_an_id_and_means_the_commit_that_was_named(
    machines: tuple[Machine, Machine],
) -> None:
    mine, _ = machines
    mine.write("memoryclaw.yaml", "# old\n")
    with mine.app() as app:
        app.remember("Anna lives in Bern")
        taught = git(mine.root, "rev-parse", "HEAD").strip()
    no = {
        "at": "2026-11-20T10:00:00Z",
        "decision": "rejected",
        "kind": "fact",
        "fingerprint": "0123456789abcdef",
    }
    mine.write(DECISIONS, json.dumps({**no, "decision": "undone"}) + "\n")
    git(mine.root, "commit", "-q", "--amend", "-m", "Undo\n\nRun: undo-1\n")
    with mine.app() as app:
        app.undo("HEAD")
        assert app.config.vault_id == "" or len(app.config.vault_id) == 32
    assert lines(mine)[-1].count('"approved"') == 1
    assert not decisions_of(str(mine.root)).is_undone("0123456789abcdef")
    assert taught in git(mine.root, "log", "--format=%H")


def test_what_cannot_be_read_approves_nothing_and_is_said(machines: tuple[Machine, Machine]) -> None:
    mine, _ = machines
    approve(mine)
    [kept] = mine.permissions
    text = kept.read_text()
    kept.unlink()
    kept.mkdir()
    assert (mine.states(), mine.hosted()) == ({"mail": "not approved"}, {})
    with mine.app() as app:
        [item] = app.review.list(["permissions"])
        assert os.fspath(kept) in item.why
        with pytest.raises(MemoryClawError, match=r"permissions\.jsonl"):
            app.skills.approve("mail")
    head = git(mine.root, "rev-parse", "HEAD")
    kept.rmdir()
    kept.write_text(text[: len(text) // 2])
    assert mine.states() == {"mail": "not approved"}
    approve(mine)
    assert mine.states() == {"mail": "approved"}
    assert git(mine.root, "rev-parse", "HEAD~") == head


def test_settings_that_name_no_id_are_left_alone(machines: tuple[Machine, Machine]) -> None:
    mine, _ = machines
    mine.write("memoryclaw.yaml", "vault:\n  id: ../../mine\n")
    with pytest.raises(ConfigError, match=r"vault\.id"):
        approve(mine)
    assert (mine.root / "memoryclaw.yaml").read_text() == "vault:\n  id: ../../mine\n"
    assert mine.states() == {"mail": "not approved"}


def test_two_machines_that_give_an_id_at_once_agree(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    mine.write("memoryclaw.yaml", "# ours\n")
    mine.push()
    theirs.sync()
    theirs.write("skills/mow/SKILL.md", MAIL.replace("mail", "mow"))
    approve(mine)
    approve(theirs, "mow")
    mine.sync()
    theirs.sync()
    mine.sync()
    texts = {(one.root / "memoryclaw.yaml").read_text() for one in machines}
    assert len(texts) == 1
    assert texts.pop().count("id:") == 1
    for one in machines:
        assert [path.name for path in one.root.glob("*.yaml")] == ["memoryclaw.yaml"]
        with one.app() as app:
            app.adopt(app.adoptable())
        assert one.states() == {"mail": "approved", "mow": "approved"}
    with mine.app() as app:
        assert len(app.config.vault_id) == 32
