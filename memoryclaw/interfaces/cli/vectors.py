"""`vectors`: what finds by meaning beside words, turned on and off for a vault in the user's own settings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from memoryclaw import rooms
from memoryclaw.errors import InputError
from memoryclaw.interfaces.cli.maintaining import vectors_in_words
from memoryclaw.interfaces.cli.printing import Bar, plural, remark, say, styled
from memoryclaw.interfaces.cli.verbs import TEXT, YES, CliContext, agreed, group
from memoryclaw.vault.layout import QUESTIONS_FILE, on_disk

if TYPE_CHECKING:
    from memoryclaw.app import App


@group("init\nvectors", "vectors on", "vectors on use-multilingual --yes", default="status")
def vectors() -> None:
    """Find by meaning as well as by words."""


@vectors.verb("init\nvectors status", "vectors status --json")
def status(context: CliContext) -> None:
    """Show the state of vectors, their model, and how many are missing."""
    with context.app() as app:
        state = app.status().vectors
    model, units, missing = (state.model, state.units, state.missing) if state else ("", 0, 0)
    if context.printed(dict, model=model, units=units, missing=missing):
        return
    say(vectors_in_words(state) if state else "Vectors are off; `memoryclaw vectors on` turns them on.")


@vectors.verb("vectors on", "vectors on minilm --yes", "vectors on nomic-embed-text")
@click.argument("model", required=False, type=TEXT)
@YES
def on(context: CliContext, *, model: str | None, yes: bool) -> None:
    """Turn vectors on for this vault, and make them. Reports what its golden questions gain.

    MODEL is minilm (English), use-multilingual, or a model of Ollama. Nothing is downloaded.
    """
    with context.app() as app:
        offered = app.offered_vectors(model or "")
        if not context.json:
            say(f"{styled(offered.model)}: {offered.what}")
        if offered.missing:
            raise InputError(f"vectors stay off: {offered.missing}")
        if not agreed(context, "Turn vectors on for this vault?", yes=yes):
            return
        before = _evaluated(app)
        app.turn_vectors(offered.model)
    with context.app(quiet=True) as app:
        with Bar("making vectors") as bar:
            filled = app.fill_vectors(progress=bar)
        after = _evaluated(app) if before else None
    gained: dict[str, list[float]] = {}
    if before and after:
        gained = {f"recall@{k}": [value, after.recall[k]] for k, value in before.recall.items()}
        for tokens, value in before.held.items():
            gained[f"evidence in {tokens:g} tokens"] = [value, after.held[tokens]]
    counts = {"units": filled.units, "made": filled.filled, "missing": filled.missing}
    if context.printed(dict, model=filled.model, **counts, gained=gained):
        return
    say(f"{plural(filled.filled, 'vector')} made for {plural(filled.units, 'unit')}.")
    remark(filled.notice)
    for name, (old, new) in gained.items():
        say(f"{name} of the golden questions: {old:.3f} without vectors, {new:.3f} with them")
    if not gained:
        say("There are no golden questions to show what it gains; write some into eval/questions.yaml.")


@vectors.verb("init\nvectors off")
def off(context: CliContext) -> None:
    """Turn vectors off for this vault."""
    with context.app() as app:
        app.turn_vectors("")
    if not context.printed(dict, model="", units=0, missing=0):
        say("Vectors are off for this vault.")


def _evaluated(app: App) -> rooms.evaluation.Evaluated | None:
    """How its golden questions go; None where a vault has none."""
    return app.evaluate() if os.path.exists(on_disk(os.fspath(app.root), QUESTIONS_FILE)) else None
