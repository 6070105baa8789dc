"""A claim beside what is known → what becomes of it: it is added, confirmed, supersedes the old value, waits for a person, or is dropped.

Only what a person said, clearly and to last, changes what is held true, and only where nothing is lost by it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import chain, groupby

from memoryclaw.consolidation.actions import standing
from memoryclaw.consolidation.changes import DENIED, RENEWAL, UNWANTED, Claim, ClaimDecision, Place, Segment
from memoryclaw.consolidation.overtaking import (
    ALIKE_FIELDS,
    REACHED_AT,
    Telling,
    changes,
    is_tied,
    is_tied_in_part,
    may_change,
    moved_to,
    overtaken,
)
from memoryclaw.index import stemming
from memoryclaw.index.catalog import Catalog
from memoryclaw.late import NamedTuple
from memoryclaw.model import FROM_NOW_ON, PROJECT, VALUE, Fact, Turn
from memoryclaw.recall.restated import clock_in, gives_another, is_told_in_part, stems, stems_in, subject_of
from memoryclaw.talk.assertions import ANY_FIELD, ANY_ROLE, Assertion, admits_error, has_phrase
from memoryclaw.talk.own_words import balanced
from memoryclaw.talk.statements import Statement, Talk
from memoryclaw.talk.worth import verdict
from memoryclaw.text import words as lists
from memoryclaw.text.dates import find_ranges, moved_day
from memoryclaw.text.grammar import (
    Grammar,
    WordList,
    clauses,
    codes,
    grammar,
    grammar_of,
    spoken_in,
    tokens_of,
)
from memoryclaw.text.language import WORD, Language, candidates, key_of, words_of
from memoryclaw.text.memory_types import is_of_work, is_told_here, says_we
from memoryclaw.text.prompts import estimate, one_line
from memoryclaw.vault.audience import common_audience
from memoryclaw.vault.edits import quotable, same
from memoryclaw.vault.fact_values import (
    KIN,
    OPPOSITES,
    PETS,
    are_in_turn,
    bare_field,
    date_value,
    declared_field,
    field_key,
    holds_many,
    holds_value,
    is_of_people,
    is_yearly,
    misfit,
    noun_of,
    plain_key,
    plain_value,
    same_field,
    same_value,
    says_less,
)
from memoryclaw.vault.facts import fact_id, statement_id
from memoryclaw.vault.layout import SALIENCE_FILE
from memoryclaw.vault.notes import Topics, read_topics, says_which
from memoryclaw.vault.properties import canonical_scope, is_preference
from memoryclaw.vault.vocabulary import DeclaredField, Schema
from memoryclaw.writing.decisions import Decisions, fingerprint

Known = Sequence[tuple[str, Fact]]
SaidBy = Callable[[str, Fact], frozenset[str]]  # the keys of the names of those who said what a fact rests on
_PERSON = "user"
_PEOPLE_FILE, _PREFERENCES_FILE, _FACTS_FILE = (
    "semantic/people.md",
    "semantic/preferences.md",
    "semantic/facts.md",
)


class FactFiles(NamedTuple):
    """Where facts go: the semantic files that hold facts of the claim's entity already, the first of them first."""

    files: Sequence[str] = ()
    person: bool = False  # the entity speaks, or was introduced as somebody

    def of(self, field: str, known_facts: Known) -> str:
        """The file for a new fact: where the entity lives, else the one for its kind of field."""
        homes = [path for path, fact in known_facts if fact.current] or [path for path, _ in known_facts]
        liked = is_preference(field)
        for path in (*self.files, *homes):
            fits = path.startswith("semantic/") and not path.rpartition("/")[2].startswith("_")
            # The file of preferences holds those of everybody, and nothing else of them.
            if fits and (path == _PREFERENCES_FILE) == (liked and _PREFERENCES_FILE in (*self.files, *homes)):
                return path
        if liked:
            return _PREFERENCES_FILE
        return _PEOPLE_FILE if self.person or is_of_people(field) else _FACTS_FILE


class _Case(NamedTuple):
    """A claim with what is known of its field."""

    claim: Claim
    when: str  # ISO date from which it would hold
    declared: DeclaredField | None
    now: tuple[tuple[str, Fact], ...]  # current values of the field
    past: tuple[Fact, ...]
    path: str  # where it would be added
    beside: bool = False  # further values of the field stand

    @property
    def many(self) -> bool:
        """True where the field holds several values side by side."""
        noun = noun_of(self.claim.field)
        if self.claim.change and len(self.now) == 1 and noun and noun.kind in REACHED_AT:
            return False  # `my number changed` ends the one that stands
        if self.claim.change and len(self.now) == 1 and _is_alike(self.now[0][1], self.claim):
            return False
        listed = self.claim.many and self.declared is None
        return listed or holds_many(self.claim.field, self.declared)

    def __call__(self, action: str, reason: str) -> ClaimDecision:
        """The case decided."""
        path, fact = self.now[0] if self.now and not self.many else (self.path, None)
        value = fact.value if fact else ""
        replaced = [
            beside for where, beside in self.now
            if where == path and same(beside.entity, self.claim.entity) and same(beside.field, self.claim.field)
        ]  # fmt: skip
        return ClaimDecision(
            claim=self.claim, action=action, reason=reason, path=path, fact=fact.id if fact else "", known=value,
            many=self.many, since=self.when, audience=fact.audience if fact else "",
            basis="" if self.many else standing(replaced), instead=value if self.beside else "",
        )  # fmt: skip


def _is_alike(fact: Fact, claim: Claim) -> bool:
    """True for two values of one thing: `20 mg of lisinopril`, `40 mg of lisinopril`; `window seats`, `aisle seats` that somebody prefers; `vegan`, `pescatarian`."""
    value, claimed = fact.value, claim.value
    first, second = subject_of(value, claimed), subject_of(claimed)
    same, least = len(first & second), min(len(first), len(second))
    words, others = tokens_of(value), tokens_of(claimed)
    if claim.field == FROM_NOW_ON and _order_in_turn(value, claimed):
        return True
    is_of_kind = claim.field == "prefers" and words[-1:] == others[-1:] and min(len(words), len(others)) > 1
    return 2 * same > least or is_of_kind or are_in_turn(value, claimed)


def _holds_in_turn(fact: Fact, claim: Claim) -> bool:
    """True for two values of which one holds at a time: orders for one thing, or, of an earlier day, the same but for a number, `5 mg ramipril`, `10 mg ramipril`."""
    if claim.field == FROM_NOW_ON and _order_in_turn(fact.value, claim.value):
        return True
    (words, figures), (same_words, others) = map(_words_and_figures, (fact.value, claim.value))
    is_renumbered = bool(words) and words == same_words and figures != others and fact.current
    return (
        is_renumbered
        and (claim.field == FROM_NOW_ON or fact.since < claim.said)
        and claim.field not in _TASTES
    )


def _words_and_figures(value: str) -> tuple[list[str], list[str]]:
    tokens = tokens_of(value)
    figures = [token for token in tokens if token[0].isdigit()]
    return [token for token in tokens if token not in figures], figures


_ASPECTS = [
    (aspect, WordList(phrases.split(", ")))
    for aspect, _, phrases in (line.partition(": ") for line in lists.lines("consolidation.order_aspects"))
]
_NAMED = "name"  # the aspect whose way stands behind its words


