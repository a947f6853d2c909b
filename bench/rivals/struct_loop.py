"""The plain loop: one `struct` for the header, a decode for each field, no NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from struct import Struct, calcsize
from typing import Any

import pyarrow as pa

from bench.rivals import plain
from bench.rivals.target import wanted

_FORMATS = {
    "length": "H",
    "system_id": "4s",
    "dbid": "H",
    "psid": "H",
    "tbobid": "H",
    "tbowner_len": "H",
    "tbname_len": "H",
    "dbname": "8s",
    "tsname": "8s",
    "table_owner": "8s",
    "table_name": "18s",
    "partnum": "H",
    "timestamp": "17s",
    "log_lrsn": "10s",
    "log_rba": "10s",
    "member_id": "H",
    "rid": "5s",
    "change_type": "2s",
    "sql_type": "s",
    "log_rec_disp": "s",
    "sql_src_type": "s",
    "log_bytes": "I",
    "log_delta": "H",
    "anomaly_row_id": "B",
    "anomaly_type": "s",
    "anomaly_rba": "10s",
    "uor_timestamp": "17s",
    "uor_commit_timestamp": "17s",
    "uor_disp": "s",
    "uor_id_lrsn": "10s",
    "uor_id": "10s",
    "seg_len": "H",
    "total_segs": "H",
    "seg_num": "H",
    "reserved": "4s",
    "uor_commit_lrsn": "10s",
    "uor_commit_point": "10s",
    "connection_type": "2s",
    "connect_id": "8s",
    "correlation_id": "12s",
    "auth_id": "8s",
    "plan": "8s",
    "luw_network_id": "8s",
    "luw_name": "8s",
    "luw_instance_no": "6s",
    "luw_sequence_no": "H",
    "incomplete_trans": "s",
    "incomplete_dep": "s",
    "uor_has_comp": "s",
    "sql_ri_rba": "10s",
    "page_num_fmt": "s",
}


def read(path: str, columns: tuple[str, ...] | None) -> pa.Table:
    """The header fields of a log."""
    names = wanted(columns)
    # What is not wanted is skipped in C; the length always comes first, since it is checked.
    kept = {"length", *names}
    unpack = Struct(
        ">" + "".join(form if name in kept else f"{calcsize('>' + form)}x" for name, form in _FORMATS.items())
    ).unpack
    stand = [name for name in _FORMATS if name in kept]
    pick = None if tuple(stand) == names else _picker([stand.index(name) for name in names])

    def rows(headers: Iterator[bytes]) -> Iterator[tuple[Any, ...]]:
        for header in headers:
            values = unpack(header)
            if values[0] != plain.HEADER:
                raise ValueError(f"a header of {values[0]} bytes")
            yield values if pick is None else pick(values)

    return plain.read(path, names, rows)


def _picker(places: list[int]) -> Any:
    """`itemgetter` that gives a tuple for a single place too."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda values: (values[places[0]],)
