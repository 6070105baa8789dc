"""What later words do to what stands: they end it, they mark it until somebody decides, or they leave it."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from conftest import VaultOf
from nights import said

from memoryclaw.app import App
from memoryclaw.consolidation.changes import Claim
from memoryclaw.consolidation.overtaking import Telling, changes, overtaken
from memoryclaw.model import Fact, Turn
from memoryclaw.talk.statements import read
from memoryclaw.text.dates import moved_day


@pytest.mark.parametrize(
    ("entity", "field", "value", "later", "is_changed"),
    [
        ("user", "bank", "Lloyds", "I'm with Starling now", True),
        ("user", "uses", "Slack", "moved everyone onto Teams", True),
        ("user", "uses", "Slack", "we're on Teams now for client calls", False),
        ("user", "", "the api runs on Heroku", "we migrated the api to Fly last weekend", True),
        ("user", "", "the blog runs on Heroku", "we migrated the api to Fly last weekend", False),
        ("user", "", "the stack is Go, NATS and ClickHouse", "we went with Postgres after all", False),
        ("user", "bank", "Lloyds", "my brother is with Starling now", False),
        ("user", "dislikes", "cycling", "I've warmed to cycling", True),
        ("user", "dislikes", "coriander", "coriander has grown on me", True),
        ("user", "dislikes", "Oliven", "ich habe Oliven lieben gelernt", True),
        ("user", "dislikes", "olives", "j'ai appris à aimer les olives", True),
        ("user", "dislikes", "olives", "I've warmed to olive oil", False),
        ("user", "is", "vegetarian", "been eating fish again", True),
        ("user", "is", "Vegetarierin", "ich esse wieder Fleisch", True),
        ("user", "", "I don't drink alcohol", "I have a glass of wine on Fridays these days", True),
        ("user", "is", "vegetarian", "my sister eats fish again", False),
        ("user", "", "I eat meat", "I eat fish again", False),
        ("Owen", "lives in", "Cardiff", "Owen's back in Swansea", False),
        ("Kim's brother", "works at", "Siemens", "my brother's at Bosch now", False),
        ("Kim's brother", "works at", "Siemens", "my brother's car is at Bosch now", False),
        ("Ana", "works at", "Fugro", "Ana's at the beach now", False),
        ("Owen", "lives in", "Cardiff", "Owen's back in Cardiff", False),
        ("user", "manager", "Duncan", "my new manager started: Shreya", False),
        ("user", "", "I weigh 84 kg", "I'm down to 79 kg", False),
        ("user", "", "I weigh 84 kg", "the parcel is down to 2 kg", False),
        ("user", "", "I no longer eat meat", "I no longer eat cheese", False),
        ("user", "", "we don't use Slack any more", "we don't use Jira any more", False),
        ("user", "", "I take the bus, I don't drive any more", "I don't take the bus any more", False),
        ("user", "works at", "HSBC", "I'm with Monzo now", False),
        ("user", "likes", "opera", "moved everyone onto Firefox", False),
        ("user", "", "my wife is vegan", "I'm eating cheese again", False),
        ("user", "lives in", "Leeds", "I live with Crohn's now", False),
        ("user", "", "I have two sons", "my neighbour has three sons now", False),
        ("user", "", "my parents live in Truro", "the meeting with my parents moved to Thursday", False),
    ],
)
def test_later_words_change_what_stands_or_leave_it(
    entity: str, field: str, value: str, later: str, is_changed: bool
) -> None:
    known = Fact(entity, field, value, 1, said="2026-10-02", type="fact" if field else "statement")
    claim = Claim(entity, "", later, 1, later, "user", "2026-11-02", words=later, speaker="user", change=True)
    assert changes(claim, known) is is_changed


@pytest.mark.parametrize(
    ("entity", "field", "value", "later", "is_marked"),
    [
        ("user", "", "Owen lives in Cardiff", "Owen left Cardiff", True),
        ("user", "", "we track the tickets in Jira", "we dropped Jira for the tickets", True),
        ("user", "", "the wiki is on port 8080", "the old box died so the wiki is on 9090", True),
        ("user", "", "the sitter is £9.50 an hour", "the sitter's gone up to 11", True),
        ("user", "dentist", "Mr Novak", "had a new dentist look at my dog's teeth, Mr Finch", False),
        (
            "user",
            "",
            "our car insurance is with Geico",
            "our car insurance is with Progressive since May",
            True,
        ),
        ("user", "", "pottery is on Mondays at 6", "pottery moved to Saturday mornings", True),
        ("user", "", "pottery is on Mondays at 6", "pottery is such fun", False),
        ("user", "", "pottery is on Mondays at 6", "I'd like to move pottery to Saturdays", False),
        ("user", "", "the gym is 32 a month", "the gym's gone up to 38", True),
        ("user", "", "the gym is 32 a month", "the gym was packed today", False),
        ("user", "", "The rent is 1,240 a month", "rent is going up to 1,310 from May", True),
        ("user", "", "Die Miete beträgt 890 Euro", "Ab Juni zahlen wir 940 Miete", True),
        ("user", "", "the regatta is on 14 June", "they moved the regatta to 14 July", True),
        ("user", "", "die Chorprobe ist dienstags um 20 Uhr", "die Chorprobe ist jetzt donnerstags", True),
        ("user", "", "die Chorprobe ist dienstags um 20 Uhr", "die Bandprobe ist jetzt donnerstags", False),
        ("user", "", "the budget is 900", "the kitchen budget is 800 now", False),
        ("user", "wifi provider", "Sky", "switched broadband to Zen", True),
        ("user", "wifi provider", "Sky", "Sky is slow tonight", False),
        ("user", "", "our trip to Malta is in March", "Malta's off, we can't afford it", True),
        ("user", "phone", "a Nokia 3310", "got a new phone, Fairphone 5", True),
        ("user", "", "my mobile is 07700 900123", "changed my number, 07700 900456 it is", True),
        ("user", "landlord", "Mr Bell", "my sister's landlord is Mr Cole now", False),
        ("user", "", "we track the tickets in Jira", "is Jira switched off?", False),
        ("user", "", "my bike is a Brompton", "the bus is late again", False),
        # a facet of a life that has another value
        ("user", "works at", "Shell", "handed in my notice, from monday I'm at the council", True),
        ("user", "works at", "Shell", "my brother handed in his notice", False),
        ("user", "works at", "Shell", "my mate Lou quit her job", False),
        ("user", "lives in", "Leeds", "we bought a flat at last", True),
        ("user", "lives in", "Leeds", "we bought a flat in Leeds at last", False),
        ("user", "lives in", "Leeds", "we sold our place in Spain", False),
        ("user", "partner", "Joel", "we broke up", True),
        ("user", "partner", "Joel", "we broke up the old patio", False),
        ("user", "partner", "Joel", "years ago I broke up with a Dean", False),
        ("user", "", "I'm sober", "two hundred days sober", False),
        ("user", "is", "institutrice", "je suis à la retraite depuis septembre", True),
        ("user", "", "Ich wohne in einer WG in Leipzig", "bin mit Jonas zusammengezogen", True),
        ("user", "", "Vivo con mis padres", "por fin tengo piso para mí", True),
        ("user", "partner", "Elisa", "ci siamo lasciati", True),
        ("user", "partner", "Joris", "het is uit met Joris", True),
        ("user", "works at", "TAP", "já pedi demissão, não aguentava mais", True),
        ("user", "works at", "TAP", "o meu primo mudou de emprego", False),
        # what ends is the thing itself, and the speaker's
        ("user", "bank", "Santander", "closed my Santander account", True),
        ("user", "bank", "Santander", "dad closed his Santander account", False),
        ("user", "", "My gym contract runs until May", "My phone contract lapsed", False),
        ("user", "", "My phone contract runs until May", "My phone contract lapsed", True),
        ("user", "tortoise", "Winston", "Rehomed Winston with a lady in Malvern", True),
        ("user", "car insurance", "with Allianz", "My travel insurance lapsed", False),
        ("user", "", "My gym membership costs 30 a month", "I cancelled my membership", True),
        ("user", "is", "vegan", "I no longer have that vegan cookbook", False),
        ("user", "partner", "Zoe", "Zoe quit smoking", False),
        ("user", "uses", "Trello", "the marketing team dropped Trello", False),
        ("user", "", "the kids' bedtime is 8", "the kids' bedtime is 9", True),
        ("user", "", "my sister lives in Hull", "my sister lives in Leeds", True),
        ("user", "", "mein Bruder wohnt in Suhl", "mein Bruder wohnt in Zeitz", True),
        ("user", "", "mio fratello vive a Bari", "mio fratello vive a Lecce", True),
        ("user", "", "my sister lives in Hull", "my brother lives in Leeds", False),
        ("user", "", "my sister lives in Hull", "my sister sings in Leeds", False),
        ("user", "", "ich esse gern Fisch", "ich esse gern Käse", False),
        ("user", "", "I go to yoga on Mondays", "yoga is cancelled today", False),
        ("user", "", "Ich gehe montags zum Yoga", "Yoga fällt heute aus", False),
        # another day, hour or figure of one thing; not of oneself, who may have two
        ("user", "", "recycling day is Monday", "recycling day is Thursday", True),
        ("user", "", "le marché est le jeudi", "le marché est le samedi", True),
        ("user", "", "o ensaio é às terças", "o ensaio é às quintas", True),
        ("user", "", "the library opens at 9", "the library opens at 10", True),
        ("user", "", "the bathroom budget is 12k", "bathroom budget: 15k", True),
        ("user", "", "I have yoga on Monday", "I have yoga on Thursday", False),
        ("user", "", "there are five hens in our coop", "there are seven hens in our coop", True),
        ("user", "", "I have two nieces", "I have three nieces", True),
        ("user", "", "I sleep 6 hours a night", "I sleep 7 hours a night", True),
        ("user", "", "a haircut at Nico's costs 18", "a haircut at Nico's costs 22", True),
        ("user", "", "I ran 5 km", "I ran 8 km", False),
        ("team", "", "the team meets on Zoom", "the team meets on Jitsi", True),
        # another value behind the same verb stands beside the first
        ("user", "", "Ich spiele Cello im Orchester", "Ich spiele jetzt Geige in der Band", False),
        ("user", "", "I have rice for lunch", "I have eggs for breakfast these days", False),
        ("user", "", "I take the bus to work", "I take vitamin D now", False),
        ("user", "", "I'm on the parish council", "I'm on the train now", False),
        (
            "user",
            "",
            "my GP Dr Roe has me on 50 twice a day",
            "Roe has me on a hundred twice a day now",
            True,
        ),
        # a way that leads on, from what stands or from its name
        ("user", "username on the wiki", "moth", "changed my wiki username to heron", True),
        ("user", "", "I'm on statins for my heart", "my doctor switched me from statins to fibrates", True),
        ("user", "", "I'm on statins for my heart", "my doctor switched me from a Polo to a Golf", False),
        (
            "user",
            "",
            "I'm on statins for my heart",
            "the vet switched the cat from statins to fibrates",
            False,
        ),
        ("user", "", "the manuals are kept on the wiki", "moved the manuals to the intranet", True),
        ("user", "", "the manuals are kept on the wiki", "moved the piano to the hall", False),
        ("user", "", "the loom is called vera", "vera's frame broke, the loom is nora now", True),
        ("user", "", "the print shop closes at 18:30", "the print shop runs 4 presses now", False),
        ("user", "", "ich trinke gern Saft", "ich trinke keinen Saft mehr", True),
        ("user", "", "ich trinke gern Saft", "ich trinke mehr Saft als du", False),
        ("user", "", "ik drink thee", "ik drink geen thee meer", True),
        ("user", "likes", "Kaffee", "es gibt keinen Kaffee mehr", False),
        ("user", "", "ich esse gern Brot", "ich habe kein Brot mehr", False),
        ("user", "", "Ich habe einen Golf", "ich habe keinen Golf mehr", True),
        ("user", "", "I live with my sister", "I live on soup these days", False),
        ("user", "", "I sing in a choir", "I sing to the baby these days", False),
        ("user", "", "je fais du yoga le lundi", "je fais du vélo maintenant", False),
        ("user", "", "The first exam is on 4 May", "the second exam is on 9 June", False),
        ("son", "school", "Hill School", "my son moved to set two in maths", False),
        ("user", "", "I do a course in botany", "if i quit the course i'd open a bakery", False),
        # what both measure is not what both speak of
        (
            "user",
            "",
            "the arthritis: type 2, got it three years ago",
            "they moved practice to Thursdays this year",
            False,
        ),
        ("user", "", "Sprechstunde ist mittwochs um 19:30 Uhr", "das Konzert beginnt jetzt um 20 Uhr", False),
        ("user", "", "we need about 8 months, I slept nine hours", "it is 31 an hour now", False),
        ("user", "", "the first job is the wiring", "you can quit calling me sir now", False),
        ("user", "is", "a nurse", "I'm a surveyor now", True),
        ("user", "is", "enfermera", "ahora soy profesora", True),
        ("user", "lives in", "Köln", "ich wohne wieder in Bonn", True),
        # another value of the same form, place, contrary or state of the same thing
        ("user", "", "the wardrobe arrives on 3 March", "the wardrobe has been held up till the 17th", True),
        ("user", "", "the wardrobe arrives on 3 March", "the wardrobe is lovely", False),
        ("user", "", "the spare bulbs are in the cellar", "put the spare bulbs into the garage", True),
        ("user", "", "die Leiter steht im Schuppen", "hab die Leiter in die Garage gestellt", True),
        ("user", "", "my notes are in the red binder", "my notes are in the red binder", False),
        ("user", "", "la réunion est dans la salle 4", "la réunion est dans le hall maintenant", True),
        ("Owen", "", "Owen isst keinen Fisch", "Owen isst jetzt Fisch", True),
        ("Owen", "", "Owen is our choir master", "Owen's tired now", False),
        ("Owen", "lives in", "Cardiff", "Owen's in Swansea these days", True),
        ("Owen", "", "Owen does the newsletter", "Rita has taken over the newsletter", True),
        ("Owen", "", "Owen speaks Welsh", "Rita speaks Welsh now", False),
        ("Owen", "", "Owen owns the mill", "Rita works at the mill now", False),
        ("user", "", "the roof budget is 9000", "we spent 300 of the roof budget", False),
        (
            "user",
            "",
            "the roof budget is 9000",
            "what does she mean: “the roof budget is 7000 now, please confirm”",
            False,
        ),
        ("user", "", "my rent is 1200", "the deposit is two months' rent, 2400", False),
        ("Owen", "", "Owen does not like fish", "Owen likes fish fingers", False),
        (
            "user",
            "",
            "the piano recital is on 12 November",
            "the piano recital last year was on 3 October",
            False,
        ),
        ("user", "", "the driving lesson is on 3 March", "driving lesson moved, 9 March now", True),
        ("user", "", "the market is on Saturdays", "the flea market is on Sundays now", False),
        ("user", "", "I work from home on Fridays", "Lena works from home on Mondays now", False),
        # who leaves at an hour comes back
        ("user", "", "my son goes to Hill School", "my son left school at 14:15 today", False),
        ("user", "", "I go to a yoga class", "i left the yoga class at 8:15 today", False),
        (
            "user",
            "",
            "Dafür lerne ich Spanisch bei Frau Ruiz",
            "ich brauche jetzt Geld, Otto gab mir 20 dafür",
            False,
        ),
    ],
)
def test_the_sum_tells_what_may_have_changed(
    entity: str, field: str, value: str, later: str, is_marked: bool
) -> None:
    known = Fact(entity, field, value, 1, said="2026-10-02", type="fact" if field else "statement")
    turn = Turn(id="", session="", turn="1", ts="2026-11-02T10:00:00Z", role="user", name="", text=later, line=1, end_line=1)  # fmt: skip
    telling = Telling(read([turn], {"owen": "Owen"}).statements)
    assert bool(overtaken([known], telling)) is is_marked


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("pushed back a week", date(2026, 12, 24)),
        ("brought forward by two days", date(2026, 12, 15)),
        ("können nur einen Tag früher", date(2026, 12, 16)),
        ("um eine Woche nach vorne verschoben", date(2026, 12, 10)),
        ("la visita è stata spostata al 17", date(2026, 12, 17)),
        ("they offered the 12th instead", date(2026, 12, 12)),
        ("dos semanas más tarde", date(2026, 12, 31)),
        ("it is on the 3rd floor", None),
        ("the 2 of us went back", None),
        ("two weeks of work", None),
    ],
)
def test_a_day_is_moved_by_an_amount_or_to_another_of_its_month(text: str, day: date | None) -> None:
    assert moved_day(text, date(2026, 12, 17)) == day


@pytest.mark.parametrize(
    ("older", "later"),
    [
        ("my blood type is A+", "sold a duplicate stamp at the fair"),
        ("I live in Cardiff", "we moved the meeting to Thursday"),
        ("I'm gluten free", "the bakery no longer does gluten free bread"),
        ("the deadline is 4 May", "the deadline of the other tender moved to June"),
        ("J'habite à Lille", "j'ai quitté Lille à 8h ce matin"),
        ("my brother works at Shell", "I left Shell in 2019, funny how things go"),
        ("mein Bruder arbeitet bei Shell", "ich habe Shell 2019 verlassen, lange her"),
    ],
)
def test_what_is_told_of_another_thing_ends_nothing(vault_of: VaultOf, older: str, later: str) -> None:
    root = vault_of({})
    stood = list[list[str]]()
    for day, text in (("2026-10-02", older), ("2026-11-02", later)):
        log = root / f"logs/{day}/a.jsonl"
        log.parent.mkdir(parents=True)
        log.write_text(said(day, [("user", text)], day=day), encoding="utf-8")
        with App(root, clock=lambda day=day: datetime.fromisoformat(f"{day}T22:00:00+00:00")) as app:
            app.consolidate(llm="none")
            stood.append([fact.value for _, fact in app.facts() if fact.current])
    assert stood[0]
    assert set(stood[0]) <= set(stood[1])


def test_what_is_only_touched_is_marked_with_the_later_words_and_waits(vault_of: VaultOf) -> None:
    nights = {
        "2026-10-02": ["Owen lives in Cardiff", "i do parkrun every saturday in Roundhay", "the boiler service is on 20 November", "my bank is Lloyds"],
        "2026-11-02": ["Owen left Cardiff, he rents a room in Swansea", "they've brought the boiler service forward by two days", "I'm with Starling now", "knee's wrecked, swapped the parkrun for aqua aerobics"],
    }  # fmt: skip
    root = vault_of({})
    for day, texts in nights.items():
        log = root / f"logs/{day}/a.jsonl"
        log.parent.mkdir(parents=True)
        log.write_text(said(day, [("user", text) for text in texts], day=day), encoding="utf-8")
        with App(root, clock=lambda day=day: datetime.fromisoformat(f"{day}T22:00:00+00:00")) as app:
            app.consolidate(llm="none")
    with App(root, clock=lambda: datetime(2026, 11, 3, 9, tzinfo=UTC)) as app:
        standing = [fact.value for _, fact in app.facts() if fact.current]
        past = {fact.value: fact for _, fact in app.facts(history=True) if not fact.current}
        assert "Cardiff" in standing
        assert "they've brought the boiler service forward by two days (2026-11-18)" in standing
        assert past["Lloyds"].until == past["the boiler service is on 20 November"].until == "2026-11-02"
        mark = '(may have changed: "Owen left Cardiff, he rents a room in Swansea", 2026-11-02)'
        assert mark in app.recall("where does Owen live?").context
        assert mark in app.recall("kind:turn Owen lives in Cardiff").context
        assert any(mark in line.text for line in app.ask("where does Owen live?").lines)
        waiting = app.review.list()
        assert {item.what for item in waiting} == {
            "Owen: lives in Cardiff",
            'user said: "i do parkrun every saturday in Roundhay"',
        }
        assert all("it may have changed" in item.why for item in waiting)
        app.review.approve(waiting)
        assert not app.review.list()
        for question in ("where does Owen live?", "kind:turn Owen lives in Cardiff"):
            assert "may have changed" not in app.recall(question).context
        assert "overtaken" not in (root / "semantic/people.md").read_text(encoding="utf-8")
