"""The table of verbs and what they share. A verb's module is imported only when the verb is called."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memoryclaw import __version__, rooms
from memoryclaw.errors import ConfigError
from memoryclaw.extensions import COMMANDS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from memoryclaw.app import App


F = TypeVar("F", bound=Callable[..., Any])


class CliContext:
    """The options that every verb shares."""

    def __init__(self, vault: str | None = None) -> None:
        self.vault, self.json = vault, False
        self.audience: str | None = None

    def caller(self, default: str = "") -> str:
        """The audience of who calls: as said, by `$MEMORYCLAW_AUDIENCE`, else the default, which is the owner where none is named."""
        from memoryclaw.model import OWNER  # a page of help needs no nouns

        audience = os.environ.get("MEMORYCLAW_AUDIENCE") if self.audience is None else self.audience
        if audience is None:
            return default or OWNER
        return rooms.audience.audience_name(audience)

    @contextmanager
    def app(self, work: str = "reading notes", *, quiet: bool = False) -> Iterator[App]:
        """The open vault, closed at the end of the block; a long first indexing shows its progress.

        What is new of the vault is told once: not, if `quiet`, by a verb that a program calls, or that tells it anyway.
        """
        from memoryclaw.app import open_vault  # `--help` and completion need no vault
        from memoryclaw.interfaces.cli.printing import Bar, remark
        from memoryclaw.model import OWNER

        gc.freeze()
        gc.set_threshold(100_000)  # a process that soon ends need not look for garbage at every turn
        gc.enable()
        with Bar(work) as bar, open_vault(self.vault, progress=bar, audience=self.caller()) as app:
            remark(*app.news() if app.audience == OWNER and not quiet else ())
            yield app

    def printed(self, shape: Callable[..., Any], *values: Any, **keys: Any) -> bool:
        """Prints an answer in its shape where JSON is asked for; else it is to be told in words."""
        if self.json:
            from memoryclaw.interfaces.cli.printing import as_json

            as_json(shape(*values, **keys))
        return self.json

    def carry_out(
        self, function: Callable[..., None], verb: str, values: Mapping[str, Any], **how: Any
    ) -> int:
        """Does what a verb of the app does, and prints the answer; see `table.carry_out`."""
        from memoryclaw.interfaces.cli.table import carry_out  # `--help` needs no app

        return carry_out(self, function, verb, values, **how)

    def served(self, method: str, path: str, **asked: Any) -> dict[str, Any] | None:
        """What the vault's daemon answers, or None where none runs; the verb then gives the same answer itself."""
        path, body = (path + rooms.client.query_of(asked), None) if method == "GET" else (path, asked)
        root = rooms.client.root_of(self.vault)
        return rooms.client.ask_daemon(root, method, path, body, audience=self.caller())


