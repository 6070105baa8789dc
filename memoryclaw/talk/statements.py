"""Turns of a conversation → the statements that people made in them: whose words, about whom, of what kind, and how sure.

A statement is one clause with what goes on from it, in the speaker's own words. Nothing is decided here; see `acceptance`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from memoryclaw.late import NamedTuple
from memoryclaw.model import Turn
from memoryclaw.talk.assertions import (
    HARD,
    Assertion,
    assertions_in,
    ends_in,
    field_asked,
    field_noun,
    had_wrong,
    introduced_in,
    signs_of_change,
    succeeds,
    successor_in,
    switched,
    tells_where_reached,
    value_of_it,
    without_contrast,
)
from memoryclaw.talk.corrections import PutRight, corrected, put_right, puts_otherwise
from memoryclaw.talk.layout import CLEAR, LEAST, asks_of_text, is_led_by_person
from memoryclaw.talk.learned import Worth
from memoryclaw.talk.orders import asks_for_manner, is_for_once, is_imperative, is_order, is_task, request_of
from memoryclaw.talk.own_words import Replies, Seals, balanced, closed, own_words, without_secrets
from memoryclaw.talk.people import PLACED, Names, begins_as_names_do, paired_with, with_appositions
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import (
    UNREAD,
    Clause,
    Grammar,
    WordList,
    asks,
    clauses,
    codes,
    first_clause,
    grammar,
    grammar_of,
    greets,
    only_asks,
    spans_of,
    spelled_out,
    spoken_in,
    tokens_of,
    trimmed,
)
from memoryclaw.text.language import ends_in_question, sentences, words_of
from memoryclaw.vault.fact_values import KIN, is_of_people

LONGEST = 400  # characters of a sentence that is read; longer ones are lists or pasted text
_MOST = 30  # words of a statement of several sentences
_TOPIC_WORDS = 3  # before a colon, or alone in a sentence
_NAME_WORDS = 4  # of a name, at most
_THING = 3  # words of a manner without a verb, at most: `short sentences`
_ASKING = 300  # characters of a turn in which a play is asked for
_ANTECEDENT = 2  # turns back that a pronoun may point
_ROLE, _PRAISE = 1, 3  # words that give no role: `spiele Klavier`, and that may praise: `you are a star`
_SAID = 2  # words behind "she says" that are what she says; with fewer, the next clause is
_WHO = 3  # words that name who says something
_HEALERS = frozenset(lists.words("consolidation.healers"))
_LEAD = re.compile(r"([^:,.!?]{1,40}):\s+(?=\S)")
_LINK = re.compile(r"(?:https?://|www\.)\S+")
# By which two turns are one person's, and for the same ears.
_SPEAKING = ("role", "name", "by", "audience", "export")
_SMALL_WORD = 3  # characters of a word that carries no subject, in a language that is not read
_TELLING = 24  # characters of a line that nobody types again by chance
_BEGINS = 200  # characters of an answer that tell what it is about
_LAUGH = re.compile(
    r"(?:(?<!\w)(?:lol+|lmf?ao+|rofl|jk|j/k|b?(?:ha){2,}h?|(?:he){2,}|(?:hi){2,})(?!\w)|(?<!\S)(?:/[sj]|:-?p|xD)(?![\w/])|;-?\)|[😂🤣😆😉😜😝🙃🙄])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """What one person said in a clause and those that go on from it."""

    turn: int  # its place in the segment
    line: int  # of the log
    who: str  # the speaker's name, else the role
    said: str  # ISO date, "" when the log has none
    words: str  # own words
    quote: str  # the sentences they stand in
    # of the head clause: decide, prefer, order, duty, done, off, wish, event, state, have, be, other; answer, choice; unread; "" for a fragment
    kind: str
    about: str = ""  # the entity its subject names; "" for the speaker
    subject: str = "own"  # own | named | thing | other | none
    assertions: tuple[Assertion, ...] = ()  # what it says of what, where that can be told
    ended: tuple[Assertion, ...] = ()  # what it says holds no longer
    # supposed | reported | hedged | reasoned (a doubt in a reason) | joke | moment | mood | asked | addressed (it speaks of the one spoken to)
    doubts: frozenset[str] = frozenset()
    stressed: bool = False  # behind "remember:"
    change: bool = False  # has a sign that something known changed
    again: bool = False  # or that it is as it was once
    firm: bool = False  # holds a number, money or a word of health
    hard: bool = False  # is firm, or holds a name, a role or a word of liking
    instead: str = ""  # what a correction in the turn replaced
    asked: str = ""  # the question that it answers
    topic: str = ""  # a word before it that says what it is about
    content: frozenset[str] = frozenset()  # the words that carry its subject
    names: tuple[str, ...] = ()
    among: bool = False  # said among people, with no assistant in the talk
    language: str = "en"
    salient: int = 0  # of a topic that matters (1), or that is to be ignored (-1): see `salience`
    worth: Worth | None = None  # None: nothing was weighed
    places: tuple[int, ...] = ()  # of its sentences in the turn


class Pasted(NamedTuple):
    """A block that somebody pasted."""

    line: int
    who: str
    first: str


class Talk(NamedTuple):
    """What a reader made of a segment."""

    statements: tuple[Statement, ...]
    pasted: tuple[Pasted, ...] = ()
    named: tuple[str, ...] = ()  # every name, as often as it comes up
    people: frozenset[str] = frozenset()  # those of them who were introduced as somebody
    told_of: frozenset[str] = frozenset()  # whom statements may be filed under


def read(
    turns: Sequence[Turn],
    vault_names: Mapping[str, str],
    language: str = "en",
    company: Collection[str] = (),
) -> Talk:
    """The statements of some turns, in order.

    Args:
        known: key_of(name) → name, of the entities that the vault knows.
        language: of the vault, where the words of a turn do not tell another.
        company: who had spoken in their session before, where no assistant had.
    """
    reader = SegmentReader(turns, vault_names, language, company)
    statements: list[Statement] = []
    for number, turn in enumerate(turns):
        if turn.role == "user":
            statements += reader.turn(number, turn)
    if reader.among:
        statements = [replace(statement, among=True, stressed=False) for statement in statements]
    mentions = [
        name
        for turn in turns
        if turn.role in ("user", "assistant")
        for name in reader.names.in_text(without_secrets(turn.text[:8000]))
    ]
    return Talk(
        tuple(statements),
        tuple(reader.pasted),
        tuple(mentions),
        frozenset(reader.names.people.intersection(mentions)),
        frozenset(reader.names.people | reader.names.topics),
    )


@lru_cache(maxsize=256)  # an answer looks at the same lines again
def doubts_in(text: str, language: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """What is said in a text, piece by piece, each with the doubts of its statement.

    Args:
        language: of the vault, where the words of the text do not tell another.
    """
    turn = Turn("", "", "", "", "user", "", text, 1, 1)
    statements = read([turn], {}, language).statements
    return tuple((statement.words, statement.doubts) for statement in statements)


# What the assistant asked before a turn, and what of it the turn chose: `"A" or "B"?` and then `the second one`.

_BACK = 3  # turns in which options are looked for
_NAMED = re.compile(r"(?<=[^\s.!?:…–] )[A-ZÀ-Þ][\w'’-]+")  # no first word of a sentence
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{2,80})[\"”“»]")
_NUMBERED = re.compile(
    r"(?:^|\s)(?:\(?[1-9a-d][.):]|(?:one|two|three|eins|zwei|drei):|[-*•])\s+([^\n]+?)(?=\s(?:\(?[1-9a-d][.):]|(?:two|three|zwei|drei):)\s|\n|$)",
    re.IGNORECASE,
)
_LEAST_OPTION, _LONGEST_OPTION = 2, 90  # characters


class Asked(NamedTuple):
    """The question that a turn follows, and the options that were on offer."""

    text: str = ""
    options: tuple[str, ...] = ()
    open: bool = False  # it offers to do something or asks for anything, rather than to be told something
    denied: bool = False  # it is the speaker's own, and the turn says that the answer was wrong


def asked_in(turns: Sequence[Turn], number: int, words: Grammar) -> Asked:
    """What the assistant asked before the turn at this place; also the options of the speaker's own question before it.

    Args:
        number: the place of the turn that may answer.
    """
    question, is_open = "", False
    before = [turn for turn in turns[:number] if turn.role in ("assistant", "user")]
    if before and before[-1].role == "assistant":
        asking = [text for text in sentences(before[-1].text) if text.rstrip(" *_").endswith(("?", "？"))]
        question = asking[-1].strip(" *_") if asking else ""
        asks = [token for token in tokens_of(question) if token not in words.fillers]
        is_open = bool(asks) and bool(words.offers.at(asks) or words.open_questions.at(asks))
    is_denied = not question and len(before) > 1 and puts_otherwise(turns[number].text, words)
    if (
        is_denied
        and before[-1].role == "assistant"
        and before[-2].role == "user"
        and only_asks(before[-2].text)
    ):
        question = before[-2].text.strip()
    options: tuple[str, ...] = ()
    for turn in reversed(before[-_BACK:]):
        options = _options(turn.text, words)
        if options:
            options = options if all(map(tokens_of, options)) else ()
            break
    return Asked(question, options, is_open, is_denied and bool(question))


def _options(text: str, words: Grammar) -> tuple[str, ...]:
    for pattern in (_QUOTED, _NUMBERED):
        options = [hit[1].strip(" .,;?") for hit in pattern.finditer(text)]
        if len(options) > 1:
            firsts = (next(iter(sentences(option)), "").rstrip(" .") for option in options)
            return tuple(option for option in firsts if _LEAST_OPTION <= len(option) <= _LONGEST_OPTION)
    for sentence in sentences(text):
        if alternatives := _joined_by_or(sentence, words):
            return alternatives
    return ()


def _joined_by_or(sentence: str, words: Grammar) -> tuple[str, ...]:
    """`the hymn or the bit from the novel`, `geölt oder lackiert`."""
    signs = "|".join(map(re.escape, words.alternatives.entries())) or "(?!)"
    alternatives = [
        alternative
        for alternative in re.split(rf",?\s+(?:{signs})\s+", sentence.rstrip("?.! "))
        if alternative.lower() not in words.question_words
    ]
    if len(alternatives) < 2:
        return ()
    last = [re.split(r"[,;]", alternative)[0].strip() for alternative in alternatives[1:]]
    size = min(4, max(1, len(last[0].split())))
    return (" ".join(alternatives[0].split(",")[-1].split()[-size:]), *last)


def chosen(question: Asked, tokens: Sequence[str], words: Grammar) -> str:
    """The option that a turn names by its place, `the second one`; "" where it names none."""
    tokens = [token for token in tokens if token not in words.fillers] or list(tokens)
    if not question.options or not tokens:
        return ""
    for number, name in enumerate(("first_choice", "second_choice", "third_choice")):
        length = getattr(words, name).at(tokens)
        if (
            length
            and (length == len(tokens) or tokens[length] not in words.units)
            and number < len(question.options)
        ):
            return question.options[number]
    if words.last_choice.at(tokens):
        return question.options[-1]
    return ""


class SegmentReader:
    """Reads one segment, and remembers what was asked and who was named."""

    def __init__(
        self, turns: Sequence[Turn], vault_names: Mapping[str, str], language: str, company: Collection[str]
    ) -> None:
        self._turns = turns
        self._language = language
        self._spoken: dict[str, str] = {}  # by speaker: the language of the last turn
        speakers = {turn.name for turn in turns if turn.role == "user"}
        speakers |= set(company) if all(speakers) else set()
        self.among = len(speakers) > 1 and not any(turn.role == "assistant" for turn in turns)
        self._named: tuple[int, Sequence[str]] = 0, ()  # the turn that named somebody last, and whom
        self._rivals: dict[int, frozenset[str]] = {}  # by turn: whoever it named
        self.names = Names(vault_names, [turn.name for turn in turns if turn.name])
        for turn in turns:
            spoken, of_person = spoken_in(turn.text, self._language), turn.role != "assistant"
            self.names.learn(without_secrets(turn.text), spoken, of_person=of_person)
        self.pasted: list[Pasted] = []
        self._heard: set[str] = set()  # lines that the assistant has written so far
        self._heard_to = 0
        self._put_right: dict[
            int, str
        ] = {}  # the turns that put right the one before them, and what else they tell

    def turn(self, number: int, turn: Turn) -> list[Statement]:
        """The statements of one turn of a person, with what its next ones put right of it."""
        if number in self._put_right:
            turn = turn._replace(text=self._put_right[number])
        if not turn.text:
            return []
        speaker = self.names.spelled(turn.name) if turn.name else "user"
        code = spoken_in(turn.text, self._spoken.get(speaker, self._language))
        self._spoken[speaker] = code
        words = grammar(code if code in codes() else UNREAD)
        speech = own_words(turn.text, words, turn.name, self._exchange(number, turn))
        self.pasted += [Pasted(turn.line, speaker, first) for first in speech.pasted]
        base = Statement(number, turn.line, speaker, turn.ts[:10], "", "", "", language=words.code)
        self.names.meet(turn.text)
        self.names.whose = f"{speaker}'s " if turn.name else ""
        if words.code == UNREAD:
            return [_opened(statement, speech.seals) for statement in _unread(base, speech.text)]
        fixed, last = corrected(speech.text, words), number
        unsure = list[str]()  # values of which another may be meant
        while later := self._later(last, turn, fixed.text, words):
            last, fix = later
            self._put_right[last] = fix.rest
            unsure += () if fix.is_sure else (fix.right,)
            fixed = fixed._replace(text=fix.text, instead=f"{fix.right}, first {fix.wrong}")
        texts = [text for text in sentences(fixed.text) if len(text) <= LONGEST]
        last_number, mentions = self._named
        asked = asked_in(self._turns, number, words)
        # `How is Aoife?` asks of whom the answer tells
        asked_about = [name for name in self.names.in_text(asked.text) if begins_as_names_do(name, words)]
        antecedents = asked_about or (mentions if number - last_number <= _ANTECEDENT else [])
        reading = _Turn(
            self.names,
            words,
            speaker,
            asked,
            antecedents,
            rivals=frozenset[str]().union(
                *(self._rivals.get(number - n, ()) for n in range(2 * _ANTECEDENT + 1))
            ),
            shows=bool(speech.pasted),
            among=self.among,
        )
        pieces = [
            piece
            for place, text in enumerate(texts)
            for piece in reading.sentence(place, text, next(iter(texts[place + 1 :]), None))
        ]
        if reading.named:
            self._named = number, reading.named
        self._rivals[number] = frozenset(reading.mentions)
        pieces = [
            piece._replace(doubts=piece.doubts | {"hedged"})
            if any(right in piece.clause.text for right in unsure)
            else piece
            for piece in pieces
        ]
        if words.fictions.within(tokens_of(turn.text[:_ASKING])):
            pieces = [piece._replace(doubts=piece.doubts | {"joke"}) for piece in pieces]
        return [
            _opened(_statement(base, group, texts, reading, fixed.instead), speech.seals)
            for group in _grouped(_laughed_at(pieces, words), words)
        ]

    def _later(self, number: int, turn: Turn, text: str, words: Grammar) -> tuple[int, PutRight] | None:
        """The place of the turn behind one, and what it puts right of the words of an earlier one of its speaker; None where it does not."""
        behind, reply = self._turns[number + 1 : number + 3], ""
        if behind and behind[0].role == "assistant":
            reply = behind[0].text
            behind = () if ends_in_question(reply) else behind[1:]
        if not behind or any(getattr(behind[0], name) != getattr(turn, name) for name in _SPEAKING):
            return None
        place = number + 1 + (self._turns[number + 1] is not behind[0])
        spoken = grammar_of(behind[0].text, words.code)  # `my bus is the 36` / `ach quatsch, die 39`
        fix = put_right(behind[0].text, text, words) or put_right(behind[0].text, text, spoken)
        others = {name for name in _NAMED.findall(reply) if name not in text}
        if fix and others and fix.right[0].isupper() and not words.noun_capitals:
            return None  # of the one that the assistant named: `I found hotels in Cádiz` / `no, in Granada`
        return (place, fix) if fix else None

    def _exchange(self, number: int, turn: Turn) -> Replies:
        """What the assistant wrote before and behind a turn tells of it."""
        for before in self._turns[self._heard_to : number]:
            if before.role == "assistant":
                self._heard.update(_telling_lines(before.text))
        self._heard_to = number
        repeated = self._heard.intersection(_telling_lines(turn.text))
        behind = self._turns[number + 1 : number + 2]
        answer = next((after.text[:_BEGINS] for after in behind if after.role == "assistant"), "")
        return Replies(frozenset(repeated if len(repeated) > 1 else ()), answer)


def _telling_lines(text: str) -> Iterator[str]:
    return (line for line in map(str.strip, text.split("\n")) if len(line) > _TELLING)


def _unread(base: Statement, text: str) -> Iterator[Statement]:
    """The sentences of a turn in a language without a grammar, each a statement of which nothing is known but its form."""
    for place, sentence in enumerate(sentences(text)):
        if len(sentence) <= LONGEST and words_of(sentence):
            is_firm = HARD.search(sentence) is not None
            yield replace(
                base,
                words=balanced(trimmed(sentence, grammar(UNREAD))),
                quote=sentence,
                places=(place,),
                kind="unread",
                subject="own" if grammar(UNREAD).first_person.within(tokens_of(sentence)) else "other",
                doubts=frozenset({"asked"} if ends_in_question(sentence) else ()),
                content=frozenset(
                    word for word in words_of(sentence) if len(word) > _SMALL_WORD or not word.isascii()
                ),
                firm=is_firm,
                hard=is_firm,
                change=grammar(UNREAD).renewals.within(tokens_of(sentence)),
            )


class _Piece(NamedTuple):
    """One clause, read."""

    sentence: int
    clause: Clause
    kind: str
    about: str
    subject: str
    assertions: tuple[Assertion, ...]
    doubts: frozenset[str]
    stressed: bool
    topic: str = ""
    ended: tuple[Assertion, ...] = ()
    change: bool = False  # what it tells has a sign of change in its noun, or in the clause before
    words: str = ""  # where they are not the clause's own: the option that was chosen, a whole order


class _Turn:
    """Reads the sentences of one turn."""

    def __init__(
        self,
        names: Names,
        words: Grammar,
        speaker: str,
        question: Asked,
        antecedents: Sequence[str],
        *,
        rivals: frozenset[str],
        shows: bool,
        among: bool,
    ) -> None:
        self.names, self.words, self.speaker, self.asked = names, words, speaker, question
        self._antecedents = antecedents  # named in the turns before
        self._among = among
        self._answering = bool(question.text or question.options)

        self._topic = ""  # of the next sentence
        self._led_by = ""  # what leads this one, before a colon or in the sentence before
        self.named: list[str] = []  # in the turn so far, by the last clause that names any
        self.mentions: set[str] = set()  # whoever was named in the turn so far
        self._rivals = rivals  # and in two of people before
        # the words of the last clause that named a field, and whether it has a sign of change
        self._field = ("", False)
        self._asked_for = field_asked(question.text, words, names)  # the field that the turn may answer
        self._is_plain = False  # the clause at hand says a value alone
        self._mistaken = set[str]()  # of whom somebody had something wrong
        self._is_stranger = False  # the turn tells of a `she` who is none of those whom it names
        self._is_told_whose = False  # the clause before says whose that is
        self._told_of = "own"  # of whom the last clause with a subject tells
        self._switched = "", ""  # whose role or field the clause before says to be another's, and which
        self._subject = "", "none"  # of the clause before in the sentence, as `Names.subject` has it
        self._ended: Assertion | None = None  # by a clause of the sentence
        self._doubted = False  # by a sentence behind this one: `Pim? not sure`
        self._ordered = False
        self._is_led = False  # the sentence, by the name of whom it tells
        self._thing_sentence = ""  # the sentence before, where it tells of a thing
        self._shows = shows  # it shows a text, on which a piece of work may be asked for
        self.questions: dict[int, str] = {}  # the sentences so far that ask, by their number

    def sentence(self, number: int, text: str, behind: str | None) -> list[_Piece]:
        """The clauses of a sentence, with what each is and the topic that the sentence before it set; a doubt alone behind it is of its last clause."""
        topic, self._topic = self._topic, ""
        self._led_by = topic
        self._doubted = behind is not None and _only_doubts(tokens_of(behind), self.words)
        pieces = list(self._pieces(number, text, last=behind is None))
        self._thing_sentence = text if pieces and _tells_of_a_thing(pieces[-1].clause, self.words) else ""
        if any("asked" in piece.doubts for piece in pieces):
            self.questions[number] = text
        if pieces and not topic:
            topic, self._topic = self._topic, ""
        return [piece._replace(topic=topic) for piece in pieces]

    def _pieces(self, number: int, text: str, *, last: bool) -> Iterator[_Piece]:
        """The clauses of a sentence, each with its kind, its doubts, and what it tells of what."""
        words = self.words
        self._subject, self._ended = ("", "none"), None
        self._is_led = is_led_by_person(text, words, self._is_another)
        asked_for = _remembered(text, words)
        text = " " * asked_for + text[asked_for:]
        tokens = tokens_of(text)
        members = self._clauses(text)
        has_words = any(token not in words.fillers for token in tokens)
        first, self._answering = self._answering, self._answering and not has_words
        if not members:
            return
        if self._is_topic(members, text, last=last, first=first):
            self._topic = members[0].text
            self._note_field(members[0])
            self.named = self.names.in_text(self._topic) or self.named
            return
        if picked := chosen(self.asked, tokens, words) if first else "":
            yield self._piece(
                number, members[0], "choice", frozenset(), stressed=bool(asked_for), words=picked
            )
            members = members[1:]
        order, once = self._orders(members)
        self._ordered = self._ordered or any(order)
        doubts = self._doubts(members, text, order)
        # What leads to a text or asks for work on it: `mein Vermieter schreibt:`, `grade this essay`.
        shows_a_text = self._shows and asks_of_text(text, words) >= (LEAST if text.endswith(":") else CLEAR)
        for place, clause in enumerate(members):
            is_whole = _is_of_order(clause, words) or (place and order[place - 1] and _adds(clause, words))
            if any(order) and not order[place] and is_whole:
                continue  # it stands in the words of the order
            kind = self._kind(clause, answers=first and self._is_answer(members, place))
            self._is_plain = self._answers_plainly(members, place)
            kind = "order" if order[place] else "task" if once[place] else kind
            piece = self._piece(
                number,
                clause,
                kind,
                doubts[place],
                stressed=bool(asked_for),
                words=self._wording(members, order, place, text),
                behind=text[clause.end :],
            )
            owned = [
                own_assertion
                for assertion in piece.assertions
                if (own_assertion := self._owned(assertion, clause))
            ]
            # `Maya lives in Leith`: she is not Leith
            values = {
                assertion.value
                for assertion in (*owned, *piece.ended)
                if assertion.entity and assertion.field not in KIN
            }
            values |= self.names.placed(clause.tokens, words)
            mentions = [name for name in self.names.in_text(clause.text) if name not in values]
            if self._is_stranger:
                mentions = [name for name in mentions if name in self.names.people]
            if piece.subject == "other" and mentions:  # `this is Maya, works at Shell`
                self._subject = _only(mentions), "named"
            # `my mum's birthday`
            told_of = [
                assertion.entity
                for assertion in owned
                if assertion.entity and assertion.entity not in mentions
            ]
            self.named = [
                *mentions,
                *told_of,
                *paired_with(clause, mentions, words, self.names),
                *({piece.about} & self.names.people),
                *self.names.relatives(clause.tokens, words),
            ] or self.named
            self.mentions.update(self.named)
            # What is told before a question is so, `i live in Leeds, which gym …?`; with no field, it is what the question is about,
            # as what is said of a thing is where the question names nothing, `my oven is on E15, what is that?`.
            if self._leads_to_question(members, place, text):
                names_it = bool(_content(members[-1].tokens, words))
                owned = [assertion for assertion in owned if names_it or assertion.how != "noun"]
                piece = piece if owned else piece._replace(doubts=piece.doubts | {"asked"})
            reason = place > 0 and order[place - 1] and kind in _REASONS and not owned
            reason = reason and piece.subject in ("own", "relative")
            shown = shows_a_text and not owned and kind not in ("order", "duty", "task")
            shown = shown or self._tells_value(members, place + 1)
            more = ({"mood"} if reason else set()) | ({"moment"} if shown else set())
            yield piece._replace(assertions=tuple(owned), doubts=piece.doubts | more)

    def _orders(self, members: Sequence[Clause]) -> tuple[list[bool], list[bool]]:
        """Which clauses of a sentence are orders, and which of these only say how one piece of work shall be."""
        words = self.words
        order, once, is_asked = list[bool](), list[bool](), False
        for place, member in enumerate(members):
            before = members[place - 1].tokens if place else ()
            leads = before and words.lasting.at(before) == len(before)  # `from now on, answer briefly`
            clause = member._replace(typed=before + member.typed) if leads else member
            goes_on = is_asked and clause.start - members[place - 1].end <= 1
            is_asked = goes_on or (
                asks(clause.typed, words, self.names.is_name) and not asks_for_manner(clause, words)
            )
            orders = not is_asked and is_order(clause, words, members[place - 1] if place else None)
            orders = orders and not tells_where_reached(clause, words)
            if orders and place and _adds(clause, words):
                # `Lena pays by card, never cash` tells of Lena, `use tabs, never spaces` is one order
                order[-1] = order[-1] or (_begins_order(members[place - 1], words) and not once[-1])
                orders = False
            once.append(orders and is_for_once(clause, words, shown=self._shows))
            ordered = self._ordered or any(order)
            order.append((orders and not once[-1]) or (ordered and _goes_on_ordering(clause, words)))
        return order, once

    def _wording(self, members: Sequence[Clause], order: Sequence[bool], place: int, text: str) -> str:
        """The words of an order, or of what takes two clauses to tell, `my number changed, it's 0161 496 0000`; empty where a clause is enough."""
        if order[place]:
            whole = _whole_order(members, order, place, text, self.words)
            return self._with_its_object(members, order, place, text, whole)
        is_value = self._tells_value(members, place)
        return text[members[place - 1].start : members[place].end] if is_value else ""

    def _with_its_object(
        self, members: Sequence[Clause], order: Sequence[bool], place: int, text: str, wording: str
    ) -> str:
        """The words of an order with the clause or the sentence that names what it is about: `originals are in /scans, never write there`, `we use zod, no any`."""
        clause, words = members[place], self.words
        tokens = tokens_of(wording or clause.text)
        is_bare = not clause.kind and words.negative_determiners.at(tokens) and len(tokens) <= _THING
        if not (
            words.named_before.within(tokens) or (place and is_bare and not words.order_topics.within(tokens))
        ):
            return wording
        if not place:
            return f"{self._thing_sentence} {wording or clause.text}" if self._thing_sentence else wording
        before = members[place - 1]
        if order[place - 1] or before.under or not _tells_of_a_thing(before, words):
            return wording
        return f"{text[before.start : clause.start]}{wording or clause.text}"

    def _owned(self, assertion: Assertion, clause: Clause) -> Assertion | None:
        """What is told of a bare noun, of the one thing that its clause or the last one before it names: `Atlas slipped, deadline is 9 May`.

        None where it is hers, and nobody was named, or where it tells the name of one who was.
        """
        if assertion.how == "hers":
            who = self._antecedent(clause) if assertion.field != "name" else ""
            is_sure = who and self._is_sure(who, clause)
            return assertion._replace(entity=who, how="noun") if is_sure else None
        role = tokens_of(assertion.entity)
        if role and self.words.roles.at(role) == len(role):  # `my mum's birthday`
            return assertion._replace(entity=self.names.relative(role))
        if assertion.how != "bare" or assertion.entity:
            return assertion
        within = {
            name
            for name in self.names.in_text(clause.text)
            if name not in self.names.in_text(assertion.value)
        }
        # What stands behind somebody who was introduced is not theirs: `the landlord is Mr Holt. the rent is 900`.
        before = (name for name in self.named if name not in self.names.people)
        mentions = {name for name in within or before if not self.names.speaks(name)}
        if len(mentions) == 1:
            return assertion._replace(entity=mentions.pop())
        return assertion

    def _tells_value(self, members: Sequence[Clause], place: int) -> bool:
        """True for a clause of a sentence that tells as `it` the value of what the one before it names."""
        if not 0 < place < len(members) or not value_of_it(members[place], self.words):
            return False
        return bool(field_noun(members[place - 1], self.words, self.names))

    def _note_field(self, clause: Clause) -> None:
        """Keeps the words that name a field, for a clause that tells its value as `it`."""
        if noun := field_noun(clause, self.words, self.names):
            renewed = clause.kind == "have" and self.words.renewals.has_any(clause.tokens)
            wrong = bool(had_wrong(clause, self.words))
            self._field = noun, wrong or renewed or self.words.changes.within(clause.tokens)

    def _antecedent(self, clause: Clause) -> str:
        """The one person whom the `she` of a clause may be: named last in this turn, else in the two before; "" where there is none, or more than one, or where what stands before a colon is another: `eoghan: hes a vegan`."""
        if self._led_by and not self.names.in_text(self._led_by):
            return ""
        mentions = {name for name in self.named or self._antecedents if not self.names.speaks(name)}
        is_sure = any(
            (name in self.names.people or begins_as_names_do(name, self.words))
            and not self.names.is_animal(name)
            for name in mentions
        )
        mentions |= self._all_named() if mentions and not is_sure else set()
        return _only(self.names.meant(self._pronoun(clause), mentions))

    def _is_sure(self, who: str, clause: Clause) -> bool:
        """True where no other person was named that the pronoun of a clause may mean: two make no fact."""
        people = self.names.meant(self._pronoun(clause), self._all_named() & self.names.people)
        named = {self.names.holder(name) for name in people}
        return named <= {who}

    def _all_named(self) -> set[str]:
        return {name for name in self.mentions | self._rivals if not self.names.speaks(name)}

    def _pronoun(self, clause: Clause) -> str:
        return next((token for token in clause.tokens if token in self.words.people_pronouns), "")

    def _points(self, clause: Clause) -> bool:
        """True for a clause about a `she` or a `he`, not about `his wife Elena`."""
        is_pronoun = self.words.people_pronouns.has_any(clause.subject[:1])
        return is_pronoun and not any(map(self.names.is_name, clause.subject[1:]))

    def _assertions(
        self, clause: Clause, whose: tuple[str, str], behind: str, *, points: bool
    ) -> tuple[str, tuple[Assertion, ...]]:
        """Whom a clause tells of and what, also without its subject: `Ieri ho visto Luca. Lavora alla Fiat.` tells of Luca."""
        assertions = assertions_in(clause, self.words, self.names, whose, behind, among=self._among)
        if points and whose[0] and assertions and not self._is_sure(whose[0], clause):
            return "", ()
        acts = not assertions and self.words.people_verbs.at(clause.tokens, clause.verb_at)
        who = self._antecedent(clause) if acts and whose[1] == "none" else ""
        # not `there's a temp I work with, lives in Leith`
        if who and self._is_sure(who, clause) and (self._subject[1] == "none" or self._subject[0] == who):
            theirs = assertions_in(clause, self.words, self.names, (who, "named"))
            # `Uso Notion. Vive en la nube.`
            may_be_thing = not (who in self.names.people or begins_as_names_do(who, self.words))
            assertions = tuple(
                fact
                for fact in theirs
                if (fact.field == "is" or is_of_people(fact.field))
                and not (may_be_thing and fact.field in PLACED)
            )
            return who if assertions else whose[0], assertions
        # or who has the role that it tells of: `my friend is called anna lee`
        return self.names.holder(whose[0]), assertions

    def _clauses(self, text: str) -> list[Clause]:
        """The clauses of a sentence without those that only call somebody; what stands before a colon is its topic."""
        words, is_name = self.words, self.names.is_name
        text = with_appositions(text, words)
        lead = _LEAD.match(text)
        # What begins with a number is a value, also where its month is a verb: `deadline: 12 may`.
        members = (
            clauses(text[lead.end() :], words, is_name) if lead and not text[lead.end()].isdigit() else []
        )
        is_short = lead and len(tokens_of(lead[1])) in range(1, _TOPIC_WORDS + 1)
        if (
            lead
            and is_short
            and members
            and members[0].kind
            and not is_order(first_clause(lead[1], words, members[0]), words)
        ):
            self._topic = self._led_by = trimmed(lead[1], words)
            self.named = self.names.in_text(lead[1]) or self.named
            members = [
                member._replace(start=member.start + lead.end(), end=member.end + lead.end())
                for member in members
            ]
        else:
            members = clauses(text, words, is_name, self.names.opens)
        idle = self.names.calls, words.politeness.issuperset  # a name that is called, and a please alone
        members = [member for member in members if not any(only(member.tokens) for only in idle)]
        return [
            self._of_named(member, before) for before, member in zip((None, *members), members, strict=False)
        ]

    def _of_named(self, clause: Clause, before: Clause | None) -> Clause:
        """A clause with the name or the relative for its `who`, where the one before ends with it: `my brother Tom, who works at Shell`."""
        words, tokens = self.words, before.tokens if before else ()
        is_relative = len(clause.subject) == 1 and words.relative_words.has_any(clause.subject)
        is_subject = clause.verb_at == 1 and not any(map(self.names.is_name, clause.tokens[1:2]))
        if not (tokens and is_relative and is_subject):  # not `who Ana told me …`
            return clause
        names = (tokens[-size:] for size in range(min(_NAME_WORDS, len(tokens)), 0, -1))
        relatives = (
            tokens[place - 1 :]
            for place, size in words.roles.places(tokens)
            if place and place + size == len(tokens) and tokens[place - 1] in words.possessives_own
        )
        who = next(chain((name for name in names if self.names.whole(" ".join(name))), relatives), ())
        if not (before and who):
            return clause
        name = before.text[spans_of(before.text)[-len(who)][0] :]
        rest = clause.text[len(clause.subject[0].partition("'")[0]) :]  # `who's vegan`
        of_name = first_clause(f"{name}{rest}", words, clause)
        return of_name._replace(start=before.start, end=clause.end, joined=clause.joined)

    def _is_aside(self, members: Sequence[Clause], place: int, text: str) -> bool:
        """True for what a question tells by the way: `a gym near me (I live in Leeds)?`, `a present for my mum, who loves gardening?`."""
        clause, tells = members[place], members[place].kind not in ("", *_INTENDED)
        lead, bracketed = text[: clause.start].rstrip(), text[clause.start :].partition(")")[0]
        is_bracketed = lead.endswith("(") and not {"?", "？"}.intersection(bracketed)
        # What stands in brackets may be what is asked about: `is this right (I lives in Rome)?`
        asks_whether = self.words.be_verbs.has_any(members[0].typed[:1]) and not members[0].subject
        is_bracketed = is_bracketed and not asks_whether
        is_of_named = _is_of_before(members, place)
        is_doubted = self.words.modal_verbs.within(clause.tokens) or self.words.hedges.within(clause.tokens)
        return bool(clause.subject) and tells and not is_doubted and (is_bracketed or is_of_named)

    def _doubts(self, members: Sequence[Clause], text: str, orders: Sequence[bool]) -> list[frozenset[str]]:
        """Why each clause may state nothing: a supposition holds for the rest of its sentence, a report for what goes on from it."""
        words = self.words
        # `keep it short, ok?` only asks whether it was heard
        is_tagged = any(orders) and words.courtesies.ending_at(tokens_of(text), len(tokens_of(text)))
        is_question = ends_in_question(text) and not (self._doubted or is_tagged)
        supposed, reported = False, ""
        doubts = list[frozenset[str]]()
        for place, clause in enumerate(members):
            # `if we had gas …, but its oil`
            contrasts = words.contrasts.at(clause.typed) and clause.kind in ("be", "have", "state")
            supposed = supposed and not contrasts
            plain = tokens_of(_unhedged(clause.text, words))  # `if I remember right` supposes nothing
            doubted = self._hedge_beside(members, place)
            # `it should be 15, if memory serves` is said with doubt, and not only supposed.
            at_its_end = len(plain) < len(clause.tokens) and (*plain,) == clause.tokens[: len(plain)]
            supposed = supposed or (_supposes(plain, clause, words) and not any(orders))
            is_last, is_alone = 0 < place == len(members) - 1, False
            behind = members[place + 1].tokens if place + 1 < len(members) else ()
            source = _source_of(clause, behind, words)
            reports = source or (
                clause.kind == "report" and clause.subject and clause.subject[0] not in words.first_person
            )
            if reports:
                is_alone = not (clause.rest or source) or source == "alone"
                if is_alone and is_last and not _vouches(clause.subject, words):
                    doubts[-1] |= {"reported"}  # `i'm 52, my wife says`
            end = members[place + 1].start if place + 1 < len(members) else len(text)
            # What is the reason of something may be doubtful, and it is not.
            is_reason = bool(place and words.reasons.at(clause.typed))
            reason = max(0, words.reasons.find(plain)) or len(plain)
            unreal = words.conditionals.within(plain[:reason]) and not (doubted or at_its_end)
            hedge_end = words.suppositions.find(clause.tokens) if orders[place] else len(clause.tokens)
            because = words.reasons.find(clause.tokens)  # `switched to tea since coffee may do harm`
            hedge_end = min(hedge_end, because) if because > 0 else hedge_end
            hedged = words.hedges.within(clause.tokens[:hedge_end]) or doubted
            is_aside = is_question and self._is_aside(members, place, text)
            is_told = is_aside or self._leads_to_question(members, place, text)
            is_asked = (is_question and not is_told) or (
                not tells_where_reached(clause, words)
                and asks(
                    clause.typed,
                    words,
                    self.names.is_name,
                    first=not any(_content(member.tokens, words) for member in members[:place]),
                    goes_on=place > 0 and "asked" not in doubts[-1] and self._goes_on(clause),
                )
            )
            # A question may ask what one should do, and supposes nothing.
            is_supposed = supposed or (unreal and not is_reason and not is_asked)
            signs = {
                "asked": is_asked,
                "supposed": is_supposed or _gives_a_role(clause.typed, words),
                "reported": reports or reported == "open" or (reported == "said" and clause.joined),
                "hedged": hedged and not is_reason,
                "reasoned": is_reason and (unreal or hedged),
                "joke": words.jokes.within(clause.typed) or _LAUGH.search(text[clause.start : end]),
                "moment": words.moments.within(clause.tokens)
                # `write a story about my dad, who is a spy`
                or (_is_of_before(members, place) and "moment" in doubts[-1])
                or (
                    is_imperative(clause, words)
                    and not (orders[place] or tells_where_reached(clause, words))
                    and not (
                        place
                        and members[place - 1].subject
                        and members[place - 1].kind not in _INTENDED
                        and self._goes_on(clause)
                    )
                ),
                "mood": self._is_mood(clause),
                "addressed": words.second_person.within(clause.tokens),
            }
            if orders[place] and asks_for_manner(clause, words):
                signs |= {"asked": False, "supposed": False}  # `could you always …?`
            is_open = is_alone or len(tokens_of(clause.rest)) < _SAID
            reported = ("open" if is_open else "said") if reports else ""
            goes_on = place + 1 < len(members) and words.alternatives.has_any(members[place + 1].typed[:1])
            if _wonders(clause.tokens, words) and not goes_on:  # `not sure if he moved or quit`
                supposed, reported = False, ""
            doubts.append(frozenset(doubt for doubt, holds in signs.items() if holds))
        if (
            len(members) > 1
            and "asked" in doubts[1]
            and not members[0].kind
            and not HARD.search(members[0].text)
        ):
            doubts[0] |= {"asked"}  # what it asks about: `the csv of last week, which day was worst`
        return doubts

    def _leads_to_question(self, members: Sequence[Clause], place: int, text: str) -> bool:
        """True for a clause about the speaker in a sentence that ends in a question of its own: not `i live in Leeds, right?`."""
        clause, question, words = members[place], members[-1], self.words
        if question is clause or clause.kind in ("", *_INTENDED):
            return False
        if not _content(question.tokens, words):
            # `what is that` is asked of a thing before it: `my oven`, `il mio forno`
            is_own = words.possessives_own.has_any(clause.subject[:2])
            return is_own and words.question_words.at(question.typed) > 0 and asks(question.typed, words)
        is_marked = ends_in_question(text) and len(question.tokens) > _SAID
        is_tag = words.coordinators.has_any(question.typed[:1]) or words.reporting_verbs.within(
            question.tokens
        )
        return is_marked and not is_tag and words.first_person.has_any(clause.subject[:1])

    def _is_another(self, token: str) -> bool:
        name = self.names.named(token)
        return name != self.speaker and name in self.names.people

    def _is_topic(self, members: Sequence[Clause], text: str, *, last: bool, first: bool) -> bool:
        """True for a noun alone that says what the next sentence is about: `rings.`; after a question that asks for something it answers."""
        clause = members[0]
        plain = [token for token in clause.tokens if token not in self.words.determiners]
        is_single = (
            len(members) == 1
            and not clause.kind
            and 0 < len(plain) <= 3
            and not self.words.coordinators.has_any(plain)
            and plain[-1] not in self.words.moods  # `looks good.` judges what came before
            and text.rstrip().endswith((".", ":", "…"))
        )
        answers = first and bool(self.asked.text) and not self.asked.open
        return (
            is_single
            and not last
            and not answers
            and not HARD.search(clause.text)
            and bool(_content(clause.tokens, self.words))
            and not is_order(clause, self.words)
            and not is_imperative(clause, self.words)
            and not (self._ordered and _goes_on_ordering(clause, self.words))
            and not greets(text)
        )

    def _is_answer(self, members: Sequence[Clause], place: int) -> bool:
        """True for the first clause of a sentence, also behind a no that puts another answer right: `no, it's 74`."""
        words = self.words
        before = [token for member in members[:place] for token in member.tokens]
        refused = (words.negations, words.retractions, words.fillers)
        return not before or (
            self.asked.denied and all(any(signs.at([token]) for signs in refused) for token in before)
        )

    def _answers_plainly(self, members: Sequence[Clause], place: int) -> bool:
        """False where more is said of an answer than a value: `14 May, she'll be 40`, `32 for him`, `only until June`."""
        words, tokens = self.words, members[place].tokens
        beside = (
            words.people_pronouns,
            words.goal_prepositions,
            words.units,
            words.comparatives,
            words.changes,
        )
        is_plain = not any(signs.within(tokens) for signs in beside)
        return is_plain and not any(
            member.kind or member.tokens[0] in words.small for member in members[place + 1 :]
        )

    def _kind(self, clause: Clause, *, answers: bool) -> str:
        words = self.words
        if is_task(clause, words) and not tells_where_reached(clause, words):
            return "task"
        tells = not clause.kind or value_of_it(clause, words) or _is_day(clause, words)
        # `wie ist deine Nummer?` may ask for more
        is_told = not self.asked.open or (self._asked_for and HARD.search(clause.text))
        if answers and tells and self.asked.text and is_told:
            return "answer"
        if words.cancel_words.within(clause.tokens):
            return "off"
        is_own = bool(clause.subject) and clause.subject[0] in words.first_person
        if self._is_done(clause.tokens) and (
            clause.kind in ("", "be") or (clause.kind == "other" and not is_own)
        ):
            return "done"
        return clause.kind

    def _is_done(self, tokens: Sequence[str]) -> bool:
        """True for `all done`, and for `the form is in`, not for `the key is in the box`."""
        words = self.words
        place = words.done_words.find(tokens)
        end = place + words.done_words.at(tokens, place)
        return place >= 0 and (end == len(tokens) or tokens[end - 1] not in words.prepositions)

    def _piece(
        self,
        number: int,
        clause: Clause,
        kind: str,
        doubts: frozenset[str],
        *,
        stressed: bool,
        words: str = "",
        behind: str = "",
    ) -> _Piece:
        plain = clause = self._spelled_out(clause)
        if "hedged" in doubts:
            bare = _unhedged(clause.text, self.words, *[self.words.conditionals][: clause.kind == "modal"])
            plain = first_clause(bare, self.words, clause)
        # `it could be that Lotte …`
        is_bare = not clause.subject or self.words.thing_pronouns.has_any(clause.subject[:1])
        teller = plain if plain.subject and is_bare else clause
        entity, subject = self.names.subject(teller, self.words, self.speaker)
        if subject == "none" and self._goes_on(clause) and self._subject[1] in ("own", "named"):
            entity, subject = self._subject  # `I left Shell and work at Fugro`
        if subject == "other" and self._points(teller):
            entity = self._antecedent(teller)
            subject = "named" if entity else subject
            self.names.people.update(filter(None, [entity]))
            self._is_stranger = not entity
        (noun, changed), switch = self._field, ""
        if kind == "answer" and self._asked_for and self._is_plain:
            noun, changed = self._asked_for, self.asked.denied
        is_told = kind not in ("order", "task", "choice") and not doubts & _UNREAL
        assertions = () if is_told else self._introduced(clause, kind, doubts)
        if is_told:
            value = value_of_it(plain, self.words) if noun else ""
            value = value or (plain.text if noun and kind == "answer" else "")
            if value:
                plain, behind = first_clause(noun, self.words, plain), f": {value}{behind}"
            # `Lisa: mag Rosen` tells of Lisa
            is_theirs = self._is_led and not (
                clause.subject or self.words.first_person.has_any(clause.tokens)
            )
            whom = "other" if is_theirs else subject
            entity, assertions = self._assertions(plain, (entity, whom), behind, points=self._points(teller))
            subject = subject if entity or subject != "named" else "other"
            whose, switch = self._switched if subject != "named" or self._is_told_whose else ("", "")
            # `Ana is off. Changed jobs, she's at Fugro now` tells of Ana
            self._is_told_whose = subject in ("own", "named")
            is_switching = self._is_told_whose or (
                subject == "none"
                and self._told_of == "own"
                and not (self.named or self.mentions or self._antecedents)
            )
            self._switched = entity, switched(clause, self.words) if is_switching else ""
            self._told_of = subject if subject not in ("none", "other") else self._told_of
            tells = any(assertion.field != "is" for assertion in assertions)
            if switch and not tells and (holder := successor_in(plain, whose, switch, self.words)):
                assertions, changed = (holder,), True
            # it doubts who somebody is where that is what it states, not `my boss Ben might leave`
            if "hedged" in doubts:
                assertions = tuple(
                    assertion._replace(how="noun") if assertion.stated else assertion
                    for assertion in assertions
                )
            assertions = tuple(
                assertion for assertion in assertions if assertion.how == "role" or "reported" not in doubts
            )
        subject = "named" if subject == "none" and entity and assertions else subject
        self._subject = ("", "none") if clause.kind in _INTENDED else (entity, subject)
        # not `900 in the new flat`
        noun_words = clause.tokens if clause.kind in ("have", "") else clause.subject
        renewed = self.words.renewals.has_any(noun_words) and bool(assertions)
        change = renewed or (changed and bool(assertions) and (plain is not clause or bool(switch)))
        wrong, spans = had_wrong(clause, self.words), spans_of(clause.text)
        change = change or bool(wrong) or any(assertion.entity in self._mistaken for assertion in assertions)
        runs = (clause.text[spans[start][0] : spans[end - 1][1]] for start, end in wrong)
        self._mistaken.update(run for run in runs if self.names.whole(run) == run)
        self._note_field(clause)
        end = (
            None
            if (assertions and not self._ends_beside(clause)) or doubts & _UNSURE
            else ends_in(clause, self.words, self.names, (entity, subject))
        )
        self._ended = end or self._ended
        if self._ended and not assertions and not doubts & _UNSURE and entity == self._ended.entity:
            successor = succeeds(self._ended, plain, self.words)
            assertions = (successor,) if successor else ()
        return _Piece(
            number, clause, kind, entity, subject, assertions, doubts, stressed, ended=(end,) if end else (), change=change,
            words=words,
        )  # fmt: skip

    def _introduced(self, clause: Clause, kind: str, doubts: frozenset[str]) -> tuple[Assertion, ...]:
        """Who the speaker's are whom what is asked or wanted names."""
        is_order = kind == "order" or "supposed" in doubts
        return () if is_order else introduced_in(clause, self.words, self.names)

    def _ends_beside(self, clause: Clause) -> bool:
        """True where a clause says what holds no longer beside what does."""
        is_parting = self.words.partings.within(clause.tokens)
        return is_parting or without_contrast(clause, self.words) is not clause

    def _spelled_out(self, clause: Clause) -> Clause:
        """A clause with its verb in full where it begins with a name: `Rosa's in Rome`."""
        is_named = clause.tokens and self.names.is_name(clause.tokens[0])
        return spelled_out(clause, self.words, self.names.is_name) if is_named else clause

    def _goes_on(self, clause: Clause) -> bool:
        """True for a clause without a subject of its own behind one that has: `I left Shell and work at Fugro`."""
        return bool(clause.kind) and clause.typed[0] in self.words.coordinators

    def _hedge_beside(self, members: Sequence[Clause], place: int) -> bool:
        """True where a clause that is nothing but a hedge stands beside: `2,000 from the co-op, i think`."""
        neighbours = (*members[max(0, place - 1) : place], *members[place + 1 : place + 2])
        is_last = self._doubted and place == len(members) - 1
        return is_last or any(_only_doubts(member.tokens, self.words) for member in neighbours)

    def _is_mood(self, clause: Clause) -> bool:
        words = self.words
        if clause.kind == "be":
            complement = [token for token in tokens_of(clause.rest) if token not in words.adverbs]
            return not HARD.search(clause.rest) and (
                not complement or (complement[0] in words.moods and len(complement) <= 5)
            )
        core = [token for token in clause.tokens if token not in words.adverbs]
        return (
            not clause.kind
            and bool(core)
            and all(token in words.moods or token in words.small for token in core)
        )


