"""100,000 random changes through both engines: every code, type and extreme occurs, and all values are equal.

`pytest -s tests/test_engines.py` prints the counts; LMPARSE_RECORDS=1000000 takes more records.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from encoder import framing, lldf, logs, rows
from encoder.control import Table
from encoder.rows import Column
from engines import by_column, by_row, changes, changes_difference, difference

from lmparse import arrays, catalog, image_columns, vector_times, vectors

RECORDS = int(os.environ.get("LMPARSE_RECORDS", "100000"))
POOL = 400
"""Different row images of each table version; records combine them with different headers."""
LETTERS = "ABCXYZ 0129-.$#@abz"
BOUND = "0000000000000000C000"
"""Where the second version of the first table begins."""
ADDED = (Column("ADDED", "INT", 2, nulls="Y"), Column("LARGE", "DEC", 31, 10, nulls="Y"))
LAYOUT = catalog.load("bmc_lldf").layout
CODES = {entry.id: entry for entry in LAYOUT if entry.codes}
TYPES = {"I": ("after",), "IL": ("after",), "D": ("before",), "UB": ("before", "after")}


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


def pools(chance: random.Random) -> list[Pool]:
    made = []
    writer = logs.Writer(tables())
    for table in writer.tables:
        one = unicode_value if table.encoding_scheme == "U" else value
        row = lambda table=table, one=one: {column.name: one(chance, column) for column in table.columns}  # noqa: E731
        made.append(Pool(table, [writer.row_image(table, row()) for _ in range(POOL)]))
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


def log_records(chance: random.Random, count: int, sources: list[Pool]) -> list[bytes]:
    """Whole records, some in segments that stand apart, and some without row images."""
    headers: dict[tuple[int, str], list[bytes]] = {}
    for number, pool in enumerate(sources):
        for change_type in (*TYPES, "DM", "DT", "CO", "SC", "E", "CM", "DR", "ZZ"):
            fields = [some_header(chance, pool, change_type) for _ in range(40)]
            headers[number, change_type] = [lldf.header(**entry) for entry in fields]
    made: list[bytes] = []
    held: list[bytes] = []
    keys = list(headers)
    while len(made) + len(held) < count:
        number, change_type = chance.choice(keys) if chance.random() < 0.02 else (
            chance.randrange(len(sources)), chance.choice(list(TYPES)))  # fmt: skip
        pool, header = sources[number], chance.choice(headers[number, change_type])
        if change_type in TYPES:
            images = [chance.choice(pool.images) for _ in TYPES[change_type]]
        else:
            images = ["OWNER", "CLONE"] if change_type == "E" else [b"\x01\x02"]
        data = lldf.data_area(change_type, images)
        if change_type in TYPES and chance.random() < 0.01:
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


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return write(tmp_path_factory.mktemp("random"), RECORDS)


def write(folder: Path, count: int) -> dict[str, Any]:
    chance = random.Random(26)
    sources = pools(chance)
    records = log_records(chance, count, sources)
    with (folder / "x.dat").open("wb") as file:
        for start in range(0, len(records), 500):
            file.write(framing.rdw(records[start : start + 500]))
    control = logs.Writer([pool.table for pool in sources]).example(describe_header=False, indexes=False)
    (folder / "x.ctl").write_bytes(framing.rdw(control.control_records))
    return {"path": folder / "x.dat", "control": str(folder / "x.ctl")}


# what occurs


def counted(found: Any, records: pa.Table) -> Counter[str]:
    """How often everything that must occur does."""
    counts: Counter[str] = Counter()
    for entry in CODES.values():
        seen = Counter(records.column(entry.id).to_pylist())
        for code in entry.codes:
            counts[f"{entry.id} {code.id}"] = seen[(code.text or "").rstrip(" ")]
    counts["segments"] = pc.sum(pc.greater(records.column("total_segs"), 1)).as_py()
    for version, table in found.tables.items():
        if version:
            for role in ("before", "after"):
                images = table.column(role).combine_chunks()
                counts[f"{version} {role}"] = len(images) - images.null_count
                for column in images.type:
                    name = f"{version} {role}.{column.name}"
                    for what, number in extremes(images.filter(images.is_valid()).field(column.name)):
                        counts[f"{name} {what}"] += number
    return counts


def extremes(values: pa.Array) -> Iterator[tuple[str, int]]:
    """Null and not, shortest and longest, negative and not, of one column."""
    if values.null_count:
        yield "null", values.null_count
    held = values.drop_null()
    yield "not null", len(held)
    if pa.types.is_string(values.type) or pa.types.is_binary(values.type):
        lengths = pc.binary_length(held)
        bounds = pc.min_max(lengths).as_py()
        yield "shortest", pc.sum(pc.equal(lengths, bounds["min"])).as_py() or 0
        yield "longest", pc.sum(pc.equal(lengths, bounds["max"])).as_py() or 0
    elif pa.types.is_integer(values.type) or pa.types.is_decimal(values.type) or pa.types.is_floating(values.type):
        yield "negative", pc.sum(pc.less(held, pa.scalar(0, values.type))).as_py()
        yield "positive", pc.sum(pc.greater(held, pa.scalar(0, values.type))).as_py()


LOBS = ("PHOTO", "TEXT", "WIDE_TEXT")
"""Values that are kept elsewhere: null in every row, and said to be so in `detail`."""


def test_both_engines_give_the_same(log: dict[str, Any]) -> None:
    records = by_column(log["path"], framing="rdw")
    assert not difference(by_row(log["path"], framing="rdw"), records)
    one, other = (changes(**log, engine=engine, include="all") for engine in ("kaitai", "columnar"))
    assert not changes_difference(one, other)
    counts = counted(other, records.table)
    print(f"\n{records.table.num_rows} records", *(f"{counts[name]:8} {name}" for name in sorted(counts)), sep="\n")
    assert records.table.num_rows >= RECORDS
    assert len(other.tables) == 4, "every version, and nothing of none"
    assert not [name for name, count in counts.items() if not count and not any(f".{lob} " in name for lob in LOBS)]
    assert sum(table.num_rows for table in other.tables.values()) > 0.9 * RECORDS


@pytest.mark.parametrize("include", ["committed", "rolled-back", "open"])
def test_what_is_left_out(include: str, tmp_path: Path) -> None:
    log = write(tmp_path, 3000)
    one, other = (changes(**log, engine=engine, include=include) for engine in ("kaitai", "columnar"))
    assert not changes_difference(one, other)
    assert sum(other.left_out.values())
    assert sum(table.num_rows for table in other.tables.values())


# one kernel broken on purpose


def shifted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel whose values are other ones."""

    def broken(*arguments: Any, **named: Any) -> Any:
        found = function(*arguments, **named)
        first = np.array(found[0] if isinstance(found, tuple) else found)
        first = first ^ 1 if first.dtype == np.uint8 else first + first.dtype.type(1)
        return (first, *found[1:]) if isinstance(found, tuple) else first

    return broken


