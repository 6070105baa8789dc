"""To-dos: what people say they have still to do, and what they later say became of it. Nothing is stored: the lines of episodes are the to-dos.

An open one is `- [ ] Tam: ring the caterer by friday 📅 2026-02-13 ^l13`. What ends it is a line of a later episode that links to it, `- [x] Tam: caterer is sorted
([[2026-02-11_…#^l13]]) ^l1`, and a tick in the old line (`actions.TickTodo`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from itertools import dropwhile, groupby, takewhile

from memoryclaw.consolidation.actions import DONE, OFF, OPEN, TickTodo
from memoryclaw.consolidation.exchanges import ToolText, read_call
from memoryclaw.index import stemming
from memoryclaw.late import NamedTuple
from memoryclaw.model import Turn
from memoryclaw.talk.layout import listed
from memoryclaw.talk.statements import Statement, Talk
from memoryclaw.text.dates import deadline, told_ranges
from memoryclaw.text.grammar import Grammar, clauses, codes, grammar, spans_of, spoken_in, tokens_of
from memoryclaw.text.markdown import links_in
from memoryclaw.text.memory_lines import read_line
from memoryclaw.vault.logs import LogRange, parse_ranges
from memoryclaw.vault.todos import read_todo

DAYS, MOST = 60, 200  # how far back open to-dos are looked for, and how many of them at most


class OpenTodo(NamedTuple):
    """A to-do that is open, of this talk or of an earlier episode."""

    keys: tuple[str, ...]  # the words that carry its subject
    rare: frozenset[str]  # those of them that come up least where it was said
    verb: str = ""  # what is to be done, where it begins or ends with a verb
    path: str = ""  # of the episode; empty for this talk
    block: str = ""  # the block id of its line; for this talk its place
    text: str = ""  # of its line, between the box and the block id
    due: str = ""  # ISO date


class TodoLine(NamedTuple):
    """A line of an episode with a box: a new to-do, or what became of earlier ones."""

    of: Statement
    words: str
    box: str
    ticks: tuple[TickTodo, ...] = ()
    due: str = ""  # ISO date


def read(
    talk: Talk, turns: Sequence[Turn], earlier: Callable[[], Sequence[OpenTodo]] = tuple, language: str = "en"
) -> tuple[Talk, tuple[TodoLine, ...]]:
    """A talk without its to-dos, and the lines that tell these and what became of earlier ones.

    Args:
        earlier: the to-dos that were open before, the newest first; called where the talk may end one.
    """
    reader = TodoReader(turns, earlier, language)
    statements: list[Statement] = []
    for _, group in groupby(talk.statements, key=lambda statement: (statement.turn, statement.quote)):
        statements += reader.sentence(list(group))
    return talk._replace(statements=tuple(statements)), tuple(reader.lines)


class TodoReader:
    """Reads the statements of a talk in order, and knows what is open."""

    def __init__(
        self, turns: Sequence[Turn], earlier: Callable[[], Sequence[OpenTodo]], language: str
    ) -> None:
        self._turns = turns
        self._tokens = [token for turn in turns for token in tokens_of(turn.text)]
        self._find = earlier
        self._language = language
        self._earlier: list[OpenTodo] | None = None
        self._own: list[OpenTodo] = []
        self._last: Statement | None = None
        self._listing = -1  # the turn that tells a list of to-dos
        self.lines: list[TodoLine] = []

    def sentence(self, group: Sequence[Statement]) -> list[Statement]:
        """The statements of a sentence, with nothing left to tell in those that became lines."""
        words = grammar(group[0].language)
        statements: list[Statement] = []
        while remainder := group[len(statements) :]:
            todos = self._behind_opener(remainder[0], remainder[1:], words) or (
                None if statements else self._listed(remainder, words)
            )
            if todos is None:
                self._end(remainder[0], words)
                statements.append(remainder[0])
            else:
                texts, many = todos
                for text in texts:
                    self._open(remainder[0], text, words)
                statements += map(_emptied, remainder[:many])
            self._last = remainder[0]
        return statements

    # What is still to be done: the words of each to-do, and of how many statements they were made

    def _listed(self, group: Sequence[Statement], words: Grammar) -> tuple[list[str], int] | None:
        """What is told below `to do:`, or to an assistant that asks what there is to do."""
        first = group[0]
        goes_on = self._listing == first.turn
        is_asked = not (self._last and self._last.turn == first.turn) and self._asks_for_todos(
            first.turn, words
        )
        if not (goes_on or is_asked or words.todo_heads.at(tokens_of(first.topic))):
            return None
        listed = list(takewhile(lambda statement: _goes_on(statement, words), group))
        tokens = tokens_of(" ".join(statement.words for statement in listed))
        if not listed or "asked" in first.doubts or words.negations.within(tokens):
            return None
        texts = _items(_typed(first, first.words, listed[1:]), words, listed=True)
        texts = [text for text in texts if keys_of(text, words, first.who)]
        if goes_on and not all(_verb_of(text, words) for text in texts):
            return None
        self._listing = first.turn
        return (texts, len(listed)) if texts else None

    def _behind_opener(
        self, statement: Statement, successors: Sequence[Statement], words: Grammar
    ) -> tuple[list[str], int] | None:
        """What a statement and those that go on from it tell after words like `i still need to`."""
        tokens, spans = tokens_of(statement.words), spans_of(statement.words)
        start, end = _opener(tokens, words)
        asks = statement.kind == "task" or words.reminders.within(tokens)
        if (
            not end
            and statement.stressed
            and statement.subject == "none"
            and _verb_of(statement.words, words)
        ):
            return _items(statement.words, words, listed=False), 1  # `note to self: buy stamps`
        if not end and (texts := _chores(statement, tokens, words)):
            return texts, 1  # `call the bank tomorrow`
        if not end or _is_no_todo(statement, tokens, start, end, words):
            return None
        before = [place for place in range(start) if _carries(tokens[place], words)]
        before = [place for place in before if tokens[place] not in words.list_verbs]
        following: list[Statement] = []
        if before and end == len(tokens):  # `the shot list is still to do`
            texts = [statement.words[spans[before[0]][0] : spans[start - 1][1]]]
        elif before:  # `den Schrank muss ich noch abholen`
            texts = [statement.words]
        else:
            behind = statement.words[spans[end][0] :] if end < len(tokens) else ""
            following = list(
                takewhile(
                    lambda neighbour: (
                        _goes_on(neighbour, words) and not _opener(tokens_of(neighbour.words), words)[1]
                    ),
                    successors,
                )
            )
            if successors and not (behind or following):
                following = [successors[0]]
            listed = not behind or bool(words.todo_heads.at(tokens, start))
            texts = _items(_typed(statement, behind, following), words, listed=listed)
            if (
                not texts and self._last and self._last.turn == statement.turn
            ):  # `i go there on friday, put that on my list`
                texts = [self._last.words]
            texts = [" ".join((text, *_day_before(statement, start))) for text in texts]
        texts = [
            text
            for text in texts
            if set(keys_of(text, words, statement.who)) - ({_verb_of(text, words)} if not asks else set())
            and (asks or not _is_work(text, statement, words))
            and not _asks_back(tokens_of(text), words)
        ]
        did = (
            {key for call in self._deeds(statement.turn) for key in keys_of(call.about, words)}
            if asks
            else ()
        )
        if not texts or any(_shared(keys_of(text, words), did, statement.language) for text in texts):
            return None
        return texts, 1 + len(following)

    def _open(self, statement: Statement, text: str, words: Grammar) -> None:
        """Opens a to-do, unless the talk has it; one that was open before goes on in it."""
        keys = keys_of(text, words, statement.who)
        if any(len(_shared(keys, todo.keys, statement.language)) == len(keys) for todo in self._own):
            return
        opened = OpenTodo(keys, frozenset(), _verb_of(text, words))
        same = [todo for todo in self._before() if _are_same(opened, todo, statement.language)]
        self._line(statement, text, OPEN, same, words)

    def _line(
        self, statement: Statement, text: str, box: str, ended: Sequence[OpenTodo], words: Grammar
    ) -> None:
        """A line that ends earlier to-dos; an open one goes on for them."""
        ticks = [TickTodo(todo.path, todo.block, OFF if box == OPEN else box, todo.text) for todo in ended]
        due = ""
        self._earlier = [todo for todo in self._before() if todo not in ended]
        if box == OPEN:
            keys, place = keys_of(text, words, statement.who), str(len(self.lines))
            verb = _verb_of(text, words)
            due = _due(statement, text) or max((todo.due for todo in ended), default="")
            self._own.append(OpenTodo(keys, _rarest(keys, verb, self._tokens), verb, block=place))
        self.lines.append(TodoLine(statement, text, box, tuple(ticks), due))

    def _before(self) -> list[OpenTodo]:
        if self._earlier is None:
            self._earlier = list(self._find())
        return self._earlier

    def _deeds(self, turn: int) -> Iterator[ToolText]:
        """What tools did between this turn and the next one of a person, but for those that only note what is to be done."""
        behind = takewhile(lambda later_turn: later_turn.role != "user", self._turns[turn + 1 :])
        for later_turn in behind:
            call = read_call(later_turn.text) if later_turn.role == "tool" else None
            if call and not (call.looks_up or call.failed or call.notes):
                yield call

    def _said_before(self, turn: int) -> str:
        """What the assistant said just before a turn: its question, or all of it."""
        before = next(
            (earlier_turn for earlier_turn in reversed(self._turns[:turn]) if earlier_turn.role != "tool"),
            None,
        )
        if before is None or before.role != "assistant":
            return ""
        last = re.split(r"(?<=[.!?])\s", before.text.rstrip())[-1]
        return last if last.endswith("?") else before.text

    def _asks_for_todos(self, turn: int, words: Grammar) -> bool:
        """True where the assistant has asked what there is to do."""
        question = self._said_before(turn)
        return question.endswith("?") and words.todo_questions.within(tokens_of(question))

    # What became of it

    def _end(self, statement: Statement, words: Grammar) -> None:
        """Ends the to-dos that a statement tells the end of."""
        tokens = tokens_of(statement.words.replace("'s ", " is "))  # `timesheet's in`
        # A thing that "was sent" or "told" says nothing itself: `invoice sent to Kim`.
        is_told = statement.kind == "report" and statement.subject == "thing"
        if (
            statement.kind in _NO_END
            or (statement.doubts - ({"reported"} if is_told else set())) & _UNSURE
            or not tokens
            or tokens[0] in words.subordinators
        ):
            return
        box, ended = self._ended(statement, tokens, words)
        places = {int(todo.block) for todo in ended if not todo.path}
        if places and box != OPEN:
            self._own = [todo for todo in self._own if int(todo.block) not in places]
            for place in places:
                self.lines[place] = self.lines[place]._replace(box=box)
        if before := [todo for todo in ended if todo.path]:
            self._line(statement, statement.words, box, before, words)

    def _ended(
        self, statement: Statement, tokens: Sequence[str], words: Grammar
    ) -> tuple[str, list[OpenTodo]]:
        for box, signs in ((OFF, words.cancel_words), (DONE, words.done_words)):
            place = signs.find(tokens)
            first, behind = (
                tokens[: max(place, 0)],
                tokens[place + signs.at(tokens, place) :] if place >= 0 else (),
            )
            if place < 0 or (
                behind and _goes_somewhere(tokens[len(tokens) - len(behind) - 1], behind[0], words)
            ):
                continue
            denied = box == DONE and words.negations.within([*first, *behind])
            if denied or words.modal_verbs.within(first) or words.not_quite.within(first):
                return box, []
            keys = _keys(first, words, statement.who) or _keys(behind, words, statement.who)
            return box, self._about(keys, statement.language) if keys else self._named(
                statement.turn, tokens, words
            )
        if statement.kind == "task" or words.unsettled.within(tokens):
            return DONE, []
        keys, todos = _keys(tokens, words, statement.who), [*self._own, *self._before()]
        if words.change_verbs.within(tokens) and any(_is_date(token, words) for token in tokens):
            dated_todos = [
                todo for todo in todos if any(_is_date(token, words) for token in tokens_of(todo.text))
            ]
            return OPEN, self._about(keys, statement.language, dated_todos)
        if words.first_objects.within(tokens):
            return DONE, []  # `the dentist called me` is no call to the dentist
        verbs = [
            verb
            for verb in dict.fromkeys(todo.verb for todo in todos if todo.verb)
            if any(_is_past_of(token, verb, tokens, words) for token in tokens)
        ]
        keys = tuple(key for key in keys if not any(_same(key, verb, statement.language) for verb in verbs))
        return DONE, self._about(
            (*keys, *verbs), statement.language, [todo for todo in todos if todo.verb in verbs]
        )

    def _about(
        self, keys: Sequence[str], code: str, among: Sequence[OpenTodo] | None = None
    ) -> list[OpenTodo]:
        """The open to-dos that some words are about: at least half of their words, or the rarest. Each word speaks of one."""
        words_of: dict[OpenTodo, frozenset[str]] = {}
        share: dict[OpenTodo, float] = {}
        for todo in (*self._own, *self._before()) if among is None else among:
            shared = _shared(todo.keys, keys, code)
            if shared - {todo.verb} and (2 * len(shared) >= len(todo.keys) or shared & todo.rare):
                words_of[todo] = _shared(keys, shared, code)
                share[todo] = len(shared) / len(todo.keys)
        words_about = frozenset[str]().union(*words_of.values())
        if 2 * len(words_about) < len(keys) and len(words_about) < 2:
            return []
        chosen: list[OpenTodo] = []
        spent_words: set[str] = set()
        for todo in sorted(words_of, key=lambda todo: -share[todo]):
            twin = any(todo.keys == rival_todo.keys for rival_todo in chosen)
            is_rival = any(
                rival_todo.keys != todo.keys
                and words_of[rival_todo] == words_of[todo]
                and share[rival_todo] == share[todo]
                for rival_todo in words_of
            )
            if twin or not (is_rival or words_of[todo] <= spent_words):
                chosen.append(todo)
            spent_words |= words_of[todo]
        return chosen

    def _named(self, turn: int, tokens: Sequence[str], words: Grammar) -> list[OpenTodo]:
        """What `all done` and `did that` speak of: the open to-dos that the assistant has just named."""
        keys = keys_of(self._said_before(turn), words)
        todos = [
            todo
            for todo in (*self._own, *self._before())
            if 2 * len(_shared(todo.keys, keys, words.code)) >= len(todo.keys)
        ]
        return todos if len(todos) == 1 or words.all_words.within(tokens) else []


# Words of a thing to be made of which it is told how it shall be, at least: not `make an appointment`.
_SPECIFIED = 5
_PRETERITE, _AS_IN_VERB = re.compile(r"(\w+?)(qu|gu|c)(?:é|ei)"), {"qu": "c", "gu": "g", "c": "zç"}
_NEAR = 5  # words behind a promise, in which its verb stands: before it, whom it was given
_NO_END = frozenset({"duty", "order", "wish", "prefer"})
_UNSURE = frozenset({"asked", "supposed", "reported", "hedged"})
_OTHERS = frozenset({"named", "other", "relative"})


def _emptied(statement: Statement) -> Statement:
    """The statement with nothing left to tell, but who somebody is."""
    roles = tuple(assertion for assertion in statement.assertions if assertion.how == "role")
    return replace(
        statement, kind="duty", content=frozenset(), hard=False, firm=False, stressed=False, assertions=roles
    )


def _opener(tokens: Sequence[str], words: Grammar) -> tuple[int, int]:
    """Where the words that open a to-do stand in a clause; (0, 0) where there are none."""
    for place, _ in words.todo_openers.places(tokens):
        duty, length = words.duty_verbs.at(tokens, place), words.reminders.at(tokens, place)
        heads = words.todo_heads.at(tokens, place)
        if place == 0 or tokens[place - 1] in words.fillers:
            length = max(length, heads)
        elif duty <= heads and not length:
            continue  # `no idea what to do`
        if length or duty:
            end = place + max(length, duty)
            if duty > max(length, 1) and _is_infinitive(tokens[end - 1], words):  # `should book`
                end -= 1
            while end < len(tokens) and (
                skipped := words.todo_links.at(tokens, end) or words.reminders.at(tokens, end)
            ):
                end += skipped
            return place, end
    return 0, 0


def _day_before(statement: Statement, opener: int) -> list[str]:
    """The days that stand before the words that open a to-do, as they were said: `by next friday i need to ring Ana`."""
    before = statement.words[: spans_of(statement.words)[opener][0]]
    if not statement.said:
        return []
    spans = (day.span for day in told_ranges(before, date.fromisoformat(statement.said[:10])))
    return [before[slice(*span)] + "." * before.startswith(".", span[1]) for span in spans][:1]


def _is_no_todo(statement: Statement, tokens: Sequence[str], start: int, end: int, words: Grammar) -> bool:
    """True for what is no to-do of the speaker: `i have to say`, `she has to go`, `i need to eat every two hours`."""
    others = [*tokens[:start], *tokens[end:]]
    reminds = words.reminders.within(tokens[start:end]) or statement.kind == "task"
    is_appointment = _is_somewhere(tokens[end:], words) and bool(_due(statement, statement.words))
    if statement.doubts & {"joke", "reported", "mood"} or (
        words.not_todos.within(tokens[start:]) and not is_appointment
    ):
        return True
    if words.vague_deeds.within(tokens[start:]) and not _due(statement, statement.words):
        return True
    if "supposed" in statement.doubts and (
        words.suppositions.within(tokens_of(statement.quote)) or words.conditionals.within(others)
    ):
        return not reminds
    if reminds:
        return "asked" in statement.doubts and statement.kind != "task"
    return (
        statement.kind != "duty"
        or "asked" in statement.doubts
        or statement.subject in _OTHERS
        or (statement.subject == "thing" and not _concerns_speaker(statement, tokens, start, end, words))
        or words.second_person.within(tokens)
        or words.negations.within(others)
        or words.habitual.within(others)
    )


def _concerns_speaker(
    statement: Statement, tokens: Sequence[str], start: int, end: int, words: Grammar
) -> bool:
    """True for what somebody has to do about a thing: `the car needs to go to the garage on monday`, `the kitchen needs to be cleaned`; not for `the parser needs to handle nulls`."""
    subject = tokens[:start]
    is_own = words.possessives_own.within(subject) or words.first_person.within(tokens[:end])
    if is_own or words.be_verbs.at(tokens, end) or words.be_verbs.has_any(tokens[-1:]):  # `… abgeholt werden`
        return True
    is_named = not (words.determiners.at(subject) or words.plural_verbs.at(tokens, start))  # `hanne has to`
    is_person = is_named or bool(words.roles.within(subject))
    return not is_person and bool(_due(statement, statement.words))


def _is_work(text: str, statement: Statement, words: Grammar) -> bool:
    """True for something to be made that nothing ties to the speaker's life, no day, no person and no own thing: `write a function that …`."""
    tokens = tokens_of(text)
    is_specified = len(tokens) > _SPECIFIED and tokens[1] in words.indefinite_words
    is_made = tokens[:1] and (
        (tokens[0] in words.tasks and tokens[0] not in words.chores)
        or (tokens[0] in listed("makers") and is_specified)
    )
    return bool(is_made) and not (_due(statement, text) or words.personal_ties.within(tokens))


