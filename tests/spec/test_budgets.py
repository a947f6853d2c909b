"""What a small record makes a parser read ends with a coded error, whatever the spec repeats in what."""

from __future__ import annotations

import itertools
import random
import sys
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from lmparse import cli
from lmparse.errors import LimitError, LmparseError
from lmparse.limits import Limits
from lmparse.records.reader import RecordReader
from lmparse.spec import budgets, catalog

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
LEAF = "{seq: [{id: b, size: 0, repeat: expr, repeat-expr: _root.l.size}]}"
TEN = ", ".join(f"i{n}: {{pos: 0, type: NEXT}}" for n in range(10))
AGAIN = "{seq: [{id: x, type: u1}], instances: {a: {pos: 0, io: _root._io, type: NEXT, repeat: eos}}}"
TREE = "seq: [{id: l, type: u1, repeat: eos}, {id: a, type: 't(l.size / 3)'}]\ntypes:\n"
TWICE = "{params: [{id: d, type: s4}], seq: [{id: a, type: TYPE, IF}, {id: b, type: TYPE, IF}]}"
TWO = "{seq: [{id: x, type: NEXT}, {id: y, type: NEXT}]}"
TWOS = "".join(f"  t{n}: {TWO.replace('NEXT', f't{n + 1}')}\n" for n in range(10)) + "  t10: {seq: []}\n"
MULTIPLYING = {
    "a type in itself": f"{TREE}  t: {TWICE.replace('TYPE', 't(d - 1)').replace('IF', 'if: d > 0')}\n",
    "a type in a case of itself": f"{TREE}  t: "
    + TWICE.replace("TYPE", "{switch-on: 'd > 0', cases: {true: t(d - 1)}}").replace(", IF", "")
    + "\n",
    "types in each other": f"{TREE}  t: {TWICE.replace('TYPE', 'u(d - 1)').replace('IF', 'if: d > 0')}\n"
    "  u: {params: [{id: d, type: s4}], seq: [{id: a, type: t(d - 1), if: d > 0}]}\n",
    "a type in bytes of itself": f"{TREE}  t: "
    + TWICE.replace("TYPE", "t(d - 1)").replace("IF", "if: d > 0, size: 0")
    + "\n",
    "items of many types": "seq: [{id: a, type: w, repeat: eos}]\n"
    f"types:\n  w: {{seq: [{{id: b, type: u1}}, {{id: c, type: t0}}]}}\n{TWOS}",
    "levels of many types": "seq: [{id: a, type: w}]\n"
    f"types:\n  w: {{seq: [{{id: b, type: u1}}, {{id: c, type: t0}}, {{id: d, type: w, if: not _io.eof}}]}}\n{TWOS}",
    "lists of a size": f"seq: [{{id: l, type: u1, repeat: eos}}, {{id: a, type: t0}}]\n{objects(LISTED, '{seq: []}')}",
    "bytes of a size": f"seq: [{{id: l, type: u1, repeat: eos}}, {{id: a, type: t0}}]\n{objects(LISTED, LEAF)}",
    "streams without bytes": f"seq: [{{id: l, type: u1, repeat: eos}}, {{id: a, type: t0}}]\n"
    f"{objects(COUNTED, '{seq: []}')}",
    "instances": f"seq: [{{id: a, type: t0}}]\n{objects(f'{{seq: [], instances: {{{TEN}}}}}', '{seq: []}')}",
    "repeated instances": f"seq: [{{id: a, type: t0}}]\n{objects(AGAIN, '{seq: [{id: x, type: u1}]}')}",
    "bytes again": "seq: [{id: a, type: t, repeat: eos}]\n"
    "types: {t: {seq: [{id: x, type: u1}], instances: {y: {pos: 0, io: _root._io, size-eos: true}}}}",
}


