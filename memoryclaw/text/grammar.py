"""The words of a language by what they do in a clause. Each language is one file, `data/talk_en.toml`; a new one is a new file.

An entry with a mark behind it stands for several forms: see `_forms`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain, product
from typing import Self

from whoosh.lang.stopwords import stoplists

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.model import grouped
from memoryclaw.text import words as lists
from memoryclaw.text.language import SMALL, WORD, ends_in_question, fold, folded_words, plain, sentences

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
ELIDED = (
    r"(?i:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|d?all|[dn]ell|sull|un|quest|quell)['’](?=(?i:[aeiouhà-öø-üœ])|\Z)"
)
_TOKEN = late.pattern(
    rf"{ELIDED}|" r"[^\W_]++(?:['’][^\W_]++)*+(?:[-&/][^\W_]++(?:['’][^\W_]++)*+)*+|['’]s\b"
)
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
_OTHERWISE = "-"  # before the code of a language that writes a word with an accent
_LONGEST_ENTRY = 6  # words of what is looked for at an end
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
        return cls.of(by_first)

    @classmethod
    def of(cls, by_first: dict[str, list[tuple[str, ...]]]) -> Self:
        """Of entries, the longest first, by their first word."""
        singles = (first for first, entries_of_word in by_first.items() if len(entries_of_word[-1]) == 1)
        word_list = super().__new__(cls, singles)
        word_list.by_first = by_first
        return word_list

    def at(self, tokens: Sequence[str], place: int = 0) -> int:
        """How many tokens from a place on are an entry, the longest one; 0 where none is."""
        behind = tokens[place + 1] if place + 1 < len(tokens) else ""
        for words in self.by_first.get(tokens[place], ()) if place < len(tokens) else ():
            length = len(words)
            if length == 1 or (words[1] == behind and tuple(tokens[place : place + length]) == words):
                return length
        return 0

    def ending_at(self, tokens: Sequence[str], end: int) -> int:
        """How many tokens before a place are an entry, the longest one; 0 where none is."""
        before = tokens[:end]
        first = max(0, end - _LONGEST_ENTRY)
        return next((end - place for place in range(first, end) if self.at(before, place) == end - place), 0)

    @cached_property
    def tellings(self) -> frozenset[str]:
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

    def covered(self, tokens: Sequence[str]) -> set[int]:
        """The places of all tokens that are part of an entry."""
        return {n for place, size in self.places(tokens) for n in range(place, place + size)}

    def within(self, tokens: Sequence[str]) -> bool:
        """True where an entry stands among the tokens."""
        if self.tellings.isdisjoint(tokens):
            return False
        return not self.isdisjoint(tokens) or self.find(tokens) >= 0  # most entries are one word

    def may_be_in(self, tokens: Iterable[str]) -> bool:
        """False where no entry stands among some of the tokens, whichever these are."""
        return not self.tellings.isdisjoint(tokens)

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

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(lists.names(self._file) if self.code != UNREAD else ())

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
        """Those of some words that are an entry of the file, but for those of lists that are no words of it; no list is read for that."""
        return frozenset([word for word in words if self.code in _languages_with(word)])

    def single_words(self) -> Iterable[tuple[str, bool]]:
        """All these words, each with whether it is a form of its own where the language tells accents apart: `esta`, which stands there only as `está`."""
        texts = [lists.text(f"{self._file}.{name}") for name in self._names - _NO_WORDS]
        entries = set("\n".join(texts).replace(", ", "\n").split("\n"))
        bare = {entry for entry in entries if entry.isalpha() and (entry.isascii() or not self._accented)}
        forms = self._spelled(entry for entry in entries - bare if " " not in entry)  # few are marked
        tokens = ((form.lower(),) if form.isalpha() else _split(form) for form in forms)
        words = {entry.lower() for entry in bare}.union(*(parts for parts in tokens if len(parts) == 1))
        written = lists.written(self._file) if self._accented else words
        return ((word, word not in written) for word in words)

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
    return tuple(_TOKEN.findall(small.replace("’", "'")))


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
    for word in sorted(
        known, key=len
    ):  # short ones stand in all texts, so that it is known already who has them
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
    if more[best] < 1 and best not in naming:
        return code
    least = 0 if best in naming else _SURE  # `the second ay me encanta` is English
    # A verb with its speaker in it tells a language alone, as does one behind a name: `no como cerdo`, `llámame Ana`, `Jan liest viel`.
    file = grammar(best)
    verb = tokens[file.verb_leads.skip(tokens) :][:1]
    acts = file.people_verbs.has_any(tokens[1:2])
    if acts or file.contracted_subjects.has_any(verb) or file.address_orders.has_any(verb):
        least = min(least, 1)
    return best if more[best] >= least else code


def _knowing(word: str) -> frozenset[str]:
    """The languages that have a word; where accents are told apart, as it is written."""
    return frozenset(code for code in _languages_with(word).split() if code[0] != _OTHERWISE)


@lru_cache(maxsize=16384)  # few words are most of a text
def _languages_with(word: str) -> str:
    """The codes of the languages in which a word is known: `de nl`, with a mark before one that has it only as a form of another."""
    lines = _languages_of_words().get(word[:2], "").split(f"\n{word} ")[1:]
    return " ".join(line.partition("\n")[0] for line in lines)


@lists.kept
def _languages_of_words() -> dict[str, str]:
    """Every single word of a list with its language, on a line behind those that begin alike: few texts are read faster than many words."""
    rows = grouped(
        (word[:2], f"\n{word} {_OTHERWISE * is_form}{code}")
        for code in codes()
        for word, is_form in Grammar(code).single_words()
    )
    return {head: "".join([*lines, "\n"]) for head, lines in rows.items()}


def _languages_naming_a_field(tokens: Sequence[str], default: str) -> set[str]:
    """The languages beside a default one of verbs that name a field, or of what to be called, where one stands with a word beside it: `me he mudado a Málaga`, `noem me`."""
    openers = _field_openers()
    return {
        code
        for place, token in enumerate(tokens)
        for code in openers.get(token, ())
        if code != default and _field_phrases(code, token).at(tokens, place)
    }


@lists.kept
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
    words = frozenset(tokens)
    counts = {code: len(words & stop) for code, stop in _stop_words().items()}
    read = max([counts.get(code, 0) for code in codes()])
    elsewhere = _ELSEWHERE.intersection(tokens)
    signs = len(elsewhere) + len(elsewhere & _SPEAKING)
    if not _STRANGE.isdisjoint(text):  # a word with a capital may be a name from anywhere
        strange = (word for word in set(_TOKEN.findall(text)) - elsewhere if not _STRANGE.isdisjoint(word))
        signs += sum(word[0].islower() for word in strange)
    if signs and (signs > max(1, read) or not read):
        return True
    return max(counts.values(), default=0) >= max(_FOREIGN, 2 * read)


@cache
def _pronouns() -> frozenset[str]:
    return frozenset(map(plain, lists.words("pronouns.myself") + lists.words("pronouns.own")))


@cache
def _stop_words() -> dict[str, frozenset[str]]:
    """The stop words of each language."""
    return {code: frozenset(stop) | SMALL.get(code, frozenset()) for code, stop in stoplists.items()}


# Which texts say nothing: greetings, thanks, yeses and the like, in seven languages. Pure.

# Placeholders for what is no text, and our own marks.
_PLACEHOLDER = late.pattern(
    r"\[(?:image|audio|video|file|document|private|recalled memory)\]|\[REDACTED:[^\[\]]*\]"
)
_APOSTROPHE = late.pattern("['’]")
_PHRASES = sorted(
    (tuple(phrase.split()) for phrase in lists.lines("consolidation.filler_phrases")), key=len, reverse=True
)
_STARTS: dict[str, list[tuple[str, ...]]] = {}
for _phrase in _PHRASES:
    _STARTS.setdefault(_phrase[0], []).append(_phrase)
_WORDS = frozenset(lists.words("consolidation.filler_words"))
_GREETINGS = frozenset(lists.words("consolidation.greetings"))
# Phrases that begin so are said to somebody, whose name may follow.
_HAILS = frozenset(lists.words("consolidation.greeting_starts"))
_MOST = 24  # words: what is longer was meant to say something


def is_filler(text: str, names: Iterable[str] = (), is_stop: Callable[[str], bool] = lambda _: False) -> bool:
    """True for a text of nothing but greetings, thanks, yeses and the like.

    Args:
        names: folded words that only address somebody.
        is_stop: tells of further words, folded, that say nothing by themselves.
    """
    said = spoken(text)
    tokens = plain_words(said)
    if len(tokens) > _MOST:
        return False
    known = frozenset(names)
    at, hailed = 0, False
    while at < len(tokens):
        phrase = _phrase_at(tokens, at)
        step = phrase or int(
            tokens[at] in _WORDS
            or tokens[at] in known
            or is_stop(tokens[at])
            or (hailed and (name := WORD.findall(said)[at])[:1].isupper() and not name.isupper())  # `Hi Pip`
        )
        if not step:
            return False
        hailed = tokens[at] in (_HAILS if phrase else _GREETINGS)
        at += step
    return True


def greets(text: str) -> bool:
    """True for a text that begins as one begins to greet or to thank somebody: `Hello dear`."""
    return any(word in _GREETINGS or word in _HAILS for word in plain_words(text)[:1])


def plain_words(text: str) -> list[str]:
    """The words of a text, folded, without apostrophes."""
    words = folded_words(text)
    return [word.replace("'", "").replace("’", "") for word in words] if _APOSTROPHE.search(text) else words


def _phrase_at(tokens: list[str], at: int) -> int:
    starts = _STARTS.get(tokens[at], ())
    return next((len(start) for start in starts if tuple(tokens[at : at + len(start)]) == start), 0)


def spoken(text: str) -> str:
    """The text without placeholders; empty when no letter or digit is left of it."""
    left = _PLACEHOLDER.sub(" ", text).strip()
    return left if WORD.search(left) else ""


# A sentence as people type it → its clauses, and each clause's subject, verb and rest. The words come from the language's grammar.

# What parts clauses besides words; a comma between digits and a hyphen inside a word do not.
EMOTICON = late.pattern(r"(?<!\S)[:;]-?[)(DPp](?!\w)")
_BREAK = late.pattern(
    rf"{EMOTICON.pattern}|" r"(?<!\d),|,(?!\d)|\s[-–—]+\s|--+|[;()…]|\s\+\s|:(?=\s)|\.{2,}(?!/)|[!?]+"
)
_SHORTENED = late.pattern(r"[^\W\d_]['’]s\s")
_PICTURE = "\u2190-\u2bff\u3030\ufe0f\u200d\U0001f000-\U0001faff"
_ASIDE = late.pattern(r"\([^()\n]{1,60}\)(?=\s+\w)")
# What goes on with the words before its comma: `on Thursday, 4pm`, `Lindenstr. 12, 91052 Erlangen`.
_YEAR = re.compile(r"\s*(?:19|20)\d\d\b")
_TIME_OR_PLACE = late.pattern(
    r"\s*(?:\d{1,2}(?:[:.]\d\d)?\s?(?:[ap]\.?m\b|uhr\b)|\d{1,2}[:.]\d\d|\d{4,5}\s+[^\W\d_]+)\s*\Z",
    re.IGNORECASE,
)
_EMOJI_EDGE = late.pattern(
    rf"\A(?:[{_PICTURE}]++|[:;]-?[)(DPp](?!\w))|(?<![{_PICTURE}])[{_PICTURE}]++\Z|(?<!\S)[:;]-?[)(DPp]\Z"
)
_MOUTHS = tuple(")(DPp")  # with one of these ends a face of plain letters; what one begins with is an edge
_EDGES = ' \t,.;:!?…-–—*_"“”„'
# The kinds of verbs, the surest first: where a word is of two kinds, the first counts.
KINDS = ("decide", "prefer", "duty", "wish", "state", "report", "event", "have", "be", "modal", "other")
_LISTS = {
    "decide": "decision_verbs", "prefer": "preference_verbs", "duty": "duty_verbs", "wish": "wish_verbs", "state": "state_verbs",
    "report": "reporting_verbs", "event": "past_event_verbs", "have": "have_verbs", "be": "be_verbs", "modal": "modal_verbs",
}  # fmt: skip
_FIRST = 7  # words before a verb that may be its subject
_LED = 2  # words before a question word that stands behind its verb
_AUXILIARY = ("have", "be", "modal")
_MAIN = ("decide", "prefer", "wish", "duty", "state")  # kinds of verbs that say more than their auxiliary
_NUMBER = late.pattern(r"\d")
_SPACE = late.pattern(r"\s")
_MINUS = re.compile(r"(?<![^\s(])-[$€£]?\d")
_LEADING_SIGNS = "+$€£#@"  # that belong to the word behind them


class Clause(NamedTuple):
    """One clause, and its parts as they were typed."""

    text: str
    tokens: tuple[str, ...]
    typed: tuple[str, ...] = ()  # all its tokens, with those that `text` leaves out
    subject: tuple[str, ...] = ()  # tokens before the verb, fillers aside
    verb: tuple[str, ...] = ()
    kind: str = ""  # of the verb, one of KINDS; empty for a fragment
    rest: str = ""  # what stands behind the verb
    start: int = 0  # where it stands in its sentence
    end: int = 0
    joined: bool = False  # goes on with the clause before it: a relative clause, or one behind `because`
    under: bool = False  # begins with a subordinator

    @property
    def verb_at(self) -> int:
        """Which of its tokens its verb begins with."""
        return max(0, len(self.tokens) - len(tokens_of(self.rest)) - len(self.verb))


def clauses(
    sentence: str,
    words: Grammar,
    is_name: Callable[[str], bool] = lambda _word: False,
    opens: Callable[[str], bool] = lambda _text: False,
) -> list[Clause]:
    """The clauses of a sentence, in order.

    Args:
        sentence: own words of somebody.
        is_name: whether a token is a known name.
        opens: whether a text begins with a name whose first word is a common one too: that token keeps its capital.
    """
    # Brackets between a subject and its verb: `my sister Ana (the tall one) lives in Rome`.
    asides: list[tuple[int, int]] = []
    for hit in _ASIDE.finditer(sentence):
        before = _BREAK.split(sentence[: hit.start()])[-1]
        if before.strip() and _verb_at(tokens_of(before), 0, words) is None:
            asides.append(hit.span())
    rest = sentence
    for start, end in asides:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    parts = [(start, end, rest[start:end]) for start, end in _pieces(rest, words, is_name)]
    parts += [(start + 1, end - 1, sentence[start + 1 : end - 1]) for start, end in asides]
    return [_parsed(text, words, start, opens) for start, _, text in sorted(parts) if tokens_of(text)]


def _pieces(sentence: str, words: Grammar, is_name: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    ends = [hit.span() for hit in _BREAK.finditer(sentence)] + [(len(sentence), len(sentence))]
    start = 0
    for at, (end, behind) in enumerate(ends):
        piece = sentence[behind : ends[at + 1][0]] if at + 1 < len(ends) else ""
        if _only_adds(tokens_of(piece), words):
            continue  # `no bullets, ever`
        if (piece and sentence[end:behind].strip() == ",") and (
            _TIME_OR_PLACE.match(piece.rstrip(" .!?"))
            or _is_year(tokens_of(sentence[start:end]), piece, words)
            or _goes_on(tokens_of(sentence[start:end]), tokens_of(piece), words, is_name)
        ):
            continue
        yield from _unmarked(sentence, start, end, words, is_name)
        start = behind


def _is_year(tokens: Sequence[str], piece: str, words: Grammar) -> bool:
    """True for a year behind its day: `June 12, 2015`."""
    is_day = words.months.has_any(tokens[-2:]) and tokens[-1][:1].isdigit()
    return is_day and _YEAR.match(piece) is not None


def _goes_on(
    tokens: Sequence[str], behind: Sequence[str], words: Grammar, is_name: Callable[[str], bool]
) -> bool:
    """True where the last thing of a clause goes on behind a comma, before the next clause: `at 4 Elm Street, Ely and my phone is …`."""
    link = next((at for at, token in enumerate(behind) if token in words.coordinators), 0)
    if not 0 < link < len(behind) - 1 or _verb_at(tokens, 0, words) is None:
        return False
    is_noun = not words.clause_openers.has_any(behind[:link])
    verb = _verb_at(behind, 0, words)
    # Not `…, Ana and my mum live in Ely`, of which both are the subject.
    is_own = (
        words.possessives_own.has_any(behind[link + 1 : link + 3]) and behind[verb or 0] in words.be_verbs
    )
    return (
        is_noun
        and (verb is None or (verb > link and behind[verb] not in words.plural_verbs))
        and (is_own or behind[0].isdigit())  # a postal code
        and _begins(behind, link + 1, words, is_name)
    )


def _only_adds(tokens: Sequence[str], words: Grammar) -> bool:
    """True for words that say how often, how sure or how politely, and nothing else."""
    return bool(tokens) and words.asides.skip(tokens) == len(tokens)


def _unmarked(
    sentence: str, start: int, end: int, words: Grammar, is_name: Callable[[str], bool]
) -> Iterator[tuple[int, int]]:
    """A piece between marks, parted where a new subject begins without one: `im talking … I own a shop its on 4th`."""
    part = sentence[start:end]
    tokens, spans = tokens_of(part), spans_of(part)
    cut, verb = 0, _verb_behind(tokens, words)
    for at in range(1, len(tokens)):
        before = tokens[at - 1]
        linked = before in words.coordinators
        if not (linked or tokens[at] in words.clause_starts.by_first):
            continue
        if _only_adds(tokens[at:], words) or _only_adds(tokens[at - 1 :], words):  # `s'il te plaît`
            continue
        head = min(words.starts.skip(tokens, cut), len(tokens) - 1)
        head -= tokens[head - 1] in words.negative_determiners and head > cut  # `yes but no bullets`
        denied = tokens[head] in words.negative_determiners and words.negations.at(tokens, head) < 2
        denied = denied and at > head + 1  # not `no he is fine`
        parted = _orders_behind(tokens, cut, at, words) or _explains(tokens, at, words, denied=denied)
        if not parted:
            if not (_begins(tokens, at, words, is_name) or _asks_behind(tokens, at, words)):
                continue
            if words.negated_orders.at(tokens, head) and not linked:
                continue  # `dont tell me its great` is one order
            seen = (verb is not None and verb < at - linked) or denied
            if not seen or (not linked and before in words.continuations):
                continue  # `said he`, `when we`, `what i`
        first = at - linked
        if first > cut:
            yield start + _with_sign(part, spans[cut][0]), start + _with_sign(part, spans[first][0])
            cut = first
            verb_here = _verb_at(tokens[at:], 0, words)
            verb = None if verb_here is None else at + verb_here
    if spans:
        yield start + _with_sign(part, spans[cut][0]), end


def _verb_behind(tokens: Sequence[str], words: Grammar) -> int | None:
    """The place of the first verb of some words; behind a pronoun stands its verb, known or not."""
    if words.nominatives.has_any(tokens[:1]):
        behind = next((at for at, token in enumerate(tokens) if at and token not in words.beside_verbs), 0)
        if behind and words.coordinators.isdisjoint(tokens[behind : behind + 2]):  # it has an object
            return behind
    return _verb_at(tokens, 0, words)


def _asks_behind(tokens: Sequence[str], at: int, words: Grammar) -> bool:
    """True where a question begins behind what somebody tells: `my oven shows E15 what is that`; not in `i know what is left`."""
    size = words.question_words.at(tokens, at)
    if not size or tokens[at - 1] in words.unfinished or tokens[at - 1] in words.verbs:
        return False
    links = (words.relative_words, words.comparatives, words.reasons, words.subordinators)
    # In a language without inversion the words alone part a question from `vado a Pisa quando ho tempo`.
    is_link = size == 1 and any(tokens[at] in each for each in links[: 3 + bool(words.verb_leads)])
    return not is_link and asks(tokens[at:], words, first=False)


def _orders_behind(tokens: Sequence[str], cut: int, at: int, words: Grammar) -> bool:
    """True where an order begins behind its condition, `when my idea is bad say so`, or with a "just" behind what somebody tells, `i get hives just tell me`."""
    lead = tokens[at] in words.politeness or (tokens[at] in words.limits and tokens[at] in words.adverbs)
    verb, before, words_before = at + lead, tokens[at - 1], tokens[cut:at]
    orders = words.negated_orders.at(tokens, verb) or (
        tokens[verb : verb + 1] and tokens[verb] in words.manner_verbs
    )
    if not (orders or (lead and words.orders.at(tokens, verb))):
        return False
    head = words.starts.skip(words_before)
    condition = head < len(words_before) and words_before[head] in words.conditions
    if words.final_verbs:
        return condition and bool(_kind_at(tokens, at - 1, words)[0] or before in words.manner_verbs)
    if before in words.unfinished or (before in words.reporting_verbs and not condition):
        return False
    subject = next(
        (n for n in range(head, len(words_before) - 1) if words_before[n] in words.subjects),
        len(words_before),
    )
    return (condition or (lead and subject == head)) and subject + 1 < len(words_before)


def _explains(tokens: Sequence[str], at: int, words: Grammar, *, denied: bool) -> bool:
    """True where a reason begins behind an order: `no bullets pls i get enough of those`, `dont call it great my brother says that all day`."""
    if (denied or tokens[at - 1] in words.politeness) and at + 1 < len(tokens):
        return tokens[at] in words.unmarked_subjects or (
            denied
            and tokens[at] in words.first_person
            and tokens[at] in words.nominatives
            and _verb_at(tokens, at + 1, words, most=1) is not None
        )
    role = words.roles.at(tokens, at + 1) if tokens[at] in words.possessives_own else 0
    verb = at + 1 + role
    behind = verb + (_kind_at(tokens, verb, words)[1] if role else 0)
    return bool(
        behind > verb
        and words.objects.at(tokens, behind)
        and not (
            tokens[at - 1] in words.unfinished
            or words.orders.at(tokens, at - 1)
            or tokens[at - 2] in words.definite_words
        )
    )


def _begins(tokens: Sequence[str], at: int, words: Grammar, is_name: Callable[[str], bool]) -> bool:
    """True where a subject with its verb begins."""
    token = tokens[at]
    # `mi trabajo`, `trabalho como cozinheiro`
    is_noun = tokens[at - 1] in words.noun_signs or token in words.comparatives  # `já não gosto`
    if token in words.contracted_subjects and not is_noun:
        # the `id` of `my staff id` is a noun
        return not token.endswith("d") or "'" in token or _verb_at(tokens, at + 1, words, most=1) is not None
    linked = tokens[at - 1] in words.coordinators
    if linked and token in words.suppositions:  # `so if anybody asks`, not `say so if you can`
        supposed = tokens[at + 1 : at + 2] and tokens[at + 1] in words.nominatives
        supposed = supposed or _verb_at(tokens, at, words, most=5) is not None
        return bool(supposed) and not _kind_at(tokens, at - 2, words)[0]
    if token in words.nominatives and (linked or token in words.unmarked_subjects):
        return linked or _verb_at(tokens, at + 1, words, most=2) is not None
    if not linked:
        return False
    if token in words.possessives_own or token in words.determiners or is_name(token):
        return _verb_at(tokens, at + 1, words, most=4) is not None
    while token in words.adverbs and at + 1 < len(tokens):  # `e ora lavora alla Fugro`
        at, token = at + 1, tokens[at + 1]
    return _verb_at(tokens, at, words, most=1) is not None


def _verb_at(tokens: Sequence[str], start: int, words: Grammar, most: int = 99) -> int | None:
    places = range(start, min(len(tokens), start + most))
    return next((at for at in places if _kind_at(tokens, at, words)[0]), None)


@cache
def _verbs(words: Grammar) -> dict[str, list[tuple[list[str], str]]]:
    """The verbs of all kinds with these, by their first token, the longest first, and of two as long the surer."""
    verbs: dict[str, list[tuple[list[str], str]]] = {}
    for kind, name in _LISTS.items():
        for entry in getattr(words, name).entries():
            verbs.setdefault((verb := entry.split(" "))[0], []).append((verb, kind))
    return {first: sorted(rows, key=lambda row: -len(row[0])) for first, rows in verbs.items()}


def _kind_at(tokens: Sequence[str], at: int, words: Grammar) -> tuple[str, int]:
    """The kind of the verb at a place and its length in tokens; an empty kind where there is none."""
    for verb, kind in _verbs(words).get(tokens[at], ()) if at < len(tokens) else ():
        if len(verb) == 1 or [*tokens[at : at + len(verb)]] == verb:
            return kind, len(verb)
    return "", 0


def asks(
    tokens: Sequence[str],
    words: Grammar,
    is_name: Callable[[str], bool] = lambda _word: False,
    *,
    first: bool = True,
    goes_on: bool = False,
) -> bool:
    """True for the words of a question without its mark: a word that asks before a verb, or a verb before its subject.

    Args:
        is_name: whether a token is a known name.
        first: the clause begins its sentence; what else begins with "which" goes on with it.
        goes_on: it has the subject of a clause before it, unless a pronoun is one: `Jo is seven and has the flu`.
    """
    lead = words.question_leads.skip(tokens)
    left = tokens[lead:]
    if len(left) < 2 or words.not_questions.at(left):
        return False
    behind = left[left[0] in words.prepositions and left[1] in words.question_words :]  # `by when`, `mit wem`
    if words.question_starts.at(left) or words.question_starts.at(behind):
        return True
    left = behind
    last = bool(words.final_verbs)
    if left[0] in words.question_words:
        relative = left[0] in words.relative_words and not last
        return (first or not relative) and _asks_for(left, words, is_name, last=last)
    return not _is_fronted(tokens, lead, words) and _is_inverted(left, words, is_name, goes_on=goes_on)


def only_asks(text: str) -> bool:
    """True for a text of nothing but questions, with their marks or without: `wie stell ich den wecker leiser`, `come pulisco la bici`."""
    return all(map(is_question, sentences(text)))


def is_question(sentence: str, is_name: Callable[[str], bool] = lambda _word: False) -> bool:
    """True for a sentence that asks, with its mark or without: by what it begins with, or by a word behind its verb.

    Args:
        is_name: whether a token is a known name.
    """
    words, tokens = grammar_of(sentence, unread="en"), tokens_of(sentence)
    tokens = tokens[words.question_leads.skip(tokens) :]
    is_word = tokens[:1] and tokens[0] in words.question_words and tokens[0] not in words.subordinators
    is_led = bool(is_word) and not words.subjects.issuperset(tokens[1:2])
    return (
        is_led
        or ends_in_question(sentence)
        or asks(tokens, words, is_name)
        or _asks_behind_its_verb(tokens, words)
    )


def _asks_behind_its_verb(tokens: Sequence[str], words: Grammar) -> bool:
    """True where a word that asks stands where its answer would: `je paye combien`, `le boiler est où`; not `la ville où je vis`."""
    telling_signs = (words.negations, words.reporting_verbs, words.knowing_verbs, words.coordinators)
    excepted = words.not_questions.covered(tokens)
    for place, size in words.late_question_words.places(tokens):
        before, behind = tokens[:place], tokens[place + size :]
        may_link = tokens[place] in words.subordinators or tokens[place] in words.relative_words
        is_complement = words.be_verbs.has_any(before[-1:]) and words.noun_openers.has_any(behind[:1])
        asks_alone = not may_link or not behind or is_complement
        is_told = place in excepted or any(signs.has_any(before) for signs in telling_signs)
        if asks_alone and len(before) >= _LED and not is_told:
            return True
    return False


def _is_fronted(tokens: Sequence[str], lead: int, words: Grammar) -> bool:
    """True where an adverb stands in front of a verb that stands second: `dann ist der Laden zu`."""
    return (
        bool(words.final_verbs)
        and lead > 0
        and (tokens[lead - 1] in words.adverbs or tokens[lead - 1] in words.calendar_words)
        and words.fillers.at(tokens, max(0, lead - 2)) < 2  # `guten Morgen`
        and bool(_kind_at(tokens, lead, words)[0])
    )


def _asks_for(tokens: Sequence[str], words: Grammar, is_name: Callable[[str], bool], *, last: bool) -> bool:
    """True where a word that asks is followed by the verb of its clause: not `when we meet`, `what i need`.

    Args:
        tokens: from that word on.
        is_name: whether a token is a known name.
        last: a subordinate clause has its verb at its end, so that any verb next to the word tells.
    """
    asking, behind = tokens[0], tokens[1:]
    if asking in words.contracted_questions or asking in words.subject_questions:
        return True
    if not behind or _is_subject(behind, words, is_name):
        return False
    stem, hyphen, pronoun = behind[0].rpartition("-")  # `comment dit-on`
    if behind[0] in words.auxiliaries or (hyphen and stem and pronoun in words.nominatives):
        return True
    if last and not behind[0].startswith("ge"):  # no participle: `wie gesagt`
        ends = len(behind) < 2 or _is_subject(behind[1:], words, is_name)
        own = len(behind) > 1 and behind[1] in words.first_person and behind[1] in words.nominatives
        # `wie rechne ich`, not `wie gerne ich segle weiß sie`
        inverted = own and behind[0].endswith("e") and _verb_at(behind, 2, words) is None
        if inverted or _kind_at(behind, 0, words)[0] or (ends and asking not in words.comparatives):
            return True
    if asking not in words.question_determiners:  # `when exactly are we back`
        return words.auxiliaries.has_any(behind[1:2]) and words.nominatives.has_any(behind[2:3])
    if behind[0] in words.prepositions:
        return False
    if (
        last
        and len(behind) > 2
        and behind[1] not in words.adverbs
        and _is_subject(behind[2:], words, is_name)
    ):
        return not _is_subject(behind[1:], words, is_name)  # `welche Schule besucht sie`
    verb = next((n for n, token in enumerate(behind[:5]) if token in words.auxiliaries), 0)
    if not verb or any(_is_subject(behind[n:], words, is_name) for n in range(verb)):
        return False
    inverted = (
        behind[verb] in words.modal_verbs
        and verb + 1 < len(behind)
        and _is_subject(behind[verb + 1 :], words, is_name)
    )
    # `what matters is`: behind a verb, the word and the verb are a subject.
    return inverted or last or not (behind[0].endswith("s") or _kind_at(behind, 0, words)[0])


def _is_subject(tokens: Sequence[str], words: Grammar, is_name: Callable[[str], bool]) -> bool:
    """True where the subject of a clause may begin."""
    return tokens[0] in words.subjects or is_name(tokens[0])


def _is_inverted(
    tokens: Sequence[str], words: Grammar, is_name: Callable[[str], bool], *, goes_on: bool
) -> bool:
    """True where a verb stands before its subject: `is Ana in`, `does the shop open`; not `was the best day`, which lacks one."""
    if tokens[0] in words.contracted_questions:
        return True
    if tokens[0] not in words.question_verbs and tokens[0] not in words.inverted_verbs:
        return False
    # `is 5 miles more than 8 km`, `are 3 eggs enough`
    counts = tokens[1].isdigit() and (
        tokens[0] in words.plural_verbs or words.comparatives.within(tokens[2:])
    )
    if tokens[1] in words.question_subjects or counts:
        return True
    superlative = len(tokens) > 2 and tokens[2].endswith("st")
    return (
        not goes_on
        and tokens[0] in words.question_verbs
        and (
            is_name(tokens[1]) or (tokens[1] in words.definite_words and len(tokens) > 2 and not superlative)
        )
    )


def first_clause(text: str, words: Grammar, default: Clause) -> Clause:
    """The first clause of a text that a clause was rewritten to; the default where it has none."""
    return next(iter(clauses(text, words)), default)


def trimmed(text: str, words: Grammar) -> str:
    """The text without fillers, laughs and marks at its ends."""
    text = _bare(text)
    while True:
        tokens = tokens_of(text)
        lead = words.fillers.at(tokens)
        parted = 0 < lead < len(tokens) and _SPACE.search(
            text, spans_of(text)[lead - 1][1], spans_of(text)[lead][0]
        )
        if parted and not (lead == 1 and _says_no(tokens, words)) and not _is_fronted(tokens, lead, words):
            text = _bare(text[spans_of(text)[lead][0] :])
            continue
        tail = next(
            (
                n
                for n in ((3, 2, 1) if words.closers.may_be_in(tokens[-3:]) else ())
                if len(tokens) > n
                and words.closers.at(tokens, len(tokens) - n) == n
                and tokens[-n - 1] not in words.noun_openers  # `never push without my ok`
                # `don't call me`
                and (
                    words.address_orders.ending_at(tokens, len(tokens) - n) < 2
                    or tokens[-1] in words.politeness
                )
            ),
            0,
        )
        if not tail:
            return " ".join(text.split())
        text = _bare(text[: spans_of(text)[-tail][0]])


def _bare(text: str) -> str:
    """The text without marks and pictures at its ends."""
    text = _without_edges(text)
    while (not text.isascii() or text.endswith(_MOUTHS)) and (hit := _EMOJI_EDGE.search(text)):
        text = (text[hit.end() :] if not hit.start() else text[: hit.start()]).strip(_EDGES)
    return text


def _without_edges(text: str) -> str:
    """The text without marks at its ends, but for the minus of a number: `-5 degrees`."""
    bare = text.strip(_EDGES)
    start = text.find(bare)
    return f"-{bare}" if start and _MINUS.match(text, _with_sign(text, start)) else bare


def _says_no(tokens: Sequence[str], words: Grammar) -> bool:
    """True where a leading "no" denies what follows: `no one comes before 11`."""
    return words.negations.at(tokens) > 1 or (
        tokens[0] in words.negations
        and tokens[1] not in words.nominatives
        and tokens[1] not in words.contracted_subjects
    )


def _parsed(piece: str, words: Grammar, start: int, opens: Callable[[str], bool]) -> Clause:
    text = piece.strip() if (is_name := opens(piece)) else trimmed(piece, words)
    tokens, typed = tokens_of(text), tokens_of(piece)
    if is_name:  # no verb: `Will Turner lives in Truro`
        name = typed[0].capitalize()
        tokens, typed = (name, *tokens[1:]), (name, *typed[1:])
    end = start + len(piece.rstrip())
    if not tokens:
        return Clause(text, tokens, typed, start=start, end=end)
    lead = min(words.leads.skip(tokens), len(tokens) - 1)
    # `il mio`
    lead += tokens[lead] in words.articles and words.possessives_own.has_any(tokens[lead + 1 : lead + 2])
    under = words.subordinators.has_any(tokens[:lead])
    goes_on = under or tokens[lead] in words.relative_words
    clause = Clause(text, tokens, typed, start=start, end=end, joined=goes_on, under=under)
    head = min(words.verb_leads.skip(tokens, lead), len(tokens) - 1)
    for at in range(lead, min(len(tokens), lead + _FIRST)):
        contracted = at == head and tokens[at] in words.contracted_subjects
        kind, end = _contracted_at(tokens, at, words) if contracted else _verb_group(tokens, at, lead, words)
        if kind:
            subject = tokens[head if contracted else lead : at + contracted]
            return clause._replace(  # no adverb is one: `and now works at Fugro`
                subject=() if lead and words.adverbs.issuperset(subject) else subject,
                verb=tokens[at:end],
                kind=kind,
                rest=typed_from(text, spans_of(text), end),
            )
    return clause


def spelled_out(clause: Clause, words: Grammar, is_name: Callable[[str], bool]) -> Clause:
    """A clause with its verb in full where it is contracted with a noun or a known name: `Rosa's allergic to nuts`, `the passport's in the safe`; not `Rosa's brother`, nor what is called so, `Sainsbury's`."""
    if words.code != "en" or not _SHORTENED.search(clause.text):
        return clause
    text, tokens = clause.text, clause.tokens
    place = next((n for n, token in enumerate(tokens[:-1]) if token.endswith("'s")), len(tokens))
    before, behind = tokens[:place], tokens[place + 1 :]
    is_object = words.prepositions.has_any(before) or words.contracted_subjects.has_any(tokens[: place + 1])
    # `the team's meeting on Mondays is at ten`
    verb = next((n for n, token in enumerate(behind) if n and token in words.auxiliaries), 0)
    opens = words.nominatives, words.relative_words, words.subordinators
    is_owner = verb and not any(entries.has_any(behind[:verb]) for entries in opens)
    if not behind or is_object or is_owner or words.verbs.within(before):
        return clause  # `we meet at Sarah's on Friday`
    start, end = spans_of(text)[place]
    noun = tokens[place].removesuffix("'s")
    if text[start].isupper() and not (is_name(noun) or is_name(tokens[place]) or noun in words.roles):
        return clause
    acts = behind[0].endswith("ing") and behind[0] in words.verbs
    has = words.have_verbs.at(behind) or (behind[0].endswith("en") and behind[0] in words.verbs)
    has = not acts and (has or words.ending_verbs.at(behind) or words.gone.at(behind))  # `Ana's taken over`
    signs = words.negations, words.prepositions, words.noun_openers, words.changes
    if not (has or acts or any(entries.at(behind) for entries in signs) or _is_predicate(behind, words)):
        return clause
    text = f"{text[: end - 2]} {'has' if has else 'is'}{text[end:]}"
    return first_clause(text, words, clause)._replace(start=clause.start, end=clause.end)


def _is_predicate(tokens: Sequence[str], words: Grammar) -> bool:
    """True where words say what somebody is, by a field that has a verb: `allergic to`, of `is allergic to`."""
    predicates = (phrase[phrase[0] in words.be_verbs :] for phrase, _ in words.verb_fields)
    return any(phrase and tuple(tokens[: len(phrase)]) == phrase for phrase in predicates)


def _contracted_at(tokens: Sequence[str], at: int, words: Grammar) -> tuple[str, int]:
    """The kind and the end of the verb that a subject holds: in `im allergic` what stands behind "am" says more."""
    kind, length = _kind_at(tokens, at, words)
    after, more = _kind_at(tokens, at + 1, words) if at + 1 < len(tokens) else ("", 0)
    if after in (*_MAIN, "event"):
        kind, length = after, 1 + more
    unknown = "other" if words.verb_leads else "be"  # `necesito gafas` says of nobody what they are
    return kind or unknown, at + (length or 1)


def _verb_group(tokens: Sequence[str], at: int, lead: int, words: Grammar) -> tuple[str, int]:
    """The kind and the end of the verb that begins at a place; of `have moved` and `habe … gekündigt` the main verb's kind."""
    kind, length = _kind_at(tokens, at, words)
    end = at + length
    if kind and kind not in _AUXILIARY and _is_noun(tokens, at, lead, words):
        kind = ""
    elif kind in _AUXILIARY:
        skip = end
        while skip < len(tokens) - 1 and tokens[skip] in words.adverbs:
            skip += 1
        after, more = _kind_at(tokens, skip, words) if end < len(tokens) else ("", 0)
        if after in (*_MAIN, "event"):
            return after, skip + more
        if words.final_verbs:
            kind = _final(tokens, end, words) or kind
    # Behind a pronoun stands its verb, known or not.
    elif not kind and (
        at > lead
        and tokens[at - 1] in words.nominatives
        and tokens[at - 1] not in words.determiners
        and tokens[at] not in words.adverbs
        and tokens[at] not in words.verb_leads
        and not _NUMBER.search(tokens[at])
    ):
        return "other", at + 1
    return kind, end