def _due(statement: Statement, text: str) -> str:
    """The day until which a to-do is to be done, as the speaker counts."""
    return deadline(text, date.fromisoformat(statement.said[:10])) if statement.said else ""


def _chores(statement: Statement, tokens: Sequence[str], words: Grammar) -> list[str]:
    """What somebody says has to be done, without a word that opens any to-do: by a day, `call the bank tomorrow`, or as promised.

    By a day also what another wants, `my boss wants me to send the slides by friday`.
    Work for the assistant names no day, or the one who waits for it: `send me the draft by friday`.
    """
    promised = _promised(statement, tokens, words)
    commissioned = next((place + length for place, length in words.commissions.places(tokens)), 0)
    opened = promised or commissioned or words.dated_duties.at(tokens)
    behind = tokens[opened:]
    chore = statement.words[spans_of(statement.words)[opened][0] :] if behind else ""
    # Behind `quiere que` it has no form that tells, but somebody else may stand there.
    is_verb = words.noun_openers.at(behind, 1) or (
        words.infinitive_ends.entries() and (words.final_verbs.entries() or chore[:1].islower())
    )
    is_done = _verb_of(chore, words) or (commissioned and (is_verb or _is_somewhere(behind, words)))
    if (
        statement.doubts
        - {"moment", *(("supposed", "mood") if opened else ()), *(("reported",) if commissioned else ())}
        or not ((opened or _goes_on(statement, words)) and is_done)
        or words.no_chores.within(behind)
        or (words.not_todos.within(tokens) and not _is_somewhere(behind, words))
        or not (promised or _due(statement, chore))
    ):
        return []
    texts = _items(chore, words, listed=False)
    texts = [text for text in texts if set(keys_of(text, words)) - {_verb_of(text, words)}]
    # An object may look like a subject: `call the bank and pay the rent`, `bitte die Miete überweisen`.
    is_asking = statement.subject == "none" or opened or len(texts) > 1 or words.politeness.at(tokens)
    return texts if is_asking else []


