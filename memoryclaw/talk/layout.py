"""Lines of a turn → those that have the form of what people paste: a chat, a transcript, a ticket, a log, a form, lyrics, code.

A form is a row of `data/pasted_forms.toml` with its example. What stands in it is not read, so it need not be in a language that is known.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import takewhile

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.text import grammar as clauses
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import UNREAD, Grammar, WordList, grammar, spans_of, tokens_of
from memoryclaw.text.language import SMALL, plain, sentences
from memoryclaw.vault.fact_values import KIN, noun_of


class Form(NamedTuple):
    """A form of lines that others wrote, the example of it, and how much of it is needed to tell."""

    name: str
    pattern: re.Pattern[str]
    text: str  # of the pattern
    example: str
    least: int = 1  # lines of it in a turn
    spoken: bool = False  # and somebody speaks in them of themselves or to somebody
    named: bool = False  # a single one must name somebody, rather than a thing
    apart: bool = False  # no word in it is of the speaker
    below: bool = False  # the lines below it are its text
    program: bool = False  # a program wrote it, of what it did


def _forms() -> Iterator[Form]:
    """The rows of `pasted_forms.toml`, with the patterns that stand in others in their places."""
    rows = lists.text("pasted_forms.forms")
    for name in ("stamp", "dated", "day", "month", "clock", "ago", "name"):
        rows = rows.replace(f"<{name.upper()}>", lists.text(f"pasted_forms.{name}"))
    for head, pattern, example in zip(*[iter(rows.splitlines())] * 3, strict=True):
        name, _, traits = head.partition(" | ")
        known = dict.fromkeys(traits.replace("twice", "").split(), True)
        yield Form(
            name, late.pattern(pattern, re.IGNORECASE), pattern, example, 1 + ("twice" in traits), **known
        )


FORMS = tuple(_forms())
_ANY_FORM = late.pattern("|".join(f"(?:{form.text.replace('?P<who>', '?:').replace('?P<words>', '?:')})" for form in FORMS), re.IGNORECASE)  # fmt: skip
UPPER = re.compile(r"[^\W\d_a-zß-ÿ]")
LABEL = re.compile(
    r"[ \t]*+(?:[\u2600-\u27bf\U0001f000-\U0001faff\ufe0f]{1,4} ?)?(?:[-*•+–] ++)?(?:\d{1,2}:\d\d ++)?\*{0,2}(?P<who>[^\W_][\w.'’@-]*+(?: [\w.'’@-]++){0,3})(?P<aside> ?[(\[][^)\]\n]{1,40}[)\]])?\*{0,2}(?:(?P<mark>[ \t]?:)\*{0,2}|[ \t](?P<dash>[-–—]))[ \t]++(?P<words>\S)"
)
_CHANGED = re.compile(r"[+-][ \t]*[^\s+-]")
_CHANGED_KEY = re.compile(r"([+-])[ \t]*([^\s:=+-][^\s:=]{0,60})[ \t]*[:=]")
_AMOUNT = re.compile(r"[£$€]?\d[\d.,]*")  # glued to its unit: `600pcm`
_HANDLE = re.compile(r"[a-z][a-z.-]*+[\d_]\w*+$", re.IGNORECASE)  # `tom_r`, `mia88`
_ABOUT_ME = tuple(lists.lines("pronouns.about_me"))
_HEADING = 4  # words, at most
_CARD = 6  # words of a line in which a name stands
_LONGEST = 8  # words of a line that is no sentence
_NAMED = re.compile(
    r"[ \t>~•\u2600-\u27bf\U0001f000-\U0001faff\ufe0f]{0,6}(?P<who>[^\W\d_a-zß-ÿ][\w'’-]{0,20}\.?(?: [^\W\d_a-zß-ÿ][\w'’-]{0,20}\.?){0,2})"
    r"(?:[ ]?[,•·|@(–—-][^.!?:;\n]{0,60})?[ \t]*$"
)
_AUTHOR = re.compile(r"[ \t]*+[—–][ \t]?(?P<who>[^\W\d_a-zß-ÿ][^\n]{0,60})$")
_TITLE = re.compile(
    r"[\s#*=\[(]*+(?P<title>[^\W\d_][\w' -]{0,30}?)(?: (?:of|von|by|for|de) [\w .'-]{1,40}?|[ \t]*+(?:#|no\.? ?|nr\.? ?)?\d{0,6}\b)?[\s*\])=]*+(?P<colon>:?)[\s*]*+$"
)


@cache
def listed(name: str) -> WordList:
    """The entries of a list of `pastes.toml`."""
    return WordList(entry for line in lists.lines(f"pastes.{name}") for entry in line.split(","))


def pasted_lines(lines: Sequence[str], words: Grammar, me: str) -> set[int]:
    """The places of the lines that others wrote, as their form tells; a text goes on to the next empty line.

    Args:
        me: the first token of the name of who typed it; empty where it is not known.
    """
    heads = _heads(lines, words)
    pasted = set(heads)
    below = False
    sections = False  # of a form or a text with a title, which may go on below a heading
    for first, end in blocks_of(lines):
        block = range(first, end)
        opened = below
        below = all(number in heads and heads[number].below for number in block)  # its text is the next block
        pasted.update(
            block if opened else range(next((number for number in block if number in heads), end), end)
        )
        of_block = _of_block(lines, block, words, me)
        if sections and _is_heading(lines, block):
            of_block = block
        sections = bool(of_block) and of_block.stop == end
        pasted.update(of_block)
    if messages := [number for number, form in heads.items() if form.below or form.name in _TALKS]:
        pasted.update(range(messages[0], messages[-1]))  # a message may have paragraphs
    pasted.update(dialogue(lines, words) | _diff_lines(lines))
    return pasted | _attributed(lines, words, me)


def is_record(line: str) -> bool:
    """True for a line that a program wrote of what it did."""
    return any(form.pattern.match(line.strip()) for form in FORMS if form.program)


_TALKS = frozenset({"message", "message of a name with its time"})


def blocks_of(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where each run of lines without an empty one begins and ends."""
    first = 0
    for number in range(len(lines) + 1):
        if number == len(lines) or not lines[number].strip():
            if first < number:
                yield first, number
            first = number + 1


