"""What programs give of a wrong type is a TypeError that names the argument; a wrong value is an LmparseError.

Nothing is made of it in between: no file is looked for under the name `None`, and no folder is made that is called
`['']`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import framing, logs

import lmparse
from lmparse import spark

NO_PATHS: dict[str, Any] = {
    "None": None, "number": 5, "float": 5.5, "true": True, "bytes": b"a.dat", "buffer": bytearray(b"a.dat"),
    "open file": io.BytesIO(b"a.dat"), "dict": {"a.dat": 1}, "set": {"a.dat"}, "object": object(),
    "iterator": iter(["a.dat"]),
}  # fmt: skip
NO_LISTS: dict[str, Any] = {"None in it": [None], "number in it": [5], "bytes in it": [b"x"], "range": range(3)}
NO_VALUES: dict[str, Any] = {"empty": "", "NUL": "a\0b", "half a character": "\ud800", "long": "x" * 5000}


EXAMPLE = logs.example()


def changed(path: Any, **options: Any) -> Any:
    return list(lmparse.open_log(path, **options).changes())


def landed(path: Any) -> Any:
    return lmparse.land(path, "lake", as_="parquet")


ONE_PATH: dict[str, Callable[[Any], Any]] = {
    "read_table": lmparse.read_table, "sniff": lmparse.sniff, "explain": lmparse.explain,
    "land to": lambda given: lmparse.land("a.dat", given, as_="parquet"),
    "parse spec": lambda given: lmparse.parse(b"x", given),
    "spark.read_records": lambda given: spark.read_records(None, given),  # type: ignore[arg-type]
    "spark.read_changes": lambda given: spark.read_changes(None, given),  # type: ignore[arg-type]
    "spark.write_parquet": lambda given: spark.write_parquet(None, given, "out"),  # type: ignore[arg-type]
    "spark.parse spec": lambda given: spark.parse(None, given),  # type: ignore[arg-type]
}  # fmt: skip
SEVERAL_PATHS: dict[str, Callable[[Any], Any]] = {
    "open_log": lmparse.open_log, "changes": changed, "read_changes": lmparse.read_changes,
    "summary": lmparse.summary, "land": landed,
    "spark.land": lambda given: spark.land(None, given, "lake", as_="parquet"),  # type: ignore[arg-type]
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a log in it."""
    (tmp_path / "a.dat").write_bytes(framing.rdw(EXAMPLE.data_records))
    (tmp_path / "a.ctl").write_bytes(framing.rdw(EXAMPLE.control_records))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("function", [*ONE_PATH, *SEVERAL_PATHS])
def test_what_is_not_a_path_is_a_type_error(function: str, folder: Path) -> None:
    for given in {**NO_PATHS, **NO_LISTS}.values():
        with pytest.raises(
            TypeError, match=r"^(path|logs|to|spec) is a text(, a Path, or a list of these| or a Path), and "
        ):
            {**ONE_PATH, **SEVERAL_PATHS}[function](given)
    assert sorted(path.name for path in folder.iterdir()) == ["a.ctl", "a.dat"]


@pytest.mark.parametrize("function", [*ONE_PATH, *SEVERAL_PATHS])
@pytest.mark.parametrize("kind", NO_VALUES)
def test_a_text_that_is_not_a_path_is_an_error_with_a_code(function: str, kind: str, folder: Path) -> None:
    with pytest.raises(lmparse.LmparseError, match=r"\[LMP-[FSC]\d{3}\]"):
        {**ONE_PATH, **SEVERAL_PATHS}[function](NO_VALUES[kind])


@pytest.mark.parametrize("function", SEVERAL_PATHS)
def test_no_file_at_all_is_an_error_with_a_code(function: str) -> None:
    with pytest.raises(lmparse.OptionError, match=r"^(path|logs) has no value \[\] \[LMP-S003\]"):
        SEVERAL_PATHS[function]([])


@pytest.mark.parametrize("raw", [None, 5, "x", [1], Path("a.dat"), io.BytesIO(b"x")])
def test_a_record_is_bytes(raw: Any) -> None:
    with pytest.raises(TypeError, match=r"^raw is the bytes of one record, and "):
        lmparse.parse(raw, "bmc_lldf")
    with pytest.raises(TypeError, match=r"^limits is "):
        lmparse.sniff("a.dat", raw)


@pytest.mark.parametrize("given", [None, 0, 1, "false", []])
def test_what_is_true_or_false_is_no_text(given: Any, folder: Path) -> None:
    for call in (
        lambda: lmparse.read_changes("a.dat", metadata=given),
        lambda: lmparse.read_table("a.dat", metadata=given),
        lambda: lmparse.land("a.dat", "lake", current=given),
        lambda: spark.parse(None, "bmc_lldf", objects=given),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match=r"^(metadata|current|objects) is True or False, and "):
            call()
    assert not (folder / "lake").exists()


TEXTS = ("spec", "control", "tables", "code_page", "table", "source_time_zone", "record_length_field", "checkpoint")
NO_OPTION = {
    **dict.fromkeys(TEXTS, (b"x", 5.5, True, [1], {"a": 1}, "", " ")),
    **dict.fromkeys(("framing", "mode", "engine", "envelope", "order"), (b"rdw", True, ["rdw"], "", 5)),
    **dict.fromkeys(("record_length", "rdw_adjustment", "table_version"), (b"5", 5.5, True, [5], "", "five")),
    **dict.fromkeys(("header", "trim", "rdw_includes_header"), (b"true", 5, [True], "", "perhaps")),
    **dict.fromkeys(("columns", "include", "operations"), (b"op", 5, [5], {"a": 1}, "", ",", True)),
    **dict.fromkeys(("starting_seq", "starting_timestamp"), (b"F", 5, ["F"], "", True, ",")),
    "limits": (b"recordBytes=1", 5, ["recordBytes=1"], True, ",", " "),
}


@pytest.mark.parametrize("option", NO_OPTION)
def test_an_option_of_a_wrong_type_is_an_error_with_its_name(option: str) -> None:
    """Options are texts in the shell and in Spark, so what they cannot be is one error everywhere: LMP-S003."""
    words = option.split("_")
    named = words[0] + "".join(map(str.capitalize, words[1:]))
    for value in (*NO_OPTION[option], "\ud800", "a\0b"):
        with pytest.raises(lmparse.OptionError, match=rf"^{re.escape(named)} has no value ") as caught:
            lmparse.open_log("a.dat", **{option: value})
        assert caught.value.code == "LMP-S003"


def test_a_path_is_taken_as_a_text_is(folder: Path) -> None:
    place = str(folder / "a.dat")
    assert changed(folder / "a.dat", control=folder / "a.ctl") == changed(place, control=str(folder / "a.ctl")) != []
