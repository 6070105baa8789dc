"""The front desk: opens a vault, one method per verb. What the verbs work with is put together in `wiring`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any, Self

from memoryclaw import config as settings
from memoryclaw.app.consolidating import Scheduling
from memoryclaw.app.evaluating import Evaluating
from memoryclaw.app.openclawing import OpenClawing
from memoryclaw.app.reviewing import Reviewing
from memoryclaw.app.skilling import Skilling
from memoryclaw.app.wiring import Clock, Trusting, Vectoring, new_id, system_clock
from memoryclaw.app.working import Hosting, Working
from memoryclaw.index import sync as freshness
from memoryclaw.index.sync import Synced
from memoryclaw.model import Answer, Fact, Recalled
from memoryclaw.ports import Progress
from memoryclaw.recall.search import search
from memoryclaw.text.bounds import MOST_LISTED, within, within_budget
from memoryclaw.vault.cookies import WAIT, watcher

if TYPE_CHECKING:  # the rest is imported by the verb that needs it: a search must start fast
    from memoryclaw.app.doctor import Check
    from memoryclaw.app.status import Status
    from memoryclaw.capture.capture import CaptureResult
    from memoryclaw.capture.importers import Imported
    from memoryclaw.index.vectors import Filled, Filler
    from memoryclaw.index.watching import Watching, WatchReport
    from memoryclaw.recall import browsing
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


class App(Reviewing, Skilling, Scheduling, Hosting, Working, OpenClawing, Trusting, Evaluating, Vectoring):
    """One open vault; a method for each verb."""

    def search(self, query: str, *, kind: str = "", limit: int = 10) -> Answer:
        """Ranked matches for a question or a query, explained; leaves no trace."""
        within(limit, 0, MOST_LISTED, "a limit")
        return self._answered(lambda: search(self._searcher(), query, kind=kind, limit=limit))

    def recall(self, query: str, *, goal: str = "", session: str = "", budget: int | None = None) -> Recalled:
        """What a host should paste into a prompt for this question, within the budget; noted in the ledger."""
        from memoryclaw.recall.recall import recall  # noqa: PLC0415

        tokens = self.config.budget if budget is None else within_budget(budget)
        most, memory = self.config.max_results, self._at_work(session)
        answer = self._answered(
            lambda: recall(
                self._searcher(),
                query,
                goal=goal or (memory.goal if memory else ""),
                session=session,
                budget=tokens,
                max_results=most,
                working=self._lines_of(memory) if memory else None,
            )
        )
        if memory:
            told = tuple(f"{p.path}: {p.message}; {p.hint}" for p in memory.problems)
            answer = replace(answer, notices=(*answer.notices, *told))
        return self._receipted(answer, session)

    def show(self, id_: str) -> browsing.ShownUnit:
        """The lines of a note, section, fact or turn as they stand in their file."""
        from memoryclaw.recall import browsing  # noqa: PLC0415

        return self._looked(lambda: browsing.show(id_, self.catalog, self.vault))

    def browse(self, *, kind: str = "", state: str = "current", limit: int = 50) -> list[browsing.NoteEntry]:
        """Notes, pinned ones first, then the newest."""
        from memoryclaw.recall import browsing  # noqa: PLC0415

        within(limit, 0, MOST_LISTED, "a limit")
        return self._looked(lambda: browsing.browse(self.catalog, kind=kind, state=state, limit=limit))

    def facts(
        self, entity: str = "", *, as_of: date | None = None, history: bool = False
    ) -> list[tuple[str, Fact]]:
        """Facts with the path of their file: those that hold now, held on a day, or all."""
        from memoryclaw.recall import browsing  # noqa: PLC0415

        return self._looked(lambda: browsing.facts(self.catalog, entity=entity, as_of=as_of, history=history))

    def links(self, id_: str) -> browsing.Links:
        """The links that a note holds, and those of other notes that lead to it."""
        from memoryclaw.recall import browsing  # noqa: PLC0415

        return self._looked(lambda: browsing.links(id_, self.catalog, self.vault))

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
        return self._written(
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

    def edit(self, id_: str, fields: Mapping[str, str | Sequence[str]], *, as_is: bool = False) -> Written:
        """Corrects fields of a note's frontmatter, of an entity, or the value of a fact; one commit.

        Secrets are taken out first, unless a person means them (`as_is`).
        """
        from memoryclaw.writing.edit import edit  # noqa: PLC0415

        said = {key: value if isinstance(value, str) else [*value] for key, value in fields.items()}
        return self._written(lambda context, told: edit(context, id_, told), said, as_is=as_is)

    def forget(self, id_: str) -> Written:
        """Moves a note, or a fact's line, to the archive; one commit, and `revive` brings it back."""
        from memoryclaw.writing.edit import forget  # noqa: PLC0415

        return self._written(lambda context: forget(context, id_))

    def revive(self, id_: str) -> Written:
        """Brings back what `forget` archived, byte for byte; one commit."""
        from memoryclaw.writing.edit import revive  # noqa: PLC0415

        return self._written(lambda context: revive(context, id_))

    def undo(self, commit: str, *, yes: bool = False) -> Written:
        """Takes back one machine commit or run, and keeps what people changed since; one commit.

        What makes the folder a vault is taken back only with `yes`.
        """
        from memoryclaw.review.undo import undo  # noqa: PLC0415

        return self._written(lambda context: undo(context, commit, yes=yes))

    def capture(
        self, lines: Iterable[str | Mapping[str, Any]], *, session: str = "", first: int = 1
    ) -> list[CaptureResult]:
        """Keeps turns and tool events, mappings or lines of JSON, in the logs; each is durable when it is acknowledged."""
        return self._recorder.capture(lines, session=session, first=first)

    @property
    def capture_notice(self) -> str:
        """What else there is to say of what was captured, in one sentence."""
        return self._recorder.notice

    def import_logs(self, source: str | os.PathLike[str], *, format_: str = "") -> Imported:
        """Brings the logs of other programs into the vault's; the source is only read, and a second import adds nothing."""
        from memoryclaw.capture.importers import import_logs  # noqa: PLC0415

        path = os.fspath(source)
        return import_logs(
            self._recorder, os.fspath(self.root), path, format_=format_, progress=self._progress
        )

    def sync(self) -> Synced:
        """Brings the index in line with the files now."""
        synced = freshness.healed(self.index, self._sync().run)
        self._hosts_follow()
        self._vectors_follow()
        return synced

    def reindex(self) -> Synced:
        """Throws the index away and builds it again from the files."""
        self.vault.scan()
        self.index.discard()
        return self.sync()

    def watching(self, tell: Callable[[WatchReport], None]) -> Watching:
        """A watch over this vault, to be `run`; everything that happens is told. The copies for hosts follow the skills."""
        from memoryclaw.index.watching import Watching  # noqa: PLC0415

        filler = self._filler(tell)

        def heard(report: WatchReport) -> None:
            if report.kind in ("started", "synced"):
                self._hosts_follow()
            if filler is not None:
                filler.hears(report)
            tell(report)

        return Watching(self._sync(), self.vault, self.index, self._state, tell=heard)

    def _filler(self, tell: Callable[[WatchReport], None]) -> Filler | None:
        """Who fills in vectors beside a watch, with an open vault of its own."""
        if not self._has_vectors:
            return None
        from memoryclaw.index.vectors import Filler  # noqa: PLC0415

        def fill(stopping: Callable[[], bool]) -> Filled:
            with App(self.root, clock=self.clock) as own:
                return own.fill_vectors(stopping=stopping, thorough=False)

        return Filler(fill, tell)

    def status(self) -> Status:
        """How the vault stands; looks at the disk and changes nothing."""
        from memoryclaw.app.status import status  # noqa: PLC0415

        vectors, trouble = self._vectors_stand()
        now = status(
            self._sync(), self.index, self.catalog, self.config, daemon=watcher(self._state)[0] or None
        )
        return replace(now, vectors=vectors, notices=(*now.notices, *filter(None, [trouble])))

    def doctor(self, *, fix: bool = False) -> list[Check]:
        """Examines the vault; with `fix`, repairs what can be rebuilt from the files."""
        from memoryclaw.app.doctor import CheckedVault, examine  # noqa: PLC0415

        self.sync()
        patient = CheckedVault(self.vault, self.index, self.catalog, self.config, self._rebuilt, self.reindex)
        return [*examine(patient, fix=fix), *self._vectors_checked()]

    def close(self) -> None:
        """Closes the index; the next verb opens it again."""
        if "index" in self.__dict__:  # else nothing was opened
            self.index.database.close()
        if "_vectors" in self.__dict__:
            self._vectors.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
