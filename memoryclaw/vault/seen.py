"""What one audience sees of a file: every note, line and turn that is for others is gone from it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoryclaw.model import OWNER
from memoryclaw.text.encoding import decode, encode, lines_of, readable, without_numbers
from memoryclaw.text.frontmatter import split
from memoryclaw.vault import audience as labels
from memoryclaw.vault.doubts import NO_DOUBTS, NOTE, FileDoubts, Standing
from memoryclaw.vault.generated import own_words
from memoryclaw.vault.layout import place_of
from memoryclaw.vault.logs import read_jsonl
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.standings import standing_of_note, standing_of_turn, standings_of_lines


def visible_bytes(
    path: str, data: bytes, audience: str, folders: Mapping[str, Any], doubts: FileDoubts = NO_DOUBTS
) -> bytes | None:
    """What an audience sees of a file: hidden lines are empty, so that every other keeps its number; None when it sees nothing.

    Args:
        doubts: what of it came from elsewhere and is in doubt.
    """
    if audience == OWNER:
        return data
    words = own_words(path, data)  # what a page repeats was compiled for its owner
    if words is None:
        return None
    data = words
    folder = labels.of_folders(path, folders)
    if not doubts.pieces and not labels.may_be_labelled(data):
        return data if labels.may_see(audience, folder) else None
    file = decode(data)
    text = readable(file.text)
    place = place_of(path)
    if place is not None and place.kind == "log":
        hidden = _hidden_turns(path, data, audience, folder, doubts)
    elif path.endswith(".md"):
        hidden = _hidden_lines(text, audience, folder, doubts)
    else:
        whole = doubts.of(NOTE, Standing(*labels.of_code(text))).audience
        hidden = None if not labels.may_see(audience, folder, whole) else set()
    if hidden is None:
        return None
    if not hidden:
        return data
    seen = without_numbers(file.text, hidden)
    return encode(file._replace(text=seen)) if seen.strip() else None


def _hidden_turns(path: str, data: bytes, audience: str, folder: str, doubts: FileDoubts) -> set[int] | None:
    """The lines, counted from 0, of turns that are for others."""
    text = readable(decode(data).text)
    if path.endswith(".jsonl"):
        standings = [(turn.line - 1, standing_of_turn(turn, doubts)) for turn in read_jsonl("", text).turns]
        visible = {n for n, standing in standings if labels.may_see(audience, folder, standing.audience)}
        return set(range(len(lines_of(text)))) - visible or set()
    note = read_note(path, data, ReadingSettings(doubts=doubts))
    lines = len(lines_of(text))
    visible = {
        line
        for turn in note.turns
        if labels.may_see(audience, folder, turn.audience)
        for line in range(turn.line - 1, turn.end_line)
    }
    spoken = {line for turn in note.turns for line in range(turn.line - 1, turn.end_line)}
    whole = standing_of_note(split(text), doubts).audience
    preamble = set(range(lines)) - spoken if labels.may_see(audience, folder, whole) else set()
    return set(range(lines)) - visible - preamble if visible else None


def _hidden_lines(text: str, audience: str, folder: str, doubts: FileDoubts) -> set[int] | None:
    """The lines of a Markdown note, counted from 0, that are for others; None when all are."""
    doc = split(text)
    note_label = standing_of_note(doc, doubts).audience
    levels = [label for label in (folder, note_label) if label]
    if levels and not labels.may_see(audience, *levels):
        return None
    first = doc.body_line - 1
    lines = text.split("\n")
    body = lines[first:]
    marks = labels.marks_in("\n".join(body))
    seen_whole = labels.may_see(audience, *levels)
    if marks == labels.NO_MARKS and not doubts.pieces:
        return set() if seen_whole else None
    outline = labels.Outline(body)
    audiences = [standing.audience for standing in standings_of_lines(body, marks, outline, doubts)]
    if seen_whole:
        hidden = {
            n for n, label in enumerate(audiences) if label and not labels.may_see(audience, *levels, label)
        }
        return {first + n for n in hidden | labels.empty_headings(body, outline, hidden)}
    # Nothing of the note is for this audience but what a label of its own lets it see, with what stands above that.
    visible = {n for n, label in enumerate(audiences) if label and labels.may_see(audience, label)}
    for number in list(visible):
        line = outline.above[number]
        while line >= 0 and line not in visible and not audiences[line]:
            visible.add(line)
            line = outline.above[line]
    return set(range(len(lines))) - {first + n for n in visible} if visible else None
