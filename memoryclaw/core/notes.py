"""Path + bytes → Note: the one entry point of reading. It never raises; what is wrong becomes a Problem of the note."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Any, NamedTuple

from memoryclaw.core.dates import parse_timestamp
from memoryclaw.core.facts import DEFAULT_COLLECTIONS, Facts, read_facts, without_facts
from memoryclaw.core.frontmatter import Split, header_length, split
from memoryclaw.core.logs import Log, read_jsonl, read_markdown_log
from memoryclaw.core.markdown import Body, links_in, read_body, sections_of
from memoryclaw.core.model import NOTHING, Link, Note, Problem
from memoryclaw.core.places import Place, place_of
from memoryclaw.core.properties import Properties, read_properties
from memoryclaw.core.skills import Skill, read_javascript_skill, read_json_skill, read_markdown_skill
from memoryclaw.core.textfile import decode, readable
from memoryclaw.core.units import MAX_TEXT, units_of
from memoryclaw.core.yamltext import strings

MAX_PROBLEMS = 50  # reported for one file
_NAME_TIME = re.compile(r"(\d{4}-\d\d-\d\d)(?:[_T ](\d\d)-(\d\d)-(\d\d))?(?![\d-])")
_CONFLICT = re.compile(r"^<{7} .*$", re.MULTILINE)
_NOT_STORED = re.compile("[\0\ud800-\udfff]")
_NO_BODY = Body("", (), (), (), (), "")
_NO_HEADER = Split(NOTHING, "", "", 1)


class ReadingSettings(NamedTuple):
    """What reading depends on besides the file: the vault's collections, in lower case."""

    collections: frozenset[str] = DEFAULT_COLLECTIONS


class _Source(NamedTuple):
    """The file a note is made of."""

    path: str
    place: Place
    stem: str
    digest: str
    problems: tuple[Problem, ...]
    rest: str  # text beyond what is read


class _Reading(NamedTuple):
    """What one kind of reader found in a file."""

    parts: Split = _NO_HEADER
    said: Properties = Properties()
    body: Body = _NO_BODY
    facts: Facts = Facts()
    skill: Skill = Skill()
    log: Log = Log()
    title: str = ""
    searched: str = ""


def read_note(path: str, data: bytes, settings: ReadingSettings) -> Note:
    """The note in a file of the vault, with its units; any bytes under any path make one."""
    place = place_of(path) or Place("note")
    file = decode(data)
    text, rest, problems = readable(file.text), "", file.problems
    if len(text) > MAX_TEXT and not path.endswith(".jsonl"):
        text, rest = _cut(text, MAX_TEXT + header_length(text))
        problems += (_too_long(text),) if rest else ()
    if "<<<<<<< " in text:
        problems += _conflicts(text)
    name = path.rpartition("/")[2]
    source = _Source(
        path, place, name.rpartition(".")[0] or name, hashlib.sha256(data).hexdigest(), problems, rest
    )
    return _note(source, _read(source, text, settings))


def _read(source: _Source, text: str, settings: ReadingSettings) -> _Reading:
    kind = source.place.kind
    if kind == "log" and source.path.endswith(".jsonl"):
        return _Reading(said=Properties(trust="unknown"), log=read_jsonl(source.stem, text))
    if kind == "skill" and not source.path.endswith(".md"):
        return _code_skill(source, text)
    return _markdown(source, text, settings)


def _markdown(source: _Source, text: str, settings: ReadingSettings) -> _Reading:
    kind, parts = source.place.kind, split(text)
    said = read_properties(without_facts(parts.meta) if kind == "semantic" else parts.meta, parts.lines)
    if kind == "log":
        body, line = (text, 1) if parts.broken else (parts.body, parts.body_line)
        log = read_markdown_log(source.stem, parts.meta, body, line)
        return _Reading(parts, said._replace(trust="unknown"), log=log)
    read = read_body(parts.body, parts.body_line)
    reading = _Reading(parts, said, read, title=said.title, searched=_searched(parts, said))
    if kind == "semantic":
        facts = read_facts(said.id or _path_id(source.path), source.stem, parts, read, settings.collections)
        return reading._replace(facts=facts, title=said.title or source.stem)
    if kind == "skill":
        skill = read_markdown_skill(parts.meta)
        return reading._replace(skill=skill, title=skill.name or said.title or source.path.split("/")[-2])
    if kind == "episode":
        return reading._replace(title=said.title or said.summary)
    return reading


