"""Turns → what was asked, done and answered: an exchange is a person's turn and what came of it before the next one. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from memoryclaw.consolidation.changes import Segment
from memoryclaw.consolidation.command_lines import COMMAND, FILE, argument, commands
from memoryclaw.consolidation.tool_calls import ToolText, is_call_line, printed, read_call
from memoryclaw.index import stemming
from memoryclaw.model import Turn
from memoryclaw.talk.own_words import without_command, without_secrets
from memoryclaw.text import words as lists
from memoryclaw.text.fillers import is_filler, plain, spoken
from memoryclaw.text.grammar import codes, grammar
from memoryclaw.text.language import WORD, fold, folded_words
from memoryclaw.text.sentences import sentences

SCANNED = 12000  # characters of a turn
TELLING = 3  # words that a request or a conclusion has at least


class Exchange(NamedTuple):
    """A person's turn, and what the assistant and its tools said and did before the person's next turn."""

    asked: Turn | None  # None: before any person spoke
    acted: tuple[Turn, ...] = ()
    spoken: tuple[Turn, ...] = ()


@lru_cache(maxsize=1)  # of a segment, whose episode asks for them again and again
def exchanges(turns: tuple[Turn, ...]) -> tuple[Exchange, ...]:
    """The exchanges of some turns, in order; several turns of people in a row are one each."""
    rows: list[Exchange] = []
    for turn in turns:
        if turn.role in ("user", ""):
            rows.append(Exchange(turn))
            continue
        last = rows.pop() if rows else Exchange(None)
        if turn.role == "tool":
            last = last._replace(acted=(*last.acted, turn))
        elif turn.role == "assistant" and prose(turn).strip():
            last = last._replace(spoken=(*last.spoken, turn))
        rows.append(last)
    return tuple(rows)


# What an answer comes to: its first sentences, where it says what it found, and its last, where it says what is so now.

_FIRST, _LAST = 4, 2
_THOUGHTS = re.compile(r"<(think(?:ing)?|details)\b[^<>]{0,100}>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_LINE_OF_CODE = re.compile(
    r"(?P<colon>:[ \t*]{0,4})?\n{0,2}[ \t]{0,8}(?P<fence>```|~~~)[^\n`]{0,100}\n[ \t]*(?P<code>[^\n`]{2,100})\n[ \t]*(?P=fence)"
)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t][^\n]*|\|[^\n]*|[-=*_]{3,}[ \t]*)$", re.MULTILINE)
_ITEM = re.compile(r"^(?:[-*•+–]|\d{1,2}[.)])[ \t]+|^>+[ \t]*")
_BOLD = re.compile(r"\*\*|__(?=\w)|(?<=\w)__")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]{1,80})(?<=\S)\*(?![\w*])")
_LINKED = re.compile(r"!?\[([^\]\n]{1,120})\]\([^)\n]{0,400}\)")

_HARD = re.compile(r"[`\d]")
_BARE = re.compile(
    r"[^\s`]+|\[[^\]]*\]|#!.*"
)  # a path alone, a note of the host in brackets, or the first line of a script


def prose(turn: Turn) -> str:
    """What somebody said, without code blocks and calls of tools."""
    text = turn.text[:SCANNED]
    if _has_code(text):
        text = _FENCE.sub(" ", text)
    if "{" in text:
        text = "\n".join(line for line in text.split("\n") if not is_call_line(line))
    return text


def _has_code(text: str) -> bool:
    return "```" in text or "~~~" in text


def conclusions(turn: Turn) -> list[str]:
    """The sentences of an answer that may tell what it comes to, in their order."""
    concluding = [*_telling_sentences(turn)]
    return concluding if len(concluding) <= _FIRST + _LAST else [*concluding[:_FIRST], *concluding[-_LAST:]]


def causes(turn: Turn) -> list[str]:
    """The sentences of an answer that say why something was wrong."""
    return [sentence for sentence in _telling_sentences(turn) if _holds(sentence, "causes")]


def _holds(sentence: str, name: str) -> bool:
    """True where words of a list stand in a sentence."""
    return any(map(_spaced(sentence).__contains__, _phrases(name)))


@lru_cache(maxsize=1024)  # of the sentences of a turn, which are asked for several lists
def _spaced(sentence: str) -> str:
    """The words of a sentence, each between spaces."""
    return f" {' '.join(plain(sentence))} "


@cache
def _phrases(name: str) -> tuple[str, ...]:
    """The words of a list, each between spaces."""
    return tuple(f" {phrase} " for phrase in lists.lines(f"consolidation.{name}"))


@lru_cache(maxsize=256)  # of the turns of a segment
def _telling_sentences(turn: Turn) -> tuple[str, ...]:
    """The sentences that conclude something, each once; a line of code stays with what announces it."""
    text = _THOUGHTS.sub(" ", turn.text[:SCANNED])
    if _has_code(text):
        text = _LINE_OF_CODE.sub(
            lambda hit: f"{': ' if hit['colon'] else chr(10)}`{hit['code'].strip()}`\n", text
        )
    text = _HEADING.sub("", prose(turn._replace(text=text)))
    concluding = list(dict.fromkeys(filter(concludes, map(_plain, sentences(text)))))
    return tuple(sentence for sentence in concluding if not announces(sentence)) or tuple(concluding)


def announces(sentence: str) -> bool:
    """True for a sentence in which an assistant says what it does next."""
    return _spaced(sentence).startswith(_phrases("announcements"))


def concludes(sentence: str) -> bool:
    """True for a sentence that tells something by itself: no question, no courtesy, and no announcement of what follows."""
    if sentence.endswith(("?", "？", ":", "：")) or is_filler(sentence) or _holds(sentence, "offers"):
        return False
    if _BARE.fullmatch(sentence):
        return False
    return _HARD.search(sentence) is not None or len(telling(sentence)) >= TELLING


def _plain(sentence: str) -> str:
    text = _ITEM.sub("", sentence.strip())
    if "*" in text or "__" in text or "](" in text:  # as in few sentences
        text = _LINKED.sub(r"\1", _EMPHASIS.sub(r"\1", _BOLD.sub("", text)))
    return text.strip()


def telling(text: str) -> list[str]:
    """The words of a text that carry its subject, folded: no small words of any language, nothing that every talk is full of."""
    common = _common()
    return [word for word in folded_words(text) if word not in common and len(word) > 1]


@cache
def _common() -> frozenset[str]:
    """Words that tell no talk from another."""
    small = {fold(word) for code in _STOPPED for word in stemming.language(code).stop}
    for code in codes():
        words = grammar(code)
        for listed in (words.small, words.light, words.politeness, words.fillers):
            small.update(fold(entry) for entry in listed.entries())
    return frozenset(small)


_STOPPED = ("en", "de", "fr", "es", "nl", "it", "pt")


# What the session comes back to

_SHORT, _LONG = 3, 20  # letters of a word that is no topic, and of the longest that is one
_OF_EVERY_TALK = (
    "tasks", "honorifics", "adverbs", "hedges", "comparatives", "quantities", "preference_verbs", "preference_words", "reporting_verbs", "decision_verbs", "wish_verbs",
    "state_verbs", "past_event_verbs", "manner_verbs", "rework_verbs", "change_verbs", "duty_verbs", "done_words", "moods", "order_topics",
)  # fmt: skip
_OF_DAYS = ("weekdays", "weekend", "fixed", "units")  # lists of the words of dates
_COMPARED = 3000  # characters of a turn
_ADDRESS = re.compile(r"(?<!\S)[^\s@:]*+(?:@|://)\S*+")  # its words are spelled as no one writes them


def topics(turns: Sequence[Turn]) -> list[str]:
    """The words that a session comes back to, those that a person says too first, as they were written."""
    names = {fold(word) for turn in turns for word in WORD.findall(turn.name)}
    of_every_talk = _of_every_talk()
    in_turns: Counter[str] = Counter()
    of_people: Counter[str] = Counter()
    written: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for turn in turns:
        if turn.role not in ("user", "assistant", ""):
            continue
        spelled: dict[str, str] = {}
        text = without_secrets(prose(turn)[:_COMPARED])
        if "@" in text or "://" in text:
            text = _ADDRESS.sub(" ", text)
        for word in dict.fromkeys(WORD.findall(text)):
            key = word.lower() if word.isascii() else fold(word)
            if _SHORT < len(key) <= _LONG and key not in of_every_talk and not key[0].isdigit():
                spelled.setdefault(key, word)
        in_turns.update(spelled.keys())
        of_people.update(spelled.keys() if turn.role != "assistant" else ())
        for key, word in spelled.items():
            written[key][word] = written[key].get(word, 0) + 1
    worth = {
        word: math.log1p(in_turns[word]) * (1 + min(2, count)) * _rarity(written[word])
        for word, count in of_people.items()
        if word not in names and (in_turns[word] > 1 or len(turns) < 4)
    }
    ranked = sorted(worth, key=lambda word: (-worth[word], word))
    return [_spelling(written[word]) for word in ranked]


@cache
def _of_every_talk() -> frozenset[str]:
    """Words of any work, of any day and before any name, which tell no talk from another any more than the common ones."""
    tasks = (
        fold(word)
        for code in codes()
        for name in _OF_EVERY_TALK
        for entry in getattr(grammar(code), name).entries()
        for word in entry.split()
    )
    days = (
        fold(word)
        for file in lists.files()
        for name in _OF_DAYS
        if file.startswith("dates_") and name in lists.names(file)
        for line in lists.lines(f"{file}.{name}")
        for word in WORD.findall(line.partition(":")[2])
    )
    return _common().union(tasks, days, map(fold, lists.words("consolidation.work")))


def _spelling(spellings: Mapping[str, int]) -> str:
    """The word as it was written most, in small letters where it was ever written so: a capital may only begin a sentence."""
    small = [word for word in spellings if word == word.lower()]
    return small[0] if small else max(spellings, key=spellings.__getitem__)


def _rarity(spellings: Mapping[str, int]) -> float:
    """More for what is always written as a name or an identifier."""
    word = _spelling(spellings)
    return 1.5 if word != word.lower() or not word.isalpha() else 1.0


# What was done: files that were touched, and commands that ran with their result

_FILES, _RAN = 5, 4
_LONGEST = 80  # characters of a command


class Deeds(NamedTuple):
    """What tools did: the files that they touched, the most often first, the commands that they ran, and other calls."""

    files: tuple[str, ...] = ()
    ran: tuple[tuple[str, bool], ...] = ()  # each with whether it went well
    calls: tuple[tuple[int, ToolText], ...] = ()
    line: int = 0  # of the last one that touched a file or ran
    lessons: tuple[Lesson, ...] = ()


def deeds(turns: Iterable[Turn]) -> Deeds:
    """What the tools among some turns did; what only looks is not named."""
    files: Counter[str] = Counter()
    ran: dict[str, bool] = {}
    calls: dict[tuple[str, str], tuple[int, ToolText]] = {}
    trouble = _Trouble()
    last = 0
    for turn in turns:
        if turn.role == "assistant":
            trouble.explained(turn)
        call = read_call(turn.text) if turn.role == "tool" else None
        if call is None:
            continue
        if command := argument(call.args, COMMAND):
            for step in commands(command):
                ran.pop(step, None)
                ran[step] = not call.failed
                last = turn.line
            trouble.ran(turn, command, failed=call.failed)
        elif call.looks_up:
            continue
        elif path := argument(call.args, FILE):
            name = path.replace("\\", "/").rpartition("/")[2]
            files[name] += 1
            trouble.touched(name)
            last = turn.line
        else:
            calls[call.tool, call.about] = (turn.line, call)
    names = tuple(name for name, _ in files.most_common(_FILES) if name)
    return Deeds(names, tuple(ran.items())[-_RAN:], tuple(calls.values()), last, tuple(trouble.lessons))


class Lesson(NamedTuple):
    """A command that failed and later passed, what its error said, what was done between, and the cause that the assistant named."""

    line: int  # where it failed
    command: str
    error: str
    changed: tuple[str, ...] = ()  # files, else commands that ran
    cause: str = ""
    by: Turn | None = None  # who named the cause

    def __str__(self) -> str:
        error = f": “{self.error}”" if self.error else ""
        return f"{_shown(self.command)} failed{error} – passes since {', '.join(self.changed)}"


class _Trouble:
    """The commands that failed and have not passed since, and what was done and said meanwhile."""

    def __init__(self) -> None:
        self.lessons: list[Lesson] = []
        self._failing: dict[str, _Failing] = {}

    def ran(self, turn: Turn, command: str, *, failed: bool) -> None:
        """Takes note of a command that ran, and of how it went."""
        for step in commands(command):
            if failed:
                self._failing.setdefault(
                    step, _Failing(Lesson(turn.line, step, error_in(printed(turn.text))), {}, {})
                )
            elif failing := self._failing.pop(step, None):
                if changed := failing.files or failing.commands:
                    self.lessons.append(failing.lesson._replace(changed=tuple(changed)[-_FILES:]))
            else:
                for failing in self._failing.values():
                    failing.commands[_shown(step)] = None

    def touched(self, name: str) -> None:
        """Takes note of a file that was changed."""
        for failing in self._failing.values():
            failing.files[name] = None

    def explained(self, turn: Turn) -> None:
        """Takes note of what the assistant makes of it, the last time that it says more than what it does next."""
        if not self._failing:
            return
        words = causes(turn) or [text for text in conclusions(turn) if not announces(text)]
        for command, failing in self._failing.items() if words else ():
            self._failing[command] = failing._replace(lesson=failing.lesson._replace(cause=words[0], by=turn))


class _Failing(NamedTuple):
    """A command that fails, and what was changed and ran since."""

    lesson: Lesson
    files: dict[str, None]
    commands: dict[str, None]


_ERROR = re.compile(r"(?:error|exception|panic|undefined|traceback)\b(?!s?\s*=)", re.IGNORECASE)
_FAULT = re.compile(r"\b(?:fail(?:ed|ure|s)?|cannot|can't|could not|not found|no such|denied|refused|unknown|invalid|missing|unable|expected)\b", re.IGNORECASE)  # fmt: skip
_PLACE = re.compile(r"[\w/-]\.[a-z]{1,8}:\d+")  # of compilers and linters: file:line
_ENDED = re.compile(r"\bexit(?:ed)? (?:code|status|with)\b", re.IGNORECASE)  # says that, and not why
_LONGEST_ERROR = 120


def error_in(text: str) -> str:
    """The line of a command's output that says what was wrong; empty where none does."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    short = [line for line in lines if len(line) <= 4 * _LONGEST_ERROR and not line.endswith(":")]
    whole = "\0".join((*short, ""))  # over which no mark reaches from line to line
    hits = (hit for mark in (_ERROR, _FAULT, _PLACE) for hit in mark.finditer(whole))
    marked = (whole[whole.rfind("\0", 0, hit.start()) + 1 : whole.index("\0", hit.end())] for hit in hits)
    line = next((line for line in marked if not _ENDED.search(line) and len(telling(line)) >= _SAYS), "")
    return line if len(line) <= _LONGEST_ERROR else line[: _LONGEST_ERROR - 2].rpartition(" ")[0] + " …"


