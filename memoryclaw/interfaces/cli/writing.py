"""`init`, `remember`, `edit`, `forget`, `trust` and `undo`: changes, each a commit of its own."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from memoryclaw import config, rooms
from memoryclaw.errors import InputError, MemoryClawError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import Bar, as_json, plural, remark, say, styled
from memoryclaw.interfaces.cli.tables import pairs, table
from memoryclaw.interfaces.cli.verbs import AS_IS, ID, YES, CliContext, agreed, flag, option, pair, verb
from memoryclaw.text.prompts import visible
from memoryclaw.vault.layout import CONFIG_FILE
from memoryclaw.vault.state_folder import is_initialised

if TYPE_CHECKING:
    from memoryclaw.app.purge import Purged


@verb("init .", "init . --commit", "init ~/notes --default --json")
@click.argument("folder", metavar="[DIR]", required=False)
@flag(
    "--commit",
    "Commit your notes once, as they are, so that later changes can be undone; not what git ignores, what you staged, or what seems to hold a secret.",
)
@option(
    "--map",
    "NAME=DIR",
    "Put a folder of MemoryClaw's elsewhere if you already use its name: archive=memory/archive; may be repeated.",
    name="maps",
    multiple=True,
)
@option("--owner", "NAME", "Whose memory it is: the person who says `I` in its conversations.")
@flag("--default", "Make it your own vault, used where no other is named.", name="own")
@flag("--use-repository", "Commit in the larger repository around the folder.", name="shared")
@flag("--own-repository", "Make a repository in the folder, for the vault alone.", name="apart")
@flag("--yes", "Do not ask: keep the names of your folders, commit the notes, accept any folder.")
def init(
    context: CliContext,
    folder: str | None,
    *,
    commit: bool,
    maps: tuple[str, ...],
    owner: str,
    own: bool,
    shared: bool,
    apart: bool,
    yes: bool,
) -> None:
    """Turn a folder into a vault; existing files are not touched.

    Says what the folder holds, then adds folders, settings and a git repository where they are
    missing. On a terminal it asks for the options below. Without DIR it takes the folder that the
    other commands use. In your home folder, or among source code, it refuses without --yes.
    """
    from memoryclaw.app import init_vault, open_vault, survey_vault  # `--help` needs no app
    from memoryclaw.app.adoption import is_temporary, remember_vault

    root = Path(rooms.client.root_of(folder or context.vault))
    is_passing = is_temporary(root)
    if own and is_passing:
        sentence = f"{root} is in a temporary folder, which does not last"
        raise InputError(f"{sentence}: leave out --default, or name another folder")
    shared = _shares(context, root, shared=shared, apart=apart, yes=yes)
    with Bar() as bar:
        survey = survey_vault(root, shared=shared, progress=bar)
    if survey.place in _UNUSUAL:
        warning = _UNUSUAL[survey.place].format(survey.folder)
        if not yes and not _asked(context, f"{warning} Turn it into a vault all the same?"):
            way = f"choose a folder for the memory, such as `memoryclaw init {survey.folder}/memory`"
            raise InputError(f"{warning[:-1]}; {way}, or give --yes")
    if not context.json:
        _tell_survey(survey)
    paths = _mapped(context, survey, maps, yes=yes)
    # Git leaves these out, unless they are the user's and ours lie elsewhere.
    private = {"logs", "ledger", "working"} - paths.keys()
    new = [path for path in survey.untracked if path.partition("/")[0] not in private]
    question = f"Commit {plural(len(new), 'note')} as they are, so that every change to them can be undone?"
    take = bool(new) and (commit or yes or _asked(context, question))
    owner = _owner(context, root, owner, yes=yes)
    written = init_vault(root, commit=new if take else (), paths=paths, owner=owner, shared=shared)
    if survey.notes and written.action == "created":
        # So that `status` tells of them what was told here; what hinders that, the next verb says.
        with suppress(MemoryClawError), Bar() as bar, open_vault(root, progress=bar) as app:
            app.sync()
    if survey.ignored and not (yes or context.json) and sys.stdin.isatty():
        _ask_settings(root)
    may_ask = not (yes or is_passing or config.own_vault(os.environ) == root)
    instead = f" instead of {known_vault}" if (known_vault := config.own_vault(os.environ)) else ""
    whose = f"Is this your own vault, to be used{instead} where no other is named?"
    if own or (may_ask and _asked(context, whose)):
        remember_vault(root)
    if context.json:
        is_own = config.own_vault(os.environ) == root
        as_json({**shapes.written(written), "default": is_own, "found": shapes.survey(survey)})
        return
    tell_written(written)
    uncommitted, is_new = 0 if take else len(new), written.action != "confirmed"
    _tell_next(survey, paths, root, left=uncommitted, new=is_new, owner=owner)


def _shares(context: CliContext, root: Path, *, shared: bool, apart: bool, yes: bool) -> bool:
    """Whether the larger repository that a folder lies in is to hold the vault; a person at a terminal is asked."""
    if shared and apart:
        raise click.UsageError("Give --use-repository or --own-repository, not both.")
    state = rooms.git.git_state(os.fspath(root))
    if apart and state.top:
        sentence = f"{root} is kept in the repository of {state.top} already"
        raise InputError(f"{sentence}; `git config --edit` there takes it out")
    if shared or apart or yes or state.name != "none":
        return shared
    larger, _ = rooms.git.larger_repository(os.fspath(root))
    question = f"Commit in the repository of {larger}, rather than in one for the vault alone?"
    return bool(larger) and _asked(context, question)


def _ask_settings(root: Path) -> None:
    """Asks a person at a terminal what only they can say of the vault; what is left open waits in review."""
    from memoryclaw.app import open_vault

    with open_vault(root) as app:
        for item in app.review.list():
            if not (item.question and item.choices):
                continue
            numbers = ", ".join(f"{number} {words}" for number, words in enumerate(item.choices, 1))
            choice = click.prompt(
                f"{item.what} ({numbers}, 0 leave as is, Enter: decide it later in `memoryclaw review`)",
                type=click.IntRange(0, len(item.choices)), default="", show_default=False,
            )  # fmt: skip
            if choice == 0:
                app.review.reject([item])
            elif choice:
                app.review.approve([item], value=choice)


def _owner(context: CliContext, root: Path, name: str, *, yes: bool) -> str:
    """Whose memory a new vault is to be; a person at a terminal is asked, and may leave it open."""
    if is_initialised(root):
        if name:
            raise InputError(f"{root} has settings already; write `owner: {name}` into {CONFIG_FILE}")
        return ""
    if name or yes or context.json or not sys.stdin.isatty():
        return " ".join(name.split())
    question = "Your name, as it appears in your conversations (leave it empty to set `owner:` later)"
    return " ".join(str(click.prompt(question, default="", show_default=False)).split())


def _tell_next(
    survey: rooms.survey.Survey, paths: Mapping[str, str], root: Path, *, left: int, new: bool, owner: str
) -> None:
    """Says what was left undone, and what to try."""
    if ours := [folder.folder for folder in survey.named if folder.folder not in paths]:
        named = ", ".join(f"{name}/" for name in ours)
        puts = f"puts MemoryClaw's own elsewhere, such as `{ours[0]}: memory/{ours[0]}`"
        remark(f"What is in {named} is read as said above; `paths:` in memoryclaw.yaml {puts}")
    if left:
        notes = f"{plural(left, 'note')} of yours {'is' if left == 1 else 'are'} not in git"
        until = f"`memoryclaw init {_folder(root)} --commit` puts them there once"
        remark(f"{notes}, so none is edited until {until}")
    if not new:
        return
    remark(*rooms.doctor.idle_models(config.load(root)))
    place = f" --vault {_folder(root)}" if os.fspath(root) != rooms.client.root_of(None) else ""
    example = shlex.quote(f"{owner or 'Nora'} prefers tea")
    first = "ask 'a question'" if survey.notes else f"remember {example}"
    say(f"next: memoryclaw {first}{place}, then memoryclaw connect HOST{place}")


def _mapped(
    context: CliContext, survey: rooms.survey.Survey, maps: Sequence[str], *, yes: bool
) -> dict[str, str]:
    """Where folders of ours are to be: as said, and away from folders of the user's of the same name."""
    paths = dict(pair(text, "FIELD=VALUE", "--map") for text in maps)
    for folder in survey.named:
        place = f"memory/{folder.folder}"
        question = f"Keep {folder.folder}/ as plain notes, and put MemoryClaw's own into {place}/?"
        if folder.folder not in paths and (yes or _asked(context, question)):
            paths[folder.folder] = place
    return paths


