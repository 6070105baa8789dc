"""What equals the word of a label is that label, wherever it stands; what only looks like one is none."""

from __future__ import annotations

import json

import pytest

from memoryclaw.capture.log_records import strip_marks
from memoryclaw.text.frontmatter import split
from memoryclaw.vault.export_gate import exportable_bytes, visible_bytes, withheld_names
from memoryclaw.vault.notes import ReadingSettings, read_note

OWNERS = [
    "[PRIVATE]", "[private]", "[Private]", "[ PRIVATE ]", "[PRIVATE:]", "[PRIVATE!]", "[-- private --]", "[**PRIVATE**]", "[PRIVATE: hr]",
    "［PRIVATE］", "【private】", "[ＰＲＩＶＡＴＥ]", "[𝐏𝐑𝐈𝐕𝐀𝐓𝐄]", "[PRI\u200bVATE]", "[PRI\xadVATE]", "\u2060[PRIVATE\u00a0]", "[PRİVATE]", "\\[PRIVATE\\]", "[PRIVATE🔒]",
    "[audience:: owner]", "[audience :: owner]", "[Audience::owner]", "[audience: owner]", "[audience = owner]", "(audience :: owner)", "［audience：：owner］",
    "[ＡＵＤＩＥＮＣＥ:: agent owner x", "[audience:: ｏｗｎｅｒ]", "[private:: true]", "<private>", "<PRIVATE>", "< private >", '<private reason="hr">', "<private/>",
    "<pri\u200bvate>", "＜private＞", "&lt;private&gt;", "&#60;private&#62;", "\\u003cprivate\\u003e", "</private>x<private>", "<private a='1'\nb='2'>", "%%[private]%%",
    "<!-- [private] -->", "[PRIVATE](see the file)", "[PRIVATE]: ninety", "[PRIVATE][NOEXPORT]", "`[PRIVATE]`", "> [!private]",
]  # fmt: skip
STAY = [
    "[NOEXPORT]", "[noexport]", "[ NOEXPORT ]", "[NO EXPORT]", "[no-export]", "[NOEXPORT:]", "［NOEXPORT］", "[ＮＯＥＸＰＯＲＴ]", "[NOEX\u200dPORT]", "[export: false]",
    "[export:: false]", "[export :: No]", "(export:: false)", "[noexport:: true]", "`[NOEXPORT]`",
]  # fmt: skip
NO_LABELS = [
    "[TODO]", "[x]", "[ ]", "private", "(private)", "[privately]", "[not private]", "[private](https://example.org)", "[PRIVATE](notes/a.md)", "![private](a.png)",
    '[Private](<a b.md> "title")', "[[private]]", "[[PRIVATE]]", "[[Note|private]]", "[a [private] plan](https://example.org/x_(y))", "[^private]", "`[private]`", "`<private>`",
    "\n```\n[private]\nport = [ PRIVATE ]\n```", "\n~~~\n<private>\n~~~", "<privateer>", "<private-key>", "<private@example.org>", "x<privateKey>y", "List<Private:Type>", "a < private schools",
    "[audience]", "[export]", "audience: developers", "the audience:: was loud", "exports [a, b]", "[private: false]", "[export: true]", "[noexport:: no]", "NOEXPORT", "<public>",
    "[private][docs]\n\n[docs]: https://example.org",
]  # fmt: skip


def is_shown(text: str) -> bool:
    left = visible_bytes("notes/a.md", f"# A\n\nopen\n\nquibbet {text} zephyr\n".encode(), "agent", {})
    assert left is not None
    return b"quibbet" in left


def test_every_spelling_of_a_label_hides_its_paragraph() -> None:
    assert [mark for mark in OWNERS if is_shown(mark)] == []


def test_what_only_looks_like_a_label_hides_nothing() -> None:
    assert [text for text in (*NO_LABELS, *STAY) if not is_shown(text)] == []


def exported(text: str) -> str:
    left = exportable_bytes("notes/a.md", f"# A\n\nopen\n\n{text}\n".encode(), ())
    assert left is not None
    return left.decode()


def test_every_spelling_of_noexport_keeps_its_paragraph_here() -> None:
    assert [mark for mark in STAY if exported(f"quibbet {mark}") != "# A\n\nopen\n\n\n"] == []


