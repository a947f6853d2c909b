"""Files to measure with, made from a seed: same kind, size and seed, same bytes.

A block of some thousand different records is made by the sample's own means. It is then written again
and again, each time with other row ids and keys and with log positions and clocks moved on, so that no
two blocks are alike and ten gigabytes take as long as writing them.

    python -m bench.data lldf 300M --folder DIR
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmparse.samples import bmc_log
from lmparse.spec import catalog
from lmparse.spec.layout import Field, Layout
from lmparse.values import codepages, packed_times, text_times

ROOT = Path(__file__).resolve().parent.parent
SPECS = Path(__file__).parent / "specs"
KINDS = ("lldf", "rows", "narrow", "wide")
_PAGE = codepages.lookup("cp1047")
_RDW = struct.Struct(">HH")
_LLDF_RECORDS = 6000
_LONGEST = 1000
"""Bytes of the longest record of kind `lldf`; the sample's long documents would outweigh all else."""
_ORDERS_WEIGHT = 0.4
"""How often a change is one of ORDERS, beside 1 for each other table: makes about 385 bytes a record."""
_FIXED_BLOCK = 4 << 20
_EPOCH = datetime(1970, 1, 1)

ORDERS = bmc_log.SampleTable(
    263,
    2,
    11,
    "SALES",
    "ORDERS",
    (
        bmc_log.SampleColumn("ORDER_ID", "INT", 8, key=1),
        bmc_log.SampleColumn("CUSTOMER", "CHAR", 10),
        bmc_log.SampleColumn("NAME", "VCHR", 40),
        bmc_log.SampleColumn("STREET", "VCHR", 60, nullable=True),
        bmc_log.SampleColumn("CITY", "CHAR", 20),
        bmc_log.SampleColumn("COUNTRY", "CHAR", 2, nullable=True),
        bmc_log.SampleColumn("AMOUNT", "DEC", 7, 2),
        bmc_log.SampleColumn("TAX", "DEC", 5, 3, nullable=True),
        bmc_log.SampleColumn("STATUS", "INT", 2),
        bmc_log.SampleColumn("QUANTITY", "INT", 4, nullable=True),
        bmc_log.SampleColumn("ORDERED", "DATE", 10),
        bmc_log.SampleColumn("SHIPPED", "DATE", 10, nullable=True),
        bmc_log.SampleColumn("CHANGED", "DTTM", 26),
        bmc_log.SampleColumn("NOTE", "VCHR", 100, nullable=True),
    ),
)
"""The table of kind `rows`, 14 columns; its key comes first in the image and is never null."""


@dataclass(frozen=True)
class Truth:
    """What is known of a file because it was made."""

    kind: str
    path: str
    records: int
    bytes: int
    sha256: str
    seed: int
    spec: str
    """What `lmparse.spec.catalog.load` takes: an id, or the path of a spec that was built beside the file."""
    control: str | None = None


def make(kind: str, folder: str | Path, *, size: int, seed: int = 7) -> Truth:
    """A file of one of KINDS of at most `size` bytes, whole records only, RDWs in front; kept in `folder`."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{kind}-{size}-{seed}-{_maker_hash()}.dat"
    known = path.with_suffix(".json")
    if known.is_file() and path.is_file():
        truth = Truth(**json.loads(known.read_text()))
        if truth.path == str(path) and truth.bytes == path.stat().st_size:
            return truth
    spec, control = "bmc_lldf", None
    if kind in ("narrow", "wide"):
        spec = build_specs(folder / f"specs-{_maker_hash()}") + f"/{kind}_record"
        block = _fixed_block(catalog.load(spec).layout, seed)
    else:
        block, log = _log_block((ORDERS,) if kind == "rows" else (*bmc_log.TABLES, ORDERS), seed)
        path.with_suffix(".ctl").write_bytes(_framed(log.control)[0])
        control = str(path.with_suffix(".ctl"))
    records, digest = _write(block, path, size, seed)
    truth = Truth(kind, str(path), records, path.stat().st_size, digest, seed, spec, control)
    known.write_text(json.dumps(asdict(truth), indent=2) + "\n")
    return truth


def build_specs(folder: Path) -> str:
    """Compile the specs of the benchmarks into a folder, unless it has them; returns it."""
    if not (folder / "layouts.py").is_file():
        command = [sys.executable, str(ROOT / "build.py"), "generate", "--formats", str(SPECS), "--out", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return str(folder)


def parse_size(text: str) -> int:
    """Bytes behind `300M`, `10G` or a plain number; units are powers of ten."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]?)B?", text.strip().upper())
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 300M or 10G")
    return int(float(match[1]) * {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}[match[2]])


