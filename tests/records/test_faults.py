"""Errors of records can be written to every output, whatever the record has."""

from __future__ import annotations

from pathlib import Path

import pytest
from spec.test_budgets import built

from lmparse import cli
from lmparse.errors import DataError

RECORD = b"+2AA-"
VALID = ("'\"abc\"'", "{any-of: ['\"abc\"']}", "{min: '\"\U0001f600\"'}", "{max: '\"abc\"'}", '{expr: _ == "a"}')


@pytest.mark.parametrize("valid", [*VALID, "{eq: u}"])
def test_half_of_a_surrogate_pair_is_shown_by_its_number(tmp_path: Path, valid: str) -> None:
    other = "{id: u, type: str, size: 5, encoding: utf-7}"
    text = f"seq: [{other}, {{id: t, type: str, size: 5, encoding: utf-7, valid: {valid}}}]\n"
    reader = built(tmp_path, text)
    record = RECORD + (b"+2AE-" if valid == "{eq: u}" else RECORD)
    with pytest.raises(DataError) as caught:
        reader.read(record)
    assert caught.value.field == "t"
    assert "\\ud8" in str(caught.value)
    str(caught.value).encode()
    (tmp_path / "log").write_bytes(record)
    options = ["--framing", "fixed", "--record-length", "10", "--mode", "permissive"]
    for name in ("out.parquet", "out.csv", "out.arrow", "out.jsonl"):
        out = str(tmp_path / name)
        assert cli.main(["convert", str(tmp_path / "log"), out, "--spec", f"{tmp_path}/out/acme_a", *options]) in (
            0,
            20,
        )