def _is_noun(tokens: Sequence[str], at: int, lead: int, words: Grammar) -> bool:
    """True for a verb that stands where a noun does: `my rent is 900`, `Ida's favourite drink is tea`, `rent went up`, `report deadline extended`, `the lead of it is Priya`."""
    before = tokens[at - 1] if at > lead else ""
    is_subject = before in words.nominatives or before in words.relative_words  # `what i drink is`
    after = tokens[at + 1] if at + 1 < len(tokens) else ""
    if before and not is_subject and after in words.be_verbs:
        holds_subject = after in words.pronouns or after in words.first_person
        return not holds_subject  # `she thinks its the wash`, `mum reckons i'm 12`
    if before in words.possessives_own or (before in words.determiners and before not in words.pronouns):
        return True
    compound = at + 2 < len(tokens) and tokens[at + 1] in words.things
    nominal = (compound or tokens[at] in words.things) and (not before or before in words.determiners)
    behind = at + 1 + compound
    changes = words.change_verbs.at(tokens, behind) > 0
    return nominal and (changes or _verb_at(tokens, at + 1, words, most=2) is not None)


def _final(tokens: Sequence[str], after: int, words: Grammar) -> str:
    """The kind of the main verb at the end of a clause."""
    for at in range(len(tokens) - 1, after, -1):
        kind, length = _kind_at(tokens, at, words)
        if kind in ("decide", "event", "state", "prefer") and at + length >= len(tokens) - 1:
            return kind
    return ""


def typed_from(text: str, spans: Sequence[tuple[int, int]], at: int) -> str:
    """A text from one of its tokens on, with the sign or the quotation mark that stands before it: `+49`, `$5`."""
    if at >= len(spans):
        return ""
    return _without_edges(text[_with_sign(text, spans[at][0], _LEADING_SIGNS + "('\"„“") :])


def _with_sign(text: str, start: int, signs: str = _LEADING_SIGNS) -> int:
    """Where a token begins with the signs that belong to it."""
    while start and text[start - 1] in signs:
        start -= 1
    return start - 1 if start and _MINUS.match(text, start - 1) else start
