"""Sample: a small synthetic Db2 LUW log with the tables file that describes it, made from a seed.

All data are invented. The log is as a filtered read of version 11.5 on x86-64 returns it: two tables, interleaved
transactions, some rolled back, some with a savepoint rolled back, one still open at the end.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from lmparse.db2.rows.row_reader import GRAPHIC_PAGE
from lmparse.db2.tables.table import Column, Table, placed, slot_width
from lmparse.samples.keys import KeyValue
from lmparse.samples.rows import Row
from lmparse.spec import catalog
from lmparse.storage.outputs import write_files
from lmparse.values import codepages
from lmparse.values.decimals import encode_packed
from lmparse.values.encoding import encode_part
from lmparse.values.floats import DECFLOAT_ZERO, decode_decfloat, encode_ieee
from lmparse.values.integers import ByteOrder
from lmparse.values.sql_types import parse_type

_ORDER: ByteOrder = "little"
_START = datetime(2026, 3, 14, 10, 11, 12, tzinfo=UTC)
_PEOPLE = ("ALICE", "BOB", "CAROL")
_NAMES = ("Anna März", "Bengt Öberg", "Chloé Dupont", "Dario Neri", "Eva Novák")
_CLOB = 70_000

_EMPLOYEE = (
    ("EMPNO", "CHAR(6)", False), ("NAME", "VARCHAR(40)", False), ("SALARY", "DECIMAL(9,2)", True),
    ("HIRED", "DATE", True), ("CHANGED", "TIMESTAMP(6)", False), ("RESUME", "CLOB(1M)", True),
)  # fmt: skip
_ORDERS = (("ID", "BIGINT", False), ("AMOUNT", "DECFLOAT(16)", True), ("PAID", "BOOLEAN", True))
_YAML_WORDS = ("YES", "NO", "ON", "OFF", "TRUE", "FALSE", "NULL")
_SPECS = ("log", "prefix", "dms", "lob", "transaction", "row", "xml")


def tables() -> list[Table]:
    """The two tables of the sample."""
    employee, orders = (
        placed([(name, parse_type(words), null) for name, words, null in columns]) for columns in (_EMPLOYEE, _ORDERS)
    )
    return [
        Table(2, 5, employee, "HR", "EMPLOYEE", key=("EMPNO",)),
        Table(3, 7, orders, "SALES", "ORDERS", key=("ID",)),
    ]


@dataclass
class SampleLog:
    """A log as bytes, and its tables file as text."""

    log: bytes
    tables: str

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write both into `folder`; returns the paths of the tables file and the log."""
        write_files(folder, {"sample.yaml": self.tables.encode(), "sample.log": self.log})
        return folder / "sample.yaml", folder / "sample.log"


def make(units: int = 40, seed: int = 1) -> SampleLog:
    """A sample with about two transactions for each of `units`. The same seed gives the same bytes."""
    writer = SampleWriter(random.Random(seed))
    for number in range(units):
        writer.unit(number)
    writer.open_unit()
    return SampleLog(bytes(writer.log), tables_file(tables()))


def tables_file(described: list[Table]) -> str:
    """The text of a tables file that describes some tables."""
    lines = ["tables:"]
    for table in described:
        lines += [f"  - tablespace_id: {table.tablespace_id}", f"    table_id: {table.table_id}"]
        lines += [f"    schema: {_yaml(table.schema)}", f"    name: {_yaml(table.name)}"]
        lines += [f"    key: [{', '.join(map(_yaml, table.key))}]"] if table.key else []
        lines.append("    columns:")
        for column in table.columns:
            nullable = str(column.is_nullable).lower()
            lines.append(
                f'      - {{name: {_yaml(column.name)}, type: "{column.sql_type.words}", nullable: {nullable}}}'
            )
    return "\n".join(lines) + "\n"


def _yaml(name: str) -> str:
    """A name in YAML, in quotes where it could be anything else."""
    return name if re.fullmatch(r"[A-Z]\w+", name) and name not in _YAML_WORDS else json.dumps(name, ensure_ascii=False)


@dataclass(frozen=True)
class DoneChange:
    """A record that can be undone."""

    lso: int
    rid: int
    known: dict[str, Any]
    """The fields that what undoes it has too."""
    image: bytes
    """The row that it wrote; of an update and a delete the one before."""


