"""The words of a language by what they do in a clause. Each language is one file, `data/talk_en.toml`; a new one is a new file.

An entry with a mark behind it stands for several forms: see `_forms`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain, product
from operator import itemgetter
from typing import Self

from whoosh.lang.stopwords import stoplists

from memoryclaw import late
from memoryclaw.text import words as lists
from memoryclaw.text.language import fold, plain
from memoryclaw.text.sentences import SMALL

UNREAD = "und"  # the code of a language without a grammar: of its words only the pronouns are known
_PRONOUNS = {
    "first_person": ("myself", "abroad", "own", "speaking_elsewhere"),
    "possessives_own": ("own",),
    "second_person": ("yourself",),
    "renewals": ("renewed",),
}
_PREFIX = "talk_"
# Lists of the files that are looked up together, by the name of the whole.
TOGETHER = {
    name: parts.split(", ")
    for name, _, parts in (line.partition(": ") for line in lists.lines("grammar.together"))
}
# A word that lost its vowel before the next one is a word of its own: `l'anglais`, `d'ora in poi`, `qu'il`.
_ELIDED = (
    r"(?i:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|d?all|[dn]ell|sull|un|quest|quell)['’](?=(?i:[aeiouhà-öø-üœ])|\Z)"
)
_TOKEN = late.pattern(
    rf"{_ELIDED}|" r"[^\W_]++(?:['’][^\W_]++)*+(?:[-&/][^\W_]++(?:['’][^\W_]++)*+)*+|['’]s\b"
)
_UNMARKED = late.pattern(r"[^\W_]++(?:[-&/][^\W_]++)*+")  # twice as fast, where there is no apostrophe
# Of signs that stand in no word spaces are made; what is split at spaces then takes two thirds of the time of these expressions.
_SIGNS = late.pattern(r"[^\w\x00-\x7f]+")
_PLAIN_ASCII = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "'-&/")}
# Lists of a file that are in a form of their own, or only say how the others are to be read.
_NO_WORDS = frozenset(
    {
        "verb_fields",
        "verb_ends",
        "verb_goals",
        "facet_words",
        "facet_turns",
        "losses",
        "holdings",
        "noun_capitals",
        "clitics",
        "plain_letters",
    }
)
_HEAD = itemgetter(slice(2))
_HEADS = frozenset(map("".join, product(map(chr, range(ord("a"), ord("z") + 1)), repeat=2)))
_SEVERAL = len(_HEADS) - 50  # as many as are left where more is read than a question
# Entries whose forms may begin with other letters.
_OTHERWISE = late.pattern(r"\n(?![a-z]{3})([^ \n]+)(?=\n)")
_ENDING = 3  # letters of the longest ending that an entry stands for, `ing`
_SURE = 2  # small words of one language before a turn counts as written in it
_LANGUAGES_OF: dict[str, list[str]] = {}  # of each small word
for _code, _words in SMALL.items():
    for _word in _words:
        _LANGUAGES_OF.setdefault(_word, []).append(_code)
_FOREIGN = 3  # different stop words that only another language has
_SHORT = 300  # characters of a line or a clause, whose words are remembered
# Words and letters that no language has which is read, and those of the words by which people speak of themselves.
_SPEAKING = frozenset(lists.words("pronouns.speaking_elsewhere"))
_ELSEWHERE = _SPEAKING | frozenset(lists.words("pronouns.elsewhere"))
_STRANGE = frozenset(lists.text("pronouns.strange_letters").strip())
_LATIN = late.pattern(r"[a-zà-öø-ɏ]", re.IGNORECASE)
_LETTER = late.pattern(r"[^\W\d_]")
_NO_LETTERS = bytes(sign for sign in range(128) if not chr(sign).isalpha())
_WEIGHT = 3  # letters that one of a script without spaces says as much as


class WordList(frozenset[str]):
    """Words and phrases that are looked up in a list of tokens; as a set, the words alone."""

    by_first: dict[str, list[tuple[str, ...]]]  # entries, the longest first, by their first word

    def __new__(cls, entries: Iterable[str], parts: Iterable[WordList] = ()) -> Self:
        """Of entries of one word or more, behind those of other lists."""
        by_first: dict[str, list[tuple[str, ...]]] = {}
        for first, entries_of_word in chain.from_iterable(part.by_first.items() for part in parts):
            by_first.setdefault(first, []).extend(entries_of_word)
        for entry in entries:
            plain_words = tuple(entry.lower().split())
            is_plain = entry.isascii() and "".join(plain_words).isalpha()  # as most are
            words = plain_words if is_plain else _split(entry)
            if words:
                by_first.setdefault(words[0], []).append(words)
        for entries_of_word in by_first.values():
            if len(entries_of_word) > 1:
                entries_of_word.sort(key=len, reverse=True)
        word_list = super().__new__(
            cls, (first for first, entries_of_word in by_first.items() if len(entries_of_word[-1]) == 1)
        )
        word_list.by_first = by_first
        return word_list

    def at(self, tokens: Sequence[str], place: int = 0) -> int:
        """How many tokens from a place on are an entry, the longest one; 0 where none is."""
        for words in self.by_first.get(tokens[place], ()) if place < len(tokens) else ():
            length = len(words)
            if length == 1 or tuple(tokens[place : place + length]) == words:
                return length
        return 0

    @cached_property
    def _tellings(self) -> frozenset[str]:
        """The longest word of each entry: it is in fewer texts than the first one, which is small in most phrases."""
        return frozenset(max(words, key=len) for entries in self.by_first.values() for words in entries)

    def entries(self) -> list[str]:
        """Every entry, words and phrases."""
        return [" ".join(parts) for phrases in self.by_first.values() for parts in phrases]

    def skip(self, tokens: Sequence[str], place: int = 0) -> int:
        """The place behind all entries that stand one behind another from a place on."""
        while place < len(tokens) and tokens[place] in self.by_first and (length := self.at(tokens, place)):
            place += length
        return place

    def find(self, tokens: Sequence[str]) -> int:
        """The place of the first entry among the tokens; -1 where there is none."""
        return next(self.places(tokens), (-1, 0))[0]

    def places(self, tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Every place from which an entry stands among the tokens, and how many tokens the longest one there is."""
        firsts = self.by_first
        for place, token in enumerate(tokens) if self.may_be_in(tokens) else ():
            if token in firsts and (length := self.at(tokens, place)):
                yield place, length

    def within(self, tokens: Sequence[str]) -> bool:
        """True where an entry stands among the tokens."""
        if self._tellings.isdisjoint(tokens):
            return False
        return not self.isdisjoint(tokens) or self.find(tokens) >= 0  # most entries are one word

    def may_be_in(self, tokens: Iterable[str]) -> bool:
        """False where no entry stands among some of the tokens, whichever these are."""
        return not self._tellings.isdisjoint(tokens)

    def has_any(self, tokens: Iterable[str]) -> bool:
        """True where one of its words, rather than a phrase, stands among the tokens."""
        return not self.isdisjoint(tokens)