def _promised(statement: Statement, tokens: Sequence[str], words: Grammar) -> int:
    """The place of what the speaker has promised to do, `I promised Lena I'd fix her bike`; 0 where nothing is promised."""
    place = words.promises.find(tokens)
    if place < 0 or (place and statement.subject != "own"):
        return 0
    behind = place + words.promises.at(tokens, place)
    if words.final_verbs.entries():
        return words.todo_links.skip(tokens, behind)
    near = range(behind, min(len(tokens), behind + _NEAR))
    return next((place for place in near if _is_infinitive(tokens[place], words)), 0)


def _is_somewhere(tokens: Sequence[str], words: Grammar) -> bool:
    """True for somewhere to be: `be at the notary`, `am Montag beim Notar sein`."""
    is_be = words.be_verbs.at(tokens) or words.be_verbs.has_any(
        tokens[-1:] if words.final_verbs.entries() else ()
    )
    return bool(is_be) and words.prepositions.within(tokens)


def _asks_back(tokens: Sequence[str], words: Grammar) -> bool:
    """True for `remind me how to tie a bowline`, which asks; not for `remind me when I'm home to feed the cat`."""
    is_moment = words.first_person.at(tokens, 1) > 0 and words.chores.has_any(tokens[2:])
    return tokens[0] in words.question_words and not is_moment


