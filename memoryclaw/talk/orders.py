"""Orders to the assistant: how it shall answer from now on (a preference), or one piece of work (a task)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain

from memoryclaw.index import stemming
from memoryclaw.late import NamedTuple
from memoryclaw.text import words as lists
from memoryclaw.text.dates import instant
from memoryclaw.text.grammar import Clause, Grammar, WordList, codes, grammar, tokens_of
from memoryclaw.text.language import IRREGULAR

_OCCASION = 6  # words before an order that say where it holds, at most, and its own first
_CONDITION = 3  # words of the shortest condition: `when you write`
# Words up to the one that tells of what in an answer a wish is: `short clear answers`.
_TOPIC = 3


class ReadClause(NamedTuple):
    """A clause that may order something."""

    clause: Clause
    tokens: Sequence[str]  # without what may stand before an order
    words: Grammar
    conditioned: bool = False  # the clause before it says when it holds
    wished: bool = False  # the clause before it says that somebody wants it: `ich möchte, dass du …`

    @classmethod
    def of(cls, clause: Clause, words: Grammar, before: Clause | None = None) -> ReadClause:
        """A clause, without what may stand before an order."""
        conditioned = before is not None and before.under and words.talkers.within(before.tokens)
        wished = before is not None and before.kind == "wish" and words.first_person.has_any(before.subject)
        return cls(clause, _plain(clause, words), words, conditioned, wished)

    def holds(self, name: str, *, at: bool = False) -> int:
        """How far a list holds: where the clause begins, or anywhere in it."""
        entries = getattr(self.words, name)
        return int(entries.at(self.tokens) if at else entries.within(self.tokens))

    @property
    def lasts(self) -> bool:
        """True for "always" and the like, and for how to answer on a condition: `when my idea is bad say so`, `put TODO if you dont know`."""
        place = self.words.suppositions.find(self.tokens)
        behind = self.tokens[place:] if place > 0 and not self.words.politeness.at(self.tokens, place) else ()
        denied = self.words.negations.within(behind) and self.words.second_person.within(behind)
        manner = (self.conditioned or denied) and self.holds("manner_verbs", at=True)
        return self.words.lasting.within(self.clause.typed) or bool(manner)

    @property
    def ends_lasting(self) -> bool:
        """True for `short answers, always`."""
        typed = self.clause.typed
        return 0 < self.words.lasting.ending_at(typed, len(typed)) < len(typed)

    @property
    def polite(self) -> bool:
        """True for "please" and the like."""
        return self.words.politeness.within(self.clause.typed)

    @property
    def signed(self) -> bool:
        """True where it is about how to answer, polite, or to last."""
        return bool(self.holds("order_topics")) or self.polite or self.lasts


def _has_subject(reading: ReadClause) -> bool:
    """False also where only a sign of lasting stands before the verb: `always be brief`."""
    words, subject = reading.words, reading.clause.subject
    verb = words.lasting.at(subject) if subject else 0
    return bool(subject) and not (verb == len(subject) and words.manner_verbs.at(reading.clause.tokens, verb))


def _is_manner(reading: ReadClause) -> bool:
    """True for a manner alone with what limits it: `dates as dd/mm`, `lists over paragraphs`."""
    words, tokens = reading.words, reading.tokens
    topic = words.manner_topics.at(tokens)
    bare = 0 < topic < len(tokens) <= _OCCASION and not (
        reading.clause.kind or reading.clause.subject or words.deictics.within(tokens)
    )
    return bool(bare) and any(
        size > 1 or tokens[place] not in words.prepositions or words.manner_topics.at(tokens, place + 1)
        for place, size in words.manner_limits.places(tokens)
        if place >= topic
    )


def _wishes_manner(reading: ReadClause) -> bool:
    """True for how somebody wants to be answered: `i'd rather you didn't use emojis`, `ich möchte, dass du immer kurz antwortest`."""
    words, tokens = reading.words, reading.clause.tokens
    if reading.wished:
        return words.second_person.has_any(tokens[:_CONDITION]) and words.lasting.within(tokens)
    start = words.fillers.skip(tokens)
    size = words.manner_wishes.at(tokens, start)
    behind = tokens[start + size :]
    verb = next((token for token in behind if token not in words.negations), "")
    # `odio que mi jefe mande mensajes` is no wish to the assistant, though messages are what it writes
    speaks_to = words.second_person.has_any(tokens[start : start + size])
    at_hand = any(token in words.deictics and token not in words.articles for token in behind)
    at_hand = at_hand or words.thing_pronouns.has_any(behind[-1:])
    topics = speaks_to and (words.order_topics.within(behind) or words.lasting.within(behind))
    return size > 0 and not at_hand and (topics or verb in words.manner_verbs)


def _wishes_to_last(reading: ReadClause) -> bool:
    """True for what somebody wants of every answer: `vorrei risposte brevi d'ora in poi`; not `i want short hair from now on`."""
    words, typed = reading.words, reading.clause.typed
    lasting = words.lasting.covered(typed)
    tokens = [token for n, token in enumerate(typed) if n not in lasting]
    place, size = next(words.wish_verbs.places(tokens), (0, 0))
    wisher = tokens[: place + size]
    wish = [token for token in tokens[place + size :] if token not in words.adverbs]
    inverted = int(words.first_person.has_any(wish[:1]))  # `will ich`
    wisher, wish = wisher + wish[:inverted], wish[inverted:]
    wish = wish[next((n for n, token in enumerate(wish) if token not in words.determiners), 0) :]
    end = max((n + size for n in range(_TOPIC) if (size := words.manner_topics.at(wish, n))), default=0)
    # An adjective before its noun is no topic; an infinitive is what the speaker wants to do.
    is_noun = words.verb_leads or end == len(wish) or wish[end] in words.prepositions
    ends = tuple(words.infinitive_ends.entries() if words.verb_leads else ())
    acts = not end or wish[0] in words.prepositions or wish[0].endswith(ends)
    is_own = words.first_person.has_any(wisher) or (
        words.verb_leads and wisher and not reading.clause.subject
    )
    is_of_own = words.own_pronouns.within(wish) or words.roles.within(wish)
    return bool(lasting and is_own and is_noun) and not (acts or is_of_own)


# Each row by its example: whether it fits a clause, and whether such a clause is an order. The first that fits decides.
ROWS: tuple[tuple[str, Callable[[ReadClause], object], Callable[[ReadClause], object]], ...] = (
    ("can you always write in French", lambda reading: request_of(reading.clause.tokens, reading.words), lambda _: True),
    ("i hate it when you use bullet points", _wishes_manner, lambda _: True),
    ("i want short answers from now on", _wishes_to_last, lambda _: True),
    ("no worries", lambda reading: not reading.tokens or reading.holds("not_orders", at=True), lambda _: False),
    ("never more", lambda reading: reading.words.bare_lasting.issuperset(reading.tokens), lambda _: False),
    ("call me Bo", lambda reading: reading.holds("address_orders", at=True), lambda reading: not _names_a_time(reading)),
    ("ask me before you delete anything", lambda reading: reading.holds("consent_orders", at=True), lambda _: True),
    ("metric units", lambda reading: reading.holds("manners", at=True) == len(reading.tokens), lambda _: True),
    ("24h clock only", _is_manner, lambda _: True),
    ("or rather tables", lambda reading: reading.words.alternatives.at(reading.clause.typed), lambda _: False),
    ("draft the letter", lambda reading: is_task(reading.clause, reading.words) and not reading.lasts, lambda _: False),
    ("no bullets pls", lambda reading: reading.tokens[0] in reading.words.negative_determiners, lambda reading: reading.signed and reading.tokens[1:2] and reading.tokens[1] not in reading.words.personal),
    ("never saw that coming", lambda reading: not reading.conditioned and _tells(reading.tokens, reading.words), lambda _: False),
    ("quit the gym", lambda reading: _leaves(reading) and not reading.signed, lambda _: False),
    ("dont use emoji", lambda reading: reading.holds("negated_orders", at=True), lambda reading: reading.tokens[1:] and _forbids(reading)),
    ("nicht duzen", lambda reading: reading.holds("negated_infinitives", at=True), lambda reading: not reading.clause.subject and reading.tokens[-1].endswith(tuple(reading.words.infinitive_ends.entries()))),
    ("smaller tables pls", lambda reading: not reading.holds("orders", at=True) or (_has_subject(reading) and reading.clause.kind in ("be", "have")), lambda reading: (reading.polite or (reading.ends_lasting and not reading.holds("noun_openers", at=True))) and reading.holds("order_topics") and not reading.clause.kind),
    ("less of that", lambda reading: reading.tokens[0] in reading.words.degree_orders and not reading.holds("order_topics"), lambda _: False),
    ("always use postgres", lambda reading: reading.lasts, lambda _: True),
    ("write in short sentences", lambda reading: reading.holds("order_topics"), lambda reading: reading.polite or reading.tokens[0] in reading.words.manner_verbs),
)  # fmt: skip


_PASTS = frozenset(IRREGULAR) - frozenset(lists.words("english.bases"))


def is_order(clause: Clause, words: Grammar, before: Clause | None = None) -> bool:
    """True for an imperative that is to last: it denies something, says "always" or the like, asks politely how to answer, or gives a form of address.

    Args:
        before: the clause before it in its sentence, which may say when it holds.
    """
    if words.be_verbs.at(clause.tokens) == len(clause.tokens):
        return False  # `what would my tax be`
    reading = ReadClause.of(clause, words, before)
    return next((bool(orders(reading)) for _, fits, orders in ROWS if fits(reading)), False)


def _leaves(reading: ReadClause) -> bool:
    """True for a verb of leaving before a thing, which tells what somebody did: `quit the gym`."""
    verb, object_ = reading.tokens[0], "".join(reading.tokens[1:2])
    return object_ in reading.words.noun_openers and any(
        phrase == (verb,) for phrase, _ in reading.words.verb_ends
    )


def _names_a_time(reading: ReadClause) -> bool:
    """True for a request to be called at a time: `call me tomorrow`."""
    words, behind = reading.words, reading.tokens[reading.holds("address_orders", at=True) :]
    return words.day_times.at(behind) > 0


def _forbids(reading: ReadClause) -> bool:
    """False for a denial that may be said to anybody: `dont make it up`."""
    denial = reading.words.negated_orders.at(reading.tokens)
    manner = reading.words.manner_verbs.at(reading.tokens, denial) or reading.holds("first_person")
    return not reading.holds("negations", at=True) or reading.signed or bool(manner)


def is_for_once(clause: Clause, words: Grammar, *, shown: bool) -> bool:
    """True for what only says how one piece of work shall be: `short ones please`, `3 more questions`, `bullets for the summary`, and `in French please` beside a text.

    Args:
        clause: an order by its words.
        shown: its turn shows a text, on which work is asked for.
    """
    tokens = _plain(clause, words)
    if words.lasting.within(clause.typed) or words.address_orders.at(tokens):
        return False
    if _names_one_text(tokens, words):
        return True
    is_bare = not clause.kind and not words.orders.at(tokens)
    is_once = _is_counted(tokens, words) or (is_bare and (shown or tokens[-1] in words.pro_forms))
    return is_once and not words.negations.within(tokens)


def _names_one_text(tokens: Sequence[str], words: Grammar) -> bool:
    """True where the one text is named that is worked on: `keep the summary short`; not `the answer`, which every one is, `the changelog`, which goes on, nor several."""
    for place, size in words.written_things.places(tokens):
        article, last = tokens[place - 1] if place else "", tokens[place + size - 1]
        is_one = article in words.articles and article not in words.indefinite_words
        if not is_one or last in words.replies or last in words.lasting_texts:
            continue
        if words.written_things.isdisjoint((last[:-1], last[:-2], f"{last[:-3]}y")):
            return True
    return False


def _is_counted(tokens: Sequence[str], words: Grammar) -> bool:
    """True for so many of something, which is one piece of work: `3 more questions`, `ein paar Beispiele`; not for a limit, `only 3 bullets`."""
    place = next(
        (
            n
            for n, token in enumerate(tokens[:-1])
            if token.isdigit() or token in words.cardinals or words.quantities.at(tokens, n)
        ),
        None,
    )
    if place is None:
        return False
    before = tokens[place - 1] if place else ""
    return before not in words.prepositions and before not in words.limits


def _tells(tokens: Sequence[str], words: Grammar) -> bool:
    """True for what only begins as an order does: `never saw that coming`, `never left`, or the condition of one, `when you write long`."""
    second = tokens[1] if len(tokens) > 1 else ""
    is_past = words.code == "en" and (_is_regular_past(second) or second in _PASTS)
    is_past = is_past and (
        len(tokens) < 3 or tokens[2] in words.noun_openers or tokens[2] in words.prepositions
    )
    if (second in words.tellings or is_past) and second not in words.manner_verbs:
        return True
    behind = tokens[_CONDITION:]
    return tokens[0] in words.conditions and not words.manner_verbs.has_any(behind)


def _is_regular_past(verb: str) -> bool:
    """True for `stayed`; not for `shred`, `need` or `embed`."""
    stem = verb.removesuffix("ed")
    return stem != verb and not stem.endswith(("e", "emb")) and not set("aeiouy").isdisjoint(stem)


def is_task(clause: Clause, words: Grammar) -> bool:
    """True for one piece of work: `remind me to ring them`, `nimm den zweiten Vorschlag`, `i need a recipe for six`."""
    tokens = _plain(clause, words)
    made = not words.possessives_own.within(tokens) and any(
        words.written_things.at(tokens, place + size + adjective)
        for place, size in words.needs.places(tokens)
        for adjective in range(2)
    )
    return made or words.tasks.at(tokens) > 0 or (not clause.subject and _names_part(tokens, words))


def _names_part(tokens: Sequence[str], words: Grammar) -> bool:
    """True for words before a part of a text, which its number or its place tells: `explain step 3`, `drop the last line`; not `on page 40`."""
    if words.no_parts.at(tokens):
        return False
    return any(
        tokens[place - 1] in words.ordinals or any(map(str.isdigit, tokens[place + size : place + size + 1]))
        for place, size in words.text_parts.places(tokens)
        if place
    )


def is_imperative(clause: Clause, words: Grammar) -> bool:
    """True for what is to be done at once: `now run the linter and tests`, `drop both`; `test results are in` is none."""
    tokens = _plain(clause, words)
    tokens = tokens[words.sequence_words.skip(tokens) :]
    if not tokens or words.tasks.at(tokens):
        return bool(tokens)
    counted = words.politeness.at(clause.tokens) and words.cardinals.at(tokens, 1)
    return tokens[0] in words.chores and bool(words.objects.at(tokens, 1) or counted)


def _plain(clause: Clause, words: Grammar) -> tuple[str, ...]:
    """The tokens of a clause without what may stand before an order: `from now on no bullets`."""
    return _without_leads(clause.tokens, clause.typed, words)


@lru_cache(maxsize=64)  # of a clause, which several questions are asked about
def _without_leads(tokens: tuple[str, ...], typed: tuple[str, ...], words: Grammar) -> tuple[str, ...]:
    while tokens:
        lasting = words.lasting.at(tokens)
        # `nie wieder`, `when you`
        is_bound = words.negations.within(tokens[:lasting]) or tokens[0] in words.conditions
        lead = words.politeness.at(tokens) or (lasting if lasting > 1 and not is_bound else 0)
        lead = lead or _occasion(tokens, words) * words.lasting.within(typed) or request_of(tokens, words)
        filler = tokens[0] in words.fillers and tokens[0] not in words.negative_determiners
        if not (lead or filler or tokens[0] in words.coordinators):
            break
        tokens = tokens[lead or 1 :]
    return tokens


def request_of(tokens: Sequence[str], words: Grammar) -> int:
    """How many tokens stand before a manner that is asked for and is to last: `can you always give …?`, `would you keep it short from now on?`; 0 for any other request."""
    start = words.fillers.skip(tokens)
    size = words.request_openers.at(tokens, start)
    if not size:
        return 0
    request = [token for token in tokens[start + size :] if token not in words.politeness]
    lasting = {n: n + length for n in range(len(request)) if (length := words.lasting.at(request, n))}
    is_lasting = bool(lasting) and (min(lasting) <= 1 or len(request) in lasting.values())
    opener = tokens[start : start + size]
    wishes = words.wish_verbs.within(opener) or words.first_person.has_any(opener)
    if is_lasting and wishes and words.second_person.has_any(opener):
        return start + size  # `I need you to always …` can ask for nothing else, `would you ever …` can
    verb = lasting.get(0, words.negations.at(request))
    verb += words.first_person.at(request, verb)  # `que siempre me respondas`
    last = next((n for n in range(verb, len(request)) if request[n] in words.coordinators), len(request)) - 1
    is_manner = words.manner_deeds.at(request, verb) or words.manner_deeds.at(request[last : last + 1])
    return start + size if is_lasting and is_manner else 0


def asks_for_manner(clause: Clause, words: Grammar) -> bool:
    """True for an order in the form of a question or of a wish: `could you always …?`, `i'd prefer if you …`."""
    return words.asking_forms.within(clause.tokens)


def _occasion(tokens: Sequence[str], words: Grammar) -> int:
    """How many tokens say where an order holds that stands behind them: `in this repo always use tabs`; 0 where none do."""
    if tokens[0] not in words.prepositions:
        return 0
    for place in range(2, min(len(tokens) - 1, _OCCASION)):
        lasting = words.lasting.at(tokens, place)
        verb = tokens[place + lasting] if place + lasting < len(tokens) else ""
        if lasting or (verb in words.manner_verbs and tokens[place - 1] in words.things):
            is_order = verb in words.manner_verbs or verb in words.chores
            return place if is_order and tokens[place - 1] not in words.nominatives else 0
    return 0


# What is wished of an assistant, compared by the words that tell it, whatever words it had: the same wish in three sessions stands.

SESSIONS = 3  # in which a wish beside a piece of work is told before it stands for all of them
_ALIKE = 0.5  # of the words of both
# What most wishes have in common, by its lists in the grammar of a language.
_COMMON = ("politeness", "orders", "manner_verbs", "small", "light", "fillers", "adverbs", "lasting", "preference_verbs", "negations")  # fmt: skip
_DENYING = ("negations", "negated_orders", "negative_determiners")


class Wish(NamedTuple):
    """An order that somebody gave beside a piece of work."""

    session: str
    at: str  # the moment of its turn
    who: str
    words: str


def stands(wish: Wish, others: Iterable[Wish]) -> bool:
    """True where the same one had the same wish in enough sessions until then, that of the wish among them."""
    stems, denial = stems_of(wish.words), denies(wish.words)
    sessions = {wish.session} | {
        earlier.session
        for earlier in others
        if earlier.who == wish.who
        and instant(earlier.at) <= instant(wish.at)
        and denies(earlier.words) == denial
        and are_alike(stems_of(earlier.words), stems)
    }
    return bool(stems) and len(sessions) >= SESSIONS


def are_alike(stems: frozenset[str], others: frozenset[str]) -> bool:
    """True for the stems of one wish and of the same in other words."""
    return bool(stems and others) and len(stems & others) >= _ALIKE * len(stems | others)


@lru_cache(maxsize=4096)
def stems_of(text: str) -> frozenset[str]:
    """The stems of the words that tell what is wished for; of a word, the shortest that it has in any language."""
    return frozenset(map(_stem_of, frozenset(tokens_of(text)).difference(_common_words())))


@lru_cache(maxsize=8192)  # the same words stand in most wishes
def _stem_of(token: str) -> str:
    languages = (stemming.language(code) for code in codes())
    return min((" ".join(each.tokens(token)) for each in languages), key=lambda stem: (len(stem), stem))


def denies(text: str) -> bool:
    """True for what is not wished for: `no emojis`."""
    tokens = tokens_of(text)
    return any(each.within(tokens) for each in _lists(_DENYING))


@cache
def _common_words() -> frozenset[str]:
    return frozenset(chain.from_iterable(_lists(_COMMON)))


@cache
def _lists(names: tuple[str, ...]) -> tuple[WordList, ...]:
    """The lists of these names in every language: a wish has too few words to tell its own."""
    return tuple(getattr(grammar(code), name) for code in codes() for name in names)
