"""A planned change as patches of text, one a file. The rule: a patch that was made already changes nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import NamedTuple

from memoryclaw.consolidation.changes import (
    Action,
    AddPending,
    AddSource,
    ChangeSet,
    ConfirmFact,
    MoveFile,
    NewFile,
    PlannedChange,
    Replace,
    SetFact,
)
from memoryclaw.consolidation.pending import PENDING_FILE, add_pending, read_pending
from memoryclaw.consolidation.proposals import proposal
from memoryclaw.consolidation.run_record import record_path
from memoryclaw.errors import BudgetError, InputError, NotFoundError
from memoryclaw.model import Fact
from memoryclaw.text.encoding import readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.merging import merge
from memoryclaw.vault.edits import set_property
from memoryclaw.vault.fact_edits import SemanticFile, add_source, fact_sources, same, set_fact
from memoryclaw.vault.facts import VALUE, Facts, facts_in
from memoryclaw.writing.context import Templates

_HALF = re.compile("[\ud800-\udfff]")

Patch = Callable[[str | None], str | None]  # of a file's text; None: there is no such file


class Rewrite(NamedTuple):
    """What a change does to one file."""

    path: str
    patch: Patch


class _SameFile(SemanticFile):
    """A semantic file in which one action reads what the last one left: the same text is not read twice."""

    __slots__ = ()

    def facts(self, text: str) -> Facts:
        return _facts(self, text)


@lru_cache(maxsize=8)
def _facts(file: SemanticFile, text: str) -> Facts:
    return facts_in(file.path, text, file.collections)


def rewrites(change: PlannedChange, collections: frozenset[str]) -> list[Rewrite]:
    """The patches of a change in the order of its actions, those of one file made one; moves are left out.

    Args:
        change: what is to be done.
        collections: the headings that are no entities (`collections:` of the schema).
    """
    patches: dict[str, list[Patch]] = {}
    for action in change.actions:
        if not isinstance(action, MoveFile):
            path = PENDING_FILE if isinstance(action, AddPending) else action.path
            patches.setdefault(path, []).append(partial(_performed, action, collections))
    return [Rewrite(path, partial(_in_turn, tuple(several))) for path, several in patches.items()]


def moves(change: PlannedChange) -> list[MoveFile]:
    """The files that a change moves as they are."""
    return [action for action in change.actions if isinstance(action, MoveFile)]


def outcome_of(
    changes: Iterable[PlannedChange], collections: frozenset[str], read: Callable[[str], str | None]
) -> dict[str, tuple[str, str]]:
    """The text before and after of every file that the changes touch; a change that cannot be made is left out.

    Args:
        changes: what is to be done, in order.
        collections: the headings that are no entities.
        read: path → the text that stands there now, None where there is no file.
    """
    before: dict[str, str | None] = {}
    after: dict[str, str | None] = {}

    def now(path: str) -> str | None:
        if path not in before:
            before[path] = after[path] = read(path)
        return after[path]

    for change in changes:
        try:
            fresh = {found.path: found.patch(now(found.path)) for found in rewrites(change, collections)}
        except (InputError, NotFoundError):
            continue
        for move in moves(change):
            if now(move.path) is not None and now(move.to) is None:
                fresh[move.to], fresh[move.path] = now(move.path), None
        after.update(fresh)
    return {path: (text or "", after[path] or "") for path, text in before.items()}


def _in_turn(patches: Iterable[Patch], text: str | None) -> str | None:
    for patch in patches:
        text = patch(text)
    return text


def _performed(action: Action, collections: frozenset[str], text: str | None) -> str | None:
    match action:
        case NewFile():
            # What stands there is the same file from an earlier try, perhaps edited by a person since.
            result = _whole(action.text) if text is None else text
        case Replace() if text is not None:
            result = _whole(action.text)
        case AddPending():
            result = add_pending(text or "", action)
        case SetFact():
            result = _with_fact(action, _SameFile(action.path, collections), text or "")
        case ConfirmFact() if text is not None:
            result = _confirmed(action, _SameFile(action.path, collections), text)
        case AddSource() if text is not None:
            result = _with_sources(action, text)
        case _:
            return text
    return result


def _whole(text: str) -> str:
    """The text without halves of characters, which no file can hold; logs have them where a host cut a string."""
    return text.encode("utf-8", "replace").decode() if _HALF.search(text) else text


def _with_fact(action: SetFact, file: SemanticFile, text: str) -> str:
    if _was_held(action, file, text):
        return text
    return set_fact(
        text,
        file,
        entity=action.entity,
        field=action.field,
        value=action.value,
        since=action.since,
        source=action.source,
        many=action.many,
    ).text


def _was_held(action: SetFact, file: SemanticFile, text: str) -> bool:
    """True when History has this very value, from this day or later: it was set once, and something newer came."""
    value, field = " ".join(action.value.split()), action.field or VALUE
    if value not in text:
        return False  # most are new, and need no reading
    return any(
        not fact.current
        and same(fact.entity, action.entity)
        and same(fact.field, field)
        and fact.value == value
        and fact.since >= action.since
        for fact in file.facts(text).facts
    )


def _confirmed(action: ConfirmFact, file: SemanticFile, text: str) -> str:
    """One more source, as long as the fact says what is confirmed: a person or a newer statement may have changed it."""
    holds = any(
        fact.current and fact.id == action.fact and same(fact.value, action.value)
        for fact in file.facts(text).facts
    )
    return add_source(text, file, action.fact, action.source).text if holds else text


def _with_sources(action: AddSource, text: str) -> str:
    known = split(readable(text)).meta.get("source")
    if known and not isinstance(known, str | list):
        raise InputError(f"the source of {action.path} is no text and no list; change it by hand")
    sources = [known] if isinstance(known, str) else [str(item) for item in known or ()]
    fresh = [range_ for range_ in action.ranges if range_ not in sources]
    return set_property(text, "source", [*sources, *fresh]) if fresh else text


# ── The loss budget: how much of what stood in a file would stand nowhere after a run. The rule: more than
# the budget refuses it.


class Loss(NamedTuple):
    """How many lines of a file would be lost, and how many it has; blank lines do not count."""

    path: str
    lost: int
    lines: int


def lost(before: str, after: str, elsewhere: Iterable[str] = ()) -> int:
    """How many lines stand neither in the file as it will be nor elsewhere.

    A line whose words all stand in the lines that came is not lost: its value moved to History, or it got one more source.

    Args:
        before: the text now.
        after: the text as it will be.
        elsewhere: lines that other files get.
    """
    old, new = _lines(before), _lines(after)
    gone, come = old - new, new - old
    kept, words = {line.strip() for line in elsewhere}, {word for line in come for word in _words(line)}
    return sum(
        count for line, count in gone.items() if line not in kept and not words.issuperset(_words(line))
    )


def losses(files: Mapping[str, tuple[str, str]]) -> list[Loss]:
    """What each file (path → text before and after) would lose, the worst first; files that lose nothing are left out."""
    come = {line for before, after in files.values() for line in _lines(after) - _lines(before)}
    found = [
        Loss(path, gone, _lines(before).total())
        for path, (before, after) in files.items()
        if (gone := lost(before, after, come))
    ]
    return sorted(found, key=lambda loss: (-loss.lost / loss.lines, loss.path))


def must_keep(files: Mapping[str, tuple[str, str]], budget: float) -> None:
    """Raises BudgetError when a file would lose a larger share of its lines than the budget."""
    for loss in losses(files)[:1]:
        if loss.lost > budget * loss.lines:
            raise BudgetError(
                f"nothing was written: {loss.path} would lose {loss.lost} of its {loss.lines} lines "
                f"({loss.lost / loss.lines:.0%}), more than the {budget:.0%} that consolidation.lossBudget allows"
            )


def must_be_its_own(steps: Iterable[tuple[str, str, str]], changes: Iterable[tuple[str, str]]) -> None:
    """Raises BudgetError when taking changes back would lose more lines than the changes brought.

    Args:
        steps: what is about to be done, in order, as a path and the text after and before the step.
        changes: each change that is taken back, as the text before and after it.
    """
    files: dict[str, tuple[str, str]] = {}
    for path, after, before in steps:
        files[path] = (files.get(path, (before,))[0], after)
    gone = sum(loss.lost for loss in losses(files))
    came = sum((_lines(after) - _lines(before)).total() for before, after in changes)
    if gone > came:
        raise BudgetError(
            f"nothing was written: the undo would remove {gone} lines, more than the {came} that it takes back"
        )


def _lines(text: str) -> Counter[str]:
    return Counter(stripped for line in text.splitlines() if (stripped := line.strip()))


def _words(line: str) -> list[str]:
    """The words of a line; brackets, pipes and other marks around them do not count."""
    return [word for part in line.split() if (word := part.strip("|-*+[](),:"))]


# ── A change of one text, made again on another version of it. The rule: exactly the same facts come, or it
# is not made.


def replayed(before: str, after: str, now: str, file: SemanticFile | None) -> str | None:
    """The text with the change from `before` to `after` in it, or None where that would be a guess.

    Args:
        before: the text that the change was made on.
        after: the text that came of it.
        now: the text to make it on.
        file: how the facts are read, for a semantic file.
    """
    merged = merge(before, now, after)
    if file is None:
        return merged
    if merged is not None and _the_same_facts(file, (before, after), (now, merged)):
        return merged
    try:
        return _facts_set(now, file, facts_that_came(before, after, file))
    except InputError:
        return None


def facts_that_came(before: str, after: str, file: SemanticFile) -> list[SetFact]:
    """The facts that a change of a semantic file set, as actions."""
    old = [fact for fact in file.facts(before).facts if fact.current]
    new = [fact for fact in file.facts(after).facts if fact.current]
    known = {(fact.entity, fact.field, fact.value) for fact in old}
    return [
        SetFact(file.path, f.entity, f.field, f.value, f.since, _source(after, file, f), many=_beside(f, new))
        for f in new
        if (f.entity, f.field, f.value) not in known
    ]


def actions_of(path: str, before: str | None, after: str | None, file: SemanticFile | None) -> list[Action]:
    """What a change of one file can be proposed as; empty where it is nothing that a person could be asked."""
    if after is None:
        return []
    if path == PENDING_FILE:
        return list(_waiting(before or "", after))
    if file is not None:
        return list(facts_that_came(before or "", after, file))
    return [NewFile(path, after)] if before is None else []


def _waiting(before: str, after: str) -> Iterator[AddPending]:
    known = {waiting.id for waiting in read_pending(before)}
    for w in read_pending(after):
        if w.id not in known:
            yield AddPending(w.entity, w.field, w.value, w.confidence, w.source, w.why, w.since, w.known)


def _source(text: str, file: SemanticFile, fact: Fact) -> str:
    return next(iter(fact_sources(text, file, fact.id)), fact.source)


def _beside(fact: Fact, facts: Iterable[Fact]) -> bool:
    return sum(same(f.entity, fact.entity) and same(f.field, fact.field) for f in facts) > 1


def _facts_set(text: str, file: SemanticFile, facts: Iterable[SetFact]) -> str | None:
    found = list(facts)
    for f in found:
        text = set_fact(
            text,
            file,
            entity=f.entity,
            field=f.field,
            value=f.value,
            since=f.since,
            source=f.source,
            many=f.many,
        ).text
    return text if found else None


def _the_same_facts(file: SemanticFile, asked: tuple[str, str], done: tuple[str, str]) -> bool:
    """True when no fact came to stand below another entity because a heading between them moved."""
    a, b, c, d = (
        Counter((f.entity, f.field, f.value, f.current) for f in file.facts(text).facts)
        for text in (*asked, *done)
    )
    c.subtract(a)
    c.update(b)
    return +c == d


# ── The commit messages of consolidation. The rule: words of a log stay on lines of their own and never
# look like a trailer.

PROPOSALS = frozenset({"pending", "skill"})  # kinds that are proposals already
_QUOTES, _RANGES = 12, 20
_NAMES = {
    "episode": ("episode", "episodes"),
    "fact": ("fact", "facts"),
    "waiting": ("waiting fact", "waiting facts"),
    "skill": ("skill draft", "skill drafts"),
    "merge": ("merge", "merges"),
    "proposal": ("proposal", "proposals"),
}


class CommitMessages(NamedTuple):
    """Words the messages of one run."""

    templates: Templates
    run: str

    def change(self, change: PlannedChange) -> str:
        """The message of a change: its title, what was said, where it comes from."""
        return self.templates.commit_message(
            "consolidate-change",
            title=change.title,
            evidence=change.evidence[:_QUOTES],
            run=self.run,
            source=change.source,
            confidence=change.confidence,
        )

    def proposal(self, change: PlannedChange) -> str:
        """The message of the commit of a proposal."""
        return self.templates.commit_message(
            "consolidate-proposal",
            title=change.title,
            reason=change.reason.rstrip("."),
            id=proposal(change, self.run)[0].rpartition("/")[2].removesuffix(".md"),
            run=self.run,
            source=change.source,
            confidence=change.confidence,
        )

    def record(self, changes: ChangeSet, mode: str) -> str:
        """The message of the last commit of a run."""
        more = len(changes.ranges) - _RANGES
        source = [*changes.ranges[:_RANGES], *([f"and {more} more"] if more > 0 else [])]
        return self.templates.commit_message(
            "consolidate-record",
            turns=changes.turns,
            made=made(changes, mode),
            path=record_path(self.run),
            run=self.run,
            source=" ".join(source),
        )


def waits(change: PlannedChange, mode: str) -> bool:
    """True when a change is proposed and not done."""
    return bool(change.reason) or (mode == "propose" and change.kind not in PROPOSALS)


def made(changes: ChangeSet, mode: str) -> str:
    """`2 episodes, 3 facts`: what a change set comes to."""
    counts: Counter[str] = Counter()
    for change in changes.changes:
        if waits(change, mode):
            counts["proposal"] += 1
            continue
        counts[change.kind] += change.kind not in {"fact", "pending"}
        counts["fact"] += sum(isinstance(action, SetFact) for action in change.actions)
        counts["waiting"] += sum(isinstance(action, AddPending) for action in change.actions)
    told = [f"{counts[kind]} {name[counts[kind] != 1]}" for kind, name in _NAMES.items() if counts[kind]]
    return ", ".join(told) or "nothing to keep"
