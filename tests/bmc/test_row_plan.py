"""Row images by the column are what they are one by one, good and bad."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
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
from writers.bmc import rows
from writers.bmc.rows import LOB_TYPES, Style

from lmparse.bmc.columns.row_plan import ImagePlan
from lmparse.bmc.control.columns import Column
from lmparse.bmc.control.tables import TableVersion
from lmparse.bmc.record.row_image import ImageOptions, ImageReading, RowReader
from lmparse.changes import schemas as change_schemas
from lmparse.columnar.row_plan import DecodedRows
from lmparse.columnar.rows import to_batch
from lmparse.errors import DataError
from lmparse.values import codepages
from lmparse.values.json_form import to_json

QUICK = examples(20, 250)
Wanted = frozenset[str] | None

# tables: the encoder's columns, as the control file would describe them


@dataclass(frozen=True)
class Scheme:
    """How the text of a table is written."""

    encoding: str
    ccsid: int
    letters: str
    graphic_ccsid: int | None = None


SCHEMES = {
    "ebcdic": Scheme("cp037", 37, "AZ 09az$"),
    "german": Scheme("cp273", 273, "AZ 09äöüß"),
    "ascii": Scheme("latin-1", 819, "AZ 09é\x00"),
    "greek": Scheme("iso8859_7", 813, "AZ 09λΩ"),
    "unicode": Scheme("utf-8", 1208, "AZ 09é漢😀", 1200),
}
TYPES = (
    *(rows.Column("", "INT", length) for length in (2, 4, 8)),
    *(rows.Column("", "FLOT", length) for length in (4, 8)),
    *(rows.Column("", "DEC", *digits) for digits in ((1, 0), (5, 2), (9, 9), (17, 3), (18, 0), (19, 1), (20, 20))),
    *(rows.Column("", "DEC", *digits) for digits in ((2, 0), (31, 5), (32, 31), (37, 0))),
    rows.Column("", "DATE"),
    rows.Column("", "TIME"),
    *(rows.Column("", "DTTM", length) for length in (19, 21, 26, 32)),
    *(rows.Column("", "DTTZ", length) for length in (25, 32, 38)),
    *(rows.Column("", "CHAR", length) for length in (1, 12)),
    rows.Column("", "CHAR", 7, subtype="B"),
    *(rows.Column("", type_, 9) for type_ in ("VCHR", "LVCH", "GRPH", "VGRF", "LVGR")),
    rows.Column("", "VCHR", 20, subtype="B"),
    rows.Column("", "ROWI"),
    rows.Column("", "XYZ", 3),
    rows.Column("", "BLOB", 1 << 20),
    rows.Column("", "CLOB", 1 << 20, value_bytes=4),
)
"""Every type there is, with a length or more."""


@dataclass(frozen=True)
class Sample:
    """A table, how its images are written, and how they are read."""

    columns: tuple[rows.Column, ...]
    scheme: Scheme
    style: Style
    reading: ImageReading
    options: ImageOptions
    is_proven: bool = False
    """LOGLOGBYTES is given, and lengths count the other thing than the reading says."""

    @property
    def table(self) -> TableVersion:
        return TableVersion(
            "DB2A", 1, 2, 3, 1, tuple(self._described(n, column) for n, column in enumerate(self.columns, 1))
        )

    def _described(self, number: int, column: rows.Column) -> Column:
        length, page = column.size, None
        if column.type == "DEC" and (self.reading.dec_length == "bytes") != self.is_proven:
            length = column.max_bytes
        if column.type in rows.GRAPHIC_TYPES:
            length *= 2 if (self.reading.graphic_length == "bytes") != self.is_proven else 1
            page = codepages.lookup(self.scheme.graphic_ccsid) if self.scheme.graphic_ccsid else None
        elif column.type in ("CHAR", "VCHR", "LVCH") and column.subtype != "B":
            page = codepages.lookup(self.scheme.ccsid)
        return Column(
            number, column.name, column.type, column.subtype, length, column.scale, column.nulls,
            column.loglog_bytes if self.is_proven or column.type in LOB_TYPES else None, None, page=page,
        )  # fmt: skip

    def image(self, chance: random.Random, nulls: float = 0.2) -> bytes:
        """A row that is right, with nulls in some of the columns that may have them."""
        return b"".join(
            rows.field_image(
                column,
                None if column.nullable and chance.random() < nulls else self._value(chance, column),
                self.style,
            )
            for column in self.columns
        )

    def _value(self, chance: random.Random, column: rows.Column) -> Any:
        if column.type in ("CHAR", "VCHR", "LVCH"):
            if column.subtype == "B":
                return chance.randbytes(column.size if column.type == "CHAR" else chance.randrange(column.size + 1))
            return self._text(chance, column.size, self.scheme.encoding, self.scheme.letters)
        if column.type in rows.GRAPHIC_TYPES:
            return self._graphic(chance, column.size)
        return SOME[column.type](chance, column)

    @staticmethod
    def _text(chance: random.Random, width: int, encoding: str, letters: str) -> bytes:
        room, text = chance.randrange(width + 1), b""
        letters = chance.choice((letters, letters, "A ", " $"))
        for _ in range(room):
            more = chance.choice(letters).encode(encoding)
            if len(text) + len(more) <= room:
                text += more
        return text

    def _graphic(self, chance: random.Random, size: int) -> bytes:
        size = chance.randrange(size + 1)
        if self.scheme.graphic_ccsid:
            return "".join(chance.choice("Aé漢 ") for _ in range(size)).encode("utf-16-be")
        return chance.randbytes(2 * size)


def _some_decimal(chance: random.Random, column: rows.Column) -> Decimal:
    top = 10**column.size
    return Decimal(f"{chance.choice((0, 1, -1, top - 1, 1 - top, chance.randrange(top)))}E-{column.scale}")


def _some_day(chance: random.Random) -> str:
    year = f"{chance.choice((1, 1970, 2026, 9999, 1 + chance.randrange(9999))):04d}"
    return f"{year}-{1 + chance.randrange(12):02d}-{1 + chance.randrange(28):02d}"


def _some_clock(chance: random.Random) -> str:
    parts = chance.choice(((0, 0, 0), (24, 0, 0), (23, 59, 59), tuple(map(chance.randrange, (24, 60, 60)))))
    return ".".join(f"{part:02d}" for part in parts)


def _some_timestamp(chance: random.Random, column: rows.Column) -> str:
    has_zone = column.type == "DTTZ"
    clock, room = _some_clock(chance), max(column.size - 20 - 6 * has_zone, 0)
    fraction = "0" * room if clock.startswith("24") else "".join(chance.choice("0123456789") for _ in range(room))
    zone = chance.choice(("+00:00", "-12:59", "+14:00", "+05:30")) if has_zone else ""
    return f"{_some_day(chance)}-{clock}{'.' if room else ''}{fraction}{zone}"


def _some_bytes(chance: random.Random, column: rows.Column) -> bytes:
    return chance.choice((bytes(column.max_bytes), chance.randbytes(column.max_bytes)))


SOME: dict[str, Callable[[random.Random, rows.Column], Any]] = {
    "INT": _some_bytes,
    "FLOT": _some_bytes,
    "DEC": _some_decimal,
    "DATE": lambda chance, column: _some_day(chance),
    "TIME": lambda chance, column: _some_clock(chance),
    "DTTM": _some_timestamp,
    "DTTZ": _some_timestamp,
    **dict.fromkeys(("ROWI", "XYZ", "BLOB", "CLOB"), _some_bytes),
}


def sample(
    columns: Sequence[rows.Column],
    scheme: str = "ebcdic",
    *,
    null_bytes: Any = "present",
    is_expanded: bool = False,
    trim: bool = True,
    floats: Any = "hfp",
    dec_length: str = "bytes",
    graphic_length: str = "bytes",
    dates: str | None = None,
    filler: bytes = b"\x00",
    is_proven: bool = False,
) -> Sample:
    columns = tuple(replace(column, name=f"C{number}") for number, column in enumerate(columns))
    letters = SCHEMES[scheme]
    style = Style(
        null_bytes, is_expanded, floats, letters.encoding, "chars" if graphic_length == "characters" else "bytes",
        datetime_encoding=dates or ("cp037" if scheme in ("ebcdic", "german") else "ascii"), filler=filler,
    )  # fmt: skip
    reading = ImageReading(null_bytes, dec_length, graphic_length)
    return Sample(columns, letters, style, reading, ImageOptions(is_expanded, floats, trim), is_proven)


# both readers


def spread(images: Sequence[bytes], chance: random.Random) -> tuple[npt.NDArray[np.uint8], Any, Any]:
    """Images with other data between them, the last one often at the end: data, starts, lengths."""
    data, starts = bytearray(), []
    for image in images:
        data += chance.randbytes(chance.choice((0, 0, 1, 30)))
        starts.append(len(data))
        data += image
    data += chance.randbytes(chance.choice((0, 0, 40)))
    return np.frombuffer(bytes(data), np.uint8), np.array(starts, np.int64), np.array([*map(len, images)], np.int64)


def compared(
    given: Sample, images: Sequence[bytes], wanted: Wanted = None, table: TableVersion | None = None
) -> DecodedRows:
    """What the plan gives, once it agrees with the row reader: equal, or irregular where that one refuses.

    Rows that are read one by one without need are an error as well.
    """
    placed = spread(images, random.Random(len(images)))
    decoded, needless = checked(given, *placed, wanted, table)
    assert not needless
    return decoded


def checked(
    given: Sample, data: npt.NDArray[np.uint8], starts: Any, lengths: Any, wanted: Wanted = None, table: Any = None
) -> tuple[DecodedRows, list[int]]:
    """What the plan gives, once regular rows equal those of the row reader, and which are irregular without need."""
    table = table or given.table
    plan = ImagePlan(table, given.reading, given.options)
    assert not plan.refusal(wanted)
    before = data.tobytes(), starts.copy(), lengths.copy()
    decoded = plan.decode(data, starts, lengths, wanted)
    assert data.tobytes() == before[0], "the data was changed"
    assert np.array_equal(starts, before[1])
    assert np.array_equal(lengths, before[2])
    schema = pa.schema(
        (column.name, change_schemas.column_type(column.counting(given.reading.dec_length)))
        for column in table.columns
        if wanted is None or column.name in wanted
    )
    assert decoded.irregular.dtype == np.bool_
    assert len(decoded.irregular) == len(starts)
    assert list(decoded.arrays) == schema.names
    assert list(decoded.absent) == [
        column.name for column in table.columns if column.form == "absent" and column.name in schema.names
    ]
    for entry in schema:
        array = decoded.arrays[entry.name]
        assert (array.type, len(array)) == (entry.type, len(starts))
        array.validate(full=True)
    reader = RowReader(table, given.reading, given.options)
    regular, expected, needless = [], [], []
    for number, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        try:
            row = reader.read(data[start : start + length].tobytes(), wanted)
            assert not row.faults
            if decoded.irregular[number]:
                as_arrow([row.values], schema)
        except (DataError, pa.ArrowInvalid, AssertionError):
            assert decoded.irregular[number], f"row {number} is at fault"
            continue
        if decoded.irregular[number]:
            needless.append(number)
            continue
        regular.append(number)
        expected.append(row.values)
        assert {name for name, flags in decoded.absent.items() if flags[number]} == set(row.absent)
    found = [decoded.arrays[name].take(pa.array(regular, pa.int64())) for name in schema.names]
    for entry, left, right in zip(schema, as_arrow(expected, schema), found, strict=True):
        assert same(left, right), entry
    full = plan.in_full().decode(data, starts, lengths, wanted)
    assert np.array_equal(full.irregular, decoded.irregular)
    texts = full.texts(np.arange(len(starts)), len(starts)).take(pa.array(regular, pa.int64()))
    assert texts.to_pylist() == [json.dumps(to_json(values), ensure_ascii=False) for values in expected]
    return decoded, needless


def as_arrow(values: Sequence[dict[str, Any]], schema: pa.Schema) -> list[pa.Array]:
    return to_batch(list(values), schema).columns


def same(one: pa.Array, other: pa.Array) -> bool:
    if pa.types.is_floating(one.type):  # to the bit, so that NaN equals NaN and 0 not -0
        one, other = (
            pa.array(array.to_numpy(zero_copy_only=False).view(np.int64), mask=np.asarray(array.is_null()))
            for array in (one, other)
        )
    return bool(one.equals(other))


def rows_of(given: Sample, count: int, seed: Any = 1) -> list[bytes]:
    chance = random.Random(seed)
    return [given.image(chance, chance.choice((0, 0.3, 0.9))) for _ in range(count)]


# rows that are right


def everywhere(types: Sequence[rows.Column]) -> list[rows.Column]:
    """Every type, nullable and not, before and behind a varying column."""
    both = [replace(column, nulls=nulls) for column in types for nulls in "NY"]
    return [*both, rows.Column("", "VCHR", 9, nulls="L"), *both]


WAYS = [*product((False, True), ("hfp", "ieee"), ("bytes", "precision"), (False, True))]
"""Trim, floats, dec_length, and whether LOGLOGBYTES proves it. A type depends on two of them at most."""
PAIRS = [WAYS[number] for number in (0, 3, 5, 9, 14)]
"""Any two of them in all four combinations."""


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("null_bytes", ["present", "absent"])
@pytest.mark.parametrize("is_expanded", [False, True], ids=["varying", "expanded"])
def test_every_type(scheme: str, null_bytes: str, is_expanded: bool) -> None:
    columns = everywhere(TYPES)
    for trim, floats, dec_length, is_proven in WAYS if IS_THOROUGH else PAIRS:
        given = sample(
            columns, scheme, null_bytes=null_bytes, is_expanded=is_expanded, trim=trim, floats=floats,
            dec_length=dec_length, graphic_length="bytes" if trim else "characters", is_proven=is_proven,
            filler=b"\xff" if trim else b"\x00",
        )  # fmt: skip
        decoded = compared(given, rows_of(given, 12, floats))
        assert not decoded.irregular.any(), "the kernels read all of them"


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    column = st.builds(
        lambda column, nulls: replace(column, nulls=nulls), st.sampled_from(TYPES), st.sampled_from("NYL")
    )
    return sample(
        draw(st.lists(column, max_size=9)),
        draw(st.sampled_from(list(SCHEMES))),
        null_bytes=draw(st.sampled_from(["present", "absent"])),
        is_expanded=draw(st.booleans()),
        trim=draw(st.booleans()),
        floats=draw(st.sampled_from(["hfp", "ieee"])),
        dec_length=draw(st.sampled_from(["bytes", "precision"])),
        graphic_length=draw(st.sampled_from(["bytes", "characters"])),
        dates=draw(st.sampled_from(["cp037", "ascii"])),
        filler=draw(st.sampled_from([b"\x00", b"\xff", b"\x40"])),
        is_proven=draw(st.booleans()),
    )


@QUICK
@given(samples(), st.integers(0, 20), st.integers(0, 1 << 32), st.data())
def test_random_tables(given: Sample, count: int, seed: int, data: st.DataObject) -> None:
    images = rows_of(given, count, seed)
    assert not compared(given, images).irregular.any()
    names = [column.name for column in given.table.columns]
    wanted = frozenset(data.draw(st.lists(st.sampled_from(names)))) if names else frozenset()
    assert not compared(given, images, wanted).irregular.any()


# rows that are not


def image_at(data: npt.NDArray[np.uint8], starts: Any, lengths: Any, number: int) -> bytes:
    return data[starts[number] : starts[number] + lengths[number]].tobytes()


def may_be_needless(given: Sample, image: bytes) -> bool:
    """Characters of four bytes in UTF-16; or a null with a length, in a column that is not wanted."""
    row = RowReader(given.table, given.reading, given.options).read(image)
    graphic = (row.values[column.name] for column in given.table.columns if column.is_graphic)
    has_astral = any(isinstance(text, str) and max(text, default="") > "\uffff" for text in graphic)
    return has_astral or any("a null column has a length" in str(fault) for fault in row.faults)


def damaged(image: bytes) -> Iterator[bytes]:
    """Every byte changed in many ways."""
    for place, byte in enumerate(image):
        for other in sorted({0, 0x1F, 0xD8, 0xFA, 0xFF, byte ^ 1, byte ^ 16}):
            yield image[:place] + bytes([other]) + image[place + 1 :]


@pytest.mark.parametrize(
    ("scheme", "null_bytes", "is_expanded"),
    [
        ("ebcdic", "present", False),
        ("greek", "absent", False),
        ("unicode", "absent", False),
        ("unicode", "present", True),
    ],
)
def test_every_byte(scheme: str, null_bytes: str, is_expanded: bool) -> None:
    columns = [replace(column, nulls="NY"[number % 2]) for number, column in enumerate(TYPES)]
    given = sample(columns, scheme, null_bytes=null_bytes, is_expanded=is_expanded, dec_length="precision")
    good = rows_of(given, 1, 3)[0]
    content, starts, lengths = spread([*damaged(good), good], random.Random(1))
    decoded, needless = checked(given, content, starts, lengths)
    assert not decoded.irregular[-1]
    assert all(may_be_needless(given, image_at(content, starts, lengths, number)) for number in needless)
    assert decoded.irregular.sum() > len(good) / 2


@pytest.mark.parametrize("null_bytes", ["present", "absent"])
@pytest.mark.parametrize("is_expanded", [False, True], ids=["varying", "expanded"])
def test_every_length(null_bytes: str, is_expanded: bool) -> None:
    """Images that are cut or go on, alone, before and behind a good one, at the end of the data and not."""
    columns = everywhere([*TYPES[:1], *TYPES[-9:]])
    given = sample(columns, null_bytes=null_bytes, is_expanded=is_expanded)
    full, empty = (given.image(random.Random(2), nulls) for nulls in (0.0, 1.0))
    for good in (full, empty):
        others = [*(good[:size] for size in range(len(good))), *(good + bytes(more) for more in (1, 2, 40))]
        decoded = compared(given, [*others, good])
        assert decoded.irregular.tolist() == [True] * len(others) + [False]
        for other in others[:: amount(57, 7)]:
            assert compared(given, [other]).irregular.tolist() == [True]
            assert compared(given, [other, good]).irregular.tolist() == [True, False]
            assert compared(given, [good, other]).irregular.tolist() == [False, True]


def test_a_faulty_null_is_none() -> None:
    """What stands in the bytes of a null is nobody's value."""
    columns = [replace(column, nulls="Y") for column in TYPES if not column.variable]
    for filler in (b"\x00", b"\x40", b"\xff", b"\xa5"):
        given = sample(columns, "unicode", filler=filler)
        decoded = compared(given, [given.image(random.Random(1), nulls) for nulls in (1.0, 0.0, 0.5)])
        assert not decoded.irregular.any()


def test_columns_that_are_not_wanted_are_still_walked_over() -> None:
    given = sample([rows.Column("", "INT", 2), rows.Column("", "VCHR", 5, nulls="Y"), rows.Column("", "INT", 2)])
    good = bytes.fromhex("0001 00 0001 C1 0002")
    texts = (
        "0001 01 0001 C1 0002",
        "0001 00 0006 C1C1C1C1C1C1 0002",
        "0001 FF 0001 C1 0002",
        "0001 00 0001 C1 0002 00",
        "0001 00 0001 C1",
    )
    faults = [*map(bytes.fromhex, texts)]
    content, starts, lengths = spread([good, *faults, good], random.Random(1))
    for wanted in ([], ["C0"], ["C2"], ["C0", "C2"]):
        decoded, needless = checked(given, content, starts, lengths, frozenset(wanted))
        assert decoded.irregular.tolist() == [False, *[True] * len(faults), False]
        assert needless == [3]
