"""Reads OpenClaw's MEMORY.md and USER.md into facts and passages, with what their comments say. Pure; nothing is decided here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from memoryclaw.consolidation.actions import AddPending, NewFile
from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.text.encoding import readable
from memoryclaw.text.language import fold
from memoryclaw.vault.layout import slug, timestamp
from memoryclaw.vault.written_by import trust_of_file

USER, _VALUE = "user", "value"
_COMMENT = re.compile(
    # Nothing ends a comment that reaches the end: it is none, and to find that out once is enough.
    r"(?:(?<![ \t])[ \t]++)?<!--\s*+(?:(trigger|triggers|importance|project)\s*+:\s*+)?(.*?)(?:-->|(?P<open>\Z))",
    re.DOTALL | re.IGNORECASE,
)
_HEADING = re.compile(r"(#{1,6})[ \t]++(.+)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_ITEM = re.compile(r"[-*+][ \t]+")
_FACT = re.compile(
    r"[-*+][ \t]+(?:\*\*|__)?([^\s:*_][^:*\n]{0,39}?)(?:\*\*|__)?[ \t]*:(?:\*\*|__)?[ \t]+(\S[^\n]{0,200})"
)
_SELF = frozenset(
    {
        "user",
        "about me",
        "me",
        "profile",
        "identity",
        "about your human",
        "human",
        "memory",
        "long-term memory",
    }
)
_COLLECTIONS = frozenset({"contacts", "people", "projects", "preferences"})
_WORDS = 5  # of a key that is one


class PassageComments(NamedTuple):
    """What the comments of a passage say."""

    triggers: tuple[str, ...] = ()
    importance: str = ""
    projects: tuple[str, ...] = ()

    @property
    def tags(self) -> tuple[str, ...]:
        """The same as tags: triggers as words, projects below `project/`."""
        projects = (
            f"project/{'/'.join(slug(part) for part in name.split('/') if part)}" for name in self.projects
        )
        return tuple(dict.fromkeys([*(slug(each) for each in self.triggers), *projects]))


class CuratedFact(NamedTuple):
    """A line that reads as a fact."""

    entity: str
    field: str
    value: str
    line: int


class Passage(NamedTuple):
    """Text that belongs together below one heading."""

    heading: str
    text: str
    line: int
    remarks: PassageComments = PassageComments()


class _Block(NamedTuple):
    heading: str
    level: int
    text: str
    line: int


def read_curated(text: str) -> tuple[list[CuratedFact], list[Passage]]:
    """The facts of a text, and its passages: each line with remarks is one, and what is left below each heading."""
    facts: list[CuratedFact] = []
    passages: list[Passage] = []
    rest: dict[str, list[_Block]] = {}
    for block in _blocks(readable(text)):
        bare, said = without_remarks(block.text)
        heard = _fact(block._replace(text=bare))
        if not bare.strip():
            continue
        if said != PassageComments():
            passages.append(Passage(block.heading, bare, block.line, said))
        elif heard:
            facts.append(heard)
        else:
            rest.setdefault(block.heading, []).append(block._replace(text=bare))
    for heading, blocks in rest.items():
        passages.append(Passage(heading, "\n".join(each.text for each in blocks), blocks[0].line))
    return facts, sorted(passages, key=lambda passage: passage.line)


def without_remarks(text: str) -> tuple[str, PassageComments]:
    """A text without its comments, and what they say; comments that say nothing to us go too."""
    triggers: list[str] = []
    projects: list[str] = []
    importance = ""
    for hit in _COMMENT.finditer(text):
        if hit["open"] is not None:
            break
        word, said = (hit[1] or "").lower(), " ".join(hit[2].split())
        if word.startswith("trigger"):
            triggers += [each.strip() for each in said.split(",") if each.strip()]
        elif word == "project" and said:
            projects.append(said)
        elif word == "importance" and re.fullmatch(r"\d{1,2}(?:\.\d+)?", said):
            importance = said
    bare = _COMMENT.sub(lambda hit: "" if hit["open"] is None else hit[0], text)
    return bare, PassageComments(tuple(dict.fromkeys(triggers)), importance, tuple(dict.fromkeys(projects)))


def _blocks(text: str) -> Iterator[_Block]:
    """Headings taken off: list items with what is indented below them, paragraphs, fenced code."""
    heading, level, fence = "", 0, ""
    lines: list[str] = []
    first = 1
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        inside = bool(fence)
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        title = None if inside or mark else _HEADING.fullmatch(line.rstrip())
        starts = not inside and not mark and (title or not line.strip() or _ITEM.match(line))
        if starts and lines:
            yield _Block(heading, level, "\n".join(lines), first)
            lines = []
        if title:
            said = title[2].rstrip("#").rstrip(" \t") or title[2][0]
            heading, level = without_remarks(said)[0].strip(), len(title[1])
        elif line.strip() or inside:
            first = number if not lines else first
            lines.append(line)
    if lines:
        yield _Block(heading, level, "\n".join(lines), first)


def _fact(block: _Block) -> CuratedFact | None:
    hit = _FACT.fullmatch(block.text.rstrip())
    if hit is None or len(hit[1].split()) > _WORDS:
        return None
    key, value, name = hit[1].strip(), hit[2].strip(), fold(block.heading).strip()
    if name in _COLLECTIONS and name != "preferences":
        return CuratedFact(key, _VALUE, value, block.line)
    if name in _COLLECTIONS or block.level <= 1 or name in _SELF:
        return CuratedFact(USER, key, value, block.line)
    return CuratedFact(block.heading, key, value, block.line)


# What OpenClaw's notes become: pending facts and proposed notes. The same words always get the same place.

CURATED = ("MEMORY.md", "USER.md")
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[-_T](\d\d)-?(\d\d))?")
_SUMMARY = 120

Render = Callable[..., str]


class Host(NamedTuple):
    """Whose notes they are: how it is called in paths and tags, and in sentences."""

    slug: str
    called: str


OPENCLAW = Host("openclaw", "OpenClaw's")


class _Body(NamedTuple):
    """What is kept of a file, and where it stood."""

    title: str
    words: str
    remarks: PassageComments
    name: str
    when: str = ""
    where: str = ""
    host: Host = OPENCLAW


class ImportCandidate(NamedTuple):
    """One thing that may be proposed, and the file that it comes from."""

    change: PlannedChange
    source: str


def offered(name: str, text: str, render: Render) -> list[ImportCandidate]:
    """Everything that a file of OpenClaw offers."""
    if name not in CURATED:
        return [_note(name, text, render)] if text.strip() else []
    return curated(name, text, render)


def curated(
    name: str, text: str, render: Render, host: Host = OPENCLAW, *, numbered: bool = True
) -> list[ImportCandidate]:
    """What a text of headings and bullets offers: its facts, and its passages as notes; `numbered` when its lines are a file's."""
    facts, passages = read_curated(text)
    if not numbered:
        facts, passages = [f._replace(line=0) for f in facts], [p._replace(line=0) for p in passages]
    return [
        *(_brought_fact(name, fact, host) for fact in facts),
        *(_passage(name, passage, render, host) for passage in passages),
    ]


