"""What people say in Spanish, French, Italian, Dutch and Portuguese: each row is a sentence as it is typed, and what is read in it."""

from __future__ import annotations

import pytest
from segments import segment_of, talk_of

from memoryclaw.consolidation import todos
from memoryclaw.talk.statements import read
from memoryclaw.talk.worth import SessionLook, verdict, weigh

ORDERS = (
    ("es", "contesta siempre con ejemplos"), ("es", "no uses negritas"), ("es", "nunca me des listas"), ("es", "llamame Paco"),
    ("es", "sin tecnicismos por favor"), ("es", "a partir de ahora escribe en gallego"), ("es", "tutéame"),
    ("fr", "tutoie moi"), ("fr", "pas de listes à puces stp"), ("fr", "n'utilise jamais d'anglicismes"), ("fr", "réponds toujours en allemand"),
    ("fr", "désormais explique étape par étape"), ("fr", "evite les emojis"), ("fr", "appelle-moi Jo"),
    ("it", "niente tabelle"), ("it", "rispondi sempre in tedesco"), ("it", "dammi del lei"), ("it", "non usare mai anglicismi"),
    ("it", "d'ora in poi scrivi in corsivo"), ("it", "chiamami Ale"),
    ("nl", "gebruik nooit uitroeptekens"), ("nl", "geen tabellen graag"), ("nl", "antwoord altijd in het frans"), ("nl", "noem me Kees"),
    ("nl", "voortaan graag stap voor stap"), ("nl", "vermijd anglicismen"),
    ("pt", "responda sempre em inglês"), ("pt", "não uses tabelas"), ("pt", "sem emojis por favor"), ("pt", "trata-me por você"),
    ("pt", "a partir de agora escreve em português do brasil"), ("pt", "nunca me dês exemplos"),
)  # fmt: skip
OF_THE_MOMENT = (
    ("en", "why does my printer say no paper"), ("en", "why does the teacher say always round up"), ("de", "warum sagt mein Drucker immer kein Papier"),
    ("nl", "waarom zegt mijn printer altijd geen papier"), ("fr", "pourquoi mon imprimante dit jamais connectée"), ("it", "perché il telefono dice mai connesso"),
    ("es", "por qué dice mi móvil nunca conectado"), ("pt", "porque é que o telemóvel diz sempre sem rede"),
    ("es", "responde en alemán a este mensaje"), ("es", "resume este informe"), ("es", "más breve por favor"), ("es", "dame cinco ideas para la cena"),
    ("es", "habla mucho mi vecino"), ("es", "da clases de inglés en un instituto"), ("es", "siempre desayuno café con tostadas"), ("es", "prefiero el tren directo"),
    ("fr", "appelle-moi demain"), ("fr", "mets la phrase au passé"), ("it", "parla inglese e francese"), ("it", "basta così"), ("nl", "antwoord hem in het engels"),
    ("nl", "altijd te laat die bus"), ("pt", "dá um exemplo em python"), ("pt", "não ponhas açúcar na receita"),
    ("es", "no me gusta el café"), ("es", "nunca he estado en Roma"), ("es", "nada de eso importa"),
    ("fr", "réponds en anglais à ce mail"), ("fr", "plus long stp"), ("fr", "donne-moi deux exemples"), ("fr", "pas de souci"), ("fr", "traduis cette lettre"),
    ("it", "rispondi in francese a questa lettera"), ("it", "più lungo per favore"), ("it", "dammi due esempi"), ("it", "nessun problema"),
    ("it", "correggi questo testo"),
    ("nl", "antwoord in het duits op deze brief"), ("nl", "langer graag"), ("nl", "geef me twee voorbeelden"), ("nl", "geen idee"), ("nl", "vat deze tekst samen"),
    ("pt", "responde em alemão a esta carta"), ("pt", "mais longo por favor"), ("pt", "me dá dois exemplos"), ("pt", "não faz mal"), ("pt", "corrige este texto"),
)  # fmt: skip
# On Tuesday, 10 March 2026.
TODOS = (
    ("es", "tengo que llevar el coche al taller mañana", "2026-03-11"), ("es", "hay que renovar el seguro antes del 5 de abril", "2026-04-04"),
    ("es", "recuérdame llamar a Marta el viernes", "2026-03-13"),
    ("fr", "il faut que je rende les livres vendredi", "2026-03-13"), ("fr", "je dois appeler l'école demain", "2026-03-11"),
    ("fr", "rappelle moi d'arroser les plantes samedi", "2026-03-14"),
    ("it", "devo pagare il dentista entro il 5 aprile", "2026-04-05"), ("it", "bisogna chiamare l'idraulico domani", "2026-03-11"),
    ("it", "ricordami di comprare il latte venerdi", "2026-03-13"),
    ("nl", "ik moet morgen de dokter bellen", "2026-03-11"), ("nl", "we moeten de belasting betalen voor 5 april", "2026-04-04"),
    ("nl", "herinner me eraan om melk te kopen vrijdag", "2026-03-13"),
    ("pt", "tenho que ligar para o dentista amanhã", "2026-03-11"), ("pt", "preciso pagar a conta até 5 de abril", "2026-04-05"),
    ("pt", "lembra-me de comprar leite na sexta", "2026-03-13"),
)  # fmt: skip
NO_TODOS = (
    ("es", "tengo que decir que me gusta"), ("es", "mi hermana tiene que llamar al banco"), ("fr", "je dois avouer que c'est bien"),
    ("fr", "tu dois payer le loyer"), ("it", "devo dire che funziona"), ("it", "mia sorella deve chiamare la banca"), ("nl", "ik moet zeggen dat het werkt"),
    ("nl", "mijn zus moet de bank bellen"), ("nl", "ik moet naar de wc"), ("it", "devo avere la febbre"), ("pt", "tenho que dizer que funciona"), ("pt", "minha irmã precisa ligar ao banco"),
)  # fmt: skip
ENDED = (
    ("es", "ya no vivo en Bilbao", ("lives in", "Bilbao")), ("fr", "je ne travaille plus chez Renault", ("works at", "Renault")),
    ("fr", "j'habite plus à Lille", ("lives in", "Lille")), ("it", "non abito più a Pisa", ("lives in", "Pisa")),
    ("nl", "ik werk niet meer bij Philips", ("works at", "Philips")), ("pt", "já não moro em Braga", ("lives in", "Braga")),
)  # fmt: skip
FACTS = (
    ("es", "vivo en Bilbao", ("lives in", "Bilbao")), ("es", "me he mudado a Oviedo", ("lives in", "Oviedo")), ("es", "soy alérgica al polen", None),
    ("fr", "j'habite à Lille", ("lives in", "Lille")), ("fr", "j'ai déménagé à Brest", ("lives in", "Brest")), ("fr", "je bosse chez Renault", ("works at", "Renault")),
    ("it", "abito a Pisa", ("lives in", "Pisa")), ("it", "mi sono trasferita a Lucca", ("lives in", "Lucca")),
    ("nl", "ik woon in Delft", ("lives in", "Delft")), ("nl", "ik ben verhuisd naar Gouda", ("lives in", "Gouda")),
    ("pt", "moro em Braga", ("lives in", "Braga")), ("pt", "mudei-me para Évora", ("lives in", "Évora")),
    ("pt", "moramos no Recife", ("lives in", "Recife")), ("pt", "trabalho como padeiro", ("works as", "padeiro")), ("pt", "não bebo cachaça", None),
    ("es", "me encanta el gazpacho", ("likes", "gazpacho")), ("es", "hablo gallego", ("languages", "gallego")), ("es", "conduzco un Ibiza", ("drives", "Ibiza")),
    ("it", "il mio numero è 340 111 2233", ("phone", "340 111 2233")), ("it", "adoro il risotto", ("likes", "risotto")), ("it", "guido una Panda", ("drives", "Panda")),
    ("fr", "mon numéro c'est le 06 11 22 33 44", ("phone", "06 11 22 33 44")), ("fr", "je roule en Twingo", ("drives", "Twingo")),
    ("fr", "je suis allergique à la pénicilline", ("allergy", "pénicilline")), ("nl", "ik werk als slager", ("works as", "slager")),
    ("nl", "ik rij in een Volvo", ("drives", "Volvo")), ("nl", "ik ben dol op stamppot", ("likes", "stamppot")),
    ("de", "ich arbeite bei der Bahn", ("works at", "Bahn")), ("de", "bin im Mai nach Halle gezogen", ("lives in", "Halle")), ("de", "ich wohn in Jena", ("lives in", "Jena")),
)  # fmt: skip
# Plain facts in everyday words, and what is like them but says nothing lasting.
EVERYDAY = (
    ("es", "trabajo en una farmacia de Lugo", ("works at", "farmacia de Lugo")), ("de", "ich arbeite in einer Apotheke", ("works at", "Apotheke")),
    ("nl", "ik werk in een bakkerij in Gouda", ("works at", "bakkerij in Gouda")), ("en", "i work at a pharmacy", ("works at", "pharmacy")),
    ("es", "trabajo en una novela", None), ("de", "ich arbeite an einem Roman", None), ("en", "i work at a loss", None),
    ("en", "i write everything in sublime", ("uses", "sublime")), ("en", "i write everything in lowercase", None), ("en", "i use an android", ("uses", "android")),
    ("en", "i use a spoon", None), ("en", "cant stand olives", ("dislikes", "olives")), ("de", "mag keine Pilze", ("dislikes", "Pilze")), ("en", "love it", None),
    ("de", "Lisa: mag Rosen", None), ("de", "Mama: Geburtstag am 3. Juni, mag Lilien", None), ("en", "Tom: can't stand olives", None), ("en", "the kids: love football", None),
    ("nl", "Opa: haat jazz", None), ("en", "Lea, 8: love horses", None), ("en", "food: can't stand olives", ("dislikes", "olives")), ("de", "ich: mag Rosen", ("likes", "Rosen")),
    ("nl", "muziek: hou van jazz", ("likes", "jazz")), ("es", "gustos: me encanta el jazz", ("likes", "jazz")),
    ("en", "you can get me on 07700 900551", ("phone", "07700 900551")), ("fr", "tu peux me joindre au 06 12 34 56 78", ("phone", "06 12 34 56 78")),
    # A plan, a time of day, a need, and what something is doing when it is told or asked about.
    ("en", "we're moving to Whitby in march", None), ("de", "im dezember ziehe ich nach Jena", None), ("fr", "on déménage à Dax après noël", None),
    ("es", "me mudo a Ronda en enero", None), ("it", "mi trasferisco a Lecco a gennaio", None), ("nl", "ik verhuis in januari naar Emmen", None),
    ("en", "i work at the harbour office", ("works at", "harbour office")), ("en", "i work for the council", ("works at", "council")),
    ("en", "i work for the money", None), ("en", "i work at weekends", None), ("en", "i start work at 8:30", None), ("de", "ich arbeite bei nacht", None), ("fr", "je travaille à midi", None),
    ("es", "trabajo en navidad", None), ("it", "lavoro a Natale", None), ("nl", "ik werk bij nacht", None), ("es", "necesito una silla nueva", None),
    ("fr", "mes voisins se sont fâchés avec Luc", None), ("en", "my phone is on 3% what do i do", None),
    ("en", "my oven is showing E4 what is that", None), ("de", "mein Drucker ist auf 5% Tinte was mach ich jetzt", None), ("pt", "o meu carro está a 5% que faço", None),
    ("fr", "ma voiture est à 0% de batterie que faire", None), ("en", "my rent is 900 how much is that a year", ("rent", "900")),
    ("en", "my boiler is a Worcester 30i", ("boiler", "a Worcester 30i")), ("it", "vado spesso a Pisa quando ho tempo", None),
    ("fr", "je suis chez le coiffeur", None), ("de", "ich bin jetzt bei Frau Dr. Sommer", None), ("de", "ich bin jetzt bei Bosch", ("works at", "Bosch")), ("fr", "je suis chez Renault", ("works at", "Renault")), ("nl", "ik zit bij de kapper", None),
    ("es", "puedes llamarme al 600 123 456", ("phone", "600 123 456")), ("en", "call me at 5", None), ("nl", "ik zit nu in Deventer bij mijn broer", None),
)  # fmt: skip
# Who is whose, told by a verb with a pronoun of its own, or with an article before a title.
RELATED = (
    ("es", "mi perro se llama Bruno", ("dog", "Bruno")), ("it", "mia moglie si chiama Nora", ("wife", "Nora")), ("fr", "ma femme s'appelle Nora", ("wife", "Nora")),
    ("pt", "minha irmã se chama Rita", ("sister", "Rita")), ("nl", "mijn huisbaas heet Mertens", ("landlord", "Mertens")),
    ("es", "mi dentista es el Dr. Osei", ("dentist", "Dr Osei")), ("fr", "mon dentiste est le Dr Osei", ("dentist", "Dr Osei")),
    ("de", "mein Zahnarzt ist Dr. Keller", ("dentist", "Dr Keller")),
)  # fmt: skip
# What is told before a question, and what only looks so.
BEFORE_A_QUESTION = (
    ("en", "I live in Leeds, which gym nearby is worth it?", "Leeds"), ("de", "ich wohne in Jena, welches Fitnessstudio lohnt sich?", "Jena"),
    ("fr", "j'habite à Brest, quelle salle de sport vaut le coup ?", "Brest"), ("es", "vivo en Oviedo, ¿qué gimnasio merece la pena?", "Oviedo"),
    ("it", "abito a Lucca, quale palestra vale la pena?", "Lucca"), ("nl", "ik woon in Gouda, welke sportschool is goed?", "Gouda"),
    ("pt", "moro em Botafogo, qual academia perto vale a pena?", "Botafogo"),
    ("en", "I live in Leeds, right?", ""), ("en", "I live in Leeds, or did I say Hull?", ""), ("de", "ich wohne in Jena, oder?", ""), ("es", "vivo en Oviedo, ¿no?", ""),
    ("en", "if I live in Leeds, which gym is near?", ""),
)  # fmt: skip
DOUBTED = (
    ("en", "according to my wife i am 12 years old", "reported"), ("en", "i'm 52, my aunt says", "reported"), ("en", "my mum reckons i'm 12", "reported"),
    ("de", "laut meiner Frau bin ich 12", "reported"), ("fr", "selon ma femme, j'ai 12 ans", "reported"), ("es", "tengo 52 años, dice mi hermana", "reported"),
    ("it", "secondo mia figlia ho 100 anni", "reported"), ("nl", "volgens mijn dochter ben ik 100 jaar oud", "reported"), ("pt", "segundo a minha filha tenho 100 anos", "reported"),
    ("es", "creo que la cita es el jueves", "hedged"), ("fr", "peut-être qu'on ira à Rome", "hedged"), ("it", "forse il corso costa 90 euro", "hedged"),
    ("nl", "misschien is de les op donderdag", "hedged"), ("pt", "talvez a aula seja na quinta", "hedged"),
    ("en", "let's assume i earn 70k, what is left", "supposed"), ("en", "for the sake of argument, my salary is 70k and my bonus is 3k", "supposed"), ("de", "mal angenommen, meine Miete ist 700", "supposed"),
    ("fr", "mettons que mon loyer est de 700", "supposed"), ("es", "pongamos que mi sueldo es 1800", "supposed"), ("it", "mettiamo che il mio affitto sia 700", "supposed"),
    ("nl", "laten we zeggen dat mijn huur 700 is", "supposed"), ("pt", "vamos supor que a minha renda é 700", "supposed"),
    ("es", "si llueve nos quedamos en casa", "supposed"), ("fr", "si j'avais un jardin je planterais des roses", "supposed"),
    ("it", "se piove restiamo a casa", "supposed"), ("nl", "als het regent blijven we thuis", "supposed"), ("pt", "se chover ficamos em casa", "supposed"),
)  # fmt: skip

