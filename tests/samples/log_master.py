"""The example log of Log Master in files."""

from __future__ import annotations

from pathlib import Path

from writers.bmc import framing, logs


def written(folder: Path, stem: str = "a") -> tuple[Path, Path]:
    """The log and its control file, which have the same stem."""
    example = logs.example()
    data, described = folder / f"{stem}.dat", folder / f"{stem}.ctl"
    data.write_bytes(framing.rdw(example.data_records))
    described.write_bytes(framing.rdw(example.control_records))
    return data, described
