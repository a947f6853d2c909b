"""Rows of tables with columns of every type: what was encoded is read, and damage gives values or an error."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from writers.db2 import decfloat, rows, values
from writers.db2.columns import Column, offsets
from writers.db2.wire import Server

from lmparse.db2 import tables
from lmparse.db2.row_reader import RowReader
from lmparse.db2.tables import placed
from lmparse.errors import DataError
from lmparse.values import codepages
from lmparse.values.sql_types import parse_type


def server_of(order: Any) -> Server:
    return Server("v10", order)


def lengths(largest: int) -> st.SearchStrategy[int]:
    return st.integers(1, largest)


def text(largest: int, codec: str = "utf-8") -> st.SearchStrategy[str]:
    """Text of so many bytes at most."""
    letters = st.characters(exclude_categories=("Cs",), exclude_characters="\x00")
    return st.text(letters, max_size=largest).filter(lambda value: len(value.encode(codec)) <= largest)


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    limit = 10**precision - 1
    return st.integers(-limit, limit).map(lambda number: Decimal(number).scaleb(-scale, values._EXACT))


def floats_of(digits: int) -> st.SearchStrategy[Decimal]:
    form = decfloat.FORMATS[digits]
    numbers = st.integers(0, 10**digits - 1)
    exponents = st.integers(-form.bias, (3 << form.exponent_bits) - 1 - form.bias)
    signs = st.integers(0, 1)
    return st.builds(lambda s, n, e: Decimal((s, tuple(map(int, str(n))), e)), signs, numbers, exponents)


def timestamps(digits: int) -> st.SearchStrategy[str]:
    fraction = st.text("0123456789", min_size=digits, max_size=digits)
    moments = st.datetimes().map(lambda moment: moment.replace(microsecond=0).isoformat())
    return st.builds(lambda moment, part: f"{moment}.{part}" if digits else moment, moments, fraction)


@st.composite
def columns_with_values(draw: st.DrawFn) -> tuple[Column, Any]:
    kind = draw(st.sampled_from(["int", "float", "decimal", "decfloat", "text", "bytes", "time", "lob"]))
    nullable = draw(st.booleans())
    type_, value = draw(_TYPES[kind]())
    return Column("A", type_, nullable=nullable), None if nullable and draw(st.booleans()) else value


def _ints() -> st.SearchStrategy[tuple[str, Any]]:
    sizes = {"SMALLINT": 15, "INTEGER": 31, "BIGINT": 63}
    return st.sampled_from(list(sizes)).flatmap(
        lambda name: st.tuples(st.just(name), st.integers(-(1 << sizes[name]), (1 << sizes[name]) - 1))
    )


def _floats() -> st.SearchStrategy[tuple[str, Any]]:
    finite: Any = {"allow_nan": False, "allow_infinity": False}
    return st.one_of(
        st.tuples(st.just("REAL"), st.floats(width=32, **finite)), st.tuples(st.just("DOUBLE"), st.floats(**finite))
    )


def _decimals() -> st.SearchStrategy[tuple[str, Any]]:
    sizes = lengths(31).flatmap(lambda precision: st.tuples(st.just(precision), st.integers(0, precision)))
    return sizes.flatmap(lambda size: st.tuples(st.just(f"DECIMAL({size[0]},{size[1]})"), decimals(*size)))


def _decfloats() -> st.SearchStrategy[tuple[str, Any]]:
    return st.sampled_from([16, 34]).flatmap(
        lambda digits: st.tuples(st.just(f"DECFLOAT({digits})"), floats_of(digits))
    )


def _texts() -> st.SearchStrategy[tuple[str, Any]]:
    plain = st.tuples(st.sampled_from(["CHAR", "VARCHAR"]), lengths(40)).flatmap(
        lambda size: st.tuples(st.just(f"{size[0]}({size[1]})"), text(size[1]))
    )
    graphic = st.tuples(st.sampled_from(["GRAPHIC", "VARGRAPHIC"]), lengths(40)).flatmap(
        lambda size: st.tuples(st.just(f"{size[0]}({size[1]})"), text(2 * size[1], "utf-16-be"))
    )
    return st.one_of(plain, graphic)


def _bytes() -> st.SearchStrategy[tuple[str, Any]]:
    names = st.sampled_from(["CHAR({}) FOR BIT DATA", "VARCHAR({}) FOR BIT DATA", "BINARY({})", "VARBINARY({})"])
    return st.tuples(names, lengths(40)).flatmap(
        lambda size: st.tuples(st.just(size[0].format(size[1])), st.binary(max_size=size[1]))
    )


def _times() -> st.SearchStrategy[tuple[str, Any]]:
    stamps = st.integers(0, 12).flatmap(lambda digits: st.tuples(st.just(f"TIMESTAMP({digits})"), timestamps(digits)))
    dates = st.tuples(st.just("DATE"), st.dates().map(str))
    times = st.tuples(st.just("TIME"), st.times().map(lambda time: str(time.replace(microsecond=0))))
    return st.one_of(stamps, dates, times, st.tuples(st.just("BOOLEAN"), st.booleans()))


def _lobs() -> st.SearchStrategy[tuple[str, Any]]:
    return st.one_of(
        st.tuples(st.just("CLOB(5K)"), text(60)), st.tuples(st.just("BLOB(5K)"), st.binary(max_size=60)),
        st.tuples(st.just("DBCLOB(5K)"), text(60, "utf-16-be")),
    )  # fmt: skip


_TYPES: dict[str, Any] = {
    "int": _ints, "float": _floats, "decimal": _decimals, "decfloat": _decfloats, "text": _texts, "bytes": _bytes,
    "time": _times, "lob": _lobs,
}  # fmt: skip
steady = examples(80, 250, derandomize=True, database=None)
tables_with_rows = st.lists(columns_with_values(), min_size=1, max_size=6)


def reader_of(columns: list[Column], order: str) -> RowReader:

    known = placed([(column.name, parse_type(column.type), column.nullable) for column in columns])
    assert [column.offset for column in known] == offsets(columns)[:-1]
    return RowReader(tables.Table(2, 4, known, "S", "T"), order, codepages.lookup("utf-8"))


def named(pairs: list[tuple[Column, Any]]) -> tuple[list[Column], dict[str, Any]]:
    columns = [Column(f"C{n}", column.type, nullable=column.nullable) for n, (column, _) in enumerate(pairs, 1)]
    return columns, {column.name: value for column, (_, value) in zip(columns, pairs, strict=True)}


def no_value(column: Any) -> str:
    return "none of them stands outside"


@steady
@given(tables_with_rows, st.sampled_from(["little", "big"]), st.booleans(), st.sampled_from(["array", "data"]))
def test_rows_are_what_was_encoded(pairs: Any, order: Any, is_compressed: bool, base: Any) -> None:
    from lmparse.values.json_form import to_json

    columns, row = named(pairs)
    server = server_of(order)
    if is_compressed:
        image = rows.compressed(server, columns, row, offset_base=base)
    else:
        image = rows.formatted(server, columns, row)
    found = reader_of(columns, order).read(image, no_value)
    assert not found.faults
    assert not found.absent
    assert found.unread == 0
    got = to_json({"after": found.values})["after"]
    wanted = rows.json_row(columns, row)
    for column in columns:
        mine, theirs = got[column.name], wanted[column.name]
        if column.word == "DECFLOAT" and theirs is not None:
            mine, theirs = str(Decimal(mine)), str(Decimal(theirs))
        assert mine == theirs, column


@steady
@given(tables_with_rows, st.sampled_from(["little", "big"]), st.booleans(), st.data())
def test_damaged_rows_give_values_or_an_error(pairs: Any, order: Any, is_compressed: bool, data: st.DataObject) -> None:
    columns, row = named(pairs)
    server = server_of(order)
    make = rows.compressed if is_compressed else rows.formatted
    image = bytearray(make(server, columns, row))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(image) - 1))
        image[place] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(image)))
    for raw in (bytes(image), bytes(image[:end])):
        try:
            found = reader_of(columns, order).read(raw, no_value)
        except DataError:
            continue
        assert list(found.values) == [column.name for column in columns]
        assert found.unread >= 0
