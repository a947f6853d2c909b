"""Branches: records whose parts the data choose are by the column what they are one by one, good and bad."""

from __future__ import annotations

import random
import struct
import sys
from collections import Counter
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from amounts import examples
from cases.files import FOUND, load, name
from engines import by_column, by_row, difference
from hypothesis import given
from hypothesis import strategies as st

from lmparse import cli
from lmparse.columnar.decoding import decoding_of
from lmparse.columnar.reading import Reading
from lmparse.columnar.record_plan import RecordPlan
from lmparse.logs import lines
from lmparse.logs.families import read_options
from lmparse.logs.open import open_file
from lmparse.records.files import ignored
from lmparse.spec import catalog
from lmparse.spec.build.products import Builder

SPECS = Path(__file__).parent.parent / "cases_forms"
BY_COLUMN = {
    "f_enum": 0.3,
    "f_parent": 0.3,
    "f_order": 0.15,
    "f_early": 0.0,
    "f_items": 0.4,
    "f_twice": 0.05,
    "f_bits": 0.5,
    "f_list": 0.005,
}
"""The specs, and the least share of random records that are read by the column: none, or only empty lists."""
CASES = [path for path in FOUND if path.parent.name in ("db2_log", "bmc_control") and "framing_" not in path.stem]
QUICK = examples(7, 60)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("forms")
    made = Builder().make(SPECS)
    assert not made.problems
    put(out, made.products)
    return out


def put(out: Path, products: Mapping[str, str]) -> None:
    for file, text in products.items():
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        (out / file).write_text(text)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many records were read by the column, and how many were left to the parser."""
    seen: Counter[str] = Counter()
    decode = RecordPlan.decode

    def counting(plan: RecordPlan, window: Any, columns: Any) -> Any:
        found = decode(plan, window, columns)
        seen.update(column=int((~found.irregular).sum()), row=int(found.irregular.sum()))
        return found

    monkeypatch.setattr(RecordPlan, "decode", counting)
    return seen


def written(path: Path, records: list[bytes]) -> Path:
    path.write_bytes(b"".join(struct.pack(">HH", len(raw) + 4, 0) + raw for raw in records))
    return path


def compared(path: Path, columns: tuple[str, ...] = (), **options: Any) -> Any:
    """The table and the lines that both engines give, once they agree."""
    rows, found = by_row(path, columns, **options), by_column(path, columns, **options)
    ends_early = bool(rows.errors) and options.get("mode") == "failfast"
    assert not difference(rows, found, ends_early=ends_early)
    if options.get("mode") != "failfast":
        one, other = (printed(path, engine, columns, options) for engine in ("kaitai", "columnar"))
        assert one == other
    return found.table


def printed(path: Path, engine: str, columns: tuple[str, ...], options: dict[str, Any]) -> list[str]:
    given_ = read_options(options | {"engine": engine, "columns": list(columns)})
    file = open_file(path, given_, on_error=ignored)
    return "".join(lines.printed(file, with_changes=False)).splitlines()


def some_record(chance: random.Random) -> bytes:
    """Few different bytes, so that codes and lengths are often good ones."""
    return bytes(chance.choices((0, 1, 2, 3, 4, 5, 7, 0x40, 0xC1, 0xFF), k=chance.choice((2, 4, 7, 8, 9, 16, 17, 30))))


@pytest.mark.parametrize("spec", BY_COLUMN)
def test_random_records(spec: str, built: Path, tmp_path: Path, counted: Counter[str]) -> None:
    chance = random.Random(spec)
    path = written(tmp_path / "x.dat", [some_record(chance) for _ in range(1500)])
    table = compared(path, spec=str(built / spec), framing="rdw")
    assert table.num_rows == 1500
    assert counted["column"] >= 1500 * BY_COLUMN[spec]
    assert (counted["column"] > 0) == (BY_COLUMN[spec] > 0)
    for mode in ("dropmalformed", "failfast"):
        compared(path, spec=str(built / spec), framing="rdw", mode=mode)


def test_damage_inside_one_kind_and_kinds_that_are_unknown(built: Path, tmp_path: Path, counted: Counter[str]) -> None:
    """Each kind of record is read by the column, the damaged ones between them by the parser, all at their places."""
    good = [b"\x01\x02\xc1\xc2", b"\x02" + bytes(15), b"\x03\x01a\x01b", b"\x04\x01\x02\x07", b"\x05", b"\x63ab"]
    bad = [b"\x01\x09\xc1", b"\x02" + bytes(16), b"\x03\x0aa", b"\x04\x02\x01", b""]
    records = [record for _ in range(40) for record in (*good, *bad)]
    table = compared(written(tmp_path / "x.dat", records), spec=str(built / "f_enum"), framing="rdw")
    assert counted == Counter(column=40 * len(good), row=40 * len(bad))
    kinds = ["named", "numbers", "pair", "checked", "other_word", "unlisted_99"]
    assert table.column("kind").to_pylist()[: len(good)] == [f"f_enum.{kind}" for kind in kinds]
    assert table.column("_corrupt_record").null_count == 40 * len(good)


def test_what_is_read_one_by_one_is_named(tmp_path: Path) -> None:
    text = "seq: [{id: n, type: u1}, {id: a, type: {switch-on: n, cases: {1: t}}}]\n"
    types = "types: {t: {seq: [{id: x, type: strz, encoding: UTF-16LE}]}}\n"
    (tmp_path / "acme_wide.ksy").write_text(f"meta: {{id: acme_wide}}\n{text}{types}")
    assert cli.main(["build", "--formats", str(tmp_path / "acme_wide.ksy"), "--out", str(tmp_path / "out")]) == 0
    found = decoding_of(catalog.load(f"{tmp_path}/out/acme_wide"))
    assert found.how == "column-wise"
    assert found.one_by_one == {"acme_wide.t": "x: its terminator has several bytes"}


# numbers beyond 64 bits: what is by the column is what the parser computes, with numbers of any size


LARGE_SPEC = """\
meta: {{id: n_large_{number}, title: Large numbers, endian: be}}
seq:
  - {{id: a, type: s8, doc: A}}
  - {{id: b, type: s8, doc: B}}
  - id: body
    -lm-type: body
    doc: What is behind
    {size}
    type:
      switch-on: '{on}'
      cases: {{1: one, -9223372036854775808: two, _: three}}