@cache
def _maker_hash() -> str:
    """Of everything that decides the bytes, so that files of an older maker are not taken for its own."""
    digest = hashlib.sha256()
    sources = [Path(__file__), Path(bmc_log.__file__ or ""), *sorted(SPECS.glob("*/*.ksy"))]
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:8]


# -- blocks -----------------------------------------------------------------------------


@dataclass
class _Block:
    """The bytes of some records and where in them something changes from one repetition to the next."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    """Of the records, at their descriptor words."""
    counters: list[tuple[NDArray[np.int64], int]] = field(default_factory=list)
    """Places of 8-byte numbers, and by how much they grow."""
    clocks: list[NDArray[np.int64]] = field(default_factory=list)
    """Places of 17-byte timestamps."""
    clock_step: int = 0
    """By how many microseconds they grow."""
    random4: list[NDArray[np.int64]] = field(default_factory=list)
    """Places of 4-byte numbers that may have any value."""

    def repetitions(self, seed: int) -> Iterator[NDArray[np.uint8]]:
        """The block without end, the same array each time."""
        chance = np.random.default_rng(seed)
        eights, fours = _unaligned(self.data, ">u8"), _unaligned(self.data, ">u4")
        heads = _unaligned(self.data, "V10")
        bases = [eights[places].astype(np.uint64) for places, _ in self.counters]
        micros = [_micros(self.data, places) for places in self.clocks]
        number = 0
        while True:
            for (places, step), base in zip(self.counters, bases, strict=True):
                eights[places] = base + np.uint64(step * number)
            for places, base_us in zip(self.clocks, micros, strict=True):
                heads[places] = _packed_heads(base_us + self.clock_step * number)
            for places in self.random4:
                fours[places] = chance.integers(0, 1 << 32, len(places), dtype=np.uint32)
            yield self.data
            number += 1


def _unaligned(data: NDArray[np.uint8], dtype: str) -> NDArray[Any]:
    """Items of a type at every byte of an array, whatever their alignment."""
    width = np.dtype(dtype).itemsize
    return np.ndarray(shape=(len(data) - width + 1,), dtype=dtype, buffer=data.data, strides=(1,))


def _micros(data: NDArray[np.uint8], places: NDArray[np.int64]) -> NDArray[np.int64]:
    raws = (data[place : place + 17].tobytes() for place in places.tolist())
    return np.array([text_times.iso_micros(packed_times.decode_timestamp17(raw) or "") for raw in raws], dtype=np.int64)


_TWO_DIGITS = np.array([value // 10 * 16 + value % 10 for value in range(100)], dtype=np.uint8)


def _packed_heads(micros: NDArray[np.int64]) -> NDArray[Any]:
    """Date, time and six digits of fraction, packed: the first 10 bytes of the 17."""
    seconds, fractions = np.divmod(micros, 1_000_000)
    # A block covers few different seconds, so the calendar is asked once for each.
    distinct, which = np.unique(seconds, return_inverse=True)
    texts = [(_EPOCH + timedelta(seconds=second)).strftime("%Y%m%d%H%M%S") for second in distinct.tolist()]
    heads = np.empty((len(micros), 10), dtype=np.uint8)
    heads[:, :7] = np.frombuffer(bytes.fromhex("".join(texts)), dtype=np.uint8).reshape(-1, 7)[which]
    heads[:, 7] = _TWO_DIGITS[fractions // 10_000]
    heads[:, 8] = _TWO_DIGITS[fractions // 100 % 100]
    heads[:, 9] = _TWO_DIGITS[fractions % 100]
    return heads.view("V10").ravel()


def _write(block: _Block, path: Path, size: int, seed: int) -> tuple[int, str]:
    """Write repetitions up to a size; returns the number of records and the hash."""
    digest = hashlib.sha256()
    partial = path.with_suffix(".partial")
    records, left = 0, size
    with open(partial, "wb", buffering=0) as file:
        for data in block.repetitions(seed):
            count = len(block.starts)
            if left < len(data):
                # Starts are ends of the record before: as many records as end in what is left.
                count = int(np.searchsorted(block.starts, left, "right")) - 1
                data = data[: block.starts[count]]
            file.write(data.data)
            digest.update(data.data)
            records += count
            left -= len(data)
            if count < len(block.starts):
                break
    os.replace(partial, path)
    return records, digest.hexdigest()


# -- logical logs -------------------------------------------------------------------------


def _log_block(tables: tuple[bmc_log.SampleTable, ...], seed: int) -> tuple[_Block, bmc_log.SampleLog]:
    """Whole units of recovery with changes of some tables, and the log with the control file."""
    maker = _LogMaker(random.Random(seed), tables)
    first_rba, first_clock = maker.rba, maker.clock
    log = maker.log()
    joined, starts = _framed(log.data)
    data = np.frombuffer(bytearray(joined), dtype=np.uint8)
    layout = catalog.load("bmc_lldf").layout
    step = (maker.rba - first_rba | 0xFFFF) + 1
    block = _Block(data, starts, clock_step=(maker.clock - first_clock) // timedelta(microseconds=1))
    for entry in layout:
        if entry.offset is None or entry.width is None:
            continue
        places = starts + _RDW.size + entry.offset
        if entry.kind in ("lrsn10", "rba10"):
            _add_counter(block, places + entry.width - 8, step)
        elif entry.kind == "timestamp17":
            block.clocks.append(places[_is_set(data, places, 17)])
        elif entry.id == "rid":
            block.random4.append(places)
    _add_counter(block, np.array(list(_key_places(log.data, starts)), dtype=np.int64), len(log.data))
    return block, log


def _add_counter(block: _Block, places: NDArray[np.int64], step: int) -> None:
    """Zero says that there is none, and stays."""
    block.counters.append((places[_is_set(block.data, places, 8)], step))


def _is_set(data: NDArray[np.uint8], places: NDArray[np.int64], width: int) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = data[places[:, None] + np.arange(width)].any(axis=1)
    return found


def _key_places(records: list[bytes], starts: NDArray[np.int64]) -> Iterator[int]:
    """Where keys of ORDERS stand: at the start of each row image, of which an update has two."""
    layout = catalog.load("bmc_lldf").layout
    name, change, header = layout["table_name"], layout["change_type"], layout["data"].offset or 0
    orders = _PAGE.encode(ORDERS.name).ljust(name.width or 0, _PAGE.encode(" "))
    with_rows = {_PAGE.encode(code) for code in ("UB", "I ", "D ", "IL")}
    for record, start in zip(records, starts.tolist(), strict=True):
        if record[name.offset : name.end] == orders and record[change.offset : change.end] in with_rows:
            place = header + 2
            while place < len(record):
                yield start + _RDW.size + place + 2
                place += 2 + int.from_bytes(record[place : place + 2], "big")


class _LogMaker(bmc_log._Maker):
    """The sample's maker with tables of ours, more users and programs, and a faster clock."""

    def __init__(self, chance: random.Random, tables: tuple[bmc_log.SampleTable, ...]) -> None:
        super().__init__(chance)
        self.tables = tables
        self.weights = [_ORDERS_WEIGHT if table is ORDERS else 1 for table in tables]

    def log(self) -> bmc_log.SampleLog:
        """Control records of the tables, and so many data records."""
        log = bmc_log.SampleLog()
        self.describe(log)
        described = [_PAGE.encode(code) for code in ("DTBI", "DLCI")]
        kept = [record for record in log.control if record[:4] not in described]
        types, header = kept[:2], kept[2:]
        log.control = types
        for table in self.tables:
            log.control.append(self._table(table))
            log.control += [self._column(table, *numbered) for numbered in enumerate(table.columns, 1)]
        log.control += header
        units = 0
        while len(log.data) < _LLDF_RECORDS:
            log.data += self._unit(rolled_back=units % 9 == 4)
            units += 1
        if len(self.tables) > 1:
            log.data += self.special()
        return log

    def _unit(self, *, rolled_back: bool) -> Iterator[bytes]:
        chance = self.chance
        begun, commit = self._tick(), self.rba + 0x2000
        shared: dict[str, Any] = {
            "uor_id": begun,
            "uor_id_lrsn": begun,
            "uor_timestamp": _iso(self.clock),
            "uor_disp": "A" if rolled_back else "C",
            "log_rec_disp": "A" if rolled_back else "C",
            "sql_type": chance.choice(("R", "R", "R", "U", " ")),
            "auth_id": f"USER{chance.randrange(300)}",
            "plan": chance.choice(("DISTSERV", "DSNTEP2", "PAYPLAN", "ORDPLN01", "")),
            "correlation_id": f"{chance.choice(('PAYJOB', 'ORDERS', 'db2jcc_'))}{chance.randrange(4000):04d}",
            "connection_type": chance.choice(("BT", "TS", "CI", "RU")),
            "connect_id": chance.choice(("BATCH", "TSO", "SERVER", "CICSPRD1")),
        }
        if chance.random() < 0.6:
            shared |= {
                "luw_network_id": f"G{chance.randrange(1 << 28):07X}",
                "luw_name": f"LU{chance.randrange(40)}",
                "luw_instance_no": chance.randbytes(6),
                "luw_sequence_no": chance.randrange(1, 9),
            }
        if not rolled_back:
            shared |= {
                "uor_commit_lrsn": commit,
                "uor_commit_point": commit,
                "uor_commit_timestamp": _iso(self.clock + timedelta(milliseconds=chance.randrange(1, 900))),
            }
        for _ in range(chance.randint(1, 9)):
            table = chance.choices(self.tables, self.weights)[0]
            single = {
                "log_delta": chance.randrange(1 << 16),
                "sql_src_type": chance.choice("     RTB"),
                "partnum": chance.randrange(4),
            }
            records = list(self._change(table, {**shared, **single}))
            if len(records) == 1 and len(records[0]) <= _LONGEST:
                yield records[0]
        self.rba = commit + 0x100

    def _tick(self) -> int:
        self.rba += self.chance.randrange(0x40, 0x200)
        self.clock += timedelta(microseconds=self.chance.randrange(20, 3000))
        return self.rba


