"""`adopt`: what a vault asks for counts only where this person allows it, and this is where they do."""

from __future__ import annotations

import click

from memoryclaw.errors import NotFoundError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import as_json, say, styled
from memoryclaw.interfaces.cli.verbs import TEXT, CliContext, agreed, flag, verb


@verb(examples=["init\nadopt --dry-run", "adopt", "adopt llm.chain --yes"])
@click.argument("what", nargs=-1, type=TEXT)
@flag("--dry-run", "Only show what would change.")
@flag("--yes", "Do not ask.")
def adopt(context: CliContext, *, what: tuple[str, ...], dry_run: bool, yes: bool) -> None:
    """Allow what this vault asks for, for yourself and on this machine.

    Lists what the vault asks for that your settings do not allow, where it comes from and what it
    would permit, and asks once.
    """
    with context.app(quiet=True) as app:
        items = [item for item in app.adoptable() if not what or item.what in what]
        if missing := sorted({*what} - {item.what for item in items}):
            raise NotFoundError(
                f"nothing called {missing[0]!r} waits to be adopted; `memoryclaw adopt --dry-run` lists what does"
            )
        if not context.json:
            for item in items:
                say(f"{styled(item.line, bold=True)} ({styled(item.origin)})")
                say(f"    {styled(item.allows)}")
        if done := bool(items) and not dry_run and agreed(context, "Adopt all of this?", yes=yes):
            app.adopt(items)
    if context.json:
        as_json(shapes.adopted(shapes.AdoptionShown(done, tuple(items))))
    elif done:
        say("Adopted, for you and on this machine.")
    else:
        say("Nothing was adopted." if items else "There is nothing to adopt.")