types:
  one: {{doc: One, seq: [{{id: x, type: u1, doc: X}}]}}
  two: {{doc: Two, seq: [{{id: y, type: u1, if: '{condition}', doc: Y}}]}}
  three:
    doc: Three
    seq:
      - {{id: w, type: u1, if: '{condition}', doc: W}}
      - {{id: z, size: '{inner}', doc: Z}}
instances:
  ahead: {{pos: '{place}', type: u1, -lm-column: false, doc: Ahead}}
"""
LARGE = 1 << 63
LARGE_NUMBERS = (0, 1, -1, 2, LARGE - 1, LARGE - 4, LARGE - 21, -LARGE, 1 - LARGE, (1 << 53) + 1)
LARGE_ON = (
    "-a", "a / b", "a % b", "-a > 0 ? 1 : 0", "a & 0xffffffffffffffffff", "a % 100000000000000000000", "ahead",
    "100000000000000000000 / b", "a == 1 ? 9223372036854775809 : b", "a == 100000000000000000000 ? 1 : 2",
    "a == 1 ? 9223372036854775807 : 9007199254740993",
)  # fmt: skip
LARGE_CONDITIONS = ("-_root.a > 0", "_root.a / _root.b == -9223372036854775808", "_root.b > 0xffffffffffffffffff")
LARGE_SIZES = ("_root.b", "0x7fffffffffffffff", "0xffffffffffffffffff", "_root.a == 1 ? 1 : 0xffffffffffffffffff")


LARGE_CHOSEN: tuple[dict[str, str], ...] = (
    *({"on": on} for on in LARGE_ON),
    *({"condition": condition} for condition in LARGE_CONDITIONS),
    *({"inner": size} for size in LARGE_SIZES),
    {"size": "size: b"},
    {"place": "b", "on": "ahead"},
    {"place": "0xffffffffffffffffff", "on": "ahead"},
)


@pytest.fixture(scope="module")
def large_specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The specs of all choices, by their numbers: one build of them starts the compiler once."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "specs").mkdir()
    defaults = {"on": "a", "size": "", "condition": "_root.a == 1", "inner": "1", "place": "16"}
    for number, chosen in enumerate(LARGE_CHOSEN):
        text = LARGE_SPEC.format(**{**defaults, **chosen, "number": number})
        (folder / "specs" / f"n_large_{number}.ksy").write_text(text)
    made = Builder().make(folder / "specs")
    assert not made.problems
    assert made.built == len(LARGE_CHOSEN)
    put(folder / "built", made.products)
    return folder / "built"


@pytest.mark.parametrize("number", range(len(LARGE_CHOSEN)), ids=lambda number: " ".join(LARGE_CHOSEN[number].values()))
def test_sizes_and_expressions_beyond_64_bits(number: int, large_specs: Path, tmp_path: Path) -> None:
    spec = str(large_specs / f"n_large_{number}")
    behind = (b"", b"\x01", b"\x01\x02\x03\x04", b"\x02" * 20)
    records = [struct.pack(">qq", a, b) + more for a, b, more in product(LARGE_NUMBERS, LARGE_NUMBERS, behind)]
    for divisor in LARGE_NUMBERS:  # of one divisor or size at a time, too, and of all
        some = [raw for raw in records if raw[8:16] == struct.pack(">q", divisor)]
        compared(written(tmp_path / "x.dat", some), spec=spec, framing="rdw")
    table = compared(written(tmp_path / "x.dat", records), spec=spec, framing="rdw")
    assert table.num_rows == len(records)


# what a record does not have: an absent field in an expression is an error, an absent instance is null


ABSENT_SPEC = """\
meta: {{id: n_absent_{number}, title: Absent, endian: be}}
seq:
  - {{id: n, type: u1, doc: N}}
  - {{id: m, type: u1, if: n == 1, doc: M}}
  - {{id: k, type: u1, doc: K{valid}}}
  - {{id: x, type: u1, if: '{condition}', doc: X}}
  - id: body
    -lm-type: body
    doc: What is behind
    type:
      switch-on: '{on}'
      cases: {{1: 'one({argument})', 2: 'two', _: 'one(0)'}}
