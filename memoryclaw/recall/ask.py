"""Ask: the lines that answer a question, cited, from what a recall brings up; or that there are none. No model takes part."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from functools import lru_cache, partial
from itertools import compress, islice, pairwise
from operator import attrgetter

from memoryclaw.index.stemming import language
from memoryclaw.late import NamedTuple
from memoryclaw.model import VALUE, Match, Matched, Unit
from memoryclaw.recall.question import BEFORE_WHAT, OWN_WORDS, RELATED_IN, Question, kin_of, says
from memoryclaw.recall.rank import OVER, Ranking, names_field
from memoryclaw.recall.recall import (
    Earlier,
    OwnText,
    Recalled,
    mixed,
    naming,
    recall,
    sequels,
    shows,
    text_of,
    to_do,
)
from memoryclaw.recall.relevance import is_of_another, is_other_sex, tells_of_other_sign
from memoryclaw.recall.search import RELATED, Searcher, answering_share, share_of, signs_held, signs_of
from memoryclaw.text import words as lists
from memoryclaw.text.dates import ANCHOR, falls_in, find_ranges, next_occurrence, tells_past
from memoryclaw.text.grammar import clauses, grammar_of, only_asks, tokens_of
from memoryclaw.text.language import WORD, ends_in_question, key_of, sentences, words_of
from memoryclaw.text.memory_lines import BLOCK_ID, log_line
from memoryclaw.text.snippets import snippet, without_block_ids, without_markup
from memoryclaw.vault.vocabulary import asked_as, holds_form, is_occupation, kinds_of

BUDGET = 1200  # tokens of the recall that is looked through: what a person is shown of it is less
LINES = 5  # that answer, at most
DOUBTED = 2  # of the nearest, for which a later line that ends them is looked for where none is sure
NEAREST = 10  # passages that are shown where none is sure to
DOUBT = 2  # places that a line falls among the nearest for each thing that speaks against it
_AS_MUCH = 0.7  # of what a line holds, a later one that may say otherwise; of what is asked besides a day, what answers it
# a line that is an item, a quote, a row, a heading or a property of its own
_BLOCK = re.compile(r"\s*(?:[-*+>|#]|\d+[.)]\s|[\w -]{1,40}::(?:\s|$))")
# of bullets, quotes, rows and headings, before a line; `**` begins what is bold
_MARKS = re.compile(r"(?:\s*(?:[-*+]\s|[>|]|#{1,6}\s))*\s*")
_CALLOUT = re.compile(r">\s*\[!")
_LABEL = re.compile(r"[^\W\d_][\w /-]{0,30}: ")
_COLUMN = re.compile(r"(?:^\||;) [^:;]{1,60}: ")  # the name of a cell's column
_ENDED = re.compile(r"(?<=[.!?…]); ")
_TITLE_PARTS = re.compile(" [·›] ")
_OWNER = re.compile(r"\b([^\W\d_]\w{1,39})['’]s (\w{1,39})\b")  # whose what something is
# also one of which a sentence is only the beginning
_QUOTATION = re.compile(r"“[^“”\n]*+(?:”|\Z)|(?<!\w)\"[^\"\n]*+\"")
_ONE_LINE = frozenset({"fact", "turn", "todo"})  # kinds that are one line
_UNTITLED = _ONE_LINE | {"episode"}  # whose title tells no more, or at length what else it tells
_WRITTEN = frozenset({"note", "skill"})
_SPOKEN = frozenset({"turn", "episode"})  # in which a quotation is somebody else's
# forms that are known wherever they stand; a name or a place may be in any words
_EXACT = frozenset({"when", "much"})
_PASTED = ": pasted: “"  # before what an episode quotes of others
_WAS = "(was: "  # before what an episode quotes of what held until then
_FIRST_SAID = re.compile(r"\(first said ([^()]++)\)")  # behind what an episode tells as it was put right
_ANSWERS = "– "  # with which an episode puts an answer behind its question
# Words beside the name of a field that ask for no more than its value.
_LIGHT = OWN_WORDS.union(lists.words("pronouns.light"), lists.words("relevance.asking"))
_SEVERAL = frozenset(lists.words("pronouns.several"))
_EMPLOYING, _PAYING = (frozenset(lists.words(f"pronouns.{name}")) for name in ("employing", "paying"))
_PLACES = frozenset({"lives in", "works at"})  # fields of which a place is the value
_NAMING, _BEING, _HOW = (frozenset(lists.words(f"pronouns.{name}")) for name in ("naming", "being", "how"))
_EARLIER = ("before", "before_what")  # lists of words that tell what held until then
_UNREAL = frozenset({"supposed", "joke", "asked"})
_DOUBTS = _UNREAL | {"hedged"}
_ONE_NAME = 2  # words
_FEW = 8  # words of a heading
_COLUMNS = 72  # characters: where a line is longer, its text may go on below it
_WIDE, _AROUND = 300, 600  # characters of a line, and of a passage


class AnswerLine(NamedTuple):
    """One line that answers, and where it stands."""

    text: str  # of what is only near, with the lines around it
    title: str  # of its note; of a fact and a turn, the text says all
    id: str
    kind: str
    path: str
    line: int
    when: str
    trust: str
    share: float  # of the question's weight that it holds
    against: tuple[str, ...] = ()  # what keeps it from being sure
    best: str = ""  # the line itself, where the text has more


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredQuestion(Recalled):
    """What answers a question: `lines` do where it is `answered`, else they are only the nearest."""

    answered: bool = False
    lines: tuple[AnswerLine, ...] = ()


class _Candidate(NamedTuple):
    """The line of a match that answers best, and how it reads with the lines around it."""

    line: AnswerLine
    passage: str
    is_certain: bool  # its field is what the question asks for: later talk is reconciled with it
    tells_day: bool  # it names a day that is asked about
    naming_rank: int  # how much its field is asked for by its own name, not only by related words
    until: str = ""  # the day on which it ceased to hold, where what held before is asked for


# a text → its pieces, each with why it need not be so
Doubts = Callable[[str], Iterable[tuple[str, AbstractSet[str]]]]


def ask(
    searcher: Searcher,
    text: str,
    *,
    budget: int,
    max_results: int,
    least: float,
    own: OwnText,
    doubts: Doubts = lambda text: ((text, frozenset()),),
) -> AnsweredQuestion:
    """The lines of a recall that answer its question.

    Args:
        max_results: whole notes in it.
        least: a line answers only if it holds so much of the question's weight.
        own: what of the text of a turn, and of who said it, is that one's own: what is pasted answers nothing for sure.
        doubts: nor does what somebody only supposes, guesses, asks or says in jest.
    """
    with searcher.reading():
        ranking = searcher.find(text, newest=True)
        lists_duties = ranking.question.lists_duties
        ranking = to_do(searcher, ranking)
        recalled = recall(
            searcher, text, goal="", session="", budget=budget, max_results=max_results, floor=False, own=own, ranking=ranking
        )  # fmt: skip
        candidates = [*_candidates(searcher, ranking, recalled.matches, least, own)]
        candidates = _without_slips(candidates, recalled.matches)
    passes = recalled.relevance.passes
    question = ranking.question
    form = question.form
    # What is of a day that is asked about says something of it, in whatever words.
    is_of_somebody = question.of_myself or bool(question.any_entity)
    if not passes:
        candidates = [
            candidate
            for candidate in candidates
            if candidate.line.share
            or (question.days and is_of_somebody and "day" not in candidate.line.against)
        ]
    places = sorted(range(len(candidates)), key=lambda at: at + DOUBT * len(candidates[at].line.against))
    candidates = [candidates[at] for at in places]

    asked = frozenset(words_of(text))
    is_supposed = partial(_is_only_supposed, question, doubts, _DOUBTS)
    is_unreal = partial(_is_only_supposed, question, doubts, _UNREAL)
    is_day_told = any(candidate.tells_day for candidate in candidates)

    def is_sure(candidate: _Candidate) -> bool:
        # Of a day its own words tell more than what was said on it; all that was on it answers, unless more is asked.
        is_part = bool(question.days and question.weights) and candidate.line.share < _AS_MUCH
        if (is_day_told and not candidate.tells_day) or (is_part and not candidate.is_certain):
            return False
        known = candidate.is_certain or lists_duties or bool(question.days)
        if known or not (passes or question.of_myself):
            return known and not candidate.line.against
        rivals = [rival for rival in _rivals(candidate.line, candidates) if not is_unreal(rival)]
        same = [rival for rival in rivals if _says_same(candidate.line, rival, asked)]
        if any("beside" in rival.against for rival in same):
            return False  # what was read from it is another thing than what is asked
        # All that is asked stands there, and nowhere else but in a fact that was read from it.
        is_only = candidate.line.share >= 1 and all(rival in same for rival in rivals)
        needs_form = form in _EXACT or _names_none(question, candidate.line)
        against = set(candidate.line.against) - ({"form"} if is_only and not needs_form else set())
        later = (
            rival
            for rival in _rivals(candidate.line, candidates, RELATED)
            if rival.when > candidate.line.when and not is_unreal(rival)
        )
        is_doubtful = against or (candidate.line.when and any(later))
        return not (is_doubtful or is_supposed(candidate.line))

    # `occupation` before `doctor`, where one's job is asked for, and before `lives in`, for `what do I do for a living`
    order = attrgetter("is_certain", "naming_rank", "line.share")
    answering = sorted(filter(is_sure, candidates), key=order, reverse=True)
    if answering and _only_denies(question, answering[0].line):
        answering = []  # what is said beside it is no answer in its place
    if before := sorted(filter(attrgetter("until"), answering), key=attrgetter("until"), reverse=True):
        return _answered(recalled, [candidate.line for candidate in before[:LINES]])
    if not candidates:
        return _answered(recalled, (), is_sure=False)
    with searcher.reading():
        later = _sequels(searcher, ranking, answering[:LINES] or candidates[:DOUBTED], own)
        candidates = [
            line for candidate in candidates for line in (*later.get(candidate.line.id, ()), candidate)
        ]
        answering = [candidate for candidate in answering if candidate.line.id not in later]
        best = [candidate.line for candidate in answering[:LINES] or candidates[:1]]
        news = _news(searcher, ranking, best, own)
        newest = [*islice((candidate for candidate in news if not _is_doubtful(candidate.line, doubts)), 1)]
    if answering:
        return _answered(recalled, [*best, *(candidate.line for candidate in newest)])
    nearest = _nearest([*candidates[:1], *newest, *candidates[1:]])
    return _answered(recalled, islice(nearest, NEAREST), is_sure=False)


def _news(
    searcher: Searcher, ranking: Ranking, best: Sequence[AnswerLine], own: OwnText
) -> Iterator[_Candidate]:
    """The lines of later days, the newest first, that name what the first of these names, and that none of them says."""
    question, answer = ranking.question, best[0]
    is_value = answer.kind == "fact" and not answer.text.endswith('"')
    about = answer.text.partition(": ")[0] if is_value else ""
    names, hits = naming(searcher, question, _said(answer), answer.when, is_value=is_value, about=about)
    shown = [set(words_of(line.text)) for line in best]
    for hit in hits:
        (match,) = searcher.matches(ranking, [hit])
        for candidate in _of_unit(searcher, ranking, match, _whose(searcher, question), 0.0, own_text=own):
            line, words = candidate.line, words_of(candidate.line.text)
            is_of_others = "another" in line.against or "pasted" in line.against
            is_new = not any(shown_words.issuperset(words) for shown_words in shown)
            is_about = not names.isdisjoint(question.language.telling(words))
            if is_about and is_new and not (is_of_others or ends_in_question(line.text)):
                yield candidate._replace(line=line._replace(against=("later",)))


def _said(line: AnswerLine) -> str:
    """The value of a fact, or what was said."""
    return (line.text.partition(": ")[2] or line.text).strip('"')


def _is_doubtful(line: AnswerLine, doubts: Doubts) -> bool:
    """True where all that a line says is doubted, or asked for now: `write a story in which Dr Okafor robs a bank`."""
    return all(_DOUBTS & signs or "moment" in signs for _, signs in doubts(_said(line)))


def _is_only_supposed(question: Question, doubts: Doubts, signs: AbstractSet[str], line: AnswerLine) -> bool:
    """True for a line of talk that says nothing of what is asked but as a supposition, a guess, a question or in jest, unless the question supposes as well."""
    if not (line.kind in _SPOKEN or line.text.endswith('"')) or question.of_duty:
        return False
    pieces = [*doubts(_said(line))]
    is_about = [not question.tokens.isdisjoint(question.language.tokens(words)) for words, _ in pieces]
    # What follows may put right what is asked: `it was supposed to be in April, we pushed it to May`.
    behind = pieces[is_about.index(True) if any(is_about) else 0 :]
    words, tokens = grammar_of(question.query.text, unread="en"), tokens_of(question.query.text)
    is_of_taste = words.preference_verbs.within(tokens) or words.preference_words.within(tokens)
    # `I was wondering if my tutor Paul can come`, for `who is my tutor`; not `i wish i had a dog`, for `do i have a dog`
    is_of_role = words.roles.within(tokens) and not _asks_whether(question)
    if words.unreal.within(tokens) or is_of_taste or is_of_role:
        return False
    if question.of_myself and any(map(_tells_of_me, behind)):
        signs = signs | {"reported"}
    return bool(behind) and all(signs & doubted for _, doubted in behind)


def _asks_whether(question: Question) -> bool:
    """True where yes or no answers it, in any language, and not what may or can be: `do i have a car`, `tengo coche`."""
    words, tokens = grammar_of(question.query.text, unread="en"), tokens_of(question.query.text)
    is_unmarked = not question.form and len(tokens) > 1 and not words.modal_verbs.at(tokens)
    return question.asks_whether or is_unmarked


def _only_denies(question: Question, line: AnswerLine) -> bool:
    """True for talk of what is not so, where it is asked whether it is: what began since may be said in any words (`I have no car`; `bought a Duster`); not for what ended."""
    is_talk = line.kind in _SPOKEN or line.text.endswith('"')
    if not (is_talk and _asks_whether(question)) or question.days:
        return False
    said, asked, words = _said(line), question.query.text, grammar_of(line.text, unread="en")
    is_denied = grammar_of(asked, unread="en").negations.within(tokens_of(asked))
    if is_denied or words.ended.within(tokens_of(said)):
        return False
    parts, telling = clauses(said, words), question.language.tokens
    about = [part for part in parts if not question.tokens.isdisjoint(telling(" ".join(part.tokens)))]
    return all(words.negations.within(part.tokens) for part in about or parts)


def _tells_of_me(piece: tuple[str, AbstractSet[str]]) -> bool:
    """True for what others think or say that oneself is or does: `my mum thinks i work for the post`; not `the bank says my card is on its way`."""
    text, signs = piece
    words, tokens = grammar_of(text, unread="en"), tokens_of(text)
    places = words.reporting_verbs.places(tokens) if "reported" in signs else ()
    behind = [tokens[place + size :] for place, size in places]
    me = [said[words.subordinators.at(said) :][:1] for said in behind]
    return any(words.first_person.has_any(token) and token[0] not in words.possessives_own for token in me)


def _names_none(question: Question, line: AnswerLine) -> bool:
    """True for a line without a name, where it is asked which one of a kind, or what one is called: `the boiler broke down`, for `which boiler do we have`."""
    asked = frozenset(words_of(question.query.text))
    asks_name = question.of_which or (len(question.weights) == 1 and not _NAMING.isdisjoint(asked))
    text = line.text.partition(": ")[2] if line.kind in _SPOKEN else line.text
    if not asks_name or ":" in text:
        return False
    tokens, words = tokens_of(text), grammar_of(text, unread="en")
    is_one = any(words.be_verbs.at([be]) and word in words.indefinite_words for be, word in pairwise(tokens))
    return not (is_one or holds_form("who", line.text, asked, question.today))


def _answered(recalled: Recalled, lines: Iterable[AnswerLine], *, is_sure: bool = True) -> AnsweredQuestion:
    fields = {field.name: getattr(recalled, field.name) for field in dataclasses.fields(recalled)}
    return AnsweredQuestion(**fields, answered=is_sure, lines=tuple(lines))


def _sequels(
    searcher: Searcher, ranking: Ranking, shown: Iterable[_Candidate], own: OwnText
) -> dict[str, list[_Candidate]]:
    """The lines of later units that say that something of these lines holds no longer, whatever was asked; by the id of the line."""
    lines = [
        Earlier(answer.line.id, answer.line.when, answer.line.text) for answer in shown if answer.line.when
    ]
    later: dict[str, list[_Candidate]] = {}
    for sequel in sequels(searcher, ranking.question, lines):
        (match,) = searcher.matches(ranking, [sequel.hit])
        candidates = _of_unit(searcher, ranking, match, frozenset(), 0.0, own_text=own)
        said = set(words_of(sequel.sentence))
        if line := next(
            (candidate for candidate in candidates if said <= set(words_of(candidate.line.text))), None
        ):
            later.setdefault(sequel.of, []).append(line)
    return later


def _rivals(line: AnswerLine, others: Iterable[_Candidate], part: float = _AS_MUCH) -> list[AnswerLine]:
    """The lines of other units that hold such a part as much of the question, and are of whom it asks about."""
    enough = part * line.share
    lines = (other.line for other in others if other.line.share >= enough and other.line.id != line.id)
    return [rival for rival in lines if "another" not in rival.against]


def _says_same(line: AnswerLine, other: AnswerLine, asked: AbstractSet[str]) -> bool:
    """True for a fact and the line from which it was read: all that it says stands there, and more than the words that are asked."""
    of_fact, of_line = (line, other) if line.kind == "fact" else (other, line)
    value_words = set(words_of(of_fact.text.partition(": ")[2]))
    is_read = of_fact.kind == "fact" != of_line.kind
    return is_read and not value_words <= asked and value_words <= set(words_of(of_line.text))


def _nearest(candidates: Iterable[_Candidate]) -> Iterator[AnswerLine]:
    """The lines that may answer, with those around them; none that another one shows already, and turns of one log together, in their order."""
    passages: dict[str, list[_Candidate]] = {}
    shown: list[set[str]] = []
    for candidate in candidates:
        line, words = candidate.line, set(words_of(candidate.line.text))
        if any(words <= passage for passage in shown):
            continue
        shown.append(set(words_of(candidate.passage)))
        of_log = passages.get(line.path, []) if line.kind == "turn" else []
        if of_log and sum(len(turn.passage) + 1 for turn in (*of_log, candidate)) < _AROUND:
            of_log.append(candidate)
        else:
            passages[line.id if of_log or line.kind != "turn" else line.path] = [candidate]
    for best, *others in passages.values():
        turns = sorted((best, *others), key=lambda turn: turn.line.line)
        text = turns[0].passage
        for before, turn in pairwise(turns):
            gap = "\n" if turn.line.line == before.line.line + 1 else "\n…\n"
            text += f"{gap}{turn.passage}"
        yield best.line._replace(text=text, best=best.line.text)


def _candidates(
    searcher: Searcher, ranking: Ranking, matches: Sequence[Match], least: float, own: OwnText
) -> Iterator[_Candidate]:
    """The best line of each match that says something new, in rank order."""
    spoken: list[set[str]] = []
    kinds: dict[tuple[str, int], str] = {}
    whose = _whose(searcher, ranking.question)
    for match in matches:
        for candidate in _of_unit(searcher, ranking, match, whose, least, own_text=own):
            line = candidate.line
            if kinds.setdefault((line.path, line.line), line.kind) != line.kind:
                break  # a property, and the line of its note that it stands on
            words = set(words_of(line.text))
            is_known_field = candidate.is_certain or "beside" in line.against
            is_new = is_known_field or not any(words <= words_said for words_said in spoken)
            is_question = line.kind not in _WRITTEN and ends_in_question(line.text)
            if words and not is_question and is_new:
                spoken.append(words)
                yield candidate
                break


def _whose(searcher: Searcher, question: Question) -> AbstractSet[str]:
    """The keys of whom a question is about."""
    whose: AbstractSet[str] = question.any_entity.keys() | question.any_person.keys()
    # `my landlord before Mr Dunne`
    is_own = question.of_myself and (question.of_before or whose <= question.called.keys())
    return whose | searcher.own_keys() if is_own else whose


def _of_unit(
    searcher: Searcher,
    ranking: Ranking,
    match: Match,
    whose: AbstractSet[str],
    least: float,
    *,
    own_text: OwnText,
) -> Iterator[_Candidate]:
    """The lines of a unit, those that hold most first, and of these what least speaks against."""
    unit, question = match.unit, ranking.question
    asked = frozenset(words_of(question.query.text))
    in_folder = unit.kind == "fact" and question.names_folder(match.path)
    if _has_namesake(ranking, match):
        unit = unit._replace(entity=f"{match.path.rpartition('/')[0].rpartition('/')[2]}/{unit.entity}")
    text = text_of(unit) if unit.kind in _ONE_LINE else without_block_ids(unit.text)
    is_one = unit.kind in _ONE_LINE and (unit.kind != "turn" or len(text) <= 160)
    pieces = [(0, text)] if is_one else [*_pieces(_with_names_of_cells(text))]
    pieces = _without_title(pieces) if unit.kind == "episode" else pieces
    days_told = searcher.lines_of_days(ranking, match, [text for _, text in pieces])
    on_day = _on_day(question, match, pieces, days_told)
    plain, lines_below = pieces, _lines_below(pieces, text) if unit.kind in _WRITTEN else {}
    pieces, texts = _led(unit, plain, lines_below)
    if is_one:
        matched = [hit for hit in match.matched if hit.via not in ("neighbour", "vector")]
        share = answering_share(ranking, [*matched, *_due(ranking, match)])
        shares = [share * signs_held(signs_of(ranking), text)]
    elif question.weights:
        shares = searcher.shares_of_lines(ranking, match, texts)
    else:  # of a time alone, the lines of that time answer
        shares = [*map(float, on_day)]
    own, turns = shares, _turns(unit)
    within = [*_within_quotation(pieces)] if unit.kind in _SPOKEN else [False] * len(pieces)
    cells = {at: _COLUMN.sub(" ", piece) for at, (_, piece) in enumerate(pieces) if piece.startswith("| ")}
    shares_of_cells = searcher.shares_of_lines(ranking, match, [*cells.values()])
    # A heading with its lines, of which any may have the words, and a row that has them in the names of its columns alone.
    unsure = {*lines_below, *compress(cells, [not share for share in shares_of_cells])}
    quoting = [at for at, (_, piece) in enumerate(pieces) if _QUOTATION.search(piece)]
    if unit.kind in _SPOKEN and quoting:
        unquoted = [_QUOTATION.sub(" ", pieces[at][1]) for at in quoting]
        own_of = dict(zip(quoting, searcher.shares_of_lines(ranking, match, unquoted), strict=True))
        own = [own_of.get(at, share) for at, share in enumerate(shares)]
    is_named = bool(unit.field) and _names_field(question, unit)
    is_holder = is_named and _is_holder(question, unit)
    is_beside = is_named and not is_holder and _is_beside(question, unit)
    is_asked_about = in_folder or is_holder or key_of(unit.entity) in whose
    is_certain = is_named and not is_beside and is_asked_about
    is_direct = is_certain and names_field(question, unit)
    naming_rank = _naming_rank(unit, asked) if is_direct else 0
    is_before = question.of_before and unit.state == "superseded" and not _is_named(unit.value, question)
    is_another = (is_named and not is_certain) or (unit.field == "is" and not is_asked_about)
    is_another = (
        is_another and question.of_myself and not (question.any_person or _only_names(question, unit))
    )
    is_told_of_another = partial(_is_of_another, searcher, question, unit)
    doubted = searcher.doubted(ranking)
    is_guess = bool(question.weights) and not (
        is_certain or share_of(ranking, [match]) or _due(ranking, match)
    )
    quoted = unit.text.split("\n") if unit.kind == "episode" else ()  # words of others stand behind `pasted:`
    pasted = [bool(quoted) and _PASTED in quoted[line] for line, _ in pieces]
    if whole := mixed(unit, own_text):
        shown = [(number, whole.marked(piece)) for number, piece in pieces]
        pasted = [piece != typed for (_, piece), (_, typed) in zip(shown, pieces, strict=True)]
        pieces = shown
    against = [
        (
            *_against(match, question, piece, share, least, is_asked=is_certain),
            *(["pasted"] if is_pasted else ()),
            *(["assistant"] if within[at] else ()),
            *(["untold"] if not is_certain and _tells_nothing(question, unit, piece) else ()),
            *(["untold"] if unit.kind in _WRITTEN and ends_in_question(piece) else ()),
            *(["another"] if is_another or (share and is_told_of_another(piece)) else ()),
            *(["doubted"] if any(value in piece for value in doubted) else ()),
            *([] if is_on_day else ["day"]),
            *(["present"] if question.of_before and not (is_before or says(piece, *_EARLIER)) else ()),
            *(["beside"] if is_beside else ()),
            # no word but related ones: a `capo` may be another's direttore
            *(["guessed"] if is_guess or (at in unsure and not question.days) else ()),
        )
        for at, ((_, piece), share, is_pasted, is_on_day) in enumerate(
            zip(pieces, own, pasted, on_day, strict=True)
        )
    ]
    if question.form == "where":  # `Hana is my physio`, above `she's at the Leith clinic`
        against = [
            (*bound, "below") if "form" in bound and "form" not in next_ else bound
            for bound, next_ in zip(against, [*against[1:], ("form",)], strict=True)
        ]
    is_log = unit.kind in _WRITTEN and not question.days and max(shares, default=0.0) > 0
    dated = {at: _day_told(texts[at]) for at in range(len(pieces)) if is_log and shares[at] == max(shares)}
    led = lines_below.keys() if not question.days else ()

    def order(at: int) -> tuple[float, ...]:
        """What holds most first, a line before a heading with its lines, of the dated lines of a log the newest."""
        part = shares[at] * (_AS_MUCH if at in led else 1.0)
        return "day" in against[at], -part, at in led, len(against[at]), -dated.get(at, 0)

    for at in sorted(range(len(pieces)), key=order):
        line, text = pieces[at]
        last = lines_below.get(at, at)
        if last == at and at + 1 < len(plain) and _is_heading(text):  # a day says when the line below it was
            last = at + 1
            text = _headed(text, [plain[last][1]])
        read = snippet(without_markup(_MARKS.sub("", text, count=1)), match.surfaces, _WIDE).text
        read += f" ({searcher.why_check(match.path, unit.line, match.overdue)})" if _is_doubted(match) else ""
        title = "" if unit.kind in _UNTITLED else unit.title
        answer = AnswerLine(
            read, title, unit.id, unit.kind, match.path, unit.line + line, unit.when[:10], unit.trust, round(shares[at], 4), against[at],
        )  # fmt: skip
        until = unit.until[:10] if is_before else ""
        passage = _passage(plain, at, last, read, turns)
        yield _Candidate(answer, passage, is_certain, bool(days_told[at]), naming_rank, until)


def _naming_rank(unit: Unit, asked: frozenset[str]) -> int:
    """How much a question names a field: by a word of the same stem, by a word by which people ask for it, or by the whole of its name, the longer the more: `work address`."""
    name = words_of(unit.field)
    if asked.issuperset(name):
        return 2 + len(name)
    return 1 if asked_as(unit.field, unit.value).isdisjoint(asked) else 2


def _without_slips(candidates: Iterable[_Candidate], matches: Iterable[Match]) -> list[_Candidate]:
    """The candidates, of which a turn is doubted that has a value as it was said first, where an episode tells it as it was put right."""
    fixed = [
        (match.unit.when[:10], frozenset(words_of(line)), words_of(slip))
        for match in matches
        if match.unit.kind == "episode"
        for line in match.unit.text.split("\n")
        for slip in _FIRST_SAID.findall(line)
    ]

    def is_slip(line: AnswerLine) -> bool:
        words = words_of(line.text)
        return line.kind == "turn" and any(
            line.when == day and set(slip) <= set(words) <= line_words for day, line_words, slip in fixed
        )

    return [
        candidate._replace(line=candidate.line._replace(against=(*candidate.line.against, "doubted")))
        if is_slip(candidate.line)
        else candidate
        for candidate in candidates
    ]


def _has_namesake(ranking: Ranking, match: Match) -> bool:
    """True for a property of a note in a folder, where a note of its name in another one has one as well."""
    key, name = key_of(match.unit.entity), match.path.rpartition("/")[2]
    return "/" in match.path and any(
        unit.kind == match.unit.kind == "fact" and unit.entity_key == key
        and unit.path != match.path and unit.path.rpartition("/")[2] == name
        for unit in (hit.unit for hit in ranking.units)
    )  # fmt: skip


def _without_title(pieces: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The pieces of an episode without a title that only says again what stands below."""
    below = [piece for piece in pieces if piece[0]]
    words_below = {word for _, text in below for word in words_of(text)}
    above = {word for line, text in pieces if not line for word in words_of(text)}
    return below if above <= words_below else pieces


