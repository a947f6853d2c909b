"""Files from parts: the parts of an input in the framing that it chooses, or in that of its case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from writers.bmc import framing as enc

from fuzz.seeds import Seed

ZOS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("rdw", "rdw", {}),
    ("bdw", "bdw", {"block_size": 800}),
    ("vbs", "vbs", {"piece_sizes": [100, 7, 300]}),
    ("bdw-vbs", "bdw-vbs", {"block_size": 500}),
    ("zosmf", "zosmf", {}),
    ("glued", "glued", {}),
    ("bdw-extended", "bdw", {}),
    ("vbs", "vbs", {"piece_sizes": [0, 40, 0]}),
)
"""The writer's name of a framing, the reader's, and options of the writer. The first is the default."""


def zos(records: Sequence[bytes], chosen: int) -> tuple[str, bytes]:
    """The name of the framing with a number, and a file of these records in it."""
    written, name, options = ZOS[chosen % len(ZOS)]
    return name, enc.framed(written, records, **options).data


def luw(stretches: Sequence[bytes], seed: Seed) -> bytes:
    """A log of Db2 LUW from its stretches, each a prefix and a record, with the length of each record made right."""
    framing = seed.file.framing if seed.file is not None else None
    if framing is None or framing.byte_order is None:
        return b"".join(stretches)
    lead, order = framing.lead, framing.byte_order
    found = bytearray()
    for stretch in stretches:
        length = max(0, len(stretch) - lead).to_bytes(4, order)  # type: ignore[arg-type]
        found += stretch[:lead] + length + stretch[lead + 4 :] if len(stretch) >= lead + 4 else stretch
    return bytes(found)
