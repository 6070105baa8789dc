"""Understands a question: text to a frozen value with its tokens, synonyms, entities, and how rare each word is."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from functools import lru_cache
from itertools import chain, dropwhile, pairwise, takewhile
from types import MappingProxyType

from memoryclaw import late
from memoryclaw.errors import InputError
from memoryclaw.index.bm25 import rarity
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.stemming import asked_in
from memoryclaw.index.stemming import language as named
from memoryclaw.late import NamedTuple
from memoryclaw.model import MATCH_KINDS, SESSION
from memoryclaw.ports import IndexClause, TextIndex
from memoryclaw.recall.query import Expr, Filter, ParsedQuery, all_of, any_of, parse
from memoryclaw.text import dates
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import grammar, grammar_of, is_question, spoken_in, tokens_of
from memoryclaw.text.language import (
    SMALL,
    SPEAKER,
    WORD,
    Language,
    Languages,
    candidates,
    characters,
    fold,
    key_of,
    plain,
    select,
    sentences,
    words_of,
)
from memoryclaw.text.merging import shared_ends
from memoryclaw.vault.fact_values import KIN, KIN_BESIDES, NOUNS, noun_of
from memoryclaw.vault.vocabulary import fields_of_kind

PREFIX_WORDS = 32  # a prefix stands for at most so many words of the vault, the most frequent ones
FUZZY_WORDS = 8
# A word of so many letters that no more than so many units hold also finds words that begin so, at most so many.
BEGINS, RARE, BEGUN_WORDS = 4, 2, 8
ENDING = 2  # letters that another form of a word may lack
LONGEST_BEGUN = 40  # letters of such a word
LEAST_PART = 3  # letters of a part of a compound
RELATED_SHARE = 0.1  # of all units: what more of them hold is too common to stand for another word
RELATED_LEAST = 10  # units: what no more of them hold is not common, however small the vault
RELATED_MOST, RELATED_PART = 40, 0.25  # units, and part: nor is what no more hold, in a vault of one subject
CHARACTER = 0.2  # what a single Chinese character counts beside the pairs that hold it
OTHER = 0.5  # what a word that may stand for another counts, against that word itself
GOAL_WORDS = 12  # words of a goal that count
LONGEST_FIELD = 3  # words: `my best friend`
KINDS = frozenset(MATCH_KINDS)
STATES = frozenset({"archived", "pending", "draft", "superseded"})
KIND_NAMES = {"log": "turn", "logs": "turn", "semantic": "fact", "memory": "note", "task": "todo", "tasks": "todo"}  # fmt: skip

_HIDDEN = late.pattern(r"(?:^|/)(?:archive|review|_[^/]*)(?:/|$)|(?:^|/)_\w", re.IGNORECASE)
# Words by which people speak of themselves: what they said then counts more than what an assistant answered.
MYSELF = frozenset(lists.words("pronouns.myself"))
OWN_WORDS = frozenset(lists.words("pronouns.own"))
# Words by which they speak to the assistant: how it shall answer may be asked.
_YOURSELF = frozenset((*lists.words("pronouns.yourself"), *lists.words("pronouns.answers")))

# Kinds of fields with a word in each language.
_TOLD_OF = frozenset({"person", "name", "title", "amount", "day"})
_PLACES = frozenset(lists.words("pronouns.places"))
# The form of what is asked for, by a word that asks; and by a noun behind `what` or `which`.
_ASKS_FOR = {form: frozenset(lists.words(f"pronouns.{form}")) for form in ("who", "when", "where")}
_OF_NOUNS = {
    "when": frozenset(lists.words("pronouns.times")),
    "where": _PLACES,
    "much": frozenset(lists.words("pronouns.amounts")),
}
_ASKING = frozenset(lists.words("relevance.asking"))
_WHETHER = frozenset(lists.words("relevance.whether"))
_SAYING = frozenset(lists.words("relevance.saying"))
_DONE = frozenset(lists.words("relevance.doing"))
_WHICH = frozenset(lists.words("relevance.which"))
_SORTS = frozenset(lists.words("relevance.sorts"))
_ANYTHING = frozenset(lists.words("relevance.anything"))
_ANY_SMALL = frozenset().union(*SMALL.values())
_SMALL_ABROAD = {code: small for code, small in SMALL.items() if code != "en"}
_ASKING_WORDS = _ASKING.union(*_ASKS_FOR.values())  # of any language


def _unspaced(words: Iterable[str]) -> list[str]:
    """Those of languages that are written without spaces: the longest first, and of two as long always the same, as `在哪里` without `哪里` leaves `在`."""
    return sorted((word for word in words if max(word) > "\u2fff"), key=lambda word: (-len(word), word))


_MYSELF_UNSPACED, _YOURSELF_UNSPACED = _unspaced(MYSELF), _unspaced(_YOURSELF)
_ASKING_UNSPACED = _unspaced(_ASKING_WORDS)
_OF_A_TIME_UNSPACED = _unspaced({*_ASKING_WORDS, *MYSELF, *_ANYTHING, *_DONE})
_MEASURES = [frozenset(line.split()) for line in lists.lines("pronouns.measures")]

# Between the parts of a compound, by the code of a language that writes them together.
_JOINTS = {line[:2]: ("", *line[3:].split()) for line in lists.lines("related_words.joints")}
BEFORE_WHAT = lists.words("relevance.before_what")
_PHRASES = {
    name: tuple(" ".join(words_of(phrase)) for phrase in lists.text(f"relevance.{name}").replace("\n", ",").split(",") if phrase)
    for name in ("latest", "manner", "reply", "before", "duty", "tasks", "unreal", "frame", "over", "why", "reason")
} | {"before_what": (*BEFORE_WHAT,)}  # fmt: skip
_DOING = _DONE.union(" ".join(_PHRASES["duty"]).split(), lists.words("relevance.remaining"))
_TASKS = frozenset(" ".join(_PHRASES["tasks"]).split())
_LATEST_UNSPACED = tuple(lists.words("relevance.latest_unspaced"))


class Leaf(NamedTuple):
    """One token or phrase of a resolved question, and the word it stands for."""

    clause: IndexClause
    word: str  # as asked
    via: str  # literal | phrase | prefix | fuzzy | bigram | alias | date
    share: float = 1.0  # of its gain
    most: float = math.inf  # it tells no more: the idf of the word that it stands for, in whatever language
    near: float = (
        0.0  # of a day asked about, as a text writes it, instead of a share: 1, or less without the year
    )


class Question(NamedTuple):
    """A question as the index understands it; nothing changes it afterwards.

    Attributes:
        clause: what is looked up; None when only dates or fields are asked for.
        leaves: the tokens and phrases of the clause that score.
        aliases: the vault's synonyms of words that were asked.
        related: words of everyday language that may stand for words that were asked.
        goal: what the agent is working on, as tokens that lift a unit.
        entities: those that the question names, by key, with their names in the vault.
        people: the same for people.
        parts: those named by one word of a longer name: likely, and so only boosted.
        fields: those that its words stand for in any language (`chien` for `dog`), with these words.
        called: those named by what they are to somebody: `my sister`, of whom a fact has the name.
        weights: the idf of each content word.
        tokens: of the content words and their synonyms.
        unknown: words that stand nowhere in the vault.
        today: the UTC day that "last week" refers to.
        coming: the next days that an expression without a year may mean, where it was read as the last ones.
        own: the keys of the names of the one who asks, where the question speaks of that one.
        scope: of the project that is worked in; empty where that is not known.
        parted: compounds that stand nowhere, read as two words of the vault.
    """

    query: ParsedQuery
    language: Language
    today: date
    clause: IndexClause | None
    leaves: tuple[Leaf, ...]
    aliases: tuple[Leaf, ...]
    related: tuple[Leaf, ...]
    goal: tuple[Leaf, ...]
    entities: Mapping[str, str]
    people: Mapping[str, str]
    parts: Mapping[str, str]
    weights: Mapping[str, float]
    tokens: frozenset[str]
    unknown: tuple[str, ...]
    notices: tuple[str, ...]
    coming: tuple[dates.DateRange, ...] = ()
    fields: Mapping[str, str] = MappingProxyType({})
    called: Mapping[str, str] = MappingProxyType({})
    own: AbstractSet[str] = frozenset()
    scope: str = ""
    parted: tuple[str, ...] = ()

    @property
    def days(self) -> tuple[dates.DateRange, ...]:
        """The times that it names, and where they come again also the next ones: what is due on them may be asked for."""
        return (*self.query.ranges, *self.coming)

    @property
    def in_words(self) -> bool:
        """True when nothing but words is looked up, none of which must stand."""
        return _is_plain(self.query)

    @property
    def open_to_goal(self) -> bool:
        """True when a goal may find something by itself: the question is in plain words, not exact or of a time alone."""
        return self.query.root is not None and _is_plain(self.query)

    @property
    def only_excludes(self) -> bool:
        """True for `-word`: everything else is listed."""
        return self.clause is not None and self.clause.op == "not"

    @property
    def any_entity(self) -> Mapping[str, str]:
        """The entities that may be meant."""
        return {**self.parts, **self.called, **self.entities}

    @property
    def any_person(self) -> Mapping[str, str]:
        """The people who may be meant."""
        return {**self.parts, **self.people}

    @property
    def is_sentence(self) -> bool:
        """True when it has stop words, as `who writes the music` has: it is more than keywords."""
        return any(word not in self.weights for word in self.query.words)

    @property
    def form(self) -> str:
        """What its first asking word asks for: `who`, `when`, `where`, `much`, or `what` of no form; empty for no question in words that are read."""
        return _form_of(self.query.text)

    @property
    def opens_asking(self) -> bool:
        """True when its first word asks, or the one behind a preposition: `which car did I drive`, `in welcher Stadt wohne ich`."""
        tokens = tokens_of(self.query.text)
        lead = grammar_of(self.query.text, unread="en").prepositions.has_any(tokens[:1])
        return _form_of(" ".join(tokens[: 1 + lead])) != ""

    @property
    def asks_whether(self) -> bool:
        """True where yes or no answers it: `do I like attrs?`."""
        first = next(iter(words_of(self.query.text)), "")
        return first in _WHETHER and self.form == "what" and not self.of_you

    @property
    def of_myself(self) -> bool:
        """True when the one who asks speaks of himself or herself, in some languages by a verb alone: `a qué me dedico`, `che lavoro faccio`."""
        return self._says(MYSELF, _MYSELF_UNSPACED) or _is_own_abroad(self.query.text)

    @property
    def of_you(self) -> bool:
        """True when the question speaks to the assistant, or of its answers."""
        return self._says(_YOURSELF, _YOURSELF_UNSPACED)

    @property
    def of_manner(self) -> bool:
        """True when it asks how the assistant shall do something: `how long should your answers be`."""
        return says(self.query.text, "manner")

    @property
    def of_reply(self) -> bool:
        """True when it asks for what the assistant said: `which tyres did you recommend`."""
        return any(
            says(sentence, "reply") and is_question(sentence) for sentence in sentences(self.query.text)
        )

    @property
    def of_before(self) -> bool:
        """True when it asks for what held before what holds now, of no time that it names: `where did I use to live`."""
        if self.form in ("", "much") or self.days or self.asks_whether:
            return False
        return says(self.query.text, "before") or _says_before(self.query.text)

    @property
    def of_which(self) -> bool:
        """True when it asks which one of a kind, and nothing else of it: `which boiler do we have?`."""
        typed = words_of(self.query.text)
        is_asked = any(before in _WHICH and word in self.weights for before, word in pairwise(typed))
        return self.form == "what" and len(self.weights) == 1 and is_asked

    @property
    def of_duty(self) -> bool:
        """True when it asks what somebody has to do."""
        return self.form == "what" and says(self.query.text, "duty")

    @property
    def lists_duties(self) -> bool:
        """True when it asks for all that somebody has to do, perhaps on a day: `what do I have to do tomorrow?`."""
        if says(self.query.text, "tasks"):
            return self.weights.keys() <= _DOING | _TASKS
        words, tokens = grammar_of(self.query.text, unread="en"), tokens_of(self.query.text)
        is_of_others = words.people_pronouns.has_any(tokens) or words.thing_pronouns.has_any(tokens)
        is_of_all = not self.is_sentence or self.weights.keys() <= _DOING
        return self.of_duty and is_of_all and not is_of_others  # not `what does he need to do`

    @property
    def latest(self) -> frozenset[str]:
        """The words by which it asks for what is newest; none where it does not."""
        spoken = [*_phrases_in(self.query.text, ["latest"])]
        spoken += [phrase for phrase in _LATEST_UNSPACED if phrase in self.query.text]
        return frozenset(word for phrase in spoken for word in phrase.split())

    def _says(self, words: frozenset[str], unspaced: Sequence[str]) -> bool:
        text = self.query.text
        return any(word.partition("'")[0] in words for word in words_of(text.replace("’", "'"))) or any(
            word in text for word in unspaced
        )

    @property
    def all_leaves(self) -> tuple[Leaf, ...]:
        """All that is counted in a unit: what was asked, what may stand for it, and the goal."""
        return (*self.leaves, *self.aliases, *self.related, *self.goal)

    @property
    def any_state(self) -> bool:
        """True when it asks for archived, pending, draft, superseded or expired units itself, or for what a session left."""
        return any(
            (item.field == "kind" and item.value.lower() in STATES)
            or (item.field == "path" and _HIDDEN.search(item.value))
            or item.field == "expires"
            or (item.field == "scope" and item.value.partition(":")[0].lower() == SESSION)
            for item in self.query.filters
            if not item.negated
        )

    @property
    def moments(self) -> list[tuple[str, str]]:
        """The first and the last day of each time that it is about (empty: open)."""
        spoken = [(spoken.start, spoken.end) for spoken in self.query.ranges]
        days = [
            item.value.partition("/")
            for item in self.query.filters
            if item.field == "on" and not item.negated
        ]
        return [*spoken, *((first, last or first) for first, _, last in days)]

    def names_folder(self, path: str) -> bool:
        """True where it names the folder of a note, as of one of several that are called `Index`."""
        folder = path.rpartition("/")[0].rpartition("/")[2]
        is_said = bool(folder) and folder.casefold() in self.query.text.casefold()
        is_name = is_said and not self.language.is_stop(folder.lower())
        return is_name and f" {key_of(folder)} " in f" {key_of(self.query.text)} "

    def names_field(self, field: str) -> bool:
        """True when the question says this field's name, but for small words as in `lives in`, or a synonym of it."""
        if field in self.fields:
            return True
        tokens = self._field_tokens(field)
        return bool(tokens) and self.tokens.issuperset(tokens)

    def means_field(self, field: str) -> bool:
        """True when the question says this field's name or words that are related to it: `allergic` means `allergy`."""
        related = {token for leaf in self.related for token in leaf.clause.text.split()}
        tokens = self._field_tokens(field)
        return bool(tokens) and (self.tokens | related).issuperset(tokens)

    def _field_tokens(self, field: str) -> list[str]:
        return [*self.language.telling(words_of(field))]

    def asks_for(self, field: str, days: str, entity: str) -> bool:
        """True when it says a word of this field's name or a related one that the entity's name does not have, or asks for a day, a place or a measure and the field holds one.

        Args:
            days: that the value of the field is.
        """
        name = words_of(field)
        of_field = set(self.language.tokens(field)) - set(self.language.tokens(entity))
        related = {token for leaf in self.related for token in leaf.clause.text.split()}
        if of_field & (self.tokens | related):
            return True
        typed = {*words_of(self.query.text)}
        asks = {
            form
            for form, words in _ASKS_FOR.items()
            if typed & words or any(w in self.query.text for w in words if max(w) > "\u2fff")
        }
        return (
            ("when" in asks and bool(days))
            or ("where" in asks and not _PLACES.isdisjoint(name))
            or any(typed & words and not words.isdisjoint(name) for words in _MEASURES)
        )