def _goes_on(statement: Statement, words: Grammar) -> bool:
    """True for a statement that may be one more item of a list: it has no subject of its own."""
    if statement.subject == "none":
        return True
    if statement.subject == "own" or statement.kind in ("be", "have", "modal", "wish"):
        return False
    # Before a second verb, the object of the first looks like a subject: `renew the passport and pay the plumber`.
    return statement.kind == "" or bool(_verb_of(statement.words, words))


def _typed(statement: Statement, words: str, following: Sequence[Statement]) -> str:
    """The last words of a statement and those that go on from it, as they were typed."""
    if not words and following:
        return _typed(following[0], following[0].words, following[1:])
    start = statement.quote.find(statement.words)
    last = following[-1] if following else statement
    end = statement.quote.find(last.words, start)
    if start < 0 or end < start:
        return ", ".join(filter(None, (words, *(statement_behind.words for statement_behind in following))))
    return statement.quote[start + len(statement.words) - len(words) : end + len(last.words)].lstrip(" ,:;–-")


def _items(text: str, words: Grammar, *, listed: bool) -> list[str]:
    """The to-dos of a list: a verb begins (in German ends) each; where a list was announced or asked for, a noun may stand alone."""
    signs = "|".join(map(re.escape, words.list_joiners.entries())) or "(?!)"
    cuts = [
        (hit.start(), hit.end())
        for hit in re.finditer(rf"(?:[,;]\s+(?:(?:{signs})\s+)?|\s+(?:{signs})\s+)", text, re.IGNORECASE)
    ]
    edges = [0, *(edge for cut in cuts for edge in cut), len(text)]
    pieces = [
        (start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if text[start:end].strip()
    ]
    for place, (start, end) in [*enumerate(pieces)][1:]:  # `… and to oil the hinges`
        links = words.todo_links.skip(tokens_of(text[start:end]))
        begin = start + ([*spans_of(text[start:end]), (0, 0)][links][0] if links else 0)
        pieces[place] = (begin, end) if _verb_of(text[begin:end], words) else (start, end)
    verbs = [bool(_verb_of(text[start:end], words)) for start, end in pieces]
    ends = bool(words.final_verbs.entries())
    nouns = [_is_noun(text[start:end], words) for start, end in pieces]
    # Behind `order screws` a noun says more of it: `the long ones`; behind `Schrauben bestellen` it is another to-do.
    alone = listed and (ends or verbs[:1] == [False] or all(verbs))
    if alone and all(verb or noun for verb, noun in zip(verbs, nouns, strict=True)):
        groups = [[piece] for piece in pieces]
    else:
        groups = []
        for place, piece in enumerate(pieces):
            begins = verbs[place - 1] if ends else verbs[place]
            if not groups or (begins and sum(verbs) > 1):
                groups.append([piece])
            else:
                groups[-1].append(piece)
    texts = (text[group[0][0] : group[-1][1]].strip(" ,;:.!?…–-") for group in groups)
    return [todo for todo in texts if todo]


def _is_noun(text: str, words: Grammar) -> bool:
    """True for a noun with what belongs to it: no verb, and no preposition before it."""
    tokens = tokens_of(text)
    return (
        bool(keys_of(text, words))
        and not (tokens[0] in words.prepositions or tokens[0] in words.nominatives)
        and not any(clause.kind and clause.subject for clause in clauses(text, words))
    )


def _verb_of(text: str, words: Grammar) -> str:
    """The verb of a to-do: an English one begins with it, `ring the bank`, a German one ends with it, `die Bank anrufen`."""
    tokens = tokens_of(text)
    if not tokens:
        return ""
    if words.final_verbs.entries():
        # `Paket abholen am Montag`
        dated = [token[0].isdigit() or token in words.dating for token in tokens]
        last = next((n for n in reversed(range(len(tokens))) if not dated[n]), 0)
        plain = re.sub(r"(?<=\w\w)zu(?=\w{3})", "", tokens[last])
        return plain if text[spans_of(text)[last][0]].islower() and _is_verb(tokens[last], words) else ""
    behind = list(dropwhile(words.lead_ins.__contains__, tokens))
    if not behind or not _is_verb(behind[0], words):
        return ""
    is_noun = behind[0].endswith("ing") and behind[1:2] != [] and behind[1] in words.be_verbs
    return "" if is_noun else behind[0]  # the subject of `opening is on friday`


def _is_verb(token: str, words: Grammar) -> bool:
    """True for a verb of what people have to do: `call`, `calling`, `anrufen`."""
    if not token.endswith("ing") or _is_infinitive(token, words):
        return _is_infinitive(token, words)
    bases = (*stemming.language(words.code).tokens(token), f"{token[:-3]}e")
    return words.chores.has_any(bases)


def _is_infinitive(token: str, words: Grammar) -> bool:
    ends = tuple(words.infinitive_ends.entries())
    return token in words.chores or (bool(ends) and len(token) > 4 and token.endswith(ends))


def _is_past_of(token: str, verb: str, tokens: Sequence[str], words: Grammar) -> bool:
    """True for the past form or the participle of a verb: `booked` of `book`, `sent` of `send`, `abgeholt` of `abholen`."""
    if token == verb:
        return False
    if not words.final_verbs.entries():
        spelled = _PRETERITE.fullmatch(token)  # `marquei` of `marcar`, `pagué` of `pagar`
        letters = _AS_IN_VERB[spelled[2]] if spelled else ""
        return not token.endswith(("ing", "s")) and (
            _same(token, verb, words.code)
            or any(f"{spelled[1]}{letter}ar" == verb for letter in letters if spelled)
        )
    plain = re.sub(r"^(\w{2,5})?ge(?=\w{3})", r"\1", token)
    is_participle = plain != token or words.have_verbs.within(tokens) or words.be_verbs.within(tokens)
    # Strong verbs change their vowels: `überwiesen` of `überweisen`.
    alike = _begin_alike(plain, verb) or re.sub("[aeiouäöü]", "", plain) == re.sub("[aeiouäöü]", "", verb)
    return is_participle and plain.endswith(("t", "d", "en")) and alike  # `gebeld`


def _goes_somewhere(last: str, behind: str, words: Grammar) -> bool:
    """True where `is out` goes on, as in `is out of town`, `is in Leeds`; not in `is in now`."""
    return last in words.prepositions and not (_is_date(behind, words) or behind in words.trailers)


def _begin_alike(word: str, second: str) -> bool:
    """True where two words differ in their endings alone."""
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(word, second, strict=False))))
    return same >= 3 and len(word) - same <= 2 and len(second) - same <= 3


