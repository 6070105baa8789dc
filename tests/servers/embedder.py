"""A server with the wire form of Ollama whose vectors are made of words: texts with words in common, or of one sense, are near."""

from __future__ import annotations

import hashlib
import json
import re
import socket
from collections.abc import Mapping

from servers.scripted import Asked, ModelServer, response

SENSES: Mapping[str, str] = {
    **dict.fromkeys(("dog", "canine", "puppy", "retriever", "hound"), "dog"),
    **dict.fromkeys(("doctor", "physician", "medic"), "doctor"),
    **dict.fromkeys(("car", "automobile", "vehicle"), "car"),
}
SILENT = frozenset(
    ("a", "the", "is", "was", "what", "who", "which", "where", "when", "did", "of", "in", "on", "to")
)


def vector_of(text: str, dimension: int) -> list[float]:
    """The vector of a text: the sum of those of its words."""
    vector = [0.001] * dimension
    for word in re.findall(r"\w+", text.lower()):
        if word not in SILENT:
            sense = SENSES.get(word, word)
            seed = hashlib.blake2b(sense.encode(), digest_size=64).digest()
            for i in range(dimension):
                vector[i] += (seed[i % 64] - 127.5) / 127.5 * (1 if (seed[(i * 7) % 64] + i) % 2 else -1)
    return vector


class EmbedServer(ModelServer):
    """Ollama with one model.

    Args:
        model: its name.
        dimension: numbers in its vectors.
        digest: of its weights.
    """

    def __init__(self, model: str = "hashed", dimension: int = 48, digest: str = "sha256:1") -> None:
        super().__init__()
        self.model = model
        self.dimension = dimension
        self.digest = digest
        self.texts: list[str] = []
        self.broken = False
        self.pause = 0.0

    def serve(self, connection: socket.socket, asked: Asked) -> None:
        """Lists its model, or embeds."""
        self.stopped.wait(self.pause)
        connection.sendall(self._answered(asked))

    def _answered(self, asked: Asked) -> bytes:
        if self.broken:
            return response(b'{"error": "out of memory"}', "500 Internal Server Error")
        if asked.path == "/api/tags":
            tagged = self.model if ":" in self.model else f"{self.model}:latest"
            listed = [{"model": tagged, "digest": self.digest}]
            return response(json.dumps({"models": listed}).encode())
        assert asked.path == "/api/embed", asked
        if asked.body["model"] != self.model:
            return response(b'{"error": "model not found"}', "404 Not Found")
        self.texts += asked.body["input"]
        vectors = [vector_of(text, self.dimension) for text in asked.body["input"]]
        return response(json.dumps({"model": self.model, "embeddings": vectors}).encode())


def settings(server: EmbedServer, *lines: str) -> str:
    """Own settings that ask this server for vectors; more lines go below `retrieval:`."""
    below = ["fallback: vector", f"vectorModel: {server.model}", *lines]
    return f"llm:\n  url: {server.url}\n  timeout: 60\nretrieval:\n" + "".join(
        f"  {line}\n" for line in below
    )
