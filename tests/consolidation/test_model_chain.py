"""Models that answer, fail and recover. Real HTTP servers on loopback; the waiting between tries is not waited for."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from conftest import put
from hypothesis import given, settings
from hypothesis import strategies as st
from segments import KITCHEN, basis_of, segment_of
from servers.faulty import MENDED, MODES, Faulty, patience
from servers.scripted import Asked, ModelServer, honest

from memoryclaw import config
from memoryclaw.config import Config
from memoryclaw.consolidation.changes import Extraction, Segment
from memoryclaw.consolidation.model_chain import ModelChain, model_chain
from memoryclaw.errors import ConfigError
from memoryclaw.models.llm import PAUSE, Prompt
from memoryclaw.writing.context import Templates

TEMPLATES = Templates()
SEGMENT = segment_of(KITCHEN)
CHAINS = ("ollama", "openai")


def settings_of(root: Path, url: str, chain: str = "ollama", **llm: object) -> Config:
    """The settings of somebody whose models all listen at one address."""
    given = {
        "chain": f"[{chain}]",
        "url": url,
        "openaiUrl": f"{url}/v1",
        "model": "m",
        "openaiModel": "m",
        "timeout": 60,
        **llm,
    }
    text = "llm:\n" + "".join(f"  {key}: {value}\n" for key, value in given.items())
    put(root, {"own/memoryclaw/config.yaml": text})
    return config.load(root, {"XDG_CONFIG_HOME": str(root / "own"), "XDG_CACHE_HOME": str(root / "cache")})


def read(
    root: Path, url: str, chain: str = "ollama", segment: Segment = SEGMENT, **llm: object
) -> Extraction:
    """What comes out of one segment, with models at this address."""
    chain = model_chain(settings_of(root, url, chain, retries=0, **llm), TEMPLATES, {})
    return chain.read(segment, basis_of(), {})


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Scripted:
    """A mind in this process: answers, or raises, what it is given, one after the other."""

    def __init__(self, name: str, *answers: str | Exception) -> None:
        self.name = name
        self.answers = list(answers)
        self.prompts: list[Prompt] = []

    def reach(self) -> None:
        pass

    def ask(self, prompt: Prompt, schema: Mapping[str, object]) -> str:
        self.prompts.append(prompt)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize("chain", CHAINS)
def test_a_model_enriches_what_patterns_read(tmp_path: Path, chain: str):
    with ModelServer() as server:
        reading = read(tmp_path, server.url, chain)
        [asked] = server.asked
    assert reading.by == f"{chain}/m"
    assert reading.degraded == ""
    assert reading.summary == KITCHEN[0][1]
    [claim] = reading.claims
    assert (claim.line, claim.role, claim.by) == (1, "user", f"{chain}/m")
    assert reading.participants == basis_of().participants
    assert len(asked.log) == len(KITCHEN)


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("mode", MODES)
def test_however_a_model_fails_the_reading_is_whole(tmp_path: Path, mode: str, chain: str):
    with Faulty(mode) as server:
        reading = read(tmp_path, server.url, chain, timeout=patience(mode))
    basis = basis_of()
    if mode in MENDED:
        assert reading.by == f"{chain}/m"
        assert reading.degraded == ""
    else:
        assert reading == basis._replace(degraded=reading.degraded)
        assert reading.degraded.startswith("no model answered (")
        assert reading.degraded.endswith("; facts and summaries are by rules")
        assert "\n" not in reading.degraded
    assert reading.points == basis.points
    assert reading.title
    assert reading.summary


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("invented_lines", "line 4711 is none of these lines"),
        ("invented_quotes", "its quote does not stand in line 1"),
        ("bad_claims", "left out: 6 of its claims"),
        ("invented_words", "the summary was left out"),
    ],
)
def test_what_a_model_invents_is_left_out_and_said(tmp_path: Path, mode: str, why: str, chain: str):
    with Faulty(mode) as server:
        reading = read(tmp_path, server.url, chain)
    assert any(why in sentence for sentence in reading.dropped)
    assert (reading.claims == ()) == (mode != "invented_words")


def test_what_a_model_reaches_for_is_not_even_read(tmp_path: Path):
    with Faulty("reaches_out") as reaching:
        reading = read(tmp_path, reaching.url)
    with ModelServer() as server:
        assert reading == read(tmp_path, server.url)


def test_the_second_model_is_asked_where_the_first_fails(tmp_path: Path):
    with Faulty("status_500") as bad, ModelServer() as good:
        reading = read(tmp_path, bad.url, "ollama, openai", openaiUrl=f"{good.url}/v1")
    assert (reading.by, reading.degraded) == ("openai/m", "")


def test_where_all_fail_the_first_reason_is_told(tmp_path: Path):
    with Faulty("status_500") as bad, Faulty("reset") as worse:
        reading = read(tmp_path, bad.url, "ollama, openai", openaiUrl=f"{worse.url}/v1")
    assert "Ollama failed with status 500" in reading.degraded


def test_without_models_nothing_is_asked_and_nothing_is_degraded(tmp_path: Path):
    with ModelServer() as server:
        for chain, llm in (("ollama", "none"), ("", "auto"), ("none", "auto")):
            models = model_chain(settings_of(tmp_path, server.url, chain), TEMPLATES, {}, llm=llm)
            assert models.read(SEGMENT, basis_of(), {}) == basis_of()
        assert server.connections == 0


def test_nobody_there_costs_one_call_in_a_run(tmp_path: Path):
    calls: list[object] = []
    sys.addaudithook(lambda event, args: calls.append(args[1]) if event == "socket.connect" else None)
    with Faulty("refused") as server:
        chain = model_chain(settings_of(tmp_path, server.url), TEMPLATES, {})
        readings = [chain.read(SEGMENT, basis_of(), {}) for _ in range(20)]
    where = server.url.removeprefix("http://")
    assert {each.degraded for each in readings} == {
        f"no model answered (Ollama is not running at {where}); facts and summaries are by rules"
    }
    assert len([call for call in calls if call == ("127.0.0.1", int(where.partition(":")[2]))]) == 1


def test_a_missing_model_is_asked_for_once_in_a_run(tmp_path: Path):
    with Faulty("model_missing") as server:
        chain = model_chain(settings_of(tmp_path, server.url), TEMPLATES, {})
        readings = [chain.read(SEGMENT, basis_of(), {}) for _ in range(5)]
        assert len(server.asked) == 1
    assert "`ollama pull m`" in readings[4].degraded


def test_a_chain_with_an_unknown_name_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"llm\.chain cannot contain 'claude'"):
        model_chain(settings_of(tmp_path, "http://127.0.0.1:1", "claude"), TEMPLATES, {})


def test_a_talk_without_words_asks_nobody(tmp_path: Path):
    silent = segment_of(
        [("tool", 'calendar {"title": "Paint"} → ok'), ("system", "You are Pip."), ("user", " ")]
    )
    with ModelServer() as server:
        assert read(tmp_path, server.url, segment=silent) == basis_of()
        assert server.connections == 0


def failing(mode: str, good_after: int) -> Callable[[Asked], str]:
    """Answers badly at first."""
    count = iter(range(1000))
    return lambda asked: mode if next(count) < good_after else json.dumps(honest(asked.log))


def test_a_bad_answer_is_asked_for_again_and_the_model_is_told_why(tmp_path: Path):
    clock = Clock()
    with ModelServer(failing('{"title": "cut', 1)) as server:
        chain = timed(tmp_path, server.url, clock, retries=1)
        reading = chain.read(SEGMENT, basis_of(), {})
        first, second = server.asked
    assert reading.by == "ollama/m"
    assert "could not be used" not in first.prompt
    assert "could not be used: its answer was not JSON of the asked form" in second.prompt
    assert clock.slept == [0.5]


def timed(root: Path, url: str, clock: Clock, **llm: object) -> ModelChain:
    """Minds at an address, on a clock of the test."""
    chosen = settings_of(root, url, **llm)
    inner = model_chain(chosen, TEMPLATES, {})
    return ModelChain(
        [link.model for link in inner._chain],
        TEMPLATES,
        retries=chosen.retries,
        clock=clock,
        sleep=clock.sleep,
    )


def test_each_further_try_waits_twice_as_long(tmp_path: Path):
    clock = Clock()
    with ModelServer(failing("nothing", 3)) as server:
        reading = timed(tmp_path, server.url, clock, retries=3).read(SEGMENT, basis_of(), {})
    assert reading.by == "ollama/m"
    assert clock.slept == [0.5, 1.0, 2.0]


def test_a_model_that_keeps_failing_is_left_alone_for_a_while_and_then_tried_once(tmp_path: Path):
    clock = Clock()
    with Faulty("status_500") as server:
        chain = timed(tmp_path, server.url, clock, retries=1)
        readings = [chain.read(SEGMENT, basis_of(), {}).degraded for _ in range(10)]
        assert len(server.asked) == 2
        assert len(set(readings)) == 1
        clock.now += PAUSE
        for _ in range(10):
            chain.read(SEGMENT, basis_of(), {})
        assert len(server.asked) == 3


def test_a_model_that_recovers_is_used_again(tmp_path: Path):
    clock = Clock()
    with ModelServer(failing("nothing", 4)) as server:
        chain = timed(tmp_path, server.url, clock, retries=1)
        assert [bool(chain.read(SEGMENT, basis_of(), {}).degraded) for _ in range(3)] == [True, True, True]
        assert len(server.asked) == 4  # two readings with two tries each; the third was not asked
        clock.now += PAUSE
        assert [chain.read(SEGMENT, basis_of(), {}).by for _ in range(2)] == ["ollama/m", "ollama/m"]


def test_the_same_talk_gives_the_same_prompt_and_the_same_reading(tmp_path: Path):
    with ModelServer() as server:
        assert read(tmp_path, server.url) == read(tmp_path, server.url)
        first, other = server.asked
    assert first.body == other.body


def test_reading_by_patterns_loads_no_client():
    code = (
        "import sys\n"
        "from memoryclaw import config\n"
        "from memoryclaw.writing.context import Templates\n"
        "from memoryclaw.consolidation.model_chain import model_chain\n"
        "from pathlib import Path\n"
        "model_chain(config.load(Path('/nowhere')), Templates(), {}, llm='none')\n"
        "print(sorted({'ollama', 'httpx', 'pydantic', 'jinja2'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "[]\n"


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.floats() | st.text(max_size=30)
    | st.sampled_from([text for _, text in KITCHEN]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(("line", "quote", "entity", "field", "value", "durable", "confidence", "path", "role")), inner, max_size=9),
    max_leaves=15,
)  # fmt: skip
reports = st.dictionaries(
    st.sampled_from(("title", "summary", "tags", "entities", "claims", "path", "trust")), anything, max_size=7
)
said = (
    st.text(max_size=400)
    | reports.map(json.dumps)
    | st.builds(lambda report, cut: json.dumps(report)[:cut], reports, st.integers(0, 400))
    | st.builds(
        lambda report: json.dumps({"title": "Kitchen", "summary": "Nora and Tomás agree", **report}), reports
    )
    | st.builds(
        lambda a, report, b: a + json.dumps(report) + b, st.text(max_size=20), reports, st.text(max_size=20)
    )
)


@pytest.mark.laws
@settings(max_examples=2000, deadline=None)
@given(said)
def test_no_answer_can_break_a_reading(text: str):
    reading = ModelChain([Scripted("m", text)], TEMPLATES, retries=0).read(SEGMENT, basis_of(), {})
    lines = {turn.line: turn for turn in SEGMENT.turns}
    assert reading.by in {"m", "rules"}
    assert (reading.by == "rules") == bool(reading.degraded)
    for claim in reading.claims:
        assert claim.quote in " ".join(lines[claim.line].text.split())
        assert claim.role == lines[claim.line].role
    assert reading.title
    assert reading.summary
