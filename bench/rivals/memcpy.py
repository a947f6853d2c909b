"""The limit: reads the file and copies its bytes once, in pieces that fit the cache. Gives no columns."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

_PIECE = 1 << 20


def read(path: str, columns: tuple[str, ...] | None) -> pa.Table:
    """Copy the file's bytes; the table is empty."""
    piece, copy = np.empty(_PIECE, dtype=np.uint8), np.empty(_PIECE, dtype=np.uint8)
    with open(path, "rb", buffering=0) as file:
        while count := file.readinto(piece.data):
            np.copyto(copy[:count], piece[:count])
    return pa.table({})
