from __future__ import annotations

import html
import json

import pytest

from memoryclaw.capture.host_turns import PendingToolCalls, read_turn, spoken_text, tidy
from memoryclaw.text.prompts import fence_block, item

BLOCK = fence_block(
    [
        ("trusted", [item("semantic/a#b.c", "remembered <thing>")]),
        ("untrusted", [item("log:s/1", "other\nthing")]),
    ]
)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        (None, ""),
        ([], ""),
        ([{"type": "text", "text": "one"}, "two", {"type": "output_text", "text": "three"}], "one\ntwo\nthree"),
        ([{"text": "gemini"}], "gemini"),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "said"}], "said"),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "deep"}]}], "deep"),
        ([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 16000}}], "[image]"),
        ([{"type": "image", "data": "A" * 400, "mimeType": "image/jpeg"}], "[image]"),
        ([{"type": "image_url", "image_url": {"url": "data:image/gif;base64," + "R0lGOD" * 400}}], "[image]"),
        ([{"type": "image_url", "image_url": {"url": "https://example.org/a.png?sig=abc"}}], "[image: https://example.org/a.png]"),
        ([{"inlineData": {"mimeType": "image/webp", "data": "A" * 4000}}], "[image]"),
        ([{"type": "input_audio", "input_audio": {"data": "A" * 4000, "format": "wav"}}], "[input_audio]"),
        ([{"type": "file", "file": {"filename": "plan.pdf"}}], "[file: plan.pdf]"),
        ("see data:application/pdf;base64,JVBERi0xLjQKJeLjz9MK here", "see [file] here"),
        ("iVBORw0KGgo" + "aB3/" * 400, "[file]"),
        ("[2025 budget] hello", "[2025 budget] hello"),
    ],
)  # fmt: skip
def test_every_shape_of_content_becomes_text(content, text):
    assert spoken_text(content) == text


@pytest.mark.parametrize("tag", ["think", "thinking", "thinking-content-" + "0a" * 16])
def test_thoughts_at_the_head_of_an_answer_are_not_said(tag):
    def said(role, text):
        return read_turn({"role": role, "content": text}, PendingToolCalls()).content

    thoughts = f"<{tag}>\nThe crane may be too small.\n</{tag}>\n\n"
    assert said("assistant", f"{thoughts}Book the big crane.") == "Book the big crane."
    kept = f"Models write <{tag}>so</{tag}>."
    assert said("assistant", kept) == kept
    assert said("assistant", unclosed := f"<{tag}> is a tag.") == unclosed
    assert said("user", f"{thoughts}what is this?") == f"{thoughts}what is this?"


@pytest.mark.parametrize(
    "spelled",
    [
        BLOCK,
        html.escape(BLOCK),
        json.dumps(BLOCK)[1:-1],
        json.dumps(json.dumps(BLOCK))[3:-3],
        f"{BLOCK}\n\n{BLOCK}",
    ],
    ids=["as it is", "html", "json", "json twice", "twice"],
)
def test_our_own_recalled_block_is_never_something_said(spelled):
    assert "remembered" in spelled
    text = spoken_text([{"type": "text", "text": f"Before. {spelled} After."}])
    assert text.split() == ["Before.", "After."]


def test_a_recalled_block_that_the_host_cut_short_goes_and_the_rest_stays():
    text = spoken_text(BLOCK[: BLOCK.index("</m>") + 4] + "\nWhat I wanted to say")
    assert text.strip() == "What I wanted to say"


def test_arguments_keep_their_form():
    value = {"n": 1, "deep": [{"image": "data:image/png;base64," + "iVBORw0KGgo" * 20}, None, True]}
    assert tidy(value) == {"n": 1, "deep": [{"image": "[image]"}, None, True]}


def test_a_type_that_is_no_word_stops_no_message():
    schema = {"name": {"type": ["string", "null"]}, "age": {"type": {"anyOf": []}}}
    assert tidy(schema) == schema
    said = read_turn({"type": ["message"], "content": "Book the crane."}, PendingToolCalls())
    assert (said.role, said.content) == ("user", "Book the crane.")