def _heads(lines: Sequence[str], words: Grammar) -> dict[int, Form]:
    """The lines of a form, where there is as much of it as tells."""
    hits = [
        (number, form, hit)
        for number, bare in enumerate(map(str.strip, lines))
        if _ANY_FORM.match(bare)  # as few lines do
        for form in FORMS
        if (hit := form.pattern.match(bare))
    ]
    counts = Counter(form.name for _, form, _ in hits)
    last = max((number for number, line in enumerate(lines) if line.strip()), default=-1)
    spoken = {form.name for number, form, _ in hits if speaks(lines[number], words)}
    heads: dict[int, Form] = {}
    for number, form, hit in hits:
        if (
            counts[form.name] >= form.least
            and (not form.spoken or form.name in spoken)
            and (not form.named or counts[form.name] > 1 or names_somebody(hit["who"], words))
            and (not form.below or number < last)
            and not (form.apart and words.first_person.within(tokens_of(lines[number])))
        ):
            heads.setdefault(number, form)
    return heads


def _attributed(lines: Sequence[str], words: Grammar, me: str) -> set[int]:
    """The lines of those who are named in lines of their own, above or below what they say of themselves or to somebody.

    By turns, two names tell; else a name of two words, or one with a figure beside it or in a line like it: `Ana R.`, `Ana, 34`.
    """
    names = {number: name for number, line in enumerate(lines) if (name := _name_alone(line, words, me))}
    heads = [
        number
        for number in names
        if number - 1 not in names and lines[number + 1 : number + 2] and lines[number + 1].strip()
    ]
    by_turns = 1 < len({names[number] for number in heads}) < len(heads)
    if by_turns and any(_speaks(lines[number + 1], words) for number in heads):
        return set(range(heads[0], block_end(lines, heads[-1])))
    attributed: set[int] = set()
    for first, stop in blocks_of(lines):
        name_lines = [number for number in range(first, stop) if number in names]
        if not name_lines:
            continue
        figures = {number for number in range(first, stop) if _is_byline(lines[number], words)}
        last_figure = max(figures, default=-1)
        sure = [number for number in name_lines if " " in names[number] or number <= last_figure]
        spoken = [number for number in range(first, stop) if _speaks(lines[number], words, to_somebody=False)]
        signed = stop  # where the lines begin that sign it
        while signed > first and (signed - 1 in names or signed - 1 in figures):
            signed -= 1
        head = next((number for number in sure if number < signed), stop)
        if spoken and head < spoken[-1]:
            attributed.update(range(head, stop))
        elif (
            spoken
            and spoken[0] < signed <= max(sure, default=-1)
            and len(list(sentences(" ".join(lines[first:signed])))) > 1
        ):
            attributed.update(range(first, stop))
    return attributed


def block_end(lines: Sequence[str], start: int) -> int:
    """The place of the next empty line; behind the last line where there is none."""
    return next((number for number in range(start, len(lines)) if not lines[number].strip()), len(lines))


def _name_alone(line: str, words: Grammar, me: str) -> str:
    """The name of somebody else in a line of few words that is no sentence, with what stands beside it: `Ana R.`, `> tom`, `Ana, 34`; empty where there is none."""
    hit = _NAMED.match(line)
    tokens = tokens_of(line)
    if not hit or len(tokens) > _CARD or me in tokens or words.speech_words.has_any(tokens):
        return ""
    name = tokens_of(hit["who"])
    if listed("speakers").at(name) == len(name):
        return " ".join(name) if len(name) == len(tokens) else ""
    name_words = name[words.roles.at(name) :]  # `Aunt Pat`, `Gran`
    is_common = any(token in words.everyday or token in words.common for token in name_words)
    titled = listed("titles").within(name) or listed("greetings").at(name) or listed("farewells").at(name)
    return (
        ""
        if is_common or titled or (name_words and not names_somebody(" ".join(name_words), words))
        else " ".join(name)
    )


def _is_byline(line: str, words: Grammar) -> bool:
    """True for a line of a few words with a figure, that tells nothing in a sentence: `5 stars`, `3d · Edited`."""
    tokens = tokens_of(line)
    figure = any(token[0].isdigit() for token in tokens)
    is_short = len(tokens) <= _LONGEST and line.rstrip()[-1] not in ".!?:"
    return figure and is_short and not words.speech_words.has_any(tokens)


def speaks(text: str, words: Grammar, *, to_somebody: bool = True) -> bool:
    """True where somebody speaks of themselves, or to somebody."""
    tokens = tokens_of(text)
    return words.own_pronouns.within(tokens) or (to_somebody and words.second_person.within(tokens))


