"""How firmly and for how long a sentence states something: questions, suppositions, doubts, denials, and what is true for the moment only.

The rule: in doubt a statement counts less, never more.
"""

from __future__ import annotations

import re

_SUPPOSES = re.compile(
    r"\b(?:if|unless|would|i'd|you'd|he'd|she'd|we'd|they'd|wouldn't|could|couldn't|might|may be|should|shouldn't|suppose|supposing|imagine"
    r"|pretend|what if|whether|let's say|wish|falls|wenn|würdest?|würden?|könnten?|sollten?|wäre|hätte|ob|angenommen|stell dir vor)\b",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:i think|i guess|i suppose|i believe|i assume|i suspect|i hope|hopefully|maybe|perhaps|probably|possibly|apparently|supposedly|allegedly"
    r"|reportedly|presumably|seems?|seemed|sounds? like|looks? like|as far as i know|afaik|if i (?:remember|recall)|not sure|unsure|no idea"
    r"|i heard|rumou?r|kidding|joking|just a joke|nur spaß|nur ein scherz|kind of|kinda|sort of|sorta|roughly|likely|ich glaube|glaube ich|ich denke|denke ich|ich vermute|ich hoffe|hoffentlich"
    r"|vielleicht|wahrscheinlich|vermutlich|möglicherweise|angeblich|anscheinend|offenbar|wohl|soweit ich weiß|nicht sicher|eventuell|scheint"
    r"|soll wohl|ungefähr)\b",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"\b(?!i\b|ich\b)[^\W\d_]+(?:'s)?,? (?:said|says|told|tells|claims?|claimed|mentioned|mentions|thinks|believes|wrote|writes|texted|announced"
    r"|sagte|sagt|meinte|meint|erzählte|erzählt|behauptet|behauptete|schrieb|schreibt|glaubt|denkt)\b"
    r"|\b(?:according to|laut) ",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|never|no longer|neither|nor|none|isn't|aren't|wasn't|weren't|won't|don't|doesn't|didn't|hasn't|haven't|can't|cannot|ain't|nicht"
    r"|kein|keine|keinen|keinem|keiner|nie|niemals|used to|früher|formerly|ehemalig\w*)\b",
    re.IGNORECASE,
)
_MOMENT = re.compile(
    r"\b(?:right now|at the moment|for now|for the moment|today|tonight|this (?:morning|afternoon|evening|week|weekend|time)|just now|momentarily"
    r"|temporarily|for (?:a|the next) (?:bit|while|few|couple)|for the (?:day|weekend|week|night)|gerade|im moment|momentan|zurzeit|derzeit|heute"
    r"|vorläufig|vorübergehend|diese woche|so far)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:no|nope|nah|sorry|correction|corrected|actually|wait|oops|whoops|my mistake|my bad|i meant|i mean|it's now|it is now|it’s now|still|rather|instead|not"
    r"|wrong|nein|doch|entschuldigung|quatsch|korrektur|ich meinte|ich meine|vielmehr|eigentlich|nicht|falsch|es ist jetzt)\b",
    re.IGNORECASE,
)
_JESTS = re.compile(
    r"\b(?:kidding|joking|just a joke|scratch that|strike that|(?:ignore|forget) (?:that|it|what i said)|i take (?:that|it) back|vergiss das|nur spaß|war (?:ein )?(?:scherz|spaß))\b",
    re.IGNORECASE,
)
_LAUGH = (
    r"(?:(?<!\w)(?:lol+|lmf?ao+|rofl|(?-i:jk|JK(?! [A-Z]))|j/k|b?(?:ha){2,}h?|(?:he){2,}|(?:hi){2,}|(?:hö){2,})(?!\w)"
    r"|(?<!\S)(?:/[sj]|:-?p|(?-i:x[dD]))(?![\w/])|;-?\)|[😂🤣😆😉😜😝🙃])"
)
_LAUGHS = re.compile(_LAUGH, re.IGNORECASE)
_LAUGHS_AT_ONCE = re.compile(rf"\W*?{_LAUGH}", re.IGNORECASE)
_REMEMBER = re.compile(
    r"^(?:(?:please|and|also|ok|okay|just|bitte|und|can you|could you|kannst du)[, ]+)*"
    r"(?:(?:remember|note|keep in mind|bear in mind|don't forget|do not forget|make a note|take note|for the record|fyi|for your information"
    r"|just so you know|note to self|save this|merk(?:e)? dir|vergiss nicht|denk dran|notier(?:e)?|nur damit du es weißt|zur info)"
    r"(?:[,:]? (?:that|this|dass|bitte))*[,:]?\s+)(?!when\b|how\b|the time\b|to\b|als\b|wie\b|zu\b)",
    re.IGNORECASE,
)


def asks(sentence: str) -> bool:
    """True for a question: it states nothing."""
    return sentence.rstrip("\"'”’») ").endswith(("?", "？"))


def supposes(words: str) -> bool:
    """True for what is wished or only supposed: it states nothing either."""
    return _SUPPOSES.search(words) is not None


def is_doubtful(words: str) -> bool:
    """True for what is said with a hedge, or told of others' words."""
    return _DOUBTS.search(words) is not None or _REPORTS.search(words) is not None


def denies(words: str) -> bool:
    """True for what is said not to be so, or not any more."""
    return _DENIES.search(words) is not None


def is_momentary(words: str) -> bool:
    """True for what holds for the moment only."""
    return _MOMENT.search(words) is not None


def corrects(words: str) -> bool:
    """True for words that may put something else in the place of what was said before."""
    return _CORRECTS.search(words) is not None


def jests(words: str) -> bool:
    """True for words that take back what was said before."""
    return _JESTS.search(words) is not None


def laughs(words: str) -> bool:
    """True for words with a laugh or a wink among them: what they say may be a joke."""
    return _LAUGHS.search(words) is not None


def without_laughs(words: str) -> str:
    """The words without what only laughs or winks."""
    return _LAUGHS.sub("", words)


def laughs_at_once(words: str) -> bool:
    """True for words that begin with a laugh or a wink: what was said before them may be a joke."""
    return _LAUGHS_AT_ONCE.match(words) is not None


def believed(confidence: str, role: str) -> str:
    """How much a statement counts: "high" is for persons alone."""
    return "medium" if role != "user" and confidence == "high" else confidence


def without_moment(words: str) -> str:
    """The words without those that say that they hold for the moment only."""
    return " ".join(_MOMENT.sub(" ", words).split())


def remembered(sentence: str) -> str:
    """What stands behind "remember that"; "" where nothing is asked to be remembered."""
    hit = _REMEMBER.match(sentence)
    return sentence[hit.end() :] if hit else ""
