"""Record table: the fields of many log records that decide about transactions, as arrays."""

from __future__ import annotations

import io
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import IO, Any, Self

import numpy as np

from lmparse.db2.record import kinds as record_kinds
from lmparse.db2.record.links import Links, LoadStart
from lmparse.db2.record.log_record import Ids
from lmparse.errors import DataError
from lmparse.framing.extents import RecordExtent
from lmparse.values.byte_arrays import Flags, Int64s, Ints, UInt16s, UInt64s, places_by_value

NO_TABLE = -1
"""In place of table ids: the record names no table."""
_BITS = 16
"""Bits of a table's id, and of the number of a row in its record."""
NO_TIME, NO_AUTHID = -1, -1


@dataclass(frozen=True, eq=False)
class Arrays:
    """Arrays of one length. Pickling narrows them to a third of the memory, see `narrowed`."""

    def __len__(self) -> int:
        found: Ints = getattr(self, fields(self)[0].name)
        return len(found)

    @property
    def nbytes(self) -> int:
        """Bytes of memory of the arrays."""
        return sum(getattr(self, entry.name).nbytes for entry in fields(self))

    def take(self, which: Ints | Flags | slice) -> Self:
        """The entries at some places."""
        return type(self)(*(getattr(self, entry.name)[which] for entry in fields(self)))

    @classmethod
    def none(cls) -> Self:
        """Arrays without an entry."""
        return cls(*(np.zeros(0, _DTYPES[entry.type]) for entry in fields(cls)))

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """The entries of all parts, in their order."""
        held = [cls.none(), *parts]
        # Without a type, NumPy joins signed and unsigned integers as floats.
        return cls(
            *(
                np.concatenate([getattr(part, entry.name) for part in held], dtype=_DTYPES[entry.type])
                for entry in fields(cls)
            )
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _widened, (type(self), *(narrowed(getattr(self, entry.name)) for entry in fields(self)))


def narrowed(values: Any) -> tuple[Any, Any, Any]:
    """Type of some numbers, the least one, and the differences from it in as few bytes as possible.

    Equal numbers have their count instead. Example: int64 [7, 9, 8] gives int64, 7, uint8 [0, 2, 1].
    """
    if not len(values) or values.dtype == np.bool_:
        return values.dtype, 0, values
    least, most = values.min(), values.max()
    if least == most:
        return values.dtype, least, len(values)
    return values.dtype, least, (values - least).astype(np.min_scalar_type(int(most) - int(least)))


def widened(dtype: Any, least: Any, differences: Any) -> Any:
    """The numbers from the results of `narrowed`."""
    if isinstance(differences, int):
        return np.full(differences, least, dtype)
    found = differences.astype(dtype)
    if least:
        found += least
    return found


def _widened(type_: type[Arrays], *columns: tuple[Any, Any, Any]) -> Arrays:
    return type_(*(widened(*column) for column in columns))


_DTYPES: Mapping[Any, Any] = {
    "UInt64s": np.uint64, "Int64s": np.int64, "Ints": np.int32, "UInt16s": np.uint16, "Flags": np.bool_
}  # fmt: skip
"""Types of the arrays by the words that declare them."""


@dataclass(frozen=True, eq=False)
class Members(Arrays):
    """Records of transactions, in the order of the log."""

    index: Int64s
    """Number of the record, from the beginning of what is read."""
    offset: Int64s
    length: Int64s
    tid: UInt64s
    """The six bytes of the transaction identifier; the first byte is the most significant."""
    previous: UInt64s
    """As `LogRecord.previous`."""
    lsn: UInt64s
    """Log sequence number; the offset in the file if no record has an LSN."""
    lfs: UInt64s
    stream: Int64s
    address: UInt64s
    """As `LogRecord.address`; zero if the record states none."""
    role: Ints
    form: Ints
    """Number of the form; -1 for a parsed record that changes nothing."""


def links_of(members: Members) -> Links:
    """The links of members in the order of the log. An address of zero states nothing."""
    found = Links()
    stating = np.flatnonzero(members.address != 0)
    streams = members.stream[stating]
    for stream, which in places_by_value(members.stream):
        lfs, lsn = members.lfs[which], members.lsn[which]
        later = (lfs[1:] < lfs[:-1]) | ((lfs[1:] == lfs[:-1]) & (lsn[1:] < lsn[:-1]))
        if later.any():
            found.count_late(int(later.sum()), int(members.index[which[1:][later][0]]))
        found.lowest[stream] = int(lfs[0]), int(lsn[0]), int(members.index[which[0]])
        found.last[stream] = int(lfs[-1]), int(lsn[-1]), int(members.index[which[-1]])
    for stream, which in places_by_value(streams):
        chosen = stating[which]
        address = members.address[chosen]
        ends = address + members.length[chosen].view(np.uint64)
        found.adjoining += int((address[1:] == ends[:-1]).sum())
        found.apart += int((address[1:] > ends[:-1]).sum())
        found.firsts[stream], found.ends[stream] = int(address[0]), int(ends[-1])
    return found


@dataclass(frozen=True, eq=False)
class ChangedRows(Arrays):
    """Rows that records insert, delete or update. A record may have several."""

    member: Int64s
    """Number of the record among the members."""
    number: Int64s
    """Number of the row in its record."""
    ids: Int64s
    """Table space and table as one number, see `table_number`; NO_TABLE if the record names none."""
    rid: UInt64s
    is_half: Flags
    before_types: UInt16s
    """Types in the headers of the before image, see `RowImages.types`."""
    after_types: UInt16s
    is_compressed: Flags
    before: Int64s
    """Offset of the before image in the file; -1 if there is none, or if the record was parsed by itself."""
    before_length: Int64s
    after: Int64s
    after_length: Int64s


@dataclass(frozen=True, eq=False)
class Undos(Arrays):
    """Compensations of changed rows."""

    member: Int64s
    ids: Int64s
    rid: UInt64s
    compensated: UInt64s
    has_compensated: Flags
    before_compensated: UInt64s
    has_before: Flags


@dataclass(frozen=True, eq=False)
class Ends(Arrays):
    """Commits and aborts."""

    member: Int64s
    time: Int64s
    """Seconds since 1970; NO_TIME if the record has none."""
    authid: Int64s
    """Number of the authorization id; NO_AUTHID if the record has none."""


@dataclass(frozen=True, eq=False)
class Pieces(Arrays):
    """Pieces of values that are stored outside of their row."""

    member: Int64s
    ids: Int64s
    column: Int64s
    """Number of the column; -1 if the record names no column, and so no row."""
    address: UInt64s
    length: Int64s
    has_data: Flags


def _moved(extent: RecordExtent, first: int) -> RecordExtent:
    return RecordExtent(extent.index + first, extent.pieces, extent.resume)


def table_number(pool: Any, table: Any) -> Any:
    """Table space id and table id as one number; of arrays an array."""
    return pool << _BITS | table


def table_ids(number: int) -> Ids:
    """Table space id and table id from one number, as `table_number` gives it."""
    return number >> _BITS, number & (1 << _BITS) - 1


def row_number(index: Any, number: Any) -> Any:
    """Number of a record and of a row in it as one number, which sorts as the log does; of arrays an array."""
    return index << _BITS | number


@dataclass
class RecordTable:
    """The records of a log or of a part of it, as arrays and lists."""

    count: int = 0
    """Number of all records."""
    end: int = 0
    """Offset in the file behind the last record."""
    members: Members = field(default_factory=Members.none)
    rows: ChangedRows = field(default_factory=ChangedRows.none)
    undos: Undos = field(default_factory=Undos.none)
    ends: Ends = field(default_factory=Ends.none)
    pieces: Pieces = field(default_factory=Pieces.none)
    loads: list[LoadStart] = field(default_factory=list)
    """Starts of loads: they are of no transaction and take effect at once."""
    bad: list[tuple[RecordExtent, DataError]] = field(default_factory=list)
    """Records that cannot be read, with their errors."""
    faults: list[tuple[RecordExtent, DataError]] = field(default_factory=list)
    """Commits whose authorization id is not text, with their errors."""
    counts: Counter[str] = field(default_factory=Counter)
    address_forms: Counter[str] = field(default_factory=Counter)
    """Number of byte addresses of pieces by form, where the manual does not state the form."""
    links: Links = field(default_factory=Links)
    kinds: list[str] = field(default_factory=list)
    """The kind of each form, by its number."""
    authids: list[str] = field(default_factory=list)
    """The authorization ids, by their numbers."""

    @property
    def unread(self) -> list[int]:
        """Numbers of the records that cannot be read, ascending. Such a record may be of any transaction."""
        return sorted(extent.index for extent, _ in self.bad)

    def extent(self, member: int) -> RecordExtent:
        """The extent of a member."""
        members = self.members
        place = int(members.offset[member]), int(members.length[member])
        return RecordExtent(int(members.index[member]), (place,), None)

    def kind(self, member: int) -> str:
        """The kind of a member."""
        return self.kinds[int(self.members.form[member])]

    def operations(self) -> Ints:
        """The operation of each changed row, one letter."""
        letters = np.array([*(record_kinds.OPERATIONS.get(kind, " ").encode() for kind in self.kinds), b" "], "S1")
        found: Ints = letters[self.members.form[self.rows.member]]
        return found

    def row_numbers(self, rows: Int64s | slice = slice(None)) -> Int64s:
        """The `row_number` of each changed row, or of some of them; ascending."""
        found: Int64s = row_number(self.members.index[self.rows.member[rows]], self.rows.number[rows])
        return found

    def renumbered(self, first: int, form: int, authids: list[int]) -> RecordTable:
        """This table with `first` added to the numbers of records, and `form` to the numbers of forms. The number
        `authids[number]` replaces the number of an authorization id."""
        members, ends = self.members, self.ends
        forms = np.where(members.form < 0, -1, members.form + form)
        return replace(
            self,
            members=replace(members, index=members.index + first, form=forms),
            ends=replace(ends, authid=np.array([*authids, NO_AUTHID])[ends.authid]),
            loads=[replace(load, extent=_moved(load.extent, first)) for load in self.loads],
            bad=[(_moved(extent, first), error) for extent, error in self.bad],
            faults=[(_moved(extent, first), error) for extent, error in self.faults],
            links=self.links.moved(first),
        )

    def add_lists(self, other: RecordTable) -> None:
        """Add the lists, counts and links of the records behind these; the arrays stay as they are."""
        self.count, self.end = self.count + other.count, other.end
        self.loads += other.loads
        self.bad += other.bad
        self.faults += other.faults
        self.counts += other.counts
        self.address_forms += other.address_forms
        self.links = self.links.then(other.links)


Bounds = tuple[tuple[int, int], ...]
"""Begin and end of the entries of a part in each array of a table, in the order of `_TYPES`."""


class TableWriter:
    """Puts the records of windows one behind the other, in memory or into files.

    A table in files takes memory only for pages that the operating system can write and drop.
    """

    def __init__(self, folder: Path | None = None, *, is_large: bool = False) -> None:
        """With a folder, files have names there, for other processes. Else a large table has files without names."""
        self._table = RecordTable()
        self._open = ExitStack()

        def file(path: Path | None) -> IO[bytes]:
            if path is None:
                return self._open.enter_context(tempfile.TemporaryFile()) if is_large else io.BytesIO()
            return self._open.enter_context(path.open("w+b"))

        self._files = {
            type_: [file(folder and _path(folder, name, entry.name)) for entry in fields(type_)]
            for name, type_ in _TYPES.items()
        }
        self._lengths = dict.fromkeys(_TYPES, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @property
    def lengths(self) -> tuple[int, ...]:
        """Number of entries of each array so far, in the order of `_TYPES`."""
        return tuple(self._lengths.values())

    def add(self, part: RecordTable) -> None:
        """Add the records that follow."""
        first = self._lengths["members"]
        for name, type_ in _TYPES.items():
            arrays = getattr(part, name)
            for file, entry in zip(self._files[type_], fields(type_), strict=True):
                values = getattr(arrays, entry.name)
                shift = first if entry.name == "member" else 0
                file.write(np.ascontiguousarray(values + shift if shift else values, _DTYPES[entry.type]).data)
            self._lengths[name] += len(arrays)
        self._table.add_lists(part)

    def finished(self) -> RecordTable:
        """The table of all records. It stays valid when its files are closed."""
        for name, type_ in _TYPES.items():
            columns = zip(self._files[type_], fields(type_), strict=True)
            setattr(self._table, name, type_(*(_array(file, _DTYPES[entry.type]) for file, entry in columns)))
        return self._table


def joined(parts: Iterable[RecordTable]) -> RecordTable:
    """One table of the records of parts that follow one another."""
    with TableWriter() as table:
        for part in parts:
            table.add(part)
        return table.finished()


def part_of(table: RecordTable | Path, bounds: Bounds, kinds: list[str]) -> RecordTable:
    """The records of a part of a table, which may be in the files of a folder; `kinds` are the kinds of its forms."""
    found = RecordTable(kinds=kinds)
    for (name, type_), (low, high) in zip(_TYPES.items(), bounds, strict=True):
        columns = []
        for entry in fields(type_):
            if isinstance(table, Path):
                dtype = np.dtype(_DTYPES[entry.type])
                with _path(table, name, entry.name).open("rb") as file:
                    file.seek(low * dtype.itemsize)
                    values = np.fromfile(file, dtype, high - low)
            else:
                values = getattr(getattr(table, name), entry.name)[low:high]
            columns.append(values - bounds[0][0] if entry.name == "member" else values)
        setattr(found, name, type_(*columns))
    return found


_TYPES: Mapping[str, type[Arrays]] = {
    "members": Members, "rows": ChangedRows, "undos": Undos, "ends": Ends, "pieces": Pieces
}  # fmt: skip
"""The arrays of a table by the names of its fields."""


def _array(file: IO[bytes], dtype: Any) -> Any:
    if isinstance(file, io.BytesIO):
        return np.frombuffer(file.getbuffer(), dtype)
    file.flush()
    return np.memmap(file, dtype, "r") if file.tell() else np.zeros(0, dtype)


def _path(folder: Path, name: str, column: str) -> Path:
    return folder / f"records-{name}-{column}"
