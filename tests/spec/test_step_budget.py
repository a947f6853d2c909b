"""What a small record makes a parser read ends with a coded error, whatever the spec repeats in what.

Bytes that `process` restores are never lost, and no more than a limit of them are.
"""

from __future__ import annotations

import random
import threading
import tracemalloc
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import kaitaistruct
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmparse import cli
from lmparse.errors import DataError, LimitError, LmparseError, RecordError
from lmparse.limits import Limits
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog, step_budget

HEAD = "meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}\n"
EMPTY = "types: {e: {seq: []}}"
LIMITS = Limits(record_steps=5_000)


def built(folder: Path, text: str, name: str = "acme_a", limits: Limits = LIMITS) -> RecordReader:
    (folder / "s").mkdir(exist_ok=True)
    (folder / "s" / "acme_a.ksy").write_text(HEAD + text)
    assert cli.main(["build", "--formats", str(folder / "s"), "--out", str(folder / "out")]) == 0
    return RecordReader(catalog.load(f"{folder}/out/{name}"), limits=limits)


def objects(level: str, inner: str) -> str:
    """Types t0 to t4, each with fields of the next one."""
    types = "".join(f"  t{n}: {level.replace('NEXT', f't{n + 1}')}\n" for n in range(4))
    return f"types:\n{types}  t4: {inner}\n"


LISTED = "{seq: [{id: b, type: NEXT, repeat: expr, repeat-expr: _root.l.size}]}"
COUNTED = "{seq: [{id: b, type: NEXT, size: 0, repeat: expr, repeat-expr: 3 * _root.l.size}]}"
TEN = ", ".join(f"i{n}: {{pos: 0, type: NEXT}}" for n in range(10))
TREE = "seq: [{id: l, type: u1, repeat: eos}, {id: a, type: 't(l.size / 3)'}]\ntypes:\n"
TWICE = "{params: [{id: d, type: s4}], seq: [{id: a, type: TYPE, IF}, {id: b, type: TYPE, IF}]}"
TWO = "{seq: [{id: x, type: NEXT}, {id: y, type: NEXT}]}"
TWOS = "".join(f"  t{n}: {TWO.replace('NEXT', f't{n + 1}')}\n" for n in range(10)) + "  t10: {seq: []}\n"
MULTIPLYING = {
    "a type in itself": f"{TREE}  t: {TWICE.replace('TYPE', 't(d - 1)').replace('IF', 'if: d > 0')}\n",
    "types in each other": f"{TREE}  t: {TWICE.replace('TYPE', 'u(d - 1)').replace('IF', 'if: d > 0')}\n"
    "  u: {params: [{id: d, type: s4}], seq: [{id: a, type: t(d - 1), if: d > 0}]}\n",
    "items of many types": "seq: [{id: a, type: w, repeat: eos}]\n"
    f"types:\n  w: {{seq: [{{id: b, type: u1}}, {{id: c, type: t0}}]}}\n{TWOS}",
    "lists of a size": f"seq: [{{id: l, type: u1, repeat: eos}}, {{id: a, type: t0}}]\n{objects(LISTED, '{seq: []}')}",
    "streams without bytes": f"seq: [{{id: l, type: u1, repeat: eos}}, {{id: a, type: t0}}]\n"
    f"{objects(COUNTED, '{seq: []}')}",
    "instances": f"seq: [{{id: a, type: t0}}]\n{objects(f'{{seq: [], instances: {{{TEN}}}}}', '{seq: []}')}",
    "bytes again": "seq: [{id: a, type: t, repeat: eos}]\n"
    "types: {t: {seq: [{id: x, type: u1}], instances: {y: {pos: 0, io: _root._io, size-eos: true}}}}",
}


