"""Repeats of what may be empty end with a coded error; others are read as they are."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from kaitaistruct import KaitaiStream

from lmparse.errors import RecordError
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.spec.build import products
from lmparse.spec.repeats import NotAdvancingError, advancing

SPEC = """\
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}
seq:
  - {id: n, type: u4}
  - {id: width, type: u1}
  - {id: texts, size: width, repeat: expr, repeat-expr: n}
  - {id: items, type: item(width), repeat: eos}
types: {item: {params: [{id: width, type: u1}], seq: [{id: text, size: width}]}}
"""


def test_a_repeat_without_end_has_a_code(tmp_path: Path) -> None:
    (tmp_path / "acme_a.ksy").write_text(SPEC)
    for name, text in products.make(tmp_path / "acme_a.ksy", "dukpy", None).items():
        (tmp_path / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "out" / name).write_text(text)
    reader = RecordReader(catalog.load(f"{tmp_path}/out/acme_a"))
    sound = reader.parse(b"\0\0\0\2\1ABCD")
    assert (sound.texts, [item.text for item in sound.items]) == ([b"A", b"B"], [b"C", b"D"])  # type: ignore[attr-defined]
    assert reader.parse(b"\0\0\3\0\0").texts == [b""] * 768  # type: ignore[attr-defined]
    for record, field in ((b"\xff" * 4 + b"\0", "texts"), (b"\0\0\0\0\0ABC", "items")):
        with pytest.raises(RecordError) as caught:
            reader.parse(record)
        assert (caught.value.code, caught.value.field) == ("LMP-R009", field)
        assert not reader.accepts(record)


def test_only_items_without_bytes_are_counted() -> None:
    stream = KaitaiStream(BytesIO(bytes(400)))
    for _ in range(400):
        advancing(stream)
        stream.read_bytes(1)
    for _ in range(3201):
        advancing(stream)
    with pytest.raises(NotAdvancingError):
        advancing(stream)
