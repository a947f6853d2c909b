"""Headers that XHDF describes otherwise than the table: by the column they are what they are one by one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from amounts import amount
from engines import by_column, by_row, changes, changes_difference, difference, one_table
from samples.bmc_random import Pool, log_records, pools, some_record
from writers.bmc import control, lldf, logs
from writers.bmc import framing as enc
from writers.bmc.lldf import HeaderField

from lmparse.bmc.log.log import LogicalLog
from lmparse.columnar import schemas
from lmparse.errors import ControlError
from lmparse.logs.arrow import plan_of
from lmparse.logs.open import open_file
from lmparse.options import Options

PLACES = {line.name: line for line in lldf.described()}
KINDS = {field.name: field.kind for field in lldf.HEADER}
MANY = amount(50, 250)


# shapes of headers


def described(
    widths: dict[str, int] | None = None,
    *,
    drop: Sequence[str] = (),
    first: Sequence[str] = (),
    gap: int = 0,
    more: Sequence[tuple[str, str, int, str]] = (),
) -> tuple[HeaderField, ...]:
    """A header with fields of other widths, in another order, with fillers, without some and with unknown ones.

    `more` are name, type, length and subtype of fields that the table does not have.
    """
    lines = [line for line in lldf.described() if line.name not in drop]
    lines.sort(key=lambda line: 0 if line.name == "LENGTH" else 2 - (line.name in first))
    made, position = [], 0 if "LENGTH" not in drop else PLACES["LENGTH"].length
    for line in lines:
        length = (widths or {}).get(line.name, line.length)
        made.append(replace(line, position=position, length=length))
        position += length
        if gap:
            made.append(HeaderField(f"FILLER{position}", "BIN", gap, position, ""))
            position += gap
    for name_, type_, length, subtype in more:
        made.append(HeaderField(name_, type_, length, position, subtype))
        position += length
    return tuple(made)


SHAPES = {
    "older": tuple(lldf.narrow()),
    "older, timestamps as text": tuple(lldf.narrow(timestamps="DTTM26")),
    "277 bytes": tuple(lldf.described(277)),
    "287 bytes": tuple(lldf.described(287)),
    "another order": described(first=("PLAN", "AUTHID", "LOGRBA", "TOTALSEGS", "PAGENUMFMT", "RID")),
    "with fillers": described(gap=3),
    "without LENGTH": described(drop=("LENGTH",)),
    "without fields that may be missing": described(
        drop=("LOGLRSN", "TIMESTAMP", "UORCOMMITTIMESTAMP", "UORCOMMITLRSN", "RID", "PLAN", "AUTHID", "TBOWNERLEN",
              "TBNAMELEN", "SQLTYPE", "LOGBYTES", "PAGENUMFMT")
    ),
    "without segments": described(drop=("TOTALSEGS", "SEGNUM", "UORDISP")),
    "narrower and wider": described(
        {"DBID": 4, "PARTNUM": 1, "LOGBYTES": 2, "MEMBERID": 1, "TABLENAME": 30, "AUTHID": 12, "PLAN": 3, "RID": 7,
         "LOGRBA": 12, "UORID": 8, "UORIDLRSN": 6, "SQLTYPE": 2, "TIMESTAMP": 26, "CHANGE TYPE": 3, "TOTALSEGS": 4}
    ),
    "longer": described(
        more=(("NEWTEXT", "CHAR", 6, ""), ("ORDERVALUE", "BIN", 4, "U"), ("SHORTINT", "INT", 2, ""),
              ("NEWBYTES", "BIN", 3, ""), ("LONGEST", "INT", 12, ""))
    ),
}  # fmt: skip


def arranged(lines: Sequence[HeaderField], record: bytes) -> bytes:
    """A record with today's header of 288 bytes under another one."""
    width = max(line.position + line.length for line in lines)
    made = bytearray(random.Random(record[:100]).randbytes(width))
    made[:2] = width.to_bytes(2, "big")
    for line in lines:
        if line.name in PLACES and line.name != "LENGTH":
            place = PLACES[line.name]
            value = record[place.position : place.position + place.length]
            made[line.position : line.position + line.length] = other_width(KINDS[line.name], value, line.length)
    return bytes(made) + record[lldf.HEADER_LENGTH :]


