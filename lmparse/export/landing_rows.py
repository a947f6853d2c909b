"""Landing rows: the changes of each table that a log has, from spill files, in the order of `seq`, with one schema.

Versions of a table are united by the rules of Spark (`changes.schemas.table_type`): columns that a version lacks are
null, integers and decimals are widened. Columns that a table has already keep their place; new ones come behind them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.change import ROLES
from lmparse.changes.descriptions import Keys
from lmparse.columnar.schemas import CORRUPT_RECORD, commented, widened
from lmparse.errors import OptionError
from lmparse.export.landing_clues import Clues, LeftOut, TableClue, clues_in
from lmparse.export.landing_table import OTHER
from lmparse.export.late_times import Stretch, joined
from lmparse.export.spill_files import Group, StoredBatches, stored, taken
from lmparse.options import SEQ_DIGITS

COMMIT_DATE = "commit_date"
_DATE = commented(COMMIT_DATE, pa.date32(), "day of commit_ts; null if that is")
Seen = Callable[[pa.RecordBatch], None]
"""Takes note of rows that are landed."""
_LAST = b"\xff" * (SEQ_DIGITS // 2)


@dataclass(frozen=True)
class TableRows:
    """The changes of one table, or those without a table version."""

    ids: str
    schema_name: str
    table_name: str
    groups: Sequence[Group]
    keys: tuple[tuple[str, ...], ...]
    """The key of each of its versions that have rows, each once."""
    late: Sequence[Stretch] = ()
    """Where changes have late times in their key."""

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of all versions.

        Raises OptionError LMP-C008 for two types without a common type, and for a name that no table can have.
        """
        found: pa.Schema | None = None
        for group in sorted(self.groups, key=lambda group: group.sequence):
            schema = pa.schema([*group.schema, _DATE])
            found = schema if found is None else united(found, schema, self.full_name)
        assert found is not None
        if any("\0" in name for name in _names(found)):
            raise OptionError(f"{self.full_name}: a column has a name with a NUL", code="LMP-C008")
        return found

    @property
    def full_name(self) -> str:
        """Schema and name of the table, or its ids."""
        return ".".join(word for word in (self.schema_name, self.table_name) if word) or self.ids

    @property
    def clue(self) -> TableClue:
        """What is known of the table."""
        return TableClue(self.ids, self.schema_name, self.table_name)

    @cached_property
    def _batches(self) -> StoredBatches:
        return StoredBatches(self.groups)

    @cached_property
    def _sorted(self) -> tuple[npt.NDArray[np.bytes_], npt.NDArray[np.int64]]:
        """The `seq` of all rows that have one, ascending, and the numbers of these rows; 44 bytes a row."""
        keys = np.concatenate([np.zeros(0, f"S{SEQ_DIGITS // 2}"), *(_packed(b.column("seq")) for b in self._batches)])
        order = np.argsort(keys, kind="stable") if (keys[1:] < keys[:-1]).any() else np.arange(len(keys))
        keys = keys[order]
        count = int(np.searchsorted(keys, np.bytes_(_LAST)))
        return keys[:count], order[:count]

    @property
    def last_seq(self) -> str | None:
        """The greatest `seq`; None if no row has one."""
        keys, _ = self._sorted
        return _seq(keys[-1]) if len(keys) else None

    @property
    def first_seq(self) -> str | None:
        """The least `seq`; None if no row has one."""
        keys, _ = self._sorted
        return _seq(keys[0]) if len(keys) else None

    def batches(self, schema: pa.Schema, after: str | None = None) -> Iterator[pa.RecordBatch]:
        """The rows behind a `seq`, in the order of theirs."""
        keys, order = self._sorted
        begin = 0 if after is None else int(np.searchsorted(keys, np.bytes_(bytes.fromhex(after)), side="right"))
        if begin < len(order):
            yield from taken(self._batches, order[begin:], partial(_fit, schema=schema))

    @property
    def extent(self) -> LeftOut:
        """What the changes are to a table that has not got them, whatever they do."""
        return LeftOut(self.first_seq or "", self.last_seq or "")

    def emptied(self) -> str:
        """The `seq` of the last change that emptied the table; empty if none did."""
        of_rows = pa.array([*ROLES])
        whole = (one.filter(pc.invert(pc.is_in(one.column("op"), value_set=of_rows))) for one in self._batches)
        return max((found.emptied for _, found in clues_in(whole, self.ids)), default="")

    def clues(self) -> Clues:
        """Of changes without a table version, what they did to the tables that they may be of."""
        found = Clues()
        for group in self.groups:
            found.add(clues_in(stored(group.path, group.schema, group.size), table_ids(group.identity)))
        return found

    def bad_batches(self, schema: pa.Schema, known: set[bytes]) -> Iterator[pa.RecordBatch]:
        """The rows without a `seq`, which are bad records, but those that are known."""
        for batch in self._batches:
            bad = batch.filter(batch.column("seq").is_null())
            if bad.num_rows:
                is_new = [mark not in known for mark in bad_marks(bad)]
                if any(is_new):
                    yield _fit(bad.filter(pa.array(is_new)), schema=schema)


def table_ids(identity: str | None) -> str:
    """The ids of a table in the identity of a version; empty without one."""
    return (identity or "").partition(" ")[0]


