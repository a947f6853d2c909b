"""Where the bytes of processed fields and of instances are, and what `explain` shows of them."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from spec.build_step import make

from lmparse.records.dissection import Dissection, Dissector
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog

SPEC = """\
meta: {id: acme_packed, endian: be, encoding: UTF-8}
seq:
  - {id: len, type: u1}
  - {id: packed, size: len, process: zlib, type: inner}
  - {id: hidden, size: 3, process: xor(0xff), type: inner}
  - {id: after, type: u1}
instances:
  first: {pos: 0, type: u1}
types:
  inner:
    seq: [{id: x, type: u2}, {id: y, type: u1}]
    instances:
      of_record: {pos: 0, type: u1, io: _root._io}
      of_parent: {pos: 0, type: u1, io: _parent._io}
      far: {pos: 3, size-eos: true}
"""


@pytest.fixture(scope="module")
def dissection(tmp_path_factory: pytest.TempPathFactory) -> Dissection:
    folder = tmp_path_factory.mktemp("places")
    (folder / "acme_packed.ksy").write_text(SPEC)
    for name, text in make(folder / "acme_packed.ksy").items():
        (folder / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "out" / name).write_text(text)
    packed = zlib.compress(b"\0\5\7")
    raw = bytes([len(packed)]) + packed + b"\xff\xfa\xf8" + b"\x2a"
    reader = RecordReader(catalog.load(str(Path(folder / "out" / "acme_packed"))))
    return Dissector(reader).dissect(raw)


def test_what_is_unpacked_has_the_place_of_all_packed_bytes(dissection: Dissection) -> None:
    assert dissection.fault is None
    size = dissection.raw[0]
    for path in ("packed", "packed.x", "packed.y"):
        node = dissection.at(path)
        assert node is not None
        assert (node.start, node.end) == (1, 1 + size), path
    values = {node.path: node.value for node in dissection.walk()}
    assert (values["packed.x"], values["packed.y"], values["hidden.x"], values["hidden.y"]) == (5, 7, 5, 7)


def test_bytes_that_are_changed_in_their_place_keep_it(dissection: Dissection) -> None:
    start = 1 + dissection.raw[0]
    places = {node.path: (node.start, node.end) for node in dissection.walk()}
    assert (places["hidden.x"], places["hidden.y"]) == ((start, start + 2), (start + 2, start + 3))
    assert places["after"] == (start + 3, start + 4)


def test_instances_have_the_place_that_they_are_read_from(dissection: Dissection) -> None:
    places = {node.path: (node.start, node.end) for node in dissection.walk()}
    start = 1 + dissection.raw[0]
    assert places["first"] == places["packed.of_record"] == places["hidden.of_record"] == (0, 1)
    # Which bytes another stream has is not known: the instance has none of its own.
    assert places["hidden.of_parent"] == (start, start)
    assert places["hidden.far"] == (start + 3, start + 3)
    assert dissection.unread() == []
