"""Files to measure with, made from a seed: same kind, size and seed, same bytes.

A block of some thousand different records is written again and again, as `lmparse sample` does it, with keys,
row ids, log positions and clocks moved on, so that ten gigabytes take as long as writing them.

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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from bench import db2_logs
from lmparse.db2.tables.table import Table
from lmparse.samples import bmc_log
from lmparse.samples.blocks import Moved, RecordBlock, counter
from lmparse.samples.bmc_stream import StreamMaker, clock
from lmparse.samples.keys import packed, time_digits
from lmparse.samples.rows import Shape, described
from lmparse.spec import catalog
from lmparse.spec.layout import Field, Layout
from lmparse.values import codepages

ROOT = Path(__file__).resolve().parent.parent
SPECS = Path(__file__).parent / "specs"
KINDS = ("lldf", "rows", "narrow", "wide")
_PAGE = codepages.lookup("cp1047")
_RDW = struct.Struct(">HH")
_LLDF_ROWS = 4000
_FIXED_BLOCK = 4 << 20
_EPOCH = datetime(1970, 1, 1)
_SHORTER = {"CUSTOMER": "CHAR(10)", "CITY": "CHAR(20)", "COUNTRY": "CHAR(2)"}
_LIKE_DB2 = db2_logs.table()
ORDERS = replace(
    _LIKE_DB2,
    columns=described((c.name, _SHORTER.get(c.name, c.sql_words), c.is_nullable) for c in _LIKE_DB2.columns),
)
"""The table of kind `rows`, 14 columns, its key first; its texts are short enough for the Db2 LUW log in UTF-8."""
_NOT_NULL = ("ID", "EMPNO", "NAME")
_SMALL = {
    "EMPLOYEE": (("EMPNO", "CHAR(8)"), ("NAME", "VARCHAR(40)"), ("SALARY", "DECIMAL(9,2)"), ("HIRED", "DATE")),
    "ACCOUNT": (("ID", "BIGINT"), ("BALANCE", "DECIMAL(15,4)"), ("RATE", "DOUBLE"), ("OPENS", "TIME")),
    "DOCUMENT": (("ID", "INTEGER"), ("TITLE", "VARGRAPHIC(30)"), ("CHANGED", "TIMESTAMP(6)")),
}
TABLES = (
    ORDERS,
    *(
        Table(261, number, described((one, words, one not in _NOT_NULL) for one, words in columns), "PAYROLL", name)
        for number, (name, columns) in enumerate(_SMALL.items(), 3)
    ),
)
"""The tables of kind `lldf`."""


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
        block, described_ = log_block((ORDERS,) if kind == "rows" else TABLES, seed)
        path.with_suffix(".ctl").write_bytes(bmc_log.framed(described_)[0])
        control = str(path.with_suffix(".ctl"))
    records, digest = _write(block, path, size)
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
    makers = sorted(Path(bmc_log.__file__ or "").parent.glob("*.py"))
    sources = [Path(__file__), *makers, *sorted(SPECS.glob("*/*.ksy"))]
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:8]


# -- blocks -----------------------------------------------------------------------------


class _Hashed:
    """A file that is written, and its hash."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.digest = file, hashlib.sha256()

    def write(self, data: memoryview) -> None:
        """Write some bytes."""
        self._file.write(data)
        self.digest.update(data)


def _write(block: RecordBlock, path: Path, size: int) -> tuple[int, str]:
    """Write repetitions up to a size; returns the number of records and the hash."""
    unfinished = path.with_suffix(".partial")
    with open(unfinished, "wb", buffering=0) as file:
        hashed = _Hashed(file)
        records, _ = block.write(cast("BinaryIO", hashed), size)
    os.replace(unfinished, path)
    return records, hashed.digest.hexdigest()


def log_block(tables: Sequence[Table], seed: int) -> tuple[RecordBlock, list[bytes]]:
    """Whole units of recovery with changes of some tables, and the records of the control file."""
    maker = StreamMaker(random.Random(seed), Shape(savepoints=0), tables, _PAGE)
    block, log = maker.block(_LLDF_ROWS), bmc_log.SampleLog()
    maker.describe(log)
    return block, log.control


# -- records of fixed width -----------------------------------------------------------------


def _fixed_block(layout: Layout, seed: int) -> RecordBlock:
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
    return RecordBlock(rows.ravel(), starts, list(_moved(layout, rows.ravel(), starts + _RDW.size, seed)))


def _moved(layout: Layout, data: NDArray[np.uint8], starts: NDArray[np.int64], seed: int) -> Iterator[Moved]:
    """What differs from block to block: positions, clocks, numbers of 8 bytes; those of 4 bytes are random."""
    count = len(starts)
    for entry in layout:
        places = starts + (entry.offset or 0)
        if entry.kind == "lrsn10":
            yield counter(data, places + 2, 0x100 * count, ">u8")
        elif entry.kind == "timestamp17":
            is_set = data[places[:, None] + np.arange(17)].any(axis=1)
            yield clock(data, places[is_set], 1_000 * count)
        elif entry.kind in ("uint", "int") and entry.width == 4:
            yield Moved(places[:, None] + np.arange(4), partial(_random4, (seed, entry.offset or 0), count))
        elif entry.kind == "uint" and entry.width == 8:
            yield counter(data, places, count, ">u8")


def _random4(seed: tuple[int, int], count: int, number: int) -> NDArray[np.uint8]:
    return np.random.default_rng((*seed, number)).integers(0, 256, (count, 4), dtype=np.uint8)


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
    filled[:, :10] = packed(time_digits(micros))
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