def _searched(parts: Split, said: Properties) -> str:
    """The header's other values; with a broken header its raw text, and what duplicate keys hide."""
    if not parts.broken and not parts.shadowed:
        return said.other
    hidden = [text for _, value in parts.shadowed for text in strings(value)]
    return ", ".join(filter(None, (said.other, parts.raw if parts.broken else "", *hidden)))


def _code_skill(source: _Source, text: str) -> _Reading:
    skill = read_json_skill(text) if source.path.endswith(".json") else read_javascript_skill(text)
    parts = Split(skill.meta, "", text, 1)
    return _Reading(
        parts, body=_NO_BODY._replace(text=text), skill=skill, title=skill.name, searched=skill.searched
    )


def _note(source: _Source, reading: _Reading) -> Note:
    parts, said, body = reading.parts, reading.said, reading.body
    problems = source.problems
    for more in (parts.problems, said.problems, reading.skill.problems, reading.log.problems):
        problems += more
    fields: dict[str, Any] = {
        "path": source.path,
        "id": said.id or _path_id(source.path),
        "kind": source.place.kind,
        "title": reading.title or _first_title(body) or _scrubbed(source.stem),
        "digest": source.digest,
        "meta": parts.meta,
        "tags": _tags(said.tags, body.tags) if body.tags else said.tags,
        "aliases": said.aliases,
        "people": said.people,
        "entities": said.entities,
        "project": said.project,
        "when": said.when or _time_in_name(source.stem),
        "until": said.until,
        "trust": said.trust,
        "pinned": said.pinned,
        "state": source.place.state,
        "sections": sections_of(body, parts.body_line),
        "facts": reading.facts.facts,
        "turns": reading.log.turns,
        "links": _links(parts, body),
        "blocks": body.blocks,
        "problems": _at(source.path, problems) if problems else (),
    }
    note = Note(**fields)
    return note._replace(
        units=units_of(note, properties=reading.searched, told=reading.facts.told, rest=source.rest)
    )


def _path_id(path: str) -> str:
    """The id of a note without one: its path, spelled the same however the file system composes its accents."""
    return unicodedata.normalize("NFC", _scrubbed(path.removesuffix(".md")))


def _scrubbed(name: str) -> str:
    """A name without what no index can store: NUL and the bytes of names that are not UTF-8."""
    return _NOT_STORED.sub("\ufffd", name)


def _first_title(body: Body) -> str:
    return next((heading.text for heading in body.headings if heading.level == 1), "")


def _time_in_name(stem: str) -> str:
    hit = _NAME_TIME.match(stem)
    if hit is None:
        return ""
    return parse_timestamp(hit[1] if hit[2] is None else f"{hit[1]} {hit[2]}:{hit[3]}:{hit[4]}")


def _tags(said: tuple[str, ...], inline: tuple[str, ...]) -> tuple[str, ...]:
    """Each tag once; Obsidian does not tell capitals apart, the first spelling stays."""
    return tuple(
        {tag.lower(): tag for tag in (*reversed(inline), *reversed(said))}[low]
        for low in dict.fromkeys(tag.lower() for tag in (*said, *inline))
    )


def _links(parts: Split, body: Body) -> tuple[Link, ...]:
    if "[[" not in parts.raw:
        return body.links
    found = links_in(parts.raw)
    inside, line, before = [], 2, 0
    for at, link in found:
        line += parts.raw.count("\n", before, at)
        before = at
        if link.target:
            inside.append(link._replace(line=line))
    return (*inside, *body.links)


def _cut(text: str, most: int) -> tuple[str, str]:
    """A huge text in two, at the last line or word that begins within the limit."""
    if len(text) <= most:
        return text, ""
    least = most - MAX_TEXT // 2
    end = text.rfind("\n", least, most) + 1 or text.rfind(" ", least, most) + 1 or most
    return text[:end], text[end:]


def _too_long(text: str) -> Problem:
    message = "this file is larger than 1 MiB; from this line on, only its words can be found"
    return Problem("", text.count("\n") + 1, message, "split it into several notes")


def _conflicts(text: str) -> tuple[Problem, ...]:
    message, hint = "a merge conflict begins on this line", "keep one side and delete the markers"
    found, line, at = [], 1, 0
    for hit in _CONFLICT.finditer(text):
        line += text.count("\n", at, hit.start())
        at = hit.start()
        found.append(Problem("", line, message, hint))
    return tuple(found)


def _at(path: str, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """The problems with their path; of a flood of them the first, and how many more there are."""
    more = len(problems) - MAX_PROBLEMS
    if more > 0:
        problems = (
            *problems[:MAX_PROBLEMS],
            Problem("", problems[MAX_PROBLEMS].line, f"{more} more problems from here on"),
        )
    return tuple([problem._replace(path=path) for problem in problems])