_SAYS = 2  # telling words of an error, at least


def _shown(command: str) -> str:
    """A command in a code span, cut at a word."""
    short = command if len(command) <= _LONGEST else command[: _LONGEST - 2].rpartition(" ")[0] + " …"
    return f"`{short.replace('`', chr(39))}`"


def as_words(deed: Deeds) -> str:
    """Files and commands in one line."""
    pieces = [f"files {', '.join(deed.files)}"] if deed.files else []
    if deed.ran:
        runs = (f"{_shown(command)}{'' if ok else ' (failed)'}" for command, ok in deed.ran)
        pieces.append("ran " + ", ".join(runs))
    return "; ".join(pieces)


# What says nothing worth keeping: greetings, thanks, yeses, heartbeats, bare tool calls.

_PERSONS = frozenset({"user", "human"})
_SILENT = re.compile(r"\W*(?:HEARTBEAT_OK|NO_REPLY|ANNOUNCE_SKIP|REPLY_SKIP)\W*")
_PROMPT = re.compile(r"HEARTBEAT(?:\.md|_OK)|\bheartbeat poll\b|\A\W*heartbeat\W*\Z", re.IGNORECASE)


def nothing_in(segment: Segment) -> str:
    """One sentence why a segment yields no episode; empty when it holds something."""
    if not any(turn.role or turn.name for turn in segment.turns):
        return "no line says who spoke" if segment.turns else "nothing was said"
    talk = [turn for turn in segment.turns if turn.role != "tool"]
    telling = [turn for turn in talk if spoken(without_command(turn.text, grammar("en")))]
    if not telling:
        return (
            "tool calls without a word of a person" if len(talk) < len(segment.turns) else "nothing was said"
        )
    if all(is_heartbeat(turn) for turn in telling):
        return "heartbeats only"
    sayings = [turn for turn in telling if not is_heartbeat(turn) and turn.role != "system"]
    if not sayings:
        return "only notes of the system"
    names = frozenset(word for turn in segment.turns for word in plain(turn.name))
    if any(not is_filler(turn.text, names) for turn in sayings):
        return ""
    acted = len(talk) < len(segment.turns) and any(turn.role in _PERSONS for turn in sayings)
    return "" if acted and _acts(segment.turns) else "only greetings and acknowledgements"


def is_heartbeat(turn: Turn) -> bool:
    """True for a host's regular question whether there is something to do, and for the answer that there is not."""
    if _SILENT.fullmatch(turn.text):
        return True
    if turn.role in ("assistant", ""):
        return "HEARTBEAT_OK" in turn.text and not turn.text.replace("HEARTBEAT_OK", "").strip(" \n.*`_")
    return _PROMPT.search(turn.text) is not None


def _acts(turns: Iterable[Turn]) -> bool:
    """True when a tool did something, rather than look something up."""
    return any(turn.role == "tool" and (call := read_call(turn.text)) and not call.looks_up for turn in turns)
