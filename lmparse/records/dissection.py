"""Dissection: the bytes of one record, divided into fields.

`reader` returns values only. A dissection also has the place of every field, as its first byte and the byte behind its
last, and the bytes in no field. The debug parser reads the record, so an unsound record is dissected up to its fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

from kaitaistruct import KaitaiStruct

from lmparse.errors import DataError, InvalidValueError
from lmparse.records.places import Place, places_of, value_of
from lmparse.records.reader import Decode, RecordReader, kind_of
from lmparse.spec.layout import Ending, Field, Layout
from lmparse.values.json_form import to_json

Branch = tuple[str, str, str]
"""A field with several cases: id of its layout, id of the field, and id of the layout that the data select."""
CLOSING = "closing"
"""Kind of the bytes that close a sized part of a record: a terminator or padding."""


@dataclass(frozen=True, slots=True)
class Node:
    """A field of a record, or a part of a field. Offsets are bytes from the start of the record."""

    path: str
    """Names of the fields around this field and its own name, as in errors: `images[0].row`."""
    field: Field
    layout: str
    """Id of the layout that has the field."""
    start: int
    end: int
    """The byte behind the last byte of the field."""
    value: Any = None
    """The value as `records` prints it; None if the value is null or faulty, or the field has parts."""
    meaning: str = ""
    """The spec's meaning of the value, if the spec lists the value."""
    children: tuple[Node, ...] = ()
    fault: DataError | None = None
    branches: tuple[Branch, ...] = ()
    """The cases that the data select between the object with the field and the field's layout, outermost first."""
    is_column: bool = False
    """Whether the field is a column of a row or its value: the description of a table has the field, no spec has it."""

    @property
    def name(self) -> str:
        """The last word of the path."""
        return self.path.rpartition(".")[2]

    def walk(self) -> Iterator[Node]:
        """The field and all its parts, in order."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Dissection:
    """One record divided into fields."""

    spec: str
    raw: bytes
    nodes: tuple[Node, ...]
    kind: str = ""
    """Kind of the record if the spec has several kinds, such as `db2_dms.insert_record`."""
    fault: DataError | None = None
    """Why the record does not parse; the nodes then end at the fault."""
    calculated: tuple[Node, ...] = ()
    """Calculated values. They have no bytes: start and end are 0."""
    notes: tuple[str, ...] = field(default=())
    """Remarks on the record, one sentence each."""

    def walk(self) -> Iterator[Node]:
        """Yield all fields and their parts, in order."""
        for node in self.nodes:
            yield from node.walk()

    def leaves(self) -> Iterator[Node]:
        """Yield the fields without parts."""
        return (node for node in self.walk() if not node.children)

    def unread(self) -> list[tuple[int, int]]:
        """The bytes in no field, as pairs of the first byte and the byte behind the last."""
        gaps = []
        reached = 0
        for start, end in sorted((node.start, node.end) for node in self.leaves()):
            if start > reached:
                gaps.append((reached, start))
            reached = max(reached, end)
        if reached < len(self.raw):
            gaps.append((reached, len(self.raw)))
        return gaps

    def at(self, path: str) -> Node | None:
        """The field with a path."""
        return next((node for node in self.walk() if node.path == path), None)


class Dissector:
    """Dissects the records that a reader reads."""

    def __init__(self, reader: RecordReader) -> None:
        self._reader = reader

    def dissect(self, raw: bytes) -> Dissection:
        """Dissect one record. Never raises a DataError: a record that does not parse has a `fault`."""
        parsed, fault = self._reader.parse_noting_places(raw)
        nodes = tuple(self._nodes(_Spot(parsed, self._reader.spec.layout_of(parsed), raw, "", 0, fault)))
        kind = kind_of(parsed) if self._reader.spec.has_kind and fault is None else ""
        calculated = tuple(self._calculated(parsed, "")) if fault is None else ()
        return Dissection(self._reader.spec.id, raw, nodes, kind, fault, calculated)

    def _calculated(self, parsed: KaitaiStruct, path: str) -> Iterator[Node]:
        """Yield the calculated values of an object and of the objects inside it."""
        layout = self._reader.spec.layout_of(parsed)
        for entry, decode in self._reader.decoders(layout):
            if entry.id in layout.computed:
                faults: list[InvalidValueError] = []
                shown = self._reader.calculated(parsed, entry, decode, path, faults)
                yield Node(
                    path + entry.id, entry, layout.id, 0, 0, to_json(shown), meaning(entry, shown),
                    fault=next(iter(faults), None),
                )  # fmt: skip
                continue
            value = value_of(parsed, entry.id)
            inner = path if entry.kind == "body" else f"{path}{entry.id}."
            for number, item in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(item, KaitaiStruct) and (decode is None or entry.kind == "switch"):
                    yield from self._calculated(item, f"{path}{entry.id}[{number}]." if entry.repeated else inner)

    def _nodes(self, spot: _Spot) -> Iterator[Node]:
        """Yield the fields of an object."""
        for entry, decode in self._reader.decoders(spot.layout):
            value = value_of(spot.parsed, entry.id)
            places = places_of(spot.parsed, entry.id)
            place = _elsewhere(spot, entry) if entry.stream else spot
            if entry.repeated and places:
                yield self._list(place, entry, decode, value or [], places)
            elif places:
                yield from self._field(place, entry, decode, value, places[0])
            elif entry.kind == "rest" and value:  # a record that ends early has here the first bytes of its cut field
                end = len(spot.raw)
                yield self._node(spot, entry, end - len(value), end, value=to_json(value))

    def _list(self, spot: _Spot, entry: Field, decode: Decode | None, items: list[Any], places: list[Place]) -> Node:
        children: list[Node] = []
        # The last item may be missing, because the parser stopped inside it.
        for number, (place, item) in enumerate(zip_longest(places, items)):
            one = replace(entry, id=f"{entry.id}[{number}]", repeated=False)
            children += self._field(spot, one, decode, item, place)
        start = spot.base + places[0][0]
        return self._node(spot, entry, start, children[-1].end, children=tuple(children))

    def _field(self, spot: _Spot, entry: Field, decode: Decode | None, value: Any, place: Place) -> Iterator[Node]:
        start = spot.base + place[0]
        end = len(spot.raw) if place[1] is None else spot.base + place[1]
        path = spot.path + entry.id
        fault = spot.fault if spot.fault is not None and spot.fault.field == path else None
        if entry.kind == "switch" and isinstance(value, KaitaiStruct):
            decode = self._reader.decoder(self._reader.chosen(entry, value))  # a type may be one value
        if isinstance(value, KaitaiStruct) and decode is None:
            is_body = entry.kind == "body"
            layout = self._reader.spec.layout_of(value)
            inner = _Spot(
                value, layout, spot.raw, spot.path if is_body else f"{path}.",
                spot.base if value._io is spot.stream else start, spot.fault,
                (spot.branches if is_body else ()) + (((spot.layout.id, entry.id, layout.id),) if entry.cases else ()),
                spot.whole or ((start, end) if entry.process == "zlib" else None),
            )  # fmt: skip
            children = tuple(self._nodes(inner))
            if is_body:
                yield from children
                return
            if place[1] is None:
                end = max((child.end for child in children), default=start)
            is_apart = value._io is not spot.stream and inner.whole is None and place[1] is not None
            if is_apart and (closing := spot.raw[start + value._io.size() : end]):
                children += (_closing(spot, entry, end, closing),)
            yield self._node(spot, entry, start, end, children=children, fault=fault)
            return
        if place[1] is None:
            if spot.fault is None:
                return  # the record may end inside this field; `rest` has the bytes of the field
            yield self._node(spot, entry, start, end, fault=fault)
            return
        shown = None
        try:
            # The record may end inside a value that has parts.
            is_missing = value is None or (fault is not None and isinstance(value, KaitaiStruct))
            shown = None if is_missing else to_json(value if decode is None else decode(value))
        except InvalidValueError as error:
            error.at(spec=spot.layout.id, field=path, field_offset=start, doc_ref=entry.doc_ref)
            fault = error
        yield self._node(spot, entry, start, end, value=shown, meaning=meaning(entry, shown), fault=fault)

    def _node(self, spot: _Spot, entry: Field, start: int, end: int, **known: Any) -> Node:
        start, end = spot.whole or (start, end)
        # An instance of no bytes may be at a position behind the record.
        start, end = min(start, len(spot.raw)), min(end, len(spot.raw))
        return Node(spot.path + entry.id, entry, spot.layout.id, start, end, branches=spot.branches, **known)


@dataclass(frozen=True, slots=True)
class _Spot:
    """An object of a parsed record, and its place."""

    parsed: KaitaiStruct
    layout: Layout
    raw: bytes
    path: str
    base: int
    """Offset in the record at which the object's stream starts."""
    fault: DataError | None
    branches: tuple[Branch, ...] = ()
    whole: tuple[int, int] | None = None
    """The place of the compressed bytes around the object; parts of unpacked bytes have no place of their own."""
    other: Any = None
    """The stream at `base`, if the object has another stream."""

    @property
    def stream(self) -> Any:
        """The stream at `base`."""
        return self.parsed._io if self.other is None else self.other


