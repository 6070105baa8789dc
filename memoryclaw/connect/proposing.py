"""Proposes what other programs remember: once, whatever was decided, and nothing that was erased. A person decides."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

from memoryclaw.connect.sources import USER, Memory, Source
from memoryclaw.consolidation.actions import AddPending, NewFile
from memoryclaw.consolidation.changes import PlannedChange, fingerprint_of, proposal
from memoryclaw.late import NamedTuple
from memoryclaw.model import OWNER
from memoryclaw.review.queue import CurrentFacts
from memoryclaw.text.encoding import readable
from memoryclaw.text.language import fold
from memoryclaw.text.prompts import cut_short, one_line
from memoryclaw.vault import files
from memoryclaw.vault.edits import quotable
from memoryclaw.vault.fact_values import plain_key, plain_value
from memoryclaw.vault.layout import slug, timestamp
from memoryclaw.vault.notes import trust_of_file
from memoryclaw.writing.context import WriteContext, fact_in_words
from memoryclaw.writing.decisions import decisions_of, fingerprint
from memoryclaw.writing.pending import PENDING_FILE, PendingFact, add_all_pending, read_pending
from memoryclaw.writing.tombstones import SENTENCE, Tombstones
from memoryclaw.writing.writer import Edit, text_change, write


class Proposed(NamedTuple):
    """One thing that waits, or would wait."""

    id: str
    kind: str  # fact | episode | note
    what: str
    source: str  # where it stood


# Makes proposals of memories: the facts and passages of a MEMORY.md with what its comments say, sentences, notes. Pure; nothing is
# decided here.

_VALUE = "value"
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
_SELF = frozenset({
    "user", "about me", "me", "profile", "identity", "about your human", "human", "memory", "long-term memory",
})  # fmt: skip
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
        paths = ("/".join(slug(part) for part in name.split("/") if part) for name in self.projects)
        return tuple(dict.fromkeys([*map(slug, self.triggers), *(f"project/{path}" for path in paths)]))


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
    remainder: dict[str, list[_Block]] = {}
    for block in _blocks(readable(text)):
        bare, sentence = without_remarks(block.text)
        heard = _fact(block._replace(text=bare))
        if not bare.strip():
            continue
        if sentence != PassageComments():
            passages.append(Passage(block.heading, bare, block.line, sentence))
        elif heard:
            facts.append(heard)
        else:
            remainder.setdefault(block.heading, []).append(block._replace(text=bare))
    for heading, blocks in remainder.items():
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
        word, sentence = (hit[1] or "").lower(), " ".join(hit[2].split())
        if word.startswith("trigger"):
            triggers += [each.strip() for each in sentence.split(",") if each.strip()]
        elif word == "project" and sentence:
            projects.append(sentence)
        elif word == "importance" and re.fullmatch(r"\d{1,2}(?:\.\d+)?", sentence):
            importance = sentence
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
            sentence = title[2].rstrip("#").rstrip(" \t") or title[2][0]
            heading, level = without_remarks(sentence)[0].strip(), len(title[1])
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


# What memories become: pending facts and proposed notes. The same words always get the same place.

_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[-_T](\d\d)-?(\d\d))?")
_SUMMARY = 120
_SENTENCE = 400  # characters of a memory that is kept as a statement; a longer one is a note

Render = Callable[..., str]


class ImportCandidate(NamedTuple):
    """One thing that may be proposed, and the file that it comes from."""

    change: PlannedChange
    source: str


def candidates(memory: Memory, program: Source, render: Render, *, private: bool) -> list[ImportCandidate]:
    """What a person may say yes to of a memory."""
    if memory.form in ("curated", "lines"):
        return _curated(memory, program, render)
    if memory.form == "dated":
        return [_dated(memory, program, render)]
    flat = " ".join(memory.text.split())
    if memory.title or "\n" in memory.text.strip() or len(flat) > _SENTENCE:
        return [_passage(Passage(memory.title, memory.text, 0), memory.source, program, render)]
    tags = f" ({', '.join(map(one_line, memory.tags))})" if memory.tags else ""
    fact = CuratedFact(memory.entity, "", flat, 0)
    title, audience = fact_in_words(memory.entity, "", flat), OWNER if private else ""
    return [_pending(fact, title, memory, program, tags=tags, audience=audience)]


def _curated(memory: Memory, program: Source, render: Render) -> list[ImportCandidate]:
    """What a text of headings and bullets offers: its facts, and its passages as notes."""
    headed = memory.form == "lines" or memory.text.lstrip().startswith("#")
    facts, passages = read_curated(memory.text if headed else f"# {memory.title}\n\n{memory.text}")
    if memory.form != "lines":
        facts, passages = [f._replace(line=0) for f in facts], [p._replace(line=0) for p in passages]
    proposals = []
    for fact in facts:
        words = fact.value if fact.field == _VALUE else f"{fact.field} is {fact.value}"
        proposals.append(_pending(fact, f"{fact.entity}: {words}", memory, program))
    return [*proposals, *(_passage(each, memory.source, program, render) for each in passages)]


def _pending(
    fact: CuratedFact, title: str, memory: Memory, program: Source, *, tags: str = "", audience: str = ""
) -> ImportCandidate:
    reason = f"{_stood(memory.source, fact.line, program)}{tags}"
    about = fact.entity, fact.field, fact.value, "medium", "", reason
    action = AddPending(*about, since=memory.day, audience=audience)
    return ImportCandidate(PlannedChange("pending", title, (action,)), memory.source)


def _stood(name: str, line: int, program: Source) -> str:
    return f"it stood in {program.owner}'s {name}{f', line {line}' if line else ''}"


def _passage(passage: Passage, name: str, program: Source, render: Render) -> ImportCandidate:
    words = passage.text.strip("\n")
    known_by = hashlib.sha256(f"{passage.heading}\0{words}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    path = f"semantic/{program.name}/{slug(passage.heading or name.removesuffix('.md'))}-{known_by}.md"
    return _note(path, passage._replace(heading=passage.heading or name, text=words), name, program, render)


def _dated(memory: Memory, program: Source, render: Render) -> ImportCandidate:
    """A note of its own: an episode where its name begins with a day."""
    bare, remarks = without_remarks(readable(memory.text))
    stem = memory.source.rpartition("/")[2].removesuffix(".md")
    day = _moment(stem)
    about = _DAY.sub("", memory.source.removeprefix("memory/").removesuffix(".md")).strip("-_/")
    about = slug(about or f"{program.name}-day")
    path = f"episodes/{day:%Y-%m-%d_%H-%M-%S}_{about}.md" if day else f"semantic/{program.name}/{about}.md"
    passage = Passage("" if day else stem, bare, 0, remarks)
    return _note(path, passage, memory.source, program, render, when=timestamp(day) if day else "")


def _note(
    path: str, passage: Passage, name: str, program: Source, render: Render, *, when: str = ""
) -> ImportCandidate:
    lines = (line for line in passage.text.splitlines() if line.strip() and not line.startswith("#"))
    first = " ".join(next(lines, "").lstrip("->*+ \t").split()) or passage.heading or name
    summary = cut_short(first, _SUMMARY)
    text = render(
        "notes/openclaw.md.j2",
        id=path.rpartition("/")[2].removesuffix(".md"),
        timestamp=when,
        tags=[program.name, *passage.remarks.tags],
        summary=summary,
        triggers=list(passage.remarks.triggers),
        importance=passage.remarks.importance,
        trust=trust_of_file(name),
        source=f"{program.name}:{name}",
        title="" if passage.text.lstrip().startswith("# ") else passage.heading,
        body=passage.text.strip("\n"),
    )
    kind = "episode" if path.startswith("episodes/") else "note"
    change = PlannedChange(kind, summary, (NewFile(path, text),), reason=_stood(name, passage.line, program))
    return ImportCandidate(change, name)


def _moment(stem: str) -> datetime | None:
    hit = _DAY.match(stem)
    try:
        return datetime(*(int(part or 0) for part in hit.groups()), tzinfo=UTC) if hit else None  # type: ignore[arg-type, misc]
    except ValueError:
        return None


def _fresh(
    context: WriteContext, offers: Sequence[ImportCandidate], notices: dict[str, None]
) -> Iterator[ImportCandidate]:
    """What nobody has been asked yet: no wait, no yes, no no, not in the vault, not offered twice."""
    decisions, facts, erased = decisions_of(context.root), CurrentFacts(context), Tombstones.of(context)
    waiting, known_ids = {fact.id for fact in read_pending(context.text(PENDING_FILE))}, set[str]()
    for offer in offers:
        (action,) = offer.change.actions
        known_by, text, is_erased = fingerprint_of(offer.change), "", False
        if isinstance(action, AddPending):
            entity, field = plain_key(action.entity), plain_key(action.field)
            value = plain_value(action.value) if field else quotable(action.value)
            known_by = fingerprint("fact", entity, field, value)
            is_known = action.fact.id in waiting or value in {f.value for f in facts.facts(entity, field)}
            is_erased = erased.fact(action.entity, action.field, action.value)
        else:
            is_known = files.exists(context.root, proposal(offer.change, "")[0])
            if isinstance(action, NewFile):
                text = action.text
                if files.exists(context.root, action.path):
                    is_known = True
                    if context.text(action.path) != text:
                        reason = "has changed since it was brought over; it was left as it is"
                        notices[f"{offer.source} or {action.path} {reason}"] = None
        if is_erased or erased.text(text, "t"):
            notices[f"something of {offer.source} was left out: {SENTENCE}"] = None
        elif not (is_known or known_by in known_ids or decisions.of(known_by) is not None):
            known_ids.add(known_by)
            yield offer


def _proposal_json(candidate: ImportCandidate) -> Proposed:
    """A candidate as it is told to a person."""
    (action,) = candidate.change.actions
    if isinstance(action, AddPending):
        return Proposed(action.fact.id, "fact", candidate.change.title, candidate.source)
    name = proposal(candidate.change, "")[0].rpartition("/")[2]
    return Proposed(name.removesuffix(".md"), candidate.change.kind, candidate.change.title, candidate.source)


class Offered(NamedTuple):
    """What became of memories that were offered."""

    proposed: tuple[Proposed, ...]
    known: int  # that nobody needs to be asked about
    commit: str
    notices: tuple[str, ...]


def offer(context: WriteContext, offers: Sequence[ImportCandidate], title: str, *, dry_run: bool) -> Offered:
    """Proposes what nobody has decided yet, in one commit; `title` is what it comes from."""
    notices: dict[str, None] = {}
    new = list(_fresh(context, offers, notices))
    commit, notice = _propose(context, new, title) if new and not dry_run else ("", "")
    count = len(offers) - len(new)
    return Offered(tuple(map(_proposal_json, new)), count, commit, (*filter(None, [notice]), *notices))


def _propose(context: WriteContext, new: Sequence[ImportCandidate], title: str) -> tuple[str, str]:
    """Writes the proposals; returns the commit, and what else there is to say."""
    run, pending, edits = context.run("import"), list[PendingFact](), list[Edit]()
    for candidate in new:
        (action,) = candidate.change.actions
        if isinstance(action, AddPending):
            pending.append(action.fact)
        else:
            path, text = proposal(candidate.change, run)
            edits.append(Edit(path, partial(lambda data, _: data, text.encode("utf-8", "replace"))))
    if pending:
        edits.append(Edit(PENDING_FILE, text_change(lambda text: add_all_pending(text, pending))))
    names = list(dict.fromkeys(candidate.source for candidate in new))
    message = context.message("import-memories", run=run, count=len(new), files=names, title=title)
    outcome = write(context.root, edits, message, verb="import", now=context.now)
    return outcome.commit, outcome.notice
