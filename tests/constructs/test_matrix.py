"""The matrix: every construct of Kaitai Struct is read alike by the bare parser and both engines, or is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from spec.build_step import make

from constructs import construct_page
from constructs.construct_page import MATRIX, ksy
from constructs.readers import Built, compare
from lmparse.cli.command_line import main
from lmparse.columnar import schemas
from lmparse.columnar.decoding import decoding_of
from lmparse.columnar.record_plan import RecordPlan
from lmparse.errors import LmparseError
from lmparse.logs import lines
from lmparse.logs.check import FIELDS, account
from lmparse.logs.open import open_file
from lmparse.options import Options
from lmparse.records.dissection import Dissector
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.spec.build.constructs import CONSTRUCTS
from lmparse.spec.build.specs import SpecError


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("matrix")
    construct_page.build(folder)
    return folder


def of(folder: Path, name: str) -> Built:
    return Built(folder / "m" / f"m_{name}.ksy", folder / "of_the_matrix")


@pytest.mark.parametrize("name", [name for name, entry in MATRIX.items() if "refused" not in entry])
def test_three_readers_agree(built: Path, tmp_path: Path, name: str) -> None:
    entry, spec = MATRIX[name], of(built, name)
    good = {bytes.fromhex(raw): values for raw, values in entry.get("good", {}).items()}
    bad = {bytes.fromhex(raw): code for raw, code in entry.get("bad", {}).items()}
    if "deep" in entry:
        bad[b"\1" * 5000] = entry["deep"]
    assert good
    assert compare(spec, [*good, *bad], tmp_path, entry.get("circles", ())) == [None] * len(good) + [*bad.values()]
    file = open_file(tmp_path / f"m_{name}.dat", Options(spec=spec.name, framing="rdw"), on_error=lambda error: None)
    shown = [json.loads(json.dumps(values)) for values in file.records() if not values.get("_corrupt_fields")]
    assert shown == [_as_json(values) for values in good.values()]
    plan = RecordPlan(catalog.load(spec.name), labels=True)
    assert plan.refusal([*plan.types]) == entry.get("parser", "")
    (window,) = file.windows()
    if "parser" not in entry:
        assert int(plan.decode(window, [*plan.types]).irregular[: len(good)].sum()) == entry.get("some_by_parser", 0)
    columns = {column.name for column in decoding_of(catalog.load(spec.name)).columns}
    assert set(schemas.records_schema(spec.name).names) - set(schemas.OUTCOMES) <= columns


@pytest.mark.parametrize("name", [name for name, entry in MATRIX.items() if entry.get("good")])
def test_check_counts_the_bytes_that_no_field_has(built: Path, tmp_path: Path, name: str) -> None:
    """Of the good records and of the same with two more bytes, which few specs have a field for."""
    spec = of(built, name)
    good = [bytes.fromhex(raw) for raw in MATRIX[name]["good"]]
    path = tmp_path / "records.dat"
    path.write_bytes(b"".join(len(raw + b"rdw ").to_bytes(2) + bytes(2) + raw for raw in (*good, good[0] + b"zz")))
    dissector = Dissector(RecordReader(catalog.load(spec.name)))
    options = Options(spec=spec.name, framing="rdw")
    file = open_file(path, options, on_error=lambda error: None)
    found = [dissector.dissect(extent.read(file.buffer)) for extent in file.extents()]
    unread = [sum(end - start for start, end in one.unread()) for one in found if one.fault is None]
    report = account(str(path), options)
    claim = next(claim for claim in report.claims if claim.says == FIELDS.says)
    assert (report.unread, claim.tested, claim.failed) == (sum(unread), len(unread), sum(map(bool, unread)))
    assert bool(report.differences) is bool(report.unread)
    said = [_read_by(path, engine, spec) for engine in ("kaitai", "columnar")]
    assert said[0] == said[1]
    # What is behind a value in bytes of its own is in the field for those who look at it, and not for its readers.
    is_alike = name != "switch_to_one_value" and "zlib" not in str(MATRIX[name])
    if is_alike and not catalog.load(spec.name).with_instances:
        assert (said[0][0], said[0][1]) == (report.unread, sum(map(bool, unread)))
    if name == "u1":
        assert report.unread == 2
        assert report.differences == ["bytes in no field: 2, in 1 of the records; the first at 0x1 of record 1"]


def _read_by(path: Path, engine: str, spec: Built) -> tuple[object, ...]:
    """What an engine says of bytes in no field, where it reads on and where it does not."""
    file = open_file(path, Options(spec=spec.name, framing="rdw", engine=engine), on_error=lambda error: None)
    for _ in lines.printed(file, with_changes=False):
        pass
    first = None if file.tally.first_unread is None else file.tally.first_unread[0]
    strict = Options(spec=spec.name, framing="rdw", engine=engine, mode="failfast")
    try:
        count, code = len("".join(lines.printed(open_file(path, strict), with_changes=False)).splitlines()), None
    except LmparseError as error:
        count, code = error.record_index or 0, error.code
    return file.tally.unread, file.tally.with_unread, first, count, code


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("name", ["u2", "str_size"])
@pytest.mark.parametrize(
    ("mode", "form", "rows", "said"),
    [("permissive", "csv", 2, ", whose rows have their bytes and no values: 1"),
     ("permissive", "jsonl", 1, " without a row: 1"), ("dropmalformed", "csv", 1, " without a row: 1")],
)  # fmt: skip
def test_convert_says_which_bad_records_have_a_row(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    name: str, engine: str, mode: str, form: str, rows: int, said: str,
) -> None:  # fmt: skip
    path, out = tmp_path / "bad.dat", tmp_path / f"out.{form}"
    path.write_bytes(b"\0\5\0\0a\0\x08\0\0aaaa")
    given = ["--spec", of(built, name).name, "--framing", "rdw", "--engine", engine, "--mode", mode]
    assert main(["convert", str(path), str(out), *given]) == 20
    err = capsys.readouterr().err.splitlines()
    assert [line for line in err if line.startswith("bad ")] == [f"bad records{said}"]
    assert len(out.read_text().splitlines()) == rows + (form == "csv")


def test_every_construct_is_in_the_matrix_and_on_the_page(built: Path) -> None:
    """A construct that a release of the compiler adds has no spec here, and fails."""
    ways = construct_page.ways(of(built, "u1").out)
    assert [entry.name for entry in CONSTRUCTS if entry.name not in ways] == []
    assert construct_page.PAGE.read_text(encoding="utf-8") == construct_page.page(of(built, "u1").out)


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _as_json(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    return "NaN" if value != value else value


@pytest.mark.parametrize("name", [name for name, entry in MATRIX.items() if "refused" in entry])
def test_what_is_not_read_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / f"m_{name}.ksy").write_text(ksy(name, MATRIX[name]))
    with pytest.raises(SpecError, match=rf"m_{name}\.ksy:\d+:\d+: error: .*{MATRIX[name]['refused']}"):
        make(tmp_path / f"m_{name}.ksy")
