"""Values of all column types are those that were written, by both engines; an image of two meanings is an error.

Logs have tables of all types, code pages, encoding schemes and forms.
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

from random_logs.log_master_columns import Form, some_ccsids, some_column, some_value
from random_logs.log_master_readings import ENGINES, Reading, Row, expect_same, printed

LOGS = 8
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