# What a question asks for is looked up again for each line that may answer it.


@lru_cache(maxsize=256)
def _form_of(text: str) -> str:
    typed = [word.partition("'")[0] for word in words_of(text.replace("’", "'"))]
    for word, following in zip(typed, [*typed[1:], ""], strict=False):
        form = next((form for form, words in _ASKS_FOR.items() if word in words), "")
        if form or word in _ASKING:
            return form or next((form for form, nouns in _OF_NOUNS.items() if following in nouns), "what")
    return ""


@lru_cache(maxsize=256)
def _says_before(text: str) -> bool:
    """True for `before` alone, or before a name; not `before breakfast`."""
    typed = words_of(text)
    behind = (typed[typed.index(word) + 1 :] for word in BEFORE_WHAT if word in typed)
    return any(not words or any(word.title() in text for word in words) for words in behind)


def _is_of_myself(text: str) -> bool:
    return not MYSELF.isdisjoint(words_of(text)) or _is_own_abroad(text)


def _is_own_abroad(text: str) -> bool:
    """True for a text in a language other than English that says `I` or `my`."""
    words = grammar_of(text, unread="en")
    tokens = tokens_of(text) if words.code in _SMALL_ABROAD else ()
    return words.own_pronouns.has_any(tokens)


def _phrases_in(text: str, kinds: Iterable[str]) -> Iterator[str]:
    typed = f" {' '.join(words_of(text.replace('’', chr(39))))} "
    return (phrase for kind in kinds for phrase in _PHRASES[kind] if f" {phrase} " in typed)