def _turns(unit: Unit) -> list[int]:
    """How far down each line of a text was said: of an episode by the turn that it quotes, of its title 0."""
    lines = unit.text.split("\n")
    if unit.kind != "episode":
        return [*range(len(lines))]
    return [log_line(hit[1]) if (hit := BLOCK_ID.search(line)) else 0 for line in lines]


def _is_holder(question: Question, unit: Unit) -> bool:
    """True where a question asks for whom its field has its value: `who works at Bosch`."""
    is_of_whom = question.form == "who" and unit.kind == "fact" and unit.state == "current"
    return is_of_whom and _is_named(unit.value, question) and not _is_named(unit.entity, question)


def _is_beside(question: Question, unit: Unit) -> bool:
    """True where what is asked is another thing than what a fact holds: something of whom it names (`what can't my cat eat`), or other than its value, which the question names (`besides Osteria Lupo`)."""
    if _only_names(question, unit):
        return True
    if question.asks_whether or question.of_before or question.days:
        return False
    tokens_of_text, typed = question.language.tokens, words_of(question.query.text.replace("’", "'"))
    kinds = kinds_of(unit.field)
    is_place = unit.field in _PLACES and question.form not in ("", "where")
    is_for = unit.field == "works at" and not _EMPLOYING.isdisjoint(typed)
    if is_place and kinds.isdisjoint(typed) and not is_for:
        return True  # `who do I live with`, `what am I working on`
    asked_so = " ".join(asked_as(unit.field, unit.value))  # `Susan's phone number`
    of_field = question.fields.get(unit.field, "")
    if key_of(unit.entity) in question.called:  # `Ulla's boss`
        of_field = " ".join((of_field, *question.entities.values()))
    held_tokens = {*tokens_of_text(f"{unit.entity} {unit.field} {unit.value} {asked_so} {of_field}")}
    akin = {
        word
        for leaf in (*question.related, *question.aliases)
        if not held_tokens.isdisjoint(leaf.clause.text.split())
        for word in leaf.word.split()
    }
    kind = (
        "" if kinds or OWN_WORDS.intersection(typed) else next(iter(typed[1:2]), "")
    )  # `what band do I play in`
    held_tokens |= {*tokens_of_text(f"{kind} {' '.join((*kinds, *akin))}")}
    paying = _PAYING.intersection(typed)
    if paying:
        from memoryclaw.vault.fact_values import is_amount  # noqa: PLC0415 - most questions are of no price

        paying = paying if is_amount(unit.field) else frozenset()
    unheld = [
        word
        for before, word in zip(["", *typed], typed, strict=False)
        if word in question.weights
        and before not in BEFORE_WHAT  # `before breakfast`
        and word.rpartition("'")[2] not in _LIGHT | paying  # `s'appelle`
        and not held_tokens.issuperset(tokens_of_text(word.partition("'")[0]))
        and not held_tokens.issuperset(tokens_of_text(word.removesuffix("s")))  # `Anas Nummer`
    ]
    return bool(unheld) or (unit.field != VALUE and _is_named(unit.value, question))


