"""What a small record makes a parser read ends with a coded error, whatever the spec repeats in what."""

from __future__ import annotations

import itertools
import random
import sys
import threading
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
MULTIPLYING = {
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
    calls = 0

    def count(*_: Any) -> None:
        nonlocal calls
        calls += 1

    code = ""
    sys.setprofile(count)
    try:
        reader.read(b"\x40" + bytes(81))
    except LmparseError as error:
        code = error.code
    finally:
        sys.setprofile(None)
    assert code in ("", "LMP-L007", "LMP-R009", "LMP-R001", "LMP-R012")
    assert calls < 5_000_000


def test_threads_have_budgets_of_their_own() -> None:
    budgets.begin(Limits(record_steps=1), 0)
    other = threading.Thread(target=budgets.begin, args=(Limits(record_steps=100), 0))
    other.start()
    other.join()
    with pytest.raises(LimitError):
        budgets.stepping(2)
    budgets.end()
    budgets.stepping(1_000_000_000)
