"""The engine that the others are the rivals of. This module is the only place that names it."""

from __future__ import annotations

import pyarrow as pa

from bench.rivals.target import wanted
from lmparse.logs.arrow import read_table


def read(path: str, columns: tuple[str, ...] | None) -> pa.Table:
    """The header fields of a log."""
    names = wanted(columns)
    return read_table(path, columns=names, metadata=False).select(names)