types:
  one: {{doc: One, params: [{{id: q, type: u1, doc: Q}}], seq: [{{id: y, type: u1, if: '{inner}', doc: Y}}]}}
  two: {{doc: Two, seq: [{{id: z, size: '{size}', doc: Z}}]}}
instances:
  own: {{value: m, -lm-column: false, doc: Own}}
  some: {{value: k, if: n == 1, -lm-column: false, doc: Some}}
  far: {{value: _io.pos, if: _io.pos > 3, -lm-column: false, doc: Far}}
  farther: {{value: far, -lm-column: false, doc: Farther}}
  me: {{value: _root, if: n == 1, -lm-column: false, doc: Me}}
"""
ABSENT_CHOSEN: tuple[tuple[dict[str, str], float], ...] = (
    *(
        ({"condition": text}, 0.1)
        for text in (
            "m == 2",
            "m != 2",
            "not (m == 2)",
            "m == m",
            "own == 2",
            "_root.m != 2",
            "k == 0 or m == 2",
            "m == 2 or k == 0",
            "k != 0 and m == 2",
            "me.n == 1",
        )
    ),
    *(
        ({"condition": text}, 0.8)
        for text in (
            "n == 1 and m == 2",
            "n != 1 or m != 2",
            "n == 1 ? m == 2 : k == 0",
            "n == 1 and me.k == 0",
        )
    ),
    *(({"on": text}, 0.1) for text in ("m", "own", "k == 2 ? m : k")),
    *(({"condition": text}, 0.1) for text in ("some == 2", "some != 2")),
    ({"on": "some"}, 0.1),
    ({"on": "n == 1 ? m : k"}, 0.8),
    ({"argument": "m"}, 0.5),
    ({"argument": "some"}, 0.8),
    *(({"inner": text}, 0.3) for text in ("_root.m == 2", "_parent.m != 2")),
    ({"inner": "_root.some == 2"}, 0.1),
    ({"inner": "q == 2 and _root.m == 2"}, 0.8),
    ({"size": "_root.m == 2 ? 1 : 2"}, 0.5),
    ({"size": "_root.n == 1 ? _root.m : 2"}, 0.8),
    *(({"valid": f", valid: {{expr: {text}}}"}, 0.1) for text in ("not (m == 2)", "_ == 2 or m == 2")),
    ({"valid": ", valid: {expr: n != 1 or m < _}"}, 0.5),
    ({"valid": ", valid: m"}, 0.01),
    # An instance that is absent is asked for again, where the stream may be farther.
    ({"condition": "far == 4 or k == 0", "inner": "_root.far == 4"}, 0.0),
    ({"condition": "farther == 4 or k == 0", "inner": "_root.farther == 4"}, 0.0),
    ({"condition": "k == 9 and farther == 4", "on": "farther"}, 0.0),
    ({"on": "far", "inner": "_root.far == 4"}, 0.0),
)
"""What takes the place of a part of the spec, and the least share of random records that are read by the column.

