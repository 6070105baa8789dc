"""Reads segments with language models, in order, and falls back to what rules read. A model only adds to that."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from memoryclaw.config import OWN_FILE, Config, own_folder
from memoryclaw.consolidation.changes import SPEAKERS, Extraction, Segment
from memoryclaw.consolidation.episodes import LONGEST_NAME
from memoryclaw.consolidation.exchanges import read_call
from memoryclaw.errors import ConfigError
from memoryclaw.late import NamedTuple
from memoryclaw.model import Turn
from memoryclaw.models.command import Command
from memoryclaw.models.llm import Breaker, Endpoint, LanguageModel, ModelError, Prompt
from memoryclaw.models.ollama import Ollama
from memoryclaw.models.openai import OpenAI
from memoryclaw.text import prompts
from memoryclaw.text.prompts import one_line, visible
from memoryclaw.vault.export_gate import may_leave
from memoryclaw.writing.command_consent import is_agreed
from memoryclaw.writing.context import Templates
from memoryclaw.writing.secret_gate import without_secrets

if TYPE_CHECKING:
    from memoryclaw.consolidation.grounding import ModelAnswer

_LONGEST_COMMAND = 120  # characters of it that are told
_BACKOFF = 0.5  # seconds before the second try; twice as long before each further one


class _Link:
    """One model of the chain, and how it fared in this run."""

    def __init__(self, model: LanguageModel, breaker: Breaker) -> None:
        self.model = model
        self.breaker = breaker
        self.reached = False


class ModelChain:
    """The chain of models for one run.

    Args:
        chain: the models to ask, in order; empty for rules alone.
        retries: how often a model is asked again after a failure.
        clock: seconds that only grow.
        sleep: waits that many seconds.
    """

    def __init__(
        self,
        chain: Sequence[LanguageModel],
        templates: Templates,
        *,
        retries: int = 1,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._chain = [_Link(model, Breaker(clock)) for model in chain]
        self._templates = templates
        self._retries = retries
        self._sleep = sleep

    def read(
        self, segment: Segment, basis: Extraction, names: Mapping[str, str], known: Sequence[str] = ()
    ) -> Extraction:
        """What rules read, enriched by the first model that answers; as it is, and degraded, when none does.

        Args:
            basis: what rules made of it, claims included.
            names: key_of(name) -> name, of the entities that the vault knows.
            known: what stands of those who are named, a line each.
        """
        failure = ""
        log = transcript(segment, known=known)
        for link in self._chain if log.lines else ():
            if not (may_leave(segment.label) or link.model.is_local):
                continue
            try:
                if reason := link.breaker.open_for():
                    raise ModelError(reason)
                if not link.reached:
                    try:
                        link.model.reach()
                    except ModelError as error:
                        link.breaker.failed(str(error), lasting=error.lasting)
                        raise
                    link.reached = True
                answer = self._ask(link, log)
            except ModelError as error:
                failure = failure or str(error)
            else:
                from memoryclaw.consolidation.grounding import prove  # noqa: PLC0415 - as in `_ask`

                return prove(answer, segment, basis, names, link.model.name)
        return degrade(basis, failure) if failure else basis

    def _ask(self, link: _Link, log: Transcript) -> ModelAnswer:
        from memoryclaw.consolidation import grounding  # noqa: PLC0415 - loads a data library that rules do without

        complaint, failure = "", ModelError("")
        for attempt in range(self._retries + 1):
            if attempt:
                self._sleep(_BACKOFF * 2 ** (attempt - 1))
            useless = False
            try:
                text = link.model.ask(prompt_of(log, self._templates, complaint), grounding.answer_schema())
            except ModelError as error:
                failure = error
                link.breaker.failed(str(error), lasting=error.lasting)
                if link.breaker.open_for():
                    break
                continue
            try:
                answer = grounding.read_answer(text)
            except ModelError as error:
                failure, complaint, useless = ModelError(f"{link.model.name}: {error}"), str(error), True
                continue
            link.breaker.worked()
            return answer
        if useless:  # however often it was asked for, it counts once
            link.breaker.failed(str(failure))
        raise failure


def degrade(basis: Extraction, failure: str) -> Extraction:
    """What rules read, marked as degraded: whoever was asked gave no usable answer."""
    return basis._replace(degraded=f"no model answered ({failure}); facts and summaries are by rules")


def model_chain(
    config: Config, templates: Templates, environ: Mapping[str, str], *, llm: str = "auto"
) -> ModelChain:
    """The chain that the settings name; none with `--llm none`.

    Args:
        environ: where the key of an endpoint is looked for.
        llm: auto | none.
    """
    chain = [] if llm == "none" else [name.lower() for name in config.chain if name.lower() != "none"]
    models = [_model(name, config, environ) for name in dict.fromkeys(chain)]
    return ModelChain(models, templates, retries=config.retries)


def _model(name: str, config: Config, environ: Mapping[str, str]) -> LanguageModel:
    if name == "ollama":
        where = Endpoint("Ollama", "llm.url", config.url, config.timeout, config.allow_remote)
        return Ollama(where, config.model)
    if name == "openai":
        who = "the OpenAI-compatible endpoint"
        where = Endpoint(who, "llm.openaiUrl", config.openai_url, config.timeout, config.allow_remote)
        return OpenAI(where, config.openai_model, environ)
    if name == "command":
        refusal = _refusal(config, environ)
        return Command(config.command, config.timeout, environ, refusal=refusal, cleaned=without_secrets)
    raise ConfigError(f"llm.chain cannot contain {name!r}; it may name ollama, openai and command")


# A command may send what it reads anywhere, so it reads nothing until a person has agreed to it.


def unagreed_command(config: Config, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The command that the settings name and nobody has agreed to; empty when there is none."""
    named = "command" in (name.lower() for name in config.chain)
    return config.command if named and not is_agreed(own_folder(environ), config.command) else ()


