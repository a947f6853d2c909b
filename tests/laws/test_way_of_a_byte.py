"""The modules between the bytes of a file and the rows that Spark takes, as docs/architecture.md draws them."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from writers.bmc import framing, logs
from writers.bmc.rows import LOB_TYPES, Column

import lmparse
from lmparse.framing import index, word_scan
from lmparse.framing.windows import Window
from lmparse.spark.source import LmparseSource

PACKAGE = Path(lmparse.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"
MOST = 33
WINDOW_RECORDS, SCAN_BYTES = 50, 1 << 12
"""So small that a log of some hundred records has several windows and scans."""
TABLE = logs.TABLES[0]
COLUMNS = {column.type: column for column in TABLE.columns if column.type not in LOB_TYPES}
WIRE_TYPES = "values/*"
OPENED, COMMON, HEADER, IMAGE, BESIDE, LAST = (
    "opened once",
    "every byte",
    "a header field",
    "a row image",
    "asked once a window, without its bytes",
    "asked once, after the last byte",
)


@cache
def drawn() -> dict[str, frozenset[str]]:
    """The modules of each stretch of the drawing."""
    drawing = PAGE.read_text("utf-8").split("## The way of a byte")[1].split("```text")[1].split("```")[0]
    stretches: dict[str, frozenset[str]] = {}
    name = ""
    for line in drawing.strip().splitlines():
        if line.startswith(" "):
            names = re.split(r"\s{2,}", line.strip())[0]
            stretches[name] |= {module for module in names.split(", ") if "/" in module}
        else:
            name = line
            stretches[name] = frozenset()
    return stretches


@contextmanager
def modules_called(is_noted: threading.Event) -> Iterator[set[str]]:
    """Collects the modules of the package that run while the event is set, in whatever thread."""
    found: set[str] = set()
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and is_noted.is_set():
            files.add(frame.f_code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    paths = (Path(file) for file in files)
    found |= {path.relative_to(PACKAGE).with_suffix("").as_posix() for path in paths if path.is_relative_to(PACKAGE)}


def second_window(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Cuts files into small windows and scans; the event is set when the second window of a file is asked for."""
    asked = threading.Event()
    cut = index.windows

    def windows(*given: Any, max_records: int) -> Iterator[Window]:
        rest = cut(*given, max_records=min(max_records, WINDOW_RECORDS))
        yield next(rest)
        asked.set()
        yield from rest

    monkeypatch.setattr(index, "windows", windows)
    monkeypatch.setattr(word_scan, "_SCAN_BYTES", SCAN_BYTES)
    return asked


def write_log(folder: Path, column: Column) -> dict[str, str]:
    """A log of 400 inserts into a table of one column; gives the options that read it."""
    table = replace(TABLE, columns=(column,))
    writer = logs.Writer([table])
    for number in range(20):
        writer.add(logs.Unit(1), table, "I", after=logs.full_row(number))
    log = writer.example()
    (folder / "x.dat").write_bytes(framing.rdw(log.data_records * 20))
    (folder / "x.ctl").write_bytes(framing.rdw(log.control_records))
    return {"path": str(folder / "x.dat"), "control": str(folder / "x.ctl"), "table": f"{table.owner}.{table.name}"}


def called_for(folder: Path, monkeypatch: pytest.MonkeyPatch, column: Column) -> tuple[set[str], set[str]]:
    """The modules that plan the reading of a log, and those that read it from its second window on."""
    options = write_log(folder, column)
    always = threading.Event()
    always.set()
    with modules_called(always) as opened:
        source = LmparseSource(options)
        reader = source.reader(source.schema())
        (part,) = reader.partitions()
    with modules_called(second_window(monkeypatch)) as called:
        assert sum(batch.num_rows for batch in reader.read(part)) == 400
    return opened, called


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
def test_the_way_is_short_and_as_it_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: Column) -> None:
    """What a task runs from its second window on: opening the file and finding its framing are behind it."""
    ways = drawn()
    listed = frozenset[str]().union(*(modules for way, modules in ways.items() if way != OPENED)) - {WIRE_TYPES}
    opened, called = called_for(tmp_path, monkeypatch, column)
    assert ways[OPENED] <= opened
    wire_types = {module for module in called - listed if module.startswith("values/")}
    assert wire_types
    assert called - wire_types == listed
    for way in (HEADER, IMAGE):
        assert len((ways[COMMON] | ways[way] | wire_types) - {WIRE_TYPES}) <= MOST


def test_the_drawing_has_its_stretches() -> None:
    assert [*drawn()] == [OPENED, COMMON, HEADER, IMAGE, BESIDE, LAST]
    assert all(drawn().values())