def other_width(kind: str, value: bytes, width: int) -> bytes:
    """A value of the table as headers of other releases have it."""
    if len(value) == width:
        return value
    if kind == "char":
        return value[:width].ljust(width, b"\x40")
    if kind == "lrsn" and width == 6:
        return value[1:7]
    if kind == "ts" and width == 26:
        digits = value.hex()[:20]
        parts = [digits[0:4], "-", digits[4:6], "-", digits[6:8], "-", digits[8:10], "."]
        parts += [digits[10:12], ".", digits[12:14], ".", digits[14:20]]
        return "".join(parts).encode("cp037") if any(value) else b"\x40" * 26
    return value[:width] if kind == "ts" else value[-width:].rjust(width, b"\x00")


def put(folder: Path, lines: Sequence[HeaderField], records: Sequence[bytes], **options: Any) -> dict[str, Any]:
    """Write a log; gives the options that both engines read it with."""
    tables = options.pop("tables", logs.TABLES)
    data, ctl = folder / "a.dat", folder / "a.ctl"
    data.write_bytes(enc.framed("rdw", list(records)).data)
    ctl.write_bytes(enc.rdw(control.for_tables(tables, header=list(lines), indexes=False)))
    return {"path": data, "control": str(ctl), "framing": "rdw", **options}


def compared_records(names: tuple[str, ...] = (), *, path: Path, **options: Any) -> pa.Table:
    """The table that both engines give, once they agree."""
    rows, found = by_row(path, names, **options), by_column(path, names, **options)
    assert not difference(rows, found, ends_early=options.get("mode") == "failfast")
    return found.table


def compared_changes(*, path: Path, **options: Any) -> Any:
    rows, found = changes(path, "kaitai", **options), changes(path, "columnar", **options)
    assert not changes_difference(rows, found, ends_early=options.get("mode") == "failfast")
    return found


# records


@pytest.mark.parametrize("shape", SHAPES)
def test_records(shape: str, tmp_path: Path) -> None:
    chance = random.Random(shape)
    tables = [some_record(chance)[: lldf.HEADER_LENGTH].ljust(lldf.HEADER_LENGTH) for _ in range(MANY)]
    records = [arranged(SHAPES[shape], record + chance.randbytes(chance.randrange(60))) for record in tables]
    log = put(tmp_path, SHAPES[shape], records)
    table = compared_records(**log)
    assert table.num_rows == MANY
    size = max(line.position + line.length for line in SHAPES[shape])
    assert table["data"].to_pylist() == [record[size:] for record in records]
    for names in (("plan",), ("rid_page", "length"), ("data",), ("log_lrsn", "timestamp", "header_rest", "reserved")):
        assert compared_records(names, **log).num_rows == MANY


# damage


def damaged(chance: random.Random, lines: Sequence[HeaderField], records: Sequence[bytes]) -> list[bytes]:
    """Records of which about a third are cut short, lie about their header, or have bytes that are changed."""
    made = []
    size = max(line.position + line.length for line in lines)
    times = [line for line in lines if "TIMESTAMP" in line.name]
    for record in map(bytearray, records):
        what = chance.randrange(12)
        if what == 0:
            del record[chance.randrange(size + 4) :]
        elif what == 1:
            lie = chance.choice((0, size - 1, size + 1, len(record), 288, 277, 65535))
            record[:2] = lie.to_bytes(2, "big")
        elif what == 2 and times:
            line = chance.choice(times)
            record[line.position + chance.randrange(line.length)] ^= chance.choice((0xFF, 0x0F, 0x30))
        elif what == 3:
            record[chance.randrange(2, len(record))] = chance.randrange(256)
        made.append(bytes(record))
    return made


@pytest.mark.parametrize("shape", SHAPES)
def test_damaged_changes(shape: str, tmp_path: Path) -> None:
    chance = random.Random(shape)
    sources = some_tables(chance)
    lines = SHAPES[shape]
    records = damaged(chance, lines, [arranged(lines, record) for record in log_records(chance, MANY, sources)])
    log = put(tmp_path, lines, records, tables=[pool.table for pool in sources])
    found = compared_changes(**log, include="all")
    assert found.errors
    for mode in ("dropmalformed", "failfast"):
        compared_changes(**log, include="all", mode=mode)


