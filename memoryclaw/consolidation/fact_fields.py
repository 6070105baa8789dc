"""The fields of facts that people state in words: what each is called, what its values look like, and where it goes by default.

The rule: German and English words for one field give one field, so that a newer statement finds the older one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from memoryclaw.model import NOTHING
from memoryclaw.text.language import fold


class FieldNoun(NamedTuple):
    """What a word for a field stands for."""

    field: str
    kind: str  # date | day | email | phone | url | amount | name | person | place | title | text


# kind / field: words. A day recurs every year; a name, place or title has to look like one.
_WORDS = """
email / email: email|e-mail|mail|email address|e-mail address|mail address|mailadresse|e-mail-adresse|emailadresse
phone / phone: phone number|telephone number|phone|cell number|mobile number|number|mobile|cell|telefonnummer|handynummer|telefon|nummer
day / birthday: birthday|birth date|date of birth|geburtstag|geburtsdatum
day / anniversary: anniversary|wedding anniversary|hochzeitstag
date / deadline: deadline|due date|submission date|submission deadline|frist|abgabefrist|abgabetermin|abgabe|stichtag
date / launch date: launch date|launch|go-live|golive
date / release date: release date|release|veroffentlichung
date / start date: start date|starttermin|startdatum|kick-off|kickoff
date / end date: end date|enddatum
date / opening: opening|opening date|eroffnung
date / wedding: wedding date|wedding|hochzeit
date / delivery: delivery date|delivery|liefertermin|lieferung
date / appointment: appointment|termin
amount / budget: budget
amount / rent: rent|miete
amount / fee: fee|honorar
amount / price: price|preis
amount / salary: salary|gehalt
name / lead: lead|project lead|team lead|project manager|projektleiter|projektleiterin|projektleitung|leitung
name / owner: owner|besitzer|besitzerin|eigentumer|eigentumerin
name / client: client|customer|kunde|kundin|auftraggeber|auftraggeberin
name / contractor: contractor|bauunternehmer
name / supplier: supplier|lieferant
name / contact: contact|contact person|ansprechpartner|ansprechpartnerin
name / manager: manager|boss|supervisor|chef|chefin|vorgesetzter
name / doctor: doctor|gp|physician|hausarzt|hausarztin|arzt|arztin
name / dentist: dentist|zahnarzt|zahnarztin
name / landlord: landlord|landlady|vermieter|vermieterin
name / employer: employer|company|arbeitgeber|firma
name / bank: bank
name / school: school|schule
name / university: university|college|uni|universitat
person / wife: wife|frau|ehefrau
person / husband: husband|mann|ehemann
person / partner: partner|partnerin|spouse|fiance|fiancee|verlobte|verlobter|boyfriend|girlfriend|freundin
person / son: son|sohn
person / daughter: daughter|tochter
person / brother: brother|bruder
person / sister: sister|schwester
person / mother: mother|mom|mum|mutter
person / father: father|dad|vater
person / dog: dog|puppy|hund
person / cat: cat|kitten|katze|kater
person / best friend: best friend|bester freund|beste freundin
person / roommate: roommate|flatmate|mitbewohner|mitbewohnerin
name / assistant: assistant|assistent|assistentin
name / name: name
name / full name: full name
name / nickname: nickname|spitzname
place / hometown: hometown|home town|heimatstadt
place / city: city
place / country: country|home country
place / nationality: nationality|staatsangehorigkeit
place / native language: native language|mother tongue|first language|muttersprache
place / venue: venue|veranstaltungsort|treffpunkt|meeting point
title / job: job|profession|occupation|job title|day job|beruf
title / role: role|position|rolle
title / major: major|studienfach
text / address: address|home address|adresse|anschrift
text / timezone: timezone|time zone|zeitzone
text / blood type: blood type|blutgruppe
text / shoe size: shoe size|schuhgrosse
text / license plate: license plate|licence plate|number plate|kennzeichen
text / room: room number|zimmernummer|office number
text / username: username|user name|handle|benutzername
text / pronouns: pronouns|pronomen
text / allergy: allergy|allergies|allergie|allergien
text / diet: diet
text / phase: phase
text / status: status
text / version: version
text / port: port
text / size: size|grosse
url / website: website|homepage|webseite|web site
url / repository: repository|repo|git repo
"""

NOUNS = {
    word: FieldNoun(field.strip(), kind.strip())
    for line in _WORDS.strip().splitlines()
    for kind, field, words in [re.split(r" / |: ", line, maxsplit=2)]
    for word in words.split("|")
}
KIN = frozenset({
    "wife", "husband", "partner", "son", "daughter", "brother", "sister", "mother", "father", "dog", "cat", "roommate", "best friend",
})  # fmt: skip
# Where several values live side by side unless the schema says otherwise.
MANY = frozenset({
    "likes", "dislikes", "prefers", "allergy", "diet", "languages", "uses", "plays", "collects", "from now on", "always", "never", "son",
    "daughter", "brother", "sister", "dog", "cat",
})  # fmt: skip
_PREFERENCES = frozenset({"likes", "dislikes", "prefers", "uses", "from now on", "always", "never"})
_OF_PEOPLE = KIN | {
    "email", "phone", "birthday", "anniversary", "manager", "doctor", "dentist", "landlord", "employer", "school", "university", "name",
    "full name", "nickname", "called", "hometown", "nationality", "native language", "languages", "job", "role", "address", "timezone",
    "blood type", "shoe size", "pronouns", "allergy", "diet", "lives in", "works at", "works as", "from", "birthplace", "plays", "bank", "username",
    "feels", "location",
}  # fmt: skip
_LEADING = frozenset({
    "new", "current", "actual", "real", "official", "final", "exact", "next", "correct", "own", "the", "neue", "neuer", "neues",
    "neuen", "aktuelle", "aktueller", "endgultige", "richtige",
})  # fmt: skip
_QUALIFIERS = frozenset(
    {"work", "home", "private", "personal", "mobile", "office", "business", "emergency", "second", "main"}
)
_NO_FAVORITE = frozenset(
    {
        "part",
        "thing",
        "things",
        "one",
        "ones",
        "memory",
        "memories",
        "moment",
        "moments",
        "way",
        "bit",
        "time",
        "parts",
    }
)


def noun_of(words: str, declared: Mapping[str, str] = NOTHING) -> FieldNoun | None:
    """The field that some words stand for; None where they name none that is known.

    Args:
        words: as said, "new phone number".
        declared: further fields of the vault, by their folded name, with their kind.
    """
    parts = fold(words).split()
    while parts and parts[0] in _LEADING:
        del parts[0]
    plain = " ".join(parts)
    found = NOUNS.get(plain)
    if plain in declared and not (
        found and found.kind == "day"
    ):  # a schema has no word for a day of every year
        return FieldNoun(plain, declared[plain])
    if found:
        return found
    if len(parts) > 1 and parts[0] in _QUALIFIERS and (found := NOUNS.get(" ".join(parts[1:]))):
        return FieldNoun(f"{parts[0]} {found.field}", found.kind)
    return _favorite(plain, parts)


def _favorite(plain: str, parts: list[str]) -> FieldNoun | None:
    if len(parts) > 1 and parts[0] in {"favorite", "favourite"} and not _NO_FAVORITE & set(parts):
        return FieldNoun(f"favorite {' '.join(parts[1:])}", "text")
    return (
        FieldNoun(plain, "text")
        if len(parts) == 1 and plain.startswith("lieblings") and len(plain) > 10
        else None
    )


def is_preference(field: str) -> bool:
    """True for what someone likes or wants to have done."""
    return field in _PREFERENCES or field.startswith(("favorite ", "lieblings"))


def is_yearly(field: str) -> bool:
    """True for a day of every year, such as a birthday."""
    noun = noun_of(field)
    return noun is not None and noun.kind == "day"


def is_of_people(field: str) -> bool:
    """True for what is said of people and hardly of anything else."""
    return field.partition(" ")[2] in _OF_PEOPLE or field in _OF_PEOPLE
