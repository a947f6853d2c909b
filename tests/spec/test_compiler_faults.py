"""Faults of the compiler that are mended on our side: each spec builds, and a record has the right values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from spec.build_step import build

from lmparse.records.reader import RecordReader
from lmparse.spec import catalog

REAL_NUMBER = """
seq:
  - {id: a, type: u1}
  - {id: b, type: u1, if: half > 2.2}
instances: {five: {value: 5.0}, half: {value: five / 2}}
"""
LARGE_NUMBER = "{seq: [{id: a, type: u4, valid: 4294967295}, {id: b, type: s4, valid: -2147483648}]}"
CASES_WITHOUT_DEFAULT = """
seq:
  - {id: tag, type: u1, repeat: expr, repeat-expr: 3}
  - {id: body, size: 1, type: {switch-on: 'tag[_index]', cases: {1: one}}, repeat: expr, repeat-expr: 3}
types: {one: {seq: [{id: x, type: u1}]}}
"""
KEYS_WITHOUT_EFFECT = """
meta: {ks-debug: false, ks-opaque-types: false}
seq: [{id: a, type: u1}]
"""


def _built(text: str, folder: Path) -> Any:
    own = folder / "specs" / "acme" / "acme_one.ksy"
    own.parent.mkdir(parents=True)
    head = "id: acme_one, endian: be"
    text = text.replace("meta: {", f"meta: {{{head}, ") if "meta:" in text else f"meta: {{{head}}}\n{text.strip('{}')}"
    own.write_text(text)
    done = build("generate", "--formats", own.parents[1], "--out", folder / "built")
    assert done.returncode == 0, done.stderr
    return RecordReader(catalog.load(str(folder / "built" / "acme_one")))


@pytest.mark.parametrize(
    ("text", "raw", "values"),
    [
        (REAL_NUMBER, b"\1\2", {"a": 1, "b": 2, "five": 5.0, "half": 2.5}),
        (LARGE_NUMBER, b"\xff\xff\xff\xff\x80\0\0\0", {"a": 4294967295, "b": -2147483648}),
        (
            CASES_WITHOUT_DEFAULT, b"\2\1\1\7\5\6",
            {"tag": [2, 1, 1], "body": [{"bytes": b"\7"}, {"one": {"x": 5}}, {"one": {"x": 6}}]},
        ),
        (KEYS_WITHOUT_EFFECT, b"\1", {"a": 1}),
    ],
    ids=["real number", "large number", "cases without default", "keys without effect"],
)  # fmt: skip
def test_the_record_is_read_right(text: str, raw: bytes, values: dict[str, Any], tmp_path: Path) -> None:
    assert _built(text, tmp_path).read(raw).values == values


def test_a_demand_of_an_enumeration_without_one_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "acme" / "acme_one.ksy"
    own.parent.mkdir()
    own.write_text("meta: {id: acme_one}\nseq: [{id: a, type: u1, valid: {in-enum: true}}]\n")
    done = build("generate", "--formats", tmp_path, "--out", tmp_path / "built")
    assert done.returncode == 1
    assert "in-enum is for what has an enum [/seq/0/valid/in-enum]" in done.stderr
