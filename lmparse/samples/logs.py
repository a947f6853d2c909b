"""Samples as a user asks for them: a log of one family, with tables of their own, or records of a spec; of any size.

The tables are those of a tables file, or such as have all types of the family.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmparse.db2.tables.table import Table, read_tables_file
from lmparse.errors import LmparseError, OptionError, UnknownFormatError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_file
from lmparse.samples.blocks import BlockMaker, RecordBlock, write_rows
from lmparse.samples.bmc_log import SampleLog, framed
from lmparse.samples.bmc_stream import StreamMaker
from lmparse.samples.damage import MadeRecords
from lmparse.samples.db2_log import tables_file
from lmparse.samples.db2_stream import StreamWriter
from lmparse.samples.rows import Shape, described
from lmparse.samples.spec_records import records
from lmparse.spec import catalog
from lmparse.spelling import quoted
from lmparse.values import byte_arrays, codepages, integers
from lmparse.values.encoding import encode_record

FRAMINGS = ("rdw", "bdw")
"""Framings of Log Master logs that are written."""
_DIFFERENT = 1000
"""Records of a spec that are invented; a file of more has them again and again."""
_SHARED = (
    ("SMALL", "SMALLINT"), ("WHOLE", "INTEGER"), ("LARGE", "BIGINT"), ("AMOUNT", "DECIMAL(9,2)"),
    ("EXACT", "DECIMAL(31,8)"), ("SHORT_FLOAT", "REAL"), ("FLOAT", "DOUBLE"), ("CODE", "CHAR(10)"),
    ("NAME", "VARCHAR(80)"), ("TOKEN", "CHAR(8) FOR BIT DATA"), ("IMAGE", "VARCHAR(60) FOR BIT DATA"),
    ("MASK", "BINARY(4)"), ("RAW", "VARBINARY(40)"), ("HIRED", "DATE"), ("OPENS", "TIME"),
    ("CHANGED", "TIMESTAMP(6)"), ("SECONDS", "TIMESTAMP(0)"), ("PICOS", "TIMESTAMP(12)"),
)  # fmt: skip
_GRAPHIC = (("SIGN", "GRAPHIC(6)"), ("SIGNS", "VARGRAPHIC(30)"))
_LOBS = (("LETTER", "CLOB(1M)"), ("PHOTO", "BLOB(1M)"), ("SCRIPT", "DBCLOB(512K)"))
_OF_FAMILY = {
    "logmaster": (("ZONED", "TIMESTAMP(6) WITH TIME ZONE"), ("FINE", "TIMESTAMP(12) WITH TIME ZONE")),
    "db2": (("DECIMAL_FLOAT", "DECFLOAT(16)"), ("LONG_FLOAT", "DECFLOAT(34)"), ("PAID", "BOOLEAN"), ("NOTE", "XML")),
}
"""Columns of types that only one family has."""


@dataclass(frozen=True)
class SampleRequest:
    """What log is to be written."""

    kind: str
    """`logmaster`, `db2`, or a spec as `catalog.load` takes it."""
    rows: int
    """Changes of rows that last, those that are rolled back or left open come on top; or records."""
    seed: int = 1
    tables: str | None = None
    """Path of a tables file."""
    code_page: str | None = None
    framing: str | None = None
    """Of Log Master, one of FRAMINGS."""


@dataclass(frozen=True)
class WrittenSample:
    """The files of a sample."""

    files: Sequence[str]
    """Names in the folder, that of the log or of the records first."""
    records: MadeRecords
    """The first file."""
    options: Sequence[str]
    """Words that the shell needs beside the name of the file; those that are among `files` are in the folder."""
    command: str = "changes"
    """The command that reads it."""


def write_sample(folder: Path, asked: SampleRequest) -> WrittenSample:
    """Write the files of a sample into a folder.

    Raises OptionError for a column that has no type of the family and a key of too few values, ControlError LMP-C009
    for an unusable tables file.
    """
    if asked.kind not in _OF_FAMILY:
        return _write_records(folder, asked)
    tables = builtin(asked.kind) if asked.tables is None else [*read_tables_file(asked.tables).values()]
    if not tables:
        raise OptionError(f"{asked.tables} has no table")
    chance, shape = random.Random(asked.seed), Shape(lobs=0.05, lob_bytes=40_000)
    return (_write_db2 if asked.kind == "db2" else _write_log_master)(folder, asked, tables, shape, chance)


def _write_db2(
    folder: Path, asked: SampleRequest, tables: Sequence[Table], shape: Shape, chance: random.Random
) -> WrittenSample:
    if asked.framing is not None:
        raise OptionError("framing means nothing for Db2 LUW: the log is as a filtered read returns it")
    writer = StreamWriter(chance, shape, tables, codepages.lookup(asked.code_page or "utf-8"))
    path = folder / "sample.log"
    block = _write(writer, path, asked.rows)
    (folder / "sample.yaml").write_text(tables_file([*tables]), encoding="utf-8")
    more = ["--code-page", asked.code_page] if asked.code_page else []
    prefix = catalog.load("db2_prefix").layouts["db2_prefix.filter"].width or 0
    file = MadeRecords(path, _bounds(block), prefix, (), is_ebcdic=False)
    return WrittenSample((path.name, "sample.yaml"), file, ("--tables", "sample.yaml", *more))


def _write_log_master(
    folder: Path, asked: SampleRequest, tables: Sequence[Table], shape: Shape, chance: random.Random
) -> WrittenSample:
    page = codepages.lookup(asked.code_page or "cp1047")
    if not page.is_ebcdic:
        raise OptionError(f"code page {page.name} is not EBCDIC, as the text of a Log Master log is")
    framing = asked.framing or FRAMINGS[0]
    maker = StreamMaker(chance, shape, tables, page, framing)
    path = folder / "sample.dat"
    block = _write(maker, path, asked.rows)
    log = SampleLog()
    maker.describe(log)
    (folder / "sample.ctl").write_bytes(framed(log.control, framing)[0])
    entry, word = catalog.load("bmc_lldf").layout["seg_num"], catalog.load("zos_rdw").layout.width or 0
    numbers = byte_arrays.take_rows(block.data, block.starts + word + (entry.offset or 0), entry.width or 0)
    segments = np.flatnonzero(integers.decode_unsigned_array(numbers) > 1).tolist()
    file = MadeRecords(path, _bounds(block), 1, segments, is_ebcdic=True)
    return WrittenSample((path.name, "sample.ctl"), file, ("--control", "sample.ctl"))


def _write_records(folder: Path, asked: SampleRequest) -> WrittenSample:
    """Write records behind RDWs, or, where one is too long for these, behind the lengths that z/OSMF has."""
    for name in ("tables", "code_page", "framing"):
        if getattr(asked, name) is not None:
            raise OptionError(f"{name} means nothing for records of a spec", code="LMP-S003")
    try:
        spec, path = catalog.load(asked.kind), folder / "records.dat"
    except UnknownFormatError as error:
        raise OptionError(
            f"there is no kind {quoted(asked.kind)}", hint=f"logmaster, db2, or a spec; of specs: {error.hint}"
        ) from None
    found = records(spec, min(asked.rows, _DIFFERENT), asked.seed)
    word = catalog.load("zos_rdw")
    is_short = max(map(len, found)) + (word.layout.width or 0) < 1 << 8 * (word.layout["length"].width or 0)
    framing, word = ("rdw", word) if is_short else ("zosmf", catalog.load("zos_zosmf"))
    width, page = word.layout.width or 0, codepages.lookup("cp037")
    framed_ = [encode_record(word, {"length": len(one) + width * is_short}, page) + one for one in found]
    with path.open("wb") as file:
        for number in range(asked.rows):
            file.write(framed_[number % len(framed_)])
    starts = np.cumsum([0, *map(len, framed_)]).tolist()
    known = MadeRecords(path, starts, 1 if is_short else width - 1, (), is_ebcdic="ebcdic" in spec.codecs)
    with suppress(LmparseError):
        if open_file(path, read_options({"spec": asked.kind})).framing.name == framing:
            return WrittenSample((path.name,), known, ("--spec", asked.kind), "records")
    return WrittenSample((path.name,), known, ("--spec", asked.kind, "--framing", framing), "records")


def _write(maker: BlockMaker, path: Path, rows: int) -> RecordBlock:
    with open(path, "wb", buffering=0) as file:
        return write_rows(maker, file, rows)


def _bounds(block: RecordBlock) -> list[int]:
    return [*block.starts.tolist(), len(block.data)]


def builtin(kind: str) -> list[Table]:
    """Tables that have columns of all types that rows of a family may have."""
    first = (("ID", "INTEGER"), *_SHARED, *(_OF_FAMILY[kind][:-1]))
    second = (("NUMBER", "CHAR(12)"), ("TITLE", "VARCHAR(60)"), *_GRAPHIC, *_LOBS, *(_OF_FAMILY[kind][-1:]))
    row_id = (("ROW_ID", "ROWID"),) if kind == "logmaster" else ()
    third = (("ACCOUNT", "DECIMAL(11,0)"), ("POSTED", "TIMESTAMP(6)"), ("TEXT", "VARCHAR(32000)"), *row_id)
    found = []
    for number, (name, columns, key) in enumerate(
        (("ALL_TYPES", first, ("ID",)), ("DOCUMENT", second, ("NUMBER",)), ("LEDGER", third, ("ACCOUNT", "POSTED"))), 4
    ):
        known = described((column, words, column not in (*key, "ROW_ID")) for column, words in columns)
        found.append(Table(2, number, known, "SAMPLE", name, key=key))
    return found
