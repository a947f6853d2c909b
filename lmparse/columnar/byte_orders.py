"""Byte orders: whether a number begins with its high or low byte, by its type, the type around it, or the data."""

from __future__ import annotations

import numpy as np

from lmparse.columnar.contexts import Context, Reader
from lmparse.columnar.cursors import Stream, UnfitError
from lmparse.columnar.objects import NUMBERS, FieldBytes, Objects, Order
from lmparse.spec.layout import Field, Layout, spec_of
from lmparse.values import integers
from lmparse.values.byte_arrays import Int64s

_ORDERED = (*NUMBERS, "float")


def typed_value(reading: Reader, context: Context, stream: Stream, entry: Field) -> FieldBytes:
    """A field whose type is one value with parts of fixed width. Raises UnfitError if only the parser can read it."""
    layout = reading.layouts[entry.type or ""]
    width = reading.width_of(entry)
    if width is None or (entry.size is not None and entry.size != width):
        raise UnfitError(f"{entry.id}: only the parser can read its parts")
    inner = reading.inner(context, layout.id, entry.arguments, stream)
    little = order_of_type(reading, inner)
    if isinstance(little, np.ndarray):
        raise UnfitError(f"{entry.id}: its byte order depends on the data")
    shown = _display_order(entry, layout, little)
    if entry.kind == "rid6":
        if layout.little is None:
            raise UnfitError(f"{entry.id}: its byte order is fixed")
        shown = list(integers.join_rid6(bytes(shown), little == "le"))
    one = FieldBytes(stream.data, stream.take(width), width, entry, context.objects.layout, "be")
    one.shown = None if shown == list(range(width)) else shown
    return one


def order_of_type(reading: Reader, objects: Objects) -> Order:
    """The default byte order of a type for its numbers: an order for all objects, flags, or None without one."""
    layout = objects.layout
    if layout.little is not None:
        holds = objects.stream.known(Context(reading, objects, None, objects.stream).truths(layout.little))
        return "le" if holds.all() else holds if holds.any() else "be"
    if layout.endian is not None:
        return layout.endian
    above = objects.above
    if above is None or spec_of(above.layout.id) != spec_of(layout.id):
        return None
    order = above.order
    return order[objects.within] if isinstance(order, np.ndarray) and objects.within is not None else order


def order_of(objects: Objects, which: Int64s | None, entry: Field, width: int | None) -> Order:
    """The byte order of a numeric field in some objects (all if `which` is None); None for other kinds of fields."""
    if entry.kind not in _ORDERED or width is None:
        return None
    order = objects.order if entry.endian is None else entry.endian
    if order is None and width > 1:
        raise UnfitError(f"{entry.id}: it has no byte order")
    if isinstance(order, np.ndarray):
        return order if which is None else order[which]
    return order or "be"


def shown_order(entry: Field, order: Order) -> slice | None:
    """The slice that reverses the bytes of a little-endian code or LSN for display; None if they stay in order."""
    return slice(None, None, -1) if entry.kind in ("code", "lsn") and isinstance(order, str) and order == "le" else None


def _display_order(entry: Field, layout: Layout, little: Order) -> list[int]:
    """For each byte of a value with parts its offset in the record, in display order; see `RecordReader._raw`."""
    order: list[int] = []
    for one in layout:
        places = list(range(one.offset or 0, one.end or 0))
        if one.kind == "bytes" or len(places) < 2:
            order += places
            continue
        if one.endian is None and little is None:
            raise UnfitError(f"{entry.id}: it has no byte order")
        own = "little" if (one.endian or little) == "le" else "big"
        order += places if own == layout.byte_order(one) else places[::-1]
    return order
