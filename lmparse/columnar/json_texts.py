"""JSON texts: columns as JSON, one text for each row, byte for byte as `to_json` and `json.dumps` show each value.

Text stays as it is, without `\\uXXXX` for other characters than ASCII. Decimals keep their digits; decimals, bytes (in
hexadecimal) and times are quoted. Values that Arrow shows differently are mended: some floats, decimals with an
exponent, and text with characters that JSON escapes. `as_text` makes columns of text, where values have no quotes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse import terminal
from lmparse.columnar import arrays
from lmparse.values.byte_arrays import Flags, Float64s, Int64s
from lmparse.values.json_form import to_json

LINE = "_line"
"""Name of the column of JSON lines; no field of a spec has this name."""
LINES = pa.schema([(LINE, pa.binary())])
"""Schema of JSON lines: UTF-8 bytes, each line with its newline."""
MOST_BYTES = 1 << 27
"""Bytes of rows that become JSON together. A text column has at most 2 GiB, and a byte may become six characters."""
_TEXT = pa.string()
_NULL = "null"
_WITH_EXPONENT = 6
"""Digits behind the point up to which Arrow shows no decimal with an exponent."""
_FIXED, _LARGE = (1e-4, 1e10), 1e16
"""Bounds of floats that Arrow shows as Python does, except for `.0`; from `_LARGE` on, both show an exponent."""
_SMALL = 1e-10
"""Below this size, Arrow and Python show the same exponent of two or three digits."""
_CONTROLS = f"[{terminal.CONTROLS}]".replace("\x00", r"\x00")
Part: TypeAlias = "str | pa.Array"
"""Text between values (str), or one text for each row (array)."""


def objects(columns: Mapping[str, pa.Array], count: int, omitted: Collection[str] = ()) -> pa.Array:
    """JSON objects of `count` rows, from columns by name. Columns in `omitted` are left out where they are null."""
    return joined(members({name: (values(array), name in omitted) for name, array in columns.items()}), count)


def metadata(array: pa.Array, same: Mapping[str, str]) -> pa.Array:
    """The column `_metadata` as JSON; `same` has the values that all rows share, by name."""
    columns: dict[str, tuple[Part, bool]] = {}
    for number, entry in enumerate(array.type):
        known = same.get(entry.name)
        shown = values(array.field(number)) if known is None else json.dumps(known, ensure_ascii=False)
        columns[entry.name] = shown, False
    return joined(members(columns), len(array))


def members(columns: Mapping[str, tuple[Part, bool]]) -> list[Part]:
    """The parts of JSON objects, from JSON values by name and whether a null value is left out.

    A value is one text for each row, or one text for all rows.
    """
    parts: list[Part] = ["{"]
    for name, (value, is_omitted) in columns.items():
        lead = f"{'' if len(parts) == 1 else ', '}{json.dumps(name, ensure_ascii=False)}: "
        if isinstance(value, str):
            parts.append(lead + value)
        elif is_omitted and len(parts) > 1:
            parts.append(pc.fill_null(pc.binary_join_element_wise(lead, value, ""), ""))
        else:
            parts += [lead, pc.fill_null(value, _NULL) if value.null_count else value]
    return [*parts, "}"]


def joined(parts: Sequence[Part], count: int) -> pa.Array:
    """Join parts to one text for each of `count` rows."""
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, str) and isinstance(last, str):
            merged[-1] = last + part
        else:
            merged.append(part)
    if all(isinstance(part, str) for part in merged):
        return pa.repeat(pa.scalar("".join(map(str, merged)), _TEXT), count)
    return pc.binary_join_element_wise(*merged, "")


def values(array: pa.Array) -> pa.Array:
    """The values of a column as JSON; null stays null. Times must be text already. Raises TypeError for other types."""
    type_ = array.type
    if array.null_count == len(array):
        return pa.nulls(len(array), _TEXT)
    if pa.types.is_string(type_):
        return _quoted(_escaped(array))
    if pa.types.is_integer(type_) or pa.types.is_boolean(type_):
        return array.cast(_TEXT)
    if pa.types.is_floating(type_):
        return _floats(array)
    if pa.types.is_decimal(type_):
        return _quoted(decimals(array))
    if pa.types.is_binary(type_):
        return _quoted(hexadecimal(array))
    raise TypeError(f"{type_} has no form in JSON here")


def as_text(array: pa.Array) -> pa.Array:
    """A column as text: bytes in upper-case hexadecimal, times in ISO form, structs and lists as JSON."""
    type_ = array.type
    if array.null_count == len(array):
        return pa.nulls(len(array), _TEXT)
    if pa.types.is_string(type_):
        return array
    if pa.types.is_binary(type_):
        return hexadecimal(array)
    if pa.types.is_timestamp(type_) or pa.types.is_date32(type_):
        is_date = pa.types.is_date32(type_)
        numbers = np.asarray(array.view(pa.int32() if is_date else pa.int64()).fill_null(0))
        times = numbers.astype("datetime64[D]" if is_date else "datetime64[us]")
        return masked(pa.array(np.datetime_as_string(times).tolist(), _TEXT), array)
    if pa.types.is_list(type_):
        shown = [
            value if value is None else json.dumps(to_json(value), ensure_ascii=False) for value in array.to_pylist()
        ]
        return pa.array(shown, _TEXT)
    if pa.types.is_struct(type_):
        columns = {entry.name: _as_json(array.field(number)) for number, entry in enumerate(type_)}
        text = joined(members({name: (one, False) for name, one in columns.items()}), len(array))
        return masked(text, array)
    return decimals(array) if pa.types.is_decimal(type_) else values(array)


def _as_json(array: pa.Array) -> pa.Array:
    """A column as JSON, times and nested values included."""
    type_ = array.type
    if pa.types.is_nested(type_):
        return as_text(array)
    is_time = pa.types.is_timestamp(type_) or pa.types.is_date32(type_)
    return values(as_text(array) if is_time else array)


def _quoted(text: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise('"', text, '"', "")


# -- texts ------------------------------------------------------------------------------------------


def _escaped(text: pa.Array) -> pa.Array:
    """Text with JSON escapes for quotes, backslashes and control characters."""
    data, offsets = arrays.flat(text)
    needs = data < 0x20
    needs |= data == ord('"')
    needs |= data == ord("\\")
    if not needs.any():
        return text
    rows = np.unique(np.searchsorted(offsets, np.flatnonzero(needs), side="right") - 1)
    found = text.take(pa.array(rows))
    # Escape backslashes first, because the other escapes contain backslashes.
    for code in sorted(np.unique(data[needs]).tolist(), key=lambda code: code != ord("\\")):
        found = pc.replace_substring(found, chr(code), json.dumps(chr(code))[1:-1])
    return _replaced(text, rows, found)


def json_line(row: Mapping[str, Any]) -> bytes:
    """One row as the command line prints it; values have the form of `to_json`."""
    return (terminal.json_text(row) + "\n").encode()


def difference(one: bytes, other: bytes) -> tuple[str, Any, Any]:
    """The first name whose values differ in two JSON lines, and both values; LINE if only their form differs."""
    rows = json.loads(one), json.loads(other)
    for name in dict.fromkeys((*rows[0], *rows[1])):
        values_ = tuple(row.get(name) for row in rows)
        if values_[0] != values_[1]:
            return name, *values_
    return LINE, one.decode(), other.decode()


def harmless(lines: pa.Array) -> pa.Array:
    """JSON lines with the control characters replaced as by `terminal.harmless`."""
    raw = arrays.flat(lines)[0]
    newlines = np.count_nonzero(raw == ord("\n"))
    is_plain = not (raw >= 0x7F).any() and np.count_nonzero(raw < 0x20) == newlines == len(lines)
    if is_plain or terminal.is_printable(raw.tobytes().decode()):
        return lines
    rows = np.flatnonzero(np.asarray(pc.match_substring_regex(lines, _CONTROLS)))
    made = [terminal.harmless(line) for line in lines.take(pa.array(rows)).to_pylist()]
    return _replaced(lines, rows, pa.array(made, _TEXT))


def _replaced(text: pa.Array, rows: Int64s, by: pa.Array) -> pa.Array:
    """The column with the values `by` in the rows `rows`."""
    if not len(rows):
        return text
    order = np.arange(len(text))
    order[rows] = len(text) + np.arange(len(rows))
    return pa.concat_arrays([text, by]).take(pa.array(order))


def hexadecimal(array: pa.Array) -> pa.Array:
    """Bytes as upper-case hexadecimal text."""
    raw, offsets = arrays.flat(array)
    digits = pa.py_buffer(raw.tobytes().hex().upper().encode())
    places = pa.py_buffer((offsets * 2).astype(np.int32))
    return masked(pa.StringArray.from_buffers(len(array), places, digits), array)


# -- numbers ----------------------------------------------------------------------------------------


def decimals(array: pa.Array) -> pa.Array:
    """Decimals as text with all their digits, as `decimals.to_text` gives."""
    text, scale = array.cast(_TEXT), array.type.scale
    if scale <= _WITH_EXPONENT:
        return text
    rows = np.flatnonzero(np.asarray(pc.fill_null(pc.match_substring(text, "E"), False)))
    if not len(rows):
        return text
    # A decimal of scale 0 is shown without an exponent.
    found = array.take(pa.array(rows))
    whole = pa.Array.from_buffers(pa.decimal128(array.type.precision, 0), len(found), found.buffers()).cast(_TEXT)
    digits = pc.utf8_lpad(pc.utf8_ltrim(whole, "-"), scale + 1, "0")
    sign = pc.if_else(pc.starts_with(whole, "-"), "-", "")
    front, behind = pc.utf8_slice_codeunits(digits, 0, -scale), pc.utf8_slice_codeunits(digits, -scale)
    return _replaced(text, rows, pc.binary_join_element_wise(sign, front, ".", behind, ""))


def _floats(array: pa.Array) -> pa.Array:
    """Floats as Python shows them; NaN and infinities in quotes."""
    text = array.cast(_TEXT)
    numbers: Float64s = np.asarray(pc.fill_null(array, 0.0))
    size = np.abs(numbers)
    with np.errstate(invalid="ignore"):
        is_whole = (size < _LARGE) & (numbers == np.floor(numbers))
    text = _pointed(text, numbers, size, is_whole)
    is_fixed = (size == 0) | ((size >= _FIXED[0]) & (size < _FIXED[1])) | (size < _SMALL) | (size >= _LARGE)
    rows = np.flatnonzero(~(is_fixed | is_whole) | ~np.isfinite(numbers))
    if not len(rows):
        return text
    shown = [json.dumps(to_json(number)) for number in numbers[rows].tolist()]
    return masked(_replaced(text, rows, pa.array(shown, _TEXT)), array)


def _pointed(text: pa.Array, numbers: Float64s, size: Float64s, is_whole: Flags) -> pa.Array:
    """Whole numbers with `.0`. Arrow shows large whole numbers with an exponent, so they become integers first."""
    if not is_whole.any():
        return text
    rows = np.flatnonzero(is_whole & (size >= _FIXED[1]))
    text = _replaced(text, rows, pa.array(numbers[rows].astype(np.int64)).cast(_TEXT))
    return pc.binary_join_element_wise(text, pc.if_else(pa.array(is_whole), ".0", ""), "")


def masked(text: pa.Array, array: pa.Array) -> pa.Array:
    """The text with null where the column is null."""
    return pc.if_else(array.is_valid(), text, pa.scalar(None, _TEXT)) if array.null_count else text
