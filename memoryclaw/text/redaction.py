"""Replaces secrets in a text by `[REDACTED:kind:fingerprint]`; the key of the fingerprints is passed in.

A secret is replaced whole or not at all, and a mark is never redacted again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import math
import re
import string
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.model import Turn
from memoryclaw.text import words as lists
from memoryclaw.text.encoding import json_value
from memoryclaw.text.grammar import Grammar, WordList, clauses, codes, grammar, grammar_of, tokens_of
from memoryclaw.text.language import sentences
from memoryclaw.text.prompts import UNSEEN
from memoryclaw.text.words import lines
from memoryclaw.text.words import words as word_list

# Secrets known by their form.


class SecretRule(NamedTuple):
    """One form: the kind it is reported as, words of which a match holds at least one, and the pattern (group 1, or all of it)."""

    kind: str
    near: tuple[str, ...]
    pattern: str


def _rules(forms: str) -> Iterator[SecretRule]:
    for line in lists.lines(f"secret_forms.{forms}"):
        kind, near, pattern = line.split(" | ", 2)
        yield SecretRule(kind, tuple(near.split()), pattern)


# Behind a prefix that says what it is stand large and small letters and digits.
_SAYS_SO = lists.words("secret_forms.says_so")
_PREFIXED = SecretRule(
    "token",
    tuple(word + sign for word in _SAYS_SO for sign in "_-"),
    rf"(?:[A-Za-z][A-Za-z0-9]{{1,15}}[_-]){{0,3}}(?:{'|'.join(_SAYS_SO)})[_-](?:[a-z][a-z0-9]{{0,7}}[_-])?"
    r"(?=[A-Z0-9]{0,60}[a-z])(?=[a-z0-9]{0,60}[A-Z])(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{20,}",
)
_FORMS = ("clouds", "workshops", "messengers_and_money", "models", "signed", "hashes")
SHAPES = tuple(_rules("shapes"))
TOKENS = (*(rule for forms in _FORMS for rule in _rules(forms)), _PREFIXED)
# Characters without a space that every token has; most sentences have no such word and need no patterns. A token that is known by a
# single sign has more of them.
SHORTEST, LONG = 15, 40


MARK = late.pattern(r"\[REDACTED:([a-z0-9-]{1,40}):([0-9a-f]{8})\]")
_DEEPEST = 64
# No letter or digit before a token, but for those of an escape: `\nghp_…`, `%20ghp_…`.
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_TOKENS_BY_NEAR = tuple((near, rule) for rule in TOKENS for near in rule.near)
_SHAPES_BY_NEAR = tuple((near, rule) for rule in SHAPES for near in rule.near)
# Keys and timestamps of a record, which are no secrets.
_PLAIN = late.pattern(
    r"[a-z_]{0,24}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?", re.ASCII
)
_FLAG = late.pattern(r"--?[A-Za-z][\w-]*")


class Redacted(NamedTuple):
    """A value without its secrets, and the kinds of those removed."""

    value: Any
    kinds: tuple[str, ...]


# Finds secrets by the place they stand in: members of a JSON Web Key, values of a Kubernetes Secret, links that sign in, logins
# before a host.

# Members of a JSON Web Key that its owner alone may know.
_JWK = frozenset(("d", "p", "q", "dp", "dq", "qi", "k"))
_QUOTE = r"\\{0,3}[\"']"
_JWK_MEMBER = late.pattern(
    rf"{_QUOTE}(?:d|[dq]?p|d?q|qi|k){_QUOTE}\s{{0,5}}:\s{{0,5}}{_QUOTE}([\w-]{{20,4000}})"
)
_SECRET_KIND = late.pattern(r"\bkind\\{0,3}[\"']?\s{0,5}:\s{0,5}\\{0,3}[\"']?Secret\b(?![\w-])")
_YAML_DATA = late.pattern(
    r"^([ \t]{0,40})(?:data|stringData):[ \t]*$((?:\n(?:\1[ \t]+[^\n]*|[ \t]*(?=\n)))+)", re.MULTILINE
)
_YAML_VALUE = late.pattern(
    r"^[ \t]+[\w.\"'-]{1,260}:[ \t]+[\"']?(?![|>][+-]?[ \t]*$)([^\s\"'#][^\n\"']*)|^[ \t]+([^\s:#]+)$",
    re.MULTILINE,
)
_JSON_DATA = late.pattern(r"\b(?:data|stringData)\\{0,3}[\"']?\s{0,5}:\s{0,5}\{([^{}]{1,200000})\}")
_JSON_VALUE = late.pattern(r":\s{0,5}\\{0,3}[\"']?([^\s\"'\\,]{1,100000})")

_LOGIN = late.pattern(
    r"(?:(?<![\w/:@.%+-])|(?<=//))([A-Za-z][\w.+-]{0,60}):([^\s/:@\"'<>`,;()|]{4,200})@(?=(?:[A-Za-z][\w-]{0,60}\.){1,6}[A-Za-z]{2,24}(?:[:/\s\"'`),;>.]|$)|localhost\b|\d{1,3}(?:\.\d{1,3}){3}\b)"
)
_NO_LOGIN = frozenset(word_list("secret_names.before_addresses"))
_GIT_LOGIN = frozenset(word_list("secret_names.git_logins"))

_LINK = late.pattern(r"https?://[^\s/?#\"'<>`]{1,260}([/?#][^\s\"'<>`]{6,4000})")
_PIECE = late.pattern(r"[^/?&#=;()\[\]]+")
_WORD = late.pattern(r"[a-z]+")
_OPENS = frozenset(word_list("secret_names.links_that_open"))
_SIGNS_IN = frozenset(word_list("secret_names.links_that_sign_in"))
_TICKETS = frozenset(word_list("secret_names.tickets"))
_FILE = late.pattern(r".*\.[A-Za-z]{1,5}")


# Finds secrets by their names: `password: …`, `api_key=…`, "the token is …".
# The plainer the words around a value, the more the value itself must look like a secret.

_BEGINS = r"(?:(?<![a-z])|(?-i:(?<=[a-z])(?=[A-Z])))"  # a word of a name begins: `db_pw`, `userPw`
_PASSES = "|".join(word_list("secret_names.passes"))
_LOGIN_WORDS = (
    r"pass[_ -]?(?:word|wort|phrase|code|key)s?|passwd|passwort|(?<![a-z])pass(?![a-z])|pwd|psw|kennwort|contrase(?:ñ|n)a|senha"
    rf"|mot[ _-]de[ _-]passe|wachtwoord|lösenord|salasana|hasło|heslo|(?<![a-z])parola|пароль|密码|密碼|パスワード|비밀번호|{_BEGINS}(?:pw|psk|pswd|pword|passw|passwrd)(?![a-z])"
    rf"|(?<![a-z])(?:{_PASSES})pass(?![a-z])"
)
_SETTING_WORDS = "|".join(sorted(word_list("secret_names.settings"), key=len, reverse=True))
_KEY_WORDS = (
    r"keys?(?![a-z])|secrets?|token|credentials?|(?<![a-z])auth(?:[_ -]?token)?(?![a-z])|(?<![a-z])creds?(?![a-z])"
    rf"|{_BEGINS}(?:{_SETTING_WORDS})(?![a-z])"
)
# Where a name may begin, in lower case: looking for these first is ten times faster than trying every name everywhere. Those with one
# first letter stand together, so that few are tried at each character.
_CORE_WORDS = (
    "pass|pwd|psw|kennwort|contrase|senha|mot[ _-]de|wachtwoord|lösenord|salasana|hasło|heslo|parola|пароль|密码|密碼|パスワード|비밀번호"
    "|key|secret|token|cred|auth"
)
_CORES = [
    *_CORE_WORDS.split("|"),
    *(f"{word}pass" for word in _PASSES.split("|")),
    *(f"{word}(?![a-z])" for word in f"pw|psk|pswd|pword|{_SETTING_WORDS}".split("|")),
]
_CORE = late.pattern(
    "|".join(
        f"{first}(?:{'|'.join(core[1:] for core in _CORES if core[0] == first)})"
        for first in dict.fromkeys(core[0] for core in _CORES)
    )
)
_NAME = rf"(?:(?P<password>{_LOGIN_WORDS})|(?P<token>{_KEY_WORDS}))"
_TAIL = r"(?P<tail>[\w.-]{0,40}?)"
_CLOSE = r"(?:\\{0,3}[\"'`\]*]|&quot;){0,3}"
_OPEN = r"[*_]{0,2}[ \t]*+(?P<open>\\{0,3}[\"'`]|&quot;|<)?"
_SAYS = r"(?:[:=]{1,2}>?|:=|->|→|\|\|?|\?=|：|>)"
_GAP = r"(?P<gap>(?:[ \t]{1,3}+[\w'’().@/-]{1,24}+){0,7}?)"
_MEANS = r"(?P<verb>\s(?:is|was|ist|est|es|är|:=)(?:[ \t](?:now|set to|still|just))?(?:[ \t]*+:\s{1,3}|(?=\s)[ \t]*+\s{0,3}))"
_VALUE = r"(?P<value>[^\s\"'`<>]\S{0,255}+)"
_ASSIGNED = late.pattern(
    rf"{_NAME}{_TAIL}{_CLOSE}(?:\s?\([^()\n]{{1,40}}\))?"
    rf"(?:{_GAP}(?:[ \t]{{0,8}}(?P<sign>{_SAYS})\s{{0,16}}|{_MEANS}){_OPEN}|(?P<space>[ \t]{{1,3}}\\?[\"'`]?)){_VALUE}",
    re.IGNORECASE,
)
# No name is followed by so many of these: behind it and its tail stands a space, a quote or a sign.
_ENDLESS = late.pattern(r"[\w.-]{100}")
_SCHEMES = ("bearer", "basic", "token", "apikey", "digest", "negotiate")
_SCHEME = late.pattern(rf"\b({'|'.join(_SCHEMES)})\s{{1,3}}([\w.~+/=-]{{8,4000}})", re.IGNORECASE)
_HEADER = late.pattern(
    r"authorization[\"']{0,2}\s{0,3}[:=]\s{0,3}[\"']?(?:[A-Za-z0-9-]{2,30}\s+)?([^\s\"',;]{8,4000})",
    re.IGNORECASE,
)
_PAIR = late.pattern(r"(?:name|key)\\{0,3}[\"']?\s?:\s?\\{0,3}[\"']?(?P<name>[\w.-]{2,60})\\{0,3}[\"']?\s?,?\s{0,20}\\{0,3}[\"']?value\\{0,3}[\"']?\s?:\s?\\{0,3}[\"']?(?P<value>[^\s\"'\\,}]{4,512})", re.IGNORECASE)  # fmt: skip

_QUOTES = "\"'`„“”«»‚‘’*「」『』"
_ENDS = ".,;:)]}>|?。，、；！？" + _QUOTES
_FILLERS = "|".join(word_list("secret_names.fillers"))
_OF = "|".join(word_list("secret_names.of"))
_CHANGED_TO = "|".join(word_list("secret_names.changed_to"))
_CHANGED = re.compile(rf"(?<!\w)(?:{'|'.join(word_list('secret_names.changed'))})(?!\w)", re.IGNORECASE)
_REVERSED_NAMES = tuple(name.replace("_", " ") for name in word_list("secret_names.reversed"))
_REVERSED = late.pattern(
    rf"(?<!\S)[{_QUOTES}]{{0,2}}([^\s{_QUOTES}]{{4,60}})[{_QUOTES}]{{0,2}} (?:is|was|ist|war|est|es|è|é)(?: [\w'’-]{{1,20}}){{1,4}}?[ -](?:{'|'.join(_REVERSED_NAMES)})(?=[ \t]{{0,3}}(?:[.,;!)\n]|\Z|(?:{_OF})[ \t]))",
    re.IGNORECASE,
)
_STATED = late.pattern(r"\d{1,3}[-‑][^\W\d]\S*")  # `12-stellig`, `8-character`
_DIGITS = late.pattern(r"\d\d")
_GROUPS = r"\d{2,4}[- ]\d{2,4}|\d{1,4}(?:[- ]\d{1,4}){2,5}"
_CODE = rf"([A-Za-z]?\d{{3,8}}[A-Za-z]?|{_GROUPS})(?=[#*]?(?!\S{{0,200}}\w))"
_OPENING, _OPENED = (
    "|".join(word_list(f"secret_names.{name}")).replace("_", " ") for name in ("opening_codes", "opened")
)
_DETERMINERS = frozenset((*word_list("pronouns.articles"), *word_list("pronouns.own")))
_CODE_OF = (
    rf"(?:(?:{_OPENING})[ \t](?:(?:{_OF})[ \t]|d['’])(?:[\w'’-]{{1,20}}[ \t]){{0,3}}?(?:{_OPENED})"
    rf"|(?:{_OPENED})(?:['’]s)?[ \t](?:{_OPENING}))"
)
_OPENING_CODE = late.pattern(
    rf"(?<![^\W\d_]){_CODE_OF}"
    rf"(?:\s?[:=]|\s{{1,3}}(?:is|was|ist|war|lautet|est|es|è|é)(?=\s))\s{{0,3}}[{_QUOTES}]{{0,3}}{_CODE}[#*]?"
    rf"(?=[{_QUOTES}]{{0,3}}[ \t]{{0,3}}(?:[.,;!)\n]|\Z|(?:{'|'.join(word_list('secret_names.joining'))})[ \t]))",
    re.IGNORECASE,
)


class Sentence(NamedTuple):
    """How the people of one language tell a secret: what they call it, and what stands between name and value."""

    names: tuple[str, ...]
    signs: tuple[str, ...]
    dense: bool  # written without spaces


def _sentences(list_: str) -> dict[str, list[Sentence]]:
    """The sentences of a list by their names."""
    rows: dict[str, list[Sentence]] = {}
    for line in lines(list_):
        names, _, signs = (half.split() for half in line.partition("|"))
        spellings = tuple(name.replace("_", " ") for name in names)
        sentence = Sentence(
            spellings,
            (*(sign.replace("_", " ") for sign in signs), ":", "：", "="),
            max(line) > "\u2fff",
        )
        for name in spellings:
            rows.setdefault(name, []).append(sentence)
    return rows


_SPOKEN = _sentences("secret_names.spoken")
_CODES = _sentences("secret_names.codes")
_SPOKEN_ASCII, _CODES_ASCII = (
    {name: of_name for name, of_name in rows.items() if name.isascii()} for rows in (_SPOKEN, _CODES)
)


@cache
def password_sentence(sentence: Sentence) -> re.Pattern[str]:
    """The pattern of a password that a sentence tells."""
    verbs = "|".join(map(re.escape, sentence.signs))
    if sentence.dense:
        gap, value = rf"[\w（）() ]{{0,12}}?(?:{verbs})", "([!-~]{4,100})"
    else:
        gap = (
            rf"[\w-]{{0,20}}(?:[ \t]{{1,3}}+[\w'’().@-]{{1,24}}+){{0,6}}?"
            rf"(?:[ \t]{{1,3}}(?:{verbs})(?=[ \t:])(?:[ \t]{{1,3}}(?:{_FILLERS})(?=[ \t:]))?|[ \t]{{0,3}}(?=[:：=]))"
        )
        value = rf"([^\s{_QUOTES}]{{4,100}})"
    return _pattern(sentence.names, rf"{gap}[ \t]{{0,3}}[:：=]?[ \t]{{0,3}}[{_QUOTES}]{{0,3}}{value}")


@cache
def changed_sentence(sentence: Sentence) -> re.Pattern[str]:
    """The pattern of a password that another one is changed to."""
    return _pattern(
        sentence.names,
        rf"[ \t]{{1,3}}(?:{_CHANGED_TO})[ \t]{{1,3}}[{_QUOTES}]{{0,3}}([^\s{_QUOTES}]{{4,100}})",
    )


@cache
def code_sentence(sentence: Sentence) -> re.Pattern[str]:
    """The pattern of a code of digits that a sentence tells."""
    verbs = "|".join(map(re.escape, sentence.signs))
    gap = (
        rf"[\w ]{{0,12}}?(?:{verbs})"
        if sentence.dense
        else rf"(?:[ \t]+(?:{_OF})(?:[ \t]+[\w'’-]{{1,20}}){{1,4}}?)?(?:\s?[:=]|\s{{1,3}}(?:{verbs})(?=\s))"
    )
    edge = "" if sentence.dense else r"(?<![^\W\d_])"
    return _pattern(sentence.names, rf"{gap}\s{{0,3}}[{_QUOTES}]{{0,3}}{_CODE}", edge)


def _pattern(names: tuple[str, ...], rest: str, edge: str = "") -> re.Pattern[str]:
    return re.compile(rf"{edge}(?:{_either(names)}){rest}", re.IGNORECASE)


@cache
def _names(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(_either(names))


def _either(names: tuple[str, ...]) -> str:
    return "|".join(re.escape(name).replace(r"\ ", "[ _-]?") for name in names)


_ABOUT = frozenset(word_list("secret_names.about"))
_PUBLIC = frozenset(word_list("secret_names.public"))
_ALGORITHMS = frozenset(word_list("secret_names.algorithms"))
_KINDS_OF_KEY = frozenset(word_list("secret_names.kinds_of_key"))
_SENTENCE = frozenset(word_list("secret_names.sentence"))
_PLACEHOLDER = late.pattern(
    r"""\$\{?\w.*|%\w+%|\{\{?.*|\[redacted.*|\[private.*|\[cut.*|<.*|\W*|(.)\1{3,}|xxx.*|\*\*.*|\.\..*
    |(?:your|my|some|the|an?|insert|enter|example|sample|placeholder|dummy|replace|change)[_.-]?(?:own[_.-])?[a-z_.-]*(?:here|key|token|secret|password|me|value|placeholder)\d?
    |(?:null|none|nil|true|false|undefined|string|str|bool|boolean|bytes|int|object|number|any|self|todo|tbd|n/a)[,;)\]}]*
    |(?:process|os|import|config|settings|options|opts|self|this|args|params|props|env|ctx|req|request|response|state|user|secrets|vars|data|app|module|ENV)(?:\??\.|\[).*
    |[A-Za-z_][\w.]*\(.*|[A-Za-z_]\w*\[.*|(?:Optional|List|Secret)?str\b.*
    |~?\.{0,2}/(?:[\w.@ -]+/)+[\w.@ -]*|[A-Za-z]:\\.*|(?:https?|file|s3|gs|ftp|vault|op|arn|projects)(?:://|:|/).*
    |https?|void|\d{4}-\d\d-\d\d.*|\d{1,2}:\d\d.*""",
    re.IGNORECASE | re.VERBOSE,
)
_NAME_ONLY = late.pattern(r"[A-Za-z_$][A-Za-z_$.?-]*")
_HUMPS = late.pattern(r"[A-Za-z_$](?=\w{0,250}(?:[a-z\d][A-Z]|_))[\w$]*[A-Za-z_]")
_CELLS = late.pattern(r"[ \t>]*\|.*|[\w \t*`-]*")
_UNION = late.pattern(r" \|{1,2} ")
_UNPACKED = late.pattern(r", \w*$")
_EXPRESSION = late.pattern(
    r"""[!&|(*=+]*[A-Za-z_$][\w$]*(?:(?:\??\.|::|->|\.\.\.)[A-Za-z_$][\w$]*)+[\])},;!?:&|=+*/-]*
    |[!&|(*\[]*[A-Za-z_$][\w.$?!]*[\[(<].*
    |[\[({]{1,3}[\w"'.].*|/\^?.*/[a-z]{0,4}|/\^.*|[bruf]{1,2}["'].*|!{1,2}[a-z][\w.$?]*|v?\d++(?:[.:]\d++)++[\w.+~-]*|\$\w*|.*[$\#]\{.*|void""",
    re.VERBOSE,
)
_IN_CODE = late.pattern(r"[\[\](){}<>,;|\"`]")
_SAMPLE = late.pattern(
    r"pass(?:word|wd|phrase)?\d?|passwort|pwd|pw|secret|token|api_?key|key|user|[%{].{1,60}", re.IGNORECASE
)
_TOKEN = late.pattern(r"[\w+/=.~:@!#$%^&*-]+")
_TEST = late.pattern(
    r"(?:[Tt]est|Example|Fuzz|Benchmark|spec|should|check)[A-Z_0-9./-]|.*(?:::|/)|.*\.(?:sh|py|t|js|ts|go|rs|c|rb|exe|test)\b"
)
_DURATION = late.pattern(r"\s*(?:\(|\[|-|in)\s?[\d.]+\s?m?s")
_DEFINITE = tuple(word_list("secret_names.definite"))
_SENTENCE_END = late.pattern(
    r"[\"'`”“*」』]{0,3}[ \t]{0,3}(?:[.!,;。！，；)\n]|\Z|です|だ|입니다|이에요|예요|吧|哦|了)"
)
_SETTINGS = frozenset(word_list("secret_names.settings"))
HEX = late.pattern(r"(?:0x)?[0-9a-fA-F]+")
UUID = late.pattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_WORDS = late.pattern(r"[A-Za-z]*\d{0,8}")
_CAMEL = late.pattern(r"[A-Z]?[a-z]+|[A-Z]+")
_VOWEL = late.pattern(r"[aeiouy]", re.IGNORECASE)
_PART = late.pattern(r"[-_.:/]+")
_BASE64 = late.pattern(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_QUERY = late.pattern(r"&\w{1,40}=|;\s*[A-Za-z][\w ]{0,30}=|\\{1,3}[nrt\"']|&(?:quot|lt|gt|amp|#39);|</")


class SecretSpan(NamedTuple):
    """The place of a secret in a text, and its kind."""

    start: int
    end: int
    kind: str


def lower(text: str) -> str:
    """The text in lower case, every character at its place."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def named_secrets(text: str, low: str = "") -> Iterator[SecretSpan]:
    """Finds values that are named as a secret and look like one, by kind of naming.

    Args:
        text: the text.
        low: the same in lower case, where it is at hand.
    """
    low = low or lower(text)
    if "authorization" in low:
        for hit in _HEADER.finditer(text):
            if (is_random(hit[1], 8) and not _EXPRESSION.fullmatch(hit[1])) or _is_basic_login(hit[1]):
                yield SecretSpan(*hit.span(1), "authorization")
    for hit in _SCHEME.finditer(text) if [name for name in _SCHEMES if name in low] else ():
        if (
            _is_basic_login(hit[2])
            if hit[1].lower() == "basic"
            else len(hit[2]) >= 16 and is_random(hit[2], 16)
        ):
            yield SecretSpan(*hit.span(2), "authorization")
    for hit in _PAIR.finditer(text) if "value" in low else ():
        if kind := value_of(hit["name"], hit["value"]):
            yield SecretSpan(*hit.span("value"), kind)
    end = 0
    for core in _CORE.finditer(low):
        hopeful = core.start() >= end and not _ENDLESS.match(text, core.start())
        named = _ASSIGNED.match(text, core.start()) if hopeful else None
        if named and (span := _assignment(named)):
            yield span
            end = span.end
    yield from _in_sentences(text, low)


def _in_sentences(text: str, low: str) -> Iterator[SecretSpan]:
    """What sentences tell, in the order of their language: the name first, or the value."""
    spoken, codes = (_SPOKEN_ASCII, _CODES_ASCII) if text.isascii() else (_SPOKEN, _CODES)
    for sentence in _named(spoken, low):
        patterns = [password_sentence] if any(sign in low for sign in sentence.signs) else []
        patterns += [changed_sentence] if _CHANGED.search(low) else []  # not `I sent the password to Nora`
        for pattern in patterns:
            for hit in _hits(pattern(sentence), sentence, text, low):
                start, end = _trim(text, *hit.span(1))
                if _looks_spoken(text[start:end]) or _tells_all(hit, start, end):
                    yield SecretSpan(start, end, "password")
    for sentence in _named(codes, low) if _DIGITS.search(text) else ():
        for hit in _hits(code_sentence(sentence), sentence, text, low):
            yield SecretSpan(*hit.span(1), "pin")
    names = _OPENING.split("|") if _DIGITS.search(text) else ()
    codes_told = _OPENING_CODE.finditer(text) if [name for name in names if name in low] else ()
    yield from (SecretSpan(*hit.span(1), "pin") for hit in codes_told if _is_led(low[: hit.start()]))
    for hit in _REVERSED.finditer(text) if [name for name in _REVERSED_NAMES if name in low] else ():
        start, end = _trim(text, *hit.span(1))
        if _looks_spoken(text[start:end]) or re.fullmatch(r"\d{4,8}", text[start:end]):
            yield SecretSpan(start, end, "password")


def _is_led(before: str) -> bool:
    """True where a name begins behind a text: `the code for the garage`, not `the error code of the alarm`."""
    last = before.split()[-1:]
    return not last or last[0] in _DETERMINERS or not last[0][-1].isalpha()


def _named(rows: dict[str, list[Sentence]], low: str) -> dict[Sentence, None]:
    """The sentences of which a text has a name."""
    return dict.fromkeys(
        sentence for name in [name for name in rows if name in low] for sentence in rows[name]
    )


def _hits(pattern: re.Pattern[str], sentence: Sentence, text: str, low: str) -> Iterator[re.Match[str]]:
    """What a pattern matches that begins with a name of a sentence: only where one stands is it tried."""
    names, end = _names(sentence.names), 0
    name = names.search(low)
    while name:
        if name.start() >= end and (hit := pattern.match(text, name.start())):
            yield hit
            end = hit.end()
        name = names.search(low, name.start() + 1)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while end - start > 1 and text[end - 1] in _ENDS:
        end -= 1
    return start, end


def _tells_all(hit: re.Match[str], start: int, end: int) -> bool:
    """True for a plain word behind a verb that only ever gives a value, where the sentence ends with it: `lautet X`."""
    text = hit.string
    value, before = text[start:end], text[hit.start() : start].strip(f"{_QUOTES}:： ").lower()
    if (
        not before.endswith(_DEFINITE)
        or len(value) < 5
        or not value.isascii()
        or not value.isalnum()
        or _says_nothing(value)
    ):
        return False
    return not _ALGORITHMS.intersection((value.lower(),)) and bool(_SENTENCE_END.match(text, end))


def _looks_spoken(value: str) -> bool:
    """True for what looks like a password in a sentence: letters with digits or signs, and no measure or algorithm."""
    bare = value.rstrip("!?.…")
    return (
        len(value) >= 6
        and not is_placeholder(value)
        and not _STATED.fullmatch(value)
        and (any(map(str.isdigit, bare)) or bool(re.search("[!@#$%^&*]", bare)))
        and any(map(str.isalpha, bare))
        and not _ALGORITHMS.intersection(re.split(r"[-_/ ]", value.lower()))
    )


def value_of(name: str, value: str) -> str:
    """The kind of secret that a value is under a name, as in a JSON object; empty for none."""
    if not _may_name_one(name):
        return ""
    padded = f"{name}: {value}"
    best = next((n for n in named_secrets(padded) if n.start >= len(name)), None)
    if best is not None:
        return best.kind
    hits = (_ASSIGNED.match(f'{name}="x"', core.start()) for core in _CORE.finditer(lower(name)))
    hit = next(filter(None, hits), None)
    if hit is None or not hit["password"] or _is_about(hit["tail"]) or " " in name.strip():
        return ""
    return "password" if 4 <= len(value) <= 200 and not _says_nothing(value) and "\n" not in value else ""


@lru_cache(4096)
def _may_name_one(name: str) -> bool:
    """True for a name that may be a secret's; cached, since hosts use the same few names in every line."""
    return bool(_CORE.search(name.lower()) or "pin" in name.lower())


def _assignment(hit: re.Match[str]) -> SecretSpan | None:
    if _is_about(hit["tail"]) or _word_before(hit.string, hit.start()) in _PUBLIC:
        return None
    start, end = _value_span(hit)
    value = hit.string[start:end]
    if len(value) < 4 or is_placeholder(value) or "[REDACTED:" in value or _is_code(hit, value):
        return None
    if hit["password"]:
        return SecretSpan(start, end, "password") if _is_password(hit, value, end) else None
    kind = "key" if "key" in hit["token"].lower() else hit["token"].lower().rstrip("s")
    kind = re.sub(r"[^a-z]", "", kind).replace("creds", "cred")
    return SecretSpan(start, end, kind) if _is_token(hit, value) else None


def _is_code(hit: re.Match[str], value: str) -> bool:
    """True for an expression of a program, a variable named like the secret, or a column that is no value of a table."""
    text, start = hit.string, hit.start()
    name = (hit["password"] or hit["token"]).lower().rstrip("s").replace("_", "")
    if name in value.lower().replace("_", "") and (_NAME_ONLY.fullmatch(value) or _HUMPS.fullmatch(value)):
        return True
    line = text[text.rfind("\n", max(0, start - 200), start) + 1 : start]
    if (hit["sign"] or "").startswith("|") and (
        "|" in value or not (_CELLS.fullmatch(line[-200:]) or is_random(value, 16))
    ):
        return True
    end = hit.start("value") + len(value)
    tail = text[end : end + 4]
    if hit["sign"] == ">" and not tail.lstrip("\"'").startswith("</"):
        return True
    if _is_quoted(hit):
        return False
    if _UNION.match(tail) and not (line.lstrip("> \t").startswith("|") or is_random(value, 16)):
        return True
    assigned = hit["sign"] == "=" and bool(_UNPACKED.search(line)) and bool(_NAME_ONLY.fullmatch(value))
    return assigned or (
        hit["verb"] is None
        and bool(_EXPRESSION.fullmatch(value))
        and not (_TOKEN.fullmatch(value) and any(is_random(piece, 16) for piece in value.split(".")))
    )


def _is_quoted(hit: re.Match[str]) -> bool:
    return (hit["open"] or "")[-1:] in {"'", '"'}


def _word_before(text: str, end: int) -> str:
    while end and text[end - 1] in " _.-\"'`":
        end -= 1
    start = end
    while start and end - start < 24 and text[start - 1].isalpha():
        start -= 1
    return text[start:end].lower()


def _value_span(hit: re.Match[str]) -> tuple[int, int]:
    """The value without quotes and surrounding punctuation; a quoted value may hold spaces."""
    text, start, end = hit.string, hit.start("value"), hit.end("value")
    quote = (hit["open"] or (hit["space"] or "").strip()).lstrip("\\")
    if quote in {'"', "'", "`"}:
        close = text.find(quote, start, start + 256)
        line = text.find("\n", start, start + 256)
        if close > start and (line == -1 or close < line):
            return start, close - (len(text[start:close]) - len(text[start:close].rstrip("\\")))
    cut = _QUERY.search(text, start, end)
    end = cut.start() if cut and cut.start() > start else end
    while end - start > 1 and text[end - 1] in ".,;:)]}>|\"'`*”’»?":
        end -= 1
    return start, end


def _is_password(hit: re.Match[str], value: str, end: int) -> bool:
    bare = value.rstrip("!?.…")
    mixed = mixes(bare) and len(value) >= 6
    loose = hit["space"] is not None or bool(hit["gap"])
    short = hit["password"].lower() == "pass"
    if short and (_is_result(hit, value) or (loose and not _looks_spoken(value))):
        return False
    if hit["space"] is not None:
        return _looks_spoken(value) and not _IN_CODE.search(value)
    if hit["gap"] and not (mixed and _looks_spoken(value) and not _IN_CODE.search(value)):
        return False
    if short and not (mixes(value) or hit["open"] or _is_assignment(hit)):
        return False
    if " " in value:
        return not _says_nothing(value)
    if value.isdigit():
        return not short
    if hit["verb"] is not None and (
        _STATED.fullmatch(value) or _ALGORITHMS.intersection(re.split(r"[-_/]", value.lower()))
    ):
        return False
    # A word of any language has letters only, with one hyphen at most.
    return not (
        bare.count("-") < 2
        and bare.replace("-", "").replace("’", "").isalpha()
        and not re.search(r"[a-z][A-Z]", bare)
    ) or _stands_alone(hit, value, end)


def _is_result(hit: re.Match[str], value: str) -> bool:
    """True for what a test that passed is called: `--- PASS: TestX`, `PASS: tests/run.sh`, `[PASS] it works`."""
    text, start = hit.string, hit.start()
    before = text[max(0, start - 4) : start].rstrip(" ")
    tail = text[hit.end() : hit.end() + 40]
    return (
        before.endswith(("---", "[", "✓", "✔"))
        or bool(_TEST.match(value))
        or (
            hit["password"].isupper()
            and hit["sign"] == ":"
            and is_identifier(value)
            and not text[max(0, start - 1) : start].isalnum()
            and bool(_DURATION.match(tail))
        )
    )


def _stands_alone(hit: re.Match[str], value: str, end: int) -> bool:
    """True for a plain word that is a weak password, false for one that is the next word of a sentence."""
    tail = hit.string[end : end + 200].split("\n", 1)[0]
    ends = tail.startswith((",", ";")) or not tail.strip("\"'`”.,;)]}|*</> \r\\") or bool(hit["open"])
    return (
        ends
        and bool(hit["sign"] or hit["open"])
        and value.lower() not in _SENTENCE
        and hit["password"].lower().replace(" ", "") not in value.lower()
    )


def _is_token(hit: re.Match[str], value: str) -> bool:
    name = hit["token"].lower()
    setting = name in _SETTINGS
    bare = setting or (
        name in {"key", "keys", "auth"}
        and not _is_assignment(hit)
        and _word_before(hit.string, hit.start()) not in _KINDS_OF_KEY
    )
    loose = hit["space"] is not None or bool(hit["gap"])
    if " " in value or (setting and (loose or hit["sign"] not in {":", "=", ":=", "=>"})):
        return False
    user, *credentials = re.split("[:/]", value, maxsplit=1)
    if (
        (name.startswith("cred") or setting)
        and credentials
        and not loose
        and _is_assignment(hit)
        and user.isalnum()
    ):
        return _looks_spoken(credentials[0])
    least = (20 if bare else 16) if loose else 16 if bare else 8
    if len(value) < least or "," in value or (not _is_quoted(hit) and _IN_CODE.search(value)):
        return False
    if setting and not _TOKEN.fullmatch(value):
        return False
    if bare and (UUID.fullmatch(value) or (loose and HEX.fullmatch(value) and len(value) in {40, 64})):
        return False
    if is_random(value, least):
        return True
    return "secret" in name and not loose and _is_assignment(hit) and mixes(value)


def _is_assignment(hit: re.Match[str]) -> bool:
    """True for names as code and settings write them, false for words of a sentence."""
    start = hit.start()
    around = hit.string[max(0, start - 1) : hit.end("tail")]
    return bool(
        (hit["sign"] and hit["sign"][0] == "=")
        or (hit["open"] in {'"', "'"} and hit["sign"])
        or re.search(r"[_\"']|[a-z][A-Z]|[A-Z]{3}", around)
    )  # fmt: skip


def _is_about(tail: str) -> bool:
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", tail)
    return any(word.lower() in _ABOUT for word in words[-2:])


def is_sample(value: str) -> bool:
    """True for what documentation writes for a secret: `user:password@host`, `%s`, `{password}`."""
    return bool(_SAMPLE.fullmatch(value)) or is_placeholder(value)


def is_placeholder(value: str) -> bool:
    """True for what stands where a secret would: `<password>`, `${TOKEN}`, `xxxx`, `os.environ[...]`."""
    return bool(_PLACEHOLDER.fullmatch(value))


def _says_nothing(value: str) -> bool:
    words = value.lower().split()
    return bool(_PLACEHOLDER.fullmatch(value)) or any(word.strip(".,!?") in _SENTENCE for word in words)


def mixes(value: str) -> bool:
    """True for a value of letters, digits and signs of at least two of these kinds."""
    kinds = (
        any(map(str.isalpha, value)),
        any(map(str.isdigit, value)),
        not value.replace("-", "").replace("_", "").isalnum(),
    )
    return sum(kinds) >= 2


def is_identifier(value: str) -> bool:
    """True when every part of the value is made of words and short numbers: `get_token_v2`, `ep-2025-04-08-budget`."""
    return len(value) <= 80 and all(_is_words(piece) for piece in _PART.split(value) if piece)


def _is_words(part: str) -> bool:
    """True for words written as one, with a number at the end at most: `sendEmail`, `v2`, `20250408`."""
    if not _WORDS.fullmatch(part):
        return False
    pieces = _CAMEL.findall(part)
    return len(pieces) <= 1 + len(part) // 5 and all(
        len(p) < 4 or (len(p) <= 16 and _VOWEL.search(p)) for p in pieces
    )


def is_random(value: str, least: int) -> bool:
    """True for a value of a given length at least that nobody would make of words."""
    if len(value) < least or value.isdigit() or _PLACEHOLDER.fullmatch(value) or is_identifier(value):
        return False
    if re.search(r"\d", value) and re.search(r"[A-Za-z]", value):
        return True
    if re.fullmatch(r"[A-Za-z_./:-]+", value) and re.search("[./:]", value):
        return False
    return (
        len(value) >= 16 and _entropy(value) >= 3.3 and bool(re.search(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z]", value))
    )


def _is_basic_login(value: str) -> bool:
    """True for what `Basic` carries: Base64 of a name and a password."""
    if not _BASE64.fullmatch(value):
        return False
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), altchars=b"-_")
    except ValueError:
        return False
    return b":" in plain and plain.isascii() and plain.decode().isprintable()


def _entropy(text: str) -> float:
    """The entropy of a text, in bits a character."""
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values())


def placed_secrets(text: str, low: str) -> Iterator[SecretSpan]:
    """The secrets that their place tells.

    Args:
        text: the text.
        low: the same in lower case.
    """
    if "kty" in low:
        for hit in _JWK_MEMBER.finditer(text):
            yield SecretSpan(*hit.span(1), "private-key")
    if "secret" in low and "data" in low and _SECRET_KIND.search(text):
        yield from _kubernetes(text)
    if "@" in text:
        for hit in _LOGIN.finditer(text):
            if _is_login(hit[1].lower(), hit[2]):
                yield SecretSpan(*hit.span(2), "url-password")
    if "http" in low:
        for hit in _LINK.finditer(text):
            for start, end in _tickets(hit[1]):
                yield SecretSpan(hit.start(1) + start, hit.start(1) + end, "link-token")


def secret_members(holder: dict[str, Any]) -> frozenset[str]:
    """The keys of a JSON object whose values are secrets, whatever they are called."""
    if "kty" in holder:
        return _JWK
    return frozenset(("data", "stringData")) if holder.get("kind") == "Secret" else frozenset()


def _kubernetes(text: str) -> Iterator[SecretSpan]:
    for block in _YAML_DATA.finditer(text):
        for hit in _YAML_VALUE.finditer(text, block.start(2), block.end(2)):
            yield from _value(hit, 1 if hit[1] else 2)
    for block in _JSON_DATA.finditer(text):
        for hit in _JSON_VALUE.finditer(text, block.start(1), block.end(1)):
            yield from _value(hit, 1)


def _value(hit: re.Match[str], group: int) -> Iterator[SecretSpan]:
    if not is_placeholder(hit[group].strip()):
        yield SecretSpan(hit.start(group), hit.start(group) + len(hit[group].rstrip()), "secret")


def _is_login(user: str, value: str) -> bool:
    if user in _NO_LOGIN or is_sample(value):
        return False
    return len(value) >= 6 and (user in _GIT_LOGIN or (mixes(value) and not value.isdigit()))


def _tickets(rest: str) -> Iterator[tuple[int, int]]:
    """The parts of a link's path and query that let whoever holds the link in."""
    low = rest.lower()
    signs = {word for word in _WORD.findall(low) if word in _OPENS or word in _SIGNS_IN}
    if not signs:
        return
    opens, query, name, last = False, False, "", ""
    for hit in _PIECE.finditer(rest):
        sign, piece = rest[hit.start() - 1], hit[0]
        names = set(_WORD.findall(piece.lower()))
        query |= sign in "?&#"
        if sign == "=":
            if _is_ticket(piece, name, opens or bool(names & _OPENS)):
                yield hit.start(), hit.end()
        elif query:
            name = piece.lower()
            opens |= bool(names & _OPENS)
        elif (opens or last) and not _FILE.fullmatch(piece) and _is_opaque(piece, opens):
            yield hit.start(), hit.end()
        opens |= bool(names & _OPENS) and not is_random(piece, 16)
        last = piece if names & _SIGNS_IN else ""


def _is_ticket(value: str, name: str, opens: bool) -> bool:
    if set(_WORD.findall(name)) & _TICKETS:
        return is_random(value, 6) or (value.isdigit() and 4 <= len(value) <= 10)
    return opens and _is_opaque(value, opens)


def _is_opaque(value: str, opens: bool) -> bool:
    return is_random(value, 12) and (opens or not (UUID.fullmatch(value) or HEX.fullmatch(value)))


class Redactor:
    """Removes secrets from texts and from JSON values.

    Args:
        key: of the fingerprints, so that a reader of a log cannot test passwords against them.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def digest(self, *parts: str) -> str:
        """A keyed digest of some texts: no guess can be tested without the key."""
        return keyed_digest(self._key, *parts)

    def text(self, text: str) -> Redacted:
        """The text without its secrets."""
        if _PLAIN.fullmatch(text):
            return Redacted(text, ())
        pieces: list[str] = []
        kinds: list[str] = []
        if "[REDACTED:" not in text:
            return Redacted(self._between(text, kinds), tuple(kinds))
        end = 0
        for mark in MARK.finditer(text):
            pieces += [self._between(text[end : mark.start()], kinds), mark[0]]
            end = mark.end()
        return Redacted("".join([*pieces, self._between(text[end:], kinds)]), tuple(kinds))

    def value(self, value: Any) -> Redacted:
        """Removes the secrets of a JSON value, from its strings and keys; a value whose key names a secret is one."""
        kinds: list[str] = []
        return Redacted(self._walk(value, "", kinds, 0), tuple(kinds))

    def mark(self, kind: str, secret: str) -> str:
        """The mark that replaces a secret; the same secret always gets the same mark."""
        print_ = hmac.new(self._key, secret.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:8]
        return f"[REDACTED:{kind}:{print_}]"

    def _between(self, text: str, kinds: list[str]) -> str:
        """Redacts a part of a text that holds no mark."""
        secrets = _merge(_spans(text))
        kinds += [secret.kind for secret in secrets]
        return marked(text, secrets, self.mark)

    def _walk(self, value: Any, name: str, kinds: list[str], depth: int) -> Any:
        if isinstance(value, str):
            return self._string(value, name, kinds)
        if depth > _DEEPEST:
            return "…"
        if isinstance(value, dict):
            secret = secret_members(value)
            return {
                key if _PLAIN.fullmatch(key) else self._string(key, "", kinds): self._seal(
                    inner, kinds, depth + 1
                )
                if key in secret
                else self._walk(inner, _name_of(value, key), kinds, depth + 1)
                for key, inner in value.items()
            }
        if isinstance(value, list):
            return [
                self._walk(inner, _flag(value, index) or name, kinds, depth + 1)
                for index, inner in enumerate(value)
            ]
        if isinstance(value, int) and not isinstance(value, bool) and name and value_of(name, str(value)):
            return self._string(str(value), name, kinds)
        return value

    def _seal(self, value: Any, kinds: list[str], depth: int) -> Any:
        """Removes every text of a value whose place makes it a secret."""
        if isinstance(value, dict):
            return {key: self._seal(inner, kinds, depth + 1) for key, inner in value.items()}
        if not isinstance(value, str) or not value or MARK.search(value):
            return self._walk(value, "", kinds, depth)
        kinds.append("secret")
        return self.mark("secret", value)

    def _string(self, text: str, name: str, kinds: list[str]) -> str:
        redacted = self.text(text)
        kinds += redacted.kinds
        if name and not redacted.kinds and text and (kind := value_of(name, text)):
            kinds.append(kind)
            return self.mark(kind, text)
        return str(redacted.value)


def _name_of(holder: dict[str, Any], key: str) -> str:
    """The name of a value: its key, or the `name` beside it, as in `{"name": "DB_PASSWORD", "value": …}`."""
    beside = holder.get("name", holder.get("key")) if key.lower() == "value" else None
    return beside if isinstance(beside, str) else key


def _flag(items: list[Any], at: int) -> str:
    """The name that a list item gives the next one: `["--password", "…"]`."""
    before = items[at - 1] if at else None
    return before.lstrip("-") if isinstance(before, str) and _FLAG.fullmatch(before) else ""


# What a reply tells of the secret before it: `oops 5812` behind `my bank pin is [REDACTED:pin:…]`, `7719` behind `What's the PIN for the safe?`.

_REPLY, _LONGEST_REPLY = 12, 300  # words, and characters, of a turn that gives no more than a value
_TOLD_IN_DIGITS = ("pin", "password")
_PAUSE = late.pattern(r"(?<![,;:.!?…])[,;:.!?…]+(?=\s|\Z)|\s[-–—]+(?=\s)")
_REPLIED_CODE = late.pattern(rf"(?<![\w.,:/-])[#*]?(\d{{3,16}}|{_GROUPS})[#*]?(?![\w:/-]|[.,]\d)")
_ASKED = late.pattern(
    rf"(?<![^\W\d_])(?:(?P<password>{_LOGIN_WORDS}|{_either(tuple(_SPOKEN))})|{_either(tuple(_CODES))}|{_CODE_OF})(?![^\W\d_])"
    r"(?:[ _-](?P<noun>\w{1,20}))?",
    re.IGNORECASE,
)


def asked_secret(text: str) -> str:
    """The kind of secret that a question of a text names, `What's the PIN for the safe?`; empty for none."""
    asked = [sentence for sentence in sentences(text) if "?" in sentence] if "?" in text else []
    hit = _ASKED.search(asked[-1]) if asked else None
    if not hit or (hit["noun"] or "").lower() in _ABOUT:
        return ""
    return "password" if hit["password"] else "pin"


def repeated_secrets(
    text: str, before: Sequence[str], mark: Callable[[str, str], str]
) -> Iterator[SecretSpan]:
    """The words of a text that were taken out of what was said before it: `Got it, 5821`."""
    marks = {hit[0]: hit[1] for earlier in before for hit in MARK.finditer(earlier)}
    for word in re.finditer(r"\S+", text) if marks else ():
        start, end = _trim(text, *word.span())
        for kind in dict.fromkeys(marks.values()):
            if mark(kind, text[start:end]) in marks:
                yield SecretSpan(start, end, kind)


def told_secret(text: str) -> str:
    """The kind of secret that was taken out of a text last; empty where none was."""
    return next((mark[1] for mark in reversed(list(MARK.finditer(text)))), "")


def puts_right(text: str) -> bool:
    """True for a text with a word that puts something right, in any language that is read."""
    tokens = tokens_of(text)
    return any(words.retractions.within(tokens) for words in map(grammar, codes()))


def marked(text: str, secrets: Iterable[SecretSpan], mark: Callable[[str, str], str]) -> str:
    """The text with marks in the places of some secrets."""
    pieces, end = list[str](), 0
    for span in secrets:
        pieces += [text[end : span.start], mark(span.kind, text[span.start : span.end])]
        end = span.end
    return "".join([*pieces, text[end:]])


def replied_secrets(text: str, kind: str) -> Iterator[SecretSpan]:
    """What may be a secret in a turn that tells nothing else with it: `5812` of `oops 5812`, not of `oops, 5812 people came`.

    Args:
        text: the turn.
        kind: of the secret that the turn is about.
    """
    if len(text) > _LONGEST_REPLY or len(text.split()) > _REPLY:
        return
    start = 0
    for end, behind in [*(pause.span() for pause in _PAUSE.finditer(text)), (len(text), len(text))]:
        typed = [(word.span(), word[0]) for word in re.finditer(r"\S+", text[start:end])]
        code = _REPLIED_CODE.search(text[start:end]) if kind in _TOLD_IN_DIGITS else None
        spans = [code.span(1)] if code else [span for span, word in typed if _looks_spoken(word)]
        beside = list(text[start:end])
        for first, last in (*spans, *(mark.span() for mark in MARK.finditer(text[start:end]))):
            beside[first:last] = " " * (last - first)
        if spans and _is_bare("".join(beside)):
            yield from (SecretSpan(start + first, start + last, kind) for first, last in spans)
        start = behind


def _is_bare(text: str) -> bool:
    """True where the words beside a value say nothing besides it, in one of the languages that are read."""
    tokens = tokens_of(text)
    for words in map(grammar, codes()):
        silent = words.valueless.covered(tokens)
        if all(
            n in silent or token in words.small or token in words.fillers for n, token in enumerate(tokens)
        ):
            return True
    return False


# Reads a text as it is meant: without the marks, escapes and line breaks that stand inside its words, and tells where each part
# stood.

_ENTITIES = {"lt": "<", "gt": ">", "quot": '"', "amp": "&", "nbsp": " ", "apos": "'"}
# Letters and digits of other widths and styles, which compatibility makes plain.
_STYLED = "[\uff01-\uff5e\U0001d400-\U0001d7ff\u24b6-\u24e9]"
_WRAPPED = late.pattern(
    rf"""(?=[\\%=&<{UNSEEN[1:-1]}{_STYLED[1:-1]}])(?:  # each begins with one of these: most characters are tried once
    (?P<unseen>(?:(?!\r){UNSEEN})+|<wbr\s?/?>)
    |(?P<line><br\s?/?>)
    |(?P<escape>\\{{1,3}}(?=[_*.~\#+!$=(){{}}\[\]@&|<>-]))
    |%(?:25){{0,3}}(?P<percent>[0-9A-Fa-f]{{2}})
    |\\{{1,2}}(?:u00|x)(?P<code>[2-7][0-9A-Fa-f])
    |=(?P<quoted>3D)(?=\S)
    |&(?:amp;){{0,2}}(?:\#[xX]0{{0,4}}(?P<hex>[0-9A-Fa-f]{{2}})|\#0{{0,4}}(?P<number>\d{{2,3}})|(?P<name>lt|gt|quot|amp|nbsp|apos));
    |(?P<styled>{_STYLED}))""",
    re.VERBOSE,
)
_SIGNS = ("\\", "%", "&", "<", "=3D")
# A word may go on behind one of these.
_BREAK = late.pattern(r"(?<=[\w+/=.~-])(?:\\|=)?\r?\n[ \t>|*+#]{0,12}(?=[\w+/=.~-])")
_INSIDE = string.ascii_letters + string.digits + "_+/=.~-"
_LONGEST = 200
_RUN = late.pattern(r"[\w+/=.~-]{1,200}")


class MappedText(NamedTuple):
    """A text as it is meant, and where its parts stood in the one it was read from."""

    text: str
    edits: tuple[tuple[int, int, int, int], ...] = ()  # from, to in this text; from, to in the other one

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the text it was read from; marks at its edges do not belong to it."""
        return self._place(bisect_right(self.edits, (start, start, 1 << 62)) - 1, start, 2), self._place(
            bisect_left(self.edits, (end,)) - 1, end, 3
        )

    def _place(self, number: int, at: int, edge: int) -> int:
        if number < 0:
            return at
        edit = self.edits[number]
        return edit[3] + at - edit[1] if edit[1] <= at else edit[edge]


def unwrap(text: str) -> MappedText:
    """The text without invisible marks, Markdown escapes, percent-encoding, entities and the like; equal to it when there are none."""
    if text.isascii() and text.isprintable() and not any(sign in text for sign in _SIGNS):
        return MappedText(text)
    return _mapped(text, _WRAPPED, _meaning)


def join_lines(text: str) -> MappedText:
    """The text without the line breaks that stand inside a word that is no word of a language."""
    return _mapped(text, _BREAK, _joint) if "\n" in text else MappedText(text)


def _mapped(
    text: str, pattern: re.Pattern[str], meaning: Callable[[re.Match[str]], str | None]
) -> MappedText:
    pieces: list[str] = []
    edits = []
    end = length = 0
    for hit in pattern.finditer(text):
        meant = meaning(hit)
        if meant is None:
            continue
        length += hit.start() - end
        pieces += [text[end : hit.start()], meant]
        edits.append((length, length + len(meant), hit.start(), hit.end()))
        end, length = hit.end(), length + len(meant)
    return MappedText("".join([*pieces, text[end:]]), tuple(edits)) if edits else MappedText(text)


def _meaning(hit: re.Match[str]) -> str | None:
    """What stands for a wrapped part; none where it is what it looks like."""
    kind = hit.lastgroup or ""
    if kind in {"unseen", "escape"}:
        return ""
    if kind == "line":
        return "\n"
    if kind == "quoted":
        return "="
    if kind == "name":
        return _ENTITIES[hit["name"]]
    if kind == "styled":
        return unicodedata.normalize("NFKC", hit["styled"])
    code = int(hit[kind], 10 if kind == "number" else 16)
    return chr(code) if 0x20 <= code < 0x7F or code == 0x0A else None


def _joint(hit: re.Match[str]) -> str | None:
    """Nothing where both sides are parts of one token; none where a sentence, a list or another token goes on."""
    text, start = hit.string, hit.start()
    after = _RUN.match(text, hit.end())
    if not after or text[after.end() : after.end() + 1] in {":", "("} or "=" in after[0].rstrip("="):
        return None
    if not _is_part(after[0]):  # as most
        return None
    before = text[max(0, start - _LONGEST) : start]
    before = before[len(before.rstrip(_INSIDE)) :]
    return "" if len(before) > 5 and before[:4] != after[0][:4] and _is_part(before) else None


def _is_part(run: str) -> bool:
    """True for what is no word and no name made of words."""
    return bool(re.search(r"[A-Za-z]", run) and re.search(r"\d|[a-z][A-Z]", run)) and not is_identifier(run)


def _spans(text: str) -> Iterator[SecretSpan]:
    """The secrets of a text as it is written, as it is meant, and those that a line break divides."""
    yield from _secrets(text)
    meant = unwrap(text)
    if meant.edits:
        for span in _secrets(meant.text):
            yield SecretSpan(*meant.span(span.start, span.end), span.kind)
    lines = join_lines(meant.text)
    if lines.edits:
        for span in _secrets(lines.text):
            yield SecretSpan(*meant.span(*lines.span(span.start, span.end)), span.kind)


def _secrets(text: str) -> Iterator[SecretSpan]:
    low = lower(text)
    words = [word for word in text.split() if len(word) >= SHORTEST]
    long = " ".join(words)
    low_long, is_long = lower(long), any(len(word) >= LONG for word in words)
    near = (
        [rule for near, rule in _TOKENS_BY_NEAR if near in low_long and (is_long or len(near) > 1)]
        if long
        else []
    )
    rules = [rule for rule in dict.fromkeys(near) if lazy_pattern(rule).search(long)]
    for rule in (*rules, *dict.fromkeys([rule for near, rule in _SHAPES_BY_NEAR if near in low])):
        for hit in lazy_pattern(rule).finditer(text):
            group = next((n for n in range(1, hit.re.groups + 1) if hit[n]), 0)
            if not group or not is_sample(hit[group]):
                yield SecretSpan(*hit.span(group), rule.kind)
    yield from named_secrets(text, low)
    yield from placed_secrets(text, low)


def _merge(spans: Iterable[SecretSpan]) -> list[SecretSpan]:
    """Sorts spans and joins overlapping ones; the first rule gives the kind."""
    merged: list[SecretSpan] = []
    for span in sorted(
        ((s.start, s.end, n, s.kind) for n, s in enumerate(spans)), key=lambda place: (place[0], place[2])
    ):
        start, end, _, kind = span
        if merged and start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(end, merged[-1].end))
        else:
            merged.append(SecretSpan(start, end, kind))
    return merged


@cache
def lazy_pattern(rule: SecretRule) -> re.Pattern[str]:
    """Compiles a pattern at its first use: compiling them all takes longer than to capture a turn."""
    return (
        re.compile(rule.pattern, re.IGNORECASE)
        if rule in SHAPES
        else re.compile(f"{_EDGE}(?:{rule.pattern})")
    )


def keyed_digest(key: bytes, *parts: str) -> str:
    """The digest of some texts under a key: 32 hex digits."""
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hmac.new(key, b"forgotten\0" + text, hashlib.sha256).hexdigest()[:32]


# The gate: input is written without its secrets, and no message repeats them. What a file holds already keeps every byte.

_LEAST = 8  # characters of the beginning of a secret that tell it
_BREAKS = late.pattern(r"[\s\"'\\]+")


class RedactionGate:
    """Redacts the input of one call, or the messages of one interface, and remembers what it removed.

    Args:
        key: returns the key of the fingerprints; called at the first secret.
        as_is: True to keep a text as a person typed it at the command line.
    """

    def __init__(self, key: Callable[[], bytes], *, as_is: bool = False) -> None:
        self._key = key
        self._known: bytes | None = None
        self._as_is = as_is
        self._taken: dict[str, str] = {}  # secret → its kind

    def value(self, said: Any, *, standing: str = "") -> Any:
        """Removes the secrets of a JSON value.

        Args:
            standing: text that is in the vault already; secrets in it stay.
        """
        if self._as_is:
            return said
        taking = _Redaction(self._kept, standing)
        clean = taking.value(said).value
        self._taken |= taking.taken
        return clean

    def text(self, said: str) -> str:
        """A text without its secrets."""
        return str(self.value(said))

    def message(self, text: str) -> str:
        """Removes the secrets of a commit message, without a notice."""
        return text if self._as_is else str(_Redaction(self._kept).text(text).value)

    def digest(self, *parts: str) -> str:
        """A keyed digest of some texts: the same for the same texts and key, and no guess can be tested without the key."""
        return keyed_digest(self._kept(), *parts)

    @property
    def notice(self) -> str:
        """The notice on the secrets that were removed; empty without any."""
        if not self._taken:
            return ""
        kinds = Counter(self._taken.values())
        kinds_in_words = ", ".join(kind if n == 1 else f"{n} x {kind}" for kind, n in sorted(kinds.items()))
        subject = "a secret was" if len(self._taken) == 1 else f"{len(self._taken)} secrets were"
        return f"{subject} taken out before anything was written ({kinds_in_words}); --as-is on the command line keeps a text as typed"

    def sentence(self, template: str, *given: Any) -> str:
        """Removes from a message its secrets and those of the input, even the beginning of one.

        Args:
            given: the input: texts, bytes of JSON, values.
        """
        taking = _Redaction(self._kept)
        for text in given:
            taking.value(_read(text))
        secrets = list(taking.taken.items())
        marks = {piece: taking.mark(kind, text) for text, kind in secrets for piece in _parts(text, template)}
        if marks:
            longest = sorted(map(re.escape, marks), key=len, reverse=True)
            template = re.sub(
                "|".join(longest), lambda hit: marks[hit[0].lower()], template, flags=re.IGNORECASE
            )
        return str(taking.text(template).value)

    def _kept(self) -> bytes:
        if self._known is None:
            self._known = self._key()
        return self._known


class _Redaction(Redactor):
    """Removes secrets except those that stand in the vault already, and remembers which."""

    def __init__(self, key: Callable[[], bytes], standing: str = "") -> None:
        super().__init__(b"")
        self._ask = key
        self._standing = standing
        self.taken: dict[str, str] = {}

    def mark(self, kind: str, secret: str) -> str:
        """What stands in place of a secret."""
        if secret in self._standing:
            return secret
        self._key = self._ask()
        self.taken[secret] = kind
        return super().mark(kind, secret)


def _read(data: Any) -> Any:
    """Parses JSON, in which a key may name a secret; all else stays text."""
    if isinstance(data, bytes):
        data = data.decode("utf-8", "replace")
    if isinstance(data, str) and data.lstrip()[:1] in ("{", "["):
        return json_value(data, data)
    return data


def _parts(secret: str, message: str) -> list[str]:
    """The parts of a secret that a message repeats, in lower case: its words, or the beginnings of words that were cut."""
    secret, message = secret.lower(), message.lower()
    matches = [secret] if secret in message else []
    for word in _BREAKS.split(secret):
        size = next((n for n in range(len(word), _LEAST - 1, -1) if word[:n] in message), 0)
        matches += [word[:size]] if size else []
    return matches


# What a person asks in words not to keep: `don't save this, but …`, `off the record: …`, and of the turn before, `forget that, it's
# private`.

TELLS, POINTS_BACK, POINTS = "tells", "points back", "points"
_LONGEST_TURN = 1000  # characters of a turn; in longer ones others speak as well
_REASON = 8  # words of a reason
_PRONOUN = 2  # words that point without saying at what: `that`, `das eben`
_MARK = late.pattern(r"([.,;:!?…\n()]+|\s[-–—]+\s)")


@lru_cache(maxsize=256)  # asked when a turn is captured, and of those of a segment
def asked_unkept(text: str) -> str:
    """TELLS for a turn that asks that what it tells is not kept, POINTS_BACK for one that asks it of the turn before, else "".

    POINTS for one that asks it with a pronoun alone, which may mean a piece of work as well: `delete that`. A piece of work tells nothing: `write it to the log, don't keep it`.
    """
    if len(text) > _LONGEST_TURN or not _requests().may_be_in(tokens := tokens_of(text)):
        return ""
    for words in map(grammar, codes()):
        orders = [order for order in (words.unkept, words.forget_orders) if order.may_be_in(tokens)]
        plain = [token for token in tokens if token not in words.softeners] if orders else []
        if any(order.within(tokens) or order.within(plain) for order in orders):
            rest, is_of_this = _rest(text, words)
            if rest is not None and (not rest or _is_reason(rest, words)):
                named = max((size for _, size in words.said_last.places(tokens)), default=0) > _PRONOUN
                return POINTS_BACK if named or rest or is_of_this else POINTS
            if is_of_this:
                return "" if words.deeds.at(rest or ()) else TELLS
    return ""


def _is_reason(tokens: Sequence[str], words: Grammar) -> bool:
    """True for a few words why nothing is to be kept: `it's private`."""
    is_short = len(tokens) <= _REASON and not any(token[0].isdigit() for token in tokens)
    return is_short and words.reasons_to_forget.within(tokens)


def without_unkept(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns of a log, of which those say nothing whose speaker asks not to keep them, nor what was answered to one that the next takes back."""
    kept = list(turns)
    own: dict[tuple[str, str], int] = {}  # the place of each speaker's last turn
    for place, turn in enumerate(turns):
        request = asked_unkept(turn.text) if turn.role == "user" else ""
        speaker = turn.name, turn.by
        first = own.get(speaker, place) if request in (POINTS_BACK, POINTS) else place
        if request == TELLS:
            kept[place] = turn._replace(text="")
        elif first < place and not _is_of_work(turns[first:place], by_pronoun=request == POINTS):
            kept[first:place] = [taken._replace(text="") for taken in turns[first:place]]
            kept[place] = turn._replace(takes_back=turns[first])
        if turn.role == "user":
            own[speaker] = place
    return tuple(kept)


def _is_of_work(turns: Sequence[Turn], *, by_pronoun: bool) -> bool:
    """True where what would be taken back is a piece of work, or a tool acted behind it: `delete that` is of a file.

    A pronoun means the piece of work that stands anywhere in the turn, or in the answer: `here is the draft`.
    """
    tokens = tokens_of(turns[0].text) if turns else ()
    is_task = any(
        words.deeds.at(tokens) and not words.reminders.at(tokens) for words in map(grammar, codes())
    )
    is_beside = by_pronoun and any(_holds_work(turn.text) for turn in turns if turn.role != "tool")
    return is_task or is_beside or any(turn.role == "tool" for turn in turns)


def _holds_work(text: str) -> bool:
    """True where a clause tells what to make, or that it is made: `i live in Bath. write me a tagline`, `i added a column`."""
    words = grammar_of(text)
    members = (member.tokens for sentence in sentences(text) for member in clauses(sentence, words))
    return words.made_words.within(tokens_of(text)) or any(
        (words.chores.at(tokens) or words.tasks.at(tokens)) and not words.reminders.at(tokens)
        for tokens in members
    )


@cache
def _requests() -> WordList:
    return WordList(
        (), [part for words in map(grammar, codes()) for part in (words.unkept, words.forget_orders)]
    )


def _rest(text: str, words: Grammar) -> tuple[list[str] | None, bool]:
    """What a turn says besides its requests that nothing be kept, None where it has none, and whether one of them may be of that."""
    pieces = _MARK.split(text)
    rest, takes_back, is_of_this = list[str](), False, False
    for piece, mark in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        typed = tokens_of(piece)
        plain = [token for token in typed if token not in words.softeners]  # `onthoud dat maar niet`
        places = (
            (tokens, *place) for tokens in (typed, plain) for place in _requests_in(tokens, words, mark)
        )
        tokens, start, end = next(places, (typed, 0, 0))
        if not end and (_takes_back(typed, words) or _takes_back(plain, words)):
            takes_back = True
            continue
        is_of_this = is_of_this or end > 0
        beside = [*tokens[:start], *tokens[end:]]
        rest += () if words.unkept_frames.issuperset(beside) else beside
    return (rest if takes_back or is_of_this else None), is_of_this


def _takes_back(tokens: Sequence[str], words: Grammar) -> bool:
    """True for a verb of forgetting and what was just said, and nothing else: `please delete what i just said`; not `delete that file`."""
    frames = words.forgetting_frames
    start = frames.skip(tokens)
    order = start + words.forget_orders.at(tokens, start)
    end = order + words.said_last.at(tokens, order)
    denied = words.negations.within([*tokens[:start], *tokens[end:]])  # `never forget that`
    return start < order < end and frames.skip(tokens, end) == len(tokens) and not denied


def _requests_in(tokens: Sequence[str], words: Grammar, mark: str) -> Iterator[tuple[int, int]]:
    """Where a piece between marks asks that nothing is kept: at its beginning, or behind a word that begins anew."""
    for place, size in words.unkept.places(tokens):
        before = tokens[place - 1] if place else ""
        if before and not (before[-1].isdigit() or before in words.anew):
            continue
        if words.first_person.has_any(tokens[:place]):  # `ich kann mir das nicht merken`
            continue
        end = words.unkept_company.skip(tokens, place + size)
        phrase = tokens[place:end]
        names_it = words.unkept_names.within(phrase)
        is_whole = end == len(tokens) or words.unkept_followers.at(tokens[:-1], end)
        if is_whole and (names_it or (":" in mark and end == len(tokens)) or words.politeness.within(tokens)):
            yield place, end
