"""What people of the development half did, and where, with whom, why and for how much."""

from __future__ import annotations

from trapset.speech import acts, lines

ACTS = acts("""
repair the accordion | repaired the accordion | accordion
build a chicken coop | built a chicken coop | coop
paint the garage door | painted the garage door | garage
adopt a greyhound | adopted a greyhound | greyhound
knit a cardigan | knitted a cardigan | cardigan
plant the plum trees | planted the plum trees | plum trees
sell the motorbike | sold the motorbike | motorbike
bake the rye loaf | baked the rye loaf | rye loaf
climb the lighthouse | climbed the lighthouse | lighthouse
win the chess trophy | won the chess trophy | chess
lose the silver ring | lost the silver ring | ring
find the old diary | found the old diary | diary
catch the giant pike | caught the giant pike | pike
teach the pottery class | taught the pottery class | pottery
ride the steam train | rode the steam train | steam train
write the sea shanty | wrote the sea shanty | shanty
break the telescope | broke the telescope | telescope
grow the chillies | grew the chillies | chillies
swim across the reservoir | swam across the reservoir | reservoir
hang the hammock | hung the hammock | hammock
carve the wooden owl | carved the wooden owl | owl
fly the kite | flew the kite | kite
rent the allotment | rented the allotment | allotment
pickle the beetroot | pickled the beetroot | beetroot
frame the wedding photo | framed the wedding photo | photo
tile the bathroom floor | tiled the bathroom floor | bathroom
sew the velvet curtains | sewed the velvet curtains | curtains
restore the jukebox | restored the jukebox | jukebox
see the comet | saw the comet | comet
meet the old bandleader | met the old bandleader | bandleader
buy the cello | bought the cello | cello
give the robotics talk | gave the robotics talk | robotics
brew the ginger beer | brewed the ginger beer | ginger beer
rescue the hedgehog | rescued the hedgehog | hedgehog
join the bell ringers | joined the bell ringers | bell ringers
weld the fire pit | welded the fire pit | fire pit
translate the family letters | translated the family letters | letters
photograph the kingfisher | photographed the kingfisher | kingfisher
organise the street party | organised the street party | street party
donate the piano | donated the piano | piano
hike the canyon trail | hiked the canyon trail | canyon
record the podcast | recorded the podcast | podcast
tune the harp | tuned the harp | harp
shear the alpacas | sheared the alpacas | alpacas
inherit the sailing boat | inherited the sailing boat | sailing boat
study for the pilot exam | studied for the pilot exam | pilot exam
hatch the quail eggs | hatched the quail eggs | quail
patch the canvas tent | patched the canvas tent | tent
""")

DETAILS = {
    "where": lines("""
behind my aunt's bakery
up at the quarry
down by the ferry landing
in a village near Zadar
at the community hall on Mill Lane
in my cousin's barn
right next to the tram depot
on the roof of the library
at a market outside Ghent
in the car park of the cinema
by the canal in Leeds
at the monastery
"""),
    "who": lines("""
with my brother-in-law
with two firefighters
with our neighbour Ottilie
with a retired surgeon
with the twins from upstairs
with my godmother
with a guy called Rufus
with half of the rowing crew
with my old maths teacher
with a Danish couple
"""),
    "why": lines("""
because the landlord dared me to
because my knee needed a rest
because of a bet with my boss
because the neighbours kept complaining
because grandpa always wanted it
because the insurance would not pay
because it rained for nine days
because my therapist suggested it
because I needed the money for rent
because the old one caught fire
"""),
    "cost": lines("""
for ninety euros
for two hundred pounds
for the price of a pizza
for three crates of cider
for eleven hundred dollars
for nothing but a handshake
for a bag of walnuts
for forty quid
"""),
}