def _speaks(text: str, words: Grammar, *, to_somebody: bool = True) -> bool:
    """The same in whatever language: what is pasted need not be in that of the turn."""
    return any(speaks(text, language, to_somebody=to_somebody) for language in (words, grammar(UNREAD)))


def names_somebody(who: str, words: Grammar) -> bool:
    """True for what is no word of the language: a name, a nickname, a handle."""
    tokens = tokens_of(who)
    return bool(tokens) and not words.not_somebody.has_any(tokens)


def _diff_lines(lines: Sequence[str]) -> set[int]:
    """The lines of a diff, in which a value is put in the place of another: `- port = 80` and `+ port = 90`."""
    diff: set[int] = set()
    for block in blocks_of(lines):
        marked = [number for number in range(*block) if _CHANGED.match(lines[number])]
        keys = {hit.groups() for number in marked if (hit := _CHANGED_KEY.match(lines[number]))}
        if any(mark == "-" and ("+", key) in keys for mark, key in keys):
            diff.update(range(marked[0], marked[-1] + 1))
    return diff


def dialogue(lines: Sequence[str], words: Grammar) -> set[int]:
    """The lines of a talk in which each is led by who speaks: two of them, or several by turns, of themselves or to somebody."""
    labels = {number: hit for number, line in enumerate(lines) if (hit := LABEL.match(line))}
    if len(labels) < 2:
        return set()
    who = {number: " ".join(tokens_of(hit["who"])) for number, hit in labels.items()}
    order = list(who.values())
    by_turns = any(
        first == third != second for first, second, third in zip(order, order[1:], order[2:], strict=False)
    )
    speakers = {
        number for number, name in who.items() if _may_speak(labels[number], name, words, by_turns=by_turns)
    }
    names = {who[number] for number in speakers}
    spoken = any(
        "?" in lines[number] or _speaks(lines[number][labels[number].start("words") :], words)
        for number in speakers
    )
    roles = any(listed("speakers").at(name.split()) for name in names)
    if len(names) < 2 or not (by_turns or len(set(order)) == 2 or roles) or not (spoken or roles):
        return set()
    return set(range(min(speakers), block_end(lines, max(speakers))))


def _may_speak(label: re.Match[str], name: str, words: Grammar, *, by_turns: bool) -> bool:
    """True for the name or the part of somebody before what they say; a dash for a colon stands only in a talk by turns."""
    if label["dash"] and not by_turns:
        return False
    tokens = name.rstrip(" 0123456789").split()
    if not tokens:
        return False
    role = words.roles.at(tokens) == len(tokens)
    if role or listed("speakers").at(tokens) or words.people_pronouns.at(tokens):
        return True
    typed = by_turns or label["aside"] or UPPER.match(label["who"]) or _HANDLE.match(label["who"])
    return bool(typed) and names_somebody(name, words)


def _of_block(lines: Sequence[str], block: range, words: Grammar, me: str) -> range:
    """The lines of a block that others wrote: below a title, below the name of whose form it is, above who wrote it; none below `About me:`."""
    lead = lines[block.start].rstrip(" *:").casefold()
    if lead.endswith(_ABOUT_ME) and len(lead.split()) <= _HEADING:
        return range(0)
    for number in block:
        hit = LABEL.match(lines[number])
        label = tokens_of(hit["who"]) if hit and hit["mark"] else []
        if (
            hit
            and label
            and listed("owners").at(label) == len(label)
            and not (me and me in tokens_of(lines[number][hit.start("words") :]))
        ):
            return range(_first_label(lines, block, number), block.stop)
        if _is_title(lines[number], alone=len(block) == 1):
            return range(number, block.stop if number + 1 < block.stop else len(lines))
    # Terms of a small ad: `for sale`, `collection only`, `no agents`.
    terms = [n for n in block for _ in listed("adverts").places(tokens_of(_AMOUNT.sub(" ", lines[n])))]
    if len(terms) > 1:
        return range(terms[0], block.stop)
    if labels := _of_document(lines, block, me):
        return labels
    last = block[-1]
    author = _AUTHOR.match(lines[last])
    if author and not (me and me in tokens_of(author["who"])):
        return block
    if any(listed("footers").at(tokens_of(lines[number])) for number in block[-2:]):
        above = _paragraph_above(lines, block.start) if len(block) == 1 else block.start
        signed = len(block) == 1 and _name_alone(lines[above], words, me)
        return range(_paragraph_above(lines, above) if signed else above, block.stop)
    return range(0)


def _of_document(lines: Sequence[str], block: range, me: str) -> range:
    """The labelled lines of an order or an invoice that is not the speaker's: several tell, or one among other labels."""
    labels = {
        number: tokens_of(hit["who"])
        for number in block
        if (hit := LABEL.match(lines[number])) and hit["mark"]
    }
    telling = sum(listed("documents").at(label) == len(label) for label in labels.values() if label)
    is_own = me and any(me in tokens_of(lines[number]) for number in labels)
    is_document = telling and max(telling + 1, len(labels)) > 2 and not is_own
    return range(min(labels), block.stop) if is_document else range(0)


def _is_heading(lines: Sequence[str], block: range) -> bool:
    """True for a block that begins with a few words alone in a line: `Description`."""
    first = lines[block.start].strip()
    few = len(block) > 1 and len(tokens_of(first)) <= _HEADING
    return few and UPPER.match(first) is not None and first[-1] not in ".,!?;"