def framing(text: str) -> frozenset[str]:
    """The words that only frame a question, whatever it is about: `currently`, `inzwischen`."""
    return frozenset(word for phrase in _phrases_in(text, ["frame"]) for word in phrase.split())


def replying(question: Question) -> frozenset[str]:
    """The words by which a question asks for what the assistant said: `did you recommend`."""
    phrases = _phrases_in(question.query.text, ["reply"]) if question.of_reply else ()
    return frozenset(word for phrase in phrases for word in phrase.split())


@lru_cache(maxsize=1024)
def says(text: str, *kinds: str) -> bool:
    """True where a phrase of one of these lists stands in a text: what tells, or asks for, a `duty`, what held `before`, a dream."""
    return any(_phrases_in(text, kinds))


def understand(
    text: str,
    *,
    catalog: Catalog,
    language: Language,
    index: TextIndex,
    today: date,
    goal: str = "",
    kind: str = "",
) -> Question:
    """Understands a question without a model.

    Args:
        catalog: knows the vault's words, names and synonyms.
        today: the clock's UTC day, for "last week".
        kind: narrows as `kind:` in the question does.
    """
    query = parse(text, today=today)
    spoken_code = spoken_in(text, "en")
    asked_code = asked_in(query.words, language).code
    # Of few words, small ones tell the language where stop words do not: `où habite ma sœur`.
    asked_code = spoken_code if asked_code == language.code and spoken_code in _SMALL_ABROAD else asked_code
    codes = dict.fromkeys((language.code, *catalog.languages(), asked_code))
    spoken = [language, *(named(code) for code in codes if code != language.code)]
    languages = Languages(spoken, query.words)
    small = _SMALL_ABROAD.get(spoken_code, frozenset())
    asks = query.words[0] if query.words and "?" in text and query.words[0] in _ASKING_WORDS else ""
    frame = {asks, *framing(text)}
    words = [
        word
        for word in query.words
        if not languages.is_stop(word) and word not in frame and plain(word) not in small
    ]
    if query.ranges and (_SAYING.issuperset(words) or _asks_of_a_time(text, words)):
        words = []  # `what did I say on 1 October?`
    if not words and (query.ranges or query.filters) and _is_plain(query):
        query = query._replace(root=None, words=())  # "what happened last week" asks for all of last week
    words = words or list(query.words)
    units = index.size()[0]
    vocabulary = _QuestionWords(words, catalog, languages, units)
    entities, people, name_parts = _names(query.words or words, catalog)
    aliases: tuple[Leaf, ...] = ()
    akin: tuple[Leaf, ...] = ()
    tokens = frozenset(vocabulary.tokens)
    fields: dict[str, str] = {}
    called: dict[str, str] = {}
    if _is_plain(query):
        # The fields that words of a text stand for, each with these words.
        fields = {noun.field: phrase for phrase in _phrases(text) if (noun := noun_of(phrase))}
        names_of_roles = _names_of_roles(text, entities, catalog)
        called = {key_of(name): name for _, name in names_of_roles}
        # Fields have English names.
        field_names = [(phrase, field) for field, phrase in fields.items() if spoken_code in _SMALL_ABROAD]
        field_names += _words_for_fields(fields, catalog, languages)
        kinds = _kinds_asked(text, words)
        field_names += kinds.items()
        if entities or people or _is_of_myself(text):
            field_names += _members_asked(text, catalog, languages)
        fields |= {field: word for word, field in kinds.items()}
        keys = list(dict.fromkeys(candidate.key for candidate in candidates(words)))
        # Who plays a role is named by a fact, and so is no guess.
        aliases = _synonyms(words, tokens, vocabulary, names_of_roles, share=1.0)
        aliases += _synonyms(words, tokens, vocabulary, [*catalog.synonyms(keys), *field_names])
        tokens |= {token for leaf in aliases for token in leaf.clause.text.split()}
        names = {part for key in (*entities, *people, *name_parts) for part in key.split()}
        ordinary = [word for word in words if key_of(word) not in names]
        akin = (
            *_kin(ordinary, tokens, vocabulary, catalog, spoken_code),
            *_prefixes(ordinary, tokens, vocabulary, catalog),
        )
    notices = list(query.notices)
    clause: IndexClause | None = None
    leaves: tuple[Leaf, ...] = ()
    if query.root is not None:
        root, lost = _loosen(query, languages, index)
        notices += [
            f'"{phrase}" stands nowhere as a phrase; its words were searched instead' for phrase in lost
        ]
        resolver = _Resolver(query, vocabulary, catalog, languages)
        clause, leaves = resolver.clause(root), tuple(resolver.leaves)
        if _is_plain(query):
            # The single characters of words in Chinese script, each of which says something by
            # itself.
            word_of = {character: word for word in words for character in characters(word)}
            leaves += tuple(
                Leaf(IndexClause("token", sign), word, "bigram", CHARACTER) for sign, word in word_of.items()
            )
    again = [span for span in query.ranges if not dates.tells_past(text, span.span)]
    coming = tuple(range_ for span in again if (range_ := dates.next_occurrence(span, today)))
    if query.ranges and _is_plain(query):
        leaves += _days_told((*query.ranges, *coming), languages, catalog, index)
    toward = goal_leaves(goal, tokens, catalog, language) if goal else ()
    if kind:
        query = query._replace(filters=(*query.filters, kind_filter(kind)))
    question = Question(
        query, language, today, clause, leaves, aliases, akin, toward, entities, people, name_parts, vocabulary.weights, tokens,
        tuple(vocabulary.unknown), tuple(notices), coming, fields, called, parted=tuple(vocabulary.parted),
    )  # fmt: skip
    return question._replace(own=catalog.own_keys()) if question.of_myself else question


