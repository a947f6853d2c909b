"""Arrays of records: each keeps the type with which it is declared, and many forms or tables cost what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples.db2_scripts import ITEM, item
from writers.db2.framing import Framed, prefix
from writers.db2.header import PROPAGATABLE, Header, record
from writers.db2.stream import Stream
from writers.db2.wire import Server

from lmparse.db2.record.column_reader import MOST_FORMS
from lmparse.logs.arrow import version_batches
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes

LARGE = (1 << 63) - 3
"""No float of 64 bits has it."""
MOVED = 0x8000
"""The flag of a delete and an insert that are halves of one update."""


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_log_sequence_numbers_beyond_the_integers_of_floats(engine: str, tmp_path: Path) -> None:
    """Also in a part with changes that were found record by record."""
    stream = Stream("v10", "little", "filter")
    stream._lsn = LARGE - 100
    regular, moved = stream.begin(), stream.begin()
    regular.insert(ITEM, item(1))
    moved.insert(ITEM, item(2))
    moved.delete(ITEM, item(3), flags=MOVED)
    moved.insert(ITEM, item(3, "longer"), flags=MOVED)
    regular.commit()
    moved.commit()
    path = tmp_path / "x.log"
    path.write_bytes(stream.bytes())
    log = open_changes(path, read_options({"spec": "db2_log", "engine": engine}))
    rows = sorted((row for _, batch in version_batches(log) for row in batch.to_pylist()), key=lambda row: row["seq"])
    first, second, *_, end, last = (f"{record.lsn:016X}" for record in stream.records)
    assert [row["seq"][16:32] for row in rows] == [end, last, last]
    assert [row["txn_id"][12:] for row in rows] == [first, second, second]


def test_more_kinds_of_records_than_a_server_writes(tmp_path: Path) -> None:
    """Those that are one too many are parsed by themselves, and no more is learned than the limit."""
    server, address, out = Server("v10", "little"), 1000, bytearray()
    for number in range(MOST_FORMS + 50):
        header = Header(0x200 + number, bytes(5) + b"\x01", PROPAGATABLE, 1000 + number, 1, 0, 0, 0, 0)
        data = record(server, header, b"ab")
        out += prefix("filter", "little", Framed(data, 1000 + number, address, 1, 0, 0)) + data
        address += len(data)
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.insert(ITEM, item(1))
    unit.commit()
    path = tmp_path / "x.log"
    path.write_bytes(bytes(out) + stream.bytes())
    named = {"framing": "filter", "generation": "v10", "byte_order": "little", "include": "all", "spec": "db2_log"}
    log = open_changes(path, read_options(named), on_error=lambda _: None)
    found = list(log.changes())
    assert len(found) == 1
    other = open_changes(path, read_options({**named, "engine": "kaitai"}), on_error=lambda _: None)
    assert found == list(other.changes())
    assert log.tally.notices == other.tally.notices
    assert len(log.log_index._reader.columns.forms) == MOST_FORMS  # type: ignore[attr-defined]
