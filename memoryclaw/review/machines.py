"""Two machines, one vault: the branch of the other copy is fetched, merged by our own rules, and the result is pushed there."""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import itemgetter

from memoryclaw.config import is_vault_id
from memoryclaw.consolidation.changes import RUNS, read_record
from memoryclaw.errors import ConflictError, HistoryError, InputError
from memoryclaw.history.remote import FOLDER, Remote, remote_of
from memoryclaw.history.repository import History, TreeEntry, Version, object_id
from memoryclaw.late import NamedTuple
from memoryclaw.model import Fact, FileChange, grouped
from memoryclaw.ports import Progress
from memoryclaw.text.encoding import (
    DecodedText,
    decode,
    encode,
    in_form_of,
    json_object,
    lines_of,
    readable,
    same_text,
)
from memoryclaw.text.frontmatter import split
from memoryclaw.text.language import fold
from memoryclaw.text.merging import Join, both, merge_outlines, merge_records, weave
from memoryclaw.text.yaml_text import load
from memoryclaw.vault.edits import (
    SemanticFile,
    add_source,
    end_fact,
    fact_sources,
    remove_fact,
    set_fact,
    with_setting,
)
from memoryclaw.vault.export_gate import exportable_bytes
from memoryclaw.vault.files import folder_lock
from memoryclaw.vault.layout import (
    CONFIG_FILE,
    DECISIONS_FILE,
    SCHEMA_FILE,
    free_name,
    length_trouble,
    name_notices,
    place_of,
    timestamp,
    utc,
)
from memoryclaw.vault.logs import LogRange, parse_ranges
from memoryclaw.vault.permissions import doubt, doubts
from memoryclaw.vault.standings import doubts_of
from memoryclaw.vault.state_folder import make_private_folder
from memoryclaw.vault.vocabulary import DeclaredField, Schema, read_schema
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import (
    APPROVED,
    REJECTED,
    UNDONE,
    Decisions,
    effects,
    fingerprint,
    without_reason,
)
from memoryclaw.writing.identity import KEY, id_in
from memoryclaw.writing.init import PRIVATE, leave_out
from memoryclaw.writing.pending import PENDING_FILE, PendingFact, add_pending, read_pending, remove_pending
from memoryclaw.writing.writer import Writer, recover, writing

_TRIES = 8
_AT_ONCE = 200  # objects that are read with one command
_SHOWN = 20  # files that a commit message names
_WHEN = re.compile(rb"^committer .* (\d{1,12}) [+-]\d{4}$", re.MULTILINE)
_HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_NOT_OURS = frozenset({".git", "git~1", ".memoryclaw", "..", ".", ""})


class Exchanged(NamedTuple):
    """What came of it: the other copy, how many commits came and went, the merge (empty: none was needed), and what to know."""

    remote: str
    received: int = 0
    sent: int = 0
    merge: str = ""
    files: tuple[str, ...] = ()  # that changed here
    told: tuple[str, ...] = ()
    notice: str = ""


def exchange(
    context: WriteContext,
    *,
    include_noexport: bool = False,
    progress: Progress | None = None,
    may: Callable[[str], None] = lambda _: None,
    own: bool = False,
    renamed: Callable[[str], None] = lambda _: None,
) -> Exchanged:
    """Brings a vault and its other copy to the same commits.

    Args:
        include_noexport: also push what is marked not to leave this machine.
        may: told what was fetched, before it is merged; may raise.
        own: the other copy is of the same installation, so nothing of it is in doubt.
        renamed: told another id of the vault before it has that.
    """
    recover(context.root)
    history = History(context.root)
    state = history.state()
    if not state.writable:
        raise HistoryError(f"nothing was changed: {state.sentence}")
    remote = Remote(history, remote_of(history))
    exchanged = Exchanged(remote.name)
    step = progress or (lambda _done, _all: None)
    with exchanging(context.root):
        for attempt in range(_TRIES):
            step(0, 3)
            theirs = remote.fetch()
            step(1, 3)
            may(theirs)
            if theirs:
                exchanged = _take(context, theirs, exchanged, own=own, renamed=renamed)
            step(2, 3)
            head = history.head()
            if not head or head == theirs:
                step(3, 3)
                return exchanged
            waiting = _count(history, head, theirs)
            if not include_noexport and (withheld := _local_paths(history, head, theirs)):
                names = ", ".join(withheld[:3]) + f" and {len(withheld) - 3} more" * (len(withheld) > 3)
                merged = f"what came from {exchanged.remote} is merged, but " * bool(exchanged.received)
                raise InputError(
                    f"{merged}nothing was pushed: {names} holds text marked not to leave this machine (NOEXPORT, or `export: false`), "
                    "and git pushes whole files; `git push` by hand pushes it all the same"
                )
            if remote.push(head):
                first = f"git pushes whole files, private ones too: anybody who can read {remote.name} can read them"
                step(3, 3)
                return exchanged._replace(sent=waiting, notice="" if theirs else first)
            remote.wait(attempt)
    raise HistoryError(
        f"{remote.name} was pushed to again and again by others; what came from there is merged, try again"
    )


@contextmanager
def exchanging(root: str) -> Iterator[None]:
    """Keeps others from bringing the copies of a vault together until the block ends."""
    make_private_folder(f"{root}/{FOLDER}")
    with folder_lock(root, FOLDER):
        yield