def _only_doubts(tokens: Sequence[str], words: Grammar) -> bool:
    """True for words that are nothing but a hedge: `i think`, `not sure though`; not `not sure why`."""
    size = words.hedges.at(tokens)
    return size > 0 and (size == len(tokens) or len(tokens) <= 4) and tokens[-1] not in words.question_words


def _source_of(clause: Clause, behind: Sequence[str], words: Grammar) -> str:
    """Where a clause says who says something: "alone" for `according to my wife`, `says my wife`, "within" for that and what is said; empty for `secondo me`."""
    tokens, spans = clause.tokens, spans_of(clause.text)
    for place, size in words.sources.places(tokens):
        who = place + size
        if _vouches((*tokens[who:], *behind), words):
            continue
        if who < len(tokens) and (
            tokens[who] in words.people_words
            or clause.text[spans[who][0]].isupper()
            or (place == 0 and tokens[who] in words.determiners)  # not `trabajo según el turno`
        ):
            tells = place > 0 or words.predicates.has_any(tokens[who:])
            return "within" if tells else "alone"
    return ""


def _vouches(who: Sequence[str], words: Grammar) -> bool:
    """True for who knows of oneself, whose word is no hearsay: `my doctor`, `my contract`, but not `my wife`."""
    phrase = who[:_WHO]
    if not _HEALERS.isdisjoint(phrase):
        return True
    is_own = words.possessives_own.has_any(who[:1]) or (
        words.determiners.has_any(who[:1]) and words.own_acts.has_any(who[1:])
    )
    return is_own and not (words.roles.within(phrase) or words.units.within(phrase))  # `my kids`


