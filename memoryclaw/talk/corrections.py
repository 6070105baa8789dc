"""What somebody puts right while typing: `14 march 11am … wait no 13:00` says 13:00, and 11am was said first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from memoryclaw.late import NamedTuple
from memoryclaw.recall.question import letters_apart
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import Grammar, WordList, clauses, spans_of, tokens_of
from memoryclaw.text.language import sentences

_NEAR, _AHEAD = 18, 60  # characters behind the sign in which the right value begins, and ends
_REACH = 160  # characters before it in which the wrong one is looked for
_MOST = 50  # corrections of one turn
_SIGNS = 8  # words of one sign, with those that stand behind it: `no sorry wait`
_BARE = frozenset({"no", "nein", "nee", "non", "sorry", "nope"})
_AT_PAUSE = re.compile(r"(?<![.,;:!?…\n])[.,;:!?…\n]+(?=\s|\Z)|\s[-–—]+(?=\s)")
_PAUSES = (",", ";", ".")
_LEADS = 2  # words that lead to a value: `in room` 12
_AT_START = re.compile(r"(?:\A|[.,;:!?…\n–—-]) *\Z")  # of a clause
_TIME = re.compile(
    r"(?<![\d.,])\d{1,2}[:.]\d\d(?!\d)(?:\s?[ap]m)?|\b\d{1,2}\s?(?:[ap]\.?m\b|uhr\b|o'clock)|(?<=\bat )\d{1,2}\b(?![:.]\d|\s?%)|(?<=\bum )\d{1,2}\b(?![:.]\d)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[$€£]?\d[\d.,]*\d(?![\d])k?|[$€£]?\d+k?(?:st|nd|rd|th)?", re.IGNORECASE)
# Groups of digits, or an address, are one value: `0176 55 23 19`, `ana72@mail.example`.
_CODE = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.\w++)++|(?<![\w+])\+?\d{2,}+(?:[ /-]\d{2,}+){2,}+")
_CALLED = frozenset(name.strip() for line in lists.lines("pastes.speakers") for name in line.split(","))
_STOPS = ("", ".", ",", ";", "!", "?", "\n")
_PAIR = re.compile(
    r"(\d{1,2}(?:st|nd|rd|th|\.)?)\s+(?:and|und|&|to|-)\s+(\d{1,2}(?:st|nd|rd|th|\.)?)", re.IGNORECASE
)


class Corrected(NamedTuple):
    """A text with what its speaker put right, and what stood there first."""

    text: str
    instead: str = ""  # "13:00, first 11am"


def corrected(text: str, words: Grammar) -> Corrected:
    """The words of a turn with each value that is put right in its place.

    A value behind a sign of correction takes the place of the last one of its kind before it; "36 not 48" says 36.
    """
    text = _without_denied(text, words)
    instead = ""
    start = 1
    for _ in range(_MOST):
        tokens = tokens_of(text)
        for place, _ in words.corrections.places(tokens):
            length, spans = _sign(tokens, place, words), spans_of(text)
            if (
                place >= start
                # A bare "no" in the middle of a clause is none, nor is `it actually cost 40`.
                and (
                    length > 1
                    or not (tokens[place] in _BARE or tokens[place] in words.adverbs)
                    or _AT_START.search(text, 0, spans[place][0])
                )
                and not (words.not_orders.at(tokens, place) or words.ended.at(tokens, place))
                and not _is_verdict(text, tokens, place, words)
            ):
                sign = spans[place][0], spans[place + length - 1][1]
                if fixed := _replaced(text, sign, words):
                    text, instead, start = fixed.text, fixed.instead, place
                    break
        else:
            break
        start += 1
    return Corrected(text, instead)


def _is_verdict(text: str, tokens: Sequence[str], place: int, words: Grammar) -> bool:
    """True for a sign that tells what something is: `the trains are rubbish`."""
    return (
        place > 0
        and tokens[place - 1] in words.be_verbs
        and not _AT_START.search(text, 0, spans_of(text)[place][0])
    )


def _sign(tokens: Sequence[str], place: int, words: Grammar) -> int:
    """How many tokens are signs of correction, one behind the other: `no sorry wait`."""
    length = 0
    while length < _SIGNS and (size := words.corrections.at(tokens, place + length)):
        length += size
    return length


def _replaced(text: str, sign: tuple[int, int], words: Grammar) -> Corrected | None:
    """The text put right by what stands behind a sign of correction; None where nothing before it is of that kind."""
    if names := _name(text, sign, words):
        return names
    offset = max(0, sign[0] - _REACH)
    before, text_behind = text[offset : sign[0]], text[sign[1] : sign[1] + _AHEAD]
    kinds = [
        (hit.start(), order, pattern, hit)
        for order, pattern in enumerate(
            (_CODE, _PAIR, _date(words), _month(words), _weekday(words), _time(words), _number(words))
        )
        if (hit := pattern.search(text_behind)) and hit.start() <= _NEAR
    ]
    # `actually` goes on as often
    is_weak = all(token in words.adverbs for token in tokens_of(text[slice(*sign)]))
    if not kinds:
        return None if is_weak else _word(text, offset, sign, words)
    nearest, _, pattern, right = min(kinds, key=lambda row: row[:2])
    wrong = list(pattern.finditer(before))
    if pattern is _number(words):
        hours = [hit for hit in wrong if _time(words).match(hit.string, hit.start())]
        wrong = [hit for hit in wrong if hit not in hours] or hours[-1:] * right[0].isdigit()
    if not wrong:
        return None
    if pattern is not _CODE and (
        named := _named(text, offset + wrong[-1].start(), sign, sign[1] + right.start(), words)
    ):
        return named
    first, last = wrong[-1].span()
    mistake = before[first:last].strip()
    # `on Sundays, no wait, sundays they are closed. saturdays`
    values = [hit for hit in pattern.finditer(text_behind, nearest) if _plain(hit[0]) != _plain(mistake)]
    if not values:
        return None
    right, correction = values[0], values[0][0].strip()
    between = text_behind[: right.start()]
    if right.start() > nearest:  # `no wait, they're closed sundays. saturdays`
        between = _AT_PAUSE.split(between)[-1]
    leads = _leads_to_value(between, before[:first], words)
    behind_value, counts = text_behind[right.end() :], pattern is _number(words)
    # `the rent is 950, sorry, we pay 990`
    is_alone = not is_weak and text_behind[:1] in _PAUSES and not tokens_of(_AT_PAUSE.split(behind_value)[0])
    if not (leads or is_alone) or (is_weak and _goes_on(behind_value, before[last:], words, counts=counts)):
        return None
    tail = text[sign[1] + right.end() :].lstrip(" ,")
    behind = before[last:].strip(" ,.…-–\n").lower()
    if behind and re.match(rf"{re.escape(behind)}(?!\w)", tail.lower()):
        tail = tail[len(behind) :].lstrip(" ,")  # `on tuesdays at 4. sorry, i meant wednesdays at 4`
    lead = text[: offset + first] + correction + before[last:].rstrip(" ,.…-–\n")
    is_sentence = tail.strip(" .!,") and tail[0] not in ".!?;…\n"
    return Corrected(f"{lead}. {tail}" if is_sentence else f"{lead}{tail}", f"{correction}, first {mistake}")


def _name(text: str, sign: tuple[int, int], words: Grammar) -> Corrected | None:
    """`i work in Leeds, no wait, in Bradford`: a name alone behind the sign takes the place of the one right before it, with what leads to it."""
    offset = max(0, sign[0] - _REACH)
    before, text_behind = text[offset : sign[0]], text[sign[1] : sign[1] + _AHEAD]
    first, end = _first_name(text_behind, words)
    stop = text_behind[end : end + 1]
    strong = " " in text[slice(*sign)].strip()  # behind `sorry` and a comma somebody may be called
    if first == end or stop not in _STOPS or stop == "?" or (stop == "," and not strong):
        return None
    start, last = _last_name(before, words)
    correction, mistake = text_behind[first:end], before[start:last]
    is_alike = mistake and correction.islower() == mistake.islower() and correction != mistake
    if not is_alike or (correction.islower() and not strong) or correction.lower() in _CALLED:
        return None
    leads, led = _leads(text_behind[:first], words), _leads(before[:start], words)
    if leads < first and led < start:
        start, first = led, leads
    elif leads < first:
        return None
    fixed = f"{before[:start]}{text_behind[first:end]}{text_behind[end:]}"
    return Corrected(f"{text[:offset]}{fixed}{text[sign[1] + _AHEAD :]}", f"{correction}, first {mistake}")


def _first_name(text: str, words: Grammar) -> tuple[int, int]:
    """Where a name begins and ends that a text begins with, behind what leads to it; the same place twice without one."""
    tokens, spans = tokens_of(text), spans_of(text)
    place = next((n for n, token in enumerate(tokens) if token not in words.name_leads), len(tokens))
    start = spans[place][0] if place < len(spans) else 0
    return _name_along(text, range(place, len(tokens)), start, words)


def _last_name(text: str, words: Grammar) -> tuple[int, int]:
    """Where the name begins and ends that a text ends with, but for marks and fillers; the same place twice without one."""
    tokens, spans = tokens_of(text), spans_of(text)
    last = next((n for n in reversed(range(len(tokens))) if tokens[n] not in words.fillers), -1)
    return _name_along(text, range(last, -1, -1), spans[last][1] if last >= 0 else 0, words)


def _name_along(text: str, places: Sequence[int], edge: int, words: Grammar) -> tuple[int, int]:
    """Where the name begins and ends whose words stand side by side at the first of some places, from an edge on."""
    start = end = edge
    for n in places[:_LONGEST_NAME]:
        first, last = spans_of(text)[n]
        typed, between = text[first:last], text[end:first] or text[last:start]
        if not _may_be_name(typed, words) or (start < end and (between != " " or typed.islower())):
            break
        start, end = min(start, first), max(end, last)
    return start, end


def _may_be_name(typed: str, words: Grammar) -> bool:
    """True for what may name somebody or something; months, weekdays and numbers are put right as such."""
    token = typed.lower()
    is_name = typed[0].isupper() or (token.isalpha() and len(token) > _SLIP and token not in words.everyday)
    return is_name and token not in words.value_words


def _leads(text: str, words: Grammar) -> int:
    """Where the prepositions and articles begin that a text ends with."""
    tokens, spans = tokens_of(text), spans_of(text)
    place = len(tokens)
    while place and tokens[place - 1] in words.name_leads:
        place -= 1
    return spans[place][0] if place < len(spans) else len(text)


def _leads_to_value(text: str, before: str, words: Grammar) -> bool:
    """True where nothing but what may lead to a value, as what stands before the wrong one, stands between a sign and it: neither `i get` 50 nor `feeling` 20."""
    tokens, leads = tokens_of(text), tokens_of(before)[-_LEADS:]
    bare = words.valueless.covered(tokens)
    return tokens == leads[-len(tokens) :] or (  # `i take 50, sorry, i take 75`
        not words.first_person.has_any(tokens)
        and all(n in bare or token in leads or token in words.clock_words for n, token in enumerate(tokens))
    )


def _goes_on(text: str, behind_wrong: str, words: Grammar, *, counts: bool) -> bool:
    """True where what stands behind a value makes a sentence of it, `Wednesdays are for gym`, or a count of something else: `2 days off`."""
    typed, first = tokens_of(_AT_PAUSE.split(text, maxsplit=1)[0])[:2], tokens_of(behind_wrong)[:1]
    tokens, points = typed[:1], words.pronouns.has_any(typed[1:])  # `60 of them`
    if not tokens or tokens == first:
        return False
    if not counts:
        return words.predicates.has_any(tokens)
    if words.units.at(tokens) or words.money_words.at(tokens):
        return bool(first) and not words.trailers.at(first)
    is_led = words.prepositions.has_any(tokens) and (points or not words.owner_prepositions.has_any(tokens))
    return not (is_led or words.retractions.at(tokens) or words.trailers.at(tokens))


def _named(text: str, wrong: int, sign: tuple[int, int], right: int, words: Grammar) -> Corrected | None:
    """`parcels go to Foundry Road 83 - scratch that, Amselgrund 39`: a number and its name take the place of another with its own."""
    start, end, *sides_right = _with_name(text, right, sign[1], words)
    first, last, *sides = _with_name(text, wrong, 0, words)
    if not any(sides) or sides != sides_right or text[end : end + 1] not in _STOPS:
        return None
    if not _leads_to_value(text[sign[1] : start], text[:first], words):
        return None
    correction, mistake = text[start:end], text[first:last]
    if _plain(correction) == _plain(mistake) or correction.islower() != mistake.islower():
        return None  # `Elm Street 12, sorry, house 14`
    between = text[last : sign[0]].rstrip(" ,.…-–\n")
    return Corrected(f"{text[:first]}{correction}{between}{text[end:]}", f"{correction}, first {mistake}")


def _with_name(text: str, value: int, least: int, words: Grammar) -> tuple[int, int, bool, bool]:
    """Where the number at a place begins, at `least` at the earliest, and ends with the name beside it, and on which side that stands."""
    spans, tokens = spans_of(text), tokens_of(text)
    number = next((n for n, span in enumerate(spans) if span[0] <= value < span[1]), None)
    if number is None:
        return value, value, False, False

    def is_name(n: int) -> bool:
        return spans[n][0] >= least and tokens[n].isalpha() and tokens[n] not in words.everyday

    first = last = number
    while first and is_name(first - 1) and text[spans[first - 1][1] : spans[first][0]] == " ":
        first -= 1
    while last + 1 < len(spans) and is_name(last + 1) and text[spans[last][1] : spans[last + 1][0]] == " ":
        last += 1
    return spans[first][0], spans[last][1], first < number, last > number


def _plain(value: str) -> str:
    return value.strip().lower().rstrip("s")


def _word(text: str, offset: int, sign: tuple[int, int], words: Grammar) -> Corrected | None:
    """`write in bigger steps, no I mean SMALLER steps`: the word before what both name."""
    before, text_behind = text[offset : sign[0]], text[sign[1] : sign[1] + _AHEAD]
    tokens_before, tokens_behind = tokens_of(before), tokens_of(text_behind)[:4]
    spans, spans_behind = spans_of(before), spans_of(text_behind)
    for position in range(1, len(tokens_behind)):
        if tokens_behind[position] in tokens_before and tokens_behind[position] not in words.small:
            place = len(tokens_before) - 1 - tokens_before[::-1].index(tokens_behind[position])
            words_put = tokens_before[place - 1], tokens_behind[position - 1]
            if place > 0 and words_put[0] != words_put[1] and words_put[1] not in words.small:
                first, last = spans[place - 1]
                correction = text_behind[spans_behind[position - 1][0] : spans_behind[position - 1][1]]
                lead = text[: offset + first] + correction + before[last:].rstrip(" ,.…-–")
                tail = text[sign[1] + spans_behind[position][1] :].lstrip()
                return Corrected(f"{lead} {tail}".rstrip(), f"{correction}, first {before[first:last]}")
    return None


@cache
def _date(words: Grammar) -> re.Pattern[str]:
    months, day = _any_of(words.months), r"\d{1,2}(?:st|nd|rd|th|\.)?"
    return re.compile(
        rf"\b{day}\s+(?:of\s+)?(?:{months})\b|\b(?:{months})\.?\s+{day}(?!\d)|\b\d{{1,2}}(?:st|nd|rd|th)\b|\b\d{{1,2}}\.(?=\s|$)",
        re.IGNORECASE,
    )


@cache
def _month(words: Grammar) -> re.Pattern[str]:
    """A month alone; what is a verb as well, `may`, only behind a number."""
    months = WordList(month for month in words.months.entries() if month not in words.modal_verbs)
    dated = rf"(?<=\d\s)(?:{_any_of(words.months)})"
    return re.compile(rf"\b(?:{_any_of(months)}|{dated})\b", re.IGNORECASE)


@cache
def _time(words: Grammar) -> re.Pattern[str]:
    before, hours = _any_of(words.clock_words), _any_of(words.cardinals)
    return re.compile(rf"\b(?:{before})\s+(?:\d{{1,2}}|{hours})\b|{_TIME.pattern}", re.IGNORECASE)


@cache
def _number(words: Grammar) -> re.Pattern[str]:
    return re.compile(rf"{_NUMBER.pattern}|\b(?:{_any_of(words.cardinals)})\b", re.IGNORECASE)


def _any_of(entries: WordList) -> str:
    return "|".join(sorted(map(re.escape, entries.entries()), key=len, reverse=True)) or "(?!)"


@cache
def _weekday(words: Grammar) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_any_of(words.weekdays)})\b(?:\s\d{{1,2}}[:.]\d\d\b)?", re.IGNORECASE)


def _without_denied(text: str, words: Grammar) -> str:
    """`36 partitions not 48` says 36."""

    def behind_a_value(hit: re.Match[str]) -> str:
        return "" if _VALUE.search(hit.string[max(0, hit.start() - _BEHIND) : hit.start()]) else hit[0]

    return _denied(words).sub(behind_a_value, text)


@cache
def _denied(words: Grammar) -> re.Pattern[str]:
    """A number that is denied behind the right one; not a share, `not 100 % sure`."""
    number = r"[$€£]?\d(?:[\d.,:]*\d)?\w*"
    on_the = rf"(?:(?:{_any_of(words.prepositions)})\s{{1,3}}(?:(?:{_any_of(words.determiners)})\s{{1,3}})?)?"
    return re.compile(
        rf"(?i),?\s{{1,3}}(?:{_any_of(words.not_the_other)})\s{{1,3}}{on_the}{number}(?![\w%]|\s%)"
    )


# What the next turn puts right.

_MOST_WORDS = 12  # of a turn that only puts right the one before it
_LONGEST_NAME = 3  # words
_LEAST_ALIKE, _SLIP = 4, 2  # letters of a word that may have been mistyped, and how many at most
_LONGEST, _LONGEST_VALUE = 400, 5  # characters of a turn that are read, and words of a value that it gives
_PAUSE = re.compile(r"[,;]|\s[-–—]+\s")  # behind which a value goes on with a reason
_AMOUNT = re.compile(r"[$€£]?\d++(?:[.,']\d{3}(?!\d))*(?:[.,]\d{1,2})?(?:k|€)?")
_ORDINAL, _CODE_LETTER = re.compile(r"(?<=\d)(?:st|nd|rd)\b"), re.compile(r"(?<=9)[a-z]\b")
_FIGURE = re.compile(r"[$€£]?\d(?:[\d.,:]*\d)?[^\W\d]*")
_LONG_FIGURE = 3  # digits of one that a sign of one word puts right: `actually 3,450 since the raise`
_EDGES = " ,.;:!?*()…\"'“”„"


class PutRight(NamedTuple):
    """What a turn puts in the place of what was said just before it."""

    text: str  # that, put right
    right: str
    wrong: str
    is_sure: bool = True  # False: more than one value may be meant
    rest: str = ""  # what the turn tells besides


def put_right(text: str, before: str, words: Grammar, *, answers: bool = False) -> PutRight | None:
    """What a turn puts right of the words before it, where it says nothing else: `sorry, 990`, `16, not 61`, `*Dr Vogn`; else None.

    Args:
        before: what the speaker said last, or what the assistant answered.
        answers: the assistant said what stands before: then `it's 74` puts it right as well, and `no, it's Dr Pohl`, which takes the place of no word.
    """
    if answers and (value := _value_instead(text, words)):
        return PutRight(value, value, "")
    if fix := _all_put_right(text, before, words, answers=answers):
        return fix
    first, rest = _first_part(text, words)
    fix = _all_put_right(first, before, words, answers=answers) if first else None
    is_figure = fix is not None and any(map(str.isdigit, fix.right))
    if fix is None or not (is_figure or not rest or _is_led_alike(fix.right, first, fix.wrong, before)):
        return None  # `wait, Rome! i forgot to book`
    return fix._replace(rest=rest)


def _first_part(text: str, words: Grammar) -> tuple[str, str]:
    """What a turn begins with, signs and a value, and what it tells behind: `sorry 35, had my birthday last week`; both empty where it does not."""
    tokens, spans = tokens_of(text), spans_of(text)
    start = words.fillers.skip(tokens)
    start = next((n for n in range(start + 1) if words.corrections.at(tokens, n)), 0)
    place = start + _sign(tokens[start:], 0, words)
    if place == start or place >= len(tokens) or "?" in text:
        return "", ""
    first = spans[place][0]
    if pause := _AT_PAUSE.search(text, first):
        return text[: pause.start()], text[pause.end() :].strip()
    figure = _FIGURE.search(text, max(0, first - 1))
    if figure is None or figure.start() > first:
        return "", ""
    behind = tokens_of(text[figure.end() :])
    adds = words.prepositions.has_any(behind[:1]) and not words.owner_prepositions.has_any(behind[:1])
    is_plain = adds and not words.predicates.has_any(behind)
    is_sign = place > start + 1 or _digits(figure[0]) >= _LONG_FIGURE
    return (text[: figure.end()], "") if is_plain and is_sign else ("", "")  # `scratch that, 4 with the baby`


def _is_led_alike(right: str, text: str, wrong: str, before: str) -> bool:
    """True for two values behind the same word, or that begin with the same: `in Wels`, `in Linz`; `Dr Colt`, `Dr Holt`."""
    sides = [
        (tokens_of(turn.partition(value)[0])[-1:], tokens_of(value))
        for turn, value in ((text, right), (before, wrong))
    ]
    (led, value), (first_led, first_value) = sides
    return (led == first_led and bool(led)) or (value[:1] == first_value[:1] and len(value) > 1)


def _all_put_right(text: str, before: str, words: Grammar, *, answers: bool) -> PutRight | None:
    """What a turn puts right where it says nothing else."""
    tokens, earlier = tokens_of(text), [word.strip(_EDGES) for word in before.split()]
    is_asked = "?" in text or before.rstrip().endswith("?")
    if is_asked or "\n" in text.strip() or len(text.split()) > _MOST_WORDS:
        return None
    is_marked = text.startswith("*") or words.retractions.within(tokens) or denies(text, words)
    is_marked = is_marked or (answers and words.thing_pronouns.has_any(tokens[:1]))
    values = _values(text, words)
    typed = {value.lower(): value for value in earlier}
    stated = [typed[value.lower()] for value in values if value.lower() in typed]
    new = [value for value in values if value.lower() not in typed]
    forms = {_form(value, words) for value in new}
    form = next(iter(forms)) if len(forms) == 1 else "more than one"
    right = " ".join(new)
    of_form = _of_form(form, _digits(right), earlier, words)
    if not values:
        return None
    behind_denial = tokens[_end_of_denial(text, words) :]  # `no, el 22 de junio`
    if new and (_says_more(behind_denial, tokens_of(new[-1]), words) or _tells(text, new[-1], words)):
        return None
    if is_marked and len(forms) > 1 and (fix := _each_of_its_form(new, before, earlier, words)):
        return fix
    is_another = not is_marked and _is_of_another(text, right, words)
    is_name = "@" in right or (right[:1].isupper() and not is_another)
    slip = _SLIP if is_name else is_marked  # letters: `sorry, wrong chat` is about no cats
    unsaid = dict.fromkeys(
        value for value in earlier if value not in stated
    )  # `Rosa lives in Rome` names Rosa
    alike = [value for value in unsaid if slip and _is_alike(value, right, slip)]
    denied = [value for value in stated if _form(value, words) == form and _is_denied(value, tokens, words)]
    wrong = (denied or alike) if len(new) == 1 else []
    if not wrong and is_marked and form:
        behind = {value for before_it, value in pairwise(earlier) if before_it in stated}
        wrong = [value for value in of_form if value in behind] or of_form  # `0171 5550110`
    elif not wrong and is_marked and new and all(value[0].isupper() for value in new):
        names = " ".join(value for value in values if value[0].isupper())  # `no, el doctor Ruano`
        right, wrong = names, _names_in(before, words) if names in text else []
    if not wrong:
        part = text.rpartition(",")[2]  # `no, we swapped, it's 74 now`
        is_denied = answers and part != text and words.corrections.at(tokens)
        return _all_put_right(part, before, words, answers=True) if is_denied else None
    return PutRight(_instead(before, wrong[-1], right), right, wrong[-1], len(wrong) == 1)


def _of_form(form: str, digits: int, values: Sequence[str], words: Grammar) -> list[str]:
    """The values of a form; where several are, those of as many digits: `2 cats, and the rent is 1,200` / `sorry, 1250`."""
    of_form = list(dict.fromkeys(value for value in values if value and form and _form(value, words) == form))
    of_size = [value for value in of_form if _digits(value) == digits]
    return (of_size or of_form) if len(of_form) > 1 else of_form


def _each_of_its_form(
    values: Sequence[str], before: str, earlier: Sequence[str], words: Grammar
) -> PutRight | None:
    """Several values, each of which takes the place of the only one of its form: `24 june` that of `14 may`."""
    text, mistakes = before, list[str]()
    for value in values:
        matches = _of_form(_form(value, words), _digits(value), earlier, words)
        if len(matches) != 1 or matches[0] in mistakes:
            return None
        mistakes += matches
        text = _instead(text, matches[0], value)
    return PutRight(text, " ".join(values), " ".join(mistakes))


def _instead(text: str, wrong: str, right: str) -> str:
    """The text with a value in the place of a wrong one, where that stands last."""
    typed = r"\W{1,3}".join(map(re.escape, wrong.split()))  # `Dr. Holt`
    places = list(re.finditer(rf"(?<!\w){typed}(?!\w)", text))
    return f"{text[: places[-1].start()]}{right}{text[places[-1].end() :]}" if places else text


def _digits(value: str) -> int:
    return sum(map(str.isdigit, value))


def _is_of_another(text: str, name: str, words: Grammar) -> bool:
    """True for a sentence about somebody of that name: `Nora works at Ikea`."""
    clause = next(iter(clauses(text, words)), None)
    is_first = text.lstrip(_EDGES).startswith(name)
    return (
        is_first
        and clause is not None
        and bool(clause.kind or words.verbs.at(clause.tokens, len(tokens_of(name))))
    )


def _values(text: str, words: Grammar) -> list[str]:
    """The words of a turn that may be a value, as typed: those that neither point to what was said nor say that it is otherwise."""
    tokens, spans = tokens_of(text), spans_of(text)
    bare = words.valueless.covered(tokens)
    values = list[str]()
    for hit in re.finditer(r"\S+", text):
        word = hit[0].strip(_EDGES)
        within = [n for n, (start, end) in enumerate(spans) if hit.start() <= start and end <= hit.end()]
        led = tokens[within[0] - 1] if within and within[0] > 0 and len(word) <= _SLIP else ""
        is_letter = len(word) == 1 and word.isalpha() and led in words.indefinite_words  # `Tern with a T`
        spells = is_letter or (word.islower() and led in words.prepositions)  # `Lorentz with tz`
        if not (spells or bare.issuperset(within)):
            values.append(word)
    spelled = "".join(value for value in values if "@" in value).lower()
    return [value for value in values if "@" in value or value.lower() not in spelled]


def _form(value: str, words: Grammar) -> str:
    """Of what form a value is: `9-9-9` for a date, "@" for an address; empty for a word."""
    if "@" in value:
        return "@"
    if _AMOUNT.fullmatch(value.lower()):
        return "9"
    if any(map(str.isdigit, value)):
        return _CODE_LETTER.sub("a", re.sub(r"\d+", "9", _ORDINAL.sub("th", value.lower())))
    if value.lower() in words.months:
        return "month"
    return "weekday" if value.lower() in words.weekdays else ""


def _says_more(tokens: Sequence[str], value: Sequence[str], words: Grammar) -> bool:
    """True where a verb stands behind the value, `sorry, 420 is too much`, or what denies it before it, `sorry, not on saturday`."""
    last = max((n for n, token in enumerate(tokens) if token in value), default=len(tokens))
    before = list(tokens[:last])
    for place, size in words.retractions.places(tokens[:last]):
        before[place : place + size] = [""] * size
    denies = max((n for n, token in enumerate(before) if token and words.negations.at([token])), default=-1)
    between = before[denies + 1 :]  # `not before 8:00`, but neither `not 61, 16` nor `without u: …`
    is_of_new = denies >= 0 and words.time_leads.issuperset(between)
    is_told = words.be_verbs.has_any(tokens[last + 1 : last + 2])
    verbs = [token for n, token in enumerate(tokens) if not _is_month(tokens, n, words)]
    return is_of_new or is_told or words.modal_verbs.within(verbs) > 0


def _tells(text: str, value: str, words: Grammar) -> bool:
    """True where a clause goes on behind a figure with a verb: `actually 3 of us moved`; not `35 i meant`."""
    behind = tokens_of(_AT_PAUSE.split(text.partition(value)[2], maxsplit=1)[0])
    signs = words.retractions.covered(behind)
    signs |= {n for n in range(len(behind)) if _is_month((value, *behind), n + 1, words)}
    is_figure = any(map(str.isdigit, value))
    return is_figure and any(words.verbs.at(behind, n) for n in range(len(behind)) if n not in signs)


def _is_month(tokens: Sequence[str], place: int, words: Grammar) -> bool:
    """True for the month in `13 may` and `may 13`."""
    beside = (*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2])
    return tokens[place] in words.months and any(token[0].isdigit() for token in beside)


def _is_alike(value: str, right: str, slip: int) -> bool:
    """True for a word that may be another one mistyped: `Lorenz`, `Lorentz`."""
    letters = min(len(value), len(right))
    is_word = not any(map(str.isdigit, value + right)) or "@" in right
    may_be = is_word and letters >= _LEAST_ALIKE and value[0] == right[0]
    return may_be and letters_apart(value, right, slip) <= slip


def _names_in(text: str, words: Grammar) -> list[str]:
    """The names of a text, without its first word."""
    runs, run = list[str](), list[str]()
    for word in [*text.split()[1:], ""]:
        name = word.strip(_EDGES)
        if name[:1].isupper() and name.lower() not in words.first_person:
            run.append(name)
        is_title = word[-1:] == "." and name.lower() in words.honorifics  # `Dr. Holt`
        if run and (not name[:1].isupper() or (word[-1:] in _EDGES and not is_title)):
            runs.append(" ".join(run))
            run = []
    return list(dict.fromkeys(runs))


def _is_denied(value: str, tokens: Sequence[str], words: Grammar) -> bool:
    """True where a turn says of a figure in any words that it is not so, and of a word right before it: `not Lunde`."""
    if any(map(str.isdigit, value)):
        return words.refusals.within(tokens)
    denials = words.not_the_other, words.slips  # `i wrote Lunde, it's Lunden`
    places = [hit for entries in denials for hit in entries.places(tokens)]
    return any(tokens[place + size : place + size + 1] == (value.lower(),) for place, size in places)


_BEHIND = 40  # characters before it in which the value stands
_VALUE = re.compile(r"\d[\d.,:]*+\s?\w*$")


def _value_instead(text: str, words: Grammar) -> str:
    """The name or figure that a turn gives behind words that deny what stands before it: `no, it's Dr Pohl`; else empty."""
    is_denied = False
    for sentence in sentences(text[:_LONGEST]):
        tokens, spans = tokens_of(sentence), spans_of(sentence)
        place = _end_of_denial(sentence, words)
        is_denied = is_denied or denies(sentence, words)
        if not is_denied:
            break
        while place < len(tokens) and tokens[place] in words.name_leads:
            place += 1
        if place < len(tokens):
            value = _PAUSE.split(sentence[spans[place][0] :])[0].strip(" .!")
            while (ends := tokens_of(value)) and ends[-1] in words.adverbs:
                value = value[: spans_of(value)[-1][0]].rstrip(" .!")
            is_value = not (value[:1].islower() or any(clause.kind for clause in clauses(value, words)))
            return value if is_value and len(ends) <= _LONGEST_VALUE else ""
    return ""


def denies(sentence: str, words: Grammar, *, all_of_it: bool = False) -> bool:
    """True for a sentence that begins with saying that something is otherwise, or says no more than that: `nope, that's wrong`."""
    tokens, place = tokens_of(sentence), _end_of_denial(sentence, words)
    signs = words.corrections, words.wrong_words, words.negations
    is_denied = any(sign.at(tokens, n) for n in range(place) for sign in signs)
    return is_denied and (place == len(tokens) or not all_of_it)


def says_outright(text: str, value: str, words: Grammar) -> bool:
    """True where a denial says what it is instead, and that alone: `no, it's Dr Novak now`; not `no, only on Saturdays`, `nein, Urlaub`."""
    tokens, right = tokens_of(text), tokens_of(value)
    place = next((n for n in range(len(tokens)) if tokens[n : n + len(right)] == right), len(tokens))
    before, behind = tokens[:place], tokens[place + len(right) :]
    is_clean = words.calendar_words.isdisjoint(right) and words.small.isdisjoint(right)
    is_clean = is_clean and not any(token.endswith("'s") for token in right)  # `it's Tom's`
    is_told = words.be_verbs.has_any(before) or any(token in words.contracted_subjects for token in before)
    is_only = all(token in words.adverbs or words.changes.at([token]) for token in behind)
    return is_told and is_clean and is_only and not words.prepositions.has_any(before)


def puts_otherwise(text: str, words: Grammar) -> bool:
    """True for a turn that begins by saying that what stands before it is wrong, and goes on: `no, it's 74`."""
    first = next(iter(sentences(text[:_REACH])), "")
    return _end_of_denial(first, words) > 0 and len(tokens_of(text)) > _end_of_denial(first, words)


def _end_of_denial(sentence: str, words: Grammar) -> int:
    """How many of its first tokens say no more than that something is otherwise: 3 of `no, that's wrong, he …`; 0 for `not London`."""
    tokens, spans = tokens_of(sentence), [*spans_of(sentence), (len(sentence), len(sentence))]
    place = 0
    while place < len(tokens):
        size = words.corrections.at(tokens, place) or words.wrong_words.at(tokens, place)
        if not size and tokens[place] in words.negations:
            is_apart = not sentence[spans[place][1] : spans[place + 1][0]].isspace()
            if not (is_apart or tokens[place + 1] in words.pointing):
                return 0
            size = 1
        size = size or tokens[place] in words.pointed
        if not size:
            break
        place += size
    return place
