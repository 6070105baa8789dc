"""Folders may lie anywhere: with every one of them elsewhere, the same verbs give the same answers."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from gitvault import git
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.app import App, init_vault, restore_vault
from memoryclaw.errors import ConfigError, InputError
from memoryclaw.vault.layout import MOVABLE, Places

NOW = datetime(2026, 4, 20, 8, tzinfo=UTC)
HIDDEN = {name: f".memory/{name}" for name in MOVABLE}
BESIDE = {name: f"Meta/claw/{name} of it" for name in MOVABLE}
INSIDE = {name: f"{name}/claw" for name in MOVABLE}
NOTES = {
    "People/Ines.md": "---\naliases: [Inês]\n---\n# Ines Duarte\nShe keeps bees near Évora. See [[Boathouse]].\n",
    "Boathouse.md": "# Boathouse\nThe roof needs larch shingles by May.\n",
}
OWN = {  # the user's own, under names that were given away
    "archive/Old trip.md": "# Old trip\nWe took the night ferry to Bergen.\n",
    "logs/2026-04-01.md": "# A day\nAte plums. See [[archive/Old trip]].\n",
    "skills/Knots.md": "# Knots\nThe bowline holds.\n",
}
TALK = [
    {"session": "s1", "role": "user", "content": "I'm allergic to penicillin.", "ts": "2026-04-18T09:00:00Z"},
    {"session": "s1", "role": "assistant", "content": "Noted, no penicillin.", "ts": "2026-04-18T09:01:00Z"},
    {"session": "s1", "role": "user", "content": "My sister is Nora. We meet on 5 May in Bergen.", "ts": "2026-04-18T09:02:00Z"},
]  # fmt: skip


# In names that begin with a dot is the hardest; the others differ in where the same is written.
ELSEWHERE = [
    pytest.param(HIDDEN, id="hidden"),
    pytest.param(BESIDE, id="beside", marks=pytest.mark.laws),
    pytest.param(INSIDE, id="inside", marks=pytest.mark.laws),
]


def opened(root: Path) -> App:
    return App(root, clock=lambda: NOW)


def begun(root: Path, paths: dict[str, str], more: dict[str, str]) -> Path:
    for name, text in {**NOTES, **more}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    init_vault(root, commit=sorted({**NOTES, **more}), paths=paths, clock=lambda: NOW)
    return root


def plain(value: Any) -> Any:
    """What two vaults must share: all but what differs from run to run."""
    text = json.dumps(value, default=str)
    return json.loads(text)


def the_ways(root: Path) -> dict[str, Any]:
    """The main ways through the house, and what each answers."""
    answers: dict[str, Any] = {}
    with opened(root) as app:
        answers["captured"] = [turn.id for turn in app.capture(TALK)]
        answers["unread"] = app.status().waiting.number
        done = app.consolidate(llm="none")
        answers["consolidated"] = [(change.kind, change.title) for change in done.changes.changes]
        answers["again"] = app.consolidate(llm="none").waits
        fact = app.remember("tea", entity="Ines Duarte", field="drinks")
        answers["fact"] = (fact.id, fact.path, fact.action)
        answers["superseded"] = app.remember("coffee", entity="Ines Duarte", field="drinks").action
        answers["facts"] = [(path, fact.entity, fact.field, fact.value) for path, fact in app.facts()]
        answers["edited"] = app.edit(fact.id, {"value": "mint tea"}).path
        answers["blame"] = [commit.subject for commit in app.history(fact.id).commits]
        note = app.remember("Ask Jo about the ferry?", note=True)
        answers["note"] = (note.id, note.path)
        gone = app.forget(note.id)
        answers["forgotten"] = (gone.id, gone.path)
        answers["recalled"] = [
            (match.unit.id, match.path) for match in app.recall("allergic penicillin").matches
        ]
        answers["asked"] = [(line.text, line.path) for line in app.ask("What am I allergic to?").lines]
        answers["revived"] = app.revive(gone.id).path
        app.feedback(fact.id, 5)
        app.working.set("s2", {"goal": "book the ferry"})
        answers["working"] = app.working.show("s2").goal
        answers["shown"] = app.show(fact.id).text
        answers["browsed"] = sorted(
            (note.id, note.kind) for note in app.browse() if not note.id.startswith("_/")
        )
        answers["searched"] = [(match.unit.id, match.path) for match in app.search("penicillin").matches]
        answers["links"] = [link.to for link in app.links("People/Ines").out]
        answers["review"] = [(item.id, item.kind, item.path) for item in app.review.list()]
        answers["taken back"] = [app.undo(done.changes.run).action, len(app.facts())]
        answers["stats"] = app.stats()._replace(notes={})._asdict()
        answers["purged"] = sorted(
            (path.path, path.lines) for path in app.purge("log:s1/1", dry_run=True).emptied
        )
        app.purge("log:s1/1")
        answers["after"] = [match.unit.id for match in app.search("penicillin").matches]
        app.reindex()
        answers["rebuilt"] = [
            (match.unit.id, match.path) for match in app.search("ferry kind:episode").matches
        ]
        answers["doctor"] = {check.name: check.level for check in app.doctor()}
    return plain(answers)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A vault with every folder in its place, and the answers of its verbs."""
    root = begun(tmp_path_factory.mktemp("usual") / "v", {}, {})
    return root, the_ways(root)


