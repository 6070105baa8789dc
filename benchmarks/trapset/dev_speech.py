"""The English words of the development half: nothing here stands in the held-out half."""

from __future__ import annotations

from trapset.dev_events import ACTS, DETAILS
from trapset.speech import Speech, lines, pairs

SPEECH = Speech(
    seed=1105,
    start="2021-03-02",
    pairs=(
        ("Mirela", "Tobin"),
        ("Oluchi", "Greta"),
        ("Halvard", "Yuki"),
        ("Priyanka", "Cormac"),
        ("Zofia", "Emre"),
        ("Leandro", "Brigid"),
    ),
    acts=ACTS,
    details=DETAILS,
    tellings=lines("""
I {past} {detail}, and I still can't quite believe it.
So, big news: I {past} {detail}.
Guess what, I finally {past} {detail}!
Honestly it was chaos, but I {past} {detail}.
You will laugh. I {past} {detail}, in the worst shoes imaginable.
Not much sleep lately; I {past} {detail} and it took ages.
I {past} {detail}. Best decision in a long time.
We had no plan at all and then I {past} {detail}.
Oh, before I forget, I {past} {detail}.
Turns out I am braver than I thought: I {past} {detail}.
"""),
    asked={
        "where": lines("""
Where did {name} {base}?
In which place did {name} {base}?
Do you know where it was that {name} {past}?
"""),
        "who": lines("""
Who was with {name} to {base}?
With whom did {name} {base}?
Whose company did {name} have to {base}?
"""),
        "why": lines("""
Why did {name} {base}?
What made {name} {base}?
What was the reason that {name} {past}?
"""),
        "cost": lines("""
What did {name} get or give to {base}?
How much changed hands when {name} {past}?
For how much did {name} {base}?
"""),
    },
    praised=lines("""
I am telling everyone how you {past} {detail}. Legend.
My mother asked again about the day you {past} {detail}.
Still proud of you, you know. You {past} {detail}!
Remember that you {past} {detail}? I was thinking of it on the bus.
Nobody at work believes me that you {past} {detail}.
You {past} {detail} and never even bragged.
You were so calm when you {past} {detail}.
The way you {past} {detail} was something else.
"""),
    wondered=lines("""
And the {noun}, how did that go in the end?
What became of the {noun}?
Tell me about the {noun}, will you?
You wanted to say something about the {noun}, no?
Any progress with the {noun}?
So what is the story behind the {noun}?
How come you had time for the {noun} at all?
I keep thinking of the {noun}. Is it sorted?
"""),
    pauses=lines("""
Ha, hold on, the doorbell.
Where do I even begin.
You will not like the answer, I warn you.
Good question.
Let me sit down for this one.
Sorry, I was chewing.
"""),
    urges=lines("""
Take your time.
Go on, I am all ears.
Now I am curious.
Out with it!
I have got tea, carry on.
Yes?
"""),
    replied=lines("""
Oh that! All done, {detail}.
Finished at last, {detail}, would you believe it.
Yes, it happened {detail}. Wild, I know.
Ha, well, {detail}. Don't tell anybody.
It worked out, {detail}, and nobody was hurt.
Thanks for asking! {detail}, in the end, and I slept for a day afterwards.
Sorted, {detail}. I should have done it years ago.
You know me: {detail}, and without a manual.
"""),
    replies_asked={
        "where": lines("""
Where did {name} manage the thing with the {noun}?
In what spot was the {noun} of {name} dealt with?
"""),
        "who": lines("""
Who was around when {name} dealt with the {noun}?
Who joined {name} for the {noun}?
"""),
        "why": lines("""
Why did {name} bother with the {noun}?
What drove {name} to the matter of the {noun}?
"""),
        "cost": lines("""
What was paid in the matter of {name} and the {noun}?
How much did the {noun} cost {name}?
"""),
    },
    dated=lines("""
I {past} {ago}. My arms still ache.
{Ago} I {past}, can you imagine?
Well, {ago} I {past} and then slept like a stone.
I {past} {ago}, at long last.
It was {ago} that I {past}, and the whole house cheered.
Quick update: I {past} {ago}!
I can hardly type, I {past} {ago}.
{Ago}, of all days, I {past}.
"""),
    ago=(
        ("yesterday", 1),
        ("last Friday", 5),
        ("last Monday", 1),
        ("two days ago", 2),
        ("three days ago", 3),
        ("last Wednesday", 3),
        ("the day before yesterday", 2),
        ("last Sunday", 0),
        ("a week ago", 7),
        ("last Saturday", 6),
        ("five days ago", 5),
        ("last Thursday", 4),
    ),
    when=lines("""
When did {name} {base}?
On what day did {name} {base}?
What was the date when {name} {past}?
Since when is it done: when did {name} {base}?
How long ago did {name} {base}?
"""),
    on_day=lines("""
What did {name} do on {day}?
What was {name} up to on {day}?
What happened to {name} on {day}?
"""),
    paraphrases=pairs("""
picked up a second-hand sofa | purchase a used couch
got the sack from the bakery | lose a job
came down with a nasty cold | fall ill
tied the knot at the town hall | get married
handed in my notice | quit as an employee
moved out of my flat | change homes
put my car through a hedge | have a vehicle accident
fed the neighbour's kitten | look after a small cat
took the coach to the coast | travel by bus to the seaside
went to see the dentist | have teeth checked
passed my driving test | obtain a licence for the road
spent the weekend fishing | angle for trout
took my daughter to nursery | bring a child to kindergarten
watched a thriller at the cinema | view a suspense film
cooked a huge lasagne | prepare a pasta dish
ran ten miles in the drizzle | jog a long distance in light rain
borrowed cash from my uncle | receive a loan from a relative
mended the leaking tap | fix a dripping faucet
got my hair chopped short | visit a hairdresser
sent my granny a parcel | mail a package to a grandmother
learnt to play the violin | practise a string instrument
binned my broken laptop | throw away a computer
fell off my bicycle | have a cycling mishap
bought a bunch of tulips | acquire flowers
dozed through the entire meeting | sleep at a conference
argued with my sister | quarrel with a sibling
saved a drowning puppy | rescue a young dog
stayed in a posh hotel | lodge in luxury accommodation
missed my flight home | arrive too late for a plane
went off meat completely | become vegetarian
hired a gardener | employ someone for the lawn
hurt my ankle skiing | injure a leg in winter sports
welcomed a baby boy | become a parent of a son
started evening French lessons | take a language course
emptied my attic | clear out a loft
won the lottery jackpot | gain a fortune in a draw
switched off my mobile for a month | live without a telephone
swapped coffee for mint tea | give up caffeine
had burglars in my cellar | suffer a theft in a basement
argued my speeding fine away | contest a traffic ticket
put up a fence round my vegetables | enclose a kitchen garden
went up in a balloon | float through the sky
threw a surprise do for dad | host a celebration for a father
turned down a promotion | decline a better position
wept over a novel | cry about a book
lent my tent to a colleague | share camping gear with a coworker
caught a thief red-handed | apprehend a shoplifter
signed up at the gym | join a fitness club
"""),
    said_so=lines("""
I {said} {detail}.
Would you believe that I {said} {detail}?
Anyway, I {said} {detail}, and that was that.
My week in short: I {said} {detail}.
Fine, I admit it, I {said} {detail}.
Last thing, promise: I {said} {detail}.
No joke, I {said} {detail}.
There I was, and I {said} {detail}.
"""),
    asked_so={
        "where": lines("""
Where did {name} {base}?
At which location did {name} {base}?
"""),
        "who": lines("""
Who accompanied {name} to {base}?
Together with whom did {name} {base}?
"""),
        "why": lines("""
Why did {name} {base}?
For which reason did {name} {base}?
"""),
    },
    echoes=lines("""
Oh, so you did {base} after all!
To {base}, at our age? I admire that.
My brother did {base} too, years ago.
Not everybody gets to {base}, you know.
"""),
    twice=lines("""
I {past} {detail}, smooth as butter.
Same procedure as ever: I {past} {detail}.
Yes, again! I {past} {detail}.
The forecast was bad, yet I {past} {detail}.
I {past} {detail}, and took pictures.
Believe it or not, I {past} {detail}.
I {past} {detail}; it went a bit better than I feared.
I {past} {detail} and came home muddy.
"""),
    which={
        "person": lines("""
Where did {name} {base}?
What was the spot where {name} {past}?
Which place saw {name} {base}?
"""),
        "month": lines("""
Where did {name} {base} in {month}?
At what spot did {name} {base} in {month}?
What was the place when {name} {past} in {month}?
"""),
        "who": lines("""
Where was it that {name} {past} {other}?
Which place was it when {name} {past} {other}?
"""),
    },
    decoys=lines("""
{name}, I would love to {base} one day, would you?
Do not forget the {noun}, {name}!
{name}, honestly, who on earth wants to {base}?
I read an article about people who {base}. Made me think of you, {name}.
{name}, is it hard to {base}? Asking for a friend.
Everyone talks about the {noun} now, {name}.
If I were you, {name}, I would never {base}.
I dreamt of the {noun} and of you, {name}. Weird.
"""),
    chatter=lines("""
Hey {name}, how is everything?
Good to hear from you, {name}!
That sounds amazing.
Ha, I can picture it.
My kettle just died on me.
Work was endless today, meetings until five.
Did you sleep any better?
The weather has been all over the place.
I need a holiday, {name}.
You always cheer me up.
Same here, to be honest.
What are you up to this week?
Sorry, I got distracted, the phone rang.
I have to run in a minute, {name}.
Tell your family hello from me.
That must have been quite a day!
I am having soup and feeling very grown up.
Fair enough, {name}.
No way, really?
I saw your picture, {name}, lovely light.
One of these days we should finally meet for lunch.
I am so happy for you!
My back is acting up again.
It is getting dark so early now.
Let me know how it goes, {name}.
I could talk about this for hours.
There was a huge queue at the post office.
You have no idea how much I needed this chat.
I keep meaning to call my grandmother.
Okay, enough about me.
"""),
)
