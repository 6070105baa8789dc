"""A fact is followed back as far as it can be, and its history and that of notes is told in the words of the commits."""

from __future__ import annotations

import json
import shutil

import pytest
from gitvault import NOW, copy_repositories, git, pen_for, vault_of

from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.review.decide import decide
from memoryclaw.review.file_history import blame, history
from memoryclaw.review.queue import chosen
from memoryclaw.vault.edits import set_fact
from memoryclaw.vault.logs import range_of
from memoryclaw.writing.edit import forget
from memoryclaw.writing.pending import waiting_id
from memoryclaw.writing.remember import remember
from memoryclaw.writing.writer import Edit, text_change, write

RUN = "consolidate-20261121T101500-abc123"
EPISODE = "2026-03-10_17-48-20_wall"
LOG = "logs/2026-03-10/s1.jsonl"
LINES = [
    json.dumps({"ts": f"2026-03-10T17:48:2{n}Z", "session": "s1", "turn": n, "role": "user", "name": "Nora", "content": said})
    for n, said in enumerate(("Hello", "So", "It is Dünensand 14, the matt one."))
]  # fmt: skip
RANGE = str(range_of(LOG, [f"{line}\n".encode() for line in LINES], 1, 3))
NOTE = f"---\nid: {EPISODE}\nsource: {RANGE}\n---\n- Nora: So ^l2\n- Nora: It is Dünensand 14, the matt one. ^l3\n"
PEOPLE = "semantic/people.md"
FACT = "semantic/people#Kitchen.colour"


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A vault in which a run wrote an episode and a fact that rests on one of its lines; the log is there."""
    files = {PEOPLE: "# Kitchen\n- floor: oak\n", "semantic/_pending.md": "- [ ] Kitchen.lamp: brass\n"}
    root = vault_of(tmp_path_factory.mktemp("made") / "v", files)
    (root / LOG).parent.mkdir(parents=True)
    (root / LOG).write_text("\n".join(LINES) + "\n")
    context = pen_for(root)
    file = context.semantic(PEOPLE)

    def change(text):
        source = f"{EPISODE}#^l3"
        return set_fact(
            text, file, entity="Kitchen", field="colour", value="Dünensand 14", source=source
        ).text

    edits = [Edit(f"episodes/{EPISODE}.md", lambda _: NOTE.encode()), Edit(PEOPLE, text_change(change))]
    message = f"Episode: Kitchen wall colour\n\nRun: {RUN}\nSource: {RANGE}\n"
    write(context.root, edits, lambda: message, verb="consolidate", now=NOW)
    remember(context, "tiles", entity="Kitchen", field="splash")
    return root


@pytest.fixture
def root(template, tmp_path):
    copy_repositories(template.parent, tmp_path)
    return tmp_path / template.name


def subjects(events):
    return [commit.subject for commit in events.commits]


def test_a_fact_leads_to_its_commit_its_episode_and_the_line_of_the_log(root):
    blamed = blame(pen_for(root), FACT)
    assert (blamed.commit.subject, blamed.commit.run, blamed.commit.commit) == (
        "Episode: Kitchen wall colour", RUN, git(root, "rev-parse", "HEAD~1").strip(),
    )  # fmt: skip
    [cited] = blamed.sources
    assert cited.path == f"episodes/{EPISODE}.md"
    assert cited.quote == "Nora: It is Dünensand 14, the matt one."
    assert (cited.log, cited.line) == (RANGE, 3)
    assert cited.said == "Nora: It is Dünensand 14, the matt one."
    assert (cited.notice, blamed.notice, blamed.approved) == ("", "", None)


def test_entity_and_field_are_name_enough(root):
    assert blame(pen_for(root), "kitchen.Colour").id == FACT


def test_when_the_log_is_gone_or_another_the_episode_still_tells(root):
    (root / LOG).write_text("\n".join(reversed(LINES)) + "\n")
    [cited] = blame(pen_for(root), FACT).sources
    assert (cited.said, cited.quote) == ("", "Nora: It is Dünensand 14, the matt one.")
    assert "no longer what was read" in cited.notice
    shutil.rmtree(root / "logs")
    [cited] = blame(pen_for(root), FACT).sources
    assert f"{LOG} is gone" in cited.notice
    assert cited.line == 3


def test_the_second_quotation_of_a_line_leads_to_that_line_too(root):
    note = root / f"episodes/{EPISODE}.md"
    note.write_text(note.read_text() + "- Nora: the matt one ^l3-2\n")
    remember(pen_for(root), "matt", entity="Kitchen", field="finish", source=f"{EPISODE}#^l3-2")
    [cited] = blame(pen_for(root), "Kitchen.finish").sources
    assert (cited.log, cited.line, cited.notice) == (RANGE, 3, "")


def test_when_the_episode_is_gone_it_says_so(root):
    (root / f"episodes/{EPISODE}.md").unlink()
    [cited] = blame(pen_for(root), FACT).sources
    assert cited.notice == f"nothing in the vault is called {EPISODE} now"


def test_an_episode_is_found_by_the_name_of_its_file(root):
    path = root / f"episodes/{EPISODE}.md"
    path.write_text(path.read_text().replace(f"id: {EPISODE}", "id: other"))
    [cited] = blame(pen_for(root), FACT).sources
    assert cited.line == 3


def test_a_fact_written_by_hand_is_by_hand(root):
    blamed = blame(pen_for(root), "semantic/people#Kitchen.floor")
    assert (blamed.commit.kind, blamed.commit.author, blamed.sources) == ("by hand", "user@NAME", ())
    path = root / PEOPLE
    path.write_text(path.read_text() + "- sink: steel\n")
    blamed = blame(pen_for(root), "semantic/people#Kitchen.sink")
    assert (blamed.commit, blamed.notice) == (
        None,
        f"this was written into {PEOPLE} by hand and is not committed yet",
    )


def test_a_value_that_came_back_is_blamed_on_the_commit_that_brought_it_back(root):
    context = pen_for(root)
    remember(context, "pine", entity="Kitchen", field="floor")
    done = remember(context, "oak", entity="Kitchen", field="floor")
    assert blame(context, "semantic/people#Kitchen.floor").commit.commit == done.commit


def test_who_approved_it_is_told(root):
    context = pen_for(root)
    decide(context, chosen(context, [waiting_id("Kitchen", "lamp", "brass")]), "approved")
    blamed = blame(context, "Kitchen.lamp")
    assert (blamed.approved.by, blamed.approved.at) == ("MemoryClaw", "2026-11-21T10:15:00Z")
    assert blamed.commit.kind == "approve"


def test_without_a_repository_the_rest_of_the_way_is_shown(root):
    shutil.rmtree(root / ".git")
    blamed = blame(pen_for(root), FACT)
    assert blamed.commit is None
    assert "no git repository" in blamed.notice
    assert blamed.sources[0].said


def test_a_source_that_is_a_turn_leads_straight_to_the_log(root):
    remember(pen_for(root), "gas", entity="Kitchen", field="stove", source="log:s1/0")
    [cited] = blame(pen_for(root), "Kitchen.stove").sources
    assert (cited.path, cited.line, cited.said) == (LOG, 1, "Nora: Hello")


def test_what_is_no_fact_is_refused(root):
    with pytest.raises(InputError, match="memoryclaw history"):
        blame(pen_for(root), EPISODE)
    with pytest.raises(NotFoundError):
        blame(pen_for(root), "Kitchen.nothing")


# history


def test_the_history_of_the_vault_is_told_newest_first_by_people_and_machine(root):
    events = history(pen_for(root))
    assert subjects(events) == ["Kitchen: splash is tiles", "Episode: Kitchen wall colour", "first"]
    assert [commit.kind for commit in events.commits] == ["remember", "consolidate", "by hand"]
    assert events.commits[1].files == (f"episodes/{EPISODE}.md", PEOPLE)
    assert events.commits[1].when == "2026-11-21T10:15:00Z"
    assert subjects(history(pen_for(root), limit=1)) == ["Kitchen: splash is tiles"]


def test_the_history_of_a_fact_is_only_what_changed_its_line(root):
    assert subjects(history(pen_for(root), FACT)) == ["Episode: Kitchen wall colour"]
    remember(pen_for(root), "white", entity="Kitchen", field="colour")
    events = history(pen_for(root), "Kitchen.colour")
    assert subjects(events) == ["Kitchen: colour is white", "Episode: Kitchen wall colour"]
    assert subjects(history(pen_for(root), FACT, limit=1)) == ["Kitchen: colour is white"]


def test_the_history_of_a_note_goes_on_in_the_archive_and_after_it_is_gone(root):
    context = pen_for(root)
    done = forget(context, EPISODE)
    assert subjects(history(context, done.id)) == [f"Forget {EPISODE}", "Episode: Kitchen wall colour"]
    git(root, "rm", "-qr", "archive")
    git(root, "commit", "-qm", "gone")
    assert subjects(history(context, f"episodes/{EPISODE}"))[0] == "gone"
    forget(context, FACT)
    assert "Episode: Kitchen wall colour" in subjects(history(context, FACT))


def test_what_never_was_has_no_history(root):
    with pytest.raises(NotFoundError, match="past"):
        history(pen_for(root), "notes/nothing")
    assert "no commit holds log:s1/0" in history(pen_for(root), "log:s1/0").notice


def test_without_commits_the_sentence_says_why(tmp_path):
    root = vault_of(tmp_path / "v", {PEOPLE: "# A\n- b: c\n"}, commit=False)
    assert "no commit yet" in history(pen_for(root)).notice
    shutil.rmtree(root / ".git")
    assert "no git repository" in history(pen_for(root)).notice


def test_a_setting_of_the_repository_runs_nothing(root, tmp_path):
    trap = tmp_path / "ran"
    script = tmp_path / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch {trap}\n")
    script.chmod(0o755)
    for key in ("log.showSignature", "diff.external", "gpg.program", "core.pager", "diff.x.textconv"):
        git(root, "config", key, "true" if key.endswith("Signature") else str(script))
    (root / ".gitattributes").write_text("* diff=x\n")
    assert subjects(history(pen_for(root), FACT))
    assert blame(pen_for(root), FACT).commit
    assert not trap.exists()
