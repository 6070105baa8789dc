"""The sentences of the simulated year: facts as people tell, change and ask them, and the talk around them.

`{e}` is who or what a fact is about, `{v}` its value, `{old}` the value before. What is asked at the end of a month (`held`) is worded
otherwise than what is asked day by day (`asked`). Names and values are made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Kind(NamedTuple):
    """A field that facts have, and how it is talked about."""

    field: str
    about: str  # person | project | supplier | appointment | taste | thing
    values: str  # how values are made: see `plan.Values`
    tellings: tuple[str, ...]
    changed: tuple[str, ...]
    asked: tuple[str, ...]
    unheard: tuple[str, ...]
    mine: tuple[str, ...] = ()  # as the one whom it is about tells it
    weight: int = 2  # how many there are of it, beside others


KINDS = (
    Kind(
        "phone", "person", "phone", weight=3,
        tellings=(
            "{e}'s number is {v}", "you can reach {e} at {v}", "saved {e}'s mobile, it's {v}", "{e} - {v}, call before noon",
            "for {e} the phone is {v} not the office one", "if it burns, ring {e}: {v}", "got a text from {v}, that's {e}",
        ),
        mine=("my new number is {v}", "my phone is {v} in case you need it", "call me on {v} please, the other sim is for data"),
        changed=(
            "{e} has a new number, {v}", "{e} switched carrier, it's {v} from now on", "the old number of {e} is dead, use {v}",
            "scratch {old}, {e} is on {v} now", "{e} lost the phone in a lake lol. now {v}",
        ),
        asked=("what's {e}'s number", "I need to call {e}, which number?", "phone of {e}?", "give me {e}'s mobile"),
        unheard=("how do I get {e} on the phone", "which number do I dial for {e}", "can you text {e}, or do you lack the number"),
    ),
    Kind(
        "email", "person", "email",
        tellings=(
            "{e}'s email is {v}", "write to {e} at {v}", "{e} reads mail at {v}, not at the company one",
            "the mail for {e}: {v}", "invites for {e} go to {v}",
        ),
        mine=("my mail is {v}", "send it to {v}, that's me", "I only read {v} these days"),
        changed=(
            "{e} has another mail address now, {v}", "{old} bounces, {e} is at {v} now", "please use {v} for {e} from now on",
            "{e} left that provider, new mail {v}",
        ),
        asked=("what's {e}'s email", "which mail do I use for {e}", "{e}'s mail address?"),
        unheard=("where do I send the invitation for {e}", "I want to write to {e}, what goes in the To line"),
    ),
    Kind(
        "address", "person", "address",
        tellings=(
            "{e} lives at {v}", "{e}'s address is {v}, third floor, no lift", "parcels for {e} go to {v}",
            "dropped the chairs off at {e}'s, {v}", "{e} is at {v}, the bell says something else",
        ),
        mine=("we're at {v} since the summer", "my address is {v}", "post for me goes to {v}"),
        changed=(
            "{e} moved! it's {v} now", "{e} doesn't live at {old} any more, now {v}", "new address for {e}: {v}",
            "helped {e} move all day, fourth floor of course. {v} if you need it",
        ),
        asked=("where does {e} live", "{e}'s address?", "what's the street of {e} again"),
        unheard=("where would a parcel for {e} have to go", "I'm driving over to {e}, what do I put into the satnav"),
    ),
    Kind(
        "birthday", "person", "day",
        tellings=(
            "{e}'s birthday is on {v}", "{e} was born on {v} btw", "{e} has birthday {v}, no surprise party!!",
            "mark {v}, {e} turns old", "we celebrate {e} on {v}, every year the same cake",
        ),
        mine=("my birthday is on {v}", "I was born on {v}, so no meetings that day"),
        changed=("I had {e}'s birthday wrong, it's {v}", "not {old}. {e} was born on {v}"),
        asked=("when is {e}'s birthday", "what day was {e} born", "birthday of {e}?"),
        unheard=("when should I have a present ready for {e}", "on which date does {e} get a cake"),
    ),
    Kind(
        "allergy", "person", "allergy", weight=3,
        tellings=(
            "{e} is allergic to {v}", "careful, {e} can't have {v}, ends in hospital", "no {v} when {e} comes over",
            "{e} swells up from {v}, learned that the hard way", "{e} has an allergy: {v}",
        ),
        mine=("I'm allergic to {v}", "please never order anything with {v} for me, allergy", "can't do {v}, my throat closes"),
        changed=("turns out {e} is fine with {old}, it was {v} all along", "{e} got tested, it's {v}, not {old}"),
        asked=("what is {e} allergic to", "{e}'s allergy?", "anything {e} can't eat or touch?"),
        unheard=("we cook for {e} tonight, what must stay out of the kitchen", "what would make {e} ill"),
    ),
    Kind(
        "employer", "person", "company",
        tellings=(
            "{e} works at {v}", "{e} is at {v} now, something with logistics", "{e} started at {v} on monday",
            "{e} does the books for {v}", "ran into {e}, who works for {v} apparently",
        ),
        mine=("I work at {v}, three days a week", "I'm with {v} now"),
        changed=(
            "{e} quit {old} and is at {v} now", "{e} has a new job at {v}", "{e} isn't with {old} any more, it's {v}",
            "{v} hired {e}, can you believe it",
        ),
        asked=("where does {e} work", "which company is {e} at", "{e}'s employer?"),
        unheard=("who pays {e}'s salary", "what firm is on {e}'s business card"),
    ),
    Kind(
        "drink", "person", "drink",
        tellings=(
            "{e} only drinks {v}", "when {e} visits have {v} in the house", "{e}'s favourite drink is {v}",
            "{e} orders {v} every single time",
        ),
        mine=("my favourite drink is {v}", "for me it's always {v}"),
        changed=("{e} is off {old}, it's {v} now", "{e}'s new thing is {v}, no more {old}"),
        asked=("what does {e} like to drink", "{e}'s favourite drink?"),
        unheard=("what should I pour for {e}", "I'm at the bar getting one for {e}, what will it be"),
    ),
    Kind(
        "deadline", "project", "day", weight=4,
        tellings=(
            "the deadline for {e} is {v}", "{e} is due on {v}", "{e} has to be out by {v}", "we promised {e} for {v}",
            "deadline {e}: {v}. not a day later", "they want {e} finished by {v}, good luck to us",
        ),
        changed=(
            "{e} slipped, deadline is {v} now", "{e} moved from {old} to {v}", "new deadline for {e}: {v}",
            "they pulled {e} forward to {v}, great", "{e} isn't due on {old} any more, {v} instead",
        ),
        asked=("when is {e} due", "deadline of {e}?", "by when does {e} have to be done", "what date did we promise for {e}"),
        unheard=("how long do we still have for {e}, until which day", "when must {e} be handed over"),
    ),
    Kind(
        "lead", "project", "name", weight=3,
        tellings=(
            "{v} leads {e}", "the lead of {e} is {v}", "{e} is run by {v}", "ask {v} about {e}, it's her project",
            "{v} owns {e}, whatever the slides say",
        ),
        changed=(
            "{v} takes over {e} from {old}", "{e} has a new lead, {v}", "{old} is out of {e}, {v} runs it now",
            "from monday {v} is in charge of {e}",
        ),
        asked=("who leads {e}", "whose project is {e}", "who's in charge of {e} again"),
        unheard=("I have a complaint about {e}, to whom", "who decides things on {e}"),
    ),
    Kind(
        "budget", "project", "euros", weight=3,
        tellings=(
            "the budget of {e} is {v}", "{e} has {v} to spend", "we got {v} for {e}", "budget for {e}: {v}, all in",
            "{e} may cost {v}, not a cent more says the boss",
        ),
        changed=(
            "they cut the budget of {e} to {v}", "{e} gets {v} now instead of {old}", "budget {e} raised to {v}",
            "correction for {e}: the budget is {v}",
        ),
        asked=("what's the budget of {e}", "how much do we have for {e}", "{e} budget?"),
        unheard=("how expensive may {e} get", "what money was put aside for {e}"),
    ),
    Kind(
        "venue", "project", "venue",
        tellings=(
            "{e} meets in {v}", "the {e} workshop is at {v}", "we booked {v} for {e}", "the venue for {e} is {v}",
        ),
        changed=(
            "{old} cancelled on us, {e} is at {v} now", "{e} moves to {v}", "new venue for {e}: {v}, has heating",
        ),
        asked=("where does {e} meet", "venue of {e}?", "which place did we book for {e}"),
        unheard=("where do I have to go for the {e} people", "in which building is the {e} crowd"),
    ),
    Kind(
        "weekly call", "project", "time",
        tellings=(
            "the weekly call of {e} is at {v}", "{e} call: {v} every week", "we talk about {e} at {v} each tuesday",
            "the weekly for {e} starts {v} sharp",
        ),
        changed=("the {e} call moved to {v}", "weekly call of {e} is {v} now, {old} was too early for lisbon"),
        asked=("when is the weekly call of {e}", "what time do we talk about {e}"),
        unheard=("at what hour must I be at my desk for {e}", "when do the {e} people dial in"),
    ),
    Kind(
        "price", "supplier", "price", weight=3,
        tellings=(
            "{e} charges {v} an hour", "{e} takes {v} per hour plus travel", "the hourly rate of {e} is {v}",
            "paid {e} today, {v} an hour, ouch", "{e} wants {v} an hour and a coffee",
        ),
        changed=(
            "{e} raised prices, {v} an hour now", "{e} is at {v} now, was {old}", "the rate of {e} went to {v}",
            "haggled {e} down to {v} an hour haha",
        ),
        asked=("what does {e} charge", "hourly rate of {e}?", "how much is {e} an hour"),
        unheard=("what will an hour of {e} cost me", "is {e} expensive, what do they take"),
    ),
    Kind(
        "customer number", "supplier", "number",
        tellings=(
            "our customer number at {e} is {v}", "{e} wants the customer number every time: {v}",
            "customer no. with {e}: {v}", "for {e} we are number {v}, charming",
        ),
        changed=("{e} has a new system, our customer number is {v} now", "customer number at {e} changed to {v}"),
        asked=("what's our customer number at {e}", "which number are we with {e}"),
        unheard=("I'm on hold with {e} and they ask who we are in their files", "what do I type in as customer at {e}"),
    ),
    Kind(
        "contact", "supplier", "name", weight=3,
        tellings=(
            "our contact at {e} is {v}", "at {e} ask for {v}", "{v} from {e} is the only one who picks up",
            "talked to {v}, she handles us at {e}", "the person at {e} is called {v}",
        ),
        changed=(
            "{v} replaces {old} at {e}", "our new contact at {e} is {v}", "{old} left {e}, it's {v} now",
            "at {e} it's {v} from now on, {old} retired",
        ),
        asked=("who's our contact at {e}", "who do I ask for at {e}", "name of the person at {e}?"),
        unheard=("with whom do we deal over at {e}", "I'm writing to {e}, dear who"),
    ),
    Kind(
        "opens", "supplier", "opening",
        tellings=("{e} opens at {v}", "{e} opens at {v} on weekdays", "don't go to {e} before {v}, closed", "opening time of {e} is {v}"),
        changed=("{e} opens at {v} now", "winter hours at {e}: they open at {v}", "{e} doesn't open at {old} any more but at {v}"),
        asked=("when does {e} open", "opening time of {e}?"),
        unheard=("from when on can I go to {e}", "is {e} there in the morning, from what time"),
    ),
    Kind(
        "appointment", "appointment", "moment", weight=4,
        tellings=(
            "I have {e} on {v}", "{e} is on {v}, remind me", "got a slot for {e}: {v}", "my {e} is {v}",
            "they gave me {v} for {e}, only took 40 minutes on hold",
        ),
        changed=(
            "{e} got moved to {v}", "they called, {e} is {v} now instead of {old}", "{e} on {old} is off, new date {v}",
            "had to push {e} to {v}",
        ),
        asked=("when is my {e}", "what date is my {e}", "{e}, when was that again"),
        unheard=("which day do I have to keep free because of my {e}", "when do they expect me for the {e}"),
    ),
    Kind(
        "preference", "taste", "taste", weight=4,
        tellings=(
            "my {e} is {v}", "for {e} always take {v} please", "I like {v} for {e}", "{e}: {v}, just so you know",
            "if you ever have to choose a {e} for me, {v}",
        ),
        changed=(
            "I changed my mind about {e}, {v} please", "{e} is {v} from now on, not {old}", "no more {old} for {e}, {v} now",
        ),
        asked=("what's my {e}", "which {e} do I take", "you know my {e}?"),
        unheard=("remind me what I want when it comes to {e}", "fill in the form for me, line: {e}"),
    ),
    Kind(
        "place", "thing", "place", weight=3,
        tellings=(
            "{e} is in {v}", "put {e} into {v} so nobody finds it", "I keep {e} in {v}", "note to self, {e}: {v}",
            "for the record {e} lives in {v} now",
        ),
        changed=(
            "moved {e} to {v}", "{e} isn't in {old} any more, look in {v}", "{e} is in {v} now, kids found it",
        ),
        asked=("where is {e}", "where did I put {e}", "can't find {e}, any idea"),
        unheard=("I've been looking for {e} for an hour, where does it lie", "in what did I stash {e}"),
    ),
)  # fmt: skip

# Who knows a project besides its lead. It is not asked for itself: questions lead over it to what is known of that person.
BACKUP = Kind(
    "backup", "project", "",
    tellings=(
        "{v} is the backup for {e}", "the backup for {e} is {v}", "{v} knows {e} too, as backup", "backup on {e}: {v}",
        "if nobody answers about {e} there is {v} as backup",
    ),
    changed=(), asked=(), unheard=(),
)  # fmt: skip
OVER_BACKUP: Mapping[str, tuple[str, str]] = {  # as asked in the year, and at the end of a month
    "phone": ("number of the backup for {e}?", "which number do I dial for the one who is backup on {e}"),
    "email": ("mail of the backup for {e}?", "where do I write to the backup on {e}"),
    "address": ("where does the backup for {e} live", "parcel for the backup on {e}, which street"),
    "birthday": ("when was the backup for {e} born", "on which day does the backup on {e} get a cake"),
    "allergy": ("allergies of the backup for {e}?", "lunch with the backup on {e}, what may not be in it"),
    "employer": ("where does the backup for {e} work", "which company pays the backup on {e}"),
    "drink": ("what does the backup for {e} drink", "I'm getting a drink for the backup on {e}, which one"),
}

# ── Who and what

SPEAKERS = ("Maren", "Tobi", "Priya")  # the first asks most of the questions
AGENT = "Pip"
PEOPLE = (
    "Tobi", "Priya", "Jonas", "Marta", "Ludger", "Selma", "Anselm", "Yusuf", "Greta", "Henk", "Ilse", "Noor", "Rasmus", "Vera", "Bogdan",
    "Emeka", "Fenja", "Ginevra", "Hyun", "Katinka", "Lorcan", "Mirela", "Odile", "Pavel", "Quentin", "Sunniva", "Thies", "Ulla", "Wim", "Zora",
)  # fmt: skip
PROJECTS = (
    "Heron", "Bluebarn", "the Almanac", "Project Kestrel", "Saltworks", "Foghorn", "the tram exhibit", "Marzipan", "Quayside", "the Oster fair",
    "Pinecone", "Lanternfish", "the seed catalogue", "Halyard", "Windrow", "the spring brochure", "Copperline", "Ottermill",
)  # fmt: skip
SUPPLIERS = (
    "Brandt Roofing", "the Kolbe garage", "Lindqvist Print", "the vet in Ahlem", "Peukert Electric", "Dovetail Joinery", "the Rosen bakery",
    "Hoppe Scaffolding", "Sanna's nursery", "the piano tuner", "Weiss Glazing", "the Nord archive", "Tamm Logistics", "Juniper Catering",
    "the tile shop", "Okafor Tax", "Marsh Bicycles", "the sauna people",
)  # fmt: skip
APPOINTMENTS = (
    "dentist appointment", "eye test", "physio session", "passport appointment", "notary appointment", "car inspection", "blood test",
    "parents' evening", "mortgage talk", "chimney sweep visit", "hearing test", "swimming exam", "ultrasound", "piano recital", "job interview",
    "boiler service",
)  # fmt: skip
TASTES: Mapping[str, tuple[str, ...]] = {
    "coffee order": ("a cortado with oat milk", "a double ristretto", "filter coffee with cardamom"),
    "seat on planes": ("the aisle near the exit row", "a window behind the wing"),
    "pizza topping": ("capers and red onion", "pear with gorgonzola"),
    "hotel pillow": ("buckwheat hulls", "the thin foam one"),
    "reading font": ("Atkinson at 16 points", "Literata at 14 points"),
    "note format": ("numbered lists", "one short paragraph"),
    "tea": ("smoky lapsang", "genmaicha without sugar"),
    "running shoe": ("the Altra Torin in 41", "the Hoka Mach in 41 and a half"),
    "meeting length": ("25 minutes at most", "50 minutes with a break"),
    "paint for walls": ("chalky sage", "warm ochre", "pale cornflower"),
    "bike saddle": ("the Brooks B17", "the Fizik Aliante"),
    "lunch bread": ("seeded rye", "spelt sourdough"),
    "greeting in mails": ("Moin and the first name", "Good day and the surname"),
    "keyboard layout": ("Neo 2", "Colemak DH"),
    "train class": ("first class in the quiet coach", "second class by the bistro"),
    "ringtone": ("the marimba one", "a plain bell"),
}
THINGS = (
    "the spare key", "the drill bits", "the birth certificates", "the tent pegs", "the fondue set", "the good scissors", "the fuse box key",
    "the christmas lights", "the backup disk", "the sewing kit", "the ski passes", "the warranty papers", "the bike pump", "the label maker",
    "the vaccination card", "the cello rosin",
)  # fmt: skip
PLACES = (
    "the blue biscuit tin", "the left drawer of the sideboard", "the shed behind the paint", "the green suitcase", "the piano stool",
    "the attic, box 7", "the bread maker", "the hall cupboard, top shelf", "the boot of the car", "a shoebox under the bed", "the cellar, by the jam",
    "the desk with the squeaky leg", "the laundry basket", "the old aquarium", "the umbrella stand", "the red toolbox", "the guest room wardrobe",
    "the glove compartment", "the spice rack", "the window seat", "the wine crate", "the filing cabinet, third drawer", "the camping stove bag",
    "the sugar jar", "the flower pot by the door", "the record shelf behind Satie", "the broken microwave", "the tea chest", "the hat box",
    "the cutlery tray", "the canoe", "the doll house", "the coal bucket", "the mailbox", "the sledge bag",
)  # fmt: skip
ALLERGIES = (
    "cashews", "shellfish", "penicillin", "celery", "lupin", "wasp stings", "birch pollen", "kiwi", "latex", "mustard", "sesame", "peaches",
    "horse hair", "hazelnuts", "buckwheat", "ibuprofen", "soy milk", "paprika", "mango", "nickel", "cat dander", "poppy seeds", "sulphites",
    "codeine", "egg white", "fenugreek", "rye flour", "squid", "apricots", "pistachios", "aspirin", "ragweed",
)  # fmt: skip
DRINKS = (
    "rhubarb spritzer", "ginger beer", "birch water", "tonic with rosemary", "black currant juice", "rooibos with milk", "dry cider", "kefir",
    "hot lemon", "alcohol free stout", "elderflower soda", "verbena tea", "buttermilk", "quince schorle", "cold brew", "sea buckthorn juice",
    "tomato juice", "malt coffee", "white port", "mate tea", "sparkling water with mint", "hibiscus tea",
)  # fmt: skip
COMPANIES = (
    "Nordwerk", "Tallow and Reed", "Hafenkontor", "Brightwell Labs", "the Ostmark clinic", "Ferrum Castings", "Lumen Dairy", "Kranich Verlag",
    "Stellwerk", "Harbour Mutual", "Beckmann Seeds", "Oriel Optics", "Gezeiten Energy", "Plinth Museum", "Rapsfeld", "Velmark", "Corvid Games",
    "the Deister railway", "Anchor Cheese", "Papyrus Office", "Solveig Boats", "Mohnblum Pharma", "Tidewater Insurance", "Zinnober Film",
    "Eichkamp School", "Parallax Maps", "Grünspan Copper", "Holm Timber",
)  # fmt: skip
STREETS = (
    "Larch Row", "Kanalstrasse", "Old Mill Lane", "Fasanenweg", "Harbour Street", "Lindenallee", "Chapel Hill", "Amselgrund", "Foundry Road",
    "Birkenstieg", "Castle Terrace", "Deichweg", "Nightingale Close", "Torfkuhle", "Orchard Bank", "Schleusenufer", "Quarry View", "Heidekamp",
)  # fmt: skip
VENUES = (
    "the Old Customs House", "room Rosalind", "the Fischhalle", "the choir loft", "Studio Nine", "the glass pavilion", "the scout hut",
    "the Kettle Works", "the town library, floor 2", "the boat club", "the Mensa annex", "the gymnasium in Linden", "the print museum",
    "the Lotus room", "the tram depot", "the chess cafe", "the Ballroom Ost", "the bishop's barn",
)  # fmt: skip
FIRST_NAMES = (
    "Adaeze", "Birger", "Cosima", "Dorte", "Eilidh", "Fabrice", "Gudrun", "Hamza", "Isolde", "Jarek", "Kaveh", "Leocadia", "Mbali", "Njord",
    "Orsolya", "Petronella", "Radka", "Sander", "Tuuli", "Urszula",
)  # fmt: skip
LAST_NAMES = (
    "Abendroth", "Birkeland", "Czerny", "Dunmore", "Eskola", "Fährmann", "Gallo", "Hrdlicka", "Ibekwe", "Jessop", "Kivela", "Lachmann",
    "Moravec", "Nyström", "Ogilvie", "Pedrini", "Quast", "Rinaldi", "Szabo", "Tveit",
)  # fmt: skip
MAILS = ("posteo.example", "kontor.example", "mailbox.example", "fjord.example", "heidepost.example")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip

# ── The talk around them

OBJECTS = (
    "printer", "dishwasher", "router", "spreadsheet", "newsletter", "invoice template", "coffee machine", "parking app", "greenhouse", "slide deck",
    "neighbour's drone", "calendar sync", "garden gate", "projector", "tax form", "bread dough", "gutter", "scanner", "playlist", "ticket machine",
)  # fmt: skip
TOPICS = (
    "sourdough", "the tram strike", "compost", "that podcast about eels", "rain in the cellar", "the school play", "a rug that sheds", "old maps",
    "sleeping badly", "the election posters", "roof tiles", "a film with too many dragons", "crosswords", "the flea market", "knitting", "moths",
    "noise from the bar downstairs", "how to fold fitted sheets", "swimming in october", "the price of butter",
)  # fmt: skip
FEELINGS = (
    "and I am done with it", "help", "so that was my morning", "not complaining, just saying", "any idea?", "it's always on fridays", "whatever",
    "made me laugh though", "and it smells", "which is fine", "but nobody asked me", "and now I need chocolate", "I could scream", "we survived",
)  # fmt: skip
CHAT = (
    "the {object} is acting up again, {feeling}", "what do you think about {topic}", "I read something on {topic}, {feeling}",
    "can you explain {topic} like I'm five", "spent two hours on the {object}, {feeling}", "good morning", "long day, {feeling}",
    "if we ever buy another {object} stop me", "someone at work said {topic} is the future, {feeling}", "write me a limerick about {topic}",
    "how do other people deal with {topic}", "the {object} made a noise like a goose, {feeling}", "ok back. where were we",
    "quick question, is {topic} a normal thing to talk about at dinner", "my mother called about {topic}, {feeling}",
    "should I repair the {object} or throw it out", "two ideas for a talk on {topic} please, short ones",
    "the {object} works if you hit it, {feeling}", "remember when we argued about {topic}? I was right", "I can't look at the {object} any more",
    "translate 'the {object} is broken' into portuguese please", "what rhymes with {object}", "dreamt of {topic}, {feeling}",
    "{topic} came up in the meeting for the third time, {feeling}", "give me one reason to care about {topic}",
    "make this nicer: your {object} is late and we are not amused", "hm", "ok", "thanks, that helps", "never mind about the {object}",
    "do we need a plan for {topic} or can it wait", "I said yes to {topic} without thinking, {feeling}",
    "what would you cook with what's left: eggs, leek, half a lemon", "kids are finally asleep, {feeling}",
    "is it me or is the {object} slower since the update", "could you shorten this: we regret that the {object} was not delivered in time",
)  # fmt: skip
REPLIES = (
    "That sounds tiring. Do you want to go through it step by step?", "Let us start with the simplest thing: switch it off and on.",
    "Here is a short version you could use.", "Most people I know of would wait a day and look again.", "Of course.", "I can do that.",
    "There are two schools of thought on this, and both are loud.", "You could try it small first and see.", "Happy to help with that.",
    "I would keep it to three sentences and leave the rest out.", "Noted, tell me when you want to continue.", "Good question.",
    "It depends on how much time you have this week.", "I have put a draft together; change whatever sounds unlike you.",
    "That happens more often than you would think.", "Let me know how it goes.",
)  # fmt: skip
DRAFTS = (
    "Here is a draft: Dear all, thank you for your patience with the {object}. A new version will come soon; please use the old one. Kind regards",
    "A few thoughts on {topic}: first, decide what you want from it. Second, give it half an hour a week. If it still annoys you then, drop it.",
    "Short answer: yes. Longer answer: the {object} was never made for this, so expect to fiddle with it, and keep the receipt.",
)  # fmt: skip
NOTED = (
    "Noted.", "Got it.", "Thanks, I have that.", "Okay, noted.", "Good to know.", "Understood, I will remember that.",
    "Got it, {v}.", "Noted: {v}.", "Thanks. {v}, then.",
)  # fmt: skip
LEADS = (
    "btw ",
    "oh and ",
    "fyi ",
    "before I forget, ",
    "also ",
    "ok so ",
    "one more thing, ",
    "",
    "",
    "",
    "",
    "",
    "",
)
JOINS = (". also ", ", and ", ". oh and ", " - and ", ". btw ")
ASKING = ("", "", "", "quick one, ", "hey ", "sorry, ", "one sec, ", "help me out, ")
ANSWERS = ("It is {v}.", "{v}.", "That would be {v}.", "You told me: {v}.", "I have {v} here.")
UNKNOWN = (
    "I do not have that, sorry.",
    "I could not find that in what you told me.",
    "I am not sure; nothing I have says so.",
)
THANKS = ("thx", "great, thanks", "perfect", "ok", "good, thank you", "ta")
WRONG = ("no, it's {v}", "that's old. {v}", "hm no, {v}. I told you", "wrong, it's {v} now")
TELL_AGAIN = ("ok then keep it this time: {again}", "{again}", "for next time: {again}")
SELF_CORRECTED = ("{wrong}. no wait, {v}", "{wrong}, sorry, I mean {v}", "{wrong} - scratch that, {v}")
CONTRADICTED = ("{told}", "{told}, at least that's what I heard", "I'm fairly sure {told}")
UPDATES = ("update, ", "correction: ", "things change, ", "forget what I said, ")
SETTLED = (
    "checked it, {told}", "asked around: {told}", "to settle this: {told}", "definitely, {told}",
)  # fmt: skip
JOURNAL = (
    "Rain all day. We talked about {topic} until nobody wanted to any more.", "Bought a new {object}. Regret may follow.",
    "Idea for later: something on {topic}, with pictures.", "The {object} again. I will write down what I did this time.",
    "Quiet day, mostly {topic}.", "Long walk. Thought about {topic} and decided nothing.",
)  # fmt: skip
TOOLS = (
    ("calendar_search", "when", "3 entries"), ("web_search", "q", "7 results; the first is an advertisement"), ("todo_add", "text", "id 41"),
    ("file_read", "path", "412 lines"), ("mail_draft", "to", "draft saved"), ("weather", "place", "11 degrees, light rain"),
)  # fmt: skip
