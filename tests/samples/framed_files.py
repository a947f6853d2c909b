"""Files of records in every framing, as the encoders write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from writers.bmc import framing as enc
from writers.bmc import lldf, rows
from writers.db2 import framing as luw
from writers.db2.wire import BYTE_ORDERS

from lmparse.bmc.record.change_record import detection
from lmparse.framing.base import Framing
from lmparse.framing.framings import framing_of
from lmparse.options import DB2_FRAMINGS

NAME = rows.Column("NAME", "VCHR", 200)
RECORDS = [
    lldf.change("I", [rows.image([NAME], ["x" * number])], log_rba=f"{number:020X}", rid=f"{number:010X}")
    for number in (1, 9, 3)
]
# Several ways to write what one framing reads: name of the encoder's, name of the reader's, options.
WRITTEN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "rdw": ("rdw", "rdw", {}),
    "bdw, one block": ("bdw", "bdw", {}),
    "bdw, small blocks": ("bdw", "bdw", {"block_size": 60}),
    "extended bdw": ("bdw-extended", "bdw", {"block_size": 90}),
    "vbs, no piece": ("vbs", "vbs", {"piece_sizes": 32000}),
    "vbs, pieces": ("vbs", "vbs", {"piece_sizes": [10, 7, 90]}),
    "vbs, empty pieces": ("vbs", "vbs", {"piece_sizes": [0, 7, 0, 3]}),
    "bdw-vbs, one block": ("bdw-vbs", "bdw-vbs", {}),
    "bdw-vbs, small blocks": ("bdw-vbs", "bdw-vbs", {"block_size": 40}),
    "zosmf": ("zosmf", "zosmf", {}),
    "fixed": ("fixed", "fixed", {"record_length": 60}),
}
OTHERS = [f"{name} {order}" for name in DB2_FRAMINGS for order in BYTE_ORDERS]
"""Those of Db2 LUW."""
EVERY = [*WRITTEN, *OTHERS, "glued"]


def written(
    way: str, records: list[bytes], ways: Mapping[str, tuple[str, str, dict[str, Any]]] = WRITTEN
) -> tuple[Framing, bytes]:
    """A framing and a file of these records in it; records are padded where they must be."""
    if way == "glued":
        return framing_of("glued", cutter=detection().cutter), enc.glued(RECORDS)
    name, _, order = way.partition(" ")
    if name in DB2_FRAMINGS:
        items = [luw.Framed(luw_record(record, order), number) for number, record in enumerate(records)]
        return framing_of(name, byte_order=order), luw.framed(name, order, items)
    kind, reader, options = ways[way]
    return framing_of(reader, record_length=options.get("record_length")), enc.framed(kind, records, **options).data


def luw_record(record: bytes, order: str) -> bytes:
    body = record.ljust(16, b"\x01")
    return (len(body) + 4).to_bytes(4, order) + body
