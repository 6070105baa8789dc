"""Nothing is said where nothing in the vault is about the turn; why, is a sum."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryclaw.app import App
from memoryclaw.text import words as lists
from tests.vaults import put

SILENCE = Path(__file__).parents[2] / "benchmarks/silenceset"
FILES = {
    "memoryclaw.yaml": "",
    "boiler.md": "The boiler of the cellar was repaired by Nora in March for 300 euros.\n",
    "uploader.md": "In the uploader, failed parts are retried with backoff, five attempts at most.\n",
    "jokes.md": "Tom told a story about the rain at dinner.\n",
    "semantic/people.md": "# Nora\n- phone: 0151 2345\n- birthday: 2026-03-12\n\n# user\n- timezone: Europe/Lisbon\n",
    **{
        f"other/{n}.md": f"Number {n} stands for something else in this long list of things.\n"
        for n in range(20)
    },
}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with App(put(tmp_path / "v", FILES), clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        yield opened


@pytest.mark.parametrize(
    "turn",
    ["hi", "thanks!", "2+2?", "tell me a joke about penguins", "write a haiku about rain", "looks good, go on", "danke dir", "what can you do?"],
)  # fmt: skip
def test_a_turn_about_nothing_here_gets_nothing(app: App, turn: str) -> None:
    answer = app.recall(turn)
    assert (answer.context, answer.tokens, answer.confidence) == ("", 0, 0.0)
    assert answer.relevance.value < 0
    assert {omitted.reason for omitted in answer.left_out} <= {"irrelevant"}


@pytest.mark.parametrize(
    "turn",
    ["who repaired the boiler?", "add a retry to the uploader", "What is Nora's phone number?", "boiler", "what is my timezone", "kind:note boiler"],
)  # fmt: skip
def test_a_turn_about_something_here_gets_it(app: App, turn: str) -> None:
    answer = app.recall(turn)
    assert answer.matches
    assert answer.relevance.value >= 0
    assert answer.confidence > 0


TOLD = {
    "memoryclaw.yaml": "owner: Ana\n",
    "semantic/people.md": """# Ana
