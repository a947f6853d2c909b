"""Columns: records by the column are what they are one by one, good and bad."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from amounts import examples
from cases.files import FOUND, FOUND_BAD, load, name
from engines import by_column, by_row, difference
from hypothesis import given
from hypothesis import strategies as st
from samples.bmc_random import some_record
from spec.test_step_budget import built
from writers.bmc import framing, lldf

from lmparse import cli
from lmparse.columnar import schemas
from lmparse.columnar.record_plan import RecordPlan
from lmparse.spec import catalog

LLDF = catalog.load("bmc_lldf")
NAMES = tuple(name for name in schemas.records_schema("bmc_lldf").names if name not in schemas.OUTCOMES)
QUICK = examples(15, 60)


def compared(path: Path, columns: tuple[str, ...] = (), **options: Any) -> Any:
    """The table that both engines give for a file, once they agree."""
    options = {"framing": "rdw"} | options
    rows, found = by_row(path, columns, **options), by_column(path, columns, **options)
    ends_early = bool(rows.errors) and (rows.errors[-1]["code"] or "").startswith("LMP-F")
    ends_early |= bool(rows.errors) and options.get("mode") == "failfast"
    assert not difference(rows, found, ends_early=ends_early)
    return found.table


def written(folder: Path, records: list[bytes], way: str = "rdw") -> Path:
    path = folder / "x.dat"
    path.write_bytes(framing.framed(way, records).data)
    return path


# every case


RECORD_CASES = [path for path in (*FOUND, *FOUND_BAD) if load(path)["command"] == "records"]


@pytest.mark.parametrize("path", RECORD_CASES, ids=name)
def test_cases(path: Path) -> None:
    case = load(path)
    options = {key: value for key, value in case["options"].items() if key not in ("columns", "mode")}
    compared(path.with_suffix(".bin"), **({"spec": path.parent.name} | options))


# random records


def test_random_records(tmp_path: Path) -> None:
    chance = random.Random(4)
    table = compared(written(tmp_path, [some_record(chance) for _ in range(3000)]))
    assert table.num_rows == 3000
    assert table.column("_corrupt_fields").null_count == 3000
    for column in ("timestamp", "sql_ri_rba", "page_num_fmt", "header_rest"):
        assert 0 < table.column(column).null_count < 3000, "null and not"


@pytest.mark.parametrize("column", NAMES)
def test_one_column(column: str, tmp_path: Path) -> None:
    chance = random.Random(column)
    path = written(tmp_path, [some_record(chance) for _ in range(50)])
    table = compared(path, (column,))
    assert table.column_names[0] == column
    whole = compared(path)
    assert table.column(column).equals(whole.column(column))


@pytest.mark.parametrize("page", ["cp037", "cp1047", "1140", "420", "utf-8", "1200"])
def test_code_pages(page: str, tmp_path: Path) -> None:
    """Pages with characters of several bytes in UTF-8, and with bytes that are none."""
    chance = random.Random(page)
    path = written(tmp_path, [some_record(chance, plan=chance.randbytes(8)) for _ in range(300)])
    compared(path, code_page=page)


# damage


@QUICK
@given(st.data())
def test_damage(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Bytes that are changed give the same rows and the same errors."""
    chance = random.Random(data.draw(st.integers(0, 1 << 32)))
    whole = bytearray(framing.rdw([some_record(chance) for _ in range(12)]))
    for _ in range(data.draw(st.integers(1, 6))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damage") / "x.dat"
    path.write_bytes(whole[: data.draw(st.integers(1, len(whole)))])
    for mode in ("permissive", "dropmalformed", "failfast"):
        compared(path, mode=mode)
        compared(path, tuple(chance.sample(NAMES, 3)), mode=mode)


def test_lengths_that_lie(tmp_path: Path) -> None:
    good = lldf.change("I", [b"row"])
    lengths = (0, 1, 276, 277, 278, 286, 287, 288, 289, len(good) - 1, len(good), len(good) + 1, 32767, 65535)
    records = [length.to_bytes(2, "big") + good[2:] for length in lengths]
    table = compared(written(tmp_path, [good, *records, good]))
    assert table.column("_corrupt_record").null_count < len(lengths) + 2


def test_what_is_not_asked_for_is_not_checked(tmp_path: Path) -> None:
    """A bad value in another column takes nothing away from a row."""
    bad = lldf.change("I", timestamp=b"\xff" * 17)
    path = written(tmp_path, [bad])
    assert compared(path).column("_corrupt_fields").null_count == 0
    assert compared(path, ("plan",)).column("_corrupt_fields").null_count == 1
    assert compared(path, ("plan",), mode="dropmalformed").num_rows == 1


# plans


def test_every_spec_of_lmparse_is_read_by_the_column() -> None:
    for spec_id in catalog.spec_ids():
        spec = catalog.load(spec_id)
        plan = RecordPlan(spec, arguments=(0,) * len(spec.layout.params))
        assert (plan.refusal([*plan.types]), spec_id) == ("", spec_id)
    assert "generation" in RecordPlan(catalog.load("db2_dms")).reason


# optional fields in front of others

OPTIONAL = (
    [("z", 1, ""), ("a", 1, "not _io.eof"), ("b", 1, "")],
    [("a", 1, "not _io.eof"), ("b", 8, "")],
    [("e", 1, ""), ("a", 2, "_io.pos < e"), ("b", 1, "")],
    [("e", 1, ""), ("a", 1, "_io.pos < e"), ("b", 2, "not _io.eof")],
    [("e", 1, ""), ("a", 2, "not _io.eof"), ("b", 1, "_io.pos < e"), ("c", 1, "_io.pos < e"), ("d", 1, "not _io.eof")],
    [("e", 1, ""), ("a", 1, "_io.pos < e"), ("b", 2, "_io.pos < e"), ("c", 1, ""), ("d", 4, "not _io.eof")],
    [("z", 1, ""), ("a", 1, "not _io.eof"), ("b", 2, "not _io.eof")],
)


@pytest.mark.parametrize("fields", OPTIONAL, ids=str)
def test_fields_behind_optional_ones(tmp_path: Path, fields: list[tuple[str, int, str]]) -> None:
    seq = [f"{{id: {name}, type: u{size}{f', if: {when}' if when else ''}}}" for name, size, when in fields]
    spec = built(tmp_path, f"seq: [{', '.join(seq)}]\n").spec
    assert RecordPlan(spec).reason == ""
    chance = random.Random(str(fields))
    records = [bytes([end, *chance.randbytes(length)])[: length + 1] for length in range(10) for end in range(9)] * 3
    chance.shuffle(records)
    path = written(tmp_path, [b"", *records, b"", b"\1\2\3\4"])
    table = compared(path, spec=spec.name, mode="permissive")
    assert len(table) == len(records) + 3


# where a part of a record ends, and what is behind it

FRONT = "{id: e, type: u1}, {id: n, type: u1}"
REST = "{id: r, size-eos: true}"
TAILS = (
    "",
    REST,
    "{id: r, -lm-type: rest, size-eos: true}",
    "{id: r, -lm-type: rest, size: e - _io.pos}",
    f"{{id: q, -lm-type: rest, size: e - _io.pos}}, {REST}",
    "{id: r, size: e - _io.pos}",
    "{id: f, type: u1}, {id: r, size: e - _io.pos}",
    f"{{id: f, type: u1}}, {REST}",
)
BY_LAYOUT = [
    *(
        f"{FRONT}, {{id: a, type: u2, if: {when}}}, {{id: b, type: u1, if: {when}}}, {tail}"
        for when in ("_io.pos < e", "not _io.eof")
        for tail in TAILS
    ),
    f"{FRONT}, {{id: a, type: u1, if: (_io.pos)<e}}, {{id: b, type: u1, if: _io.pos < _io.size}}, {REST}",
    *(f"{FRONT}, {tail}" for tail in TAILS if tail),
    f"{FRONT}, {{id: r, size: (e)-_io.pos}}",
    f"{FRONT}, {{id: r, size: e - _io.pos, if: _io.pos < e}}",
    f"{FRONT}, {{id: r, size-eos: true, if: not _io.eof}}",
    f"{FRONT}, {{id: a, type: u1, if: not _io.eof}}, {{id: r, -lm-type: rest, size-eos: true, if: not _io.eof}}",
    "{id: e, type: s1}, {id: n, type: u1}, {id: r, size: e - _io.pos}",
]
"""Fields of specs whose records have a part that ends where the layout says."""
BY_RECORD = [
    *(
        f"{FRONT}, {{id: a, type: u1, if: {when}}}{tail}"
        for when in (
            "_io.pos < 3", "_io.pos < 0x4", "_io.pos < own", "_io.pos < e + 1", "_io.pos < _root.e", "_io.pos <= e",
            "_io.pos < _io.size - 1", "_io.pos < e and n == 1", "_io.pos < e or n == 1", "'_io.pos < e ? true : false'",
        )
        for tail in ("", f", {REST}")
    ),
    f"{{id: n, type: u1}}, {{id: e, type: u1, if: n == 1}}, {{id: a, type: u1, if: _io.pos < e}}, {REST}",
    f"{{id: n, type: u1}}, {{id: e, type: u1, if: not _io.eof}}, {{id: a, type: u1, if: _io.pos < e}}, {REST}",
    *(
        f"{FRONT}, {{id: r, size: {size}}}"
        for size in ("10 - _io.pos", "own - _io.pos", "e - _io.pos + n", "_root.e - _io.pos", "_io.size - _io.pos")
    ),
    f"{FRONT}, {{id: r, size: n, if: not _io.eof}}",
    f"{FRONT}, {{id: r, size: n, if: _io.pos < e}}",
    f"{FRONT}, {{id: r, size: e - _io.pos, if: not _io.eof}}",
    f"{FRONT}, {{id: r, size-eos: true, if: _io.pos < e}}",
]  # fmt: skip
"""The same, where each record says by itself where the part ends."""
WITH_ENDS = [*BY_LAYOUT, *BY_RECORD]


@pytest.fixture(scope="module")
def with_ends(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The specs, by their numbers: one build of them starts the compiler once."""
    folder = tmp_path_factory.mktemp("ends")
    (folder / "specs").mkdir()
    for number, seq in enumerate(WITH_ENDS):
        text = f"meta: {{id: n_end_{number}, title: End, endian: be}}\nseq: [{seq}]\n"
        (folder / "specs" / f"n_end_{number}.ksy").write_text(f"{text}instances: {{own: {{value: e + 1}}}}\n")
    assert cli.main(["build", "--formats", str(folder / "specs"), "--out", str(folder / "built")]) == 0
    return folder / "built"


@pytest.mark.parametrize("number", range(len(WITH_ENDS)), ids=WITH_ENDS.__getitem__)
def test_ends_of_parts(number: int, with_ends: Path, tmp_path: Path) -> None:
    spec = catalog.load(str(with_ends / f"n_end_{number}"))
    assert RecordPlan(spec).refusal(["n", "own"]) == ""
    chance = random.Random(number)
    records = [bytes([end, 1 + end % 3, *chance.randbytes(length)]) for length in range(10) for end in range(11)]
    records += [record[: chance.randrange(3)] for record in records[:20]]
    records += [b"\xff\x01ab", b"\x80\x00ab"]
    chance.shuffle(records)
    table = compared(written(tmp_path, records), spec=spec.name, mode="permissive")
    assert len(table) == len(records)
    assert table.column("_corrupt_record").null_count > 5
    for column in {"a", "r"} & {*table.column_names}:
        compared(written(tmp_path, records), (column,), spec=spec.name, mode="permissive")


HUGE = (
    "seq: [{id: n, type: u1}, {id: a, size: 9223372036854775807}, {id: b, type: u1}]",
    "seq: [{id: n, type: u1}, {id: a, size: 4000000000 * 4000000000}]",
    "seq: [{id: n, type: u1}, {id: a, size: 4611686018427387904}, {id: b, size: 4611686018427387904}]",
    "seq: [{id: n, type: u1}]\ninstances: {i: {pos: 99999999999999999999, type: u1}}",
)


@pytest.mark.parametrize("text", HUGE)
def test_places_beyond_64_bits_are_in_no_record(tmp_path: Path, text: str) -> None:
    spec = built(tmp_path, f"{text}\n").spec
    table = compared(written(tmp_path, [b"\1\2\3", b"", b"\1"]), spec=spec.name, mode="permissive")
    assert table.column("_corrupt_record").null_count == 0