@pytest.mark.parametrize("paths", ELSEWHERE)
def test_with_every_folder_elsewhere_the_same_verbs_give_the_same_answers(
    tmp_path: Path, usual: tuple[Path, dict[str, Any]], paths: dict[str, str]
) -> None:
    there, answers = usual
    assert answers["captured"] == ["log:s1/1", "log:s1/2", "log:s1/3"]
    assert answers["forgotten"][1].startswith("archive/")
    root = begun(tmp_path / "moved", paths, OWN)
    assert the_ways(root) == answers

    def files(top: Path, names: Places) -> set[str]:
        files = (path.relative_to(top).as_posix() for path in top.rglob("*") if path.is_file())
        return {names.name_of(path) for path in files if path.split("/")[0] not in (".git", ".memoryclaw")}

    ours = {path for path in files(root, Places(paths)) if not path.startswith("_/")}
    assert {name.split("-ab")[0] for name in ours if "/runs" not in name} == {
        name.split("-ab")[0] for name in files(there, Places({})) if "/runs" not in name
    }
    for name, text in OWN.items():
        assert (root / name).read_text() == text
    # Nothing of ours is among what is the user's, and git leaves out what it leaves out elsewhere.
    for name in ("archive", "logs", "skills"):
        own = {path.name for path in (root / name).iterdir() if path.is_file()}
        assert own == {path.rpartition("/")[2] for path in OWN if path.startswith(f"{name}/")}
    status = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, check=True)
    assert status.stdout == b""


def test_notes_under_a_name_that_was_given_away_are_plain_notes(tmp_path: Path) -> None:
    root = begun(tmp_path / "v", HIDDEN, OWN)
    with opened(root) as app:
        match = app.search("night ferry Bergen").matches[0]
        assert (match.unit.kind, match.unit.state, match.path) == ("note", "current", "_/archive/Old trip.md")
        assert app.show("archive/Old trip").address.path == "_/archive/Old trip.md"
        assert [end.to for end in app.links("_/logs/2026-04-01").out] == ["_/archive/Old trip"]
        done = app.edit("archive/Old trip", {"pin": "true"})
        assert (root / "archive/Old trip.md").read_text().startswith("---\npin: true\n---\n# Old trip")
        app.undo(done.commit)
        assert (root / "archive/Old trip.md").read_text() == OWN["archive/Old trip.md"]


@pytest.mark.parametrize(
    ("paths", "why"),
    [
        ({"archive": "../out"}, "not a folder inside the vault"),
        ({"archive": "/"}, None),
        ({"archive": ".git/x"}, "folder of another kind"),
        ({"archive": "logs"}, "folder of another kind"),
        ({"archive": "logs", "logs": "archive"}, "a name of MemoryClaw's own"),
        ({"archive": "a", "logs": "A/b"}, "lie in one another"),
        ({"attic": "a"}, "is not a folder of MemoryClaw's"),
    ],
)
def test_a_folder_that_cannot_be_there_is_refused_in_one_sentence(
    tmp_path: Path, paths: dict[str, str], why: str | None
) -> None:
    if why is None:
        init_vault(tmp_path / "v", paths=paths)
        return
    with pytest.raises(InputError, match=why):
        init_vault(tmp_path / "v", paths=paths)
    assert not (tmp_path / "v").exists()


def test_settings_that_cannot_be_are_said_with_their_file(tmp_path: Path) -> None:
    root = begun(tmp_path / "v", {}, {})
    (root / "memoryclaw.yaml").write_text("paths:\n  archive: ../out\n")
    with pytest.raises(
        ConfigError, match=r"memoryclaw\.yaml: paths\.archive: .* not a folder inside the vault"
    ):
        opened(root)


@given(
    st.lists(st.sampled_from([*MOVABLE, "_", "Meta", "a", "b.md"]), min_size=1, max_size=4),
    st.sampled_from([{}, HIDDEN, BESIDE, INSIDE]),
)
def test_a_path_has_one_name_and_a_name_one_path(parts: list[str], paths: dict[str, str]) -> None:
    known, path = Places(paths), "/".join(parts)
    assert known.on_disk(known.name_of(path)) == path


def below(root: Path) -> dict[str, bytes]:
    """Every file of a vault, but git's and what can be made anew."""
    files = ((path.relative_to(root).as_posix(), path) for path in root.rglob("*") if path.is_file())
    return {name: path.read_bytes() for name, path in files if name.split("/")[0] not in (".git", ".memoryclaw")}  # fmt: skip


