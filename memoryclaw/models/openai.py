"""OpenAI-compatible chat endpoints. The key comes from the environment and is sent to the endpoint alone."""

from __future__ import annotations

import json
from collections.abc import Mapping

from memoryclaw import late
from memoryclaw.models.llm import MOST_TOKENS, Endpoint, ModelError, Prompt, Schema

_KEYS = ("MEMORYCLAW_OPENAI_KEY", "OPENAI_API_KEY")
_NOT_ALLOWED = frozenset({401, 403})
_MISSING = 404


class OpenAI:
    """One model of an OpenAI-compatible endpoint."""

    def __init__(self, endpoint: Endpoint, model: str, environ: Mapping[str, str]) -> None:
        self._endpoint = endpoint
        self._model = model
        self._key = next((environ[name].strip() for name in _KEYS if environ.get(name, "").strip()), "")
        self.name = f"openai/{model}"
        self.is_local = endpoint.is_local()

    def reach(self) -> None:
        """Raises ModelError when nobody listens, on another machine, or if the key could be read on its way."""
        self._endpoint.reach()
        if self._key and not self._endpoint.is_private():
            sentence = f"{self._endpoint.setting} must begin with https:// for the key to be sent there"
            raise ModelError(sentence, lasting=True)

    def ask(self, prompt: Prompt, schema: Schema) -> str:
        """The model's answer; endpoints that can enforce the schema do."""
        from memoryclaw.models import http_limits  # noqa: PLC0415 - loads the HTTP client

        form = {"name": "report", "schema": dict(schema)}
        request = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
            "temperature": 0,
            "seed": 0,
            "max_tokens": MOST_TOKENS,
            "response_format": {"type": "json_schema", "json_schema": form},
        }
        who, headers = (
            self._endpoint.who,
            {"Authorization": f"Bearer {self._key}"} if self._key else dict[str, str](),
        )
        try:
            with late.httpx.Client(**http_limits.settings(self._endpoint)) as client:
                url = f"{self._endpoint.url.rstrip('/')}/chat/completions"
                answer = client.post(url, json=request, headers=headers)
        except (late.httpx.HTTPError, late.httpx.InvalidURL, ValueError):
            # Its own words could hold the key, so they are not repeated.
            raise ModelError(f"{who} could not be asked", lasting=True) from None
        if answer.status_code in _NOT_ALLOWED:
            raise ModelError(f"{who} refused the key; set {_KEYS[0]} in the environment", lasting=True)
        if answer.status_code == _MISSING:
            raise ModelError(f"{who} has no model {self._model}", lasting=True)
        if answer.status_code != late.httpx.codes.OK:
            raise ModelError(f"{who} failed with status {answer.status_code}")
        try:
            content = json.loads(answer.content)["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError):
            content = None
        if not isinstance(content, str):
            raise ModelError(f"{who} answered with something other than an answer")
        return content