def _only_names(question: Question, unit: Unit) -> bool:
    """True for what tells only who it is of whom something else is asked: `my sister's name is Ana`, for `what does my sister do?`."""
    is_called = key_of(unit.value) in question.called
    if not is_called and key_of(unit.entity) in question.called and not question.asks_whether:
        from memoryclaw.vault.fact_values import KIN  # noqa: PLC0415 - most questions are of nobody's kin

        is_called = unit.field in KIN  # `what does my brother's wife do?`
    if not is_called or question.form != "what" or question.of_you or _is_named(unit.value, question):
        return False
    typed = words_of(question.query.text.replace("’", "'"))
    words = {*typed, *(word.rpartition("'")[2] for word in typed)}
    is_who = not (question.asks_whether or _HOW.intersection(words)) and _BEING.intersection(words)
    return not (is_who or _NAMING.intersection(words))


def _is_named(value: str, question: Question) -> bool:
    """True where a question says a value itself: `who was my landlord before Mr Dunne`."""
    return set(words_of(value)) <= set(words_of(question.query.text))


def _is_of_another(searcher: Searcher, question: Question, unit: Unit, text: str) -> bool:
    """True for what somebody says who is none of the people asked about, and names none of them; of oneself, for what is told of others."""
    if tells_of_other_sign(question.query.text, unit.value or text):
        return True
    if _names_relative(question, text) or _is_possessed_by_others(question, f"{unit.entity} {text}"):
        return True
    people = question.any_person
    if people and unit.kind == "turn" and key_of(unit.entity) not in people:
        language = question.language
        named = {token for key in people for token in language.tokens(key)}
        if named.isdisjoint(language.tokens(text)):
            return True
    if not question.of_myself:
        return False
    speaker, _, said = text.partition(": ") if unit.kind in _SPOKEN else ("", "", text)
    return is_of_another(question, unit.value or said or speaker, searcher.names, searcher.own_keys())