def _paragraph_above(lines: Sequence[str], start: int) -> int:
    """Where the paragraph above a place begins."""
    end = next((number for number in range(start - 1, -1, -1) if lines[number].strip()), 0)
    return next((number + 1 for number in range(end, -1, -1) if not lines[number].strip()), 0)


def _first_label(lines: Sequence[str], block: range, number: int) -> int:
    while number > block.start and LABEL.match(lines[number - 1]):
        number -= 1
    return number


def _is_title(line: str, *, alone: bool) -> bool:
    """True for a title and no more: `Chapter 1`, `Ticket #4471`, `Chorus:`."""
    hit = _TITLE.match(line)
    tokens = tokens_of(hit["title"]) if hit else []
    return (
        bool(hit and tokens)
        and listed("titles").at(tokens) == len(tokens)
        and bool(UPPER.match(line.strip(" #*=[(")) or (hit and hit["colon"]) or not alone)
    )


# A line of a turn → how far it asks for something to be done with a text that stands beside it: a sum of what its words show.
# No single wording tells: `what does this mean?` points and asks for a meaning, `shorter please:` names a manner and asks, `got
# this from my landlord` points and says whence. What is asked of things and of the speaker's own life holds other words, and these
# count against it.

_MOST = 16  # words of a line that asks; what is longer tells something besides
_EDGE = 3  # words at the beginning and at the end of a line
_ADJECTIVES = 2  # before a noun, at most
_END = re.compile(r"[.!?:\n]")  # of the first sentence of an answer
_COMMA = re.compile(r"[,;]\s")
_ASIDE = re.compile(r"\([^()]*\)")
_ABOVE = re.compile(r"\s*[\^↑☝👆]")  # points to what stands above
_OTHER_WORDS = 3  # that count, at most
_BARE = 4  # words, at most, of a request that points nowhere: `tldr?`


class _AskingLine(NamedTuple):
    """A line that may ask, with the grammar of its turn."""

    text: str
    tokens: Sequence[str]
    words: Grammar


def _has(name: str) -> Callable[[_AskingLine], float]:
    return lambda line: listed(name).within(line.tokens)


def is_asked(text: str, words: Grammar) -> bool:
    """True for a line that asks or orders: with its mark, by its verb, or politely at its beginning or end."""
    tokens = tokens_of(text)
    if listed("requests").within(tokens) or listed("answering").within(tokens) or listed("makers").at(tokens):
        return True
    return bool(_asks(_AskingLine(text, (*tokens[:_EDGE], *tokens[-_EDGE:]), words)))


def _asks(line: _AskingLine) -> float:
    """By its mark, by the order of its words, or politely."""
    polite = listed("askers").within(line.tokens) or line.words.politeness.within(line.tokens)
    return (
        polite or line.text.rstrip().endswith(("?", "？", ":", "：")) or clauses.asks(line.tokens, line.words)
    )


def _asks_how_it_sounds(line: _AskingLine) -> float:
    """`sounds weird?`, `make it sound nicer`; `that sounds good` only says yes."""
    return listed("tones").within(line.tokens) and (_asks(line) or listed("makers").at(line.tokens))


def _points(line: _AskingLine) -> float:
    """To something that the line does not name: `this`, but not `this bike`; `the letter` names a text."""
    if _ABOVE.match(line.text):
        return 2
    tokens, pointers = line.tokens, listed("text_pointers")
    behinds = (place + length for place, length in pointers.places(tokens))
    return any(
        behind == len(tokens)
        or any(texts.at(tokens, behind) for texts in (line.words.written_things, listed("writers")))
        or tokens[behind] not in _other_words(line)
        for behind in behinds
    )


def _is_owned(line: _AskingLine) -> float:
    """What is the speaker's own, but for people and texts, or is of the one spoken to: `my plan`, `your question`, not `my boss`."""
    tokens, words = line.tokens, line.words
    return any(
        (
            token in words.possessives_own
            and not words.written_things.at(tokens, place + 1)
            and not words.roles.within(tokens[place + 1 : place + 3])
        )
        or (token in words.second_person and token in words.determiners and token not in words.nominatives)
        for place, token in enumerate(tokens)
    )


def _is_of_another(line: _AskingLine) -> float:
    """A text that somebody else wrote: `tom's text`, `le mot de mon voisin`."""
    tokens, words = line.tokens, line.words
    return any(
        tokens[place - 1].endswith("'s")
        or (
            tokens[end : end + 1]
            and tokens[end] in words.owner_prepositions
            and words.roles.within(tokens[end : end + 3])
        )
        for place, size in words.written_things.places(tokens)
        if (end := place + size) and place
    )


def _tells(line: _AskingLine) -> float:
    """The speaker comes up, and as nobody who got it or answers it: `I like this`, `I sent this`, not `I got this`, `how do I answer`."""
    mine = [token for token in line.tokens if line.words.first_person.at((token,))]
    is_subject = line.words.nominatives.has_any(mine)
    others = (listed("receipts"), listed("answering"), *[listed("deliveries")] * (not is_subject))
    return bool(mine) and not any(other.within(line.tokens) for other in others)


def _delivered(line: _AskingLine) -> float:
    """Somebody sent, gave or wrote it, or the speaker came by it."""
    ways = (listed("deliveries"), listed("receipts"))
    return any(way.within(line.tokens) for way in ways) and not line.text.rstrip().endswith("?")