def _supposes(tokens: Sequence[str], clause: Clause, words: Grammar) -> bool:
    """True where a word of the tokens supposes; not where it belongs to the verb behind its subject, `meu cão se chama Bruno`, or before it, `ik werk als kok`."""
    own = words.verb_leads.intersection(clause.subject[1:])
    for place, _ in words.suppositions.places(tokens):
        behind_verbs = {verb[1:2] for verb, _ in words.fields_by_first.get(tokens[place - 1], ())}
        is_verb = tokens[place] in own or (tokens[place],) in behind_verbs
        if not (is_verb or _is_courtesy(tokens, place, clause, words)):
            return True
    return False


def _is_courtesy(tokens: Sequence[str], place: int, clause: Clause, words: Grammar) -> bool:
    """True for a condition on which nothing depends: `my number is …, in case you need it`; not `I'll come if you want`."""
    will = any(token.endswith(("'ll", "'d")) for token in tokens[:place])
    holds = not place or tells_where_reached(clause, words) or (clause.kind in ("be", "have") and not will)
    return holds and words.courteous_conditions.at(tokens, place) > 0


def _is_of_before(members: Sequence[Clause], place: int) -> bool:
    """True for a clause that was read with the name at the end of the one before, and so begins with it."""
    return place > 0 and members[place].start == members[place - 1].start


