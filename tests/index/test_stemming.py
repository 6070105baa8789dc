"""The shortcut past the English stemmer gives the stemmer's own stems."""

from hypothesis import given
from hypothesis import strategies as st
from whoosh.lang import stemmer_for_language
from whoosh.lang.snowball.english import EnglishStemmer

from memoryclaw.index.stemming import language

_STEM = stemmer_for_language("en")
_ENGLISH = language("en")
_PARTS = (
    *"aeiouybcdglmnrst",
    *("nc", "at", "iz", "ed", "ing", "ly", "er", "ion", "ation", "ous", "ent", "ment", "ance", "ful"),
)
_PARTS += ("ness", "al", "ism", "iti", "li", "ogi", "ator")
words = st.lists(st.sampled_from(_PARTS), min_size=1, max_size=7).map("".join)


@given(words)
def test_every_word_has_the_stem_that_the_stemmer_gives(word):
    expected = _STEM(word)
    if _ENGLISH._irregular.get(word) is None:
        assert _ENGLISH.token(word) == (expected or word)


def test_words_with_a_stem_of_their_own_keep_it():
    special = EnglishStemmer._EnglishStemmer__special_words
    assert {word: _ENGLISH.token(word) for word in special} == special
