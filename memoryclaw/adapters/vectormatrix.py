"""Rows of numbers in one file, asked by looking at all of them. The rule: a cosine depends on its two vectors alone, not on their place.

The file only grows: other processes look at it through a mapping, which a shorter file would pull from under them.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryclaw.adapters.embedders import Floats, numpy
from memoryclaw.core.errors import VectorsError

_FLOAT = 4  # bytes
_CHUNK = 1 << 16  # rows looked at in one go
_DOUBT = 1e-4  # by which a quick product of two vectors may be off
_DIGITS = 6  # of a cosine


class Matrix:
    """A file of rows.

    Args:
        path: the file.
        dimension: numbers in a row.
    """

    def __init__(self, path: Path, dimension: int) -> None:
        self.path = path
        self.dimension = dimension
        self._width = dimension * _FLOAT
        self._mapped: Any = None

    def write(self, rows: Mapping[int, bytes]) -> None:
        """Writes rows at their slots; on the disk when it returns."""
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            for slot, row in sorted(rows.items()):
                os.pwrite(fd, row, slot * self._width)
            os.fsync(fd)
        finally:
            os.close(fd)

    def zero(self, slots: Iterable[int]) -> None:
        """Wipes rows out."""
        nothing = bytes(self._width)
        self.write(dict.fromkeys(slots, nothing))

    def nearest(self, query: Floats, count: int, wanted: int) -> tuple[list[int], float]:
        """The slots whose rows are nearest to a vector, and the mean cosine of all rows, among the first `count`.

        At least as many slots as wanted, in no order. Rows that were wiped out have no part in the mean, which is told in
        thousandths: what rounding depends on the place of a row is far below that.
        """
        np, rows = numpy(), self._rows(count)
        quick = np.concatenate([np.dot(rows[at : at + _CHUNK], query) for at in range(0, count, _CHUNK)])
        held = quick[quick != 0]
        mean = round(float(held.mean(dtype=np.float64)), 3) if held.size else 0.0
        if count <= wanted:
            return list(range(count)), mean
        least = np.partition(quick, count - wanted)[count - wanted] - _DOUBT
        return [int(slot) for slot in np.flatnonzero(quick >= least)], mean

    def cosines(self, query: Floats, sums: Mapping[int, int], count: int) -> dict[int, float]:
        """The exact cosine of each slot to a vector.

        Args:
            query: of length 1.
            sums: the checksum that each slot's row must have.
            count: rows that the file must have at least.

        Raises:
            VectorsError: a row is not what was written.
        """
        np = numpy()
        slots = list(sums)
        rows = self._rows(count)[slots]  # a copy, which nobody changes between the look and the sum
        if [checksum(row.tobytes()) for row in rows] != list(sums.values()):
            raise VectorsError(damaged(self.path))
        # A product by BLAS would round by the place of a row; this sum does not.
        products = rows.astype(np.float64) * query.astype(np.float64)
        return dict(zip(slots, np.round(products.sum(axis=1), _DIGITS).tolist(), strict=True))

    def sound(self, sums: Sequence[tuple[int, int]], count: int) -> bool:
        """True when every row has its checksum."""
        rows = self._rows(count)
        return all(checksum(rows[slot].tobytes()) == known for slot, known in sums)

    def _rows(self, count: int) -> Any:
        """The file as a matrix of `count` rows or more; mapped anew when it has grown."""
        np = numpy()
        if self._mapped is None or len(self._mapped) < count:
            try:
                held = self.path.stat().st_size // self._width
            except FileNotFoundError:
                held = 0
            if held < max(count, 1):
                raise VectorsError(damaged(self.path))
            self._mapped = np.memmap(self.path, np.float32, "r", shape=(held, self.dimension))
        return self._mapped[:count]


def checksum(row: bytes) -> int:
    """Tells one row from another."""
    return zlib.crc32(row)


def damaged(path: Path) -> str:
    """What is said of vectors that are not what was written."""
    return f"the vectors in {path.parent} are damaged; `memoryclaw sync --vectors` makes them anew"
