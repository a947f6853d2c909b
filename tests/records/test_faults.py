"""Errors of records can be written to every output, whatever the record has."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import pytest
from spec.test_step_budget import built

import lmparse
from lmparse import cli
from lmparse.errors import DataError, RecordError
from lmparse.records.dissection import CLOSING, Dissector
from lmparse.records.reader import RecordReader
from lmparse.review.coverage.coverage import Coverage
from lmparse.spec import catalog

RECORD = b"+2AA-"
VALID = ("'\"abc\"'", "{any-of: ['\"abc\"']}", "{min: '\"\U0001f600\"'}", "{max: '\"abc\"'}", '{expr: _ == "a"}')


@pytest.mark.parametrize("valid", [*VALID, "{eq: u}"])
def test_half_of_a_surrogate_pair_is_shown_by_its_number(tmp_path: Path, valid: str) -> None:
    other = "{id: u, type: str, size: 5, encoding: utf-7}"
    text = f"seq: [{other}, {{id: t, type: str, size: 5, encoding: utf-7, valid: {valid}}}]\n"
    reader = built(tmp_path, text)
    record = RECORD + (b"+2AE-" if valid == "{eq: u}" else RECORD)
    with pytest.raises(DataError) as caught:
        reader.read(record)
    assert caught.value.field == "t"
    assert "\\ud8" in str(caught.value)
    str(caught.value).encode()
    (tmp_path / "log").write_bytes(record)
    options = ["--framing", "fixed", "--record-length", "10", "--mode", "permissive"]
    for name in ("out.parquet", "out.csv", "out.arrow", "out.jsonl"):
        out = str(tmp_path / name)
        assert cli.main(["convert", str(tmp_path / "log"), out, "--spec", f"{tmp_path}/out/acme_a", *options]) in (
            0,
            20,
        )


DEMANDS = """seq:
- {id: a, type: u1, enum: kind, valid: {any-of: ['kind::big', 'kind::small']}}
- {id: b, type: u1, valid: {expr: _ % 2 == 0}}
- {id: c, type: u1, enum: kind, valid: {in-enum: true}}
- {id: t, type: strz, encoding: ASCII}
- {id: w, type: part, size: 6, terminator: 0x40, pad-right: 0x20}
- {id: x, type: part, terminator: 0}
types: {part: {seq: [{id: v, size: 1}, {id: r, size-eos: true}]}}
enums: {kind: {7: big, 8: small}}
"""
SOUND = b"\7\2\7ab\0xy@   zz\0"


@pytest.mark.parametrize(("record", "text"), [
    (b"\3" + SOUND[1:], "a: expected one of 7 (big), 8 (small), found 3 [LMP-V001]"),
    (b"\7\3" + SOUND[2:], "b: expected a value for which _ % 2 == 0 holds, found 3 [LMP-V001]"),
    (b"\7\2\3" + SOUND[3:], "c: expected one of 7 (big), 8 (small), found 3 [LMP-V001]"),
    (SOUND[:5], "t: the record ends inside the field: expected a terminator, X'00', found none in 2 bytes [LMP-R001]"),
    (SOUND[:-1], "x: the record ends inside the field: expected a terminator, X'00', found none in 2 bytes [LMP-R001]"),
])  # fmt: skip
def test_what_is_demanded_is_said(tmp_path: Path, record: bytes, text: str) -> None:
    with pytest.raises(DataError) as caught:
        built(tmp_path, DEMANDS).read(record)
    assert str(caught.value).endswith(f"acme_a.{text}")


def test_bytes_that_close_a_part_are_listed(tmp_path: Path) -> None:
    found = Dissector(built(tmp_path, DEMANDS)).dissect(SOUND)
    assert b"".join(SOUND[node.start : node.end] for node in found.leaves()) == SOUND
    closing = {node.path: node.value for node in found.walk() if node.field.kind == CLOSING}
    assert closing == {"w.(terminator, pad-right)": "40202020", "x.(terminator)": "00"}
    counted = Coverage()
    counted.add(found, file="log", index=0, offset=0, layouts=catalog.load(f"{tmp_path}/out/acme_a").layouts)
    assert {name for _, name in counted.fields} == {*"abctwxvr"}


# a record that ends inside an optional field

REST = "{id: r, size-eos: true, -lm-type: rest}"
PART = f"types: {{t: {{seq: [{{id: a, type: u1}}, {{id: b, type: u2, if: not _io.eof}}, {REST}]}}}}"
ENDS_SHORT: dict[str, tuple[str, bytes, Any]] = {
    "the record": (
        "{id: a, type: u1}, {id: b, type: u2, if: not _io.eof}, {id: r, size-eos: true, -lm-type: rest}",
        b"\1\2",
        {"a": 1, "b": None, "r": b"\2"},
    ),
    "a part that ends it": ("{id: s, type: t}", b"\1\2", {"s": {"a": 1, "b": None, "r": b"\2"}}),
    "bytes that end it": (
        "{id: n, type: u1}, {id: s, type: t, size-eos: true}",
        b"\1\1\2",
        {"n": 1, "s": {"a": 1, "b": None, "r": b"\2"}},
    ),
    "optional behind": (
        "{id: s, type: t}, {id: c, type: u1, if: not _io.eof}",
        b"\1\2",
        {"s": {"a": 1, "b": None, "r": b"\2"}, "c": None},
    ),
    "the last item": (
        "{id: s, type: t, size: 5, repeat: eos}",
        b"\1\2\3\4\5\1\2",
        None,
    ),
    "a part": ("{id: s, type: t, size: 2}, {id: z, type: u1}", b"\1\2\3", None),
    "a part and no more": ("{id: s, type: t, size: 2}", b"\1\2", {"s": {"a": 1, "b": None, "r": b"\2"}}),
    "a part, and bytes behind": ("{id: s, type: t, size: 2}", b"\1\2\3", None),
    "a part of a length": ("{id: n, type: u1}, {id: s, type: t, size: n}, {id: z, type: u1}", b"\2\1\2\3", None),
    "an item": ("{id: s, type: t, size: 2, repeat: expr, repeat-expr: 2}", b"\1\2\3\4", None),
    "restored bytes": ("{id: s, type: t, size-eos: true, process: xor(1)}", b"\1\2", None),
    "a field behind": (
        "{id: a, type: u1}, {id: b, size: 4, if: not _io.eof}, {id: c, type: u1}, "
        "{id: r, size-eos: true, -lm-type: rest}",
        b"\1\2",
        None,
    ),
    "a rest in front": (
        "{id: e, type: u1}, {id: r, size: e - _io.pos, -lm-type: rest}, {id: b, type: u2, if: not _io.eof}",
        b"\2\1\2",
        None,
    ),
}
"""Fields, a record, and its values; None where what is behind the optional field would be lost."""


def test_a_record_that_ends_inside_an_optional_field(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    for number, (seq, _, _) in enumerate(ENDS_SHORT.values()):
        text = f"meta: {{id: acme_{number}, title: A, endian: be}}\nseq: [{seq}]\n{PART}\n"
        (tmp_path / "s" / f"acme_{number}.ksy").write_text(text)
    assert cli.main(["build", "--formats", str(tmp_path / "s"), "--out", str(tmp_path / "out")]) == 0
    for number, (name, (_, raw, wanted)) in enumerate(ENDS_SHORT.items()):
        reader = RecordReader(catalog.load(f"{tmp_path}/out/acme_{number}"))
        assert reader.accepts(raw) == (wanted is not None), name
        if wanted is not None:
            assert reader.read(raw).values == wanted, name
            continue
        with pytest.raises(RecordError) as caught:
            reader.read(raw)
        assert caught.value.code == "LMP-R001", name


def test_errors_that_are_kept_have_let_go_of_what_was_read(tmp_path: Path) -> None:
    """A frame of where an error was raised has the record with all that was unpacked from it."""
    text = (
        "seq: [{id: n, type: u1}, {id: s, size: n, process: zlib, type: t}]\n"
        "types: {t: {seq: [{id: a, type: u1, valid: 1}, {id: l, size-eos: true}]}}\n"
    )
    built(tmp_path, text)
    packed = zlib.compress(bytes(1 << 14), 9)
    (tmp_path / "log").write_bytes((bytes([len(packed)]) + packed) * 20)
    options = {"spec": f"{tmp_path}/out/acme_a", "framing": "fixed", "record_length": len(packed) + 1}
    opened = lmparse.open_log(tmp_path / "log", **options)
    list(opened.records())
    errors = opened.tally.errors
    assert [error.code for error in errors] == ["LMP-V009"] * 20
    assert {(error.__traceback__, error.__context__, error.__cause__) for error in errors} == {(None, None, None)}
