"""An export is read piece by piece, wherever it is cut; what cannot be read is told with its place, and no zip does harm."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from exports import zipped
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.connect import archives
from memoryclaw.connect.archives import Part, items, parts_of, whole
from memoryclaw.errors import InputError
from memoryclaw.model import Problem

TRICKY = [
    {"a": 'br{ack}et " \\" \\\\ [', "b": [[], {}, "]"]},
    {"ü": "雪\u2028"},
    {},
    ["x"],
    {"n": 1.5e9, "none": None},
]


class _Drops(BytesIO):
    """A file that gives a few bytes at a time, whatever it is asked for."""

    step = 1

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(self.step, size or 0) if size and size > 0 else self.step)


def read(data: bytes, step: int = 1 << 20) -> list[Any]:
    def opened() -> BytesIO:
        file = _Drops(data)
        file.step = step
        return file

    return list(items(Part("x.json", opened)))


@pytest.mark.parametrize("step", [1, 2, 3, 7, 64])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_is_read_item_by_item_wherever_it_is_cut(step: int, indent: int | None) -> None:
    text = json.dumps(TRICKY, ensure_ascii=False, indent=indent)
    for data in (text.encode(), text.encode("utf-8-sig"), text.replace("\n", "\r\n").encode()):
        assert read(data, step) == TRICKY
    assert read(json.dumps({"results": TRICKY}).encode(), step) == [{"results": TRICKY}]


@given(
    st.lists(
        st.recursive(
            st.none() | st.text() | st.integers(),
            lambda s: st.lists(s) | st.dictionaries(st.text(), s),
            max_leaves=8,
        )
    )
)
def test_any_list_reads_as_the_parser_reads_it(values: list[Any]) -> None:
    items = read(json.dumps(values).encode(), 5)
    assert items == values


def test_a_long_list_of_small_items_is_not_copied_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_CHUNK", 1000)
    values = [{"n": n} for n in range(5000)]
    assert read(json.dumps(values).encode()) == values


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('[{"a": 1},\n {"b": nope},\n {"c": 2}]', 2, "item 2, column 8: this is not JSON"),
        ('[{"a": 1},\n {"b": "x', 2, "item 2, column 2: the file ends in the middle"),
        ('[{"a": 1},\n', 2, "the list is never closed"),
        ("", 1, "there is no JSON"),
        ("hello", 1, "this is not JSON"),
    ],
)
def test_what_is_broken_is_told_with_its_place_and_the_rest_is_read(
    text: str, line: int, message: str
) -> None:
    for step in (1, 1 << 20):
        items = read(text.encode(), step)
        problems = [item for item in items if isinstance(item, Problem)]
        assert len(problems) == 1
        assert problems[0].line == line
        assert message in problems[0].message
        assert [item for item in items if isinstance(item, dict)] == [
            record for record in ({"a": 1}, {"c": 2}) if json.dumps(record) in text
        ]


def test_an_item_that_is_too_long_is_refused_and_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LARGEST", 100)
    monkeypatch.setattr(archives, "_CHUNK", 50)
    items = read(json.dumps([{"a": 1}, {"b": "x" * 500}]).encode())
    assert items[0] == {"a": 1}
    assert "more than 100 characters" in items[1].message
    with pytest.raises(InputError, match="larger than the 100 bytes"):
        whole(Part("x.md", lambda: BytesIO(b"y" * 101)))


def test_parts_come_from_a_file_a_folder_and_a_zip_in_a_folder(tmp_path: Path) -> None:
    zipped(tmp_path / "out/a.zip", {"in/x.json": [1], "__MACOSX/x.json": [2], "in/.hidden.json": [3]})
    (tmp_path / "out/b.json").write_text("[4]")
    (tmp_path / "out/.c.json").write_text("[5]")
    (tmp_path / "out/link.json").symlink_to(tmp_path / "out/b.json")
    assert [(part.name, [*items(part)]) for part in parts_of(str(tmp_path / "out"))] == [
        ("in/x.json", [1]),
        ("b.json", [4]),
    ]
    assert [part.name for part in parts_of(str(tmp_path / "out/b.json"))] == ["b.json"]


@pytest.mark.parametrize("name", ["../x.json", "/etc/x.json", "a/../../x.json", "C:/x.json", "a\\..\\x.json"])
def test_a_zip_that_would_write_outside_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="outside of it"):
        parts_of(str(zipped(tmp_path / "x.zip", {"fine.json": [1], name: [2]})))


def test_a_zip_that_would_expand_too_far_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "_HARMLESS", 1000)
    path = zipped(tmp_path / "x.zip", {"conversations.json": "[" + " " * 1_000_000 + "]"})
    with pytest.raises(InputError, match="would expand"):
        parts_of(str(path))


def test_a_damaged_zip_says_so(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", {"a.json": json.dumps([{"a": "b" * 5000}])})
    data = bytearray(path.read_bytes())
    data[60] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(InputError, match="damaged"):
        list(items(parts_of(str(path))[0]))
    path.write_text("no zip")
    with pytest.raises(InputError, match="as a zip"):
        parts_of(str(path))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.json", "[1]")
    locked = bytearray(path.read_bytes())
    locked[6] |= 1
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(locked)
    with pytest.raises(InputError, match="password"):
        parts_of(str(path))
    with pytest.raises(InputError, match="no file or folder"):
        parts_of(str(tmp_path / "nowhere"))
