"""Rows of Db2 for LUW by the column: they are what the reader of single rows gives, good and bad."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from amounts import IS_THOROUGH, amount, examples
from hypothesis import given
from hypothesis import strategies as st
from writers.db2 import rows
from writers.db2.columns import Column
from writers.db2.values import Codecs, External, OutOfRow
from writers.db2.wire import BYTE_ORDERS, Server

from lmparse.changes.change import RowValues
from lmparse.columnar import row_plan
from lmparse.columnar.row_plan import DecodedRows
from lmparse.columnar.rows import to_batch
from lmparse.columnar.schemas import column_type
from lmparse.db2.rows.row_plan import LuwRowPlan
from lmparse.db2.rows.row_reader import RowReader
from lmparse.db2.tables import table as tables
from lmparse.db2.tables.table import placed
from lmparse.errors import DataError
from lmparse.values import codepages
from lmparse.values.json_form import to_json
from lmparse.values.sql_types import parse_type

QUICK = examples(20, 100)
Wanted = frozenset[str] | None

# tables and their rows


@dataclass(frozen=True)
class Scheme:
    """How the text of a database is written."""

    codec: str
    letters: str


SCHEMES = {
    "unicode": Scheme("utf-8", "AZ 09é漢😀"),
    "latin": Scheme("iso8859-1", "AZ 09é\x00"),
    "greek": Scheme("iso8859-7", "AZ 09λΩ"),
    "ebcdic": Scheme("cp037", "AZ 09äöüß"),
}
TYPES = (
    *("SMALLINT", "INTEGER", "BIGINT", "REAL", "DOUBLE", "BOOLEAN", "DATE", "TIME"),
    *(f"DECIMAL({digits})" for digits in ("1,0", "4,0", "5,2", "9,9", "17,3", "18,0", "19,1", "20,20", "31,5")),
    *(f"DECFLOAT({digits})" for digits in (16, 34)),
    *(f"TIMESTAMP({digits})" for digits in (0, 1, 5, 6, 9, 12)),
    *("CHAR(1)", "CHAR(12)", "CHAR(7) FOR BIT DATA", "VARCHAR(20)", "VARCHAR(9) FOR BIT DATA", "GRAPHIC(5)"),
    *("VARGRAPHIC(9)", "BINARY(4)", "VARBINARY(12)"),
)
"""Every type whose values stand in the row."""
OUTSIDE = ("CLOB(1M)", "BLOB(1M)", "DBCLOB(1M)", "XML", "LONG VARCHAR")
LOBS = OUTSIDE[:3]


@dataclass(frozen=True)
class Sample:
    """A table, and how its rows are written and read."""

    columns: tuple[Column, ...]
    byte_order: Any = "little"
    scheme: Scheme = SCHEMES["unicode"]
    trim: bool = True
    form: str = "formatted"
    base: Any = "array"

    @property
    def table(self) -> tables.Table:
        described = [(column.name, parse_type(column.type), column.nullable) for column in self.columns]
        return tables.Table(2, 4, placed(described), "PROD", "T")

    @property
    def server(self) -> Server:
        return Server("v10", self.byte_order)

    @property
    def page(self) -> codepages.CodePage:
        return codepages.lookup(self.scheme.codec)

    def row(self, chance: random.Random, nulls: float = 0.2) -> dict[str, Any]:
        return {
            column.name: None if column.nullable and chance.random() < nulls else self._value(chance, column)
            for column in self.columns
        }

    def image(self, row: dict[str, Any], outer_type: int = 0) -> bytes:
        codecs = Codecs(self.page.name if self.page.codec is None else self.scheme.codec)
        if self.form == "formatted":
            return rows.formatted(self.server, self.columns, row, codecs=codecs, outer_type=outer_type)
        return rows.compressed(
            self.server, self.columns, row, codecs=codecs, outer_type=outer_type, offset_base=self.base
        )

    def images(self, count: int, seed: Any = 1) -> list[bytes]:
        chance = random.Random(seed)
        return [self.image(self.row(chance, chance.choice((0, 0.3, 0.9)))) for _ in range(count)]

    def _value(self, chance: random.Random, column: Column) -> Any:
        if column.word in ("XML", "LONG VARCHAR"):
            return External()
        if column.bit_data:
            return chance.randbytes(9 if column.lob else chance.randrange(column.length + 1))
        if column.word in ("GRAPHIC", "VARGRAPHIC", "DBCLOB"):
            return "".join(chance.choice("Aé漢 ") for _ in range(chance.randrange(min(column.length, 9) + 1)))
        if column.word in ("CHAR", "VARCHAR", "CLOB"):
            return self._text(chance, min(column.length, 20))
        return SOME[column.word](chance, column)

    def _text(self, chance: random.Random, width: int) -> str:
        room, text = chance.randrange(width + 1), ""
        letters = chance.choice((self.scheme.letters, "A ", " 9"))
        for _ in range(room):
            more = text + chance.choice(letters)
            text = more if len(more.encode(self.page.codec or "cp037")) <= room else text
        return text


def sample(types: Sequence[str], nullable: Any = None, **known: Any) -> Sample:
    """A table of some types, every other column nullable unless told."""
    columns = [Column(f"C{n}", type_, n % 2 == 1 if nullable is None else nullable) for n, type_ in enumerate(types)]
    if "scheme" in known:
        known["scheme"] = SCHEMES[known["scheme"]]
    return Sample(tuple(columns), **known)


def everywhere(types: Sequence[str]) -> Sample:
    """Every type, nullable and not, before and behind a varying column."""
    both = [(type_, nullable) for type_ in types for nullable in (False, True)]
    pairs = [*both, ("VARCHAR(9)", True), *both]
    return Sample(tuple(Column(f"C{n}", type_, nullable) for n, (type_, nullable) in enumerate(pairs)))


def _some_int(bits: int) -> Callable[..., int]:
    top = 1 << bits - 1
    return lambda chance, column: chance.choice((0, 1, -1, top - 1, -top, chance.randrange(-top, top)))


def _some_decimal(chance: random.Random, column: Column) -> Decimal:
    top = 10**column.length
    return Decimal(f"{chance.choice((0, 1, -1, top - 1, 1 - top, chance.randrange(top)))}E-{column.scale}")


def _some_decfloat(chance: random.Random, column: Column) -> Decimal:
    digits = chance.randrange(10 ** chance.randrange(1, column.length + 1))
    return Decimal(chance.choice((f"{digits}E{chance.randrange(-300, 300)}", f"-{digits}", "NaN", "-Infinity", "1.20")))


def _some_float(chance: random.Random, column: Column) -> float:
    return chance.choice((0.0, -0.0, 0.5, math.inf, -math.inf, math.nan, 2.0 ** chance.randrange(-99, 99)))


def _some_day(chance: random.Random) -> str:
    year = chance.choice((1, 1970, 2026, 9999, 1 + chance.randrange(9999)))
    return f"{year:04d}-{1 + chance.randrange(12):02d}-{1 + chance.randrange(28):02d}"


def _some_clock(chance: random.Random) -> str:
    parts = chance.choice(((0, 0, 0), (24, 0, 0), (23, 59, 59), tuple(map(chance.randrange, (24, 60, 60)))))
    return ":".join(f"{part:02d}" for part in parts)


def _some_timestamp(chance: random.Random, column: Column) -> str:
    clock = _some_clock(chance)
    digits = "" if clock.startswith("24") else "".join(chance.choices("0123456789", k=column.length))
    return f"{_some_day(chance)}T{clock}" + (f".{digits}" if digits else "")


SOME: dict[str, Callable[[random.Random, Column], Any]] = {
    "SMALLINT": _some_int(16),
    "INTEGER": _some_int(32),
    "BIGINT": _some_int(64),
    "REAL": _some_float,
    "DOUBLE": _some_float,
    "BOOLEAN": lambda chance, column: chance.choice((False, True)),
    "DECIMAL": _some_decimal,
    "DECFLOAT": _some_decfloat,
    "DATE": lambda chance, column: _some_day(chance),
    "TIME": lambda chance, column: _some_clock(chance),
    "TIMESTAMP": _some_timestamp,
}


# both readers


def spread(images: Sequence[bytes], chance: random.Random) -> tuple[npt.NDArray[np.uint8], Any, Any]:
    """Rows with other data between them, the last one often at the end: data, starts, lengths."""
    data, starts = bytearray(), []
    for image in images:
        data += chance.randbytes(chance.choice((0, 0, 1, 30)))
        starts.append(len(data))
        data += image
    data += chance.randbytes(chance.choice((0, 0, 40)))
    return np.frombuffer(bytes(data), np.uint8), np.array(starts, np.int64), np.array([*map(len, images)], np.int64)


def compared(given: Sample, images: Sequence[bytes], wanted: Wanted = None) -> DecodedRows:
    """What the plan gives, once it agrees with the row reader; rows read one by one without need are an error too."""
    decoded, needless = checked(given, *spread(images, random.Random(len(images))), wanted)
    assert not needless
    return decoded


def checked(
    given: Sample, data: npt.NDArray[np.uint8], starts: Any, lengths: Any, wanted: Wanted = None
) -> tuple[DecodedRows, list[int]]:
    """What the plan gives, once regular rows equal those of the row reader, and which are irregular without need."""
    table = given.table
    plan = LuwRowPlan(table, given.byte_order, given.page, trim=given.trim)
    assert not plan.refusal(wanted)
    before = data.tobytes(), starts.copy(), lengths.copy()
    decoded = plan.decode(data, starts, lengths, wanted)
    assert data.tobytes() == before[0], "the data was changed"
    assert np.array_equal(starts, before[1])
    assert np.array_equal(lengths, before[2])
    names = [column.name for column in table.columns if wanted is None or column.name in wanted]
    schema = pa.schema((column.name, column_type(column)) for column in table.columns if column.name in names)
    assert decoded.irregular.dtype == np.bool_
    assert len(decoded.irregular) == len(starts)
    assert list(decoded.arrays) == schema.names
    assert not decoded.absent
    for entry in schema:
        array = decoded.arrays[entry.name]
        assert (array.type, len(array)) == (entry.type, len(starts))
        array.validate(full=True)
    reader = RowReader(table, given.byte_order, given.page, trim=given.trim)
    regular, expected, needless = [], [], []
    for number, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        row = plain(reader, data[start : start + length].tobytes(), schema, wanted)
        if row is None:
            assert decoded.irregular[number], f"row {number} is not plain"
        elif decoded.irregular[number]:
            needless.append(number)
        else:
            regular.append(number)
            expected.append(row.values)
    found = [decoded.arrays[name].take(pa.array(regular, pa.int64())) for name in schema.names]
    for entry, left, right in zip(schema, to_batch(expected, schema).columns, found, strict=True):
        assert same(left, right), entry
    full = plan.in_full().decode(data, starts, lengths, wanted)
    assert np.array_equal(full.irregular, decoded.irregular)
    texts = full.texts(np.arange(len(starts)), len(starts)).take(pa.array(regular, pa.int64()))
    assert texts.to_pylist() == [json.dumps(to_json(values), ensure_ascii=False) for values in expected]
    return decoded, needless


def plain(reader: RowReader, image: bytes, schema: pa.Schema, wanted: Wanted) -> RowValues | None:
    """A row without faults, absent values and bytes of no column, that Arrow takes; None when there is none."""
    with suppress(DataError, pa.ArrowInvalid, OverflowError):
        row = reader.read(image, lambda column: "elsewhere", wanted)
        to_batch([row.values], schema)
        return None if row.faults or row.absent or row.unread else row
    return None


def same(one: pa.Array, other: pa.Array) -> bool:
    if pa.types.is_floating(one.type):  # to the bit, so that NaN equals NaN and 0 not -0
        one, other = (
            pa.array(array.to_numpy(zero_copy_only=False).view(np.int64), mask=np.asarray(array.is_null()))
            for array in (one, other)
        )
    return bool(one.equals(other))


# rows that are right


@pytest.mark.parametrize(
    ("scheme", "byte_order", "form"),
    [("unicode", "little", "formatted"), ("latin", "big", "compressed"), ("greek", "little", "compressed"),
     ("ebcdic", "big", "formatted")],
)  # fmt: skip
def test_every_type(scheme: str, byte_order: Any, form: str) -> None:
    for trim, base in ((False, "array"), (True, "data")):
        given = replace(
            everywhere((*TYPES, *LOBS)), byte_order=byte_order, scheme=SCHEMES[scheme], trim=trim, form=form, base=base
        )
        decoded = compared(given, given.images(12))
        assert not decoded.irregular.any(), "the kernels read all of them"


@st.composite
def samples(draw: st.DrawFn, types: Sequence[str] = (*TYPES, *LOBS)) -> Sample:
    return Sample(
        tuple(
            Column(f"C{number}", type_, nullable)
            for number, (type_, nullable) in enumerate(
                draw(st.lists(st.tuples(st.sampled_from(types), st.booleans()), max_size=9))
            )
        ),
        draw(st.sampled_from(BYTE_ORDERS)),
        SCHEMES[draw(st.sampled_from(list(SCHEMES)))],
        draw(st.booleans()),
        draw(st.sampled_from(["formatted", "compressed"])),
        draw(st.sampled_from(["array", "data"])),
    )


@QUICK
@given(samples(), st.integers(0, 20), st.integers(0, 1 << 32), st.data())
def test_random_tables(given: Sample, count: int, seed: int, data: st.DataObject) -> None:
    images = given.images(count, seed)
    assert not compared(given, images).irregular.any()
    assert not compared(given, images, some_of(given, data)).irregular.any()


@QUICK
@given(samples(), st.integers(0, 1 << 32))
def test_rows_are_what_was_encoded(given: Sample, seed: int) -> None:
    """The reader of single rows, with which the plan is compared, gives the values that were written."""
    chance = random.Random(seed)
    row = given.row(chance)
    reader = RowReader(given.table, given.byte_order, given.page)
    found = reader.read(given.image(row), lambda column: "elsewhere")
    assert (found.faults, found.absent, found.unread) == ([], {}, 0)
    written = rows.json_row(given.columns, row)
    for column in given.columns:
        mine, theirs = to_json({"": found.values[column.name]})[""], written[column.name]
        if column.word in ("REAL", "DOUBLE", "DECFLOAT") and theirs is not None:
            mine, theirs = str(Decimal(mine)), str(Decimal(theirs))
        assert mine == theirs, column


def some_of(given: Sample, data: st.DataObject) -> frozenset[str]:
    names = [column.name for column in given.columns]
    return frozenset(data.draw(st.lists(st.sampled_from(names)))) if names else frozenset()


def test_both_forms_in_one_table() -> None:
    """As after an ALTER TABLE that activates VALUE COMPRESSION."""
    given = sample((*TYPES, *LOBS))
    other = replace(given, form="compressed")
    chance = random.Random(5)
    images = [chance.choice((given, other)).image(given.row(chance)) for _ in range(30)]
    assert not compared(given, images).irregular.any()
    images[3] = images[4][:-1]
    images[7] = bytes([0x02]) + images[7][1:]
    assert np.flatnonzero(compared(given, images).irregular).tolist() == [3, 7]


def test_many_rows_are_read_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    given = everywhere(TYPES)
    images = given.images(11)
    images[4] = images[4][:-1]
    whole = compared(given, images)
    monkeypatch.setattr(row_plan, "_MOST_BYTES", 3 * len(images[0]))
    steps = compared(given, images)
    assert whole.irregular.tolist() == steps.irregular.tolist() == [number == 4 for number in range(11)]
    assert list(compared(given, images, frozenset(["C3"])).arrays) == ["C3"]


@pytest.mark.parametrize("form", ["formatted", "compressed"])
@pytest.mark.parametrize("byte_order", BYTE_ORDERS)
def test_values_out_of_the_row(form: str, byte_order: Any) -> None:
    """Rows that hold none of them are read by the column, also in a table whose columns may."""
    given = sample(("INTEGER", *OUTSIDE, "VARCHAR(9)", *OUTSIDE), True, form=form, byte_order=byte_order)
    chance = random.Random(1)
    rows_ = [given.row(chance, nulls) for nulls in (0.0, 0.5, 0.8, 1.0) * 9]
    for row in rows_[::5]:
        row["C6"] = OutOfRow()
    for row in rows_[::7]:
        row["C1"] = External()
    is_out = [any(isinstance(value, External | OutOfRow) for value in row.values()) for row in rows_]
    assert {*is_out} == {False, True}
    decoded = compared(given, [*map(given.image, rows_)])
    assert decoded.irregular.tolist() == is_out


# rows that are not


def may_be_needless(given: Sample, image: bytes) -> bool:
    """Other widths and defaults with VALUE COMPRESSION, characters of four bytes in UTF-16, what is not wanted."""
    if given.form == "compressed":
        return True
    reader = RowReader(given.table, given.byte_order, given.page, trim=given.trim)
    row = reader.read(image, lambda column: "elsewhere")
    graphic = (row.values.get(column.name) for column in given.table.columns if column.sql_type.is_graphic)
    return bool(row.absent) or any(isinstance(text, str) and max(text, default="") > "\uffff" for text in graphic)


@QUICK
@given(samples((*TYPES, *OUTSIDE)), st.integers(1, 12), st.integers(0, 1 << 32), st.data())
def test_damage(given: Sample, count: int, seed: int, data: st.DataObject) -> None:
    """Bytes that are changed, rows that are cut or go on too far."""
    chance = random.Random(seed)
    images = [bytearray(image) for image in given.images(count, seed)]
    for _ in range(data.draw(st.integers(1, 5))):
        image = chance.choice(images)
        image[chance.randrange(len(image))] = chance.choice((0, 1, 0xFF, 0x80, chance.randrange(256)))
    content, starts, lengths = spread([*map(bytes, images)], chance)
    for _ in range(data.draw(st.integers(0, 3))):
        number = chance.randrange(count)
        lengths[number] = chance.choice(
            (0, lengths[number] // 2, max(lengths[number] - 1, 0), lengths[number] + 1, lengths[number] + 30)
        )
    lengths = np.minimum(lengths, len(content) - starts)
    for some in (None, some_of(given, data)):
        _, needless = checked(given, content, starts, lengths, some)
        for number in needless:
            assert may_be_needless(given, content[starts[number] : starts[number] + lengths[number]].tobytes())


def damaged(image: bytes) -> Iterator[bytes]:
    """Every byte changed in many ways; in a quick run the ways take turns."""
    for place, byte in enumerate(image):
        others = sorted({0, 1, 0x69, 0x80, 0xD8, 0xFA, 0xFF, byte ^ 1, byte ^ 2, byte ^ 16})
        for other in others if IS_THOROUGH else others[place % 6 :: 6]:
            yield image[:place] + bytes([other]) + image[place + 1 :]


@pytest.mark.parametrize(
    ("scheme", "byte_order", "form"), [("unicode", "little", "formatted"), ("greek", "big", "compressed")]
)
def test_every_byte(scheme: str, byte_order: Any, form: str) -> None:
    given = sample((*TYPES, *LOBS), scheme=scheme, byte_order=byte_order, form=form)
    good = given.image(given.row(random.Random(3), 0.1))
    content, starts, lengths = spread([*damaged(good), good], random.Random(1))
    decoded, needless = checked(given, content, starts, lengths)
    assert not decoded.irregular[-1]
    for number in needless:
        assert may_be_needless(given, content[starts[number] : starts[number] + lengths[number]].tobytes())
    assert decoded.irregular.sum() > len(good) / amount(4, 2)


@pytest.mark.parametrize("form", ["formatted", "compressed"])
def test_every_length(form: str) -> None:
    """Rows that are cut or go on, alone, before and behind a good one, with the length that they say and the one
    that they have.
    """
    given = replace(everywhere([*TYPES[:1], *TYPES[-9:]]), form=form)
    for nulls in (0.0, 1.0):
        good = given.image(given.row(random.Random(2), nulls))
        cut = [*(good[:size] for size in range(len(good))), *(good + bytes(more) for more in (1, 2, 40))]
        said = [image[:2] + given.server.u16(len(image)) + image[4:] for image in cut if len(image) > 4]
        decoded = compared(given, [*cut, *said, good])
        assert decoded.irregular.tolist() == [True] * len(cut + said) + [False]
        for other in [*cut, *said][:: amount(211, 17)]:
            assert compared(given, [other]).irregular.tolist() == [True]
            assert compared(given, [other, good]).irregular.tolist() == [True, False]
            assert compared(given, [good, other]).irregular.tolist() == [False, True]


FAULTS = {
    "too many digits": ("DECIMAL(4,0)", "12345C"),
    "too many digits, 18": ("DECIMAL(18,0)", "1000000000000000000C"),
    "no sign": ("DECIMAL(5,0)", "123455"),
    "no digit": ("DECIMAL(5,0)", "12A45C"),
    "no day": ("DATE", "20260229"),
    "no date": ("DATE", "2026022A"),
    "no time": ("TIME", "240001"),
    "no timestamp": ("TIMESTAMP(6)", "20260228240000000001"),
    "no truth": ("BOOLEAN", "02"),
    "no text": ("CHAR(3)", "41FF41"),
    "no text in UTF-16": ("GRAPHIC(2)", "0041D800"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(fault: str) -> None:
    """One row at fault between two that are not; a null may hold anything."""
    type_, raw = FAULTS[fault]
    for byte_order, nullable in product(BYTE_ORDERS, (False, True)):
        given = sample(["VARCHAR(5)", type_, "INTEGER"], nullable, byte_order=byte_order)
        good = given.image(given.row(random.Random(1), 0))
        at = 8 + given.table.columns[1].offset
        width = given.table.columns[1].width
        bad = good[:at] + bytes.fromhex(raw) + good[at + width :]
        assert len(bad) == len(good)
        images, expected = [good, bad, good], [False, True, False]
        if nullable:
            images.append(bad[: at + width] + b"\x01" + bad[at + width + 1 :])
            expected.append(False)
        assert compared(given, images).irregular.tolist() == expected
        assert not compared(given, images, frozenset(["C0", "C2"])).irregular.any()


# what no plan reads