# What a doctor or a paper says of oneself is no hearsay.
VOUCHED = (
    ("en", "according to my blood test i'm low on iron"), ("en", "i'm allergic to latex, says my doctor"), ("en", "i'm 52, my passport says"),
    ("en", "according to the contract i get 30 days off"), ("de", "laut meiner Hautärztin bin ich gegen Nickel allergisch"), ("de", "laut meinem Vertrag habe ich 30 Tage Urlaub"),
    ("fr", "selon mon médecin, je suis allergique au pollen"), ("es", "según mi médico soy celíaco"), ("it", "secondo la mia dottoressa sono celiaca"),
    ("nl", "volgens mijn huisarts heb ik astma"), ("pt", "segundo o meu médico sou alérgico a amendoim"),
)  # fmt: skip


def orders_in(code: str, text: str) -> list[str]:
    """The orders that stand of what is said in one turn."""
    turns = segment_of([("user Nora", text)]).turns
    talk = weigh(read(turns, {}, code), turns, SessionLook.of(turns, code))
    return [
        statement.words
        for statement in talk.statements
        if statement.kind == "order" and verdict(statement).verdict == "fact"
    ]


@pytest.mark.parametrize(("code", "text"), ORDERS)
def test_how_to_answer_from_now_on_is_an_order(code: str, text: str) -> None:
    assert len(orders_in(code, text)) == 1