def _kinds_asked(text: str, words: Sequence[str]) -> dict[str, str]:
    """The word for a kind, of which alone one asks which one's own is, and the field that holds it: `drives`, for `which car do I have`."""
    typed = words_of(text)
    is_which = any(before in _WHICH and [word] == [*words] for before, word in pairwise(typed))
    if not is_which or not _is_of_myself(text):
        return {}
    return {word: field for word in words for field in fields_of_kind(word)}


_NOUNS = 3  # in a row, of which one may be the kind: `which blood pressure tablets`
_REACH = 6  # words: `what sort of a` and the nouns


def _members_asked(text: str, catalog: Catalog, languages: Languages) -> list[tuple[str, str]]:
    """What the vault knows of a kind of which it is asked which one is somebody's, each with the word for the kind: `beagle`, for `what pet do we have`, not for `what pet is the quietest`."""
    typed, asked = words_of(text), dict[str, list[str]]()
    if says(text, "duty"):
        return []  # `which car should I buy` asks for advice
    for place, before in enumerate(typed):
        if before in _ASKING_WORDS:
            words = typed[place + 1 : place + 1 + _REACH]
            nouns = [*dropwhile(_SORTS.__contains__, words)]
            if before in _WHICH or nouns != words:  # `was für ein`
                row = takewhile(lambda word: not languages.is_stop(word), nouns[:_NOUNS])
                asked |= {word: members_of(word, languages) for word in row}
    return [
        (word, member)
        for word, members in asked.items()
        for member, tokens in _known_tokens(members, languages, catalog).items()
        if tokens and member != word
    ]


def kind_filter(kind: str) -> Filter:
    """The filter that `--kind` stands for.

    Raises:
        InputError: there is no such kind.
    """
    kind = KIND_NAMES.get(kind.lower(), kind.lower().removesuffix("s"))
    if kind not in KINDS | STATES:
        raise InputError(f"there is no kind {kind!r}; choose one of {', '.join(sorted(KINDS | STATES))}")
    return Filter(field="kind", value=kind, negated=False, written=f"kind:{kind}")


_LETTERS_A_SLIP = 5  # of a word that is taken for another one: of shorter words too many are alike


def spellings(question: Question, catalog: Catalog) -> dict[str, str]:
    """Words of the vault that may be meant by those of the question that it does not know."""
    corrections = {}
    translated = {word for leaf in question.aliases for word in leaf.word.split()}
    for word in question.unknown:
        is_cut = " " in question.language.token(word)  # into pairs of characters, which nobody misspells
        slips = len(word) // _LETTERS_A_SLIP
        is_right = not slips or is_cut or word.isdigit() or word in translated
        # Asked last, as it may read the lists of every language.
        if not (is_right or any(_words_akin(word, code, named(code)) for code in RELATED_IN)):
            close = nearest_words(word, catalog.words_alike(fold(word), slips_in(fold(word))), 1)
            if close and close[0].distance <= slips and close[0].word not in _ANY_SMALL:
                corrections[word] = close[0].word
    return corrections