Phrases = tuple[tuple[tuple[str, ...], str], ...]


def _phrases_of(name: str) -> cached_property[Phrases]:
    return cached_property(lambda words: words.by_field(name))


class Grammar:
    """The word lists of one language, each read when it is first asked for; a list that a language lacks is empty."""

    verb_fields = _phrases_of("verb_fields")  # verbs that name a field
    verb_ends = _phrases_of("verb_ends")  # verbs that end the value of one
    verb_goals = _phrases_of(
        "verb_goals"
    )  # what stands before its new value in a sentence that ends the old one
    facet_words = _phrases_of("facet_words")  # words of a facet of somebody's life
    facet_turns = _phrases_of("facet_turns")  # words by which such a facet has another value

    def __init__(self, code: str) -> None:
        self.code = code
        self._file = f"{_PREFIX}{code}"
        self._names = frozenset(lists.names(self._file) if code != UNREAD else ())

    def __getattr__(self, name: str) -> WordList:
        if name.startswith("_"):
            raise AttributeError(name)
        parts = [getattr(self, part) for part in TOGETHER.get(name, ())]
        word_list = WordList(() if parts else self._entries(name), parts)
        setattr(self, name, word_list)  # from now on it is an attribute like any other
        return word_list

    def _entries(self, name: str) -> list[str]:
        if self.code == UNREAD:
            return [word for part in _PRONOUNS.get(name, ()) for word in lists.words(f"pronouns.{part}")]
        if name not in self._names:
            return []
        return [
            form for line in lists.lines(f"{self._file}.{name}") for form in self._spelled(line.split(","))
        ]

    def known(self, words: frozenset[str]) -> frozenset[str]:
        """Those of some words that are an entry of the file, but for those of lists that are no words of it; no list is made for that."""
        if heads := self._unread.intersection(map(_HEAD, words)):
            if len(self._unread) < _SEVERAL:  # more text is to come
                heads, entries = self._unread, self._flat.split("\n")
            else:
                pieces = ((head, piece) for head in heads for piece in self._flat.split(f"\n{head}")[1:])
                entries = [head + piece.partition("\n")[0] for head, piece in pieces]
            self._singles.update(self._single_words(entries))
            self._unread -= heads  # last, as another thread may ask
        return words & self._singles

    @cached_property
    def _unread(self) -> frozenset[str]:
        """The beginnings of words whose entries are still to be read: all forms of a longer one begin as it does."""
        return _HEADS

    @cached_property
    def _singles(self) -> set[str]:
        """The single words that were read until now; from the first on those of entries whose forms may begin otherwise."""
        return set(self._single_words(_OTHERWISE.findall(self._flat)))

    @cached_property
    def _flat(self) -> str:
        texts = (lists.text(f"{self._file}.{name}") for name in self._names - _NO_WORDS)
        return "\n".join(["", *texts, ""]).replace(", ", "\n")

    def _single_words(self, entries: Iterable[str]) -> Iterator[str]:
        for form in self._spelled(
            {entry for entry in entries if " " not in entry}
        ):  # many stand in several lists
            tokens = (form.lower(),) if form.isascii() and form.isalpha() else _split(form)
            yield from tokens if len(tokens) == 1 else ()

    def _spelled(self, entries: Iterable[str]) -> Iterator[str]:
        """Each form of some entries, where accents are often left out also without them."""
        for form in chain.from_iterable(_forms(entry.strip(), self._clitics) for entry in entries):
            yield form
            if not form.isascii() and self._accented and (bare := fold(form)) not in self._accented:
                yield bare

    @cached_property
    def _clitics(self) -> tuple[str, ...]:
        """The pronouns that are written behind a verb, with the mark between: `me` of `llámame`, `-moi`."""
        return tuple(self._raw("clitics"))

    @cached_property
    def _accented(self) -> frozenset[str]:
        """The words of the file as they are written, where people leave out accents: `esta` is another word than `está`."""
        return lists.entries(self._file) if self._raw("plain_letters") else frozenset()

    def _raw(self, name: str) -> list[str]:
        """The entries of a list as the file has them."""
        text = lists.text(f"{self._file}.{name}") if name in self._names else ""
        return [entry.strip() for entry in text.replace("\n", ",").split(",") if entry.strip()]

    @cached_property
    def fields_by_first(self) -> dict[str, list[tuple[tuple[str, ...], str]]]:
        """The verbs of fields by their first token."""
        rows: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for row in self.verb_fields:
            rows.setdefault(row[0][0], []).append(row)
        return rows

    @cached_property
    def ending_verbs(self) -> WordList:
        """The verbs that end the value of a field, as they are looked up: `left`, `quit`."""
        return WordList(" ".join(verb) for verb, _ in self.verb_ends)

    def phrases(self, entries: Iterable[str]) -> Iterator[tuple[str, ...]]:
        """The tokens of each form of some entries, with `/` between words that stand for each other."""
        alternatives = ([word.split("/") for word in entry.split()] for entry in entries)
        spelled = self._spelled(" ".join(phrase) for entry in alternatives for phrase in product(*entry))
        return map(tokens_of, spelled)

    def by_field(self, name: str) -> Phrases:
        """The phrases of a list with the field or facet of each, the longest first; in the file `field: verb, verb`, and with `/` between words that stand for each other."""
        rows = []
        for line in lists.lines(f"{self._file}.{name}") if name in self._names else ():
            field, _, verbs = line.partition(":")
            rows += [(tokens, field.strip()) for tokens in self.phrases(verbs.split(","))]
        return tuple(sorted(rows, key=lambda row: -len(row[0])))


