"""`App` is one open vault with a method for each verb; skills, review, working memory and OpenClaw are objects of their own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memoryclaw import config as settings
from memoryclaw import errors, rooms
from memoryclaw.app import adoption, verbs
from memoryclaw.app.context import (
    Clock,
    VaultContext,
    machine_zone,
    new_id,
    new_vault_id,
    repository_of,
    system_clock,
    within,
    within_budget,
)
from memoryclaw.app.review import Review
from memoryclaw.app.verbs import AGENTS, LARGE_BODY, LOG, LONG, READ, allowed, verb
from memoryclaw.app.working import Working, store_of
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.sync import Freshness, Synced, healed
from memoryclaw.model import AGENT, NOTHING, OWNER, Answer, Fact
from memoryclaw.ports import Progress
from memoryclaw.vault import files
from memoryclaw.vault.audience import audience_name
from memoryclaw.vault.layout import CONFIG_FILE, DECISIONS_FILE, QUESTIONS_FILE, on_disk, places
from memoryclaw.vault.state_folder import WAIT, is_initialised, watcher

if TYPE_CHECKING:  # the rest is imported by the verb that needs it: a search must start fast
    from memoryclaw.app.agent_notes import AgentNotes
    from memoryclaw.app.graph import VaultGraph
    from memoryclaw.app.openclaw import OpenClaw
    from memoryclaw.app.purge import Purged
    from memoryclaw.app.skills import Skills
    from memoryclaw.app.transfer import Transfer
    from memoryclaw.config import Config

__all__ = ["App", "init_vault", "open_vault", "restore_vault", "survey_vault", "system_clock"]


def open_vault(
    path: str | os.PathLike[str] | None = None,
    *,
    clock: Clock = system_clock,
    progress: Progress | None = None,
    patience: float = WAIT,
    audience: str = OWNER,
    listening: bool = False,
) -> App:
    """Opens the vault at `path`, or the one that the command line would choose in this folder.

    Args:
        clock: tells the time; everything that depends on it asks here.
        patience: seconds that a live watcher is given to say that the index is in line, before the files are looked at.
        audience: for whom it is opened: what is for others is not seen, and only the owner changes what is there.
        listening: it stays open, and hears what changes in the vault instead of looking at all files for each verb.

    Raises:
        InputError: that is no audience.
        VaultError: there is no folder there.
        ConfigError: its memoryclaw.yaml cannot be used.
    """
    path_text = os.fspath(path) if path is not None else None
    root = settings.find_root(path_text, os.environ, settings.here())
    if not root.exists() and (notes := settings.notes_here(path_text, os.environ, settings.here())):
        way = "`memoryclaw init .`" if notes == settings.here() else f"`memoryclaw init {notes}`"
        sentence = f"{notes} holds notes but is not a vault yet"
        raise errors.VaultError(f"{sentence}; run {way} to make it one, or name another with --vault")
    return App(
        root, clock=clock, progress=progress, patience=patience, audience=audience, listening=listening
    )


def survey_vault(
    path: str | os.PathLike[str], *, shared: bool = False, progress: Progress | None = None
) -> rooms.survey.Survey:
    """What a folder holds that is to become a vault: notes by kind, tags, links, languages, names that mean something. Changes nothing.

    Args:
        shared: the larger repository that it lies in is to hold it.

    Raises:
        InputError: it is a file.
        VaultError: it cannot be read.
    """
    root = Path(os.path.abspath(os.path.expanduser(path)))
    if is_initialised(root):
        settings.load(root)  # says where its folders are
    return rooms.survey.survey(rooms.folder.Vault(root), shared=shared, progress=progress)


def init_vault(
    path: str | os.PathLike[str],
    *,
    commit: Sequence[str] = (),
    paths: Mapping[str, str] = NOTHING,
    owner: str = "",
    shared: bool = False,
    clock: Clock = system_clock,
) -> rooms.context.Written:
    """Makes a folder a vault: folders, commented settings, a git repository with a first commit. Changes nothing that is there.

    Args:
        commit: notes to put into git as they are, such as `survey_vault(path).untracked`; one more commit.
        paths: where folders of ours are to be, by their names, such as `{"archive": "memory-archive"}`; only of a new vault.
        owner: the name of who says `I` in it; only of a new vault.
        shared: the larger repository that it lies in holds its changes, and none is made.
    """
    root = os.path.abspath(os.path.expanduser(path))
    templates, initialised = rooms.context.Templates(), clock()
    if is_initialised(root):
        settings.load(Path(root))  # says where its folders are
    written = rooms.init.init(
        root, templates, initialised, new_id, new_vault_id(), paths=paths, zone=machine_zone(), owner=owner,
        shared=shared,
    )  # fmt: skip
    folders = places(root)  # notes were surveyed before folders had other names
    if commit:
        names = [folders.name_of(path) for path in commit]
        adopted = rooms.init.adopt(root, names, templates, initialised, new_id)
        if written.action != "confirmed":
            adopted = adopted._replace(action=written.action)
        notices = (written.notice * bool(written.commit), adopted.notice)
        written = adopted._replace(notice="; ".join(filter(None, notices)))
    with suppress(errors.ConfigError):  # the next verb says what is wrong with the settings
        track(root, settings.load(Path(root)), clock)
    return written


ROOM = 0.1  # of what is left in the host's context: the most that a recall takes


def restore_vault(
    path: str | os.PathLike[str],
    bundle: str | os.PathLike[str],
    *,
    dry_run: bool = False,
    clock: Clock = system_clock,
    progress: Progress | None = None,
) -> rooms.bundles.Restored:
    """Restores a bundle into a folder; one that is empty or not there becomes a vault first.

    Raises:
        InputError: it is no bundle, or damaged, or the folder is no vault; nothing was written.
    """
    folder = os.path.abspath(os.path.expanduser(path))
    created = not os.path.isdir(folder) or not os.listdir(folder)
    if created:
        looked = rooms.bundles.Bundle(os.fspath(bundle))
        if dry_run:
            return rooms.bundles.Restored(
                looked.source, True, len(looked.digests), tuple(looked.digests), created=True
            )
        init_vault(folder, paths=looked.paths, clock=clock)
    elif not os.path.isfile(os.path.join(folder, CONFIG_FILE)):
        raise errors.InputError(
            f"{folder} is not a vault, and not empty; run `memoryclaw init` there first, or name another with --vault"
        )
    with App(Path(folder), clock=clock, progress=progress) as app:
        return app.transfer.import_bundle(bundle, dry_run=dry_run)._replace(created=created)


def track(root: str, config: Config, clock: Clock) -> None:
    """Commits what logs and ledger gained, where the settings say that git tracks them."""
    tracked = {"logs": config.track_logs, "ledger": config.track_ledger}
    rooms.tracking.Tracking(root, tracked, rooms.context.Templates(), clock(), new_id).run()


class App:
    """One open vault; a method for each verb.

    Args:
        how: what else its `VaultContext` is told.
    """

    def __init__(self, root: Path, *, audience: str = OWNER, **how: Any) -> None:
        self.audience = audience_name(audience)
        self._how = how
        root = Path(os.path.abspath(root))  # git, and what is started from here, may work in another folder
        self._context = VaultContext(root, audience=self.audience, **how)
        self._seen_by: dict[str, Self] = {}
        self.root = root
        self.clock = self._context.clock
        self.config = self._context.config

    def seen_by(self, audience: str) -> Self:
        """The same vault as another audience sees it; closed with this one."""
        audience = audience_name(audience)
        self._context.allow(OWNER, audience)
        return self if audience == self.audience else self._as(audience)

    def _as(self, audience: str) -> Self:
        if audience not in self._seen_by:
            self._seen_by[audience] = type(self)(self.root, audience=audience, **self._how)
        return self._seen_by[audience]

    # ── The parts

    @cached_property
    def skills(self) -> Skills:
        """Skills: listed, matched, approved, given to hosts and run."""
        from memoryclaw.app.skills import Skills

        return Skills(self._context)

    @cached_property
    @allowed(*AGENTS)
    def review(self) -> Review:
        """What waits for a person, and what the person decides."""
        return Review(self._context)

    @cached_property
    def graph(self) -> VaultGraph:
        """How notes and entities are tied to one another: by links, mentions, and replies that cited both."""
        from memoryclaw.app.graph import VaultGraph

        return VaultGraph(self._context)

    @cached_property
    @allowed(*AGENTS)
    def working(self) -> Working:
        """The working memory of each session."""
        return Working(self._context)

    def agent_notes(self, folder: str = "agent-memory") -> AgentNotes:
        """The notes that an agent keeps for itself in a folder of the vault, `agent-memory` or one below it.

        Raises:
            InputError: it is another folder.
        """
        from memoryclaw.app.agent_notes import AgentNotes

        return AgentNotes(self._context, folder)

    @cached_property
    @allowed(OWNER)
    def openclaw(self) -> OpenClaw:
        """OpenClaw as the host of this vault."""
        from memoryclaw.app.openclaw import OpenClaw

        return OpenClaw(self._context)

    @cached_property
    def transfer(self) -> Transfer:
        """What comes from other programs, and what leaves the vault."""
        from memoryclaw.app.transfer import Transfer

        return Transfer(self._context, lambda audience: self.seen_by(audience).transfer)

    @cached_property
    @allowed(OWNER)
    def schedule(self) -> rooms.scheduling.Schedule:
        """The vault's timer, which calls `consolidate --due`: to be installed, removed or asked how it stands."""
        return rooms.scheduling.Schedule(
            os.fspath(self.root),
            rooms.context.Templates(),
            self.clock,
            lambda: rooms.consolidate.next_run(self._consolidation_context()),
        )

    @property
    def vault(self) -> rooms.folder.Vault:
        """The files."""
        return self._context.vault

    @property
    def index(self) -> rooms.index.Index:
        """The index, opened or made on first use."""
        return self._context.index

    @property
    def catalog(self) -> Catalog:
        """The index's tables, for reading."""
        return self._context.catalog

    @property
    def ledger(self) -> rooms.ledger.Ledger:
        """The usage record."""
        return self._context.ledger

    @property
    def freshness(self) -> Freshness:
        """How the answer of the last `show`, `browse`, `facts` or `links` relates to the files."""
        return self._context.freshness

    def asked_at(self, moment: float) -> None:
        """Says when the next verb was asked for, by the monotonic clock: what was saved later it need not know."""
        self._context.asked = moment

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Several verbs of which none writes answer as of one moment: they know what was saved before the block began."""
        context = self._context
        context.asked, context.only_looks = time.monotonic(), True
        try:
            yield
        finally:
            context.asked, context.only_looks, context.looked = None, False, None

    # ── Ask and look

    @verb("GET /v1/search", "Ask", "search Q", anywhere=True, query="q")
    def search(
        self,
        query: verbs.Question,
        *,
        kind: verbs.MatchKind = "",
        limit: verbs.Matches = 10,
        session: verbs.Session = "",
    ) -> Answer:
        """Ranked matches for a question or a query, explained.

        It leaves no trace, unless a `session` is shown it: what that has seen whole, no recall sends it again, and what it opens next was missed.
        """
        within(limit, 0, settings.MOST_LISTED, "a limit")
        answer = self._context.answer(
            lambda: rooms.search.search(self._searcher(), query, kind=kind, limit=limit)
        )
        if not session:
            return answer
        ids, whole = [match.unit.id for match in answer.matches], rooms.recall.whole_matches(answer.matches)
        trouble = self._context.note_shown(session, "search", ids, whole)
        return replace(answer, notices=(*answer.notices, trouble)) if trouble else answer

    @verb("POST /v1/recall", "Ask", "recall QUERY", pool=READ, anywhere=True)
    def recall(
        self,
        query: verbs.Question,
        *,
        goal: verbs.Question = "",
        session: verbs.Session = "",
        budget: verbs.Budget | None = None,
        seen: verbs.Seen = "all",
        room: verbs.Room | None = None,
        folder: verbs.WorkFolder = "",
        noted: verbs.Flag = True,
        floor: bool = True,
    ) -> rooms.recall.Recalled:
        """What a host should paste into a prompt for this question, within the budget; noted in the ledger.

        What the `session` has seen is not sent again until it changes.

        Args:
            seen: what of that the host still shows: `all`, what `tools` answered, or `none` from now on.
            room: tokens that are left in the host's own context: a recall takes at most a tenth of them.
            folder: the folder that is worked in: what holds in another project than its own is left out.
            noted: False for the owner who only looks: there is no receipt, and the ledger stays as it is.
            floor: False to be given also what hardly has to do with the question.
        """
        if not noted:
            self._context.allow(OWNER)
        *others, last = rooms.recall.SEEN
        if seen not in rooms.recall.SEEN:
            raise errors.InputError(
                f"what the host still shows is {', '.join(others)} or {last}, not {seen!r}"
            )
        tokens = self.config.budget if budget is None else within_budget(budget)
        if room is not None:
            tokens = max(settings.LEAST_BUDGET, min(tokens, int(room * ROOM)))
        named = self._context.session_name(session)
        visible = self.ledger.digests_shown_in(named, seen) if named else None
        most, lines = self.config.max_results, None
        working = bool(session) and self.audience in (OWNER, AGENT)
        if memory := self.working.current(named) if working else None:
            lines = partial(rooms.memory.within, memory)
        answer = self._context.answer(
            lambda: rooms.recall.recall(
                self._searcher(),
                query,
                goal=goal or (memory.goal if memory else ""),
                session=session,
                budget=tokens,
                max_results=most,
                working=lines,
                seen=visible or {},
                begins=bool(named) and visible is None,
                floor=floor,
                project=repository_of(folder, os.fspath(self.root)) if folder else "",
                own=self._own_text,
            )
        )
        if memory:
            problems = tuple(f"{p.path}: {p.message}; {p.hint}" for p in memory.problems)
            answer = replace(answer, notices=(*answer.notices, *problems))
        return self._context.with_receipt(answer, named, seen) if noted else answer

    def ask(self, query: verbs.Question) -> rooms.ask.AnsweredQuestion:
        """The lines that answer a question, from facts, episodes, notes and logs, each with its place; no model takes part.

        It is a recall of its own, noted in the ledger, and quotes nothing that a recall leaves out.
        """
        answer = self._context.answer(
            lambda: rooms.ask.ask(
                self._searcher(),
                query,
                budget=max(self.config.budget, rooms.ask.BUDGET),
                max_results=self.config.max_results,
                least=self.config.min_coverage,
                own=self._own_text,
                doubts=lambda text: rooms.statements.doubts_in(text, self.config.language),
            )
        )
        return self._context.with_receipt(answer, "", "all")

    def _own_text(self, text: str, speaker: str) -> str:
        return rooms.own_words.own_text(text, speaker, self.config.language)

    @verb("GET /v1/receipts/{id}", "Look", "show ID", audience=AGENTS)
    def why(self, receipt: verbs.ReceiptId) -> rooms.recall.ReadBack:
        """A recall read back: what was in its context, what was left out and why, of what is still there for who asks."""
        event = self.ledger.receipt(receipt)
        if event is None:
            sentence = f"no recall of this vault has the receipt {receipt!r}"
            raise errors.NotFoundError(f"{sentence}; `recall --json` prints it")
        if "digests" not in event:
            raise errors.NotFoundError(
                f"the recall {receipt} is too old to be read back: the ledger only keeps what it showed; `memoryclaw show --as uses ID` counts it"
            )
        recalled = self._context.read(lambda: rooms.recall.read_back(event, self.catalog))
        # What others may not see is not even counted for them.
        return recalled if self.audience == OWNER else replace(recalled, gone=0, more={})

    @verb("GET /v1/notes/{id}", "Look", "show ID")
    def show(self, id_: verbs.Anything, *, session: verbs.Session = "") -> rooms.browsing.ShownUnit:
        """The lines of a note, section, fact or turn as they stand in their file; no recall sends them to this `session` again."""
        unit = self._context.read(
            lambda: rooms.browsing.show(id_, self.catalog, self.vault, self._context.today)
        )
        if session:
            digests = self._context.read(lambda: rooms.recall.whole_units(unit.address, self.catalog))
            self._context.note_shown(session, "get", [*digests], digests)
        return unit

    @verb("GET /v1/notes", "Look", "browse", anywhere=True)
    def browse(
        self,
        *,
        kind: verbs.NoteKind = "",
        state: verbs.State = "current",
        memory_type: verbs.MemoryType = "",
        limit: verbs.Listed = 50,
    ) -> list[rooms.browsing.NoteEntry]:
        """Notes, pinned ones first, then the newest, of equals those that are used often."""
        within(limit, 0, settings.MOST_LISTED, "a limit")
        return self._context.read(
            lambda: rooms.browsing.browse(
                self.catalog,
                kind=kind,
                state=state,
                memory_type=memory_type,
                limit=limit,
                strengths=self._context.strengths(),
            )
        )

    @verb("GET /v1/facts", "Look", "facts [ENTITY]", anywhere=True)
    def facts(
        self,
        entity: verbs.About = "",
        *,
        as_of: verbs.AsOf = None,
        history: verbs.Past = False,
        believed_at: verbs.When = "",
        memory_type: verbs.MemoryType = "",
    ) -> list[tuple[str, Fact]]:
        """Facts with the path of their file: those that hold now, held on a day, or all.

        Of one entity and a day, what its own note says is what git has of that day; for its owner alone.

        Args:
            believed_at: instead of what the files say now, what those of `commit_at(believed_at)` said; for the owner alone.
        """
        among = None
        if believed_at:
            among = rooms.file_history.facts_in(os.fspath(self.root), self.commit_at(believed_at).commit)
        rows = self._context.read(
            lambda: rooms.browsing.facts(
                self.catalog,
                entity=entity,
                as_of=as_of,
                history=history,
                memory_type=memory_type,
                among=among,
            )
        )
        # What has a label now may have had none then.
        if believed_at or not entity or as_of is None or self.audience != OWNER:
            return rows
        return rooms.file_history.facts_on(os.fspath(self.root), rows, as_of)

    def conflicting(self, facts: Iterable[tuple[str, Fact]]) -> dict[str, list[str]]:
        """Of facts that hold now, those of which only one can: the ids of the others, by id; asked after a verb that found them.

        Both stand until a person decides in `review`, or a rule does where the schema says `supersede: true`.
        """
        values = (fact for _, fact in facts if fact.current and not fact.is_statement)
        keys = {fact.id: rooms.language.key_of(fact.entity) for fact in values}
        return {
            fact.id: [other.id for _, other in conflict.rivals(fact.value)]
            for conflict in self._conflicts().of(keys.values())
            for _, fact in conflict.facts
            if fact.id in keys
        }

    @allowed(OWNER)
    def commit_at(self, when: str) -> rooms.repository.Logged:
        """The last commit that the vault had on a day (ISO), at a moment, or the one of this name.

        Raises:
            HistoryError: the vault has no git repository of its own.
            InputError: that is no moment and no commit, or there was no commit yet.
        """
        return rooms.file_history.commit_at(os.fspath(self.root), when)

    @verb("GET /v1/todos", "Look", "todos [WORDS]", anywhere=True)
    def todos(
        self, words: verbs.Words = "", *, due: verbs.Due = "", state: verbs.TodoState = "open"
    ) -> list[rooms.browsing.TodoEntry]:
        """To-dos of any note: open ones, `done` ones or `all`, the soonest first.

        Args:
            words: what they are about; all of them stand in the to-do or in what is said of its note.
            due: a time, such as `this week` or `2026-04-30`; only those that are due, or scheduled, then.

        Raises:
            InputError: that is no time, or no state.
        """
        first, last = rooms.browsing.due_in(due, self._context.today) if due else ("", "")
        return self._context.read(
            lambda: rooms.browsing.todos(
                self.catalog, self.index.language, words=words, first=first, last=last, state=state
            )
        )

    @verb("GET /v1/entities", "Look", "browse entities [WORDS]", anywhere=True)
    def entities(self, words: verbs.Words = "", *, kind: verbs.Kind = "") -> list[rooms.browsing.EntityEntry]:
        """Everything that facts are known of, by name: those with all these words in it, or of one file such as `people`."""
        return self._context.read(lambda: rooms.browsing.entities(self.catalog, words=words, kind=kind))

    @verb("GET /v1/entities/{name}", "Look", "show NAME --as entity", anywhere=True)
    def entity(self, name: verbs.About) -> rooms.browsing.EntityShown:
        """One entity: its facts and their past, the episodes and notes that name it, and its neighbours."""
        return self._context.read(lambda: rooms.browsing.entity(name, self.catalog))

    @verb("GET /v1/views", "Look", "browse views [ENTITY|TOPIC]", audience=(OWNER,))
    def views(self, name: verbs.Page = "", *, write: bool = False) -> rooms.pages.Views:
        """The pages of entities and topics that are compiled from the files: how each stands, and on demand written anew.

        Args:
            write: writes those that are not there or stale; what a person wrote on a page stays, byte for byte.

        Raises:
            NotFoundError: there is no page of this name.
        """
        return (rooms.pages.write if write else rooms.pages.look)(self._context.looking(), name)

    @verb("GET /v1/timeline", "Look", "timeline [ENTITY]", anywhere=True)
    def timeline(
        self,
        entity: verbs.About = "",
        *,
        since: verbs.Since = None,
        until: verbs.Until = None,
        limit: verbs.Newest = 50,
    ) -> rooms.browsing.Timeline:
        """What changed in the world: facts that began, ended or gave way, what was said, and episodes; the newest, in order."""
        within(limit, 0, settings.MOST_LISTED, "a limit")
        first, last = (day.isoformat() if day else "" for day in (since, until))
        return self._context.read(
            lambda: rooms.browsing.timeline(self.catalog, entity=entity, since=first, until=last, limit=limit)
        )

    @verb("GET /v1/links/{id}", "Look", "links ID", anywhere=True)
    def links(self, id_: verbs.Id) -> rooms.browsing.Links:
        """The links that a note holds, and those of other notes that lead to it."""
        return self._context.read(lambda: rooms.browsing.links(id_, self.catalog, self.vault))

    def trust_of(self, paths: Iterable[str]) -> dict[str, str]:
        """The trust of each of these files that is known; asked after a verb that read them, so it looks at no disk."""
        return rooms.browsing.trust_of(self.catalog, paths)

    def titles(self, ids: Iterable[str]) -> dict[str, str]:
        """What each of these ids is called; asked after a verb that found them, so it looks at no disk."""
        return rooms.browsing.titles(self.catalog, ids)

    @allowed(OWNER)
    def uses(self, id_: str) -> list[dict[str, Any]]:
        """The events of the ledger in which a note, or a part of it, was shown within a year, the oldest first."""
        note = self._context.read(lambda: rooms.browsing.address_of(id_, self.catalog, self.vault)).note
        return self.ledger.uses(note)

    @verb("GET /v1/inspect/{id}", "Look", "show ID --as uses", audience=(OWNER,))
    def inspect(self, id_: verbs.Id) -> rooms.browsing.Inspected:
        """How strongly a note, section, fact or turn is remembered: each use of it, what that counted, and how it adds up."""
        inspected = self._context.read(
            lambda: rooms.browsing.inspect(id_, self.catalog, self.vault, self.ledger, self._context.today)
        )
        address, catalog = inspected.address, self.catalog
        among = catalog.facts(address.entity) if address.entity else catalog.facts_in(address.path)
        if fact := next((fact for _, fact in among if fact.id == address.id), None):
            worth = self._context.look(lambda context: rooms.details.worth_of(context, fact))
            return inspected._replace(worth=worth)
        return inspected

    @allowed(OWNER)
    def conversation(self, session: str) -> rooms.details.Conversation:
        """The turns of a session, and what became of each: episodes, facts, questions.

        Raises:
            NotFoundError: no log holds a turn of this session.
        """
        paths = self._context.read(lambda: rooms.browsing.logs_of(session, self.catalog))
        facts, today = self.catalog.facts(), self._context.today
        over = {path: rooms.browsing.successors_in(self.catalog, self.vault, path, today) for path in paths}
        return self._context.look(
            lambda context: rooms.details.conversation(context, session, paths, facts, over)
        )

    @allowed(OWNER)
    def evaluate(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        ks: Sequence[int] = (),
        budgets: Sequence[int] = (),
    ) -> rooms.evaluation.Evaluated:
        """Asks the golden questions of a file, the vault's `eval/questions.yaml` if none is given; writes nothing.

        Args:
            path: the file; relative to where the program runs.
            ks: how many of the first count as found; 5 and 10 when not given.
            budgets: sizes of contexts in tokens; 400, 600 and 800 when not given.

        Raises:
            InputError: the file cannot be read, or says something that cannot be used.
        """
        budgets, ks = tuple(budgets or rooms.evaluation.BUDGETS), tuple(sorted(ks or rooms.evaluation.KS))
        for tokens in budgets:
            within_budget(tokens)
        for k in ks:
            within(k, 1, settings.MOST_LISTED, "how many of the first count as found")
        file = os.fspath(path) if path is not None else on_disk(os.fspath(self.root), QUESTIONS_FILE)
        file_name = file if path is not None else QUESTIONS_FILE
        goldens = rooms.evaluation.goldens_of(file, file_name)
        most = self.config.max_results
        return self._context.read(
            lambda: rooms.evaluation.evaluate(
                goldens,
                file_name,
                rooms.evaluation.EvaluationSetup(
                    self._searcher, self.catalog, self.vault, self.index.language, most, ks, budgets
                ),
            )
        )

    # ── Write

    @verb("POST /v1/remember", "Write", "remember TEXT", audience=(OWNER,), adds=1)
    def remember(
        self,
        text: verbs.Kept,
        *,
        entity: verbs.Subject = "",
        field: verbs.FieldName = "",
        tags: verbs.Tags = (),
        source: verbs.Text = "",
        note: bool = False,
        as_is: bool = False,
        memory_type: verbs.OwnType = "",
        scope: verbs.Scope = "",
        expires: verbs.Expires = "",
    ) -> rooms.context.Written:
        """Keeps a text as the value of an entity's field, or as what it says: facts and statements, else an episode; one commit.

        Secrets are taken out first, unless a person means them (`as_is`).

        Args:
            memory_type: decision, preference, lesson, procedure, event, or a word of yours.
            scope: `permanent`, `project:<name>`, `session` or `session:<name>`: what it counts for.

        Raises:
            InputError: the scope or the day cannot be read.
        """
        # A value is a secret by its field, too; NUL is left out of every text and must not hide one.
        values = {"name": field, "value": text.replace("\0", ""), "entity": entity, "tags": [*tags], "source": source}  # fmt: skip
        lifecycle = {"type": memory_type, "scope": scope, "expires": expires}
        header = rooms.properties.header_values(lifecycle)
        chosen = {key: value for key, value in header.items() if lifecycle[key].strip()}

        def keep(context: rooms.context.WriteContext, values: dict[str, Any]) -> rooms.context.Written:
            reason, body, words, name = "", "", values.pop("value"), values.pop("name")
            if not (values["entity"].strip() or name.strip() or values["tags"] or note):
                read = rooms.understood.understood(context, self.catalog, words, self.config.language)
                if read.parts:
                    return rooms.remember.remember_parts(
                        context, read.parts, source=values["source"], lifecycle=values["lifecycle"]
                    )
                reason, body = f"kept as a note: {read.why}", read.todos
            field = rooms.understood.known_field(context, values["entity"], name, words)
            written = rooms.remember.remember(context, words, field=field, body=body, **values)
            return written._replace(notice="; ".join(filter(None, (reason, written.notice))))

        return self._context.write(keep, {**values, "lifecycle": chosen}, as_is=as_is)

    @allowed(*AGENTS)
    def claim(
        self,
        text: str,
        *,
        entity: str = "",
        field: str = "",
        tags: Sequence[str] = (),
        tool: str = "",
        session: str = "",
    ) -> rooms.context.Written:
        """Keeps what an agent says as `unknown`; what contradicts a standing fact waits for a person. At most one commit."""
        values = {"name": field, "value": text.replace("\0", ""), "entity": entity, "tags": [*tags]}

        def work(context: rooms.context.WriteContext, clean: dict[str, Any]) -> rooms.context.Written:
            return rooms.understood.claim(context, clean.pop("value"), field=clean.pop("name"), **clean)

        return self._context.write(work, {**values, "tool": tool, "session": session})

    @verb("PATCH /v1/notes/{id}", "Write", "edit ID --set F=V", audience=(OWNER,))
    def edit(
        self, id_: verbs.Id, fields: Mapping[str, str | Sequence[str]], *, as_is: bool = False
    ) -> rooms.context.Written:
        """Corrects fields of a note's frontmatter, of an entity, or the value of a fact; one commit.

        Secrets are taken out first, unless a person means them (`as_is`).
        """
        values = {key: value if isinstance(value, str) else [*value] for key, value in fields.items()}
        return self._context.write(
            lambda context, clean: rooms.edit.edit(context, id_, clean), values, as_is=as_is
        )

    @verb("PUT /v1/notes/{id}", "Write", "edit ID --text FILE", audience=(OWNER,), adds=0)
    def rewrite(
        self,
        id_: verbs.Id,
        text: verbs.Text,
        *,
        digest: verbs.Digest,
        dry_run: verbs.Flag = False,
        as_is: bool = False,
    ) -> rooms.edit.NoteRewrite:
        """Gives a note another text, if its file still is what had this digest (`show` gives it); one commit.

        Secrets that come in are taken out first, unless a person means them (`as_is`).

        Raises:
            ConflictError: the file has changed since; nothing was written.
            InputError: it is no note whose text can be written.
        """
        standing = self._context.look(
            lambda context: rooms.encoding.decode(rooms.edit.original(context, id_)[1]).text
        )

        def work(context: rooms.context.WriteContext, said: str) -> rooms.edit.NoteRewrite:
            return rooms.edit.rewrite(context, id_, said, digest=digest, dry_run=dry_run)

        return self._context.write(work, text, as_is=as_is, standing=standing)

    @allowed(OWNER)
    def trust(self, id_: verbs.Id) -> rooms.context.Written:
        """Says that a person trusts a note, a fact or a statement; one commit."""
        return self._context.write(lambda context: rooms.edit.set_trust(context, id_, "trusted"))

    @allowed(OWNER)
    def quarantine(self, id_: verbs.Id) -> rooms.context.Written:
        """Takes a note, a fact or a statement out of every answer, and leaves it where it stands; one commit."""
        return self._context.write(lambda context: rooms.edit.set_trust(context, id_, "quarantined"))

    @verb("DELETE /v1/notes/{id}", "Write", "forget ID", audience=(OWNER,))
    def forget(self, id_: verbs.Id) -> rooms.context.Written:
        """Moves a note, or a fact's line, to the archive, or leaves a turn out of every answer; `revive` brings it back. One commit."""
        return self._context.write(lambda context: rooms.edit.forget(context, id_))

    @allowed(OWNER)
    def purge(
        self,
        *ids: str,
        source: str = "",
        since: str = "",
        history: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Purged:
        """Erases things, and what was made of them, in every file and in what is derived; nothing brings them back.

        What is left is a keyed digest of each text, which keeps it from being captured, imported or consolidated again. Every place is
        searched afterwards.

        Args:
            ids: notes, facts, turns, logs, or what waits for review.
            source: everything of a session, a tool, an imported file, or another word that names where it comes from.
            since: everything captured or remembered on a day (ISO) and later.
            history: rewrites git's history too, after a backup; only of a vault that was never pushed.
        """
        from memoryclaw.app.purge import carry_out, preview

        context, request = self._context, rooms.purge.PurgeRequest(ids, source, since)
        context.must_refresh()
        writing = context.write_context()
        if dry_run:
            return preview(context, writing, request)
        return carry_out(context, writing, request, history=history, progress=progress)

    @verb("POST /v1/revive", "Write", "forget ID --undo", audience=(OWNER,))
    def revive(self, id_: verbs.Id) -> rooms.context.Written:
        """Brings back what `forget` archived, byte for byte; one commit. The ledger counts that as a use: it is not proposed for the archive again."""
        written = self._context.permit(lambda context: rooms.edit.revive(context, id_))
        self.ledger.append("shown", {"mode": "get", "ids": [written.id]}, self.clock())
        return written

    @verb("POST /v1/undo", "Write", "undo WHAT", audience=(OWNER,), commit="what")
    def undo(self, commit: verbs.Change, *, yes: verbs.Yes = False) -> rooms.context.Written:
        """Takes back one machine commit or run, and keeps what people changed since; one commit.

        What makes the folder a vault is taken back only with `yes`.
        """
        try:
            return self._context.write(lambda context: rooms.undo.undo(context, commit, yes=yes))
        except errors.UnidentifiedError:
            # Which `HEAD` no longer is afterwards.
            recorded = rooms.repository.History(os.fspath(self.root)).find(commit)
            name = commit if recorded.trailers.get("Run") == commit else recorded.commit
            self._context.identify()
            return self._context.write(lambda context: rooms.undo.undo(context, name, yes=yes))

    @verb("GET /v1/history", "Review", "history [ID]", audience=(OWNER,))
    def history(
        self, id_: verbs.Id = "", *, limit: verbs.Listed = 20, before: verbs.Before = ""
    ) -> rooms.file_history.CommitList:
        """What was done to the vault, a note or a fact, newest first; `before` is `next` of the page before."""
        within(limit, 0, settings.MOST_LISTED, "a limit")
        return self._context.write(
            lambda context: rooms.file_history.history(context, id_, limit=limit, before=before)
        )

    @verb("GET /v1/history/{commit}", "Review", "history --commit COMMIT", audience=(OWNER,))
    def commit(self, name: verbs.Id) -> rooms.file_history.CommitShown:
        """One commit, by its id or its run, and what it changed in its first 20 files."""
        return self._context.look(lambda context: rooms.file_history.show_commit(context, name))

    @verb("GET /v1/blame/{id}", "Review", "blame FACT", audience=(OWNER,))
    def blame(self, fact: verbs.FactId) -> rooms.file_history.Blame:
        """A fact back to its commit, its episode, its log line, and who approved it."""
        return self._context.write(lambda context: rooms.file_history.blame(context, fact))

    # ── From turns to memory

    @verb("POST /v1/capture", "Log", "capture", pool=LOG, audience=AGENTS, most=LARGE_BODY, adds=0)
    def capture(
        self, lines: Iterable[str | Mapping[str, Any]], *, session: verbs.Session = "", first: int = 1
    ) -> list[rooms.capture.CaptureResult]:
        """Keeps turns and tool events, mappings or lines of JSON, in the logs; each is durable when it is acknowledged.

        What running sessions say of their goal, plan and skill goes to their working memory; what their assistants used of what they
        were shown, to the ledger.
        """
        context = self._context

        def cited_by(reply: rooms.capture.KeptTurn, shown: Mapping[str, str]) -> dict[str, str]:
            text = rooms.logs.text_of_turn(reply.record)
            return context.read(
                lambda: rooms.citing.citations(text, reply.before, shown, self.catalog, self.index.size()[0])
            )

        def tell(turns: list[rooms.capture.KeptTurn]) -> None:
            store_of(context).follow(turns, self.config.folders)
            rooms.feedback.cite(turns, self.ledger, cited_by, self.clock())

        speaks = self.audience == OWNER or self.audience in self.config.relays
        return context.recorder.capture(
            lines, session=session, first=first, by="" if speaks else self.audience, tell=tell
        )

    @property
    @allowed(*AGENTS)
    def capture_notice(self) -> str:
        """What else there is to say of what was captured, in one sentence."""
        return self._context.recorder.notice

    @allowed(OWNER)
    def import_logs(self, source: str | os.PathLike[str]) -> rooms.log_imports.Imported:
        """Brings the logs of other programs into the vault's; the source is only read, and a second import adds nothing."""
        recorder, progress = self._context.recorder, self._context.progress
        root, path = os.fspath(self.root), os.fspath(source)
        return rooms.log_imports.import_logs(recorder, root, path, progress=progress)

    @verb("POST /v1/consolidate", "Log", "consolidate", pool=LONG, audience=AGENTS, most=LARGE_BODY)
    def consolidate(
        self,
        *,
        dry_run: verbs.Flag = False,
        due: verbs.Flag = False,
        llm: verbs.Model = "auto",
        mode: verbs.Mode = "",
        answers: Iterable[str | Mapping[str, Any]] | None = None,
        answers_file: str = "answers",
        after: int = 0,
    ) -> rooms.consolidate.Consolidated:
        """Turns what the logs hold and no run has read into episodes, facts and proposals; one commit a change.

        Args:
            due: do nothing, and say why, while it is too early or another run is at work.
            answers: what an agent answered to `segments`, instead of a model: objects with `segment` and `answer`, or
                lines of JSON.
            answers_file: the name of their file, for the sentence about a line that is no answer.
            after: with `due`, the hours for which new lines are left to an agent.
        """
        if self.audience != OWNER:  # a run reads everything, whoever asks for it
            how: dict[str, Any] = {"dry_run": dry_run, "due": due, "llm": llm, "mode": mode, "after": after}
            run = self._as(OWNER).consolidate(**how, answers=answers, answers_file=answers_file)
            return rooms.consolidate.view_for(run, self.audience)
        self._context.must_refresh()
        context = self._consolidation_context("none" if answers is not None else llm, mode, after=after)
        problems: tuple[str, ...] = ()
        if answers is not None:
            host = rooms.host_answers.read_answers(answers, answers_file)
            context = replace(context, enrich=host.read, answered=host.answers.keys())
            problems = host.problems
        consolidate = rooms.consolidate.preview if dry_run else rooms.consolidate.consolidate
        run = consolidate(context, only_if_due=due and not dry_run)
        run = run._replace(notices=(*problems, *run.notices))
        try:
            upkeep = rooms.upkeep.nightly(
                self._context.looking,
                os.fspath(self._context.state),
                self.config,
                self._context.today.isoformat(),
                mode=mode,
                due=due,
                dry_run=dry_run,
                rehearse=self._rehearsing,
            )
            run = run._replace(upkeep=upkeep)
        except errors.IndexBehindError as error:  # the run is made, and another night asks what time wants
            run = run._replace(notices=(*run.notices, f"upkeep waits: {error}"))
        for change in run.changes.changes if run.applied else ():
            if any(getattr(action, "how", "") == "denied" for action in change.actions):
                with suppress(errors.MemoryClawError):  # its line says so all the same
                    self.feedback(change.id, 1, note=change.evidence[0])
        if not dry_run:
            with suppress(errors.MemoryClawError, OSError):  # another night does it
                self.ledger.roll_up(self.clock())
            track(os.fspath(self.root), self.config, self.clock)
            with suppress(errors.MemoryClawError, OSError):  # as above
                rooms.repository.History(os.fspath(self.root)).pack()
        return run

    @allowed(*AGENTS)
    def segments(self, *, due: bool = False) -> list[rooms.host_answers.SegmentPrompt]:
        """What no run has read of the logs, in segments, each as a prompt for a model of the caller's own; writes nothing.

        Args:
            due: nothing while `consolidate(due=True)` would do nothing.
        """
        if self.audience != OWNER:
            return self._as(OWNER).segments(due=due)
        self._context.must_refresh()
        questions = rooms.host_answers.Questions(rooms.context.Templates())
        context = replace(self._consolidation_context(), enrich=questions.read)
        rooms.consolidate.preview(context, only_if_due=due)
        return questions.asked

    @property
    @allowed(OWNER)
    def unagreed_command(self) -> str:
        """The command of `llm.command` that may not read conversations before a person agrees; empty without one."""
        command = rooms.model_chain.unagreed_command(self.config, os.environ)
        return rooms.model_chain.in_words(command) if command else ""

    @allowed(OWNER)
    def agree(self) -> None:
        """Records, for all vaults, that a person lets the command of `llm.command` read conversations.

        Raises:
            InputError: the settings name no such command.
        """
        if "command" not in (name.lower() for name in self.config.chain) or not self.config.command:
            settings_file = settings.own_folder(os.environ) / settings.OWN_FILE
            raise errors.InputError(
                f"there is no command to agree to; {settings_file} must name `llm.command`, and `llm.chain` hold `command`"
            )
        if command := rooms.model_chain.unagreed_command(self.config, os.environ):
            rooms.command_consent.agree(settings.own_folder(os.environ), command, self.clock())

    @verb("POST /v1/redo", "Log", "consolidate --again --since DATE", pool=LONG, audience=(OWNER,))
    def redo(self, since: verbs.Text, *, llm: verbs.Model = "auto") -> rooms.consolidate.Consolidated:
        """Consolidates the logs of a day (ISO) and later once more, on a branch that waits for `review`."""
        self._context.must_refresh()
        return rooms.consolidate.redo(self._consolidation_context(llm, "branch"), since)

    @verb("POST /v1/feedback", "Write", "feedback ID RATING", audience=AGENTS)
    def feedback(
        self,
        id_: verbs.Id,
        rating: verbs.Rating,
        *,
        session: verbs.Session = "",
        note: verbs.Reason = "",
        receipt: verbs.Receipt = "",
    ) -> rooms.feedback.Feedback:
        """Keeps in the ledger how useful a note, section, fact or turn was, from 1 to 5.

        It is about the use that the `receipt` names, or about the last time that it was shown, in this `session` first.
        """
        rooms.feedback.rating_of(rating)
        return rooms.feedback.feedback(
            self.ledger,
            self._context.read(lambda: rooms.browsing.address_of(id_, self.catalog, self.vault)).id,
            rating,
            session=self._context.session_name(session),
            note=note,
            receipt=receipt,
            redacted=rooms.secret_gate.secret_gate().text,
            now=self.clock(),
        )

    # ── Keep

    @verb("POST /v1/sync", "Keep", "sync", pool=LONG, audience=AGENTS)
    def sync(self) -> Synced:
        """Brings the index in line with the files now, and what is derived from it."""
        if self.audience != OWNER:
            return self._as(OWNER).sync()
        context = self._context
        synced = healed(context.index, context.sync.run)
        self._refresh_for_hosts()
        if context.wants_vectors:
            with suppress(errors.LockedError, errors.VectorsError):  # a fill that is under way does it itself
                context.vectors.forget_gone()
        return synced

    @allowed(OWNER)
    def exchange(self) -> rooms.machines.Exchanged:
        """Fetches what the vault's other copy has, merges it and pushes the result; one commit at most.

        Raises:
            ConflictError: a file cannot be merged, or holds work that is not committed; nothing was changed.
            HistoryError: git cannot be used now, there is no other copy, or it cannot be reached.
            InputError: what would be pushed is not to leave this machine; it was not.
        """
        track(os.fspath(self.root), self.config, self.clock)
        context = self._context
        context.begin()
        try:
            return context.identified(
                lambda: rooms.machines.exchange(
                    context.write_context(),
                    progress=context.progress,
                    renamed=context.renamed,
                )
            )
        finally:
            context.reload()

    @allowed(OWNER)
    def reindex(self) -> Synced:
        """Throws the index away and builds it again from the files."""
        self.vault.scan()
        self.index.discard()
        return self.sync()

    @allowed(OWNER)
    def offered_vectors(self, model: str = "") -> rooms.vectors.OfferedVectors:
        """What a model for vectors is, and whether it can be asked; without a name, the one for the vault's language."""
        return rooms.vectors.offered_vectors(model, self.config)

    @allowed(OWNER)
    def turn_vectors(self, model: str) -> None:
        """Turns vectors of a model on for this vault in the user's own settings, or off without one; known when the vault is opened next."""
        adoption.remember_vectors(self._context, model)

    @allowed(OWNER)
    def fill_vectors(
        self,
        *,
        progress: Progress | None = None,
        stopping: Callable[[], bool] = lambda: False,
        thorough: bool = True,
    ) -> rooms.vectors.Filled:
        """Makes the vectors that are missing, a batch at a time; what is made stays.

        Args:
            thorough: looks first whether what is there is whole; else only when damage was met.
        """
        context = self._context
        if not context.wants_vectors:
            raise errors.InputError("vectors are off; `memoryclaw vectors on` turns them on")

        def work() -> rooms.vectors.Filled:
            # An index that is not what the files are would have vectors dropped that are still wanted.
            if behind := context.refresh().degraded:
                raise errors.VectorsError(f"no vectors can be made now: {behind}")
            return context.vectors.fill(progress, stopping, thorough=thorough)

        return healed(context.index, work)

    @allowed(OWNER)
    def watching(self, tell: Callable[[rooms.watching.WatchReport], None]) -> rooms.watching.Watching:
        """A watch over this vault, to be `run`; everything that happens is told. The copies for hosts follow the skills."""
        if is_initialised(self.root):
            with suppress(errors.MemoryClawError):  # the verb that needs it says what is wrong
                self._context.identify()
        filler: rooms.vectors.Filler | None = None
        if self._context.wants_vectors:  # filled in beside the watch, with an open vault of its own

            def fill(stopping: Callable[[], bool]) -> rooms.vectors.Filled:
                with App(self.root, clock=self.clock) as app:
                    return app.fill_vectors(stopping=stopping, thorough=False)

            filler = rooms.vectors.Filler(fill, tell)

        def heard(report: rooms.watching.WatchReport) -> None:
            if report.kind in ("started", "synced"):
                self._refresh_for_hosts()
            if filler is not None:
                filler.hears(report)
            tell(report)

        context = self._context
        return rooms.watching.Watching(context.sync, context.vault, context.index, context.state, tell=heard)

    @verb("GET /v1/status", "Keep", "status", audience=(OWNER,))
    def status(self) -> rooms.status.Status:
        """How the vault stands; looks at the disk and changes nothing."""
        context = self._context
        return rooms.status.status(
            context.sync,
            context.index,
            context.catalog,
            self.config,
            daemon=watcher(context.state)[0] or None,
            waiting=rooms.status.waiting_turns(self._consolidation_context),
            announced=[*adoption.announcements(context), *rooms.listener.unheard(context.state)],
            vectors=context.vectors if context.wants_vectors else None,
        )

    @allowed(OWNER)
    def stats(self) -> rooms.status.Stats:
        """How the vault grows month by month, how it is used, and what waits in it for how long."""
        turns = rooms.status.waiting_turns(self._consolidation_context)
        items = rooms.status.waiting_items(self.review.list(), self.clock())
        return self._context.read(
            lambda: rooms.status.stats(self.catalog, turns, items, self.ledger, self._context.today)
        )

    @verb("GET /v1/doctor", "Keep", "check", pool=LONG, audience=(OWNER,))
    def doctor(self, *, fix: bool = False) -> list[rooms.doctor.Check]:
        """Examines the vault; with `fix`, repairs what can be rebuilt from the files."""
        self.sync()
        context = self._context
        checked = rooms.doctor.CheckedVault(
            context.vault,
            context.index,
            context.catalog,
            self.config,
            context.build_in,
            self.reindex,
            self._conflicts().all,
            adoption.announcements(context),
            lambda: self.views().listed,
            context.vectors if context.wants_vectors else None,
        )
        return rooms.doctor.examine(checked, fix=fix)

    @allowed(OWNER)
    def adoptable(self) -> Sequence[adoption.Adoptable]:
        """What the vault asks for, and what is not obeyed before this person adopts it."""
        return adoption.adoptable(self._context)

    @allowed(OWNER)
    def adopt(self, items: Sequence[adoption.Adoptable]) -> None:
        """Has what was listed count for this person and this vault, from the next command on.

        Raises:
            ConfigError: the vault has no id, under which it could be remembered.
            InputError: the user's own settings cannot say it.
        """
        adoption.adopt(self._context, items)

    @allowed(OWNER)
    def news(self) -> Sequence[str]:
        """What this user was not told yet of the vault, such as what is not obeyed; told once."""
        return adoption.news(self._context)

    @verb("GET /v1/lint", "Keep", "check lint", pool=LONG, audience=(OWNER,))
    def lint(
        self, paths: Sequence[str | os.PathLike[str]] = (), *, staged: bool = False
    ) -> rooms.lint.Linted:
        """What is wrong in files that a person writes: parsing, types, vocabulary, skills, golden questions. Changes nothing.

        Args:
            paths: files and folders of the vault, relative to where the program runs; the whole vault when none is given.

        Raises:
            InputError: a path is not in the vault.
            HistoryError: the vault has no git repository of its own in which anything could be staged.
        """
        if staged:
            return rooms.lint.of_staged(self.vault, os.environ.get("GIT_INDEX_FILE", ""))
        if paths:
            return rooms.lint.of_paths(self.vault, paths)
        return self._context.read(lambda: rooms.lint.of_vault(self.vault, self.catalog))

    @verb("POST /v1/migrate", "Write", "check migrate", audience=(OWNER,))
    def migrate(self, *, dry_run: verbs.Flag = False) -> rooms.migration.Migrated:
        """Brings a vault of an older format to the newest, in one commit.

        Raises:
            VaultError: the format of the vault is newer than the newest that is known.
        """
        carry_out = self._context.look if dry_run else self._context.write
        before = settings.load(self.root).format
        migrated = carry_out(lambda context: rooms.migration.migrate(context, before, dry_run=dry_run))
        if migrated.commit:
            self.sync()
        return migrated

    @property
    @allowed(OWNER)
    def commit_hook(self) -> rooms.commit_hook.CommitHook:
        """The hook that lets a person's own `git commit` in the vault run checks first."""
        return rooms.commit_hook.CommitHook(os.fspath(self.root))

    def close(self) -> None:
        """Closes the index; the next verb opens it again."""
        for app in self._seen_by.values():
            app.close()
        self._context.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ── What the verbs need

    def _searcher(self, today: date | None = None) -> rooms.search.Searcher:
        context, config, lane = self._context, self.config, None
        if context.wants_vectors:
            limits = config.min_primary_results, config.min_coverage
            policy = rooms.vector_lane.FallbackPolicy(*limits, config.blend_strategy)
            lane = rooms.vector_lane.VectorLane(context.vectors, self.catalog, policy)
        at = context.index, context.catalog, today or context.today
        conflicts, strengths = self._conflicts(today).of, context.strengths(today)
        return rooms.search.Searcher(
            *at, lane, self._approved_files, conflicts=conflicts, strengths=strengths
        )

    def _conflicts(self, today: date | None = None) -> rooms.conflicts.Conflicts:
        def declared() -> tuple[rooms.vocabulary.Schema, Callable[[Fact, Fact], bool]]:
            return rooms.conflict_decisions.rules(self.vault)

        return rooms.conflicts.Conflicts(self.catalog, (today or self._context.today).isoformat(), declared)

    def _approved_files(self, paths: Iterable[str]) -> set[str]:
        if not files.is_file(os.fspath(self.root), DECISIONS_FILE):  # nobody decided anything yet
            return set()
        return rooms.listing.approved_files(os.fspath(self.root), paths)

    def _consolidation_context(
        self, llm: str = "none", mode: str = "", *, after: int = 0
    ) -> rooms.consolidate.ConsolidationContext:
        models: rooms.planning.Enrich | None = None
        if llm != "none":
            templates = rooms.context.Templates()
            models = rooms.model_chain.model_chain(self.config, templates, os.environ, llm=llm).read
        return rooms.consolidate.ConsolidationContext(
            writing=self._context.write_context(),
            vault=self.vault,
            catalog=self.catalog,
            enrich=models,
            rules=self.config._replace(mode=mode or self.config.mode),
            after=after,
            leaves=self._context.leaving(),
            progress=self._context.progress,
            rehearse=self._rehearsing,
        )

    @property
    def _rehearsing(self) -> rooms.consolidate.Rehearse | None:
        """How a run asks the vault's golden questions; None where it has none."""
        return self._rehearse if os.path.exists(on_disk(os.fspath(self.root), QUESTIONS_FILE)) else None

    def _rehearse(self, planned: Mapping[str, str]) -> tuple[str, str]:
        """Why files should not have these texts, by the vault's golden questions, and what else there is to say."""
        if self.audience != OWNER:
            return self._as(OWNER)._rehearse(planned)  # noqa: SLF001 - another App, and nothing of it is told
        context = self._context

        def bench(index: rooms.index.Index, vault: rooms.folder.Vault) -> rooms.evaluation.EvaluationSetup:
            catalog = Catalog(index.database, context.config.owner)
            at, most = (catalog, vault, index.language), self.config.max_results

            def searcher(day: date | None) -> rooms.search.Searcher:
                return rooms.search.Searcher(index, catalog, day or context.today, None, self._approved_files)

            return rooms.evaluation.EvaluationSetup(searcher, *at, most, budgets=(self.config.budget,))

        context.refresh()
        vault, index = context.vault, context.index
        return rooms.evaluation.rehearse(vault, index, planned, copied=context.copy_in, bench=bench)

    def _refresh_for_hosts(self) -> None:
        """Brings what hosts read as files up to date where there is any; `skills.hosted` tells of trouble with their skills."""
        if (self._context.state / settings.LATEST).exists():
            with suppress(errors.MemoryClawError, OSError):
                self.transfer.refresh_latest()
        if (self._context.state / settings.HOST_SKILLS).exists():
            with suppress(errors.MemoryClawError, OSError):
                self.skills.hosted()
