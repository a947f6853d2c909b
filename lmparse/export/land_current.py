"""Current tables: the last row of each key, merged from the change table of the same folder.

The current table says up to which `seq` it has changes; those behind it are read from the change table. Of each key the
last change counts, as in SQL; what empties the table takes all rows in front of it. What these two rules do not decide
is refused: the current table stays as it was, and the change table has all changes.
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
from lmparse.changes.image_columns import key_texts
from lmparse.columnar.schemas import CORRUPT_FIELDS, MICROS, TEXT
from lmparse.errors import OptionError
from lmparse.export.land_delta import DELETED, FINER, KEYS, NONE_LANDED, SEQ, DeltaChanges, DeltaFolder, field_of
from lmparse.export.land_rows import TableRows, fitted, united
from lmparse.export.land_target import LandedTable
from lmparse.values.byte_arrays import Flags, Int64s

REFUSED = "LMP-S032"
OWN = pa.schema([("_seq", TEXT), ("_commit_timestamp", MICROS), ("_txn_id", TEXT)])
"""Columns of a current table behind those of its rows."""
DROPPED = "lmparse.dropped"
"""What a commit says too: the `seq` at which the table was dropped, if nothing is behind that."""
_LEAVE, _STAY, _TAKE, _MOVE = range(4)
"""What a change does with a key: its row leaves it, stays at it, takes it as a new row, or by an update of the key."""
_NO_SEQ = "G"
"""Stands for the `seq` of bad records, behind all others: its digits are hexadecimal."""
_TAKEN = "it takes a key that another row has"
_IDS = re.compile(r"\d+\.\d+")
"""Ids that stand for a name that is not known; a short name has another form."""


class CurrentTable:
    """The current table of one table of a target."""

    def __init__(self, current: DeltaFolder, changes: DeltaChanges, table: LandedTable, rows: TableRows | None) -> None:
        """`rows` are what this run has of it."""
        self._current, self._changes, self._table = current, changes, table
        self._rows = rows
        self.landed = current.seq or ""
        """The `seq` up to which changes are in it."""

    def _refused(self, seq: str, why: str) -> OptionError:
        begin = f"from seq {seq} on" if seq else "from the first change on"
        return OptionError(
            f"{self._table.full_name}: the current table is not changed {begin}: {why}", code=REFUSED,
            hint="the change table has all changes",
        )  # fmt: skip

    @cached_property
    def key(self) -> list[str]:
        """The columns of the key; none if it is not known. Raises OptionError LMP-S032 if there are several keys."""
        keys = [*map(list, self._rows.keys if self._rows and self._rows.keys else self._changes.keys)]
        keys += [key for key in json.loads(self._current.said.get(KEYS, "[]")) if key not in keys]
        if len(keys) > 1:
            shown = " and ".join(", ".join(key) or "none" for key in keys)
            raise self._refused(self.landed, f"it has several keys: {shown}")
        return keys[0] if keys else []

    def _check_key(self, image: pa.StructType) -> None:
        for name in self.key:
            if image.get_field_index(name) < 0:
                raise self._refused(self.landed, f"the column {name} of its key is not in the log")
        if finer := self._changes.said.get(FINER):
            raise self._refused(self.landed, f"{finer} of its key has more digits of a second than are kept")

    @property
    def is_without(self) -> bool:
        """Whether rows of it came, and it has no key."""
        return bool(self._rows and self._rows.keys) and not self.key

    def land(self, others: Others) -> int | None:
        """Merge the changes that are not in it; returns their number, None without a key.

        Raises OptionError LMP-S032.
        """
        schema = self._changes.schema()
        if schema is None or not (self.key or self._current.is_there):
            return None
        if self.is_without:
            raise self._refused(self.landed, "no key of it is known")
        # Without a key, changes are of the table as a whole only: these need none, nor the columns of their versions.
        image = schema.field("after").type if self.key else pa.struct([])
        self._check_key(image)
        is_behind = (self._changes.seq or "") > self.landed
        found = _Changes(self._read() if is_behind else None, self.key, self._current.said.get(DROPPED))
        if why := others.why_unproven(self._table, max(self.landed, found.emptied)):
            raise self._refused(max(self.landed, found.emptied), why)
        if not found.count:
            return 0
        found.check(self._current if not found.emptied else None, self._refused)
        wanted = pa.schema([*image, *OWN])
        known = self._current.schema()
        wanted = wanted if known is None else united(known, wanted, self._table.full_name)
        said = {SEQ: max(found.last, NONE_LANDED), KEYS: json.dumps([self.key] if self.key else [])}
        said |= {DROPPED: found.dropped} if found.dropped else {}
        self._current.widen(wanted)
        is_new = known is None or bool(found.emptied)
        schema = wanted if is_new else wanted.append(pa.field(DELETED, pa.bool_()))
        left = self._last_rows(found, image, is_new)
        rows = self._changes.on_disk((fitted(batch, schema) for batch in left if batch.num_rows), schema)
        if is_new:
            self._current.write(rows, schema, said, mode="overwrite")
        else:
            self._current.merge(rows, schema, self.key, said)
        return found.count

    @property
    def _behind(self) -> str:
        return f"seq > '{self.landed}'"

    def _read(self) -> pa.Table | None:
        """What the changes behind its own do with keys, in the order of `seq`; None if there are none."""
        keys = [
            f"{field_of(role, name)} AS {role}_{n}" for role in ("before", "after") for n, name in enumerate(self.key)
        ]
        there = [f"{role} IS NOT NULL AS has_{role}" for role in ("before", "after")]
        columns = ", ".join(["op", "seq", "txn_id", "detail", CORRUPT_FIELDS, *there, *keys])
        batches = [*self._changes.rows(columns, self._behind)]
        return pa.Table.from_batches(batches).sort_by("seq") if batches else None

    def _last_rows(self, found: _Changes, image: pa.StructType, is_new: bool) -> Iterator[pa.RecordBatch]:
        """The rows that the last change of each key leaves, and the keys of those that are gone."""
        names = [entry.name for entry in image]
        for batch in self._changes.rows("seq, commit_ts, txn_id, before, after", self._behind):
            for role, seqs, is_gone in (("after", found.put, False), ("before", found.gone, True)):
                if is_gone and is_new:
                    continue
                part = batch.filter(pc.is_in(batch.column("seq"), value_set=seqs))
                values = dict(zip(names, _images(part.column(role), image), strict=True))
                kept = {name: values[name] for name in (self.key if is_gone else names)}
                own = dict(zip(OWN.names, (part.column(name) for name in ("seq", "commit_ts", "txn_id")), strict=True))
                gone = pa.array(np.full(part.num_rows, is_gone))
                yield pa.RecordBatch.from_pydict({**kept, **own, DELETED: gone})


def _images(images: pa.StructArray, wanted: pa.StructType) -> list[pa.Array]:
    found = dict(zip([entry.name for entry in images.type], images.flatten(), strict=True))
    return [found[entry.name] for entry in wanted]


class _Changes:
    """What changes of one table, in the order of `seq`, leave of each key."""

    def __init__(self, rows: Any, key: Sequence[str], dropped: str | None) -> None:
        """`rows` are what `CurrentTable` reads of them."""
        self._rows, self._key = rows, key
        self.count = 0 if rows is None else rows.num_rows
        self.dropped: str | None = dropped
        self.emptied = ""
        """The `seq` of the last change behind which no row of those before is left; empty if there is none."""
        self.why: list[tuple[int, str]] = []
        """Numbers of changes of which it is not known what they leave, with the reason."""
        if self.count:
            self._ops = rows.column("op").combine_chunks()
            self._seqs = rows.column("seq").combine_chunks()
            self.last: str = self._seqs[-1].as_py()
            begin = self._whole_table()
            self._find_lacking()
            self._find_last(begin)
            self.why = sorted((place, why) for place, why in self.why if place >= begin)

    def _whole_table(self) -> int:
        """Take note of the changes that are not of one row; returns the number of the first one that counts."""
        is_row = np.asarray(pc.fill_null(pc.is_in(self._ops, value_set=pa.array(["I", "U", "D"])), False))
        self._is_row, begin = is_row, 0
        details = self._rows.column("detail")
        drop = -1 if self.dropped else None
        for place in np.flatnonzero(~is_row).tolist():
            effect = effect_of(self._ops[place].as_py(), json.loads(details[place].as_py() or "{}"))
            if effect == "emptied" or (effect == "created" and drop is not None):
                begin, drop = place + 1, None
            elif effect == "dropped":
                drop = place
            elif effect not in ("", "created"):
                self.why.append((place, effect))
        if drop is not None and is_row[drop + 1 :].any():
            behind = drop + 1 + int(np.argmax(is_row[drop + 1 :]))
            self.why.append((behind, "the table was dropped, and no creation of the one with its ids is in the log"))
        self.dropped = None if drop is None else self.dropped if drop < 0 else self._seqs[drop].as_py()
        self.emptied = self._seqs[begin - 1].as_py() if begin else ""
        return begin

    def _find_lacking(self) -> None:
        """Take note of the changes whose keys the log lacks; `_lacks` has the columns that rows lack."""
        self._lacks: dict[int, set[str]] = {}
        details, faults = self._rows.column("detail"), self._rows.column(CORRUPT_FIELDS)
        marked = pc.or_(pc.fill_null(pc.match_substring_regex(details, '"(absent|moved)"'), False), faults.is_valid())
        keys = tuple(f"{role}.{name}." for role in ("before", "after") for name in self._key)
        for place in np.flatnonzero(np.asarray(marked)).tolist():
            detail = json.loads(details[place].as_py() or "{}")
            names = {*detail.get("absent", ()), *(fault["path"] or "" for fault in faults[place].as_py() or ())}
            self._lacks[place] = names
            if any(f"{name}.".startswith(keys) for name in names) or not all(
                name.startswith(("before.", "after.")) for name in names
            ):
                self.why.append((place, f"the log does not have {', '.join(sorted(names)) or 'the row'}"))
            elif detail.get("moved") and self._ops[place].as_py() != "U":
                self.why.append((place, "it is half of an update that moved the row"))
        for role, ops in (("before", ("U", "D")), ("after", ("I", "U"))):
            lacks = pc.and_(pc.is_in(self._ops, value_set=pa.array(ops)), pc.invert(self._rows.column(f"has_{role}")))
            places = np.flatnonzero(np.asarray(lacks)).tolist()
            self.why += [(place, f"the log does not have the row {role} the change") for place in places]

    def _texts(self, role: str) -> pa.Array:
        columns = {name: self._rows.column(f"{role}_{n}").combine_chunks() for n, name in enumerate(self._key)}
        return key_texts(columns, self.count)

    def _find_last(self, begin: int) -> None:
        """Find the last change of each key, and changes that take a key that another row has."""
        old, new = (self._texts(role) for role in ("before", "after"))
        ops = np.asarray(pc.fill_null(self._ops, "").to_pylist())
        is_moved = (ops == "U") & np.asarray(pc.not_equal(old, new))
        is_behind = np.arange(self.count) >= begin
        leaves = np.flatnonzero(((ops == "D") | is_moved) & is_behind)
        comes = np.flatnonzero(((ops == "I") | (ops == "U")) & is_behind)
        kinds = np.where(ops[comes] == "I", _TAKE, np.where(is_moved[comes], _MOVE, _STAY))
        kind = np.concatenate([np.full(len(leaves), _LEAVE), kinds])
        place = np.concatenate([leaves, comes])
        keys = pa.concat_arrays([old.take(pa.array(leaves)), new.take(pa.array(comes))]).dictionary_encode()
        codes = np.asarray(keys.indices, np.int64)
        order = np.lexsort((place, codes))
        kind, place, codes = kind[order], place[order], codes[order]
        is_first = np.ones(len(codes), np.bool_)
        is_first[1:] = codes[1:] != codes[:-1]
        is_last = np.append(is_first[1:], True)[: len(codes)]
        self._find_taken(kind, place, is_first)
        self._last_places = place[is_last & (kind != _LEAVE)]
        self.put = self._seqs.take(pa.array(self._last_places))
        self.gone = self._seqs.take(pa.array(place[is_last & (kind == _LEAVE)]))
        self._first_takes = new.take(pa.array(place[is_first & (kind >= _TAKE)]))
        self._first_places = place[is_first & (kind >= _TAKE)]
        for number in sorted(self._lacks.keys() & {*self._last_places.tolist()}):
            names = sorted(name for name in self._lacks[number] if name.startswith("after."))
            if names:
                self.why.append((number, f"the log does not have {', '.join(names)}"))

    def _find_taken(self, kind: Int64s, place: Int64s, is_first: Flags) -> None:
        """Take note of keys that are taken while a row has them, or left in the transaction in which an update took
        them: which of two rows leaves a key is not known."""
        had = np.zeros(len(kind), np.bool_)
        had[1:] = (kind[:-1] != _LEAVE) & ~is_first[1:]
        self.why += [(at, _TAKEN) for at in place[had & (kind >= _TAKE)].tolist()]
        numbers = np.arange(len(kind))
        begins = np.maximum.accumulate(np.where(is_first, numbers, 0))
        moves = np.maximum.accumulate(np.where(kind == _MOVE, numbers, -1))
        txns = np.asarray(self._rows.column("txn_id").combine_chunks().dictionary_encode().indices.fill_null(-1))[place]
        is_left = (kind == _LEAVE) & (moves >= begins) & (txns == txns[moves])
        why = "a row leaves a key that another one has got in the same transaction, or it moves twice"
        self.why += [(at, why) for at in place[is_left].tolist()]

    def check(self, current: DeltaFolder | None, refused: Any) -> None:
        """Raise OptionError LMP-S032 for the first change of which it is not known what it leaves.

        `current` is the table that has the rows in front of the changes; None if these are of no account.
        """
        if current is not None and current.is_there and len(self._first_takes):
            columns = ", ".join('"' + name.replace('"', '""') + '"' for name in self._key)
            for batch in current.rows(columns):
                had = key_texts(dict(zip(self._key, batch.columns, strict=True)), batch.num_rows)
                taken = np.flatnonzero(np.asarray(pc.is_in(self._first_takes, value_set=had)))
                self.why += [(place, _TAKEN) for place in self._first_places[taken].tolist()]
        for place, why in sorted(self.why):
            raise refused(self._seqs[place].as_py(), why)


def effect_of(op: str | None, detail: dict[str, Any]) -> str:
    """What a change that is not of one row does to a table: `emptied`, `dropped`, `created`, nothing, or what is not
    known of it, in words.

    A create is written for the LOB objects of a table too, so it is of a new table only behind a drop.
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
    """The changes without a table version, which may be of a table that has a current one."""

    def __init__(self, changes: DeltaFolder | None, tables: Sequence[LandedTable], after: str) -> None:
        """`after` is the `seq` up to which none of them is asked for."""
        self._changes, self._tables, self._after = changes, tables, after

    @cached_property
    def _found(self) -> list[tuple[LandedTable, str]]:
        """What is known of the tables of changes of rows, each once, with the last `seq` of these changes."""
        names = ["op", "schema_name", "table_name", "table_name_short", "detail"]
        where = f"seq > '{self._after}' OR seq IS NULL"
        batches = [*self._changes.rows(", ".join(["seq", *names]), where)] if self._changes is not None else []
        found: dict[LandedTable, str] = {}
        for row in (
            pa.Table.from_batches(batches).group_by(names).aggregate([("seq", "max")]).to_pylist() if batches else ()
        ):
            detail = json.loads(row["detail"] or "{}")
            if row["seq_max"] is None or row["op"] in OF_ROWS or effect_of(row["op"], detail):
                clue = _table_of(row, detail)
                found[clue] = max(found.get(clue, ""), row["seq_max"] or _NO_SEQ)
        return [*found.items()]

    def why_unproven(self, table: LandedTable, landed: str) -> str:
        """Why a table may lack changes behind a `seq`; empty if it lacks none."""
        for clue, seq in self._found:
            if seq > landed and (seq == _NO_SEQ or clue.may_be(table)):
                what = "bad records" if seq == _NO_SEQ else "changes without a table version"
                return f"{what} in changes/other may be of this table"
        for other in self._tables:
            if other is not table and not (table.is_sure and other.is_sure) and other.may_be(table):
                return f"changes/{other.folder} may be of this table, since not all ids of both are known"
        return ""


def _table_of(row: dict[str, Any], detail: dict[str, Any]) -> LandedTable:
    """What is known of the table of a change: the ids in `detail` or as its name, and the name that its header has."""
    schema, name, ids = row["schema_name"] or "", row["table_name"] or "", detail.get(TABLE_IDS, "")
    if not row["table_name_short"]:
        return LandedTable(ids, schema, name)
    return LandedTable(ids or (name if _IDS.fullmatch(name) else ""), "", "")
