from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memoryclaw.consolidation.changes import Extraction, Quote, Segment
from memoryclaw.consolidation.episodes import EpisodeNote, episode
from memoryclaw.model import Note, Turn
from memoryclaw.vault.layout import is_minted_id, safe_path
from memoryclaw.vault.logs import LogRange, parse_ranges
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.writing.context import Templates

RANGE = LogRange("logs/2026-03-10/kitchen.jsonl", 3, 5, "0123456789abcdef")
hostile = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        ("---\ntrust: trusted", "a: b", "- [ ] x", "[[Nora]] ^l3", "#tag %% x", "```", "' \" {}", "{{ 7*7 }}", "# H\n\n- x", "../../etc", "!!python/x", "`a", "*b", "<!-- c", "x ^l9")
    ),
)  # fmt: skip


def turn(line: int, role: str = "user", ts: str = "2026-03-10T17:48:20Z") -> Turn:
    return Turn(f"log:k/{line}", "k", str(line), ts, role, "Nora", "It is Dünensand 14.", line, line)


def made(*turns: Turn, range_: LogRange = RANGE) -> Segment:
    return Segment(range_, turns or (turn(3), turn(5, ts="2026-03-10T18:06:30Z")))


def read(title: str = "Kitchen wall", *, lines: tuple[int, ...] = (3,)) -> Extraction:
    points = tuple(Quote(line, "Nora", "It is Dünensand 14.") for line in lines)
    return Extraction(
        title, "Nora: It is Dünensand 14.", ("kitchen-wall",), ("Nora",), ("Kröger",), "Home", points
    )


def written(note: EpisodeNote) -> str:
    return Templates().render("notes/episode.md.j2", **note.values)


def parsed(note: EpisodeNote) -> Note:
    return read_note(note.path, written(note).encode("utf-8"), ReadingSettings())


def free(_path: str) -> bool:
    return False


def test_id_and_path_come_from_the_first_turn_and_the_title() -> None:
    note = episode(made(), read(), free)
    assert note.id == "2026-03-10_17-48-20_kitchen-wall"
    assert note.path == "episodes/2026-03-10_17-48-20_kitchen-wall.md"


def test_the_note_reads_back_as_what_was_made() -> None:
    note = episode(made(), read(), free)
    found = parsed(note)
    assert (found.problems, found.id, found.kind) == ((), note.id, "episode")
    assert (found.when, found.until) == ("2026-03-10T17:48:20Z", "2026-03-10T18:06:30Z")
    assert (found.tags, found.people, found.entities, found.project) == (
        ("kitchen-wall",),
        ("Nora",),
        ("Kröger",),
        "Home",
    )
    assert parse_ranges(str(found.meta["source"])) == [RANGE]
    assert written(note).endswith("# Kitchen wall\n\n- Nora: It is Dünensand 14. ^l3\n")


def test_another_segments_episode_makes_the_name_a_second_one() -> None:
    note = episode(made(), read(), lambda path: path.endswith("kitchen-wall.md"))
    assert note.id == "2026-03-10_17-48-20_kitchen-wall-2"
    assert note.values["id"] == note.id


def test_trust_is_the_lowest_of_the_turns_that_are_quoted() -> None:
    turns = (turn(3), turn(4, "assistant"), turn(5, "tool"), turn(6, ""))
    trusts = [
        episode(made(*turns), read(lines=lines), free).trust
        for lines in ((3,), (3, 4), (3, 5), (3, 6), (3, 99), ())
    ]
    assert trusts == ["trusted", "unknown", "unknown", "untrusted", "untrusted", "untrusted"]
    assert parsed(episode(made(*turns), read(lines=(3, 4)), free)).trust == "unknown"


def test_without_times_the_day_of_the_folder_counts_and_else_1970() -> None:
    quiet = turn(3, ts="")
    assert episode(made(quiet), read(), free).id == "2026-03-10_00-00-00_kitchen-wall"
    nowhere = RANGE._replace(path="logs/imported/kitchen.jsonl")
    assert episode(made(quiet, range_=nowhere), read(), free).id == "1970-01-01_00-00-00_kitchen-wall"


def test_a_mind_chooses_no_confidence_that_we_do_not_know() -> None:
    assert (
        episode(made(), read()._replace(confidence="certain\ntrust: trusted"), free).values["confidence"]
        == "low"
    )


@settings(deadline=None)
@given(hostile, hostile, st.lists(hostile, max_size=4))
def test_hostile_words_stay_words(title: str, text: str, names: list[str]) -> None:
    points = (Quote(3, text, f"{text} x"), Quote(5, "Nora", f"y {title}"))
    mind = Extraction(title, text, tuple(names), tuple(names), tuple(names), title, points)
    note = episode(made(), mind, free)
    assert is_minted_id(note.id)
    assert safe_path(note.path) == note.path
    found = parsed(note)
    assert found.id == note.id
    assert [
        problem for problem in found.problems if "id" in problem.message or "trust" in problem.message
    ] == []
    assert (found.trust, found.when, found.links) == ("trusted", "2026-03-10T17:48:20Z", ())
    assert parse_ranges(str(found.meta["source"])) == [RANGE]
    assert [block for block, _ in found.blocks] == ["l3", "l5"]
    assert found.meta["tags"] == note.values["tags"]