- "bo moved out last week, ida has his room" [said:: 2026-01-05]
- "there is money for the project until october" [said:: 2026-01-06]
- "after that the money comes from the city" [said:: 2026-01-06]
- "they replaced the left hip in may" [said:: 2026-01-07]
- "the dog snores louder than my man" [said:: 2026-01-08]
""",
    **{f"other/{n}.md": f"Number {n} stands for something else in this long list of things.\n" for n in range(20)},
}  # fmt: skip


def test_a_question_of_oneself_is_answered_from_what_one_told_in_other_words(tmp_path: Path) -> None:
    """What was told stands for what is asked; where nothing was told, nothing is said."""
    asked = ("who lives with me now?", "when does my funding end?", "which joint did I have operated on?")
    untold = ("what is my passport number?", "what colour are my curtains?", "do I take any vitamins?")
    with App(put(tmp_path / "v", TOLD)) as app:
        assert [question for question in asked if not app.recall(question, noted=False).context] == []
        assert [question for question in untold if app.recall(question, noted=False).context] == []
        terms = {term.name: term.value for term in app.recall(asked[0], noted=False).relevance.terms}
    assert terms["own told"] > 0 < terms["own found"]
    assert "weight" not in terms  # no word of it stands there


def test_how_the_assistant_shall_do_something_is_answered_by_what_it_was_told_to_do(tmp_path: Path) -> None:
    wish = "- from now on: plain words and large steps please [since:: 2026-03-01]\n"
    files = {**FILES, "semantic/people.md": FILES["semantic/people.md"] + wish}
    with App(put(tmp_path / "v", files), clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as app:
        answer = app.recall("how should you explain things to me?")
        assert "plain words and large steps" in answer.context
        assert "wish" in {term.name for term in answer.relevance.terms}
        assert "plain words" in app.recall("wie soll erklärt werden, was du mir erläuterst").context
        assert app.recall("what can you do?").context == ""


def test_a_question_for_what_a_memory_names_asks_no_common_knowledge(tmp_path: Path) -> None:
    wedding = "- florist: Tove [since:: 2026-03-01]\n"
    files = {**FILES, "semantic/people.md": FILES["semantic/people.md"] + wedding}
    with App(put(tmp_path / "v", files), clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as app:
        answer = app.recall("who is the florist?")
        assert "Tove" in answer.context
        assert "general" not in {term.name for term in answer.relevance.terms}
        assert app.recall("who is the pope?").context == ""


def test_a_question_for_what_is_somebodys_asks_no_common_knowledge_where_something_names_them(
    tmp_path: Path,
) -> None:
    heating = '- "our heating engineer is Aldo, 0664 555 0132" [said:: 2026-03-01]\n'
    files = {**FILES, "semantic/people.md": FILES["semantic/people.md"] + heating}
    with App(put(tmp_path / "v", files), clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as app:
        for question in ("what's Aldo's number?", "what's aldo’s number"):
            assert "0664 555 0132" in app.recall(question).context
        assert app.recall("what's Otto's number?").context == ""


def test_an_order_in_another_language_that_names_a_project_gets_it(tmp_path: Path) -> None:
    said = '- "Das Projekt Storch läuft auf Java 21" [said:: 2026-03-01]\n'
    files = {**FILES, "semantic/people.md": FILES["semantic/people.md"] + said}
    with App(put(tmp_path / "v", files)) as app:
        assert "Java 21" in app.recall("füge storch einen healthcheck hinzu", noted=False).context
        assert app.recall("füge reiher einen healthcheck hinzu", noted=False).context == ""


def test_what_names_somebody_of_whom_a_memory_tells_gets_it_whatever_else_it_asks(tmp_path: Path) -> None:
    lena = "- drinks: oat milk [since:: 2026-03-01]\n\n# code\n- editor: vim\n"
    files = {**TOLD, "semantic/people.md": TOLD["semantic/people.md"] + f"\n# Lena\n{lena}"}
    with App(put(tmp_path / "v", files)) as app:
        for asked in (
            "what should be poured for Lena",
            "draft a birthday card for Lena",
            "what does lenas mum pour",  # many type no apostrophe
            "was trinkt Lenas Chef",
        ):
            answer = app.recall(asked, noted=False)
            assert "oat milk" in answer.context
            assert "named" in {term.name for term in answer.relevance.terms}
        for other in ("draft a birthday card for Otto", "is my code good?"):
            assert "named" not in {term.name for term in app.recall(other, noted=False).relevance.terms}
        # Words to look up, most of which stand nowhere.
        assert not app.recall("lena birthday card", noted=False).context


def test_work_on_ones_own_matter_gets_the_fact_of_it(tmp_path: Path) -> None:
    own = "- wedding: 12 june 2027 in Kendal\n- landlord: Mr Petrov\n- email: ada@example.org\n- name: Ada\n"
    with App(put(tmp_path / "v", {**FILES, "semantic/people.md": f"# user\n{own}"})) as app:
        for turn, fact in (
            ("draft a save the date for our wedding", "Kendal"),
            ("help me with the wedding invitations", "Kendal"),
            ("hilf mir mit der Einladung zur Hochzeit", "Kendal"),
            ("help me write to my landlord", "Petrov"),
            ("my email", "ada@example.org"),
        ):
            answer = app.recall(turn, noted=False)
            assert fact in answer.context
            assert "named" in {term.name for term in answer.relevance.terms}
        for turn in (
            "write a speech for a wedding",
            "tell me the name of the largest city in Peru",
            "what is the name of the pope?",
            "rewrite my email to be shorter",
        ):
            assert "named" not in {term.name for term in app.recall(turn, noted=False).relevance.terms}


def test_work_that_names_a_thing_in_small_letters_or_somebody_by_a_role_gets_what_is_known_of_it(
    tmp_path: Path,
) -> None:
    said = "".join(
        f'- "{words}" [said:: 2026-03-01]\n'
        for words in (
            "the kestrel api is rate limited to 20 rps", "penguins at the zoo made us laugh",
            "My daughter can't eat sesame", "Mon frère est végétarien", "unsere Heizung ist von Buderus",
        )
    )  # fmt: skip
    facts = "- boiler: Worcester 30i\n- dislikes: coriander\n- email: ada@example.org\n"
    text = f"# user\n{facts}{said}\n# mum\n- 70th: 4 december in Hove [since:: 2026-03-01]\n"
    with App(put(tmp_path / "v", {"memoryclaw.yaml": "", "semantic/people.md": text})) as app:
        assert "20 rps" in app.recall("add retries to the kestrel client", noted=False).context
        assert "Hove" in app.recall("draft a speech for mums birthday", noted=False).context
        assert "sesame" in app.recall("a snack for my daughter", noted=False).context
        assert "végétarien" in app.recall("un menu pour mon frère", noted=False).context
        assert "Buderus" in app.recall("die Heizung bleibt kalt", noted=False).context
        assert "30i" in app.recall("the boiler leaks", noted=False).context
        assert "dislikes" in app.recall("a curry with coriander please", noted=False).context
        for turn in (
            "this boiler leaks now",
            "make the email shorter",
            "clean the boiler of a neighbour",
            "a curry with cumin please",
        ):
            assert "named" not in {term.name for term in app.recall(turn, noted=False).relevance.terms}
        for turn in (
            "add retries to the http client",
            "draft a speech for a birthday",
            "a snack for a daughter",
            "a snack for my son",
            "write a haiku about lions",
        ):
            assert app.recall(turn, noted=False).context == ""


def test_the_name_of_a_field_of_ones_own_wakes_nothing_in_work_that_asks_nothing(tmp_path: Path) -> None:
    facts = "# user\n- name: Ada Okafor\n- phone: 0160 5550142\n- landlord: Mr Keane\n- lives in: Ghent\n"
    with App(put(tmp_path / "v", {"memoryclaw.yaml": "", "semantic/people.md": facts})) as app:
        for work in (
            "rename the function to full_name",
            "name ideas for a band",
            "add a phone column to the table",
        ):
            assert app.recall(work, noted=False).tokens == 0
        assert "Keane" in app.recall("write to the landlord about the boiler", noted=False).context
        assert "Okafor" in app.recall("sign the letter with my name", noted=False).context
        assert "0142" in app.recall("phone number?", noted=False).context


def test_one_word_of_common_knowledge_is_no_matter_of_the_vault(tmp_path: Path) -> None:
    said = '- "I have a flat white every morning" [said:: 2026-03-01]\n- "the boiler is under warranty until may" [said:: 2026-03-01]\n'
    with App(put(tmp_path / "v", {"memoryclaw.yaml": "", "semantic/people.md": f"# user\n{said}"})) as app:
        assert app.recall("is the earth flat", noted=False).context == ""
        assert "warranty" in app.recall("is the boiler under warranty", noted=False).context
        assert "warranty" in app.recall("is the warranty of our boiler over", noted=False).context


@pytest.mark.parametrize(
    ("said", "turn", "speaks"),
    [
        ("ta pet", "ta pet", False),
        ("phew!", "phew", False),
        ("no thats all dear", "thats all dear", False),
        ("Kestrel. we deploy it on fridays", "kestrel", True),
        ("the landlady paints the hall lime", "landlady hall", True),
    ],
)
def test_what_was_said_before_as_a_whole_turn_is_no_request(
    said: str, turn: str, speaks: bool, tmp_path: Path
) -> None:
    with App(
        put(tmp_path, {"memoryclaw.yaml": ""}), clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)
    ) as vault:
        vault.capture(
            [{"ts": "2026-03-01T10:00:00Z", "session": "s", "turn": "0", "role": "user", "content": said}]
        )
        assert bool(vault.recall(turn, noted=False).context) == speaks


def test_a_plain_question_says_so_and_one_about_oneself_is_another(app: App) -> None:
    def terms(question: str) -> dict[str, float]:
        return {term.name: term.value for term in app.recall(question).relevance.terms}

    assert terms("when was the boiler repaired by the plumber from Leith?")["question"] > 0
    assert "question" not in terms("what is a boiler?")
    assert terms("which phone contract did i choose in spring?").keys() & {"question", "own question"} == {
        "own question"
    }
    assert "general" in terms("how do i descale a boiler?")
    assert "general" not in terms("how do i like the boiler?")


def test_the_relevance_is_the_sum_of_its_terms_and_search_says_it_too(app: App) -> None:
    answer = app.recall("who repaired the boiler?")
    assert answer.relevance.value == sum(term.value for term in answer.relevance.terms)
    assert len({term.name for term in answer.relevance.terms}) == len(answer.relevance.terms) > 3
    assert app.search("who repaired the boiler?").confidence == answer.confidence
    assert app.search("tell me a joke about penguins").confidence == 0.0


def test_what_is_due_soon_stands_alone_once_a_session_and_is_counted_apart(app: App) -> None:
    assert app.recall("hi").context == ""
    first, second = app.recall("hi", session="s"), app.recall("thanks!", session="s")
    assert "Nora.birthday: 2026-03-12" in first.context
    assert first.aside > 0
    assert second.context == ""


CONVENTIONS = """# kiln
- "every endpoint needs an entry in openapi.yaml" [said:: 2026-03-01] [scope:: project:kiln]
- "we release on Wednesdays" [said:: 2026-03-01] [scope:: project:kiln]
- "use the fake clock in tests" [said:: 2026-03-01] [scope:: project:kiln]
"""


@pytest.mark.parametrize(
    ("folder", "turn", "note"),
    [
        ("kiln", "add an endpoint that lists all of the refunds", "openapi"),
        ("kiln", "prepare the next release of it for the customers", "Wednesdays"),
        ("kiln", "use a dict here", ""),
        ("kiln", "what is a release candidate", ""),
        ("kiln", "looks good, go on", ""),
        ("loom", "add an endpoint that lists all of the refunds", ""),
    ],
)
def test_what_holds_in_the_project_stands_alone_for_work_that_shares_a_noun_with_it(
    folder: str, turn: str, note: str, tmp_path: Path
) -> None:
    (tmp_path / folder / ".git").mkdir(parents=True)
    with App(put(tmp_path / "v", {**FILES, "semantic/people.md": CONVENTIONS})) as vault:
        first, second = (vault.recall(turn, session="s", folder=str(tmp_path / folder)) for _ in range(2))
    assert (bool(first.context), len(first.matches)) == (bool(note), int(bool(note)))
    assert note in first.context
    assert (first.aside > 0) == bool(note)
    assert second.context == ""  # once a session


def test_the_newest_fills_no_room_unless_it_is_asked_for(tmp_path: Path) -> None:
    log = [
        {
            "ts": "2026-03-09T10:00:00Z",
            "session": "s",
            "turn": 1,
            "role": "user",
            "content": "The marmalade of the neighbours won a prize.",
        }
    ]
    files = {**FILES, "logs/2026-03-09/s.jsonl": "".join(json.dumps(line) + "\n" for line in log)}
    with App(put(tmp_path / "v", files), clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as app:
        assert "marmalade" not in app.recall("who repaired the boiler?").context
        assert "marmalade" in app.recall("what did we talk about last time").context


def test_first_requests_of_work_get_the_memory_of_their_project(tmp_path: Path) -> None:
    """The set of the benchmark: at most two of fifty go without, and most everyday prompts beside them are silent."""
    rows = [
        json.loads(line) for line in (SILENCE / "projects.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    text_of = {row["id"]: row["text"] for row in rows}
    with App(
        put(tmp_path / "v", {f"{row['project']}/{row['id']}.md": f"{row['text']}\n" for row in rows})
    ) as app:
        missed = [
            row["request"]
            for row in map(json.loads, (SILENCE / "requests.jsonl").read_text(encoding="utf-8").splitlines())
            if not app.recall(row["request"], budget=800, noted=False).matches
        ]
        prompts = (SILENCE / "everyday.txt").read_text(encoding="utf-8").splitlines()[::5]
        silent = [not app.recall(prompt, noted=False).context for prompt in prompts]
    assert len(text_of) == len(rows)
    assert len(missed) <= 2, missed
    assert sum(silent) >= 0.85 * len(silent)


def test_each_weight_is_one_of_a_feature() -> None:
    names, confident = (
        [line.rsplit(maxsplit=1)[0] for line in lists.lines(f"relevance.{sum_}")]
        for sum_ in ("weights", "confidence")
    )
    assert len(set(names)) == len(names) > 10
    assert set(confident) < set(names)


@pytest.mark.parametrize(
    ("statement", "turn", "speaks"),
    [
        ("Harald quoted 14,300 for the barn roof", "reply to harald", True),
        ("picked up the puppy! she's called Smilla", "draft a training plan for smilla", True),
        ("Ilse nimmt nur Bargeld", "schreib eine kurze Mail an Ilse", True),
        ("Harald quoted 14,300 for the barn roof", "reply to Ingeborg", False),
        ("we went to Lisbon in May", "write a poem about Lisbon", False),
        ("Harald quoted 14,300 for the barn roof", "center a box with css", False),
    ],
)
def test_a_name_of_which_a_statement_tells_speaks_in_a_prompt_of_work(
    statement: str, turn: str, speaks: bool, tmp_path: Path
) -> None:
    text = f'# user\n- "{statement}" [said:: 2026-03-01]\n'
    with App(put(tmp_path / "v", {**FILES, "semantic/told.md": text})) as vault:
        assert (statement in vault.recall(turn, noted=False).context) is speaks


@pytest.mark.parametrize(
    "turn",
    ["für wie viel wurde der Keller repariert", "from whom is the boiler", "repariert sie den Keller noch", "wem gehört der Keller",
     "le boiler coûte combien", "c'est quand le boiler", "le boiler est où",
     "what brand the boiler is", "quanto costa la boiler", "in che cellar era il boiler"],
)  # fmt: skip
def test_a_question_is_one_without_its_mark(app: App, turn: str) -> None:
    assert "question" in {term.name for term in app.recall(turn).relevance.terms}
    assert "question" not in {term.name for term in app.recall("the boiler of the cellar").relevance.terms}


def test_what_stands_beside_a_turn_is_pointed_to_by_the_words_of_its_language(app: App) -> None:
    for turn, points in (
        ("is this boiler broken", True),
        ("cuál es el boiler", False),  # `es` is `is` here
        ("was kostet es im Keller", True),
        ("how old is the boiler this year", False),
        ("who mends the boiler these days", False),
    ):
        assert ("pointing" in {term.name for term in app.recall(turn).relevance.terms}) is points


@pytest.mark.parametrize("turn", ["is there a story I shouldn't tell?", "which story cant I tell?"])
def test_negated_verbs_of_a_question_are_no_words_that_nothing_here_knows(app: App, turn: str) -> None:
    assert "unknown" not in {term.name for term in app.recall(turn).relevance.terms}


def test_a_reply_is_asked_for_by_what_it_is_about(tmp_path: Path) -> None:
    said = [("user", "the gutter drips again"), ("assistant", "Seal its joints with butyl tape.")]
    log = "".join(
        json.dumps({"ts": f"2026-03-01T10:0{n}:00Z", "session": "s", "role": role, "content": text}) + "\n"
        for n, (role, text) in enumerate(said)
    )
    files = {
        "memoryclaw.yaml": "",
        "logs/2026-03-01/s.jsonl": log,
        **{f"n/{n}.md": f"Number {n}.\n" for n in range(9)},
    }
    with App(put(tmp_path / "v", files)) as vault:
        assert "butyl tape" in vault.recall("what did you recommend for my gutter?").context
        assert not vault.recall("what did you recommend for my knee?").context


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("btw my manager is Petra, Jonas moved to the Berlin office", "who is my manager"),
        ("Maria Gomez is our new architect", "who is our architect"),
        ("I'm allergic to shellfish. the cat hates rain", "what am I allergic to"),
        ("velocity was 34 last sprint", "what was our velocity"),
    ],
)
def test_a_thing_of_ones_own_is_recalled_on_the_first_day(text: str, question: str, tmp_path: Path) -> None:
    turn = {"session": "a", "ts": "2026-03-10T09:00:00Z", "role": "user", "content": text}
    put(tmp_path, {"memoryclaw.yaml": "", "logs/2026-03-10/a.jsonl": f"{json.dumps(turn)}\n"})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, 12, tzinfo=UTC)) as app:
        assert text.split(",", maxsplit=1)[0] in app.recall(question).context
        assert not app.recall("thanks, what should I cook").context


@pytest.mark.parametrize(
    ("before", "ended", "since", "question"),
    [
        (
            "I drive a Skoda Fabia",
            "drives: Skoda Fabia",
            "sold the Fabia, bought a used Niro",
            "what car do I drive",
        ),
        ("my cat is called Miso", "cat: Miso", "Miso died yesterday", "do I have a cat"),
        ("we deploy with Helm", '"we deploy with Helm"', "we dropped Helm for kustomize", "how do we deploy"),
    ],
)
def test_what_became_of_a_former_value_is_recalled(
    before: str, ended: str, since: str, question: str, tmp_path: Path
) -> None:
    logs = {
        f"logs/{day}/a.jsonl": json.dumps({"session": "a", "ts": f"{day}T09:00:00Z", "role": "user", "content": text}) + "\n"
        for day, text in (("2026-01-02", before), ("2026-03-09", since))
    }  # fmt: skip
    facts = f"# user\n- likes: tea\n\n## History\n- {ended} [since:: 2026-01-02] [until:: 2026-03-09]\n"
    put(tmp_path, {"memoryclaw.yaml": "", "semantic/people.md": facts, **logs})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, 12, tzinfo=UTC)) as app:
        context = app.recall(question).context
    assert before in context
    assert since in context


@pytest.mark.parametrize("question", ["what happened on 2026-03-09", "what's new"])
def test_turns_without_words_are_no_obstacle(question: str, tmp_path: Path) -> None:
    turns = [
        json.dumps({"session": "a", "ts": f"2026-03-09T09:0{n}:00Z", "role": role, "text": "no content"})
        for n, role in enumerate(("user", "assistant"))
    ]
    log = "".join(f"{turn}\n" for turn in turns)
    put(tmp_path, {"memoryclaw.yaml": "", "logs/2026-03-09/a.jsonl": log})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, 12, tzinfo=UTC)) as app:
        assert not app.recall(question).context
        assert not app.ask(question).answered
