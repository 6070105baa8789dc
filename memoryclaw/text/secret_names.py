"""Finds secrets by their names: `password: …`, `api_key=…`, "the token is …".

The plainer the words around a value, the more the value itself must look like a secret.
"""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from memoryclaw.text.words import lines, words

_BEGINS = r"(?:(?<![a-z])|(?-i:(?<=[a-z])(?=[A-Z])))"  # a word of a name begins: `db_pw`, `userPw`
_PASSES = "|".join(words("secret_names.passes"))
_LOGIN_WORDS = (
    r"pass[_ -]?(?:word|wort|phrase|code|key)s?|passwd|passwort|(?<![a-z])pass(?![a-z])|pwd|psw|kennwort|contrase(?:ñ|n)a|senha"
    rf"|mot[ _-]de[ _-]passe|wachtwoord|lösenord|salasana|hasło|heslo|(?<![a-z])parola|пароль|密码|密碼|パスワード|비밀번호|{_BEGINS}(?:pw|psk|pswd|pword|passw|passwrd)(?![a-z])"
    rf"|(?<![a-z])(?:{_PASSES})pass(?![a-z])"
)
_SETTING_WORDS = "|".join(sorted(words("secret_names.settings"), key=len, reverse=True))
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
_CORE = re.compile(
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
_ASSIGNED = re.compile(
    rf"{_NAME}{_TAIL}{_CLOSE}(?:\s?\([^()\n]{{1,40}}\))?"
    rf"(?:{_GAP}(?:[ \t]{{0,8}}(?P<sign>{_SAYS})\s{{0,16}}|{_MEANS}){_OPEN}|(?P<space>[ \t]{{1,3}}\\?[\"'`]?)){_VALUE}",
    re.IGNORECASE,
)
# No name is followed by so many of these: behind it and its tail stands a space, a quote or a sign.
_ENDLESS = re.compile(r"[\w.-]{100}")
_SCHEMES = ("bearer", "basic", "token", "apikey", "digest", "negotiate")
_SCHEME = re.compile(rf"\b({'|'.join(_SCHEMES)})\s{{1,3}}([\w.~+/=-]{{8,4000}})", re.IGNORECASE)
_HEADER = re.compile(
    r"authorization[\"']{0,2}\s{0,3}[:=]\s{0,3}[\"']?(?:[A-Za-z0-9-]{2,30}\s+)?([^\s\"',;]{8,4000})",
    re.IGNORECASE,
)
_PAIR = re.compile(r"(?:name|key)\\{0,3}[\"']?\s?:\s?\\{0,3}[\"']?(?P<name>[\w.-]{2,60})\\{0,3}[\"']?\s?,?\s{0,20}\\{0,3}[\"']?value\\{0,3}[\"']?\s?:\s?\\{0,3}[\"']?(?P<value>[^\s\"'\\,}]{4,512})", re.IGNORECASE)  # fmt: skip

_QUOTES = "\"'`„“”«»‚‘’*「」『』"
_ENDS = ".,;:)]}>|?。，、；！？" + _QUOTES
_DENSE = re.compile("[\u1100-\u11ff\u3000-\u9fff\uac00-\ud7af]")  # scripts that write no space before a value
_FILLERS = "|".join(words("secret_names.fillers"))
_OF = "|".join(words("secret_names.of"))
_REVERSED_NAMES = tuple(name.replace("_", " ") for name in words("secret_names.reversed"))
_REVERSED = re.compile(
    rf"(?<!\S)[{_QUOTES}]{{0,2}}([^\s{_QUOTES}]{{4,60}})[{_QUOTES}]{{0,2}} (?:is|was|ist|war|est|es|è|é)(?: [\w'’-]{{1,20}}){{1,4}}?[ -](?:{'|'.join(_REVERSED_NAMES)})(?=[ \t]{{0,3}}(?:[.,;!)\n]|\Z|(?:{_OF})[ \t]))",
    re.IGNORECASE,
)
_STATED = re.compile(r"\d{1,3}[-‑][^\W\d]\S*")  # `12-stellig`, `8-character`
_DIGITS = re.compile(r"\d\d")
_CODE = r"(\d{3,8}|\d{2,4}(?:[- ]\d{2,4}){1,3})(?=[#*]?(?!\S{0,200}\w))"


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
            bool(_DENSE.search(line)),
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


_ABOUT = frozenset(words("secret_names.about"))
_PUBLIC = frozenset(words("secret_names.public"))
_ALGORITHMS = frozenset(words("secret_names.algorithms"))
_KINDS_OF_KEY = frozenset(words("secret_names.kinds_of_key"))
_SENTENCE = frozenset(words("secret_names.sentence"))
_PLACEHOLDER = re.compile(
    r"""\$\{?\w.*|%\w+%|\{\{?.*|\[redacted.*|\[private.*|\[cut.*|<.*|\W*|(.)\1{3,}|xxx.*|\*\*.*|\.\..*
    |(?:your|my|some|the|an?|insert|enter|example|sample|placeholder|dummy|replace|change)[_.-]?(?:own[_.-])?[a-z_.-]*(?:here|key|token|secret|password|me|value|placeholder)\d?
    |(?:null|none|nil|true|false|undefined|string|str|bool|boolean|bytes|int|object|number|any|self|todo|tbd|n/a)[,;)\]}]*
    |(?:process|os|import|config|settings|options|opts|self|this|args|params|props|env|ctx|req|request|response|state|user|secrets|vars|data|app|module|ENV)(?:\??\.|\[).*
    |[A-Za-z_][\w.]*\(.*|[A-Za-z_]\w*\[.*|(?:Optional|List|Secret)?str\b.*
    |~?\.{0,2}/(?:[\w.@ -]+/)+[\w.@ -]*|[A-Za-z]:\\.*|(?:https?|file|s3|gs|ftp|vault|op|arn|projects)(?:://|:|/).*
    |https?|void|\d{4}-\d\d-\d\d.*|\d{1,2}:\d\d.*""",
    re.IGNORECASE | re.VERBOSE,
)
_NAME_ONLY = re.compile(r"[A-Za-z_$][A-Za-z_$.?-]*")
_HUMPS = re.compile(r"[A-Za-z_$](?=\w{0,250}(?:[a-z\d][A-Z]|_))[\w$]*[A-Za-z_]")
_CELLS = re.compile(r"[ \t>]*\|.*|[\w \t*`-]*")
_UNION = re.compile(r" \|{1,2} ")
_UNPACKED = re.compile(r", \w*$")
_EXPRESSION = re.compile(
    r"""[!&|(*=+]*[A-Za-z_$][\w$]*(?:(?:\??\.|::|->|\.\.\.)[A-Za-z_$][\w$]*)+[\])},;!?:&|=+*/-]*
    |[!&|(*\[]*[A-Za-z_$][\w.$?!]*[\[(<].*
    |[\[({]{1,3}[\w"'.].*|/\^?.*/[a-z]{0,4}|/\^.*|[bruf]{1,2}["'].*|!{1,2}[a-z][\w.$?]*|v?\d++(?:[.:]\d++)++[\w.+~-]*|\$\w*|.*[$\#]\{.*|void""",
    re.VERBOSE,
)
_IN_CODE = re.compile(r"[\[\](){}<>,;|\"`]")
_SAMPLE = re.compile(
    r"pass(?:word|wd|phrase)?\d?|passwort|pwd|pw|secret|token|api_?key|key|user|[%{].{1,60}", re.IGNORECASE
)
_TOKEN = re.compile(r"[\w+/=.~:@!#$%^&*-]+")
_TEST = re.compile(
    r"(?:[Tt]est|Example|Fuzz|Benchmark|spec|should|check)[A-Z_0-9./-]|.*(?:::|/)|.*\.(?:sh|py|t|js|ts|go|rs|c|rb|exe|test)\b"
)
_DURATION = re.compile(r"\s*(?:\(|\[|-|in)\s?[\d.]+\s?m?s")
_DEFINITE = tuple(words("secret_names.definite"))
_SENTENCE_END = re.compile(
    r"[\"'`”“*」』]{0,3}[ \t]{0,3}(?:[.!,;。！，；)\n]|\Z|です|だ|입니다|이에요|예요|吧|哦|了)"
)
_SETTINGS = frozenset(words("secret_names.settings"))
HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+")
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_WORDS = re.compile(r"[A-Za-z]*\d{0,8}")
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
_PART = re.compile(r"[-_.:/]+")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_QUERY = re.compile(r"&\w{1,40}=|;\s*[A-Za-z][\w ]{0,30}=|\\{1,3}[nrt\"']|&(?:quot|lt|gt|amp|#39);|</")


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
            if (is_random(hit[1], 8) and not _EXPRESSION.fullmatch(hit[1])) or _is_login(hit[1]):
                yield SecretSpan(*hit.span(1), "authorization")
    for hit in _SCHEME.finditer(text) if [name for name in _SCHEMES if name in low] else ():
        if _is_login(hit[2]) if hit[1].lower() == "basic" else len(hit[2]) >= 16 and is_random(hit[2], 16):
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
        if any(sign in low for sign in sentence.signs):
            for hit in _told(password_sentence(sentence), sentence, text, low):
                start, end = _trim(text, *hit.span(1))
                if _looks_spoken(text[start:end]) or _tells_all(hit, start, end):
                    yield SecretSpan(start, end, "password")
    for sentence in _named(codes, low) if _DIGITS.search(text) else ():
        for hit in _told(code_sentence(sentence), sentence, text, low):
            yield SecretSpan(*hit.span(1), "pin")
    for hit in _REVERSED.finditer(text) if [name for name in _REVERSED_NAMES if name in low] else ():
        start, end = _trim(text, *hit.span(1))
        if _looks_spoken(text[start:end]) or re.fullmatch(r"\d{4,8}", text[start:end]):
            yield SecretSpan(start, end, "password")


def _named(rows: dict[str, list[Sentence]], low: str) -> dict[Sentence, None]:
    """The sentences of which a text has a name."""
    return dict.fromkeys(
        sentence for name in [name for name in rows if name in low] for sentence in rows[name]
    )


def _told(pattern: re.Pattern[str], sentence: Sentence, text: str, low: str) -> Iterator[re.Match[str]]:
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


def _is_login(value: str) -> bool:
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
