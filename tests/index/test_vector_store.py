"""The vectors of a vault on disk: never another's, never mixed, gone when they should be."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from killing import killed_at

from memoryclaw.errors import LockedError, VectorsError
from memoryclaw.index.vector_store import PRIOR, IndexMark, Matrix, VectorStore

np = pytest.importorskip("numpy")
DIMENSION = 6


def name(n: int) -> bytes:
    return hashlib.blake2b(str(n).encode(), digest_size=16).digest()


def row(n: int, dimension: int = DIMENSION) -> np.ndarray:
    vector = np.random.default_rng(n).normal(size=dimension)
    return (vector / np.sqrt((vector**2).sum())).astype(np.float32)


def rows(numbers: Iterable[int]) -> np.ndarray:
    return np.stack([row(n) for n in numbers])


def cosine(vector: np.ndarray, other: np.ndarray, mean: np.ndarray | int) -> float:
    """Of two vectors taken from a mean."""
    a, b = vector.astype(float) - mean, other.astype(float) - mean
    return float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))


def add(store: VectorStore, numbers: list[int]) -> None:
    store.add([name(n) for n in numbers], rows(numbers))


def units(store: VectorStore, numbers: Iterable[int], born: str = "a") -> None:
    """Makes the store know one unit for each number."""
    digests = {n + 1: name(n) for n in numbers}
    gone = [rowid for rowid in store.units() if rowid not in digests]
    store.settle(IndexMark(born, 1000, len(digests)), gone, digests)


def true_to(store: VectorStore, kept: set[int]) -> None:
    """Every passage that is held has its own vector, and nothing else has one."""
    assert store.embedded() == {name(n) for n in kept}
    assert store.sound()
    for n in kept:
        assert store.cosines(row(n), [n + 1]) == {n + 1: 1.0}


@pytest.fixture
def store(tmp_path: Path) -> VectorStore:
    store = VectorStore(tmp_path, "model")
    store.begin("model 1")
    return store


steps = st.lists(
    st.tuples(st.sampled_from(("want", "drop", "reopen")), st.sets(st.integers(0, 12))), max_size=8
)


@given(steps)
@settings(max_examples=12)
def test_any_sequence_of_changes_is_as_if_it_were_a_dict(changes: list[tuple[str, set[int]]]) -> None:
    folder = Path(mkdtemp())
    store, wanted, kept = VectorStore(folder, "m"), set[int](), set[int]()
    store.begin("m 1")
    try:
        for what, numbers in changes:
            if what == "reopen":
                store.close()
                store = VectorStore(folder, "m")
                continue
            wanted = wanted | numbers if what == "want" else wanted - numbers
            units(store, wanted)
            assert store.drop() == len(kept - wanted)
            kept &= wanted
            new = [rowid - 1 for rowid in store.missing()]
            assert set(new) == wanted - kept
            assert store.lacking() == len(new)
            if new:
                add(store, new)
            kept |= set(new)
        true_to(store, kept)
        assert store.look(row(3), 99).keys() == {n + 1 for n in kept}
    finally:
        store.close()
        shutil.rmtree(folder)


def test_rows_of_dropped_passages_are_wiped_out_and_used_again(store: VectorStore) -> None:
    units(store, range(4))
    add(store, [0, 1, 2, 3])
    file = store.folder / "rows.f32"
    units(store, [0, 3])
    assert store.drop() == 2
    for n in (1, 2):
        assert row(n).tobytes() not in file.read_bytes()
    size = file.stat().st_size
    units(store, [0, 3, 7, 8])
    add(store, [7, 8])
    assert file.stat().st_size == size
    true_to(store, {0, 3, 7, 8})


def test_the_nearest_are_those_that_looking_at_each_one_finds(store: VectorStore) -> None:
    units(store, range(300))
    add(store, list(range(300)))
    query = row(9999)
    mean = rows(range(300)).astype(float).sum(axis=0) / (300 + PRIOR)
    exact = {n + 1: cosine(row(n), query, mean) for n in range(300)}
    near = store.look(query, 10)
    assert near == pytest.approx({n: exact[n] for n in sorted(exact, key=lambda n: -exact[n])[:10]}, abs=2e-6)
    some = list(range(100, 140))
    within = store.look(query, 5, some)
    assert within == pytest.approx({n: exact[n] for n in sorted(some, key=lambda n: -exact[n])[:5]}, abs=2e-6)


def test_what_all_texts_have_in_common_counts_for_nothing(store: VectorStore) -> None:
    """Cosines are those of what each text says beside it."""
    shared = 3 * row(500)
    vectors = np.stack([shared + row(n) for n in range(200)])
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    units(store, range(200))
    store.add([name(n) for n in range(200)], vectors)
    apart = store.cosines(vectors[7], [n + 1 for n in range(200)])
    own = {n + 1: cosine(row(n), row(7), 0) for n in range(200)}
    assert np.corrcoef([apart[n] for n in own], list(own.values()))[0, 1] > 0.8
    assert np.mean(list(apart.values())) < 0.2
    assert (vectors @ vectors[7]).mean() > 0.8


def test_a_vector_that_came_or_went_changes_the_mean_as_if_it_had_always_been_so(tmp_path: Path) -> None:
    def asked(*changes: set[int]) -> dict[int, float]:
        store = VectorStore(tmp_path / "-".join(map(str, changes)), "m")
        store.begin("m 1")
        for numbers in changes:
            units(store, numbers)
            store.drop()
            if new := [rowid - 1 for rowid in store.missing()]:
                add(store, new)
            store.look(row(99), 3)
        near = store.cosines(row(99), [1, 2, 3])
        store.close()
        return near

    at_once = asked({0, 1, 2, 5})
    assert asked({5}, {5, 9, 2}, {2, 1, 0}, {0, 1, 2, 5}) == at_once
    assert asked({0, 1, 2}) != at_once


def test_texts_that_are_all_alike_are_all_found(store: VectorStore) -> None:
    nearly = np.stack([row(1) + np.float32(1e-4) * row(n) for n in range(80)])
    units(store, range(80))
    store.add([name(n) for n in range(80)], nearly / np.linalg.norm(nearly, axis=1, keepdims=True))
    near = store.look(row(1), 20)
    assert len(near) >= 20
    assert all(-1 <= near <= 1 for near in near.values())


def test_units_of_the_same_words_share_a_vector_and_all_are_found(store: VectorStore) -> None:
    store.settle(IndexMark("a", 9, 3), [], {1: name(0), 2: name(0), 3: name(1)})
    add(store, [0, 1])
    assert store.look(row(0), 1) == {1: 1.0, 2: 1.0}


def test_units_that_are_gone_make_room_for_others_among_the_nearest(store: VectorStore) -> None:
    units(store, range(60))
    add(store, list(range(60)))
    mean = rows(range(60)).astype(float).sum(axis=0) / (60 + PRIOR)
    order = sorted(range(60), key=lambda n: -cosine(row(n), row(0), mean))
    units(store, order[50:])  # nothing was dropped yet
    assert store.look(row(0), 3).keys() == {n + 1 for n in order[50:53]}


@given(st.lists(st.integers(0, 40), min_size=2, max_size=20, unique=True), st.randoms())
@settings(max_examples=20)
def test_a_cosine_does_not_depend_on_the_place_of_its_row(numbers: list[int], random) -> None:
    query, answers = row(77, 37), []
    orders = [random.sample(numbers, len(numbers)) for _ in range(2)]
    with TemporaryDirectory() as folder:
        for attempt, order in enumerate(orders):
            matrix = Matrix(Path(folder, str(attempt)), 37)
            vectors = {slot: row(n, 37) for slot, n in enumerate(order)}
            matrix.write({slot: vector.tobytes() for slot, vector in vectors.items()})
            sums = {slot: crc32(vector.tobytes()) for slot, vector in vectors.items()}
            cosines = matrix.cosines(query, matrix.mean(sums), sums)
            answers.append({order[slot]: cosine for slot, cosine in cosines.items()})
    assert answers[0] == answers[1]


def test_another_index_forgets_the_units_of_the_last_and_keeps_their_vectors(store: VectorStore) -> None:
    units(store, range(5))
    add(store, [0, 1, 2, 3, 4])
    store.settle(IndexMark("b", 4, 2), [], {1: name(3), 2: name(9)})
    assert store.units() == {1: name(3), 2: name(9)}
    assert store.missing() == [2]
    assert store.look(row(3), 1) == {1: 1.0}


def test_another_recipe_begins_with_nothing(store: VectorStore) -> None:
    units(store, range(3))
    add(store, [0, 1, 2])
    store.begin("model 1")
    assert len(store.embedded()) == 3
    store.begin("model 2")
    assert store.embedded() == set()
    assert not (store.folder / "rows.f32").exists()


def test_a_vector_of_another_length_is_refused(store: VectorStore) -> None:
    units(store, range(2))
    add(store, [0])
    longer = np.ones((1, DIMENSION + 1), np.float32)
    assert not store.fits(longer)
    with pytest.raises(VectorsError, match="vectors of 7 numbers, not 6"):
        store.add([name(1)], longer)
    with pytest.raises(VectorsError, match="makes all of them again"):
        store.look(longer[0], 1)
    true_to(store, {0})


def spoil_a_row(folder: Path) -> None:
    data = bytearray((folder / "rows.f32").read_bytes())
    data[5] ^= 1
    (folder / "rows.f32").write_bytes(data)


def spoil_the_table(folder: Path) -> None:
    for name_ in ("slots.sqlite-wal", "slots.sqlite-shm"):
        (folder / name_).unlink(missing_ok=True)
    (folder / "slots.sqlite").write_bytes(b"no database at all" * 500)


def cut_the_rows(folder: Path) -> None:
    (folder / "rows.f32").write_bytes((folder / "rows.f32").read_bytes()[:30])


def lose_the_rows(folder: Path) -> None:
    (folder / "rows.f32").unlink()


@pytest.mark.parametrize("spoil", [spoil_a_row, spoil_the_table, cut_the_rows, lose_the_rows])
def test_damage_is_told_and_never_a_wrong_answer(store: VectorStore, spoil: Callable[[Path], None]) -> None:
    units(store, range(4))
    add(store, [0, 1, 2, 3])
    store.close()
    spoil(store.folder)
    assert not store.sound()
    with pytest.raises(VectorsError, match=r"`memoryclaw sync --vectors` makes them again"):
        store.look(row(0), 4)
    store.discard()
    store.begin("model 1")
    units(store, range(4))
    add(store, [0, 1, 2, 3])
    true_to(store, {0, 1, 2, 3})


def test_a_deleted_folder_is_an_empty_store(store: VectorStore) -> None:
    units(store, range(2))
    add(store, [0, 1])
    shutil.rmtree(store.folder.parent)
    assert not store.exists()
    assert (store.recipe(), store.embedded(), store.missing()) == ("", set(), [])
    assert store.look(row(0), 1) == {}
    assert not store.folder.exists()


def test_readers_see_what_another_writer_adds(store: VectorStore, tmp_path: Path) -> None:
    reader = VectorStore(tmp_path, "model")
    units(store, range(9))
    for n in range(9):
        add(store, [n])
        assert reader.look(row(n), 1) == {n + 1: 1.0}
    store.discard()
    store.begin("model 2")
    units(store, [3])
    add(store, [3])
    assert reader.look(row(0), 9) == pytest.approx(
        {4: cosine(row(0), row(3), row(3) / (1 + PRIOR))}, abs=2e-6
    )


def test_models_have_folders_of_their_own_and_one_stays(tmp_path: Path) -> None:
    first, second = VectorStore(tmp_path, "bge/m3"), VectorStore(tmp_path, "bge-m3")
    assert first.folder != second.folder
    for store in (first, second):
        store.begin("x")
        units(store, [0])
        add(store, [0])
    second.discard_others()
    assert not first.exists()
    true_to(second, {0})


def test_two_cannot_fill_at_once(store: VectorStore, tmp_path: Path) -> None:
    def fill() -> None:
        with VectorStore(tmp_path, "m").filling():
            raise AssertionError

    with store.filling(), ThreadPoolExecutor() as others:
        error = others.submit(fill).exception()
    assert isinstance(error, LockedError)
    assert "filled by another process" in str(error)


def test_a_writer_that_is_killed_leaves_no_slot_with_anothers_vector(tmp_path: Path) -> None:
    """Killed before each of its writes in turn; what it acknowledged is there, and it all goes on from there."""

    def work(folder: Path) -> Callable[[Callable[[bytes], int]], None]:
        def fill(acknowledge: Callable[[bytes], int]) -> None:
            store = VectorStore(folder, "m")
            store.begin("m 1")
            units(store, [0, 1, 2, 3])
            add(store, [0, 1, 2, 3])
            acknowledge(b"1")
            units(store, [0, 3, 4, 5])
            store.drop()
            add(store, [4])
            acknowledge(b"2")
            add(store, [5])

        return fill

    at = 0
    while True:
        at += 1
        folder = tmp_path / str(at)
        folder.mkdir()
        killed = killed_at(at, work(folder))
        store = VectorStore(folder, "m")
        store.begin("m 1")
        kept = {n for n in range(6) if name(n) in store.embedded()}
        assert kept >= {b"": set(), b"1": {0, 3}, b"12": {0, 3, 4}}[killed.acknowledged]
        units(store, range(6))
        true_to(store, kept)
        store.drop()
        add(store, [rowid - 1 for rowid in store.missing()] or [0])
        true_to(store, set(range(6)))
        store.close()
        if not killed.code:
            break
    assert at > 8