def test_what_is_no_such_mark_leaves() -> None:
    texts = [f"quibbet {text}" for text in (*NO_LABELS, *OWNERS[:5])]
    assert [text for text in texts if exported(text) != f"# A\n\nopen\n\n{text}\n"] == []


@pytest.mark.parametrize(
    "mark", ["[PRIVATE]", "[ private: ]", "［audience：：owner］", "<private>", "[PRI\u200bVATE]"]
)
def test_a_label_on_a_heading_an_item_and_a_row_covers_the_same_in_every_spelling(mark: str) -> None:
    closing = "</private>" if mark == "<private>" else ""
    text = f"# A\n\n## B {mark}{closing}\n\nq1\n\n## C\n\n- open\n- q2 {mark}{closing}\n  - q3\n\n| a | b |\n|---|---|\n| q4 | {mark}{closing} |\n\nlast\n"
    left = visible_bytes("notes/a.md", text.encode(), "agent", {})
    assert left is not None
    assert [line for line in left.decode().splitlines() if line] == ["# A", "## C", "- open", "| a | b |", "|---|---|", "last"]  # fmt: skip


def test_a_private_span_reaches_its_end_and_without_one_that_of_the_file() -> None:
    text = "one\n\n<private reason='hr'>\nq1\n\n<private>\nq2\n</private>\n\nq3\n</private>\n\ntwo\n\n<Private>\n\nq4\n\n# Q5\n\nq6\n"
    left = visible_bytes("notes/a.md", text.encode(), "agent", {})
    assert left is not None
    assert left.decode().split() == ["one", "two"]


@pytest.mark.parametrize(
    ("header", "sees"),
    [
        ("ａｕｄｉｅｎｃｅ: owner", {"owner"}),
        ("AUDIENCE : owner", {"owner"}),
        ("audi\u200bence: owner", {"owner"}),
        ("private: true", {"owner"}),
        ("private:", {"owner"}),
        ("private: false", {"owner", "agent"}),
        ("audience: Ａgent", {"owner", "agent"}),
        ("title: [a", {"owner"}),
        ("title: a: b: c", {"owner"}),
        ("\tx: y", {"owner"}),
    ],
)
def test_the_keys_of_a_header_in_every_spelling_and_in_doubt_for_the_owner(
    header: str, sees: set[str]
) -> None:
    data = f"---\n{header}\n---\n\nneedle\n".encode()
    assert {
        reader
        for reader in ("owner", "agent", "family")
        if visible_bytes("notes/a.md", data, reader, {}) is not None
    } == sees


@pytest.mark.parametrize(
    "text",
    [
        "---\naudience: owner\n\nneedle\n",
        "---\ntitle: x\nneedle\n",
        "---\n# mine\naudience: owner\nneedle",
        "\n---\naudience: owner\n---\n\nneedle\n",
        "+++\naudience = 'owner'\n+++\n\nneedle\n",
        "—\naudience: owner\n—\n\nneedle\n",
        "- audience:: owner\n\nneedle\n",
        "**audience** :: owner\n\nneedle\n",
        "> audience:: owner\n\nneedle\n",
        "private:: yes\n\nneedle\n",
        "```\naudience:: owner\n```\n\nneedle\n",
    ],
)
def test_what_cannot_be_read_as_a_header_lets_only_the_owner_in_who_finds_its_words(text: str) -> None:
    assert visible_bytes("notes/a.md", text.encode(), "agent", {}) is None
    note = read_note("notes/a.md", text.encode(), ReadingSettings())
    assert any("needle" in unit.text for unit in note.units)


@pytest.mark.parametrize("text", ["---\naudience: owner\nneedle\n", "---\ntitle: [a\n---\n\nneedle\n"])
def test_a_header_that_cannot_be_read_is_a_problem(text: str) -> None:
    assert read_note("notes/a.md", text.encode(), ReadingSettings()).problems
    assert split(text).broken


@pytest.mark.parametrize("value", ["false", "False", "no", "off", "0", "'false'", "ｆａｌｓｅ", "", "flase"])
def test_a_note_stays_here_unless_its_header_says_that_it_may_leave(value: str) -> None:
    data = f"---\nid: n\nexport: {value}\n---\n\nx\n".encode()
    assert exportable_bytes("notes/a.md", data, ()) is None
    assert withheld_names("notes/a.md", data) == {"n"}


