"""JSON lines, as the command line prints them: by the column, and through the generated parser.

Changes and their header, records, and JSON images in Arrow, each in pairs of runs whose output is the same.

python -m bench.lines --size 16M --cache DIR
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

from bench import data, harness, header
from lmparse.changes.log import ChangeLog
from lmparse.changes.schemas import changes_schema
from lmparse.logs import envelopes, lines
from lmparse.logs.open import open_changes, open_file
from lmparse.options import Options
from lmparse.records.files import RecordFile, ignored
from lmparse.terminal import json_text

Read = Callable[[data.Truth, str], tuple[str, int]]
"""Reads a file with an engine; returns a hash of the output, and its bytes."""


def main(arguments: list[str] | None = None) -> int:
    """Make the file, check that both give the same, measure, print and write the result."""
    options = _options(arguments)
    content: dict[str, object] = {"machine": header.machine()}
    with tempfile.TemporaryDirectory() as scratch:
        truth = data.make("rows", options.cache or Path(scratch), size=options.size, seed=7)
        content["data"] = header.data(truth)
        for what, read in READERS.items():
            seconds: dict[str, list[float]] = {"kaitai": [], "columnar": []}
            found: dict[str, tuple[str, int]] = {}
            for number in range(options.rounds):
                for engine in list(seconds)[number % 2 :] + list(seconds)[: number % 2]:
                    began = time.process_time()
                    found[engine] = read(truth, engine)
                    seconds[engine].append(time.process_time() - began)
                if found["kaitai"] != found["columnar"]:
                    raise harness.TablesDiffer(f"{what}: {found}")
            ratio = statistics.median(a / b for a, b in zip(seconds["kaitai"], seconds["columnar"], strict=True))
            content[what] = {"bytes": found["columnar"][1], "cpu_seconds": seconds, "times_as_fast": ratio}
            print(f"{what}: {found['columnar'][1]} bytes, equal: by the column {ratio:.1f} times as fast")
    print(f"written to {harness.write('lines', content).relative_to(data.ROOT)}")
    return 0


def _log(truth: data.Truth, engine: str, **given: object) -> ChangeLog:
    named = {"control": truth.control, "framing": "rdw", "include": "all", "engine": engine, **given}
    return open_changes(truth.path, Options.parse(named), on_error=ignored)


def _printed(file: RecordFile, with_changes: bool) -> tuple[str, int]:
    """What a command prints: by the column many lines at a time, else a line for each row."""
    digest, size = hashlib.sha256(), 0
    if file.options.engine == "kaitai":
        rows = file.changes() if with_changes and isinstance(file, ChangeLog) else file.records()
        found: Iterator[str] = (json_text(row) + "\n" for row in rows)
    else:
        found = lines.printed(file, with_changes=with_changes)
    for text in found:
        raw = text.encode()
        digest.update(raw)
        size += len(raw)
    return digest.hexdigest(), size


def _records(truth: data.Truth, engine: str) -> tuple[str, int]:
    return _printed(open_file(truth.path, Options.parse({"framing": "rdw", "engine": engine})), False)


def _images(truth: data.Truth, engine: str) -> tuple[str, int]:
    """Changes of all tables in one frame."""
    log = _log(truth, engine)
    table = pa.Table.from_batches(envelopes.change_batches(log, changes_schema(None)))
    digest, size = hashlib.sha256(), 0
    for name in ("seq", "before", "after"):
        for text in table.column(name).to_pylist():
            raw = repr(text).encode()
            digest.update(raw)
            size += len(raw)
    return digest.hexdigest(), size


READERS: dict[str, Read] = {
    "changes": lambda truth, engine: _printed(_log(truth, engine), True),
    "changes_with_header": lambda truth, engine: _printed(_log(truth, engine, header=True), True),
    "records": _records,
    "json_images": _images,
}


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="JSON lines and JSON images.", allow_abbrev=False)
    parser.add_argument("--size", type=data.parse_size, default="16M", help="of the file: 24M, 100M; powers of ten")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cache", type=Path, help="folder that keeps the file; a temporary one when left out")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