def _gives_a_role(tokens: Sequence[str], words: Grammar) -> bool:
    """True for `you are my coach` or `from now on you are a pirate`; not for the praise `you are a star`, nor for a name that is given."""
    size = words.role_play.at(tokens)
    return size > _ROLE and (size > _PRAISE or tokens[size - 1] in words.possessives_own)


def _wonders(tokens: Sequence[str], words: Grammar) -> bool:
    """True for a doubt whether something is so, which ends with its clause: `not sure if i told you, my sister is called Wren`."""
    place = words.fillers.skip(tokens)
    hedge = words.hedges.at(tokens, place)
    return place == len(tokens) or (hedge > 0 and words.suppositions.at(tokens, place + hedge) > 0)


def _only(names: Collection[str]) -> str:
    """The one of some names; "" where there are none, or several."""
    return next(iter(names)) if len(names) == 1 else ""


def _unhedged(text: str, words: Grammar, *others: WordList) -> str:
    """A text without its hedges, and words of other lists, of which a verb of being stays: `my dentist might be Kim`."""
    tokens, spans = tokens_of(text), spans_of(text)
    pieces, end, start = list[str](), 0, 0
    signs = (hit for each in (words.hedges, *others) for hit in each.places(tokens))
    for place, size in sorted(signs, key=lambda hit: (hit[0], -hit[1])):
        if place >= end:
            end = place + size
            behind = end - (size > 1 and tokens[end - 1] in words.be_verbs)
            pieces.append(text[start : spans[place][0]])
            start = spans[behind][0] if behind < len(spans) else len(text)
    return "".join((*pieces, text[start:])).strip(" ,")


