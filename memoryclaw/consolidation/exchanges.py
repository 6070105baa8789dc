"""Turns → what was asked, done and answered: an exchange is a person's turn and what came of it before the next one. Pure."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from memoryclaw.capture.host_turns import CALLS, HOST, call_of, kind_of, tidy
from memoryclaw.consolidation.changes import Segment, ToolSequence
from memoryclaw.index import stemming
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING, Turn
from memoryclaw.talk.own_words import without_command, without_secrets
from memoryclaw.text import words as lists
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.encoding import json_value
from memoryclaw.text.grammar import codes, grammar, is_filler, plain_words, spoken
from memoryclaw.text.language import WORD, fold, folded_words, sentences
from memoryclaw.text.prompts import cut_short, one_line
from memoryclaw.vault.logs import LogRange, content_text, parse_ranges

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


# What was done: tool calls in the lines of a log, and the steps that they amount to. Arguments are data, never run.

_TOOL_LENGTH = 80
_SAID_LENGTH = 400


# A command line that a tool ran → the commands in it, and what of them may differ from one session to the next. Pure: nothing is
# run.

COMMAND = ("command", "cmd", "script")  # what a tool calls the argument that is a command line
FILE = ("file_path", "path", "notebook_path", "filePath", "filename", "file")
PROMPT = "$ "  # before a command among the steps of a session, which are names of tools else
_IDLE = frozenset((*lists.words("consolidation.looking"), *lists.words("consolidation.idle_commands")))
_SHELL = ("-c", "-lc")  # of a shell that is given its command
_HERE = re.compile(r"<<-?\s*['\"]?\w+.*", re.DOTALL)
_PART = re.compile(r"""(?:"[^"\n]*"|'[^'\n]*'|[^;\n"'&|]|(?<!&)&(?!&)|(?<!\|)\|(?!\|)|["'])+""")
_PIPED = re.compile(r"\s(?:\d?>{1,2}&?|\|)\s?\S.*$|\s?2>&1.*$")
_WORD = re.compile(r"""(?:"[^"]*"?|'[^']*'?|[^\s"'])+""")
# What one session says and no other: quoted words, digests, days.
_OWN = re.compile(r"\"[^\"]*\s[^\"]*\"?|'[^']*\s[^']*'?|\b(?=\w*\d)[0-9a-f]{7,40}\b|\b\d{4}-\d\d-\d\d\S*")
OPEN = "…"  # in the pattern of a command: what differs


def argument(args: Mapping[str, Any], keys: Iterable[str]) -> str:
    """The first of these arguments that says something; of a list its words, of a shell its command."""
    for value in map(args.get, keys):
        words = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        if words and all(isinstance(word, str) for word in words):
            text = words[2] if len(words) == 3 and words[1] in _SHELL else " ".join(words)
            if text.strip():
                return text.strip()
    return ""


def commands(text: str) -> Iterator[str]:
    """The commands of a line that do something, each as a person would type it, without where its output went."""
    for piece in _PART.findall(_HERE.sub("", text)):
        command = " ".join(_PIPED.sub("", piece).split())
        if not is_idle(command.partition(" ")[0].rpartition("/")[2]):
            yield command


def is_idle(command: str) -> bool:
    """True for the name of a program that only looks, prints or goes somewhere."""
    return not command[:1].isalpha() or command.lower() in _IDLE


def words_of_command(command: str) -> list[str]:
    """The words of a command, quoted ones together."""
    return _WORD.findall(command)


def pattern_of(command: str) -> str:
    """A command without what only one session says."""
    return " ".join(_OWN.sub(OPEN, word) for word in words_of_command(command))


_OF_FILES = frozenset((*FILE, "pattern", "glob"))  # arguments of a tool that searches, reads or edits files
_COMMAND_LENGTH = 300  # of a command that may be a step
# As capture writes the calls of a message: one a line, the tool and its arguments.
_WRITTEN = re.compile(r"(?P<tool>[A-Za-z_][\w.:/-]{0,79}) (?P<args>\{.*\})", re.ASCII)
# What an agent looks up in its memory is no step of what it does with it.
_OF_MEMORY = re.compile(r"(?:.*(?:__|\.))?memory_(?:search|get|browse|recall|store|feedback)")


