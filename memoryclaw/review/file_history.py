"""history: what was done to a vault, a note or a fact, newest first, in the words of its commits. Reads only."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, time

from memoryclaw.errors import HistoryError, InputError, MemoryClawError, NotFoundError
from memoryclaw.history import repository
from memoryclaw.history.repository import History, Logged
from memoryclaw.late import NamedTuple
from memoryclaw.model import Fact, grouped
from memoryclaw.ports import Address
from memoryclaw.review.file_changes import texts_of
from memoryclaw.text.encoding import decode, readable
from memoryclaw.text.memory_lines import log_line, read_line
from memoryclaw.text.yaml_text import strings
from memoryclaw.vault import files
from memoryclaw.vault.edits import SemanticFile, fact_key, fact_sources, same
from memoryclaw.vault.facts import facts_of_note, split_address
from memoryclaw.vault.layout import DECISIONS_FILE, NOTE, SCHEMA_FILE, SEMANTIC, place_of, safe_path
from memoryclaw.vault.logs import parse_ranges, range_of, whole_lines
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.vocabulary import read_schema
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import APPROVED, Decision, Decisions, fingerprint

__all__ = ["CommitList", "Logged", "Subject", "find_fact", "history"]

_ARCHIVE = "archive/"
_EVERY = 1_000_000
_MOST_FILES = 20  # of one commit that are shown
_PLACE = re.compile(r"([0-9a-f]{40,64})\.(\d{1,9})")


class CommitList(NamedTuple):
    """Commits, newest first; `notice` says why there are none."""

    commits: tuple[Logged, ...] = ()
    notice: str = ""
    next: str = ""  # where the next page begins; empty on the last one


class FileDiff(NamedTuple):
    """One file that changed, or would. `title` says what of, where a thing that waits has several parts."""

    path: str
    before: str
    after: str
    title: str = ""


class Subject(NamedTuple):
    """What a history is of: files, and for a fact its entity and field, for a statement its id."""

    paths: tuple[str, ...]
    entity: str = ""
    field: str = ""
    id: str = ""

    @property
    def is_fact(self) -> bool:
        """True for a fact or a statement, which is one line of its file."""
        return bool(self.id)


def history(context: WriteContext, id_: str = "", *, limit: int = 20, before: str = "") -> CommitList:
    """The newest commits, of the vault or of what has this id; of a fact only those that changed its line.

    Args:
        id_: of a note, a fact or a statement; empty for the whole vault.
        before: `next` of the page before; what was committed since then moves nothing.

    Raises:
        InputError: that is no such place.
        NotFoundError: nothing in the vault or its past has this id.
    """
    git = History(context.root)
    state = git.state()
    if not state.git_dir or not git.head():
        return CommitList(notice=state.sentence)
    tip, skip = _page(git, before) if before else (git.head(), 0)
    if not id_:
        return _one_page(repository.commit_log(git, limit=limit + 1, tip=tip, skip=skip), limit, tip, skip)
    subject = _subject(context, id_)
    place = {"limit": _EVERY} if subject.is_fact else {"limit": limit + 1, "skip": skip}
    rows = repository.commit_log(git, subject.paths, tip=tip, **place)
    if not rows and find_fact(context, id_) is None and context.lookup.resolve(id_) is None:
        raise NotFoundError(f"nothing in the vault or its past has the id {id_}")
    if subject.is_fact:
        file = context.semantic(subject.paths[0])
        touched = {
            e.commit
            for e in repository.editions(git, file.path)
            if _facts_at(file, subject, e.before) != _facts_at(file, subject, e.after)
        }
        rows = [row for row in rows if row.commit in touched][skip : skip + limit + 1]
    if not rows:
        return CommitList(notice="" if skip else f"no commit holds {id_} yet")
    return _one_page(rows, limit, tip, skip)


def _one_page(rows: list[Logged], limit: int, tip: str, skip: int) -> CommitList:
    """The page that these rows begin, one more than it shows where another page follows."""
    return CommitList(tuple(rows[:limit]), next=f"{tip}.{skip + limit}" if len(rows) > limit else "")


def _page(git: History, before: str) -> tuple[str, int]:
    """The commit that the first page began at, and how many commits were shown since."""
    hit = _PLACE.fullmatch(before)
    if hit is None or git.objects([hit[1]])[0] is None or not git.holds(hit[1]):
        raise InputError(f"{before[:80]!r} is not a page of this history; use `next` of the previous page")
    return hit[1], int(hit[2])


class CommitShown(NamedTuple):
    """One commit with what it changed."""

    commit: Logged
    files: tuple[FileDiff, ...] = ()  # the first of them
    more: int = 0  # files that are not shown
    notice: str = ""  # why none are


def show_commit(context: WriteContext, name: str) -> CommitShown:
    """One commit, by its id or its run, with the files that it changed.

    Raises:
        InputError: there is no such commit.
    """
    git = History(context.root)
    commit = repository.log_row(git, git.find(name).commit)
    try:
        changes = git.changes(commit.commit)
    except HistoryError as error:
        return CommitShown(commit, notice=str(error))
    differences = [FileDiff(change.path, *texts_of(change)) for change in changes[:_MOST_FILES]]
    return CommitShown(commit, tuple(differences), len(changes) - len(differences))


def find_fact(context: WriteContext, name: str) -> Address | None:
    """The fact with this id, or the current one with this entity and field: `Boathouse Aarhus.deadline`."""
    address = context.lookup.resolve(name)
    if address is not None:
        return address if address.kind == "fact" else None
    address_parts = None if "#" in name else split_address(name)
    if address_parts is None:
        return None
    entity = context.lookup.entity_name(address_parts[0])
    for path in context.lookup.entity_files(entity):
        if place_of(path) in (SEMANTIC, NOTE):
            for fact in context.semantic(path).current(context.text(path), entity, address_parts[1]):
                return context.lookup.resolve(fact.id)
    return None


def _subject(context: WriteContext, id_: str) -> Subject:
    """The files behind an id, also behind one that is gone: in the archive, or under its old path."""
    address_found = find_fact(context, id_) or context.lookup.resolve(id_)
    if address_found is not None and address_found.kind == "fact":
        return Subject((address_found.path,), address_found.entity, address_found.field, address_found.id)
    if address_found is not None:
        return Subject((address_found.path, _elsewhere(address_found.path)))
    note, hash_, address = id_.partition("#")
    address_parts = split_address(address.partition("~")[0]) if hash_ else None
    path = safe_path(note if note.endswith(".md") else f"{note}.md")
    return Subject((path,), *address_parts, id_) if address_parts else Subject((path, _elsewhere(path)))


def _elsewhere(path: str) -> str:
    return path.removeprefix(_ARCHIVE) if path.startswith(_ARCHIVE) else _ARCHIVE + path


def _facts_at(file: SemanticFile, subject: Subject, data: bytes | None) -> list[Fact]:
    """What a version of a file says of one field of one entity, or one statement of it, wherever it stands."""
    facts, id_ = file.facts(decode(data or b"").text).facts, subject.id.partition("~")[0]
    return [
        fact._replace(line=0, id="")
        for fact in facts
        if (fact.is_statement and fact.id.partition("~")[0] == id_)
        or (not fact.is_statement and same(fact.entity, subject.entity) and same(fact.field, subject.field))
    ]


def bytes_on(root: str, path: str, day: str) -> bytes | None:
    """What a file held at the end of an ISO day, or first, where git knows it from later on only; None where it knows nothing of it."""
    git = History(root)
    if not git.state().git_dir or not git.head():
        return None
    content = None
    for edition in repository.editions(git, path):
        content = edition.after if edition.after is not None else content
        if git.read(edition.commit).when[:10] <= day:
            break
    return content


# blame: a fact back to the commit that set it, the episode that tells it, the log line that said it, and who approved
# it.


class FactSource(NamedTuple):
    """One source of a fact: the episode with the words it quotes, and the line of the log where they were said."""

    source: str  # as the fact names it
    path: str = ""  # of the episode; empty when it is gone
    quote: str = ""
    log: str = ""  # the range that the episode cites
    line: int = 0  # of the log
    said: str = ""  # that line as the log has it, with who said it
    notice: str = ""  # what of this is missing, and why


class Blame(NamedTuple):
    """Where a fact comes from."""

    id: str
    fact: Fact
    path: str
    commit: Logged | None = None  # that gave it its value
    approved: Decision | None = None
    sources: tuple[FactSource, ...] = ()
    notice: str = ""  # why no commit is named


def blame(context: WriteContext, id_: str) -> Blame:
    """Where the current value of a fact comes from."""
    address = find_fact(context, id_) or context.find(id_)
    id_ = address.id
    if address.kind != "fact":
        raise InputError(f"{id_} is not a fact; `memoryclaw history {id_}` shows what was done to it")
    file, text = context.semantic(address.path), context.text(address.path)
    fact = next((f for f in file.facts(text).facts if f.id == id_), None)
    if fact is None:
        raise NotFoundError(f"the fact {id_} is no longer in {address.path}")
    commit, notice = _origin(context, file, fact)
    known_by = fingerprint("fact", fact.entity, fact.field, fact.value)
    decided = Decisions.read(context.text(DECISIONS_FILE)).of(known_by)
    return Blame(
        id=id_,
        fact=fact,
        path=address.path,
        commit=commit,
        approved=decided if decided and decided.decision == APPROVED else None,
        sources=tuple(follow_source(context, source) for source in fact_sources(text, file, id_)),
        notice=notice,
    )


def _origin(context: WriteContext, file: SemanticFile, fact: Fact) -> tuple[Logged | None, str]:
    """The commit from which on the file has said this, without a break until now."""
    history = History(context.root)
    state = history.state()
    if not state.git_dir or not history.head():
        return None, state.sentence
    commit = ""
    for edition in repository.editions(history, file.path):
        if not _holds(file, fact, edition.after):
            break
        commit = edition.commit
        if not _holds(file, fact, edition.before):
            break
    if not commit:
        return None, f"this was written into {file.path} by hand and is not committed yet"
    return repository.log_row(history, commit), ""


def _holds(file: SemanticFile, fact: Fact, data: bytes | None) -> bool:
    return fact_key(fact) in map(fact_key, file.facts(decode(data or b"").text).facts)


def follow_source(context: WriteContext, source: str) -> FactSource:
    """One source, followed as far as it leads."""
    name, _, block = source.partition("#^")
    address = context.lookup.resolve(name)
    # A link may call a note by the name of its file.
    paths = (f"episodes/{name}.md", f"archive/episodes/{name}.md", f"{name}.md")
    there = (path for path in paths if _is_readable(context, path))
    path = address.path if address else next(there, "")
    if not path:
        return FactSource(source, notice=f"nothing in the vault is called {name} now")
    if address is not None and address.kind == "turn":
        turn = _turn(context, path, address.line)
        return FactSource(source, path, log=path, line=address.line, said=turn)
    data = files.read_file(context.root, path).data
    note, lines = read_note(path, data), readable(decode(data).text).split("\n")
    line_number = dict(note.blocks).get(block, 0)
    quote = read_line(lines[line_number - 1]).words if line_number else ""
    fact_source = FactSource(source, path, quote=quote)
    ranges = [cited_range for text in strings(note.meta.get("source")) for cited_range in parse_ranges(text)]
    number = log_line(block)
    for range_ in ranges:
        if range_.first <= number <= range_.last:
            cited = fact_source._replace(log=str(range_), line=number)
            try:
                content = files.read_file(context.root, range_.path).data
            except MemoryClawError:
                return cited._replace(notice=f"{range_.path} is gone; the episode keeps the words")
            if range_of(range_.path, whole_lines(content), range_.first, range_.last) != range_:
                return cited._replace(
                    notice=f"{range_.path} is no longer what was read; the episode keeps the words"
                )
            return cited._replace(said=_turn(context, range_.path, number))
    trouble = "cites no log" if not ranges else "does not say which line of its log it quotes"
    return fact_source._replace(log=" ".join(map(str, ranges)), notice=f"{path} {trouble}")


def _is_readable(context: WriteContext, path: str) -> bool:
    with suppress(MemoryClawError):
        files.read_file(context.root, path)
        return True
    return False


def _turn(context: WriteContext, path: str, line: int) -> str:
    turns = read_note(path, files.read_file(context.root, path).data).turns
    spoken = (f"{who}: {t.text}" if (who := t.name or t.role) else t.text for t in turns if t.line == line)
    return next(spoken, "")


# What the vault held true at an earlier moment: the facts that stood in the files of the last commit there was then. Reads only.

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].+)?", re.ASCII)


def commit_at(root: str, when: str) -> Logged:
    """The last commit that the vault had at a moment.

    Args:
        when: a day (ISO; its end, UTC), a day and time, a commit or a run.
    """
    git = History(root)
    if not git.git_dir:
        raise HistoryError(f"what the vault said then cannot be shown: {git.state().sentence}")
    if not _DATE.fullmatch(when):
        return repository.log_row(git, git.find(when).commit)
    moment = _moment(when)
    # Along the first parents: what another machine did is known here since it was merged.
    args = ["rev-list", "--first-parent", "--max-count=1", f"--min-age={int(moment.timestamp())}", "HEAD"]
    commit = git.git.run(*args).decode().strip() if git.head() else ""
    if not commit:
        raise InputError(f"the vault had no commit yet on {when}; `memoryclaw history` lists what it has")
    return repository.log_row(git, commit)


def _moment(when: str) -> datetime:
    try:
        if len(when) == len("2025-07-01"):
            return datetime.combine(date.fromisoformat(when), time.max, UTC)
        moment = datetime.fromisoformat(when)
    except ValueError:
        raise InputError(f"{when!r} is not a date; write it as 2025-07-01") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def facts_in(root: str, commit: str) -> list[tuple[str, Fact]]:
    """Every fact and statement in the files of a commit, with the path of its file, in file order."""
    git = History(root)
    blobs = {path: oid for path, oid in git.listing(commit).items() if place_of(path) in (SEMANTIC, NOTE)}
    schema, *objects = git.objects([f"{commit}:{git.places.on_disk(SCHEMA_FILE)}", *blobs.values()])
    declared = read_schema(readable(decode(schema[2]).text) if schema else "")
    settings = ReadingSettings(collections=declared.collections)
    facts: list[tuple[str, Fact]] = []
    for path, blob in sorted(zip(blobs, objects, strict=True)):
        if blob is None:
            raise HistoryError(repository.missing_object(f"{path} of {commit[:12]}"))
        facts += ((path, fact) for fact in read_note(path, blob[2], settings).typed_facts)
    return facts


def facts_on(root: str, facts: list[tuple[str, Fact]], day: date) -> list[tuple[str, Fact]]:
    """Facts of a day, those of notes as git has them of it."""
    by_path = grouped((pair[0], pair) for pair in facts)
    for path in by_path:
        if place_of(path) == NOTE:
            data = bytes_on(root, path, day.isoformat())
            if data is not None:
                by_path[path] = [(path, fact) for fact in facts_of_note(path, decode(data).text).facts]
    return [pair for pairs in by_path.values() for pair in pairs]
