"""Records without descriptor words end where SEGLEN says, if it is the length of the record; others are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.fields import key
from writers.bmc.rows import Column

import lmparse
from lmparse.errors import DataError

TABLES = [Table(0x105, 2, 3, "PROD", "T", (Column("K", "INT", 4),), sysid=system) for system in ("DB2A", "DB2B")]
PAYLOADS = ["CO", "CM", "SC", "DT", "DR"]


def fields_of(number: int, change_type: str, table: Table) -> dict[str, Any]:
    position = f"{0x12345001 + number:020X}"
    fields = dict(
        table.header_fields, changetype=change_type, logrba=position, loglrsn=position, memberid=0,
        uorid=f"{0x12345000:020X}", uorcommitpoint=f"{0x22345000:020X}",
    )  # fmt: skip
    return {key(name): value for name, value in fields.items()}


def record(number: int, change_type: str, table: Table = TABLES[0], **stated: int) -> bytes:
    given = fields_of(number, change_type, table)
    images = [number.to_bytes(4, "big")] if change_type == "I" else ["some text"]
    return lldf.record(lldf.data_area(change_type, images), **given, **stated)


def read(folder: Path, records: list[bytes], **options: Any) -> Any:
    (folder / "a.dat").write_bytes(framing.glued(records))
    told = {"ddlobjects": "Y", "cmdsincluded": "Y"}
    (folder / "a.ctl").write_bytes(framing.rdw(control.for_tables(TABLES, dlds_fields=told)))
    return lmparse.open_log(
        folder / "a.dat", control=folder / "a.ctl", framing="glued", **{"include": "all", **options}
    )


def sizes(opened: Any) -> list[int]:
    return [change["_metadata"]["record_length"] for change in opened.changes()]


@pytest.mark.parametrize("change_type", PAYLOADS)
def test_records_are_cut_by_seglen(change_type: str, tmp_path: Path) -> None:
    kinds = ["I", change_type, change_type, "I"]
    records = [record(number, kind, TABLES[number % 2]) for number, kind in enumerate(kinds)]
    assert sizes(read(tmp_path, records)) == [len(one) for one in records]


@pytest.mark.parametrize("records", [1, 3])
@pytest.mark.parametrize("counts", ["nothing", "record and word", "DATA"])
def test_records_whose_seglen_is_not_their_length_are_refused(counts: str, records: int, tmp_path: Path) -> None:
    length = len(record(0, "I"))
    seg_len = {"nothing": 0, "record and word": length + 4, "DATA": length - lldf.HEADER_LENGTH}[counts]
    opened = read(tmp_path, [record(number, "I", seglen=seg_len) for number in range(records)])
    with pytest.raises(DataError) as caught:
        list(opened.changes())
    code = "LMP-F006" if (counts, records) == ("record and word", 1) else "LMP-F005"
    assert (caught.value.code, caught.value.record_index) == (code, 0)
    assert caught.value.hint == "transfer the file with its record descriptor words (RDW)"


@pytest.mark.parametrize("system", [0, 1])
@pytest.mark.parametrize("change_type", ["I", "CO"])
def test_a_record_that_ends_inside_its_header_does_not_take_the_next_one(
    change_type: str, system: int, tmp_path: Path
) -> None:
    """Its SEGLEN would be read from the next one."""
    tables = [TABLES[0], TABLES[0], TABLES[system], TABLES[0]]
    whole = [record(number, change_type, table) for number, table in enumerate(tables)]
    for end in range(6, lldf.HEADER_LENGTH, 7):
        opened = read(tmp_path, [whole[0], whole[1][:end], *whole[2:]])
        with pytest.raises(DataError) as caught:
            list(opened.changes())
        assert (caught.value.code, caught.value.record_index) == ("LMP-F005", 1), end


def test_a_seglen_that_leads_behind_another_record_is_an_error(tmp_path: Path) -> None:
    behind = record(2, "I")
    longer = record(1, "CO", seglen=len(record(1, "CO")) + len(behind))
    opened = read(tmp_path, [record(0, "I"), longer, behind, record(3, "I")])
    with pytest.raises(DataError) as caught:
        list(opened.changes())
    assert (caught.value.code, caught.value.record_index) == ("LMP-F005", 1)


@pytest.mark.parametrize("bit", range(16))
def test_a_damaged_seglen_loses_no_record_unsaid(bit: int, tmp_path: Path) -> None:
    lengths = [len(record(0, "CO"))] * 4
    records = [record(number, "CO", seglen=lengths[0] ^ (1 << bit) * (number == 1)) for number in range(4)]
    with pytest.raises(DataError) as caught:
        list(read(tmp_path, records).changes())
    assert (caught.value.code, caught.value.record_index) == ("LMP-F005", 1)