def _take(
    context: WriteContext, theirs: str, done: Exchanged, *, own: bool, renamed: Callable[[str], None]
) -> Exchanged:
    """Merges what is there into what is here."""
    with writing(context.root) as writer, folder_lock(context.root, "logs"):
        history = writer.history
        head = history.head()
        if head == theirs or (head and history.holds(theirs)):
            return done
        received = done.received + _count(history, theirs, head)
        bases = _bases(history, head, theirs)
        forward = not head or bases == [head]
        merge = BranchMerge(context, writer, done.remote, own=own, renamed=renamed)
        # Two repositories that have no commit in common are merged only where both are vaults.
        if not bases and head and CONFIG_FILE not in history.entries(theirs):
            raise ConflictError(
                f"{done.remote} has no commit in common with this vault and is not a vault itself; nothing was changed: "
                "give the vault a remote of its own"
            )
        unsent = history.ask_ignored([f"{folder}/x" for folder in PRIVATE])()
        commit, changed, remarks = merge.carry_out(head, theirs, bases, forward=forward)
        leave_out(context.root, [folder for folder in PRIVATE if f"{folder}/x" in unsent])
    return done._replace(
        received=received,
        merge=commit if commit != theirs else done.merge,
        files=tuple(sorted({*done.files, *changed})),
        told=tuple(dict.fromkeys((*done.told, *remarks))),
    )


# Two machines' versions of a vault, merged in code. Pure: trees and bytes in, a tree and sentences out; no command that a
# repository names.
# The order of the two sides is that of their commits and not of who asks, so both machines come to the same tree. Nothing that one
# of them added is lost, and nothing that both added stands twice.

Listing = Mapping[str, TreeEntry]  # path → mode and id of every file of a commit

_REGULAR = frozenset({"100644", "100755"})
_PROSE = (".md", ".markdown", ".txt")
_MARKS = re.compile(r"(?:<{7}|>{7}|\|{7})(?: |$)")
_ARCHIVE = "archive/"
_LISTS = (".gitignore", ".gitattributes")


class Tip(NamedTuple):
    """One side of a merge: its commit and the time of that, its files, and what a person calls it."""

    commit: str
    when: datetime
    files: Listing
    name: str = ""


class MergedTree(NamedTuple):
    """The files that come of a merge, the bytes of those that neither side has, and what a person should know."""

    files: dict[str, TreeEntry]
    made: dict[str, bytes]  # id → bytes
    remarks: tuple[str, ...]


def disputed_objects(base: Listing, ours: Tip, theirs: Tip) -> list[str]:
    """The ids of the objects that a merge of these is going to read."""
    entries: set[TreeEntry | None] = set()
    for path in {*ours.files, *theirs.files, DECISIONS_FILE, SCHEMA_FILE}:
        versions = [tree.get(path) for tree in (base, ours.files, theirs.files)]
        is_disputed = versions[1] != versions[2] and versions[0] not in versions[1:]
        is_read = path.startswith(("episodes/", "semantic/", f"{RUNS}/")) and len({*versions}) > 1
        if is_disputed or is_read or path in (DECISIONS_FILE, SCHEMA_FILE):
            entries.update(versions)
    return sorted(entry.oid for entry in entries if entry and entry.mode in _REGULAR)


def still_bound(
    ours: Listing, merged: MergedTree, read: Callable[[str], bytes], hash_name: str
) -> MergedTree:
    """A merged tree in which what binds in ours binds still: refusals, what was forgotten and erased, and the id of the vault."""
    files, made = dict(merged.files), dict(merged.made)
    for path, bound in ((DECISIONS_FILE, _bound_decisions), (CONFIG_FILE, _bound_id)):
        was, now = ours.get(path), files.get(path)
        if was is None or was == now or was.mode not in _REGULAR:
            continue
        old, new = decode(read(was.oid)), decode((made.get(now.oid) or read(now.oid)) if now else b"")
        text = bound(old.text, new.text)
        if text != new.text:
            data = _encode(new if now else old, text)
            oid = object_id("blob", data, hash_name)
            made[oid], files[path] = data, TreeEntry(now.mode if now else was.mode, oid)
    return MergedTree(files, made, merged.remarks)


def _bound_decisions(old: str, new: str) -> str:
    """Decisions with those that narrow something and were there before, without the reason that a person gave."""
    lines, theirs = lines_of(_whole(new)), set[tuple[str, ...]]()
    for line in lines:
        theirs |= effects(line)
    bound, missing = list[str](), False
    others = Counter(line.rstrip("\r\n") for line in lines)
    for line in lines_of(_whole(old)):
        key = line.rstrip("\r\n")
        if others[key]:
            others[key] -= 1
            bound.append(line)
        elif effects(line) - theirs:
            missing = True
            bound.append(without_reason(key) + line[len(key) :])
    return "".join(merge_records(bound, lines)) if missing else new


def _bound_id(old: str, new: str) -> str:
    """Settings with an id: without one, what this person allowed or what is in doubt would not be found."""
    name = id_in(old)
    is_lost = is_vault_id(name) and not is_vault_id(id_in(new))
    return with_setting(new, KEY, name, CONFIG_FILE) if is_lost else new


def is_record(path: str) -> bool:
    """True for a file of lines that are appended and never changed."""
    return path.endswith(".jsonl") and path.startswith(("logs/", "archive/logs/", "ledger/", "review/"))


