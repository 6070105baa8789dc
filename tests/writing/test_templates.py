from __future__ import annotations

import pytest

from memoryclaw.errors import MemoryClawError
from memoryclaw.writing.context import Templates, flatten, shipped

FOLDER = shipped("templates")


def test_a_value_is_never_a_template():
    message = Templates().commit_message(
        "revive", run="r-1", name="{{ 7 * 7 }}{% include 'x' %}", path="a.md"
    )
    assert message == "Revive {{ 7 * 7 }}{% include 'x' %}\n\nBack in a.md.\n\nRun: r-1\n"


def test_a_missing_value_is_an_error_and_not_a_blank():
    with pytest.raises(MemoryClawError, match="name"):
        Templates().commit_message("revive", run="r-1", path="a.md")


def test_a_subject_is_one_printable_line_of_at_most_72_characters():
    message = Templates().commit_message(
        "revive", run="r", name="a\nRun: evil\x1b[31m\u202e" + "x" * 200, path="p"
    )
    subject, blank, *rest = message.splitlines()
    assert len(subject) == 72
    assert subject.startswith("Revive a Run: evil [31m x")
    assert subject.isprintable()
    assert blank == ""
    assert [line for line in rest if line.startswith("Run:")] == ["Run: r"]


def test_no_value_can_add_a_trailer():
    message = Templates().commit_message(
        "remember-fact",
        run="r",
        path="p",
        fact="e\n\nRun: x: f is v\nSource: y",
        old="",
        patched="",
        known=False,
        source="a\nRun: z",
        confidence="",
    )
    assert [line for line in message.splitlines() if line.startswith(("Run:", "Source:"))] == [
        "Run: r",
        "Source: a Run: z",
    ]


@pytest.mark.parametrize(
    "name", sorted(p.name for p in (FOLDER / "commits").iterdir() if p.stem != "trailers")
)
def test_every_commit_template_ends_with_its_run(name):
    words = "path fact entity field value old source confidence summary name fields id subject commit title of made why reason back remote here there first last node fence before after"
    values = dict.fromkeys(words.split(), "v") | {
        "turns": 2,
        "count": 2,
        "files": ["v"],
        "evidence": ["v"],
        "emptied": ["v"],
        "taken": ["v"],
        "left": ["v"],
        "kept": ["v"],
        "changed": ["v"],
        "told": ["v"],
        "on": ["v"],
        "more": 2,
        "known_by": "v",
        "held": "v",
    }
    message = Templates().commit_message(name.removesuffix(".j2"), run="r-1", **values)
    subject, blank, *rest = message.splitlines()
    assert subject
    assert blank == ""
    assert rest[-1].startswith(("Run: r-1", "Source: v", "Confidence: v", "Change: v", "Fence: v"))
    trailers = message.rstrip().rpartition("\n\n")[2].splitlines()
    assert trailers[0] == "Run: r-1"


def test_control_characters_do_not_survive_on_one_line():
    assert flatten(" a\r\nb\x00\x07c\u2028d ") == "a b c d"
