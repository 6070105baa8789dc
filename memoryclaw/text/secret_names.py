"""Finds secrets by their names: `password: …`, `api_key=…`, "the token is …".

The plainer the words around a value, the more the value itself must look like a secret.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from memoryclaw.text.words import words

# Part of every text that holds one of the names below, in lower case.
NEAR = (
    "pass", "pwd", "secret", "token", "key", "credential", "auth", "pin", "bearer", "basic", "kennwort", "contrase", "senha",
    "mot de", "wachtwoord", "lösenord", "salasana", "hasło", "heslo", "parola", "пароль", "密码", "密碼", "パスワード", "비밀번호",
)  # fmt: skip
_LOGIN_WORDS = (
    r"pass[_ -]?(?:word|wort|phrase|code|key)s?|passwd|passwort|(?<![a-z])pass(?![a-z])|pwd|psw|kennwort|contrase(?:ñ|n)a|senha"
    r"|mot de passe|wachtwoord|lösenord|salasana|hasło|heslo|(?<![a-z])parola|пароль|密码|密碼|パスワード|비밀번호"
)
_KEY_WORDS = r"keys?(?![a-z])|secrets?|token|credentials?|(?<![a-z])auth(?:[_ -]?token)?(?![a-z])|(?<![a-z])creds?(?![a-z])"
# Where a name may begin: looking for these first is ten times faster than trying every name everywhere.
_CORE = re.compile(
    "pass|pwd|psw|kennwort|contrase|senha|mot de|wachtwoord|lösenord|salasana|hasło|heslo|parola|пароль|密码|密碼|パスワード|비밀번호"
    "|key|secret|token|cred|auth",
    re.IGNORECASE,
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
_SCHEME = re.compile(
    r"\b(bearer|basic|token|apikey|digest|negotiate)\s{1,3}([\w.~+/=-]{8,4000})", re.IGNORECASE
)
_HEADER = re.compile(
    r"authorization[\"']{0,2}\s{0,3}[:=]\s{0,3}[\"']?(?:[A-Za-z0-9-]{2,30}\s+)?([^\s\"',;]{8,4000})",
    re.IGNORECASE,
)
_PIN = re.compile(r"(?<![a-z])pin(?:[ _-]?(?:code|number))?(?:[ \t]+(?:for|of|to)(?:[ \t]+[\w'’-]{1,20}){1,4}?)?(?:\s?[:=]\s?|\s+(?:is|was)\s+)[\"']?(\d{4,8})(?!\S{0,200}\w)", re.IGNORECASE)  # fmt: skip

_PAIR = re.compile(r"(?:name|key)\\{0,3}[\"']?\s?:\s?\\{0,3}[\"']?(?P<name>[\w.-]{2,60})\\{0,3}[\"']?\s?,?\s{0,20}\\{0,3}[\"']?value\\{0,3}[\"']?\s?:\s?\\{0,3}[\"']?(?P<value>[^\s\"'\\,}]{4,512})", re.IGNORECASE)  # fmt: skip

_ABOUT = frozenset(words("secret_names.about"))
_PUBLIC = frozenset(words("secret_names.public"))
_KINDS_OF_KEY = frozenset(words("secret_names.kinds_of_key"))
_SENTENCE = frozenset(words("secret_names.sentence"))
_PLACEHOLDER = re.compile(
    r"""\$\{?\w.*|%\w+%|\{\{?.*|\[redacted.*|\[private.*|\[cut.*|<.*|\W*|(.)\1{3,}|x{3,}.*|\*{2,}.*|\.{2,}.*
    |(?:your|my|some|the|an?|insert|enter|example|sample|placeholder|dummy|replace|change)[_.-]?(?:own[_.-])?[a-z_.-]*(?:here|key|token|secret|password|me|value|placeholder)\d?
    |(?:null|none|nil|true|false|undefined|string|str|bool|boolean|bytes|int|object|number|any|self|todo|tbd|n/a)[,;)\]}]*
    |(?:process|os|import|config|settings|options|opts|self|this|args|params|props|env|ctx|req|request|response|state|user|secrets|vars|data|app|module|ENV)(?:\??\.|\[).*
    |[A-Za-z_][\w.]*\(.*|[A-Za-z_]\w*\[.*|(?:Optional|List|Secret)?str\b.*
    |~?\.{0,2}/(?:[\w.@ -]+/)+[\w.@ -]*|[A-Za-z]:\\.*|(?:https?|file|s3|gs|ftp|vault|op|arn|projects)(?:://|:|/).*
    |https?|\d{4}-\d\d-\d\d.*|\d{1,2}:\d\d.*""",
    re.IGNORECASE | re.VERBOSE,
)
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_WORDS = re.compile(r"[A-Za-z]*\d{0,8}")
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
_PART = re.compile(r"[-_.:/]+")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_QUERY = re.compile(r"&\w{1,40}=|;\s*[A-Za-z][\w ]{0,30}=|\\{1,3}[nrt\"']|&(?:quot|lt|gt|amp|#39);|</")


class Named(NamedTuple):
    """The place of a named secret's value in a text."""

    kind: str
    start: int
    end: int


def named_secrets(text: str) -> Iterator[Named]:
    """Finds values that are named as a secret and look like one, by kind of naming."""
    for hit in _HEADER.finditer(text):
        if _is_random(hit[1], 8) or _is_login(hit[1]):
            yield Named("authorization", *hit.span(1))
    for hit in _SCHEME.finditer(text):
        if _is_login(hit[2]) if hit[1].lower() == "basic" else len(hit[2]) >= 16 and _is_random(hit[2], 16):
            yield Named("authorization", *hit.span(2))
    for hit in _PIN.finditer(text):
        yield Named("pin", *hit.span(1))
    for hit in _PAIR.finditer(text) if "value" in text else ():
        if kind := value_of(hit["name"], hit["value"]):
            yield Named(kind, *hit.span("value"))
    at = 0
    for core in _CORE.finditer(text):
        hopeful = core.start() >= at and not _ENDLESS.match(text, core.start())
        named = _ASSIGNED.match(text, core.start()) if hopeful else None
        if named and (found := _assigned(named)):
            yield found
            at = found.end


def value_of(name: str, value: str) -> str:
    """The kind of secret that a value is under a name, as in a JSON object; empty for none."""
    if not _may_name_one(name):
        return ""
    padded = f"{name}: {value}"
    best = next((n for n in named_secrets(padded) if n.start >= len(name)), None)
    if best is not None:
        return best.kind
    hits = (_ASSIGNED.match(f'{name}="x"', core.start()) for core in _CORE.finditer(name))
    hit = next(filter(None, hits), None)
    if hit is None or not hit["password"] or _is_about(hit["tail"]) or " " in name.strip():
        return ""
    return "password" if 4 <= len(value) <= 200 and not _says_nothing(value) and "\n" not in value else ""


@lru_cache(4096)
def _may_name_one(name: str) -> bool:
    """True for a name that may be a secret's; cached, since hosts use the same few names in every line."""
    low = name.lower()
    return any(near in low for near in NEAR)


def _assigned(hit: re.Match[str]) -> Named | None:
    if _is_about(hit["tail"]) or _word_before(hit.string, hit.start()) in _PUBLIC:
        return None
    start, end = _value_span(hit)
    value = hit.string[start:end]
    if len(value) < 4 or _PLACEHOLDER.fullmatch(value) or "[REDACTED:" in value:
        return None
    if hit["password"]:
        return Named("password", start, end) if _is_password(hit, value, end) else None
    kind = "key" if "key" in hit["token"].lower() else hit["token"].lower().rstrip("s")
    return (
        Named(kind.replace("_", "").replace("creds", "cred"), start, end) if _is_token(hit, value) else None
    )


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
    mixed = _mixes(value) and len(value) >= 6
    if hit["space"] is not None:
        return mixed and not _is_identifier(value)
    short = hit["password"].lower() == "pass"
    if (hit["gap"] and not mixed) or (short and not (_mixes(value) or hit["open"] or _is_assignment(hit))):
        return False
    if " " in value:
        return not _says_nothing(value)
    if value.isdigit():
        return not short
    return not _is_plain(value) or _stands_alone(hit, value, end)


def _stands_alone(hit: re.Match[str], value: str, end: int) -> bool:
    """True for a plain word that is a weak password, false for one that is the next word of a sentence."""
    rest = hit.string[end : end + 200].split("\n", 1)[0]
    ends = rest.startswith((",", ";")) or not rest.strip("\"'`”.,;)]}|*</> \r\\") or bool(hit["open"])
    return (
        ends
        and bool(hit["sign"] or hit["open"])
        and value.lower() not in _SENTENCE
        and not _is_label(hit, value)
    )


def _is_token(hit: re.Match[str], value: str) -> bool:
    name = hit["token"].lower()
    bare = (
        name in {"key", "keys", "auth"}
        and not _is_assignment(hit)
        and _word_before(hit.string, hit.start()) not in _KINDS_OF_KEY
    )
    loose = hit["space"] is not None or bool(hit["gap"])
    least = (20 if bare else 16) if loose else 16 if bare else 8
    if " " in value or len(value) < least:
        return False
    if bare and (_UUID.fullmatch(value) or (loose and _HEX.fullmatch(value) and len(value) in {40, 64})):
        return False
    if _is_random(value, least):
        return True
    return "secret" in name and not loose and _is_assignment(hit) and _mixes(value)


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
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", tail)
    return any(part.lower() in _ABOUT for part in parts[-2:])


def _is_label(hit: re.Match[str], value: str) -> bool:
    return bool(hit["password"]) and hit["password"].lower().replace(" ", "") in value.lower()


def _says_nothing(value: str) -> bool:
    words = value.lower().split()
    return bool(_PLACEHOLDER.fullmatch(value)) or any(word.strip(".,!?") in _SENTENCE for word in words)


def _is_plain(value: str) -> bool:
    """True for a word of any language: letters only, with one hyphen at most."""
    return (
        value.count("-") < 2
        and value.replace("-", "").replace("’", "").isalpha()
        and not re.search(r"[a-z][A-Z]", value)
    )


def _mixes(value: str) -> bool:
    kinds = (
        any(map(str.isalpha, value)),
        any(map(str.isdigit, value)),
        not value.replace("-", "").replace("_", "").isalnum(),
    )
    return sum(kinds) >= 2


def _is_identifier(value: str) -> bool:
    """True when every part of the value is made of words and short numbers: `get_token_v2`, `ep-2025-04-08-budget`."""
    return len(value) <= 80 and all(_is_words(part) for part in _PART.split(value) if part)


def _is_words(part: str) -> bool:
    """True for words written as one, with a number at the end at most: `sendEmail`, `v2`, `20250408`."""
    if not _WORDS.fullmatch(part):
        return False
    pieces = _CAMEL.findall(part)
    return len(pieces) <= 1 + len(part) // 5 and all(
        len(p) < 4 or (len(p) <= 16 and _VOWEL.search(p)) for p in pieces
    )


def _is_random(value: str, least: int) -> bool:
    if len(value) < least or value.isdigit() or _PLACEHOLDER.fullmatch(value) or _is_identifier(value):
        return False
    if re.search(r"\d", value) and re.search(r"[A-Za-z]", value):
        return True
    return (
        len(value) >= 16 and _entropy(value) >= 3.3 and bool(re.search(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z]", value))
    )


def _is_login(value: str) -> bool:
    """True for what `Basic` carries: Base64 of a name and a password."""
    import base64  # noqa: PLC0415 - seldom needed

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
