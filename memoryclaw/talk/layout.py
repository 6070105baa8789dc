"""Lines of a turn → those that have the form of what people paste: a chat, a transcript, a ticket, a log, a form, lyrics, code.

A form is a row of `data/pasted_forms.toml` with its example. What stands in it is not read, so it need not be in a language that is known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from memoryclaw import late
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import UNREAD, Grammar, WordList, grammar, tokens_of
from memoryclaw.text.sentences import sentences


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
    pasted.update(dialogue(lines, words))
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
