"""Whose note it is: the file names it, a chapter never does, and notes of one name are as many things."""

from __future__ import annotations

from conftest import VaultOf

from memoryclaw.app import open_vault


def test_notes_of_one_name_or_one_alias_are_as_many_entities(vault_of: VaultOf) -> None:
    root = vault_of(
        {
            "A/Overview.md": "---\nbudget: 5000\n---\nText\n",
            "B/Overview.md": "---\nbudget: 9000\n---\nText\n",
            "Olga Brandt.md": "---\nborn: 1961-02-03\n---\nintro\n\n# Notes\n",
            "Piet Brandt.md": "---\nborn: 1971-02-03\n---\nintro\n\n# Notes\n",
            "Ann.md": "---\naliases: [Boss]\nborn: 1980-02-03\n---\n",
            "Ben.md": "---\naliases: [Boss, Ann]\nborn: 1981-02-03\n---\n",
            "semantic/people.md": "# Boss\n- born: 1982-02-03\n",
        }
    )
    with open_vault(root) as app:
        assert [item.what for item in app.review.list()] == []
        assert {"A/Overview", "B/Overview", "Olga Brandt"} < {entry.name for entry in app.entities()}
        assert [fact.value for _, fact in app.facts("A/Overview")] == ["5000"]
        assert app.entity("B/Overview").name == "B/Overview"
        assert app.ask("When was Olga Brandt born?").lines[0].text == "Olga Brandt born: 1961-02-03"


def test_one_name_that_semantic_and_one_note_have_is_one_entity(vault_of: VaultOf) -> None:
    root = vault_of(
        {"A/Atlas.md": "---\nbudget: 5000\n---\n", "semantic/projects.md": "# Atlas\n- budget: 9000\n"}
    )
    with open_vault(root) as app:
        assert [item.what for item in app.review.list()] == ["Atlas: budget is 5000 or 9000"]


def test_two_notes_with_one_id_are_shown_and_edited_as_they_are_found(vault_of: VaultOf) -> None:
    root = vault_of(
        {f"{name}.md": f"---\nid: human\n---\n{text}\n" for name, text in (("a", "walrus"), ("b", "penguin"))}
    )
    with open_vault(root) as app:
        for word, path in (("walrus", "a.md"), ("penguin", "b.md")):
            match = app.search(word).matches[0]
            assert (match.path, app.show(match.unit.id).address.path) == (path, path)
        assert app.search("penguin").matches[0].unit.id == "b"


def test_two_values_of_one_field_under_one_heading_are_a_conflict(vault_of: VaultOf) -> None:
    listed = "- guest: Ann\n- guest: Ben\n- likes: tea\n- likes: rum\n- lead: Mia\n- lead: Tom\n"
    lines = f"# Atlas\n- deadline: 2026-12-01\n- deadline: 2026-12-15\n- location: Hull\n- location: Leeds\n{listed}"
    root = vault_of({"semantic/projects.md": lines})
    with open_vault(root) as app:
        waiting = {item.what for item in app.review.list()}
        assert waiting == {"Atlas: deadline is 2026-12-01 or 2026-12-15", "Atlas: location is Hull or Leeds"}
        assert "conflicts with" in app.recall("deadline of Atlas").context
        check = next(check for check in app.doctor() if check.name == "conflicts")
        assert check.level == "advice"