def _remembered(text: str, words: Grammar) -> int:
    """Where the words begin that are asked to be remembered: behind `note to self:`; 0 where nothing is."""
    tokens = tokens_of(text)
    place = words.openers.skip(tokens)
    behind = place + words.remember_phrases.at(tokens, place)
    is_request = place < behind < len(tokens) and tokens[behind] not in words.not_remembered
    return spans_of(text)[behind][0] if is_request else 0


def _laughed_at(pieces: Sequence[_Piece], words: Grammar) -> list[_Piece]:
    """The clauses, in jest also those that a laugh behind them is about: `i live on the moon. haha`, `…, jk`."""
    readings: list[_Piece] = []
    for piece in pieces:
        if readings and "joke" in piece.doubts and not piece.clause.kind and _laughs(piece.clause, words):
            sentence = readings[-1].sentence
            readings = [
                earlier._replace(doubts=earlier.doubts | {"joke"})
                if earlier.sentence == sentence
                else earlier
                for earlier in readings
            ]
        readings.append(piece)
    return readings


def _laughs(clause: Clause, words: Grammar) -> bool:
    """True for a clause of nothing but a laugh or a word for one."""
    tokens = [token for token in clause.typed if not _LAUGH.fullmatch(token)]
    place = words.jokes.find(tokens)
    return not _content(
        tokens if place < 0 else (*tokens[:place], *tokens[place + words.jokes.at(tokens, place) :]), words
    )


