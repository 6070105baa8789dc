"""What asks to be verified waits in review, is marked where it is recalled, and is confirmed, changed or ended with one commit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from gitvault import git

from memoryclaw.app import init_vault, open_vault
from memoryclaw.errors import ConflictError, InputError

NOW = datetime(2026, 5, 4, 3, 0, tzinfo=UTC)
PEOPLE = """# Ann
- city: Basel [since:: 2025-01-01]
- desk: room four [verify_by:: 2026-02-02] [expires:: 2026-05-01]
- phone: 0151 99999 [verify_by:: 2026-05-03] ^b2
- "the shed opens at nine" [said:: 2026-02-01] [verify_by:: 2026-03-01]
- hidden: yes [verify_by:: 2026-03-01] [audience:: owner]

## History
- phone: 0151 11111 [verify_by:: 2020-01-01] [until:: 2026-01-01]
"""


@pytest.fixture
def vault(tmp_path):
    root = tmp_path / "v"
    init_vault(root)
    (root / "notes").mkdir()
    (root / "notes/plan.md").write_text(
        "---\nverify_by: 2026-05-01\n---\n# The harbour plan 2026\n\nDredge in May.\n"
    )
    (root / "semantic/people.md").write_text(PEOPLE)
    (root / "semantic/_schema.yaml").write_text(
        "fields:\n  City: {type: text, verify: 180 days}\n  phone: phone\n"
    )
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    return root


def opened(root, days=0, audience="owner"):
    return open_vault(root, clock=lambda: NOW + timedelta(days=days), audience=audience)


def waits(app):
    return {
        item.check.id.rpartition("#")[2].rpartition("/")[2]: item for item in app.review.list() if item.check
    }


def people(root):
    return (root / "semantic/people.md").read_text()


def test_what_is_overdue_waits_and_nothing_is_written_by_that(vault):
    head = git(vault, "rev-parse", "HEAD")
    with opened(vault) as app:
        items = waits(app)
        assert list(items) == ["Ann.city", "Ann.said-ba5a4a6d", "Ann.hidden", "plan", "Ann.phone"] or {
            id_.partition(".said")[0] for id_ in items
        } == {"Ann.city", "Ann", "Ann.hidden", "plan", "Ann.phone"}
        assert items["Ann.city"].why == "known since 2025-01-01, and `city` is to be verified every 180 days"
        assert items["Ann.phone"].why == "its line asks to be verified by 2026-05-03"
        assert {item.kind for item in items.values()} == {"verify"}
    with opened(vault, days=-1) as app:
        assert "Ann.phone" not in waits(app)
    assert git(vault, "rev-parse", "HEAD") == head
    assert git(vault, "status", "--porcelain") == ""


def test_a_recall_marks_it_and_says_so_in_its_answer(vault):
    with opened(vault) as app:
        answer = app.recall("Ann city phone")
        assert "Basel (since 2025-01-01) (to be checked since 2025-06-30)" in answer.context
        assert {match.unit.field: match.overdue for match in answer.matches}["phone"] == "2026-05-03"
        app.review.approve([waits(app)["Ann.city"]])
        assert "Basel (since 2025-01-01)\n" in app.recall("Ann city phone").context


def test_a_yes_says_that_it_holds_still_and_it_is_asked_again_in_time(vault):
    with opened(vault) as app:
        done = app.review.approve([waits(app)["Ann.city"], waits(app)["Ann.phone"], waits(app)["plan"]])
        assert [outcome.action for outcome in done] == ["approved"] * 3
        assert len({outcome.commit for outcome in done}) == 3
        assert not {"Ann.city", "Ann.phone", "plan"} & waits(app).keys()
    assert "- city: Basel [since:: 2025-01-01] [verified:: 2026-05-04]\n" in people(vault)
    assert "- phone: 0151 99999 [verify_by:: 2026-05-03] [verified:: 2026-05-04] ^b2\n" in people(vault)
    assert "verified: 2026-05-04\n" in (vault / "notes/plan.md").read_text()
    assert "Approve: holds still: Ann: city is Basel" in git(vault, "log", "--format=%s")
    with opened(vault, days=180) as app:
        assert "Ann.city" not in waits(app)
    with opened(vault, days=181) as app:
        assert "Ann.city" in waits(app)
        assert "Ann.phone" not in waits(app)


def test_a_no_ends_it_and_keeps_it(vault):
    with opened(vault) as app:
        said = next(item for id_, item in waits(app).items() if ".said-" in id_)
        app.review.reject([waits(app)["Ann.city"], said, waits(app)["plan"]])
    past = people(vault).partition("## History")[2]
    assert "- city: Basel [since:: 2025-01-01] [until:: 2026-05-04]\n" in past
    assert (
        '"the shed opens at nine" [said:: 2026-02-01] [verify_by:: 2026-03-01] [until:: 2026-05-04]\n' in past
    )
    assert (vault / "archive/notes/plan.md").exists()
    assert "Reject: no longer so: Ann: city is Basel" in git(vault, "log", "--format=%s")


def test_another_value_takes_its_place_and_the_old_one_is_history(vault):
    with opened(vault) as app:
        id_ = waits(app)["Ann.phone"].id
        with pytest.raises(InputError, match="is not a phone number"):
            app.review.edit(id_, lambda _: "soon")
        app.review.edit(id_, lambda was: was.replace("99999", "22222"))
        assert "Ann.phone" not in waits(app)
        with pytest.raises(InputError, match=r"edit notes/plan\.md itself"):
            app.review.edit(waits(app)["plan"].id, lambda _: "x")
    now, _, past = people(vault).partition("## History")
    assert "- phone: 0151 22222 [since:: 2026-05-04]" in now
    assert "- phone: 0151 99999 [verify_by:: 2026-05-03] [until:: 2026-05-04]" in past


def test_the_diff_is_what_a_yes_does_and_what_changed_since_is_refused(vault):
    with opened(vault) as app:
        item = waits(app)["Ann.city"]
        (diff,) = app.review.diff(item)
        assert diff.after == diff.before.replace("2025-01-01]", "2025-01-01] [verified:: 2026-05-04]")
        (vault / "semantic/people.md").write_text(PEOPLE.replace("Basel", "Bern"))
        with pytest.raises(ConflictError):
            app.review.approve([item], digest=item.digest)
        with pytest.raises(ConflictError):
            app.review.approve([item])
    assert "verified" not in people(vault)


def test_an_agent_sees_no_question_about_what_is_not_for_it(vault):
    with opened(vault, audience="agent") as app:
        assert "Ann.city" in waits(app)
        assert "Ann.hidden" not in waits(app)
        assert "hidden" not in repr(app.review.list())


def test_a_time_that_is_none_is_a_problem_of_the_schema(vault):
    (vault / "semantic/_schema.yaml").write_text("fields:\n  city: {verify: sometimes}\n")
    with opened(vault) as app:
        app.sync()
        assert ("semantic/_schema.yaml", 2) in {
            (problem.path, problem.line) for problem in app.catalog.problems()
        }
        assert "Ann.city" not in waits(app)