The instance `some` is absent in most of them, which only the parser compares."""


@pytest.fixture(scope="module")
def absent_specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The specs of all choices, by their numbers."""
    folder = tmp_path_factory.mktemp("absent")
    (folder / "specs").mkdir()
    defaults = {"valid": "", "condition": "k == 7", "on": "k", "argument": "0", "inner": "q == 2", "size": "1"}
    for number, (chosen, _) in enumerate(ABSENT_CHOSEN):
        text = ABSENT_SPEC.format(**{**defaults, **chosen, "number": number})
        (folder / "specs" / f"n_absent_{number}.ksy").write_text(text)
    made = Builder().make(folder / "specs")
    assert not made.problems
    put(folder / "built", made.products)
    return folder / "built"


@pytest.mark.parametrize("number", range(len(ABSENT_CHOSEN)), ids=lambda number: str(ABSENT_CHOSEN[number][0]))
def test_absent_fields_and_instances_in_expressions(
    number: int, absent_specs: Path, tmp_path: Path, counted: Counter[str]
) -> None:
    chance = random.Random(number)
    spec = str(absent_specs / f"n_absent_{number}")
    records = [bytes(chance.choices(range(4), k=chance.choice((3, 4, 5, 8)))) for _ in range(400)]
    table = compared(written(tmp_path / "x.dat", records), spec=spec, framing="rdw")
    assert table.num_rows == 400
    assert counted["column"] >= 400 * ABSENT_CHOSEN[number][1]
    # Records that all lack the field.
    one = compared(written(tmp_path / "y.dat", [b"\2\1\2\3\4"] * 16), spec=spec, framing="rdw")
    assert one.num_rows == 16


# bodies in bodies


IN_ITSELF = """\
meta: {id: n_inside, title: A body in itself, endian: be}
seq:
  - {id: which, type: u1, doc: W}
  - {id: body, -lm-type: body, doc: B, type: {switch-on: which, cases: {1: more, _: last}}}
types:
  more:
    doc: More
    seq:
      - {id: next_one, type: u1, doc: N}
      - {id: body, -lm-type: body, doc: B, type: {switch-on: next_one, cases: {1: more, _: last}}}
  last: {doc: Last, seq: [{id: y, type: u1, doc: Y}]}
"""