def _order_in_turn(order: str, other: str) -> bool:
    """True for two orders of which one holds at a time, since they say of the same thing how it shall be: `answer in German`, `answer in English`; not for orders on a condition, nor where one denies a way: `no bullets`, `no long answers`."""
    words = grammar_of(other, spoken_in(order, "en"))
    ways, others = (_ways(tokens_of(text)) for text in (order, other))
    is_one = any(ways[aspect] != others[aspect] or aspect == _NAMED for aspect in ways.keys() & others.keys())
    bounds = words.provisos, words.negations, words.negative_determiners
    is_bound = any(entries.within(tokens_of(text)) for text in (order, other) for entries in bounds)
    return is_one and not is_bound and _ordered_thing(order, words) == _ordered_thing(other, words)


def _ways(tokens: Sequence[str]) -> dict[str, frozenset[str]]:
    """The words of an order for how each of the aspects shall be."""
    ways: dict[str, frozenset[str]] = {}
    for aspect, phrases in _ASPECTS:
        places = (range(place, place + phrases.at(tokens, place)) for place in range(len(tokens)))
        named = frozenset(tokens[n] for places_of in places for n in places_of)
        if named:
            ways[aspect] = ways.get(aspect, frozenset()) | named
    return ways


def _ordered_thing(order: str, words: Grammar) -> frozenset[str]:
    """The stems of what the clause of an order that has its ways is about besides these, and besides answering: none of `keep it short, I read on the bus`."""
    ordered = (tokens for clause in clauses(order, words) if _ways(tokens := clause.tokens))
    tokens = next(ordered, tokens_of(order))
    ways = _ways(tokens)
    if _NAMED in ways:
        return frozenset()
    places = words.order_frames.covered(tokens) | words.orders.covered(tokens)
    small = (grammar(code).small for code in codes())  # `in English`, among words of another language
    idle = words.replies, words.adverbs, words.modal_verbs, words.change_verbs, *ways.values(), *small
    plain = (
        token for n, token in enumerate(tokens) if n not in places and not any(token in each for each in idle)
    )
    return stems_in(" ".join(plain), words.code if words.code in codes() else "en")


def reconcile(
    claim: Claim,
    facts: Known,
    schema: Schema,
    decisions: Decisions,
    *,
    files: FactFiles,
    today: str = "",
    said_by: SaidBy = lambda _path, _fact: frozenset(),
    same_turn: Collection[str] = (),
) -> ClaimDecision:
    """What becomes of a claim.

    Args:
        facts: all facts of its entity, current and past, with the path of their file.
        files: where a new fact goes.
        today: ISO date by the clock of the app, "" when unknown.
        said_by: tells who said what a known fact rests on, by the keys of their names.
        same_turn: the ids of what the same turn told: no sign of change in it means them.
    """
    if claim.how in (DENIED, UNWANTED):
        return _doubt(claim, facts)
    if claim.is_statement and claim.role == "assistant":
        return ClaimDecision(claim, "drop", "an agent says that it was said: its episode tells it")
    if claim.is_statement:
        return _state(claim, facts, decisions, files, same_turn, said_by=said_by)
    if claim.how == "end":
        return _end(claim, facts)
    facts = [(path, fact) for path, fact in facts if not fact.is_statement]
    case = _case(claim, facts, schema, files)
    return (
        _if_ruled_out(case, decisions)
        or _if_known(case)
        or _if_outdated(case)
        or _if_doubtful(case, decisions)
        or _if_ahead(case, today)
        or _settle(case, said_by)
    )


def _end(claim: Claim, known_facts: Known) -> ClaimDecision:
    """What becomes of a value that a person says holds no longer: where one such value stands, it ends."""
    standing_facts = [pair for pair in known_facts if pair[1].current]
    ways = (_is_meant, _is_named, _is_habit)  # the surest first
    matches = next(
        filter(None, ([pair for pair in standing_facts if way(pair[1], claim)] for way in ways)), []
    )
    if (
        len(matches) != 1
        or claim.role != _PERSON
        or claim.confidence == "low"
        or not claim.said
        or matches[0][1].since > claim.said
        or (matches[0][1].field in _LEFT_DAILY and clock_in(claim.words))  # `left Lille at 8 this morning`
    ):
        return ClaimDecision(claim, "drop", "nothing of the kind is held")
    path, fact = matches[0]
    if is_told_in_part(fact.value, claim.words) and not _is_meant(fact, claim):
        return ClaimDecision(claim, "drop", "more than that is held", doubted=_places(matches))
    return ClaimDecision(
        claim._replace(entity=fact.entity, field=fact.field, value=fact.value), "end", "it was said to hold no longer", path=path,
        fact=fact.id, known=fact.value, since=claim.said, audience=fact.audience, basis=standing([fact]),
    )  # fmt: skip


def _doubt(claim: Claim, known_facts: Known) -> ClaimDecision:
    """What becomes of a value that a person says is wrong, or wants to be forgotten: it waits for a person."""
    for path, fact in known_facts:
        if fact.current and (fact.entity, fact.field, fact.value) == (claim.entity, claim.field, claim.value):
            return ClaimDecision(
                claim, "doubt", f"it is {claim.how}", path=path, fact=fact.id, known=fact.value, audience=fact.audience
            )  # fmt: skip
    return ClaimDecision(claim, "drop", "nothing of the kind is held")


def _is_meant(fact: Fact, claim: Claim) -> bool:
    """True for what an ending of any field means outright: an id anything, words the statement that they are."""
    is_said = fact.is_statement and same_value(fact.value, claim.value)
    return claim.field == ANY_FIELD and (fact.id == claim.value or is_said)


def _is_named(fact: Fact, claim: Claim) -> bool:
    """True for the value that an ending names, with more words behind it or fewer: `Shell and is at Fugro now`, `the Skoda`."""
    ended, value = tokens_of(claim.value), tokens_of(fact.value)
    if claim.field == ANY_ROLE:  # who has died is still somebody's mother
        is_first = len(ended) == 1 and ended == value[:1] and not fact.is_statement  # `Helen`, of Helen Pryce
        is_theirs = ended == value or is_first
        return is_theirs and fact.value[:1].isupper() and fact.field not in KIN - PETS
    of_field = claim.field == ANY_FIELD or same_field(fact.field, claim.field)
    of_field = of_field or any({fact.field, claim.field} <= fields for fields in ALIKE_FIELDS)
    if fact.is_statement or not of_field:
        return False
    if fact.field == FROM_NOW_ON and _order_in_turn(fact.value, claim.value):
        return True  # `longer answers are fine again`
    named = stems(claim.value, claim.words)
    if claim.field in _TASTES:  # who hates running for the bus may love running
        return named == stems(fact.value, claim.words) or ended == value
    is_value = ended[: len(value)] == value and bool(
        stems(fact.value, claim.words)
    )  # not `a`, of the blood type `A+`
    return is_value or (len(named) > 0 and named <= stems(fact.value, claim.words))


_TASTES = frozenset({"likes", "dislikes"})
_OF_PLACES = frozenset({"lives in", "address", "from"})
_LEFT_DAILY = _OF_PLACES | {"works at"}
_HABIT = 3  # words with a subject that a statement has at most beside what ends: more tell more than its use


