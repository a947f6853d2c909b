"""Headers that XHDF describes otherwise than the table: by the column, and through the generated parser.

The log is that of kind `lldf` under the header of an older release: RBA and LRSN of 6 bytes, timestamps of
10, and so every field at another place.

python -m bench.described --size 48M --cache DIR
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from bench import data, harness, header
from lmparse.bmc.log.log import LogicalLog
from lmparse.framing.framings import framing_of
from lmparse.framing.index import windows
from lmparse.logs import arrow
from lmparse.logs.open import open_changes
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.spec.layout import Field
from lmparse.storage.buffers import open_buffer
from lmparse.values import codepages
from lmparse.values.encoding import encode_record

Tables = dict[str, pa.Table]
_PAGE = codepages.lookup("cp1047")
_OLDER = {"rba10": slice(4, 10), "lrsn10": slice(1, 7), "timestamp17": slice(0, 10)}
"""Which bytes of a field an older header has."""


def main(arguments: list[str] | None = None) -> int:
    """Make the file, check that both give the same, measure, print and write the result."""
    options = _options(arguments)
    readers: dict[str, Callable[[data.Truth, str], tuple[Tables, float]]] = {"records": _records, "changes": _changes}
    content: dict[str, object] = {"machine": header.machine()}
    with tempfile.TemporaryDirectory() as scratch:
        truth = older(data.make("lldf", options.cache or Path(scratch), size=options.size, seed=7), Path(scratch))
        content["data"] = header.data(truth)
        for what, read in readers.items():
            seconds: dict[str, list[float]] = {"kaitai": [], "columnar": []}
            found: dict[str, Tables] = {}
            for number in range(options.rounds):
                for engine in list(seconds)[number % 2 :] + list(seconds)[: number % 2]:
                    found[engine], taken = read(truth, engine)
                    seconds[engine].append(taken)
                if found["kaitai"].keys() != found["columnar"].keys():
                    raise harness.TablesDiffer(f"{what}: of {[*found['kaitai']]} and {[*found['columnar']]}")
                for name, table in found["kaitai"].items():
                    harness.check_equal(table, found["columnar"][name], f"{what} {name}")
            rows = sum(table.num_rows for table in found["kaitai"].values())
            ratio = statistics.median(a / b for a, b in zip(seconds["kaitai"], seconds["columnar"], strict=True))
            content[what] = {"rows": rows, "cpu_seconds": seconds, "times_as_fast": ratio}
            print(f"{rows} {what}, equal: by the column {ratio:.1f} times as fast")
    print(f"written to {harness.write('described', content).relative_to(data.ROOT)}")
    return 0


def older(truth: data.Truth, folder: Path) -> data.Truth:
    """A log under an older header, with the XHDF records that describe it."""
    layout = catalog.load("bmc_lldf").layout
    kept = [
        (entry, (entry.offset or 0) + np.arange(entry.width)[_OLDER.get(entry.kind, slice(None))])
        for entry in layout if entry.orig_id and entry.width
    ]  # fmt: skip
    size, described = 0, []
    for entry, places in kept:
        described.append(_xhdf(entry, size, len(places)))
        size += len(places)
    columns = np.concatenate([places for _, places in kept])
    path, begin = folder / "older.dat", layout["data"].offset or 0
    records = 0
    with path.open("wb") as file:
        for window in windows(framing_of("rdw"), open_buffer(truth.path)):
            raw = window.data.tobytes()
            for start, length in zip(window.starts.tolist(), window.lengths.tolist(), strict=True):
                head = np.frombuffer(raw, np.uint8, begin, start)[columns].tobytes()
                whole = size.to_bytes(2, "big") + head[2:] + raw[start + begin : start + length]
                file.write(_framed(whole))
            records += len(window)
    control = folder / "older.ctl"
    buffer = open_buffer(truth.control or "")
    others = [extent.read(buffer) for extent in framing_of("rdw").extents(buffer)]
    others = [record for record in others if not record.startswith("XHDF".encode("cp037"))]
    control.write_bytes(b"".join(map(_framed, [*others, *described])))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return replace(
        truth, path=str(path), records=records, bytes=path.stat().st_size, sha256=digest, control=str(control)
    )


def _xhdf(entry: Field, position: int, length: int) -> bytes:
    is_text = entry.kind in ("char", "code")
    values = {
        "cntl_record_type": "XHDF", "head_field_name": entry.orig_id, "head_field_type": "CHAR" if is_text else "BIN",
        "head_field_subtype": "U" if entry.kind == "uint" else "", "head_field_pos": position,
        "head_field_len": length,
    }  # fmt: skip
    return encode_record(catalog.load("bmc_xhdf"), values, _PAGE)


def _framed(record: bytes) -> bytes:
    return (len(record) + 4).to_bytes(2, "big") + bytes(2) + record


def _records(truth: data.Truth, engine: str) -> tuple[Tables, float]:
    """The 51 fields of every header as one table, and CPU seconds."""
    start = time.process_time()
    table = arrow.read_table(truth.path, control=truth.control, engine=engine)
    return {"": table}, time.process_time() - start


def _changes(truth: data.Truth, engine: str) -> tuple[Tables, float]:
    """All changes by the version of their table, and CPU seconds without deciding how the log is read."""
    log = open_changes(truth.path, Options.parse({"control": truth.control, "include": "all", "engine": engine}))
    assert isinstance(log, LogicalLog)
    assert log.interpretation.image, log.interpretation.data
    start = time.process_time()
    held: dict[str, list[pa.RecordBatch]] = {}
    for version, batch in arrow.version_batches(log):
        held.setdefault(version.identity if version else "", []).append(batch)
    taken = time.process_time() - start
    return {name: pa.Table.from_batches(batches) for name, batches in held.items()}, taken


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Headers that XHDF describes.", allow_abbrev=False)
    parser.add_argument("--size", type=data.parse_size, default="48M", help="before the header is made older")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cache", type=Path, help="folder that keeps the file; a temporary one when left out")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
