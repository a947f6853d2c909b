"""Lists: the items of the lists in many objects at once.

Arithmetic finds items of one width. Otherwise a walk finds where items begin: the first item of all lists, then the
second item of lists that have one, and so on. Then all items are read together.
"""

from __future__ import annotations

import numpy as np

from lmparse.columnar.contexts import Context, Reader
from lmparse.columnar.cursors import NothingLeftError, Place, Stream, UnfitError
from lmparse.columnar.expressions import Vector
from lmparse.columnar.objects import ListItems, Parts, seen
from lmparse.spec.layout import NESTED, Expression, Field
from lmparse.values.byte_arrays import Int64s, offsets_of

_REST: Expression = ("rest",)
_MOST_ITEMS = 1 << 24
"""Items of a window above which the parser reads the records."""
_MOST_EMPTY = 1000
"""Items that a record may have above its number of bytes; the parser reads records with more."""
_MOST_ROUNDS = 1 << 11
"""Steps of walking lists in a window; lists in lists multiply the steps."""
_MANY, _FEW = 64, 16
"""Lists that are longer than `_MANY` items are left to the parser if fewer than `_FEW` lists are that long."""


def read_items(reading: Reader, context: Context, stream: Stream, entry: Field) -> ListItems:
    """Read the list of each row of a context from its stream."""
    width = _step(reading, entry)
    if width is not None:
        starts, owners, offsets = _in_steps(context, stream, entry, width)
    else:
        starts, owners, offsets = _one_by_one(reading, context, stream, entry)
    if not len(owners):
        return ListItems(offsets, owners, [])
    if len(owners) > _MOST_EMPTY:
        # Nested lists of items without bytes multiply; the parser would exceed its step budget on such records.
        records = owners if stream.of is None else stream.of[owners]
        many = np.bincount(records, minlength=len(stream.records.bad)) > _MOST_EMPTY + stream.records.sizes
        stream.records.bad |= many
        if many[records].all():
            raise NothingLeftError
    whole = stream.some(owners)
    whole.cursor = starts
    rows = owners if context.which is None else context.which[owners]
    index = np.arange(len(owners)) - offsets[:-1][owners]
    items = Context(context.reader, context.objects, rows, whole, index=Vector(index))
    try:
        parts = reading.one(items, whole, entry)
    except NothingLeftError:
        parts = []
    found = ListItems(offsets, owners, parts)
    return _without_empty(found) if entry.switch else found


def _without_empty(items: ListItems) -> ListItems:
    """The lists without items that have no value, that is, items in no case of a switch type."""
    if any(which is None for which, _ in items.parts):
        return items
    has = np.zeros(len(items.owners), np.bool_)
    for which, _ in items.parts:
        has[which] = True
    if has.all():
        return items
    number, counts = np.cumsum(has) - 1, np.bincount(items.owners[has], minlength=items.count)
    parts: Parts = [(number[which], value) for which, value in items.parts]
    return ListItems(np.concatenate(([0], np.cumsum(counts))), items.owners[has], parts)


def _step(reading: Reader, entry: Field) -> int | None:
    """Bytes from one item to the next; None if the distance varies."""
    if entry.items is None or (isinstance(entry.items, tuple) and entry.items[0] == "until"):
        return None
    if entry.kind in NESTED and entry.size is None:
        width = None if entry.type is None or entry.switch or entry.ending else reading.layouts[entry.type].width
        return None if width is None or _has_bits(reading, entry.type or "") else width
    if entry.ending is not None and entry.size is None:
        return None
    return entry.size if isinstance(entry.size, int) and not isinstance(entry.size, bool) else reading.width_of(entry)


def _has_bits(reading: Reader, type_: str) -> bool:
    """Whether a type may end within a byte, where the next item then begins."""
    fields = [entry for entry in reading.layouts[type_] if not entry.is_instance]
    return any(entry.bits or (entry.type is not None and _has_bits(reading, entry.type)) for entry in fields[-1:])