def _closing(spot: _Spot, entry: Field, end: int, raw: bytes) -> Node:
    """The bytes behind the fields of a sized part of a record: its terminator or padding."""
    ending = entry.ending or Ending()
    keys = {"terminator": ending.terminator, "pad-right": ending.pad}
    name = f"({', '.join(key for key, value in keys.items() if value is not None)})"
    path, field = f"{spot.path}{entry.id}.{name}", Field(name, None, len(raw), CLOSING)
    return Node(path, field, spot.layout.id, end - len(raw), end, raw.hex().upper())


def _elsewhere(spot: _Spot, entry: Field) -> _Spot:
    """The spot of an instance in another stream: the stream of the record, or a stream at an unknown place."""
    root = spot.parsed._root
    if entry.stream == "_root._io":
        return replace(spot, base=0, whole=None, other=root._io)
    return replace(spot, whole=spot.whole or (spot.base, spot.base))


def meaning(entry: Field, shown: Any) -> str:
    """The spec's meaning of a value if the spec lists the value; empty otherwise."""
    code = entry.code_of(shown)
    return "" if code is None else code.doc or code.id.replace("_", " ")


def placed_at(nodes: Sequence[Node], base: int, path: str) -> tuple[Node, ...]:
    """The nodes of a separate record as parts of another record, at an offset and under a path."""
    return tuple(
        replace(
            node,
            path=f"{path}.{node.path}",
            start=base + node.start,
            end=base + node.end,
            children=placed_at(node.children, base, path),
        )
        for node in nodes
    )
