"""A folder with a log of each family, for whoever has none of his own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from lmparse.samples import bmc_log, db2_log


@contextmanager
def sample_logs() -> Iterator[Path]:
    """A temporary folder of synthetic logs; it is removed behind the block."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        bmc_log.make().write(folder)
        db2_log.make().write(folder)
        yield folder
