"""purge, from a person's yes to the proof: the files, then what is derived from them, then on demand git's history; then all is searched."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from memoryclaw import rooms
from memoryclaw.app.context import AUDIENCES, VaultContext
from memoryclaw.config import HOST_SKILLS
from memoryclaw.erase import traces
from memoryclaw.erase.erasure import scrub
from memoryclaw.erase.purge import PLACES, Emptied, PurgePlan, PurgeRequest, plan_purge, purge
from memoryclaw.erase.rewriting import (
    Rewriting,
    Versions,
    changed_versions,
    must_be_rewritable,
    objects_holding,
)
from memoryclaw.erase.traces import DERIVED, INDEX, VECTORS, WAITING, Trace
from memoryclaw.errors import HistoryError, LockedError, NotFoundError, VectorsError
from memoryclaw.history.repository import History
from memoryclaw.late import NamedTuple
from memoryclaw.lifecycle.pages import as_compiled, compile_again
from memoryclaw.model import AGENT, NOTHING
from memoryclaw.ports import Progress
from memoryclaw.text.needles import Needles
from memoryclaw.vault import files
from memoryclaw.vault.layout import STATE_DIR
from memoryclaw.vault.state_folder import make_private_folder, write_private
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.writer import recover

MARKER = "purge.json"  # a purge under way: what was asked for and what is looked for, so that a killed one is taken up again
HISTORY = "git history"
_UNTRACKED = ("logs/", "ledger/", "working/")


class PurgedPlace(NamedTuple):
    """One place: how many files were emptied there, how many of their lines went, and how often something is still found."""

    place: str
    files: int
    lines: int
    hits: int


class Purged(NamedTuple):
    """What a purge did, or would do (`dry_run`)."""

    places: tuple[PurgedPlace, ...]
    emptied: tuple[Emptied, ...]
    hits: tuple[Trace, ...] = ()
    searched: int = 0  # texts that were looked for
    commit: str = ""
    history: str = ""  # kept | rewritten | none: whether git's history may still hold it
    bundle: str = ""  # the backup of the history as it was, which holds all of it
    steps: tuple[str, ...] = ()  # commands that erase it from git's history
    notices: tuple[str, ...] = ()
    dry_run: bool = False


def preview(context: VaultContext, writing: WriteContext, request: PurgeRequest) -> Purged:
    """What a purge would empty; nothing is written."""
    return _purged(plan_purge(writing, request, again=_left(context, request) is not None), dry_run=True)


def carry_out(
    context: VaultContext,
    writing: WriteContext,
    request: PurgeRequest,
    *,
    history: bool,
    progress: Progress | None,
) -> Purged:
    """Erases, and searches every place afterwards; killed at any point, the same call goes on.

    Raises:
        HistoryError: with `history`, the repository was pushed or is in no state to be rewritten; nothing was erased.
        NotFoundError: nothing of what was asked for is in the vault.
    """
    recover(writing.root)  # what a killed purge had under way
    repository = History(writing.root)
    if history:
        must_be_rewritable(repository)
    notices = [*_ended_first(context, writing, request, progress)]
    past = "none" if repository.state().name in ("none", "unborn") else "kept"
    remaining = _left(context, request)
    second_look, begun = remaining is not None, remaining or _Begun(request)

    def prepare(plan: PurgePlan) -> None:
        nonlocal begun
        fresh = begun.joined(plan)
        if history and past == "kept" and (fresh != begun or fresh.versions is None):
            fresh = fresh._replace(versions=_versions(repository, plan, remaining))
        if fresh != begun:
            _mark(context, fresh)
        begun = fresh

    prepare(plan_purge(writing, request, again=second_look))
    pages = as_compiled(writing.root, writing.text)
    plan, commit = purge(writing, request, prepare, again=second_look)
    needles = Needles(begun.needles)
    notices += _derived(context, needles)
    if erased := pages & {page.path for page in plan.emptied}:
        compile_again(context.looking(), erased)
    purged = _purged(plan, dry_run=False)._replace(commit=commit, searched=len(needles.texts))
    hits = _search(context, writing.root, needles, progress)
    hits += [] if history else traces.in_branches(writing, begun.lines, needles)
    bundle = ""
    if history and past == "kept" and hits:
        notices.append("git's history was left as it is: deal with what was found, then purge the same again")
    elif history and past == "kept":

        def kept(bundle: str, before: str) -> None:
            _mark(context, begun._replace(bundle=bundle, before=before))

        rewriting = Rewriting(repository, begun.versions or {}, plan.erasure.renames, begun.replaced, needles)
        bundle = rewriting.run(begun.bundle, begun.before, kept, progress)
        past = "rewritten"
        left_over = {*rewriting.leftovers(), *objects_holding(repository, needles, progress)}
        hits += [Trace(HISTORY, page) for page in sorted(left_over)]
        context.close()
    if not (history and hits):  # else git's history holds the words still, and the same purge goes on there
        (context.state / MARKER).unlink(missing_ok=True)
    runs = (hit.path for hit in hits if hit.place == WAITING)
    waiting = [f"`memoryclaw review reject {run}` ends a run that would bring it back" for run in runs]
    return _with_hits(purged, hits, past)._replace(
        history=past,
        bundle=bundle,
        steps=_steps(writing.root, repository, begun.paths) if past == "kept" else (),
        notices=(*notices, *waiting),
    )


class _Begun(NamedTuple):
    """A purge under way, as the marker holds it: everything that the same call needs to go on where the first was killed."""

    request: PurgeRequest
    needles: tuple[str, ...] = ()
    replaced: Mapping[str, str] = NOTHING
    lines: Mapping[str, Sequence[int]] = NOTHING
    paths: tuple[str, ...] = ()  # the files that it changes
    # What becomes of these in git's history; None where that was not asked for.
    versions: Versions | None = None
    bundle: str = ""
    before: str = ""  # the last commit before the history was rewritten

    def joined(self, plan: PurgePlan) -> _Begun:
        """The same with what another plan of it erases."""
        return self._replace(
            needles=tuple(sorted({*self.needles, *plan.erasure.needles.texts})),
            replaced={**self.replaced, **plan.erasure.replaced},
            lines={**self.lines, **plan.erasure.lines},
            paths=tuple(sorted({*self.paths, *plan.paths})),
        )


def _versions(repository: History, plan: PurgePlan, left: _Begun | None) -> Versions:
    """What becomes of the files' versions in git's history; what a killed purge was to make of them goes on."""
    current = dict[str, bytes | None]()
    if left and left.versions is None:  # nothing tells any more what goes of their past, so all of it does
        names = [f"HEAD:{repository.places.on_disk(path)}" for path in left.paths]
        objects = repository.objects(names)
        current = {path: now[2] if now else None for path, now in zip(left.paths, objects, strict=True)}

    def change(path: str, data: bytes) -> bytes | None:
        return None if current.get(path, data) != data else scrub(path, data, plan.erasure)

    fresh = changed_versions(repository, {*plan.paths, *current}, change)
    earlier = (left.versions if left else None) or {}
    return {p: {**fresh.get(p, {}), **earlier.get(p, {})} for p in {*fresh, *earlier}}


def _ended_first(
    context: VaultContext, writing: WriteContext, request: PurgeRequest, progress: Progress | None
) -> Iterator[str]:
    """Ends a purge of something else that was killed, and says what it leaves."""
    marked = _marked(context)
    if marked is None or marked.request == request:
        return
    history = marked.versions is not None
    if history:
        try:
            must_be_rewritable(History(writing.root))
        except HistoryError as error:
            yield f"of the purge that was cut short before, git's history is left ({error})"
            history = False
    ended_run = carry_out(context, writing, marked.request, history=history, progress=progress)
    if ended_run.hits:
        places = ", ".join(dict.fromkeys(hit.path for hit in ended_run.hits))
        yield f"what the purge that was cut short before looked for is still found: {places}"


def _marked(context: VaultContext) -> _Begun | None:
    """The purge that was killed, or None."""
    try:
        begun = _Begun(**json.loads(files.read_file(os.fspath(context.root), f"{STATE_DIR}/{MARKER}").data))
        ids, source, since = begun.request
    except (NotFoundError, ValueError, TypeError):
        return None
    request = PurgeRequest(tuple(ids), source, since)
    return begun._replace(request=request, needles=tuple(begun.needles), paths=tuple(begun.paths))


def _left(context: VaultContext, request: PurgeRequest) -> _Begun | None:
    """What a killed purge left of the same request, or None."""
    marked = _marked(context)
    return marked if marked and marked.request == request else None


def _mark(context: VaultContext, begun: _Begun) -> None:
    make_private_folder(context.state)
    write_private(context.state, MARKER, json.dumps(begun._asdict()).encode("utf-8", "surrogatepass"))


def _derived(context: VaultContext, needles: Needles) -> Iterator[str]:
    """Builds anew what is derived from the files: pages that SQLite freed, and copies, hold what was erased."""
    shutil.rmtree(context.state / AUDIENCES, ignore_errors=True)  # each is built again when it is asked for
    context.index.discard()
    context.sync.run()
    root = os.fspath(context.root)
    if (context.state / "vectors").exists() or context.is_on_server:
        try:
            context.vectors.forget_gone()
        except (LockedError, VectorsError) as error:
            yield f"vectors of what was erased may be left ({error}); run `memoryclaw sync`"
    if (context.state / HOST_SKILLS).exists():
        rooms.host_skills.host_skills(
            root,
            rooms.host_skills.HostFolder(os.fspath(context.state)),
            sees=partial(context.sees, audience=AGENT),
        )
    traces.drop_from_state(root, needles, but=MARKER)


def _search(context: VaultContext, root: str, needles: Needles, progress: Progress | None) -> list[Trace]:
    hits = [
        trace for trace in traces.in_files(root, needles, progress) if trace.path != f"{STATE_DIR}/{MARKER}"
    ]
    if any(hit.place not in DERIVED for hit in hits):  # what stands in a file is in the index as well
        return [hit for hit in hits if hit.place not in (INDEX, VECTORS)]
    rows = context.catalog.rows("select id, entity, value, text from unit")
    texts = ("\n".join([*map(str, columns), *context.catalog.texts_in(packed)]) for *columns, packed in rows)
    return [*hits, *traces.in_rows(texts, needles)]


def _purged(plan: PurgePlan, *, dry_run: bool) -> Purged:
    places = []
    for place in PLACES:
        own_notices = [emptied for emptied in plan.emptied if emptied.place == place]
        places.append(PurgedPlace(place, len(own_notices), sum(notice.lines for notice in own_notices), 0))
    return Purged(tuple(places), plan.emptied, dry_run=dry_run)


def _with_hits(done: Purged, hits: list[Trace], past: str) -> Purged:
    counted: dict[str, int] = {}
    for hit in hits:
        counted[hit.place] = counted.get(hit.place, 0) + hit.texts
    places = [place._replace(hits=counted.pop(place.place, 0)) for place in done.places]
    places += [PurgedPlace(name, 0, 0, counted.pop(name, 0)) for name in DERIVED]
    if past == "rewritten":
        places.append(PurgedPlace(HISTORY, 0, 0, counted.pop(HISTORY, 0)))
    return done._replace(places=tuple(places), hits=tuple(hits))


def _steps(root: str, repository: History, emptied: Sequence[str]) -> tuple[str, ...]:
    """Commands of git alone that take the past of the emptied files out of all commits but the last."""
    head = repository.head()
    paths = [path for path in emptied if not path.startswith(_UNTRACKED)]
    listed = " ".join(map(shlex.quote, paths))
    if not paths or not head:
        return ()
    touched = f"git diff-tree --root --no-commit-id -r --name-only $GIT_COMMIT -- {listed} | grep -q ."
    message = f'if test "$GIT_COMMIT" != {head} && {touched}; then echo Forgotten; echo; grep "^Run: "; else cat; fi'
    index = f'test "$GIT_COMMIT" = {head} || git rm -r -q --cached --ignore-unmatch -- {listed}'
    git, backup = f"git -C {shlex.quote(root)}", shlex.quote(f"{root}-before-purge.bundle")
    return (
        f"{git} bundle create {backup} --all",
        f"{git} filter-branch -f --index-filter {shlex.quote(index)} --msg-filter {shlex.quote(message)} -- --all",
        f"{git} for-each-ref --format='delete %(refname)' refs/original | {git} update-ref --stdin",
        f"{git} reflog expire --expire=now --all",
        f"{git} gc --prune=now",
        f"rm {backup}",
    )