class Call(NamedTuple):
    """One call of a tool, or one command that it ran. `ok` is None where the log does not say how it went; `said`: the user's words before it."""

    session: str
    line: int
    tool: str
    args: Mapping[str, Any] = NOTHING
    ok: bool | None = None
    said: str = ""
    project: str = ""
    day: str = ""

    @property
    def step(self) -> str:
        """What was done: the command, else the name of the tool."""
        command = argument(self.args, COMMAND)
        return f"{PROMPT}{command}" if command else self.tool


def calls_in(lines: Sequence[bytes], first: int, last: int) -> list[Call]:
    """The tool calls in these lines of a log (counted from 1, both ends included), each told once, in order.

    A call that a message announces and a tool event answers is the event's.
    """
    reader = _ActionReader()
    for number in range(max(first, 1), min(last, len(lines)) + 1):
        value = _object(lines[number - 1])
        if value:
            reader.read(number, value)
    announced = (
        entry._replace(**dict(zip(("tool", "args"), unwrap(entry.tool, entry.args), strict=True)))
        for entry in reader.announced
    )
    return sorted([*reader.done, *announced], key=lambda call: call.line)


def steps(calls: Iterable[Call]) -> list[Call]:
    """What counts: each command by itself, and calls of other tools than those for files; nothing that failed, none of memory's own tools, the same again and again once."""
    counted: list[Call] = []
    for call in calls:
        if call.ok is False or of_memory(call.tool) or call.tool.startswith(HOST):
            continue
        for step in _parts(call):
            if not counted or counted[-1].step != step.step:
                counted.append(step)
    return counted


def _parts(call: Call) -> Iterator[Call]:
    """A call, or the commands that it ran; nothing of one that only searches, reads or edits files."""
    if not _OF_FILES.isdisjoint(call.args):
        return
    line = argument(call.args, COMMAND)
    if not line:
        yield call
    for command in commands(line):
        if len(command) <= _COMMAND_LENGTH:
            yield call._replace(args={COMMAND[0]: command})


def of_memory(tool: str) -> bool:
    """True for a tool of the memory itself."""
    return _OF_MEMORY.fullmatch(tool) is not None


# A tool that calls another, as hosts offer it for tools that a model has to look up first.
_CALLER = re.compile(r"(?:.*[_.:-])?(?:tool_call|call_tool|use_mcp_tool)", re.IGNORECASE)
_CALLED = ("id", "name", "tool", "tool_name")
_WITH = ("args", "arguments", "params", "input")


def unwrap(tool: str, args: Any) -> tuple[str, Any]:
    """The tool and the arguments of a call; where one tool was called to call another, those of the other."""
    if isinstance(args, Mapping) and _CALLER.fullmatch(tool):
        name = next(
            (args[key] for key in _CALLED if isinstance(args.get(key), str) and args[key].strip()), ""
        )
        inner = next((args[key] for key in _WITH if isinstance(args.get(key), Mapping)), None)
        if name and inner is not None:
            return one_line(name)[:_TOOL_LENGTH], inner
    return tool, args


def by_session(calls: Iterable[Call], range_: LogRange) -> dict[str, list[Call]]:
    """The steps of each session in one stretch of a log; a session that took none is left out."""
    calls_of: dict[str, list[Call]] = {}
    for call in calls:
        session = call.session or range_.path.rpartition("/")[2].removesuffix(".jsonl")
        calls_of.setdefault(session, []).append(call._replace(session=session))
    return {
        session: session_steps for session, taken_by in calls_of.items() if (session_steps := steps(taken_by))
    }


def tool_sequences(calls: Iterable[Call], range_: LogRange) -> list[ToolSequence]:
    """What each session did in one stretch of a log."""
    rows = by_session(calls, range_).items()
    return [
        ToolSequence(session, str(range_), tuple(step.step for step in walk), walk[-1].project, walk[-1].day)
        for session, walk in rows
    ]


