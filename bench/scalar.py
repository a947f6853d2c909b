"""The scalar reader against the generated parser alone: see README.md beside this file."""

from __future__ import annotations

import hashlib
import json
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import kaitaistruct

import lmparse
from lmparse.framing.framings import framing_of
from lmparse.samples import bmc_log
from lmparse.spec import catalog
from lmparse.storage.buffers import open_buffer

ROUNDS = 7
UNITS = 1500
OUT = Path(__file__).parent / "results" / "scalar.json"


def main() -> None:
    """Measure, check that all steps saw the same records, print and write the result."""
    with tempfile.TemporaryDirectory() as folder:
        control, data = bmc_log.make(seed=7, units=UNITS).write(Path(folder))
        buffer = open_buffer(data)
        raws = [extent.read(buffer) for extent in framing_of("rdw").extents(buffer)]
        parser = catalog.load("bmc_lldf").parser
        steps: dict[str, Callable[[], int]] = {
            "framing": lambda: sum(1 for _ in framing_of("rdw").extents(buffer)),
            "parser": lambda: sum(parser.from_bytes(raw).length == 288 for raw in raws),
            "records": lambda: sum(1 for _ in lmparse.open_log(data).records()),
            "changes": lambda: sum(1 for _ in lmparse.open_log(data, control=str(control), include="all").changes()),
        }
        counts = {name: step() for name, step in steps.items()}
        assert counts["framing"] == counts["parser"] == counts["records"] == len(raws), counts
        seconds: dict[str, list[float]] = {name: [] for name in steps}
        for _ in range(ROUNDS):
            for name, step in steps.items():
                start = time.process_time()
                step()
                seconds[name].append(time.process_time() - start)
        result = {
            "machine": {"python": platform.python_version(), "kaitaistruct": kaitaistruct.__version__,
                        "platform": platform.machine()},
            "data": {"bytes": len(buffer), "sha256": hashlib.sha256(buffer[:]).hexdigest(), "counts": counts},
            "cpu_seconds": seconds,
            "us_per_record": {name: statistics.median(all_) / len(raws) * 1e6 for name, all_ in seconds.items()},
            "times_the_parser": {
                name: statistics.median(a / b for a, b in zip(all_, seconds["parser"], strict=True))
                for name, all_ in seconds.items()
            },
        }  # fmt: skip
    OUT.write_text(json.dumps(result, indent=2) + "\n")
    for name in steps:
        micros, ratio = result["us_per_record"][name], result["times_the_parser"][name]
        print(f"{name:8} {micros:8.1f} us a record, {ratio:.2f} x parser")


if __name__ == "__main__":
    main()
