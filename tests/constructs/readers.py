"""Three readers of one record file, and what must be alike: values, errors, places."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from kaitaistruct import (
    EndOfStreamError,
    InvalidArgumentError,
    KaitaiStructError,
    UndecidedEndiannessError,
    ValidationFailedError,
)

from constructs.agreeing import in_order
from constructs.bare import ANYTHING, BareReader, Tree, attributes, plain
from constructs.shortened import shortened, without_empty
from lmparse.columnar import schemas
from lmparse.logs import arrow
from lmparse.logs.open import open_file
from lmparse.options import Options
from lmparse.records.dissection import CLOSING, Dissection, Dissector, Node
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.spec.catalog import Spec
from lmparse.spec.step_budget import RestoreError
from lmparse.values.json_form import to_json

VALUE_CODES = {"LMP-R012", "LMP-V002", "LMP-V007", "LMP-V008", "LMP-V010"}
"""Codes of bytes that are not a number of the kind of their field, and of calculated values that are none."""
LONG = 1000
"""Bytes of records that may reach a limit."""
CODES: Sequence[tuple[type[BaseException], tuple[str, ...]]] = (
    (ValidationFailedError, ("LMP-V001", "LMP-V003", "LMP-V004", "LMP-V009", "LMP-R002", "LMP-R003")),
    (UndecidedEndiannessError, ("LMP-R013",)),
    (EndOfStreamError, ("LMP-R001",)),
    (InvalidArgumentError, ("LMP-R002",)),
    (KaitaiStructError, ()),
    (UnicodeError, ("LMP-R010",)),
    (RestoreError, ("LMP-R011",)),
    (RecursionError, ("LMP-R014",)),
    (EOFError, ("LMP-R001",)),
    (Exception, ("LMP-R012", "LMP-R009")),
)
"""Codes of errors by what the generated parser raises."""


@dataclass(frozen=True)
class Built:
    """A spec that was built into a folder."""

    ksy: Path
    out: Path

    @property
    def name(self) -> str:
        """The option `spec`."""
        return str(self.out / self.ksy.stem)


def compare(built: Built, records: Sequence[bytes], folder: Path, circles: Sequence[str] = ()) -> list[str | None]:
    """Read records by all readers. Returns the code of the error of each, None for a good one.

    Raises AssertionError where two readers differ.
    """
    bare = BareReader(built.ksy, built.out, circles)
    path = folder / f"{built.ksy.stem}.dat"
    path.write_bytes(b"".join(struct.pack(">HH", len(raw) + 4, 0) + raw for raw in records))
    by_row, by_column = (_rows(path, built.name, engine) for engine in ("kaitai", "columnar"))
    assert by_row == by_column
    spec = catalog.load(built.name)
    dissector = Dissector(RecordReader(spec))
    codes: list[str | None] = []
    assert len(by_row) == len(records)
    for raw, row in zip(records, by_row, strict=True):
        code = _code_of(row)
        codes.append(code)
        dissection = dissector.dissect(raw)
        found = _read(bare, raw)
        if isinstance(found, EndOfStreamError) and code in (None, *VALUE_CODES):
            row = without_empty(row)
            found = _as_shortened(bare, raw, row)
        in_place = [node.fault for node in (*dissection.walk(), *dissection.calculated) if node.fault is not None]
        shown = [dissection.fault] if dissection.fault is not None else in_place
        assert code in [fault.code for fault in shown] if shown else code is None
        if code == "LMP-R014" or (code == "LMP-L007" and len(raw) >= LONG):
            continue  # the plain parser has no limits
        if not isinstance(found, Exception) and bare.bad:
            _faults_alike(row, dissection, bare.bad)
        elif isinstance(found, Exception):
            # The plain parser does not come to the instances of a record that `rest` completes.
            is_later = isinstance(found, EndOfStreamError) and _is_of_an_instance(spec, row)
            assert is_later or code in _codes_for(found), (found, row, raw)
            continue
        else:
            assert code is None, (row, raw)
        _same_row(found, row, built.ksy.stem)
        in_order(dissection)
        for node in dissection.nodes:
            _in_place(node, raw, bare)
    return codes


def _faults_alike(row: dict[str, Any], dissection: Dissection, bad: int) -> None:
    """A record with values that are not numbers is kept, and each of them is listed."""
    faults = row["_corrupt_fields"]
    assert len(faults) == bad, row
    assert {fault["code"] for fault in faults} <= VALUE_CODES, row
    nodes = (*dissection.walk(), *dissection.calculated)
    places = {node.path: node.start for node in nodes if node.fault is not None}
    assert sorted(places) == sorted(fault["path"] for fault in faults)
    for fault in faults:
        assert fault["offset"] in (None, places[fault["path"]])


def _is_of_an_instance(spec: Spec, row: dict[str, Any]) -> bool:
    entry = spec.layout.by_id.get(re.split(r"[.\[]", row["_corrupt_fields"][0]["path"] or "")[0])
    return entry is not None and entry.is_instance


def _read(bare: BareReader, raw: bytes) -> Tree | Exception:
    try:
        return bare.read(raw)
    except Exception as error:
        return error


def _as_shortened(bare: BareReader, raw: bytes, row: Tree) -> Tree:
    """The values of a record that ends inside an optional field, whose bytes are in a `rest`.

    The fields behind it are null, also those that are empty at the end of a record.
    """
    tried = []
    for found in map(without_empty, shortened(bare, raw)):
        try:
            _same_row(found, row, bare.package)
        except AssertionError:
            tried.append(found)
        else:
            return found
    raise AssertionError(f"the plain parser has {tried} for {raw.hex()}, not {row}")


def _same_row(found: Tree, row: Tree, where: str) -> None:
    """Compare the values of the bare reader with a row: fields that a record does not have are null."""
    _same(found, {name: row[name] for name in found}, where)
    others = {name: value for name, value in row.items() if name not in found and value is not None}
    parts = [name for name in others if any(name.startswith(f"{whole}_") for whole in found)]
    assert {*others} - {*parts} <= {schemas.CORRUPT_FIELDS}, (where, others)


def _rows(path: Path, name: str, engine: str) -> list[dict[str, Any]]:
    options = Options(spec=name, framing="rdw", engine=engine)
    schema = schemas.records_schema(name)
    file = open_file(path, options, on_error=lambda error: None)
    table = pa.Table.from_batches(arrow.record_batches(file, schema), schema)
    table.validate(full=True)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    rows: list[dict[str, Any]] = pq.read_table(pa.BufferReader(sink.getvalue())).to_pylist()
    return [{name: _comparable(value) for name, value in row.items() if name != "_metadata"} for row in rows]


def _comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _comparable(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    if isinstance(value, Decimal):
        return format(value, "f") if value.as_tuple().exponent else int(value)
    return plain(value)


def _code_of(row: dict[str, Any]) -> str | None:
    faults = row["_corrupt_fields"]
    return None if not faults else str(faults[0]["code"])


def _codes_for(error: Exception) -> tuple[str, ...]:
    return next(codes for type_, codes in CODES if isinstance(error, type_))


def _same(found: Any, shown: Any, where: str) -> None:
    """Compare a value of the bare reader with that of a column."""
    if found is ANYTHING:
        return
    if isinstance(shown, str) and isinstance(found, dict | list):
        shown = json.loads(shown)
    if isinstance(shown, dict) and not (isinstance(found, dict) and (not found or found.keys() & shown.keys())):
        # A switch: one of its choices has the value.
        chosen = [value for value in shown.values() if value is not None]
        assert len(chosen) <= 1, (where, shown)
        shown = chosen[0] if chosen else None
    if isinstance(found, dict):
        assert isinstance(shown, dict), (where, found, shown)
        for name, value in found.items():
            _same(value, shown.get(name), f"{where}.{name}")  # a `rest` without bytes is left out
    elif isinstance(found, list):
        assert isinstance(shown, list), (where, found, shown)
        assert len(found) == len(shown), (where, found, shown)
        for number, (one, other) in enumerate(zip(found, shown, strict=True)):
            _same(one, other, f"{where}[{number}]")
    elif isinstance(found, int | float) and isinstance(shown, str):
        # A column of numbers with a scale, or of numbers and other values.
        text = json.dumps(found) if isinstance(found, bool) else str(found)
        is_whole = isinstance(found, int) and not isinstance(found, bool)
        assert found == Decimal(shown) if is_whole else text == shown, (where, found, shown)
    elif isinstance(found, bytes) and isinstance(shown, str):
        assert found.hex().upper() == shown, (where, found, shown)
    else:
        assert (type(found), found) == (type(shown), shown), (where, found, shown)


_NUMBER = re.compile(r"([usf])([1248])(le|be)?$")
_LETTERS = {"u": "BHIQ", "s": "bhiq", "f": "..fd"}


def _in_place(node: Node, raw: bytes, bare: BareReader) -> None:
    """The bytes in the place of a number are the number, and those of plain bytes are these."""
    spec, *path = node.layout.split(".")
    types = bare.spec(spec.rpartition("/")[2])
    endian = types["meta"].get("endian")
    for name in path:
        types = types["types"][name]
        endian = types.get("meta", {}).get("endian", endian)
    attribute = dict(attributes(types))[node.field.id.partition("[")[0]]
    if {"process", "-lm-type", "-scale"} & attribute.keys() or attribute.get("io", "_root._io") != "_root._io":
        return
    for child in node.children:
        if child.field.kind != CLOSING:
            _in_place(child, raw, bare)
    if node.children or node.value is None:
        return
    assert 0 <= node.start <= node.end <= len(raw), node
    cut, type_ = raw[node.start : node.end], attribute.get("type")
    number = _NUMBER.match(type_) if isinstance(type_, str) else None
    if number is not None and (order := number[3] or endian or "be") in ("be", "le"):
        letter = _LETTERS[number[1]]["1248".index(number[2])]
        (value,) = struct.unpack(("<" if order == "le" else ">") + letter, cut)
        assert to_json(value) == node.value, (node, cut)
    elif type_ is None and not {"terminator", "pad-right", "-codec"} & attribute.keys():
        assert cut.hex().upper() == node.value, (node, cut)
