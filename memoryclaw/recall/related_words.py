"""English words of everyday life that may stand for one another, or are of a kind: `pet` finds a turn about a dog.

General knowledge, kept small, and used with care: a related word helps, it never counts as much as the word that was asked.
Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from memoryclaw.text.language import Language

# Words any of which may be said for any other of its group.
_SAME = """kid child son daughter toddler baby boy girl youngster | parent mom mum mother dad father folks |
mom mum mommy mama mother | dad daddy papa father | brother sister sibling twin |
grandma granny nana grandmother grandparent | grandpa granddad grandfather grandparent | husband wife spouse partner |
boyfriend girlfriend partner date dating | wedding marry marriage bride groom engaged engagement |
divorce breakup separated split | pregnant pregnancy birth newborn expecting | adopt adoption foster |
relative aunt uncle cousin nephew niece | friend buddy pal mate | person people someone somebody | man guy gentleman |
woman lady | neighbor neighbour neighborhood | colleague coworker teammate | boss manager supervisor | customer client |
job work career profession occupation employment role position | hire hired recruit interview |
quit resign leave fired | retire retirement pension | company business firm startup enterprise | shop store boutique |
salary income wage earn pay | money cash fund finance financial | buy purchase bought | sell sold sale |
cost price | bill invoice payment rent | debt loan mortgage owe | save saving budget |
invest investment stock | contract agreement deal | deadline due | appointment meeting reservation booking |
meeting call conference | project task | boss leader | team crew squad | report document paper | error bug fault issue |
fix repair restore mend | release launch ship publish | school college university class course |
study learn education degree | teacher instructor professor coach mentor tutor | student pupil classmate |
graduate graduation diploma | exam test quiz | homework assignment essay | scholarship grant | book novel read |
write author writer | author writer novelist poet | story tale novel | journal diary notebook | poem poetry poet |
magazine newspaper article | film movie cinema watch | series show tv television episode | actor actress star cast |
song track tune | singer band musician artist | concert gig festival perform performance |
theater theatre play stage musical | dance dancer ballet | art painting drawing sculpture artwork |
picture photo photograph image | photography photographer camera | paint painter canvas | draw sketch |
pottery ceramic clay | museum gallery exhibit exhibition | sport game match | player gamer |
tournament competition contest championship race | win won victory champion | prize award medal trophy |
lose loss lost defeat | run running race marathon jog | exercise workout gym fitness train |
meditate meditation mindfulness yoga | swim swimming pool | hike hiking trail trek walk | camp camping tent campfire |
bike bicycle cycling | climb climbing mountaineering | ski skiing snowboard | fish fishing | dog puppy |
cat kitten | farm farmer | garden gardening plant flower | nature outdoors wilderness forest |
beach ocean sea coast surf | mountain hill peak | lake river stream | trip travel vacation holiday journey tour visit |
flight plane airport fly | hotel hostel airbnb stay | country nation abroad overseas | city town village |
house home apartment flat condo | move relocate | car vehicle automobile | truck van | drive driving ride |
train subway metro bus | accident crash collision | injury injured hurt wound | sick ill illness disease |
doctor physician clinic hospital medical | nurse hospital | dentist tooth | medicine medication pill drug prescription |
surgery operation | pain ache hurt | health healthy wellness | diet nutrition weight | allergy allergic |
sleep insomnia nap tired | therapy therapist counseling counselor psychologist |
stress stressed anxiety anxious overwhelmed pressure | sad upset depressed unhappy | happy glad joy thrilled excited |
angry mad furious frustrated annoyed | scared afraid fear frightened nervous | proud pride | lonely alone isolation |
love adore enjoy like favorite | favorite favourite prefer preference | hate dislike | relax unwind calm peaceful |
hobby interest pastime passion | goal dream aspiration ambition | plan intend planning upcoming |
decide decision choose choice | start begin | end finish complete | stop quit | create make build craft design |
help support assist | volunteer charity donate donation | donate donation fundraiser fundraising | give gift present |
thankful grateful gratitude appreciate | die died death passed funeral | grief loss mourn | food meal dish |
breakfast lunch dinner supper brunch | cook cooking bake recipe kitchen | eat restaurant |
restaurant cafe diner bistro | drink beverage | coffee espresso latte cafe | beer wine cocktail |
dessert cake cookie pie sweet | vegetarian vegan | religion church faith religious spiritual | pray prayer |
politics vote election government political | army military veteran soldier | law lawyer attorney legal |
police officer cop | crime theft stolen robbery | science research scientist | computer laptop |
software programming coding program | phone cell mobile smartphone | internet online web website | email mail message |
blog post vlog | advice tip suggestion recommend recommendation suggest | idea inspiration inspire |
opinion think view | problem issue challenge trouble obstacle difficulty struggle | change transform transition |
improve better progress | success successful achievement accomplish achieve milestone | fail failure setback |
memory remember | symbol symbolize represent meaning | important significant | special unique | birthday anniversary |
party celebrate celebration | event gathering occasion | conference convention workshop seminar |
group club organization | talk discuss conversation chat | speech presentation lecture | name call |
clothes clothing dress shirt outfit wear | shoe sneaker boot | jewelry necklace ring bracelet |
furniture couch sofa chair table | renovate remodel renovation decorate | rain rainy storm | snow winter | fall autumn |
evening night | often frequently regularly usually | recent recently lately | gay lgbt lgbtq queer transgender |
reason because motivate motivation | method technique strategy | feel feeling emotion | surprise unexpected |
funny humor joke comedy laugh | adventure explore exploration | danger dangerous risk | safe safety secure |
rescue shelter | toy doll | collect collection | tool equipment gear | language speak fluent |
certificate certification license | kindness compassion empathy | color colour |
photo selfie"""
# A kind, and words that are of it.
_KINDS = """family: mom mother dad father brother sister son daughter husband wife parent kid grandma grandpa cousin aunt uncle |
relationship: single married dating boyfriend girlfriend divorced breakup husband wife partner |
status: single married divorced engaged |
pet: dog cat puppy kitten hamster turtle rabbit fish bird parrot lizard snake horse |
animal: dog cat horse bird bear deer wolf elephant lion tiger turtle rabbit fish snake cow goat sheep fox whale dolphin |
job: teacher engineer nurse doctor designer manager waiter accountant writer programmer mechanic chef lawyer clerk |
career: teacher engineer nurse doctor designer manager writer programmer counselor chef lawyer actor |
profession: teacher engineer nurse doctor designer manager writer programmer counselor chef lawyer |
field: engineering medicine education law business art science psychology history |
subject: math history science art english biology chemistry physics |
degree: bachelor master phd diploma graduate psychology engineering |
education: school college university degree course |
instrument: guitar piano violin drum flute clarinet saxophone cello trumpet ukulele keyboard bass harp banjo |
music: rock jazz pop classical rap country blues folk metal band song |
genre: fantasy horror comedy drama thriller romance action rock jazz pop classical mystery documentary |
art: painting drawing sculpture pottery photography sketch mural portrait ceramic |
craft: knitting sewing pottery woodworking crochet embroidery |
hobby: painting reading hiking camping cooking gardening photography knitting fishing dancing running writing pottery
swimming gaming cycling yoga singing drawing baking |
activity: hike camp swim paint dance run bike climb fish ski surf cook bake picnic museum game read walk yoga kayak |
outdoor: hike camp kayak climb fishing beach park trail picnic mountain |
exercise: yoga running weights swim boxing pilates cycling jogging aerobics gym |
sport: basketball soccer football tennis baseball hockey golf volleyball swimming boxing skating skiing surfing climbing
running cycling cricket rugby |
martial: karate judo boxing taekwondo | game: chess monopoly puzzle console xbox playstation nintendo poker card |
console: xbox playstation nintendo | dance: ballet salsa tango contemporary |
movie: film director trilogy scene documentary comedy thriller | show: episode season series |
book: novel biography memoir fantasy fiction thriller mystery poetry series |
food: pizza pasta chicken rice salad soup sandwich burger sushi bread cheese chocolate fruit vegetable steak fish curry |
dish: pasta soup salad chicken roast curry lasagna stew pie | meal: breakfast lunch dinner pasta soup salad chicken |
recipe: cake pie soup salad cookie bread chicken pasta ingredient |
dessert: cake cookie pie cream chocolate cupcake brownie pudding tart pastry |
bake: cake cookie bread pie cupcake pastry muffin | fruit: apple banana orange strawberry blueberry grape mango peach |
vegetable: carrot tomato broccoli spinach potato pepper lettuce |
drink: coffee tea juice soda beer wine water smoothie cocktail |
country: england france germany italy spain canada mexico japan china india ireland sweden brazil australia america usa uk
scotland greece turkey |
city: york boston chicago seattle paris london tokyo rome barcelona toronto miami dublin berlin |
state: california florida texas oregon michigan washington alaska |
place: park beach museum cafe restaurant lake mountain city town shop library forest |
location: park beach museum lake mountain city town | building: house apartment studio office church |
landmark: tower castle bridge statue museum | nature: lake forest ocean mountain waterfall park |
vacation: beach resort trip cruise mountain | travel: flight trip hotel airport road |
vehicle: car truck motorcycle van bike bus | car: ford toyota honda bmw ferrari jeep tesla |
color: red blue green yellow purple pink black white orange brown |
clothes: shirt dress jacket jeans shoe hat sweater coat hoodie |
event: festival parade concert conference wedding party meetup fair race marathon tournament exhibit show fundraiser |
holiday: christmas thanksgiving halloween easter | season: winter spring summer autumn |
emotion: happy sad angry proud grateful anxious excited nervous scared relieved |
feeling: happy sad angry proud grateful anxious excited nervous scared relieved |
illness: cancer diabetes flu asthma arthritis infection | condition: asthma diabetes allergy pain |
symptom: pain cough fever headache nausea | injury: ankle knee broke sprain wound shoulder |
allergy: peanut dairy gluten pollen | medicine: vitamin antibiotic |
religion: christian church jewish muslim buddhist prayer bible | gift: necklace ring book card flower watch toy |
jewelry: pendant earring | device: phone laptop tablet camera computer |
technology: computer software robot ai app drone | material: wood clay metal glass leather fabric paper |
plant: flower rose tree succulent cactus herb tulip sunflower | flower: rose tulip sunflower daisy lily orchid |
tree: oak pine maple birch | disaster: flood fire storm hurricane earthquake | weather: rain snow sun storm wind |
community: church neighborhood center group volunteer | organization: charity shelter group club nonprofit |
cause: charity education environment veteran homeless | toy: lego doll teddy |
language: spanish french german italian japanese chinese english | leader: boss captain mayor president |
award: gold certificate | personality: kind brave caring thoughtful creative |
trait: kind brave caring thoughtful creative | creative: paint write draw music design |
childhood: kid child grew young | financial: money debt bill budget rent | furniture: bed desk lamp bookshelf |
appliance: fridge oven dishwasher washer | cuisine: italian mexican chinese thai indian japanese french korean |
snack: chip popcorn cookie nut fruit chocolate | pastry: croissant muffin scone tart |
diet: vegan vegetarian keto protein salad vegetable sugar | healthy: salad vegetable exercise yoga vitamin sleep |
relax: yoga meditation walk bath music read nature massage garden | stress: yoga meditation walk run therapy breathe |
calm: yoga meditation walk nature music breathe | therapy: counselor psychologist session |
fitness: gym yoga run weights marathon muscle | medical: surgery hospital diagnosis doctor nurse |
health: diagnosis surgery pain diet weight blood heart asthma | treatment: medication surgery therapy |
body: knee ankle shoulder leg arm heart | course: class lesson workshop |
class: yoga pottery cooking dance painting lesson workshop | lesson: guitar piano violin swimming dance |
skill: coding cooking writing painting speaking leadership | training: workshop course certification marathon gym |
project: website app garden mural robot renovation | business: store studio cafe bakery startup shop salon |
company: google apple microsoft amazon | brand: nike adidas puma reebok |
team: lakers bulls celtics warriors yankees patriots | superhero: batman superman spiderman thor |
character: hero villain wizard | author: rowling king tolkien austen | band: guitar drum singer album |
song: album lyrics melody chorus | concert: band singer stage crowd | festival: music parade art crowd |
celebration: birthday wedding anniversary graduation party christmas |
tradition: christmas thanksgiving holiday dinner bake |
achievement: award graduate promotion certificate medal won finish publish |
milestone: graduate promotion anniversary birthday publish | success: award promotion won publish |
setback: injury lost rejected failed layoff | challenge: injury failed lost rejected layoff debt |
problem: broke leak failed stolen lost damage | damage: flood fire leak crack | accident: car bike crash broke |
purchase: car house phone laptop shoe dress | possession: necklace ring book photo |
accessory: necklace ring bracelet watch scarf hat bag |
clothing: shirt dress jacket jeans shoe hat sweater coat hoodie | shoe: sneaker boot sandal heel |
gadget: phone laptop tablet camera drone watch headphone | equipment: camera tripod tent helmet racket |
tool: hammer drill saw wrench | supply: paper paint brush food blanket | decoration: light candle poster plant balloon |
room: kitchen bedroom bathroom basement garage | house: kitchen bedroom garden roof yard |
apartment: rent lease landlord roommate | outdoors: hike camp kayak climb fishing beach park trail picnic mountain |
park: trail picnic playground | water: swim surf kayak lake ocean beach river | boat: sail kayak canoe |
bird: eagle parrot owl hawk robin | dog: labrador retriever shepherd poodle beagle terrier bulldog |
insect: bee butterfly ant | farm: cow horse chicken barn | science: biology chemistry physics astronomy |
space: star planet moon telescope galaxy | finance: loan mortgage debt invest budget stock |
political: vote election government policy mayor | policy: education infrastructure tax |
belief: church faith god pray spiritual | volunteering: shelter charity soup kitchen homeless tutor mentor |
donation: food clothes money toy | help: volunteer donate shelter tutor mentor |
support: encourage friend family mentor group | encourage: support motivate believe | hope: dream wish |
plan: trip wedding move visit | goal: save graduate improve win promotion | future: plan dream goal |
fear: spider height dark | inspiration: nature music book | creativity: paint write draw music design |
social: party friend gathering | online: website blog video youtube stream |
media: instagram facebook twitter youtube tiktok | video: youtube channel film camera |
software: app code python javascript | code: python javascript java bug |
competition: contest tournament race championship | student: college school university exam |
teacher: school class student | child: school toy playground | pregnancy: baby due |
wedding: dress bride ring venue ceremony | partner: husband wife boyfriend girlfriend | sibling: brother sister |
grandparent: grandma grandpa | relative: aunt uncle cousin grandma grandpa | parent: mom dad mother father |
people: friend family neighbor coworker | age: old young birthday turned | size: big large small | cost: expensive cheap afford | price: expensive cheap afford | morning: breakfast coffee sunrise |
evening: sunset dinner | weekend: saturday sunday | winter: snow ski christmas | summer: beach swim vacation"""
_BEGIN = 3  # letters that a word and its stem share


class _Groups(NamedTuple):
    of: Mapping[str, tuple[tuple[str, ...], ...]]  # word as listed → the groups whose words it may stand for
    alike: Mapping[str, tuple[str, ...]]  # first letters → words as listed


def related(token: str, language: Language) -> list[str]:
    """The tokens that may stand in a text for this one; none where the language is not English."""
    if language.code != "en":
        return []
    groups = _groups()
    forms = [word for word in groups.alike.get(token[:_BEGIN], ()) if language.token(word) == token]
    others = (language.token(word) for form in forms for group in groups.of[form] for word in group)
    return [other for other in dict.fromkeys(others) if other != token]


@lru_cache(maxsize=1)
def _groups() -> _Groups:
    of: dict[str, list[tuple[str, ...]]] = {}
    for text in _SAME.split("|"):
        group = tuple(text.split())
        for word in group:
            of.setdefault(word, []).append(group)
    for text in _KINDS.split("|"):
        kind, _, members = text.partition(":")
        of.setdefault(kind.strip(), []).append(tuple(members.split()))
    alike: dict[str, list[str]] = {}
    for word in of:
        alike.setdefault(word[:_BEGIN], []).append(word)
    return _Groups(
        {word: tuple(groups) for word, groups in of.items()},
        {begin: tuple(words) for begin, words in alike.items()},
    )
