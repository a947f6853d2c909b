"""What the first images leave open is told by later ones, or by none: a row has its values, or is an error.

Each log begins with more images than decide how images are read, none of which tells it. In those behind them, values
of bit data look like null indicators, lengths and packed decimals, so that columns may fill an image in several ways.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pytest
from amounts import amount
from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.fields import key
from writers.bmc.rows import NOT_NULL, NULL, Column, packed

import lmparse
from lmparse.bmc.log import interpretation

ENGINES = ("columnar", "kaitai")
SAMPLES = 12
"""Images that decide first, here; in `test_after_a_thousand_images` as many as always."""
SEEDS = amount(12, 400)
EARLY = Table(0x104, 2, 3, "PROD", "EARLY", (Column("K", "INT", 4), Column("V", "VCHR", 300)), encoding_scheme="U")
UNKNOWN = Table(0x103, 2, 3, "PROD", "UNKNOWN", (Column("V", "VCHR", 300),), encoding_scheme="U")
"""Not in the control file; its images do not tell a total in front of them from one image more."""
_JUNK = b"\x00\x00\x00\x01\x02\x03\x0c\x1c\xff"
Row = dict[str, Any]


@pytest.fixture
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpretation, "_SAMPLES", SAMPLES)


@dataclass(frozen=True)
class Form:
    """What no control file says."""

    null_bytes: str
    dec_length: str
    graphic_length: str
    reading: Literal["total", "inclusive", "exclusive"]
    is_expanded: bool
    are_proven: bool
    """Whether LOGLOGBYTES shows what lengths of graphic columns count."""
    are_described: bool
    """Whether the control file describes the table of the first images."""
    first_segment: Literal[0, 1]

    @classmethod
    def some(cls, chance: random.Random) -> Form:
        return cls(
            chance.choice(("present", "absent")), chance.choice(("bytes", "precision")),
            chance.choice(("bytes", "characters")), chance.choice(("total", "inclusive", "exclusive")),
            chance.random() < 0.3, chance.random() < 0.5, chance.random() < 0.9, chance.choice((0, 1)),
        )  # fmt: skip


@dataclass(frozen=True)
class LateLog:
    """A table whose columns are open, and images of it."""

    form: Form
    chance: random.Random

    @cached_property
    def table(self) -> Table:
        columns = (self._column(f"C{number}") for number in range(self.chance.randrange(1, 5)))
        return Table(0x105, 2, 3, "PROD", "LATE", (Column("K", "INT", 4), *columns), encoding_scheme="U")

    def _column(self, name: str) -> Column:
        form, type_, nulls = self.form, self.chance.choice(("DEC", "CHAR", "VCHR", "VGRF")), self.chance.choice("YYN")
        if type_ == "DEC":
            length = {"bytes": 3, "precision": 5}[form.dec_length]
            return Column(name, "DEC", 5, nulls=nulls, dlci={"LLCOLUMNLEN": length, "LOGLOGBYTES": 0})
        if type_ == "VGRF":
            length, proof = {"bytes": 10, "characters": 5}[form.graphic_length], 12 + (nulls == "Y")
            stated = {"LLCOLUMNLEN": length, "LOGLOGBYTES": proof * form.are_proven}
            return Column(name, "VGRF", 5, nulls=nulls, dlci=stated)
        return Column(name, type_, {"CHAR": 2, "VCHR": 300}[type_], nulls=nulls, subtype="B")

    def early(self, number: int) -> tuple[Table, bytes, Row]:
        """An image that tells nothing: of another table, or without a value that is read in different ways."""
        if not self.form.are_described:
            return UNKNOWN, (number % 3).to_bytes(2, "big") + b"a" * (number % 3), {}
        tells = any(column.type in ("DEC", "CHAR") for column in self.table.columns[1:])
        if tells or (self.form.is_expanded and not self.form.are_proven):
            text = b"a" * (number % 3)
            image = number.to_bytes(4, "big") + len(text).to_bytes(2, "big") + self._padded(text, 300, b" ")
            return EARLY, image, {"K": number, "V": text.decode()}
        image, row = number.to_bytes(4, "big"), Row(K=number)
        for column in self.table.columns[1:]:
            image += NOT_NULL * column.nullable + bytes(2) + self._padded(b"", column.max_bytes, b"\0 ")
            row[column.name] = ""
        return self.table, image, row

    def late(self, number: int) -> tuple[Table, bytes, Row]:
        values = {column.name: self._value(column) for column in self.table.columns[1:]}
        image = number.to_bytes(4, "big") + b"".join(raw for raw, _ in values.values())
        return self.table, image, {"K": number} | {name: value for name, (_, value) in values.items()}

    def _value(self, column: Column) -> tuple[bytes, Any]:
        chance = self.chance
        if column.nullable and chance.random() < 0.4:
            if column.variable:
                return NULL + bytes(2) + self._padded(b"", column.max_bytes, b"\0 "), None
            return NULL + self._junk(column.max_bytes) * (self.form.null_bytes == "present"), None
        front = NOT_NULL * column.nullable
        if column.type == "DEC":
            number = chance.choice((0, 1, 12, 300, 99999))
            return front + packed(number, 5), str(number)
        if column.type == "CHAR":
            raw = self._junk(2)
            return front + raw, raw.hex().upper()
        if column.type == "VCHR":
            raw = self._junk(chance.choice((0, 1, 2, 3, 4, 5, 12, 28, 255, 256, 258)))
            return front + len(raw).to_bytes(2, "big") + self._padded(raw, 300, b"\0"), raw.hex().upper()
        text = "".join(chance.choice("ABあい") for _ in range(chance.randrange(6)))
        raw = text.encode("utf-16-be")
        length = len(text) if self.form.graphic_length == "characters" else len(raw)
        return front + length.to_bytes(2, "big") + self._padded(raw, 10, b"\0 "), text

    def _junk(self, size: int) -> bytes:
        return bytes(self.chance.choice(_JUNK) for _ in range(size))

    def _padded(self, raw: bytes, size: int, unit: bytes) -> bytes:
        return raw + unit * ((size - len(raw)) // len(unit)) if self.form.is_expanded else raw


Written = tuple[Path, list[Row], list[int]]
"""A log, the row of each change, and the change of each record."""


def write(folder: Path, log: LateLog, early: int, late: int) -> Written:
    records, rows, changes = list[bytes](), list[Row](), list[int]()
    for number in range(early + late):
        is_early = number < early
        table, image, row = log.early(number) if is_early else log.late(number)
        at, unit, commit = (f"{place:020X}" for place in (0x1000 + number, 0x100, 0x90000))
        fields = dict(table.header_fields, changetype="I", logrba=at, loglrsn=at, uorid=unit, uorcommitpoint=commit)
        data = lldf.data_area("I", [image], log.form.reading)
        capacity = len(data) if is_early or log.chance.random() < 0.7 else -(-len(data) // 2)
        header, base = {key(name): value for name, value in fields.items()}, 1 if is_early else log.form.first_segment
        found = lldf.segmented(header, data, capacity, base)
        records, rows, changes = records + found, [*rows, row], changes + [number] * len(found)
    path = folder / "a.dat"
    path.write_bytes(framing.rdw(records))
    stated = {"EXPANDVAR": "Y" if log.form.is_expanded else "N"}
    path.with_suffix(".ctl").write_bytes(framing.rdw(control.for_tables([EARLY, log.table], dlds_fields=stated)))
    return path, rows, changes


def expect_true(written: Written, what: str) -> Counter[str]:
    """Raise AssertionError if an engine gives a value that was not written, or loses a row without an error.

    Returns how many changes have which error.
    """
    path, rows, changes = written
    given = []
    for engine in ENGINES:
        opened = lmparse.open_log(path, control=path.with_suffix(".ctl"), engine=engine)
        table = opened.to_table().select(["_metadata", "after"]).to_pylist()
        errors = {changes[error.record_index or 0]: error.code for error in opened.tally.errors}
        texts = {changes[row["_metadata"]["record_index"]]: row["after"] for row in table}
        found = {number: json.loads(text) for number, text in texts.items() if text is not None}
        wrong = [number for number, row in found.items() if number not in errors and row != rows[number]]
        assert (wrong, found.keys() | errors.keys()) == ([], set(changes)), f"{engine}, {what}"
        given.append((found, errors))
    assert given[0] == given[1], what
    return Counter(given[0][1].values())


@pytest.mark.usefixtures("few_samples")
def test_a_row_has_its_values_or_is_an_error(tmp_path: Path) -> None:
    codes = Counter[str]()
    for seed in range(SEEDS):
        chance = random.Random(seed)
        log = LateLog(Form.some(chance), chance)
        found = expect_true(write(tmp_path, log, SAMPLES + 1, 20), f"seed {seed}: {log.form}")
        if log.form.are_described:
            codes += found
    assert set(codes) <= {"LMP-R015"}


def test_after_a_thousand_images(tmp_path: Path) -> None:
    chance = random.Random(seed := 12)
    log = LateLog(replace(Form.some(chance), are_described=True), chance)
    assert set(expect_true(write(tmp_path, log, 1001, 20), f"seed {seed}: {log.form}")) <= {"LMP-R015"}


class NullBehindDec(LateLog):
    """A null DEC without bytes and a VARCHAR, which are a null DEC of two bytes and an empty VARCHAR too."""

    table = Table(
        0x105, 2, 3, "PROD", "LATE",
        (Column("K", "INT", 4), Column("D", "DEC", 5, nulls="Y", dlci={"LLCOLUMNLEN": 3, "LOGLOGBYTES": 0}),
         Column("V", "VCHR", 300, subtype="B")),
    )  # fmt: skip

    def late(self, number: int) -> tuple[Table, bytes, Row]:
        return self.table, number.to_bytes(4, "big") + b"\xff\0\2\0\0", {"K": number, "D": None, "V": "0000"}


@pytest.mark.usefixtures("few_samples")
def test_an_image_that_columns_fill_in_several_ways_is_an_error(tmp_path: Path) -> None:
    form = Form("absent", "bytes", "bytes", "total", False, True, True, 1)
    log = NullBehindDec(form, random.Random(1))
    assert expect_true(write(tmp_path, log, SAMPLES + 1, 3), str(form)) == {"LMP-R015": 3}