@dataclass(slots=True)
class _Merging:
    """One merge under way; which side is first does not depend on who asks."""

    base: Listing
    first: Tip
    second: Tip
    read: Callable[[str], bytes]
    hash_name: str
    files: dict[str, TreeEntry] = field(default_factory=dict)
    made: dict[str, bytes] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    waiting: list[PendingFact] = field(default_factory=list)

    def run(self) -> MergedTree:
        self._tell_apart()
        first, second = self.first.files, self.second.files
        unmerged: list[str] = []
        for path in sorted({*first, *second}):
            was, ours, theirs = self.base.get(path), first.get(path), second.get(path)
            if theirs in (ours, was):
                self._keep(path, ours)
            elif ours == was:
                self._keep(path, theirs)
            else:
                unmerged.append(path)
            self._must_be_whole(path)
        moved = self._moves(unmerged)
        self._episodes()
        # What people decided and what fields hold is known before facts are merged, and what waits comes last.
        for path in sorted(
            {*unmerged},
            key=lambda path: (path not in (DECISIONS_FILE, SCHEMA_FILE), path == PENDING_FILE, path),
        ):
            if path not in self.files or path in (DECISIONS_FILE, SCHEMA_FILE):
                self._merge(path, moved.get(path, path))
        self._drop_refused()
        self._ask()
        self._must_not_lie_in_files()
        return MergedTree(self.files, self.made, tuple(dict.fromkeys(self.remarks)))

    # ── Which files there are

    def _keep(self, path: str, entry: TreeEntry | None) -> None:
        if entry is not None:
            self.files[path] = entry

    def _put(self, path: str, data: bytes, mode: str = "100644") -> None:
        self.files[path] = self._entry(data, mode)

    def _entry(self, data: bytes, mode: str) -> TreeEntry:
        oid = object_id("blob", data, self.hash_name)
        self.made[oid] = data
        return TreeEntry(mode, oid)

    def _bytes(self, entry: TreeEntry | None) -> bytes | None:
        if entry is None:
            return None
        return self.made[entry.oid] if entry.oid in self.made else self.read(entry.oid)

    def _text(self, entry: TreeEntry | None) -> str:
        return decode(self._bytes(entry) or b"").text

    def _must_be_whole(self, path: str) -> None:
        """A conflict that somebody committed into facts is never merged on."""
        if place_of(path) != ("semantic", "current") and path != PENDING_FILE:
            return
        for tip in (self.first, self.second):
            entry = tip.files.get(path)
            if entry is None or entry == self.base.get(path):
                continue
            text = self._text(entry)
            for number, line in enumerate(lines_of(text) if "<<<<<<<" in text else (), 1):
                if _MARKS.match(line):
                    raise ConflictError(
                        f"{path}:{number} holds the mark of a merge conflict {tip.name}; nothing was merged: "
                        "keep what is right there, delete the marks and commit the file"
                    )

    def _must_not_lie_in_files(self) -> None:
        for path in sorted(self.files):
            folder = path.rpartition("/")[0]
            while folder:
                if folder in self.files:
                    raise ConflictError(
                        f"{folder} is a file on one machine and a folder on the other; nothing was merged: "
                        "give one of them another name and commit that"
                    )
                folder = folder.rpartition("/")[0]

    def _moves(self, left: list[str]) -> dict[str, str]:
        """New path → old path, where one side moved what the other changed: the change follows. Those old paths are no longer left."""
        moves: dict[str, str] = {}
        for tip, other_tip in ((self.first, self.second), (self.second, self.first)):
            gone = [path for path in left if path not in tip.files and path in self.base]
            new = [
                path for path in sorted(tip.files) if path not in self.base and path not in other_tip.files
            ]
            for path in gone:
                # What is forgotten or brought back may have been changed before that; any other move is told by its bytes.
                other = path.removeprefix(_ARCHIVE) if path.startswith(_ARCHIVE) else _ARCHIVE + path
                free = (
                    to
                    for to in new
                    if to not in moves and (to == other or tip.files[to].oid == self.base[path].oid)
                )
                if to := next(free, ""):
                    moves[to] = path
                    left.remove(path)
                    left.append(to)
                    self.files.pop(to, None)
                    self.remarks.append(
                        f"{path} was moved to {to} on one machine and changed on the other; the change is in {to}"
                    )
        self._both_moved()
        return moves

    def _both_moved(self) -> None:
        """A file that both moved, each to its place, stays where it was archived, else where the later one put it."""
        # Of each side: an entry → the new paths with it, the last first.
        new = [
            grouped((files[path], path) for path in sorted(files.keys() - self.base.keys(), reverse=True))
            for files in (self.first.files, self.second.files)
        ]
        for path, was in sorted(self.base.items()):
            if path in self.first.files or path in self.second.files:
                continue
            a, b = (paths[was].pop() if paths.get(was) else "" for paths in new)
            if a and b and a != b and a not in self.second.files and b not in self.first.files:
                stays, gone = (a, b) if a.startswith(_ARCHIVE) else (b, a)
                self.files.pop(gone, None)
                self.remarks.append(f"{path} was moved to {gone} and to {stays}; it is in {stays}")

    # ── One file

    def _merge(self, path: str, before: str) -> None:
        was = self.base.get(before)
        ours, two = (tip.files.get(path) or tip.files.get(before) for tip in (self.first, self.second))
        odd = next((e for e in (was, ours, two) if e is not None and e.mode not in _REGULAR), None)
        if odd is not None:
            raise ConflictError(
                f"{path} is a link or a submodule that both sides changed; nothing was merged: merge it with `git merge`"
            )
        if ours is None or two is None:
            self._keep(path, ours or two)
            gone, changed = (self.first, self.second) if ours is None else (self.second, self.first)
            self.remarks.append(
                f"{path} was deleted {gone.name} and changed {changed.name}; the change stands"
            )
            return
        mode = two.mode if was is None or ours.mode == was.mode else ours.mode
        if was and was.oid in (ours.oid, two.oid):
            self.files[path] = TreeEntry(mode, two.oid if ours.oid == was.oid else ours.oid)
            return
        old, mine, their_data = (self._bytes(entry) for entry in (was, ours, two))
        merged = self._text_of(path, old or b"", mine or b"", their_data or b"")
        if merged is not None:
            self._put(path, merged, mode)
            return
        copy = self._free(conflict_copy(path, self.first.when, self.first.commit))
        self._put(path, their_data or b"", mode)
        self._put(copy, mine or b"", mode)
        self.remarks.append(
            f"{path} was changed on the same lines on both machines; the other version is in {copy}"
        )

    def _free(self, path: str) -> str:
        return free_name(
            path,
            lambda name: any(name in files for files in (self.files, self.first.files, self.second.files)),
        )

    def _text_of(self, path: str, *sides: bytes) -> bytes | None:
        """The merged bytes of one file; None where both versions are to be kept whole."""
        if any(b"\0" in data for data in sides) and not all(
            decode(data).encoding.startswith("utf-16") for data in sides if data
        ):
            return None
        texts = [decode(data) for data in sides]
        forms = {(text.encoding, text.bom) for text, data in zip(texts, sides, strict=True) if data}
        if len(forms) > 1:
            return None
        base, ours, theirs = (text.text for text in texts)
        if path == CONFIG_FILE and not is_vault_id(id_in(base)):  # each may have given the vault an id
            ids = [vault_id for text in (ours, theirs) if is_vault_id(vault_id := id_in(text))]
            with suppress(InputError, ValueError):
                ours, theirs = (
                    with_setting(text, KEY, min(ids), CONFIG_FILE) if id_in(text) else text
                    for text in (ours, theirs)
                )
        if path == DECISIONS_FILE:
            merged: str | None = weave(base, _whole(ours), _whole(theirs), by_time).text
        elif is_record(path):
            merged = weave(base, _whole(ours), _whole(theirs), merge_records).text
        elif path == PENDING_FILE:
            merged = _questions(weave(base, ours, theirs, merge_outlines).text)
        elif place_of(path) == ("semantic", "current"):
            merged = self._facts(path, base, ours, theirs)
        else:
            merged = _prose(path, base, ours, theirs)
        return None if merged is None else _encode(texts[2] if sides[2] else texts[1], merged)

    # ── Facts

    @property
    def _schema(self) -> Schema:
        return read_schema(self._text(self.files.get(SCHEMA_FILE)))

    def _decisions(self, files: Listing | None = None) -> Decisions:
        entry = (self.files if files is None else files).get(DECISIONS_FILE)
        return Decisions.read(self._text(entry))

    def _facts(self, path: str, base: str, ours: str, theirs: str) -> str | None:
        schema = self._schema
        file = SemanticFile(path, schema.collections)
        text = weave(base, ours, theirs, merge_outlines, _rows).text
        three = _Three(*(_Side.of(file, side) for side in (base, ours, theirs)))
        for side, tip in ((three.first, self.first), (three.second, self.second)):
            self._without_refused(three.base, side, tip)
        counts = three.target_counts()
        try:
            text = _with_missing(_without_excess(text, file, counts), file, counts, three)
            text = self._decide(text, file, three, schema)
        except InputError:
            return None
        is_whole = _is_all_there(file, text, counts, self.waiting) and _reads_well(path, text, (ours, theirs))
        return text if is_whole else None

    def _without_refused(self, base: _Side, side: _Side, tip: Tip) -> None:
        """A fact that one machine brings and that a person said no to on the other since is not brought."""
        decisions_of_side, merged = self._decisions(tip.files), self._decisions()
        groups: dict[tuple[str, str], list[bool]] = {}
        for key in side.counts - base.counts:
            if key[0] != "now":
                continue
            fact = side.facts[key][0]
            fingerprint_ = fingerprint("fact", fact.entity, fact.field, fact.value)
            decision = merged.of(fingerprint_)
            mine = decisions_of_side.of(fingerprint_)
            # What a person wrote by hand cites nothing and was not asked for; nobody else's no takes it away.
            is_asked = bool(fact.source) or (mine is not None and mine.decision == APPROVED)
            is_no = decision is not None and decision.decision in (REJECTED, UNDONE) and mine != decision
            groups.setdefault((key[1], key[2]), []).append(is_no and is_asked)
        for group, refused_ones in groups.items():
            if all(refused_ones):
                name = side.name(group)
                side.take_back(base, group)
                self.remarks.append(
                    f"{name} is not taken {tip.name}: it was rejected on the other machine since"
                )

    def _drop_refused(self) -> None:
        """A file of facts that only one machine changed loses what the other said no to."""
        merged = self._decisions()
        if not any(d.decision in (REJECTED, UNDONE) and d.fingerprint for d in merged.all):
            return
        for path, entry in sorted(self.files.items()):
            was, ours, theirs = (
                files.get(path) for files in (self.base, self.first.files, self.second.files)
            )
            if place_of(path) != ("semantic", "current") or was not in (ours, theirs) or ours == theirs:
                continue
            before, file = len(self.remarks), decode(self._bytes(entry) or b"")
            text = self._facts(path, *map(self._text, (was, ours, theirs)))
            if len(self.remarks) > before and text not in (None, file.text):
                self._put(path, _encode(file, text or ""), entry.mode)
            else:
                del self.remarks[before:]

    def _decide(self, text: str, file: SemanticFile, sides: _Three, schema: Schema) -> str:
        """What holds where both machines gave one field another value: what began later, else what a person says."""
        for group in sorted(sides.contested()):
            facts = file.facts(text).facts
            current = [f for f in facts if f.current and not f.is_statement and _group(f) == group]
            if len(current) != 2 or max(side.values(group) for side in (sides.first, sides.second)) > 1:
                continue
            if schema.fields.get(current[0].field.lower(), DeclaredField()).many:
                continue
            late = sides.second.value(group)
            ended, standing = sorted(
                current, key=lambda fact: (fact.trust == "trusted", fact.since, fact.value == late)
            )
            text = self._settle(text, file, ended, standing)
        return text

    def _settle(self, text: str, file: SemanticFile, known: Fact, standing: Fact) -> str:
        name = f"{standing.entity}.{standing.field}"
        dated = (
            known.since and standing.since and known.since < standing.since and known.trust == standing.trust
        )
        try:
            if dated:
                past = ("was", *_group(known), known.value, known.since)
                if past in map(_key, file.facts(text).facts):
                    ended = remove_fact(text, file, known.id)
                else:
                    ended = end_fact(text, file, known.id, standing.since)
                self.remarks.append(
                    f"{name} is {standing.value!r} since {standing.since}; {known.value!r} is in its history"
                )
                return ended
            sources = ", ".join(fact_sources(text, file, known.id))
            text = remove_fact(text, file, known.id)
        except InputError:
            self.remarks.append(
                f"{name} has two values, {known.value!r} and {standing.value!r}; keep the right one by hand"
            )
            return text
        reason, value = "changed on two machines at once", (known.entity, known.field, known.value)
        waits = PendingFact(
            "", *value, "medium", known.since, sources, reason, standing.value, known.audience
        )
        self.waiting.append(waits)
        self.remarks.append(
            f"{name} was changed on both machines: {standing.value!r} stands, and {known.value!r} waits in review"
        )
        return text

    def _ask(self) -> None:
        """Puts what a person must decide into the file of questions, and takes out what is decided."""
        entry = self.files.get(PENDING_FILE)
        if entry is None and not self.waiting:
            return
        file = decode(self._bytes(entry) or b"")
        text, decisions, collections = file.text, self._decisions(), self._schema.collections
        earlier = [
            {pending.id for pending in read_pending(self._text(tip.files.get(PENDING_FILE)))}
            for tip in (self.first, self.second)
        ]
        for waits in read_pending(text):
            decision = decisions.of(fingerprint("fact", waits.entity, waits.field, waits.value))
            # One side had it answered while the other asked; a question that both know is merged as lines are.
            if decision is None or waits.box != " " or sum(waits.id in ids for ids in earlier) != 1:
                continue
            # What was approved is taken out only where the merged files hold it.
            if decision.decision != APPROVED or any(
                (*_group(fact), fact.value) == (_name(waits.entity), _name(waits.field), waits.value)
                and (fact.current or fact.is_statement)
                for path, entry in sorted(self.files.items())
                if place_of(path) == ("semantic", "current")
                for fact in SemanticFile(path, collections).facts(self._text(entry)).facts
            ):
                text = remove_pending(text, waits.id)
        for fact in self.waiting:
            text = add_pending(text, fact)
        if text != file.text:
            self._put(PENDING_FILE, _encode(file, text))

    def _tell_apart(self) -> None:
        """Gives an episode of the later side another name where both sides have one of that name that tells of other lines."""
        first, second = self.first.files, dict(self.second.files)
        for path in sorted(first.keys() & second.keys() - self.base.keys()):
            ours, two = first[path], second[path]
            if ours == two or place_of(path) != ("episode", "current"):
                continue
            cited = [self._cited(entry) for entry in (ours, two)]
            if not all(cited) or _overlap(*cited):
                continue
            place = free_name(path, lambda name: name in first or name in second)
            old, new = (name.rpartition("/")[2].removesuffix(".md") for name in (path, place))
            # Only its own side can speak of it: before, there was no such name.
            for other_path, entry in list(second.items()):
                if entry == self.base.get(other_path) or not other_path.endswith((".md", ".json")):
                    continue
                data = self._bytes(entry) or b""
                pattern = rb"(?<![\w-])" + re.escape(old.encode()) + rb"(?![\w-])"
                if changed := re.sub(pattern, new.encode(), data):
                    second[other_path] = self._entry(changed, entry.mode)
            second[place] = second.pop(path)
            self.remarks.append(f"two episodes were called {path}; one is {place} now")
        self.second = self.second._replace(files=second)

    # ── Episodes of the same lines of a log

    def _episodes(self) -> None:
        """Where both machines consolidated the same lines, the episode of the earlier run stands, and the other goes to the archive."""

        def new(tip: Tip) -> dict[str, TreeEntry]:
            paths = (path for path in tip.files if path not in self.base)
            return {path: tip.files[path] for path in paths if place_of(path) == ("episode", "current")}

        mine, their_episodes = new(self.first), new(self.second)
        if not mine or not their_episodes:
            return
        runs = list[list[tuple[str, str, list[LogRange]]]]()
        for tip in (self.first, self.second):
            paths = [path for path in tip.files if path.startswith(f"{RUNS}/") and path not in self.base]
            records = [read_record(self._text(tip.files[path])) for path in paths]
            runs.append(sorted((record.at, record.run, record.ranges) for record in records))
        cited = {entry: self._cited(entry) for entry in {*mine.values(), *their_episodes.values()}}
        for our_path, entry in sorted(mine.items()):
            for two, same in sorted(their_episodes.items()):
                if entry == same or not _overlap(cited[entry], cited[same]):
                    continue
                first_stands = _run_of(runs[0], cited[entry]) <= _run_of(runs[1], cited[same])
                stays, (gone, loser) = (
                    ((our_path, entry), (two, same)) if first_stands else ((two, same), (our_path, entry))
                )
                if stays[0] != gone and self.files.get(gone) not in (None, loser):
                    continue
                texts = (readable(self._text(twin)) for twin in (entry, same))
                ids = {str(split(text).meta.get("id", "")) for text in texts}
                self.files.pop(gone, None)
                self.files[stays[0]] = stays[1]
                place = f"{_ARCHIVE}{gone}"
                if len(ids) == 1 or place in self.files:
                    place = self._free(conflict_copy(place, self.first.when, self.first.commit))
                self.files[place] = loser
                self.remarks.append(
                    f"{gone} tells the same lines of a log as {stays[0]}, which stands; it is in {place}"
                )

    def _cited(self, entry: TreeEntry) -> list[LogRange]:
        return parse_ranges(split(readable(self._text(entry))).raw)


