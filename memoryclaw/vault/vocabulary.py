"""The vocabulary of a vault: synonyms (`semantic/aliases.yaml`) and fields (`semantic/_schema.yaml`); none from bad YAML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import date
from functools import cache, lru_cache
from itertools import permutations, takewhile
from typing import Any

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING, VALUE, Fact, Problem
from memoryclaw.text import words as lists
from memoryclaw.text.dates import days_of, find_ranges, leading_range
from memoryclaw.text.language import SMALL, fold, plain, words_of
from memoryclaw.text.yaml_text import Yaml, load, strings
from memoryclaw.vault.layout import SCHEMA_FILE
from memoryclaw.vault.properties import span_of

DEFAULT_COLLECTIONS = frozenset({"contacts", "people", "projects", "preferences"})
TYPES = frozenset({"text", "date", "number", "email", "phone", "url", "link"})
_MANY = frozenset({"many", "true", "yes", "list", "multiple"})
_VERIFY = "verify"
_ONE = frozenset({"one", "false", "no", "single"})
_YES, _NO = frozenset({"true", "yes"}), frozenset({"false", "no"})


class DeclaredField(NamedTuple):
    """The type of a field, whether it holds many values, after how many days a value is to be verified (0: never), and whether a rule may settle a conflict."""

    type: str = "text"
    many: bool = False
    verify: int = 0
    supersede: bool = False


class Schema(NamedTuple):
    """The declared fields of a vault, and the headings whose keys are entities, in lower case."""

    fields: Mapping[str, DeclaredField] = NOTHING
    collections: frozenset[str] = DEFAULT_COLLECTIONS
    problems: tuple[Problem, ...] = ()

    def holds_many(self, field: str) -> bool:
        """True for a field that is declared to hold several values side by side."""
        return self.fields.get(_word(field), DeclaredField()).many

    def misfit(self, field: str, value: str) -> str:
        """Why a value is none of its field's type, in a sentence; empty where it is one, or the field has none."""
        declared = self.fields.get(_word(field), DeclaredField())
        values = value.split(",") if declared.many else [value]
        wrong = next(filter(None, (misfit(spelling.strip(), declared.type) for spelling in values)), "")
        return wrong and f"{wrong}, as `{_word(field)}: {declared.type}` in {SCHEMA_FILE} asks for"


# What the values of each type look like; a text may be anything, and so may the target of a link.