# What looks like a name in a question: capitals inside a word, or at its beginning where no sentence begins.
_INNER_CAPITAL = late.pattern(r"(?=[^\W_]*?[a-zß-ÿ][A-Z])[^\W\d_][^\W_]*+")
_ENDS = (".", "!", "?", ":", "…")
_OPENING = " \t\n\r\f\v\u00a0\u202f\u3000\"'„“”«»([*>-"


def _begins_sentence(text: str, before: re.Match[str] | None, word: re.Match[str]) -> bool:
    """Whether a sentence begins with a word, by what stands between the word before and it."""
    between = text[before.end() if before else 0 : word.start()]
    ending = between.rstrip(_OPENING)
    return ending.endswith(_ENDS) or "\n" in between[len(ending) :] or not (before or ending)


def without_asking(text: str, asking: Iterable[str] = _ASKING_UNSPACED) -> str:
    """A text without the asking words of languages that are written without spaces."""
    for word in asking:
        text = text.replace(word, " ")
    return text


def _asks_of_a_time(text: str, words: Iterable[str]) -> bool:
    """True for a question whose words ask for no more than what was done at a time, of nobody who is spoken to: `was habe ich am 3. Mai gemacht?`, `我做了什么`."""
    typed = words_of(text.replace("’", "'"))
    asks = not _ANYTHING.isdisjoint(typed) or any(word in text for word in _ANYTHING if max(word) > "\u2fff")
    rest = (word for word in words if word not in _DONE and word not in _ANYTHING)
    is_asked = asks and not any(without_asking(word, _OF_A_TIME_UNSPACED).strip() for word in rest)
    return is_asked and _YOURSELF.isdisjoint(typed)


def strangers(question: Question) -> tuple[str, ...]:
    """Names in a question that stand nowhere in the vault, as they were typed; of ordinary words none.

    In German, where every noun has a capital, only one inside a word makes it a name.
    """
    if not question.unknown or not question.in_words:
        return ()
    text, translated = question.query.text, {word for leaf in question.aliases for word in leaf.word.split()}
    unknown = frozenset(question.unknown) - translated
    typed = [hit for hit in WORD.finditer(text) if hit[0][:1].isalpha()]
    begins = {
        hit.start()
        for before, hit in zip([None, *typed], typed, strict=False)
        if _begins_sentence(text, before, hit)
    }
    # A small word with a capital: this is a title, where every word has one.
    is_title = any(
        hit[0].istitle() and len(hit[0]) > 1 and named("en").is_stop(hit[0].lower())
        for hit in typed
        if hit.start() not in begins
    )
    german, english = named("de"), named("en")
    is_german = question.language.code == "de" or any(
        german.is_stop(word) and not english.is_stop(word) for word in words_of(text)
    )
    capitals, no_names = not (is_title or is_german), grammar("en").no_names
    spans: list[tuple[int, int]] = []
    for hit in typed:
        word, low = hit[0], words_of(hit[0])
        plain = word[0].isupper() and not word.isupper() and hit.start() not in begins
        is_name = _INNER_CAPITAL.fullmatch(word) or (capitals and plain and low[0] not in no_names)
        if is_name and all(piece in unknown for piece in low):
            together = spans and not text[spans[-1][1] : hit.start()].strip(" -‐‑")
            spans = [*spans[:-1], (spans[-1][0], hit.end())] if together else [*spans, hit.span()]
    return tuple(dict.fromkeys(re.sub(r"['’]s\Z", "", text[start:end]) for start, end in spans))


def _is_plain(query: ParsedQuery) -> bool:
    """True when nothing but words, dates and fields was written."""
    root = query.root
    if root is None or query.joined:
        return root is None
    return root.op in ("word", "any") and all(
        expr.op == "word" and not expr.column for expr in root.parts or (root,)
    )


def _loosen(query: ParsedQuery, languages: Languages, index: TextIndex) -> tuple[Expr, list[str]]:
    """What must match, and the phrases that stand nowhere.

    Such a phrase amid other words, as of a title quoted from memory, is asked by its words.
    """
    root = query.root or Expr("any")
    needs = [expr for expr in root.parts if expr.op == "phrase"]
    ranking = [expr for expr in root.parts if expr.op == "any" and needs and expr.parts[0] == needs[0]]
    if root.op != "all" or query.joined or not ranking:
        return root, []
    lost = [
        expr
        for expr in needs
        if not any(
            index.count(IndexClause("phrase", " ".join(tokens), _columns(expr)))
            for tokens in languages.phrases(expr.text)
        )
    ]
    if not lost:
        return root, []
    words = [Expr("word", word) for expr in lost for word in expr.text.split()]
    remaining = [expr for expr in root.parts if expr not in (*lost, ranking[0])]
    needed = [expr for expr in remaining if expr.op != "not"]
    loose = any_of([*needed[:1], *(expr for expr in ranking[0].parts if expr not in lost), *words])
    return all_of([*needed, loose, *(expr for expr in remaining if expr.op == "not")]), [
        expr.text for expr in lost
    ]


class _QuestionWords:
    """The content words of a question: how rare each is, their tokens, other spellings, and which are unknown."""

    def __init__(self, words: Sequence[str], catalog: Catalog, languages: Languages, units: int) -> None:
        self.languages = languages
        self.units = units
        self.known = frozenset(words)
        self.weights: dict[str, float] = {}
        self.tokens: set[str] = set()
        self.unknown: list[str] = []
        self.frequencies: dict[str, int] = {}  # word → units with one of its tokens, at most
        self.spelled: dict[str, list[str]] = {}  # word → tokens of its other spellings
        self.parted: list[str] = []  # those that are read as two words
        self.most: dict[str, float] = {}  # the idf of a word that has a token in each of several languages
        tokens = {word: languages.token(word).split() for word in words}
        counts = catalog.count_of([token for tokens_ in tokens.values() for token in tokens_])
        for word, tokens_of_word in tokens.items():
            tokens_ = tokens_of_word
            if not any(token in counts for token in tokens_of_word):
                tokens_ = self._other_spellings(word, catalog, languages)
                counts.update(catalog.count_of(tokens_))
            self.frequencies[word] = sum(counts.get(token, 0) for token in tokens_)
            self.weights[word] = max(
                (rarity(units, counts.get(token, 0)) for token in tokens_), default=rarity(units, 0)
            )
            if len(tokens_of_word) > 1 and not languages.is_cut(word):
                self.most[word] = rarity(
                    units, min(sum(counts.get(token, 0) for token in tokens_of_word), units)
                )
            self.tokens.update(tokens_of_word, tokens_)
            if not tokens_:
                self.unknown.append(word)

    def _other_spellings(self, word: str, catalog: Catalog, languages: Languages) -> list[str]:
        """Tokens of `Café` for `cafe`, as most stemmers treat letters with and without accents unlike, and of `Chor` and `Probe` for `Chorprobe`."""
        forms = [] if languages.folds_first else catalog.words_spelt(word)
        others = [token for form in forms for token in languages.token(form).split()]
        if not others and (others := _parts(word, catalog, languages)):
            self.parted.append(word)
        self.spelled[word] = list(dict.fromkeys(others))
        return self.spelled[word]


