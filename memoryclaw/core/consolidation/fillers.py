"""What says nothing worth keeping: greetings, thanks, yeses, heartbeats, bare tool calls; in English, German, French and Spanish.

The rule: only what is nothing but such words is a filler. One sentence with a word of its own makes an episode.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memoryclaw.core.consolidation.changes import Segment
from memoryclaw.core.consolidation.toolcalls import read_call
from memoryclaw.core.language import WORD, fold
from memoryclaw.core.model import Turn

_PERSONS = frozenset({"user", "human"})
_SILENT = re.compile(r"\W*(?:HEARTBEAT_OK|NO_REPLY|ANNOUNCE_SKIP|REPLY_SKIP)\W*")
_PROMPT = re.compile(r"HEARTBEAT(?:\.md|_OK)|\bheartbeat poll\b|\A\W*heartbeat\W*\Z", re.IGNORECASE)
# Placeholders for what is no text, and our own marks.
_PLACEHOLDER = re.compile(
    r"\[(?:image|audio|video|file|document|private|recalled memory)\]|\[REDACTED:[^\[\]]*\]"
)
# Whole phrases of words that may mean something elsewhere. Folded, without apostrophes.
_PHRASE_TEXT = """how are you|how are you doing|how are things|how is it going|hows it going|how have you been|how do you do|whats up|
whats new|anything new|long time no see|good to see you|great to see you|nice to see you|good to hear from you|great to hear from you|
nice to meet you|how can i help you|how can i help you today|how can i help|how can i assist you today|how can i assist you|how may i help you|what can i do for you|can i help you|
is there anything else i can help you with|is there anything else|anything else i can help with|anything else i can do for you|anything else|
let me know if you need anything|let me know if you need anything else|let me know if there is anything else|happy to help|glad to help|
glad i could help|i am here|im here|youre welcome|you are welcome|no problem|no worries|my pleasure|have a nice day|have a great day|have a good day|have a good one|
see you later|see you soon|see you tomorrow|see you then|talk to you later|talk to you soon|talk soon|take care|catch you later|good night|good morning|
good evening|good afternoon|sounds good|sounds great|looks good|looks great|that is great|thats great|thats good|thats fine|that is fine|
thats cool|thats awesome|thats amazing|thats perfect|thats right|thats it|that works|works for me|of course|for sure|got it|go ahead|go on|
i see|i agree|me too|same here|all good|all right|very good|very nice|well done|good job|good idea|i understand|understood|will do|
do it|it is ok|its ok|its fine|its great|not now|never mind|one moment|one second|hold on|just a moment|are you there|you there|thank you|thank you so much|thank you very much|
thanks a lot|thanks so much|many thanks|same to you|you too|fair enough|makes sense|as you wish|if you like|
wie geht es dir|wie geht es ihnen|wie gehts|wie geht es|wie gehts dir|mir geht es gut|mir gehts gut|und dir|und ihnen|was gibts neues|was kann ich fur dich tun|wie kann ich helfen|wie kann ich dir helfen|
guten morgen|guten tag|guten abend|gute nacht|schonen tag noch|schonen abend noch|einen schonen tag|bis bald|bis spater|bis morgen|bis dann|auf wiedersehen|
vielen dank|danke schon|danke sehr|danke dir|bitte schon|gern geschehen|kein problem|alles klar|alles gut|passt so|in ordnung|mach das|klingt gut|sehr gut|sehr schon|
na klar|ist gut|geht klar|
comment ca va|comment allez vous|comment vas tu|ca va|ca va bien|quoi de neuf|je vais bien|et toi|et vous|bonne journee|bonne soiree|bonne nuit|a bientot|a demain|a plus|a plus tard|au revoir|
merci beaucoup|de rien|je vous en prie|je ten prie|pas de probleme|pas de souci|dac|daccord|bien sur|tres bien|cest bon|cest parfait|ca marche|comment puis je vous aider|
como estas|como esta|como te va|que tal|que hay|muy bien|estoy bien|y tu|y usted|buenos dias|buenas tardes|buenas noches|hasta luego|hasta manana|hasta pronto|nos vemos|
muchas gracias|de nada|no hay problema|por supuesto|claro que si|esta bien|de acuerdo|en que puedo ayudarte"""
_WORD_TEXT = """hi hello hey heya hiya howdy yo morning evening afternoon greetings welcome bye goodbye cya later cheers ciao
ok okay okey k kk yes yeah yep yup ya no nope nah sure right correct exactly indeed absolutely definitely totally agreed agree fine good great nice cool
perfect awesome amazing wonderful excellent lovely super brilliant fantastic alright thanks thank thx ty tysm please pls sorry oops hm hmm mm mhm uh um ah aha oh ooh wow haha hahaha lol lmao
noted done understood roger gotcha well so then and but too very so much really just again there all everyone everybody guys ping test interesting congrats congratulations
hallo moin servus gruss grussgott tschuss tschau ja nein doch jo jep joa nee klar genau stimmt richtig gut super toll prima schon gern gerne danke bitte merci ach so aha okay passt perfekt morgen abend tag nacht wunderbar
bonjour bonsoir salut coucou oui non merci parfait super genial bien top voila exact entendu dac ouais
hola buenas adios si vale claro gracias genial perfecto bueno bien exacto listo porfa"""
_PHRASES = sorted({tuple(" ".join(p.split()).split(" ")) for p in _PHRASE_TEXT.replace("\n", "").split("|")}, key=len, reverse=True)  # fmt: skip
_STARTS: dict[str, list[tuple[str, ...]]] = {}
for _phrase in _PHRASES:
    _STARTS.setdefault(_phrase[0], []).append(_phrase)
_WORDS = frozenset(_WORD_TEXT.split())
_GREETING_TEXT = "hi hello hey heya hiya morning evening bye goodbye thanks thank you ok okay yes hallo moin servus danke bonjour bonsoir salut merci hola adios gracias"
_GREETINGS = frozenset(_GREETING_TEXT.split())
# Phrases that begin so are said to somebody, whose name may follow.
_HAIL_TEXT = "good great nice many thank thanks take have guten gute vielen danke einen schonen bonne merci buenos buenas muchas"
_HAILS = frozenset(_HAIL_TEXT.split())
_MOST = 24  # words: what is longer was meant to say something


def nothing_in(segment: Segment) -> str:
    """One sentence why a segment yields no episode; empty when it holds something."""
    if not any(turn.role or turn.name for turn in segment.turns):
        return "no line says who spoke" if segment.turns else "nothing was said"
    said = [turn for turn in segment.turns if turn.role != "tool"]
    spoken = [turn for turn in said if _spoken(turn.text)]
    if not spoken:
        return (
            "tool calls without a word of a person" if len(said) < len(segment.turns) else "nothing was said"
        )
    if all(is_heartbeat(turn) for turn in spoken):
        return "heartbeats only"
    left = [turn for turn in spoken if not is_heartbeat(turn) and turn.role != "system"]
    if not left:
        return "only notes of the system"
    names = frozenset(word for turn in segment.turns for word in _words(turn.name))
    if any(not is_filler(turn.text, names) for turn in left):
        return ""
    acted = len(said) < len(segment.turns) and any(turn.role in _PERSONS for turn in left)
    return "" if acted and _acts(segment.turns) else "only greetings and acknowledgements"


def is_heartbeat(turn: Turn) -> bool:
    """True for a host's regular question whether there is something to do, and for the answer that there is not."""
    if _SILENT.fullmatch(turn.text):
        return True
    if turn.role in ("assistant", ""):
        return "HEARTBEAT_OK" in turn.text and not turn.text.replace("HEARTBEAT_OK", "").strip(" \n.*`_")
    return _PROMPT.search(turn.text) is not None