def _forms(entry: str, clitics: Iterable[str] = ()) -> tuple[str, ...]:
    """The words that an entry stands for: `dog+` also for dogs, `live~` for every form of a regular verb, `chiama^` also for chiamami, and `don't` also for dont."""
    if entry.endswith("^"):
        return entry[:-1], *(f"{entry[:-1]}{clitic}" for clitic in clitics)
    word = entry.rstrip("+~")
    if word in ("", entry):
        return (entry, entry.replace("n't", "nt")) if "n't" in entry else (entry,)
    hard = word.endswith("y") and word[-2] not in "aeou"
    several = f"{word[:-1]}ies" if hard else f"{word}{'e' * word.endswith(('s', 'x', 'z', 'ch', 'sh'))}s"
    if entry.endswith("+"):
        return word, several
    stem = word.removesuffix("e")
    return word, several, f"{word[:-1]}ied" if hard else f"{stem}ed", f"{stem}ing"


@cache
def grammar(code: str) -> Grammar:
    """The grammar of a language; `code` is one of `codes()`, or `UNREAD`, of whose lists all but the pronouns are empty."""
    return Grammar(code)


@cache
def codes() -> tuple[str, ...]:
    """The languages whose talk can be read."""
    return tuple(sorted(name.removeprefix(_PREFIX) for name in lists.files() if name.startswith(_PREFIX)))


