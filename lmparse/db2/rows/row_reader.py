"""Rows of Db2 LUW: turns a record of a data page into typed values, column by column.

The reader uses the generated parser of `db2_row`, with the columns of the table as parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from typing import Any

from kaitaistruct import KaitaiStream, KaitaiStructError

from lmparse.changes.change import RowValues, of_table
from lmparse.db2.tables.table import Column, Table
from lmparse.errors import DataError, InvalidValueError, RecordError
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.values import codepages, decimals, floats, integers, packed_times, texts
from lmparse.values.codepages import CodePage
from lmparse.values.decimals import encode_packed

SPEC = "db2_row"
GRAPHIC_PAGE = 1200
"""Double-byte columns of a Unicode database contain UTF-16, most significant byte first (CCSID 1200)."""
_NOT_WRITTEN = "the row was stored before the column was added; its default is not in the log"
_LONG_FIELD = "long field data is logged without its row and column"
Outside = Callable[[Column], bytes | str]
"""Returns the value of a column that is stored outside of its row, or why it is not available."""


class RowReader:
    """Reads the rows of one version of a table."""

    def __init__(self, table: Table, byte_order: str, page: CodePage, *, trim: bool = True) -> None:
        self.table = table
        self._byte_order = byte_order
        self.placed = sorted(table.columns, key=lambda column: column.offset)
        """The columns in the order of their offsets."""
        spec = catalog.load(SPEC)
        storage = spec.enum("storage")
        self._special = spec.enum("value_offset_flag")["special"]
        self._attributes = spec.enum("attribute_byte")
        self._lob_headers = spec.enum("lob_header")
        self._lob_value = spec.layouts[f"{SPEC}.lob_value"]["value"].offset or 0
        self._order = catalog.load("db2_server").enum("byte_order")[byte_order]
        self.parts = RecordReader(
            spec,
            arguments=(
                self._order,
                [column.offset for column in self.placed],
                [column.width for column in self.placed],
                [int(column.is_nullable) for column in self.placed],
                [storage["varying" if column.sql_type.is_varying else "fixed"] for column in self.placed],
            ),
        )
        """Splits a record into its headers and the parts of its columns."""
        self.decoders = {column.number: _decoder(column, byte_order, page, trim) for column in table.columns}
        """Decoder of each column by number; None for a column whose values the log never contains."""

    def read(self, record: bytes, outside: Outside, wanted: frozenset[str] | None = None) -> RowValues:
        """The values of one row; with `wanted`, of these columns only.

        Raises RecordError or InvalidValueError if the record is not a row of the table. Errors of single values are
        collected in the row.
        """
        try:
            parsed: Any = self.parts.parse(record)
        except DataError as error:
            raise of_table(error, self.placed, self.table.identity) from None
        data = parsed.user_data
        if hasattr(data, "fixed_section"):
            parts = self._formatted(data, len(record))
        elif hasattr(data, "value_offsets"):
            parts = self._compressed(data, len(record))
        else:
            raise InvalidValueError(
                code="LMP-V001", spec=SPEC, field="record_type", field_offset=0, expected="the type of a complete row",
                found=f"{parsed.header.record_type:#04x}", hex=record[:32].hex().upper(),
            )  # fmt: skip
        row = RowValues({})
        read = set()
        for column, raw, start in parts:
            read.add(column.number)
            if wanted is None or column.name in wanted:
                row.values[column.name] = self._value(row, column, raw, start, outside)
        if hasattr(data, "variable_section"):
            row.unread = self._unread(data)
        for column in self.table.columns:
            if column.number not in read and (wanted is None or column.name in wanted):
                row.values[column.name] = None
                row.absent[column.name] = _NOT_WRITTEN
        row.values = {name: row.values[name] for column in self.table.columns if (name := column.name) in row.values}
        return row

    def _value(
        self, row: RowValues, column: Column, raw: bytes | _Elsewhere | None, start: int, outside: Outside
    ) -> Any:
        if raw is None:
            return None
        found: bytes | str
        if isinstance(raw, _Elsewhere) or self._is_external(column, raw):
            found = outside(column)
        elif column.sql_type.is_lob:
            found = raw[self._lob_value :] if raw and raw[0] == self._lob_headers["inline"] else b""
        else:
            found = raw
        if isinstance(found, str):
            row.absent[column.name] = found
            return None
        decode = self.decoders[column.number]
        if decode is None:
            row.absent[column.name] = _LONG_FIELD
            return None
        try:
            return decode(found)
        except InvalidValueError as error:
            error.at(spec=SPEC, field=column.name, field_offset=start, hex=found[:32].hex().upper())
            row.faults.append(error)
            return None

    def _is_external(self, column: Column, raw: bytes) -> bool:
        if column.type == "XML":
            return True
        return column.sql_type.is_lob and bool(raw) and raw[0] not in self._lob_headers.values()

    def _formatted(self, data: Any, length: int) -> Iterator[tuple[Column, bytes | _Elsewhere | None, int]]:
        """Columns with their bytes and the offset of the bytes in the record. The bytes are None for null."""
        first = length - len(data.variable_section) - data.fixed_length
        for column, part in zip(self.placed, getattr(data.fixed_section, "columns", None) or (), strict=False):
            if part.is_null:
                yield column, None, first + column.offset
            elif not column.sql_type.is_varying:
                yield column, part.value, first + column.offset
            elif part.value_offset & self._special:
                yield column, _Elsewhere(), first + column.offset
            else:
                start = part.value_offset - data.fixed_length
                end = start + part.value_length
                if start < 0 or end > len(data.variable_section):
                    raise self._beyond(column, part.value_offset, part.value_length, data, first)
                yield column, data.variable_section[start:end], first + part.value_offset

    def _unread(self, data: Any) -> int:
        """Number of bytes of the variable-length section that belong to no column; damaged columns may overlap."""
        parts = zip(self.placed, getattr(data.fixed_section, "columns", None) or (), strict=False)
        held = [part for column, part in parts if column.sql_type.is_varying and not part.is_null]
        spans = sorted(((part.value_offset & ~self._special) - data.fixed_length, part.value_length) for part in held)
        unread, place = 0, 0
        for start, length in spans:
            unread += max(0, start - place)
            place = max(place, start + length)
        return max(0, unread + len(data.variable_section) - place)

    def _beyond(self, column: Column, offset: int, length: int, data: Any, first: int) -> RecordError:
        return RecordError(
            "the value lies outside of the variable-length section", code="LMP-R002", spec=SPEC, field=column.name,
            field_offset=first + column.offset, found=f"{length} bytes at {offset}",
            expected=f"within {data.fixed_length} to {data.fixed_length + len(data.variable_section)}",
        )  # fmt: skip

    def _compressed(self, data: Any, length: int) -> Iterator[tuple[Column, bytes | _Elsewhere | None, int]]:
        """As `_formatted`, for a row with VALUE COMPRESSION. Its offsets count from the array or from the data."""
        offsets = [offset & ~self._special for offset in data.value_offsets]
        array = data.len_value_offsets
        start = offsets[0]
        ends = {0: len(data.data), array: array + len(data.data)}
        if start not in ends or offsets[-1] != ends[start] or offsets != sorted(offsets):
            raise RecordError(
                "value offsets lead out of the record", code="LMP-R002", spec=SPEC, field="value_offsets",
                expected=f"0 to {len(data.data)}, or {array} to {array + len(data.data)}",
                found=f"{start} to {offsets[-1]}",
            )  # fmt: skip
        if data.num_columns > len(self.table.columns):
            raise RecordError(code="LMP-R003", spec=SPEC, field="num_columns", found=str(data.num_columns),
                              expected=f"at most {len(self.table.columns)}")  # fmt: skip
        first = length - len(data.data)
        for number, column in enumerate(self.table.columns[: data.num_columns]):
            raw = data.data[offsets[number] - start : offsets[number + 1] - start]
            place = first + offsets[number] - start
            if not data.value_offsets[number] & self._special:
                yield column, raw, place
            elif len(raw) > 1:
                yield column, _Elsewhere(), place
            else:
                yield column, self._attribute(column, raw, place), place

    def _attribute(self, column: Column, raw: bytes, place: int) -> bytes | None:
        """The value that an attribute byte represents: null, or the default of the type."""
        if raw and raw[0] == self._attributes["is_null"]:
            return None
        if not raw or raw[0] != self._attributes["system_default"]:
            raise InvalidValueError(
                code="LMP-V001", spec=SPEC, field=column.name, field_offset=place, found=f"X'{raw.hex().upper()}'",
                expected="X'01' (null) or X'80' (system default)",
            )  # fmt: skip
        return _system_default(column, self._byte_order)

    def out_of_row(self, payload: bytes) -> dict[int, bytes]:
        """By column number, the varying values that are stored together outside of a row. Raises RecordError
        LMP-R002."""
        spec = catalog.load(SPEC)
        type_: Any = spec.parser.OutOfRowValues
        count = len(self.table.columns)
        try:
            parsed = type_(count, KaitaiStream(BytesIO(payload)), None, None, self._order == 0)
            start, end = parsed.value_offsets[0], parsed.value_offsets[-1]
        except (KaitaiStructError, EOFError):
            raise _not_consolidated(payload, "its offsets") from None
        head = len(payload) - len(parsed.data)
        bases = {0, head, parsed.len_value_offsets}
        if (
            start not in bases
            or end - start != len(parsed.data)
            or parsed.value_offsets != sorted(parsed.value_offsets)
        ):
            raise _not_consolidated(payload, f"offsets {start} to {end} for {len(parsed.data)} bytes")
        pairs = zip(self.table.columns, parsed.value_offsets, parsed.value_offsets[1:], strict=False)
        return {column.number: parsed.data[a - start : b - start] for column, a, b in pairs if b > a}


@dataclass(frozen=True, slots=True)
class _Elsewhere:
    """Replaces the bytes of a value that is stored outside of the row."""


def _not_consolidated(payload: bytes, found: str) -> RecordError:
    return RecordError(
        "values stored out of the row do not add up", code="LMP-R002", spec=SPEC, field="out_of_row_values",
        found=found, hex=payload[:32].hex().upper(),
    )  # fmt: skip


def _system_default(column: Column, byte_order: str) -> bytes:
    """The default of a type: zero for numbers, blanks for text of fixed length, no bytes for varying values."""
    if column.form == "decfloat":
        zero = floats.DECFLOAT_ZERO[column.width]
        return zero if byte_order == "big" else zero[::-1]
    if column.form == "decimal":
        return encode_packed(Decimal(0), column.width, column.scale)
    if column.type == "CHAR" and not column.sql_type.is_bit_data:
        return b" " * column.width
    if column.type == "GRAPHIC":
        blank = codepages.lookup(GRAPHIC_PAGE).encode(" ")
        return blank * (column.width // len(blank))
    return b"" if column.sql_type.is_varying else bytes(column.width)


def _decoder(column: Column, byte_order: str, page: CodePage, trim: bool) -> Callable[[bytes], Any] | None:
    """The decoder of a column; None if the log never contains its values."""
    type_, form = column.sql_type, column.form
    order: integers.ByteOrder = "big" if byte_order == "big" else "little"
    if form == "absent":
        return None
    if form == "text":
        text = codepages.lookup(GRAPHIC_PAGE) if type_.is_graphic else page
        text = codepages.lookup("utf-8") if type_.name == "XML" else text
        return texts.decoder(text, trim and not type_.is_varying)
    if form == "int":
        return lambda raw: integers.decode(raw, column.length, order)
    if form == "float":
        return lambda raw: floats.decode_ieee(raw, order)
    if form == "decimal":
        return lambda raw: decimals.decode_packed(raw, type_.scale, type_.precision)
    if form == "decfloat":
        return lambda raw: floats.decode_decfloat(raw if byte_order == "big" else raw[::-1])
    if form == "timestamp":
        return lambda raw: packed_times.decode_timestamp(raw, type_.precision)
    return _DECODERS.get(form, bytes)


def _boolean(raw: bytes) -> bool:
    if raw not in (b"\x00", b"\x01"):
        raise InvalidValueError(code="LMP-V001", expected="X'00' or X'01'", found=f"X'{raw.hex().upper()}'")
    return raw == b"\x01"


_DECODERS: dict[str, Callable[[bytes], Any]] = {
    "boolean": _boolean,
    "date": packed_times.decode_date,
    "time": packed_times.decode_time,
}
