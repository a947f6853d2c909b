"""Synthetic logs of both families, made from a seed.

Begin with `logs`, which writes what is asked for; `bmc_log` and `db2_log` have the small logs of the demo.
"""

from __future__ import annotations

from pathlib import Path

from lmparse.samples import bmc_log, db2_log


def write_samples(folder: Path) -> None:
    """Write a log of each family, with the files that describe it, into a folder."""
    bmc_log.make().write(folder)
    db2_log.make().write(folder)