@pytest.mark.parametrize("name", MULTIPLYING)
def test_what_multiplies_without_bytes_is_a_limit_that_can_be_raised(tmp_path: Path, name: str) -> None:
    reader = built(tmp_path, MULTIPLYING[name])
    record = bytes(300)
    with pytest.raises(DataError) as caught:
        reader.read(record)
    is_empty = name in ("lists of a size", "streams without bytes")  # a higher limit is no help
    assert (caught.value.code, caught.value.spec) == ("LMP-R009" if is_empty else "LMP-L007", "acme_a")
    assert is_empty or "recordSteps=" in str(caught.value.hint)
    assert (caught.value.field or "").startswith("a")
    assert not reader.accepts(record)
    RecordReader(reader.spec).read(b"\1")  # few steps, and those of the record before are not counted


SOUND = {
    "branches": "seq: [{id: a, type: t, repeat: eos}]\n"
    "types: {t: {seq: [{id: n, type: u1}, {id: a, type: t, if: n & 1 != 0}, {id: b, type: t, if: n & 2 != 0}]}}",
    "bits": "seq: [{id: a, type: t, repeat: eos}]\n"
    "types: {t: {seq: [{id: n, type: b1}, {id: a, type: t, if: n}, {id: b, type: t, if: n}]}}",
    "lists": "seq: [{id: a, type: t, repeat: eos}]\n"
    "types: {t: {seq: [{id: n, type: u1}, {id: v, size: n % 8, type: {switch-on: n % 2, cases: {0: u}}}]},\n"
    "  u: {seq: [{id: a, type: t, repeat: eos}]}}",
    "chain": "seq: [{id: a, type: t, repeat: eos}]\n"
    "types: {t: {seq: [{id: n, type: u1}, {id: a, type: u, if: n % 9 != 0}]}, u: {seq: [{id: a, type: t}]}}",
}


@pytest.mark.parametrize("name", SOUND)
def test_trees_in_the_data_are_paid_for_by_their_bytes(tmp_path: Path, name: str) -> None:
    reader = built(tmp_path, SOUND[name], limits=Limits(record_steps=1))
    chance = random.Random(0)
    numbers = [chance.choice((0, 0, 0, 1, 2, 3)) for _ in range(20_000)]
    record = bytes([6, 0, 4, 2, 0, 0, 0, 8, 0]) * 2000 if name == "lists" else bytes([*numbers, *bytes(200)])
    assert len(reader.read(record).values["a"]) > 1000


@pytest.mark.parametrize(
    ("text", "record", "field"),
    [
        ("seq: [{id: n, type: u4}, {type: e, repeat: expr, repeat-expr: n}]\n" + EMPTY, b"\3\xff\xff\xff", "_unnamed1"),
        ("seq: [{id: l, type: u1, repeat: eos}, {id: a, type: e, repeat: until, repeat-until: _index + 1 == l.size}]\n"
         + EMPTY, b"", "a"),
        ("seq: [{id: a, type: e, repeat: until, repeat-until: _index + 1 == _io.size}]\n" + EMPTY, b"", "a"),
    ],
)  # fmt: skip
def test_repeats_without_a_name_and_until_the_end_of_an_empty_list_end(
    tmp_path: Path, text: str, record: bytes, field: str
) -> None:
    with pytest.raises(LmparseError) as caught:
        built(tmp_path, text).parse(record)
    assert (caught.value.code, getattr(caught.value, "field", "")) == ("LMP-R009", field)


def test_threads_have_budgets_of_their_own() -> None:
    step_budget.begin(Limits(record_steps=1), 0)
    other = threading.Thread(target=step_budget.begin, args=(Limits(record_steps=100), 0))
    other.start()
    other.join()
    try:
        with pytest.raises(LimitError):
            list(step_budget.range(10))
    finally:
        step_budget.end()
    assert len(list(step_budget.range(300_000))) == 300_000


