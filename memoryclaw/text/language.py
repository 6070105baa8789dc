"""Turns text into index tokens: words, folding, stems, stop words and CJK bigrams. The stemmer is passed in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Generic, TypeVar

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.text import words as lists
from memoryclaw.text.words import lines, words

# Combining marks stay inside words, so that Devanagari and decomposed accents are not cut apart.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a4d"
WORD = late.pattern(rf"[^\W_]++(?:[{_MARKS}]++[^\W_]*+)*+(?:['’][^\W_]++)*+")
_RUN = late.pattern(r"[^\W_]+")
_OUTSIDE = late.pattern(r"'(?:(?![a-z0-9])|(?<![a-z0-9]'))")  # an apostrophe that stands in no word
# Capitals to small letters, all else but digits to spaces: splitting then is four times as fast as the expression above.
_PLAIN_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_WITH_APOSTROPHES = _PLAIN_ASCII | {ord("'"): "'"}
_ELIDING = frozenset({"fr", "it", "ca"})
IRREGULAR = {form: base for base, *forms in map(str.split, lines("english.irregular")) for form in forms}
_QUESTION_STOP = frozenset(words("english.question"))
_ENDS = frozenset(("s", "re", "ll", "ve", "d", "m"))  # of a contraction: `when's`
# Letters without a Unicode decomposition, as people spell them whose keyboard lacks them.
SPELLED = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
)


def fold(word: str) -> str:
    """A word without case and diacritics: `Müller` and `muller`, `Søren` and `soren` are the same word."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold().translate(SPELLED))
    # Taking a letter apart can leave a capital behind (`ℌ`), so case is folded on both sides of it.
    return "".join([c for c in decomposed if c < "\u0300" or not unicodedata.combining(c)]).casefold()


@lru_cache(maxsize=65536)
def plain(word: str) -> str:
    """A word as it is compared: folded, without apostrophe or possessive."""
    folded = fold(word).replace("’", "'")
    return (folded.removesuffix("'s") or folded).replace("'", "")


def folded_words(text: str) -> list[str]:
    """The words of a text as `WORD` finds them, each folded."""
    return WORD.findall(text.lower()) if text.isascii() else list(map(fold, WORD.findall(text)))


