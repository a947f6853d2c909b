"""Keys of table versions: KEYSEQ of DLCI, the indexes, and what contradicts what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import control, framing, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

from lmparse.bmc.control_file import read_control
from lmparse.bmc.tables import TableVersion, read_tables
from lmparse.logs.check import account
from lmparse.options import Options
from lmparse.values import codepages

COLUMNS = (Column("A", "INT", 4), Column("B", "CHAR", 6, subtype="S"), Column("C", "INT", 4, nulls="Y"))
IDS = {"SYSID": "DB2A", "DBID": 0x0105, "PSID": 1, "SEQUENCENUMBER": 1}
CLAIM = "the key that KEYSEQ says is that of an index of the table"


def keyed(*places: int) -> Table:
    """A table whose columns have these values of KEYSEQ."""
    columns = (replace(column, key_seq=place) for column, place in zip(COLUMNS, places, strict=True))
    return Table(owner="PROD", name="T", columns=tuple(columns))


def index(code: str, number: int, columns: Sequence[int], type_: str = "2", **given: Any) -> list[bytes]:
    """An index of the table, with a DICL record for each two columns."""
    made = control.dixi if code == "DIXI" else control.dcxi
    ids = IDS | {"PSID": number}
    fields = {"tbobid": Table().tbobid, "num_cols_in_key": len(columns), "type": type_, "ix_name": f"X{number}"}
    parts = [columns[start : start + 2] for start in range(0, len(columns), 2)]
    columns_ = [
        control.dicl([(column, "A") for column in part], **ids, IXCOLRECNUM=place)
        for place, part in enumerate(parts, 1)
    ]
    return [made(**ids, **fields | given), *reversed(columns_)]


def version_of(tmp_path: Path, table: Table, *records: bytes, **given: Any) -> TableVersion:
    path = tmp_path / "a.ctl"
    path.write_bytes(framing.rdw(control.for_tables([table], indexes=False, extra=records, **given)))
    (version,) = read_tables(read_control(path), codepages.lookup(37)).versions
    return version


def claim_of(tmp_path: Path, table: Table, *records: bytes) -> tuple[str, list[str], list[str]]:
    """State, failures and reasons of the claim of keys."""
    version_of(tmp_path, table, *records)
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


def test_no_key_is_guessed_from_an_index(tmp_path: Path) -> None:
    version = version_of(tmp_path, keyed(0, 0, 0), *index("DIXI", 1, [1], "U"))
    assert (version.key, version.key_source) == ((), "")


@pytest.mark.parametrize(
    ("places", "records", "failure"),
    [
        ((1, 3, 0), [], "DLCI.KEYSEQ of {} is 1, 3, not each number from 1 to 2 once"),
        ((1, 0, 0), index("DIXI", 1, [2]),
         "DLCI.KEYSEQ of {} says the key A, which no index has: DIXI index PROD.X1 has B"),
        ((1, 2, 0), index("DIXI", 1, [2, 1]),
         "DLCI.KEYSEQ of {} says the key A, B, which no index has: DIXI index PROD.X1 has B, A"),
        ((0, 0, 0), index("DIXI", 1, [1, 2], num_cols_in_key=3),
         "DIXI.NUMCOLSINKEY of PROD.X1 of {} is 3, but its DICL records have 2 columns"),
        ((0, 0, 0), index("DIXI", 1, [9]), "DICL.KEYCOL of PROD.X1 of {} is 9, which no DLCI record describes"),
    ],
)  # fmt: skip
def test_check_names_what_contradicts_the_key(
    places: tuple[int, ...], records: list[bytes], failure: str, tmp_path: Path
) -> None:
    state, failures, _ = claim_of(tmp_path, keyed(*places), *records)
    assert (state, failures) == ("failed", [failure.format("DB2A.0105.0002.0003 version 001")])


@pytest.mark.parametrize(
    ("places", "records", "reasons"),
    [
        ((1, 0, 0), index("DIXI", 1, [1]), []),
        ((3, 1, 2), index("DIXI", 1, [2, 3, 1]), []),
        ((1, 0, 0), [index("DIXI", 1, [1, 2])[0], control.dicl([(1, "A"), (2, "")], **IDS)], []),
        ((1, 0, 0), [*index("DIXI", 1, [2]), *index("DCXI", 2, [1])], []),
        ((1, 0, 0), [], ["no DIXI or DCXI record describes an index of the table"]),
        ((1, 0, 0), index("DCXI", 1, [2]), ["only the clustering index is described, and KEYSEQ is not its key"]),
        ((0, 0, 0), index("DIXI", 1, [2]), ["no KEYSEQ says the key"]),
    ],
)
def test_check_passes_a_key_that_an_index_has(
    places: tuple[int, ...], records: list[bytes], reasons: list[str], tmp_path: Path
) -> None:
    expected = ("not testable", [], reasons) if reasons else ("passed", [], [])
    assert claim_of(tmp_path, keyed(*places), *records) == expected


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