def _overlap(first: Iterable[LogRange], other: Iterable[LogRange]) -> bool:
    ranges = list(other)
    return any(a.path == b.path and a.first <= b.last and b.first <= a.last for a in first for b in ranges)


def _run_of(runs: Sequence[tuple[str, str, list[LogRange]]], ranges: Sequence[LogRange]) -> tuple[str, str]:
    return next(((when, run) for when, run, read in runs if _overlap(read, ranges)), ("~", ""))


def conflict_copy(path: str, when: datetime, commit: str) -> str:
    """The name of the version of a file that does not stand, as sync services name it; readers pass over it and report it."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ext = name.rpartition(".")
    stem, ext = (stem, dot + ext) if stem else (name, "")
    return f"{folder}{slash}{stem}.sync-conflict-{utc(when):%Y%m%d-%H%M%S}-{commit[:7]}{ext}"


# The facts of one version of a file, counted: each is known by what it says, wherever it stands.

_Key = tuple[str, str, str, str, str]  # now | was | said, entity, field, value, day


def _group(fact: Fact) -> tuple[str, str]:
    return _name(fact.entity), _name(fact.field)


def _name(text: str) -> str:
    return " ".join(fold(text).split())


def _key(fact: Fact) -> _Key:
    if fact.is_statement:
        return "said", _name(fact.entity), "ended" if fact.until else "", fact.value, fact.said
    return "now" if fact.current else "was", *_group(fact), fact.value, "" if fact.current else fact.since


@dataclass(slots=True)
class _Side:
    """The facts of one version."""

    facts: dict[_Key, list[Fact]]
    counts: Counter[_Key]

    @classmethod
    def of(cls, file: SemanticFile, text: str) -> _Side:
        facts = grouped((_key(fact), fact) for fact in file.facts(text).facts)
        return cls(facts, Counter({key: len(places) for key, places in facts.items()}))

    def take_back(self, base: _Side, group: tuple[str, str]) -> None:
        """Takes back the new values of one field; what they had replaced holds again."""
        new = self.counts - base.counts
        for key in [key for key in new if key[0] == "now" and key[1:3] == group]:
            self.counts[key] = base.counts[key]
        former = [self.facts[key][-1] for key in new if key[0] == "was" and key[1:3] == group]
        if former:
            last = max(former, key=lambda fact: (fact.until, fact.line))
            holds = _key(last._replace(current=True))
            self.counts[_key(last)] -= 1
            self.counts[holds] += 1
            self.facts.setdefault(holds, [last])

    def name(self, group: tuple[str, str]) -> str:
        fact = next(places[0] for key, places in self.facts.items() if key[0] == "now" and key[1:3] == group)
        return f"{fact.entity}.{fact.field} = {fact.value!r}"

    def values(self, group: tuple[str, str]) -> int:
        return sum(n for key, n in self.counts.items() if key[0] == "now" and key[1:3] == group)

    def value(self, group: tuple[str, str]) -> str:
        return next((key[3] for key in sorted(self.counts) if key[0] == "now" and key[1:3] == group), "")


class _Three(NamedTuple):
    """The facts before, and on either side."""

    base: _Side
    first: _Side
    second: _Side

    def target_counts(self) -> Counter[_Key]:
        """How often each fact is to stand in the merged file."""
        base, ours, theirs = (side.counts for side in self)
        counted = dict[_Key, int]()
        for key in {*ours, *theirs}:
            was, here, there = base[key], ours[key], theirs[key]
            counted[key] = there if here == was else here if there == was else max(here, there)
        for side, other_side in ((self.first, self.second), (self.second, self.first)):
            for key in side.counts - base:
                # What one side took up the other took up as well, and has replaced since.
                if key[0] == "now" and not other_side.counts[key]:
                    past = ("was", *key[1:4], side.facts[key][0].since)
                    if other_side.counts[past] > base[past]:
                        counted[key] = 0
        return Counter({key: n for key, n in counted.items() if n})

    def contested(self) -> set[tuple[str, str]]:
        """The fields to which both sides gave a value of their own."""
        values = defaultdict[tuple[str, str], list[set[str]]](lambda: [set(), set()])
        for number, side in enumerate((self.first, self.second)):
            for kind, entity, name, value, _ in side.counts - self.base.counts:
                if kind == "now":
                    values[entity, name][number].add(value)
        return {group for group, (ours, theirs) in values.items() if ours and theirs and ours != theirs}


def _without_excess(text: str, file: SemanticFile, wanted: Counter[_Key]) -> str:
    """The text without the facts that stand too often in it; what their lines cite goes to the one that stays."""
    while True:
        facts_by_key = grouped((_key(fact), fact) for fact in file.facts(text).facts)
        key = next((key for key, facts in facts_by_key.items() if len(facts) > wanted[key]), None)
        if key is None:
            return text
        # Of two that differ in when they ended, the earlier end is right: what followed came then.
        staying, *others = sorted(facts_by_key[key], key=lambda fact: (fact.until or "~", fact.line))
        extra = others[-1] if others else staying
        if others and staying.current and wanted[key]:
            for source in fact_sources(text, file, extra.id):
                text = add_source(text, file, staying.id, source).text
        text = remove_fact(text, file, extra.id)


def _with_missing(text: str, file: SemanticFile, wanted: Counter[_Key], known: Iterable[_Side]) -> str:
    """The text with the values that are to stand in it and do not, each as the first side that knows it says it."""
    counts = Counter(map(_key, file.facts(text).facts))
    for key in sorted(wanted - counts):
        side = next((side for side in known if key in side.facts), None)
        if side is None or key[0] == "said":
            raise InputError("a statement cannot be put back")
        fact = side.facts[key][0]
        names = ("entity", "field", "value", "since", "source", "audience")
        text = set_fact(text, file, **{name: getattr(fact, name) for name in names}, many=True).text
        if key[0] == "was":
            new = [f for f in file.facts(text).facts if f.current and _key(f)[1:4] == key[1:4]]
            text = end_fact(text, file, new[-1].id, fact.until)
    return text


def _is_all_there(
    file: SemanticFile, text: str, wanted: Counter[_Key], waiting: Sequence[PendingFact]
) -> bool:
    """True when every value that is to be kept is in the text, as it is or as it was, or waits."""
    facts = file.facts(text).facts
    triples = {(*_group(fact), fact.value) for fact in facts}
    triples |= {(_name(pending.entity), _name(pending.field), pending.value) for pending in waiting}
    words = {(_name(fact.entity), fact.value) for fact in facts if fact.is_statement}
    return all(
        (key[1], key[3]) in words if key[0] == "said" else (key[1], key[2], key[3]) in triples
        for key in +wanted
    )


# Lines, by the kind of file.


def _rows(was: list[str], ours: list[str], theirs: list[str]) -> list[str]:
    """Two versions of a row of a table as one, where each changed other cells; else both."""
    cells = [re.split(r"(?<!\\)\|", lines[0]) if len(lines) == 1 else [] for lines in (was, ours, theirs)]
    if len({len(row) for row in cells}) == 1 and len(cells[0]) > 2:
        merged_cells = [
            a if b == old else b if a in (old, b) else None for old, a, b in zip(*cells, strict=True)
        ]
        if all(cell is not None for cell in merged_cells):
            return ["|".join(cell or "" for cell in merged_cells)]
    return both(ours, theirs)


def by_time(first: list[str], second: list[str]) -> list[str]:
    """Two stretches of decisions in the order in which they were taken; those of one moment stay together."""
    second_only = merge_records(first, second)[len(first) :]
    return [line for _, line in heapq.merge(_dated(first), _dated(second_only), key=itemgetter(0))]


def _dated(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line with its moment; one that tells none is of the moment of the line before."""
    moment = ""
    for line in lines:
        at = json_object(line).get("at")
        moment = at if isinstance(at, str) else moment
        yield moment, line