def test_parsers_of_others_are_as_they_were() -> None:
    """The runtime is not changed, and reads of lmparse's give what it gives."""
    assert kaitaistruct.KaitaiStruct.__init__.__module__ == "kaitaistruct"
    for size in (-1, 0, 1, 3, 4, 9):
        outcomes = []
        for module in (kaitaistruct, step_budget):
            stream = module.KaitaiStream(BytesIO(b"abc"))
            stream.read_bits_int_be(3)
            try:
                outcomes.append((stream.read_bytes(size), stream.pos(), stream.bits_left))
            except kaitaistruct.KaitaiStructError as error:
                outcomes.append((type(error), str(error), vars(error), stream.pos()))
        assert outcomes[0] == outcomes[1]


IN_ITSELF = {
    "bytes to the end": "size-eos: true",
    "bytes of a size": "size: _io.size - 1",
    "restored bytes": "size-eos: true, process: xor(0)",
    "a case": "size-eos: true, type: {switch-on: x, cases: {1: t, 2: u}}",
}


@pytest.mark.parametrize("name", IN_ITSELF)
def test_a_record_is_not_copied_at_each_of_many_levels(tmp_path: Path, name: str) -> None:
    """Its bytes are in each of the types that are in each other: sixteen levels that have them all are read."""
    of_type = IN_ITSELF[name] if "type" in IN_ITSELF[name] else f"{IN_ITSELF[name]}, type: t"
    text = "seq: [{id: a, size-eos: true, type: t}]\ntypes:\n  u: {seq: [{id: t, type: t}]}\n"
    text += f"  t: {{seq: [{{id: x, type: u1}}, {{id: b, if: x != 0, {of_type}}}, {{id: r, size-eos: true}}]}}\n"
    reader = built(tmp_path, text, limits=Limits(record_steps=1000))
    record = bytes([1] * 15) + bytes(100_000)
    assert reader.accepts(record)
    deeper = bytes([1] * 150) + bytes(100_000)
    with pytest.raises(LmparseError):
        reader.read(b"")  # both parsers are loaded
    tracemalloc.start()
    with pytest.raises(LimitError) as caught:
        reader.read(deeper)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (caught.value.code, caught.value.field) == ("LMP-L007", "a" + ".b" * 16)
    assert most < 120 * len(record)  # two parsers, of which the first is let go when cycles are collected
    RecordReader(reader.spec).parse(bytes([1] * 150) + bytes(100))  # few bytes may be copied as often


# -- loops ----------------------------------------------------------------------------------

LOOPS = """\
seq:
  - {id: n, type: u4}
  - {id: width, type: u1}
  - {id: texts, size: width, repeat: expr, repeat-expr: n}
  - {id: items, type: item(width), repeat: eos}
types: {item: {params: [{id: width, type: u1}], seq: [{id: text, size: width}]}}
"""


def test_a_repeat_without_end_has_a_code(tmp_path: Path) -> None:
    reader = built(tmp_path, LOOPS)
    sound: Any = reader.parse(b"\0\0\0\2\1ABCD")
    assert (sound.texts, [item.text for item in sound.items]) == ([b"A", b"B"], [b"C", b"D"])
    assert len(vars(reader.parse(b"\0\0\3\0\0"))["texts"]) == 768
    for record, field in ((b"\xff" * 4 + b"\0", "texts"), (b"\0\0\0\0\0ABC", "items")):
        with pytest.raises(RecordError) as caught:
            reader.parse(record)
        assert (caught.value.code, caught.value.field) == ("LMP-R009", field)
        assert not reader.accepts(record)


def test_a_repeat_until_a_condition_of_what_is_not_there_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its loop would neither read nor end."""
    text = "seq: [{id: a, type: {switch-on: _index, cases: {0: u1}}, repeat: until, repeat-until: _ == 5}]\n"
    (tmp_path / "acme_a.ksy").write_text(HEAD + text)
    assert cli.main(["build", "--formats", str(tmp_path / "acme_a.ksy"), "--out", str(tmp_path / "out")]) == 1
    assert "a list until a condition needs a default case, `_`" in capsys.readouterr().err


UNDECIDED = """\
seq:
  - {id: k, type: u1}
  - {id: width, type: u1, if: k == 1}
  - {id: part, type: part, if: k == 2}
  - {id: bytes, size: width}
