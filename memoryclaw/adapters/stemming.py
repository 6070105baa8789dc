"""Stemmers and stop words for 16 languages, from Whoosh. Imports only its small language modules."""

from __future__ import annotations

from whoosh.lang import stemmer_for_language
from whoosh.lang.stopwords import stoplists

from memoryclaw.core.language import Language


def language(code: str) -> Language:
    """The analysis for `index.language`; `none` compares words as written."""
    if code == "none":
        return Language(code, None, frozenset())
    return Language(code, stemmer_for_language(code), frozenset(stoplists.get(code, ())))
