"""Branches: nested objects and switch types. Each case is read for the objects that have this case.

The cost is the sum of the cases, whatever combinations of cases the records have.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lmparse.columnar.byte_orders import typed_value
from lmparse.columnar.contexts import Context, Reader
from lmparse.columnar.cursors import NothingLeftError, Stream
from lmparse.columnar.objects import FieldBytes, Parts
from lmparse.spec.layout import Expression, Field
from lmparse.values.byte_arrays import Flags, Int64s


def read_nested(reading: Reader, context: Context, stream: Stream, entry: Field) -> Parts:
    cases = [*_cases(context, entry)] if entry.switch else [(None, entry.type or "", entry.arguments, None)]
    parts: Parts = []
    for rows, type_, arguments, plain in cases:
        own = stream if rows is None else stream.some(rows)
        inner = context.some(rows, own)
        try:
            found = reading.one(inner, own, plain) if plain else _case(reading, inner, own, entry, type_, arguments)
        except NothingLeftError:
            if rows is None:
                raise
            continue
        parts += [(rows if one is None else one if rows is None else rows[one], value) for one, value in found]
        if rows is not None:
            stream.move(rows, own)
    return parts


def _case(
    reading: Reader, context: Context, stream: Stream, entry: Field, type_: str, arguments: tuple[Expression, ...]
) -> Parts:
    """The objects of one case; a sized field has its own stream. Without a type, the value is the sized bytes."""
    is_sized = entry.size is not None or entry.ending is not None
    if not type_ and not is_sized:
        return []
    if is_sized:
        if entry.restore is not None:
            stream = reading.restored(context, stream, entry)
        else:
            start, size = reading.bytes_of(context, stream, entry)
            stream = Stream(stream.records, stream.of, start, start.behind(size).array, start, stream.data)
        if not type_:
            choice = next(one for one in entry.choices if one.kind == "variable" and one.type is None)
            return [(None, FieldBytes(stream.data, stream.start, stream.size, choice, context.objects.layout))]
    sized_stream = stream if is_sized and entry.process != "zlib" else None
    if type_ and reading.layouts[type_].kind is not None:
        one = typed_value(reading, context, stream, next(one for one in entry.choices if one.type == type_))
        one.sized_stream = sized_stream
        return [(None, one)]
    objects = reading.inner(context, type_, arguments, stream)
    objects.sized_stream = sized_stream
    reading.read_fields(objects)
    return [(None, objects)]


def _cases(context: Context, entry: Field) -> Iterator[tuple[Int64s | None, str, tuple[Expression, ...], Any]]:
    """Yield each case: its rows (None for all), type, arguments, plain field. Rows in no case have the type ""."""
    on = context.value(entry.switch_on)
    left: Flags = np.ones(context.count, np.bool_)
    found = []
    for case in entry.switch:
        holds = left
        if case.key is not None:
            holds, bad = Context.truths(context.about(on), ("==", ("name", "_"), case.key))
            if bad is not None and context.stream is not None:
                context.stream.demand(~bad)
            holds = holds & left
        if holds.any():
            left = left & ~holds
            found.append((holds, case.type, case.arguments, case.plain))
    if left.any():
        found.append((left, "", (), None))
    for holds, *rest in found:
        yield (None if holds.all() else np.flatnonzero(holds), *rest)  # type: ignore[misc]