def _refusal(config: Config, environ: Mapping[str, str]) -> str:
    """Why the command must not be asked; empty when it may."""
    if not config.command:
        where = own_folder(environ) / OWN_FILE
        return f"llm.chain names `command`, and your own settings ({where}) name no llm.command"
    if not unagreed_command(config, environ):
        return ""
    return f"`{in_words(config.command)}` reads conversations only after you agree: `memoryclaw consolidate --agree`"


def in_words(command: Sequence[str]) -> str:
    """A command as a person would type it, on one line and without secrets."""
    return without_secrets(shlex.join(command))[:_LONGEST_COMMAND]


# A segment as a model reads it: one JSON array of strings, one a line of the log, and a fence that no line can close.
# Results of tools stay in the log: what strangers wrote is not summed up as if the conversation had said it.

BUDGET = 6000  # tokens of one prompt's log
_LONGEST = 4000  # characters of one turn
# What chat templates of models read as their own marks: `<|im_end|>`, `<start_of_turn>`, `[INST]`.
_MARK = re.compile(r"<|\[(?=/?[A-Z_]{2,20}\])")


class Transcript(NamedTuple):
    """The lines as JSON, empty where nobody spoke, and the word that fences them: a digest, so that no line can hold it."""

    fence: str
    lines: str
    around: str = (
        ""  # as JSON: the day and the project of the segment, and what stands of those who are named
    )


def transcript(segment: Segment, budget: int = BUDGET, known: Sequence[str] = ()) -> Transcript:
    """The segment for a prompt, at most `budget` tokens; what does not fit is left out of the middle, and that is said."""
    texts = [(turn, _text_of(turn)) for turn in segment.turns]
    if not any(text for turn, text in texts if turn.role in SPEAKERS):
        return Transcript("", "")
    rows = _bound([_item(turn, text) for turn, text in texts if text], budget)
    lines = "[" + ",\n ".join(rows) + "]"
    digest = hashlib.sha256(lines.encode()).hexdigest()[:16]
    # What a reader of the lines has to know besides: their day by the clock of who speaks, the
    # project, and what stands.
    day = next((turn.ts[:10] for turn in segment.turns if turn.ts), "")
    project = next((turn.project for turn in segment.turns if turn.project), "")
    facts = {
        "day": date.fromisoformat(day).strftime("%A %Y-%m-%d") if day else "",
        "project": one_line(project)[:LONGEST_NAME],
        "known": known,
    }
    pairs = (f'"{name}": {_json(value)}' for name, value in facts.items() if value)
    return Transcript(digest, lines, "{" + ", ".join(pairs) + "}")


def prompt_of(log: Transcript, templates: Templates, again: str = "") -> Prompt:
    """What a model is asked about a transcript; `again`: why its last answer could not be used."""
    user = templates.render(
        "prompts/extract.user.j2", fence=log.fence, lines=log.lines, around=log.around, again=again
    )
    return Prompt(templates.render("prompts/extract.system.j2"), user)


def _text_of(turn: Turn) -> str:
    """What a person or the assistant said, or which tool was called; nothing else is read."""
    if turn.role in SPEAKERS:
        return visible(turn.text).strip()
    call = read_call(turn.text) if turn.role == "tool" else None
    return one_line(call.phrase) if call else ""


def _item(turn: Turn, text: str) -> str:
    who = " ".join(filter(None, (turn.role, one_line(turn.name)[:LONGEST_NAME])))
    when = turn.ts[:16].replace("T", " ")
    return _quote(" | ".join(filter(None, (str(turn.line), when, who, _cut(text, _LONGEST)))))


def _quote(text: str) -> str:
    """A JSON string in which no mark of a chat template stands as such; read back, it is the same text."""
    return _MARK.sub(lambda hit: f"\\u{ord(hit[0]):04x}", json.dumps(text, ensure_ascii=False))


def _json(value: str | Sequence[str]) -> str:
    """A string or a list of strings, each quoted so."""
    return _quote(value) if isinstance(value, str) else f"[{', '.join(map(_quote, value))}]"


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - tail]} […] {text[-tail:]}"


def _bound(rows: list[str], budget: int) -> list[str]:
    costs = [prompts.estimate(row) for row in rows]
    if sum(costs) <= budget:
        return rows
    first, last, spent = 0, len(rows), 0
    while first < last:
        # From both ends, the beginning first: it says what the talk is about, the end what came of it.
        index = first if first <= len(rows) - last else last - 1
        if spent + costs[index] > budget:
            break
        spent += costs[index]
        first, last = (first + 1, last) if index == first else (first, index)
    left_out = last - first
    return [*rows[:first], json.dumps(f"({left_out} lines are left out here)"), *rows[last:]]