def _is_habit(fact: Fact, claim: Claim) -> bool:
    """True for a statement of what oneself uses or does with what ends: `we track issues in Jira`; not of where somebody lives, or of a liking."""
    words = grammar_of(claim.words, unread="en")
    ended, habit, tokens = stems(claim.value), stems(fact.value, claim.value), tokens_of(fact.value)
    if claim.field == ANY_ROLE:  # `the dinner is off`; `the dog is called Biscuit`
        whose = tokens_of(claim.value)
        is_of = tokens[: len(whose)] == whose or _gives_role(tokens, whose, words)
        return fact.is_statement and fact.said < claim.said and is_of
    places = (phrase for phrase, field in words.verb_fields if field in _OF_PLACES)
    return (
        fact.is_statement
        and fact.said < claim.said
        and claim.field == ANY_FIELD
        and bool(ended)
        and ended < habit
        and len(habit - ended) <= _HABIT
        and words.own_pronouns.has_any(tokens)
        and not words.tastes.within(tokens)
        and not any(has_phrase(tokens_of(claim.words), phrase) for phrase in places)
    )


def _gives_role(tokens: Sequence[str], name: tuple[str, ...], words: Grammar) -> bool:
    """True for words that say who somebody is to the speaker, kin apart: `my vet is Dr Petersen`."""
    roles = (tokens[place] for place in range(len(tokens)) if words.roles.at(tokens, place))
    nouns = (noun_of(role) for role in roles)
    return has_phrase(tokens, name) and any(noun is None or noun.field not in KIN - PETS for noun in nouns)


# Statements: what was said stands beside what was said before, until something later is tied to it.


def _state(
    claim: Claim,
    known_facts: Known,
    decisions: Decisions,
    files: FactFiles,
    same_turn: Collection[str],
    *,
    said_by: SaidBy,
) -> ClaimDecision:
    """What becomes of words that are kept as they were said."""
    claim = claim._replace(entity=plain_key(claim.entity), value=plain_value(claim.value))
    statements = [(where, fact) for where, fact in known_facts if fact.is_statement and fact.current]
    own_statements = [(where, fact) for where, fact in statements if same(fact.entity, claim.entity)]
    path = (
        own_statements[0][0]
        if own_statements
        else files.of("", [pair for pair in known_facts if same(pair[1].entity, claim.entity)])
    )
    decided = ClaimDecision(claim, "state", "the speaker's own words", path=path, since=claim.said)
    if decisions.is_rejected(_print(claim)):
        return decided._replace(action="drop", reason="you said no to this")
    if decisions.is_undone(_print(claim)):
        return decided._replace(action="drop", reason="you took this back before; it stands in its episode")
    words = tokens_of(claim.value)
    for where, fact in own_statements:
        if tokens_of(fact.value) == words:
            return decided._replace(
                action="confirm", reason="it was said again", path=where, fact=fact.id, known=fact.value,
                audience=fact.audience,
            )  # fmt: skip
    tied = [
        fact
        for where, fact in statements
        if where == path
        and (fact.id == claim.replaces or (fact.id not in same_turn and is_tied(claim, fact)))
    ]
    for where, fact in own_statements if not tied and key_of(claim.entity) != key_of(claim.speaker) else ():
        if fact.id not in same_turn and fact.said <= claim.said and gives_another(fact.value, claim.value):
            speakers = said_by(where, fact)
            if speakers and key_of(claim.speaker) not in speakers:
                return decided._replace(
                    action="pending", reason=f"{fact.value!r} stands too: somebody else said it"
                )
            tied.append(fact)
    parted = [fact for fact in tied if fact.id != claim.replaces and is_tied_in_part(claim, fact)]
    decided = decided._replace(doubted=_places((path, fact) for fact in parted))
    if tied := [fact for fact in tied if fact not in parted]:
        return decided._replace(
            reason=f"it is newer than what was said on {tied[0].said or 'an earlier day'}",
            known=tied[0].value,
            audience=common_audience(*(fact.audience for fact in tied)),
            replaces=tuple(fact.id for fact in tied),
            basis=standing(tied),
        )
    if claim.how == RENEWAL and not parted:
        return decided._replace(action="drop", reason="hardly worth having in a month")
    return decided


def facts_after(known_facts: Known, decided: ClaimDecision, source: str) -> list[tuple[str, Fact]]:
    """The known facts as they are once this is done.

    Args:
        source: the episode that it rests on.
    """
    facts, claim, since = list(known_facts), decided.claim, decided.since
    if decided.action == "state":
        facts = _without(facts, decided.replaces)
        note = next(
            (fact.id.partition("#")[0] for path, fact in facts if path == decided.path and fact.id),
            decided.path.removesuffix(".md"),
        )
        words = quotable(claim.value)  # as it will stand in its file, which its id is of
        id_ = statement_id(note, claim.entity, words)
        fact = Fact(claim.entity, "", words, 0, source=source, id=id_, said=claim.said, type="statement")
        return [*facts, (decided.path, fact)]
    if decided.action == "add":
        fact = Fact(claim.entity, claim.field, claim.value, 0, since, "", source, id=_new_id(facts, decided))
        return [*facts, (decided.path, fact)]
    index = next((n for n, (_, fact) in enumerate(facts) if fact.current and fact.id == decided.fact), None)
    if index is None or decided.action not in ("confirm", "supersede", "end"):
        return facts
    path, old = facts[index]
    if decided.action == "end":
        facts[index] = (path, old._replace(until=since, current=False))
        return facts
    if decided.action == "confirm":
        sources = dict.fromkeys(filter(None, (*old.source.split(", "), source)))
        facts[index] = (path, old._replace(source=", ".join(sources)))
        return facts
    facts[index] = (path, old._replace(value=claim.value, since=since, until="", source=source))
    past = old._replace(until=since, current=False, id=f"{old.id}~{len(facts) + 1}")
    return [*facts, (path, past)]


def _places(facts: Iterable[tuple[str, Fact]]) -> tuple[Place, ...]:
    return tuple((path, fact.entity, fact.field, fact.value) for path, fact in facts)


def _without(known_facts: Known, replaced: Iterable[str]) -> list[tuple[str, Fact]]:
    """The known facts, of which those with these ids hold no more."""
    gone = set(replaced)
    return [(path, fact._replace(current=False) if fact.id in gone else fact) for path, fact in known_facts]


def _case(claim: Claim, known_facts: Known, schema: Schema, files: FactFiles) -> _Case:
    """The claim in the spelling of the vault, beside what is known of its field."""
    claim = claim._replace(
        entity=plain_key(claim.entity),
        field=plain_key(claim.field),
        value=plain_value(claim.value),
        # "High" is for persons alone.
        confidence="medium" if claim.role != _PERSON and claim.confidence == "high" else claim.confidence,
    )
    entity = next((fact.entity for _, fact in known_facts if same(fact.entity, claim.entity)), "")
    entity = entity or next((fact.entity for _, fact in known_facts), claim.entity)
    field_told, bare = (
        claim.field,
        bare_field(claim.field, claim.value, (fact for _, fact in known_facts), said=claim.quote),
    )
    of_field = sorted(
        ((path, fact) for path, fact in known_facts if same_field(fact.field, bare)),
        key=lambda pair: not pair[1].current,
    )
    field = of_field[0][1].field if of_field else claim.field
    entity = of_field[0][1].entity if of_field else entity  # one person may stand under two names
    declared = declared_field(schema, field_told if field == VALUE else field)
    if field == VALUE and field_told != VALUE:  # it is one value, also where its field may have several
        declared, claim = declared and declared._replace(many=False), claim._replace(many=False)
    if declared and declared.type == "date":
        recurs = is_yearly(field)
        dated = date_value(claim.value, claim.said, recurs=recurs)
        claim = claim._replace(value=dated or claim.day or claim.value)
    claim = claim._replace(entity=entity, field=field)
    many = claim.many or holds_many(field, declared)
    if many and any(_holds_in_turn(fact, claim) for _, fact in of_field):
        claim = claim._replace(change=True)
    since = max((fact.since for _, fact in of_field if fact.current), default="")
    # A change that is told later is newer, also where it says that it happened some days ago.
    later = claim.change and claim.since < since < claim.said
    alike = [fact for _, fact in of_field if fact.current and _is_alike(fact, claim)]
    current = sum(fact.current for _, fact in of_field)
    if claim.change and len(alike) == 1:  # of several values, the one that it says anew
        of_field = [pair for pair in of_field if pair[1] is alike[0] or not pair[1].current]
    return _Case(
        claim=claim,
        when=claim.said if later else claim.since or claim.said,
        declared=declared,
        now=tuple((path, fact) for path, fact in of_field if fact.current),
        past=tuple(fact for _, fact in of_field if not fact.current),
        path=of_field[0][0] if of_field else files.of(claim.field, known_facts),
        beside=current > 1,
    )


