"""What others push does not act for this person: two machines of two people, one vault, a real remote; effects on disk, in git, in answers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import put
from daemons import serving
from gitvault import copy_repositories, git

from memoryclaw.app import App, init_vault
from memoryclaw.errors import ConfigError, ConflictError, InputError, MemoryClawError
from memoryclaw.model import AGENT
from memoryclaw.writing.decisions import decisions_of

pytestmark = pytest.mark.security

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
            return app.exchange()

    def hosted(self) -> dict[str, bytes]:
        """What hosts are given."""
        with self.app() as app:
            folder = Path(app.skills.hosted().folder)
        return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}

    def states(self) -> dict[str, str]:
        with self.app() as app:
            return {skill.name: skill.state for skill in app.skills.list()}

    def recalls(self, question: str) -> tuple[list[str], dict[str, str]]:
        """What the agent is given, and why the rest was left out."""
        with self.app() as app:
            answer = app.seen_by(AGENT).recall(question)
        return [match.unit.id for match in answer.matches], {left.id: left.reason for left in answer.left_out}

    def shown(self, audience: str, *words: str) -> str:
        """What an audience is shown of some words: by a search, by a recall, and in all notes."""
        with self.app() as app:
            seen = app.seen_by(audience)
            texts = [match.unit.text for word in words for match in seen.search(word).matches]
            texts += [seen.recall(f"what is the {word} code of the boathouse").context for word in words]
            for path in sorted(self.root.rglob("notes/*.md")):
                with suppress(MemoryClawError):
                    texts.append(str(seen.show(path.relative_to(self.root).as_posix().removesuffix(".md"))))
        return "\n".join(texts)

    @property
    def permissions(self) -> list[Path]:
        return sorted(self.own.glob("memoryclaw/vaults/*/permissions.jsonl"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two clones of a vault with one skill that nobody approved."""
    folder = tmp_path_factory.mktemp("machines")
    hub = folder / "hub.git"
    git(folder, "init", "-q", "--bare", "-b", "main", "--template=", os.fspath(hub))
    with pytest.MonkeyPatch.context() as patch:
        mine = Machine(folder / "mine", patch)
        patch.setenv("XDG_CONFIG_HOME", os.fspath(mine.own))
        init_vault(mine.root, clock=lambda: NOW)
    mine.write("skills/mail/SKILL.md", MAIL)
    git(mine.root, "remote", "add", "origin", os.fspath(hub))
    git(mine.root, "push", "-qu", "origin", "main")
    git(folder, "clone", "-q", "--template=", os.fspath(hub), "theirs")
    for name in ("mine", "theirs"):
        for key in ("name", "email"):
            git(folder / name, "config", f"user.{key}", f"{name}@x")
    return folder


@pytest.fixture
def machines(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Machine, Machine]:
    """A copy of them; what is done first is done as the person of the first."""
    copy_repositories(made, tmp_path)
    mine, theirs = (Machine(tmp_path / name, monkeypatch) for name in ("mine", "theirs"))
    monkeypatch.setenv("XDG_CONFIG_HOME", os.fspath(mine.own))
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
        [item] = [waiting for waiting in app.review.list() if waiting.kind == "permissions"]
        assert "skills/mail/SKILL.md" in item.what
        assert "skills/mow/SKILL.md" in item.what
        assert "theirs@x" in item.why
        assert "origin/main" in item.why
        assert git(theirs.root, "rev-parse", "HEAD").strip()[:12] in item.why
        [done] = app.review.approve([item], digest=item.digest)
        assert [waiting for waiting in app.review.list() if waiting.kind == "permissions"] == []
    assert mine.states() == {"mail": "approved", "mow": "approved"}
    assert git(mine.root, "show", "--format=", "--name-only", done.commit).split() == [DECISIONS]