def _breaks_off(line: _AskingLine) -> bool:
    """It ends before the thing that it asks about: `a title for:`."""
    orders = line.words.tasks.at(line.tokens) or listed("makers").at(line.tokens)
    asks = orders or clauses.asks(line.tokens, line.words)  # not `the numbers you asked for:`
    return bool(_leads(line) and asks and line.words.origins.at(line.tokens[-1:]))


def _leads(line: _AskingLine) -> bool:
    return line.text.rstrip().endswith((":", "："))


def _is_work_on_a_text(line: _AskingLine) -> bool:
    """By its verb, or by what is to be made of it: `summarise`, `make this shorter`."""
    lists = ("makers", "manners")
    return listed("requests").within(line.tokens) or all(listed(name).within(line.tokens) for name in lists)


def _asks_for_nothing_else(line: _AskingLine) -> float:
    """Work on a text, an answer to it or who wrote it, and no word of anything besides."""
    is_put = listed("languages").within(line.tokens) and _leads(line)
    asks = _is_work_on_a_text(line) or listed("answering").within(line.tokens) or is_put
    tells = listed("deliveries").within(line.tokens) and not _tells(line)
    return (asks or tells) and not _other_words(line)


def _other_words(line: _AskingLine) -> Sequence[str]:
    """The words that have nothing to do with a text, nor with any other asking."""
    usual, of_text = _usual(), line.words.of_text
    return [
        token
        for token in line.tokens
        if not token[0].isdigit()
        and plain(token) not in usual
        and token not in usual
        and token not in of_text
        and token not in line.words.roles
    ]


@cache
def _usual() -> frozenset[str]:
    names = ("requests", "askers", "text_pointers", "tones", "judgements", "answering", "aspects", "makers", "manners", "languages", "deliveries", "receipts", "speakers", "whence")  # fmt: skip
    entries = (tokens_of(entry) for name in names for entry in listed(name).entries())
    return frozenset[str]().union(*SMALL.values(), *entries)


# What a line shows, and how much it says.
FEATURES: Mapping[str, tuple[float, Callable[[_AskingLine], float]]] = {
    "points to something unnamed": (1.0, _points),
    "asks": (0.5, _asks),
    "asks for work on a text": (1.5, _is_work_on_a_text),
    "and for nothing else": (1.5, _asks_for_nothing_else),
    "breaks off before its object": (2.5, _breaks_off),
    "names what only a text has": (2.0, _has("aspects")),
    "asks how words sound": (1.0, _asks_how_it_sounds),
    "judges or interprets": (1.0, lambda line: any(listed(name).within(line.tokens) for name in ("judgements", "tones"))),
    "makes something of it": (0.5, _has("makers")),
    "asks what to answer": (1.5, _has("answering")),
    "names a manner": (1.5, _has("manners")),
    "names a language": (1.0, _has("languages")),
    "says whence it came": (1.5, _has("whence")),
    "somebody delivered it": (1.5, _delivered),
    "asks about somebody unnamed": (1.5, lambda line: line.text.rstrip().endswith("?") and _somebody(line.tokens, line.words)),
    "a text of another": (2.0, _is_of_another),
    "an own thing": (-2.0, lambda line: _is_owned(line) and not _is_of_another(line)),
    "the speaker comes up": (-1.0, _tells),
    "tells the one spoken to": (-2.0, lambda line: line.words.second_person.at(line.tokens) and not line.text.rstrip().endswith(("?", "？"))),
    "a purpose": (-3.0, lambda line: line.tokens[0] in line.words.goal_prepositions and not listed("languages").within(line.tokens)),
    "it is to last": (-2.0, lambda line: line.words.lasting.within(line.tokens)),
    "other words": (-0.5, lambda line: min(_OTHER_WORDS, len(_other_words(line)))),
}  # fmt: skip


def asks_of_text(text: str, words: Grammar) -> float:
    """How far a line asks for something to be done with a text beside it, by what in it asks most."""
    return _asked_by(_asking_part(text, words), words)


def asks_beside(sentence: str, words: Grammar) -> float:
    """The same of a sentence with a text beside it in its line: it points there, or is too short to name anything, and is no yes or no."""
    line = _AskingLine(sentence, tokens_of(sentence), words)
    says_yes = listed("judgements").at(line.tokens) == len(line.tokens)  # `correct`
    if len(line.tokens) > _MOST or says_yes:
        return -math.inf
    topics = (token for token in line.tokens if token in words.order_topics)
    is_short = len(line.tokens) <= _BARE or listed("aspects").within(line.tokens)
    is_bare = is_short and not _other_words(line) and all(token in _usual() for token in topics)
    is_beside = is_bare or _points(line) or _breaks_off(line)
    asks = is_beside and (is_asked(sentence, words) or _delivered(line))
    return _asked_by(sentence, words) if asks else -math.inf


def _asking_part(text: str, words: Grammar) -> str:
    """The line, a sentence of it, what stands before its first comma, or all but an aside in brackets: whatever asks most."""
    pieces = (text.strip(), *sentences(text), _COMMA.split(text, maxsplit=1)[0], _ASIDE.sub("", text))
    return max(pieces, key=lambda piece: _asked_by(piece, words))


@lru_cache(maxsize=4096)  # each line is looked at above and below, and is often its only sentence
def _asked_by(text: str, words: Grammar) -> float:
    tokens = tokens_of(text)
    if not 0 < len(tokens) <= _MOST:
        return -math.inf
    line = _AskingLine(text, tokens, words)
    return sum(weight * feature(line) for weight, feature in FEATURES.values())