def _is_possessed_by_others(question: Question, text: str) -> bool:
    """True for a text that tells of a thing of others, where the same thing of somebody is asked about whom it does not name: `Tom's birthday`, of `Ana's birthday`."""
    asked = {(key_of(owner), key_of(thing)) for owner, thing in _OWNER.findall(question.query.text)}
    asked = {(owner, thing) for owner, thing in asked if owner in question.any_entity}
    named = set(key_of(text).split()) if asked else set()
    others = {key_of(thing) for owner, thing in _OWNER.findall(text)} if asked else ()
    return any(thing in others and not named & set(owner.split()) for owner, thing in asked)


def _names_relative(question: Question, text: str) -> bool:
    """True for a text with the last name of somebody who is asked about behind another first name alone: `Anna Smith's extension`, of `john smith`."""
    asked = set(key_of(question.query.text).split())
    names = [key.split() for key in question.any_entity if " " in key and asked.issuperset(key.split())]
    typed = [word.partition("'")[0] for word in WORD.findall(text.replace("’", "'"))] if names else []
    pairs = [(before, key_of(word)) for before, word in pairwise(typed) if before[:1].isupper()]
    words = {key_of(word) for word in typed}
    return any(first not in words and any(word == last for _, word in pairs) for first, *_, last in names)


