"""Record headers as JSON text: the fields in front of the rows of many log records of one form.

The debug parser reads one record of each form and shows the places of its fields. All records of the form have these
fields at the same offsets, from the start of the record or from its second row. The learned form must give the header
that the reader of single records gives. If it does not, headers of the form are made one by one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from lmparse.columnar import arrays, json_texts, kernels
from lmparse.columnar.json_texts import Part
from lmparse.db2.record.forms import RecordForm
from lmparse.db2.record.log_record import LogReader
from lmparse.errors import DataError
from lmparse.framing.extents import RecordExtent
from lmparse.records.dissection import Dissector, Node
from lmparse.spec.layout import Field
from lmparse.storage.buffers import Buffer
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Bytes, Int64s

_WIDEST = 8
"""Bytes of the widest number that a column holds."""


@dataclass(frozen=True, eq=False)
class _Leaf:
    """A field of the header."""

    offset: int
    """Offset in the record; a negative offset counts from its second row."""
    width: int
    array: Callable[[Bytes], pa.Array]
    """Makes the array of values from (n, width) bytes."""


_Shape = dict[str, Any]
"""By name: a leaf, the JSON text that all records of the form share, or the shape of a part."""


class HeaderForm:
    """The headers of the records of one form; `shape` is the shape of the JSON object."""

    def __init__(self, shape: _Shape) -> None:
        self._shape = shape
        offsets = [(leaf.offset, leaf.offset + leaf.width) for leaf in _leaves(shape)]
        self._front = max((end for offset, end in offsets if offset >= 0), default=0)
        self._back = max((-offset for offset, _ in offsets if offset < 0), default=0)

    def texts(self, data: Bytes, starts: Int64s, seconds: Int64s) -> pa.Array:
        """The JSON texts of the headers of n records at `starts` in flat data, whose second rows are at `seconds`."""
        front = byte_arrays.take_rows(data, starts, self._front)
        back = byte_arrays.take_rows(data, seconds - self._back, self._back)
        return self._text(self._shape, front, back)

    def _text(self, shape: _Shape, front: Bytes, back: Bytes) -> pa.Array:
        columns: dict[str, tuple[Part, bool]] = {}
        for name, entry in shape.items():
            found = entry
            if isinstance(entry, dict):
                found = self._text(entry, front, back)
            elif isinstance(entry, _Leaf):
                rows, at = (front, entry.offset) if entry.offset >= 0 else (back, entry.offset + self._back)
                found = json_texts.values(entry.array(rows[:, at : at + entry.width]))
            columns[name] = found, False
        return json_texts.joined(json_texts.members(columns), len(front))


def learned(logs: LogReader, buffer: Buffer, extent: RecordExtent, second: int) -> HeaderForm | None:
    """The header form of a record whose second row is at offset `second` in the file; None if the record is bad, or if
    one of its fields cannot be read by the column."""
    try:
        record, raw = logs.read(buffer, extent), extent.read(buffer)
    except DataError:
        return None  # the reader of single changes raises the error
    form = RecordForm.of(record, logs.records.spec)
    nodes = {node.path: node for node in Dissector(logs.records).dissect(raw).walk()}
    fixed, second = form.base + form.layout.least_width, second - extent.offset
    shown = logs.header_of(record)
    shape = _Learning(logs, nodes, fixed, second).shape(shown)
    if shape is None:
        return None
    found = HeaderForm(shape)
    data = np.frombuffer(raw, np.uint8)
    text = found.texts(data, np.zeros(1, np.int64), np.full(1, second))[0].as_py()
    return found if text == json.dumps(shown, ensure_ascii=False) else None


class _Learning:
    """Learns the shape of a header from the fields of one record."""

    def __init__(self, logs: LogReader, nodes: dict[str, Node], fixed: int, second: int) -> None:
        self._nodes, self._fixed, self._second = nodes, fixed, second
        self._layouts = logs.records.spec.layouts
        self._order = logs.byte_order_word

    def shape(self, values: dict[str, Any], path: str = "") -> _Shape | None:
        """The shape of the object `values`; None if one of its fields cannot be read by the column."""
        found: _Shape = {}
        for name, value in values.items():
            node = self._nodes.get(path + name)
            if isinstance(value, dict):
                found[name] = self.shape(value, f"{path}{name}.")
            elif node is None:
                found[name] = json.dumps(value, ensure_ascii=False)  # the kind, or a field that the form does not have
            else:
                found[name] = self._leaf(node)
            if found[name] is None:
                return None
        return found

    def _leaf(self, node: Node) -> _Leaf | None:
        read = self._reader(node.field)
        offset = node.start if node.end <= self._fixed else node.start - self._second
        if read is None or (offset < 0 and node.end > self._second) or (offset >= 0 and node.end > self._fixed):
            return None
        return _Leaf(offset, node.end - node.start, read)

    def _reader(self, field: Field) -> Callable[[Bytes], pa.Array] | None:
        """A function that makes values of the bytes of a field; None for a kind of field without one."""
        order, width = self._order, field.width or 0
        if field.repeated or field.scale or not width:
            return None
        words = {code.value: code.id for code in field.codes}
        if words and field.kind == "uint" and width < _WIDEST:
            return lambda raw: kernels.words_of(words, integers.decode_unsigned_array(raw, order).astype(np.int64))
        if field.kind in ("uint", "int") and field.type is None and field.bits is None and width <= _WIDEST:
            if field.kind == "uint":
                return lambda raw: arrays.numbers(integers.decode_unsigned_array(raw, order), pa.uint64())
            return lambda raw: arrays.numbers(integers.decode_signed_array(raw, order), pa.int64())
        if field.kind not in ("bytes", "lsn", "rid6"):
            return None
        which = self._shown_bytes(field)
        return lambda raw: arrays.binary(raw[:, which])

    def _shown_bytes(self, field: Field) -> list[int]:
        """Places of the bytes of a field in the order of display: numbers begin with the most significant byte."""
        every = list(range(field.width or 0))
        if self._order == "big" or field.kind == "bytes":
            return every
        if field.type is None or field.kind == "rid6":
            return every[::-1]
        found: list[int] = []
        for part in self._layouts[field.type]:
            found += every[part.offset : part.end][::-1]
        return found


def _leaves(shape: _Shape) -> list[_Leaf]:
    found: list[_Leaf] = []
    for entry in shape.values():
        found += _leaves(entry) if isinstance(entry, dict) else [entry] if isinstance(entry, _Leaf) else []
    return found