def stretches(acted: Iterable[ToolSequence]) -> dict[str, list[ToolSequence]]:
    """What was done by session, in the order of the log; a stretch within one that is there already is left out."""
    by_session: dict[str, list[tuple[LogRange, ToolSequence]]] = {}
    for sequence in acted:
        range_ = next(iter(parse_ranges(sequence.range)), LogRange(sequence.range, 0, 0, ""))
        by_session.setdefault(sequence.session, []).append((range_, sequence))
    merged: dict[str, list[ToolSequence]] = {}
    for session, pairs in by_session.items():
        path, last = "", -1
        for range_, sequence in sorted(pairs, key=lambda pair: (pair[0].path, pair[0].first, -pair[0].last)):
            if range_.path != path or range_.last > last:
                merged.setdefault(session, []).append(sequence)
                path, last = range_.path, range_.last
    return merged


def sessions(acted: Iterable[ToolSequence]) -> dict[str, tuple[str, ...]]:
    """The tools that each session called, in order over all its stretches."""
    return {session: _join(piece.tools for piece in pieces) for session, pieces in stretches(acted).items()}


def _join(pieces: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """The tools of stretches in a row; a tool that ends one and begins the next was called once."""
    tools: list[str] = []
    for stretch in pieces:
        for tool in stretch:
            if not tools or tools[-1] != tool:
                tools.append(tool)
    return tuple(tools)


class _ActionReader:
    """Reads the lines of a log in order; what a message announces waits for the event that answers it."""

    def __init__(self) -> None:
        self.done: list[Call] = []
        self.announced: list[Call] = []
        self._said: dict[str, str] = {}

    def read(self, line: int, value: Mapping[str, Any]) -> None:
        session, role = _text(value.get("session")), _text(value.get("role"))
        tool = _tool(value.get("tool") or value.get("toolName"))
        if role in ("user", "human"):
            self._said[session] = one_line(content_text(value.get("content")))[:_SAID_LENGTH]
        elif tool:
            self._answer(
                Call(
                    session,
                    line,
                    tool,
                    said=self._said.get(session, ""),
                    project=_text(value.get("project")),
                    day=parse_timestamp(_text(value.get("ts")))[:10],
                ),
                value,
            )
        elif role in ("assistant", "ai"):
            self.announced += [
                Call(session, line, name, args, None, self._said.get(session, ""))
                for name, args in _announced_calls(value)
            ]

    def _answer(self, call: Call, value: Mapping[str, Any]) -> None:
        args = _args(value.get("args"))
        waiting = [
            announced
            for announced in self.announced
            if (announced.session, announced.tool) == (call.session, call.tool)
        ]
        match = next(
            (announced for announced in waiting if announced.args == args), next(iter(waiting), None)
        )
        if match:
            self.announced.remove(match)
            args = args or match.args
        tool, args = unwrap(call.tool, args)
        self.done.append(call._replace(tool=tool, args=args, ok=_success(value)))


def _announced_calls(value: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The calls that an assistant's message makes: parts of its content, or whole lines of it as capture writes them."""
    content = value.get("content")
    if isinstance(content, list):
        calls = [call_of(block) for block in content if kind_of(block) in CALLS]
        return [(_tool(tool), _args(args)) for _, tool, args in calls]
    lines = content.splitlines() if isinstance(content, str) else []
    hits = [hit for line in lines if (hit := _WRITTEN.fullmatch(line.strip()))]
    return [(hit["tool"], _args(args)) for hit in hits if (args := _object(hit["args"])) is not None]


def _success(value: Mapping[str, Any]) -> bool | None:
    if isinstance(value.get("ok"), bool):
        return bool(value["ok"])
    return not value["isError"] if isinstance(value.get("isError"), bool) else None


def _object(text: str | bytes) -> dict[str, Any] | None:
    value = json_value(text)
    return value if isinstance(value, dict) else None


def _args(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str) and value.startswith("{"):
        value = _object(value)
    return tidy(value) if isinstance(value, dict) else NOTHING


def _tool(value: Any) -> str:
    return one_line(value)[:_TOOL_LENGTH] if isinstance(value, str) else ""


def _text(value: Any) -> str:
    return one_line(value) if isinstance(value, str) else str(value) if isinstance(value, int) else ""


# The text of a tool's turn → which tool was called, and with what, in one short phrase. Results stay in the log.

_NAME = re.compile(rf"\s*(?!{HOST})([A-Za-z_][\w.:/-]{{0,79}})(?=\s|$)")
# A call that an assistant's message ends with: the tool and its arguments on a line of their own.
_CALL_LINE = re.compile(r"[A-Za-z_][\w.:/-]{0,79} \{.*\}\s*")
_LOOKS = frozenset(lists.words("consolidation.looking"))
_ACTS = frozenset(lists.words("consolidation.acting"))
_NOTES = frozenset(lists.words("consolidation.noting"))
_MAIN = ("title", "subject", "name", "summary", "text", "message", "body", "content", "command", "path", "file_path", "url", "query", "to")  # fmt: skip
_NAMING = tuple(key for key in _MAIN if key not in {"summary", "text", "message", "body", "content"})
_LENGTH = 80
_PARTS = re.compile(r"[A-Za-z][a-z]*")


class ToolText(NamedTuple):
    """One call of a tool."""

    tool: str
    about: str  # the argument that says most, on one line
    failed: bool
    args: Mapping[str, Any] = NOTHING

    @property
    def looks_up(self) -> bool:
        """True when the tool by its name only reads."""
        return bool(self._words & _LOOKS) and not self._words & _ACTS

    @property
    def notes(self) -> bool:
        """True when the tool by its name notes what somebody has to do."""
        return not self._words.isdisjoint(_NOTES)

    @property
    def _words(self) -> set[str]:
        return {word.lower() for word in _PARTS.findall(self.tool)}

    @property
    def phrase(self) -> str:
        """The call in a few words."""
        call = f"{self.tool}: {self.about}" if self.about else self.tool
        return f"{call} (failed)" if self.failed else call


def read_call(text: str) -> ToolText | None:
    """The call that the text of a tool's turn begins with."""
    hit = _NAME.match(text)
    if hit is None:
        return None
    failed = text.rstrip().endswith("(failed)")
    args = _argument_texts(text[hit.end() :].lstrip())
    return ToolText(hit[1], _short(_about(args)), failed, args if isinstance(args, dict) else NOTHING)


def call_text(tool: str, args: Mapping[str, Any], *, failed: bool = False) -> ToolText:
    """One call of a tool, with the argument that names what it is about: no prose, and nothing of its result."""
    about = next((args[key] for key in _NAMING if isinstance(args.get(key), str) and args[key].strip()), "")
    return ToolText(tool, _short(about), failed)


def is_call_line(line: str) -> bool:
    """True for a line of an assistant's message that is a call, not words."""
    return _CALL_LINE.fullmatch(line) is not None


def _argument_texts(text: str) -> Any:
    if not text.startswith("{"):
        return None
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def printed(text: str) -> str:
    """What a tool answered, of the text of its turn."""
    hit = _NAME.match(text)
    answer = text[hit.end() :].lstrip() if hit else ""
    if answer.startswith("{"):
        try:
            answer = answer[json.JSONDecoder().raw_decode(answer)[1] :]
        except (ValueError, RecursionError):
            return ""
    _, arrow, output = answer.partition("→")
    return output.rstrip().removesuffix("(failed)").strip() if arrow else ""


def _about(args: Any) -> str:
    if not isinstance(args, dict):
        return ""
    plain = {key: value for key, value in args.items() if isinstance(value, str) and value.strip()}
    return next((plain[key] for key in _MAIN if key in plain), next(iter(plain.values()), ""))


def _short(text: str) -> str:
    return cut_short(" ".join(text.split()), _LENGTH)


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
    return f" {' '.join(plain_words(sentence))} "


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
    return cut_short(line, _LONGEST_ERROR)


_SAYS = 2  # telling words of an error, at least


def _shown(command: str) -> str:
    """A command in a code span, cut at a word."""
    return f"`{cut_short(command, _LONGEST).replace('`', chr(39))}`"


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
    names = frozenset(word for turn in segment.turns for word in plain_words(turn.name))
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
