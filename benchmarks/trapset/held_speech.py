"""The English words of the held-out half: other people, subjects and sentence forms than in the development half. Tune nothing on it."""

from __future__ import annotations

from trapset.held_events import ACTS, DETAILS
from trapset.speech import Speech, lines, pairs

SPEECH = Speech(
    seed=8243,
    start="2018-09-06",
    pairs=(
        ("Anouk", "Desmond"),
        ("Farida", "Kasper"),
        ("Ignacio", "Wren"),
        ("Thandiwe", "Pavel"),
        ("Solveig", "Marlon"),
        ("Hiroko", "Bastien"),
    ),
    acts=ACTS,
    details=DETAILS,
    tellings=lines("""
Hear this: it was {detail} where it all came together, yes, I {past}.
My hands still smell of it, as I {past} {detail}.
Nobody warned me how tiring it is, yet I {past} {detail}.
Tiny victory on my side: {detail}, I {past}.
Well well, I actually {past} {detail}.
Between two showers I {past} {detail}.
Me of all people! I {past} {detail}.
The news of the month is that I {past} {detail}.
I had sworn not to, and then I {past} {detail}.
Long story, short version: I {past} {detail}.
"""),
    asked={
        "where": lines("""
What was the location when {name} {past}?
Can you say where {name} {past}?
{name} {past}, but where?
"""),
        "who": lines("""
Which people were there as {name} {past}?
Who took part when {name} {past}?
Name whoever helped {name} to {base}.
"""),
        "why": lines("""
What led {name} to {base}?
How come {name} {past}?
For what cause did {name} {base}?
"""),
        "cost": lines("""
What was the price as {name} {past}?
How expensive was it for {name} to {base}?
What did it take from {name} to {base}?
"""),
    },
    praised=lines("""
I keep boasting about your courage: you {past} {detail}.
The whole office has heard by now how you {past} {detail}.
It was you who {past} {detail}, and I will never forget your face.
My niece wants to be like you, ever since you {past} {detail}.
Hats off, you really {past} {detail}.
To think that you {past} {detail}, without any help from me.
Did I ever thank you? You {past} {detail}, that was huge.
Every time it rains I recall that you {past} {detail}.
"""),
    wondered=lines("""
How did it turn out with the {noun}?
Last time you mentioned the {noun}, what came of it?
I am dying to know about the {noun}.
What about the {noun}, still a mess?
May I ask about the {noun}?
Speaking of which, the {noun}?
Have you made peace with the {noun}?
You promised me the tale of the {noun}.
"""),
    pauses=lines("""
Oh dear, one second, the oven.
Do we have an hour?
Promise not to judge me.
Hm, that one.
I was hoping you would forget.
Wait, my glasses.
"""),
    urges=lines("""
No hurry.
Spill it.
I promise nothing.
You are killing me here.
I have all evening.
Well?
"""),
    replied=lines("""
Behind me now, luckily, {detail}.
It took place {detail}, in the end, to my own surprise.
Accomplished! {detail}, no less.
You would have laughed: {detail}, and everyone stared.
Over and done with, {detail}.
I managed, {detail}, with shaking knees.
Let us say {detail}, and leave it there.
A success, I think. {detail}, and not a scratch.
"""),
    replies_asked={
        "where": lines("""
At what place did {name} get the {noun} over with?
Where did the affair of {name} and the {noun} end?
"""),
        "who": lines("""
Who stood by {name} in the affair of the {noun}?
Which company did {name} keep for the {noun}?
"""),
        "why": lines("""
How come {name} had to deal with the {noun}?
What was behind the affair of {name} and the {noun}?
"""),
        "cost": lines("""
What did {name} give up for the {noun}?
Was the {noun} dear to {name}, and how much so?
"""),
    },
    dated=lines("""
Would you credit it, {ago} I {past}.
I {past}, {ago} that was.
Finally some courage: I {past} {ago}.
{Ago} I {past}, and I have been grinning since.
Only now do I find time to write: {ago} I {past}.
My phone is full of pictures, since {ago} I {past}.
You missed it! I {past} {ago}.
Mum cried a bit when I {past} {ago}.
"""),
    ago=(
        ("yesterday", 1),
        ("last Tuesday", 0),
        ("last Sunday", 0),
        ("four days ago", 4),
        ("two days ago", 2),
        ("last Thursday", 0),
        ("the day before yesterday", 2),
        ("last Saturday", 0),
        ("a week ago", 7),
        ("last Monday", 0),
        ("six days ago", 6),
        ("last Friday", 0),
    ),
    when=lines("""
At what date did {name} {base}?
When was it that {name} {past}?
When exactly did {name} {base}?
Which day was it when {name} {past}?
Do you remember when {name} {past}?
"""),
    on_day=lines("""
How did {name} spend {day}?
What is known of {name} for {day}?
Which thing did {name} accomplish on {day}?
"""),
    paraphrases=pairs("""
rented a lorry | hire a truck
bumped into my ex | meet a former partner
cut down on sugar | reduce sweet food
slept through the alarm | wake up too late
had a row with the landlord | dispute with a property owner
spilt red wine on the carpet | stain a rug
booked a cabin in the woods | reserve a hut amid the trees
quit smoking | give up cigarettes
watered the plants for Ada | look after greenery while a friend was absent
took the kids to the zoo | show animals to the children
got stuck in the lift | be trapped in an elevator
sprained my wrist | suffer a joint injury
bought a ring for her | acquire jewellery
gave blood | act as a donor at a hospital
went to a jazz gig | attend a live music event
learned to juggle | acquire a circus skill
finished my thesis | complete a dissertation
set up my own company | found a business
ordered a pram | shop for a baby carriage
ate oysters | try shellfish
got soaked to the skin | be caught in heavy rain
shaved off my beard | remove facial hair
moved in with Jonas | share a home with a partner
went vegan | drop all animal products
signed the petition | support a protest with a name
walked the dog at dawn | take a pet out early in the morning
cleaned the windows | wash the glass panes
visited gran in the home | see an elderly relative in care
flew to Lisbon | take a plane to Portugal
took up boxing | begin a combat sport
boiled jam | make preserves out of fruit
paid off the mortgage | clear a debt on the house
hid the presents | conceal the gifts
swore at a policeman | insult an officer
sang at the funeral | perform a song at a burial
got a puncture | have a flat tyre
stargazed all night | look at the heavens until morning
fainted in the queue | lose consciousness in a line
patched up my jeans | repair trousers
interviewed for a teaching post | apply for work at a school
raced against my nephew | compete with a young kinsman
had my tonsils out | undergo surgery in the throat
lost my voice | become hoarse
won a goldfish | receive a pet as a prize
carried the wardrobe upstairs | lift heavy furniture
ruined the roast | burn the dinner
lied about my age | be dishonest on the year of birth
planted basil | start herbs in pots
"""),
    said_so=lines("""
Here is one for you: I {said} {detail}.
I suppose you heard that I {said} {detail}.
On top of it all I {said} {detail}.
In other news, I {said} {detail}.
What a day. I {said} {detail}.
I never told you that I {said} {detail}.
By the way, I {said} {detail}.
Guilty as charged: I {said} {detail}.
"""),
    asked_so={
        "where": lines("""
What was the scene when it came to {name}, who had to {base}?
In which surroundings did {name} {base}?
"""),
        "who": lines("""
Which persons saw {name} {base}?
In whose presence did {name} {base}?
"""),
        "why": lines("""
What caused {name} to {base}?
How did it come that {name} would {base}?
"""),
    },
    echoes=lines("""
I could never {base}, hand on heart.
What is it like to {base}?
They say one has to {base} once in a lifetime.
My boss would fire me if I were to {base}.
"""),
    twice=lines("""
Another round: I {past} {detail}.
It went fine when I {past} {detail}.
As I did before, I {past} {detail}.
I {past} {detail}. Cold feet, warm heart.
The bus was late, but I {past} {detail}.
Did I mention that I {past} {detail}?
I {past} {detail}, under a perfect sky.
Out of breath, but happy: I {past} {detail}.
"""),
    which={
        "person": lines("""
At which places is it known that {name} {past}?
List the locations where {name} {past}.
What were the places at which {name} {past}?
"""),
        "month": lines("""
Which location was it in {month} that {name} {past} at?
As {name} {past} in {month}, what was the place?
It was {month} and {name} {past}, but where?
"""),
        "who": lines("""
At which location had {name} {past} {other}?
On the occasion that {name} {past} {other}, what was the place?
"""),
    },
    decoys=lines("""
You and the {noun}, {name}, a never ending story.
{name}, suppose one wanted to {base}: how would one begin?
There was a programme on the {noun} tonight, {name}.
My neighbour plans to {base}, {name}, imagine.
{name}, what would you say to a book on how to {base}?
Not a word about the {noun}, {name}, I know.
Is it legal to {base}, {name}?
Whenever I hear of the {noun}, {name}, I grin.
"""),
    chatter=lines("""
Hi {name}, long time no see!
There you are, {name}.
Splendid, truly.
I would have paid to watch that.
The dishwasher is leaking again.
I spent the day on hold with the phone company.
Are you eating properly, {name}?
Fog all morning, then blinding sun.
I could do with a weekend that lasts a month.
You say the nicest things.
Tell me about it.
Any plans for Saturday?
Excuse me, the cat walked across the keyboard.
Got to dash, {name}, talk soon.
Hug everyone from me.
I wish I had been there.
It is soup again at my place.
True, {name}, true.
You are joking!
Your last message made my day, {name}.
We owe each other a coffee.
That is the best thing I heard all week.
I slept on the wrong side, my neck is stiff.
The leaves are falling like mad.
Keep me posted, {name}.
Funny how time flies when we write.
The bakery round the corner closed, a tragedy.
I needed that laugh.
I should write to my cousin one of these days.
Right, your turn, {name}.
"""),
)
