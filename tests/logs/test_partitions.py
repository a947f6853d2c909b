"""Parts: records of the parts of a file are those of the whole file, and so are their errors."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from amounts import amount
from samples.db2_scripts import EMP, ITEM, emp, item
from writers.bmc import framing as enc
from writers.bmc import logs
from writers.db2.stream import Stream

from lmparse import cli
from lmparse.columnar.schemas import records_schema
from lmparse.errors import DataError, FramingError
from lmparse.framing.extents import Span
from lmparse.logs.arrow import part_rows, read_table
from lmparse.logs.partitions import FilePart, Request
from lmparse.options import Options

MAX_BYTES = {"bmc_lldf": 30_000, "db2_log": 70_000}
"""Of a part, by spec: what is no record of Db2 LUW can pass for one for some ten thousand bytes."""
RECORDS = list(logs.example().data_records)
LONGEST = max(map(len, RECORDS))
# Ways to write z/OS files: name of the encoder's, name of the reader's, options.
ZOS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "rdw": ("rdw", "rdw", {}),
    "bdw": ("bdw", "bdw", {"block_size": 4000}),
    "extended bdw": ("bdw-extended", "bdw", {"block_size": 4000}),
    "vbs": ("vbs", "vbs", {"piece_sizes": 300}),
    "bdw-vbs": ("bdw", "bdw-vbs", {"block_size": 4000}),
    "zosmf": ("zosmf", "zosmf", {}),
    "fixed": ("fixed", "fixed", {"record_length": LONGEST}),
}
LUW = [
    *("little v10 filter", "big v10 filter", "little v10 bare", "big v10 lsn8", "little v10 filter97"),
    *("big v7 lsn6", "little v9.7 bare"),
]
EVERY = [*ZOS, *LUW]
OPTIONS = {"spec": "bmc_lldf", "framing": "rdw"}
ENDINGS = ("parquet", "arrow", "csv", "jsonl")
Made = tuple[bytes, dict[str, Any]]


@cache
def made(way: str) -> Made:
    """A file of more than four parts, and the options to read it with."""
    if way not in ZOS:
        order, generation, name = way.split()
        options = {"spec": "db2_log", "framing": name, "byte_order": order, "generation": generation}
        return luw_log(order, generation, name, amount(5 * MAX_BYTES["db2_log"], 1 << 20)), options
    kind, reader, options = ZOS[way]
    size = 5 * MAX_BYTES["bmc_lldf"]
    count = size // sum(map(len, RECORDS)) + 1 if kind != "fixed" else size // LONGEST // len(RECORDS) + 1
    named = {"record_length": LONGEST} if kind == "fixed" else {}
    return logs.as_file(RECORDS * count, kind, **options), {"spec": "bmc_lldf", "framing": reader, **named}


@cache
def luw_log(order: Any, generation: Any, name: Any, most: int = 1 << 20) -> bytes:
    """The log of 500 transactions, or of those that begin in its first `most` bytes."""
    stream, chance = Stream(generation, order, name), random.Random(1)
    for number in range(500):
        if stream.records and stream.records[-1].offset > most:
            break
        unit = stream.begin(f"USER{number}")
        for row in range(chance.randrange(1, 6)):
            unit.insert(EMP, emp(row, "x" * chance.randrange(30)))
            unit.update(ITEM, item(row), item(row, "y" * chance.randrange(20)))
        unit.commit()
    return bytes(stream.bytes())


@pytest.fixture
def put(tmp_path: Path) -> Callable[[bytes], Path]:
    def put(data: bytes) -> Path:
        path = tmp_path / "night.dat"
        path.write_bytes(data)
        return path

    return put


def request(path: Path, options: dict[str, Any]) -> Request:
    return Request((str(path),), Options.parse(options), max_bytes=MAX_BYTES[options["spec"]])


def parts_of(path: Path, options: dict[str, Any]) -> list[FilePart]:
    parts = list(request(path, options).parts())
    assert len(parts) > 2
    assert parts[0].span.start == 0
    return parts


def schema_of(options: dict[str, Any]) -> pa.Schema:
    schema = records_schema(str(options["spec"]))
    return schema.remove(schema.get_field_index("_metadata"))


def rows_of(parts: list[FilePart], schema: pa.Schema) -> pa.Table:
    batches = [batch for part in parts for batch in part_rows(part, schema, with_changes=False)]
    return pa.Table.from_batches(batches, schema)


def error_of(part: FilePart, schema: pa.Schema) -> str:
    """What reading a part ends with; nothing when it ends well."""
    try:
        rows_of([part], schema)
    except DataError as error:
        return str(error)
    return ""


# the same rows


@pytest.mark.parametrize("way", EVERY)
def test_parts_give_the_rows_of_the_whole_file(put: Any, way: str) -> None:
    data, options = made(way)
    path = put(data)
    parts = [pickle.loads(pickle.dumps(part)) for part in parts_of(path, options)]
    assert rows_of(parts, schema_of(options)).equals(read_table(path, metadata=False, **options))


def test_a_file_that_one_part_holds_is_not_cut(put: Any) -> None:
    data, options = made("rdw")
    path = put(data)
    (part,) = replace(request(path, options), max_bytes=len(data)).parts()
    assert part.span == Span(0, len(data), 0)


# damage


DAMAGE = ["bytes in the middle", "the end is missing"]


def damaged(data: bytes, options: dict[str, Any], what: str) -> bytes:
    """A file with bytes in the middle that begin no record, or without its last ones."""
    if what == "the end is missing":
        return data[:-7]
    start = next(extent.offset for extent in framed(data, options) if extent.offset > len(data) // 2)
    # The whole record before it, with its descriptor words.
    return data[: start - 400] + b"\xff" * 400 + data[start:]


def framed(data: bytes, options: dict[str, Any]) -> Any:
    from lmparse.framing.framings import framing_of

    named = {name: options.get(name) for name in ("record_length", "byte_order")}
    return framing_of(options["framing"], **named).extents(data)


@pytest.mark.parametrize("what", DAMAGE)
@pytest.mark.parametrize("way", [way for way in EVERY if way != "fixed"])
def test_damage_is_told_as_by_reading_at_once(put: Any, way: str, what: str) -> None:
    data, options = made(way)
    path = put(damaged(data, options, what))
    with pytest.raises(FramingError) as whole:
        read_table(path, **options)
    parts, schema = parts_of(path, options), schema_of(options)
    errors = [error_of(part, schema) for part in parts]
    assert set(errors) == {"", str(whole.value)}
    # Everything in front of the damage is there.
    first = errors.index(str(whole.value))
    assert all(errors[number] == "" for number in range(first))
    assert whole.value.record_offset is not None
    assert parts[first].span.start <= whole.value.record_offset


# logs in logs


def bad_records() -> Made:
    """Records that are none of the spec, each with many in it that are: only these look like records."""
    inner = enc.rdw(RECORDS[:3] * 20)[:31_000]
    outer = b"\x7f\xff" + RECORDS[0][2:288] + inner
    return enc.rdw([*RECORDS * 4, *[outer] * 8, *RECORDS * 4]), {"spec": "bmc_lldf", "framing": "rdw"}


def spanned_records() -> Made:
    """A record so long that none before a cut is in reach, with records in it."""
    inner = enc.vbs(RECORDS * 3, 32_000)[:30_000]
    long = RECORDS[0] + b"".join(inner.ljust(32_000, b"\x00") for _ in range(8))
    return enc.vbs([*RECORDS * 4, long, *RECORDS * 4], 32_000), {"spec": "bmc_lldf", "framing": "vbs"}


def luw_records() -> Made:
    """The same of Db2 LUW, where a record has no limit."""
    inner = luw_log("little", "v10", "bare")[:220_000]
    head = inner[:40]
    long = (len(inner) + 40).to_bytes(4, "little") + b"\x99\x99" + head[6:] + inner
    options = {"spec": "db2_log", "framing": "bare", "byte_order": "little", "generation": "v10"}
    begin = luw_log("little", "v10", "bare")
    return begin + long + begin, options


TRAPS = {"bad records": bad_records, "spanned records": spanned_records, "records of LUW": luw_records}


@pytest.mark.parametrize("trap", TRAPS)
def test_a_log_in_a_log_is_read_right(put: Any, trap: str) -> None:
    data, options = TRAPS[trap]()
    path = put(data)
    parts = parts_of(path, options)
    assert rows_of(parts, records_schema(options["spec"])).equals(read_table(path, **options))


@pytest.fixture
def with_bad_records(put: Any) -> Path:
    """Every twentieth record has a timestamp that is none."""
    records = RECORDS * 20
    for number in range(19, len(records), 20):
        records[number] = records[number][:60] + b"\xff" * 17 + records[number][77:]
    path: Path = put(enc.rdw(records))
    return path


# processes


class Converted:
    """`lmparse convert` of a file, by one process and by several."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self.capsys = path, capsys

    def run(self, ending: str, jobs: int, options: dict[str, Any]) -> tuple[int, str, bytes | None]:
        """Exit code, what is said, and what is written."""
        out = self.path.with_name(f"out.{ending}")
        named = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", str(value))]
        parts = ["--jobs", str(jobs), "--part-bytes", str(MAX_BYTES[options["spec"]])]
        code = cli.main(["convert", str(self.path), str(out), *named, *parts])
        said = self.capsys.readouterr().err
        found = out.read_bytes() if out.is_file() else None
        out.unlink(missing_ok=True)
        return code, said, found


@pytest.fixture
def convert(put: Any, capsys: pytest.CaptureFixture[str]) -> Callable[[bytes], Converted]:
    return lambda data: Converted(put(data), capsys)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("mode", ["permissive", "dropmalformed", "failfast"])
@pytest.mark.parametrize("engine", ["columnar", "kaitai", "check"])
def test_errors_of_processes_have_the_numbers_of_the_file(
    convert: Any, with_bad_records: Path, engine: str, mode: str, ending: str
) -> None:
    task, options = convert(with_bad_records.read_bytes()), OPTIONS | {"mode": mode, "engine": engine}
    parts_of(task.path, options)
    one = task.run(ending, 1, options)
    assert task.run(ending, 2, options) == one
    assert one[0] == 20
    assert ("record 299 at" in one[1]) == (mode != "failfast")
    assert (one[2] is None) == (mode == "failfast")