def _iso(clock: datetime) -> str:
    return clock.isoformat(timespec="microseconds")


def _framed(records: list[bytes]) -> tuple[bytes, NDArray[np.int64]]:
    """Records behind their descriptor words, and where these stand."""
    framed = [_RDW.pack(len(record) + _RDW.size, 0) + record for record in records]
    lengths = np.array([len(record) for record in framed], dtype=np.int64)
    return b"".join(framed), np.cumsum(lengths) - lengths


# -- records of fixed width -----------------------------------------------------------------


def _fixed_block(layout: Layout, seed: int) -> _Block:
    """Records whose every field has a fixed place, with random values."""
    assert layout.width is not None
    pitch = layout.width + _RDW.size
    count = _FIXED_BLOCK // pitch
    chance = np.random.default_rng(seed)
    rows = np.zeros((count, pitch), dtype=np.uint8)
    rows[:, : _RDW.size] = np.frombuffer(_RDW.pack(pitch, 0), dtype=np.uint8)
    for entry in layout:
        assert entry.offset is not None
        assert entry.width is not None
        start = _RDW.size + entry.offset
        rows[:, start : start + entry.width] = _FILLERS[entry.kind](entry, count, chance)
    starts = np.arange(count, dtype=np.int64) * pitch
    block = _Block(rows.ravel(), starts, clock_step=1_000 * count)
    for entry in layout:
        places = starts + _RDW.size + (entry.offset or 0)
        if entry.kind == "lrsn10":
            _add_counter(block, places + 2, 0x100 * count)
        elif entry.kind == "timestamp17":
            block.clocks.append(places[_is_set(block.data, places, 17)])
        elif entry.kind in ("uint", "int") and entry.width == 4:
            block.random4.append(places)
        elif entry.kind == "uint" and entry.width == 8:
            _add_counter(block, places, count)
    return block


