"""Values of all column types are those that were written, by both engines; an image of two meanings is an error.

Half of the logs have tables of all types, code pages, encoding schemes and forms; the others have row images that can
be filled with and without the bytes of null columns, of which a reading gives the true values or LMP-R015.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.fields import key
from writers.bmc.rows import NOT_NULL, NULL, Column

from random_logs.log_master_columns import Form, some_ccsids, some_column, some_value
from random_logs.log_master_readings import ENGINES, Reading, Row, expect_same, printed

LOGS = 12
READINGS = ("total", "inclusive", "exclusive")
_ROLES = {"I": ("after",), "IL": ("after",), "D": ("before",), "UB": ("before", "after")}
"""Change types with the row images that they have."""
_AMBIGUOUS = frozenset({"LMP-R015"})
"""The error of an image that its columns fill in two ways."""


@dataclass
class ValueLog:
    """Records, and the row images of each change."""

    tables: list[Table]
    records: list[bytes] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    """Of each change `before`, `after` and the columns that are `absent`, in the order of positions."""

    def write(self, folder: Path, name: str = "a", **options: Any) -> Path:
        path = folder / f"{name}.dat"
        path.write_bytes(framing.rdw(self.records))
        path.with_suffix(".ctl").write_bytes(framing.rdw(control.for_tables(self.tables, **options)))
        return path


def check(seed: int, folder: Path) -> Counter[str]:
    chance = random.Random(seed)
    return _check_values(chance, folder) if seed % 2 else _check_ambiguous(chance, folder)


# -- all types ----------------------------------------------------------------------------------


def _check_values(chance: random.Random, folder: Path) -> Counter[str]:
    log, path, options = some_log(chance, folder)
    counts = Counter[str]()
    for chosen in (options, {"control": options["control"], "row_images": "auto"}):
        one, other = (printed([path], engine, **chosen) for engine in ENGINES)
        expect_same("engines", one, other)
        counts += _expect_values(one, log.rows, is_stated=chosen is options)
    return counts


def some_log(chance: random.Random, folder: Path) -> tuple[ValueLog, Path, dict[str, Any]]:
    """A log of tables of all types, the file that it is written to, and the options that say its form."""
    form, reading = Form.some(chance), chance.choice(READINGS)
    log, path = some_extract(chance, folder, "a", form, reading)
    return log, path, {"control": str(path.with_suffix(".ctl")), **said_of(form, reading)}


def said_of(form: Form, reading: str) -> dict[str, str]:
    """The options that say what no control file does."""
    decisions = f"null_bytes={form.null_bytes},graphic_length={form.graphic_length}"
    return {"row_images": reading, "decisions": decisions}


def some_extract(
    chance: random.Random, folder: Path, name: str, form: Form, reading: str, first: int = 0
) -> tuple[ValueLog, Path]:
    """A log with a control file of its own beside it; the changes are numbered from `first` on."""
    ccsids = some_ccsids(chance)
    log = ValueLog([_some_table(chance, number) for number in range(chance.randrange(1, 4))])
    for number in range(first, first + chance.choice((3, 20, 60))):
        _add_change(chance, log, number, ccsids, form, reading)
    path = log.write(
        folder, name, xtyp_fields=ccsids, dlds_fields={"EXPANDVAR": "Y" if form.is_expanded else "N"},
        describe_header=chance.random() < 0.5, dec_length=chance.choice(("bytes", "precision")),
    )  # fmt: skip
    return log, path


def _some_table(chance: random.Random, number: int) -> Table:
    columns = tuple(some_column(chance, one) for one in range(1, chance.randrange(2, 11)))
    return Table(0x105 + number, 2, 3, "PROD", f"T{number}", columns, encoding_scheme=chance.choice("EEAU"))


def _add_change(
    chance: random.Random, log: ValueLog, number: int, ccsids: dict[str, int], form: Form, reading: Any
) -> None:
    table, change_type = chance.choice(log.tables), chance.choice([*_ROLES])
    row: Row = {"before": None, "after": None, "absent": []}
    images = []
    for role in _ROLES[change_type]:
        values = {c.name: some_value(chance, c, table.encoding_scheme, ccsids, form) for c in table.columns}
        images.append(b"".join(value.raw for value in values.values()))
        row[role] = {name: value.shown for name, value in values.items()}
        row["absent"] += [f"{role}.{name}" for name, value in values.items() if value.is_apart]
    data, header = lldf.data_area(change_type, images, reading), _header(table, change_type, number)
    segments = chance.randrange(1, 4) if chance.random() < 0.2 else 1
    if segments == 1:
        log.records.append(lldf.record(data, **header))
    else:
        log.records += lldf.segmented(header, data, len(data) // segments + 1, chance.choice((0, 1)))
    log.rows.append(row)


def _header(table: Table, change_type: str, number: int, **more: Any) -> dict[str, Any]:
    position = f"{0x12345000 + 0x100 * number:020X}"
    values = {
        **table.header_fields, "change_type": change_type, "log_rba": position, "log_lrsn": position, "member_id": 0,
        "uor_id": f"{0x12345000:020X}", "uor_id_lrsn": f"{0x12345000:020X}", "uor_commit_lrsn": f"{0x22345000:020X}",
        "uor_commit_point": f"{0x22345000:020X}", "rid": f"{number:010X}", **more,
    }  # fmt: skip
    return {key(name): value for name, value in values.items()}


def _expect_values(reading: Reading, wanted: Sequence[Row], *, is_stated: bool) -> Counter[str]:
    """Raise AssertionError unless each change has its values, or an error where not all meanings were stated."""
    assert not reading.ended, reading.ended
    allowed = frozenset[str]() if is_stated else _AMBIGUOUS
    assert set(reading.codes) <= allowed, f"errors of sound values: {reading.errors[:2]}"
    assert len(reading.rows) + len(reading.errors) == len(wanted), f"{len(reading.rows)} rows, not {len(wanted)}"
    for row in reading.rows:
        _expect_images(row, wanted[(int(row["seq"][40:60], 16) - 0x12345000) // 0x100])
    return Counter(rows=len(reading.rows), ambiguous=len(reading.errors))


def _expect_images(row: Row, wanted: Row) -> None:
    absent = sorted((row.get("detail") or {}).get("absent", {}))
    found = {"before": row["before"], "after": row["after"], "absent": absent}
    if found != {**wanted, "absent": sorted(wanted["absent"])}:
        other = [(role, name, value, (found[role] or {}).get(name)) for role in ("before", "after")
                 for name, value in (wanted[role] or {}).items() if (found[role] or {}).get(name) != value]  # fmt: skip
        raise AssertionError(f"{row['table_name']} {row['seq']}: written and read {other[:3]}, absent {absent}")


# -- images of two meanings ---------------------------------------------------------------------


def _check_ambiguous(chance: random.Random, folder: Path) -> Counter[str]:
    null_bytes = chance.choice(("present", "absent"))
    columns = (Column("K", "INT", 4), *_ambiguous_columns(chance))
    log = ValueLog([Table(0x105 + number, 2, 3, "PROD", f"T{number}", columns) for number in range(2)])
    chances = _Chances(chance.choice((0, 0.3, 0.9, 0.9)), chance.choice((0, 0, 0, 0.02, 0.3)))
    for number in range(chance.choice((2, 5, 30, 100))):
        _add_ambiguous(chance, log, number, null_bytes, chances)
    path = log.write(folder, dlds_fields={"SEGMENTED": "N"})
    control_file = str(path.with_suffix(".ctl"))
    counts = Counter[str]()
    for options in ({}, {"decisions": f"null_bytes={null_bytes}"}, _some_options(chance, columns)):
        readings = [printed([path], engine, control=control_file, row_images="total", **options) for engine in ENGINES]
        expect_same(f"engines with {options}", *readings)
        counts += _expect_true(readings[0], log.rows, frozenset() if "decisions" in options else _AMBIGUOUS)
    return counts


def _some_options(chance: random.Random, columns: Sequence[Column]) -> dict[str, Any]:
    """Options that decide which images are read, and when."""
    return chance.choice((
        {"order": "commit"}, {"table": "PROD.T1"}, {"table": "PROD.T1", "columns": f"K,{columns[-1].name}"},
        {"operations": "I"}, {"mode": "dropmalformed"}, {"include": "all"},
    ))  # fmt: skip


@dataclass(frozen=True)
class _Chances:
    """How often images of a log are of two meanings, and how often a null tells them apart."""

    ambiguous: float
    told: float


def _ambiguous_columns(chance: random.Random) -> list[Column]:
    """Columns of which a null one of fixed length may be followed by bytes that look like the next one."""
    makers = (
        lambda name: [Column(name, "CHAR", chance.choice((1, 2, 3)), nulls="Y", subtype="B")],
        lambda name: [Column(name, "DEC", 3, 0, nulls="Y")],
        lambda name: [Column(name, "VCHR", 300, nulls=chance.choice("YN"), subtype="B")],
        lambda name: [Column(f"PAIR{name}", "CHAR", 2, nulls="Y", subtype="B"), Column(name, "VCHR", 300, subtype="B")],
    )
    chosen = chance.choice((makers, makers[3:], makers[3:]))
    return [column for number in range(chance.randrange(1, 5)) for column in chance.choice(chosen)(f"C{number}")]


def _add_ambiguous(chance: random.Random, log: ValueLog, number: int, null_bytes: str, chances: _Chances) -> None:
    table, change_type = log.tables[number % 2], chance.choice(("I", "D", "UB"))
    row: Row = {"before": None, "after": None}
    images = []
    for role in _ROLES[change_type]:
        image, row[role] = _ambiguous_image(chance, table, number, null_bytes, chances)
        images.append(image)
    unit = chance.randrange(5)
    ids = {"uor_id": f"{0x12340000 + unit:020X}", "uor_id_lrsn": f"{0x12340000 + unit:020X}",
           "uor_commit_lrsn": f"{0x22345000 + unit:020X}"}  # fmt: skip
    header = _header(table, change_type, number, **ids)
    log.records.append(lldf.record(lldf.data_area(change_type, images), **header))
    log.rows.append(row)


def _ambiguous_image(
    chance: random.Random, table: Table, number: int, null_bytes: str, chances: _Chances
) -> tuple[bytes, Row]:
    raw, row = number.to_bytes(4, "big"), {"K": number}
    columns = iter(table.columns[1:])
    for column in columns:
        if column.name.startswith("PAIR"):
            pair, values = _ambiguous_pair(chance, null_bytes, chances)
            row |= dict(zip((column.name, next(columns).name), values, strict=True))
            raw += pair
            continue
        value, row[column.name] = _near_value(chance, column, null_bytes, chances)
        raw += value
    return raw, row


def _ambiguous_pair(
    chance: random.Random, null_bytes: str, chances: _Chances
) -> tuple[bytes, tuple[str | None, str | None]]:
    """A CHAR(2) that may be null, and a VCHR whose length can be the bytes of the null."""
    value = chance.randbytes(chance.choice((0, 3, 9, 254)))
    length = len(value).to_bytes(2, "big")
    if chance.random() < chances.ambiguous:
        front = NULL + (len(value) + 2).to_bytes(2, "big")
        return front + length + value, (None, (value if null_bytes == "present" else length + value).hex().upper())
    is_null = chance.random() < chances.told
    front = NULL + bytes(2) * (null_bytes == "present") if is_null else NOT_NULL + b"ab"
    return front + length + value, (None if is_null else "6162", value.hex().upper())


def _near_value(chance: random.Random, column: Column, null_bytes: str, chances: _Chances) -> tuple[bytes, str | None]:
    """A value whose bytes look like null indicators and short lengths."""
    if column.nullable and chance.random() < max(chances.ambiguous, chances.told) / 2:
        return NULL + (bytes(2) if column.variable else _junk(chance, column) if null_bytes == "present" else b""), None
    front = NOT_NULL if column.nullable else b""
    if column.type == "DEC":
        return front + b"\x00\x1c", "1"
    count = chance.choice((0, 1, 2, 3, 4, 5, 255, 256, 257, 258)) if column.variable else column.size
    value = bytes(chance.choice(b"\x00\x00\x00\x01\x02\x03\xff") for _ in range(count))
    return front + (len(value).to_bytes(2, "big") if column.variable else b"") + value, value.hex().upper()


def _junk(chance: random.Random, column: Column) -> bytes:
    return bytes(chance.choice(b"\x00\x00\x00\x01\x02\x0c\xff") for _ in range(column.max_bytes))


def _expect_true(reading: Reading, wanted: Sequence[Row], allowed: frozenset[str]) -> Counter[str]:
    """Raise AssertionError if a row has a value that was not written, or an error is of another kind."""
    assert not reading.ended, reading.ended
    assert set(reading.codes) <= allowed, f"errors of sound images: {reading.errors[:2]}"
    for row in reading.rows:
        truth = wanted[row["_metadata"]["record_index"]]
        for role in ("before", "after"):
            for name, value in (row[role] or {}).items():
                assert value == truth[role][name], f"{row['seq']} {role}.{name}: {truth[role][name]}, read {value}"
    return Counter(rows=len(reading.rows), ambiguous=len(reading.errors))