@pytest.mark.parametrize(("code", "text"), OF_THE_MOMENT)
def test_what_is_asked_for_once_is_no_order(code: str, text: str) -> None:
    assert orders_in(code, text) == []


@pytest.mark.parametrize(("code", "text", "due"), TODOS)
def test_what_has_to_be_done_has_its_day(code: str, text: str, due: str) -> None:
    turns = segment_of([("user Nora", text)]).turns
    _, (line,) = todos.read(talk_of(text, language=code), turns, language=code)
    assert (line.box, line.due) == (" ", due)


@pytest.mark.parametrize(("code", "text"), NO_TODOS)
def test_what_others_have_to_do_and_what_is_only_said_so_is_none(code: str, text: str) -> None:
    turns = segment_of([("user Nora", text)]).turns
    assert not todos.read(talk_of(text, language=code), turns, language=code)[1]


@pytest.mark.parametrize(("code", "text", "fact"), ENDED)
def test_what_holds_no_longer_ends_its_field(code: str, text: str, fact: tuple[str, str]) -> None:
    (statement,) = talk_of(text, language=code).statements
    assert [(ending.field, ending.value) for ending in statement.ended] == [fact]
    assert not statement.assertions


@pytest.mark.parametrize(("code", "text", "fact"), FACTS)
def test_a_verb_that_has_its_subject_in_it_tells_of_the_speaker(
    code: str, text: str, fact: tuple[str, str] | None
) -> None:
    (statement,) = talk_of(text, language="en").statements  # it tells its language
    assert (statement.language, statement.subject, statement.doubts) == (code, "own", frozenset())
    assert fact is None or [(assertion.field, assertion.value) for assertion in statement.assertions] == [
        fact
    ]


