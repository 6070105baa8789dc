"""What was forgotten for good, by keyed digests: they tell that a text was erased, and nobody without the key can test a guess."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memoryclaw.late import NamedTuple
from memoryclaw.text.needles import normal, plain_words
from memoryclaw.vault.layout import DECISIONS_FILE
from memoryclaw.writing.decisions import PURGED, Decisions

if TYPE_CHECKING:
    from memoryclaw.writing.context import WriteContext
    from memoryclaw.writing.writer import Edit

WHY = "forgotten"  # why nothing is kept of what was erased
SENTENCE = "forgotten: a person had this erased, so nothing was kept"
_LEAST = 5  # words of a text that is known again wherever it is said; a shorter one is known as the turn that it was
_VALUE = 2  # words of a value that no agent may store in other words

Digest = Callable[..., str]


class Tombstones(NamedTuple):
    """The digests of what was erased, and what makes one."""

    known: frozenset[str]
    digest: Digest

    @classmethod
    def of(cls, context: WriteContext) -> Tombstones:
        """Those of a vault, as it is now."""
        return cls.read(context.text(DECISIONS_FILE), context.gate.digest)

    @classmethod
    def read(cls, decisions: str, digest: Digest) -> Tombstones:
        """Those that the text of `decisions.jsonl` holds."""
        decided = Decisions.read(decisions).all if f'"{PURGED}"' in decisions else ()
        return cls(frozenset(erased for d in decided if d.decision == PURGED for erased in d.digests), digest)

    def turn(self, session: str, names: Iterable[str], text: str) -> bool:
        """True for a turn that was erased; `names` are the number and the host's id under which it comes."""
        return bool(self.known) and not self.known.isdisjoint(of_turn(self.digest, session, names, text))

    def fact(self, entity: str, field: str, value: str) -> bool:
        """True for a fact, or a statement, that was erased."""
        return bool(self.known) and self.digest(*_fact(entity, field, value)) in self.known

    def text(self, text: str, kinds: str = "t") -> bool:
        """True for a text that says, among other things, what was erased."""
        return bool(self.within(text, kinds))

    def within(self, text: str, kinds: str = "t") -> set[str]:
        """The digests of what a text says and was erased; `kinds`: t for whole texts, v for values."""
        heads = {erased.partition(":")[0] for erased in self.known}
        lengths = {(head[0], int(head[1:])) for head in heads if head[:1] in kinds and head[1:].isdecimal()}
        words = plain_words(text) if lengths else ()
        digests = (
            _digest_of(self.digest, kind, words[begin : begin + length])
            for kind, length in sorted(lengths)
            for begin in range(len(words) - length + 1)
        )
        return set(self.known.intersection(digests))


def text_of_record(record: Mapping[str, Any]) -> str:
    """What a line of a log says, tool calls included."""
    values = [record.get(key) for key in ("content", "tool", "args", "result")]
    texts = (
        each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in values if each
    )
    return "\n".join(texts)


def lift_edits(gone: Collection[str]) -> list[Edit]:
    """The edit after which these digests block nothing any more: a person says it again."""
    from memoryclaw.writing.writer import Edit, text_change  # noqa: PLC0415 - turns are kept without it

    def change(text: str) -> str:
        lines = []
        for line in text.splitlines(keepends=True):
            if f'"{PURGED}"' in line and any(f'"{erased}"' in line for erased in gone):
                value = json.loads(line)
                value["digests"] = [erased for erased in value["digests"] if erased not in gone]
                lines.append(json.dumps(value, ensure_ascii=False) + line[len(line.rstrip("\r\n")) :])
            else:
                lines.append(line)
        return "".join(lines)

    return [Edit(DECISIONS_FILE, text_change(change), consumes=True)] if gone else []


def of_text(digest: Digest, text: str) -> tuple[str, ...]:
    """The digest of a text that is long enough to be known again; none of others."""
    words = plain_words(text)
    return (_digest_of(digest, "t", words),) if len(words) >= _LEAST else ()


def of_fact(digest: Digest, entity: str, field: str, value: str) -> tuple[str, ...]:
    """The digests of a fact or a statement."""
    words, of_fact_itself = plain_words(value), digest(*_fact(entity, field, value))
    of_value = [_digest_of(digest, "v", words)] if len(words) >= _VALUE else []
    return (of_fact_itself, *of_value)


def of_turn(digest: Digest, session: str, names: Iterable[str], text: str) -> tuple[str, ...]:
    """The digests of a turn: of what it says, and of that under each of its names."""
    bound = (digest("turn", session, name, normal(text)) for name in names if name)
    return (*of_text(digest, text), *(f"b:{bound_id}" for bound_id in bound))


def _fact(entity: str, field: str, value: str) -> tuple[str, ...]:
    return ("fact", normal(entity), normal(field), normal(value))


def _digest_of(digest: Digest, kind: str, words: Sequence[str]) -> str:
    return f"{kind}{len(words)}:{digest('text', ' '.join(words))}"