@dataclass
class RecordChain:
    """The records of one transaction so far."""

    tid: bytes
    previous: int = 0
    done: list[DoneChange] = field(default_factory=list)


class SampleWriter:
    """Writes log records one after another."""

    page = codepages.lookup("utf-8")
    """Of text in rows."""

    def __init__(self, random_: random.Random) -> None:
        self.log = bytearray()
        self._random = random_
        self._specs = {name: catalog.load(f"db2_{name}") for name in _SPECS}
        self._types = self._specs["log"].enum("log_record_type")
        self._components = catalog.load("db2_server").enum("component")
        self._lsn, self._lso, self._tid, self._rid, self._address = 0x41AE0, 0x2_2334_4000, 0x1A2B3C, count(4), 0
        self._employee, self._orders = tables()
        self._rows: list[tuple[int, Row]] = []

    def unit(self, number: int) -> None:
        """Write one transaction of one of several kinds, interleaved with a small one."""
        chain, other = self._begin(), self._begin()
        self._insert(chain, self._employee, self._new_employee(number))
        self._insert(other, self._orders, self._new_order(number))
        is_rolled_back = number % 7 == 6
        # Rows without a LOB value: images before a change do not have it, and would not be as the row was.
        plain = [place for place, (_, row) in enumerate(self._rows) if row["RESUME"] is None]
        if number % 5 == 1 and plain and not is_rolled_back:
            rid, row = self._rows[plain[-1]]
            new = {**row, "SALARY": (row["SALARY"] or Decimal(0)) + Decimal("100.50")}
            self._update(chain, self._employee, rid, row, new)
            self._rows[plain[-1]] = rid, new
        if number % 5 == 2 and len(plain) > 1 and not is_rolled_back:
            self._row(chain, "delete_record_v97", self._employee, *self._rows.pop(plain[0]))
        if number % 5 == 3:
            mark = len(chain.done)
            self._insert(chain, self._orders, self._new_order(1000 + number))
            self._undo(chain, mark)
        if is_rolled_back:
            self._undo(chain, 0)
        self._end(chain, "normal_abort" if is_rolled_back else "commit", number)
        self._end(other, "commit", number)

    def open_unit(self) -> None:
        """Write a transaction whose end is not in the log."""
        self._insert(self._begin(), self._orders, self._new_order(9999))

    # -- rows ---------------------------------------------------------------------------

    def _new_employee(self, number: int) -> Row:
        hired = date(1990, 1, 1) + timedelta(days=self._random.randrange(13_000))
        salary = Decimal(self._random.randrange(100_000, 9_999_999)).scaleb(-2)
        resume = "".join(self._random.choices("abcdefghij ", k=_CLOB)) if number % 8 == 4 else None
        return {
            "EMPNO": f"{number:06d}", "NAME": self._random.choice(_NAMES),
            "SALARY": None if number % 6 == 5 else salary,
            "HIRED": hired, "CHANGED": _START + timedelta(minutes=number, microseconds=number), "RESUME": resume,
        }  # fmt: skip

    def _new_order(self, number: int) -> Row:
        return {"ID": number << 33, "AMOUNT": None if number % 4 else number % 10, "PAID": bool(number % 2)}

    def _image(self, table: Table, row: Row) -> bytes:
        """Header and data of a row in a data page."""
        fixed, varying, start = b"", b"", table.fixed_length
        for column in table.columns:
            value = row[column.name]
            raw = b"" if value is None else self._value(column, value)
            if column.sql_type.is_varying:
                numbers = (start + len(varying), len(raw))
                fixed += b"".join(number.to_bytes(slot_width() // len(numbers), _ORDER) for number in numbers)
                varying += raw
            else:
                fixed += raw.ljust(column.width, b"\0")
            if column.is_nullable:
                fixed += bytes([self._specs["row"].enum("null_byte")["absent" if value is None else "present"]])
        known = {"fixed_length": len(fixed), "fixed_section": fixed, "variable_section": varying}
        data = self._encoded("row", "formatted", known)
        header = catalog.load("db2_row_header").layout
        length = sum(entry.width or 0 for entry in header) + len(data)
        values = {"record_length": length, "inner_record_type": 1}
        return b"".join(values.get(entry.id, 0).to_bytes(entry.width or 0, _ORDER) for entry in header) + data

    def _value(self, column: Column, value: Any) -> bytes:
        """The bytes of a value in a row; those of a key are given."""
        form, length = column.form, column.length
        if isinstance(value, KeyValue):
            return value
        if column.sql_type.is_varying and (column.sql_type.is_lob or form == "absent" or column.type == "XML"):
            headers = self._specs["row"].enum("lob_header")
            empty = bytes([headers["zero_length"]]) if column.sql_type.is_lob and not value else b"\x14"
            return empty + bytes(23)  # points to the LOB object, where its records put the value
        if form in _ENCODED:
            return _ENCODED[form](column, value)
        if form in ("date", "time", "timestamp"):
            digits = re.sub(r"\D", "", str(value if form != "timestamp" else _iso(value)))
            return bytes.fromhex(digits + "0" * (2 * length - len(digits)))
        if form == "bytes":
            return bytes(value)
        page = codepages.lookup(GRAPHIC_PAGE) if column.sql_type.is_graphic else self.page
        encoded, blank = page.encode(str(value)), page.encode(" ")
        return encoded if column.sql_type.is_varying else encoded + blank * ((length - len(encoded)) // len(blank))

    # -- records --------------------------------------------------------------------------

    def _begin(self) -> RecordChain:
        self._tid += 1
        return RecordChain(self._tid.to_bytes(6, _ORDER))

    def _insert(self, chain: RecordChain, table: Table, row: Row) -> None:
        self._outside(chain, table, row)
        rid = next(self._rid)
        self._row(chain, "insert_record_v97", table, rid, row)
        if table is self._employee:
            self._rows.append((rid, row))

    def _outside(self, chain: RecordChain, table: Table, row: Row) -> None:
        """Write the values that are stored outside of a row."""
        for column in table.lob_columns:
            if row[column.name]:
                page = codepages.lookup(GRAPHIC_PAGE) if column.sql_type.is_graphic else self.page
                value = row[column.name]
                self._lob(chain, table, column, value if isinstance(value, bytes) else page.encode(value))

    def _lob(self, chain: RecordChain, table: Table, column: Column, value: bytes) -> None:
        for start in range(0, len(value), 1 << 15):
            piece = value[start : start + (1 << 15)]
            known = {
                "component": self._components["lob"],
                "operation_id": self._specs["lob"].enum("operation")["add_lob_data"],
                "pool_id": table.tablespace_id, "object_id": table.table_id, "parent_pool_id": table.tablespace_id,
                "parent_object_id": table.table_id, "data_length": len(piece), "byte_address": self._address,
                "original_operation": 1, "column_id": column.number - 1, "data": piece,
            }  # fmt: skip
            self._write(chain, "normal", self._encoded("lob", "lob_data", known))
            self._address += len(piece)

    def _place(self, table: Table, word: str, rid: int) -> dict[str, Any]:
        raw = b"".join(value.to_bytes(2, _ORDER) for value in (rid % 64, rid // 64, 0))
        function = self._specs["dms"].enum("function_id")[word]
        return {
            "component": self._components["dms"], "function_id": function, "tablespace_id": table.tablespace_id,
            "table_id": table.table_id, "rid": raw,
        }  # fmt: skip

    def _row(self, chain: RecordChain, word: str, table: Table, rid: int, row: Row) -> None:
        image = self._image(table, row)
        known = self._place(table, word, rid)
        body = {**known, "record_length": len(image), "record": image}
        lso = self._write(chain, "normal", self._encoded("dms", "row_v97", body))
        chain.done.append(DoneChange(lso, rid, known, image))

    def _update(self, chain: RecordChain, table: Table, rid: int, old: Row, new: Row) -> None:
        images = self._image(table, old), self._image(table, new)
        known = self._place(table, "update_record_v97", rid)
        raw = known.pop("rid")
        # The length in each part is that of the row in the other.
        halves = [
            {"rid": raw, "record_length": len(other), "record": image}
            for image, other in zip(images, reversed(images), strict=True)
        ]
        body = {**known, "old_row": halves[0], "new_header": known, "new_row": halves[1]}
        lso = self._write(chain, "normal", self._encoded("dms", "update_v97", body))
        chain.done.append(DoneChange(lso, rid, {**known, "rid": raw}, images[0]))

    def _undo(self, chain: RecordChain, mark: int) -> None:
        """Write compensation records for what was done since a mark, the last first."""
        enum = self._specs["dms"].enum("function_id")
        undoes = {enum[f"{word}_record_v97"]: enum[f"undo_{word}_record"] for word in ("insert", "delete", "update")}
        while len(chain.done) > mark:
            done = chain.done.pop()
            self._rows = [entry for entry in self._rows if entry[0] != done.rid]
            function = undoes[done.known["function_id"]]
            body = {**done.known, "function_id": function, "record_length": len(done.image)}
            is_insert = function == enum["undo_insert_record"]
            part = "rollback_insert_v97" if is_insert else "row_v97"
            body |= {} if is_insert else {"record": done.image}
            self._write(chain, "compensation", self._encoded("dms", part, body), compensated=done.lso)

    def _end(self, chain: RecordChain, word: str, minutes: float) -> None:
        name = self._random.choice(_PEOPLE).encode()
        known: dict[str, Any] = {"authid_len": len(name), "authid": name}
        if word == "commit":
            known["time_committed"] = int((_START + timedelta(minutes=minutes)).timestamp())
        part = "commit_v97" if word == "commit" else "abort_v97"
        self._write(chain, word, self._encoded("transaction", part, known))

    def _write(self, chain: RecordChain, type_: str, body: bytes, compensated: int | None = None) -> int:
        """Append one record with the prefix of the API; returns its log sequence offset."""
        known = {"lsn": self._lsn, "lfs": 77, "previous_lso": chain.previous, "transaction_id": chain.tid}
        if compensated is not None:
            known |= dict.fromkeys(("before_compensated_log_stream_id", "before_compensated_lso"), 0)
            known |= {"reserved": bytes(6), "compensated_lso": compensated}
        rest = self._encoded("log", "chain_v10", known)
        head = self._specs["log"].layout
        length = sum(head[name].width or 0 for name in ("length", "type", "general_flag")) + len(rest) + len(body)
        start = {"length": length, "type": self._types[type_], "general_flag": 2}
        fields = b"".join(value.to_bytes(head[name].width or 0, _ORDER) for name, value in start.items())
        before = {
            "record_lri_type1": {"lri_type": 1, "part1": 77, "part2": self._lsn},
            "record_lri_type2": {"lri_type": 2, "part1": 0, "part2": self._lso},
            "real_log_rec_len": length,
        }
        prefix = self._encoded("prefix", "filter", before)
        self.log += prefix + fields + rest + body
        lso, chain.previous = self._lso, self._lso
        self._lsn += 1
        self._lso += length
        return lso

    def _encoded(self, spec: str, part: str, known: Mapping[str, Any]) -> bytes:
        return encode_part(self._specs[spec], part, known, _ORDER)


def _iso(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:%Y%m%d%H%M%S%f}"


def _decfloat(value: Decimal | int, width: int) -> int:
    """A number with fewer digits than it may have, so that its first one is zero; its exponent near zero."""
    sign, digits, exponent = Decimal(value).as_tuple()
    assert isinstance(exponent, int)
    groups = _declets()
    found = int.from_bytes(DECFLOAT_ZERO[width], "big") + (exponent << 10 * (5 if width == 8 else 11))
    coefficient, place = int("".join(map(str, digits))), 0
    while coefficient:
        coefficient, group = divmod(coefficient, 1000)
        found |= groups[group] << place
        place += 10
    return found | sign << 8 * width - 1


@cache
def _declets() -> dict[int, int]:
    """Ten bits by the three digits that they are; of several forms the one with the smallest number."""
    zero = int.from_bytes(DECFLOAT_ZERO[8], "big")
    return {int(decode_decfloat((zero | bits).to_bytes(8, "big"))): bits for bits in reversed(range(1 << 10))}


_ENCODED: dict[str, Callable[[Column, Any], bytes]] = {
    "int": lambda column, value: int(value).to_bytes(column.length, _ORDER, signed=True),
    "boolean": lambda column, value: int(value).to_bytes(column.length, _ORDER),
    "float": lambda column, value: encode_ieee(value, column.length, _ORDER),
    "decimal": lambda column, value: encode_packed(value, column.length, column.scale),
    "decfloat": lambda column, value: _decfloat(value, column.length).to_bytes(column.length, _ORDER),
}
