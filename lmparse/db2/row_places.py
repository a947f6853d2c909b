"""Places of rows: finds the rows in the record of a change without parsing the record again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lmparse.db2.log import Db2Log
from lmparse.db2.transaction_index import ChangeReference
from lmparse.spec import catalog
from lmparse.spec.catalog import number_struct
from lmparse.spec.layout import Layout


@dataclass(frozen=True)
class _Shape:
    """Offsets of the rows in records of one kind, in bytes from the start of the record."""

    first: int
    gap: int | None
    """Number of bytes between two rows; None if the only row extends to the end of the record."""


class RowPlaces:
    """Finds the rows in the records of changes, which have been read once and are sound.

    The offsets in records of a kind come from the first record of it.
    """

    def __init__(self, log: Db2Log) -> None:
        self._log = log
        head = log.reader.spec.layout
        self._type = slice(head["type"].offset, head["general_flag"].end)
        header = catalog.load("db2_row_header").layout
        self._length = number_struct(header["record_length"], log.byte_order)
        self._length_place = header["record_length"].offset or 0
        prefix = catalog.load("db2_prefix").layouts[f"db2_prefix.{log.framing.name}"]
        sqlcode = prefix.by_id.get("sqlcode")
        self._sqlcode = None if sqlcode is None else ((sqlcode.offset or 0), sqlcode.end or 0)
        self._shapes: dict[tuple[str, bytes], _Shape | None] = {}
        self._last: tuple[int, list[tuple[int, int]]] = -1, []

    def of(self, reference: ChangeReference) -> Sequence[tuple[int, int]]:
        """Offset in the file and length of each row of a change; empty if it must be read one by one."""
        extent, buffer = reference.extent, self._log.buffer
        offset = extent.offset
        if len(extent.pieces) != 1 or self._is_compressed(offset):
            return ()
        key = reference.kind, buffer[offset + self._type.start : offset + self._type.stop]
        if key not in self._shapes:
            self._shapes[key] = self._shape(reference)
        shape = self._shapes[key]
        if shape is None:
            return ()
        start, end = offset + shape.first, offset + extent.length
        if shape.gap is None:
            return ((start, end - start),)
        if self._last[0] != offset:
            self._last = offset, self._walked(start, end, shape.gap)
        rows = self._last[1]
        return rows if reference.op == "U" else rows[reference.number : reference.number + 1]

    def _is_compressed(self, offset: int) -> bool:
        """As `LogRecord.is_compressed`."""
        if self._sqlcode is None:
            return False
        start = offset - self._log.framing.lead
        return any(self._log.buffer[start + self._sqlcode[0] : start + self._sqlcode[1]])

    def _shape(self, reference: ChangeReference) -> _Shape | None:
        body = self._log.logs.read(self._log.buffer, reference.extent).body
        spec = self._log.reader.spec
        layout = spec.layout_of(body)
        base = reference.extent.length - body._io.size()
        if "record" in layout.by_id:
            return _Shape(base + _offset(layout, "record"), None)
        if "old_row" in layout.by_id:
            parts = [_offset(spec.layouts[layout[name].type or ""], "record") for name in ("old_row", "new_row")]
            return _Shape(base + _offset(layout, "old_row") + parts[0], (layout["new_header"].width or 0) + parts[1])
        if "records" in layout.by_id:
            front = _offset(spec.layouts[layout["records"].type or ""], "record")
            return _Shape(base + _offset(layout, "records") + front, front)
        return None

    def _walked(self, start: int, end: int, gap: int) -> list[tuple[int, int]]:
        """Consecutive rows, each with the length in its own header."""
        found = []
        while start < end:
            length = self._length.unpack_from(self._log.buffer, start + self._length_place)[0]
            found.append((start, length))
            start += length + gap
        return found


def _offset(layout: Layout, name: str) -> int:
    return layout[name].offset or 0
