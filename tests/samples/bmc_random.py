"""Random records and logs of Log Master, from the encoder: every code, type and extreme occurs."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from writers.bmc import fields, framing, lldf, logs, rows
from writers.bmc.control import Table
from writers.bmc.fields import Field
from writers.bmc.rows import Column

from lmparse.spec import catalog

POOL = 400
"""Different row images of each table version; records combine them with different headers."""
LETTERS = "ABCXYZ 0129-.$#@abz"
BOUND = "0000000000000000C000"
"""Where the second version of the first table begins."""
ADDED = (Column("ADDED", "INT", 2, nulls="Y"), Column("LARGE", "DEC", 31, 10, nulls="Y"))
LAYOUT = catalog.load("bmc_lldf").layout
CODES = {entry.id: entry for entry in LAYOUT if entry.codes}
TYPES = {"I": ("after",), "IL": ("after",), "D": ("before",), "UB": ("before", "after")}
"""Types of changes with the row images they have."""
OTHERS = ("DM", "DT", "CO", "SC", "E", "CM", "DR", "ZZ")
"""Types without row images, and one that is not listed."""


def tables() -> list[Table]:
    """A table with every type in two versions, a Unicode table, and one with a long name."""
    first, items, stock = logs.TABLES
    wider = {"SMALL": ("INT", 8), "AMOUNT": ("DEC", 15), "NOTE": ("VCHR", 80), "CODE": ("CHAR", 9)}
    columns = tuple(
        replace(column, type=wider[column.name][0], length=wider[column.name][1]) if column.name in wider else column
        for column in first.columns
    )
    return [
        replace(first, create_rba="00" * 10, drop_rba=BOUND),
        replace(first, sequence=2, columns=(*columns, *ADDED), create_rba=BOUND,
                drop_rba="00" * 10),
        items,
        stock,
    ]  # fmt: skip


def digits(chance: random.Random, count: int, scale: int) -> Decimal:
    most = 10**count - 1
    unscaled = chance.choice((0, 1, -1, most, -most, chance.randint(-most, most)))
    return Decimal(f"{unscaled}E-{scale}")


def moment(chance: random.Random, places: int) -> str:
    day = chance.choice(("0001-01-01", "9999-12-31", "2024-02-29", f"2026-{chance.randint(1, 12):02}-15", "1969-12-31"))
    time = chance.choice(("00:00:00", "23:59:59", f"{chance.randint(0, 23):02}:30:{chance.randint(0, 59):02}"))
    fraction = chance.choice(("0" * 12, "9" * 12, f"{chance.randrange(10**12):012}"))[:places]
    if chance.random() < 0.05:
        time, fraction = "24:00:00", "0" * places
    return f"{day}T{time}" + (f".{fraction}" if places else "")


def value(chance: random.Random, column: Column) -> Any:
    """A value of a column: null, shortest, longest, extreme or ordinary."""
    if column.nullable and chance.random() < 0.2:
        return None
    kind, size = column.type, column.size
    if kind in rows.LOB_TYPES:
        return b""
    if kind == "INT":
        top = 1 << 8 * size - 1
        return chance.choice((0, 1, -1, top - 1, -top, chance.randrange(-top, top)))
    if kind == "DEC":
        return digits(chance, size, column.scale)
    if kind == "FLOT":
        return chance.choice((0.0, -0.0, 1.0, -118.625, 0.15625, float(chance.randrange(-(1 << 20), 1 << 20)) / 64))
    if kind == "DATE":
        return moment(chance, 0)[:10]
    if kind == "TIME":
        return moment(chance, 0)[11:]
    if kind == "DTTM":
        return moment(chance, max(size - 20, 0))
    if kind == "DTTZ":
        return moment(chance, size - 26) + chance.choice(("+00:00", "-12:59", "+14:00", "+05:30"))
    longest = size * 2 if kind in rows.GRAPHIC_TYPES else size
    length = chance.choice((0, 1, longest, chance.randint(0, longest)))
    if column.subtype == "B" or kind in ("ROWI", "DECF"):
        return chance.randbytes(length if column.variable else longest)
    if kind in rows.GRAPHIC_TYPES:
        return b"\x42\xc1" * (length // 2 if column.variable else size)
    return "".join(chance.choice(LETTERS) for _ in range(length))


def unicode_value(chance: random.Random, column: Column) -> Any:
    """As `value`, with characters of more than one byte where there is room."""
    found = value(chance, column)
    if found is None or column.type not in (*rows.GRAPHIC_TYPES, "CHAR", "VCHR"):
        return found
    room = column.size if column.type in rows.GRAPHIC_TYPES else column.size // 3
    return "".join(chance.choice("aé€ ") for _ in range(chance.randint(0, room)))


@dataclass
class Pool:
    """Images of one table version."""

    table: Table
    images: list[bytes]


def pools(chance: random.Random, count: int = POOL) -> list[Pool]:
    """Every table version with `count` images."""
    made = []
    writer = logs.Writer(tables())
    for table in writer.tables:
        one = unicode_value if table.encoding_scheme == "U" else value
        row = lambda table=table, one=one: {column.name: one(chance, column) for column in table.columns}  # noqa: E731
        made.append(Pool(table, [writer.row_image(table, row()) for _ in range(count)]))
    return made


def some_header(chance: random.Random, pool: Pool, change_type: str) -> dict[str, Any]:
    """Header fields at random; those that say what a record is of are its table's."""
    fields: dict[str, Any] = dict(pool.table.header_fields)
    for entry in LAYOUT:
        if entry.codes and entry.id != "change_type":
            fields[entry.id] = chance.choice([*(code.text for code in entry.codes), " "])
        elif entry.kind == "timestamp17":
            fields[entry.id] = chance.choice((None, moment(chance, 6)))
    position = {"": "", "00" * 10: BOUND}.get(pool.table.create_rba or "", "")
    rba = chance.randrange(1 << 15) + (int(BOUND, 16) if pool.table.sequence == 2 or position == "" else 0)
    top = 0xFFFF
    return fields | {
        "change_type": change_type, "log_rba": f"{rba:020X}", "log_lrsn": f"{rba:020X}",
        "member_id": chance.choice((0, 1, top)), "uor_id": f"{chance.randrange(1 << 40):020X}",
        "uor_commit_lrsn": chance.choice((None, "00DE1234567899000000")) or "00" * 10,
        "uor_commit_point": chance.choice(("00" * 10, "00000000000000012345")),
        "log_bytes": chance.choice((0, 0xFFFFFFFF, 77)), "partnum": chance.choice((0, top, 1)),
        "plan": chance.choice(("", "PLANA", "12345678")), "auth_id": chance.choice(("", "ä[]", "USER")),
        "correlation_id": chance.choice(("", "PAYROLL01", "X" * 12)),
    }  # fmt: skip


