"""skills run: runs an approved skill step by step, without a model. Only the approved bytes run, and only as calls of tools.

All checks that can be made beforehand are made before the first step. Parameters and results are data: no value becomes a
step, the name of a tool, or a template.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from memoryclaw.capture.capture import CaptureResult
from memoryclaw.errors import InputError, MemoryClawError
from memoryclaw.late import NamedTuple
from memoryclaw.model import Fact
from memoryclaw.skills.listing import (
    CHANGED,
    CHECK,
    EVENT,
    INTERRUPTED,
    TOOL,
    WHY,
    ListedSkill,
    find,
    list_skills,
)
from memoryclaw.skills.skill_file import (
    EMAIL,
    URL,
    Recipe,
    Requirement,
    Step,
    as_text,
    fill,
    read_recipe,
    references_in,
    too_deep,
)
from memoryclaw.skills.tool_hosts import ToolHosts
from memoryclaw.skills.tools import Tool
from memoryclaw.text.dates import day_of
from memoryclaw.text.encoding import json_value
from memoryclaw.text.prompts import one_line
from memoryclaw.vault.layout import run_id
from memoryclaw.vault.ledger import Ledger
from memoryclaw.writing.decisions import APPROVED

# Parameter values: given, remembered, by default or asked for, in this order; none is invented.

_ENTITIES = frozenset({"entity", "person"})


class ParameterValue(NamedTuple):
    """One parameter, its value, and where it comes from: `given`, `asked`, `default`, the id of a fact, or nowhere."""

    name: str
    value: Any
    source: str
    secret: bool = False


# Turns the words of a person or a fact into typed values of a skill's parameters. A value is data: nothing in it is obeyed.

LONGEST = 64 * 1024  # characters of one value
HIDDEN = "[secret]"
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_YES, _NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})
_SHAPES = {
    "email": (EMAIL, "an address such as john@example.com"),
    "url": (URL, "an address that begins with https://"),
    "date": (_DATE, "a day such as 2026-04-20"),
}


def parse_value(need: Requirement, text: str) -> Any:
    """Parses the value of a parameter by its type. Raises InputError: the text is no such value."""
    if len(text) > LONGEST:
        raise InputError(
            f"{need.name} has {len(text):,} characters, more than the {LONGEST:,} that are taken"
        )
    kind = need.asked.type
    if kind in ("number", "integer"):
        number = json_value(text.strip().replace(",", "."), parse_constant=str)
        integral = need.asked.type == "integer"
        kinds = (int,) if integral else (int, float)
        if type(number) not in kinds or abs(number) == math.inf:  # type() as True is not a number
            raise InputError(
                f"{need.name} must be {'a whole' if integral else 'a'} number, not {text[:60]!r}"
            )
        return number
    if kind == "boolean":
        low = text.strip().lower()
        if low not in _YES | _NO:
            raise InputError(f"{need.name} must be true or false, not {text[:60]!r}")
        return low in _YES
    if kind in ("list", "array", "map", "object"):
        # Parses JSON of the right kind; a list may also be text with commas.
        listed = need.asked.type in ("list", "array")
        elements = [element.strip() for element in text.split(",") if element.strip()] if listed else None
        value = json_value(text, elements, parse_constant=str)
        if not isinstance(value, list if listed else dict) or too_deep(value):
            raise InputError(
                f"{need.name} must be {'a list' if listed else 'a map'} in JSON, not {text[:60]!r}"
            )
        return value
    if not fits(need, text):
        raise InputError(f"{need.name} must be {_SHAPES[kind][1]}, not {text[:60]!r}")
    return text


def fits(need: Requirement, text: str) -> bool:
    """True if a text has the form of its type."""
    shape = _SHAPES.get(need.asked.type)
    if shape is None:
        return True
    return shape[0].fullmatch(text) is not None and (shape[0] is not _DATE or day_of(text) is not None)


def bound(step: Step, values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a step with these values; an argument whose parameter has no value is left out."""
    args = {key: fill(value, values) for key, value in step.args.items()}
    return {key: value for key, value in args.items() if value is not None or step.args[key] is None}


def mask(value: Any, secrets: frozenset[str]) -> Any:
    """Removes secret parameter values before a value is shown or logged."""
    if not secrets:
        return value
    if isinstance(value, str):
        # A secret as it is, and as JSON and the messages of a schema check write it.
        quoted = {
            json.dumps(secret, ensure_ascii=plain)[1:-1] for secret in secrets for plain in (True, False)
        }
        for form in sorted(
            {*secrets, *quoted, *(repr(secret)[1:-1] for secret in secrets)}, key=len, reverse=True
        ):
            value = value.replace(form, HIDDEN)
        return value
    if isinstance(value, dict):
        return {mask(key, secrets): mask(inner, secrets) for key, inner in value.items()}
    return [mask(inner, secrets) for inner in value] if isinstance(value, list) else value


