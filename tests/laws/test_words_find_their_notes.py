"""What is written can be asked for: any word of a note, asked alone, finds that note, in every language and with both engines."""

from __future__ import annotations

import pytest
from conftest import Files
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from vaults import opened

from memoryclaw.config import LANGUAGES
from memoryclaw.index.stemming import language
from memoryclaw.text.language import words_of

ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyzäöüßéèêçñøåæłşığőű'’-_.+#@/:",
    "абвгдеёжзийклмнопрстуфхцчшщъыьэюя ",
    "αβγδεζηθικλμνξοπρςστυφχψωάέήίόύώ ",
    "一丁七万三上下不世中木栓茶室誰作カタカナひらがな한국어ไทย ",
    "مرحبابالعالمשלוםעולםहिन्दीবাংলা ",
)
texts = st.one_of(*(st.text(alphabet, max_size=60) for alphabet in ALPHABETS), st.text(max_size=40))


@pytest.mark.parametrize("code", LANGUAGES)
@settings(deadline=None)
@given(text=texts)
@example(
    text="It's O'Neil’s naïve café; l'été, d’accord; C++ v2.1 node.js a@b.example 2025-04-10 camelCase snake_case"
)
@example(text="Straße Übergabe ﬁn ＡＢＣ ｶﾞ ﾞ İstanbul ızgara ﷺ ℌ Ǆ ǅ")
def test_a_word_gives_the_same_tokens_in_a_text_and_alone(code: str, text: str) -> None:
    analysis = language(code)
    for word in words_of(text):
        tokens = analysis.token(word).split()
        assert tokens
        assert [token for again in words_of(word) for token in analysis.token(again).split()] == tokens


@pytest.mark.laws
@pytest.mark.parametrize("engine", ["fts5", "whoosh"])
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=texts, code=st.sampled_from(LANGUAGES))
@example(
    text="It's O'Neil’s naïve café; l'été, d’accord; C++ v2.1 node.js a@b.example 2025-04-10 camelCase snake_case",
    code="fr",
)
@example(text="Straße Übergabe ﬁn ＡＢＣ ｶﾞ ﾞ İstanbul ızgara ﷺ ℌ Ǆ ǅ", code="de")
def test_any_word_of_a_note_asked_alone_finds_it(engine: str, text: str, code: str) -> None:
    files: Files = {
        "notes/wanted.md": f"begin {text} end\n".encode("utf-8", "replace"),
        "notes/other.md": "Nothing of it.\n",
    }
    with opened(files, engine=engine, language=code) as app:
        wanted = next(note for note in app.browse() if note.id == "notes/wanted")
        [(body,)] = app.catalog.rows("select text from units where path = ?", [wanted.path])
        for word in dict.fromkeys(words_of(app.catalog.texts_in(body)[-1])):
            answer = app.search(f'"{word}"')
            assert "notes/wanted" in [match.unit.id for match in answer.matches], word