_UNUSUAL = {
    "home": "{} is your home folder, and everything below it would be read as notes.",
    "code": "{} holds source code, and MemoryClaw's commits would be mixed with those of the code.",
}


def _asked(context: CliContext, question: str) -> bool:
    """True when a person at a terminal says yes; False where there is nobody to ask."""
    return not context.json and sys.stdin.isatty() and click.confirm(question)


def _folder(root: Path) -> str:
    """A folder as it would be typed."""
    return "." if root == config.here() else shlex.quote(os.fspath(root))


_READ_ALL_THE_SAME = (
    "by git's rules, and read here like any other; `memoryclaw review` asks whether they should be"
)


def _tell_survey(survey: rooms.survey.Survey) -> None:
    """Prints what a folder holds, as far as there is anything."""
    if not survey.notes:
        return
    kinds = ", ".join(plural(count, kind) for kind, count in survey.kinds.items())
    counted = ("tag", "link", "template", "problem")
    pairs([
        ("holds", f"{kinds}{' of an Obsidian vault' if survey.obsidian else ''}"),
        ("with", ", ".join(plural(count, what) for what in counted if (count := getattr(survey, f"{what}s")))),
        ("languages", ", ".join(f"{code} {count}" for code, count in survey.languages.items())),
        ("other", ", ".join(f"{count} {suffix}" for suffix, count in survey.other.items() if survey.place != "vault")),
        ("ignored", f"{plural(survey.ignored, 'note')} {_READ_ALL_THE_SAME}" if survey.ignored else ""),
        ("secrets", f"{', '.join(survey.secret)}: not committed" if survey.secret else ""),
        ("changed", f"{plural(len(survey.changed), 'file')} with changes that you did not commit: left as they are" if survey.changed else ""),
        *((f"{folder.folder}/", f"{plural(folder.files, 'file')} of your own in a folder whose name MemoryClaw uses: {folder.meaning}") for folder in survey.named),
    ])  # fmt: skip


