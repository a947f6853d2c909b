"""List rows: a file that is one record, read as the items of a list inside the record.

The part in front of the list is parsed once. Items of fixed length, or whose length follows from numbers at fixed
places, are cut without the parser. Otherwise the parser finds the end of each item.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from inspect import signature
from io import SEEK_CUR, SEEK_END, SEEK_SET, BufferedReader, RawIOBase
from typing import Any

from kaitaistruct import KaitaiStruct

from lmparse.errors import FramingError, OptionError
from lmparse.framing.base import Framing
from lmparse.framing.descriptors import cut_short
from lmparse.framing.fixed_length import Fixed
from lmparse.framing.parsed import Parsed, unreadable
from lmparse.framing.whole import Items, Whole
from lmparse.records.faults import Fault
from lmparse.records.reader import Record, RecordReader
from lmparse.records.record_ends import (
    UnknownError,
    cutter_by_parser,
    item_framing,
    number,
    of_stream,
    own_words,
    words_in,
)
from lmparse.spec import step_budget
from lmparse.spec.catalog import PARENT, Spec
from lmparse.spec.layout import Field, Layout
from lmparse.spec.nesting import flat, list_at, reached
from lmparse.storage.buffers import Buffer

_SHOWN = 1 << 16
"""Bytes of the file that are available to describe an error in front of the list."""
ItemReader = Callable[[tuple[Any, ...], tuple[Any, ...]], RecordReader]
"""Makes the reader of the items, from their arguments and the objects around them."""


@dataclass(frozen=True)
class ListRows:
    """A list of a file, with the framing and the reader of its items."""

    framing: Framing
    reader: RecordReader
    evidence: str
    """How the items are cut, in words."""


def find_list(
    buffer: Buffer, root: RecordReader, item: Spec, path: str, skipped: tuple[int, int], read: ItemReader,
    *, with_parent: bool = False,
) -> ListRows:  # fmt: skip
    """Find a list in the record of a file, read by `root`. `item` is the spec of the items; `with_parent` adds PARENT.

    `skipped`: bytes at the start and end of the file outside of the record. Raises OptionError LMP-S003 for a list that
    cannot be read item by item. Raises FramingError LMP-F003 if the file has no such list, and LMP-F006 or LMP-F016 if
    the part in front of the list is damaged.
    """
    around = list_at(root.spec.layouts, root.spec.layout, path)
    steps = [step for _, step in around]
    entry, behind = steps[-1], _behind(root, around, path)
    _check(root, entry, behind, path)
    start, stop = Whole().skipping(*skipped).range_of(buffer)
    head = _head(buffer, root, steps, start, stop)
    if head is None:
        raise FramingError(f"has no {path}: a condition of {root.spec.id} does not hold", code="LMP-F003")
    begin, end = _place(head, steps, start, stop)
    objects: tuple[Any, ...] = (head, head._root)
    count = None if entry.items == ("rest",) else number(entry.items, head, root)
    arguments = tuple(number(one, head, root) for one in entry.arguments)
    if None in arguments or (count is None and entry.items != ("rest",)):
        raise _refused(path, "how many items it has, or what they are given, is not known in front of it")
    if begin == end and count:
        raise cut_short(buffer, begin, end, 0, f"{count} items")
    if "_is_le" in signature(item.parser.__init__).parameters:
        objects += (head._is_le,)
    reader = read(arguments, objects)
    reader.needs_around = _needs_around(reader)
    if with_parent:
        reader.parent = _parent(root, item.parents, head, steps)
    framing, evidence = _cut(reader, entry, head, path)
    evidence += f"; {begin - start} bytes are in front of the list" + (
        f", {stop - end} behind it" if end < stop else ""
    )
    evidence += f"; {', '.join(behind)} behind its items is not read" if behind and count is not None else ""
    limits = root.limits
    items = Items(framing.within(limits), None if count is None else max(count, 0), ", ".join(behind)).within(limits)
    return ListRows(items.skipping(begin, len(buffer) - end), reader, evidence)


def _refused(path: str, why: str) -> OptionError:
    return OptionError(f"rows: {path} is not read item by item: {why}", hint="without rows the file is one record")


def _check(root: RecordReader, entry: Field, behind: list[str], path: str) -> None:
    """Raise OptionError for a list whose items depend on more than the part in front of the list."""
    item = root.spec.layouts[entry.type or ""]
    words = words_in(root.spec.layouts, item)
    known = {entry.id, *behind} & words
    refers = not words.isdisjoint(("_root", "_parent"))
    if refers and "_io" in words and not words.isdisjoint(("pos", "eof")):
        raise _refused(path, "its items ask for their place in the file (_io)")
    if refers and known:
        raise _refused(path, f"its items may depend on each other, or on what is behind them: {', '.join(known)}")
    if entry.size is None and (why := of_stream(root.spec.layouts, item)):
        raise _refused(path, f"where an item ends depends on what is behind it: {why}")


def _needs_around(reader: RecordReader) -> str:
    """Why only the parser can read the items: their values depend on objects around them. Empty if not so."""
    layouts, item = reader.spec.layouts, reader.spec.layout
    if item.params or len(reader.around) > 2:
        return f"{item.id} is given {', '.join(item.params) or 'its byte order'}"
    for layout in reached(layouts, [item.id]):
        words = [*own_words(layout)]
        if "_root" in words or (layout is item and "_parent" in words) or words.count("_parent") > 1:
            return f"{layout.id} depends on what is around the list"
    return ""


def _behind(root: RecordReader, around: list[tuple[Layout, Field]], path: str) -> list[str]:
    """The names of fields behind a list. Raises OptionError for a list that only the parser can read."""
    found: list[str] = []
    for layout, step in around:
        if step.process or step.stream or step.ending is not None:
            raise _refused(
                path, f"only the parser can read {step.id}: {step.process or step.stream or 'it has a terminator'}"
            )
        fields = [one.id for one in layout if not one.is_instance]
        found = ["the rest of the file"] if step.is_instance else fields[fields.index(step.id) + 1 :] + found
        if step.size is not None and not step.repeated:
            found = []  # fields behind the sized part are in another stream
    inside = reached(root.spec.layouts, [root.spec.layout.id])
    has_positions = any(one.is_instance for layout in inside for one in layout)
    return ["the rest of the file"] if has_positions and not found else found


def _cut(reader: RecordReader, entry: Field, head: Any, path: str) -> tuple[Framing, str]:
    """The framing that cuts the items, and how the framing does so, in words."""
    if entry.size is not None:
        size = number(entry.size, head, reader)
        if size is None:
            raise _refused(path, "the size of an item is not known in front of the list")
        if size < 1:
            raise FramingError(f"items of {path} have {size} bytes", code="LMP-F016")
        return Fixed(size), f"items of {size} bytes"
    try:
        return item_framing(reader)
    except UnknownError as why:
        return Parsed(cutter_by_parser(reader, reader.limits)), f"the parser finds where each item ends: {why}"


def _parent(root: RecordReader, parents: tuple[Layout, ...], head: Any, steps: list[Field]) -> Record:
    """The value of the column PARENT, from the objects around the list, which are read up to the list."""
    found, parsed = Record({}), head._root
    for layout, step in zip(parents, steps, strict=True):
        names = dict.fromkeys(entry.id for entry in flat(root.spec.layouts, layout))
        shallow = copy(parsed)
        parsed = vars(shallow).pop(_attribute(step), None)  # a body would add its fields to the object around it
        own = root.values_of(shallow, frozenset(names))
        values = ({PARENT: found.values} if found.values else {}) | {name: own.values.get(name) for name in names}
        found = Record(values, [*found.faults, *own.faults])
        for fault in found.faults:
            fault.field, fault.field_offset = f"{PARENT}.{fault.field}", None
    return found


# -- what is in front of the list ---------------------------------------------------------------


class _Reached(Exception):
    """The parser has reached the list; the argument is the object that has the list."""


def _head(buffer: Buffer, root: RecordReader, steps: list[Field], start: int, stop: int) -> Any:
    """The object with the list, read up to the list; None if the file has no such list. Raises FramingError."""
    stream = step_budget.KaitaiStream(BufferedReader(_Bytes(buffer, start, stop)))
    parsed = root.spec.debug_parser(*root.arguments, stream)
    parsed.__class__ = _stopping(type(parsed), list(map(_attribute, steps)))
    step_budget.begin(root.limits, min(stop - start, root.limits.record_bytes))
    try:
        parsed._read()
        around: Any = parsed
        for step in steps:  # the parser reads instances at a position on first use
            around = getattr(around, step.id, None)
    except _Reached as reached:
        return reached.args[0]
    except Exception as error:
        fault = Fault(root.spec, parsed, error, buffer[start : min(stop, start + _SHOWN)]).to_error()
        raise unreadable(fault, buffer, start, stop, 0) from None
    finally:
        step_budget.end()
    return None


def _attribute(step: Field) -> str:
    """The attribute in which a parser stores a field."""
    return f"_m_{step.id}" if step.is_instance else step.id


def _stopping(parser: type[KaitaiStruct], names: list[str]) -> type[KaitaiStruct]:
    """A parser class that raises _Reached in front of the list: the setter of the list's field raises it."""
    name, *inner = names

    def put(parsed: Any, value: Any) -> None:
        if not inner:
            raise _Reached(parsed)
        vars(parsed)[name] = value
        value.__class__ = _stopping(type(value), inner)

    def get(parsed: Any) -> Any:
        try:
            return vars(parsed)[name]
        except KeyError:
            raise AttributeError(name) from None

    return type(parser.__name__, (parser,), {name: property(get, put), "__qualname__": parser.__qualname__})


def _place(head: Any, steps: list[Field], start: int, stop: int) -> tuple[int, int]:
    """The offsets in the file of the start of the list, and of the end of the stream that has the list."""
    parsed, base, end = head._root, start, stop
    for step in steps[:-1]:
        inner = getattr(parsed, step.id)
        if inner._io is not parsed._io:
            base += parsed._debug[_attribute(step)]["start"]
            end = base + inner._io.size()
        parsed = inner
    return base + head._io.pos(), end


class _Bytes(RawIOBase):
    """A part of a file as a file object."""

    def __init__(self, buffer: Buffer, start: int, end: int) -> None:
        self._buffer, self._start, self._size, self._place = buffer, start, end - start, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        self._place = {SEEK_SET: 0, SEEK_CUR: self._place, SEEK_END: self._size}[whence] + offset
        return self._place

    def readinto(self, target: Any) -> int:
        begin = self._start + min(self._place, self._size)
        found = self._buffer[begin : min(begin + len(target), self._start + self._size)]
        target[: len(found)] = found
        self._place += len(found)
        return len(found)
