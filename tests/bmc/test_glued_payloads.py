"""Records without row images in framing glued: no manual describes their payload, and what is behind it stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.fields import key
from writers.bmc.rows import Column

import lmparse
from lmparse.bmc.change_record import table_places
from lmparse.errors import DataError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes

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


# What SEGLEN counts is not stated; with none, the next header of the same system is where a record ends.
SEG_LENS = {"the record": 0, "and its word": 4, "DATA": -lldf.HEADER_LENGTH}


@pytest.mark.parametrize("change_type", PAYLOADS)
@pytest.mark.parametrize("meaning", [*SEG_LENS, "nothing"])
def test_sound_records_are_cut_whatever_seglen_counts(change_type: str, meaning: str, tmp_path: Path) -> None:
    length = len(record(0, change_type))
    seglen = length + SEG_LENS[meaning] if meaning in SEG_LENS else 0
    records = [record(0, change_type, seglen=seglen), record(1, "I"), record(2, change_type, seglen=seglen)]
    opened = read(tmp_path, records)
    assert sizes(opened) == list(map(len, records))
    assert opened.tally.errors == []


@pytest.mark.parametrize("change_type", ["CO", "DT"])
@pytest.mark.parametrize("byte", range(8))
def test_a_record_with_a_damaged_header_is_not_taken_into_the_payload_before_it(
    change_type: str, byte: int, tmp_path: Path
) -> None:
    """Either it is a change, as in other framings, or there is an error."""
    records = [record(0, change_type), record(1, "I"), record(2, "I")]
    for bit in range(8):
        damaged = bytearray(records[1])
        damaged[byte] ^= 1 << bit
        opened = read(tmp_path, [records[0], bytes(damaged), records[2]])
        try:
            found = sizes(opened)
        except DataError:
            continue
        assert found == list(map(len, records)) or opened.tally.errors, (bit, found)


@pytest.mark.parametrize("seg_len", ["record", "word", "data"])
def test_segments_are_cut_whatever_seglen_counts(seg_len: Any, tmp_path: Path) -> None:
    whole = record(1, "I")
    segments = lldf.segmented(fields_of(1, "I", TABLES[0]), whole[lldf.HEADER_LENGTH :], 3, seg_len=seg_len)
    assert len(segments) > 2
    opened = read(tmp_path, [*segments, record(2, "I"), record(3, "CO")])
    assert [change["op"] for change in opened.changes()] == ["I", "I", "O"]
    assert opened.tally.errors == []


@pytest.mark.parametrize("seglen", [None, 0])
def test_records_of_two_systems_are_told_apart(seglen: int | None, tmp_path: Path) -> None:
    kinds = [("CO", 0), ("I", 1), ("CO", 0), ("I", 1), ("I", 0), ("CO", 1), ("I", 0), ("CO", 0)]
    stated = {} if seglen is None else {"seglen": seglen}
    records = [record(number, kind, TABLES[table], **stated) for number, (kind, table) in enumerate(kinds)]
    assert sizes(read(tmp_path, records)) == list(map(len, records))


@pytest.mark.parametrize("system", [0, 1])
@pytest.mark.parametrize("change_type", ["I", "CO"])
def test_a_record_that_ends_inside_its_header_does_not_take_the_next_one(
    change_type: str, system: int, tmp_path: Path
) -> None:
    """Its SEGLEN, halfwords and change type would be read from the next one."""
    tables = [TABLES[0], TABLES[0], TABLES[system], TABLES[0]]
    whole = [record(number, change_type, table) for number, table in enumerate(tables)]
    cut = record(1, change_type)
    for end in range(6, lldf.HEADER_LENGTH):
        opened = read(tmp_path, [whole[0], cut[:end], *whole[2:]])
        with pytest.raises(DataError) as caught:
            list(opened.changes())
        assert (caught.value.code, caught.value.record_index) == ("LMP-F005", 1), end
        assert str(end) in (caught.value.found or "")


@pytest.mark.parametrize("system", [0, 1])
@pytest.mark.parametrize("total", [1, 2])
def test_a_seglen_that_leads_behind_another_record_is_an_error(total: int, system: int, tmp_path: Path) -> None:
    stated = [{"totalsegs": total, "segnum": number % 2} for number in range(2)] if total > 1 else [{}]
    segments = [record(1, "CO", **one) for one in stated]
    behind = record(2, "I", TABLES[system])
    segments = [record(1, "CO", **one, seglen=len(raw)) for one, raw in zip(stated, segments, strict=True)]
    opened = read(tmp_path, [record(0, "I"), *segments, behind, record(3, "I")])
    assert len(list(opened.changes())) == 4
    longer = record(1, "CO", **stated[-1], seglen=len(segments[-1]) + len(behind))
    opened = read(tmp_path, [record(0, "I"), *segments[:-1], longer, behind, record(3, "I")])
    with pytest.raises(DataError, match="SEGLEN leads behind another record") as caught:
        list(opened.changes())
    assert caught.value.code == "LMP-F005"


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
@pytest.mark.parametrize("system", [0, 1])
@pytest.mark.parametrize("segments", [1, 2])
def test_a_row_image_that_leads_behind_another_record_is_an_error_though_its_change_is_not_wanted(
    segments: int, system: int, engine: str, tmp_path: Path
) -> None:
    """Nothing decodes the change, so that only the cut can show it; the record behind it is wanted."""
    whole = record(1, "I")
    data = whole[lldf.HEADER_LENGTH :]
    behind = record(2, "I", TABLES[system])
    longer = (int.from_bytes(data[:2], "big") + len(behind)).to_bytes(2, "big")
    if segments > 1:
        pieces = lldf.segmented(fields_of(1, "I", TABLES[0]), data, len(data) - 2)
        assert len(pieces) == 2
        place, width = table_places(["seg_len"])["seg_len"]
        stated = int.from_bytes(pieces[1][place : place + width], "big") + len(behind)
        damaged = [pieces[0], pieces[1][:place] + stated.to_bytes(width, "big") + pieces[1][place + width :]]
    else:
        pieces, damaged = [whole], [whole[: lldf.HEADER_LENGTH] + longer + data[2:]]
    wanted = {"operations": "D", "engine": engine}
    sound = read(tmp_path, [record(0, "I"), *pieces, behind, record(3, "I")], **wanted)
    assert not len(sound.to_table())
    opened = read(tmp_path, [record(0, "I"), *damaged, behind, record(3, "I")], **wanted)
    with pytest.raises(DataError, match=r"(SEGLEN|a length in DATA) leads behind another record") as caught:
        opened.to_table()
    assert (caught.value.code, caught.value.record_index) == ("LMP-F005", segments)


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
@pytest.mark.parametrize("kind", ["CO", "SC", "I"])
@pytest.mark.parametrize("system", [0, 1])
@pytest.mark.parametrize("stated", [{}, {"seglen": 0}])
def test_a_damaged_length_does_not_take_in_a_record_without_seglen(
    stated: dict[str, int], system: int, kind: str, engine: str, tmp_path: Path
) -> None:
    first, behind = record(0, "I", **stated), record(1, kind, TABLES[system], **stated)
    place = lldf.HEADER_LENGTH
    longer = (int.from_bytes(first[place : place + 2], "big") + len(behind)).to_bytes(2, "big")
    damaged = first[:place] + longer + first[place + 2 :]
    opened = read(tmp_path, [damaged, behind, record(2, "I", **stated)], operations="D", engine=engine)
    with pytest.raises(DataError, match="a length in DATA leads behind another record") as caught:
        opened.to_table()
    assert (caught.value.code, caught.value.record_index) == ("LMP-F005", 0)


MONITORED = Table(
    0x105, 2, 4, "PROD", "MON", sysid="DB2A",
    columns=(
        Column("IFCID", "INT", 2), Column("SSID", "CHAR", 4, subtype="S"), Column("TEXT", "CHAR", 170, subtype="S"),
        Column("N1", "INT", 8), Column("N2", "INT", 8), Column("MORE", "CHAR", 200, subtype="S"),
    ),
)  # fmt: skip


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
@pytest.mark.parametrize("seglen", [None, 0])
@pytest.mark.parametrize("reading", ["total", "inclusive", "exclusive"])
@pytest.mark.parametrize("system", ["DB2A", "DB2B"])
def test_a_row_that_looks_as_a_header_without_seglen_is_a_row(
    system: str, reading: Any, seglen: int | None, engine: str, tmp_path: Path
) -> None:
    """As a table of a monitor has it: a number, the subsystem, a text, and zeros where SEGLEN would be."""
    text = "PAYROLL BATCH JOB THAT ENDED WELL " * 8
    row = lldf.HEADER_LENGTH.to_bytes(2, "big") + system.encode("cp037") + text[:170].encode("cp037") + bytes(16)
    image = row + text[:200].encode("cp037")
    fields = {key(name): found for name, found in MONITORED.header_fields.items()}
    stated = {} if seglen is None else {"seglen": seglen}
    records = []
    for number, kind in enumerate(("I", "UB", "D")):
        data = lldf.data_area(kind, [image] * (2 if kind == "UB" else 1), reading)
        records.append(lldf.record(data, **{**fields_of(number, kind, TABLES[0]), **fields, **stated}))
    (tmp_path / "a.dat").write_bytes(framing.glued(records))
    (tmp_path / "a.ctl").write_bytes(framing.rdw(control.for_tables([*TABLES, MONITORED])))
    opened = lmparse.open_log(
        tmp_path / "a.dat",
        control=tmp_path / "a.ctl",
        framing="glued",
        engine=engine,
        include="all",
        row_images=reading,
    )
    found = opened.to_table().to_pylist()
    assert [row["op"] for row in found] == ["I", "U", "D"]
    assert [json.loads(row["after"] or row["before"])["SSID"] for row in found] == [system] * 3


TEXTS = Table(0x105, 2, 4, "PROD", "MESSAGES", (Column("V", "VCHR", 900),), sysid="DB2A")


@pytest.mark.parametrize("kind", ["I", "UB", "SC", "CM"])
@pytest.mark.parametrize("length", range(lldf.HEADER_LENGTH - 4, lldf.HEADER_LENGTH + 6))
def test_a_text_as_long_as_a_header_is_no_record(length: int, kind: str, tmp_path: Path) -> None:
    """Its length is then LENGTH, it begins as the name of a system, and has letters where a CHANGE TYPE would be."""
    text = "DB2A CREATED A TABLE WITH A LONG STATEMENT THAT SAYS ALL THINGS ".ljust(length, "X").encode("cp037")
    text = (text * 20)[:length]
    value = length.to_bytes(2, "big") + text
    images = [value, value] if kind == "UB" else [value]
    fields = {key(name): found for name, found in TEXTS.header_fields.items()}
    for data in (lldf.data_area(kind, images) if kind in ("I", "UB") else value, value + value):
        if data == value + value and kind in ("I", "UB"):
            continue
        long = lldf.record(data, **{**fields_of(1, kind, TABLES[0]), **fields, "changetype": kind})
        records = [record(0, "I"), long, record(2, "I", TABLES[1]), long]
        read(tmp_path, records)
        options = read_options({"control": str(tmp_path / "a.ctl"), "framing": "glued"})
        found = open_changes(str(tmp_path / "a.dat"), options).extents()
        assert [extent.length for extent in found] == list(map(len, records))
