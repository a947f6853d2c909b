"""Glued records give the rows that were written, as behind descriptor words; damage loses no row without being said.

Logs of one or two systems, of every change type, in seven forms of the header, whole and in
segments; with headers in values, whole or not. A log is refused where SEGLEN is not the length of its records.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.fields import key
from writers.bmc.logs import OPERATIONS
from writers.bmc.rows import Column

from random_logs.log_master_readings import ENGINES, Reading, Row, expect_rows, expect_same, plain, printed

LOGS = 24
_COLUMNS = (Column("K", "INT", 4), Column("V", "VCHR", 900))
_TABLES = [Table(0x105, 2, 3, "PROD", "T", _COLUMNS, sysid=system) for system in ("DB2A", "DB2B")]
_ROLES = {"I": ("after",), "IL": ("after",), "D": ("before",), "UB": ("before", "after")}
_OTHERS = ("CO", "CM", "SC", "DT", "DR", "DM", "E", "XX", "LR")
"""Change types without row images; the last two are not listed."""
_PAYLOADS = (0, 0, 1, 2, 3, 7, 9, 50, 286, 288, 290, 576, 700, 1500)
"""Lengths of payloads: around the length of a header too."""
_DAMAGED = (
    "length",
    "system_id",
    "seg_len",
    "total_segs",
    "seg_num",
    "change_type",
    "dbid",
    "log_rba",
    "uor_id",
    "rid",
)
_STATED = {"DDLOBJECTS": "Y", "CMDSINCLUDED": "Y", "SEGMENTED": "Y"}


@dataclass(frozen=True)
class _Form:
    """How a log is written."""

    header: dict[str, Any]
    lines: Sequence[lldf.HeaderField] | None
    is_counted: bool
    """Whether SEGLEN is the length of the record, and not zero."""
    reading: Any
    base: int
    is_segmented: bool
    systems: int

    @classmethod
    def some(cls, chance: random.Random) -> _Form:
        header = chance.choice(_HEADERS)(chance)
        is_counted = chance.random() < 0.9
        return cls(
            header, header.get("lines"), is_counted, chance.choice(("total", "inclusive", "exclusive")),
            chance.choice((0, 1)), chance.random() < 0.5, chance.choice((1, 1, 2)),
        )  # fmt: skip

    def records(self, chance: random.Random, values: dict[str, Any], data: bytes) -> list[bytes]:
        """The records of one change."""
        pieces = [data]
        if self.is_segmented and len(data) > 4 and chance.random() < 0.5:
            size = -(-len(data) // chance.randrange(2, 4))
            pieces = [data[start : start + size] for start in range(0, len(data), size)]
        found = []
        for number, piece in enumerate(pieces):
            segment = {"seglen": self._seg_len(values, piece), "totalsegs": len(pieces), "segnum": self.base + number}
            found.append(lldf.any_header({**values, **segment}, **self.header) + piece)
        return found

    def _seg_len(self, values: dict[str, Any], data: bytes) -> int:
        return (len(lldf.any_header(values, **self.header)) + len(data)) * self.is_counted


_HEADERS: tuple[Callable[[random.Random], dict[str, Any]], ...] = (
    lambda _: {},
    lambda _: {},
    lambda _: {"size": 287},
    lambda _: {"size": 277},
    lambda chance: {"extra": bytes(chance.choice((1, 8)))},
    lambda _: {"lines": lldf.narrow()},
    lambda _: {"lines": lldf.narrow(timestamps="DTTM26")},
    lambda _: {"lines": lldf.narrow(order=["UORID", "LOGRBA"])},
)
"""Today's header, shorter and longer ones, and older ones that XHDF describes."""


@dataclass
class _Log:
    form: _Form
    changes: list[list[bytes]] = field(default_factory=list)
    """The records of each change."""
    rows: list[Row] = field(default_factory=list)
    """What is known of each change: `op`, `seq` without its commit, and the images of changes with row images."""

    @property
    def records(self) -> list[bytes]:
        return [record for records in self.changes for record in records]


