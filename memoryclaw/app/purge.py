"""purge, from a person's yes to the proof: the files, then what is derived from them, then on demand git's history; then all is searched."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from memoryclaw.app.context import AUDIENCES, VaultContext
from memoryclaw.app.views import as_compiled, compile_again
from memoryclaw.errors import LockedError, NotFoundError, VectorsError
from memoryclaw.history.repository import History
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.database import unpacked
from memoryclaw.model import AGENT
from memoryclaw.ports import Progress
from memoryclaw.review import traces
from memoryclaw.review.purge import PLACES, Emptied, PurgePlan, PurgeRequest, plan_purge, purge
from memoryclaw.review.traces import DERIVED, INDEX, VECTORS, WAITING, Trace
from memoryclaw.skills.host_skills import FOLDER as HOST_SKILLS
from memoryclaw.text.needles import Needles
from memoryclaw.vault import files
from memoryclaw.vault.layout import STATE_DIR
from memoryclaw.vault.state_folder import made, put
from memoryclaw.writing.context import WriteContext

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
    left = _left(context, request)
    return _told(plan_purge(writing, request, again=left is not None), dry_run=True)


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
    repository = History(writing.root)
    if history:
        from memoryclaw.history.rewriting import must_be_rewritable

        must_be_rewritable(repository)
    other = _marked(context)
    if other and other["request"] != request:  # one that was killed comes first
        carry_out(context, writing, other["request"], history=False, progress=progress)
    left = _left(context, request)
    again = left is not None
    kept = _kept(request, plan_purge(writing, request, again=again), left or {})
    _mark(context, kept)
    pages = as_compiled(writing.root, writing.text)
    plan, commit = purge(writing, request, again=again)
    kept = _kept(request, plan, kept)  # something may have been captured in between
    needles = Needles(kept["needles"])
    notices = [*_derived(context, needles)]
    if erased := pages & {one.path for one in plan.emptied}:
        compile_again(context.looking(), erased)
    done = _told(plan, dry_run=False)._replace(commit=commit, searched=len(needles.texts))
    hits = _search(context, writing.root, needles, progress)
    hits += [] if history else traces.in_branches(writing, kept["lines"], needles)
    state, bundle = repository.state().name, ""
    past = "none" if state in ("none", "unborn") else "kept"
    if history and past == "kept" and hits:
        notices.append("git's history was left as it is: settle first what was found")
    elif history and past == "kept":
        from memoryclaw.history.rewriting import Rewriting, found_in_objects

        rewriting = Rewriting(repository, plan.transforms, {**plan.renames}, kept["replaced"], needles)
        bundle = rewriting.run(
            kept["bundle"], lambda path: _mark(context, {**kept, "bundle": path}), progress
        )
        past = "rewritten"
        hits += [Trace(HISTORY, one) for one in found_in_objects(repository, needles, progress)]
        context.close()
    with suppress(FileNotFoundError):
        os.unlink(context.state / MARKER)
    waiting = [
        f"`memoryclaw review reject {one.path}` ends a run that would bring it back"
        for one in hits
        if one.place == WAITING
    ]
    return _with_hits(done, hits, past)._replace(
        history=past,
        bundle=bundle,
        steps=_steps(writing.root, repository, plan) if past == "kept" else (),
        notices=(*notices, *waiting),
    )


def _kept(request: PurgeRequest, plan: PurgePlan, known: dict[str, Any]) -> dict[str, Any]:
    """What the marker holds of a plan, on top of what is `known` of the same purge."""
    return {
        "request": list(request),
        "needles": sorted({*plan.needles, *known.get("needles", ())}),
        "replaced": {**known.get("replaced", {}), **plan.replaced},
        "lines": {**known.get("lines", {}), **plan.lines},
        "bundle": known.get("bundle", ""),
    }


def _marked(context: VaultContext) -> dict[str, Any]:
    """What a killed purge left; empty without one."""
    try:
        value = json.loads(files.read_file(os.fspath(context.root), f"{STATE_DIR}/{MARKER}").data)
    except (NotFoundError, ValueError):
        return {}
    if (
        not isinstance(value, dict)
        or not isinstance(value.get("request"), list)
        or len(value["request"]) != len(PurgeRequest._fields)
    ):
        return {}
    ids, source, since = value["request"]
    return {**value, "request": PurgeRequest(tuple(ids), source, since)}


def _left(context: VaultContext, request: PurgeRequest) -> dict[str, Any] | None:
    """What a killed purge left of the same request, or None."""
    value = _marked(context)
    return value if value and value["request"] == request else None


def _mark(context: VaultContext, value: dict[str, Any]) -> None:
    made(context.state)
    put(context.state, MARKER, json.dumps(value).encode("utf-8", "surrogatepass"))


def _derived(context: VaultContext, needles: Needles) -> Iterator[str]:
    """Builds anew what is derived from the files: pages that SQLite freed, and copies, hold what was erased."""
    shutil.rmtree(context.state / AUDIENCES, ignore_errors=True)  # each is built again when it is asked for
    context.index.discard()
    context.sync.run()
    root = os.fspath(context.root)
    if (context.state / "vectors").exists() or context.config.engine == "postgres":
        try:
            context.vectors.forget_gone()
        except (LockedError, VectorsError) as error:
            yield f"vectors of what was erased may be left ({error}); run `memoryclaw sync`"
    if (context.state / HOST_SKILLS).exists():
        from memoryclaw.skills.host_skills import HostFolder, host_skills

        host_skills(root, HostFolder(os.fspath(context.state)), sees=partial(context.sees, audience=AGENT))
    traces.drop_from_state(root, needles, but=MARKER)


def _search(context: VaultContext, root: str, needles: Needles, progress: Progress | None) -> list[Trace]:
    found = [one for one in traces.in_files(root, needles, progress) if one.path != f"{STATE_DIR}/{MARKER}"]
    if any(one.place not in DERIVED for one in found):  # what stands in a file is in the index as well
        return [one for one in found if one.place not in (INDEX, VECTORS)]
    return [*found, *traces.in_rows(_rows(context.catalog), needles)]


def _rows(catalog: Catalog) -> Iterator[str]:
    for *texts, packed in catalog.rows("select id, title, tags, properties, entity, value, text from unit"):
        yield "\n".join([*map(str, texts), unpacked(packed)])


def _told(plan: PurgePlan, *, dry_run: bool) -> Purged:
    places = []
    for place in PLACES:
        own = [one for one in plan.emptied if one.place == place]
        places.append(PurgedPlace(place, len(own), sum(one.lines for one in own), 0))
    return Purged(tuple(places), plan.emptied, dry_run=dry_run)


def _with_hits(done: Purged, hits: list[Trace], past: str) -> Purged:
    counted: dict[str, int] = {}
    for one in hits:
        counted[one.place] = counted.get(one.place, 0) + one.texts
    places = [place._replace(hits=counted.pop(place.place, 0)) for place in done.places]
    places += [PurgedPlace(name, 0, 0, counted.pop(name, 0)) for name in DERIVED]
    if past == "rewritten":
        places.append(PurgedPlace(HISTORY, 0, 0, counted.pop(HISTORY, 0)))
    return done._replace(places=tuple(places), hits=tuple(hits))


def _steps(root: str, repository: History, plan: PurgePlan) -> tuple[str, ...]:
    """Commands of git alone that take the past of the emptied files out of all commits but the last."""
    head = repository.head()
    paths = sorted({*plan.transforms} - {path for path in plan.transforms if path.startswith(_UNTRACKED)})
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