def _tells_nothing(question: Question, unit: Unit, text: str) -> bool:
    """True for a line that asks without a mark, that says no more than the question, or that was only dreamt."""
    text = text.partition(": ")[2] or text if unit.kind in _SPOKEN else unit.value or text
    is_repeated = _is_named(text, question) and not question.asks_whether
    asked, _, answer = text.rpartition(_ANSWERS)
    is_replied = _QUOTATION.sub("", answer).rstrip().endswith(":")  # by the assistant alone
    is_asking = unit.kind in _SPOKEN and only_asks(asked if is_replied else text)
    is_asking = is_asking and (is_replied or not asked)
    return is_repeated or is_asking or (says(text, "unreal") and not says(question.query.text, "unreal"))


def _names_field(question: Question, unit: Unit) -> bool:
    """True where a question asks for the field of a fact; of several values, whether one holds, only for that one, or for its opposite."""
    if any(is_other_sex(unit.field, word) for word in words_of(question.query.text)):
        return False
    is_named = names_field(question, unit) or question.means_field(unit.field)
    if question.asks_whether and not question.days:
        from memoryclaw.vault.fact_values import OPPOSITES, holds_many  # noqa: PLC0415 - most questions ask for a value

        opposite = OPPOSITES.get(unit.field, "")
        if opposite or holds_many(unit.field, None):
            is_named = is_named or question.names_field(opposite) or question.means_field(opposite)
            return is_named and not question.tokens.isdisjoint(question.language.tokens(unit.value))
    return is_named