def _if_ruled_out(case: _Case, decisions: Decisions) -> ClaimDecision | None:
    claim = case.claim
    if not (claim.entity and claim.field and claim.value):
        return case("drop", "it does not say what of what")
    if not claim.durable:
        return case("drop", "it holds for the moment only")
    if decisions.is_rejected(_print(claim)):
        return case("drop", "you said no to this")
    return None


def _if_known(case: _Case) -> ClaimDecision | None:
    """What is known already: a person's word is one more source for it, anybody else's is not."""
    claim = case.claim
    holds = holds_value if case.many else same_value
    for path, fact in case.now:
        if not holds(fact.value, claim.value) and not (not case.many and says_less(claim.value, fact.value)):
            continue
        if claim.role != _PERSON or claim.confidence == "low":
            return case("drop", f"it is known already, and {_speaker(claim)} is no further source for it")
        confirmed = claim._replace(value=fact.value, entity=fact.entity, field=fact.field)
        return case("confirm", "it is known, and was said again")._replace(
            claim=confirmed,
            path=path,
            fact=fact.id,
            known=fact.value,
            was=_former_value(case, fact),
            audience=fact.audience,
        )
    return None


def _former_value(case: _Case, fact: Fact) -> str:
    """The value that a known one took the place of on the day of the claim: these lines are read again."""
    if case.many or not fact.since or fact.since != case.when:
        return ""
    return next((past.value for past in case.past if past.until == fact.since), "")


def _if_outdated(case: _Case) -> ClaimDecision | None:
    if not case.when:
        return None
    for fact in case.past:
        if same_value(fact.value, case.claim.value) and max(fact.since, fact.until) >= case.when:
            return case("drop", "it held once, and something newer took its place")
    since = max((fact.since for _, fact in case.now), default="")
    if not case.many and since > case.when:
        return case("drop", f"it is older than what is known since {since}")
    return None


_DOUBT = "it was said with some doubt"


def _if_doubtful(case: _Case, decisions: Decisions) -> ClaimDecision | None:
    """What a person has to decide; what hardly anybody would decide is dropped."""
    claim = case.claim
    wrong = misfit(claim.value, case.declared.type, claim.field) if case.declared else ""
    if claim.role != _PERSON:
        if claim.confidence == "low":
            return case("drop", f"only {_speaker(claim)} said it, and not for sure")
        return case("pending", f"{_speaker(claim)} said it, and no person has")
    if decisions.is_undone(_print(claim)):
        return case("pending", "you took this back before")
    if wrong:
        return case("pending", wrong)
    if claim.confidence == "medium" and (_is_later(case) or claim.replaces):
        return None  # whom it is about is not quite clear from its words, but the same field is known
    if claim.confidence != "high":
        hint = _DOUBT if claim.confidence == "low" else "it is not quite clear from the words"
        return case("pending", hint)
    return None


def _if_ahead(case: _Case, today: str) -> ClaimDecision | None:
    """A log with a clock that runs ahead would outdate everything that is said until then."""
    if not (today and case.claim.said):
        return None
    days = date.fromisoformat(case.claim.said[:10]) - date.fromisoformat(today[:10])
    return case("pending", "it was said at a time that lies ahead") if days > timedelta(days=1) else None


def _settle(case: _Case, said_by: SaidBy) -> ClaimDecision:
    """A clear word of a person: new, beside others, or superseding what it outdates."""
    if not case.now:
        return case("add", "it is new")
    fact = case.now[0][1]
    if case.many:
        return case("add", f"{case.claim.field} may have several values")
    if len(case.now) > 1:
        return case(
            "pending", f"there are {len(case.now)} values already, and it is not clear which one it replaces"
        )
    if _is_disputed(case, said_by):
        # Nobody said that it changed, so both stand, as a conflict, until a person decides.
        decision = case("add", f"{fact.value} stands too: somebody else said it, and nobody that it changed")
        return decision._replace(many=True, fact="", known="", basis="")
    doubt = _why_unsettled(case)
    if doubt:
        return case("pending", f"{fact.value} is known too, and {doubt}")
    return case(
        "supersede", f"it is newer than {fact.value}" + (f", known since {fact.since}" if fact.since else "")
    )


def _is_disputed(case: _Case, said_by: SaidBy) -> bool:
    """True where a person says something else than another one did, and gives no sign of a change."""
    claim = case.claim
    if claim.change or claim.speaker in ("", _PERSON) or (case.declared and case.declared.supersede):
        return False
    others = said_by(*case.now[0])
    return bool(others) and key_of(claim.speaker) not in others


def _why_unsettled(case: _Case) -> str:
    """Why a person has to say which of two values holds; empty where the newer one does."""
    whom = "" if case.claim.entity == case.claim.speaker else case.claim.entity
    is_day = any(map(str.isdigit, case.claim.value))
    if is_yearly(case.claim.field) and not (is_day and admits_error(case.claim.quote, whom)):
        return "such a day does not change"
    if not case.when:
        return "when this was said is not"
    fact = case.now[0][1]
    clear = (
        case.claim.change
        or case.claim.replaces
        or case.claim.how == "role"
        or all(any(map(str.isdigit, value)) for value in (fact.value, case.claim.value))  # one at a time
    )
    if case.declared is None and not (clear or _is_later(case)):
        return "it is not clear that it no longer holds"
    return ""


def _is_later(case: _Case) -> bool:
    """True where a model names a field that is known, on a later day: it does so for what it takes to be the same thing."""
    return case.claim.by != "rules" and len(case.now) == 1 and case.when > case.now[0][1].since


def _print(claim: Claim) -> str:
    return fingerprint("fact", claim.entity, claim.field, claim.value)


def _speaker(claim: Claim) -> str:
    if claim.role == "assistant":
        return "the assistant"
    if claim.role == _PERSON:
        return "a doubtful word"
    return f"a {claim.role}" if claim.role else "a line without a speaker"


def _new_id(facts: Iterable[tuple[str, Fact]], decided: ClaimDecision) -> str:
    """The id that the fact will have in its file; the note's own id is seen on its other facts."""
    facts_of_file = [fact for path, fact in facts if path == decided.path]
    note = next(
        (fact.id.partition("#")[0] for fact in facts_of_file if fact.id), decided.path.removesuffix(".md")
    )
    base = fact_id(note, decided.claim.entity, decided.claim.field)
    count = sum(fact.current and fact.id.partition("~")[0] == base for fact in facts_of_file)
    return f"{base}~{count + 1}" if count else base


