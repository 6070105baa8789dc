"""Which embedder the settings name, made once for all open vaults of a process: a model is large, and a failure is known to all."""

from __future__ import annotations

import time
from functools import cache

from memoryclaw.adapters.breaker import Breaker
from memoryclaw.adapters.embedders import Embedder, Guarded
from memoryclaw.adapters.llm import Endpoint
from memoryclaw.adapters.ollamaembed import WHO, OllamaEmbedder
from memoryclaw.adapters.wheelembed import MINILM, MiniLM
from memoryclaw.config import Config

HURRY = 5.0  # seconds that a question waits for its vector


def embedder_of(config: Config) -> Embedder:
    """The embedder for a vault's vectors."""
    where = Endpoint(WHO, "llm.url", config.url, config.timeout, config.allow_remote)
    return _embedder(config.vector_model, where)


@cache
def _embedder(model: str, where: Endpoint) -> Embedder:
    inner = MiniLM() if model == MINILM else OllamaEmbedder(where, model, HURRY)
    return Guarded(inner, Breaker(time.monotonic))
