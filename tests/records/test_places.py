"""Places: what the debug parsers record of where they found fields."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from kaitaistruct import KaitaiStream
from spec.test_step_budget import built

from lmparse.errors import DataError
from lmparse.records.dissection import Dissector
from lmparse.records.places import places_of
from lmparse.spec import catalog


def noted(spec: str, raw: bytes) -> Any:
    """What the debug parser made of some bytes that are sound."""
    parsed = catalog.load(spec).debug_parser(KaitaiStream(BytesIO(raw)))
    parsed._read()
    return parsed


def test_bits_begin_in_the_byte_that_they_share() -> None:
    extended, normal = noted("zos_bdw", bytes((0x80, 0, 0, 12))), noted("zos_bdw", bytes((0, 12, 0, 0)))
    assert [places_of(extended, name) for name in ("is_extended", "length_extended")] == [[(0, 1)], [(0, 4)]]
    assert [places_of(normal, name) for name in ("is_extended", "length_normal", "reserved")] == [
        [(0, 1)], [(0, 2)], [(2, 4)],
    ]  # fmt: skip
    assert places_of(extended, "length_normal") == []


CONDITIONS = """\
seq:
  - {id: n, type: u1}
  - {id: m, type: u1, if: n == 1}
  - {id: p, type: u2, if: n == 9}
  - {id: t, type: t(n)}
  - {id: l, type: u1, repeat: eos, if: m > 0}
types:
  t:
    params: [{id: n, type: u1}]
    seq: [{id: a, type: u1, if: n == 1}, {id: b, type: u1, if: n == 2 and a == 0}, {id: c, type: u1, if: n == 9}]
"""


@pytest.mark.parametrize(("record", "field", "offset"), [(b"\0ab", "l", None), (b"\2ab", "t.b", None)])
def test_an_error_in_a_condition_names_the_field_that_has_it(
    tmp_path: Path, record: bytes, field: str, offset: int | None
) -> None:
    reader = built(tmp_path, CONDITIONS)
    with pytest.raises(DataError) as caught:
        reader.parse(record)
    assert (caught.value.code, caught.value.field, caught.value.field_offset) == ("LMP-R012", field, offset)
    dissection = Dissector(reader).dissect(record)
    assert next(node.path for node in dissection.nodes) == "n"
    assert dissection.fault is not None
    assert dissection.fault.field == field


LISTS = """\
seq:
  - {id: k, type: u1}
  - {id: n, type: u2, repeat: eos, valid: {any-of: [1, 2]}, if: k == 0}
  - {id: u, type: u1, repeat: until, repeat-until: 6 / _ == 3, if: k == 1}
  - {id: t, type: t, repeat: expr, repeat-expr: 3, if: k == 2}
types: {t: {seq: [{id: a, type: u1, valid: {max: 5}}, {id: b, type: u1}]}}
"""


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ("00 0001 0003", "n[1]"), ("00 0003", "n[0]"), ("00 0001 02", "n[1]"), ("01 03 00", "u[1]"), ("01 03", "u[1]"),
        ("02 0101 0201 06", "t[2].a"), ("02 0101 02", "t[1].b"), ("02 0101", "t[1].a"),
    ],
)  # fmt: skip
def test_a_fault_in_a_list_is_of_the_item_that_has_it(tmp_path: Path, record: str, field: str) -> None:
    with pytest.raises(DataError) as caught:
        built(tmp_path, LISTS).parse(bytes.fromhex(record))
    assert caught.value.field == field


BITS = """\
seq: [{id: a, type: b4}, {id: t, type: t}, {id: b, type: b4}, {id: c, type: u1}, {id: s, type: s}, {id: d, type: b4},
      {id: e, type: u1}, {id: l, type: t, repeat: expr, repeat-expr: 2}]
types:
  t: {seq: [{id: i, type: i}, {id: y, type: b4}]}
  i: {seq: [{id: x, type: b4}]}
  s: {seq: [{id: x, type: u1}, {id: y, type: b4}]}
"""


def test_a_record_of_bits_begins_and_ends_inside_a_byte(tmp_path: Path) -> None:
    """The layouts have its place as the parser finds it, or none."""
    reader = built(tmp_path, BITS)
    record = bytes.fromhex("1f 23 4f 56 78 9a bc d0")
    found = {node.path: (node.start, node.end, node.value) for node in Dissector(reader).dissect(record).walk()}
    assert {path: found[path] for path in ("t", "t.i", "t.i.x", "t.y", "b", "c", "s", "s.y", "d", "e")} == {
        "t": (0, 2, None), "t.i": (0, 1, None), "t.i.x": (0, 1, 15), "t.y": (1, 2, 2), "b": (1, 2, 3),
        "c": (2, 3, 0x4F), "s": (3, 5, None), "s.y": (4, 5, 7), "d": (4, 5, 8), "e": (5, 6, 0x9A),
    }  # fmt: skip
    assert [found[path][:2] for path in ("l[0]", "l[1]")] == [(6, 7), (7, 8)]
    for entry in reader.spec.layout:
        assert entry.offset in (None, found[entry.id][0])


def test_a_record_that_ends_inside_a_byte_leaves_the_rest_to_the_next_field(tmp_path: Path) -> None:
    text = "seq: [{id: s, type: s}, {id: d, type: b4}, {id: e, type: u1}]\n"
    reader = built(tmp_path, f"{text}types: {{s: {{seq: [{{id: x, type: u1}}, {{id: y, type: b4}}]}}}}\n")
    assert [(entry.id, entry.offset) for entry in reader.spec.layout] == [("s", 0), ("d", 1), ("e", 2)]
    assert reader.read(b"\1\x23\4").values == {"s": {"x": 1, "y": 2}, "d": 3, "e": 4}
