"""One log of Db2 LUW through both engines, every way in which its transactions are asked for, and the difference.

Only public edges are used, so it does not matter how an engine finds the transactions.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from engines import Outcome, difference

from lmparse.changes.schemas import changes_schema
from lmparse.errors import DataError, LmparseError
from lmparse.export.conversion import Conversion
from lmparse.export.convert import convert
from lmparse.export.progress import Progress
from lmparse.logs import arrow
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes

ENGINES = ("kaitai", "columnar")
PART_BYTES, PARTS = 2000, 12
"""Parts have this many bytes, but a long log is not in many more than so many parts."""


def ways_of(seed: int) -> list[dict[str, str]]:
    """Some of the ways: both values of each option occur, and which of them go together depends on the seed."""
    turned = ("commit", "file") if seed // 2 % 2 else ("file", "commit")
    included = "committed" if seed % 3 else "committed,incomplete", "all"
    lenient = [{"include": name, "order": order} for name, order in zip(included, turned, strict=True)]
    return [*({**way, "mode": "permissive"} for way in lenient), {**lenient[seed // 4 % 2], "mode": "failfast"}]


@dataclass
class Said:
    """What one engine gave: rows by table version, and everything it said."""

    rows: dict[tuple[str, int], list[pa.RecordBatch]] = field(default_factory=dict)
    """Of each table version. Several may have one identity: those before columns were added, as the log describes
    them. Their rows are in order, but not those of one beside those of another."""
    errors: list[dict[str, Any]] = field(default_factory=list)
    ended: list[dict[str, Any]] = field(default_factory=list)
    """The error that ended the reading."""
    tally: dict[str, Any] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def tables(self) -> dict[tuple[str, int], pa.Table]:
        """The rows as tables."""
        return {name: pa.Table.from_batches(batches) for name, batches in sorted(self.rows.items())}

    @property
    def by_identity(self) -> dict[str, pa.Table]:
        """The rows of all versions of one identity and form together, in the order of `seq`."""
        found: dict[str, list[pa.Table]] = {}
        for (name, _), table in self.tables.items():
            found.setdefault(f"{name} {table.schema.types}", []).append(table)
        return {name: _by_seq(pa.concat_tables(tables)) for name, tables in sorted(found.items())}


def whole(path: Path, engine: str, *, as_text: bool = False, **options: Any) -> Said:
    """All changes, each table version apart; `as_text` in one table with row images as JSON text, in their order."""
    said = Said()
    _read(said, path, engine, options, as_text=as_text)
    return said


def in_parts(path: Path, engine: str, **options: Any) -> tuple[Said, int]:
    """All changes from parts of the log, which may come in any order; and how many parts there are."""
    said = Said()
    try:
        log = open_changes(path, read_options({**options, "engine": engine}))
        parts = log.change_parts(max(PART_BYTES, path.stat().st_size // PARTS))
    except LmparseError as error:
        said.ended.append(_told(error))
        return said, 0
    for settings, span in parts:
        _read(said, path, engine, options, settings=settings, span=span)
    return said, len(parts)


def _read(
    said: Said, path: Path, engine: str, options: dict[str, Any], *, as_text: bool = False,
    settings: Any = None, span: Any = None,
) -> None:  # fmt: skip
    errors: list[LmparseError] = []
    try:
        log = open_changes(path, read_options({**options, "engine": engine}), settings=settings, on_error=errors.append)
    except LmparseError as error:
        said.ended.append(_told(error))
        return
    found: dict[int, list[pa.RecordBatch]] = {}
    names: dict[int, Any] = {}
    try:
        for version, batch in _batches(log, span, as_text=as_text):
            batch.validate(full=True)
            names[id(version)] = version  # and keeps it alive
            found.setdefault(id(version), []).append(batch)
    except LmparseError as error:
        said.ended.append(_told(error))
    for key, batches in found.items():
        said.rows.setdefault(_name(names[key], batches[0]), []).extend(batches)
    said.errors += [_told(error) for error in errors]
    tally = log.tally
    for name in ("error_count", "dropped", "kept"):
        said.tally[name] = said.tally.get(name, 0) + getattr(tally, name)
    said.notices += tally.notices
    said.left_out += log.left_out


def _batches(log: Any, span: Any, *, as_text: bool) -> Iterator[tuple[Any, pa.RecordBatch]]:
    if not as_text:
        return arrow.version_batches(log, span)
    schema = changes_schema(None, header=log.options.header, docs=log.column_docs())
    return ((None, batch) for batch in arrow.change_batches(log, schema, span))


def _name(version: Any, batch: pa.RecordBatch) -> tuple[str, int]:
    """The identity of a table version, and the number of the record of its first row: the same in every reading."""
    first = batch.column("_metadata").field("record_index")[0].as_py() if version else -1
    return version.identity if version else "", first


def _told(error: LmparseError) -> dict[str, Any]:
    return error.to_dict() if isinstance(error, DataError) else {"code": error.code, "message": str(error)}


# -- differences --------------------------------------------------------------------------


def said_differently(one: Said, other: Said) -> str:
    """In what two engines differ, in words; empty when in nothing. Where an error ends it, one may be further on."""
    if one.ended != other.ended:
        return f"what ended it: {one.ended} and {other.ended}"
    if not one.ended:
        for name in ("errors", "tally", "notices", "left_out"):
            if getattr(one, name) != getattr(other, name):
                return f"{name}: {getattr(one, name)} and {getattr(other, name)}"
        if one.rows.keys() != other.rows.keys():
            return f"table versions: {[*one.rows]} and {[*other.rows]}"
    left, right = one.tables, other.tables
    for name in left.keys() & right.keys():
        said = difference(Outcome(left[name], []), Outcome(right[name], []), ends_early=bool(one.ended))
        if said:
            return f"{name}: {said}"
    return ""


def _by_seq(table: pa.Table) -> pa.Table:
    """The rows in the order of `seq`; those without, which are of bad records, behind them by place."""
    keys = [("seq", "ascending")] if "seq" in table.column_names else []
    place = table.column("_metadata").combine_chunks().field("record_index")
    return table.append_column("#", place).sort_by([*keys, ("#", "ascending")]).drop_columns("#")


def parts_difference(parts: Said, together: Said) -> str:
    """In what the rows of all parts differ from those of the whole log; their order may."""
    left, right = parts.by_identity, together.by_identity
    if left.keys() != right.keys():
        return f"table versions of the parts: {[*left]}, of the whole: {[*right]}"
    if parts.left_out != together.left_out:
        return f"left out of the parts: {parts.left_out}, of the whole: {together.left_out}"
    for name in left:
        said = difference(Outcome(left[name], []), Outcome(right[name], []))
        if said:
            return f"parts, {name}: {said}"
    return ""


def differences(
    path: Path, options: dict[str, Any], ways: list[dict[str, str]], *, is_quick: bool = False
) -> list[str]:
    """The differences of both engines over one log, of the first way that has any; a quick look reads it once a way."""
    found = []
    for way in ways:
        asked = {**options, **way}
        one, other = (whole(path, engine, **asked) for engine in ENGINES)
        found.append(said_differently(one, other))
        if way["mode"] == "failfast" or is_quick:
            if found[-1]:
                return [f"{way}: {found[-1]}"]
            continue
        texts = [whole(path, engine, as_text=True, **asked) for engine in ENGINES]
        found.append(said_differently(*texts))
        if way["order"] == "file" and not one.ended:
            of_engines = [in_parts(path, engine, **asked)[0] for engine in ENGINES]
            found += [parts_difference(parts, one) for parts in of_engines]
        if any(found):
            return [f"{way}: {said}" for said in found if said]
    return []


def converted(
    path: Path, out: Path, engine: str, options: dict[str, Any], **more: Any
) -> tuple[dict[str, pa.Table], Any]:
    """The files that `convert` makes of the changes, by name, with what it said."""
    errors: list[dict[str, Any]] = []
    asked = Conversion(str(path), str(out), read_options({**options, "engine": engine}), with_changes=True, **more)
    try:
        summary = convert(asked, lambda error: errors.append(_told(error)), Progress(io.StringIO()))
    except LmparseError as error:
        return {}, (errors, _told(error))
    tables = {file.name: pq.read_table(file) for file in sorted(out.glob("*.parquet"))}
    return tables, (errors, summary.rows, summary.left_out, summary.tally.notices)


# -- the command ----------------------------------------------------------------------------
