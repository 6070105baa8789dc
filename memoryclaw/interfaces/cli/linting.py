"""`check lint`, and the pre-commit hook that it shares with `eval`: what is wrong in the files, by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.maintaining import check
from memoryclaw.interfaces.cli.printing import as_json, plural, remark, say, styled
from memoryclaw.interfaces.cli.verbs import TEXT, CliContext, flag

if TYPE_CHECKING:
    from memoryclaw.history.commit_hook import Hooked


def hook_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a check that the pre-commit hook may run; `hook` is how it runs it."""
    for option in (
        click.option("--hook", type=click.Choice(["warn", "strict"]), help="How the hook runs this check: it warns, or stops the commit."),
        flag("--uninstall-hook", "Take this check out of the pre-commit hook."),
        flag("--strict", "With --install-hook: stop the commit instead."),
        flag("--install-hook", "Run this check in the vault's pre-commit hook, as a warning."),
    ):  # fmt: skip
        function = option(function)
    return function


def changed_hook(
    context: CliContext, check: str, *, install_hook: bool, strict: bool, uninstall_hook: bool
) -> bool:
    """Installs a check into the pre-commit hook or takes it out, as asked; False when nothing of that was asked."""
    if strict and not install_hook:
        raise click.UsageError("--strict goes with --install-hook")
    if install_hook and uninstall_hook:
        raise click.UsageError("--install-hook and --uninstall-hook exclude each other")
    if not (install_hook or uninstall_hook):
        return False
    with context.app() as app:
        hook = app.commit_hook
        done = hook.install(check, strict=strict) if install_hook else hook.uninstall(check)
    _tell_hooked(context, check, done)
    return True


def _tell_hooked(context: CliContext, check: str, done: Hooked) -> None:
    if context.json:
        as_json(shapes.hooked(done))
        return
    if mode := done.checks.get(check):
        effect = (
            "stops a commit in which it finds something" if mode == "strict" else "warns, but stops no commit"
        )
        state = "was there already" if done.action == "unchanged" else "is installed"
        say(f"{styled(check)} {state} in {styled(done.path)}; it {effect}.")
    else:
        say(
            f"{styled(check)} {'was taken out of' if done.action == 'removed' else 'was not in'} {styled(done.path)}."
        )


def ended_hook(what: str, mode: str) -> int:
    """Says on standard error what a check in the hook found, and what that means for the commit; the exit code."""
    from memoryclaw.history.commit_hook import FOUND

    if mode == "strict":
        remark(f"memoryclaw: {what}; the commit was stopped (`git commit --no-verify` commits anyway)")
        return FOUND
    remark(f"memoryclaw: {what}; the commit goes on")
    return 0


@check.command(
    examples=[
        "init\ncheck lint",
        "check lint semantic skills/send-email/SKILL.md",
        "check lint --staged --json",
        "check lint --install-hook",
    ]
)
@click.argument("paths", nargs=-1, type=TEXT, metavar="[PATH]...")
@flag("--staged", "Check what is staged in git, as it is staged.")
@hook_options
def lint(
    context: CliContext,
    *,
    paths: tuple[str, ...],
    staged: bool,
    hook: str | None,
    install_hook: bool,
    strict: bool,
    uninstall_hook: bool,
) -> int:
    """Check the files that a person writes; exits with 1 when there are problems.

    Notes, the types in _schema.yaml, aliases, skills and golden questions, in the whole vault or in
    PATH.
    """
    if changed_hook(context, "lint", install_hook=install_hook, strict=strict, uninstall_hook=uninstall_hook):
        return 0
    if paths and staged:
        raise click.UsageError("--staged checks what git has staged, so it takes no paths")
    with context.app() as app:
        found = app.lint(paths, staged=staged or bool(hook))
    if context.json:
        as_json(shapes.linted_files(found))
    else:
        for one in found.problems:
            say(
                f"{styled(f'{one.path}:{max(one.line, 1)}', fg='cyan')}: {styled('; '.join(filter(None, (one.message, one.hint))))}"
            )
        if not hook:
            say(f"{plural(len(found.problems), 'problem')} in {plural(found.files, 'file')}.")
    if hook:
        what = f"{plural(len(found.problems), 'problem')} in what is committed"
        return ended_hook(what, hook) if found.problems else 0
    return int(bool(found.problems))
