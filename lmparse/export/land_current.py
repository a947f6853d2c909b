"""Current tables: the last row of each key, merged from the change table in the same folder.

A current table states the `seq` up to which it has changes; later changes are read from the change table. Of each key
the last change counts, as in SQL. A change that empties the table removes all earlier rows. All cases that these two
rules leave open are refused: the current table stays unchanged, and the change table has all changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.change import OF_ROWS, TABLE_IDS
from lmparse.changes.envelopes import key_texts
from lmparse.columnar.schemas import CORRUPT_FIELDS, MICROS, TEXT
from lmparse.errors import OptionError
from lmparse.export.land_delta import DELETED, KEYS, SEQ, DeltaFolder, quoted
from lmparse.export.land_rows import NONE_LANDED, TableRows, fitted, united
from lmparse.export.land_target import LandedTable
from lmparse.values.byte_arrays import Flags, Int64s

REFUSED = "LMP-S032"
OWN = pa.schema([("_seq", TEXT), ("_commit_timestamp", MICROS), ("_txn_id", TEXT)])
"""Columns of a current table behind the columns of its rows."""
_LEAVE, _STAY, _TAKE, _MOVE = range(4)
"""Effects of a change on a key: its row leaves it, stays, takes it as a new row, or takes it by an update of the key.
"""
_NO_SEQ = "G"
"""Stands for the `seq` of bad records, above all others, because digits are hexadecimal."""
_TAKEN = "it takes a key that another row has"
_IDS = re.compile(r"\d+\.\d+")
"""Ids in place of an unknown name; short names have another form."""


class CurrentTable:
    """The current table of one table of a target."""

    def __init__(self, current: DeltaFolder, changes: DeltaFolder, table: LandedTable, rows: TableRows | None) -> None:
        """`rows` are the changes of the table in this run."""
        self._current, self._changes, self._table = current, changes, table
        self._rows = rows
        self.landed = current.seq or ""
        """The `seq` up to which the table has changes."""

    def _refused(self, seq: str, why: str) -> OptionError:
        begin = f"from seq {seq} on" if seq else "from the first change on"
        return OptionError(
            f"{self._table.full_name}: the current table is not changed {begin}: {why}", code=REFUSED,
            hint="the change table has all changes",
        )  # fmt: skip

    @cached_property
    def key(self) -> list[str]:
        """The columns of the key; none if unknown. Raises OptionError LMP-S032 for several keys."""
        of_run = self._rows.keys if self._rows else ()
        keys = {tuple(key) for key in [*(of_run or self._changes.keys), *self._current.keys]}
        if len(keys) > 1:
            shown = " and ".join(", ".join(key) or "none" for key in sorted(keys))
            raise self._refused(self.landed, f"it has several keys: {shown}")
        return list(keys.pop()) if keys else []

    @property
    def is_without(self) -> bool:
        """Whether the table has rows in this run, but no key."""
        return bool(self._rows and self._rows.keys) and not self.key

    def land(self, others: Others) -> int | None:
        """Merge the changes that the table lacks; returns their number, None without a key.

        Raises OptionError LMP-S032.
        """
        schema = self._changes.schema()
        if schema is None or (not self.key and self._current.schema() is None):
            return None
        if self.is_without:
            raise self._refused(self.landed, "no key of it is known")
        # Without a key, only changes of the whole table are merged; they need neither key nor columns.
        image = schema.field("after").type if self.key else pa.struct([])
        own = {name.casefold() for name in OWN.names}
        for name in self.key:
            if image.get_field_index(name) < 0:
                raise self._refused(self.landed, f"the column {name} of its key is not in the log")
        for entry in image:
            if entry.name.casefold() in own:
                raise self._refused(self.landed, f"its column {entry.name} has a name that current tables use")
        found = _Changes(self._read(), self.key) if (self._changes.seq or "") > self.landed else None
        since = max(self.landed, found.emptied) if found else self.landed
        if why := others.why_unproven(self._table, since):
            raise self._refused(since, why)
        if found is None or not found.count:
            return 0
        found.find_last(None if found.emptied else self._current)
        for place, why in sorted(found.why):
            raise self._refused(found.seqs[place].as_py(), why)
        self._put(found, image)
        return found.count

    def _read(self) -> pa.Table:
        """The effects of unmerged changes on keys, in the order of `seq`."""
        names = [name.replace("'", "''") for name in self.key]
        keys = [
            f"get_field({role}, '{name}') AS {role}_{n}" for role in ("before", "after") for n, name in enumerate(names)
        ]
        there = [f"{role} IS NOT NULL AS has_{role}" for role in ("before", "after")]
        columns = ", ".join(["op", "seq", "txn_id", "detail", CORRUPT_FIELDS, *there, *keys])
        return pa.Table.from_batches(self._changes.rows(columns, f"WHERE seq > '{self.landed}'")).sort_by("seq")

    def _put(self, found: _Changes, image: pa.StructType) -> None:
        """Merge the rows that the changes leave, or replace all rows by them."""
        wanted, known = pa.schema([*image, *OWN]), self._current.schema()
        wanted = wanted if known is None else united(known, wanted, self._table.full_name)
        stated = {SEQ: max(found.seqs[-1].as_py(), NONE_LANDED), KEYS: json.dumps([self.key] if self.key else [])}
        self._current.widen(wanted)
        is_new = known is None or bool(found.emptied)
        schema = wanted if is_new else wanted.append(pa.field(DELETED, pa.bool_()))
        left = self._last_rows(found, image, is_new)
        rows = self._changes.on_disk((fitted(batch, schema) for batch in left if batch.num_rows), schema)
        if is_new:
            self._current.write(rows, schema, stated, mode="overwrite")
        else:
            self._current.merge(rows, schema, self.key, stated)

    def _last_rows(self, found: _Changes, image: pa.StructType, is_new: bool) -> Iterator[pa.RecordBatch]:
        """Yield the rows that the last change of each key leaves, and the keys of deleted rows."""
        names = [entry.name for entry in image]
        for batch in self._changes.rows("seq, commit_ts, txn_id, before, after", f"WHERE seq > '{self.landed}'"):
            for role, seqs, is_gone in (("after", found.put, False), ("before", found.gone, True)):
                if is_gone and is_new:
                    continue
                part = batch.filter(pc.is_in(batch.column("seq"), value_set=seqs))
                kept = {name: part.column(role).field(name) for name in (self.key if is_gone else names)}
                own = dict(zip(OWN.names, (part.column(name) for name in ("seq", "commit_ts", "txn_id")), strict=True))
                gone = pa.array(np.full(part.num_rows, is_gone))
                yield pa.RecordBatch.from_pydict({**kept, **own, DELETED: gone})


class _Changes:
    """The row that the changes of one table, in the order of `seq`, leave for each key."""

    def __init__(self, rows: pa.Table, key: Sequence[str]) -> None:
        """`rows` are the changes as `CurrentTable` reads them."""
        self._key = key
        self.why: list[tuple[int, str]] = []
        """Numbers of changes with an unknown effect, with the reason."""
        self._begin, self.count = self._counting(rows)
        self._rows = rows.slice(0, self.count)
        self.seqs = self._rows["seq"].combine_chunks()
        self.emptied = self.seqs[self._begin - 1].as_py() if self._begin else ""
        """The `seq` of the last change that empties the table; empty without one."""

    def _counting(self, rows: pa.Table) -> tuple[int, int]:
        """The number of the first change that counts, and the number behind the last.

        A drop, and changes behind it, do not count until the log shows that the next table with its ids is empty.
        """
        is_row = np.asarray(pc.fill_null(pc.is_in(rows.column("op"), value_set=pa.array(["I", "U", "D"])), False))
        begin, drop = 0, None
        for place in np.flatnonzero(~is_row).tolist():
            effect = effect_of(rows["op"][place].as_py(), json.loads(rows["detail"][place].as_py() or "{}"))
            if effect == "emptied" or (effect == "created" and drop is not None):
                begin, drop = place + 1, None
            elif effect == "dropped":
                drop = place
            elif effect not in ("", "created"):
                self.why.append((place, effect))
        if drop is None:
            return begin, len(is_row)
        if is_row[drop:].any():
            self.why.append((drop, "the table was dropped, and no creation of the one with its ids is in the log"))
            return begin, len(is_row)
        return begin, drop

    def find_last(self, current: DeltaFolder | None) -> None:
        """Find the last change of each key, in `put` and `gone`, and changes with an unknown effect.

        `current` is the table with the rows before the changes; None if these rows do not count.
        """
        self._find_lacking()
        columns = (
            {name: self._rows[f"{role}_{n}"].combine_chunks() for n, name in enumerate(self._key)}
            for role in ("before", "after")
        )
        old, new = (key_texts(values, self.count) for values in columns)
        ops = np.asarray(pc.fill_null(self._rows["op"], "").to_pylist())
        is_moved = (ops == "U") & np.asarray(pc.not_equal(old, new))
        counts = np.arange(self.count) >= self._begin
        leaves = np.flatnonzero(((ops == "D") | is_moved) & counts)
        comes = np.flatnonzero(((ops == "I") | (ops == "U")) & counts)
        kinds = np.where(ops[comes] == "I", _TAKE, np.where(is_moved[comes], _MOVE, _STAY))
        kind = np.concatenate([np.full(len(leaves), _LEAVE), kinds])
        place = np.concatenate([leaves, comes])
        keys = pa.concat_arrays([old.take(pa.array(leaves)), new.take(pa.array(comes))]).dictionary_encode()
        codes = np.asarray(keys.indices, np.int64)
        order = np.lexsort((place, codes))
        kind, place, codes = kind[order], place[order], codes[order]
        is_first = np.append(True, codes[1:] != codes[:-1])[: len(codes)]
        is_last = np.append(is_first[1:], True)[: len(codes)]
        self._find_taken(kind, place, is_first)
        takes = place[is_first & (kind >= _TAKE)]
        if current is not None and len(takes):
            self._find_taken_in(current, takes, new.take(pa.array(takes)))
        self.put = self.seqs.take(pa.array(place[is_last & (kind != _LEAVE)]))
        self.gone = self.seqs.take(pa.array(place[is_last & (kind == _LEAVE)]))
        self.why = [(number, why) for number, why in self.why if self._begin <= number < self.count]

    def _find_lacking(self) -> None:
        """Note changes for which the log lacks the key, or values of the row that they leave."""
        ops, details, faults = (self._rows[name].combine_chunks() for name in ("op", "detail", CORRUPT_FIELDS))
        marked = pc.or_(pc.fill_null(pc.match_substring_regex(details, '"(absent|moved)"'), False), faults.is_valid())
        keys = tuple(f"before.{name}." for name in self._key)
        for place in np.flatnonzero(np.asarray(marked)).tolist():
            detail = json.loads(details[place].as_py() or "{}")
            names = {*detail.get("absent", ()), *(fault["path"] or "" for fault in faults[place].as_py() or ())}
            lacking = sorted(one for one in names if f"{one}.".startswith(keys) or not one.startswith("before."))
            if lacking:
                self.why.append((place, f"the log does not have {', '.join(lacking)}"))
            elif detail.get("moved") and ops[place].as_py() != "U":
                self.why.append((place, "it is half of an update that moved the row"))
        for role, wanted in (("before", ("U", "D")), ("after", ("I", "U"))):
            lacks = pc.and_(pc.is_in(ops, value_set=pa.array(wanted)), pc.invert(self._rows[f"has_{role}"]))
            places = np.flatnonzero(np.asarray(lacks)).tolist()
            self.why += [(place, f"the log does not have the row {role} the change") for place in places]

    def _find_taken(self, kind: Int64s, place: Int64s, is_first: Flags) -> None:
        """Note keys that are taken while a row has them, or left in the transaction in which an update took them: it is
        unknown which of two rows leaves the key."""
        had = np.append(False, kind[:-1] != _LEAVE)[: len(kind)] & ~is_first
        self.why += [(at, _TAKEN) for at in place[had & (kind >= _TAKE)].tolist()]
        numbers = np.arange(len(kind))
        begins = np.maximum.accumulate(np.where(is_first, numbers, 0))
        moves = np.maximum.accumulate(np.where(kind == _MOVE, numbers, -1))
        txns = np.asarray(self._rows["txn_id"].combine_chunks().dictionary_encode().indices.fill_null(-1))[place]
        is_left = (kind == _LEAVE) & (moves >= begins) & (txns == txns[moves])
        why = "a row leaves a key that another one has got in the same transaction, or it moves twice"
        self.why += [(at, why) for at in place[is_left].tolist()]

    def _find_taken_in(self, current: DeltaFolder, places: Int64s, keys: pa.Array) -> None:
        """Note keys that are taken while a row of the current table has them."""
        for batch in current.rows(", ".join(map(quoted, self._key))):
            had = key_texts(dict(zip(self._key, batch.columns, strict=True)), batch.num_rows)
            is_taken = np.asarray(pc.is_in(keys, value_set=had))
            self.why += [(place, _TAKEN) for place in places[is_taken].tolist()]


def effect_of(op: str | None, detail: dict[str, Any]) -> str:
    """Effect on a table of a change that is not of one row: `emptied`, `dropped`, `created`, empty for none, or why the
    effect is unknown.

    LOB objects of a table also have creations, so a creation means a new table only behind a drop.
    """
    if op == "T" or (op == "M" and not {"limit_keys", "payload", "text"}.intersection(detail)):
        return "emptied"
    if op == "O":
        kinds = {
            "db2_dms.initialize_table": "emptied",
            "db2_dom.create_table": "created",
            "db2_dom.drop_table": "dropped",
        }
        return kinds.get(detail.get("kind", ""), "")
    if op == "M":
        return "a mass delete of some partitions, whose rows the log does not name"
    if op == "X":
        return "an exchange with a clone table, whose rows the log does not have"
    if op is None:
        return "a change is of a type that no manual describes, and so is what it does to rows"
    return f"rows are missing in the log: {detail['gap']}" if op == "S" and "gap" in detail else ""


class Others:
    """Changes without a table version, which may belong to a table with a current table."""

    def __init__(self, changes: DeltaFolder | None, tables: Sequence[LandedTable]) -> None:
        self._changes, self._tables = changes, tables

    @cached_property
    def _found(self) -> dict[str, str]:
        """The last `seq` of changes of rows by the ids of their table; the key is empty for unknown ids."""
        found: dict[str, str] = {}
        columns, rest = "op, table_name, table_name_short AS is_short, detail", "GROUP BY 1, 2, 3, 4"
        batches = (
            self._changes.rows(f"{columns}, max(coalesce(seq, '{_NO_SEQ}')) AS seq", rest) if self._changes else ()
        )
        for row in (row for batch in batches for row in batch.to_pylist()):
            detail = json.loads(row["detail"] or "{}")
            if row["seq"] == _NO_SEQ or row["op"] in OF_ROWS or effect_of(row["op"], detail):
                short = row["table_name"] if row["is_short"] and _IDS.fullmatch(row["table_name"] or "") else ""
                ids = detail.get(TABLE_IDS, short)
                found[ids] = max(found.get(ids, ""), row["seq"])
        return found

    def why_unproven(self, table: LandedTable, landed: str) -> str:
        """Why a table may lack changes behind a `seq`; empty if it lacks none."""
        for ids, seq in self._found.items():
            if seq > landed and (seq == _NO_SEQ or table.may_have(ids)):
                what = "bad records" if seq == _NO_SEQ else "changes without a table version"
                return f"{what} in changes/other may be of this table"
        for other in self._tables:
            if other is not table and table.may_have(other.ids):
                return f"changes/{other.folder} may be of this table, since not all ids of both are known"
        return ""
