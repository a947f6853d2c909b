"""Records that unpack to far more bytes than they have: batches of rows and lines end behind some of them."""

from __future__ import annotations

import gc
import zlib
from pathlib import Path

import pyarrow as pa
import pytest
from columnar.test_decimal_columns import build

from lmparse.columnar import rows, schemas
from lmparse.columnar.filters import Filter
from lmparse.logs import arrow, lines
from lmparse.logs.arrow import record_rows
from lmparse.logs.open import open_file
from lmparse.options import Options
from lmparse.records import reader
from lmparse.records.files import RecordFile, ignored
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog

PLAIN = {"id": "x", "size": "n", "process": "zlib"}
BODY = {"id": "body", "-lm-type": "body", "type": {"switch-on": "n", "cases": {1: "short", "_": "packed"}}}
SPECS = {
    "u_row": {"seq": [{"id": "n", "type": "u1"}, PLAIN]},
    "u_form": {
        "seq": [{"id": "n", "type": "u1"}, BODY],
        "types": {
            "short": {"seq": [{"id": "y", "size": 1}]},
            "packed": {"seq": [{"id": "x", "size": "_root.n", "process": "zlib"}]},
        },
    },
}
"""Specs that are read row by row, and form by form where a record is short."""
UNPACKED = 500
COUNT = 60
MOST = 1000


def _records(spec: str) -> list[bytes]:
    packed = zlib.compress(bytes(UNPACKED))
    long = bytes([len(packed)]) + packed
    return [long if spec == "u_row" or number % 2 else b"\x01y" for number in range(COUNT)]


@pytest.fixture(params=SPECS)
def file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RecordFile:
    monkeypatch.setattr(rows, "BATCH_BYTES", MOST)
    spec = build(tmp_path, request.param, SPECS[request.param])
    path = tmp_path / "x.dat"
    path.write_bytes(b"".join((len(raw) + 4).to_bytes(2) + bytes(2) + raw for raw in _records(request.param)))
    return open_file(path, Options(spec=spec, framing="rdw", engine="columnar"), on_error=ignored)


def test_a_batch_of_rows_ends_behind_what_was_unpacked(file: RecordFile) -> None:
    schema = schemas.records_schema(file.options.spec)
    found = list(arrow.record_batches(file, schema))
    assert max(sum(map(rows.size_of, batch["x"].to_pylist())) for batch in found) == MOST
    whole = pa.Table.from_batches(found)
    by_row = pa.Table.from_batches(rows.batches(record_rows(file, schema), schema))
    assert whole.equals(by_row)
    assert whole.num_rows == COUNT
    some = pa.Table.from_batches(arrow.record_batches(file, schema, filters=[Filter("n", ">", 1)]))
    assert some.num_rows == sum(raw[0] > 1 for raw in _records(file.spec.id.rpartition("/")[2]))


def test_a_batch_of_lines_ends_behind_what_was_unpacked(file: RecordFile) -> None:
    found = list(lines.record_lines(file))
    assert sum(batch.num_rows for batch in found) == COUNT
    long = [sum(len(line) > UNPACKED for line in batch.column(0).to_pylist()) for batch in found]
    assert max(long) == 1  # its hexadecimal digits are as many as a batch has bytes
    options = Options(spec=file.options.spec, framing="rdw", engine="kaitai")
    by_row = "".join(lines.printed(open_file(file.path, options, on_error=ignored), with_changes=False))
    assert b"".join(line for batch in found for line in batch.column(0).to_pylist()).decode() == by_row


def test_items_of_a_list_count(tmp_path: Path) -> None:
    assert rows.size_of({"x": [1, 2, 3], "y": 5, "z": ["", "ab"]}) == 8 * 3 + 8 * 2 + 2


def test_parsed_records_are_let_go_by_what_they_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each refers to itself, and is few objects, so Python would keep many of them."""
    monkeypatch.setattr(reader, "_LARGE", UNPACKED // 2)
    monkeypatch.setattr(reader, "_COLLECTED", 4 * UNPACKED)
    spec = catalog.load(build(tmp_path, "u_row", SPECS["u_row"]))
    records = RecordReader(spec)
    gc.collect()
    most = 0
    for raw in _records("u_row")[:15]:
        records.parse(raw)
        most = max(most, sum(type(one) is spec.parser for one in gc.get_objects()))
    assert most <= 6