def _counts(context: Context, stream: Stream, entry: Field) -> Int64s:
    counts: Int64s = np.maximum(stream.known(context.value(entry.items).whole(context.count)), 0)
    return counts


def _in_steps(context: Context, stream: Stream, entry: Field, width: int) -> tuple[Place, Int64s, Int64s]:
    if np.any(stream.cursor.bits):
        raise UnfitError(f"{entry.id}: its items begin behind bits of a byte, if there is one")
    room = stream.end - stream.cursor.array
    if entry.items == _REST:
        if not width:
            raise UnfitError(f"{entry.id}: its items have no bytes")
        holds = room % width == 0
        counts = room // width
    else:
        counts = _counts(context, stream, entry)
        room = stream.end - stream.cursor.array
        holds = counts <= (room // width if width else _MOST_EMPTY)
    stream.demand(holds)
    counts = np.where(holds, counts, 0)
    begin = stream.cursor
    offsets, owners = _spread(counts, entry)
    index = np.arange(len(owners)) - offsets[:-1][owners]
    starts = begin.array[owners] + index * width
    stream.cursor = Place(begin.array + counts * width)
    return Place(starts), owners, offsets


def _spread(counts: Int64s, entry: Field) -> tuple[Int64s, Int64s]:
    """n + 1 offsets of lists with these counts, and the number of the list of each item."""
    if int(counts.sum()) > _MOST_ITEMS:
        raise UnfitError(f"{entry.id}: it has very many items")
    offsets = offsets_of(counts).astype(np.int64)
    return offsets, np.repeat(np.arange(len(counts)), counts)


def _one_by_one(reading: Reader, context: Context, stream: Stream, entry: Field) -> tuple[Place, Int64s, Int64s]:
    count = context.count
    until = entry.items[1] if isinstance(entry.items, tuple) and entry.items[0] == "until" else None
    counts = _counts(context, stream, entry) if until is None and entry.items != _REST else None
    active = np.arange(count)
    owners: list[Int64s] = []
    bases: list[Int64s] = []
    bits: list[Int64s] = []
    number = total = 0
    while len(active):
        if counts is not None:
            active = active[counts[active] > number]
        elif until is None:
            ends = stream.some(active).eof
            active = active[~ends] if isinstance(ends, np.ndarray) else active[:0] if ends else active
        if not len(active):
            break
        if number >= _MANY and len(active) < _FEW:
            flags = np.ones(count, np.bool_)
            flags[active] = False
            stream.demand(flags)
            break
        own = stream.some(active)
        begin = own.cursor.array
        owners.append(active)
        bases.append(begin)
        bits.append(np.broadcast_to(np.asarray(own.cursor.bits, np.int64), begin.shape))
        item = context.some(active, own)
        item = Context(
            item.reader, item.objects, active if item.which is None else item.which, own, index=Vector(number)
        )
        try:
            parts = reading.one(item, own, entry)
        except NothingLeftError:
            break  # all records are left to the parser
        stream.move(active, own)
        if until is not None:
            holds = own.known(item.about(seen(parts, len(active))).truths(until))
            active = active[~holds]
        elif number > _MOST_EMPTY:
            moved = own.cursor.array > begin
            own.demand(moved)
            active = active[moved]
        number, total = number + 1, total + len(begin)
        stream.records.rounds += 1
        if total > _MOST_ITEMS or stream.records.rounds > _MOST_ROUNDS:
            raise UnfitError(f"{entry.id}: it has very many items")
    whole = np.concatenate(owners) if owners else np.zeros(0, np.int64)
    order = np.argsort(whole, kind="stable")
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(whole, minlength=count), out=offsets[1:])
    if not len(whole):
        return Place(whole), whole, offsets
    shifts = np.concatenate(bits)[order]
    return Place(np.concatenate(bases)[order], 0, shifts if shifts.any() else 0), whole[order], offsets