def test_a_body_in_itself_is_refused(tmp_path: Path) -> None:
    """Its fields would have the names of those that are around it, and hide them."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "n_inside.ksy").write_text(IN_ITSELF)
    (problem,) = Builder().make(tmp_path / "specs").problems
    assert problem.text == "the field next_one of body has the name of another column of the record"
    assert problem.where == "/types/more/seq/1"


def test_a_body_with_thousands_of_cases_is_built(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    cases = ", ".join(f"{number}: last" for number in range(1100))
    (tmp_path / "specs" / "n_inside.ksy").write_text(IN_ITSELF.replace("1: more, _: last", cases))
    assert Builder().make(tmp_path / "specs").problems == []


# the logs of both vendors


@pytest.mark.parametrize("path", CASES, ids=name)
def test_cases(path: Path, tmp_path: Path, counted: Counter[str]) -> None:
    """Cases of changes too: their files have records of more kinds."""
    case = load(path)
    kept = ("framing", "generation", "byte_order", "code_page")
    options = {"spec": path.parent.name, "framing": "rdw"} | {k: v for k, v in case["options"].items() if k in kept}
    whole = tmp_path / "x.dat"
    whole.write_bytes(path.with_suffix(".bin").read_bytes() * 3)
    table = compared(whole, **options)
    if table.num_rows:
        assert counted == Counter(column=table.num_rows, row=0)


@QUICK
@given(st.data())
def test_damage(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Bytes that are changed give the same rows and the same errors."""
    path = data.draw(st.sampled_from([one for one in CASES if "objects" in one.stem or "transactions" in one.stem]))
    options = {"spec": "db2_log"} | {k: v for k, v in load(path)["options"].items() if k in ("framing", "generation")}
    chance = random.Random(data.draw(st.integers(0, 1 << 32)))
    raw = bytearray(path.with_suffix(".bin").read_bytes() * 2)
    for _ in range(data.draw(st.integers(1, 8))):
        raw[chance.randrange(len(raw))] = chance.choice((0, 1, 0xFF, chance.randrange(256)))
    damaged = tmp_path_factory.mktemp("damage") / "x.dat"
    damaged.write_bytes(raw)
    rows, found = by_row(damaged, **options), by_column(damaged, **options)
    ends_early = bool(rows.errors) and (rows.errors[-1]["code"] or "").startswith("LMP-F")
    assert not difference(rows, found, ends_early=ends_early)


LISTS_IN_LISTS = """\
meta: {id: acme_lists, endian: be}
seq: [{id: n, type: u1}, {id: body, -lm-type: body, type: {switch-on: n, cases: {0: t0, _: t4}}}]
types:
  t0: {seq: [{id: a, type: t1, repeat: expr, repeat-expr: 40}]}
  t1: {seq: [{id: a, type: t2, repeat: expr, repeat-expr: 40}]}
  t2: {seq: [{id: a, type: t3, repeat: expr, repeat-expr: 40}]}
  t3: {seq: [{id: a, type: t4, repeat: expr, repeat-expr: 40}]}
  t4: {seq: []}
"""


def test_lists_in_lists_without_bytes_are_the_parsers(tmp_path: Path) -> None:
    """A walk through them would take 40 * 40 * 40 * 40 parts."""
    (tmp_path / "acme_lists.ksy").write_text(LISTS_IN_LISTS)
    assert cli.main(["build", "--formats", str(tmp_path / "acme_lists.ksy"), "--out", str(tmp_path / "out")]) == 0
    spec = catalog.load(f"{tmp_path}/out/acme_lists")
    data, starts, lengths = np.zeros(9, np.uint8), np.arange(9), np.ones(9, np.int64)
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        found = Reading(spec.layouts, data).read(spec.layout, {}, starts, lengths)
    finally:
        sys.setprofile(None)
    assert found.records.bad.all()
    assert calls < 2_000_000
