"""A session that goes on after its episode was written."""

from __future__ import annotations

from pathlib import Path

from conftest import put
from nights import LATER, consolidated, said

from memoryclaw.text.frontmatter import split

FIRST = (
    ("user Nora", "Which paint covers the damp wall of the boathouse?"),
    ("assistant Pip", "Silicate paint covers a damp wall."),
)
MORE = (
    *FIRST,
    ("user Nora", "And which primer do I need below the silicate paint?"),
    ("assistant Pip", "Silicate primer."),
)
CRANE = ("user Nora", "The harbour crane lifts nine tonnes since the repair of its winch.")
PRIVATE = (("user Nora", "[PRIVATE] My doctor Quistgaard wants the blood values on paper."),)


def linked(root: Path) -> dict[str, str]:
    """What each episode continues, by its id."""
    heads = [split(path.read_text()).meta for path in sorted(root.glob("episodes/*.md"))]
    return {str(head["id"]): str(head.get("continues", "")) for head in heads}


def test_what_goes_on_links_the_episode_before_and_leaves_it_as_it_is(tmp_path: Path) -> None:
    root = put(tmp_path / "vault", {})
    (root / "logs/2026-04-19").mkdir(parents=True)
    wall, doctor = root / "logs/2026-04-19/wall.jsonl", root / "logs/2026-04-19/doctor.jsonl"
    wall.write_text(said("wall", FIRST))
    doctor.write_text(said("doctor", PRIVATE, hour=20))
    consolidated(root)
    written = {path: path.read_bytes() for path in root.glob("episodes/*.md")}
    assert [*linked(root).values()] == ["", ""]
    wall.write_text(said("wall", MORE))
    doctor.write_text(said("doctor", (*PRIVATE, CRANE), hour=20))
    consolidated(root, LATER)
    assert all(path.read_bytes() == data for path, data in written.items())
    [first] = [id_ for id_ in linked(root) if id_.startswith("2026-04-19_18-01")]
    assert {id_: link for id_, link in linked(root).items() if link} == {
        next(id_ for id_ in linked(root) if id_.startswith("2026-04-19_18-03")): f"[[{first}]]"
    }, "and no episode names one that fewer people may see"
