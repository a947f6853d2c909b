"""Texts: columns of any type as columns of text, in the form that the command line prints."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa

from lmparse.columnar import json_texts
from lmparse.columnar.schemas import TEXT
from lmparse.values.json_form import to_json


def as_text(array: pa.Array) -> pa.Array:
    """A column as text: bytes in upper-case hex, timestamps in ISO form, structs and lists as JSON."""
    type_ = array.type
    if array.null_count == len(array):
        return pa.nulls(len(array), TEXT)
    if pa.types.is_string(type_):
        return array
    if pa.types.is_binary(type_):
        return json_texts.hexadecimal(array)
    if pa.types.is_timestamp(type_) or pa.types.is_date32(type_):
        return _time(array)
    if pa.types.is_list(type_):
        shown = [
            value if value is None else json.dumps(to_json(value), ensure_ascii=False) for value in array.to_pylist()
        ]
        return pa.array(shown, TEXT)
    if pa.types.is_struct(type_):
        columns = {entry.name: _as_json(array.field(number)) for number, entry in enumerate(type_)}
        text = json_texts.joined(json_texts.members({name: (one, False) for name, one in columns.items()}), len(array))
        return json_texts.masked(text, array)
    return json_texts.decimals(array) if pa.types.is_decimal(type_) else json_texts.values(array)


def _as_json(array: pa.Array) -> pa.Array:
    """A column as JSON."""
    type_ = array.type
    if pa.types.is_nested(type_):
        return as_text(array)
    is_time = pa.types.is_timestamp(type_) or pa.types.is_date32(type_)
    return json_texts.values(as_text(array) if is_time else array)


def _time(array: pa.Array) -> pa.Array:
    is_date = pa.types.is_date32(array.type)
    numbers = np.asarray(array.view(pa.int32() if is_date else pa.int64()).fill_null(0))
    times = numbers.astype("datetime64[D]" if is_date else "datetime64[us]")
    return json_texts.masked(pa.array(np.datetime_as_string(times).tolist(), TEXT), array)