@verb(
    "init\nremember 'Nora drinks oolong tea'",
    "remember 'Nora wants the receipts before Friday' --tag money",
    "remember 2026-12-11 --entity 'Boathouse Aarhus' --field deadline",
    "remember 'the wedding is on 5 september, near Otley' --entity Tam",
    "remember 'We ship Atlas without the map' --type decision --scope project:atlas --expires 2026-12-01",
    "remember - < minutes.txt",
    of="remember",
    without=("source",),
)
@flag("--note", "Keep the words as an episode, whatever they say.")
@AS_IS
def remember(context: CliContext, *, text: str, **keys: Any) -> None:
    """Store a fact, a statement or an episode.

    The text is read like a conversation: what it says becomes facts and statements, and an episode
    keeps the rest. With --entity and --field it is the value of a fact, with --entity alone a
    statement, with --tag or --note an episode. A text of - is read from standard input.
    """
    text = sys.stdin.read() if text == "-" else text
    context.carry_out(tell_written, "remember", {"text": text, **keys})


@verb(
    "init\nremember oolong --entity Nora --field tea\nedit semantic/facts#Nora.tea --set value=sencha",
    "edit ep-20250708-penicillin --set pin=true --set tags='[health, nora]'",
    "edit notes/moon-pancakes --text new.md --digest 1f2e3d4c --dry-run",
)
@click.argument("id_", metavar="ID", type=ID)
@option("--set", "F=V", "A field and its value; may be repeated.", name="pairs", multiple=True)
@option(
    "--text",
    "FILE",
    "Replace the note's text by this file; - is standard input.",
    name="file",
    type=click.File(encoding="utf-8"),
)
@option("--digest", "D", "With --text: the digest of the note as you read it (`show --json`).")
@flag("--dry-run", "With --text: only show what would change.")
@AS_IS
def edit(
    context: CliContext,
    *,
    id_: str,
    pairs: tuple[str, ...],
    file: IO[str] | None,
    digest: str,
    dry_run: bool,
    as_is: bool,
) -> None:
    """Set fields of a note or the value of a fact, tick a to-do, or replace a note's text; no other byte changes."""
    if bool(pairs) == (file is not None) or ((digest or dry_run) and file is None):
        raise click.UsageError("Give --set, or --text with --digest.")
    if file is not None and not digest:
        raise click.UsageError("--text needs --digest: that of the note as you read it, from `show --json`.")
    values = {"id_": id_, "as_is": as_is}
    if file is not None:
        text = {"text": file.read(), "digest": digest, "dry_run": dry_run}
        context.carry_out(_print_rewrite, "rewrite", {**values, **text})
    else:
        fields = dict(pair(text, "FIELD=VALUE", "--set") for text in pairs)
        context.carry_out(tell_written, "edit", {**values, "fields": fields})