# Parameter values from semantic memory: taken only if there is exactly one, else asked for.

Facts = Callable[[str], Sequence[Fact]]  # of an entity (all without one): those that hold now


def look_up_value(need: Requirement, entities: Sequence[str], facts: Facts) -> Fact | None:
    """The fact with the value of a parameter that nobody gave. `entities`: the entities that other parameters name, such as a client."""
    if need.address:
        return _at(need, facts)
    if not need.remembered:
        return None
    of_entities = (fact for entity in entities for fact in facts(entity) if _is(fact.field, need.name))
    named = (fact for fact in facts("") if _plain(f"{fact.entity} {fact.field}") == _plain(need.name))
    return _only(need, of_entities) or _only(need, named)


def standing_for(need: Requirement, text: str, facts: Facts) -> Fact | None:
    """The fact with the e-mail address of a person named where an address is required."""
    if not text or fits(need, text):
        return None
    of_entity = facts(text)
    named = _only(need, (fact for fact in of_entity if _is(fact.field, need.asked.type, need.name)))
    return named or _only(need, of_entity)


def _at(need: Requirement, facts: Facts) -> Fact | None:
    address = need.address.removeprefix("semantic:").strip()
    place, mark, within = address.rpartition("#")
    entity, _, field = within.rpartition(".")
    if not entity:
        entity, field = within, ""
    candidates = [fact for fact in facts(entity.strip("'\"")) if not mark or fact.id.startswith(f"{place}#")]
    matching = [fact for fact in candidates if fact.id == address or _is(fact.field, field)]
    if not field:
        matching = [fact for fact in candidates if _is(fact.field, need.name, need.asked.type, "value")]
    return _only(need, matching)


def _only(need: Requirement, facts: Iterable[Fact]) -> Fact | None:
    """The last of these facts, where all have the same value."""
    by_value = {fact.value: fact for fact in facts if fact.value and fits(need, fact.value)}
    return by_value.popitem()[1] if len(by_value) == 1 else None


def _is(field: str, *names: str) -> bool:
    return _plain(field) in {_plain(name) for name in names if name}


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())


def values_for(
    needs: Sequence[Requirement],
    params: Mapping[str, str],
    facts: Facts,
    ask: Callable[[Requirement], str] | None,
    skill: str,
) -> list[ParameterValue]:
    """Finds the value of every parameter of a skill; None for an optional one without a value."""
    names = [need.name for need in needs]
    for name in params:
        if name not in names:
            close = get_close_matches(name, names, 1)
            hint = f"did you mean {close[0]}?" if close else f"it has {_enumeration(names) or 'none'}"
            raise InputError(f"{skill} has no parameter {name[:60]!r}; {hint}")
    values = {need.name: _value_of(need, params[need.name], facts) for need in needs if need.name in params}
    entities = [
        str(values[need.name].value) for need in needs if need.name in values and need.asked.type in _ENTITIES
    ]
    for need in needs:
        if need.name not in values and (value := _remembered_value(need, entities, facts)):
            values[need.name] = value
    for need in needs:
        if need.name not in values and not need.asked.optional and ask is not None:
            values[need.name] = _value_of(need, ask(need), facts)._replace(source="asked")
    missing = [need.name for need in needs if need.name not in values and not need.asked.optional]
    if missing:
        sentence = f"{skill} needs {_enumeration(missing)}"
        raise InputError(f"{sentence}; say {' '.join(f'--param {name}=…' for name in missing)}")
    return [values.get(need.name, ParameterValue(need.name, None, "")) for need in needs]


def _value_of(need: Requirement, text: str, facts: Facts) -> ParameterValue:
    fact = standing_for(need, text, facts)
    value, source = (fact.value, fact.id) if fact else (text, "given")
    return ParameterValue(need.name, parse_value(need, value), source, need.asked.type == "secret")


def _remembered_value(need: Requirement, entities: Sequence[str], facts: Facts) -> ParameterValue | None:
    if fact := look_up_value(need, entities, facts):
        return ParameterValue(need.name, parse_value(need, fact.value), fact.id)
    if need.default is None:
        return None
    as_it_is = not need.asked.type and not isinstance(need.default, str)
    value = need.default if as_it_is else parse_value(need, as_text(need.default))
    return ParameterValue(need.name, value, "default", need.asked.type == "secret")


