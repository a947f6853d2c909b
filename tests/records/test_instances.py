"""Instances whose reading has an expression without a value are errors, as fields are."""

from __future__ import annotations

from pathlib import Path

import pytest
from spec.test_step_budget import built

from lmparse.errors import RecordError

TYPE = "types: {t: {seq: [{id: x, type: u1}, {id: k, type: u1, if: x == 1}, {id: z, size: 0, if: k > 0}]}}\n"
ABSENT = {
    "a list": ("seq: [{id: n, type: u1}]\ninstances: {i: {pos: 0, type: t, repeat: expr, repeat-expr: 2}}\n", "i"),
    "an object": ("seq: [{id: n, type: u1}]\ninstances: {i: {pos: 2, type: t}}\n", "i"),
    "a position": (
        "seq: [{id: n, type: u1}, {id: m, type: u1, if: n == 2}]\ninstances: {i: {pos: m, type: u1}}\n",
        "i",
    ),
    "a condition": (
        "seq: [{id: n, type: u1}, {id: m, type: u1, if: n == 2}]\ninstances: {i: {pos: 0, type: u1, if: m == 1}}\n",
        "i",
    ),
    "inside": ("seq: [{id: a, type: u}]\ntypes2: {u: {seq: [], instances: {i: {pos: 2, type: t}}}}\n", "a.i"),
}


@pytest.mark.parametrize("name", ABSENT)
def test_an_absent_field_in_an_instance_is_an_error(tmp_path: Path, name: str) -> None:
    text, field = ABSENT[name]
    text, _, more = text.partition("types2: {")
    types = TYPE.replace("types: {", f"types: {{{more.strip()[:-1]}, ") if more else TYPE
    reader = built(tmp_path, text + types)
    with pytest.raises(RecordError) as caught:
        reader.read(b"\1\5\2\7")
    assert (caught.value.code, caught.value.field) == ("LMP-R012", field)
    assert "the record has no " in str(caught.value)
    assert not reader.accepts(b"\1\5\2\7")


def test_an_instance_or_field_that_its_condition_leaves_out_is_null(tmp_path: Path) -> None:
    text = "seq: [{id: n, type: u1}, {id: m, type: u1, if: n == 2}]\ninstances: {i: {pos: 0, type: u1, if: n == 2}}\n"
    reader = built(tmp_path, text)
    assert reader.read(b"\1").values == {"n": 1, "m": None, "i": None}
    assert reader.read(b"\2\3").values == {"n": 2, "m": 3, "i": 2}
