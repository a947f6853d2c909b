"""Framing: every way to cut records gives the same records, and damage is named where it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import framing as enc
from writers.bmc import lldf, rows

import lmparse
from lmparse import errors
from lmparse.bmc.record.change_record import detection
from lmparse.framing import index
from lmparse.framing.base import Framing
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.framings import framing_of

NAME = rows.Column("NAME", "VCHR", 200)
CUTTER = detection().cutter
# Several ways to write what one framing reads: name of the encoder's, name of the reader's, options.
WRITTEN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "rdw": ("rdw", "rdw", {}),
    "bdw, one block": ("bdw", "bdw", {}),
    "bdw, several blocks": ("bdw", "bdw", {"block_size": 700}),
    "bdw, a block a record": ("bdw", "bdw", {"block_size": 12}),
    "extended bdw": ("bdw-extended", "bdw", {"block_size": 700}),
    "vbs, no piece": ("vbs", "vbs", {"piece_sizes": 32000}),
    "vbs, pieces": ("vbs", "vbs", {"piece_sizes": [100, 7, 90]}),
    "bdw-vbs, one block": ("bdw-vbs", "bdw-vbs", {}),
    "bdw-vbs, small blocks": ("bdw-vbs", "bdw-vbs", {"block_size": 128}),
    "zosmf": ("zosmf", "zosmf", {}),
    "glued": ("glued", "glued", {}),
    "fixed": ("fixed", "fixed", {"record_length": 310}),
}
ENDS_ANYWHERE = [name for name in WRITTEN if name not in ("glued", "fixed")]


def row(number: int, text: str = "") -> bytes:
    """A data change record."""
    image = rows.image([NAME], [text or "x" * number])
    return lldf.change("I", [image], log_rba=f"{number:020X}", rid=f"{number:010X}")


RECORDS = [row(number) for number in (1, 9, 3, 12, 5)]


def way(name: str, record_length: int | None = None) -> Framing:
    return framing_of(name, record_length=record_length, cutter=CUTTER if name == "glued" else None)


def written(name: str, records: list[bytes]) -> tuple[Framing, enc.Framed]:
    kind, reader, options = WRITTEN[name]
    return way(reader, options.get("record_length")), enc.framed(kind, records, **options)


def read_all(framing: Framing, data: bytes, span: Span | None = None) -> list[tuple[RecordExtent, bytes]]:
    span = span or Span(0, len(data), 0)
    return [(extent, extent.read(data)) for extent in framing.extents(data, span.start, span.end, span.first_index)]


def read_up_to_damage(framing: Framing, data: bytes) -> tuple[list[bytes], errors.LmparseError | None]:
    got: list[bytes] = []
    try:
        for extent in framing.extents(data):
            got.append(extent.read(data))
    except errors.LmparseError as error:
        return got, error
    return got, None


def padded(name: str, records: list[bytes]) -> list[bytes]:
    length = WRITTEN[name][2].get("record_length")
    return [record.ljust(length, b"\x40") for record in records] if length else records


# whole files


@pytest.mark.parametrize("name", WRITTEN)
def test_every_framing_gives_the_same_records_at_their_offsets(name: str) -> None:
    framing, file = written(name, RECORDS)
    got = read_all(framing, file.data)
    assert [raw for _, raw in got] == padded(name, RECORDS)
    assert [extent.offset for extent, _ in got] == file.offsets
    assert [extent.index for extent, _ in got] == list(range(len(RECORDS)))
    assert [extent.length for extent, _ in got] == [len(raw) for _, raw in got]


@pytest.mark.parametrize("name", ["rdw", "bdw, one block", "bdw, several blocks", "extended bdw", "zosmf"])
def test_empty_records_are_records(name: str) -> None:
    records = [b"", b"abc", b"", b"", b"d", b""]
    framing, file = written(name, records)
    got = read_all(framing, file.data)
    assert [raw for _, raw in got] == records
    assert [extent.offset for extent, _ in got] == file.offsets


def test_records_longer_than_those_of_zos_are_read_behind_their_words() -> None:
    """Programs on other systems write them; the word can say up to 65,535 bytes, itself included."""
    records = [bytes(size) for size in (5, 65_531, 0, 40_001)]
    data = enc.framed("rdw", records).data
    framing = way("rdw")
    assert [read for _, read in read_all(framing, data)] == records
    found = [length for window in index.windows(framing, data) for length in window.lengths.tolist()]
    assert found == [*map(len, records)]


# cut short


@pytest.mark.parametrize("name", WRITTEN)
def test_a_cut_at_any_byte_is_named(name: str) -> None:
    framing, file = written(name, RECORDS[:3])
    between = {0, *whole_ends(name, framing, file)}
    wrong = []
    for cut in range(len(file.data)):
        got, error = read_up_to_damage(framing, file.data[:cut])
        if cut in between:
            fits = error is None
        else:
            fits = (
                isinstance(error, errors.TruncatedError | errors.LeftoverError)
                and error.code == ("LMP-F006" if isinstance(error, errors.TruncatedError) else "LMP-F007")
                and error.record_index == len(got)
                and error.record_offset is not None
                and 0 <= error.record_offset <= cut
            )
        if not fits:
            wrong.append(f"cut at {cut}: {type(error).__name__} {error}")
    assert wrong == []


def record_ends(framing: Framing, data: bytes) -> list[int]:
    return [extent.pieces[-1][0] + extent.pieces[-1][1] for extent in framing.extents(data)]


def whole_ends(name: str, framing: Framing, file: enc.Framed) -> list[int]:
    """Where a file may end without being cut: behind a record, in blocks behind a block."""
    ends = record_ends(framing, file.data)
    if "bdw" not in name:
        return ends
    blocks, start = [], 0
    while start < len(file.data):
        word = file.data[start : start + 4]
        length = int.from_bytes(word, "big") & 0x7FFFFFFF if word[0] & 0x80 else int.from_bytes(word[:2], "big")
        start += length
        blocks.append(start)
    return [end for end in ends if end in blocks]


# bytes behind

BEHIND = {
    "two zeros": bytes(2),
    "three zeros": bytes(3),
    "zeros": bytes(80),
    "text": b"end of transfer\r\n",
    "newline": b"\n",
    "carriage return and newline": b"\r\n",
    "ebcdic blanks": b"\x40" * 80,
    "end of file mark": b"\x1a",
}


@pytest.mark.parametrize(
    ("name", "behind"),
    # A z/OSMF length of zero is an empty record, so zeros behind are none or the start of one.
    [(name, behind) for name in ENDS_ANYWHERE for behind in BEHIND if not (name == "zosmf" and "zeros" in behind)],
)
def test_bytes_behind_the_last_record_are_named(name: str, behind: str) -> None:
    framing, file = written(name, RECORDS)
    got, error = read_up_to_damage(framing, file.data + BEHIND[behind])
    assert got == RECORDS
    assert isinstance(error, errors.LeftoverError), error
    assert (error.code, error.record_index, error.record_offset) == ("LMP-F007", len(RECORDS), len(file.data))


# damage inside


@pytest.mark.parametrize(
    ("flags", "index", "expected"),
    [
        ([enc.LAST], 0, "the first piece of a record"),
        ([enc.MIDDLE], 0, "the first piece of a record"),
        ([enc.COMPLETE, enc.MIDDLE], 1, "the first piece of a record"),
        ([enc.FIRST, enc.FIRST], 0, "the rest of the record"),
        ([enc.FIRST, enc.MIDDLE, enc.COMPLETE], 0, "the rest of the record"),
    ],
)
@pytest.mark.parametrize("blocked", [False, True])
def test_pieces_out_of_order_are_damage(flags: list[int], index: int, expected: str, blocked: bool) -> None:
    data = b"".join(enc.descriptor(3, flag) + b"abc" for flag in flags)
    if blocked:
        data = enc.descriptor(len(data)) + data
    got, error = read_up_to_damage(framing_of("bdw-vbs" if blocked else "vbs"), data)
    assert len(got) == index
    assert (error.code, error.record_index, error.expected) == ("LMP-F009", index, expected)


# spans


MANY = [row(number % 40 + 1) for number in range(60)]


@pytest.mark.parametrize("max_bytes", [1, 300, 1000, 5000, 1 << 30])
@pytest.mark.parametrize("name", WRITTEN)
def test_spans_together_give_the_whole_file(name: str, max_bytes: int) -> None:
    many = [row(1)] * 60 if name == "fixed" else MANY
    framing, file = written(name, many)
    whole = read_all(framing, file.data)
    spans = index.spans(framing, file.data, max_bytes)
    assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])]
    assert spans[-1].end == len(file.data)
    parts = [part for span in spans for part in read_all(framing, file.data, span)]
    assert [(extent.index, extent.pieces, raw) for extent, raw in parts] == [
        (extent.index, extent.pieces, raw) for extent, raw in whole
    ]
    assert [span.first_index for span in spans] == [read_all(framing, file.data, span)[0][0].index for span in spans]


@pytest.mark.parametrize("name", ["rdw", "bdw, several blocks", "vbs, pieces", "zosmf", "glued", "fixed"])
def test_spans_are_cut_where_they_can_be(name: str) -> None:
    framing, file = written(name, MANY if name != "fixed" else [row(1)] * 60)
    spans = index.spans(framing, file.data, 1000)
    assert len(spans) > 5
    assert all(span.end - span.start >= 1000 for span in spans[:-1])
    assert all(span.end - span.start < 3000 for span in spans)


def test_damage_ends_the_last_span_and_is_shown_there() -> None:
    data = enc.rdw(MANY) + b"junk junk"
    spans = index.spans(framing_of("rdw"), data, 1000)
    for span in spans[:-1]:
        read_all(framing_of("rdw"), data, span)
    with pytest.raises(errors.LeftoverError) as caught:
        read_all(framing_of("rdw"), data, spans[-1])
    assert caught.value.record_index == len(MANY)
    assert caught.value.record_offset == len(data) - 9


# what Framing and open_buffer refuse


@pytest.mark.parametrize(
    ("make", "hint"),
    [
        (lambda: framing_of("ftp"), "one of auto, rdw, bdw"),
        (lambda: framing_of("fixed"), "recordLength"),
        (lambda: framing_of("fixed", record_length=0), "recordLength"),
    ],
)
def test_a_framing_that_cannot_be_is_refused(make: Callable[[], Framing], hint: str) -> None:
    with pytest.raises(errors.OptionError) as caught:
        make()
    assert hint in (caught.value.hint or "")


def test_glued_is_refused_for_records_that_do_not_tell_their_length(tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    path.write_bytes(bytes(48))
    with pytest.raises(errors.OptionError, match="contain their own length"):
        lmparse.open_log(path, spec="bmc_dlge", framing="glued")
