"""What the manual does not say of row images is decided by the images, by an option, or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.fields import key
from writers.bmc.rows import Column

import lmparse
from lmparse.bmc.log import interpretation

ENGINES = ("columnar", "kaitai")
TABLE = Table(
    0x105, 2, 3, "PROD", "T",
    (Column("K", "INT", 4), Column("A", "CHAR", 2, nulls="Y"), Column("B", "VCHR", 1000, nulls="Y", subtype="B")),
)  # fmt: skip
AB = b"\xc1\xc2"
WITHOUT_NULL = b"\0" + AB + b"\0\0\2xy"
BOTH = b"\xff\0\1\0" + b"\0\xfe" + b"z" * 254
"""A is null: B has 256 bytes if those of A are absent, and 254 if they are present."""
SAMPLES = 12
"""Images that decide first, here."""


@pytest.fixture(autouse=True)
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpretation, "_SAMPLES", SAMPLES)


def log(folder: Path, images: list[bytes], table: Table = TABLE, **dlds: str) -> dict[str, Path]:
    """A log of inserts into a table, and its control file."""
    records = []
    for number, image in enumerate(images):
        position = f"{0x1000 + number:020X}"
        fields = dict(
            table.header_fields, changetype="I", logrba=position, loglrsn=position, uorid=f"{0x100:020X}",
            uorcommitpoint=f"{0x9000:020X}",
        )  # fmt: skip
        header = {key(name): value for name, value in fields.items()}
        records.append(lldf.record(lldf.data_area("I", [image]), **header))
    folder.mkdir(exist_ok=True)
    (folder / "a.dat").write_bytes(framing.rdw(records))
    (folder / "a.ctl").write_bytes(framing.rdw(control.for_tables([table], dlds_fields=dict(dlds))))
    return {"path": folder / "a.dat", "control": folder / "a.ctl"}


def row(number: int, image: bytes) -> bytes:
    return number.to_bytes(4, "big") + image


def rows(opened: Any) -> list[Any]:
    """The row of each change that is given."""
    return [json.loads(text) for text in opened.to_table().column("after").to_pylist() if text is not None]


def sizes(opened: Any) -> dict[int, int]:
    """The length of B in each of them."""
    return {row["K"]: len(bytes.fromhex(row["B"])) for row in rows(opened)}


def numbered(images: list[bytes]) -> list[bytes]:
    return [row(number, image) for number, image in enumerate(images)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("asked", "size"), [("absent", 256), ("present", 254)])
def test_the_option_says_it(tmp_path: Path, engine: str, asked: str, size: int) -> None:
    paths = log(tmp_path, numbered([WITHOUT_NULL] * SAMPLES + [BOTH]))
    opened = lmparse.open_log(**paths, engine=engine, decisions=f"null_bytes={asked}")
    assert sizes(opened)[SAMPLES] == size
    assert opened.tally.errors == []


GRAPHIC = Table(0x105, 2, 3, "PROD", "T", (Column("G", "VGRF", 3),), encoding_scheme="U")


def padded(text: str, length: int) -> bytes:
    return length.to_bytes(2, "big") + text.encode("utf-16-be") + b"\0 " * (3 - len(text))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "texts", [["あ", "いう", "えおか"], ["いう", "かき"]], ids=["of odd length", "of characters behind the length"]
)
def test_padding_tells_what_lengths_of_graphic_columns_count(tmp_path: Path, engine: str, texts: list[str]) -> None:
    for unit in (1, 2):
        images = [padded(text, unit * len(text)) for text in texts]
        opened = lmparse.open_log(**log(tmp_path / str(unit), images, GRAPHIC, EXPANDVAR="Y"), engine=engine)
        assert [row["G"] for row in rows(opened)] == texts
        assert opened.tally.errors == []


def test_lengths_of_graphic_columns_count_what_the_option_says(tmp_path: Path) -> None:
    paths = log(tmp_path, [padded("いう", 2)], GRAPHIC, EXPANDVAR="Y")
    found = {}
    for asked in ("bytes", "characters"):
        opened = lmparse.open_log(**paths, decisions=f"graphic_length={asked}")
        found[asked] = [change["after"]["G"] for change in opened.changes()]
    assert found == {"bytes": ["い"], "characters": ["いう"]}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("unit", [1, 2])
@pytest.mark.parametrize("proven", ["bytes", "characters"])
def test_a_graphic_value_behind_empty_ones(tmp_path: Path, engine: str, proven: str, unit: int) -> None:
    """LOGLOGBYTES says what its length most likely counts; padding that shows otherwise is an error, and no value."""
    fields = {"LLCOLUMNLEN": 3 if proven == "characters" else 6, "LOGLOGBYTES": 8}
    column = Column("G", "VGRF", 3, dlci=fields)
    images = [padded("", 0)] * SAMPLES + [padded("いう", unit * 2), padded("", 0)]
    table = Table(0x105, 2, 3, "PROD", "T", (column,), encoding_scheme="U")
    opened = lmparse.open_log(**log(tmp_path, images, table, EXPANDVAR="Y"), engine=engine)
    found = [row["G"] for row in rows(opened) if row["G"]]
    if unit == (1 if proven == "characters" else 2):
        assert (found, opened.tally.errors) == (["いう"], [])
    else:
        assert found == []
        assert [(error.code, error.record_index) for error in opened.tally.errors] == [("LMP-R015", SAMPLES)]
