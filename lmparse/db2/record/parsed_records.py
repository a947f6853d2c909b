"""Parsed records: the entries in the record table of log records that the generated parser read one by one.

The engine `kaitai` reads all records so, else only the records that no arithmetic proves. Their entries do not have the
places of rows, so the rows are later read one by one too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np

from lmparse.db2.record import kinds as record_kinds
from lmparse.db2.record.forms import Role, role_of
from lmparse.db2.record.links import LoadStart
from lmparse.db2.record.log_record import LogRecord, commit_seconds
from lmparse.db2.record.record_table import (
    NO_TABLE,
    NO_TIME,
    Arrays,
    ChangedRows,
    Ends,
    Members,
    Pieces,
    RecordTable,
    Undos,
    table_number,
)
from lmparse.db2.record.row_images import NO_TYPES, RowImages
from lmparse.errors import RecordError
from lmparse.framing.windows import Window
from lmparse.spec import catalog
from lmparse.values.byte_arrays import Ints

A = TypeVar("A", bound=Arrays)
_Entry = tuple[Any, ...]
_NAMES = ("previous", "lsn", "lfs", "stream", "address")
"""Fields that LogRecord and Members share."""


@dataclass
class ParsedRecords:
    """The entries of some records of a window. A place is the number of a record in the window."""

    images: RowImages
    byte_order: str
    rows: list[_Entry] = field(default_factory=list)
    undos: list[_Entry] = field(default_factory=list)
    ends: list[_Entry] = field(default_factory=list)
    pieces: list[_Entry] = field(default_factory=list)

    def add(self, place: int, record: LogRecord, found: RecordTable, authid: int) -> Role:
        """Add a record at a place of the window. Loads and forms of addresses are added to `found`. Returns the role of
        the record. `authid` is the number of its authorization id.

        Raises RecordError LMP-R002 for a piece whose address cannot be read.
        """
        role, body = role_of(record), record.body
        ids = NO_TABLE if record.table is None else table_number(*record.table)
        if role == Role.APART:
            tid = int.from_bytes(record.transaction_id)
            found.loads.append(LoadStart(tid, record.address or 0, record.previous, record.extent))
        elif role in (Role.CHANGE, Role.SINGULAR) and record.kind in record_kinds.ROWS:
            self.rows += self._rows(place, record, ids)
        elif role == Role.UNDO:
            address, before = record.compensated, record.before_compensated
            named = address or 0, address is not None, before or 0, before is not None
            self.undos += ((place, ids, rid, *named) for rid in _row_ids(body))
        elif role == Role.PIECE:
            start, form = byte_address(body)
            if form:
                found.address_forms[form] += 1
            column = getattr(body, "column_id", -1)
            self.pieces.append((place, ids, column, start, body.data_length, hasattr(body, "data")))
        elif role in (Role.COMMIT, Role.ABORT):
            seconds = commit_seconds(getattr(body, "time_committed", None), self.byte_order)
            self.ends.append((place, NO_TIME if seconds is None else seconds, authid))
        return role

    def _rows(self, place: int, record: LogRecord, ids: int) -> Iterator[_Entry]:
        body = record.body
        is_half = bool(getattr(body, "iud_flags", 0) & self.images.moved)
        for number, (rid, part) in enumerate(zip(_row_ids(body), getattr(body, "records", [body]), strict=True)):
            old, new = (getattr(body, name).record if hasattr(body, name) else None for name in ("old_row", "new_row"))
            if old is None and record.kind in record_kinds.DELETES:
                old = part.record
            elif old is None:
                new = part.record
            types = (NO_TYPES if raw is None else self.images.types_of(raw) for raw in (old, new))
            yield place, number, ids, rid, is_half, *types, record.is_compressed, -1, 0, -1, 0

    def arrays(self) -> Iterator[tuple[str, Arrays]]:
        """The arrays that have entries, each with its name in the record table."""
        for name, type_ in (("rows", ChangedRows), ("undos", Undos), ("ends", Ends), ("pieces", Pieces)):
            if entries := getattr(self, name):
                yield name, _array_of(type_, entries)


def members_of(window: Window, records: Mapping[int, LogRecord], role: Ints, form: Ints) -> Members:
    """The members of a window, one for each record. Records that are not in `records`, by place, have no fields."""
    found = {name: np.zeros(len(window), np.uint64) for name in ("tid", *_NAMES)}
    found["lsn"] = window.offsets.astype(np.uint64)
    for place, record in records.items():
        found["tid"][place] = int.from_bytes(record.transaction_id)
        for name in _NAMES:
            if (value := getattr(record, name)) is not None:
                found[name][place] = value
    stream, index = found.pop("stream").view(np.int64), np.arange(len(window)) + window.first_index
    return Members(
        index=index, offset=window.offsets, length=window.lengths, stream=stream, role=role, form=form, **found
    )


def _row_ids(body: Any) -> Iterator[int]:
    """The row ids in a record as numbers: of its row, of the before image of an update, or of several rows."""
    for part in body.records if hasattr(body, "records") else [getattr(body, "old_row", body)]:
        rid = getattr(part, "rid", 0)
        if isinstance(rid, int):
            yield rid if rid >= 0 else rid + (1 << 32)  # columns are read without a sign
        else:
            yield rid.word0 << 32 | rid.word1 << 16 | rid.word2


def _array_of(type_: type[A], entries: list[_Entry]) -> A:
    none = type_.none()
    types = (getattr(none, entry.name).dtype for entry in fields(none))
    return type_(*(np.array(column, dtype) for column, dtype in zip(zip(*entries, strict=True), types, strict=True)))


def byte_address(body: Any) -> tuple[int, str]:
    """Byte offset of a piece in its object, and the form of the number if the manual does not state the form.

    Until version 9.7 the field is an IEEE number or an integer. No bytes fit both: an IEEE number from 1 on, read as an
    integer, is at least 2 to the power of 61. A piece without an address (XML) has zero. Raises RecordError LMP-R002
    for bytes that fit neither form.
    """
    stated = getattr(body, "byte_address", 0)
    if isinstance(stated, int):
        return stated, ""
    as_integer, limit = int(body.byte_address_integer), catalog.load("db2_lob").enum("storage")["object_limit"]
    if as_integer < limit:
        return as_integer, "integer" if as_integer else ""
    if 1 <= stated < limit and stated == int(stated):
        return int(stated), "IEEE number"
    raise RecordError(
        "the byte address is neither an IEEE number nor an integer", code="LMP-R002", spec="db2_lob",
        field="byte_address", expected=f"less than {limit}", found=f"X'{as_integer:016X}'",
    )  # fmt: skip
