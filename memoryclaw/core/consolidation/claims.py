"""Facts that the lines of a segment state, found by patterns: no model, few and sure rather than many.

The rule: a claim quotes the sentence that states it; who may be believed is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from memoryclaw.core.consolidation.changes import LEVELS, Claim, Segment
from memoryclaw.core.consolidation.claimrules import HABITS, NAMED, OF_OTHERS, OWNED, SPOKEN, WISHES, Rule
from memoryclaw.core.consolidation.claimvalues import cut, is_identifier, is_name, kind_of, may_name, value_of
from memoryclaw.core.consolidation.durability import (
    believed,
    corrects,
    denies,
    is_doubtful,
    is_momentary,
    jests,
    remembered,
    supposes,
    without_moment,
)
from memoryclaw.core.consolidation.factfields import KIN, MANY, Noun, noun_of
from memoryclaw.core.consolidation.plain import plain_key, plain_value
from memoryclaw.core.consolidation.statements import Statement, statements
from memoryclaw.core.consolidation.valuechecks import names_another, same_value
from memoryclaw.core.consolidation.wording import is_light, is_small, plain, sentences
from memoryclaw.core.dates import parse_timestamp
from memoryclaw.core.entities import candidates, key_of, keys_of, select
from memoryclaw.core.language import words_of
from memoryclaw.core.model import NOTHING, Turn
from memoryclaw.core.secretnames import NEAR

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
    reader = _Reader(segment, names, fields)
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


class _Reader:
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
            noun = Noun(kind_of(value), "contact")
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
    ) -> tuple[_Who | None, Noun | None]:
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

    def _noun(self, rule: Rule, words: str, who: _Who | None, statement: Statement) -> Noun | None:
        if rule.kind and rule.field:
            return Noun(rule.field, rule.kind)
        noun = noun_of(words, self._fields)
        if rule.kind:
            return Noun(noun.field, rule.kind) if noun else None
        if noun or who is None or not who.sure or not _OPEN.fullmatch(words) or _is_secret(words):
            return noun
        is_open = statement.stressed or (rule.who == "name" and self._known(who.name))
        return Noun(words.lower(), "told" if statement.stressed else "open") if is_open else None

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

    def _value(self, words: str, noun: Noun, said: str) -> str:
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


def _is_stated(statement: Statement, noun: Noun, groups: Mapping[str, str | None]) -> bool:
    """False for what is denied or only supposed, and for `the office is at …`, which names a place and not the value."""
    if denies(statement.text) and noun.field not in _DENYING:
        return False
    if groups.get("on") and noun.kind not in ("date", "day", "amount"):
        return False
    return not supposes(remembered(statement.quote) or statement.quote)


def _is_choice(words: str, noun: Noun) -> bool:
    return noun.kind not in ("taste", "choice", "order", "never") and _OR.search(cut(words)) is not None


def _is_secret(field: str) -> bool:
    return any(near in field.lower() for near in NEAR)


def _level(who: _Who, noun: Noun, value: str, statement: Statement, *, open_form: bool) -> str:
    if is_doubtful(statement.quote):
        return "low"
    vague = open_form and noun.kind in ("text", "title") and len(value.split()) == 1 and value.islower()
    sure = (
        who.sure and noun.kind not in ("open", "told") and noun.field not in ("always", "never") and not vague
    )
    return "high" if sure or statement.stressed else "medium"