def lived_in(root: Path) -> None:
    """Leaves something in most folders."""
    with opened(root) as app:
        app.capture(TALK)
        app.consolidate(llm="none")
        app.forget(app.remember("Ask Jo about the ferry?", note=True).id)
        app.recall("allergic penicillin")


@pytest.mark.parametrize("paths", ELSEWHERE)
def test_a_bundle_brings_every_folder_back_to_its_place(tmp_path: Path, paths: dict[str, str]) -> None:
    root, new = begun(tmp_path / "v", paths, OWN), tmp_path / "new"
    (root / paths["semantic"] / "_schema.yaml").write_text("collections: [Boats]\n")
    lived_in(root)
    with opened(root) as app:
        app.transfer.export_bundle(tmp_path / "b.tar.gz")
        facts = app.facts()
    done = restore_vault(new, tmp_path / "b.tar.gz", clock=lambda: NOW)
    assert (done.differs, done.left_out, done.notices) == ((), (), ())
    assert below(new) == below(root)
    assert {path.name for path in new.iterdir()} == {path.name for path in root.iterdir()}
    assert git(new, "status", "--porcelain") == ""
    assert git(new, "ls-files", "--", "logs/2026-04-01.md").strip(), "a page of the user's is in git"
    with opened(new) as app:
        assert app.facts() == facts
        assert {match.path.split("/")[0] for match in app.search("penicillin").matches} >= {
            "logs",
            "semantic",
        }


@pytest.mark.parametrize("paths", [{}, BESIDE], ids=["usual", "beside"])
def test_a_bundle_of_a_vault_with_other_places_goes_where_the_settings_here_say(
    tmp_path: Path, paths: dict[str, str]
) -> None:
    root, new = begun(tmp_path / "v", HIDDEN, {}), begun(tmp_path / "new", paths, {})
    lived_in(root)
    with opened(root) as app:
        app.transfer.export_bundle(tmp_path / "b.tar.gz")
    done = restore_vault(new, tmp_path / "b.tar.gz", clock=lambda: NOW)
    assert done.differs == ("memoryclaw.yaml",)
    here, there = Places(paths), Places(HIDDEN)
    assert {here.name_of(name) for name in below(new)} == {there.name_of(name) for name in below(root)}


@pytest.mark.parametrize(("paths", "track"), [(HIDDEN, True), *(pytest.param(paths, track, marks=pytest.mark.laws) for paths, track in (({}, True), (INSIDE, False), (INSIDE, True)))])  # fmt: skip
def test_two_machines_with_every_folder_elsewhere_come_to_the_same_files(
    tmp_path: Path, paths: dict[str, str], monkeypatch: pytest.MonkeyPatch, *, track: bool
) -> None:
    hub = tmp_path / "hub.git"
    hub.mkdir()
    git(hub, "init", "-q", "--bare", "-b", "main", "--template=")
    first = begun(tmp_path / "one", paths, OWN if paths else {})
    if track:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
        (tmp_path / "own/memoryclaw").mkdir(parents=True)
        (tmp_path / "own/memoryclaw/config.yaml").write_text(
            "git:\n  track_logs: true\n  track_ledger: true\n"
        )
    git(first, "remote", "add", "origin", str(hub))
    lived_in(first)

    def exchange(*roots: Path) -> list[str]:
        remarks: list[str] = []
        for root in roots:
            with opened(root) as app:
                remarks += app.exchange().told
        return remarks

    exchange(first)
    git(tmp_path, "clone", "-q", str(hub), "two")
    second = tmp_path / "two"
    for root, word in ((first, "hat"), (second, "coat")):
        with opened(root) as app:
            app.remember("blue", entity="Ines Duarte", field=word)
            app.capture([{"session": "s7", "role": "user", "content": f"The {word} hangs in the hall."}])
            app.forget("Boathouse") if word == "hat" else app.feedback("Boathouse", 4)
    assert exchange(first, second, first) == []
    known, private = Places(paths), () if track else ("logs/", "ledger/", "working/")
    of_both = [
        {known.name_of(name): data for name, data in below(root).items() if not known.name_of(name).startswith(private or "working/")}
        for root in (first, second)
    ]  # fmt: skip
    assert of_both[0] == of_both[1]
    assert {name for name in of_both[0] if name.endswith("Boathouse.md")} == {"archive/Boathouse.md"}
    assert git(first, "status", "--porcelain") == git(second, "status", "--porcelain") == ""
    tracked = {known.name_of(name) for name in git(second, "ls-files").splitlines()}
    assert any(name.startswith("logs/") for name in tracked) == track
    with opened(second) as app:
        assert {fact.field for _, fact in app.facts("Ines Duarte")} >= {"hat", "coat"}
        said = {unit.unit.text for unit in app.search("hangs hall").matches}
    assert len(said) == (2 if track else 1)