def _known_tokens(
    words: Iterable[str], language: Language | Languages, catalog: Catalog
) -> dict[str, list[str]]:
    """The tokens of each of these words that units hold."""
    tokens = {word: language.token(word).split() for word in words}
    counts = catalog.count_of([*chain.from_iterable(tokens.values())])
    return {word: [token for token in tokens[word] if token in counts] for word in tokens}


def _parts(word: str, catalog: Catalog, languages: Languages) -> list[str]:
    """The tokens of two words of the vault that a word is made of."""
    splits = [
        (word[: at - len(joint)], word[at:])
        for at in range(LEAST_PART, len(word) - LEAST_PART + 1)
        for joint in _JOINTS.get(languages.asked_code, ())
        if word[:at].endswith(joint) and at - len(joint) >= LEAST_PART
    ]
    known = _known_tokens(chain.from_iterable(splits), languages, catalog)

    def is_written(part: str) -> bool:
        """True for a word that somebody wrote, no stem: of `notierst` there is no `noti`."""
        is_known = bool(known[part]) and not languages.is_stop(part)
        return is_known and bool(catalog.words_beginning((part,), len(part) + ENDING, 1))

    whole = [split for split in splits if all(map(is_written, split))]
    best = max(whole, key=lambda split: min(map(len, split)), default=())
    return [token for part in best for token in known[part]]


def _names(words: Sequence[str], catalog: Catalog) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """The entities, the people, and the parts of longer names that these words name."""
    name_candidates = candidates(words, lambda word: noun_of(word.partition("'")[0]) is not None)
    keys = {candidate.key: candidate.key for candidate in name_candidates if candidate.key not in SPEAKER}
    keys.update((key_of(synonym), key) for key, synonym in catalog.synonyms(list(keys)))
    rows = catalog.names(list(keys), ("entity", "person", "part"))
    entities, people, name_parts = ({}, {}, {})  # type: tuple[dict[str, str], dict[str, str], dict[str, str]]
    for target, kind in ((entities, "entity"), (people, "person"), (name_parts, "part")):
        names = {keys[key]: name for key, of, name in rows if of == kind}
        for candidate in select(name_candidates, names):
            target[key_of(names[candidate.key])] = names[candidate.key]
    # Who says `I` is asked about where nobody else is; any of the own names stands for all of them.
    by_name = (*entities.values(), *people.values(), *name_parts.values())
    own = next((own_names for name in by_name or words if (own_names := catalog.names_of_owner(name))), ())
    rows = catalog.names([key_of(name) for name in own], ("entity",))
    return {**entities, **{key: name for key, _, name in rows}}, people, name_parts


def _phrases(text: str) -> list[str]:
    """The runs of words that may name a field."""
    typed = [word.removesuffix("'s") for word in words_of(text.replace("’", "'"))]
    runs = range(1, LONGEST_FIELD + 1)
    return [" ".join(typed[at : at + size]) for at in range(len(typed)) for size in runs]


def _names_of_roles(text: str, entities: Iterable[str], catalog: Catalog) -> list[tuple[str, str]]:
    """The words by which a text says what somebody is to the one who asks or to an entity that it names, and the name that the one fact about that holds: `my sister`, `Anas Chef`."""
    owners = {*entities} | (set() if OWN_WORDS.isdisjoint(words_of(text)) else catalog.own_keys())
    if not owners:
        return []
    said = {(noun_of(phrase) or [phrase])[0]: phrase for phrase in _phrases(text)}
    values: dict[str, set[str]] = {}
    for field, value in catalog.current_values(owners, said):
        values.setdefault(field, set()).add(value)
    kin = catalog.current_values(owners, KIN - KIN_BESIDES) if values else ()
    # Where a wife and a sister have one name, the facts of that name do not say whose they are.
    bearers = Counter(name for _, name in kin)
    return [
        (said[field], name)
        for field, names in values.items()
        for name in names
        if len(names) == 1
        and name[:1].isupper()
        and bearers[name] <= 1
        and catalog.names([key_of(name)], ("entity", "person"))
    ]


def _words_for_fields(
    fields: Mapping[str, str], catalog: Catalog, languages: Languages
) -> list[tuple[str, str]]:
    """The words of the vault for these fields in any language, each with the phrase that asks for it: `médecin` for `my gp`."""
    words = (
        word
        for word, noun in NOUNS.items()
        if noun.field in fields and noun.kind in _TOLD_OF and word.isalpha() and word not in _ANY_SMALL
    )
    known = _known_tokens(words, languages, catalog)
    return [(fields[NOUNS[word].field], word) for word, tokens in known.items() if tokens]


def _synonyms(
    words: Sequence[str],
    asked: frozenset[str],
    seen: _QuestionWords,
    synonyms: Iterable[tuple[str, str]],
    share: float = OTHER,
) -> tuple[Leaf, ...]:
    leaves = []
    for phrase, synonym in synonyms:
        most = max((seen.weights[word] for word in words if fold(word) in phrase.split()), default=math.inf)
        for tokens in seen.languages.phrases(synonym):
            if tokens and not asked.issuperset(tokens):
                op = "token" if len(tokens) == 1 else "phrase"
                leaves.append(Leaf(IndexClause(op, " ".join(tokens)), phrase, "alias", share, most))
    return tuple(leaves)


def _kin(
    words: Sequence[str], asked: frozenset[str], seen: _QuestionWords, catalog: Catalog, spoken: str
) -> tuple[Leaf, ...]:
    languages = seen.languages
    if languages.code == "none":  # words are compared as they are written
        return ()
    akin: dict[str, dict[str, None]] = {}
    for word in words:
        others = [
            other
            for code in RELATED_IN
            for other in _words_akin(
                word, code, languages.of(code) or (named(code) if code == spoken else None)
            )
        ]
        tokens = map(languages.token, [*others, *members_of(word, languages)])
        akin[word] = dict.fromkeys(chain.from_iterable(map(str.split, tokens)))
    counts = catalog.count_of([token for tokens in akin.values() for token in tokens])
    few = min(RELATED_MOST, seen.units * RELATED_PART)
    most = max(RELATED_LEAST, few, seen.units * RELATED_SHARE)
    return tuple(
        Leaf(IndexClause("token", token), word, "alias", OTHER, seen.weights[word])
        for word, tokens in akin.items()
        for token in tokens
        if token not in asked and 0 < counts.get(token, 0) <= most
    )