def _is_heading(text: str) -> bool:
    """True for a line that is marked as a heading, or is nothing but a day."""
    return text.startswith("#") or not words_of(find_ranges(text, ANCHOR)[1])


def _on_day(
    question: Question, match: Match, pieces: Sequence[tuple[int, str]], days_told: Sequence[bool | None]
) -> list[bool]:
    """Which pieces are of a time that is asked about: those that tell a day of it or stand below it; where none does, all of a unit of that time but those that tell another day."""
    if not any(days_told):
        is_of_time = any(cause.via == "date" for cause in match.matched) or not question.days
        return [is_of_time and tells is None for tells in days_told]
    below, of_day = False, []
    for (_, text), tells in zip(pieces, days_told, strict=True):
        below = bool(tells) if _is_heading(text) else below
        of_day.append(bool(tells) or below)
    return of_day


def _against(
    match: Match, question: Question, text: str, share: float, least: float, *, is_asked: bool
) -> Iterator[str]:
    """What keeps a line from being sure to answer."""
    unit, form = match.unit, question.form
    words = frozenset(words_of(question.query.text))
    asked, _, answer = text.rpartition(_ANSWERS) if unit.kind in _SPOKEN else ("", "", text)
    answer = _QUOTATION.sub(" ", f"is {answer}" if asked else answer)
    telling = f"{unit.field} {unit.value}" if unit.kind == "fact" else answer
    is_holder = is_asked and _is_holder(question, unit)
    fields_told = _verb_fields(answer) if form == "where" else frozenset()
    is_another = fields_told and fields_told.isdisjoint(_verb_fields(question.query.text) or fields_told)
    if not is_asked and (share < least or is_another):
        yield "words"
    has_form = is_holder or holds_form(form, telling, words, question.today)
    if form == "what":
        is_duty = unit.kind == "todo" or (unit.role != "assistant" and says(answer, "duty"))
        has_form = is_asked or (question.of_duty and is_duty)
    if form and not (question.days or has_form):
        yield "form"
    yield from ["reason"] * (says(question.query.text, "why") and _gives_no_reason(answer))
    if any(not mark.line or shows(text, mark.line) for mark in match.superseded):
        yield "superseded"
    if match.conflicts:
        yield "conflict"
    if _is_doubted(match):
        yield "doubted"
    # Somebody is so in another way than by trade, or something else of the trade is asked for: `a mother`; where one works.
    is_no_trade = unit.field == "is" and (form != "what" or not is_occupation(unit.value))
    is_guessed = _is_one_of_several(question, unit) if is_asked else is_no_trade
    if is_guessed or question.parted:  # a car is no car key
        yield "guessed"
    if _is_over(question, unit, text):
        yield "over"
    if unit.role == "assistant":
        yield "assistant"