# Deciding claim after claim

# Of two things with one key, the kind that comes later here gives the name.
_KINDS = ("part", "person", "project", "entity")
_NAME_WORDS = 4  # words of a name
_OFFERED = 200  # tokens of what stands that a model is shown


def _brings_more(decided: ClaimDecision) -> bool:
    """True for what is new. What changes a known value is no more to read than before, and to ignore it would leave a wrong one."""
    if decided.claim.stressed or decided.known:
        return False
    return decided.action in ("add", "state", "pending")


def _bears_on(claim: Claim, old: Fact) -> bool:
    """True where a claim has to do with what a model says it outdates: it is of the same field, or its words name that, or it is of the same thing; of a speaker, who has many, with a sign of change."""
    of_one, of_speaker = same(old.entity, claim.entity), same(old.entity, claim.speaker)
    if same_field(claim.field, old.field) or (of_one and (claim.change or not of_speaker)):
        return True
    claimed = stems(f"{claim.words} {claim.quote}")
    is_named = of_one or of_speaker or not claimed.isdisjoint(stems(old.entity))
    return is_named and not claimed.isdisjoint(stems(f"{old.field} {old.value}", old.value))


def _has(facts: Known, field: str) -> bool:
    return any(fact.current and same_field(fact.field, field) for _, fact in facts)


# Statements → the claims that they make: facts where it is told of what, else the statement itself.

LONGEST = 300  # characters of a statement
_BARRED = frozenset(
    {"asked", "supposed", "joke", "reported"}
)  # a sentence with one of these is not kept whole
_SPAN = timedelta(days=31)  # in which something began, at most, for the first of them to be its day
_REST = 2  # words with a subject that a clause must say besides its facts to be kept as a statement, too


def claims_of(talk: Talk) -> tuple[Claim, ...]:
    """The claims that people make in a talk, in the order of their lines."""
    people = talk.told_of | {statement.who for statement in talk.statements}
    claims = (claim for statement in adjoined(talk.statements) for claim in _claims(statement))
    return tuple(claim._replace(person=claim.entity in people) for claim in claims)


def adjoined(statements: Sequence[Statement]) -> list[Statement]:
    """The statements, those that are kept as they were said and touch each other in a turn as one item."""
    pieces: list[Statement] = []
    for _, turn in groupby(statements, key=lambda statement: statement.line):
        spoken = list(turn)
        barred = {place for statement in spoken if statement.doubts & _BARRED for place in statement.places}
        last: Statement | None = None
        for statement in spoken:
            is_whole = (
                verdict(statement).verdict == "statement"
                and not statement.asked
                and barred.isdisjoint(statement.places)
            )
            if is_whole and last and _touch(last, statement):
                pieces[-1] = last = _joined(last, statement)
            else:
                pieces.append(statement)
                last = statement if is_whole else None
    return pieces


def _touch(first: Statement, second: Statement) -> bool:
    goes_on = second.subject == "none" and not second.about  # `Jo is my lead, micro-manages everything`
    return (
        (first.about == second.about or goes_on)
        and first.who == second.who
        and second.places[0] - first.places[-1] <= 1
        and len(first.quote) + len(second.quote) < LONGEST
    )


def _joined(first: Statement, second: Statement) -> Statement:
    """Two statements that touch each other, as one."""
    quote = f"{first.quote} {second.quote}" if second.places[-1] > first.places[-1] else first.quote
    return replace(
        first,
        words=balanced(quote.rstrip(".")),
        quote=quote,
        places=tuple(dict.fromkeys((*first.places, *second.places))),
        assertions=(*first.assertions, *second.assertions),
        content=first.content | second.content,
        names=tuple(dict.fromkeys((*first.names, *second.names))),
        ended=(*first.ended, *second.ended),
        change=first.change or second.change,
        salient=first.salient or second.salient,
    )


def _claims(statement: Statement) -> Iterator[Claim]:
    row = verdict(statement)
    dated_assertions = [(assertion, _since(assertion, statement.said)) for assertion in statement.assertions]
    # What holds later is no fact yet.
    assertions = [
        (assertion, since)
        for assertion, since in dated_assertions
        if not statement.said or since <= statement.said
    ]
    doubted = "low" if "hedged" in statement.doubts else "medium"
    if row.verdict in ("fact", "ask"):
        if statement.kind == "order":
            yield claim_of(statement, statement.who, FROM_NOW_ON, statement.words, "prefers")._replace(
                many=True
            )
        for assertion, since in assertions:
            sure = row.verdict == "fact" or (assertion.how == "role" and row.verdict != "ask")
            yield _fact(statement, assertion, confidence="high" if sure else doubted)._replace(since=since)
        is_asked = "asked" in statement.doubts or statement.kind == "task"
        all_said = not is_asked and all(assertion.how != "bare" for assertion in statement.assertions)
        all_said = all_said and _says_more(statement)
        if (
            statement.assertions
            and row.verdict == "fact"
            and (len(assertions) < len(dated_assertions) or all_said)
        ):
            yield statement_of(statement)
    if row.verdict == "statement" or (row.verdict == "ask" and not statement.assertions):
        yield statement_of(statement)._replace(confidence="low" if row.verdict == "ask" else "high")
    for ended in statement.ended if not statement.among else ():
        yield claim_of(statement, ended.entity or statement.who, ended.field, ended.value, "end")
    if row.verdict == "renewal":
        yield statement_of(statement)._replace(how=RENEWAL)
    for assertion, _ in assertions if row.verdict == "fact" else ():
        if opposite := OPPOSITES.get(assertion.field):
            yield claim_of(statement, assertion.entity or statement.who, opposite, assertion.value, "end")


def _fact(statement: Statement, assertion: Assertion, confidence: str) -> Claim:
    noun = noun_of(assertion.field)
    value = assertion.value
    if noun and noun.kind in ("date", "day"):
        value = date_value(value, statement.said, recurs=noun.kind == "day") or value
    many = assertion.how == "role" and not grammar(statement.language).one_holder_roles.at(
        tokens_of(assertion.words)
    )
    return claim_of(
        statement, assertion.entity or statement.who, assertion.field, value, assertion.how
    )._replace(many=many, confidence=confidence, replaces=assertion.replaces)


def _since(assertion: Assertion, day: str) -> str:
    """The day from which it holds, as its words tell: of a span up to a month its first; "" where they tell none, or a longer one."""
    for range_ in find_ranges(assertion.when, date.fromisoformat(day))[0] if assertion.when and day else ():
        first, last = range_.start, range_.end or range_.start
        if first and date.fromisoformat(last) - date.fromisoformat(first) <= _SPAN:
            return first
    return ""


def statement_of(statement: Statement) -> Claim:
    """The claim that a statement makes as it was said: no field, and its words for a value."""
    return claim_of(statement, statement.about or statement.who, "", _shown(statement), "said")


def claim_of(statement: Statement, entity: str, field: str, value: str, how: str) -> Claim:
    """A claim of what a statement says."""
    return Claim(
        entity=entity, field=field, value=plain_value(value), line=statement.line, quote=statement.quote, role="user", said=statement.said, words=_shown(statement),
        how=how, change=statement.change, content=tuple(sorted(statement.content)), speaker=statement.who, stressed=statement.stressed,
        worth=str(statement.worth or ""),
    )  # fmt: skip


