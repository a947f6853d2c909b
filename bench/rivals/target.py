"""What every rival has to give: the header fields of a logical log, in order, and their Arrow types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

BATCH = 16_384
"""Records that a reader holds at a time, beside what it has finished."""
_MICROS = pa.timestamp("us")

SCHEMA = pa.schema(
    [
        ("length", pa.int32()),
        ("system_id", pa.string()),
        ("dbid", pa.int32()),
        ("psid", pa.int32()),
        ("tbobid", pa.int32()),
        ("tbowner_len", pa.int32()),
        ("tbname_len", pa.int32()),
        ("dbname", pa.string()),
        ("tsname", pa.string()),
        ("table_owner", pa.string()),
        ("table_name", pa.string()),
        ("partnum", pa.int32()),
        ("timestamp", _MICROS),
        ("log_lrsn", pa.binary()),
        ("log_rba", pa.binary()),
        ("member_id", pa.int32()),
        ("rid", pa.binary()),
        ("change_type", pa.string()),
        ("sql_type", pa.string()),
        ("log_rec_disp", pa.string()),
        ("sql_src_type", pa.string()),
        ("log_bytes", pa.int64()),
        ("log_delta", pa.int32()),
        ("anomaly_row_id", pa.int16()),
        ("anomaly_type", pa.string()),
        ("anomaly_rba", pa.binary()),
        ("uor_timestamp", _MICROS),
        ("uor_commit_timestamp", _MICROS),
        ("uor_disp", pa.string()),
        ("uor_id_lrsn", pa.binary()),
        ("uor_id", pa.binary()),
        ("seg_len", pa.int32()),
        ("total_segs", pa.int32()),
        ("seg_num", pa.int32()),
        ("reserved", pa.binary()),
        ("uor_commit_lrsn", pa.binary()),
        ("uor_commit_point", pa.binary()),
        ("connection_type", pa.string()),
        ("connect_id", pa.string()),
        ("correlation_id", pa.string()),
        ("auth_id", pa.string()),
        ("plan", pa.string()),
        ("luw_network_id", pa.string()),
        ("luw_name", pa.string()),
        ("luw_instance_no", pa.binary()),
        ("luw_sequence_no", pa.int32()),
        ("incomplete_trans", pa.string()),
        ("incomplete_dep", pa.string()),
        ("uor_has_comp", pa.string()),
        ("sql_ri_rba", pa.binary()),
        ("page_num_fmt", pa.string()),
    ]
)
COLUMNS: tuple[str, ...] = tuple(SCHEMA.names)


def wanted(columns: tuple[str, ...] | None) -> tuple[str, ...]:
    """The columns asked for, all of them for None. Raises KeyError for a name that is none."""
    for name in columns or ():
        SCHEMA.field(name)
    return columns or COLUMNS


def to_batch(names: Sequence[str], values: Sequence[Any]) -> pa.RecordBatch:
    """Lists of values, a list a column, as a batch."""
    fields = [SCHEMA.field(name) for name in names]
    arrays = [pa.array(column, entry.type) for entry, column in zip(fields, values, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def to_table(names: Sequence[str], batches: list[pa.RecordBatch]) -> pa.Table:
    """Batches as a table, which may have none."""
    return pa.Table.from_batches(batches, schema=pa.schema([SCHEMA.field(name) for name in names]))
