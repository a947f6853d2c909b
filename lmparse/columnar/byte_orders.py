"""Byte orders: which byte of a number, or bit of a byte, comes first, as its type, the type around it or data say."""

from __future__ import annotations

import numpy as np

from lmparse.columnar.contexts import Context, Reader
from lmparse.columnar.cursors import Stream, UnfitError
from lmparse.columnar.expressions import Vector
from lmparse.columnar.objects import NUMBERS, FieldBytes, Numbers, Objects, Order
from lmparse.spec.layout import Field, Layout, spec_of
from lmparse.values import integers
from lmparse.values.byte_arrays import Int64s, UInt64s

_ORDERED = (*NUMBERS, "float")


def typed_value(reading: Reader, context: Context, stream: Stream, entry: Field) -> FieldBytes:
    """A field of a type that is one value, which has parts of fixed width."""
    layout = reading.layouts[entry.type or ""]
    width = reading.width_of(entry)
    if width is None or (entry.size is not None and entry.size != width):
        raise UnfitError(f"{entry.id}: only the parser can read its parts")
    inner = reading.inner(context, layout.id, entry.arguments, stream)
    little = order_of_type(reading, inner)
    if isinstance(little, np.ndarray):
        raise UnfitError(f"{entry.id}: its byte order depends on the data")
    shown = _joined(entry, layout, little)
    if entry.kind == "rid6":
        if layout.little is None:
            raise UnfitError(f"{entry.id}: its byte order is fixed")
        shown = list(integers.join_rid6(bytes(shown), little == "le"))
    one = FieldBytes(stream.data, stream.take(width), width, entry, context.objects.layout, "be")
    one.shown = None if shown == list(range(width)) else shown
    return one


def order_of_type(reading: Reader, objects: Objects) -> Order:
    """The byte order that a type gives its numbers; None if it gives none."""
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
    """The byte order of a number of objects, or of some of them."""
    if entry.kind not in _ORDERED or width is None:
        return None
    order = objects.order if entry.endian is None else entry.endian
    if order is None and width > 1:
        raise UnfitError(f"{entry.id}: it has no byte order")
    if isinstance(order, np.ndarray):
        return order if which is None else order[which]
    return order or "be"


def shown_order(entry: Field, order: Order) -> slice | None:
    """The order in which the bytes of a number that is shown as bytes are shown."""
    return slice(None, None, -1) if entry.kind in ("code", "lsn") and isinstance(order, str) and order == "le" else None


def _joined(entry: Field, layout: Layout, little: Order) -> list[int]:
    """The order in which the bytes of a value with parts are shown; see `RecordReader._raw`."""
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


# -- bits ---------------------------------------------------------------------------------------


def bit_field(stream: Stream, entry: Field) -> Numbers:
    """A number of some bits: the first ones of a byte are its highest, or its lowest where `endian` is `le`."""
    width = entry.bits or 0
    begin = stream.take_bits(width, entry.endian)
    start, bits, data = begin.array, begin.bits, stream.data
    found: UInt64s = np.zeros(len(start), np.uint64)
    # Up to nine bytes: each gives those of its bits that are in the number.
    for number in range(-(-(int(np.max(bits)) + width) // 8)):
        byte = data[np.minimum(start + number, len(data) - 1)].astype(np.uint64)
        found |= _moved(byte, 8 * number - bits if entry.endian == "le" else width + bits - 8 * (number + 1))
    if width < 64:
        found &= np.uint64((1 << width) - 1)
    if entry.kind == "boolean":
        return Numbers(Vector(found != 0), entry, len(start))
    return Numbers(Vector(found if width == 64 else found.view(np.int64)), entry, len(start))


def _moved(byte: UInt64s, places: int | Int64s) -> UInt64s:
    """Bytes moved to higher places, or to lower ones where `places` is below zero."""
    if not isinstance(places, np.ndarray):
        return byte << np.uint64(places) if places >= 0 else byte >> np.uint64(-places)
    up, down = (np.clip(one, 0, 63).astype(np.uint64) for one in (places, -places))
    found: UInt64s = np.where(places < 64, byte << up >> down, 0)
    return found