@pytest.mark.parametrize("field", ["LOGRBA", "UORID", "DBID", "SYSTEMID", "MEMBERID", "CHANGE TYPE", "LENGTH"])
@pytest.mark.parametrize("order", ["file", "commit"])
def test_a_value_too_wide_for_the_table_is_a_bad_one(field: str, order: str, tmp_path: Path) -> None:
    """Without its place or its table a change is no row, but a bad record."""
    lines = described({field: PLACES[field].length + 2})
    writer = logs.Writer([logs.TABLES[2]])
    for number in range(3):
        writer.add(logs.Unit(1), logs.TABLES[2], "I", after={"NO": number, "KIND": "A", "SUM": "1.00"})
    records = [bytearray(arranged(lines, record)) for record in writer.records]
    place = next(line for line in lines if line.name == field)
    records[1][max(place.position, 2)] = 0x77
    records[1][place.position + place.length - 1] = 0x77
    log = put(tmp_path, lines, list(map(bytes, records)), order=order)
    found = compared_changes(**log)
    assert "LMP-V004" in {error["code"] for error in found.errors}
    assert found.dropped == (field in ("LOGRBA", "UORID", "DBID", "SYSTEMID"))
    compared_records(**log)
    rows, by_columns = (one_table(**log, engine=engine, table="0106.0002.0003") for engine in ("kaitai", "columnar"))
    assert not difference(rows, by_columns)


# changes


def some_tables(chance: random.Random) -> list[Pool]:
    """Tables of one version each, so that every position is one of theirs."""
    _, orders, items, stock = pools(chance, MANY)
    only = replace(orders.table, sequence=1, create_rba=None, drop_rba=None)
    return [replace(orders, table=only), items, stock]


@pytest.mark.parametrize("shape", SHAPES)
def test_changes(shape: str, tmp_path: Path) -> None:
    chance = random.Random(shape)
    sources = some_tables(chance)
    records = [arranged(SHAPES[shape], record) for record in log_records(chance, MANY, sources)]
    log = put(tmp_path, SHAPES[shape], records, tables=[pool.table for pool in sources])
    found = compared_changes(**log, include="all")
    assert sum(table.num_rows for table in found.tables.values()) > 0.9 * MANY
    default = compared_changes(**log)
    if not {"UORDISP", "LOGRECDISP", "SQLTYPE"} <= {line.name for line in SHAPES[shape]}:
        # Then nothing says what was committed.
        assert [error["code"] for error in default.errors] == ["LMP-C006"]
        log["include"] = "all"
    compared_changes(**log, operations="U,D", columns="ID,LAST", starting_timestamp="2000-01-01T00:00:00")
    rows, by_columns = (one_table(**log, engine=engine, table="PROD.ITEMS") for engine in ("kaitai", "columnar"))
    assert not difference(rows, by_columns)
    seqs = sorted(seq for table in found.tables.values() for seq in table["seq"].drop_null().to_pylist())
    log["include"] = "all"
    first, last = seqs[MANY // 5], seqs[-MANY // 5]
    inside = compared_changes(**log, starting_seq=first, ending_seq=last)
    assert inside.left_out["outside the range"] >= sum(not first <= seq <= last for seq in seqs) > MANY // 5


# what is refused


@pytest.mark.parametrize("taken", ["reserved", "header_rest", "rid_page", "_metadata", "header_rest#288", ""])
def test_an_unknown_field_with_the_name_of_a_column_gets_one_of_its_own(taken: str, tmp_path: Path) -> None:
    more = (("header_rest", "BIN", 2, ""), (taken, "BIN", 4, ""), (taken, "CHAR", 4, ""))
    lines = described(more=more)
    log = put(tmp_path, lines, [arranged(lines, lldf.change("DT")) for _ in range(5)])
    file = open_file(log["path"], Options.parse({key: log[key] for key in ("control", "framing")}))
    assert isinstance(file, LogicalLog)
    assert not plan_of(file).reason
    names = [field.id for field in file.header.extra]
    assert len({*names, *schemas.records_schema("bmc_lldf").names}) == 3 + len(schemas.records_schema("bmc_lldf").names)
    record = file.read_bytes(arranged(lines, lldf.change("DT")))
    assert len({*names} & record.values.keys()) == 3
    assert compared_records(**log).num_rows == 5


@pytest.mark.parametrize(
    ("position", "length", "said"),
    [(-1, 8, "at least 0, found -1"), (0, 0, "at least 1, found 0"), (20, -2, "found -2")],
)
def test_a_place_that_cannot_be_is_an_error(position: int, length: int, said: str, tmp_path: Path) -> None:
    lines = (*lldf.narrow(drop=("PLAN",)), HeaderField("PLAN", "CHAR", length, position))
    log = put(tmp_path, lines, [lldf.change("DT")])
    with pytest.raises(ControlError, match=said):
        open_file(log["path"], Options.parse({"control": log["control"]}))