@pytest.mark.parametrize("name", MULTIPLYING)
def test_what_multiplies_without_bytes_is_a_limit_that_can_be_raised(tmp_path: Path, name: str) -> None:
    reader = built(tmp_path, MULTIPLYING[name])
    record = bytes(300)
    with pytest.raises(LimitError) as caught:
        reader.read(record)
    assert (caught.value.code, caught.value.spec) == ("LMP-L007", "acme_a")
    assert "recordSteps=" in str(caught.value.hint)
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
def test_trees_in_the_data_are_read_without_counting(tmp_path: Path, name: str) -> None:
    reader = built(tmp_path, SOUND[name], limits=Limits(record_steps=1))
    chance = random.Random(0)
    numbers = [chance.choice((0, 0, 0, 1, 2, 3)) for _ in range(20_000)]
    record = bytes([6, 0, 4, 2, 0, 0, 0, 8, 0]) * 2000 if name == "lists" else bytes([*numbers, *bytes(200)])
    assert len(reader.read(record).values["a"]) > 1000
    assert "stepping(" not in (tmp_path / "out" / "acme_a.py").read_text()


def test_recursion_in_an_imported_spec_is_counted(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    text = TWICE.replace("TYPE", "acme_b(d - 1)").replace("IF", "if: d > 0")[1:-1].replace("], seq", "]\nseq")
    (tmp_path / "s" / "acme_b.ksy").write_text(f"{HEAD.replace('acme_a', 'acme_b')}{text}\n")
    (tmp_path / "s" / "acme_a.ksy").write_text(
        HEAD.replace("endian", "imports: [acme_b], endian") + "seq: [{id: n, type: u1}, {id: a, type: acme_b(n)}]\n"
    )
    assert cli.main(["build", "--formats", str(tmp_path / "s"), "--out", str(tmp_path / "out")]) == 0
    reader = RecordReader(catalog.load(f"{tmp_path}/out/acme_a"), limits=LIMITS)
    with pytest.raises(LimitError):
        reader.parse(b"\x64")
    reader.parse(b"\5")


@pytest.mark.parametrize("seed", range(6))
def test_any_recursion_ends_soon(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    types = []
    for number in range(4):
        given = [f"t{chance.randrange(4)}(d - 1)" for _ in range(chance.randint(1, 3))]
        size = chance.choice(("", "", ", size: 0", ", size: 1"))
        fields = [f"{{id: f{n}, type: {type_}, if: d > 0{size}}}" for n, type_ in enumerate(given)]
        own = chance.choice((["{id: x, type: u1}"], ["{id: x, size: 0}"], ["{id: x, type: b1}"], []))
        types.append(f"  t{number}: {{params: [{{id: d, type: s4}}], seq: [{', '.join([*own, *fields])}]}}\n")
    reader = built(tmp_path, f"seq: [{{id: n, type: u1}}, {{id: a, type: t0(n)}}]\ntypes:\n{''.join(types)}")
    code, calls = _code_and_calls(reader, b"\x60" + bytes(200))
    assert code in ("", "LMP-L007", "LMP-R001", "LMP-R003")
    assert calls < 5_000_000


def test_each_byte_of_a_record_pays_for_steps(tmp_path: Path) -> None:
    text = "seq: [{id: a, type: t, repeat: eos}]\n"
    text += "types: {t: {seq: [{id: x, type: u1}], instances: {y: {pos: 0, type: u1, repeat: expr, repeat-expr: 3}}}}"
    reader = built(tmp_path, text, limits=Limits(record_steps=1))
    assert len(reader.read(bytes(5000)).values["a"]) == 5000


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


IMPORTED = """\
params: [{id: l, type: 'u1[]'}]
seq: [{id: b, type: e, repeat: expr, repeat-expr: l.size}]
types: {e: {seq: []}}
"""


def test_a_list_that_is_given_by_another_spec_is_counted(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "acme_b.ksy").write_text(HEAD.replace("acme_a", "acme_b") + IMPORTED)
    head = HEAD.replace("endian", "imports: [acme_b], endian")
    (tmp_path / "s" / "acme_a.ksy").write_text("")
    text = "seq: [{id: l, type: u1, repeat: eos}, {id: a, type: acme_b(l), repeat: expr, repeat-expr: l.size}]\n"
    (tmp_path / "s" / "acme_a.ksy").write_text(head + text)
    assert cli.main(["build", "--formats", str(tmp_path / "s"), "--out", str(tmp_path / "out")]) == 0
    reader = RecordReader(catalog.load(f"{tmp_path}/out/acme_a"), limits=LIMITS)
    with pytest.raises(LimitError):
        reader.parse(bytes(1000))
    assert len(reader.parse(bytes(10)).a) == 10  # type: ignore[attr-defined]


FIELDS = (
    "{{id: {id}, type: {type}, repeat: expr, repeat-expr: _root.l.size}}",
    "{{id: {id}, type: {type}, size: 0, repeat: expr, repeat-expr: 50}}",
    "{{id: {id}, type: {type}}}",
    "{{type: {type}, repeat: expr, repeat-expr: _root.n}}",
)
INSTANCES = (
    "{id}: {{pos: 0, type: {type}}}",
    "{id}: {{pos: 0, io: _root._io, type: {type}, repeat: eos}}",
    "{id}: {{pos: 0, io: _root._io, size-eos: true}}",
)


@pytest.mark.parametrize("seed", range(8))
def test_any_nest_of_repeats_and_instances_ends_soon(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    lines = []
    for level in range(5):
        names = (f"f{number}" for number in itertools.count())
        type_ = f"t{level + 1}"
        fields = [chance.choice(FIELDS).format(id=next(names), type=type_) for _ in range(chance.randint(0, 2))]
        found = [chance.choice(INSTANCES).format(id=next(names), type=type_) for _ in range(chance.randint(0, 3))]
        seq = ", ".join(["{id: z, size: _root.k}", *fields])  # no bytes, but only the data say that
        lines.append(f"  t{level}: {{seq: [{seq}], instances: {{{', '.join(found)}}}}}\n")
    head = "seq: [{id: n, type: u1}, {id: k, type: u1}, {id: l, type: u1, repeat: expr, repeat-expr: 60}, {type: t0}"
    reader = built(tmp_path, f"{head}]\ntypes:\n{''.join(lines)}  t5: {{seq: [{{id: z, size: _root.k}}]}}\n")
    code, calls = _code_and_calls(reader, b"\x40" + bytes(81))
    assert code in ("", "LMP-L007", "LMP-R009", "LMP-R001", "LMP-R012")
    assert calls < 5_000_000


def _code_and_calls(reader: RecordReader, record: bytes) -> tuple[str, int]:
    """The code of the error with which a reading ends, and how many functions it called and left."""
    calls = 0

    def count(*_: Any) -> None:
        nonlocal calls
        calls += 1

    code = ""
    sys.setprofile(count)
    try:
        reader.read(record)
    except LmparseError as error:
        code = error.code
    finally:
        sys.setprofile(None)
    return code, calls


def test_threads_have_budgets_of_their_own() -> None:
    budgets.begin(Limits(record_steps=1), 0)
    other = threading.Thread(target=budgets.begin, args=(Limits(record_steps=100), 0))
    other.start()
    other.join()
    with pytest.raises(LimitError):
        budgets.stepping(2)
    budgets.end()
    budgets.stepping(1_000_000_000)


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
    assert most < 70 * len(record)
    RecordReader(reader.spec).parse(bytes([1] * 150) + bytes(100))  # few bytes may be copied as often


def test_values_in_values_are_read_whatever_their_number(tmp_path: Path) -> None:
    """Where each level has its part of the bytes, few are copied, however large the record."""
    text = "seq: [{id: a, type: t, repeat: eos}]\ntypes:\n  list: {seq: [{id: b, type: t, repeat: eos}]}\n"
    text += "  t: {seq: [{id: tag, type: u1}, {id: n, type: u2}, {id: v, size: n, type: {switch-on: tag, CASES}}]}\n"
    reader = built(tmp_path, text.replace("CASES", "cases: {1: list}"), limits=Limits(record_steps=1))
    value = b"".join(b"\0" + len(raw).to_bytes(2, "big") + raw for raw in (b"abc", b"", b"abcdefgh"))
    for _ in range(12):
        value = b"\1" + len(value).to_bytes(2, "big") + value
    assert len(reader.read(value * 1000).values["a"]) == 1000
