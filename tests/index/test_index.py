"""The index takes notes in and lets them go without a trace: every way to one state leaves the same index."""

from __future__ import annotations

import hashlib
import random

import pytest
from conftest import STUDIO

from memoryclaw.index.database import packer, sample_of, unpack
from memoryclaw.index.index import Fts5, IndexedNote, fingerprint, link_key, open_index
from memoryclaw.index.stemming import language
from memoryclaw.model import Problem, Stamp
from memoryclaw.vault.notes import ReadingSettings, read_note

MORE = {
    "notes/odd.md": "---\nid: same\na: [\n---\nbroken \x00 words\n",
    "notes/same.md": "---\nid: same\ntags: [a, A, b/c]\naliases: [Müller, Muller]\n---\n# One\n[[Moon]] ![[moon#One|x]]\n",
    "notes/empty.md": "",
    "notes/long.md": "many words of one note " * 200,
    "日記.md": "今日は木栓を作りました。",
}
FILES = {path: text.encode() for path, text in {**STUDIO, **MORE}.items() if not path.endswith(".yaml")}


@pytest.fixture(params=["fts5", "whoosh"])
def index(request, tmp_path):
    index = open_index(tmp_path / "state", engine=request.param, language=language("en"))
    yield index
    index.database.close()


def filed(path, data, *, racy=False):
    note = read_note(path, data, ReadingSettings())
    return IndexedNote(note, Stamp(1, 2, 3, 4), hashlib.sha256(data).digest(), racy)


def put(index, files):
    with index.writing() as work:
        work.put([filed(path, data) for path, data in files.items()])


def tables(index):
    with index.database.guarded() as connection:
        names = [
            row[0]
            for row in connection.execute(
                "select name from sqlite_master where type = 'table' and sql not like '%virtual%'"
            )
        ]
        return {
            name: connection.execute(f"select count(*) from {name}").fetchone()[0]
            for name in names
            if not name.startswith("text")
        }


def test_what_goes_in_and_out_leaves_nothing_behind(index):
    before = tables(index)
    put(index, FILES)
    with index.writing() as work:
        work.remove(list(FILES))
    after = tables(index)
    assert {name: n for name, n in after.items() if name != "meta"} == {
        name: n for name, n in before.items() if name != "meta"
    }
    assert index.size() == (0, 0)


def test_every_order_of_puts_and_removals_ends_in_the_same_index(index, tmp_path):
    rng = random.Random(11)
    engine = "fts5" if isinstance(index.engine, Fts5) else "whoosh"
    fresh = open_index(tmp_path / "fresh", engine=engine, language=index.language)
    put(fresh, FILES)
    for _ in range(3):
        paths = list(FILES)
        rng.shuffle(paths)
        for path in paths:
            put(index, {path: rng.choice(list(FILES.values()))})
        rng.shuffle(paths)
        with index.writing() as work:
            work.remove(paths[:3])
        put(index, {path: FILES[path] for path in paths})
    assert fingerprint(index) == fingerprint(fresh)
    fresh.database.close()


def test_a_fingerprint_tells_any_difference(index):
    put(index, FILES)
    seen = {fingerprint(index)}
    for path, data in FILES.items():
        put(index, {path: data + b" more"})
        seen.add(fingerprint(index))
    assert len(seen) == len(FILES) + 1


def test_a_fingerprint_hears_a_lost_token_in_the_text_lane(tmp_path):
    index = open_index(tmp_path / "state", engine="fts5", language=language("en"))
    put(index, FILES)
    before = fingerprint(index)
    with index.writing(), index.database.guarded() as connection:
        row = connection.execute("select rowid from unit limit 1").fetchone()
        connection.execute("insert into text(rowid, body) values(?, 'stray')", (row[0] + 10_000,))
    assert fingerprint(index) != before
    index.database.close()