def _enumeration(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


# The run.

PLANNED, DONE, FAILED, NOT_RUN = "planned", "done", "failed", "not run"
_SHOWN = 2000  # characters of a result that the answer repeats; the log has all of it

Ask = Callable[[Requirement], str]


class StepResult(NamedTuple):
    """One step: its tool and host, its arguments, and its outcome."""

    step: int
    tool: str
    host: str  # mcp:NAME or openclaw; empty where no such tool was found
    args: Mapping[str, Any]
    state: str  # planned | done | failed | not run
    result: str = ""
    error: str = ""


class SkillRun(NamedTuple):
    """One run of a skill; a dry run if `applied` is false."""

    run: str
    name: str
    path: str
    digest: str
    session: str
    applied: bool
    ok: bool
    values: tuple[ParameterValue, ...]
    steps: tuple[StepResult, ...]
    notice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """The dependencies of a run.

    Args:
        tools: opens the tools; they are closed at the end of the run.
        log: appends lines to the log, with one acknowledgement each.
    """

    root: str
    tools: Callable[[], ToolHosts]
    facts: Facts
    log: Callable[[list[str]], Sequence[CaptureResult]]
    ledger: Ledger
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    redacted: Callable[[str], str]


class _PlannedCall(NamedTuple):
    """A step with its tool, or with what is wrong."""

    step: Step
    tool: Tool | None
    trouble: str = ""


def run_skill(
    runner: Runner, name: str, params: Mapping[str, str], *, apply: bool, session: str, ask: Ask | None = None
) -> SkillRun:
    """Runs a skill, or without `apply` shows each call that it would make.

    Args:
        session: the session whose log keeps the steps; the run's own by default.

    Raises:
        NotFoundError: there is no such skill.
        InputError: it is not approved as it is, has no steps that can be run, or a value or a tool is missing or wrong.
    """
    listed = find(list_skills(runner.root), name)
    if listed.state != APPROVED:
        # The name comes from the file, and a person may paste the command.
        name = shlex.quote(listed.name)
        state = {CHANGED: "was changed since it was approved"}.get(listed.state, "is not approved")
        raise InputError(
            f"{listed.name} {state}, so it is not run; `memoryclaw skills show {name}`, then `memoryclaw skills approve {name}`"
        )
    recipe = read_recipe(listed.skill)
    if recipe.problems:
        first = recipe.problems[0]
        raise InputError(f"{first.path}:{first.line}: {first.message}; {first.hint}")
    values = values_for(recipe.needs, params, runner.facts, ask, listed.name)
    run = run_id("skill", runner.clock(), runner.new_id())
    with runner.tools() as tools:
        job = _Job(runner, tools, listed, recipe, values, run, session or run)
        return job.apply() if apply else job.preview()


@dataclass
class _Job:
    """One run of one skill."""

    runner: Runner
    tools: ToolHosts
    listed: ListedSkill
    recipe: Recipe
    values: Sequence[ParameterValue]
    run: str
    session: str
    known: dict[str, Any] = field(init=False)
    secrets: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.known = {value.name: value.value for value in self.values}
        secrets = (str(value.value) for value in self.values if value.secret and value.value is not None)
        self.secrets = frozenset(filter(None, secrets))

    def preview(self) -> SkillRun:
        """Plans all calls and reports what would go wrong; calls no tool."""
        planned = [self._plan(step) for step in self.recipe.steps]
        steps = tuple(
            self._report(number, call, PLANNED, error=call.trouble) for number, call in enumerate(planned, 1)
        )
        return self._outcome(steps, applied=False, ok=not any(call.trouble for call in planned))

    def apply(self) -> SkillRun:
        """Calls the tools in order until one fails."""
        planned = [self._plan(step) for step in self.recipe.steps]
        for number, call in enumerate(planned, 1):
            if call.trouble:
                self._keep(CHECK, ok=False, done=0, step=number, tool=call.step.tool, why=call.trouble)
                raise InputError(f"step {number} ({call.step.tool}): {call.trouble}; nothing was done")
        steps: list[StepResult] = []
        try:
            for number, call in enumerate(planned, 1):
                failed = any(step.state == FAILED for step in steps)
                steps.append(self._report(number, call, NOT_RUN) if failed else self._carry_out(number, call))
        finally:
            # Also after an interrupt in the middle of a call.
            ok = [step.state for step in steps] == [DONE] * len(planned)
            notice = self._record(steps, ok=ok)
        return self._outcome(tuple(steps), applied=True, ok=ok, notice=notice)

    def _plan(self, step: Step) -> _PlannedCall:
        try:
            tool = self.tools.find(step.tool)
            # The arguments that need the result of an earlier step have no value yet.
            results = {earlier.id for earlier in self.recipe.steps} - self.known.keys()
            needs = {key: references_in(value, results) for key, value in step.args.items()}
            unknown = frozenset(key for key, names in needs.items() if results.intersection(names))
            return _PlannedCall(step, tool, self._trouble(tool, bound(step, self.known), unknown))
        except MemoryClawError as error:
            return _PlannedCall(step, None, str(error))

    def _trouble(self, tool: Tool, args: Mapping[str, Any], unknown: frozenset[str]) -> str:
        """What is wrong with the arguments, without secrets, which the message of a schema repeats."""
        return str(mask(self.tools.check(tool, args, unknown), self.secrets))[:WHY]

    def _carry_out(self, number: int, call: _PlannedCall) -> StepResult:
        tool = call.tool
        try:
            args = bound(call.step, self.known)
            trouble = self._trouble(tool, args, frozenset()) if tool else call.trouble
        except InputError as error:
            args, trouble = dict(call.step.args), str(error)
        if trouble or tool is None:
            return self._report(number, call, FAILED, error=trouble)
        result = self.tools.call(tool, args)
        if call.step.id:
            self.known[call.step.id] = result.value
        answer = mask(result.text, self.secrets)
        about = {"tool": call.step.tool, "args": mask(args, self.secrets), "result": answer, "ok": result.ok}
        if lost := self._log(about):
            trouble = f"it was done, but could not be logged: {lost}"
            return self._report(number, call, FAILED, result=answer, error=trouble)
        if not result.ok:
            return self._report(number, call, FAILED, error=answer)
        return self._report(number, call, DONE, result=answer)

    def _report(
        self, number: int, call: _PlannedCall, state: str, *, result: str = "", error: str = ""
    ) -> StepResult:
        try:
            args = bound(call.step, self.known)
        except InputError:
            args = dict(call.step.args)
        host = call.tool.host if call.tool else ""
        args_shown = mask(args, self.secrets)
        return StepResult(number, call.step.tool, host, args_shown, state, result[:_SHOWN], error[:_SHOWN])

    def _log(self, event: Mapping[str, Any]) -> str:
        """Logs one line of the session; returns why it could not be logged."""
        line = json.dumps({"session": self.session, **event}, ensure_ascii=False)
        return next((line_kept.error for line_kept in self.runner.log([line]) if not line_kept.ok), "")

    def _record(self, steps: Sequence[StepResult], *, ok: bool) -> str:
        """Records the outcome in the log and in the ledger; returns what of that failed."""
        count, name = sum(step.state == DONE for step in steps), self.listed.name
        ending = "" if ok else f"; step {count + 1} failed"
        sentence = f"Ran the skill {name}: {count} of {len(self.recipe.steps)} steps done{ending}."
        lost = self._log({"role": "system", "name": "memoryclaw", "content": sentence})
        failed = next((step for step in steps if step.state == FAILED), None)
        by = TOOL if ok or failed else INTERRUPTED
        step, tool, reason = (failed.step, failed.tool, failed.error) if failed else (0, "", "")
        trouble = self._keep(by, ok=ok, done=count, step=step, tool=tool, why=reason)
        return "; ".join(filter(None, (lost, trouble)))

    def _keep(self, by: str, *, ok: bool, done: int, step: int, tool: str, why: str) -> str:
        """Keeps in the ledger how the run ended; returns why it could not be kept."""
        skill = self.listed.skill
        values = {
            "run": self.run, "skill": self.listed.name, "path": skill.path, "digest": skill.digest,
            "session": self.session, "ok": ok, "steps": len(self.recipe.steps), "done": done, "by": by,
        }  # fmt: skip
        failure = {"step": step, "tool": tool, "why": self.runner.redacted(one_line(why))[:WHY]}
        values |= {key: value for key, value in failure.items() if value}
        return self.runner.ledger.append(EVENT, values, self.runner.clock(), durable=True)

    def _outcome(
        self, steps: tuple[StepResult, ...], *, applied: bool, ok: bool, notice: str = ""
    ) -> SkillRun:
        skill = self.listed.skill
        values = tuple(value._replace(value=mask(value.value, self.secrets)) for value in self.values)
        session = self.session if applied else ""
        return SkillRun(
            self.run if applied else "", self.listed.name, skill.path, skill.digest, session, applied, ok, values, steps, notice
        )  # fmt: skip
