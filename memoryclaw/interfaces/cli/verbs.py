"""The table of verbs and what they share. A verb's module is imported only when the verb is called."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import click

from memoryclaw import __version__
from memoryclaw.model import OWNER

if TYPE_CHECKING:
    from memoryclaw.app import App


@dataclass(slots=True)
class CliContext:
    """The options that every verb shares."""

    vault: str | None = None
    json: bool = False
    audience: str | None = None

    def caller(self, default: str = OWNER) -> str:
        """The audience of who calls: as said, by `$MEMORYCLAW_AUDIENCE`, else the default."""
        said = os.environ.get("MEMORYCLAW_AUDIENCE") if self.audience is None else self.audience
        if said is None:
            return default
        from memoryclaw.vault.audience import named  # mostly nobody says so

        return named(said)

    @contextmanager
    def app(self, work: str = "reading notes", *, quiet: bool = False) -> Iterator[App]:
        """The open vault, closed at the end of the block; a long first indexing shows its progress.

        What is new of the vault is told once: not, if `quiet`, by a verb that a program calls, or that tells it anyway.
        """
        from memoryclaw.app import open_vault  # `--help` and completion need no vault
        from memoryclaw.interfaces.cli.printing import Bar, remark

        gc.freeze()
        gc.enable()
        with Bar(work) as bar, open_vault(self.vault, progress=bar, audience=self.caller()) as app:
            for sentence in app.news() if app.audience == OWNER and not quiet else ():
                remark(sentence)
            yield app

    def served(self, method: str, path: str, **asked: Any) -> dict[str, Any] | None:
        """What the vault's daemon answers, or None where none runs; the verb then gives the same answer itself."""
        from memoryclaw.daemon.client import query_of, root_of, served

        audience = self.caller()
        if method == "GET":
            return served(root_of(self.vault), method, path + query_of(asked), audience=audience)
        return served(root_of(self.vault), method, path, asked, audience=audience)


SECTIONS: dict[str, dict[str, str]] = {
    "Ask": {
        "ask": "asking", "recall": "asking", "search": "asking", "why": "asking", "working": "working",
        "feedback": "working",
    },
    "Look": {"show": "looking", "browse": "looking", "facts": "looking", "entities": "looking", "entity": "looking", "todos": "looking", "timeline": "looking", "inspect": "looking", "links": "linking", "views": "looking"},
    "Write": {
        "init": "writing", "remember": "writing", "edit": "writing", "forget": "writing", "revive": "writing",
        "trust": "writing", "quarantine": "writing", "undo": "writing",
    },
    "Log": {"capture": "capturing", "import": "transferring", "hook": "hooks", "consolidate": "consolidating", "redo": "consolidating", "schedule": "consolidating"},
    "Review": {"review": "reviewing", "history": "looking", "blame": "looking", "skills": "skills"},
    "Keep": {"sync": "maintaining", "watch": "serving", "serve": "serving", "ui": "serving", "mcp": "serving", "connect": "connecting", "openclaw": "openclawing", "export": "transferring", "reindex": "maintaining", "status": "maintaining", "stats": "maintaining", "doctor": "maintaining", "lint": "linting", "migrate": "maintaining", "adopt": "adopting", "eval": "evaluating", "completion": "maintaining"},
    "Many vaults": {"fleet": "fleet", "tokens": "fleet", "work": "jobs", "jobs": "jobs"},
}  # fmt: skip
VERBS = {verb: module for verbs in SECTIONS.values() for verb, module in verbs.items()}
_FIRST = ("remember 'Nora prefers tea'", "ask 'What does Nora drink?'", "init ~/notes")
# Words that people try, and how what they mean is called here.
_REMEMBER, _FORGET, _BROWSE = "remember 'Nora prefers tea'", "forget ID", "browse"
_SEARCH, _SHOW = "search boathouse deadline", "show ID"
_MEANT = {
    "add": _REMEMBER, "note": _REMEMBER, "save": _REMEMBER, "store": _REMEMBER, "new": _REMEMBER,
    "delete": _FORGET, "delete-fact": _FORGET, "remove": _FORGET, "rm": _FORGET, "archive": _FORGET,
    "list": _BROWSE, "ls": _BROWSE, "notes": _BROWSE,
    "find": _SEARCH, "grep": _SEARCH, "query": _SEARCH,
    "get": _SHOW, "cat": _SHOW, "read": _SHOW, "open": _SHOW,
    "log": "history", "logs": "history", "changes": "history", "diff": "history", "audit": "history",
    "update": "edit ID --set F=V", "set": "edit ID --set F=V", "change": "edit ID --set F=V",
    "restore": "revive ID", "revert": "undo COMMIT", "rollback": "undo COMMIT",
    "check": "doctor", "health": "doctor", "start": "serve",
}  # fmt: skip
_WITH_VALUE = ("--vault", "--audience")  # of the options that every verb shares
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class TextParam(click.types.StringParamType):
    """Words of a person; bytes of another encoding become replacement characters."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The value as clean Unicode."""
        text = str(super().convert(value, param, ctx))
        return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