def _gives_no_reason(text: str) -> bool:
    """True for a single clause without a word for a reason."""
    text = text.partition(": ")[2] or text
    return not says(text, "reason") and len(clauses(text, grammar_of(text, unread="en"))) <= 1


@lru_cache(maxsize=1024)  # a question of each line
def _verb_fields(text: str) -> frozenset[str]:
    """The fields that the verbs of a text may tell or ask for: `works` where somebody does, and as what."""
    words = grammar_of(text, unread="en")
    verbs = frozenset(tokens_of(text)) - words.small
    return frozenset(field for (verb, *_), field in words.verb_fields if verb in verbs)


def _is_one_of_several(question: Question, unit: Unit) -> bool:
    """True for a single value of a field that has one at a time, where more than one is asked for: `who are my supervisors`."""
    is_of_several = question.form in ("who", "what") and not _SEVERAL.isdisjoint(
        words_of(question.query.text)
    )
    if not is_of_several or len(words_of(unit.value)) > _ONE_NAME:
        return False
    from memoryclaw.vault.fact_values import holds_many  # noqa: PLC0415 - most questions ask for one

    return not holds_many(unit.field, None)


def _is_over(question: Question, unit: Unit, text: str) -> bool:
    """True for what was so at an earlier time, or until a day that is over, unless a day or the past is asked for: `I used to live in Jena`, `Hana is in Osaka till friday`."""
    if not unit.when or question.form == "when" or question.days or question.of_before:
        return False
    said, text = unit.when[:10], unit.value or text
    words, tokens = grammar_of(text, unread="en"), tokens_of(text)
    changes = any(
        not words.former.at(tokens, place) for place, _ in words.changes.places(tokens)
    )  # `and is Elm now`
    asked = tokens_of(question.query.text)
    pasts = words.past_be, words.past_auxiliaries, words.former, words.earlier_times
    asks_of_past = any(past.within(asked) for past in pasts)
    if says(text, "over") and not changes and not asks_of_past:
        return True
    day = date.fromisoformat(said)
    open_ = (hit for hit in find_ranges(text, day)[0] if hit.end and not hit.start)
    ends = ((next_occurrence(span, day) or span).end for span in open_ if not tells_past(text, span.span))
    return any(said <= end < question.today.isoformat() for end in ends)


def _is_doubted(match: Match) -> bool:
    """True of what waits to be checked, as a fact that somebody denied does."""
    return bool(match.overdue and match.unit.lifecycle.verify_by)


def _with_names_of_cells(text: str) -> str:
    """A text with each row of its tables as a reader takes it, every cell behind the name of its column; no row stands in place of the names."""
    if "|" not in text:
        return text
    from memoryclaw.vault.facts import tables_of  # noqa: PLC0415 - most notes have no table

    lines = text.split("\n")
    for names, separator, *rows in tables_of(lines):
        lines[names.number] = lines[separator.number] = ""
        for row in rows:
            cells = zip(row.cells, names.cells, strict=False)
            lines[row.number] = "| " + "; ".join(
                f"{name}: {cell}" if name else cell for cell, name in cells if cell
            )
    return "\n".join(lines)


