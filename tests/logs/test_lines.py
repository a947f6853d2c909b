"""Lines of records and changes: both engines print the same bytes, the same errors, and end with the same code."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from amounts import IS_THOROUGH, amount
from cases.files import FOUND, arguments, load, name
from samples.bmc_random import write
from samples.db2_scripts import ALL_FORMS, full_stream

from lmparse import cli
from lmparse.columnar import json_texts
from lmparse.logs import lines
from lmparse.logs.open import open_changes, open_file
from lmparse.options import Options

PRINTED = [path for path in FOUND if load(path)["command"] in ("records", "changes")]


def printed(capsys: pytest.CaptureFixture[str], engine: str, *given: object) -> tuple[int, str, str]:
    code = cli.main([*map(str, given), "--engine", engine])
    return code, *capsys.readouterr()


def same(capsys: pytest.CaptureFixture[str], *given: object, is_checked: bool = True) -> str:
    """What both engines print; `check` says the same and finds no difference."""
    one, other = (printed(capsys, engine, *given) for engine in ("kaitai", "columnar"))
    assert one == other
    if not is_checked:
        return one[1]
    checked = printed(capsys, "check", *given)
    notes = [line for line in checked[2].splitlines() if not line.startswith("note: nothing is compared")]
    assert (*checked[:2], notes) == (*one[:2], one[2].splitlines())
    return one[1]


@pytest.mark.parametrize("path", PRINTED, ids=name)
def test_every_case(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same(capsys, *arguments(path, load(path)), is_checked=IS_THOROUGH or PRINTED.index(path) % 4 == 0)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return write(tmp_path_factory.mktemp("lines"), amount(80, 4000))


@pytest.fixture(scope="module")
def damaged(log: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The same log with other bytes here and there, not in the words in front of records."""
    raw, random_ = bytearray(log["path"].read_bytes()), random.Random(3)
    places = [place for place in _bodies(raw) if random_.random() < 0.3]
    for place in places:
        raw[place + random_.randrange(2, 280)] = random_.randrange(256)
    path = tmp_path_factory.mktemp("damaged") / "x.dat"
    path.write_bytes(raw)
    return log | {"path": path}


def _bodies(raw: bytearray) -> Iterator[int]:
    place = 0
    while place < len(raw):
        yield place + 4
        place += int.from_bytes(raw[place : place + 2], "big")


def of(log: dict[str, Any]) -> list[object]:
    return [log["path"], *(part for key, value in log.items() if key != "path" for part in (f"--{key}", value))]


OPTIONS: list[tuple[str, ...]] = [
    (), ("--include", "all"), ("--include", "all", "--header"), ("--include", "all", "--columns", "ID"),
    ("--include", "all", "--mode", "dropmalformed"), ("--include", "all", "--mode", "failfast"), ("--order", "commit"),
    ("--include", "all", "--trim", "false"),
]  # fmt: skip


@pytest.mark.parametrize("given", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("which", ["log", "damaged"])
def test_random_changes(
    which: str, given: tuple[str, ...], request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    found = same(capsys, "changes", *of(request.getfixturevalue(which)), *given)
    assert found or which == "damaged" or "failfast" in given


@pytest.mark.parametrize("given", [(), ("--mode", "failfast"), ("--columns", "timestamp,data,plan")], ids=" ".join)
@pytest.mark.parametrize("which", ["log", "damaged"])
def test_random_records(
    which: str, given: tuple[str, ...], request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    assert same(capsys, "records", request.getfixturevalue(which)["path"], "--framing", "rdw", *given)


def test_places_of_records_of_no_spec(log: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert same(capsys, "records", log["path"], "--spec", "common_raw", "--framing", "rdw")


@pytest.mark.parametrize(("generation", "byte_order", "framing"), ALL_FORMS[:: amount(5, 1)])
def test_changes_of_luw(
    generation: str, byte_order: str, framing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(full_stream(generation, byte_order, framing).bytes())
    known = ("--generation", generation, "--byte-order", byte_order, "--framing", framing)
    for more in ((), ("--header",)):
        assert same(capsys, "changes", path, "--spec", "db2_log", "--include", "all", *known, *more)


def test_they_go_by_the_column(log: dict[str, Any]) -> None:
    given = Options.parse({"control": log["control"], "include": "all", "header": True})
    found = open_changes(log["path"], given)
    assert lines.change_reader(found, json_texts.LINES) is not None
    assert not lines.lines_refusal(open_file(log["path"], Options.parse({"framing": "rdw"})))


def test_a_wrong_value_is_found(
    log: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    values = json_texts.values
    monkeypatch.setattr(json_texts, "_floats", lambda array: values(array.cast("int64", safe=False)))
    code, _, err = printed(capsys, "check", "changes", *of(log), "--include", "all")
    assert (code, "LMP-S006" in err) == (24, True)
    assert "by the parser" in err


@pytest.mark.parametrize("text", ["a\x7fb", "\x85", "\u202e", "\u2028", "\ufeff", "\U0001f600\u00a0"])
def test_text_that_controls_a_terminal(text: str) -> None:
    rows = [{"a": "plain"}, {"a": text}, {"a": "é"}]
    made = json_texts.joined(
        [json_texts.objects({"a": pa.array([row["a"] for row in rows])}, len(rows)), "\n"], len(rows)
    )
    assert json_texts.harmless(made).to_pylist() == [json_texts.json_line(row).decode() for row in rows]