def _tells_of_a_thing(clause: Clause, words: Grammar) -> bool:
    """True for a clause that names a thing which an order may be about: `the dumps are on node3`, `we use zod`; not for `I'm in a hurry`."""
    subject = clause.subject[:1]
    is_of_oneself = (
        clause.kind == "be"
        and words.first_person.has_any(subject)
        and not words.possessives_own.has_any(subject)
    )
    return clause.kind in ("be", "have", "state") and bool(clause.subject) and not is_of_oneself


def _whole_order(
    members: Sequence[Clause], order: Sequence[bool], place: int, text: str, words: Grammar
) -> str:
    """The words of an order with its condition or its contrast: `when you write go, use table tests`, `say Jo, not Joanna`; without what only asks for it, `can you always …`; "" where it is its clause."""
    first, last = place, place
    while first and members[first - 1].under:
        first -= 1
    while (
        last + 1 < len(members)
        and (_is_of_order(members[last + 1], words) or _adds(members[last + 1], words))
        and not order[last + 1]
        and not (members[last + 1].under and any(order[last + 2 : last + 3]))  # the condition of the next
    ):
        last += 1
    wording = trimmed(text[members[first].start : members[last].end], words)
    tokens = tokens_of(wording)
    denied = tokens[:1] and tokens[0] in words.negative_determiners and words.negated_orders.at(tokens, 1)
    lead = request_of(tokens, words) or int(bool(denied))  # `no don't use tables`
    if lead:
        return trimmed(wording[spans_of(wording)[lead][0] :].rstrip(" ?"), words)
    return wording if first != last else ""