types: {part: {meta: {endian: {switch-on: _root.k, cases: {1: be}}}, seq: [{id: a, type: u2}]}}
"""


@pytest.mark.parametrize(
    ("record", "error"),
    [
        (b"\0", "acme_a.bytes: an expression has no value: the record has no width there [LMP-R012]"),
        (b"\2ab", "acme_a.part: no case decides the byte order [LMP-R013]"),
    ],
)
def test_errors_of_expressions_name_the_field_and_no_variable_of_python(
    tmp_path: Path, record: bytes, error: str
) -> None:
    with pytest.raises(RecordError) as caught:
        built(tmp_path, UNDECIDED).parse(record)
    assert str(caught.value) == error


def test_columns_that_multiply_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record has one of the types that its field may have, but columns for all of them, and for those inside."""

    def level(number: int) -> str:
        return f"[{{id: k, type: u1}}, {{id: s, type: {{switch-on: k, cases: {{1: x{number}, 2: y{number}}}}}}}]"

    types = "".join(f"  {name}{n}: {{seq: {level(n + 1)}}}\n" for n in range(20) for name in "xy")
    text = f"{HEAD}seq: {level(0)}\ntypes:\n{types}  x20: {{seq: []}}\n  y20: {{seq: []}}\n"
    (tmp_path / "acme_a.ksy").write_text(text)
    assert cli.main(["build", "--formats", str(tmp_path / "acme_a.ksy"), "--out", str(tmp_path / "out")]) == 1
    assert "more than 20000 columns" in capsys.readouterr().err


def test_types_inside_themselves_are_a_column_of_text_each(tmp_path: Path) -> None:
    cases = ", ".join(f"{number}: t{number}" for number in range(5))
    types = "".join(
        f"  t{number}: {{seq: [{{id: k, type: u1}}, {{id: s, type: {{switch-on: k, cases: {{{cases}}}}}}}]}}\n"
        for number in range(5)
    )
    assert built(tmp_path, f"seq: [{{id: a, type: t0}}]\ntypes:\n{types}").read(b"\x63").values["a"] is not None


# -- bytes that are restored ----------------------------------------------------------------

PACKED = """\
seq: [{id: z, size-eos: true, process: zlib, type: t}]
types: {t: {seq: [{id: y, size-eos: true, process: zlib, type: t2}]}, t2: {seq: [{id: x, type: u1}]}}
"""


def test_zlib_in_zlib_is_not_unpacked_beyond_a_limit(tmp_path: Path) -> None:
    reader = built(tmp_path, PACKED, limits=Limits(record_unpacked_bytes=1 << 20))
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


@given(st.binary(max_size=200), st.integers(0, 60), st.binary(max_size=3))
def test_unpacking_gives_what_zlib_gives(data: bytes, cut: int, more: bytes) -> None:
    packed = zlib.compress(data)[:cut] + more
    try:
        wanted: object = zlib.decompress(packed)
    except zlib.error as error:
        wanted = str(error)
    try:
        found: object = step_budget.zlib.decompress(packed)
    except step_budget.RestoreError as error:
        found = str(error)
    assert found == wanted


XOR = "seq: [{id: n, type: u1}, {id: k, size: n}, {id: z, size-eos: true, process: xor(k)}]\n"


def test_a_key_of_no_bytes_loses_no_bytes(tmp_path: Path) -> None:
    reader = built(tmp_path, XOR)
    with pytest.raises(DataError) as caught:
        reader.read(b"\0abc")
    assert str(caught.value) == "acme_a.z: the bytes cannot be restored: the key of xor has no bytes [LMP-R011]"
    assert reader.read(b"\0").values["z"] == b""
    assert reader.read(b"\1\2abc").values["z"] == b"c`a"


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