def without_trim(raw: Any, page: Any) -> Any:
    data, offsets, bad = vectors.text(raw, page, trim=False)
    return arrays.strings(data, offsets), bad


MUTATIONS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "signed": (vectors, "signed", shifted(vectors.signed)),
    "unsigned": (vectors, "unsigned", shifted(vectors.unsigned)),
    "packed decimal": (vectors, "packed", shifted(vectors.packed)),
    "long packed decimal": (vectors, "packed_decimal128", shifted(vectors.packed_decimal128)),
    "hexadecimal float": (vectors, "hfp", shifted(vectors.hfp)),
    "text": (vectors, "ragged_text", shifted(vectors.ragged_text)),
    "trailing blanks": (arrays, "text", without_trim),
    "header timestamp": (vector_times, "timestamp17", shifted(vector_times.timestamp17)),
    "date": (vector_times, "date_text", shifted(vector_times.date_text)),
    "time": (vector_times, "time_text", shifted(vector_times.time_text)),
    "timestamp": (vector_times, "timestamp_text", shifted(vector_times.timestamp_text)),
    "timestamp with zone": (vector_times, "timestamp_tz_text", shifted(vector_times.timestamp_tz_text)),
    "nulls": (arrays, "without", lambda array, is_null: array),
    "bytes": (arrays, "together", shifted(arrays.together)),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Any, Any]:
    log = write(tmp_path_factory.mktemp("small"), 1500)
    return log, by_row(log["path"], framing="rdw"), changes(**log, engine="kaitai", include="all")


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_broken_kernel_is_noticed(
    name: str, small: tuple[dict[str, Any], Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    log, records, rows_ = small
    assert not difference(records, by_column(log["path"], framing="rdw"))
    module, attribute, broken = MUTATIONS[name]
    monkeypatch.setattr(module, attribute, broken)
    for user in (image_columns,):
        if hasattr(user, attribute):
            monkeypatch.setattr(user, attribute, broken)
    try:
        differs = difference(records, by_column(log["path"], framing="rdw"))
        differs = differs or changes_difference(rows_, changes(**log, engine="columnar", include="all"))
    except (ValueError, AssertionError, IndexError, pa.ArrowInvalid) as error:
        differs = str(error)
    assert differs