@pytest.mark.parametrize("header", ["export: true", "Export: Yes", "noexport: false", "exported: false"])
def test_a_note_that_may_leave_does(header: str) -> None:
    data = f"---\n{header}\n---\n\nx\n".encode()
    assert exportable_bytes("notes/a.md", data, ()) == data


@pytest.mark.parametrize("key", ["No Export: true", "noexport:", "EXPORT : false", "ｅｘｐｏｒｔ: no"])
def test_a_note_that_must_stay_does(key: str) -> None:
    assert exportable_bytes("notes/a.md", f"---\n{key}\n---\n\nx\n".encode(), ()) is None


def line(content: str, **keys: object) -> bytes:
    return (json.dumps({"session": "s", "role": "user", "content": content, **keys}) + "\n").encode()


def test_every_spelling_of_a_label_hides_a_turn() -> None:
    for mark in (mark for mark in OWNERS if "[private]" not in mark and "\\u" not in mark):
        data = line("hello") + line(f"quibbet {mark}")  # with every letter beyond ASCII escaped
        left = visible_bytes("logs/2026-01-01/s.jsonl", data, "agent", {})
        assert left is not None
        assert (b"hello" in left, b"quibbet" in left) == (True, False), mark


@pytest.mark.parametrize(
    ("keys", "sees", "leaves"),
    [
        ({"audience": "owner"}, False, True),
        ({"Audience": ["owner"]}, False, True),
        ({"ａudience": "owner"}, False, True),
        ({"audience": {"x": 1}}, False, True),
        ({"audience": None}, False, True),
        ({"private": True}, False, True),
        ({"private": False}, True, True),
        ({"export": False}, True, False),
        ({"export": "false"}, True, False),
        ({"export": 0}, True, False),
        ({"export": None}, True, False),
        ({"Export": "no"}, True, False),
        ({"noexport": True}, True, False),
        ({"export": True, "audience": "agent"}, True, True),
    ],
)
def test_the_keys_of_a_line_of_a_log(keys: dict[str, object], sees: bool, leaves: bool) -> None:
    data = line("quibbet", **keys)
    assert (visible_bytes("logs/2026-01-01/s.jsonl", data, "agent", {}) is not None) == sees
    assert (exportable_bytes("logs/2026-01-01/s.jsonl", data, ()) is not None) == leaves


def test_a_skill_in_code_has_its_labels_in_every_spelling() -> None:
    for text in (
        r'{"name": "a", "\u0061udience": "owner"}', '{"name": "a", "Private": true}', '{"ａudience": "owner"}',
        'export default { name: "a", private: true }', 'export default { name: "a", "audience" : "x" }',
    ):  # fmt: skip
        assert visible_bytes("skills/a.json", text.encode(), "agent", {}) is None
    assert (
        visible_bytes("skills/a.js", b'export default { name: "a", private: false }', "agent", {}) is not None
    )
    assert exportable_bytes("skills/a.json", b'{"name": "a", "export": false}', ()) is None
    assert exportable_bytes("skills/a.js", b'export default { name: "a" }', ()) is not None


@pytest.mark.parametrize("tag", ['<private reason="hr">', "< private >", "<PRI\u200bVATE>", "＜private＞", "&lt;private x=1&gt;", "<private\nx>", "<private x='"])  # fmt: skip
def test_capture_keeps_nothing_of_a_private_span_with_attributes_or_in_another_spelling(tag: str) -> None:
    assert strip_marks(f"a {tag}b</private> c").text in ("a [private] c", "a [private]")
    assert strip_marks(f"ａ… {tag}b").text == "ａ… [private]"


def test_a_span_within_a_span_ends_with_the_outer_one() -> None:
    assert strip_marks("a <private>b <private>c</private> d</private> e").text == "a [private] e"


@pytest.mark.parametrize("text", ["cost < private schools\nand more", "List<PrivateKey> keys", "mail <private@example.org> now", "the privateer [x]"])  # fmt: skip
def test_capture_keeps_what_only_looks_like_a_span(text: str) -> None:
    assert strip_marks(text) == (text, False, False)


@pytest.mark.parametrize("mark", ["[ nomem ]", "［NOMEM］", "[NO\u200bMEM]", "[NOMEM:]"])
def test_nomem_in_every_spelling(mark: str) -> None:
    assert strip_marks(f"keep\nnot this {mark}\nthat").text == "keep\nthat"
    assert strip_marks(f"{mark} all of it").unlogged
