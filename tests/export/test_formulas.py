"""No text in CSV is run by a spreadsheet, and all of it can be had back."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmparse.export import writers
from lmparse.export.writers import FORMULA, NUMBER, quoted

FORMULAS = (
    "^=cmd|' /C calc'!A0", "^@SUM(1)", "^+1+1", "^-1+1", "^-A1", "^=1", "\t^=1", "\r^=1", "\n^=1", " ^=1", "^\uff1d1",
    "^+5-", "'^=1", "''^@x", "^-\n5", "^-5 ", "^--5", "^+44 20", "^=\n", "\0^=1", "^-infx", "x;^=1;y", "x;\t ^=1",
    "x\n^=1", "x;\"^=1;y", "^-1;^=1", "; ;^=1", "^=;^=;^=", "1;^-5", "\u200b^=1", "\u2003^@x", "\t;\n\r ^+a;b", "'^=",
)  # fmt: skip
"""Texts, with ^ where the apostrophe goes."""
HARMLESS = (
    "",
    "a=1",
    "-5",
    "+5",
    "-0.01",
    "-1.5e-7",
    "-.5",
    "=",
    "@",
    "-",
    "'",
    "it's",
    "{}",
    "2026-03-14",
    "-inf",
    "a@b",
)


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_has_an_apostrophe_in_front(text: str) -> None:
    column = pa.array([text.replace("^", ""), None, "plain"])
    assert quoted(column).to_pylist() == [text.replace("^", "'"), None, "plain"]


@pytest.mark.parametrize("text", HARMLESS)
def test_numbers_and_other_text_are_not_touched(text: str) -> None:
    assert quoted(pa.array([text])).to_pylist() == [text]


pieces = st.sampled_from([*"=+-@'\"\t\n\r 5.eE;", "inf", "\uff0b", "x", "é", "\0", "\u200b"])
unquoted = re.compile(FORMULA.replace(")([=", ")'([="))


@given(st.lists(st.one_of(st.none(), st.lists(pieces).map("".join), st.text(st.characters(codec="utf-8")))))
def test_every_text_can_be_had_back_and_none_is_run(texts: list[str | None]) -> None:
    found = quoted(pa.array(texts, pa.string())).to_pylist()
    for text, now in zip(texts, found, strict=True):
        if now is None:
            assert text is None
            continue
        assert unquoted.sub(r"\1\2\3", now) == text
        for cell in [now] if is_number(now) or len(now) == 1 else [now, *re.split("[;\t\r\n]", now)]:
            shown = cell.lstrip('\0\t\n\r "\u200b')
            assert len(now) < 2 or is_number(now) or shown[:1] not in tuple("=+-@\uff0b")


def is_number(text: str) -> bool:
    return re.fullmatch(NUMBER.replace("$", "").replace("^", ""), text) is not None


@pytest.mark.parametrize(("csv_text", "expected"), [("quoted", "'=1"), ("raw", "=1")])
def test_a_file_has_formulas_only_where_that_is_asked_for(tmp_path: Path, csv_text: str, expected: str) -> None:
    schema = pa.schema([("text", pa.string()), ("number", pa.int64()), ("amount", pa.decimal128(5, 2))])
    batch = pa.RecordBatch.from_pylist([{"text": "=1", "number": -5, "amount": -1}], schema=schema)
    with writers.opened(tmp_path / "x.csv", "csv", schema, "none", csv_text) as output:
        output.write(batch)
    rows = list(csv.reader(io.StringIO((tmp_path / "x.csv").read_text())))
    assert rows == [["text", "number", "amount"], [expected, "-5", "-1.00"]]


@pytest.mark.parametrize(("csv_text", "expected"), [("quoted", "'=A(1)"), ("raw", "=A(1)")])
def test_a_name_of_a_column_is_no_formula_either(tmp_path: Path, csv_text: str, expected: str) -> None:
    """The rows of some envelopes have the columns of the table, whose names come with the log."""
    schema = pa.schema([("=A(1)", pa.string()), ("B", pa.string())])
    with writers.opened(tmp_path / "x.csv", "csv", schema, "none", csv_text) as output:
        output.write(pa.RecordBatch.from_pylist([{"=A(1)": "x", "B": "y"}], schema=schema))
    assert list(csv.reader(io.StringIO((tmp_path / "x.csv").read_text()))) == [[expected, "B"], ["x", "y"]]