# The words of a to-do


def keys_of(text: str, words: Grammar, who: str = "") -> tuple[str, ...]:
    """The words of a text that carry its subject, each once; dates, numbers and the speaker's name are none."""
    return _keys(tokens_of(text), words, who)


def _keys(tokens: Iterable[str], words: Grammar, who: str = "") -> tuple[str, ...]:
    speaker_tokens = set(tokens_of(who))
    return tuple(
        dict.fromkeys(token for token in tokens if _carries(token, words) and token not in speaker_tokens)
    )


def _carries(token: str, words: Grammar) -> bool:
    return len(token) > 1 and not (token in words.subjectless or _is_date(token, words))


def _is_date(token: str, words: Grammar) -> bool:
    return token[0].isdigit() or token in words.date_words


def _shared(keys: Iterable[str], others: Iterable[str], code: str) -> frozenset[str]:
    """Those of the first words that stand among the others."""
    others = tuple(others)
    return frozenset(key for key in keys if any(_same(key, candidate, code) for candidate in others))


@lru_cache(maxsize=16384)  # of every word, asked of all that is open
def _same(word: str, second: str, code: str) -> bool:
    if word == second:
        return True
    language = stemming.language(code)
    if set(language.tokens(word)) & set(language.tokens(second)):
        return True
    short, long = sorted((word, second), key=len)  # `anmeldung`, `schulanmeldung`
    return code == "de" and len(short) > 4 and long.endswith(short)