def _shown(statement: Statement) -> str:
    """The words of a statement, with the question that it answers and the topic that it goes on about."""
    text = f"{statement.topic}: {statement.words}" if statement.topic else statement.words
    text = f"{statement.asked} – {text}" if statement.asked else text
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] + " …"


def _says_more(statement: Statement) -> bool:
    """True where a clause says more than its facts."""
    told_tokens = {
        token
        for assertion in statement.assertions
        for token in tokens_of(f"{assertion.entity} {assertion.field} {assertion.value} {assertion.words}")
    }
    words = grammar(statement.language)
    # `my cat, who is called Momo, is diabetic`
    least = 1 if words.relative_words.within(tokens_of(statement.words)) else _REST
    surplus = {
        token
        for token in statement.content - told_tokens
        if token not in words.naming_words and token.removesuffix("'s") not in told_tokens
    }
    return len(surplus) >= least


# What is told of the work in a repository holds there, and not everywhere: its tools, code, commands and conventions.

_TOOL = 2  # words of its name
_TALK = frozenset(lists.words("consolidation.talking"))


def in_project(claim: Claim, project: str) -> Claim:
    """The claim, for this project alone where it is of its work; how the assistant is to talk or behave is for everywhere."""
    text = claim.words or f"{claim.field} {claim.value}"
    # A clause of a sentence that names it: `in this project we use pnpm, never npm`; not who somebody is.
    is_ours = (
        claim.field == "uses"
        and says_we(claim.quote)
        and (len(claim.value.split()) <= _TOOL or is_of_work(claim.quote))
    )
    is_here = is_ours or (claim.how != "role" and is_told_here(claim.quote))
    if (
        not (is_here or is_of_work(text))
        or (claim.field == FROM_NOW_ON and not _TALK.isdisjoint(tokens_of(text)))
        or _tells_what_one_is(claim.words)
    ):
        return claim
    scope = canonical_scope(f"{PROJECT}{project}")
    # What a person says of their work is told of the project: each has values of its own.
    return claim._replace(
        scope=scope, entity=project if scope and claim.entity in ("user", claim.speaker) else claim.entity
    )


def _tells_what_one_is(text: str) -> bool:
    """True for what somebody says they are for good, wherever it is said: `I'm colour blind (red/green), so pick other colours`."""
    words = grammar_of(text)
    return any(
        clause.kind == "be"
        and words.lasting_states.at(tokens_of(clause.rest))
        and (not clause.subject or words.first_person.has_any((*clause.subject[:1], *clause.verb[:1])))
        for clause in clauses(text, words)
    )


def scopes_of_work(turns: Iterable[Turn]) -> set[str]:
    """What turns hold for of which nothing is kept: their projects, where a person said anything that is of the work."""
    scopes, is_work = set(), False
    for turn in turns:
        scopes.add(canonical_scope(f"{PROJECT}{turn.project}") if turn.project else "")
        is_work = is_work or (turn.role == "user" and is_of_work(turn.text))
    return scopes if is_work else set()


# How much what was said counts for the user: `salience.md` names topics that matter and topics to ignore.

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


