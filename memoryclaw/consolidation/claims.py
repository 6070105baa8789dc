"""Facts that the lines of a segment state, found by patterns: no model, few and sure rather than many.

A claim quotes the sentence that states it; who may be believed is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from memoryclaw.consolidation.changes import LEVELS, Claim, Segment
from memoryclaw.consolidation.claim_rules import HABITS, NAMED, OF_OTHERS, OWNED, SPOKEN, WISHES, Rule
from memoryclaw.consolidation.fact_values import (
    KIN,
    MANY,
    FieldNoun,
    date_value,
    is_yearly,
    noun_of,
    plain_key,
    plain_value,
    same_day,
)
from memoryclaw.consolidation.statements import (
    Statement,
    believed,
    corrects,
    denies,
    is_doubtful,
    is_light,
    is_momentary,
    is_small,
    jests,
    remembered,
    statements,
    supposes,
    without_laughs,
    without_moment,
)
from memoryclaw.model import NOTHING, Turn
from memoryclaw.text import words as lists
from memoryclaw.text.dates import find_ranges, parse_timestamp
from memoryclaw.text.language import candidates, fold, key_of, keys_of, select, words_of
from memoryclaw.text.secret_names import NEAR
from memoryclaw.text.sentences import plain, sentences

_CORRECTING = 4  # turns that follow, in which a person or the assistant may take back what was said
_JESTING = 2
_HEARD = 600  # characters of what follows in which it is looked for
_NEAR = 3  # turns back in which a thing was named that "the deadline" may belong to
_DENYING = frozenset({"dislikes", "never", "from now on", "always", "diet"})
_OPEN = re.compile(r"[^\W\d_][\w-]*(?: [^\W\d_][\w-]*){0,2}")
_SURE_KINDS = frozenset(
    {"email", "phone", "url", "date", "day", "amount"}
)  # hardly anything else looks like them
_MINE = re.compile(
    r"(?:i|i'm|i've|i'd|my|me|we|we've|you|call|please|just|everyone|ich|mein\w*|bitte|nenn\w*|jetzt|nun|wohne|lebe)\b"
)
_OF = (" of ", " for ")
_WHOSE = re.compile(r"^(?:(?:the|our|this|that|das|die|der|unser|unsere)\s+)+", re.IGNORECASE)
_OR = re.compile(r"\s(?:or|oder)\s", re.IGNORECASE)
_OWNED_BY = (" of ", " for ", " von ", " für ")
_OWNS = ("'s ", "' ")
_AFTER = re.compile(r"\s+(?:project|app|task|job|report|projekt)$", re.IGNORECASE)


class _Who(NamedTuple):
    """What a claim is about, and whether the vault knows it (or the words say it outright)."""

    name: str
    sure: bool = True


def claims_in(
    segment: Segment, names: Mapping[str, str], fields: Mapping[str, str] = NOTHING
) -> tuple[Claim, ...]:
    """The facts that persons and the assistant state in a segment, each once, in order.

    Args:
        segment: turns that belong together; those of tools state nothing.
        names: the entities that the vault knows, by `key_of` of every name they go by.
        fields: further fields of the vault, by their name in lower case, with the type of their values.
    """
    reader = _ClaimReader(segment, names, fields)
    found: dict[tuple[str, str, str], Claim] = {}
    for number, turn in enumerate(segment.turns):
        for claim in reader.claims(number, turn):
            key = (key_of(claim.entity), claim.field, key_of(claim.value) or claim.value)
            known = found.get(key)
            if known is None or _weight(claim) > _weight(known):
                found[key] = claim
    corrected = _Corrections(segment, tuple(found.values()))
    return tuple(sorted(map(corrected, found.values()), key=lambda claim: claim.line))


class _Corrections:
    """Lowers what was taken back, or put otherwise, soon after it was said."""

    def __init__(self, segment: Segment, claims: tuple[Claim, ...]) -> None:
        self._turns = segment.turns
        self._at = {turn.line: number for number, turn in enumerate(segment.turns)}
        self._flat: dict[
            int, tuple[str, int]
        ] = {}  # by line: the text of a turn, and how far it was looked through
        self._valued: dict[tuple[int, str, str], list[Claim]] = {}
        self._stated: dict[tuple[int, str], list[Claim]] = {}
        for claim in claims:
            self._valued.setdefault((claim.line, claim.field, key_of(claim.entity)), []).append(claim)
            self._stated.setdefault((claim.line, claim.quote), []).append(claim)

    def __call__(self, claim: Claim) -> Claim:
        """The claim, of a lower confidence where words that follow it speak against it."""
        later = list(self._later(claim))
        if any(jests(text) for _, text in later[: 1 + _JESTING]):
            return claim._replace(confidence="low")
        against = claim.confidence == "high" and any(
            corrects(text) and (self._put_otherwise(claim, turn) or self._names_another(claim, turn, text))
            for turn, text in later
        )
        return claim._replace(confidence="medium") if against else claim

    def _later(self, claim: Claim) -> Iterator[tuple[Turn, str]]:
        """The rest of the turn, and the turns that follow it."""
        number = self._at[claim.line]
        turn = self._turns[number]
        yield turn, self._behind(turn, " ".join(claim.quote.split()))
        for turn in self._turns[number + 1 : number + 1 + _CORRECTING]:
            if turn.role in ("user", "assistant"):
                yield turn, turn.text[:_HEARD]

    def _behind(self, turn: Turn, quote: str) -> str:
        """What follows a sentence in its turn. Claims come in the order of their sentences, so each turn is read once."""
        text, at = self._flat.get(turn.line) or (" ".join(turn.text.split()), 0)
        found = text.find(quote, at)
        if found < 0:
            found = text.find(quote)
        end = found + len(quote) if found >= 0 else len(text)
        self._flat[turn.line] = (text, max(at, found))
        return text[end : end + _HEARD]

    def _put_otherwise(self, claim: Claim, turn: Turn) -> bool:
        if claim.field in MANY or turn.line <= claim.line:
            return False
        others = self._valued.get((turn.line, claim.field, key_of(claim.entity)), ())
        return any(not same_value(other.value, claim.value) for other in others)

    def _names_another(self, claim: Claim, turn: Turn, text: str) -> bool:
        said = parse_timestamp(turn.ts)[:10]
        return any(
            corrects(sentence) and names_another(sentence, claim.value, said)
            for sentence in sentences(text)
            if not self._says_more(claim, turn, sentence)
        )

    def _says_more(self, claim: Claim, turn: Turn, sentence: str) -> bool:
        """True for a sentence that states another field, or of something else: its values are no correction."""
        stated = self._stated.get((turn.line, sentence), ())
        return bool(stated) and all(
            (other.field, key_of(other.entity)) != (claim.field, key_of(claim.entity)) for other in stated
        )


def _weight(claim: Claim) -> tuple[bool, int]:
    return claim.role == "user", LEVELS.index(claim.confidence)


class _ClaimReader:
    """Reads the claims of one segment."""

    def __init__(self, segment: Segment, names: Mapping[str, str], fields: Mapping[str, str]) -> None:
        self._turns = segment.turns
        self._names = names
        self._fields = fields
        speakers = {turn.name or "user" for turn in segment.turns if turn.role == "user"}
        self._speakers = frozenset(map(self._canonical, speakers))

    def claims(self, number: int, turn: Turn) -> Iterator[Claim]:
        """The claims of one turn; only persons and the assistant state anything."""
        if turn.role not in ("user", "assistant"):
            return
        said = parse_timestamp(turn.ts)[:10]
        for statement in statements(turn.text, said):
            found = self._claim(number, statement, said)
            if found:
                yield found

    def _claim(self, number: int, statement: Statement, said: str) -> Claim | None:
        low = statement.text.lower()
        for rules in self._rules(self._turns[number].role, statement, low):
            for rule in rules:
                for cue in rule.cues:
                    if cue in low:
                        break
                else:
                    continue
                hit = rule.pattern.fullmatch(statement.text)
                found = hit and self._made(rule, hit, number, statement, said)
                if found:
                    return found
        return None

    def _rules(self, role: str, statement: Statement, low: str) -> Iterator[tuple[Rule, ...]]:
        yield OWNED
        if role == "user":
            if _MINE.match(low):
                yield SPOKEN
            if not low.startswith(("i ", "i'", "ich ")):
                yield OF_OTHERS
            yield NAMED
            yield WISHES if statement.onwards else HABITS

    def _made(
        self, rule: Rule, hit: re.Match[str], number: int, statement: Statement, said: str
    ) -> Claim | None:
        groups = hit.groupdict()
        who, noun = self._meant(rule, groups, number, statement)
        if who is None and noun is not None and _names_outright(hit):
            who = _unknown(groups["who"] or "")
        if who is None or noun is None or not _is_stated(statement, noun, groups):
            return None
        turn = self._turns[number]
        foreign = statement.foreign and turn.role == "user"
        if foreign and (rule.who == "me" or self._is_own(who.name)):
            return None
        value = self._value(groups["value"], noun, said)
        if rule.swapped and value:
            who, value = _Who(value), who.name
        if noun.kind == "contact":
            noun = FieldNoun(kind_of(value), "contact")
        if not value or "REDACTED" in value or not noun.field or key_of(value) == key_of(who.name):
            return None
        passing = noun.kind not in ("date", "day") and is_momentary(statement.text)
        level = "low" if foreign or statement.joking or _is_choice(groups["value"], noun) else ""
        level = level or _level(who, noun, value, statement, open_form=not rule.field)
        return Claim(
            entity=plain_key(who.name),
            field=plain_key(noun.field),
            value=value,
            line=turn.line,
            quote=statement.quote,
            role=turn.role,
            said=said,
            since=statement.since,
            confidence=believed(level, turn.role),
            durable=noun.kind != "state" and not passing,
        )

    def _is_own(self, name: str) -> bool:
        """True for the speaker, and for what is theirs: `Nora's sister`."""
        return name in self._speakers or any(name.startswith(f"{own}'s ") for own in self._speakers)

    # what it is about

    def _meant(
        self, rule: Rule, groups: dict[str, str], number: int, statement: Statement
    ) -> tuple[_Who | None, FieldNoun | None]:
        """Whose field the words name. In `boathouse deadline` the thing has to be known, or the value cannot be mistaken."""
        whole = groups.get("both")
        words, field = self._parted(whole) if whole else (groups.get("who") or "", groups.get("field") or "")
        who = self._who(rule, words, number)
        noun = self._noun(rule, field, who, statement)
        if whole and words and who and noun and noun.kind not in _SURE_KINDS and not self._known(who.name):
            noun = None
        return who, noun

    def _who(self, rule: Rule, words: str, number: int) -> _Who | None:
        turn = self._turns[number]
        if rule.who == "me":
            return _Who(self._canonical(turn.name or "user")) if turn.role == "user" else None
        if rule.who == "you":
            only = len(self._speakers) == 1 and turn.role == "assistant"
            return _Who(next(iter(self._speakers))) if only else None
        return self._named(words, turn) if words else self._here(number)

    def _named(self, words: str, turn: Turn) -> _Who | None:
        """The entity that some words name: known in the vault, written as a name, or a relative of the speaker."""
        parts = _WHOSE.sub("", words).split()
        for first in range(len(parts)):
            part = " ".join(parts[first:])
            if known := self._known(part):
                return _Who(known)
        whole = " ".join(parts)
        if whole.endswith(("'s", "'")):
            return None
        own = re.fullmatch(r"(?:my|mein\w*) (.+)", whole, re.IGNORECASE)
        noun = noun_of(own[1] if own else whole)
        if noun and noun.field in KIN | {"manager", "landlord"} and turn.role == "user":
            return _Who(f"{self._canonical(turn.name or 'user')}'s {noun.field}", sure=False)
        return _Who(whole) if (is_name(whole) or is_identifier(whole)) and not own and not noun else None

    def _here(self, number: int) -> _Who | None:
        """The one known thing that this turn, or else those before it, speak of."""
        for turn in reversed(self._turns[max(0, number - _NEAR) : number + 1]):
            found = {self._names[c.key] for c in select(candidates(words_of(turn.text)), self._names.keys())}
            if found := found - self._speakers:
                return _Who(found.pop(), sure=False) if len(found) == 1 else None
        return None

    def _known(self, words: str) -> str:
        for text in (words, _AFTER.sub("", words)):
            for key in keys_of(text):
                if key in self._names:
                    return self._names[key]
        return ""

    def _canonical(self, name: str) -> str:
        return self._known(name) or name

    # which field, which value

    def _noun(self, rule: Rule, words: str, who: _Who | None, statement: Statement) -> FieldNoun | None:
        if rule.kind and rule.field:
            return FieldNoun(rule.field, rule.kind)
        noun = noun_of(words, self._fields)
        if rule.kind:
            return FieldNoun(noun.field, rule.kind) if noun else None
        if noun or who is None or not who.sure or not _OPEN.fullmatch(words) or _is_secret(words):
            return noun
        is_open = statement.stressed or (rule.who == "name" and self._known(who.name))
        return FieldNoun(words.lower(), "told" if statement.stressed else "open") if is_open else None

    def _parted(self, words: str) -> tuple[str, str]:
        """`Boathouse deadline`, `deadline Boathouse` or `deadline for Boathouse` as the thing and its field; no field where there is none."""
        words = _WHOSE.sub("", words)
        field, _, whose = next((cut for at in _OF if (cut := words.partition(at))[2]), (words, "", ""))
        if whose and noun_of(field, self._fields):
            return whose, field
        parts = words.split()
        for count in range(min(3, len(parts)), 0, -1):
            if noun_of(" ".join(parts[-count:]), self._fields):
                return " ".join(parts[:-count]).removesuffix("'s"), " ".join(parts[-count:])
            if noun_of(" ".join(parts[:count]), self._fields) and self._known(" ".join(parts[count:])):
                return " ".join(parts[count:]), " ".join(parts[:count])
        return words, ""

    def _value(self, words: str, noun: FieldNoun, said: str) -> str:
        if noun.kind == "known":
            parts = plain_value(cut(words)).split()
            found = (self._known(" ".join(parts[:count])) for count in range(len(parts), 0, -1))
            return next(filter(None, found), "")
        words = words if noun.kind in ("date", "day", "order") else without_moment(words)
        value = value_of(words, noun, said)
        return self._known(value) or value if noun.kind in ("name", "person") else value


def _names_outright(hit: re.Match[str]) -> bool:
    """True for `X's FIELD is V` and `the FIELD of X is V` without an article before X: what follows it is called so."""
    if not hit.re.groupindex.keys() >= {"who", "field"} or not hit["who"]:
        return False
    before, after = hit.string[: hit.start("who")], hit.string[hit.end("who") :]
    return before.lower().endswith(_OWNED_BY) or (not before and after.startswith(_OWNS))


def _unknown(name: str) -> _Who | None:
    """What is called by a word that might be a common one as well: never for sure."""
    word = plain(name)
    is_common = is_light(word) or is_small(word) or not may_name(name) or noun_of(name) is not None
    return None if is_common else _Who(name, sure=False)


def _is_stated(statement: Statement, noun: FieldNoun, groups: Mapping[str, str | None]) -> bool:
    """False for what is denied or only supposed, and for `the office is at …`, which names a place and not the value."""
    if denies(statement.text) and noun.field not in _DENYING:
        return False
    if groups.get("on") and noun.kind not in ("date", "day", "amount"):
        return False
    return not supposes(remembered(statement.quote) or statement.quote)


def _is_choice(words: str, noun: FieldNoun) -> bool:
    return noun.kind not in ("taste", "choice", "order", "never") and _OR.search(cut(words)) is not None


def _is_secret(field: str) -> bool:
    return any(near in field.lower() for near in NEAR)


def _level(who: _Who, noun: FieldNoun, value: str, statement: Statement, *, open_form: bool) -> str:
    if is_doubtful(statement.quote):
        return "low"
    vague = open_form and noun.kind in ("text", "title") and len(value.split()) == 1 and value.islower()
    sure = (
        who.sure and noun.kind not in ("open", "told") and noun.field not in ("always", "never") and not vague
    )
    return "high" if sure or statement.stressed else "medium"


# The end of a sentence → the value it states: cut where the next thought begins, and kept only if it looks like one of
# its kind.

LONGEST = 120
_MOST_WORDS = {
    "name": 5,
    "place": 6,
    "title": 8,
    "text": 12,
    "amount": 8,
    "taste": 9,
    "choice": 9,
    "order": 20,
}
_CUT = re.compile(
    r"(?:,?\s+(?:because|but|so|which|who|whom|where|when|while|although|though|since|as (?:it|i|we|he|she|they)|for (?:its|their|his|her|being)|thanks to|even|especially|to help"
    r"|and [\"'“„]?(?:i|i'm|i've|my|we|it|it's|he|she|they|that|this|the|now|then|want|love|am|have|had|was|is|has|found|finds|feels|felt|enjoys?|appreciates?|expresses|loves|likes|thinks|wants|uses|makes|gets|takes)|weil|aber|denn|obwohl|damit|nachdem|bevor|und (?:ich|wir|er|sie|es|das|mein|meine))\b"
    r"|\s+(?-i:now|jetzt|nun)\b|,\s+(?:i|i'm|it|it's|he|she|they|we|this|that|that's|the|my|our|your|what|there|there's|coming|especially|not|too|though|right|please|ok|okay|you know|ich|das|es|nicht|bitte|oder|was|die|der|so)\b"
    r"|\s*[(\[{…]|[!?]|\s+[–—-]{1,2}\s|:\s|\s*=>).*",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:,?\s+(?:now|too|as well|also|again|anyway|these days|though|already|by the way|btw|please|instead|currently|recently|for sure|of course|a lot|so much|very much"
    r"|the most|the best|more than anything|most of all|jetzt|auch|übrigens|bitte|sehr|wirklich|nun|after all|officially|offiziell|any ?more|any longer|thanks|thank you|every day|all the time))+$",
    re.IGNORECASE,
)
_COMMA = re.compile(r",\s+")
_AND = re.compile(r"(?:^|\s+)(?:and|or|und|oder|&)\s+", re.IGNORECASE)
_ITEM = 3  # words
_ITEM_BEGINS = frozenset({"some", "most", "more", "many", "new", "old", "big", "small"})
_MOMENTS = re.compile(
    r"(?:,?\s+(?:from|starting|as of|until|till|ab|bis|von)\s+(?:tomorrow|today|now|then|next|this|morgen|heute|jetzt|nächste\w*)\b"
    r"|,?\s+(?:next|nächste\w*)\s+(?:day|week|month|quarter|year|woche|monat|quartal|jahr)\b|,\s+(?:tomorrow|today|morgen|heute)\b).*",
    re.IGNORECASE,
)
_HANGING = re.compile(
    r"(?:\s+(?:like|such as|called|named|particularly|including|of|for|in|and|or|with|to|by|und|oder|mit))+$"
)
_EDGES = " \t\"'“”„‚‘’»«.,;:!?…*_()"
_EMOJI = re.compile("[\u2190-\u2bff\u3030\ufe0f\u200d\U0001f000-\U0001faff]")
# What begins no value: it points elsewhere, judges, or goes on with a sentence.
_NO_VALUE = frozenset(lists.words("consolidation.no_value"))
_TIMES = frozenset(lists.words("consolidation.times"))
_PEOPLES = frozenset(lists.words("consolidation.peoples"))
_SMALL = frozenset(lists.words("consolidation.name_particles"))
_POINTING = frozenset(lists.words("consolidation.pointing"))
_POINTED = frozenset(lists.words("consolidation.pointed"))
_IDLE = frozenset(lists.words("consolidation.idle"))
_IDLE_DOING = frozenset(lists.words("consolidation.idle_doing"))
_PROFESSION = re.compile(
    r"^an? (?:[\w-]+ ){0,3}(?:teacher|nurse|doctor|physician|dentist|lawyer|attorney|engineer|developer|programmer|designer|architect|artist|painter|writer|author"
    r"|journalist|editor|photographer|musician|cellist|pianist|singer|dancer|actor|actress|chef|cook|baker|waiter|waitress|bartender|accountant|bookkeeper|consultant"
    r"|analyst|scientist|researcher|professor|lecturer|student|psychologist|therapist|counsel+or|social worker|pharmacist|vet|veterinarian|electrician|plumber"
    r"|carpenter|joiner|mechanic|farmer|gardener|pilot|driver|firefighter|police officer|soldier|translator|librarian|manager|salesperson|plasterer|coach|trainer"
    r"|entrepreneur|founder|freelancer|translator|paramedic|midwife|surgeon|biologist|chemist|physicist|historian|economist|barista|tailor|hairdresser)$",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"\b(?:company|firm|start-?up|bank|hospital|clinic|school|university|college|studio|agency|shop|store|caf[eé]|restaurant|bakery|ngo|charity|library"
    r"|museum|garage|lab|laboratory|office|practice|hotel|factory|farm|ministry|council|institute|airline|publisher|newspaper)\b",
    re.IGNORECASE,
)
_TELLING = re.compile(r"\b(?:last|past|this|next|ago|yesterday|today|tomorrow|in|since)\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[^\W\d_][^\W\dA-ZÄÖÜ_]*+(?:-(?=\d))?[\dA-ZÄÖÜ_][\w-]*")
_WORD_ALONE = re.compile(r"[^\W\d_A-ZÄÖÜ][\w.-]*\w")
_EMAIL = re.compile(r"[^\s@<>()\[\],;:]+@[^\s@<>()\[\],;:]+\.[^\W\d_]{2,}")
_PHONE = re.compile(r"(?=(?:\D*\d){6})\+?\(?\d[\d\s()/-]{4,22}\d(?![.,]?\d)")
_WHOLE_PHONE = re.compile(r"(?=(?:\D*\d){6})[+(0][\d\s()/-]{5,23}\d")
_URL = re.compile(
    r"(?:https?://|www\.)[^\s<>\"]+|(?<![\w@])(?:[a-z0-9-]+\.)+[a-z]{2,10}(?:/[^\s<>\"]*)?", re.IGNORECASE
)


def cut(text: str) -> str:
    """The text up to where its next thought begins, without what only rounds it off."""
    text = _clause(_MOMENTS.sub("", _CUT.sub("", _EMOJI.sub("", without_laughs(text))))).strip(_EDGES)
    return _HANGING.sub("", _TAIL.sub("", text)).strip(_EDGES)


def _clause(text: str) -> str:
    """The text up to a comma, unless the next item of a list or the rest of a name or an address stands behind it."""
    kept, *rest = _COMMA.split(text)
    while rest:
        words = rest[0].split()
        count = 1 if words and _goes_on(words) else _listed(rest)
        if not count:
            break
        kept, rest = ", ".join((kept, *rest[:count])), rest[count:]
    return kept


def _goes_on(words: Sequence[str]) -> bool:
    """True for words of a name, or of an address: `Oregon`, `flat 3`."""
    numbered = any(map(str.isdigit, "".join(words))) and not any(fold(word) in _NO_VALUE for word in words)
    named = all(word[0].isupper() or word[0].isdigit() or word in _SMALL for word in words)
    return named or (numbered and len(words) <= _ITEM)


def _listed(parts: Sequence[str]) -> int:
    """How many parts go on with a list: short things, the last one behind "and" or "or"; or single words, several of them."""
    alone = True
    for count, part in enumerate(parts, 1):
        items = [item.split() for item in _AND.split(part) if item]
        if not items or not all(map(_is_item, items)):
            break
        if _AND.search(part):
            return count
        alone = alone and len(items[0]) == 1
    else:
        return len(parts) if alone and len(parts) > 1 else 0
    return 0


def _is_item(words: Sequence[str]) -> bool:
    folded = [fold(word) for word in words]
    return len(words) <= _ITEM and not _POINTED & set(folded) and folded[0] not in _NO_VALUE - _ITEM_BEGINS


def value_of(words: str, noun: FieldNoun, said: str) -> str:
    """The value that some words give a field, as it is written in a fact; "" where they give none.

    Args:
        words: what stands behind "is".
        noun: the field.
        said: ISO date of the statement, "" when unknown.
    """
    if noun.kind in ("date", "day"):
        return _date(words, said, recurs=noun.kind == "day")
    if noun.kind in ("email", "phone", "url", "contact"):
        return contact(words, "" if noun.kind == "contact" else noun.kind)
    if noun.kind == "order":
        value = plain_value(words).strip(_EDGES)
        return value if len(value) <= LONGEST else ""
    value = plain_value(_timeless(cut(words), said))
    if noun.kind == "employer":
        value = re.sub(r"\s+(?:as|als)\s.*", "", value)
    if noun.kind == "product":
        value = re.sub(r"\s+(?:for|to|in|on|at|as|with|when)\s.*", "", value)
    if noun.kind == "never":
        return f"no {value.partition(' ')[2]}"
    return value if value and len(value) <= LONGEST and _looks_like(value, noun.kind) else ""


def contact(words: str, kind: str = "") -> str:
    """The e-mail address, phone number or URL that the words consist of, up to a small rest."""
    for name, pattern in (("email", _EMAIL), ("url", _URL), ("phone", _PHONE)):
        hit = pattern.match(words.strip(" \"'<(")) if kind in ("", name) else None
        if hit:
            return plain_value(hit[0].strip(" .,;:!?)("))
    return ""


def kind_of(value: str) -> str:
    """`email`, `url` or `phone` for a value that is one and nothing else; otherwise ""."""
    value = value.strip()
    patterns = (("email", _EMAIL), ("url", _URL), ("phone", _WHOLE_PHONE))
    return next((name for name, pattern in patterns if pattern.fullmatch(value)), "")


def is_name(text: str, most: int = 4) -> bool:
    """True for a few words that are written as a name: with capitals, no day, no month, no pronoun."""
    words = text.split()
    if not 1 <= len(words) <= most or not words[0][:1].isupper():
        return False
    first = fold(words[0])
    if (
        first.removesuffix("'s") in _TIMES
        or first in _NO_VALUE | _POINTING
        or {first, fold(words[-1])} & _SMALL
    ):
        return False
    if any("." in word[:-1] for word in words):
        return False
    return all(word[:1].isupper() or word[:1].isdigit() or word in _SMALL for word in words)


def is_identifier(text: str) -> bool:
    """True for one word that is written as only names are: with a capital, a digit or an underscore inside, as `projectX`."""
    return _IDENTIFIER.fullmatch(text) is not None


def may_name(text: str) -> bool:
    """True for one word in small letters that points at nothing and is no time, as `nginx`."""
    first = fold(text)
    return (
        _WORD_ALONE.fullmatch(text) is not None
        and first not in _NO_VALUE | _POINTING | _POINTED | _SMALL | _TIMES
    )


def _timeless(value: str, said: str) -> str:
    """The value without a time at its end: "Berlin last month" is Berlin."""
    if not said:
        return value
    for found in find_ranges(value, date.fromisoformat(said[:10]))[0]:
        if found.span[0] and found.span[1] == len(value) and _TELLING.search(found.text):
            return value[: found.span[0]].strip(_EDGES).removesuffix(" on").removesuffix(" in")
    return value


def _date(words: str, said: str, *, recurs: bool) -> str:
    """The date with which the words begin: as many of them as make one."""
    parts = _CUT.sub("", words).strip(" ,.!").split()
    parts = parts or words.split()
    for count in range(min(len(parts), 8), 0, -1):
        found = date_value(" ".join(parts[:count]), said, recurs=recurs)
        if found:
            return found
    return ""


def _looks_like(value: str, kind: str) -> bool:
    words = value.split()
    if len(words) > _MOST_WORDS.get(kind, 12) or not any(map(str.isalnum, value)):
        return False
    if kind in ("state", "told", "any"):
        return True
    if kind in ("taste", "choice"):
        return _is_taste([fold(word) for word in words[kind == "choice" and words[0] == "the" :]])
    if kind == "profession":
        return _PROFESSION.search(value) is not None
    first = fold(words[0])
    article = first in {"a", "an", "the"} and kind in ("employer", "title", "text", "open")
    if first in _NO_VALUE and not (article and any(word[0].isupper() for word in words[1:])):
        return False
    return not (len(words) == 1 and first.endswith("ing")) and _is_named(words, first, kind)


def _is_named(words: list[str], first: str, kind: str) -> bool:
    capital = any(word[:1].isupper() for word in words) and first not in _TIMES
    begins = words[0][0].isupper()
    article = first in {"a", "an", "the"}
    return {
        "amount": any(char.isdigit() for word in words for char in word),
        "person": is_name(" ".join(words), 3) and first not in _PEOPLES,
        "place": capital,
        "product": capital and begins,
        "name": capital and (first in _SMALL or begins),
        "employer": capital or (article and _COMPANY.search(" ".join(words)) is not None),
        "title": article or begins or len(words) > 1,
        "open": begins or words[0][0].isdigit(),
    }.get(kind, True)


def _is_taste(words: list[str]) -> bool:
    """True for a thing or a doing that one may like, without pointing at something just spoken of."""
    first = words[0] if words else "the"
    if first in _POINTING or (
        first in _NO_VALUE and first not in {"to", "being", "old", "new", "big", "small", "going"}
    ):
        return False
    if first == "to" and (len(words) < 2 or words[1] in _IDLE):
        return False
    return not _POINTED & set(words) and not first.endswith(("'s", "’s")) and first not in _IDLE_DOING


# Values of facts compared and checked: are two the same said differently, and can one be of the type that the schema
# names.

_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:\s.*)?")
_GROUPED = re.compile(r"(?<=\d)[,'’\u202f\u00a0 ](?=\d{3}(?!\d))")
_PHONE_NUMBER = re.compile(r"\+?[\d\s()/.-]{5,24}(?:\s?(?:x|ext\.?)\s?\d{1,6})?")
_NUMBER = re.compile(r"\d+(?:\.\d+)?\w*")
_ADDRESS = re.compile(r"(?<!\S)\S+@\S+|(?<![\w-])(?<![\w-]\.)(?:[\w-]+\.)+[a-z]{2,}\S*")
_CAPITAL = re.compile(r"(?<=[\w,;:] )[^\W\d_a-zß-ÿ][\w-]+")
_SHORT = 8  # words of a turn that is no more than a correction
_CONJUNCTION = re.compile(r"(?:(?<!\s)\s++)?[,;]\s*|(?<!\s)\s+(?:and|und|&)\s+")
_SHAPES = {
    "email": (re.compile(r"[^\s@<>()]+@[^\s@<>()]+\.[^\W\d_]{2,}"), "an e-mail address"),
    "phone": (re.compile(rf"(?=(?:\D*\d){{5}}){_PHONE_NUMBER.pattern}"), "a phone number"),
    "url": (re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+|(?:[\w-]+\.)+[^\W\d_]{2,}(?:/\S*)?", re.IGNORECASE), "a web address"),
    "number": (re.compile(r"[-+]?\d[\d.,'’\u202f\u00a0 ]*(?:[^\W\d]\S*|[%€$£])?(?:\s\S+)?"), "a number"),
}  # fmt: skip


def same_value(one: str, other: str) -> bool:
    """True for values that differ only in case, accents, spaces, final dots, or in how a date, number or phone number is written."""
    first, second = _bare(one), _bare(other)
    if first == second or same_day(one, other):
        return True
    if _PHONE_NUMBER.fullmatch(first) and _PHONE_NUMBER.fullmatch(second):
        digits = [re.sub(r"[^\d+]", "", text) for text in (first, second)]
        return digits[0] == digits[1] and len(digits[0]) > 4
    return False


def says_less(value: str, known: str) -> bool:
    """True for a name of which the known value is the fuller form: `Priya` beside `Priya Raman`."""
    short, long = value.split(), known.split()
    if not 0 < len(short) < len(long) or not all(word[:1].isupper() for word in (*short, *long)):
        return False
    return {fold(word) for word in short} <= {fold(word) for word in long}


def holds_value(known: str, value: str) -> bool:
    """True where a known value, or one of those it lists, is this one."""
    return same_value(known, value) or any(
        same_value(part, value) for part in _CONJUNCTION.split(known) if part
    )


def same_field(one: str, other: str) -> bool:
    """True for names of one field: in any case, with hyphens or spaces, or two words for the same (`due date`, `deadline`)."""
    first, second = _spaced(one), _spaced(other)
    if first == second:
        return True
    nouns = [noun_of(field) or noun_of(spaced) for field, spaced in ((one, first), (other, second))]
    return nouns[0] is not None and nouns[0] == nouns[1]


def names_another(text: str, value: str, said: str) -> bool:
    """True where a text names something of the kind of a value that is not this value: another date, number, address or name.

    Args:
        text: what was said later.
        value: of a fact that was stated before.
        said: ISO date of the text, "" when unknown.
    """
    if _ISO_DAY.fullmatch(value) or (value[:2].strip().isdigit() and date_value(value, recurs=True)):
        return any(not same_day(day, value) for day in _days_in(text, said))
    if any(map(str.isdigit, value)):
        return any(found not in value for found in _NUMBER.findall(_GROUPED.sub("", text)))
    if "@" in value or "." in value.strip("."):
        return any(found.rstrip(".").lower() != value.lower() for found in _ADDRESS.findall(text))
    words = text.split()
    return len(words) <= _SHORT and any(fold(word) not in fold(value) for word in _CAPITAL.findall(text))


def _days_in(text: str, said: str) -> list[str]:
    """The dates that a text names, each as many words of it as make one."""
    words = [word.strip(".!?;:") for word in text.replace(",", " ").split()]
    found: list[str] = []
    at = 0
    while at < len(words):
        spans = ((count, date_value(" ".join(words[at : at + count]), said)) for count in (4, 3, 2, 1))
        count, day = next(((count, day) for count, day in spans if day), (1, ""))
        found.append(day)
        at += count
    return [day for day in found if day]


def misfit(value: str, type_: str, field: str) -> str:
    """Why a value cannot be of a type of the schema, or "" where it can: `'soon' is not a date`."""
    if type_ == "date":
        yearly = is_yearly(field) and date_value(value, recurs=True)
        return "" if _ISO_DAY.fullmatch(value) or yearly else f"'{value}' is not a date"
    if type_ not in _SHAPES:
        return ""
    shape, name = _SHAPES[type_]
    return "" if shape.fullmatch(value) else f"'{value}' is not {name}"


def _bare(value: str) -> str:
    text = value.replace("[[", "").replace("]]", "").replace("’", "'")
    return _GROUPED.sub("", " ".join(fold(text).split())).rstrip(".! ")


def _spaced(field: str) -> str:
    return " ".join(fold(field).replace("-", " ").replace("_", " ").split())