def _are_same(first: OpenTodo, second: OpenTodo, code: str) -> bool:
    """True for one to-do in two wordings: most words are the same, and neither has a thing of its own: not `… the contract`, `… the invoice`."""
    shared = _shared(first.keys, second.keys, code)
    apart = (
        set(todo.keys) - {todo.verb} - _shared(todo.keys, twin.keys, code)
        for todo, twin in ((first, second), (second, first))
    )
    return 2 * len(shared) > max(len(first.keys), len(second.keys)) and not all(apart)


def _rarest(keys: Sequence[str], verb: str, talk: Sequence[str]) -> frozenset[str]:
    """The words that come up least in a talk; a verb says little alone."""
    frequencies = Counter(talk)
    counts = {key: frequencies[key] for key in keys if key != verb}
    return frozenset(key for key in counts if counts[key] == min(counts.values()))


# The open to-dos of episodes: those in the vault, and those that this run has planned

_BRACKETS = re.compile(
    r" \((?:was: |first said |\d{4}\b)[^()]*\)"
)  # what consolidation puts behind the words
_LINKS = re.compile(r" \((?:\[\[[^\[\]]*\]\](?:, )?)+\)$")


class StoredEpisode(NamedTuple):
    """An episode with to-dos: its path, its time and its text."""

    path: str
    at: str
    text: str


