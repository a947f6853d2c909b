"""Rows or a LmparseError from options of Spark in any words, both engines and any parts alike, in bounded memory.

An input changes the names and values of options with which a case is read, as `spark.read` passes them. Nothing starts
Spark: schema, parts and their rows are asked of the data source itself. Names of files stay inside one folder.
"""

from __future__ import annotations

import dataclasses

from fuzz.edits import Source, edited_lines, inputs
from fuzz.seeds import folder, put, seeds
from lmparse.errors import EngineDifferenceError, LmparseError
from lmparse.options import Options
from lmparse.spark.source import LmparseSource
from lmparse.spelling import camel, plain

CASES = seeds(lambda seed: seed.command in ("records", "changes"))[::12]
SEEDS = inputs(len(CASES))
_VALUES = (
    "true", "false", "1", "0", "-1", "9" * 20, "\u00b2", "", " ", ",", "I,U", "all", "committed,open", "kaitai",
    "columnar", "check", "failfast", "dropmalformed", "permissive", "rdw", "bdw-vbs", "lsn8", "fixed", "auto",
    "little", "v10", "cp037", "1208", "NO_PAGE", "ORDERS", "PROD.ORDERS", "0105.0002.0003", "F" * 72,
    "2026-03-14T10:11:12", "9999-12-31T23:59:59", "documentBytes=1", "numberDigits=0", "bmc_lldf", "db2_log",
    "bmc_control", "op,ts", "_metadata", "before", "commit", "a.dat", "a.ctl", "*.dat", '["a.dat"]', "[1]", "[",
    "\x00", "\x1b[31m", "=1+1", "\ud7ff",
)  # fmt: skip
_NAMES = (
    *(camel(name) for name in Options.__dataclass_fields__), "maxPartitionBytes", "pathGlobFilter",
    "recursiveFileLookup", "path", "paths", "option.path", "columnNameOfCorruptRecord", "comment",
)  # fmt: skip
WORDS = [text.encode() for text in (*_NAMES, *_VALUES, "=")]
_ENTRIES = dataclasses.fields(Options)
_FILES = ("path", "location", "control", "tables", "spec")
"""Options whose values are names of files."""


def target(data: bytes) -> None:
    source = Source(data)
    seed = source.pick(CASES, 2)
    given = {camel(name): str(value) for name, value in seed.options.items()} | {"path": "a.dat"}
    put("a.dat", seed.data)
    for name, suffix in (("control", ".ctl"), ("tables", ".tables")):
        if (described := seed.beside(suffix)) is not None:
            put(f"a{suffix}", described)
            given[name] = f"a{suffix}"
    for _ in range(source.number() % 4):
        entry = source.pick(_ENTRIES)
        given[camel(entry.name)] = source.pick((*entry.metadata["values"] * 8, *_VALUES))
    lines = [f"{name}={value}".encode() for name, value in given.items()]
    lines = lines if source.number() & 1 else edited_lines(lines, source, WORDS, b"=")
    pairs = [line.decode("utf-8", "replace").partition("=") for line in lines]
    options = {name: _inside(name, value) for name, _, value in pairs}
    _rows_alike(options, source.pick(("1", "700", "1000000")))


def _inside(name: str, value: str) -> str:
    """A value that names no file but those of the input; built specs are named by words without a folder."""
    key = plain(name).removeprefix("option.")
    if key in _FILES:
        word = value.replace("/", "").replace("..", "")
        return word if key == "spec" else str(folder() / word)
    return value.replace("/", "") if key != "paths" else value.replace("/", "").replace('["', f'["{folder()}/')


def _rows_alike(options: dict[str, str], size: str) -> None:
    rows = _rows(options)
    if rows is None or all(name.startswith("option.") for name in options):
        return
    others = {name: value for name, value in options.items() if plain(name) not in ("engine", "maxpartitionbytes")}
    assert _rows({**others, "engine": "kaitai"}) == rows, "engines"
    # A change is in the part of one of its segments, so that parts may order changes in another way.
    assert sorted(_rows({**others, "maxPartitionBytes": size}) or ()) == sorted(rows), "parts"


def _rows(options: dict[str, str]) -> list[str] | None:
    """The rows that a load with these options gives; None when it is refused."""
    try:
        made = LmparseSource(options)
        reader = made.reader(made.schema())
        parts = reader.partitions()
        return [repr(row) for part in parts for batch in reader.read(part) for row in batch.to_pylist()]
    except EngineDifferenceError:
        raise AssertionError("engine check found a difference") from None
    except LmparseError:
        return None