class _Beside(NamedTuple):
    """A line that may ask, and a text above or below it."""

    line: str
    text: str
    words: Grammar

    @property
    def sentences(self) -> int:
        """How many the text has."""
        return len(sentences(self.text))


def is_typed(text: str) -> bool:
    """True for words that begin with a small letter: as people type, and seldom write."""
    return re.match(r"[^\w\n]{0,3}[a-zß-ÿа-я]", text.strip()) is not None


def _ends(text: str) -> bool:
    return text.rstrip(" \"'”’»)*_").endswith((".", "!", "?", "…", ":", "。", "？", "！"))


def _speaks_to_somebody(beside: _Beside) -> bool:
    return beside.words.second_person.within(tokens_of(beside.text)) or grammar(UNREAD).second_person.within(
        tokens_of(beside.text)
    )


def _names_whom(beside: _Beside) -> bool:
    """Whom the line asks about comes up in the text: `he`, `my landlord`, `Mr Osei`."""
    words, tokens = beside.words, tokens_of(beside.text)
    if not _somebody(tokens_of(_asking_part(beside.line, words)), words):
        return False
    owned = (
        words.roles.at(tokens, n + 1) for n, token in enumerate(tokens) if token in words.possessives_own
    )
    return _somebody(tokens, words) or words.honorifics.within(tokens) or any(owned)


def _somebody(tokens: Sequence[str], words: Grammar) -> bool:
    """True where somebody comes up who is not named."""
    return words.people_pronouns.within(tokens) or listed("somebody").within(tokens)


def _is_told_alike(beside: _Beside) -> bool:
    """The text tells of `I` and `my` to nobody, in the manner of a line that asks for no answer to it."""
    return (
        is_typed(beside.line) == is_typed(beside.text)
        and not any(listed(name).within(tokens_of(beside.line)) for name in ("answering", "languages"))
        and beside.words.first_person.within(tokens_of(beside.text)) > 0
        and not _speaks_to_somebody(beside)
    )


# In what the text is in another manner than the line, and how much each says that it is not by the same hand.
CONTRASTS: Mapping[str, tuple[float, Callable[[_Beside], float]]] = {
    "has sentences": (0.5, lambda beside: beside.sentences > 1),
    "has several": (0.5, lambda beside: beside.sentences > 2),
    "is long": (0.5, lambda beside: len(tokens_of(beside.text)) > _MOST),
    "it is written, and the line typed": (1.0, lambda beside: is_typed(beside.line) and not is_typed(beside.text)),
    "other ends": (0.5, lambda beside: _ends(beside.line) != _ends(beside.text)),
    "one manner": (-1.0, lambda beside: is_typed(beside.line) == is_typed(beside.text) and _ends(beside.line) == _ends(beside.text)),
    "greets": (1.0, lambda beside: listed("greetings").at(tokens_of(beside.text)) > 0),
    "speaks to somebody": (0.5, _speaks_to_somebody),
    "whom the line asks about": (-1.5, _names_whom),
    "the speaker tells it": (-1.5, _is_told_alike),
}  # fmt: skip
ENOUGH = 2.5  # of a request and the contrast of the text that it stands beside
LEAST = -1.5  # of a request, where all contrasts speak for it
CLEAR = 2.0  # of a request that can mean a text alone; one that asks less …
VAGUE = 1.5  # … counts so much less: `thoughts?` is asked of one's own story, too


def contrast(line: str, text: str, words: Grammar) -> float:
    """How far a text is in another manner than the line beside it."""
    beside = _Beside(line, text, words)
    return sum(weight * feature(beside) for weight, feature in CONTRASTS.values())


def is_about_a_text(answer: str, text: str, words: Grammar) -> bool:
    """True for an answer that begins with what a text is or became: `The warning you see …`, `This letter …`, `Here is the corrected version`.

    Whoever tells of a letter or a book names it, so that the answer may name it too; a letter does not.
    """
    tokens = tokens_of(_END.split(answer, maxsplit=1)[0])
    tokens = tokens[words.openers.skip(tokens) :]
    if listed("reworked").within(tokens):
        return True
    determined, text_tokens = listed("definite").at(tokens), frozenset(tokens_of(text))
    return determined > 0 and any(
        tokens[place] not in text_tokens
        and any(
            nouns.at(tokens, place) for nouns in (words.written_things, listed("outputs"), listed("writers"))
        )
        for place in range(determined, min(len(tokens), determined + _ADJECTIVES + 1))
    )


# Lines of a turn → those of letters and messages that somebody else sent: signed, or as two sums of what they show tell.
# Who is named before a colon may be who wrote what stands behind it, or what the speaker tells of; who greets may greet the
# assistant.

_HAIL = re.compile(  # what stands behind a greeting in its line: `Dear Mr. Holt,`
    r"(?:\b(?:mr|mrs|ms|dr|prof|sr|sra|mme|sig|dott)\.|[^.!?:\n]){0,40}[,!:]?\Z", re.IGNORECASE
)
_LED = re.compile(r"[^:!?;\n]{1,40}?(?:\*{0,2}[ \t]?:|[ \t][-–—])\*{0,2}(?=[ \t])")
_STOPS = frozenset(".!?…")
_LEAD = 4  # words of a name that leads a line, with what stands beside it: `Lea, 8:`
_LEAVE = 7  # words of a line that takes leave, at most
_SIGNATURE = re.compile(r"[ \t]*+[^\W\d_a-zß-ÿ][\w.'-]*+(?:[ \t]++[^\W\d_a-zß-ÿ][\w.'-]*+){0,2}[ \t]*$")
_FIRST_NAMES = frozenset(lists.words("names.first"))
_FORMALLY = 2