def _questions(text: str) -> str:
    """What waits, each question once: the first of those with one id."""
    lines, questions = lines_of(text), read_pending(text)
    first_lines = {question.id: question.line for question in reversed(questions)}
    for question in reversed(questions):
        if question.line != first_lines[question.id]:
            del lines[question.line - 1 : question.end_line]
    return "".join(lines)


def _prose(path: str, base: str, ours: str, theirs: str) -> str | None:
    """A note, or settings, by lines; None where both changed the same ones."""
    clashes: list[int] = []

    def strict(first: list[str], second: list[str]) -> list[str]:
        clashes.append(1)
        return [*first, *second]

    join: Join = both if path.endswith((*_PROSE, ".yaml", ".yml")) or path in _LISTS else strict
    woven = weave(base, ours, theirs, join)
    if woven.clashes or clashes or not _reads_well(path, woven.text, (ours, theirs)):
        return None
    return woven.text


def _reads_well(path: str, text: str, sides: Sequence[str]) -> bool:
    """True when a merged file has no problem in its header, or as YAML, that neither side has."""
    if not path.endswith((".yaml", ".yml", ".md")):
        return True
    read = (lambda side: split(readable(side))) if path.endswith(".md") else load
    troubles, *known = (len(read(side).problems) for side in (text, *sides))
    return troubles <= max(known)


