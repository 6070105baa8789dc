"""How much what was said counts for the user: `salience.md` names topics that matter and topics to ignore."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memoryclaw.index import stemming
from memoryclaw.text.grammar import codes
from memoryclaw.text.language import Language
from memoryclaw.vault.salience import Topics, read_topics, says_which

MATTERS, IGNORED = 1, -1


class Weight(NamedTuple):
    """What a text counts for: MATTERS, IGNORED or 0, and the topic that says so."""

    salient: int = 0
    topic: str = ""


class Salience:
    """The topics of a vault, by the stems of their words."""

    def __init__(self, topics: Topics = Topics(), language: str = "en") -> None:  # noqa: B008 - an immutable value
        texts = [*topics.matters, *topics.ignored]
        usual = stemming.language(language)
        of_file = stemming.language_of([". ".join(texts)], usual)
        # A talk may be in another language than the file, and so may a topic: a word is compared in each.
        readable = (stemming.language(code) for code in codes())
        self._languages = list({stemmer.code: stemmer for stemmer in (usual, of_file, *readable)}.values())
        self._usual = usual, of_file
        self._topics = [
            (salient, topic, [_stems(topic, language, self._usual) for language in self._languages])
            for salient, names in ((MATTERS, topics.matters), (IGNORED, topics.ignored))
            for topic in names
        ]

    @classmethod
    def of_vault(cls, text: str, language: str) -> Salience:
        """The topics of the text of `salience.md`."""
        return cls(read_topics(text), language)

    def of(self, *texts: str) -> Weight:
        """What texts count for that say one thing: a topic is named where all its words are; what matters wins."""
        if not self._topics:
            return Weight()
        spoken = [frozenset(language.tokens(" ".join(texts))) for language in self._languages]
        return next(
            (
                Weight(salient, topic)
                for salient, topic, stems in self._topics
                if any(needed and needed <= words for needed, words in zip(stems, spoken, strict=True))
            ),
            Weight(),
        )


def _stems(topic: str, language: Language, usual: Iterable[Language]) -> frozenset[str]:
    """The stems of a topic, without what is a small word in a language or in the usual ones: `sea` is one in Spanish, and `the` is none."""
    stops = (language, *usual)
    words = [
        word for word in topic.split() if not (any(each.is_stop(word) for each in stops) or says_which(word))
    ]
    return frozenset(stem for word in words for stem in language.tokens(word))
