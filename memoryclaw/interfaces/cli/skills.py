"""`skills`: lists, writes, lints, matches, approves and runs skills, and gives them to hosts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from memoryclaw import rooms
from memoryclaw.errors import InputError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import plural, remark, say, styled
from memoryclaw.interfaces.cli.tables import beginning, table
from memoryclaw.interfaces.cli.verbs import AS_IS, SKILL, TEXT, CliContext, flag, group, option
from memoryclaw.model import Problem
from memoryclaw.text.prompts import one_line, visible

_NEW = "init\nskills new water-plants --description 'Waters the plants on the terrace every Friday.'\n"
_SHOWN = 80
_COLOURS = {"approved": "green", "changed since approval": "yellow", "draft": "cyan"}


@group(
    f"{_NEW}skills",
    "skills new send-email",
    "skills match 'send an email to John'",
    "skills approve send-email",
    default="list",
)
def skills() -> None:
    """List, show, write, lint, match, approve, reject and run skills.

    Without a command it lists them. Hosts are offered a skill only after approval, exactly as it was approved.
    """


@skills.verb(f"{_NEW}skills list", "skills list --json", name="list", of="skills.list")
def list_(entries: Sequence[rooms.listing.ListedSkill]) -> None:
    """List skills and drafts with their state."""
    rows = []
    for listed in entries:
        description = beginning(listed.skill.skill.description, _SHOWN)
        rows.append([listed.name, listed.state, _record(listed.outcomes), description, listed.skill.path])
    heads = ["name", "state", "runs?", "description", "path"]
    table(heads, rows, "No skills yet; `memoryclaw skills new NAME` creates one.")


@skills.verb(
    f"{_NEW}skills show water-plants", "skills show _drafts/pack-the-site-bag --json", of="skills.show"
)
def show(shown: rooms.listing.LintedSkill) -> None:
    """Print a skill with its digest and state."""
    listed = shown.listed
    remark(f"{listed.skill.path}: {listed.state}, sha256 {listed.skill.digest}")
    for file in listed.digests:
        if file != listed.skill.path:
            remark(f"with {file}")
    if listed.outcomes.runs:
        remark(f"runs: {_record(listed.outcomes)}{_failure(listed.outcomes)}")
    if shown.problems:
        remark(f"{plural(len(shown.problems), 'problem')}; `memoryclaw skills lint {listed.name}` explains")
    click.echo(visible(listed.skill.text), nl=not listed.skill.text.endswith("\n"))


@skills.verb(
    "init\nskills new water-plants --description 'Waters the plants on the terrace every Friday.'",
    "skills new water-plants --description 'Waters the plants on Fridays.'",
    of="skills.new",
)
@click.argument("name", metavar="NAME", type=TEXT)
@option("--description", "TEXT", "What it does, and when to use it.")
@AS_IS
def new(written: rooms.context.Written) -> None:
    """Create a skill: a valid SKILL.md to fill in."""
    commit = f" (commit {written.commit[:10]})" if written.commit else ""
    say(f"{styled(written.action, bold=True)}: {styled(written.path)}{commit}")
    remark(written.notice)


@skills.verb(
    f"{_NEW}skills lint", "skills lint send-email", "skills lint --json", of="skills.lint", fails=bool
)
@click.argument("name", metavar="[NAME]", required=False, default="", type=SKILL)
def lint(problems: Sequence[Problem]) -> None:
    """Explain every problem of a skill, or of all. Exits with 1 if there is one."""
    for problem in problems:
        hint = f"; {problem.hint}" if problem.hint else ""
        place = styled(f"{problem.path}:{problem.line}", bold=True)
        say(f"{place}: {styled(problem.message)}{styled(hint, dim=True)}")
    if not problems:
        say("No problems.")


@skills.verb(f"{_NEW}skills match 'who waters the plants?'", "skills match 'book a train to Lund' --json")
@click.argument("request", nargs=-1, required=True, type=TEXT)
def match(context: CliContext, request: tuple[str, ...]) -> None:
    """Show which skills match a request, and if hosts are offered them."""
    words = " ".join(request)
    with context.app() as app:
        offers = app.skills.match(words)
    if context.printed(shapes.matches, shapes.SkillMatches(words, offers)):
        return
    for offer in offers:
        matched = offer.match
        colour = "green" if offer.offered else _COLOURS.get(offer.state)
        verdict = styled("offered" if offer.offered else "not offered", fg=colour)
        say(f"{styled(matched.skill.name, bold=True)}  {matched.score:.2f}  {verdict}: {styled(offer.why)}")
        if offer.outcomes.telling:
            say(f"  runs: {styled(_record(offer.outcomes))}{styled(_failure(offer.outcomes))}")
        if offer.instead:
            say(f"  {styled(offer.instead, bold=True)} did better")
        for term in matched.terms:
            hits = ", ".join(dict.fromkeys(m.word for m in matched.matched if m.field == term.name))
            say(f"  {term.name} {term.value:+.2f}  {styled(hits)}")
    if not offers:
        say("No skill shares a word with this; `memoryclaw skills list` shows them all.")


@skills.verb(
    f"{_NEW}skills approve water-plants",
    "skills approve _drafts/pack-the-site-bag",
    of="skills.approve",
    without=("version",),
)
def approve(decision: rooms.approve.SkillDecision) -> None:
    """Approve a skill as it is now; a draft moves to its place.

    Changing a single byte ends the approval.
    """
    _tell(decision)


@skills.verb(
    f"{_NEW}skills approve water-plants\nskills reject water-plants", of="skills.reject", without=("version",)
)
def reject(decision: rooms.approve.SkillDecision) -> None:
    """Reject a draft for good, or withdraw an approval. The draft goes to the archive."""
    _tell(decision)


@skills.verb(
    f"{_NEW}skills outcome water-plants ok", "skills outcome send-email failed --why 'the address bounced'"
)
@click.argument("name", metavar="NAME", type=SKILL)
@click.argument("ended", metavar="ok|failed", type=click.Choice(["ok", "failed"]))
@option("--why", "TEXT", "What went wrong.")
@option("--session", "S", "The session in which it was followed.")
def outcome(context: CliContext, *, name: str, ended: str, why: str, session: str) -> None:
    """Record how following a skill went. `skills run` does so by itself."""
    values = {"name": name, "ok": ended == "ok", "why": why, "session": session}
    context.carry_out(_tell_outcome, "skills.outcome", values)


def _tell_outcome(outcome: rooms.listing.RunOutcome, name: str) -> None:
    say(f"{styled('kept', bold=True)}: {styled(name)} {'succeeded' if outcome.ok else 'failed'}")


@skills.verb(f"{_NEW}skills approve water-plants\nskills host", "skills host --json", of="skills.hosted")
def host(served: rooms.host_skills.HostSkills) -> None:
    """Update and list the folder of approved skills that hosts read."""
    say(styled(served.folder))
    table(["name", "version", "path"], [[skill.name, skill.version, skill.path] for skill in served.skills])
    if not served.skills:
        say("No skill is approved; `memoryclaw skills approve NAME` offers one to hosts.")
    for skill in served.left_out:
        remark(f"{skill.path} is not given to hosts: {skill.reason}")


@skills.verb(
    "skills run send-email --param recipient=john@example.com",
    "skills run send-email --param recipient=John --apply",
)
@click.argument("name", metavar="NAME", type=SKILL)
@option("--param", "K=V", "A value of a parameter.", name="params", multiple=True)
@flag("--apply", "Call the tools; without it the calls are only shown.")
@option("--session", "S", "The session whose log keeps the steps.")
def run(context: CliContext, *, name: str, params: tuple[str, ...], apply: bool, session: str) -> int:
    """Run the steps of an approved skill, without a model.

    Shows the calls to tools of MCP servers or OpenClaw; --apply makes them. Stops at the first failure and exits with 1.
    """
    values = params_of(params)
    ask = None if context.json or not sys.stdin.isatty() else asked
    try:
        with context.app() as app:
            skill_run = app.skills.run(name, values, apply=apply, session=session, ask=ask)
    except KeyboardInterrupt:
        place = "what had been done by then is in the log of the session, under logs/"
        remark(f"Ended in the middle; {place}." * apply)
        raise
    if not context.printed(shapes.skill_run, skill_run):
        tell(skill_run)
    return int(not skill_run.ok)


def _tell(decision: rooms.approve.SkillDecision) -> None:
    commit = f", commit {decision.commit[:10]}" if decision.commit else ""
    say(f"{styled(decision.action, bold=True)}: {styled(decision.name)} ({styled(decision.path)}{commit})")
    say(f"sha256 {decision.digest}")
    remark(decision.notice)


def _record(outcomes: rooms.listing.Outcomes) -> str:
    """`3 of 4`, and whether it fails now."""
    counts = f"{outcomes.succeeded} of {len(outcomes.telling)}" if outcomes.telling else ""
    ends = "failed twice in a row" if outcomes.degraded else "could not begin" if outcomes.stopped else ""
    return ", ".join(filter(None, (counts, ends)))


def _failure(outcomes: rooms.listing.Outcomes) -> str:
    """When and how it failed last."""
    last = outcomes.last_failure
    if last is None:
        return ""
    why = f": {last.why}" if last.why else ""
    return f"; last failure {last.ts[:10]}{', ' * bool(last.where)}{last.where}{why}"


# A run of a skill in print: each call with its arguments and its result.

_SHOWN_VALUE = 300
_RUN_COLOURS = {"done": "green", "failed": "red", "planned": "cyan"}


def params_of(texts: Iterable[str]) -> dict[str, str]:
    """`K=V` texts as a map."""
    params: dict[str, str] = {}
    for text in texts:
        name, mark, value = text.partition("=")
        if not mark or not name.strip():
            raise InputError(f"--param {text[:60]!r} says no value; write --param name=value")
        if name.strip() in params:
            raise InputError(f"--param {name.strip()[:60]} is given twice")
        params[name.strip()] = value
    return params


def asked(need: rooms.skill_file.Requirement) -> str:
    """What a person on the terminal says."""
    about = f" ({one_line(need.asked.description)})" if need.asked.description else ""
    is_secret = need.asked.type == "secret"
    return str(click.prompt(f"{one_line(need.name)}{about}", hide_input=is_secret, err=True))


def tell(run: rooms.run.SkillRun) -> None:
    """Prints the values, the calls, and how it ended."""
    for parameter in run.values:
        if parameter.value is not None:
            source = styled(f"({parameter.source})", dim=True)
            say(f"{styled(parameter.name)} = {styled(_short_value(parameter.value))}  {source}")
    for step in run.steps:
        where = f" ({styled(step.host)})" if step.host else ""
        state = styled(step.state, fg=_RUN_COLOURS.get(step.state))
        say(f"{step.step}. {styled(step.tool, bold=True)}{where}  {state}")
        for key, value in step.args.items():
            say(f"   {styled(key)}: {styled(_short_value(value))}")
        if step.result:
            say(f"   {styled('→', dim=True)} {styled(_short_value(step.result))}")
        if step.error:
            say(f"   {styled(_short_value(step.error), fg='red')}")
    if not run.applied:
        say(f"Nothing was called{'; --apply calls them' if run.ok else ', and this would not work'}.")
    elif run.ok:
        say(f"{plural(len(run.steps), 'step')} done; kept in the log of session {styled(run.session)}.")
    else:
        say(f"Stopped at the first failure; kept in the log of session {styled(run.session)}.")
    remark(run.notice)


def _short_value(value: Any) -> str:
    text = one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _SHOWN_VALUE else f"{text[: _SHOWN_VALUE - 1]}…"
