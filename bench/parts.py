"""The list of a log's parts: with the numbers of their first records, and cut near the offsets without them.

python -m bench.parts --size 1G --cache DIR
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench import data, harness, header
from lmparse.columnar import schemas
from lmparse.logs import arrow
from lmparse.logs.partitions import Request
from lmparse.options import Options

COLUMNS = ("log_rba",)
WAYS = {"numbered": True, "not numbered": False}


def main(arguments: list[str] | None = None) -> int:
    """Make the file, compare the records of both lists, measure, print and write the result."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        truth = data.make("lldf", options.cache or Path(scratch), size=options.size, seed=7)
        named = Options.parse({"spec": "bmc_lldf", "framing": "rdw", "columns": ",".join(COLUMNS)})
        request = Request((truth.path,), named, max_bytes=options.part_bytes)
        counts = _check(request, truth.records)
        places = ("in memory", "on the disk")
        seconds: dict[str, dict[str, list[float]]] = {place: {name: [] for name in WAYS} for place in places}
        for number in range(options.rounds):
            for place, runs in seconds.items():
                for name in list(WAYS)[number % 2 :] + list(WAYS)[: number % 2]:
                    if place == "on the disk":
                        _drop(truth.path)
                    start = time.perf_counter()
                    list(request.sound_parts(is_numbered=WAYS[name]))
                    runs[name].append(time.perf_counter() - start)
    content = {"machine": header.machine(), "data": header.data(truth), "parts": counts, "wall_seconds": seconds}
    path = harness.write("parts", content)
    for place, runs in seconds.items():
        numbered, cut = (statistics.median(runs[name]) for name in WAYS)
        ratio = f"{numbered / cut:.0f} times"
        print(f"{place:12} numbered {1e3 * numbered:7.1f} ms, not numbered {1e3 * cut:6.1f} ms: {ratio}")
    print(f"{counts['not numbered']} parts; written to {path.relative_to(data.ROOT)}")
    return 0


def _check(request: Request, records: int) -> dict[str, int]:
    """Parts of each list, whose records must be the same."""
    schema = schemas.records_schema(request.options.spec, COLUMNS)
    schema = schema.remove(schema.get_field_index("_metadata"))
    found, counts = [], {}
    for name, is_numbered in WAYS.items():
        parts = list(request.sound_parts(is_numbered=is_numbered))
        counts[name] = len(parts)
        found.append([
            value
            for part in parts
            for batch in arrow.part_batches(part, schema, with_changes=False)
            for value in batch.column(COLUMNS[0]).to_pylist()
        ])  # fmt: skip
    if found[0] != found[1] or len(found[0]) != records:
        raise SystemExit("the parts of the two lists have different records")
    return counts


def _drop(path: str) -> None:
    """Have the file read from the disk again."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The list of a log's parts.", allow_abbrev=False)
    parser.add_argument("--size", type=data.parse_size, default="1G", help="of the file: 64M, 1G; powers of ten")
    parser.add_argument("--part-bytes", type=int, default=1 << 27, help="bytes of a part, about")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cache", type=Path, help="folder that keeps the file; a temporary one when left out")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