def check(seed: int, folder: Path) -> Counter[str]:
    chance = random.Random(seed)
    log = _some_log(chance)
    described = _behind_words(folder, log, log.records)
    expect_rows("what was written", [_known(row) for row in described.rows], log.rows)
    assert (described.ended, described.errors[:1]) == ("", [])
    counts = Counter(rows=len(log.rows))
    for engine in ENGINES:
        found = _glued(folder, log, log.records, engine)
        if not log.form.is_counted:
            assert "LMP-F" in found.ended, found.ended
            counts["refused"] += 1
            continue
        expect_same(f"glued by {engine} and behind descriptor words", _placeless(found), _placeless(described))
    return counts + _check_damaged(chance, folder, log) if log.form.is_counted else counts


def _some_log(chance: random.Random) -> _Log:
    log = _Log(_Form.some(chance))
    for number in range(chance.choice((1, 2, 3, 6, 20))):
        table, change_type = chance.choice(_TABLES[: log.form.systems]), chance.choice((*_ROLES, *_OTHERS))
        position = f"{0x12345001 + number:020X}"
        row: Row = {"op": OPERATIONS.get(change_type), "position": position, "before": None, "after": None}
        if change_type in _ROLES:
            values = [_some_row(chance, log.form, number) for _ in _ROLES[change_type]]
            row |= dict(zip(_ROLES[change_type], values, strict=True))
            data = lldf.data_area(change_type, [_image(one) for one in values], log.form.reading)
        else:
            data = _some_payload(chance, change_type, log.form.reading)
        log.changes.append(log.form.records(chance, _header(table, change_type, position, number), data))
        log.rows.append(row)
    return log


def _header(table: Table, change_type: str, position: str, number: int) -> dict[str, Any]:
    commit, unit = f"{0x22345000:020X}", f"{0x12345000:020X}"
    values = {
        **table.header_fields, "change_type": change_type, "log_rba": position, "log_lrsn": position, "member_id": 0,
        "uor_id": unit, "uor_commit_point": commit, "uor_commit_lrsn": commit, "rid": f"{number:010X}",
    }  # fmt: skip
    return {key(name): value for name, value in values.items()}


def _some_row(chance: random.Random, form: _Form, number: int) -> Row:
    if chance.random() < 0.3:
        return {"K": number, "V": _some_header(chance, form, number).decode("cp037")}
    return {"K": number, "V": "".join(chance.choice(" A") for _ in range(chance.choice((0, 3, 300, 900))))}


def _some_header(chance: random.Random, form: _Form, number: int) -> bytes:
    """A text with a header, or the beginning of one, of a change type without row images, which is whole or is not."""
    values = _header(chance.choice(_TABLES), chance.choice(_OTHERS), f"{0x12345001 + number:020X}", number)
    behind = b"\xe7" * chance.randrange(1, 100)
    header = lldf.any_header({**values, "seglen": chance.choice((0, 700 * form.is_counted))}, **form.header)
    if chance.random() < 0.6:
        start, width = _place(form, "TBNAMELEN")
        header = header[:start] + b"\xe7" * width + header[start + width :]
    return b"\xe7" * chance.randrange(100) + header[: chance.choice((6, 200, len(header)))] + behind


def _image(row: Row) -> bytes:
    text: bytes = row["V"].encode("cp037")
    return int(row["K"]).to_bytes(4, "big") + len(text).to_bytes(2, "big") + text