def _is_of_order(clause: Clause, words: Grammar) -> bool:
    return (clause.under and not asks(clause.typed, words)) or (
        not clause.kind and words.not_the_other.at(clause.tokens) in range(1, len(clause.tokens))
    )


def _adds(clause: Clause, words: Grammar) -> bool:
    """True for what only says more of the clause before it: `…, never cash`, `…, always with milk`; not for `…, always use tabs` or `no bullets`."""
    tokens = clause.tokens
    behind = tokens[words.lasting.at(tokens) or words.negations.at(tokens) :]
    is_verb = words.bids.at(behind) or words.verbs.at(behind) or words.negative_determiners.at(tokens)
    return not clause.kind and 0 < len(behind) < len(tokens) and not is_verb


def _begins_order(clause: Clause, words: Grammar) -> bool:
    """True for what is an order together with `…, never prose`: `use lists`, `bullet points`; not for `the API returns pages`."""
    is_thing = not (clause.kind or clause.subject or words.subject_openers.at(clause.tokens))
    return words.bids.at(clause.tokens) > 0 or (is_thing and len(clause.tokens) <= _THING)


def _goes_on_ordering(clause: Clause, words: Grammar) -> bool:
    """True for `no cutesy talk` and `just tell me the answer in one line`, which go on with an order."""
    if clause.typed[0] in words.limits and clause.typed[0] in words.adverbs:
        orders = words.orders.at(clause.tokens) or not clause.kind
        return bool(orders) and words.order_topics.within(clause.tokens)
    return (
        not clause.kind
        and clause.tokens[0] in words.negative_determiners
        and 1 < len(clause.tokens) <= 5
        and not words.not_orders.at(clause.tokens)
    )


