"""Bytes that `process` of a spec restores: within a limit, and never lost."""

from __future__ import annotations

import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaitaistruct import KaitaiStream
from spec.test_budgets import built

from lmparse.errors import DataError, LimitError
from lmparse.limits import Limits
from lmparse.records.reader import RecordReader
from lmparse.spec import budgets, restoring
from lmparse.spec.restoring import RestoreError

TWICE = """\
seq: [{id: z, size-eos: true, process: zlib, type: t}]
types: {t: {seq: [{id: y, size-eos: true, process: zlib, type: t2}]}, t2: {seq: [{id: x, type: u1}]}}
"""
LIST = """\
seq: [{id: n, type: u1}, {id: z, type: t, repeat: eos}]
types: {t: {seq: [{id: size, type: u2}, {id: y, size: size, process: zlib}]}}
"""


def test_zlib_in_zlib_is_not_unpacked_beyond_a_limit(tmp_path: Path) -> None:
    reader = built(tmp_path, TWICE, limits=Limits(record_unpacked_bytes=1 << 20))
    bomb = zlib.compress(zlib.compress(bytes(1 << 26)))
    assert not reader.accepts(b"x")
    with pytest.raises(DataError):
        reader.read(b"x")  # both parsers are loaded
    tracemalloc.start()
    with pytest.raises(LimitError) as caught:
        reader.read(bomb)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (caught.value.code, caught.value.field) == ("LMP-L008", "z.y")
    assert "recordUnpackedBytes=2097152" in str(caught.value.hint)
    assert most < 1 << 24
    assert reader.read(zlib.compress(zlib.compress(b"\7"))).values == {"z": {"y": {"x": 7}}}


def test_all_fields_of_a_record_have_one_limit(tmp_path: Path) -> None:
    reader: RecordReader = built(tmp_path, LIST, limits=Limits(record_unpacked_bytes=2500))
    one = zlib.compress(bytes(1000))
    field = len(one).to_bytes(2, "big") + one
    assert len(reader.read(b"\0" + 2 * field).values["z"]) == 2
    with pytest.raises(LimitError, match="recordUnpackedBytes"):
        reader.read(b"\0" + 3 * field)
    assert len(reader.read(b"\0" + 2 * field).values["z"]) == 2


@given(st.binary(max_size=200), st.integers(0, 60), st.binary(max_size=3))
def test_unpacking_gives_what_zlib_gives(data: bytes, cut: int, more: bytes) -> None:
    packed = zlib.compress(data)[:cut] + more
    try:
        wanted: object = zlib.decompress(packed)
    except zlib.error as error:
        wanted = str(error)
    try:
        found: object = restoring.unpacking(packed)
    except RestoreError as error:
        found = str(error)
    assert found == wanted


@given(st.integers(0, 100))
def test_the_limit_itself_is_allowed(size: int) -> None:
    budgets.begin(Limits(record_unpacked_bytes=50), 0)
    try:
        assert restoring.unpacking(zlib.compress(bytes(size))) == bytes(size)
        assert size <= 50
    except LimitError:
        assert size > 50
    finally:
        budgets.end()


XOR = "seq: [{id: n, type: u1}, {id: k, size: n}, {id: z, size-eos: true, process: xor(k)}]\n"
TURNED = "seq: [{id: n, type: s8}, {id: z, size-eos: true, process: rol(n)}]\n"


def test_a_key_of_no_bytes_loses_no_bytes(tmp_path: Path) -> None:
    reader = built(tmp_path, XOR)
    with pytest.raises(DataError) as caught:
        reader.read(b"\0abc")
    assert str(caught.value) == "acme_a.z: the bytes cannot be restored: the key of xor has no bytes [LMP-R011]"
    assert reader.read(b"\0").values["z"] == b""
    assert reader.read(b"\1\2abc").values["z"] == b"c`a"


@given(st.binary(max_size=20), st.binary(min_size=1, max_size=5))
def test_xoring_twice_gives_the_bytes(data: bytes, key: bytes) -> None:
    assert restoring.xoring(restoring.xoring(data, key), key) == data


@given(st.binary(max_size=20), st.one_of(st.binary(min_size=1, max_size=30), st.integers(0, 255)))
def test_xoring_gives_what_the_runtime_gives(data: bytes, key: bytes | int) -> None:
    one_by_one = KaitaiStream.process_xor_one if isinstance(key, int) else KaitaiStream.process_xor_many
    assert restoring.xoring(data, key) == one_by_one(data, key)


@pytest.mark.parametrize("key", [256, -1, 1 << 70])
def test_a_key_that_is_not_a_byte(key: int) -> None:
    assert restoring.xoring(b"", key) == b""
    for xor in (restoring.xoring, KaitaiStream.process_xor_one):
        with pytest.raises(ValueError, match="range"):
            xor(b"a", key)


@given(st.binary(max_size=20), st.integers(0, 7))
def test_rotating_gives_what_the_runtime_gives(data: bytes, amount: int) -> None:
    assert restoring.rotating(data, amount, 1) == KaitaiStream.process_rotate_left(data, amount, 1)


@given(st.binary(max_size=20), st.integers(-(1 << 63), 1 << 63))
def test_bits_are_rotated_by_any_number(data: bytes, amount: int) -> None:
    turned = restoring.rotating(data, amount, 1)
    assert turned == restoring.rotating(data, amount % 8, 1)
    assert restoring.rotating(turned, -amount, 1) == data


def test_the_data_may_say_by_how_many_bits(tmp_path: Path) -> None:
    reader = built(tmp_path, TURNED)
    for amount in (1, 9, -7, 1 << 62 | 1):
        assert reader.read(amount.to_bytes(8, "big", signed=True) + b"\x81").values["z"] == b"\3"


@pytest.mark.parametrize("type_", ["", ", type: t"])
@pytest.mark.parametrize("process", ["zlib", "xor(k)", "rol(k[0])", "ror(1)"])
def test_bytes_that_are_repeated_until_a_condition_are_restored(tmp_path: Path, process: str, type_: str) -> None:
    text = f"size: 9, process: '{process}'{type_}, repeat: until, repeat-until: _io.eof}}"
    text = f"seq: [{{id: k, size: 1}}, {{id: a, {text}]\ninstances: {{i: {{pos: 1, {text}}}\n"
    reader = built(tmp_path, text + "types: {t: {seq: [{id: x, size-eos: true}]}}\n")
    packed = zlib.compress(b"a")
    item = {
        "zlib": b"a",
        "xor(k)": bytes(byte ^ 8 for byte in packed),
        "rol(k[0])": packed,
        "ror(1)": bytes(byte >> 1 | (byte & 1) << 7 for byte in packed),
    }[process]
    assert reader.read(b"\x08" + 2 * packed).values["a"] == [{"x": item} if type_ else item] * 2