def _prefixes(
    words: Sequence[str], asked: frozenset[str], seen: _QuestionWords, catalog: Catalog
) -> tuple[Leaf, ...]:
    """Words of the vault that begin with one that hardly any unit holds, or are its beginning but for an ending.

    So `Dach` finds `Dachstuhl`. A form that another language stems otherwise is found however many units hold the word.
    """
    leaves = []
    for word in words:
        plain = fold(word)
        if len(plain) < BEGINS or not plain.isalpha() or seen.languages.is_cut(word):
            continue
        rare = seen.frequencies[word] <= RARE
        if not (rare or seen.languages.several):
            continue
        cut = max(BEGINS, len(plain) - ENDING)
        forms = catalog.words_beginning((plain[:cut], word[:cut]), len(plain) + ENDING, 4 * BEGUN_WORDS)
        accepted = [
            form for form in forms if seen.languages.is_form(word, form) or (rare and plain.startswith(form))
        ]
        accepted += catalog.words_beginning((plain, word), LONGEST_BEGUN, BEGUN_WORDS) if rare else []
        known = _known_tokens(accepted, seen.languages, catalog)
        leaves += [
            Leaf(IndexClause("token", token), word, "prefix", OTHER, seen.weights[word])
            for token in dict.fromkeys(chain.from_iterable(known.values()))
            if token not in asked
        ]
    return tuple(leaves)


def goal_leaves(goal: str, asked: frozenset[str], catalog: Catalog, language: Language) -> tuple[Leaf, ...]:
    """The words of a goal that say something as tokens to look up, but for those of the question; operators, fields and dates in it are words like any other."""
    words = [word for word in dict.fromkeys(words_of(goal)) if not language.is_stop(word)][:GOAL_WORDS]
    return tuple(
        Leaf(IndexClause("token", token), word, "bigram" if " " in language.token(word) else "literal")
        for word, tokens in _known_tokens(words, language, catalog).items()
        for token in tokens
        if token not in asked
    )


def _days_told(
    ranges: Iterable[dates.DateRange], languages: Languages, catalog: Catalog, index: TextIndex
) -> tuple[Leaf, ...]:
    """How the days asked about stand in texts of the vault."""

    def is_known(word: str) -> bool:
        return bool(catalog.count_of(languages.token(word).split()))

    phrases = {
        (tuple(tokens), span.text): share
        for span in ranges
        for spelling, share in dates.spellings(span, is_known).items()
        for tokens in languages.phrases(spelling)
    }
    counts = catalog.count_of(list(dict.fromkeys(token for tokens, _ in phrases for token in tokens)))
    leaves = (
        Leaf(
            IndexClause("phrase" if len(tokens) > 1 else "token", " ".join(tokens)),
            text,
            "date",
            0.0,
            near=share,
        )
        for (tokens, text), share in phrases.items()
        if all(token in counts for token in tokens)
    )
    return tuple(leaf for leaf in leaves if index.count(leaf.clause))


class _Resolver:
    """Resolves what must match into a clause, and collects the leaves that score."""

    def __init__(
        self, query: ParsedQuery, words: _QuestionWords, catalog: Catalog, languages: Languages
    ) -> None:
        self.leaves: list[Leaf] = []
        self._words = words
        self._catalog = catalog
        self._languages = languages
        self._exact = query.joined
        self._by_op: dict[str, Callable[[Expr], IndexClause | None]] = {
            "word": self._word, "phrase": self._phrase, "prefix": self._prefix, "fuzzy": self._fuzzy,
            "any": self._any, "all": self._all, "not": self._not,
        }  # fmt: skip

    def clause(self, expr: Expr) -> IndexClause | None:
        """The clause of one expression, or None when nothing of it can be looked up."""
        return self._by_op[expr.op](expr)

    def _word(self, expr: Expr) -> IndexClause | None:
        tokens = self._languages.token(expr.text).split()
        via = "bigram" if self._languages.is_cut(expr.text) else "literal"
        return self._leaves(
            expr,
            self._words.spelled.get(expr.text) or tokens,
            expr.text,
            via,
            self._words.most.get(expr.text),
        )

    def _phrase(self, expr: Expr) -> IndexClause | None:
        clauses: list[IndexClause] = []
        for tokens in self._languages.phrases(expr.text):
            op, via = ("phrase", "phrase") if len(tokens) > 1 else ("token", "literal")
            if tokens:
                leaf = Leaf(IndexClause(op, " ".join(tokens), _columns(expr)), expr.text, via)
                self.leaves.append(leaf)
                clauses.append(leaf.clause)
        return _join("any", clauses)

    def _prefix(self, expr: Expr) -> IndexClause | None:
        matches = self._catalog.words_like(expr.text, PREFIX_WORDS)
        tokens = dict.fromkeys(token for word in matches for token in self._languages.token(word).split())
        return self._leaves(expr, list(tokens), f"{expr.text}*", "prefix")

    def _fuzzy(self, expr: Expr) -> IndexClause | None:
        word = fold(expr.text)
        close = nearest_words(word, self._catalog.words_alike(word, slips_in(word)), FUZZY_WORDS)
        tokens = dict.fromkeys(
            token for near_ in close for token in self._languages.token(near_.word).split()
        )
        return self._leaves(expr, list(tokens), f"{expr.text}~", "fuzzy")

    def _leaves(
        self, expr: Expr, tokens: Sequence[str], word: str, via: str, most: float | None = None
    ) -> IndexClause | None:
        limit = math.inf if most is None else most
        leaves = [
            Leaf(IndexClause("token", token, _columns(expr)), word, via, most=limit) for token in tokens
        ]
        self.leaves.extend(leaves)
        return _join("any", [leaf.clause for leaf in leaves])

    def _any(self, expr: Expr) -> IndexClause | None:
        telling = [
            child
            for child in expr.parts
            if child.op != "word" or child.column or self._exact or child.text in self._words.known
        ]
        pairs = [(child, self.clause(child)) for child in telling or expr.parts]
        return _join("any", [clause for _, clause in pairs if clause is not None])

    def _all(self, expr: Expr) -> IndexClause | None:
        clauses = [(child.op == "not", self.clause(child)) for child in expr.parts]
        required = [clause for negated, clause in clauses if clause is not None and not negated]
        missing = any(clause is None for negated, clause in clauses if not negated)
        if not required or missing:
            return None
        barred = [clause for negated, clause in clauses if clause is not None and negated]
        return _join("all", [*required, *barred])

    def _not(self, expr: Expr) -> IndexClause | None:
        before, exact = len(self.leaves), self._exact
        self._exact = True
        inner = self.clause(expr.parts[0])
        self._exact = exact
        del self.leaves[before:]  # what must be absent explains nothing
        return IndexClause("not", parts=(inner,)) if inner is not None else None


