"""What a vault asks its owner once: about notes that git ignores, and who says `I`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conftest import Claw, git, put

from memoryclaw.vault.layout import CONFIG_FILE

_NOTES = {
    ".gitignore": "drafts/\nshelf/x.md\n*.log\n",
    "drafts/a.md": "# Plan\nThe plan is turnips.\n",
    "shelf/x.md": "# Shelf\nThe shelf holds turnips too.\n",
    "shelf/y.md": "# Y\nThe oak shelf is by the door.\n",
}


def _waiting(claw: Claw) -> list[dict[str, Any]]:
    return [item for item in claw("review", "--json").json["waiting"] if item["kind"] == "setting"]


def _vault(folder: Path) -> Claw:
    put(folder, _NOTES)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "mine")
    claw = Claw(folder)
    assert claw("init", folder, "--yes").code == 0
    return claw


def _paths(claw: Claw, *options: str) -> set[str]:
    return {match["path"] for match in claw(*options, "search", "turnips", "--json").json["matches"]}


def test_what_git_ignores_is_asked_about_and_each_answer_does_what_it_says(tmp_path: Path) -> None:
    claw, agent = _vault(tmp_path), ("--audience", "agent")
    ignored = {"drafts/a.md", "shelf/x.md"}
    settings = (tmp_path / CONFIG_FILE).read_bytes()
    (item,) = _waiting(claw)
    assert "drafts/, shelf/x.md" in item["what"]
    assert any("drafts/, shelf/x.md" in notice for notice in claw("status", "--json").json["notices"])
    assert _paths(claw, *agent) == ignored  # nothing changes before it is answered

    assert claw("review", "approve", item["id"]).code == 0
    assert (_paths(claw), _paths(claw, *agent), _waiting(claw)) == (ignored, set(), [])
    assert claw("undo", "HEAD").code == 0
    assert (tmp_path / CONFIG_FILE).read_bytes() == settings

    assert "1: only me" in claw("review", "approve", item["id"], "--value", "3").err
    assert claw("review", "approve", item["id"], "--value", "2").code == 0
    assert (_paths(claw), _waiting(claw)) == (set(), [])
    assert claw("undo", "HEAD").code == 0

    assert claw("review", "reject", item["id"]).code == 0
    assert (_paths(claw, *agent), _waiting(claw)) == (ignored, [])
    put(tmp_path, {"new/b.md": "Turnips again.\n", ".gitignore": f"{_NOTES['.gitignore']}new/\n"})
    (item,) = _waiting(claw)  # of the new folder alone
    assert "new/" in item["what"]
    assert "drafts/" not in item["what"]


def test_what_the_settings_say_already_is_not_asked(tmp_path: Path) -> None:
    claw = _vault(tmp_path)
    with (tmp_path / CONFIG_FILE).open("a", encoding="utf-8") as file:
        file.write("audience:\n  folders: {drafts: owner}\nindex:\n  exclude: [/shelf/x.md]\n")
    assert _waiting(claw) == []


def test_the_name_that_speaks_in_most_sessions_may_be_the_owner(tmp_path: Path) -> None:
    claw = _vault(tmp_path)
    turns = [
        {"session": f"s{n}", "role": "user", "name": name, "content": "The pump is in the cellar.", "ts": f"2026-03-0{n}T10:00:00Z"}
        for n, name in enumerate(("Dario", "Dario", "Ada", "Dario"), 1)
    ]  # fmt: skip
    for turn in turns[:2]:
        claw("capture", stdin=f"{turn}".replace("'", '"'))
    assert not any("owner" in item["what"] for item in _waiting(claw))
    for turn in turns[2:]:
        claw("capture", stdin=f"{turn}".replace("'", '"'))
    (item,) = [item for item in _waiting(claw) if "owner" in item["what"]]
    assert "Dario" in item["what"]
    assert claw("review", "approve", item["id"]).code == 0
    assert "owner: Dario" in (tmp_path / CONFIG_FILE).read_text(encoding="utf-8")
    assert not any("owner" in item["what"] for item in _waiting(claw))
