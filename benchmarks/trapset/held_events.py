"""What people of the held-out half did, and where, with whom, why and for how much. Tune nothing on it."""

from __future__ import annotations

from trapset.speech import acts, lines

ACTS = acts("""
polish the saxophone | polished the saxophone | saxophone
dig the pond | dug the pond | pond
varnish the rocking chair | varnished the rocking chair | rocking chair
foster a tortoise | fostered a tortoise | tortoise
crochet the blanket | crocheted the blanket | blanket
prune the rose bushes | pruned the rose bushes | rose bushes
auction the vintage scooter | auctioned the vintage scooter | scooter
roast the pheasant | roasted the pheasant | pheasant
visit the ice cave | visited the ice cave | ice cave
lead the marching band | led the marching band | marching band
misplace the passport | misplaced the passport | passport
dig up the time capsule | dug up the time capsule | time capsule
net the enormous crab | netted the enormous crab | crab
coach the volleyball team | coached the volleyball team | volleyball
drive the snow plough | drove the snow plough | plough
compose the lullaby | composed the lullaby | lullaby
drop the microscope | dropped the microscope | microscope
harvest the pumpkins | harvested the pumpkins | pumpkins
paddle through the gorge | paddled through the gorge | gorge
install the skylight | installed the skylight | skylight
sculpt the marble foot | sculpted the marble foot | marble
launch the model rocket | launched the model rocket | rocket
lease the vineyard | leased the vineyard | vineyard
smoke the mackerel | smoked the mackerel | mackerel
digitise the slide collection | digitised the slide collection | slides
plaster the hallway | plastered the hallway | hallway
dye the linen tablecloth | dyed the linen tablecloth | tablecloth
rewire the pinball machine | rewired the pinball machine | pinball
film the eclipse | filmed the eclipse | eclipse
interview the astronaut | interviewed the astronaut | astronaut
choose the trumpet | chose the trumpet | trumpet
host the quiz night | hosted the quiz night | quiz
distil the lavender oil | distilled the lavender oil | lavender
nurse the injured bat | nursed the injured bat | bat
leave the drama club | left the drama club | drama club
forge the iron gate | forged the iron gate | gate
decipher the coded telegram | deciphered the coded telegram | telegram
sketch the cathedral | sketched the cathedral | cathedral
cater the retirement do | catered the retirement do | retirement
wreck the lawn tractor | wrecked the lawn tractor | tractor
cross the glacier | crossed the glacier | glacier
edit the short documentary | edited the short documentary | documentary
restring the mandolin | restrung the mandolin | mandolin
herd the geese | herded the geese | geese
auction off the caravan | auctioned off the caravan | caravan
cram for the sommelier test | crammed for the sommelier test | sommelier
incubate the duck eggs | incubated the duck eggs | duck
stitch the spinnaker | stitched the spinnaker | spinnaker
""")

DETAILS = {
    "where": lines("""
beside the ring road
out on the peninsula
in the courtyard of the embassy
in a hamlet south of Turin
underneath the viaduct
at my stepfather's orchard
across from the fish market
on the terrace of the museum
by a windmill in Zeeland
inside the sports arena
between the two bridges in Porto
at the youth centre
"""),
    "who": lines("""
alongside my sister-in-law
alongside three nurses
alongside our caretaker Bertram
alongside a former ballerina
alongside the kids from number eight
alongside my stepmother
alongside a stranger named Ivo
alongside most of the chess circle
alongside my driving instructor
alongside a family from Peru
"""),
    "why": lines("""
since the mayor begged for it
since my doctor forbade running
since I had lost at cards
since the smell was unbearable
since my late uncle left instructions
since the warranty had run out
since the power was off all week
since a magazine offered a prize
since the bank kept writing letters
since lightning had struck the first one
"""),
    "cost": lines("""
at a cost of seventy francs
at a cost of one month's wages
at a cost of nine dinners
at a cost of thirty-five dollars
at a cost of two favours
at a cost of six thousand rupees
at a cost of a signed poster
at a cost of four bottles of port
"""),
}