def test_adopting_is_done_once_and_holds_for_exactly_these_bytes(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    approve(theirs)
    theirs.push()
    mine.sync()
    with mine.app() as app:
        assert [entry.kind for entry in app.adoptable()] == ["decision"]
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


def test_what_came_since_the_list_was_shown_is_not_adopted_with_it(
    machines: tuple[Machine, Machine],
) -> None:
    mine, theirs = machines
    approve(theirs)
    theirs.push()
    mine.sync()
    with mine.app() as app:
        listed = app.adoptable()
    theirs.write("skills/mow/SKILL.md", MAIL.replace("mail", "mow"))
    approve(theirs, "mow")
    theirs.push()
    mine.sync()
    with mine.app() as app, pytest.raises(ConflictError, match="has changed since it was shown"):
        app.adopt(listed)
    assert mine.states() == {"mail": "not approved", "mow": "not approved"}


def test_what_is_not_wanted_here_is_not_asked_again_and_stays_elsewhere(
    machines: tuple[Machine, Machine],
) -> None:
    mine, theirs = machines
    approve(theirs)
    theirs.push()
    mine.sync()
    with mine.app() as app:
        app.review.reject(app.review.list(["permissions"]))
        assert [waiting for waiting in app.review.list() if waiting.kind == "permissions"] == []
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


def test_a_no_that_is_taken_out_elsewhere_stands_here(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    approve(mine)
    with mine.app() as app:
        app.skills.reject("mail")
    mine.sync()
    theirs.sync()
    before = lines(mine)
    theirs.write(DECISIONS, before[0])
    theirs.push()
    mine.sync()
    assert lines(mine) == before
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
        [match] = app.search("lantern larch").matches
        app.forget(match.unit.id)
    mine.sync()
    theirs.sync()
    with theirs.app() as app:
        assert app.search("lantern larch").matches == ()
        app.revive(match.unit.id)
        assert [match.unit.id for match in app.search("lantern larch").matches] == [match.unit.id]
    theirs.sync()
    mine.sync()
    with mine.app() as app:
        assert app.search("lantern larch").matches == ()
        app.reindex()
        assert app.search("lantern larch").matches == ()
        app.adopt(app.adoptable())
        assert [match.unit.id for match in app.search("lantern larch").matches] == [match.unit.id]


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


@pytest.mark.laws
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
    with mine.app() as first, theirs.app() as other:
        assert first.config.vault_id == other.config.vault_id
        assert len(first.config.vault_id) == 32
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
        [sentence] = [sentence for sentence in app.news() if "adopt" in sentence]
        assert "skills/mail/SKILL.md" in sentence
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


@pytest.mark.laws
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
    texts = {(machine.root / "memoryclaw.yaml").read_text() for machine in machines}
    assert len(texts) == 1
    assert texts.pop().count("id:") == 1
    for machine in machines:
        assert [path.name for path in machine.root.glob("*.yaml")] == ["memoryclaw.yaml"]
        with machine.app() as app:
            app.adopt(app.adoptable())
        assert machine.states() == {"mail": "approved", "mow": "approved"}
    with mine.app() as app:
        assert len(app.config.vault_id) == 32


# Labels and trust in notes.

SECRET = "The lantern code of the boathouse is 4711."
WHOLE = f"---\naudience: owner\n---\n{SECRET}\n"
LINE = f"# House\n\n- The garden gate is green.\n- {SECRET} [PRIVATE]\n- The roof is red.\n"
FAMILY = f"---\naudience: family\n---\n{SECRET}\n"
QUARANTINED = f"---\ntrust: quarantined\n---\n{SECRET}\n"
UNTRUSTED = f"---\ntrust: untrusted\n---\n{SECRET}\n"


def sees(machine: Machine, audience: str = AGENT, words: str = "lantern") -> bool:
    """Whether an audience is shown the words."""
    return words in machine.shown(audience, words)


def waiting(app: App) -> list[str]:
    """What is in doubt."""
    return [item.what for item in app.review.list() if item.kind == "labels"]


def trust(machine: Machine, words: str = "lantern") -> str:
    with machine.app() as app:
        matches = app.search(words).matches
    return matches[0].unit.trust if matches else "quarantined"


def written(machine: Machine, notes: dict[str, str]) -> None:
    """Notes by hand, in one commit."""
    put(machine.root, notes)
    git(machine.root, "add", "-A", "notes")
    git(machine.root, "commit", "-qm", "by hand")


def share(mine: Machine, theirs: Machine, path: str, text: str) -> None:
    """A note of ours, which the other machine has too."""
    mine.write(path, text)
    mine.sync()
    theirs.sync()


def pushed(theirs: Machine, mine: Machine, path: str, text: str) -> None:
    theirs.write(path, text)
    theirs.push()
    mine.sync()


# How another person widens what a note is for: the note before, and after.
WIDENED = {
    "the label of the note removed": (WHOLE, SECRET + "\n"),
    "the label of the note widened": (WHOLE, WHOLE.replace("owner", "agent")),
    "and its text changed": (WHOLE, WHOLE.replace("owner", "public").replace("4711", "4712")),
    "the mark of a line removed": (LINE, LINE.replace(" [PRIVATE]", "")),
    "the mark of a line widened": (LINE, LINE.replace("[PRIVATE]", "[audience:: agent]")),
    "the mark removed and the line changed": (LINE, LINE.replace("4711. [PRIVATE]", "4711, I think.")),
    "of a section": (f"# House\n\n## Safe [private]\n\n{SECRET}\n", f"# House\n\n## Safe\n\n{SECRET}\n"),
    "the span removed": (f"# House\n\n<private>\n{SECRET}\n</private>\n", f"# House\n\n{SECRET}\n"),
}


def test_a_label_that_is_widened_elsewhere_stays_as_narrow_here(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    # Each note has a word of its own for what it hides.
    words = {name: f"quib{'bcdfghjk'[number]}et" for number, name in enumerate(WIDENED)}
    before, after = (
        {
            f"notes/{number}.md": WIDENED[name][n].replace("lantern", word)
            for number, (name, word) in enumerate(words.items())
        }
        for n in (0, 1)
    )
    written(mine, before)
    mine.sync()
    theirs.sync()

    def seen(audience: str = AGENT) -> list[str]:
        shown = mine.shown(audience, *words.values())
        return [name for name, word in words.items() if word in shown]

    assert seen() == []
    written(theirs, after)
    theirs.push()
    mine.sync()
    assert {path: (mine.root / path).read_text() for path in after} == after
    assert seen() == []
    with mine.app() as app:
        app.reindex()
    assert seen() == []
    assert seen("owner") == [*WIDENED]
    assert "roof" in mine.shown(AGENT, "roof")
    with mine.app() as app:
        [item] = app.review.list(["labels"])
        assert any(path in item.what for path in after)
        assert git(theirs.root, "rev-parse", "HEAD").strip()[:12] in item.why
        assert {entry.kind for entry in app.adoptable()} == {"label"}
        app.adopt(app.adoptable())
        assert list(app.adoptable()) == []
        assert waiting(app) == []
    assert seen() == [*WIDENED]


@pytest.mark.parametrize("audience", ["public", pytest.param("[family, friends]", marks=pytest.mark.laws)])
def test_a_group_is_let_in_only_by_this_person(machines: tuple[Machine, Machine], audience: str) -> None:
    mine, theirs = machines
    share(mine, theirs, "notes/house.md", FAMILY)
    assert sees(mine, "family")
    pushed(theirs, mine, "notes/house.md", FAMILY.replace("family", audience))
    assert not sees(mine, "friends")
    assert sees(mine, "family")
    assert not sees(mine)
    pushed(theirs, mine, "notes/new.md", f"---\naudience: {audience}\n---\nThe heron nests.\n")
    assert not sees(mine, "friends", "heron")


# How another person trusts a note more: the note before, after, and how far it is trusted here until a yes.
TRUSTED = [
    (QUARANTINED, SECRET + "\n", "quarantined"),
    (UNTRUSTED, UNTRUSTED.replace("untrusted", "trusted"), "untrusted"),
    (UNTRUSTED, UNTRUSTED.replace("untrusted", "unknown"), "untrusted"),
    ("", UNTRUSTED.replace("untrusted", "trusted"), "unknown"),  # a new note that says so
]


def test_what_another_trusts_is_trusted_here_only_after_a_yes(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    words = [f"quib{letter}et" for letter in "bcdf"]
    texts = [
        (f"notes/{word}.md", *(text.replace("lantern", word) for text in row[:2]))
        for word, row in zip(words, TRUSTED, strict=True)
    ]
    written(mine, {path: before for path, before, _ in texts if before})
    mine.sync()
    theirs.sync()
    written(theirs, {path: after for path, _, after in texts})
    theirs.push()
    mine.sync()
    assert [trust(mine, word) for word in words] == [least for *_, least in TRUSTED]
    with mine.app() as app:
        [item] = app.review.list(["labels"])
        app.review.approve([item], digest=item.digest)
    assert [trust(mine, word) for word in words] == ["trusted", "trusted", "unknown", "trusted"]


def test_the_trust_of_a_fact_is_this_persons_too(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    facts = "# House\n\n## Hut\n- colour: green\n- code: 4711 [since:: 2026-01-02] [trust:: untrusted]\n"
    share(mine, theirs, "semantic/house.md", facts)

    def trusts() -> dict[str, str]:
        with mine.app() as app:
            return {fact.field: fact.trust for _, fact in app.facts("Hut")}

    before = trusts()
    assert before["code"] == "untrusted"
    pushed(theirs, mine, "semantic/house.md", facts.replace(" [trust:: untrusted]", ""))
    assert trusts() == before
    with mine.app() as app:
        app.adopt(app.adoptable())
    assert trusts() == {"colour": "trusted", "code": "trusted"}


def test_what_a_person_writes_here_acts_at_once_after_a_doubt_too(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    share(mine, theirs, "notes/house.md", WHOLE)
    pushed(theirs, mine, "notes/house.md", SECRET + "\n")
    assert not sees(mine)
    mine.write("notes/house.md", f"---\naudience: agent\n---\n{SECRET}\n")
    assert sees(mine)
    mine.write("notes/mine.md", "---\naudience: public\ntrust: trusted\n---\nThe heron nests.\n")
    assert sees(mine, "public", "heron")
    assert trust(mine, "heron") == "trusted"
    mine.sync()
    with mine.app() as app:
        assert list(app.adoptable()) == []


def test_what_is_narrowed_elsewhere_is_narrow_here_at_once(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    share(mine, theirs, "notes/house.md", SECRET + "\n")
    assert sees(mine)
    pushed(theirs, mine, "notes/house.md", WHOLE)
    assert not sees(mine)
    with mine.app() as app:
        assert list(app.adoptable()) == []
    pushed(theirs, mine, "notes/house.md", SECRET + "\n")
    assert not sees(mine)


def test_a_label_cannot_be_lost_on_the_way(machines: tuple[Machine, Machine]) -> None:
    """In two steps, with another name, by deleting the note first, or by another id of the vault."""
    mine, theirs = machines
    share(mine, theirs, "notes/house.md", WHOLE)
    pushed(theirs, mine, "notes/house.md", WHOLE.replace("owner", "[a, b]"))
    pushed(theirs, mine, "notes/house.md", SECRET + "\n")
    assert not sees(mine)
    git(theirs.root, "mv", "notes/house.md", "notes/other.md")
    git(theirs.root, "commit", "-qm", "moved")
    theirs.push()
    mine.sync()
    assert not sees(mine)
    git(theirs.root, "rm", "-q", "notes/other.md")
    git(theirs.root, "commit", "-qm", "gone")
    theirs.push()
    mine.sync()
    pushed(theirs, mine, "notes/other.md", SECRET + "\n")
    assert not sees(mine)
    settings = (theirs.root / "memoryclaw.yaml").read_text()
    with mine.app() as app:
        name = app.config.vault_id
    pushed(theirs, mine, "memoryclaw.yaml", settings.replace(name, "0" * 32))
    assert not sees(mine)
    theirs.sync()
    pushed(theirs, mine, "memoryclaw.yaml", "# nothing\n")
    assert not sees(mine)
    with mine.app() as app:
        assert app.config.vault_id == "0" * 32


def test_what_is_not_wanted_wider_stays_narrow_and_is_not_asked_again(
    machines: tuple[Machine, Machine],
) -> None:
    mine, theirs = machines
    share(mine, theirs, "notes/house.md", WHOLE)
    pushed(theirs, mine, "notes/house.md", SECRET + "\n")
    with mine.app() as app:
        app.review.reject(app.review.list(["labels"]))
        assert waiting(app) == []
        assert list(app.adoptable()) == []
    assert not sees(mine)
    assert (mine.root / "notes/house.md").read_text() == SECRET + "\n"
    theirs.sync()
    assert sees(theirs)


def test_a_clone_has_none_of_what_was_allowed_and_one_adopt_takes_all(
    machines: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, _ = machines
    mine.write("notes/house.md", f"---\naudience: public\n---\n{SECRET}\n")
    mine.write("notes/roof.md", "---\ntrust: trusted\n---\nThe roof is red.\n")
    mine.write("notes/plain.md", "The heron nests.\n")
    mine.push()
    git(tmp_path, "clone", "-q", "--template=", os.fspath(tmp_path / "hub.git"), "second")
    second = Machine(tmp_path / "second", monkeypatch)
    assert not sees(second, "public")
    assert sees(second)
    assert (trust(second, "roof"), trust(second, "heron")) == ("unknown", "trusted")
    git(second.root, "clean", "-qfdX", "--", ".memoryclaw")
    assert not sees(second, "public")
    with second.app() as app:
        [item] = app.review.list(["labels"])
        assert "notes/house.md" in item.what
        app.adopt(app.adoptable())
    assert sees(second, "public")
    assert trust(second, "roof") == "trusted"
    second.write("notes/heron.md", "---\naudience: public\n---\nThe heron flew.\n")
    assert sees(second, "public", "heron")
    assert sees(mine, "public")


@pytest.mark.parametrize("apart", [False, True], ids=["in the vault", "a repository kept elsewhere"])
def test_what_a_pull_by_hand_brings_is_of_others_too(
    machines: tuple[Machine, Machine], *, apart: bool
) -> None:
    mine, theirs = machines
    share(mine, theirs, "notes/house.md", WHOLE)
    if apart:
        git(mine.root, "init", "-q", "--separate-git-dir", f"{mine.root}-git")
        assert (mine.root / ".git").is_file()
    theirs.write("notes/house.md", SECRET + "\n")
    theirs.push()
    git(mine.root, "pull", "-q", "--no-rebase", "origin", "main")
    assert not sees(mine)
    mine.write("notes/mine.md", "---\naudience: public\n---\nThe heron nests.\n")
    git(mine.root, "commit", "-q", "--allow-empty", "-m", "by hand")
    assert sees(mine, "public", "heron")
    assert not sees(mine)


@pytest.mark.parametrize("expired", [False, True], ids=["the record grew", "git began the record anew"])
def test_a_vault_that_stays_open_sees_a_pull_behind_its_own_changes(
    machines: tuple[Machine, Machine], *, expired: bool
) -> None:
    mine, theirs = machines
    share(mine, theirs, "notes/house.md", WHOLE)
    theirs.write("notes/house.md", SECRET + "\n")
    theirs.push()
    with mine.app() as app:
        agent = app.seen_by(AGENT)
        assert not agent.search("lantern").matches
        for number in range(3):  # changes of ours, which are passed over
            app.remember(f"The heron nests in tree {number}.", note=True)
            assert agent.search("heron").matches
        if expired:
            git(mine.root, "reflog", "expire", "--expire=now", "--all")
        git(mine.root, "pull", "-q", "--no-rebase", "origin", "main")
        for number in range(3, 6):
            git(mine.root, "commit", "-q", "--allow-empty", "-m", f"by hand {number}")
        assert not agent.search("lantern").matches
        app.remember("The heron left.", note=True)
        assert not agent.search("lantern").matches
        assert app.search("lantern").matches


@pytest.mark.parametrize(
    "pull",
    [
        pytest.param([["pull", "-q", "--rebase", "origin", "main"]], id="rebased"),
        pytest.param([["fetch", "-q", "origin"], ["reset", "-q", "--hard", "origin/main"]], id="reset"),
        pytest.param([["fetch", "-q", "origin"], ["merge", "-q", "--no-edit", "origin/main"]], id="merged"),
    ],
)
def test_however_a_pull_by_hand_is_done(machines: tuple[Machine, Machine], pull: list[list[str]]) -> None:
    mine, theirs = machines
    share(mine, theirs, "notes/house.md", WHOLE)
    theirs.write("notes/house.md", SECRET + "\n")
    theirs.push()
    mine.write("notes/own.md", "---\naudience: public\n---\nThe heron nests.\n")
    for words in pull:
        git(mine.root, *words)
    assert not sees(mine)
    assert sees(mine, "public", "heron") == ((mine.root / "notes/own.md").exists())


@pytest.mark.laws
def test_two_copies_on_one_machine_are_told_apart_and_one_that_is_moved_keeps_its_doubts(
    machines: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, theirs = machines
    share(mine, theirs, "notes/house.md", WHOLE)
    mine.write("notes/heron.md", "---\naudience: public\n---\nThe heron nests.\n")
    assert sees(mine, "public", "heron")
    mine.push()
    git(tmp_path, "clone", "-q", "--template=", os.fspath(tmp_path / "hub.git"), "second")
    second = Machine(tmp_path / "second", monkeypatch)
    second.own = mine.own
    assert not sees(second, "public", "heron")
    assert sees(mine, "public", "heron")
    theirs.sync()
    pushed(theirs, mine, "notes/house.md", SECRET + "\n")
    mine.root = mine.root.rename(tmp_path / "moved")
    assert not sees(mine)
    git(mine.root, "mv", "notes/house.md", "notes/home.md")
    assert not sees(mine)
    with mine.app() as app:
        app.adopt(app.adoptable())
    assert sees(mine)
    assert sees(mine, "public", "heron")


@pytest.mark.laws
def test_ordinary_days_on_two_machines_leave_nothing_in_doubt(machines: tuple[Machine, Machine]) -> None:
    for day in range(2):
        for machine in (*machines, machines[0]):
            said = {
                "session": f"{machine.root.name}{day}",
                "role": "user",
                "content": f"I live in Bern {day}.",
            }
            with machine.app() as app:
                app.capture([json.dumps(said)])
                app.consolidate()
                app.remember(f"Anna lives in town {day}")
            machine.sync()
        for machine in machines:
            with machine.app() as app:
                assert waiting(app) == []


# What binds does not vanish because another took it away.


@pytest.mark.parametrize(
    "forged",
    [
        pytest.param("", id="all of it"),
        pytest.param(None, id="the file"),
        pytest.param("{}\n", id="its words"),
    ],
)
def test_a_refusal_that_is_deleted_elsewhere_stands_here(
    machines: tuple[Machine, Machine], forged: str | None
) -> None:
    mine, theirs = machines
    no = {
        "at": "2026-11-20T10:00:00Z",
        "decision": "rejected",
        "kind": "fact",
        "fingerprint": "0123456789abcdef",
    }
    gone = {"at": "2026-11-20T10:00:00Z", "decision": "purged", "kind": "text", "digests": ["t5:abc"]}
    text = json.dumps(no) + "\n" + json.dumps(gone) + "\n"
    share(mine, theirs, DECISIONS, text)
    if forged is None:
        git(theirs.root, "rm", "-q", DECISIONS)
        git(theirs.root, "commit", "-qm", "gone")
        theirs.push()
        mine.sync()
    else:
        pushed(theirs, mine, DECISIONS, forged)
    decisions = decisions_of(str(mine.root))
    assert decisions.is_rejected("0123456789abcdef")
    assert [decision.digests for decision in decisions.all if decision.digests] == [("t5:abc",)]
    theirs.sync()
    assert decisions_of(str(theirs.root)).is_rejected("0123456789abcdef")
    heads = [git(machine.root, "rev-parse", "HEAD") for machine in machines]
    mine.sync()
    theirs.sync()
    assert [git(machine.root, "rev-parse", "HEAD") for machine in machines] == heads
    assert heads[0] == heads[1]


def test_what_was_forgotten_here_is_not_told_again_because_another_took_the_line_out(
    machines: tuple[Machine, Machine],
) -> None:
    mine, theirs = machines
    said = '{"session": "s1", "role": "user", "content": "The lantern code is hidden in the larch."}'
    with mine.app() as app:
        app.capture([said])
        [match] = app.search("lantern larch").matches
        app.forget(match.unit.id)
    mine.sync()
    theirs.sync()
    pushed(theirs, mine, DECISIONS, "")
    with mine.app() as app:
        assert app.search("lantern larch").matches == ()


@pytest.mark.laws
def test_a_later_refusal_is_not_outweighed_by_putting_it_first(machines: tuple[Machine, Machine]) -> None:
    mine, theirs = machines
    name = "0123456789abcdef"
    no = {"at": "2026-11-24T10:00:00Z", "decision": "rejected", "kind": "fact", "fingerprint": name}
    yes = {**no, "at": "2026-11-24T11:00:00Z", "decision": "approved"}
    mine.write(DECISIONS, json.dumps(no) + "\n" + json.dumps(yes) + "\n")
    with mine.app() as app:
        app.adopt(app.adoptable())
    assert not decisions_of(str(mine.root)).is_rejected(name)
    later = json.dumps({**no, "at": "2026-11-26T10:00:00Z"}) + "\n"
    share(mine, theirs, DECISIONS, "".join([*lines(mine), later]))
    assert decisions_of(str(mine.root)).is_rejected(name)
    pushed(theirs, mine, DECISIONS, "".join([later, *lines(mine)[:-1]]))
    assert lines(mine)[0] == later
    assert decisions_of(str(mine.root)).is_rejected(name)


@pytest.mark.laws
def test_what_was_forgotten_later_is_not_brought_back_by_putting_it_first(
    machines: tuple[Machine, Machine],
) -> None:
    mine, theirs = machines
    said = '{"session": "s1", "role": "user", "content": "The lantern code is hidden in the larch."}'
    with mine.app() as app:
        app.capture([said])
        [match] = app.search("lantern larch").matches
        app.forget(match.unit.id)
        app.revive(match.unit.id)
        assert app.search("lantern larch").matches
    with App(mine.root, clock=lambda: NOW.replace(hour=12)) as app:
        app.forget(match.unit.id)
    mine.sync()
    theirs.sync()
    pushed(theirs, mine, DECISIONS, "".join([lines(mine)[2], *lines(mine)[:2]]))
    with mine.app() as app:
        assert app.search("lantern larch").matches == ()


# The first start.


@pytest.mark.laws
def test_a_daemon_gives_a_vault_its_id(machines: tuple[Machine, Machine]) -> None:
    mine, _ = machines
    mine.write("memoryclaw.yaml", "# old\n")
    with serving(mine.root, XDG_CONFIG_HOME=os.fspath(mine.own)):
        pass
    with mine.app() as app:
        assert len(app.config.vault_id) == 32
    assert git(mine.root, "show", "--format=", "--name-only").split() == ["memoryclaw.yaml"]
    assert git(mine.root, "status", "--porcelain") == ""