def log_records(chance: random.Random, count: int, sources: list[Pool], segmented: float = 0.01) -> list[bytes]:
    """Whole records, a share of them in segments that are apart, and some without row images."""
    headers: dict[tuple[int, str], list[bytes]] = {}
    made: list[bytes] = []
    held: list[bytes] = []
    keys = [(number, kind) for number in range(len(sources)) for kind in (*TYPES, *OTHERS)]
    while len(made) + len(held) < count:
        number, change_type = chance.choice(keys) if chance.random() < 0.02 else (
            chance.randrange(len(sources)), chance.choice(list(TYPES)))  # fmt: skip
        pool, known = sources[number], headers.setdefault((number, change_type), [])
        if len(known) < 40:
            known.append(lldf.header(**some_header(chance, pool, change_type)))
        header = chance.choice(known)
        if change_type in TYPES:
            images = [chance.choice(pool.images) for _ in TYPES[change_type]]
        else:
            images = ["OWNER", "CLONE"] if change_type == "E" else [b"\x01\x02"]
        data = lldf.data_area(change_type, images)
        if change_type in TYPES and chance.random() < segmented:
            values = some_header(chance, pool, change_type) | {"log_rba": f"{len(made) | int(BOUND, 16):020X}"}
            if pool.table.sequence == 1 and pool.table.drop_rba == BOUND:
                values["log_rba"] = f"{len(made) % 0xC000:020X}"
            pieces = lldf.segmented(values | {"log_lrsn": values["log_rba"]}, data, len(data) // 2 + 1)
            made.append(pieces[0])
            held += pieces[1:]
        else:
            made.append(header + data)
        if held and chance.random() < 0.5:
            made.append(held.pop(0))
    return made + held


def write(folder: Path, count: int, segmented: float = 0.01) -> dict[str, Any]:
    chance = random.Random(26)
    sources = pools(chance)
    records = log_records(chance, count, sources, segmented)
    with (folder / "x.dat").open("wb") as file:
        for start in range(0, len(records), 500):
            file.write(framing.rdw(records[start : start + 500]))
    control = logs.Writer([pool.table for pool in sources]).example(describe_header=False, indexes=False)
    (folder / "x.ctl").write_bytes(framing.rdw(control.control_records))
    return {"path": folder / "x.dat", "control": str(folder / "x.ctl")}


# what occurs


def some_value(chance: random.Random, field: Field) -> Any:
    """A value that the field may have: the ends of its range, a null, or anything between."""
    if field.kind == "uint":
        top = (1 << 8 * field.length) - 1
        return chance.choice((0, 1, top, top // 2 + 1, chance.randrange(top + 1)))
    if field.kind == "char":
        text = "".join(chance.choice("ABC 19$ ä[") for _ in range(chance.randrange(field.length + 1)))
        return chance.choice((text, "", "X" * field.length, bytes([chance.randrange(256)]) * field.length))
    if field.kind == "ts":
        return chance.choice((
            None, "0001-01-01-00.00.00.000000", "9999-12-31-24.00.00.000000", "2024-02-29-23.59.59.999999",
            f"20{chance.randrange(100):02d}-0{chance.randrange(1, 10)}-1{chance.randrange(10)}-0{chance.randrange(10)}."
            f"{chance.randrange(60):02d}.{chance.randrange(60):02d}.{chance.randrange(10**6):06d}",
            bytes.fromhex("20260314101112" + "12345678901234567890"),
        ))  # fmt: skip
    return chance.choice((bytes(field.length), b"\xff" * field.length, chance.randbytes(field.length)))


def some_record(chance: random.Random, **given: Any) -> bytes:
    values = {field.name: some_value(chance, field) for field in lldf.HEADER if fields.key(field.name) != "length"}
    size, extra = chance.choice(((288, 0), (288, 0), (288, 0), (287, 0), (277, 0), (288, 5)))
    return lldf.header(size, chance.randbytes(extra), **(values | given)) + chance.randbytes(chance.randrange(60))
