"""Framing glued: values that look as headers are values, and behind damaged lengths each record is cut or an error.

What a value has inside is from a few bytes of a header up to whole records, of this system and of others, with SEGLEN
and without one, in logs that state SEGLEN and in logs that do not.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest
from writers.bmc import framing, lldf

from lmparse.bmc.record_detection import detection
from lmparse.errors import FramingError
from lmparse.framing.undelimited import Glued

SYSTEMS = ("DB2A", "DB2B", "PROD")
IMAGES = {"I": 1, "IL": 1, "D": 1, "UB": 2}
PAYLOADS = ("CO", "CM", "SC", "DT", "DR", "XX")
FEW, ONE, WHOLE = "a few bytes as of a header", "a header", "a record"
LOGS, DAMAGES = 40, 12


@dataclass(frozen=True)
class Form:
    """How a log is written."""

    size: int
    extra: bytes
    seg_len: str
    reading: Any
    systems: int
    is_segmented: bool

    @classmethod
    def some(cls, chance: random.Random) -> Form:
        seg_len = chance.choice(("record", "word", "data", "zero", "zero"))
        size = chance.choice((288, 288, 288, 287, 277))
        return cls(
            size, bytes(chance.choice((1, 8))) if size == 288 and chance.random() < 0.2 else b"", seg_len,
            chance.choice(("total", "total", "inclusive", "exclusive")), chance.choice((1, 2)),
            seg_len != "zero" and chance.random() < 0.4,
        )  # fmt: skip

    @property
    def length(self) -> int:
        return self.size + len(self.extra)

    def counted(self, data: int, seg_len: str | None = None) -> int:
        """SEGLEN of a record with so many bytes of DATA."""
        whole = self.length + data
        return {"record": whole, "word": whole + 4, "data": data, "zero": 0}[seg_len or self.seg_len]

    def header(self, number: int, system: str, change_type: str, **stated: int) -> bytes:
        position = f"{0x12345001 + number:020X}"
        fields = {"systemid": system, "changetype": change_type, "logrba": position, "loglrsn": position, **stated}
        return lldf.header(self.size, self.extra, **fields)


@dataclass
class Log:
    form: Form
    records: list[bytes]
    inside: set[str]
    """The most that a value has inside of what it looks like."""

    @property
    def lengths(self) -> list[int]:
        return [*map(len, self.records)]


def some_log(chance: random.Random) -> Log:
    log = Log(Form.some(chance), [], set())
    for number in range(chance.choice((2, 3, 5, 8))):
        log.records += some_change(chance, log, number, chance.choice(SYSTEMS[: log.form.systems]))
    return log


def some_change(chance: random.Random, log: Log, number: int, system: str) -> list[bytes]:
    form = log.form
    if chance.random() < 0.35:
        kind, text = chance.choice(PAYLOADS), "COMMAND WITH SOME TEXT".encode("cp037") * chance.choice((0, 1, 20))
        data = lldf.data_area(kind, [text], chance.choice((form.reading, "inclusive"))) if text else b""
        return [form.header(number, system, kind, seglen=form.counted(len(data))) + data]
    kind = chance.choice([*IMAGES])
    data = lldf.data_area(kind, [some_row(chance, log, system) for _ in range(IMAGES[kind])], form.reading)
    pieces = [data]
    if form.is_segmented and chance.random() < 0.5:
        size = -(-len(data) // chance.randrange(2, 4))
        pieces = [data[start : start + size] for start in range(0, len(data), size)]
    return [
        form.header(number, system, kind, seglen=form.counted(len(piece)), totalsegs=len(pieces), segnum=place) + piece
        for place, piece in enumerate(pieces, 1)
    ]


def some_row(chance: random.Random, log: Log, system: str) -> bytes:
    row = b"".join(some_part(chance, log, system) for _ in range(chance.choice((1, 2, 3))))
    if chance.random() < 0.2:
        row += log.form.length.to_bytes(2, "big")
    return row


def some_part(chance: random.Random, log: Log, system: str) -> bytes:
    form, name = log.form, chance.choice((system, system, *SYSTEMS))
    kind, what = chance.choice((*IMAGES, *PAYLOADS)), chance.random()
    filler = chance.choice((b"\xe3\xc5\xe7\xe3", b"\x40", b"\xf0\xf1", b"\x00\x00\x00\x01", bytes(1)))
    if what < 0.3:
        return (filler * 400)[: chance.choice((0, 1, 4, 40, 300))]
    data = chance.choice((b"", b"\xc1" * 9, lldf.data_area(kind, [b"\xc1" * 9] * IMAGES.get(kind, 1), form.reading)))
    if what < 0.7:
        # As a table of a monitor: LENGTH, the name of a system, any columns, and letters where a CHANGE TYPE would be.
        filler = filler if any(filler) else b"\x40"
        raw = bytearray((form.length.to_bytes(2, "big") + name.encode("cp037") + filler * 400)[: form.length])
        raw[104:106] = kind.ljust(2).encode("cp037")
        raw[182:184] = chance.choice((0, 0, form.counted(len(data)), chance.randrange(700))).to_bytes(2, "big")
        raw[184:188] = chance.choice((bytes(4), b"\x00\x01\x00\x01"))
        if filler == b"\x00\x00\x00\x01":
            raw[12:16] = b"\xc1" * 4  # no lengths of names
        log.inside.add(FEW)
        return bytes(raw[: chance.choice((2, 6, form.length, form.length))]) + chance.choice((b"", data))
    if form.seg_len == "data" and form.is_segmented:
        return b""  # a segment could as well end in front of one, if SEGLEN counted the record
    # A copy of a header or of a record, of this log or of one in which SEGLEN is otherwise.
    counted = form.counted(len(data), chance.choice((form.seg_len, "zero", "record")))
    log.inside.add(ONE if what < 0.85 else WHOLE)
    return form.header(900, name, kind, seglen=counted) + (b"" if what < 0.85 else data)


def cut(form: Form, data: bytes) -> tuple[list[int], str]:
    """Lengths of the records, and the code of the error that ended it."""
    cutter = detection().cutter
    assert cutter is not None
    lengths = []
    try:
        for extent in Glued(cutter).extents(data):
            lengths.append(extent.length)
    except FramingError as error:
        return lengths, error.code
    return lengths, ""


def is_proven(log: Log) -> bool:
    """Whether two lengths say where each record ends with a value that has whole headers inside.

    Where one length does alone, records inside up to the end are another record behind a damaged length.
    """
    return not log.inside & {ONE, WHOLE} or (log.form.reading == "total" and not log.form.is_segmented)


def damaged(chance: random.Random, log: Log) -> tuple[list[bytes], int, str]:
    """The records with a damaged length in one of them, its number, and what it is."""
    number = chance.randrange(len(log.records))
    raw, form = bytearray(log.records[number]), log.form
    behind = [len(record) for record in log.records[number + 1 : number + 3]] or [chance.randrange(1, 600)]
    places = [0, 182, form.length, form.length + 2]
    place = chance.choice([place for place in places if place + 2 <= len(raw)])
    old = int.from_bytes(raw[place : place + 2], "big")
    if not old:
        behind = [chance.randrange(900)]  # where no record has SEGLEN, one that leads to a record is taken for it
    new = chance.choice((old + behind[0], old + sum(behind), old ^ 1 << chance.randrange(16), chance.randrange(900)))
    raw[place : place + 2] = (new & 0xFFFF).to_bytes(2, "big")
    return [*log.records[:number], bytes(raw), *log.records[number + 1 :]], number, f"{old} -> {new} at {place}"


@pytest.mark.parametrize("seed", range(LOGS))
def test_values_that_look_as_headers_are_values(seed: int) -> None:
    log = some_log(random.Random(seed))
    lengths, code = cut(log.form, framing.glued(log.records))
    if code == "LMP-F005" and not is_proven(log):
        assert lengths == log.lengths[: len(lengths)]
        return
    assert (lengths, code) == (log.lengths, ""), (log.form, log.inside)


@pytest.mark.parametrize("seed", range(LOGS))
def test_no_record_behind_a_damaged_length_is_passed_over(seed: int) -> None:
    chance = random.Random(seed)
    log = some_log(chance)
    for _ in range(DAMAGES):
        records, number, what = damaged(chance, log)
        lengths, code = cut(log.form, framing.glued(records))
        starts = {sum(log.lengths[:place]) for place in range(len(log.records))}
        found = {sum(lengths[:place]) for place in range(len(lengths) + 1)}
        assert code or starts <= found, (number, what, log.form, log.lengths, lengths)


@pytest.mark.parametrize("otherwise", ["record", "word"])
@pytest.mark.parametrize("behind", [3, 20])
def test_a_segment_is_not_cut_in_its_value_where_records_behind_count_seglen_otherwise(
    otherwise: str, behind: int
) -> None:
    """SEGLEN counts DATA; a value has a header where the record would end, were it counted otherwise."""
    form = Form(288, b"", "data", "total", 1, is_segmented=True)
    value = bytearray(b"\xe7" * 900)
    place = form.counted(len(value)) - form.counted(0, otherwise)
    inside = form.header(1, "DB2A", "XX", seglen=700)
    value[place : place + len(inside)] = inside
    pieces = [bytes(value), *[b"\xe7" * (40 + number) for number in range(behind)]]
    records = [
        form.header(1, "DB2A", "UB", seglen=form.counted(len(piece)), totalsegs=len(pieces), segnum=number) + piece
        for number, piece in enumerate(pieces, 1)
    ]
    # A record may begin in front of a damaged length too, so that it is an error.
    assert cut(form, framing.glued(records)) == ([], "LMP-F005")


@pytest.mark.parametrize(("seg_len", "total"), [(0, 0), (0, 2), (4, 1), (4, 2)])
def test_a_header_in_a_value_that_leads_to_itself_is_passed_over(seg_len: int, total: int) -> None:
    """With LENGTH 0 it ends where it begins; only SEGLEN says where its record ends."""
    form = Form(288, b"", "record", "total", 1, is_segmented=False)
    inside = bytearray(form.header(5, "DB2A", "CO", seglen=seg_len, totalsegs=total))
    inside[:2] = bytes(2)
    value = b"\xe7" * 4 + inside
    record = form.header(1, "DB2A", "CO", seglen=form.counted(len(value)), totalsegs=1, segnum=1) + value
    assert cut(form, record) == ([len(record)], "")
