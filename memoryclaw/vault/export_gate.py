"""The gate of this machine: what of a vault may leave it, to models, bundles and other copies. Pure.

Every way out asks here first. What is marked [NOEXPORT] goes nowhere, nor what was made of that; the rest goes to those whom its
labels let in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from memoryclaw.model import AGENT, NOTHING, OWNER
from memoryclaw.text.encoding import decode, encode, json_object, lines_of, readable, without_numbers
from memoryclaw.text.frontmatter import split
from memoryclaw.vault import audience as labels
from memoryclaw.vault.audience import NO_DOUBTS, NOTE, FileDoubts, Standing
from memoryclaw.vault.generated import own_words
from memoryclaw.vault.layout import LOGS, place_of
from memoryclaw.vault.logs import read_jsonl
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.standings import standing_of_note, standing_of_turn, standings_of_lines

_PROPOSALS, _RUNS, _LEDGER = "review/", "runs/", "ledger/"


def may_leave(label: labels.Label) -> bool:
    """True where what has this label may leave this machine, and the agent may see it, for whom models of others read."""
    return label.export and labels.may_see(AGENT, label.audience)


def withheld_names(path: str, data: bytes) -> set[str]:
    """What a file names that stays here, by which others cite it: the id of a note, or the path of a log with such turns."""
    if path.startswith(LOGS):
        return {path.removeprefix("archive/")} if _withheld(path, data) else set()
    if path.endswith(".md") and _is_withheld(path, data):
        return {read_note(path, data).id}
    return set()


# What one audience sees of a file: every note, line and turn that is for others is gone from it. Pure.


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


def exportable_bytes(
    path: str,
    data: bytes,
    cited: Collection[str],
    *,
    audience: str = OWNER,
    folders: Mapping[str, Any] = NOTHING,
    doubts: FileDoubts = NO_DOUBTS,
) -> bytes | None:
    """What may leave of a file: the lines that stay are empty, so that every other keeps its number; None when nothing may.

    Args:
        cited: what `withheld_names` gave of all files of the vault.
        doubts: what of it came from elsewhere and is in doubt.
    """
    visible = visible_bytes(path, data, audience, folders, doubts)
    if visible is None or _is_withheld(path, data, doubts):
        return None
    hidden = _withheld(path, data, doubts)
    if cited and path.startswith((_PROPOSALS, _RUNS)) and path.endswith((".md", ".json")):
        if any(name.encode() in data for name in cited):
            return _bare_record(visible, cited) if path.startswith(_RUNS) else None
    elif cited and (path.startswith(_LEDGER) or place_of(path) is not None) and not path.startswith(LOGS):
        hidden |= _citing_lines(path, data, cited)
    if not hidden:
        return visible
    file = decode(visible)
    if path.endswith(".md") and not path.startswith(LOGS):
        text = readable(file.text)
        first = split(text).body_line - 1
        body = text.split("\n")[first:]
        hidden |= {
            first + n for n in labels.empty_headings(body, labels.Outline(body), {n - first for n in hidden})
        }
    text = without_numbers(file.text, hidden)
    return encode(file._replace(text=text)) if text.strip() else None


def _bare_record(data: bytes, cited: Collection[str]) -> bytes | None:
    """The record of a run with what it read elsewhere, so that this is not read again, and without what it decided."""
    try:
        value = json.loads(data)
        ranges = [row for row in value["ranges"] if not any(name in row for name in cited)]
        episodes = {
            id_: row
            for id_, row in value["episodes"].items()
            if not any(name in f"{id_} {row}" for name in cited)
        }
        record = {"run": str(value["run"]), "at": str(value["at"]), "ranges": ranges, "episodes": episodes}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return (json.dumps(record, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


_CODE, _PLAIN = (".json", ".js"), (".txt", ".yaml", ".yml")


def _is_withheld(path: str, data: bytes, doubts: FileDoubts = NO_DOUBTS) -> bool:
    """True for a note whose header says `export: false`, a skill in code that does, and another text with a mark in it."""
    is_text = path.endswith((".md", *_CODE, *_PLAIN)) and not path.startswith(LOGS)
    if not is_text or not (doubts.pieces or labels.may_be_labelled(data)):
        return False
    text = readable(decode(data).text)
    if path.endswith(".md"):
        return not standing_of_note(split(text), doubts).export
    if path.endswith(_CODE) and not doubts.of(NOTE, Standing(*labels.of_code(text))).export:
        return True
    return not (labels.label_in(text).export and (not path.endswith(_CODE) or labels.of_code(text).export))


def _withheld(path: str, data: bytes, doubts: FileDoubts = NO_DOUBTS) -> set[int]:
    """The lines, counted from 0, that are marked."""
    if not path.endswith((".md", ".jsonl")) or not (doubts.pieces or labels.may_be_labelled(data)):
        return set()
    text = readable(decode(data).text)
    if path.endswith(".jsonl") and not path.startswith(LOGS):
        rows = enumerate(text.split("\n"))
        return {
            n
            for n, row in rows
            if not (labels.label_in(row).export and labels.of_keys(json_object(row)).export)
        }
    if path.startswith(LOGS):
        turns = read_jsonl("", text).turns if path.endswith(".jsonl") else read_note(path, data).turns
        stay = [turn for turn in turns if not standing_of_turn(turn, doubts).export]
        return {line for turn in stay for line in range(turn.line - 1, turn.end_line)}
    if labels.label_in(text).export and not doubts.pieces:
        return set()
    first = split(text).body_line - 1
    body = text.split("\n")[first:]
    standings = standings_of_lines(body, doubts=doubts)
    return {first + n for n, standing in enumerate(standings) if not standing.export}


_SOURCE = re.compile(r"\[\[([^\[\]#|\n]++)")


def sources_in(text: str) -> set[str]:
    """The names of the notes and logs that lines of a text rest on."""
    lines = (line[line.find("[source::") :] for line in text.split("\n") if "[source::" in line)
    return {name for line in lines for name in _SOURCE.findall(line)}


def _citing_lines(path: str, data: bytes, cited: Collection[str]) -> set[int]:
    """The lines that rest on what stays: facts by their source, and the ledger's by the ids that they name."""
    text = readable(decode(data).text)
    names = "|".join(map(re.escape, sorted(cited)))
    if path.startswith(_LEDGER):
        return {n for n, line in enumerate(text.split("\n")) if re.search(rf'"(?:{names})["#]', line)}
    link = re.compile(rf"\[\[(?:{names})[\]#|]")
    # A mere link to it says nothing of what it holds.
    marked = {
        number
        for number, line in enumerate(text.split("\n"))
        if (begin := line.find("[source::")) >= 0 and link.search(line, begin)
    }
    if not marked:
        return marked
    first = split(text).body_line - 1
    outline, covered = labels.Outline(text.split("\n")[first:]), set(marked)
    for number in marked:
        if number >= first:  # with what a mark there covers, as for labels
            begin, end = outline.reach(number - first)
            covered |= set(range(first + begin, first + end))
    return covered