def letter_lines(lines: Sequence[str], me: str) -> set[int]:
    """The lines of letters that greet somebody and take leave, or take leave formally, and that another one has signed."""
    letters: set[int] = set()
    start = -1
    for number, line in enumerate(lines):
        leave = _leave(line)
        if not leave and greets(line):
            start = number
        signature = next(
            (n for n in range(number + 1, min(number + 3, len(lines))) if lines[n].strip()), number
        )
        signer = signature > number and _SIGNATURE.match(lines[signature])
        if signature > number + 1 and not signer:
            signature = number  # the next paragraph is somebody's again
        thanks = tokens_of(line)
        if not leave and not (signer and listed("thanks").at(thanks) == len(thanks) > 0):
            continue
        signs = _signs(line) and not listed("thanks").at(thanks)
        if start < 0 and ((signer and leave == _FORMALLY) or signs):
            start = number
            while start and start - 1 not in letters and (lines[start - 1].strip() or start == number):
                start -= 1  # the paragraph above it
        signed = thanks if signs else tokens_of(lines[signature])
        if start >= 0 and number > start and not (me and me in signed):
            letters.update(range(start, block_end(lines, number if signs else signature)))
        start = -1
    return letters


def _signs(line: str) -> bool:
    """True for a line that takes leave and is signed: `Love, George`."""
    tokens = tokens_of(line)
    length = listed("farewells").at(tokens)
    behind = line[spans_of(line)[length - 1][1] :].strip(" ,.!") if length else ""
    return _SIGNATURE.match(behind) is not None


def _leave(line: str) -> int:
    """How a line takes leave: `_FORMALLY`, as nobody does of an assistant, otherwise, or not at all."""
    tokens = tokens_of(line)
    if len(tokens) > _LEAVE:
        return 0
    length = listed("farewells").at(tokens)
    behind = line[spans_of(line)[length - 1][1] :].strip() if length else "…"
    if not behind or behind[0] in ",.!" or behind[0].isupper():
        return 1
    return _FORMALLY * (listed("regards").within(tokens[:4]) or line.strip() == "--")


def greets(line: str, whom: str = "") -> bool:
    """True for a line of a greeting alone, or that begins with one of somebody by name; `hi Nora here` and `Hi! Nora, 52` greet nobody."""
    tokens = tokens_of(line)
    length = listed("greetings").at(tokens)
    behind = line[spans_of(line)[length - 1][1] :] if length else ""
    if not length or not whom:
        return length > 0 and _HAIL.match(behind.rstrip()) is not None
    named = tokens[length : length + 1] == (whom,) and behind.lstrip()[:1] not in _STOPS
    return named and tokens[length + 1 : length + 2] not in (("here",), ("hier",))


def message_lines(lines: Sequence[str], words: Grammar, me: str) -> set[int]:
    """The lines of messages: below a greeting they go on to an empty line or to a question."""
    messages = _led_by_names(lines, words, me)
    for number, line in enumerate(lines):
        if is_message(line, words, me):
            below = range(number + 1, block_end(lines, number))
            messages |= {number, *takewhile(lambda place: not is_asked(lines[place], words), below)}
    return messages


class _Opening(NamedTuple):
    """A line that begins with a greeting, and may be a message that somebody else sent."""

    line: str
    behind: Sequence[str]  # the tokens behind the greeting
    typed: Sequence[str]  # the same words as they were typed
    words: Grammar

    def presented(self) -> int:
        """Behind how many of them somebody is presented by name, `it's Gwen`; 0 where nobody is."""
        places = (place + length for place, length in listed("presenting").places(self.behind[:_NEAR]))
        place = next(places, 0)
        place += self.words.honorifics.at(self.behind, place)
        return (place + 1) * (
            place > 0 and self.typed[place : place + 1] != [] and self.typed[place][0].isupper()
        )

    def sentences(self, *, asking: bool) -> Iterator[Sequence[str]]:
        """The words of the sentences that ask something, or of those that do not."""
        return (
            tokens_of(sentence)
            for sentence in sentences(self.line)
            if is_asked(sentence, self.words) == asking
        )


def _comes_from(opening: _Opening) -> bool:
    behind = opening.presented()
    return behind > 0 and any(
        opening.words.origins.at(opening.behind, place) for place in (behind, behind + 1)
    )


def _greets_a_name(opening: _Opening) -> bool:
    tokens = opening.behind
    return opening.typed[0][0].isupper() and not (
        listed("speakers").at(tokens) or tokens[0] in opening.words.common
    )


def _speaks_of_the_readers(opening: _Opening) -> bool:
    return any(
        opening.words.second_person.within(tokens) or listed("formal_address").within(tokens)
        for tokens in opening.sentences(asking=False)
    )