def pairs(run: str) -> list[str]:
    """The overlapping character pairs of a run of unspaced script; a lone character stays itself."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def characters(text: str) -> list[str]:
    """The Chinese characters of a text that stand beside others: most are words of their own."""
    if text.isascii():
        return []
    # Not compiled before it is needed: wide ranges take a millisecond.
    runs = re.findall("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]{2,}", text)
    return [character for run in runs for character in run]


def words_of(text: str) -> list[str]:
    """Splits a text into lower-case words, the input of `Language.tokens`."""
    if text.isascii():
        small = text.translate(_WITH_APOSTROPHES)
        return (_OUTSIDE.sub(" ", small) if "'" in small else small).split()
    low = text.lower()
    return WORD.findall(unicodedata.normalize("NFC", low))


def runs_of(text: str) -> list[str]:
    """The runs of letters and digits of a text, case folded."""
    return text.translate(_PLAIN_ASCII).split() if text.isascii() else _RUN.findall(text.casefold())


_KEPT = 1 << 17  # words, some 20 MB
_Of = TypeVar("_Of")


class _Known(dict[str, _Of], Generic[_Of]):
    """Caches what is told of words; a stemmer costs far more than a look-up."""

    def __init__(self, analyse: Callable[[str], _Of]) -> None:
        super().__init__()
        self._analyse = analyse

    def __missing__(self, word: str) -> _Of:
        if len(self) >= _KEPT:  # ids and numbers never end; the words that are used come back soon
            self.clear()
        analysis = self[word] = self._analyse(word)
        return analysis


class Language:
    """One language's analysis: a cached map from a word as written to its index tokens.

    Args:
        code: ISO 639-1 code, as in `index.language`.
        stem: the language's stemmer, or None where there is none.
        stop: the language's stop words.
    """

    def __init__(self, code: str, stem: Callable[[str], str] | None, stop: frozenset[str]) -> None:
        self.code = code
        self._stem = stem
        self._eliding = code in _ELIDING
        self._irregular = IRREGULAR if code == "en" else {}
        self.stop = (stop | _QUESTION_STOP) if code == "en" else frozenset(fold(w) for w in stop)
        self.known = _Known(self._analyse)
        self._telling = _Known(lambda word: () if self.is_stop(word) else tuple(self.tokens(word)))

    @property
    def folds_first(self) -> bool:
        """True when accents do not change stems."""
        return self._stem is None or self.code == "en"

    def token(self, word: str) -> str:
        """The index tokens of one word as written, joined by spaces (several only for unspaced scripts)."""
        return self.known[word]

    def tokens(self, text: str) -> list[str]:
        """The index tokens of a text, in order."""
        return self.tokens_of_words(words_of(text))[0]

    def tokens_of_words(self, words: Iterable[str]) -> tuple[list[str], str]:
        """The index tokens of some words in order, and joined by spaces."""
        tokens = [*map(self.known.__getitem__, words)]
        joined = " ".join(tokens)  # one of an unspaced script has several
        return tokens if joined.count(" ") < len(tokens) else joined.split(), joined

    def telling(self, words: Iterable[str]) -> Iterator[str]:
        """The index tokens of those words that carry a subject, in order."""
        return chain.from_iterable(map(self._telling.__getitem__, words))

    def is_stop(self, word: str) -> bool:
        """True for a word that says nothing about the subject of a question."""
        plain = fold(word).replace("’", "'")
        first, _, ending = plain.partition("'")
        # `qu'est`; not `l'été`, `d'est`, which name something
        is_elided = self._eliding and first not in ("l", "d") and ending in self.stop
        parted = first in self.stop and (is_elided or ending in _ENDS)
        return plain in self.stop or plain.replace("'", "") in self.stop or parted

    def _analyse(self, word: str) -> str:
        if word.isascii() and word.isalnum():
            return self._plain(word)
        is_unspaced = not word.isascii() and max(word) >= _FIRST_UNSPACED
        word = word.replace("’", "'")
        pieces = _split_unspaced(word, self._plain) if is_unspaced else (self._plain(word),)
        return " ".join(" ".join(pieces).split()) or word

    def _plain(self, word: str) -> str:
        if "'" in word:
            word = self._without_apostrophe(word)
        folded = fold(word) or word
        base = self._irregular.get(folded, folded)
        if self._stem is None or not base.isalpha():  # numbers and codes have no other forms
            return base
        # Most stemmers want their own diacritics, so they see the word as written and the stem is folded.
        return fold(self._stem(base if self.code == "en" else word)) or base

    def _without_apostrophe(self, word: str) -> str:
        if word.endswith("'s"):
            return word[:-2].replace("'", "")
        if self._eliding:
            return word.rpartition("'")[2]
        return word.replace("'", "")


class Languages:
    """The languages of a vault as one, for questions: a word has the tokens of each.

    Args:
        all_: the vault's own language first.
        words: of the question; its stop words are those of the language that has most of them.
    """

    def __init__(self, all_: Sequence[Language], words: Sequence[str]) -> None:
        self._all = all_
        self.code = all_[0].code
        self._asked = max(all_, key=lambda analysis: sum(map(analysis.is_stop, words)))

    @property
    def asked_code(self) -> str:
        """The code of the language that the question is in."""
        return self._asked.code

    @property
    def folds_first(self) -> bool:
        """True when accents do not change stems in any of them."""
        return all(language.folds_first for language in self._all)

    @property
    def several(self) -> bool:
        """True where there is more than one language."""
        return len(self._all) > 1

    def of(self, code: str) -> Language | None:
        """The language of this code, where it is one of them."""
        return next((language for language in self._all if language.code == code), None)

    def is_stop(self, word: str) -> bool:
        """True for a word that says nothing about the subject of the question."""
        return self._asked.is_stop(word)

    def token(self, word: str) -> str:
        """The index tokens of one word in all languages, joined by spaces."""
        return " ".join(dict.fromkeys(" ".join(language.token(word) for language in self._all).split()))

    def is_form(self, word: str, other: str) -> bool:
        """True where one of the languages takes two words for forms of one; another one may not."""
        return any(language.token(word) == language.token(other) for language in self._all)

    def is_cut(self, word: str) -> bool:
        """True for a word of an unspaced script, which has several tokens in one language."""
        return " " in self._all[0].token(word)

    def phrases(self, text: str) -> list[list[str]]:
        """The index tokens of a text, in order, in each language where they differ."""
        return [*map(list, dict.fromkeys(tuple(language.tokens(text)) for language in self._all))]


# Scripts written without spaces are indexed as overlapping pairs.

_FIRST_UNSPACED = "\u0e00"  # Thai; the others come after it


def _split_unspaced(word: str, plain: Callable[[str], str]) -> Iterator[str]:
    last = 0
    # Han, kana, Hangul, Thai, Lao, Khmer, Myanmar; compiled when there is one, as above.
    for run in re.finditer(
        "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+",
        word,
    ):
        if run.start() > last:
            yield plain(word[last : run.start()])
        yield from pairs(run.group())
        last = run.end()
    if last < len(word):
        yield plain(word[last:])


# Keys of entity names, and the longest names in a question.

_LONGEST_NAME = 4  # words
_SHORT = 3  # characters of a word that is no name and its possessive s: `bus`
_LONGEST_GLUED = 8  # characters of a name inside a word of an unspaced script
_GLUED_PLACES = 64  # positions in such a word at which a name may begin
_MOST = 1000
_CAMEL = late.pattern(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[A-Z])(?=[A-Z][a-z])")


class EntityCandidate(NamedTuple):
    """A key that may be an entity's, and the words it stands for: from `first` up to `after`."""

    key: str
    first: int
    after: int
    span: tuple[int, int]  # characters of the words joined by spaces


