"""Texts: columns of any type as columns of text, in the form that the command line prints."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.columnar.schemas import TEXT
from lmparse.values import decimals
from lmparse.values.json_form import to_json


def as_text(array: pa.Array) -> pa.Array:
    """A column as text: bytes in upper-case hex, timestamps in ISO form, structs and lists as JSON."""
    type_ = array.type
    if array.null_count == len(array):
        return pa.nulls(len(array), TEXT)
    if pa.types.is_string(type_):
        return array
    if pa.types.is_binary(type_):
        return _hex(array)
    if pa.types.is_timestamp(type_) or pa.types.is_date32(type_):
        return _time(array)
    if pa.types.is_integer(type_) or pa.types.is_boolean(type_):
        return array.cast(TEXT)
    if pa.types.is_decimal(type_):
        return _each(array, decimals.to_text)
    if pa.types.is_struct(type_):
        return _where(array, _struct(array), None)
    return _each(array, lambda value: json.dumps(to_json(value), ensure_ascii=False))


def _as_json(array: pa.Array) -> pa.Array:
    """A column as JSON: its text, in quotes where JSON has no such type, and `null`."""
    type_ = array.type
    text = as_text(array)
    is_bare = pa.types.is_integer(type_) or pa.types.is_boolean(type_) or pa.types.is_floating(type_)
    if pa.types.is_string(type_):
        known = text.dictionary_encode()
        quoted = [json.dumps(value, ensure_ascii=False) for value in known.dictionary.to_pylist()]
        text = pa.array(quoted, TEXT).take(known.indices)
    elif not (is_bare or pa.types.is_nested(type_)):
        text = pc.binary_join_element_wise('"', text, '"', "")
    return pc.fill_null(text, "null")


def _struct(array: pa.Array) -> pa.Array:
    parts: list[Any] = ["{"]
    for number, entry in enumerate(array.type):
        parts.append(f"{', ' if number else ''}{json.dumps(entry.name, ensure_ascii=False)}: ")
        parts.append(_as_json(array.field(number)))
    if len(parts) == 1:
        return pa.array(["{}"] * len(array), TEXT)
    return pc.binary_join_element_wise(*parts, "}", "")


def _where(array: pa.Array, text: pa.Array, other: str | None) -> pa.Array:
    """`text` in rows where a column has a value, `other` in the other rows."""
    return pc.if_else(array.is_valid(), text, pa.scalar(other, TEXT)) if array.null_count else text


def _each(array: pa.Array, show: Any) -> pa.Array:
    return pa.array([None if value is None else show(value) for value in array.to_pylist()], TEXT)


def _hex(array: pa.Array) -> pa.Array:
    offsets = np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]
    data = array.buffers()[2]
    raw = data[offsets[0] : offsets[-1]].to_pybytes() if data is not None else b""
    digits = pa.py_buffer(raw.hex().upper().encode())
    places = ((offsets - offsets[0]) * 2).astype(np.int32)
    text = pa.StringArray.from_buffers(len(array), pa.py_buffer(places), digits)
    return _where(array, text, None)


def _time(array: pa.Array) -> pa.Array:
    is_date = pa.types.is_date32(array.type)
    numbers = np.asarray(array.view(pa.int32() if is_date else pa.int64()).fill_null(0))
    times = numbers.astype("datetime64[D]" if is_date else "datetime64[us]")
    return _where(array, pa.array(np.datetime_as_string(times).tolist(), TEXT), None)
