"""Files that only their spec divides: one record, records that end where their spec ends, the items of a list."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import Run
from spec.build_step import build

import lmparse
from lmparse.errors import LmparseError
from lmparse.framing.extents import Span
from lmparse.logs.families import read_options
from lmparse.logs.open import open_file
from lmparse.logs.partitions import Request
from lmparse.records.files import RecordFile
from lmparse.values.json_form import to_json

FOLDER = Path(__file__).parents[1] / "cases_files"
CASES: list[dict[str, Any]] = yaml.safe_load((FOLDER / "cases.yaml").read_text())
OUTCOMES = ("_corrupt_record", "_corrupt_fields", "_metadata")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("specs")
    done = build("generate", "--formats", FOLDER / "specs", "--out", out)
    assert done.returncode == 0, done.stderr
    return out


def options_of(case: dict[str, Any], built: Path) -> dict[str, str]:
    found = {"spec": str(built / case["spec"]), "rows": case.get("list")}
    found |= {name: case.get(name) for name in ("framing", "columns")}
    return {name: value for name, value in found.items() if value is not None}


def put(case: dict[str, Any], folder: Path) -> Path:
    path = folder / "file.bin"
    path.write_bytes(bytes.fromhex(case["hex"]))
    return path


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case_in_python(case: dict[str, Any], built: Path, tmp_path: Path) -> None:
    path, options = put(case, tmp_path), options_of(case, built)
    rows, error = read(path, options)
    assert rows == [tuple(row) for row in case["rows"]]
    assert (None if error is None else error.code) == case.get("code")
    if "at" in case and error is not None:
        assert [vars(error)["record_index"], vars(error)["record_offset"]] == case["at"]
        assert vars(error)["file"] == str(path)
    if "decision" in case:
        found = {one.name: one.evidence for one in open_file(path, read_options(options)).decisions}
        assert found["rows"] == case["decision"]
    if error is None:
        table = lmparse.read_table(path, **options, engine="check")
        places = [tuple(row[name] for name in ("record_index", "record_offset", "record_length"))
                  for row in table["_metadata"].to_pylist()]  # fmt: skip
        assert places == [row[:3] for row in rows]
        shown = table.drop_columns([name for name in OUTCOMES if not any(name in row[3] for row in rows)])
        assert [to_json(row) for row in shown.to_pylist()] == [row[3] for row in rows]


def read(path: Path, options: dict[str, Any]) -> tuple[list[tuple[Any, ...]], LmparseError | None]:
    """The rows with their places, and the error that ends the file."""
    rows: list[tuple[Any, ...]] = []
    try:
        file = open_file(path, read_options(options))
        for extent in file.extents():
            rows.append((extent.index, extent.offset, extent.length, file.row(extent)))
    except LmparseError as error:
        return rows, error
    return rows, None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case_in_the_shell(case: dict[str, Any], built: Path, tmp_path: Path, run: Callable[..., Run]) -> None:
    path = put(case, tmp_path)
    words = [word for name, value in options_of(case, built).items() for word in (f"--{name}", value)]
    code = case.get("code", "")
    is_bad = any("_corrupt_fields" in row[3] for row in case["rows"])
    exit_code = 2 if code.startswith("LMP-S") else {"": 20 if is_bad else 0, "LMP-F007": 31}.get(code, 20)
    done = run("records", path, *words)
    assert [json.loads(line) for line in done.out.splitlines()] == [row[3] for row in case["rows"]]
    assert done.code == exit_code
    assert code in done.err
    words = [word for name, value in options_of(case, built).items() if name != "columns"
             for word in (f"--{name}", value)]  # fmt: skip
    exit_code = 0 if is_bad else exit_code
    checked = run("check", path, *words, "--json")
    assert checked.code == exit_code
    if case["rows"]:
        sizes = json.loads(checked.out)["bytes"]
        assert sizes["is_accounted"]
        assert sizes["parsed"] == sum(row[2] for row in case["rows"])
        last = case["rows"][-1]
        shown = json.loads(run("explain", path, *words, "--record", last[0], "--json").out)
        assert (shown["record"], shown["offset"]) == (last[0], last[1])


def capture(random_: random.Random) -> bytes:
    head = struct.pack("<IHhIIQ", 0xA1B2C3D4, 2, 0, 1, 65535, 0)
    bodies = [random_.randbytes(random_.choice((0, 1, 40, 5000))) for _ in range(random_.randrange(40))]
    return head + b"".join(struct.pack("<IIII", n, 5, len(body), 7) + body for n, body in enumerate(bodies))


def counted(random_: random.Random) -> bytes:
    count = random_.randrange(20)
    keys = [random_.randrange(20) for _ in range(count)]
    entries = [bytes([key]) + b"a" * random_.randrange(5) + b"\0" + b"\7" * (key == count) for key in keys]
    return bytes([count]) + b"".join(entries) + b"\1\2"


def ordered(random_: random.Random) -> bytes:
    order, most = random_.choice("<>"), random_.randrange(9)
    lengths = [random_.randrange(12) for _ in range(random_.randrange(30))]
    bodies = [struct.pack(f"{order}BH", 1, n) + bytes(min(n, most)) + b"p" * (-n % 4) for n in lengths]
    return (b"II" if order == "<" else b"MM") + struct.pack(f"{order}H", most) + b"".join(bodies)


FILES = {
    "f_capture": (capture, "packets"),
    "f_counted": (counted, "body.entries"),
    "f_ordered": (ordered, "data.entries"),
}


@pytest.mark.parametrize("name", FILES)
def test_rows_are_the_items_of_the_record(name: str, built: Path, tmp_path: Path) -> None:
    random_, (make, rows) = random.Random(name), FILES[name]
    path = tmp_path / "file.bin"
    for _ in range(12):
        raw = make(random_)
        path.write_bytes(raw)
        options = {"spec": str(built / name), "rows": rows}
        whole: Any = lmparse.parse(raw, options["spec"])
        for step in rows.split("."):
            whole = whole[step]
        found, error = read(path, options)
        assert error is None
        assert [row[3] for row in found] == whole
        table = lmparse.read_table(path, **options)
        assert [to_json(row) for row in table.drop_columns(OUTCOMES).to_pylist()] == whole
        assert [*in_parts(path, options, random_.randrange(1, 200))] == [row[:3] for row in found]
        cut = random_.randrange(len(raw))
        path.write_bytes(raw[:cut])
        less, error = read(path, options)
        assert less == found[: len(less)]
        assert error is not None or (less[-1][1] + less[-1][2] if less else cut) == cut or name == "f_counted"


def in_parts(path: Path, options: dict[str, str], size: int) -> Iterator[tuple[int, int, int]]:
    """The places of the records, from parts of a file that are opened anew."""
    for part in Request((str(path),), read_options(options), max_bytes=size).parts():
        file: RecordFile = part.open()  # type: ignore[union-attr]
        span: Span = part.span  # type: ignore[union-attr]
        by_window = [extent for window in file.windows(span) for extent in map(window.extent, range(len(window)))]
        places = [(extent.index, extent.offset, extent.length) for extent in file.extents(span)]
        assert places == [(extent.index, extent.offset, extent.length) for extent in by_window]
        yield from places


def test_auto_takes_the_whole_file_only_if_the_spec_ends_with_it(built: Path, tmp_path: Path) -> None:
    path = tmp_path / "file.bin"
    options = {"spec": str(built / "f_packet")}
    path.write_bytes(b"ab\0\2xy\xff")
    file = open_file(path, read_options(options))
    assert str(file.decisions[0]) == "framing: whole (no other framing fits, and the spec reads the file to its end)"
    path.write_bytes(b"ab\0\2xy\xff" * 2)
    with pytest.raises(lmparse.FramingError, match="whole: f_packet ends at 0x7"):
        open_file(path, read_options(options))
    path.write_bytes(struct.pack(">HH", 11, 0) + b"ab\0\2xy\xff")
    assert open_file(path, read_options(options)).framing.name == "rdw"


PACKET, OTHER = b"ab\0\2xy\xff", b"q\0\1z\xff"
SNIFFED = {
    "one record": ("f_packet", PACKET, "whole"),
    "several": ("f_packet", PACKET + OTHER, "parsed"),
    "behind their lengths": ("f_packet", (struct.pack(">HH", 11, 0) + PACKET) * 2, "rdw"),
    "damaged": ("f_packet", PACKET * 20 + PACKET[:-1] + b"\0", None),
    "cut": ("f_packet", PACKET * 20 + PACKET[:-1], None),
    "with fields at positions": ("f_placed", bytes.fromhex("05 AABBCCDD 02 0100 0200 FFFF"), "whole"),
}


@pytest.mark.parametrize("name", SNIFFED)
def test_sniff_of_a_spec_advises_what_reads_all_of_the_file(
    name: str, built: Path, tmp_path: Path, run: Callable[..., Run]
) -> None:
    spec, raw, framing = SNIFFED[name]
    (path := tmp_path / "file.bin").write_bytes(raw)
    done = run("sniff", path, "--spec", built / spec, "--json")
    found = json.loads(done.out)
    assert (done.code, found.get("framing")) == (20 if framing is None else 0, framing)
    if framing is not None:
        assert run("check", path, "--spec", found["spec"], "--framing", framing).code == 0
    if framing not in (None, "parsed"):
        assert open_file(path, read_options({"spec": str(built / spec)})).framing.name == framing


def test_records_that_are_longer_than_what_the_parser_is_given_first(built: Path, tmp_path: Path) -> None:
    path = tmp_path / "file.bin"
    one = b"n" * 50_000 + b"\0\2xy\xff"
    path.write_bytes(one * 3)
    options = {"spec": str(built / "f_packet"), "framing": "parsed"}
    assert [row[2] for row in read(path, options)[0]] == [len(one)] * 3
    rows, error = read(path, {**options, "limits": "recordBytes=10000"})
    assert not rows
    assert error is not None
    assert error.code == "LMP-L002"


def test_options_of_other_framings_are_refused(built: Path, tmp_path: Path) -> None:
    path = put(CASES[0], tmp_path)
    for more in ({"framing": "whole", "record_length": 4}, {"framing": "parsed", "rdw_endian": "little"}):
        with pytest.raises(lmparse.OptionError, match="does not use"):
            open_file(path, read_options({"spec": str(built / "f_capture"), **more}))
    with pytest.raises(lmparse.OptionError, match="rows does not apply to records of bmc_lldf"):
        open_file(path, read_options({"spec": "bmc_lldf", "rows": "x"}))


def test_what_is_around_a_list_is_a_column_of_its_items_only(
    built: Path, tmp_path: Path, run: Callable[..., Run]
) -> None:
    done = run("records", put(CASES[0], tmp_path), "--spec", built / "f_capture", "--columns", "_parent")
    assert done.code == 2
    assert "there is no field '_parent'" in done.err
    done = run("formats", built / "f_headed", "--rows", "body.entries", "--json")
    last = json.loads(done.out)["decoded"]["columns"][-1]
    assert (last["name"], last["why"]) == ("_parent", "if columns name it: _parent (name, level)")


def test_formats_shows_the_fields_of_items(built: Path, run: Callable[..., Run]) -> None:
    done = run("formats", built / "f_capture", "--rows", "packets", "--json")
    shown = json.loads(done.out)
    assert shown["spec"] == "f_capture.packet"
    assert [entry["id"] for entry in shown["fields"]][:2] == ["ts_sec", "ts_usec"]
    assert [column["name"] for column in shown["decoded"]["columns"]][-2:] == ["body", "_parent"]
    assert run("formats", "--rows", "packets").code == 2
