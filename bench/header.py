"""What a result has to say of where it was measured, and of the file."""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from bench.data import Truth

_PACKAGES = ("numpy", "pyarrow", "kaitaistruct", "construct", "dissect.cstruct")


def machine() -> dict[str, Any]:
    """Processor, cores, memory and versions of everything that takes part."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": {name: _version(name) for name in _PACKAGES},
    }


def data(truth: Truth) -> dict[str, Any]:
    """The file, so that it can be made again: its place does not matter."""
    return {
        "kind": truth.kind,
        "seed": truth.seed,
        "records": truth.records,
        "bytes": truth.bytes,
        "sha256": truth.sha256,
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _cpu() -> str:
    """The processor's own name; Python knows only its family."""
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
