"""Column plans: which kernel turns the bytes of a field into a column, by the field's layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa

from lmparse.columnar import kernels, schemas
from lmparse.columnar.kernels import Kernel, KernelResult
from lmparse.spec.kind_words import DECIMALS
from lmparse.spec.layout import Field, Layout
from lmparse.values import texts, zoned
from lmparse.values.byte_arrays import Bytes
from lmparse.values.codepages import CodePage, page_of_field

_TEXTS = {"char": "text", "code": "text", "hextext": "hexadecimal text", "decimaltext": "decimal text"}
"""Names of the kernels by kind of text."""
_WHOLE = ("uint", "int", "decimaltext")
"""Kinds whose values without a scale are integers, even if they need a decimal column."""


@dataclass(frozen=True)
class ColumnPlan:
    """How one column is decoded."""

    column: str
    """Name of the field, or of the field and a part of it."""
    field: Field
    kernel: str
    """Name of the kernel for display; empty if there is none."""
    offset: int
    width: int | None
    """Bytes from `offset` on; None if the length varies."""
    type: pa.DataType
    read: Kernel | None
    can_fail: bool = False
    """Whether some bytes are no value of the column."""


def column_plans(
    layouts: Mapping[str, Layout], layout: Layout, entry: Field, page: CodePage, *, labels: bool = False
) -> list[ColumnPlan]:
    """The plan of a field first, then a plan for each number inside the field that is a column.

    `labels`: whether numbers of an enumeration become its words.
    """
    type_ = schemas.arrow_type(layouts, entry, labels=False)
    name, kernel = _kernel(layout, entry, type_, page)
    if labels and entry.is_labelled and kernel is not None:
        words = {code.value: code.id for code in entry.codes}
        name, kernel, type_ = f"{name}, as words", partial(kernels.labelled, words, kernel), schemas.TEXT
    offset = entry.offset or 0
    can_fail = entry.kind in ("timestamp17", "hextext", "decimaltext", *DECIMALS) or (
        entry.kind in _TEXTS and not texts.is_total(page_of_field(entry, page))
    )
    ways = [ColumnPlan(entry.id, entry, name, offset, entry.width, type_, kernel, can_fail)]
    for part in schemas.parts(layouts, entry):
        order = layouts[entry.type or ""].byte_order(part)
        column, number = f"{entry.id}_{part.id}", partial(kernels.integer, pa.int64(), order, False)
        ways.append(ColumnPlan(column, entry, "unsigned", offset + (part.offset or 0), part.width, pa.int64(), number))
    return ways


def _kernel(layout: Layout, entry: Field, type_: pa.DataType, file_page: CodePage) -> tuple[str, Kernel | None]:
    kind, order = entry.kind, layout.byte_order(entry)
    if kind in ("uint", "int"):
        return ("unsigned", "signed")[kind == "int"], partial(kernels.integer, type_, order, kind == "int")
    if kind == "float":
        return "ieee", partial(kernels.ieee, order)
    if kind == "hfp":
        return "hexadecimal float", kernels.hfp
    if kind in DECIMALS:
        return _decimal_kernel(entry, type_, file_page)
    if kind == "timestamp17":
        return "timestamp17", kernels.timestamp17
    if kind in ("lrsn10", "rba10", "bytes"):
        return "bytes", kernels.binary
    page = page_of_field(entry, file_page)
    if kind not in _TEXTS or kernels.text_refusal(page) or (kind == "code" and order == "little"):
        return "", None
    if kind == "hextext":
        return _TEXTS[kind], partial(kernels.hex_text, page)
    if kind == "decimaltext":
        return _TEXTS[kind], partial(kernels.decimal_text, page, type_)
    return _TEXTS[kind], partial(kernels.text, page, True)


def _decimal_kernel(entry: Field, type_: pa.DataType, page: CodePage) -> tuple[str, Kernel | None]:
    if entry.kind == "packed":
        return "packed decimal", partial(kernels.packed_decimal, type_)
    if entry.kind == "bcd":
        return "packed digits", partial(kernels.packed_digits, type_)
    zones = zoned.maybe_zones(page_of_field(entry, page))
    if zones is None:
        return "", None
    return "zoned decimal", partial(kernels.zoned_decimal, type_, zoned.STYLES[entry.kind], zones)


def in_full(way: ColumnPlan) -> ColumnPlan:
    """The plan for values as in JSON: times as text with all digits, whole numbers as integers."""
    entry, read = way.field, way.read
    if read is not None and entry.kind in _WHOLE and not entry.scale and pa.types.is_decimal(way.type):
        type_ = pa.uint64() if entry.kind == "uint" else pa.int64()
        return replace(way, type=type_, read=partial(_cast, type_, read))
    full = kernels.in_full(read)
    return way if full is None else replace(way, type=schemas.TEXT, read=full)


def _cast(type_: pa.DataType, read: Kernel, raw: Bytes) -> KernelResult:
    array, bad = read(raw)
    return array.cast(type_), bad