_PHONE = r"\+?[\d\s()/.-]{5,24}(?:\s?(?:x|ext\.?)\s?\d{1,6})?"
PHONE_NUMBER = late.pattern(_PHONE)
SHAPES = {
    "email": (late.pattern(r"[^\s@<>()]+@[^\s@<>()]+\.[^\W\d_]{2,}"), "an e-mail address"),
    "phone": (late.pattern(rf"(?=(?:\D*\d){{5}}){_PHONE}"), "a phone number"),
    "url": (late.pattern(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+|(?:[\w-]+\.)+[^\W\d_]{2,}(?:/\S*)?", re.IGNORECASE), "a web address"),
    "number": (late.pattern(r"[-+]?\d[\d.,'’\u202f\u00a0 ]*(?:[^\W\d]\S*|[%€$£])?(?:\s\S+)?"), "a number"),
}  # fmt: skip
_YEARS = (date(2003, 1, 1), date(2010, 6, 15))  # two days that no date counts from alike


def misfit(value: str, type_: str) -> str:
    """Why a value cannot be of a type, or "" where it can: `'soon' is not a date`."""
    if type_ == "date":
        return "" if days_of(value) or _is_fixed(value) else f"{value[:60]!r} is not a date"
    shape, name = SHAPES.get(type_, (None, ""))
    return "" if shape is None or shape.fullmatch(value) else f"{value[:60]!r} is not {name}"


def _is_fixed(value: str) -> bool:
    """True for a time that is the same whenever it is read (`spring 2027`), or every year (`11 February`)."""
    ranges = [leading_range(value, today) for today in _YEARS]
    if not all(span and not words_of(value[span.span[1] :]) for span in ranges):
        return False
    first, second = ((span.start, span.end) for span in ranges if span)
    return first == second or tuple(day[5:] for day in first) == tuple(day[5:] for day in second)


def misfits(path: str, facts: Iterable[Fact], schema: Schema) -> list[Problem]:
    """The values of a file that hold and are not of their field's type."""
    hint = f"write it so, or declare another type in {SCHEMA_FILE}"
    return [
        Problem(path, fact.line, wrong, hint)
        for fact in facts
        if fact.current and not fact.is_statement and (wrong := schema.misfit(fact.field, fact.value))
    ]


def read_aliases(text: str) -> dict[str, tuple[str, ...]]:
    """Reads the synonyms of each word or phrase, in lower case.

    `a: [b, c]` links a with b and with c, in both directions; a list of lists links all words of each inner list.
    """
    synonyms_of: dict[str, dict[str, None]] = {}
    for term, synonym in _pairs(load(text).value):
        if term != synonym:
            synonyms_of.setdefault(term, {})[synonym] = None
    return {word: tuple(synonyms) for word, synonyms in synonyms_of.items()}


@lru_cache(maxsize=4)  # a verb that writes asks for it again and again
def read_schema(text: str) -> Schema:
    """Reads the schema of a vault; what it does not declare has its default."""
    loaded = load(text)
    problems = list(loaded.problems)
    if loaded.value is None:
        return Schema(problems=tuple(problems))
    if not isinstance(loaded.value, dict):
        problem = Problem("", 1, "this schema is not a list of keys", "write `fields:` and below it fields")
        return Schema(problems=(*problems, problem))
    low = {key.lower(): value for key, value in loaded.value.items()}
    fields = low.get("fields")
    if fields and not isinstance(fields, dict):
        line, hint = loaded.lines.get(("fields",), 1), "write lines like `deadline: date` below it"
        problems.append(Problem("", line, "`fields` is not a list of keys", hint))
    named = {
        name.lower(): _field(name, spec, loaded, problems)
        for name, spec in (fields.items() if isinstance(fields, dict) else ())
    }
    collections = frozenset(_word(name) for name in _names(low.get("collections")))
    has_collections = "collections" in low
    return Schema(named, collections if has_collections else DEFAULT_COLLECTIONS, tuple(problems))


def vocabulary_problems(path: str, text: str) -> tuple[Problem, ...]:
    """The problems of one of the two files."""
    if path.endswith("_schema.yaml"):
        problems = read_schema(text).problems
    else:
        loaded = load(text)
        problems = loaded.problems
        if loaded.value is not None and not isinstance(loaded.value, dict | list):
            hint = "write lines like `budget: [finance, cost]`"
            problems = (*problems, Problem("", 1, "there are no synonyms here", hint))
    return tuple(problem._replace(path=path) for problem in problems)


def _pairs(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, synonyms in value.items():
            for word in _names(synonyms):
                yield _word(key), _word(word)
                yield _word(word), _word(key)
    elif isinstance(value, list):
        for group in value:
            if isinstance(group, dict):
                yield from _pairs(group)
            else:
                yield from permutations(dict.fromkeys(_word(word) for word in _names(group)), 2)


def _names(value: Any) -> list[str]:
    names = value.split(",") if isinstance(value, str) else strings(value)
    return [name for name in names if name.strip()]


def _word(text: str) -> str:
    return " ".join(text.lower().split())


def _field(name: str, spec: Any, loaded: Yaml, problems: list[Problem]) -> DeclaredField:
    """Reads the declaration of a field: `date`, `many`, `[email, many]` or `{type: email, values: many, verify: 180 days, supersede: true}`."""
    field = DeclaredField()

    def complain(message: str, hint: str, *key: str) -> None:
        line = loaded.lines.get(("fields", name, *key), loaded.lines.get(("fields", name), 1))
        problems.append(Problem("", line, f"{name}: {message}", hint))

    if isinstance(spec, dict):
        spans = [text for key, value in spec.items() if key.lower() == _VERIFY for text in strings(value)]
        rules = {str(key).lower(): value for key, value in spec.items() if str(key).lower() != _VERIFY}
        decides = " ".join(strings(rules.pop("supersede", None))).lower()
        field = field._replace(supersede=decides in _YES)
        if decides and decides not in _YES | _NO:
            message = f"supersede: {decides!r} is neither true nor false"
            complain(message, "write `supersede: true`", "supersede")
        spec = rules
        field = field._replace(verify=next(filter(None, map(span_of, spans)), 0))
        if spans and not field.verify:
            hint = "write it as `180 days`, `6 months` or `1 year`"
            complain(f"{spans[0]!r} is not a time after which to verify", hint, _VERIFY)
    for word in (part.lower() for text in strings(spec) for part in text.replace(",", " ").split()):
        if word in TYPES:
            field = field._replace(type=word)
        elif word in _MANY or word in _ONE:
            field = field._replace(many=word in _MANY)
        else:
            hint = f"types are {', '.join(sorted(TYPES))}; a field has one value or many"
            complain(f"{word!r} is not a type", hint)
    return field


# What a value looks like, and the words by which people ask for a value of that form: an address is asked for as mail, a number as
# a call. Pure.

# Of these forms, a value answers whatever its field is called; of others only where no field says what it is.
_CONTACTS = ("email", "phone", "url")
_SIGNS = ("@", "://", "www.")  # a name with a dot may be a file's
_AMOUNT = late.pattern(
    r"(?:[$€£¥]\s?\d[\d.,' ]*[kKmM]?|\d[\d.,' ]*\s?(?:[$€£¥]|(?:EUR|USD|GBP|CHF|JPY|euros?|dollars?|pounds?)\b))(?:\s\S+){0,3}"
)
# A number stands before the first kind and behind the second, of which a longer word may end in one: `cost 400` is no street. The third kind
# leads its name, `calle Mayor 3` and `12 rue des Lilas`.
_FIRST, _LAST, _LEADING = (
    "|".join(map(re.escape, line.split())) for line in lists.lines("consolidation.streets")
)
_STREET_NAME = r"[^\W\d_][\w.'’-]{0,40},? "
# From where a word begins, else each letter of a long one is tried.
_STREET = (
    rf"(?i)(?<!\w)(?:\d{{1,5}}\w?,? (?:{_STREET_NAME}){{1,4}}(?:{_FIRST})\b"
    rf"|[^\W\d_](?:[\w.-]{{0,40}}[ -]|[\w.-]{{2,40}})(?:{_LAST}) \d{{1,5}} ?\w?\b"
    rf"|(?:{_LEADING}|(?:(?<=in )|(?<=: )|\A)via) (?:{_STREET_NAME}){{1,4}}(?<! a )(?<! la )(?<! las )(?:n[.º°]{{1,2}} ?)?\d{{1,5}} ?\w?\b"
    rf"|\d{{1,5}}(?: ?bis| ?ter)?,? (?:{_LEADING}) (?:(?:de la|de|des|du|la|le|les) )?[^\W\d_][\w.'’-]{{1,40}}(?: (?-i:[^\W\d_a-zà-ÿ])[\w'’-]{{1,40}}){{0,2}})"
)
STREET, _PLACE = late.pattern(_STREET), late.pattern(rf"{_STREET}.{{0,60}}")
_WORDS, _KINDS = (
    {
        form: frozenset(words.split())
        for forms, _, words in (line.partition(": ") for line in lists.lines(f"consolidation.{name}"))
        for form in forms.split(", ")
    }
    for name in ("value_forms", "value_kinds")
)
_BARE = {"amount": _AMOUNT, "address": _PLACE}


@cache
def _verbs() -> dict[str, frozenset[str]]:
    """The verbs by which other languages ask for fields, which have English names."""
    return {
        field: frozenset(word for word in re.split(r"[,/ ]+", phrases) if fold(word) not in SMALL["de"])
        for field, _, phrases in (line.partition(": ") for line in lists.lines("talk_de.verb_fields"))
    }


@lru_cache(maxsize=8192)
def asked_as(field: str, value: str) -> frozenset[str]:
    """The words besides its field's name that ask for a value: for what it or a part of it is or looks like, and verbs of another language."""
    of_field = _verbs().get(field, frozenset()) | _WORDS.get(field, frozenset())
    pieces = {value, *_PIECES.split(value)} if _CONTACT.search(value) else (value,)
    return of_field.union(*(_words_for(field, piece.strip()) for piece in pieces))


def kinds_of(field: str) -> frozenset[str]:
    """The words for what a value of this field is, where they are listed: `city` where somebody lives."""
    return _KINDS.get(field, frozenset())


def fields_of_kind(word: str) -> list[str]:
    """The fields of which a value is what a word names: `drives`, of `car`."""
    return [field for field, words in _KINDS.items() if word in words]


def found_by(field: str, value: str) -> frozenset[str]:
    """The words by which a fact is found that it does not say: those that ask for it, and of `is: a midwife` those that ask for an occupation."""
    may_be_trade = field == "is" and bool(_KIND.match(value) or is_occupation(value))
    return asked_as(field, value) | (_WORDS["works as"] if may_be_trade else frozenset())


def is_occupation(value: str) -> bool:
    """True for what somebody is by trade: `a primary school teacher`, `enfermera`; not `a mother`, nor `a retired teacher`."""
    tokens = [plain(word) for word in words_of(value)]
    start = bool(tokens) and any(tokens[0] in small for small in SMALL.values())
    noun = [*takewhile(lambda word: not any(word in small for small in SMALL.values()), tokens[start:])]
    is_trade = bool(noun) and not _TRADES.isdisjoint((noun[0], noun[-1]))
    return is_trade and not re.match(rf"(?:{_STATES})\b", " ".join(noun))


def asked_for_contacts(text: str) -> frozenset[str]:
    """The words that ask for the addresses and numbers by which somebody is reached, where a line of a text has such a one."""
    lines = [line for line in text.split("\n") if _CONTACT.search(line)] if _CONTACT.search(text) else ()
    return frozenset().union(
        *(_words_for("", piece.strip()) for line in lines for piece in _PIECES.split(line))
    )


def _words_for(field: str, value: str) -> frozenset[str]:
    if not any(mark.isdigit() or mark in "@." for mark in value):
        return frozenset()
    is_contact = (
        value.isascii()
        and not days_of(value)
        and (not any(map(str.isalpha, value)) or any(sign in value for sign in _SIGNS))
    )
    form = next((form for form in _CONTACTS if is_contact and SHAPES[form][0].fullmatch(value)), "")
    if not form and field == VALUE:
        day = "date" if days_of(value) else ""
        form = next((form for form, pattern in _BARE.items() if pattern.fullmatch(value)), day)
    return _WORDS.get(form, frozenset())


# One of a kind, as an occupation is told: `a midwife`, `Tischlerin`; not `left-handed`, nor what is told of everybody.
_STATES = r"|".join(
    re.escape(state.strip())
    for line in lists.lines("consolidation.states_in_turn")[:2]
    for state in line.split(",")
)
_KIND = late.pattern(
    rf"(?i:an?|eine?|une?|una?|um|uma|een) (?!(?:{_STATES})\b)\w|(?!(?i:{_STATES})\b)[^\W\d_a-zß-ÿ][^\W\d_A-Z]{{2}}"
)

_TRADES = frozenset(map(plain, lists.words("consolidation.occupations")))

# Where a number or an address by which somebody is reached may stand, and what parts it from what stands beside it.
_CONTACT = late.pattern(r"@|\d[\d ()/.-]{5,30}\d")
_PIECES = late.pattern(r"[,;|]|:(?=\s)|(?<=\s)(?:[-–—/=→]|--|[-=]>)(?=\s)")


# What a sentence has that may answer who, when, where or how much.
_NAME = late.pattern(r"(?<=[^\s.!?:…–\"“„] )[^\W\d_a-zß-ÿ][\w'’-]*")
_LEADING_NAME = late.pattern(
    r"^(?:[^\W\d_][^:\n]{0,40}: )?([^\W\d_a-zß-ÿ][\w’-]*)(?='s |’s | [^\W\d_A-ZÀ-Þ])"
)  # behind a speaker
_INTO, _THE = ("|".join(lists.words(f"pronouns.{name}")) for name in ("place_prepositions", "articles"))
_NAMED_PLACE = late.pattern(rf"(?<!\w)(?i:{_INTO}) (?:(?i:{_THE}) )?([^\W\d_a-zß-ÿ][\w'’-]*)")
_SMALL_WORD = late.pattern(r"\b[^\W\dA-ZÀ-Þ_]{4}")
_PATH = late.pattern(r"\w[/\\]\w|://")
_CLOCK = late.pattern(r"(?i)\b\d{1,2}(?:[:.h]\d\d\b| ?(?:am|pm|uhr|st|nd|rd|th)\b)")


def holds_form(form: str, text: str, besides: AbstractSet[str], today: date) -> bool:
    """True where a text holds something of a form: a name (`who`), a day or an hour (`when`), a place (`where`), a number (`much`).

    Args:
        besides: words that the question says itself.
    """
    return bool(form in _SENTENCES and _SENTENCES[form](text, besides, today))


def _persons(text: str, besides: AbstractSet[str], _today: date) -> bool:
    is_title = not _SMALL_WORD.search(text)  # each word of it has a capital
    if is_title:
        return False
    from memoryclaw.text.grammar import grammar_of  # noqa: PLC0415 - most commands look for nobody

    first = _LEADING_NAME.search(text)  # `Hanne is our midwife`
    everyday = grammar_of(text, unread="en").everyday
    if first and besides.isdisjoint(words_of(first[1])) and first[1].lower() not in everyday:
        return True
    return any(besides.isdisjoint(words_of(name[0])) for name in _NAME.finditer(text))


def _times(text: str, besides: AbstractSet[str], today: date) -> bool:
    spoken = [hit.text for hit in find_ranges(text, today)[0]]
    return any(not besides >= set(words_of(day)) for day in (*spoken, *_CLOCK.findall(text)))


def _amounts(text: str, besides: AbstractSet[str], _today: date) -> bool:
    return any(word not in besides and (word.isdecimal() or word in _NUMBERS) for word in words_of(text))


def _places(text: str, besides: AbstractSet[str], _today: date) -> bool:
    named = any(besides.isdisjoint(words_of(hit[1])) for hit in _NAMED_PLACE.finditer(text))
    return named or bool(_PLACE.search(text) or _PATH.search(text))


_NUMBERS = frozenset(lists.words("pronouns.numbers")).union(
    word
    for code in ("en", "de", "fr", "es", "it", "pt")
    for line in lists.lines(f"dates_{code}.numbers")[1:]  # the first is articles, too
    for word in line.partition(": ")[2].split(", ")
)
_SENTENCES = {"who": _persons, "when": _times, "where": _places, "much": _amounts}
