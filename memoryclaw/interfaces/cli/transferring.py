"""`import` and `export`: what comes from other programs, and what leaves the vault."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import click

from memoryclaw import rooms
from memoryclaw.errors import ForbiddenError, InputError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.capturing import summary
from memoryclaw.interfaces.cli.printing import GAP, Bar, padded, plural, remark, say, styled
from memoryclaw.interfaces.cli.verbs import DRY_RUN, TAG, TEXT, CliContext, flag, option, verb
from memoryclaw.model import AGENT, OWNER

if TYPE_CHECKING:
    from memoryclaw.app import App

Done = TypeVar("Done", "rooms.importing.ImportedExport", "rooms.bundles.Restored")
_LOGS, _BUNDLE = "logs", "bundle"
_MEMORY_MD, _LATEST = "memory-md", "latest"
_PROGRAMS = ("chatgpt", "claude", "aider", "mem0", "basic-memory", "memory-md", "markdown")
_SHOWN = 20


@verb(
    "init\nexport backup.tar.gz\nimport bundle backup.tar.gz --dry-run",
    "import chatgpt ~/Downloads/chatgpt-export.zip",
    "import claude ~/Downloads/data-2026-04-01.zip --yes",
    "import markdown ~/Notes --dry-run",
    "import bundle ~/backup.tar.gz --vault ~/restored",
    "import logs ~/.openclaw/agents/main/sessions",
)
@click.argument("what", metavar="WHAT", type=click.Choice([_LOGS, *_PROGRAMS, _BUNDLE]))
@click.argument("path", metavar="PATH", type=click.Path())
@DRY_RUN
@flag("--yes", "Do not ask; logs are imported without asking.")
def import_(context: CliContext, what: str, path: str, *, dry_run: bool, yes: bool) -> int:
    """Import from other programs, or restore a bundle; PATH is only read, and nothing is imported twice.

    WHAT is chatgpt, claude, aider, mem0, basic-memory, memory-md, markdown, logs or bundle.
    Conversations become logs, memories wait in `review`, notes are copied to `notes/`. Shows what
    would come in, and asks.
    """
    if what == _LOGS:
        if dry_run:
            why = "the source is only read, and nothing is imported twice"
            raise click.UsageError(f"Logs have no --dry-run; {why}.")
        return _logs(context, path)
    if what == _BUNDLE:
        return _bundle(context, path, dry_run=dry_run, yes=yes)
    with context.app(f"importing from {what}") as app:

        def work(only_show: bool) -> rooms.importing.ImportedExport:
            return app.transfer.import_from(what, path, dry_run=only_show)

        imported = _asked(context, work, _tell_export, dry_run=dry_run, yes=yes)
    context.printed(shapes.plain, imported)
    return int(bool(imported.problems))


def _asked(
    context: CliContext,
    work: Callable[[bool], Done],
    tell: Callable[[Done], None],
    *,
    dry_run: bool,
    yes: bool,
) -> Done:
    """Shows what would be done, asks, and does it; where nobody can be asked, it is only shown."""
    if not yes or dry_run:
        outcome = work(True)
        if not context.json:
            tell(outcome)
        if dry_run or not outcome.is_new:
            return outcome
        if context.json or not sys.stdin.isatty():
            remark("nothing was written; --yes imports it")
            return outcome
        if not click.confirm("Bring this over?"):
            say("Nothing was written.")
            return outcome
    outcome = work(False)
    if not context.json:
        tell(outcome)
    return outcome


def _logs(context: CliContext, path: str) -> int:
    with context.app("importing logs") as app:
        imported = app.import_logs(path)
        notice = app.capture_notice
    if not context.printed(shapes.plain, imported):
        counts = Counter(
            kept=imported.added, again=imported.again, left_out=imported.left_out, redacted=imported.redacted
        )
        say(f"{plural(imported.files, 'file')}: {summary(counts)}")
        for problem in imported.problems[:_SHOWN]:
            remark(f"{problem.path}:{problem.line} {problem.message}")
        _more(len(imported.problems))
    remark(notice)
    return int(bool(imported.problems))


def _bundle(context: CliContext, path: str, *, dry_run: bool, yes: bool) -> int:
    from memoryclaw.app import restore_vault  # `--help` needs no app

    if context.caller() != OWNER:
        raise ForbiddenError(f"only the owner may do this, and this caller's audience is {context.caller()}")
    root = rooms.client.root_of(context.vault)
    with Bar("restoring files") as bar:

        def work(only_show: bool) -> rooms.bundles.Restored:
            return restore_vault(root, path, dry_run=only_show, progress=bar)

        restored = _asked(context, work, _tell_restored, dry_run=dry_run, yes=yes)
    context.printed(shapes.restored, restored)
    return int(bool(restored.differs or restored.left_out))


def _would(report: rooms.importing.ImportedExport | rooms.bundles.Restored, count: int) -> str:
    return "would be" if report.dry_run else "was" if count == 1 else "were"


def _tell_export(report: rooms.importing.ImportedExport) -> None:
    new, talks = [talk for talk in report.conversations if talk.new], []
    for talk in new:
        days = " to ".join(dict.fromkeys((talk.first[:10], talk.last[:10])))
        talks.append((plural(talk.new, "new turn"), talk.title or talk.session, days))
    proposed = [(proposal.kind, proposal.what, proposal.source) for proposal in report.proposed]
    for group in (talks, proposed, [("copy", path, "") for path in report.notes]):
        for kind, what, about in group[:_SHOWN]:
            dim = f"{GAP}{styled(about, dim=True)}" if about else ""
            say(f"{padded(kind, 13, bold=True)}{GAP}{styled(what)}{dim}")
        _more(len(group))
    turns_kept = f"{plural(report.added, 'new turn')} of {plural(len(new), 'conversation')}"
    parts_in_words = [f"{turns_kept} {_would(report, report.added)} kept" if new else "No new turns"]
    parts_in_words += [f"{report.again:,} known already"] * (report.again > 0)
    parts_in_words += [f"{plural(report.redacted, 'secret')} redacted"] * (report.redacted > 0)
    wait = "would wait" if report.dry_run else "wait" if len(report.proposed) != 1 else "waits"
    lines = [f"{', '.join(parts_in_words)}."] * bool(report.conversations)
    lines += [f"{plural(len(report.proposed), 'proposal')} {wait} for your decision."] * bool(report.proposed)
    count = len(report.notes)
    lines += [f"{plural(count, 'note')} {_would(report, count)} copied."] * bool(count)
    lines += [f"{plural(report.known, 'thing')} known already."] * bool(report.known)
    for line in lines or ["Nothing to import."]:
        say(line)
    for reason, count in report.left_out.items():
        say(f"Left out: {styled(reason)} ({count:,}).")
    if not report.dry_run and report.added:
        say("`memoryclaw consolidate` turns the conversations into memories.")
    if not report.dry_run and report.proposed:
        say("`memoryclaw review` shows the proposals.")
    remarks = [
        f"{problem.path}:{problem.line} {problem.message}; {problem.hint}" for problem in report.problems
    ]
    remarks += report.notices
    remark(*remarks[:_SHOWN])
    _more(len(remarks))


def _tell_restored(report: rooms.bundles.Restored) -> None:
    count, same = len(report.written), f", {report.same:,} there already" * (report.same > 0)
    say(f"{count:,} of {plural(report.files, 'file')} {_would(report, count)} written{same}.")
    for path in report.differs[:_SHOWN]:
        remark(f"{path} exists with other contents, and stays as it is")
    _more(len(report.differs))
    for path, reason in report.left_out[:_SHOWN]:
        remark(f"{path} {reason}; it was left out")
    _more(len(report.left_out))
    if report.created:
        say(f"A new vault {'would be' if report.dry_run else 'was'} made for them.")
    remark(*report.notices)


def _more(count: int) -> None:
    if count > _SHOWN:
        remark(f"… and {count - _SHOWN:,} more; --json lists them all")


@verb(
    "init\nremember 'Nora drinks oolong tea' --note\nexport backup.tar.gz",
    "export ~/blog.tar.gz --audience public --tag blog",
    "export ~/april.tar.gz --since 2026-04-01",
    "export memory-md ~/.openclaw/workspace/MEMORY.md",
    "export latest",
)
@click.argument("what", metavar="WHAT", type=TEXT)
@click.argument("file", metavar="[FILE]", required=False, default="", type=click.Path())
@option("--since", "DATE", "In a bundle: only items from DATE onwards.")
@option(
    "--tag", "TAG", "In a bundle: notes with this tag; may be repeated.", name="tags", type=TAG, multiple=True
)
@option("--budget", "N", "The most tokens in memory-md and latest.", type=click.INT)
def export(
    context: CliContext, *, what: str, file: str, since: str, tags: tuple[str, ...], budget: int | None
) -> None:
    """Export a bundle, or a readable MEMORY.md for hosts without a server.

    WHAT is the name of a bundle (ending in .tar.gz), memory-md or latest. A bundle holds what the
    caller may see. memory-md prints what the agent may see, or writes it to FILE; latest keeps it
    up to date in .memoryclaw/. What is marked [NOEXPORT] is left out.
    """
    if what in (_MEMORY_MD, _LATEST):
        if since or tags:
            raise click.UsageError("--since and --tag are for bundles.")
        # A host reads the file, so it holds what the agent may see unless somebody says otherwise.
        context.audience = context.caller(AGENT)
        with context.app() as app:
            how = {} if budget is None else {"budget": budget}
            (_memory_file if what == _MEMORY_MD else _latest)(context, app, file, how)
        return
    target = file if what == _BUNDLE else what
    if (what != _BUNDLE and file) or not target.endswith((".tar.gz", ".tgz")):
        raise click.UsageError("WHAT is memory-md, latest, or the name of a bundle, which ends in .tar.gz.")
    if budget is not None:
        raise click.UsageError("--budget is for memory-md and latest.")
    with context.app("packing files") as app:
        packed = app.transfer.export_bundle(target, since=since, tags=tags)
    if context.printed(shapes.plain, packed):
        return
    files = f"{plural(packed.files, 'file')}, {packed.bytes:,} bytes"
    say(f"{files}, in {styled(packed.path)} ({packed.size:,} bytes).")
    say(f"sha256 {packed.sha256}")
    if packed.withheld:
        why = "it is marked [NOEXPORT], or rests on what is"
        say(f"Of {plural(packed.withheld, 'file')} something stays here: {why}.")
    remark(*packed.notices)


def _memory_file(context: CliContext, app: App, file: str, how: dict[str, int]) -> None:
    memory = app.transfer.memory_file(**how)
    if file:
        path = os.path.abspath(os.path.expanduser(file))
        ours = not os.path.lexists(path)  # a file that somebody else wrote is not replaced
        with suppress(OSError), open(path, encoding="utf-8", errors="replace") as there:
            ours = not os.path.islink(path) and rooms.memory_file.is_ours(there.read(1000))
        if not ours:
            sentence = f"{path} was not written by `memoryclaw export`"
            raise InputError(f"{sentence}; move it away, or give another name")
        folder, name = os.path.split(path)
        if not os.path.isdir(folder):
            raise InputError(f"there is no folder {folder}; make it first")
        rooms.state_folder.write_private(folder, name, memory.text.encode("utf-8", "replace"))
        if not context.json:
            out = plural(memory.left_out, "fact or episode", "facts and episodes")
            no_room = f"; {out} had no room" if memory.left_out else ""
            say(f"{styled(path)}: {plural(memory.tokens, 'token')}{no_room}.")
    if not context.printed(rooms.memory_file.as_json, memory, app.audience) and not file:
        click.echo(memory.text, nl=False)


def _latest(context: CliContext, app: App, file: str, how: dict[str, int]) -> None:
    if file:
        place = ".memoryclaw/latest.md"
        raise click.UsageError(f"latest has a place of its own, {place}; memory-md takes a FILE.")
    latest = app.transfer.write_latest(**how)
    if context.printed(shapes.plain, latest):
        return
    files = f"{styled(latest.markdown)}, {styled(os.path.basename(latest.json))}"
    say(f"{files}: {plural(latest.tokens, 'token')}, for the {styled(latest.audience)}.")
    say("`memoryclaw sync`, `sync --watch` and `serve` keep both fresh.")
