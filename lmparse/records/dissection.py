"""Dissection: the bytes of one record beside the fields that stand in them.

Where `reader` gives values, this gives places too: every field with its first byte and the byte behind
its last one, and what no field holds. It is read through the debug parser, so that a record that does not
parse is there up to its fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

from kaitaistruct import KaitaiStruct

from lmparse.errors import DataError, InvalidValueError
from lmparse.records.places import Place, places_of
from lmparse.records.reader import Decode, RecordReader, kind_of
from lmparse.spec.layout import Field, Layout
from lmparse.values.json_form import to_json

Branch = tuple[str, str, str]
"""A field of several cases: id of the layout that has it, its id, and id of the layout that the data chose."""


@dataclass(frozen=True, slots=True)
class Node:
    """A field of a record, or a part of one. Offsets in bytes from the start of the record."""

    path: str
    """Its name behind those of what it stands in, as errors spell it: `images[0].row`."""
    field: Field
    layout: str
    """Id of the layout that has the field."""
    start: int
    end: int
    """The byte behind its last one."""
    value: Any = None
    """As `records` prints it; None for what is null, faulty, or has parts."""
    meaning: str = ""
    """What the specs say of this value, for a value of a list."""
    children: tuple[Node, ...] = ()
    fault: DataError | None = None
    branches: tuple[Branch, ...] = ()
    """What the data decided on the way from the object that it stands in to its layout, outermost first."""

    @property
    def name(self) -> str:
        """The last word of the path."""
        return self.path.rpartition(".")[2]

    def walk(self) -> Iterator[Node]:
        """The field and its parts, in their order."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Dissection:
    """One record taken apart."""

    spec: str
    raw: bytes
    nodes: tuple[Node, ...]
    kind: str = ""
    """What the record is by, where records of a spec are of several kinds (`db2_dms.insert_record`)."""
    fault: DataError | None = None
    """Why the record does not parse. The nodes are those up to it."""
    notes: tuple[str, ...] = field(default=())
    """What else is to be known of it, a sentence each."""

    def walk(self) -> Iterator[Node]:
        """All fields with their parts, in their order."""
        for node in self.nodes:
            yield from node.walk()

    def leaves(self) -> Iterator[Node]:
        """The fields without parts."""
        return (node for node in self.walk() if not node.children)

    def unread(self) -> list[tuple[int, int]]:
        """Bytes that stand in no field, as (first, behind the last)."""
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
    """Takes records of one spec apart; reads what `reader` reads."""

    def __init__(self, reader: RecordReader) -> None:
        self._reader = reader

    def dissect(self, raw: bytes) -> Dissection:
        """One record. Never raises a DataError: what does not parse says so."""
        parsed, fault = self._reader.parse_noting_places(raw)
        nodes = tuple(self._nodes(_Spot(parsed, self._reader.spec.layout_of(parsed), raw, "", 0, fault)))
        kind = kind_of(parsed) if self._reader.spec.has_kind and fault is None else ""
        return Dissection(self._reader.spec.id, raw, nodes, kind, fault)

    def _nodes(self, spot: _Spot) -> Iterator[Node]:
        """The fields of an object."""
        for entry, decode in self._reader.decoders(spot.layout):
            value = getattr(spot.parsed, entry.id, None)
            places = places_of(spot.parsed, entry.id)
            if entry.repeated and places:
                yield self._list(spot, entry, decode, value or [], places)
            elif places:
                yield from self._field(spot, entry, decode, value, places[0])
            elif entry.kind == "rest" and value:  # what a record that ends early keeps of its last field
                end = len(spot.raw)
                yield self._node(spot, entry, end - len(value), end, value=to_json(value))

    def _list(self, spot: _Spot, entry: Field, decode: Decode | None, items: list[Any], places: list[Place]) -> Node:
        children: list[Node] = []
        # One item may be missing: the one inside which the parser stopped.
        for number, (place, item) in enumerate(zip_longest(places, items)):
            one = replace(entry, id=f"{entry.id}[{number}]", repeated=False)
            children += self._field(spot, one, decode, item, place)
        start = spot.base + places[0][0]
        return self._node(spot, entry, start, children[-1].end, children=tuple(children))

    def _field(self, spot: _Spot, entry: Field, decode: Decode | None, value: Any, place: Place) -> Iterator[Node]:
        start = spot.base + place[0]
        path = spot.path + entry.id
        fault = spot.fault if spot.fault is not None and spot.fault.field == path else None
        if isinstance(value, KaitaiStruct) and decode is None:
            is_body = entry.kind == "body"
            layout = self._reader.spec.layout_of(value)
            inner = _Spot(
                value, layout, spot.raw, spot.path if is_body else f"{path}.",
                spot.base if value._io is spot.parsed._io else start, spot.fault,
                (spot.branches if is_body else ()) + (((spot.layout.id, entry.id, layout.id),) if entry.cases else ()),
            )  # fmt: skip
            children = tuple(self._nodes(inner))
            if is_body:
                yield from children
                return
            end = max((child.end for child in children), default=start) if place[1] is None else spot.base + place[1]
            yield self._node(spot, entry, start, end, children=children, fault=fault)
            return
        if place[1] is None:
            if spot.fault is None:
                return  # the record may end inside it; `rest` has the bytes
            yield self._node(spot, entry, start, len(spot.raw), fault=fault)
            return
        shown = None
        try:
            shown = None if value is None else to_json(value if decode is None else decode(value))
        except InvalidValueError as error:
            error.at(spec=spot.layout.id, field=path, field_offset=start, doc_ref=entry.doc_ref)
            fault = error
        end = spot.base + place[1]
        yield self._node(spot, entry, start, end, value=shown, meaning=meaning(entry, value), fault=fault)

    def _node(self, spot: _Spot, entry: Field, start: int, end: int, **known: Any) -> Node:
        return Node(spot.path + entry.id, entry, spot.layout.id, start, end, branches=spot.branches, **known)


@dataclass(frozen=True, slots=True)
class _Spot:
    """An object of a parsed record, and where it stands."""

    parsed: KaitaiStruct
    layout: Layout
    raw: bytes
    path: str
    base: int
    """Where the stream starts that the object is read from."""
    fault: DataError | None
    branches: tuple[Branch, ...] = ()


def meaning(entry: Field, value: Any) -> str:
    """What the spec says of a listed value; empty for a value that is not in the list."""
    for code in entry.codes:
        if code.value == value:
            return code.doc or code.id.replace("_", " ")
    return ""


def placed_at(nodes: Sequence[Node], base: int, path: str) -> tuple[Node, ...]:
    """Nodes of a record of its own as parts of another one, at an offset and under a path."""
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