def window(time: str) -> str:
    """The ISO day from which on what was open at a time is looked for."""
    return date.fromordinal(max(date.fromisoformat(time[:10]).toordinal() - DAYS, 1)).isoformat()


class EarlierTodos:
    """Finds what was open when something was said.

    Args:
        stored: the episodes of the vault that have to-dos; called once, and only where it matters.
        reading: the lines that are being read; what the vault has made of them before does not count.
    """

    def __init__(
        self, stored: Callable[[], Iterable[StoredEpisode]], reading: Iterable[LogRange], language: str
    ) -> None:
        self._stored = stored
        self._reading: dict[str, list[LogRange]] = {}
        for range_ in reading:
            self._reading.setdefault(range_.path, []).append(range_)
        self._language = language
        self._open: dict[str, tuple[str, list[OpenTodo]]] | None = (
            None  # by the path of the episode: its time, its to-dos
        )

    def at(self, time: str) -> list[OpenTodo]:
        """The to-dos that were open at a time, the newest first."""
        if self._open is None:
            self._open = self._read()
        first = window(time)
        episodes = [
            (started, path, todos)
            for path, (started, todos) in self._open.items()
            if first <= started <= time
        ]
        return [todo for _, _, todos in sorted(episodes, reverse=True) for todo in todos][:MOST]

    def plan(self, episode: StoredEpisode) -> None:
        """Takes in an episode that will be written."""
        if f"- [{OPEN}] " in episode.text:
            self._open = self._read() if self._open is None else self._open
            self._open[episode.path] = (episode.at, todos_in(episode, self._language))

    def end(self, ticks: Iterable[TickTodo]) -> None:
        """Takes in what will be ticked."""
        for tick in ticks:
            _, todos = (self._open or {})[tick.path]
            todos[:] = [todo for todo in todos if todo.block != tick.block]

    def _read(self) -> dict[str, tuple[str, list[OpenTodo]]]:
        stored = list(self._stored())
        rereading = [episode for episode in stored if self._is_read_again(episode)]
        links = [link for episode in rereading for _, link in links_in(episode.text)]
        reopened = {(link.target, link.anchor[1:]) for link in links if link.anchor.startswith("^")}
        return {
            episode.path: (episode.at, todos_in(episode, self._language, reopened))
            for episode in stored
            if episode not in rereading
        }

    def _is_read_again(self, episode: StoredEpisode) -> bool:
        return any(
            range_.first <= stretch.last and stretch.first <= range_.last
            for range_ in parse_ranges(episode.text)
            for stretch in self._reading.get(range_.path, ())
        )