SPEAKER = frozenset(words("pronouns.speaker"))  # no name of anybody, whatever a model has called so


@lru_cache(maxsize=65536)
def key_of(name: str) -> str:
    """The key of a name: its folded words without possessives, joined by spaces."""
    return " ".join(map(plain, WORD.findall(name)))


@lru_cache(maxsize=4096)
def keys_of(name: str) -> tuple[str, ...]:
    """All keys under which a name is indexed: `Project X` and `projectX` share `project x` and `projectx`."""
    return _spellings(key_of(name), key_of(_CAMEL.sub(" ", name)))


def candidates(
    words: Sequence[str], may_be_owned: Callable[[str], bool] = lambda _word: False
) -> list[EntityCandidate]:
    """Every key that one to four adjacent words of a question may stand for, the longest first.

    Args:
        may_be_owned: whether a word names what people have, before which a name may have its s without an apostrophe.
    """
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    plain = [key_of(word) for word in words]
    apart = [key_of(_CAMEL.sub(" ", word)) for word in words]
    entities = []
    for size in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for first in range(len(words) - size + 1):
            after = first + size
            key = " ".join(plain[first:after])
            keys = _spellings(key, " ".join(apart[first:after]))
            # An apostrophe is often not typed, and in German there is none: `rhodris mum`, `Annas Chef`.
            is_owner = (
                key.endswith("s") and len(key) > _SHORT and any(map(may_be_owned, words[after : after + 1]))
            )
            keys = (*keys, key.removesuffix("s")) if is_owner else keys
            entities += [
                EntityCandidate(key, first, after, (starts[first], starts[after] - 1)) for key in keys
            ]
    for i, word in enumerate(words):
        entities += [
            EntityCandidate(key, i, i + 1, (starts[i] + a, starts[i] + b)) for key, a, b in _glued(word)
        ]
    return entities[:_MOST]


def select(candidates: Sequence[EntityCandidate], known: Collection[str]) -> list[EntityCandidate]:
    """The longest known candidates that do not overlap, in the order of the question."""
    chosen: list[EntityCandidate] = []
    existing = [candidate for candidate in candidates if candidate.key in known]
    for candidate in sorted(existing, key=lambda c: (c.first - c.after, c.span[0] - c.span[1], c.span)):
        start, end = candidate.span
        if all(end <= earlier.span[0] or start >= earlier.span[1] for earlier in chosen):
            chosen.append(candidate)
    return sorted(chosen, key=lambda c: c.span)


def _spellings(key: str, apart: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(spelling for spelling in (key, apart, key.replace(" ", "")) if spelling))


def _glued(word: str) -> Iterator[tuple[str, int, int]]:
    """Yields the parts of a word in an unspaced script, where names have no spaces around them."""
    if not word or max(word) < _FIRST_UNSPACED:
        return
    folded = fold(word)
    is_same = len(folded) == len(word)  # as it is but for a few letters that fold to several
    for size in range(min(_LONGEST_GLUED, len(word) - 1), 1, -1):
        for start in range(min(len(word) - size + 1, _GLUED_PLACES)):
            end = start + size
            if word[start] >= _FIRST_UNSPACED and word[start].isalpha():
                yield folded[start:end] if is_same else fold(word[start:end]), start, end


# Cuts a text of any language into its sentences.

# Abbreviations that end no sentence; those that do not before a number; those that do not before a small letter.
_ABBREVIATIONS = frozenset(lists.words("sentences.abbreviations"))
_BEFORE_NUMBER = frozenset(lists.words("sentences.before_number"))
_BEFORE_NUMBER_ENDINGS = tuple(lists.words("sentences.before_number_endings"))
_BEFORE_SMALL = frozenset(lists.words("sentences.before_small"))
_ORDINAL_AFTER = frozenset(lists.words("sentences.ordinal_after"))
_CLAUSE_STARTS = frozenset(lists.words("sentences.clause_starts"))
_DAY_MONTH = late.pattern(r"\d{1,2}\.\d{1,2}")
# The sign that ends a sentence stands first: a pattern that begins with what looks back is tried at every character.
_END = late.pattern(
    r"""[.!?…。！？\n]((?<=[.!?…])["'”’»)\]*_]*\s+(?=\S)|(?<=[。！？])["'”’」』）]*\s*|(?<=\n)\n*)"""
)
_LAST_WORD = late.pattern(r"[\"'“‘(\[]*([^\W_][\w.]*)\.")
_ASIDE = 60  # characters of a bracket on either side of a dot in it
_TAIL = 40  # characters before a dot that tell whether it ends a sentence
_SHORTENED = late.pattern(r"[^\W\d_a-zß-ÿ]{2,4}\b")  # `3. OG`
_MONTH = late.pattern(r"(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)", re.IGNORECASE)


