"""Synthetic logs of both families, made from a seed.

Begin with `bmc_log` and `db2_log`; `db2_stream` writes Db2 LUW logs of any size.
"""

from __future__ import annotations

from pathlib import Path

from lmparse.samples import bmc_log, db2_log


def write_samples(folder: Path) -> None:
    """Write a log of each family, with the files that describe it, into a folder."""
    bmc_log.make().write(folder)
    db2_log.make().write(folder)