def _content(tokens: Sequence[str], words: Grammar) -> frozenset[str]:
    """The tokens that carry a subject."""
    if words.fillers.skip(tokens) == len(tokens):
        return frozenset()  # `quick question`
    return frozenset(token for token in tokens if token not in words.idle)


def _grouped(pieces: Sequence[_Piece], words: Grammar) -> list[list[_Piece]]:
    """The clauses that make one statement: those of a sentence, and those of the next one whose subject points back to it."""
    groups: list[list[_Piece]] = []
    for piece in pieces:
        if groups and (_goes_on(groups[-1], piece) or _says_instead(groups[-1][-1], piece, words)):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


_BARRED = frozenset({"supposed", "reported", "asked"})
_WHOLLY = frozenset({"mood", "moment", "joke"})  # of a statement where all its clauses are
_UNREAL = frozenset({"supposed", "asked", "reasoned"})  # what it tells of whom is no fact
_UNSURE = _BARRED | _UNREAL | {"hedged", "joke"}
# Behind these a bare verb is an infinitive: `i need to book the ferry and paint the gate`.
_INTENDED = frozenset({"duty", "wish", "modal", "order", "task"})
_REASONS = frozenset({"be", "have", "other", "report"})  # in which an order says why: `…, i get hives`


def _is_day(clause: Clause, words: Grammar) -> bool:
    """True for a day alone, whose month may be a verb: `14 May`."""
    parts = (words.months, words.weekdays, words.ordinals, words.prepositions, words.determiners)
    return all(token.isdigit() or any(token in part for part in parts) for token in clause.tokens)


_APART = frozenset({"order", "task", "choice", "duty", "off", "done"})


def _goes_on(group: Sequence[_Piece], piece: _Piece) -> bool:
    last = group[-1]
    if piece.about and not {"", piece.about}.issuperset(member.about for member in group):
        return False  # `Nils is vegetarian, Farah's fine with everything`
    if last.kind in _APART or piece.kind in _APART or piece.kind == "answer" or piece.topic != last.topic:
        return False
    if bool(last.doubts & _BARRED) != bool(piece.doubts & _BARRED) or ("mood" in last.doubts) != (
        "mood" in piece.doubts
    ):
        return False
    if last.sentence == piece.sentence:
        tells = piece.assertions or last.assertions  # what tells a fact stands by itself
        return not (tells and piece.clause.kind and piece.clause.subject) or piece.clause.joined
    if sum(len(member.clause.tokens) for member in (*group, piece)) > _MOST:
        return False
    is_apart = piece.clause.under or piece.sentence - last.sentence > 1
    return bool(piece.clause.kind) and piece.subject == "other" and not is_apart


def _says_instead(last: _Piece, piece: _Piece, words: Grammar) -> bool:
    """True for what a sentence says instead of what it ends, and that names it by a pronoun or not at all: `the tin is gone, look in the shed`, `Nils is out, Ida runs it now`."""
    tokens = piece.clause.tokens
    tells = piece.assertions or last.assertions  # what tells a fact stands by itself
    is_new = words.renewals.has_any(tokens[:1])  # `Tuesday is off, new date 12 May`
    is_end = bool(last.clause.subject) and words.endings.within(last.clause.tokens)
    is_end = is_end or (last.kind == "off" and is_new)
    if tells or not is_end or last.sentence != piece.sentence:
        return False
    if bool(last.doubts & _BARRED) != bool(piece.doubts & _BARRED):
        return False  # `the call is cancelled, can you move it?`
    is_of_all = not piece.clause.subject and not words.first_person.has_any(tokens)
    return is_of_all or is_new or any(words.thing_pronouns.at(tokens, place) for place in range(len(tokens)))


def _statement(
    base: Statement, group: Sequence[_Piece], texts: Sequence[str], reading: _Turn, instead: str
) -> Statement:
    """The statement that a group of clauses makes."""
    words, names = reading.words, reading.names
    heads = [piece for piece in group if piece.clause.kind]
    head = next((piece for piece in heads if piece.kind != "off"), next(iter(heads), group[0]))
    head = head._replace(kind="be") if head.kind == "off" and len(group) > 1 else head
    places = tuple(dict.fromkeys(piece.sentence for piece in group))
    text = _words(group, texts, words)
    if before := _names_whom(group[0], reading):  # `a cake for my dad? he can't eat gluten`
        text = f"{before} {text}"
    tokens = tokens_of(text)
    content = _content(tokens_of(_LINK.sub(" ", text)), words)
    people = [name for name in names.in_text(text) if not names.speaks(name)]
    others = {piece.about for piece in group if piece.about}
    is_firm = bool(HARD.search(text)) or words.figures.within(tokens)
    doubt_sets = [piece.doubts for piece in group]
    doubts = frozenset[str]().union(*doubt_sets) - (_WHOLLY - frozenset.intersection(*doubt_sets))
    kind = group[0].kind if group[0].kind in ("answer", "choice") else head.kind
    to_speaker = words.first_objects.within(head.clause.tokens)  # `my doctor put me on 40 mg`
    about = head.about if len(others) == 1 and head.kind != "report" else ""
    if head.subject == "none" and not about and kind not in ("answer", "choice"):
        who = _only(others or people)
        about = who if who in names.people else ""  # `no onions when Priya comes over`
    about = about if names.is_told_of(about) and not to_speaker else ""
    return replace(
        base,
        words=text,
        quote=" ".join(filter(None, (before, *(texts[place] for place in places)))),
        places=places,
        kind=kind,
        about=about,
        subject=head.subject,
        assertions=tuple(assertion for piece in group for assertion in piece.assertions),
        ended=tuple(assertion for piece in group for assertion in piece.ended),
        doubts=doubts,
        stressed=any(piece.stressed for piece in group),
        change=signs_of_change(tokens, words) or any(piece.change for piece in group),
        again=words.returns.within(tokens),
        firm=is_firm,
        hard=is_firm
        or bool(people)
        or words.weighty.within(tokens)
        or any(token in words.months and token not in words.modal_verbs for token in tokens),
        instead=instead if instead and instead.partition(",")[0] in text else "",
        asked=reading.asked.text if kind in ("answer", "choice") else "",
        topic=head.topic if not _content(tokens_of(head.topic), words) <= content else "",
        content=content,
        names=tuple(dict.fromkeys(people)),
    )


def _names_whom(piece: _Piece, reading: _Turn) -> str:
    """The question before a clause where it alone says which of the speaker's relatives a `she` is; else empty."""
    words, before = reading.words, reading.questions.get(piece.sentence - 1, "").strip()
    role = tokens_of(piece.about.removeprefix(reading.names.whose))
    is_relative = (
        words.people_pronouns.has_any(piece.clause.subject[:1]) and words.roles.at(role) == len(role) > 0
    )
    return before if is_relative and len(before) <= _ASKING and role[0] in tokens_of(before) else ""


def _opened(statement: Statement, seals: Seals) -> Statement:
    """A statement with the code and the quotations that it holds."""
    if not seals.marks:
        return statement
    is_firm = statement.firm or seals.open(statement.words, quotations=False) != statement.words
    return replace(
        statement,
        words=seals.open(statement.words),
        quote=seals.open(statement.quote),
        topic=seals.open(statement.topic),
        instead=seals.open(statement.instead),
        content=frozenset(token for token in statement.content if seals.open(token) == token),
        firm=is_firm,
        hard=statement.hard or is_firm,
        assertions=tuple(
            fact._replace(
                field=seals.open(fact.field), value=seals.open(fact.value), words=seals.open(fact.words)
            )
            for fact in statement.assertions
        ),
    )


def _words(group: Sequence[_Piece], texts: Sequence[str], words: Grammar) -> str:
    """The words of some clauses as they were typed, from the first to the last one, with what closes their brackets."""
    first, last = group[0], group[-1]
    if len(group) == 1 and first.words:
        return balanced(first.words)  # an option that was chosen, a whole order
    text = " ".join(texts[first.sentence : last.sentence + 1])
    offset = len(" ".join(texts[first.sentence : last.sentence])) + (last.sentence > first.sentence)
    end = max(piece.clause.end for piece in group if piece.sentence == last.sentence)  # behind an aside
    typed = trimmed(text[first.clause.start : offset + end], words)
    start = text.find(typed)
    return text[slice(*closed(text, start, start + len(typed)))].strip()
