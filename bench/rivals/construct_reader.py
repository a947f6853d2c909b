"""The header declared with construct and compiled; values are decoded behind it.

Its adapters for text are left out on purpose: they are not compiled, and cost more than they save.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import pyarrow as pa
from construct import Bytes, Int8ub, Int16ub, Int32ub, Struct

from bench.rivals import plain
from bench.rivals.target import wanted

_HEADER = Struct(
    "length" / Int16ub,
    "system_id" / Bytes(4),
    "dbid" / Int16ub,
    "psid" / Int16ub,
    "tbobid" / Int16ub,
    "tbowner_len" / Int16ub,
    "tbname_len" / Int16ub,
    "dbname" / Bytes(8),
    "tsname" / Bytes(8),
    "table_owner" / Bytes(8),
    "table_name" / Bytes(18),
    "partnum" / Int16ub,
    "timestamp" / Bytes(17),
    "log_lrsn" / Bytes(10),
    "log_rba" / Bytes(10),
    "member_id" / Int16ub,
    "rid" / Bytes(5),
    "change_type" / Bytes(2),
    "sql_type" / Bytes(1),
    "log_rec_disp" / Bytes(1),
    "sql_src_type" / Bytes(1),
    "log_bytes" / Int32ub,
    "log_delta" / Int16ub,
    "anomaly_row_id" / Int8ub,
    "anomaly_type" / Bytes(1),
    "anomaly_rba" / Bytes(10),
    "uor_timestamp" / Bytes(17),
    "uor_commit_timestamp" / Bytes(17),
    "uor_disp" / Bytes(1),
    "uor_id_lrsn" / Bytes(10),
    "uor_id" / Bytes(10),
    "seg_len" / Int16ub,
    "total_segs" / Int16ub,
    "seg_num" / Int16ub,
    "reserved" / Bytes(4),
    "uor_commit_lrsn" / Bytes(10),
    "uor_commit_point" / Bytes(10),
    "connection_type" / Bytes(2),
    "connect_id" / Bytes(8),
    "correlation_id" / Bytes(12),
    "auth_id" / Bytes(8),
    "plan" / Bytes(8),
    "luw_network_id" / Bytes(8),
    "luw_name" / Bytes(8),
    "luw_instance_no" / Bytes(6),
    "luw_sequence_no" / Int16ub,
    "incomplete_trans" / Bytes(1),
    "incomplete_dep" / Bytes(1),
    "uor_has_comp" / Bytes(1),
    "sql_ri_rba" / Bytes(10),
    "page_num_fmt" / Bytes(1),
).compile()


def read(path: str, columns: tuple[str, ...] | None) -> pa.Table:
    """The header fields of a log."""
    names = wanted(columns)
    # The length goes along, since it is checked, and makes the getter give tuples.
    values = itemgetter("length", *names)

    def rows(headers: Iterator[bytes]) -> Iterator[tuple[Any, ...]]:
        for header in headers:
            length, *row = values(_HEADER.parse(header))
            if length != plain.HEADER:
                raise ValueError(f"a header of {length} bytes")
            yield tuple(row)

    return plain.read(path, names, rows)