def _columns(expr: Expr) -> tuple[str, ...]:
    return (expr.column,) if expr.column else ()


def _join(op: str, clauses: Sequence[IndexClause]) -> IndexClause | None:
    return (
        clauses[0]
        if len(clauses) == 1 and clauses[0].op != "not"
        else IndexClause(op, parts=tuple(clauses))
        if clauses
        else None
    )


# Words of everyday life that may stand for one another, or are of a kind: `pet` finds a turn about a dog. General
# knowledge, used with care: a related word helps, and never counts as much as the word that was asked.

_ALIKE = "alike"  # the list of English; others have their code behind it
RELATED_IN = (
    "en",
    *(name.removeprefix("alike_") for name in lists.names("related_words") if name.startswith("alike_")),
)
_PAST_IN = ("de", "nl")  # languages of `past`
_BEGIN = 3  # letters that a word and its stem share


def kin_of(word: str, language: Language) -> list[str]:
    """The tokens that may stand in a text for a word; none where the language has no list of them."""
    others = map(language.token, [*_words_akin(word, language.code, language), *members_of(word, language)])
    return [other for other in dict.fromkeys(others) if other != language.token(word)]


def _words_akin(word: str, code: str, language: Language | None) -> list[str]:
    """The listed words that may stand for a word; for its other forms too, where the language is read."""
    if code not in RELATED_IN:
        return []
    groups = _groups(code)
    forms = [word] if word in groups else []
    if language:
        token = language.token(word)
        forms = [form for form in _listed(code).get(token[:_BEGIN], ()) if language.token(form) == token]
    return [other for form in forms for group in groups[form] for other in group]


@lists.kept
def _groups(code: str) -> dict[str, list[list[str]]]:
    """The groups whose words a listed word may stand for."""
    groups: dict[str, list[list[str]]] = {}
    alike = lists.lines(f"related_words.{_ALIKE if code == 'en' else f'{_ALIKE}_{code}'}")
    for group, field in (*((line.split(), []) for line in alike), *_verbs_of_fields(code)):
        for word in group:
            groups.setdefault(word, []).append([*group, *field])
    return groups


def members_of(word: str, language: Language | Languages) -> list[str]:
    """What is of a kind, by any form of the word for it, in every language that is read."""
    token = language.token(word)
    return [
        member
        for kind, members in _kinds().get(fold(word)[:_BEGIN], ())
        if kind == word or language.token(kind) == token
        for member in members
    ]


@lists.kept
def _kinds() -> dict[str, list[tuple[str, list[str]]]]:
    """The words for kinds by their first letters, each with what is of the kind."""
    kinds: dict[str, list[tuple[str, list[str]]]] = {}
    for line in lists.lines("kinds.members"):
        names, _, members = line.partition(": ")
        for name in names.split():
            kinds.setdefault(fold(name)[:_BEGIN], []).append((name, members.split()))
    return kinds


@lists.kept
def _listed(code: str) -> dict[str, list[str]]:
    """The listed words by their first letters."""
    listed: dict[str, list[str]] = {}
    for word in _groups(code):
        listed.setdefault(fold(word)[:_BEGIN], []).append(word)
    return listed


def _verbs_of_fields(code: str) -> Iterator[tuple[list[str], list[str]]]:
    """The verbs that tell one and the same of somebody, as `live` and `moved` do; in other languages than English with the name of the field that holds it."""
    small = SMALL.get(code, ())
    past = dict(line.split(": ") for line in lists.lines("related_words.past")) if code in _PAST_IN else {}
    for line in lists.lines(f"talk_{code}.verb_fields") if f"talk_{code}" in lists.files() else ():
        field, _, phrases = line.partition(":")
        typed = f"{phrases} {past.get(field, '')}".replace(",", " ").replace("/", " ").split()
        verbs = [word for word in dict.fromkeys(typed) if word not in small]
        name = [word for word in field.split() if word not in SMALL["en"]] if code != "en" else []
        if len(verbs) > 1 or name:
            yield verbs, name


# Words of the vault that are spelled like a given word, for `jonh~` and "did you mean".

_SHORTEST = 3  # a shorter word is one typing slip away from too many others
_TWO_SLIPS = 6  # words of this length may differ in two places


class Near(NamedTuple):
    """A word of the vault and how many slips (letter added, lost, changed, or two swapped) it is away."""

    word: str
    distance: int
    frequency: int


def slips_in(word: str) -> int:
    """How many slips a word of this length may hold."""
    return 0 if len(word) < _SHORTEST else 1 if len(word) < _TWO_SLIPS else 2


def nearest_words(word: str, vocabulary: Iterable[tuple[str, int]], limit: int) -> list[Near]:
    """The words of a vocabulary (folded word, frequency) nearest to a word: by distance, frequency, then word.

    One slip is allowed in words of three to five letters, two in longer ones. A known word is nearest to itself.
    """
    word = fold(word)
    slips, letters = slips_in(word), [(letter, word.count(letter)) for letter in dict.fromkeys(word)]
    hits = []
    for candidate, frequency in vocabulary:
        # At a glance: what it lacks was lost or changed, and what it has more was put in.
        lacking = sum([n - count for letter, n in letters if (count := candidate.count(letter)) < n])
        is_likely = lacking + max(len(candidate) - len(word), 0) <= slips
        if is_likely and (distance := letters_apart(word, candidate, slips)) <= slips:
            hits.append(Near(candidate, distance, frequency))
    return sorted(hits, key=lambda hit: (hit.distance, -hit.frequency, hit.word))[:limit]


def letters_apart(word: str, other: str, slips: int) -> int:
    """How many letters are put in, left out, swapped or others; more than the slips where they are too many."""
    if word == other:
        return 0
    # Measured without the common beginning and end: the measuring is quadratic, and most slips are one letter.
    start, end = shared_ends(word, other)
    ends = word[start : len(word) - end], other[start : len(other) - end]
    return int(late.levenshtein.damerau_levenshtein(*ends, slips))