def _print_rewrite(rewrite: rooms.edit.NoteRewrite) -> None:
    if rewrite.written is not None:
        tell_written(rewrite.written)
    else:
        for line in rooms.word_diff.marked_lines(rewrite.before, rewrite.after):
            say(styled(line))
    for problem in rewrite.problems:
        remark(f"{problem.path}:{problem.line}: {problem.message}; {problem.hint}")


@verb(
    "init\nremember oolong --entity Nora --field tea\nforget semantic/facts#Nora.tea",
    "forget 'semantic/contacts#John.value'",
    "forget log:2025-10-21-kanazawa/8",
    "forget --purge log:2025-10-21-kanazawa/8 --dry-run",
    "forget --purge --source kanazawa --history",
)
@click.argument("ids", metavar="[ID]...", nargs=-1, type=ID)
@flag("--undo", "Bring back what was forgotten or archived, unchanged.")
@flag("--purge", "Erase it everywhere; nothing brings it back.")
@option("--source", "S", "With --purge: everything from a session, tool or file.")
@option("--since", "D", "With --purge: everything captured or remembered from a day on.")
@flag("--history", "With --purge: rewrite git's history too, after a backup.")
@flag("--dry-run", "With --purge: only show what would be emptied.")
@flag("--yes", "With --purge: do not ask.")
def forget(
    context: CliContext,
    *,
    ids: tuple[str, ...],
    undo: bool,
    purge: bool,
    history: bool,
    dry_run: bool,
    yes: bool,
    **which: Any,
) -> int:
    """Take a note, a fact or a turn out of every answer; --undo brings it back.

    With --purge it is erased everywhere, with all that was made of it. What will be emptied is
    shown first, and you are asked; then every place is searched. The exit code is 1 if something is
    still found.
    """
    if not purge:
        if any(which.values()) or history or dry_run or yes:
            raise click.UsageError("--source, --since, --history, --dry-run and --yes go with --purge.")
        if len(ids) != 1:
            raise click.UsageError("Name one thing to forget.")
        return context.carry_out(tell_written, "revive" if undo else "forget", {"id_": ids[0]})
    if undo:
        sentence = "What is erased with --purge cannot come back"
        raise click.UsageError(f"{sentence}; --undo and --purge exclude each other.")
    with context.app("searching") as app, Bar("searching") as bar:
        planned = app.purge(*ids, **which, dry_run=True)
        if dry_run or not context.json:
            _tell_purged(context, planned)
        if dry_run or not agreed(context, "Erase all of this for good?", yes=yes):
            return 0
        purged = app.purge(*ids, **which, history=history, progress=bar)
    _tell_purged(context, purged)
    return int(bool(purged.hits))


