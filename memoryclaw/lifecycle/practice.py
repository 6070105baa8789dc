"""What practice says of skills: how they fail again and again, which tools were gone, and what is done differently by now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memoryclaw.consolidation.actions import AddLines
from memoryclaw.consolidation.changes import PlannedChange, ToolSequence
from memoryclaw.consolidation.command_lines import PROMPT
from memoryclaw.consolidation.mining import are_alike, step_of, tightest
from memoryclaw.consolidation.tool_calls import sessions
from memoryclaw.lifecycle.keeping import UpkeepContext
from memoryclaw.model import Problem
from memoryclaw.skills.listing import DRAFT, ListedSkill, list_skills
from memoryclaw.skills.outcomes import EVENT, RunOutcome
from memoryclaw.skills.steps import read_recipe
from memoryclaw.text.language import words_of

SECTION = "Gotchas"
AGAIN = 2  # times that a skill fails in one way before it is worth a line
_OTHERWISE = 3  # sessions in a row that did it in another way


def gotchas(context: UpkeepContext) -> Iterator[PlannedChange]:
    """Proposes a line in a skill for each way in which it failed again: as the ledger tells it, quoted and never obeyed."""
    ran = context.ledger.events_of(EVENT)
    for listed in list_skills(context.writing.root, ran=ran) if ran else ():
        path = listed.skill.path
        if listed.state == DRAFT or not path.endswith("/SKILL.md"):
            continue
        # Those of one step in the same words together; figures in them may differ.
        by_cause: dict[tuple[str, tuple[str, ...]], list[RunOutcome]] = {}
        for outcome in listed.outcomes.told:
            if not outcome.ok and outcome.why:
                words = tuple(word for word in words_of(outcome.why) if not any(map(str.isdigit, word)))
                by_cause.setdefault((outcome.where, words), []).append(outcome)
        for failures in by_cause.values():
            first, last = failures[0], failures[-1]
            line = f"- {first.where or 'It'} can fail: `{first.why.replace('`', chr(39))}`"
            if len(failures) < AGAIN or line in listed.skill.text:
                continue
            yield PlannedChange(
                "skill",
                f"A gotcha of the skill {listed.name}: {first.where or 'it'} can fail",
                (AddLines(path, SECTION, line + "\n"),),
                tuple(f"{failure.ts[:10]}: {failure.why}" for failure in failures),
                reason=f"it failed in this way {len(failures)} times, last on {last.ts[:10]}; say there what to do about it",
            )


def failings(skill: ListedSkill, acted: Iterable[ToolSequence]) -> list[Problem]:
    """What speaks against a skill as it is written: a tool that its last run did not find, steps that sessions no longer take."""
    problems = []
    path, stopped = skill.skill.path, skill.outcomes.stopped
    if stopped is not None and stopped.digest == skill.skill.digest:
        reason = f"its last run, on {stopped.ts[:10]}, could not begin: {stopped.where}: {stopped.why}"
        problems.append(Problem(path, 1, reason, "change the step, or give back the tool"))
    named = skill.skill.tools
    runs = any(tool.startswith(PROMPT) for tool in named)  # of commands the steps name the shell alone
    called = () if runs else tuple(step.tool for step in read_recipe(skill.skill).steps)
    tools = tuple(map(_plain, called or named))
    tools_called = _other_calls(tools, acted) if len(set(tools)) > 1 else ()
    if tools_called:
        reason = f"the last {_OTHERWISE} sessions that did this called {', '.join(tools_called)}"
        hint = f"the skill says {', '.join(tools)}; change its steps if they should be others"
        problems.append(Problem(path, 1, reason, hint))
    return problems


def _other_calls(tools: tuple[str, ...], acted: Iterable[ToolSequence]) -> tuple[str, ...]:
    """What the last sessions called that did nearly what the tools say, if none of them called just these; else nothing."""
    in_order = sorted(acted, key=lambda sequence: sequence.range)
    sequences = [tuple(map(_plain, called)) for called in sessions(in_order).values()]
    near = [called for called in sequences if are_alike(tools, called)][-_OTHERWISE:]
    if len(near) < _OTHERWISE or any(tightest(called, tools) for called in near):
        return ()
    return near[-1]


def _plain(tool: str) -> str:
    """A command without what only one session says, else the name of a tool without that of its host."""
    return step_of(tool) if tool.startswith(PROMPT) else tool.rpartition(":")[2]