def tables_of(groups: Iterable[Group], keys: Keys, late: Mapping[str, Sequence[Stretch]]) -> list[TableRows]:
    """The tables that spilled changes are of, those without a version last; `keys` and `late` are by identity.

    `keys` are those by which rows were read: what else describes a table says nothing of its changes.
    """
    found: dict[str, list[Group]] = {}
    for group in groups:
        is_struct = pa.types.is_struct(group.schema.field("after").type)
        ids = OTHER if group.identity is None or not is_struct else table_ids(group.identity)
        found.setdefault(ids, []).append(group)
    return [_table(ids, found[ids], keys, late) for ids in sorted(found, key=lambda ids: (ids == OTHER, ids))]


def _table(ids: str, groups: list[Group], keys: Keys, late: Mapping[str, Sequence[Stretch]]) -> TableRows:
    if ids == OTHER:
        return TableRows(OTHER, "", OTHER, groups, ())
    first = next(stored(groups[0].path, groups[0].schema, groups[0].size))
    schema, name = (first.column(column)[0].as_py() or "" for column in ("schema_name", "table_name"))
    found = dict.fromkeys(key for group in groups for key in keys.get(group.identity or "", ()))
    stretches = joined(one for group in groups for one in late.get(group.identity or "", ()))
    return TableRows(ids, schema, name, groups, tuple(found), stretches)


def _seq(packed: bytes) -> str:
    return packed.ljust(SEQ_DIGITS // 2, b"\0").hex().upper()


def _packed(seqs: pa.Array) -> npt.NDArray[np.bytes_]:
    """Each `seq` as bytes, which sort as it does; null sorts last."""
    texts = seqs.fill_null("F" * SEQ_DIGITS)
    digits = np.frombuffer("".join(texts.to_pylist()).encode(), np.uint8).reshape(-1, SEQ_DIGITS)
    values = np.where(digits > ord("9"), digits - (ord("A") - 10), digits - ord("0"))
    return (values[:, ::2] << 4 | values[:, 1::2]).astype(np.uint8).view(f"S{SEQ_DIGITS // 2}").ravel()


def bad_marks(batch: pa.RecordBatch) -> list[bytes]:
    """What tells bad records apart: the place and the bytes of each."""
    rows = zip(batch.column("_metadata").to_pylist(), batch.column(CORRUPT_RECORD).to_pylist(), strict=True)
    return [_bad_mark(place or {}, raw or b"") for place, raw in rows]


def _bad_mark(place: Mapping[str, Any], raw: bytes) -> bytes:
    words = f"{place.get('file')}\0{place.get('record_offset')}\0".encode(errors="surrogatepass")
    return hashlib.sha256(words + raw).digest()


# -- schemas ------------------------------------------------------------------------------------


def united(first: pa.Schema, second: pa.Schema, name: str) -> pa.Schema:
    """The columns of both, those of the first one in front. Raises OptionError LMP-C008."""
    return pa.schema(_united_fields(list(first), list(second), name))


def _united_fields(first: Sequence[pa.Field], second: Sequence[pa.Field], name: str) -> list[pa.Field]:
    found = {entry.name: entry for entry in first}
    for entry in second:
        known = found.get(entry.name)
        type_ = entry.type if known is None else _united_type(known.type, entry.type, f"{name}: {entry.name}")
        found[entry.name] = entry.with_type(type_).with_nullable(True)
    return list(found.values())


def _united_type(first: pa.DataType, second: pa.DataType, name: str) -> pa.DataType:
    if pa.types.is_struct(first) and pa.types.is_struct(second):
        return pa.struct(_united_fields(list(first), list(second), name))
    if first == second or (pa.types.is_list(first) and pa.types.is_list(second)):
        return first
    found = widened(first, second)
    if found is None:
        raise OptionError(
            f"{name} is {first} in what is landed, and {second} in the log", code="LMP-C008",
            hint="land into another folder from here on",
        )  # fmt: skip
    return found


def _names(fields: Iterable[pa.Field]) -> Iterator[str]:
    """The names of columns, and of what is in them."""
    for entry in fields:
        yield entry.name
        if pa.types.is_struct(entry.type):
            yield from _names(entry.type)


def is_widened(first: pa.Schema, united_: pa.Schema) -> bool:
    """Whether a column that is there has another type in what it is united to, columns of its structs too."""
    return any(_has_widened(entry.type, united_.field(entry.name).type) for entry in first)


def _has_widened(first: pa.DataType, second: pa.DataType) -> bool:
    if pa.types.is_struct(first):
        return any(_has_widened(entry.type, second.field(entry.name).type) for entry in first)
    return not pa.types.is_list(first) and first != second


def _fit(batch: pa.RecordBatch, *, schema: pa.Schema) -> pa.RecordBatch:
    """Rows of changes with the columns of a table."""
    return fitted_batch(batch.append_column(_DATE, _dates(batch.column("commit_ts"))), schema)


def _dates(times: pa.Array) -> pa.Array:
    return pc.floor_temporal(times, unit="day").cast(pa.date32())


def fitted_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Rows with the columns of a schema: those that they lack are null."""
    found = dict(zip(batch.schema.names, batch.columns, strict=True))
    arrays = [
        _fitted(found[entry.name], entry.type) if entry.name in found else pa.nulls(batch.num_rows, entry.type)
        for entry in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fitted(array: pa.Array, type_: pa.DataType) -> pa.Array:
    if array.type == type_ and not pa.types.is_struct(type_):
        return array
    if not pa.types.is_struct(type_):
        return array.cast(type_)
    found = dict(zip([entry.name for entry in array.type], array.flatten(), strict=True))
    arrays = [
        _fitted(found[entry.name], entry.type) if entry.name in found else pa.nulls(len(array), entry.type)
        for entry in type_
    ]
    return pa.StructArray.from_arrays(arrays, fields=list(type_), mask=array.is_null())
