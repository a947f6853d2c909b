"""Encoding: values of records to bytes, by the layouts that the readers use.

For samples and round trips. The offsets are those of the readers, so encoding proves nothing about them; the tests have
an encoder of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lmparse.errors import OptionError
from lmparse.spec.catalog import Spec
from lmparse.spec.layout import Field, Layout
from lmparse.values import codepages, kinds
from lmparse.values.codepages import CodePage, page_of_field
from lmparse.values.integers import ByteOrder


def encode_record(spec: Spec, values: Mapping[str, Any], page: CodePage) -> bytes:
    """One record from its values by field id; missing values become zero or blank.

    Integers for numbers, text for characters and codes, ISO text for timestamps, bytes or integers for RBA and LRSN.
    Raises OptionError for a field that the spec lacks.
    """
    layout = spec.layout
    for name in values:
        if name not in layout.by_id:
            raise OptionError(f"{layout.id} has no field {name!r}")
    return b"".join(_encode_field(entry, values.get(entry.id), page, layout.byte_order(entry)) for entry in layout)


def encode_part(spec: Spec, part: str, values: Mapping[str, Any], byte_order: ByteOrder) -> bytes:
    """One type of a spec (`row_v97` of db2_dms) in a byte order, which is a parameter of the type.

    `values` includes the fields of the type's headers; an optional field without a value is left out. Raises
    OptionError for a field that the type lacks.
    """
    left = dict(values)
    encoded = _encode_type(spec, spec.layouts[f"{spec.id}.{part}"], left, byte_order)
    if left:
        raise OptionError(f"{spec.id}.{part} has no field {next(iter(left))!r}")
    return encoded


def _encode_type(spec: Spec, layout: Layout, left: dict[str, Any], byte_order: ByteOrder) -> bytes:
    encoded = b""
    for entry in layout:
        if entry.kind == "body" and entry.type is not None:
            encoded += _encode_type(spec, spec.layouts[entry.type], left, byte_order)
            continue
        value = left.pop(entry.id, None)
        if value is None and (entry.conditional or entry.optional):
            continue
        for item in value if entry.repeated else [value]:
            if isinstance(item, dict) and entry.type is not None:
                encoded += _encode_type(spec, spec.layouts[entry.type], dict(item), byte_order)
            else:
                encoded += _encode_field(entry, item, _DATABASE, byte_order)
    return encoded


def _encode_field(entry: Field, value: Any, page: CodePage, byte_order: ByteOrder) -> bytes:
    if entry.width is None:
        return bytes(value or b"")
    if not isinstance(value, bytes):
        return kinds.encode(entry.kind, value, entry.width, page_of_field(entry, page), byte_order, entry.scale)
    if len(value) != entry.width:
        raise OptionError(f"{entry.id} takes {entry.width} bytes, not {len(value)}")
    return value


_DATABASE = codepages.lookup("utf-8")
