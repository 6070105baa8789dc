"""What waits for a person: facts, conflicts, proposals, skill drafts, runs on a branch of their own. Reads only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from memoryclaw.consolidation import changes
from memoryclaw.consolidation.actions import AddPending, SetFact
from memoryclaw.consolidation.apply import summary_of
from memoryclaw.consolidation.changes import RUNS, About, ChangeSet, PlannedChange, read_record
from memoryclaw.consolidation.selecting import OpenBranch, open_branches
from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.history.repository import History
from memoryclaw.late import NamedTuple
from memoryclaw.lifecycle.conflict_decisions import KIND, conflict_print, side_in_words, standing_conflicts
from memoryclaw.model import Fact, FileChange, Lifecycle, Problem, grouped
from memoryclaw.review import elsewhere, setting_questions, widened
from memoryclaw.review.file_changes import actions_of
from memoryclaw.review.setting_questions import SettingQuestion
from memoryclaw.review.widened import Widened
from memoryclaw.text.encoding import lines_of, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.memory_lines import LineField, line_fields, read_line, sources_of
from memoryclaw.vault import edits, files
from memoryclaw.vault.conflict_rules import Conflict
from memoryclaw.vault.edits import name_key
from memoryclaw.vault.layout import CONFIG_FILE, DECISIONS_FILE, place_of
from memoryclaw.vault.notes import read_markdown_skill
from memoryclaw.vault.properties import due, ends, read_properties
from memoryclaw.vault.vocabulary import DeclaredField, Schema
from memoryclaw.writing.context import WriteContext, fact_in_words
from memoryclaw.writing.decisions import Decision, decisions_of, fingerprint
from memoryclaw.writing.pending import PENDING_FILE, PendingFact, read_pending
from memoryclaw.writing.writer import Edit, Move, text_change

DRAFTS = "skills/_drafts"
_SKILL = "/SKILL.md"


# Facts and notes that ask to be checked again: they wait until a person says that they hold still, or no longer, or what holds
# instead.
# They are a view of the files and the day; nothing is written down until a person decides.

VERIFY, FORGET = "verify", "forget"
_REASONS = {
    "denied": "it was said to be wrong",
    "unwanted": "you wanted it to be forgotten",
    "overtaken": "it may have changed by what was said",
}


class DueCheck(NamedTuple):
    """What is to be checked: a fact or a statement, or a whole note (then `fact` is None)."""

    path: str
    id: str
    title: str
    due: str  # the ISO day until which it was to be
    why: str
    text: str  # its lines
    fact: Fact | None = None


def overdue(context: WriteContext) -> list[DueCheck]:
    """What is to be checked now, as far as the caller sees it, what is overdue for longest first."""
    schema = context.schema()
    asking = context.lookup.paths_to_verify([name for name, field in schema.fields.items() if field.verify])
    checks = [check for path in asking for check in _of_file(context, path, schema)]
    return sorted(checks, key=lambda due_check: (due_check.due, due_check.path, due_check.id))


def _of_file(context: WriteContext, path: str, schema: Schema) -> Iterator[DueCheck]:
    text, today = context.text(path), context.today
    note = split(readable(text))
    properties = read_properties(note.meta, note.lines)
    note_lifecycle = properties.lifecycle
    title = properties.title or path.rpartition("/")[2].removesuffix(".md")
    if not text or _is_over(note_lifecycle, today):
        return
    day = due(note_lifecycle, "", 0)
    if day and day < today:
        reason = f"{path} asks to be verified by {day}"
        yield DueCheck(path, properties.id or path.removesuffix(".md"), title, day, reason, note.raw)
    for fact in context.semantic(path).facts(text).facts:
        own, span = fact.lifecycle, schema.fields.get(edits.name_key(fact.field), DeclaredField()).verify
        day = due(own._replace(verified=max(own.verified, note_lifecycle.verified)), fact.day, span)
        if fact.current and day and day < today and not _is_over(own, today):
            lines = "".join(lines_of(readable(text))[fact.line - 1 : max(fact.line, fact.end_line)])
            if day == own.verify_by:
                reason = _denial(context, lines) or f"its line asks to be verified by {day}"
            else:
                checked = own.verified > fact.day
                since = f"verified on {own.verified}" if checked else f"known since {fact.day[:10]}"
                reason = f"{since}, and `{fact.field}` is to be verified every {span} days"
            yield DueCheck(path, fact.id, title, day, reason, lines, fact)


def _is_over(lifecycle: Lifecycle, today: str) -> bool:
    end = ends(lifecycle._replace(scope=""), "")
    return bool(end) and end < today


def _denied(line: str) -> LineField | None:
    """The field that names the turn that a line waits for."""
    return next(
        (field for field in line_fields(line, "denied|unwanted|overtaken") if "[[" in field.value), None
    )


def _denial(context: WriteContext, line: str) -> str:
    """Why it waits, with the words of the turn; empty where the line names none."""
    field = _denied(line)
    if field is None:
        return ""
    episode, _, block = sources_of(field.value)[0].partition("#^")
    address = context.lookup.resolve(episode)
    text = readable(context.text(address.path)) if address and block else ""
    turn = next((line for line in map(read_line, text.split("\n")) if line.block == block), None)
    quote = turn.body.lstrip("-*> ") if turn and block else ""
    return f"{_REASONS[field.key]} in {episode}" + (f": {quote}" if quote else "")


def is_unwanted(check: DueCheck) -> bool:
    """True for what a person wants to be forgotten."""
    field = _denied(check.text)
    return field is not None and field.key == "unwanted"


def stay(context: WriteContext, check: DueCheck) -> list[Edit | Move]:
    """The edit after which what was to be forgotten stands as before."""
    file, fact = context.semantic(check.path), check.fact
    assert fact is not None  # noqa: S101 - only a line can be unwanted
    gone = {"verify_by": "", "unwanted": ""}
    change = text_change(lambda text: edits.with_inline(text, file, _id(file, text, fact), gone))
    return [Edit(check.path, change)]


def stands(context: WriteContext, check: DueCheck) -> bool:
    """True while its lines stand in the file as they were shown."""
    return check.text in readable(context.text(check.path))


def confirm_text(context: WriteContext, check: DueCheck, text: str) -> str:
    """The text of its file after a yes: it says that it still holds today, or what was to be forgotten is gone."""
    file, fact = context.semantic(check.path), check.fact
    if fact is not None and is_unwanted(check):
        return edits.remove_fact(text, file, _id(file, text, fact))
    if file.is_note:
        return edits.set_field(text, check.path, "verified", context.today)
    if fact is None:
        return edits.set_property(text, "verified", context.today)
    return edits.with_inline(
        text, file, _id(file, text, fact), {"verified": context.today, **dict.fromkeys(_REASONS, "")}
    )


def confirm(context: WriteContext, check: DueCheck) -> list[Edit | Move]:
    """The edit that says that it still holds today."""
    return [Edit(check.path, text_change(lambda text: confirm_text(context, check, text)))]


def end(context: WriteContext, check: DueCheck) -> list[Edit | Move]:
    """The edit after which it no longer holds: a fact goes to History, a note to the archive."""
    file, fact = context.semantic(check.path), check.fact
    if fact is None:
        target = files.free_path(context.root, f"archive/{check.path}")
        return [Move(check.path, target)]
    if file.is_note:
        raise InputError(
            f"{check.id} is a field of a note, which has no History; change {check.path} by hand"
        )
    change = text_change(lambda text: edits.end_fact(text, file, _id(file, text, fact), context.today))
    return [Edit(check.path, change)]


def correct(context: WriteContext, check: DueCheck, value: str) -> list[Edit | Move]:
    """The edit that says what holds instead; the old value of a field goes to History."""
    file, fact = context.semantic(check.path), check.fact
    if fact is None:
        raise InputError(f"{check.id} is a note; edit {check.path} itself")
    schema = context.schema()
    if wrong := schema.misfit(fact.field, value):
        raise InputError(f"{wrong}; nothing was written")
    declared = schema.fields.get(edits.name_key(fact.field))
    alone = not (fact.is_statement or file.is_note or (declared and declared.many))

    def change(text: str) -> str:
        id_ = _id(file, text, fact)
        if alone:
            return edits.set_fact(
                text, file, entity=fact.entity, field=fact.field, value=value, since=context.today
            ).text
        text = edits.correct_fact(text, file, id_, value).text
        id_now = next((f.id for f in file.facts(text).facts if f.current and f.line == fact.line), id_)
        return text if file.is_note else edits.with_inline(text, file, id_now, {"verified": context.today})

    return [Edit(check.path, text_change(change))]


def _id(file: edits.SemanticFile, text: str, fact: Fact) -> str:
    """The id of the fact in a text of its file, where it may have another one; of the same value the first."""
    alike = file.current(text, fact.entity, fact.field)
    return next((candidate.id for candidate in alike if candidate.value == fact.value), fact.id)


class ReviewItem(NamedTuple):
    """One thing that waits, in the same words whatever it is; `fact`, `change`, `branch`, `conflict`, `foreign`, `widened` or `question` is what stands behind it."""

    id: str
    kind: str  # fact | conflict | verify | episode | merge | … | skill | run | permissions | labels | setting
    what: str
    why: str
    run: str = ""
    path: str = ""
    confidence: str = ""
    source: str = ""
    box: str = ""  # what a person ticked in the file: "" | approve | reject | both
    text: str = ""  # of its file
    fact: PendingFact | None = None
    change: PlannedChange | None = None
    about: About | None = None
    branch: OpenBranch | None = None
    entity: str = ""  # with `field`, `value` and `since` what a fact claims; empty for everything else
    field: str = ""
    value: str = ""
    since: str = ""
    now: str = ""  # the value that is held true now, and that a yes would replace
    check: DueCheck | None = None  # what is held true and asks to be verified
    conflict: Conflict | None = None
    foreign: tuple[Decision, ...] = ()  # decisions of others that would permit something
    widened: tuple[Widened, ...] = ()  # labels of others that would let more see, or trust more
    question: SettingQuestion | None = None  # that a setting would answer

    @property
    def is_of_others(self) -> bool:
        """True for what others decided or labelled."""
        return bool(self.foreign or self.widened)

    @property
    def choices(self) -> tuple[str, ...]:
        """What a yes is to choose from by its number: the values of a conflict, or the answers to a question."""
        if self.question is not None:
            return tuple(answer.words for answer in self.question.answers)
        return tuple(self.conflict.values) if self.conflict is not None else ()

    @property
    def is_alone(self) -> bool:
        """True for what is decided by itself only, and never with all else that waits."""
        return bool(self.choices) or self.is_of_others

    @property
    def is_skill(self) -> bool:
        """True for a skill draft, which the verbs of skills decide."""
        return self.kind == "skill" and self.about is None

    @property
    def digest(self) -> str:
        """Of what a person is shown: the text that waits, and the value it would replace. A decision may name it."""
        content = self.text
        if self.fact is not None:
            content = "".join(lines_of(readable(self.text))[self.fact.line - 1 : self.fact.end_line])
        if self.check is not None:
            content = f"{self.check.due}\0{self.check.text}"
        if self.branch is not None:
            content = " ".join(commit.commit for commit in self.branch.commits)
        if self.conflict is not None:
            content = "\n".join(side_in_words(side, self.conflict.entity) for side in self.conflict.sides)
        identity = f"{self.kind}\0{self.id}\0{content}\0{self.now}"
        return files.digest_of(identity.encode("utf-8", "surrogatepass"))[:16]

    @property
    def can_be_shown(self) -> bool:
        """False for a proposal that cannot be read: there is no telling what it would change."""
        return self.about is None or self.change is not None


def waiting_items(context: WriteContext) -> list[ReviewItem]:
    """Everything that waits: facts first, then conflicts, what asks to be verified, proposals, skill drafts, branches, permissions and settings."""
    of_owner = () if context.only_seen else (*_branches(context), *of_others(context), *_settings(context))
    return [*claims(context), *_drafts(context), *of_owner]


def claims(context: WriteContext) -> list[ReviewItem]:
    """What waits and claims something of an entity, with proposals of anything else."""
    return [*_facts(context), *_conflicts(context), *_checks(context), *_proposals(context)]


def chosen(context: WriteContext, names: Sequence[str]) -> list[ReviewItem]:
    """What waits under these ids, or came from these runs.

    Raises:
        InputError: it is a skill, which is decided elsewhere.
        NotFoundError: nothing of that name waits.
    """
    everything = waiting_items(context)
    items = dict[str, ReviewItem]()
    for name in names:
        for item in _items_named(name, everything):
            if item.is_skill and item.run != name:
                raise InputError(
                    f"{item.id} is a skill; `memoryclaw skills approve {item.id}` or `skills reject` decides it"
                )
            items.setdefault(item.id, item)
    return [item for item in items.values() if not item.is_skill]


def find_item(context: WriteContext, name: str) -> ReviewItem:
    """The one thing that waits under this id, a skill draft too."""
    return _items_named(name, waiting_items(context))[0]


def _items_named(name: str, everything: Sequence[ReviewItem]) -> list[ReviewItem]:
    items = [i for i in everything if i.id == name] or [i for i in everything if i.run == name]
    if not items:
        raise NotFoundError(f"nothing waits under the name {name!r}; `memoryclaw review` lists what does")
    return items


def _facts(context: WriteContext) -> Iterator[ReviewItem]:
    text = context.text(PENDING_FILE)
    pending = read_pending(text)
    # The runs that wrote these episodes, from the records, newest first and no further than it takes.
    episodes = {episode for fact in pending for episode in _episodes(fact)}
    runs = dict[str, str]()
    for path in sorted(files.list_files(context.root, RUNS), reverse=True) if episodes else ():
        record = read_record(context.text(path))
        runs.update(dict.fromkeys(episodes & record.episodes.keys(), record.run))
        episodes = episodes - runs.keys()
        if not episodes:
            break
    current = CurrentFacts(context)
    for fact in pending:
        # The line says what was held when it was written; what is held now is what a yes would replace.
        standing_value = current.beside(fact.entity, fact.field, fact.value)
        beside = f" (now {standing_value})" if standing_value else ""
        yield ReviewItem(
            id=fact.id,
            kind="fact",
            what=f"{fact_in_words(fact.entity, fact.field, fact.value)}{beside}",
            why=fact.why,
            run=next((runs[episode] for episode in _episodes(fact) if episode in runs), ""),
            path=PENDING_FILE,
            confidence=fact.confidence,
            source=fact.source,
            box={"x": changes.APPROVE, "-": changes.REJECT}.get(fact.box, ""),
            text=text,
            fact=fact,
            **_claimed(fact, fact.since),
            now=standing_value,
        )


def _claimed(fact: PendingFact | Fact | SetFact | AddPending, since: str) -> dict[str, Any]:
    """What an item tells of a fact that waits, or of the claim of a proposal."""
    return {"entity": fact.entity, "field": fact.field, "value": fact.value, "since": since}


def _episodes(fact: PendingFact) -> list[str]:
    return [source.strip().partition("#")[0] for source in fact.source.split(",") if source.strip()]


def _checks(context: WriteContext) -> Iterator[ReviewItem]:
    for check in overdue(context):
        fact, kind = check.fact, FORGET if is_unwanted(check) else VERIFY
        question = fact_in_words(fact.entity, fact.field, fact.value) if fact else check.title
        yield ReviewItem(
            id=f"{kind}-{fingerprint(kind, check.path, check.id)[:8]}",
            kind=kind,
            what=f"Forget: {question}" if kind == FORGET else question,
            why=check.why,
            path=check.path,
            source=fact.source if fact else "",
            text=context.text(check.path),
            **_claimed(fact, fact.day) if fact else {},
            check=check,
        )


def _conflicts(context: WriteContext) -> Iterator[ReviewItem]:
    for conflict in standing_conflicts(context):
        path, first = conflict.facts[0]
        values = "; ".join(side_in_words(side, conflict.entity) for side in conflict.sides)
        yield ReviewItem(
            id=f"{KIND}-{conflict_print(conflict)[:8]}",
            kind=KIND,
            what=fact_in_words(conflict.entity, conflict.field, " or ".join(conflict.values)),
            why=f"only one of these can be true: {values}",
            path=path,
            source=", ".join(dict.fromkeys(fact.source for _, fact in conflict.facts if fact.source)),
            entity=conflict.entity,
            field=first.field,
            conflict=conflict,
        )


def _proposals(context: WriteContext) -> Iterator[ReviewItem]:
    current = CurrentFacts(context)
    for path in files.list_files(context.root, changes.FOLDER.rstrip("/"), ".md"):
        text = context.text(path) if path.count("/") == 1 else ""
        if not text:
            continue
        about, change = changes.about(text, path), changes.read_proposal(text)
        kind = about.id.rpartition("-")[0] or "note"
        item = ReviewItem(
            about.id, kind, about.id, "", about.run, path, box=about.box, text=text, about=about
        )
        if isinstance(change, Problem):
            trouble = f"cannot be approved as it stands: line {change.line}: {change.message}; {change.hint}"
            yield item._replace(why=trouble)
            continue
        claims = (action for action in change.actions if isinstance(action, (SetFact, AddPending)))
        claim = next(claims, None) if change.kind == "fact" else None
        yield item._replace(
            kind=change.kind,
            what=change.title,
            why=change.reason,
            confidence=change.confidence,
            source=change.source,
            change=change,
            now=current.beside(claim.entity, claim.field, claim.value) if claim else "",
            **_claimed(claim, claim.since) if claim else {},
        )


def _drafts(context: WriteContext) -> Iterator[ReviewItem]:
    for path in files.list_files(context.root, DRAFTS, _SKILL):
        if text := context.text(path):
            name = path.removeprefix(f"{DRAFTS}/").removesuffix(_SKILL)
            skill = read_markdown_skill(split(readable(text)).meta)
            remark = f"a draft; `memoryclaw skills approve {name}` or `skills reject {name}` decides it"
            yield ReviewItem(name, "skill", skill.description or name, remark, path=path, text=text)


def _branches(context: WriteContext) -> Iterator[ReviewItem]:
    history = History(context.root)
    if not history.git_dir:
        return
    for branch in open_branches(history):
        # What the commits of a branch come to: `1 episode, 2 facts`.
        changes = [change for commit in branch.commits for change in history.changes(commit.commit)]
        planned = ChangeSet(branch.run, changes=tuple(_plan(context, change) for change in changes))
        title = f"{summary_of(planned, 'branch')} on {branch.ref.removeprefix('refs/heads/')}"
        redone = branch.run.startswith("redo-")
        cause = "these logs were read again" if redone else "consolidation.mode is `branch`"
        cause = read_record(branch.record).held or cause
        reason = f"{cause}, so nothing of it is in the vault yet"
        yield ReviewItem(branch.run, "run", title, reason, branch.run, branch.ref, branch=branch)


def of_others(context: WriteContext) -> Iterator[ReviewItem]:
    """What others decided or labelled, and what counts only once this person says so."""
    if foreign := decisions_of(context.root).proposals:
        yield ReviewItem(
            elsewhere.KIND,
            elsewhere.KIND,
            elsewhere.in_words(foreign),
            elsewhere.why(context, foreign),
            path=DECISIONS_FILE,
            text="".join(decision.line() for decision in foreign),
            foreign=foreign,
        )
    if wide := tuple(widened.widened(context)):
        yield ReviewItem(
            widened.KIND,
            widened.KIND,
            widened.in_words(wide),
            widened.why(context, wide),
            text="".join(f"{label.line}\n" for label in wide),
            widened=wide,
        )


def _settings(context: WriteContext) -> Iterator[ReviewItem]:
    for question in setting_questions.questions(context):
        yield ReviewItem(
            f"{setting_questions.KIND}-{fingerprint(setting_questions.KIND, *question.marks)[:8]}",
            setting_questions.KIND,
            question.what,
            question.why,
            path=CONFIG_FILE,
            text="".join(f"{answer}\n" for answer in question.answers),
            question=question,
        )


def _plan(context: WriteContext, change: FileChange) -> PlannedChange:
    path, place = change.path, place_of(change.path)
    is_new = change.before is None and change.after is not None
    kind = {("episode", "current"): "episode", ("skill", "draft"): "skill"}.get(place or ("", ""), "fact")
    waits = "proposed" if is_new and path.startswith(changes.FOLDER) and path.endswith(".md") else ""
    actions = tuple(actions_of(change, context.facts_file(path)))
    return PlannedChange(kind if is_new else "fact", "", actions, reason=waits)


# What is held true now of what a waiting fact is about. Reads only, and each file once.


FactsByField = Mapping[tuple[str, str], Sequence[Fact]]  # by the keys of entity and field


@lru_cache(maxsize=8)  # like `facts_in`: the same text is looked at again and again
def _current_facts(file: edits.SemanticFile, text: str) -> FactsByField:
    current = (fact for fact in file.facts(text).facts if fact.current)
    return grouped(((name_key(fact.entity), name_key(fact.field)), fact) for fact in current)


class CurrentFacts:
    """The facts that hold, file by file as they are asked for."""

    def __init__(self, context: WriteContext) -> None:
        self._context = context
        self._schema = context.schema()
        self._files: dict[str, FactsByField] = {}

    def facts(self, entity: str, field: str) -> Sequence[Fact]:
        """What holds of this field, in the first file that tells it."""
        entity = self._context.lookup.entity_name(entity)
        for path in self._context.lookup.entity_files(entity):
            if place_of(path) != ("semantic", "current"):
                continue
            if path not in self._files:
                self._files[path] = _current_facts(self._context.semantic(path), self._context.text(path))
            if facts := self._files[path].get((name_key(entity), name_key(field))):
                return facts
        return []

    def beside(self, entity: str, field: str, value: str) -> str:
        """The value that a new one would take the place of; empty where there is none, as for every statement."""
        facts = [] if self._schema.holds_many(field) or not field else self.facts(entity, field)
        return ", ".join(fact.value for fact in facts if fact.value != value)