def tokens_of(text: str) -> tuple[str, ...]:
    """The words of a text in small letters, contractions in one piece: `don't`, `l4/l5`."""
    return _words_of_line(text) if len(text) <= _SHORT else _words_of_text(text)


def _split(text: str) -> tuple[str, ...]:
    small = text.lower()
    if len(small) != len(text):  # of `İ` two signs are made, and no span would fit
        small = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    small = small.replace("’", "'")
    plain_text = small if small.isascii() else _SIGNS.sub(" ", small)
    if not plain_text.isascii() or small.endswith("'") or "'s_" in small:  # what `_TOKEN` looks ahead for
        return tuple(_tokens(small))
    pieces = plain_text.translate(_PLAIN_ASCII).split()
    if "".join(pieces).isalnum():
        return tuple(pieces)
    tokens: list[str] = []
    for piece in pieces:
        if piece.isalnum():
            tokens.append(piece)
        else:
            tokens += _tokens(f"{piece} ")
    return tuple(tokens)


def _tokens(small: str) -> list[str]:
    return (_TOKEN if "'" in small else _UNMARKED).findall(small)


# All who read a line or a clause ask for its words, and of a long one most of them one after the other.
_words_of_line, _words_of_text = lru_cache(maxsize=8192)(_split), lru_cache(maxsize=64)(_split)


def tokens_unread(text: str) -> tuple[str, ...]:
    """The words of a text in a language without a grammar: also the pronouns of a script without spaces."""
    return tokens_of(text) + tuple(word for word in _unspaced() if word in text)


@cache
def _unspaced() -> tuple[str, ...]:
    return tuple(
        word
        for part in ("myself", "abroad", "own")
        for word in lists.words(f"pronouns.{part}")
        if max(word) > "\u2fff"
    )