_Filler = Callable[[Field, int, np.random.Generator], NDArray[np.uint8]]


def _numbers(entry: Field, count: int, chance: np.random.Generator) -> NDArray[np.uint8]:
    width = entry.width or 1
    # The upper half of 8-byte numbers is left to signs, so that counters on them never overflow.
    limit = 1 << (8 * width if width < 8 else 40)
    low = -limit // 2 if entry.kind == "int" else 1
    values = chance.integers(low, limit // 2, count).astype(">i8")
    return values.view(np.uint8).reshape(count, 8)[:, 8 - width :]


def _texts(entry: Field, count: int, chance: np.random.Generator) -> NDArray[np.uint8]:
    """Upper-case words and digits, blanks behind; some are all blank, some fill the field."""
    width = entry.width or 1
    letters = np.frombuffer(_PAGE.encode("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"), dtype=np.uint8)
    text = letters[chance.integers(0, len(letters), (count, width))]
    lengths = np.where(chance.random(count) < 0.2, 0, chance.integers(1, width + 1, count))
    text[np.arange(width) >= lengths[:, None]] = _PAGE.encode(" ")[0]
    return text


def _codes(entry: Field, count: int, chance: np.random.Generator) -> NDArray[np.uint8]:
    known = b"".join(code.value.to_bytes(entry.width or 1, "big") for code in entry.codes)
    return np.frombuffer(known, dtype=np.uint8).reshape(-1, entry.width or 1)[
        chance.integers(0, len(entry.codes), count)
    ]


def _clocks(entry: Field, count: int, chance: np.random.Generator) -> NDArray[np.uint8]:
    start = (datetime(2026, 3, 14) - _EPOCH) // timedelta(microseconds=1)
    filled = np.zeros((count, 17), dtype=np.uint8)
    micros = start + np.cumsum(chance.integers(1, 2000, count))
    filled[:, :10] = _packed_heads(micros).view(np.uint8).reshape(count, 10)
    filled[chance.random(count) < 0.1] = 0
    return filled


def _positions(entry: Field, count: int, chance: np.random.Generator) -> NDArray[np.uint8]:
    values = (0x42_0000_1000 + np.cumsum(chance.integers(1, 0x200, count))).astype(">u8")
    filled = np.zeros((count, 10), dtype=np.uint8)
    filled[:, 2:] = values.view(np.uint8).reshape(count, 8)
    return filled


def _any_bytes(entry: Field, count: int, chance: np.random.Generator) -> NDArray[np.uint8]:
    return chance.integers(0, 256, (count, entry.width or 1), dtype=np.uint8)


_FILLERS: dict[str, _Filler] = {
    "uint": _numbers,
    "int": _numbers,
    "char": _texts,
    "code": _codes,
    "timestamp17": _clocks,
    "lrsn10": _positions,
    "bytes": _any_bytes,
}


def main() -> int:
    """Make one file and print what is known of it."""
    parser = argparse.ArgumentParser(description="Make a file to measure with.", allow_abbrev=False)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("size", type=parse_size, help="300M, 10G: powers of ten")
    parser.add_argument("--folder", type=Path, required=True, help="where files are kept")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    print(json.dumps(asdict(make(options.kind, options.folder, size=options.size, seed=options.seed)), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