# A group that several modules add to is in the last of them.
SECTIONS: dict[str, dict[str, str]] = {
    "Ask": {"ask": "asking", "recall": "asking", "search": "asking"},
    "Browse": {"show": "looking", "browse": "looking", "facts": "looking", "todos": "looking", "timeline": "looking", "links": "linking"},
    "Change": {"remember": "writing", "edit": "writing", "forget": "writing", "trust": "writing", "undo": "writing"},
    "Consolidate and review": {"consolidate": "consolidating", "review": "reviewing", "skills": "skills", "history": "looking", "blame": "looking"},
    "Maintain": {"init": "writing", "status": "maintaining", "check": "evaluating", "sync": "maintaining", "vectors": "vectors", "adopt": "maintaining", "import": "transferring", "export": "transferring"},
    "Connect": {"connect": "connecting", "serve": "serving", "ui": "serving"},
}  # fmt: skip
_FIRST_PART = {"check": "maintaining"}  # where its own function is
# What hosts and programs call.
PROGRAMS = {"capture": "capturing", "feedback": "working", "hook": "hooks", "mcp": "serving", "openclaw": "openclawing", "working": "working", "completion": "maintaining"}  # fmt: skip
VERBS = {verb: module for verbs in (*SECTIONS.values(), PROGRAMS) for verb, module in verbs.items()}
# Names that verbs had: they still work, and on a terminal they say the new one.
RENAMED = {
    "why": "show --as recall", "entity": "show --as entity", "inspect": "show --as uses",
    "entities": "browse entities", "views": "browse views",
    "revive": "forget --undo", "quarantine": "trust --quarantine",
    "redo": "consolidate --again", "schedule": "consolidate schedule",
    "stats": "status --usage", "doctor": "check", "lint": "check lint", "eval": "check eval", "reindex": "check reindex", "migrate": "check migrate",
    "watch": "sync --watch", "tokens": "fleet tokens", "work": "fleet work", "jobs": "fleet jobs", "serve --vaults": "fleet serve",
}  # fmt: skip
_IN_FILES = {"lint", "eval"}  # hooks of git call them so
_FIRST = ("init .", "remember 'Nora drinks oolong tea'", "ask 'What does Nora drink?'")
_BEGIN = """There is no vault at {root} yet. Make your notes one, or a new folder, then connect your agent:

  memoryclaw init ~/notes --default
  memoryclaw connect claude-code    # `memoryclaw connect --help` names the other hosts

`memoryclaw --help` lists every command."""
# Words that people try, and how what they mean is called here.
_REMEMBER, _FORGET, _BROWSE = "remember 'Nora prefers tea'", "forget ID", "browse"
_SEARCH, _SHOW = "search boathouse deadline", "show ID"
MEANT = {
    "add": _REMEMBER, "note": _REMEMBER, "save": _REMEMBER, "store": _REMEMBER, "new": _REMEMBER,
    "delete": _FORGET, "delete-fact": _FORGET, "remove": _FORGET, "rm": _FORGET, "archive": _FORGET,
    "list": _BROWSE, "ls": _BROWSE, "notes": _BROWSE,
    "find": _SEARCH, "grep": _SEARCH, "query": _SEARCH,
    "get": _SHOW, "cat": _SHOW, "read": _SHOW, "open": _SHOW,
    "log": "history", "logs": "history", "changes": "history", "diff": "history", "audit": "history",
    "update": "edit ID --set F=V", "set": "edit ID --set F=V", "change": "edit ID --set F=V",
    "restore": "forget --undo ID", "revert": "undo COMMIT", "rollback": "undo COMMIT",
    "health": "check", "start": "serve",
}  # fmt: skip
_WITH_VALUE = ("--vault", "--audience")  # of the options that every verb shares
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class TextParam(click.types.StringParamType):
    """Words of a person; bytes of another encoding become replacement characters."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The value as clean Unicode."""
        text = str(super().convert(value, param, ctx))
        return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class NameParam(TextParam):
    """The name of something in the vault, which a shell completes."""

    def __init__(self, what: str) -> None:
        self._what = what

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002 - as Click calls it
        incomplete: str,
    ) -> list[CompletionItem]:
        """What begins so."""
        from memoryclaw.interfaces.cli.completing import offered  # only a shell asks

        context = ctx.find_object(CliContext) or CliContext()
        return offered(self._what, incomplete, context.vault, context.caller())


TEXT = TextParam()
ID, TAG, WAITING, SKILL = map(NameParam, ("id", "tag", "waiting", "skill"))


class Verb(click.Command):
    """One verb: takes `--vault` and `--json` as the group does, and begins its help with examples.

    Its function is given the options that every verb shares where it has an argument `context`.

    Args:
        of: the verb of the app that gives it its arguments and options; the function then prints the answer, see `table.carry_out`.
        without: those that it does not take.
        fails: tells of the answer whether the exit code is 1.
        quiet: nothing else is told of the vault.
    """

    def __init__(
        self,
        *args: Any,
        examples: Sequence[str] = (),
        of: str = "",
        without: Sequence[str] = (),
        fails: Callable[[Any], bool] = lambda _: False,
        quiet: bool = False,
        **kwargs: Any,
    ) -> None:
        kwargs["params"] = [*(kwargs.get("params") or []), *shared_options()]
        kwargs.setdefault("context_settings", _SETTINGS)
        self.of, self._without = of, without
        function: Any = kwargs.get("callback")

        def carried_out(**values: Any) -> int:
            context = click.get_current_context().ensure_object(CliContext)
            return context.carry_out(function, of, values, fails=fails, quiet=quiet)

        if of:
            kwargs["callback"] = carried_out
        elif function and "context" in function.__code__.co_varnames[: function.__code__.co_argcount]:
            kwargs["callback"] = click.pass_obj(function)
        super().__init__(*args, **kwargs)
        self.examples, self._own = examples, self.__dict__.pop("params")

    @cached_property
    def params(self) -> list[click.Parameter]:  # type: ignore[override] # an attribute of Click's
        """Its arguments and options; those of the app are looked up when somebody asks, as the list of all verbs needs none."""
        if not self.of:
            return [*self._own]
        from memoryclaw.interfaces.cli.table import params_of

        made = params_of(self.of, self._without, lambda what: NameParam(what) if what else TEXT)
        return [*made, *self._own]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes what it does, then the examples."""
        super().format_help_text(ctx, formatter)
        _write_examples(self.examples, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes its own options; those of every verb stand on the first page."""
        _write_options(ctx, formatter, self.params)


