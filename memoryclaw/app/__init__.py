"""`App` is one open vault with a method for each verb; skills, review, working memory and OpenClaw are objects of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memoryclaw import config as settings
from memoryclaw.app.context import Clock, VaultContext, new_id, system_clock, within, within_budget
from memoryclaw.errors import InputError, LockedError, MemoryClawError, VectorsError
from memoryclaw.index.sync import Freshness, Synced, healed
from memoryclaw.model import Answer, Fact, Recalled
from memoryclaw.ports import Progress
from memoryclaw.recall.search import Searcher, search
from memoryclaw.vault.layout import QUESTIONS_FILE
from memoryclaw.vault.state_folder import WAIT, watcher

if TYPE_CHECKING:  # the rest is imported by the verb that needs it: a search must start fast
    from memoryclaw.app.doctor import Check
    from memoryclaw.app.openclaw import OpenClaw
    from memoryclaw.app.review import Review
    from memoryclaw.app.skills import Skills
    from memoryclaw.app.status import Status
    from memoryclaw.app.working import Working
    from memoryclaw.capture.capture import CaptureResult
    from memoryclaw.capture.feedback import Feedback
    from memoryclaw.capture.importers import Imported
    from memoryclaw.consolidation.consolidate import Consolidated, ConsolidationContext
    from memoryclaw.consolidation.host_answers import SegmentPrompt
    from memoryclaw.consolidation.planning import Enrich
    from memoryclaw.daemon.scheduling import Schedule
    from memoryclaw.index.catalog import Catalog
    from memoryclaw.index.index import Index
    from memoryclaw.index.vectors import Filled, Filler
    from memoryclaw.index.watching import Watching, WatchReport
    from memoryclaw.recall import browsing
    from memoryclaw.recall.evaluation import Evaluated
    from memoryclaw.recall.vector_lane import VectorLane
    from memoryclaw.review.file_history import Blame, Events
    from memoryclaw.vault.folder import Vault
    from memoryclaw.vault.ledger import Ledger
    from memoryclaw.writing.context import Written

__all__ = ["App", "init_vault", "open_vault", "system_clock"]


def open_vault(
    path: str | os.PathLike[str] | None = None,
    *,
    clock: Clock = system_clock,
    progress: Progress | None = None,
    patience: float = WAIT,
) -> App:
    """Opens the vault at `path`, or the one that the command line would choose in this folder.

    Args:
        path: the folder.
        clock: tells the time; everything that depends on it asks here.
        progress: told (done, total) while files are indexed.
        patience: seconds that a live watcher is given to say that the index is in line, before the files are looked at.

    Raises:
        VaultError: there is no folder there.
        ConfigError: its memoryclaw.yaml cannot be used.
    """
    given = os.fspath(path) if path is not None else None
    return App(
        settings.find_root(given, os.environ, settings.here()),
        clock=clock,
        progress=progress,
        patience=patience,
    )


def init_vault(path: str | os.PathLike[str], *, clock: Clock = system_clock) -> Written:
    """Makes a folder a vault: folders, commented settings, a git repository with a first commit. Changes nothing that is there."""
    from memoryclaw.writing.context import Templates  # noqa: PLC0415
    from memoryclaw.writing.init import init  # noqa: PLC0415

    return init(os.path.abspath(os.path.expanduser(path)), Templates(), clock(), new_id)


class App:
    """One open vault; a method for each verb."""

    def __init__(
        self,
        root: Path,
        *,
        clock: Clock = system_clock,
        progress: Progress | None = None,
        patience: float = WAIT,
    ) -> None:
        self._context = VaultContext(root, clock=clock, progress=progress, patience=patience)
        self.root = root
        self.clock = clock
        self.config = self._context.config

    # ── The parts

    @cached_property
    def skills(self) -> Skills:
        """Skills: listed, matched, approved, given to hosts and run."""
        from memoryclaw.app.skills import Skills  # noqa: PLC0415

        return Skills(self._context)

    @cached_property
    def review(self) -> Review:
        """What waits for a person, and what the person decides."""
        from memoryclaw.app.review import Review  # noqa: PLC0415

        return Review(self._context)

    @cached_property
    def working(self) -> Working:
        """The working memory of each session."""
        from memoryclaw.app.working import Working  # noqa: PLC0415

        return Working(self._context)

    @cached_property
    def openclaw(self) -> OpenClaw:
        """OpenClaw as the host of this vault."""
        from memoryclaw.app.openclaw import OpenClaw  # noqa: PLC0415

        return OpenClaw(self._context)

    @cached_property
    def schedule(self) -> Schedule:
        """The vault's timer, which calls `consolidate --due`: to be installed, removed or asked how it stands."""
        from memoryclaw.consolidation.consolidate import next_run  # noqa: PLC0415
        from memoryclaw.daemon.scheduling import Schedule  # noqa: PLC0415
        from memoryclaw.writing.context import Templates  # noqa: PLC0415

        return Schedule(
            os.fspath(self.root),
            Templates(),
            self.clock,
            lambda: next_run(self._consolidation_context("none", "")),
        )

    @property
    def vault(self) -> Vault:
        """The files."""
        return self._context.vault

    @property
    def index(self) -> Index:
        """The index, opened or made on first use."""
        return self._context.index

    @property
    def catalog(self) -> Catalog:
        """The index's tables, for reading."""
        return self._context.catalog

    @property
    def ledger(self) -> Ledger:
        """The usage record."""
        return self._context.ledger

    @property
    def freshness(self) -> Freshness:
        """How the answer of the last `show`, `browse`, `facts` or `links` relates to the files."""
        return self._context.freshness

    # ── Ask and look

    def search(self, query: str, *, kind: str = "", limit: int = 10) -> Answer:
        """Ranked matches for a question or a query, explained; leaves no trace."""
        within(limit, 0, settings.MOST_LISTED, "a limit")
        return self._context.answer(lambda: search(self._searcher(), query, kind=kind, limit=limit))

    def recall(self, query: str, *, goal: str = "", session: str = "", budget: int | None = None) -> Recalled:
        """What a host should paste into a prompt for this question, within the budget; noted in the ledger."""
        from memoryclaw.recall.recall import recall  # noqa: PLC0415

        tokens = self.config.budget if budget is None else within_budget(budget)
        most, lines = self.config.max_results, None
        if memory := self.working.current(session) if session else None:
            from memoryclaw.working.memory import within as lines_within  # noqa: PLC0415

            lines = partial(lines_within, memory)
        answer = self._context.answer(
            lambda: recall(
                self._searcher(),
                query,
                goal=goal or (memory.goal if memory else ""),
                session=session,
                budget=tokens,
                max_results=most,
                working=lines,
            )
        )
        if memory:
            told = tuple(f"{p.path}: {p.message}; {p.hint}" for p in memory.problems)
            answer = replace(answer, notices=(*answer.notices, *told))
        return self._receipted(answer, session)

    def show(self, id_: str) -> browsing.ShownUnit:
        """The lines of a note, section, fact or turn as they stand in their file."""
        from memoryclaw.recall import browsing  # noqa: PLC0415

        return self._context.read(lambda: browsing.show(id_, self.catalog, self.vault))

    def browse(self, *, kind: str = "", state: str = "current", limit: int = 50) -> list[browsing.NoteEntry]:
        """Notes, pinned ones first, then the newest."""
        from memoryclaw.recall import browsing  # noqa: PLC0415

        within(limit, 0, settings.MOST_LISTED, "a limit")
        return self._context.read(lambda: browsing.browse(self.catalog, kind=kind, state=state, limit=limit))

    def facts(
        self, entity: str = "", *, as_of: date | None = None, history: bool = False
    ) -> list[tuple[str, Fact]]:
        """Facts with the path of their file: those that hold now, held on a day, or all."""
        from memoryclaw.recall import browsing  # noqa: PLC0415

        return self._context.read(
            lambda: browsing.facts(self.catalog, entity=entity, as_of=as_of, history=history)
        )

    def links(self, id_: str) -> browsing.Links:
        """The links that a note holds, and those of other notes that lead to it."""
        from memoryclaw.recall import browsing  # noqa: PLC0415

        return self._context.read(lambda: browsing.links(id_, self.catalog, self.vault))

    def trust_of(self, paths: Iterable[str]) -> dict[str, str]:
        """The trust of each of these files that is known; asked after a verb that read them, so it looks at no disk."""
        from memoryclaw.recall.browsing import trust_of  # noqa: PLC0415

        return trust_of(self.catalog, paths)

    def evaluate(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        ks: Sequence[int] = (),
        budgets: Sequence[int] = (),
    ) -> Evaluated:
        """Asks the golden questions of a file, the vault's `eval/questions.yaml` if none is given; writes nothing.

        Args:
            path: the file; relative to where the program runs.
            ks: how many of the first count as found; 5 and 10 when not given.
            budgets: sizes of contexts in tokens; 400, 600 and 800 when not given.

        Raises:
            InputError: the file cannot be read, or says something that cannot be used.
        """
        from memoryclaw.recall.evaluation import BUDGETS, KS, EvaluationSetup, evaluate, goldens_of  # noqa: PLC0415

        budgets, ks = tuple(budgets or BUDGETS), tuple(sorted(ks or KS))
        for tokens in budgets:
            within_budget(tokens)
        for k in ks:
            within(k, 1, settings.MOST_LISTED, "how many of the first count as found")
        given = os.fspath(path) if path is not None else os.fspath(self.root / QUESTIONS_FILE)
        shown = given if path is not None else QUESTIONS_FILE
        goldens = goldens_of(given, shown)
        most = self.config.max_results
        return self._context.read(
            lambda: evaluate(
                goldens,
                shown,
                EvaluationSetup(
                    self._searcher, self.catalog, self.vault, self.index.language, most, ks, budgets
                ),
            )
        )

    # ── Write

    def remember(
        self,
        text: str,
        *,
        entity: str = "",
        field: str = "",
        tags: Sequence[str] = (),
        source: str = "",
        as_is: bool = False,
    ) -> Written:
        """Keeps a text as an episode, or as the value of an entity's field; one commit.

        Secrets are taken out first, unless a person means them (`as_is`).
        """
        from memoryclaw.writing.remember import remember  # noqa: PLC0415

        # A value is a secret by its field, too; NUL is left out of every text and must not hide one.
        said = {"name": field, "value": text.replace("\0", ""), "entity": entity, "tags": [*tags], "source": source}  # fmt: skip
        return self._context.write(
            lambda context, told: remember(
                context,
                told["value"],
                entity=told["entity"],
                field=told["name"],
                tags=told["tags"],
                source=told["source"],
            ),
            said,
            as_is=as_is,
        )

    def claim(
        self,
        text: str,
        *,
        entity: str = "",
        field: str = "",
        tags: Sequence[str] = (),
        tool: str = "",
        session: str = "",
    ) -> Written:
        """Keeps what an agent says as `unknown`; what contradicts a standing fact waits for a person. At most one commit."""
        from memoryclaw.consolidation.agent_claims import claim  # noqa: PLC0415

        said = {"name": field, "value": text.replace("\0", ""), "entity": entity, "tags": [*tags]}
        return self._context.write(
            lambda context, told: claim(
                context,
                told["value"],
                entity=told["entity"],
                field=told["name"],
                tags=told["tags"],
                tool=tool,
                session=session,
            ),
            said,
        )

    def edit(self, id_: str, fields: Mapping[str, str | Sequence[str]], *, as_is: bool = False) -> Written:
        """Corrects fields of a note's frontmatter, of an entity, or the value of a fact; one commit.

        Secrets are taken out first, unless a person means them (`as_is`).
        """
        from memoryclaw.writing.edit import edit  # noqa: PLC0415

        said = {key: value if isinstance(value, str) else [*value] for key, value in fields.items()}
        return self._context.write(lambda context, told: edit(context, id_, told), said, as_is=as_is)

    def trust(self, id_: str) -> Written:
        """Says that a person trusts a note, a fact or a statement; one commit."""
        from memoryclaw.writing.edit import set_trust  # noqa: PLC0415

        return self._context.write(lambda context: set_trust(context, id_, "trusted"))

    def quarantine(self, id_: str) -> Written:
        """Takes a note, a fact or a statement out of every answer, and leaves it where it stands; one commit."""
        from memoryclaw.writing.edit import set_trust  # noqa: PLC0415

        return self._context.write(lambda context: set_trust(context, id_, "quarantined"))

    def forget(self, id_: str) -> Written:
        """Moves a note, or a fact's line, to the archive; one commit, and `revive` brings it back."""
        from memoryclaw.writing.edit import forget  # noqa: PLC0415

        return self._context.write(lambda context: forget(context, id_))

    def revive(self, id_: str) -> Written:
        """Brings back what `forget` archived, byte for byte; one commit."""
        from memoryclaw.writing.edit import revive  # noqa: PLC0415

        return self._context.write(lambda context: revive(context, id_))

    def undo(self, commit: str, *, yes: bool = False) -> Written:
        """Takes back one machine commit or run, and keeps what people changed since; one commit.

        What makes the folder a vault is taken back only with `yes`.
        """
        from memoryclaw.review.undo import undo  # noqa: PLC0415

        return self._context.write(lambda context: undo(context, commit, yes=yes))

    def history(self, id_: str = "", *, limit: int = 20) -> Events:
        """What was done to the vault, a note or a fact, newest first."""
        from memoryclaw.review.file_history import history  # noqa: PLC0415

        within(limit, 0, settings.MOST_LISTED, "a limit")
        return self._context.write(lambda context: history(context, id_, limit=limit))

    def blame(self, fact: str) -> Blame:
        """A fact back to its commit, its episode, its log line, and who approved it."""
        from memoryclaw.review.file_history import blame  # noqa: PLC0415

        return self._context.write(lambda context: blame(context, fact))

    # ── From turns to memory

    def capture(
        self, lines: Iterable[str | Mapping[str, Any]], *, session: str = "", first: int = 1
    ) -> list[CaptureResult]:
        """Keeps turns and tool events, mappings or lines of JSON, in the logs; each is durable when it is acknowledged."""
        return self._context.recorder.capture(lines, session=session, first=first)

    @property
    def capture_notice(self) -> str:
        """What else there is to say of what was captured, in one sentence."""
        return self._context.recorder.notice

    def import_logs(self, source: str | os.PathLike[str], *, format_: str = "") -> Imported:
        """Brings the logs of other programs into the vault's; the source is only read, and a second import adds nothing."""
        from memoryclaw.capture.importers import import_logs  # noqa: PLC0415

        path = os.fspath(source)
        return import_logs(
            self._context.recorder,
            os.fspath(self.root),
            path,
            format_=format_,
            progress=self._context.progress,
        )

    def consolidate(
        self,
        *,
        dry_run: bool = False,
        due: bool = False,
        llm: str = "auto",
        mode: str = "",
        answers: Iterable[str | Mapping[str, Any]] | None = None,
        answers_file: str = "answers",
        after: int = 0,
    ) -> Consolidated:
        """Turns what the logs hold and no run has read into episodes, facts and proposals; one commit a change.

        Args:
            dry_run: only plan; nothing is written.
            due: do nothing, and say why, while it is too early or another run is at work.
            llm: auto (the models of the settings), or none.
            mode: direct, branch or propose; empty: as the settings say.
            answers: what an agent answered to `segments`, instead of a model: objects with `segment` and `answer`, or
                lines of JSON.
            answers_file: the name of their file, for the sentence about a line that is no answer.
            after: with `due`, the hours for which new lines are left to an agent.
        """
        from memoryclaw.consolidation.consolidate import consolidate, preview  # noqa: PLC0415

        self._context.refresh()
        context = self._consolidation_context("none" if answers is not None else llm, mode, after=after)
        problems: tuple[str, ...] = ()
        if answers is not None:
            from memoryclaw.consolidation.host_answers import read_answers  # noqa: PLC0415

            host = read_answers(answers, answers_file)
            context = replace(context, enrich=host.read, answered=host.answers.keys())
            problems = host.problems
        done = preview(context) if dry_run else consolidate(context, only_if_due=due)
        return done._replace(notices=(*problems, *done.notices))

    def segments(self, *, due: bool = False) -> list[SegmentPrompt]:
        """What no run has read of the logs, in segments, each as a prompt for a model of the caller's own; writes nothing.

        Args:
            due: nothing while `consolidate(due=True)` would do nothing.
        """
        from memoryclaw.consolidation.consolidate import preview  # noqa: PLC0415
        from memoryclaw.consolidation.host_answers import Questions  # noqa: PLC0415
        from memoryclaw.writing.context import Templates  # noqa: PLC0415

        self._context.refresh()
        questions = Questions(Templates())
        preview(replace(self._consolidation_context("none", ""), enrich=questions.read), only_if_due=due)
        return questions.asked

    @property
    def unagreed_command(self) -> str:
        """The command of `llm.command` that may not read conversations before a person agrees; empty without one."""
        from memoryclaw.consolidation.model_chain import in_words, unagreed_command  # noqa: PLC0415

        command = unagreed_command(self.config, os.environ)
        return in_words(command) if command else ""

    def agree(self) -> None:
        """Records, for all vaults, that a person lets the command of `llm.command` read conversations.

        Raises:
            InputError: the settings name no such command.
        """
        from memoryclaw.consolidation.model_chain import unagreed_command  # noqa: PLC0415
        from memoryclaw.writing.agreements import agree  # noqa: PLC0415

        if "command" not in (name.lower() for name in self.config.chain) or not self.config.command:
            own = settings.own_folder(os.environ) / settings.OWN_FILE
            raise InputError(
                f"there is no command to agree to; {own} must name `llm.command`, and `llm.chain` hold `command`"
            )
        if command := unagreed_command(self.config, os.environ):
            agree(settings.own_folder(os.environ), command, self.clock())

    def redo(self, since: str, *, llm: str = "auto") -> Consolidated:
        """Consolidates the logs of a day (ISO) and later once more, on a branch that waits for `review`."""
        from memoryclaw.consolidation.consolidate import redo  # noqa: PLC0415

        self._context.refresh()
        return redo(self._consolidation_context(llm, "branch"), since)

    def feedback(self, id_: str, rating: int, *, session: str = "", note: str = "") -> Feedback:
        """Keeps in the ledger how useful a note, section, fact or turn was, from 1 to 5."""
        from memoryclaw.capture.feedback import feedback, rating_of  # noqa: PLC0415
        from memoryclaw.recall.addresses import address_of  # noqa: PLC0415
        from memoryclaw.writing.secret_gate import secret_gate  # noqa: PLC0415

        rating_of(rating)
        known = self._context.read(lambda: address_of(id_, self.catalog, self.vault)).id
        return feedback(
            self.ledger,
            known,
            rating,
            session=self._context.session_name(session),
            note=note,
            redacted=secret_gate().text,
            now=self.clock(),
        )

    # ── Keep

    def sync(self) -> Synced:
        """Brings the index in line with the files now, and what is derived from it."""
        context = self._context
        synced = healed(context.index, context.sync.run)
        self._refresh_host_skills()
        if context.wants_vectors:
            with suppress(LockedError, VectorsError):  # a fill that is under way does it itself
                context.vectors.forget_gone()
        return synced

    def reindex(self) -> Synced:
        """Throws the index away and builds it again from the files."""
        self.vault.scan()
        self.index.discard()
        return self.sync()

    def fill_vectors(
        self,
        *,
        progress: Progress | None = None,
        stopping: Callable[[], bool] = lambda: False,
        thorough: bool = True,
    ) -> Filled:
        """Makes the vectors that are missing, a batch at a time; what is made stays.

        Args:
            progress: told (done, total) after each batch.
            stopping: asked before each batch; True ends the work there.
            thorough: looks first whether what is there is whole; else only when damage was met.
        """
        context = self._context
        if not context.wants_vectors:
            raise InputError(
                "vectors are off in this vault; write `fallback: vector` below `retrieval:` in memoryclaw.yaml"
            )

        def work() -> Filled:
            # An index that is not what the files are would have vectors dropped that are still wanted.
            if behind := context.refresh().degraded:
                raise VectorsError(f"no vectors can be made now: {behind}")
            return context.vectors.fill(progress, stopping, thorough=thorough)

        return healed(context.index, work)

    def watching(self, tell: Callable[[WatchReport], None]) -> Watching:
        """A watch over this vault, to be `run`; everything that happens is told. The copies for hosts follow the skills."""
        from memoryclaw.index.watching import Watching  # noqa: PLC0415

        filler = self._filler(tell)

        def heard(report: WatchReport) -> None:
            if report.kind in ("started", "synced"):
                self._refresh_host_skills()
            if filler is not None:
                filler.hears(report)
            tell(report)

        context = self._context
        return Watching(context.sync, context.vault, context.index, context.state, tell=heard)

    def _filler(self, tell: Callable[[WatchReport], None]) -> Filler | None:
        """Who fills in vectors beside a watch, with an open vault of its own."""
        if not self._context.wants_vectors:
            return None
        from memoryclaw.index.vectors import Filler  # noqa: PLC0415

        def fill(stopping: Callable[[], bool]) -> Filled:
            with App(self.root, clock=self.clock) as own:
                return own.fill_vectors(stopping=stopping, thorough=False)

        return Filler(fill, tell)

    def status(self) -> Status:
        """How the vault stands; looks at the disk and changes nothing."""
        from memoryclaw.app.status import status  # noqa: PLC0415

        context = self._context
        now = status(
            context.sync,
            context.index,
            context.catalog,
            self.config,
            daemon=watcher(context.state)[0] or None,
        )
        if not context.wants_vectors:
            return now
        try:
            return replace(now, vectors=context.vectors.standing())
        except VectorsError as error:
            from memoryclaw.index.vectors import VectorStatus  # noqa: PLC0415

            units = context.index.size()[0]
            unknown = VectorStatus(self.config.vector_model, units, units)
            return replace(now, vectors=unknown, notices=(*now.notices, str(error)))

    def doctor(self, *, fix: bool = False) -> list[Check]:
        """Examines the vault; with `fix`, repairs what can be rebuilt from the files."""
        from memoryclaw.app.doctor import CheckedVault, check, examine  # noqa: PLC0415

        self.sync()
        context = self._context
        checked = CheckedVault(
            context.vault, context.index, context.catalog, self.config, context.rebuilt, self.reindex
        )
        checks = examine(checked, fix=fix)
        return [*checks, check(context.vectors)] if context.wants_vectors else checks

    def close(self) -> None:
        """Closes the index; the next verb opens it again."""
        self._context.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ── What the verbs need

    def _searcher(self, today: date | None = None) -> Searcher:
        context = self._context
        return Searcher(
            context.index,
            context.catalog,
            today or context.today,
            self._vector_lane() if context.wants_vectors else None,
            self._approved_files,
        )

    def _approved_files(self, paths: Iterable[str]) -> set[str]:
        from memoryclaw.skills.listing import approved_files  # noqa: PLC0415

        return approved_files(os.fspath(self.root), paths)

    def _vector_lane(self) -> VectorLane:
        from memoryclaw.recall.vector_lane import FallbackPolicy, VectorLane  # noqa: PLC0415

        config = self.config
        policy = FallbackPolicy(config.min_primary_results, config.min_coverage, config.blend_strategy)
        return VectorLane(self._context.vectors, self.catalog, policy)

    def _receipted(self, answer: Recalled, session: str) -> Recalled:
        """The answer with its receipt, which the ledger keeps."""
        receipt = f"r-{self.clock():%Y%m%dt%H%M%S}-{new_id()}"
        values = {
            "receipt": receipt,
            "session": self._context.session_name(session),
            "mode": "recall",
            "ids": [m.unit.id for m in answer.matches],
        }
        trouble = self.ledger.append("shown", values, self.clock()) if answer.matches else ""
        notices = (*answer.notices, trouble) if trouble else answer.notices
        return replace(answer, receipt=receipt, notices=notices)

    def _consolidation_context(self, llm: str, mode: str, *, after: int = 0) -> ConsolidationContext:
        from memoryclaw.consolidation.consolidate import ConsolidationContext, RunSettings  # noqa: PLC0415
        from memoryclaw.writing.secret_gate import secret_gate  # noqa: PLC0415

        config = self.config
        return ConsolidationContext(
            writing=self._context.write_context(secret_gate()),
            vault=self.vault,
            catalog=self.catalog,
            enrich=self._enrich(llm),
            rules=RunSettings(
                mode=mode or config.mode,
                threshold=config.skill_threshold,
                loss_budget=config.loss_budget,
                gap=config.gap,
                interval=config.interval,
                idle=config.idle,
                after=after,
                language=config.language,
            ),
            progress=self._context.progress,
        )

    def _enrich(self, llm: str) -> Enrich | None:
        if llm == "none":
            return None
        from memoryclaw.consolidation.model_chain import model_chain  # noqa: PLC0415
        from memoryclaw.writing.context import Templates  # noqa: PLC0415

        return model_chain(self.config, Templates(), os.environ, llm=llm).read

    def _refresh_host_skills(self) -> None:
        """Brings the copies for hosts up to date where there are any; `skills.hosted` tells of trouble with them."""
        from memoryclaw.skills.host_skills import FOLDER  # noqa: PLC0415

        if (self._context.state / FOLDER).exists():
            with suppress(MemoryClawError, OSError):
                self.skills.hosted()