TEXT = TextParam()
AS_IS = click.option("--as-is", is_flag=True, help="Keep what looks like a secret as it was typed.")


class Verb(click.Command):
    """One verb: takes `--vault` and `--json` as the group does, and shows examples in its help.

    Args:
        examples: how it may be called.
        of: the verb of the app that gives it its arguments and options; the function then prints the answer, see `table.carry_out`.
        without: those that it does not take.
    """

    def __init__(
        self,
        *args: Any,
        examples: Sequence[str] = (),
        of: str = "",
        without: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        kwargs["params"] = [*(kwargs.get("params") or []), *shared_options()]
        kwargs.setdefault("context_settings", _SETTINGS)
        self._params: list[click.Parameter] = []
        self.of, self._without, self._is_made = of, without, not of
        if of:
            kwargs["callback"] = partial(_carried_out, kwargs["callback"], of)
        super().__init__(*args, **kwargs)
        self.examples = examples

    @property
    def params(self) -> list[click.Parameter]:
        """Its arguments and options; those of the app are looked up when somebody asks, as the list of all verbs needs none."""
        if not self._is_made:
            from memoryclaw.interfaces.cli.table import params_of

            self._params = [*params_of(self.of, self._without, TEXT), *self._params]
            self._is_made = True
        return self._params

    @params.setter
    def params(self, params: list[click.Parameter]) -> None:
        self._params = params

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples below the options."""
        super().format_epilog(ctx, formatter)
        if self.examples:
            _write_examples(self.examples, formatter)


def _write_examples(examples: Sequence[str], formatter: click.HelpFormatter) -> None:
    with formatter.section("Examples"):
        for example in examples:
            formatter.write(f"{'':{formatter.current_indent}}memoryclaw {example}\n")


def _helped(ctx: click.Context, told: click.Command | None) -> None:
    """Prints the help of a verb, of the whole without one."""
    shown = click.Context(told, info_name=told.name, parent=ctx) if told else ctx
    click.echo(shown.get_help())


class Verbs(click.Group):
    """The group of all verbs, in sections."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as Click calls it
        """The names of all verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The verb with this name, from its module."""
        module = VERBS.get(cmd_name)
        # `import` is a word of Python's own, so its function is called `import_`.
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        found = getattr(import_module(f"memoryclaw.interfaces.cli.{module}"), name) if module else None
        return found if isinstance(found, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that was asked for; a typo gets a suggestion."""
        if args[0] == "help":
            told = self.get_command(ctx, args[1]) if len(args) > 1 else None
            if told or len(args) == 1:
                return args[0], click.Command("help", callback=lambda: _helped(ctx, told)), []
            args = args[1:]
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if meant := _MEANT.get(args[0]):
                line = f"{error.message} {meant.partition(' ')[0]!r} does that: memoryclaw {meant}"
                raise click.UsageError(line) from None
            from difflib import get_close_matches  # most verbs are typed right

            close = get_close_matches(args[0], VERBS, 1)
            if not close:
                raise
            raise click.UsageError(f"{error.message} Did you mean {close[0]!r}?", ctx) from None

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes what this is, then what to try first."""
        super().format_help_text(ctx, formatter)
        _write_examples(_FIRST, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the verbs with what they do."""
        for section, names in SECTIONS.items():
            rows = [
                (name, verb.get_short_help_str(200))
                for name in names
                if (verb := self.get_command(ctx, name))
            ]
            with formatter.section(section):
                formatter.write_dl(rows)


def _carried_out(function: Callable[..., None], of: str, **values: Any) -> None:
    from memoryclaw.interfaces.cli.table import carry_out

    carry_out(click.get_current_context().ensure_object(CliContext), function, of, values)


def verb(
    of: str = "", *, examples: Sequence[str], without: Sequence[str] = ()
) -> Callable[[Callable[..., Any]], Verb]:
    """Makes a function a verb of the command line; see `Verb`."""
    return click.command(cls=Verb, examples=examples, of=of, without=without)


def shared_options() -> list[click.Option]:
    """`--vault`, `--audience` and `--json`, accepted before and after every verb."""
    return [
        click.Option(
            ["--vault"], metavar="DIR", expose_value=False, callback=_keep_vault,
            help="The vault's folder; else $MEMORYCLAW_VAULT, else the nearest memoryclaw.yaml upwards, else your own (`init --default`), else ~/.memoryclaw/vault.",
        ),
        click.Option(
            ["--audience"], metavar="NAME", expose_value=False, callback=_keep_audience,
            help="As who you ask: owner, agent, public or a group; else $MEMORYCLAW_AUDIENCE, else the owner.",
        ),
        click.Option(["--json"], is_flag=True, expose_value=False, callback=_keep_json, help="Answer as JSON."),
    ]  # fmt: skip


def _keep_vault(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value == "":
        raise click.BadParameter("needs a folder, and got an empty text")
    if value is not None:
        ctx.ensure_object(CliContext).vault = value


def _keep_audience(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(CliContext).audience = value


def _keep_json(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(CliContext).json = True


@click.group(cls=Verbs, context_settings=_SETTINGS, params=shared_options())
@click.version_option(__version__, prog_name="memoryclaw", message="%(prog)s %(version)s")
def cli() -> None:
    """Your agent's memory as Markdown you can read, edit and undo."""


# Verbs with subcommands: `skills list`, `review show`. Without one, the default says what is there.


class Group(Verb, click.Group):
    """A verb with verbs of its own; all of them take `--vault` and `--json`, in any place.

    Args:
        default: the verb that is meant when none is given.
        takes: it is meant, too, when the first word is none of the verbs, or stands after `--`: the word is then its argument.
    """

    command_class = Verb

    def __init__(self, *args: Any, default: str, takes: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, invoke_without_command=True, **kwargs)
        self.default = default
        self.takes = takes

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the options; what is for the default verb goes to it whole."""
        if self.takes and not self._is_for_another(args):
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def _is_for_another(self, args: Sequence[str]) -> bool:
        """True when the first word that is no option is a verb, or there is none and help is asked for."""
        words = iter(args)
        for word in words:
            if word in _WITH_VALUE:
                next(words, "")
            elif word == "--" or not word.startswith("-"):
                return word in self.commands
        return not {"-h", "--help"}.isdisjoint(args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as Click calls it
        """The names of its verbs, in the order in which they are written down."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the verb that was asked for, else the default one."""
        found = super().invoke(ctx)
        return found if ctx.invoked_subcommand else ctx.invoke(self.commands[self.default])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that was asked for; a typo gets a suggestion."""
        if args[0] not in self.commands:
            from difflib import get_close_matches

            if close := get_close_matches(args[0], self.commands, 1):
                ctx.fail(f"No such command {args[0]!r}. Did you mean {close[0]!r}?")
        return super().resolve_command(ctx, args)


def group(
    *, default: str, examples: Sequence[str], takes: bool = False
) -> Callable[[Callable[..., Any]], Group]:
    """Makes a function with an empty body a group; `@name.command("list", examples=[…])` gives it a verb."""
    return click.group(cls=Group, default=default, examples=examples, takes=takes)


def agreed(context: CliContext, question: str, *, yes: bool) -> bool:
    """True when a person says yes; without a terminal to ask on, only `--yes` is one."""
    if yes:
        return True
    if context.json or not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to ask on; give --yes.")
    return click.confirm(question)
