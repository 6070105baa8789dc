"""A value is of the type that its field is declared to have, whoever writes it; what a person wrote by hand stays, and is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Claw, VaultOf, git

from memoryclaw.app import App
from memoryclaw.errors import InputError
from memoryclaw.vault.vocabulary import misfit

SCHEMA = "fields:\n  birthday: date\n  mail: [email, many]\n  phone: phone\n  size: number\n  site: url\n  motto: text\n"
FILES = {
    "semantic/_schema.yaml": SCHEMA,
    "semantic/people.md": "# Ann\n- birthday: 1988-06-14\n- mail: ann@example.org\n- motto: onwards\n",
    "people/Bo Lind.md": "---\ntitle: Bo Lind\nbirthday: 1990-01-02\n---\nBo rows.\n",
}


@pytest.fixture
def vault(vault_of: VaultOf) -> Path:
    return committed(vault_of(FILES))


def committed(root: Path) -> Path:
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        git(root, *words)
    return root


@pytest.mark.parametrize(
    ("type_", "fine", "wrong"),
    [
        ("date", ["2026-04-30", "30 April 2026", "2026-05", "11 February", "Q3 2026", "spring 2027"], ["soon", "not a date", "next Friday", "tomorrow", "Room 4"]),
        ("email", ["a.b@example.org"], ["nomail", "a@b", "a b@c.de"]),
        ("phone", ["+49 30 1234567", "555-01234"], ["call Bob", "12"]),
        ("number", ["12", "6.2 million", "74,000 EUR"], ["many", "about 3"]),
        ("url", ["https://example.org/x", "example.org"], ["see there"]),
        ("text", ["anything"], []),
        ("link", ["[[Bo]]", "Bo"], []),
    ],
)  # fmt: skip
def test_what_is_of_a_type(type_: str, fine: list[str], wrong: list[str]) -> None:
    assert [value for value in fine if misfit(value, type_)] == []
    assert [value for value in wrong if not misfit(value, type_)] == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("birthday", "not a date"),
        ("Birthday", "soon"),
        ("mail", "nomail"),
        ("phone", "call Bob"),
        ("size", "big"),
    ],
)
@pytest.mark.parametrize("audience", ["owner", "agent"])
def test_remember_refuses_another_type_and_writes_nothing(
    vault: Path, field: str, value: str, audience: str
) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    with App(vault, audience=audience) as app:
        store = app.remember if audience == "owner" else app.claim
        with pytest.raises(
            InputError, match=r"is not .*semantic/_schema\.yaml asks for; nothing was written"
        ):
            store(value, entity="Ann", field=field)
        assert store("1988-06-15", entity="Cy", field="birthday").action in ("added", "waiting")
    assert {
        path: data for path, data in before.items() if path.read_bytes() != data and path.stem != "people"
    } == {}
    assert "- birthday: 1988-06-14\n" in (vault / "semantic/people.md").read_text()


@pytest.mark.parametrize("text", ["Ann's birthday is banana", "Ann's birthday is banana. Ann likes plums."])
def test_remember_refuses_another_type_in_a_plain_sentence_too(vault: Path, text: str) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    with App(vault) as app:
        with pytest.raises(InputError, match=r"'banana' is not a date, .* nothing was written"):
            app.remember(text)
        assert {path: path.read_bytes() for path in vault.rglob("*.md")} == before
        assert app.remember("Ann's birthday is 15 June 1988").action == "superseded"


@pytest.mark.parametrize(
    ("id_", "fields"),
    [
        ("semantic/people#Ann.birthday", {"value": "soon"}),
        ("people/Bo Lind", {"birthday": "soon"}),
        ("people/Bo Lind#Bo Lind.birthday", {"value": "soon"}),
        ("semantic/people#Ann.mail", {"value": "ann@example.org, nomail"}),
    ],
)
def test_edit_refuses_another_type_and_takes_the_right_one(
    vault: Path, id_: str, fields: dict[str, str]
) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    with App(vault) as app:
        with pytest.raises(InputError, match="nothing was written"):
            app.edit(id_, fields)
        assert {path: path.read_bytes() for path in vault.rglob("*.md")} == before
        right = "a@x.org, b@x.org" if "mail" in id_ else "1991-02-03"
        assert app.edit(id_, dict.fromkeys(fields, right)).action in ("edited", "corrected")


def test_a_line_written_by_hand_stays_is_found_and_is_told_with_its_place(vault: Path) -> None:
    people = vault / "semantic/people.md"
    people.write_text(people.read_text() + "- phone: ask the harbour\n")
    git(vault, "commit", "-qam", "by hand")
    claw = Claw(vault)
    report = claw("doctor").out
    assert "1 value of another type than declared" in report
    assert "semantic/people.md:5 'ask the harbour' is not a phone number" in report
    assert "ask the harbour" in claw("search", "harbour").out
    with App(vault) as app:
        assert app.edit("semantic/people#Ann.motto", {"value": "upwards"}).action == "corrected", (
            "another line may change"
        )
        text = people.read_text()
        shown = app.show("semantic/people")
        rewritten = app.rewrite(
            "semantic/people", text.replace("upwards", "sideways"), digest=shown.digest, dry_run=True
        )
        assert [problem.line for problem in rewritten.problems] == [5]


def test_a_vault_that_declares_nothing_takes_anything(vault_of: VaultOf) -> None:
    root = committed(vault_of({**FILES, "semantic/_schema.yaml": ""}))
    with App(root) as app:
        assert app.remember("soon", entity="Ann", field="birthday").action == "superseded"