def _heading_lines(text: str) -> frozenset[int]:
    """The lines that read as headings, whose marks an index does not keep: a few words without an end, with nothing above and something below."""
    lines = ["", *text.split("\n"), ""]
    return frozenset(
        number
        for number, (above, line, below) in enumerate(zip(lines, lines[1:], lines[2:], strict=False))
        if line.strip() and not above.strip() and (not below.strip() or _BLOCK.match(below))
        and len(line.split()) <= _FEW and ":" not in line and line.strip()[-1] not in ".!?,;…" and not _BLOCK.match(line)
    )  # fmt: skip


def _lines_below(pieces: Sequence[tuple[int, str]], text: str) -> dict[int, int]:
    """The last piece that each heading, title of a callout or line with a colon leads, as far as there is room; by the place of that one."""
    below: dict[int, int] = {}
    headings = _heading_lines(text)
    for at, (number, piece) in enumerate(pieces):
        is_leading = piece.endswith(":")
        is_heading = number in headings and not _is_heading(piece)  # a day is one by what it says
        if not (is_heading or is_leading or _CALLOUT.match(piece)):
            continue
        last, length = at, len(piece)
        for number_below, line in pieces[at + 1 :]:
            length += len(line) + 1
            is_inside = is_heading or (_BLOCK.match(line) if is_leading else line.startswith(">"))
            is_new = number_below in headings or _CALLOUT.match(line)
            if is_new or not is_inside or (length > _WIDE and last > at):
                break
            last += 1
        if last > at:
            below[at] = last
    return below


def _day_told(text: str) -> int:
    """The last day that a line names with its year, as a number; 0 where it names none."""
    ranges = find_ranges(text, ANCHOR)[0] if any(map(str.isdecimal, text)) else []
    days = [span.end for span in ranges if span.end and span.end[:4] in span.text]
    return date.fromisoformat(max(days)).toordinal() if days else 0


def _led(
    unit: Unit, pieces: list[tuple[int, str]], lines_below: Mapping[int, int]
) -> tuple[list[tuple[int, str]], list[str]]:
    """The pieces, each that leads others with these; and what of their texts counts: of a heading that the title says again, what stands below."""
    joined = [
        (line, _headed(text, [below for _, below in pieces[at + 1 : lines_below.get(at, at) + 1]]))
        for at, (line, text) in enumerate(pieces)
    ]
    names = {key_of(name) for name in _TITLE_PARTS.split(unit.title)} if lines_below else ()
    texts = [
        text.removeprefix(pieces[at][1]) if at in lines_below and key_of(pieces[at][1]) in names else text
        for at, (_, text) in enumerate(joined)
    ]
    return joined, texts


def _headed(heading: str, lines: Sequence[str]) -> str:
    """A heading with what stands below it, on one line."""
    if not lines:
        return heading
    below = "; ".join(_MARKS.sub("", line, count=1) for line in lines)
    return f"{heading.strip('#: ')}: {_ENDED.sub(' ', below)}"


def _passage(
    pieces: Sequence[tuple[int, str]], first: int, last: int, text: str, turns: Sequence[int]
) -> str:
    """A line with those below and above it, as far as there is room, in the order in which they were said."""
    lines, length, grows = [(turns[pieces[first][0]], first, text)], len(text), True
    while grows:
        grows = False
        for at in (last + 1, first - 1):
            if 0 <= at < len(pieces):
                more = without_markup(_MARKS.sub("", pieces[at][1], count=1))
                if length + len(more) < _AROUND:
                    lines.append((turns[pieces[at][0]], at, more))
                    length, grows = length + 1 + len(more), True
                    first, last = min(first, at), max(last, at)
    return "\n".join(line for _, _, line in sorted(lines))


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text, a question with the answer behind it."""
    question: tuple[int, str] | None = None
    for line, sentence in _sentences(text):
        if question and sentence.startswith(_ANSWERS):
            yield question[0], f"{question[1]} {sentence}"
            question = None
            continue
        if question:
            yield question
        question = (line, sentence) if ends_in_question(sentence) else None
        if not question:
            yield line, sentence
    if question:
        yield question


def _within_quotation(pieces: Iterable[tuple[int, str]]) -> Iterator[bool]:
    """Whether each sentence begins within a quotation that one before it opened."""
    is_open = False
    for _, text in pieces:
        yield is_open
        is_open = text.rfind("“") > text.rfind("”") or (is_open and "”" not in text)


def _due(ranking: Ranking, match: Match) -> list[Matched]:
    """The words for a deadline, where the unit has a day of its own that was asked about, and is not over: that day says what they ask."""
    unit, ranges = match.unit, ranking.question.days
    if unit.field in OVER or not any(falls_in(unit.days, span.start, span.end) for span in ranges):
        return []
    spoken = [language(code) for code in RELATED_IN]
    return [
        Matched(word=word, field="date", via="date")
        for word in ranking.question.weights
        if any(span.token("deadline") in (span.token(word), *kin_of(word, span)) for span in spoken)
    ]


def _is_own_line(above: str, line: str) -> bool:
    """True for a line that begins anew below another, as lines with labels do: `Guest network: Heron` below `Network: Heron5`."""
    return len(above) < _COLUMNS and any(_LABEL.match(each.lstrip()) for each in (above, line))


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text, each with the number of the line on which it begins, from 0."""
    begin, block = 0, list[str]()
    for number, line in enumerate([*text.split("\n"), ""]):
        is_apart = not line.strip() or _BLOCK.match(line) or (block and _BLOCK.match(block[0]))
        if block and (is_apart or _is_own_line(block[-1], line)):
            joined, offset, typed = "\n".join(block), 0, list[str]()
            for sentence in sentences(" ".join(block)):  # what was so before stands behind what is so now
                typed = (
                    [*typed[:-1], f"{typed[-1]} {sentence}"]
                    if typed and sentence.startswith(_WAS)
                    else [*typed, sentence]
                )
            for sentence in typed:
                offset = max(joined.replace("\n", " ").find(sentence, offset), offset)
                yield begin + joined.count("\n", 0, offset), sentence.strip()
            block = []
        if line.strip():
            begin, block = (begin if block else number), [*block, line]
