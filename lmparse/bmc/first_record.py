"""First record: whether the first record of a log is in its file again, as where a file was put together of one twice.

Log Master's file has no order, so that positions that go back prove nothing; but no record is there twice. Others than
the first one are compared by `check` only, which holds a digest of each.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from lmparse.errors import DataError
from lmparse.framing.base import Framing
from lmparse.framing.extents import RecordExtent
from lmparse.framing.windows import Window
from lmparse.storage.buffers import Buffer
from lmparse.values.byte_arrays import Int64s

_MOST = 100
"""Records of a window that are compared whole: more have its position only where positions mean nothing."""


class FirstRecord:
    """The bytes of the first record of a log; `say` gets a text where they are found again, once."""

    def __init__(self, extent: RecordExtent, raw: bytes, say: Callable[[str], None]) -> None:
        self._offset, self.raw, self._say = extent.offset, raw, say
        self.is_said = False

    @classmethod
    def of(cls, framing: Framing, buffer: Buffer, say: Callable[[str], None]) -> FirstRecord | None:
        """That of a file; None if it has none, or a damaged one."""
        with suppress(DataError):  # reported where it is read
            for extent in framing.extents(buffer):
                return cls(extent, extent.read(buffer), say)
        return None

    def look(self, window: Window, numbers: Int64s) -> None:
        """Compare those records of a window that may be the same."""
        if self.is_said:
            return
        alike = numbers[(window.lengths[numbers] == len(self.raw)) & (window.offsets[numbers] != self._offset)]
        for number in alike[:_MOST].tolist():
            start = int(window.starts[number])
            if np.array_equal(window.data[start : start + len(self.raw)], np.frombuffer(self.raw, np.uint8)):
                self._found(int(window.offsets[number]))
                return

    def look_at(self, extent: RecordExtent, raw: bytes) -> None:
        """Compare one record."""
        if raw == self.raw and extent.offset != self._offset and not self.is_said:
            self._found(extent.offset)

    def _found(self, offset: int) -> None:
        self.is_said = True
        self._say(
            f"the record at {offset:#x} is the first one of the file again: the file was put together of one twice, "
            "whose changes are then given twice, or a record was copied"
        )