@lru_cache(maxsize=1024)  # of a clause, which several readers look through
def spans_of(text: str) -> tuple[tuple[int, int], ...]:
    """Where the words of `tokens_of` stand."""
    return tuple(hit.span() for hit in _TOKEN.finditer(text))


def language_of(words: Iterable[str], default: str = "en", *, least: int = 1) -> str:
    """The language whose small words stand most often among these; the default where fewer than `least` do."""
    # Plain letters are compared as they are, and most of their words are no small words; no small word has a sign of China or Japan.
    spoken = list(words)
    likely = [
        word
        for word in spoken
        if word in _LANGUAGES_OF or "'" in word or not (word.isascii() or "\u3041" <= word < "\ua000")
    ]
    counts = Counter(chain.from_iterable(map(_small_word_of, likely)))
    most = max(counts.values(), default=0)
    if not most or most < least or counts.get(default) == most:
        return default
    rivals = [code for code in sorted(counts) if counts[code] == most]
    # `mi perro se llama Bruno`: neighbours share their small words, and not their others.
    return max(rivals, key=lambda code: len(rivals) > 1 and len(grammar(code).known(frozenset(spoken))))


@lru_cache(maxsize=4096)  # the same words stand in all texts
def _small_word_of(word: str) -> Sequence[str]:
    """The languages of which this is a small word."""
    return _LANGUAGES_OF.get(plain(word), ())


@lru_cache(maxsize=1024)  # each reader of a segment asks it of the same turns, and so does a recall
def spoken_in(text: str, default: str) -> str:
    """The language of one turn: the default unless its small words say otherwise; `UNREAD` where its script or its stop words are of none that is read."""
    tokens = tokens_of(text[:2000])
    code = language_of(tokens, default, least=_SURE)
    if code != default:  # `was`, `in` and `die` stand in several
        usual, words = SMALL.get(default, frozenset()), set(map(plain, tokens))
        own = words & SMALL[code] - usual
        telling = len(own) + len(own & _pronouns())
        if telling < _SURE or telling <= len(words & usual - SMALL[code]):
            code = default
    if code == default and code in codes():
        code = _known_alone(tokens, code)
    return UNREAD if code in codes() and _is_foreign(text[:2000], tokens) else code


@lru_cache(maxsize=16384)  # of every statement that stands
def grammar_of(text: str, default: str = "en", unread: str = UNREAD) -> Grammar:
    """The grammar of the language of one turn, as `spoken_in` tells it.

    Args:
        default: the language where the words of the turn do not tell another.
        unread: the code of the grammar of a turn whose language is not read.
    """
    code = spoken_in(text, default)
    return grammar(code if code in codes() else unread)


def _known_alone(tokens: Sequence[str], code: str) -> str:
    """The language of words of which another one than the default knows several and the default none, `mein Freund heißt Jonas`, or has a verb of a field."""
    words = frozenset(tokens)
    known, naming = grammar(code).known(words), _languages_naming_a_field(tokens, code)
    if len(known) == len(words) and not naming:  # nothing is left that another could know
        return code
    others = frozenset(codes()) - {code}
    for word in known:
        if not (others := others & _knowing(word)):
            break
    more = {
        other: len(grammar(other).known(words)) - len(known)
        for other in codes()
        if other in naming or other in others
    }
    if not more:  # as of most texts
        return code
    best = max(more, key=lambda other: more[other])
    least = 0 if best in naming else _SURE  # `the second ay me encanta` is English
    # A verb with its speaker in it tells a language alone, as does one behind a name: `no como cerdo`, `llámame Ana`, `Jan liest viel`.
    file = grammar(best)
    verb = tokens[file.verb_leads.skip(tokens) :][:1]
    acts = file.people_verbs.has_any(tokens[1:2])
    if acts or file.contracted_subjects.has_any(verb) or file.address_orders.has_any(verb):
        least = min(least, 1)
    return best if more[best] >= least else code


