"""The words of the held-out half's vaults: nothing here stands in the development half. Tune nothing on it."""

from __future__ import annotations

from trapset.held_tongues import TONGUES
from trapset.holdings import Holdings, triples
from trapset.speech import lines, pairs

HOLDINGS = Holdings(
    seed=9461,
    year=2019,
    entities=lines("""
Silver Anchor
Meadow Dental
Beacon Television
Red Funicular
Casa Moro
Heron College
Cinnamon House
Southern Brass
Marionette Loft
Chalk Works
Iron Footbridge
Thistle Books
Canyon Opera
Lemon Dry Cleaning
Swift Parcel
Stone Barn
Lido Marina
Ruby Ballroom
Willow Ranch
Meridian Hotel
Phoenix Foundry
Sonar Lab
Moss Gardens
Saffron Canteen
"""),
    fields={
        "director": lines(
            "Ingrid Falk\nTariq Aziz\nLudmila Benes\nHugo Prat\nCeline Aubert\nKwame Mensah\nAntonia Ruiz\nStellan Berg"
        ),
        "closing time": lines(
            "five sharp\nhalf past five\nsix in the evening\nquarter to seven\nseven at night\nhalf past eight\nmidnight\nquarter past four"
        ),
        "membership fee": lines(
            "18 euros\n24 euros\n29 euros\n33 euros\n41 euros\n47 euros\n52 euros\n60 euros"
        ),
        "locker code": lines("4471\n5820\n6093\n7316\n8254\n9107\n3368\n2945"),
        "insurer": lines(
            "Aldgate Mutual\nVistula Cover\nMontblanc Assurance\nBluewater Life\nOaktree Union\nPrairie Shield\nCastle General\nTerra Nova"
        ),
        "wifi name": lines(
            "pelican\nbutterfly net\nquiet corner\nthird floor\nsugar cube\nmoonlight\npaper boat\nbrass monkey"
        ),
    },
    now=lines("""
Which {field} does {entity} have these days?
How is the {field} at {entity} today?
Remind me of the {field} at {entity}.
The {field} at {entity}, please.
What did we last note as {field} at {entity}?
"""),
    then=lines("""
Back in {month}, which was the {field} at {entity}?
How did the {field} at {entity} stand in {month}?
As of {month}, what about the {field} at {entity}?
What had {entity} as its {field} in {month}?
During {month} the {field} at {entity} was what?
"""),
    rumours=lines("""
A visitor claims {value} for the {field} at {entity}.
The brochure on the fridge has {entity} with {value} as {field}.
Somebody scribbled: {entity}, {field}, {value}.
"""),
    tagged=triples("""
pottery | The glaze ran over the foot and glued the vase to the shelf of the kiln. | vase
archery | Grouping moved left after the new string, two fingers at thirty metres. | string
chess | Lost the rook to a fork in the endgame, again after move forty. | rook
meteorology | Eleven millimetres in the gauge, most of it between four and five. | gauge
typography | The thin strokes fill in on newsprint; open the counters a little. | newsprint
sailing | Reefed too late off the cape, broke a batten. | batten
cheesemaking | The curd was cut too fine and the wheel stayed wet for a week. | wheel
falconry | She came back to the glove at the third whistle, light at nine hundred grams. | glove
marathon | Thirty kilometres in the heat, a gel every forty minutes, cramps at the tunnel. | tunnel
embroidery | The satin stitch puckers without a hoop; use the small one. | hoop
pension | The letter says 212 points, two years of studies are missing. | studies
allergies | Hazel pollen from January, the drops help more than the pills. | drops
plumbing | The trap under the sink is cracked, a bucket stands there. | bucket
visa | They want two photos, a letter of the host and the flight out. | photos
electronics | The capacitor next to the relay had a swollen top. | relay
geology | Garnets in the schist above the waterfall, small as pepper. | waterfall
"""),
    by_tag=lines("""
Anything filed under {tag} that concerns the {about}?
{about}, {tag}
{about} tag:{full}
Show my {tag} entry with the {about}.
"""),
    tag_decoys=lines("""
Overheard on the train: {tag}, {tag} and nothing but {tag}.
{Tag} is a good word for the crossword, the teacher said; {tag} has many letters.
The fair had stalls for {tag}, honey and old maps. The {tag} stall was empty.
"""),
    nicknames=pairs("""
Silver Anchor | the drowned sailor
Meadow Dental | the tooth folk
Beacon Television | the flicker box
Red Funicular | the slow climber
Casa Moro | grandfather's ruin
Heron College | the long corridor
Cinnamon House | the spice den
Southern Brass | the loud bunch
Marionette Loft | the wooden heads
Chalk Works | the dusty yard
Iron Footbridge | the rattling path
Thistle Books | the paper cave
Canyon Opera | the echo hall
Lemon Dry Cleaning | the steam room
Swift Parcel | the van people
Stone Barn | the owl palace
"""),
    by_nickname=lines("""
Which {field} belongs to {nick}?
I forgot the {field} at {nick}.
{field} at {nick}
At {nick}, how is the {field}?
"""),
    people=lines(
        "Yaw Boateng\nNadia Kowal\nEnzo Ferrante\nMaud Janssen\nDeniz Aksoy\nOrla Keane\nLeif Torgersen\nSolange Petit"
    ),
    meetings=pairs("""
kitchen floor | cork, laid by our own hands
programme | three plays, none longer than an hour
logo | the bird stays, the ring goes
parking | twelve places, two for wheelchairs
well | clean it in August, new lid
lecture series | once a month, free of charge
annual report | forty pages and no photographs
front desk | two people until nine
"""),
    agreed=lines("""
Conclusion on the {subject}: {agreed}.
Long debate over the {subject}; in the end {agreed}.
As for the {subject}, this is final: {agreed}.
"""),
    by_person=lines("""
How did the talk with {name} on the {subject} end?
My talk with {name}, {subject}: what is final?
{subject}, with {name}: which conclusion?
Where did {name} and I land on the {subject}?
"""),
    linked=triples("""
Cousin Edda | [[{target}|That girl]] sold the kayak and bought a drum. | kayak
Chalet Bruno | In [[{target}|our den]] the chimney draws badly with east wind. | chimney
Nurse Okoye | [[{target}|Our angel]] changed the bandage twice. | bandage
Ferry Aurora | Aboard [[{target}|the old lady]] we paid for two bicycles. | bicycles
Harvest Ball | At [[{target}|the dance]] the accordion player broke a key. | player
Car Manual | See [[{target}|the booklet]]: oil of grade thirty in winter. | oil
Grandpa Milos | To [[{target}|the captain]] we owe a bottle of plum brandy. | brandy
Herb Spiral | On [[{target}|the heap of stones]] thyme outlived the sage. | thyme
Wedding Dress | The hem of [[{target}|the treasure]] is two fingers too long. | hem
School Outing | After [[{target}|the day out]] one boot was missing. | boot
Driving Test | At [[{target}|the ordeal]] I stalled on the hill, once. | hill
Attic Inventory | By [[{target}|the list]] there are four trunks. | trunks
Singing Circle | For [[{target}|the evenings]] we copy nine sheets. | sheets
Cat Nero | [[{target}|His majesty]] refuses the new biscuits. | biscuits
Library Card | With [[{target}|it]] one borrows films as well. | films
Eye Exam | The result of [[{target}|the visit]]: left one weaker by a quarter. | quarter
"""),
    by_link=lines("""
Anything on {target} that has to do with the {about}?
How was it with the {about}, concerning {target}?
{about} and {target}
In connection with {target}: the {about}?
"""),
    link_decoys=lines("""
Somebody asked for {target}. No idea. Put {target} at the end of the page.
{target}, {target}: twice on the to-do list, without a reason.
"""),
    tongues=TONGUES,
)
