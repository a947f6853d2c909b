"""Places of fields that are not where their layout has them: behind absent optional fields, and in bodies of a size."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import pytest
from columnar.test_decimal_columns import build

from lmparse.errors import LmparseError
from lmparse.records.dissection import Dissector
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog

OPTIONAL = {
    "seq": [
        {"id": "n", "type": "u1"},
        {"id": "e", "type": "u1"},
        {"id": "in_header", "type": "u1", "if": "_io.pos < e"},
        {"id": "amount", "size": 2, "-lm-type": "packed", "if": "not _io.eof"},
        {"id": "one", "type": "u1", "valid": 1, "if": "not _io.eof"},
        {"id": "left", "size-eos": True, "-lm-type": "rest"},
    ]
}
"""A header of `e` bytes, and fields behind it."""
INNER = {"seq": [{"id": "x", "type": "u1"}, {"id": "amount", "size": 2, "-lm-type": "packed"}]}
BODY = {"id": "body", "-lm-type": "body", "type": {"switch-on": "n", "cases": {1: "inner", "_": "inner"}}}
SIZED = {
    "seq": [{"id": "n", "type": "u1"}, BODY | {"size": 3}, {"id": "behind", "type": "u2"}],
    "types": {"inner": INNER},
}
TO_THE_END = {
    "seq": [{"id": "n", "type": "u1"}, {"id": "many", "size": "n"}, BODY | {"size-eos": True}],
    "types": {"inner": INNER},
}


def reader(folder: Path, spec: dict[str, Any]) -> RecordReader:
    return RecordReader(catalog.load(build(folder, "moved", spec)))


@pytest.mark.parametrize(
    ("raw", "left"), [("060180", "80"), ("060380", None), ("06038081", "81"), ("06018012", None), ("0600801C", None)]
)
def test_rest_has_the_bytes_that_are_left(tmp_path: Path, raw: str, left: str | None) -> None:
    """Those behind a field that is not there were cut off as if it were."""
    record = bytes.fromhex(raw)
    moved = reader(tmp_path, OPTIONAL)
    assert moved.read(record).values.get("left") == (None if left is None else bytes.fromhex(left))
    assert Dissector(moved).dissect(record).unread() == []


@pytest.mark.parametrize(
    ("spec", "raw", "offset"),
    [(OPTIONAL, "06018081", None), (OPTIONAL, "0603008081", 3), (SIZED, "01078081FFFF", 2),
     (TO_THE_END, "02AAAA078081", 4)],
    ids=["moved", "in place", "of a size", "to the end"],
)  # fmt: skip
def test_a_faulty_value_has_its_place_or_none(tmp_path: Path, spec: Any, raw: str, offset: int | None) -> None:
    (fault,) = reader(tmp_path, spec).read(bytes.fromhex(raw)).faults
    assert (fault.code, fault.field_offset) == ("LMP-V002", offset)


@pytest.mark.parametrize(("raw", "offset"), [("0601801C07", 4), ("060300801C07", 5)])
def test_an_error_has_its_place(tmp_path: Path, raw: str, offset: int) -> None:
    with pytest.raises(LmparseError) as caught:
        reader(tmp_path, OPTIONAL).read(bytes.fromhex(raw))
    assert (caught.value.code, caught.value.field_offset) == ("LMP-V009", offset)  # type: ignore[attr-defined]


CHECKED = {"seq": [{"id": "h", "type": "u1"}, {"id": "p", "type": "u1", "valid": 1}]}
AT = {"seq": [{"id": "h", "type": "u1"}, {"id": "hh", "type": "u1"}],
      "instances": {"p": {"pos": 1, "type": "u1", "valid": 1}}}  # fmt: skip


@pytest.mark.parametrize("chosen", ["t", {"switch-on": "n", "cases": {"_": "t"}}])
def test_what_was_unpacked_has_no_place(tmp_path: Path, chosen: Any) -> None:
    packed = {"id": "s", "size": "n", "process": "zlib", "type": chosen}
    spec = {"seq": [{"id": "n", "type": "u1"}, packed], "types": {"t": CHECKED}}
    raw = zlib.compress(bytes(2))
    with pytest.raises(LmparseError) as caught:
        reader(tmp_path, spec).read(bytes([len(raw)]) + raw)
    assert (caught.value.code, caught.value.field_offset) == ("LMP-V009", None)  # type: ignore[attr-defined]


@pytest.mark.parametrize("chosen", ["t", {"switch-on": "n", "cases": {"_": "t"}}])
def test_a_faulty_value_in_what_was_unpacked_has_no_place(tmp_path: Path, chosen: Any) -> None:
    packed = {"id": "s", "size": "n", "process": "zlib", "type": chosen}
    spec = {"seq": [{"id": "n", "type": "u1"}, packed], "types": {"t": INNER}}
    raw = zlib.compress(bytes.fromhex("078081"))
    (fault,) = reader(tmp_path, spec).read(bytes([len(raw)]) + raw).faults
    assert (fault.code, fault.field_offset) == ("LMP-V002", None)


IN_A_PART = {"seq": [{"id": "n", "type": "u1"}, {"id": "s", "type": "t", "size": 5}], "types": {"t": AT}}


@pytest.mark.parametrize(("spec", "offset"), [(IN_A_PART, None), (AT, 1)], ids=["in a part", "in the record"])
def test_an_instance_has_the_place_in_the_record_or_none(tmp_path: Path, spec: Any, offset: int | None) -> None:
    """Its position is that in the stream, which may begin anywhere."""
    with pytest.raises(LmparseError) as caught:
        reader(tmp_path, spec).read(bytes(range(7, 14)))
    assert (caught.value.code, caught.value.field_offset) == ("LMP-V009", offset)  # type: ignore[attr-defined]