class ClaimDecider:
    """Decides claim after claim, each given those before it."""

    def __init__(
        self,
        catalog: Catalog,
        schema: Schema,
        decisions: Decisions,
        *,
        today: str = "",
        salience: Salience | None = None,
    ) -> None:
        self._catalog = catalog
        self._schema = schema
        self._decisions = decisions
        self._today = today
        self._salience = salience or Salience()
        self._facts: dict[str, list[tuple[str, Fact]]] = {}
        self._voices: dict[tuple[str, str, str], set[str]] = {}  # who said what in this run
        self._stated: dict[tuple[str, int], set[str]] = {}  # ids of statements, by the turn that made them
        self._of_turn: set[str] = set()  # those of the turn that is read
        self._ended: set[tuple[str, int]] = set()  # the turns that ended something
        # Of whom this run told something, by their keys; once it was asked, of all of whom something stands.
        self._others: dict[str, str] = {}
        self._speakers: set[str] | None = None
        self._overtaken: set[str] = set()  # ids of what may have changed by what this run reads
        self._offered: dict[str, str] = {}  # whose the facts are that a model was shown, by their ids

    @property
    def fields(self) -> dict[str, str]:
        """The fields that the vault declares, in lower case, with their types."""
        return {name: field.type for name, field in self._schema.fields.items()}

    def names(self, segment: Segment) -> dict[str, str]:
        """The names of things known in the vault that the segment's words may stand for, by their key."""
        texts = [text for turn in segment.turns for text in (turn.name, turn.text) if text]
        words = {
            word: word if word.isalnum() else key_of(word)
            for word in chain.from_iterable(map(words_of, texts))
        }
        begun = self._catalog.first_words((key for word, key in words.items() if word.isascii()), _KINDS)
        # A key stands from a word on that begins a name of the vault.
        first = {word for word, key in words.items() if not word.isascii() or key in begun}
        lines = {line for text in texts for line in text.splitlines()} if first else ()
        keys = {
            candidate.key
            for words in map(words_of, lines)
            for place in ([] if first.isdisjoint(words) else range(len(words)))
            if words[place] in first
            for candidate in candidates(words[place : place + _NAME_WORDS])
            if candidate.first == 0
        }
        rows = self._catalog.names(sorted(keys), _KINDS)
        if not rows:
            return {}
        # One word of a longer name counts only where it is written as a name: not every flat is "Old flat".
        written = {key_of(word) for line in texts for word in WORD.findall(line) if not word[:1].islower()}
        by_rank = sorted(rows, key=lambda row: (_KINDS.index(row[1]), row[2]))
        return {key: name for key, kind, name in by_rank if kind != "part" or key in written}

    def _facts_of(self, entity: str) -> Known:
        pending = self._facts.get(key_of(entity))
        if pending is not None:
            return pending
        # What an entity's own note says stands beside what is told: where they differ, both stand.
        names = dict.fromkeys((entity, *self._catalog.names_of_owner(entity)))
        pairs = [
            pair for name in names for pair in self._catalog.facts(name) if pair[0].startswith("semantic/")
        ]
        return self._facts.setdefault(key_of(entity), pairs)

    def standing_of(
        self, segment: Segment, names: Mapping[str, str], leaves: Callable[[str, int], bool]
    ) -> list[str]:
        """What stands of the speakers and of all who are named in a segment, `id = value (day)`, at most 200 tokens: what its words touch first, facts before statements, then the newest.

        Args:
            names: key_of(name) -> name, of the entities that it names.
            leaves: whether a line of a file may be given to a model.
        """
        self._offered = {}
        spoken = frozenset[str]().union(*(stems(turn.text) for turn in segment.turns))
        speakers = dict.fromkeys(turn.name or turn.role for turn in segment.turns if turn.role == _PERSON)
        rows = []
        for entity in dict.fromkeys([*speakers, *names.values()]):
            for path, fact in self._facts_of(self._catalog.entity_name(entity)):
                if (
                    fact.line
                    and fact.current
                    and fact.trust == "trusted"
                    and not fact.audience
                    and leaves(path, fact.line)
                ):
                    owner = "" if entity in speakers else fact.entity
                    touched = len(spoken & stems(f"{owner} {fact.field} {fact.value}"))
                    rows.append((not touched, fact.is_statement, -touched, fact))
        rows.sort(key=lambda row: row[-1].id)
        rows.sort(key=lambda row: row[-1].day, reverse=True)
        rows.sort(key=lambda row: row[:-1])
        lines, cost = [], 0
        for *_, fact in rows:
            value = f'"{fact.value}"' if fact.is_statement else fact.value
            line = one_line(f"{fact.id} = {value}{f' ({fact.day})' if fact.day else ''}")
            cost += estimate(line) if fact.id not in self._offered else 0
            if cost > _OFFERED:
                break
            self._offered[fact.id] = fact.entity
            lines.append(line)
        return list(dict.fromkeys(lines))

    def parts_of(self, claim: Claim) -> Iterator[Claim]:
        """The claim, in the field of the known value that a model says it takes the place of; where it cannot stand there, that one ends first."""
        if claim.how == "end" and claim.by != "rules":  # an id tells whose it is
            whose = self._offered.get(claim.value, claim.entity)
            of_id = next((fact for _, fact in self._facts_of(whose) if fact.id == claim.value), None)
            if of_id is None or _bears_on(claim, of_id):
                yield claim._replace(entity=whose)
            return
        if not claim.replaces or claim.confidence == "low":
            yield claim._replace(replaces="")
            return
        owners = dict.fromkeys(
            (
                self._offered.get(claim.replaces, claim.entity),
                self._catalog.entity_name(claim.entity),
                claim.speaker,
            )
        )
        pairs = [pair for owner in owners for pair in self._facts_of(owner)]
        ending = claim._replace(value=claim.replaces)
        ever = [
            fact
            for _, fact in pairs
            if same_value(fact.value, claim.replaces) or (claim.by == "rules" and _is_named(fact, ending))
        ]
        matches = [fact for _, fact in pairs if fact.current and fact.id == claim.replaces] or [
            fact for fact in ever if fact.current
        ]
        old = matches[0] if len({fact.id for fact in matches}) == 1 and _bears_on(claim, matches[0]) else None
        # What is another's now is no longer theirs: the lead, the keys. What a speaker does not name, or says of themselves, stays whose it was.
        is_handed_on = old is not None and not (
            claim.unnamed
            or claim.entity == claim.speaker
            or same(old.entity, self._catalog.entity_name(claim.entity))
        )
        if claim.by == "rules" and not ever:
            yield claim._replace(field="", value=claim.words, how="said", replaces="")
        elif old is None or (same_value(old.value, claim.value) and not is_handed_on):
            yield claim._replace(replaces="")
        elif old.is_statement and claim.is_statement:
            yield claim._replace(entity=old.entity, replaces=old.id)
        elif (
            claim.is_statement
            or is_handed_on
            or not same_field(claim.field, old.field)
            or holds_many(old.field, declared_field(self._schema, old.field))
        ):
            yield claim._replace(entity=old.entity, field=ANY_FIELD, value=old.id, how="end", replaces="")
            yield claim._replace(replaces="")
        else:
            yield claim._replace(entity=old.entity, field=old.field, replaces=old.id)

    def _instead(self, claim: Claim, facts: Known) -> Claim | None:
        """What is decided in the place of a claim: a bare value of a field that is not known stands as it was said, where it is not doubted; what moves a day that stands says which it is then."""
        if claim.how == "bare" and not (claim.confidence == "low" or _has(facts, claim.field)):
            if claim.entity != claim.speaker and _has(self._facts_of(claim.speaker), claim.field):
                return claim._replace(entity=claim.speaker)
            return claim._replace(field="", value=claim.words, how="said")
        if not claim.is_statement or claim.replaces or moved_day(claim.value, date.min) is None:
            return None
        others = (fact for _, fact in facts if fact.id not in self._of_turn)
        moves = [(fact, day) for fact in others if (day := moved_to(claim, fact))]
        fact, day = moves[0] if len(moves) == 1 else (None, "")
        if fact is not None and fact.is_statement:
            return claim._replace(value=f"{claim.value} ({day})", how="said", replaces=fact.id)
        return fact and claim._replace(
            entity=fact.entity, field=fact.field, value=day, how="noun", change=True
        )

    def _changed(self, decided: ClaimDecision, facts: Known) -> list[tuple[str, Fact]]:
        """What else stands of the entity, or of the speaker about it, that a claim changes."""
        claim = decided.claim
        is_taken = decided.action in ("add", "state") or claim.how == RENEWAL
        is_change = decided.action in ("supersede", "end")
        is_change = is_change or (is_taken and (claim.change or may_change(claim.words or claim.value)))
        if not is_change or not claim.said or claim.confidence == "low" or claim.role != _PERSON:
            return []
        keys, name = {key_of(claim.entity), key_of(claim.field)}, set(key_of(claim.entity).split())
        at_hand = {*self._of_turn, *decided.replaces, decided.fact}
        of_field = self._facts_of(claim.field) if claim.field else []  # what was told of `my yoga class`
        changed = [
            (path, fact)
            for path, fact in dict.fromkeys((*facts, *of_field, *self._facts_of(claim.speaker)))
            if fact.current
            and fact.day <= claim.said
            and fact.id not in at_hand
            and (key_of(fact.entity) in keys or name <= set(key_of(fact.value).split()))
            and changes(claim, fact, decided.known)
        ]
        others = self._told_of_others(claim) if decided.action == "state" and not decided.replaces else ()
        return changed + [
            pair for pair in others if pair[1].id not in self._of_turn and is_tied(claim, pair[1])
        ]

    def overtaken(
        self, statements: Sequence[Statement], decided: Sequence[ClaimDecision]
    ) -> Iterator[tuple[Claim, tuple[Place, ...]]]:
        """The words of each turn by which some of what stands may have changed, and that."""
        settled = {(decision.claim.line, decision.fact) for decision in decided}
        fields = {  # whose value was told there: it holds, waits, or is another's word
            (decision.claim.line, key_of(decision.claim.entity), key_of(decision.claim.field))
            for decision in decided
            if decision.claim.field
            and decision.claim.field != "is"  # of which one may be several things, or no longer
            and (decision.claim.how, decision.action) != ("end", "drop")  # that ended nothing
        }
        waiting = {place for decision in decided for place in decision.doubted}
        things = dict[str, list[str]]()  # that are no other speaker's, by the speaker
        for line, of_turn in groupby(statements, key=lambda statement: statement.line):
            telling = Telling([*of_turn])
            if telling.who not in things:
                others = self._others_than(telling.who).values()
                things[telling.who] = [name for name in others if name.islower()]  # `team`
            named = map(self._catalog.entity_name, telling.names())
            owners = dict.fromkeys((*named, *things[telling.who]))
            stand = {
                fact.id: (path, fact)
                for owner in owners
                for path, fact in self._facts_of(owner)
                if fact.current
                and fact.day < telling.said
                and not fact.lifecycle.verify_by
                and (line, fact.id) not in settled
                and (line, key_of(fact.entity), key_of(fact.field)) not in fields
                and fact.id not in self._overtaken
                and (path, fact.entity, fact.field, fact.value) not in waiting
            }
            pairs = overtaken((fact for _, fact in stand.values()), telling)
            self._overtaken.update(pair.fact.id for pair in pairs)
            for sentence, of_sentence in groupby(pairs, key=lambda pair: pair.sentence):
                spoken = telling.sentences[sentence]
                claim = statement_of(replace(spoken[0], words=balanced(sentence.rstrip("."))))
                is_asked = all(statement.kind in ("task", "order") for statement in spoken)
                doubted = _places(stand[pair.fact.id] for pair in of_sentence)
                yield claim._replace(how=RENEWAL) if is_asked else claim, doubted

    def facts_of(self, entities: Iterable[str]) -> list[Fact]:
        """What is held of these entities, and of the person."""
        names = dict.fromkeys((*entities, *(self._catalog.names_of_owner(_PERSON) or (_PERSON,))))
        return [fact for name in names for _, fact in self._facts_of(name)]

    def _speakers_of(self, path: str, fact: Fact) -> frozenset[str]:
        statement = path, fact.entity, fact.field, fact.value
        voices = self._voices.get((key_of(fact.entity), field_key(fact.field), fact.value), ())
        return self._catalog.speakers([statement]).get(statement, frozenset()).union(voices)

    def decide(self, claim: Claim, source: str) -> ClaimDecision:
        """What becomes of a claim; it counts for those that follow."""
        claim = self._of_relative(claim)
        entity = "" if claim.entity == claim.speaker else claim.entity
        weight = self._salience.of(entity, claim.field, claim.value, claim.words)
        claim = claim._replace(
            entity=self._catalog.entity_name(claim.entity),
            salient=weight.salient,
            # Enough to be asked, where it would be dropped; a doubt of the person's own stays one.
            confidence="medium"
            if weight.salient == MATTERS and claim.confidence == "low" and claim.role != _PERSON
            else claim.confidence,
        )
        facts = self._facts_of(claim.entity)
        if claim.unnamed and claim.confidence == "medium" and any(fact.current for _, fact in facts):
            claim = claim._replace(confidence="high")  # what the vault knows need not be named once more
        if claim.is_statement and claim.speaker and not (claim.person or facts):
            # Below the one whom it is about only where that is a person or has facts; else below the speaker.
            claim = claim._replace(entity=claim.speaker, person=True)
            facts = self._facts_of(claim.entity)
        key, speaker = key_of(claim.entity), key_of(claim.speaker)
        # What was said of somebody may stand below the one who said it.
        beside = self._facts_of(claim.speaker) if claim.is_statement and speaker not in ("", key) else []
        statements = [pair for pair in beside if pair[1].is_statement]
        self._of_turn = self._stated.setdefault((source, claim.line), set())
        if instead := self._instead(claim, [*facts, *statements]):
            return self.decide(instead, source)
        decided = reconcile(
            claim,
            [*facts, *statements],
            self._schema,
            self._decisions,
            files=FactFiles(self._catalog.entity_files(claim.entity), person=claim.person),
            today=self._today,
            said_by=self._speakers_of,
            same_turn=self._of_turn,
        )
        if weight.salient == IGNORED and _brings_more(decided):
            decided = decided._replace(
                action="drop", reason=f"{SALIENCE_FILE} says to ignore {weight.topic!r}"
            )
        if len(sharing := self._catalog.sharing(key)) > 1:
            claim = claim._replace(cue=claim.cue or f"{claim.entity} may be {' or '.join(sharing)}")
        doubt = claim.cue or (claim.confidence == "low" and decided.action == "state" and _DOUBT)
        if doubt and decided.action in ("add", "state", "supersede"):
            decided = decided._replace(action="pending", reason=doubt, replaces=(), doubted=())
        changed = self._changed(decided, facts)
        parted = [pair for pair in changed if is_tied_in_part(claim, pair[1])]
        changed = [pair for pair in changed if pair not in parted]
        ends = bool(changed or parted) or (source, claim.line) in self._ended
        if claim.how == RENEWAL and decided.action == "drop" and ends:
            return self.decide(claim._replace(how="said"), source)
        decided = decided._replace(outdated=_places(changed), doubted=(*decided.doubted, *_places(parted)))
        self._take_up(decided, facts, changed, beside, source)
        return decided

    def _of_relative(self, claim: Claim) -> Claim:
        """A claim about one who is called by a role, `my brother`: by the name that the speaker has told of it; without one, the speaker's own words, but for a fact of the role's (`my mum's birthday`)."""
        role = claim.entity.removeprefix(f"{claim.speaker}'s ") if claim.speaker else claim.entity
        noun = noun_of(role) or noun_of(role.rpartition(" ")[2])  # `her mum`
        is_role = role != claim.entity or (role.islower() and noun is not None and noun.kind == "person")
        if not (claim.person and is_role) or role == claim.speaker:
            return claim
        facts = (fact for _, fact in self._facts_of(claim.speaker) if fact.current and fact.field)
        names = [fact.value for fact in facts if same_field(fact.field, role)]
        if len(names) == 1:
            return claim._replace(entity=names[0])
        if claim.field and claim.how in ("noun", "role"):
            return claim._replace(entity=role)
        words, grammar_ = claim.words or claim.value, grammar_of(claim.words or claim.value)
        is_named = role in words.lower() or grammar_.several_people.has_any(tokens_of(words)[:1])
        if not is_named:  # `He works at Shell` says by itself of nobody what it says, and is not sure enough to end anything
            words = f"{role.capitalize() if grammar_.noun_capitals else role}: {words}"
        return claim._replace(
            entity=claim.speaker or _PERSON,
            field="",
            value=words,
            how="said",
            change=claim.change and is_named,
        )

    def _told_of_others(self, claim: Claim) -> Known:
        """What was said of everybody and everything else, which words with a sign of change may say anew: `Aisha is responsible for the newsletter now`; not of what is other speakers'."""
        return [
            pair
            for key, name in self._others_than(claim.speaker).items()
            if key != key_of(claim.entity)
            for pair in self._facts_of(name)
            if pair[1].is_statement and pair[1].current
        ]

    def _others_than(self, speaker: str) -> dict[str, str]:
        """Everybody and everything else of whom something stands, by their keys, but for what is other speakers'."""
        if self._speakers is None:
            sql = "select distinct entity from facts where current = 1 order by entity"
            known = {key_of(name): str(name) for (name,) in self._catalog.rows(sql)}
            self._others = known | self._others
            self._speakers = {
                str(key)
                for (key,) in self._catalog.rows("select distinct key from names where kind = 'person'")
            }
        own = key_of(speaker)
        theirs = tuple(f"{key} " for key in self._speakers - {own})
        return {
            key: name for key, name in self._others.items() if key != own and not f"{key} ".startswith(theirs)
        }

    def _take_up(
        self, decided: ClaimDecision, facts: Known, outdated: Known, beside: Known, source: str
    ) -> None:
        """Lets a decision count for those that follow."""
        claim = decided.claim
        key, speaker = key_of(claim.entity), key_of(claim.speaker)
        self._facts[key] = facts_after(facts, decided, source)
        if decided.action in ("add", "state"):
            self._of_turn.add(self._facts[key][-1][1].id)
        elif decided.action == "supersede":
            self._of_turn.add(decided.fact)
        if decided.action in ("add", "state"):
            self._others.setdefault(key, claim.entity)
        if decided.action == "end":
            self._ended.add((source, claim.line))
        for _, fact in outdated:
            place = key_of(fact.entity)
            self._facts[place] = _without(self._facts.get(place, self._facts_of(fact.entity)), [fact.id])
        if decided.action in ("add", "confirm", "supersede") and claim.speaker not in ("", _PERSON):
            statement = key_of(decided.claim.entity), field_key(decided.claim.field), decided.claim.value
            self._voices.setdefault(statement, set()).add(speaker)
        if beside:
            ended = facts_after(beside, decided, source) if decided.action == "end" else beside
            self._facts[speaker] = _without(ended, decided.replaces)