@pytest.mark.parametrize(("code", "text", "fact"), EVERYDAY)
def test_plain_facts_in_everyday_words_are_facts(code: str, text: str, fact: tuple[str, str] | None) -> None:
    claims = [
        assertion
        for statement in talk_of(text, language=code).statements
        for assertion in statement.assertions
    ]
    assert [(claim.entity, claim.field, claim.value) for claim in claims] == ([("", *fact)] if fact else [])


@pytest.mark.parametrize(("code", "text"), [("it", "secondo me ho 30 anni"), ("es", "mi segundo hijo se llama Leo"), ("de", "meine Nachbarn sind laut")])  # fmt: skip
def test_an_own_opinion_and_a_second_one_are_nobody_elses_word(code: str, text: str) -> None:
    assert not any("reported" in statement.doubts for statement in talk_of(text, language=code).statements)


@pytest.mark.parametrize(("code", "text", "fact"), RELATED)
def test_who_is_whose_has_the_field_that_english_has(code: str, text: str, fact: tuple[str, str]) -> None:
    (statement,) = talk_of(text, language="en").statements
    assert statement.language == code
    assert [(assertion.field, assertion.value) for assertion in statement.assertions] == [fact]
    assert verdict(statement).verdict == "fact"


@pytest.mark.parametrize(("code", "text", "home"), BEFORE_A_QUESTION)
def test_what_is_told_before_a_question_is_kept(code: str, text: str, home: str) -> None:
    statements = talk_of(text, language=code).statements
    facts = [
        fact
        for statement in statements
        if verdict(statement).verdict == "fact"
        for fact in statement.assertions
    ]
    assert [fact.value for fact in facts] == [home] * bool(home)


@pytest.mark.parametrize(("code", "text", "doubt"), DOUBTED)
def test_what_is_doubtful_or_only_supposed_is_told_so(code: str, text: str, doubt: str) -> None:
    assert all(doubt in statement.doubts for statement in talk_of(text, language=code).statements)


@pytest.mark.parametrize(("code", "text"), VOUCHED)
def test_the_word_of_who_knows_of_oneself_is_no_hearsay(code: str, text: str) -> None:
    statements = talk_of(text, language=code).statements
    telling = max(statements, key=lambda statement: statement.subject == "own")
    assert "reported" not in telling.doubts