@lru_cache(maxsize=4096)  # few words are most of a text
def _knowing(word: str) -> frozenset[str]:
    """The languages that have a word."""
    return frozenset(code for code in codes() if _knows(code, word))


def _knows(code: str, word: str) -> bool:
    # Where accents are told apart, there are no other forms than those of its file; else they begin as there.
    file, has_forms = f"{_PREFIX}{code}", not grammar(code).plain_letters
    if word[: max(1, len(word) - _ENDING * has_forms)] not in lists.source(file):
        return False
    return (has_forms or word in lists.written(file)) and bool(grammar(code).known(frozenset((word,))))


def _languages_naming_a_field(tokens: Sequence[str], default: str) -> set[str]:
    """The languages beside a default one of verbs that name a field, or of what to be called, where one stands with a word beside it: `me he mudado a Málaga`, `noem me`."""
    openers = _field_openers()
    return {
        code
        for place, token in enumerate(tokens)
        for code in openers.get(token, ())
        if code != default and _field_phrases(code, token).at(tokens, place)
    }


@cache
def _field_openers() -> dict[str, dict[str, list[str]]]:
    """What names a field, by every form of the word that it begins with and by language."""
    openers: dict[str, dict[str, list[str]]] = {}
    for code in codes():
        file = f"{_PREFIX}{code}"
        verbs = [line.partition(":")[2] for line in lists.lines(f"{file}.verb_fields")]
        for entry in map(str.strip, ",".join([*verbs, *lists.lines(f"{file}.address_orders")]).split(",")):
            first = entry.partition(" ")[0]
            words = (first,) if first.isascii() and first.isalpha() else _split(first.replace("/", " "))
            for form in {*words, *(fold(word).replace("n't", "nt").removesuffix("'") for word in words)}:
                openers.setdefault(form, {}).setdefault(code, []).append(entry)
    return openers


@cache
def _field_phrases(code: str, first: str) -> WordList:
    """What names a field in a language and begins with a word."""
    phrases = map(" ".join, grammar(code).phrases(_field_openers()[first][code]))
    return WordList(phrase for phrase in phrases if " " in phrase)


def _is_foreign(text: str, tokens: Iterable[str]) -> bool:
    """True where most letters are not Latin, or more different stop words are of a language that is not read than of those that are."""
    plain_text = text.encode("ascii", "ignore")
    if len(plain_text.translate(None, _NO_LETTERS)) < _WEIGHT * (len(text) - len(plain_text)):
        letters, latin = len(_LETTER.findall(text)), len(_LATIN.findall(text))
        letters += (_WEIGHT - 1) * sum(map("\u2fff".__lt__, text))  # one says as much as some letters
        if letters > 2 * latin:
            return True
    languages = _languages_of_stop_words()
    counts = Counter(chain.from_iterable(map(languages.__getitem__, languages.keys() & tokens)))
    read = max([counts.get(code, 0) for code in codes()])
    elsewhere = _ELSEWHERE.intersection(tokens)
    signs = len(elsewhere) + len(elsewhere & _SPEAKING)
    if not _STRANGE.isdisjoint(text):  # a word with a capital may be a name from anywhere
        strange = (word for word in set(_UNMARKED.findall(text)) - elsewhere if not _STRANGE.isdisjoint(word))
        signs += sum(word[0].islower() for word in strange)
    if signs and (signs > max(1, read) or not read):
        return True
    return max(counts.values(), default=0) >= max(_FOREIGN, 2 * read)


@cache
def _pronouns() -> frozenset[str]:
    return frozenset(map(plain, lists.words("pronouns.myself") + lists.words("pronouns.own")))


@cache
def _languages_of_stop_words() -> dict[str, list[str]]:
    """The languages of which each word is a stop word."""
    languages: dict[str, list[str]] = {}
    for code, stop in stoplists.items():
        for word in frozenset(stop) | SMALL.get(code, frozenset()):
            languages.setdefault(word, []).append(code)
    return languages
