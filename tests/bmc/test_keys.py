"""Keys of table versions: KEYSEQ of DLCI."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from writers.bmc import control, framing, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

from lmparse.bmc.control.control_file import read_control
from lmparse.bmc.control.tables import TableVersion, read_tables
from lmparse.logs.check import account
from lmparse.options import Options
from lmparse.values import codepages

COLUMNS = (Column("A", "INT", 4), Column("B", "CHAR", 6, subtype="S"), Column("C", "INT", 4, nulls="Y"))
CLAIM = "KEYSEQ numbers the columns of a key from 1 on"


def keyed(*places: int) -> Table:
    """A table whose columns have these values of KEYSEQ."""
    columns = (replace(column, key_seq=place) for column, place in zip(COLUMNS, places, strict=True))
    return Table(owner="PROD", name="T", columns=tuple(columns))


def version_of(tmp_path: Path, table: Table) -> TableVersion:
    path = tmp_path / "a.ctl"
    path.write_bytes(framing.rdw(control.for_tables([table], indexes=False)))
    (version,) = read_tables(read_control(path), codepages.lookup(37)).versions
    return version


def claim_of(tmp_path: Path, table: Table) -> tuple[str, list[str], list[str]]:
    """State, failures and reasons of the claim of keys."""
    version_of(tmp_path, table)
    (tmp_path / "a.dat").write_bytes(framing.rdw(logs.example().data_records))
    report = account(str(tmp_path / "a.dat"), Options.parse({"control": str(tmp_path / "a.ctl")}))
    (claim,) = [claim for claim in report.claims if claim.says == CLAIM]
    return claim.state, claim.failures, list(claim.untestable)


def test_key_from_keyseq_in_its_order(tmp_path: Path) -> None:
    version = version_of(tmp_path, keyed(2, 1, 0))
    assert (version.key, version.key_source) == (("B", "A"), "KEYSEQ of DLCI")


@pytest.mark.parametrize("places", [(0, 0, 0), (1, 3, 0), (1, 1, 0), (2, 0, 0)])
def test_keyseq_with_gaps_or_doubles_is_not_a_key(places: tuple[int, ...], tmp_path: Path) -> None:
    version = version_of(tmp_path, keyed(*places))
    assert (version.key, version.key_source) == ((), "")


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ((1, 3, 0), ("failed", ["DLCI.KEYSEQ of DB2A.0105.0002.0003 version 001 is 1, 3, not each number from 1 to 2 "
                                "once"], [])),
        ((3, 1, 2), ("passed", [], [])),
        ((0, 0, 0), ("not testable", [], ["no KEYSEQ says the key"])),
    ],
)  # fmt: skip
def test_check_says_whether_keyseq_numbers_a_key(
    places: tuple[int, ...], expected: tuple[str, list[str], list[str]], tmp_path: Path
) -> None:
    assert claim_of(tmp_path, keyed(*places)) == expected


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (Column("A", "INT", 2), "SMALLINT"),
        (Column("A", "INT", 8), "BIGINT"),
        (Column("A", "DEC", 9, 2), "DECIMAL(9,2)"),
        (Column("A", "FLOT", 4), "REAL"),
        (Column("A", "CHAR", 6, subtype="S"), "CHAR(6)"),
        (Column("A", "VCHR", 6, subtype="B"), "VARCHAR(6) FOR BIT DATA"),
        (Column("A", "GRPH", 4), "GRAPHIC(4)"),
        (Column("A", "VGRF", 10, nulls="Y"), "VARGRAPHIC(10)"),
        (Column("A", "DTTM", 26), "TIMESTAMP(6)"),
        (Column("A", "DTTM", 19), "TIMESTAMP(0)"),
        (Column("A", "DTTZ", 38), "TIMESTAMP(12) WITH TIME ZONE"),
        (Column("A", "CLOB", 1048576, nulls="L"), "CLOB"),
        (Column("A", "DECF", 8), "DECF"),
    ],
)
def test_types_in_sql_words(column: Column, words: str, tmp_path: Path) -> None:
    (found,) = version_of(tmp_path, Table(owner="PROD", name="T", columns=(column,))).columns
    assert found.sql_words == words