def passage(name: str, title: str, words: str, render: Render, host: Host) -> ImportCandidate:
    """One text as a note of its own."""
    return _passage(name, Passage(title, words, 0), render, host)


def is_wanted(name: str) -> bool:
    """True for the files that hold memories: not the review file of the dreams, nor what dreaming leaves behind."""
    return name in CURATED or (
        name.startswith("memory/") and name.endswith(".md") and not name.startswith("memory/dreaming/")
    )


def _brought_fact(name: str, fact: CuratedFact, host: Host) -> ImportCandidate:
    why = f"it stood in {host.called} {name}{_where(fact.line)}"
    action = AddPending(fact.entity, fact.field, fact.value, "medium", "", why)
    words = fact.value if fact.field == _VALUE else f"{fact.field} is {fact.value}"
    return ImportCandidate(PlannedChange("pending", f"{fact.entity}: {words}", (action,)), name)


def _passage(name: str, passage: Passage, render: Render, host: Host) -> ImportCandidate:
    words = passage.text.strip("\n")
    known_by = hashlib.sha256(f"{passage.heading}\0{words}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    path = f"semantic/{host.slug}/{slug(passage.heading or name.removesuffix('.md'))}-{known_by}.md"
    body = _Body(passage.heading or name, words, passage.remarks, name, where=_where(passage.line), host=host)
    return ImportCandidate(_change(path, body, render), name)


def _where(line: int) -> str:
    return f", line {line}" if line else ""


def _note(name: str, text: str, render: Render) -> ImportCandidate:
    bare, remarks = without_remarks(readable(text))
    stem = name.rpartition("/")[2].removesuffix(".md")
    day = _moment(stem)
    about = slug(
        _DAY.sub("", name.removeprefix("memory/").removesuffix(".md")).strip("-_/") or "openclaw-day"
    )
    if day is None:
        return ImportCandidate(
            _change(f"semantic/openclaw/{about}.md", _Body(stem, bare, remarks, name), render), name
        )
    path = f"episodes/{day:%Y-%m-%d_%H-%M-%S}_{about}.md"
    return ImportCandidate(_change(path, _Body("", bare, remarks, name, timestamp(day)), render), name)


def _change(path: str, body: _Body, render: Render) -> PlannedChange:
    summary = _summary(body.words, body.title or body.name)
    text = render(
        "notes/openclaw.md.j2",
        id=path.rpartition("/")[2].removesuffix(".md"),
        timestamp=body.when,
        tags=[body.host.slug, *body.remarks.tags],
        summary=summary,
        triggers=list(body.remarks.triggers),
        importance=body.remarks.importance,
        trust=trust_of_file(body.name),
        source=f"{body.host.slug}:{body.name}",
        title="" if body.words.lstrip().startswith("# ") else body.title,
        body=body.words.strip("\n"),
    )
    kind = "episode" if path.startswith("episodes/") else "note"
    reason = f"it stood in {body.host.called} {body.name}{body.where}"
    return PlannedChange(kind, summary, (NewFile(path, text),), reason=reason)


def _moment(stem: str) -> datetime | None:
    hit = _DAY.match(stem)
    try:
        return datetime(*(int(part or 0) for part in hit.groups()), tzinfo=UTC) if hit else None  # type: ignore[arg-type, misc]
    except ValueError:
        return None


def _summary(words: str, otherwise: str) -> str:
    lines: Sequence[str] = [line for line in words.splitlines() if line.strip() and not line.startswith("#")]
    first = " ".join(lines[0].lstrip("->*+ \t").split()) if lines else ""
    first = first or otherwise
    return first if len(first) <= _SUMMARY else first[:_SUMMARY].rpartition(" ")[0] + " …"