_SAY_THE_SAME = "Look at these: they say the same and were not named. Purge them by id, or change them by hand, then purge again."
_REWRITTEN = "Git's history was rewritten. {} is the history as it was and holds all of it: check the vault, then delete it."
_STILL_HELD = "Git's history still holds it. These commands take it out (commit your own work first); if the vault was pushed, every copy needs the same:"


def _tell_purged(context: CliContext, purged: Purged) -> None:
    if context.printed(shapes.plain, purged):
        return
    if purged.dry_run:
        goes = [("all of it" if hit.whole else plural(hit.lines, "line"), hit) for hit in purged.emptied]
        table(["place", "file", "goes"], [[hit.place, hit.path, share] for share, hit in goes])
        say()
        return
    rows = [[hit.place, plural(hit.files, "file"), str(hit.lines), str(hit.hits)] for hit in purged.places]
    table(["place", "emptied", "lines", "hits"], rows)
    outcome = "found nowhere any more"
    if purged.hits:
        outcome = f"something of it is still in {plural(len(purged.hits), 'place')}"
    commit = f", commit {purged.commit[:10]}" if purged.commit else ""
    say(f"\n{styled('purged', bold=True)}: {plural(purged.searched, 'text')} looked for, {outcome}{commit}")
    for hit in purged.hits:
        say(f"  {styled(f'{hit.path}:{hit.line}' if hit.line else hit.path)} ({hit.place})")
    if purged.hits:
        say(_SAY_THE_SAME)
    if purged.bundle:
        say(_REWRITTEN.format(styled(purged.bundle)))
    if purged.steps:
        say("\n".join([_STILL_HELD, *(f"  {step}" for step in purged.steps)]))
    remark(*purged.notices)


@verb(
    "init\nremember oolong --entity Nora --field tea\ntrust semantic/facts#Nora.tea --yes",
    "trust 'semantic/facts#Tam.car' --yes",
)
@click.argument("id_", metavar="ID", type=ID)
@flag("--quarantine", "Instead, take it out of every answer; it stays in its file.")
@YES
def trust(context: CliContext, id_: str, *, quarantine: bool, yes: bool) -> None:
    """Trust what an agent, a tool or a web page said, or put it in quarantine.

    Shows the text and asks first. What you trust is recalled like your own words.
    It is available only on the command line.
    """
    with context.app() as app:
        if not (quarantine or yes):
            click.echo(visible(app.show(id_).text))
        if not (quarantine or agreed(context, "Do you trust this?", yes=yes)):
            return
        written = app.quarantine(id_) if quarantine else app.trust(id_)
    if not context.printed(shapes.written, written):
        tell_written(written)


@verb(
    "init\nremember oolong --entity Nora --field tea\nundo HEAD",
    "undo remember-20261121T101500-ab12cd",
    of="undo",
)
def undo(written: rooms.context.Written) -> None:
    """Revert a change that MemoryClaw made, or a whole run.

    Later edits are kept. The undo is a commit too, and what was undone is not consolidated again.
    """
    tell_written(written)


def tell_written(written: rooms.context.Written) -> None:
    """Prints for people what a writing verb did."""
    commit = f", commit {written.commit[:10]}" if written.commit else ""
    where = f"{written.path or written.id}{commit}"
    if written.id and written.path:
        where = f"{written.id} ({written.path}{commit})"
    say(f"{styled(written.action, bold=True)}: {styled(where)}")
    remark(written.notice)