def _some_payload(chance: random.Random, change_type: str, reading: Any) -> bytes:
    size = chance.choice(_PAYLOADS)
    if change_type == "E":
        return lldf.data_area(change_type, ["PROD", "CLONE"], reading)
    if change_type == "DM":
        return lldf.data_area(change_type, [b"\x80\x00\x00\x01", b"\x80\x00\x00\xff"] if size > 9 else [], reading)
    text = ("some text of it " * (size // 16 + 1)).encode("cp037")[:size]
    data = chance.choice((b"", text, text, bytes(size), chance.randbytes(size)))
    return lldf.data_area(change_type, [data], reading) if data and chance.random() < 0.6 else data


# -- readings -----------------------------------------------------------------------------------


def _behind_words(folder: Path, log: _Log, records: Sequence[bytes]) -> Reading:
    return _read(folder / "words.dat", log, framing.rdw(records), "rdw", ENGINES[0])


def _glued(folder: Path, log: _Log, records: Sequence[bytes], engine: str) -> Reading:
    return _read(folder / "glued.dat", log, framing.glued(records), "glued", engine)


def _read(path: Path, log: _Log, data: bytes, kind: str, engine: str) -> Reading:
    path.write_bytes(data)
    described = control.for_tables(_TABLES, header=log.form.lines, describe_header=log.form.lines is not None,
                                   dlds_fields=_STATED)  # fmt: skip
    path.with_suffix(".ctl").write_bytes(framing.rdw(described))
    return printed(
        [path], engine, control=str(path.with_suffix(".ctl")), include="all", row_images=log.form.reading, framing=kind
    )


def _placeless(reading: Reading) -> Reading:
    """Rows without offsets, which descriptor words move."""
    rows = [{**plain(row), "length": row["_metadata"]["record_length"]} for row in reading.rows]
    return replace(reading, rows=rows, errors=[{"code": error["code"]} for error in reading.errors])


def _known(row: Row) -> Row:
    return {"op": row["op"], "position": row["seq"][40:60], "before": row["before"], "after": row["after"]}


# -- damage -------------------------------------------------------------------------------------


def _check_damaged(chance: random.Random, folder: Path, log: _Log) -> Counter[str]:
    """Raise AssertionError if a change beside a damaged record is lost or has other values, and nothing is said."""
    number = chance.randrange(len(log.changes))
    changed = [list(records) for records in log.changes]
    name = _damage(chance, log.form, changed[number])
    records = [record for one in changed for record in one]
    readings = [_glued(folder, log, records, engine) for engine in ENGINES]
    expect_same(f"engines, {name} of change {number}", *readings)
    found = [_known(row) for row in readings[0].rows]
    lost = [row for place, row in enumerate(log.rows) if place != number and row not in found]
    is_said = bool(readings[0].errors or readings[0].ended)
    assert is_said or not lost, f"{name} of change {number}: lost or other {str(lost)[:400]} of {log.form}"
    return Counter(damaged=1, lost_and_said=bool(lost))


def _damage(chance: random.Random, form: _Form, records: list[bytes]) -> str:
    """Change a byte of one header field, or cut a record."""
    number = chance.randrange(len(records))
    record = records[number]
    if chance.random() < 0.2:
        # A header that is cut is known by the next one of its system.
        least = sum(_place(form, "SYSTEMID")) if form.systems == 1 else len(lldf.any_header({}, **form.header))
        records[number] = record[: chance.randrange(min(least, len(record) - 1), len(record))]
        return "a record cut short"
    name = chance.choice((*_DAMAGED, "data"))
    start, width = (len(lldf.any_header({}, **form.header)), 2) if name == "data" else _place(form, name)
    if start + width > len(record):
        name = "length"
        start, width = _place(form, name)
    place = start + chance.randrange(width)
    other = chance.choice([byte for byte in (0, 0xFF, 0x40, record[place] ^ 1) if byte != record[place]])
    records[number] = record[:place] + bytes([other]) + record[place + 1 :]
    return name


def _place(form: _Form, name: str) -> tuple[int, int]:
    if form.lines is None:
        known = lldf.NAME_OF[key(name)]
        return known.offset, known.length
    line = next(line for line in form.lines if key(line.name) == key(name))
    return line.position, line.length