# What a line with a greeting shows of being a message to the speaker or of the speaker's to somebody, and how much.
MESSAGE: Mapping[str, tuple[float, Callable[[_Opening], bool]]] = {
    "greets": (0.5, lambda _opening: True),
    "greets a name": (0.5, _greets_a_name),
    "with a title": (0.5, lambda opening: opening.words.honorifics.at(opening.behind) > 0),
    "says by name who writes": (0.5, lambda opening: opening.presented() > 0),
    "and whence": (1.0, _comes_from),
    "speaks to the reader": (0.75, _speaks_of_the_readers),
    "takes leave": (1.0, lambda opening: _signs([*sentences(opening.line)][-1])),
    "asks the one spoken to": (-1.0, lambda opening: any(opening.words.second_person.within(tokens) for tokens in opening.sentences(asking=True))),
}  # fmt: skip
_NEAR = 4  # words behind a greeting in which somebody is presented
_MESSAGE_SURE = 2.5


def is_message(line: str, words: Grammar, me: str) -> bool:
    """True for a line that greets as a message does: `Hello, it's Gwen from the library. The book that you reserved is in`."""
    tokens = tokens_of(line)
    length = listed("greetings").at(tokens)
    if not 0 < length < len(tokens):
        return False
    opening = _Opening(
        line, tokens[length:], [line[start:end] for start, end in spans_of(line)[length:]], words
    )
    name = opening.presented()
    is_mine = me and me in (*tokens[length : length + name], *tokens[-1:])
    return (
        not is_mine and sum(weight for weight, shows in MESSAGE.values() if shows(opening)) >= _MESSAGE_SURE
    )


class _Labelled(NamedTuple):
    """A line with a label, which may be what somebody of that name wrote."""

    label: str
    name: Sequence[str]  # the tokens of the label
    tokens: Sequence[str]  # of what stands behind it
    beside: Sequence[str]  # of the other lines of the turn
    words: Grammar


def _is_role(labelled: _Labelled) -> bool:
    return labelled.words.roles.within(labelled.name) or labelled.words.honorifics.at(labelled.name) > 0


def _is_person(name: Sequence[str], words: Grammar) -> bool:
    return name[0] in _FIRST_NAMES or words.roles.within(name)


def is_led_by_person(text: str, words: Grammar, is_somebody: Callable[[str], bool]) -> bool:
    """True for a line that is led by whom it tells of: `Lisa: mag Rosen`, `my sister - loves jazz`; not for `me: love jazz`."""
    led = _LED.match(text)
    name = tokens_of(led[0]) if led else ()
    if not 0 < len(name) <= _LEAD:
        return False
    is_own = any(token in words.first_person and token not in words.possessives_own for token in name)
    are_several = any(token[-1] == "s" and token[:-1] in words.roles for token in name)  # `the kids`
    return not is_own and (
        are_several or words.honorifics.at(name) > 0 or is_somebody(name[0]) or _is_person(name, words)
    )


def _is_kin(labelled: _Labelled) -> bool:
    noun = noun_of(labelled.label)
    is_named = len(labelled.name) > 1 and _is_role(labelled)  # `Uncle Ray`, `my brother`
    return is_named or (noun is not None and noun.field in KIN)


# What tells that the label of a line names who wrote it, and how much: it may as well name what the speaker tells of.
AUTHORS: Mapping[str, tuple[float, Callable[[_Labelled], bool]]] = {
    "a name": (1.0, lambda labelled: UPPER.match(labelled.label) is not None and names_somebody(labelled.label, labelled.words)),
    "a first name": (1.0, lambda labelled: _is_person(labelled.name, labelled.words)),
    "somebody to the speaker": (0.5, _is_role),
    "who is near or named": (0.5, _is_kin),
    "speaks to somebody": (0.5, lambda labelled: labelled.words.second_person.within(labelled.tokens)),
    "is asked about beside it": (1.0, lambda labelled: labelled.words.people_pronouns.within(labelled.beside)),
    "is told of": (-1.0, lambda labelled: labelled.words.people_pronouns.within(labelled.tokens)),
}  # fmt: skip
_AUTHOR_SURE = 2.0
_SUBJECT = 5  # words of a subject that is somebody's own, with its verb


def _led_by_names(lines: Sequence[str], words: Grammar, me: str) -> set[int]:
    """The lines that the name of somebody else leads, where all labels of the turn are the same: `Lena: ich bin allergisch gegen Soja`."""
    labels = {number: hit for number, line in enumerate(lines) if (hit := LABEL.match(line)) and hit["mark"]}
    names = {tokens_of(hit["who"]) for hit in labels.values()}
    if len(names) != 1 or not (name := names.pop()) or me in name or listed("speakers").at(name) == len(name):
        return set()
    beside = tokens_of(" ".join(line for number, line in enumerate(lines) if number not in labels))
    texts = {number: lines[number][hit.start("words") :] for number, hit in labels.items()}
    messages = {
        number: _Labelled(hit["who"], name, tokens_of(texts[number]), beside, words)
        for number, hit in labels.items()
        if _tells_of_self(texts[number], words)
    }
    return {
        number
        for number, labelled in messages.items()
        if sum(weight for weight, shows in AUTHORS.values() if shows(labelled)) >= _AUTHOR_SURE
    }


def _tells_of_self(text: str, words: Grammar) -> bool:
    """True where the speaker, or a thing of theirs, is the subject: not for `my dog, nine years old`, `call me at six`."""
    if any(token in words.first_person and token not in words.first_objects for token in tokens_of(text)):
        return True
    first = tokens_of(text.partition(",")[0])
    owned = next((place for place, token in enumerate(first) if token in words.possessives_own), len(first))
    return words.verbs.has_any(first[owned + 2 : owned + _SUBJECT])
