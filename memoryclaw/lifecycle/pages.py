"""views: the generated pages of a vault, listed with how they stand, and written where somebody asks for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence

from memoryclaw.errors import NotFoundError
from memoryclaw.late import NamedTuple
from memoryclaw.lifecycle.keeping import UpkeepContext
from memoryclaw.lifecycle.views import ENTITIES, TOPICS, View, compose, find, pages, views, was_edited
from memoryclaw.vault import files
from memoryclaw.vault.generated import is_generated
from memoryclaw.vault.layout import on_disk
from memoryclaw.writing.init import leave_out
from memoryclaw.writing.writer import Edit, PendingCommit, patch_bytes, writing

VERB = "views"
_FOLDERS = tuple(folder.rstrip("/") for folder in (ENTITIES, TOPICS))


class Views(NamedTuple):
    """The pages asked for, those of them that were written just now, and what else to know."""

    listed: tuple[View, ...]
    written: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def look(context: UpkeepContext, name: str = "") -> Views:
    """The pages of a name, all of them without one, and how their files stand."""
    pages_listed = _views(context)
    if not name:
        return Views(tuple(pages_listed))
    chosen = tuple(find(pages_listed, name)) or tuple(find(pages_listed, context.catalog.entity_name(name)))
    if not chosen:
        raise NotFoundError(
            f"nothing is known of which a page {name!r} could be made; `memoryclaw browse views` lists all pages"
        )
    return Views(chosen)


def write(context: UpkeepContext, name: str = "") -> Views:
    """Writes the pages of a name, or all; one that is tracked is one commit. What a person wrote on a page is never touched."""
    chosen = {view.path for view in look(context, name).listed}
    return _write(context, lambda view: view.path in chosen and view.state in ("missing", "stale"))


def refresh(context: UpkeepContext) -> Views:
    """Writes the pages again that are there and stale; nothing where there is no folder of pages."""
    if not has_pages(context.writing.root):
        return Views(())
    return _write(context, lambda view: view.state == "stale")


def as_compiled(root: str, read: Callable[[str], str]) -> set[str]:
    """The pages between whose marks nobody wrote."""
    return {path for path in _paths(root) if is_generated(path, text := read(path)) and not was_edited(text)}


def compile_again(context: UpkeepContext, paths: Collection[str]) -> Views:
    """Writes pages of which lines were erased, between whose marks nobody wrote before."""
    return _write(context, lambda view: view.path in paths and view.state in ("stale", "edited"), edited=True)


def has_pages(root: str) -> bool:
    """True where somebody had pages written."""
    return any(os.path.isdir(on_disk(root, folder)) for folder in _FOLDERS)


def _views(context: UpkeepContext) -> list[View]:
    root = context.writing.root
    return views(pages(context), {path: context.writing.text(path) for path in _paths(root)})


def _paths(root: str) -> list[str]:
    return [path for folder in _FOLDERS for path in files.list_files(root, folder, ".md")]


def _write(context: UpkeepContext, wanted: Callable[[View], bool], *, edited: bool = False) -> Views:
    pages_listed, root = _views(context), context.writing.root
    chosen = [view for view in pages_listed if wanted(view)]
    if chosen and not has_pages(root):
        leave_out(root, _FOLDERS)
    run = context.writing.run(VERB)
    notices = [f"{view.path} {_WHY[view.state]}" for view in pages_listed if view.state in _WHY]
    paths = list[str]()
    with writing(root) as writer:
        items = [_commit(context, view, run, edited=edited) for view in chosen]
        while items:
            outcomes, refused = writer.write_all(items, verb=VERB, now=context.writing.now)
            paths += [view.path for view, outcome in zip(chosen, outcomes, strict=False) if outcome.changed]
            if refused:
                notices.append(str(refused))
            # One page that cannot be written keeps no other from being.
            at = len(outcomes) + bool(refused)
            chosen, items = chosen[at:], items[at:]
    return Views(tuple(_views(context)), tuple(paths), tuple(dict.fromkeys(notices)))


_WHY = {
    "edited": "was changed between its marks, and stays as it is: move your words out of them, then write it again",
    "own": "is a note of yours, and stays as it is",
}


def _commit(context: UpkeepContext, view: View, run: str, *, edited: bool) -> PendingCommit:
    page, templates = view.page, context.writing.templates
    change = patch_bytes(lambda now: compose(page, now, templates, edited=edited) if page else now)
    message = context.writing.message("views", path=view.path, count=view.sources, run=run)
    # What it takes away was compiled, and can be again.
    return PendingCommit([Edit(view.path, change, consumes=True)], message)


def in_words(listed: Sequence[View]) -> str:
    """How the pages stand, in a sentence; empty while all are as they should be."""
    says = {
        "stale": "stale",
        "edited": "changed between the marks",
        "orphan": "with nothing left to compile them from",
    }
    counts = ((sum(view.state == state for view in listed), words) for state, words in says.items())
    return ", ".join(f"{count} {words}" for count, words in counts if count)
