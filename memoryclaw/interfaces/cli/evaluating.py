"""`check lint` and `check eval`: what is wrong in files, and how well the vault answers its own golden questions."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click

from memoryclaw import rooms
from memoryclaw.errors import InputError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.maintaining import check
from memoryclaw.interfaces.cli.printing import plural, print_freshness, remark, say, styled
from memoryclaw.interfaces.cli.tables import beginning, table
from memoryclaw.interfaces.cli.verbs import TEXT, CliContext, choice, flag, option
from memoryclaw.vault.layout import QUESTIONS_FILE, on_disk


def hook_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a check that the pre-commit hook may run; `hook` is how it runs it."""
    for add in (
        choice("--hook", ("warn", "strict"), "How the hook runs this check: it warns, or stops the commit."),
        flag("--uninstall-hook", "Take this check out of the pre-commit hook."),
        flag("--strict", "With --install-hook: stop the commit instead."),
        flag("--install-hook", "Run this check in the vault's pre-commit hook, as a warning."),
    ):  # fmt: skip
        function = add(function)
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
        commit_hook = app.commit_hook
        hook = commit_hook.install(check, strict=strict) if install_hook else commit_hook.uninstall(check)
    if context.printed(shapes.plain, hook):
        return True
    if mode := hook.checks.get(check):
        warns, stops = "warns, but stops no commit", "stops a commit in which it finds something"
        state = "was there already" if hook.action == "unchanged" else "is installed"
        say(f"{styled(check)} {state} in {styled(hook.path)}; it {stops if mode == 'strict' else warns}.")
    else:
        state = "was taken out of" if hook.action == "removed" else "was not in"
        say(f"{styled(check)} {state} {styled(hook.path)}.")
    return True


def ended_hook(what: str, mode: str) -> int:
    """Says on standard error what a check in the hook found, and what that means for the commit; the exit code."""
    if mode == "strict":
        remark(f"memoryclaw: {what}; the commit was stopped (`git commit --no-verify` commits anyway)")
        return rooms.commit_hook.FOUND
    remark(f"memoryclaw: {what}; the commit goes on")
    return 0


@check.verb(
    "init\ncheck lint",
    "check lint semantic skills/send-email/SKILL.md",
    "check lint --staged --json",
    "check lint --install-hook",
)
@click.argument("paths", nargs=-1, type=TEXT, metavar="[PATH]...")
@flag("--staged", "Check what is staged in git, as it is staged.")
@hook_options
def lint(
    context: CliContext, *, paths: tuple[str, ...], staged: bool, hook: str | None, **hooks: bool
) -> int:
    """Check the files that a person writes. Exits with 1 when there are problems.

    Notes, the types in _schema.yaml, aliases, skills and golden questions, in the whole vault or in
    PATH.
    """
    if changed_hook(context, "lint", **hooks):
        return 0
    if paths and staged:
        raise click.UsageError("--staged checks what git has staged, so it takes no paths")
    with context.app() as app:
        linted = app.lint(paths, staged=staged or bool(hook))
    if not context.printed(shapes.linted_files, linted):
        for problem in linted.problems:
            sentence = "; ".join(filter(None, (problem.message, problem.hint)))
            say(f"{styled(f'{problem.path}:{max(problem.line, 1)}', fg='cyan')}: {styled(sentence)}")
        if not hook:
            say(f"{plural(len(linted.problems), 'problem')} in {plural(linted.files, 'file')}.")
    if hook:
        summary = f"{plural(len(linted.problems), 'problem')} in what is committed"
        return ended_hook(summary, hook) if linted.problems else 0
    return int(bool(linted.problems))


_WIDEST = 58  # columns of a question in the table; longer ones are cut


