"""Records and logs opened from Python."""

from __future__ import annotations

import pytest

import lmparse
from lmparse.errors import OptionError


@pytest.mark.parametrize(
    ("option", "value"),
    [("byte_order", "little"), ("generation", "v10"), ("tables", "x.yaml")],
)
def test_one_record_takes_no_option_of_another_family(option: str, value: str) -> None:
    with pytest.raises(OptionError, match="does not apply to records of bmc_lldf") as caught:
        lmparse.parse(b"", "bmc_lldf", **{option: value})
    assert caught.value.code == "LMP-S003"
