"""Errors, their codes, options, and what the package exports."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import lmparse
from lmparse import error_catalogue, errors
from lmparse.options import DB2_FRAMINGS, FRAMINGS, Options
from lmparse.spelling import camel

ROOT = Path(__file__).parents[2]
ERRORS = sorted(
    (value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, lmparse.LmparseError)),
    key=lambda error: error.__name__,
)
DATA_ERRORS = [error for error in ERRORS if issubclass(error, errors.DataError)]
EVERYTHING: dict[str, Any] = {
    "code": "LMP-V003",
    "file": "a.bin",
    "record_index": 17,
    "record_offset": 0x4C10,
    "field": "length",
    "field_offset": 0,
    "expected": "at least 277",
    "found": "12",
    "hex": "000C",
    "spec": "bmc_lldf",
    "doc_ref": "a page",
    "hint": "look there",
}


# errors


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_survives_pickle(kind: type[errors.LmparseError], protocol: int) -> None:
    given = EVERYTHING if issubclass(kind, errors.DataError) else {"code": "LMP-S002", "hint": "look there"}
    error = kind("something", **given)
    error.add_note("seen in a test")
    again = pickle.loads(pickle.dumps(error, protocol))
    assert type(again) is kind
    assert vars(again) == vars(error)
    assert (again.message, again.code, again.hint, again.args) == (error.message, error.code, error.hint, error.args)
    assert str(again) == str(error)
    if isinstance(error, errors.DataError):
        assert again.to_dict() == error.to_dict()


def test_the_tree_is_the_one_promised() -> None:
    assert {error.__name__: {base.__name__ for base in error.__mro__[1:-1]} - {"object"} for error in ERRORS} == {
        "LmparseError": {"Exception", "BaseException"},
        "DataError": {"LmparseError", "Exception", "BaseException"},
        "FramingError": {"DataError", "LmparseError", "Exception", "BaseException"},
        "TruncatedError": {"FramingError", "DataError", "LmparseError", "EOFError", "Exception", "BaseException"},
        "LeftoverError": {"FramingError", "DataError", "LmparseError", "Exception", "BaseException"},
        "ReadError": {"LmparseError", "Exception", "BaseException"},
        "RecordError": {"DataError", "LmparseError", "Exception", "BaseException"},
        "InvalidValueError": {"DataError", "LmparseError", "ValueError", "Exception", "BaseException"},
        "ControlError": {"DataError", "LmparseError", "Exception", "BaseException"},
        "LimitError": {"DataError", "LmparseError", "Exception", "BaseException"},
        "FileLimitError": {"LimitError", "FramingError", "DataError", "LmparseError", "Exception", "BaseException"},
        "NotInstalledError": {"OptionError", "LmparseError", "ValueError", "ImportError", "Exception", "BaseException"},
        "OptionError": {"LmparseError", "ValueError", "Exception", "BaseException"},
        "TableNotFoundError": {"OptionError", "LmparseError", "ValueError", "Exception", "BaseException"},
        "EngineDifferenceError": {"LmparseError", "Exception", "BaseException"},
        "UnknownFormatError": {"LmparseError", "LookupError", "Exception", "BaseException"},
    }


def test_the_grammar_of_messages() -> None:
    error = errors.InvalidValueError(**EVERYTHING)
    assert str(error) == "a.bin: record 17 at 0x4c10: bmc_lldf.length: expected at least 277, found 12 [LMP-V003]"


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ({}, "below the smallest value [LMP-V003]"),
        ({"message": "is odd"}, "is odd [LMP-V003]"),
        ({"expected": "4"}, "expected 4 [LMP-V003]"),
        ({"expected": "4", "found": "5"}, "expected 4, found 5 [LMP-V003]"),
        ({"message": "is odd", "expected": "4", "found": "5"}, "is odd: expected 4, found 5 [LMP-V003]"),
        ({"found": "5"}, "below the smallest value: found 5 [LMP-V003]"),
        ({"file": "a.bin"}, "a.bin: below the smallest value [LMP-V003]"),
        ({"record_index": 0}, "record 0: below the smallest value [LMP-V003]"),
        ({"record_index": 0, "record_offset": 4}, "record 0 at 0x4: below the smallest value [LMP-V003]"),
        ({"record_offset": 4}, "at 0x4: below the smallest value [LMP-V003]"),
        ({"spec": "bmc_dlci"}, "bmc_dlci: below the smallest value [LMP-V003]"),
        ({"field": "dbid"}, "dbid: below the smallest value [LMP-V003]"),
        ({"spec": "bmc_dlci", "field": "dbid"}, "bmc_dlci.dbid: below the smallest value [LMP-V003]"),
    ],
)
def test_the_grammar_leaves_out_what_is_not_known(known: dict[str, Any], text: str) -> None:
    message = known.pop("message", "")
    assert str(errors.InvalidValueError(message, code="LMP-V003", **known)) == text


@pytest.mark.parametrize("kind", DATA_ERRORS, ids=lambda kind: kind.__name__)
def test_at_fills_in_what_is_not_known_and_nothing_else(kind: type[errors.DataError]) -> None:
    error = kind("x", code="LMP-R001", record_index=0, field="")
    assert error.at(file="b", record_index=5, record_offset=9, field="other") is error
    assert (error.file, error.record_index, error.record_offset, error.field) == ("b", 0, 9, "")
    assert error.at(file="c").file == "b"


@pytest.mark.parametrize("kind", DATA_ERRORS, ids=lambda kind: kind.__name__)
def test_to_dict_is_the_error_object_of_every_edge(kind: type[errors.DataError]) -> None:
    shown = kind("something", **EVERYTHING).to_dict()
    assert list(shown) == [
        *("code", "message", "file", "record_index", "record_offset", "field", "field_offset", "expected", "found"),
        *("hex", "spec", "doc_ref", "hint"),
    ]
    assert shown == {**EVERYTHING, "message": "something: expected at least 277, found 12"}


# codes


def used_codes() -> set[str]:
    """Codes in the library's source, but for the catalogue itself."""
    sources = [path for path in (ROOT / "lmparse").rglob("*.py") if path.name != "error_catalogue.py"]
    assert len(sources) > 20
    return {code for path in sources for code in re.findall(r"LMP-[FRVCLS]\d{3}", path.read_text())}


