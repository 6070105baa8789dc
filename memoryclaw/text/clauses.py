"""A sentence as people type it → its clauses, and each clause's subject, verb and rest. The words come from the language's grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.text.grammar import Grammar, spans_of, tokens_of

# What parts clauses besides words; a comma between digits and a hyphen inside a word do not.
EMOTICON = late.pattern(r"(?<!\S)[:;]-?[)(DPp](?!\w)")
_BREAK = late.pattern(
    rf"{EMOTICON.pattern}|" r"(?<!\d),|,(?!\d)|\s[-–—]+\s|--+|[;()…]|\s\+\s|:(?=\s)|\.{2,}(?!/)|[!?]+"
)
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
_AUXILIARY = ("have", "be", "modal")
_MAIN = ("decide", "prefer", "wish", "duty", "state")  # kinds of verbs that say more than their auxiliary
_NUMBER = late.pattern(r"\d")
_SPACE = late.pattern(r"\s")
_MINUS = re.compile(r"(?<![^\s(])-[$€£]?\d")
_SIGNS = "+$€£#@"  # that belong to the word behind them


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
    if words.question_starts.at(left):
        return True
    if left[0] in words.prepositions and left[1] in words.question_words:
        left = left[1:]  # `by when`, `mit wem`
    last = bool(words.final_verbs)
    if left[0] in words.question_words:
        relative = left[0] in words.relative_words and not last
        return (first or not relative) and _asks_for(left, words, is_name, last=last)
    return not _is_fronted(tokens, lead, words) and _is_inverted(left, words, is_name, goes_on=goes_on)


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
        ends = behind[0].endswith("t") and (len(behind) < 2 or _is_subject(behind[1:], words, is_name))
        own = len(behind) > 1 and behind[1] in words.first_person and behind[1] in words.nominatives
        # `wie rechne ich`, not `wie gerne ich segle weiß sie`
        inverted = own and behind[0].endswith("e") and _verb_at(behind, 2, words) is None
        if inverted or _kind_at(behind, 0, words)[0] or (ends and asking not in words.comparatives):
            return True
    if asking not in words.question_determiners or behind[0] in words.prepositions:
        return False
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
                and not (_ends_calling(tokens[:-n], words) and tokens[-1] not in words.politeness)
            ),
            0,
        )
        if not tail:
            return " ".join(text.split())
        text = _bare(text[: spans_of(text)[-tail][0]])


def _ends_calling(tokens: Sequence[str], words: Grammar) -> bool:
    """True for words whose last ones say how to call somebody, and not yet what: `don't call me`."""
    return any(
        words.address_orders.at(tokens, len(tokens) - n) == n for n in range(2, min(4, len(tokens)) + 1)
    )


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
    return _without_edges(text[_with_sign(text, spans[at][0], _SIGNS + "('\"„“") :])


def _with_sign(text: str, start: int, signs: str = _SIGNS) -> int:
    """Where a token begins with the signs that belong to it."""
    while start and text[start - 1] in signs:
        start -= 1
    return start - 1 if start and _MINUS.match(text, start - 1) else start