def _encode(form: DecodedText, text: str) -> bytes:
    try:
        return encode(form._replace(text=text))
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")


def _whole(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


@dataclass
class BranchMerge:
    """One merge under the writer's lock."""

    context: WriteContext
    writer: Writer
    remote: str
    own: bool = field(kw_only=True)
    renamed: Callable[[str], None] = field(default=lambda _: None, kw_only=True)
    blobs: dict[str, bytes] = field(
        default_factory=dict, init=False
    )  # those that were read, and those of merges

    @property
    def _history(self) -> History:
        return self.writer.history

    def carry_out(
        self, head: str, theirs: str, bases: Sequence[str], *, forward: bool
    ) -> tuple[str, list[str], tuple[str, ...]]:
        """The commit that the branch is at then, the files that changed here, and what to know."""
        ours, kind = self._tip(head, "on this machine"), self._history.hash_name
        listing = ours.files
        if forward:
            merged = MergedTree(self._history.entries(theirs), {}, ())
        else:
            base: Listing = {}
            first = next(iter(bases), "")
            if first:  # where both came of several commits, these are merged first
                tip = self._tip(first)
                for other in bases[1:]:
                    below = self._history.entries(next(iter(_bases(self._history, first, other)), ""))
                    tip = tip._replace(files=self._merged(below, tip, self._tip(other), kind).files)
                base = tip.files
            merged = self._merged(base, ours, self._tip(theirs, "on the other machine"), kind)
        if head and not self.own:
            bound = still_bound(listing, merged, self._blob, kind)
            self.blobs |= bound.made
            forward, merged = forward and bound.files == merged.files, bound
        changed = sorted(
            path for path in {*listing, *merged.files} if listing.get(path) != merged.files.get(path)
        )
        for path in changed:
            _must_be_safe(path, self.remote)
        entries = ((path, tree.get(path)) for path in changed for tree in (listing, merged.files))
        if name := next((path for path, entry in entries if entry and not entry.mode.startswith("100")), ""):
            raise ConflictError(
                f"{name} is a link or a submodule in one of the two copies; nothing was changed: merge it with `git merge` first"
            )
        self._load([e.oid for path in changed if (e := merged.files.get(path))])
        commit = self._land(head, theirs, changed, merged, forward=forward)
        come = [path for path in changed if path in merged.files and path not in listing]
        return commit, changed, (*merged.remarks, *name_notices(come, merged.files))

    def _land(
        self, head: str, theirs: str, changed: Sequence[str], merged: MergedTree, *, forward: bool
    ) -> str:
        history = self._history
        base = history.base(changed)
        if base.commit != head:
            raise ConflictError("another commit was made in the vault at the same moment; try again")
        contents = self.writer.read_all(changed)
        versions: dict[str, Version] = {}
        after: dict[str, bytes | None] = {}
        for path in changed:
            entry, side = merged.files.get(path), base.sides[path]
            data = self._blob(entry.oid) if entry else None
            versions[path] = Version(data, mode=entry.mode if entry else "")
            on_disk = contents[path]
            after[path] = in_form_of(data, on_disk) if data is not None and on_disk is not None else data
            if same_text(on_disk, side.head_data) and side.staged == side.head:
                continue
            after[path] = self._beside(path, on_disk, side.staged == side.head, data)
        old, new = (
            id_in(decode(data or b"").text) for data in (contents.get(CONFIG_FILE), after.get(CONFIG_FILE))
        )
        if is_vault_id(new) and new != old:
            self.renamed(new)
        came = [FileChange(path, contents[path], after[path]) for path in changed]
        raised = {} if self.own else doubts_of(came, doubts(self.context.root))
        if raised:  # before any of it is there
            doubt(self.context.root, timestamp(self.context.now), raised)
        message = self.context.message(
            "sync",
            run=self.context.run("sync"),
            remote=self.remote,
            here=head[:12],
            there=theirs[:12],
            changed=changed[:_SHOWN],
            more=max(0, len(changed) - _SHOWN),
            told=merged.remarks,
        )
        return self.writer.merge(
            versions, after, base, theirs, message, verb="sync", now=self.context.now, forward=forward
        )

    def _beside(self, path: str, work: bytes | None, unstaged: bool, data: bytes | None) -> bytes | None:
        """What becomes of a file that is not as the last commit has it; ConflictError where that would take something away."""
        if same_text(work, data):
            return work
        if unstaged and work is not None and is_record(path):
            record = (lines_of(_whole(decode(side).text)) for side in (data or b"", work))
            return "".join(merge_records(*record)).encode("utf-8", "surrogateescape")
        raise ConflictError(
            f"{path} has uncommitted changes of yours, and the other copy changed it too; nothing was changed: "
            "commit them, or put them aside with `git stash`, then try again"
        )

    def _merged(self, base: Listing, ours: Tip, theirs: Tip, kind: str) -> MergedTree:
        self._load(disputed_objects(base, ours, theirs))
        first, second = sorted((ours, theirs), key=lambda tip: (tip.when, tip.commit))
        merged = _Merging(base, first, second, self._blob, kind).run()
        self.blobs |= merged.made
        return merged

    def _tip(self, commit: str, name: str = "") -> Tip:
        blob = self._history.objects([commit])[0] if commit else None
        hit = _WHEN.search(blob[2]) if blob else None
        when = datetime.fromtimestamp(int(hit[1]) if hit else 0, UTC)
        return Tip(commit, when, self._history.entries(commit), name)

    def _load(self, oids: Sequence[str]) -> None:
        missing = [oid for oid in dict.fromkeys(oids) if oid not in self.blobs]
        for oid, data in _blobs(self._history, missing):
            if data is None:
                raise HistoryError(
                    f"git does not have {oid[:12]}, which a commit names; `memoryclaw check` says more"
                )
            self.blobs[oid] = data

    def _blob(self, oid: str) -> bytes:
        if oid not in self.blobs:
            self._load([oid])
        return self.blobs[oid]


def _blobs(history: History, oids: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
    """The bytes of these objects; None of what is no file, or not there."""
    for start in range(0, len(oids), _AT_ONCE):
        batch = oids[start : start + _AT_ONCE]
        for oid, blob in zip(batch, history.objects(batch), strict=True):
            yield oid, blob[2] if blob and blob[1] == "blob" else None


def _bases(history: History, first: str, other: str) -> list[str]:
    if not first or not other:
        return []
    return sorted(history.git.asks("merge-base", "--all", first, other)[1].decode().split())


def _count(history: History, new: str, old: str) -> int:
    less = [f"^{old}"] if old else []
    return int(history.git.run("rev-list", "--count", new, *less))


def _must_be_safe(path: str, remote: str) -> None:
    """Refuses a name that leads out of the vault, into git's own folder or into ours, and one that is too long."""
    if too_long := length_trouble(path):
        raise ConflictError(f"{path[:60]!r}… in {remote} {too_long}; nothing was changed")
    for name in path.split("/"):
        if _HIDDEN.sub("", name).rstrip(" .").lower() in _NOT_OURS or "\\" in name:
            raise ConflictError(
                f"{path!r} in {remote} is not a path that may be in a vault; nothing was changed"
            )


# What is marked not to leave this machine is not pushed by itself: neither the last version of a file nor an earlier one.


def _local_paths(history: History, head: str, theirs: str) -> list[str]:
    less = [f"^{theirs}"] if theirs else []
    out = history.git.run("rev-list", "--objects", head, *less).decode("utf-8", "surrogateescape")
    named = {oid: path for oid, _, path in (line.partition(" ") for line in out.splitlines()) if path}
    # Folders are listed too; a file of notes or turns is told by its name.
    suffixes = (".md", ".jsonl", ".txt", ".yaml", ".yml", ".json", ".js")
    texts = _blobs(history, [oid for oid, path in named.items() if path.endswith(suffixes)])
    return sorted({
        named[oid] for oid, data in texts if data is not None and exportable_bytes(named[oid], data, ()) != data
    })  # fmt: skip