def _write_examples(examples: Sequence[str], formatter: click.HelpFormatter) -> None:
    first = " (the first block in an empty folder)" if examples and examples[0].startswith("init\n") else ""
    with formatter.section(f"Examples{first}"):
        for example in examples:
            for line in example.splitlines():
                formatter.write(f"{'':{formatter.current_indent}}memoryclaw {line}\n")
            if "\n" in example and example != examples[-1]:
                formatter.write("\n")


def _write_options(
    ctx: click.Context, formatter: click.HelpFormatter, params: Sequence[click.Parameter]
) -> None:
    own = [param for param in params if isinstance(param, click.Option) and type(param) is not SharedOption]
    if rows := list(filter(None, (option.get_help_record(ctx) for option in own))):
        with formatter.section("Options"):
            formatter.write_dl(rows)


def _renamed(args: list[str]) -> list[str]:
    """The arguments with the name that their verb has today."""
    old, words = args[0], args[1:]
    if old == "serve" and any(word.partition("=")[0] == "--vaults" for word in words):
        old = "serve --vaults"
        words = [word.removeprefix("--vaults=") for word in words if word != "--vaults"]
    if old not in RENAMED:
        return args
    if old not in _IN_FILES and sys.stderr.isatty():
        click.echo(f"`memoryclaw {old}` is now `memoryclaw {RENAMED[old]}`", err=True)
    return [*RENAMED[old].split(), *words]


class Verbs(click.Group):
    """The group of all verbs, in sections."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the options; where nothing is typed and no vault is there yet, says how to begin."""
        if not args:
            root = rooms.client.root_of(None)
            if not os.path.isdir(root):
                click.echo(_BEGIN.format(root=root))
                ctx.exit()
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as Click calls it
        """The names of all verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The verb with this name, from its module."""
        if cmd_name in COMMANDS:
            # Another distribution brings it; where that is not installed, it is said which.
            from memoryclaw.extensions import extension

            try:
                brought: click.Command = extension("commands", cmd_name)
            except ConfigError as error:
                sentence = f"`memoryclaw {cmd_name}`: {error}"

                @click.command(
                    cmd_name, context_settings={"ignore_unknown_options": True}, add_help_option=False
                )
                @click.argument("words", nargs=-1)
                def brought(words: tuple[str, ...]) -> None:  # noqa: ARG001 - whatever is typed
                    raise click.UsageError(sentence)

            return brought
        module = VERBS.get(cmd_name)
        command = getattr(import_module(f"{__package__}.{module}"), _function(cmd_name)) if module else None
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that was asked for; a typo gets a suggestion."""
        if args[0] == "help":
            if len(args) == 1:
                return args[0], click.Command("help", callback=lambda: click.echo(ctx.get_help())), []
            args = [*args[1:], "--help"]
        args = _renamed(args)
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if meant := MEANT.get(args[0]):
                line = f"{error.message} {meant.partition(' ')[0]!r} does that: memoryclaw {meant}"
                raise click.UsageError(line) from None
            if not (close := _close(args[0], [*VERBS, *RENAMED, *COMMANDS])):
                raise
            raise click.UsageError(f"{error.message} Did you mean {close!r}?", ctx) from None

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes what this is, then what to try first."""
        super().format_help_text(ctx, formatter)
        _write_examples(_FIRST, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as Click calls it
        """Writes the verbs with what they do."""
        for section, names in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name, _short_help(name)) for name in names])
        formatter.write_paragraph()
        programs, others = ", ".join(PROGRAMS), ", ".join(COMMANDS)
        formatter.write_text(f"Called by hosts and programs: {programs}. From other packages: {others}.")