def test_every_code_used_is_in_the_catalogue() -> None:
    assert used_codes() - set(error_catalogue.CATALOGUE) == set()


def test_every_code_of_the_catalogue_is_used() -> None:
    assert set(error_catalogue.CATALOGUE) - used_codes() == set()


def test_codes_stand_in_order_and_belong_to_a_family() -> None:
    codes = list(error_catalogue.CATALOGUE)
    order = list(error_catalogue.FAMILIES)
    assert codes == sorted(codes, key=lambda code: (order.index(code[4]), code))
    assert all(re.fullmatch(r"LMP-[FRVCLS]\d{3}", code) for code in codes)


def test_every_code_has_cause_and_cure_in_sentences() -> None:
    for code, cause in error_catalogue.CATALOGUE.items():
        assert cause.title, code
        assert not cause.title.endswith("."), code
        assert cause.cause.endswith("."), code
        assert cause.cure.endswith("."), code


def test_the_page_of_codes_is_up_to_date() -> None:
    page = (ROOT / "docs" / "errors.md").read_text()
    assert page == error_catalogue.page(), "docs/errors.md is stale: make pages"
    for code in error_catalogue.CATALOGUE:
        assert page.count(f"### {code}\n") == 1


# options


NAMES = [entry.name for entry in dataclasses.fields(Options)]


@pytest.mark.parametrize("name", [name for name in NAMES if "_" in name])
def test_names_may_be_spelled_in_any_way(name: str) -> None:
    kinds = {entry.name: entry.metadata for entry in dataclasses.fields(Options)}
    text = "2" if kinds[name]["kind"] is int else (kinds[name]["values"] or ("true",))[-1]
    text = {"seq": "A" * 72, "after": "A" * 72, "timestamp": "2026-03-14T10:11:12"}.get(name.rpartition("_")[2], text)
    snake = Options.parse({name: text})
    assert snake != Options()
    for spelling in (camel(name), name.replace("_", "-"), name.upper(), camel(name).lower(), name.title()):
        assert Options.parse({spelling: text}) == snake


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("framming", "framing"),
        ("recordLenght", "recordLength"),
        ("record-len", "recordLength"),
        ("cntrol", "control"),
        ("codepages", "codePage"),
        ("rowImage", "rowImages"),
        ("colums", "columns"),
        ("tableVersions", "tableVersion"),
    ],
)
def test_an_unknown_name_names_the_nearest_one(name: str, nearest: str) -> None:
    with pytest.raises(lmparse.OptionError) as caught:
        Options.parse({name: "x"})
    error = caught.value
    assert (error.code, error.hint) == ("LMP-S002", f"did you mean {nearest}?")
    assert str(error) == f"there is no option {name!r}; did you mean {nearest}? [LMP-S002]"


