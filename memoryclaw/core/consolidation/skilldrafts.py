"""A repeated sequence of steps → the draft of a skill. The rule: a draft says what was done, and nothing in it is ever run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from memoryclaw.core.consolidation.actions import Call
from memoryclaw.core.consolidation.decisions import fingerprint
from memoryclaw.core.consolidation.parameters import Plan, Step, generalised
from memoryclaw.core.fence import one_line
from memoryclaw.core.language import Language, fold, words_of
from memoryclaw.core.naming import slug

DRAFTS = "skills/_drafts"
_SHOWN = 20  # sessions that the evidence names
_NAMED = 6  # tools that the description names all
_TRIGGER = 4  # words
_SERVER = re.compile(r"\A.*(?:__|[.:/])(?=.)")
_ENGLISH = Language("en", None, frozenset())  # knows which words carry a question but not its subject

Render = Callable[..., str]


class Occurrence(NamedTuple):
    """The calls of one session that are the steps of a pattern; none where its log is gone."""

    session: str
    ranges: tuple[str, ...]
    calls: tuple[Call, ...] = ()


class SkillDraft(NamedTuple):
    """A skill that is proposed; `text` is its SKILL.md."""

    name: str
    description: str
    text: str
    fingerprint: str
    evidence: tuple[str, ...]  # a line for each session, of very many for the first
    ranges: tuple[str, ...] = ()
    title: str = ""
    tools: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Where the draft waits."""
        return f"{DRAFTS}/{self.name}/SKILL.md"


def propose(
    tools: Sequence[str], occurrences: Sequence[Occurrence], render: Render, name: str = ""
) -> SkillDraft:
    """The draft of a skill with these steps.

    Args:
        tools: what is called, in order.
        occurrences: the sessions in which it was; at least one with its calls.
        render: gives the text of a template.
        name: the name to take; else it is made of the tools' names.
    """
    told = [occurrence for occurrence in occurrences if occurrence.calls]
    plan = generalised(tools, [[call.args for call in one.calls] for one in told])
    name, title = name or name_of(tools), _title(tools)
    triggers = _triggers(told)
    description = _description(tools, triggers, len(occurrences))
    evidence = (*map(_evidence, occurrences[:_SHOWN]), *_more(len(occurrences) - _SHOWN))
    values = {
        "name": name, "title": title, "description": description, "triggers": triggers, "support": len(occurrences),
        "tools": list(tools), "steps": [_shown(step) for step in plan.steps], "written": _written(plan),
        "parameters": plan.parameters, "evidence": evidence,
    }  # fmt: skip
    text = render("notes/skill-draft.md.j2", **values)
    ranges = tuple(dict.fromkeys(range_ for one in occurrences for range_ in one.ranges))
    return SkillDraft(
        name, description, text, fingerprint("skill", *tools), evidence, ranges, title, tuple(tools)
    )


def name_of(tools: Sequence[str]) -> str:
    """A name for these steps, of the tools' own names; of many steps the first and the last."""
    names = [slug(_bare(tool)) for tool in tools]
    whole = slug(" ".join(dict.fromkeys(names)))
    return whole if len(tools) <= 3 else slug(f"{names[0]} to {names[-1]}")


def _bare(tool: str) -> str:
    """The tool's name without the server that offers it: `mcp__mail__send_email` → `send_email`."""
    return _SERVER.sub("", tool)


def _title(tools: Sequence[str]) -> str:
    words = ", then ".join(" ".join(re.findall(r"[^\W_]+", _bare(tool))) or "tool" for tool in tools)
    return one_line(words[:1].upper() + words[1:])


def _description(tools: Sequence[str], triggers: Sequence[str], sessions: int) -> str:
    names = [_safe(tool) for tool in tools]
    shown = names[:-1] if len(names) <= _NAMED else [*names[:3], f"{len(names) - 4} more"]
    calls = f"Calls {', '.join(shown)} and then {names[-1]}, in this order."
    use = f" Use when asked for: {', '.join(triggers)}." if triggers else ""
    return f"{calls}{use} Proposed after {sessions} sessions did the same."


def _triggers(occurrences: Sequence[Occurrence]) -> list[str]:
    """What the user said before the first step in every session, as far as it was the same."""
    said = [list(dict.fromkeys(map(fold, words_of(one.calls[0].said)))) for one in occurrences]
    if len(said) < 2:
        return []
    common = [
        word
        for word in said[0]
        if not _ENGLISH.is_stop(word)
        and word.isalpha()
        and len(word) > 2
        and all(word in others for others in said[1:])
    ]
    return [" ".join(common[:_TRIGGER])] if common else []


def _written(plan: Plan) -> list[str]:
    """The steps for the header: the tool, and its parameters."""
    return [
        " ".join([_safe(step.tool), *(f"{key}={value}" for key, value in step.args if value.startswith("$"))])
        for step in plan.steps
    ]


def _shown(step: Step) -> Step:
    return step._replace(tool=_safe(step.tool))


def _safe(tool: str) -> str:
    return re.sub(r"[^\w.:/-]+", "_", one_line(tool)) or "tool"


def _evidence(occurrence: Occurrence) -> str:
    lines = ", ".join(str(call.line) for call in occurrence.calls)
    where = f"lines {lines}" if lines else "its log is gone"
    session = re.sub(r"[\[\]`|]", "", one_line(occurrence.session))[:80]
    return f"session {session}, {where}: {' '.join(f'`{range_}`' for range_ in occurrence.ranges)}"


def _more(count: int) -> list[str]:
    return [f"and {count} more sessions"] if count > 0 else []
