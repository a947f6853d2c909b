"""A log in parts, damaged or not, gives the rows and errors of the whole, as do both engines; check misses no error.

Positions repeat, segments are mixed, lost or doubled, records are damaged, in seven framings. Here two readings are
compared with each other; what rows must be is the part of the other targets of Log Master.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.fields import key
from writers.bmc.rows import NOT_NULL, NULL, Column

from lmparse.errors import LmparseError
from lmparse.logs.check import CheckReport, account
from lmparse.logs.families import read_options
from random_logs.log_master_readings import ENGINES, Reading, by_spans, expect_same, printed

LOGS = 4
_TABLES = (
    Table(0x105, 2, 3, "PROD", "ONE",
          (Column("K", "INT", 4, key_seq=1), Column("A", "CHAR", 3, nulls="Y"), Column("V", "VCHR", 400, nulls="Y"))),
    Table(0x105, 4, 5, "PROD", "TWO",
          (Column("K", "INT", 4, key_seq=1), Column("D", "DEC", 5, 2, nulls="Y"), Column("T", "DTTM", 26))),
)  # fmt: skip
_IMAGES = {"I": 1, "UB": 2, "D": 1}
_FRAMINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("rdw", {}), ("bdw", {"block_size": 1000}), ("bdw", {"block_size": 4000}), ("bdw-extended", {"block_size": 4000}),
    ("vbs", {"piece_sizes": 100}), ("vbs", {"piece_sizes": (3, 700)}), ("bdw-vbs", {"block_size": 600}),
    ("zosmf", {}), ("glued", {}),
)  # fmt: skip


@dataclass
class _Log:
    records: list[bytes]
    has_segments: bool
    base: Any


def check(seed: int, folder: Path) -> Counter[str]:
    chance = random.Random(seed)
    log = _some_log(chance)
    kind, style = chance.choice(_FRAMINGS)
    data = framing.framed(kind, log.records, **style).data
    path = folder / "a.dat"
    path.write_bytes(_damaged_framing(chance, data) if chance.random() < 0.15 else data)
    stated = {"SEGMENTED": chance.choice("YN") if log.has_segments else "N"}
    described = control.for_tables(_TABLES, describe_header=chance.random() < 0.5, dlds_fields=stated)
    path.with_suffix(".ctl").write_bytes(framing.rdw(described))
    options = _some_options(chance, path)
    one, other = (printed([path], engine, **options) for engine in ENGINES)
    expect_same(f"engines, {kind}", one, other)
    counts = Counter(rows=len(one.rows), errors=len(one.errors), ended=bool(one.ended))
    counts += _check_spans(chance.choice((900, 3000, 9000)), path, other, options)
    if seed % 4 == 0:
        _check_accounted(path, other, options)
    return counts


# -- logs ---------------------------------------------------------------------------------------


def _some_log(chance: random.Random) -> _Log:
    log = _Log([], chance.random() < 0.6, chance.choice((0, 1)))
    position = 0
    for number in range(chance.choice((5, 30, 80))):
        position += chance.random() < 0.6
        log.records += _some_change(chance, log, number, position)
    for _ in range(chance.choice((0, 0, 1, 5))):
        one, other = chance.randrange(len(log.records)), chance.randrange(len(log.records))
        log.records[one], log.records[other] = log.records[other], log.records[one]
    for _ in range(chance.choice((0, 0, 1, 4))):
        place = chance.randrange(len(log.records))
        log.records[place] = _damaged(chance, log.records, place)
    return log


def _some_change(chance: random.Random, log: _Log, number: int, position: int) -> list[bytes]:
    table = chance.choice(_TABLES)
    change_type = chance.choice(("I", "UB", "D", "I", "CO", "E", "DM", "DT", "SC", "XX"))
    place = f"{0x12345001 + position:020X}"
    unit = chance.randrange(6)
    values = {
        **table.header_fields, "change_type": change_type, "log_rba": place, "log_lrsn": place,
        "member_id": chance.choice((0, 0, 0, 1)), "uor_id": f"{0x12340000 + unit:020X}",
        "rid": f"{chance.randrange(3):010X}", "uor_commit_lrsn": f"{0x22345000 + unit:020X}",
        "uor_disp": chance.choice("CCCCA "), "log_rec_disp": chance.choice("CCCA"), "sql_type": chance.choice("RRRU"),
    }  # fmt: skip
    values = {key(name): value for name, value in values.items()}
    data = _some_data(chance, table, change_type, number)
    if not log.has_segments or chance.random() < 0.6:
        return [lldf.record(data, **values)]
    pieces = lldf.segmented(values, data, max(1, -(-len(data) // chance.randrange(2, 5))), log.base)
    return _mixed(chance, pieces)


def _mixed(chance: random.Random, pieces: list[bytes]) -> list[bytes]:
    """Segments in any order, some of them lost or doubled."""
    if chance.random() < 0.3:
        chance.shuffle(pieces)
    if chance.random() < 0.1 and len(pieces) > 1:
        pieces.pop()
    return [*pieces, pieces[0]] if chance.random() < 0.1 else pieces


def _some_data(chance: random.Random, table: Table, change_type: str, number: int) -> bytes:
    if change_type in _IMAGES:
        images = [_some_image(chance, table, number) for _ in range(_IMAGES[change_type])]
        return lldf.data_area(change_type, images)
    if change_type == "E":
        return lldf.data_area(change_type, ["PROD", "CLONE"])
    return lldf.data_area(change_type, ["payload"]) if chance.random() < 0.7 else b""


def _some_image(chance: random.Random, table: Table, number: int) -> bytes:
    raw = number.to_bytes(4, "big")
    if table is _TABLES[0]:
        text = b"\xc1" * chance.choice((0, 3, chance.randrange(400)))
        raw += chance.choice((NULL + bytes(3), NOT_NULL + "abc".encode("cp037")))
        return raw + chance.choice((NULL + bytes(2), NOT_NULL + len(text).to_bytes(2, "big") + text))
    raw += chance.choice((NULL + bytes(3), NOT_NULL + b"\x12\x34\x5c", NOT_NULL + b"\x12\x34\x5d"))
    return raw + "2026-03-14-10.11.12.000123".encode("cp037")


def _damaged(chance: random.Random, records: list[bytes], place: int) -> bytes:
    record = records[place]
    at = chance.randrange(len(record))
    return chance.choice((
        record[:at] + chance.randbytes(1) + record[at + 1 :], record[: at + 1], record + b"xx",
        record[:-1] + chance.choice((b"\x00", b"\x01", b"\xff")), chance.choice(records),
    ))  # fmt: skip


def _damaged_framing(chance: random.Random, data: bytes) -> bytes:
    for _ in range(chance.choice((1, 2))):
        at = chance.randrange(len(data))
        data = data[:at] + chance.choice((b"", b"\x00", chance.randbytes(1))) + data[at + chance.choice((0, 1, 1, 3)) :]
    return data


def _some_options(chance: random.Random, path: Path) -> dict[str, Any]:
    found: dict[str, Any] = {
        "control": str(path.with_suffix(".ctl")), "include": chance.choice(("all", "committed", "open", "rolled-back")),
        "mode": chance.choice(("permissive", "permissive", "dropmalformed")), "header": chance.random() < 0.2,
    }  # fmt: skip
    if chance.random() < 0.2:
        found["table"] = "PROD.ONE"
    if chance.random() < 0.2:
        found["operations"] = chance.choice(("I", "U,D", "O,X"))
    return found


# -- comparisons --------------------------------------------------------------------------------


def _check_spans(part_bytes: int, path: Path, whole: Reading, options: dict[str, Any]) -> Counter[str]:
    counts = Counter[str]()
    found = by_spans(path, part_bytes, **options)
    if not (found.ended and whole.ended):
        expect_same(f"parts of {part_bytes} bytes", found, whole, in_order=False)
        counts["parts_compared"] += 1
    return counts


def _report(path: Path, options: dict[str, Any]) -> CheckReport | None:
    """What `check` says; None if it ends with an error."""
    try:
        return account(str(path), read_options({"control": options["control"]}))
    except LmparseError:
        return None


def _check_accounted(path: Path, reading: Reading, options: dict[str, Any]) -> None:
    """Raise AssertionError if `check` says nothing of a log whose reading has errors, or does not account for bytes."""
    report = _report(path, options)
    if report is None:
        assert reading.ended or reading.errors, "check ends with an error that the reading does not have"
        return
    assert report.is_accounted, "bytes that are not accounted for"
    assert report.error_count or not reading.errors, f"check is silent of {reading.errors[:1]}"
