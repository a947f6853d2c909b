"""Dissection of the records of a file, with facts from the rest of the file."""

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
    """What a list of records shows of each record; texts are empty where a record does not state the fact."""

    type: str = ""
    """The code or the kind of the record."""
    meaning: str = ""
    """Meaning of the type in words."""
    table: str = ""
    outcome: str = ""
    """The outcome of the change in words."""


class FileDissector:
    """Dissects the records of one file."""

    positions: tuple[str, ...] = ()
    """Words for the log positions in a record; empty for records of other files than logs."""

    def __init__(self, file: RecordFile) -> None:
        self.file = file

    def dissect(self, extent: RecordExtent) -> Dissection:
        """Dissect one record. Raises no DataError: an unsound record has a `fault`."""
        return self.dissect_bytes(extent.read(self.file.buffer))

    def dissect_bytes(self, raw: bytes) -> Dissection:
        """Dissect the bytes of one record without facts from other records."""
        return self.fields.dissect(raw)

    def positions_of(self, extent: RecordExtent) -> Iterator[tuple[str, int]]:
        """Yield the log positions in a record with their words from `positions`, read without a parser."""
        return iter(())

    def heading(self, extent: RecordExtent, values: Values, *, searches: bool) -> RecordHeading:
        """The heading of a record with these values. `searches` permits facts that need a pass over the whole file."""
        return RecordHeading(str(values.get(KIND) or ""))

    @cached_property
    def fields(self) -> Dissector:
        """The dissector by the spec alone."""
        return Dissector(self.file.reader)


def opened(nodes: Sequence[Node], open_: Callable[[Node], Node | None]) -> tuple[Node, ...]:
    """Nodes with some nodes or parts replaced by `open_`, which returns None to keep a node."""
    return tuple(
        found if (found := open_(node)) is not None else replace(node, children=opened(node.children, open_))
        for node in nodes
    )


def cut_at(found: Dissection, fault: DataError) -> Dissection:
    """The dissection cut at a fault that the parser does not detect; bytes behind the fault are in no field."""
    place = fault.field_offset or 0
    nodes = tuple(
        replace(node, value=None, fault=fault) if node.path == fault.field else node
        for node in found.nodes
        if node.end <= place or node.path == fault.field
    )
    return replace(found, nodes=nodes, fault=fault)


def faulty(found: Dissection) -> list[DataError]:
    """All faults of a record without repetition: the faults of values in order, then the fault that ends the record."""
    faults = [node.fault for node in found.walk() if node.fault is not None]
    if found.fault is not None:
        faults.append(found.fault)
    return list({id(fault): fault for fault in faults}.values())
