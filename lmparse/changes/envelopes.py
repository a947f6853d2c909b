"""Envelopes: changes in the shapes of other programs, made from batches of flat changes.

- `debezium`: an event for each change, as from Debezium's connectors. An update of the key becomes a delete of the old
  row and an insert of the new row, with equal `seq` and an `event_serial` of 1 and 2.
- `changefeed`: a row for each image, as in Delta's change data feed.

Images are structs of the columns of one table, or JSON text. A value is null if the log lacks it (such as a LOB, see
`detail.absent`) or if it is unreadable. Whether an update changed such a value is unknown, so it counts as unchanged.
This module makes the rows for shell, Python, Spark and files. Sources: Debezium, documentation of the Db2 connector,
"Data change events"; Delta Lake, PROTOCOL.md, "Change Data Files".
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.change import SeqForm
from lmparse.changes.schemas import KEY
from lmparse.columnar import json_texts, schemas
from lmparse.columnar.json_texts import as_text
from lmparse.columnar.schemas import TEXT
from lmparse.errors import OptionError
from lmparse.spelling import quoted
from lmparse.values.byte_arrays import Flags, Int64s

NAMES = pa.list_(TEXT)
_OPS = {"I": "c", "U": "u", "D": "d", "M": "t", "T": "t"}
_MESSAGE = "m"
_MARKERS = {"M": "mass_delete", "T": "truncate", "X": "exchange"}
"""Operations on all or many rows of a table without images, with their `_change_type`."""
_KINDS = {"I": "insert", "U": "update_preimage", "D": "delete"}
_NEEDED = ("op", "seq", "txn_id", "commit_ts", "schema_name", "table_name", "auth_id", "detail")
SOURCE = pa.struct(
    [
        ("version", TEXT), ("connector", TEXT), ("ts_ms", pa.int64()), ("snapshot", TEXT), ("db", TEXT),
        ("schema", TEXT), ("table", TEXT), ("txId", TEXT), ("commit_lsn", TEXT), ("change_lsn", TEXT), ("seq", TEXT),
        ("event_serial", pa.int64()), ("op", TEXT), ("user", TEXT), ("file", TEXT), ("record_index", pa.int64()),
        ("record_offset", pa.int64()),
    ]
)  # fmt: skip
"""The block `source` of an event."""
_TRANSACTION = pa.struct([("id", TEXT)])
_FEED = {
    "_change_type": (TEXT, "insert, update_preimage, update_postimage, delete; mass_delete, truncate, exchange"),
    "_commit_seq": (TEXT, "sorts as commit order"),
    "_commit_timestamp": (schemas.MICROS, "time of the commit, as in flat changes"),
    "_txn_id": (TEXT, "transaction or unit of recovery"),
    "_absent_columns": (NAMES, "columns that are null because their value is not in the log"),
}
_OF_FEED = frozenset((*_FEED, *schemas.OUTCOMES))
"""Names of the columns of `changefeed` other than those of the table."""
_ROW_FIELDS = (pa.field("schema_name", TEXT), pa.field("table_name", TEXT), schemas.commented("row", TEXT, "JSON"))
"""Columns of `changefeed` in place of those of one table."""


def flat_schema(image: pa.DataType) -> pa.Schema:
    """The columns of flat changes that envelopes need, for images of a type."""
    types = {"commit_ts": schemas.MICROS}
    fields = [pa.field(name, types.get(name, TEXT)) for name in _NEEDED]
    images = [pa.field(role, image) for role in ("before", "after")]
    return pa.schema([*fields, *images, (KEY, TEXT), *schemas.outcome_fields()])


def envelope_schema(envelope: str, image: pa.DataType) -> pa.Schema:
    """The columns of an envelope for images of a type. Raises OptionError if a table column has such a name."""
    if envelope == "debezium":
        fields = [pa.field("before", image), pa.field("after", image), pa.field("source", SOURCE)]
        fields += [pa.field("op", TEXT), pa.field("ts_ms", pa.int64()), pa.field("transaction", _TRANSACTION)]
        fields += [pa.field("message", TEXT), pa.field("absent_columns", NAMES)]
        return pa.schema([*fields, *schemas.outcome_fields()])
    columns = list(image) if pa.types.is_struct(image) else _ROW_FIELDS
    check_names([entry.name for entry in columns], envelope)
    own = [schemas.commented(name, type_, doc) for name, (type_, doc) in _FEED.items()]
    return pa.schema([*columns, *own, *schemas.outcome_fields()])


def check_names(columns: Sequence[str], envelope: str) -> None:
    """Raise OptionError if a table column has a name that the envelope needs."""
    for name in columns:
        if name in _OF_FEED:
            text = f"envelope {envelope}: the table has a column {name}, which is a name of the envelope"
            raise OptionError(text, hint="leave the column out with columns, or take envelope debezium")


def image_type(schema: pa.Schema, envelope: str) -> pa.DataType:
    """The type of one table's images that an envelope schema, or a part of its columns, requires.

    Raises OptionError for images of two types.
    """
    if envelope == "debezium":
        types = [schema.field(role).type for role in ("before", "after") if role in schema.names]
        if len(types) > 1 and types[0] != types[1]:
            text = "before and after need the same columns in an envelope"
            raise OptionError(text, code="LMP-S012", hint="name the same in both")
        return types[0] if types else TEXT
    columns = [entry for entry in schema if entry.name not in _OF_FEED]
    return pa.struct(columns) if columns else TEXT


class Enveloper:
    """Makes the rows of one envelope."""

    def __init__(
        self, envelope: str, image: pa.DataType, *, seq_form: SeqForm, zone: str | None, version: str | None
    ) -> None:
        """`zone` is the time zone of commit times, or None if unknown; `version` is that of lmparse."""
        self.envelope, self.seq_form, self.version, self.zone = envelope, seq_form, version, zone
        self.flat = flat_schema(image)
        self.schema = envelope_schema(envelope, image)
        self.left_out: Counter[str] = Counter()
        """Number of changes without a form in the envelope, by reason."""

    def rows(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows of a batch of flat changes; the batch may have further columns than `flat_schema`."""
        if self.envelope == "debezium":
            return self._events(batch)
        return self._feed(self._of_rows(batch))

    def _of_rows(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Changes of one or many rows, and bad records; other changes are counted and left out."""
        ops = batch.column("op")
        known = pc.is_in(ops, pa.array(["I", "U", "D", *_MARKERS]))
        kept = np.asarray(pc.or_(known, batch.column(schemas.CORRUPT_RECORD).is_valid()))
        if kept.all():
            return batch
        for found in pc.value_counts(pc.fill_null(ops.filter(pa.array(~kept)), "unlisted")).to_pylist():
            self.left_out[f"of operation {found['values']}, for which envelope {self.envelope} has no form"] += found[
                "counts"
            ]
        return batch.filter(pa.array(kept))

    # -- debezium -----------------------------------------------------------------------------

    def _events(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        images = ImagePairs(batch)
        is_divided = pa.array(images.key_changed)
        ops = _words(batch.column("op"), _OPS, _MESSAGE, batch.column(schemas.CORRUPT_RECORD).is_valid())
        before, after, transaction = (batch.column(name) for name in ("before", "after", "txn_id"))
        is_message = pc.fill_null(pc.equal(ops, _MESSAGE), False)
        columns = {
            "before": before,
            "after": pc.if_else(is_divided, pa.scalar(None, after.type), after),
            "source": self._source(batch, 1),
            "op": pc.if_else(is_divided, "d", ops),
            "ts_ms": epoch_millis(batch.column("commit_ts"), self.zone),
            "transaction": pa.StructArray.from_arrays(
                [transaction], fields=list(_TRANSACTION), mask=transaction.is_null()
            ),
            "message": pc.if_else(is_message, batch.column("detail"), pa.scalar(None, TEXT)),
            "absent_columns": images.absent("before", "after"),
        }
        second = np.flatnonzero(images.key_changed)
        count, rows = len(second), pa.array(second)
        created = {
            "before": pa.nulls(count, before.type),
            "after": after.take(rows),
            "source": self._source(batch, 2).take(rows),
            "op": pa.array(["c"] * count, TEXT),
        }
        return self._batch(columns, batch, second, created)

    def _source(self, batch: pa.RecordBatch, serial: int) -> pa.Array:
        """The blocks `source` of events; `serial` is the number of the event within its change."""
        count, seq = batch.num_rows, batch.column("seq")
        millis = epoch_millis(batch.column("commit_ts"), self.zone)
        form = self.seq_form
        commit = pc.utf8_slice_codeunits(seq, 0, form.commit)
        commit = pc.if_else(pc.equal(commit, "F" * form.commit), pa.scalar(None, TEXT), commit)
        place = batch.column("_metadata")
        texts = {"version": self.version, "connector": "lmparse", "snapshot": "false", "db": None}
        columns = {name: pa.repeat(pa.scalar(text, TEXT), count) for name, text in texts.items()}
        columns |= {
            "ts_ms": millis,
            "schema": batch.column("schema_name"),
            "table": batch.column("table_name"),
            "txId": batch.column("txn_id"),
            "commit_lsn": commit,
            "change_lsn": pc.utf8_slice_codeunits(seq, form.commit, form.commit + form.record),
            "seq": seq,
            "event_serial": pa.repeat(pa.scalar(serial, pa.int64()), count),
            "op": batch.column("op"),
            "user": batch.column("auth_id"),
            **{name: pc.struct_field(place, name) for name in ("file", "record_index", "record_offset")},
        }
        arrays = [columns[entry.name] for entry in SOURCE]
        return pa.StructArray.from_arrays(arrays, fields=list(SOURCE), mask=seq.is_null())

    # -- rows ---------------------------------------------------------------------------------

    def _feed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        images, ops = ImagePairs(batch), batch.column("op")
        is_insert, is_update = (np.asarray(pc.fill_null(pc.equal(ops, op), False)) for op in "IU")
        # The row of an insert is the row after; the row of any other change is the row before.
        which = pa.array(np.arange(len(ops)) + len(ops) * is_insert)
        absent = [images.absent(role) for role in ("before", "after")]
        second = np.flatnonzero(is_update)
        rows = pa.array(second)
        columns = {
            **self._image(batch, pa.concat_arrays([batch.column("before"), batch.column("after")]).take(which)),
            "_change_type": _words(ops, _KINDS | _MARKERS),
            "_commit_seq": batch.column("seq"),
            "_commit_timestamp": batch.column("commit_ts"),
            "_txn_id": batch.column("txn_id"),
            "_absent_columns": pa.concat_arrays(absent).take(which),
        }
        after = {
            **self._image(batch.take(rows), batch.column("after").take(rows)),
            "_change_type": pa.array(["update_postimage"] * len(second), TEXT),
            "_absent_columns": absent[1].take(rows),
        }
        return self._batch(columns, batch, second, after)

    def _image(self, batch: pa.RecordBatch, image: pa.Array) -> dict[str, pa.Array]:
        """The columns of one image of each change."""
        if pa.types.is_struct(image.type):
            return dict(zip([entry.name for entry in image.type], image.flatten(), strict=True))
        return {**{name: batch.column(name) for name in ("schema_name", "table_name")}, "row": image}

    def _batch(
        self, columns: dict[str, pa.Array], batch: pa.RecordBatch, second: Int64s, other: dict[str, pa.Array]
    ) -> pa.RecordBatch:
        """A row for each change, and a second row, with the values `other`, behind the rows of the changes `second`."""
        columns |= {name: batch.column(name) for name in schemas.OUTCOMES}
        arrays = [_typed(columns[entry.name], entry.type) for entry in self.schema]
        if len(second):
            order = pa.array(np.argsort(np.concatenate([np.arange(batch.num_rows), second]), kind="stable"))
            more = [
                _typed(other[entry.name], entry.type) if entry.name in other else array.take(pa.array(second))
                for entry, array in zip(self.schema, arrays, strict=True)
            ]
            arrays = [pa.concat_arrays(pair).take(order) for pair in zip(arrays, more, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _typed(array: pa.Array, type_: pa.DataType) -> pa.Array:
    return array if array.type == type_ else array.cast(type_)


def _words(ops: pa.Array, words: dict[str, str], other: str | None = None, nothing: Any = None) -> pa.Array:
    """The word of each operation; `other` for operations without a word, null where `nothing` is true."""
    places = pc.index_in(ops, value_set=pa.array([*words], TEXT))
    found = pa.array([*words.values()], TEXT).take(places)
    if other is not None:
        found = pc.if_else(nothing, pa.scalar(None, TEXT), pc.fill_null(found, other))
    return found


# -- images -----------------------------------------------------------------------------------


class ImagePairs:
    """The images of a batch of flat changes, as structs or as JSON text."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        """The column KEY of the batch has the names of the key's columns."""
        self._batch = batch
        self._before, self._after = batch.column("before"), batch.column("after")
        self._is_text = not pa.types.is_struct(self._before.type)
        found = batch.column(KEY).fill_null("[]").dictionary_encode()
        self._keys: list[tuple[str, ...]] = [tuple(json.loads(text)) for text in found.dictionary.to_pylist()]
        self._key_of: Int64s = np.asarray(found.indices, np.int64)

    @cached_property
    def key_changed(self) -> Flags:
        """Flags of the updates that changed a column of the key.

        Raises OptionError LMP-S012 if a struct lacks a column of the key.
        """
        for name in () if self._is_text else (name for key in self._keys for name in key):
            if self._before.type.get_field_index(name) < 0:
                text = f"column {name} of the key is left out, and the envelope needs it"
                raise OptionError(text, code="LMP-S012", hint="read it too")
        found = np.zeros(self._batch.num_rows, np.bool_)
        both = np.asarray(pc.and_(self._before.is_valid(), self._after.is_valid()))
        for number, key in enumerate(self._keys):
            rows = np.flatnonzero(both & (self._key_of == number))
            for name, differs in self._differing(rows, key):
                differing = np.zeros(len(found), np.bool_)
                differing[rows] = differs
                differing[[row for row, names in self._unknown.items() if name in names]] = False
                found |= differing
        return found

    def _differing(self, rows: Int64s, names: Sequence[str]) -> Iterator[tuple[str, Flags]]:
        """Yield each column name, with flags of the updates whose two values of the column differ."""
        before, after = (array.take(pa.array(rows)) for array in (self._before, self._after))
        if not self._is_text:
            yield from ((name, _differs(before.field(name), after.field(name))) for name in names)
        elif names:
            pairs = [
                [json.loads(text) for text in pair] for pair in zip(before.to_pylist(), after.to_pylist(), strict=True)
            ]
            for name in names:
                yield name, np.array([old.get(name) != new.get(name) for old, new in pairs], np.bool_)

    # -- what is not known ----------------------------------------------------------------------

    @cached_property
    def _absent(self) -> dict[int, list[tuple[str, str]]]:
        """Role and name of the columns whose values are not in the log, by row."""
        detail = self._batch.column("detail")
        rows = np.flatnonzero(np.asarray(pc.fill_null(pc.match_substring(detail, '"absent"'), False)))
        found: dict[int, list[tuple[str, str]]] = {}
        for row, text in zip(rows.tolist(), detail.take(pa.array(rows)).to_pylist(), strict=True):
            reasons = json.loads(text).get("absent")
            found[row] = [*_places(reasons if isinstance(reasons, dict) else ())]
        return found

    @cached_property
    def _unknown(self) -> dict[int, set[str]]:
        """Columns with a value that is not in the log, or unreadable, by row."""
        found = {row: {name for _, name in places} for row, places in self._absent.items()}
        faults = self._batch.column(schemas.CORRUPT_FIELDS)
        rows = np.flatnonzero(np.asarray(faults.is_valid()))
        for row, entries in zip(rows.tolist(), faults.take(pa.array(rows)).to_pylist(), strict=True):
            names = {name for _, name in _places(entry["path"] or "" for entry in entries)}
            found[row] = found.get(row, set()) | names
        return found

    def absent(self, *roles: str) -> pa.Array:
        """Names of the columns of the roles whose values are not in the log; null if there are none."""
        found: list[list[str] | None] = [None] * self._batch.num_rows
        for row, places in self._absent.items():
            names = dict.fromkeys(name for role in roles for of, name in places if of == role)
            found[row] = list(names) or None
        return pa.array(found, NAMES)


def key_texts(columns: Mapping[str, pa.Array], count: int) -> pa.Array:
    """The values of a key in rows as JSON; null is a value."""
    values: dict[str, tuple[json_texts.Part, bool]] = {}
    for name, array in columns.items():
        if pa.types.is_floating(array.type):
            array = pc.add(array, pa.scalar(0, array.type))  # turns -0.0 into 0.0, because both are equal
        is_time = pa.types.is_timestamp(array.type) or pa.types.is_date32(array.type)
        values[name] = json_texts.values(as_text(array) if is_time else array), False
    return json_texts.joined(json_texts.members(values), count)


def _places(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield role and column of paths such as `before.NAME`."""
    for path in paths:
        role, _, name = path.partition(".")
        if role in ("before", "after"):
            yield role, name


def _differs(old: pa.Array, new: pa.Array) -> Flags:
    """Flags of the rows where two columns differ; null equals null, NaN equals NaN."""
    same = np.asarray(pc.fill_null(pc.equal(old, new), False))
    same = same | (np.asarray(old.is_null()) & np.asarray(new.is_null()))
    if pa.types.is_floating(old.type):
        nan = [np.asarray(pc.fill_null(pc.is_nan(array), False)) for array in (old, new)]
        same = same | (nan[0] & nan[1])
    found: Flags = ~same
    return found


# -- times -----------------------------------------------------------------------------------


def check_zone(zone: str) -> None:
    """Raise OptionError unless a zone is UTC, an offset such as +01:00, or in the database of time zones."""
    try:
        epoch_millis(pa.array([datetime(2026, 1, 1)], pa.timestamp("us")), zone)
    except (pa.ArrowException, ValueError) as error:
        text = f"sourceTimeZone has no value {quoted(zone)}"
        raise OptionError(text, hint="as Europe/Paris, +01:00 or UTC; it needs the system's tzdata") from error


def epoch_millis(times: pa.Array, zone: str | None) -> pa.Array:
    """Times without a zone as milliseconds since 1970 in UTC; null if the zone is unknown.

    When clocks change, a zone has some times twice and some not at all. Such a time is ambiguous and becomes null.
    """
    if zone is None or times.null_count == len(times):
        return pa.nulls(len(times), pa.int64())
    micros = times.cast(pa.int64())
    if zone != "UTC":  # UTC needs no database of time zones
        first, micros = (
            pc.assume_timezone(times, zone, ambiguous=side, nonexistent=side).cast(pa.int64())
            for side in ("earliest", "latest")
        )
        micros = pc.if_else(pc.equal(first, micros), micros, pa.scalar(None, pa.int64()))
    return pa.array(np.asarray(micros.fill_null(0)) // 1000, pa.int64(), mask=np.asarray(micros.is_null()))
