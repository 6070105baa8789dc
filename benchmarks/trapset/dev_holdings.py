"""The words of the development half's vaults: nothing here stands in the held-out half."""

from __future__ import annotations

from trapset.dev_tongues import TONGUES
from trapset.holdings import Holdings, triples
from trapset.speech import lines, pairs

HOLDINGS = Holdings(
    seed=2207,
    year=2021,
    entities=lines("""
Copper Mill
Orchard Clinic
Harbour Radio
Blue Tram
Villa Serena
Kestrel School
Amber Bakery
Northern Choir
Puppet Attic
Saltworks
Glass Bridge
Juniper Press
Quarry Theatre
Mint Laundry
Falcon Courier
Old Granary
Tidal Pool
Velvet Cinema
Hazel Farm
Compass Hostel
Dragon Kiln
Echo Studio
Fern Nursery
Lotus Kitchen
"""),
    fields={
        "manager": lines(
            "Ilse Brandt\nOmar Haddad\nKatrin Vos\nPiotr Zych\nDelphine Roy\nSamuel Achebe\nRosa Lind\nViktor Hale"
        ),
        "opening hour": lines(
            "half past six\nseven sharp\neight o'clock\nhalf past nine\nten o'clock\nnoon\nquarter to eight\nquarter past ten"
        ),
        "rent": lines(
            "640 a month\n715 a month\n820 a month\n905 a month\n1,150 a month\n1,280 a month\n1,430 a month\n1,575 a month"
        ),
        "phone number": lines(
            "555 0134\n555 0177\n555 0182\n555 0219\n555 0246\n555 0281\n555 0312\n555 0359"
        ),
        "supplier": lines(
            "Marlow and Sons\nBaltic Trading\nGreenfield Goods\nOrion Wholesale\nHanseatic Store\nPinecrest Depot\nSummit Supply\nRiverside Stock"
        ),
        "password hint": lines(
            "first pet\ngreat aunt\nblue bicycle\nstreet of birth\nfavourite soup\nmiddle name\nold headmaster\nfirst concert"
        ),
    },
    now=lines("""
What is the {field} of {entity}?
{entity}: which {field} do we have?
Tell me the current {field} of {entity}.
What does the {field} of {entity} look like now?
I need the {field} for {entity}.
"""),
    then=lines("""
What was the {field} of {entity} in {month}?
Which {field} did {entity} have in {month}?
In {month}, what was the {field} of {entity}?
Tell me the {field} that {entity} had in {month}.
{entity} in {month}: which {field} was it?
"""),
    rumours=lines("""
On the phone somebody said that the {field} of {entity} is {value}.
Copied from an old leaflet: {entity}, {field} {value}.
We wrote {value} as the {field} into the form for {entity}.
"""),
    tagged=triples("""
beekeeping | The second hive swarmed at lunch; it hung in the cherry tree and went into a wine crate. | wine crate
woodturning | The bowl cracked when it dried. Next time seal the end grain and wait. | bowl
astronomy | Four moons of Jupiter through the small scope, seeing poor after midnight. | Jupiter
genealogy | The parish book of 1811 has him as Johann, son of a miller. | parish book
calligraphy | The broad nib spreads on the cheap pad; the cold pressed sheet holds. | nib
orienteering | Ran past control seven twice, lost four minutes in the marsh. | marsh
fermentation | The jar overflowed in the night. Leave three fingers of room, use a plate. | jar
birdwatching | A hoopoe on the mast at dawn, the first in six years. | hoopoe
sourdough | Too sour after fourteen hours at the window; take the fridge. | window
bookbinding | Linen thread, five stations, wheat paste under a brick until Monday. | linen thread
budgeting | We spent 212 less than planned, mostly because nobody ate out. | 212
physiotherapy | Three sets of twelve with the red band, stop when it stings. | red band
composting | The heap reached sixty degrees behind the shed and steamed. | shed
insurance | The window pane is covered, the frame is not; send two photos. | frame
taxes | The receipt for the chair counts if the room is used for work alone. | chair
mycology | Two ceps under the third larch, both with worms. | larch
"""),
    by_tag=lines("""
What do we know of {tag} and the {about}?
{tag} {about}
tag:{full} {about}
Which note on {tag} has the {about}?
"""),
    tag_decoys=lines("""
{Tag} again came up at dinner. Somebody recommended a book on {tag}, and a podcast on {tag}.
A list of courses: {tag}, first aid, dancing. The {tag} one is full.
Why do people like {tag}? Everyone at work talks about {tag} since the fair.
"""),
    nicknames=pairs("""
Copper Mill | the rusty one
Orchard Clinic | the bone doctors
Harbour Radio | the wheelhouse
Blue Tram | number nine
Villa Serena | grandmother's place
Kestrel School | the tower
Amber Bakery | the bun shop
Northern Choir | the Tuesday people
Puppet Attic | the string folk
Saltworks | the white hill
Glass Bridge | the slippery walk
Juniper Press | the ink cellar
Quarry Theatre | the stone stage
Mint Laundry | the soap corner
Falcon Courier | the fast lads
Old Granary | the mouse house
"""),
    by_nickname=lines("""
What is the {field} of {nick}?
Do we have a {field} for {nick}?
{nick}: {field}?
Which {field} did we write down for {nick}?
"""),
    people=lines(
        "Adaeze Nwosu\nBartosz Kilian\nChiara Valli\nDaan Mulder\nElif Sezer\nFinnian Ward\nGudrun Aas\nHenri Lacroix"
    ),
    meetings=pairs("""
roof | slate instead of tiles, before the frost
menu | two soups, no fish on Mondays
website | the map goes first, no music
bus line | a stop at the mill from May
garden wall | dry stone, knee high
exhibition | six rooms and no ropes
newsletter | once in a season, four pages
night shift | nobody alone after ten
"""),
    agreed=lines("""
We settled the {subject}: {agreed}.
The {subject} took an hour. Result: {agreed}.
About the {subject} it was said: {agreed}. All in favour.
"""),
    by_person=lines("""
What was agreed with {name} about the {subject}?
{name} and the {subject}: what came out?
When I met {name} for the {subject}, what did we settle?
What did {name} and we decide on the {subject}?
"""),
    linked=triples("""
Aunt Wilma | [[{target}|She]] keeps the spare fuse in the flour tin. | fuse
Cabin Lindgren | Slept at [[{target}|the hut]]; the stove needs a new door. | stove
Doctor Pell | [[{target}|He]] says to halve the drops from Sunday. | drops
Boat Marguerite | Scraped [[{target}|the hull]]; eleven blisters, none deep. | blisters
Street Fair | For [[{target}|that weekend]] we borrow nine benches from the church. | benches
Engine Book | As [[{target}|the manual]] has it, the belt is due at sixty thousand. | belt
Uncle Radek | With [[{target}|the old man]] up the tower: 211 steps. | steps
Kitchen Garden | [[{target}|Out there]] the slugs took the lettuce in one night. | lettuce
Winter Coat | The lining of [[{target}|it]] is torn below the pocket. | lining
Choir Trip | On [[{target}|the journey]] the tenor lost his passport. | passport
Language Exam | Passed [[{target}|it]] with eighty-one of a hundred points. | points
House Rules | According to [[{target}|these]] the cellar is locked at nine. | cellar
Piano Lessons | In [[{target}|these]] the left hand goes alone until June. | hand
Dog Pepper | [[{target}|This rascal]] ate a whole cheese and was sorry. | cheese
Train Pass | [[{target}|The card]] does not count before nine on weekdays. | weekdays
Blood Test | [[{target}|The sheet]] shows too little iron, again. | iron
"""),
    by_link=lines("""
{target}: what about the {about}?
What do we have on {target} and the {about}?
Something with the {about} and {target}?
What was noted of {target}, the {about}?
"""),
    link_decoys=lines("""
Call about {target}. Then {target} once more, and put {target} on the list.
{target} is mentioned in the calendar, nothing else to say of {target}.
"""),
    tongues=TONGUES,
)
