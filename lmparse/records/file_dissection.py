"""Dissection of records where they stand: with what their file knows of them, and not the bytes alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from lmparse.errors import DataError
from lmparse.framing.extents import RecordExtent
from lmparse.records.dissection import Dissection, Dissector, Node
from lmparse.records.files import RecordFile


class FileDissector:
    """Takes the records of one file apart."""

    positions: tuple[str, ...] = ()
    """What places in the log its records name, in words; none for records that are not of a log."""

    def __init__(self, file: RecordFile) -> None:
        self.file = file

    def dissect(self, extent: RecordExtent) -> Dissection:
        """One record. Never raises a DataError: what does not parse says so."""
        return self.dissect_bytes(extent.read(self.file.buffer))

    def dissect_apart(self, extent: RecordExtent) -> Dissection:
        """The same without what only a search of the whole file gives and what adds no field."""
        return self.dissect(extent)

    def dissect_bytes(self, raw: bytes) -> Dissection:
        """The bytes of one record, without what other records say of it."""
        return self.fields.dissect(raw)

    def positions_of(self, extent: RecordExtent) -> Iterator[tuple[str, int]]:
        """The places in the log that a record names, each under its word of `positions`; read without a parser."""
        return iter(())

    @cached_property
    def fields(self) -> Dissector:
        """Takes a record apart by its spec alone."""
        return Dissector(self.file.reader)


def opened(nodes: Sequence[Node], open_: Callable[[Node], Node | None]) -> tuple[Node, ...]:
    """Nodes with some of them replaced, wherever they stand: `open_` gives None for those that stay."""
    return tuple(
        found if (found := open_(node)) is not None else replace(node, children=opened(node.children, open_))
        for node in nodes
    )


def cut_at(found: Dissection, fault: DataError) -> Dissection:
    """A record up to a fault that its parser does not see; the bytes behind it stand in no field."""
    place = fault.field_offset or 0
    nodes = tuple(
        replace(node, value=None, fault=fault) if node.path == fault.field else node
        for node in found.nodes
        if node.end <= place or node.path == fault.field
    )
    return replace(found, nodes=nodes, fault=fault)


def clipped(found: Dissection, end: int, fault: DataError) -> Dissection:
    """A record that was filled up to be read, without what was filled up: the field it ends in has the fault."""
    nodes = tuple(_clipped(found.nodes, end, fault))
    return replace(found, raw=found.raw[:end], nodes=nodes, kind="", fault=fault)


def _clipped(nodes: Sequence[Node], end: int, fault: DataError) -> Iterator[Node]:
    for node in nodes:
        if node.end <= end:
            yield node
        elif node.start < end:
            children = tuple(_clipped(node.children, end, fault))
            own = None if children else fault
            yield replace(node, end=end, value=None, meaning="", children=children, fault=own)


def faulty(found: Dissection) -> list[DataError]:
    """Every fault of a record once: what ends it, and those of its values, in their order."""
    faults = [node.fault for node in found.walk() if node.fault is not None]
    if found.fault is not None:
        faults.append(found.fault)
    return list({id(fault): fault for fault in faults}.values())
