"""Db2 for LUW: a log record of any kind that lost its last bytes is not read as if it were whole.

The cases have every kind in every generation and byte order; `tests/laws/test_cases.py` reads them.
"""

from __future__ import annotations

import pytest
from cases import luw
from writers.db2.header import record
from writers.db2.wire import Server

import lmparse
from lmparse.db2.record.log_record import LogReader
from lmparse.values.json_form import to_json


@pytest.mark.parametrize("cut", [0, 1, 2])
@pytest.mark.parametrize("server", luw.SERVERS, ids=luw.word)
def test_a_shorter_record_is_an_error_or_keeps_its_bytes(server: Server, cut: int) -> None:
    """Its length says that it is shorter."""
    reader = LogReader(server.generation, server.byte_order, "bare").records
    puts = [put for _, _, _, made in luw.COMPONENTS for put in made(server)]
    assert len(puts) > 60
    for number, put in enumerate(puts):
        header = luw.header_of(server, put, number)
        raw = record(server, header, put.body)
        whole = to_json(reader.read(raw).raise_fault().values)
        if not cut:
            named = {"generation": server.generation, "byte_order": server.byte_order}
            assert lmparse.parse(raw, "db2_log", **named, enums="numbers") == whole
            continue
        fault: lmparse.DataError | None = None
        try:
            found = to_json(reader.read(record(server, header, put.body[:-cut])).values)
        except lmparse.DataError as error:
            fault = error
        if fault is not None:
            assert fault.field, put.kind
            assert fault.code in ("LMP-R001", "LMP-R002", "LMP-R003", "LMP-V001", "LMP-V003", "LMP-V009"), put.kind
        else:
            # What ends where the record ends is shorter by these bytes.
            shorter = [name for name in found if found[name] != whole.get(name) and name != "length"]
            assert not put.body or shorter, (put.kind, put.values)
