"""The option `decisions`: its text, and the errors that name the nearest name and value."""

from __future__ import annotations

import pytest

import lmparse
from lmparse.logs.families import check_fits, read_options
from lmparse.spec import catalog


def test_names_and_values_in_any_spelling() -> None:
    options = read_options({"decisions": " Null-Bytes=ABSENT, decLength=precision"})
    assert options.decisions == "null_bytes=absent,dec_length=precision"
    assert [options.decision(name) for name in ("null_bytes", "graphic_length")] == ["absent", "auto"]
    assert read_options({"decisions": options.decisions}) == options


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("null_byte=absent", "there is no decision 'null_byte'", "did you mean null_bytes?"),
        ("null_bytes=absen", "null_bytes has no value 'absen'", "did you mean absent?"),
        ("xyz=1", "there is no decision 'xyz'", "one of null_bytes, dec_length, graphic_length, lob_columns_from"),
        ("null_bytes", "decisions has no value 'null_bytes'", "NAME=VALUE; names: null_bytes, "),
        ("lob_columns_from=1,lob_columns_from=0", "lob_columns_from is given twice", "leave one of them out"),
    ],
)
def test_what_is_not_known_is_an_error(text: str, message: str, hint: str) -> None:
    with pytest.raises(lmparse.OptionError, match=message) as caught:
        read_options({"decisions": text})
    assert (caught.value.hint or "").startswith(hint)


def test_a_decision_of_another_family_is_refused() -> None:
    with pytest.raises(lmparse.OptionError, match="null_bytes does not apply to records of db2_log"):
        check_fits(read_options({"decisions": "null_bytes=absent"}), catalog.load("db2_log"))
