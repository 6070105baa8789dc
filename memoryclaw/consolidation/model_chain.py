"""Who reads a segment: language models in order, and patterns last. The rule: a model only adds; whatever it does, the reading goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from memoryclaw.config import Config
from memoryclaw.consolidation.changes import Extraction, Segment
from memoryclaw.consolidation.grounding import proven
from memoryclaw.consolidation.transcript import Transcript, transcript
from memoryclaw.errors import ConfigError
from memoryclaw.models.llm import Breaker, Endpoint, LanguageModel, ModelError, Prompt
from memoryclaw.models.ollama import Ollama
from memoryclaw.models.openai import OpenAI
from memoryclaw.writing.context import Templates

if TYPE_CHECKING:
    from memoryclaw.consolidation.grounding import ModelAnswer

_BACKOFF = 0.5  # seconds before the second try; twice as long before each further one


class _Link:
    """One mind of the chain, and how it fared in this run."""

    def __init__(self, mind: LanguageModel, breaker: Breaker) -> None:
        self.mind = mind
        self.breaker = breaker
        self.reached = False


class ModelChain:
    """The chain of models for one run.

    Args:
        chain: who is asked, in order; empty for patterns alone.
        templates: where the prompts are.
        retries: how often one is asked again after a failure.
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
        self._chain = [_Link(mind, Breaker(clock)) for mind in chain]
        self._templates = templates
        self._retries = retries
        self._sleep = sleep

    def read(self, segment: Segment, basis: Extraction, names: Mapping[str, str]) -> Extraction:
        """What patterns read, enriched by the first model that answers; as it is, and degraded, when none does.

        Args:
            segment: what is read.
            basis: what patterns made of it, claims included.
            names: key_of(name) -> name, of the entities that the vault knows.
        """
        failure = ""
        told = transcript(segment)
        for link in self._chain if told.lines else ():
            try:
                answer = self._answer(link, told)
            except ModelError as error:
                failure = failure or str(error)
            else:
                return proven(answer, segment, basis, names, link.mind.name)
        if failure:
            return basis._replace(
                degraded=f"no model answered ({failure}); facts and summaries are by patterns"
            )
        return basis

    def _answer(self, link: _Link, told: Transcript) -> ModelAnswer:
        if why := link.breaker.open_for():
            raise ModelError(why)
        if not link.reached:
            self._reach(link)
        return self._asked(link, told)

    def _reach(self, link: _Link) -> None:
        try:
            link.mind.reach()
        except ModelError as error:
            link.breaker.failed(str(error), lasting=error.lasting)
            raise
        link.reached = True

    def _asked(self, link: _Link, told: Transcript) -> ModelAnswer:
        from memoryclaw.consolidation import answers  # noqa: PLC0415 - loads a data library that patterns do without

        again, failure = "", ModelError("")
        for attempt in range(self._retries + 1):
            if attempt:
                self._sleep(_BACKOFF * 2 ** (attempt - 1))
            useless = False
            try:
                text = link.mind.ask(self._prompt(told, again), answers.schema())
            except ModelError as error:
                failure = error
                link.breaker.failed(str(error), lasting=error.lasting)
                if link.breaker.open_for():
                    break
                continue
            try:
                answer = answers.read(text)
            except ModelError as error:
                failure, again, useless = ModelError(f"{link.mind.name}: {error}"), str(error), True
                continue
            link.breaker.worked()
            return answer
        if useless:  # however often it was asked for, it counts once
            link.breaker.failed(str(failure))
        raise failure

    def _prompt(self, told: Transcript, again: str) -> Prompt:
        render = self._templates.render
        user = render("prompts/extract.user.j2", fence=told.fence, lines=told.lines, again=again)
        return Prompt(render("prompts/extract.system.j2"), user)


def minds_of(
    config: Config, templates: Templates, environ: Mapping[str, str], *, llm: str = "auto"
) -> ModelChain:
    """The chain that the settings name; none with `--llm none`.

    Args:
        config: the settings.
        templates: where the prompts are.
        environ: where the key of an endpoint is looked for.
        llm: auto | none.
    """
    chain = [] if llm == "none" else [name.lower() for name in config.chain if name.lower() != "none"]
    minds = [_mind(name, config, environ) for name in dict.fromkeys(chain)]
    return ModelChain(minds, templates, retries=config.retries)


def _mind(name: str, config: Config, environ: Mapping[str, str]) -> LanguageModel:
    if name == "ollama":
        where = Endpoint("Ollama", "llm.url", config.url, config.timeout, config.allow_remote)
        return Ollama(where, config.model)
    if name == "openai":
        who = "the OpenAI-compatible endpoint"
        where = Endpoint(who, "llm.openaiUrl", config.openai_url, config.timeout, config.allow_remote)
        return OpenAI(where, config.openai_model, environ)
    raise ConfigError(f"memoryclaw.yaml: llm.chain cannot hold {name!r}; it holds ollama, openai or nothing")