def test_a_touch_changes_the_stamp_and_nothing_else(index):
    put(index, FILES)
    before = fingerprint(index)
    with index.writing() as work:
        work.touch("notes/long.md", Stamp(9, 9, 9, 9), racy=False)
    assert index.stamps()["notes/long.md"] != index.stamps()["notes/odd.md"]
    assert fingerprint(index) == before


def test_a_file_read_the_moment_it_changed_fits_no_stamp(index):
    with index.writing() as work:
        work.put([filed("a.md", b"x", racy=True)])
    assert index.stamps() == {"a.md": b""}


def test_a_write_that_fails_changes_nothing(index):
    put(index, FILES)
    before = fingerprint(index)

    def fail():
        with index.writing() as work:
            work.put([filed("notes/new.md", b"new words")])
            work.remove(["notes/odd.md"])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert fingerprint(index) == before
    put(index, {"notes/new.md": b"new words"})
    assert index.size()[0] > len(FILES)


def test_stamps_near_are_those_of_some_files_and_of_all_below_some_folders(index):
    put(index, dict.fromkeys(("a.md", "a/b.md", "a/c/d.md", "a0.md", "ab/e.md", "a.b/f.md"), b"x"))
    assert set(index.stamps_near([], ["a"])) == {"a/b.md", "a/c/d.md"}
    assert set(index.stamps_near(["a.md", "none.md"], ["ab"])) == {"a.md", "ab/e.md"}


def test_other_collections_make_every_semantic_file_count_as_changed_and_no_other(index):
    put(index, {"semantic/a.md": b"x", "notes/a.md": b"x", "semantics/a.md": b"x"})
    with index.writing() as work:
        work.settings_file("semantic/_schema.yaml", Stamp(1, 2, 3, 4), b"d", racy=False, problems=())
        work.collections(["people"])
    assert [path for path, stamp in index.stamps().items() if not stamp] == ["semantic/a.md"]
    assert index.collections() == {"people"}


def test_problems_of_the_walk_are_replaced_and_those_of_notes_kept(index):
    put(index, {"notes/odd.md": FILES["notes/odd.md"]})
    for problems in ([Problem("b", 1, "x"), Problem("a", 1, "y", "hint")], [Problem("c", 1, "z")]):
        with index.writing() as work:
            work.scan_problems(problems)
        assert index.scan_problems() == sorted(problems)


@pytest.mark.parametrize("text", ["", "short", "long " * 100, "木栓" * 100, "nul\0nul" * 40])
def test_a_stored_text_comes_back_as_it_was(text):
    texts, sample = ["a title", "", "of it", "", text], b"a sample of what is short and long, " * 20
    assert unpack(packer(b"")(texts), b"") == texts
    assert unpack(packer(sample)(texts), sample) == texts
    assert unpack(packer(b"")(texts), sample) == texts, "stored before there was a sample"


def test_a_sign_that_parts_texts_stays_out_of_all_but_the_last():
    assert unpack(packer(b"")(["a\0b", "", "", "", "c\0d"]), b"") == ["a\ufffdb", "", "", "", "c\0d"]


def test_texts_are_stored_with_a_sample_once_there_is_enough_of_them(index):
    put(index, {"notes/first.md": b"few words\n"})
    rows = "select text from unit order by rowid"
    with index.database.guarded() as connection:
        assert sample_of(connection) == b""
        [(before,)] = connection.execute(rows).fetchall()
    many = b"few words, and again a few words\n" * 400
    put(index, {"notes/second.md": many, "notes/third.md": b"few words\n"})
    with index.database.guarded() as connection:
        sample = sample_of(connection)
        [(first,), *_, (third,)] = connection.execute(rows).fetchall()
    assert first == before
    assert len(third) < len(first)
    assert [unpack(stored, sample)[-1].strip() for stored in (first, third)] == ["few words"] * 2
    with index.writing() as work:
        work.remove(["notes/first.md", "notes/second.md", "notes/third.md"])
    assert index.size() == (0, 0)


def test_accents_and_case_of_a_links_target_do_not_matter():
    assert link_key("folder/E\u0301tude.md") == link_key("\u00e9tude")