def test_names_of_the_caller_are_passed_over() -> None:
    assert Options.parse({"PATH": "x", "max-bytes": 1}, known=("path", "maxBytes")) == Options()


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("framing", "ftp", "one of auto, " + ", ".join((*FRAMINGS, *DB2_FRAMINGS))),
        ("framing", "", "one of auto, " + ", ".join((*FRAMINGS, *DB2_FRAMINGS))),
        ("mode", "strict", "one of permissive, dropmalformed, failfast"),
        ("floats", "ibm", "one of hfp, ieee"),
        ("include", "committed,lost", "one of committed, rolled-back, open, incomplete, all"),
        ("operations", "I,Q", "one of I, U, D, M, T, X, S, C, O"),
        ("recordLength", "0", "a whole number above zero"),
        ("recordLength", "-1", "a whole number above zero"),
        ("recordLength", "ten", "a whole number above zero"),
        ("recordLength", "1.5", "a whole number above zero"),
        ("recordLength", "²", "a whole number above zero"),
        ("tableVersion", "", "a whole number above zero"),
        ("header", "maybe", "true or false"),
        ("trim", "", "true or false"),
        ("order", "random", "one of file, commit"),
    ],
)
def test_a_value_that_cannot_be_is_an_error_with_a_hint(name: str, value: str, hint: str) -> None:
    with pytest.raises(lmparse.OptionError) as caught:
        Options.parse({name: value})
    assert (caught.value.code, caught.value.hint) == ("LMP-S003", hint)
    assert caught.value.message.startswith(f"{name} has no value")


@pytest.mark.parametrize(
    ("given", "parsed"),
    [
        ({"framing": "BDW_VBS"}, {"framing": "bdw-vbs"}),
        ({"mode": "PERMISSIVE"}, {"mode": "permissive"}),
        ({"include": "Rolled-Back, open"}, {"include": ("rolled-back", "open")}),
        ({"include": ["all"]}, {"include": ("all",)}),
        ({"operations": "i,,u"}, {"operations": ("I", "U")}),
        ({"columns": " A , b "}, {"columns": ("A", "b")}),
        ({"header": "TRUE"}, {"header": True}),
        ({"header": True}, {"header": True}),
        ({"trim": "no"}, {"trim": False}),
        ({"record_length": "80"}, {"record_length": 80}),
        ({"record_length": 80}, {"record_length": 80}),
        ({"control": Path("a.ctl")}, {"control": "a.ctl"}),
        ({"code_page": 1047}, {"code_page": "1047"}),
    ],
)
def test_values_may_be_text_or_typed(given: dict[str, Any], parsed: dict[str, Any]) -> None:
    assert Options.parse(given) == Options(**parsed)


@pytest.mark.parametrize("call", [lmparse.open_log, lmparse.parse])
def test_every_edge_refuses_an_unknown_option(call: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    path.write_bytes(b"")
    given = (path,) if call is lmparse.open_log else (b"", "bmc_lldf")
    with pytest.raises(lmparse.OptionError, match="did you mean"):
        call(*given, framming="rdw")


# specs by name


def test_an_unknown_spec_names_the_nearest_ones() -> None:
    with pytest.raises(lmparse.UnknownFormatError) as caught:
        lmparse.parse(b"", "bmc_dcli")
    assert caught.value.code == "LMP-S001"
    assert "bmc_dlci" in (caught.value.hint or "")


def test_a_spec_that_needs_parameters_says_which() -> None:
    with pytest.raises(lmparse.OptionError, match="storages, widths") as caught:
        lmparse.parse(b"", "bmc_row_image")
    assert caught.value.code == "LMP-S004"


# exports


def test_all_is_sorted_and_complete() -> None:
    assert lmparse.__all__ == sorted(lmparse.__all__)
    values = {name: value for name, value in vars(lmparse).items() if not name.startswith("_")}
    exported = {name for name, value in values.items() if getattr(value, "__module__", "").startswith("lmparse")}
    assert set(lmparse.__all__) == exported | lmparse._HOMES.keys()
    assert all(getattr(lmparse, name).__name__ == name for name in lmparse._HOMES)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lmparse.nothing  # type: ignore[attr-defined]
    assert all(getattr(lmparse, error.__name__) is error for error in ERRORS)
    assert {error.__name__ for error in ERRORS} <= set(lmparse.__all__)


# numbers