def _words_of_todo(text: str, code: str) -> Grammar:
    """The grammar in which a to-do has its verb: its few words seldom tell their language."""
    tokens = tokens_of(text)
    others = (words for words in map(grammar, codes()) if words.small.has_any(tokens))
    return next((words for words in (grammar(code), *others) if _verb_of(text, words)), grammar(code))


def todos_in(
    episode: StoredEpisode, language: str, reopened: Iterable[tuple[str, str]] = ()
) -> list[OpenTodo]:
    """The open to-dos of an episode; `reopened`: (note, block) of closed ones that count as open."""
    name = episode.path.rpartition("/")[2].removesuffix(".md")
    points = [line for line in episode.text.split("\n") if line.startswith("- ")]
    talk, quotes = "\n".join(points), [*map(read_line, points)]
    tokens, reopened, spoken = tokens_of(talk), set(reopened), spoken_in(talk, language)
    todos = []
    for point in quotes:
        is_open = point.box[1:2] == OPEN or (name, point.block) in reopened
        if not (point.box and point.content and point.block and is_open):
            continue
        todo = read_todo(point.text())
        written = todo.text if todo else point.content  # without its marks
        who, _, content = _BRACKETS.sub("", _LINKS.sub("", written)).partition(": ")
        code = spoken_in(content, spoken)
        words = _words_of_todo(content, code if code in codes() else "en")
        keys, verb = keys_of(content, words, who), _verb_of(content, words)
        if keys:
            todos.append(
                OpenTodo(
                    keys,
                    _rarest(keys, verb, tokens),
                    verb,
                    episode.path,
                    point.block,
                    point.content,
                    todo.due if todo else "",
                )
            )
    return todos