@lists.kept
def _small() -> dict[str, frozenset[str]]:
    """The small words of each language, by the file of its grammar."""
    small_words = {
        file.removeprefix("talk_"): lists.text(f"{file}.function_words").replace(",", " ").split()
        for file in lists.files()
        if file.startswith("talk_")
    }
    return {code: frozenset(map(plain, small)) for code, small in small_words.items()}


SMALL = _small()  # the words of each language that carry no subject, folded


_QUESTION_MARKS = ("?", "\uff1f", "\u061f")  # also those of Chinese, Japanese and Arabic
_CLOSING = " \t\r\n\"'”’»)*_"


def ends_in_question(text: str) -> bool:
    """True for a text that ends in a question."""
    return text.rstrip(_CLOSING).endswith(_QUESTION_MARKS)


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, each on one line; abbreviations end none."""
    return list(_sentences(text))


@lru_cache(maxsize=1024)  # several readers ask it of the same turns
def _sentences(text: str) -> tuple[str, ...]:
    pieces: list[str] = []
    top = 0
    has_brackets = "(" in text
    for hit in (*_END.finditer(text), None):
        end = hit.start(1) if hit else len(text)
        if (
            hit
            and "\n" not in hit[0]
            and (
                _goes_on(text[max(top, end - _TAIL) : hit.end()], text[hit.end() : hit.end() + _TAIL])
                or (
                    has_brackets
                    and _in_bracket(
                        text[max(top, end - _ASIDE) : hit.end()], text[hit.end() : hit.end() + _ASIDE]
                    )
                )
            )
        ):
            continue
        piece = " ".join((text[top:end] + (hit[1].rstrip() if hit else "")).split())
        if piece:
            pieces.append(piece)
        top = hit.end() if hit else end
    return tuple(pieces)


def _goes_on(before: str, after: str) -> bool:
    """True where the dot ended no sentence: `Dr. Rao`, `Tel. 0561`, `12. Mai`, `1. Milk`, `"Why?" she asked`."""
    before = before.rstrip()
    sign = before[-1]
    if after[:1].islower() and sign in "\"'”’»":
        return True
    last = _LAST_WORD.fullmatch(before.split()[-1]) if sign == "." else None
    if last is None:
        return False
    word = last[1].lower()
    if word[0].isdigit():
        # True where the dot belongs to a day: `12. Mai`, `27.11. Termin`; or to the number of an item
        # in a list.
        if word.isdigit():
            alone = before.strip() == f"{word}."
            if len(word) > 2 or alone or _MONTH.match(after):
                return len(word) < 3
            ordinal = not _is_opener(after) and (
                not _ORDINAL_AFTER.isdisjoint(before.lower().split()[-2:-1])
                or _SHORTENED.match(after) is not None
            )
            return (ordinal or after[:1].islower()) and not _begins_clause(after)
        return _DAY_MONTH.fullmatch(word) is not None and not (_is_opener(after) or _begins_clause(after))
    number, small = after[:1].isdigit() or after[:1] in "+(", after[:1].islower()
    return (
        word in _ABBREVIATIONS
        or (number and (word in _BEFORE_NUMBER or word.endswith(_BEFORE_NUMBER_ENDINGS)))
        or (small and word in _BEFORE_SMALL)
        or (len(word) == 1 and word != "i")
    )


def _in_bracket(before: str, after: str) -> bool:
    """True between the signs of one bracket: `she is pregnant (6. month), so …`."""
    opened = before.rfind("(") > before.rfind(")")
    closed = after.find(")")
    return opened and closed >= 0 and not 0 <= after.find("(") < closed


def _begins_clause(after: str) -> bool:
    first = WORD.match(after)
    return first is not None and first[0].lower() in _CLAUSE_STARTS


def _is_opener(after: str) -> bool:
    """True for a small word with a capital, which only begins a sentence: `Danach`, `The`."""
    first = WORD.match(after)
    return (
        first is not None
        and first[0][0].isupper()
        and any(plain(first[0]) in stop for stop in SMALL.values())
    )
