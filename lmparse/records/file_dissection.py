"""Dissection of records of a file: with facts from the rest of the file, not from their bytes alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from lmparse.errors import DataError
from lmparse.framing.extents import RecordExtent
from lmparse.records.dissection import Dissection, Dissector, Node
from lmparse.records.files import RecordFile
from lmparse.records.reader import Values
from lmparse.spec.catalog import KIND


@dataclass(frozen=True, slots=True)
class RecordHeading:
    """What a list of records shows of one; empty texts where a record does not say it."""

    type: str = ""
    """The code or the kind of the record."""
    meaning: str = ""
    """What that means, in words."""
    table: str = ""
    outcome: str = ""
    """What became of the change, in words."""


class FileDissector:
    """Dissects the records of one file."""

    positions: tuple[str, ...] = ()
    """Words for the log positions that a record contains; empty for records that are not of a log."""

    def __init__(self, file: RecordFile) -> None:
        self.file = file

    def dissect(self, extent: RecordExtent) -> Dissection:
        """Dissect one record. Never raises a DataError: a record that does not parse has a `fault`."""
        return self.dissect_bytes(extent.read(self.file.buffer))

    def dissect_bytes(self, raw: bytes) -> Dissection:
        """Dissect the bytes of one record without facts from other records."""
        return self.fields.dissect(raw)

    def positions_of(self, extent: RecordExtent) -> Iterator[tuple[str, int]]:
        """The log positions in a record, each with its word from `positions`; read without a parser."""
        return iter(())

    def heading(self, extent: RecordExtent, values: Values, *, searches: bool) -> RecordHeading:
        """The heading of a record with these values. `searches` allows facts that need a pass over the whole file."""
        return RecordHeading(str(values.get(KIND) or ""))

    @cached_property
    def fields(self) -> Dissector:
        """Dissects a record by its spec alone."""
        return Dissector(self.file.reader)


def opened(nodes: Sequence[Node], open_: Callable[[Node], Node | None]) -> tuple[Node, ...]:
    """Nodes and their parts with some of them replaced: `open_` returns None for a node that stays."""
    return tuple(
        found if (found := open_(node)) is not None else replace(node, children=opened(node.children, open_))
        for node in nodes
    )


def cut_at(found: Dissection, fault: DataError) -> Dissection:
    """A dissection up to a fault that the parser does not find; the bytes behind it are in no field."""
    place = fault.field_offset or 0
    nodes = tuple(
        replace(node, value=None, fault=fault) if node.path == fault.field else node
        for node in found.nodes
        if node.end <= place or node.path == fault.field
    )
    return replace(found, nodes=nodes, fault=fault)


def faulty(found: Dissection) -> list[DataError]:
    """Every fault of a record once: those of its values in order, then the one that ends it."""
    faults = [node.fault for node in found.walk() if node.fault is not None]
    if found.fault is not None:
        faults.append(found.fault)
    return list({id(fault): fault for fault in faults}.values())