@check.verb(
    "init\ncheck eval --install-hook",
    "check eval questions.yaml",
    "check eval --least 0.8",
    "check eval",
)
@click.argument("file", required=False, type=TEXT)
@option(
    "--least",
    "SHARE",
    "Exit with 1 if recall at the last N is lower, or something is in a context that must not be.",
    type=click.FloatRange(0, 1),
)
@hook_options
def eval(  # noqa: A001 - the verb's name
    context: CliContext,
    *,
    file: str | None,
    least: float | None,
    hook: str | None,
    **hooks: bool,
) -> int:
    """Ask the vault its golden questions and report the results.

    The questions are in eval/questions.yaml, or in FILE. Writes nothing.
    """
    if changed_hook(context, "eval", **hooks):
        return 0
    if hook:
        return _hooked(context, hook)
    with context.app() as app:
        results, fresh = app.evaluate(file), app.freshness
    if not context.printed(shapes.evaluated, results, fresh):
        columns = [*(f"@{k}" for k in results.recall), *map(str, results.held)]
        heads = ["question", "rank", *columns, "confidence"]
        table(heads, [_row(question, results) for question in results.questions])
        say()
        kept_out, all_ = results.kept_out
        counted = sum(bool(question.expected) for question in results.questions)
        for name, text in [
            ("questions", f"{len(results.questions)}, {counted} with ids"),
            *((f"recall@{k}", f"{value:.3f}") for k, value in results.recall.items()),
            ("MRR", f"{results.mrr:.3f}"),
            ("nDCG@10", f"{results.ndcg:.3f}"),
            *((f"in {budget}", f"{value:.3f} of what is wanted") for budget, value in results.held.items()),
            *([("kept out", f"{kept_out} of {all_}")] if all_ else []),
        ]:
            say(f"{name:<14}{text}")
        misses = [question for question in results.questions if question.misses]
        if misses:
            say(f"\n{styled('Misses', bold=True)}")
        for question in misses:
            _tell_misses(results, question)
        print_freshness(fresh)
    return int(least is not None and not _reaches(results, least))


def _hooked(context: CliContext, hook: str) -> int:
    """Asks the questions for the pre-commit hook, of the files as they are; a vault without questions is not told of them."""
    with context.app() as app:
        if not os.path.exists(on_disk(os.fspath(app.root), QUESTIONS_FILE)):
            return 0
        results = app.evaluate(budgets=[app.config.budget])
    missed = [question for question in results.questions if question.misses]
    for question in missed:
        _tell_misses(results, question)
    return ended_hook(f"{plural(len(missed), 'golden question')} missed", hook) if missed else 0


def _reaches(results: rooms.evaluation.Evaluated, least: float) -> bool:
    kept_out, all_ = results.kept_out
    if not results.recall and not all_:
        raise InputError(f"no question of {results.path} expects an id, so there is no recall to compare")
    last, reached = list(results.recall.items())[-1] if results.recall else (0, 1.0)
    if reached < least:
        remark(f"recall@{last} is {reached:.3f}, below {least:.3f}")
    if kept_out < all_:
        remark(f"{all_ - kept_out} of {all_} things that must not be in a context were in one")
    return reached >= least and kept_out == all_


def _tell_misses(results: rooms.evaluation.Evaluated, question: rooms.evaluation.QuestionResult) -> None:
    say(f"  {styled(question.question)}  {styled(f'{results.path}:{question.line}', dim=True)}")
    for miss in question.misses:
        say(f"    {styled(miss)}")


def _row(question: rooms.evaluation.QuestionResult, results: rooms.evaluation.Evaluated) -> list[str]:
    ranks = ", ".join(str(expected.rank or "-") for expected in question.expected)
    recalls = [_mark(question.recall[k]) if question.recall else "" for k in results.recall]
    shares = map(_mark, question.held.values()) if question.held else [""] * len(results.held)
    return [beginning(question.question, _WIDEST), ranks, *recalls, *shares, f"{question.confidence:.2f}"]


def _mark(share: float) -> str:
    return "●" if share == 1 else "◐" if share else "○"