def is_filler(text: str, names: Iterable[str] = ()) -> bool:
    """True for a text of nothing but greetings, thanks, yeses and the like.

    Args:
        text: what was said.
        names: folded words that only address somebody.
    """
    spoken = _spoken(text)
    found = _words(spoken)
    if len(found) > _MOST:
        return False
    known = frozenset(names)
    written = WORD.findall(spoken)
    at, hailed = 0, False
    while at < len(found):
        phrase = _phrase_at(found, at)
        step = phrase or int(found[at] in _WORDS or found[at] in known or (hailed and _is_name(written[at])))
        if not step:
            return False
        hailed = found[at] in (_HAILS if phrase else _GREETINGS)
        at += step
    return True


def _words(text: str) -> list[str]:
    return [fold(word).replace("'", "").replace("’", "") for word in WORD.findall(text)]


def _phrase_at(found: list[str], at: int) -> int:
    for phrase in _STARTS.get(found[at], ()):
        if tuple(found[at : at + len(phrase)]) == phrase:
            return len(phrase)
    return 0


def _is_name(written: str) -> bool:
    """A capitalised word right after a greeting is somebody's name: `Hi Pip`, `good night, Nora`."""
    return written[:1].isupper() and not written.isupper()


def _spoken(text: str) -> str:
    """The text without placeholders; empty when no letter or digit is left of it."""
    left = _PLACEHOLDER.sub(" ", text).strip()
    return left if WORD.search(left) else ""


def _acts(turns: Iterable[Turn]) -> bool:
    """True when a tool did something, rather than look something up."""
    return any(turn.role == "tool" and (call := read_call(turn.text)) and not call.looks_up for turn in turns)
