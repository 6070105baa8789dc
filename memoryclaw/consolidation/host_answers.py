"""An agent's host as the reader: each segment goes out as a prompt, and what comes back is judged like any model's answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memoryclaw.consolidation import grounding
from memoryclaw.consolidation.changes import Extraction, Segment
from memoryclaw.consolidation.model_chain import degrade, prompt_of, transcript
from memoryclaw.late import NamedTuple
from memoryclaw.models.llm import ModelError, Schema
from memoryclaw.text.encoding import json_object
from memoryclaw.text.prompts import one_line
from memoryclaw.vault.export_gate import may_leave
from memoryclaw.writing.context import Templates

HOST = "host"  # as run records name it
_FORM = 'write {"segment": "logs/…", "answer": {…}} on one line'
_LONGEST_NAME = 120  # characters of a segment's name that are told
_MOST_TOLD = 20  # sentences


class SegmentPrompt(NamedTuple):
    """A segment of a log as a model is asked about it, and the JSON schema of the answer."""

    segment: str  # its range, as run records cite it: the answer names it
    system: str
    prompt: str
    schema: Schema


class Questions:
    """Stands in for the models of a run, and keeps what they would be asked."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates
        self.asked: list[SegmentPrompt] = []

    def read(
        self, segment: Segment, basis: Extraction, _names: Mapping[str, str], known: Sequence[str] = ()
    ) -> Extraction:
        """What rules read; the prompt is kept, but of what must stay here: the models of hosts are elsewhere."""
        log = transcript(segment, known=known)
        if log.lines and may_leave(segment.label):
            prompt = prompt_of(log, self._templates)
            schema = grounding.answer_schema()
            self.asked.append(SegmentPrompt(str(segment.range), prompt.system, prompt.user, schema))
        return basis


class HostAnswers(NamedTuple):
    """What a host answered, by segment, and a sentence for each line that could not be read."""

    answers: Mapping[str, str]
    problems: tuple[str, ...] = ()

    def read(
        self, segment: Segment, basis: Extraction, names: Mapping[str, str], _known: Sequence[str] = ()
    ) -> Extraction:
        """What rules read, with what the host answered and the segment's words prove."""
        text = self.answers.get(str(segment.range))
        if text is None:
            return basis
        try:
            answer = grounding.read_answer(text)
        except ModelError as error:
            return degrade(basis, f"{HOST}: {error}")
        return grounding.prove(answer, segment, basis, names, HOST)


def read_answers(lines: Iterable[str | Mapping[str, Any]], file: str) -> HostAnswers:
    """The answers of a host; a line that is none costs only itself, and the last answer for a segment counts.

    Args:
        lines: objects with `segment` and `answer`, or lines of JSON.
        file: the name of the file that they stand in.
    """
    answers: dict[str, str] = {}
    problems = []
    for number, line in enumerate(lines, 1):
        if isinstance(line, str) and not line.strip():
            continue
        value = json_object(line) if isinstance(line, str) else line
        segment, answer = value.get("segment"), value.get("answer")
        if isinstance(segment, str) and isinstance(answer, (str, dict)):
            answers[segment] = answer if isinstance(answer, str) else json.dumps(answer)
        else:
            problems.append(f"{file}:{number}: this is no answer to a segment; {_FORM}")
    return HostAnswers(answers, first_sentences(problems))


def omission(segment: str, reason: str) -> str:
    """The sentence about an answer that no segment could take."""
    return f"the answer for {one_line(segment)[:_LONGEST_NAME]!r} was left out: {reason}"


def first_sentences(sentences: list[str]) -> tuple[str, ...]:
    """The first sentences, and how many more there are."""
    omitted = len(sentences) - _MOST_TOLD
    return (*sentences[:_MOST_TOLD], *([f"… and {omitted:,} more like these"] if omitted > 0 else []))