def _close(word: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches  # most verbs are typed right

    return next(iter(get_close_matches(word, list(names), 1)), "")


def _function(verb: str) -> str:
    """What the function of a verb is called: `import` is a word of Python's own."""
    return f"{verb}_" if iskeyword(verb) else verb


def _short_help(verb: str) -> str:
    """What a verb does in a few words, from the compiled text of its function: to run all their modules takes longer than all else."""
    from importlib.util import find_spec

    module = _FIRST_PART.get(verb, VERBS[verb])
    spec: Any = find_spec(f"{__package__}.{module}")
    for constant in spec.loader.get_code(spec.name).co_consts:
        if getattr(constant, "co_name", "") == _function(verb) and isinstance(constant.co_consts[0], str):
            return click.Command(verb, help=constant.co_consts[0]).get_short_help_str(200)
    return ""


def verb(*examples: str, **how: Any) -> Callable[[Callable[..., Any]], Verb]:
    """Makes a function a verb of the command line; see `Verb`."""
    return click.command(cls=Verb, examples=examples, **how)


def option(
    flag: str,
    metavar: str,
    help_: str,
    *,
    name: str = "",
    type: click.ParamType[Any] = TEXT,  # noqa: A002 - as Click calls it
    **settings: Any,
) -> Callable[[F], F]:
    """An option with a value: a text, empty where none is given, unless its `type` says otherwise."""
    if type is TEXT and not settings.keys() & {"multiple", "required"}:
        settings.setdefault("default", "")
    return click.option(flag, *filter(None, [name]), metavar=metavar, help=help_, type=type, **settings)


def flag(option: str, help_: str, *, name: str = "") -> Callable[[F], F]:
    """An option that is given or not."""
    return click.option(option, *filter(None, [name]), is_flag=True, help=help_)


def choice(
    option: str, words: Sequence[str], help_: str, *, name: str = "", **settings: Any
) -> Callable[[F], F]:
    """An option whose value is one of a few words; None where none is given and there is no default."""
    return click.option(option, *filter(None, [name]), type=click.Choice(words), help=help_, **settings)


AS_IS = flag("--as-is", "Keep what looks like a secret as you typed it.")
DRY_RUN = flag("--dry-run", "Only show what would change.")
YES = flag("--yes", "Do not ask.")


class SharedOption(click.Option):
    """An option that every verb takes."""


def shared_options() -> list[click.Option]:
    """`--vault`, `--audience` and `--json`, accepted before and after every verb."""
    return [
        SharedOption(
            ["--vault"], metavar="DIR", expose_value=False, callback=_keep,
            help="The vault's folder; else $MEMORYCLAW_VAULT, else the nearest memoryclaw.yaml upwards, else your own (`init --default`), else ~/.memoryclaw/vault.",
        ),
        SharedOption(
            ["--audience"], metavar="NAME", expose_value=False, callback=_keep,
            help="Who is asking: owner, agent, public or a group; else $MEMORYCLAW_AUDIENCE, else the owner.",
        ),
        SharedOption(["--json"], is_flag=True, expose_value=False, callback=_keep, help="Answer as JSON."),
    ]  # fmt: skip


def _keep(ctx: click.Context, param: click.Parameter, value: str | bool | None) -> None:
    """Keeps what was said last; an option that was left out at one place takes nothing from the other."""
    if param.name == "vault" and value == "":
        raise click.BadParameter("needs a folder, not an empty text")
    if value not in (None, False):
        setattr(ctx.ensure_object(CliContext), str(param.name), value)


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

    def __init__(self, *args: Any, default: str, takes: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, invoke_without_command=True, **kwargs)
        self.default = default
        self.takes = takes

    def verb(self, *examples: str, **how: Any) -> Callable[[Callable[..., Any]], click.Command]:
        """Makes a function a verb of this one; see `Verb`."""
        return self.command(cls=Verb, examples=examples, **how)

    def part(self, *examples: str, **how: Any) -> Callable[[Callable[..., Any]], Group]:
        """Makes a function with an empty body a group in this one."""
        return self.group(cls=Group, examples=examples, **how)  # type: ignore[return-value] # of that class

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

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options of the verb that is meant when none is given, then the verbs."""
        _write_options(ctx, formatter, self.commands[self.default].params)
        self.format_commands(ctx, formatter)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as Click calls it
        """The names of its verbs, in the order in which they are written down."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the verb that was asked for, else the default one."""
        answer = super().invoke(ctx)
        return answer if ctx.invoked_subcommand else ctx.invoke(self.commands[self.default])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that was asked for; a typo gets a suggestion."""
        if args[0] not in self.commands and (close := _close(args[0], self.commands)):
            ctx.fail(f"No such command {args[0]!r}. Did you mean {close!r}?")
        return super().resolve_command(ctx, args)


def group(*examples: str, **how: Any) -> Callable[[Callable[..., Any]], Group]:
    """Makes a function with an empty body a group; `@name.verb(…)` gives it a verb, by the name of its function if no other is given."""
    return click.group(cls=Group, examples=examples, **how)


def pair(text: str, form: str, option: str | None = None) -> tuple[str, str]:
    """What stands on the two sides of `=`."""
    key, equals, value = text.partition("=")
    if not (key.strip() and equals):
        raise click.BadParameter(f"{text!r} is not {form}", param_hint=option)
    return key.strip(), value


def agreed(context: CliContext, question: str, *, yes: bool) -> bool:
    """True when a person says yes; without a terminal to ask on, only `--yes` is one."""
    if yes:
        return True
    if context.json or not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to ask on; give --yes.")
    return click.confirm(question)
