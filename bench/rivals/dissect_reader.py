"""The header as a C struct for dissect.cstruct, compiled; values are decoded behind it."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

import pyarrow as pa
from dissect.cstruct import cstruct

from bench.rivals import plain
from bench.rivals.target import wanted

_HEADER = (
    cstruct(endian=">")
    .load(
        """
        struct lldf {
            uint16 length;
            char   system_id[4];
            uint16 dbid;
            uint16 psid;
            uint16 tbobid;
            uint16 tbowner_len;
            uint16 tbname_len;
            char   dbname[8];
            char   tsname[8];
            char   table_owner[8];
            char   table_name[18];
            uint16 partnum;
            char   timestamp[17];
            char   log_lrsn[10];
            char   log_rba[10];
            uint16 member_id;
            char   rid[5];
            char   change_type[2];
            char   sql_type[1];
            char   log_rec_disp[1];
            char   sql_src_type[1];
            uint32 log_bytes;
            uint16 log_delta;
            uint8  anomaly_row_id;
            char   anomaly_type[1];
            char   anomaly_rba[10];
            char   uor_timestamp[17];
            char   uor_commit_timestamp[17];
            char   uor_disp[1];
            char   uor_id_lrsn[10];
            char   uor_id[10];
            uint16 seg_len;
            uint16 total_segs;
            uint16 seg_num;
            char   reserved[4];
            char   uor_commit_lrsn[10];
            char   uor_commit_point[10];
            char   connection_type[2];
            char   connect_id[8];
            char   correlation_id[12];
            char   auth_id[8];
            char   plan[8];
            char   luw_network_id[8];
            char   luw_name[8];
            char   luw_instance_no[6];
            uint16 luw_sequence_no;
            char   incomplete_trans[1];
            char   incomplete_dep[1];
            char   uor_has_comp[1];
            char   sql_ri_rba[10];
            char   page_num_fmt[1];
        };
        """,
        compiled=True,
    )
    .lldf
)
if not _HEADER.__compiled__:
    # It falls back to its slow form without a word, which would be no fair rival.
    raise RuntimeError("dissect.cstruct did not compile the header")


def read(path: str, columns: tuple[str, ...] | None) -> pa.Table:
    """The header fields of a log."""
    names = wanted(columns)
    # The length goes along, since it is checked, and makes the getter give tuples.
    values = attrgetter("length", *names)

    def rows(headers: Iterator[bytes]) -> Iterator[tuple[Any, ...]]:
        for header in headers:
            length, *row = values(_HEADER(header))
            if length != plain.HEADER:
                raise ValueError(f"a header of {length} bytes")
            yield tuple(row)

    return plain.read(path, names, rows)
